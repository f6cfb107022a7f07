//! Priorities of QOS and partitions, as a spec writes them: `high:1000+normal:10`. A name alone has 1, a name that is
//! not there 0.

use super::super::parameters::Value;
use crate::job::JobId;
use crate::workload::{Label, Workload};

/// Names with their priorities.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranks(Vec<(String, u32)>);

impl Ranks {
    /// The priority of a name.
    pub(super) fn of(&self, name: &str) -> u32 {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map_or(0, |&(_, rank)| rank)
    }

    /// The highest; 0 where there is none.
    pub(super) fn highest(&self) -> u32 {
        self.0.iter().map(|&(_, rank)| rank).max().unwrap_or(0)
    }

    /// By job, what its word of this kind has.
    pub(super) fn by_job(&self, workload: &Workload, label: Label) -> Vec<u32> {
        let ranks: Vec<u32> = (workload.recorded.labels.names(label).iter())
            .map(|name| self.of(name))
            .collect();
        let rank = |word: Option<u32>| word.and_then(|word| ranks.get(word as usize));
        words(workload, label)
            .map(|word| rank(word).copied().unwrap_or(0))
            .collect()
    }
}

impl Value for Ranks {
    fn read(text: &str) -> Result<Self, String> {
        let one = |part: &str| match part.rsplit_once(':') {
            None => Ok((part.to_owned(), 1)),
            Some((name, rank)) => match rank.trim().parse() {
                Ok(rank) if !name.trim().is_empty() => Ok((name.trim().to_owned(), rank)),
                _ => Err(format!(
                    "'{part}' is no name with its priority: write NAME:NUMBER, with + between them"
                )),
            },
        };
        let parts = text.split('+').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty());
        Ok(Self(parts.map(one).collect::<Result<_, _>>()?))
    }

    fn text(&self) -> String {
        let part = |(name, rank): &(String, u32)| match rank {
            1 if !name.contains(':') => name.clone(),
            rank => format!("{name}:{rank}"),
        };
        self.0.iter().map(part).collect::<Vec<_>>().join("+")
    }
}

/// By job, which of a label's words it has.
pub(super) fn words(workload: &Workload, label: Label) -> impl Iterator<Item = Option<u32>> {
    let recorded = &workload.recorded;
    (0..workload.jobs.len() as u32).map(move |job| {
        let set = recorded.label_sets.get(JobId(job).index()).copied();
        recorded.labels.index(set.flatten(), label)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_priorities_and_come_back() {
        let ranks = Ranks::read("high:1000+ normal:10+low").expect("names and numbers");
        let of = |name| ranks.of(name);
        assert_eq!(
            [of("high"), of("normal"), of("low"), of("x")],
            [1000, 10, 1, 0]
        );
        assert_eq!(ranks.highest(), 1000);
        assert_eq!(ranks.text(), "high:1000+normal:10+low");
        assert_eq!(Ranks::read("").map(|none| none.highest()), Ok(0));
        assert!(Ranks::read("high:much").is_err() && Ranks::read(":1").is_err());
        assert_eq!(
            Ranks::read("a:7:1").map(|of| of.text()),
            Ok("a:7:1".to_owned())
        );
        assert_eq!(Ranks::read("a:b:7").map(|of| of.of("a:b")), Ok(7));
    }
}

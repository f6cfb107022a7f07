//! Which QOS may evict which, as a spec writes it: `high>low+high>normal` (`Preempt` in `sacctmgr show qos`). Where
//! nothing is said a QOS may evict all of lower priority.

use super::super::parameters::Value;
use super::ranks::words;
use crate::job::JobId;
use crate::workload::{Label, Workload};

/// Pairs of names, who may evict first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Preempts(Vec<(String, String)>);

/// The same for the jobs of a workload.
#[derive(Debug, Default)]
pub(super) struct Preempting {
    /// By job, its QOS.
    by_job: Vec<Option<u32>>,
    /// By QOS: whom it may evict. Empty: nothing is said.
    lists: Vec<Vec<u32>>,
}

impl Preempts {
    pub(super) fn among(&self, workload: &Workload) -> Preempting {
        if self.0.is_empty() {
            return Preempting::default();
        }
        let names = workload.recorded.labels.names(Label::Qos);
        let list = |name: &str| {
            let victims = self.0.iter().filter(|(by, _)| by == name);
            let places = victims.filter_map(|(_, of)| names.iter().position(|it| it == of));
            places.map(|at| at as u32).collect()
        };
        Preempting {
            by_job: words(workload, Label::Qos).collect(),
            // One more, so that it is not empty where no job has a QOS.
            lists: (names.iter().map(|name| list(name)))
                .chain([Vec::new()])
                .collect(),
        }
    }
}

impl Preempting {
    /// Whether it is said who may evict whom.
    pub(super) fn is_said(&self) -> bool {
        !self.lists.is_empty()
    }

    fn list(&self, job: JobId) -> &[u32] {
        let qos = self.by_job.get(job.index()).copied().flatten();
        let list = qos.and_then(|qos| self.lists.get(qos as usize));
        list.map_or(&[], Vec::as_slice)
    }

    /// Whether a job may evict anybody.
    pub(super) fn may_evict(&self, job: JobId) -> bool {
        !self.list(job).is_empty()
    }

    /// Whether it may evict that one.
    pub(super) fn may(&self, job: JobId, victim: JobId) -> bool {
        let qos = self.by_job.get(victim.index()).copied().flatten();
        qos.is_some_and(|qos| self.list(job).contains(&qos))
    }
}

impl Value for Preempts {
    fn read(text: &str) -> Result<Self, String> {
        let one = |part: &str| {
            let pair = part.split_once('>');
            let pair = pair.map(|(by, of)| (by.trim().to_owned(), of.trim().to_owned()));
            let pair = pair.filter(|(by, of)| !by.is_empty() && !of.is_empty());
            pair.ok_or_else(|| {
                format!(
                    "'{part}' does not say who may evict whom: write HIGH>LOW, with + between them"
                )
            })
        };
        let parts = text.split('+').map(str::trim);
        let parts = parts.filter(|part| !part.is_empty());
        Ok(Self(parts.map(one).collect::<Result<_, _>>()?))
    }

    fn text(&self) -> String {
        let part = |(by, of): &(String, String)| format!("{by}>{of}");
        self.0.iter().map(part).collect::<Vec<_>>().join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_and_come_back() {
        let of = Preempts::read("high>low + normal > low").expect("two pairs");
        assert_eq!(of.text(), "high>low+normal>low");
        assert_eq!(Preempts::read(""), Ok(Preempts::default()));
        for wrong in ["high", ">low", "high>"] {
            assert!(Preempts::read(wrong).is_err(), "{wrong}");
        }
    }
}

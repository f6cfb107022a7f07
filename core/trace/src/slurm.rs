//! What Slurm's formats share: states, records of `Key=value`, and rows that are attempts of one job.
//!
//! A job that is queued again keeps its id: `sacct --duplicates` prints a row for each time it ran,
//! `REQUEUED`, `PREEMPTED` or `NODE_FAIL` but for the last.
//!
//! Source: <https://slurm.schedmd.com/sacct.html>, "Job state codes"; `scontrol.html`.

use crate::Finite;
use crate::job::{JobName, Status};
use crate::order;
use crate::report::{DropReason, WarningKind, cell_is};
use crate::rows::is_any_of;
use crate::sink::{self, Sink};
use crate::status::status;
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, HashMap};

/// What the word for a state means, such as `CANCELLED by 1000`.
pub(crate) fn state(words: &str) -> Status {
    let word = words.split([' ', '+']).next().unwrap_or("");
    let any = |words| is_any_of(word, words);
    if any(&["preempted", "revoked"]) {
        // It has ended, and not by itself.
        return Status::Cancelled;
    }
    match status(word) {
        Status::Unknown if any(&["boot_fail", "launch_failed"]) => Status::NodeFailed,
        Status::Unknown if any(&QUEUED_AGAIN) || any(&UNDER_WAY) => Status::Running,
        of => of,
    }
}

const QUEUED_AGAIN: [&str; 4] = ["requeued", "requeue_fed", "requeue_hold", "special_exit"];

const UNDER_WAY: [&str; 5] = [
    "configuring",
    "resizing",
    "signaling",
    "stage_out",
    "stopped",
];

/// The jobs of which a row tells that they were queued again.
#[derive(Default)]
pub(crate) struct Requeued(Vec<JobName>);

impl Requeued {
    /// Takes notice of a row that was kept.
    pub(crate) fn note(&mut self, name: &str, state: &str) {
        let word = state.split([' ', '+']).next().unwrap_or("");
        if is_any_of(word, &["requeued", "preempted", "node_fail", "boot_fail"]) {
            self.0.push(name.into());
        }
    }

    /// Makes one job of the rows of each of them: submitted with the first, and as long as all
    /// together.
    pub(crate) fn join(self, sink: &mut Sink) {
        let names = self.0.into_iter().map(|name| (name, Vec::new()));
        let mut rows: HashMap<JobName, Vec<usize>, FixedState> = names.collect();
        if rows.is_empty() {
            return;
        }
        for (at, record) in sink.records.iter().enumerate() {
            if let Some(rows) = rows.get_mut(&*record.name) {
                rows.push(at);
            }
        }
        let rows: BTreeMap<JobName, Vec<usize>> = rows.into_iter().collect();
        let mut joined = vec![false; sink.records.len()];
        for (name, mut rows) in rows {
            let submit = |at: &usize| sink.records.get(*at).map_or(0.0, |record| record.submit);
            order::sort_by(&mut rows, |a, b| order::by_value(&submit(a), &submit(b)));
            let runs = rows.iter().filter_map(|&at| sink.records.get(at));
            let seconds: Vec<f64> = runs.map(|record| record.duration).collect();
            let (Some((&first, later)), Some((_, failed))) =
                (rows.split_first(), seconds.split_last())
            else {
                continue;
            };
            let (Some(&last), Ok(duration)) = (later.last(), sink::duration(seconds.iter().sum()))
            else {
                continue;
            };
            // What it was in the end, submitted when it first was.
            sink.records.swap(first, last);
            let Some((line, submit)) = sink.records.get(last).map(|of| (of.line, of.submit)) else {
                continue;
            };
            let mut lines: Vec<u32> = later
                .iter()
                .filter_map(|&at| Some(sink.records.get(at)?.line))
                .collect();
            if let Some(record) = sink.records.get_mut(first) {
                lines.pop();
                lines.push(record.line);
                (record.line, record.submit) = (line, submit);
                let end = record.start.map(|start| start.get() + record.duration);
                record.start = end.and_then(|end| Finite::new(end - duration));
                record.duration = duration;
                record.set_attempts(failed.to_vec());
            }
            let count = failed.len();
            sink.tally.warn(WarningKind::Attempts, 1, line, &|| {
                format!(
                    "{count} ended early, the first after {} s",
                    failed.first().unwrap_or(&0.0)
                )
            });
            for line in lines {
                let detail = || format!("{}, queued again", cell_is("JobID", &name));
                sink.tally.drop(DropReason::PartialExecution, line, &detail);
            }
            for &at in later {
                if let Some(joined) = joined.get_mut(at) {
                    *joined = true;
                }
            }
        }
        let mut joined = joined.into_iter();
        sink.records.retain(|_| joined.next() != Some(true));
    }
}

/// A record of pairs, and the line it begins on.
pub(crate) struct Pairs<'a> {
    pub(crate) line: u32,
    pairs: Vec<(&'a str, String)>,
}

impl<'a> Pairs<'a> {
    /// The value of a key, whatever its case; "" where there is none.
    pub(crate) fn get(&self, key: &str) -> &str {
        let mut pairs = self.pairs.iter();
        let found = pairs.find(|(of, _)| of.eq_ignore_ascii_case(key));
        match found.map_or("", |(_, value)| value.as_str()) {
            "(null)" | "N/A" | "None" => "",
            value => value,
        }
    }

    /// Whether it has a key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.pairs
            .iter()
            .any(|(of, _)| of.eq_ignore_ascii_case(key))
    }

    /// The records of a text. One begins with a pair of this key, whatever its case, and ends where
    /// the next one or a line of other pairs begins that is not indented.
    pub(crate) fn of(text: &'a str, key: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let (mut within, mut continues) = (false, false);
        for (line, text) in (1u32..).zip(text.lines()) {
            let text = text.trim_ascii_end();
            if text.trim_ascii_start().starts_with('#') {
                continue;
            }
            let continued = std::mem::take(&mut continues);
            let begins = !continued && !text.starts_with([' ', '\t']);
            if begins {
                within = first_key(text).is_some_and(|of| of.eq_ignore_ascii_case(key));
                if within {
                    all.push(Self {
                        line,
                        pairs: Vec::new(),
                    });
                }
            }
            let text = match text.strip_suffix('\\') {
                Some(text) => {
                    continues = true;
                    text
                }
                None => text,
            };
            if let (true, Some(record)) = (within, all.last_mut()) {
                record.read(text);
            }
        }
        all
    }

    fn read(&mut self, text: &'a str) {
        for word in text.split_ascii_whitespace() {
            if word.starts_with('#') {
                return;
            }
            match (word.split_once('='), self.pairs.last_mut()) {
                (Some((key, value)), _) => {
                    self.pairs.push((key, value.trim_matches('"').to_owned()))
                }
                // A value of several words.
                (None, Some((_, value))) => {
                    value.push(' ');
                    value.push_str(word);
                }
                (None, None) => {}
            }
        }
    }
}

/// The key of the pair that a line begins with.
pub(crate) fn first_key(line: &str) -> Option<&str> {
    let (key, _) = line.trim_ascii_start().split_once('=')?;
    let is_word = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then_some(key)
}

/// Whether a text is records of pairs that Slurm prints or reads.
pub(crate) fn is_pairs(text: &str) -> bool {
    const KEYS: [&str; 5] = [
        "jobid",
        "nodename",
        "partitionname",
        "switchname",
        "clustername",
    ];
    let lines = text.lines().map(str::trim_ascii);
    let mut lines = lines.filter(|line| {
        let aside = line.starts_with('#') || line.to_ascii_lowercase().starts_with("include ");
        !line.is_empty() && !aside
    });
    let is_of_slurm = |key: &str| is_any_of(key, &KEYS);
    // `gres.conf` may begin with a device or with how they are found.
    let is_gres = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.starts_with("name=gpu") || line.starts_with("autodetect=")
    };
    let Some(first) = lines.next() else {
        return false;
    };
    if is_gres(first) {
        return true;
    }
    match first_key(first) {
        Some(first) => is_of_slurm(first) || lines.filter_map(first_key).any(is_of_slurm),
        None => false,
    }
}

/// The names in a list of hosts such as `gpu[01-03,7],login1`, at most as many as asked; `None`
/// where it is no such list or has more.
pub(crate) fn hosts(list: &str, most: usize) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let (mut depth, mut from) = (0u32, 0);
    let ends = list.char_indices().chain([(list.len(), ',')]);
    for (at, c) in ends {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                let part = list.get(from..at)?.trim();
                if !part.is_empty() {
                    expand(part, most, &mut all)?;
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0).then_some(all)
}

/// Adds the hosts that a part of a list names.
fn expand(part: &str, most: usize, all: &mut Vec<String>) -> Option<()> {
    let mut names = vec![String::new()];
    let mut rest = part;
    while let Some((before, bracket)) = rest.split_once('[') {
        let (within, after) = bracket.split_once(']')?;
        let mut longer = Vec::new();
        for range in within.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (low, high): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            if high < low || high - low >= most as u64 {
                return None;
            }
            for name in &names {
                for number in low..=high {
                    longer.push(format!(
                        "{name}{before}{number:0width$}",
                        width = first.len().min(20)
                    ));
                    if longer.len() > most {
                        return None;
                    }
                }
            }
        }
        (names, rest) = (longer, after);
    }
    all.extend(names.into_iter().map(|name| name + rest));
    (all.len() <= most).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states() {
        for (word, meaning) in [
            ("COMPLETED", Status::Completed),
            ("CANCELLED by 1000", Status::Cancelled),
            ("CANCELLED+", Status::Cancelled),
            ("TIMEOUT", Status::Failed),
            ("OUT_OF_MEMORY", Status::Failed),
            ("DEADLINE", Status::Failed),
            ("NODE_FAIL", Status::NodeFailed),
            ("BOOT_FAIL", Status::NodeFailed),
            ("PREEMPTED", Status::Cancelled),
            ("REQUEUED", Status::Running),
            ("RUNNING", Status::Running),
        ] {
            assert_eq!(state(word), meaning, "{word}");
        }
    }

    #[test]
    fn lists_of_hosts() {
        let count = |list| hosts(list, 1000).map(|hosts| hosts.len());
        assert_eq!(
            hosts("gpu[01-03,7],login1", 9).unwrap(),
            ["gpu01", "gpu02", "gpu03", "gpu7", "login1"]
        );
        assert_eq!(count("r[1-2]n[01-10]"), Some(20));
        assert_eq!(count(""), Some(0));
        for none in [
            "gpu[1-99999]",
            "a[1-900],b[1-900]",
            "a[",
            "a]",
            "a[x]",
            "a[3-1]",
        ] {
            assert_eq!(count(none), None, "{none}");
        }
    }

    #[test]
    fn records_of_pairs() {
        let text = "# nodes\nClusterName=lab\nNodeName=a Gres=gpu:2 \\\n  CPUs=8 # all\nPartitionName=x Nodes=a\nnodename=b OS=Linux 5 x\n   Gres=(null)\n";
        let records = Pairs::of(text, "NodeName");
        let shown: Vec<_> = records
            .iter()
            .map(|of| {
                (
                    of.line,
                    of.get("NODENAME"),
                    of.get("gres"),
                    of.get("CPUs"),
                    of.get("OS"),
                )
            })
            .collect();
        assert_eq!(
            shown,
            [(3, "a", "gpu:2", "8", ""), (6, "b", "", "", "Linux 5 x")]
        );
        assert!(is_pairs(text) && is_pairs("Include more.conf\nNodeName=a\n"));
        assert!(!is_pairs("sep=;\na;b\n") && !is_pairs("a,b\nJobId=1\n"));
    }
}

//! Where importers put what they read, and what a row must fulfil to become a [`Record`].

use super::Record;
use super::report::{DropReason, Tally, WarningKind, cell_is};
use super::timestamp::MAX_SECONDS;
use crate::job::Status;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// The records of one file and what was noticed on the way.
pub(crate) struct Sink {
    pub(crate) records: Vec<Record>,
    pub(crate) tenants: Names,
    pub(crate) models: Names,
    pub(crate) tally: Tally,
    /// Rows seen, kept or not.
    pub(crate) rows: u32,
    /// Unix seconds of the moment that the file calls 0; `Some(0.0)` where its times are
    /// absolute, `None` where it does not tell.
    pub(crate) zero: Option<f64>,
}

/// What an importer read from one row.
pub(crate) struct Draft<'r> {
    pub(crate) line: u32,
    /// "" where the format has no names: the line stands in.
    pub(crate) name: &'r str,
    pub(crate) submit: f64,
    pub(crate) duration: f64,
    pub(crate) gpus: u32,
    /// "" where the row names none.
    pub(crate) tenant: &'r str,
    /// "" where the row names none.
    pub(crate) model: &'r str,
    pub(crate) batch: Option<u32>,
    pub(crate) status: Status,
}

impl Sink {
    pub(crate) fn new(file: &str) -> Self {
        Self {
            records: Vec::new(),
            tenants: Names::default(),
            models: Names::default(),
            tally: Tally::new(file),
            rows: 0,
            zero: None,
        }
    }

    /// Leaves a row out; `detail` is asked only for the first of its kind.
    pub(crate) fn drop(&mut self, reason: DropReason, line: u32, detail: &dyn Fn() -> String) {
        self.tally.drop(reason, line, detail);
    }

    /// Keeps a row whose values have passed [`gpus`], [`submit`] and [`duration`].
    pub(crate) fn keep(&mut self, draft: Draft<'_>) {
        let name = if draft.name.is_empty() {
            draft.line.to_string().into_boxed_str()
        } else {
            draft.name.into()
        };
        self.records.push(Record {
            line: draft.line,
            name,
            submit: draft.submit,
            duration: draft.duration,
            gpus: draft.gpus,
            tenant: self.tenants.index(draft.tenant),
            model: self.models.index(draft.model),
            batch: draft.batch,
            status: draft.status,
        });
    }

    /// Warns of what only the whole file shows. `named`: the format has ids of its own.
    pub(crate) fn review(&mut self, named: bool) {
        self.review_order();
        self.review_status();
        if named {
            self.review_names();
        }
    }

    fn review_order(&mut self) {
        let (mut count, mut line) = (0, 0);
        for pair in self.records.windows(2) {
            if let [above, row] = pair
                && row.submit < above.submit
            {
                if count == 0 {
                    line = row.line;
                }
                count += 1;
            }
        }
        let kind = WarningKind::Unsorted;
        self.tally.warn(kind, count, line, &|| {
            "submitted before the row above".to_owned()
        });
        if let [first, rest @ ..] = self.records.as_slice()
            && !rest.is_empty()
            && rest.iter().all(|r| r.submit == first.submit)
        {
            let (jobs, line, at) = (self.records.len() as u32, first.line, first.submit);
            let kind = WarningKind::SameSubmit;
            self.tally
                .warn(kind, jobs, line, &|| format!("all at {at}"));
        }
    }

    fn review_status(&mut self) {
        let running = |r: &&Record| r.status == Status::Running;
        let count = self.records.iter().filter(running).count() as u32;
        let line = self.records.iter().find(running).map_or(0, |r| r.line);
        let kind = WarningKind::Censored;
        self.tally
            .warn(kind, count, line, &|| "had not ended".to_owned());
    }

    fn review_names(&mut self) {
        // Ids that count up, as most do, need no search.
        let counts_up = |a: &Record, b: &Record| (a.name.len(), &a.name) < (b.name.len(), &b.name);
        if self.records.windows(2).all(|pair| match pair {
            [a, b] => counts_up(a, b),
            _ => true,
        }) {
            return;
        }
        // Sorting fingerprints beats a map of names: no copies, and order decides nothing.
        let names = self.records.iter().enumerate();
        let mut prints: Vec<(u64, u32)> = names
            .map(|(row, r)| (xxh3_64(r.name.as_bytes()), row as u32))
            .collect();
        prints.sort_unstable();
        let mut count = 0;
        let mut first = u32::MAX;
        for pair in prints.windows(2) {
            if let [a, b] = pair
                && a.0 == b.0
            {
                count += 1;
                first = first.min(b.1);
            }
        }
        if let Some(record) = self.records.get(first as usize) {
            let (line, name) = (record.line, record.name.clone());
            let kind = WarningKind::DuplicateIds;
            self.tally.warn(kind, count, line, &|| cell_is("id", &name));
        }
    }
}

/// Names in order of their first appearance.
#[derive(Debug, Default)]
pub(crate) struct Names {
    list: Vec<String>,
    index: BTreeMap<String, u32>,
    last: u32,
}

impl Names {
    /// The index of a name, which is new or known; `None` for "".
    pub(crate) fn index(&mut self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        // Neighbouring rows often share the name.
        if self.list.get(self.last as usize).is_some_and(|n| n == name) {
            return Some(self.last);
        }
        self.last = match self.index.get(name) {
            Some(&index) => index,
            None => {
                let index = self.list.len() as u32;
                self.list.push(name.to_owned());
                self.index.insert(name.to_owned(), index);
                index
            }
        };
        Some(self.last)
    }

    pub(crate) fn into_list(self) -> Vec<String> {
        self.list
    }

    pub(crate) fn list(&self) -> &[String] {
        &self.list
    }
}

/// Whole GPUs, and whether they had to be rounded up.
pub(crate) fn gpus(value: f64) -> Result<(u32, bool), DropReason> {
    let whole = value.ceil();
    if value == 0.0 {
        Err(DropReason::NoGpus)
    } else if value > 0.0 && whole <= f64::from(u32::MAX) {
        Ok((whole as u32, whole != value))
    } else {
        Err(DropReason::GpusInvalid)
    }
}

/// A time of submission in seconds.
pub(crate) fn submit(seconds: f64) -> Result<f64, DropReason> {
    if !seconds.is_finite() {
        Err(DropReason::SubmitInvalid)
    } else if seconds < 0.0 {
        Err(DropReason::SubmitNegative)
    } else if seconds > MAX_SECONDS {
        Err(DropReason::SubmitOutOfRange)
    } else {
        // Minus zero is zero.
        Ok(seconds.abs())
    }
}

/// A duration in seconds.
pub(crate) fn duration(seconds: f64) -> Result<f64, DropReason> {
    if !seconds.is_finite() {
        Err(DropReason::DurationNotFinite)
    } else if seconds == 0.0 {
        Err(DropReason::DurationZero)
    } else if seconds < 0.0 {
        Err(DropReason::DurationNegative)
    } else if seconds > MAX_SECONDS {
        Err(DropReason::DurationOutOfRange)
    } else {
        Ok(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        assert_eq!(gpus(0.01), Ok((1, true)));
        assert_eq!(gpus(8.0), Ok((8, false)));
        assert_eq!(gpus(0.0), Err(DropReason::NoGpus));
        for bad in [-1.0, f64::NAN, f64::INFINITY, 5e9] {
            assert_eq!(gpus(bad), Err(DropReason::GpusInvalid));
        }
        assert_eq!(submit(0.0), Ok(0.0));
        assert_eq!(submit(-1.0), Err(DropReason::SubmitNegative));
        assert_eq!(submit(1e11), Err(DropReason::SubmitOutOfRange));
        assert_eq!(duration(0.5), Ok(0.5));
        assert_eq!(duration(0.0), Err(DropReason::DurationZero));
        assert_eq!(duration(-0.5), Err(DropReason::DurationNegative));
        assert_eq!(duration(f64::NAN), Err(DropReason::DurationNotFinite));
        assert_eq!(duration(1e11), Err(DropReason::DurationOutOfRange));
    }

    #[test]
    fn names_are_numbered_as_they_appear() {
        let mut names = Names::default();
        let seen: Vec<_> = ["b", "a", "", "b", "a"].map(|n| names.index(n)).into();
        assert_eq!(seen, [Some(0), Some(1), None, Some(0), Some(1)]);
        assert_eq!(names.into_list(), ["b", "a"]);
    }
}

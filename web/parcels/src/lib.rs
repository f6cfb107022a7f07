//! Jobs as bytes, piece by piece: how they travel between the page and its workers. Millions of jobs go through here
//! twice while somebody waits, so it is a crate of its own, which is built for speed where the page is built for
//! size.
//!
//! In: a [`Workload`]. Out: a [`head`] and [pieces](piece), each behind its size in [`SIZE`] bytes; and of these the same
//! workload again ([`Unpacking`]), without what does not travel.

#![forbid(unsafe_code)]

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use switchyard_model::job::{Job, JobId, Status};
use switchyard_model::workload::{Labels, Recorded, RecordedRun, Workload};
use switchyard_model::{Finite, Index, Resource};
use thiserror::Error;

/// Jobs of a piece.
pub const PIECE: usize = 4096;

/// Bytes of a piece's size, least significant first.
pub const SIZE: usize = 4;

/// Why jobs cannot become bytes, or bytes jobs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackingError {
    /// The jobs cannot be written.
    #[error("cannot write jobs: {0}")]
    Write(postcard::Error),
    /// These bytes are no jobs.
    #[error("cannot read jobs: {0}")]
    Read(postcard::Error),
    /// A piece has no job.
    #[error("The jobs have not come along.")]
    Empty,
}

/// What of a workload stands before its jobs: how many there are, names, what is recorded of few and what it
/// names, what is counted, and of which time.
type Head = (
    u32,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    (BTreeMap<JobId, Vec<f64>>, Labels, Vec<String>),
    (Resource, Option<f64>),
);

/// Some of the jobs, and what is recorded of them.
type Piece = (
    Vec<Job>,
    Vec<Status>,
    Vec<Option<RecordedRun>>,
    Vec<Option<Finite>>,
    Vec<Option<Index>>,
    Vec<Option<Index>>,
);

/// What stands before the jobs, behind its size.
///
/// # Errors
///
/// [`PackingError::Write`].
pub fn head(workload: &Workload) -> Result<Vec<u8>, PackingError> {
    let Workload {
        jobs,
        tenants,
        models,
        gpu_types,
        unit,
        recorded,
        epoch,
        applications: _,
    } = workload;
    let Recorded {
        attempts,
        labels,
        node_names,
        ..
    } = recorded;
    let jobs = jobs.len() as u32;
    let of_records = (attempts, labels, node_names);
    sized(&(jobs, tenants, models, gpu_types, of_records, (unit, epoch)))
}

/// The jobs from this one on, at most [`PIECE`], and what is recorded of them, behind their size.
///
/// # Errors
///
/// [`PackingError::Write`].
pub fn piece(workload: &Workload, from: usize) -> Result<Vec<u8>, PackingError> {
    let recorded = &workload.recorded;
    sized(&(
        part(&workload.jobs, from),
        part(&recorded.statuses, from),
        part(&recorded.runs, from),
        part(&recorded.priorities, from),
        part(&recorded.label_sets, from),
        part(&recorded.nodes, from),
    ))
}

/// What a list says of the jobs of a piece; nothing where it says nothing of any.
fn part<T>(all: &[T], from: usize) -> &[T] {
    let rest = all.get(from..).unwrap_or(&[]);
    rest.get(..PIECE).unwrap_or(rest)
}

fn sized(value: &impl Serialize) -> Result<Vec<u8>, PackingError> {
    let bytes = postcard::to_extend(value, vec![0; SIZE]);
    let mut bytes = bytes.map_err(PackingError::Write)?;
    let size = (bytes.len() - SIZE) as u32;
    bytes[..SIZE].copy_from_slice(&size.to_le_bytes());
    Ok(bytes)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PackingError> {
    postcard::from_bytes(bytes).map_err(PackingError::Read)
}

/// A workload that is being put together.
#[derive(Debug)]
pub struct Unpacking {
    workload: Workload,
    jobs: usize,
}

impl Unpacking {
    /// From what stands before the jobs, without its size.
    ///
    /// # Errors
    ///
    /// [`PackingError::Read`] if it is none.
    pub fn new(head: &[u8]) -> Result<Self, PackingError> {
        Self::of_at_most(head, usize::MAX)
    }

    /// The same, where no more than so many jobs can follow: whatever the head says, there is room for no more.
    fn of_at_most(head: &[u8], most: usize) -> Result<Self, PackingError> {
        let (jobs, tenants, models, gpu_types, (attempts, labels, node_names), (unit, epoch)) =
            read::<Head>(head)?;
        let jobs = jobs as usize;
        if jobs > most {
            return Err(PackingError::Empty);
        }
        Ok(Self {
            workload: Workload {
                jobs: Vec::with_capacity(jobs),
                tenants,
                models,
                gpu_types,
                unit,
                recorded: Recorded {
                    attempts,
                    labels,
                    node_names,
                    ..Recorded::default()
                },
                epoch,
                applications: Vec::new(),
            },
            jobs,
        })
    }

    /// Adds the next piece, without its size.
    ///
    /// # Errors
    ///
    /// [`PackingError::Read`] if it is none, [`PackingError::Empty`] if it has no job.
    pub fn add(&mut self, piece: &[u8]) -> Result<(), PackingError> {
        let (jobs, statuses, runs, priorities, label_sets, nodes) = read::<Piece>(piece)?;
        if jobs.is_empty() {
            return Err(PackingError::Empty);
        }
        let (all, recorded) = (self.jobs, &mut self.workload.recorded);
        self.workload.jobs.extend(jobs);
        extend(&mut recorded.statuses, statuses, all);
        extend(&mut recorded.runs, runs, all);
        extend(&mut recorded.priorities, priorities, all);
        extend(&mut recorded.label_sets, label_sets, all);
        extend(&mut recorded.nodes, nodes, all);
        Ok(())
    }

    /// Whether all jobs are there.
    pub fn is_whole(&self) -> bool {
        self.workload.jobs.len() >= self.jobs
    }

    /// What has been put together.
    pub fn into_workload(self) -> Workload {
        self.workload
    }
}

/// The jobs of which these are all bytes: what stands before them and each piece, behind their sizes.
///
/// # Errors
///
/// [`PackingError::Read`] if they are none, [`PackingError::Empty`] if they end too soon.
pub fn unpacked(mut bytes: &[u8]) -> Result<Workload, PackingError> {
    // A job takes more than one.
    let most = bytes.len();
    let mut next = || -> Result<&[u8], PackingError> {
        let (size, rest) = bytes.split_first_chunk().ok_or(PackingError::Empty)?;
        let size = u32::from_le_bytes(*size) as usize;
        let content = rest.get(..size).ok_or(PackingError::Empty)?;
        bytes = &rest[size..];
        Ok(content)
    };
    let mut unpacking = Unpacking::of_at_most(next()?, most)?;
    while !unpacking.is_whole() {
        unpacking.add(next()?)?;
    }
    Ok(unpacking.into_workload())
}

/// Adds what a piece says to a list of so many jobs.
fn extend<T>(all: &mut Vec<T>, piece: Vec<T>, jobs: usize) {
    if all.capacity() == 0 && !piece.is_empty() {
        all.reserve_exact(jobs);
    }
    all.extend(piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_model::Time;

    /// Bytes behind their size.
    fn content(bytes: &[u8]) -> &[u8] {
        let (size, content) = bytes.split_at(SIZE);
        let size = u32::from_le_bytes(size.try_into().expect("four bytes"));
        assert_eq!(size as usize, content.len());
        content
    }

    fn of(jobs: usize) -> Workload {
        let mut workload = Workload {
            jobs: (0..jobs)
                .map(|at| Job {
                    name: format!("job {at}").into(),
                    ..Job::plain(at as f64, at as u32 % 9, 60.5)
                })
                .collect(),
            tenants: vec!["a".to_owned()],
            epoch: Some(1.7e9),
            ..Workload::default()
        };
        workload.recorded.runs = (0..jobs)
            .map(|at| {
                (at % 3 > 0).then(|| RecordedRun {
                    start: Time(at as f64 + 1.0),
                    seconds: 60.5,
                    types: Default::default(),
                })
            })
            .collect();
        workload.recorded.attempts.insert(JobId(0), vec![1.5, 2.5]);
        workload
    }

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        for jobs in [0, 1, PIECE, 2 * PIECE + 7] {
            let workload = of(jobs);
            let mut unpacking =
                Unpacking::new(content(&head(&workload).expect("a head"))).expect("a head");
            let mut from = 0;
            while !unpacking.is_whole() {
                unpacking
                    .add(content(&piece(&workload, from).expect("a piece")))
                    .expect("a piece");
                from += PIECE;
            }
            assert!(from >= jobs && from < jobs + PIECE);
            assert_eq!(unpacking.into_workload(), workload, "{jobs}");
            let mut all = head(&workload).expect("a head");
            for from in (0..jobs).step_by(PIECE) {
                all.append(&mut piece(&workload, from).expect("a piece"));
            }
            assert_eq!(unpacked(&all), Ok(workload), "{jobs}");
            all.pop();
            assert!(unpacked(&all).is_err(), "{jobs}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        let refused = Unpacking::new(&[1, 2]).expect_err("no head");
        assert!(matches!(refused, PackingError::Read(_)), "{refused}");
        let workload = of(1);
        let mut unpacking =
            Unpacking::new(content(&head(&workload).expect("a head"))).expect("a head");
        let refused = unpacking.add(&[255; 9]).expect_err("no piece");
        assert!(matches!(refused, PackingError::Read(_)), "{refused}");
        let empty = piece(&workload, 1).expect("a piece");
        assert_eq!(unpacking.add(content(&empty)), Err(PackingError::Empty));
        // More jobs than there is room for.
        let mut head = head(&workload).expect("a head");
        assert_eq!(head[SIZE], 1);
        head[SIZE] = 0x7f;
        head.truncate(SIZE + 40);
        assert!(unpacked(&head).is_err());
        assert!(!unpacking.is_whole());
    }
}

//! The jobs of a trace as they travel, beside a message: bytes that the opener writes once, the page
//! reads once, and hands on as they are to each worker that needs them. They are written, sent and read in pieces,
//! each behind its size: a program's memory never shrinks, so that a copy of millions of jobs, or room that has
//! doubled once too often, would stay for as long as the page does.

use super::wire;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::Serialize;
use std::collections::BTreeMap;
use switchyard::Resource;
use switchyard::job::{Job, JobId, Status};
use switchyard::workload::{Labels, Recorded, RecordedRun, Workload};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync};

/// Jobs of a piece.
const PIECE: usize = 4096;

/// Bytes of a piece's size.
const SIZE: u32 = 4;

/// Jobs on their way: an array of an `ArrayBuffer` for each piece, which are transferred, or a `Blob`, which is shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jobs(pub(super) JsValue);

impl From<JsValue> for Jobs {
    fn from(bytes: JsValue) -> Self {
        Self(bytes)
    }
}

impl From<Jobs> for JsValue {
    fn from(jobs: Jobs) -> Self {
        jobs.0
    }
}

impl Jobs {
    /// The jobs, written down.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be.
    pub fn write(workload: &Workload) -> Result<Self, String> {
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
        let jobs_in_all = jobs.len() as u32;
        let of_all = (unit, epoch);
        let Recorded {
            statuses,
            attempts,
            runs,
            priorities,
            label_sets,
            labels,
            nodes,
            node_names,
        } = recorded;
        let of_records = (attempts, labels, node_names);
        let names = (jobs_in_all, tenants, models, gpu_types, of_records, of_all);
        let pieces = Array::of1(&piece(&names)?);
        for (at, jobs) in jobs.chunks(PIECE).enumerate() {
            let from = at * PIECE;
            let of = (
                jobs,
                part(statuses, from),
                part(runs, from),
                part(priorities, from),
                part(label_sets, from),
                part(nodes, from),
            );
            pieces.push(&piece(&of)?);
        }
        Ok(Self(pieces.into()))
    }

    /// Those of which these came.
    pub(super) fn of(pieces: Vec<JsValue>) -> Self {
        Self(Array::from_iter(pieces).into())
    }

    /// What is sent of them.
    pub(super) fn parts(&self) -> Vec<JsValue> {
        match self.0.dyn_ref::<Array>() {
            Some(pieces) => pieces.to_vec(),
            None => vec![self.0.clone()],
        }
    }

    /// The same bytes for many workers: none gets a copy before it reads them.
    ///
    /// # Errors
    ///
    /// A sentence, if the browser has no room for them.
    pub fn shared(&self) -> Result<Self, String> {
        let pieces = Array::from_iter(self.parts());
        let blob = Blob::new_with_buffer_source_sequence(&pieces);
        let blob = blob.map_err(|_| "The browser has no room for these jobs.".to_string())?;
        Ok(Self(blob.into()))
    }

    /// The jobs. Shared ones are read only in workers; of others each piece is gone once it is read.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be read.
    pub fn read(&self) -> Result<Workload, String> {
        let mut at = 0;
        let names = self.next_piece(&mut at)?;
        let (jobs, tenants, models, gpu_types, (attempts, labels, node_names), (unit, epoch)) =
            wire::decode::<Names>(&names)?;
        let mut workload = Workload {
            jobs: Vec::with_capacity(jobs as usize),
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
        };
        let all = jobs as usize;
        let recorded = &mut workload.recorded;
        while workload.jobs.len() < all {
            let piece: Piece = wire::decode(&self.next_piece(&mut at)?)?;
            let (jobs, statuses, runs, priorities, label_sets, nodes) = piece;
            if jobs.is_empty() {
                return Err("The jobs have not come along.".to_string());
            }
            workload.jobs.extend(jobs);
            extend(&mut recorded.statuses, statuses, all);
            extend(&mut recorded.runs, runs, all);
            extend(&mut recorded.priorities, priorities, all);
            extend(&mut recorded.label_sets, label_sets, all);
            extend(&mut recorded.nodes, nodes, all);
        }
        Ok(workload)
    }

    /// The piece that begins at a byte, which is then the next one's.
    fn next_piece(&self, at: &mut u32) -> Result<ArrayBuffer, String> {
        const MISSING: &str = "The jobs have not come along.";
        if let Some(pieces) = self.0.dyn_ref::<Array>() {
            let piece: Option<ArrayBuffer> = pieces.shift().dyn_into().ok();
            return Ok(piece.ok_or(MISSING)?.slice(SIZE));
        }
        let bytes = |from, to| {
            let bytes = self.bytes(from, to);
            let whole = bytes.filter(|bytes| bytes.byte_length() == to - from);
            whole.ok_or(MISSING)
        };
        let begin = at.saturating_add(SIZE);
        let mut size = [0; SIZE as usize];
        Uint8Array::new(&bytes(*at, begin)?.into()).copy_to(&mut size);
        let end = begin.saturating_add(u32::from_le_bytes(size));
        *at = end;
        Ok(bytes(begin, end)?)
    }

    /// These bytes, as far as there are so many.
    fn bytes(&self, from: u32, to: u32) -> Option<ArrayBuffer> {
        let blob = self.0.dyn_ref::<Blob>()?;
        let part = blob.slice_with_f64_and_f64(from.into(), to.into()).ok()?;
        let read = FileReaderSync::new().ok()?.read_as_array_buffer(&part);
        read.ok()?.dyn_into().ok()
    }
}

/// What of a workload stands before its jobs: how many there are, names, what is recorded of few and what it
/// names, what is counted, and of which time.
type Names = (
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
    Vec<Option<f64>>,
    Vec<Option<u32>>,
    Vec<Option<u32>>,
);

/// What a list says of the jobs of a piece; nothing where it says nothing of any.
fn part<T>(all: &[T], from: usize) -> &[T] {
    let rest = all.get(from..).unwrap_or(&[]);
    rest.get(..PIECE).unwrap_or(rest)
}

/// Adds what a piece says to a list of so many jobs.
fn extend<T>(all: &mut Vec<T>, piece: Vec<T>, jobs: usize) {
    if all.capacity() == 0 && !piece.is_empty() {
        all.reserve_exact(jobs);
    }
    all.extend(piece);
}

/// A piece, behind its size.
fn piece(value: &impl Serialize) -> Result<JsValue, String> {
    let bytes = wire::encode(value)?;
    let size = bytes.byte_length();
    let whole = Uint8Array::new_with_length(SIZE + size);
    whole.set(&Uint8Array::from(&size.to_le_bytes()[..]), 0);
    whole.set(&Uint8Array::new(&bytes), SIZE);
    Ok(whole.buffer().into())
}

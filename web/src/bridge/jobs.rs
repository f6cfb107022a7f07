//! The jobs of a trace as they travel, beside a message: bytes that the opener writes once, the page
//! reads once, and hands on as they are to each worker that needs them. They are written and read in pieces, each
//! behind its size: a program's memory never shrinks, so that a copy of millions of jobs, or room that has
//! doubled once too often, would stay for as long as the page does.

use super::wire;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use switchyard::Resource;
use switchyard::job::Job;
use switchyard::workload::{Recorded, Workload};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync};

/// Jobs of a piece.
const PIECE: usize = 4096;

/// Bytes of a piece's size.
const SIZE: u32 = 4;

/// Jobs on their way: an `ArrayBuffer`, which is transferred, or a `Blob`, which is shared.
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
        let names = (jobs_in_all, tenants, models, gpu_types, recorded, of_all);
        let mut pieces = vec![wire::encode(&names)?];
        for piece in jobs.chunks(PIECE) {
            pieces.push(wire::encode(&piece)?);
        }
        // What grows stays with a program, but not with its script: there the pieces are put together.
        let bytes: u32 = pieces.iter().map(|piece| SIZE + piece.byte_length()).sum();
        let whole = Uint8Array::new_with_length(bytes);
        let mut at = 0;
        for piece in pieces {
            whole.set(
                &Uint8Array::from(&piece.byte_length().to_le_bytes()[..]),
                at,
            );
            whole.set(&Uint8Array::new(&piece), at + SIZE);
            at += SIZE + piece.byte_length();
        }
        Ok(Self(whole.buffer().into()))
    }

    /// The same bytes for many workers: none gets a copy before it reads them.
    ///
    /// # Errors
    ///
    /// A sentence, if the browser has no room for them.
    pub fn shared(&self) -> Result<Self, String> {
        let blob = Blob::new_with_buffer_source_sequence(&Array::of1(&self.0));
        let blob = blob.map_err(|_| "The browser has no room for these jobs.".to_string())?;
        Ok(Self(blob.into()))
    }

    /// The jobs. Shared ones are read only in workers.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be read.
    pub fn read(&self) -> Result<Workload, String> {
        let mut at = 0;
        let names = self.next_piece(&mut at)?;
        let (jobs, tenants, models, gpu_types, recorded, (unit, epoch)) =
            wire::decode::<Names>(&names)?;
        let mut workload = Workload {
            jobs: Vec::with_capacity(jobs as usize),
            tenants,
            models,
            gpu_types,
            unit,
            recorded,
            epoch,
            applications: Vec::new(),
        };
        while workload.jobs.len() < jobs as usize {
            let piece: Vec<Job> = wire::decode(&self.next_piece(&mut at)?)?;
            workload.jobs.extend(piece);
        }
        Ok(workload)
    }

    /// The piece that begins at a byte, which is then the next one's.
    fn next_piece(&self, at: &mut u32) -> Result<ArrayBuffer, String> {
        let bytes = |from, to| {
            let bytes = self.bytes(from, to);
            let whole = bytes.filter(|bytes| bytes.byte_length() == to - from);
            whole.ok_or("The jobs have not come along.")
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
        if let Some(buffer) = self.0.dyn_ref::<ArrayBuffer>() {
            return Some(buffer.slice_with_end(from, to));
        }
        let blob = self.0.dyn_ref::<Blob>()?;
        let part = blob.slice_with_f64_and_f64(from.into(), to.into()).ok()?;
        let read = FileReaderSync::new().ok()?.read_as_array_buffer(&part);
        read.ok()?.dyn_into().ok()
    }
}

/// What of a workload stands before its jobs: how many there are, names, what is recorded, what is counted, and of
/// which time.
type Names = (
    u32,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Recorded,
    (Resource, Option<f64>),
);

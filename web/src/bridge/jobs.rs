//! The jobs of a trace as they travel, beside a message: bytes that the opener writes once, the page
//! reads once, and hands on as they are to each worker that needs them. They are written, sent and read in pieces,
//! each behind its size: a program's memory never shrinks, so that a copy of millions of jobs, or room that has
//! doubled once too often, would stay for as long as the page does.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use switchyard::workload::Workload;
use switchyard_parcels::{self as parcels, PackingError};
use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, FileReaderSync};

/// Bytes of a piece's size.
const SIZE: u32 = parcels::SIZE as u32;

/// Jobs on their way: an array of an `ArrayBuffer` for each piece, which are transferred, or a `Blob`, which is shared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jobs(pub(super) JsValue);

/// Why jobs cannot travel.
#[derive(Debug, Error)]
pub enum JobsError {
    /// They cannot be written, or what has come is none.
    #[error(transparent)]
    Bytes(#[from] PackingError),
    /// The browser has no room for them.
    #[error("The browser has no room for these jobs.")]
    NoRoom,
}

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
    pub fn write(workload: &Workload) -> Result<Self, JobsError> {
        let buffer = |bytes: Vec<u8>| Uint8Array::from(bytes.as_slice()).buffer();
        let pieces = Array::of1(&buffer(parcels::head(workload)?));
        for from in (0..workload.jobs.len()).step_by(parcels::PIECE) {
            pieces.push(&buffer(parcels::piece(workload, from)?));
        }
        Ok(Self(pieces.into()))
    }

    /// Those that were written elsewhere, piece by piece.
    pub fn of_bytes<'a>(pieces: impl IntoIterator<Item = &'a Vec<u8>>) -> Self {
        let pieces = pieces
            .into_iter()
            .map(|piece| Uint8Array::from(piece.as_slice()));
        Self(pieces.map(|piece| piece.buffer()).collect::<Array>().into())
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
    pub fn shared(&self) -> Result<Self, JobsError> {
        let pieces = Array::from_iter(self.parts());
        let blob = Blob::new_with_buffer_source_sequence(&pieces);
        let blob = blob.map_err(|_| JobsError::NoRoom)?;
        Ok(Self(blob.into()))
    }

    /// The jobs. Shared ones are read only in workers; of others each piece is gone once it is read.
    ///
    /// # Errors
    ///
    /// A sentence, if they cannot be read.
    pub fn read(&self) -> Result<Workload, PackingError> {
        let (mut at, mut bytes) = (0, Vec::new());
        self.next_piece(&mut at, &mut bytes)?;
        let mut unpacking = parcels::Unpacking::new(&bytes)?;
        while !unpacking.is_whole() {
            self.next_piece(&mut at, &mut bytes)?;
            unpacking.add(&bytes)?;
        }
        Ok(unpacking.into_workload())
    }

    /// What is in the piece that begins at a byte, which is then the next one's.
    fn next_piece(&self, at: &mut u32, content: &mut Vec<u8>) -> Result<(), PackingError> {
        let mut take = |bytes: &Uint8Array| {
            content.resize(bytes.length() as usize, 0);
            bytes.copy_to(content);
        };
        if let Some(pieces) = self.0.dyn_ref::<Array>() {
            let piece: Option<ArrayBuffer> = pieces.shift().dyn_into().ok();
            let piece = Uint8Array::new(&piece.ok_or(PackingError::Empty)?.into());
            take(&piece.subarray(SIZE, piece.length()));
            return Ok(());
        }
        let bytes = |from, to| {
            let bytes = self.bytes(from, to);
            let whole = bytes.filter(|bytes| bytes.byte_length() == to - from);
            whole.ok_or(PackingError::Empty)
        };
        let begin = at.saturating_add(SIZE);
        let mut size = [0; parcels::SIZE];
        Uint8Array::new(&bytes(*at, begin)?.into()).copy_to(&mut size);
        let end = begin.saturating_add(u32::from_le_bytes(size));
        *at = end;
        take(&Uint8Array::new(&bytes(begin, end)?.into()));
        Ok(())
    }

    /// These bytes, as far as there are so many.
    fn bytes(&self, from: u32, to: u32) -> Option<ArrayBuffer> {
        let blob = self.0.dyn_ref::<Blob>()?;
        let part = blob.slice_with_f64_and_f64(from.into(), to.into()).ok()?;
        let read = FileReaderSync::new().ok()?.read_as_array_buffer(&part);
        read.ok()?.dyn_into().ok()
    }
}

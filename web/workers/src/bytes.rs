//! Messages as frames of bytes, for links between a page and a program that is no worker of its browser.
//!
//! A message is a frame: how many frames are attached to it ([`COUNT`] bytes, least significant first), and the message
//! as postcard writes it. What is attached follows, a frame each. `static/workers.js` does the same in the page.

use crate::link::Attached;
use crate::protocol::Cells;
use serde::Serialize;
use serde::de::DeserializeOwned;
use switchyard::engine::{BadCells, LogRows, RunLog};
use switchyard::workload::Workload;
use switchyard_parcels::{PackingError, head, piece, unpacked};
use thiserror::Error;

/// Bytes of a frame that say how many are attached.
pub const COUNT: usize = 4;

/// Frames that may be attached to a message: jobs, and files of weights.
pub const MOST_ATTACHED: u32 = 8;

/// Why a frame is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// It is too short, or says that more is attached than may be.
    #[error("this is no message")]
    Head,
    /// Its bytes are none of a message.
    #[error("cannot read a message: {0}")]
    Message(#[from] postcard::Error),
}

/// A message as a frame, to which so many are attached.
///
/// # Errors
///
/// It cannot be written.
pub fn framed(message: &impl Serialize, attached: u32) -> Result<Vec<u8>, FrameError> {
    let count = attached.to_le_bytes().to_vec();
    Ok(postcard::to_extend(message, count)?)
}

/// How many frames are attached to a message.
///
/// # Errors
///
/// [`FrameError::Head`].
pub fn attached_to(frame: &[u8]) -> Result<u32, FrameError> {
    let count = frame.first_chunk().map(|count| u32::from_le_bytes(*count));
    let count = count.filter(|count| *count <= MOST_ATTACHED);
    count.ok_or(FrameError::Head)
}

/// The message in a frame.
///
/// # Errors
///
/// There is none.
pub fn message_in<T: DeserializeOwned>(frame: &[u8]) -> Result<T, FrameError> {
    let message = frame.get(COUNT..).ok_or(FrameError::Head)?;
    Ok(postcard::from_bytes(message)?)
}

/// Jobs, as they are attached.
///
/// # Errors
///
/// They cannot be written.
pub fn jobs_of(workload: &Workload) -> Result<Vec<u8>, PackingError> {
    let mut bytes = head(workload)?;
    for from in (0..workload.jobs.len()).step_by(switchyard_parcels::PIECE) {
        bytes.append(&mut piece(workload, from)?);
    }
    Ok(bytes)
}

/// What was attached to a message.
#[derive(Debug)]
pub struct Attachments<B>(std::vec::IntoIter<B>);

impl<B> From<Vec<B>> for Attachments<B> {
    fn from(frames: Vec<B>) -> Self {
        Self(frames.into_iter())
    }
}

impl<B: AsRef<[u8]>> Attached for Attachments<B> {
    fn jobs(&mut self) -> Result<Workload, PackingError> {
        let jobs = self.0.next().ok_or(PackingError::Empty)?;
        unpacked(jobs.as_ref())
    }

    fn next_file(&mut self) -> Option<Vec<u8>> {
        self.0.next().map(|file| file.as_ref().to_vec())
    }
}

impl Cells for Vec<u8> {
    fn of(piece: &switchyard::engine::LogPiece<'_>) -> Self {
        let mut cells = Self::with_capacity(piece.rows().bytes() as usize);
        piece.columns().for_each(|column| cells.extend(column));
        cells
    }

    fn append_to(&self, rows: LogRows, log: &mut RunLog) -> Result<(), BadCells> {
        if self.len() as u64 != rows.bytes() {
            return Err(BadCells);
        }
        let mut rest = &self[..];
        log.append_cells(rows, |column| {
            let (cells, after) = rest.split_at(column.len());
            column.copy_from_slice(cells);
            rest = after;
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::RunRequest;

    #[test]
    fn a_frame_says_what_is_attached_and_what_is_meant() {
        let taken = RunRequest::Taken {
            pieces: 300,
            room: Some(7),
        };
        let frame = framed(&taken, 2).expect("bytes");
        assert_eq!(attached_to(&frame), Ok(2));
        let read = message_in::<RunRequest>(&frame).expect("a message");
        assert!(matches!(
            read,
            RunRequest::Taken {
                pieces: 300,
                room: Some(7)
            }
        ));
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for frame in [&[][..], &[1, 0, 0], &[255, 255, 255, 255, 0]] {
            assert_eq!(attached_to(frame), Err(FrameError::Head));
        }
        let read = message_in::<RunRequest>(&[0, 0, 0, 0, 99]);
        assert!(matches!(read, Err(FrameError::Message(_))));
        assert!(matches!(message_in::<u8>(&[0]), Err(FrameError::Head)));
    }

    #[test]
    fn cells_that_are_too_few_are_refused() {
        let mut log = RunLog::default();
        let cells = vec![0; 3];
        assert_eq!(cells.append_to(LogRows::default(), &mut log), Err(BadCells));
    }
}

//! The cells of a piece of a run's log, as they travel between page and worker: column by column, in one buffer. So
//! they are copied once in the worker and once in the page.

use js_sys::{ArrayBuffer, Uint8Array};
use switchyard::engine::{BadCells, LogPiece, LogRows, RunLog};
use switchyard_workers::protocol::Cells;
use wasm_bindgen::{JsCast, JsValue};

/// Cells in an `ArrayBuffer`, which is attached; nothing if they have not come along.
#[derive(Clone, Debug, Default)]
pub struct BufferCells(pub(crate) JsValue);

impl Cells for BufferCells {
    fn of(piece: &LogPiece<'_>) -> Self {
        let cells = Uint8Array::new_with_length(piece.rows().bytes() as u32);
        let mut at = 0;
        for column in piece.columns() {
            let end = at + column.len() as u32;
            cells.subarray(at, end).copy_from(column);
            at = end;
        }
        Self(cells.buffer().into())
    }

    fn append_to(&self, rows: LogRows, log: &mut RunLog) -> Result<(), BadCells> {
        let cells = self.0.dyn_ref::<ArrayBuffer>().ok_or(BadCells)?;
        let cells = Uint8Array::new(cells);
        if u64::from(cells.length()) != rows.bytes() {
            return Err(BadCells);
        }
        let mut at = 0;
        log.append_cells(rows, |column| {
            let end = at + column.len() as u32;
            cells.subarray(at, end).copy_to(column);
            at = end;
        })
    }
}

impl From<&[u8]> for BufferCells {
    fn from(cells: &[u8]) -> Self {
        Self(Uint8Array::from(cells).buffer().into())
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::*;
    use switchyard::RunSpec;
    use switchyard::workload::Sample;
    use switchyard_workers::protocol::LogPiece;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_log_that_comes_in_pieces_is_the_log() {
        let sample = Sample::named("lab").expect("a sample");
        let spec = RunSpec::new(
            "tiresias-las".parse().expect("a policy"),
            sample.cluster_spec(),
        );
        let mut simulation = spec.start(sample.workload().into());
        let (mut log, mut more) = (RunLog::default(), true);
        while more {
            for _ in 0..50 {
                more = more && simulation.step().expect("plans are right");
            }
            let piece = LogPiece::<BufferCells>::of(&simulation.log().since(log.rows()));
            assert_eq!(piece.append_to(&mut log), Ok(()));
            assert_eq!(&log, simulation.log());
        }
        assert!(log.segments() > sample.workload().jobs.len());
    }

    #[wasm_bindgen_test]
    fn a_piece_without_its_cells_is_refused() {
        let (rows, mut log) = (LogRows::default(), RunLog::default());
        for cells in [
            JsValue::NULL,
            Uint8Array::new_with_length(1).buffer().into(),
        ] {
            let cells = BufferCells(cells);
            let piece = LogPiece { rows, cells };
            assert_eq!(piece.append_to(&mut log), Err(BadCells));
        }
    }
}

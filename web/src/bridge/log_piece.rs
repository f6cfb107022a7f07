//! A piece of a run's log as it travels: the numbers of its rows in the message, and beside it their cells, column by
//! column, in one buffer. So cells are copied once in the worker and once in the page.

use js_sys::{ArrayBuffer, Uint8Array};
use serde::{Deserialize, Serialize};
use switchyard::engine::{BadCells, LogRows, RunLog};
use wasm_bindgen::{JsCast, JsValue};

/// A piece of a log on its way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LogPiece {
    rows: LogRows,
    /// An `ArrayBuffer`, which is attached.
    #[serde(skip)]
    pub(super) cells: JsValue,
}

impl LogPiece {
    /// A piece of a worker's log.
    pub(crate) fn of(piece: &switchyard::engine::LogPiece<'_>) -> Self {
        let rows = piece.rows();
        let cells = Uint8Array::new_with_length(rows.bytes() as u32);
        let mut at = 0;
        for column in piece.columns() {
            let end = at + column.len() as u32;
            cells.subarray(at, end).copy_from(column);
            at = end;
        }
        Self {
            rows,
            cells: cells.buffer().into(),
        }
    }

    /// These cells.
    pub(crate) fn of_bytes(rows: LogRows, cells: &[u8]) -> Self {
        let cells = Uint8Array::from(cells).buffer().into();
        Self { rows, cells }
    }

    /// Appends it to the page's log.
    ///
    /// # Errors
    ///
    /// Its cells have not come along, or are none of a log's.
    pub(crate) fn append_to(&self, log: &mut RunLog) -> Result<(), BadCells> {
        let cells = self.cells.dyn_ref::<ArrayBuffer>().ok_or(BadCells)?;
        let cells = Uint8Array::new(cells);
        if u64::from(cells.length()) != self.rows.bytes() {
            return Err(BadCells);
        }
        let mut at = 0;
        log.append_cells(self.rows, |column| {
            let end = at + column.len() as u32;
            cells.subarray(at, end).copy_to(column);
            at = end;
        })
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::*;
    use switchyard::RunSpec;
    use switchyard::workload::Sample;
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
            let piece = LogPiece::of(&simulation.log().since(log.rows()));
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
            let piece = LogPiece { rows, cells };
            assert_eq!(piece.append_to(&mut log), Err(BadCells));
        }
    }
}

//! Synergy's traces: no header, jobs as numbers of iterations.
//!
//! Five columns: id, model, **arrival** in seconds, **iterations**, **GPUs**. Synergy's simulator
//! takes an iteration for a second, and so does this.
//!
//! Source: <https://github.com/msr-fiddle/synergy>.

use super::Format;
use crate::trace::columns::{Clock, Columns, Span};
use crate::trace::detect::{Column, Evidence};
use crate::trace::rows::number;
use crate::trace::timestamp::Unit;

pub(super) const FORMAT: Format = Format {
    id: "synergy",
    title: "Synergy",
    recognise: |sniff| {
        let job = |row: &Vec<String>| {
            let numbers = row.iter().map(|cell| number(cell).is_some());
            numbers.eq([true, false, true, true, true])
        };
        let jobs = sniff.headerless().is_some() && sniff.preview.iter().all(job);
        jobs.then(|| Evidence {
            weight: 5,
            text: "5 columns without a header, numbers but for the second, a model".to_owned(),
        })
    },
    importer: |sniff, _| {
        let span = Span::Column(Column::numbered(4), Unit::Seconds);
        let clock = Clock::Relative(Unit::Seconds);
        let mut columns =
            Columns::new(sniff, Column::numbered(3), clock, span, Column::numbered(5));
        columns.id = Some(Column::numbered(1));
        columns.model = Some(Column::numbered(2));
        columns.units = "Arrivals are seconds; an iteration is taken for a second, as Synergy's simulator does.".to_owned();
        Ok(Box::new(columns))
    },
};

#[cfg(test)]
mod tests {
    use crate::trace::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/synergy.csv");

    #[test]
    fn fixture() {
        let trace = trace("synergy.csv", FILE);
        assert_eq!(trace.format, "synergy");
        assert_eq!(
            records(&trace),
            [
                "1 0 0.5 3000 4 - alexnet Unknown",
                "2 1 2 600 1 - gnmt Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_zero 1 3 column 4 is '0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}

//! Synergy's traces: no header, jobs as numbers of iterations.
//!
//! Five columns: id, model, **arrival** in seconds, **iterations**, **GPUs**. Synergy's simulator
//! takes an iteration for a second, and so does this. Five such columns can be anything, so the
//! models must be Synergy's.
//!
//! Source: <https://github.com/msr-fiddle/synergy>.

use crate::columns::{Clock, Columns, Span};
use crate::format::Format;
use crate::rows::number;
use crate::sniff::{Column, Evidence};
use crate::timestamp::TimeUnit;

/// The models of Synergy's simulator, `jobs/model_zoo.py`.
const MODELS: [&str; 13] = [
    "alexnet",
    "bert",
    "deepspeech",
    "gnmt",
    "lstm",
    "m5",
    "mobilenet",
    "res18",
    "res50",
    "shufflenet",
    "ssd",
    "transformer",
    "vae",
];

pub(super) const FORMAT: Format = Format {
    id: "synergy",
    title: "Synergy",
    accounting: false,
    recognise: |sniff| {
        let job = |row: &Vec<String>| {
            let numbers = row.iter().map(|cell| number(cell).is_some());
            let model = row
                .get(1)
                .is_some_and(|name| MODELS.contains(&name.as_str()));
            numbers.eq([true, false, true, true, true]) && model
        };
        let jobs = sniff.headerless().is_some() && sniff.preview.iter().all(job);
        jobs.then(|| Evidence {
            weight: 5,
            text: "5 columns without a header, numbers but for the second, a model of Synergy's"
                .to_owned(),
        })
    },
    importer: |sniff, _| {
        let span = Span::Column(Column::numbered(4), TimeUnit::Seconds);
        let clock = Clock::Relative(TimeUnit::Seconds);
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
    use crate::testing::{dropped, records, trace, try_open, warnings};

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

    #[test]
    fn five_columns_of_something_else() {
        let error = try_open("sales.csv", b"1,pencils,0.5,3000,4\n2,pens,2,600,1\n");
        let error = error.unwrap_err();
        assert!(error.table().is_some(), "{error}");
    }
}

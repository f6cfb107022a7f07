//! Shockwave's traces: Gavel's columns with a duration and the way the batch size changes.
//!
//! Tabs, no header, 12 columns: type, command, directory, the steps' flag, whether data are
//! needed, steps, **GPUs**, mode (static, accordion or gns), priority, SLO, **duration**,
//! **arrival**; times in seconds. A mode other than static stands behind the name of the model:
//! `LM (batch size 10), gns`.
//!
//! The duration is the time of all steps with the first batch size. Jobs take as long as that says, though those whose
//! batch size grows take less in the authors' simulator (`switchyard paper shockwave`): when a job changes its batch size is
//! what policies know of it, and its epochs are stretched so that they take this duration together.
//!
//! Source: <https://github.com/uw-mad-dash/shockwave>.

use super::gavel;
use crate::columns::{Clock, Columns, Span};
use crate::format::Format;
use crate::sniff::{Column, Evidence};
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "shockwave",
    title: "Shockwave",
    accounting: false,
    recognise: |sniff| {
        let mode = sniff.headerless().and_then(|row| row.get(7));
        let known =
            mode.is_some_and(|mode| ["static", "accordion", "gns"].contains(&mode.as_str()));
        (known && gavel::is_jobs(sniff, 12)).then(|| Evidence {
            weight: 12,
            text: "12 columns without a header, the eighth static, accordion or gns".to_owned(),
        })
    },
    importer: |sniff, _| {
        let span = Span::Column(Column::numbered(11), TimeUnit::Seconds);
        let clock = Clock::Relative(TimeUnit::Seconds);
        let mut columns = Columns::new(
            sniff,
            Column::numbered(12),
            clock,
            span,
            Column::numbered(7),
        );
        columns.model = Some(Column::numbered(1));
        columns.mode = Some(Column::numbered(8));
        columns.units = "Arrival and duration are seconds, as this format defines them; behind a model stands how its batch size changes.".to_owned();
        Ok(Box::new(columns))
    },
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/shockwave.trace");

    #[test]
    fn fixture() {
        let trace = trace("shockwave.trace", FILE);
        assert_eq!(trace.format, "shockwave");
        assert_eq!(
            records(&trace),
            [
                "1 1 0 1400 1 - LM (batch size 10), gns Unknown",
                "2 2 55 3300 4 - ResNet-18 (batch size 32), accordion Unknown",
            ]
        );
        assert_eq!(
            dropped(&trace),
            ["duration_negative 1 3 column 11 is '-1'",]
        );
        assert_eq!(warnings(&trace), [""; 0]);
    }
}

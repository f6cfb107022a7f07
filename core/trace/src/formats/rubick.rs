//! Rubick's traces: jobs with an execution plan and a service level.
//!
//! Recognised by `exec_plan` and `is_sla`; the other columns go by their names, times are seconds.
//! Neither plans nor service levels are replayed.
//!
//! Source: <https://github.com/AlibabaPAI/reconfigurable-dl-scheduler>.

use super::generic_csv::Generic;
use crate::format::Format;

pub(super) const FORMAT: Format = Format {
    id: "rubick",
    title: "Rubick",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&["exec_plan", "is_sla"]),
    importer: |sniff, _| Ok(Box::new(Generic::in_seconds(sniff)?)),
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/rubick.csv");

    #[test]
    fn fixture() {
        let trace = trace("rubick.csv", FILE);
        assert_eq!(trace.format, "rubick");
        assert_eq!(
            records(&trace),
            [
                "2 r1 0 600 8 - gpt2 Unknown",
                "3 r2 30 1200 4 - bert Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_missing 1 4 duration is empty",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}

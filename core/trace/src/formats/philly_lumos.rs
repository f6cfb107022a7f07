//! Microsoft Philly as cut down by DIR-LAB's Lumos: one row per attempt.
//!
//! An index without name, `run_time,wait_time,submit_time,gpu_num`; submissions are Unix seconds,
//! durations seconds. The attempts of a job share its submission and are jobs of their own here,
//! because nothing tells which belong together.
//!
//! Source: <https://github.com/DIR-LAB/lumos>; the data are Philly's,
//! <https://github.com/msr-fiddle/philly-traces>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;

pub(super) const FORMAT: Format = Format {
    id: "philly-lumos",
    title: "Microsoft Philly (Lumos' cut)",
    accounting: false,
    recognise: |sniff| sniff.with_exactly(&["run_time", "wait_time", "submit_time", "gpu_num"]),
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    submit: "submit_time",
    clock: Clock::Unix,
    duration: "run_time",
    wait: "wait_time",
    gpus: "gpu_num",
    units: "Submissions are Unix seconds, durations seconds; a row is an attempt.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/philly_lumos.csv");

    #[test]
    fn fixture() {
        let trace = trace("philly_lumos.csv", FILE);
        assert_eq!(trace.format, "philly-lumos");
        assert_eq!(
            records(&trace),
            [
                "2 2 1502114581 86400 1 - - Unknown",
                "3 3 1502509727 14405 8 - - Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_zero 1 4 run_time is '0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}

//! SenseTime Helios, converted for simulators: GPU jobs only, cut off at 48 hours.
//!
//! `job_id,arrival_s,service_sec,gpu_count`; times in seconds since the trace's start. Whoever
//! converted it set longer services to exactly 172,800 s, which the report tells.

use crate::columns::{Clock, Columns, Plain};
use crate::format::{Format, Importer};
use crate::report::WarningKind;
use crate::rows::Row;
use crate::sink::Sink;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "helios-converted",
    title: "SenseTime Helios (converted)",
    accounting: false,
    recognise: |sniff| sniff.with_exactly(&["job_id", "arrival_s", "service_sec", "gpu_count"]),
    importer: |sniff, _| {
        Ok(Box::new(Converted {
            columns: Columns::plain(sniff, &PLAIN)?,
            clamped: 0,
            line: 0,
            longer: false,
        }))
    },
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "arrival_s",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "service_sec",
    duration_unit: TimeUnit::Seconds,
    gpus: "gpu_count",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
    ..Plain::NONE
};

/// 48 hours in seconds.
const CLAMP: f64 = 172_800.0;

struct Converted {
    columns: Columns,
    /// Jobs of exactly that length, the line of the first, and whether any is longer.
    clamped: u32,
    line: u32,
    longer: bool,
}

impl Importer for Converted {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let before = sink.records.len();
        self.columns.row(row, sink);
        if let Some(record) = sink.records.get(before)
            && record.duration >= CLAMP
        {
            self.longer |= record.duration > CLAMP;
            if self.clamped == 0 {
                self.line = record.line;
            }
            self.clamped += 1;
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        self.columns.finish(sink);
        if !self.longer {
            let detail = || "service_sec is 172800".to_owned();
            let kind = WarningKind::Clamped;
            sink.tally.warn(kind, self.clamped, self.line, &detail);
        }
    }

    fn units(&self) -> String {
        self.columns.units()
    }

    fn named(&self) -> bool {
        self.columns.named()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/helios_converted.csv");

    #[test]
    fn fixture_tells_of_the_clamp() {
        let trace = trace("helios_converted.csv", FILE);
        assert_eq!(trace.format, "helios-converted");
        assert_eq!(
            records(&trace),
            [
                "2 100#0 0 172800 32 - - Unknown",
                "3 101#1 650000 204.5 8 - - Unknown",
            ]
        );
        assert_eq!(warnings(&trace), ["clamped 1 2 service_sec is 172800"]);
    }

    #[test]
    fn longer_services_are_not_clamped() {
        let text = b"job_id,arrival_s,service_sec,gpu_count\n1,0,172800,1\n2,0,172801,1\n";
        let trace = trace("longer.csv", text);
        assert_eq!(warnings(&trace), ["same_submit 2 2 all at 0"]);
    }
}

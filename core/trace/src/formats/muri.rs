//! Muri's traces: Tiresias' columns and more, but in **milliseconds**.
//!
//! `job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,`
//! `resource_time_0,resource_time_1,resource_time_2,priority`. Submissions reach 8.6 × 10⁹ ms:
//! only the header tells the unit. Of priorities 0 goes before 1 there; here the higher goes first, so they are read
//! as 0 and -1.
//!
//! Source: <https://github.com/Rivendile/Muri>.

use super::tiresias;
use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::sniff::Evidence;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "muri",
    title: "Muri",
    accounting: false,
    recognise: |sniff| {
        let more = sniff.with_columns(&["iteration_time", "resource_time_0"])?;
        let tiresias = sniff.with_columns(&tiresias::COLUMNS)?;
        Some(Evidence {
            weight: tiresias.weight + more.weight,
            text: format!("{} as well as Tiresias' own", more.text),
        })
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Relative(TimeUnit::Milliseconds),
    duration: "duration",
    duration_unit: TimeUnit::Milliseconds,
    gpus: "num_gpu",
    model: "model_name",
    least_priority_first: true,
    units: "Submission and duration are milliseconds, as this format defines them, and were divided by 1000. Of priorities 1 comes behind 0, and was read as -1.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::Finite;
    use crate::testing::{records, trace};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/muri.csv");

    #[test]
    fn fixture_is_in_milliseconds() {
        let trace = trace("muri.csv", FILE);
        assert_eq!(trace.format, "muri");
        assert_eq!(
            records(&trace),
            [
                "2 0 0 5000 8 - gpt2 Unknown",
                "3 1 8600000.5 280.001 16 - vgg16 Unknown",
            ]
        );
        let priorities = trace.records.iter().map(|of| of.priority.map(Finite::get));
        let priorities: Vec<Option<f64>> = priorities.collect();
        assert_eq!(priorities, [Some(0.0), Some(-1.0)], "the higher goes first");
        assert_eq!(
            trace.report.units,
            "Submission and duration are milliseconds, as this format defines them, and were divided by 1000. Of priorities 1 comes behind 0, and was read as -1."
        );
    }
}

//! Alibaba's GPU trace of 2023 (`openb_pod_list_*`): pods that share GPUs.
//!
//! `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,`
//! `deletion_time,scheduled_time`; times in seconds since the trace's start. A pod ran from
//! scheduled to deletion. Where `num_gpu` is 1, `gpu_milli` thousandths of it were asked for.
//! `gpu_spec` names the GPU models that will do, joined by `|`.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2023`.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "alibaba-v2023",
    title: "Alibaba GPU v2023",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&[
            "name",
            "cpu_milli",
            "memory_mib",
            "num_gpu",
            "gpu_milli",
            "creation_time",
            "deletion_time",
            "scheduled_time",
        ])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "name",
    submit: "creation_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    start: "scheduled_time",
    end: "deletion_time",
    duration: "duration",
    gpus: "num_gpu",
    milli: "gpu_milli",
    status: "pod_phase",
    types: "gpu_spec",
    cores: ("cpu_milli", 1e-3),
    memory: ("memory_mib", 1.0 / 1024.0),
    units: "Times are seconds since the trace's start; the duration is deletion_time − scheduled_time; gpu_milli are thousandths of a shared GPU.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::job::TypeSet;
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/alibaba_v2023.csv");

    #[test]
    fn fixture() {
        let trace = trace("alibaba_v2023.csv", FILE);
        assert_eq!(trace.format, "alibaba-v2023");
        assert_eq!(
            records(&trace),
            [
                "2 pod-0 0 590 1 - - Completed",
                "3 pod-1 20 3600 8 - - Running",
            ]
        );
        assert_eq!(trace.gpu_types, ["v100-16", "v100-32"]);
        let demands: Vec<_> = trace.records.iter().map(|r| r.demand).collect();
        assert_eq!(demands[0].types, TypeSet::ANY);
        assert_eq!((demands[0].cores, demands[0].memory), (12_000, 16_384));
        assert_eq!(demands[1].types, TypeSet::ANY.with(0).with(1));
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 4 num_gpu is '0'",
                "duration_missing 1 5 scheduled_time is empty",
            ]
        );
        assert_eq!(
            warnings(&trace),
            [
                "censored 1 3 had not ended",
                "fractional_gpus 1 2 0.46 GPUs",
                "gpu_types 1 3 V100M16|V100M32",
            ]
        );
    }
}

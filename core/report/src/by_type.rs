//! A run by GPU type.

use super::Outcomes;
use crate::cluster::{ClusterSpec, TypeId};
use crate::order;
use crate::sim::RunLog;
use serde::Serialize;

/// What jobs did on GPUs of one type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TypeFigures {
    /// The type; "" for GPUs of which none is said.
    pub gpu_type: String,
    /// GPUs that there are.
    pub gpus: u32,
    /// GPU-hours that jobs held on them.
    pub executed_gpu_hours: f64,
    /// Mean share of them that jobs held, first submission to last finish.
    pub gpu_allocation: f64,
    /// Finished jobs that held more GPU-hours on them than on any other type.
    pub jobs: u32,
    /// Mean JCT of those, seconds; NaN without any.
    pub jct_mean: f64,
    /// Mean waiting of those over their whole life, seconds; NaN without any.
    pub queueing_mean: f64,
    /// JCT of each of those, seconds.
    #[serde(skip)]
    pub jct: Vec<f64>,
}

/// By type, in the order in which the cluster names them; nothing of a cluster that says none.
pub fn by_gpu_type(cluster: &ClusterSpec, log: &RunLog, outcomes: &Outcomes) -> Vec<TypeFigures> {
    if cluster.types().is_empty() {
        return Vec::new();
    }
    let types = cluster.types().len();
    let of_node: Vec<usize> = cluster
        .kinds_per_node()
        .map(|kind| kind.gpu.map_or(types, TypeId::index))
        .collect();
    let mut figures: Vec<TypeFigures> = (0..=types)
        .map(|at| {
            let id = (at < types).then_some(TypeId(at as u8));
            TypeFigures {
                gpu_type: id.map_or("", |id| cluster.type_name(id)).to_owned(),
                gpus: cluster.gpus_of(id),
                ..TypeFigures::default()
            }
        })
        .collect();
    let begin = log.event_times().first().copied().unwrap_or(0.0);
    let end = log.event_times().last().copied().unwrap_or(0.0);
    let mut held = vec![0.0; outcomes.jct.len() * (types + 1)];
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        let seconds = segment.end.seconds().min(end) - segment.start.seconds();
        for gpus in segment.gpus {
            let of = of_node.get(gpus.node as usize).copied().unwrap_or(types);
            let all = f64::from(gpus.count()) * segment.part() * seconds;
            figures[of].executed_gpu_hours += all / 3600.0;
            held[segment.job.index() * (types + 1) + of] += all;
        }
    }
    let of_jobs = outcomes.jct.iter().zip(&outcomes.queueing);
    for (held, (jct, queueing)) in held.chunks(types + 1).zip(of_jobs) {
        let most = (0..=types)
            .rev()
            .max_by(|&a, &b| order::by_value(&held[a], &held[b]));
        // Who ran on cores alone is of none.
        let most = most.filter(|&most| held[most] > 0.0);
        if let (Some(most), false) = (most, jct.is_nan()) {
            figures[most].jct.push(*jct);
            figures[most].queueing_mean += queueing;
        }
    }
    for of in &mut figures {
        let jobs = of.jct.len() as f64;
        of.jobs = of.jct.len() as u32;
        of.jct_mean = of.jct.iter().sum::<f64>() / jobs;
        of.queueing_mean /= jobs;
        let there_are = f64::from(of.gpus) * (end - begin) / 3600.0;
        if there_are > 0.0 {
            of.gpu_allocation = of.executed_gpu_hours / there_are;
        }
    }
    figures.retain(|figures| figures.gpus > 0);
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Sample;
    use crate::{RunSpec, Summary};
    use std::sync::Arc;

    #[test]
    fn every_gpu_hour_and_every_job_is_of_one_type() {
        let workload = Arc::new(Sample::named("lab").expect("a sample").workload());
        let cluster: ClusterSpec = "6x4:t4+4x4:v100+2x4".parse().expect("a cluster");
        let spec = RunSpec::new("srtf".parse().expect("a policy"), cluster.clone());
        let mut run = spec.start(Arc::clone(&workload));
        run.run().expect("possible plans");
        let log = run.into_log();
        let outcomes = Outcomes::of(&workload, &cluster, &log);
        let figures = by_gpu_type(&cluster, &log, &outcomes);
        let names: Vec<&str> = figures.iter().map(|of| &*of.gpu_type).collect();
        assert_eq!(names, ["t4", "v100", ""]);
        let hours: f64 = figures.iter().map(|of| of.executed_gpu_hours).sum();
        let service: f64 = outcomes.service.iter().sum();
        assert!((hours * 3600.0 / service - 1.0).abs() < 1e-9);
        let summary = Summary::of_outcomes(&outcomes, &cluster, &log);
        let all = |of: fn(&TypeFigures) -> f64| figures.iter().map(of).sum::<f64>();
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} and {b}");
        close(
            all(|of| of.gpu_allocation * f64::from(of.gpus)),
            summary.gpu_allocation * f64::from(cluster.gpus()),
        );
        let finished = f64::from(summary.finished);
        assert_eq!(all(|of| f64::from(of.jobs)), finished);
        let mean = |of: fn(&TypeFigures) -> f64| {
            let each = figures.iter().map(|one| of(one) * f64::from(one.jobs));
            each.sum::<f64>() / finished
        };
        close(mean(|of| of.jct_mean), summary.jct.mean);
        close(mean(|of| of.queueing_mean), summary.queueing.mean);
        let plain = "12x4".parse().expect("a cluster");
        assert_eq!(by_gpu_type(&plain, &log, &outcomes), []);
    }
}

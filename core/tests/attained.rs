//! Attained service is one thing, whoever asks: the results of a run, any time of its log, and the
//! policy; also of jobs that run on other numbers of GPUs than they asked for.

mod registered;

use registered::log_of;
use std::sync::Arc;
use switchyard::Time;
use switchyard::engine::{Attained, Measure};
use switchyard::report::Outcomes;
use switchyard::workload::{ApplicationSettings, Sample};

#[test]
fn adaptive_jobs_are_charged_for_what_they_held() {
    let sample = Sample::named("lab").expect("a sample");
    let mut bound = ApplicationSettings::default()
        .bind(sample.workload())
        .expect("the paper's rule");
    bound.jobs.truncate(8);
    let workload = Arc::new(bound);
    let cluster = sample.cluster_spec();
    for policy in ["pollux[population=8,generations=6]", "las"] {
        let log = log_of(policy, &workload, &cluster);
        let mut segments_of = vec![Vec::new(); workload.jobs.len()];
        let mut attained = Attained::default();
        for i in 0..log.segments() {
            let segments: &mut Vec<u32> = &mut segments_of[log.segment(i).job.index()];
            attained.add_segment(&log, segments.last().copied());
            segments.push(i as u32);
        }
        let outcomes = Outcomes::of(&workload, &cluster, &log);
        let mut others = 0;
        for (j, segments) in segments_of.iter().enumerate() {
            let held = attained.held(&log, segments, Time::NEVER);
            assert_eq!(held.service(), outcomes.service[j]);
            let stays = segments.iter().map(|&i| log.segment(i as usize));
            let by_hand: f64 = stays
                .map(|stay| (stay.end - stay.start) * f64::from(stay.gpu_count()))
                .sum();
            assert!((held.service() - by_hand).abs() < 1e-9 * by_hand, "job {j}");
            let as_asked = Measure::Service.of(held.seconds(), workload.jobs[j].gpus);
            others += u32::from((as_asked - by_hand).abs() > 1.0);
        }
        // Only Pollux gives other numbers of GPUs.
        assert_eq!(others > 0, policy != "las", "{policy}: {others}");
    }
}

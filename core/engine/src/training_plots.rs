//! How an adaptive job has trained so far: efficiency, gradient noise scale, batch size, GPUs and
//! learning-rate gain over the time since its submission.
//!
//! GPUs and batches are the log's. Statistics are the true ones of the job's application at the
//! batch it had (Pollux, OSDI'21, eq. 5–6; an agent's own view is in its policy's plots). The log
//! does not hold the ends of epochs: between two of its rows the batch and the placement stay, so an
//! epoch takes time in proportion to its progress over the gain of a step. Interference is taken to
//! be spread evenly over such a stretch. While a job waits, it keeps what it had last.

use super::log::{RunLog, Tuning};
use crate::Time;
use crate::application::Application;
use crate::goodput::{GradientStats, LearningRateRule};
use crate::job::JobId;
use switchyard_explain::{Plot, PlotLine};

/// A line of more than twice as many points is thinned out: the first and last of each part stay.
const PARTS: usize = 100;

/// Training with one batch within one epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    from: Time,
    /// When it ended, if only by a wait.
    to: Time,
    epoch: u32,
    /// Epochs complete at both ends, with the part of the present one.
    epochs: (f64, f64),
    /// Total, samples.
    batch: f64,
}

/// The plots of a job from its submission until now, or its end, when `reached` epochs are complete.
/// None before its first start.
pub(super) fn training_plots(
    log: &RunLog,
    job: JobId,
    (submit, until): (Time, Time),
    reached: f64,
    application: &Application,
) -> Vec<Plot> {
    let spans = spans(log, job, until, reached, application);
    if spans.is_empty() {
        return Vec::new();
    }
    let stats = |span: &Span| application.stats(span.batch, span.epoch);
    let scale = |span: &Span| application.limits.scale(span.batch);
    let level = |value: f64| (value, value);
    let curve = |value: &dyn Fn(&Span) -> (f64, f64)| over_time(&spans, submit, until, value);
    let gain = |span: &Span, stats: &GradientStats, epochs| {
        application.rule.factor(stats, scale(span), epochs)
    };
    [
        (
            "Efficiency over training",
            "progress of a sample, relative to M0",
            curve(&|span| level(stats(span).efficiency(scale(span)))),
        ),
        (
            "Gradient noise scale over training",
            "φ, samples",
            curve(&|span| level(stats(span).noise_scale(application.limits.m0))),
        ),
        (
            "Batch size over training",
            "total batch, samples",
            curve(&|span| level(span.batch)),
        ),
        ("GPUs over training", "GPUs", gpus(log, job, submit, until)),
        (
            "Learning-rate gain over training",
            "× the learning rate at M0",
            curve(&|span| {
                let stats = stats(span);
                let (from, to) = span.epochs;
                (gain(span, &stats, from), gain(span, &stats, to))
            }),
        ),
    ]
    .into_iter()
    .filter(|(.., points)| !points.is_empty())
    .map(|(title, y, points)| Plot {
        title: title.to_owned(),
        x: "time since submission, s".to_owned(),
        y: y.to_owned(),
        lines: vec![PlotLine {
            name: String::new(),
            points: thinned(points),
            dots: false,
        }],
        marks: Vec::new(),
        job_at: None,
    })
    .collect()
}

/// The job's training in order of time; `reached` are the epochs complete at `until`.
fn spans(
    log: &RunLog,
    job: JobId,
    until: Time,
    reached: f64,
    application: &Application,
) -> Vec<Span> {
    let is_own = |tuning: &Tuning| log.segment(tuning.segment as usize).job == job;
    let all = (0..log.tunings()).map(|i| log.tuning(i));
    let tunings: Vec<Tuning> = all.filter(is_own).collect();
    let mut spans = Vec::new();
    for (i, tuning) in tunings.iter().enumerate() {
        let segment = log.segment(tuning.segment as usize);
        let next = tunings.get(i + 1);
        if next.is_some_and(|next| next.time <= tuning.time) {
            continue;
        }
        let end = match next {
            Some(next) if next.segment == tuning.segment => next.time,
            _ => segment.end.min(until),
        };
        let batch = tuning.batch().total(segment.gpu_count());
        let epochs = (tuning.epochs, next.map_or(reached, |next| next.epochs));
        let first = spans.len();
        spread(
            (tuning.time.max(segment.ready).min(end), end),
            epochs,
            batch,
            application,
            &mut spans,
        );
        if let Some(first) = spans.get_mut(first) {
            first.from = tuning.time;
        }
    }
    spans
}

/// Divides a stretch of time, in which as many epochs passed, at the ends of epochs, and at the end
/// of a warm-up, where the learning rate's curve has a corner.
fn spread(
    (from, to): (Time, Time),
    epochs: (f64, f64),
    batch: f64,
    application: &Application,
    spans: &mut Vec<Span>,
) {
    let scale = application.limits.scale(batch);
    let corner = match application.rule {
        LearningRateRule::Legw { warmup_epochs } => warmup_epochs * scale,
        _ => 0.0,
    };
    let epoch_at = |epochs: f64| (epochs as u32).min(application.epochs().saturating_sub(1));
    let first = spans.len();
    let mut at = epochs.0;
    let mut cost = 0.0;
    while at < epochs.1 {
        let epoch = epoch_at(at);
        let mut end = libm::floor(at) + 1.0;
        for stop in [epochs.1, corner] {
            if at < stop && stop < end {
                end = stop;
            }
        }
        let progress = application.progress_after(epoch + 1) - application.progress_after(epoch);
        cost += (end - at) * progress / application.stats(batch, epoch).gain(scale);
        spans.push(Span {
            from,
            // For now, what the stretch has cost until then.
            to: Time(cost),
            epoch,
            epochs: (at, end),
            batch,
        });
        at = end;
    }
    if cost <= 0.0 {
        spans.truncate(first);
        let epoch = epoch_at(epochs.0);
        spans.push(Span {
            from,
            to,
            epoch,
            epochs: (epochs.0, epochs.0),
            batch,
        });
        return;
    }
    let mut before = from;
    for span in &mut spans[first..] {
        let share = span.to.seconds() / cost;
        span.from = before;
        span.to = from + (to - from) * share;
        before = span.to;
    }
}

/// A quantity over time: its values at both ends of each span, the last one held until the next
/// span begins.
fn over_time(
    spans: &[Span],
    submit: Time,
    until: Time,
    value: &dyn Fn(&Span) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (i, span) in spans.iter().enumerate() {
        let (first, last) = value(span);
        let held = spans.get(i + 1).map_or(until, |next| next.from);
        push(&mut points, span.from - submit, first);
        push(&mut points, span.to - submit, last);
        push(&mut points, held - submit, last);
    }
    points
}

/// GPUs held over time, from submission on.
fn gpus(log: &RunLog, job: JobId, submit: Time, until: Time) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut end = submit;
    let all = (0..log.segments()).map(|i| log.segment(i));
    for segment in all.filter(|segment| segment.job == job) {
        if end < segment.start {
            push(&mut points, end - submit, 0.0);
            push(&mut points, segment.start - submit, 0.0);
        }
        end = segment.end.min(until);
        let held = f64::from(segment.gpu_count());
        push(&mut points, segment.start - submit, held);
        push(&mut points, end - submit, held);
    }
    if end < until {
        push(&mut points, end - submit, 0.0);
        push(&mut points, until - submit, 0.0);
    }
    points
}

/// Adds a point. Of a level only the ends are kept; what is infinite cannot be drawn.
fn push(points: &mut Vec<(f64, f64)>, x: f64, y: f64) {
    if !y.is_finite() {
        return;
    }
    match points.as_mut_slice() {
        [.., last] if *last == (x, y) => {}
        [.., (_, before), last] if *before == y && last.1 == y => last.0 = x,
        _ => points.push((x, y)),
    }
}

/// The same curve by few points: what lies between the first and the last in a part of the x axis
/// is left out.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else {
        return points;
    };
    if points.len() <= 2 * PARTS || last <= first {
        return points;
    }
    let part = |x: f64| (((x - first) / (last - first) * PARTS as f64) as usize).min(PARTS - 1);
    points
        .chunk_by(|a, b| part(a.0) == part(b.0))
        .flat_map(|chunk| match chunk {
            [first, .., last] => vec![*first, *last],
            _ => chunk.to_vec(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Gpus;

    const JOB: JobId = JobId(0);

    /// Two epochs of 100 iterations at M0 = 10; φ is 10 in the first and 30 in the second.
    fn application(rule: &str) -> Application {
        let text = format!(
            r#"{{
                "name": "by-hand",
                "limits": {{ "m0": 10, "max_batch": 40, "min_local": 5, "max_local": 20 }},
                "learning_rate": {rule},
                "epochs": 2,
                "samples_per_epoch": 1000,
                "throughput": {{
                    "alpha_c": 0.0, "beta_c": 0.01, "alpha_n": 0.3, "beta_n": 0.0,
                    "alpha_r": 0.1, "beta_r": 0.0, "gamma": 1.0
                }},
                "noise_scale": [{{ "batch": 10, "phi": [10, 30] }}]
            }}"#
        );
        Application::from_json(&text).expect("a sound definition")
    }

    /// A stay of the job on node 0: from, ready, GPUs, end, and epochs complete at its start.
    fn stay(log: &mut RunLog, times: (f64, f64, Option<f64>), gpus: u32, epochs: f64) {
        let (start, ready, end) = times;
        log.push_gpus(Gpus {
            node: 0,
            mask: (1 << gpus) - 1,
        });
        let segment = log.open_segment(JOB, Time(start), Time(ready));
        log.push_tuning(Tuning {
            time: Time(start),
            segment,
            m: 10,
            s: 0,
            epochs,
        });
        if let Some(end) = end {
            log.close_segment(segment, Time(end));
        }
    }

    /// Submitted at 5 s. A batch of 20 from 10 s on: a step is worth 4/3 in the first epoch, so that
    /// it takes 75 steps, and 8/5 in the second, so that half of it takes 31.25. A step takes a
    /// second here. Then a wait, and from 130 s a batch of 40, of which a restart takes 10 s.
    fn log() -> RunLog {
        let mut log = RunLog::default();
        stay(&mut log, (10.0, 10.0, Some(116.25)), 2, 0.0);
        stay(&mut log, (130.0, 140.0, None), 4, 1.5);
        log
    }

    fn curves(rule: &str) -> Vec<Plot> {
        let between = (Time(5.0), Time(160.0));
        training_plots(&log(), JOB, between, 1.75, &application(rule))
    }

    fn assert_near(plot: &Plot, expected: &[(f64, f64)]) {
        let points = &plot.lines[0].points;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let all = points.iter().zip(expected);
        assert!(
            points.len() == expected.len()
                && all.clone().all(|(a, b)| near(a.0, b.0) && near(a.1, b.1)),
            "{}: {points:?}",
            plot.title
        );
    }

    #[test]
    fn curves_by_hand() {
        let plots = curves(r#""ada-scale""#);
        let [efficiency, noise, batch, gpus, gain] = plots.as_slice() else {
            panic!("{} plots", plots.len());
        };
        // (10 + 10)/(10 + 20), (30 + 10)/(30 + 20) and (30 + 10)/(30 + 40)
        let (first, second, third) = (2.0 / 3.0, 0.8, 4.0 / 7.0);
        let steps = |a: f64, b: f64, c: f64| {
            [
                (5.0, a),
                (80.0, a),
                (80.0, b),
                (125.0, b),
                (125.0, c),
                (155.0, c),
            ]
        };
        assert_near(efficiency, &steps(first, second, third));
        assert_near(gain, &steps(2.0 * first, 2.0 * second, 4.0 * third));
        let phi = [(5.0, 10.0), (80.0, 10.0), (80.0, 30.0), (155.0, 30.0)];
        assert_near(noise, &phi);
        let total = [(5.0, 20.0), (125.0, 20.0), (125.0, 40.0), (155.0, 40.0)];
        assert_near(batch, &total);
        let held = [
            (0.0, 0.0),
            (5.0, 0.0),
            (5.0, 2.0),
            (111.25, 2.0),
            (111.25, 0.0),
            (125.0, 0.0),
            (125.0, 4.0),
            (155.0, 4.0),
        ];
        assert_near(gpus, &held);
    }

    #[test]
    fn a_warm_up_rises_and_then_is_level() {
        let plots = curves(r#"{ "legw": { "warmup_epochs": 0.25 } }"#);
        // Half an epoch at twice M0, in half of 75 s.
        let (two, four) = (libm::sqrt(2.0), 2.0);
        let expected = [
            (5.0, 0.0),
            (42.5, two),
            (125.0, two),
            (125.0, four),
            (155.0, four),
        ];
        assert_near(&plots[4], &expected);
    }

    #[test]
    fn who_has_not_begun_has_no_curves() {
        let between = (Time(5.0), Time(9.0));
        let application = application(r#""linear""#);
        let none = training_plots(&RunLog::default(), JOB, between, 0.0, &application);
        assert!(none.is_empty());
        // At its very start there is a point.
        let mut log = RunLog::default();
        stay(&mut log, (9.0, 9.0, None), 1, 0.0);
        let plots = training_plots(&log, JOB, between, 0.0, &application);
        assert_near(&plots[0], &[(4.0, 1.0)]);
    }

    #[test]
    fn a_change_at_the_moment_of_another_replaces_it() {
        let mut log = log();
        log.push_tuning(Tuning {
            time: Time(130.0),
            segment: 1,
            m: 5,
            s: 1,
            epochs: 1.5,
        });
        log.push_tuning(Tuning {
            time: Time(150.0),
            segment: 1,
            m: 5,
            s: 0,
            epochs: 1.6,
        });
        let between = (Time(5.0), Time(160.0));
        let plots = training_plots(&log, JOB, between, 1.75, &application(r#""linear""#));
        // 4·5·2 = 40 samples, then 20.
        let expected = [
            (5.0, 20.0),
            (125.0, 20.0),
            (125.0, 40.0),
            (145.0, 40.0),
            (145.0, 20.0),
            (155.0, 20.0),
        ];
        assert_near(&plots[2], &expected);
    }

    #[test]
    fn long_curves_are_thinned_out() {
        let points: Vec<(f64, f64)> = (0..5000)
            .map(|i| (f64::from(i), f64::from(i * 7 % 11)))
            .collect();
        let few = thinned(points.clone());
        assert_eq!(few.len(), 2 * PARTS);
        assert_eq!((few.first(), few.last()), (points.first(), points.last()));
        assert!(few.is_sorted_by(|a, b| a.0 < b.0));
        assert!(few.iter().all(|point| points.contains(point)));
        assert_eq!(thinned(points[..200].to_vec()), points[..200]);
    }

    #[test]
    fn only_the_ends_of_a_level_are_kept() {
        let mut points = Vec::new();
        for (x, y) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (2.0, 1.0),
            (2.0, f64::INFINITY),
            (3.0, 4.0),
        ] {
            push(&mut points, x, y);
        }
        assert_eq!(points, [(0.0, 1.0), (2.0, 1.0), (3.0, 4.0)]);
    }
}

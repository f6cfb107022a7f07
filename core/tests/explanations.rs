//! Why a job runs or waits, at any moment of a run.

mod jobs;

use jobs::{application, training};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part};
use switchyard::engine::{Plan, RunLog, Segment, SimOptions, Simulation, Tuning, View};
use switchyard::explain::{Fact, Said, Sum};
use switchyard::goodput::LocalBatch;
use switchyard::job::{Job, JobId};
use switchyard::policies::{BuildContext, Cadence, Explanation, Plot, Policy, Rng, Verdict};
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::text;
use switchyard::workload::application::packed;
use switchyard::workload::{ApplicationSettings, Sample, Workload};
use switchyard::{RunSpec, Time};

/// A fact about a job of the three-jobs sample.
fn fact(policy: &str, job: u32, at: f64, term: &str) -> Option<Fact> {
    let sample = Sample::named("three-jobs").expect("a sample of this name");
    let spec = RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec());
    let mut run = spec.start(sample.workload().into());
    run.run_until(Time(at)).expect("a possible plan");
    let explanation = run.explain(JobId(job), Time(at));
    let mut facts = explanation.facts.into_iter();
    facts.find(|fact| fact.term == term)
}

#[test]
fn numbers_are_those_of_the_moment_asked_about() {
    // J2 runs from 2 s on; nothing happens between 2 and 10 s.
    let remaining = |at| fact("srsf", 1, at, "remaining service (true)").map(|of| of.in_seconds());
    assert_eq!(remaining(3.0).as_deref(), Some("7 GPU·s"));
    assert_eq!(remaining(9.5).as_deref(), Some("0 GPU·s"));
}

#[test]
fn who_took_the_gpus_is_named() {
    let policy = "tiresias-las[thresholds=4]";
    let taken = |job, at| {
        let taken = fact(policy, job, at, "its GPUs went to")?;
        Some((taken.in_seconds(), taken.jobs))
    };
    assert_eq!(taken(1, 7.0), Some(("J3".to_owned(), vec![JobId(2)])));
    assert_eq!(taken(1, 5.0), None, "it runs");
    assert_eq!(taken(2, 1.0), None, "it has never run");
}

/// Whether a number of seconds is among a fact's words, so that nobody can show it as other spans of time.
fn tells_raw_seconds(fact: &Fact) -> bool {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    fact.value.iter().any(|said| match said {
        Said::Words(words) => {
            let words: Vec<&str> = words.split(' ').collect();
            let mut pairs = words.windows(2);
            pairs.any(|pair| is_number(pair[0]) && pair[1].trim_end_matches([',', ';', '.']) == "s")
        }
        _ => false,
    })
}

#[test]
fn times_in_facts_are_written_by_whoever_shows_them() {
    let remaining = fact("srtf", 1, 3.0, "remaining time (true)").expect("it has some left");
    assert_eq!(remaining.value, [Said::Span(8.0)]);
    let in_words = remaining.told(|span| format!("{span} seconds"), |_| String::new());
    assert_eq!(in_words, "8 seconds");
    assert!(tells_raw_seconds(&Fact::new("left", "7 s, then it ends")));
}

#[test]
fn every_policy_explains_every_job_at_any_time() {
    let sample = Sample::named("lab").expect("a sample of this name");
    let policies = switchyard::policies::POLICIES
        .iter()
        .map(|entry| entry.name);
    for policy in policies.chain(["tiresias-las[measure=time]"]) {
        let spec = RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec());
        let workload = Arc::new(sample.workload());
        let mut run = spec.start(workload.clone());
        for hour in [0.0, 2.0, 6.0, 11.0] {
            let at = Time(hour * 3600.0);
            run.run_until(at).expect("a possible plan");
            for job in (0..workload.jobs.len() as u32).map(JobId) {
                let explanation = run.explain(job, at);
                let active = explanation.verdict != Verdict::NotActive;
                assert!(!active || !explanation.facts.is_empty(), "{policy}");
                for fact in &explanation.facts {
                    assert!(!tells_raw_seconds(fact), "{policy}: {fact:?}");
                }
                for plot in &explanation.plots {
                    let points = plot.lines.iter().flat_map(|line| &line.points);
                    assert!(
                        points.clone().all(|(x, y)| x.is_finite() && y.is_finite()),
                        "{policy}: {}",
                        plot.title
                    );
                }
            }
        }
    }
}

/// Eight trainings of four epochs whose noise scale grows from each to the next, a minute apart and half an
/// hour long on their own two GPUs, on two nodes of four.
fn training_run(policy: &str) -> RunSpec {
    RunSpec {
        options: SimOptions {
            restart_cost: 30.0,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            ClusterSpec::uniform(2, 4).expect("a cluster"),
        )
    }
}

fn training_workload() -> Arc<Workload> {
    let application = application([16, 512, 4, 64], 5000, &[20, 200, 1000, 4000]);
    let time = application.training_time(&[2], 32);
    let job = |i: u32| Job {
        name: format!("job-{i}").into(),
        work: training(32, 1800.0 / time, 1800.0),
        ..Job::plain(f64::from(i) * 60.0, 2, 1800.0)
    };
    Arc::new(Workload {
        jobs: (0..8).map(job).collect(),
        applications: vec![Arc::new(application)],
        ..Default::default()
    })
}

const POLLUX: &str = "pollux[population=20,generations=10]";

/// The segment in which a job is, and what it trains with there.
fn configuration(log: &RunLog, job: JobId) -> Option<(u32, Tuning)> {
    let tunings = (0..log.tunings()).map(|i| log.tuning(i));
    let mut own = tunings.filter(|tuning| log.segment(tuning.segment as usize).job == job);
    let last = own.next_back()?;
    let segment = log.segment(last.segment as usize);
    (segment.end == Time::NEVER).then(|| (segment.gpu_count(), last))
}

fn plot<'a>(explanation: &'a Explanation, title: &str) -> &'a Plot {
    let mut plots = explanation.plots.iter();
    plots
        .find(|plot| plot.title.starts_with(title))
        .unwrap_or_else(|| panic!("no plot {title}"))
}

fn last_value(explanation: &Explanation, title: &str) -> f64 {
    let points = &plot(explanation, title).lines[0].points;
    points.last().expect("a point").1
}

/// What a running job's plots say is what the log says.
fn check_running(log: &RunLog, at: Time, job: JobId, explanation: &Explanation) {
    let Some((gpus, tuning)) = configuration(log, job) else {
        assert_eq!(last_value(explanation, "GPUs over training"), 0.0);
        return;
    };
    let total = tuning.batch().total(gpus);
    let held = f64::from(gpus);
    assert_eq!(last_value(explanation, "GPUs over training"), held);
    assert_eq!(last_value(explanation, "Batch size over training"), total);
    let efficiency = last_value(explanation, "Efficiency over training");
    assert!(efficiency > 0.0 && efficiency <= 1.0);
    let gain = last_value(explanation, "Learning-rate gain");
    assert!((gain / (total / 16.0) - efficiency).abs() < 1e-12);
    let submit = f64::from(job.0) * 60.0;
    for plot in explanation
        .plots
        .iter()
        .filter(|plot| plot.title.ends_with("over training"))
    {
        let (x, _) = *plot.lines[0].points.last().expect("a point");
        assert_eq!(x, at.seconds() - submit);
    }
    let goodput = plot(explanation, "Goodput by batch size");
    assert_eq!(goodput.job_at, Some(total));
    assert!(
        goodput
            .marks
            .iter()
            .any(|mark| mark.label == "M0" && mark.x == 16.0)
    );
    let best = goodput.marks.iter().find(|mark| mark.label == "best");
    let best = best.expect("a best batch").x;
    // Its curve is greatest there, but for the grid of batches.
    let points = &goodput.lines[0].points;
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let nearest = points
        .iter()
        .min_by(|a, b| switchyard::order::by_value(&(a.0 - best).abs(), &(b.0 - best).abs()));
    assert!(nearest.expect("a point").1 >= 0.98 * most);
}

#[test]
fn pollux_shows_what_it_decides_by() {
    let workload = training_workload();
    let mut run = training_run(POLLUX).start(workload.clone());
    let (mut observed, mut tuned) = (0, 0);
    for minute in 1..60 {
        let at = Time(f64::from(minute) * 60.0 + 45.0);
        run.run_until(at).expect("a possible plan");
        for job in (0..workload.jobs.len() as u32).map(JobId) {
            let explanation = run.explain(job, at);
            for plot in &explanation.plots {
                for line in &plot.lines {
                    let points = line.points.iter();
                    assert!(points.clone().all(|(x, y)| x.is_finite() && y.is_finite()));
                    assert!(
                        line.points.is_sorted_by(|a, b| a.0 <= b.0),
                        "{}",
                        plot.title
                    );
                    assert!(line.points.len() <= 200);
                }
            }
            if explanation.verdict == Verdict::NotActive {
                continue;
            }
            if explanation
                .plots
                .iter()
                .any(|plot| plot.title.starts_with("Throughput by GPUs"))
            {
                let throughput = plot(&explanation, "Throughput by GPUs");
                let [model, seen] = throughput.lines.as_slice() else {
                    panic!("{} lines", throughput.lines.len());
                };
                assert!(!model.dots && seen.dots && !seen.points.is_empty());
                observed = observed.max(seen.points.len());
                let most = seen.points.last().expect("a point").0;
                assert!(model.points.last().expect("a point").0 >= most);
                // By this time its agent has reported.
                check_running(run.log(), at, job, &explanation);
                tuned += 1;
            }
        }
    }
    assert!(
        observed > 3 && tuned > 50,
        "{observed} seen, {tuned} explained"
    );
}

#[test]
fn the_model_goes_through_its_observations() {
    let workload = training_workload();
    let mut run = training_run(POLLUX).start(workload.clone());
    let at = Time(1500.0);
    run.run_until(at).expect("a possible plan");
    let mut compared = 0;
    for job in (0..workload.jobs.len() as u32).map(JobId) {
        let explanation = run.explain(job, at);
        let Some((gpus, tuning)) = configuration(run.log(), job) else {
            continue;
        };
        let throughput = plot(&explanation, "Throughput by GPUs");
        assert_eq!(throughput.job_at, Some(f64::from(gpus)));
        let placement = packed(gpus, 4);
        // The true rate on these GPUs, if packed, is among what was seen, and on the line.
        let times = workload.applications[0].step_times(&placement, tuning.m);
        let truth = tuning.batch().total(gpus) / times.iteration(tuning.s);
        let [model, seen] = throughput.lines.as_slice() else {
            panic!("{} lines", throughput.lines.len());
        };
        let there = seen
            .points
            .iter()
            .filter(|point| point.0 == f64::from(gpus));
        if there
            .clone()
            .any(|point| (point.1 / truth - 1.0).abs() < 1e-9)
        {
            let modelled = model.points[gpus as usize - 1].1;
            assert!(
                (modelled / truth - 1.0).abs() < 0.1,
                "{modelled}, truly {truth}"
            );
            compared += 1;
        }
    }
    assert!(compared > 0);
}

/// What a round says was held before and after is what the log says; its speedups are those that
/// the policy explains.
#[test]
fn rounds_agree_with_the_log() {
    for policy in [POLLUX, "optimus"] {
        let workload = training_workload();
        let mut run = training_run(policy).start(workload.clone());
        let (mut moved, mut last) = (0, None);
        while run.step().expect("a possible plan") {
            let Some(report) = run.round() else { continue };
            let now = run.progress().now;
            if report.at != now || last == Some(now) {
                continue;
            }
            last = Some(now);
            assert!(!report.plots.is_empty() && report.rows.is_sorted_by_key(|row| row.job));
            for row in &report.rows {
                let log = run.log();
                let segments = (0..log.segments()).map(|i| log.segment(i));
                let held = |at: &dyn Fn(&Segment<'_>) -> bool| -> Vec<Part> {
                    let mut own = segments.clone().filter(|s| s.job == row.job && at(s));
                    let parts = own.next().map_or(&[][..], |segment| segment.gpus);
                    parts
                        .iter()
                        .map(|part| Part::new(part.node, part.count()))
                        .collect()
                };
                // Its GPUs from before this moment until this moment at least, and from then on.
                assert_eq!(
                    row.before,
                    held(&|s| s.start < now && s.end >= now),
                    "{policy}"
                );
                assert_eq!(
                    row.after,
                    held(&|s| s.start <= now && s.end > now),
                    "{policy}"
                );
                let none = |parts: &[Part], speedup: f64| parts.is_empty() == (speedup <= 0.0);
                assert!(none(&row.before, row.speedup_before), "{policy}: {row:?}");
                assert!(none(&row.after, row.speedup), "{policy}: {row:?}");
                if row.before == row.after {
                    assert_eq!(row.speedup_before, row.speedup);
                } else {
                    moved += 1;
                }
                if policy == POLLUX && !row.after.is_empty() {
                    let facts = run.explain(row.job, now).facts;
                    let speedup = facts.iter().find(|fact| fact.term == "speedup");
                    let speedup = speedup.expect("a running job has one").in_seconds();
                    assert!(
                        speedup.starts_with(&format!("{:.2} ×", row.speedup)),
                        "{speedup}"
                    );
                }
            }
            let held: u32 = report
                .rows
                .iter()
                .flat_map(|row| &row.after)
                .map(|part| part.gpus)
                .sum();
            assert_eq!(run.log().sample_gpus().last(), Some(&held));
        }
        assert!(moved > 8, "{policy}: {moved} moved");
    }
    let mut run = training_run("tiresias-las").start(training_workload());
    run.run().expect("a possible plan");
    assert_eq!(run.round(), None);
}

type Ends = Rc<RefCell<Vec<(JobId, f64)>>>;

/// A policy, and when its jobs ended their epochs.
struct Listening {
    policy: Box<dyn Policy>,
    ends: Ends,
}

impl Policy for Listening {
    fn cadence(&self) -> Cadence {
        self.policy.cadence()
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.policy.plan(view, rng, plan);
    }

    fn tune(&mut self, view: &View<'_>, job: JobId) -> Option<LocalBatch> {
        self.ends.borrow_mut().push((job, view.now().seconds()));
        self.policy.tune(view, job)
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        self.policy.explain(view, job)
    }
}

/// The log does not hold the ends of epochs; the plots find them again.
#[test]
fn training_is_shown_as_it_was() {
    let workload = training_workload();
    let ends = Ends::default();
    let spec = training_run(POLLUX);
    let context = BuildContext {
        workload: &workload,
        placement: spec.placement,
        history: None,
        picker: None,
        queues: None,
    };
    let mut scheduler = switchyard::policies::build(&spec.policy, &context);
    scheduler.policy = Box::new(Listening {
        policy: scheduler.policy,
        ends: ends.clone(),
    });
    let mut run = Simulation::new(workload.clone(), &spec.cluster, scheduler, spec.options);
    run.run().expect("a possible plan");
    let end = run.progress().now;
    for (i, job) in workload.jobs.iter().enumerate() {
        let explanation = run.explain(JobId(i as u32), end);
        assert_eq!(explanation.verdict, Verdict::NotActive);
        let noise = &plot(&explanation, "Gradient noise scale").lines[0].points;
        // φ depends on the epoch alone: four levels, each of which rises at once.
        assert_eq!(noise.len(), 8, "{noise:?}");
        let own: Vec<f64> = ends
            .borrow()
            .iter()
            .filter(|end| end.0.index() == i)
            .map(|end| end.1)
            .collect();
        assert_eq!(own.len(), 3);
        for (end, step) in own.iter().zip(noise[1..].chunks(2)) {
            let time = end - job.submit.seconds();
            assert_eq!(step[0].0, step[1].0);
            assert!(
                (step[0].0 - time).abs() < 1e-6 * (1.0 + time),
                "{} ≠ {time}",
                step[0].0
            );
        }
    }
}

/// What a formula comes to, its values put in.
struct Formula<'a>(&'a str);

impl Formula<'_> {
    fn value(text: &str) -> f64 {
        let text: String = text.chars().filter(|of| !of.is_whitespace()).collect();
        let mut formula = Formula(&text);
        let value = formula.sum();
        assert_eq!(formula.0, "", "of {text}");
        value
    }

    /// Whether this is next; then it is behind.
    fn next_if(&mut self, word: &str) -> bool {
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn sum(&mut self) -> f64 {
        let mut sum = self.product();
        loop {
            if self.next_if("+") {
                sum += self.product();
            } else if self.next_if("−") {
                sum -= self.product();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> f64 {
        let mut product = self.factor();
        loop {
            if self.next_if("×") {
                product *= self.factor();
            } else if self.next_if("∕") {
                product /= self.factor();
            } else {
                return product;
            }
        }
    }

    fn factor(&mut self) -> f64 {
        if self.next_if("−") {
            return -self.factor();
        }
        let function: fn(f64) -> f64 = match () {
            () if self.next_if("log₁₀(") => libm::log10,
            () if self.next_if("log₂(") => libm::log2,
            () if self.next_if("(") => |inside| inside,
            () => return self.number(),
        };
        let value = function(self.sum());
        assert!(self.next_if(")"), "{}", self.0);
        match self.next_if("³") {
            true => value * value * value,
            false => value,
        }
    }

    fn number(&mut self) -> f64 {
        let is_of_number = |of: char| of.is_ascii_digit() || ".-e".contains(of);
        let behind = self.0.find(|of| !is_of_number(of));
        let (number, rest) = self.0.split_at(behind.unwrap_or(self.0.len()));
        self.0 = rest;
        number.parse().expect("a number")
    }
}

/// The number that opens a fact's sum: the first.
fn shown(fact: &Fact) -> f64 {
    let mut numbers = fact.value.iter().filter_map(|said| match *said {
        Said::Count(number, _) => Some(number as f64),
        Said::Number(number, ..) | Said::Exact(number, _) | Said::Span(number) => Some(number),
        Said::Percent(part, _) => Some(part),
        _ => None,
    });
    numbers.next().expect("it shows a number")
}

/// Works a fact's sum out again: it comes to its result, and that is the number shown.
fn check_sum(policy: &str, fact: &Fact, sum: &Sum) {
    let value = Formula::value(&sum.in_words(|of| of.value.to_string()));
    // What configurations are worth to Sia has 32 bits, as in its artifact.
    let least = match policy {
        "sia" => f64::from(f32::EPSILON),
        _ => 1e-9,
    };
    let is_near = |of: f64| (value - of).abs() <= least * of.abs().max(1e-3);
    assert!(is_near(sum.result), "{policy}: {fact:?}: {value}");
    // Tiresias rounds attained service, and Slurm cuts its priority to whole ones.
    let is_rounded = ["attained service", "priority"].contains(&fact.term.as_str());
    let is_shown = is_near(shown(fact)) || is_rounded && (value - shown(fact)).abs() <= 1.0;
    assert!(is_shown, "{policy}: {fact:?}: {value}");
}

/// All facts that a policy tells of a sample's jobs at some hours, on queues as text.
fn facts_of(policy: &str, sample: &str, hours: &[f64], queues: &str) -> Vec<Fact> {
    let sample = Sample::named(sample).expect("a sample of this name");
    let tree = (!queues.is_empty()).then(|| Arc::new(text::read(queues).expect("a tree")));
    let spec = RunSpec {
        queues: QueueSettings {
            tree,
            by: By::Tenant,
        },
        ..RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec())
    };
    let bound = ApplicationSettings::default().bind(sample.workload());
    let workload = match spec.policy.adapts_jobs() {
        true => Arc::new(bound.expect("the paper's rule")),
        false => Arc::new(sample.workload()),
    };
    let mut run = spec.start(workload.clone());
    let mut facts = Vec::new();
    for hour in hours {
        let at = Time(hour * 3600.0);
        run.run_until(at).expect("a possible plan");
        let jobs = (0..workload.jobs.len() as u32).map(JobId);
        facts.extend(jobs.flat_map(|job| run.explain(job, at).facts));
    }
    facts
}

/// Checks all sums that a policy tells, and returns the terms of facts that have one.
fn terms_with_sums(policy: &str, sample: &str, hours: &[f64], queues: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    for fact in facts_of(policy, sample, hours, queues) {
        if let Some(sum) = &fact.sum {
            check_sum(policy, &fact, sum);
            terms.insert(fact.term);
        }
    }
    terms
}

#[test]
fn a_number_is_what_its_sum_comes_to() {
    assert_eq!(Formula::value("(1 + 2.5) × 4 ∕ 2 − 1e1"), -3.0);
    assert_eq!(Formula::value("−(1 + 1)³ × 2 + log₂(8) − -1"), -12.0);
    let policies = switchyard::policies::POLICIES
        .iter()
        .map(|entry| entry.name);
    let others = [
        "slurm[priority_weight_age=1000,priority_weight_job_size=500]",
        "tiresias-gittins[delta=20000]",
        "wfp3[quirks=true]",
        "kueue[within=f1]",
        "kueue[within=srsf]",
        "kueue[within=shortest-expected]",
    ];
    let mut with_sums = BTreeSet::new();
    for policy in policies.chain(others) {
        let terms = terms_with_sums(policy, "lab", &[2.0, 11.0], "");
        with_sums.extend(terms.iter().map(|term| format!("{policy} {term}")));
    }
    for told in [
        "tiresias-las attained service",
        "las attained service",
        "gittins Gittins index",
        "tiresias-gittins Gittins index",
        "tiresias-gittins[delta=20000] Gittins index",
        "shortest-expected expected remaining",
        "srsf remaining service (true)",
        "themis finish-time fairness ρ, if it ran from now on",
        "wfp3 score",
        "wfp3[quirks=true] score",
        "unicep score",
        "f1 score",
        "kueue[within=f1] its number by f1",
        "kueue[within=srsf] its number by srsf",
        "kueue[within=shortest-expected] expected remaining",
        "gandiva-fair received on GPUs",
        "yarn-cs its queue's share",
        "volcano they may do so up to",
    ] {
        assert!(with_sums.contains(told), "{told}: {with_sums:#?}");
    }
}

/// The queues of the sample of two teams.
const TEAMS: &str = "lab\nvision parent=lab gpus=8\nspeech parent=lab gpus=8";

/// Whoever shows a fact can lead to the queues that it names.
#[test]
fn queues_are_never_named_in_plain_words() {
    let is_queue = |word: &str| ["lab", "vision", "speech"].contains(&word);
    let names_one = |text: &str| {
        let mut words = text.split(|of: char| !of.is_alphanumeric() && of != '-');
        words.any(is_queue)
    };
    assert!(names_one("share of lab's"));
    for policy in ["kueue", "kai", "volcano", "yarn-cs", "slurm"] {
        let mut named = 0;
        for fact in facts_of(policy, "two-teams", &[1.0, 2.5, 3.5, 4.5], TEAMS) {
            assert!(!names_one(&fact.term), "{policy}: {fact:?}");
            for said in &fact.value {
                match said {
                    Said::Words(words) => assert!(!names_one(words), "{policy}: {fact:?}"),
                    Said::Queue(_) => named += 1,
                    _ => {}
                }
            }
        }
        assert!(named > 0, "{policy}");
    }
}

/// The same on samples that reach what some policies tell only of jobs of measured models, or of queues.
#[test]
fn numbers_of_models_and_queues_are_what_their_sums_come_to() {
    let turns = ("in-turns", [0.75, 2.0], "");
    let batches = ("batches", [0.5, 1.0], "");
    let types = ("three-types", [0.5, 1.0], "");
    let teams = ("two-teams", [1.0, 3.5], TEAMS);
    for (policy, (sample, hours, queues), told) in [
        ("muri-s", turns, "remaining service at the last round"),
        ("muri-l", turns, "attained service at the last round"),
        ("muri-s", turns, "an iteration of each in turn"),
        ("antman", turns, "an iteration here"),
        ("shockwave", batches, "projected finish-time fairness ρ"),
        ("shockwave", batches, "predicted remaining run time"),
        ("allox", batches, "left, with the throughput of now"),
        ("ossp", batches, "left, with the throughput of now"),
        ("sia", types, "configuration"),
        ("sia", types, "if it were alone"),
        ("sia", types, "restart factor"),
        ("kueue", teams, "its queue's dominant resource share"),
        ("kai", teams, "its queue's fair share"),
        ("yarn-cs", teams, "a queue above uses of its capacity"),
        ("volcano", teams, "its queue's share of what it deserves"),
    ] {
        let terms = terms_with_sums(policy, sample, &hours, queues);
        assert!(terms.contains(told), "{policy}: {terms:?}");
    }
}

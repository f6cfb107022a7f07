//! How a number comes about: what it is called, its formula, the values of this run that are put in, and
//! where the formula comes from. In: a run, or an application of the goodput model; out: [`Opened`]. Values
//! are read from the run's log, as far as it has them, and not from the metric that they are to explain:
//! `formula` compares what the written sum comes to with the engine's metric.

use crate::run::Run;
use anyhow::{Context, Result, bail, ensure};
use switchyard::engine::{Event, EventKind, NodeState};
use switchyard::job::Work;
use switchyard::report::{Metric, MetricUnit};
use switchyard::workload::Application;
use switchyard::workload::application::packed;
use switchyard_app::format::{self, decimals};

/// A number, opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Opened {
    /// What it is called.
    pub(crate) title: String,
    /// Its formula in words.
    pub(crate) formula: String,
    /// The same with values put in; `formula` can work it out.
    pub(crate) sum: String,
    /// What it comes to.
    pub(crate) number: f64,
    /// Its unit; "" for none.
    pub(crate) unit: &'static str,
    /// Which jobs' values they are.
    pub(crate) named: Vec<(String, f64)>,
    /// The scheduler, where it is of a run.
    pub(crate) policy: Option<String>,
    /// The jobs and the cluster, or the model.
    pub(crate) of: String,
    /// What it means and who defined it.
    pub(crate) source: String,
    /// The sides of a formula of several numbers.
    pub(crate) parts: Vec<Opened>,
}

impl Opened {
    /// What it comes to, with its unit.
    pub(crate) fn result(&self) -> String {
        format!("{} {}", exact(self.number), self.unit)
            .trim_end()
            .to_owned()
    }
}

/// Of at most so many jobs each is named.
const MOST_NAMED: usize = 12;

// Questions about one job or one tenant, which the table of metrics does not have.
const JCT: &str = "Job completion time: from submission to finish, waiting included.";
const WAIT: &str = "From submission to the first start.";
/// What stands below the line of a ρ ([`worst`]).
const ALONE: &str = "; alone: its time on its own GPUs, and where these are more than its share, × its GPUs × N ∕ GPUs \
     of the cluster; N: the jobs there in its life, on average";
const POLLUX: &str = "Goodput is throughput times statistical efficiency: Pollux (OSDI'21). Halfway through the \
     training, with the batch that is best there, on nodes of four GPUs.";

/// A number with so many digits that a reader can check the sum.
pub(crate) fn exact(number: f64) -> String {
    let places = if number.abs() >= 1.0 { 4 } else { 6 };
    decimals(number, places)
}

/// What is asked of a run; `what`: the job or tenant.
pub(crate) fn of_a_run(run: &Run, name: &str, what: Option<&str>) -> Result<Opened> {
    let lives = lives(run);
    let opened = |title: String, formula: &str, source: String, terms: Terms| Opened {
        title,
        formula: formula.to_owned(),
        sum: terms.sum,
        number: f64::NAN,
        unit: "",
        named: terms.named,
        policy: Some(run.policy()),
        of: jobs_of(run),
        source,
        parts: Vec::new(),
    };
    let in_seconds = |opened: Opened| Opened {
        unit: MetricUnit::Seconds.word(),
        ..opened
    };
    if let (Some(what), "gpus") = (what, name) {
        let held = held(run, what)?;
        let each: Vec<_> = held.iter().map(u32::to_string).collect();
        let sum = match each.is_empty() {
            true => "0".to_owned(),
            false => each.join(" + "),
        };
        let title = format!("GPUs of {what} seconds");
        return Ok(opened(
            title,
            "its GPUs on each of its nodes",
            String::new(),
            Terms::plain(sum),
        ));
    }
    if let Some(what) = what {
        let life = || {
            let of = lives.iter().find(|life| life.name == what);
            of.with_context(|| format!("no job is called '{what}'"))
        };
        return Ok(in_seconds(match name {
            "jct" => opened(
                format!("Job completion time of {what}"),
                "finish − submit",
                JCT.to_owned(),
                Terms::difference(life()?.finish, life()?.submit),
            ),
            "wait" => opened(
                format!("Wait of {what}"),
                "first start − submit",
                WAIT.to_owned(),
                Terms::difference(life()?.start, life()?.submit),
            ),
            "tenant_jct" => {
                let theirs = lives.iter().filter(|life| life.tenant == Some(what));
                let theirs: Vec<_> = theirs.map(Life::jct).collect();
                opened(
                    format!("Mean JCT of {what}'s jobs"),
                    "mean of finish − submit",
                    JCT.to_owned(),
                    Terms::mean(&theirs),
                )
            }
            other => bail!("{other} is of a whole run"),
        }));
    }
    let metric = Metric::named(name).with_context(|| format!("runs are not asked for '{name}'"))?;
    let mut opened = opened(
        metric.title.to_owned(),
        match metric.formula {
            "" => "counted",
            formula => formula,
        },
        format!("{} {}", metric.meaning, metric.source)
            .trim()
            .to_owned(),
        terms(run, &lives, metric)?,
    );
    if metric.id == "rho_max" {
        opened.formula += ALONE;
    }
    opened.unit = metric.unit.word();
    Ok(opened)
}

/// How many GPUs a job holds at a moment, on each node that it is on: `mine at 300`.
pub(crate) fn held(run: &Run, what: &str) -> Result<Vec<u32>> {
    let (name, at) = what
        .split_once(" at ")
        .context("which job, and when? As gpus(fifo; mine at 300)")?;
    let at: f64 = at.trim().parse().context("when? In seconds")?;
    let jobs = &run.prepared.workload.jobs;
    let job = jobs.iter().position(|job| &*job.name == name);
    let job = job.with_context(|| format!("no job is called '{name}'"))?;
    let stays = (0..run.log.segments()).map(|i| run.log.segment(i));
    let stay = stays
        .filter(|stay| stay.job.index() == job)
        .find(|stay| (stay.start.seconds()..stay.end.seconds()).contains(&at));
    Ok(stay.map_or_else(Vec::new, |stay| {
        let parts = stay.gpus.iter();
        parts.map(|part| part.mask.count_ones()).collect()
    }))
}

/// What is asked of a model alone ([`of_a_run`] for the words).
pub(crate) fn of_a_model(application: &Application, name: &str, gpus: u32) -> Result<Opened> {
    let half = application.epochs() / 2;
    let best = |gpus, epoch| {
        let choice = application.best_choice(&packed(gpus, 4), epoch);
        choice.context("it does not run there")
    };
    let on = format::counted(u64::from(gpus), "GPU", "GPUs");
    let (title, formula, sum, unit) = if name == "speedup" {
        let (there, alone) = (best(gpus, half)?.goodput, best(1, half)?.goodput);
        (
            format!("Speedup of {} on {on}", application.name),
            format!("goodput on {on} ∕ goodput on one, in useful examples a second"),
            format!("{} ∕ {}", exact(there), exact(alone)),
            "",
        )
    } else {
        let (when, epoch) = match name {
            "first_batch" => ("at the beginning", 0),
            _ => ("halfway", half),
        };
        let choice = best(gpus, epoch)?;
        let sum = format!("{gpus} × {} × {}", choice.batch.m, choice.batch.s + 1);
        (
            format!("Best batch of {} on {on}, {when}", application.name),
            format!(
                "GPUs × examples on each at once × times before they are added up; goodput there {} useful examples a second",
                exact(choice.goodput)
            ),
            sum,
            "examples",
        )
    };
    let source = match name {
        "first_batch" => POLLUX.replace("Halfway through the training", "In the first epoch"),
        _ => POLLUX.to_owned(),
    };
    Ok(Opened {
        title,
        formula,
        sum,
        number: f64::NAN,
        unit,
        named: Vec::new(),
        policy: None,
        of: format!("The measured model of {}", application.name),
        source,
        parts: Vec::new(),
    })
}

/// Values put in, and whose they are.
struct Terms {
    sum: String,
    named: Vec<(String, f64)>,
}

impl Terms {
    fn plain(sum: String) -> Self {
        Self {
            sum,
            named: Vec::new(),
        }
    }

    fn difference(to: f64, from: f64) -> Self {
        Self::plain(format!("{} − {}", exact(to), exact(from)))
    }

    /// Over jobs, each with its value.
    fn mean(values: &[(String, f64)]) -> Self {
        let count = format::count(values.len() as u64);
        if values.len() > MOST_NAMED {
            let total = values.iter().map(|(_, value)| value).sum();
            return Self::plain(format!("{} ∕ {count}", exact(total)));
        }
        let all: Vec<String> = values.iter().map(|(_, value)| exact(*value)).collect();
        Self {
            sum: format!("({}) ∕ {count}", all.join(" + ")),
            named: values.to_vec(),
        }
    }

    /// Linear between the two jobs that it falls between.
    fn percentile(values: &[(String, f64)], percent: f64) -> Result<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(|(_, one), (_, other)| one.total_cmp(other));
        let last = sorted.len().checked_sub(1).context("no job has finished")?;
        let rank = percent / 100.0 * last as f64;
        let below = &sorted[(rank as usize).min(last)];
        let above = &sorted[(rank as usize + 1).min(last)];
        let part = rank.fract();
        if part == 0.0 {
            return Ok(Self {
                sum: exact(below.1),
                named: vec![below.clone()],
            });
        }
        let (from, to) = (exact(below.1), exact(above.1));
        Ok(Self {
            sum: format!("{from} + {} × ({to} − {from})", exact(part)),
            named: vec![below.clone(), above.clone()],
        })
    }
}

/// What the log says of a job, seconds of the run's clock; NaN where it has not got so far.
struct Life<'a> {
    name: &'a str,
    tenant: Option<&'a str>,
    submit: f64,
    start: f64,
    finish: f64,
    /// The longest single wait: from when, and until when.
    wait: (f64, f64),
}

impl Life<'_> {
    fn jct(&self) -> (String, f64) {
        (self.name.to_owned(), self.finish - self.submit)
    }
}

fn events(run: &Run) -> impl Iterator<Item = Event> {
    (0..run.log.events()).map(|at| run.log.event(at))
}

fn lives(run: &Run) -> Vec<Life<'_>> {
    let workload = &run.prepared.workload;
    let tenant = |of: u32| workload.tenants.get(of as usize).map(String::as_str);
    let jobs = workload.jobs.iter().map(|job| Life {
        name: &job.name,
        tenant: job.tenant.and_then(tenant),
        submit: job.submit.seconds(),
        start: f64::NAN,
        finish: f64::NAN,
        wait: (0.0, 0.0),
    });
    let mut lives: Vec<Life<'_>> = jobs.collect();
    let mut since: Vec<f64> = lives.iter().map(|life| life.submit).collect();
    for event in events(run) {
        let (at, now) = (event.job.index(), event.time.seconds());
        let life = &mut lives[at];
        match event.kind {
            EventKind::Start | EventKind::Restart => {
                if event.kind == EventKind::Start {
                    life.start = now;
                }
                if now - since[at] > life.wait.1 - life.wait.0 {
                    life.wait = (since[at], now);
                }
            }
            EventKind::Finish => life.finish = now,
            EventKind::Pause | EventKind::Evict | EventKind::Fail => since[at] = now,
            EventKind::Submit | EventKind::Reject | EventKind::Demote | EventKind::Promote => {}
        }
    }
    lives
}

/// A metric's formula with the values of a run.
fn terms(run: &Run, lives: &[Life<'_>], metric: &Metric) -> Result<Terms> {
    let counted = |is: fn(EventKind) -> bool| events(run).filter(|event| is(event.kind)).count();
    let is_start = |kind| matches!(kind, EventKind::Start | EventKind::Restart);
    let times = run.log.event_times();
    let (Some(begin), Some(end)) = (times.first(), times.last()) else {
        bail!("nothing happens in the run");
    };
    Ok(match metric.id {
        "jobs" => Terms::plain(format::count(lives.len() as u64)),
        "makespan" => {
            let last = lives.iter().find(|life| life.finish == *end);
            let last = last.context("some job never ends")?;
            Terms {
                named: vec![(last.name.to_owned(), last.finish)],
                ..Terms::difference(*end, *begin)
            }
        }
        "restarts" => {
            let starts = counted(is_start) as u64;
            let started = counted(|kind| kind == EventKind::Start) as u64;
            Terms::plain(format!(
                "{} − {}",
                format::count(starts),
                format::count(started)
            ))
        }
        "longest_wait" => {
            let longest = |of: &&Life<'_>| of.wait.1 - of.wait.0;
            let of = lives
                .iter()
                .max_by(|one, other| longest(one).total_cmp(&longest(other)));
            let of = of.context("no job ever waits")?;
            Terms {
                named: vec![(of.name.to_owned(), longest(&of))],
                ..Terms::difference(of.wait.1, of.wait.0)
            }
        }
        "node_failures" => {
            let absences = run.log.absences();
            let failed = absences.iter().filter(|of| of.state == NodeState::Down);
            Terms::plain(format::count(failed.count() as u64))
        }
        "evictions" => Terms::plain(format::count(
            counted(|kind| kind == EventKind::Evict) as u64
        )),
        "lost_gpu_hours" => hours(run.outcomes.lost.iter().sum()),
        "executed_gpu_hours" => {
            let held = held_seconds(run);
            hours(held.restoring + held.running)
        }
        "restore_gpu_hours" => hours(held_seconds(run).restoring),
        "checkpoint_gpu_hours" => match run.log.checkpointing() {
            Some(how) => Terms::plain(format!(
                "{} × {} ∕ ({} + {1})",
                exact(held_seconds(run).running / 3600.0),
                exact(how.cost),
                exact(how.interval),
            )),
            None => Terms::plain("0".to_owned()),
        },
        "goodput" => {
            let of = &run.result.summary.failures;
            Terms::plain(format!(
                "1 − ({} + {} + {}) ∕ {}",
                exact(of.lost_gpu_hours),
                exact(of.checkpoint_gpu_hours),
                exact(of.restore_gpu_hours),
                exact(of.executed_gpu_hours),
            ))
        }
        "gpu_allocation" => {
            let from = run.log.sample_times();
            let until = from.iter().skip(1).chain([end]);
            let held = from.iter().zip(until).zip(run.log.sample_gpus());
            let held = held.map(|((from, until), gpus)| (until - from) * f64::from(*gpus));
            let gpus = run.prepared.cluster.gpus();
            Terms::plain(format!(
                "{} ∕ ({gpus} × {})",
                exact(held.sum()),
                exact(end - begin)
            ))
        }
        "jain" => {
            let shares = || run.outcomes.rho.iter().filter(|rho| rho.is_finite());
            let shares = || shares().map(|rho| 1.0 / rho);
            let (sum, squares): (f64, f64) = (shares().sum(), shares().map(|x| x * x).sum());
            Terms::plain(format!(
                "{0} × {0} ∕ ({1} × {2})",
                exact(sum),
                format::count(shares().count() as u64),
                exact(squares)
            ))
        }
        id => {
            let (family, statistic) = id.split_once('_').unwrap_or((id, ""));
            let column: Vec<(String, f64)> = match family {
                "jct" => lives.iter().map(Life::jct).collect(),
                "queueing" => by_name(lives, &run.outcomes.queueing),
                "rho" => by_name(lives, &run.outcomes.rho),
                _ => bail!("nobody has written how {id} comes about (lessons/src/arithmetic.rs)"),
            };
            let known: Vec<(String, f64)> = column
                .into_iter()
                .filter(|(_, value)| value.is_finite())
                .collect();
            ensure!(!known.is_empty(), "no job has finished");
            match statistic {
                "mean" => Terms::mean(&known),
                "median" => Terms::percentile(&known, 50.0)?,
                "max" if family == "rho" => worst(run, lives, Terms::percentile(&known, 100.0)?),
                "max" => slowest(lives, Terms::percentile(&known, 100.0)?),
                percent => {
                    let percent = percent.trim_start_matches('p').parse();
                    Terms::percentile(&known, percent.context("it is no statistic")?)?
                }
            }
        }
    })
}

/// GPU-seconds as hours.
fn hours(gpu_seconds: f64) -> Terms {
    Terms::plain(format!("{} ∕ 3,600", exact(gpu_seconds)))
}

/// GPU-seconds that jobs held.
#[derive(Default)]
struct Held {
    /// While they were restored.
    restoring: f64,
    running: f64,
}

fn held_seconds(run: &Run) -> Held {
    let mut held = Held::default();
    for stay in (0..run.log.segments()).map(|i| run.log.segment(i)) {
        let gpus = f64::from(stay.gpu_count()) * stay.part();
        // It may lose its GPUs before it is restored.
        let ready = stay.ready.seconds().min(stay.end.seconds());
        held.restoring += gpus * (ready - stay.start.seconds());
        held.running += gpus * (stay.end.seconds() - ready);
    }
    held
}

fn by_name(lives: &[Life<'_>], column: &[f64]) -> Vec<(String, f64)> {
    let names = lives.iter().map(|life| life.name.to_owned());
    names.zip(column.iter().copied()).collect()
}

/// The one job of the greatest completion time, opened further.
fn slowest(lives: &[Life<'_>], greatest: Terms) -> Terms {
    let is = |life: &&Life<'_>| greatest.named.iter().any(|(name, _)| name == life.name);
    match lives.iter().find(is) {
        Some(life) => Terms {
            named: greatest.named,
            ..Terms::difference(life.finish, life.submit)
        },
        None => greatest,
    }
}

/// The one job of the greatest ρ, opened further: its completion time over what it would take alone on an
/// equal share of the GPUs. Of an adaptive job, which uses a share as well as it can, the engine alone knows that.
fn worst(run: &Run, lives: &[Life<'_>], greatest: Terms) -> Terms {
    let is = |life: &Life<'_>| greatest.named.iter().any(|(name, _)| name == life.name);
    let Some(at) = lives.iter().position(is) else {
        return greatest;
    };
    let (life, job) = (&lives[at], &run.prepared.workload.jobs[at]);
    let jct = life.finish - life.submit;
    let gpus = run.prepared.cluster.gpus();
    let alone = if matches!(job.work, Work::Adaptive { .. }) {
        exact(jct / run.outcomes.rho[at])
    } else {
        let together = lives.iter().filter(|other| !other.start.is_nan());
        let together = together.map(|other| {
            // One that never ends is there until the end: `min` takes the number.
            let (from, until) = (life.submit.max(other.submit), life.finish.min(other.finish));
            (until - from).max(0.0)
        });
        let jobs = together.sum::<f64>() / jct;
        let work = exact(job.work.seconds());
        match f64::from(job.gpus) * jobs / f64::from(gpus) > 1.0 {
            true => format!("({work} × {} × {} ∕ {gpus})", job.gpus, exact(jobs)),
            false => work,
        }
    };
    Terms {
        sum: format!("{} ∕ {alone}", exact(jct)),
        named: greatest.named,
    }
}

/// What the jobs are, how many, and on how many GPUs.
fn jobs_of(run: &Run) -> String {
    let prepared = &run.prepared;
    let jobs = format::counted(prepared.workload.jobs.len() as u64, "job", "jobs");
    let gpus = format::counted(u64::from(prepared.cluster.gpus()), "GPU", "GPUs");
    format!("{}: {jobs} on {gpus}", run.trace)
}

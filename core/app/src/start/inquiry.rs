//! One question: the run up to its moment, and draws of how it may go on.
//!
//! A run is a pure function of its jobs, and no policy but an oracle sees how long they will take. So a run of the same
//! jobs of which those that have not ended by the moment take another time is the same run up to there; each draw is
//! such a run from the very beginning, compared at the moment bit by bit, and goes on until the job starts. Nothing
//! is known to it of what comes after the moment but nodes that are to go, and failures by chance.

use super::arrivals;
use super::asked::{Asked, other_queues};
use super::durations::{Durations, Factors};
use super::past::{Past, Stage, seen_running};
use super::refused::Refused;
use crate::Deciding;
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use switchyard::draw::Rng;
use switchyard::engine::{EventKind, Simulation};
use switchyard::job::{JobId, Work};
use switchyard::weights::Weights;
use switchyard::workload::{Recorded, Workload};
use switchyard::{RunSpec, RunSpecError, Time};

/// Longer than any job takes, seconds.
const VERY_LONG: f64 = 1e9;

/// For so many times the longest wait so far jobs come that have not come yet; within these bounds, seconds.
const WAITS_AHEAD: f64 = 2.0;
const LEAST_AHEAD: f64 = 86_400.0;
const MOST_AHEAD: f64 = 28.0 * 86_400.0;

/// Seconds that who runs goes on for at least.
const LEAST_LEFT: f64 = 1.0;

/// A question about a job at a moment of a run.
pub struct Inquiry {
    spec: RunSpec,
    /// Who decides, if that is not the spec's policy.
    deciding: Option<Deciding>,
    weights: Weights,
    /// The jobs that have come by the moment, with the one that is asked about.
    workload: Arc<Workload>,
    job: JobId,
    moment: Time,
    past: Past,
    durations: Durations,
    /// Of the log at the moment.
    events: usize,
    hash: u64,
    horizon: f64,
}

/// A run at its beginning.
fn started(
    spec: &RunSpec,
    deciding: Option<&Deciding>,
    workload: Arc<Workload>,
    weights: &Weights,
) -> Result<Simulation, RunSpecError> {
    match deciding {
        None => spec.start_with(workload, weights),
        Some(of) => of.start(spec, workload, weights),
    }
}

/// How a run may go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// When the job starts; [`Time::NEVER`]: it does not.
    pub start: Time,
    /// Those that waited at the moment and start before it.
    pub before: Vec<JobId>,
    /// How many that came later start before it.
    pub later: u32,
}

/// How long the job itself may take, and by what that is judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Basis {
    /// What the jobs that it is judged by have in common.
    pub group: String,
    /// How many these are.
    pub jobs: u32,
    /// Half of them took no longer, seconds.
    pub median: f64,
}

/// What a draw takes jobs to last.
enum Lasting<'a> {
    /// Drawn from what such jobs took.
    Drawn(&'a mut Rng),
    /// As long as they ask for; without that, what one of a hundred exceeded.
    Limit,
}

impl Inquiry {
    /// A question, by what was known at its moment alone.
    ///
    /// # Errors
    ///
    /// Nobody can say.
    pub fn new(
        spec: &RunSpec,
        all: &Workload,
        weights: &Weights,
        asked: &Asked,
        moment: f64,
    ) -> Result<Self, Refused> {
        Self::deciding(spec, None, all, weights, asked, moment)
    }

    /// The same, but what decides is this.
    ///
    /// # Errors
    ///
    /// Nobody can say.
    pub fn deciding(
        spec: &RunSpec,
        deciding: Option<&Deciding>,
        all: &Workload,
        weights: &Weights,
        asked: &Asked,
        moment: f64,
    ) -> Result<Self, Refused> {
        let policy = || spec.policy.label();
        if spec.policy.replays() {
            return Err(Refused::Replays { policy: policy() });
        }
        if all.is_adaptive() {
            return Err(Refused::Adaptive);
        }
        if !(moment.is_finite() && moment >= 0.0) {
            return Err(Refused::NoMoment);
        }
        let mut spec = spec.clone();
        // Which attempts fail is not known before.
        spec.options.replay_failures = false;
        let moment = Time(moment);
        let mut workload = come_by(all, moment);
        if let Some(job) = asked.job {
            let submit = all.jobs.get(job.index()).map(|job| job.submit.seconds());
            let submit = submit.ok_or(Refused::NoJob)?;
            if job.index() >= workload.jobs.len() {
                return Err(Refused::NotYet { submit });
            }
        }
        let job = asked.put(&mut workload, &spec.queues, moment)?;
        let seen = seen_running(&workload);
        for &at in seen.keys() {
            let duration = VERY_LONG;
            workload.jobs[at].work = Work::Fixed { duration };
        }
        check_knowledge(&spec, &workload, asked)?;
        let workload = Arc::new(workload);
        let mut simulation = started(&spec, deciding, Arc::clone(&workload), weights)?;
        simulation.run_until(moment)?;
        let past = Past::of(&spec, &workload, &simulation, seen, moment);
        if past.stages[job.index()] == Stage::Rejected {
            return Err(Refused::TooLarge {
                gpus: workload.jobs[job.index()].gpus,
                cluster: spec.cluster.to_string(),
            });
        }
        let last = all.jobs.last().map_or(0.0, |job| job.submit.seconds());
        let mut others = (0..past.stages.len()).filter(|&other| other != job.index());
        if moment.seconds() > last && others.all(|other| past.has_ended(other)) {
            let ends = (0..simulation.log().segments()).map(|at| simulation.log().segment(at));
            let ends = ends.filter(|of| of.end < Time::NEVER).map(|of| of.end);
            let ended = ends.max().unwrap_or(Time::ZERO).seconds();
            return Err(Refused::After { last, ended });
        }
        let durations = Durations::of(&workload, &past, job.index());
        let waits = workload.jobs.iter().zip(&past.starts);
        let waits = waits.map(|(job, start)| start.unwrap_or(moment) - job.submit);
        let longest = waits.fold(0.0, f64::max);
        Ok(Self {
            events: simulation.log().events(),
            hash: simulation.log().hash(),
            horizon: (WAITS_AHEAD * longest).clamp(LEAST_AHEAD, MOST_AHEAD),
            spec,
            deciding: deciding.cloned(),
            weights: weights.clone(),
            workload,
            job,
            moment,
            past,
            durations,
        })
    }

    /// When the job started, where it has by the moment; then nothing is to be drawn.
    pub fn started(&self) -> Option<Time> {
        self.past.starts[self.job.index()]
    }

    /// The job, among [those](Self::workload) that have come.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// The jobs that have come by the moment, the one that is asked about included.
    pub fn workload(&self) -> &Workload {
        &self.workload
    }

    /// The moment.
    pub fn moment(&self) -> Time {
        self.moment
    }

    /// The queues that the job could be in instead, those with most jobs first.
    pub fn other_queues(&self) -> Vec<String> {
        other_queues(&self.workload, &self.spec.queues, self.job)
    }

    /// By what the job's own duration is judged; nothing where no job has ended.
    pub fn basis(&self) -> Option<Basis> {
        let at = self.job.index();
        let ran = self.past.at_least(at).unwrap_or(0.0);
        let (group, survival) = self.durations.group(self.past.kinds[at], ran);
        let survival = survival.filter(|of| of.ended() > 0)?;
        Some(Basis {
            group: group.words().to_owned(),
            jobs: survival.jobs(),
            median: survival.quantile(ran, 0.5),
        })
    }

    /// One of many ways in which the run may go on: that of this number and seed.
    ///
    /// # Errors
    ///
    /// The run ends too early, or what the policy did before the moment hangs on what comes later.
    pub fn draw(&self, number: u32, seed: u64) -> Result<Draw, Refused> {
        // Neighbouring seeds are far apart in the generator's own seeding.
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(number);
        let mut rng = Rng::seed_from_u64(seed);
        self.go_on(Lasting::Drawn(&mut rng))
    }

    /// The plain way: all run for as long as they ask for, and nobody comes later. Where a job asks for no time, that
    /// which one of a hundred jobs exceeded by the moment stands in.
    ///
    /// # Errors
    ///
    /// As of a [draw](Self::draw).
    pub fn plain(&self) -> Result<Draw, Refused> {
        self.go_on(Lasting::Limit)
    }

    /// What stands for a limit where a job asks for no time, seconds.
    pub fn usual_limit(&self) -> f64 {
        self.durations.usual_limit
    }

    /// How many jobs that had come have not ended and ask for no time.
    pub fn without_limit(&self) -> usize {
        let jobs = self.workload.jobs.iter().enumerate();
        jobs.filter(|(at, job)| job.demand.time.is_none() && !self.past.has_ended(*at))
            .count()
    }

    fn go_on(&self, lasting: Lasting<'_>) -> Result<Draw, Refused> {
        if let Some(start) = self.started() {
            return Ok(Draw {
                start,
                before: Vec::new(),
                later: 0,
            });
        }
        let workload = Arc::new(self.drawn(lasting));
        let deciding = self.deciding.as_ref();
        let mut simulation = started(&self.spec, deciding, workload, &self.weights)?;
        simulation.run_until(self.moment)?;
        let log = simulation.log();
        if log.events() != self.events || log.hash() != self.hash {
            let policy = self.spec.policy.label();
            return Err(Refused::Foresees { policy });
        }
        self.until_start(&mut simulation)
    }

    /// The jobs of a draw.
    fn drawn(&self, lasting: Lasting<'_>) -> Workload {
        let mut workload = (*self.workload).clone();
        let (past, durations) = (&self.past, &self.durations);
        let rng = match lasting {
            Lasting::Drawn(rng) => rng,
            Lasting::Limit => {
                for (at, job) in workload.jobs.iter_mut().enumerate() {
                    if let Some(ran) = past.at_least(at) {
                        let limit = job.demand.time.unwrap_or(durations.usual_limit);
                        let duration = limit.max(ran + LEAST_LEFT);
                        job.work = Work::Fixed { duration };
                    }
                }
                return workload;
            }
        };
        let mut factors = Factors::draw(rng);
        for (at, job) in workload.jobs.iter_mut().enumerate() {
            if let Some(ran) = past.at_least(at) {
                let what = (past.kinds[at], past.batches[at]);
                let took = durations.draw(what, ran, job.demand.time, &mut factors, rng);
                let duration = took.max(ran + LEAST_LEFT);
                job.work = Work::Fixed { duration };
            }
        }
        let when = (self.job.index(), self.moment.seconds(), self.horizon);
        let arrivals = arrivals::draw(&self.workload, past, durations, when, &mut factors, rng);
        let recorded = &mut workload.recorded;
        for arrival in arrivals {
            if let Some(&set) = recorded.label_sets.get(arrival.like) {
                recorded.label_sets.push(set);
            }
            if let Some(&priority) = recorded.priorities.get(arrival.like) {
                recorded.priorities.push(priority);
            }
            workload.jobs.push(arrival.job);
        }
        workload
    }

    /// Goes on until the job starts.
    fn until_start(&self, simulation: &mut Simulation) -> Result<Draw, Refused> {
        let mut before = BTreeSet::new();
        let mut later = 0;
        let mut seen = self.events;
        loop {
            let goes_on = simulation.step()?;
            let log = simulation.log();
            for event in (seen..log.events()).map(|at| log.event(at)) {
                if !matches!(event.kind, EventKind::Start | EventKind::Restart) {
                    continue;
                }
                if event.job == self.job {
                    return Ok(Draw {
                        start: event.time,
                        before: before.into_iter().collect(),
                        later,
                    });
                }
                match self.past.stages.get(event.job.index()) {
                    Some(Stage::Waits(_)) => {
                        before.insert(event.job);
                    }
                    Some(_) => {}
                    None if event.kind == EventKind::Start => later += 1,
                    None => {}
                }
            }
            seen = log.events();
            if !goes_on {
                return Ok(Draw {
                    start: Time::NEVER,
                    before: Vec::new(),
                    later: 0,
                });
            }
        }
    }
}

/// The jobs that have come by a moment, and of what is recorded what was known when they came.
fn come_by(all: &Workload, moment: Time) -> Workload {
    let count = all.jobs.partition_point(|job| job.submit <= moment);
    let recorded = &all.recorded;
    fn first<T: Clone>(of: &[T], count: usize) -> Vec<T> {
        of[..of.len().min(count)].to_vec()
    }
    Workload {
        jobs: all.jobs[..count].to_vec(),
        tenants: all.tenants.clone(),
        models: all.models.clone(),
        gpu_types: all.gpu_types.clone(),
        unit: all.unit,
        recorded: Recorded {
            statuses: first(&recorded.statuses, count),
            priorities: first(&recorded.priorities, count),
            label_sets: first(&recorded.label_sets, count),
            labels: recorded.labels.clone(),
            ..Recorded::default()
        },
        epoch: all.epoch,
        applications: Vec::new(),
    }
}

/// Refuses policies that would know how long jobs take.
fn check_knowledge(spec: &RunSpec, workload: &Workload, asked: &Asked) -> Result<(), Refused> {
    if !spec.policy.is_oracle() {
        return Ok(());
    }
    let policy = spec.policy.label();
    if !spec.policy.goes_by_times_asked() {
        return Err(Refused::Oracle { policy });
    }
    let asks_none = |job: &&switchyard::job::Job| job.demand.time.is_none();
    let jobs = workload.jobs.iter().filter(asks_none).count();
    let is_added = asked.job.is_none() && asked.wish.limit.is_none();
    match jobs {
        0 => Ok(()),
        _ => Err(Refused::NoTimes {
            policy,
            jobs,
            all: workload.jobs.len(),
            hint: match is_added && jobs == 1 {
                true => ", or give the limit of the job",
                false => "",
            },
        }),
    }
}

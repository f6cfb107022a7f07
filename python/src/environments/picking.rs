//! Picking the next job, as RLScheduler (Zhang et al., SC'20) has it: at most 128 waiting jobs are seen, of each
//! eight numbers (`picking::features`), one of them is picked, and waits until it fits. Where there is but one, nobody
//! is asked. Or, preemptively, who runs is picked anew at every event ([`ordering`](super::ordering)). The reward is minus
//! a metric ([`goal`](super::goal)).
//!
//! Several episodes at once, each in a slot: arrays are the caller's, a row for each slot.
//!
//! An episode is what its seed and its answers make it, so these are what is kept of one ([`Kept`]): whoever reads
//! them plays it again up to there.

use super::elastic::Elastic;
use super::goal::{Ended, Goal, Meter};
use super::ordering::Ordering;
use super::screen::Screen;
use super::yard::{self, Looking, Yard, watched};
use super::{Asker, Cost, Episode, OTHER, alone, locked, of_bytes, to_bytes};
use crate::trace::Trace;
use crate::{RunError, refused};
use numpy::PyUntypedArrayMethods;
use numpy::{
    PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2,
    PyReadwriteArray3,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below};
use switchyard::engine::{Policy, Scheduler, SimOptions, Simulation};
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::picking::features::{FEATURES, VISIBLE, features, visible};
use switchyard::policies::picking::network::Network;
use switchyard::policies::picking::{Candidate, Moment, Pick, Queue, Waiting};
use switchyard::report::TraceFacts;
use switchyard::workload::{LublinGenerator, Sequences, Workload};
use switchyard_app::Experiment;
use switchyard_app::study::{Origin, Study};
use switchyard_sweep::files;

/// Jobs of a drawn trace, as many as Lublin-1 has.
const DRAWN: u32 = 10_000;

/// An episode has no more jobs, no more episodes are played at once, and all of them have no more jobs: memory is
/// there for so many, a few GB at most.
const MOST_JOBS: usize = 1_000_000;
pub(crate) const MOST_SLOTS: usize = 16_384;
const MOST_TOGETHER: usize = 5_000_000;

/// Sequences in which nobody ever has a choice are drawn anew, so often.
const TRIES: u32 = 64;

/// Numbers that are seen.
const SEEN: usize = VISIBLE * FEATURES;

/// A thread steps no fewer slots at once: waking it costs as much as some steps.
const LEAST: usize = 8;

type Run = Episode<Result<Ended, String>>;

type Kept = super::Kept<u8, Ended>;

/// A slot, what is done there, where it shows what is seen, and where its reward and its end go.
type Row<'a> = (
    ((&'a mut Slot, &'a i64), (&'a mut [f32], &'a mut [i8])),
    (&'a mut f64, &'a mut bool),
);

/// Episodes in which jobs are picked.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Picking {
    state: Mutex<State>,
}

struct State {
    how: How,
    slots: Vec<Slot>,
    /// Who steps them, if several threads do.
    crew: Option<Crew>,
}

/// What all episodes have in common.
struct How {
    jobs: Sequences,
    cluster: ClusterSpec,
    length: usize,
    form: Form,
    goal: Goal,
    /// The longest of all jobs, seconds.
    longest: f64,
}

/// What is picked.
#[derive(Clone, Copy)]
enum Form {
    /// The next job of a queue.
    Next { backfill: bool },
    /// Who runs; jobs that lose their GPUs pay so many seconds when they come back.
    Who { restart_cost: f64 },
    /// Who gets more GPUs, every so many seconds.
    Gpus { every: f64, restart_cost: f64 },
}

struct Slot {
    run: Option<Run>,
    screen: Arc<Mutex<Screen>>,
    cost: Cost,
    rng: Rng,
    kept: Kept,
    /// The first of the episode's jobs, once there is an episode.
    start: Option<usize>,
}

/// Threads that step slots. A forked process has none of its parent's, and would wait for them for ever.
struct Crew {
    pool: Option<ThreadPool>,
    threads: usize,
    process: u32,
}

impl Crew {
    fn new(threads: usize) -> PyResult<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        Ok(Self {
            pool: Some(pool.map_err(refused)?),
            threads,
            process: std::process::id(),
        })
    }

    /// The threads of this process.
    fn here(&mut self) -> PyResult<Option<&ThreadPool>> {
        if self.process != std::process::id() {
            // `drop` leaves the parent's pool alone: its threads are not here.
            *self = Self::new(self.threads)?;
        }
        Ok(self.pool.as_ref())
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.pool.take());
        }
    }
}

/// Who picks: whoever is outside.
struct Asking {
    asker: Asker,
    screen: Arc<Mutex<Screen>>,
    longest: f64,
    looking: Looking,
}

impl Pick for Asking {
    fn pick(&mut self, waiting: &Waiting, moment: Moment) -> Option<JobId> {
        let visible = visible(waiting);
        if let [only] = visible[..] {
            return Some(only.job);
        }
        locked(&self.screen).show(&visible, |job| features(job, moment, self.longest));
        if let Some(yard) = &self.looking {
            let mut yard = locked(yard);
            yard.choices = visible.iter().map(|of| of.job.0).collect();
            let all = yard.waiting.iter().map(|&(id, ..)| id);
            yard.picked = all.filter(|&id| waiting.get(JobId(id)).is_none()).collect();
        }
        let picked = self.asker.ask();
        // An answer that is none is the one who waits longest.
        Some(visible.get(picked).or(waiting.first())?.job)
    }

    fn facts(&self, _: &Waiting, _: &Candidate, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}

fn run(
    workload: Arc<Workload>,
    how: &How,
    screen: Arc<Mutex<Screen>>,
    cost: Cost,
    looking: Looking,
) -> PyResult<Run> {
    let (cluster, form, goal, longest) = (how.cluster.clone(), how.form, how.goal, how.longest);
    Episode::new(move |asker| {
        let mut options = SimOptions::default();
        let policy: Box<dyn Policy> = match form {
            Form::Next { backfill } => {
                let looking = looking.clone();
                let pick = Asking {
                    asker,
                    screen,
                    longest,
                    looking,
                };
                Box::new(Queue::new(pick, backfill.into(), Strategy::default()))
            }
            Form::Who { restart_cost } => {
                options.restart_cost = restart_cost;
                Box::new(Ordering::new(asker, screen, longest, looking.clone()))
            }
            Form::Gpus {
                every,
                restart_cost,
            } => {
                options.restart_cost = restart_cost;
                Box::new(Elastic::new(asker, screen, every, looking.clone()))
            }
        };
        let scheduler = Scheduler {
            spec: "pick-job".to_owned(),
            given: Vec::new(),
            oracle: true,
            replays: false,
            packs: false,
            interleaves: false,
            looks_at_links: false,
            policy: watched(policy, &looking, &workload),
        };
        let jobs = Arc::clone(&workload);
        let mut run = Simulation::new(jobs, &cluster, scheduler, options);
        let mut meter = Meter::new(goal, matches!(form, Form::Next { .. }));
        loop {
            let goes_on = run.step().map_err(|why| why.to_string())?;
            cost.add(meter.step(&workload, run.log()));
            if !goes_on {
                break;
            }
        }
        let log = run.into_log();
        yard::at_the_end(&looking, &log);
        let ended = Ended::of(&workload, &cluster, &log);
        cost.add(meter.end(ended));
        Ok(ended)
    })
}

impl Slot {
    fn new() -> Self {
        Self {
            run: None,
            screen: Screen::empty(),
            cost: Cost::default(),
            rng: Rng::seed_from_u64(0),
            kept: Kept::of(0),
            start: None,
        }
    }

    fn seed(&mut self, seed: u64) {
        self.rng = Rng::seed_from_u64(seed);
        self.kept = Kept::of(seed);
        self.start = None;
    }

    /// Draws the jobs of an episode: the first of them.
    fn draw(&mut self, how: &How) -> usize {
        self.kept.drawn += 1;
        let room = how.jobs.len().saturating_sub(how.length) as u32;
        let start = below(&mut self.rng, room + 1) as usize;
        self.start = Some(start);
        start
    }

    /// The jobs of the episode.
    fn jobs(&self, how: &How) -> PyResult<Arc<Workload>> {
        let none = || refused("there is no episode yet: reset it first");
        let start = self.start.ok_or_else(none)?;
        Ok(how.jobs.cut(start, how.length).workload)
    }

    /// What the episode looks like now: it is played again, and looked at.
    fn yard(&self, how: &How) -> PyResult<Yard> {
        let (yard, cost) = (Arc::default(), Cost::default());
        let looking = Some(Arc::clone(&yard));
        let run = run(self.jobs(how)?, how, Screen::empty(), cost.clone(), looking)?;
        let answers = self.kept.answers.iter().map(|&answer| answer.into());
        Ok(yard::looked(run, answers, &cost, &yard))
    }

    /// An episode of the jobs from there on, up to its first question; `false`: there is none.
    fn play(&mut self, how: &How, start: usize) -> PyResult<bool> {
        let sequence = how.jobs.cut(start, how.length);
        self.run = None;
        self.cost.take();
        let screen = Arc::clone(&self.screen);
        let mut episode = run(sequence.workload, how, screen, self.cost.clone(), None)?;
        if let Some(end) = episode.go_on(0) {
            end.map_err(RunError::new_err)?;
            return Ok(false);
        }
        self.run = Some(episode);
        Ok(true)
    }

    /// Begins an episode, up to its first question.
    fn begin(&mut self, how: &How) -> PyResult<()> {
        for _ in 0..TRIES {
            let start = self.draw(how);
            (self.kept.answers, self.kept.ended) = (Vec::new(), None);
            self.kept.goes = self.play(how, start)?;
            if self.kept.goes {
                return Ok(());
            }
        }
        Err(refused(
            "two jobs never wait at once, so there is nothing to pick: take a smaller cluster, or more jobs",
        ))
    }

    /// Plays what was kept again.
    fn again(&mut self, how: &How, kept: Kept) -> PyResult<()> {
        self.seed(kept.seed);
        let mut start = 0;
        for _ in 0..kept.drawn {
            start = self.draw(how);
        }
        self.run = None;
        if kept.goes {
            self.play(how, start)?;
            kept.replay(&mut self.run, &self.cost)?;
        }
        self.kept = kept;
        Ok(())
    }

    /// One step, or a new episode where the last is over: the reward, and whether it is over.
    fn step(&mut self, how: &How, action: i64, again: bool) -> PyResult<(f64, bool)> {
        let Some(episode) = &mut self.run else {
            return match again {
                true => self.begin(how).map(|()| (0.0, false)),
                false => Err(refused("the episode is over: reset it")),
            };
        };
        // What is no answer stays none.
        let answer = u8::try_from(action).unwrap_or(u8::MAX);
        self.kept.answers.push(answer);
        if let Some(end) = episode.go_on(usize::from(answer)) {
            (self.run, self.kept.goes) = (None, false);
            self.kept.ended = Some(end.map_err(RunError::new_err)?);
        }
        Ok((-self.cost.take(), self.run.is_none()))
    }

    /// Writes what is seen: jobs' numbers, and which actions there are. Of an episode that is over that is the
    /// first, which does nothing: whoever draws among actions always has one.
    fn show(&self, seen: &mut [f32], mask: &mut [i8]) {
        let screen = locked(&self.screen);
        let count = if self.run.is_some() { screen.count } else { 0 };
        let (jobs, none) = seen.split_at_mut(count * FEATURES);
        jobs.copy_from_slice(screen.features[..count].as_flattened());
        none.fill(0.0);
        let (jobs, none) = mask.split_at_mut(count.max(1));
        jobs.fill(1);
        none.fill(0);
    }
}

impl State {
    fn slot(&mut self, at: usize) -> PyResult<&mut Slot> {
        let slots = self.slots.len();
        let none = || refused(format!("there is no slot {at}: there are {slots}"));
        self.slots.get_mut(at).ok_or_else(none)
    }
}

/// The scores of jobs, by what is seen of each, that a picker with these weights gives.
#[pyfunction]
pub(crate) fn scores<'py>(
    py: Python<'py>,
    weights: &[u8],
    seen: PyReadonlyArray2<'_, f32>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let network = Network::of_safetensors(weights);
    let network = network.map_err(|why| refused(format!("weights: {why}")))?;
    let (jobs, _) = seen.as_slice()?.as_chunks::<FEATURES>();
    is_of(seen.shape(), [jobs.len(), FEATURES], "what is seen")?;
    Ok(PyArray1::from_iter(
        py,
        jobs.iter().map(|job| network.score(job)),
    ))
}

fn is_of<const N: usize>(shape: &[usize], wanted: [usize; N], what: &str) -> PyResult<()> {
    match shape == wanted {
        true => Ok(()),
        false => Err(refused(format!(
            "{what} is of shape {shape:?}: it takes {wanted:?}"
        ))),
    }
}

/// A whole number within limits, or an error that names them.
fn within(what: &str, given: &Bound<'_, PyAny>, limits: RangeInclusive<usize>) -> PyResult<usize> {
    match given.extract() {
        Ok(number) if limits.contains(&number) => Ok(number),
        _ => Err(refused(format!(
            "{what} is {}: it takes a whole number from {} to {}",
            given.repr()?,
            limits.start(),
            limits.end()
        ))),
    }
}

/// What is picked, as Python says it.
impl<'py> FromPyObject<'_, 'py> for Form {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (backfill, preemptive, elastic, restart_cost, every): (bool, bool, bool, f64, f64) =
            given.extract()?;
        if !(restart_cost >= 0.0 && restart_cost.is_finite()) {
            return Err(refused(format!(
                "restart_cost is {restart_cost}: it takes seconds from 0"
            )));
        }
        if !(every >= 1.0 && every.is_finite()) {
            return Err(refused(format!(
                "every is {every}: it takes seconds from 1"
            )));
        }
        match (preemptive, elastic) {
            (true, true) => Err(refused(
                "preemptive and elastic are two environments: elastic=True gives GPUs anew anyway",
            )),
            (false, false) if restart_cost > 0.0 => Err(refused(
                "restart_cost is for preemptive=True and elastic=True: without them no job is stopped",
            )),
            (false, false) => Ok(Self::Next { backfill }),
            _ if backfill => Err(refused(
                "backfill is for a queue whose head waits: with preemptive=True or elastic=True nobody waits behind it",
            )),
            (true, false) => Ok(Self::Who { restart_cost }),
            (false, true) => Ok(Self::Gpus {
                every,
                restart_cost,
            }),
        }
    }
}

/// The same jobs training applications, as Pollux would have them.
fn trained(workload: Workload) -> PyResult<Workload> {
    let pollux = "pollux".parse().map_err(refused)?;
    let experiment = Experiment::default();
    experiment.bind(workload, &[pollux]).map_err(refused)
}

#[pymethods]
impl Picking {
    /// Sequences of `jobs` jobs of a trace, or of Lublin's model, on a cluster; so many at once, stepped by so many
    /// threads.
    #[new]
    fn new(
        trace: Option<&Bound<'_, Trace>>,
        cluster: &str,
        jobs: &Bound<'_, PyAny>,
        how: (String, Form),
        slots: &Bound<'_, PyAny>,
        lublin: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let (reward, form) = how;
        let goal = reward.parse().map_err(refused)?;

        let cluster = files::cluster(cluster).map_err(refused)?;
        let jobs = within("jobs", jobs, 2..=MOST_JOBS)?;
        let slots = within("num_envs", slots, 1..=MOST_SLOTS)?;
        let mut workload = match trace {
            Some(trace) => trace.get().study.workload.clone(),
            None => {
                let lublin = LublinGenerator {
                    jobs: DRAWN.max(u32::try_from(jobs).unwrap_or(u32::MAX)),
                    processors: cluster.gpus(),
                    seed: lublin,
                };
                lublin.generate().workload()
            }
        };
        if matches!(form, Form::Gpus { .. }) {
            workload = trained(workload)?;
        }
        // Who wants more than there is would wait for ever.
        workload.jobs.retain(|job| job.gpus <= cluster.gpus());
        let all = Sequences::of_workload(workload);
        if all.len() < 2 {
            return Err(refused(
                "an episode takes at least two jobs that fit on the cluster",
            ));
        }
        let together = jobs.min(all.len()).saturating_mul(slots);
        if together > MOST_TOGETHER {
            return Err(refused(format!(
                "num_envs is {slots} and jobs is {jobs}: all together they are at most {MOST_TOGETHER} jobs"
            )));
        }
        // More threads than slots have nothing to do.
        let threads = threads.min(slots);
        Ok(Self {
            state: Mutex::new(State {
                how: How {
                    longest: all.longest(),
                    jobs: all,
                    cluster,
                    length: jobs,
                    form,
                    goal,
                },
                slots: (0..slots).map(|_| Slot::new()).collect(),
                crew: (threads > 1).then(|| Crew::new(threads)).transpose()?,
            }),
        })
    }

    /// Begins a slot's episode anew, by a seed or with what is drawn next.
    fn reset(
        &self,
        slot: usize,
        seed: Option<u64>,
        mut seen: PyReadwriteArray3<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<()> {
        let state = &mut *alone(&self.state)?;
        state.slot(slot)?;
        let slots = state.slots.len();
        is_of(seen.shape(), [slots, VISIBLE, FEATURES], "observations")?;
        is_of(mask.shape(), [slots, VISIBLE], "masks")?;
        let own = &mut state.slots[slot];
        if let Some(seed) = seed {
            own.seed(seed);
        }
        own.begin(&state.how)?;
        own.show(
            &mut seen.as_slice_mut()?[slot * SEEN..][..SEEN],
            &mut mask.as_slice_mut()?[slot * VISIBLE..][..VISIBLE],
        );
        Ok(())
    }

    /// One step of every slot. One that is over begins anew, whatever its action, where `again`; its reward is 0
    /// then.
    #[expect(clippy::too_many_arguments, reason = "arrays of the caller's")]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        again: bool,
        mut seen: PyReadwriteArray3<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
        mut rewards: PyReadwriteArray1<'_, f64>,
        mut terminated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let State { how, slots, crew } = &mut *alone(&self.state)?;
        is_of(actions.shape(), [slots.len()], "actions")?;
        is_of(
            seen.shape(),
            [slots.len(), VISIBLE, FEATURES],
            "observations",
        )?;
        is_of(mask.shape(), [slots.len(), VISIBLE], "masks")?;
        is_of(rewards.shape(), [slots.len()], "rewards")?;
        is_of(terminated.shape(), [slots.len()], "terminations")?;
        let actions = actions.as_slice()?;
        let (seen, mask) = (seen.as_slice_mut()?, mask.as_slice_mut()?);
        let (rewards, terminated) = (rewards.as_slice_mut()?, terminated.as_slice_mut()?);
        let step = |(((slot, &action), (seen, mask)), (reward, over)): Row<'_>| {
            (*reward, *over) = slot.step(how, action, again)?;
            slot.show(seen, mask);
            Ok(())
        };
        let pool = match crew {
            Some(crew) => crew.here()?,
            None => None,
        };
        let Some(pool) = pool else {
            let shown = seen.chunks_mut(SEEN).zip(mask.chunks_mut(VISIBLE));
            let rows = slots.iter_mut().zip(actions).zip(shown);
            return rows
                .zip(rewards.iter_mut().zip(terminated))
                .try_for_each(step);
        };
        py.detach(|| {
            pool.install(|| {
                let shown = seen.par_chunks_mut(SEEN).zip(mask.par_chunks_mut(VISIBLE));
                let rows = slots.par_iter_mut().zip(actions).zip(shown);
                let rows = rows.zip(rewards.par_iter_mut().zip(terminated));
                rows.with_min_len(LEAST).try_for_each(step)
            })
        })
    }

    /// Of a slot whose episode is over: mean bounded slowdown, mean JCT, p95 JCT and makespan, seconds, and mean ρ.
    fn figures(&self, slot: usize) -> PyResult<Option<[f64; 5]>> {
        let ended = alone(&self.state)?.slot(slot)?.kept.ended;
        Ok(ended.map(Ended::figures))
    }

    /// The jobs of a slot's episode, as a trace with its cluster.
    fn episode(&self, slot: usize) -> PyResult<Trace> {
        let state = &mut *alone(&self.state)?;
        state.slot(slot)?;
        let workload = state.slots[slot].jobs(&state.how)?;
        Ok(Trace {
            study: Study {
                facts: TraceFacts::of("an environment's episode", &workload),
                workload: Arc::unwrap_or_clone(workload),
                cluster: Some((state.how.cluster.clone(), Origin::Asked)),
                profiles: Vec::new(),
                experiment: Experiment::default(),
                report: Default::default(),
            },
        })
    }

    /// What a slot's episode looks like now.
    fn yard(&self, slot: usize) -> PyResult<Yard> {
        let state = &mut *alone(&self.state)?;
        state.slot(slot)?;
        state.slots[slot].yard(&state.how)
    }

    /// All episodes as bytes, for another one that was made alike.
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let state = alone(&self.state)?;
        let kept: Vec<&Kept> = state.slots.iter().map(|slot| &slot.kept).collect();
        to_bytes(py, &kept)
    }

    /// Plays what was kept again, up to where it was.
    fn play_again(&self, kept: &[u8]) -> PyResult<()> {
        let State { how, slots, .. } = &mut *alone(&self.state)?;
        let kept: Vec<Kept> = of_bytes(kept)?;
        if kept.len() != slots.len() {
            return Err(refused(OTHER));
        }
        let mut both = slots.iter_mut().zip(kept);
        both.try_for_each(|(slot, kept)| slot.again(how, kept))
    }
}

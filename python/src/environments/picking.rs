//! Picking the next job, as RLScheduler (Zhang et al., SC'20) has it: at most 128 waiting jobs are seen, of each
//! eight numbers (`picking::sight`), one of them is picked, and waits until it fits. Where there is but one, nobody
//! is asked. The reward is minus the bounded slowdown of each job that has started since, divided by how many jobs
//! there are: an episode's sum is minus its mean bounded slowdown.
//!
//! Several episodes at once, each in a slot: arrays are the caller's, a row for each slot.

use super::{Asker, Episode, taken};
use crate::trace::Trace;
use crate::{RunError, refused};
use numpy::PyUntypedArrayMethods;
use numpy::{PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2, PyReadwriteArray3};
use pyo3::prelude::*;
use rand_xoshiro::rand_core::SeedableRng;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below};
use switchyard::placement::Strategy;
use switchyard::policy::picking::sight::{FEATURES, VISIBLE, features, visible};
use switchyard::policy::picking::{Candidate, Moment, Pick, Queue};
use switchyard::report::bounded_slowdown;
use switchyard::sim::{RunLog, Scheduler, SimOptions, Simulation};
use switchyard::tell::Fact;
use switchyard::workload::{LublinGenerator, Sequences, Workload};
use switchyard_sweep::files;

/// Jobs of a drawn trace, as many as Lublin-1 has.
const DRAWN: u32 = 10_000;

/// Sequences in which nobody ever has a choice are drawn anew, so often.
const TRIES: u32 = 64;

/// A second counts no more than this many in a bounded slowdown.
const BOUND: f64 = 10.0;

/// The numbers of the jobs that are seen, and how many they are.
struct Screen {
    features: [[f32; FEATURES]; VISIBLE],
    count: usize,
}

/// What came of an episode.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    bsld: f64,
    jct: f64,
}

type Run = Episode<Result<Ended, String>>;

/// Episodes in which jobs are picked.
#[pyclass(unsendable, module = "switchyard._engine")]
pub(crate) struct Picking {
    jobs: Sequences,
    cluster: ClusterSpec,
    length: usize,
    backfill: bool,
    slots: Vec<Slot>,
}

struct Slot {
    run: Option<Run>,
    screen: Rc<RefCell<Screen>>,
    cost: Rc<Cell<f64>>,
    rng: Rng,
    ended: Option<Ended>,
}

/// Who picks: whoever is outside.
struct Asking {
    asker: Asker,
    screen: Rc<RefCell<Screen>>,
    longest: f64,
}

impl Pick for Asking {
    fn pick(&mut self, waiting: &[Candidate], moment: Moment) -> usize {
        let visible = visible(waiting);
        if let [only] = visible[..] {
            return only;
        }
        {
            let mut screen = self.screen.borrow_mut();
            for (row, &at) in screen.features.iter_mut().zip(&visible) {
                *row = features(&waiting[at], moment, self.longest);
            }
            screen.count = visible.len();
        }
        let picked = self.asker.ask();
        // An answer that is none is the one who waits longest.
        visible.get(picked).copied().unwrap_or(0)
    }

    fn facts(&self, _: &[Candidate], _: usize, _: Moment) -> Vec<Fact> {
        Vec::new()
    }
}

/// The bounded slowdown of those who started since `counted`.
fn started(workload: &Workload, log: &RunLog, counted: &mut usize) -> f64 {
    let from = std::mem::replace(counted, log.segments());
    let starts = (from..log.segments()).map(|at| log.segment(at));
    let slowdowns = starts.map(|stay| {
        let job = &workload.jobs[stay.job.index()];
        let seconds = job.work.seconds();
        let jct = stay.start - job.submit + seconds;
        (jct / seconds.max(BOUND)).max(1.0)
    });
    slowdowns.sum()
}

fn run(
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    (backfill, longest): (bool, f64),
    screen: Rc<RefCell<Screen>>,
    cost: Rc<Cell<f64>>,
) -> Run {
    Episode::new(move |asker| {
        let pick = Asking {
            asker,
            screen,
            longest,
        };
        let scheduler = Scheduler {
            spec: "pick-job".to_owned(),
            given: Vec::new(),
            oracle: true,
            packs: false,
            looks_at_links: false,
            policy: Box::new(Queue::new(pick, backfill, Strategy::default())),
        };
        let jobs = Arc::clone(&workload);
        let mut run = Simulation::new(jobs, &cluster, scheduler, SimOptions::default());
        let count = workload.jobs.len().max(1) as f64;
        let mut counted = 0;
        loop {
            let goes_on = run.step().map_err(|why| why.to_string())?;
            let slowdowns = started(&workload, run.log(), &mut counted);
            cost.set(cost.get() + slowdowns / count);
            if !goes_on {
                break;
            }
        }
        let log = run.into_log();
        let stays = (0..log.segments()).map(|at| log.segment(at));
        let jct = stays.map(|stay| stay.end - workload.jobs[stay.job.index()].submit);
        Ok(Ended {
            bsld: bounded_slowdown(&workload, &log),
            jct: jct.sum::<f64>() / count,
        })
    })
}

impl Picking {
    /// Begins an episode of a slot, up to its first question.
    fn begin(&mut self, slot: usize) -> PyResult<()> {
        let longest = self.jobs.longest();
        for _ in 0..TRIES {
            let slot = &mut self.slots[slot];
            let room = self.jobs.len().saturating_sub(self.length) as u32;
            let start = below(&mut slot.rng, room + 1) as usize;
            let sequence = self.jobs.cut(start, self.length);
            slot.cost.set(0.0);
            slot.ended = None;
            let (screen, cost) = (Rc::clone(&slot.screen), Rc::clone(&slot.cost));
            let how = (self.backfill, longest);
            let mut episode = run(sequence.workload, self.cluster.clone(), how, screen, cost);
            match episode.go_on(0) {
                None => {
                    slot.run = Some(episode);
                    return Ok(());
                }
                Some(Err(why)) => return Err(RunError::new_err(why)),
                Some(Ok(_)) => {}
            }
        }
        Err(refused(
            "two jobs never wait at once, so there is nothing to pick: take a smaller cluster, or more jobs",
        ))
    }

    fn slot(&self, at: usize) -> PyResult<&Slot> {
        let none = || {
            refused(format!(
                "there is no slot {at}: there are {}",
                self.slots.len()
            ))
        };
        self.slots.get(at).ok_or_else(none)
    }
}

/// The arrays of the caller's, a row for each slot: jobs' numbers, and which actions there are.
type Arrays<'a> = (&'a mut [f32], &'a mut [i8]);

/// Writes what a slot sees into its rows.
fn show(slot: &Slot, at: usize, (seen, mask): Arrays<'_>) {
    const ALL: usize = VISIBLE * FEATURES;
    let screen = slot.screen.borrow();
    let seen = &mut seen[at * ALL..(at + 1) * ALL];
    let mask = &mut mask[at * VISIBLE..(at + 1) * VISIBLE];
    let count = if slot.run.is_some() { screen.count } else { 0 };
    seen[..count * FEATURES].copy_from_slice(screen.features[..count].as_flattened());
    seen[count * FEATURES..].fill(0.0);
    mask[..count].fill(1);
    mask[count..].fill(0);
}

fn is_of<const N: usize>(shape: &[usize], wanted: [usize; N], what: &str) -> PyResult<()> {
    match shape == wanted {
        true => Ok(()),
        false => Err(refused(format!(
            "{what} is of shape {shape:?}: it takes {wanted:?}"
        ))),
    }
}

#[pymethods]
impl Picking {
    /// Sequences of `jobs` jobs of a trace, or of Lublin's model, on a cluster.
    #[new]
    fn new(
        trace: Option<&Bound<'_, Trace>>,
        cluster: &str,
        jobs: usize,
        backfill: bool,
        slots: usize,
        lublin: u64,
    ) -> PyResult<Self> {
        let cluster = files::cluster(cluster).map_err(refused)?;
        let all = match trace {
            Some(trace) => {
                let mut workload = trace.get().study.workload.clone();
                // Who wants more than there is would wait for ever.
                workload.jobs.retain(|job| job.gpus <= cluster.gpus());
                Sequences::of_workload(workload)
            }
            None => Sequences::of(
                &LublinGenerator {
                    jobs: DRAWN.max(u32::try_from(jobs).unwrap_or(u32::MAX)),
                    processors: cluster.gpus(),
                    seed: lublin,
                }
                .generate(),
            ),
        };
        if jobs < 2 || all.len() < 2 {
            return Err(refused(
                "an episode takes at least two jobs that fit on the cluster",
            ));
        }
        let slot = |_| Slot {
            run: None,
            screen: Rc::new(RefCell::new(Screen {
                features: [[0.0; FEATURES]; VISIBLE],
                count: 0,
            })),
            cost: Rc::default(),
            rng: Rng::seed_from_u64(0),
            ended: None,
        };
        Ok(Self {
            jobs: all,
            cluster,
            length: jobs,
            backfill,
            slots: (0..slots).map(slot).collect(),
        })
    }

    /// Begins a slot's episode anew, by a seed or with what is drawn next.
    fn reset(
        &mut self,
        slot: usize,
        seed: Option<u64>,
        mut seen: PyReadwriteArray3<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<()> {
        self.slot(slot)?;
        let slots = self.slots.len();
        is_of(seen.shape(), [slots, VISIBLE, FEATURES], "observations")?;
        is_of(mask.shape(), [slots, VISIBLE], "masks")?;
        if let Some(seed) = seed {
            self.slots[slot].rng = Rng::seed_from_u64(seed);
        }
        self.begin(slot)?;
        show(
            &self.slots[slot],
            slot,
            (seen.as_slice_mut()?, mask.as_slice_mut()?),
        );
        Ok(())
    }

    /// One step of every slot. One that is over begins anew, whatever its action, where `again`; its reward is 0
    /// then.
    fn step(
        &mut self,
        actions: PyReadonlyArray1<'_, i64>,
        again: bool,
        mut seen: PyReadwriteArray3<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
        mut rewards: PyReadwriteArray1<'_, f64>,
        mut terminated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<()> {
        let slots = self.slots.len();
        is_of(actions.shape(), [slots], "actions")?;
        is_of(seen.shape(), [slots, VISIBLE, FEATURES], "observations")?;
        is_of(mask.shape(), [slots, VISIBLE], "masks")?;
        is_of(rewards.shape(), [slots], "rewards")?;
        is_of(terminated.shape(), [slots], "terminations")?;
        let (seen, mask) = (seen.as_slice_mut()?, mask.as_slice_mut()?);
        let (rewards, terminated) = (rewards.as_slice_mut()?, terminated.as_slice_mut()?);
        for (at, &action) in actions.as_slice()?.iter().enumerate() {
            (rewards[at], terminated[at]) = (0.0, false);
            let Slot {
                run, cost, ended, ..
            } = &mut self.slots[at];
            match run {
                Some(episode) => {
                    let answer = usize::try_from(action).unwrap_or(usize::MAX);
                    if let Some(end) = episode.go_on(answer) {
                        *ended = Some(end.map_err(RunError::new_err)?);
                        *run = None;
                        terminated[at] = true;
                    }
                    rewards[at] = -taken(cost);
                }
                None if again => self.begin(at)?,
                None => return Err(refused("the episode is over: reset it")),
            }
            show(&self.slots[at], at, (&mut *seen, &mut *mask));
        }
        Ok(())
    }

    /// Of a slot whose episode is over: mean bounded slowdown and mean JCT, seconds.
    fn figures(&self, slot: usize) -> PyResult<Option<(f64, f64)>> {
        let ended = self.slot(slot)?.ended;
        Ok(ended.map(|ended| (ended.bsld, ended.jct)))
    }
}

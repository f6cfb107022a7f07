//! Placing a part of a job, as the learned placer's agents do (`placement::graph_rl`): each partition of a data centre
//! is an agent. The one that is asked lays the next worker or parameter server on a group of GPUs, forwards the
//! job to another partition, or lets it wait; all others have nothing to do then. Which partition is asked first is
//! not learned here: the one with the most free GPUs.
//!
//! Jobs are drawn, or they are a trace's. The reward, the same for all, is minus the time that jobs spend in the system since the last step, as a part of
//! what all of them would take alone: an episode's sum is minus mean JCT ÷ mean duration.

use super::yard::{self, Looking, Yard, watched};
use super::{Asker, Cost, Episode, alone, locked, of_bytes, to_bytes};
use crate::trace::Trace;
use crate::{RunError, refused};
use numpy::{PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::sync::{Arc, Mutex};
use switchyard::Time;
use switchyard::cluster::{ClusterSpec, Topology};
use switchyard::draw::Rng;
use switchyard::engine::{SimOptions, Simulation};
use switchyard::explain::Choice;
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::scene::{GROUP, JOB, Observation, PARTITION, RACK, SERVER};
use switchyard::placement::graph_rl::{Chooser, Decision, Placer};
use switchyard::policies::{self, BuildContext};
use switchyard::weights::WeightsChoice;
use switchyard::workload::{DataCentre, Sequences, Split, Workload};
use switchyard_sweep::options::shipped;

/// How a data centre is built, the same in each of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tree {
    partitions: usize,
    /// Of a partition.
    racks: usize,
    servers: usize,
    groups: usize,
}

/// What an agent may do, by number: its groups, server by server; forwarding to a partition; waiting; and
/// nothing, which is what those do that are not asked.
impl Tree {
    fn wait(self) -> usize {
        self.groups + self.partitions
    }

    fn nothing(self) -> usize {
        self.wait() + 1
    }

    fn actions(self) -> usize {
        self.nothing() + 1
    }

    /// Numbers that an agent sees.
    fn seen(self) -> usize {
        let own = self.groups * GROUP + self.servers * SERVER + self.racks * RACK;
        1 + JOB + own + self.partitions * PARTITION
    }

    fn of(cluster: &ClusterSpec) -> Option<Self> {
        let tree = Topology::of(cluster);
        let (nodes, racks) = (tree.nodes() as usize, tree.racks() as usize);
        let partitions = (0..tree.racks()).map(|rack| tree.partition_of(rack) as usize);
        let partitions = partitions.max()? + 1;
        let sockets = tree.sockets(0) as usize;
        let even = Self {
            partitions,
            racks: racks / partitions,
            servers: nodes / partitions,
            groups: nodes / partitions * sockets,
        };
        let is_even = (0..tree.nodes()).all(|node| {
            let of = tree.partition_of(tree.rack_of(node)) as usize;
            tree.sockets(node) as usize == sockets && of == node as usize / even.servers
        }) && (0..racks)
            .all(|rack| tree.partition_of(rack as u32) as usize == rack / even.racks);
        is_even.then_some(even)
    }

    fn option(self, node: usize, group: u32) -> usize {
        let sockets = self.groups / self.servers;
        node % self.servers * sockets + group as usize
    }
}

/// What is asked: of whom, what may be done, and what every agent sees.
struct Screen {
    asked: usize,
    /// By action, the choice; none where that is no choice.
    choices: Vec<Option<usize>>,
    /// Agent by agent.
    seen: Vec<f32>,
}

impl Screen {
    fn empty() -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            asked: 0,
            choices: Vec::new(),
            seen: Vec::new(),
        }))
    }
}

struct Asking {
    asker: Asker,
    tree: Tree,
    screen: Arc<Mutex<Screen>>,
}

impl Asking {
    fn show(&self, seen: &Observation, asked: usize, screen: &mut Screen) {
        let tree = self.tree;
        screen.asked = asked;
        screen.seen.clear();
        for agent in 0..tree.partitions {
            screen.seen.push(if agent == asked { 1.0 } else { 0.0 });
            screen.seen.extend(seen.job);
            let own = |count: usize| agent * count..(agent + 1) * count;
            screen
                .seen
                .extend(seen.groups[own(tree.groups)].as_flattened());
            screen
                .seen
                .extend(seen.servers[own(tree.servers)].as_flattened());
            screen
                .seen
                .extend(seen.racks[own(tree.racks)].as_flattened());
            screen.seen.extend(seen.partitions.as_flattened());
        }
    }
}

impl Chooser for Asking {
    fn choose(&mut self, decision: &Decision<'_>) -> usize {
        let Some(asked) = decision.partition else {
            // The emptiest, of several the first.
            let free = |choice: &Choice| match choice {
                Choice::Forward { partition } => decision.seen.partitions[*partition as usize][1],
                _ => 0.0,
            };
            let choices = decision.choices.iter().enumerate();
            let best = choices.fold((0, -1.0), |best, (at, choice)| match free(choice) {
                share if share > best.1 => (at, share),
                _ => best,
            });
            return best.0;
        };
        if decision.choices.len() < 2 {
            return 0;
        }
        {
            let mut screen = locked(&self.screen);
            self.show(decision.seen, asked as usize, &mut screen);
            screen.choices = vec![None; self.tree.actions()];
            for (at, choice) in decision.choices.iter().enumerate() {
                let action = match *choice {
                    Choice::Group { node, group } => self.tree.option(node as usize, group),
                    Choice::Forward { partition } => self.tree.groups + partition as usize,
                    Choice::Wait => self.tree.wait(),
                };
                screen.choices[action] = Some(at);
            }
        }
        let action = self.asker.ask();
        let screen = locked(&self.screen);
        // What is no choice is to wait, or else the first.
        let choice = |action: usize| screen.choices.get(action).copied().flatten();
        choice(action)
            .or_else(|| choice(self.tree.wait()))
            .unwrap_or(0)
    }
}

/// What came of an episode: mean JCT and mean duration, seconds.
type Ended = (f64, f64);

type Kept = super::Kept<u32, Ended>;

/// No data centre gets more jobs: so many that memory is there for them.
const MOST_JOBS: u32 = 1_000_000;

/// Where jobs come from.
enum Source {
    /// They are drawn, and come at this load.
    Drawn { load: f64 },
    /// Those of a trace, as they came, or at this load.
    Trace {
        jobs: Box<Sequences>,
        load: Option<f64>,
    },
}

impl Source {
    /// So many jobs, the same for the same number.
    fn workload(&self, number: u32, jobs: u32, gpus: u32) -> Arc<Workload> {
        match self {
            &Self::Drawn { load } => {
                let drawn = DataCentre {
                    jobs,
                    gpus,
                    load,
                    split: Split::Training(number),
                };
                Arc::new(drawn.workload())
            }
            Self::Trace { jobs: all, load } => {
                let room = all.len().saturating_sub(jobs as usize);
                let start = number as usize % (room + 1);
                let mut workload = all.cut(start, jobs as usize).workload;
                if let Some(load) = load {
                    at_load(Arc::make_mut(&mut workload), gpus, *load);
                }
                workload
            }
        }
    }
}

/// Has jobs come so fast that they bring so many GPU·s for each there is, until the last arrives.
fn at_load(workload: &mut Workload, gpus: u32, load: f64) {
    let last = workload.jobs.last().map_or(0.0, |job| job.submit.seconds());
    let work = workload.jobs.iter();
    let work: f64 = work
        .map(|job| f64::from(job.gpus) * job.work.seconds())
        .sum();
    if last > 0.0 {
        let slower = work / (f64::from(gpus) * load) / last;
        for job in &mut workload.jobs {
            job.submit = Time(job.submit.seconds() * slower);
        }
    }
}

/// The jobs of a trace that a partition has room for.
fn of_trace(trace: &Trace, cluster: &ClusterSpec, tree: Tree) -> PyResult<Sequences> {
    let mut workload = trace.study.workload.clone();
    if workload.is_adaptive() {
        return Err(refused(
            "the trace's jobs train applications, and parts of those are not placed one by one: take a trace of plain jobs",
        ));
    }
    let room = cluster.gpus() / tree.partitions as u32;
    workload.jobs.retain(|job| (1..=room).contains(&job.gpus));
    match workload.jobs.len() {
        0 | 1 => Err(refused(format!(
            "an episode takes at least two jobs that fit on a partition, of {room} GPUs"
        ))),
        _ => Ok(Sequences::of_workload(workload)),
    }
}

/// Episodes in which the parts of jobs are placed.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Placing {
    state: Mutex<State>,
}

struct State {
    cluster: ClusterSpec,
    tree: Tree,
    jobs: u32,
    source: Source,
    rng: Rng,
    /// Which jobs the episode has, once there is an episode.
    number: Option<u32>,
    run: Option<Episode<Result<Ended, String>>>,
    screen: Arc<Mutex<Screen>>,
    cost: Cost,
    kept: Kept,
}

fn run(
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    tree: Tree,
    screen: Arc<Mutex<Screen>>,
    cost: Cost,
    looking: Looking,
) -> PyResult<Episode<Result<Ended, String>>> {
    Episode::new(move |asker| {
        let spec = "fifo[backfill=true,placement=graph-rl]".parse();
        let spec = spec.map_err(|why: policies::SpecError| why.to_string())?;
        let context = BuildContext {
            placement: Strategy::GRAPH_RL,
            workload: &workload,
            history: None,
            picker: None,
            queues: None,
        };
        let options = SimOptions {
            contention: true,
            ..SimOptions::default()
        };
        let network = shipped().placer(Strategy::GRAPH_RL, WeightsChoice::Shipped);
        let network = network.ok_or("the placer's weights are not at hand")?;
        let asking = Asking {
            asker,
            tree,
            screen,
        };
        let placer = Placer::new(network).chosen_by(asking);
        let mut scheduler = policies::build(&spec, &context);
        scheduler.policy = watched(scheduler.policy, &looking, &workload);
        let jobs = Arc::clone(&workload);
        let run = Simulation::new(jobs, &cluster, scheduler, options);
        let mut run = run.with_learned(placer);
        let count = workload.jobs.len().max(1) as f64;
        let alone: f64 = workload.jobs.iter().map(|job| job.work.seconds()).sum();
        let submits: Vec<f64> = workload
            .jobs
            .iter()
            .map(|job| job.submit.seconds())
            .collect();
        let (mut now, mut active) = (0.0, 0.0);
        loop {
            let until = run.next_time().seconds();
            if until.is_finite() && until > now {
                cost.add(active * (until - now) / alone);
                now = until;
            }
            if !run.step().map_err(|why| why.to_string())? {
                break;
            }
            let here = submits.partition_point(|&submit| submit <= now) as f64;
            active = here - f64::from(run.progress().done);
        }
        let log = run.into_log();
        yard::at_the_end(&looking, &log);
        let stays = (0..log.segments()).map(|at| log.segment(at));
        let jct = stays.map(|stay| stay.end - workload.jobs[stay.job.index()].submit);
        Ok((jct.sum::<f64>() / count, alone / count))
    })
}

#[pymethods]
impl Placing {
    /// So many jobs for each GPU of a data centre: drawn, coming at a load, or those of a trace that follow one another.
    #[new]
    fn new(
        cluster: &str,
        jobs: u32,
        load: Option<f64>,
        trace: Option<&Bound<'_, Trace>>,
    ) -> PyResult<Self> {
        let cluster: ClusterSpec = cluster.parse().map_err(refused)?;
        let tree = Tree::of(&cluster);
        let tree = tree.filter(|tree| tree.partitions > 1).ok_or_else(|| {
            refused(format!(
                "{cluster} has no partitions that are all alike: such as 16x8/sockets=2/partitions=4/racks=8"
            ))
        })?;
        if !(jobs > 0 && load.is_none_or(|load| load > 0.0 && load.is_finite())) {
            return Err(refused("jobs for each GPU, and their load, are above 0"));
        }
        let all = jobs.saturating_mul(cluster.gpus());
        if all > MOST_JOBS {
            return Err(refused(format!(
                "jobs is {jobs} for each of {} GPUs: all together they are at most {MOST_JOBS}",
                cluster.gpus()
            )));
        }
        let source = match trace {
            None => Source::Drawn {
                load: load.unwrap_or(1.0),
            },
            Some(trace) => Source::Trace {
                jobs: Box::new(of_trace(trace.get(), &cluster, tree)?),
                load,
            },
        };
        Ok(Self {
            state: Mutex::new(State {
                tree,
                jobs: all,
                source,
                cluster,
                rng: Rng::seed_from_u64(0),
                number: None,
                run: None,
                screen: Screen::empty(),
                cost: Cost::default(),
                kept: Kept::of(0),
            }),
        })
    }

    /// Agents, what each sees, and what each may do: how many.
    fn shape(&self) -> PyResult<(usize, usize, usize)> {
        let tree = alone(&self.state)?.tree;
        Ok((tree.partitions, tree.seen(), tree.actions()))
    }

    /// Begins anew, by a seed or with what is drawn next.
    fn reset(
        &self,
        seed: Option<u64>,
        seen: PyReadwriteArray2<'_, f32>,
        mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<usize> {
        let mut state = alone(&self.state)?;
        if let Some(seed) = seed {
            state.seed(seed);
        }
        let number = state.draw();
        (state.kept.answers, state.kept.ended) = (Vec::new(), None);
        state.kept.goes = state.play(number)?;
        if !state.kept.goes {
            return Err(refused("nobody ever had a choice: take more jobs"));
        }
        state.show(seen, mask)
    }

    /// What the asked agent does; the reward of all, and whether it is over.
    fn step(
        &self,
        action: i64,
        seen: PyReadwriteArray2<'_, f32>,
        mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<(f64, bool, usize)> {
        let state = &mut *alone(&self.state)?;
        let Some(episode) = &mut state.run else {
            return Err(refused("the episode is over: reset it"));
        };
        // What is no answer stays none.
        let answer = u32::try_from(action).unwrap_or(u32::MAX);
        state.kept.answers.push(answer);
        if let Some(end) = episode.go_on(answer as usize) {
            (state.run, state.kept.goes) = (None, false);
            state.kept.ended = Some(end.map_err(RunError::new_err)?);
        }
        let reward = -state.cost.take();
        let asked = state.show(seen, mask)?;
        Ok((reward, state.run.is_none(), asked))
    }

    /// Once it is over: mean JCT and mean duration alone, seconds.
    fn figures(&self) -> PyResult<Option<Ended>> {
        Ok(alone(&self.state)?.kept.ended)
    }

    /// What the episode looks like now.
    fn yard(&self) -> PyResult<Yard> {
        let state = &*alone(&self.state)?;
        let none = || refused("there is no episode yet: reset it first");
        let number = state.number.ok_or_else(none)?;
        let (yard, cost) = (Arc::default(), Cost::default());
        let looking = Some(Arc::clone(&yard));
        let run = state.start(number, Screen::empty(), cost.clone(), looking)?;
        let answers = state.kept.answers.iter().map(|&answer| answer as usize);
        Ok(yard::looked(run, answers, &cost, &yard))
    }

    /// The episode as bytes, for another environment that was made alike.
    fn kept<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &alone(&self.state)?.kept)
    }

    /// Plays what was kept again, up to where it was.
    fn play_again(&self, kept: &[u8]) -> PyResult<()> {
        alone(&self.state)?.again(of_bytes(kept)?)
    }
}

impl State {
    fn seed(&mut self, seed: u64) {
        self.rng = Rng::seed_from_u64(seed);
        self.kept = Kept::of(seed);
        self.number = None;
    }

    /// Draws which jobs there are.
    fn draw(&mut self) -> u32 {
        self.kept.drawn += 1;
        // Half of the numbers: the others are what trained placers are validated by.
        let number = (self.rng.next_u64() % (1 << 31)) as u32;
        self.number = Some(number);
        number
    }

    /// A run of these jobs at its beginning.
    fn start(
        &self,
        number: u32,
        screen: Arc<Mutex<Screen>>,
        cost: Cost,
        looking: Looking,
    ) -> PyResult<Episode<Result<Ended, String>>> {
        let gpus = self.cluster.gpus();
        run(
            self.source.workload(number, self.jobs, gpus),
            self.cluster.clone(),
            self.tree,
            screen,
            cost,
            looking,
        )
    }

    /// An episode of these jobs, up to its first question; `false`: there is none.
    fn play(&mut self, number: u32) -> PyResult<bool> {
        self.run = None;
        self.cost.take();
        let (screen, cost) = (Arc::clone(&self.screen), self.cost.clone());
        let mut episode = self.start(number, screen, cost, None)?;
        if let Some(end) = episode.go_on(0) {
            end.map_err(RunError::new_err)?;
            return Ok(false);
        }
        self.run = Some(episode);
        Ok(true)
    }

    /// Plays what was kept again.
    fn again(&mut self, kept: Kept) -> PyResult<()> {
        self.seed(kept.seed);
        let mut number = 0;
        for _ in 0..kept.drawn {
            number = self.draw();
        }
        self.run = None;
        if kept.goes {
            self.play(number)?;
            kept.replay(&mut self.run, &self.cost)?;
        }
        self.kept = kept;
        Ok(())
    }

    /// Writes what every agent sees and may do; who is asked.
    fn show(
        &self,
        mut seen: PyReadwriteArray2<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<usize> {
        let tree = self.tree;
        let (agents, numbers, actions) = (tree.partitions, tree.seen(), tree.actions());
        if seen.shape() != [agents, numbers] || mask.shape() != [agents, actions] {
            return Err(refused(format!(
                "arrays are of {agents} by {numbers} observations and of {agents} by {actions} masks"
            )));
        }
        let screen = locked(&self.screen);
        seen.as_slice_mut()?.copy_from_slice(&screen.seen);
        for (agent, mask) in mask.as_slice_mut()?.chunks_mut(actions).enumerate() {
            let is_asked = agent == screen.asked && self.run.is_some();
            for (action, mask) in mask.iter_mut().enumerate() {
                *mask = i8::from(match is_asked {
                    true => screen.choices.get(action).is_some_and(Option::is_some),
                    false => action == tree.nothing(),
                });
            }
        }
        Ok(screen.asked)
    }
}

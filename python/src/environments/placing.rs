//! Placing a part of a job, as the learned placer's agents do (`placement::graph_rl`): each partition of a data centre
//! is an agent. The one that is asked lays the next worker or parameter server on a group of GPUs, forwards the
//! job to another partition, or lets it wait; all others have nothing to do then. Which partition is asked first is
//! not learned here: the one with the most free GPUs.
//!
//! The reward, the same for all, is minus the time that jobs spend in the system since the last step, as a part of
//! what all of them would take alone: an episode's sum is minus mean JCT ÷ mean duration.

use super::{Asker, Episode, taken};
use crate::{RunError, refused};
use numpy::{PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use switchyard::cluster::{ClusterSpec, Topology};
use switchyard::draw::Rng;
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::scene::{GROUP, JOB, Observation, PARTITION, RACK, SERVER};
use switchyard::placement::graph_rl::{Chooser, Decision, Placer};
use switchyard::policy::{self, BuildContext};
use switchyard::sim::{SimOptions, Simulation};
use switchyard::tell::Choice;
use switchyard::weights::WeightsChoice;
use switchyard::workload::{DataCentre, Split, Workload};
use switchyard_sweep::asked::shipped;

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
            let Ok(mut screen) = self.screen.lock() else {
                return 0;
            };
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
        let Ok(screen) = self.screen.lock() else {
            return 0;
        };
        // What is no choice is to wait, or else the first.
        let choice = |action: usize| screen.choices.get(action).copied().flatten();
        choice(action)
            .or_else(|| choice(self.tree.wait()))
            .unwrap_or(0)
    }
}

/// What came of an episode: mean JCT and mean duration, seconds.
type Ended = (f64, f64);

/// Episodes in which the parts of jobs are placed.
#[pyclass(unsendable, module = "switchyard._engine")]
pub(crate) struct Placing {
    cluster: ClusterSpec,
    tree: Tree,
    jobs: u32,
    load: f64,
    rng: Rng,
    run: Option<Episode<Result<Ended, String>>>,
    screen: Arc<Mutex<Screen>>,
    cost: Rc<Cell<f64>>,
    ended: Rc<RefCell<Option<Ended>>>,
}

fn run(
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    tree: Tree,
    screen: Arc<Mutex<Screen>>,
    cost: Rc<Cell<f64>>,
) -> Episode<Result<Ended, String>> {
    Episode::new(move |asker| {
        let spec = "fifo[backfill=true,placement=graph-rl]".parse();
        let spec = spec.map_err(|why: policy::SpecError| why.to_string())?;
        let context = BuildContext {
            placement: Strategy::GRAPH_RL,
            workload: &workload,
            history: None,
            picker: None,
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
        let placer = Placer::new(network).chosen_by(Arc::new(Mutex::new(asking)));
        let scheduler = policy::build(&spec, &context);
        let jobs = Arc::clone(&workload);
        let run = Simulation::new(jobs, &cluster, scheduler, options);
        let mut run = run.with_placer(placer);
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
                cost.set(cost.get() + active * (until - now) / alone);
                now = until;
            }
            if !run.step().map_err(|why| why.to_string())? {
                break;
            }
            let here = submits.partition_point(|&submit| submit <= now) as f64;
            active = here - f64::from(run.progress().done);
        }
        let log = run.into_log();
        let stays = (0..log.segments()).map(|at| log.segment(at));
        let jct = stays.map(|stay| stay.end - workload.jobs[stay.job.index()].submit);
        Ok((jct.sum::<f64>() / count, alone / count))
    })
}

#[pymethods]
impl Placing {
    /// So many jobs for each GPU of a data centre, coming at a load.
    #[new]
    fn new(cluster: &str, jobs: u32, load: f64) -> PyResult<Self> {
        let cluster: ClusterSpec = cluster.parse().map_err(refused)?;
        let tree = Tree::of(&cluster);
        let tree = tree.filter(|tree| tree.partitions > 1).ok_or_else(|| {
            refused(format!(
                "{cluster} has no partitions that are all alike: such as 16x8/sockets=2/partitions=4/racks=8"
            ))
        })?;
        if !(jobs > 0 && load > 0.0 && load.is_finite()) {
            return Err(refused("jobs for each GPU, and their load, are above 0"));
        }
        Ok(Self {
            tree,
            jobs: jobs.saturating_mul(cluster.gpus()),
            load,
            cluster,
            rng: Rng::seed_from_u64(0),
            run: None,
            screen: Arc::new(Mutex::new(Screen {
                asked: 0,
                choices: Vec::new(),
                seen: Vec::new(),
            })),
            cost: Rc::default(),
            ended: Rc::default(),
        })
    }

    /// Agents, what each sees, and what each may do: how many.
    fn shape(&self) -> (usize, usize, usize) {
        (self.tree.partitions, self.tree.seen(), self.tree.actions())
    }

    /// Begins anew, by a seed or with what is drawn next.
    fn reset(
        &mut self,
        seed: Option<u64>,
        seen: PyReadwriteArray2<'_, f32>,
        mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<usize> {
        if let Some(seed) = seed {
            self.rng = Rng::seed_from_u64(seed);
        }
        // Half of the numbers: the others are what trained placers are validated by.
        let number = (self.rng.next_u64() % (1 << 31)) as u32;
        let drawn = DataCentre {
            jobs: self.jobs,
            gpus: self.cluster.gpus(),
            load: self.load,
            split: Split::Training(number),
        };
        self.cost.set(0.0);
        let mut episode = run(
            Arc::new(drawn.workload()),
            self.cluster.clone(),
            self.tree,
            Arc::clone(&self.screen),
            Rc::clone(&self.cost),
        );
        match episode.go_on(0) {
            None => self.run = Some(episode),
            Some(end) => {
                end.map_err(RunError::new_err)?;
                return Err(refused("nobody ever had a choice: take more jobs"));
            }
        }
        self.show(seen, mask)
    }

    /// What the asked agent does; the reward of all, and whether it is over.
    fn step(
        &mut self,
        action: usize,
        seen: PyReadwriteArray2<'_, f32>,
        mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<(f64, bool, usize)> {
        let Some(episode) = &mut self.run else {
            return Err(refused("the episode is over: reset it"));
        };
        if let Some(end) = episode.go_on(action) {
            *self.ended.borrow_mut() = Some(end.map_err(RunError::new_err)?);
            self.run = None;
        }
        let reward = -taken(&self.cost);
        let asked = self.show(seen, mask)?;
        Ok((reward, self.run.is_none(), asked))
    }

    /// Once it is over: mean JCT and mean duration alone, seconds.
    fn figures(&self) -> Option<Ended> {
        *self.ended.borrow()
    }
}

impl Placing {
    /// Writes what every agent sees and may do; who is asked.
    fn show(
        &self,
        mut seen: PyReadwriteArray2<'_, f32>,
        mut mask: PyReadwriteArray2<'_, i8>,
    ) -> PyResult<usize> {
        let (agents, numbers, actions) = self.shape();
        if seen.shape() != [agents, numbers] || mask.shape() != [agents, actions] {
            return Err(refused(format!(
                "arrays are of {agents} by {numbers} observations and of {agents} by {actions} masks"
            )));
        }
        let screen = self.screen.lock();
        let screen = screen.map_err(|_| RunError::new_err("the episode has ended early"))?;
        seen.as_slice_mut()?.copy_from_slice(&screen.seen);
        for (agent, mask) in mask.as_slice_mut()?.chunks_mut(actions).enumerate() {
            let is_asked = agent == screen.asked && self.run.is_some();
            for (action, mask) in mask.iter_mut().enumerate() {
                *mask = i8::from(match is_asked {
                    true => screen.choices.get(action).is_some_and(Option::is_some),
                    false => action == self.tree.nothing(),
                });
            }
        }
        Ok(screen.asked)
    }
}

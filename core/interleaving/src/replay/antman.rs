//! AntMan: nobody is preempted, guaranteed jobs keep GPUs that they wait on, and opportunistic ones run beside them.

use super::job::{Job, Priority};
use super::world::{Policy, ReplayError, World};
use crate::antman::{
    GUARANTEED_LOAD, LAST_LOAD, LOAD_LIMIT, OPPORTUNISTIC_LOAD, iteration_beside, least_loaded,
};
use crate::gangs::Cluster;
use crate::grouping::Kind;

/// What a job adds to the load of each of its GPUs.
fn load(priority: Priority) -> f64 {
    match priority {
        Priority::Guaranteed => GUARANTEED_LOAD,
        Priority::Opportunistic => OPPORTUNISTIC_LOAD,
    }
}

pub(super) struct AntMan {
    cluster: Cluster,
    priorities: Vec<Priority>,
    /// Of each GPU.
    loads: Vec<f64>,
    owner: Vec<Option<usize>>,
    guests: Vec<Vec<usize>>,
    /// What each job holds, also while it waits for more.
    held: Vec<Vec<usize>>,
}

impl AntMan {
    pub(super) fn new(jobs: &[Job], cluster: Cluster) -> Result<Self, ReplayError> {
        let node = cluster.gpus_per_node;
        let is_odd = |job: &&Job| {
            let is_whole = job.gpus.checked_rem(node) == Some(0);
            job.priority == Priority::Guaranteed && job.gpus > node && !is_whole
        };
        if let Some(job) = jobs.iter().find(is_odd) {
            return Err(ReplayError::NotWhole {
                job: job.id.clone(),
                gpus: job.gpus,
            });
        }
        let gpus = cluster.gpus() as usize;
        Ok(Self {
            cluster,
            priorities: jobs.iter().map(|job| job.priority).collect(),
            loads: vec![0.0; gpus],
            owner: vec![None; gpus],
            guests: vec![Vec::new(); gpus],
            held: vec![Vec::new(); jobs.len()],
        })
    }

    /// The GPUs of a node without an owner.
    fn unowned(&self, node: usize) -> Vec<usize> {
        let count = self.cluster.gpus_per_node as usize;
        let gpus = node * count..(node + 1) * count;
        gpus.filter(|&gpu| self.owner[gpu].is_none()).collect()
    }

    fn own(&mut self, job: usize, gpus: &[usize]) {
        for &gpu in gpus {
            self.owner[gpu] = Some(job);
            self.loads[gpu] += load(Priority::Guaranteed) - LAST_LOAD;
            self.held[job].push(gpu);
        }
    }

    /// Gives a guaranteed job what is there of what it needs. Returns whether it has all of it.
    fn guarantee(&mut self, job: usize, gpus: u32) -> bool {
        let node = self.cluster.gpus_per_node as usize;
        let needed = (gpus as usize).saturating_sub(self.held[job].len());
        if gpus as usize > node {
            let idle = (0..self.cluster.nodes).map(|node| self.unowned(node));
            let idle = idle.filter(|unowned| unowned.len() == node);
            let idle: Vec<Vec<usize>> = idle.take(needed / node).collect();
            self.own(job, &idle.concat());
        } else {
            // Where it has begun, or the first node with room; else the first of those with most room.
            let begun = self.held[job].first().map(|gpu| gpu / node);
            let nodes = begun.map_or(0..self.cluster.nodes, |node| node..node + 1);
            let rooms: Vec<Vec<usize>> = nodes.map(|node| self.unowned(node)).collect();
            let enough = rooms.iter().find(|room| room.len() >= needed);
            let most = || rooms.iter().rev().max_by_key(|room| room.len());
            let mut found = enough.or_else(most).cloned().unwrap_or_default();
            found.truncate(needed);
            self.own(job, &found);
        }
        let is_whole = self.held[job].len() == gpus as usize;
        if is_whole {
            for at in 0..self.held[job].len() {
                self.loads[self.held[job][at]] += LAST_LOAD;
            }
        }
        is_whole
    }

    fn be_guest(&mut self, job: usize, gpus: u32) -> bool {
        let Some(found) = least_loaded(&self.loads, LOAD_LIMIT, gpus as usize) else {
            return false;
        };
        for &gpu in &found {
            self.loads[gpu] += load(Priority::Opportunistic);
            self.guests[gpu].push(job);
        }
        self.held[job] = found;
        true
    }

    /// How long an iteration of an opportunistic job takes where it is.
    fn iteration_time(&self, world: &World, job: usize) -> f64 {
        let kind = |job: usize| Kind {
            times: world.jobs[job].times,
            iteration_time: world.jobs[job].iteration_time,
        };
        let alone = world.jobs[job].iteration_time;
        let mut longest = alone;
        for &gpu in &self.held[job] {
            // Who still waits for more GPUs does not use those that it has.
            if let Some(owner) = self.owner[gpu].filter(|&owner| world.states[owner].is_running) {
                longest = longest.max(iteration_beside(kind(job), Some(kind(owner))));
            }
            if self.guests[gpu].iter().any(|&guest| guest != job) {
                longest = longest.max(iteration_beside(kind(job), None));
            }
        }
        longest
    }
}

impl Policy for AntMan {
    fn end(&mut self, job: usize) {
        for gpu in std::mem::take(&mut self.held[job]) {
            match self.priorities[job] {
                Priority::Guaranteed => self.owner[gpu] = None,
                Priority::Opportunistic => self.guests[gpu].retain(|&guest| guest != job),
            }
            self.loads[gpu] -= load(self.priorities[job]);
        }
    }

    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError> {
        let jobs = world.jobs;
        world.line.sort_by(|&a, &b| {
            let key = |job: usize| (jobs[job].priority, jobs[job].submit, job);
            let order = key(a).partial_cmp(&key(b));
            order.unwrap_or(std::cmp::Ordering::Equal)
        });
        // Guests only leave fewer GPUs to those behind them: what found too few need not be asked again.
        let mut too_many = u32::MAX;
        for at in 0..world.line.len() {
            let job = world.line[at];
            if world.states[job].is_running {
                continue;
            }
            let gpus = jobs[job].gpus;
            let starts = match jobs[job].priority {
                Priority::Guaranteed => self.guarantee(job, gpus),
                Priority::Opportunistic => gpus < too_many && self.be_guest(job, gpus),
            };
            if jobs[job].priority == Priority::Opportunistic && !starts {
                too_many = too_many.min(gpus);
            }
            world.set_running(job, starts);
        }
        for at in 0..world.line.len() {
            let job = world.line[at];
            if world.states[job].is_running && jobs[job].priority == Priority::Opportunistic {
                world.states[job].iteration_time = self.iteration_time(world, job);
            }
        }
        Ok(())
    }
}

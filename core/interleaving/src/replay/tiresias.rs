//! Tiresias as Muri's simulator has it: queues by attained GPU time, filled by the count of free GPUs alone.

use super::world::{Ends, Policy, ReplayError, World};
use crate::gangs::Cluster;

/// Up to how much attained service, in GPU seconds, a job stays in the first and second queue.
const LIMITS: [f64; 2] = [3250.0, 7200.0];

pub(super) struct Tiresias {
    gpus: u32,
    /// The jobs of each queue, first who runs first.
    queues: [Vec<usize>; LIMITS.len() + 1],
    alarm: f64,
}

impl Tiresias {
    pub(super) fn new(cluster: Cluster) -> Self {
        Self {
            gpus: cluster.gpus(),
            queues: Default::default(),
            alarm: f64::INFINITY,
        }
    }

    fn queue_of(&self, job: usize) -> Option<usize> {
        self.queues.iter().position(|queue| queue.contains(&job))
    }

    /// Jobs that have attained what their queue allows go to the end of the next one.
    fn demote(&mut self, world: &World) {
        let running = world
            .line
            .iter()
            .filter(|&&job| world.states[job].is_running);
        for &job in running {
            let attained = world.states[job].executed * f64::from(world.jobs[job].gpus);
            if let Some(queue) = self.queue_of(job)
                && LIMITS.get(queue).is_some_and(|&limit| attained >= limit)
            {
                self.queues[queue].retain(|&other| other != job);
                self.queues[queue + 1].push(job);
            }
        }
    }
}

impl Policy for Tiresias {
    fn ends(&self) -> Ends {
        Ends::Exact
    }

    fn arrive(&mut self, job: usize) {
        self.queues[0].push(job);
    }

    fn end(&mut self, job: usize) {
        for queue in &mut self.queues {
            queue.retain(|&other| other != job);
        }
    }

    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError> {
        self.demote(world);
        let mut free = self.gpus;
        self.alarm = f64::INFINITY;
        for (at, queue) in self.queues.iter_mut().enumerate() {
            let (mut run, mut wait) = (Vec::new(), Vec::new());
            for &job in &*queue {
                let gpus = world.jobs[job].gpus;
                let fits = free >= gpus;
                world.set_running(job, fits);
                if !fits {
                    wait.push(job);
                    continue;
                }
                free -= gpus;
                run.push(job);
                if let Some(limit) = LIMITS.get(at) {
                    let limit = (limit / f64::from(gpus)).ceil();
                    self.alarm = self
                        .alarm
                        .min(limit - world.states[job].executed + world.now);
                }
            }
            run.append(&mut wait);
            *queue = run;
        }
        Ok(())
    }

    fn alarm(&self) -> f64 {
        self.alarm
    }
}

//! Muri-S and Muri-L: groups of jobs that share GPUs, made anew at each event.

use super::job::Job;
use super::world::{Ends, Policy, ReplayError, World};
use crate::cycle::Ordering;
use crate::gangs::{Cluster, Room};
use crate::grouping::{Candidate, Group, Grouping, Kind, Options};

pub(super) struct Muri {
    cluster: Cluster,
    room: Room,
    grouping: Grouping,
    ordering: Ordering,
    /// The kind of each job.
    kinds: Vec<usize>,
    /// Whether durations are known: Muri-S. Else attained service ranks: Muri-L.
    knows_durations: bool,
    /// Whether a job has made progress yet. Until then it ranks by the duration that the trace says.
    has_run: Vec<bool>,
}

impl Muri {
    pub(super) fn new(
        jobs: &[Job],
        cluster: Cluster,
        knows_durations: bool,
        options: Options,
    ) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        let of_jobs = jobs.iter().map(|job| {
            let kind = Kind {
                times: job.times,
                iteration_time: job.iteration_time,
            };
            let known = kinds.iter().position(|other| *other == kind);
            known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            })
        });
        Self {
            kinds: of_jobs.collect(),
            cluster,
            room: Room::new(cluster),
            ordering: options.ordering,
            grouping: Grouping::new(kinds, options),
            knows_durations,
            has_run: vec![false; jobs.len()],
        }
    }

    /// Remaining GPU time by the speed alone, or attained GPU time, seconds.
    fn rank(&self, world: &World, job: usize) -> f64 {
        let (of, state) = (&world.jobs[job], &world.states[job]);
        let time = match (self.knows_durations, self.has_run[job]) {
            (true, true) => state.remaining * of.iteration_time,
            (true, false) => of.duration,
            (false, _) => state.executed,
        };
        time * f64::from(of.gpus)
    }

    /// Places groups, larger gangs first; the first of a group takes the GPUs, and the others share them.
    fn place(&mut self, world: &mut World, candidates: &[usize], groups: &[Group]) {
        let mut group_of = vec![None; world.jobs.len()];
        // Overhead and iteration time of each group, seconds.
        let mut times = Vec::with_capacity(groups.len());
        for (at, group) in groups.iter().enumerate() {
            let members: Vec<usize> = group.jobs.iter().map(|&of| candidates[of]).collect();
            for &job in &members {
                group_of[job] = Some(at);
            }
            let kinds: Vec<usize> = members.iter().map(|&of| self.kinds[of]).collect();
            let costs = members.iter().map(|&of| world.jobs[of].overhead);
            let together = self.grouping.iteration_time(&kinds, self.ordering);
            times.push((costs.sum(), together));
        }
        let mut is_placed = vec![false; groups.len()];
        self.room.clear();
        world.largest_first();
        for at in 0..world.line.len() {
            let job = world.line[at];
            let Some(group) = group_of[job] else {
                world.set_running(job, false);
                continue;
            };
            if !is_placed[group] {
                is_placed[group] = self.room.take(world.jobs[job].gpus);
            }
            let state = &mut world.states[job];
            (state.overhead, state.iteration_time) = times[group];
            world.set_running(job, is_placed[group]);
        }
    }
}

impl Policy for Muri {
    fn ends(&self) -> Ends {
        Ends::NearAndTogether
    }

    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError> {
        for &job in &world.line {
            self.has_run[job] |= world.states[job].is_running;
        }
        world.sort_by_key(|world, job| self.rank(world, job));
        let line = world.line.clone();
        let candidates = line.iter().map(|&job| Candidate {
            gpus: world.jobs[job].gpus,
            class: Some(0),
            kind: self.kinds[job],
            rank: self.rank(world, job),
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let gpus = self.cluster.gpus();
        let groups = self.grouping.groups(&candidates, &mut self.room, gpus);
        self.place(world, &line, &groups);
        Ok(())
    }
}

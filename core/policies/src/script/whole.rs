//! A script that decides the whole, `fn plan(view)`: who starts, stops and moves, where, with which batch,
//! and when it wants to be asked again.

use super::job::{ActiveJob, Job, Seat};
use super::jobs::Jobs;
use super::program::Script;
use super::seen::{Facts, Seen};
use super::values::Dict;
use crate::board::Board;
use crate::job::JobId;
use crate::moment::{Moment, verdict};
use crate::trainees::Trainees;
use crate::{Cadence, Every, Explanation, Fact, Policy};
use rhai::Dynamic;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use switchyard_engine::{Plan, View};
use switchyard_explain::Unit;
use switchyard_model::draw::Rng;
use switchyard_placement::Strategy;

pub(super) struct Whole {
    script: Script,
    strategy: Strategy,
    /// The active jobs.
    kept: BTreeMap<JobId, Rc<ActiveJob>>,
    trainees: Trainees,
    /// `this`: what the script keeps from one decision to the next.
    state: Dynamic,
}

impl Whole {
    pub(super) fn new(script: Script, strategy: Strategy) -> Self {
        Self {
            script,
            strategy,
            kept: BTreeMap::new(),
            trainees: Trainees::default(),
            state: Dynamic::from(Dict::default()),
        }
    }

    fn follow(&mut self, view: &View<'_>, moment: &Moment) {
        for &job in &moment.arrived {
            self.kept.insert(job, Rc::new(ActiveJob::of(view, job)));
        }
        for job in &moment.finished {
            self.kept.remove(job);
            self.trainees.forget(job.0);
        }
    }

    /// All active jobs, in the order of their submission.
    fn jobs(&mut self, view: &View<'_>, gpus: u32) -> Vec<Job> {
        let Self {
            kept,
            trainees,
            strategy,
            ..
        } = self;
        let jobs = kept.iter().map(|(&id, kept)| {
            let training = view.training(id);
            let trainee = training.map(|of| trainees.follow(&of, gpus, view.node_size()));
            let seat = Seat::of(view, id, *strategy, kept, trainee);
            Job::seated(view, id, seat)
        });
        jobs.collect()
    }

    fn see(&mut self, view: &View<'_>) -> (Seen, Vec<Job>) {
        let moment = Moment::of(view);
        self.follow(view, &moment);
        let jobs = self.jobs(view, moment.gpus);
        let those = |ids: &[JobId]| -> Jobs {
            let at = |id| jobs.binary_search_by_key(id, |job| job.0.id).ok();
            ids.iter()
                .filter_map(at)
                .map(|at| jobs[at].clone())
                .collect()
        };
        let facts = Facts {
            jobs: jobs.iter().cloned().collect(),
            waiting: jobs.iter().filter(|job| !job.0.running).cloned().collect(),
            running: those(&moment.running),
            arrived: those(&moment.arrived),
            evicted: those(&moment.evicted),
            alarms: those(&moment.alarms),
            moment,
        };
        (Seen(Rc::new(facts)), jobs)
    }
}

impl Policy for Whole {
    fn cadence(&self) -> Cadence {
        let cadence = self.script.says().cadence();
        Cadence {
            // It may have something to change while all run.
            every: cadence.every.map(|every| Every {
                while_all_run: true,
                ..every
            }),
            ..cadence
        }
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        let (seen, jobs) = self.see(view);
        let strict = !self.script.says().backfill;
        let seats = jobs.iter().filter_map(|job| {
            let seat = job.0.seat.as_ref()?;
            Some((job.0.id, Arc::clone(&seat.at)))
        });
        let board = Board::new(view, self.strategy, strict, seats);
        let jobs = jobs.into_iter().map(|job| (job.0.id, job)).collect();
        match self.script.decide(seen, board, jobs, rng, &mut self.state) {
            Ok(decided) => *plan = decided,
            Err(mistake) => plan.fail(mistake),
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let mut facts = vec![Fact::gpus("gang", view.gpus(job))];
        if let Some(kept) = self.kept.get(&job) {
            let (queue, memo) = (kept.queue.get(), kept.memo.borrow());
            if queue > 0 {
                facts.push(Fact::count("queue", queue, Unit::None));
            }
            if !memo.is_unit() {
                facts.push(Fact::new("memo", &*memo));
            }
        }
        facts.extend(self.script.noted(job));
        Explanation::new(verdict(view, job), facts)
    }
}

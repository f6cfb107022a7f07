//! A script that decides the whole, `fn plan(view)`: who starts, stops and moves, where, with which batch,
//! and when it wants to be asked again.

use super::job::{Job, Kept, Seat};
use super::jobs::Jobs;
use super::program::Script;
use super::seen::{Facts, Seen};
use super::trainee::Trainees;
use super::values::Dict;
use crate::board::Board;
use crate::job::JobId;
use crate::{Cadence, Every, Explanation, Fact, Policy, user_policy};
use rhai::Dynamic;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use switchyard_engine::{News, Plan, View};
use switchyard_explain::Unit;
use switchyard_model::draw::Rng;
use switchyard_placement::Strategy;

pub(super) struct Whole {
    script: Script,
    strategy: Strategy,
    /// The active jobs.
    kept: BTreeMap<JobId, Rc<Kept>>,
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

    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    self.kept.insert(job, Rc::new(Kept::of(view.name(job))));
                }
                News::Finished(job) => {
                    self.kept.remove(&job);
                    self.trainees.forget(job.0);
                }
                News::Alarm(_)
                | News::Evicted(_)
                | News::NodeDown(_)
                | News::NodeUp(_)
                | News::CoresFreed => {}
            }
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
        let sizes = view.free().node_sizes();
        let gpus = sizes.iter().sum();
        let jobs = self.jobs(view, gpus);
        let by_id = |id: JobId| {
            let at = jobs.binary_search_by_key(&id, |job| job.0.id).ok();
            at.map(|at| jobs[at].clone())
        };
        let told = |of: fn(News) -> Option<JobId>| -> Jobs {
            let news = view.news().iter().filter_map(|&news| of(news));
            news.filter_map(by_id).collect()
        };
        let facts = Facts {
            now: view.now().seconds(),
            round: view.is_round(),
            waiting: jobs.iter().filter(|job| !job.0.running).cloned().collect(),
            running: view.ledger().running().filter_map(by_id).collect(),
            arrived: told(|news| match news {
                News::Arrived(job) => Some(job),
                _ => None,
            }),
            evicted: told(|news| match news {
                News::Evicted(job) => Some(job),
                _ => None,
            }),
            alarms: told(|news| match news {
                News::Alarm(job) => Some(job),
                _ => None,
            }),
            free: view.free().total(),
            gpus,
            nodes: sizes.len() as u32,
            node_size: view.node_size(),
            jobs: jobs.iter().cloned().collect(),
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
        self.follow(view);
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
        Explanation::new(user_policy::verdict(view, job), facts)
    }
}

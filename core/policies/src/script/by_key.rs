//! A script that gives each job a number, `fn key(job, now)`, least first; equal numbers in order of
//! submission. Who runs follows from that as for the policies of this crate: preemptive by the
//! [walk down the priorities](PriorityWalk), else in a [line](Line).

use super::program::Script;
use super::properties::Changes;
use crate::Time;
use crate::job::JobId;
use crate::line::Line;
use crate::priority_walk::PriorityWalk;
use crate::waiting_room::{Waiter, WaitingRoom};
use crate::{Cadence, Explanation, Policy};
use switchyard_engine::{Mistake, News, Plan, View};
use switchyard_model::draw::Rng;
use switchyard_placement::Strategy;

pub(super) struct ByKey {
    keys: Keys,
    order: Order,
}

/// The script, and the numbers it gave when it was last asked.
struct Keys {
    script: Script,
    jobs: Vec<JobId>,
    keys: Vec<f64>,
}

enum Order {
    Preemptive(PriorityWalk<Time>),
    Line(Line<Time>),
}

impl Keys {
    /// Asks for these jobs' numbers, in their order.
    fn ask(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: impl Iterator<Item = JobId>,
    ) -> Result<&[f64], Mistake> {
        self.jobs.clear();
        self.jobs.extend(jobs);
        (self.script).keys(view, rng, &self.jobs, &mut self.keys)?;
        Ok(&self.keys)
    }

    /// The same of those who have just come, or come back.
    fn of_newcomers(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
    ) -> Result<impl FnMut(JobId) -> Time, Mistake> {
        let came = view.news().iter().filter_map(|&news| match news {
            News::Arrived(job) | News::Evicted(job) => Some(job),
            _ => None,
        });
        let mut keys = self.ask(view, rng, came)?.iter();
        Ok(move |_| keys.next().map_or(Time::ZERO, |&key| Time(key)))
    }

    fn renew_waiting(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        waiting: &mut WaitingRoom<Time>,
    ) -> Result<(), Mistake> {
        let mut all = waiting.take_all();
        // Not all rooms hand them out in one order, and a script may draw numbers.
        all.sort_unstable_by_key(|waiter| waiter.job);
        let keys = self.ask(view, rng, all.iter().map(|waiter| waiter.job))?;
        for (waiter, &key) in all.iter().zip(keys) {
            waiting.insert(Waiter {
                key: Time(key),
                ..*waiter
            });
        }
        Ok(())
    }

    fn walk(
        &mut self,
        walk: &mut PriorityWalk<Time>,
        view: &View<'_>,
        rng: &mut Rng,
        plan: &mut Plan,
    ) -> Result<(), Mistake> {
        let changes = self.script.reads().changes;
        walk.follow(view, self.of_newcomers(view, rng)?);
        if walk.waiting.is_empty() {
            return Ok(());
        }
        if changes == Changes::Always {
            self.renew_waiting(view, rng, &mut walk.waiting)?;
        }
        if changes >= Changes::Running {
            let running = walk.running.iter().map(|running| running.job);
            let keys = self.ask(view, rng, running)?;
            for (running, &key) in walk.running.iter_mut().zip(keys) {
                running.key = Time(key);
            }
            walk.sort_running();
        }
        walk.walk(view, plan);
        walk.requeue_preempted();
        Ok(())
    }

    fn serve(
        &mut self,
        line: &mut Line<Time>,
        view: &View<'_>,
        rng: &mut Rng,
        plan: &mut Plan,
    ) -> Result<(), Mistake> {
        line.follow(view, self.of_newcomers(view, rng)?);
        if self.script.reads().changes == Changes::Always && line.may_start(view) {
            self.renew_waiting(view, rng, &mut line.waiting)?;
        }
        line.serve(view, plan);
        Ok(())
    }
}

impl ByKey {
    pub(super) fn new(script: Script, strategy: Strategy) -> Self {
        let says = script.says();
        let order = if says.preemptive {
            let mut walk = PriorityWalk::new(strategy);
            walk.strict = !says.backfill;
            Order::Preemptive(walk)
        } else {
            Order::Line(Line::new(strategy, says.backfill))
        };
        Self {
            keys: Keys {
                script,
                jobs: Vec::new(),
                keys: Vec::new(),
            },
            order,
        }
    }
}

impl Policy for ByKey {
    fn cadence(&self) -> Cadence {
        self.keys.script.says().cadence()
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        let decided = match &mut self.order {
            Order::Preemptive(walk) => self.keys.walk(walk, view, rng, plan),
            Order::Line(line) => self.keys.serve(line, view, rng, plan),
        };
        if let Err(mistake) = decided {
            plan.fail(mistake);
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match &self.order {
            Order::Preemptive(walk) => walk.verdict(view, job),
            Order::Line(line) => line.verdict(view, job),
        };
        Explanation::new(verdict, self.keys.script.told(view, job))
    }
}

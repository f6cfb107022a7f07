//! Somebody's own policy that gives each job a number ([`Keys`]), least first; equal numbers in order of
//! submission. Who runs follows from that as for the policies of this crate: preemptive by the
//! walk down the priorities, else in a line.

use crate::Time;
use crate::job::JobId;
use crate::line::Line;
use crate::priority_walk::PriorityWalk;
use crate::waiting_room::{Waiter, WaitingRoom};
use crate::{Cadence, Explanation, Fact, Policy};
use std::str::FromStr;
use switchyard_engine::{Mistake, News, Plan, View};
use switchyard_model::draw::Rng;
use switchyard_placement::Strategy;

/// What gives jobs their numbers: a script, or a function of a program that runs the engine.
pub trait Keys {
    /// When it wants to be asked.
    fn cadence(&self) -> Cadence;

    /// When the number of a job may change.
    fn changes(&self) -> Changes;

    /// The numbers of these jobs, in their order, none of them NaN.
    ///
    /// # Errors
    ///
    /// What is wrong in whoever gives them, and where.
    fn keys(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake>;

    /// A job's number, and what is told about it.
    fn told(&self, view: &View<'_>, job: JobId) -> Vec<Fact>;
}

/// What is told of a job's number; or, where it cannot be had, what is wrong.
pub fn key_fact(key: Result<impl ToString, Mistake>) -> Fact {
    match key {
        Ok(key) => Fact::new("key (least first)", key),
        Err(mistake) => Fact::new("key", mistake),
    }
}

/// When a number changes while nobody decides anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changes {
    /// Never.
    #[default]
    Never,
    /// While a job runs.
    Running,
    /// Also while it waits.
    Always,
}

impl FromStr for Changes {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "never" => Ok(Self::Never),
            "running" => Ok(Self::Running),
            "always" => Ok(Self::Always),
            other => Err(format!(
                "changes is '{other}': it takes never, running or always"
            )),
        }
    }
}

/// The policy that somebody's numbers are.
pub struct ByKey {
    keys: LatestKeys,
    order: Order,
}

/// Whoever gives numbers, and those given when last asked.
struct LatestKeys {
    of: Box<dyn Keys>,
    jobs: Vec<JobId>,
    keys: Vec<f64>,
}

enum Order {
    Preemptive(PriorityWalk<Time>),
    Line(Line<Time>),
}

impl LatestKeys {
    /// Asks for these jobs' numbers, in their order.
    fn ask(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: impl Iterator<Item = JobId>,
    ) -> Result<&[f64], Mistake> {
        self.jobs.clear();
        self.jobs.extend(jobs);
        (self.of).keys(view, rng, &self.jobs, &mut self.keys)?;
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
        // Not all rooms hand them out in one order, and whoever gives numbers may draw some.
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
        let changes = self.of.changes();
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
        if self.of.changes() == Changes::Always && line.may_start(view) {
            self.renew_waiting(view, rng, &mut line.waiting)?;
        }
        line.serve(view, plan);
        Ok(())
    }
}

impl ByKey {
    /// Of these numbers. `preemptive`: running jobs give way; `backfill`: jobs that fit overtake jobs that do not.
    pub fn new(keys: Box<dyn Keys>, preemptive: bool, backfill: bool, strategy: Strategy) -> Self {
        let order = if preemptive {
            let mut walk = PriorityWalk::new(strategy);
            walk.strict = !backfill;
            Order::Preemptive(walk)
        } else {
            Order::Line(Line::new(strategy, backfill))
        };
        Self {
            keys: LatestKeys {
                of: keys,
                jobs: Vec::new(),
                keys: Vec::new(),
            },
            order,
        }
    }
}

impl Policy for ByKey {
    fn cadence(&self) -> Cadence {
        self.keys.of.cadence()
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
        Explanation::new(verdict, self.keys.of.told(view, job))
    }
}

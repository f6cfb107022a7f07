//! Picking who runs, preemptively: at every event jobs are picked one after the other, those that run among them, until no
//! other one has room. Those that were picked run, and whoever was not gives way. Where all that is left has room, nobody is
//! asked.

use super::screen::{LONGEST_WAIT, Screen, part};
use super::yard::Looking;
use super::{Asker, locked};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, Phase, Plan, Policy, View};
use switchyard::explain::{Explanation, Fact};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Board, Named, Seat};
use switchyard::policies::moment::{Moment, verdict};
use switchyard::policies::picking::features::{FEATURES, VISIBLE, visible};
use switchyard::policies::picking::{Candidate, Waiting};

/// The policy that asks.
pub(super) struct Ordering {
    asker: Asker,
    screen: Arc<Mutex<Screen>>,
    /// The longest of all jobs, seconds.
    longest: f64,
    looking: Looking,
    active: BTreeSet<JobId>,
}

impl Ordering {
    pub(super) fn new(
        asker: Asker,
        screen: Arc<Mutex<Screen>>,
        longest: f64,
        looking: Looking,
    ) -> Self {
        Self {
            asker,
            screen,
            longest,
            looking,
            active: BTreeSet::new(),
        }
    }

    /// The eight numbers of a job, all from 0 to 1.
    fn features(&self, view: &View<'_>, moment: &Moment, job: &Candidate) -> [f32; FEATURES] {
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let runs = view.phase(job.job) == Phase::Running;
        let held = view.held_seconds(job.job);
        [
            part(moment.now - job.submit - held, LONGEST_WAIT),
            part(job.seconds, self.longest),
            part(f64::from(job.gpus), f64::from(moment.gpus)),
            part(held, self.longest),
            flag(runs),
            part(moment.now - view.since(job.job).seconds(), LONGEST_WAIT),
            1.0,
            flag(runs || job.gpus <= moment.free),
        ]
    }

    /// Which of these jobs, all of which have room beside those that have been picked, is next: its place.
    fn ask(&self, view: &View<'_>, moment: &Moment, left: &[Candidate], picked: &[JobId]) -> usize {
        let seen = match left.len() {
            ..=VISIBLE => left.to_vec(),
            _ => visible(&left.iter().copied().collect::<Waiting>()),
        };
        locked(&self.screen).show(&seen, |job| self.features(view, moment, job));
        if let Some(yard) = &self.looking {
            let mut yard = locked(yard);
            yard.choices = seen.iter().map(|of| of.job.0).collect();
            yard.picked = picked.iter().map(|job| job.0).collect();
        }
        // An answer that is none is the first.
        let picked = self.asker.ask();
        let picked = seen.get(picked).map(|of| of.job);
        let place = left.iter().position(|of| Some(of.job) == picked);
        place.unwrap_or(0)
    }

    /// Who runs, the first first.
    fn order(&self, view: &View<'_>, moment: &Moment) -> Vec<JobId> {
        let candidate = |&job: &JobId| Candidate {
            job,
            submit: view.submit(job).seconds(),
            gpus: view.gpus(job),
            seconds: view.requested_time(job).unwrap_or(f64::INFINITY),
        };
        let mut left: Vec<Candidate> = self.active.iter().map(candidate).collect();
        let held: u32 = moment.running.iter().map(|&job| view.open_gpus(job)).sum();
        let mut room = moment.free + held;
        let mut order = Vec::new();
        loop {
            left.retain(|job| job.gpus <= room);
            let all: u64 = left.iter().map(|job| u64::from(job.gpus)).sum();
            if all <= u64::from(room) {
                order.extend(left.iter().map(|job| job.job));
                return order;
            }
            let picked = left.remove(self.ask(view, moment, &left, &order));
            room -= picked.gpus;
            order.push(picked.job);
        }
    }
}

impl Policy for Ordering {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let moment = Moment::of(view);
        self.active.extend(&moment.arrived);
        for job in &moment.finished {
            self.active.remove(job);
        }
        let order = self.order(view, &moment);
        let strategy = Strategy::default();
        let seats = self.active.iter();
        let seats = seats.map(|&id| (id, Arc::new(Seat::of(view, id, strategy))));
        let mut board = Board::new(view, strategy, false, seats);
        let named = order.into_iter().map(|id| Named {
            id,
            name: view.name(id),
        });
        match board.walk(named) {
            Ok(_) => *plan = board.into_plan(),
            Err(why) => plan.fail(Mistake::nowhere(why)),
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let facts = vec![Fact::gpus("gang", view.gpus(job))];
        Explanation::new(verdict(view, job), facts)
    }
}

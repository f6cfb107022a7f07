//! Picking who gets more GPUs, among jobs that train applications as under Pollux: at every event and round all GPUs are given
//! anew. Who is picked gets one GPU, or twice as many as it has been given, until nobody can take more. Where one alone can,
//! nobody is asked.

use super::screen::{LONGEST_WAIT, Screen, part};
use super::yard::Looking;
use super::{Asker, locked};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use switchyard::cluster::Part;
use switchyard::draw::Rng;
use switchyard::engine::{Cadence, Every, Mistake, Plan, Policy, View};
use switchyard::explain::{Explanation, Fact};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Answer, Board, Named, Seat};
use switchyard::policies::moment::{Moment, verdict};
use switchyard::policies::picking::features::{FEATURES, VISIBLE};
use switchyard::policies::trainees::{self, Shared, Trainee, Trainees, look};

/// The policy that asks.
pub(super) struct Elastic {
    asker: Asker,
    screen: Arc<Mutex<Screen>>,
    /// Seconds between rounds.
    every: f64,
    looking: Looking,
    active: BTreeSet<JobId>,
    trainees: Trainees,
}

/// A job while GPUs are given.
struct Taker {
    job: JobId,
    trainee: Shared,
    /// What it holds, and what it has been given.
    holds: u32,
    given: u32,
}

impl Taker {
    /// What it gets if it is picked.
    fn next(&self) -> u32 {
        (2 * self.given).min(look(&self.trainee).max_gpus()).max(1)
    }

    /// GPUs that it takes of the others then; 0: it cannot take more.
    fn takes(&self) -> u32 {
        self.next().saturating_sub(self.given)
    }
}

impl Elastic {
    pub(super) fn new(
        asker: Asker,
        screen: Arc<Mutex<Screen>>,
        every: f64,
        looking: Looking,
    ) -> Self {
        Self {
            asker,
            screen,
            every,
            looking,
            active: BTreeSet::new(),
            trainees: Trainees::default(),
        }
    }

    /// The eight numbers of a job, all from 0 to 1.
    fn features(view: &View<'_>, gpus: u32, of: &Taker) -> [f32; FEATURES] {
        let next = of.next();
        let trainee = look(&of.trainee);
        let waited = view.now().seconds() - view.submit(of.job).seconds();
        let waited = waited - view.held_seconds(of.job);
        // How well it uses so many GPUs: 1 is as well as one.
        let well = |trainee: &Trainee, gpus: u32| match gpus {
            0 => 1.0,
            _ => part(trainee.speedup(gpus), f64::from(gpus)),
        };
        [
            part(waited, LONGEST_WAIT),
            part(trainee.epochs_done(), f64::from(trainee.epochs().max(1))),
            part(f64::from(of.given), f64::from(gpus)),
            part(f64::from(of.holds), f64::from(gpus)),
            part(f64::from(next), f64::from(gpus)),
            well(&trainee, of.given),
            well(&trainee, next),
            if next == of.holds { 1.0 } else { 0.0 },
        ]
    }

    /// Which of these is next: its place.
    fn ask(&self, view: &View<'_>, gpus: u32, takers: &[Taker], can: &[usize]) -> usize {
        if let [only] = *can {
            return only;
        }
        let seen = &can[..can.len().min(VISIBLE)];
        locked(&self.screen).show(seen, |&at| Self::features(view, gpus, &takers[at]));
        if let Some(yard) = &self.looking {
            let mut yard = locked(yard);
            yard.choices = seen.iter().map(|&at| takers[at].job.0).collect();
            let given = takers.iter().filter(|of| of.given > 0);
            yard.picked = given.map(|of| of.job.0).collect();
        }
        // An answer that is none is the first.
        let picked = self.asker.ask();
        seen.get(picked).or(seen.first()).copied().unwrap_or(0)
    }

    /// Gives all GPUs that are left.
    fn give(&self, view: &View<'_>, gpus: u32, left: u32, takers: &mut [Taker]) {
        let mut left = left + takers.iter().map(|of| of.holds).sum::<u32>();
        loop {
            let can = takers.iter().enumerate();
            let can = can.filter(|(_, of)| (1..=left).contains(&of.takes()));
            let can: Vec<usize> = can.map(|(at, _)| at).collect();
            if can.is_empty() {
                return;
            }
            let picked = self.ask(view, gpus, takers, &can);
            left -= takers[picked].takes();
            takers[picked].given = takers[picked].next();
        }
    }

    fn decide(&mut self, view: &View<'_>, moment: &Moment, board: &mut Board) -> Answer<()> {
        let mut takers = Vec::new();
        for &job in &self.active {
            let named = named(view, job);
            if let Some(training) = view.training(job) {
                let (gpus, size) = (moment.gpus, moment.node_size);
                takers.push(Taker {
                    job,
                    trainee: self.trainees.follow(&training, gpus, size),
                    holds: Part::gpus_of(view.ledger().parts(job)),
                    given: 0,
                });
            } else if !moment.running.contains(&job) {
                // One that may run on some nodes only is a gang: first come, first served.
                board.start(named)?;
            }
        }
        self.give(view, moment.gpus, board.free(), &mut takers);
        // Who shrinks makes room for who grows.
        for of in takers.iter().filter(|of| of.given <= of.holds) {
            if of.given > 0 {
                train(view, board, of)?;
            } else if of.holds > 0 {
                board.stop(named(view, of.job))?;
            }
        }
        for of in takers.iter().filter(|of| of.given > of.holds) {
            train(view, board, of)?;
        }
        Ok(())
    }
}

fn named<'a>(view: &'a View<'_>, id: JobId) -> Named<'a> {
    let name = view.name(id);
    Named { id, name }
}

/// Has a job run on what it was given; where that lies so that it has no room, it keeps what it has.
fn train(view: &View<'_>, board: &mut Board, of: &Taker) -> Answer<bool> {
    let (job, trainee) = (named(view, of.job), Some(&of.trainee));
    trainees::train(board, job, trainee, i64::from(of.given), None)
}

impl Policy for Elastic {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: Some(Every {
                seconds: self.every,
                parameter: "every",
                while_all_run: true,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let moment = Moment::of(view);
        self.active.extend(&moment.arrived);
        for job in &moment.finished {
            self.active.remove(job);
            self.trainees.forget(job.0);
        }
        let strategy = Strategy::default();
        let seats = self.active.iter();
        let seats = seats.map(|&id| (id, Arc::new(Seat::of(view, id, strategy))));
        let mut board = Board::new(view, strategy, false, seats.collect::<Vec<_>>());
        match self.decide(view, &moment, &mut board) {
            Ok(()) => *plan = board.into_plan(),
            Err(why) => plan.fail(Mistake::nowhere(why)),
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let facts = vec![Fact::gpus("gang", view.gpus(job))];
        Explanation::new(verdict(view, job), facts)
    }
}

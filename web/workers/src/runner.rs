//! What carries one run: simulates in slices, so that it can be asked between them.

use crate::link::{Attached, Link};
use crate::loaded::{InputError, Loaded};
use crate::protocol::{AHEAD, LogPiece, LogShortage, RunInput, RunReply, RunRequest, ToldLife};
use switchyard::Time;
use switchyard::engine::{LogBudget, Remedy, RunError};
use switchyard::job::JobId;
use switchyard::report::Outcomes;
use switchyard_app::driver::{Budget, Driver, Step};
use switchyard_app::lives::{lives_of, parts_of};

/// Milliseconds of simulation between two messages; the first comes sooner, so that there is
/// something to see at once.
const SLICE_MS: f64 = 40.0;
const FIRST_SLICE_MS: f64 = 8.0;

/// Carries one run, and answers for it.
pub struct Runner<L> {
    link: L,
    run: Option<CarriedRun>,
    /// The same run once more, up to the last time asked about.
    replay: Option<Driver>,
    /// The job whose placement it notes, where placements are learned.
    noted: Option<JobId>,
    /// The same run once more, to see what the job's life was spent on that was asked about last.
    watch: Option<Watch>,
    /// The same run once more, to see what all jobs' lives were spent on; and by whom it is told.
    lives: Option<Driver>,
}

struct Watch {
    job: JobId,
    /// `None` once it is over.
    run: Option<Driver>,
}

struct CarriedRun {
    loaded: Loaded,
    driver: Driver,
    /// Pieces of the log: those sent, and those of them that the page has taken in.
    pieces: u32,
    taken: u32,
    wall_ms: f64,
    /// Whether its log is wanted, and not yet complete.
    is_under_way: bool,
}

impl CarriedRun {
    /// The same once more, from its beginning.
    fn again(&self, link: &impl Link) -> Option<Driver> {
        let again = self.loaded.driver().ok()?;
        Some(again.cancelled_by(link.cancel()))
    }

    /// Whether the page has enough to take in.
    fn is_ahead(&self) -> bool {
        self.pieces.saturating_sub(self.taken) >= AHEAD
    }
}

impl<L: Link> Runner<L> {
    /// One that has no run yet.
    pub fn new(link: L) -> Self {
        Self {
            link,
            run: None,
            replay: None,
            noted: None,
            watch: None,
            lives: None,
        }
    }

    /// The way to the page.
    pub fn link(&self) -> &L {
        &self.link
    }

    /// Does what the page asks.
    pub fn answer(&mut self, request: RunRequest, attached: &mut impl Attached) {
        match request {
            RunRequest::Load(input) => {
                (self.run, self.replay, self.watch, self.noted) = (None, None, None, None);
                self.lives = None;
                match self.load(input, attached) {
                    Ok(run) => self.run = Some(run),
                    Err(why) => self.link.reply(RunReply::Failed {
                        why: why.to_string(),
                        shortage: None,
                    }),
                }
            }
            RunRequest::Simulate => {
                if let Some(run) = &mut self.run {
                    run.driver.reserve_log();
                    run.is_under_way = true;
                }
                self.slice();
            }
            RunRequest::Taken { pieces, room } => {
                if let Some(run) = &mut self.run {
                    if let Some(bytes) = room {
                        let budget = self.link.log_budget(LogBudget::of_bytes(bytes));
                        run.driver.set_log_budget(budget);
                    }
                    let was_ahead = run.is_ahead();
                    run.taken = run.taken.max(pieces);
                    if was_ahead && !run.is_ahead() && run.is_under_way {
                        self.link.call_again();
                    }
                }
            }
            RunRequest::Explain { job, at } => self.explain(job, at),
            RunRequest::Round { at } => self.round(at),
            RunRequest::Lives { whom, among } => {
                let Some(run) = &self.run else { return };
                let Loaded { spec, workload, .. } = &run.loaded;
                let mut lives = lives_of(whom, spec, workload);
                if let Some(among) = among {
                    lives = lives.among(|job| among.binary_search(&job).is_ok());
                }
                self.lives = run.again(&self.link).map(|again| again.noting_lives(lives));
                self.link.call_again();
            }
        }
    }

    /// A run that has not begun.
    fn load(
        &self,
        input: RunInput,
        attached: &mut impl Attached,
    ) -> Result<CarriedRun, InputError> {
        let mut loaded = Loaded::new(input, attached, 1.0)?;
        let budget = &mut loaded.spec.options.log_budget;
        *budget = self.link.log_budget(*budget);
        Ok(CarriedRun {
            driver: loaded.driver()?.cancelled_by(self.link.cancel()),
            loaded,
            pieces: 0,
            taken: 0,
            wall_ms: 0.0,
            is_under_way: false,
        })
    }

    /// Simulates for a while, sends what came of it, and asks to be called again; if it is ahead of
    /// the page, that calls it.
    pub fn slice(&mut self) {
        let Some(run) = self.run.as_mut().filter(|run| run.is_under_way) else {
            return if !self.watch() {
                self.look_on();
            };
        };
        if run.is_ahead() {
            return;
        }
        let slice = if run.wall_ms == 0.0 {
            FIRST_SLICE_MS
        } else {
            SLICE_MS
        };
        let clock = self.link.clock();
        let begin = clock();
        let step = run.driver.step_for(of_ms(&self.link, slice));
        run.wall_ms += clock() - begin;
        run.pieces += 1;
        let piece = LogPiece::of(&run.driver.take_log_piece());
        self.link.reply(RunReply::Log {
            piece,
            progress: run.driver.simulation().progress(),
        });
        match step {
            Ok(Step::Progress(_)) => return self.link.call_again(),
            // Nobody is there to be told.
            Ok(Step::Cancelled) => {}
            Ok(Step::Done(_)) => {
                let log_hash = run.driver.log().hash();
                let Loaded { spec, workload, .. } = &run.loaded;
                let rho = workload.is_adaptive().then(|| {
                    let log = run.driver.log();
                    Outcomes::of(workload, &spec.cluster, log).rho
                });
                self.link.reply(RunReply::Done {
                    log_hash,
                    wall_ms: run.wall_ms,
                    is_native: L::IS_NATIVE,
                    decisions: run.driver.simulation().decisions(),
                    rho,
                });
            }
            Err(error) => self.link.reply(RunReply::Failed {
                why: error.to_string(),
                shortage: shortage(&error),
            }),
        }
        run.is_under_way = false;
        self.link.call_again();
    }

    /// Looks on for a while at what a job does, and tells at the end. Whether there was anything to look at.
    fn watch(&mut self) -> bool {
        let (Some(watch), Some(carried)) = (&mut self.watch, &self.run) else {
            return false;
        };
        let Some(run) = &mut watch.run else {
            return false;
        };
        // Why it ended early has already been told by the run itself.
        if !matches!(
            run.step_for(of_ms(&self.link, SLICE_MS)),
            Ok(Step::Progress(_))
        ) {
            let Loaded { spec, workload, .. } = &carried.loaded;
            let (job, slows) = (watch.job, run.simulation().slows_jobs());
            let (parts, slowness) = parts_of(run, job, spec, workload);
            watch.run = None;
            let slowness = slows.then_some(slowness);
            let life = Box::new(ToldLife { parts, slowness });
            self.link.reply(RunReply::Lived { job, life });
        }
        self.link.call_again();
        true
    }

    /// Looks on for a while at what all jobs do, and tells at the end.
    fn look_on(&mut self) {
        let Some(run) = &mut self.lives else {
            return;
        };
        if let Ok(Step::Progress(_)) = run.step_for(of_ms(&self.link, SLICE_MS)) {
            return self.link.call_again();
        }
        let groups = run.take_lives();
        self.lives = None;
        self.link.reply(RunReply::Lives { groups });
    }

    fn explain(&mut self, job: JobId, at: Time) {
        let learned = |run: &CarriedRun| run.loaded.spec.learned().is_some();
        if self.noted != Some(job) && self.run.as_ref().is_some_and(learned) {
            (self.noted, self.replay) = (Some(job), None);
        }
        let Some(replay) = self.replay(at) else {
            return;
        };
        let explanation = replay.simulation().explain(job, at);
        self.link.reply(RunReply::Explained {
            job,
            at,
            explanation,
        });
        let Some(run) = &self.run else { return };
        if self.watch.as_ref().is_none_or(|watch| watch.job != job) {
            self.watch = Some(Watch {
                job,
                run: run.again(&self.link).map(|again| again.noting_life_of(job)),
            });
            self.link.call_again();
        }
    }

    fn round(&mut self, at: Time) {
        let Some(replay) = self.replay(at) else {
            return;
        };
        let report = replay.simulation().round().map(Box::new);
        self.link.reply(RunReply::Round { at, report });
    }

    /// The run up to a time.
    fn replay(&mut self, at: Time) -> Option<&Driver> {
        let run = self.run.as_ref()?;
        if self
            .replay
            .as_ref()
            .is_none_or(|replay| replay.simulation().progress().now > at)
        {
            self.replay = run.again(&self.link);
            if let (Some(replay), Some(job)) = (&self.replay, self.noted) {
                replay.simulation().watch(job);
            }
        }
        let replay = self.replay.as_mut()?;
        // Why it ended early has already been told by the run itself.
        if replay.step_for(Budget::until(at)).is_err() {
            self.replay = None;
        }
        self.replay.as_ref()
    }
}

/// What room a log was short of, if that ended its run.
fn shortage(error: &RunError) -> Option<LogShortage> {
    match error {
        RunError::Halt(halt) if halt.lacks_room() => Some(match halt.remedy {
            Remedy::FewerJobs => LogShortage::Jobs,
            _ => LogShortage::Policy,
        }),
        _ => None,
    }
}

/// A budget of so many milliseconds.
fn of_ms(link: &impl Link, ms: f64) -> Budget<'static> {
    let clock = link.clock();
    let begin = clock();
    Budget::unlimited().or_time_is_up(move || clock() - begin >= ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Attachments, jobs_of};
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use switchyard::engine::RunLog;
    use switchyard::workload::{Sample, Workload};
    use switchyard::{RunSpec, Time};
    use switchyard_app::driver::Cancel;

    /// A page that keeps what it hears.
    #[derive(Default)]
    struct Page {
        heard: RefCell<Vec<RunReply<Vec<u8>>>>,
        is_called: Cell<bool>,
        cancel: Cancel,
        most_bytes: Option<u64>,
    }

    impl Link for Page {
        type Cells = Vec<u8>;
        const IS_NATIVE: bool = true;

        fn reply(&self, reply: RunReply<Vec<u8>>) {
            self.heard.borrow_mut().push(reply);
        }

        fn clock(&self) -> impl Fn() -> f64 + 'static {
            // Time is up whenever somebody looks.
            let now = Cell::new(0.0);
            move || now.replace(now.get() + SLICE_MS)
        }

        fn call_again(&self) {
            self.is_called.set(true);
        }

        fn log_budget(&self, asked: LogBudget) -> LogBudget {
            self.most_bytes.map_or(asked, LogBudget::of_bytes)
        }

        fn cancel(&self) -> Cancel {
            self.cancel.clone()
        }
    }

    fn spec(policy: &str) -> (RunSpec, Workload) {
        let sample = Sample::named("lab").expect("a sample");
        let spec = RunSpec {
            policy: policy.parse().expect("a policy"),
            cluster: sample.cluster_spec(),
            placement: Default::default(),
            options: Default::default(),
            history: None,
            outages: Default::default(),
            queues: Default::default(),
        };
        (spec, sample.workload())
    }

    fn none() -> Attachments<Vec<u8>> {
        Attachments::from(Vec::new())
    }

    fn loaded(policy: &str, page: Page) -> Runner<Page> {
        let (spec, workload) = spec(policy);
        let input = RunInput {
            spec: Rc::new(spec),
            applications: None,
            has_user_weights: false,
        };
        let mut jobs = Attachments::from(vec![jobs_of(&workload).expect("bytes")]);
        let mut runner = Runner::new(page);
        runner.answer(RunRequest::Load(input), &mut jobs);
        runner
    }

    /// Lets it work for as long as it asks to be called.
    fn work(runner: &mut Runner<Page>) -> Vec<RunReply<Vec<u8>>> {
        while runner.link.is_called.take() {
            runner.slice();
        }
        runner.link.heard.take()
    }

    #[test]
    fn the_pieces_are_the_log_and_never_far_ahead() {
        let (spec, workload) = spec("tiresias-las");
        let mut alone = spec.start(workload.into());
        while alone.step().expect("plans are right") {}
        let mut runner = loaded("tiresias-las", Page::default());
        runner.answer(RunRequest::Simulate, &mut none());
        let (mut log, mut pieces, mut hash) = (RunLog::default(), 0, None);
        while hash.is_none() {
            let heard = work(&mut runner);
            assert!((1..=AHEAD as usize + 1).contains(&heard.len()));
            for reply in heard {
                match reply {
                    RunReply::Log { piece, .. } => {
                        pieces += 1;
                        piece.append_to(&mut log).expect("cells");
                    }
                    RunReply::Done {
                        log_hash,
                        is_native,
                        ..
                    } => hash = Some((log_hash, is_native)),
                    other => panic!("{other:?}"),
                }
            }
            let taken = RunRequest::Taken { pieces, room: None };
            runner.answer(taken, &mut none());
        }
        assert!(pieces > AHEAD);
        assert_eq!(&log, alone.log());
        assert_eq!(hash, Some((alone.log().hash(), true)));
    }

    #[test]
    fn questions_are_answered_without_a_simulation() {
        let mut runner = loaded("fifo", Page::default());
        let (job, at) = (JobId(3), Time(40_000.0));
        runner.answer(RunRequest::Explain { job, at }, &mut none());
        let lives = RunRequest::Lives {
            whom: None,
            among: None,
        };
        runner.answer(lives, &mut none());
        runner.answer(RunRequest::Round { at }, &mut none());
        let heard = work(&mut runner);
        assert!(matches!(
            &heard[..],
            [
                RunReply::Explained { .. },
                RunReply::Round { report: None, .. },
                RunReply::Lived { .. },
                RunReply::Lives { .. }
            ]
        ));
    }

    #[test]
    fn one_that_is_cancelled_says_no_more() {
        let mut runner = loaded("fifo", Page::default());
        runner.answer(RunRequest::Simulate, &mut none());
        runner.link.cancel.cancel();
        let taken = |pieces| RunRequest::Taken { pieces, room: None };
        runner.answer(taken(1), &mut none());
        work(&mut runner);
        runner.answer(taken(2), &mut none());
        assert!(work(&mut runner).is_empty());
    }

    #[test]
    fn a_log_becomes_no_longer_than_the_machine_lets_it() {
        let page = Page {
            most_bytes: Some(100),
            ..Page::default()
        };
        let mut runner = loaded("fifo", page);
        runner.answer(RunRequest::Simulate, &mut none());
        let heard = work(&mut runner);
        assert!(matches!(
            heard.last(),
            Some(RunReply::Failed {
                shortage: Some(_),
                ..
            })
        ));
    }

    #[test]
    fn jobs_that_have_not_come_along_are_told() {
        let (spec, _) = spec("fifo");
        for attached in [Vec::new(), vec![vec![1, 2, 3]]] {
            let input = RunInput {
                spec: Rc::new(spec.clone()),
                applications: None,
                has_user_weights: false,
            };
            let mut runner = Runner::new(Page::default());
            let mut attached = Attachments::from(attached);
            runner.answer(RunRequest::Load(input), &mut attached);
            runner.answer(RunRequest::Simulate, &mut none());
            let heard = work(&mut runner);
            assert!(matches!(&heard[..], [RunReply::Failed { why, .. }] if why.contains("jobs")));
        }
    }
}

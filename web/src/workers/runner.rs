//! The worker that carries one run: simulates in slices, so that it can listen between them.

use super::input::Loaded;
use crate::bridge::log_piece::LogPiece;
use crate::bridge::protocol::{AHEAD, LogShortage, RunReply, RunRequest, Runner, ToldLife};
use crate::bridge::server::PageLink;
use gloo_events::EventListener;
use std::cell::RefCell;
use std::rc::Rc;
use switchyard::engine::{LogBudget, Remedy, RunError};
use switchyard::job::JobId;
use switchyard::report::Outcomes;
use switchyard::{RunSpecError, Time};
use switchyard_app::driver::{Budget, Driver, Step};
use switchyard_app::lives::{lives_of, parts_of};
use wasm_bindgen::JsValue;
use web_sys::{MessageChannel, MessagePort};

/// Milliseconds of simulation between two messages; the first comes sooner, so that there is
/// something to see at once.
const SLICE_MS: f64 = 40.0;
const FIRST_SLICE_MS: f64 = 8.0;

/// Starts to listen.
pub(super) fn serve(page: PageLink<Runner>) {
    let Ok(channel) = MessageChannel::new() else {
        return page.crash("this browser has no message channels".to_string());
    };
    let server = Rc::new(RefCell::new(Server {
        page: page.clone(),
        next_slice: channel.port2(),
        run: None,
        replay: None,
        noted: None,
        watch: None,
        lives: None,
    }));

    let slices = server.clone();
    let on_slice = EventListener::new(&channel.port1(), "message", move |_| {
        slices.borrow_mut().slice();
    });
    on_slice.forget();
    channel.port1().start();

    page.listen(move |request, attachments| server.borrow_mut().answer(request, attachments));
}

struct Server {
    page: PageLink<Runner>,
    /// Posting here has [`Server::slice`] called, after what the page may have asked meanwhile.
    next_slice: MessagePort,
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
    /// One that has not begun.
    fn of(loaded: Loaded) -> Result<Self, RunSpecError> {
        Ok(Self {
            driver: loaded.driver()?,
            loaded,
            pieces: 0,
            taken: 0,
            wall_ms: 0.0,
            is_under_way: false,
        })
    }

    /// The same once more, from its beginning.
    fn again(&self) -> Option<Driver> {
        self.loaded.driver().ok()
    }

    /// Whether the page has enough to take in.
    fn is_ahead(&self) -> bool {
        self.pieces.saturating_sub(self.taken) >= AHEAD
    }
}

impl Server {
    fn answer(&mut self, request: RunRequest, attachments: Vec<JsValue>) {
        match request {
            RunRequest::Load(input) => {
                (self.run, self.replay, self.watch, self.noted) = (None, None, None, None);
                self.lives = None;
                let loaded = Loaded::new(input, attachments, 1.0).map_err(|why| why.to_string());
                match loaded
                    .and_then(|loaded| CarriedRun::of(loaded).map_err(|why| why.to_string()))
                {
                    Ok(run) => self.run = Some(run),
                    Err(why) => self.page.reply(RunReply::Failed {
                        why,
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
                        let budget = LogBudget::of_bytes(bytes);
                        run.driver.set_log_budget(budget);
                    }
                    let was_ahead = run.is_ahead();
                    run.taken = run.taken.max(pieces);
                    if was_ahead && !run.is_ahead() && run.is_under_way {
                        self.ask_again();
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
                self.lives = run.again().map(|again| again.noting_lives(lives));
                self.ask_again();
            }
        }
    }

    /// Simulates for a while, sends what came of it, and asks to be called again; if it is ahead of
    /// the page, that calls it.
    fn slice(&mut self) {
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
        let begin = self.page.now_ms();
        let step = run.driver.step_for(of_ms(&self.page, slice));
        run.wall_ms += self.page.now_ms() - begin;
        run.pieces += 1;
        let piece = LogPiece::of(&run.driver.take_log_piece());
        self.page.reply(RunReply::Log {
            piece,
            progress: run.driver.simulation().progress(),
        });
        match step {
            Ok(Step::Progress(_)) => return self.ask_again(),
            Ok(Step::Done(_) | Step::Cancelled) => {
                let log_hash = run.driver.log().hash();
                let Loaded { spec, workload, .. } = &run.loaded;
                let rho = workload.is_adaptive().then(|| {
                    let log = run.driver.log();
                    Outcomes::of(workload, &spec.cluster, log).rho
                });
                self.page.reply(RunReply::Done {
                    log_hash,
                    wall_ms: run.wall_ms,
                    decisions: run.driver.simulation().decisions(),
                    rho,
                });
            }
            Err(error) => self.page.reply(RunReply::Failed {
                why: error.to_string(),
                shortage: shortage(&error),
            }),
        }
        run.is_under_way = false;
        self.ask_again();
    }

    /// Has [`Server::slice`] called.
    fn ask_again(&self) {
        // The port is ours: it takes everything.
        let _ = self.next_slice.post_message(&JsValue::NULL);
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
            run.step_for(of_ms(&self.page, SLICE_MS)),
            Ok(Step::Progress(_))
        ) {
            let Loaded { spec, workload, .. } = &carried.loaded;
            let (job, slows) = (watch.job, run.simulation().slows_jobs());
            let (parts, slowness) = parts_of(run, job, spec, workload);
            watch.run = None;
            let slowness = slows.then_some(slowness);
            let life = Box::new(ToldLife { parts, slowness });
            self.page.reply(RunReply::Lived { job, life });
        }
        self.ask_again();
        true
    }

    /// Looks on for a while at what all jobs do, and tells at the end.
    fn look_on(&mut self) {
        let Some(run) = &mut self.lives else {
            return;
        };
        if let Ok(Step::Progress(_)) = run.step_for(of_ms(&self.page, SLICE_MS)) {
            return self.ask_again();
        }
        let groups = run.take_lives();
        self.lives = None;
        self.page.reply(RunReply::Lives { groups });
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
        self.page.reply(RunReply::Explained {
            job,
            at,
            explanation,
        });
        let Some(run) = &self.run else { return };
        if self.watch.as_ref().is_none_or(|watch| watch.job != job) {
            self.watch = Some(Watch {
                job,
                run: run.again().map(|again| again.noting_life_of(job)),
            });
            self.ask_again();
        }
    }

    fn round(&mut self, at: Time) {
        let Some(replay) = self.replay(at) else {
            return;
        };
        let report = replay.simulation().round().map(Box::new);
        self.page.reply(RunReply::Round { at, report });
    }

    /// The run up to a time.
    fn replay(&mut self, at: Time) -> Option<&Driver> {
        let run = self.run.as_ref()?;
        if self
            .replay
            .as_ref()
            .is_none_or(|replay| replay.simulation().progress().now > at)
        {
            self.replay = run.again();
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
fn of_ms(page: &PageLink<Runner>, ms: f64) -> Budget<'static> {
    let clock = page.clock();
    let begin = clock();
    Budget::unlimited().or_time_is_up(move || clock() - begin >= ms)
}

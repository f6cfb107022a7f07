//! The worker that carries one run: simulates in slices, so that it can listen between them.

use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::{AHEAD, ExportFormat, Lack, Reply, RunRequest};
use crate::bridge::server::{listen, reply};
use gloo_events::EventListener;
use js_sys::Uint8Array;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::job::JobId;
use switchyard::report::{Outcomes, Summary};
use switchyard::sim::{LogBudget, Remedy, RunError};
use switchyard::weights::{Weights, WeightsChoice};
use switchyard::workload::{ApplicationSettings, Workload, export};
use switchyard::{RunSpec, Time};
use switchyard_app::Experiment;
use switchyard_app::driver::{Budget, Driver, Step};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessagePort};

/// Milliseconds of simulation between two messages; the first comes sooner, so that there is
/// something to see at once.
const SLICE_MS: f64 = 40.0;
const FIRST_SLICE_MS: f64 = 8.0;

/// Starts to listen.
pub(super) fn serve(scope: DedicatedWorkerGlobalScope) {
    let Ok(channel) = MessageChannel::new() else {
        reply(
            &scope,
            &Reply::Crashed("this browser has no message channels".to_string()),
        );
        return;
    };
    let server = Rc::new(RefCell::new(Server {
        scope: scope.clone(),
        next_slice: channel.port2(),
        run: None,
        replay: None,
        noted: None,
        watch: None,
    }));

    let slices = server.clone();
    let on_slice = EventListener::new(&channel.port1(), "message", move |_| {
        slices.borrow_mut().slice();
    });
    on_slice.forget();
    channel.port1().start();

    listen(&scope, move |request, with| {
        let mut with = with.into_iter();
        let first = with.next().unwrap_or_default();
        let files = with.map(|file| bytes_of(&file)).collect();
        server.borrow_mut().answer(request, first, files);
    });
}

struct Server {
    scope: DedicatedWorkerGlobalScope,
    /// Posting here has [`Server::slice`] called, after what the page may have asked meanwhile.
    next_slice: MessagePort,
    run: Option<Run>,
    /// The same run once more, up to the last time asked about.
    replay: Option<Driver>,
    /// The job whose placement it notes, where placements are learned.
    noted: Option<JobId>,
    /// The same run once more, to see how fast the job ran that was asked about last.
    watch: Option<Watch>,
}

struct Watch {
    job: JobId,
    /// `None` once it is over.
    run: Option<Driver>,
}

struct Run {
    spec: RunSpec,
    workload: Arc<Workload>,
    weights: Weights,
    driver: Driver,
    /// Pieces of the log: those sent, and those of them that the page has taken in.
    pieces: u32,
    taken: u32,
    wall_ms: f64,
    over: bool,
}

impl Run {
    /// A run with these files of weights, one's own first if there are any.
    fn new(
        spec: RunSpec,
        workload: Arc<Workload>,
        files: &[Vec<u8>],
        own: bool,
        simulate: bool,
    ) -> Result<Self, String> {
        let mut weights = Weights::default();
        for (at, file) in files.iter().enumerate() {
            let added = match own && at == 0 {
                true => weights.add_own(file).map(|_| ()),
                false => weights.add_shipped(file),
            };
            added.map_err(|why| format!("The weights cannot be used: {why}."))?;
        }
        let driver = Driver::start(&spec, &workload, &weights);
        let mut driver = driver.map_err(|missing| missing.to_string())?;
        if simulate {
            driver.reserve_log();
        }
        Ok(Self {
            driver,
            spec,
            workload,
            weights,
            pieces: 0,
            taken: 0,
            wall_ms: 0.0,
            over: !simulate,
        })
    }

    /// The same once more, from its beginning.
    fn again(&self) -> Option<Driver> {
        Driver::start(&self.spec, &self.workload, &self.weights).ok()
    }

    /// Whether the page has enough to take in.
    fn is_ahead(&self) -> bool {
        self.pieces.saturating_sub(self.taken) >= AHEAD
    }
}

impl Server {
    /// Answers; `with` and `files`: what came along.
    fn answer(&mut self, request: RunRequest, with: JsValue, files: Vec<Vec<u8>>) {
        let jobs = Jobs::from(with.clone());
        match request {
            RunRequest::Run {
                spec,
                applications,
                simulate,
                own_weights,
                sum_at_load,
            } => {
                let bound = bound(&jobs, applications, sum_at_load.unwrap_or(1.0));
                if sum_at_load.is_some() {
                    let summed = bound.and_then(|jobs| summed(spec, jobs, &files, own_weights));
                    reply(&self.scope, &Reply::Summed(Box::new(summed)));
                    return;
                }
                let checked = spec.check().map_err(|missing| missing.to_string());
                let run = checked.and(bound).and_then(|workload| {
                    let spec = Rc::unwrap_or_clone(spec);
                    Run::new(spec, Arc::new(workload), &files, own_weights, simulate)
                });
                match run {
                    Ok(run) => self.run = Some(run),
                    Err(why) => {
                        self.run = None;
                        let lack = Lack::Nothing;
                        reply(&self.scope, &Reply::Failed { why, lack });
                        return;
                    }
                }
                (self.replay, self.watch, self.noted) = (None, None, None);
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
                    if was_ahead && !run.is_ahead() && !run.over {
                        self.ask_again();
                    }
                }
            }
            RunRequest::Weigh => {
                let mut weights = Weights::default();
                let own = weights.add_own(&bytes_of(&with));
                let own = own.map(|own| (WeightsChoice::Own(own), weights.policy(own)));
                let own = own.map_err(|why| why.to_string());
                reply(&self.scope, &Reply::Weighed(Box::new(own)));
            }
            RunRequest::Explain { job, at } => self.explain(job, at),
            RunRequest::Round { at } => self.round(at),
            RunRequest::Model(question) => {
                let answer = question.answer().map_err(|error| error.to_string());
                reply(&self.scope, &Reply::Modelled(Box::new(answer)));
            }
            RunRequest::Arrive(arrivals) => arrivals.measure(|measured| {
                reply(&self.scope, &Reply::Arrived(Box::new(measured)));
            }),
            RunRequest::Export { format, settings } => {
                let written = jobs.read().map(|jobs| written(format, &jobs, &settings));
                let written = written.map_or_else(Reply::Crashed, Reply::Exported);
                reply(&self.scope, &written);
            }
        }
    }

    /// Simulates for a while, sends what came of it, and asks to be called again; if it is ahead of
    /// the page, that calls it.
    fn slice(&mut self) {
        let Some(run) = self.run.as_mut().filter(|run| !run.over) else {
            return self.watch();
        };
        if run.is_ahead() {
            return;
        }
        let slice = if run.wall_ms == 0.0 {
            FIRST_SLICE_MS
        } else {
            SLICE_MS
        };
        let begin = now_ms(&self.scope);
        let step = run.driver.step_for(of_ms(&self.scope, slice));
        run.wall_ms += now_ms(&self.scope) - begin;
        run.pieces += 1;
        let delta = Box::new(run.driver.take_log_piece());
        reply(
            &self.scope,
            &Reply::Log {
                delta,
                progress: run.driver.simulation().progress(),
            },
        );
        match step {
            Ok(Step::Progress(_)) => return self.ask_again(),
            Ok(Step::Done(_) | Step::Cancelled) => {
                let log_hash = run.driver.log().hash();
                let rho = run.workload.is_adaptive().then(|| {
                    let log = run.driver.log();
                    Outcomes::of(&run.workload, &run.spec.cluster, log).rho
                });
                reply(
                    &self.scope,
                    &Reply::Done {
                        log_hash,
                        wall_ms: run.wall_ms,
                        decisions: run.driver.simulation().decisions(),
                        rho,
                    },
                );
            }
            Err(error) => {
                let (why, lack) = (error.to_string(), lack(&error));
                reply(&self.scope, &Reply::Failed { why, lack });
            }
        }
        run.over = true;
        self.ask_again();
    }

    /// Has [`Server::slice`] called.
    fn ask_again(&self) {
        // The port is ours: it takes everything.
        let _ = self.next_slice.post_message(&JsValue::NULL);
    }

    /// Looks on for a while at how fast a job runs, and tells at the end.
    fn watch(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let Some(run) = &mut watch.run else { return };
        // Why it ended early has already been told by the run itself.
        if let Ok(Step::Progress(_)) = run.step_for(of_ms(&self.scope, SLICE_MS)) {
            return self.ask_again();
        }
        let (job, slowness) = (watch.job, Box::new(run.take_slowness()));
        watch.run = None;
        reply(&self.scope, &Reply::Slowed { job, slowness });
    }

    fn explain(&mut self, job: JobId, at: Time) {
        let learned = |run: &Run| run.spec.learned().is_some();
        if self.noted != Some(job) && self.run.as_ref().is_some_and(learned) {
            (self.noted, self.replay) = (Some(job), None);
        }
        let Some(replay) = self.replay(at) else {
            return;
        };
        let explanation = replay.simulation().explain(job, at);
        reply(
            &self.scope,
            &Reply::Explained {
                job,
                at,
                explanation,
            },
        );
        let Some(run) = &self.run else { return };
        let slows_jobs = run.driver.simulation().slows_jobs();
        if slows_jobs && self.watch.as_ref().is_none_or(|watch| watch.job != job) {
            self.watch = Some(Watch {
                job,
                run: run.again().map(|again| again.noting_speed_of(job)),
            });
            self.ask_again();
        }
    }

    fn round(&mut self, at: Time) {
        let Some(replay) = self.replay(at) else {
            return;
        };
        let report = replay.simulation().round().map(Box::new);
        reply(&self.scope, &Reply::Round { at, report });
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

/// The jobs as they run: as fast as a load says, and training what the settings say.
fn bound(
    jobs: &Jobs,
    applications: Option<Arc<ApplicationSettings>>,
    load: f64,
) -> Result<Workload, String> {
    let mut workload = jobs.read()?;
    if load != 1.0 {
        workload = workload.at_load(load);
    }
    match applications {
        None => Ok(workload),
        Some(settings) => settings.bind(workload).map_err(|error| error.to_string()),
    }
}

/// A run from its beginning to its end, in numbers.
fn summed(
    spec: Rc<RunSpec>,
    workload: Workload,
    files: &[Vec<u8>],
    own: bool,
) -> Result<Summary, String> {
    spec.check().map_err(|missing| missing.to_string())?;
    let spec = Rc::unwrap_or_clone(spec);
    let mut run = Run::new(spec, Arc::new(workload), files, own, true)?;
    let told = |error: RunError| error.with_ways("run it with the command line");
    run.driver.step_for(Budget::unlimited()).map_err(told)?;
    let log = run.driver.log();
    Ok(Summary::of(&run.workload, &run.spec.cluster, log))
}

fn written(format: ExportFormat, workload: &Workload, settings: &Experiment) -> String {
    let mut text = String::new();
    let cluster = settings.cluster.as_ref();
    // Writing into memory does not fail.
    let _ = match format {
        ExportFormat::Switchyard => settings.write(workload, &mut text),
        ExportFormat::Swf => export::swf(workload, cluster, &mut text),
        ExportFormat::Tiresias => export::tiresias(workload, &mut text),
    };
    text
}

/// What a run would have needed that did not come to its end.
fn lack(error: &RunError) -> Lack {
    match error {
        RunError::Halt(halt) if halt.lacks_room() => match halt.remedy {
            Remedy::FewerJobs => Lack::RoomForJobs,
            _ => Lack::Room,
        },
        _ => Lack::Nothing,
    }
}

/// The bytes of a file that came along.
fn bytes_of(file: &JsValue) -> Vec<u8> {
    file.dyn_ref().map_or_else(Vec::new, Uint8Array::to_vec)
}

/// A budget of so many milliseconds.
fn of_ms(scope: &DedicatedWorkerGlobalScope, ms: f64) -> Budget<'static> {
    // Looked up once: that takes longer than a step.
    let clock = scope.performance();
    let now = move || clock.as_ref().map_or(0.0, |clock| clock.now());
    let begin = now();
    Budget::unlimited().or_time_is_up(move || now() - begin >= ms)
}

fn now_ms(scope: &DedicatedWorkerGlobalScope) -> f64 {
    scope
        .performance()
        .map_or(0.0, |performance| performance.now())
}

//! The worker's end: answers requests and runs simulations in slices, so that it can listen
//! between them.

use super::protocol::{OpenedTrace, PROTOCOL, Reply, Request};
use super::wire;
use js_sys::{ArrayBuffer, Uint8Array};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::job::JobId;
use switchyard::sim::{LogMark, PlanError, Simulation};
use switchyard::trace::{self, OpenOptions, Opened, SourceFile};
use switchyard::workload::{Sample, Workload};
use switchyard::{RunSpec, Time};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent, MessagePort};

/// Milliseconds of simulation between two messages; the first comes sooner, so that there is
/// something to see at once.
const SLICE_MS: f64 = 40.0;
const FIRST_SLICE_MS: f64 = 8.0;

/// Looking at the clock costs more than a step: steps between two looks.
const STEPS_PER_LOOK: u32 = 64;

/// Starts to listen and says that it is ready. Does nothing outside a worker.
pub fn serve() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    report_panics(scope.clone());
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
    }));

    let on_slice = Closure::<dyn FnMut()>::new({
        let server = server.clone();
        move || server.borrow_mut().slice()
    });
    channel
        .port1()
        .set_onmessage(Some(on_slice.as_ref().unchecked_ref()));
    on_slice.forget();

    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        match wire::unpack(&event.data()) {
            Ok((request, files)) => server.borrow_mut().answer(request, &files),
            Err(why) => reply(&server.borrow().scope, &Reply::Crashed(why)),
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    reply(&scope, &Reply::Ready { protocol: PROTOCOL });
}

struct Server {
    scope: DedicatedWorkerGlobalScope,
    /// Posting here has [`Server::slice`] called, after what the page may have asked meanwhile.
    next_slice: MessagePort,
    run: Option<Run>,
    /// The same run once more, up to the last time asked about.
    replay: Option<Simulation>,
}

struct Run {
    spec: RunSpec,
    workload: Arc<Workload>,
    simulation: Simulation,
    sent: LogMark,
    wall_ms: f64,
    over: bool,
}

impl Run {
    /// Takes up to so many steps; `false`: nothing is left to do.
    fn steps(&mut self, most: u32) -> Result<bool, PlanError> {
        for _ in 0..most {
            if !self.simulation.step()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Server {
    fn answer(&mut self, request: Request, files: &[ArrayBuffer]) {
        match request {
            Request::Open { names, member } => self.open(&names, files, member),
            Request::Sample(name) => self.sample(&name),
            Request::Run { spec, workload } => {
                if let Err(missing) = spec.check() {
                    self.run = None;
                    reply(&self.scope, &Reply::Failed(missing.to_string()));
                    return;
                }
                let workload = Arc::new(workload);
                self.run = Some(Run {
                    simulation: spec.start(workload.clone()),
                    spec,
                    workload,
                    sent: LogMark::default(),
                    wall_ms: 0.0,
                    over: false,
                });
                self.replay = None;
                self.slice();
            }
            Request::Explain { job, at } => self.explain(job, at),
        }
    }

    fn open(&self, names: &[String], files: &[ArrayBuffer], member: Option<String>) {
        let bytes: Vec<Vec<u8>> = files
            .iter()
            .map(|file| Uint8Array::new(file).to_vec())
            .collect();
        let files: Vec<SourceFile<'_>> = names
            .iter()
            .zip(&bytes)
            .map(|(name, bytes)| SourceFile { name, bytes })
            .collect();
        let options = OpenOptions {
            member,
            ..OpenOptions::default()
        };
        let answer = match trace::open(&files, &options) {
            Ok(Opened::Trace(trace)) => {
                let workload = Workload::from_trace(&trace);
                Reply::Opened(Box::new(OpenedTrace {
                    format: trace.format,
                    title: trace.title,
                    report: Some(trace.report),
                    members: trace.members,
                    cluster: trace.cluster,
                    suggested: workload.suggest_cluster(),
                    workload,
                }))
            }
            Ok(Opened::Cluster(cluster)) => Reply::OpenedCluster(cluster),
            Err(error) => Reply::Refused(error.to_string()),
        };
        reply(&self.scope, &answer);
    }

    fn sample(&self, name: &str) {
        let answer = match Sample::named(name) {
            Some(sample) => Reply::Opened(Box::new(OpenedTrace {
                format: "sample".to_string(),
                title: sample.title.to_string(),
                report: None,
                members: Vec::new(),
                cluster: Some(sample.cluster_spec()),
                suggested: sample.cluster_spec(),
                workload: sample.workload(),
            })),
            None => Reply::Refused(format!(
                "There is no sample '{name}': choose one from the list."
            )),
        };
        reply(&self.scope, &answer);
    }

    /// Simulates for a while, sends what came of it, and asks to be called again.
    fn slice(&mut self) {
        let Some(run) = self.run.as_mut().filter(|run| !run.over) else {
            return;
        };
        let budget = if run.wall_ms == 0.0 {
            FIRST_SLICE_MS
        } else {
            SLICE_MS
        };
        let begin = now_ms(&self.scope);
        let stepped = loop {
            match run.steps(STEPS_PER_LOOK) {
                Ok(true) if now_ms(&self.scope) - begin < budget => {}
                stepped => break stepped,
            }
        };
        run.wall_ms += now_ms(&self.scope) - begin;
        let delta = Box::new(run.simulation.take_delta(&mut run.sent));
        reply(
            &self.scope,
            &Reply::Log {
                delta,
                progress: run.simulation.progress(),
            },
        );
        match stepped {
            Ok(true) => {
                // The port is ours: it takes everything.
                let _ = self.next_slice.post_message(&wasm_bindgen::JsValue::NULL);
                return;
            }
            Ok(false) => {
                let log_hash = run.simulation.log().hash();
                reply(
                    &self.scope,
                    &Reply::Done {
                        log_hash,
                        wall_ms: run.wall_ms,
                    },
                );
            }
            Err(error) => reply(&self.scope, &Reply::Failed(error.to_string())),
        }
        run.over = true;
    }

    fn explain(&mut self, job: JobId, at: Time) {
        let Some(run) = &self.run else { return };
        if self
            .replay
            .as_ref()
            .is_none_or(|replay| replay.progress().now > at)
        {
            self.replay = Some(run.spec.start(run.workload.clone()));
        }
        let Some(replay) = &mut self.replay else {
            return;
        };
        // An impossible plan has already been reported by the run itself.
        if replay.run_until(at).is_ok() {
            let explanation = replay.explain(job);
            reply(
                &self.scope,
                &Reply::Explained {
                    job,
                    at,
                    explanation,
                },
            );
        }
    }
}

fn now_ms(scope: &DedicatedWorkerGlobalScope) -> f64 {
    scope
        .performance()
        .map_or(0.0, |performance| performance.now())
}

fn reply(scope: &DedicatedWorkerGlobalScope, reply: &Reply) {
    if let Ok(parcel) = wire::pack(reply, &[]) {
        // Nobody is left to tell if the page has gone away meanwhile.
        let _ = scope.post_message_with_transfer(&parcel, &parcel);
    }
}

/// A panic is our bug; the page should hear of it in words before the worker dies.
fn report_panics(scope: DedicatedWorkerGlobalScope) {
    // The hook must be `Send`; a worker has one thread, which is this one.
    let scope = Rc::new(scope);
    thread_local! {
        static SCOPE: RefCell<Option<Rc<DedicatedWorkerGlobalScope>>> = const { RefCell::new(None) };
    }
    SCOPE.set(Some(scope));
    std::panic::set_hook(Box::new(|info| {
        let why = format!("the worker failed: {info}");
        SCOPE.with_borrow(|scope| {
            if let Some(scope) = scope {
                reply(scope, &Reply::Crashed(why));
            }
        });
    }));
}

//! Jobs as columns, by the names that the command line's CSV has: numbers as typed arrays, names as
//! arrays of text. A number that is not known is `NaN`, a name that is not known is "". And who held which GPUs
//! when, as the log has it: a row for each stay of a job on GPUs, and a row for each node of a stay.

use crate::to_js::put;
use js_sys::{Array, BigUint64Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use switchyard::Index;
use switchyard::cluster::Gpus;
use switchyard::engine::{RunLog, Segment};
use switchyard::job::{Job, JobId};
use switchyard::report::{Outcomes, ended};
use switchyard::workload::Workload;
use wasm_bindgen::JsValue;

/// What the trace says of each job.
pub(crate) fn of_jobs(workload: &Workload) -> Object {
    let jobs = || workload.jobs.iter();
    let named = |of: fn(&Job) -> Option<u32>, names: &[String]| -> Array {
        // Each name is made once, and shared by its jobs.
        let names: Vec<JsValue> = names.iter().map(|name| name.as_str().into()).collect();
        let unknown = JsValue::from("");
        let name = |job| of(job).and_then(|at| names.get(at as usize));
        jobs().map(|job| name(job).unwrap_or(&unknown)).collect()
    };
    let numbers = |of: fn(&Job) -> f64| jobs().map(of).collect::<Vec<f64>>();
    let gpus: Vec<u32> = jobs().map(|job| job.gpus).collect();
    let names: Array = jobs().map(|job| JsValue::from(&*job.name)).collect();
    let columns = Object::new();
    put(&columns, "job", &names);
    put(
        &columns,
        "tenant",
        &named(|job| job.tenant, &workload.tenants),
    );
    put(&columns, "model", &named(|job| job.model, &workload.models));
    put(&columns, "gpus", &Uint32Array::from(&gpus[..]));
    put(
        &columns,
        "submit_s",
        &floats(&numbers(|job| job.submit.seconds())),
    );
    put(
        &columns,
        "duration_s",
        &floats(&numbers(|job| job.work.seconds())),
    );
    put(
        &columns,
        "requested_s",
        &floats(&numbers(|job| job.demand.time.unwrap_or(f64::NAN))),
    );
    // What the trace does not tell of any job has no column.
    let recorded = &workload.recorded;
    for label in recorded.labels.told() {
        let index = |job: &Option<Index>| recorded.labels.index(*job, label);
        let names = recorded.labels.names(label);
        let names: Vec<JsValue> = names.iter().map(|name| name.as_str().into()).collect();
        let unknown = JsValue::from("");
        let name = |set| index(set).and_then(|at| names.get(at as usize));
        let sets = recorded.label_sets.iter();
        let column: Array = sets.map(|set| name(set).unwrap_or(&unknown)).collect();
        put(&columns, label.word(), &column);
    }
    if recorded.tells_runs() {
        let waits = (0..).map(JobId).zip(&workload.jobs);
        let waits = waits.map(|(id, job)| recorded.wait(id, job).unwrap_or(f64::NAN));
        put(
            &columns,
            "recorded_wait_s",
            &floats(&waits.collect::<Vec<f64>>()),
        );
    }
    columns
}

/// All columns of a run.
pub(crate) struct OfRun {
    jobs: Object,
    segments: Object,
    places: Object,
}

impl OfRun {
    /// Of its log, and of what came of its jobs.
    pub(crate) fn new(outcomes: &Outcomes, log: &RunLog) -> Self {
        Self {
            jobs: of_outcomes(outcomes),
            segments: of_segments(log),
            places: of_places(log),
        }
    }
}

/// What came of each job in a run.
fn of_outcomes(outcomes: &Outcomes) -> Object {
    let columns = Object::new();
    let of = |key: &str, column: &JsValue| put(&columns, key, column);
    of("jct_s", &floats(&outcomes.jct));
    of("queueing_s", &floats(&outcomes.queueing));
    of("first_wait_s", &floats(&outcomes.first_wait));
    of("longest_wait_s", &floats(&outcomes.longest_wait));
    of("restarts", &Uint32Array::from(&outcomes.restarts[..]));
    of("service_gpu_s", &floats(&outcomes.service));
    of("rho", &floats(&outcomes.rho));
    of("evictions", &Uint32Array::from(&outcomes.evictions[..]));
    let failed = &outcomes.failed_attempts;
    of("failed_attempts", &Uint32Array::from(&failed[..]));
    of("lost_gpu_s", &floats(&outcomes.lost));
    let ended: Array = outcomes
        .ended
        .iter()
        .map(|of| JsValue::from(of.map_or("", ended)))
        .collect();
    of("ended", &ended);
    let rejected: Vec<u8> = outcomes.rejected.iter().map(|&is| is.into()).collect();
    of("rejected", &Uint8Array::from(&rejected[..]));
    columns
}

/// A run's stays of jobs on GPUs, in order of start.
fn of_segments(log: &RunLog) -> Object {
    let numbers = |of: fn(Segment<'_>) -> f64| floats(&segments(log).map(of).collect::<Vec<_>>());
    let whole = |of: fn(Segment<'_>) -> u32| {
        Uint32Array::from(&segments(log).map(of).collect::<Vec<_>>()[..])
    };
    let columns = Object::new();
    let of = |key: &str, column: &JsValue| put(&columns, key, column);
    of("job", &whole(|segment| segment.job.0));
    of("start_s", &numbers(|segment| segment.start.seconds()));
    of("ready_s", &numbers(|segment| segment.ready.seconds()));
    of("end_s", &numbers(|segment| segment.end.seconds()));
    of("gpus", &whole(|segment| segment.gpu_count()));
    of("part", &numbers(|segment| segment.part()));
    columns
}

/// On which GPUs of which nodes each of these stays was.
fn of_places(log: &RunLog) -> Object {
    let places = || {
        (0..)
            .zip(segments(log))
            .flat_map(|(at, segment)| segment.gpus.iter().map(move |part| (at, *part)))
    };
    let of =
        |of: fn((u32, Gpus)) -> u32| Uint32Array::from(&places().map(of).collect::<Vec<_>>()[..]);
    let masks: Vec<u64> = places().map(|(_, part)| part.mask).collect();
    let columns = Object::new();
    put(&columns, "segment", &of(|(at, _)| at));
    put(&columns, "node", &of(|(_, part)| part.node));
    put(&columns, "mask", &BigUint64Array::from(&masks[..]));
    columns
}

fn segments(log: &RunLog) -> impl Iterator<Item = Segment<'_>> {
    (0..log.segments()).map(|at| log.segment(at))
}

/// Puts the columns of each run beside its figures.
pub(crate) fn beside_runs(results: &JsValue, columns: Vec<OfRun>) {
    let runs = Reflect::get(results, &"runs".into()).unwrap_or_default();
    for (run, of) in Array::from(&runs).iter().zip(columns) {
        put(&run, "columns", &of.jobs);
        put(&run, "segments", &of.segments);
        put(&run, "places", &of.places);
    }
}

fn floats(values: &[f64]) -> Float64Array {
    Float64Array::from(values)
}

//! The engine as a module for code. `js/work.js` drives it, in a worker or in slices: it hands on bytes
//! to an [`Opener`], which becomes [`Jobs`], which become [`Runs`], which work for so many milliseconds
//! at a time. What was asked comes as a plain object (`options`), and results go as plain objects, by the
//! command line's names, with a typed array for each column of jobs (`columns`).
//!
//! Whatever is wrong is an `Error` that says what, where and what to do, with a `kind`: `input`, as
//! where the command line ends with status 2, or `run`, where it ends with 1.

mod columns;
pub mod functions;
mod options;
mod to_js;

use functions::Function;
use js_sys::{Array, Object};
use serde::Serialize;
use switchyard::engine::Mistake;
use switchyard::job::JobId;
use switchyard::policies::PolicySpec;
use switchyard::policies::script::Script;
use switchyard::report::RunResult;
use switchyard::trace::{OpenOptions, Opening};
use switchyard::{RunSpec, Time};
use switchyard_app::driver::{Budget, Driver, Step};
use switchyard_app::start::Asked as JobAsked;
use switchyard_app::study::{Prepared, Study};
use switchyard_app::{Explained, described};
use to_js::{plain, put, refused, refused_to_open, stopped};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now_ms() -> f64;
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn complain(text: &str);
}

/// Tells of a panic before it ends the engine: there is none that we know of.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| complain(&panic.to_string())));
}

/// What there is to choose from: `policies`, `settings`, `samples` and `metrics`.
#[wasm_bindgen]
pub fn described() -> Result<JsValue, JsValue> {
    let all = Object::new();
    put(&all, "policies", &plain(&described::policies())?);
    put(&all, "settings", &plain(&described::settings())?);
    put(&all, "samples", &plain(&described::samples())?);
    put(&all, "metrics", &plain(&described::metrics())?);
    Ok(all.into())
}

/// The spec of a script, by which `policies` has it. `params`: pairs of texts.
#[wasm_bindgen]
pub fn script(code: &str, params: JsValue) -> Result<String, JsValue> {
    with_params(params, |name| Script::spec(code, name))
}

/// The same of a plug-in, a WebAssembly module.
#[wasm_bindgen]
pub fn plugin(code: &[u8], params: JsValue) -> Result<String, JsValue> {
    with_params(params, |name| {
        switchyard::policies::plugin::spec(code, name)
    })
}

/// The spec of a code, by its name, with the other parameters.
fn with_params(
    params: JsValue,
    named: impl FnOnce(&str) -> Result<PolicySpec, Mistake>,
) -> Result<String, JsValue> {
    let params: Vec<(String, String)> = serde_wasm_bindgen::from_value(params).map_err(refused)?;
    let pairs = params.iter().map(|(key, value)| (&**key, &**value));
    // Any text is a name, once it is without what specs give a meaning to.
    let (name, others): (Vec<_>, Vec<_>) = pairs.partition(|(key, _)| *key == "name");
    let spec = named(name.first().map_or("", |(_, name)| name)).map_err(refused)?;
    Ok(spec.with_all(&others).map_err(refused)?.to_string())
}

/// The sample of this name; `options` as for an [`Opener`].
#[wasm_bindgen]
pub fn sample(name: &str, options: &JsValue) -> Result<Jobs, JsValue> {
    let asked = options::opening(options)?;
    let study = Study::of_sample(name, &asked.options, &asked.choices, asked.cluster);
    Ok(Jobs {
        study: study.map_err(refused)?,
    })
}

/// Opens files, slice by slice.
#[wasm_bindgen]
pub struct Opener {
    opening: Opening,
    asked: switchyard_app::options::Opening,
    again: bool,
    first: Option<String>,
}

/// How far an opening is.
#[derive(Serialize)]
struct Read {
    bytes: u64,
    jobs: u64,
}

#[wasm_bindgen]
impl Opener {
    /// With the options of `open` in JavaScript. `again`: the files have been opened once.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, again: bool) -> Result<Opener, JsValue> {
        let asked = options::opening(options)?;
        let options = OpenOptions {
            keep_on_cores: again,
            ..asked.options.clone()
        };
        Ok(Self {
            opening: Opening::new(options),
            asked,
            again,
            first: None,
        })
    }

    /// Begins the next file.
    pub fn begin(&mut self, name: &str) -> Result<(), JsValue> {
        self.first.get_or_insert_with(|| name.to_owned());
        let begun = self.opening.begin(name);
        begun.map_err(|error| refused_to_open(&error))
    }

    /// Takes a slice of the file; how far it is.
    pub fn push(&mut self, bytes: &[u8]) -> Result<JsValue, JsValue> {
        let pushed = self.opening.push(bytes);
        pushed.map_err(|error| refused_to_open(&error))?;
        let progress = self.opening.progress();
        plain(&Read {
            bytes: progress.bytes,
            jobs: progress.jobs,
        })
    }

    /// What the files amount to; nothing where they are to be opened again.
    pub fn finish(self) -> Result<Option<Jobs>, JsValue> {
        let opened = self.opening.finish();
        let opened = opened.map_err(|error| refused_to_open(&error))?;
        if !self.again && self.asked.again(&opened).is_some() {
            return Ok(None);
        }
        let asked = self.asked;
        let file = self.first.unwrap_or_default();
        let study = Study::of(opened, &file, &asked.options, &asked.choices, asked.cluster);
        Ok(Some(Jobs {
            study: study.map_err(refused)?,
        }))
    }
}

/// Jobs, to be run as often as wanted.
#[wasm_bindgen]
pub struct Jobs {
    study: Study,
}

#[wasm_bindgen]
impl Jobs {
    /// What is known of them.
    pub fn facts(&self) -> Result<JsValue, JsValue> {
        plain(&self.study.facts())
    }

    /// Runs of them, with the options of `run` in JavaScript. `deciders`: what decides in the place of each policy, where it
    /// is a function.
    pub fn runs(&self, options: &JsValue, deciders: &Array) -> Result<Runs, JsValue> {
        Ok(Runs {
            asked: self.asked(options, deciders)?,
            run: None,
            done: Vec::new(),
        })
    }

    /// Why a job, by its name, runs or waits at a moment, seconds since the first submission, in runs as of [`runs`](Self::runs).
    pub fn explaining(
        &self,
        options: &JsValue,
        deciders: &Array,
        job: &str,
        at: f64,
    ) -> Result<Explaining, JsValue> {
        if at.is_nan() || at < 0.0 {
            return Err(refused(format!(
                "at is {at}: it takes seconds since the first submission"
            )));
        }
        let asked = self.asked(options, deciders)?;
        Ok(Explaining {
            job: JobAsked::named(&asked.prepared.workload, job).map_err(refused)?,
            at: Time(at),
            asked,
            run: None,
            done: Vec::new(),
        })
    }

    fn asked(&self, options: &JsValue, deciders: &Array) -> Result<Asked, JsValue> {
        let functions = deciders.iter().map(Function::of);
        let functions = functions.collect::<Result<_, _>>()?;
        let running = options::running(options)?;
        let asked = running.of_study(self.study.clone()).map_err(refused)?;
        let prepared = asked.prepare().map_err(refused)?;
        to_js::is_told_exactly(&prepared)?;
        Ok(Asked {
            prepared,
            functions,
        })
    }
}

/// What is to be run.
struct Asked {
    prepared: Prepared,
    functions: Vec<Option<Function>>,
}

/// Runs in the making, one after the other.
#[wasm_bindgen]
pub struct Runs {
    asked: Asked,
    run: Option<Run>,
    done: Vec<(RunResult, columns::OfRun)>,
}

/// Answers in the making, of one run after the other.
#[wasm_bindgen]
pub struct Explaining {
    asked: Asked,
    job: JobId,
    at: Time,
    run: Option<Run>,
    done: Vec<Explained>,
}

struct Run {
    spec: RunSpec,
    /// Its policy, as results have it. A function's is no spec: no other program can read it.
    policy: String,
    driver: Driver,
    wall_ms: f64,
}

/// How far runs are.
#[derive(Serialize)]
struct Progress<'a> {
    stage: &'static str,
    /// The policy that runs.
    policy: &'a str,
    /// Runs that are over, and all of them.
    run: usize,
    runs: usize,
    /// Jobs that are done in this one, and all of them.
    done: u32,
    jobs: u32,
    /// The moment that it has reached, seconds.
    now: f64,
}

impl Asked {
    /// This run at its beginning, if there is one.
    fn start(&self, at: usize) -> Result<Option<Run>, JsValue> {
        let Some(spec) = self.prepared.runs.get(at) else {
            return Ok(None);
        };
        let mut spec = spec.clone();
        spec.options.log_budget = to_js::budget();
        let prepared = &self.prepared;
        let (policy, driver) = match self.function(at) {
            None => (spec.policy.to_string(), prepared.start(&spec)),
            Some(function) => {
                let placement = spec.policy.placement(spec.placement);
                let policy = function.policy(&prepared.workload, placement);
                let driver = prepared.start_deciding(&spec, function.name(), policy);
                (format!("function:{}", function.name()), driver)
            }
        };
        Ok(Some(Run {
            driver: driver.map_err(refused)?,
            spec,
            policy,
            wall_ms: 0.0,
        }))
    }

    /// What decides in a run, where its policy is a function.
    fn function(&self, at: usize) -> Option<&Function> {
        self.functions.get(at)?.as_ref()
    }

    /// How far all is, this run being the one that works.
    fn progress(&self, at: usize, run: &Run) -> Result<JsValue, JsValue> {
        let reached = run.driver.progress();
        plain(&Progress {
            stage: "run",
            policy: &run.policy,
            run: at,
            runs: self.prepared.runs.len(),
            done: reached.done,
            jobs: reached.jobs,
            now: reached.now.seconds(),
        })
    }
}

impl Run {
    /// The same, looking at a job for whoever asks why.
    fn watching(self, job: JobId) -> Self {
        self.driver.simulation().watch(job);
        self
    }

    /// Works up to a moment, for so many milliseconds; whether it is there.
    fn work(&mut self, until: Time, ms: f64) -> Result<bool, JsValue> {
        let begin = now_ms();
        let budget = Budget::until(until).or_time_is_up(|| now_ms() - begin >= ms);
        let step = self.driver.step_for(budget).map_err(stopped)?;
        self.wall_ms += now_ms() - begin;
        Ok(!matches!(step, Step::Progress(_)))
    }
}

#[wasm_bindgen]
impl Explaining {
    /// Works for so many milliseconds; how far the runs are, or nothing once all are over.
    pub fn work(&mut self, ms: f64) -> Result<JsValue, JsValue> {
        let at = self.done.len();
        let run = match self.run.take() {
            None => self.asked.start(at)?.map(|run| run.watching(self.job)),
            going => going,
        };
        let Some(mut run) = run else {
            return Ok(JsValue::UNDEFINED);
        };
        let is_there = run.work(self.at, ms)?;
        let progress = self.asked.progress(at, &run)?;
        if is_there {
            let explanation = run.driver.simulation().explain(self.job, self.at);
            self.done.push(Explained::new(run.policy, explanation));
        } else {
            self.run = Some(run);
        }
        Ok(progress)
    }

    /// What each policy says, once all are over.
    pub fn answers(&self) -> Result<JsValue, JsValue> {
        plain(&self.done)
    }
}

#[wasm_bindgen]
impl Runs {
    /// Works for so many milliseconds; how far they are, or nothing once all are over.
    pub fn work(&mut self, ms: f64) -> Result<JsValue, JsValue> {
        let at = self.done.len();
        let run = match self.run.take() {
            None => self.asked.start(at)?,
            going => going,
        };
        let Some(mut run) = run else {
            return Ok(JsValue::UNDEFINED);
        };
        let is_over = run.work(Time::NEVER, ms)?;
        let progress = self.asked.progress(at, &run)?;
        match is_over {
            true => self.end(run),
            false => self.run = Some(run),
        }
        Ok(progress)
    }

    /// What came of them, once all are over.
    pub fn results(&mut self) -> Result<JsValue, JsValue> {
        let (results, columns): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.done).into_iter().unzip();
        let results = plain(&self.asked.prepared.results(results))?;
        put(
            &results,
            "columns",
            &columns::of_jobs(&self.asked.prepared.workload),
        );
        columns::beside_runs(&results, columns);
        Ok(results)
    }

    fn end(&mut self, run: Run) {
        let prepared = &self.asked.prepared;
        let mut ended = prepared.ended(&run.spec, run.driver, run.wall_ms);
        if let Some(function) = self.asked.function(self.done.len()) {
            function.name().clone_into(&mut ended.result.label);
            ended.result.policy = run.policy;
        }
        let columns = columns::OfRun::new(&ended.outcomes, &ended.log);
        self.done.push((ended.result, columns));
    }
}

#[cfg(test)]
mod tests {
    use switchyard::policies::job_properties::PROPERTIES;
    use switchyard::report::GROUP_METRIC_IDS;
    use switchyard::trace::ColumnMapping;
    use switchyard::{Preset, SETTINGS};
    use switchyard_app::{METRICS, described};

    const TYPES: &str = include_str!("../js/switchyard.d.ts");

    #[test]
    fn every_metric_has_a_type_where_results_have_it() {
        let has = |key: &str| {
            let key = format!("{key}: ");
            TYPES.contains(&format!(" {key}"))
        };
        for key in METRICS.iter().flat_map(|metric| metric.path.split('.')) {
            assert!(key.is_empty() || has(key), "{key}");
        }
        // Of groups distributions are objects, which have their statistics within.
        for id in GROUP_METRIC_IDS {
            let distribution = id.rsplit_once('_').map_or(id, |(of, _)| of);
            assert!(has(id) || has(distribution), "{id}");
        }
        let described = serde_json::to_value(described::metrics()).expect("a table of texts");
        let keys = described[0].as_object().expect("an object").keys();
        for key in keys {
            assert!(has(key), "{key}");
        }
    }

    #[test]
    fn every_property_of_jobs_has_a_type() {
        for property in &PROPERTIES {
            let name = property.name;
            assert!(TYPES.contains(&format!("\n  readonly {name}: ")), "{name}");
        }
    }

    #[test]
    fn every_role_setting_and_preset_has_a_type() {
        for key in ColumnMapping::KEYS {
            assert!(TYPES.contains(&format!("\n  {key}?: string;")), "{key}");
        }
        for setting in SETTINGS {
            let key = setting.key;
            assert!(TYPES.contains(&format!("\n  {key}?: ")), "{key}");
        }
        for preset in Preset::ALL {
            assert!(
                TYPES.contains(&format!("\"{}\"", preset.name())),
                "{preset:?}"
            );
        }
    }
}

//! What a block `view` shows, and the runs behind it. In: its lines `key: value`; out: the attributes of
//! an element `<switchyard-view>`, the same runs by the engine, and a still of them.

use crate::run::Run;
use crate::still;
use anyhow::{Context, Result, bail, ensure};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::trace::{Choices, OpenOptions, Opening};
use switchyard::workload::{SAMPLES, Sample};
use switchyard_app::driver::Budget;
use switchyard_app::study::{Prepared, Request, Study, cluster_of};

/// The keys that a block may have: attributes of the element, in the order in which they are written.
const KEYS: [&str; 13] = [
    "src",
    "policy",
    "cluster",
    "view",
    "t",
    "speed",
    "select",
    "highlight",
    "group",
    "controls",
    "autoplay",
    "link",
    "caption",
];

/// The seeds that a sample's other days are drawn from, beside its own.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// One figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its number on its page, from 1.
    pub number: usize,
    attributes: Vec<(&'static str, String)>,
    folder: PathBuf,
    /// The seed of its jobs, where it is not the sample's own.
    seed: Option<u64>,
    known: KnownRuns,
    /// The still, where it has runs small enough to be drawn, or the goodput model.
    pub still: Option<String>,
}

/// What has run for a page: by the jobs, the seed, the cluster, whether the jobs are adaptive, and the scheduler.
type KnownRuns = Rc<RefCell<BTreeMap<Asked, Rc<Run>>>>;
type Asked = (String, Option<u64>, String, bool, String);

impl Figure {
    /// Of a block's lines; `before`: the figure that it takes over what it does not say from.
    pub(crate) fn read(
        lines: &str,
        number: usize,
        folder: &Path,
        before: Option<&Figure>,
    ) -> Result<Self> {
        let mut attributes = Vec::new();
        for (key, value) in pairs(lines)? {
            let Some(key) = KEYS.iter().find(|known| **known == key) else {
                bail!("a view has no '{key}': use one of {}", KEYS.join(", "));
            };
            attributes.push((*key, value));
        }
        for key in ["src", "policy", "cluster"] {
            let is_said = attributes.iter().any(|(said, _)| *said == key);
            // Another trace comes with its own.
            let is_same = attributes
                .iter()
                .all(|(said, _)| *said != "src" || key == "src");
            if let Some(value) = before.and_then(|before| before.attribute(key))
                && !is_said
                && is_same
            {
                attributes.push((key, value.to_owned()));
            }
        }
        attributes.sort_by_key(|(key, _)| KEYS.iter().position(|known| known == key));
        let mut figure = Self {
            number,
            attributes,
            folder: folder.to_owned(),
            seed: None,
            known: before
                .map(|before| Rc::clone(&before.known))
                .unwrap_or_default(),
            still: None,
        };
        if figure.has_runs() {
            let runs = figure.runs(&figure.policies())?;
            figure.still = still::of(&runs, figure.moment()?);
        } else if figure.attribute("view") == Some("goodput") {
            figure.still = still::of_models();
        }
        Ok(figure)
    }

    /// What it says of itself.
    pub(crate) fn attribute(&self, key: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find(|(said, _)| *said == key)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.attributes
            .iter()
            .map(|(key, value)| (*key, value.as_str()))
    }

    /// Whether it shows runs; models to play with have none.
    pub(crate) fn has_runs(&self) -> bool {
        !matches!(self.attribute("view"), Some("goodput" | "fragmentation"))
    }

    /// The schedulers that it shows at first.
    pub(crate) fn policies(&self) -> String {
        self.attribute("policy").unwrap_or_default().to_owned()
    }

    /// Whether a job of its runs has this name.
    pub(crate) fn has_job(&self, name: &str) -> Result<bool> {
        if !self.has_runs() {
            return Ok(false);
        }
        let runs = self.runs(&self.policies())?;
        let jobs = runs.iter().flat_map(|run| &run.prepared.workload.jobs);
        Ok(jobs.into_iter().any(|job| &*job.name == name))
    }

    /// When the last of its runs ends, seconds of its clock; none where it has no runs.
    pub(crate) fn end(&self) -> Result<Option<f64>> {
        if !self.has_runs() {
            return Ok(None);
        }
        let runs = self.runs(&self.policies())?;
        let ends = runs.iter().filter_map(|run| run.log.event_times().last());
        Ok(ends.copied().reduce(f64::max))
    }

    /// The moment that it opens at, seconds; without one its end is drawn.
    fn moment(&self) -> Result<Option<f64>> {
        let moment = self.attribute("t").map(str::parse);
        moment.transpose().context("t is a number of seconds")
    }

    /// The same of other days: its sample drawn from other seeds.
    pub(crate) fn other_days(&self) -> Result<Vec<(u64, Self)>> {
        let src = self.src();
        let sample =
            Sample::named(src).with_context(|| format!("'{src}' is not drawn from a seed"))?;
        ensure!(
            sample.workload_of(SEEDS[0]).jobs != sample.workload_of(SEEDS[1]).jobs,
            "'{src}' is the same with every seed"
        );
        let other = |seed| {
            let figure = Self {
                seed: Some(seed),
                ..self.clone()
            };
            (seed, figure)
        };
        Ok(SEEDS.map(other).into())
    }

    /// The runs of these schedulers on its jobs.
    pub(crate) fn runs(&self, policies: &str) -> Result<Vec<Rc<Run>>> {
        let runs = self.run(&policies.split_whitespace().collect::<Vec<_>>());
        runs.with_context(|| format!("{policies} on '{}'", self.src()))
    }

    fn run(&self, policies: &[&str]) -> Result<Vec<Rc<Run>>> {
        let mut request = Request::default();
        if !policies.is_empty() {
            request.policies(policies)?;
        }
        let prepared = Rc::new(self.study()?.ask(request)?.prepare()?);
        let mut runs = Vec::new();
        for spec in &prepared.runs {
            let asked = (
                self.src().to_owned(),
                self.seed,
                self.attribute("cluster").unwrap_or_default().to_owned(),
                prepared.workload.is_adaptive(),
                spec.policy.to_string(),
            );
            if let Some(run) = self.known.borrow().get(&asked) {
                runs.push(Rc::clone(run));
                continue;
            }
            let mut run = prepared.start(spec)?;
            run.step_for(Budget::unlimited())?;
            let ended = prepared.ended(spec, run, 0.0);
            let run = Rc::new(Run {
                result: ended.result,
                outcomes: ended.outcomes,
                log: Arc::new(ended.log),
                prepared: Rc::clone(&prepared),
                trace: self.trace(&prepared),
            });
            self.known.borrow_mut().insert(asked, Rc::clone(&run));
            runs.push(run);
        }
        Ok(runs)
    }

    /// What its jobs are called, for people.
    fn trace(&self, prepared: &Prepared) -> String {
        let src = self.src();
        match (Sample::named(src), &*prepared.experiment.title) {
            (Some(sample), _) => sample.title.to_owned(),
            (None, "") => src.to_owned(),
            (None, title) => title.to_owned(),
        }
    }

    fn src(&self) -> &str {
        self.attribute("src").unwrap_or(SAMPLES[0].name)
    }

    /// Its jobs: a sample, or an experiment in the folder of the text.
    fn study(&self) -> Result<Study> {
        let src = self.src();
        let cluster = self.attribute("cluster").map(cluster_of).transpose()?;
        let (options, choices) = (OpenOptions::default(), Choices::default());
        if let Some(sample) = Sample::named(src) {
            let jobs = match self.seed {
                Some(seed) => sample.workload_of(seed),
                None => sample.workload(),
            };
            return Ok(Study::of_jobs(sample, jobs, cluster));
        }
        let path = self.folder.join(src);
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut opening = Opening::new(options.clone());
        opening.begin(src)?;
        opening.push(&bytes)?;
        Ok(Study::of(
            opening.finish()?,
            src,
            &options,
            &choices,
            cluster,
        )?)
    }
}

/// Lines `key: value`.
pub(crate) fn pairs(lines: &str) -> Result<Vec<(&str, String)>> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    let pairs = lines.map(|line| {
        let (key, value) = line
            .split_once(':')
            .with_context(|| format!("'{line}' is no 'key: value'"))?;
        Ok((key.trim(), value.trim().to_owned()))
    });
    pairs.collect()
}

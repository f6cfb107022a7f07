//! What a block `view` shows, and the runs behind it. In: its lines `key: value`; out: the attributes of
//! an element `<switchyard-view>`, the same runs by the engine, and a still of them.

use crate::run::Run;
use crate::still;
use anyhow::{Context, Result, bail, ensure};
use rand_xoshiro::rand_core::SeedableRng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::draw::{Rng, below};
use switchyard::job::Job;
use switchyard::trace::{Choices, OpenOptions, Opening};
use switchyard::workload::{SAMPLES, Sample};
use switchyard::{SETTINGS, Setting, Time};
use switchyard_app::Permalink;
use switchyard_app::driver::Budget;
use switchyard_app::study::{Prepared, Request, Study, StudyRequest, cluster_of};

/// The keys that a block may have: attributes of the element, in the order in which they are written.
const KEYS: &[&str] = &[
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

/// The seeds that other days of a sample, other failures and other orders are drawn from, beside its own.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// One figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its number on its page, from 1.
    pub number: usize,
    attributes: Vec<(&'static str, String)>,
    folder: PathBuf,
    /// The seed of its jobs, or of the failures where these do not come from a sample; its own without one.
    seed: Option<u64>,
    /// The seed of the order in which its jobs come, where it is not their own.
    order: Option<u64>,
    known: KnownRuns,
    /// The still, where it has runs small enough to be drawn, or the goodput model.
    pub still: Option<String>,
    /// How high it has to be.
    pub(crate) room: Room,
}

/// How high a figure has to be to show all that it has, and no higher.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Room {
    /// A few rows.
    Low,
    /// Some more.
    Middle,
    /// As much as there is.
    #[default]
    High,
}

impl Room {
    /// Of a view of so many runs, on so many GPUs in all.
    fn of(view: &str, runs: usize, gpus: u32) -> Self {
        match view {
            "timeline" if gpus <= 8 => Self::Low,
            "timeline" if gpus <= 18 => Self::Middle,
            "yard" if gpus <= 8 => Self::Low,
            "yard" if gpus <= 32 && runs == 1 => Self::Middle,
            "compare" if runs == 1 => Self::Middle,
            _ => Self::High,
        }
    }
}

/// What has run for a page: by the jobs, the seeds, the cluster, the settings, whether the jobs are adaptive, and the
/// scheduler.
type KnownRuns = Rc<RefCell<BTreeMap<RunKey, Rc<Run>>>>;
type RunKey = (String, [Option<u64>; 2], String, String, bool, String);

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
            order: None,
            known: before
                .map(|before| Rc::clone(&before.known))
                .unwrap_or_default(),
            still: None,
            room: Room::default(),
        };
        if figure.has_runs() {
            let runs = figure.runs(&figure.policies())?;
            let gpus = runs.iter().map(|run| run.prepared.cluster.gpus()).sum();
            let view = figure.attribute("view").unwrap_or_default();
            figure.room = Room::of(view, runs.len(), gpus);
            figure.still = still::of(&runs, figure.moment()?);
        } else if figure.attribute("view") == Some("goodput") {
            figure.still = still::of_models();
        }
        Ok(figure)
    }

    /// The same with another value of an attribute.
    pub(crate) fn with(&self, key: &str, value: &str) -> Result<Self> {
        let Some(at) = KEYS.iter().position(|known| *known == key) else {
            bail!("a view has no '{key}': use one of {}", KEYS.join(", "));
        };
        let mut figure = self.clone();
        figure.attributes.retain(|(said, _)| *said != key);
        let place = |said: &str| KEYS.iter().position(|known| *known == said);
        let behind = figure
            .attributes
            .iter()
            .filter(|(said, _)| place(said) < Some(at));
        figure
            .attributes
            .insert(behind.count(), (KEYS[at], value.to_owned()));
        Ok(figure)
    }

    /// The same with these settings besides, as links have them: `checkpoint=900&restart=60`.
    pub(crate) fn with_settings(&self, settings: &str) -> Result<Self> {
        let link = match self.attribute("link") {
            Some(link) => format!("{link}&{settings}"),
            None => settings.to_owned(),
        };
        let figure = self.with("link", &link)?;
        for (key, _) in Permalink::read(settings) {
            ensure!(
                setting(key).is_some(),
                "there is no setting '{key}' in links"
            );
        }
        Ok(figure)
    }

    /// The settings that its link has; what else stands there is about how it is shown.
    fn settings(&self) -> Vec<(&'static Setting, String)> {
        let link = self.attribute("link").unwrap_or_default();
        let parts = Permalink::read(link);
        let mut settings: Vec<(&'static Setting, String)> = Vec::new();
        for (key, value) in parts {
            if let Some(setting) = setting(key) {
                // What is said last counts.
                settings.retain(|(said, _)| said.key != setting.key);
                settings.push((setting, value.into_owned()));
            }
        }
        settings
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

    /// Whose jobs its runs have, by how many they have, as the figure colours them.
    pub(crate) fn tenants(&self) -> Result<Vec<String>> {
        let runs = match self.has_runs() {
            true => self.runs(&self.policies())?,
            false => Vec::new(),
        };
        let Some(run) = runs.first() else {
            return Ok(Vec::new());
        };
        let workload = &run.prepared.workload;
        let count = |at: usize| {
            let jobs = workload.jobs.iter();
            jobs.filter(|job| job.tenant == Some(at as u32)).count()
        };
        let mut all: Vec<usize> = (0..workload.tenants.len()).collect();
        all.sort_by_key(|at| (std::cmp::Reverse(count(*at)), *at));
        let names = all.into_iter().map(|at| workload.tenants[at].clone());
        Ok(names.collect())
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

    /// The same of other days: its sample drawn from other seeds, or where nodes fail by chance, other failures.
    pub(crate) fn other_days(&self) -> Result<Vec<(u64, Self)>> {
        let src = self.src();
        let is_drawn = match Sample::named(src) {
            Some(sample) => sample.workload_of(SEEDS[0]).jobs != sample.workload_of(SEEDS[1]).jobs,
            None => self.request(&[])?.prepare()?.runs[0].options.mtbf > 0.0,
        };
        ensure!(is_drawn, "'{src}' is the same with every seed");
        Ok(self.others(|seed, figure| figure.seed = Some(seed)))
    }

    /// The same where its jobs come in other orders, at the same times.
    pub(crate) fn other_orders(&self) -> Vec<(u64, Self)> {
        self.others(|seed, figure| figure.order = Some(seed))
    }

    fn others(&self, change: impl Fn(u64, &mut Self)) -> Vec<(u64, Self)> {
        let others = SEEDS.map(|seed| {
            let mut figure = self.clone();
            change(seed, &mut figure);
            (seed, figure)
        });
        others.into()
    }

    /// The runs of these schedulers on its jobs.
    pub(crate) fn runs(&self, policies: &str) -> Result<Vec<Rc<Run>>> {
        let runs = self.run(&policies.split_whitespace().collect::<Vec<_>>());
        runs.with_context(|| format!("{policies} on '{}'", self.src()))
    }

    fn run(&self, policies: &[&str]) -> Result<Vec<Rc<Run>>> {
        let prepared = Rc::new(self.request(policies)?.prepare()?);
        let link: Vec<String> = (self.settings().iter())
            .map(|(setting, value)| format!("{}={value}", setting.link))
            .collect();
        let settings = link.join("&");
        let mut runs = Vec::new();
        for spec in &prepared.runs {
            let asked = (
                self.src().to_owned(),
                [self.seed, self.order],
                self.attribute("cluster").unwrap_or_default().to_owned(),
                settings.clone(),
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
                settings: settings.clone(),
            });
            self.known.borrow_mut().insert(asked, Rc::clone(&run));
            runs.push(run);
        }
        Ok(runs)
    }

    /// Its jobs, with what is asked of them.
    fn request(&self, policies: &[&str]) -> Result<StudyRequest> {
        let mut request = Request::default();
        if !policies.is_empty() {
            request.policies(policies)?;
        }
        for (setting, value) in self.settings() {
            request.set(setting, value)?;
        }
        let mut study = self.study()?;
        if let (Some(seed), None) = (self.seed, Sample::named(self.src())) {
            let seeded = setting("seed").context("runs have a seed")?;
            request.set(seeded, seed.to_string())?;
        }
        if let Some(order) = self.order {
            shuffle(&mut study.workload.jobs, order);
        }
        Ok(study.ask(request)?)
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

/// The setting that links call so.
fn setting(link: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.link == link)
}

/// Jobs in another order, at the same times: Fisher and Yates' shuffle, which a seed fixes for all times.
fn shuffle(jobs: &mut [Job], seed: u64) {
    let mut rng = Rng::seed_from_u64(seed);
    let times: Vec<Time> = jobs.iter().map(|job| job.submit).collect();
    for last in (1..jobs.len()).rev() {
        jobs.swap(last, below(&mut rng, last as u32 + 1) as usize);
    }
    for (job, submit) in jobs.iter_mut().zip(times) {
        job.submit = submit;
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

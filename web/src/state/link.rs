//! The address of a view: everything but the trace itself, as readable text after `#`.
//!
//! `#v=1&sample=lab&cluster=8x4&run=fifo&run=tiresias-las[queues=2,…]&view=compare&t=3600`
//!
//! What cannot be understood is left at its default and complained about, every part of it, so
//! that old and mistyped links still open. Measured profiles, service histories and long lists of
//! outages are too large for its text ([`Link::left_out`]): files carry them, and small files travel
//! within the link ([`Experiment`](switchyard_app::Experiment), [`Source::Packed`]).

use super::ColourBy;
use super::source::{check_address, without_login};
use super::view_options::{OPTIONS, ViewOptions};
use super::{Scene, Source, Theme, settings};
use crate::bridge::protocol::Choice;
use crate::complaint::Complaint;
use crate::draw::format;
use crate::time_axis::Window as Span;
use crate::ui::views::goodput::model::Question;
use crate::zones;
use std::fmt::Display;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::outages::Outages;
use switchyard::policies::PolicySpec;
use switchyard::trace::{Choices, ColumnMapping, Window};
use switchyard::workload::{Application, Label, SAMPLES, Sample};
use switchyard::{Resource, Settings};
use switchyard_app::Permalink;
use switchyard_app::study::DEFAULT_POLICIES;

/// The view that a link shows which names none.
const FIRST_VIEW: &str = "yard";

/// Lists of at most so many outages go into a link.
const MOST_OUTAGES: usize = 100;

/// Whether a link carries them; else only files do.
pub fn fit_in_a_link(outages: &Outages) -> bool {
    outages.len() <= MOST_OUTAGES
}

/// Colours and dashes are not told apart for longer than this.
const MOST_HUES: u32 = 64;

/// A link has at most so many schedulers, and a cluster of so many nodes: whoever follows one has not chosen them, and
/// each costs time before anything is seen.
const MOST_RUNS: usize = 256;
const MOST_NODES: u32 = 65_536;

/// So many complaints are shown of a link.
const MOST_COMPLAINTS: usize = 20;

/// A complaint shows at most so many characters of a value.
const SHOWN: usize = 60;

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The trace.
    pub source: Source,
    /// The member of an archive; all of them if none is named.
    pub member: Option<String>,
    /// Which columns of a table hold what, as `--map` has it.
    pub columns: Option<String>,
    /// Which of its jobs are taken.
    pub choice: Choice,
    /// The cluster, if it is not the trace's own.
    pub cluster: Option<ClusterSpec>,
    /// The settings of its runs; without profiles.
    pub settings: Settings,
    /// The schedulers.
    pub policies: Vec<PolicySpec>,
    /// Whether it says what to run; else an experiment that it opens does.
    pub says_runs: bool,
    /// What people have named them, "" where nobody has; one each.
    pub names: Vec<String>,
    /// Which hues they have, where those do not follow from their order; one each.
    pub hues: Vec<Option<u32>>,
    /// Position of the run that others are compared with.
    pub baseline: usize,
    /// The view's name; the page knows which there are.
    pub view: String,
    /// What is chosen within views; runs by their position.
    pub options: ViewOptions,
    /// What the goodput model is asked.
    pub question: Question,
    /// What colours stand for.
    pub colour_by: ColourBy,
    /// Light or dark.
    pub theme: Theme,
    /// The clock, seconds; not given: play from the start.
    pub time: Option<f64>,
    /// Simulated seconds per real second.
    pub speed: Option<f64>,
    /// The part of time that views show; not given: all of it.
    pub seen: Option<Span>,
    /// The range of time that is selected.
    pub range: Option<Span>,
    /// The chosen job.
    pub job: Option<JobId>,
    /// The job that is followed.
    pub followed: Option<JobId>,
    /// The class of jobs that stands out.
    pub lit: Option<u32>,
    /// What could not be understood, a sentence each.
    pub complaints: Vec<String>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            source: Source::Sample(SAMPLES[0].name.to_string()),
            member: None,
            columns: None,
            choice: Choice::default(),
            cluster: None,
            settings: Settings::default(),
            policies: default_policies(),
            says_runs: false,
            names: vec![String::new(); default_policies().len()],
            hues: vec![None; default_policies().len()],
            baseline: 0,
            view: FIRST_VIEW.to_string(),
            options: ViewOptions::default(),
            question: Question::default(),
            colour_by: ColourBy::default(),
            theme: Theme::default(),
            time: None,
            speed: None,
            seen: None,
            range: None,
            job: None,
            followed: None,
            lit: None,
            complaints: Vec::new(),
        }
    }
}

/// The two schedulers of the first picture: the baseline and what the sandbox is about.
fn default_policies() -> Vec<PolicySpec> {
    let names = DEFAULT_POLICIES.iter();
    names.filter_map(|name| name.parse().ok()).collect()
}

impl Link {
    /// Whether what stands after `#` is meant as a link.
    pub fn is_one(fragment: &str) -> bool {
        fragment.contains('=')
    }

    /// Reads what stands after `#` (with or without it).
    pub fn parse(fragment: &str) -> Self {
        let mut link = Self::default();
        let (mut policies, mut packed, mut left_out) = (Vec::new(), None, 0);
        for (key, value) in Permalink::read(fragment) {
            if key == Permalink::EXPERIMENT {
                packed = Some(Rc::from(value));
                continue;
            }
            if key == "run" && policies.len() == MOST_RUNS {
                left_out += 1;
            }
            if left_out > 0 && ["run", "name", "hue"].contains(&key) {
                continue;
            }
            link.says_runs |= key == "run" && value.is_empty();
            if let Err(why) = link.read(key, &value, &mut policies) {
                link.complain(key, &value, &why);
            }
        }
        if let Some(packed) = packed {
            let name = match &link.source {
                Source::File(name) => name,
                _ => "experiment.csv",
            };
            link.source = Source::Packed(name.to_owned(), packed);
        }
        if left_out > 0 {
            link.complaints.push(format!(
                "run: a link has at most {MOST_RUNS} schedulers, so {left_out} more are left out."
            ));
        }
        link.says_runs |= !policies.is_empty();
        if link.says_runs {
            link.policies = policies;
        } else if let Source::Sample(name) = &link.source
            && let Some(scene) = Scene::of(name)
        {
            let shown = scene.schedulers.iter();
            link.policies = shown.filter_map(|policy| policy.parse().ok()).collect();
            link.baseline = scene.baseline;
            for (key, value) in scene.settings {
                let taken = link.read(key, value, &mut Vec::new());
                debug_assert!(taken.is_ok(), "{key}={value}");
            }
        }
        let most = link.policies.len();
        link.names.resize(most, String::new());
        link.hues.resize(most, None);
        if link.baseline >= most.max(1) {
            let given = std::mem::take(&mut link.baseline);
            let last = most.saturating_sub(1);
            let why = format!("baseline={given}: the schedulers are numbered from 0 to {last}.");
            link.complaints.push(why);
        }
        let more = link.complaints.len().saturating_sub(MOST_COMPLAINTS);
        if more > 0 {
            link.complaints.truncate(MOST_COMPLAINTS);
            let why = format!("{more} more parts of the link are not understood.");
            link.complaints.push(why);
        }
        link
    }

    /// Complains about a part of it.
    pub fn complain(&mut self, key: &str, value: &str, why: &str) {
        let (key, value) = (shortened(key), shortened(&without_login(value)));
        self.complaints.push(format!("{key}={value}: {why}."));
    }

    fn read(
        &mut self,
        key: &str,
        value: &str,
        policies: &mut Vec<PolicySpec>,
    ) -> Result<(), Complaint> {
        match key {
            "v" => match value.parse::<u32>() {
                Ok(Permalink::VERSION) => {}
                Ok(version) if version > Permalink::VERSION => {
                    let why = format!(
                        "a newer Switchyard made this link, and this one knows version {}: look whether it shows what was meant",
                        Permalink::VERSION
                    );
                    return Err(why.into());
                }
                _ => {
                    let why = format!(
                        "there is no such version; this is version {}",
                        Permalink::VERSION
                    );
                    return Err(why.into());
                }
            },
            "sample" => {
                let known = Sample::named(value).is_some();
                let names = || among(SAMPLES.iter().map(|sample| sample.name));
                self.source = Source::Sample(known.then(|| value.to_string()).ok_or_else(names)?);
            }
            "file" => self.source = Source::File(some(value)?),
            "url" => {
                check_address(value)?;
                self.source = Source::Url(value.to_owned());
            }
            "member" => self.member = Some(some(value)?),
            "columns" => {
                let columns: ColumnMapping = parsed(value)?;
                self.columns = Some(columns.to_string());
            }
            "unit" => self.choose(key, value, parsed::<Resource>(value))?,
            "window" | "status" | "fractions" | "oversized" | "on-cores" => {
                let taken = Choices::default().take(key, value);
                self.choose(key, value, taken.map_err(Complaint::of))?;
            }
            "load" => {
                let load = Choice::load_of(value)?;
                self.choice = self.choice.with_load(load);
            }
            "tenant" => self.choose(key, value, some(value))?,
            label if Label::named(label).is_some() => self.choose(key, value, some(value))?,
            "cluster" => {
                let cluster: ClusterSpec = parsed(value)?;
                let nodes = cluster.nodes();
                if nodes > MOST_NODES {
                    let why = format!(
                        "{nodes} nodes: a cluster in a link has at most {MOST_NODES}. Choose it on the page"
                    );
                    return Err(why.into());
                }
                self.cluster = Some(cluster);
            }
            "application" => {
                let definition = Application::compact_json(value);
                Application::from_json(&definition).map_err(Complaint::of)?;
                self.settings
                    .applications_mut()
                    .definitions
                    .push(definition);
            }
            // No scheduler at all is said, too.
            "run" if value.is_empty() => {}
            "run" => policies.push(parsed(value)?),
            "goodput" => self.question = Question::from_text(value)?,
            "name" => {
                let why = "it names the run before it, and there is none";
                let at = policies.len().checked_sub(1).ok_or(why)?;
                self.names
                    .resize(self.names.len().max(at + 1), String::new());
                self.names[at] = some(value)?;
            }
            "hue" => {
                let why = "it colours the run before it, and there is none";
                let at = policies.len().checked_sub(1).ok_or(why)?;
                let hue = Some(whole(value)?).filter(|hue| *hue < MOST_HUES);
                let hue =
                    hue.ok_or_else(|| format!("hues are numbered from 0 to {}", MOST_HUES - 1))?;
                self.hues.resize(self.hues.len().max(at + 1), None);
                self.hues[at] = Some(hue);
            }
            "baseline" => self.baseline = whole(value)?,
            "view" => self.view = some(value)?,
            "colour" => self.colour_by = named(ColourBy::ALL, value)?,
            "theme" => {
                self.theme = match value {
                    "light" => Theme::Light,
                    "dark" => Theme::Dark,
                    _ => return Err(among(["light", "dark"]).into()),
                }
            }
            "t" => self.time = Some(non_negative(value)?),
            "speed" => {
                let speed = non_negative(value)?;
                let why = "at this speed the clock would stand still";
                self.speed = Some(Some(speed).filter(|speed| *speed > 0.0).ok_or(why)?);
            }
            "zoom" => self.seen = Some(span(value)?),
            "range" => self.range = Some(span(value)?),
            "job" => self.job = Some(JobId(whole(value)?)),
            "follow" => self.followed = Some(JobId(whole(value)?)),
            "lit" => self.lit = Some(whole(value)?),
            "zone" if !zones::is_known(value) => {
                let why = "there is no such time zone: use a name such as Europe/Berlin, or an offset such as +02:00";
                return Err(why.into());
            }
            _ => {
                if let Some(option) = OPTIONS.iter().find(|option| option.link == key) {
                    return self.options.set(option, value);
                }
                let setting = settings::all().find(|setting| setting.link == key);
                let setting = setting.ok_or("there is no such setting")?;
                setting.take(&mut self.settings, value)?;
            }
        }
        Ok(())
    }

    /// Takes a part of the choice of jobs, if it is sound.
    fn choose<T>(
        &mut self,
        key: &str,
        value: &str,
        sound: Result<T, Complaint>,
    ) -> Result<(), Complaint> {
        sound?;
        let is_list = ["tenant", "status"].contains(&key) || Label::named(key).is_some();
        self.choice = match key {
            _ if is_list && self.choice.has(key, value) => return Ok(()),
            _ if is_list => self.choice.toggled(key, value),
            _ => self.choice.with(key, value),
        };
        Ok(())
    }

    /// Whether another shows the same but for the clock, which moves by itself, and the part of time that
    /// is seen, which goes with it.
    pub fn is_but_for_the_clock(&self, other: &Self) -> bool {
        let still = Self {
            time: other.time,
            speed: other.speed,
            seen: other.seen,
            range: other.range,
            ..self.clone()
        };
        still == *other
    }

    /// The text after `#`, leaving out what is at its default.
    pub fn fragment(&self) -> String {
        let default = Self::default();
        let mut link = Permalink::versioned();
        match &self.source {
            Source::Sample(name) => link.add("sample", name),
            Source::File(name) => link.add("file", name),
            Source::Url(address) => link.add("url", address),
            Source::Packed(name, packed) => {
                link.add("file", name);
                link.add(Permalink::EXPERIMENT, packed);
            }
        }
        if let Some(member) = &self.member {
            link.add("member", member);
        }
        if let Some(columns) = &self.columns {
            link.add("columns", columns);
        }
        for (key, value) in &self.choice.0 {
            link.add(key, value);
        }
        if let Some(cluster) = &self.cluster {
            link.add("cluster", &cluster.to_string());
        }
        link.add_settings(settings::all(), &self.settings);
        for definition in &self.settings.applications.definitions {
            link.add("application", &Application::compact_json(definition));
        }
        for (at, policy) in self.policies.iter().enumerate() {
            link.add("run", &policy.to_string());
            if let Some(name) = self.names.get(at).filter(|name| !name.is_empty()) {
                link.add("name", name);
            }
            if let Some(hue) = self.hues.get(at).copied().flatten() {
                link.add("hue", &hue.to_string());
            }
        }
        if self.says_runs && self.policies.is_empty() {
            link.add("run", "");
        }
        if self.baseline != default.baseline {
            link.add("baseline", &self.baseline.to_string());
        }
        if self.view != default.view {
            link.add("view", &self.view);
        }
        for (key, value) in self.options.given() {
            link.add(key, value);
        }
        if self.question != default.question {
            link.add("goodput", &self.question.to_text());
        }
        let colour = ColourBy::ALL
            .iter()
            .find(|(by, _, _)| *by == self.colour_by && self.colour_by != default.colour_by);
        if let Some((_, name, _)) = colour {
            link.add("colour", name);
        }
        match self.theme {
            Theme::System => {}
            Theme::Light => link.add("theme", "light"),
            Theme::Dark => link.add("theme", "dark"),
        }
        if let Some(time) = self.time {
            link.add("t", &format!("{time:.0}"));
        }
        if let Some(speed) = self.speed {
            link.add("speed", &speed.to_string());
        }
        for (key, span) in [("zoom", self.seen), ("range", self.range)] {
            if let Some(Span { from, to }) = span {
                link.add(key, &format!("{from}..{to}"));
            }
        }
        if let Some(job) = self.job {
            link.add("job", &job.0.to_string());
        }
        if let Some(job) = self.followed {
            link.add("follow", &job.0.to_string());
        }
        if let Some(lit) = self.lit {
            link.add("lit", &lit.to_string());
        }
        link.into_string()
    }
}

fn parsed<T: std::str::FromStr<Err: Display>>(value: &str) -> Result<T, Complaint> {
    value.parse().map_err(|why: T::Err| Complaint::of(why))
}

fn whole<T: std::str::FromStr>(value: &str) -> Result<T, Complaint> {
    let why = "it is a whole number, 0 or more, and not too great";
    value.parse().map_err(|_| why.into())
}

/// A part of time.
fn span(value: &str) -> Result<Span, Complaint> {
    let Window { from, to } = parsed(value)?;
    if to > MOST {
        return Err(format!("it needs an end, at most {MOST:e}").into());
    }
    Ok(Span::new(from, to))
}

fn some(value: &str) -> Result<String, Complaint> {
    let some = Some(value).filter(|value| !value.is_empty());
    some.map(str::to_owned).ok_or("nothing is named".into())
}

fn named<T: Copy>(all: &[(T, &'static str, &'static str)], value: &str) -> Result<T, Complaint> {
    let found = all.iter().find(|(_, name, _)| *name == value);
    let names = || among(all.iter().map(|(_, name, _)| *name)).into();
    found.map(|(choice, _, _)| *choice).ok_or_else(names)
}

/// What one may choose from, for a complaint.
pub fn among<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    format!("use one of {}", names.join(", "))
}

/// The beginning of a text that somebody else may have written.
fn shortened(text: &str) -> String {
    format::cut(text, SHOWN).replace(char::is_control, " ")
}

/// The greatest number of a time or a speed: seconds of thirty thousand years.
const MOST: f64 = 1e12;

fn non_negative(text: &str) -> Result<f64, Complaint> {
    let number = text.parse().ok();
    let number = number.filter(|value: &f64| (0.0..=MOST).contains(value));
    number.ok_or_else(|| format!("it is a number from 0 to {MOST:e}").into())
}

#[cfg(test)]
mod tests;

//! The address of a view: everything but the trace itself, as readable text after `#`.
//!
//! `#v=1&sample=lab&cluster=8x4&run=fifo&run=tiresias-las[queues=2,…]&view=compare&t=3600`
//!
//! What cannot be understood is left at its default and complained about, every part of it, so
//! that old and mistyped links still open. Measured profiles, service histories and long lists of
//! outages are too large for a link: files carry them ([`Experiment`](switchyard::Experiment)).

use super::{
    AppState, ClusterOrigin, DATA_CENTRE, DATA_CENTRE_SCHEDULERS, Source, Theme, settings,
};
use crate::bridge::protocol::Choice;
use crate::stage::{ColourBy, Stage};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt::Display;
use switchyard::Settings;
use switchyard::cluster::ClusterSpec;
use switchyard::job::{JobId, Status};
use switchyard::outages::Outages;
use switchyard::policy::PolicySpec;
use switchyard::trace::{ColumnMapping, Fractions, Oversized, Window};
use switchyard::workload::{Application, SAMPLES};

/// The version written; a later one that changes a key's meaning must still read this one.
const VERSION: u32 = 1;

/// The view that a link shows which names none.
const FIRST_VIEW: &str = "yard";

/// Lists of at most so many outages go into a link.
const MOST_OUTAGES: usize = 100;

/// Whether a link carries them; else only files do.
pub fn fit_in_a_link(outages: &Outages) -> bool {
    outages.len() <= MOST_OUTAGES
}

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
    /// Position of the run that others are compared with.
    pub baseline: usize,
    /// The view's name; the page knows which there are.
    pub view: String,
    /// What colours stand for.
    pub colour_by: ColourBy,
    /// Light or dark.
    pub theme: Theme,
    /// The clock, seconds; not given: play from the start.
    pub time: Option<f64>,
    /// Simulated seconds per real second.
    pub speed: Option<f64>,
    /// The chosen job.
    pub job: Option<JobId>,
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
            baseline: 0,
            view: FIRST_VIEW.to_string(),
            colour_by: ColourBy::default(),
            theme: Theme::default(),
            time: None,
            speed: None,
            job: None,
            complaints: Vec::new(),
        }
    }
}

/// The two schedulers of the first picture: the baseline and what the sandbox is about.
fn default_policies() -> Vec<PolicySpec> {
    ["fifo", "tiresias-las"]
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect()
}

impl Link {
    /// Whether what stands after `#` is meant as a link.
    pub fn is_one(fragment: &str) -> bool {
        fragment.contains('=')
    }

    /// Reads what stands after `#` (with or without it).
    pub fn parse(fragment: &str) -> Self {
        let mut link = Self::default();
        let mut policies = Vec::new();
        let fragment = fragment.trim_start_matches('#');
        for pair in fragment.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            // What is no percent-encoding stays as it is.
            let value = percent_decode_str(value).decode_utf8_lossy();
            if let Err(why) = link.read(key, &value, &mut policies) {
                link.complain(key, &value, &why);
            }
        }
        if !policies.is_empty() {
            link.policies = policies;
        } else if link.source == Source::Sample(DATA_CENTRE.to_owned()) {
            let shown = DATA_CENTRE_SCHEDULERS.iter();
            link.policies = shown.filter_map(|policy| policy.parse().ok()).collect();
            link.settings.options.contention = true;
            link.baseline = DATA_CENTRE_SCHEDULERS.len() - 1;
        }
        let most = link.policies.len();
        if link.baseline >= most {
            let given = std::mem::take(&mut link.baseline);
            let last = most.saturating_sub(1);
            let why = format!("baseline={given}: the schedulers are numbered from 0 to {last}.");
            link.complaints.push(why);
        }
        link
    }

    /// Complains about a part of it.
    pub fn complain(&mut self, key: &str, value: &str, why: &str) {
        let (key, value) = (shortened(key), shortened(value));
        self.complaints.push(format!("{key}={value}: {why}."));
    }

    fn read(
        &mut self,
        key: &str,
        value: &str,
        policies: &mut Vec<PolicySpec>,
    ) -> Result<(), String> {
        match key {
            "v" => match value.parse::<u32>() {
                Ok(VERSION) => {}
                Ok(version) if version > VERSION => {
                    return Err(format!(
                        "a newer Switchyard made this link, and this one knows version {VERSION}: look whether it shows what was meant"
                    ));
                }
                _ => {
                    return Err(format!(
                        "there is no such version; this is version {VERSION}"
                    ));
                }
            },
            "sample" => {
                let known = SAMPLES.iter().any(|sample| sample.name == value);
                let names = || among(SAMPLES.iter().map(|sample| sample.name));
                self.source = Source::Sample(known.then(|| value.to_string()).ok_or_else(names)?);
            }
            "file" => self.source = Source::File(some(value)?),
            "member" => self.member = Some(some(value)?),
            "columns" => {
                let columns: ColumnMapping = parsed(value)?;
                self.columns = Some(columns.to_string());
            }
            "window" => self.choose(key, value, parsed::<Window>(value))?,
            "status" => self.choose(key, value, parsed::<Status>(value))?,
            "fractions" => self.choose(key, value, parsed::<Fractions>(value))?,
            "oversized" => self.choose(key, value, parsed::<Oversized>(value))?,
            "tenant" => self.choose(key, value, some(value))?,
            "cluster" => self.cluster = Some(parsed(value)?),
            "application" => {
                let definition = Application::compact_json(value);
                Application::from_json(&definition).map_err(|why| why.to_string())?;
                self.settings
                    .applications_mut()
                    .definitions
                    .push(definition);
            }
            "run" => policies.push(parsed(value)?),
            "baseline" => self.baseline = whole(value)?,
            "view" => self.view = some(value)?,
            "colour" => self.colour_by = named(&ColourBy::ALL, value)?,
            "theme" => {
                self.theme = match value {
                    "light" => Theme::Light,
                    "dark" => Theme::Dark,
                    _ => return Err(among(["light", "dark"])),
                }
            }
            "t" => self.time = Some(non_negative(value)?),
            "speed" => {
                let speed = non_negative(value)?;
                let why = "at this speed the clock would stand still";
                self.speed = Some(Some(speed).filter(|speed| *speed > 0.0).ok_or(why)?);
            }
            "job" => self.job = Some(JobId(whole(value)?)),
            _ => {
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
        sound: Result<T, String>,
    ) -> Result<(), String> {
        sound?;
        self.choice = match key {
            "tenant" | "status" if self.choice.has(key, value) => return Ok(()),
            "tenant" | "status" => self.choice.toggled(key, value),
            _ => self.choice.with(key, value),
        };
        Ok(())
    }

    /// What the page shows now.
    pub fn of(state: &AppState, stage: &Stage) -> Self {
        let trace = state.trace.as_ref();
        Self {
            source: state.source.clone(),
            cluster: (state.cluster_origin == ClusterOrigin::Chosen)
                .then(|| state.setup.cluster.clone()),
            settings: {
                let mut settings = state.setup.settings.clone();
                if !settings.applications.profiles.is_empty() {
                    settings.applications_mut().profiles.clear();
                }
                if !fit_in_a_link(&settings.outages) {
                    settings.outages = Outages::default();
                }
                settings
            },
            member: trace.and_then(|trace| trace.member.clone()),
            columns: trace.and_then(|trace| trace.columns.clone()),
            choice: trace.map_or_else(Choice::default, |trace| trace.choice.clone()),
            policies: state.cards.iter().map(|card| card.policy.clone()).collect(),
            baseline: state
                .cards
                .iter()
                .position(|card| card.id == state.baseline)
                .unwrap_or(0),
            view: state.view.clone(),
            colour_by: state.colour_by,
            theme: state.theme,
            time: Some(stage.clock.now),
            speed: Some(stage.clock.speed),
            job: state.selected,
            complaints: Vec::new(),
        }
    }

    /// The text after `#`, leaving out what is at its default.
    pub fn fragment(&self) -> String {
        let default = Self::default();
        let mut out = format!("v={VERSION}");
        let mut add = |key: &str, value: &str| {
            out.push('&');
            out.push_str(key);
            out.push('=');
            out.extend(utf8_percent_encode(value, ENCODED));
        };
        match &self.source {
            Source::Sample(name) => add("sample", name),
            Source::File(name) => add("file", name),
        }
        if let Some(member) = &self.member {
            add("member", member);
        }
        if let Some(columns) = &self.columns {
            add("columns", columns);
        }
        for (key, value) in &self.choice.0 {
            add(key, value);
        }
        if let Some(cluster) = &self.cluster {
            add("cluster", &cluster.to_string());
        }
        for setting in settings::all() {
            if let Some(value) = setting.given(&self.settings) {
                add(setting.link, &value);
            }
        }
        for definition in &self.settings.applications.definitions {
            add("application", &Application::compact_json(definition));
        }
        for policy in &self.policies {
            add("run", &policy.to_string());
        }
        if self.baseline != default.baseline {
            add("baseline", &self.baseline.to_string());
        }
        if self.view != default.view {
            add("view", &self.view);
        }
        let colour = ColourBy::ALL
            .iter()
            .find(|(by, _, _)| *by == self.colour_by && self.colour_by != default.colour_by);
        if let Some((_, name, _)) = colour {
            add("colour", name);
        }
        match self.theme {
            Theme::System => {}
            Theme::Light => add("theme", "light"),
            Theme::Dark => add("theme", "dark"),
        }
        if let Some(time) = self.time {
            add("t", &format!("{time:.0}"));
        }
        if let Some(speed) = self.speed {
            add("speed", &speed.to_string());
        }
        if let Some(job) = self.job {
            add("job", &job.0.to_string());
        }
        out
    }
}

fn parsed<T: std::str::FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|why: T::Err| why.to_string())
}

fn whole<T: std::str::FromStr>(value: &str) -> Result<T, String> {
    let why = "it is a whole number, 0 or more, and not too great";
    value.parse().map_err(|_| why.to_owned())
}

fn some(value: &str) -> Result<String, String> {
    let some = Some(value).filter(|value| !value.is_empty());
    some.map(str::to_owned).ok_or("nothing is named".to_owned())
}

fn named<T: Copy>(all: &[(T, &'static str, &'static str)], value: &str) -> Result<T, String> {
    let found = all.iter().find(|(_, name, _)| *name == value);
    let names = || among(all.iter().map(|(_, name, _)| *name));
    found.map(|(choice, _, _)| *choice).ok_or_else(names)
}

/// What one may choose from, for a complaint.
pub fn among<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    format!("use one of {}", names.join(", "))
}

/// The beginning of a text that somebody else may have written.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown.replace(char::is_control, " ")
}

fn finite(text: &str) -> Option<f64> {
    let number = text.parse().ok();
    number.filter(|value: &f64| value.is_finite() && *value >= 0.0)
}

fn non_negative(text: &str) -> Result<f64, String> {
    finite(text).ok_or_else(|| "it is a number, 0 or more".to_owned())
}

/// What is percent-encoded in a value: brackets, commas and colons of policy specs stay
/// readable; what would end a value or upset a mail program does not.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'[')
    .remove(b']')
    .remove(b',')
    .remove(b':')
    .remove(b'=');

#[cfg(test)]
mod tests {
    use super::super::Action;
    use super::super::random::{Random, opened};
    use super::*;
    use std::sync::Arc;
    use switchyard::placement::Strategy;
    use switchyard::sim::{LogBudget, SimOptions};
    use switchyard::workload::{ApplicationSettings, GpuGeneration};

    #[test]
    fn the_data_centre_comes_with_what_it_shows() {
        let link = Link::parse("sample=data-centre");
        assert!(link.settings.options.contention);
        let names: Vec<String> = link.policies.iter().map(ToString::to_string).collect();
        assert_eq!(names, DATA_CENTRE_SCHEDULERS);
        let other = Link::parse("sample=data-centre&run=fifo");
        assert!(!other.settings.options.contention);
        assert_eq!(other.policies.len(), 1);
    }

    #[test]
    fn a_link_reads_back_what_it_wrote() {
        let link = Link {
            source: Source::File("my trace & more (1).csv".into()),
            cluster: Some("8x8+4x4".parse().unwrap()),
            member: Some("day 2/jobs.csv".into()),
            columns: Some("submit=When,gpus=\"a, b\",unit=min".into()),
            choice: Choice(vec![
                ("window".into(), "60..3600".into()),
                ("tenant".into(), "a & b".into()),
                ("tenant".into(), "c".into()),
                ("oversized".into(), "shrink".into()),
            ]),
            settings: Settings {
                placement: Strategy::SPREAD,
                options: SimOptions {
                    restart_cost: 30.0,
                    seed: 9,
                    restart_by_model: true,
                    equal_types: true,
                    spread_slowdown: Some(GpuGeneration::V100),
                    interference: 0.25,
                    contention: true,
                    sharing: true,
                    servers: 0.5,
                    first_start_pays: true,
                    whole_second_epochs: true,
                    mtbf: 1000.0,
                    mttr: 4.5,
                    failure_shape: 0.75,
                    checkpoint_interval: 600.0,
                    checkpoint_cost: 20.0,
                    log_budget: LogBudget::of_bytes(250_000_000),
                    replay_failures: false,
                    weights: "0123456789abcdef".parse().unwrap(),
                },
                outages: "7:3600..7200,2:86400..:drain".parse().unwrap(),
                applications: Arc::new(ApplicationSettings {
                    always: true,
                    rule: "2: ncf; bert".into(),
                    seed: 7,
                    profiles: Vec::new(),
                    definitions: Application::embedded()[1]
                        .to_json()
                        .map(|text| Application::compact_json(&text))
                        .into_iter()
                        .collect(),
                }),
            },
            policies: vec![
                "tiresias-las[queues=2,thresholds=57600]".parse().unwrap(),
                "srtf if 7:3600..7200".parse().unwrap(),
            ],
            baseline: 1,
            view: "compare".into(),
            colour_by: ColourBy::Queue,
            theme: Theme::Dark,
            time: Some(86_400.0),
            speed: Some(600.0),
            job: Some(JobId(17)),
            complaints: Vec::new(),
        };
        assert_eq!(Link::parse(&format!("#{}", link.fragment())), link);
    }

    #[test]
    fn policies_stay_readable() {
        let link = Link {
            policies: vec!["tiresias-las[queues=2,thresholds=57600]".parse().unwrap()],
            ..Link::default()
        };
        assert_eq!(
            link.fragment(),
            "v=1&sample=lab&run=tiresias-las[queues=2,thresholds=57600]"
        );
    }

    #[test]
    fn every_wrong_part_is_named_and_the_rest_is_kept() {
        let link = Link::parse(
            "#v=99&view=&seed=4&run=lifo&run=fifo[speed=3]&run=srtf&cluster=1000000000x8&sample=house&t=-1&baseline=5&log-budget=5000&binding=soon:x&whatever=1",
        );
        assert_eq!(
            (link.view.as_str(), link.settings.options.seed),
            ("yard", 4)
        );
        assert_eq!((link.policies.len(), link.baseline), (1, 0));
        assert_eq!((link.cluster, link.time), (None, None));
        assert_eq!(link.source, Link::default().source);
        let begin = |text: &String| text.chars().take(70).collect::<String>();
        let complaints: Vec<String> = link.complaints.iter().map(begin).collect();
        assert_eq!(
            complaints,
            [
                "v=99: a newer Switchyard made this link, and this one knows version 1:",
                "view=: nothing is named.",
                "run=lifo: there is no policy 'lifo': use one of fifo, sjf, srtf, srsf,",
                "run=fifo[speed=3]: fifo has no parameter 'speed': it takes backfill, p",
                "cluster=1000000000x8: 8000000000 GPUs: a cluster has at most 1000000.",
                "sample=house: use one of lab, cluster, fleet, data-centre, three-jobs.",
                "t=-1: it is a number, 0 or more.",
                "log-budget=5000: it takes a whole number from 1 to 4000 (MB).",
                "binding=soon:x: 'soon:x' is no class of jobs: write rules such as '1: ",
                "whatever=1: there is no such setting.",
                "baseline=5: the schedulers are numbered from 0 to 0.",
            ]
        );
    }

    #[test]
    fn any_state_is_what_its_link_says() {
        for seed in 0..500 {
            let mut random = Random::new(seed);
            let link = random.link();
            assert_eq!(Link::parse(&link.fragment()), link, "{seed}");
            let state = opened(&link);
            let fragment = Link::of(&state, &Stage::default()).fragment();
            let again = opened(&Link::parse(&fragment));
            assert_eq!(again, state, "{seed}: {fragment}");
        }
    }

    /// What a link never does, whatever it is: panic, or say what it does not read itself.
    fn survives(fragment: &str) {
        let link = Link::parse(fragment);
        for complaint in &link.complaints {
            assert!(complaint.chars().count() < 2_000, "{complaint}");
        }
        let state = opened(&link);
        assert!(state.card(state.baseline).is_some());
        let mut other = AppState::from_link(&Link::default());
        other.apply(Action::Follow(Box::new(link.clone())));
        assert_eq!(other.cards.len(), link.policies.len());
        let again = Link::parse(&link.fragment());
        let time = again.time;
        let complaints = link.complaints.clone();
        assert!(again.complaints.is_empty(), "{fragment}: {again:?}");
        assert_eq!(
            Link {
                complaints,
                ..again
            },
            Link { time, ..link }
        );
    }

    /// Links of people and of others: as they are written, mutilated, and made up.
    fn hostile(random: &mut Random) -> String {
        const KEYS: [&str; 33] = [
            "v",
            "sample",
            "file",
            "member",
            "columns",
            "window",
            "tenant",
            "status",
            "fractions",
            "oversized",
            "cluster",
            "placement",
            "restart",
            "spread",
            "restart-by-model",
            "first-start-pays",
            "whole-second-epochs",
            "interference",
            "contention",
            "sharing",
            "seed",
            "log-budget",
            "applications",
            "binding",
            "binding-seed",
            "application",
            "run",
            "baseline",
            "view",
            "colour",
            "t",
            "speed",
            "job",
        ];
        const VALUES: [&str; 32] = [
            "",
            "0",
            "-0",
            "-1",
            "1e308",
            "1e309",
            "-inf",
            "NaN",
            "nan",
            "99999999999999999999",
            "4294967296",
            "1000000000x8",
            "4000000000x64",
            "0x0",
            "1x1+1x1+1x1",
            "x",
            "true",
            "%",
            "%0",
            "%00%ff%fe",
            "%F0%9F%92%A9",
            "fifo[",
            "fifo[]",
            "pollux[p=1e-308]",
            "gavel[round=1e-300]",
            "las[quantum=nan]",
            "gittins[history=../../etc/passwd]",
            "1: ; 2: x",
            "{\"classes\":[]}",
            "{\"classes\":[[[[",
            "submit=,gpus==",
            "9..1",
        ];
        let mut text = match random.below(3) {
            0 => random.link().fragment(),
            _ => String::from("v=1"),
        };
        for _ in 0..random.below(8) {
            let (key, value) = (random.of(&KEYS), random.of(&VALUES));
            text.push_str(&format!("&{key}={value}"));
        }
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..random.below(6) {
            let at = random.below(chars.len());
            match random.below(4) {
                0 => drop(chars.splice(at..at, "&=%#[]{},:\u{0}\u{202e}é".chars())),
                1 => drop(chars.drain(at..(at + random.below(40)).min(chars.len()))),
                2 => chars.extend_from_within(..at),
                _ => chars[at] = char::from_u32(random.below(0xD7FF) as u32).expect("no surrogate"),
            }
            if chars.is_empty() {
                chars.push('&');
            }
        }
        chars.into_iter().collect()
    }

    #[test]
    fn links_of_any_kind_are_survived() {
        (0..500).for_each(|seed| survives(&hostile(&mut Random::new(seed))));
        survives(&"&run=fifo".repeat(10_000));
        survives(&format!("application={}", "[".repeat(100_000)));
    }

    #[test]
    #[ignore = "10^4 links: by name"]
    fn ten_thousand_links_of_any_kind_are_survived_by_name() {
        (0..10_000).for_each(|seed| survives(&hostile(&mut Random::new(seed))));
    }
}

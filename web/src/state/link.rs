//! The address of a view: everything but the trace itself, as readable text after `#`.
//!
//! `#v=1&sample=lab&cluster=8x4&run=fifo&run=tiresias-las[queues=2,…]&view=compare&t=3600`
//!
//! Unknown keys are ignored, wrong values complained about once and left at their defaults, so
//! that old and mistyped links still open.

use super::{AppState, ClusterOrigin, Source, Theme, View};
use crate::stage::{ColourBy, Stage};
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policy::PolicySpec;
use switchyard::sim::SimOptions;
use switchyard::workload::{GpuGeneration, SAMPLES};

/// The version written; a later one that changes a key's meaning must still read this one.
const VERSION: &str = "1";

/// What an address asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The trace.
    pub source: Source,
    /// The cluster, if it is not the trace's own.
    pub cluster: Option<ClusterSpec>,
    /// How gangs are laid on nodes.
    pub placement: Strategy,
    /// Restart cost and seed.
    pub options: SimOptions,
    /// The rule by which plain jobs get applications; empty: the paper's.
    pub binding: String,
    /// Seed of its draws.
    pub binding_seed: u64,
    /// The schedulers.
    pub policies: Vec<PolicySpec>,
    /// Position of the run that others are compared with.
    pub baseline: usize,
    /// The view.
    pub view: View,
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
    /// What could not be understood.
    pub complaint: Option<String>,
}

impl Default for Link {
    fn default() -> Self {
        Self {
            source: Source::Sample(SAMPLES[0].name.to_string()),
            cluster: None,
            placement: Strategy::default(),
            options: SimOptions::default(),
            binding: String::new(),
            binding_seed: 0,
            policies: default_policies(),
            baseline: 0,
            view: View::default(),
            colour_by: ColourBy::default(),
            theme: Theme::default(),
            time: None,
            speed: None,
            job: None,
            complaint: None,
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
    /// Reads what stands after `#` (with or without it).
    pub fn parse(fragment: &str) -> Self {
        let mut link = Self::default();
        let mut policies = Vec::new();
        for pair in fragment
            .trim_start_matches('#')
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            if link.read(key, &value, &mut policies).is_none() {
                link.complaint = Some(format!(
                    "This link's {key}={value} is not understood; the default is used instead."
                ));
            }
        }
        if !policies.is_empty() {
            link.policies = policies;
        }
        link
    }

    fn read(&mut self, key: &str, value: &str, policies: &mut Vec<PolicySpec>) -> Option<()> {
        let named = |names: &[(&str, usize)]| {
            names
                .iter()
                .find(|(name, _)| *name == value)
                .map(|(_, i)| *i)
        };
        match key {
            "sample" => self.source = Source::Sample(value.to_string()),
            "file" => self.source = Source::File(value.to_string()),
            "cluster" => self.cluster = Some(value.parse().ok()?),
            "placement" => self.placement = value.parse().ok()?,
            "restart" => self.options.restart_cost = non_negative(value)?,
            "spread" => self.options.spread_slowdown = Some(GpuGeneration::named(value)?),
            "restart-by-model" => self.options.restart_by_model = value.parse().ok()?,
            "interference" => self.options.interference = share(value)?,
            "binding" => self.binding = value.to_string(),
            "binding-seed" => self.binding_seed = value.parse().ok()?,
            "seed" => self.options.seed = value.parse().ok()?,
            "run" => policies.push(value.parse().ok()?),
            "baseline" => self.baseline = value.parse().ok()?,
            "view" => self.view = View::ALL.iter().find(|(_, name, _)| *name == value)?.0,
            "colour" => {
                self.colour_by = ColourBy::ALL.iter().find(|(_, name, _)| *name == value)?.0
            }
            "theme" => {
                self.theme = [Theme::Light, Theme::Dark][named(&[("light", 0), ("dark", 1)])?]
            }
            "t" => self.time = Some(non_negative(value)?),
            "speed" => self.speed = Some(non_negative(value)?),
            "job" => self.job = Some(JobId(value.parse().ok()?)),
            _ => {}
        }
        Some(())
    }

    /// What the page shows now.
    pub fn of(state: &AppState, stage: &Stage) -> Self {
        Self {
            source: state.source.clone(),
            cluster: (state.cluster_origin == ClusterOrigin::Chosen)
                .then(|| state.setup.cluster.clone()),
            placement: state.setup.placement,
            options: state.setup.options,
            binding: state.setup.applications.rule.clone(),
            binding_seed: state.setup.applications.seed,
            policies: state.cards.iter().map(|card| card.policy.clone()).collect(),
            baseline: state
                .cards
                .iter()
                .position(|card| card.id == state.baseline)
                .unwrap_or(0),
            view: state.view,
            colour_by: state.colour_by,
            theme: state.theme,
            time: Some(stage.clock.now),
            speed: Some(stage.clock.speed),
            job: state.selected,
            complaint: None,
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
            encode_into(&mut out, value);
        };
        match &self.source {
            Source::Sample(name) => add("sample", name),
            Source::File(name) => add("file", name),
        }
        if let Some(cluster) = &self.cluster {
            add("cluster", &cluster.to_string());
        }
        if self.placement != default.placement {
            add("placement", self.placement.name());
        }
        if self.options.restart_cost != default.options.restart_cost {
            add("restart", &self.options.restart_cost.to_string());
        }
        if self.options.restart_by_model {
            add("restart-by-model", "true");
        }
        if let Some(generation) = self.options.spread_slowdown {
            add("spread", generation.name());
        }
        if self.options.seed != default.options.seed {
            add("seed", &self.options.seed.to_string());
        }
        if self.options.interference != default.options.interference {
            add("interference", &self.options.interference.to_string());
        }
        if !self.binding.is_empty() {
            add("binding", &self.binding);
        }
        if self.binding_seed != 0 {
            add("binding-seed", &self.binding_seed.to_string());
        }
        for policy in &self.policies {
            add("run", &policy.to_string());
        }
        if self.baseline != default.baseline {
            add("baseline", &self.baseline.to_string());
        }
        if let Some((_, name, _)) = View::ALL
            .iter()
            .find(|(view, _, _)| *view == self.view && self.view != default.view)
        {
            add("view", name);
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
            add("speed", &format!("{speed:.0}"));
        }
        if let Some(job) = self.job {
            add("job", &job.0.to_string());
        }
        out
    }
}

fn non_negative(text: &str) -> Option<f64> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value >= 0.0)
}

/// A share below 1.
pub fn share(value: &str) -> Option<f64> {
    non_negative(value).filter(|share| *share < 1.0)
}

/// Percent-encodes what would end a value or upset a mail program; brackets, commas and colons
/// of policy specs stay readable.
fn encode_into(out: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(byte as char),
            b'-' | b'_' | b'.' | b'[' | b']' | b',' | b':' | b'=' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

/// Undoes percent-encoding; what is not valid stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = (byte == b'%').then(|| after.get(..2)).flatten();
        let code = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_reads_back_what_it_wrote() {
        let link = Link {
            source: Source::File("my trace & more (1).csv".into()),
            cluster: Some("8x8+4x4".parse().unwrap()),
            placement: Strategy::Spread,
            options: SimOptions {
                restart_cost: 30.0,
                seed: 9,
                restart_by_model: true,
                spread_slowdown: Some(GpuGeneration::V100),
                interference: 0.25,
                ..SimOptions::default()
            },
            binding: "2: ncf; bert".into(),
            binding_seed: 7,
            policies: vec![
                "tiresias-las[queues=2,thresholds=57600]".parse().unwrap(),
                "srtf".parse().unwrap(),
            ],
            baseline: 1,
            view: View::Compare,
            colour_by: ColourBy::Queue,
            theme: Theme::Dark,
            time: Some(86_400.0),
            speed: Some(600.0),
            job: Some(JobId(17)),
            complaint: None,
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
    fn wrong_values_are_named_and_the_rest_is_kept() {
        let link = Link::parse("#v=1&view=sideways&seed=4&whatever=1");
        assert_eq!(link.view, View::Yard);
        assert_eq!(link.options.seed, 4);
        assert_eq!(
            link.complaint.as_deref(),
            Some("This link's view=sideways is not understood; the default is used instead.")
        );
    }
}

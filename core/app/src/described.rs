//! What there is to choose from, as data: policies with their parameters, settings, placements, samples, metrics. Read off
//! the tables that hold each of them once, for the command line's JSON and for code that draws forms.

use serde::Serialize;
use switchyard::placement::Strategy;
use switchyard::policies::{POLICIES, ParamInfo, PolicyEntry, PolicySpec};
pub use switchyard::report::described_metrics as metrics;
use switchyard::workload::{SAMPLES, Sample};
use switchyard::{SETTINGS, Setting};

/// A policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedPolicy {
    /// The name in specs.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether it sees true remaining work, which no real scheduler knows.
    pub oracle: bool,
    /// Whether it repeats what the trace records, which must tell when jobs ran.
    pub replays: bool,
    /// Its parameters.
    pub params: Vec<DescribedParam>,
}

/// A parameter of a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedParam {
    /// The name in specs.
    pub name: &'static str,
    /// What values it takes, in words.
    pub takes: String,
    /// The default, as text.
    pub default: &'static str,
    /// What it does, with its unit.
    pub help: &'static str,
}

/// A setting of runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedSetting {
    /// The name in files and results.
    pub key: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// Its unit; "" if it has none.
    pub unit: &'static str,
    /// What values it takes, in words.
    pub takes: String,
    /// The default, as text.
    pub default: String,
    /// What it does.
    pub help: &'static str,
}

/// How gangs are laid on nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedPlacement {
    /// The name in specs.
    pub name: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
}

/// A workload that comes with the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DescribedSample {
    /// The name to open it by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it shows.
    pub summary: &'static str,
    /// The cluster that it is meant for.
    pub cluster: String,
}

/// Every policy, in the order shown to a person.
pub fn policies() -> Vec<DescribedPolicy> {
    POLICIES.iter().map(policy).collect()
}

/// Every setting, in the same order.
pub fn settings() -> Vec<DescribedSetting> {
    SETTINGS.iter().map(setting).collect()
}

/// Every placement, in the same order.
pub fn placements() -> Vec<DescribedPlacement> {
    let placement = |of: &Strategy| DescribedPlacement {
        name: of.name(),
        summary: of.summary(),
    };
    Strategy::ALL.iter().map(placement).collect()
}

/// Every sample.
pub fn samples() -> Vec<DescribedSample> {
    SAMPLES.iter().map(sample).collect()
}

fn policy(entry: &PolicyEntry) -> DescribedPolicy {
    let spec = entry.name.parse();
    DescribedPolicy {
        name: entry.name,
        title: entry.title,
        summary: entry.summary,
        source: entry.source,
        replays: entry.replays,
        oracle: spec.is_ok_and(|spec: PolicySpec| spec.is_oracle()),
        params: entry.params.iter().map(param).collect(),
    }
}

fn param(info: &ParamInfo) -> DescribedParam {
    DescribedParam {
        name: info.name,
        takes: info.kind.to_string(),
        default: info.default,
        help: info.help,
    }
}

fn setting(setting: &Setting) -> DescribedSetting {
    DescribedSetting {
        key: setting.key,
        label: setting.label,
        unit: setting.unit,
        takes: setting.kind.to_string(),
        default: setting.default(),
        help: setting.help,
    }
}

fn sample(sample: &Sample) -> DescribedSample {
    DescribedSample {
        name: sample.name,
        title: sample.title,
        summary: sample.summary,
        cluster: sample.cluster_spec().to_string(),
    }
}

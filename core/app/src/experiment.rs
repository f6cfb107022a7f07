//! An experiment: everything besides its jobs that makes the runs of a list of schedulers. Page and
//! command line write it above a table of jobs ([`workload::export`](switchyard::workload::export)) and
//! set themselves up by it ([`trace::formats`](switchyard::trace)); `docs/format.md` describes it.
//!
//! The same experiment with the same jobs gives the same logs, bit for bit.

use crate::rules::{run_of, trains};
use serde::{Deserialize, Serialize};
use std::fmt;
use switchyard::cluster::ClusterSpec;
use switchyard::outages::Outages;
use switchyard::policies::{PolicySpec, ServiceHistory};
use switchyard::trace::{Header, HeaderLine, OpenError, ProfileTable, Trace, shorten};
use switchyard::workload::{Application, SettingsError, Workload, export};
use switchyard::{RunSpec, SETTINGS, Setting, Settings};

/// What an experiment needs besides jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Name for people; may be empty.
    pub title: String,
    /// Which jobs of a larger trace these are, as `key=value` of the command line's flags: for
    /// people, since the others are not there.
    pub choice: Vec<String>,
    /// The cluster.
    pub cluster: Option<ClusterSpec>,
    /// Policies in their textual form, not checked: whoever opens files knows no schedulers.
    pub policies: Vec<String>,
    /// What people have named their runs, in the same order; "" or nothing where nobody has.
    pub names: Vec<String>,
    /// What its runs have in common.
    pub settings: Settings,
    /// Services of an earlier time, by the names that policies know them by.
    pub histories: Vec<ServiceHistory>,
}

impl Experiment {
    /// The settings of a trace that is an experiment.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] that names the line of a setting that is none.
    pub fn of(trace: &Trace) -> Result<Option<Self>, OpenError> {
        let Some(header) = &trace.header else {
            return Ok(None);
        };
        let mut experiment = Self {
            cluster: header.cluster.clone(),
            ..Self::default()
        };
        for HeaderLine { line, key, value } in &header.lines {
            let read = experiment.read(key, value);
            read.map_err(|why| header.refuse(*line, why))?;
        }
        Ok(Some(experiment))
    }

    /// Writes a workload as it was opened, with these settings, as our own format: reading them
    /// gives the same numbers, and running them the same logs. What is at its default is left out.
    ///
    /// # Errors
    ///
    /// Whatever `out` fails with.
    pub fn write(&self, workload: &Workload, out: &mut impl fmt::Write) -> fmt::Result {
        let mut lines = self.lines();
        if !workload.unit.is_default() {
            // Below the version, which is always first.
            lines.insert(1, ("unit", workload.unit.to_string()));
        }
        export::experiment(workload, &lines, out)
    }

    /// The history that a policy's `history=NAME` means.
    pub fn history(&self, name: &str) -> Option<&ServiceHistory> {
        self.histories.iter().find(|history| history.name == name)
    }

    /// The settings of a policy's run on a cluster.
    pub fn run(&self, policy: &PolicySpec, cluster: &ClusterSpec) -> RunSpec {
        run_of(policy, cluster, &self.settings, &self.histories)
    }

    /// Its outages and those that came beside its file.
    pub fn outages_with(&self, others: &Outages) -> Outages {
        self.settings.outages.and(others)
    }

    /// The workload as these policies get it: with its applications, if it [trains](trains) them.
    ///
    /// # Errors
    ///
    /// A [`SettingsError`] that says what to change.
    pub fn bind(
        &self,
        workload: Workload,
        policies: &[PolicySpec],
    ) -> Result<Workload, SettingsError> {
        let applications = &self.settings.applications;
        match trains(applications, workload.is_adaptive(), policies) {
            true => applications.bind(workload),
            false => Ok(workload),
        }
    }

    /// Takes in one line of a header, or says what is wrong with it.
    fn read(&mut self, key: &str, value: &str) -> Result<(), String> {
        let applications = self.settings.applications_mut();
        match key {
            "title" => value.clone_into(&mut self.title),
            "choice" => self.choice.push(value.to_owned()),
            "policy" if !value.is_empty() => self.policies.push(value.to_owned()),
            "name" if !self.policies.is_empty() => {
                self.names.resize(self.policies.len(), String::new());
                self.names.pop();
                self.names.push(value.to_owned());
            }
            "application" => applications.definitions.push(value.to_owned()),
            "profile" => applications.profiles.push(ProfileTable {
                file: value.to_owned(),
                path: value.to_owned(),
                text: String::new(),
            }),
            "row" => {
                let table = applications.profiles.last_mut();
                let why = || "a row of no profile: write its profile above it".to_owned();
                let text = &mut table.ok_or_else(why)?.text;
                text.push_str(value);
                text.push('\n');
            }
            "history" => self.histories.push(history(value)?),
            key => {
                // Others are remarks, or settings of a later minor version.
                if let Some(setting) = Setting::named(key) {
                    let taken = setting.take(&mut self.settings, value);
                    taken.map_err(|why| format!("{key} is '{}': {why}", shorten(value)))?;
                }
            }
        }
        Ok(())
    }

    /// The header's lines, without settings at their defaults.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("switchyard", Header::VERSION.to_string())];
        let mut add = |key, value: String| lines.push((key, value));
        if !self.title.is_empty() {
            add("title", self.title.clone());
        }
        for choice in &self.choice {
            add("choice", choice.clone());
        }
        if let Some(cluster) = &self.cluster {
            add("cluster", cluster.to_string());
        }
        for (at, policy) in self.policies.iter().enumerate() {
            add("policy", policy.clone());
            let name = self.names.get(at).filter(|name| !name.is_empty());
            if let Some(name) = name {
                add("name", name.clone());
            }
        }
        for setting in SETTINGS {
            if let Some(value) = setting.given(&self.settings) {
                add(setting.key, value);
            }
        }
        let applications = &self.settings.applications;
        for definition in &applications.definitions {
            add("application", Application::compact_json(definition));
        }
        for table in &applications.profiles {
            add("profile", table.path.clone());
            for row in table.text.lines().filter(|row| !row.trim().is_empty()) {
                add("row", row.to_owned());
            }
        }
        for history in &self.histories {
            let samples: Vec<String> = history.samples.iter().map(f64::to_string).collect();
            add("history", format!("{}={}", history.name, samples.join(" ")));
        }
        lines
    }
}

/// `NAME=SERVICE SERVICE …`
fn history(text: &str) -> Result<ServiceHistory, String> {
    let (name, samples) = text.split_once('=').unwrap_or((text, ""));
    let service = |word: &str| {
        let service = finite(word).filter(|service| service.is_finite() && *service > 0.0);
        let why = || {
            let word = shorten(word);
            format!("'{word}' is no service: write GPU·s above 0, separated by blanks")
        };
        service.ok_or_else(why)
    };
    let samples: Result<Vec<f64>, String> = samples.split_ascii_whitespace().map(service).collect();
    let samples = samples?;
    if name.trim().is_empty() || samples.is_empty() {
        let shown = shorten(text);
        return Err(format!(
            "'{shown}' is no history: write its name, =, and services in GPU·s"
        ));
    }
    Ok(ServiceHistory {
        name: name.trim().to_owned(),
        samples,
    })
}

/// A number, if it is one.
fn finite(text: &str) -> Option<f64> {
    let number = text.trim().parse().ok();
    number.filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::placement::Strategy;
    use switchyard::trace::{OpenOptions, Opened, SourceFile, open};

    fn experiment(text: &str) -> Result<Experiment, OpenError> {
        let file = SourceFile {
            name: "e.csv",
            bytes: text.as_bytes(),
        };
        match open(&[file], &OpenOptions::default())? {
            Opened::Trace(trace) => Ok(Experiment::of(&trace)?.expect("it is one")),
            other => panic!("no trace: {other:?}"),
        }
    }

    #[test]
    fn fixture() {
        let file = include_str!("../../../tests/fixtures/experiment.csv");
        let experiment = experiment(file).expect("sound");
        assert_eq!(experiment.title, "Two jobs");
        assert_eq!(
            experiment.policies,
            ["fifo", "tiresias-las[queues=2,thresholds=3600]"]
        );
        let options = experiment.settings.options;
        assert_eq!((options.seed, options.restart_cost), (7, 30.0));
        assert_eq!(experiment.settings.placement, Strategy::SPREAD);
        assert_eq!(experiment.cluster, "2x4".parse().ok());
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| {
            let text = format!("#switchyard 1\n{text}\njob,submit,duration,gpus\n1,0,5,1\n");
            experiment(&text).expect_err("it is wrong").to_string()
        };
        assert_eq!(
            error("#restart_cost -1"),
            "e.csv, line 2: restart_cost is '-1': it takes a number from 0 to 1000000000 (s)"
        );
        assert_eq!(
            error("#restart_by_model perhaps"),
            "e.csv, line 2: restart_by_model is 'perhaps': it takes true or false"
        );
        for (wrong, why) in [
            ("seed x", "seed is 'x': it takes "),
            ("placement bogus", "placement is 'bogus': it takes "),
            ("row 1,2", "a row of no profile: write "),
            ("history h=", "'h=' is no history: write "),
            ("history h=1 nan", "'nan' is no service: write "),
        ] {
            let error = error(&format!("#{wrong}"));
            assert!(error.contains(&format!("line 2: {why}")), "{error}");
        }
    }
}

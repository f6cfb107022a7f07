//! The settings of runs, each described once, in [`SETTINGS`]: its name, what it is to people, which
//! values it takes, and where it stands in [`Settings`]. The header of our own files, links, the
//! command line's flags with their help, the page's form and presets are read off that table;
//! results name settings by the same keys.
//!
//! Not in it: what is more than one value, which is the cluster, the policies, tables of applications
//! and histories. Outages are a list, but a short one in most cases, and have a text.

use crate::outages::Outages;
use crate::seconds_of;
use crate::workload::{ApplicationSettings, BindingRule, GpuGeneration, PAPER_RULE, RuleError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use switchyard_engine::SimOptions;
use switchyard_placement::Strategy;
use switchyard_policies::ParamKind;
use switchyard_queues::membership::{Membership, QueueSettings};
use switchyard_queues::rules::By;
use switchyard_queues::text as queue_text;
use switchyard_queues::tree::QueueTree;

/// What all runs of an experiment have in common, besides their cluster and what they learn from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How gangs are laid on nodes.
    pub placement: Strategy,
    /// What the engine is told: restart cost, slowdowns, failures, seed.
    pub options: SimOptions,
    /// Which nodes fail or are drained, and when.
    #[serde(default)]
    pub outages: Outages,
    /// The queues with quotas, and whose jobs are in which.
    #[serde(default)]
    pub queues: QueueSettings,
    /// What jobs train. (Shared: measured tables are large.)
    pub applications: Arc<ApplicationSettings>,
}

impl Settings {
    /// What jobs train, to change.
    pub fn applications_mut(&mut self) -> &mut ApplicationSettings {
        Arc::make_mut(&mut self.applications)
    }
}

/// One setting. All of its values have a text, the same in files, links, flags and fields.
#[derive(Debug)]
pub struct Setting {
    /// The name in files and results; flags have it with dashes.
    pub key: &'static str,
    /// The name in links.
    pub link: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// Its unit; "" if it has none.
    pub unit: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Which values it takes.
    pub kind: ParamKind,
    /// What it is about.
    pub group: SettingGroup,
    /// The text of its value.
    pub get: fn(&Settings) -> String,
    /// Sets it to a text of its kind; may still say why that is no value.
    pub set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// What a setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingGroup {
    /// The cluster and its runs.
    Runs,
    /// Queues with quotas.
    Queues,
    /// Nodes that fail, and what jobs save for that.
    Failures,
    /// What jobs train.
    Training,
}

/// Every setting, in the order shown to a person and written to files.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "placement",
        link: "placement",
        label: "Placement",
        unit: "",
        help: "How gangs are laid on nodes",
        kind: ParamKind::Placement,
        group: SettingGroup::Runs,
        get: |of| of.placement.to_string(),
        set: |of, text| parse(text, &mut of.placement),
    },
    Setting {
        key: "restart_cost",
        link: "restart",
        label: "Restart cost",
        unit: "s",
        help: "Seconds without progress after every resume or move; the GPUs are held meanwhile",
        kind: ParamKind::Float {
            min: 0.0,
            max: MOST_SECONDS,
        },
        group: SettingGroup::Runs,
        get: |of| of.options.restart_cost.to_string(),
        set: |of, text| parse(text, &mut of.options.restart_cost),
    },
    Setting {
        key: "spread_slowdown",
        link: "spread",
        label: "Spread gangs slow down",
        unit: "",
        help: "Gangs on more nodes than they need train slower, as measured on this GPU generation by Gavel: a faster GPU hides the network less. Models are known by name; others get one of the table's",
        kind: ParamKind::OneOf(&["no", "k80", "p100", "v100"]),
        group: SettingGroup::Runs,
        get: |of| {
            let generation = of.options.spread_slowdown.map(GpuGeneration::name);
            generation.unwrap_or("no").to_owned()
        },
        set: |of, text| {
            of.options.spread_slowdown = GpuGeneration::named(text);
            Ok(())
        },
    },
    Setting {
        key: "equal_types",
        link: "equal-types",
        label: "GPU types equally fast",
        unit: "",
        help: "Jobs run as fast on one GPU type as on another; else those on a slower type than the fastest they may use take longer, by Gavel's measurements of their model or the types' relative speeds",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.equal_types.to_string(),
        set: |of, text| parse(text, &mut of.options.equal_types),
    },
    Setting {
        key: "restart_by_model",
        link: "restart-by-model",
        label: "Restart cost by model size",
        unit: "",
        help: "Adds 1 to 27 s to each restart, by the size of the job's model: checkpoint and resume",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.restart_by_model.to_string(),
        set: |of, text| parse(text, &mut of.options.restart_by_model),
    },
    Setting {
        key: "first_start_pays",
        link: "first-start-pays",
        label: "First start pays",
        unit: "",
        help: "A job's first start costs what every other does, as in Pollux' simulator",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.first_start_pays.to_string(),
        set: |of, text| parse(text, &mut of.options.first_start_pays),
    },
    Setting {
        key: "whole_second_epochs",
        link: "whole-second-epochs",
        label: "Epochs of whole seconds",
        unit: "",
        help: "Epochs of adaptive jobs take whole seconds, as in Pollux' simulator",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.whole_second_epochs.to_string(),
        set: |of, text| parse(text, &mut of.options.whole_second_epochs),
    },
    Setting {
        key: "interference",
        link: "interference",
        label: "Interference",
        unit: "share lost",
        help: "The share of its speed that an adaptive job on several nodes loses while another such job shares one of them: 0 to below 1",
        kind: ParamKind::Share,
        group: SettingGroup::Runs,
        get: |of| of.options.interference.to_string(),
        set: |of, text| parse(text, &mut of.options.interference),
    },
    Setting {
        key: "sharing",
        link: "sharing",
        label: "GPUs are shared",
        unit: "",
        help: "Jobs that ask for a part of a GPU share it with others, and start wherever there is room; else each has a GPU of its own. Schedulers that adapt jobs give each its own",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.sharing.to_string(),
        set: |of, text| parse(text, &mut of.options.sharing),
    },
    Setting {
        key: "contention",
        link: "contention",
        label: "Contention",
        unit: "",
        help: "Jobs that send over the same links of the cluster's tree, or want more cores than their node has, slow one another; and what is far apart is slower. Models are known by name; others get one of the table's",
        kind: ParamKind::Bool,
        group: SettingGroup::Runs,
        get: |of| of.options.contention.to_string(),
        set: |of, text| parse(text, &mut of.options.contention),
    },
    Setting {
        key: "servers",
        link: "servers",
        label: "Parameter servers",
        unit: "per GPU",
        help: "Jobs of several GPUs that say nothing of parameter servers have so many per GPU, rounded up: every worker sends each its part of the gradients. They lie near the workers, on nodes' cores, and matter where contention is on. 0: workers reduce gradients among themselves",
        kind: ParamKind::Float {
            min: 0.0,
            max: 16.0,
        },
        group: SettingGroup::Runs,
        get: |of| of.options.servers.to_string(),
        set: |of, text| parse(text, &mut of.options.servers),
    },
    Setting {
        key: "outages",
        link: "outages",
        label: "Outages",
        unit: "",
        help: "Nodes that are not there for a while: NODE:FROM..TO, such as 7:3600..7200; 7:1d.. is for ever, 4-7:2h..3h:drain lets jobs finish. Nodes count from 0",
        kind: ParamKind::Text("outages such as '7:3600..7200,2:1d..2d:drain'"),
        group: SettingGroup::Failures,
        get: |of| of.outages.to_string(),
        set: |of, text| parse(text, &mut of.outages),
    },
    Setting {
        key: "mtbf",
        link: "mtbf",
        label: "Mean time between failures",
        unit: "h",
        help: "Mean hours that a node is up before it fails by chance; 0: none does",
        kind: ParamKind::Float {
            min: 0.0,
            max: MOST_HOURS,
        },
        group: SettingGroup::Failures,
        get: |of| of.options.mtbf.to_string(),
        set: |of, text| parse(text, &mut of.options.mtbf),
    },
    Setting {
        key: "mttr",
        link: "mttr",
        label: "Mean time to repair",
        unit: "h",
        help: "Mean hours until a node that has failed by chance is back",
        kind: ParamKind::Float {
            min: 0.0,
            max: MOST_HOURS,
        },
        group: SettingGroup::Failures,
        get: |of| of.options.mttr.to_string(),
        set: |of, text| parse(text, &mut of.options.mttr),
    },
    Setting {
        key: "failure_shape",
        link: "failure-shape",
        label: "Shape of failures",
        unit: "",
        help: "Shape of the Weibull distribution of times between failures: 1 is exponential, below 1 many follow soon after a repair, above 1 nodes wear out",
        kind: ParamKind::Float {
            min: 0.2,
            max: 10.0,
        },
        group: SettingGroup::Failures,
        get: |of| of.options.failure_shape.to_string(),
        set: |of, text| parse(text, &mut of.options.failure_shape),
    },
    Setting {
        key: "checkpoint_interval",
        link: "checkpoint",
        label: "Checkpoint interval",
        unit: "s",
        help: "Seconds of progress from one checkpoint to the next: what is not in one is lost when a node fails. 0: jobs save their work only when they are preempted",
        kind: ParamKind::Float {
            min: 0.0,
            max: MOST_SECONDS,
        },
        group: SettingGroup::Failures,
        get: |of| of.options.checkpoint_interval.to_string(),
        set: |of, text| parse(text, &mut of.options.checkpoint_interval),
    },
    Setting {
        key: "checkpoint_cost",
        link: "checkpoint-cost",
        label: "Checkpoint cost",
        unit: "s",
        help: "Seconds without progress that each checkpoint of the interval takes",
        kind: ParamKind::Float {
            min: 0.0,
            max: MOST_SECONDS,
        },
        group: SettingGroup::Failures,
        get: |of| of.options.checkpoint_cost.to_string(),
        set: |of, text| parse(text, &mut of.options.checkpoint_cost),
    },
    Setting {
        key: "replay_failures",
        link: "replay-failures",
        label: "Replay job failures",
        unit: "",
        help: "Jobs fail as their trace records: one that failed and was tried again loses its GPUs after as many seconds of running, with what no checkpoint holds, and waits again; those that ended as failed or cancelled are counted apart. Jobs that adapt do not",
        kind: ParamKind::Bool,
        group: SettingGroup::Failures,
        get: |of| of.options.replay_failures.to_string(),
        set: |of, text| parse(text, &mut of.options.replay_failures),
    },
    Setting {
        key: "weights",
        link: "weights",
        label: "Weights",
        unit: "",
        help: "Which weights placements and pickers that have learned go by: the shipped ones, or a file of one's own, which is known by a hash of it and has to be given again",
        kind: ParamKind::Text("'shipped', or the 16 digits by which a file of weights is known"),
        group: SettingGroup::Runs,
        get: |of| of.options.weights.to_string(),
        set: |of, text| parse(text, &mut of.options.weights),
    },
    Setting {
        key: "queues",
        link: "queues",
        label: "Queues",
        unit: "",
        help: "Queues with quotas, for schedulers that have some: a queue a line or between ';', such as 'lab;vision,parent=lab,gpus=8,borrow=4,weight=2'. None: each tenant has an equal part",
        kind: ParamKind::Text(
            "queues such as 'lab;vision,parent=lab,gpus=8;speech,parent=lab,gpus=8'",
        ),
        group: SettingGroup::Queues,
        get: |of| (of.queues.tree.as_ref()).map_or_else(String::new, |tree| queue_text::line(tree)),
        set: |of, text| {
            of.queues.tree = match text.trim() {
                "" => None,
                text => Some(Arc::new(queues(text)?)),
            };
            Ok(())
        },
    },
    Setting {
        key: "queue_by",
        link: "queue-by",
        label: "A job's queue is its",
        unit: "",
        help: "The word of a job that is the name of its queue; jobs whose word names none, and for whom no queue has a rule, are in 'others'",
        kind: ParamKind::OneOf(By::WORDS),
        group: SettingGroup::Queues,
        get: |of| of.queues.by.to_string(),
        set: |of, text| parse(text, &mut of.queues.by),
    },
    Setting {
        key: "seed",
        link: "seed",
        label: "Seed",
        unit: "",
        help: "Seed of the policies' random generator, and of failures by chance",
        kind: ParamKind::Int {
            min: 0,
            max: u64::MAX,
        },
        group: SettingGroup::Runs,
        get: |of| of.options.seed.to_string(),
        set: |of, text| parse(text, &mut of.options.seed),
    },
    Setting {
        key: "applications",
        link: "applications",
        label: "Jobs train under all schedulers",
        unit: "",
        help: "Plain jobs train applications, by their GPU-time, under every policy, not only where one adapts jobs",
        kind: ParamKind::Bool,
        group: SettingGroup::Training,
        get: |of| of.applications.always.to_string(),
        set: |of, text| parse(text, &mut of.applications_mut().always),
    },
    Setting {
        key: "binding",
        link: "binding",
        label: "By GPU-hours",
        unit: "",
        help: "Classes below so many GPU-hours and the applications drawn for them; the last class has no end",
        kind: ParamKind::Text("classes such as '1: cifar10 ncf; 10: bert; imagenet'"),
        group: SettingGroup::Training,
        get: |of| match of.applications.rule.trim() {
            "" => PAPER_RULE.to_owned(),
            rule => rule.to_owned(),
        },
        set: |of, text| {
            let rule: Result<BindingRule, RuleError> = text.parse();
            rule.map_err(|why| why.to_string())?;
            let own = if text == PAPER_RULE { "" } else { text };
            own.clone_into(&mut of.applications_mut().rule);
            Ok(())
        },
    },
    Setting {
        key: "binding_seed",
        link: "binding-seed",
        label: "Seed of the draw",
        unit: "",
        help: "Seed of the draw of applications",
        kind: ParamKind::Int {
            min: 0,
            max: u64::MAX,
        },
        group: SettingGroup::Training,
        get: |of| of.applications.seed.to_string(),
        set: |of, text| parse(text, &mut of.applications_mut().seed),
    },
];

/// Thirty years. Numbers without a bound are times that no clock reaches and no formatter can show.
const MOST_SECONDS: f64 = 1e9;

/// A hundred thousand years.
const MOST_HOURS: f64 = 1e9;

impl Setting {
    /// The setting of this key.
    pub fn named(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Its default, as text.
    pub fn default(&self) -> String {
        (self.get)(&Settings::default())
    }

    /// Its value, unless that is the default.
    pub fn given(&self, settings: &Settings) -> Option<String> {
        let value = (self.get)(settings);
        (value != self.default()).then_some(value)
    }

    /// Sets it to what a text says.
    ///
    /// # Errors
    ///
    /// What it takes, as a sentence's second half.
    pub fn take(&self, settings: &mut Settings, text: &str) -> Result<(), String> {
        let value = self.kind.canonical(text).or_else(|| self.span(text));
        let value = value.or_else(|| (text == self.default()).then(|| text.to_owned()));
        match value {
            Some(value) => (self.set)(settings, &value),
            None => Err(match self.kind.meant(text) {
                Some(word) => format!("did you mean '{word}'? It takes {}", self.takes()),
                None => format!("it takes {}", self.takes()),
            }),
        }
    }

    /// The number that a span of time comes to, as `2d3h` or `90min`.
    fn span(&self, text: &str) -> Option<String> {
        let unit = match self.unit {
            "s" => 1.0,
            "h" => 3_600.0,
            _ => return None,
        };
        let number = seconds_of(text)? / unit;
        self.kind.canonical(&number.to_string())
    }

    /// What values it takes, in words.
    fn takes(&self) -> String {
        match self.unit {
            "" => self.kind.to_string(),
            unit => format!("{} ({unit})", self.kind),
        }
    }
}

/// A tree that has a leaf for every job.
fn queues(text: &str) -> Result<QueueTree, String> {
    let tree = queue_text::read(text).map_err(|why| why.to_string())?;
    Membership::of(&tree).map_err(|why| why.to_string())?;
    Ok(tree)
}

/// Puts the value of a text that was checked.
fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(
    text: &str,
    to: &mut T,
) -> Result<(), String> {
    *to = text.parse().map_err(|why: T::Err| why.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value besides the default.
    fn other(setting: &Setting) -> &'static str {
        match setting.kind {
            ParamKind::Bool => "true",
            ParamKind::Placement => "spread",
            ParamKind::OneOf(words) => words[1],
            ParamKind::Int { .. } => "18446744073709551615",
            ParamKind::Text(_) if setting.key == "outages" => "7:0..60",
            ParamKind::Text(_) if setting.key == "weights" => "0123456789abcdef",
            ParamKind::Text(_) if setting.key == "queues" => "lab;a,parent=lab,gpus=8",
            ParamKind::Text(_) => "2: ncf; bert",
            _ => "0.25",
        }
    }

    #[test]
    fn each_is_itself_alone() {
        for setting in SETTINGS {
            let mut settings = Settings::default();
            assert_eq!(setting.given(&settings), None, "{}", setting.key);
            let value = other(setting);
            assert_eq!(setting.take(&mut settings, value), Ok(()));
            for each in SETTINGS {
                let given = (each.key == setting.key).then(|| value.to_owned());
                assert_eq!(each.given(&settings), given, "{} {}", each.key, setting.key);
            }
            let default = setting.default();
            assert_eq!(setting.take(&mut settings, &default), Ok(()));
            assert_eq!(settings, Settings::default(), "{}", setting.key);
        }
    }

    /// Whatever is added to a number within bounds, or multiplied by it, is a number that can be shown.
    #[test]
    fn every_setting_is_bounded() {
        for setting in SETTINGS {
            let key = setting.key;
            match setting.kind {
                ParamKind::Float { min, max } | ParamKind::Seconds { min, max } => {
                    assert!(min >= 0.0 && max <= MOST_HOURS, "{key}: {min} to {max}");
                }
                ParamKind::Int { max, .. } => {
                    // A seed stands for itself, and every one is as good as another.
                    assert!(
                        max <= 1_000_000_000 || key.ends_with("seed"),
                        "{key}: {max}"
                    );
                }
                ParamKind::Bool | ParamKind::Share | ParamKind::OneOf(_) | ParamKind::Placement => {
                }
                _ => assert!(matches!(setting.kind, ParamKind::Text(_)), "{key}"),
            }
            // Nor does a text hide a number that has no bound.
            for number in ["1e13", "1e308", "inf", "1e12d"] {
                let text = match key {
                    "outages" => format!("0:{number}..,0:5..{number}"),
                    "binding" => format!("{number}: ncf; bert"),
                    "queues" => format!("lab;a,parent=lab,gpus={number}"),
                    _ => number.to_owned(),
                };
                let mut settings = Settings::default();
                let taken = setting.take(&mut settings, &text);
                assert!(taken.is_err(), "{key} takes {text}");
                assert_eq!(settings, Settings::default());
            }
        }
    }

    #[test]
    fn times_have_units() {
        let taken = |key: &str, text: &str| {
            let setting = Setting::named(key).expect("it is there");
            let mut settings = Settings::default();
            let taken = setting.take(&mut settings, text);
            taken.map(|()| (setting.get)(&settings))
        };
        for (key, text, value) in [
            ("restart_cost", "1.5min", "90"),
            ("checkpoint_interval", "1d12h", "129600"),
            ("mtbf", "30d", "720"),
            ("mttr", "90min", "1.5"),
            ("mttr", "1.5", "1.5"),
        ] {
            assert_eq!(taken(key, text), Ok(value.to_owned()), "{key} {text}");
        }
        assert!(taken("seed", "2h").is_err() && taken("restart_cost", "2 weeks").is_err());
    }

    #[test]
    fn what_is_no_value_is_told_what_would_be() {
        let refusal = |key: &str, text: &str| {
            let setting = Setting::named(key).expect("it is there");
            let mut settings = Settings::default();
            let refusal = setting.take(&mut settings, text).expect_err("no value");
            assert_eq!(settings, Settings::default());
            refusal
        };
        for wrong in ["-1", "nan", "inf", "1e308", "1e309", "", "x"] {
            let takes = "it takes a number from 0 to 1000000000 (s)";
            assert_eq!(refusal("restart_cost", wrong), takes);
        }
        for wrong in ["1", "-0.1", "nan"] {
            let takes = "it takes a number from 0 to below 1 (share lost)";
            assert_eq!(refusal("interference", wrong), takes);
        }
        for wrong in ["-1", "0.5", "18446744073709551616"] {
            assert_eq!(refusal("seed", wrong), "it takes a whole number, 0 or more");
        }
        assert_eq!(
            refusal("spread_slowdown", "h100"),
            "it takes no or k80 or p100 or v100"
        );
        assert!(refusal("placement", "sprad").starts_with("did you mean 'spread'? It takes "));
        assert_eq!(
            refusal("placement", "default"),
            format!("it takes {}", ParamKind::Placement)
        );
        assert!(refusal("binding", "soon: x").starts_with("'soon: x' is no class of jobs: "));
    }
}

//! What adaptive jobs train, as settings that travel with a run: the rule by which plain jobs get
//! applications, in words, and the profiles that stand in for the embedded ones.
//!
//! A rule reads `1: cifar10 ncf; 10: deepspeech2 bert; 100: yolov3; imagenet`: classes by
//! increasing GPU-hours, each below its number, the last without end. A rule that words cannot say
//! (names with blanks, nodes of other than four GPUs) is written as JSON.

use super::{BindError, BindingRule, GpuTimeClass, Workload};
use crate::application::{Application, DefinitionError, ProfileError, ProfileTable};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The classes of Pollux' evaluation (OSDI'21, section 5.1), in words.
pub const PAPER_RULE: &str = "1: cifar10 ncf; 10: deepspeech2 bert; 100: yolov3; imagenet";

/// What adaptive jobs train.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApplicationSettings {
    /// Whether plain jobs train applications even where no scheduler adapts them.
    pub always: bool,
    /// A [`BindingRule`] as text; empty: the paper's.
    pub rule: String,
    /// For its draws.
    pub seed: u64,
    /// Tables of measured profiles, in the place of the embedded applications; may be empty.
    pub profiles: Vec<ProfileTable>,
    /// Applications defined in JSON, besides the others or in the place of one of its name.
    pub definitions: Vec<String>,
}

/// Why a workload does not get its applications.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SettingsError {
    /// The rule cannot be read.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The rule does not fit the applications.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The profiles cannot be read.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A definition cannot be read.
    #[error("an application's definition: {0}")]
    Definition(#[from] DefinitionError),
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleError {
    /// Words that are not understood.
    #[error(
        "'{class}' is no class of jobs: write rules such as '1: cifar10 ncf; 10: bert; imagenet', in GPU-hours, at most 1e9"
    )]
    Class {
        /// The part that is not understood.
        class: String,
    },
    /// JSON that is no rule.
    #[error("the rule in JSON: {0}")]
    Json(String),
}

impl ApplicationSettings {
    /// The workload with its applications.
    ///
    /// # Errors
    ///
    /// A [`SettingsError`] that says what to change.
    pub fn bind(&self, workload: Workload) -> Result<Workload, SettingsError> {
        let mut rule: BindingRule = self.rule.parse()?;
        rule.seed = self.seed;
        Ok(workload.bind(&rule, self.applications()?)?)
    }

    /// The applications there are.
    ///
    /// # Errors
    ///
    /// A [`SettingsError`] for a profile or definition that cannot be read.
    pub fn applications(&self) -> Result<Vec<Application>, SettingsError> {
        let mut applications = if self.profiles.is_empty() {
            Application::embedded()
        } else {
            Application::of_tables(&self.profiles)?
        };
        for text in &self.definitions {
            let application = Application::from_json(text)?;
            applications.retain(|other| other.name != application.name);
            applications.push(application);
        }
        Ok(applications)
    }
}

/// No job has more: a million GPUs for forty days.
const MOST_HOURS: f64 = 1e9;

impl FromStr for BindingRule {
    type Err = RuleError;

    /// Classes in words, or the whole rule as JSON; nothing: the paper's.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::default());
        }
        if text.starts_with('{') {
            return serde_json::from_str(text).map_err(|error| RuleError::Json(error.to_string()));
        }
        let class = |text: &str| {
            let wrong = || RuleError::Class {
                class: text.trim().to_owned(),
            };
            let (below, names) = match text.split_once(':') {
                None => (None, text),
                Some((number, names)) => {
                    let hours = number.trim().parse().ok();
                    let hours = hours.filter(|hours: &f64| hours.abs() <= MOST_HOURS);
                    (Some(hours.ok_or_else(wrong)?), names)
                }
            };
            let names = names.split([' ', ',']).filter(|name| !name.is_empty());
            Ok(GpuTimeClass {
                below_gpu_hours: below,
                applications: names.map(str::to_owned).collect(),
            })
        };
        let classes: Result<Vec<_>, _> = text.split(';').map(class).collect();
        Ok(Self {
            classes: classes?,
            ..Self::default()
        })
    }
}

impl BindingRule {
    /// Whether the classes in words say all but the seed.
    fn is_plain(&self) -> bool {
        let plain = |name: &String| {
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || ",;:{".contains(c))
        };
        let mut names = self.classes.iter().flat_map(|class| &class.applications);
        let usual = self.gpus_per_node == Self::default().gpus_per_node;
        usual && !self.classes.is_empty() && names.all(plain)
    }
}

/// The classes in words, or the whole rule as JSON where those do not say it.
impl fmt::Display for BindingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_plain()
            && let Ok(json) = serde_json::to_string(self)
        {
            return f.write_str(&json);
        }
        for (i, class) in self.classes.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            if let Some(hours) = class.below_gpu_hours {
                write!(f, "{hours}: ")?;
            }
            f.write_str(&class.applications.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Sample;

    #[test]
    fn rules_in_words() {
        let rule: BindingRule = PAPER_RULE.parse().expect("a rule");
        assert_eq!(rule, BindingRule::default());
        assert_eq!(rule.to_string(), PAPER_RULE);
        assert_eq!("".parse::<BindingRule>(), Ok(rule));
        let error = "soon: bert; ncf".parse::<BindingRule>().unwrap_err();
        let class = "soon: bert".to_owned();
        assert_eq!(error, RuleError::Class { class });
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        let odd = BindingRule {
            gpus_per_node: 8,
            ..BindingRule::default()
        };
        let mut blank = BindingRule::default();
        blank.classes[3].applications = vec!["my net; 2".to_owned()];
        for rule in [odd, blank, BindingRule::default()] {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let error = "{\"classes\": 3}".parse::<BindingRule>().unwrap_err();
        assert!(
            error.to_string().starts_with("the rule in JSON: "),
            "{error}"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let plain = Sample::named("lab").expect("a sample").workload();
        let why = |rule: &str, definition: Option<&str>| {
            let settings = ApplicationSettings {
                rule: rule.to_owned(),
                definitions: definition.map(str::to_owned).into_iter().collect(),
                ..ApplicationSettings::default()
            };
            settings.bind(plain.clone()).unwrap_err().to_string()
        };
        assert_eq!(
            why("gpt", None),
            "there is no application 'gpt': there are bert, cifar10, deepspeech2, imagenet, ncf, yolov3"
        );
        assert!(why("1: ncf", None).contains("only the last has no end"));
        assert!(why("", Some("{}")).contains("missing field"));
    }
}

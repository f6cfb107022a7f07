//! Applications as JSON: how a person defines one, and how those that come with the engine are
//! kept.
//!
//! ```json
//! {
//!   "name": "my-net",
//!   "about": "What it is, for people; may be left out.",
//!   "limits": { "m0": 128, "max_batch": 4096, "min_local": 32, "max_local": 1024 },
//!   "learning_rate": "ada-scale",
//!   "epochs": 90,
//!   "samples_per_epoch": 50000,
//!   "tuned": [[4, 1024], [8, 2048]],
//!   "throughput": {
//!     "alpha_c": 0.02, "beta_c": 0.0007, "alpha_n": 0.09, "beta_n": 0.0025,
//!     "alpha_r": 0.015, "beta_r": 0.0001, "gamma": 1.3
//!   },
//!   "on": [{
//!     "gpu": "a100", "max_local": 4096,
//!     "throughput": {
//!       "alpha_c": 0.01, "beta_c": 0.0001, "alpha_n": 0.05, "beta_n": 0.001,
//!       "alpha_r": 0.01, "beta_r": 0.0001, "gamma": 1.3
//!     }
//!   }],
//!   "noise_scale": [
//!     { "batch": 128, "phi": [1000, 4000, 40000] },
//!     { "batch": 4096, "phi": [2000, 9000, 160000] }
//!   ]
//! }
//! ```
//!
//! Batches and φ are in samples, α and β in seconds. `learning_rate` is `ada-scale`,
//! `square-root`, `linear`, or `{"legw": {"warmup_epochs": 5}}`. `tuned` lists the GPUs and total
//! batches an expert would ask for; it may be left out. So may `on`: step times on types of GPUs, and
//! the most samples that one of these holds, at least the application's. A cluster all of whose types are in
//! it goes by them, any other by `throughput`. `phi` is the noise scale in the middles of
//! equally long parts of training, as many as one likes, 1e12 for all noise; one batch is enough.

use super::fitted::PHI;
use super::{Application, Curve, Fitted, ModelOn, Profile, Tuned};
use crate::cluster::type_name;
use crate::goodput::{LearningRateRule, Limits, LimitsError, ThroughputParams};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a definition is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// Not JSON, a field that is missing, unknown or of the wrong kind.
    #[error("{0}")]
    Json(String),
    /// Batch sizes that contradict one another.
    #[error("limits: {0}")]
    Limits(#[from] LimitsError),
    /// A value out of its range.
    #[error("{field} is {is}, but must be {expected}")]
    Range {
        /// The field.
        field: String,
        /// Its value.
        is: String,
        /// What it must be.
        expected: &'static str,
    },
}

/// The fields of a definition.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    limits: Limits,
    learning_rate: LearningRateRule,
    epochs: u32,
    samples_per_epoch: f64,
    #[serde(default)]
    tuned: Vec<Tuned>,
    throughput: ThroughputParams,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    on: Vec<ModelOn>,
    noise_scale: Vec<Curve>,
}

/// The most epochs, and the most points of a curve.
const MOST: u32 = 10_000;

impl Application {
    /// The application that a JSON text defines; see the module for its fields.
    ///
    /// # Errors
    ///
    /// A [`DefinitionError`] with the line and column, or the field and what it must be.
    pub fn from_json(text: &str) -> Result<Self, DefinitionError> {
        let definition: Definition =
            serde_json::from_str(text).map_err(|error| DefinitionError::Json(error.to_string()))?;
        definition.check()
    }

    /// Its definition; `None` for measured tables, which [`condensed`](Self::condensed) makes a
    /// model of.
    pub fn to_json(&self) -> Option<String> {
        let Profile::Fitted(fitted) = &self.profile else {
            return None;
        };
        let definition = Definition {
            name: self.name.to_string(),
            about: String::new(),
            limits: self.limits,
            learning_rate: self.rule,
            epochs: self.epochs(),
            samples_per_epoch: self.samples_per_epoch,
            tuned: self.tuned.clone(),
            throughput: fitted.params,
            on: fitted.on.clone(),
            noise_scale: fitted.curves.clone(),
        };
        serde_json::to_string_pretty(&definition).ok()
    }

    /// A definition on one line, without needless blanks: as files and links carry it. What is no
    /// JSON stays none.
    pub fn compact_json(text: &str) -> String {
        let (mut quoted, mut escaped) = (false, false);
        let needed = text.chars().filter(|&c| {
            let quotes = c == '"' && !escaped;
            escaped = quoted && c == '\\' && !escaped;
            quoted ^= quotes;
            quoted || !c.is_ascii_whitespace()
        });
        needed.collect()
    }

    /// The definition of one like this under another name, with other step times and batch sizes,
    /// and, where one is given, the same noise scale all along. `None` for measured tables, and
    /// where numbers are out of range.
    pub fn varied(
        &self,
        name: &str,
        throughput: ThroughputParams,
        limits: Limits,
        noise_scale: Option<f64>,
    ) -> Option<String> {
        let Profile::Fitted(fitted) = &self.profile else {
            return None;
        };
        let constant = |phi: f64| Curve {
            batch: limits.m0,
            phi: vec![phi.clamp(*PHI.start(), *PHI.end())],
        };
        let curves = noise_scale.map_or_else(|| fitted.curves.clone(), |phi| vec![constant(phi)]);
        let varied = Self {
            name: name.into(),
            limits,
            tuned: Vec::new(),
            profile: Profile::Fitted(Fitted {
                params: throughput,
                on: Vec::new(),
                curves,
            }),
            ..self.clone()
        };
        let text = Self::compact_json(&varied.to_json()?);
        Self::from_json(&text).is_ok().then_some(text)
    }
}

impl Definition {
    fn check(self) -> Result<Application, DefinitionError> {
        let range = |field: &str, is: &dyn std::fmt::Debug, expected| {
            Err(DefinitionError::Range {
                field: field.to_owned(),
                is: format!("{is:?}"),
                expected,
            })
        };
        if self.name.trim().is_empty() {
            return range("name", &self.name, "a name");
        }
        let limits = self.limits.check()?;
        if !(1..=MOST).contains(&self.epochs) {
            return range("epochs", &self.epochs, "from 1 to 10000");
        }
        let samples = self.samples_per_epoch;
        if !(1.0..=1e15).contains(&samples) {
            return range("samples_per_epoch", &samples, "from 1 to 1e15");
        }
        if let LearningRateRule::Legw { warmup_epochs } = self.learning_rate
            && !(0.0..=1e6).contains(&warmup_epochs)
        {
            return range("warmup_epochs", &warmup_epochs, "from 0 to 1e6");
        }
        let sound = "α and β of at least 0, α_c and β_c not both 0, and γ from 1 to 10";
        if !self.throughput.is_sound() {
            return range("throughput", &self.throughput, sound);
        }
        for (at, on) in self.on.iter().enumerate() {
            let before = &self.on[..at];
            if type_name(&on.gpu).as_deref() != Ok(&*on.gpu) {
                return range(
                    "on: gpu",
                    &on.gpu,
                    "what clusters call a type, such as a100",
                );
            }
            if before.iter().any(|other| other.gpu == on.gpu) {
                return range("on: gpu", &on.gpu, "named once");
            }
            if on.max_local < limits.max_local {
                let expected = "at least that of limits: all types hold as much";
                return range("on: max_local", &on.max_local, expected);
            }
            if !on.params.is_sound() {
                return range("on: throughput", &on.params, sound);
            }
        }
        for &Tuned { gpus, batch } in &self.tuned {
            let m = limits.split(batch, gpus).m;
            let fits = gpus >= 1 && gpus <= limits.max_replicas();
            if !fits || batch > limits.max_batch || m < limits.min_local.min(limits.m0) {
                let expected = "GPUs and a total batch that the limits allow";
                return range("tuned", &(gpus, batch), expected);
            }
        }
        if self.noise_scale.is_empty() {
            return range("noise_scale", &self.noise_scale, "at least one curve");
        }
        let mut before = 0;
        for curve in &self.noise_scale {
            if curve.batch <= before {
                let expected = "above 0, and above the curve before";
                return range("noise_scale: batch", &curve.batch, expected);
            }
            before = curve.batch;
            if curve.phi.is_empty() || curve.phi.len() > MOST as usize {
                return range("noise_scale: phi", &curve.phi.len(), "1 to 10000 numbers");
            }
            if let Some(phi) = curve.phi.iter().find(|phi| !PHI.contains(phi)) {
                return range("noise_scale: phi", phi, "from 0.001 to 1e12");
            }
        }
        let per_epoch = samples / f64::from(limits.m0);
        Ok(Application {
            name: self.name.into(),
            limits,
            rule: self.learning_rate,
            samples_per_epoch: samples,
            tuned: self.tuned,
            boundaries: (1..=self.epochs)
                .map(|epoch| per_epoch * f64::from(epoch))
                .collect(),
            profile: Profile::Fitted(Fitted {
                params: self.throughput,
                on: self.on,
                curves: self.noise_scale,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"{
        "name": "my-net",
        "limits": { "m0": 128, "max_batch": 4096, "min_local": 32, "max_local": 1024 },
        "learning_rate": {"legw": {"warmup_epochs": 5}},
        "epochs": 3,
        "samples_per_epoch": 51200,
        "tuned": [[4, 1024]],
        "throughput": {
            "alpha_c": 0.02, "beta_c": 0.0007, "alpha_n": 0.09, "beta_n": 0.0025,
            "alpha_r": 0.015, "beta_r": 0.0001, "gamma": 1.3
        },
        "noise_scale": [{ "batch": 128, "phi": [1000, 4000] }]
    }"#;

    #[test]
    fn there_and_back() {
        let application = Application::from_json(EXAMPLE).expect("the example is sound");
        assert_eq!(&*application.name, "my-net");
        assert_eq!(application.epochs(), 3);
        assert_eq!(application.progress_after(0), 0.0);
        assert_eq!(application.progress_after(2), 800.0);
        assert_eq!(application.total_progress(), 1200.0);
        assert_eq!(application.epoch_at(399.0), 0);
        assert_eq!(application.epoch_at(400.0), 1);
        assert_eq!(application.epoch_at(1200.0), 2);
        let text = application.to_json().expect("a model");
        assert_eq!(Application::from_json(&text), Ok(application));
    }

    #[test]
    fn a_compact_definition_is_the_same() {
        let text = EXAMPLE.replace("my-net", "my \\\"net \\\\");
        let compact = Application::compact_json(&text);
        assert!(compact.starts_with(r#"{"name":"my \"net \\","limits":{"m0":128,"#));
        assert_eq!(
            Application::from_json(&compact),
            Application::from_json(&text)
        );
        assert_eq!(Application::compact_json(&compact), compact);
    }

    #[test]
    fn a_variant_is_a_definition() {
        let application = Application::from_json(EXAMPLE).expect("the example is sound");
        let Profile::Fitted(fitted) = application.profile() else {
            panic!("a model");
        };
        let limits = Limits {
            m0: 256,
            ..application.limits
        };
        let text = application.varied("mine", fitted.params, limits, Some(500.0));
        let mine = Application::from_json(&text.expect("sound")).expect("sound");
        assert_eq!((&*mine.name, mine.limits), ("mine", limits));
        // An epoch of as many samples has half as many steps.
        assert_eq!(mine.total_progress(), application.total_progress() / 2.0);
        assert!((mine.stats(256.0, 0).noise_scale(256) / 500.0 - 1.0).abs() < 1e-12);
        let wrong = Limits { m0: 0, ..limits };
        assert_eq!(application.varied("mine", fitted.params, wrong, None), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |from: &str, to: &str| {
            assert!(EXAMPLE.contains(from));
            let text = EXAMPLE.replace(from, to);
            Application::from_json(&text)
                .expect_err("refused")
                .to_string()
        };
        assert!(error("\"epochs\": 3,", "").contains("missing field `epochs`"));
        assert!(error("\"epochs\"", "\"epoch\"").contains("unknown field `epoch`"));
        assert!(error("\"epochs\": 3", "\"epochs\": \"3\"").contains("line 5"));
        assert_eq!(
            error("\"epochs\": 3", "\"epochs\": 0"),
            "epochs is 0, but must be from 1 to 10000"
        );
        assert_eq!(
            error("\"min_local\": 32", "\"min_local\": 2000"),
            "limits: min_local = 2000 exceeds max_local = 1024"
        );
        assert_eq!(
            error("4000]", "0]"),
            "noise_scale: phi is 0.0, but must be from 0.001 to 1e12"
        );
        assert_eq!(
            error("[1000, 4000]", "[]"),
            "noise_scale: phi is 0, but must be 1 to 10000 numbers"
        );
        assert_eq!(
            error("[[4, 1024]]", "[[4, 8192]]"),
            "tuned is (4, 8192), but must be GPUs and a total batch that the limits allow"
        );
        assert!(error("\"gamma\": 1.3", "\"gamma\": 0.5").contains("γ from 1 to 10"));
        let on = |gpu: &str, max_local: u32| {
            let times = EXAMPLE
                .split("\"throughput\": ")
                .nth(1)
                .expect("it has times");
            let times = times.split('}').next().expect("an object");
            let on = format!(
                r#"{{ "gpu": "{gpu}", "max_local": {max_local}, "throughput": {times} }} }}"#
            );
            error(
                "\"noise_scale\"",
                &format!("\"on\": [{on}, {on}], \"noise_scale\""),
            )
        };
        assert_eq!(
            on("A100", 2048),
            "on: gpu is \"A100\", but must be what clusters call a type, such as a100"
        );
        assert_eq!(
            on("a100", 2048),
            "on: gpu is \"a100\", but must be named once"
        );
        assert_eq!(
            on("a100", 512),
            "on: max_local is 512, but must be at least that of limits: all types hold as much"
        );
        assert!(error("\"my-net\"", "\" \"").contains("must be a name"));
        assert!(error("51200", "-1").contains("samples_per_epoch is -1.0"));
    }
}

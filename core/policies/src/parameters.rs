//! The parameters of policies. Each policy declares its own once, in its file, with [`parameters!`]: from that
//! follow the struct that it is made from, how a spec fills it, its canonical text, and what forms and help show.

use super::{ParamInfo, ParamKind, SpecError};
use std::ops::Deref;
use switchyard_placement::Strategy;

/// Declares a policy's `Parameters`: per field the name in specs, its type, and what it takes. Every policy has
/// a `placement`.
macro_rules! parameters {
    (struct Parameters { $($vis:vis $field:ident: $type:ty = $info:expr),+ $(,)? }) => {
        /// What a spec says to the policy.
        #[derive(Clone, Debug, PartialEq)]
        pub(in $crate) struct Parameters {
            $($vis $field: $type),+
        }

        impl Parameters {
            pub(in $crate) const INFOS: &'static [$crate::ParamInfo] =
                &[$($info.named(stringify!($field))),+];

            pub(in $crate) fn read(
                written: &$crate::parameters::Written<'_>,
            ) -> Result<Self, $crate::SpecError> {
                Ok(Self {
                    $($field: written.value(&$info.named(stringify!($field)))?),+
                })
            }

            /// The canonical texts, in the order of [`INFOS`](Self::INFOS).
            pub(in $crate) fn texts(&self) -> Vec<String> {
                vec![$($crate::parameters::Value::text(&self.$field)),+]
            }

            pub(in $crate) fn placement(
                &self,
            ) -> $crate::parameters::PlacementChoice {
                self.placement
            }
        }
    };
}

/// Says by which words specs call the variants of an enum, so that it is a [`Value`].
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $crate::parameters::Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl $crate::parameters::Value for $type {
            fn read(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(format!("'{text}' is none of {}", [$($word),+].join(", "))),
                }
            }

            fn text(&self) -> String {
                $crate::parameters::Words::word(self).to_owned()
            }
        }
    };
}

pub(super) use {parameters, words};

/// A parameter that takes values of a kind; its name is that of the field.
pub(super) const fn param(kind: ParamKind, default: &'static str, help: &'static str) -> ParamInfo {
    ParamInfo {
        name: "",
        aliases: &[],
        kind,
        default,
        help,
        expert: false,
    }
}

impl ParamInfo {
    pub(super) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// With other names that specs may use.
    pub(super) const fn or_called(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Needed only to repeat another's simulator, or to tune a search.
    pub(super) const fn for_experts(self) -> Self {
        Self {
            expert: true,
            ..self
        }
    }
}

/// The texts that a spec gives parameters, each as its kind writes it.
pub(super) struct Written<'a> {
    pub(super) policy: &'a str,
    /// Names and texts.
    pub(super) texts: &'a [(&'static str, String)],
}

impl Written<'_> {
    /// The value of a parameter: of its text, or else of its default.
    pub(super) fn value<T: Value>(&self, info: &ParamInfo) -> Result<T, SpecError> {
        let mut texts = self.texts.iter();
        let text = texts.find(|(name, _)| *name == info.name);
        let value = match text {
            Some((_, text)) => T::read_given(text),
            None => T::read(info.default),
        };
        value.map_err(|what| SpecError::Conflict {
            policy: self.policy.to_owned(),
            what,
        })
    }
}

/// What a parameter's text stands for, once its [`ParamKind`] has found the text to be of its kind.
pub(super) trait Value: Sized {
    /// The value of a text.
    fn read(text: &str) -> Result<Self, String>;

    /// The same, of a text that stands in the spec and is no default.
    fn read_given(text: &str) -> Result<Self, String> {
        Self::read(text)
    }

    /// Its canonical text.
    fn text(&self) -> String;
}

/// An enum that specs call by words.
pub(super) trait Words {
    /// All of them.
    const WORDS: &'static [&'static str];

    /// That of this variant.
    fn word(&self) -> &'static str;
}

/// Values that the standard library reads.
macro_rules! parsed {
    ($($type:ty),+) => {
        $(impl Value for $type {
            fn read(text: &str) -> Result<Self, String> {
                text.parse().map_err(|why| format!("'{text}': {why}"))
            }

            fn text(&self) -> String {
                self.to_string()
            }
        })+
    };
}

parsed!(bool, u32, f64, String);

/// An ascending list.
impl Value for Vec<f64> {
    fn read(text: &str) -> Result<Self, String> {
        text.split(':').map(f64::read).collect()
    }

    fn text(&self) -> String {
        let numbers: Vec<String> = self.iter().map(f64::to_string).collect();
        numbers.join(":")
    }
}

/// A value of which the [check](super::entry::Properties::check) asks whether it was left at its default.
#[derive(Clone, Debug)]
pub(super) struct Given<T> {
    value: T,
    /// Whether the spec gives it, be it the default.
    pub(super) is_given: bool,
}

impl<T> Deref for Given<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Whoever writes a default means what they mean who leave it out.
impl<T: PartialEq> PartialEq for Given<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Value> Value for Given<T> {
    fn read(text: &str) -> Result<Self, String> {
        let value = T::read(text)?;
        Ok(Self {
            value,
            is_given: false,
        })
    }

    fn read_given(text: &str) -> Result<Self, String> {
        let value = T::read(text)?;
        Ok(Self {
            value,
            is_given: true,
        })
    }

    fn text(&self) -> String {
        self.value.text()
    }
}

/// How a spec wants gangs laid on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlacementChoice {
    /// As the run has it.
    Runs,
    /// So.
    By(Strategy),
}

impl PlacementChoice {
    /// The placement, in a run with this one.
    pub(super) fn or(self, runs: Strategy) -> Strategy {
        match self {
            Self::Runs => runs,
            Self::By(strategy) => strategy,
        }
    }

    /// The placement that the spec or the run asks for; `None`: neither asks for another than runs have by
    /// default, and a policy that has a way of its own keeps to it.
    pub(super) fn asked(self, runs: Strategy) -> Option<Strategy> {
        match self {
            Self::By(strategy) => Some(strategy),
            Self::Runs => (runs != Strategy::default()).then_some(runs),
        }
    }
}

/// The run's, in specs.
pub(super) const RUNS: &str = "default";

impl Value for PlacementChoice {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            RUNS => Ok(Self::Runs),
            name => match name.parse::<Strategy>() {
                Ok(strategy) => Ok(Self::By(strategy)),
                Err(why) => Err(why.to_string()),
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Runs => RUNS,
            Self::By(strategy) => strategy.name(),
        }
        .to_owned()
    }
}

/// The parameter every policy has.
pub(super) const PLACEMENT: ParamInfo = param(
    ParamKind::PlacementOrRuns,
    RUNS,
    "How a gang is laid on nodes; 'default' is the run's own choice.",
);

/// The same, of policies that have a way of their own.
pub(super) const GANG_PLACEMENT: ParamInfo = ParamInfo {
    help: "How a gang that cannot shrink is laid on nodes; 'default' is the run's own choice, and where that is least-fragmentation, the emptiest nodes, as in the simulator of Pollux.",
    ..PLACEMENT
};

#[cfg(test)]
mod tests {
    use crate::{POLICIES, PolicySpec};

    /// From a text to the struct and back, for every parameter of every policy.
    #[test]
    fn declared_parameters_come_back_as_they_were_written() {
        for entry in POLICIES {
            let plain: PolicySpec = entry.name.parse().unwrap();
            assert_eq!(plain.to_string(), entry.name);
            for (info, text) in plain.values() {
                assert_eq!(text, info.default, "{} of {}", info.name, entry.name);
                let canonical = info.kind.canonical(info.default);
                let is_empty = info.default.is_empty();
                assert!(is_empty || canonical.as_deref() == Some(info.default));
                for name in info.aliases.iter().chain([&info.name]) {
                    // The code of scripts and plug-ins is empty by default, and cannot be given so.
                    let written = PolicySpec::of(entry.name, [(*name, info.default)]);
                    assert!(
                        is_empty || written.is_ok_and(|spec| spec == plain) || !is_alone(info.name)
                    );
                }
                for value in others(info.kind) {
                    let Ok(spec) = PolicySpec::of(entry.name, [(info.name, value.as_str())]) else {
                        assert!(
                            !is_alone(info.name),
                            "{}[{}={value}]",
                            entry.name,
                            info.name
                        );
                        continue;
                    };
                    let expected = match value == info.default {
                        true => entry.name.to_owned(),
                        false => format!("{}[{}={value}]", entry.name, info.name),
                    };
                    assert_eq!(spec.to_string(), expected);
                    assert_eq!(spec.value(info.name), Some(value));
                    assert_eq!(expected.parse(), Ok(spec));
                }
            }
        }
    }

    /// Whether a parameter may have any value of its kind while all others have their defaults.
    fn is_alone(name: &str) -> bool {
        !matches!(
            name,
            "queues"
                | "thresholds"
                | "quantum"
                | "utility"
                | "delta"
                | "autoscale"
                | "qos_preempts"
                | "reservations"
        )
    }

    /// Values of a kind, as canonical text.
    fn others(kind: crate::ParamKind) -> Vec<String> {
        use crate::ParamKind;
        let numbers = |all: [f64; 2]| all.map(|x| x.to_string()).to_vec();
        match kind {
            ParamKind::Bool => ["true", "false"].map(str::to_owned).to_vec(),
            ParamKind::Int { min, max } => [min, max].map(|n| n.to_string()).to_vec(),
            ParamKind::Float { min, max } | ParamKind::Seconds { min, max } => numbers([min, max]),
            ParamKind::Share => numbers([0.0, 0.5]),
            ParamKind::Ascending => ["0.5:2:1000", "1:2"].map(str::to_owned).to_vec(),
            ParamKind::OneOf(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            ParamKind::Word(_) | ParamKind::Text(_) => vec!["some-word".to_owned()],
            ParamKind::History => ["online", "oracle", "a file.csv"]
                .map(str::to_owned)
                .to_vec(),
            ParamKind::Placement | ParamKind::PlacementOrRuns => {
                let names = switchyard_placement::Strategy::ALL.map(|of| of.name().to_owned());
                names.to_vec()
            }
        }
    }
}

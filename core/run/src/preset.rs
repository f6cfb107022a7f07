//! Presets: the semantics of a published simulator in one word, so that figures can be compared
//! number by number. The defaults elsewhere are what makes sense.

use crate::meant::hint;
use crate::{RunSpec, Setting, Settings};
use std::str::FromStr;
use switchyard_policies::{Picker, PolicySpec, SpecError};

/// A published simulator whose semantics a run takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// The released simulator of Tiresias (NSDI'19; SymbioticLab/Tiresias, commit 959f9b0),
    /// scheme `count`: GPUs are counted, preemption is free, YARN-CS has one queue, the Gittins
    /// index is looked up in its table for Δ = 3250. Its bugs stay out: they are
    /// `quirks=true` of `tiresias-las` and `tiresias-gittins`.
    ReferenceNsdi19,
    /// The simulator in Pollux' artifact (OSDI'21; petuum/adaptdl, branch `osdi21-artifact`):
    /// rounds of 60 s between which nothing is decided, 30 s for every start, epochs of whole
    /// seconds, its own Tiresias, Optimus and Pollux with what they do differently from the paper.
    ReferenceOsdi21,
    /// The simulator of RLScheduler (SC'20; DIR-LAB/deep-batch-scheduler, commit cd433e3): nothing
    /// but processors counts, backfilling has the first of EASY's two rules, and WFP3 and UNICEP have
    /// negative waiting times.
    ReferenceSc20,
    /// The simulator of Muri (SIGCOMM'22; Rivendile/Muri, of 2022-06-30), as far as an engine has it that keeps GPUs:
    /// groups at every event, 10 s for every start, which is what its table has for most
    /// models. Its own accounting of overheads is in `paper muri`.
    ReferenceSigcomm22,
    /// The simulator of Shockwave (NSDI'23; uw-mad-dash/shockwave), as far as an engine has it whose rounds all take as
    /// long: rounds of 120 s, in which a start costs 20 s, shares that hold for 1000 s, Gavel by its linear program. Its
    /// own accounting is in `paper shockwave`.
    ReferenceNsdi23,
    /// The simulator of Sia (SOSP'23; siasosp23/artifacts, of 2023-08-15), as far as the engine has it: rounds of 60 s, 30 s
    /// for every start, epochs of whole seconds, Gavel by the sum of throughputs. What a restart costs each application,
    /// and how much slower than measured it trains, is in `paper sia`.
    ReferenceSosp23,
}

/// Not the name of a preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no preset '{0}'{meant}: use one of {names}",
    meant = hint(.0, Preset::names()),
    names = Preset::names().collect::<Vec<_>>().join(", ")
)]
pub struct UnknownPreset(pub String);

impl Preset {
    /// Every preset.
    pub const ALL: &'static [Self] = &[
        Self::ReferenceNsdi19,
        Self::ReferenceOsdi21,
        Self::ReferenceSc20,
        Self::ReferenceSigcomm22,
        Self::ReferenceNsdi23,
        Self::ReferenceSosp23,
    ];

    fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|preset| preset.name())
    }

    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReferenceNsdi19 => "reference-nsdi19",
            Self::ReferenceOsdi21 => "reference-osdi21",
            Self::ReferenceSc20 => "reference-sc20",
            Self::ReferenceSigcomm22 => "reference-sigcomm22",
            Self::ReferenceNsdi23 => "reference-nsdi23",
            Self::ReferenceSosp23 => "reference-sosp23",
        }
    }

    /// The settings that it makes.
    fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::ReferenceNsdi19 | Self::ReferenceSc20 => &[
                ("placement", "least-fragmentation"),
                ("restart_cost", "0"),
                ("restart_by_model", "false"),
                ("spread_slowdown", "no"),
            ],
            Self::ReferenceOsdi21 | Self::ReferenceSosp23 => &[
                ("restart_cost", "30"),
                ("restart_by_model", "false"),
                ("spread_slowdown", "no"),
                ("first_start_pays", "true"),
                ("whole_second_epochs", "true"),
            ],
            Self::ReferenceSigcomm22 => &[
                ("placement", "yarn"),
                ("restart_cost", "10"),
                ("restart_by_model", "false"),
                ("spread_slowdown", "no"),
                ("first_start_pays", "true"),
            ],
            Self::ReferenceNsdi23 => &[
                ("restart_cost", "20"),
                ("restart_by_model", "false"),
                ("spread_slowdown", "no"),
                ("first_start_pays", "true"),
            ],
        }
    }

    /// Makes the run the preset's, but for what its policy spec says itself.
    pub fn apply(self, run: &mut RunSpec) -> Result<(), SpecError> {
        let mut settings = Settings {
            placement: run.placement,
            options: run.options,
            outages: run.outages.clone(),
            ..Settings::default()
        };
        for (key, value) in self.settings() {
            let setting = Setting::named(key);
            let taken = setting.map(|setting| setting.take(&mut settings, value));
            debug_assert_eq!(taken, Some(Ok(())), "{key}={value}");
        }
        (run.placement, run.options) = (settings.placement, settings.options);
        let what_if = run.policy.what_if().clone();
        run.policy = self.policy(&run.policy)?.and_if(what_if);
        Ok(())
    }

    /// The policy as the simulator has it.
    fn policy(self, policy: &PolicySpec) -> Result<PolicySpec, SpecError> {
        match (self, policy.name()) {
            (Self::ReferenceNsdi19, "yarn-cs") => policy.with_default("queues", "one"),
            (Self::ReferenceNsdi19, "tiresias-gittins") => {
                policy.with_default("delta", "simulator")
            }
            (Self::ReferenceOsdi21, "tiresias-las") => tuned_tiresias(policy),
            // That one is no batch queue.
            (Self::ReferenceSc20, "rl-picker") if policy.picker() == Some(Picker::Gpu) => {
                Ok(policy.clone())
            }
            (Self::ReferenceOsdi21, "optimus" | "pollux")
            | (
                Self::ReferenceSc20,
                "fcfs" | "shortest-job" | "wfp3" | "unicep" | "f1" | "rl-picker",
            ) => policy.with_default("quirks", "true"),
            (Self::ReferenceSigcomm22, "muri-s" | "muri-l") => policy.with_default("interval", "0"),
            (Self::ReferenceNsdi23, "themis") => policy.with_default("lease", "120"),
            (Self::ReferenceNsdi23, "gavel") => {
                let by_type = policy.with_default("types", "true")?;
                by_type
                    .with_default("round", "120")?
                    .with_default("reset", "1000")
            }
            (Self::ReferenceSosp23, "gavel") => policy.with_default("objective", "throughput"),
            _ => Ok(policy.clone()),
        }
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Self, UnknownPreset> {
        let mut all = Self::ALL.iter().copied();
        all.find(|preset| preset.name() == name)
            .ok_or_else(|| UnknownPreset(name.to_string()))
    }
}

/// Pollux' Tiresias with the threshold of another, if that gives one.
fn tuned_tiresias(policy: &PolicySpec) -> Result<PolicySpec, SpecError> {
    let tuned: PolicySpec = "tiresias-tuned".parse()?;
    let mut given = policy.given();
    match given.find(|(info, _)| info.name == "thresholds") {
        Some((_, one)) if !one.contains(':') => tuned.with_default("threshold", &one),
        _ => Ok(tuned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard_placement::Strategy;

    #[test]
    fn a_preset_leaves_alone_what_the_spec_says() {
        let mut run = RunSpec {
            placement: Strategy::SPREAD,
            ..RunSpec::new(
                "tiresias-gittins[knob=2]".parse().unwrap(),
                "2x4".parse().unwrap(),
            )
        };
        Preset::ReferenceNsdi19.apply(&mut run).unwrap();
        assert_eq!(
            run.policy.to_string(),
            "tiresias-gittins[delta=simulator,knob=2]"
        );
        assert_eq!(run.placement, Strategy::LEAST_FRAGMENTATION);
        run.policy = "tiresias-gittins[delta=100]".parse().unwrap();
        Preset::ReferenceNsdi19.apply(&mut run).unwrap();
        assert_eq!(run.policy.to_string(), "tiresias-gittins[delta=100]");
        run.policy = "yarn-cs".parse().unwrap();
        Preset::ReferenceNsdi19.apply(&mut run).unwrap();
        assert_eq!(run.policy.to_string(), "yarn-cs[queues=one]");
    }

    #[test]
    fn batch_queues_are_those_of_the_simulator() {
        let applied = |policy: &str| {
            let mut run = RunSpec::new(policy.parse().unwrap(), "2x4".parse().unwrap());
            Preset::ReferenceSc20.apply(&mut run).unwrap();
            run.policy.to_string()
        };
        for policy in ["fcfs", "shortest-job", "wfp3", "unicep", "f1", "rl-picker"] {
            let backfilling = format!("{policy}[backfill=true]");
            let expected = format!("{policy}[backfill=true,quirks=true]");
            assert_eq!(applied(&backfilling), expected);
        }
        for other in ["rl-picker[weights=gpu]", "fifo[backfill=true]"] {
            assert_eq!(applied(other), other);
        }
    }

    #[test]
    fn muri_makes_groups_at_every_event() {
        let mut run = RunSpec::new("muri-l[packing=2]".parse().unwrap(), "8x8".parse().unwrap());
        Preset::ReferenceSigcomm22.apply(&mut run).unwrap();
        assert_eq!(run.policy.to_string(), "muri-l[interval=0,packing=2]");
        assert_eq!(run.options.restart_cost, 10.0);
    }

    #[test]
    fn shockwaves_rivals_have_its_rounds() {
        let applied = |policy: &str| {
            let mut run = RunSpec::new(policy.parse().unwrap(), "32x1".parse().unwrap());
            Preset::ReferenceNsdi23.apply(&mut run).unwrap();
            assert_eq!(run.options.restart_cost, 20.0);
            run.policy.to_string()
        };
        assert_eq!(applied("gavel"), "gavel[round=120,types=true,reset=1000]");
        assert_eq!(applied("themis"), "themis[lease=120]");
        assert_eq!(applied("shockwave[k=10]"), "shockwave[k=10]");
    }

    #[test]
    fn gavel_beside_sia_is_the_sum_of_throughputs() {
        let mut run = RunSpec::new("gavel".parse().unwrap(), "6x4:t4+2x8:a100".parse().unwrap());
        Preset::ReferenceSosp23.apply(&mut run).unwrap();
        assert_eq!(run.policy.to_string(), "gavel[objective=throughput]");
        assert_eq!(run.options.restart_cost, 30.0);
        run.policy = "sia[interval=300]".parse().unwrap();
        Preset::ReferenceSosp23.apply(&mut run).unwrap();
        assert_eq!(run.policy.to_string(), "sia[interval=300]");
    }

    #[test]
    fn an_unknown_preset_lists_the_known() {
        assert_eq!(
            "slurm".parse::<Preset>().unwrap_err().to_string(),
            "there is no preset 'slurm': use one of reference-nsdi19, reference-osdi21, reference-sc20, reference-sigcomm22, reference-nsdi23, reference-sosp23"
        );
    }
}

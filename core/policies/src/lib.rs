//! Schedulers: one per file, chosen and configured by a textual [`PolicySpec`].
//!
//! A policy looks at a [`View`](switchyard_engine::View) and writes a [`Plan`](switchyard_engine::Plan); it
//! never touches anything else. To add one: a file here with its `POLICY`, its `Parameters` and `build`, and
//! its two lines in this one, the module and the table's. Policies must not import this table.

#![forbid(unsafe_code)]

// What several policies share.
mod asks;
mod attained_service;
pub mod board;
pub mod by_key;
mod continuous;
mod emptiest;
mod entry;
mod evictions;
mod history;
pub mod job_properties;
mod kind;
mod leaf_lines;
mod leaves;
mod line;
pub mod moment;
mod multilevel;
mod muri;
pub mod notes;
mod pack_limit;
mod parameters;
mod parse;
pub mod picking;
mod priority_walk;
mod ranked_room;
mod rigid;
mod rounds;
mod service_distribution;
mod service_history;
mod shares;
mod spec;
mod spec_error;
pub mod trainees;
mod user_policy;
mod waiting_room;
mod within;

// The policies.
mod allox;
mod antman;
mod f1;
mod fcfs;
mod fewest_gpus;
mod fifo;
mod finish_time_fairness;
mod gandiva;
mod gandiva_fair;
mod gavel;
mod gittins;
mod graph_rl;
mod kai;
mod kueue;
mod las;
mod mst;
mod muri_l;
mod muri_s;
mod optimus;
mod ossp;
pub mod plugin;
pub mod pollux;
mod recorded;
mod rl_picker;
pub mod script;
mod shockwave;
mod shortest_expected;
mod shortest_job;
mod sia;
mod slurm;
mod srsf;
mod srtf;
mod themis;
mod tiresias_gittins;
mod tiresias_las;
mod tiresias_tuned;
mod unicep;
mod volcano;
mod wfp3;
mod yarn_cs;

pub use entry::{BuildContext, Levels, PolicyEntry, UserCode};
pub use kind::{ParamInfo, ParamKind};
pub use leaves::{label_of, leaves_of};
pub use parse::build;
pub use picking::Picker;
pub use service_distribution::ServiceDistribution;
pub use service_history::{HistoryError, ServiceHistory};
pub use spec::PolicySpec;
pub use spec_error::SpecError;
pub use switchyard_engine::{Cadence, Every, Policy};
pub use switchyard_explain::{
    ChoiceColumn, ChoiceRow, Choices, Explanation, Fact, Life, Loss, Mark, Plot, PlotLine,
    RoundReport, RoundRow, Slowness, Spent, Stretch, Verdict,
};
pub use switchyard_model::draw::Rng;
pub use user_policy::CODE;
#[cfg(all(feature = "plugins", feature = "scripts"))]
pub use user_policy::file::{PolicyFile, PolicyFileError, spec_of_code};

use entry::Properties;
use parameters::{PlacementChoice, Written};
use switchyard_model::{
    Time, application, cluster, goodput, job, meant, order, outages, seconds_of, workload,
};

/// Makes the table of all policies, and what goes through it.
macro_rules! policies {
    ($($variant:ident = $module:ident),+ $(,)?) => {
        /// Every policy, in the order shown to a person.
        pub const POLICIES: &[PolicyEntry] = &[$($module::POLICY),+];

        /// A policy's parameters, and by that which policy.
        #[derive(Clone, Debug, PartialEq)]
        enum Parameters {
            $($variant($module::Parameters)),+
        }

        impl Parameters {
            /// Those of the policy of this name.
            fn read(policy: &str, written: &Written<'_>) -> Result<Self, SpecError> {
                $(if policy == $module::POLICY.name {
                    return $module::Parameters::read(written).map(Self::$variant);
                })+
                Err(unknown_policy(policy))
            }

            fn entry(&self) -> &'static PolicyEntry {
                match self {
                    $(Self::$variant(_) => &$module::POLICY),+
                }
            }

            fn texts(&self) -> Vec<String> {
                match self {
                    $(Self::$variant(params) => params.texts()),+
                }
            }

            fn placement(&self) -> PlacementChoice {
                match self {
                    $(Self::$variant(params) => params.placement()),+
                }
            }

            fn properties(&self) -> &dyn Properties {
                match self {
                    $(Self::$variant(params) => params),+
                }
            }

            /// Makes the policy. (Apart from `properties`: a page that only names policies need not hold them.)
            fn build(&self, context: &BuildContext<'_>) -> Box<dyn Policy> {
                match self {
                    $(Self::$variant(params) => $module::build(params, context)),+
                }
            }
        }
    };
}

// In the order shown to a person.
policies! {
    Fifo = fifo,
    FewestGpus = fewest_gpus,
    Srtf = srtf,
    Srsf = srsf,
    TiresiasLas = tiresias_las,
    TiresiasGittins = tiresias_gittins,
    Las = las,
    Gittins = gittins,
    ShortestExpected = shortest_expected,
    YarnCs = yarn_cs,
    Kueue = kueue,
    Kai = kai,
    Slurm = slurm,
    Volcano = volcano,
    Gandiva = gandiva,
    Themis = themis,
    FinishTimeFairness = finish_time_fairness,
    Gavel = gavel,
    MuriS = muri_s,
    MuriL = muri_l,
    Antman = antman,
    GandivaFair = gandiva_fair,
    Mst = mst,
    Ossp = ossp,
    Allox = allox,
    Shockwave = shockwave,
    TiresiasTuned = tiresias_tuned,
    Optimus = optimus,
    Pollux = pollux,
    Sia = sia,
    Fcfs = fcfs,
    ShortestJob = shortest_job,
    Wfp3 = wfp3,
    Unicep = unicep,
    F1 = f1,
    RlPicker = rl_picker,
    GraphRl = graph_rl,
    Recorded = recorded,
    Script = script,
    Plugin = plugin,
}

/// Names that policies had before, and those that they have. Specs in old links, files and scripts go on meaning
/// what they meant.
const RENAMED: &[(&str, &str)] = &[("sjf", "fewest-gpus")];

/// The policy of this name, or that had it before.
pub fn entry(name: &str) -> Option<&'static PolicyEntry> {
    let renamed = RENAMED.iter().find(|(before, _)| *before == name);
    let name = renamed.map_or(name, |(_, now)| now);
    POLICIES.iter().find(|entry| entry.name == name)
}

/// That no policy is called so.
fn unknown_policy(name: &str) -> SpecError {
    SpecError::UnknownPolicy {
        name: name.to_string(),
        valid: POLICIES
            .iter()
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

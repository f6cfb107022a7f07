//! What becomes of settings in a run: the same rules for whole studies and for files that hold an experiment.

use switchyard::cluster::ClusterSpec;
use switchyard::policies::{PolicySpec, ServiceHistory};
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Settings};

/// Whether jobs train applications: they do in the trace (`is_adaptive`), the settings say so, or one of the
/// policies adapts them. Then they do under every policy, so that runs can be compared.
pub fn trains<'a>(
    applications: &ApplicationSettings,
    is_adaptive: bool,
    policies: impl IntoIterator<Item = &'a PolicySpec>,
) -> bool {
    applications.always || is_adaptive || policies.into_iter().any(PolicySpec::adapts_jobs)
}

/// The run of a policy on a cluster under these settings, with the history that it asks for, if that is among
/// these.
pub fn run_of<'a>(
    policy: &PolicySpec,
    cluster: &ClusterSpec,
    settings: &Settings,
    histories: impl IntoIterator<Item = &'a ServiceHistory>,
) -> RunSpec {
    let history = policy.history();
    let mut histories = histories.into_iter();
    RunSpec {
        policy: policy.clone(),
        cluster: cluster.clone(),
        placement: settings.placement,
        options: settings.options,
        history: history.and_then(|name| histories.find(|of| of.name == name).cloned()),
        outages: settings.outages.clone(),
        queues: settings.queues.clone(),
    }
}

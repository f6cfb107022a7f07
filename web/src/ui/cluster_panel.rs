//! The rail's second part: the cluster, and what all runs have in common.

use super::controls::{
    chosen, field, list, no_option, number_field, option, text_field, whole_from,
};
use super::setting_field::{label, set_up, setting_field, take};
use super::typed::Typed;
use crate::machine::Machine;
use crate::session::Session;
use crate::state::settings::LOG_BUDGET;
use crate::state::{AppState, ClusterOrigin, Setup};
use switchyard::cluster::{ClusterError, ClusterSpec, NodeGroup};
use switchyard::{Group, SETTINGS};
use yew::prelude::*;

/// Clusters of published experiments.
const PRESETS: [(&str, &str); 5] = [
    ("15x4", "15 × 4: Tiresias' testbed (60 P100)"),
    ("16x4", "16 × 4: Pollux' testbed (64 T4)"),
    ("8x8", "8 × 8: Muri's (64 GPUs)"),
    ("32x4", "32 × 4: Tiresias' simulator default"),
    ("144x8", "144 × 8: Helios' Venus"),
];

/// The cluster, and what all runs have in common.
pub(super) fn cluster_panel(state: &AppState, session: &Session) -> Html {
    let setup = &state.setup;
    let set = |change: fn(&mut Setup, &str) -> Result<(), String>| set_up(session, setup, change);
    let set_cluster = set(|setup, typed| {
        setup.cluster = typed.parse().map_err(|why: ClusterError| why.to_string())?;
        Ok(())
    });
    let origin = match state.cluster_origin {
        ClusterOrigin::Given => "came with the trace",
        ClusterOrigin::Guessed => "guessed: room for the largest gang and 1.1 × the mean demand",
        ClusterOrigin::Chosen => "chosen by you",
    };
    let spec = setup.cluster.to_string();
    let presets = PRESETS
        .iter()
        .map(|&(preset, title)| option(preset, title, preset == spec, None));
    let own = PRESETS.iter().all(|(preset, _)| *preset != spec);
    let own = own.then(|| no_option(&spec));
    let settings = SETTINGS.iter().filter(|of| of.group == Group::Runs);
    let settings = settings.map(|setting| setting_field(session, setup, setting));
    let megabytes = Machine::here().log_budget(state.cards.len()).bytes / 1_000_000;
    let log_budget = label(&LOG_BUDGET);
    html! {
        <section aria-labelledby="cluster-title">
            <h2 id="cluster-title">{ "Cluster" }</h2>
            if let Some(group) = uniform(&setup.cluster) {
                <div class="pair">
                    { number_field("Nodes", None, whole_from("1"), group.nodes.to_string(), set(|setup, typed| resize(setup, typed, |group, nodes| group.nodes = nodes))) }
                    <span aria-hidden="true">{ "×" }</span>
                    { number_field("GPUs per node", None, whole_from("1").to("64"), group.gpus.to_string(), set(|setup, typed| resize(setup, typed, |group, gpus| group.gpus = gpus))) }
                </div>
            }
            <p class="hint">{ format!("{} GPUs, {origin}", setup.cluster.gpus()) }</p>
            { field("Preset", None, list(chosen(&set_cluster), html! { <>{ own }{ for presets }</> })) }
            <details>
                <summary>{ "More" }</summary>
                { text_field("As text", Some("NODESxGPUS; groups of unlike nodes joined by +"), spec, set_cluster) }
                { for settings }
                { field(&log_budget, Some(LOG_BUDGET.help), html! {
                    <Typed name={log_budget.clone()} inputmode="numeric" placeholder={format!("{megabytes} of this machine")} value={(LOG_BUDGET.get)(&setup.settings)} take={take(session, setup, &LOG_BUDGET)} />
                }) }
            </details>
        </section>
    }
}

/// The small form speaks of one kind of node; mixed clusters are written as text.
fn uniform(cluster: &ClusterSpec) -> Option<NodeGroup> {
    match cluster.groups() {
        [group] => Some(*group),
        _ => None,
    }
}

/// Gives a cluster of alike nodes another number of them, or of their GPUs.
fn resize(setup: &mut Setup, typed: &str, change: fn(&mut NodeGroup, u32)) -> Result<(), String> {
    let number = typed
        .parse()
        .map_err(|_| "A whole number of at least 1 is needed.")?;
    let mut group = uniform(&setup.cluster).unwrap_or(NodeGroup::plain(1, 1));
    change(&mut group, number);
    setup.cluster = ClusterSpec::new(vec![group]).map_err(|why| why.to_string())?;
    Ok(())
}

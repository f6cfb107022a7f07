//! The rail's second part: the cluster, and what all runs have in common.

use super::controls::{chosen, field, list, no_option, option, text_field};
use super::node_groups::{groups_form, tree_form};
use super::setting_field::{label, set_up, setting_field, take};
use super::typed::Typed;
use crate::machine::Machine;
use crate::session::Session;
use crate::state::settings::LOG_BUDGET;
use crate::state::{AppState, ClusterOrigin, Setup};
use switchyard::cluster::{CLUSTERS, ClusterError};
use switchyard::{Group, SETTINGS};
use yew::prelude::*;

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
    let presets = CLUSTERS
        .iter()
        .map(|of| option(of.text, of.title, of.text == spec, None));
    let own = CLUSTERS.iter().all(|of| of.text != spec);
    let own = own.then(|| no_option(&spec));
    let fields = |group: Group| {
        let settings = SETTINGS.iter().filter(move |of| of.group == group);
        settings.map(|setting| setting_field(session, setup, setting))
    };
    let megabytes = Machine::here().log_budget(state.cards.len()).bytes / 1_000_000;
    let log_budget = label(&LOG_BUDGET);
    html! {
        <section aria-labelledby="cluster-title">
            <h2 id="cluster-title">{ "Cluster" }</h2>
            { groups_form(session, setup) }
            <p class="hint">{ format!("{} GPUs, {origin}", setup.cluster.gpus()) }</p>
            { field("Preset", None, list(chosen(&set_cluster), html! { <>{ own }{ for presets }</> })) }
            <details>
                <summary>{ "More" }</summary>
                { text_field("As text", Some("NODESxGPUS:TYPE; groups of unlike nodes joined by +; then what they hang on, such as /racks=4"), spec, set_cluster) }
                { tree_form(session, setup) }
                { for fields(Group::Runs) }
                { field(&log_budget, Some(LOG_BUDGET.help), html! {
                    <Typed name={log_budget.clone()} inputmode="numeric" placeholder={format!("{megabytes} of this machine")} value={(LOG_BUDGET.get)(&setup.settings)} take={take(session, setup, &LOG_BUDGET)} />
                }) }
            </details>
            <details>
                <summary>{ "Failures and checkpoints" }</summary>
                <p class="hint">{ "Nodes may fail: those of a list, and others by chance. Who runs there loses the GPUs and what no checkpoint holds, and waits again." }</p>
                { for fields(Group::Failures) }
            </details>
        </section>
    }
}

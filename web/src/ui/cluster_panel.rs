//! The rail's second part: the cluster, and what all runs have in common.

use super::controls::{Take, chosen, field, list, no_option, option, quiet_button, text_field};
use super::icon::{Icon, sign};
use super::node_groups::{groups_form, tree_form};
use super::queue_tree::QueuesForm;
use super::queues_file::queues_file;
use super::setting_field::{label, set_up, setting_field, take};
use super::typed::Typed;
use super::vary::vary;
use crate::complaint::Complaint;
use crate::draw::format;
use crate::machine::Machine;
use crate::session::Session;
use crate::state::link::fit_in_a_link;
use crate::state::settings::LOG_BUDGET;
use crate::state::sweep::Vary;
use crate::state::{AppState, Setup};
use switchyard::cluster::{CLUSTERS, ClusterError, ClusterSpec};
use switchyard::outages::Outages;
use switchyard::workload::Suggestion;
use switchyard::{SETTINGS, Setting, SettingGroup, Settings, Time};
use switchyard_app::study::{Origin, counted};
use yew::prelude::*;

/// The cluster, and what all runs have in common.
pub(super) fn cluster_panel(state: &AppState, session: &Session) -> Html {
    let setup = &state.setup;
    let set =
        |change: fn(&mut Setup, &str) -> Result<(), Complaint>| set_up(session, setup, change);
    let set_cluster = set(|setup, typed| {
        let cluster = typed.parse();
        let cluster = cluster.and_then(|cluster| counted(cluster, format::unit()));
        setup.cluster = cluster.map_err(|why: ClusterError| Complaint::of(why))?;
        Ok(())
    });
    let own = state
        .opening
        .trace
        .as_ref()
        .map(|trace| &trace.file_cluster);
    let guess = own.and_then(|(_, origin)| match origin {
        Origin::Guessed(guess) => Some(guess),
        Origin::Asked | Origin::Trace => None,
    });
    let origin = match &state.opening.cluster_origin {
        Origin::Trace => "came with the trace".to_owned(),
        Origin::Guessed(guess) => format!("guessed: {}", guess.why()),
        Origin::Asked => "chosen by you".to_owned(),
    };
    // A guess has its own way back, among its neighbours.
    let reset = own.filter(|_| guess.is_none());
    let reset = reset.map(|(own, _)| back(own, &setup.cluster, &set_cluster));
    let others = guess.map(|guess| guesses(guess, &setup.cluster, &set_cluster));
    let spec = setup.cluster.to_string();
    let presets = CLUSTERS
        .iter()
        .map(|of| option(of.text, of.title, of.text == spec, None));
    let own = CLUSTERS.iter().all(|of| of.text != spec);
    let own = own.then(|| no_option(&format::times_signs(&spec)));
    let fields = |group: SettingGroup| {
        // A long list is no text to edit.
        let is_long = !fit_in_a_link(&setup.settings.outages);
        let settings = SETTINGS.iter().filter(move |of| of.group == group);
        let settings = settings.filter(move |of| !(is_long && of.key == "outages"));
        settings.map(|setting| setting_field(session, setup, setting))
    };
    let queues = SETTINGS
        .iter()
        .filter(|of| of.group == SettingGroup::Queues);
    let queues = queues.map(|setting| {
        let field = setting_field(session, setup, setting);
        if setting.key != "queues" {
            return field;
        }
        let (queues, gpus) = (setup.settings.queues.clone(), setup.cluster.gpus());
        let (take, stage) = (take(session, setup, setting), session.stage().clone());
        let file = queues_file(session, setup, &take);
        html! { <><QueuesForm {queues} {gpus} {take} {stage}>{ field }</QueuesForm>{ file }</> }
    });
    let megabytes = Machine::here().log_pool().bytes / 1_000_000;
    let log_budget = label(&LOG_BUDGET);
    html! {
        <section aria-labelledby="cluster-title">
            <h2 id="cluster-title">{ "Cluster" }</h2>
            { groups_form(session, setup) }
            <p class="hint">{ format!("{}, {origin} ", format::counted(setup.cluster.gpus().into(), "GPU", "GPUs")) }{ reset }{ vary(session, &Vary::Nodes, None) }</p>
            { for others }
            { field("Preset", None, list(chosen(&set_cluster), html! { <>{ own }{ for presets }</> })) }
            <details>
                { head("More", SettingGroup::Runs, setup) }
                { text_field("As text", Some("NODESxGPUS:TYPE, or NODESxCORES where cores are counted; groups of unlike nodes joined by +; then what they hang on, such as /racks=4"), spec, set_cluster) }
                { tree_form(session, setup) }
                { for fields(SettingGroup::Runs) }
                { field(&log_budget, Some(LOG_BUDGET.help), html! {
                    <Typed name={log_budget.clone()} inputmode="numeric" placeholder={format!("{megabytes} of this machine")} value={(LOG_BUDGET.get)(&setup.settings)} take={take(session, setup, &LOG_BUDGET)} />
                }) }
            </details>
            <details open={setup.settings.queues.tree.is_some()}>
                { head("Queues with quotas", SettingGroup::Queues, setup) }
                <p class="hint">{ format::units("Schedulers such as Kueue divide the cluster among queues. A queue has so many GPUs of its own; what it does not use, others may borrow. Without queues, each tenant has an equal part.") }</p>
                { for queues }
            </details>
            <details open={!setup.settings.outages.is_empty()}>
                { head("Failures and checkpoints", SettingGroup::Failures, setup) }
                <p class="hint">{ format::units("Nodes may fail: those of a list, which may be dropped as a file of node, from and to; and others by chance. A job that runs there loses its GPUs and what no checkpoint holds, and waits again.") }</p>
                { outages(session, setup) }
                { for fields(SettingGroup::Failures) }
            </details>
        </section>
    }
}

/// What a folded part is about, and how many of its settings are not at their defaults.
fn head(title: &'static str, group: SettingGroup, setup: &Setup) -> Html {
    let default = Settings::default();
    let is_changed = |of: &&Setting| (of.get)(&setup.settings) != (of.get)(&default);
    let own = SETTINGS.iter().filter(|of| of.group == group);
    let changed = own.filter(is_changed).count();
    html! {
        <summary>{ title }
            if changed > 0 {
                <span class="changed">{ format!("{changed} changed") }</span>
            }
        </summary>
    }
}

/// The way back to the trace's cluster, where another is chosen.
fn back(own: &ClusterSpec, now: &ClusterSpec, set: &Take) -> Html {
    if own == now {
        return Html::default();
    }
    let (text, set) = (own.to_string(), set.clone());
    let title = format!("Back to the trace's: {}", format::times_signs(&text));
    // It is a cluster, so that there is nothing to be refused.
    let onclick = Callback::from(move |_: MouseEvent| drop(set.emit(text.clone())));
    let button = quiet_button("Reset the cluster", Some(&title), sign(Icon::Undo), onclick);
    html! { <>{ " " }{ button }</> }
}

/// The guess and its neighbours, but for what is set already, as buttons.
fn guesses(guess: &Suggestion, now: &ClusterSpec, set: &Take) -> Html {
    let [smaller, larger] = guess.neighbours();
    let guessed = Some(guess.cluster.clone());
    let all = [
        ("Smaller", smaller),
        ("As guessed", guessed),
        ("Larger", larger),
    ];
    let others: Vec<Html> = all.into_iter().filter_map(|(which, cluster)| {
        let cluster = cluster.filter(|cluster| cluster != now)?;
        let (text, set): (String, _) = (cluster.to_string(), set.clone());
        let title = format!("{which}: {}", format::times_signs(&text));
        // A guess is a cluster, so that there is nothing to be refused.
        let onclick = Callback::from(move |_: MouseEvent| drop(set.emit(text.clone())));
        let gpus = format::counted(cluster.gpus().into(), "GPU", "GPUs");
        Some(html! { <>{ " " }<button type="button" class="quiet" {title} {onclick}>{ gpus }<span class="visually-hidden">{ format!(" ({})", which.to_lowercase()) }</span></button></> })
    }).collect();
    if others.is_empty() {
        return Html::default();
    }
    html! { <p class="hint">{ "Or:" }{ for others }</p> }
}

/// How many outages there are, when, and the way to be rid of them.
fn outages(session: &Session, setup: &Setup) -> Html {
    let outages = &setup.settings.outages;
    let Some(first) = outages.iter().next() else {
        return Html::default();
    };
    let end = outages.end();
    let end = if end < Time::NEVER {
        format!("to {}", format::duration(end.seconds()))
    } else {
        "for ever".to_owned()
    };
    let from = format::duration(first.from.seconds());
    let count = format::counted(outages.len() as u64, "outage", "outages");
    let nodes = format::counted(outages.nodes() as u64, "node", "nodes");
    let kept = if fit_in_a_link(outages) {
        ""
    } else {
        "; too many for a link, saved experiments have them"
    };
    let remove = set_up(session, setup, |setup, _| {
        setup.settings.outages = Outages::default();
        Ok(())
    });
    // A button has nothing to be refused.
    let onremove = Callback::from(move |_: MouseEvent| drop(remove.emit(String::new())));
    html! {
        <p class="hint" data-testid="outages">
            { format!("{count} of {nodes}, from {from} {end}{kept} ") }
            { quiet_button("Remove the outages", Some("Remove"), sign(Icon::Close), onremove) }
        </p>
    }
}

//! The rail's second part: the cluster, and what all runs have in common.

use super::controls::{
    any_from, chosen, field, list, no_option, number_field, option, text_field, whole_from,
};
use super::typed::Typed;
use crate::machine::Machine;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::link::{log_budget, log_megabytes, share};
use crate::state::{Action, AppState, ClusterOrigin, Setup};
use switchyard::cluster::{ClusterError, ClusterSpec, NodeGroup};
use switchyard::placement::Strategy;
use switchyard::sim::LogBudget;
use switchyard::workload::GpuGeneration;
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
    // What was typed or chosen becomes a change of the settings as they will be then.
    let set = |change: fn(&mut Setup, &str) -> Result<(), String>| {
        let (session, setup) = (session.clone(), setup.clone());
        Callback::from(move |typed: String| {
            let change = Change::new(move |setup: &Setup| {
                let mut setup = setup.clone();
                change(&mut setup, typed.trim()).map(|()| setup)
            });
            change.of(&setup)?;
            session.tell(Action::SetUp(change));
            Ok(())
        })
    };
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
    let placements = Strategy::ALL.iter().map(|&strategy| {
        let chosen = strategy == setup.placement;
        option(
            strategy.name(),
            strategy.name(),
            chosen,
            Some(strategy.summary()),
        )
    });
    let options = &setup.options;
    let slowdown = options.spread_slowdown;
    let generations = GpuGeneration::ALL.iter().map(|&generation| {
        let title = format!("as on a {}", generation.name().to_uppercase());
        option(
            generation.name(),
            &title,
            slowdown == Some(generation),
            None,
        )
    });
    let no_slowdown = option("no", "no", slowdown.is_none(), None);
    let slowdowns = std::iter::once(no_slowdown).chain(generations);
    let no_or_yes = |is: bool| {
        let both = [("false", "no", false), ("true", "yes", true)];
        let both = both.map(|(value, title, yes)| option(value, title, yes == is, None));
        both.into_iter().collect::<Html>()
    };
    let own_megabytes = Machine::here().log_budget(state.cards.len()).bytes / 1_000_000;
    let set_log_budget = set(|setup, typed| {
        setup.options.log_budget = match typed {
            "" => LogBudget::default(),
            megabytes => log_budget(megabytes).map_err(|why| format!("The log budget: {why}."))?,
        };
        Ok(())
    });
    let log_megabytes = log_megabytes(options).map(|megabytes| megabytes.to_string());
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
                { field("Placement", Some(setup.placement.summary()), list(
                    chosen(&set(|setup, name| {
                        setup.placement = name.parse().map_err(|_| "There is no such placement.")?;
                        Ok(())
                    })),
                    placements.collect(),
                )) }
                { number_field("Restart cost (s)", Some("Seconds without progress after every resume or move; the GPUs are held meanwhile"), any_from("0"), options.restart_cost.to_string(), set(|setup, typed| {
                    let cost = typed.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
                    setup.options.restart_cost = cost.ok_or("The restart cost is a number of seconds, 0 or more.")?;
                    Ok(())
                })) }
                { field("Spread gangs slow down", Some("Gangs on more nodes than they need train slower, as measured on this GPU generation by Gavel: a faster GPU hides the network less. Models are known by name; others get one of the table's."), list(
                    chosen(&set(|setup, name| {
                        setup.options.spread_slowdown = GpuGeneration::named(name);
                        Ok(())
                    })),
                    slowdowns.collect(),
                )) }
                { field("Restart cost by model size", Some("Adds 1 to 27 s to each restart, by the size of the job's model: checkpoint and resume"), list(
                    chosen(&set(|setup, name| {
                        setup.options.restart_by_model = name == "true";
                        Ok(())
                    })),
                    no_or_yes(options.restart_by_model),
                )) }
                { field("First start pays", Some("Whether a job's first start costs what every other does, as in Pollux' simulator"), list(
                    chosen(&set(|setup, name| {
                        setup.options.first_start_pays = name == "true";
                        Ok(())
                    })),
                    no_or_yes(options.first_start_pays),
                )) }
                { field("Epochs of whole seconds", Some("Whether epochs of adaptive jobs take whole seconds, as in Pollux' simulator"), list(
                    chosen(&set(|setup, name| {
                        setup.options.whole_second_epochs = name == "true";
                        Ok(())
                    })),
                    no_or_yes(options.whole_second_epochs),
                )) }
                { number_field("Interference (share lost)", Some("The share of its speed that an adaptive job on several nodes loses while another such job shares one of them: 0 to below 1"), any_from("0").to("0.95"), options.interference.to_string(), set(|setup, typed| {
                    setup.options.interference = share(typed).ok_or("Interference is a share of at least 0 and below 1.")?;
                    Ok(())
                })) }
                { number_field("Seed", Some("Seed of the policies' random generator"), whole_from("0"), options.seed.to_string(), set(|setup, typed| {
                    setup.options.seed = typed.parse().map_err(|_| "The seed is a whole number, 0 or more.")?;
                    Ok(())
                })) }
                { field("Log budget (MB)", Some("How large the log of a run may become, megabytes: beyond it the run ends, and says which parameter to change. Empty: this machine's share for each of the schedulers in the list, as the grey number says. The page holds all logs, in 4,000 MB at most"), html! {
                    <Typed name="Log budget (MB)" inputmode="numeric" placeholder={format!("{own_megabytes} of this machine")} value={log_megabytes.unwrap_or_default()} take={set_log_budget} />
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
    let mut group = uniform(&setup.cluster).unwrap_or(NodeGroup { nodes: 1, gpus: 1 });
    change(&mut group, number);
    setup.cluster = ClusterSpec::new(vec![group]).map_err(|why| why.to_string())?;
    Ok(())
}

//! The rail's second part: the cluster, and what all runs have in common.

use super::controls::{self, field, list, no_option, number, option, text};
use crate::session::Session;
use crate::state::link::share;
use crate::state::{Action, AppState, ClusterOrigin, Setup};
use switchyard::cluster::{ClusterSpec, NodeGroup};
use switchyard::placement::Strategy;
use switchyard::workload::GpuGeneration;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Clusters of published experiments.
const PRESETS: [(&str, &str); 5] = [
    ("15x4", "15 × 4: Tiresias' testbed (60 P100)"),
    ("16x4", "16 × 4: Pollux' testbed (64 T4)"),
    ("8x8", "8 × 8: Muri's (64 GPUs)"),
    ("32x4", "32 × 4: Tiresias' simulator default"),
    ("144x8", "144 × 8: Helios' Venus"),
];

/// The cluster, and what all runs have in common; `error`: what is wrong with what was typed.
pub(super) fn cluster_panel(
    state: &AppState,
    session: &Session,
    error: &UseStateHandle<Option<String>>,
) -> Html {
    let setup = &state.setup;

    let set_cluster = {
        let (session, setup, error) = (session.clone(), setup.clone(), error.clone());
        Callback::from(move |cluster: Result<ClusterSpec, String>| match cluster {
            Ok(cluster) => {
                error.set(None);
                session.tell(Action::SetUp(Setup {
                    cluster,
                    ..setup.clone()
                }));
            }
            Err(why) => error.set(Some(why)),
        })
    };
    let ontext = {
        let set_cluster = set_cluster.clone();
        Callback::from(move |event: Event| {
            let cluster = input_value(&event).parse::<ClusterSpec>();
            set_cluster.emit(cluster.map_err(|error| error.to_string()));
        })
    };
    // The small form speaks of one kind of node; mixed clusters are written as text.
    let uniform = match setup.cluster.groups() {
        [group] => Some(*group),
        _ => None,
    };
    let resize = |change: fn(NodeGroup, u32) -> NodeGroup| {
        let set_cluster = set_cluster.clone();
        Callback::from(move |event: Event| {
            let number = input_value(&event)
                .parse::<u32>()
                .map_err(|_| "A whole number of at least 1 is needed.".to_string());
            let group = uniform.unwrap_or(NodeGroup { nodes: 1, gpus: 1 });
            set_cluster.emit(number.and_then(|number| {
                let group = change(group, number);
                ClusterSpec::new(vec![group]).map_err(|error| error.to_string())
            }));
        })
    };
    let set = |change: fn(&mut Setup, &str) -> Option<()>, complaint: &'static str| {
        let (session, setup, error) = (session.clone(), setup.clone(), error.clone());
        Callback::from(move |event: Event| {
            let mut setup = setup.clone();
            match change(&mut setup, &input_value(&event)) {
                Some(()) => {
                    error.set(None);
                    session.tell(Action::SetUp(setup));
                }
                None => error.set(Some(complaint.to_string())),
            }
        })
    };
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
    let by_model = [("false", "no", false), ("true", "yes", true)];
    let by_model = by_model
        .map(|(value, title, yes)| option(value, title, yes == options.restart_by_model, None));
    html! {
        <section aria-labelledby="cluster-title">
            <h2 id="cluster-title">{ "Cluster" }</h2>
            if let Some(group) = uniform {
                <div class="pair">
                    { field("Nodes", None, number("1", None, None, group.nodes.to_string(), resize(|group, nodes| NodeGroup { nodes, ..group }))) }
                    <span aria-hidden="true">{ "×" }</span>
                    { field("GPUs per node", None, number("1", Some("64"), None, group.gpus.to_string(), resize(|group, gpus| NodeGroup { gpus, ..group }))) }
                </div>
            }
            <p class="hint">{ format!("{} GPUs, {origin}", setup.cluster.gpus()) }</p>
            { field("Preset", None, list(ontext.clone(), html! { <>{ own }{ for presets }</> })) }
            { controls::error(error.as_deref()) }
            <details>
                <summary>{ "More" }</summary>
                { field("As text", Some("NODESxGPUS; groups of unlike nodes joined by +"), text(spec, ontext)) }
                { field("Placement", Some(setup.placement.summary()), list(
                    set(|setup, text| text.parse().ok().map(|placement| setup.placement = placement), "There is no such placement."),
                    placements.collect(),
                )) }
                { field("Restart cost (s)", Some("Seconds without progress after every resume or move; the GPUs are held meanwhile"), number(
                    "0", None, Some("any"), options.restart_cost.to_string(),
                    set(|setup, text| {
                        setup.options.restart_cost = text.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)?;
                        Some(())
                    }, "The restart cost is a number of seconds, 0 or more."),
                )) }
                { field("Spread gangs slow down", Some("Gangs on more nodes than they need train slower, as measured on this GPU generation by Gavel: a faster GPU hides the network less. Models are known by name; others get one of the table's."), list(
                    set(|setup, text| {
                        setup.options.spread_slowdown = match text {
                            "no" => None,
                            name => Some(GpuGeneration::named(name)?),
                        };
                        Some(())
                    }, "There is no such GPU generation."),
                    slowdowns.collect(),
                )) }
                { field("Restart cost by model size", Some("Adds 1 to 27 s to each restart, by the size of the job's model: checkpoint and resume"), list(
                    set(|setup, text| text.parse().ok().map(|by_model| setup.options.restart_by_model = by_model), "Yes or no."),
                    by_model.into_iter().collect(),
                )) }
                { field("Interference (share lost)", Some("The share of its speed that an adaptive job on several nodes loses while another such job shares one of them: 0 to below 1"), number(
                    "0", Some("0.95"), Some("any"), options.interference.to_string(),
                    set(|setup, text| share(text).map(|lost| setup.options.interference = lost), "Interference is a share of at least 0 and below 1."),
                )) }
                { field("Seed", Some("Seed of the policies' random generator"), number(
                    "0", None, None, options.seed.to_string(),
                    set(|setup, text| text.parse().ok().map(|seed| setup.options.seed = seed), "The seed is a whole number, 0 or more."),
                )) }
            </details>
        </section>
    }
}

/// The value of the field or list that changed.
pub(super) fn input_value(event: &Event) -> String {
    let Some(target) = event.target() else {
        return String::new();
    };
    match target.dyn_into::<HtmlInputElement>() {
        Ok(input) => input.value(),
        Err(target) => target
            .dyn_into::<HtmlSelectElement>()
            .map_or_else(|_| String::new(), |select| select.value()),
    }
}

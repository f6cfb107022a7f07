//! The rail's second part: the cluster, and what all runs have in common.

use super::app::{StateProps, use_session};
use crate::state::{Action, ClusterOrigin, Setup};
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

/// The cluster, and what all runs have in common.
#[component]
pub(super) fn ClusterPanel(props: &StateProps) -> Html {
    let session = use_session();
    let state = &props.state;
    let setup = &state.setup;
    let error = use_state(|| None::<String>);

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
    let parse = |text: &str| {
        text.parse::<ClusterSpec>()
            .map_err(|error| error.to_string())
    };
    let ontext = {
        let set_cluster = set_cluster.clone();
        Callback::from(move |event: Event| set_cluster.emit(parse(&input_value(&event))))
    };
    let onpreset = {
        let set_cluster = set_cluster.clone();
        Callback::from(move |event: Event| {
            if let Some(select) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
            {
                set_cluster.emit(parse(&select.value()));
            }
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
    let presets = PRESETS.iter().map(|&(spec, title)| {
        html! { <option value={spec} selected={setup.cluster.to_string() == spec}>{ title }</option> }
    });
    let is_preset = PRESETS
        .iter()
        .any(|(spec, _)| setup.cluster.to_string() == *spec);
    let placements = Strategy::ALL.iter().map(|strategy| {
        html! { <option value={strategy.name()} selected={*strategy == setup.placement} title={strategy.summary()}>{ strategy.name() }</option> }
    });
    html! {
        <section aria-labelledby="cluster-title">
            <h2 id="cluster-title">{ "Cluster" }</h2>
            if let Some(group) = uniform {
                <div class="pair">
                    <label class="field"><span>{ "Nodes" }</span>
                        <input type="number" min="1" value={group.nodes.to_string()} onchange={resize(|group, nodes| NodeGroup { nodes, ..group })} />
                    </label>
                    <span aria-hidden="true">{ "×" }</span>
                    <label class="field"><span>{ "GPUs per node" }</span>
                        <input type="number" min="1" max="64" value={group.gpus.to_string()} onchange={resize(|group, gpus| NodeGroup { gpus, ..group })} />
                    </label>
                </div>
            }
            <p class="hint">{ format!("{} GPUs, {origin}", setup.cluster.gpus()) }</p>
            <label class="field"><span>{ "Preset" }</span>
                <select onchange={onpreset}>
                    if !is_preset {
                        <option selected=true disabled=true value="">{ setup.cluster.to_string() }</option>
                    }
                    { for presets }
                </select>
            </label>
            if let Some(why) = &*error {
                <p class="error" role="alert">{ why }</p>
            }
            <details>
                <summary>{ "More" }</summary>
                <label class="field" title="NODESxGPUS; groups of unlike nodes joined by +"><span>{ "As text" }</span>
                    <input type="text" spellcheck="false" value={setup.cluster.to_string()} onchange={ontext} />
                </label>
                <label class="field" title={setup.placement.summary()}><span>{ "Placement" }</span>
                    <select onchange={set(|setup, text| text.parse().ok().map(|placement| setup.placement = placement), "There is no such placement.")}>
                        { for placements }
                    </select>
                </label>
                <label class="field" title="Seconds without progress after every resume or move; the GPUs are held meanwhile"><span>{ "Restart cost (s)" }</span>
                    <input type="number" min="0" step="any" value={setup.options.restart_cost.to_string()}
                        onchange={set(|setup, text| {
                            setup.options.restart_cost = text.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)?;
                            Some(())
                        }, "The restart cost is a number of seconds, 0 or more.")} />
                </label>
                <label class="field" title="Gangs on more nodes than they need train slower, as measured on this GPU generation by Gavel: a faster GPU hides the network less. Models are known by name; others get one of the table's."><span>{ "Spread gangs slow down" }</span>
                    <select onchange={set(|setup, text| {
                        setup.options.spread_slowdown = match text {
                            "no" => None,
                            name => Some(GpuGeneration::named(name)?),
                        };
                        Some(())
                    }, "There is no such GPU generation.")}>
                        <option value="no" selected={setup.options.spread_slowdown.is_none()}>{ "no" }</option>
                        { for GpuGeneration::ALL.iter().map(|generation| html! {
                            <option value={generation.name()} selected={setup.options.spread_slowdown == Some(*generation)}>{ format!("as on a {}", generation.name().to_uppercase()) }</option>
                        }) }
                    </select>
                </label>
                <label class="field" title="Adds 1 to 27 s to each restart, by the size of the job's model: checkpoint and resume"><span>{ "Restart cost by model size" }</span>
                    <select onchange={set(|setup, text| text.parse().ok().map(|by_model| setup.options.restart_by_model = by_model), "Yes or no.")}>
                        <option value="false" selected={!setup.options.restart_by_model}>{ "no" }</option>
                        <option value="true" selected={setup.options.restart_by_model}>{ "yes" }</option>
                    </select>
                </label>
                <label class="field" title="Seed of the policies' random generator"><span>{ "Seed" }</span>
                    <input type="number" min="0" value={setup.options.seed.to_string()}
                        onchange={set(|setup, text| text.parse().ok().map(|seed| setup.options.seed = seed), "The seed is a whole number, 0 or more.")} />
                </label>
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

//! The cluster by form: groups of alike nodes, and the racks that they stand in. What a form has no
//! field for, links of their own, stays as the text has it.

use super::controls::{Take, field, number_field, quiet_button, text_field, whole_from};
use super::icon::{Icon, sign};
use super::nodes_drawn::NodesDrawn;
use super::setting_field::set_up;
use super::typed::Typed;
use crate::complaint::Complaint;
use crate::draw::format;
use crate::session::Session;
use crate::state::Setup;
use switchyard::cluster::{ClusterSpec, GPU_MODELS, NodeGroup, Switches, Tree, TypeId};
use yew::prelude::*;

/// The `id` of the list of known GPU types.
const TYPES: &str = "gpu-types";

/// A group and the name of its GPUs' type; "" if none is said.
type Group = (NodeGroup, String);

/// A group with one field changed.
type Edit = fn(&mut Group, &str) -> Result<(), Complaint>;

/// The cluster with other groups.
pub(super) fn with_groups(
    cluster: &ClusterSpec,
    change: impl FnOnce(&mut Vec<Group>) -> Result<(), Complaint>,
) -> Result<ClusterSpec, Complaint> {
    let name = |group: &NodeGroup| group.kind.gpu.map_or("", |id| cluster.type_name(id));
    let groups = cluster.groups().iter();
    let mut groups: Vec<Group> = groups
        .map(|group| (*group, name(group).to_owned()))
        .collect();
    change(&mut groups)?;
    let mut names: Vec<String> = Vec::new();
    for (group, name) in &mut groups {
        group.kind.gpu = (!name.is_empty()).then(|| {
            names.push(std::mem::take(name));
            TypeId((names.len() - 1).min(255) as u8)
        });
    }
    let groups = groups.into_iter().map(|(group, _)| group).collect();
    let changed = ClusterSpec::with_types(groups, &names).map_err(Complaint::of)?;
    let changed = changed.with_core_nodes(cluster.core_nodes().to_vec());
    let tree = changed.with_tree(cluster.tree().clone());
    tree.map_err(Complaint::of)
}

fn count(typed: &str) -> Result<u32, Complaint> {
    let wrong = |_| "A whole number of at least 1 is needed.".into();
    typed.parse().map_err(wrong)
}

/// An amount in what people write, `unit` of what is kept; nothing typed: not said.
fn amount(typed: &str, unit: f64) -> Result<Option<u32>, Complaint> {
    if typed.is_empty() {
        return Ok(None);
    }
    let number: Option<f64> = typed.parse().ok();
    let kept = number.filter(|number| *number > 0.0 && *number <= 1e6);
    let kept = kept.map(|number| (number * unit).round() as u32);
    match kept {
        Some(kept) if kept > 0 => Ok(Some(kept)),
        _ => Err("A number above 0 and at most 1,000,000 is needed, or nothing.".into()),
    }
}

/// Fields for every group of alike nodes.
pub(super) fn groups_form(session: &Session, setup: &Setup) -> Html {
    let groups = setup.cluster.groups();
    let several = groups.len() > 1;
    let forms = groups.iter().enumerate().map(|(at, group)| {
        let fields = group_fields(session, setup, at, group);
        if !several {
            return fields;
        }
        let remove = act(session, setup, move |groups| {
            if at < groups.len() {
                groups.remove(at);
            }
            Ok(())
        });
        let label = format!("Remove group {} of nodes", at + 1);
        html! {
            <fieldset class="nodes" key={at}>
                <legend>{ format!("Group {}", at + 1) }</legend>
                { quiet_button(&label, Some(&label), sign(Icon::Close), remove) }
                { fields }
            </fieldset>
        }
    });
    let add = act(session, setup, |groups| {
        let last = groups.last().cloned();
        let (group, _) = last.unwrap_or_else(|| (NodeGroup::plain(1, 1), String::new()));
        let is_new =
            |of: &&switchyard::cluster::GpuModel| groups.iter().all(|(_, name)| name != of.name);
        let favourites = ["a100", "v100", "t4", "h100"];
        let known = favourites
            .iter()
            .filter_map(|name| GPU_MODELS.iter().find(|of| of.name == *name));
        let name = known
            .chain(GPU_MODELS)
            .find(is_new)
            .map_or("", |of| of.name);
        groups.push((NodeGroup::plain(1, group.gpus), name.to_owned()));
        Ok(())
    });
    let types = GPU_MODELS
        .iter()
        .map(|of| html! { <option value={of.name}>{ of.title }</option> });
    html! {
        <>
            { for forms }
            <datalist id={TYPES}>{ for types }</datalist>
            <button type="button" class="quiet add-nodes" onclick={add}>{ "+ Add nodes of another kind" }</button>
        </>
    }
}

/// What a button does to the groups.
fn act(
    session: &Session,
    setup: &Setup,
    change: impl Fn(&mut Vec<Group>) -> Result<(), Complaint> + Copy + 'static,
) -> Callback<MouseEvent> {
    let take = set_up(session, setup, move |setup, _| {
        setup.cluster = with_groups(&setup.cluster, change)?;
        Ok(())
    });
    Callback::from(move |_| {
        // A group less or more is refused only where another edit has come before it.
        let _ = take.emit(String::new());
    })
}

fn group_fields(session: &Session, setup: &Setup, at: usize, group: &NodeGroup) -> Html {
    let set = |edit: Edit| -> Take {
        set_up(session, setup, move |setup, typed| {
            setup.cluster = with_groups(&setup.cluster, |groups| match groups.get_mut(at) {
                Some(group) => edit(group, typed),
                None => Ok(()),
            })?;
            Ok(())
        })
    };
    let of_type = group
        .kind
        .gpu
        .map(|id| setup.cluster.type_name(id).to_owned());
    let take_type = set(|(group, name), typed| {
        if typed != name.as_str() {
            typed.clone_into(name);
            // Both were of the type before.
            group.kind.speed = None;
            group.kind.gpu_memory = None;
        }
        Ok(())
    });
    let amount_of = |kept: Option<u32>, unit: f64| {
        kept.map_or_else(String::new, |kept| (f64::from(kept) / unit).to_string())
    };
    let take_nodes = set(|(group, _), typed| {
        group.nodes = count(typed)?;
        Ok(())
    });
    let take_gpus = set(|(group, _), typed| {
        group.gpus = count(typed)?;
        Ok(())
    });
    let name = match setup.cluster.groups().len() {
        1 => "the cluster".to_owned(),
        _ => format!("group {}", at + 1),
    };
    let (nodes, gpus) = (group.nodes, group.gpus);
    html! {
        <>
            <NodesDrawn {name} {nodes} {gpus} take_nodes={take_nodes.clone()} take_gpus={take_gpus.clone()} />
            <div class="pair">
                { number_field("Nodes", None, whole_from("1"), nodes.to_string(), take_nodes) }
                <span aria-hidden="true">{ "×" }</span>
                { number_field(&format::units("GPUs per node"), None, whole_from("1").to("64"), gpus.to_string(), take_gpus) }
            </div>
            { field("GPU type", Some("A known type, such as v100, or a name of your own. Known ones have a memory and, where it is published, a speed"), html! {
                <Typed name="GPU type" list={TYPES} placeholder="not said" value={of_type.unwrap_or_default()} take={take_type} />
            }) }
            <details>
                <summary>{ "Cores, memory, speed" }</summary>
                { text_field("Cores of a node", Some("Nothing: not said, and no job waits for cores"), amount_of(group.kind.cores, 1000.0), set(|(group, _), typed| {
                    group.kind.cores = amount(typed, 1000.0)?;
                    Ok(())
                })) }
                { text_field("Memory of a node (GiB)", Some("Nothing: not said, and no job waits for memory"), amount_of(group.kind.memory, 1024.0), set(|(group, _), typed| {
                    group.kind.memory = amount(typed, 1024.0)?;
                    Ok(())
                })) }
                { text_field("Memory of a GPU (GiB)", Some("Nothing: that of its type"), amount_of(group.kind.gpu_memory, 1024.0), set(|(group, _), typed| {
                    group.kind.gpu_memory = amount(typed, 1024.0)?;
                    Ok(())
                })) }
                { text_field("Speed of a GPU (V100 = 1)", Some("How fast it trains. Nothing: that of its type, or 1 where none is published"), amount_of(group.kind.speed, 1000.0), set(|(group, _), typed| {
                    group.kind.speed = amount(typed, 1000.0)?;
                    Ok(())
                })) }
            </details>
        </>
    }
}

/// Fields for racks and partitions.
pub(super) fn tree_form(session: &Session, setup: &Setup) -> Html {
    let Switches::Even { partitions, racks } = setup.cluster.tree().switches else {
        return html! { <p class="hint">{ "Racks and partitions are given one by one, in the text." }</p> };
    };
    let set = |edit: fn(&mut (u32, u32), u32)| -> Take {
        set_up(session, setup, move |setup, typed| {
            let tree = setup.cluster.tree().clone();
            if let Switches::Even { partitions, racks } = tree.switches {
                let mut both = (partitions, racks);
                edit(&mut both, count(typed)?);
                let (partitions, racks) = both;
                let switches = Switches::Even { partitions, racks };
                let changed = setup.cluster.clone().with_tree(Tree { switches, ..tree });
                setup.cluster = changed.map_err(Complaint::of)?;
            }
            Ok(())
        })
    };
    html! {
        <div class="pair">
            { number_field("Racks", Some("Nodes fill them in order, each as full as the others"), whole_from("1"), racks.to_string(), set(|(_, racks), typed| *racks = typed)) }
            <span aria-hidden="true">{ "in" }</span>
            { number_field("Partitions", Some("Racks fill them in order"), whole_from("1"), partitions.to_string(), set(|(partitions, racks), typed| {
                *partitions = typed;
                *racks = (*racks).max(typed);
            })) }
        </div>
    }
}

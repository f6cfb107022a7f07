//! The queues with quotas as a tree: a row a queue, indented, its quotas of GPUs as bars, and what else its line says
//! beside. A queue's name opens its fields. The whole text stands behind a switch.

use super::controls::{Take, chosen, field, list, option, switch_button, text_field};
use super::queue_edits::{Edited, added, moved, removed, renamed, with_fields, with_quota};
use super::quota_bar::QuotaBar;
use crate::draw::format::{figures, units};
use crate::stage::SharedStage;
use std::rc::Rc;
use switchyard::policies::leaves_of;
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::text;
use switchyard::queues::tree::{Kind, QueueId, QueueTree};
use switchyard::workload::Workload;
use yew::prelude::*;

/// A tree of more queues is a text alone.
const MOST: usize = 60;

/// The tree, its text and what takes another text.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub(super) queues: QueueSettings,
    /// How many GPUs there are.
    pub(super) gpus: u32,
    pub(super) take: Take,
    /// The text's field.
    pub(super) children: Html,
    /// Where the jobs are that queues are for.
    pub(super) stage: SharedStage,
}

/// Equal parts for all that jobs belong to, as text.
fn equal_parts(queues: &QueueSettings, workload: &Workload, gpus: u32) -> String {
    let none = QueueSettings {
        tree: None,
        by: queues.by,
    };
    text::line(&leaves_of(&none, workload, gpus).0)
}

/// All queues, each below the one above it, and how deep.
fn in_order(tree: &QueueTree) -> Vec<(QueueId, usize)> {
    let mut open: Vec<(QueueId, usize)> = tree.roots().map(|root| (root, 0)).collect();
    open.reverse();
    let mut order = Vec::new();
    while let Some((id, depth)) = open.pop() {
        order.push((id, depth));
        let below = tree.children(id).iter().rev();
        open.extend(below.map(|&child| (child, depth + 1)));
    }
    order
}

/// What a queue's line says besides its name, its parent and its quotas of GPUs.
fn other_fields(tree: &QueueTree, id: QueueId) -> String {
    let fields = text::fields(tree, id);
    let fields = fields.split(' ').filter(|field| !field.starts_with("gpus"));
    fields.collect::<Vec<&str>>().join(" ")
}

/// The tree, or its text.
#[component]
pub(super) fn QueuesForm(props: &Props) -> Html {
    let as_text = use_state_eq(|| false);
    // Whose name, place and fields are open.
    let open = use_state_eq(|| None::<QueueId>);
    let Some(tree) = &props.queues.tree else {
        let onclick = {
            let (take, stage) = (props.take.clone(), props.stage.clone());
            let (queues, gpus) = (props.queues.clone(), props.gpus);
            Callback::from(move |_: MouseEvent| {
                let equal = equal_parts(&queues, &stage.read().workload, gpus);
                // Equal parts are queues, so that there is nothing to be refused.
                let _ = take.emit(equal);
            })
        };
        return html! {
            <>
                <button type="button" {onclick}>{ "Begin with equal parts" }</button>
                { props.children.clone() }
            </>
        };
    };
    let is_large = tree.queues().len() > MOST;
    let show = |text: bool| {
        let as_text = as_text.setter();
        Callback::from(move |_: MouseEvent| as_text.set(text))
    };
    if is_large || *as_text {
        return html! {
            <>
                if !is_large {
                    <div class="switch" role="group" aria-label="Queues are shown">
                        { switch_button(false, "As a tree", None, show(false)) }
                        { switch_button(true, "As text", None, show(true)) }
                    </div>
                }
                { props.children.clone() }
            </>
        };
    }
    let tree = Rc::new(QueueTree::clone(tree));
    let gpus = f64::from(props.gpus);
    let kinds = tree.resources().iter().enumerate();
    let kinds: Vec<(usize, String)> = kinds
        .filter(|(_, of)| of.kind == Kind::Gpus)
        .map(|(at, of)| (at, of.flavor.clone().unwrap_or_default()))
        .collect();
    let rows = in_order(&tree).into_iter().map(|(id, depth)| {
        let queue = tree.queue(id);
        let bars = kinds.iter().map(|(resource, flavor)| {
            let quota = queue.quotas.get(*resource).copied().unwrap_or_default();
            let of = match flavor.as_str() {
                "" => String::new(),
                flavor => format!(" of {flavor}"),
            };
            let take = {
                let (tree, take, resource) = (tree.clone(), props.take.clone(), *resource);
                Callback::from(move |nominal: f64| {
                    if let Some(changed) = with_quota(&tree, id, resource, nominal) {
                        // A quota within the bar is one.
                        let _ = take.emit(text::line(&changed));
                    }
                })
            };
            let value = match quota.nominal.is_finite() {
                true => format!("{}{of}", figures(quota.nominal)),
                false => format!("all{of}"),
            };
            let name = units(&format!("GPUs{of} of {}", queue.name)).into_owned();
            html! {
                <>
                    <QuotaBar {name} value={quota.nominal} most={gpus} {take} />
                    <span class="quota-value">{ value }</span>
                </>
            }
        });
        let beside = other_fields(&tree, id);
        let is_open = *open == Some(id);
        let onclick = {
            let open = open.setter();
            Callback::from(move |_: MouseEvent| open.set((!is_open).then_some(id)))
        };
        html! {
            <li key={id.0} ~style={format!("--depth: {}", depth.min(8))}>
                <button type="button" class="quiet queue-name" aria-expanded={is_open.to_string()} title={format!("{}: change it, add below it, remove it", queue.name)} {onclick}>{ &queue.name }</button>
                { for bars }
                if !beside.is_empty() {
                    <span class="hint">{ beside }</span>
                }
                if is_open {
                    { editor(&tree, id, &props.take, &open) }
                }
            </li>
        }
    });
    let quotas = tree
        .queues()
        .iter()
        .flat_map(|queue| kinds.iter().filter_map(|(at, _)| queue.quotas.get(*at)));
    let all: f64 = quotas
        .map(|quota| quota.nominal)
        .filter(|of| of.is_finite())
        .sum();
    let sum = units(&format!(
        "{} GPUs of quotas, {} GPUs there are",
        figures(all),
        figures(gpus)
    ))
    .into_owned();
    let add = {
        // Below the highest, where that is one queue with others below it.
        let mut roots = tree.roots();
        let only = roots.next().filter(|_| roots.next().is_none());
        let parent = only.filter(|&root| !tree.is_leaf(root));
        let (tree, take) = (Rc::clone(&tree), props.take.clone());
        Callback::from(move |_: MouseEvent| {
            if let Ok(changed) = added(&tree, parent) {
                let _ = take.emit(text::line(&changed));
            }
        })
    };
    html! {
        <>
            <div class="switch" role="group" aria-label="Queues are shown">
                { switch_button(true, "As a tree", None, show(false)) }
                { switch_button(false, "As text", None, show(true)) }
            </div>
            <ul class="queue-tree" aria-label="Queues">{ for rows }</ul>
            <div class="row"><button type="button" onclick={add}>{ "Add a queue" }</button></div>
            <p class="hint">{ sum }</p>
        </>
    }
}

/// The fields of one queue.
fn editor(
    tree: &Rc<QueueTree>,
    id: QueueId,
    take: &Take,
    open: &UseStateHandle<Option<QueueId>>,
) -> Html {
    let queue = tree.queue(id);
    let edit = |edit: fn(&QueueTree, QueueId, &str) -> Edited| -> Take {
        let (tree, take) = (tree.clone(), take.clone());
        Callback::from(move |typed: String| {
            let changed = edit(&tree, id, typed.trim())?;
            take.emit(text::line(&changed))
        })
    };
    let place = edit(|tree, id, name| moved(tree, id, tree.find(name)));
    let parent = queue.parent.map(|parent| tree.queue(parent).name.as_str());
    let others = (0..tree.queues().len()).map(|at| QueueId(at as u32));
    // Not itself, and none below it.
    let others = others.filter(|&other| moved(tree, id, Some(other)).is_ok());
    let others = others.map(|other| {
        let name = &tree.queue(other).name;
        option(name, name, parent == Some(name.as_str()), None)
    });
    let none = option("", "no other", parent.is_none(), None);
    let press = |edit: fn(&QueueTree, QueueId) -> Edited, closes: bool| {
        let (tree, take, open) = (tree.clone(), take.clone(), open.setter());
        Callback::from(move |_: MouseEvent| {
            if let Ok(changed) = edit(&tree, id) {
                let _ = take.emit(text::line(&changed));
                if closes {
                    open.set(None);
                }
            }
        })
    };
    let below = press(|tree, id| added(tree, Some(id)), false);
    let remove = press(removed, true);
    let is_last = removed(tree, id).is_err();
    html! {
        <div class="queue-editor" role="group" aria-label={format!("The queue {}", queue.name)}>
            { text_field("Name", Some("Jobs belong to the leaf that is called as their tenant is, or their user, account, partition or QOS, and to the leaf with a rule for them"), queue.name.clone(), edit(renamed)) }
            { field("Below", None, list(chosen(&place), std::iter::once(none).chain(others).collect())) }
            { text_field("Fields", Some("As in the text: gpus=8 borrow=4 lend=2 weight=2 priority=1 order=strict-fifo, and rules for jobs: jobs=user:ana:account:physics …"), text::fields(tree, id), edit(with_fields)) }
            <div class="row">
                <button type="button" onclick={below}>{ "Add one below" }</button>
                <button type="button" onclick={remove} disabled={is_last} title={is_last.then_some("A tree has one queue at least")}>{ "Remove" }</button>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_stand_below_those_above_them() {
        let tree = text::read("lab\na parent=lab gpus=4 borrow=2\nc\nb parent=lab gpus=4");
        let tree = tree.expect("a tree");
        assert_eq!(other_fields(&tree, QueueId(1)), "borrow=2");
        let order = in_order(&tree).into_iter();
        let order: Vec<(u32, usize)> = order.map(|(id, depth)| (id.0, depth)).collect();
        assert_eq!(order, [(0, 0), (1, 1), (3, 1), (2, 0)]);
    }
}

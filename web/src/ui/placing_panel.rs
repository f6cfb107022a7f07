//! How a placer that learned laid the chosen job, decision by decision: what it could do and how likely
//! each was, what partitions are worth to it, and what they told one another. The yard shows the scores of
//! the decision that is looked at as heat.

use super::controls::quiet_button;
use super::drawing::drawing;
use super::names::with_nodes;
use super::term::{Definition, Term};
use crate::draw::{format, palette};
use std::fmt::Write;
use switchyard::explain::{Choice, Placing, PlacingStep};
use switchyard::order;
use yew::prelude::*;

static AGENT: Definition = Definition {
    id: "placing-agent",
    name: "agent",
    meaning: "Each partition of the cluster has one. It sees its servers, its links and which jobs are slowed there, and chooses for one part of the job at a time. All agents share the same weights.",
    formula: "",
    source: "",
};
static CHANCE: Definition = Definition {
    id: "placing-chance",
    name: "probability",
    meaning: "The pointer head scores every group of GPUs with room, one by one; each other partition and waiting have a score besides, until a part is placed. One softmax makes probabilities of them, which sum to 1. In use the likeliest is taken; in training one is drawn.",
    formula: "exp(score) ∕ Σ exp(scores)",
    source: "",
};
static VALUE: Definition = Definition {
    id: "placing-value",
    name: "value",
    meaning: "How good a partition would be for the job, as the network sees it. The job goes first to the one with the highest.",
    formula: "",
    source: "",
};
static TOLD: Definition = Definition {
    id: "placing-told",
    name: "told the others",
    meaning: "Before anyone decides, each partition sums itself up in 32 numbers, which all others hear. They were learned and have no names: the fuller a cell, the larger its number.",
    formula: "",
    source: "",
};
static RULE: Definition = Definition {
    id: "placing-rule",
    name: "the rule",
    meaning: "least-interference-waiting: it learned nothing, and knows how jobs slow one another. It takes the place where the gang and the jobs there slow one another least; where that is a tenth more than the gang would be slowed on an idle cluster, the gang waits. It decides about gangs that no partition holds, and where gangs of more than 8 GPUs ask or wait and an agent would let one wait, unless that is for many narrower ones. “In all” is the product of everybody's slowdowns, less 1.",
    formula: "Π (speed alone ∕ speed there) − 1",
    source: "",
};
static FORWARD: Definition = Definition {
    id: "placing-forward",
    name: "forwarding",
    meaning: "The agent that is asked may hand the job to another partition, which then decides; each is asked once.",
    formula: "",
    source: "",
};

/// The likeliest groups that are listed.
const MOST: usize = 5;

/// The size of a cell of what was told, CSS pixels.
const CELL: usize = 6;

/// A choice as a row of the list: in words, its probability, and whether it was taken.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    words: String,
    probability: f32,
    is_taken: bool,
}

/// The likeliest groups and the one that was taken, the others as one, then what else could be done.
fn rows(step: &PlacingStep) -> Vec<Row> {
    let row = |&(choice, probability): &(Choice, f32)| Row {
        words: choice.to_string(),
        probability,
        is_taken: choice == step.chosen,
    };
    let is_group = |of: &&(Choice, f32)| matches!(of.0, Choice::Group { .. });
    let mut groups: Vec<Row> = step.choices.iter().filter(is_group).map(row).collect();
    order::sort_by(&mut groups, |a, b| {
        let taken = b.is_taken.cmp(&a.is_taken);
        taken.then(b.probability.total_cmp(&a.probability))
    });
    let others = groups.split_off(groups.len().min(MOST));
    if !others.is_empty() {
        let count = format::counted(others.len() as u64, "other group", "other groups");
        groups.push(Row {
            words: count,
            probability: others.iter().map(|of| of.probability).sum(),
            is_taken: false,
        });
    }
    groups.extend(step.choices.iter().filter(|of| !is_group(of)).map(row));
    groups
}

/// People count partitions from 1, as the yard does.
fn partition(index: u32) -> String {
    format!("partition {}", index + 1)
}

/// Which part a decision is about: `worker 2`.
fn part(steps: &[PlacingStep], at: usize) -> String {
    let role = steps[at].role;
    let placed = steps[..at]
        .iter()
        .filter(|of| of.role == role && matches!(of.chosen, Choice::Group { .. }));
    format!("{role} {}", placed.count() + 1)
}

/// What was decided, in a sentence.
fn sentence(step: &PlacingStep) -> String {
    let asked = partition(step.partition);
    match step.chosen {
        Choice::Group { .. } => format!("The agent of {asked} puts it on {}.", step.chosen),
        Choice::Forward { partition: to } => {
            format!(
                "The agent of {asked} forwards the job to {}.",
                partition(to)
            )
        }
        Choice::Wait => format!("The agent of {asked} lets the job wait."),
    }
}

/// A decision's number within those there are.
pub(super) fn shown(placing: &Placing, at: usize) -> usize {
    at.min(placing.steps.len().saturating_sub(1))
}

/// The decision at `at`; `place` tells the run's terms from those of others.
pub(super) fn placing_panel(
    placing: &Placing,
    at: usize,
    (place, dark): (u32, bool),
    on_step: &Callback<usize>,
) -> Html {
    let (steps, at) = (&placing.steps, shown(placing, at));
    let by_rule = placing.by_rule.as_ref();
    let by_rule = by_rule.map(|by_rule| {
        html! { <p><Term definition={RULE} {place} />{ with_nodes(&format!(": {}.", by_rule.text())) }</p> }
    });
    let Some(step) = steps.get(at) else {
        return html! {
            <div class="placing">
                <p>{ "No partition had room for the whole gang, so no agent was asked." }</p>
                { by_rule.unwrap_or_default() }
            </div>
        };
    };
    let go = |to: Option<usize>, label: &str, face: &str| {
        let on_step = on_step.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(to) = to {
                on_step.emit(to);
            }
        });
        quiet_button(label, Some(label), html! { { face } }, onclick)
    };
    let next = (at + 1 < steps.len()).then_some(at + 1);
    let colour = palette::heat(dark);
    let most = step.choices.iter().fold(0.0f32, |most, of| most.max(of.1));
    let choices = rows(step).into_iter().map(|row| {
        let width = 100.0 * row.probability.max(0.0) / most.max(row.probability).max(f32::MIN_POSITIVE);
        let bar = format!("background: {colour}; width: {width:.1}%");
        html! {
            <tr class={row.is_taken.then_some("taken")}>
                <th scope="row">{ with_nodes(&row.words) }</th>
                <td class="bar"><i ~style={bar}></i></td>
                <td title={row.probability.to_string()}>{ format!("{:.1} %", 100.0 * row.probability) }</td>
            </tr>
        }
    });
    let loudest = step
        .told
        .iter()
        .flatten()
        .fold(0.0f32, |most, of| most.max(*of));
    let partitions = (0u32..).zip(&step.values).map(|(index, value)| {
        let told = step.told.get(index as usize).map(Vec::as_slice);
        let forwards = step
            .choices
            .iter()
            .any(|of| of.0 == Choice::Forward { partition: index });
        let mark = match step.chosen {
            Choice::Forward { partition: to } if to == index => "forwarded to",
            _ if index == step.partition => "asked",
            _ if forwards => "may be asked",
            _ => "",
        };
        html! {
            <tr class={(index == step.partition).then_some("taken")}>
                <th scope="row">{ index + 1 }</th>
                <td>{ format!("{value:.2}") }</td>
                <td>{ drawing(&strip(told.unwrap_or_default(), loudest, colour)) }</td>
                <td class="hint">{ mark }</td>
            </tr>
        }
    });
    html! {
        <div class="placing">
            <p class="steps">
                { go(at.checked_sub(1), "Decision before", "◀") }
                <strong>{ part(steps, at) }</strong>
                <span class="hint">{ format!("decision {} of {}", at + 1, steps.len()) }</span>
                { go(next, "Next decision", "▶") }
            </p>
            <p>{ with_nodes(&sentence(step)) }</p>
            { by_rule.unwrap_or_default() }
            <table aria-label="What the agent could do">
                <thead><tr>
                    <th scope="col">{ "the " }<Term definition={AGENT} {place} />{ " could" }</th>
                    <th scope="col" colspan="2"><Term definition={CHANCE} {place} /></th>
                </tr></thead>
                <tbody>{ for choices }</tbody>
            </table>
            <p class="hint"><i class="heat" ~style={format!("background: {colour}")}></i>{ "on the yard: the fuller, the likelier; framed: the agent that is asked, and what was chosen" }</p>
            <table aria-label="What partitions told one another">
                <thead><tr>
                    <th scope="col">{ "partition" }</th>
                    <th scope="col"><Term definition={VALUE} {place} /></th>
                    <th scope="col"><Term definition={TOLD} {place} /></th>
                    <th scope="col"><Term definition={FORWARD} {place} /></th>
                </tr></thead>
                <tbody>{ for partitions }</tbody>
            </table>
            <details>
                <summary>{ "Whose placer this is" }</summary>
                <p class="hint">{ "Our own, after the abstract of Zhao & Wu, “Large-Scale Machine Learning Cluster Scheduling via Multi-Agent Graph Reinforcement Learning” (IEEE TNSM 19(4), 2022). The abstract is public; neither the whole text nor any code is. Agents by partition, graph networks over servers and the cluster, exchanged observations and groups of GPUs as actions are theirs; features, sizes, forwarding, waiting, the model of interference, training and weights are ours, so that nothing here says how well theirs does." }</p>
            </details>
        </div>
    }
}

/// Numbers as cells in a row, the fuller the larger, beside the largest of all.
fn strip(numbers: &[f32], most: f32, colour: &str) -> String {
    let (w, h) = (numbers.len() * CELL, 2 * CELL);
    let list: Vec<String> = numbers.iter().map(|of| format!("{of:.2}")).collect();
    let words = format!("{} numbers: {}", numbers.len(), list.join(", "));
    let mut svg = format!(
        "<svg role='img' viewBox='0 0 {w} {h}' aria-label='{words}'><title>{words}</title>"
    );
    for (i, number) in numbers.iter().enumerate() {
        let part = (number / most.max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class='cell' x='{}' width='{CELL}' height='{h}' fill='{colour}' fill-opacity='{part:.2}'/>",
            i * CELL
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::explain::Role;

    fn group(node: u32) -> Choice {
        Choice::Group { node, group: 1 }
    }

    fn step(role: Role, choices: Vec<(Choice, f32)>, chosen: Choice) -> PlacingStep {
        PlacingStep {
            role,
            partition: 1,
            values: vec![0.5, 1.0],
            told: vec![vec![0.0; 32]; 2],
            choices,
            chosen,
        }
    }

    #[test]
    fn all_that_could_be_done_is_listed_and_sums_to_one() {
        let mut choices: Vec<(Choice, f32)> = (0..20).map(|node| (group(node), 0.04)).collect();
        choices.push((Choice::Forward { partition: 0 }, 0.125));
        choices.push((Choice::Wait, 0.075));
        let step = step(Role::Worker, choices, group(13));
        let rows = rows(&step);
        assert_eq!(rows.len(), MOST + 3);
        assert!(rows[0].is_taken && rows[0].words == "node 13, socket 1");
        assert_eq!(rows[MOST].words, "15 other groups");
        assert_eq!(rows[MOST + 1].words, "forward to partition 1");
        assert_eq!(rows[MOST + 2].words, "wait");
        let sum: f32 = rows.iter().map(|row| row.probability).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }

    #[test]
    fn parts_are_counted_as_they_are_placed() {
        let sure = |role, chosen| step(role, vec![(chosen, 1.0)], chosen);
        let steps = [
            sure(Role::Worker, Choice::Forward { partition: 0 }),
            sure(Role::Worker, group(1)),
            sure(Role::Worker, group(2)),
            sure(Role::ParameterServer, group(2)),
        ];
        let names: Vec<String> = (0..steps.len()).map(|at| part(&steps, at)).collect();
        assert_eq!(
            names,
            ["worker 1", "worker 1", "worker 2", "parameter server 1"]
        );
        assert_eq!(
            sentence(&steps[0]),
            "The agent of partition 2 forwards the job to partition 1."
        );
        let placing = Placing {
            steps: steps.to_vec(),
            by_rule: None,
        };
        assert_eq!((shown(&placing, 9), shown(&Placing::default(), 9)), (3, 0));
    }

    #[test]
    fn what_was_told_has_a_cell_a_number() {
        let svg = strip(&[0.5, 0.0, 1.0], 1.0, "#000000");
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("3 numbers: 0.50, 0.00, 1.00"));
    }
}

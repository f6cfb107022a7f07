//! How a placer that learned scores each group of GPUs for the part that it places, as heat over the
//! yard: the likelier, the fuller. The partition that it asks is framed, and so is the group it chose.

use super::floor::Floor;
use super::tiles::Grid;
use crate::draw::palette;
use crate::draw::pen::Pen;
use crate::draw::space::Rect;
use switchyard::cluster::Topology;
use switchyard::explain::{Choice, PlacingStep};

/// How opaque the least and the most likely group are.
const LEAST: f64 = 0.12;
const MOST: f64 = 0.92;

/// A group's cells; its part of the tile where GPUs have none.
fn place(grid: &Grid<'_>, tree: &Topology, node: u32, group: u32) -> Rect {
    if !grid.is_one_cell() {
        return grid.bounds(node, tree.socket_mask(node, group));
    }
    let tile = grid.tile(node);
    let w = tile.w / f64::from(tree.sockets(node).max(1));
    let x = tile.x + f64::from(group) * w;
    Rect { x, w, ..tile }
}

/// How opaque a choice is, beside the likeliest.
fn opacity(probability: f32, most: f32) -> f64 {
    let part = f64::from(probability / most.max(f32::MIN_POSITIVE));
    LEAST + (MOST - LEAST) * part.clamp(0.0, 1.0).sqrt()
}

/// Paints the scores that are seen in `area`.
pub(super) fn paint(
    pen: &Pen<'_>,
    grid: &Grid<'_>,
    floor: &Floor,
    tree: &Topology,
    area: &Rect,
    (step, dark): (&PlacingStep, bool),
) {
    let groups = || {
        let scored = step.choices.iter();
        scored.filter_map(|&(choice, probability)| match choice {
            Choice::Group { node, group } if is_there(tree, node, group) => {
                Some((place(grid, tree, node, group), probability))
            }
            _ => None,
        })
    };
    let most = groups().fold(0.0f32, |most, (_, of)| most.max(of));
    let colour = palette::heat(dark);
    let seen = groups().filter(|(place, _)| place.overlaps(area));
    for (place, probability) in seen {
        pen.fill(pen.chrome.background);
        pen.rect(&place);
        pen.fill(colour);
        pen.alpha(opacity(probability, most));
        pen.rect(&place);
        pen.alpha(1.0);
    }
    let rim = pen.px(2.0);
    // One agent for all has no partition of its own.
    if floor.is_of_racks && step.values.len() > 1 && floor.halls.len() == step.values.len() {
        pen.fill(colour);
        pen.frame(&grid.hall(step.partition as usize), rim);
    }
    if let Choice::Group { node, group } = step.chosen
        && is_there(tree, node, group)
    {
        pen.fill(pen.chrome.accent);
        pen.frame(&place(grid, tree, node, group).grown(rim), rim);
    }
}

fn is_there(tree: &Topology, node: u32, group: u32) -> bool {
    node < tree.nodes() && group < tree.sockets(node)
}

/// What is said of a node, or of the group of one of its GPUs.
pub(super) fn words(
    step: &PlacingStep,
    tree: &Topology,
    node: u32,
    gpu: Option<u32>,
) -> Vec<String> {
    let here = |group: u32| {
        gpu.is_none_or(|gpu| gpu < 64 && tree.socket_mask(node, group) >> gpu & 1 == 1)
    };
    let scored = step.choices.iter();
    let told = scored.filter_map(|&(choice, probability)| match choice {
        Choice::Group { node: of, group }
            if of == node && is_there(tree, of, group) && here(group) =>
        {
            let score = 100.0 * probability;
            Some(format!("the placer gives socket {group} {score:.1} %"))
        }
        _ => None,
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::explain::Role;

    #[test]
    fn a_group_is_told_by_its_gpus_and_the_likelier_is_fuller() {
        let tree = Topology::of(&"4x8/sockets=2".parse().expect("a cluster"));
        let group = |node, group| Choice::Group { node, group };
        let step = PlacingStep {
            role: Role::Worker,
            partition: 0,
            values: vec![0.0],
            told: vec![vec![0.0; 32]],
            choices: vec![
                (group(1, 0), 0.25),
                (group(1, 1), 0.5),
                // Of another cluster.
                (group(9, 0), 0.125),
                (Choice::Wait, 0.125),
            ],
            chosen: group(1, 1),
        };
        assert_eq!(
            words(&step, &tree, 1, Some(5)),
            ["the placer gives socket 1 50.0 %"]
        );
        assert_eq!(words(&step, &tree, 1, None).len(), 2);
        assert_eq!(words(&step, &tree, 2, None), [""; 0]);
        assert_eq!(words(&step, &tree, 9, None), [""; 0]);
        assert!(opacity(0.25, 0.5) < opacity(0.5, 0.5));
        assert!(opacity(0.0, 0.0) >= LEAST);
    }
}

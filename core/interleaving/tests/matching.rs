//! Maximum-weight matching: against all choices on small graphs, and by its own proof on larger ones.

use proptest::prelude::*;
use switchyard_interleaving::matching::{Matching, maximum_weight};

/// What the search may lose, as a share of the highest weight for each node: it ends within 1e-5 of its goal.
const LOSS: f64 = 1e-5;

/// A weight for each two nodes; 0 where there is no edge.
#[derive(Clone, Debug)]
struct Graph {
    nodes: usize,
    weights: Vec<f64>,
}

impl Graph {
    fn weight(&self, a: usize, b: usize) -> f64 {
        self.weights[a.min(b) * self.nodes + a.max(b)]
    }

    fn highest(&self) -> f64 {
        self.weights.iter().copied().fold(0.0, f64::max)
    }
}

fn graph(
    nodes: std::ops::Range<usize>,
    weight: BoxedStrategy<f64>,
) -> impl Strategy<Value = Graph> {
    nodes.prop_flat_map(move |nodes| {
        prop::collection::vec(weight.clone(), nodes * nodes)
            .prop_map(move |weights| Graph { nodes, weights })
    })
}

/// Many ties, and pairs without an edge.
fn coarse() -> BoxedStrategy<f64> {
    (0..6_u8).prop_map(f64::from).boxed()
}

fn fine() -> BoxedStrategy<f64> {
    prop_oneof![1 => Just(0.0), 4 => 0.0..1.0].boxed()
}

/// The best total weight, by trying everything.
fn best(graph: &Graph, free: &mut Vec<usize>) -> f64 {
    let Some(first) = free.pop() else { return 0.0 };
    let mut most = best(graph, free);
    for at in 0..free.len() {
        let other = free.remove(at);
        most = most.max(graph.weight(first, other) + best(graph, free));
        free.insert(at, other);
    }
    free.push(first);
    most
}

/// The total weight, of pairs that both sides know of and that are edges.
fn total(graph: &Graph, found: &Matching) -> f64 {
    let mut total = 0.0;
    for (node, &mate) in found.mates.iter().enumerate() {
        let Some(mate) = mate else { continue };
        assert_eq!(found.mates[mate], Some(node));
        assert!(
            graph.weight(node, mate) > 0.0,
            "{node} and {mate} are no edge"
        );
        if node < mate {
            total += graph.weight(node, mate);
        }
    }
    total
}

/// Holds the duals to what they prove: no pairs weigh more than their sum, and ours weigh as much.
fn check_proof(graph: &Graph, found: &Matching) {
    let loss = LOSS * graph.highest() * (graph.nodes + 1) as f64;
    assert!(found.duals.iter().all(|&dual| dual >= -loss));
    let mut bound: f64 = found.duals.iter().sum();
    for (nodes, dual) in &found.blossoms {
        assert!(*dual >= -loss && nodes.len() % 2 == 1 && nodes.len() >= 3);
        bound += dual * ((nodes.len() - 1) / 2) as f64;
    }
    for a in 0..graph.nodes {
        for b in a + 1..graph.nodes {
            let around = found.blossoms.iter();
            let around = around.filter(|(nodes, _)| nodes.contains(&a) && nodes.contains(&b));
            let shared: f64 = around.map(|(_, dual)| dual).sum();
            let covered = found.duals[a] + found.duals[b] + shared;
            assert!(
                covered >= graph.weight(a, b) - loss,
                "{a} and {b} are not covered"
            );
        }
    }
    let ours = total(graph, found);
    assert!(
        (bound - ours).abs() <= loss,
        "{ours} is matched, and the bound is {bound}"
    );
}

fn matched(graph: &Graph) -> Matching {
    maximum_weight(graph.nodes, |a, b| graph.weight(a, b))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn small_graphs_get_the_best_of_all_choices(
        graph in prop_oneof![graph(0..9, coarse()), graph(0..9, fine())]
    ) {
        let found = matched(&graph);
        let best = best(&graph, &mut (0..graph.nodes).collect());
        let ours = total(&graph, &found);
        prop_assert!((best - ours).abs() <= LOSS * graph.highest() * 10.0, "{} and {}", best, ours);
        check_proof(&graph, &found);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn larger_graphs_are_proved_by_their_duals(
        graph in prop_oneof![graph(20..50, coarse()), graph(20..50, fine())]
    ) {
        check_proof(&graph, &matched(&graph));
    }
}

#[test]
fn nothing_is_paired_without_edges() {
    assert!(maximum_weight(0, |_, _| 1.0).mates.is_empty());
    assert_eq!(maximum_weight(3, |_, _| 0.0).mates, [None; 3]);
    assert_eq!(maximum_weight(2, |_, _| -1.0).mates, [None; 2]);
    assert_eq!(maximum_weight(2, |_, _| f64::NAN).mates, [None; 2]);
}

#[test]
fn an_odd_cycle_leaves_the_one_out_that_costs_least() {
    // Five nodes in a ring; 0 to 1 weighs most, and 2 is best left out.
    let weights = [5.0, 1.0, 1.0, 4.0, 1.0];
    let ring = |a: usize, b: usize| match (a.min(b), a.max(b)) {
        (0, 4) => weights[4],
        (low, high) if high == low + 1 => weights[low],
        _ => 0.0,
    };
    let found = maximum_weight(5, ring);
    assert_eq!(found.mates, [Some(1), Some(0), None, Some(4), Some(3)]);
}

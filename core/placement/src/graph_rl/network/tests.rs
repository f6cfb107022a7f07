use super::super::scene::Layout;
use super::*;
use crate::Strategy as Placement;
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::ValueTree;
use std::sync::Arc;

fn network(seed: u64) -> Network {
    Network::random(Placement::GRAPH_RL, seed)
}

fn features<const WIDE: usize>() -> impl Strategy<Value = [f32; WIDE]> {
    any::<u64>().prop_map(|seed| {
        let mut rng = Rng::seed_from_u64(seed);
        std::array::from_fn(|_| unit(&mut rng) as f32)
    })
}

fn some<const WIDE: usize>(count: usize) -> impl Strategy<Value = Vec<[f32; WIDE]>> {
    prop::collection::vec(features(), count)
}

/// Eight servers of two groups in four racks in two partitions, anyhow.
fn seen() -> impl Strategy<Value = Observation> {
    let hang = prop::collection::vec(0u32..4, 8);
    (hang, features(), some(16), some(8), some(4), some(2)).prop_map(
        |(racks, job, groups, servers, racks_seen, partitions)| Observation {
            layout: Arc::new(Layout {
                groups: (0..=8).map(|server| 2 * server).collect(),
                racks,
                partitions: vec![0, 0, 1, 1],
            }),
            job,
            groups,
            servers,
            racks: racks_seen,
            partitions,
        },
    )
}

fn choices() -> Vec<Choice> {
    let groups = (0..16).map(|at| Choice::Group {
        node: at / 2,
        group: at % 2,
    });
    groups
        .chain([Choice::Forward { partition: 1 }, Choice::Wait])
        .collect()
}

proptest! {
    /// Servers renumbered are scored as before, but for the rounding of sums in another order.
    #[test]
    fn a_permutation_of_servers_permutes_scores(
        seen in seen(),
        order in Just((0..8usize).collect::<Vec<_>>()).prop_shuffle(),
        seed in any::<u64>(),
        (exchange, graph) in any::<(bool, bool)>(),
    ) {
        let (network, without) = (network(seed), Without { exchange, graph });
        let mut other = seen.clone();
        let layout = Arc::make_mut(&mut other.layout);
        for (to, &from) in order.iter().enumerate() {
            layout.racks[to] = seen.layout.racks[from];
            other.servers[to] = seen.servers[from];
            other.groups[2 * to..2 * to + 2].copy_from_slice(&seen.groups[2 * from..2 * from + 2]);
        }
        let all = |seen: &Observation| {
            let encoded = network.encode(seen, without);
            (network.values(seen, &encoded), network.scores(seen, &encoded, 0, &choices()))
        };
        let ((values, before), (same, after)) = (all(&seen), all(&other));
        let close = |a: f32, b: f32| (a - b).abs() <= 1e-4;
        prop_assert!(values.iter().zip(same).all(|(&a, b)| close(a, b)));
        for (to, &from) in order.iter().enumerate() {
            for group in 0..2 {
                prop_assert!(close(before[2 * from + group], after[2 * to + group]));
            }
        }
        prop_assert!(close(before[16], after[16]) && close(before[17], after[17]));
    }

    #[test]
    fn what_is_written_is_read(seed in any::<u64>()) {
        let network = network(seed);
        prop_assert_eq!(Network::of_safetensors(&network.to_safetensors()), Ok(network));
    }

    /// Bytes changed or cut off are refused or read, and never more than that.
    #[test]
    fn a_broken_file_does_no_harm(at in 0usize..3000, byte: u8, cut in 0usize..80_000) {
        let mut file = network(1).to_safetensors();
        file[at] = byte;
        let _ = Network::of_safetensors(&file);
        file.truncate(cut);
        let _ = Network::of_safetensors(&file);
    }
}

#[test]
fn it_is_small_and_all_of_it_matters() {
    assert_eq!(PARAMETERS, 17_972);
    assert!(network(1).to_safetensors().len() < 100_000);
    let mut rng = proptest::test_runner::TestRunner::deterministic();
    let seen = seen().new_tree(&mut rng).expect("one").current();
    let scores = |network: &Network| {
        let encoded = network.encode(&seen, Without::default());
        let scores = network.scores(&seen, &encoded, 0, &choices());
        (network.values(&seen, &encoded), scores)
    };
    let mut network = network(3);
    // So that ReLU hides nothing.
    for layer in &mut network.layers {
        layer
            .weights
            .iter_mut()
            .for_each(|weight| *weight = weight.abs() * f32x4::splat(0.3));
    }
    let before = scores(&network);
    for (at, (name, inputs, outputs)) in LAYERS.into_iter().enumerate() {
        for input in 0..inputs {
            let mut other = network.clone();
            let four = input * outputs.div_ceil(4);
            other.layers[at].weights[four] += f32x4::new([0.5, 0.0, 0.0, 0.0]);
            assert_ne!(scores(&other), before, "{name}, input {input}");
        }
    }
}

#[test]
fn what_is_no_network_is_told_why() {
    let file = network(1).to_safetensors();
    let text = |from: &str, to: &str| {
        let (from, to) = (from.as_bytes(), to.as_bytes());
        let at = file.windows(from.len()).position(|at| at == from);
        let at = at.expect("it is there");
        let mut file = file.clone();
        file[at..at + to.len()].copy_from_slice(to);
        Network::of_safetensors(&file)
            .expect_err("it is another")
            .to_string()
    };
    let last = file.len();
    let mut astray = file.clone();
    astray[last - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = Network::of_safetensors(&astray)
        .expect_err("NaN")
        .to_string();
    assert!(
        error.contains("'wait.1.weight' has a value that is not a finite number"),
        "{error}"
    );
    for (from, to, why) in [
        ("group.weight", "grouq.weight", "'group.weight' is missing"),
        ("F32", "I32", "' holds I32, and has to hold F32"),
        ("[16,30]", "[30,16]", "is [30, 16], and has to be [16, 30]"),
        (
            "\"data_offsets\":[0,",
            "\"data_offsets\":[4,",
            "does not begin where the one before it ends",
        ),
        (
            "\"shape\"",
            "\"shap\"\"",
            "no file of safetensors: its header",
        ),
    ] {
        let error = text(from, to);
        assert!(error.contains(why), "{error}");
    }
    let error = Network::of_safetensors(&file[..last - 4])
        .expect_err("cut off")
        .to_string();
    assert!(error.contains("ends too early"), "{error}");
    let error = Network::of_safetensors(b"hello")
        .expect_err("short")
        .to_string();
    assert!(error.contains("ends too early"), "{error}");
}

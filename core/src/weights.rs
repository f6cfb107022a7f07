//! What was learned, and what of it is shipped with placements. That is part of the programs that ask for it
//! here, and of no page: that one fetches the same files.

pub use switchyard_run::Weights;
pub use switchyard_tensors::{NetworkError, NoWeightsChoice, WeightsChoice, WeightsId};

/// Each in a file of its own, which says what it was trained for.
const SHIPPED: &[&[u8]] = &[
    include_bytes!("../weights/graph-rl.safetensors"),
    include_bytes!("../weights/graph-rl-one-agent.safetensors"),
    include_bytes!("../weights/graph-rl-no-exchange.safetensors"),
    include_bytes!("../weights/graph-rl-no-graph.safetensors"),
];

/// All that are shipped.
pub fn shipped() -> Weights {
    let mut weights = Weights::default();
    for file in SHIPPED {
        let added = weights.add_shipped(file);
        debug_assert_eq!(added, Ok(()));
    }
    weights
}

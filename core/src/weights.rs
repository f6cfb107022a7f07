//! The weights that are shipped with placements that have learned. They are part of the programs that ask
//! for them here, and of no page: that one fetches the same files.

use crate::placement::graph_rl::Weights;

/// Each in a file of its own, which says what it was trained for.
const SHIPPED: [&[u8]; 4] = [
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

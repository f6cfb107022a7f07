//! FGD and its rivals against the means of the paper's simulator, on Alibaba's openb nodes and pods.
//!
//! These are not in this repository: `SWITCHYARD_TRACES` names their folder.

use std::path::PathBuf;
use switchyard::sharing::{Curve, OPENB, PUBLISHED, Packer, inflate};
use switchyard::trace::{SourceFile, read_fleet};

/// Percentage points by which means over ten seeds may differ: arrivals are drawn by another
/// generator.
const ALLOCATION: f64 = 0.5;
const FRAGMENTATION: f64 = 2.0;

#[test]
#[ignore = "needs SWITCHYARD_TRACES"]
fn ten_seeds_are_as_published() {
    let folder = std::env::var_os("SWITCHYARD_TRACES");
    let folder = PathBuf::from(folder.expect("SWITCHYARD_TRACES names the folder of traces"));
    let read = |path: &str| std::fs::read(folder.join(path)).expect("the list is in the folder");
    let nodes = read("fgd/openb_node_list_gpu_node.csv");
    let pods = read("alibaba-v2023/openb_pod_list_default.csv");
    let file = |name, bytes| SourceFile { name, bytes };
    let fleet = read_fleet(file("nodes", &nodes), file("pods", &pods)).expect("both are lists");
    assert_eq!((fleet.machines.len(), fleet.pods.len()), OPENB);
    for packer in Packer::ALL {
        let curves: Vec<Curve> = (0..10).map(|seed| inflate(&fleet, packer, seed)).collect();
        let mean = Curve::mean_of(&curves);
        let ours = (mean.figures(130).allocation, mean.figures(80).fragmentation);
        let published = PUBLISHED.iter().find(|(name, _)| *name == packer.name);
        let (_, published) = published.expect("every packer was published");
        println!("{}: {ours:?}, published {published:?}", packer.name);
        assert!(
            (ours.0 - published.allocation).abs() <= ALLOCATION,
            "{}",
            packer.name
        );
        assert!(
            (ours.1 - published.fragmentation).abs() <= FRAGMENTATION,
            "{}",
            packer.name
        );
    }
}

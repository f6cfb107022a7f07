//! Clusters of published experiments, by name.

/// A published cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterPreset {
    /// A word that stands for it, as in `--cluster gavel`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What it is.
    pub title: &'static str,
}

const fn preset(name: &'static str, text: &'static str, title: &'static str) -> ClusterPreset {
    ClusterPreset { name, text, title }
}

/// Every preset, in the order shown to a person.
pub const CLUSTERS: &[ClusterPreset] = &[
    preset("tiresias", "15x4", "15 × 4: Tiresias' testbed (60 P100)"),
    preset("pollux", "16x4", "16 × 4: Pollux' testbed (64 T4)"),
    preset("muri", "8x8", "8 × 8: Muri's (64 GPUs)"),
    preset(
        "tiresias-sim",
        "32x4",
        "32 × 4: Tiresias' simulator default",
    ),
    preset("venus", "144x8", "144 × 8: Helios' Venus"),
    preset(
        "sia",
        "6x4:t4+3x8:2080ti+2x8:a100",
        "Sia's: 24 T4, 24 RTX 2080 Ti, 16 A100",
    ),
    preset(
        "gavel",
        "9x4:v100+9x4:p100+9x4:k80",
        "Gavel's: 36 V100, 36 P100, 36 K80",
    ),
    preset(
        "dgx1",
        "16x8:v100/racks=4",
        "16 DGX-1 in 4 racks (128 V100)",
    ),
    preset(
        "data-centre",
        "128x8/cores=56/partitions=4/racks=16",
        "128 × 8 in 4 partitions, 16 racks: the graph placer's data centre",
    ),
    preset(
        "openb",
        "549x8:g2/cores=96/memory=384+39x8:g3/cores=128/memory=768+7x8:v100-16/cores=64/memory=256+1x8:v100-16/cores=82/memory=336+21x8:v100-32/cores=96/memory=768+17x4:t4/cores=96/memory=384+28x4:v100-16/cores=32/memory=128+9x4:v100-32/cores=48/memory=368+2x2:p100/cores=8/memory=60+107x2:p100/cores=16/memory=120+22x2:p100/cores=64/memory=256+387x2:t4/cores=104/memory=512+2x1:a10/cores=128/memory=1024+3x1:p100/cores=8/memory=60+19x1:v100-16/cores=8/memory=32",
        "FGD's: Alibaba's 1,213 nodes of 2023 (6,212 GPUs)",
    ),
];

impl ClusterPreset {
    /// The preset of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CLUSTERS.iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterSpec;

    #[test]
    fn each_is_a_cluster_that_prints_as_it_stands_here() {
        for preset in CLUSTERS {
            let cluster: ClusterSpec = preset.text.parse().expect(preset.name);
            assert_eq!(cluster.to_string(), preset.text);
            assert!(preset.name.parse::<ClusterSpec>().is_err());
        }
        let openb: ClusterSpec = CLUSTERS[CLUSTERS.len() - 1].text.parse().expect("openb");
        assert_eq!((openb.nodes(), openb.gpus()), (1_213, 6_212));
    }
}

//! How much of what is left cannot be used: the fragmentation of a machine is the GPU time that pods
//! drawn from the typical ones could not use, in expectation.
//!
//! To a pod that a machine can take, GPUs with less left than its share are fragments; to one that
//! it cannot take, or that asks for none, all its GPUs are. Source: §3 of the paper.

use super::Pod;
use crate::order;
use std::collections::BTreeMap;

/// What pods typically ask for, and how often. Memory plays no part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typical {
    groups: Vec<Group>,
    /// How many of the pods ask for no GPU: to them, all GPUs are fragments.
    without: u64,
    /// How many pods these are.
    pods: u64,
}

/// Pods that differ only in their cores.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    share: u16,
    gpus: u32,
    types: u64,
    /// The cores asked for, ascending, and how many pods ask for as many or fewer.
    cores: Vec<(u32, u64)>,
    pods: u64,
}

/// The most frequent demands are typical, until they make up this part of all pods, in hundredths.
const POPULARITY: u64 = 95;

impl Typical {
    /// The typical ones of these pods.
    pub fn of(pods: &[Pod]) -> Self {
        let mut counts: BTreeMap<Pod, u64> = BTreeMap::new();
        for pod in pods {
            *counts.entry(Pod { memory: 0, ..*pod }).or_default() += 1;
        }
        let mut counts: Vec<(u64, Pod)> = counts.into_iter().map(|(pod, n)| (n, pod)).collect();
        order::sort_by(&mut counts, |a, b| b.cmp(a));
        let enough = pods.len() as u64 * POPULARITY;
        let mut typical = Self::default();
        let mut groups: BTreeMap<(u16, u32, u64), Vec<(u32, u64)>> = BTreeMap::new();
        for (count, pod) in counts {
            if typical.pods * 100 >= enough {
                break;
            }
            typical.pods += count;
            if pod.gpus == 0 {
                typical.without += count;
            } else {
                let group = groups.entry((pod.share, pod.gpus, pod.types));
                group.or_default().push((pod.cores, count));
            }
        }
        for ((share, gpus, types), mut cores) in groups {
            order::sort(&mut cores);
            let mut pods = 0;
            for (_, count) in &mut cores {
                pods += *count;
                *count = pods;
            }
            typical.groups.push(Group {
                share,
                gpus,
                types,
                cores,
                pods,
            });
        }
        typical
    }

    /// How many pods they stand for, at least 1.
    pub fn total(&self) -> f64 {
        self.pods.max(1) as f64
    }

    /// The fragments of a machine with so much left: thousandths of a GPU, times
    /// [`total`](Self::total), as a whole number so that sums are exact.
    pub fn fragments(&self, left: &[u16], cores: u32, gpu_type: Option<u8>) -> u64 {
        let all: u64 = left.iter().map(|&left| u64::from(left)).sum();
        if all == 0 {
            return 0;
        }
        let mut fragments = self.without * all;
        for group in &self.groups {
            let (mut gpus, mut small) = (0, 0);
            for &left in left {
                if left >= group.share {
                    gpus += 1;
                } else {
                    small += u64::from(left);
                }
            }
            let allowed = Pod {
                cores: 0,
                share: group.share,
                gpus: group.gpus,
                types: group.types,
                memory: 0,
            }
            .allows(gpu_type);
            let served = if allowed && gpus >= group.gpus {
                let within = group.cores.partition_point(|&(asked, _)| asked <= cores);
                within.checked_sub(1).map_or(0, |last| group.cores[last].1)
            } else {
                0
            };
            fragments += served * small + (group.pods - served) * all;
        }
        fragments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(cores: u32, gpus: u32, share: u16, types: u64) -> Pod {
        Pod {
            cores,
            share,
            gpus,
            types,
            memory: 0,
        }
    }

    #[test]
    fn what_typical_pods_cannot_use() {
        let mut pods = vec![pod(4, 1, 500, 0); 50];
        pods.extend(vec![pod(8, 2, 1000, 0); 30]);
        pods.extend(vec![pod(1, 0, 0, 0); 10]);
        pods.extend(vec![pod(1, 1, 1000, 0b10); 10]);
        let typical = Typical::of(&pods);
        assert_eq!(typical.total(), 100.0);
        let fragments = |left: &[u16], cores, gpu_type| {
            typical.fragments(left, cores, gpu_type) as f64 / typical.total()
        };
        // A pair of idle GPUs is a fragment only to pods without GPUs and of another type.
        assert_eq!(fragments(&[1000, 1000], 8, Some(0)), 400.0);
        assert_eq!(fragments(&[1000, 1000], 8, Some(1)), 200.0);
        // Too few cores for the pods of two GPUs, then for all.
        assert_eq!(fragments(&[1000, 1000], 7, Some(1)), 800.0);
        assert_eq!(fragments(&[1000, 1000], 0, Some(1)), 2000.0);
        // 0.3 of a GPU is too little for the shares, and one whole GPU for the pods of two.
        assert_eq!(
            fragments(&[300, 1000], 8, Some(1)),
            0.5 * 300.0 + 0.4 * 1300.0 + 0.1 * 300.0
        );
        assert_eq!(fragments(&[0, 0], 8, Some(1)), 0.0);
    }

    #[test]
    fn rare_demands_are_not_typical() {
        let mut pods = vec![pod(4, 1, 500, 0); 95];
        pods.extend((0..5).map(|cores| pod(cores, 1, 1000, 0)));
        assert_eq!(Typical::of(&pods).total(), 95.0);
        pods.truncate(94);
        pods.extend((0..6).map(|cores| pod(cores, 1, 1000, 0)));
        assert_eq!(Typical::of(&pods).total(), 95.0);
    }
}

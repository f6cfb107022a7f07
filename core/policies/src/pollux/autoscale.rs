//! Goodput-based autoscaling of a cluster rented by the node (OSDI'21 §5.3.3 and Fig. 9).
//!
//! The utility of a cluster is what its GPUs give of what each would give alone:
//! Σ_j goodput_j(a_j) / goodput_j(1 GPU), over all GPUs; for one job, goodput(a) / K over
//! goodput(1). It falls as nodes are added, and rises through training as larger batches become
//! efficient. Above U the cluster grows, to where the utility is about L. Throughput would ask for
//! the same number of nodes from beginning to end.

/// When a cluster changes its size, and to which.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autoscaling {
    /// U: grow above this utility.
    pub grow_above: f64,
    /// Shrink below this utility; 0: never.
    pub shrink_below: f64,
    /// L: the utility to come near.
    pub target: f64,
    /// Fewest nodes, at least 1.
    pub min_nodes: u32,
    /// Most nodes.
    pub max_nodes: u32,
}

impl Autoscaling {
    /// As in the paper's Fig. 9: U = 2/3, L = 1/2, and no way back.
    pub fn paper(max_nodes: u32) -> Self {
        Self {
            grow_above: 2.0 / 3.0,
            shrink_below: 0.0,
            target: 0.5,
            min_nodes: 1,
            max_nodes,
        }
    }

    /// As released in `AdaptDL`: a band from 0.35 to 0.65, back to its middle on either side.
    pub fn band(min_nodes: u32, max_nodes: u32) -> Self {
        Self {
            grow_above: 0.65,
            shrink_below: 0.35,
            target: 0.5,
            min_nodes,
            max_nodes,
        }
    }

    /// How many nodes there should be, if there are `nodes` now. `utility(n)` is the cluster's
    /// with n nodes and must not rise with n: a binary search asks for few of them.
    pub fn nodes(&self, nodes: u32, mut utility: impl FnMut(u32) -> f64) -> u32 {
        let fewest = self.min_nodes.max(1);
        let most = self.max_nodes.max(fewest);
        let nodes = nodes.clamp(fewest, most);
        let now = utility(nodes);
        let (mut enough, mut end) = if now > self.grow_above {
            (nodes, most + 1)
        } else if now < self.shrink_below {
            (fewest, nodes)
        } else {
            return nodes;
        };
        // The most nodes with at least the target's utility, and the next: the nearer of the two.
        while end - enough > 1 {
            let middle = enough + (end - enough) / 2;
            if utility(middle) >= self.target {
                enough = middle;
            } else {
                end = middle;
            }
        }
        let next = enough + 1;
        let over = utility(enough) - self.target;
        if next <= most && over > 0.0 && self.target - utility(next) < over {
            next
        } else {
            enough
        }
    }
}

/// Utility of a cluster of `nodes` × `gpus` that trains one job on all its GPUs;
/// `goodput(nodes, replicas)` at the best batch size. 0 if the job cannot run on one GPU.
pub fn utility_of_one(nodes: u32, gpus: u32, mut goodput: impl FnMut(u32, u32) -> f64) -> f64 {
    let replicas = nodes * gpus;
    utility([(goodput(nodes, replicas), goodput(1, 1))], replicas)
}

/// Utility of a cluster of so many GPUs, from each job's goodput as placed and on one GPU.
pub fn utility(jobs: impl IntoIterator<Item = (f64, f64)>, gpus: u32) -> f64 {
    let speedup: f64 = jobs
        .into_iter()
        .map(|(placed, alone)| if alone > 0.0 { placed / alone } else { 0.0 })
        .sum();
    speedup / f64::from(gpus.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// utility(n) = 1/n^0.3: 0.66 at 4 nodes, 0.5 at 10.08.
    fn falling(nodes: u32) -> f64 {
        libm::pow(f64::from(nodes), -0.3)
    }

    #[test]
    fn it_grows_above_u_to_about_l() {
        let rule = Autoscaling::paper(64);
        assert_eq!(rule.nodes(3, falling), 10);
        assert_eq!(rule.nodes(4, falling), 4);
        assert_eq!(rule.nodes(30, falling), 30);
        assert_eq!(Autoscaling::paper(6).nodes(1, falling), 6);
        assert_eq!(rule.nodes(0, |_| 1.0), 64);
        // Nearer to L from below: 0.7 on 4 nodes, 0.49 on 5.
        assert_eq!(rule.nodes(1, |n| if n < 5 { 0.7 } else { 0.49 }), 5);
    }

    #[test]
    fn a_band_also_shrinks() {
        let rule = Autoscaling::band(2, 64);
        assert_eq!(rule.nodes(40, falling), 10);
        assert_eq!(rule.nodes(12, falling), 12);
        assert_eq!(rule.nodes(40, |_| 0.1), 2);
    }

    /// Every size asked for from anywhere is in bounds, and no other size comes nearer to L.
    #[test]
    fn no_other_size_comes_nearer() {
        for exponent in [0.05, 0.2, 0.5, 0.9] {
            let falling = |n: u32| libm::pow(f64::from(n), -exponent);
            for from in 1..=32 {
                let to = Autoscaling::paper(32).nodes(from, falling);
                if to != from {
                    let distance = |n: u32| (falling(n) - 0.5).abs();
                    assert!((from..=32).all(|n| distance(to) <= distance(n)));
                }
            }
        }
    }

    #[test]
    fn utility_is_goodput_per_gpu_over_that_of_one() {
        // 4 nodes × 2: goodput 20 on 8 GPUs, 5 on one.
        let goodput = |nodes: u32, k: u32| if (nodes, k) == (4, 8) { 20.0 } else { 5.0 };
        assert_eq!(utility_of_one(4, 2, goodput), 0.5);
        assert_eq!(utility([(6.0, 2.0), (4.0, 4.0), (1.0, 0.0)], 8), 0.5);
    }
}

//! Optimus+Oracle, Pollux' baseline (Peng et al., EuroSys'18 §4.1, as OSDI'21 §5.1 runs it): the
//! batch size is fixed, and GPUs go one by one to the job that gains most time by its next.
//!
//! Every job gets one GPU, first come first served; then, while there are GPUs and somebody gains,
//! +1 to the greatest (T(k) − T(k+1)) × remaining iterations. T is the true step time and the
//! remaining iterations are true: an oracle. Jobs whose number did not change stay where they are;
//! the others, fewest GPUs first, take what is free on the emptiest node, then on the next.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A job as the rule sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// The most GPUs it can use: its batch size over the least of a GPU.
    pub max_replicas: u32,
    /// Iterations it still needs.
    pub remaining: f64,
}

/// A job's gain by its next GPU; of equal ones the first job's is the greater.
#[derive(Clone, Copy, Debug)]
struct Gain {
    seconds: f64,
    job: Reverse<usize>,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        self.seconds
            .total_cmp(&other.seconds)
            .then(self.job.cmp(&other.job))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gain {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gain {}

/// How many GPUs each job gets, of `gpus`; jobs in the order in which they came.
/// `step_time(job, k)` is the seconds of an iteration on k GPUs, packed.
pub fn replicas(
    gpus: u32,
    jobs: &[Demand],
    mut step_time: impl FnMut(usize, u32) -> f64,
) -> Vec<u32> {
    let mut free = gpus;
    let mut counts = vec![0; jobs.len()];
    let mut gains = BinaryHeap::with_capacity(jobs.len());
    let mut offer = |gains: &mut BinaryHeap<Gain>, job: usize, has: u32| {
        if has < jobs[job].max_replicas {
            let saved = step_time(job, has) - step_time(job, has + 1);
            let seconds = saved * jobs[job].remaining;
            if seconds > 0.0 {
                gains.push(Gain {
                    seconds,
                    job: Reverse(job),
                });
            }
        }
    };
    for (job, count) in counts.iter_mut().enumerate() {
        if free == 0 {
            break;
        }
        *count = 1;
        free -= 1;
        offer(&mut gains, job, 1);
    }
    while free > 0
        && let Some(Gain { job, .. }) = gains.pop()
    {
        let job = job.0;
        counts[job] += 1;
        free -= 1;
        offer(&mut gains, job, counts[job]);
    }
    counts
}

/// Where the jobs go: (node, GPUs) of each. `nodes` are the GPUs of each node, `current` what the
/// jobs hold, `counts` what they are to have, together no more than there is.
pub fn place(nodes: &[u32], counts: &[u32], current: &[Vec<(u32, u32)>]) -> Vec<Vec<(u32, u32)>> {
    let mut free = nodes.to_vec();
    let mut placed = vec![Vec::new(); counts.len()];
    for (job, parts) in current.iter().enumerate().take(counts.len()) {
        let held: u32 = parts.iter().map(|part| part.1).sum();
        if held == counts[job] {
            for &(node, gpus) in parts {
                if let Some(free) = free.get_mut(node as usize) {
                    *free = free.saturating_sub(gpus);
                }
            }
            placed[job].clone_from(parts);
        }
    }
    let mut order: Vec<usize> = (0..counts.len())
        .filter(|&job| placed[job].is_empty())
        .collect();
    order.sort_by_key(|&job| counts[job]);
    for job in order {
        let mut wanted = counts[job];
        while wanted > 0 {
            let emptiest = (0..free.len()).max_by_key(|&node| (free[node], Reverse(node)));
            let Some(node) = emptiest.filter(|&node| free[node] > 0) else {
                break;
            };
            let taken = wanted.min(free[node]);
            free[node] -= taken;
            wanted -= taken;
            placed[job].push((node as u32, taken));
        }
    }
    placed
}

/// What limits a fixed batch on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatchLimits {
    /// M0: the batch whose statistics one GPU can take without accumulation.
    pub initial: u32,
    /// Mmax.
    pub max: u32,
    /// The most a GPU holds.
    pub max_local: u32,
}

/// How a batch is split over k GPUs: samples per pass, and passes before the last (accumulation).
/// `reference` keeps the artifact's rule, by which a single GPU always accumulates; otherwise it
/// does so only above M0, where gradient statistics need two passes.
pub fn split(batch: u32, k: u32, limits: BatchLimits, reference: bool) -> (u32, u32) {
    let k = k.max(1);
    let local = batch.div_ceil(k);
    let mut accumulation = local.div_ceil(limits.max_local.max(1)).max(1) - 1;
    if k == 1 && accumulation == 0 && (reference || local > limits.initial) {
        accumulation = 1;
    }
    let most = limits.max / (k * (accumulation + 1));
    (local.div_ceil(accumulation + 1).min(most), accumulation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn demand(max_replicas: u32, remaining: f64) -> Demand {
        Demand {
            max_replicas,
            remaining,
        }
    }

    /// T = 12/k and 6/k, 10 iterations: the second GPU saves 60 s or 30 s, the third 20 s or 10 s.
    #[test]
    fn the_next_gpu_goes_where_most_time_is_saved() {
        let jobs = [demand(8, 10.0), demand(8, 10.0)];
        let time = |job: usize, k: u32| [12.0, 6.0][job] / f64::from(k);
        assert_eq!(replicas(1, &jobs, time), [1, 0]);
        assert_eq!(replicas(2, &jobs, time), [1, 1]);
        assert_eq!(replicas(3, &jobs, time), [2, 1]);
        assert_eq!(replicas(4, &jobs, time), [2, 2]);
        assert_eq!(replicas(5, &jobs, time), [3, 2]);
    }

    #[test]
    fn nobody_gets_what_does_not_help() {
        let slower = |_: usize, k: u32| if k > 3 { 5.0 } else { 4.0 / f64::from(k) };
        assert_eq!(replicas(100, &[demand(50, 1.0)], slower), [3]);
        assert_eq!(replicas(100, &[demand(2, 1.0)], slower), [2]);
        assert_eq!(replicas(100, &[demand(50, 0.0)], slower), [1]);
    }

    #[test]
    fn equal_numbers_stay_and_others_take_the_emptiest_node() {
        // The second leaves node 1; the third, with fewer GPUs, is placed before it.
        let current = [vec![(0, 2)], vec![(1, 4)], vec![]];
        let placed = place(&[4, 4, 4], &[2, 6, 1], &current);
        assert_eq!(placed, [vec![(0, 2)], vec![(2, 4), (1, 2)], vec![(1, 1)]]);
    }

    /// deepspeech2's limits: M0 20, Mmax 640, 80 a GPU.
    #[test]
    fn a_batch_is_split_as_in_the_artifact() {
        let limits = BatchLimits {
            initial: 20,
            max: 640,
            max_local: 80,
        };
        assert_eq!(split(320, 6, limits, true), (54, 0));
        assert_eq!(split(320, 3, limits, true), (54, 1));
        assert_eq!(split(320, 1, limits, true), (80, 3));
        // At M0 on one GPU, only the reference accumulates.
        assert_eq!(split(20, 1, limits, true), (10, 1));
        assert_eq!(split(20, 1, limits, false), (20, 0));
        assert_eq!(split(60, 1, limits, false), (30, 1));
        // 640 over 12: 54 a GPU, of which Mmax lets 53 pass.
        assert_eq!(split(640, 12, limits, true), (53, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// All GPUs go to those who gain; nobody gets more than the most; everyone is placed.
        #[test]
        fn every_gpu_is_given_once(
            nodes in prop::collection::vec(1..=8_u32, 1..10),
            jobs in prop::collection::vec((1..=20_u32, 1..100_u32), 1..20),
        ) {
            let demands: Vec<_> = jobs.iter().map(|&(max, left)| demand(max, f64::from(left))).collect();
            let total: u32 = nodes.iter().sum();
            let counts = replicas(total, &demands, |_, k| 1.0 / f64::from(k));
            let wanted: u32 = demands.iter().map(|demand| demand.max_replicas).sum();
            prop_assert_eq!(counts.iter().sum::<u32>(), total.min(wanted));
            prop_assert!(counts.iter().zip(&demands).all(|(&k, demand)| k <= demand.max_replicas));
            let placed = place(&nodes, &counts, &vec![Vec::new(); counts.len()]);
            let mut used = vec![0; nodes.len()];
            for (parts, &count) in placed.iter().zip(&counts) {
                prop_assert_eq!(parts.iter().map(|part| part.1).sum::<u32>(), count);
                parts.iter().for_each(|part| used[part.0 as usize] += part.1);
            }
            prop_assert!(used.iter().zip(&nodes).all(|(used, all)| used <= all));
        }
    }
}

//! From GPUs of a type to its nodes, as Sia's artifact does it. In: how many GPUs each job has. Out: the node of
//! every one of them.
//!
//! Jobs are taken by falling number of GPUs. A cursor moves on over the nodes and wraps: a job first takes the free
//! nodes that it fills, and what is left from wherever the cursor then finds free GPUs. So a job may straddle nodes.

/// The nodes of the GPUs of each job, in the order of `jobs`, on `nodes` free nodes of `gpus_per_node` each. A job
/// that is not given as much as it asks for has fewer, which happens only where all ask for more than there is.
pub fn place(jobs: &[u32], nodes: u32, gpus_per_node: u32) -> Vec<Vec<u32>> {
    let mut placed = vec![Vec::new(); jobs.len()];
    let mut free = vec![gpus_per_node; nodes as usize];
    if nodes == 0 || gpus_per_node == 0 {
        return placed;
    }
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&job| std::cmp::Reverse(jobs[job]));
    let mut cursor = 0;
    for job in order {
        let mut left = jobs[job];
        let mut whole = left / gpus_per_node;
        let mut take = |free: &mut Vec<u32>, at: usize, most: u32| {
            let taken = most.min(free[at]);
            free[at] -= taken;
            placed[job].extend(std::iter::repeat_n(at as u32, taken as usize));
            taken
        };
        for _ in 0..nodes {
            if whole == 0 {
                break;
            }
            if free[cursor] == gpus_per_node {
                left -= take(&mut free, cursor, gpus_per_node);
                whole -= 1;
            }
            cursor = (cursor + 1) % free.len();
        }
        for _ in 0..nodes {
            if left == 0 {
                break;
            }
            left -= take(&mut free, cursor, left);
            cursor = (cursor + 1) % free.len();
        }
    }
    placed
}

/// GPUs per node, node by node, of a list of GPUs' nodes: neighbours in the list on one node are counted together.
pub fn counts(nodes: &[u32]) -> Vec<u32> {
    let runs = nodes.chunk_by(|a, b| a == b);
    runs.map(|run| run.len() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_nodes_first_then_what_is_left() {
        // Once it has placed two the cursor wraps to node 0, where nothing is free, and comes back to node 2.
        let eight = vec![0, 0, 0, 0, 1, 1, 1, 1];
        assert_eq!(place(&[2, 8, 1], 3, 4), [vec![2, 2], eight, vec![2]]);
    }

    #[test]
    fn a_job_may_straddle() {
        assert_eq!(
            place(&[3, 3, 2], 2, 4),
            [vec![0, 0, 0], vec![1, 1, 1], vec![0, 1]]
        );
        assert_eq!(counts(&[0, 0, 0, 1]), [3, 1]);
        assert!(counts(&[]).is_empty());
    }

    #[test]
    fn no_more_than_there_is() {
        assert_eq!(place(&[4, 4], 1, 4), [vec![0; 4], vec![]]);
        assert_eq!(place(&[1], 0, 4), [Vec::<u32>::new()]);
    }
}

//! The placement of Pollux' simulator: jobs whose number of GPUs did not change stay where they are;
//! the others, fewest GPUs first, take what is free on the emptiest node, then on the next.

use crate::cluster::Part;
use crate::order;
use std::cmp::Reverse;

/// Where the jobs go: (node, GPUs) of each. `nodes` are the GPUs of each node, `current` what the
/// jobs hold, `counts` what they are to have, together no more than there is.
pub(super) fn place(nodes: &[u32], counts: &[u32], current: &[Vec<Part>]) -> Vec<Vec<Part>> {
    let mut free = nodes.to_vec();
    let mut placed = vec![Vec::new(); counts.len()];
    for (job, parts) in current.iter().enumerate().take(counts.len()) {
        let held = Part::gpus_of(parts);
        if held == counts[job] {
            for &Part { node, gpus, .. } in parts {
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
    order::sort_by_key(&mut order, |&job| counts[job]);
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
            placed[job].push(Part::new(node as u32, taken));
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_stay_and_others_take_the_emptiest_node() {
        // The second leaves node 1; the third, with fewer GPUs, is placed before it.
        let part = Part::new;
        let current = [vec![part(0, 2)], vec![part(1, 4)], vec![]];
        let placed = place(&[4, 4, 4], &[2, 6, 1], &current);
        let expected = [
            vec![part(0, 2)],
            vec![part(2, 4), part(1, 2)],
            vec![part(1, 1)],
        ];
        assert_eq!(placed, expected);
    }
}

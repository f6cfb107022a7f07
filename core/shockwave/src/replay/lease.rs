//! Which GPUs the jobs of a round have: wider gangs first; a job keeps its former ones where they are free, else it
//! has the lowest.

/// A job of the round: its GPUs of the last round, if any, how many it takes, and whether it may have new ones.
pub(super) struct Wish<'a> {
    pub(super) former: &'a [usize],
    pub(super) gpus: usize,
    pub(super) may_move: bool,
}

/// GPUs for each of the wishes, of so many; none where a job may not have new ones.
pub(super) fn assign(wishes: &[Wish<'_>], gpus: usize) -> Vec<Vec<usize>> {
    let mut taken = vec![false; gpus];
    let mut given = vec![Vec::new(); wishes.len()];
    let mut widths: Vec<usize> = wishes.iter().map(|wish| wish.gpus).collect();
    widths.sort_unstable_by(|a, b| b.cmp(a));
    widths.dedup();
    for width in widths {
        let of_width = || {
            wishes
                .iter()
                .enumerate()
                .filter(|(_, wish)| wish.gpus == width)
        };
        for (at, wish) in of_width() {
            if !wish.former.is_empty() && wish.former.iter().all(|&gpu| !taken[gpu]) {
                wish.former.iter().for_each(|&gpu| taken[gpu] = true);
                given[at] = wish.former.to_vec();
            }
        }
        for (at, wish) in of_width() {
            if given[at].is_empty() && wish.may_move {
                let free = (0..gpus).filter(|&gpu| !taken[gpu]);
                given[at] = free.take(wish.gpus).collect();
                given[at].iter().for_each(|&gpu| taken[gpu] = true);
            }
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_gangs_first_and_former_gpus_where_free() {
        let wish = |former, gpus, may_move| Wish {
            former,
            gpus,
            may_move,
        };
        let wishes = [
            wish(&[2][..], 1, true),
            wish(&[0][..], 1, true),
            wish(&[], 2, true),
            wish(&[], 1, false),
        ];
        let given = assign(&wishes, 4);
        assert_eq!(given, [vec![2], vec![3], vec![0, 1], vec![]]);
    }
}

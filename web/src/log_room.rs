//! How the page's runs share the memory that there is for logs: it is one pool, from which each draws as its
//! log grows, so that a run which needs little leaves the rest to the others. Whoever has begun is sure of
//! what its jobs take if each runs once: where there is no room for all, the first of the list come to their
//! ends and the others do not begin, instead of all of them ending halfway.

/// What others than a run have of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// What its log takes, bytes.
    pub(crate) bytes: u64,
    /// Whether it grows.
    pub(crate) is_under_way: bool,
}

/// How long the log of a run may become beside others; `once`: what one takes if each job runs once.
pub(crate) fn room(pool: u64, once: u64, others: impl Iterator<Item = Part>) -> u64 {
    let taken = others.map(|of| match of.is_under_way {
        true => of.bytes.max(once),
        false => of.bytes,
    });
    pool.saturating_sub(taken.sum())
}

/// Why a run does not begin for which the others leave no room; none if they do, or it has all there is.
pub(crate) fn refused(pool: u64, once: u64, room: u64) -> Option<String> {
    (room < once.min(pool)).then(|| {
        format!(
            "its log takes about {} MB, and the others leave {} MB to it; take fewer jobs, such as a window of the trace",
            megabytes(once),
            room / 1_000_000
        )
    })
}

fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}

/// What a full log is told with: `remedy` says what of the policy or the jobs helps, and this what of the page
/// does. `others`: what the other logs take; `chosen`: whether a person has chosen the budget.
pub(crate) fn remedies(own: u64, others: u64, for_jobs: bool, chosen: bool) -> String {
    let mut remedies = String::new();
    if !chosen && others > own / 2 {
        remedies.push_str(&format!(
            "remove other schedulers, whose logs take {} MB, or ",
            megabytes(others)
        ));
    }
    remedies.push_str("raise the log budget (Cluster, More)");
    if for_jobs {
        remedies.push_str(", or run all of it with the command line");
    }
    remedies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn others(of: &[(u64, bool)]) -> impl Iterator<Item = Part> {
        of.iter().map(|&(bytes, is_under_way)| Part {
            bytes,
            is_under_way,
        })
    }

    #[test]
    fn what_some_do_not_need_is_left_to_the_others() {
        let of = [(10, false), (5, false), (20, false)];
        assert_eq!(room(512, 8, others(&of)), 512 - 35);
        let seven = [(16, true); 7];
        assert_eq!(room(512, 16, others(&seven)), 512 - 7 * 16);
    }

    #[test]
    fn where_not_all_fit_the_first_comes_to_its_end() {
        assert_eq!(room(500, 300, others(&[])), 500);
        let beside_the_first = room(500, 300, others(&[(100, true)]));
        assert_eq!(beside_the_first, 200);
        assert!(refused(500, 300, beside_the_first).is_some());
        // Once the first is over it needs no more than it has.
        assert_eq!(room(500, 300, others(&[(180, false)])), 320);
        assert_eq!(refused(500, 300, 320), None);
        assert_eq!(room(500, 300, others(&[(600, false)])), 0);
        // Alone it shows as much as there is room for.
        assert_eq!(refused(500, 900, 500), None);
    }

    #[test]
    fn a_full_log_is_told_with_what_helps_alone() {
        assert_eq!(
            remedies(200_000_000, 300_000_000, true, false),
            "remove other schedulers, whose logs take 300 MB, or raise the log budget (Cluster, More), or run all of it with the command line"
        );
        for (others, chosen) in [(1_000_000, false), (300_000_000, true), (0, false)] {
            let text = remedies(200_000_000, others, false, chosen);
            assert_eq!(text, "raise the log budget (Cluster, More)");
        }
        assert_eq!(
            refused(537_000_000, 285_000_000, 252_000_000).as_deref(),
            Some(
                "its log takes about 285 MB, and the others leave 252 MB to it; take fewer jobs, such as a window of the trace"
            )
        );
    }
}

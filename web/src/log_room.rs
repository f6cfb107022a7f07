//! How the page's runs share the memory that there is for logs: it is one pool, from which each draws as its
//! log grows, so that a run which needs little leaves the rest to the others. Whoever is under way is sure of
//! what its jobs take at least before those behind it in the list: where there is no room for all, the first
//! come to their ends and the last are ended early, instead of all of them halfway.

/// A run's part of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// What its log takes, bytes.
    pub(crate) bytes: u64,
    /// Whether it grows.
    pub(crate) is_under_way: bool,
}

/// How long the log may become of the run at a place in the list of all; `least`: what one takes at least.
pub(crate) fn room(pool: u64, least: u64, runs: &[Part], at: usize) -> u64 {
    let of_others = runs.iter().enumerate().filter(|(of, _)| *of != at);
    let taken = of_others.map(|(of, run)| match run.is_under_way && of < at {
        true => run.bytes.max(least),
        false => run.bytes,
    });
    pool.saturating_sub(taken.sum())
}

/// What a full log is told with: `remedy` says what of the policy or the jobs helps, and this what of the page
/// does. `others`: what the other logs take; `chosen`: whether a person has chosen the budget.
pub(crate) fn ways(own: u64, others: u64, for_jobs: bool, chosen: bool) -> String {
    let mut ways = String::new();
    if !chosen && others > own / 2 {
        let megabytes = others.div_ceil(1_000_000);
        ways.push_str(&format!(
            "remove other schedulers, whose logs take {megabytes} MB, or "
        ));
    }
    ways.push_str("raise the log budget (Cluster, More)");
    if for_jobs {
        ways.push_str(", or run all of it with the command line");
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(of: &[(u64, bool)]) -> Vec<Part> {
        let parts = of.iter().map(|&(bytes, is_under_way)| Part {
            bytes,
            is_under_way,
        });
        parts.collect()
    }

    #[test]
    fn what_some_do_not_need_is_left_to_the_others() {
        let runs = parts(&[(10, false), (5, false), (400, true), (20, false)]);
        assert_eq!(room(512, 8, &runs, 2), 512 - 35);
        // Eight at once need not be of one size.
        let eight = parts(&[(16, true); 8]);
        assert_eq!(room(512, 16, &eight, 7), 512 - 7 * 16);
    }

    #[test]
    fn where_not_all_fit_the_first_comes_to_its_end() {
        let runs = parts(&[(100, true), (100, true)]);
        assert_eq!(room(500, 300, &runs, 0), 400);
        assert_eq!(room(500, 300, &runs, 1), 200);
        // Once the first is over it needs no more than it has.
        let runs = parts(&[(310, false), (180, true)]);
        assert_eq!(room(500, 300, &runs, 1), 190);
        assert_eq!(room(500, 300, &parts(&[(600, false), (0, true)]), 1), 0);
    }

    #[test]
    fn a_full_log_is_told_with_what_helps_alone() {
        assert_eq!(
            ways(200_000_000, 300_000_000, true, false),
            "remove other schedulers, whose logs take 300 MB, or raise the log budget (Cluster, More), or run all of it with the command line"
        );
        for (others, chosen) in [(1_000_000, false), (300_000_000, true), (0, false)] {
            let told = ways(200_000_000, others, false, chosen);
            assert_eq!(told, "raise the log budget (Cluster, More)");
        }
    }
}

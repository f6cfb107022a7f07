//! Gavel's linear programs (Narayanan et al., OSDI'20 §4): which share of the time each job is to run
//! on each type of GPU, alone or beside another. In: jobs, how fast they are where, how many GPUs
//! there are. Out: shares of time.
//!
//! Jobs that are alike are one group, for there is an optimum that gives all of them the same: so a
//! program has as many rows as there are groups, not jobs, and pairs of groups instead of pairs of
//! jobs. Variables are GPU-free: the time that all jobs of a group run somewhere together.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};

/// Alike jobs.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// How many.
    pub(super) jobs: u32,
    /// GPUs of each.
    pub(super) gpus: u32,
    /// How fast each is alone, by type of GPU; 0 where it cannot run.
    pub(super) speeds: Vec<f64>,
    /// What each is to have of speed, relative to what others are to; > 0.
    pub(super) needs: f64,
}

/// A job of one group beside a job of another, or of the same, on one GPU.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// Of which groups.
    pub(super) groups: [usize; 2],
    /// On which type.
    pub(super) pool: usize,
    /// What each keeps of its speed alone.
    pub(super) keeps: [f64; 2],
}

/// Shares of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shares {
    /// How long a job of each group is to run alone on each type.
    pub(super) alone: Vec<Vec<f64>>,
    /// How long any two particular jobs of each [`Pair`] are to run together.
    pub(super) paired: Vec<f64>,
}

/// What a program maximises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// The least of speed ÷ needs over all jobs.
    LeastSpeed,
    /// The sum of all speeds.
    Sum,
}

/// Of all allocations with the best least speed the one with the highest speeds is taken: they count
/// so much.
const TIE: f64 = 1e-3;

/// The best shares on so many GPUs of each type, and the goal's value; `None`: the solver found none,
/// which numbers alone can cause, since everybody may wait.
pub(super) fn best(
    goal: Goal,
    groups: &[Group],
    pairs: &[Pair],
    gpus: &[u32],
) -> Option<(Shares, f64)> {
    let all = groups
        .iter()
        .map(|group| f64::from(group.jobs))
        .sum::<f64>();
    let worth = |group: &Group| match goal {
        Goal::LeastSpeed => TIE / (group.needs * all),
        Goal::Sum => 1.0,
    };
    let time = (0.0, f64::INFINITY);
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let least = (goal == Goal::LeastSpeed).then(|| problem.add_var(1.0, time));
    let alone: Vec<Vec<Option<Variable>>> = groups
        .iter()
        .map(|group| {
            let variable =
                |&speed: &f64| (speed > 0.0).then(|| problem.add_var(worth(group) * speed, time));
            group.speeds.iter().map(variable).collect()
        })
        .collect();
    let speed =
        |pair: &Pair, side: usize| groups[pair.groups[side]].speeds[pair.pool] * pair.keeps[side];
    let paired: Vec<Variable> = pairs
        .iter()
        .map(|pair| {
            let sides = [0, 1].map(|side| worth(&groups[pair.groups[side]]) * speed(pair, side));
            problem.add_var(sides.iter().sum(), time)
        })
        .collect();
    for (at, group) in groups.iter().enumerate() {
        let (mut speeds, mut times) = (LinearExpr::empty(), LinearExpr::empty());
        for (variable, speed) in alone[at].iter().zip(&group.speeds) {
            if let &Some(variable) = variable {
                speeds.add(variable, *speed);
                times.add(variable, 1.0);
            }
        }
        for (pair, &variable) in pairs.iter().zip(&paired) {
            // Two of the same group run twice.
            let of_both = match pair.groups.map(|of| of == at) {
                [false, false] => continue,
                [true, true] => [speed(pair, 0) + speed(pair, 1), 2.0],
                [true, false] => [speed(pair, 0), 1.0],
                [false, true] => [speed(pair, 1), 1.0],
            };
            speeds.add(variable, of_both[0]);
            times.add(variable, of_both[1]);
        }
        let jobs = f64::from(group.jobs);
        if let Some(least) = least {
            speeds.add(least, -group.needs * jobs);
            problem.add_constraint(speeds, ComparisonOp::Ge, 0.0);
        }
        problem.add_constraint(times, ComparisonOp::Le, jobs);
    }
    for (pool, &there) in gpus.iter().enumerate() {
        let mut taken = LinearExpr::empty();
        for (group, variables) in groups.iter().zip(&alone) {
            if let Some(&Some(variable)) = variables.get(pool) {
                taken.add(variable, f64::from(group.gpus));
            }
        }
        for (pair, &variable) in pairs.iter().zip(&paired) {
            if pair.pool == pool {
                taken.add(variable, f64::from(groups[pair.groups[0]].gpus));
            }
        }
        problem.add_constraint(taken, ComparisonOp::Le, f64::from(there));
    }
    let solution = problem.solve().ok()?;
    let share = |variable: Variable, among: f64| {
        let share = solution[variable] / among;
        // Rounding leaves tiny ones, of either sign.
        if share > 1e-9 { share.min(1.0) } else { 0.0 }
    };
    let alone = alone.iter().zip(groups).map(|(variables, group)| {
        let share = |&variable: &Option<Variable>| {
            variable.map_or(0.0, |variable| share(variable, f64::from(group.jobs)))
        };
        variables.iter().map(share).collect()
    });
    let paired = pairs.iter().zip(&paired).map(|(pair, &variable)| {
        let [a, b] = pair.groups.map(|of| f64::from(groups[of].jobs));
        let couples = if pair.groups[0] == pair.groups[1] {
            a * (a - 1.0) / 2.0
        } else {
            a * b
        };
        share(variable, couples.max(1.0))
    });
    let shares = Shares {
        alone: alone.collect(),
        paired: paired.collect(),
    };
    Some((
        shares,
        least.map_or_else(|| solution.objective(), |least| solution[least]),
    ))
}

/// How fast a job of each group is under these shares.
pub(super) fn speeds(shares: &Shares, groups: &[Group], pairs: &[Pair]) -> Vec<f64> {
    let alone = groups.iter().zip(&shares.alone).map(|(group, shares)| {
        let parts = group.speeds.iter().zip(shares);
        parts.map(|(speed, share)| speed * share).sum()
    });
    let mut speeds: Vec<f64> = alone.collect();
    for (pair, share) in pairs.iter().zip(&shares.paired) {
        let same = pair.groups[0] == pair.groups[1];
        for side in [0, 1] {
            let (of, other) = (pair.groups[side], pair.groups[1 - side]);
            // Each of two in one group is on either side of half of the couples.
            let others = f64::from(groups[other].jobs);
            let couples = if same { (others - 1.0) / 2.0 } else { others };
            let speed = groups[of].speeds[pair.pool] * pair.keeps[side];
            speeds[of] += speed * share * couples;
        }
    }
    speeds
}

/// What is asked of finish-time fairness, beside a [`Group`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Finish {
    /// Seconds since a job of the group was submitted.
    pub(super) elapsed: f64,
    /// Seconds of work left, at speed 1.
    pub(super) remaining: f64,
    /// Seconds that it would take in all on its n-th part of the cluster.
    pub(super) isolated: f64,
}

/// The shares with the least of the greatest ρ = (elapsed + remaining ÷ speed) ÷ isolated (§4.2), to a
/// hundredth, and that ρ. For one ρ it is a linear program; which is the least is found by halving.
pub(super) fn fairest(
    groups: &[Group],
    finish: &[Finish],
    pairs: &[Pair],
    gpus: &[u32],
) -> Option<(Shares, f64)> {
    let rho = |shares: &Shares| {
        let speeds = speeds(shares, groups, pairs);
        let each = speeds
            .iter()
            .zip(finish)
            .map(|(&speed, of)| (of.elapsed + of.remaining / speed.max(1e-12)) / of.isolated);
        each.fold(0.0, f64::max)
    };
    // No share gives more than everything.
    let bounds = groups.iter().zip(finish).map(|(group, of)| {
        let fastest = group.speeds.iter().fold(1e-12, |a: f64, &b| a.max(b));
        (of.elapsed + of.remaining / fastest) / of.isolated
    });
    let mut low = bounds.fold(0.0, f64::max);
    let needs = |rho: f64| {
        let mut groups = groups.to_vec();
        for (group, of) in groups.iter_mut().zip(finish) {
            group.needs = of.remaining / (rho * of.isolated - of.elapsed);
        }
        best(Goal::LeastSpeed, &groups, pairs, gpus)
    };
    let mut found: Option<(Shares, f64)> = None;
    for _ in 0..20 {
        let tried = match &found {
            None => low * 2.0,
            Some((_, high)) if *high <= low * 1.01 => break,
            Some((_, high)) => libm::sqrt(low * high),
        };
        let (shares, least) = needs(tried)?;
        if least < 1.0 {
            low = tried;
        }
        // Whatever it is, it is within reach.
        let reached = rho(&shares);
        if found.as_ref().is_none_or(|(_, best)| reached < *best) {
            found = Some((shares, reached));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group(speeds: &[f64], needs: f64) -> Group {
        Group {
            jobs: 1,
            gpus: 1,
            speeds: speeds.to_vec(),
            needs,
        }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    /// §4.1's example: three jobs on a V100 and a K80.
    #[test]
    fn the_papers_example() {
        let throughputs = [[40.0, 10.0], [12.0, 4.0], [100.0, 50.0]];
        let groups = throughputs.map(|of| group(&of, of.iter().sum::<f64>() / 3.0));
        let (shares, least) = best(Goal::LeastSpeed, &groups, &[], &[1, 1]).expect("solved");
        let published = [[0.45, 0.0], [0.45, 0.09], [0.09, 0.91]];
        for (shares, published) in shares.alone.iter().zip(published) {
            for (share, published) in shares.iter().zip(published) {
                assert!(
                    (share - published).abs() < 0.01,
                    "{share} is not {published}"
                );
            }
        }
        // About a tenth more than an equal share gives, to each.
        for (speed, group) in speeds(&shares, &groups, &[]).iter().zip(&groups) {
            near(speed / group.needs, least);
            assert!((1.08..1.1).contains(&least), "{least}");
        }
    }

    #[test]
    fn alike_types_are_water_filling() {
        // Two single-GPU jobs and one of two GPUs on two GPUs: GPU-time is shared equally.
        let mut large = group(&[1.0], 0.5);
        large.gpus = 2;
        let mut small = group(&[1.0], 1.0);
        small.jobs = 2;
        let (shares, _) = best(Goal::LeastSpeed, &[small, large], &[], &[2]).expect("solved");
        near(shares.alone[0][0], 2.0 / 3.0);
        near(shares.alone[1][0], 1.0 / 3.0);
    }

    #[test]
    fn sums_go_to_the_fastest() {
        let groups = [group(&[4.0, 2.0], 1.0), group(&[3.0, 2.5], 1.0)];
        let (shares, sum) = best(Goal::Sum, &groups, &[], &[1, 1]).expect("solved");
        near(sum, 6.5);
        assert_eq!(shares.alone, [[1.0, 0.0], [0.0, 1.0]]);
    }

    #[test]
    fn makespan_is_a_least_speed() {
        // 300 s and 100 s of work on one GPU: 400 s.
        let groups = [group(&[1.0], 300.0), group(&[1.0], 100.0)];
        let (shares, least) = best(Goal::LeastSpeed, &groups, &[], &[1]).expect("solved");
        near(1.0 / least, 400.0);
        near(shares.alone[0][0], 0.75);
    }

    #[test]
    fn together_where_it_pays() {
        // Two jobs on one GPU: apart each has half; together 0.8 each.
        let mut two = group(&[1.0], 1.0);
        two.jobs = 2;
        let pair = |keep| {
            [Pair {
                groups: [0, 0],
                pool: 0,
                keeps: [keep, keep],
            }]
        };
        let (shares, least) = best(
            Goal::LeastSpeed,
            std::slice::from_ref(&two),
            &pair(0.8),
            &[1],
        )
        .expect("solved");
        near(least, 0.8);
        near(shares.paired[0], 1.0);
        near(
            speeds(&shares, std::slice::from_ref(&two), &pair(0.8))[0],
            0.8,
        );
        let (shares, least) = best(
            Goal::LeastSpeed,
            std::slice::from_ref(&two),
            &pair(0.4),
            &[1],
        )
        .expect("solved");
        near(least, 0.5);
        near(shares.paired[0], 0.0);
    }

    #[test]
    fn finish_times_are_as_fair_as_can_be() {
        // Alike jobs on one GPU, the second of which has waited: ρ is the same for both.
        let groups = [group(&[1.0], 1.0), group(&[1.0], 1.0)];
        let finish = [
            Finish {
                elapsed: 0.0,
                remaining: 100.0,
                isolated: 200.0,
            },
            Finish {
                elapsed: 50.0,
                remaining: 100.0,
                isolated: 200.0,
            },
        ];
        let (shares, rho) = fairest(&groups, &finish, &[], &[1]).expect("solved");
        // 1/a + 1/b with a + b = 1 and 100/a = 50 + 100/b: a = 0.4384, ρ = 1.1404.
        assert!((rho - 1.1404).abs() < 0.012, "{rho}");
        assert!(shares.alone[1][0] > shares.alone[0][0]);
    }

    proptest! {
        #[test]
        fn shares_fit(
            jobs in prop::collection::vec((1u32..5, 1u32..5, [0.0..2.0f64, 0.05..2.0, 0.0..2.0], 0.01..50.0f64), 1..12),
            keep in 0.1..1.0f64,
            gpus in [4u32..20, 4u32..20, 0u32..20],
        ) {
            let groups: Vec<Group> = jobs.iter().map(|&(jobs, gpus, speeds, needs)| Group {
                jobs, gpus, speeds: speeds.to_vec(), needs,
            }).collect();
            let mut pairs = Vec::new();
            for a in 0..groups.len() {
                for b in a..groups.len() {
                    if groups[a].gpus == groups[b].gpus && (a != b || groups[a].jobs > 1) {
                        pairs.push(Pair { groups: [a, b], pool: 1, keeps: [keep, 1.0 - keep / 2.0] });
                    }
                }
            }
            for goal in [Goal::LeastSpeed, Goal::Sum] {
                let (shares, value) = best(goal, &groups, &pairs, &gpus).expect("solved");
                prop_assert!(value >= 0.0);
                let mut used = [0.0; 3];
                let mut time: Vec<f64> = Vec::new();
                for (group, shares) in groups.iter().zip(&shares.alone) {
                    for (used, share) in used.iter_mut().zip(shares) {
                        *used += share * f64::from(group.jobs * group.gpus);
                    }
                    time.push(shares.iter().sum());
                }
                for (pair, share) in pairs.iter().zip(&shares.paired) {
                    let [a, b] = pair.groups;
                    let [n, m] = [a, b].map(|of| f64::from(groups[of].jobs));
                    let couples = if a == b { n * (n - 1.0) / 2.0 } else { n * m };
                    used[1] += share * couples * f64::from(groups[a].gpus);
                    if a == b {
                        time[a] += share * (n - 1.0);
                    } else {
                        time[a] += share * m;
                        time[b] += share * n;
                    }
                }
                for (used, gpus) in used.iter().zip(gpus) {
                    prop_assert!(*used <= f64::from(gpus) + 1e-6, "{used} of {gpus}");
                }
                prop_assert!(time.iter().all(|&time| time <= 1.0 + 1e-6), "{time:?}");
                if goal == Goal::LeastSpeed {
                    for (speed, group) in speeds(&shares, &groups, &pairs).iter().zip(&groups) {
                        prop_assert!(speed / group.needs >= value - 1e-6 * value.max(1.0) - 1e-7 / group.needs);
                    }
                }
            }
        }
    }
}

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
    let share = |variable: Variable, among: f64| share_of(solution[variable], among);
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

/// The shares where types are all equally fast: the least of time ÷ needs is as great as can be, then the next least,
/// and so on, so that nobody waits for ever while others have more than their part. No type is better than another, so
/// everybody has time on all that they may use, as evenly as there is room; a corner of the program would give some
/// a type of their own.
pub(super) fn alike(groups: &[Group], gpus: &[u32]) -> Option<Shares> {
    // What a job has in all, once it cannot have more.
    let mut fixed: Vec<Option<f64>> = vec![None; groups.len()];
    while fixed.contains(&None) {
        let mut program = Times::new(groups, gpus, OptimizationDirection::Maximize, None);
        let level = program.problem.add_var(1.0, (0.0, f64::INFINITY));
        for (at, group) in groups.iter().enumerate() {
            match fixed[at] {
                Some(time) => program.at_least(at, time, None),
                None => program.at_least(at, 0.0, Some((level, group.needs))),
            }
        }
        let level = program.problem.solve().ok()?[level];
        let at_level = |at: usize| fixed[at].unwrap_or(groups[at].needs * level);
        let mut stuck: Vec<(usize, f64)> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        for at in (0..groups.len()).filter(|&at| fixed[at].is_none()) {
            match at_level(at) >= 1.0 - NEAR {
                true => stuck.push((at, 1.0)),
                false => free.push(at),
            }
        }
        if stuck.is_empty() {
            for &at in &free {
                let mut program =
                    Times::new(groups, gpus, OptimizationDirection::Maximize, Some(at));
                for other in 0..groups.len() {
                    program.at_least(other, at_level(other), None);
                }
                let most = program.problem.solve().ok()?.objective() / f64::from(groups[at].jobs);
                if most <= at_level(at) + NEAR {
                    stuck.push((at, at_level(at)));
                }
            }
        }
        if stuck.is_empty() {
            stuck = free.iter().map(|&at| (at, at_level(at))).collect();
        }
        for (at, time) in stuck {
            fixed[at] = Some(time);
        }
    }
    let mut program = Times::new(groups, gpus, OptimizationDirection::Minimize, None);
    let uneven = program.problem.add_var(1.0, (0.0, f64::INFINITY));
    for (at, group) in groups.iter().enumerate() {
        let time = fixed[at].unwrap_or(0.0);
        program.at_least(at, time, None);
        let allowed = group
            .speeds
            .iter()
            .zip(gpus)
            .filter(|(speed, _)| **speed > 0.0);
        let allowed: f64 = allowed.map(|(_, &gpus)| f64::from(gpus)).sum();
        for (pool, variable) in program.on[at].iter().enumerate() {
            let even = f64::from(group.jobs) * time * f64::from(gpus[pool]) / allowed;
            if let &Some(variable) = variable {
                let mut more = LinearExpr::empty();
                more.add(variable, 1.0);
                more.add(uneven, -even);
                program.problem.add_constraint(more, ComparisonOp::Le, 0.0);
            }
        }
    }
    let solution = program.problem.solve().ok()?;
    let alone = program.on.iter().zip(groups).map(|(variables, group)| {
        let share = |&variable: &Option<Variable>| {
            variable.map_or(0.0, |of| share_of(solution[of], f64::from(group.jobs)))
        };
        variables.iter().map(share).collect()
    });
    Some(Shares {
        alone: alone.collect(),
        paired: Vec::new(),
    })
}

/// Times that are closer are the same.
const NEAR: f64 = 1e-6;

/// A program of how long all jobs of a group run on each type, within what there is.
struct Times {
    problem: Problem,
    /// By group and type.
    on: Vec<Vec<Option<Variable>>>,
    jobs: Vec<f64>,
}

impl Times {
    /// `most`: whose time is to be the most.
    fn new(
        groups: &[Group],
        gpus: &[u32],
        direction: OptimizationDirection,
        most: Option<usize>,
    ) -> Self {
        let mut problem = Problem::new(direction);
        let on: Vec<Vec<Option<Variable>>> = (groups.iter().enumerate())
            .map(|(at, group)| {
                let worth = if most == Some(at) { 1.0 } else { 0.0 };
                let variable = |&speed: &f64| {
                    (speed > 0.0).then(|| problem.add_var(worth, (0.0, f64::INFINITY)))
                };
                group.speeds.iter().map(variable).collect()
            })
            .collect();
        for (pool, &there) in gpus.iter().enumerate() {
            let mut taken = LinearExpr::empty();
            for (group, variables) in groups.iter().zip(&on) {
                if let Some(&Some(variable)) = variables.get(pool) {
                    taken.add(variable, f64::from(group.gpus));
                }
            }
            problem.add_constraint(taken, ComparisonOp::Le, f64::from(there));
        }
        let mut program = Self {
            problem,
            on,
            jobs: groups.iter().map(|group| f64::from(group.jobs)).collect(),
        };
        for at in 0..groups.len() {
            let all = program.all(at);
            let jobs = program.jobs[at];
            program.problem.add_constraint(all, ComparisonOp::Le, jobs);
        }
        program
    }

    /// The time of a group on all types.
    fn all(&self, group: usize) -> LinearExpr {
        let mut all = LinearExpr::empty();
        for variable in self.on[group].iter().copied().flatten() {
            all.add(variable, 1.0);
        }
        all
    }

    /// A job of a group has so much time, and so many times as much as a variable is.
    fn at_least(&mut self, group: usize, time: f64, times: Option<(Variable, f64)>) {
        let jobs = self.jobs[group];
        let mut all = self.all(group);
        if let Some((variable, times)) = times {
            all.add(variable, -times * jobs);
        }
        // What rounding may have made too much is still within reach.
        let time = jobs * time * (1.0 - 1e-9);
        self.problem.add_constraint(all, ComparisonOp::Ge, time);
    }
}

/// The part that each of `among` has of a time. Rounding leaves tiny ones, of either sign.
fn share_of(time: f64, among: f64) -> f64 {
    let share = time / among;
    if share > 1e-9 { share.min(1.0) } else { 0.0 }
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

    /// Jobs of one GPU, of four and of eight on 36 + 36 + 36: a program that looks at the least alone may leave those
    /// of eight an eighth of the time, and all of it on one type.
    #[test]
    fn where_types_are_alike_nobody_is_left_with_the_least_or_with_one_type() {
        let of = |jobs: u32, gpus: u32| Group {
            jobs,
            gpus,
            speeds: vec![1.0; 3],
            needs: 1.0 / f64::from(gpus),
        };
        let groups = [of(30, 1), of(10, 4), of(5, 8)];
        let shares = alike(&groups, &[36, 36, 36]).expect("solved");
        // 30 and 40 GPUs for who has all of the time; 38 are left for 40.
        for (shares, all) in shares.alone.iter().zip([1.0, 1.0, 0.95]) {
            for share in shares {
                near(share * 3.0, all);
            }
        }
        // Above what there is all have the same GPU-time.
        let groups = [of(100, 1), of(10, 4), of(5, 8)];
        let shares = alike(&groups, &[36, 36, 36]).expect("solved");
        for (shares, gpus) in shares.alone.iter().zip([1.0, 4.0, 8.0]) {
            near(shares.iter().sum::<f64>() * gpus, 108.0 / 115.0);
        }
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
        /// Whoever has less than all of the time finds all types full that it may use, and the least has as much as
        /// it can.
        #[test]
        fn alike_shares_are_fair_and_leave_nothing(
            jobs in prop::collection::vec((1u32..5, 1u32..5, [0u8..2, 1u8..2, 0u8..2], 0.05..1.0f64), 1..8),
            gpus in [4u32..20, 4u32..20, 0u32..20],
        ) {
            let groups: Vec<Group> = jobs.iter().map(|&(jobs, gpus, speeds, needs)| Group {
                jobs, gpus, speeds: speeds.map(f64::from).to_vec(), needs,
            }).collect();
            let shares = alike(&groups, &gpus).expect("solved");
            let mut left = gpus.map(f64::from);
            for (group, shares) in groups.iter().zip(&shares.alone) {
                for (left, share) in left.iter_mut().zip(shares) {
                    *left -= share * f64::from(group.jobs * group.gpus);
                }
            }
            prop_assert!(left.iter().all(|&left| left >= -1e-5), "{left:?}");
            let times: Vec<f64> = shares.alone.iter().map(|of| of.iter().sum()).collect();
            for (group, &time) in groups.iter().zip(&times) {
                prop_assert!(time <= 1.0 + 1e-6);
                let mut may = group.speeds.iter().zip(&left).filter(|(speed, _)| **speed > 0.0);
                prop_assert!(time >= 1.0 - 1e-5 || may.all(|(_, &left)| left <= 1e-4), "{time} {left:?}");
            }
            let least = groups.iter().zip(&times).map(|(group, time)| time / group.needs);
            let least = least.fold(f64::INFINITY, f64::min);
            let (_, best) = best(Goal::LeastSpeed, &groups, &[], &gpus).expect("solved");
            prop_assert!((least - best).abs() <= 1e-4 * best.max(1.0), "{least} {best}");
        }

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

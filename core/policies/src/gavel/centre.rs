//! Of all allocations with the best least speed the one in their middle, where Gavel's released simulator ends: its
//! interior-point solver follows the central path. In: jobs, how fast they are where, how many GPUs there are. Out: shares
//! of time, of jobs alone.
//!
//! The path is that of the logarithmic barrier, by Newton's steps (Boyd and Vandenberghe, Convex Optimization, §11.3).

use super::allocation::{Group, Shares};

/// How much the least speed counts beside the barrier: at first, at most, and from one to the next.
const FIRST: f64 = 10.0;
const LAST: f64 = 1e7;
const FACTOR: f64 = 15.0;

/// Newton's steps at most for each.
const STEPS: u32 = 12;

/// What has to stay above 0: Σ coefficient · variable + constant. Its logarithm counts so much.
struct Slack {
    of: Vec<(usize, f64)>,
    constant: f64,
    weight: f64,
}

impl Slack {
    fn at(&self, x: &[f64]) -> f64 {
        let sum: f64 = self.of.iter().map(|&(at, by)| by * x[at]).sum();
        sum + self.constant
    }
}

/// The variables are the shares of a job of each group on each type where it can run, and last the least speed ÷ needs.
struct Barrier {
    /// By variable: group and type.
    shares: Vec<(usize, usize)>,
    slacks: Vec<Slack>,
}

/// The shares in the middle of the best.
pub(super) fn centre(groups: &[Group], gpus: &[u32]) -> Shares {
    let barrier = Barrier::of(groups, gpus);
    let mut x = barrier.inside(groups, gpus);
    let mut counts = FIRST;
    while counts < LAST {
        for _ in 0..STEPS {
            if !barrier.step(&mut x, counts) {
                break;
            }
        }
        counts *= FACTOR;
    }
    let mut alone: Vec<Vec<f64>> = groups.iter().map(|of| vec![0.0; of.speeds.len()]).collect();
    for (&(group, pool), share) in barrier.shares.iter().zip(x) {
        alone[group][pool] = share.clamp(0.0, 1.0);
    }
    Shares {
        alone,
        paired: Vec::new(),
    }
}

impl Barrier {
    fn of(groups: &[Group], gpus: &[u32]) -> Self {
        let mut shares = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            for (pool, &speed) in group.speeds.iter().enumerate() {
                if speed > 0.0 {
                    shares.push((at, pool));
                }
            }
        }
        let least = shares.len();
        let mut slacks = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            // Alike jobs count each.
            let weight = f64::from(group.jobs);
            let (mut times, mut speeds) = (Vec::new(), Vec::new());
            for (variable, &(of, pool)) in shares.iter().enumerate() {
                if of == at {
                    slacks.push(Slack {
                        of: vec![(variable, 1.0)],
                        constant: 0.0,
                        weight,
                    });
                    times.push((variable, -1.0));
                    speeds.push((variable, group.speeds[pool] / group.needs));
                }
            }
            slacks.push(Slack {
                of: times,
                constant: 1.0,
                weight,
            });
            speeds.push((least, -1.0));
            slacks.push(Slack {
                of: speeds,
                constant: 0.0,
                weight,
            });
        }
        for (pool, &there) in gpus.iter().enumerate() {
            let mut of = Vec::new();
            for (variable, &(group, on)) in shares.iter().enumerate() {
                if on == pool {
                    let wanted = f64::from(groups[group].jobs * groups[group].gpus);
                    of.push((variable, -wanted / f64::from(there.max(1))));
                }
            }
            slacks.push(Slack {
                of,
                constant: 1.0,
                weight: 1.0,
            });
        }
        Self { shares, slacks }
    }

    /// Where all slacks are above 0.
    fn inside(&self, groups: &[Group], gpus: &[u32]) -> Vec<f64> {
        let wanted: f64 = groups.iter().map(|of| f64::from(of.jobs * of.gpus)).sum();
        let used = self.shares.iter().map(|&(_, pool)| gpus[pool]);
        let fewest = used.min().unwrap_or(1);
        let share = (0.5 / gpus.len() as f64).min(0.5 * f64::from(fewest) / wanted);
        let least = self.shares.len();
        let mut x = vec![share; least + 1];
        x[least] = 0.0;
        let speeds = self.slacks.iter();
        let speeds = speeds.filter(|slack| slack.of.iter().any(|&(at, _)| at == least));
        let slowest = speeds
            .map(|slack| slack.at(&x))
            .fold(f64::INFINITY, f64::min);
        x[least] = 0.5 * slowest;
        x
    }

    fn value(&self, x: &[f64], counts: f64) -> f64 {
        let mut sum = counts * x[self.shares.len()];
        for slack in &self.slacks {
            let left = slack.at(x);
            if left <= 0.0 {
                return f64::NEG_INFINITY;
            }
            sum += slack.weight * libm::log(left);
        }
        sum
    }

    /// One step of Newton's; whether it is worth another.
    fn step(&self, x: &mut Vec<f64>, counts: f64) -> bool {
        let mut gradient = vec![0.0; x.len()];
        gradient[self.shares.len()] = counts;
        let mut curvature: Vec<Vec<f64>> = (1..=x.len()).map(|row| vec![0.0; row]).collect();
        for slack in &self.slacks {
            let left = slack.at(x);
            let (first, second) = (slack.weight / left, slack.weight / (left * left));
            for &(row, by) in &slack.of {
                gradient[row] += first * by;
                for &(column, other) in slack.of.iter().filter(|(column, _)| *column <= row) {
                    curvature[row][column] += second * by * other;
                }
            }
        }
        factorise(&mut curvature);
        let mut towards = gradient;
        for row in 0..towards.len() {
            let known = curvature[row].iter().zip(&towards[..row]);
            let rest = known.fold(towards[row], |rest, (a, b)| rest - a * b);
            towards[row] = rest / curvature[row][row];
        }
        let decrement: f64 = towards.iter().map(|of| of * of).sum();
        for row in (0..towards.len()).rev() {
            let known = curvature[row + 1..].iter().zip(&towards[row + 1..]);
            let rest = known.fold(towards[row], |rest, (a, b)| rest - a[row] * b);
            towards[row] = rest / curvature[row][row];
        }
        let now = self.value(x, counts);
        let mut length = 1.0;
        for _ in 0..40 {
            let next: Vec<f64> = x
                .iter()
                .zip(&towards)
                .map(|(a, b)| a + length * b)
                .collect();
            if self.value(&next, counts) > now + 0.01 * length * decrement {
                *x = next;
                break;
            }
            length *= 0.5;
        }
        decrement >= 1e-3
    }
}

/// Cholesky's factor of a symmetric matrix, of which there is the lower half, in its place.
fn factorise(rows: &mut [Vec<f64>]) {
    for at in 0..rows.len() {
        let (above, below) = rows.split_at_mut(at);
        let Some(row) = below.first_mut() else { break };
        for (column, other) in above.iter().enumerate() {
            let known = row[..column].iter().zip(other);
            let rest = known.fold(row[column], |rest, (a, b)| rest - a * b);
            row[column] = rest / other[column];
        }
        let rest = row[..at].iter().fold(row[at], |rest, a| rest - a * a);
        row[at] = libm::sqrt(rest.max(1e-300));
    }
}

#[cfg(test)]
mod tests {
    use super::super::allocation::{Goal, best, speeds};
    use super::*;
    use proptest::prelude::*;

    fn group(jobs: u32, gpus: u32, speeds: &[f64]) -> Group {
        let needs = speeds.iter().sum::<f64>() / speeds.len() as f64 / f64::from(gpus);
        Group {
            jobs,
            gpus,
            speeds: speeds.to_vec(),
            needs,
        }
    }

    /// Two jobs on two types, equally fast, with room for four: each has as much here as there.
    #[test]
    fn the_middle_is_even() {
        let shares = centre(&[group(2, 1, &[1.0, 1.0])], &[2, 2]);
        let [here, there] = shares.alone[0][..] else {
            panic!("two types")
        };
        assert!(
            (here - 0.5).abs() < 1e-3 && (there - 0.5).abs() < 1e-3,
            "{shares:?}"
        );
    }

    proptest! {
        /// They fit, and the least speed is the best that there is.
        #[test]
        fn the_middle_is_one_of_the_best(
            jobs in prop::collection::vec((1u32..5, 1u32..5, [0.05..2.0f64, 0.05..2.0, 0.05..2.0]), 1..10),
            gpus in [4u32..20, 4u32..20, 4u32..20],
        ) {
            let groups: Vec<Group> = jobs.iter().map(|(jobs, gpus, speeds)| group(*jobs, *gpus, speeds)).collect();
            let shares = centre(&groups, &gpus);
            let mut left = gpus.map(f64::from);
            for (group, shares) in groups.iter().zip(&shares.alone) {
                prop_assert!(shares.iter().sum::<f64>() <= 1.0 + 1e-9);
                for (left, share) in left.iter_mut().zip(shares) {
                    *left -= share * f64::from(group.jobs * group.gpus);
                }
            }
            prop_assert!(left.iter().all(|&left| left >= -1e-9), "{left:?}");
            let each = speeds(&shares, &groups, &[]);
            let least = each.iter().zip(&groups).map(|(speed, group)| speed / group.needs);
            let least = least.fold(f64::INFINITY, f64::min);
            let (_, best) = best(Goal::LeastSpeed, &groups, &[], &gpus).expect("solved");
            prop_assert!(least >= best * (1.0 - 1e-3), "{least} of {best}");
        }
    }
}

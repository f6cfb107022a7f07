//! Gavel (OSDI'20) as Sia compares itself with it: the sum of throughputs as a linear program, and rounds that follow
//! its shares. In: the jobs of a round with their throughput on each type. Out: who gets which GPUs of which type.
//!
//! A job's priority on a type is its share there ÷ the part of the type's time it has had. All pairs of a job and a
//! type stand in one list, the highest first, and each job takes the first type where enough GPUs are left. Those of
//! no priority come last, in the order of types and jobs, and may take what is left as well.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};
use std::collections::BTreeMap;

use switchyard_model::order::by_value;
use switchyard_sia::configurations::NodeType;

/// A job in a round.
#[derive(Clone, Debug)]
pub struct Asking {
    /// What it is known by from round to round.
    pub id: usize,
    /// GPUs.
    pub gpus: u32,
    /// Iterations per second on each type.
    pub throughputs: Vec<f64>,
}

/// GPUs of a type: indices among its GPUs, node by node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The type.
    pub kind: usize,
    /// Which of its GPUs.
    pub gpus: Vec<u32>,
}

/// What Gavel remembers between rounds.
#[derive(Clone, Debug)]
pub struct Gavel {
    types: Vec<NodeType>,
    /// Seconds of a round.
    interval: f64,
    /// Seconds each job has had of each type; it begins with half a round.
    job_time: BTreeMap<usize, Vec<f64>>,
    /// The sum over all jobs that ever were.
    type_time: Vec<f64>,
    given: BTreeMap<usize, Given>,
}

impl Gavel {
    /// Gavel on a cluster, with rounds of `interval` seconds.
    pub fn new(types: &[NodeType], interval: f64) -> Self {
        Self {
            type_time: vec![0.0; types.len()],
            types: types.to_vec(),
            interval,
            job_time: BTreeMap::new(),
            given: BTreeMap::new(),
        }
    }

    /// Decides a round. Jobs that are not given anything are left out.
    pub fn round(&mut self, jobs: &[Asking]) -> &BTreeMap<usize, Given> {
        for job in jobs {
            if !self.job_time.contains_key(&job.id) {
                let half = self.interval / 2.0;
                self.job_time.insert(job.id, vec![half; self.types.len()]);
                self.type_time.iter_mut().for_each(|time| *time += half);
            }
        }
        let gpus: Vec<u32> = self.types.iter().map(NodeType::gpus).collect();
        let shares = shares(jobs, &gpus);
        let scheduled = self.follow(jobs, &shares, gpus);
        let mut given = BTreeMap::new();
        for (kind, mut scheduled) in scheduled.into_iter().enumerate() {
            scheduled.sort_by_key(|&job| std::cmp::Reverse(jobs[job].gpus));
            self.assign(kind, jobs, &scheduled, &mut given);
        }
        for (id, of) in &given {
            self.type_time[of.kind] += self.interval;
            if let Some(times) = self.job_time.get_mut(id) {
                times[of.kind] += self.interval;
            }
        }
        self.given = given;
        &self.given
    }

    /// For each type the jobs that run on it, by their place in `jobs`.
    fn follow(&self, jobs: &[Asking], shares: &[Vec<f64>], mut left: Vec<u32>) -> Vec<Vec<usize>> {
        let mut list: Vec<(f64, f64, usize, usize)> = Vec::new();
        for (kind, type_time) in self
            .types
            .iter()
            .enumerate()
            .zip(&self.type_time)
            .map(|((kind, _), time)| (kind, *time))
        {
            for (at, job) in jobs.iter().enumerate() {
                let share = shares[at][kind];
                let had = self.job_time.get(&job.id).map_or(0.0, |times| times[kind]);
                let part = had / type_time;
                let priority = if share > 0.0 { share / part } else { 0.0 };
                list.push((priority, share, kind, at));
            }
        }
        // Stable: of equals the order stays.
        list.sort_by(|a, b| by_value(&b.0, &a.0).then_with(|| by_value(&b.1, &a.1)));
        let mut runs = vec![false; jobs.len()];
        let mut scheduled = vec![Vec::new(); left.len()];
        for (_, _, kind, at) in list {
            let gpus = jobs[at].gpus;
            if !runs[at] && left[kind] > 0 && gpus <= left[kind] {
                left[kind] -= gpus;
                runs[at] = true;
                scheduled[kind].push(at);
            }
        }
        scheduled
    }

    /// GPUs of a type for its jobs, the widest first: those they had if they are free, else the lowest.
    fn assign(
        &self,
        kind: usize,
        jobs: &[Asking],
        scheduled: &[usize],
        given: &mut BTreeMap<usize, Given>,
    ) {
        let mut taken = vec![false; self.types[kind].gpus() as usize];
        for alike in scheduled.chunk_by(|&a, &b| jobs[a].gpus == jobs[b].gpus) {
            let mut rest = Vec::new();
            for &at in alike {
                let had = self.given.get(&jobs[at].id).filter(|had| had.kind == kind);
                match had {
                    Some(had) if had.gpus.iter().all(|&gpu| !taken[gpu as usize]) => {
                        had.gpus.iter().for_each(|&gpu| taken[gpu as usize] = true);
                        given.insert(jobs[at].id, had.clone());
                    }
                    _ => rest.push(at),
                }
            }
            for at in rest {
                let free = (0..taken.len()).filter(|&gpu| !taken[gpu]);
                let gpus: Vec<u32> = free
                    .take(jobs[at].gpus as usize)
                    .map(|gpu| gpu as u32)
                    .collect();
                gpus.iter().for_each(|&gpu| taken[gpu as usize] = true);
                given.insert(jobs[at].id, Given { kind, gpus });
            }
        }
    }
}

/// The shares of time that make the sum of throughputs largest, to five digits as the original rounds them: for
/// each job one per type. Jobs that are alike get the same.
pub fn shares(jobs: &[Asking], gpus: &[u32]) -> Vec<Vec<f64>> {
    // The original's solver ends within the face of all optima, where alike jobs are equal; a vertex would prefer
    // some of them. So they are one group.
    let mut groups: Vec<(&Asking, f64)> = Vec::new();
    let mut group_of = Vec::with_capacity(jobs.len());
    for job in jobs {
        let same =
            |(of, _): &(&Asking, f64)| of.gpus == job.gpus && of.throughputs == job.throughputs;
        let at = groups.iter().position(same).unwrap_or_else(|| {
            groups.push((job, 0.0));
            groups.len() - 1
        });
        groups[at].1 += 1.0;
        group_of.push(at);
    }
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let variables: Vec<Vec<Variable>> = groups
        .iter()
        .map(|(of, _)| {
            let variable = |&speed: &f64| problem.add_var(speed, (0.0, f64::INFINITY));
            of.throughputs.iter().map(variable).collect()
        })
        .collect();
    for (variables, (_, count)) in variables.iter().zip(&groups) {
        let mut row = LinearExpr::empty();
        variables
            .iter()
            .for_each(|&variable| row.add(variable, 1.0));
        problem.add_constraint(row, ComparisonOp::Le, *count);
    }
    for (kind, &gpus) in gpus.iter().enumerate() {
        let mut row = LinearExpr::empty();
        for (variables, (of, _)) in variables.iter().zip(&groups) {
            row.add(variables[kind], f64::from(of.gpus));
        }
        problem.add_constraint(row, ComparisonOp::Le, f64::from(gpus));
    }
    let Ok(solution) = problem.solve() else {
        // Nobody has a share; all run by the order of the list. Only numbers alone can cause it.
        return vec![vec![0.0; gpus.len()]; jobs.len()];
    };
    let of_group: Vec<Vec<f64>> = variables
        .iter()
        .zip(&groups)
        .map(|(variables, (_, count))| {
            let share = |&variable: &Variable| {
                let share = libm::rint(solution[variable] / count * 1e5) / 1e5;
                share.clamp(0.0, 1.0)
            };
            variables.iter().map(share).collect()
        })
        .collect();
    group_of
        .into_iter()
        .map(|at| of_group[at].clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(id: usize, gpus: u32, throughputs: [f64; 2]) -> Asking {
        Asking {
            id,
            gpus,
            throughputs: throughputs.to_vec(),
        }
    }

    #[test]
    fn alike_jobs_share_alike() {
        let jobs: Vec<Asking> = (0..4).map(|id| asking(id, 2, [1.0, 3.0])).collect();
        let shares = shares(&jobs, &[2, 4]);
        assert!(shares.iter().all(|of| *of == [0.25, 0.5]));
    }

    #[test]
    fn who_is_given_stays_where_it_is_and_all_have_their_turn() {
        let types = [NodeType::new("a", 1, 2)];
        let mut gavel = Gavel::new(&types, 360.0);
        let jobs: Vec<Asking> = (0..2)
            .map(|id| Asking {
                id,
                gpus: 2,
                throughputs: vec![1.0],
            })
            .collect();
        let turns: Vec<usize> = (0..6)
            .map(|_| *gavel.round(&jobs).keys().next().expect("one runs"))
            .collect();
        assert_eq!(turns, [0, 1, 0, 1, 0, 1]);
        let alone = gavel.round(&jobs[..1]).clone();
        assert_eq!(alone[&0].gpus, [0, 1]);
        assert_eq!(gavel.round(&jobs[..1]), &alone);
    }

    #[test]
    fn a_job_wider_than_all_waits() {
        let types = [NodeType::new("a", 1, 2), NodeType::new("b", 1, 4)];
        let mut gavel = Gavel::new(&types, 360.0);
        let jobs = [asking(0, 8, [0.1, 0.1]), asking(1, 1, [1.0, 2.0])];
        let given = gavel.round(&jobs);
        assert_eq!(given.keys().copied().collect::<Vec<_>>(), [1]);
        assert_eq!(given[&1].kind, 1);
    }
}

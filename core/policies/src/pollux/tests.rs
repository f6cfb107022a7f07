//! What holds for any round: repair gives what the cluster can give, and a search loses nothing.

use super::chance::below;
use super::genome::{ANY, Changes, FEW};
use super::mutate::Mutation;
use super::repair::Repair;
use super::search::Search;
use super::{
    Allocation, Candidate, Fitness, Node, Problem, ProblemError, SearchParameters, Stopped,
};
use crate::Rng;
use crate::cluster::Part;
use proptest::prelude::*;
use rand_xoshiro::rand_core::SeedableRng;

fn nodes(gpus: &[u32]) -> Vec<Node> {
    let node = |(key, &gpus): (usize, &u32)| Node {
        key: key as u32,
        gpus,
    };
    gpus.iter().enumerate().map(node).collect()
}

/// A job that has run for an hour.
fn job(key: u32, current: &[Part]) -> Candidate {
    Candidate {
        key,
        current: current.to_vec(),
        min_replicas: 1,
        max_replicas: 64,
        preemptible: true,
        started: true,
        profiled: true,
        attained: f64::from(key),
        age: 3600.0,
        restarts: 0,
        submit_order: key,
    }
}

/// Goodput that grows with K, less and less, and less over nodes.
fn goodput(job: usize, nodes: u32, replicas: u32) -> f64 {
    let exponent = 0.4 + 0.1 * (job % 6) as f64;
    let slower = if nodes > 1 { 0.8 } else { 1.0 };
    slower * libm::pow(f64::from(replicas), exponent)
}

fn problem(gpus: &[u32], jobs: &[Candidate], parameters: SearchParameters) -> Problem {
    Problem::new(&nodes(gpus), jobs, parameters, goodput).expect("a valid round")
}

fn rng(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// What is wrong with an allocation, if anything.
fn violation(
    gpus: &[u32],
    jobs: &[Candidate],
    parameters: &SearchParameters,
    allocation: &Allocation,
) -> Option<String> {
    let mut spanning = vec![0; gpus.len()];
    let mut used = vec![0; gpus.len()];
    for (i, job) in jobs.iter().enumerate() {
        let parts: Vec<_> = allocation.parts(i).collect();
        let replicas = allocation.replicas(i);
        for &Part { node, gpus, .. } in &parts {
            used[node as usize] += gpus;
            let is_pinned = !job.preemptible && !job.current.is_empty();
            spanning[node as usize] += u32::from(parts.len() > 1 && !is_pinned);
        }
        if !job.preemptible && !job.current.is_empty() {
            let mut current = job.current.clone();
            current.sort_unstable();
            if parts != current {
                return Some(format!("pinned job {i} was moved"));
            }
            continue;
        }
        if replicas > job.max_replicas || (replicas > 0 && replicas < job.min_replicas) {
            return Some(format!("job {i} has {replicas} GPUs"));
        }
        if parts.len() > parameters.max_nodes as usize {
            return Some(format!("job {i} is on {} nodes", parts.len()));
        }
    }
    for node in 0..gpus.len() {
        if used[node] > gpus[node] {
            return Some(format!(
                "node {node} gives {} of {}",
                used[node], gpus[node]
            ));
        }
        if parameters.avoidance && spanning[node] > 1 {
            return Some(format!("node {node} has {} spanning jobs", spanning[node]));
        }
    }
    None
}

/// Any cluster, any jobs on it, any settings.
fn rounds() -> impl Strategy<Value = (Vec<u32>, Vec<Candidate>, SearchParameters, u64)> {
    let sizes = prop_oneof![
        prop::collection::vec(1..=4_u32, 1..6),
        prop::collection::vec(0..=8_u32, 6..30),
        prop::collection::vec(Just(4), 1..80),
        prop::collection::vec(prop_oneof![Just(64), Just(1)], 1..8),
    ];
    let settings = (any::<bool>(), any::<bool>(), 1..=16_u32, 2..=4_u32);
    (sizes, 1..14_usize, settings, any::<u64>()).prop_map(
        |(gpus, count, (avoidance, reference, max_nodes, node_classes), seed)| {
            let mut rng = rng(seed);
            let mut left = gpus.clone();
            let mut taken_by_spanning = vec![false; gpus.len()];
            let mut jobs = Vec::new();
            for key in 0..count as u32 {
                let mut current: Vec<Part> = Vec::new();
                for _ in 0..below(&mut rng, 4) {
                    let node = below(&mut rng, gpus.len() as u32);
                    let free = left[node as usize];
                    let is_new = current.iter().all(|part| part.node != node);
                    if free > 0 && is_new && !taken_by_spanning[node as usize] {
                        let taken = 1 + below(&mut rng, free);
                        left[node as usize] -= taken;
                        current.push(Part::new(node, taken));
                    }
                }
                if current.len() > 1 {
                    for part in &current {
                        taken_by_spanning[part.node as usize] = true;
                    }
                }
                let min_replicas = 1 + below(&mut rng, 3);
                jobs.push(Candidate {
                    min_replicas,
                    max_replicas: min_replicas + below(&mut rng, 20),
                    preemptible: below(&mut rng, 4) > 0,
                    started: below(&mut rng, 2) > 0,
                    profiled: below(&mut rng, 5) > 0,
                    age: f64::from(below(&mut rng, 1000)),
                    restarts: below(&mut rng, 5),
                    attained: f64::from(below(&mut rng, 3)),
                    ..job(key, &current)
                });
            }
            let parameters = SearchParameters {
                avoidance,
                reference,
                max_nodes,
                node_classes,
                population: 20,
                generations: 12,
                ..SearchParameters::default()
            };
            (gpus, jobs, parameters, seed)
        },
    )
}

/// Everything stored of a genome follows from its GPUs.
fn is_consistent(problem: &Problem, found: &[u64]) -> bool {
    problem.genome(&problem.allocation(found)) == found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked for, repair makes of it what the cluster can give.
    #[test]
    fn repair_keeps_to_capacity_avoidance_and_caps((gpus, jobs, parameters, seed) in rounds()) {
        let problem = problem(&gpus, &jobs, parameters);
        let layout = problem.layout;
        let mut rng = rng(seed);
        let mut genome = problem.current.clone();
        let mut changes = Changes::new(layout.jobs);
        for (job, record) in genome.chunks_exact_mut(layout.record()).enumerate() {
            for (node, &most) in gpus.iter().enumerate() {
                if job >= problem.pinned && below(&mut rng, 3) == 0 {
                    layout.set(record, node, below(&mut rng, most + 1));
                }
            }
            layout.refresh_masks(record);
            changes.mark(job);
        }
        let (_, fitness) =
            Repair::new(&problem).settle::<ANY>(&problem, &mut genome, &mut changes, &mut rng);
        let allocation = problem.allocation(&genome);
        prop_assert_eq!(violation(&gpus, &jobs, &parameters, &allocation), None);
        prop_assert!(is_consistent(&problem, &genome));
        prop_assert_eq!(fitness, problem.fitness(&allocation));
    }

    /// Three rounds on end: allocations that can be given, no worse than what there was (where
    /// that may be kept), each generation's best no worse than the last one's.
    #[test]
    fn a_search_gives_what_there_is_and_loses_nothing((gpus, mut jobs, parameters, seed) in rounds()) {
        let mut rng = rng(seed);
        let mut search = Search::new();
        for _ in 0..3 {
            let problem = problem(&gpus, &jobs, parameters);
            let outcome = search.run(&problem, &mut rng);
            prop_assert_eq!(violation(&gpus, &jobs, &parameters, &outcome.allocation), None);
            prop_assert_eq!(problem.fitness(&outcome.allocation), outcome.fitness);
            let best = &outcome.best_by_generation;
            prop_assert!(best.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert_eq!(best.last().copied(), Some(outcome.fitness.mean_speedup));
            prop_assert_eq!(outcome.front[0], outcome.fitness);
            if !parameters.reference {
                prop_assert!(outcome.fitness.mean_speedup >= outcome.current.mean_speedup);
                if violation(&gpus, &jobs, &parameters, &problem.current()).is_none() {
                    prop_assert_eq!(outcome.current, problem.fitness(&problem.current()));
                }
            }
            for (i, job) in jobs.iter_mut().enumerate() {
                job.current = outcome.allocation.parts(i).collect();
                job.age += 60.0;
            }
            jobs.rotate_left(1);
            jobs.pop();
            if jobs.is_empty() {
                break;
            }
        }
    }

    /// The same seed gives the same; so does the search compiled for any number of nodes.
    #[test]
    fn a_seed_decides_everything((gpus, jobs, parameters, seed) in rounds()) {
        let problem = problem(&gpus, &jobs, parameters);
        let runs = [
            Search::new().run(&problem, &mut rng(seed)),
            Search::new().run(&problem, &mut rng(seed)),
        ];
        prop_assert_eq!(&runs[0].allocation, &runs[1].allocation);
        prop_assert_eq!(&runs[0].best_by_generation, &runs[1].best_by_generation);
        if problem.pinned < jobs.len() {
            let any = Search::new().run_with::<ANY>(&problem, &mut rng(seed));
            prop_assert_eq!(&runs[0].allocation, &any.allocation);
            prop_assert_eq!(runs[0].evaluated, any.evaluated);
        }
    }
}

/// 2 nodes × 2 GPUs, two jobs, the first on both GPUs of node 0: all by hand.
#[test]
fn fitness_is_as_worked_out_by_hand() {
    let jobs = [job(0, &[Part::new(0, 2)]), job(1, &[])];
    let table = |_: usize, nodes: u32, replicas: u32| match (nodes, replicas) {
        (1, 1) => 10.0,
        (1, 2) => 16.0,
        (_, 2) => 12.0,
        (_, 3) => 20.0,
        _ => 24.0,
    };
    let parameters = SearchParameters::default();
    let problem = Problem::new(&nodes(&[2, 2]), &jobs, parameters, table).expect("valid");
    // Fair: 2 GPUs on 1 node, goodput 16. Share of a GPU: 1/4, of 2 nodes.
    assert_eq!(problem.fair_share(), (1, 2));
    let fitness = |rows: [[u8; 2]; 2]| {
        let mut allocation = Allocation::new(2, 2);
        allocation.row_mut(0).copy_from_slice(&rows[0]);
        allocation.row_mut(1).copy_from_slice(&rows[1]);
        problem.fitness(&allocation)
    };
    let close = |a: Fitness, mean_speedup: f64, utility: f64| {
        (a.mean_speedup - mean_speedup).abs() < 1e-12 && (a.utility - utility).abs() < 1e-12
    };
    let realloc = 3600.0 / 3630.0;
    // Kept, and nothing: s = 16/16 · 1/4 · 2 and 0; in use: 2 GPUs.
    assert!(close(
        fitness([[2, 0], [0, 0]]),
        2.0 / (1.0 / 0.501 + 1.0 / 0.001),
        1.0 / 2.0
    ));
    // Kept, and 1 GPU of node 1: 10/16 · 1/2, restarted.
    let second = 0.625 * 0.5 * realloc;
    assert!(close(
        fitness([[2, 0], [0, 1]]),
        2.0 / (1.0 / 0.501 + 1.0 / (second + 0.001)),
        1.625 / 4.0
    ));
    // One on each node: 12/16, moved; and 10/16.
    let first = 0.75 * 0.5 * realloc;
    assert!(close(
        fitness([[1, 1], [0, 1]]),
        2.0 / (1.0 / (first + 0.001) + 1.0 / (second + 0.001)),
        1.375 / 4.0
    ));
    assert_eq!(problem.speedups(&problem.current()), [1.0, 0.0]);
}

#[test]
fn a_first_start_is_charged_only_by_the_reference() {
    let fresh = Candidate {
        started: false,
        age: 0.0,
        ..job(0, &[])
    };
    let mean = |reference| {
        let parameters = SearchParameters {
            reference,
            ..SearchParameters::default()
        };
        let problem = problem(&[4], std::slice::from_ref(&fresh), parameters);
        let mut allocation = Allocation::new(1, 1);
        allocation.row_mut(0)[0] = 4;
        problem.fitness(&allocation).mean_speedup
    };
    // s = 1 · 1/4 · 1, or nothing.
    assert!((mean(false) - 0.251).abs() < 1e-12);
    assert!((mean(true) - 0.001).abs() < 1e-12);
}

#[test]
fn the_fair_share_is_on_as_few_nodes_as_hold_it() {
    let share = |gpus: &[u32], jobs: u32, reference| {
        let jobs: Vec<_> = (0..jobs).map(|key| job(key, &[])).collect();
        let parameters = SearchParameters {
            reference,
            ..SearchParameters::default()
        };
        problem(gpus, &jobs, parameters).fair_share()
    };
    assert_eq!(share(&[4; 16], 5, false), (4, 13));
    assert_eq!(share(&[4; 16], 5, true), (1, 13));
    assert_eq!(share(&[4; 16], 16, false), (1, 4));
    assert_eq!(share(&[2, 8, 2], 2, false), (1, 6));
    assert_eq!(share(&[2, 8, 2], 1, false), (3, 12));
}

/// More goodput of a job is never less fitness, whatever the power.
#[test]
fn fitness_grows_with_a_jobs_goodput() {
    let jobs = [job(0, &[Part::new(0, 2)]), job(1, &[Part::new(1, 2)])];
    for p in [-10.0, -1.0, 0.0, 0.5, 1.0] {
        let parameters = SearchParameters {
            p,
            ..SearchParameters::default()
        };
        let mut last = (0.0, 0.0);
        for step in 1..20 {
            let goodput = |job: usize, _: u32, replicas: u32| match (job, replicas) {
                (0, 2) => f64::from(step) * 0.3,
                _ => 1.0,
            };
            let problem = Problem::new(&nodes(&[4, 4]), &jobs, parameters, goodput).expect("valid");
            let Fitness {
                mean_speedup,
                utility,
            } = problem.fitness(&problem.current());
            assert!(mean_speedup > last.0 && utility > last.1, "{p} {step}");
            last = (mean_speedup, utility);
        }
    }
}

/// Every allocation of `jobs` on `gpus`, one by one.
fn best_of_all(
    gpus: &[u32],
    jobs: &[Candidate],
    parameters: &SearchParameters,
    problem: &Problem,
) -> f64 {
    let entries = gpus.len() * jobs.len();
    let mut counts = vec![0_u32; entries];
    let mut best = 0.0;
    loop {
        let mut allocation = Allocation::new(jobs.len(), gpus.len());
        for (at, &count) in counts.iter().enumerate() {
            allocation.row_mut(at / gpus.len())[at % gpus.len()] = count as u8;
        }
        if violation(gpus, jobs, parameters, &allocation).is_none() {
            best = f64::max(best, problem.fitness(&allocation).mean_speedup);
        }
        let Some(at) = (0..entries).find(|&at| counts[at] < gpus[at % gpus.len()]) else {
            return best;
        };
        counts[at] += 1;
        counts[..at].fill(0);
    }
}

#[test]
fn small_rounds_are_solved() {
    for seed in 0..24 {
        let mut rng = rng(seed);
        let gpus: Vec<u32> = (0..2 + seed % 2).map(|_| 1 + below(&mut rng, 3)).collect();
        let jobs: Vec<_> = (0..2 + below(&mut rng, 2))
            .map(|key| Candidate {
                max_replicas: 1 + below(&mut rng, 6),
                min_replicas: 1 + below(&mut rng, 2),
                age: f64::from(below(&mut rng, 500)),
                ..job(key, &[])
            })
            .collect();
        for p in [-1.0, 0.0, 1.0] {
            let parameters = SearchParameters {
                p,
                ..SearchParameters::default()
            };
            let problem = problem(&gpus, &jobs, parameters);
            let outcome = Search::new().run(&problem, &mut rng);
            let best = best_of_all(&gpus, &jobs, &parameters, &problem);
            assert_eq!(
                outcome.fitness.mean_speedup, best,
                "{seed} {p} {gpus:?} {jobs:?}"
            );
        }
    }
}

/// Four jobs on a node of 4 GPUs, of which the first holds one: it is always hit (p₂ = 1), the
/// others with p₁ = 1/4, and each becomes a uniform integer up to 4.
#[test]
fn mutation_raises_as_often_as_it_should() {
    let one = [Part::new(0, 1)];
    let jobs = [job(0, &one), job(1, &[]), job(2, &[]), job(3, &[])];
    let problem = problem(&[4], &jobs, SearchParameters::default());
    let mut rng = rng(11);
    let mut mutation = Mutation::new(&problem, &mut rng);
    let mut changes = Changes::new(4);
    let mut counts = [[0_u32; 5]; 4];
    let trials = 40_000;
    for _ in 0..trials {
        let mut genome = problem.current.clone();
        mutation.apply::<FEW>(&problem, &mut genome, &mut changes, &mut rng);
        changes.clear();
        for (job, record) in genome.chunks_exact(problem.layout.record()).enumerate() {
            counts[job][problem.layout.get(record, 0) as usize] += 1;
        }
    }
    let share = |job: usize, gpus: usize| f64::from(counts[job][gpus]) / f64::from(trials);
    // Zeroed with probability 0.01 first: then it is hit with p₁ alone.
    for gpus in 2..=4 {
        let expected = 0.99 / 4.0 + 0.01 * 0.25 / 5.0;
        assert!((share(0, gpus) - expected).abs() < 0.01, "{gpus}");
        for job in 1..4 {
            assert!(
                (share(job, gpus) - 0.25 / 5.0).abs() < 0.005,
                "{job} {gpus}"
            );
        }
    }
}

/// Jobs by key, nodes by key: a front outlives arrivals, departures and a changed cluster.
#[test]
fn the_last_front_is_carried_over() {
    let jobs: Vec<_> = (0..6).map(|key| job(key, &[])).collect();
    let parameters = SearchParameters {
        generations: 60,
        ..SearchParameters::default()
    };
    let first = problem(&[4; 4], &jobs, parameters);
    let mut search = Search::new();
    let found = search.run(&first, &mut rng(1));

    // The nodes in another order, and the jobs too: only the first generation.
    let turned: Vec<Node> = nodes(&[4; 4]).into_iter().rev().collect();
    let mut others = jobs.clone();
    others.rotate_left(2);
    for (i, other) in others.iter_mut().enumerate() {
        other.attained = -(i as f64);
    }
    let one = SearchParameters {
        generations: 1,
        ..parameters
    };
    let goodput = |job: usize, nodes: u32, k: u32| goodput((job + 2) % 6, nodes, k);
    let second = Problem::new(&turned, &others, one, goodput).expect("valid");
    let again = search.clone().run(&second, &mut rng(2));
    assert_eq!(again.fitness.mean_speedup, found.fitness.mean_speedup);
    assert_eq!(again.stopped, Stopped::Generations);

    // The reference gives the rows to whoever is at that place of the service order now.
    let reference = SearchParameters {
        reference: true,
        ..one
    };
    let third = Problem::new(&turned, &others, reference, goodput).expect("valid");
    let mixed = search.run(&third, &mut rng(2));
    assert!(mixed.fitness.mean_speedup < found.fitness.mean_speedup);
}

/// One job alone can have all it could use; three that compete cannot, and stop for want of
/// progress or at the last generation.
#[test]
fn a_search_ends_as_its_settings_say() {
    let stopped = |jobs: u32, patience, stop_at_bound| {
        let jobs: Vec<_> = (0..jobs).map(|key| job(key, &[])).collect();
        let parameters = SearchParameters {
            patience,
            stop_at_bound,
            ..SearchParameters::default()
        };
        let problem = problem(&[4; 4], &jobs, parameters);
        let outcome = Search::new().run(&problem, &mut rng(1));
        (outcome.stopped, outcome.best_by_generation.len())
    };
    let (why, generations) = stopped(1, 15, true);
    assert_eq!(why, Stopped::Bound);
    assert!(generations < 100);
    assert_eq!(stopped(1, 0, false), (Stopped::Generations, 100));
    assert_eq!(stopped(3, 0, true), (Stopped::Generations, 100));
    let (why, generations) = stopped(3, 5, true);
    assert_eq!(why, Stopped::Patience);
    assert!(generations < 100);
}

#[test]
fn rounds_with_nothing_to_choose_have_an_outcome() {
    let none = problem(&[4, 4], &[], SearchParameters::default());
    let outcome = Search::new().run(&none, &mut rng(1));
    assert_eq!(outcome.fitness.mean_speedup, 0.0);
    let pinned = Candidate {
        preemptible: false,
        ..job(0, &[Part::new(1, 3)])
    };
    let pinned = problem(&[4, 4], &[pinned], SearchParameters::default());
    let outcome = Search::new().run(&pinned, &mut rng(1));
    assert_eq!(outcome.allocation.row(0), [0, 3]);
    let no_gpus = problem(&[], &[job(0, &[])], SearchParameters::default());
    let outcome = Search::new().run(&no_gpus, &mut rng(1));
    assert_eq!(outcome.allocation.replicas(0), 0);
}

#[test]
fn what_is_not_there_is_refused() {
    let refused = |gpus: &[u32], current: &[Part]| {
        let jobs = [job(5, current)];
        Problem::new(&nodes(gpus), &jobs, SearchParameters::default(), goodput).err()
    };
    assert_eq!(refused(&[65], &[]), Some(ProblemError::NodeTooLarge(0)));
    let no_such = Some(ProblemError::NoSuchGpus(5));
    assert_eq!(refused(&[4], &[Part::new(0, 5)]), no_such);
    assert_eq!(refused(&[4], &[Part::new(1, 1)]), no_such);
    assert_eq!(refused(&[4], &[Part::new(0, 1); 2]), no_such);
}

//! Cycles and groups: worked by hand, and what holds of all of them.

use proptest::prelude::*;
use switchyard_interleaving::cycle::{Ordering, ResourceTimes, cycle, period};
use switchyard_interleaving::gangs::{Cluster, Room};
use switchyard_interleaving::grouping::{Candidate, Grouping, Kind, Options};

fn times(storage_and_cpu: f64, gpu: f64, network: f64) -> ResourceTimes {
    ResourceTimes {
        storage_and_cpu,
        gpu,
        network,
    }
}

#[test]
fn a_job_alone_has_one_phase_after_the_other() {
    let of = cycle(&[times(3.0, 2.0, 1.0)], Ordering::Best).unwrap();
    assert_eq!(of.period, 6.0);
    assert_eq!(of.turns[0].gpu, 3.0);
    assert_eq!(of.turns[0].network, 5.0);
}

#[test]
fn two_jobs_that_need_different_things_halve_the_cycle() {
    let (reads, computes) = (times(4.0, 1.0, 1.0), times(2.0, 3.0, 1.0));
    let of = cycle(&[reads, computes], Ordering::Best).unwrap();
    assert_eq!(of.period, 6.0, "4 beside 3 + 1, and 2 beside 1 + 1");
}

#[test]
fn four_equal_jobs_fill_the_four_slots() {
    let job = times(2.0, 1.0, 1.0);
    let of = cycle(&[job; 4], Ordering::Best).unwrap();
    assert_eq!(of.period, 4.0);
    let mut starts: Vec<f64> = of.turns.iter().map(|turn| turn.gpu).collect();
    starts.sort_by(|a, b| a.partial_cmp(b).unwrap());
    assert_eq!(
        starts,
        [0.0, 1.0, 2.0, 3.0],
        "one after the other on the GPU"
    );
}

#[test]
fn none_and_five_jobs_have_no_cycle() {
    assert_eq!(cycle(&[], Ordering::Best), None);
    assert_eq!(cycle(&[times(1.0, 1.0, 1.0); 5], Ordering::Best), None);
    assert_eq!(period(&[times(1.0, 1.0, 1.0); 5], Ordering::Best), 0.0);
}

fn any_times() -> impl Strategy<Value = ResourceTimes> {
    (0.0..5.0_f64, 0.01..5.0_f64, 0.0..5.0_f64).prop_map(|(a, b, c)| times(a, b, c))
}

const CLUSTER: Cluster = Cluster {
    nodes: 4,
    gpus_per_node: 4,
};

fn any_options() -> impl Strategy<Value = Options> {
    (1..=4_usize, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(packing, matching, unpack, worst)| Options {
            packing,
            matching,
            unpack,
            ordering: if worst {
                Ordering::Worst
            } else {
                Ordering::Best
            },
            ..Options::default()
        },
    )
}

proptest! {
    #[test]
    fn the_worst_order_is_no_shorter_than_the_best(jobs in prop::collection::vec(any_times(), 1..=4)) {
        let best = cycle(&jobs, Ordering::Best).unwrap();
        let worst = cycle(&jobs, Ordering::Worst).unwrap();
        prop_assert!(best.period <= worst.period);
        prop_assert_eq!(best.period, period(&jobs, Ordering::Best));
        prop_assert_eq!(worst.period, period(&jobs, Ordering::Worst));
        let mut who: Vec<usize> = best.turns.iter().map(|turn| turn.job).collect();
        who.sort_unstable();
        prop_assert_eq!(who, (0..jobs.len()).collect::<Vec<_>>());
        for turn in &best.turns {
            for start in [turn.storage_and_cpu, turn.gpu, turn.network] {
                prop_assert!((0.0..=best.period).contains(&start));
            }
        }
    }

    #[test]
    fn the_order_in_which_jobs_are_given_does_not_matter(jobs in prop::collection::vec(any_times(), 2..=4)) {
        let mut turned = jobs.clone();
        turned.rotate_left(1);
        prop_assert_eq!(period(&jobs, Ordering::Best), period(&turned, Ordering::Best));
    }

    #[test]
    fn groups_fit_the_cluster_and_share_no_job(
        kinds in prop::collection::vec(any_times(), 1..4),
        jobs in prop::collection::vec((0..5_u32, 0..5_u32, 0..3_usize, 0.0..100.0_f64), 1..60),
        options in any_options(),
    ) {
        let count = kinds.len();
        let kinds = kinds.into_iter().map(|times| Kind { times, iteration_time: times.sum() });
        let mut jobs: Vec<Candidate> = jobs.into_iter().map(|(size, class, kind, rank)| Candidate {
            gpus: 1 << size,
            class: (class < 3).then_some(class),
            kind: kind % count,
            rank,
        }).collect();
        jobs.sort_by(|a, b| a.rank.partial_cmp(&b.rank).unwrap());
        let mut grouping = Grouping::new(kinds.collect(), options);
        let mut room = Room::new(CLUSTER);
        let groups = grouping.groups(&jobs, &mut room, CLUSTER.gpus());
        let again = grouping.groups(&jobs, &mut room, CLUSTER.gpus());
        prop_assert_eq!(&groups, &again, "what is remembered changes nothing");
        let mut seen = vec![false; jobs.len()];
        for group in &groups {
            prop_assert!((1..=options.packing).contains(&group.jobs.len()));
            for &job in &group.jobs {
                prop_assert!(!std::mem::replace(&mut seen[job], true));
                prop_assert_eq!(jobs[job].gpus, group.gpus);
                prop_assert_eq!(jobs[job].class, jobs[group.jobs[0]].class);
                prop_assert!(jobs[job].class.is_some() || group.jobs.len() == 1);
            }
        }
        prop_assert!(seen[0], "the first in line runs");
        if options.unpack {
            prop_assert!(groups.iter().map(|group| group.gpus).sum::<u32>() <= CLUSTER.gpus());
        }
    }
}

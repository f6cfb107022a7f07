//! What holds of Kueue's quotas in any tree.

use proptest::prelude::*;
use std::collections::BTreeSet;
use switchyard_queues::kueue::amount::Amount;
use switchyard_queues::kueue::assignment::{Head, Request};
use switchyard_queues::kueue::book::Bound;
use switchyard_queues::kueue::cycle::{self, Outcome, Settings};
use switchyard_queues::kueue::preemption;
use switchyard_queues::kueue::preemption::fair::FairSharing;
use switchyard_queues::kueue::preemption::victims::Preemptor;
use switchyard_queues::kueue::quotas::{Quotas, Slot, Use};
use switchyard_queues::kueue::state::{State, Workload, WorkloadId};
use switchyard_queues::tree::{
    Evicts, Kind, Queue, QueueId, QueueTree, Quota, Resource, WhileBorrowing,
};

/// Flavors of GPUs in the trees.
const FLAVORS: [&str; 2] = ["old", "new"];

/// A queue: where its parent is among those before it, its quotas, its weight, its rules.
type Node = (Option<prop::sample::Index>, [Limits; 2], u8, u8);

/// A quota, a borrowing limit, a lending limit.
type Limits = (u8, Option<u8>, Option<u8>);

/// A workload: its leaf, what it asks for of each flavor, its priority, and when it came.
type Job = (prop::sample::Index, [u8; 2], i64, i64);

fn limits() -> impl Strategy<Value = Limits> {
    (
        0u8..6,
        prop::option::weighted(0.4, 0u8..5),
        prop::option::weighted(0.4, 0u8..5),
    )
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let parent = prop::option::weighted(0.9, any::<prop::sample::Index>());
    prop::collection::vec((parent, [limits(), limits()], 0u8..4, any::<u8>()), 2..9)
}

fn jobs(most: usize) -> impl Strategy<Value = Vec<Job>> {
    let job = (
        any::<prop::sample::Index>(),
        [0u8..4, 0u8..4],
        -1i64..2,
        0i64..5,
    );
    prop::collection::vec(job, 0..most)
}

fn tree(nodes: &[Node]) -> QueueTree {
    let resource = |flavor: &str| Resource {
        kind: Kind::Gpus,
        flavor: Some(flavor.to_owned()),
    };
    let queues = nodes
        .iter()
        .enumerate()
        .map(|(at, (parent, limits, weight, rules))| {
            let parent = parent
                .filter(|_| at > 0)
                .map(|parent| QueueId(parent.index(at) as u32));
            let quotas = limits.map(|(nominal, borrowing, lending)| Quota {
                nominal: f64::from(nominal),
                borrowing_limit: parent.and(borrowing).map(f64::from),
                lending_limit: parent.and(lending).map(f64::from),
                weight: 1.0,
            });
            let evicts = [
                Evicts::Never,
                Evicts::LowerPriority,
                Evicts::LowerOrNewerEqualPriority,
                Evicts::Any,
            ];
            Queue {
                quotas: quotas.to_vec(),
                weight: f64::from(*weight),
                within: evicts[usize::from(rules % 4)],
                reclaims: evicts[usize::from(rules / 4 % 4)],
                while_borrowing: match rules / 16 % 3 {
                    0 => WhileBorrowing::Never,
                    1 => WhileBorrowing::LowerPriority { up_to: None },
                    _ => WhileBorrowing::LowerPriority { up_to: Some(-1) },
                },
                ..Queue::new(format!("q{at}"), parent)
            }
        });
    QueueTree::new(FLAVORS.map(resource).to_vec(), queues.collect()).expect("a tree")
}

fn uses(asks: [u8; 2]) -> Vec<Use> {
    let uses = asks.iter().enumerate().filter(|(_, ask)| **ask > 0);
    uses.map(|(at, &ask)| Use {
        slot: Slot(at as u32),
        amount: Amount::of_units(f64::from(ask)),
    })
    .collect()
}

fn workload(tree: &QueueTree, at: usize, job: &Job) -> Workload {
    let leaves: Vec<QueueId> = tree.leaves().collect();
    let &(leaf, asks, priority, created) = job;
    Workload {
        queue: leaf.get(&leaves).to_owned(),
        uses: uses(asks),
        priority,
        created,
        reserved: created,
        is_evicted: false,
        uid: at as u64,
    }
}

/// Admits what fits, in order.
fn fill(tree: &QueueTree, jobs: &[Job]) -> State {
    let mut state = State::new(Quotas::of(tree));
    for (at, job) in jobs.iter().enumerate() {
        let workload = workload(tree, at, job);
        if state.book().fits(workload.queue, &workload.uses) {
            state.admit(workload);
        }
    }
    state
}

fn slots() -> impl Iterator<Item = Slot> {
    (0..FLAVORS.len() as u32).map(Slot)
}

fn ids(tree: &QueueTree) -> impl Iterator<Item = QueueId> {
    (0..tree.queues().len() as u32).map(QueueId)
}

/// All usage, queue by queue and slot by slot.
fn usage(tree: &QueueTree, state: &State) -> Vec<Amount> {
    let pairs = ids(tree).flat_map(|queue| slots().map(move |slot| (queue, slot)));
    pairs
        .map(|(queue, slot)| state.book().used(queue, slot))
        .collect()
}

/// The usage from nothing: of a leaf what its workloads use, of a cohort what its children do not have to themselves.
fn usage_anew(tree: &QueueTree, state: &State) -> Vec<Amount> {
    let quotas = state.quotas();
    let at = |queue: QueueId, slot: Slot| queue.index() * FLAVORS.len() + slot.index();
    let mut used = vec![Amount::ZERO; tree.queues().len() * FLAVORS.len()];
    for &queue in tree.upwards() {
        for slot in slots() {
            let mut sum = used[at(queue, slot)];
            let running = state
                .running(queue)
                .flat_map(|(_, workload)| &workload.uses);
            for one in running.filter(|one| one.slot == slot) {
                sum += one.amount;
            }
            used[at(queue, slot)] = sum;
            if let Some(parent) = quotas.parent(queue) {
                used[at(parent, slot)] += (sum - quotas.local(queue, slot)).or_zero();
            }
        }
    }
    used
}

/// No queue uses more than its quota and what it may borrow, no tree more than all quotas, and nobody is lent more than
/// lending limits allow.
fn check_quotas(tree: &QueueTree, state: &State) -> Result<(), TestCaseError> {
    let (quotas, book) = (state.quotas(), state.book());
    for queue in ids(tree) {
        let root = quotas.root(queue);
        let below = |id: QueueId| tree.path(id).any(|above| above == queue);
        let of_tree: Vec<QueueId> = ids(tree).filter(|&id| quotas.root(id) == root).collect();
        for slot in slots() {
            let used = book.used(queue, slot);
            prop_assert!(used <= quotas.subtree(queue, slot) + quotas.borrowing_limit(queue, slot));
            prop_assert!(used <= quotas.potential(queue, slot));
            let nominal = |id: &QueueId| quotas.nominal(*id, slot);
            let all_quotas = of_tree.iter().map(nominal).fold(Amount::ZERO, |a, b| a + b);
            let leaves = of_tree.iter().filter(|&&id| tree.is_leaf(id));
            let all_used = leaves
                .map(|&id| book.used(id, slot))
                .fold(Amount::ZERO, |a, b| a + b);
            prop_assert!(
                all_used <= all_quotas,
                "{} uses {:?} of {:?}",
                root.0,
                all_used,
                all_quotas
            );
            let Some(limit) = tree.queue(queue).quotas[slot.index()].lending_limit else {
                continue;
            };
            let outside: Vec<&QueueId> = of_tree.iter().filter(|&&id| !below(id)).collect();
            let own = outside
                .iter()
                .map(|id| nominal(id))
                .fold(Amount::ZERO, |a, b| a + b);
            let leaves = outside.iter().filter(|id| tree.is_leaf(***id));
            let used = leaves
                .map(|id| book.used(**id, slot))
                .fold(Amount::ZERO, |a, b| a + b);
            prop_assert!(
                used <= own + Amount::of_units(limit),
                "q{} lends too much",
                queue.0
            );
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn usage_kept_on_the_path_is_that_from_nothing(
        nodes in nodes(),
        jobs in jobs(30),
        ends in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let tree = tree(&nodes);
        let mut state = State::new(Quotas::of(&tree));
        let mut running: Vec<WorkloadId> = Vec::new();
        let mut ends = ends.iter();
        for (at, job) in jobs.iter().enumerate() {
            // Also what does not fit: usage may be above quotas.
            running.push(state.admit(workload(&tree, at, job)));
            if at % 2 == 1 && let Some(end) = ends.next() {
                let ended = running.swap_remove(end.index(running.len()));
                prop_assert!(state.release(ended).is_some());
                prop_assert!(state.release(ended).is_none());
            }
            prop_assert_eq!(usage(&tree, &state), usage_anew(&tree, &state));
        }
        for id in running {
            state.release(id);
        }
        prop_assert!(usage(&tree, &state).iter().all(|&used| used == Amount::ZERO));
    }

    #[test]
    fn what_fits_keeps_all_limits(nodes in nodes(), jobs in jobs(40)) {
        let tree = tree(&nodes);
        check_quotas(&tree, &fill(&tree, &jobs))?;
    }

    #[test]
    fn what_is_available_is_the_most_that_fits(nodes in nodes(), jobs in jobs(30)) {
        let tree = tree(&nodes);
        let state = fill(&tree, &jobs);
        for leaf in tree.leaves() {
            for slot in slots() {
                let (available, bound) = state.book().available_within(leaf, slot);
                prop_assert!(available >= Amount::ZERO);
                let mut with_it = state.clone();
                with_it.book_mut().add(leaf, &[Use { slot, amount: available }]);
                let (rest, still) = with_it.book().available_within(leaf, slot);
                prop_assert_eq!(rest, Amount::ZERO);
                // What keeps it from more is used up then, and the same.
                let (own, quota, used) = match still {
                    Bound::Tree { root, quota, used } => (root, quota, used),
                    Bound::BorrowingLimit { queue, quota, limit, used } => (queue, quota + limit, used),
                };
                prop_assert_eq!(quota, used);
                let was = match bound {
                    Bound::Tree { root, .. } => root,
                    Bound::BorrowingLimit { queue, .. } => queue,
                };
                prop_assert_eq!(own, was);
                check_quotas(&tree, &with_it)?;
            }
        }
    }

    #[test]
    fn evictions_help_and_keep_the_rules(
        nodes in nodes(),
        jobs in jobs(40),
        preemptor in (any::<prop::sample::Index>(), [0u8..5, 0u8..5], -1i64..3, 0i64..5),
        is_fair in any::<bool>(),
    ) {
        let tree = tree(&nodes);
        let mut state = fill(&tree, &jobs);
        let wanted = workload(&tree, 0, &preemptor);
        let contested: Vec<Slot> = wanted.uses.iter().map(|one| one.slot).filter(|&slot| {
            let one = wanted.uses.iter().find(|one| one.slot == slot).expect("it is there");
            one.amount > state.book().available(wanted.queue, slot)
        }).collect();
        prop_assume!(!contested.is_empty());
        let before = usage(&tree, &state);
        let who = Preemptor {
            queue: wanted.queue,
            uses: &wanted.uses,
            contested: &contested,
            priority: wanted.priority,
            created: wanted.created,
        };
        let fair = FairSharing::default();
        let found = preemption::find(&mut state, &who, is_fair.then_some(&fair));
        prop_assert_eq!(usage(&tree, &state), before);
        if found.victims.is_empty() {
            return Ok(());
        }
        let distinct: BTreeSet<WorkloadId> = found.victims.iter().map(|victim| victim.id).collect();
        prop_assert_eq!(distinct.len(), found.victims.len());
        for victim in &found.victims {
            let victim = state.get(victim.id).expect("it runs").clone();
            let rule = if victim.queue == who.queue {
                state.quotas().within(who.queue)
            } else {
                prop_assert!(state.book().borrows_any(victim.queue, &contested));
                state.quotas().reclaims(who.queue)
            };
            prop_assert!(preemption::victims::allows(rule, &who, &victim));
            prop_assert!(preemption::victims::uses_any(&victim, &contested));
        }
        for victim in &found.victims {
            state.take(victim.id);
        }
        prop_assert!(state.book().fits(who.queue, who.uses));
        if is_fair {
            // Nobody is evicted without need.
            for victim in &found.victims {
                state.put_back(victim.id);
                prop_assert!(!state.book().fits(who.queue, who.uses));
                state.take(victim.id);
            }
        }
    }

    #[test]
    fn a_cycle_gives_nothing_twice(nodes in nodes(), jobs in jobs(30), heads in jobs(8), is_fair in any::<bool>()) {
        let tree = tree(&nodes);
        let mut state = fill(&tree, &jobs);
        let mut with_head = BTreeSet::new();
        let heads: Vec<Head> = heads.iter().filter_map(|(leaf, asks, priority, created)| {
            let leaves: Vec<QueueId> = tree.leaves().collect();
            let queue = *leaf.get(&leaves);
            let asks = Amount::of_units(f64::from(asks[0]));
            with_head.insert(queue).then(|| Head {
                queue,
                request: Request { asks: vec![(0, asks)], flavors: None },
                priority: *priority,
                created: *created,
                from: Vec::new(),
            })
        }).collect();
        let settings = Settings {
            fair: is_fair.then(FairSharing::default),
            ..Settings::default()
        };
        let before = usage(&tree, &state);
        let decisions = cycle::run(&mut state, &settings, &heads);
        prop_assert_eq!(usage(&tree, &state), before);
        let decided: BTreeSet<usize> = decisions.iter().map(|decision| decision.head).collect();
        prop_assert_eq!(decided.len(), heads.len());
        prop_assert_eq!(decisions.len(), heads.len());
        // In the order in which they were decided, and once victims are gone, all that have quota fit together. (As in
        // Kueue, a head may count on what the victims of one before it leave over.)
        for decision in &decisions {
            let head = &heads[decision.head];
            let victims = &decision.found.victims;
            match decision.outcome {
                Outcome::Admitted => {}
                Outcome::Preempting => {
                    prop_assert!(!victims.is_empty());
                    prop_assert!(decision.stays_first() && !decision.may_be_set_aside());
                    for victim in victims {
                        prop_assert!(state.release(victim.id).is_some(), "one victim for two");
                    }
                }
                _ => continue,
            }
            prop_assert!(state.book().fits(head.queue, &decision.assignment.uses));
            state.admit(Workload {
                queue: head.queue,
                uses: decision.assignment.uses.clone(),
                priority: head.priority,
                created: head.created,
                reserved: 10,
                is_evicted: false,
                uid: 1000 + decision.head as u64,
            });
        }
        check_quotas(&tree, &state)?;
    }
}

/// KEP-1714, story 3: 300 GPUs at the root, endless backlogs of jobs of one GPU.
#[test]
fn a_tournament_divides_an_empty_cluster_by_weights() {
    let queue = |name: &str, parent: Option<u32>, weight: f64, nominal: f64| Queue {
        weight,
        quotas: vec![Quota {
            nominal,
            ..Quota::default()
        }],
        ..Queue::new(name, parent.map(QueueId))
    };
    let queues = vec![
        queue("root", None, 1.0, 300.0),
        queue("c1", Some(0), 1.0, 0.0),
        queue("c2", Some(0), 1.0, 0.0),
        queue("1a", Some(1), 1.0, 0.0),
        queue("1b", Some(1), 1.0, 0.0),
        queue("1c", Some(1), 3.0, 0.0),
        queue("2a", Some(2), 1.0, 0.0),
    ];
    let gpus = vec![Resource {
        kind: Kind::Gpus,
        flavor: None,
    }];
    let tree = QueueTree::new(gpus, queues).expect("a tree");
    let mut state = State::new(Quotas::of(&tree));
    let settings = Settings {
        fair: Some(FairSharing::default()),
        ..Settings::default()
    };
    for cycle in 0.. {
        let heads: Vec<Head> = tree
            .leaves()
            .map(|queue| Head {
                queue,
                request: Request {
                    asks: vec![(0, Amount::of_units(1.0))],
                    flavors: None,
                },
                priority: 0,
                created: cycle,
                from: Vec::new(),
            })
            .collect();
        let decisions = cycle::run(&mut state, &settings, &heads);
        let admitted = decisions
            .iter()
            .filter(|decision| decision.outcome == Outcome::Admitted);
        let uses: Vec<_> = admitted
            .map(|one| (heads[one.head].queue, one.assignment.uses.clone()))
            .collect();
        if uses.is_empty() {
            break;
        }
        // One head a time, as usage changes shares.
        let (queue, uses) = uses.into_iter().next().expect("there is one");
        state.admit(Workload {
            queue,
            uses,
            priority: 0,
            created: cycle,
            reserved: cycle,
            is_evicted: false,
            uid: cycle as u64,
        });
    }
    let used = |name: &str| {
        let queue = tree.find(name).expect("there is one");
        state.book().used(queue, Slot(0)).units()
    };
    let got = ["1a", "1b", "1c", "2a", "c1", "c2"].map(used);
    assert_eq!(got, [30.0, 30.0, 90.0, 150.0, 150.0, 150.0]);
}

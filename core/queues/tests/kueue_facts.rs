//! Kueue's decisions tell their numbers.

use switchyard_queues::kueue::amount::Amount;
use switchyard_queues::kueue::assignment::{Head, Refusal, Request};
use switchyard_queues::kueue::book::Bound;
use switchyard_queues::kueue::cycle::{self, Decision, Outcome, Settings};
use switchyard_queues::kueue::preemption::fair::FairSharing;
use switchyard_queues::kueue::preemption::victims::{Reason, Strategy, Why};
use switchyard_queues::kueue::quotas::{Quotas, Slot, Use};
use switchyard_queues::kueue::state::{State, Workload};
use switchyard_queues::tree::{Evicts, Kind, Queue, QueueId, QueueTree, Quota, Resource};

const SLOT: Slot = Slot(0);

fn gpus(units: f64) -> Amount {
    Amount::of_units(units)
}

/// Three queues of three GPUs each: `a` runs three jobs of one GPU, `b` as many as are left.
fn state(of_b: usize) -> State {
    let queue = |name: &str, parent: Option<u32>, nominal: f64| Queue {
        quotas: vec![Quota {
            nominal,
            ..Quota::default()
        }],
        reclaims: Evicts::Any,
        ..Queue::new(name, parent.map(QueueId))
    };
    let queues = vec![
        queue("all", None, 0.0),
        queue("a", Some(0), 3.0),
        queue("b", Some(0), 3.0),
        queue("c", Some(0), 3.0),
    ];
    let resource = Resource {
        kind: Kind::Gpus,
        flavor: None,
    };
    let tree = QueueTree::new(vec![resource], queues).expect("a tree");
    let mut state = State::new(Quotas::of(&tree));
    for at in 0..3 + of_b {
        state.admit(Workload {
            queue: QueueId(if at < 3 { 1 } else { 2 }),
            uses: vec![Use {
                slot: SLOT,
                amount: gpus(1.0),
            }],
            priority: 0,
            created: 0,
            reserved: 0,
            is_evicted: false,
            uid: at as u64,
        });
    }
    state
}

fn head(queue: u32, asked: f64) -> Head {
    Head {
        queue: QueueId(queue),
        request: Request {
            asks: vec![(0, gpus(asked))],
            flavors: None,
        },
        priority: 0,
        created: 0,
        from: Vec::new(),
    }
}

fn run(state: &mut State, heads: &[Head]) -> Vec<Decision> {
    let settings = Settings {
        fair: Some(FairSharing::default()),
        ..Settings::default()
    };
    cycle::run(state, &settings, heads)
}

#[test]
fn a_victim_tells_whose_shares_were_compared() {
    let mut state = state(6);
    let decisions = run(&mut state, &[head(1, 1.0)]);
    assert_eq!(decisions[0].outcome, Outcome::Preempting);
    let refused = Refusal::AboveAvailable {
        slot: SLOT,
        asked: gpus(1.0),
        available: Amount::ZERO,
        bound: Bound::Tree {
            root: QueueId(0),
            quota: gpus(9.0),
            used: gpus(9.0),
        },
        has_victims: true,
    };
    assert_eq!(decisions[0].assignment.refusals, [refused]);
    let victim = decisions[0].found.victims[0];
    assert_eq!(victim.reason, Reason::InCohortFairSharing);
    let Why::Shares(compared) = victim.why else {
        panic!("{:?}", victim.why)
    };
    assert_eq!(compared.strategy, Strategy::LessThanOrEqualToFinalShare);
    assert_eq!(
        (compared.preemptor_side, compared.victim_side),
        (QueueId(1), QueueId(2))
    );
    let borrowed = compared.preemptor.dominant.expect("it borrows");
    assert_eq!(
        (borrowed.borrowed, borrowed.lendable),
        (gpus(1.0), gpus(9.0))
    );
    // Three of nine with the victim, two without.
    let shares = [compared.before, compared.after.expect("it was looked at")];
    assert_eq!(shares.map(|share| share.weighted().round()), [333.0, 222.0]);
}

#[test]
fn a_queue_takes_back_its_own_whatever_the_shares() {
    let mut state = state(6);
    let decisions = run(&mut state, &[head(3, 2.0)]);
    let victims = &decisions[0].found.victims;
    assert_eq!(victims.len(), 2);
    let Why::WithinNominal { preemptor } = victims[0].why else {
        panic!("{:?}", victims[0].why)
    };
    assert_eq!((preemptor.used, preemptor.quota), (gpus(2.0), gpus(3.0)));
}

#[test]
fn a_head_that_comes_too_late_tells_what_was_left() {
    let mut state = state(4);
    // Two GPUs are left. Both would borrow; `b` would borrow more, and comes second.
    let decisions = run(&mut state, &[head(2, 2.0), head(1, 1.0)]);
    let outcomes: Vec<(usize, Outcome)> = decisions
        .iter()
        .map(|one| (one.head, one.outcome))
        .collect();
    assert_eq!(
        outcomes,
        [(1, Outcome::Admitted), (0, Outcome::NoLongerFits)]
    );
    let Some(Refusal::AboveAvailable {
        asked, available, ..
    }) = decisions[1].short
    else {
        panic!("{:?}", decisions[1].short)
    };
    assert_eq!((asked, available), (gpus(2.0), gpus(1.0)));
    let shares = decisions
        .iter()
        .map(|one| one.share.expect("fair").weighted().round());
    assert_eq!(shares.collect::<Vec<_>>(), [111.0, 333.0]);
}

//! What holds with everything on at once, under every policy and placement: unlike nodes in a tree
//! whose links are shared, GPUs that are shared, parameter servers, jobs that adapt, nodes that fail, checkpoints. A run
//! is followed from outside: its log says who holds what, and it says itself what slows whom.
//!
//! 1. No GPU is given beyond one whole or its memory, no node beyond its cores and memory.
//! 2. Gangs are all roles or nothing, workers on one type, where they may be; exactly those that fit finish.
//! 3. What is executed and lost is what was held, at the speed that the laws tell, which is none above
//!    that of the GPUs' type.
//! 4. Nobody is on a node that is down, and nobody comes to one that is not up.
//! 5. A run in slices is the same run.

mod follow;
mod nodes;
mod scenes;

use follow::Follower;
use proptest::prelude::*;
use scenes::{World, specs, worlds};
use switchyard::Time;
use switchyard::engine::{NodeState, RunLog};
use switchyard::policies::PolicySpec;

fn check_nodes(policy: &PolicySpec, log: &RunLog) {
    let absences = log.absences();
    for (i, segment) in (0..log.segments()).map(|i| (i, log.segment(i))) {
        let gpus = segment.gpus.iter().map(|part| part.node);
        for node in gpus.chain(log.servers(i).map(|of| of.0)) {
            for of in absences.iter().filter(|of| of.node == node) {
                let comes = of.from <= segment.start && segment.start < of.to;
                assert!(
                    !comes,
                    "{policy}: a job comes to a node that is {}",
                    of.state
                );
                let is_there = segment.start < of.to && segment.end > of.from;
                let is_dead = of.state == NodeState::Down && is_there;
                assert!(!is_dead, "{policy}: a job is on a dead node");
            }
        }
    }
}

fn followed(world: &World, policy: &PolicySpec) -> RunLog {
    match Follower::new(world, policy).follow() {
        Ok(log) => log,
        Err(error) => panic!("{policy}: {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // PROPTEST_CASES asks for more; each is run under every policy.
        cases: ProptestConfig::default().cases / 8,
        failure_persistence: None,
        max_shrink_iters: 60,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_world_keeps_its_laws(world in worlds(), cuts in prop::collection::vec(0.0..2e3, 0..6)) {
        for policy in specs() {
            let log = followed(&world, &policy);
            check_nodes(&policy, &log);
            let mut run = world.start(&policy);
            for &cut in &cuts {
                run.run_until(Time(cut)).expect("as before");
            }
            run.run().expect("as before");
            prop_assert_eq!(run.log().hash(), log.hash(), "{}", &policy);
        }
    }
}

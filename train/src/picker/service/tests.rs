//! Nothing that is judged is learned from, and a short training helps.

use super::environment::{Days, Environment, World};
use super::evolution::{self, Round};
use super::mean;
use crate::adam::Adam;
use crate::picker::model::Model;
use crate::picker::tests::{names, submits, trace};
use crate::picker::{environment::read, ppo};
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeSet;
use switchyard::draw::Rng;
use switchyard::workload::at_days;

const WORLD: World = World {
    load: 1.5,
    restart_cost: 30.0,
    quantum: 300.0,
};

#[test]
fn no_job_that_is_judged_is_trained_on_or_chosen_by() {
    const DAYS: f64 = 6.0;
    let path = trace("gpu-apart");
    let environment = Environment::open(&path, DAYS, WORLD).expect("a trace");
    let (_, judged) = at_days(read(&path).expect("a trace"), DAYS);
    let submits = submits(&path);
    std::fs::remove_file(path).expect("it was written");
    let judged: BTreeSet<u32> = names(&judged.workload()).into_iter().collect();
    let mut rng = Rng::seed_from_u64(2);
    let drawn = (0..100).map(|_| environment.draw(64, &mut rng).expect("jobs"));
    let training: BTreeSet<u32> = drawn.flat_map(|days| names(&days.workload)).collect();
    let validation = environment.validation(2).expect("jobs").into_iter();
    let validation: BTreeSet<u32> = validation.flat_map(|days| names(&days.workload)).collect();
    assert!(training.len() > 500 && validation.len() > 500 && judged.len() > 1_000);
    assert!(training.is_disjoint(&validation));
    assert!(training.is_disjoint(&judged) && validation.is_disjoint(&judged));
    let first = |id: &u32| submits[*id as usize - 1] < submits[0] + DAYS * 86_400.0;
    assert!(training.iter().all(first) && validation.iter().all(first));
    assert!(!judged.iter().any(first));
}

#[test]
fn a_short_training_helps_and_is_the_same_twice() {
    let path = trace("gpu-smoke");
    let environment = Environment::open(&path, 1e9, WORLD).expect("a trace");
    std::fs::remove_file(path).expect("it was written");
    let mut drawn = Rng::seed_from_u64(7);
    let validation: Vec<Days> = (0..3)
        .map(|_| environment.draw(300, &mut drawn).expect("jobs"))
        .collect();
    let figure = |model: &Model| {
        let network = model.network().expect("a network");
        mean(&validation, |days| environment.mean_jct(days, &network)).expect("a mean")
    };
    let train = || {
        let mut rng = Rng::seed_from_u64(1);
        let model = Model::drawn(&mut rng).expect("a network");
        let before = figure(&model);
        let network = model.network().expect("a network");
        let mut choices = Vec::new();
        for at in 0..8 {
            let days = environment.draw(300, &mut rng).expect("jobs");
            let lesson = environment.lesson(&days, &network, Rng::seed_from_u64(at));
            choices.extend(lesson.expect("choices"));
        }
        ppo::learn(&model, &choices, 500, 0.005, &mut rng).expect("steps");
        let taught = figure(&model);
        let mut adam = Adam::new(model.variables()).expect("an optimiser");
        let round = Round {
            pairs: 4,
            by: 0.03,
            pieces: 1,
            length: 200,
            rate: 0.003,
        };
        for _ in 0..2 {
            evolution::round(&environment, &model, &mut adam, round, &mut rng).expect("a round");
        }
        let after = model.parameters().expect("parameters");
        (before, taught, figure(&model), after)
    };
    let (before, taught, evolved, parameters) = train();
    assert!(taught < 0.95 * before, "{before} {taught}");
    assert!(evolved < 0.95 * before, "{before} {evolved}");
    assert_eq!(train().3, parameters);
}

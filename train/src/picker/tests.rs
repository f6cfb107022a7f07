//! Gradients against finite differences, forward passes against the engine's, sequences apart, and a short
//! training that must help.

use super::environment::{Choice, Drill, Environment, Set};
use super::figures;
use super::model::{Batch, Model, shapes};
use super::ppo::{self, Ppo, Round};
use super::resume;
use super::teacher::Teacher;
use crate::checkpoint::{Folder, of_safetensors, state, to_safetensors};
use crate::curve::Curve;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use switchyard::draw::{Rng, below, unit};
use switchyard::policies::picking::network::LAYERS;
use switchyard::workload::{LublinGenerator, Workload};

/// A queue that is never empty for long, drawn; not a real trace.
pub fn trace(name: &str) -> PathBuf {
    let mut rng = Rng::seed_from_u64(11);
    let mut text = String::from("; Version: 2\n; MaxNodes: 64\n");
    let mut submit = 0.0;
    for id in 1..=5_000 {
        submit += -(1.0 - unit(&mut rng)).ln() * 180.0;
        let seconds = (unit(&mut rng) * 9.0).exp() as u32 + 1;
        let gpus = 1u32 << below(&mut rng, 6);
        text +=
            &format!("{id} {submit:.0} -1 {seconds} {gpus} -1 -1 -1 -1 -1 1 -1 -1 -1 0 -1 -1 -1\n");
    }
    let path = std::env::temp_dir().join(format!("{name}-{}.swf", std::process::id()));
    std::fs::write(&path, text).expect("there is a folder for such files");
    path
}

fn choices(rng: &mut Rng, count: usize) -> Vec<Choice> {
    let choice = |rng: &mut Rng| {
        let jobs = 2 + below(rng, 9) as usize;
        let seen = (0..jobs).map(|_| std::array::from_fn(|_| unit(rng) as f32));
        Choice {
            seen: seen.collect(),
            picked: below(rng, jobs as u32) as usize,
            log_probability: 0.0,
            now: 0.0,
        }
    };
    (0..count).map(|_| choice(rng)).collect()
}

#[test]
fn scores_are_the_engines() {
    let mut rng = Rng::seed_from_u64(3);
    let model = Model::drawn(&mut rng).expect("a network");
    let network = model.network().expect("the engine's");
    let choices = choices(&mut rng, 40);
    let batch = Batch::of(&choices.iter().collect::<Vec<_>>()).expect("a batch");
    let scores = model
        .scores(batch.seen())
        .and_then(|scores| Ok(scores.to_vec1::<f32>()?));
    let expected = choices.iter().flat_map(|choice| &choice.seen);
    for (ours, seen) in scores.expect("scores").into_iter().zip(expected) {
        assert!((ours - network.score(seen)).abs() < 1e-5);
    }
    // And the file is the network.
    let tensors = model.tensors().expect("parameters");
    let file = to_safetensors(&tensors, Default::default()).expect("a file");
    let read = of_safetensors(&file, &shapes()).expect("parameters");
    assert_eq!(read.concat(), model.parameters().expect("parameters"));
    let engines = switchyard::policies::picking::network::Network::of_safetensors(&file);
    let seen = &choices[0].seen[0];
    assert_eq!(engines.expect("a network").score(seen), network.score(seen));
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut rng = Rng::seed_from_u64(5);
    let parameters = Model::drawn(&mut rng).and_then(|model| model.parameters());
    let parameters = parameters.expect("parameters");
    let choices = choices(&mut rng, 64);
    let batch = Batch::of(&choices.iter().collect::<Vec<_>>()).expect("a batch");
    let model = Model::of(&parameters).expect("a network");
    let picked = model.judge(&batch).expect("probabilities");
    let gradients = picked.mean(0).and_then(|mean| mean.backward());
    let gradients = gradients.expect("gradients");
    let gradients = model.variables().into_iter().flat_map(|(_, variable)| {
        let gradient = gradients
            .get(&variable)
            .expect("of every parameter")
            .flatten_all();
        gradient
            .and_then(|gradient| gradient.to_vec1::<f32>())
            .expect("numbers")
    });
    let mut parameters: Vec<f64> = parameters.into_iter().map(f64::from).collect();
    let mut compared = 0;
    for (at, ours) in gradients.enumerate() {
        const STEP: f64 = 1e-6;
        let mut moved = |by: f64| {
            let before = parameters[at];
            parameters[at] += by;
            let likelihood = likelihood(&parameters, &choices);
            parameters[at] = before;
            likelihood
        };
        let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
        let ours = f64::from(ours);
        assert!(
            (ours - expected).abs() < 1e-5,
            "{at}: {ours} and {expected}"
        );
        compared += u32::from(expected.abs() > 1e-3);
    }
    assert!(compared > 100, "{compared} gradients are more than noise");
}

/// The mean logarithm of the probability of what was picked, in f64 and without tensors.
fn likelihood(parameters: &[f64], choices: &[Choice]) -> f64 {
    let score = |seen: &[f32; 8]| {
        let mut values: Vec<f64> = seen.iter().copied().map(f64::from).collect();
        let mut rest = parameters;
        for (layer, (inputs, outputs)) in LAYERS.into_iter().enumerate() {
            let (biases, after) = rest.split_at(outputs);
            let (weights, after) = after.split_at(inputs * outputs);
            rest = after;
            let sums = biases
                .iter()
                .zip(weights.chunks_exact(inputs))
                .map(|(bias, weights)| {
                    bias + values.iter().zip(weights).map(|(a, b)| a * b).sum::<f64>()
                });
            let is_last = layer + 1 == LAYERS.len();
            values = sums
                .map(|sum| if is_last { sum } else { sum.max(0.0) })
                .collect();
        }
        values[0]
    };
    let sum: f64 = choices
        .iter()
        .map(|choice| {
            let scores: Vec<f64> = choice.seen.iter().map(score).collect();
            let all: f64 = scores.iter().copied().map(f64::exp).sum();
            scores[choice.picked] - all.ln()
        })
        .sum();
    sum / choices.len() as f64
}

/// The names of jobs.
pub fn names(of: &Workload) -> Vec<u32> {
    let names = of.jobs.iter().map(|job| job.name.parse());
    names.map(|name| name.expect("they are numbered")).collect()
}

/// When jobs of that trace were submitted, by name from 1 on.
pub fn submits(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).expect("it was written");
    let jobs = text.lines().filter(|line| !line.starts_with(';'));
    let submits = jobs.map(|line| line.split(' ').nth(1).and_then(|time| time.parse().ok()));
    submits.map(|time| time.expect("a time")).collect()
}

#[test]
fn of_a_trace_nothing_is_trained_on_that_it_is_judged_or_chosen_by() {
    const DAYS: f64 = 6.0;
    let path = trace("apart");
    let environment = Environment::of_days(&path, "1x64", DAYS).expect("a trace");
    let submits = submits(&path);
    std::fs::remove_file(path).expect("it was written");
    let early = |id: u32| submits[id as usize - 1] < submits[0] + DAYS * 86_400.0;
    assert!((1..=5_000).any(|id| !early(id)));
    let mut rng = Rng::seed_from_u64(2);
    let mut drawn = |set| {
        let drills =
            (0..200).map(|_| names(&environment.draw(set, 64, &mut rng).sequence.workload));
        drills.flatten().collect::<BTreeSet<u32>>()
    };
    let (training, validation) = (drawn(Set::Training), drawn(Set::Validation));
    assert!(training.len() > 500 && validation.len() > 300);
    assert!(training.is_disjoint(&validation));
    assert!(training.union(&validation).all(|&id| early(id)));
}

#[test]
fn seeds_of_training_validation_and_judging_are_apart() {
    // Judging takes multiples of three.
    for at in 0..1_000 {
        assert_eq!(Set::Training.seed(at) % 3, 1);
        assert_eq!(Set::Validation.seed(at) % 3, 2);
    }
    // And other seeds give other jobs, which say so.
    let jobs = |seed| {
        let generator = LublinGenerator {
            jobs: 500,
            processors: 256,
            seed,
        };
        let submits = generator.generate().records.into_iter();
        submits
            .map(|record| (record.submit as u64, record.duration as u64))
            .collect::<BTreeSet<_>>()
    };
    let judged = jobs(0);
    for seed in [Set::Training.seed(0), Set::Validation.seed(0)] {
        assert!(jobs(seed).intersection(&judged).count() < 20);
    }
}

#[test]
fn a_short_training_helps_and_is_the_same_twice() {
    let path = trace("smoke");
    let environment = Environment::of_days(&path, "1x64", 1e9).expect("a trace");
    std::fs::remove_file(path).expect("it was written");
    let mut drawn = Rng::seed_from_u64(0);
    let validation: Vec<Drill> = (0..6)
        .map(|_| environment.draw(Set::Validation, 256, &mut drawn))
        .collect();
    let modes = [false, true];
    let train = || {
        let mut rng = Rng::seed_from_u64(1);
        let model = Model::drawn(&mut rng).expect("a network");
        let before = figures(&environment, &model, &validation).expect("figures");
        let teacher = Teacher::Sum(30.0);
        ppo::imitate(&environment, &model, teacher, &modes, 150, &mut rng).expect("steps");
        let round = Round {
            sequences: 2,
            rollouts: 4,
            length: 64,
            choices: 500,
            rate: 1e-3,
        };
        let mut ppo = Ppo::new(&model).expect("an optimiser");
        for _ in 0..2 {
            ppo.round(&environment, &model, round, &modes, &mut rng)
                .expect("a round");
        }
        let after = figures(&environment, &model, &validation).expect("figures");
        (before, after, model.parameters().expect("parameters"))
    };
    let (before, after, parameters) = train();
    assert!(after[0] < 0.8 * before[0], "{before:?} {after:?}");
    assert_eq!(train().2, parameters);
}

#[test]
fn a_training_goes_on_as_if_it_had_not_been_interrupted() {
    let path = trace("resume");
    let environment = Environment::of_days(&path, "1x64", 1e9).expect("a trace");
    std::fs::remove_file(path).expect("it was written");
    let round = Round {
        sequences: 1,
        rollouts: 3,
        length: 64,
        choices: 300,
        rate: 1e-3,
    };
    let learn = |model: &Model, ppo: &mut Ppo, at: u64| {
        let mut rng = Rng::seed_from_u64(at);
        ppo.round(&environment, model, round, &[true], &mut rng)
            .expect("a round");
    };
    let model = Model::drawn(&mut Rng::seed_from_u64(1)).expect("a network");
    let mut ppo = Ppo::new(&model).expect("an optimiser");
    learn(&model, &mut ppo, 1);
    let out = std::env::temp_dir().join(format!("picker-resume-{}", std::process::id()));
    let folder = Folder::make(&out, 1).expect("a folder");
    let kept = state(model.tensors().expect("tensors"), &ppo.adam, 1).expect("tensors");
    folder.keep("checkpoint", 1, &kept).expect("a file");
    learn(&model, &mut ppo, 2);

    let other = Model::drawn(&mut Rng::seed_from_u64(2)).expect("a network");
    let mut again = Ppo::new(&other).expect("an optimiser");
    let mut curve = Curve::new(&[]);
    let from = folder.kept("checkpoint");
    let at = resume(&from, &other, &mut again.adam, &mut curve).expect("a checkpoint");
    std::fs::remove_dir_all(out).expect("it was made");
    assert_eq!(at, 1);
    learn(&other, &mut again, 2);
    let [one, two] = [&model, &other].map(|model| model.parameters().expect("parameters"));
    assert_eq!(one, two);
}

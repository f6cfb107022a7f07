//! Gradients against finite differences, forward passes against the engine's, draws apart, trainings that
//! go on, and a short one that must help.

use super::decision::{Decision, Tree};
use super::learn::{self, Lesson, Sample};
use super::model::{Batch, Model};
use super::teacher::Teacher;
use super::{Arguments, Training, by_load, environment, relative, train, validation, worlds};
use crate::adam::Adam;
use crate::checkpoint;
use clap::Parser;
use rand_xoshiro::rand_core::SeedableRng;
use std::path::PathBuf;
use std::sync::Arc;
use switchyard::draw::{Rng, below, unit};
use switchyard::explain::Choice;
use switchyard::job::Job;
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::network::{LAYERS, Without};
use switchyard::placement::graph_rl::scene::{Layout, Observation};
use switchyard::workload::Workload;

const TREE: Tree = Tree {
    partitions: 3,
    racks: 2,
    servers: 3,
    groups: 2,
};

fn drawn<const WIDTH: usize>(count: usize, rng: &mut Rng) -> Vec<[f32; WIDTH]> {
    let row = |_| std::array::from_fn(|_| unit(rng) as f32);
    (0..count).map(row).collect()
}

fn decisions(tree: Tree, count: usize, rng: &mut Rng) -> Vec<Decision> {
    let racks = tree.partitions * tree.racks;
    let servers = racks * tree.servers;
    let evenly = |count: usize, each: usize| (0..count).map(|at| (at / each) as u32).collect();
    let layout = Arc::new(Layout {
        groups: (0..=servers).map(|at| (at * tree.groups) as u32).collect(),
        racks: evenly(servers, tree.servers),
        partitions: evenly(racks, tree.racks),
    });
    let one = |at: usize| {
        let asked = below(rng, tree.partitions as u32) as usize;
        let own = asked * tree.own_servers();
        let groups = (own..own + tree.own_servers()).flat_map(|node| {
            let group = |group| Choice::Group {
                node: node as u32,
                group,
            };
            (0..tree.groups as u32).map(group).collect::<Vec<_>>()
        });
        let others = (0..tree.partitions).filter(|&other| other != asked);
        let others = others.map(|other| Choice::Forward {
            partition: other as u32,
        });
        let all = groups.chain(others).chain([Choice::Wait]);
        let all: Vec<Choice> = all.filter(|_| unit(rng) < 0.7).collect();
        let choices = if all.is_empty() {
            vec![Choice::Wait]
        } else {
            all
        };
        let mut open: Vec<bool> = (0..tree.partitions).map(|_| unit(rng) < 0.7).collect();
        open[asked] = true;
        if at.is_multiple_of(3) {
            open.clear();
        }
        Decision {
            seen: Observation {
                layout: Arc::clone(&layout),
                job: drawn(1, rng)[0],
                groups: drawn(servers * tree.groups, rng),
                servers: drawn(servers, rng),
                racks: drawn(racks, rng),
                partitions: drawn(tree.partitions, rng),
            },
            asked,
            open,
            first: asked,
            chosen: below(rng, choices.len() as u32) as usize,
            choices,
            now: 0.0,
            log_probability: -1.0,
        }
    };
    (0..count).map(one).collect()
}

/// The four networks there are.
fn all_without() -> [Without; 3] {
    [(false, false), (true, false), (false, true)]
        .map(|(exchange, graph)| Without { exchange, graph })
}

/// With biases that are not all alike, and heads that are not small.
fn model(without: Without, rng: &mut Rng) -> Model {
    let model = Model::drawn(without, rng).expect("a network");
    let values = model.variables().into_iter().map(|(name, variable)| {
        let of = variable.flatten_all().and_then(|of| of.to_vec1::<f32>());
        let of = of.expect("numbers").into_iter();
        let scale = if name.contains(".1.") { 8.0 } else { 1.0 };
        let bias = |value: f32| {
            if name.ends_with("bias") {
                0.1
            } else {
                scale * value
            }
        };
        of.map(bias).collect()
    });
    model
        .set(&values.collect::<Vec<Vec<f32>>>())
        .expect("the same shapes");
    model
}

#[test]
fn forward_passes_are_the_engines() {
    let mut rng = Rng::seed_from_u64(3);
    for without in all_without() {
        let model = model(without, &mut rng);
        let network = model.network().expect("the engine's");
        for tree in [
            TREE,
            Tree {
                partitions: 1,
                ..TREE
            },
            Tree { groups: 3, ..TREE },
        ] {
            let all = decisions(tree, 40, &mut rng);
            let batch = Batch::of(tree, &all.iter().collect::<Vec<_>>()).expect("a batch");
            let judged = model.judge(&batch).expect("a forward pass");
            let ours =
                [&judged.values, &judged.options].map(|of| of.to_vec2::<f32>().expect("rows"));
            for (row, decision) in all.iter().enumerate() {
                assert_eq!(Tree::of(&decision.seen), Some(tree));
                let encoded = network.encode(&decision.seen, without);
                let values = network.values(&decision.seen, &encoded);
                let may = |&at: &usize| decision.open.get(at).is_none_or(|may| *may);
                let open = (0..tree.partitions).filter(may);
                let (open, values): (Vec<usize>, Vec<f32>) =
                    open.map(|at| (at, values[at])).unzip();
                is_close(&open, &values, &ours[0][row]);
                let asked = decision.asked as u32;
                let scores = network.scores(&decision.seen, &encoded, asked, &decision.choices);
                let options = decision.choices.iter();
                let options: Vec<usize> = options
                    .map(|&choice| tree.option(decision.asked, choice))
                    .collect();
                is_close(&options, &scores, &ours[1][row]);
            }
        }
    }
}

/// The engine's scores, as logarithms of probabilities, are those at these places.
fn is_close(at: &[usize], scores: &[f32], ours: &[f32]) {
    let all: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
    for (&at, &score) in at.iter().zip(scores) {
        let expected = f64::from(score) - all.ln();
        assert!(
            (f64::from(ours[at]) - expected).abs() < 1e-5,
            "{} and {expected}",
            ours[at]
        );
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let mut rng = Rng::seed_from_u64(5);
    let model = model(Without::default(), &mut rng);
    let all = decisions(TREE, 40, &mut rng);
    let batch = Batch::of(TREE, &all.iter().collect::<Vec<_>>()).expect("a batch");
    // The critic's estimate is no gradient to the others.
    let loss = |of_critic: bool| {
        let judged = model.judge(&batch).expect("a forward pass");
        let sum = if of_critic {
            judged.worth.mean(0)
        } else {
            judged.chosen.mean(0)
        };
        sum.expect("a sum")
    };
    let both = [false, true].map(|of| loss(of).backward().expect("gradients"));
    let (mut compared, mut layers) = (0, 0);
    for (name, variable) in model.variables() {
        let of_critic = name.starts_with("critic");
        let value = || f64::from(loss(of_critic).to_scalar::<f32>().expect("a number"));
        let before = variable.as_tensor().copy().expect("a copy");
        let flat = before.flatten_all().and_then(|flat| flat.to_vec1::<f32>());
        let flat = flat.expect("numbers");
        let gradient = both[usize::from(of_critic)].get(&variable);
        let gradient = gradient.expect("of every parameter").flatten_all();
        let gradient = gradient
            .and_then(|of| of.to_vec1::<f32>())
            .expect("numbers");
        for _ in 0..4 {
            let at = below(&mut rng, flat.len() as u32) as usize;
            let moved = |by: f32| {
                let mut flat = flat.clone();
                flat[at] += by;
                let moved = candle_core::Tensor::from_vec(flat, before.dims(), before.device());
                variable.set(&moved.expect("a tensor")).expect("a change");
                value()
            };
            const STEP: f32 = 1e-3;
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * f64::from(STEP));
            let ours = f64::from(gradient[at]);
            let tolerance = 3e-3 + 0.03 * expected.abs();
            assert!(
                (ours - expected).abs() < tolerance,
                "{name} {at}: {ours} and {expected}"
            );
            compared += u32::from(expected.abs() > 1e-2);
        }
        layers += 1;
        variable.set(&before).expect("a change");
    }
    assert_eq!(layers, 2 * (LAYERS.len() + 2));
    assert!(compared > 20, "{compared} gradients are more than noise");
}

#[test]
fn steps_do_not_depend_on_threads() {
    let one = |threads: usize| {
        let mut rng = Rng::seed_from_u64(7);
        let model = model(Without::default(), &mut rng);
        let mut adam = Adam::new(model.variables()).expect("an optimiser");
        let all = decisions(TREE, 100, &mut rng);
        let samples = all.iter().map(|decision| Sample {
            tree: TREE,
            decision,
            advantage: 1.0,
            worth: -0.5,
        });
        let samples: Vec<Sample<'_>> = samples.collect();
        for lesson in [
            Lesson::Imitation,
            Lesson::Expectation,
            Lesson::Reinforcement,
        ] {
            learn::step(&model, &mut adam, &samples, lesson, 1e-3, threads).expect("a step");
        }
        model.tensors(true).expect("numbers")
    };
    assert_eq!(one(1), one(3));
}

#[test]
fn held_out_draws_are_never_trained_on() {
    use switchyard::workload::Split;
    let mut rng = Rng::seed_from_u64(1);
    let held_out: Vec<u64> = (0..1000).map(|at| Split::HeldOut(at).seed()).collect();
    let validation: Vec<u64> = (0..1000).map(|at| worlds::to_validate(at).seed()).collect();
    for _ in 0..100_000 {
        let seed = worlds::to_train(&mut rng).seed();
        // Held-out seeds are odd, whatever their number.
        assert!(seed.is_multiple_of(2) && seed < validation[0]);
    }
    assert!(validation.iter().all(|seed| seed.is_multiple_of(2)));
    assert!(held_out.iter().all(|seed| !seed.is_multiple_of(2)));
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: Arguments,
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn arguments(out: &std::path::Path, line: &str) -> Arguments {
    let words = ["placer", "--out"].into_iter().map(str::to_owned);
    let words = words.chain([out.display().to_string()]);
    Line::parse_from(words.chain(line.split(' ').map(str::to_owned))).arguments
}

#[test]
fn a_training_that_goes_on_is_the_one_that_was_not_interrupted() {
    let small =
        "--jobs 1 --keep 1 --episodes 2 --validation 2 --imitate 2 --every 3 --decisions 128";
    let [whole, part, rest] =
        ["whole", "part", "rest"].map(|name| folder(&format!("train-{name}")));
    let run = |out: &PathBuf, more: &str| train(&arguments(out, &format!("{small} {more}")));
    run(&whole, "--rounds 6").expect("a training");
    run(&part, "--rounds 3").expect("its first half");
    let from = part.join("checkpoint.safetensors");
    run(&rest, &format!("--rounds 6 --resume {}", from.display())).expect("its second half");
    let training = arguments(&whole, small);
    let shapes = Training::new(&training).and_then(|training| training.tensors(0));
    let shapes = shapes.expect("shapes").into_iter();
    let shapes: Vec<_> = shapes.map(|(name, shape, _)| (name, shape)).collect();
    let read = |folder: &PathBuf| {
        checkpoint::read(&folder.join("checkpoint.safetensors"), &shapes).expect("a checkpoint")
    };
    assert_eq!(read(&whole), read(&rest));
    assert_ne!(read(&whole), read(&part));
    let curve =
        |folder: &PathBuf| std::fs::read_to_string(folder.join("curve.csv")).expect("a curve");
    assert_eq!(curve(&whole), curve(&rest));
    let after = folder("train-after");
    let first = whole.join("best.safetensors");
    run(&after, &format!("--rounds 0 --from {}", first.display())).expect("another after it");
    let said = |folder: &PathBuf| checkpoint::said(&folder.join("best.safetensors"));
    let (first, second) = (said(&whole).expect("facts"), said(&after).expect("facts"));
    assert!(first.contains("placement: graph-rl"), "{first}");
    assert!(second.contains(&format!("from: {first}")), "{second}");
    for folder in [whole, part, rest, after] {
        std::fs::remove_dir_all(folder).expect("it was written");
    }
}

#[test]
fn a_lower_part_of_the_loads_is_a_calmer_stream_of_the_same_jobs() {
    let of = |part| {
        worlds::World::to_train(5, 2, part)
            .expect("a world")
            .workload
    };
    let [calm, middle, whole] = [0.0, 0.5, 1.0].map(of);
    let last = |of: &Workload| of.jobs.last().expect("jobs").submit.seconds();
    assert!(last(&calm) > last(&middle) && last(&middle) > last(&whole));
    let works = |of: &Workload| of.jobs.iter().map(|job| job.work).collect::<Vec<_>>();
    assert_eq!(works(&calm), works(&whole));
}

/// Streams of the data centre have gangs of one to eight GPUs and few of one; real ones are unlike that.
#[test]
fn worlds_are_varied_too() {
    let of_one = (0..60).map(|seed| {
        let world = worlds::World::to_train(seed, 2, 1.0).expect("a world");
        let jobs = &world.workload.jobs;
        let count = |is: fn(u32) -> bool| jobs.iter().filter(|job| is(job.gpus)).count();
        let part = count(|gpus| gpus == 1) as f64 / jobs.len() as f64;
        (part, count(|gpus| gpus > 8) > 0)
    });
    let all: Vec<(f64, bool)> = of_one.collect();
    assert!(
        all.iter()
            .filter(|(part, _)| (0.05..0.25).contains(part))
            .count()
            > 20
    );
    assert!(all.iter().filter(|(part, _)| *part > 0.5).count() > 10);
    assert!((5..40).contains(&all.iter().filter(|(_, has_wide)| *has_wide).count()));
}

/// In the time of one gang of eight many of one GPU are done.
#[test]
fn who_is_imitated_lets_a_gang_wait_for_a_crowd_of_narrower_ones() {
    let world = |crowd: u32| {
        let of_one = |at: f64| Job::plain(at, 1, 100.0);
        let mut jobs = vec![of_one(0.0), Job::plain(1.0, 8, 100.0)];
        jobs.extend((0..crowd).map(|_| of_one(1.0)));
        worlds::World {
            cluster: "2x8".parse().expect("a cluster"),
            workload: Arc::new(Workload {
                jobs,
                ..Workload::default()
            }),
        }
    };
    let network = Arc::new(
        model(all_without()[0], &mut Rng::seed_from_u64(1))
            .network()
            .expect("one"),
    );
    let better = |crowd| {
        let world = world(crowd);
        let rule = environment::by(&world, Strategy::LEAST_INTERFERENCE_WAITING);
        let taught =
            environment::by_teacher(&world, Strategy::GRAPH_RL, &network, Teacher { most: 0.1 });
        taught.expect("a run") / rule.expect("a run")
    };
    assert!(better(200) < 0.98, "{}", better(200));
    assert_eq!(better(100), 1.0);
}

#[test]
fn kept_weights_are_the_mean_of_the_last_rounds() {
    let out = folder("train-average");
    let line =
        "--jobs 2 --keep 1 --episodes 1 --imitate 4 --decisions 64 --average 2 --curriculum 3";
    let arguments = arguments(&out, line);
    let mut training = Training::new(&arguments).expect("a training");
    let own = |training: &Training<'_>| training.model.tensors(false).expect("weights");
    assert_eq!(training.averaged().expect("weights"), own(&training));
    let after = [0, 1, 2].map(|round| {
        training.round(round).expect("a round");
        own(&training)
    });
    let [_, before, last] = after;
    for ((mean, a), b) in (training.averaged().expect("weights").iter().zip(&before)).zip(&last) {
        assert_eq!((&mean.0, &mean.1), (&a.0, &a.1));
        for ((mean, a), b) in mean.2.iter().zip(&a.2).zip(&b.2) {
            assert!((mean - 0.5 * (a + b)).abs() < 1e-6, "{mean} of {a} and {b}");
        }
    }
    assert_ne!(before, last);
}

#[test]
fn a_short_training_helps() {
    let out = folder("train-smoke");
    // Halfway it does worse than at the start: it has learned to wait, and not yet what for.
    let line = "--jobs 2 --keep 1 --episodes 4 --imitate 40 --decisions 3072";
    let longer = arguments(&out, "--jobs 4 --validation 3");
    let arguments = arguments(&out, line);
    let mut training = Training::new(&arguments).expect("a training");
    let worlds = validation(&longer).expect("worlds");
    let validate = |training: &Training<'_>| {
        let weights = training.averaged().expect("weights");
        training.validate(&weights, &worlds).expect("a validation")
    };
    let before = validate(&training);
    let mut losses = Vec::new();
    for round in 0..40 {
        let told = training.round(round).expect("a round");
        losses.push(told.means.loss);
    }
    let after = validate(&training);
    // While only the critic learns, what is done stays the same.
    training.round(40).expect("a round");
    assert_eq!(validate(&training), after);
    let better = relative(&after, &before);
    assert!(better < 0.8, "{better}; {}", by_load(&after, &before));
    // Of imitation: alike at first, and then mostly the teacher's choice.
    assert!(losses[39] < 0.6 * losses[0], "{losses:?}");
    assert_eq!(arguments.placement(), Strategy::GRAPH_RL);
}

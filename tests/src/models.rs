//! Golden figures of Pollux's models: fits, choices, profiles and generated workloads, folded into
//! fingerprints that must be the same natively and in wasm.

use std::sync::Arc;
use switchyard::goodput::noise::{NoiseAverage, norms};
use switchyard::goodput::{Agent, CandidateTable, Fits, Observation};
use switchyard::workload::application::{even, packed};
use switchyard::workload::{Application, BindingRule, PolluxGenerator, Unbound};

/// The lines of `golden/hashes.txt` that are not runs, computed here and now.
///
/// # Panics
///
/// If a model refuses what is sound.
pub fn lines() -> Vec<String> {
    let applications = Application::embedded();
    let line = |name: &str, print: Print| format!("models {name} {:016x}", print.0);
    vec![
        line("agents", agents(&applications)),
        line("profiles", profiles(&applications)),
        line("workload", workload(&applications)),
        line("noise", noise()),
    ]
}

/// A fingerprint of figures, bit for bit (FNV-1a over 64-bit words).
struct Print(u64);

impl Print {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
    }

    fn figure(&mut self, figure: f64) {
        self.word(figure.to_bits());
    }
}

/// Every application's agent, from one GPU to 32: each fit, and what is chosen by it.
fn agents(applications: &[Application]) -> Print {
    let mut print = Print::new();
    for application in applications {
        let table = CandidateTable::new(application.limits, 64, 4);
        let mut agent = Agent::new(Arc::new(table));
        for (nodes, replicas) in [(1, 1), (1, 2), (1, 4), (2, 5), (2, 8), (4, 16), (8, 32)] {
            let local = agent.configure(nodes, replicas);
            let placement = even(nodes, replicas);
            let times = application.step_times(&placement, local.m);
            let observation = Observation {
                nodes,
                replicas,
                m: local.m,
                step: times.step,
                sync: times.sync,
            };
            let batch = local.total(replicas);
            let stats = application.stats(batch, 1);
            agent
                .observe(observation, stats, &mut Fits::default())
                .expect("a model's own times are sound");
            let params = agent.params().expect("a step was seen");
            for figure in [
                params.alpha_c,
                params.beta_c,
                params.alpha_n,
                params.beta_n,
                params.alpha_r,
                params.beta_r,
                params.gamma,
            ] {
                print.figure(figure);
            }
            for replicas in 1..=agent.max_replicas() {
                let choice = agent.choose(replicas.div_ceil(4), replicas);
                print.figure(choice.map_or(0.0, |choice| choice.goodput));
                print.word(choice.map_or(0, |choice| choice.batch.total(replicas) as u64));
            }
        }
    }
    print
}

/// Training times.
fn profiles(applications: &[Application]) -> Print {
    let mut print = Print::new();
    for application in applications {
        for gpus in [1, 2, 3, 8, 20] {
            let placement = packed(gpus, 4);
            let batch = application.best_batch(&placement);
            print.word(u64::from(batch));
            print.figure(application.training_time(&placement, batch));
        }
    }
    print
}

/// The paper's workload, and what its records would be bound to were they plain.
fn workload(applications: &[Application]) -> Print {
    let trace = PolluxGenerator::default()
        .generate(applications)
        .expect("the defaults are sound");
    let mut print = Print::new();
    for record in &trace.records {
        print.figure(record.submit);
        print.figure(record.duration);
        print.word(u64::from(record.gpus));
    }
    let plain = trace.records.iter().map(|record| Unbound {
        model: None,
        submit: record.submit,
        duration: record.duration,
        gpus: record.gpus,
        batch: None,
    });
    let bound = BindingRule::default().bind(plain, applications);
    for bound in bound.expect("the paper's rule") {
        print.word(u64::from(bound.application));
        print.word(u64::from(bound.batch));
        print.figure(bound.scale);
    }
    print
}

/// Estimates from made-up gradients.
fn noise() -> Print {
    let mut print = Print::new();
    let mut average = NoiseAverage::default();
    for step in 1..=5u32 {
        let gradient = |k: u32| -> Vec<f32> {
            (0..3001u32)
                .map(|i| ((i * 37 + k * 101 + step * 17) % 211) as f32 / 53.0 - 2.0)
                .collect()
        };
        let gradients: Vec<Vec<f32>> = (0..4).map(gradient).collect();
        let rows: Vec<&[f32]> = gradients.iter().map(Vec::as_slice).collect();
        let norms = norms(&rows, None).expect("sound");
        let stats = norms.stats(8.0).expect("four gradients");
        average.update(&stats, 8.0, false);
        let stats = average.stats().expect("an estimate");
        print.figure(stats.sqr);
        print.figure(stats.var);
    }
    print
}

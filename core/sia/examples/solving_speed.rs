//! How long Sia's integer program of a round takes, over cluster and jobs: `cargo run --release -p switchyard-sia
//! --example solving_speed`. In Node's wasm, as the page has it, by
//! `cargo build --profile page --target wasm32-unknown-unknown -p switchyard-sia --example solving_speed`,
//! `wasm-bindgen --target nodejs --out-dir target/sia target/wasm32-unknown-unknown/page/examples/solving_speed.wasm`
//! and `node target/sia/solving_speed.js`.
//!
//! The paper's cluster and multiples of it. Jobs differ in how fast each type is for them, how they scale, and what a
//! restart costs them; up to three quarters of them ran before, on what the round before gave them, and in each round
//! a tenth of the jobs is new. The median, the 95th percentile and the greatest of the rounds are printed, and how
//! many plans are proven best to within 0.01 %.

use switchyard_sia::configurations::{Configuration, NodeType, configurations};
use switchyard_sia::program::{Effort, Program, ProgramError, solve};
use switchyard_sia::rows::{Objective, restart_factor};

/// A clock, in seconds, and a place for lines.
#[cfg(not(target_arch = "wasm32"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Instant;

    pub(crate) fn now() -> f64 {
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64()
    }

    pub(crate) fn say(line: &str) {
        println!("{line}");
    }
}

/// Those of Node.
#[cfg(target_arch = "wasm32")]
mod host {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn milliseconds() -> f64;

        #[wasm_bindgen(js_namespace = console, js_name = log)]
        pub(crate) fn say(line: &str);
    }

    pub(crate) fn now() -> f64 {
        milliseconds() / 1000.0
    }
}

/// Rounds of each size.
const ROUNDS: usize = 60;

/// The paper's cluster so many times, and jobs for it.
const SIZES: [(u32, usize); 9] = [
    (1, 10),
    (1, 20),
    (1, 40),
    (1, 80),
    (1, 160),
    (2, 80),
    (4, 160),
    (8, 320),
    (32, 1280),
];

/// Numbers without order, the same each time (Knuth's MMIX generator).
struct Draw(u64);

impl Draw {
    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A job, as far as its row tells.
struct Job {
    speeds: [f64; 3],
    /// Goodput grows with GPUs to this power.
    scaling: f64,
    most_gpus: u32,
    age: f64,
    restarts: u32,
    former: Option<usize>,
}

impl Job {
    fn new(draw: &mut Draw) -> Self {
        Self {
            speeds: [1.0, 2.0 + 4.0 * draw.next(), 1.2 + draw.next()],
            scaling: 0.4 + 0.5 * draw.next(),
            most_gpus: 1,
            age: 60.0,
            restarts: 0,
            former: None,
        }
    }

    fn row(&self, columns: &[Configuration]) -> Vec<f32> {
        let value = |column: &Configuration| {
            if column.gpus > self.most_gpus {
                return 1e-4;
            }
            let across = if column.nodes > 1 { 0.9 } else { 1.0 };
            let speed = self.speeds[column.kind] * libm::pow(f64::from(column.gpus), self.scaling);
            (speed * across) as f32
        };
        columns.iter().map(value).collect()
    }
}

fn main() -> Result<(), ProgramError> {
    host::say("GPUs  jobs  columns  median ms  p95 ms  most ms  proven");
    for (times, count) in SIZES {
        let types = [
            NodeType::new("aws", 6 * times, 4),
            NodeType::new("dgx-ext", 2 * times, 8),
            NodeType::new("rtx", 3 * times, 8),
        ];
        let columns = configurations(&types);
        let gpus: Vec<u32> = types.iter().map(NodeType::gpus).collect();
        let all: u32 = gpus.iter().sum();
        let mut draw = Draw(1);
        let mut jobs: Vec<Job> = (0..count).map(|_| Job::new(&mut draw)).collect();
        let mut seconds = Vec::with_capacity(ROUNDS);
        let mut proven = 0;
        for _ in 0..ROUNDS {
            let objective = Objective::default();
            let costs = jobs.iter().map(|job| {
                let factor = restart_factor(job.age, job.restarts, 30.0);
                objective.costs(&job.row(&columns), job.former, factor)
            });
            let program = Program {
                columns: columns.clone(),
                gpus: gpus.clone(),
                costs: costs.collect(),
                kept: vec![None; jobs.len()],
                former: jobs.iter().map(|job| job.former).collect(),
            };
            let effort = Effort {
                zero: 110 * jobs.len() as i64,
                ..Effort::default()
            };
            let begin = host::now();
            let solution = solve(&program, &effort)?;
            seconds.push(host::now() - begin);
            let gap = (solution.cost - solution.bound) as f64;
            let is_proven = gap <= (effort.zero + solution.cost) as f64 * effort.gap;
            proven += u32::from(is_proven);
            for (job, chosen) in jobs.iter_mut().zip(&solution.chosen) {
                job.age += 60.0;
                if let Some(column) = chosen {
                    job.most_gpus = job.most_gpus.max(columns[*column].gpus * 2).min(64);
                    job.restarts += u32::from(job.former.is_some() && job.former != *chosen);
                }
                job.former = *chosen;
                if draw.next() < 0.1 {
                    *job = Job::new(&mut draw);
                }
            }
        }
        seconds.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        let at = |share: f64| 1000.0 * seconds[((seconds.len() - 1) as f64 * share) as usize];
        host::say(&format!(
            "{all:>4}  {count:>4}  {:>7}  {:>9.2}  {:>6.2}  {:>7.2}  {proven} of {ROUNDS}",
            columns.len(),
            at(0.5),
            at(0.95),
            at(1.0),
        ));
    }
    Ok(())
}

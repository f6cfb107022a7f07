//! `switchyard-bench pollux`: what a scheduling round of Pollux costs, and a whole run.
//!
//! Each size is a sequence of rounds, 60 s apart, in which each search starts from the last one's
//! front: jobs age, now and then one ends and another comes. Goodput is that of the six embedded
//! applications, in the shares of the paper's workload, at random progress.

mod whole;

use anyhow::Result;
use clap::Args;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::Serialize;
use std::time::Instant;
use switchyard::goodput::batch::choose;
use switchyard::policies::Rng;
use switchyard::policies::pollux::{
    Candidate, Node, Outcome, Problem, ProblemError, Search, SearchParameters, Stopped,
};
use switchyard::workload::application::Profile;
use switchyard::workload::{Application, MIX};

#[derive(Args)]
pub(crate) struct Arguments {
    /// Jobs in a round
    #[arg(long, value_delimiter = ',', default_values_t = [3, 10, 30, 60, 100, 200])]
    jobs: Vec<usize>,
    /// Nodes of 4 GPUs
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64])]
    nodes: Vec<u32>,
    /// Rounds per figure
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Exponent of the power mean
    #[arg(long, default_value_t = -1.0, allow_negative_numbers = true)]
    p: f64,
    /// Generations without improvement after which a search stops
    #[arg(long, default_value_t = SearchParameters::default().patience)]
    patience: u32,
    /// Let new jobs have 64 GPUs at once, instead of twice what they have had
    #[arg(long)]
    explored: bool,
    /// Whole runs instead, and what processor time they take: 160 and 960 jobs of our generator on
    /// 16 and 64 nodes of 4, with embedded profiles
    #[arg(long)]
    whole: bool,
    #[command(flatten)]
    whole_runs: whole::WholeArguments,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Rounds of one size.
#[derive(Serialize)]
struct Figure {
    nodes: u32,
    jobs: usize,
    /// Building a round's tables from known goodputs.
    tables_ms: Spread,
    /// Searching it.
    search_ms: Spread,
    /// Searching it through all generations.
    full_ms: Spread,
    /// How many times faster the search is for stopping early.
    gain: f64,
    /// Nanoseconds for each distinct child, in the full search.
    child_ns: f64,
    /// Shares of the searches that ended at the bound, and out of patience.
    at_bound: f64,
    out_of_patience: f64,
    /// F0 found, over what the full search finds from the same front with the same seed.
    fitness_ratio: Spread,
    /// F0 of the full search with another seed over that: how much is chance.
    chance_ratio: Spread,
}

/// Least, mean and greatest.
#[derive(Clone, Copy, Serialize)]
struct Spread {
    min: f64,
    mean: f64,
    max: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let fold = |with: fn(f64, f64) -> f64| values.iter().copied().reduce(with);
        Self {
            min: fold(f64::min).unwrap_or(0.0),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            max: fold(f64::max).unwrap_or(0.0),
        }
    }
}

/// A job of the sequence.
struct Job {
    candidate: Candidate,
    /// Goodput by replicas, on one node and on several.
    goodput: Vec<[f64; 2]>,
}

impl Job {
    fn new(key: u32, applications: &[Application], rng: &mut Rng) -> Self {
        let mut lot = draw(rng, 1000);
        let drawn = MIX.iter().find(|(_, share)| {
            let is_it = lot < *share;
            lot = lot.saturating_sub(*share);
            is_it
        });
        let name = drawn.map_or(MIX[0].0, |(name, _)| name);
        let application = applications
            .iter()
            .find(|application| &*application.name == name)
            .expect("every application of the mix is embedded");
        let Profile::Fitted(fitted) = application.profile() else {
            unreachable!("embedded applications are models");
        };
        let epoch = draw(rng, application.epochs());
        let limits = &application.limits;
        let stats = application.stats(f64::from(limits.m0), epoch);
        let goodput = |nodes: u32, replicas: u32| {
            let choice = choose(&fitted.params, &stats, limits, nodes, replicas);
            choice.map_or(0.0, |choice| choice.goodput)
        };
        let goodput = (0..=MOST_REPLICAS)
            .map(|k| [1, 2].map(|nodes| if k < nodes { 0.0 } else { goodput(nodes, k) }))
            .collect();
        let candidate = Candidate {
            key,
            current: Vec::new(),
            min_replicas: 1,
            max_replicas: 2,
            preemptible: true,
            started: false,
            profiled: true,
            attained: 0.0,
            age: 0.0,
            restarts: 0,
            submit_order: key,
        };
        Self { candidate, goodput }
    }
}

/// A uniform integer.
fn draw(rng: &mut Rng, bound: u32) -> u32 {
    (rng.next_u64() % u64::from(bound)) as u32
}

/// A cluster and its jobs from round to round.
struct Rounds {
    nodes: Vec<Node>,
    jobs: Vec<Job>,
    next_key: u32,
    applications: Vec<Application>,
    rng: Rng,
    explored: bool,
}

/// The most GPUs of a job.
const MOST_REPLICAS: u32 = 64;
/// One job in so many ends with a round.
const LIFE: u32 = 60;
/// Rounds before measuring, so that jobs have explored and fronts are warm.
const WARMING: u32 = 15;

impl Rounds {
    fn new(nodes: u32, jobs: usize, explored: bool) -> Self {
        let applications = Application::embedded();
        let mut rng = Rng::seed_from_u64(2021);
        Self {
            nodes: (0..nodes).map(|key| Node { key, gpus: 4 }).collect(),
            jobs: (0..jobs as u32)
                .map(|key| Job::new(key, &applications, &mut rng))
                .collect(),
            next_key: jobs as u32,
            applications,
            rng,
            explored,
        }
    }

    fn problem(&self, parameters: SearchParameters) -> Result<Problem, ProblemError> {
        let candidates: Vec<_> = self
            .jobs
            .iter()
            .map(|job| {
                let mut candidate = job.candidate.clone();
                if self.explored {
                    candidate.max_replicas = MOST_REPLICAS;
                }
                candidate
            })
            .collect();
        Problem::new(
            &self.nodes,
            &candidates,
            parameters,
            |job, nodes, replicas| {
                self.jobs[job].goodput[replicas as usize][usize::from(nodes > 1)]
            },
        )
    }

    /// A minute passes.
    fn go_on(&mut self, outcome: &Outcome) {
        for (i, job) in self.jobs.iter_mut().enumerate() {
            let job = &mut job.candidate;
            let parts: Vec<_> = outcome.allocation.parts(i).collect();
            let replicas = outcome.allocation.replicas(i);
            job.restarts += u32::from(job.started && parts != job.current);
            job.started |= replicas > 0;
            job.current = parts;
            job.age += 60.0;
            job.attained += 60.0 * f64::from(replicas);
            job.max_replicas = job.max_replicas.max(2 * replicas).min(MOST_REPLICAS);
        }
        for i in 0..self.jobs.len() {
            if draw(&mut self.rng, LIFE) == 0 {
                self.jobs[i] = Job::new(self.next_key, &self.applications, &mut self.rng);
                self.next_key += 1;
            }
        }
    }
}

/// Runs something; what it gives, and the milliseconds it takes.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64() * 1e3)
}

fn measure(arguments: &Arguments, nodes: u32, jobs: usize) -> Result<Figure> {
    let parameters = SearchParameters {
        p: arguments.p,
        patience: arguments.patience,
        ..SearchParameters::default()
    };
    let full = SearchParameters {
        patience: 0,
        stop_at_bound: false,
        ..parameters
    };
    let mut rounds = Rounds::new(nodes, jobs, arguments.explored);
    let mut search = Search::new();
    let mut rng = Rng::seed_from_u64(1);
    for _ in 0..WARMING {
        let outcome = search.run(&rounds.problem(parameters)?, &mut rng);
        rounds.go_on(&outcome);
    }
    let (mut tables, mut short, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ratios, mut chances) = (Vec::new(), Vec::new());
    let (mut children, mut at_bound, mut out_of_patience) = (0, 0.0, 0.0);
    for _ in 0..arguments.rounds {
        let (problem, ms) = timed(|| rounds.problem(parameters));
        let problem = problem?;
        tables.push(ms);
        let everything = rounds.problem(full)?;
        let mut others = [search.clone(), search.clone()];
        let mut other_rngs = [rng.clone(), Rng::seed_from_u64(rng.clone().next_u64())];

        let (outcome, ms) = timed(|| search.run(&problem, &mut rng));
        short.push(ms);
        let (reference, ms) = timed(|| others[0].run(&everything, &mut other_rngs[0]));
        whole.push(ms);
        let other = others[1].run(&everything, &mut other_rngs[1]);
        children += reference.evaluated;
        let best = reference.fitness.mean_speedup;
        ratios.push(outcome.fitness.mean_speedup / best);
        chances.push(other.fitness.mean_speedup / best);
        match outcome.stopped {
            Stopped::Bound => at_bound += 1.0,
            Stopped::Patience => out_of_patience += 1.0,
            Stopped::Generations | Stopped::Exhausted => {}
        }
        rounds.go_on(&outcome);
    }
    let count = f64::from(arguments.rounds);
    Ok(Figure {
        nodes,
        jobs,
        tables_ms: Spread::of(&tables),
        search_ms: Spread::of(&short),
        full_ms: Spread::of(&whole),
        gain: whole.iter().sum::<f64>() / short.iter().sum::<f64>(),
        child_ns: whole.iter().sum::<f64>() * 1e6 / children as f64,
        at_bound: at_bound / count,
        out_of_patience: out_of_patience / count,
        fitness_ratio: Spread::of(&ratios),
        chance_ratio: Spread::of(&chances),
    })
}

pub(crate) fn pollux(arguments: &Arguments) -> Result<()> {
    if arguments.whole {
        return whole::whole(&arguments.whole_runs, arguments.json);
    }
    let mut figures = Vec::new();
    if !arguments.json {
        println!(
            "{:>5} {:>5} {:>10} {:>18} {:>18} {:>6} {:>9} {:>14} {:>24} {:>24}",
            "nodes",
            "jobs",
            "tables ms",
            "search ms (max)",
            "all gen. ms (max)",
            "gain",
            "ns/child",
            "bound/patience",
            "F0 over full (min max)",
            "another seed (min max)"
        );
    }
    for &nodes in &arguments.nodes {
        for &jobs in &arguments.jobs {
            let figure = measure(arguments, nodes, jobs)?;
            if !arguments.json {
                print(&figure);
            }
            figures.push(figure);
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
    }
    Ok(())
}

fn print(figure: &Figure) {
    let time = |spread: Spread| format!("{:.2} ({:.2})", spread.mean, spread.max);
    let ratio =
        |spread: Spread| format!("{:.4} ({:.3} {:.3})", spread.mean, spread.min, spread.max);
    println!(
        "{:>5} {:>5} {:>10.3} {:>18} {:>18} {:>6.2} {:>9.0} {:>14} {:>24} {:>24}",
        figure.nodes,
        figure.jobs,
        figure.tables_ms.mean,
        time(figure.search_ms),
        time(figure.full_ms),
        figure.gain,
        figure.child_ns,
        format!("{:.2}/{:.2}", figure.at_bound, figure.out_of_patience),
        ratio(figure.fitness_ratio),
        ratio(figure.chance_ratio),
    );
}

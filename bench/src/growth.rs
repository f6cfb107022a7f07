//! `switchyard-bench growth`: what a run costs where so many jobs wait from its first second on, for each policy.
//! What grows as the jobs do has an exponent of 1, what looks at all who wait at each event one of 2.

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use switchyard::RunSpec;
use switchyard::job::Job;
use switchyard::policies::POLICIES;
use switchyard::weights;
use switchyard::workload::Workload;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Policies to measure [default: all that are built in]
    #[arg(long = "policy")]
    policies: Vec<String>,
    /// How many jobs wait, in ascending order
    #[arg(long = "waiting", default_values_t = [1_000, 10_000, 100_000])]
    waiting: Vec<u32>,
    /// A run that takes longer is ended, seconds
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Jobs that want GPUs of a cluster.
struct World {
    name: &'static str,
    cluster: &'static str,
    /// Gangs, in turn.
    gangs: &'static [u32],
}

/// Everything submitted in one second.
const WORLDS: [World; 2] = [
    World {
        name: "one GPU",
        cluster: "1x1",
        gangs: &[1],
    },
    World {
        name: "128 GPUs",
        cluster: "16x8",
        gangs: &[1, 1, 2, 1, 4, 1, 8, 1, 16],
    },
];

#[derive(Serialize)]
struct Figure {
    policy: String,
    world: &'static str,
    waiting: u32,
    /// `None`: over the limit, or ended by an error.
    seconds: Option<f64>,
    /// How many jobs were done by then.
    done: u32,
}

pub(crate) fn growth(arguments: &Arguments) -> Result<()> {
    let own = ["script", "plugin"];
    let all = POLICIES.iter().map(|entry| entry.name);
    let all = all.filter(|name| !own.contains(name)).map(str::to_owned);
    let policies = match &arguments.policies[..] {
        [] => all.collect(),
        some => some.to_vec(),
    };
    let mut figures = Vec::new();
    if !arguments.json {
        println!("{:<28}{:<10}{}", "policy", "world", columns(arguments));
    }
    for policy in &policies {
        for world in &WORLDS {
            let mut of_world = Vec::new();
            for &waiting in &arguments.waiting {
                let figure = run(policy, world, waiting, arguments.limit)?;
                let is_over = figure.seconds.is_none();
                of_world.push(figure);
                if is_over {
                    break;
                }
            }
            if !arguments.json {
                println!("{:<28}{:<10}{}", policy, world.name, told(&of_world));
            }
            figures.extend(of_world);
        }
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
    }
    Ok(())
}

fn run(policy: &str, world: &World, waiting: u32, limit: f64) -> Result<Figure> {
    let spec = RunSpec::new(policy.parse()?, world.cluster.parse()?);
    let job = |i: u32| {
        let gang = world.gangs[i as usize % world.gangs.len()];
        // Times of all lengths, in no order.
        let seconds = 600.0 + f64::from(i.wrapping_mul(2_654_435_761) % 7_200);
        Job::plain(0.0, gang, seconds)
    };
    let workload = Workload {
        jobs: (0..waiting).map(job).collect(),
        ..Workload::default()
    };
    let begin = Instant::now();
    let mut run = spec.start_with(Arc::new(workload), &weights::shipped())?;
    let mut is_over = false;
    while !is_over {
        match run.step() {
            Ok(true) => is_over = begin.elapsed().as_secs_f64() > limit,
            Ok(false) => break,
            // Its log is full, for one.
            Err(error) => {
                eprintln!("{error}");
                is_over = true;
            }
        }
    }
    Ok(Figure {
        policy: policy.to_owned(),
        world: world.name,
        waiting,
        seconds: (!is_over).then(|| begin.elapsed().as_secs_f64()),
        done: run.progress().done,
    })
}

fn columns(arguments: &Arguments) -> String {
    let waiting = arguments.waiting.iter();
    let seconds: String = waiting
        .map(|of| format!("{:>14}", format!("{of} (s)")))
        .collect();
    seconds + "   exponent"
}

fn told(figures: &[Figure]) -> String {
    let seconds = figures.iter().map(|figure| match figure.seconds {
        Some(seconds) => format!("{seconds:>14.3}"),
        None => format!("{:>14}", format!("over ({} done)", figure.done)),
    });
    let mut told: String = seconds.collect();
    if let [.., a, b] = figures
        && let (Some(before), Some(after)) = (a.seconds, b.seconds)
    {
        let times = f64::from(b.waiting) / f64::from(a.waiting);
        told += &format!("{:>11.2}", (after / before).ln() / times.ln());
    }
    told
}

//! `cargo xtask walk`: the browser tests' random walk (`tests/e2e/walk.mjs`), as long as one likes.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;

use crate::setup::Need;
use crate::{build, setup, shell, workspace};

/// How far to walk, and which way.
#[derive(Args)]
pub(crate) struct Options {
    /// How many steps over each build
    #[arg(long, value_name = "N", default_value_t = 3000)]
    steps: u32,
    /// Which walk; without it another one each time
    #[arg(long, value_name = "S")]
    seed: Option<u32>,
}

/// Walks over each build that people run.
pub(crate) fn walk(options: &Options) -> Result<()> {
    let needs = [build::NEEDS, &[Need::Browser, Need::NodePackages]].concat();
    let toolbox = setup::toolbox(&needs)?;
    build::build_as_served(&toolbox)?;
    build::build(&toolbox)?;
    let steps = options.steps;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH);
    let seed = options
        .seed
        .unwrap_or_else(|| now().map_or(0, |now| now.subsec_nanos()));
    println!("to take this walk again: cargo xtask walk --steps {steps} --seed {seed}");
    shell::run(
        toolbox
            .command("node")?
            .args(["--test", "--test-reporter=spec"])
            .arg(workspace::e2e().join("walk.test.mjs"))
            .env("SWITCHYARD_WALK_STEPS", steps.to_string())
            .env("SWITCHYARD_WALK_SEED", seed.to_string()),
    )
}

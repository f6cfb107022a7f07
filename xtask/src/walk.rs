//! `cargo xtask walk`: the browser tests' random walk (`tests/e2e/walk.mjs`), as long as one likes.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::setup::Need;
use crate::{build, setup, shell, workspace};

/// How far to walk, and which way.
pub(crate) struct Options {
    steps: u32,
    seed: u32,
}

impl Options {
    /// Reads them from the command line; without a seed it is another walk each time.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut options = Self {
            steps: 3000,
            seed: now.map_or(0, |now| now.subsec_nanos()),
        };
        while let Some(arg) = args.next() {
            let value = match arg.as_str() {
                "--steps" => &mut options.steps,
                "--seed" => &mut options.seed,
                _ => bail!("`walk` has no option `{arg}`: see `cargo xtask help`"),
            };
            let number = args
                .next()
                .with_context(|| format!("{arg} takes a number"))?;
            *value = number
                .parse()
                .with_context(|| format!("{arg} takes a number, not `{number}`"))?;
        }
        Ok(options)
    }
}

/// Walks over each build that people run.
pub(crate) fn walk(options: &Options) -> Result<()> {
    let needs = [build::NEEDS, &[Need::Browser, Need::NodePackages]].concat();
    let toolbox = setup::toolbox(&needs)?;
    build::build_as_served(&toolbox)?;
    build::build(&toolbox)?;
    let Options { steps, seed } = options;
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

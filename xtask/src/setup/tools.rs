//! The command line tools: their versions, and how each is installed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::tools_dir;
use crate::{shell, workspace};

/// 0.22 needs a newer Rust than the workspace asks for.
const TRUNK: &str = "0.21.14";
const NEXTEST: &str = "0.9.143";
/// The same version stands in Trunk.toml, or Trunk would fetch another.
const BINARYEN: &str = "132.0.0";

/// A tool of one version.
pub(super) struct Tool {
    /// The package it comes in.
    pub(super) package: &'static str,
    version: String,
    /// The program that shows whether it is there, and what it says of its version.
    program: &'static str,
    says: String,
    source: Source,
}

enum Source {
    /// A crate; whether the lock file it was published with is of use; a word on how long it takes.
    Crate { locked: bool, takes: &'static str },
    /// A Node package.
    Npm,
}

pub(super) fn trunk() -> Tool {
    Tool {
        package: "trunk",
        version: TRUNK.to_owned(),
        program: "trunk",
        says: format!("trunk {TRUNK}"),
        source: Source::Crate {
            locked: true,
            takes: "5 to 10 minutes",
        },
    }
}

/// Must be of exactly the version of the library.
pub(super) fn wasm_bindgen() -> Result<Tool> {
    let version = workspace::locked_version("wasm-bindgen")?;
    Ok(Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen-test-runner",
        says: format!("wasm-bindgen-test-runner {version}"),
        version,
        source: Source::Crate {
            locked: false,
            takes: "2 to 4 minutes",
        },
    })
}

pub(super) fn nextest() -> Tool {
    Tool {
        package: "cargo-nextest",
        version: NEXTEST.to_owned(),
        program: "cargo-nextest",
        // Any version will do.
        says: "cargo-nextest".to_owned(),
        source: Source::Crate {
            locked: true,
            takes: "5 to 10 minutes",
        },
    }
}

pub(super) fn wasm_opt() -> Tool {
    Tool {
        package: "binaryen",
        version: BINARYEN.to_owned(),
        program: "wasm-opt",
        says: format!("wasm-opt version {}", BINARYEN.trim_end_matches(".0.0")),
        source: Source::Npm,
    }
}

impl Tool {
    /// The folder where the tool's programs lie, after installing them if need be; none where they
    /// are on the `PATH` already.
    pub(super) fn ensure(&self) -> Result<Option<PathBuf>> {
        let home = tools_dir()?.join(format!("{}-{}", self.package, self.version));
        let programs = match self.source {
            Source::Crate { .. } => home.join("bin"),
            Source::Npm => home.join("node_modules/.bin"),
        };
        if programs.join(self.program).is_file() {
            return Ok(Some(programs));
        }
        if self.is_on_path() {
            return Ok(None);
        }
        match self.source {
            Source::Crate { locked, takes } => self.install_crate(&home, locked, takes)?,
            Source::Npm => self.install_npm(&home)?,
        }
        Ok(Some(programs))
    }

    /// Whether it is there by other means, in the right version.
    fn is_on_path(&self) -> bool {
        shell::find(&[self.program]).is_some_and(|program| {
            shell::output(shell::command(program).arg("--version"))
                .is_ok_and(|version| version.starts_with(&self.says))
        })
    }

    fn install_crate(&self, home: &Path, locked: bool, takes: &str) -> Result<()> {
        println!(
            "setup: compiling {} {} into {}: a one-off of {takes}",
            self.package,
            self.version,
            home.display()
        );
        let mut install = shell::command("cargo");
        install
            .args(["install", self.package])
            .args(["--version", &self.version])
            .arg("--root")
            .arg(home);
        if locked {
            install.arg("--locked");
        }
        shell::run(&mut install)
    }

    /// Installs beside its final place first, so that what lies there is always whole.
    fn install_npm(&self, home: &Path) -> Result<()> {
        let package = format!("{}@{}", self.package, self.version);
        println!("setup: installing {package} into {}", home.display());
        let partial = home.with_extension("partial");
        if partial.exists() {
            std::fs::remove_dir_all(&partial)?;
        }
        std::fs::create_dir_all(&partial)?;
        shell::run(
            shell::command("npm")
                .args(["install", "--silent", "--no-save", "--prefix"])
                .arg(&partial)
                .arg(&package),
        )?;
        std::fs::rename(&partial, home)
            .with_context(|| format!("cannot move {package} to {}", home.display()))
    }
}

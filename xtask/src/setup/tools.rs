//! The command line tools: their versions, and how each is installed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::tools_dir;
use crate::{shell, workspace};

/// 0.22 needs a newer Rust than the workspace asks for.
const TRUNK: &str = "0.21.14";
const NEXTEST: &str = "0.9.143";
const DENY: &str = "0.20.2";
/// The same version stands in Trunk.toml, or Trunk would fetch another.
const BINARYEN: &str = "132.0.0";

/// What makes a tool quick to compile. All of them work for seconds: optimising them took minutes.
const UNOPTIMISED: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_STRIP", "true"),
];

/// A tool of one version.
pub(super) struct Tool {
    /// The package it comes in.
    package: &'static str,
    version: String,
    /// The program that shows whether it is there, and what it says of its version.
    program: &'static str,
    says: String,
    source: Source,
}

enum Source {
    /// A crate, with these of its features alone.
    Crate { features: &'static str },
    /// A crate, by way of a package of ours that locks what it is made of, in this folder.
    Locked { folder: &'static str },
    /// A Node package.
    Npm,
}

pub(super) fn trunk() -> Tool {
    Tool {
        package: "trunk",
        version: TRUNK.to_owned(),
        program: "trunk",
        says: format!("trunk {TRUNK}"),
        // Without TLS: it has nothing to fetch.
        source: Source::Crate { features: "" },
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
        source: Source::Locked {
            folder: "xtask/bindgen",
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
            features: "default-no-update",
        },
    }
}

pub(super) fn deny() -> Tool {
    Tool {
        package: "cargo-deny",
        version: DENY.to_owned(),
        program: "cargo-deny",
        says: format!("cargo-deny {DENY}"),
        source: Source::Crate { features: "" },
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
        let home = self.home()?;
        if self.is_installed(&home) {
            return Ok(Some(self.programs(&home)));
        }
        if self.is_on_path() {
            return Ok(None);
        }
        match self.source {
            Source::Npm => self.install_npm(&home)?,
            _ if self.install_prebuilt(&home) => {}
            Source::Locked { folder } => self.compile(&home, &["--path", folder])?,
            Source::Crate { features } => self.compile(
                &home,
                &[
                    self.package,
                    "--version",
                    &self.version,
                    "--no-default-features",
                    "--features",
                    features,
                ],
            )?,
        }
        Ok(Some(self.programs(&home)))
    }

    /// Whether it has to be installed first.
    pub(super) fn is_missing(&self) -> Result<bool> {
        Ok(!self.is_installed(&self.home()?) && !self.is_on_path())
    }

    fn home(&self) -> Result<PathBuf> {
        Ok(tools_dir()?.join(format!("{}-{}", self.package, self.version)))
    }

    fn programs(&self, home: &Path) -> PathBuf {
        home.join(match self.source {
            Source::Crate { .. } | Source::Locked { .. } => "bin",
            Source::Npm => "node_modules/.bin",
        })
    }

    fn is_installed(&self, home: &Path) -> bool {
        self.programs(home).join(self.program).is_file()
    }

    /// Whether it is there by other means, in the right version.
    fn is_on_path(&self) -> bool {
        shell::find(&[self.program]).is_some_and(|program| {
            shell::output(shell::command(program).arg("--version"))
                .is_ok_and(|version| version.starts_with(&self.says))
        })
    }

    /// Fetches what its authors have compiled, where cargo-binstall is at hand to do it.
    fn install_prebuilt(&self, home: &Path) -> bool {
        if shell::find(&["cargo-binstall"]).is_none() {
            return false;
        }
        let package = format!("{}@{}", self.package, self.version);
        println!("setup: fetching {package} with cargo-binstall");
        let fetched = shell::run_within(
            Duration::from_secs(120),
            shell::command("cargo-binstall")
                .args(["--no-confirm", "--disable-strategies", "compile", "--root"])
                .arg(home)
                .arg(package),
        );
        if let Err(error) = &fetched {
            eprintln!("setup: {error:#}");
        }
        fetched.is_ok() && self.is_installed(home)
    }

    /// Compiles what the arguments of `cargo install` name.
    fn compile(&self, home: &Path, what: &[&str]) -> Result<()> {
        println!("setup: compiling {} {}", self.package, self.version);
        let built = home.with_extension("build");
        shell::run(
            shell::command("cargo")
                .args(["install", "--locked"])
                .args(what)
                .arg("--root")
                .arg(home)
                .arg("--target-dir")
                .arg(&built)
                .envs(UNOPTIMISED),
        )?;
        std::fs::remove_dir_all(&built)
            .with_context(|| format!("cannot remove {}", built.display()))
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
                .args(["install", "--silent", "--ignore-scripts", "--no-save"])
                .arg("--prefix")
                .arg(&partial)
                .arg(&package),
        )?;
        std::fs::rename(&partial, home)
            .with_context(|| format!("cannot move {package} to {}", home.display()))
    }
}

//! Puts in place what the other commands need, and only what is missing.
//!
//! What we install lies in one folder of the user, outside the checkout, so that a fresh clone
//! finds it again: `$SWITCHYARD_TOOLS`, or `switchyard/tools` in the user's cache folder.

mod browser;
mod folder;
mod nvrtc;
mod packages;
mod python;
mod tools;
mod wasm_std;

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::shell;
use crate::workspace;
pub(crate) use browser::chromium;
use folder::tools_dir;
use wasm_std::WasmStd;

/// The variable that names the Python of the tests.
const PYTHON: &str = "SWITCHYARD_PYTHON";

/// Something a command cannot do without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Rust's standard library for wasm32-unknown-unknown.
    WasmStd,
    /// Builds and serves the page.
    Trunk,
    /// Turns a wasm file into a JavaScript module, and runs wasm tests.
    WasmBindgen,
    /// Makes wasm files smaller and faster.
    WasmOpt,
    /// Runs native tests.
    Nextest,
    /// Looks through the crates of others.
    Deny,
    /// A browser, and the driver through which tests steer it.
    Browser,
    /// Firefox and WebKit. What needs one does without where it cannot be had, and says so.
    OtherBrowsers,
    /// The Node packages of the browser tests.
    NodePackages,
    /// Those that the page's bundles are made of.
    BundlePackages,
    /// Python with what the tests of its package need.
    Python,
    /// Compiles GPU kernels. What needs it does without where it cannot be had, and says so.
    Nvrtc,
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::WasmStd => "wasm target",
            Self::Trunk => "trunk",
            Self::WasmBindgen => "wasm-bindgen",
            Self::WasmOpt => "wasm-opt",
            Self::Nextest => "nextest",
            Self::Deny => "cargo-deny",
            Self::Browser => "browser",
            Self::OtherBrowsers => "firefox, webkit",
            Self::NodePackages => "node packages",
            Self::BundlePackages => "bundle packages",
            Self::Python => "python",
            Self::Nvrtc => "nvrtc",
        }
    }

    /// The seconds it takes to put in place, on two cores and a good line.
    fn takes(self) -> u32 {
        match self {
            Self::WasmStd | Self::WasmOpt | Self::NodePackages | Self::BundlePackages => 5,
            Self::Nvrtc => 10,
            Self::Browser | Self::OtherBrowsers => 30,
            Self::WasmBindgen => 40,
            Self::Python => 60,
            Self::Deny => 50,
            Self::Nextest => 80,
            Self::Trunk => 120,
        }
    }

    fn is_missing(self) -> Result<bool> {
        match self {
            Self::WasmStd => wasm_std::is_missing(),
            Self::Trunk => tools::trunk().is_missing(),
            Self::WasmBindgen => tools::wasm_bindgen()?.is_missing(),
            Self::WasmOpt => tools::wasm_opt().is_missing(),
            Self::Nextest => tools::nextest().is_missing(),
            Self::Deny => tools::deny().is_missing(),
            Self::Browser => Ok(browser::is_missing()),
            Self::OtherBrowsers => Ok(browser::OTHERS.iter().any(|other| other.find().is_none())),
            Self::NodePackages => packages::is_missing(&workspace::e2e()),
            Self::BundlePackages => {
                let missing = workspace::BUNDLES.map(|of| packages::is_missing(&of.folder()));
                Ok(missing
                    .into_iter()
                    .collect::<Result<Vec<_>>>()?
                    .contains(&true))
            }
            Self::Python => python::is_missing(),
            Self::Nvrtc => nvrtc::is_missing(),
        }
    }
}

/// Everything, the slowest last.
const EVERYTHING: &[Need] = &[
    Need::WasmStd,
    Need::WasmOpt,
    Need::Browser,
    Need::OtherBrowsers,
    Need::NodePackages,
    Need::BundlePackages,
    Need::Nvrtc,
    Need::Python,
    Need::Deny,
    Need::Nextest,
    Need::WasmBindgen,
    Need::Trunk,
];

/// The tools that were asked for, and how to call them.
#[derive(Default, Clone)]
pub(crate) struct Toolbox {
    folders: Vec<PathBuf>,
    wasm_std: WasmStd,
    variables: Vec<(&'static str, PathBuf)>,
    log: Option<Arc<File>>,
}

impl Toolbox {
    /// A command that finds the tools.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Result<Command> {
        let mut command = shell::command(program);
        command
            .env("PATH", shell::path_with(&self.folders)?)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(log) = &self.log {
            command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        Ok(command)
    }

    /// The same tools, whose commands write what they print into a file.
    pub(crate) fn writing_to(&self, path: &Path) -> Result<Self> {
        let log =
            File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self {
            log: Some(Arc::new(log)),
            ..self.clone()
        })
    }

    /// The Python whose environment has what the tests of its package need, if it could be had.
    pub(crate) fn python(&self) -> Option<PathBuf> {
        let mut variables = self.variables.iter();
        let found = variables.find(|(name, _)| *name == PYTHON);
        found.map(|(_, path)| path.clone())
    }

    /// A command that finds the tools and builds for wasm.
    pub(crate) fn wasm_command(&self, program: impl AsRef<OsStr>) -> Result<Command> {
        let mut command = self.command(program)?;
        command
            .env("CARGO_TARGET_DIR", workspace::wasm_target_dir())
            // Unoptimised wasm is too slow to simulate with. This keeps overflow checks and
            // rebuilds in seconds; debug information would be dropped by wasm-bindgen anyway.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            // Copies and sums of vectors then take four numbers at a time. Not in `.cargo/config.toml`:
            // plug-ins of people's own must do without.
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
                "-Ctarget-feature=+simd128",
            );
        if let WasmStd::OwnToolchain(toolchain) = &self.wasm_std {
            let mut folders = vec![toolchain.join("bin")];
            folders.extend_from_slice(&self.folders);
            command
                .env("PATH", shell::path_with(&folders)?)
                .env("SYSROOT", toolchain);
        }
        Ok(command)
    }

    fn add(&mut self, need: Need) -> Result<String> {
        match need {
            Need::WasmStd => {
                self.wasm_std = wasm_std::ensure()?;
                Ok(self.wasm_std.to_string())
            }
            Need::Trunk => self.add_tool(&tools::trunk()),
            Need::WasmBindgen => self.add_tool(&tools::wasm_bindgen()?),
            Need::Nextest => self.add_tool(&tools::nextest()),
            Need::Deny => self.add_tool(&tools::deny()),
            Need::WasmOpt => self.add_tool(&tools::wasm_opt()),
            Need::Browser => {
                let browser = browser::ensure()?;
                let found = browser.chromium.display().to_string();
                self.variables
                    .push(("SWITCHYARD_CHROMIUM", browser.chromium));
                self.variables.push(("CHROMEDRIVER", browser.chromedriver));
                Ok(found)
            }
            Need::OtherBrowsers => {
                let found = browser::OTHERS.map(|other| match other.ensure() {
                    Ok(path) => {
                        let found = path.display().to_string();
                        self.variables.push((other.variable, path));
                        found
                    }
                    Err(error) => {
                        format!(
                            "{} MISSING, so its tests are skipped: {error:#}",
                            other.name
                        )
                    }
                });
                Ok(found.join(", "))
            }
            Need::NodePackages => packages::ensure(&workspace::e2e(), "the browser tests"),
            Need::BundlePackages => {
                let found = workspace::BUNDLES.map(|of| packages::ensure(&of.folder(), of.title));
                Ok(found.into_iter().collect::<Result<Vec<_>>>()?.join("; "))
            }
            Need::Python => Ok(match python::ensure() {
                Ok(python) => {
                    let found = python.display().to_string();
                    self.variables.push((PYTHON, python));
                    found
                }
                Err(error) => format!("MISSING, so its package cannot be tested: {error:#}"),
            }),
            Need::Nvrtc => Ok(match nvrtc::ensure() {
                Ok(library) => {
                    let found = library.display().to_string();
                    self.variables.push(("SWITCHYARD_NVRTC", library));
                    found
                }
                Err(error) => format!("MISSING, so no GPU kernel is compiled: {error:#}"),
            }),
        }
    }

    fn add_tool(&mut self, tool: &tools::Tool) -> Result<String> {
        Ok(match tool.ensure()? {
            Some(folder) => {
                let found = folder.display().to_string();
                self.folders.push(folder);
                found
            }
            None => "on the PATH".to_owned(),
        })
    }
}

/// Puts everything in place.
pub(crate) fn everything() -> Result<()> {
    toolbox(EVERYTHING).map(drop)
}

/// Puts these in place, in this order.
pub(crate) fn toolbox(needs: &[Need]) -> Result<Toolbox> {
    let mut toolbox = Toolbox::default();
    if needs.is_empty() {
        return Ok(toolbox);
    }
    let _lock = shell::lock(&tools_dir()?.join(".lock"), "set-up")?;
    announce(needs)?;
    for &need in needs {
        let (start, name) = (Instant::now(), need.name());
        let found = toolbox
            .add(need)
            .with_context(|| format!("cannot set up: {name}"))?;
        let seconds = start.elapsed().as_secs_f64();
        println!("setup: {name:<15}{seconds:>7.2} s  {found}");
    }
    Ok(toolbox)
}

/// Says what is missing, and how long putting it in place will take.
fn announce(needs: &[Need]) -> Result<()> {
    let mut missing = Vec::new();
    for &need in needs {
        if need.is_missing()? {
            missing.push(need);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let seconds: u32 = missing.iter().map(|need| need.takes()).sum();
    println!(
        "setup: {} of {} things are missing. This once, putting them in place takes about {} on \
         two cores:",
        missing.len(),
        needs.len(),
        duration(seconds)
    );
    for need in missing {
        println!("setup:   {:<15}{:>6}", need.name(), duration(need.takes()));
    }
    Ok(())
}

/// `40 s` or `2 min`.
fn duration(seconds: u32) -> String {
    if seconds < 60 {
        format!("{seconds} s")
    } else {
        format!("{} min", seconds.div_ceil(60))
    }
}

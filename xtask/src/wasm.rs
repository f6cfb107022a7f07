//! A program in wasm that Trunk does not build: the engine as a module for code and to be measured, and programs of
//! workers that few ask for. It is built as the page is: what simulates for speed, the rest for size.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::setup::{Need, Toolbox};
use crate::{shell, workspace};

/// What a build takes.
pub(crate) const NEEDS: &[Need] = &[Need::WasmStd, Need::WasmOpt, Need::WasmBindgen];

/// What is built.
pub(crate) struct Package<'a> {
    /// The crate.
    pub(crate) name: &'a str,
    /// The one of its programs that needs the feature of the same name; none where it is a library.
    pub(crate) binary: Option<&'a str>,
}

impl<'a> Package<'a> {
    /// A library.
    pub(crate) fn library(name: &'a str) -> Self {
        Self { name, binary: None }
    }
}

/// Whom it is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// Whoever changes it: soon there.
    ForDevelopment,
    /// Everybody: small and fast.
    ForAll,
}

impl Made {
    /// For all where it is released.
    pub(crate) fn of(release: bool) -> Self {
        match release {
            true => Self::ForAll,
            false => Self::ForDevelopment,
        }
    }

    /// The profile, and the folder that cargo has for it.
    fn profile(self) -> [&'static str; 2] {
        match self {
            Self::ForDevelopment => ["dev", "debug"],
            Self::ForAll => ["page", "page"],
        }
    }
}

/// Builds a crate and binds it for a target of wasm-bindgen's, as `name` in a folder; gives back where
/// its wasm is.
pub(crate) fn build(
    toolbox: &Toolbox,
    package: &Package<'_>,
    made: Made,
    target: &str,
    folder: &Path,
    name: &str,
) -> Result<PathBuf> {
    let [profile, built] = made.profile();
    let mut cargo = toolbox.wasm_command("cargo")?;
    cargo.args(["build", "--locked", "-p", package.name]);
    cargo.args(["--profile", profile, "--target", "wasm32-unknown-unknown"]);
    if let Some(binary) = package.binary {
        cargo.args(["--bin", binary, "--features", binary]);
    }
    shell::run(&mut cargo)?;

    let built = workspace::wasm_target_dir()
        .join("wasm32-unknown-unknown")
        .join(built)
        .join(package.binary.unwrap_or(package.name).replace('-', "_"))
        .with_extension("wasm");
    let mut bindgen = toolbox.wasm_command("wasm-bindgen")?;
    bindgen.args(["--target", target, "--no-typescript", "--out-name", name]);
    bindgen.arg("--out-dir").arg(folder).arg(built);
    shell::run(&mut bindgen)?;

    let wasm = folder.join(format!("{name}_bg.wasm"));
    if made == Made::ForAll {
        let mut optimise = toolbox.wasm_command("wasm-opt")?;
        // As `index.html` has it: a second round makes it smaller by a few kilobytes.
        optimise.args(["-O2", "--low-memory-unused", "-O2", "-o"]);
        shell::run(optimise.arg(&wasm).arg(&wasm))?;
    }
    Ok(wasm)
}

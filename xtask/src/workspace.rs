//! Where things lie in the checkout, and what its lock file says.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The finished page.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// What is noted of the page's first picture.
pub(crate) fn watched() -> PathBuf {
    root().join("target/web/first-picture")
}

/// The files of the program that runs in workers.
pub(crate) const WORKER: [&str; 2] = ["worker.js", "worker_bg.wasm"];

/// Those of the program that knows the script language.
pub(crate) const SCRIPTS: [&str; 2] = ["scripts.js", "scripts_bg.wasm"];

/// Those of the program that reads Parquet and Arrow.
pub(crate) const COLUMNAR: [&str; 2] = ["columnar.js", "columnar_bg.wasm"];

/// A script made of npm packages, one file beside the page, which asks for it when somebody first needs it
/// (`static/lazy.js`); `bundle.mjs` makes it.
pub(crate) struct Bundle {
    /// The folder of `web/` where it is written and its packages lie; its name in `static/lazy.js`.
    pub(crate) name: &'static str,
    /// The script's file.
    pub(crate) file: &'static str,
    /// For people.
    pub(crate) title: &'static str,
}

/// All of them.
pub(crate) const BUNDLES: [Bundle; 2] = [
    Bundle {
        name: "editor",
        file: "editor.js",
        title: "the editor of schedulers",
    },
    Bundle {
        name: "explorer",
        file: "explorer.js",
        title: "the explorer of sweeps",
    },
];

impl Bundle {
    pub(crate) fn folder(&self) -> PathBuf {
        root().join("web").join(self.name)
    }
}

/// The folder of weights beside the page, of which each is a file.
pub(crate) const WEIGHTS: &str = "weights";

/// Files of weights beside a page, by name.
pub(crate) fn weights(dist: &Path) -> Result<Vec<String>> {
    let folder = dist.join(WEIGHTS);
    let entries =
        std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(format!(
            "{WEIGHTS}/{}",
            entry?.file_name().to_string_lossy()
        ));
    }
    names.sort();
    Ok(names)
}

/// What the command line tool is released with; builds by `cargo run` leave it out, to be there sooner.
pub(crate) const WITH_PARQUET: [&str; 2] = ["--features", "switchyard-gpu/parquet"];

/// The browser tests.
pub(crate) fn e2e() -> PathBuf {
    root().join("tests/e2e")
}

/// Where wasm builds go. It is not the native `target/`: the wasm compiler may be another one
/// (see `setup/wasm_std.rs`), and two compilers in one folder rebuild each other's work for ever.
pub(crate) fn wasm_target_dir() -> PathBuf {
    root().join("target/web")
}

/// A program of the workspace, as tests build it.
pub(crate) fn debug_program(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    root().join("target/debug").join(file)
}

/// The page that `cargo xtask serve` shows; `dist/` stays what `cargo xtask build` made.
pub(crate) fn served() -> PathBuf {
    wasm_target_dir().join("serve")
}

/// What lies beside it (`beside.rs`).
pub(crate) fn beside_served() -> PathBuf {
    root().join("target/beside-served")
}

/// The version of a package in `Cargo.lock`.
pub(crate) fn locked_version(package: &str) -> Result<String> {
    let path = root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = lock.lines();
    lines
        .find(|line| *line == format!("name = \"{package}\""))
        .and_then(|_| lines.next())
        .and_then(|line| line.strip_prefix("version = \""))
        .and_then(|rest| rest.strip_suffix('"'))
        .map(str::to_owned)
        .with_context(|| format!("{} names no package `{package}`", path.display()))
}

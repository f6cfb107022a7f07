//! A Python with a virtual environment of its own, in which what `python/tests/requirements.txt` names is
//! installed: the tests of the Python package run in it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::packages::apt_install;
use super::tools_dir;
use crate::{shell, workspace};

/// The newest first: wheels of others come for the new ones.
const NAMES: [&str; 6] = [
    "python3",
    "python3.14",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
];

/// Whether this one can do it.
const CAN: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// Among what is installed: a copy of the requirements, written last, which vouches for the rest.
const INSTALLED: &str = "installed-requirements.txt";

fn requirements() -> Result<String> {
    shell::read(&workspace::root().join("python/tests/requirements.txt"))
}

fn home() -> Result<PathBuf> {
    Ok(tools_dir()?.join("python"))
}

/// The Python in a virtual environment.
fn in_environment(folder: &Path) -> PathBuf {
    match cfg!(windows) {
        true => folder.join("Scripts/python.exe"),
        false => folder.join("bin/python"),
    }
}

/// Whether there is none, or one with other packages.
pub(super) fn is_missing() -> Result<bool> {
    let home = home()?;
    let installed = std::fs::read_to_string(home.join(INSTALLED)).unwrap_or_default();
    Ok(!in_environment(&home).is_file() || installed != requirements()?)
}

/// The environment's Python, after making it if need be.
pub(super) fn ensure() -> Result<PathBuf> {
    let home = home()?;
    let python = in_environment(&home);
    if !is_missing()? {
        return Ok(python);
    }
    let base = match base() {
        Some(base) => base,
        None => {
            let why =
                "the tests of python/ run in Python 3.10 or later with venv, and there is none";
            apt_install(&["python3", "python3-venv"], why)?;
            base()
                .context("the python3 that apt-get installs is older than 3.10, or has no venv")?
        }
    };
    println!("setup: installing what python/tests/requirements.txt names with pip");
    let mut make = shell::command(base);
    shell::run(make.args(["-m", "venv", "--clear"]).arg(&home))?;
    let mut pip = shell::command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--no-compile"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(["--requirement", "python/tests/requirements.txt"]);
    shell::run(&mut pip).context("pip does not install what the tests of python/ need")?;
    shell::write(&home.join(INSTALLED), requirements()?)?;
    Ok(python)
}

/// A Python of the system that can make an environment.
fn base() -> Option<PathBuf> {
    let found = NAMES.iter().filter_map(|name| shell::find(&[name]));
    let mut able = found.filter(|python| {
        let asked = shell::command(python).args(["-c", CAN]).output();
        asked.is_ok_and(|answer| answer.status.success())
    });
    able.next()
}

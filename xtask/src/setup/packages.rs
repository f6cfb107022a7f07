//! Packages of others: the system's through apt-get; those of the browser tests and of the page's bundles through npm.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::{shell, workspace};

/// Installs packages of the system; `why` completes the sentence when that cannot be done.
pub(super) fn apt_install(packages: &[&str], why: &str) -> Result<()> {
    let names = packages.join(" ");
    ensure!(
        shell::find(&["apt-get"]).is_some(),
        "{why}, and there is no apt-get to install `{names}` with: please install them by hand"
    );
    let root = shell::output(shell::command("id").arg("-u"))? == "0";
    ensure!(
        root || shell::find(&["sudo"]).is_some(),
        "{why}, and installing it takes an administrator: please run `apt-get install {names}`"
    );
    let apt_get = |arguments: &[&str]| {
        let mut command = shell::command(if root { "env" } else { "sudo" });
        if !root {
            command.arg("env");
        }
        command
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"])
            .args(arguments);
        shell::run(&mut command)
    };
    println!("setup: installing {names} with apt-get");
    // An outdated list of packages may still do.
    if let Err(error) = apt_get(&["update"]) {
        eprintln!("setup: {error:#}");
    }
    let install = ["install", "--yes", "--no-remove", "--no-install-recommends"];
    apt_get(&[&install, packages].concat())
        .with_context(|| format!("{why}, and apt-get could not install `{names}`"))
}

const LOCK: &str = "package-lock.json";
/// A copy of the lock file, written last: it vouches for the rest.
const INSTALLED: &str = "node_modules/installed-package-lock.json";

/// Whether other packages are installed in a folder than those that are locked there, or none.
pub(super) fn is_missing(folder: &Path) -> Result<bool> {
    let lock = shell::read(&folder.join(LOCK))?;
    Ok(!std::fs::read_to_string(folder.join(INSTALLED)).is_ok_and(|installed| installed == lock))
}

/// Installs what a folder's lock file names, unless that is what is there; `whose`: for people.
pub(super) fn ensure(folder: &Path, whose: &str) -> Result<String> {
    let version = shell::output(shell::command("node").arg("--version"))
        .with_context(|| format!("{whose} need Node 20 or later: install it from nodejs.org"))?;
    let major = version.trim_start_matches('v').split('.').next();
    ensure!(
        major
            .and_then(|major| major.parse().ok())
            .is_some_and(|major: u32| major >= 20),
        "{whose} need Node 20 or later, and `node` is {version}"
    );
    if is_missing(folder)? {
        println!("setup: installing the packages of {whose} with npm");
        shell::run(
            shell::command("npm")
                // Nothing of a package runs by being installed; none of these needs it.
                .args(["ci", "--silent", "--ignore-scripts"])
                .current_dir(folder),
        )?;
        std::fs::copy(folder.join(LOCK), folder.join(INSTALLED))?;
    }
    let short = folder.strip_prefix(workspace::root()).unwrap_or(folder);
    Ok(format!("{}/node_modules, node {version}", short.display()))
}

//! Running other programs, with errors that say which one failed and how.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// A command in the root of the checkout, without the variables that describe xtask's own package:
/// cargo takes them for changes, and builds again what others have built without them.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(crate::workspace::root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_")
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs it to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    ensure!(status.success(), "`{}` failed: {status}", line(command));
    Ok(())
}

/// Becomes it, so that a signal to us reaches it.
#[cfg(unix)]
pub(crate) fn become_command(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start `{}`", line(command)))
}

/// Runs it in our place.
#[cfg(not(unix))]
pub(crate) fn become_command(command: &mut Command) -> Result<()> {
    run(command)
}

/// Runs it and returns what it printed on its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    ensure!(
        output.status.success(),
        "`{}` failed: {}",
        line(command),
        output.status
    );
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs it and returns all its output; `is_shown`: shows it as it comes, too.
pub(crate) fn run_and_keep(command: &mut Command, is_shown: bool) -> Result<(ExitStatus, String)> {
    let line = line(command);
    let (mut reader, writer) = std::io::pipe()?;
    let mut child = command
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    // The command still holds our ends of the pipe: without closing them it would never end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut kept = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        if is_shown {
            std::io::stdout().write_all(&buffer[..read])?;
            std::io::stdout().flush()?;
        }
        kept.extend_from_slice(&buffer[..read]);
    }
    let status = child
        .wait()
        .with_context(|| format!("lost sight of `{line}`"))?;
    Ok((status, String::from_utf8_lossy(&kept).into_owned()))
}

/// Runs it to its end, or kills it when it takes too long.
pub(crate) fn run_within(limit: Duration, command: &mut Command) -> Result<()> {
    let line = line(command);
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "`{line}` failed: {status}");
            return Ok(());
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("`{line}` did not end within {} s", limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The first of these programs that is on the `PATH`.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
}

/// The `PATH` with these folders before all others.
pub(crate) fn path_with(folders: &[PathBuf]) -> Result<std::ffi::OsString> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(folders.iter().cloned().chain(std::env::split_paths(&old)))
        .context("a folder of the tools has a character that the PATH cannot hold")
}

/// Keeps two of us from doing `what` at once, for as long as the file it returns is open.
pub(crate) fn lock(path: &Path, what: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("waiting for another {what} to end");
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    Ok(file)
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// The command as one would type it.
fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}

//! Everything the program writes: to standard output, and to files.
//!
//! A file is written beside its place and renamed when it is whole, so that whoever is stopped on
//! the way leaves the old one as it was. What is no plain file (a pipe, `/dev/stdout`,
//! `/dev/full`) is written directly.

use crate::Failure;
use crate::terminal::shown;
use anyhow::Context;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What stands for standard output in the place of a file's name.
pub(crate) const STDOUT: &str = "-";

/// Prints a text as it is.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write(STDOUT, |out| out.write_all(text.as_bytes()))
}

/// Writes a text that ends with a line. What is piped on stays as it is.
pub(crate) fn text(path: &str, text: &str) -> Result<(), Failure> {
    let seen = path == STDOUT && io::stdout().is_terminal();
    let text = if seen { shown(text) } else { text.into() };
    write(path, |out| writeln!(out, "{}", text.trim_end()))
}

/// Writes figures as JSON, for people to read too.
pub(crate) fn json(path: &str, figures: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(figures)
        .context("cannot write the figures as JSON")
        .map_err(Failure::Run)?;
    text(path, &json)
}

/// Writes what `make` makes to a file, or to standard output for `-`.
pub(crate) fn write(
    path: &str,
    make: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let (name, written) = match path {
        STDOUT => ("standard output", direct(io::stdout().lock(), make)),
        path => (path, file(Path::new(path), make)),
    };
    match written {
        // Whoever reads us has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Unread),
        written => written
            .with_context(|| format!("cannot write {name}"))
            .map_err(Failure::Run),
    }
}

fn direct(out: impl Write, make: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let made = make(&mut out).and_then(|()| out.flush());
    // What could not be written is not tried again when the buffer goes.
    drop(out.into_parts());
    made
}

fn file(path: &Path, make: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let old = match fs::metadata(path) {
        Ok(old) if is_special(path, &old) => {
            return direct(File::options().write(true).open(path)?, make);
        }
        Ok(old) => Some(old),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // A link stays a link.
    let path = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_path_buf(),
    };
    let aside = beside(&path);
    let done = File::create(&aside).and_then(|mut file| {
        direct(&mut file, make)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&aside, &path)
    });
    if done.is_err() {
        // It may not even have come to be.
        let _ = fs::remove_file(&aside);
    }
    done
}

/// Whether renaming would put a file in the place of something else: descriptors look like the
/// files behind them.
fn is_special(path: &Path, found: &fs::Metadata) -> bool {
    let whole = std::path::absolute(path).unwrap_or_default();
    !found.is_file() || whole.starts_with("/dev") || whole.starts_with("/proc")
}

/// A hidden name in the same folder, of this process.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.part", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_made_leaves_the_old_one() {
        let folder = std::env::temp_dir().join(format!("switchyard-out-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("results.json");
        let at = path.to_str().expect("UTF-8");
        assert!(text(at, "old").is_ok());
        let broken = write(at, |out| {
            out.write_all(&[b'x'; 100_000])?;
            Err(io::Error::other("no"))
        });
        assert!(matches!(broken, Err(Failure::Run(_))));
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "old\n");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        fs::remove_dir_all(&folder).expect("ours");
    }
}

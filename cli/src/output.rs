//! Everything the program writes: to standard output, and to files.
//!
//! A file is written beside its place and renamed when it is whole, so that whoever is stopped on
//! the way leaves the old one as it was. What such a one has begun is taken away by the next who writes into
//! that folder: whoever writes holds a lock on it, which the system lets go of however a process ends. What is no
//! plain file (a pipe, `/dev/stdout`, `/dev/full`) is written directly.

use crate::Failure;
use crate::terminal::shown;
use anyhow::Context;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What stands for standard output in the place of a file's name.
pub(crate) const STDOUT: &str = "-";

/// How the hidden names of files begin and end that are not whole yet.
const UNFINISHED: (&str, &str) = (".switchyard-", ".part");

/// An argument: a file that is written, or [`STDOUT`].
#[derive(Clone, Debug)]
pub(crate) struct OutputFile(String);

impl From<String> for OutputFile {
    fn from(path: String) -> Self {
        Self(path)
    }
}

impl Deref for OutputFile {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Prints a text for people, whole lines: what it holds of files is shown, and obeyed by no terminal, wherever it
/// comes to one.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    write(STDOUT, |out| write!(out, "{}{end}", shown(text)))
}

/// Writes a text for programs that ends with a line. What is piped on stays as it is.
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
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    take_away_unfinished(folder);
    let (aside, mut file) = unfinished(folder)?;
    let written = || {
        direct(&mut file, make)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&aside, &path)
    };
    let done = written();
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

/// A new hidden file in a folder, held by this process.
fn unfinished(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (begin, end) = UNFINISHED;
    loop {
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(format!("{begin}{process}-{number}{end}"));
        match File::create_new(&path) {
            // Of a process of this number in another container, or before.
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
            Err(why) => return Err(why),
            Ok(file) => {
                // Where there are no locks nothing is taken away, either.
                let _ = file.lock();
                // Nobody held it for a moment, so somebody may have taken it away.
                if path.exists() {
                    return Ok((path, file));
                }
            }
        }
    }
}

/// Takes away what processes that have ended were writing into a folder.
fn take_away_unfinished(folder: &Path) {
    let (begin, end) = UNFINISHED;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = |name: &str| name.starts_with(begin) && name.ends_with(end);
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if !(name.to_str().is_some_and(is_ours) && is_file()) {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else {
            continue;
        };
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
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

    #[test]
    fn what_nobody_writes_any_more_is_taken_away() {
        let folder = std::env::temp_dir().join(format!("switchyard-part-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let left = folder.join(".switchyard-1-0.part");
        fs::write(&left, "half").expect("a folder");
        let others = folder.join(".other-1.part");
        fs::write(&others, "another program's").expect("a folder");
        // Another process, so to speak, that is still at work.
        let (held, file) = unfinished(&folder).expect("a file");
        let path = folder.join("results.json");
        assert!(text(path.to_str().expect("UTF-8"), "new").is_ok());
        assert!(!left.exists() && others.exists() && held.exists());
        drop(file);
        assert!(text(path.to_str().expect("UTF-8"), "newer").is_ok());
        assert!(others.exists() && !held.exists());
        fs::remove_dir_all(&folder).expect("ours");
    }
}

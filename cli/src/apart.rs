//! No command writes over what it reads, nor two results to one place. Both are read off the arguments of whatever
//! command it is: what is written is an [`OutputFile`](crate::output::OutputFile), what is read a path to clap, or
//! named within a policy.

use crate::output::{OutputFile, STDOUT};
use crate::{Failure, input, script};
use anyhow::anyhow;
use clap::{Arg, ArgMatches, Command, ValueHint};
use same_file::Handle;
use std::any::TypeId;
use std::path::{Path, PathBuf};
use switchyard::policies::PolicySpec;

/// Where bytes come from or go to.
#[derive(PartialEq)]
enum Place {
    StandardOutput,
    /// A plain file, whatever it is called there: by links of either kind, too.
    There(Handle),
    /// A file that is yet to be made.
    New(PathBuf),
}

/// What an argument names.
struct Named {
    /// The argument.
    by: String,
    /// Its value.
    path: PathBuf,
}

/// Refuses arguments of which one is written where another is read or written.
pub(crate) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some((name, matches)) = matches.subcommand() {
        let below = command.find_subcommand(name);
        return below.map_or(Ok(()), |command| check(command, matches));
    }
    let (mut read, mut written): (Vec<Named>, Vec<Named>) = Default::default();
    for arg in command.get_arguments() {
        let values = matches.try_get_raw(arg.get_id().as_str()).ok().flatten();
        for value in values.into_iter().flatten() {
            let named = |path: &Path| Named {
                by: called(arg),
                path: path.to_owned(),
            };
            if arg.get_value_parser().type_id() == TypeId::of::<OutputFile>() {
                written.push(named(Path::new(value)));
                continue;
            }
            if is_path(arg) {
                read.push(named(Path::new(value)));
            }
            let text = value.to_str().unwrap_or_default();
            read.extend(script::file_of(text).map(named));
            let policy = text.parse::<PolicySpec>().ok();
            let history = policy.as_ref().and_then(PolicySpec::history);
            read.extend(history.map(|path| named(Path::new(path))));
        }
    }
    let refused = |why: String| Err(Failure::Input(anyhow!(why)));
    for (at, output) in written.iter().enumerate() {
        let Some(place) = output.place() else {
            continue;
        };
        let path = output.path.display();
        if let Some(input) = read.iter().find(|input| input.holds(&place)) {
            return refused(format!(
                "{} {path} would replace what is read ({} {}): write to another file",
                output.by,
                input.by,
                input::called(&input.path)
            ));
        }
        let mut before = written[..at].iter();
        if let Some(other) = before.find(|other| other.place().as_ref() == Some(&place)) {
            let to = match place {
                Place::StandardOutput => "standard output".to_owned(),
                _ => path.to_string(),
            };
            return refused(format!(
                "{} and {} both write to {to}: give each a file of its own",
                other.by, output.by
            ));
        }
    }
    Ok(())
}

/// An argument as people write it.
fn called(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => arg.get_id().to_string(),
    }
}

fn is_path(arg: &Arg) -> bool {
    matches!(
        arg.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
    )
}

impl Named {
    /// Where it is written; `None`: into a pipe or a device, of which there may be several.
    fn place(&self) -> Option<Place> {
        if self.path == Path::new(STDOUT) {
            return Some(Place::StandardOutput);
        }
        match std::fs::metadata(&self.path) {
            // Opening a pipe would wait for its other end.
            Ok(found) if !found.is_file() => None,
            Ok(_) => Handle::from_path(&self.path).ok().map(Place::There),
            Err(_) => {
                let whole = std::path::absolute(&self.path).ok()?;
                let folder = whole.parent()?.canonicalize().ok()?;
                Some(Place::New(folder.join(whole.file_name()?)))
            }
        }
    }

    /// Whether what is read there is what is written here.
    fn holds(&self, written: &Place) -> bool {
        let Place::There(written) = written else {
            return false;
        };
        if self.path == Path::new(input::STDIN) {
            return Handle::stdin().is_ok_and(|read| read == *written);
        }
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_file() => {
                Handle::from_path(&self.path).is_ok_and(|read| read == *written)
            }
            Ok(found) if found.is_dir() => {
                let below = input::files_below(&self.path).unwrap_or_default();
                let mut files = below.files.iter().map(Handle::from_path);
                files.any(|read| read.is_ok_and(|read| read == *written))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn what_is_written_is_known_as_such() {
        fn look(command: &Command, seen: &mut usize) {
            for arg in command
                .get_arguments()
                .filter(|arg| arg.get_action().takes_values())
            {
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let writes = ["Write", "Draw the fitted", "The file to write"];
                let is_said = writes.iter().any(|begin| help.starts_with(begin));
                let is_known = arg.get_value_parser().type_id() == TypeId::of::<OutputFile>();
                assert_eq!(is_said, is_known, "{}: {help}", arg.get_id());
                *seen += usize::from(is_known);
            }
            command
                .get_subcommands()
                .for_each(|below| look(below, seen));
        }
        let mut seen = 0;
        look(&crate::Arguments::command(), &mut seen);
        assert!(seen > 10, "{seen}");
    }
}

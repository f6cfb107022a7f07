//! A sweep's folder: `parts/` hold what came of runs as they ended, a file each of some of them, written
//! beside its place first, so that what lies there is whole, and named after its checksum, so that it is what was
//! written; `results.parquet` and `results.csv` hold all of them in the order of the grid, once none is missing.
//! Whoever sweeps into a folder goes on from what is there, and is alone in it (`sweep.lock`).

use crate::table::{self, SweepRow, TableError};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// All runs of a grid, in two forms.
const RESULTS: [&str; 2] = ["results.parquet", "results.csv"];

/// How the name of a file ends that is not whole yet.
const PARTIAL: &str = "partial";

/// Why nothing is written or read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system does not let it be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// The system does not let it be written: it is full, or not ours.
    #[error(
        "cannot write {}: {why}; what {kept} runs came to lies in the folder, so the same sweep goes on from there once it can be written to",
        path.display()
    )]
    Unwritten {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        why: String,
        /// Runs that are safe.
        kept: usize,
    },
    /// Another sweep is at work there.
    #[error(
        "another sweep writes into {}: wait until it has ended, or sweep into another folder",
        path.display()
    )]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// A part that is not what was written.
    #[error(
        "{}: it is damaged, since its checksum is not the one in its name: take it away, and its runs are run again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A grid of fewer runs than the folder has results of.
    #[error(
        "{} holds {runs} runs, and this grid asks for all but {missing} of them: it would replace them. Sweep into another folder, or move results.csv and results.parquet elsewhere (runs that are known stay known)",
        path.display()
    )]
    Fewer {
        /// The results.
        path: PathBuf,
        /// Runs in them.
        runs: usize,
        /// Of them, those that the grid does not ask for.
        missing: usize,
    },
    /// A file that is no part of a sweep of ours.
    #[error("{}: {why}: sweep into another folder, or take it away", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: TableError,
    },
}

/// A folder that a sweep writes into.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held as long as somebody writes here; the system lets go of it when a process ends, however that ends.
    lock: Option<File>,
    /// The number of the next part.
    next: u32,
    /// Of runs that need not be repeated, by their keys.
    known: BTreeMap<String, SweepRow>,
}

impl Folder {
    /// The folder, made if it is not there, with what lies in it.
    ///
    /// # Errors
    ///
    /// It cannot be made or read, another sweep is at work in it, or it holds parts that are not ours or damaged.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let parts = path.join("parts");
        let unwritten = |path: &Path| {
            let path = path.to_owned();
            |why: io::Error| FolderError::Unwritten {
                path,
                why: why.to_string(),
                kept: 0,
            }
        };
        fs::create_dir_all(&parts).map_err(unwritten(&parts))?;
        let own = path.join("sweep.lock");
        let lock = File::create(&own).map_err(unwritten(&own))?;
        let alone = match lock.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                let path = path.to_owned();
                return Err(FolderError::Taken { path });
            }
            // A file system without locks, as some that are shared: nobody can be told apart there.
            Err(TryLockError::Error(_)) => false,
        };
        let mut folder = Self {
            path: path.to_owned(),
            lock: Some(lock),
            next: 0,
            known: BTreeMap::new(),
        };
        let entries = fs::read_dir(&parts).map_err(unreadable(&parts))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        // What was being written when a sweep was ended.
        let unfinished = files
            .iter()
            .filter(|path| has_ending(path, PARTIAL))
            .cloned();
        let unfinished = unfinished.chain(RESULTS.map(|name| temporary(&path.join(name))));
        for path in unfinished.filter(|_| alone) {
            let _ = fs::remove_file(path);
        }
        for path in files.into_iter().filter(|path| has_ending(path, "parquet")) {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let named = stem.and_then(|stem| stem.split_once('-'));
            let named = named.and_then(|(number, sum)| Some((number.parse::<u32>().ok()?, sum)));
            let Some((number, sum)) = named else {
                let why = TableError::Unchecked;
                return Err(FolderError::NotOurs { path, why });
            };
            let bytes = fs::read(&path).map_err(unreadable(&path))?;
            // Before anything is read of it: what is damaged may say anything, and Parquet's reader panics at some.
            if checksum(&bytes) != sum {
                return Err(FolderError::Damaged { path });
            }
            let rows = table::read_parquet(bytes).map_err(|why| FolderError::NotOurs {
                path: path.clone(),
                why,
            })?;
            folder.next = folder.next.max(number.saturating_add(1));
            folder.remember(rows);
        }
        Ok(folder)
    }

    /// Whether a grid of these runs may write its results here: the results that lie here are among them.
    ///
    /// # Errors
    ///
    /// They hold others, are not ours, or cannot be read.
    pub fn leaves_none_out(&self, keys: &BTreeSet<String>) -> Result<(), FolderError> {
        let [parquet, csv] = RESULTS.map(|name| self.path.join(name));
        let text = match fs::read(&csv) {
            Ok(text) => text,
            Err(why) if why.kind() == io::ErrorKind::NotFound && !parquet.exists() => return Ok(()),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                let (path, why) = (parquet, TableError::WithoutCsv);
                return Err(FolderError::NotOurs { path, why });
            }
            Err(why) => return Err(unreadable(&csv)(why)),
        };
        let known = table::keys_of_csv(&text).map_err(|why| FolderError::NotOurs {
            path: csv.clone(),
            why,
        })?;
        let missing = known.iter().filter(|key| !keys.contains(*key)).count();
        match missing {
            0 => Ok(()),
            missing => Err(FolderError::Fewer {
                path: csv,
                runs: known.len(),
                missing,
            }),
        }
    }

    /// Lets others sweep into it.
    pub fn release(&mut self) {
        self.lock = None;
    }

    /// What is known of a run, by its key.
    pub fn known(&self, key: &str) -> Option<&SweepRow> {
        self.known.get(key)
    }

    /// Puts down what came of some runs.
    ///
    /// # Errors
    ///
    /// They cannot be written; what was there stays.
    pub fn add(&mut self, rows: Vec<SweepRow>) -> Result<(), FolderError> {
        if rows.is_empty() {
            return Ok(());
        }
        let bytes = table::write_parquet(&rows, true, Vec::new());
        let bytes = bytes.map_err(|why| FolderError::Unwritten {
            path: self.path.join("parts"),
            why: why.to_string(),
            kept: self.known.len(),
        })?;
        let name = format!("parts/{:06}-{}.parquet", self.next, checksum(&bytes));
        self.write(&name, |mut out| {
            out.write_all(&bytes)?;
            Ok(out)
        })?;
        self.next += 1;
        self.remember(rows);
        Ok(())
    }

    /// Writes the tables of all runs, in this order; their paths.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub fn finish(&self, rows: &[SweepRow]) -> Result<[PathBuf; 2], FolderError> {
        let [parquet, csv] = RESULTS;
        // The CSV first: it says from then on which runs are not to be lost.
        let csv = self.write(csv, |mut out| {
            table::write_csv(rows, &mut out)?;
            Ok(out)
        })?;
        let parquet = self.write(parquet, |out| {
            table::write_parquet(rows, false, out).map_err(io::Error::other)
        })?;
        Ok([parquet, csv])
    }

    fn remember(&mut self, rows: Vec<SweepRow>) {
        let standing = rows.into_iter().filter(SweepRow::stands);
        self.known
            .extend(standing.map(|row| (row.key.clone(), row)));
    }

    /// Writes a file beside its place, and moves it there once all of it is on the disk.
    fn write(
        &self,
        name: &str,
        write: impl FnOnce(BufWriter<File>) -> io::Result<BufWriter<File>>,
    ) -> Result<PathBuf, FolderError> {
        let path = self.path.join(name);
        let partial = temporary(&path);
        let written = || {
            let mut out = write(BufWriter::new(File::create(&partial)?))?;
            out.flush()?;
            out.get_ref().sync_all()?;
            fs::rename(&partial, &path)
        };
        match written() {
            Ok(()) => Ok(path),
            Err(why) => {
                // It takes up room that others may need.
                let _ = fs::remove_file(&partial);
                Err(FolderError::Unwritten {
                    path,
                    why: why.to_string(),
                    kept: self.known.len(),
                })
            }
        }
    }
}

/// A fingerprint of bytes, as parts have it in their names.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Where a file is written before it is whole. Both results have a name of their own: one may be left of either.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(PARTIAL);
    path.with_file_name(name)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|of| of == ending)
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    |why| FolderError::Unreadable { path, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::report::COLUMNS;

    fn fresh(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("sweep-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn row(at: u32) -> SweepRow {
        SweepRow {
            point: at,
            key: format!("{at:016x}"),
            figures: vec![f64::from(at) / 3.0; COLUMNS],
            ..SweepRow::default()
        }
    }

    #[test]
    fn a_sweep_is_alone_in_its_folder() {
        let path = fresh("alone");
        let mut first = Folder::open(&path).unwrap();
        let refused = Folder::open(&path).unwrap_err();
        assert!(
            refused.to_string().contains("another sweep writes into"),
            "{refused}"
        );
        first.release();
        drop(Folder::open(&path).unwrap());
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn a_part_with_any_bit_flipped_is_refused_by_name() {
        let path = fresh("flipped");
        let mut folder = Folder::open(&path).unwrap();
        folder.add((0..3).map(row).collect()).unwrap();
        drop(folder);
        let parts = fs::read_dir(path.join("parts")).unwrap();
        let parts: Vec<PathBuf> = parts.map(|entry| entry.unwrap().path()).collect();
        let [part] = &parts[..] else {
            panic!("{parts:?}")
        };
        let written = fs::read(part).unwrap();
        // Three hundred bits over all of the file.
        for flip in (0..written.len() * 8).step_by(written.len() * 8 / 300) {
            let mut damaged = written.clone();
            damaged[flip / 8] ^= 1 << (flip % 8);
            fs::write(part, &damaged).unwrap();
            let refused = Folder::open(&path).unwrap_err().to_string();
            let name = part.file_name().unwrap().to_str().unwrap();
            assert!(
                refused.contains(name) && refused.contains("damaged"),
                "{refused}"
            );
        }
        fs::write(part, &written).unwrap();
        let folder = Folder::open(&path).unwrap();
        assert_eq!(folder.known(&row(2).key), Some(&row(2)));
        drop(folder);
        // One that carries no checksum could be anything, and is not looked into.
        fs::rename(part, path.join("parts/000000.parquet")).unwrap();
        let refused = Folder::open(&path).unwrap_err().to_string();
        assert!(
            refused.contains("000000.parquet") && refused.contains("no checksum"),
            "{refused}"
        );
        // One of another version is what was written, and not ours.
        let mut other = written;
        let key = b"switchyard.sweep";
        let at = other.windows(key.len()).position(|of| of == key).unwrap() + key.len();
        let version = at + other[at..].iter().position(|&of| of == b'1').unwrap();
        other[version] = b'0';
        fs::remove_file(path.join("parts/000000.parquet")).unwrap();
        let name = format!("parts/000000-{}.parquet", checksum(&other));
        fs::write(path.join(name), other).unwrap();
        let refused = Folder::open(&path).unwrap_err().to_string();
        assert!(
            refused.contains("another version (0; this one is 1)"),
            "{refused}"
        );
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn what_an_ended_sweep_was_writing_is_taken_away() {
        let path = fresh("ended");
        let mut folder = Folder::open(&path).unwrap();
        folder.add(vec![row(0)]).unwrap();
        let left = [
            "parts/000001-0123456789abcdef.parquet.partial",
            "results.csv.partial",
        ];
        for name in left {
            fs::write(path.join(name), "half").unwrap();
        }
        // Whoever is refused takes nothing away: it may be the other's.
        Folder::open(&path).unwrap_err();
        assert!(left.iter().all(|name| path.join(name).exists()));
        drop(folder);
        let folder = Folder::open(&path).unwrap();
        assert!(!left.iter().any(|name| path.join(name).exists()));
        assert!(folder.known(&row(0).key).is_some());
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn damaged_results_end_no_sweep_and_are_not_replaced_unknown() {
        let path = fresh("results");
        let folder = Folder::open(&path).unwrap();
        let rows = [row(0), row(1), row(2)];
        let [parquet, csv] = folder.finish(&rows).unwrap();
        let keys = rows.iter().map(|row| row.key.clone()).collect();
        let written = fs::read(&parquet).unwrap();
        for flip in (0..written.len() * 8).step_by(written.len() * 8 / 300) {
            let mut damaged = written.clone();
            damaged[flip / 8] ^= 1 << (flip % 8);
            fs::write(&parquet, damaged).unwrap();
            folder.leaves_none_out(&keys).unwrap();
        }
        folder.finish(&rows).unwrap();
        assert_eq!(fs::read(&parquet).unwrap(), written);
        let text = fs::read(&csv).unwrap();
        fs::write(&csv, &text[..text.len() - 9]).unwrap();
        let refused = folder.leaves_none_out(&keys).unwrap_err().to_string();
        assert!(refused.contains("results.csv: it is damaged"), "{refused}");
        fs::remove_file(&csv).unwrap();
        let refused = folder.leaves_none_out(&keys).unwrap_err().to_string();
        assert!(
            refused.contains("results.csv does not lie beside"),
            "{refused}"
        );
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn results_are_replaced_by_those_of_more_runs_alone() {
        let path = fresh("fewer");
        let folder = Folder::open(&path).unwrap();
        folder.finish(&[row(0), row(1), row(2)]).unwrap();
        let keys = |many: u32| (0..many).map(|at| row(at).key).collect();
        folder.leaves_none_out(&keys(3)).unwrap();
        folder.leaves_none_out(&keys(4)).unwrap();
        let refused = folder.leaves_none_out(&keys(1)).unwrap_err().to_string();
        assert!(
            refused.contains("results.csv holds 3 runs") && refused.contains("all but 2"),
            "{refused}"
        );
        fs::remove_dir_all(&path).unwrap();
    }
}

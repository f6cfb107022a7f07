//! A sweep's folder: `parts/` hold what came of runs as they ended, a file each of some of them, written
//! beside its place first, so that what lies there is whole; `results.parquet` and `results.csv` hold all of
//! them in the order of the grid, once none is missing. Whoever sweeps into a folder goes on from what is
//! there.

use crate::table::{self, Row, TableError};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

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
    /// The number of the next part.
    next: u32,
    /// Of runs that need not be repeated, by their keys.
    known: BTreeMap<String, Row>,
}

impl Folder {
    /// The folder, made if it is not there, with what lies in it.
    ///
    /// # Errors
    ///
    /// It cannot be made or read, or holds parts that are not ours.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let parts = path.join("parts");
        fs::create_dir_all(&parts).map_err(|why| FolderError::Unwritten {
            path: parts.clone(),
            why: why.to_string(),
            kept: 0,
        })?;
        let mut folder = Self {
            path: path.to_owned(),
            next: 0,
            known: BTreeMap::new(),
        };
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            |why| FolderError::Unreadable { path, why }
        };
        let entries = fs::read_dir(&parts).map_err(unreadable(&parts))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for path in files {
            // What was being written when a sweep was ended is `.partial`.
            if path.extension().is_none_or(|end| end != "parquet") {
                continue;
            }
            let file = File::open(&path).map_err(unreadable(&path))?;
            let rows = table::read_parquet(file);
            let rows = rows.map_err(|why| FolderError::NotOurs {
                path: path.clone(),
                why,
            })?;
            let number = path.file_stem().and_then(|stem| stem.to_str());
            let number = number.and_then(|stem| stem.parse::<u32>().ok());
            folder.next = folder.next.max(number.map_or(0, |number| number + 1));
            folder.remember(rows);
        }
        Ok(folder)
    }

    /// What is known of a run, by its key.
    pub fn known(&self, key: &str) -> Option<&Row> {
        self.known.get(key)
    }

    /// Puts down what came of some runs.
    ///
    /// # Errors
    ///
    /// They cannot be written; what was there stays.
    pub fn add(&mut self, rows: Vec<Row>) -> Result<(), FolderError> {
        if rows.is_empty() {
            return Ok(());
        }
        let name = format!("parts/{:06}.parquet", self.next);
        self.write(&name, |out| {
            table::write_parquet(&rows, true, out).map_err(io::Error::other)
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
    pub fn finish(&self, rows: &[Row]) -> Result<[PathBuf; 2], FolderError> {
        Ok([
            self.write("results.parquet", |out| {
                table::write_parquet(rows, false, out).map_err(io::Error::other)
            })?,
            self.write("results.csv", |mut out| {
                table::write_csv(rows, &mut out)?;
                Ok(out)
            })?,
        ])
    }

    fn remember(&mut self, rows: Vec<Row>) {
        let standing = rows.into_iter().filter(Row::stands);
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
        let partial = path.with_extension("partial");
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

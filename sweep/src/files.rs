//! Files from a disk, slice by slice; the only place where this crate reads traces.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use switchyard::Resource;
use switchyard::cluster::{ClusterError, ClusterSpec};
use switchyard::trace::{OpenError, OpenOptions, Opened, Opening, OpeningProgress};
use switchyard_app::options::Opening as OpeningOptions;
use switchyard_app::study::cluster_of;

/// How many bytes of a file are read at once.
const SLICE: usize = 1 << 20;

/// A file, by its name, or bytes that have one.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file on the disk.
    File(PathBuf),
    /// What stands in one, and what it is called in messages.
    Bytes(String, Vec<u8>),
}

/// Why nothing was opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The disk does not give it.
    #[error("cannot read {}: {why}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// It is not what it should be.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A cluster that is neither text nor a file of one.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A file that was to describe a cluster.
    #[error(
        "{0} describes no cluster: write NODESxGPUS (16x4), a published name, or a file of one"
    )]
    NoCluster(String),
    /// Whoever was told of the progress wants no more.
    #[error("stopped")]
    Stopped,
}

impl Source {
    /// Its name, for messages.
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Bytes(name, _) => name.clone(),
        }
    }
}

/// Bytes of the largest file that is read as a whole: of a script, weights, profiles or a table of a few
/// columns, but not of a trace, which is read slice by slice.
pub const LARGEST: u64 = 256 << 20;

/// A file as a whole.
///
/// # Errors
///
/// The disk does not give it, it is larger than [`LARGEST`], or it is no file: a device or a pipe may have no
/// end, or no beginning.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, LARGEST)
}

fn read_within(path: &Path, largest: u64) -> io::Result<Vec<u8>> {
    // Asked before it is opened, since opening a pipe waits for whoever writes to it.
    let kind = std::fs::metadata(path)?;
    if !kind.is_file() {
        let what = if kind.is_dir() {
            "folder"
        } else {
            "device or a pipe"
        };
        let why = format!("it is a {what} and no file: copy what is in it to a file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let mut bytes = Vec::new();
    let mut start = File::open(path)?.take(largest + 1);
    start.read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let why = format!("it is larger than {} MB", largest >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// The same of a text.
///
/// # Errors
///
/// As for [`read`]; or it is no text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))
}

/// An opening that reads what this program was built to read.
pub fn opening(options: &OpenOptions) -> Opening {
    let opening = Opening::new(options.clone());
    #[cfg(feature = "parquet")]
    let opening = opening.reading_columns(switchyard_columnar::read);
    opening
}

/// Opens files together; `goes_on` hears how far that is, and says whether it goes on.
///
/// # Errors
///
/// A file cannot be read, or is not what it should be; or it was told to stop.
pub fn open(
    sources: &[Source],
    options: &OpenOptions,
    mut goes_on: impl FnMut(OpeningProgress) -> bool,
) -> Result<Opened, FileError> {
    let mut opening = opening(options);
    let mut slice = vec![0; SLICE];
    for source in sources {
        match source {
            Source::File(path) => {
                let unreadable = |why| FileError::Unreadable {
                    file: path.clone(),
                    why,
                };
                let mut file = File::open(path).map_err(unreadable)?;
                opening.begin(&name_of(path))?;
                loop {
                    let length = file.read(&mut slice).map_err(unreadable)?;
                    if length == 0 {
                        break;
                    }
                    opening.push(&slice[..length])?;
                    if !goes_on(opening.progress()) {
                        return Err(FileError::Stopped);
                    }
                }
            }
            Source::Bytes(name, bytes) => {
                opening.begin(name)?;
                for slice in bytes.chunks(SLICE) {
                    opening.push(slice)?;
                    if !goes_on(opening.progress()) {
                        return Err(FileError::Stopped);
                    }
                }
            }
        }
    }
    Ok(opening.finish()?)
}

/// The same as asked for, once more where that is needed to [keep jobs without GPUs](Asked::again).
///
/// # Errors
///
/// As of [`open`].
pub fn open_with(
    sources: &[Source],
    asked: &OpeningOptions,
    mut goes_on: impl FnMut(OpeningProgress) -> bool,
) -> Result<Opened, FileError> {
    let opened = open(sources, &asked.options, &mut goes_on)?;
    match asked.again(&opened) {
        Some(again) => open(sources, &again, goes_on),
        None => Ok(opened),
    }
}

/// A cluster: its text, the name of a published one, or a file that describes one. One of nodes without GPUs is
/// of their cores.
///
/// # Errors
///
/// It is none of these.
pub fn cluster(text: &str) -> Result<ClusterSpec, FileError> {
    let of_gpus = cluster_counted(text, Resource::Gpus);
    of_gpus.or_else(|why| cluster_counted(text, Resource::Cores).map_err(|_| why))
}

/// The same, of a file by what is counted.
///
/// # Errors
///
/// It is none of these.
pub fn cluster_counted(text: &str, unit: Resource) -> Result<ClusterSpec, FileError> {
    match cluster_of(text) {
        Ok(cluster) => Ok(cluster),
        Err(_) if Path::new(text).is_file() => {
            let file = [Source::File(text.into())];
            let options = OpenOptions {
                unit,
                ..OpenOptions::default()
            };
            match open(&file, &options, |_| true)? {
                Opened::Cluster(cluster) => Ok(cluster),
                _ => Err(FileError::NoCluster(text.to_owned())),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// A path in which `~` is the home of whoever runs this, as shells have it.
pub fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = std::env::temp_dir().join(format!("switchyard-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let refused = |path: &Path| read(path).unwrap_err().to_string();
        assert!(refused(&folder).contains("folder and no file"));
        let file = folder.join("weights.csv");
        std::fs::write(&file, [b'1'; 100]).unwrap();
        assert_eq!(read_text(&file).unwrap().len(), 100);
        assert_eq!(read_within(&file, 100).unwrap().len(), 100);
        let large = read_within(&file, 99).unwrap_err();
        assert_eq!(large.kind(), io::ErrorKind::FileTooLarge);
        #[cfg(unix)]
        {
            let pipe = folder.join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            for path in [Path::new("/dev/zero"), &pipe] {
                assert!(refused(path).contains("device or a pipe"), "{path:?}");
            }
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}

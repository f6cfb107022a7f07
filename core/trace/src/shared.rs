//! What the files that are opened together share: how much may still be read, which members are
//! wanted, and what was found so far.

use super::OpenOptions;
use super::cluster_file::ClusterFile;
use super::error::OpenError;
use super::format::Format;
use super::import::Imported;
use super::place::{Place, base, is_archive, is_beside_the_point, stem};
use super::read_columns::ReadColumns;
use crate::application::ProfileTable;
use crate::order;
use crate::outages::Outages;

/// What all files of an opening share.
pub(crate) struct Shared {
    pub(crate) options: OpenOptions,
    /// Bytes that may still be read or decompressed.
    left: u64,
    /// Members that were not wanted, for the message that lists them.
    others: Vec<String>,
    /// Whether the wanted member was found.
    found: bool,
    /// The names of the files.
    names: Vec<String>,
    collected: Collected,
    /// Who reads tables that are stored by columns, and whether one has come.
    pub(crate) columns: Option<ReadColumns>,
    pub(crate) met_columns: bool,
    /// Rows read and kept so far, for progress.
    pub(crate) rows: u64,
    pub(crate) jobs: u64,
    /// All bytes by those that have come, where that is known.
    pub(crate) to_come: Option<f64>,
}

/// How many members a message may have to list.
const MAX_LISTED: usize = 1000;

/// What was found so far.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) parts: Vec<Part>,
    pub(crate) clusters: Vec<(Place, ClusterFile)>,
    /// Slurm's files of pairs, which are read together.
    pub(crate) slurm: Vec<(Place, String)>,
    pub(crate) profiles: Vec<ProfileTable>,
    /// The outages of all lists of them.
    pub(crate) outages: Outages,
    /// The last of those files.
    pub(crate) outages_in: String,
    /// Why the other files are neither.
    pub(crate) refusals: Vec<(Place, OpenError)>,
}

/// The trace in one file.
pub(crate) struct Part {
    pub(crate) place: Place,
    pub(crate) format: &'static Format,
    pub(crate) recognised: String,
    pub(crate) imported: Imported,
}

impl Shared {
    pub(crate) fn new(options: OpenOptions) -> Self {
        Self {
            left: options.max_bytes,
            options,
            others: Vec::new(),
            found: false,
            names: Vec::new(),
            collected: Collected::default(),
            columns: None,
            met_columns: false,
            rows: 0,
            jobs: 0,
            to_come: None,
        }
    }

    /// The next file.
    pub(crate) fn begin(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// Counts bytes of that file against the limit.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), OpenError> {
        let name = self.names.last().cloned().unwrap_or_default();
        self.spend(&name, bytes)
    }

    /// Counts bytes against the limit.
    pub(crate) fn spend(&mut self, file: &str, bytes: usize) -> Result<(), OpenError> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(OpenError::TooLarge {
                file: file.to_owned(),
                limit: self.options.max_bytes,
            }),
        }
    }

    /// How many rows may still be read.
    pub(crate) fn rows_left(&self) -> u32 {
        let left = self.options.max_rows.saturating_sub(self.rows);
        u32::try_from(left).unwrap_or(u32::MAX)
    }

    /// Whether so many bytes of a file may be held.
    pub(crate) fn may_hold(&self, file: &str, bytes: usize) -> Result<(), OpenError> {
        let limit = self.options.max_held;
        if bytes as u64 <= limit {
            return Ok(());
        }
        let file = file.to_owned();
        Err(OpenError::TooLargeToHold { file, limit })
    }

    /// The error of a file with more rows than that.
    pub(crate) fn too_many_rows(&self, file: &str) -> OpenError {
        OpenError::TooManyRows {
            file: file.to_owned(),
            limit: self.options.max_rows,
        }
    }

    /// Whether a member of the archive at `archive` is to be opened, and where it lies.
    pub(crate) fn choose(&mut self, archive: &Place, name: &str) -> Option<Place> {
        let Some(wanted) = &self.options.member else {
            return (!is_beside_the_point(name)).then(|| archive.member(name, false));
        };
        let path = archive.path(name);
        // A whole path is meant before the same file name in another folder.
        let exact = path == *wanted;
        let is = exact || base(name) == wanted || stem(name) == wanted;
        self.found |= is;
        if !is && !is_beside_the_point(name) && self.others.len() < MAX_LISTED {
            self.others.push(path);
        }
        // What is wanted may lie in an archive within the archive.
        (is || is_archive(name)).then(|| archive.member(name, exact))
    }

    /// A file is neither trace nor cluster.
    pub(crate) fn refuse(&mut self, place: &Place, why: OpenError) {
        self.collected.refusals.push((place.clone(), why));
    }

    /// A file is a cluster.
    pub(crate) fn cluster(&mut self, place: &Place, cluster: ClusterFile) {
        self.collected.clusters.push((place.clone(), cluster));
    }

    /// A file is Slurm's list of nodes, or of what they have.
    pub(crate) fn slurm(&mut self, place: &Place, text: String) {
        self.collected.slurm.push((place.clone(), text));
    }

    /// A file is a list of outages.
    pub(crate) fn outages(&mut self, place: &Place, outages: &Outages) {
        self.collected.outages_in.clone_from(&place.file);
        self.collected.outages = self.collected.outages.and(outages);
    }

    /// A file is part of an application's profile.
    pub(crate) fn profile(&mut self, table: ProfileTable) {
        self.collected.profiles.push(table);
    }

    /// A file is a trace.
    pub(crate) fn part(&mut self, part: Part) {
        self.collected.parts.push(part);
    }

    /// Bytes followed an archive.
    pub(crate) fn trailing(&mut self, archive: &str, bytes: u32) {
        let mut parts = self.collected.parts.iter_mut();
        let within = |part: &&mut Part| part.place.file.starts_with(archive);
        if let Some(part) = parts.find(within) {
            part.imported.trailing(bytes);
        }
    }

    /// What was found, unless a member that was asked for was not.
    pub(crate) fn into_collected(mut self) -> Result<Collected, OpenError> {
        if let (Some(member), false) = (&self.options.member, self.found)
            && !self.others.is_empty()
        {
            order::sort(&mut self.names);
            order::sort(&mut self.others);
            return Err(OpenError::NoSuchMember {
                file: self.names.join(" with "),
                member: member.clone(),
                members: self.others,
            });
        }
        Ok(self.collected)
    }
}

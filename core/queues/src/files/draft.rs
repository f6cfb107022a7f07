//! Queues while their file is read: parents are names, and quotas are those that were named.

use super::error::FileError;
use super::read::{Note, Read, Unit};
use super::yaml::Object;
use crate::tree::{Queue, QueueId, QueueTree, Quota, Resource};
use std::collections::HashMap;

/// A queue of a file.
pub(super) struct Entry {
    /// What the file calls it, such as `ClusterQueue 'a'`.
    pub(super) object: String,
    pub(super) line: u32,
    /// Without its parent and quotas.
    pub(super) queue: Queue,
    /// The name of the queue above, and the line that says so.
    pub(super) parent: Option<(String, u32)>,
    pub(super) quotas: Vec<(usize, Quota)>,
    /// What it has of resources that it does not name.
    pub(super) unnamed: Quota,
}

impl Entry {
    pub(super) fn new(object: String, line: u32, name: &str) -> Self {
        Self {
            object,
            line,
            queue: Queue::new(name, None),
            parent: None,
            quotas: Vec::new(),
            unnamed: Quota::default(),
        }
    }
}

/// What has been read of a file.
pub(super) struct Draft<'a> {
    pub(super) file: &'a str,
    pub(super) resources: Vec<Resource>,
    pub(super) entries: Vec<Entry>,
    pub(super) notes: Vec<Note>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self {
            file,
            resources: Vec::new(),
            entries: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The place of a resource, which it gets if it has none.
    pub(super) fn resource(&mut self, resource: Resource) -> usize {
        let known = self.resources.iter().position(|other| *other == resource);
        known.unwrap_or_else(|| {
            self.resources.push(resource);
            self.resources.len() - 1
        })
    }

    pub(super) fn note(&mut self, line: u32, what: impl Into<String>) {
        self.notes.push(Note {
            line: Some(line),
            what: what.into(),
        });
    }

    pub(super) fn note_of_all(&mut self, what: impl Into<String>) {
        self.notes.push(Note {
            line: None,
            what: what.into(),
        });
    }

    /// Notes that an object is left out.
    pub(super) fn leave_out(&mut self, object: &Object) {
        let what = format!("{} is left out: it describes no queue", object.title());
        self.note(object.line(), what);
    }

    /// A queue of an object.
    ///
    /// # Errors
    /// It has no name.
    pub(super) fn entry(&self, object: &Object) -> Result<Entry, FileError> {
        if object.name.is_empty() {
            let what = "it has no name; write it as metadata.name";
            return Err(object.error(self.file, object.line(), what));
        }
        Ok(Entry::new(object.title(), object.line(), &object.name))
    }

    pub(super) fn names(&self) -> HashMap<String, QueueId> {
        let entries = self.entries.iter().enumerate();
        let named = entries.map(|(at, entry)| (entry.queue.name.clone(), QueueId(at as u32)));
        named.collect()
    }

    /// Puts the queues into a tree.
    ///
    /// # Errors
    /// No queue at all, a parent that is not there, and what makes queues no tree.
    pub(super) fn finish(self) -> Result<Read, FileError> {
        if self.entries.is_empty() {
            return Err(FileError::new(
                self.file,
                "there is no queue in it; give a file that describes some",
            ));
        }
        let names = self.names();
        let mut queues = Vec::with_capacity(self.entries.len());
        let mut objects = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            let mut queue = entry.queue;
            let mut unnamed = entry.unnamed;
            match entry.parent {
                Some((parent, line)) => {
                    let missing = || {
                        let what = format!(
                            "it lies below '{parent}', which is not in this file; add that one, or correct the name"
                        );
                        FileError::new(self.file, what).at(line).of(&entry.object)
                    };
                    queue.parent = Some(*names.get(&parent).ok_or_else(missing)?);
                }
                // There is nobody to borrow from.
                None => unnamed.borrowing_limit = None,
            }
            queue.quotas = vec![unnamed; self.resources.len()];
            for (at, quota) in entry.quotas {
                queue.quotas[at] = quota;
            }
            queues.push(queue);
            objects.push((entry.object, entry.line));
        }
        let own: Vec<String> = queues.iter().map(|queue| queue.name.clone()).collect();
        let tree = QueueTree::new(self.resources, queues).map_err(|error| {
            let of = own.iter().rposition(|name| name == error.queue());
            let plain = FileError::new(self.file, error.to_string());
            match of.map(|at| &objects[at]) {
                Some((object, line)) => plain.at(*line).of(object),
                None => plain,
            }
        })?;
        Ok(Read {
            tree,
            unit: Unit::Things,
            members: Vec::new(),
            notes: self.notes,
        })
    }
}

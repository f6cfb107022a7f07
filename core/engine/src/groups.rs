//! Jobs that have the same GPUs and take turns on them. In: who joins whom, who leaves. Out: who is together.

use crate::job::JobId;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A job that has its GPUs to itself is in no group.
#[derive(Debug, Default)]
pub(super) struct Groups {
    of: BTreeMap<JobId, u32>,
    /// In the order in which they joined.
    members: BTreeMap<u32, SmallVec<[JobId; 4]>>,
    /// How many groups there have been.
    made: u32,
}

impl Groups {
    /// A job has got the GPUs of another one, too.
    pub(super) fn join(&mut self, job: JobId, other: JobId) {
        let of = *self.of.entry(other).or_insert_with(|| {
            self.made += 1;
            self.made
        });
        self.of.insert(job, of);
        let members = self.members.entry(of).or_default();
        if members.is_empty() {
            members.push(other);
        }
        members.push(job);
    }

    /// A job has lost its GPUs. Whether others still have them.
    pub(super) fn leave(&mut self, job: JobId) -> bool {
        if self.of.is_empty() {
            return false;
        }
        let Some(of) = self.of.remove(&job) else {
            return false;
        };
        if let Some(members) = self.members.get_mut(&of) {
            members.retain(|member| *member != job);
            if let [last] = members[..] {
                self.of.remove(&last);
                self.members.remove(&of);
            }
        }
        true
    }

    /// All of a job's group; empty where it has its GPUs to itself.
    pub(super) fn of(&self, job: JobId) -> &[JobId] {
        let members = self.of.get(&job).and_then(|of| self.members.get(of));
        members.map_or(&[], |members| members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ends_with_its_last_but_one() {
        let [a, b, c, d] = [0, 1, 2, 3].map(JobId);
        let mut groups = Groups::default();
        assert!(!groups.leave(a), "it is in none");
        groups.join(b, a);
        groups.join(c, b);
        assert_eq!(groups.of(c), [a, b, c]);
        assert_eq!(groups.of(d), []);
        assert!(groups.leave(a) && groups.leave(c));
        assert_eq!(groups.of(b), []);
        assert!(!groups.leave(b), "the GPUs were its own at last");
        groups.join(d, b);
        assert_eq!(groups.of(b), [b, d]);
    }
}

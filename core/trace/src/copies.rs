//! Files of an archive that hold jobs of another one: the same table packed twice, or a part beside
//! the whole. Merged, every such job would run twice.

use super::Record;
use super::shared::Part;
use xxhash_rust::xxh3::xxh3_64;

/// A file that was left out.
pub(super) struct Copy {
    pub(super) file: String,
    /// The one that has its jobs too.
    pub(super) original: String,
}

/// Takes the parts out whose every job is in another part: the same name, submission, duration
/// and GPUs, as often. Of equal ones the first stays.
pub(super) fn leave_out(parts: &mut Vec<Part>) -> Vec<Copy> {
    let mut copies = Vec::new();
    if parts.len() < 2 {
        return copies;
    }
    let prints: Vec<Vec<u64>> = parts
        .iter()
        .map(|part| prints(&part.imported.sink.records))
        .collect();
    let mut original_of: Vec<Option<usize>> = vec![None; parts.len()];
    for (at, own) in prints.iter().enumerate() {
        let original = prints.iter().enumerate().find(|(other, theirs)| {
            let larger = theirs.len() > own.len() || theirs.len() == own.len() && *other < at;
            larger && !own.is_empty() && holds(theirs, own)
        });
        if let (Some(place), Some((other, _))) = (original_of.get_mut(at), original) {
            *place = Some(other);
        }
    }
    let name = |at: usize| parts.get(at).map_or("", |part| part.place.file.as_str());
    for (at, original) in original_of.iter().enumerate() {
        if let Some(original) = original {
            copies.push(Copy {
                file: name(at).to_owned(),
                original: name(*original).to_owned(),
            });
        }
    }
    let mut originals = original_of.iter();
    parts.retain(|_| originals.next().is_none_or(Option::is_none));
    copies
}

/// What tells a file's jobs apart, in ascending order.
fn prints(records: &[Record]) -> Vec<u64> {
    let mut bytes = Vec::new();
    let print = |record: &Record| {
        bytes.clear();
        bytes.extend_from_slice(record.name.as_bytes());
        bytes.extend_from_slice(&record.submit.to_le_bytes());
        bytes.extend_from_slice(&record.duration.to_le_bytes());
        bytes.extend_from_slice(&record.gpus.to_le_bytes());
        xxh3_64(&bytes)
    };
    let mut prints: Vec<u64> = records.iter().map(print).collect();
    prints.sort_unstable();
    prints
}

/// Whether all of the few are among the many, each as often. Both ascend.
fn holds(many: &[u64], few: &[u64]) -> bool {
    let mut rest = many.iter();
    few.iter()
        .all(|print| rest.find(|other| *other >= print) == Some(print))
}

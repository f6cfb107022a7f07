//! A candidate allocation of the whole cluster as numbers.
//!
//! A genome has a record per job, in service order; a record is [`Layout::record`] 64-bit words:
//!
//! - `words`: GPUs on each node, a byte each (at most 64), eight nodes to a word;
//! - `masks`: which nodes hold any: bit 8·b + w for byte b of word w (of each group of 8 words),
//!   so that a mask is an OR of shifted words, and one mask covers 64 nodes;
//! - a hash of the GPUs, and the row's cell in the speedup tables.
//!
//! The last three follow from the first; operators mark the rows they write ([`Changes`]) and they
//! are brought up to date once. Bytes stay below 128 and are worked on eight at a time.

use std::ops::Range;

/// The lowest bit of every byte.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
pub(super) const HIGH: u64 = 0x8080_8080_8080_8080;

/// Words of a row on up to 16 nodes, for which the search is compiled apart...
pub(super) const FEW: usize = 2;
/// ...as for those on up to 64, which have one mask.
pub(super) const GROUP: usize = 8;
/// Stands for any number of words.
pub(super) const ANY: usize = 0;

/// Sizes of a genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) jobs: usize,
    pub(super) nodes: usize,
    pub(super) words: usize,
    pub(super) masks: usize,
}

impl Layout {
    pub(super) fn new(jobs: usize, nodes: usize) -> Self {
        let words = match nodes.div_ceil(8) {
            0..=FEW => FEW,
            words if words <= GROUP => GROUP,
            words => words,
        };
        Self {
            jobs,
            nodes,
            words,
            masks: words.div_ceil(GROUP),
        }
    }

    /// The same, with the number of words known when compiling unless it is [`ANY`].
    #[inline]
    pub(super) fn with_words<const W: usize>(self) -> Self {
        if W == ANY {
            return self;
        }
        Self {
            words: W,
            masks: W.div_ceil(GROUP),
            ..self
        }
    }

    /// The words of a mask's nodes.
    #[inline]
    pub(super) fn group(self, mask: usize) -> Range<usize> {
        GROUP * mask..self.words.min(GROUP * (mask + 1))
    }

    /// Words of a job's record.
    pub(super) fn record(self) -> usize {
        self.words + self.masks + 2
    }

    /// Words of a genome.
    pub(super) fn genome(self) -> usize {
        self.jobs * self.record()
    }

    /// Where a record's hash is; the cell follows.
    pub(super) fn hash(self) -> usize {
        self.words + self.masks
    }

    /// Where a record's cell is.
    pub(super) fn cell(self) -> usize {
        self.words + self.masks + 1
    }
}

/// The GPUs on a node.
pub(super) fn get(words: &[u64], node: usize) -> u32 {
    ((words[node / 8] >> (8 * (node % 8))) & 0xff) as u32
}

/// Sets the GPUs on a node, at most 64.
pub(super) fn set(words: &mut [u64], node: usize, gpus: u32) {
    let shift = 8 * (node % 8);
    let word = &mut words[node / 8];
    *word = (*word & !(0xff << shift)) | (u64::from(gpus) << shift);
}

/// The high bit of every byte that is not zero.
pub(super) fn nonzero(word: u64) -> u64 {
    (word + !HIGH) & HIGH
}

/// The node a bit of mask `mask` stands for.
pub(super) fn node_of(mask: usize, bit: u32) -> usize {
    64 * mask + 8 * (bit as usize % 8) + bit as usize / 8
}

/// All bytes of word `word` whose nodes are in the masks.
pub(super) fn bytes_of(masks: &[u64], word: usize) -> u64 {
    ((masks[word / 8] >> (word % 8)) & ONES) * 0xff
}

/// Brings a record's masks up to date with its GPUs.
pub(super) fn refresh_masks(layout: Layout, record: &mut [u64]) {
    let (words, rest) = record.split_at_mut(layout.words);
    for (mask, group) in rest[..layout.masks].iter_mut().zip(words.chunks(8)) {
        *mask = 0;
        for (shift, &word) in group.iter().enumerate() {
            *mask |= (nonzero(word) >> 7) << shift;
        }
    }
}

/// All GPUs of a row.
pub(super) fn sum(words: &[u64]) -> u32 {
    const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
    let of_group = |group: &[u64]| {
        let pairs: u64 = group
            .iter()
            .map(|word| (word & PAIRS) + ((word >> 8) & PAIRS))
            .sum();
        (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
    };
    words.chunks(GROUP).map(of_group).sum()
}

/// The number of nodes in the masks.
pub(super) fn count(masks: &[u64]) -> u32 {
    masks.iter().map(|mask| mask.count_ones()).sum()
}

/// Whether the masks hold more than one node.
pub(super) fn is_distributed(masks: &[u64]) -> bool {
    if let [mask] = *masks {
        mask & mask.wrapping_sub(1) != 0
    } else {
        count(masks) > 1
    }
}

/// A row's hash: every bit of every word, and the job, count. A genome's hash is the wrapping sum
/// of its rows'. No word waits for another.
pub(super) fn hash(words: &[u64], job: usize) -> u64 {
    let mut factor = (2 * job as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut hash = factor;
    for &word in words {
        hash = hash.wrapping_add(word.wrapping_mul(factor));
        factor = factor.wrapping_add(0xbf58_476d_1ce4_e5b8);
    }
    hash = (hash ^ (hash >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 29)
}

/// The rows of one genome that were written since their hash and cell were right, a bit each.
pub(super) struct Changes {
    rows: Vec<u64>,
}

impl Changes {
    pub(super) fn new(jobs: usize) -> Self {
        Self {
            rows: vec![0; jobs.div_ceil(64)],
        }
    }

    #[inline]
    pub(super) fn mark(&mut self, job: usize) {
        self.mark_if(job, true);
    }

    #[inline]
    pub(super) fn mark_if(&mut self, job: usize, is_changed: bool) {
        self.rows[job / 64] |= u64::from(is_changed) << (job % 64);
    }

    /// The rows, in service order.
    #[inline]
    pub(super) fn for_each(&self, mut row: impl FnMut(usize)) {
        for (i, &rows) in self.rows.iter().enumerate() {
            let mut left = rows;
            while left != 0 {
                row(64 * i + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.iter().all(|&rows| rows == 0)
    }

    pub(super) fn clear(&mut self) {
        self.rows.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_counting_one_by_one() {
        let layout = Layout::new(1, 75);
        let mut record = vec![0; layout.record()];
        let gpus: Vec<u32> = (0..75).map(|n| [0, 64, 1, 0, 7][n * n % 5]).collect();
        for (node, &count) in gpus.iter().enumerate() {
            set(&mut record, node, count);
        }
        refresh_masks(layout, &mut record);
        let (words, masks) = (&record[..10], &record[10..12]);
        let held: Vec<usize> = (0..75).filter(|&n| gpus[n] > 0).collect();
        assert_eq!(sum(words), gpus.iter().sum::<u32>());
        assert_eq!(count(masks) as usize, held.len());
        let mut of_masks: Vec<usize> = (0..2)
            .flat_map(|m| (0..64).map(move |bit| (m, bit)))
            .filter(|&(m, bit)| masks[m] >> bit & 1 == 1)
            .map(|(m, bit)| node_of(m, bit))
            .collect();
        of_masks.sort_unstable();
        assert_eq!(of_masks, held);
        for (node, &count) in gpus.iter().enumerate() {
            assert_eq!(get(words, node), count);
            let byte = bytes_of(masks, node / 8) >> (8 * (node % 8)) & 0xff;
            assert_eq!(byte, if count > 0 { 0xff } else { 0 });
        }
    }
}

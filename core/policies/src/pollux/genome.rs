//! A candidate allocation of the whole cluster as numbers.
//!
//! A genome has a record per job, in service order; a record is [`Layout::record`] 64-bit words:
//!
//! - `words`: GPUs on each node, a lane each: four bits where no node has more than 5 GPUs, else
//!   eight. That is room for three times a node's GPUs, and a row's lanes have their highest bit
//!   clear, so that all lanes of a word are worked on at a time;
//! - `masks`: which nodes hold any: bit b·l + w for lane l, of b bits, of word w (of each group of b
//!   words), so that a mask is an OR of shifted words, and one mask covers 64 nodes;
//! - where rows are long: a hash of the GPUs, and the row's cell in the speedup tables. Of short
//!   rows it takes less to work these out each time than to copy them and to ask who changed.
//!
//! The last three follow from the first; operators mark the rows they write ([`Changes`]) and they
//! are brought up to date once.

use std::ops::Range;

/// Words of a row for which the search is compiled apart: up to 16 nodes, and up to 64, with lanes of
/// four bits...
pub(super) const FEW: usize = 1;
pub(super) const MANY: usize = 4;
/// ...and with lanes of eight.
pub(super) const FEW_LARGE: usize = 2;
pub(super) const MANY_LARGE: usize = 8;
/// Stands for any number of words.
pub(super) const ANY: usize = 0;

/// The most words of a mask's nodes.
pub(super) const GROUP: usize = 8;
/// The most GPUs of a node that a lane of four bits has room for thrice.
const FEW_GPUS: u32 = 5;

/// Sizes of a genome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) jobs: usize,
    pub(super) nodes: usize,
    pub(super) words: usize,
    pub(super) masks: usize,
    /// Bits of a lane.
    pub(super) bits: u32,
}

impl Layout {
    /// For nodes of at most so many GPUs.
    pub(super) fn new(jobs: usize, nodes: usize, most_gpus: u32) -> Self {
        let bits = if most_gpus <= FEW_GPUS { 4 } else { 8 };
        let (few, many) = if bits == 4 {
            (FEW, MANY)
        } else {
            (FEW_LARGE, MANY_LARGE)
        };
        let words = match nodes.div_ceil(64 / bits as usize) {
            words if words <= few => few,
            words if words <= many => many,
            words => words,
        };
        Self {
            jobs,
            nodes,
            words,
            masks: words.div_ceil(bits as usize),
            bits,
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
            masks: 1,
            bits: if W == FEW || W == MANY { 4 } else { 8 },
            ..self
        }
    }

    /// The words of a mask's nodes.
    #[inline]
    pub(super) fn group(self, mask: usize) -> Range<usize> {
        let words = self.bits as usize;
        words * mask..self.words.min(words * (mask + 1))
    }

    /// The highest bit of every lane.
    #[inline]
    pub(super) fn high(self) -> u64 {
        if self.bits == 4 {
            0x8888_8888_8888_8888
        } else {
            0x8080_8080_8080_8080
        }
    }

    /// The lowest bit of every lane.
    #[inline]
    pub(super) fn ones(self) -> u64 {
        self.high() >> (self.bits - 1)
    }

    /// All bits of a word's first lane.
    #[inline]
    pub(super) fn lane(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// A node's word, and how far its lane is shifted there.
    #[inline]
    pub(super) fn place(self, node: usize) -> (usize, u32) {
        let lanes = 64 / self.bits as usize;
        (node / lanes, (node % lanes) as u32 * self.bits)
    }

    /// The word that a bit of mask `mask` stands for, and how far its lane is shifted there.
    #[inline]
    pub(super) fn place_of(self, mask: usize, bit: u32) -> (usize, u32) {
        let lane = bit & !(self.bits - 1);
        (self.bits as usize * mask + (bit - lane) as usize, lane)
    }

    /// The node a bit of mask `mask` stands for.
    #[inline]
    pub(super) fn node_of(self, mask: usize, bit: u32) -> usize {
        let (word, shift) = self.place_of(mask, bit);
        64 / self.bits as usize * word + (shift / self.bits) as usize
    }

    /// The GPUs on a node.
    #[inline]
    pub(super) fn get(self, words: &[u64], node: usize) -> u32 {
        let (word, shift) = self.place(node);
        (words[word] >> shift & self.lane()) as u32
    }

    /// Sets the GPUs on a node, at most 64.
    #[inline]
    pub(super) fn set(self, words: &mut [u64], node: usize, gpus: u32) {
        let (word, shift) = self.place(node);
        words[word] = (words[word] & !(self.lane() << shift)) | (u64::from(gpus) << shift);
    }

    /// The highest bit of every lane that is not zero.
    #[inline]
    pub(super) fn nonzero(self, word: u64) -> u64 {
        (word + !self.high()) & self.high()
    }

    /// All bits of word `word` whose nodes are in the masks.
    #[inline]
    pub(super) fn lanes_of(self, masks: &[u64], word: usize) -> u64 {
        let bits = self.bits as usize;
        ((masks[word / bits] >> (word % bits)) & self.ones()) * self.lane()
    }

    /// Gives a word's nodes as many GPUs as are left.
    #[inline]
    pub(super) fn give(self, left: &mut u64, word: &mut u64) {
        let (high, wanted) = (self.high(), *word);
        // All bits of the lanes in which enough is left.
        let enough = (((*left | high) - wanted) & high) >> (self.bits - 1);
        let enough = enough * self.lane();
        let given = (wanted & enough) | (*left & !enough);
        *left -= given;
        *word = given;
    }

    /// The same; a mask's bits, if `word` is word `w` of it, for those that get none of what they
    /// wanted.
    #[inline]
    pub(super) fn take(self, left: &mut u64, word: &mut u64, w: usize) -> u64 {
        let wanted = *word;
        self.give(left, word);
        let empty = self.nonzero(wanted) & !self.nonzero(*word);
        (empty >> (self.bits - 1)) << w
    }

    /// Brings a record's masks up to date with its GPUs.
    #[inline]
    pub(super) fn refresh_masks(self, record: &mut [u64]) {
        let (words, rest) = record.split_at_mut(self.words);
        let groups = words.chunks(self.bits as usize);
        for (mask, group) in rest[..self.masks].iter_mut().zip(groups) {
            *mask = 0;
            for (shift, &word) in group.iter().enumerate() {
                *mask |= (self.nonzero(word) >> (self.bits - 1)) << shift;
            }
        }
    }

    /// All GPUs of a row.
    #[inline]
    pub(super) fn sum(self, words: &[u64]) -> u32 {
        const BYTES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
        let bytes = |word: u64| {
            if self.bits == 4 {
                (word & BYTES) + (word >> 4 & BYTES)
            } else {
                word
            }
        };
        if let ([word], 4) = (words, self.bits) {
            return (bytes(*word).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32;
        }
        if let (&[a, b, c, d], 4) = (words, self.bits) {
            // Lanes are less than 8, sums of two fill no lane.
            let bytes = bytes(a + b) + bytes(c + d);
            let pairs = (bytes & PAIRS) + (bytes >> 8 & PAIRS);
            return (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32;
        }
        let pairs = |&word: &u64| (bytes(word) & PAIRS) + (bytes(word) >> 8 & PAIRS);
        let of_group = |group: &[u64]| {
            let pairs: u64 = group.iter().map(pairs).sum();
            (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
        };
        words.chunks(GROUP).map(of_group).sum()
    }

    /// Whether a row is so short that nothing of it is remembered but its masks.
    #[inline]
    pub(super) fn is_short(self) -> bool {
        self.words <= FEW_LARGE
    }

    /// Words of a job's record.
    #[inline]
    pub(super) fn record(self) -> usize {
        self.words + self.masks + if self.is_short() { 0 } else { 2 }
    }

    /// Words of a genome.
    #[inline]
    pub(super) fn genome(self) -> usize {
        self.jobs * self.record()
    }

    /// Where a record's masks end; its hash and its cell follow, if it is long.
    #[inline]
    pub(super) fn end_of_masks(self) -> usize {
        self.words + self.masks
    }
}

/// The number of nodes in the masks.
#[inline]
pub(super) fn count(masks: &[u64]) -> u32 {
    masks.iter().map(|mask| mask.count_ones()).sum()
}

/// Whether the masks hold more than one node.
#[inline]
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

/// The same of a short row, for which fewer bits do.
#[inline]
pub(super) fn hash_short(words: &[u64], job: usize) -> u64 {
    let mut factor = 0x94d0_49bb_1331_11eb_u64;
    let mut hash = (job as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &word in words {
        hash = (hash ^ word).wrapping_mul(factor);
        factor = factor.wrapping_add(0xbf58_476d_1ce4_e5b8);
    }
    hash ^ (hash >> 32)
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

    #[inline]
    pub(super) fn has(&self, job: usize) -> bool {
        self.rows[job / 64] >> (job % 64) & 1 == 1
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
        for (nodes, most) in [(13, 5), (60, 4), (75, 5), (60, 64), (75, 64)] {
            let layout = Layout::new(1, nodes, most);
            let mut record = vec![0; layout.record()];
            let gpus: Vec<u32> = (0..nodes).map(|n| [0, most, 1, 0, 3][n * n % 5]).collect();
            for (node, &count) in gpus.iter().enumerate() {
                layout.set(&mut record, node, count);
            }
            layout.refresh_masks(&mut record);
            let (words, rest) = record.split_at(layout.words);
            let masks = &rest[..layout.masks];
            let held: Vec<usize> = (0..nodes).filter(|&n| gpus[n] > 0).collect();
            assert_eq!(layout.sum(words), gpus.iter().sum::<u32>());
            assert_eq!(count(masks) as usize, held.len());
            let mut of_masks: Vec<usize> = (0..layout.masks)
                .flat_map(|m| (0..64).map(move |bit| (m, bit)))
                .filter(|&(m, bit)| masks[m] >> bit & 1 == 1)
                .map(|(m, bit)| layout.node_of(m, bit))
                .collect();
            of_masks.sort_unstable();
            assert_eq!(of_masks, held);
            for (node, &count) in gpus.iter().enumerate() {
                assert_eq!(layout.get(words, node), count);
                let (word, shift) = layout.place(node);
                let lane = layout.lanes_of(masks, word) >> shift & layout.lane();
                assert_eq!(lane, if count > 0 { layout.lane() } else { 0 });
            }
        }
    }
}

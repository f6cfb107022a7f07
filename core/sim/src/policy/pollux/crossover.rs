//! Single-point crossover over job rows.

use super::genome::Layout;
use std::ops::Range;

/// Writes the child that has `head`'s rows before job `point` and `tail`'s from there. The three
/// are places in the arena, genomes one after the other.
pub(super) fn cross<const W: usize>(
    layout: Layout,
    arena: &mut [u64],
    child: usize,
    [head, tail]: [usize; 2],
    point: usize,
) {
    let layout = layout.with_words::<W>();
    let genome = layout.genome();
    let cut = point * layout.record();
    let part = |parent: usize, range: Range<usize>| {
        parent * genome + range.start..parent * genome + range.end
    };
    arena.copy_within(part(head, 0..cut), child * genome);
    arena.copy_within(part(tail, cut..genome), child * genome + cut);
}

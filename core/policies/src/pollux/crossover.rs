//! Single-point crossover over job rows.

use super::genome::Layout;

/// Writes the child that has `head`'s rows before job `point` and `tail`'s from there.
#[inline]
pub(super) fn cross<const W: usize>(
    layout: Layout,
    child: &mut [u64],
    [head, tail]: [&[u64]; 2],
    point: usize,
) {
    let layout = layout.with_words::<W>();
    let record = layout.record();
    if !layout.is_short() {
        let cut = point * record;
        child[..cut].copy_from_slice(&head[..cut]);
        child[cut..].copy_from_slice(&tail[cut..]);
        return;
    }
    // A copy of any length takes longer than to ask at each short row, without a branch.
    let rows = head.chunks_exact(record).zip(tail.chunks_exact(record));
    for (job, (child, (head, tail))) in child.chunks_exact_mut(record).zip(rows).enumerate() {
        let of_head = u64::from(job < point).wrapping_neg();
        for (word, (head, tail)) in child.iter_mut().zip(head.iter().zip(tail)) {
            *word = tail ^ ((head ^ tail) & of_head);
        }
    }
}

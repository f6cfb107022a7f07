//! A chip: a job in its lane.

use crate::draw::space::Rect;
use switchyard::job::JobId;

/// How long a chip takes from one lane, or row, to another.
pub(super) const GLIDE_MS: f64 = 250.0;

/// A chip as it was last painted.
pub(super) struct Shown {
    pub(super) job: JobId,
    pub(super) lane: usize,
    pub(super) row: usize,
    pub(super) rect: Rect,
    /// Where it set off from, and when.
    pub(super) from: Option<(Rect, f64)>,
    pub(super) category: u32,
    pub(super) running: bool,
}

impl Shown {
    /// Where it is on its way to `to`.
    pub(super) fn at(&self, to: &Rect, real_ms: f64) -> Rect {
        self.from.map_or(*to, |(from, began)| {
            let t = ((real_ms - began) / GLIDE_MS).clamp(0.0, 1.0);
            from.towards(to, t * t * (3.0 - 2.0 * t))
        })
    }
}

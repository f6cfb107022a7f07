//! What a drag on the timeline does.

use super::overview::Grip;
use crate::draw::space::{Device, Point};
use crate::draw::viewport::Window;

/// What a drag does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Drag {
    Pan {
        window: Window,
        scroll: f64,
        from: Point<Device>,
    },
    /// The clock, by its time on the axis.
    Clock,
    /// A range begins at this time.
    Select(f64),
    Overview(Grip),
}

//! The columns of the picture: the icicle, the ribbons, what is used, and time.

use crate::draw::space::{Ratio, Rect};
use crate::draw::viewport::{Ruler, Window};
use crate::stage::Stage;

/// CSS pixels: the axis above the columns is so high.
pub(in super::super) const AXIS: f64 = 26.0;
/// A level of the icicle is at most so wide.
const LEVEL: f64 = 150.0;
/// Ribbons have at least and at most so much.
const RIBBONS: [f64; 2] = [40.0, 240.0];
/// What is used, and the room beside it.
const BAR: f64 = 12.0;
const SIDE: f64 = 8.0;

/// The columns, from below the axis to the lower edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) icicle: Rect,
    pub(super) ribbons: Rect,
    pub(super) bar: Rect,
    pub(super) plot: Rect,
    level: f64,
}

impl Columns {
    pub(super) fn new(area: &Rect, ratio: Ratio, levels: u32) -> Self {
        let px = |css: f64| ratio.px(css);
        let all = (area.w - 2.0 * px(SIDE)).max(1.0);
        let (y, h) = (px(AXIS), (area.h - px(AXIS)).max(1.0));
        let level = (0.44 * all / f64::from(levels)).min(px(LEVEL)).floor();
        let from = |x: f64, w: f64| Rect::new(x, y, w.max(1.0), h);
        let icicle = from(px(SIDE), level * f64::from(levels));
        let wide = (0.18 * all).clamp(px(RIBBONS[0]), px(RIBBONS[1])).floor();
        let ribbons = from(icicle.right(), wide);
        let bar = from(ribbons.right(), px(BAR));
        let left = bar.right() + px(SIDE);
        Self {
            plot: from(left, area.w - px(SIDE) - left),
            icicle,
            ribbons,
            bar,
            level,
        }
    }

    /// A cell of the icicle. What lies below a leaf is the leaf's, too.
    pub(super) fn cell(&self, level: u32, is_leaf: bool, top: f64, base: f64) -> Rect {
        let x = self.icicle.x + f64::from(level) * self.level;
        let right = match is_leaf {
            true => self.icicle.right(),
            false => x + self.level,
        };
        let (top, base) = (top.round(), base.round());
        Rect::new(x, top, right - x, base - top)
    }

    /// All of time, as the player has it.
    pub(super) fn ruler(&self, stage: &Stage) -> Ruler {
        Ruler::across(&self.plot, Window::new(0.0, stage.whole()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_beside_one_another_at_every_width() {
        for (width, levels) in [(390.0, 2), (390.0, 5), (1280.0, 3), (1920.0, 1), (40.0, 4)] {
            let area = Rect::new(0.0, 0.0, width, 600.0);
            let of = Columns::new(&area, Ratio(1.0), levels);
            assert_eq!(of.ribbons.x, of.icicle.right());
            assert_eq!(of.bar.x, of.ribbons.right());
            assert!(of.plot.x > of.bar.right() && of.plot.w >= 1.0);
            if width > 300.0 {
                assert!(
                    of.plot.right() <= width && of.plot.w > 0.25 * width,
                    "{of:?}"
                );
            }
            let leaf = of.cell(0, true, 26.0, 48.0);
            assert_eq!((leaf.x, leaf.right()), (of.icicle.x, of.icicle.right()));
        }
    }
}

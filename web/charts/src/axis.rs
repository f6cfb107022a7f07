//! Our axes as plotters takes them.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;
use switchyard_app::figures::Axis;

/// An [`Axis`]: its places, its ticks and their labels.
pub(crate) struct Scale(pub(crate) Axis);

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let along = self.0.position(*value) * f64::from(to - from);
        from + along.round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // It has only as many as there is room for, and no light ones.
        match hint.max_num_points() {
            0 => Vec::new(),
            _ => self.0.ticks().to_vec(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.0.value(0.0)..self.0.value(1.0)
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.0.tick_label(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::coord::ranged1d::{BoldPoints, LightPoints};

    #[test]
    fn plotters_has_our_places_ticks_and_labels() {
        let scale = Scale(Axis::durations_or_none("", (1.0, 3600.0)));
        assert_eq!(scale.map(&0.0, (900, 100)), 900);
        assert_eq!(scale.map(&1e9, (900, 100)), 100);
        let ticks = scale.key_points(BoldPoints(3));
        assert_eq!(ticks, scale.0.ticks());
        assert_eq!(scale.format_ext(&ticks[0]), "0");
        assert!(scale.key_points(LightPoints::new(3, 0)).is_empty());
        assert_eq!(scale.range().start, 0.0);
    }
}

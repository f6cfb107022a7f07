//! Lines through points, for plotters to draw.

use crate::board::Board;
use crate::stroke::Stroke;
use crate::units::Failed;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};

/// A line through points.
pub(crate) struct Polyline<C> {
    points: Vec<C>,
    stroke: Stroke,
}

impl<C> Polyline<C> {
    pub(crate) fn new(points: impl Into<Vec<C>>, stroke: Stroke) -> Self {
        let points = points.into();
        Self { points, stroke }
    }
}

impl<'a, C> PointCollection<'a, C> for &'a Polyline<C> {
    type Point = &'a C;
    type IntoIter = &'a [C];

    fn point_iter(self) -> Self::IntoIter {
        &self.points
    }
}

impl<C> Drawable<Board<'_>> for Polyline<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        board: &mut Board<'_>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Failed>> {
        board.stroke(points, &self.stroke)
    }
}

//! What is drawn around dots by hand: the curve, closed from its end to its beginning. One that encloses next to nothing is
//! a straight drag from corner to corner, and stands for the box between them.

use crate::draw::space::{Css, Point};

/// A curve that encloses less than this share of the box around it is a straight drag.
const STRAIGHT: f64 = 0.02;

/// What a drag encloses.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lasso {
    /// The box between two corners, the least first.
    Box([Point<Css>; 2]),
    /// What is within a closed curve.
    Curve(Vec<Point<Css>>),
}

impl Lasso {
    /// What a path encloses.
    pub(super) fn of(path: &[Point<Css>]) -> Self {
        let [least, most] = corners(path);
        let around = (most.x - least.x) * (most.y - least.y);
        match area(path) < STRAIGHT * around || around <= 0.0 {
            true => Self::Box([least, most]),
            false => Self::Curve(path.to_vec()),
        }
    }

    /// The corners of the box around it, the least first.
    pub(super) fn corners(&self) -> [Point<Css>; 2] {
        match self {
            Self::Box(corners) => *corners,
            Self::Curve(path) => corners(path),
        }
    }

    /// What encloses it, to be closed.
    pub(super) fn outline(&self) -> Vec<Point<Css>> {
        match self {
            Self::Box([a, b]) => {
                let corners = [(a.x, a.y), (b.x, a.y), (b.x, b.y), (a.x, b.y)];
                corners.map(|(x, y)| Point::new(x, y)).to_vec()
            }
            Self::Curve(path) => path.clone(),
        }
    }

    /// Whether a point lies within: a ray from it crosses the curve an odd number of times.
    pub(super) fn holds(&self, at: Point<Css>) -> bool {
        let path = match self {
            Self::Box([a, b]) => {
                return (a.x..=b.x).contains(&at.x) && (a.y..=b.y).contains(&at.y);
            }
            Self::Curve(path) => path,
        };
        let crosses = |&(a, b): &(Point<Css>, Point<Css>)| {
            (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
        };
        edges(path).filter(crosses).count() % 2 == 1
    }
}

/// From each point to the next, and from the last to the first.
fn edges(path: &[Point<Css>]) -> impl Iterator<Item = (Point<Css>, Point<Css>)> {
    let next = path.iter().cycle().skip(1);
    path.iter().copied().zip(next.copied())
}

/// What a closed path encloses, by Gauss's formula.
fn area(path: &[Point<Css>]) -> f64 {
    let twice = edges(path).fold(0.0, |sum, (a, b)| sum + a.x * b.y - b.x * a.y);
    twice.abs() / 2.0
}

fn corners(path: &[Point<Css>]) -> [Point<Css>; 2] {
    let of = |pick: fn(f64, f64) -> f64, none: f64| {
        let least = |(x, y), at: &Point<Css>| (pick(x, at.x), pick(y, at.y));
        let (x, y) = path.iter().fold((none, none), least);
        Point::new(x, y)
    };
    [of(f64::min, f64::INFINITY), of(f64::max, f64::NEG_INFINITY)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lasso(path: &[(f64, f64)]) -> Lasso {
        let points: Vec<_> = path.iter().map(|&(x, y)| Point::new(x, y)).collect();
        Lasso::of(&points)
    }

    #[test]
    fn what_lies_within_a_curve_is_held_and_what_lies_in_its_bay_is_not() {
        // A horseshoe, open to the right, as it is drawn either way round.
        let mut path = vec![
            (0.0, 0.0),
            (30.0, 0.0),
            (30.0, 10.0),
            (10.0, 10.0),
            (10.0, 20.0),
            (30.0, 20.0),
            (30.0, 30.0),
            (0.0, 30.0),
        ];
        for _ in 0..2 {
            let of = lasso(&path);
            let within = [(5.0, 15.0), (20.0, 5.0), (20.0, 25.0)];
            let beyond = [(20.0, 15.0), (-1.0, 15.0), (31.0, 5.0), (5.0, 31.0)];
            assert!(within.iter().all(|&(x, y)| of.holds(Point::new(x, y))));
            assert!(!beyond.iter().any(|&(x, y)| of.holds(Point::new(x, y))));
            assert_eq!(of.outline().len(), path.len());
            path.reverse();
        }
    }

    #[test]
    fn a_straight_drag_stands_for_its_box() {
        let nearly = lasso(&[(90.0, 10.0), (60.0, 41.0), (30.0, 70.0), (10.0, 90.0)]);
        let box_of = [Point::new(10.0, 10.0), Point::new(90.0, 90.0)];
        assert_eq!(nearly, Lasso::Box(box_of));
        assert!(nearly.holds(Point::new(80.0, 80.0)) && !nearly.holds(Point::new(80.0, 91.0)));
        assert_eq!(nearly.outline().len(), 4);
        let level = lasso(&[(0.0, 5.0), (40.0, 5.0)]);
        assert_eq!(
            level.corners(),
            [Point::new(0.0, 5.0), Point::new(40.0, 5.0)]
        );
        // A bow encloses something.
        assert!(matches!(
            lasso(&[(0.0, 0.0), (50.0, 10.0), (80.0, 80.0)]),
            Lasso::Curve(_)
        ));
    }
}

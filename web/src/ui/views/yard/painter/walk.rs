//! From job to job by the arrow keys: the nearest one that way, running or waiting.

use crate::draw::space::{Device, Point};
use switchyard::job::JobId;

/// How much farther a step to the side seems than one ahead.
const SIDEWAYS: f64 = 2.0;

/// A step from job to job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// That way; one of the numbers is 0, the other 1 or −1.
    Towards {
        right: f64,
        down: f64,
    },
    First,
    Last,
}

impl Step {
    /// What a key means.
    pub(super) fn of(key: &str) -> Option<Self> {
        let (right, down) = match key {
            "ArrowLeft" => (-1.0, 0.0),
            "ArrowRight" => (1.0, 0.0),
            "ArrowUp" => (0.0, -1.0),
            "ArrowDown" => (0.0, 1.0),
            "Home" => return Some(Self::First),
            "End" => return Some(Self::Last),
            _ => return None,
        };
        Some(Self::Towards { right, down })
    }

    /// The job to which it leads from a place, or from nowhere; the same one at the edge.
    /// `places`: where each job is, those that run before those that wait.
    pub(super) fn lead(
        self,
        from: Option<JobId>,
        places: &[(JobId, Point<Device>)],
    ) -> Option<JobId> {
        let here = places.iter().find(|(job, _)| Some(*job) == from);
        let to = match (self, here) {
            (Self::Last, _) => places.last(),
            (Self::First, _) | (_, None) => places.first(),
            (Self::Towards { right, down }, Some((_, at))) => places
                .iter()
                .filter_map(|place| {
                    let (x, y) = (place.1.x - at.x, place.1.y - at.y);
                    let ahead = x * right + y * down;
                    let aside = (x * down).abs() + (y * right).abs();
                    // Within a quadrant: a step to the right does not lead down.
                    (ahead > 0.5 && aside <= 2.0 * ahead)
                        .then_some((ahead + SIDEWAYS * aside, place))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map_or(here, |(_, place)| Some(place)),
        };
        to.map(|(job, _)| *job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_lead_to_the_nearest_job_that_way_and_stop_at_the_edge() {
        // Two rows of nodes, and one who waits below.
        let places = [
            (0, 0.0, 0.0),
            (1, 40.0, 0.0),
            (2, 0.0, 30.0),
            (3, 45.0, 30.0),
            (4, 0.0, 90.0),
        ]
        .map(|(job, x, y)| (JobId(job), Point::new(x, y)));
        let lead = |key: &str, from: Option<u32>| {
            let step = Step::of(key).expect("a step");
            step.lead(from.map(JobId), &places).map(|job| job.0)
        };
        assert_eq!(lead("ArrowRight", None), Some(0));
        assert_eq!(lead("ArrowRight", Some(0)), Some(1));
        assert_eq!(lead("ArrowDown", Some(1)), Some(3));
        assert_eq!(lead("ArrowDown", Some(2)), Some(4));
        assert_eq!(lead("ArrowUp", Some(4)), Some(2));
        assert_eq!(lead("ArrowLeft", Some(3)), Some(2));
        assert_eq!(lead("ArrowLeft", Some(0)), Some(0));
        // One that is no longer here.
        assert_eq!(lead("ArrowUp", Some(9)), Some(0));
        assert_eq!(
            (lead("Home", Some(3)), lead("End", Some(3))),
            (Some(0), Some(4))
        );
        assert_eq!(Step::of("x"), None);
        assert_eq!(Step::First.lead(None, &[]), None);
    }
}

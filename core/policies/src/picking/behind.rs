//! Who may start behind the head that waits, found in the order of submission without looking at all who wait: jobs
//! stand by their gangs, and in each such row a tree of the least time asked for says where to look.

use super::candidate::Candidate;
use crate::job::JobId;
use switchyard_placement::Gang;

/// Who waits behind the head.
#[derive(Default)]
pub(super) struct Behind {
    /// Ascending by GPUs, then by where the gang may lie; what was once seen stays.
    rows: Vec<Row>,
}

/// Jobs of one size that may lie on the same nodes.
struct Row {
    of: (u32, u64),
    /// The first gang that was seen.
    gang: Gang,
    /// Whether no placement can tell their gangs apart.
    is_alike: bool,
    /// In the order of submission, those that wait no longer among them.
    places: Vec<Place>,
    /// The least time asked for below a node of a tree: the children of `i` are `2 i` and `2 i + 1`, the last are
    /// the places themselves. No number: nobody waits there.
    least: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Place {
    job: JobId,
    /// The time that it asks for; no number once it waits no longer.
    seconds: f64,
}

impl Behind {
    /// A job that wants this gang waits.
    pub(super) fn insert(&mut self, job: &Candidate, gang: Gang) {
        let of = (gang.gpus, gang.needs.pools());
        let at = self.rows.partition_point(|row| row.of < of);
        if self.rows.get(at).is_none_or(|row| row.of != of) {
            self.rows.insert(at, Row::new(of, gang));
        }
        let row = &mut self.rows[at];
        row.is_alike &= row.gang.is_like(&gang);
        row.insert(job.job, job.seconds);
    }

    /// A job waits no longer.
    pub(super) fn remove(&mut self, job: JobId, gang: Gang) {
        let of = (gang.gpus, gang.needs.pools());
        if let Ok(at) = self.rows.binary_search_by_key(&of, |row| row.of) {
            self.rows[at].remove(job);
        }
    }

    /// A walk along all who wait.
    pub(super) fn walk(&self) -> Walk {
        let from = Stand {
            next: JobId(0),
            is_closed: false,
            only_in_time: false,
        };
        Walk(vec![from; self.rows.len()])
    }
}

/// A walk along who waits, in the order of submission.
pub(super) struct Walk(Vec<Stand>);

/// How far a walk has come in a row.
#[derive(Clone, Copy)]
struct Stand {
    next: JobId,
    is_closed: bool,
    only_in_time: bool,
}

/// Whom a walk has met.
#[derive(Clone, Copy)]
pub(super) struct Met {
    pub(super) job: JobId,
    row: usize,
}

impl Walk {
    /// The next job that wants so few GPUs and either asks for a time that is short enough, or wants so few that
    /// the time does not matter. What was true of a time is true of all shorter ones.
    pub(super) fn next(
        &mut self,
        behind: &Behind,
        free: u32,
        extra: u32,
        is_short: &dyn Fn(f64) -> bool,
    ) -> Option<Met> {
        let mut first: Option<Met> = None;
        let rows = behind.rows.iter().zip(&self.0).enumerate();
        for (at, (row, stand)) in rows {
            let gpus = row.of.0;
            if stand.is_closed || gpus > free {
                continue;
            }
            let job = match gpus <= extra && !stand.only_in_time {
                true => row.first(stand.next, &|seconds| !seconds.is_nan()),
                false => row.first(stand.next, is_short),
            };
            if let Some(job) = job
                && first.is_none_or(|first| job < first.job)
            {
                first = Some(Met { job, row: at });
            }
        }
        let met = first?;
        self.0[met.row].next = JobId(met.job.0 + 1);
        Some(met)
    }

    /// There is no room for this one's gang, and so for none that is like it.
    pub(super) fn refuse(&mut self, behind: &Behind, met: Met) {
        self.0[met.row].is_closed = behind.rows[met.row].is_alike;
    }

    /// This one's gang would be in the head's way, and so would all that are like it.
    pub(super) fn refuse_late(&mut self, behind: &Behind, met: Met) {
        self.0[met.row].only_in_time = behind.rows[met.row].is_alike;
    }
}

impl Row {
    fn new(of: (u32, u64), gang: Gang) -> Self {
        Self {
            of,
            gang,
            is_alike: true,
            places: Vec::new(),
            least: Vec::new(),
        }
    }

    /// How many places the tree has.
    fn width(&self) -> usize {
        self.least.len() / 2
    }

    fn insert(&mut self, job: JobId, seconds: f64) {
        let place = Place { job, seconds };
        match self.places.binary_search_by_key(&job, |place| place.job) {
            Ok(at) => {
                self.places[at] = place;
                self.note(at);
            }
            Err(at) if at == self.places.len() && at < self.width() => {
                self.places.push(place);
                self.note(at);
            }
            Err(at) => {
                self.places.insert(at, place);
                self.build();
            }
        }
    }

    fn remove(&mut self, job: JobId) {
        let Ok(at) = self.places.binary_search_by_key(&job, |place| place.job) else {
            return;
        };
        self.places[at].seconds = f64::NAN;
        self.note(at);
    }

    /// The tree anew, without those who wait no longer.
    fn build(&mut self) {
        self.places.retain(|place| !place.seconds.is_nan());
        let width = (2 * self.places.len()).next_power_of_two();
        self.least.clear();
        self.least.resize(2 * width, f64::NAN);
        for (least, place) in self.least[width..].iter_mut().zip(&self.places) {
            *least = place.seconds;
        }
        for at in (1..width).rev() {
            self.least[at] = self.least[2 * at].min(self.least[2 * at + 1]);
        }
    }

    /// Takes note of what has changed at a place.
    fn note(&mut self, at: usize) {
        let mut node = self.width() + at;
        self.least[node] = self.places[at].seconds;
        while node > 1 {
            node /= 2;
            self.least[node] = self.least[2 * node].min(self.least[2 * node + 1]);
        }
    }

    /// The first job that waits, from this one on, whose time will do.
    fn first(&self, from: JobId, will_do: &dyn Fn(f64) -> bool) -> Option<JobId> {
        let from = self.places.partition_point(|place| place.job < from);
        let at = self.first_below(1, 0..self.width(), from, will_do)?;
        Some(self.places.get(at)?.job)
    }

    fn first_below(
        &self,
        node: usize,
        places: std::ops::Range<usize>,
        from: usize,
        will_do: &dyn Fn(f64) -> bool,
    ) -> Option<usize> {
        let least = *self.least.get(node)?;
        if places.end <= from || !will_do(least) {
            return None;
        }
        if places.len() == 1 {
            return Some(places.start);
        }
        let middle = places.start.midpoint(places.end);
        self.first_below(2 * node, places.start..middle, from, will_do)
            .or_else(|| self.first_below(2 * node + 1, middle..places.end, from, will_do))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Needs;
    use proptest::prelude::*;

    proptest! {
        /// Meets whom a look at all meets.
        #[test]
        fn a_walk_leaves_nobody_out(
            jobs in prop::collection::vec((1u32..5, 1u32..20), 1..60),
            removed in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            back in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
            (free, extra, most) in (1u32..6, 0u32..4, 0u32..20),
            refused in (1u32..5, 1u32..5),
        ) {
            let gang = |gpus| Gang { gpus, share: None, skewed: false, needs: Needs::default(), profile: None, asker: None };
            let all: Vec<Candidate> = (0u32..)
                .zip(&jobs)
                .map(|(id, &(gpus, seconds))| Candidate { job: JobId(id), submit: 0.0, gpus, seconds: seconds.into() })
                .collect();
            let mut behind = Behind::default();
            let mut waits = vec![true; all.len()];
            all.iter().for_each(|job| behind.insert(job, gang(job.gpus)));
            for index in removed {
                let at = index.index(all.len());
                behind.remove(JobId(at as u32), gang(all[at].gpus));
                waits[at] = false;
            }
            for index in back {
                let at = index.index(all.len());
                if !std::mem::replace(&mut waits[at], true) {
                    behind.insert(&all[at], gang(all[at].gpus));
                }
            }
            let is_short = move |seconds: f64| seconds <= f64::from(most);
            let (closed, late) = refused;
            let expected = all.iter().filter(|job| {
                let is_extra = job.gpus <= extra && job.gpus != late;
                waits[job.job.index()] && job.gpus <= free && job.gpus != closed && (is_short(job.seconds) || is_extra)
            });
            let mut walk = behind.walk();
            let mut met = Vec::new();
            while let Some(one) = walk.next(&behind, free, extra, &is_short) {
                let job = all[one.job.index()];
                if job.gpus == closed {
                    walk.refuse(&behind, one);
                } else if job.gpus == late && !is_short(job.seconds) {
                    walk.refuse_late(&behind, one);
                } else {
                    met.push(one.job);
                }
            }
            prop_assert_eq!(met, expected.map(|job| job.job).collect::<Vec<_>>());
        }
    }
}

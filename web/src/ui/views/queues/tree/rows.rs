//! Where the queues of a tree stand, one below the other: a row each for leaves, for what an inner queue has of its own,
//! and for what is used beyond all quotas. All rows have one scale, so that what is lent is as high as what is borrowed.

use crate::quotas::{LEAST, Quotas};
use switchyard::queues::tree::QueueId;
use switchyard::report::QueuesAt;

/// So many rows are shown, those with the most GPUs; what the others have is summed up in one.
const MOST_ROWS: usize = 100;

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// A queue that jobs belong to.
    Leaf(QueueId),
    /// What an inner queue has of its own.
    Own(QueueId),
    /// So many queues for which there is no row.
    Rest(usize),
    /// What is used beyond the quotas of whole trees.
    NoQuota,
}

/// A row: from its top to its base stand its GPUs, upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) slot: Slot,
    pub(super) top: f64,
    pub(super) base: f64,
}

/// A queue as a box of the icicle: its level, and its first and last row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) queue: QueueId,
    pub(super) level: u32,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The rows of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Each below the one above it.
    pub(super) cells: Vec<Cell>,
    /// How many levels there are.
    pub(super) levels: u32,
    /// Pixels of a GPU.
    pub(super) scale: f64,
    /// By queue: the row of what it has itself.
    row_of: Vec<usize>,
    /// That of no quota.
    no_quota: usize,
}

/// What is lent, between two rows: heights above their bases, and how many GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ribbon {
    pub(super) from: (usize, f64),
    pub(super) to: (usize, f64),
    pub(super) gpus: f64,
    /// Which loan it is; none: what a queue uses of its own.
    pub(super) loan: Option<usize>,
}

/// How many rows a tree takes, at most.
pub(super) fn count(quotas: &Quotas) -> usize {
    slots(quotas).len().min(MOST_ROWS + 1) + 1
}

/// What would have a row, and the most GPUs that ever stand in it, in the tree's order: not what has no quota and never a
/// job.
fn slots(quotas: &Quotas) -> Vec<(Slot, f64)> {
    let over_time = quotas.order.iter().zip(&quotas.over_time.queues);
    let slots = over_time.filter_map(|(&(id, _), series)| match quotas.tree.is_leaf(id) {
        true => {
            let most = quotas.most_used(id).max(quotas.quota[id.index()]);
            let has_jobs = || series.asked.iter().any(|&of| of >= LEAST);
            (most >= LEAST || has_jobs()).then_some((Slot::Leaf(id), most))
        }
        false => Some((Slot::Own(id), quotas.own(id))).filter(|of| of.1 >= LEAST),
    });
    slots.collect()
}

impl Rows {
    /// Rows from `top` on that fill `height`, none of them less high than `least`, of which `gap` stays free.
    pub(super) fn new(quotas: &Quotas, top: f64, height: f64, least: f64, gap: f64) -> Self {
        let mut slots = slots(quotas);
        let mut by_gpus: Vec<f64> = slots.iter().map(|of| of.1).collect();
        by_gpus.sort_by(|a, b| b.total_cmp(a));
        let mut rest = (0, 0.0_f64);
        if let Some(&bar) = by_gpus.get(MOST_ROWS) {
            let mut room = MOST_ROWS;
            slots.retain(|&(_, most)| {
                let stays = most > bar || most == bar && room > 0;
                room = room.saturating_sub(usize::from(stays));
                if !stays {
                    rest = (rest.0 + 1, rest.1 + most);
                }
                stays
            });
        }
        if rest.0 > 0 {
            slots.push((Slot::Rest(rest.0), rest.1));
        }
        if quotas.most_beyond() >= LEAST {
            slots.push((Slot::NoQuota, quotas.most_beyond()));
        }
        let scale = scale(&slots, height, least, gap);
        let mut at = top;
        let rows = slots.iter().map(|&(slot, most)| {
            let row = Row {
                slot,
                top: at,
                base: at + (scale * most + gap).max(least),
            };
            at = row.base;
            row
        });
        let rows: Vec<Row> = rows.collect();
        let place = |is_it: fn(Slot) -> bool| rows.iter().position(|row| is_it(row.slot));
        let last = rows.len().saturating_sub(1);
        let others = place(|slot| matches!(slot, Slot::Rest(_))).unwrap_or(last);
        let no_quota = place(|slot| slot == Slot::NoQuota).unwrap_or(last);
        let mut row_of = vec![others; quotas.quota.len()];
        for (at, row) in rows.iter().enumerate() {
            if let Slot::Leaf(id) | Slot::Own(id) = row.slot {
                row_of[id.index()] = at;
            }
        }
        let cells = quotas.order.iter().filter_map(|&(queue, level)| {
            let is_below = |row: &Row| match row.slot {
                Slot::Leaf(id) | Slot::Own(id) => quotas.is_within(id, queue),
                Slot::Rest(_) | Slot::NoQuota => false,
            };
            Some(Cell {
                queue,
                level,
                first: rows.iter().position(is_below)?,
                last: rows.iter().rposition(is_below)?,
            })
        });
        let cells: Vec<Cell> = cells.collect();
        Self {
            levels: 1 + cells.iter().map(|cell| cell.level).max().unwrap_or(0),
            cells,
            scale,
            row_of,
            no_quota,
            rows,
        }
    }

    /// What each queue uses of its own, and what it lends to whom.
    pub(super) fn ribbons(&self, quotas: &Quotas, at: &QueuesAt) -> Vec<Ribbon> {
        // By row: how high the ribbons that begin there reach, and those that end there.
        let mut ribbons = Vec::new();
        let (mut given, mut taken) = (vec![0.0; self.rows.len()], vec![0.0; self.rows.len()]);
        let mut lay = |from: usize, to: usize, gpus: f64, loan: Option<usize>| {
            if gpus < LEAST || from >= given.len() || to >= taken.len() {
                return;
            }
            ribbons.push(Ribbon {
                from: (from, given[from]),
                to: (to, taken[to]),
                gpus,
                loan,
            });
            given[from] += gpus;
            taken[to] += gpus;
        };
        for leaf in quotas.tree.leaves() {
            let (row, of) = (self.row_of[leaf.index()], at.queues[leaf.index()]);
            lay(row, row, of.used - of.borrowed, None);
        }
        // From below upwards on both sides, so that few cross.
        let mut loans: Vec<(usize, usize, f64, usize)> = at
            .loans
            .iter()
            .enumerate()
            .map(|(loan, &(to, from, gpus))| {
                let from = from.map_or(self.no_quota, |id| self.row_of[id.index()]);
                (from, self.row_of[to.index()], gpus, loan)
            })
            .collect();
        loans.sort_by_key(|of| std::cmp::Reverse((of.0, of.1)));
        for (from, to, gpus, loan) in loans {
            lay(from, to, gpus, Some(loan));
        }
        ribbons
    }
}

/// Pixels of a GPU with which the rows fill a height.
fn scale(slots: &[(Slot, f64)], height: f64, least: f64, gap: f64) -> f64 {
    let all: f64 = slots.iter().map(|of| of.1).sum();
    let taken = |scale: f64| -> f64 {
        let rows = slots.iter().map(|of| (scale * of.1 + gap).max(least));
        rows.sum()
    };
    let (mut low, mut high) = (0.0, height / all.max(LEAST));
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        match taken(middle) > height {
            true => high = middle,
            false => low = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(quotas: &Quotas, rows: &Rows) -> Vec<String> {
        let name = |id: QueueId| quotas.tree.queue(id).name.clone();
        let row = |row: &Row| match row.slot {
            Slot::Leaf(id) => name(id),
            Slot::Own(id) => format!("own of {}", name(id)),
            Slot::Rest(many) => format!("{many} more"),
            Slot::NoQuota => "no quota".to_owned(),
        };
        rows.rows.iter().map(row).collect()
    }

    #[test]
    fn rows_fill_the_height_in_one_scale_and_loans_join_them() {
        let (quotas, at) = Quotas::of_two_teams(3600.0);
        let rows = Rows::new(&quotas, 10.0, 300.0, 20.0, 4.0);
        // Others have no quota, and there are no other jobs.
        assert_eq!(names(&quotas, &rows), ["vision", "speech"]);
        let [vision, speech] = rows.rows[..] else {
            panic!("two rows");
        };
        assert_eq!(vision.top, 10.0);
        assert!((speech.base - 310.0).abs() < 1e-6, "{rows:?}");
        // Vision uses 16 at once, speech has a quota of 8.
        let gpus = |row: Row| (row.base - row.top - 4.0) / rows.scale;
        assert!((gpus(vision) - 16.0).abs() < 1e-6 && (gpus(speech) - 8.0).abs() < 1e-6);
        let lab = rows.cells[0];
        assert_eq!((lab.level, lab.first, lab.last, rows.levels), (0, 0, 1, 2));
        let ribbons = rows.ribbons(&quotas, &at);
        let of = |ribbon: &Ribbon| (ribbon.from, ribbon.to, ribbon.gpus, ribbon.loan);
        assert_eq!(
            ribbons.iter().map(of).collect::<Vec<_>>(),
            [
                ((0, 0.0), (0, 0.0), 8.0, None),
                ((1, 0.0), (0, 8.0), 8.0, Some(0))
            ]
        );
    }

    #[test]
    fn no_height_and_no_gpus_are_a_picture_too() {
        let (quotas, at) = Quotas::of_two_teams(0.0);
        let rows = Rows::new(&quotas, 0.0, 0.0, 20.0, 4.0);
        assert!(rows.scale.is_finite() && rows.rows.iter().all(|row| row.base > row.top));
        assert!(
            rows.ribbons(&quotas, &at)
                .iter()
                .all(|of| of.gpus.is_finite())
        );
        assert!(scale(&[], 100.0, 20.0, 4.0).is_finite());
    }
}

//! Where chips stand in a lane: at their own place across, in the first row that has room, and in
//! the row they had before if they can. Where the rows would be too thin to see, columns count them.

use switchyard::job::JobId;
use switchyard::order;

/// Row counts that lanes have: few, so that chips do not change size at every arrival.
const ROWS: [usize; 12] = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96];

/// A chip to be placed in a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chip {
    pub(super) job: JobId,
    /// Left edge and width, pixels.
    pub(super) x: f64,
    pub(super) w: f64,
    pub(super) running: bool,
    /// The row it had; after [`rows`], the row it has.
    pub(super) row: Option<usize>,
}

/// Gives every chip a row so that none overlap, `gap` pixels between them, and returns how many
/// rows the lane has; `None` if it would be more than `most`.
pub(super) fn rows(chips: &mut [Chip], gap: f64, most: usize) -> Option<usize> {
    let mut order: Vec<u32> = (0..chips.len() as u32).collect();
    order::sort_by(&mut order, |&a, &b| {
        let (a, b) = (&chips[a as usize], &chips[b as usize]);
        a.x.total_cmp(&b.x).then(a.job.cmp(&b.job))
    });
    let fresh = fill(chips, &order, gap, most, false)?;
    let needed = fresh.iter().max().map_or(1, |row| row + 1);
    let rows = ROWS.into_iter().find(|&rows| rows >= needed)?.min(most);
    // Keeping rows may take more of them than there are: then all are given anew.
    let kept = fill(chips, &order, gap, rows, true).unwrap_or(fresh);
    for (chip, row) in chips.iter_mut().zip(kept) {
        chip.row = Some(row);
    }
    Some(rows)
}

/// A row for each chip, in `order` by place: its own if that is to be kept and free, else the first
/// free one; `None` if `most` rows are too few.
fn fill(chips: &[Chip], order: &[u32], gap: f64, most: usize, keep: bool) -> Option<Vec<usize>> {
    let mut ends = vec![f64::NEG_INFINITY; most];
    let mut rows = vec![0; chips.len()];
    for i in order.iter().map(|&i| i as usize) {
        let chip = &chips[i];
        let free = |row: &usize| ends.get(*row).is_some_and(|&end| end <= chip.x);
        let row = chip
            .row
            .filter(|row| keep && free(row))
            .or_else(|| (0..most).find(|row| free(row)))?;
        ends[row] = chip.x + chip.w + gap;
        rows[i] = row;
    }
    Some(rows)
}

/// Chips of one column, where there are too many for rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChipCount {
    pub(super) running: usize,
    pub(super) waiting: usize,
}

/// How many chips stand in each of `count` columns, `pitch` pixels wide, the first from `left` on.
pub(super) fn columns(chips: &[Chip], left: f64, pitch: f64, count: usize) -> Vec<ChipCount> {
    let mut columns = vec![ChipCount::default(); count.max(1)];
    let last = columns.len() - 1;
    for chip in chips {
        let column = &mut columns[(((chip.x - left) / pitch).max(0.0) as usize).min(last)];
        if chip.running {
            column.running += 1;
        } else {
            column.waiting += 1;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chip(job: u32, x: f64, row: Option<usize>) -> Chip {
        Chip {
            job: JobId(job),
            x,
            w: 10.0,
            running: job.is_multiple_of(2),
            row,
        }
    }

    fn overlap(chips: &[Chip]) -> bool {
        let beside = |a: &Chip, b: &Chip| a.x + a.w <= b.x || b.x + b.w <= a.x;
        chips.iter().enumerate().any(|(i, a)| {
            let mut others = chips[..i].iter();
            others.any(|b| a.row == b.row && !beside(a, b))
        })
    }

    #[test]
    fn chips_never_overlap_and_stay_where_they_can() {
        let mut chips: Vec<Chip> = (0..60)
            .map(|i| chip(i, f64::from(i * 37 % 200), None))
            .collect();
        let rows_used = rows(&mut chips, 1.0, 40).expect("room");
        assert!(ROWS.contains(&rows_used));
        assert!(chips.iter().all(|chip| chip.row.is_some()));
        assert!(!overlap(&chips));
        let before: Vec<_> = chips.iter().map(|chip| (chip.job, chip.row)).collect();
        // A little drift: everyone keeps the row.
        for chip in &mut chips {
            chip.x += 0.25;
        }
        rows(&mut chips, 1.0, 40).expect("room");
        let after: Vec<_> = chips.iter().map(|chip| (chip.job, chip.row)).collect();
        assert_eq!(before, after);
    }

    #[test]
    fn a_row_that_is_taken_is_not_kept() {
        let mut chips = [chip(0, 0.0, Some(1)), chip(1, 5.0, Some(1))];
        assert_eq!(rows(&mut chips, 1.0, 8), Some(2));
        assert!(!overlap(&chips));
        assert_eq!(chips[0].row, Some(1));
    }

    #[test]
    fn too_many_in_one_place_are_counted() {
        let mut chips: Vec<Chip> = (0..50).map(|i| chip(i, 12.0, None)).collect();
        assert_eq!(rows(&mut chips, 1.0, 20), None);
        let columns = columns(&chips, 0.0, 5.0, 4);
        assert_eq!(
            columns[2],
            ChipCount {
                running: 25,
                waiting: 25
            }
        );
        assert_eq!(
            columns.iter().map(|c| c.running + c.waiting).sum::<usize>(),
            50
        );
    }
}

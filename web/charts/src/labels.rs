//! Direct labels: each beside its own line, where it covers no line and no other label.

use crate::space::{Css, Point, Rect, Size};

/// Side of a cell of the map of lines.
const CELL: f64 = 4.0;

/// Pixels between a line and its label.
const GAP: f64 = 6.0;

/// Places along a line that are tried.
const PLACES: usize = 60;

/// A label should not stand where its line runs together with others: from this distance on, they
/// are apart.
const APART: f64 = 24.0;
const PER_PIXEL_TOO_CLOSE: f64 = 0.4;

/// Covering a cell of a line makes both hard to read and outweighs any better place; covering another
/// label is far worse.
const COVERS_LINE: f64 = 50.0;
const COVERS_LABEL: f64 = 10_000.0;

/// A label stands near its line's end where it can.
const FROM_THE_END: f64 = 0.2;

/// A line of a chart.
pub(super) type LabelledLine = Vec<Point<Css>>;

/// Where labels go.
pub(super) struct Labels {
    /// One for each line; lines without points have none.
    pub(super) at: Vec<Option<Rect<Css>>>,
    /// Whether each line that has points has a label which covers no line and no other label.
    pub(super) clear: bool,
}

/// Where the label of each line goes, by the labels' sizes, all within `area`.
pub(super) fn place(lines: &[LabelledLine], sizes: &[Size<Css>], area: Rect<Css>) -> Labels {
    let ink = Ink::of(lines, area);
    let mut placed: Vec<Option<Rect<Css>>> = Vec::with_capacity(lines.len());
    let mut clear = true;
    for (own, (line, &Size { w, h, .. })) in lines.iter().zip(sizes).enumerate() {
        let mut best: Option<(f64, f64, Rect<Css>)> = None;
        for place in 0..PLACES {
            let Some(on_line) = along(line, (place as f64 + 0.5) / PLACES as f64) else {
                break;
            };
            let others = lines
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != own)
                .flat_map(|(_, line)| line);
            let nearest = others
                .map(|other| other.distance(&on_line))
                .fold(APART, f64::min);
            let ambiguity = PER_PIXEL_TOO_CLOSE * (APART - nearest);
            // To the right below first: there a rising line leaves room.
            let offsets = [
                (GAP, GAP / 2.0),
                (GAP, -h - GAP / 2.0),
                (-w - GAP, -h - GAP / 2.0),
                (-w - GAP, GAP / 2.0),
                (-w / 2.0, -h - GAP),
                (-w / 2.0, GAP),
            ];
            for (preference, (dx, dy)) in offsets.into_iter().enumerate() {
                let at = Rect::new(on_line.x + dx, on_line.y + dy, w, h);
                if at.x < area.x
                    || at.y < area.y
                    || at.right() > area.right()
                    || at.bottom() > area.bottom()
                {
                    continue;
                }
                let labels = placed.iter().flatten();
                let labels = labels.filter(|other| other.overlaps(&at)).count();
                let covered = COVERS_LINE * ink.under(&at) + COVERS_LABEL * labels as f64;
                let cost = ambiguity
                    + covered
                    + 0.1 * preference as f64
                    + FROM_THE_END * (PLACES - place) as f64;
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, covered, at));
                }
            }
        }
        clear &= line.is_empty() || best.is_some_and(|(_, covered, _)| covered == 0.0);
        placed.push(best.map(|(.., at)| at));
    }
    Labels { at: placed, clear }
}

/// The point a given share of the way along a line, by length.
fn along(line: &[Point<Css>], share: f64) -> Option<Point<Css>> {
    let length = |pair: &[Point<Css>]| pair[0].distance(&pair[1]);
    let mut left = share * line.windows(2).map(length).sum::<f64>();
    for pair in line.windows(2) {
        let step = length(pair);
        if left <= step && step > 0.0 {
            return Some(pair[0].towards(&pair[1], left / step));
        }
        left -= step;
    }
    line.last().copied()
}

/// A coarse map of where lines are.
struct Ink {
    area: Rect<Css>,
    columns: usize,
    cells: Vec<bool>,
}

impl Ink {
    fn of(lines: &[LabelledLine], area: Rect<Css>) -> Self {
        let columns = (area.w / CELL).ceil().max(1.0) as usize;
        let rows = (area.h / CELL).ceil().max(1.0) as usize;
        let mut ink = Self {
            area,
            columns,
            cells: vec![false; columns * rows],
        };
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            let steps = (pair[0].distance(&pair[1]) / CELL).ceil().max(1.0);
            for i in 0..=steps as usize {
                ink.mark(pair[0].towards(&pair[1], i as f64 / steps));
            }
        }
        ink
    }

    fn mark(&mut self, at: Point<Css>) {
        let (column, row) = (
            ((at.x - self.area.x) / CELL) as usize,
            ((at.y - self.area.y) / CELL) as usize,
        );
        if column < self.columns
            && let Some(cell) = self.cells.get_mut(row * self.columns + column)
        {
            *cell = true;
        }
    }

    /// How many cells with a line in them a rectangle covers.
    fn under(&self, rect: &Rect<Css>) -> f64 {
        let cell = |pixels: f64| (pixels / CELL).max(0.0) as usize;
        let (x, y) = (rect.x - self.area.x, rect.y - self.area.y);
        // Half a cell of air to the right, where text ends.
        let columns = cell(x)..=cell(x + rect.w + CELL / 2.0).min(self.columns - 1);
        let mut covered = 0;
        for row in cell(y)..=cell(y + rect.h) {
            for column in columns.clone() {
                covered += usize::from(self.cells.get(row * self.columns + column) == Some(&true));
            }
        }
        covered as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect<Css> = Rect::new(0.0, 0.0, 400.0, 200.0);
    const LABEL: Size<Css> = Size::new(50.0, 14.0);

    #[test]
    fn labels_cover_neither_lines_nor_each_other() {
        let line = |i: i32| {
            let x = f64::from(i) * 40.0;
            vec![Point::new(x, 200.0), Point::new(x + 200.0, 0.0)]
        };
        let lines: Vec<LabelledLine> = (0..4).map(line).collect();
        let labels = place(&lines, &[LABEL; 4], AREA);
        let placed: Vec<_> = labels.at.into_iter().flatten().collect();
        assert_eq!(placed.len(), 4);
        for (i, label) in placed.iter().enumerate() {
            assert!(!placed[..i].iter().any(|other| other.overlaps(label)));
        }
        let ink = Ink::of(&lines, AREA);
        assert_eq!(ink.under(&placed[3]), 0.0);
        assert!(place(&lines[..2], &[LABEL; 2], AREA).clear);
    }

    #[test]
    fn a_line_without_points_has_no_label() {
        let labels = place(&[Vec::new()], &[LABEL], AREA);
        assert!(labels.clear && labels.at == [None]);
    }

    #[test]
    fn where_lines_leave_no_room_it_says_so() {
        let line = |i: i32| {
            let y = f64::from(i) * 10.0;
            vec![Point::new(0.0, y), Point::new(400.0, y)]
        };
        let lines: Vec<LabelledLine> = (0..21).map(line).collect();
        let labels = place(&lines, &[LABEL; 21], AREA);
        assert!(!labels.clear && labels.at.iter().all(Option::is_some));
        let wide = Size::new(500.0, 14.0);
        assert!(!place(&lines[..1], &[wide], AREA).clear);
    }
}

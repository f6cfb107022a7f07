//! A tree of queues at the clock's time. On the left its quotas as an icicle: a column a level, a row a leaf. From there
//! ribbons lead to who uses them: what a queue uses of its own, and what it lends to others. On the right each leaf over
//! the whole run, on the same scale, with the clock.

mod bands;
mod columns;

use super::rows::{Cell, Ribbon, Row, Rows, Slot};
use crate::draw::canvas::{OfRun, RunPainter};
use crate::draw::format::figures;
use crate::draw::on_stage::OnStage;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Device, Point, Ratio, Rect};
use crate::draw::text::{NORMAL, SMALL, TEXT_ROW};
use crate::draw::viewport::Ruler;
use crate::draw::{Pointer, PointerKind, Response, axis, palette};
use crate::quotas::{LEAST, Quotas};
use crate::stage::Stage;
pub(super) use columns::AXIS;
use columns::Columns;
use switchyard::queues::tree::QueueId;
use switchyard::report::QueuesAt;

/// CSS pixels: the least height of a row, of which so many stay free.
pub(super) const ROW: f64 = 22.0;
const GAP: f64 = 4.0;

/// A ribbon bends in so many steps.
const STEPS: u32 = 24;

/// How opaque the parts are.
const OWN: f64 = 0.4;
const OWN_RIBBON: f64 = 0.16;
const LENT: f64 = 0.6;
const STANDS_BACK: f64 = 0.12;

/// Paints one run's tree of queues.
#[derive(Default)]
pub(crate) struct TreeOfQueues {
    /// The canvas, and how many events the run has, that rows and columns are made for.
    made_for: (Rect, Ratio, usize),
    rows: Rows,
    columns: Columns,
    at: QueuesAt,
    ribbons: Vec<Ribbon>,
    pointed: Option<Pointed>,
}

/// What the pointer or a key points at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pointed {
    Queue(QueueId),
    Loan(usize),
    /// A leaf over time, at a time.
    Time(QueueId, f64),
}

impl TreeOfQueues {
    /// A painter of the run with this id.
    pub(crate) fn of_run(run: u32) -> OfRun<Self> {
        OfRun(run, Self::default())
    }

    fn update(&mut self, area: &Rect, ratio: Ratio, quotas: &Quotas, shown: OnStage<'_>) {
        let OnStage { stage, run } = shown;
        let made_for = (*area, ratio, run.log.event_times().len());
        if self.made_for != made_for {
            self.made_for = made_for;
            let (top, [least, gap]) = (ratio.px(AXIS), [ROW, GAP].map(|of| ratio.px(of)));
            let height = area.h - top - gap;
            self.rows = Rows::new(quotas, top, height, least, gap);
            self.columns = Columns::new(area, ratio, self.rows.levels);
        }
        self.at = quotas.at(&stage.workload, &run.log, stage.clock.now);
        self.ribbons = self.rows.ribbons(quotas, &self.at);
    }

    /// The height of so many GPUs at a row's base, from some on.
    fn stack(&self, row: usize, from: f64, gpus: f64) -> (f64, f64) {
        let base = self.rows.rows.get(row).map_or(0.0, |row| row.base);
        let scale = self.rows.scale;
        (base - (from + gpus) * scale, base - from * scale)
    }

    fn cell_rect(&self, cell: &Cell, is_leaf: bool) -> Rect {
        let (first, last) = (&self.rows.rows[cell.first], &self.rows.rows[cell.last]);
        self.columns.cell(cell.level, is_leaf, first.top, last.base)
    }

    /// Where a row's own cell stands in the icicle.
    fn row_rect(&self, row: &Row) -> Rect {
        let level = match row.slot {
            Slot::Leaf(id) => self.level(id),
            Slot::Own(id) => self.level(id) + 1,
            Slot::Rest(_) | Slot::NoQuota => 0,
        };
        self.columns.cell(level, true, row.top, row.base)
    }

    fn level(&self, id: QueueId) -> u32 {
        let cell = self.rows.cells.iter().find(|cell| cell.queue == id);
        cell.map_or(0, |cell| cell.level)
    }

    /// Whether a loan stands back: another one is pointed at, or a queue that has no part in it.
    fn stands_back(&self, loan: usize, quotas: &Quotas) -> bool {
        match self.pointed {
            None => false,
            Some(Pointed::Loan(other)) => other != loan,
            Some(Pointed::Queue(id) | Pointed::Time(id, _)) => {
                let of = self.at.loans.get(loan);
                !of.is_some_and(|&(to, from, _)| {
                    let ends = [Some(to), from].into_iter().flatten();
                    ends.into_iter().any(|end| quotas.is_within(end, id))
                })
            }
        }
    }

    fn pointed_at(&self, at: Point<Device>, quotas: &Quotas, ruler: &Ruler) -> Option<Pointed> {
        let Columns { ribbons, plot, .. } = &self.columns;
        let row = (self.rows.rows.iter()).find(|row| at.y >= row.top && at.y < row.base);
        let leaf = row.and_then(|row| match row.slot {
            Slot::Leaf(id) => Some(id),
            Slot::Own(_) | Slot::Rest(_) | Slot::NoQuota => None,
        });
        if at.x >= plot.x {
            let time = ruler.time_within(at.x);
            return leaf.map(|id| Pointed::Time(id, time));
        }
        if at.x >= ribbons.x && at.x < ribbons.right() {
            let part = ribbons.part(at.x);
            let is_it = |ribbon: &&Ribbon| {
                let (top, base) = self.edges(ribbon, part);
                (top - 1.0..=base + 1.0).contains(&at.y)
            };
            // The last one painted is on top.
            let loans = self.ribbons.iter().filter(|ribbon| ribbon.loan.is_some());
            return loans.rev().find(is_it)?.loan.map(Pointed::Loan);
        }
        if at.x >= ribbons.right() {
            return leaf.map(Pointed::Queue);
        }
        let is_in = |cell: &&Cell| {
            let is_leaf = quotas.tree.is_leaf(cell.queue);
            self.cell_rect(cell, is_leaf).contains(at)
        };
        let cell = self.rows.cells.iter().find(is_in);
        let own = row.and_then(|row| match row.slot {
            Slot::Own(id) => Some(id),
            Slot::Leaf(_) | Slot::Rest(_) | Slot::NoQuota => None,
        });
        cell.map(|cell| cell.queue).or(own).map(Pointed::Queue)
    }

    /// Between which heights a ribbon lies at a part of its way.
    fn edges(&self, ribbon: &Ribbon, part: f64) -> (f64, f64) {
        let (from, to) = (
            self.stack(ribbon.from.0, ribbon.from.1, ribbon.gpus),
            self.stack(ribbon.to.0, ribbon.to.1, ribbon.gpus),
        );
        let bend = part * part * (3.0 - 2.0 * part);
        let between = |from: f64, to: f64| from + (to - from) * bend;
        (between(from.0, to.0), between(from.1, to.1))
    }

    fn lines(&self, pointed: Pointed, quotas: &Quotas, stage: &Stage) -> Vec<String> {
        match pointed {
            Pointed::Queue(id) => quotas.sentences(id, &self.at),
            Pointed::Loan(loan) => self
                .at
                .loans
                .get(loan)
                .map(|of| quotas.loan(*of))
                .into_iter()
                .collect(),
            Pointed::Time(id, time) => quotas.mean_sentences(id, time, stage.moments()),
        }
    }
}

impl RunPainter for TreeOfQueues {
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool {
        let OnStage { stage, run } = shown;
        let Some(quotas) = stage.quotas(run) else {
            return false;
        };
        self.update(&pen.area, pen.ratio, quotas, shown);
        let ruler = self.columns.ruler(stage);
        axis::paint_weekends(pen, &self.columns.plot, &ruler, stage.moments());
        self.paint_icicle(pen, quotas);
        self.paint_ribbons(pen, quotas);
        bands::paint(pen, &self.rows, &self.columns.plot, &ruler, quotas);
        self.paint_head(pen, &ruler, stage);
        false
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response {
        let OnStage { stage, run } = shown;
        let mut response = Response::over_nothing();
        response.passes = matches!(pointer.kind, PointerKind::Wheel { .. });
        let Some(quotas) = stage.quotas(run) else {
            return response;
        };
        let ruler = self.columns.ruler(stage);
        let pointed = self.pointed_at(pointer.at, quotas, &ruler);
        response.repaint = std::mem::replace(&mut self.pointed, pointed) != pointed;
        response.tooltip = pointed.map(|of| self.lines(of, quotas, stage));
        if let Some(Pointed::Time(_, time)) = pointed {
            response.cursor = "pointer";
            response.seek = (pointer.kind == PointerKind::Click).then_some(time);
        }
        response
    }

    fn leave(&mut self) {
        self.pointed = None;
    }

    fn walk(&mut self, key: &str, shown: OnStage<'_>) -> Option<(Response, Point<Device>)> {
        let quotas = shown.stage.quotas(shown.run)?;
        let cells = &self.rows.cells;
        let last = cells.len().checked_sub(1)?;
        let here = match self.pointed {
            Some(Pointed::Queue(id) | Pointed::Time(id, _)) => {
                cells.iter().position(|cell| cell.queue == id)
            }
            _ => None,
        };
        let next = match (key, here) {
            ("ArrowUp" | "ArrowLeft", Some(here)) => here.saturating_sub(1),
            ("ArrowDown" | "ArrowRight", Some(here)) => (here + 1).min(last),
            ("ArrowUp" | "ArrowLeft" | "ArrowDown" | "ArrowRight" | "Home", _) => 0,
            ("End", _) => last,
            _ => return None,
        };
        let cell = cells[next];
        let pointed = Pointed::Queue(cell.queue);
        self.pointed = Some(pointed);
        let response = Response {
            repaint: true,
            tooltip: Some(self.lines(pointed, quotas, shown.stage)),
            ..Response::default()
        };
        let is_leaf = quotas.tree.is_leaf(cell.queue);
        Some((response, self.cell_rect(&cell, is_leaf).middle()))
    }
}

impl TreeOfQueues {
    fn paint_icicle(&self, pen: &mut Pen<'_>, quotas: &Quotas) {
        let line = pen.px(1.0);
        // Inner queues are filled as far as what those below use goes of their quota.
        for cell in &self.rows.cells {
            if quotas.tree.is_leaf(cell.queue) {
                continue;
            }
            let of = self.at.queues[cell.queue.index()];
            let rect = self.cell_rect(cell, false);
            self.paint_cell(pen, &rect, of.quota > 0.0, Some(cell.queue));
            let part = if of.quota > 0.0 {
                (of.used / of.quota).min(1.0)
            } else {
                0.0
            };
            let h = (rect.h * part).round();
            pen.alpha(OWN);
            pen.fill(pen.chrome.busy);
            pen.rect(&Rect {
                y: rect.bottom() - h,
                h,
                ..rect
            });
            pen.alpha(1.0);
            self.paint_words(
                pen,
                &rect,
                &quotas.tree.queue(cell.queue).name,
                &facts(cell.queue, &self.at),
            );
        }
        for (at, row) in self.rows.rows.iter().enumerate() {
            let rect = self.row_rect(row);
            let (name, quota, facts, queue) = match row.slot {
                Slot::Leaf(id) => (
                    quotas.tree.queue(id).name.clone(),
                    quotas.quota[id.index()],
                    facts(id, &self.at),
                    Some(id),
                ),
                Slot::Own(id) => {
                    let name = format!("{} itself", quotas.tree.queue(id).name);
                    (name, quotas.own(id), Vec::new(), None)
                }
                Slot::Rest(many) => (format!("{many} more queues"), 0.0, Vec::new(), None),
                Slot::NoQuota => ("no quota".to_owned(), 0.0, Vec::new(), None),
            };
            self.paint_cell(pen, &rect, false, queue);
            let (top, base) = self.stack(at, 0.0, quota);
            let h = (base - top).round();
            pen.fill(pen.chrome.free);
            let inside = Rect::new(rect.x + line, base - h, rect.w - line, h);
            pen.rect(&inside);
            for ribbon in self.ribbons.iter().filter(|of| of.from.0 == at) {
                let (top, base) = self.stack(at, ribbon.from.1, ribbon.gpus);
                self.tint(pen, ribbon.loan, quotas, OWN);
                pen.rect(&Rect {
                    y: top.round(),
                    h: base.round() - top.round(),
                    ..inside
                });
            }
            pen.alpha(1.0);
            if quota >= LEAST {
                pen.fill(pen.chrome.text);
                pen.rect(&Rect {
                    y: inside.y,
                    h: line,
                    ..inside
                });
            }
            self.paint_words(pen, &rect, &name, &facts);
        }
    }

    /// A cell's ground and frame.
    fn paint_cell(&self, pen: &Pen<'_>, rect: &Rect, has_quota: bool, queue: Option<QueueId>) {
        if has_quota {
            pen.fill(pen.chrome.free);
            pen.rect(rect);
        }
        let is_pointed = queue.is_some_and(|id| {
            matches!(self.pointed, Some(Pointed::Queue(of) | Pointed::Time(of, _)) if of == id)
        });
        let (colour, thick) = match is_pointed {
            true => (pen.chrome.accent, pen.px(2.0)),
            false => (pen.chrome.line, pen.px(1.0)),
        };
        pen.fill(colour);
        pen.frame(rect, thick);
    }

    /// The colour of what a queue has of its own, or of a loan.
    fn tint(&self, pen: &Pen<'_>, loan: Option<usize>, quotas: &Quotas, own: f64) {
        let Some(loan) = loan else {
            pen.fill(pen.chrome.busy);
            return pen.alpha(own);
        };
        pen.fill(palette::borrowed(pen.is_dark));
        pen.alpha(if self.stands_back(loan, quotas) {
            STANDS_BACK
        } else {
            LENT
        });
    }

    /// A cell's name, and as many of its facts as there is room for.
    fn paint_words(&self, pen: &mut Pen<'_>, rect: &Rect, name: &str, facts: &[String]) {
        let (side, row) = (pen.px(4.0), pen.px(TEXT_ROW));
        let room = rect.w - 2.0 * side;
        let mut y = rect.y + pen.px(11.0);
        pen.fill(pen.chrome.text);
        let used = pen.text(name, rect.x + side, y, NORMAL, Align::Left, room) + side;
        let right = rect.right() - side;
        let mut facts = facts.iter();
        if let Some(first) = facts.as_slice().first()
            && used + pen.width(first, SMALL) <= room
        {
            pen.label(first, right, y, Align::Right, room);
            facts.next();
        }
        for fact in facts {
            y += row;
            if y + row / 2.0 > rect.bottom() {
                break;
            }
            if pen.width(fact, SMALL) <= room {
                pen.label(fact, rect.x + side, y, Align::Left, room);
            }
        }
    }

    fn paint_ribbons(&self, pen: &Pen<'_>, quotas: &Quotas) {
        let Columns {
            ribbons: area, bar, ..
        } = &self.columns;
        for ribbon in &self.ribbons {
            self.tint(pen, ribbon.loan, quotas, OWN_RIBBON);
            let context = pen.context;
            context.begin_path();
            let parts = || (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
            let edges = |part: f64| (area.across(part), self.edges(ribbon, part));
            let (x, (top, _)) = edges(0.0);
            context.move_to(x, top);
            for (x, (top, _)) in parts().map(edges) {
                context.line_to(x, top);
            }
            for (x, (_, base)) in parts().rev().map(edges) {
                context.line_to(x, base);
            }
            context.close_path();
            context.fill();
            let (top, base) = self.stack(ribbon.to.0, ribbon.to.1, ribbon.gpus);
            self.tint(pen, ribbon.loan, quotas, 1.0);
            pen.rect(&Rect {
                y: top.round(),
                h: base.round() - top.round(),
                ..*bar
            });
        }
        pen.alpha(1.0);
    }

    /// What the columns are, the axis, and the clock.
    fn paint_head(&self, pen: &mut Pen<'_>, ruler: &Ruler, stage: &Stage) {
        let Columns { icicle, plot, .. } = self.columns;
        let h = pen.px(AXIS);
        let middle = h / 2.0 - pen.px(2.0);
        pen.fill(pen.chrome.faint);
        pen.label(
            "Quota, and who uses it",
            icicle.x,
            middle,
            Align::Left,
            icicle.w,
        );
        let head = Rect { y: 0.0, h, ..plot };
        let now = stage.clock.now;
        let text = stage.moments().time(now);
        let clock = (now, text.as_str());
        let pill = axis::pill(pen, &head, ruler, clock);
        axis::paint(pen, &head, ruler, pill, stage.moments());
        if let Some(pill) = pill {
            axis::paint_clock(pen, &plot, ruler, pill, clock);
        }
    }
}

/// What is written in a queue's cell.
fn facts(id: QueueId, at: &QueuesAt) -> Vec<String> {
    let of = at.queues[id.index()];
    let mut facts = vec![format!("{} of {}", figures(of.used), figures(of.quota))];
    let waiting = of.asked - of.used;
    for (amount, what) in [
        (of.borrowed, "borrows"),
        (of.lent, "lends"),
        (waiting, "asks for"),
    ] {
        if amount >= LEAST {
            facts.push(format!("{what} {}", figures(amount)));
        }
    }
    facts
}

//! The nodes and what runs on them: a cell a GPU, or a cell a node where there is no room.

use super::look::Detail;
use super::motion::FLIGHT_MS;
use super::tiles::Grid;
use crate::draw::describe;
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Rect, Size};
use crate::draw::text::{SMALL, TEXT_ROW};
use crate::named::Named;
use switchyard::Time;
use switchyard::engine::NodeState;
use switchyard::job::JobId;

/// How opaque the joints are between the cells of a gang: one sees its GPUs, and that they are one.
const JOINT: f64 = 0.45;

/// What is worked out for each frame; kept for its memory.
#[derive(Default)]
pub(super) struct Nodes {
    /// What has each colour: running jobs or, where a node has one cell, nodes. First what stands
    /// back, then the rest.
    by_colour: [[Vec<u32>; palette::CATEGORIES]; 2],
    /// Per node, which GPUs are free.
    free: Vec<u64>,
    taken: Vec<Taken>,
}

/// Who is on a node, or on what is drawn as one.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// The job with the most GPUs there, and those GPUs.
    most: Option<JobId>,
    its: u32,
    /// Thousandths of GPUs that are taken, and all GPUs there are.
    all: u32,
    gpus: u32,
}

impl Nodes {
    /// Paints the nodes inside `area`. `steady`: too much happens to show what has only just come.
    pub(super) fn paint(
        &mut self,
        pen: &mut Pen<'_>,
        grid: &Grid<'_>,
        area: &Rect,
        gpus_per_node: &[u32],
        steady: bool,
        shown: OnStage<'_>,
    ) {
        for list in self.by_colour.iter_mut().flatten() {
            list.clear();
        }
        if grid.look.detail == Detail::Density {
            self.density(pen, grid, area, gpus_per_node, shown);
        } else {
            self.free_cells(pen, grid, area, gpus_per_node, shown);
            self.taken_cells(pen, grid, area, steady, shown);
            if grid.look.detail == Detail::Labelled && !steady {
                names(pen, grid, area, shown);
            }
        }
        self.paint_absent(pen, grid, area, gpus_per_node, shown);
        for job in shown.outlined() {
            if shown.run.moment.running().contains(&job) {
                outline(pen, job, grid, area, shown);
            }
        }
        frame_named(pen, grid, area, gpus_per_node.len() as u32, shown);
    }

    fn free_cells(
        &mut self,
        pen: &mut Pen<'_>,
        grid: &Grid<'_>,
        area: &Rect,
        gpus_per_node: &[u32],
        shown: OnStage<'_>,
    ) {
        self.free.clear();
        let all = gpus_per_node.iter().map(|&gpus| u64::MAX >> (64 - gpus));
        self.free.extend(all);
        pen.fill(pen.chrome.free);
        for &job in shown.run.moment.running() {
            let segment = shown.segment(job);
            for part in segment.gpus {
                if let Some(free) = self.free.get_mut(part.node as usize) {
                    *free &= !part.mask;
                }
            }
            if segment.share.is_some() {
                grid.cells_of(segment.gpus, area, |cell| pen.rect(cell));
            }
        }
        // Small cells are drawn on one slab a node: there are many of them.
        let on_slabs = grid.look.detail == Detail::Cells;
        for ((node, &free), &gpus) in (0..).zip(&self.free).zip(gpus_per_node) {
            let is_drawn = free != 0 && grid.is_seen(node, area);
            if is_drawn && !(on_slabs && grid.slabs(node, gpus, |slab| pen.rect(slab))) {
                grid.cells(node, free, |cell| pen.rect(cell));
            }
        }
        if grid.look.detail == Detail::Labelled {
            pen.fill(pen.chrome.faint);
            let label = (grid.look.label - grid.look.link - pen.px(3.0)) / 2.0;
            for node in (0..self.free.len() as u32).filter(|&node| grid.is_seen(node, area)) {
                let Rect { x, y, .. } = grid.tile(node);
                pen.label(&node.to_string(), x, y + label, Align::Left, f64::INFINITY);
            }
        }
    }

    fn taken_cells(
        &mut self,
        pen: &Pen<'_>,
        grid: &Grid<'_>,
        area: &Rect,
        steady: bool,
        shown: OnStage<'_>,
    ) {
        let clock = &shown.stage.clock;
        let running = || shown.run.moment.running().iter().copied();
        for job in running() {
            self.list(job, shown).push(job.0);
        }
        // At high speed a job that has only just come is shown as any busy GPU: a steady picture
        // instead of flicker.
        let grown_up = clock.now - clock.speed * FLIGHT_MS / 1000.0;
        let is_young = |job: JobId| steady && shown.segment(job).start.seconds() > grown_up;
        let (run, at) = (shown.run, |job: JobId| shown.run.moment.segment(job));
        let draw = |job: JobId| grid.pieces(run, at(job), area, |piece| pen.rect(piece));
        let join =
            |job: JobId| grid.joints_of(shown.segment(job).gpus, area, |cell| pen.rect(cell));
        for (lists, alpha) in self.by_colour.iter().zip([DIMMED, 1.0]) {
            for (category, jobs) in (0..).zip(lists) {
                if !jobs.is_empty() {
                    pen.fill(shown.colour_of(category));
                    let jobs = jobs.iter().copied().map(JobId);
                    let jobs = jobs.filter(|&job| !is_young(job));
                    pen.alpha(alpha);
                    jobs.clone().for_each(draw);
                    pen.alpha(alpha * JOINT);
                    jobs.for_each(join);
                }
            }
        }
        pen.alpha(1.0);
        if steady {
            pen.fill(pen.chrome.busy);
            running().filter(|&job| is_young(job)).for_each(draw);
        }

        let mut restarting = running().filter(|&job| shown.restarts(job)).peekable();
        if restarting.peek().is_some() {
            let spacing = pen.px(4.0).min(grid.look.cell.w);
            pen.hatch(spacing, |hatch| {
                restarting.for_each(|job| grid.pieces(run, at(job), area, &mut *hatch))
            });
        }
    }

    /// The list of a running job's colour.
    fn list(&mut self, job: JobId, shown: OnStage<'_>) -> &mut Vec<u32> {
        let back = usize::from(!shown.is_dimmed(job));
        &mut self.by_colour[back][shown.category(job) as usize]
    }

    /// Nodes that are not there are grey and hatched; those being drained are so where nobody is left.
    fn paint_absent(
        &self,
        pen: &mut Pen<'_>,
        grid: &Grid<'_>,
        area: &Rect,
        gpus_per_node: &[u32],
        shown: OnStage<'_>,
    ) {
        let seen =
            |&(node, ..): &(u32, NodeState, Time)| !grid.is_merged() && grid.is_seen(node, area);
        let absent: Vec<_> = shown.run.absent_nodes.iter().filter(seen).collect();
        if absent.is_empty() {
            return;
        }
        let dense = grid.look.detail == Detail::Density;
        let mask = |node: u32, state: NodeState| {
            let gpus = gpus_per_node.get(node as usize).copied().unwrap_or(1);
            let all = u64::MAX >> (64 - gpus.clamp(1, 64));
            let free = self.free.get(node as usize).copied().filter(|_| !dense);
            match state {
                NodeState::Drained => free.unwrap_or(0),
                _ => all,
            }
        };
        pen.fill(pen.chrome.busy);
        for &(node, state, _) in &absent {
            grid.cells(node, mask(node, state), |cell| pen.rect(cell));
        }
        let spacing = pen.px(5.0).min(grid.look.cell.w);
        pen.hatch(spacing, |hatch| {
            for &(node, state, _) in &absent {
                grid.cells(node, mask(node, state), &mut *hatch);
            }
        });
        if grid.look.detail != Detail::Labelled {
            return;
        }
        // In the place of the node's number: what has become of it.
        let label = grid.look.label - grid.look.link;
        let half = (label - pen.px(3.0)) / 2.0;
        for &(node, state, until) in &absent {
            let Rect { x, y, w, .. } = grid.tile(node);
            let back = describe::absence(state, until, &shown.stage.clock);
            let whole = format!("{node} {back}");
            let short = format!("{node} {state}");
            let text = if pen.width(&whole, SMALL) <= w {
                whole
            } else {
                short
            };
            pen.fill(pen.chrome.background);
            pen.rect(&Rect::new(x, y, w, label - pen.px(1.0)));
            pen.fill(pen.chrome.text);
            pen.label(&text, x, y + half, Align::Left, w);
        }
    }

    /// A cell a node (or a rack, or a partition, where nodes are too small), filled from below as far
    /// as its GPUs are taken, in the colour of the job that has most of them.
    fn density(
        &mut self,
        pen: &Pen<'_>,
        grid: &Grid<'_>,
        area: &Rect,
        gpus_per_node: &[u32],
        shown: OnStage<'_>,
    ) {
        self.taken.clear();
        self.taken.resize(grid.units(), Taken::default());
        for (node, &gpus) in (0..).zip(gpus_per_node) {
            // There is none where not even a pixel is left for each.
            if let Some(taken) = self.taken.get_mut(grid.unit_of(node) as usize) {
                taken.gpus += gpus;
            }
        }
        for &job in shown.run.moment.running() {
            let segment = shown.segment(job);
            for part in segment.gpus {
                if let Some(taken) = self.taken.get_mut(grid.unit_of(part.node) as usize) {
                    taken.all += part.count() * segment.share.unwrap_or(1000);
                    if part.count() > taken.its {
                        (taken.most, taken.its) = (Some(job), part.count());
                    }
                }
            }
        }
        pen.fill(pen.chrome.free);
        for (unit, taken) in (0..).zip(&self.taken) {
            let tile = grid.unit(unit);
            if tile.overlaps(area) {
                pen.rect(&tile);
                if let Some(job) = taken.most {
                    let back = usize::from(!shown.is_dimmed(job));
                    self.by_colour[back][shown.category(job) as usize].push(unit);
                }
            }
        }
        for (lists, alpha) in self.by_colour.iter().zip([DIMMED, 1.0]) {
            pen.alpha(alpha);
            for (category, units) in (0..).zip(lists) {
                if units.is_empty() {
                    continue;
                }
                pen.fill(shown.colour_of(category));
                for &unit in units {
                    let tile = grid.unit(unit);
                    let taken = self.taken[unit as usize];
                    let part = f64::from(taken.all) / f64::from(1000 * taken.gpus.max(1));
                    let h = (tile.h * part).round().max(1.0);
                    let y = tile.bottom() - h;
                    pen.rect(&Rect { y, h, ..tile });
                }
            }
        }
        pen.alpha(1.0);
    }
}

/// Names of jobs where the cells that a gang has in a row have room for them.
fn names(pen: &mut Pen<'_>, grid: &Grid<'_>, area: &Rect, shown: OnStage<'_>) {
    let pad = pen.px(4.0);
    if grid.look.cell.h < pen.px(TEXT_ROW) {
        return;
    }
    for &job in shown.run.moment.running() {
        let Some(name) = shown.name(job) else {
            continue;
        };
        let width = pen.width(name, SMALL) + pad;
        // Who stands back still has a name.
        pen.fill(match shown.is_dimmed(job) {
            true => pen.chrome.faint,
            false => shown.ink(job),
        });
        let at = shown.run.moment.segment(job);
        if shown.run.bands.of(at).is_some() {
            let mut largest = Rect::default();
            grid.pieces(shown.run, at, area, |piece| {
                if piece.h > largest.h {
                    largest = *piece;
                }
            });
            if largest.w >= width && largest.h >= pen.px(TEXT_ROW) {
                let middle = largest.middle();
                pen.label(name, middle.x, middle.y, Align::Centre, largest.w);
            }
            continue;
        }
        for part in shown.segment(job).gpus {
            let row = grid.first_row(part.node, part.mask);
            if row.w >= width && grid.is_seen(part.node, area) {
                let at = grid.look.name_at(&row, Size::new(width, 0.0));
                // What parts the cells does not go through a name.
                if width > grid.look.cell.w && !shown.is_dimmed(job) {
                    let h = pen.px(TEXT_ROW);
                    pen.fill(shown.colour_of(shown.category(job)));
                    pen.rect(&Rect::new(at.x - width / 2.0, at.y - h / 2.0, width, h));
                    pen.fill(shown.ink(job));
                }
                pen.label(name, at.x, at.y, Align::Centre, row.w);
            }
        }
    }
}

/// A frame around nodes that are pointed at by their names.
fn frame_named(pen: &Pen<'_>, grid: &Grid<'_>, area: &Rect, nodes: u32, shown: OnStage<'_>) {
    let Some(Named::Nodes(first, last)) = shown.stage.named() else {
        return;
    };
    pen.fill(pen.chrome.accent);
    let thick = pen.px(2.0);
    for node in first..=last.min(nodes.saturating_sub(1)) {
        let around = grid.unit(grid.unit_of(node)).grown(thick);
        if around.overlaps(area) {
            pen.frame(&around, thick);
        }
    }
}

fn outline(pen: &Pen<'_>, job: JobId, grid: &Grid<'_>, area: &Rect, shown: OnStage<'_>) {
    let thick = pen.px(2.0).min((grid.look.cell.w / 2.0).ceil());
    let at = shown.run.moment.segment(job);
    pen.fill(pen.chrome.accent);
    grid.pieces(shown.run, at, area, |piece| pen.rect(&piece.grown(thick)));
    pen.fill(shown.colour(job));
    grid.pieces(shown.run, at, area, |piece| pen.rect(piece));
    if shown.restarts(job) {
        pen.hatch(pen.px(4.0), |hatch| grid.pieces(shown.run, at, area, hatch));
    }
}

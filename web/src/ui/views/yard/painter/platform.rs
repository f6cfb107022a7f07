//! The platform: waiting jobs as blocks of the same squares as the nodes' GPUs, in the order of the
//! line, from left to right and down. One sees that a block does not fit where few squares are free.

use super::look::{Detail, TileLook};
use crate::draw::describe;
use crate::draw::format::{count, counted};
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Device, Point, Ratio, Rect, Size};
use crate::draw::text::{SMALL, TEXT_ROW};
use crate::order;
use crate::stage::StageRun;
use switchyard::job::{Job, JobId};

/// More blocks than these nobody tells apart.
const MOST_BLOCKS: usize = 1500;

/// CSS pixels between blocks side by side, and between rows of blocks.
const BESIDE: f64 = 5.0;
pub(super) const BELOW: f64 = 8.0;

/// The platform as it was last laid out.
#[derive(Debug, Default)]
pub(super) struct Platform {
    blocks: Vec<Block>,
    /// Waiting jobs without a block.
    more: usize,
    /// Where the next block would stand.
    end: Rect,
    order: Vec<(f64, JobId)>,
}

/// A waiting job.
#[derive(Clone, Copy, Debug)]
struct Block {
    job: JobId,
    /// All of it.
    area: Rect,
    /// Squares from top to bottom, and how many squares there are.
    down: u32,
    squares: u32,
    /// How much of a square is asked for: of a node, or of a shared GPU.
    part: f64,
}

impl Platform {
    /// Lays the platform out in `area` and paints it, below a line of words in `title`. `look`: the
    /// nodes', whose squares blocks are made of.
    pub(super) fn paint(
        &mut self,
        pen: &mut Pen<'_>,
        title: &Rect,
        area: &Rect,
        look: &TileLook,
        largest_node: u32,
        shown: OnStage<'_>,
    ) {
        let jobs = &shown.stage.workload.jobs;
        // Not the hovered job: nothing moves under a pointer.
        let stage = shown.stage;
        let marked: Vec<JobId> = stage.marked().into_iter().chain(stage.selected()).collect();
        self.lay_out(
            shown.run,
            jobs,
            look,
            largest_node,
            area,
            pen.ratio,
            &marked,
        );
        self.paint_words(pen, title, shown);
        self.paint_blocks(pen, look, shown);
        self.paint_names(pen, look, shown);
    }

    fn paint_words(&self, pen: &mut Pen<'_>, title: &Rect, shown: OnStage<'_>) {
        let y = title.middle().y;
        pen.fill(pen.chrome.line);
        pen.rect(&Rect {
            h: pen.px(1.0),
            ..*title
        });
        pen.fill(pen.chrome.faint);
        let words = match (self.blocks.is_empty(), describe::is_ahead(shown)) {
            (_, true) => "",
            (true, _) if self.more == 0 => "nothing waits",
            // Where there is no room for any of them, they are counted.
            (true, _) => "",
            _ => describe::first_in_line(shown.run).0,
        };
        let used = pen.label(words, title.x, y, Align::Left, title.w);
        if self.more > 0 {
            let text = match self.blocks.is_empty() {
                true => format!("waiting: {}", counted(self.more as u64, "job", "jobs")),
                false => format!("+ {} more wait", count(self.more as u64)),
            };
            let room = title.w - used - pen.px(8.0);
            pen.label(&text, title.right(), y, Align::Right, room);
        }
    }

    /// Hollow: a rim in the job's colour, squares faintly inside. The first has a rim of its own.
    fn paint_blocks(&self, pen: &Pen<'_>, look: &TileLook, shown: OnStage<'_>) {
        let rim = pen.px(1.5).min((look.cell.w / 3.0).floor()).max(1.0);
        let shows_squares = look.cell.w >= pen.px(6.0);
        for (dimmed, alpha) in [(true, DIMMED), (false, 1.0)] {
            let category_of = |block: &Block| {
                (shown.is_dimmed(block.job) == dimmed).then(|| shown.category(block.job))
            };
            for category in 0..palette::CATEGORIES as u32 {
                let mut blocks = self.blocks.iter();
                let mut next = || blocks.find(|block| category_of(block) == Some(category));
                let Some(first) = next() else { continue };
                pen.fill(shown.colour_of(category));
                for block in std::iter::once(first).chain(std::iter::from_fn(next)) {
                    pen.alpha(alpha);
                    block.frame(look, rim, pen);
                    if shows_squares {
                        pen.alpha(alpha * 0.25);
                        block.cells(look, |cell| pen.rect(cell));
                    }
                }
            }
        }
        pen.alpha(1.0);
        pen.fill(pen.chrome.text);
        if let Some(head) = self.blocks.first() {
            head.surround(look, 1.0, rim, pen);
        }
        pen.fill(pen.chrome.accent);
        for job in shown.outlined() {
            if let Some(block) = self.block(job) {
                block.surround(look, 0.0, 2.0 * rim, pen);
            }
        }
    }

    fn paint_names(&self, pen: &mut Pen<'_>, look: &TileLook, shown: OnStage<'_>) {
        let least = pen.px(TEXT_ROW);
        if self.blocks.first().is_none_or(|head| head.area.h < least) {
            return;
        }
        let pad = pen.px(6.0);
        for block in &self.blocks {
            pen.fill(match shown.is_dimmed(block.job) {
                true => pen.chrome.faint,
                false => pen.chrome.text,
            });
            let Some(name) = shown.name(block.job) else {
                continue;
            };
            let width = pen.width(name, SMALL);
            if block.area.h >= least && width <= block.area.w - pad {
                let at = match block.part < 1.0 {
                    true => block.area.middle(),
                    false => look.name_at(&block.area, Size::new(width + pad, least)),
                };
                pen.label(name, at.x, at.y, Align::Centre, block.area.w);
            }
        }
    }

    /// Lays the blocks of waiting jobs out in `area`: as high as a node's squares are, so that a
    /// block is as wide as the part of a node that it fills; small ones below one another. Of those that find
    /// no room, jobs that are `marked` take that of the last ones.
    #[expect(clippy::too_many_arguments, reason = "what a layout hangs on")]
    fn lay_out(
        &mut self,
        run: &StageRun,
        jobs: &[Job],
        look: &TileLook,
        largest_node: u32,
        area: &Rect,
        ratio: Ratio,
        marked: &[JobId],
    ) {
        self.blocks.clear();
        self.end = Rect::new(area.x, area.y, look.cell.w, look.cell.h);
        let waiting = run.moment.waiting();
        let is_node = look.detail == Detail::Density;
        let (across, down) = if is_node {
            (1, 1)
        } else {
            (look.across, largest_node.div_ceil(look.across.max(1)))
        };
        let (step_w, step_h) = (look.cell.w + look.gap, look.cell.h + look.gap);
        let most = |room: f64, step: f64| ((room + look.gap) / step).max(0.0) as u32;
        let (most_across, most_down) = (most(area.w, step_w), most(area.h, step_h));
        let down = down.min(most_down);
        if down == 0 || most_across == 0 || across == 0 {
            self.more = waiting.len();
            return;
        }
        let room = (f64::from(most_across) * f64::from(most_down)).min(MOST_BLOCKS as f64);
        let waits = waiting.iter().map(|&job| (run.place_in_line(job), job));
        order::first((room as usize).min(waiting.len()), waits, &mut self.order);

        let beside = ratio
            .px(BESIDE)
            .max(2.0 * look.gap)
            .min(look.cell.w.max(2.0));
        let below = ratio.px(BELOW).min(look.cell.h.max(2.0));
        let band = f64::from(down) * step_h - look.gap;
        // The row of blocks, the column in it, and what of the column is taken.
        let (mut top, mut row_h, mut x) = (area.y, band, area.x);
        let (mut column_w, mut used) = (0.0, 0.0);
        // A job's block, wherever it will stand.
        let measured = |job: JobId| {
            let record = jobs.get(job.index());
            let gpus = record.map_or(1, |job| job.gpus).max(1);
            // What it asks of a GPU, where others share theirs.
            let share = record.and_then(|job| job.demand.share);
            let share = share.filter(|_| !is_node && !run.bands.is_empty());
            let squares = if is_node {
                gpus.div_ceil(largest_node.max(1))
            } else {
                gpus
            };
            let high = if squares <= down * most_across {
                squares.min(down)
            } else {
                squares.div_ceil(most_across)
            };
            let cut = high.min(most_down);
            let wide = squares.div_ceil(high);
            Block {
                job,
                area: Rect::new(
                    area.x,
                    area.y,
                    f64::from(wide) * step_w - look.gap,
                    f64::from(cut) * step_h - look.gap,
                ),
                down: cut,
                squares: squares.min(wide * cut),
                part: match share {
                    Some(share) => f64::from(share.get()) / 1000.0,
                    None if is_node && squares == 1 => {
                        f64::from(gpus) / f64::from(largest_node.max(1))
                    }
                    None => 1.0,
                },
            }
        };
        for &(_, job) in &self.order {
            let block = measured(job);
            let (w, h) = (block.area.w, block.area.h);
            let stacks = column_w == w && used + look.gap + h <= row_h;
            if stacks {
                used += look.gap + h;
            } else {
                if column_w > 0.0 {
                    x += column_w + beside;
                }
                if x + w > area.right() || h > row_h {
                    if column_w > 0.0 {
                        top += row_h + below;
                    }
                    x = area.x;
                    row_h = band.max(h);
                }
                (column_w, used) = (w, h);
            }
            let at = Rect::new(x, top + used - h, w, h);
            self.end = Rect {
                w: look.cell.w,
                h: look.cell.h,
                ..at
            };
            if at.bottom() > area.bottom() {
                break;
            }
            self.blocks.push(Block { area: at, ..block });
        }
        for &job in marked {
            if waiting.contains(&job) && self.block(job).is_none() {
                self.squeeze_in(measured(job), area, beside, marked);
            }
        }
        self.more = waiting.len() - self.blocks.len();
        self.end.y = self.end.y.min(area.bottom() - look.cell.h).max(area.y);
    }

    /// Puts a block into the last corner, where the last ones stand aside for it; the head of the line and jobs that
    /// are `marked` do not: it stands left of those.
    fn squeeze_in(&mut self, block: Block, area: &Rect, beside: f64, marked: &[JobId]) {
        let Some(head) = self.blocks.first() else {
            return;
        };
        let last = self.blocks.iter().map(|block| block.area.bottom());
        let last = last.fold(area.y + block.area.h, f64::max);
        let mut corner = Rect {
            x: area.right() - block.area.w,
            y: last - block.area.h,
            ..block.area
        };
        let in_the_way = |taken: &Rect| {
            let blocks = self.blocks.iter();
            let mut marked = blocks.filter(|other| marked.contains(&other.job));
            marked.find(|other| other.area.overlaps(taken))
        };
        let mut taken = corner.grown(beside - 0.5);
        while let Some(other) = in_the_way(&taken) {
            corner.x = other.area.x - beside - corner.w;
            taken = corner.grown(beside - 0.5);
        }
        if corner.bottom() > area.bottom() || corner.x < area.x || head.area.overlaps(&taken) {
            return;
        }
        self.blocks.retain(|other| !other.area.overlaps(&taken));
        self.blocks.push(Block {
            area: corner,
            ..block
        });
    }

    fn block(&self, job: JobId) -> Option<&Block> {
        self.blocks.iter().find(|block| block.job == job)
    }

    /// A job's block, if it has one.
    pub(super) fn area_of(&self, job: JobId) -> Option<&Rect> {
        Some(&self.block(job)?.area)
    }

    /// Where blocks are, in the order of the line.
    pub(super) fn places(&self) -> impl Iterator<Item = (JobId, Point<Device>)> {
        let place = |block: &Block| (block.job, block.area.middle());
        self.blocks.iter().map(place)
    }

    /// Where a job's block stands; the end of the line if it has none.
    pub(super) fn place(&self, job: JobId) -> Rect {
        self.area_of(job).copied().unwrap_or(self.end)
    }

    /// The waiting job at a place.
    pub(super) fn at(&self, at: Point<Device>) -> Option<JobId> {
        let hit = |block: &&Block| block.area.grown(1.0).contains(at);
        self.blocks.iter().find(hit).map(|block| block.job)
    }
}

impl Block {
    /// Its whole columns, and what is left of the last one. A share of a node is its lower part.
    fn shape(&self, look: &TileLook) -> (Rect, Option<Rect>) {
        let (step_w, step_h) = (look.cell.w + look.gap, look.cell.h + look.gap);
        let (whole, left) = (self.squares / self.down, self.squares % self.down);
        let height = |squares: u32| f64::from(squares) * step_h - look.gap;
        if self.part < 1.0 {
            let h = (self.area.h * self.part).round().max(1.0);
            let y = self.area.bottom() - h;
            return (Rect { y, h, ..self.area }, None);
        }
        let w = f64::from(whole) * step_w - look.gap;
        let columns = Rect { w, ..self.area };
        let rest = Rect {
            x: self.area.x + f64::from(whole) * step_w,
            w: look.cell.w,
            h: height(left),
            ..self.area
        };
        (columns, (left > 0).then_some(rest))
    }

    /// Paints a rim, `thick` inwards.
    fn frame(&self, look: &TileLook, thick: f64, pen: &Pen<'_>) {
        let (columns, rest) = self.shape(look);
        let Some(rest) = rest else {
            return pen.frame(&columns, thick);
        };
        let (x, y) = (columns.right() - thick, rest.bottom() - thick);
        for side in [
            Rect {
                w: thick,
                ..columns
            },
            Rect {
                h: thick,
                ..self.area
            },
            Rect {
                y: columns.bottom() - thick,
                h: thick,
                ..columns
            },
            Rect {
                x: rest.right() - thick,
                w: thick,
                ..rest
            },
            // The step from the rest of the last column down to the whole ones.
            Rect::new(x, y, thick, columns.bottom() - y),
            Rect::new(x, y, rest.right() - x, thick),
        ] {
            pen.rect(&side);
        }
    }

    /// Paints a rim around all of it, `gap` away.
    fn surround(&self, look: &TileLook, gap: f64, thick: f64, pen: &Pen<'_>) {
        let all = if self.part < 1.0 {
            self.shape(look).0
        } else {
            self.area
        };
        pen.frame(&all.grown(gap + thick), thick);
    }

    /// Calls `each` with its squares.
    fn cells(&self, look: &TileLook, mut each: impl FnMut(&Rect)) {
        if self.part < 1.0 {
            return each(&self.shape(look).0);
        }
        for square in 0..self.squares {
            let (column, row) = (square / self.down, square % self.down);
            each(&Rect::new(
                self.area.x + f64::from(column) * (look.cell.w + look.gap),
                self.area.y + f64::from(row) * (look.cell.h + look.gap),
                look.cell.w,
                look.cell.h,
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::Time;

    use crate::state::Phase;
    use switchyard::policies::PolicySpec;
    use switchyard::{RunSpec, cluster::ClusterSpec, workload::Workload};

    fn job(gpus: u32) -> Job {
        Job::plain(0.0, gpus, 9.0)
    }

    /// The first job takes all GPUs, so that all others wait.
    fn queue_of(gpus: &[u32]) -> (StageRun, Vec<Job>) {
        let jobs: Vec<Job> = std::iter::once(64)
            .chain(gpus.iter().copied())
            .map(job)
            .collect();
        let workload = Workload {
            jobs: jobs.clone(),
            ..Workload::default()
        };
        let spec = RunSpec::new(
            "fifo".parse::<PolicySpec>().unwrap(),
            ClusterSpec::uniform(1, 64).unwrap(),
        );
        let mut simulation = spec.start(workload.into());
        simulation.step().unwrap();
        let mut run = StageRun::of("fifo", Phase::Waiting, jobs.len());
        run.log = simulation.into_log();
        run.index.extend(&run.log);
        run.moment.seek(&run.log, &run.index, Time::ZERO);
        (run, jobs)
    }

    fn look(cell: f64, across: u32, detail: Detail) -> TileLook {
        TileLook {
            detail,
            across,
            cell: Size::new(cell, cell),
            gap: 1.0,
            size: Size::new(cell, cell),
            ..TileLook::default()
        }
    }

    #[test]
    fn blocks_stand_apart_and_the_rest_is_counted() {
        for waiting in [0usize, 1, 30, 90, 5000] {
            for (cell, across, detail) in [(20.0, 4, Detail::Labelled), (3.0, 1, Detail::Density)] {
                let gpus: Vec<u32> = (0..waiting as u32).map(|i| 1 + i * i % 33).collect();
                let (run, jobs) = queue_of(&gpus);
                let area = Rect::new(10.0, 5.0, 400.0, 136.0);
                let mut platform = Platform::default();
                let look = look(cell, across, detail);
                platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &[]);
                let blocks = &platform.blocks;
                assert_eq!(blocks.len() + platform.more, run.moment.waiting().len());
                assert!(waiting < 1 || !blocks.is_empty());
                for (i, block) in blocks.iter().enumerate() {
                    let Rect { x, y, .. } = block.area;
                    assert!(x >= area.x && block.area.right() <= area.right() && y >= area.y);
                    assert!(block.area.bottom() <= area.bottom());
                    assert_eq!(platform.at(block.area.middle()), Some(block.job));
                    assert_eq!(platform.place(block.job), block.area);
                    for other in &blocks[..i] {
                        assert!(!block.area.overlaps(&other.area), "{block:?} {other:?}");
                    }
                    let mut squares = 0;
                    block.cells(&look, |cell| {
                        squares += 1;
                        assert!(block.area.grown(1e-9).contains(cell.corner()));
                    });
                    if detail == Detail::Labelled {
                        assert_eq!(squares, jobs[block.job.index()].gpus);
                    }
                }
            }
        }
    }

    #[test]
    fn a_marked_job_has_a_block_however_far_back_it_stands() {
        let (run, jobs) = queue_of(&[8; 200]);
        let (look, area) = (
            look(20.0, 4, Detail::Labelled),
            Rect::new(10.0, 5.0, 400.0, 136.0),
        );
        let (last, head) = (JobId(200), JobId(1));
        let mut platform = Platform::default();
        platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &[]);
        assert_eq!(platform.area_of(last), None);
        platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &[last]);
        let block = platform.area_of(last).unwrap();
        assert!(block.right() <= area.right() && block.bottom() <= area.bottom());
        for other in platform.blocks.iter().filter(|other| other.job != last) {
            assert!(!other.area.overlaps(block), "{other:?} {block:?}");
        }
        assert_eq!(platform.blocks[0].job, head);
        assert_eq!(platform.blocks.len() + platform.more, 200);
    }

    #[test]
    fn two_marked_jobs_have_blocks_beside_each_other() {
        let (run, jobs) = queue_of(&[8; 200]);
        let (look, area) = (
            look(20.0, 4, Detail::Labelled),
            Rect::new(10.0, 5.0, 400.0, 136.0),
        );
        let mut platform = Platform::default();
        platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &[]);
        let with_room = platform.blocks.last().expect("there is room").job;
        for marked in [[JobId(200), JobId(150)], [with_room, JobId(200)]] {
            platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &marked);
            for job in marked {
                let block = platform.area_of(job).expect("a marked job has a block");
                assert!(block.x >= area.x && block.right() <= area.right());
                assert!(block.y >= area.y && block.bottom() <= area.bottom());
                for other in platform.blocks.iter().filter(|other| other.job != job) {
                    assert!(!other.area.overlaps(block), "{other:?} {block:?}");
                }
            }
            assert_eq!(platform.blocks[0].job, JobId(1));
            assert_eq!(platform.blocks.len() + platform.more, 200);
        }
    }

    #[test]
    fn a_block_of_a_whole_node_is_as_wide_as_the_node() {
        let (run, jobs) = queue_of(&[8, 4, 8]);
        let look = look(20.0, 4, Detail::Labelled);
        let area = Rect::new(0.0, 0.0, 400.0, 300.0);
        let mut platform = Platform::default();
        platform.lay_out(&run, &jobs, &look, 8, &area, Ratio(1.0), &[]);
        let sizes: Vec<(f64, f64)> = platform
            .blocks
            .iter()
            .map(|of| (of.area.w, of.area.h))
            .collect();
        assert_eq!(sizes, [(83.0, 41.0), (41.0, 41.0), (83.0, 41.0)]);
    }

    #[test]
    fn a_gang_larger_than_the_platform_is_wide_is_folded() {
        let (run, jobs) = queue_of(&[64, 1]);
        let look = look(20.0, 4, Detail::Labelled);
        let area = Rect::new(0.0, 0.0, 210.0, 300.0);
        let mut platform = Platform::default();
        platform.lay_out(&run, &jobs, &look, 4, &area, Ratio(1.0), &[]);
        assert_eq!(platform.blocks.len(), 2);
        assert_eq!(platform.blocks[0].squares, 64);
    }
}

//! Who held each GPU when: one list of segments a GPU, and one line of pixels from it.
//!
//! A GPU serves one job at a time, so its segments are apart from each other and in order of both
//! start and end; where jobs share GPUs, each has several lanes of which that is true, and a job is in
//! those that its [bands](crate::bands) cover: what a window shows is found by binary search. Where segments are narrower than a
//! pixel, the pixel mixes their colours with as much of the free colour as there was idle time;
//! running totals of busy time make that independent of how many segments there are.

use crate::bands::{Band, Bands};
use crate::draw::viewport::Window;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::RunLog;
use switchyard::job::JobId;

/// Red, green, blue, opacity.
pub(super) type Pixel = [u8; 4];

/// Of the segments inside one pixel, so many lend it their colour.
const MIXED: usize = 2;

/// Every GPU's segments, as far as the log has been seen.
#[derive(Debug, Default)]
pub(super) struct GpuRows {
    /// The row of each node's first GPU, and the number of rows.
    first: Vec<u32>,
    /// By GPU and lane, from the lowest.
    rows: Vec<GpuRow>,
    lanes: u32,
    seen: usize,
}

/// Lanes of a GPU where some are shared.
const LANES: u32 = 4;

/// One GPU; columns of equal length.
#[derive(Debug, Default)]
pub(super) struct GpuRow {
    segments: Vec<u32>,
    starts: Vec<f64>,
    /// Busy seconds before each segment.
    busy: Vec<f64>,
}

/// What a line of pixels shows.
pub(super) struct PixelLine<'a> {
    pub(super) log: &'a RunLog,
    pub(super) window: Window,
    /// Where segments end that are still open.
    pub(super) reached: f64,
    /// The colour of a GPU that nobody holds.
    pub(super) free: Pixel,
    /// The colour of what lies beyond the end of the log.
    pub(super) unknown: Pixel,
    /// Pixels from one stripe to the next where a segment makes no progress yet.
    pub(super) stripe: usize,
}

impl GpuRows {
    /// No segments yet.
    pub(super) fn new(cluster: &ClusterSpec) -> Self {
        let mut first = vec![0];
        let mut rows = 0;
        first.extend(cluster.gpus_per_node().map(|gpus| {
            rows += gpus;
            rows
        }));
        Self {
            first,
            rows: std::iter::repeat_with(GpuRow::default)
                .take(rows as usize)
                .collect(),
            lanes: 1,
            seen: 0,
        }
    }

    /// How many segments have been taken in.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Takes in what has been added to the log, until it has `most` more stays on single GPUs.
    pub(super) fn extend(&mut self, log: &RunLog, bands: &Bands, most: usize) {
        if self.lanes == 1 && !bands.is_empty() {
            (self.lanes, self.seen) = (LANES, 0);
            let rows = self.rows.len() * LANES as usize;
            self.rows.clear();
            self.rows.resize_with(rows, GpuRow::default);
        }
        let mut stays = 0;
        while self.seen < log.segments() && stays < most {
            let i = self.seen;
            self.seen += 1;
            let segment = log.segment(i);
            stays += segment.gpu_count() as usize;
            for part in segment.gpus {
                let Some(&first) = self.first.get(part.node as usize) else {
                    continue;
                };
                let mut rest = part.mask;
                while rest != 0 {
                    let at = ((first + rest.trailing_zeros()) * self.lanes) as usize;
                    if let Some(lanes) = self.rows.get_mut(at..at + self.lanes as usize) {
                        match bands.of(i) {
                            None => lanes.iter_mut().for_each(|row| row.push(i as u32, log)),
                            Some(bands) => push_share(lanes, bands, i as u32, log),
                        }
                    }
                    rest &= rest - 1;
                }
            }
        }
    }

    /// How many lanes each GPU has.
    pub(super) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The row of each node's first GPU, and behind them the number of rows.
    pub(super) fn first(&self) -> &[u32] {
        &self.first
    }

    /// A lane of a GPU, from the lowest.
    pub(super) fn row(&self, node: u32, gpu: u32, lane: u32) -> Option<&GpuRow> {
        let row = (self.first.get(node as usize)? + gpu) * self.lanes + lane;
        self.rows.get(row as usize)
    }
}

/// Puts a segment on a share into the lanes whose middle it covers; one that is too small for any
/// into one where nobody is.
fn push_share(lanes: &mut [GpuRow], bands: &[Band], segment: u32, log: &RunLog) {
    let start = log.segment(segment as usize).start;
    let width = 1000.0 / lanes.len() as f64;
    let is_covered = |lane: usize| {
        let middle = (lane as f64 + 0.5) * width;
        bands.iter().any(|band| band.holds(middle))
    };
    let is_free = |row: &GpuRow| {
        let last = row.segments.last();
        last.is_none_or(|&last| log.segment(last as usize).end <= start)
    };
    let free: Vec<usize> = (0..lanes.len()).filter(|&at| is_free(&lanes[at])).collect();
    let covered: Vec<usize> = free.iter().copied().filter(|&at| is_covered(at)).collect();
    let takes = if covered.is_empty() {
        free.first().map_or(&[][..], std::slice::from_ref)
    } else {
        &covered
    };
    for &lane in takes {
        lanes[lane].push(segment, log);
    }
}

impl GpuRow {
    fn push(&mut self, segment: u32, log: &RunLog) {
        let busy = self
            .segments
            .last()
            .zip(self.busy.last())
            .map_or(0.0, |(&last, &before)| {
                let last = log.segment(last as usize);
                before + (last.end - last.start)
            });
        let new = log.segment(segment as usize);
        self.segments.push(segment);
        self.starts.push(new.start.seconds());
        self.busy.push(busy);
    }

    /// The segment that holds this GPU at `time`.
    pub(super) fn at(&self, log: &RunLog, time: f64) -> Option<usize> {
        let i = self.starting_by(0, time).checked_sub(1)?;
        let segment = self.segments[i] as usize;
        (log.segment(segment).end.seconds() > time).then_some(segment)
    }

    /// How many segments start at or before `time`; the first `known` do. Fast if few more do.
    fn starting_by(&self, known: usize, time: f64) -> usize {
        let later = &self.starts[known.min(self.starts.len())..];
        let mut ahead = 1;
        while ahead < later.len() && later[ahead] <= time {
            ahead *= 2;
        }
        let range = ahead / 2..ahead.min(later.len());
        known + range.start + later[range].partition_point(|&start| start <= time)
    }

    /// When the `i`-th segment ends, or how far it is known.
    fn end(&self, i: usize, line: &PixelLine<'_>) -> f64 {
        match self.busy.get(i + 1) {
            Some(next) => self.starts[i] + (next - self.busy[i]),
            None => line
                .log
                .segment(self.segments[i] as usize)
                .end
                .seconds()
                .min(line.reached),
        }
    }

    /// Busy seconds up to `time`, of which `started` segments start by then.
    fn busy_until(&self, line: &PixelLine<'_>, started: usize, time: f64) -> f64 {
        let Some(i) = started.checked_sub(1) else {
            return 0.0;
        };
        self.busy[i] + (self.end(i, line).min(time) - self.starts[i]).max(0.0)
    }

    /// Paints this GPU's window. `wide` is told of every segment that has pixels of its own: which,
    /// and from where on it makes progress to where it ends. Returns how many pixels are mixed: they are what takes time.
    pub(super) fn paint(
        &self,
        line: &PixelLine<'_>,
        colour: impl Fn(JobId) -> Pixel,
        pixels: &mut [Pixel],
        mut wide: impl FnMut(usize, usize, usize),
    ) -> usize {
        let window = line.window;
        let width = pixels.len();
        let per_second = width as f64 / window.span();
        let x_of = |time: f64| (time - window.from) * per_second;
        let time_of = |x: usize| window.from + x as f64 / per_second;
        let pixel_of = |time: f64| (x_of(time) + 0.5).clamp(0.0, width as f64) as usize;
        let known = pixel_of(line.reached);
        pixels[..known].fill(line.free);
        pixels[known..].fill(line.unknown);

        let mut i = self.starting_by(0, window.from).saturating_sub(1);
        let mut x = 0;
        // Busy seconds up to the left edge of a pixel, as its neighbour has found them.
        let mut counted = (usize::MAX, 0.0);
        let mut mixed_pixels = 0;
        while x < width && i < self.segments.len() {
            let (start, end) = (self.starts[i], self.end(i, line));
            if start >= window.to {
                break;
            }
            if end <= window.from {
                i += 1;
                continue;
            }
            if (end - start) * per_second >= 1.0 {
                let (from, to) = (pixel_of(start).max(x), pixel_of(end));
                if from < to {
                    let index = self.segments[i] as usize;
                    let segment = line.log.segment(index);
                    let paint = colour(segment.job);
                    pixels[from..to].fill(paint);
                    let ready = pixel_of(segment.ready.seconds()).clamp(from, to);
                    stripes(&mut pixels[from..ready], from, line.stripe, line.free);
                    // A seam, so that neighbours of one colour stay two.
                    if to - from >= 4 && from > x_of(start) as usize {
                        pixels[from] = mix(paint, line.unknown, 0.6);
                    }
                    wide(index, ready, to);
                    x = to;
                }
                i += 1;
                continue;
            }
            x = x.max(x_of(start).max(0.0) as usize);
            if x >= width {
                break;
            }
            let (from, to) = (time_of(x), time_of(x + 1));
            let next = self.starting_by(i, to).max(i + 1);
            let before = match counted {
                (edge, busy) if edge == x => busy,
                _ => self.busy_until(
                    line,
                    self.starting_by(i.saturating_sub(1), from).min(next),
                    from,
                ),
            };
            let busy = self.busy_until(line, next, to);
            let mixed = average(&self.segments[i..next], line.log, &colour);
            pixels[x] = mix(
                line.free,
                mixed,
                ((busy - before) / (to - from)).clamp(0.15, 1.0),
            );
            x += 1;
            mixed_pixels += 1;
            counted = (x, busy);
            i = if self.end(next - 1, line) > to {
                next - 1
            } else {
                next
            };
        }
        mixed_pixels
    }
}

fn average(segments: &[u32], log: &RunLog, colour: impl Fn(JobId) -> Pixel) -> Pixel {
    let mut sum = [0u32; 3];
    let mut count = 0;
    let every = segments.len().div_ceil(MIXED).max(1);
    for &segment in segments.iter().step_by(every) {
        let pixel = colour(log.segment(segment as usize).job);
        for (sum, &channel) in sum.iter_mut().zip(&pixel) {
            *sum += u32::from(channel);
        }
        count += 1;
    }
    let [r, g, b] = sum.map(|sum| (sum / count.max(1)) as u8);
    [r, g, b, 255]
}

/// `part` of the way from `a` to `b`.
pub(super) fn mix(a: Pixel, b: Pixel, part: f64) -> Pixel {
    let weight = (part * 256.0) as u32;
    std::array::from_fn(|i| {
        ((u32::from(a[i]) * (256 - weight) + u32::from(b[i]) * weight) / 256) as u8
    })
}

fn stripes(pixels: &mut [Pixel], offset: usize, every: usize, over: Pixel) {
    for (x, pixel) in (offset..).zip(pixels) {
        if (x / every).is_multiple_of(2) {
            *pixel = mix(*pixel, over, 0.75);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::policies::PolicySpec;
    use switchyard::workload::Sample;
    use switchyard::{RunSpec, engine::SimOptions};

    fn sample_log(events: usize) -> (ClusterSpec, RunLog) {
        let sample = Sample::named("lab").unwrap();
        let spec = RunSpec {
            options: SimOptions {
                restart_cost: 60.0,
                seed: 1,
                ..SimOptions::default()
            },
            ..RunSpec::new(
                "tiresias-las".parse::<PolicySpec>().unwrap(),
                sample.cluster_spec(),
            )
        };
        let mut simulation = spec.start(sample.workload().into());
        while simulation.log().events() < events && simulation.step().unwrap() {}
        (spec.cluster, simulation.into_log())
    }

    fn by_hand(log: &RunLog, node: u32, gpu: u32, time: f64) -> Option<usize> {
        (0..log.segments()).find(|&i| {
            let segment = log.segment(i);
            let here = segment
                .gpus
                .iter()
                .any(|part| part.node == node && part.mask >> gpu & 1 == 1);
            here && segment.start.seconds() <= time && time < segment.end.seconds()
        })
    }

    #[test]
    fn rows_know_what_a_walk_over_all_segments_knows() {
        for events in [40, 400, usize::MAX] {
            let (cluster, log) = sample_log(events);
            let mut rows = GpuRows::new(&cluster);
            rows.extend(&log, &Bands::default(), 7);
            rows.extend(&log, &Bands::default(), usize::MAX);
            assert_eq!(rows.seen(), log.segments());
            let end = log.event_times().last().copied().unwrap_or(0.0);
            for node in 0..cluster.nodes() {
                for i in 0..60 {
                    let time = end * f64::from(i) / 59.0;
                    for gpu in 0..4 {
                        let row = rows.row(node, gpu, 0).unwrap();
                        assert_eq!(
                            row.at(&log, time),
                            by_hand(&log, node, gpu, time),
                            "{node}.{gpu} at {time}"
                        );
                    }
                }
            }
        }
    }

    /// A pixel's share of job colour is the share of time that the GPU was busy.
    #[test]
    fn pixels_are_as_full_as_the_gpu_was_busy() {
        let (cluster, log) = sample_log(usize::MAX);
        let mut rows = GpuRows::new(&cluster);
        rows.extend(&log, &Bands::default(), usize::MAX);
        let reached = log.event_times().last().copied().unwrap_or(0.0);
        for (from, to, width) in [
            (0.0, reached, 400),
            (0.0, reached, 20),
            (0.3 * reached, 0.35 * reached, 300),
        ] {
            let line = PixelLine {
                log: &log,
                window: Window::new(from, to),
                reached,
                free: [0; 4],
                unknown: [0; 4],
                stripe: usize::MAX,
            };
            for node in 0..cluster.nodes() {
                let row = rows.row(node, 0, 0).unwrap();
                let mut pixels = vec![[9; 4]; width];
                let mut last = 0;
                row.paint(
                    &line,
                    |_| [255; 4],
                    &mut pixels,
                    |segment, a, b| {
                        assert!(
                            a <= b && a >= last && b <= width,
                            "segment {segment}: {a}..{b} after {last}"
                        );
                        last = b;
                    },
                );
                let shown = pixels
                    .iter()
                    .map(|pixel| f64::from(pixel[0]) / 255.0)
                    .sum::<f64>()
                    / width as f64;
                let steps = 4000;
                let busy = (0..steps)
                    .filter(|&i| {
                        row.at(
                            &log,
                            from + (to - from) * (f64::from(i) + 0.5) / f64::from(steps),
                        )
                        .is_some()
                    })
                    .count() as f64
                    / f64::from(steps);
                assert!(
                    (shown - busy).abs() < 0.12,
                    "node {node}: {shown} shown, {busy} busy, {width} px"
                );
            }
        }
    }
}

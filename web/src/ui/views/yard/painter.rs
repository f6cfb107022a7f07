//! The yard: one run at the clock's time. Above, every node and its GPUs ([`nodes`], laid out as
//! [`tiles`]); below, jobs that wait on the [`platform`]; and jobs on their way ([`flights`]).
//!
//! A waiting job is a hollow block, a running one fills its GPUs' cells, a restarting one is
//! hatched, a finished one sinks and fades: no state is told by colour alone. What is where hangs on
//! the canvas and the cluster alone, so that nothing moves that does not mean it.

mod flights;
mod floor;
mod frames;
mod heat;
mod look;
mod motion;
mod nodes;
mod platform;
mod tiles;
mod walk;
mod wires;

use crate::bands::Band;
use crate::draw::canvas::{OfRun, RunPainter};
use crate::draw::format::{counted, figures};
use crate::draw::on_stage::OnStage;
use crate::draw::pen::Pen;
use crate::draw::space::{Device, Point, Ratio, Rect, Size};
use crate::draw::viewport::{Glide, KEY_PAN, KEY_ZOOM, Plane, wheel_zoom};
use crate::draw::{Pointer, PointerKind, Response, describe};
use crate::stage::{Stage, StageRun};
use crate::ui::page_address::asked;
use floor::Floor;
use look::{Detail, Inside, LinkLines, tells_sockets};
use motion::Motion;
use nodes::Nodes;
use platform::Platform;
use switchyard::cluster::{ClusterSpec, Topology};
use switchyard::job::JobId;
use switchyard::order;
use tiles::{Grid, Tiling};
use walk::Step;

/// Paints one run's yard.
pub(crate) struct Yard {
    layout: Layout,
    view: Glide<3>,
    platform: Platform,
    nodes: Nodes,
    motion: Motion,
    drag: Option<PanDrag>,
    pointer: Option<Point<Device>>,
}

/// Where things are on the canvas; made anew when the canvas or the cluster changes.
#[derive(Default)]
struct Layout {
    made_for: (Rect, Ratio, LinkLines),
    cluster: Option<ClusterSpec>,
    tree: Option<Topology>,
    gpus_per_node: Vec<u32>,
    floor: Floor,
    nodes: Rect,
    tiling: Tiling,
    /// A line of words, and below it the jobs that wait.
    title: Rect,
    platform: Rect,
}

/// The plane and the pointer when a drag began.
struct PanDrag {
    plane: Plane,
    from: Point<Device>,
}

/// The parts of the height that nodes may take: the rest is for jobs that wait for them.
const FOR_NODES: [f64; 4] = [0.6, 0.54, 0.48, 0.42];
/// Rows of blocks beyond which room for more of them is not worth smaller squares.
const ROWS_WORTH: f64 = 2.0;
/// The same where a node is small, so that a queue needs little room, and where it stands in a frame.
const FOR_DENSE: f64 = 0.78;
/// Shares tried in turn where waiting jobs would have no room.
const FOR_CRAMPED: [f64; 7] = [0.6, 0.54, 0.48, 0.42, 0.36, 0.3, 0.24];
/// CSS pixels between the nodes and the platform, and around them, a line of words and all.
const ABOVE_PLATFORM: f64 = 33.0;

/// What the pointer can be on.
enum Target {
    Job(JobId),
    Node(u32),
    Link(u32),
    Nothing,
}

/// CSS pixels beside the nodes, and above them.
const BESIDE_NODES: f64 = 12.0;
const ABOVE_NODES: f64 = 4.0;

/// How nodes are laid on a canvas of which waiting jobs have a part.
fn tiled(floor: &Floor, inside: Inside, area: &Rect, ratio: Ratio) -> Tiling {
    let css = |length: f64| ratio.px(length);
    let w = (area.w - 2.0 * css(BESIDE_NODES)).max(1.0);
    let tiling = |share: f64| {
        let room = Size::new(w, (area.h * share - css(ABOVE_NODES)).max(1.0));
        Tiling::new(floor, inside, room, ratio)
    };
    let left = |tiling: &Tiling| area.h - tiling.extent().h - css(ABOVE_PLATFORM);
    let mut best = tiling(FOR_NODES[0]);
    if best.is_dense() || floor.is_framed() && !best.is_labelled() {
        best = tiling(FOR_DENSE);
    } else {
        // Somewhat smaller squares where that is room for one more row of who waits.
        let worth = |tiling: &Tiling| {
            let look = tiling.look();
            let row = look.size.h - look.label - look.foot + css(platform::BELOW);
            look.cell.w * (left(tiling) / row).floor().clamp(1.0, ROWS_WORTH).sqrt()
        };
        for other in FOR_NODES[1..].iter().map(|&share| tiling(share)) {
            if other.look().detail == best.look().detail && worth(&other) > worth(&best) {
                best = other;
            }
        }
    }
    // A block is one square at least: without room for that nobody who waits would be seen.
    let seats = |tiling: &Tiling| left(tiling) >= tiling.look().cell.h;
    if !seats(&best)
        && let Some(smaller) = FOR_CRAMPED.into_iter().map(tiling).find(seats)
    {
        best = smaller;
    }
    best
}

impl Layout {
    fn update(&mut self, area: &Rect, ratio: Ratio, OnStage { stage, run }: OnStage<'_>) {
        let lines = match (&run.links, tells_sockets(&stage.cluster)) {
            (None, _) => LinkLines::None,
            (Some(_), false) => LinkLines::Node,
            (Some(_), true) => LinkLines::Sockets,
        };
        let made_for = (*area, ratio, lines);
        let same_cluster = self.cluster.as_ref() == Some(&stage.cluster);
        if self.made_for == made_for && same_cluster {
            return;
        }
        if !same_cluster {
            self.gpus_per_node.clear();
            self.gpus_per_node.extend(stage.cluster.gpus_per_node());
            self.floor = Floor::of(&stage.cluster);
            self.tree = Some(Topology::of(&stage.cluster));
            self.cluster = Some(stage.cluster.clone());
        }
        self.made_for = made_for;
        let css = |length: f64| ratio.px(length);
        let (side, top) = (css(BESIDE_NODES), css(ABOVE_NODES));
        let w = (area.w - 2.0 * side).max(1.0);
        let inside = Inside::of(&stage.cluster, lines);
        self.tiling = tiled(&self.floor, inside, area, ratio);
        self.nodes = Rect::new(side, top, w, self.tiling.extent().h);
        let words = css(18.0);
        let gap = css(6.0);
        self.title = Rect::new(side, self.nodes.bottom() + gap, w, words);
        let top = self.title.bottom() + css(3.0);
        self.platform = Rect::new(side, top, w, (area.h - top - css(2.0)).max(0.0));
    }

    fn constrained(&self, plane: Plane) -> Plane {
        let nodes = &self.nodes;
        let largest = self.tiling.largest_scale(nodes);
        let crisp = self.tiling.crisp(plane.scale.clamp(1.0, largest));
        let plane = if crisp == plane.scale {
            plane
        } else {
            plane.zoomed(nodes.middle(), nodes.corner(), crisp)
        };
        let Size { w, h, .. } = self.tiling.extent();
        let size = Size::new(w.max(nodes.w * 0.5), h.max(nodes.h * 0.5));
        plane.within(size, largest.max(crisp))
    }

    /// Where nodes are painted.
    fn nodes_area(&self) -> Rect {
        self.nodes.grown(self.made_for.1.px(4.0))
    }

    fn grid(&self, plane: &Plane) -> Grid<'_> {
        self.tiling.seen(plane, self.nodes.corner())
    }
}

impl Default for Yard {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            view: Glide::new(Plane::WHOLE.into()),
            platform: Platform::default(),
            nodes: Nodes::default(),
            motion: Motion::default(),
            drag: None,
            pointer: None,
        }
    }
}

impl Yard {
    /// A painter of the run with this id.
    pub(crate) fn of_run(run: u32) -> OfRun<Self> {
        OfRun(run, Self::default())
    }

    fn plane(&self) -> Plane {
        self.view.at().into()
    }

    fn target(&self) -> Plane {
        self.view.target().into()
    }

    fn go(&mut self, plane: Plane) {
        self.view.go(self.layout.constrained(plane).into());
    }

    fn zoom(&mut self, about: Point<Device>, factor: f64) {
        let target = self.target();
        let nodes = &self.layout.nodes;
        let largest = self.layout.tiling.largest_scale(nodes);
        let wanted = (target.scale * factor).clamp(1.0, largest);
        let mut scale = self.layout.tiling.crisp(wanted);
        // Small steps must not be rounded away.
        if scale == target.scale && wanted != target.scale {
            scale = wanted;
        }
        self.go(target.zoomed(about, nodes.corner(), scale));
    }

    /// What is at a place.
    fn at(&self, at: Point<Device>, run: &StageRun) -> Target {
        if at.y >= self.layout.title.y {
            return self.platform.at(at).map_or(Target::Nothing, Target::Job);
        }
        let grid = self.layout.grid(&self.plane());
        if let Some(links) = &run.links {
            let (ratio, area) = (self.layout.made_for.1, self.layout.nodes_area());
            let link = wires::at(at, &grid, &self.layout.floor, &area, ratio, links);
            if let Some(link) = link {
                return Target::Link(link);
            }
        }
        let Some((node, gpu)) = grid.at(at) else {
            return Target::Nothing;
        };
        let labelled = grid.look.detail == Detail::Labelled;
        let holds = |mask: u64| match gpu {
            Some(gpu) => mask >> gpu & 1 == 1,
            // A node's number stands for the node, not for who runs there.
            None => mask != 0 && !labelled,
        };
        let place = gpu.map(|gpu| {
            let cell = grid.cell(node, gpu);
            (cell.bottom() - at.y) / cell.h * 1000.0
        });
        let part = |job: JobId| {
            let segment = run.moment.segment(job);
            let bands = run.bands.of(segment).zip(place);
            let is_beside =
                |(bands, place): (&[Band], f64)| !bands.iter().any(|of| of.holds(place));
            if bands.is_some_and(is_beside) {
                return 0;
            }
            let gpus = run.log.segment(segment).gpus;
            gpus.iter()
                .find(|part| part.node == node)
                .map_or(0, |part| part.mask)
        };
        let by_gpus = |&job: &JobId| (part(job).count_ones(), std::cmp::Reverse(job));
        let running = run.moment.running().iter().copied();
        match running.filter(|&job| holds(part(job))).max_by_key(by_gpus) {
            Some(job) => Target::Job(job),
            None => Target::Node(node),
        }
    }

    /// Where each job is when the whole cluster is seen: those that run, then those that wait.
    fn places(&self, shown: OnStage<'_>) -> Vec<(JobId, Point<Device>)> {
        let grid = self.layout.grid(&Plane::WHOLE);
        let on_nodes = shown.run.moment.running().iter().filter_map(|&job| {
            let part = shown.segment(job).gpus.first()?;
            Some((job, grid.bounds(part.node, part.mask).middle()))
        });
        let mut places: Vec<_> = on_nodes.collect();
        order::sort_by(&mut places, |(_, a), (_, b)| {
            a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
        });
        places.extend(self.platform.places());
        places
    }

    /// Where a job is seen; nodes that are out of sight come to the middle.
    fn show(&mut self, job: JobId, shown: OnStage<'_>) -> Point<Device> {
        if let Some(block) = self.platform.area_of(job) {
            return block.middle();
        }
        let is_running = shown.run.moment.running().contains(&job);
        let part = is_running.then(|| shown.segment(job).gpus.first());
        let Some(part) = part.flatten() else {
            return self.layout.title.middle();
        };
        let nodes = self.layout.nodes;
        let is_seen = nodes.contains(self.layout.grid(&self.target()).tile(part.node).middle());
        if !is_seen {
            let middle = self.layout.tiling.middle(part.node);
            self.go(Plane::centred(middle, self.target().scale, &nodes));
        }
        let grid = self.layout.grid(&self.target());
        grid.bounds(part.node, part.mask).middle()
    }

    fn node_lines(&self, node: u32, stage: &Stage, run: &StageRun) -> Vec<String> {
        let gpus = self.layout.gpus_per_node.get(node as usize).copied();
        let gpus = gpus.unwrap_or(0);
        let taken = |&job: &JobId| {
            let segment = run.log.segment(run.moment.segment(job));
            let here = segment.gpus.iter().filter(|part| part.node == node);
            here.map(|part| part.count()).sum::<u32>() * segment.share.unwrap_or(1000)
        };
        let taken: u32 = run.moment.running().iter().map(taken).sum();
        let mut lines = vec![format!(
            "node {node}: {} of {} free",
            figures(f64::from((1000 * gpus).saturating_sub(taken)) / 1000.0),
            counted(gpus.into(), "GPU", "GPUs")
        )];
        lines.extend(describe::kind_of(node, stage));
        if let Some(links) = &run.links {
            let nic = links.topology().node_edge(node);
            lines.push(format!("NIC: {}", describe::load(nic, links)));
        }
        match run.absent_nodes.of(node) {
            Some((state, until)) => lines.push(describe::absence(state, until, &stage.clock)),
            None => lines.push("click: what if it died now?".to_owned()),
        }
        lines
    }

    /// Brings the chosen job's nodes to the middle; the whole cluster if there is none, or if it is
    /// there already.
    fn focus(&mut self, shown: OnStage<'_>) {
        let chosen = shown.stage.marked();
        let running = chosen.filter(|job| shown.run.moment.running().contains(job));
        let Some(segment) = running.map(|job| shown.segment(job)) else {
            return self.view.go(Plane::WHOLE.into());
        };
        let Layout { nodes, tiling, .. } = &self.layout;
        let bounds = segment
            .gpus
            .iter()
            .map(|part| tiling.middle(part.node))
            .map(|middle| Rect::new(middle.x, middle.y, 0.0, 0.0))
            .reduce(|all, tile| all.union(&tile))
            .unwrap_or_default();
        let pitch = tiling.pitch();
        let (w, h) = (bounds.w + 2.0 * pitch.w, bounds.h + 2.0 * pitch.h);
        let scale = tiling.crisp((nodes.w / w).min(nodes.h / h).max(1.0));
        let focused = Plane::centred(bounds.middle(), scale, nodes);
        let focused = self.layout.constrained(focused);
        if focused == self.target() {
            self.view.go(Plane::WHOLE.into());
        } else {
            self.go(focused);
        }
    }
}

impl RunPainter for Yard {
    fn paint(&mut self, pen: &mut Pen<'_>, shown: OnStage<'_>) -> bool {
        let OnStage { stage, run } = shown;
        self.layout.update(&pen.area, pen.ratio, shown);
        if self.drag.is_none() {
            self.go(self.target());
        }
        let moving = self.view.step(pen.real_ms, 0.001, stage.reduced_motion);
        let may_move = !stage.reduced_motion;
        self.motion
            .note(run, &stage.clock, &self.platform, pen.real_ms, may_move);

        let plane = self.plane();
        let grid = self.layout.grid(&plane);
        let area = self.layout.nodes_area();
        if plane != Plane::WHOLE {
            pen.clip(&area);
        }
        frames::paint(pen, &grid, &self.layout.floor, &area, run.links.as_ref());
        let gpus = &self.layout.gpus_per_node;
        let steady = self.motion.is_steady();
        self.nodes.paint(pen, &grid, &area, gpus, steady, shown);
        if let Some(links) = &run.links {
            wires::paint(pen, &grid, &self.layout.floor, &area, links, shown);
        }
        if let (Some(step), Some(tree)) = (shown.placing(), &self.layout.tree) {
            let floor = &self.layout.floor;
            heat::paint(pen, &grid, floor, tree, &area, (step, stage.dark));
        }
        if plane != Plane::WHOLE {
            pen.unclip();
        }
        let Layout {
            title, platform, ..
        } = self.layout;
        let look = self.layout.tiling.look();
        let largest = stage.cluster.largest_node();
        (self.platform).paint(pen, &title, &platform, look, largest, shown);
        let flights = self.motion.flights();
        flights::paint(pen, flights, &self.platform, &grid, &area, shown);
        moving || !flights.is_empty()
    }

    fn pointer(&mut self, pointer: &Pointer<Device>, shown: OnStage<'_>) -> Response {
        let OnStage { stage, run } = shown;
        let at = pointer.at;
        self.pointer = Some(at);
        let mut response = Response::over_nothing();
        match pointer.kind {
            // A figure does not hold up who scrolls through its article.
            PointerKind::Wheel { .. } if !pointer.ctrl && asked("embed").is_some() => {
                response.passes = true;
            }
            PointerKind::Wheel { dy, .. } => {
                self.zoom(at, wheel_zoom(dy));
                response.repaint = true;
            }
            PointerKind::Pinch { factor } => {
                self.zoom(at, factor);
                response.repaint = true;
            }
            PointerKind::Down => {
                let plane = self.plane();
                self.drag = Some(PanDrag { plane, from: at });
            }
            PointerKind::Release | PointerKind::Leave | PointerKind::Double => self.drag = None,
            PointerKind::Click => {
                self.drag = None;
                let target = self.at(at, run);
                response.select = match target {
                    Target::Job(job) if !pointer.shift => Some(Some(job)),
                    // Whose links are looked at stays chosen.
                    Target::Link(_) => None,
                    _ => Some(None),
                };
                if let Target::Node(node) = target {
                    response.node = Some((run.id, node));
                }
            }
            PointerKind::Move => {
                if let (Some(drag), true) = (&self.drag, pointer.down) {
                    let moved = drag.plane.dragged(drag.from, at);
                    self.view.jump(self.layout.constrained(moved).into());
                    response.repaint = true;
                    response.hover = None;
                    response.cursor = "grabbing";
                    return response;
                }
            }
        }
        match self.at(at, run) {
            Target::Job(job) => {
                response.hover = Some(Some(job));
                response.tooltip = Some(describe::job(job, stage, run));
                response.cursor = "pointer";
            }
            Target::Node(node) => response.tooltip = Some(self.node_lines(node, stage, run)),
            Target::Link(link) => response.tooltip = describe::link(link, stage, run),
            Target::Nothing => {}
        }
        if let (Some(lines), Some(step), Some(tree)) =
            (&mut response.tooltip, shown.placing(), &self.layout.tree)
            && let Some((node, gpu)) = self.layout.grid(&self.plane()).at(at)
        {
            lines.extend(heat::words(step, tree, node, gpu));
        }
        response
    }

    fn leave(&mut self) {
        self.drag = None;
        self.pointer = None;
    }

    fn walk(&mut self, key: &str, shown: OnStage<'_>) -> Option<(Response, Point<Device>)> {
        let OnStage { stage, run } = shown;
        let here = stage.hovered.or(stage.selected());
        let mut response = Response {
            repaint: true,
            ..Response::default()
        };
        let Some(step) = Step::of(key) else {
            // Enter, if there is what could be chosen.
            let job = here.filter(|_| key == "Enter")?;
            response.select = Some(Some(job));
            response.tooltip = Some(vec![format!("{} is chosen", shown.name(job)?)]);
            return Some((response, self.show(job, shown)));
        };
        let Some(job) = step.lead(here, &self.places(shown)) else {
            response.tooltip = Some(vec!["No job runs or waits at this time.".to_owned()]);
            return Some((response, self.layout.nodes.middle()));
        };
        response.hover = Some(Some(job));
        response.tooltip = Some(describe::job(job, stage, run));
        Some((response, self.show(job, shown)))
    }

    fn key(&mut self, key: &str, shown: OnStage<'_>) -> bool {
        let nodes = self.layout.nodes;
        let over_nodes = |at: &Point<Device>| nodes.contains(*at);
        let about = self.pointer.filter(over_nodes).unwrap_or(nodes.middle());
        let target = self.target();
        let sideways = |by: f64| Plane {
            x: target.x + by * nodes.w,
            ..target
        };
        match key.to_ascii_lowercase().as_str() {
            "w" => self.zoom(about, KEY_ZOOM),
            "s" => self.zoom(about, 1.0 / KEY_ZOOM),
            "a" => self.go(sideways(-KEY_PAN)),
            "d" => self.go(sideways(KEY_PAN)),
            "f" => self.focus(shown),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_has_room_for_a_square_on_any_canvas_but_the_lowest() {
        for cluster in [
            "1x4",
            "8x4",
            "4x8",
            "16x8",
            "128x8",
            "8x8/racks=2",
            "1000x8",
        ] {
            let cluster: ClusterSpec = cluster.parse().unwrap();
            let floor = Floor::of(&cluster);
            let inside = Inside::of(&cluster, LinkLines::None);
            for ratio in [1.0, 2.0] {
                for (w, h) in [
                    (340, 110),
                    (340, 170),
                    (688, 120),
                    (688, 170),
                    (712, 240),
                    (1400, 600),
                ] {
                    let ratio = Ratio(ratio);
                    let area = Rect::new(0.0, 0.0, ratio.px(w.into()), ratio.px(h.into()));
                    let tiling = tiled(&floor, inside, &area, ratio);
                    let left = area.h - tiling.extent().h - ratio.px(ABOVE_PLATFORM);
                    let cell = tiling.look().cell.h;
                    assert!(
                        left >= cell,
                        "{cluster} on {w} x {h}: {left} left for {cell}"
                    );
                }
            }
        }
    }
}

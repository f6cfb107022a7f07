//! Pairs of the highest total weight: Edmonds' blossom algorithm.
//!
//! In: a weight for each pair of nodes. Out: whom each node is paired with, and the dual values that prove that no other
//! choice of pairs weighs more. Source: the primal-dual method of Edmonds with slacks kept per tree, O(n³) (Galil, ACM
//! Computing Surveys 1986). Ties are broken as in the authors' simulator (Muri, SIGCOMM'22): nodes are visited in their
//! order, and an edge is tight where its slack is not positive.

use std::collections::VecDeque;

/// How near a node's dual value and the next step must be for the search to end.
const ENOUGH: f64 = 1e-5;

/// What counts as tight, as a share of the highest weight, once more steps than [`LOST`] in turn are lost in rounding.
const ROUNDING: f64 = 1e-12;

/// How many steps in turn may come to nothing.
const LOST: u32 = 16;

/// Stands for no node: real ones count from 1.
const NONE: usize = 0;

/// Stands for the ends of no edge.
const NO_EDGE: (u32, u32) = (0, 0);

/// Pairs, with their proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// Whom each node is paired with.
    pub mates: Vec<Option<usize>>,
    /// The dual value of each node. For each edge those of its ends, with the blossoms around both, add up to its weight
    /// or more. The sum of all duals is the weight of the pairs, within the rounding of 1e-5.
    pub duals: Vec<f64>,
    /// Odd sets of nodes, each with its dual value. It counts once for each of the pairs that the set has room for.
    pub blossoms: Vec<(Vec<usize>, f64)>,
}

/// Pairs nodes for the highest total weight. Pairs whose weight is not positive are no edges. `weight` is asked for both
/// directions, which may differ in their last digit.
pub fn maximum_weight(nodes: usize, weight: impl Fn(usize, usize) -> f64) -> Matching {
    let mut search = Search::new(nodes, weight);
    if search.highest > 0.0 {
        while search.augment_once() {}
    }
    search.result()
}

/// Where a node is in the search trees.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    /// As far from its root as an even number of edges.
    Even,
    Odd,
}

/// Nodes are 1 to `real`; those beyond, up to `used`, are blossoms.
struct Search {
    real: usize,
    used: usize,
    /// One row for each node that may be.
    stride: usize,
    weights: Vec<f64>,
    highest: f64,
    /// For each two nodes the real ends of the edge that is looked at between them.
    ends: Vec<(u32, u32)>,
    /// Twice the dual values.
    labels: Vec<f64>,
    /// The real node at the other end of a node's pair.
    mate: Vec<usize>,
    /// The outermost blossom around a node.
    top: Vec<usize>,
    /// The real node from which an odd node was reached.
    parent: Vec<usize>,
    place: Vec<Place>,
    /// The real even node with the least slack to a node.
    nearest: Vec<usize>,
    /// That slack, as of the last change of the duals.
    least: Vec<f64>,
    /// The round in which a node was last seen on the way to a root.
    seen: Vec<usize>,
    round: usize,
    /// The nodes right in a blossom, around its odd cycle from its base.
    around: Vec<Vec<usize>>,
    /// For a blossom and a real node: which of those right in the blossom has the node.
    within: Vec<usize>,
    queue: VecDeque<usize>,
    /// The slack that still counts as tight.
    tight: f64,
}

impl Search {
    fn new(nodes: usize, weight: impl Fn(usize, usize) -> f64) -> Self {
        // Blossoms are disjoint or within one another, and have three nodes or more.
        let stride = nodes + nodes / 2 + 2;
        let mut weights = vec![0.0; (nodes + 1) * (nodes + 1)];
        let mut ends = vec![NO_EDGE; stride * stride];
        let mut highest = 0.0_f64;
        let mut within = vec![NONE; stride * (nodes + 1)];
        for u in 1..=nodes {
            within[u * (nodes + 1) + u] = u;
            for v in (1..=nodes).filter(|&v| v != u) {
                let weight = weight(u - 1, v - 1);
                if weight > 0.0 {
                    weights[u * (nodes + 1) + v] = weight;
                    ends[u * stride + v] = (u as u32, v as u32);
                    highest = highest.max(weight);
                }
            }
        }
        Self {
            real: nodes,
            used: nodes,
            stride,
            weights,
            highest,
            ends,
            labels: (0..stride)
                .map(|at| if at <= nodes { highest } else { 0.0 })
                .collect(),
            mate: vec![NONE; stride],
            top: (0..stride)
                .map(|at| if at <= nodes { at } else { NONE })
                .collect(),
            parent: vec![NONE; stride],
            place: vec![Place::Outside; stride],
            nearest: vec![NONE; stride],
            least: vec![f64::INFINITY; stride],
            seen: vec![0; stride],
            round: 0,
            around: vec![Vec::new(); stride],
            within,
            queue: VecDeque::new(),
            tight: 0.0,
        }
    }

    fn ends(&self, a: usize, b: usize) -> (usize, usize) {
        let (u, v) = self.ends[a * self.stride + b];
        (u as usize, v as usize)
    }

    fn is_edge(&self, a: usize, b: usize) -> bool {
        self.ends(a, b).0 != NONE
    }

    fn within(&self, blossom: usize, node: usize) -> usize {
        self.within[blossom * (self.real + 1) + node]
    }

    /// What the duals of an edge's ends have beyond its weight, doubled.
    fn slack(&self, (u, v): (usize, usize)) -> f64 {
        self.labels[u] + self.labels[v] - self.weights[u * (self.real + 1) + v] * 2.0
    }

    fn is_top(&self, node: usize) -> bool {
        node != NONE && self.top[node] == node
    }

    fn place_of(&self, node: usize) -> Place {
        self.place[self.top[node]]
    }

    /// Keeps the even node if it is nearer than the one known so far.
    fn offer(&mut self, even: usize, to: usize, slack: f64) {
        if self.nearest[to] == NONE || slack < self.least[to] {
            self.nearest[to] = even;
            self.least[to] = slack;
        }
    }

    fn find_nearest(&mut self, node: usize) {
        self.nearest[node] = NONE;
        for even in 1..=self.real {
            if self.is_edge(even, node)
                && self.top[even] != node
                && self.place_of(even) == Place::Even
            {
                let slack = self.slack(self.ends(even, node));
                self.offer(even, node, slack);
            }
        }
    }

    /// Lets the search go on from a node, or from all real nodes of a blossom, outer ones first.
    fn enqueue(&mut self, node: usize) {
        let mut line = VecDeque::from([node]);
        while let Some(node) = line.pop_front() {
            match node <= self.real {
                true => self.queue.push_back(node),
                false => line.extend(&self.around[node]),
            }
        }
    }

    /// Everything within a node is now within that blossom.
    fn set_top(&mut self, node: usize, top: usize) {
        let mut line = vec![node];
        while let Some(node) = line.pop() {
            self.top[node] = top;
            if node > self.real {
                line.extend(&self.around[node]);
            }
        }
    }

    /// How far a node is from the base of a blossom, by the way with an even number of edges. The cycle is turned around
    /// where that needs it.
    fn even_way(&mut self, blossom: usize, node: usize) -> usize {
        let around = &mut self.around[blossom];
        let at = around.iter().position(|&other| other == node).unwrap_or(0);
        if at % 2 == 0 {
            return at;
        }
        around[1..].reverse();
        around.len() - at
    }

    /// Pairs a node with another, and those within it accordingly.
    fn pair(&mut self, node: usize, with: usize) {
        let mut line = vec![(node, with)];
        while let Some((node, with)) = line.pop() {
            let (from, to) = self.ends(node, with);
            self.mate[node] = to;
            if node <= self.real {
                continue;
            }
            let base = self.within(node, from);
            let way = self.even_way(node, base);
            let around = &self.around[node];
            line.extend((0..way).map(|at| (around[at], around[at ^ 1])));
            line.push((base, with));
            self.around[node].rotate_left(way);
        }
    }

    /// Turns the pairs along the way to the root around.
    fn flip_to_root(&mut self, mut node: usize, mut with: usize) {
        loop {
            let next = self.top[self.mate[node]];
            self.pair(node, with);
            if next == NONE {
                return;
            }
            let above = self.top[self.parent[next]];
            self.pair(next, above);
            (node, with) = (above, next);
        }
    }

    /// Where the ways of two even nodes to their roots meet.
    fn meeting(&mut self, a: usize, b: usize) -> usize {
        self.round += 1;
        let (mut here, mut there) = (a, b);
        while here != NONE || there != NONE {
            if here != NONE {
                if self.seen[here] == self.round {
                    return here;
                }
                self.seen[here] = self.round;
                here = self.top[self.mate[here]];
                if here != NONE {
                    here = self.top[self.parent[here]];
                }
            }
            std::mem::swap(&mut here, &mut there);
        }
        NONE
    }

    /// The nodes from an even one up to the base, which is left out; odd ones become even.
    fn way_up(&mut self, from: usize, base: usize, way: &mut Vec<usize>) {
        let mut node = from;
        while node != base {
            let odd = self.top[self.mate[node]];
            way.extend([node, odd]);
            self.enqueue(odd);
            node = self.top[self.parent[odd]];
        }
    }

    /// The odd cycle through two even nodes of a tree becomes one node.
    fn shrink(&mut self, a: usize, base: usize, b: usize) {
        let free = (self.real + 1..=self.used).find(|&blossom| self.top[blossom] == NONE);
        let blossom = free.unwrap_or(self.used + 1);
        self.used = self.used.max(blossom);
        self.labels[blossom] = 0.0;
        self.place[blossom] = Place::Even;
        self.mate[blossom] = self.mate[base];
        let mut around = Vec::new();
        self.way_up(a, base, &mut around);
        around.push(base);
        around.reverse();
        self.way_up(b, base, &mut around);
        self.around[blossom] = around;
        self.set_top(blossom, blossom);
        for node in 1..=self.used {
            self.ends[blossom * self.stride + node] = NO_EDGE;
            self.ends[node * self.stride + blossom] = NO_EDGE;
        }
        for node in 1..=self.real {
            self.within[blossom * (self.real + 1) + node] = NONE;
        }
        for at in 0..self.around[blossom].len() {
            let inner = self.around[blossom][at];
            for node in 1..=self.used {
                let edge = self.ends(inner, node);
                let known = self.ends(blossom, node);
                if edge.0 != NONE && (known.0 == NONE || self.slack(edge) < self.slack(known)) {
                    self.ends[blossom * self.stride + node] = self.ends[inner * self.stride + node];
                    self.ends[node * self.stride + blossom] = self.ends[node * self.stride + inner];
                }
            }
            for node in 1..=self.real {
                if self.within(inner, node) != NONE {
                    self.within[blossom * (self.real + 1) + node] = inner;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// An odd blossom without a dual value falls apart again.
    fn expand(&mut self, blossom: usize) {
        let around = self.around[blossom].clone();
        for inner in around {
            self.set_top(inner, inner);
        }
        let entry = self.ends(blossom, self.parent[blossom]).0;
        let entry = self.within(blossom, entry);
        let way = self.even_way(blossom, entry);
        let around = std::mem::take(&mut self.around[blossom]);
        for pair in around[..way].chunks_exact(2) {
            let (odd, even) = (pair[0], pair[1]);
            self.parent[odd] = self.ends(even, odd).0;
            self.place[odd] = Place::Odd;
            self.place[even] = Place::Even;
            self.nearest[odd] = NONE;
            self.find_nearest(even);
            self.enqueue(even);
        }
        self.place[entry] = Place::Odd;
        self.parent[entry] = self.parent[blossom];
        for &inner in &around[way + 1..] {
            self.place[inner] = Place::Outside;
            self.find_nearest(inner);
        }
        self.top[blossom] = NONE;
    }

    /// Follows a tight edge from an even node. Returns whether one more pair came of it.
    fn follow(&mut self, edge: (usize, usize)) -> bool {
        let (u, v) = (self.top[edge.0], self.top[edge.1]);
        match self.place[v] {
            Place::Outside => {
                self.parent[v] = edge.0;
                self.place[v] = Place::Odd;
                let next = self.top[self.mate[v]];
                self.nearest[v] = NONE;
                self.nearest[next] = NONE;
                self.place[next] = Place::Even;
                self.enqueue(next);
                false
            }
            Place::Even => match self.meeting(u, v) {
                NONE => {
                    self.flip_to_root(u, v);
                    self.flip_to_root(v, u);
                    true
                }
                base => {
                    self.shrink(u, base, v);
                    false
                }
            },
            Place::Odd => false,
        }
    }

    /// Searches for one more pair. Returns whether there is one.
    fn augment_once(&mut self) -> bool {
        self.place.fill(Place::Outside);
        self.nearest.fill(NONE);
        self.queue.clear();
        self.tight = 0.0;
        for node in 1..=self.used {
            if self.is_top(node) && self.mate[node] == NONE {
                self.parent[node] = NONE;
                self.place[node] = Place::Even;
                self.enqueue(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        let mut lost = 0;
        loop {
            while let Some(u) = self.queue.pop_front() {
                if self.place_of(u) == Place::Odd {
                    continue;
                }
                for v in 1..=self.real {
                    let weight = self.weights[u * (self.real + 1) + v];
                    let top = self.top[v];
                    if weight <= 0.0 || self.top[u] == top {
                        continue;
                    }
                    let slack = self.labels[u] + self.labels[v] - weight * 2.0;
                    if slack <= self.tight {
                        if self.follow((u, v)) {
                            return true;
                        }
                    } else if top == v {
                        self.offer(u, v, slack);
                    } else if self.place[top] != Place::Odd {
                        // The edge to a blossom is the one of least slack.
                        let slack = self.slack(self.ends(u, top));
                        self.offer(u, top, slack);
                    }
                }
            }
            match self.step() {
                Step::Pair => return true,
                Step::End => return false,
                Step::On => lost = 0,
                // What the step should have made tight is not, by rounding: mostly a further, tiny step makes it so.
                Step::Nothing => lost += 1,
            }
            if lost > LOST {
                self.tight = self.highest * ROUNDING;
            }
        }
    }

    /// The largest change of the duals that no edge or blossom forbids.
    fn allowed(&self) -> f64 {
        let mut allowed = f64::INFINITY;
        for blossom in self.real + 1..=self.used {
            if self.is_top(blossom) && self.place[blossom] == Place::Odd {
                allowed = allowed.min(self.labels[blossom] / 2.0);
            }
        }
        for node in 1..=self.used {
            if self.is_top(node) && self.nearest[node] != NONE {
                let slack = self.least[node];
                match self.place[node] {
                    Place::Outside => allowed = allowed.min(slack),
                    Place::Even => allowed = allowed.min(slack / 2.0),
                    Place::Odd => {}
                }
            }
        }
        allowed
    }

    /// Changes the duals until an edge becomes tight, a blossom has none left, or no more pair is worth it.
    fn step(&mut self) -> Step {
        let allowed = self.allowed();
        let evens = (1..=self.real).filter(|&node| self.place_of(node) == Place::Even);
        let least = evens
            .map(|node| self.labels[node])
            .fold(f64::INFINITY, f64::min);
        let is_end = least <= allowed || crate::cycle::is_near(least, allowed, ENOUGH);
        let change = if is_end { least } else { allowed };
        for node in 1..=self.real {
            match self.place_of(node) {
                Place::Even => self.labels[node] -= change,
                Place::Odd => self.labels[node] += change,
                Place::Outside => {}
            }
        }
        for blossom in self.real + 1..=self.used {
            if self.is_top(blossom) {
                match self.place[blossom] {
                    Place::Even => self.labels[blossom] += change * 2.0,
                    Place::Odd => self.labels[blossom] -= change * 2.0,
                    Place::Outside => {}
                }
            }
        }
        if is_end {
            return Step::End;
        }
        for node in 1..=self.used {
            if self.is_top(node) && self.nearest[node] != NONE {
                self.least[node] = self.slack(self.ends(self.nearest[node], node));
            }
        }
        let mut came = Step::Nothing;
        for node in 1..=self.used {
            let nearest = self.nearest[node];
            let is_between = self.is_top(node) && nearest != NONE && self.top[nearest] != node;
            if is_between && self.least[node] <= self.tight {
                if self.follow(self.ends(nearest, node)) {
                    return Step::Pair;
                }
                came = Step::On;
            }
        }
        for blossom in self.real + 1..=self.used {
            let is_odd = self.is_top(blossom) && self.place[blossom] == Place::Odd;
            if is_odd && self.labels[blossom] <= self.tight {
                self.expand(blossom);
                came = Step::On;
            }
        }
        came
    }

    fn result(&self) -> Matching {
        let mates = (1..=self.real).map(|node| self.mate[node].checked_sub(1));
        let duals = (1..=self.real).map(|node| self.labels[node] / 2.0);
        let mut blossoms = Vec::new();
        for blossom in self.real + 1..=self.used {
            // Those that were expanded have no top; those within others keep theirs.
            if self.top[blossom] != NONE && self.labels[blossom] > 0.0 {
                let nodes = (1..=self.real).filter(|&node| self.within(blossom, node) != NONE);
                blossoms.push((
                    nodes.map(|node| node - 1).collect(),
                    self.labels[blossom] / 2.0,
                ));
            }
        }
        let is_empty = self.highest <= 0.0;
        Matching {
            mates: mates.collect(),
            duals: duals
                .map(|dual| if is_empty { 0.0 } else { dual })
                .collect(),
            blossoms,
        }
    }
}

/// What came of a change of the duals.
enum Step {
    /// One more pair.
    Pair,
    /// The search goes on.
    On,
    /// No edge became tight.
    Nothing,
    /// No more pair is worth it.
    End,
}

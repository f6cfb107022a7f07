//! When outages begin and end: those of a list, and those that are drawn as the run goes on. They
//! stand apart from other events, so that one more changes nothing before it begins.
//!
//! Drawn: after every return a node is up for a time by the Weibull distribution of the given mean
//! and shape (1: exponential, failures have no memory; below 1, many follow soon after a repair), and
//! then down for an exponential time. Each node draws from a stream of its own, made of the run's
//! seed, so that nothing else is drawn otherwise.

use super::setting::SimOptions;
use crate::Time;
use crate::draw::{Rng, unit};
use crate::order;
use rand_xoshiro::rand_core::SeedableRng;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use switchyard_model::outages::{OutageKind, Outages};
use xxhash_rust::xxh3::xxh3_64;

/// An outage that begins, or is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    pub(super) node: u32,
    pub(super) kind: OutageKind,
    pub(super) begins: bool,
    /// When it is over.
    pub(super) until: Time,
    /// Whether it stands in the list: of those there is an end.
    pub(super) is_listed: bool,
}

/// All outages to come.
#[derive(Default)]
pub(super) struct Timeline {
    /// Descending, the next one last; at one time a node fails before it returns, so that outages
    /// which follow upon one another are one.
    listed: Vec<(Time, Change)>,
    drawn: Option<Generator>,
    next: Time,
    /// How many have begun and will be over: of those listed, and by chance.
    begun: [u32; 2],
}

impl Timeline {
    /// On a cluster of so many nodes.
    pub(super) fn new(outages: &Outages, options: &SimOptions, nodes: u32) -> Self {
        let mut listed = Vec::with_capacity(2 * outages.len());
        for of in outages.iter().filter(|of| of.node < nodes) {
            for (at, begins) in [(of.from, true), (of.to, false)] {
                let change = Change {
                    node: of.node,
                    kind: of.kind,
                    begins,
                    until: of.to,
                    is_listed: true,
                };
                if at < Time::NEVER {
                    listed.push((at, change));
                }
            }
        }
        order::sort_by_key(&mut listed, |(at, of)| {
            Reverse((*at, !of.begins, of.node, of.kind, of.until))
        });
        let mut timeline = Self {
            listed,
            drawn: Generator::new(options, nodes),
            next: Time::NEVER,
            begun: [0; 2],
        };
        timeline.look_ahead();
        timeline
    }

    /// Whether nothing ever fails.
    pub(super) fn is_empty(&self) -> bool {
        self.next == Time::NEVER
    }

    pub(super) fn next_time(&self) -> Time {
        self.next
    }

    /// The next one at this moment.
    pub(super) fn pop_at(&mut self, now: Time) -> Option<Change> {
        if self.next != now {
            return None;
        }
        let change = match self.listed.pop_if(|(at, _)| *at == now) {
            Some((_, change)) => Some(change),
            None => self.drawn.as_mut().and_then(Generator::pop),
        };
        if let Some(change) = change {
            let begun = &mut self.begun[usize::from(!change.is_listed)];
            match change.begins {
                true => *begun += u32::from(change.until < Time::NEVER),
                false => *begun -= 1,
            }
        }
        self.look_ahead();
        change
    }

    /// The next one of the list.
    pub(super) fn next_listed(&self) -> Time {
        self.listed.last().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// Drains of the list that have not begun: node, begin and end, in order of time.
    pub(super) fn drains_to_come(&self) -> impl Iterator<Item = (u32, Time, Time)> {
        let listed = self.listed.iter().rev();
        let drains = listed.filter(|(_, of)| of.begins && of.kind == OutageKind::Drain);
        drains.map(|&(at, of)| (of.node, at, of.until))
    }

    /// Whether outages of the list have begun and will be over.
    pub(super) fn are_to_be_over(&self) -> bool {
        self.begun[0] > 0
    }

    /// Whether nodes are down by chance: they will be back, and fail again.
    pub(super) fn are_by_chance(&self) -> bool {
        self.begun[1] > 0
    }

    fn look_ahead(&mut self) {
        let listed = self.next_listed();
        let drawn = self
            .drawn
            .as_ref()
            .map_or(Time::NEVER, Generator::next_time);
        self.next = listed.min(drawn);
    }
}

/// Least seconds from a node's return to its next failure: time has to go on.
const LEAST_UP: f64 = 1.0;

const HOUR: f64 = 3600.0;

/// What fails by chance.
struct Generator {
    /// Scale of the Weibull distribution, seconds.
    scale: f64,
    /// One over its shape.
    exponent: f64,
    /// Mean seconds of a repair.
    repair: f64,
    streams: Vec<Rng>,
    /// When each node fails, or returns (`true`).
    next: BinaryHeap<Reverse<(Time, bool, u32)>>,
}

impl Generator {
    /// `None`: nothing fails by chance.
    fn new(options: &SimOptions, nodes: u32) -> Option<Self> {
        let mean = options.mtbf * HOUR;
        if mean.is_nan() || mean <= 0.0 {
            return None;
        }
        let exponent = 1.0 / options.failure_shape;
        let stream = |node: u32| {
            let mut key = *b"failures\0\0\0\0\0\0\0\0\0\0\0\0";
            key[8..16].copy_from_slice(&options.seed.to_le_bytes());
            key[16..].copy_from_slice(&node.to_le_bytes());
            Rng::seed_from_u64(xxh3_64(&key))
        };
        let mut generator = Self {
            scale: mean / libm::tgamma(1.0 + exponent),
            exponent,
            repair: options.mttr * HOUR,
            streams: (0..nodes).map(stream).collect(),
            next: BinaryHeap::new(),
        };
        for node in 0..nodes {
            generator.fail_after(Time::ZERO, node);
        }
        Some(generator)
    }

    fn next_time(&self) -> Time {
        self.next
            .peek()
            .map_or(Time::NEVER, |Reverse((time, ..))| *time)
    }

    fn pop(&mut self) -> Option<Change> {
        let Reverse((at, returns, node)) = self.next.pop()?;
        let mut until = at;
        if returns {
            self.fail_after(at, node);
        } else {
            until = at + self.repair * exponential(&mut self.streams[node as usize]);
            self.next.push(Reverse((until, true, node)));
        }
        Some(Change {
            node,
            kind: OutageKind::Failure,
            begins: !returns,
            until,
            is_listed: false,
        })
    }

    fn fail_after(&mut self, now: Time, node: u32) {
        let drawn = libm::pow(exponential(&mut self.streams[node as usize]), self.exponent);
        let up = self.scale * drawn;
        let at = now + if up > LEAST_UP { up } else { LEAST_UP };
        // Where numbers are so great that a second more is no later one, nothing fails any more.
        if at > now && at < Time::NEVER {
            self.next.push(Reverse((at, false, node)));
        }
    }
}

/// Of mean 1.
fn exponential(rng: &mut Rng) -> f64 {
    -libm::log1p(-unit(rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(mtbf: f64, failure_shape: f64) -> SimOptions {
        SimOptions {
            mtbf,
            mttr: 2.0,
            failure_shape,
            seed: 7,
            ..SimOptions::default()
        }
    }

    /// Seconds up and down of one node, the means of many.
    fn means(shape: f64) -> (f64, f64) {
        let mut timeline = Timeline::new(&Outages::default(), &options(50.0, shape), 1);
        let (mut up, mut down, mut since) = (0.0, 0.0, Time::ZERO);
        let turns = 20_000;
        for _ in 0..turns {
            for sum in [&mut up, &mut down] {
                let at = timeline.next_time();
                *sum += at - since;
                since = at;
                assert!(timeline.pop_at(at).is_some());
            }
        }
        (up / f64::from(turns), down / f64::from(turns))
    }

    #[test]
    fn means_are_as_asked_for_whatever_the_shape() {
        for shape in [0.7, 1.0, 2.0] {
            let (up, down) = means(shape);
            assert!((up / (50.0 * HOUR) - 1.0).abs() < 0.03, "{shape}: {up}");
            assert!((down / (2.0 * HOUR) - 1.0).abs() < 0.03, "{shape}: {down}");
        }
    }

    #[test]
    fn a_node_draws_the_same_however_many_others_there_are() {
        let first = |nodes: u32, of: u32| {
            let mut timeline = Timeline::new(&Outages::default(), &options(50.0, 1.0), nodes);
            loop {
                let at = timeline.next_time();
                let change = timeline.pop_at(at).expect("they go on");
                if change.node == of {
                    return (at, change.until);
                }
            }
        };
        assert_eq!(first(3, 1), first(300, 1));
        assert_ne!(first(3, 1), first(3, 2));
    }

    #[test]
    fn a_list_is_told_in_order_and_beginnings_before_ends() {
        let list: Outages = "1:10..20,1:20..30:drain,0:5..,9:0.."
            .parse()
            .expect("sound");
        let mut timeline = Timeline::new(&list, &SimOptions::default(), 2);
        let mut told = Vec::new();
        while !timeline.is_empty() {
            let at = timeline.next_time();
            let change = timeline.pop_at(at).expect("it is due");
            told.push((at.seconds(), change.node, change.begins));
        }
        let expected = [
            (5.0, 0, true),
            (10.0, 1, true),
            (20.0, 1, true),
            (20.0, 1, false),
            (30.0, 1, false),
        ];
        assert_eq!(told, expected);
    }
}

//! Which jobs share GPUs: Muri's groups at one event, as steps 1 to 4 of its simulator.
//!
//! In: the jobs that may run, first the one that comes first, and an empty cluster. Out: groups of up to four jobs with
//! gangs of the same size. Source: algorithm 1 and section 4 of Muri (SIGCOMM'22); ties and what is measured of sharing
//! (the slowdowns) are those of the authors' simulator (`multi_resource_blossom_same_sim_jobs`, `matching.py`).

use crate::cycle::{Ordering, ResourceTimes, SLOTS, period};
use crate::gangs::Fit;
use crate::matching::maximum_weight;
use std::collections::BTreeMap;

/// What profiling adds to each iteration, as a factor.
pub const PROFILING: f64 = 1.015;

/// How much longer a cycle of 1, 2, 3, 4 jobs takes than its phases say. Of one job profiling is counted already.
pub const SLOWDOWNS: [f64; SLOTS] = [1.0, 1.33 / PROFILING, 1.5 / PROFILING, 1.37 / PROFILING];

/// The same where groups are taken in the order of the jobs, without matching (`multi-resource-gpu-unaware`).
pub const SLOWDOWNS_IN_ORDER: [f64; SLOTS] =
    [1.0, 1.33 / PROFILING, 1.5 / PROFILING, 1.3 / PROFILING];

/// What jobs of one kind have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// What one iteration needs.
    pub times: ResourceTimes,
    /// How long one iteration takes alone, seconds.
    pub iteration_time: f64,
}

/// How groups are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How many jobs a group has at most, from 1 to 4.
    pub packing: usize,
    /// Which order of its jobs a group takes.
    pub ordering: Ordering,
    /// Whether pairs are matched by weight; else groups are the next jobs in their order.
    pub matching: bool,
    /// Whether a group in which jobs are slower than one after the other falls apart again (`autopack`).
    pub unpack: bool,
    /// How much longer a cycle of 1, 2, 3, 4 jobs takes than its phases say.
    pub slowdowns: [f64; SLOTS],
}

impl Default for Options {
    fn default() -> Self {
        Self {
            packing: SLOTS,
            ordering: Ordering::Best,
            matching: true,
            unpack: false,
            slowdowns: SLOWDOWNS,
        }
    }
}

/// A job that may run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The GPUs of its gang.
    pub gpus: u32,
    /// Only jobs of the same class share GPUs; one without a class has its GPUs to itself.
    pub class: Option<u32>,
    /// Its kind, by its place among the kinds; of one without a class it does not matter.
    pub kind: usize,
    /// By what jobs are sorted, least first.
    pub rank: f64,
}

/// Jobs that share the GPUs of one gang.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The GPUs of the gang.
    pub gpus: u32,
    /// The jobs, by their places among the candidates.
    pub jobs: Vec<usize>,
}

/// The candidates of one class with gangs of one size.
struct Size {
    gpus: u32,
    class: u32,
    jobs: Vec<usize>,
    /// How many of them are considered.
    marked: usize,
    /// How many gangs fit by themselves.
    gangs: usize,
}

/// How many GPUs the jobs need when each runs alone.
fn required(sizes: &[Size]) -> u64 {
    let needed = |size: &Size| u64::from(size.gpus) * size.jobs.len() as u64;
    sizes.iter().map(needed).sum()
}

/// Groups of one size and class, in the order in which they were made.
struct Made {
    gpus: u32,
    class: u32,
    groups: Vec<Vec<usize>>,
}

/// The last matching of a size in a round: the kinds of each group, and whom each is paired with.
type Remembered = (Vec<Vec<usize>>, Vec<Option<usize>>);

/// Makes groups, and remembers what it worked out.
pub struct Grouping {
    kinds: Vec<Kind>,
    options: Options,
    /// How long cycles of such kinds, in ascending order, last.
    periods: BTreeMap<(Ordering, Vec<usize>), f64>,
    /// By GPUs, class and round.
    matched: Vec<((u32, u32, usize), Remembered)>,
}

impl Grouping {
    /// For jobs of these kinds. A packing number beyond 1 to 4 counts as the nearest of them.
    pub fn new(kinds: Vec<Kind>, options: Options) -> Self {
        let packing = options.packing.clamp(1, SLOTS);
        Self {
            kinds,
            options: Options { packing, ..options },
            periods: BTreeMap::new(),
            matched: Vec::new(),
        }
    }

    /// How long an iteration of each job of a group takes, seconds, with the slowdown of sharing.
    pub fn iteration_time(&mut self, kinds: &[usize], ordering: Ordering) -> f64 {
        if let &[kind] = kinds {
            return self.kinds[kind].iteration_time;
        }
        let mut key = kinds.to_vec();
        key.sort_unstable();
        let slowdown = self.options.slowdowns[kinds.len().clamp(1, SLOTS) - 1];
        let kinds = &self.kinds;
        let found = self.periods.entry((ordering, key));
        *found.or_insert_with_key(|(ordering, key)| {
            let times: Vec<ResourceTimes> = key.iter().map(|&kind| kinds[kind].times).collect();
            period(&times, *ordering) * slowdown
        })
    }

    /// How much of the resources two groups would use together: 1 is all of the time.
    fn use_of(&mut self, a: &[usize], b: &[usize]) -> f64 {
        let together = [a, b].concat();
        let used = together.iter().map(|&kind| self.kinds[kind].times.sum());
        let used: f64 = used.fold(0.0, |sum, used| sum + used);
        used / (self.iteration_time(&together, self.options.ordering) * SLOTS as f64)
    }

    /// The groups that run, of jobs in their order. Together they fit the cluster of `room`, which is cleared first.
    pub fn groups(&mut self, jobs: &[Candidate], room: &mut impl Fit, gpus: u32) -> Vec<Group> {
        let (sizes, alone) = self.marked(jobs, room);
        let taken: u32 = alone.iter().map(|group| group.gpus).sum();
        let gpus = gpus.saturating_sub(taken);
        let made = match self.options.matching {
            true => self.matched(jobs, sizes, gpus),
            false => self.in_order(sizes, gpus),
        };
        let groups = made.into_iter().flat_map(|made| {
            let gpus = made.gpus;
            made.groups
                .into_iter()
                .map(move |jobs| Group { gpus, jobs })
        });
        let groups: Vec<Group> = groups.chain(alone).collect();
        match self.options.unpack {
            true => self.unpacked(jobs, groups, room),
            false => groups,
        }
    }

    /// Those considered: each gang that fits brings the next jobs of its size along.
    fn marked(&self, jobs: &[Candidate], room: &mut impl Fit) -> (Vec<Size>, Vec<Group>) {
        let mut sizes: Vec<Size> = Vec::new();
        let mut places = Vec::with_capacity(jobs.len());
        for (at, job) in jobs.iter().enumerate() {
            let Some(class) = job.class else {
                places.push(None);
                continue;
            };
            let is_of = |size: &Size| (size.gpus, size.class) == (job.gpus, class);
            let size = sizes.iter().position(is_of);
            let size = size.unwrap_or_else(|| {
                sizes.push(Size {
                    gpus: job.gpus,
                    class,
                    jobs: Vec::new(),
                    marked: 0,
                    gangs: 0,
                });
                sizes.len() - 1
            });
            places.push(Some((size, sizes[size].jobs.len())));
            sizes[size].jobs.push(at);
        }
        room.clear();
        let mut alone = Vec::new();
        for (at, (job, place)) in jobs.iter().zip(&places).enumerate() {
            match *place {
                Some((size, place)) => {
                    let size = &mut sizes[size];
                    if place >= size.marked && room.take(at, job.gpus) {
                        size.gangs += 1;
                        size.marked = (size.marked + self.options.packing).min(size.jobs.len());
                    }
                }
                None if room.take(at, job.gpus) => alone.push(Group {
                    gpus: job.gpus,
                    jobs: vec![at],
                }),
                None => {}
            }
        }
        for size in &mut sizes {
            size.jobs.truncate(size.marked);
        }
        (sizes, alone)
    }

    /// Rounds of matching within each size, until the groups need no more GPUs than there are.
    fn matched(&mut self, jobs: &[Candidate], sizes: Vec<Size>, gpus: u32) -> Vec<Made> {
        let mut required = required(&sizes);
        let gpus = u64::from(gpus);
        let alone = sizes.into_iter().map(|size| Made {
            gpus: size.gpus,
            class: size.class,
            groups: size.jobs.into_iter().map(|job| vec![job]).collect(),
        });
        let mut made: Vec<Made> = alone.collect();
        for round in 0..self.options.packing {
            for size in &mut made {
                let mates = self.mates(jobs, size, round);
                let mut groups = std::mem::take(&mut size.groups);
                for at in 0..groups.len() {
                    match mates[at] {
                        Some(mate) if mate > at => {}
                        Some(mate) => {
                            let mut first = std::mem::take(&mut groups[mate]);
                            let second = std::mem::take(&mut groups[at]);
                            if required > gpus {
                                first.extend(second);
                                size.groups.push(first);
                                required -= u64::from(size.gpus);
                            } else {
                                size.groups.extend([first, second]);
                            }
                        }
                        None => size.groups.push(std::mem::take(&mut groups[at])),
                    }
                }
            }
            if required <= gpus {
                break;
            }
        }
        made
    }

    /// Whom each group of a size is paired with.
    fn mates(&mut self, jobs: &[Candidate], size: &Made, round: usize) -> Vec<Option<usize>> {
        let kinds = |group: &Vec<usize>| group.iter().map(|&job| jobs[job].kind).collect();
        let kinds: Vec<Vec<usize>> = size.groups.iter().map(kinds).collect();
        let of = (size.gpus, size.class, round);
        let known = self.matched.iter().position(|(other, _)| *other == of);
        if let Some(at) = known
            && let (_, (before, mates)) = &self.matched[at]
            && *before == kinds
        {
            return mates.clone();
        }
        // Groups of the same kinds have the same weights.
        let mut distinct: Vec<&Vec<usize>> = kinds.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let count = distinct.len();
        let mut weights = Vec::with_capacity(count * count);
        for &a in &distinct {
            for &b in &distinct {
                weights.push(match a.len() + b.len() <= self.options.packing {
                    true => self.use_of(a, b),
                    false => 0.0,
                });
            }
        }
        let place = |of: &Vec<usize>| distinct.partition_point(|&other| other < of);
        let places: Vec<usize> = kinds.iter().map(place).collect();
        let found = maximum_weight(kinds.len(), |a, b| weights[places[a] * count + places[b]]);
        let remembered = (of, (kinds, found.mates.clone()));
        match known {
            Some(at) => self.matched[at] = remembered,
            None => self.matched.push(remembered),
        }
        found.mates
    }

    /// Groups of jobs that follow one another.
    fn in_order(&self, sizes: Vec<Size>, gpus: u32) -> Vec<Made> {
        let mut required = required(&sizes);
        let made = sizes.into_iter().map(|size| {
            let mut groups = Vec::new();
            for next in size.jobs.chunks(self.options.packing).take(size.gangs) {
                let mut group = Vec::new();
                for &job in next {
                    if group.is_empty() {
                        group.push(job);
                    } else if required > u64::from(gpus) {
                        group.push(job);
                        required -= u64::from(size.gpus);
                    } else {
                        groups.push(vec![job]);
                    }
                }
                groups.push(group);
            }
            Made {
                gpus: size.gpus,
                class: size.class,
                groups,
            }
        });
        made.collect()
    }

    /// Groups that gain nothing fall apart; of what is then there runs what fits, first what ranks first.
    fn unpacked(
        &mut self,
        jobs: &[Candidate],
        groups: Vec<Group>,
        room: &mut impl Fit,
    ) -> Vec<Group> {
        let mut ranked: Vec<(f64, Group)> = Vec::new();
        for group in groups {
            if let [job] = group.jobs[..] {
                ranked.push((jobs[job].rank, group));
                continue;
            }
            let kinds: Vec<usize> = group.jobs.iter().map(|&job| jobs[job].kind).collect();
            let alone = kinds.iter().map(|&kind| self.kinds[kind].iteration_time);
            let alone: f64 = alone.fold(0.0, |sum, time| sum + time);
            // The authors ask about the best order here whichever one is taken.
            if self.iteration_time(&kinds, Ordering::Best) / alone > 1.0 {
                let each = group.jobs.iter().map(|&job| {
                    let gpus = group.gpus;
                    (
                        jobs[job].rank,
                        Group {
                            gpus,
                            jobs: vec![job],
                        },
                    )
                });
                ranked.extend(each);
            } else {
                let ranks = group.jobs.iter().map(|&job| jobs[job].rank);
                ranked.push((ranks.fold(f64::INFINITY, f64::min), group));
            }
        }
        ranked.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        room.clear();
        let fit = ranked
            .into_iter()
            .filter(|(_, group)| room.take(group.jobs[0], group.gpus));
        fit.map(|(_, group)| group).collect()
    }
}

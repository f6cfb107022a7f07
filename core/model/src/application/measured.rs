//! Interpolation in what was measured of an application, as the simulator of Pollux (OSDI'21)
//! does it; `profile_tables` reads the tables.
//!
//! Step times: a placement is turned to its smallest rotation, for nodes have no order. If it was
//! measured, times are linear between the measured batches. Otherwise they are linear over the
//! Delaunay tetrahedra of (nodes, replicas, batch), on the means of the placements and the
//! scalability rows, with no more nodes than were measured. Beyond all measurements, where the
//! original stops, the throughput model answers, fitted to the same tables.
//!
//! Statistics: `grad_sqr` and `grad_var` are each linear between the two measured total batches
//! around the one asked for, at the same epoch. An epoch ends at the smallest `progress` that any
//! of the runs has at its end.

use super::StepTimes;
use super::delaunay::{Mesh, Point};
use super::fitted::ModelOn;
use crate::goodput::{FitError, GradientStats, Limits, Observation, ThroughputParams, fit};
use crate::order;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tables of one application.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    times: Times,
    /// By total batch, increasing.
    validations: Vec<Validation>,
    /// Where it was measured on types of GPUs apart.
    on: Vec<TimesOn>,
}

/// Step times.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Times {
    /// By placement, packed as [`rotation`] does, in order of batch.
    placements: BTreeMap<u64, Vec<Row>>,
    mesh: Option<Mesh>,
    /// Times at the mesh's points.
    at_points: Vec<StepTimes>,
    most_nodes: u32,
    observations: Vec<Observation>,
    /// For what lies beyond the measurements.
    model: ThroughputParams,
}

impl PartialEq for Times {
    fn eq(&self, other: &Self) -> bool {
        // All else follows from these.
        self.placements == other.placements && self.observations == other.observations
    }
}

/// Step times on a type of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TimesOn {
    /// The type's name in clusters.
    gpu: Box<str>,
    /// The most samples that one of them holds.
    max_local: u32,
    times: Times,
}

/// The times of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) m: u32,
    pub(super) times: StepTimes,
}

/// A placement and the times of one batch on it.
pub(super) struct PlacementRow {
    pub(super) nodes: Vec<u32>,
    pub(super) row: Row,
}

/// So many replicas on so many nodes, and the times of one batch on them.
pub(super) struct ScalabilityRow {
    pub(super) nodes: u32,
    pub(super) replicas: u32,
    pub(super) row: Row,
}

/// A run with this total batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Validation {
    pub(super) batch: u32,
    pub(super) epochs: Vec<Epoch>,
    /// Iterations until each epoch's end; empty where the table does not say.
    pub(super) iterations: Vec<f64>,
}

/// What was measured at an epoch's end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Epoch {
    pub(super) progress: f64,
    pub(super) stats: GradientStats,
}

/// What was measured of one application.
#[derive(Default)]
pub(super) struct Measurements {
    pub(super) steps: Steps,
    /// By the name that a type of GPUs has in clusters.
    pub(super) on: BTreeMap<String, Steps>,
    /// In order of batch once all are read.
    pub(super) validations: Vec<Validation>,
}

/// Step times as measured.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) placements: Vec<PlacementRow>,
    pub(super) scalability: Vec<ScalabilityRow>,
}

impl Measurements {
    /// Them made ready to be interpolated in. A type without placements was not measured.
    pub(super) fn measured(self, limits: &Limits) -> Result<Measured, FitError> {
        let on = self.on.into_iter().filter_map(|(gpu, steps)| {
            let largest = steps.placements.iter().map(|of| of.row.m).max()?;
            let max_local = largest.max(limits.max_local);
            let times = steps.times(&Limits {
                max_local,
                ..*limits
            });
            Some(times.map(|times| TimesOn {
                gpu: gpu.into(),
                max_local,
                times,
            }))
        });
        Ok(Measured {
            times: self.steps.times(limits)?,
            on: on.collect::<Result<_, _>>()?,
            validations: self.validations,
        })
    }
}

impl Steps {
    fn times(self, limits: &Limits) -> Result<Times, FitError> {
        let mut placements: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        // Sums over the placements that have nodes, replicas and batch in common.
        let mut means: BTreeMap<Point, (StepTimes, f64)> = BTreeMap::new();
        let mut observations = Vec::new();
        let mut most_nodes = 1;
        let mut observe = |nodes: u32, replicas: u32, row: &Row| {
            most_nodes = most_nodes.max(nodes);
            if (limits.min_local..=limits.max_local).contains(&row.m) {
                observations.push(Observation {
                    nodes,
                    replicas,
                    m: row.m,
                    step: row.times.step,
                    sync: row.times.sync,
                });
            }
            [nodes, replicas, row.m].map(i64::from)
        };
        for PlacementRow { nodes, row } in &self.placements {
            let replicas = nodes.iter().sum();
            let point = observe(nodes.len() as u32, replicas, row);
            let none = StepTimes {
                step: 0.0,
                sync: 0.0,
            };
            let (sum, count) = means.entry(point).or_insert((none, 0.0));
            sum.step += row.times.step;
            sum.sync += row.times.sync;
            *count += 1.0;
            // Digits fit in four bits, and there are at most 16.
            if let Some(key) = rotation(nodes) {
                placements.entry(key).or_default().push(*row);
            }
        }
        for rows in placements.values_mut() {
            order::sort_by_key(rows, |row| row.m);
            rows.dedup_by_key(|row| row.m);
        }
        let mut points: Vec<Point> = Vec::new();
        let mut at_points: Vec<StepTimes> = Vec::new();
        for (point, (sum, count)) in &means {
            points.push(*point);
            at_points.push(StepTimes {
                step: sum.step / count,
                sync: sum.sync / count,
            });
        }
        for ScalabilityRow {
            nodes,
            replicas,
            row,
        } in &self.scalability
        {
            let point = observe(*nodes, *replicas, row);
            if means.insert(point, (row.times, 1.0)).is_none() {
                points.push(point);
                at_points.push(row.times);
            }
        }
        let model = fit(&observations)?.params;
        Ok(Times {
            placements,
            mesh: Mesh::new(points),
            at_points,
            most_nodes,
            observations,
            model,
        })
    }
}

impl Times {
    fn at(&self, placement: &[u32], m: u32) -> StepTimes {
        let nodes = placement.iter().filter(|&&gpus| gpus > 0).count() as u32;
        let replicas: u32 = placement.iter().sum();
        let measured = rotation(placement).and_then(|key| self.placements.get(&key));
        measured
            .and_then(|rows| between(rows, m))
            .or_else(|| self.meshed(nodes.min(self.most_nodes), replicas, m))
            .unwrap_or_else(|| {
                let step = self.model.step_time(nodes, replicas, m);
                StepTimes {
                    step,
                    sync: step - self.model.grad_time(m),
                }
            })
    }

    fn meshed(&self, nodes: u32, replicas: u32, m: u32) -> Option<StepTimes> {
        let around = self
            .mesh
            .as_ref()?
            .locate([nodes, replicas, m].map(i64::from))?;
        let mut mean = StepTimes {
            step: 0.0,
            sync: 0.0,
        };
        for (vertex, weight) in around {
            let times = self.at_points.get(vertex)?;
            mean.step += weight * times.step;
            mean.sync += weight * times.sync;
        }
        Some(mean)
    }
}

impl Measured {
    /// Every measured step time within the limits: what throughput models are fitted to.
    pub fn observations(&self) -> &[Observation] {
        &self.times.observations
    }

    /// The throughput model fitted to them.
    pub fn model(&self) -> &ThroughputParams {
        &self.times.model
    }

    /// The total batches at which statistics were measured, increasing.
    pub fn batches(&self) -> impl Iterator<Item = u32> {
        self.validations.iter().map(|v| v.batch)
    }

    /// The throughput models fitted to what was measured on types apart.
    pub(super) fn models_on(&self) -> impl Iterator<Item = ModelOn> {
        self.on.iter().map(|of| ModelOn {
            gpu: of.gpu.clone(),
            max_local: of.max_local,
            params: of.times.model,
        })
    }

    /// See [`Application::on`].
    pub(super) fn on(&self, gpu: &str) -> Option<(Self, u32)> {
        let on = self.on.iter().find(|of| *of.gpu == *gpu)?;
        let there = Self {
            times: on.times.clone(),
            validations: self.validations.clone(),
            on: Vec::new(),
        };
        Some((there, on.max_local))
    }

    /// See [`Application::step_times`].
    pub(super) fn step_times(&self, placement: &[u32], m: u32) -> StepTimes {
        self.times.at(placement, m)
    }

    /// See [`Application::iterations`].
    pub(super) fn iterations(&self, batch: u32, epochs: u32) -> Option<f64> {
        let row = (epochs as usize).checked_sub(1)?;
        let above = self.validations.partition_point(|v| v.batch < batch);
        let upper = self.validations.get(above)?;
        let high = *upper.iterations.get(row)?;
        if upper.batch == batch {
            return Some(high);
        }
        let lower = self.validations.get(above.checked_sub(1)?)?;
        let low = *lower.iterations.get(row)?;
        let share = f64::from(batch - lower.batch) / f64::from(upper.batch - lower.batch);
        Some(low + (high - low) * share)
    }

    /// See [`Application::stats`].
    pub(super) fn stats(&self, batch: f64, epoch: u32) -> GradientStats {
        let at = |v: &Validation| v.epochs.get(epoch as usize).map(|e| e.stats);
        let above = self
            .validations
            .partition_point(|v| f64::from(v.batch) < batch);
        let last = self.validations.len().saturating_sub(1);
        let upper = self.validations.get(above.min(last));
        let exact = upper.is_some_and(|v| f64::from(v.batch) <= batch);
        let lower = if exact {
            upper
        } else {
            self.validations.get(above.saturating_sub(1))
        };
        let nothing = GradientStats { sqr: 0.0, var: 0.0 };
        let (Some(lower), Some(upper)) = (lower, upper) else {
            return nothing;
        };
        let (Some(low), Some(high)) = (at(lower), at(upper)) else {
            return nothing;
        };
        let (from, to) = (f64::from(lower.batch), f64::from(upper.batch));
        if from >= to {
            return high;
        }
        let mix = |low: f64, high: f64| ((batch - from) * high + (to - batch) * low) / (to - from);
        GradientStats {
            sqr: mix(low.sqr, high.sqr),
            var: mix(low.var, high.var),
        }
    }
}

/// Linear between the measured batches; `None` outside them.
fn between(rows: &[Row], m: u32) -> Option<StepTimes> {
    let above = rows.partition_point(|row| row.m < m);
    let upper = rows.get(above)?;
    if upper.m == m {
        return Some(upper.times);
    }
    let lower = rows.get(above.checked_sub(1)?)?;
    let share = f64::from(m - lower.m) / f64::from(upper.m - lower.m);
    let mix = |low: f64, high: f64| low + (high - low) * share;
    Some(StepTimes {
        step: mix(lower.times.step, upper.times.step),
        sync: mix(lower.times.sync, upper.times.sync),
    })
}

/// The smallest rotation of a placement, four bits per node; `None` with more than 16 nodes or
/// more than 15 GPUs on one.
fn rotation(placement: &[u32]) -> Option<u64> {
    let mut packed: u64 = 0;
    let mut bits = 0;
    for &gpus in placement.iter().filter(|&&gpus| gpus > 0) {
        if gpus > 15 || bits == 64 {
            return None;
        }
        packed = packed << 4 | u64::from(gpus);
        bits += 4;
    }
    let mask = u64::MAX.checked_shr(64 - bits)?;
    let mut least = packed;
    let mut turned = packed;
    for _ in 4..=bits {
        turned = (turned << 4 | turned >> (bits - 4)) & mask;
        if turned < least {
            least = turned;
        }
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::profile_tables::tests::toy;
    use super::*;
    use crate::goodput::LocalBatch;

    #[test]
    fn step_times_by_hand() {
        let toy = toy();
        let step = |placement: &[u32], m| {
            let times = toy.step_times(placement, m);
            (times.step, times.sync)
        };
        assert_eq!(step(&[1], 20), (2.0, 0.0));
        // Half way from 20 to 40.
        assert_eq!(step(&[0, 1], 30), (4.0, 0.0));
        // 2+1 is 1+2.
        assert_eq!(step(&[2, 1], 10), (2.0, 0.8));
        assert_eq!(step(&[1, 0, 2], 25), (5.0, 1.0));
        // (5, 7) lies half way between (5, 5) and (5, 9); more than five nodes count as five.
        assert_eq!(step(&[3, 1, 1, 1, 1], 10), (6.0, 4.0));
        assert_eq!(step(&[1, 1, 1, 1, 1, 2], 40), (10.0, 4.0));
        // Beyond the hull the model answers.
        let Profile::Measured(measured) = toy.profile() else {
            panic!("read from tables");
        };
        let model = measured.model().step_time(2, 40, 10);
        assert_eq!(step(&[20, 20], 10).0, model);
    }

    #[test]
    fn statistics_by_hand() {
        let toy = toy();
        let stats = |batch, epoch| {
            let stats = toy.stats(batch, epoch);
            (stats.sqr, stats.var)
        };
        assert_eq!(stats(20.0, 0), (1.0, 2.0));
        assert_eq!(stats(80.0, 1), (1.0, 8.0));
        // A third of the way from 20 to 80: each is linear by itself.
        assert_eq!(stats(40.0, 0), (100.0 / 60.0, 200.0 / 60.0));
        assert_eq!(toy.stats(20.0, 1).noise_scale(20), f64::INFINITY);
        // Level beyond the measured batches, and after the last epoch.
        assert_eq!(stats(10.0, 0), (1.0, 2.0));
        assert_eq!(stats(160.0, 9), (1.0, 8.0));
        // Speed: batch 40 on one GPU is two passes of 20 s... here 2 s each. Gain of scale 2:
        // (10/3 + 5/3)/(5/3 + 5/3) = 1.5.
        assert!((toy.speed(&[1], LocalBatch::new(20, 1), 0) - 1.5 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_rotation_is_the_smallest() {
        assert_eq!(rotation(&[2, 1, 4]), Some(0x142));
        assert_eq!(rotation(&[4, 0, 2, 1]), Some(0x142));
        assert_eq!(rotation(&[15; 16]), Some(u64::MAX));
        assert_eq!(rotation(&[1; 17]), None);
        assert_eq!(rotation(&[16]), None);
        assert_eq!(rotation(&[]), None);
    }
}

//! What was measured of an application on one type of GPU. In: the texts of `placements-TYPE.csv`,
//! `scalability-TYPE.csv` and `validation-BATCH.csv`. Out: step times of any placement, gradient statistics, limits.
//!
//! The engine's [`Application`] interpolates. A placement is turned to its least rotation. If it was measured, times
//! are linear between its batches. Otherwise they are linear over the Delaunay tetrahedra of (nodes, replicas,
//! batch), of the placements' means and the scalability rows. The original does the same by SciPy; where several
//! tetrahedralisations are possible, which is so on a grid, its Qhull may choose another one. Here is what the
//! engine's type does not say: limits, which differ between types, and the most samples that a GPU holds.

use std::collections::BTreeMap;
use switchyard_model::application::{Application, ProfileError, ProfileTable, StepTimes, each_row};
use switchyard_model::goodput::Limits;
use thiserror::Error;

/// A table that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedText {
    /// Its name for messages.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// The tables of an application on a type.
#[derive(Clone, Debug)]
pub struct Tables<'t> {
    /// `placements-TYPE.csv`.
    pub placements: &'t NamedText,
    /// `scalability-TYPE.csv`.
    pub scalability: &'t NamedText,
    /// `validation-BATCH.csv`, each with its total batch.
    pub validations: &'t [(u32, NamedText)],
}

/// Why tables are no profile.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProfilesError {
    /// The tables cannot be read, or are no application.
    #[error(transparent)]
    Application(#[from] ProfileError),
    /// There is no step time of one GPU.
    #[error("{0} has no row of placement 1: what one GPU does is what types are compared by")]
    OneGpu(String),
}

/// An application on one type of GPU.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its epochs, statistics and times.
    application: Application,
    /// Its batches on this type.
    pub limits: Limits,
    /// Samples per second of one GPU: the largest measured batch ÷ the longest step.
    pub one_gpu: f64,
    /// The most samples per GPU that were measured, by placement.
    by_placement: BTreeMap<Vec<u32>, u32>,
    /// The same by the number of replicas.
    by_replicas: BTreeMap<u32, u32>,
    /// Nodes, replicas and samples of the scalability rows.
    scalability: Vec<[u32; 3]>,
}

impl Profile {
    /// The profile of the application `name`.
    ///
    /// # Errors
    ///
    /// A [`ProfilesError`] that names file, line and column.
    pub fn read(name: &str, tables: &Tables<'_>) -> Result<Self, ProfilesError> {
        let table = |of: &NamedText, as_name: String| ProfileTable {
            file: of.file.clone(),
            path: format!("{name}/{as_name}"),
            text: of.text.clone(),
        };
        let mut all = vec![
            table(tables.placements, "placements.csv".to_owned()),
            table(tables.scalability, "scalability.csv".to_owned()),
        ];
        for (batch, text) in tables.validations {
            all.push(table(text, format!("validation-{batch}.csv")));
        }
        let application = Application::of_tables(&all)?.pop();
        let application = application.ok_or(ProfileError::NoProfile)?;

        let mut by_placement: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let mut by_replicas: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut largest, mut longest) = (0, 0.0);
        let (mut least, mut most) = (u32::MAX, 0);
        let NamedText { file, text } = tables.placements;
        let columns = ["placement", "local_bsz", "step_time"];
        each_row(file, text, columns, |row| {
            let nodes: Option<Vec<u32>> = row.cell(0).chars().map(|c| c.to_digit(10)).collect();
            let nodes = nodes.filter(|nodes| !nodes.is_empty());
            let nodes =
                nodes.ok_or_else(|| row.refuse(0, columns[0], "one digit for each node"))?;
            let (samples, step) = (row.count(1, columns[1])?, row.positive(2, columns[2])?);
            if nodes == [1] {
                largest = largest.max(samples);
                longest = if step > longest { step } else { longest };
            }
            least = least.min(samples);
            most = most.max(samples);
            let of = by_replicas.entry(nodes.iter().sum()).or_default();
            *of = samples.max(*of);
            let of = by_placement.entry(least_rotation(&nodes)).or_default();
            *of = samples.max(*of);
            Ok(())
        })?;
        if longest <= 0.0 {
            return Err(ProfilesError::OneGpu(file.clone()));
        }
        let mut scalability = Vec::new();
        let NamedText { file, text } = tables.scalability;
        let columns = ["num_nodes", "num_replicas", "local_bsz"];
        each_row(file, text, columns, |row| {
            scalability.push([
                row.count(0, columns[0])?,
                row.count(1, columns[1])?,
                row.count(2, columns[2])?,
            ]);
            Ok(())
        })?;
        let limits = Limits {
            min_local: least,
            max_local: most,
            ..application.limits
        };
        Ok(Self {
            limits,
            one_gpu: f64::from(largest) / longest,
            application,
            by_placement,
            by_replicas,
            scalability,
        })
    }

    /// Its epochs and gradient statistics.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// Seconds of a pass of `m` samples per GPU on a placement.
    pub fn step_times(&self, placement: &[u32], m: u32) -> StepTimes {
        self.application.step_times(placement, m)
    }

    /// The most samples per GPU on a placement: as measured on it; else of the scalability rows with as many
    /// nodes and replicas at least; where there is none, the most of all.
    pub fn most_samples(&self, placement: &[u32]) -> u32 {
        if let Some(&most) = self.by_placement.get(&least_rotation(placement)) {
            return most;
        }
        let (nodes, replicas) = (placement.len() as u32, placement.iter().sum::<u32>());
        let as_large = self
            .scalability
            .iter()
            .filter(|row| row[0] >= nodes && row[1] >= replicas);
        as_large
            .map(|row| row[2])
            .max()
            .unwrap_or(self.limits.max_local)
    }

    /// The most samples per GPU measured with so many replicas on whatever placement, if there are measurements.
    pub fn most_samples_of(&self, replicas: u32) -> Option<u32> {
        self.by_replicas.get(&replicas).copied()
    }
}

/// The lexicographically least rotation of a placement.
fn least_rotation(placement: &[u32]) -> Vec<u32> {
    let mut turned = placement.to_vec();
    let mut least = turned.clone();
    for _ in 1..placement.len() {
        turned.rotate_left(1);
        if turned < least {
            least.clone_from(&turned);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toy(speed: f64) -> Profile {
        let named = |file: &str, text: String| NamedText {
            file: file.to_owned(),
            text,
        };
        let mut placements = String::from("local_bsz,step_time,sync_time,placement\n");
        for (placement, sync) in [
            ("1", 0.0),
            ("2", 0.1),
            ("4", 0.2),
            ("8", 0.3),
            ("12", 0.5),
            ("44", 0.8),
        ] {
            for m in [10_u32, 20, 40] {
                let step = f64::from(m) / 10.0 / speed + sync;
                placements += &format!("{m},{step},{sync},{placement}\n");
            }
        }
        let mut scalability =
            String::from("num_nodes,num_replicas,local_bsz,step_time,sync_time\n");
        for m in [10_u32, 20] {
            let step = f64::from(m) / 10.0 / speed + 1.0;
            scalability += &format!("16,64,{m},{step},1.0\n");
        }
        let header = "epoch,iteration,metric,progress,grad_sqr,grad_var\n";
        let validation = |batch: u32| {
            let text = format!("{header}0,100,0,200,1,9\n1,200,0,400,1,99\n");
            (batch, named("validation.csv", text))
        };
        let tables = Tables {
            placements: &named("placements-a.csv", placements),
            scalability: &named("scalability-a.csv", scalability),
            validations: &[validation(20), validation(640)],
        };
        Profile::read("toy", &tables).expect("sound")
    }

    #[test]
    fn limits_are_those_of_the_type() {
        let toy = toy(1.0);
        let limits = toy.limits;
        assert_eq!((limits.m0, limits.max_batch), (20, 640));
        assert_eq!((limits.min_local, limits.max_local), (10, 40));
        assert_eq!(toy.one_gpu, 10.0);
        assert_eq!(toy.application().epochs(), 2);
    }

    #[test]
    fn the_most_samples_of_placements() {
        let toy = toy(1.0);
        assert_eq!(toy.most_samples(&[2, 1]), 40);
        // Not measured: of the rows with as many nodes and replicas.
        assert_eq!(toy.most_samples(&[4, 4, 4]), 20);
        assert_eq!(toy.most_samples(&[64, 64]), 40);
        assert_eq!(
            (toy.most_samples_of(3), toy.most_samples_of(5)),
            (Some(40), None)
        );
    }

    #[test]
    fn times_are_linear_between_batches() {
        let times = toy(2.0).step_times(&[2], 30);
        assert!((times.step - 1.6).abs() < 1e-12 && (times.sync - 0.1).abs() < 1e-12);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let named = |text: &str| NamedText {
            file: "placements-a.csv".to_owned(),
            text: text.to_owned(),
        };
        let read = |text: &str| {
            let tables = Tables {
                placements: &named(text),
                scalability: &named(
                    "num_nodes,num_replicas,local_bsz,step_time,sync_time\n1,1,1,1,0\n",
                ),
                validations: &[(20, named("progress,grad_sqr,grad_var\n1,1,1\n"))],
            };
            Profile::read("a", &tables)
                .expect_err("refused")
                .to_string()
        };
        assert!(read("placement,local_bsz,step_time,sync_time\n1,x,1,0\n").contains("line 2"));
        assert_eq!(
            read("placement,local_bsz,step_time,sync_time\n2,20,1,0\n"),
            "placements-a.csv has no row of placement 1: what one GPU does is what types are compared by"
        );
    }
}

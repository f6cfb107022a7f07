//! Profiles as measured tables: the folder that the artifact of Pollux (OSDI'21) has for each
//! application, <https://github.com/petuum/adaptdl>, branch `osdi21-artifact`, `simulator/traces`.
//! They lie beside workloads of adaptive jobs, are told by their names and held as a whole; here
//! they are read.
//!
//! - `placements.csv`: `placement,local_bsz,step_time,sync_time`; placement `134` is 1, 3 and 4
//!   GPUs on three nodes.
//! - `scalability.csv`: `num_nodes,num_replicas,local_bsz,step_time,sync_time`.
//! - `validation-M.csv`: `progress,iteration,metric,grad_sqr,grad_var` at total batch M, a row per
//!   epoch; `iteration` and `metric` may be left out.
//! - `placements-TYPE.csv` and `scalability-TYPE.csv`: the same as the first two, measured on GPUs of a type, as the
//!   artifact of Sia (SOSP'23) has them, `sia-simulator/traces`. TYPE is a known type, or what that artifact calls its nodes.

use super::delaunay::MAX_COORDINATE;
use super::measured::{Epoch, Measurements, PlacementRow, Row, ScalabilityRow, Steps, Validation};
use super::{Application, Known, Profile, StepTimes, embedded};
use crate::cluster::{GpuModel, type_name};
use crate::goodput::{FitError, GradientStats, LearningRateRule, Limits, LimitsError};
use crate::order;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use switchyard_rows::Table;
use thiserror::Error;

/// A table of an application's profile, unread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileTable {
    /// Its name for messages.
    pub file: String,
    /// Its path; the folder is the application's name.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// What a profile's table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableName {
    /// Step times by placement, on a type of GPUs where one is named.
    Placements(Option<&'static str>),
    /// Step times by nodes and replicas, likewise.
    Scalability(Option<&'static str>),
    /// Statistics of training with this total batch.
    Validation(u32),
}

impl TableName {
    /// By the name of the file at a path.
    pub fn of(path: &str) -> Option<Self> {
        let name = path
            .rsplit('/')
            .next()
            .unwrap_or(path)
            .strip_suffix(".csv")?;
        match name.split_once('-') {
            None if name == "placements" => Some(Self::Placements(None)),
            None if name == "scalability" => Some(Self::Scalability(None)),
            Some(("placements", on)) => gpu_of(on).map(|gpu| Self::Placements(Some(gpu))),
            Some(("scalability", on)) => gpu_of(on).map(|gpu| Self::Scalability(Some(gpu))),
            Some(("validation", batch)) => batch.parse().ok().map(Self::Validation),
            _ => None,
        }
    }
}

/// The type of GPUs that a table is named after. Sia's artifact has its A100 twice; `dgx-ext` is the one with
/// all batches that fit.
fn gpu_of(name: &str) -> Option<&'static str> {
    let known = match name {
        "dgx-ext" => "a100".to_owned(),
        name => type_name(name).ok()?,
    };
    GpuModel::named(&known).map(|known| known.name)
}

/// Why files are no profile.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProfileError {
    /// No file is part of a profile.
    #[error(
        "there is no profile: open a folder or zip with placements.csv, scalability.csv and validation-M.csv for each application"
    )]
    NoProfile,
    /// A table is missing.
    #[error("{application} has no {table}: a profile needs placements.csv and validation-M.csv")]
    Missing {
        /// The application.
        application: String,
        /// The table's file name.
        table: &'static str,
    },
    /// A table without a column it needs.
    #[error("{file} has no column {column}: its header must name {needed}")]
    Column {
        /// The file.
        file: String,
        /// The column that is not there.
        column: &'static str,
        /// All that must be.
        needed: String,
    },
    /// A value that cannot be.
    #[error("{file}, line {line}: {column} is '{cell}', but must be {expected}")]
    Value {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The column.
        column: &'static str,
        /// What stands there.
        cell: String,
        /// What should.
        expected: &'static str,
    },
    /// The epochs of two validation files have no order in common.
    #[error("{application}: epoch {epoch} does not end after the one before it")]
    Epochs {
        /// The application.
        application: String,
        /// The epoch, from 1.
        epoch: usize,
    },
    /// The batch sizes found contradict one another.
    #[error("{application}: {error}")]
    Limits {
        /// The application.
        application: String,
        /// The contradiction.
        error: LimitsError,
    },
    /// No throughput model fits.
    #[error("{application}: {error}")]
    Fit {
        /// The application.
        application: String,
        /// Why not.
        error: FitError,
    },
}

impl Application {
    /// The applications of these tables, a folder each, which it is named after.
    ///
    /// # Errors
    ///
    /// A [`ProfileError`] that names file, line and column; without tables
    /// [`ProfileError::NoProfile`].
    pub fn of_tables(tables: &[ProfileTable]) -> Result<Vec<Self>, ProfileError> {
        let mut folders: BTreeMap<&str, Vec<(TableName, &ProfileTable)>> = BTreeMap::new();
        for table in tables {
            let Some(name) = TableName::of(&table.path) else {
                continue;
            };
            let mut folders_of = table.path.rsplit(['/', '\\']).skip(1);
            let application = folders_of.next().filter(|name| !name.is_empty());
            let of = folders.entry(application.unwrap_or("application"));
            of.or_default().push((name, table));
        }
        // What was measured on types alone has no times for clusters without types.
        folders.retain(|_, tables| {
            let names = || tables.iter().map(|(name, _)| name);
            let is_on_all = |name: &TableName| matches!(name, TableName::Placements(None));
            let is_on_one = |name: &TableName| matches!(name, TableName::Placements(Some(_)));
            names().any(is_on_all) || !names().any(is_on_one)
        });
        if folders.is_empty() {
            return Err(ProfileError::NoProfile);
        }
        folders
            .into_iter()
            .map(|(application, tables)| {
                let mut measurements = Measurements::default();
                for (name, ProfileTable { file, text, .. }) in tables {
                    measurements.read(name, file, text)?;
                }
                measurements.application(application.to_owned())
            })
            .collect()
    }
}

impl Measurements {
    fn steps_on(&mut self, gpu: Option<&str>) -> &mut Steps {
        match gpu {
            Some(gpu) => self.on.entry(gpu.to_owned()).or_default(),
            None => &mut self.steps,
        }
    }

    fn read(&mut self, table: TableName, file: &str, text: &str) -> Result<(), ProfileError> {
        match table {
            TableName::Placements(gpu) => {
                let steps = self.steps_on(gpu);
                let columns = ["placement", "local_bsz", "step_time", "sync_time"];
                each_row(file, text, columns, |row| {
                    let [_, m, step, sync] = columns;
                    let digits = row.cell(0);
                    let nodes: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(10)).collect();
                    let nodes = nodes.filter(|nodes| {
                        (1..=16).contains(&nodes.len()) && nodes.iter().all(|&gpus| gpus > 0)
                    });
                    let expected = "one digit from 1 to 9 per node, at most 16";
                    let nodes = nodes.ok_or_else(|| row.refuse(0, "placement", expected))?;
                    let row = Row {
                        m: row.count(1, m)?,
                        times: row.times(2, step, sync)?,
                    };
                    steps.placements.push(PlacementRow { nodes, row });
                    Ok(())
                })
            }
            TableName::Scalability(gpu) => {
                let steps = self.steps_on(gpu);
                let columns = [
                    "num_nodes",
                    "num_replicas",
                    "local_bsz",
                    "step_time",
                    "sync_time",
                ];
                each_row(file, text, columns, |row| {
                    let [nodes, replicas, m, step, sync] = columns;
                    let (nodes, count) = (row.count(0, nodes)?, row.count(1, replicas)?);
                    if count < nodes {
                        return Err(row.refuse(1, replicas, "at least num_nodes"));
                    }
                    steps.scalability.push(ScalabilityRow {
                        nodes,
                        replicas: count,
                        row: Row {
                            m: row.count(2, m)?,
                            times: row.times(3, step, sync)?,
                        },
                    });
                    Ok(())
                })
            }
            TableName::Validation(batch) => {
                let columns = ["progress", "grad_sqr", "grad_var"];
                let mut epochs = Vec::new();
                each_row(file, text, columns, |row| {
                    let [progress, sqr, var] = columns;
                    epochs.push(Epoch {
                        progress: row.positive(0, progress)?,
                        stats: GradientStats {
                            sqr: row.at_least_zero(1, sqr)?,
                            var: row.at_least_zero(2, var)?,
                        },
                    });
                    Ok(())
                })?;
                let mut iterations = Vec::with_capacity(epochs.len());
                let counted = each_row(file, text, ["iteration"], |row| {
                    iterations.push(row.at_least_zero(0, "iteration")?);
                    Ok(())
                });
                if counted.is_err() {
                    iterations.clear();
                }
                if batch > 0 && !epochs.is_empty() {
                    self.validations.push(Validation {
                        batch,
                        epochs,
                        iterations,
                    });
                }
                Ok(())
            }
        }
    }

    fn application(mut self, name: String) -> Result<Application, ProfileError> {
        let missing = |table| ProfileError::Missing {
            application: name.clone(),
            table,
        };
        order::sort_by_key(&mut self.validations, |v| v.batch);
        self.validations.dedup_by_key(|v| v.batch);
        let batches = self.validations.iter().map(|v| v.batch);
        let local = self.steps.placements.iter().map(|p| p.row.m);
        let (Some(m0), Some(max_batch)) = (batches.clone().min(), batches.max()) else {
            return Err(missing("validation-M.csv"));
        };
        let (Some(min_local), Some(max_local)) = (local.clone().min(), local.max()) else {
            return Err(missing("placements.csv"));
        };
        let rows = self.validations.iter().map(|v| v.epochs.len());
        let rows = rows.min().unwrap_or(0);
        let known = embedded::known(&name).unwrap_or_else(|| Known {
            limits: Limits {
                m0,
                max_batch,
                min_local,
                max_local,
            },
            rule: LearningRateRule::default(),
            epochs: rows as u32,
            tuned: Vec::new(),
        });
        // Limits beyond what was measured would ask for statistics that are not there.
        let limits = Limits {
            m0: known.limits.m0.max(m0),
            max_batch: known.limits.max_batch.min(max_batch),
            ..known.limits
        };
        let limits = limits.check().map_err(|error| ProfileError::Limits {
            application: name.clone(),
            error,
        })?;
        let epochs = rows.min(known.epochs as usize);
        let mut boundaries: Vec<f64> = Vec::with_capacity(epochs);
        for epoch in 0..epochs {
            let ends = self.validations.iter();
            let ends = ends.filter_map(|v| v.epochs.get(epoch).map(|e| e.progress));
            let end = ends.fold(f64::INFINITY, f64::min);
            if boundaries.last().is_some_and(|&before| end <= before) {
                return Err(ProfileError::Epochs {
                    application: name,
                    epoch: epoch + 1,
                });
            }
            boundaries.push(end);
        }
        let total = boundaries.last().copied().unwrap_or(0.0);
        let samples_per_epoch = total * f64::from(limits.m0) / epochs.max(1) as f64;
        let measured = self.measured(&limits).map_err(|error| ProfileError::Fit {
            application: name.clone(),
            error,
        })?;
        Ok(Application {
            name: name.into(),
            limits,
            rule: known.rule,
            samples_per_epoch,
            tuned: known.tuned,
            boundaries,
            profile: Profile::Measured(Box::new(measured)),
        })
    }
}

/// The cells of a row, in the order of the columns asked for.
pub struct Cells<'r> {
    file: &'r str,
    line: u32,
    cells: &'r [&'r str],
}

impl Cells<'_> {
    /// A cell as it stands.
    pub fn cell(&self, index: usize) -> &str {
        self.cells.get(index).copied().unwrap_or("")
    }

    /// That a cell is not what it must be.
    pub fn refuse(
        &self,
        index: usize,
        column: &'static str,
        expected: &'static str,
    ) -> ProfileError {
        ProfileError::Value {
            file: self.file.to_owned(),
            line: self.line,
            column,
            cell: self.cell(index).chars().take(40).collect(),
            expected,
        }
    }

    fn number(
        &self,
        index: usize,
        column: &'static str,
        expected: &'static str,
        sound: impl Fn(f64) -> bool,
    ) -> Result<f64, ProfileError> {
        let number = self.cell(index).parse().ok();
        let number = number.filter(|n: &f64| n.is_finite() && sound(*n));
        number.ok_or_else(|| self.refuse(index, column, expected))
    }

    /// A number above 0.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Value`], as the others.
    pub fn positive(&self, index: usize, column: &'static str) -> Result<f64, ProfileError> {
        self.number(index, column, "a number above 0", |n| n > 0.0)
    }

    /// A number that is not below 0.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Value`], as the others.
    pub fn at_least_zero(&self, index: usize, column: &'static str) -> Result<f64, ProfileError> {
        self.number(index, column, "a number of at least 0", |n| n >= 0.0)
    }

    /// A whole number.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Value`], as the others.
    pub fn count(&self, index: usize, column: &'static str) -> Result<u32, ProfileError> {
        let most = MAX_COORDINATE as f64;
        let whole = |n: f64| n >= 1.0 && n < most && libm::floor(n) == n;
        let expected = "a whole number from 1 to 4 million";
        Ok(self.number(index, column, expected, whole)? as u32)
    }

    fn times(
        &self,
        index: usize,
        step: &'static str,
        sync: &'static str,
    ) -> Result<StepTimes, ProfileError> {
        let step = self.positive(index, step)?;
        let expected = "a number from 0 to below step_time";
        let sync = self.number(index + 1, sync, expected, |n| n >= 0.0 && n < step)?;
        Ok(StepTimes { step, sync })
    }
}

/// Reads a table's named columns, row by row.
///
/// # Errors
///
/// A [`ProfileError`] for a column that is not there, and what `take` refuses.
pub fn each_row<const N: usize>(
    file: &str,
    text: &str,
    columns: [&'static str; N],
    mut take: impl FnMut(&Cells<'_>) -> Result<(), ProfileError>,
) -> Result<(), ProfileError> {
    let mut table = Table::new(text, b',');
    let mut places = [0; N];
    {
        let header = table.next();
        for (place, column) in places.iter_mut().zip(columns) {
            let found = header
                .as_ref()
                .and_then(|row| (0..row.len()).find(|&i| row.cell(i) == column));
            *place = found.ok_or_else(|| ProfileError::Column {
                file: file.to_owned(),
                column,
                needed: columns.join(", "),
            })?;
        }
    }
    while let Some(row) = table.next() {
        let cells = places.map(|place| row.cell(place));
        take(&Cells {
            file,
            line: row.line,
            cells: &cells,
        })?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLACEMENTS: &str = "placement,local_bsz,step_time,sync_time\n\
        1,10,1.0,0.0\n1,20,2.0,0.0\n1,40,6.0,0.0\n\
        2,10,1.5,0.5\n2,40,4.5,0.5\n\
        12,10,2.0,0.8\n12,40,8.0,1.2\n\
        3,10,1.6,0.6\n3,40,4.6,0.6\n\
        111,10,3.0,1.0\n111,40,7.0,1.0\n";
    const SCALABILITY: &str = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n\
        5,5,10,5.0,3.0\n5,5,40,9.0,3.0\n5,9,10,7.0,5.0\n5,9,40,11.0,5.0\n";
    const SMALL: &str = "progress,iteration,metric,grad_sqr,grad_var\n\
        100.0,100,0.1,1.0,2.0\n200.5,200,0.2,0.0,4.0\n";
    const LARGE: &str = "progress,iteration,metric,grad_sqr,grad_var\n\
        101.0,30,0.1,3.0,6.0\n200.0,60,0.2,1.0,8.0\n";

    fn read(files: &[(&str, &str)]) -> Result<Vec<Application>, ProfileError> {
        let tables: Vec<ProfileTable> = files
            .iter()
            .map(|(path, text)| ProfileTable {
                file: (*path).to_owned(),
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        Application::of_tables(&tables)
    }

    /// Of two epochs, as the tables above have them.
    pub(crate) fn toy() -> Application {
        let files = [
            ("profiles/toy/placements.csv", PLACEMENTS),
            ("profiles/toy/scalability.csv", SCALABILITY),
            ("profiles/toy/validation-20.csv", SMALL),
            ("profiles/toy/validation-80.csv", LARGE),
            ("profiles/toy/notes.txt", "passed over"),
        ];
        read(&files).expect("a profile").remove(0)
    }

    #[test]
    fn limits_and_epochs_follow_from_the_tables() {
        let toy = toy();
        assert_eq!(&*toy.name, "toy");
        let limits = Limits {
            m0: 20,
            max_batch: 80,
            min_local: 10,
            max_local: 40,
        };
        assert_eq!((toy.limits, toy.epochs()), (limits, 2));
        // The smallest progress of any run ends an epoch.
        assert_eq!(toy.progress_after(1), 100.0);
        assert_eq!(toy.progress_after(2), 200.0);
        assert_eq!(toy.samples_per_epoch, 2000.0);
    }

    #[test]
    fn a_type_has_its_own_times_and_holds_its_own_batches() {
        let twice = |text: &str| {
            text.replace("1,10,1.0", "1,10,0.5")
                .replace("1,40,", "1,80,")
        };
        let on_a100 = twice(PLACEMENTS);
        let files = [
            ("toy/placements.csv", PLACEMENTS),
            ("toy/scalability.csv", SCALABILITY),
            ("toy/placements-dgx-ext.csv", &*on_a100),
            ("toy/scalability-dgx-ext.csv", SCALABILITY),
            ("toy/placements-aws.csv", PLACEMENTS),
            // Nobody knows which type that is.
            ("toy/placements-azure.csv", "nonsense"),
            ("toy/validation-20.csv", SMALL),
            ("toy/validation-80.csv", LARGE),
            // Measured on one type alone, and so of no use elsewhere.
            (
                "wide/placements-rtx.csv",
                "placement,local_bsz,step_time,sync_time\n88,1,0.1,0.2\n",
            ),
            ("wide/validation-20.csv", SMALL),
        ];
        let all = read(&files).expect("sound");
        let [toy] = &all[..] else {
            panic!("{} applications", all.len());
        };
        let there = toy.on("a100").expect("measured");
        assert_eq!(there.step_times(&[1], 10).step, 0.5);
        assert_eq!(toy.step_times(&[1], 10).step, 1.0);
        assert_eq!((toy.limits.max_local, there.limits.max_local), (40, 80));
        assert_eq!(there.stats(40.0, 1), toy.stats(40.0, 1));
        assert!(there.on("a100").is_none() && toy.on("azure").is_none());
        let t4 = toy.on("t4").expect("measured");
        assert_eq!(
            (t4.limits, t4.step_times(&[1, 2], 20)),
            (toy.limits, toy.step_times(&[1, 2], 20))
        );
        // A model of it knows as much.
        let model = toy.condensed().expect("tables");
        let text = model.to_json().expect("a model");
        assert_eq!(Application::from_json(&text), Ok(model.clone()));
        let there = model.on("a100").expect("measured");
        assert_eq!(there.limits.max_local, 80);
        assert!(there.step_times(&[1], 10).step < model.step_times(&[1], 10).step);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |files: &[(&str, &str)]| read(files).expect_err("refused").to_string();
        assert!(message(&[("a/readme.md", "x")]).contains("there is no profile"));
        assert!(message(&[]).contains("there is no profile"));
        assert_eq!(
            message(&[("toy/validation-20.csv", SMALL)]),
            "toy has no placements.csv: a profile needs placements.csv and validation-M.csv"
        );
        assert!(message(&[("toy/placements.csv", PLACEMENTS)]).contains("no validation-M.csv"));
        let with = |from: &str, to: &str| {
            let text = PLACEMENTS.replacen(from, to, 1);
            message(&[
                ("toy/placements.csv", &text),
                ("toy/validation-20.csv", SMALL),
            ])
        };
        assert_eq!(
            with("local_bsz", "batch"),
            "toy/placements.csv has no column local_bsz: its header must name placement, local_bsz, step_time, sync_time"
        );
        assert_eq!(
            with("\n1,10,1.0", "\n1,10,NaN"),
            "toy/placements.csv, line 2: step_time is 'NaN', but must be a number above 0"
        );
        assert!(with("\n1,10,", "\n101,10,").contains("one digit from 1 to 9"));
        assert!(with("\n1,10,", "\n1,1e9,").contains("a whole number from 1"));
        assert!(with("1.0,0.0", "1.0,1.0").contains("from 0 to below step_time"));
        let backwards = SMALL.replace("200.5", "99");
        let files = [
            ("toy/placements.csv", PLACEMENTS),
            ("toy/validation-20.csv", &*backwards),
        ];
        assert!(message(&files).contains("epoch 2 does not end after"));
    }

    proptest! {
        /// Whatever the tables say, there is a profile or an error, and a profile answers all.
        #[test]
        fn no_table_is_a_trap(
            edits in proptest::collection::vec(
                (0usize..4, any::<proptest::sample::Index>(), "[0-9eE.,\\-n\n\"]{0,3}"), 0..6)
        ) {
            let mut texts = [PLACEMENTS, SCALABILITY, SMALL, LARGE].map(str::to_owned);
            for (table, at, with) in edits {
                let at = at.index(texts[table].len());
                texts[table].replace_range(at..=at, &with);
            }
            let [placements, scalability, small, large] = &texts;
            let files = [
                ("toy/placements.csv", placements.as_str()),
                ("toy/scalability.csv", scalability),
                ("toy/validation-20.csv", small),
                ("toy/validation-80.csv", large),
            ];
            if let Ok(applications) = read(&files) {
                for application in applications {
                    for placement in [&[1][..], &[3, 2], &[1; 5], &[9; 40]] {
                        for m in [1, 17, 1000] {
                            let times = application.step_times(placement, m);
                            prop_assert!(times.step > 0.0 && times.sync < times.step, "{times:?}");
                        }
                    }
                    for batch in [1.0, 50.0, 1e6] {
                        let gain = application.stats(batch, 1).gain(4.0);
                        prop_assert!((1.0 - 1e-9..=4.0 + 1e-9).contains(&gain));
                    }
                    let condensed = application.condensed().expect("tables");
                    let text = condensed.to_json().expect("a model");
                    prop_assert!(Application::from_json(&text).is_ok(), "{text}");
                }
            }
        }
    }
}

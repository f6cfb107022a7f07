//! The table of a sweep: a row for each run, the same as Parquet and as CSV. Its columns are described in
//! `docs/sweeps.md`; the page reads them by these names. The same runs make the same bytes, whoever ran them
//! and in which order.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use switchyard::report::Summary;
use switchyard::spreadsheet::guarded;

/// The version of the columns: another one is refused by name.
pub const VERSION: &str = "1";

/// Under which a file says it.
const VERSION_KEY: &str = "switchyard.sweep";

/// A number of a run: its column, and what it is of a summary.
type Figure = (&'static str, fn(&Summary) -> f64);

/// The numbers of a run; times in seconds.
pub const FIGURES: [Figure; 35] = [
    ("jobs", |of| f64::from(of.jobs)),
    ("finished", |of| f64::from(of.finished)),
    ("rejected", |of| f64::from(of.rejected)),
    ("jct_mean", |of| of.jct.mean),
    ("jct_median", |of| of.jct.median),
    ("jct_p90", |of| of.jct.p90),
    ("jct_p95", |of| of.jct.p95),
    ("jct_p99", |of| of.jct.p99),
    ("jct_max", |of| of.jct.max),
    ("queueing_mean", |of| of.queueing.mean),
    ("queueing_median", |of| of.queueing.median),
    ("queueing_p90", |of| of.queueing.p90),
    ("queueing_p95", |of| of.queueing.p95),
    ("queueing_p99", |of| of.queueing.p99),
    ("queueing_max", |of| of.queueing.max),
    ("longest_wait", |of| of.longest_wait),
    ("makespan", |of| of.makespan),
    ("restarts", |of| f64::from(of.restarts)),
    ("gpu_allocation", |of| of.gpu_allocation),
    ("node_hours", |of| of.node_hours),
    ("mean_nodes", |of| of.mean_nodes),
    ("rho_mean", |of| of.fairness.rho_mean),
    ("rho_p99", |of| of.fairness.rho_p99),
    ("rho_max", |of| of.fairness.rho_max),
    ("jain", |of| of.fairness.jain),
    ("node_failures", |of| f64::from(of.failures.node_failures)),
    ("evictions", |of| f64::from(of.failures.evictions)),
    ("failed_attempts", |of| {
        f64::from(of.failures.failed_attempts)
    }),
    ("failed_jobs", |of| f64::from(of.failures.failed_jobs)),
    ("cancelled_jobs", |of| f64::from(of.failures.cancelled_jobs)),
    ("executed_gpu_hours", |of| of.failures.executed_gpu_hours),
    ("lost_gpu_hours", |of| of.failures.lost_gpu_hours),
    ("checkpoint_gpu_hours", |of| {
        of.failures.checkpoint_gpu_hours
    }),
    ("restore_gpu_hours", |of| of.failures.restore_gpu_hours),
    ("availability", |of| of.failures.availability),
];

/// A text of a run: its column, and what it is of a row.
type Text = (&'static str, fn(&Row) -> &str);

/// The texts of a row.
pub const TEXTS: [Text; 11] = [
    ("trace", |row| &row.trace),
    ("trace_hash", |row| &row.trace_hash),
    ("cluster", |row| &row.cluster),
    ("scheduler", |row| &row.scheduler),
    ("policy", |row| &row.policy),
    ("settings", |row| &row.settings),
    ("key", |row| &row.key),
    ("failure", |row| &row.failure),
    ("error", |row| &row.error),
    ("log_hash", |row| &row.log_hash),
    ("link", |row| &row.link),
];

/// One run, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the grid.
    pub point: u32,
    /// The trace, as the grid calls it.
    pub trace: String,
    /// A fingerprint of its jobs and all that came along, 16 hexadecimal digits.
    pub trace_hash: String,
    /// The cluster, as it ran.
    pub cluster: String,
    /// The policy's name.
    pub scheduler: String,
    /// The policy with its parameters, as it ran.
    pub policy: String,
    /// How many times as fast as recorded jobs came.
    pub load: f64,
    /// The seed.
    pub seed: u64,
    /// All other settings of the grid, `key=value`.
    pub settings: String,
    /// What the run is known by: a fingerprint of the trace and of all options.
    pub key: String,
    /// Why there are no numbers: `input` (asked wrongly), `run` (it did not end), `lost` (its worker has died,
    /// and it is tried again); "" where there are.
    pub failure: String,
    /// The same in words.
    pub error: String,
    /// The fingerprint of its log.
    pub log_hash: String,
    /// What shows it, after the page's `#`.
    pub link: String,
    /// [`FIGURES`], in their order; empty where there are none.
    pub figures: Vec<f64>,
    /// Milliseconds of simulation: of the machine and not of the run, so not in the table.
    pub wall_ms: f64,
}

impl Row {
    fn text_mut(&mut self, column: &str) -> Option<&mut String> {
        Some(match column {
            "trace" => &mut self.trace,
            "trace_hash" => &mut self.trace_hash,
            "cluster" => &mut self.cluster,
            "scheduler" => &mut self.scheduler,
            "policy" => &mut self.policy,
            "settings" => &mut self.settings,
            "key" => &mut self.key,
            "failure" => &mut self.failure,
            "error" => &mut self.error,
            "log_hash" => &mut self.log_hash,
            "link" => &mut self.link,
            _ => return None,
        })
    }

    /// Whether it may be taken as it is, or is to be tried again.
    pub fn stands(&self) -> bool {
        self.failure != "lost"
    }
}

/// Why a file is no table of ours.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Parquet's own words.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// Of another version, or of other columns.
    #[error("it is a sweep's table of another version ({0}; this one is {VERSION})")]
    Version(String),
}

/// The rows as Parquet; `timed`: with how long each took.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn write_parquet<W: Write + Send>(
    rows: &[Row],
    timed: bool,
    out: W,
) -> Result<W, ParquetError> {
    let said = KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned());
    let properties = WriterProperties::builder()
        .set_created_by("switchyard".to_owned())
        .set_key_value_metadata(Some(vec![said]))
        .build();
    let schema = Arc::new(schema(timed)?);
    let mut writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let (mut text, mut figure) = (0, 0);
    let mut numbers = 0;
    while let Some(mut column) = group.next_column()? {
        match column.untyped() {
            ColumnWriter::Int32ColumnWriter(to) => {
                let values: Vec<i32> = rows.iter().map(|row| row.point as i32).collect();
                to.write_batch(&values, None, None)?;
            }
            ColumnWriter::Int64ColumnWriter(to) => {
                let values: Vec<i64> = rows.iter().map(|row| row.seed as i64).collect();
                to.write_batch(&values, None, None)?;
            }
            ColumnWriter::ByteArrayColumnWriter(to) => {
                let values = rows.iter().map(|row| ByteArray::from((TEXTS[text].1)(row)));
                to.write_batch(&values.collect::<Vec<_>>(), None, None)?;
                text += 1;
            }
            // The load, the figures, and the time.
            ColumnWriter::DoubleColumnWriter(to) if numbers == 0 || figure == FIGURES.len() => {
                let of = |row: &Row| if numbers == 0 { row.load } else { row.wall_ms };
                let values: Vec<f64> = rows.iter().map(of).collect();
                to.write_batch(&values, None, None)?;
                numbers += 1;
            }
            ColumnWriter::DoubleColumnWriter(to) => {
                let known = rows.iter().filter_map(|row| row.figures.get(figure));
                let known: Vec<f64> = known.copied().collect();
                let levels: Vec<i16> = rows
                    .iter()
                    .map(|row| i16::from(!row.figures.is_empty()))
                    .collect();
                to.write_batch(&known, Some(&levels), None)?;
                figure += 1;
            }
            _ => {
                return Err(ParquetError::General(
                    "a column of no kind of ours".to_owned(),
                ));
            }
        }
        column.close()?;
    }
    group.close()?;
    writer.into_inner()
}

/// The columns, in order: `point`, texts before numbers.
fn schema(timed: bool) -> Result<Type, ParquetError> {
    let column = |name: &str, physical, repetition, logical| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let unsigned = |bit_width| Some(LogicalType::integer(bit_width, false));
    let (given, maybe) = (Repetition::REQUIRED, Repetition::OPTIONAL);
    let mut fields = vec![column("point", Physical::INT32, given, unsigned(32))?];
    for (name, _) in TEXTS {
        fields.push(column(
            name,
            Physical::BYTE_ARRAY,
            given,
            Some(LogicalType::String),
        )?);
    }
    fields.push(column("load", Physical::DOUBLE, given, None)?);
    fields.push(column("seed", Physical::INT64, given, unsigned(64))?);
    for (name, _) in FIGURES {
        fields.push(column(name, Physical::DOUBLE, maybe, None)?);
    }
    if timed {
        fields.push(column("wall_ms", Physical::DOUBLE, given, None)?);
    }
    Type::group_type_builder("sweep")
        .with_fields(fields)
        .build()
}

/// The rows of a file that [`write_parquet`] wrote.
///
/// # Errors
///
/// It is no such file.
pub fn read_parquet(file: File) -> Result<Vec<Row>, TableError> {
    let reader = SerializedFileReader::new(file)?;
    let said = reader.metadata().file_metadata().key_value_metadata();
    let said = said.and_then(|all| all.iter().find(|of| of.key == VERSION_KEY));
    let version = said.and_then(|of| of.value.as_deref()).unwrap_or("none");
    if version != VERSION {
        return Err(TableError::Version(version.to_owned()));
    }
    let mut rows = Vec::new();
    for record in reader.get_row_iter(None)? {
        let mut row = Row::default();
        for (name, field) in record?.get_column_iter() {
            match (name.as_str(), field) {
                ("point", Field::UInt(value)) => row.point = *value,
                ("seed", Field::ULong(value)) => row.seed = *value,
                ("load", Field::Double(value)) => row.load = *value,
                ("wall_ms", Field::Double(value)) => row.wall_ms = *value,
                (_, Field::Double(value)) => row.figures.push(*value),
                (_, Field::Null) => {}
                (name, Field::Str(value)) => match row.text_mut(name) {
                    Some(text) => text.clone_from(value),
                    None => return Err(TableError::Version(format!("with a column {name}"))),
                },
                (name, _) => return Err(TableError::Version(format!("with a column {name}"))),
            }
        }
        if !(row.figures.is_empty() || row.figures.len() == FIGURES.len()) {
            return Err(TableError::Version("with other numbers".to_owned()));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The rows as CSV, in the same columns; empty cells where there are no numbers. No text is a formula in a
/// spreadsheet.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn write_csv(rows: &[Row], out: &mut impl Write) -> std::io::Result<()> {
    let mut names = vec!["point"];
    names.extend(TEXTS.map(|(name, _)| name));
    names.extend(["load", "seed"]);
    names.extend(FIGURES.map(|(name, _)| name));
    writeln!(out, "{}", names.join(","))?;
    for row in rows {
        write!(out, "{}", row.point)?;
        for (_, of) in TEXTS {
            let text = guarded(of(row));
            match text.contains([',', '"', '\n', '\r']) {
                true => write!(out, ",\"{}\"", text.replace('"', "\"\""))?,
                false => write!(out, ",{text}")?,
            }
        }
        write!(out, ",{},{}", row.load, row.seed)?;
        for at in 0..FIGURES.len() {
            match row.figures.get(at) {
                Some(value) => write!(out, ",{value}")?,
                None => write!(out, ",")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_from_parquet_as_they_were() {
        let row = |point: u32, figures| Row {
            point,
            trace: "a \"b\", c".to_owned(),
            policy: "=fifo".to_owned(),
            load: 0.1 + 0.2,
            seed: u64::MAX,
            error: if point == 1 {
                "line\nbreak".to_owned()
            } else {
                String::new()
            },
            wall_ms: 1.5,
            figures,
            ..Row::default()
        };
        let figures: Vec<f64> = (0..FIGURES.len()).map(|at| at as f64 / 3.0).collect();
        let rows = vec![
            row(0, figures.clone()),
            row(1, Vec::new()),
            row(u32::MAX, figures),
        ];
        let path = std::env::temp_dir().join(format!("sweep-table-{}.parquet", std::process::id()));
        write_parquet(&rows, true, File::create(&path).unwrap()).unwrap();
        assert_eq!(read_parquet(File::open(&path).unwrap()).unwrap(), rows);
        std::fs::remove_file(&path).unwrap();
        let mut csv = Vec::new();
        write_csv(&rows, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(
            csv.contains("\"a \"\"b\"\", c\"") && csv.contains(",'=fifo,"),
            "{csv}"
        );
        assert!(
            csv.lines()
                .nth(1)
                .unwrap()
                .contains(",0.30000000000000004,18446744073709551615,0,")
        );
    }
}

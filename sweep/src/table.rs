//! The table of a sweep as files: the same rows as Parquet and as CSV. The same runs make the same bytes,
//! whoever ran them and in which order.

use bytes::Bytes;
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
use std::io::Write;
use std::sync::Arc;
use switchyard::report::sweep::VERSION_KEY;
pub use switchyard::report::sweep::{SweepRow, TEXTS, VERSION, csv_head, csv_line, figures};
use switchyard::report::{COLUMNS, Metric};

/// Why a file is no table of ours.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Parquet's own words.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// A part whose name has no checksum, as those of earlier versions.
    #[error("its name has no checksum, so that nobody knows whether it is what was written")]
    Unchecked,
    /// Results as Parquet alone.
    #[error("its runs cannot be told, since results.csv does not lie beside it")]
    WithoutCsv,
    /// A CSV that cannot be read to its end, or has no keys.
    #[error("it is damaged, or not the table of a sweep (line {0})")]
    Csv(u32),
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
    rows: &[SweepRow],
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
                let values = rows
                    .iter()
                    .map(|row| ByteArray::from((TEXTS[text].of)(row)));
                to.write_batch(&values.collect::<Vec<_>>(), None, None)?;
                text += 1;
            }
            // The load, the figures, and the time.
            ColumnWriter::DoubleColumnWriter(to) if numbers == 0 || figure == COLUMNS => {
                let of = |row: &SweepRow| if numbers == 0 { row.load } else { row.wall_ms };
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
    for text in TEXTS {
        fields.push(column(
            text.name,
            Physical::BYTE_ARRAY,
            given,
            Some(LogicalType::String),
        )?);
    }
    fields.push(column("load", Physical::DOUBLE, given, None)?);
    fields.push(column("seed", Physical::INT64, given, unsigned(64))?);
    for metric in Metric::columns() {
        fields.push(column(metric.id, Physical::DOUBLE, maybe, None)?);
    }
    if timed {
        fields.push(column("wall_ms", Physical::DOUBLE, given, None)?);
    }
    Type::group_type_builder("sweep")
        .with_fields(fields)
        .build()
}

/// The rows of the bytes that [`write_parquet`] wrote.
///
/// # Errors
///
/// It is no such file.
pub fn read_parquet(file: Vec<u8>) -> Result<Vec<SweepRow>, TableError> {
    let reader = SerializedFileReader::new(Bytes::from(file))?;
    let said = reader.metadata().file_metadata().key_value_metadata();
    let said = said.and_then(|all| all.iter().find(|of| of.key == VERSION_KEY));
    let version = said.and_then(|of| of.value.as_deref()).unwrap_or("none");
    if version != VERSION {
        return Err(TableError::Version(version.to_owned()));
    }
    let mut rows = Vec::new();
    for record in reader.get_row_iter(None)? {
        let mut row = SweepRow::default();
        for (name, field) in record?.get_column_iter() {
            match (name.as_str(), field) {
                ("point", Field::UInt(value)) => row.point = *value,
                ("seed", Field::ULong(value)) => row.seed = *value,
                ("load", Field::Double(value)) => row.load = *value,
                ("wall_ms", Field::Double(value)) => row.wall_ms = *value,
                (_, Field::Double(value)) => row.figures.push(*value),
                (_, Field::Null) => {}
                (name, Field::Str(value)) => match TEXTS.iter().find(|text| text.name == name) {
                    Some(text) => (text.to)(&mut row).clone_from(value),
                    None => return Err(TableError::Version(format!("with a column {name}"))),
                },
                (name, _) => return Err(TableError::Version(format!("with a column {name}"))),
            }
        }
        if !(row.figures.is_empty() || row.figures.len() == COLUMNS) {
            return Err(TableError::Version("with other numbers".to_owned()));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The rows as CSV, in the same columns.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn write_csv(rows: &[SweepRow], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", csv_head())?;
    for row in rows {
        writeln!(out, "{}", csv_line(row))?;
    }
    Ok(())
}

/// The keys of the runs of a CSV that [`write_csv`] wrote.
///
/// # Errors
///
/// It is no such file.
pub fn keys_of_csv(file: &[u8]) -> Result<Vec<String>, TableError> {
    let text = std::str::from_utf8(file).map_err(|_| TableError::Csv(1))?;
    let at = 1 + TEXTS
        .iter()
        .position(|text| text.name == "key")
        .unwrap_or(0);
    let mut keys = Vec::new();
    let mut rows = switchyard_rows::Table::new(text, b',');
    let mut is_head = true;
    while let Some(row) = rows.next() {
        let key = row.cell(at);
        let is_key = key.len() == 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
        match std::mem::take(&mut is_head) {
            true if key == "key" => {}
            false if is_key && row.flaw.is_none() && !row.unterminated => keys.push(key.to_owned()),
            _ => return Err(TableError::Csv(row.line)),
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_from_parquet_as_they_were() {
        let row = |point: u32, figures| SweepRow {
            point,
            trace: "a \"b\", c".to_owned(),
            policy: "=fifo".to_owned(),
            key: format!("{point:016x}"),
            load: 0.1 + 0.2,
            seed: u64::MAX,
            error: if point == 1 {
                "line\nbreak".to_owned()
            } else {
                String::new()
            },
            wall_ms: 1.5,
            figures,
            ..SweepRow::default()
        };
        let figures: Vec<f64> = (0..COLUMNS).map(|at| at as f64 / 3.0).collect();
        let rows = vec![
            row(0, figures.clone()),
            row(1, Vec::new()),
            row(u32::MAX, figures),
        ];
        let file = write_parquet(&rows, true, Vec::new()).unwrap();
        assert_eq!(read_parquet(file).unwrap(), rows);
        let mut csv = Vec::new();
        write_csv(&rows, &mut csv).unwrap();
        assert_eq!(
            keys_of_csv(&csv).unwrap(),
            rows.iter().map(|row| row.key.clone()).collect::<Vec<_>>()
        );
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

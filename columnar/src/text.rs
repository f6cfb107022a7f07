//! From batches of columns to the rows of a CSV.
//!
//! Moments become ISO 8601, with a Z where the column has a time zone; spans of time become seconds; what a
//! row does not have is an empty cell. Fields of a struct are columns, as `struct.field`. A column of lists or
//! maps keeps its name, and its cells say what they are.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Fields, TimeUnit};
use chrono::{DateTime, NaiveDateTime};
use std::fmt::{Display, Write};

/// How much text is handed on at once.
const PIECE: usize = 1 << 16;

/// Writes rows, and hands them on.
pub(crate) struct Writer<'a> {
    fields: Fields,
    text: String,
    take: &'a mut dyn FnMut(&str) -> bool,
}

/// A column of a batch.
struct Column {
    values: ArrayRef,
    /// Which rows of the structs that it lies in are there.
    within: Vec<NullBuffer>,
}

impl<'a> Writer<'a> {
    /// Of a table with these columns. Batches may leave out those that have no cells.
    pub(crate) fn new(fields: &Fields, take: &'a mut dyn FnMut(&str) -> bool) -> Self {
        let mut names = Vec::new();
        for field in fields {
            name(field.name(), field.data_type(), &mut names);
        }
        let mut text = String::new();
        for (at, name) in names.iter().enumerate() {
            separate(at, &mut text);
            quote(name, &mut text);
        }
        text.push('\n');
        Self {
            fields: fields.clone(),
            text,
            take,
        }
    }

    /// Writes the rows of a batch; says whether more are wanted.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> bool {
        let schema = batch.schema();
        let mut given = schema.fields().iter().zip(batch.columns()).peekable();
        let mut columns: Vec<Result<Column, &str>> = Vec::new();
        for field in &self.fields {
            match given.next_if(|(of, _)| of.name() == field.name()) {
                Some((_, values)) => lay_out(field.data_type(), Some(values), &[], &mut columns),
                None => lay_out(field.data_type(), None, &[], &mut columns),
            }
        }
        for row in 0..batch.num_rows() {
            for (at, column) in columns.iter().enumerate() {
                separate(at, &mut self.text);
                match column {
                    Ok(column) if column.within.iter().any(|of| of.is_null(row)) => {}
                    Ok(column) => cell(&column.values, row, &mut self.text),
                    Err(what) => self.text.push_str(what),
                }
            }
            self.text.push('\n');
            if self.text.len() >= PIECE && !self.hand_on() {
                return false;
            }
        }
        true
    }

    /// Hands on the rest.
    pub(crate) fn end(mut self) {
        self.hand_on();
    }

    fn hand_on(&mut self) -> bool {
        let goes_on = (self.take)(&self.text);
        self.text.clear();
        goes_on
    }
}

/// The names of the columns that a field becomes.
fn name(own: &str, kind: &DataType, names: &mut Vec<String>) {
    match kind {
        DataType::Struct(fields) => {
            for field in fields {
                name(&format!("{own}.{}", field.name()), field.data_type(), names);
            }
        }
        _ => names.push(own.to_owned()),
    }
}

/// The columns that a field becomes, in the same order; what has no cells says so.
fn lay_out(
    kind: &DataType,
    values: Option<&ArrayRef>,
    within: &[NullBuffer],
    columns: &mut Vec<Result<Column, &str>>,
) {
    if let DataType::Struct(fields) = kind {
        let values = values.and_then(|values| values.as_struct_opt());
        let mut within = within.to_vec();
        within.extend(values.and_then(|values| values.nulls().cloned()));
        for field in fields {
            let values = values.and_then(|values| values.column_by_name(field.name()));
            lay_out(field.data_type(), values, &within, columns);
        }
        return;
    }
    let what = match kind {
        DataType::Map(..) => "(a map)",
        DataType::Union(..) => "(a union)",
        DataType::RunEndEncoded(..) => "(runs)",
        DataType::Interval(_) => "(an interval)",
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => "(a list)",
        _ => "",
    };
    columns.push(match values {
        Some(values) if what.is_empty() => Ok(Column {
            values: values.clone(),
            within: within.to_vec(),
        }),
        _ => Err(what),
    });
}

fn separate(at: usize, text: &mut String) {
    if at > 0 {
        text.push(',');
    }
}

/// A text as a cell of one line.
fn quote(value: &str, text: &mut String) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte > 127 || b"_-.:/+".contains(&byte);
    if !value.is_empty() && value.bytes().all(plain) {
        text.push_str(value);
        return;
    }
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\"\""),
            '\n' | '\r' => text.push(' '),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Writing to a text cannot fail.
fn put(value: impl Display, text: &mut String) {
    let _ = write!(text, "{value}");
}

/// What stands in a row.
fn cell(values: &dyn Array, row: usize, text: &mut String) {
    if values.is_null(row) {
        return;
    }
    macro_rules! value {
        ($kind:ty) => {
            values.as_primitive::<$kind>().value(row)
        };
    }
    macro_rules! decimal {
        ($kind:ty) => {
            text.push_str(&values.as_primitive::<$kind>().value_as_string(row))
        };
    }
    match values.data_type() {
        DataType::Boolean => put(values.as_boolean().value(row), text),
        DataType::Int8 => put(value!(Int8Type), text),
        DataType::Int16 => put(value!(Int16Type), text),
        DataType::Int32 => put(value!(Int32Type), text),
        DataType::Int64 => put(value!(Int64Type), text),
        DataType::UInt8 => put(value!(UInt8Type), text),
        DataType::UInt16 => put(value!(UInt16Type), text),
        DataType::UInt32 => put(value!(UInt32Type), text),
        DataType::UInt64 => put(value!(UInt64Type), text),
        DataType::Float16 => number(f64::from(value!(Float16Type).to_f32()), text),
        // As short as tells it apart from its neighbours, which have fewer digits than those of a double.
        DataType::Float32 if value!(Float32Type).is_nan() => {}
        DataType::Float32 => put(value!(Float32Type), text),
        DataType::Float64 => number(value!(Float64Type), text),
        DataType::Decimal32(..) => decimal!(Decimal32Type),
        DataType::Decimal64(..) => decimal!(Decimal64Type),
        DataType::Decimal128(..) => decimal!(Decimal128Type),
        DataType::Decimal256(..) => decimal!(Decimal256Type),
        DataType::Utf8 => quote(values.as_string::<i32>().value(row), text),
        DataType::LargeUtf8 => quote(values.as_string::<i64>().value(row), text),
        DataType::Utf8View => quote(values.as_string_view().value(row), text),
        DataType::Binary => bytes(values.as_binary::<i32>().value(row), text),
        DataType::LargeBinary => bytes(values.as_binary::<i64>().value(row), text),
        DataType::BinaryView => bytes(values.as_binary_view().value(row), text),
        DataType::FixedSizeBinary(_) => bytes(values.as_fixed_size_binary().value(row), text),
        DataType::Timestamp(unit, zone) => {
            let count = match unit {
                TimeUnit::Second => value!(TimestampSecondType),
                TimeUnit::Millisecond => value!(TimestampMillisecondType),
                TimeUnit::Microsecond => value!(TimestampMicrosecondType),
                TimeUnit::Nanosecond => value!(TimestampNanosecondType),
            };
            moment(count, *unit, zone.is_some(), text);
        }
        DataType::Date32 => {
            let seconds = i64::from(value!(Date32Type)) * 86_400;
            match date(seconds, 0) {
                Some(day) => put(day.date(), text),
                None => put(seconds, text),
            }
        }
        DataType::Date64 => moment(value!(Date64Type), TimeUnit::Millisecond, false, text),
        DataType::Time32(unit) => {
            let count = match unit {
                TimeUnit::Second => value!(Time32SecondType),
                _ => value!(Time32MillisecondType),
            };
            of_day(i64::from(count), *unit, text);
        }
        DataType::Time64(unit) => {
            let count = match unit {
                TimeUnit::Microsecond => value!(Time64MicrosecondType),
                _ => value!(Time64NanosecondType),
            };
            of_day(count, *unit, text);
        }
        DataType::Duration(unit) => {
            let count = match unit {
                TimeUnit::Second => value!(DurationSecondType),
                TimeUnit::Millisecond => value!(DurationMillisecondType),
                TimeUnit::Microsecond => value!(DurationMicrosecondType),
                TimeUnit::Nanosecond => value!(DurationNanosecondType),
            };
            if count < 0 {
                text.push('-');
            }
            let per_second = per_second(*unit).unsigned_abs();
            let count = count.unsigned_abs();
            put(count / per_second, text);
            fraction(count % per_second, *unit, text);
        }
        DataType::Dictionary(..) => {
            let dictionary = values.as_any_dictionary();
            if let Some(key) = key(dictionary.keys(), row)
                && key < dictionary.values().len()
            {
                cell(dictionary.values(), key, text);
            }
        }
        // `lay_out` names what has no cells; a column of the type Null has no values.
        _ => {}
    }
}

fn number(value: f64, text: &mut String) {
    // What pandas has for a cell without a value.
    if !value.is_nan() {
        put(value, text);
    }
}

fn bytes(value: &[u8], text: &mut String) {
    match std::str::from_utf8(value) {
        Ok(value) => quote(value, text),
        Err(_) => text.push_str("(bytes)"),
    }
}

/// The key into a dictionary.
fn key(keys: &dyn Array, row: usize) -> Option<usize> {
    macro_rules! key {
        ($kind:ty) => {
            usize::try_from(keys.as_primitive::<$kind>().value(row)).ok()
        };
    }
    match keys.data_type() {
        DataType::Int8 => key!(Int8Type),
        DataType::Int16 => key!(Int16Type),
        DataType::Int32 => key!(Int32Type),
        DataType::Int64 => key!(Int64Type),
        DataType::UInt8 => key!(UInt8Type),
        DataType::UInt16 => key!(UInt16Type),
        DataType::UInt32 => key!(UInt32Type),
        DataType::UInt64 => key!(UInt64Type),
        _ => None,
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn date(seconds: i64, nanoseconds: u32) -> Option<NaiveDateTime> {
    DateTime::from_timestamp(seconds, nanoseconds).map(|moment| moment.naive_utc())
}

/// A count since 1970: in UTC where the column has a zone, else of the place where it was written.
fn moment(count: i64, unit: TimeUnit, zoned: bool, text: &mut String) {
    let per_second = per_second(unit);
    let Some(moment) = date(count.div_euclid(per_second), 0) else {
        // No year has so many digits.
        return put(count, text);
    };
    put(moment.format("%Y-%m-%dT%H:%M:%S"), text);
    fraction(count.rem_euclid(per_second).unsigned_abs(), unit, text);
    if zoned {
        text.push('Z');
    }
}

/// A time of day.
fn of_day(count: i64, unit: TimeUnit, text: &mut String) {
    let per_second = per_second(unit);
    let seconds = count.div_euclid(per_second);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    put(
        format_args!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
        text,
    );
    fraction(count.rem_euclid(per_second).unsigned_abs(), unit, text);
}

/// What of a second so many of a unit are, without zeros at its end.
fn fraction(count: u64, unit: TimeUnit, text: &mut String) {
    let digits = match unit {
        _ if count == 0 => return,
        TimeUnit::Second => return,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    put(format_args!(".{count:0digits$}"), text);
    text.truncate(text.trim_end_matches('0').len());
}

//! Tables that are stored by columns, as text: in go the bytes of a Parquet file, an Arrow file (Feather, version 2) or
//! an Arrow stream, out come the header and the rows of a CSV, piece by piece. Whoever opens traces takes that
//! as it takes any table, so that nothing else knows of columns.
//!
//! Batches of some thousand rows are decoded at once, and nothing is decompressed to more than 256 MB
//! at once, so that a small file cannot ask for much memory.

#![forbid(unsafe_code)]

mod ipc;
mod limits;
mod packing;
mod parquet;
mod text;

use limits::damaged;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Hands on a table as CSV, piece by piece, until `take` wants no more.
///
/// # Errors
///
/// Why it cannot be read, as the second half of a sentence that begins with what it is.
pub fn read(bytes: Vec<u8>, take: &mut dyn FnMut(&str) -> bool) -> Result<(), String> {
    // Arrow's readers check what they read, but not all of it.
    let read = catch_unwind(AssertUnwindSafe(|| {
        if bytes.starts_with(b"PAR") {
            parquet::read(bytes, take)
        } else {
            ipc::read(bytes, take)
        }
    }));
    read.unwrap_or_else(|_| Err(damaged("its parts do not fit together")))
}

#[cfg(test)]
mod tests {
    use super::read;
    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::types::Int8Type;
    use arrow_array::*;
    use arrow_buffer::i256;
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use arrow_schema::{DataType, Field};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, GzipLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use std::sync::Arc;
    use switchyard_trace::{OpenError, OpenOptions, Opened, Opening, SourceFile, Trace};

    fn text_of(bytes: &[u8]) -> Result<String, String> {
        let mut text = String::new();
        read(bytes.to_vec(), &mut |piece| {
            text.push_str(piece);
            true
        })?;
        Ok(text)
    }

    fn open(bytes: &[u8]) -> Result<Trace, OpenError> {
        let mut opening = Opening::new(OpenOptions::default()).reading_columns(read);
        opening.begin("jobs")?;
        opening.push(bytes)?;
        match opening.finish()? {
            Opened::Trace(trace) => Ok(trace),
            other => panic!("{other:?}"),
        }
    }

    fn parquet(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default();
        let options = options.try_with_compression(compression).unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch.slice(0, 1)).unwrap();
        writer.write(&batch.slice(1, batch.num_rows() - 1)).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    fn stream(batch: &RecordBatch) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    }

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        let columns = columns.into_iter();
        RecordBatch::try_from_iter_with_nullable(columns.map(|(n, of)| (n, of, true))).unwrap()
    }

    /// Two rows of everything, the second without values; and what both become.
    fn everything() -> (RecordBatch, String) {
        let mut names = ListBuilder::new(StringBuilder::new());
        names.append_value([Some("n1"), Some("n2")]);
        names.append_null();
        let inner: ArrayRef = Arc::new(Int32Array::from(vec![Some(4), Some(5)]));
        let fields = vec![Field::new("cores", DataType::Int32, true)];
        let asked = StructArray::new(fields.into(), vec![inner], Some(vec![true, false].into()));
        let second = 1_710_252_300;
        let texts = [Some("a,\"b\"\nc"), None];
        let dictionary: DictionaryArray<Int8Type> = texts.into_iter().collect();
        let nanos = vec![Some(second * 1_000_000_000 + 120_000_000), None];
        let columns: Vec<(&str, ArrayRef, &str)> = vec![
            (
                "bool",
                Arc::new(BooleanArray::from(vec![Some(true), None])),
                "true",
            ),
            ("i8", Arc::new(Int8Array::from(vec![Some(-8), None])), "-8"),
            (
                "i16",
                Arc::new(Int16Array::from(vec![Some(-16), None])),
                "-16",
            ),
            (
                "i32",
                Arc::new(Int32Array::from(vec![Some(-32), None])),
                "-32",
            ),
            (
                "i64",
                Arc::new(Int64Array::from(vec![Some(i64::MIN), None])),
                "-9223372036854775808",
            ),
            ("u8", Arc::new(UInt8Array::from(vec![Some(8), None])), "8"),
            (
                "u16",
                Arc::new(UInt16Array::from(vec![Some(16), None])),
                "16",
            ),
            (
                "u32",
                Arc::new(UInt32Array::from(vec![Some(u32::MAX), None])),
                "4294967295",
            ),
            (
                "u64",
                Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])),
                "18446744073709551615",
            ),
            (
                "f32",
                Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::NAN)])),
                "0.1",
            ),
            (
                "f64",
                Arc::new(Float64Array::from(vec![Some(0.25), Some(f64::NAN)])),
                "0.25",
            ),
            (
                "text",
                Arc::new(StringArray::from(texts.to_vec())),
                "\"a,\"\"b\"\" c\"",
            ),
            (
                "large",
                Arc::new(LargeStringArray::from(vec![Some("x y"), None])),
                "\"x y\"",
            ),
            (
                "view",
                Arc::new(StringViewArray::from(vec![Some("view"), None])),
                "view",
            ),
            (
                "bytes",
                Arc::new(BinaryArray::from(vec![Some(b"job-1".as_slice()), None])),
                "job-1",
            ),
            (
                "other",
                Arc::new(BinaryArray::from(vec![Some([0xFF].as_slice()), None])),
                "(bytes)",
            ),
            ("word", Arc::new(dictionary), "\"a,\"\"b\"\" c\""),
            (
                "date",
                Arc::new(Date32Array::from(vec![Some(19_794), None])),
                "2024-03-12",
            ),
            (
                "s",
                Arc::new(TimestampSecondArray::from(vec![Some(second), None])),
                "2024-03-12T14:05:00",
            ),
            (
                "ms",
                Arc::new(TimestampMillisecondArray::from(vec![
                    Some(second * 1000 + 5),
                    None,
                ])),
                "2024-03-12T14:05:00.005",
            ),
            (
                "us",
                Arc::new(
                    TimestampMicrosecondArray::from(vec![Some(-1), None])
                        .with_timezone("Europe/Berlin"),
                ),
                "1969-12-31T23:59:59.999999Z",
            ),
            (
                "ns",
                Arc::new(TimestampNanosecondArray::from(nanos).with_timezone("UTC")),
                "2024-03-12T14:05:00.12Z",
            ),
            (
                "day",
                Arc::new(Time64MicrosecondArray::from(vec![
                    Some(3_723_500_000),
                    None,
                ])),
                "01:02:03.5",
            ),
            (
                "span",
                Arc::new(DurationNanosecondArray::from(vec![
                    Some(-90_500_000_000),
                    None,
                ])),
                "-90.5",
            ),
            (
                "d128",
                Arc::new(
                    Decimal128Array::from(vec![Some(12_345), None])
                        .with_precision_and_scale(20, 2)
                        .unwrap(),
                ),
                "123.45",
            ),
            (
                "d256",
                Arc::new(
                    Decimal256Array::from(vec![Some(i256::from(-5)), None])
                        .with_precision_and_scale(50, 1)
                        .unwrap(),
                ),
                "-0.5",
            ),
            ("nodes", Arc::new(names.finish()), "(a list)"),
            ("asked", Arc::new(asked), "4"),
        ];
        let header = columns.iter().map(|of| of.0).collect::<Vec<_>>().join(",");
        let first = columns.iter().map(|of| of.2).collect::<Vec<_>>().join(",");
        let second: Vec<_> = columns
            .iter()
            .map(|of| if of.0 == "nodes" { of.2 } else { "" })
            .collect();
        let header = header.replace("asked", "asked.cores");
        let text = format!("{header}\n{first}\n{}\n", second.join(","));
        (
            batch(columns.into_iter().map(|of| (of.0, of.1)).collect()),
            text,
        )
    }

    fn packed(compression: Compression, version: WriterVersion) -> WriterProperties {
        WriterProperties::builder()
            .set_compression(compression)
            .set_writer_version(version)
            .set_max_row_group_row_count(Some(1))
            .build()
    }

    #[test]
    fn every_type_has_its_text_however_it_is_stored() {
        let (batch, text) = everything();
        let ways = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::default()),
            Compression::LZ4_RAW,
            #[allow(deprecated, reason = "files have it all the same")]
            Compression::LZ4,
        ];
        for compression in ways {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let bytes = parquet(&batch, packed(compression, version));
                assert_eq!(text_of(&bytes).unwrap(), text, "{compression} {version:?}");
            }
        }
        for compression in [None, Some(CompressionType::LZ4_FRAME)] {
            assert_eq!(text_of(&arrow(&batch, compression)).unwrap(), text);
        }
        assert_eq!(text_of(&stream(&batch)).unwrap(), text);
    }

    /// Jobs by columns, and the same as CSV.
    fn jobs() -> (RecordBatch, String) {
        let ids = 0..9_000_i64;
        let submits = ids.clone().map(|id| 1_710_252_300_000 + id * 500);
        let durations = ids.clone().map(|id| 600 + id % 7);
        let gpus: Vec<i32> = ids.clone().map(|id| 1 + (id % 4) as i32).collect();
        let users: DictionaryArray<Int8Type> = ids
            .clone()
            .map(|id| ["ann", "bob"][(id % 2) as usize])
            .collect();
        let mut text = "job_id,submit_time,duration,num_gpus,user\n".to_owned();
        for id in ids.clone() {
            let seconds = 5 * 60 + id / 2;
            let (hour, minute) = (14 + seconds / 3600, seconds / 60 % 60);
            let half = if id % 2 == 1 { ".5" } else { "" };
            text += &format!(
                "{id},2024-03-12T{hour}:{minute:02}:{:02}{half}Z,{},{},{}\n",
                seconds % 60,
                600 + id % 7,
                1 + id % 4,
                ["ann", "bob"][(id % 2) as usize]
            );
        }
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("job_id", Arc::new(Int64Array::from_iter_values(ids))),
            (
                "submit_time",
                Arc::new(TimestampMillisecondArray::from_iter_values(submits).with_timezone("UTC")),
            ),
            (
                "duration",
                Arc::new(Int64Array::from_iter_values(durations)),
            ),
            ("num_gpus", Arc::new(Int32Array::from(gpus))),
            ("user", Arc::new(users)),
        ];
        (batch(columns), text)
    }

    #[test]
    fn jobs_are_those_of_the_same_table_as_csv() {
        let (batch, csv) = jobs();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(2_500));
        let bytes = parquet(&batch, properties.build());
        assert_eq!(text_of(&bytes).unwrap(), csv);
        let file = SourceFile {
            name: "jobs",
            bytes: csv.as_bytes(),
        };
        let Ok(Opened::Trace(wanted)) = switchyard_trace::open(&[file], &OpenOptions::default())
        else {
            panic!("a trace");
        };
        for bytes in [bytes, arrow(&batch, None), stream(&batch)] {
            let trace = open(&bytes).unwrap();
            assert_eq!(
                (&trace.records, &trace.tenants, trace.epoch),
                (&wanted.records, &wanted.tenants, wanted.epoch)
            );
        }
    }

    #[test]
    fn what_others_write_is_read_or_refused_in_words() {
        let zstd = include_bytes!("../../tests/fixtures/columnar_zstd.parquet");
        let csv = include_str!("../../tests/fixtures/columnar_jobs.csv");
        let without_nodes = text_of(zstd).unwrap();
        let without_nodes = without_nodes
            .replace(",(a list)\n", "\n")
            .replace(",nodes\n", "\n");
        assert_eq!(without_nodes, csv);
        let brotli = include_bytes!("../../tests/fixtures/columnar_brotli.parquet");
        let packed = include_bytes!("../../tests/fixtures/columnar_zstd.arrow");
        for (bytes, why) in [
            (brotli.as_slice(), "compressed with Brotli"),
            (
                packed.as_slice(),
                "compressed with zstd, which is not read in Arrow files",
            ),
            (b"PARE and more", "encrypted"),
        ] {
            let error = text_of(bytes).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_is_cut_off_or_changed_is_an_error_or_other_rows_and_never_a_panic() {
        let (batch, _) = everything();
        let snappy = packed(Compression::SNAPPY, WriterVersion::PARQUET_2_0);
        let files = [
            parquet(&batch, snappy),
            arrow(&batch, Some(CompressionType::LZ4_FRAME)),
        ];
        for bytes in &files {
            for end in 8..bytes.len() {
                let error = text_of(&bytes[..end]).unwrap_err();
                assert!(error.contains("damaged or ends early"), "{end}: {error}");
            }
            for at in (0..bytes.len()).step_by(3) {
                let mut bytes = bytes.clone();
                bytes[at] ^= 0x55;
                let _ = text_of(&bytes);
            }
        }
        let streamed = stream(&batch);
        for end in 4..streamed.len() {
            let _ = text_of(&streamed[..end]);
        }
        let error = open(&files[0][..files[0].len() - 9])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("is a Parquet file and cannot be read"),
            "{error}"
        );
    }
}

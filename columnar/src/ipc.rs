//! Arrow's messages: a stream of them, or a file, which is a stream between two marks.

use crate::limits::{LARGEST, damaged};
use crate::text::Writer;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::{CompressionType, MessageHeader, root_as_message};
use arrow_schema::ArrowError;

const MARK: &[u8] = b"ARROW1";

/// Before each message, but in files of before 2019.
const CONTINUES: [u8; 4] = [0xFF; 4];

pub(crate) fn read(bytes: Vec<u8>, take: &mut dyn FnMut(&str) -> bool) -> Result<(), String> {
    let is_file = bytes.starts_with(MARK);
    if is_file && !bytes.ends_with(MARK) {
        return Err(damaged("its end is missing"));
    }
    let mut at = 0;
    if is_file {
        // After the mark there are zeros, up to 8 or 64 bytes.
        at = 8;
        while bytes.get(at..at + 4) == Some(&[0; 4]) {
            at += 4;
        }
    }
    let mut decoder = StreamDecoder::new();
    let bytes = Buffer::from_vec(bytes);
    let mut writer: Option<Writer<'_>> = None;
    let mut take = Some(take);
    while at < bytes.len() {
        let Some(length) = message(bytes.get(at..).unwrap_or(&[]))? else {
            break;
        };
        let mut message = bytes.slice_with_length(at, length);
        at += length;
        while !message.is_empty() {
            let batch = decoder.decode(&mut message).map_err(broken)?;
            if let (None, Some(schema)) = (&writer, decoder.schema())
                && let Some(take) = take.take()
            {
                writer = Some(Writer::new(schema.fields(), take));
            }
            if let (Some(batch), Some(writer)) = (batch, &mut writer)
                && !writer.write(&batch)
            {
                return Ok(());
            }
        }
    }
    decoder.finish().map_err(damaged)?;
    match writer {
        Some(writer) => {
            writer.end();
            Ok(())
        }
        None => Err(damaged("it has no columns")),
    }
}

fn broken(error: ArrowError) -> String {
    match error {
        ArrowError::NotYetImplemented(what) => {
            format!("it has what is not read here ({what}): export it as CSV")
        }
        error => damaged(error),
    }
}

/// How long the message at the beginning is, with its body; `None`: there are no more. Buffers in it that lie
/// elsewhere or would become too large are refused, since the decoder believes what they say of themselves.
fn message(bytes: &[u8]) -> Result<Option<usize>, String> {
    let short = || damaged("a message is cut off");
    let continued = bytes.strip_prefix(&CONTINUES);
    let before = if continued.is_some() { 8 } else { 4 };
    let (size, rest) = continued
        .unwrap_or(bytes)
        .split_first_chunk()
        .ok_or_else(short)?;
    let size = u32::from_le_bytes(*size) as usize;
    if size == 0 {
        return Ok(None);
    }
    let (head, body) = rest.split_at_checked(size).ok_or_else(short)?;
    let message = root_as_message(head).map_err(damaged)?;
    let length = usize::try_from(message.bodyLength()).ok();
    let body = length
        .and_then(|length| body.get(..length))
        .ok_or_else(short)?;
    let batch = match message.header_type() {
        MessageHeader::DictionaryBatch => message
            .header_as_dictionary_batch()
            .and_then(|dictionary| dictionary.data()),
        _ => message.header_as_record_batch(),
    };
    let Some(batch) = batch else {
        return Ok(Some(before + size + body.len()));
    };
    let compression = batch.compression();
    if compression.is_some_and(|of| of.codec() != CompressionType::LZ4_FRAME) {
        return Err("it is compressed with zstd, which is not read in Arrow files: write it with lz4 or without compression, or as Parquet".to_owned());
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let begins = usize::try_from(buffer.offset()).ok();
        let length = usize::try_from(buffer.length()).ok();
        let rest = begins.and_then(|at| body.get(at..));
        let bytes = rest
            .zip(length)
            .and_then(|(rest, length)| rest.get(..length));
        let bytes = bytes.ok_or_else(|| damaged("a column lies nowhere"))?;
        let says = bytes
            .first_chunk()
            .map_or(0, |size| i64::from_le_bytes(*size));
        if compression.is_some() && says > LARGEST as i64 {
            return Err(damaged(format!(
                "a column has more than {} MB in one batch",
                LARGEST >> 20
            )));
        }
    }
    Ok(Some(before + size + body.len()))
}

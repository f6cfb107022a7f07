//! A Parquet file, row group by row group. The crate's own codecs are not used: pages are read as they stand and
//! unpacked here, in Rust and within bounds.

use crate::limits::damaged;
use crate::packing::Packing;
use crate::text::Writer;
use arrow_schema::{DataType, Field, Fields, Schema};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::SerializedPageReader;
use std::sync::Arc;

/// Rows that are decoded at once.
const BATCH: usize = 4096;

pub(crate) fn read(
    bytes: Vec<u8>,
    take: &mut dyn FnMut(&str) -> bool,
) -> std::result::Result<(), String> {
    if bytes.starts_with(b"PARE") || bytes.ends_with(b"PARE") {
        return Err("it is encrypted: export it as CSV, or decrypt it".to_owned());
    }
    let bytes = Bytes::from(bytes);
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse(&bytes).map_err(broken)?;
    let metadata = reader.finish().map_err(broken)?;
    let file = metadata.file_metadata();
    let descriptor = file.schema_descr();
    let all = parquet_to_arrow_schema(descriptor, file.key_value_metadata()).map_err(broken)?;
    // A column that repeats within a row has no cell, and could have any number of values.
    let mask = ProjectionMask::leaves(
        descriptor,
        (0..descriptor.num_columns()).filter(|&of| descriptor.column(of).max_rep_level() == 0),
    );
    let hint = as_views(&all);
    let levels = parquet_to_arrow_field_levels(descriptor, mask, Some(&hint)).map_err(broken)?;
    for group in metadata.row_groups() {
        for column in group.columns() {
            Packing::of(column.compression())?;
            let begins = column.dictionary_page_offset().unwrap_or(0);
            if begins
                .min(column.data_page_offset())
                .min(column.compressed_size())
                < 0
            {
                return Err(damaged("a column lies nowhere"));
            }
        }
    }
    let mut writer = Writer::new(all.fields(), take);
    for group in 0..metadata.num_row_groups() {
        let group = Group {
            metadata: &metadata,
            group: metadata.row_group(group),
            bytes: &bytes,
        };
        let batches =
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &group, BATCH, None);
        for batch in batches.map_err(broken)? {
            if !writer.write(&batch.map_err(damaged)?) {
                return Ok(());
            }
        }
    }
    writer.end();
    Ok(())
}

fn broken(error: ParquetError) -> String {
    match error {
        ParquetError::NYI(what) => {
            format!("it has what is not read here ({what}): export it as CSV")
        }
        error => damaged(error),
    }
}

/// Texts as views, which share what a dictionary holds: a long text that is repeated is there once.
fn as_views(schema: &Schema) -> Fields {
    let as_view = |field: &Arc<Field>| {
        let text = match field.data_type() {
            DataType::Dictionary(_, of) => of.as_ref(),
            of => of,
        };
        let view = match text {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return field.clone(),
        };
        Arc::new(field.as_ref().clone().with_data_type(view))
    };
    schema.fields().iter().map(as_view).collect()
}

/// One row group.
struct Group<'a> {
    metadata: &'a ParquetMetaData,
    group: &'a RowGroupMetaData,
    bytes: &'a Bytes,
}

impl RowGroups for Group<'_> {
    fn num_rows(&self) -> usize {
        usize::try_from(self.group.num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, at: usize) -> Result<Box<dyn PageIterator>> {
        let column = self.group.column(at);
        let packing = Packing::of(column.compression()).map_err(ParquetError::General)?;
        let as_it_stands = column.clone().into_builder();
        let as_it_stands = as_it_stands
            .set_compression(Compression::UNCOMPRESSED)
            .build()?;
        let bytes = Arc::new(self.bytes.clone());
        let pages = SerializedPageReader::new(bytes, &as_it_stands, self.num_rows(), None)?;
        Ok(Box::new(Chunk(Some(Pages {
            pages,
            packing,
            has_dictionary: false,
        }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

/// What a row group has of a column.
struct Chunk(Option<Pages>);

impl Iterator for Chunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let pages = self.0.take()?;
        Some(Ok(Box::new(pages)))
    }
}

impl PageIterator for Chunk {}

/// Its pages, unpacked.
struct Pages {
    pages: SerializedPageReader<Bytes>,
    packing: Packing,
    has_dictionary: bool,
}

impl Pages {
    fn unpacked(&self, mut page: Page) -> Result<Page> {
        let (buffer, plain) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 {
                is_compressed: false,
                ..
            } => return Ok(page),
            // Its levels are never compressed.
            Page::DataPageV2 {
                buf,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let plain = def_levels_byte_len.saturating_add(*rep_levels_byte_len);
                (buf, plain as usize)
            }
        };
        if matches!(self.packing, Packing::None) {
            return Ok(page);
        }
        let split = buffer.split_at_checked(plain);
        let (levels, packed) =
            split.ok_or_else(|| ParquetError::EOF("a page is too short".to_owned()))?;
        let mut whole = levels.to_vec();
        // A page without values has nothing that was compressed.
        if !packed.is_empty() {
            let unpacked = self.packing.unpack(packed);
            whole.append(&mut unpacked.map_err(ParquetError::General)?);
        }
        *buffer = whole.into();
        Ok(page)
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else {
            return Ok(None);
        };
        self.has_dictionary |= page.is_dictionary_page();
        let (Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY, false) =
            (page.encoding(), self.has_dictionary)
        else {
            return self.unpacked(page).map(Some);
        };
        Err(ParquetError::General("a dictionary is missing".to_owned()))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

//! Tables that are stored by columns: Parquet and Arrow.
//!
//! The engine has no reader for them, since most programs need none: whoever opens traces gives one, which makes
//! the CSV of it that a text file would have been.

use super::super::error::OpenError;
use super::super::place::{Flaws, Place};
use super::super::shared::Shared;
use super::super::text::TextFile;
use super::within::damaged;

/// Opens a whole file; `what`: what it is.
pub(super) fn open(
    place: &Place,
    what: &'static str,
    bytes: Vec<u8>,
    flaws: Flaws,
    shared: &mut Shared,
) -> Result<(), OpenError> {
    let Some(read) = shared.columns else {
        return Ok(());
    };
    if flaws.truncated {
        let why = format!("{what} in it is cut off");
        shared.refuse(place, damaged(&place.file, &why));
        return Ok(());
    }
    let place = place.inner();
    let mut text = TextFile::stored_as(what);
    let mut failed = Ok(());
    let read = read(bytes, &mut |piece| {
        failed = shared
            .spend(&place.file, piece.len())
            .and_then(|()| text.push(piece.as_bytes(), &place, shared));
        failed.is_ok() && !text.is_refused()
    });
    failed?;
    match read {
        Ok(()) => text.end(flaws, &place, shared),
        Err(why) => {
            let (file, what) = (place.file.clone(), what.to_owned());
            shared.refuse(&place, OpenError::UnreadableColumns { file, what, why });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{OpenError, OpenOptions, Opened, Opening};

    const TABLE: &str = "job_id,submit_time,duration,num_gpus\n1,0,60,2\n2,5,60,1\n";

    /// A file whose reader gives a table, however many rows are taken.
    fn open(
        read: Option<crate::ReadColumns>,
        options: OpenOptions,
    ) -> (bool, Result<Opened, OpenError>) {
        let mut opening = Opening::new(options);
        if let Some(read) = read {
            opening = opening.reading_columns(read);
        }
        opening.begin("jobs.parquet").unwrap();
        let mut bytes = b"PAR1".to_vec();
        bytes.resize(400, 0);
        opening.push(&bytes).unwrap();
        (opening.met_columns(), opening.finish())
    }

    #[test]
    fn what_a_reader_gives_is_read_as_a_table_and_called_what_it_was() {
        let (met, opened) = open(
            Some(|_, take| {
                assert!(take(&TABLE[..50]));
                assert!(take(&TABLE[50..]));
                Ok(())
            }),
            OpenOptions::default(),
        );
        assert!(met);
        let Ok(Opened::Trace(trace)) = opened else {
            panic!("{opened:?}");
        };
        assert_eq!(trace.records.len(), 2);
        assert_eq!(trace.records[1].line, 3);
        let recognised = &trace.report.recognised;
        assert!(recognised.contains("a Parquet file"), "{recognised}");
    }

    #[test]
    fn without_a_reader_it_is_refused_and_said_to_have_come() {
        let (met, opened) = open(None, OpenOptions::default());
        assert!(met);
        let why = opened.unwrap_err().to_string();
        assert!(
            why.contains("a Parquet file, which is not read here"),
            "{why}"
        );
    }

    #[test]
    fn limits_hold_and_a_reader_that_gives_no_table_is_stopped() {
        let endless: crate::ReadColumns = |_, take| {
            assert!(take(TABLE));
            let row = "3,9,60,1\n".repeat(10_000);
            let more = (0..1_000).take_while(|_| take(&row)).count();
            assert!(more < 999, "it goes on for ever");
            Ok(())
        };
        let within = |max_rows, max_bytes| OpenOptions {
            max_rows,
            max_bytes,
            ..OpenOptions::default()
        };
        let (_, rows) = open(Some(endless), within(50_000, 1 << 30));
        assert!(
            matches!(rows, Err(OpenError::TooManyRows { .. })),
            "{rows:?}"
        );
        let (_, bytes) = open(Some(endless), within(1 << 40, 1 << 20));
        assert!(
            matches!(bytes, Err(OpenError::TooLarge { .. })),
            "{bytes:?}"
        );
        let (_, other) = open(
            Some(|_, take| {
                let row = "name,colour,size\n".to_owned() + &"a,b,c\n".repeat(20_000);
                assert!((0..1_000).take_while(|_| take(&row)).count() < 10);
                Ok(())
            }),
            OpenOptions::default(),
        );
        assert!(
            matches!(other, Err(OpenError::MissingColumns { .. })),
            "{other:?}"
        );
        let (_, failed) = open(
            Some(|_, _| Err("it has holes".into())),
            OpenOptions::default(),
        );
        let why = failed.unwrap_err().to_string();
        assert!(
            why.contains("jobs.parquet") && why.contains("it has holes"),
            "{why}"
        );
    }
}

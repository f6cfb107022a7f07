//! One text whose bytes come in slices: decoded, recognised as soon as enough of it is there,
//! and read row by row.

use super::cluster_files;
use super::detect::{self, Found};
use super::encoding::{Decoder, LOOK};
use super::error::OpenError;
use super::fixed::{self, FixedWidth};
use super::format::Format;
use super::import::Import;
use super::place::{Flaws, Place};
use super::report::WarningKind;
use super::rows::Part;
use super::shared::{self, Shared};
use crate::application::{ProfileTable, TableName};
use crate::outages::Outages;

/// How much of a text is looked at to tell what it is, at first. Where that does not suffice,
/// twice as much.
const FIRST_LOOK: usize = 1 << 16;

/// A text on its way.
#[derive(Default)]
pub(crate) struct TextFile {
    /// The first bytes, too few to tell the encoding.
    head: Vec<u8>,
    decoder: Option<Decoder>,
    /// What is decoded and not read.
    text: String,
    /// Nothing is done before the text is this long.
    wanted: usize,
    phase: Phase,
    /// The line of the first invalid sequence.
    first_invalid: Option<u32>,
    /// What it was before it was a text; "" for a text.
    stored_as: &'static str,
    /// Its columns, where their widths tell them apart.
    fixed: Option<FixedWidth>,
}

/// What is known of a text.
#[derive(Default)]
enum Phase {
    #[default]
    Unknown,
    /// A trace, which is read as it comes.
    Rows(Box<Rows>),
    /// It is told and read as a whole, once it is there.
    Whole,
    /// It is of no use.
    Refused,
}

struct Rows {
    format: &'static Format,
    recognised: String,
    import: Import,
}

impl TextFile {
    /// A text that is made of something else.
    pub(crate) fn stored_as(what: &'static str) -> Self {
        Self {
            stored_as: what,
            ..Self::default()
        }
    }

    /// Whether it is of no use, so that nothing else of it is needed.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.phase, Phase::Refused)
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// There are more rows than may be read, or more bytes than may be held.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        place: &Place,
        shared: &mut Shared,
    ) -> Result<(), OpenError> {
        if self.decoder.is_none() {
            let wanted = LOOK.saturating_sub(self.head.len());
            let (front, rest) = bytes.split_at_checked(wanted).unwrap_or((bytes, &[]));
            self.head.extend_from_slice(front);
            if self.head.len() < LOOK {
                return Ok(());
            }
            bytes = rest;
            self.begin(place, shared);
        }
        self.decode(bytes);
        if self.text.len() >= self.wanted {
            self.read(Part::Some, place, shared)?;
        }
        shared.may_hold(&place.file, self.text.len())
    }

    /// Takes notice that there are no more bytes.
    ///
    /// # Errors
    ///
    /// As for [`push`](Self::push).
    pub(crate) fn end(
        mut self,
        flaws: Flaws,
        place: &Place,
        shared: &mut Shared,
    ) -> Result<(), OpenError> {
        if self.decoder.is_none() {
            self.begin(place, shared);
        }
        let invalid = match &mut self.decoder {
            Some(decoder) => {
                let text = match &mut self.fixed {
                    Some(fixed) => fixed.rest(),
                    None => &mut self.text,
                };
                decoder.end(text)
            }
            None => None,
        };
        self.note_invalid(invalid);
        if let Some(fixed) = &mut self.fixed {
            fixed.convert(true, &mut self.text);
        }
        if let Phase::Rows(rows) = &mut self.phase {
            rows.import.truncated = flaws.truncated;
        }
        if let Phase::Unknown | Phase::Whole = self.phase {
            self.recognise(Part::Last, place, shared, flaws);
        }
        self.read(Part::Last, place, shared)?;
        let Phase::Rows(rows) = self.phase else {
            return Ok(());
        };
        let Rows {
            format,
            mut recognised,
            import,
        } = *rows;
        if !self.stored_as.is_empty() {
            recognised = format!("{recognised}; it is {}", self.stored_as);
        }
        recognised += &self.fixed.map_or_else(String::new, |fixed| fixed.cut());
        match import.finish() {
            Ok(mut imported) => {
                imported.trailing(flaws.trailing);
                let tally = &mut imported.sink.tally;
                let truncated = u32::from(flaws.truncated);
                tally.warn(WarningKind::ContainerTruncated, truncated, 0, &|| {
                    "it ends early".to_owned()
                });
                let invalid = self.decoder.map_or(0, |decoder| decoder.invalid);
                let line = self.first_invalid.unwrap_or(0);
                tally.warn(WarningKind::InvalidText, invalid, line, &|| {
                    "no valid UTF-8 or UTF-16".to_owned()
                });
                shared.part(shared::Part {
                    place: place.clone(),
                    format,
                    recognised,
                    imported,
                });
            }
            Err(error) => shared.refuse(place, error),
        }
        Ok(())
    }

    /// Finds out the encoding.
    fn begin(&mut self, place: &Place, shared: &mut Shared) {
        let head = std::mem::take(&mut self.head);
        let Some((decoder, mark)) = Decoder::new(&head) else {
            let why = "it is neither text nor a known container: open a table, a JSON array, or an archive of them";
            shared.refuse(place, OpenError::not_a_trace(&place.file, why));
            self.phase = Phase::Refused;
            return;
        };
        self.decoder = Some(decoder);
        self.wanted = FIRST_LOOK;
        self.decode(head.get(mark..).unwrap_or(&[]));
    }

    fn decode(&mut self, bytes: &[u8]) {
        if let (Some(decoder), false) = (&mut self.decoder, matches!(self.phase, Phase::Refused)) {
            let invalid = match &mut self.fixed {
                Some(fixed) => {
                    let invalid = decoder.decode(bytes, fixed.rest());
                    fixed.convert(false, &mut self.text);
                    invalid
                }
                None => decoder.decode(bytes, &mut self.text),
            };
            self.note_invalid(invalid);
        }
    }

    fn note_invalid(&mut self, at: Option<usize>) {
        if let (Some(at), None) = (at, self.first_invalid) {
            let before = self.text.as_bytes().get(..at).unwrap_or(&[]);
            let lines = memchr::memchr_iter(b'\n', before).count();
            let line = match &self.phase {
                Phase::Rows(rows) => rows.import.line(),
                _ => 1,
            };
            self.first_invalid = Some(line.saturating_add(lines as u32));
        }
    }

    fn read(&mut self, part: Part, place: &Place, shared: &mut Shared) -> Result<(), OpenError> {
        if let (Phase::Unknown, Part::Some) = (&self.phase, part) {
            self.recognise(part, place, shared, Flaws::default());
        }
        match &mut self.phase {
            Phase::Rows(rows) => {
                if let Some(to_come) = shared.to_come {
                    rows.import.make_room(to_come);
                }
                let before = rows.import.counts();
                let left = rows.import.read(&self.text, part);
                let after = rows.import.counts();
                shared.rows += after.0 - before.0;
                shared.jobs += after.1.saturating_sub(before.1);
                if rows.import.is_overfull() {
                    return Err(shared.too_many_rows(&place.file));
                }
                let used = self.text.len() - left;
                self.text.drain(..used);
                // A row that does not end is looked at again when there is twice as much of it.
                self.wanted = (left * 2).max(1);
            }
            Phase::Refused => self.text = String::new(),
            Phase::Unknown | Phase::Whole => {}
        }
        Ok(())
    }

    /// Tells what the text is.
    fn recognise(&mut self, part: Part, place: &Place, shared: &mut Shared, flaws: Flaws) {
        let text = &mut self.text;
        // Line ends of old: only carriage returns.
        if memchr::memchr(b'\n', text.as_bytes()).is_none()
            && text.trim_end().contains('\r')
            && let Some(decoder) = &mut self.decoder
        {
            decoder.old_line_ends = true;
            decoder.mend_line_ends(0, text);
        }
        if self.fixed.is_none()
            && let Some(mut fixed) = FixedWidth::of(text)
        {
            fixed.rest().push_str(&std::mem::take(text));
            fixed.convert(matches!(part, Part::Last), text);
            let refusal = fixed::lacks(&place.file, text.lines().next().unwrap_or(""));
            self.fixed = Some(fixed);
            if let Some(refusal) = refusal {
                shared.refuse(place, refusal);
                self.phase = Phase::Refused;
                return;
            }
        }
        let path = place.own_path();
        if TableName::of(path).is_some() {
            if let Part::Some = part {
                self.phase = Phase::Whole;
                self.wanted = usize::MAX;
                return;
            }
            shared.profile(ProfileTable {
                file: place.file.clone(),
                path: path.to_owned(),
                text: std::mem::take(text),
            });
            self.phase = Phase::Refused;
            return;
        }
        let mapping = shared.options.mapping.clone();
        let found = detect::detect(&place.file, text, part, mapping.as_ref());
        let result = match found {
            Ok(Found::More) => {
                self.wanted = text.len().saturating_mul(2).max(FIRST_LOOK);
                return;
            }
            Ok(Found::Whole) => {
                self.phase = Phase::Whole;
                self.wanted = usize::MAX;
                return;
            }
            Ok(Found::Cluster(kind, _)) if cluster_files::has_parts(kind) => {
                shared.slurm(place, text.clone());
                Ok(Phase::Refused)
            }
            Ok(Found::Cluster(kind, mut sniff)) => {
                sniff.unit = shared.options.unit;
                match cluster_files::read(kind, &sniff) {
                    Ok(cluster) => {
                        shared.cluster(place, cluster);
                        Ok(Phase::Refused)
                    }
                    Err(error) => Err(error),
                }
            }
            Ok(Found::Outages) => match Outages::read(text) {
                Ok(outages) => {
                    shared.outages(place, &outages);
                    Ok(Phase::Refused)
                }
                Err(why) => Err(OpenError::BadOutages {
                    file: place.file.clone(),
                    why: why.to_string(),
                }),
            },
            Ok(Found::Trace(format, recognised, mut sniff)) => {
                sniff.unit = shared.options.unit;
                sniff.keeps_on_cores = shared.options.keep_on_cores;
                match Import::new(format, &mut sniff, mapping.as_ref(), shared.rows_left()) {
                    Ok(mut import) => {
                        import.truncated = flaws.truncated;
                        Ok(Phase::Rows(Box::new(Rows {
                            format,
                            recognised,
                            import,
                        })))
                    }
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        self.wanted = 0;
        self.phase = result.unwrap_or_else(|error| {
            shared.refuse(place, error);
            Phase::Refused
        });
    }
}

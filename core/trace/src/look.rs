//! Looks at the beginning of a text: its shape, its header and its first rows, as a [`Sniff`].
//!
//! A text may be there only in part; then the answer can be that more of it is needed.
//!
//! In order: JSON, YAML, SWF, else a table, delimited or of words between blanks.

use super::error::OpenError;
use super::keys::keys;
use super::known;
use super::manifest::is_yaml;
use super::rows::{
    Elements, Lines, Part, Receiver, Row, Words, WordsLine, date, date_year_last, number,
};
use super::slurm::is_pairs;
use super::sniff::{
    BLANKS, Column, OWN, PREVIEW, Shape, Sniff, is_drawn, is_single_column, shown_cells,
    table_reader,
};
use super::timestamp::TimeUnit;

/// A row this long is none: what there is has to do.
const MAX_ROW: usize = 1 << 22;

/// So much may stand above the table of one of our own files: histories and profiles are there.
const MAX_SETTINGS: usize = 1 << 26;

/// Whether a row is a job of the Standard Workload Format; the flag: a comment precedes it.
type IsSwfJob = fn(&Row<'_>, bool) -> bool;

/// What the beginning of a text gave.
pub(crate) enum Sniffed<'a> {
    Known(Sniff<'a>),
    More,
    Whole,
}

/// `mapped`: people say which columns are which, so words between blanks are a table.
pub(crate) fn sniff<'a>(
    file: &'a str,
    text: &'a str,
    part: Part,
    mapped: bool,
    is_swf_job: IsSwfJob,
) -> Result<Sniffed<'a>, OpenError> {
    let start = text.trim_ascii_start();
    if start.is_empty() && part == Part::Some {
        return Ok(Sniffed::More);
    }
    if start.is_empty() {
        let file = file.to_owned();
        return Err(OpenError::Empty { file });
    }
    let begins = |tag: &str| {
        let beginning = start.as_bytes().get(..tag.len());
        beginning.is_some_and(|bytes| bytes.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if begins("<!doctype html") || begins("<html") {
        return Err(OpenError::not_a_trace(
            file,
            "it is a web page: download the raw file behind it",
        ));
    }
    if let Some(refusal) = known::marked(file, start) {
        return Err(refusal);
    }
    if !mapped && is_yaml(text) {
        return Ok(match part {
            Part::Some => Sniffed::Whole,
            Part::Last => Sniffed::Known(Sniff {
                shape: Shape::Yaml,
                ..Sniff::of(file, text)
            }),
        });
    }
    if is_pairs(text) {
        return Ok(match part {
            Part::Some => Sniffed::Whole,
            Part::Last => Sniffed::Known(Sniff::of_pairs(file, text)),
        });
    }
    if let (false, Some(refusal)) = (mapped, known::printed(file, start)) {
        return Err(refusal);
    }
    match start.as_bytes() {
        [b'[', ..] => Ok(sniff_array(file, text, part)),
        [b'{', ..] => sniff_object(file, text, part),
        _ => match is_swf(text, part, is_swf_job) {
            Some(true) if mapped => sniff_table(file, text, part, Some(BLANKS)),
            Some(true) => Ok(Sniffed::Known(Sniff {
                shape: Shape::Swf,
                width: 18,
                ..Sniff::of(file, text)
            })),
            Some(false) => sniff_table(file, text, part, None),
            None => Ok(Sniffed::More),
        },
    }
}

/// Whether the first rows are jobs of the Standard Workload Format; `None`: more of the text is
/// needed to tell.
fn is_swf(text: &str, part: Part, is_swf_job: IsSwfJob) -> Option<bool> {
    let mut words = Words::part(text, ';', 1, part);
    let (mut comments, mut rows) = (false, 0);
    loop {
        match words.next() {
            Some(WordsLine::Comment(text)) => {
                // A semicolon-separated table whose first column has no name begins like a
                // comment.
                comments |= !text.contains(';');
            }
            Some(WordsLine::Row(row)) => {
                // Below the first row, one may be cut off.
                if (rows == 0 || row.len() >= 18) && !is_swf_job(&row, comments) {
                    return Some(false);
                }
                rows += 1;
                if rows > PREVIEW {
                    return Some(true);
                }
            }
            None if part == Part::Some && text.len() < MAX_ROW => return None,
            None => return Some(rows > 0 || comments),
        }
    }
}

fn sniff_array<'a>(file: &'a str, text: &'a str, part: Part) -> Sniffed<'a> {
    let mut elements = Elements::beginning(text, part);
    let mut first = Vec::new();
    while first.len() < PREVIEW
        && let Some(row) = elements.next()
    {
        first.push(row.cell(0).to_owned());
    }
    if first.len() < PREVIEW && part == Part::Some && text.len() < MAX_ROW {
        return Sniffed::More;
    }
    Sniffed::Known(Sniff::of(file, text).with_objects(&first))
}

/// An object is read as a whole, but for one per line, which is a row.
fn sniff_object<'a>(file: &'a str, text: &'a str, part: Part) -> Result<Sniffed<'a>, OpenError> {
    let text_start = text.trim_ascii_start();
    let (line, below) = text_start.split_once('\n').unwrap_or((text_start, ""));
    let first = keys(line);
    if !first.is_empty() && below.trim_ascii_start().starts_with('{') {
        let mut lines = Lines::part(text, 1, part);
        let mut first = Vec::new();
        while first.len() < PREVIEW
            && let Some(row) = lines.next()
        {
            first.push(row.cell(0).to_owned());
        }
        if first.len() < PREVIEW && part == Part::Some && text.len() < MAX_ROW {
            return Ok(Sniffed::More);
        }
        let sniff = Sniff {
            shape: Shape::JsonLines,
            ..Sniff::of(file, text)
        };
        return Ok(Sniffed::Known(sniff.with_objects(&first)));
    }
    if part == Part::Some {
        return Ok(Sniffed::Whole);
    }
    Ok(Sniffed::Known(
        Sniff {
            shape: Shape::JsonObject,
            ..Sniff::of(file, text)
        }
        .with_keys(keys(text)),
    ))
}

/// Whether lines are drawn between the rows of a table, as databases and Markdown do.
fn is_boxed(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim_ascii)
        .filter(|line| !line.is_empty());
    let is_rule = |line: &str| {
        line.len() > 2
            && line.bytes().all(|byte| b"-+=|: ".contains(&byte))
            && line.contains(['-', '='])
            && line.contains(['+', '|'])
    };
    match (lines.next(), lines.next()) {
        (Some(first), Some(second)) if is_rule(first) => second.contains('|'),
        (Some(first), Some(second)) => first.contains('|') && is_rule(second),
        _ => false,
    }
}

/// The first rows below the comments, as far as formats look at them.
#[derive(Default)]
struct Preview {
    rows: Vec<(u32, Vec<String>)>,
    boxed: bool,
}

impl Receiver for Preview {
    fn row(&mut self, row: &Row<'_>) {
        if self.rows.len() <= PREVIEW && !(self.boxed && is_drawn(row)) {
            self.rows.push((row.line, shown_cells(row)));
        }
    }

    fn comment(&mut self, _text: &str) {}
}

/// `asked`: what separates the cells, where that is known.
fn sniff_table<'a>(
    file: &'a str,
    text: &'a str,
    part: Part,
    asked: Option<u8>,
) -> Result<Sniffed<'a>, OpenError> {
    let (comments, table) = comments(text);
    let boxed = is_boxed(table);
    let said = comments.first().and_then(|(_, text)| separator(text));
    let asked = asked.or(said).or(boxed.then_some(b'|'));
    let delimiter = asked.or_else(|| {
        if let Some(delimiter) = of_accounting(table) {
            return Some(delimiter);
        }
        let delimiter = delimiter(table);
        if delimiter.is_none() && known::tells_nodes(table) {
            return Some(BLANKS);
        }
        if stands_between_blanks(table, delimiter) {
            Some(BLANKS)
        } else {
            delimiter
        }
    });
    let above = comments.last().map_or(0, |comment| comment.0);
    let mut preview = Preview {
        boxed,
        ..Preview::default()
    };
    table_reader(delimiter.unwrap_or(b','), above + 1).read(table, part, &mut preview);
    let mut rows = preview.rows;
    let is_own = comments.first().is_some_and(|of| of.1.starts_with(OWN));
    let most = if is_own { MAX_SETTINGS } else { MAX_ROW };
    if part == Part::Some && rows.len() <= PREVIEW && text.len() < most {
        return Ok(Sniffed::More);
    }
    let Some((header_line, first)) = rows.first().cloned() else {
        return Err(OpenError::HeaderOnly {
            file: file.to_owned(),
            what: "comments alone".to_owned(),
        });
    };
    let header = !first.iter().any(|cell| is_value(cell));
    let mut columns: Vec<Column> = Vec::new();
    if header {
        rows.remove(0);
        let cells = first.iter().enumerate().filter(|(_, c)| !c.is_empty());
        columns.extend(cells.map(|(index, cell)| Column {
            name: cell.to_ascii_lowercase(),
            shown: cell.clone(),
            index,
        }));
    }
    let mut width = first.len();
    // Tables whose rows begin with their name, and whose header does not name that column.
    let longer = |row: &(u32, Vec<String>)| {
        // Or a list without quotation marks, such as cpu=8,node=1.
        let pair = |cell: &String| cell.contains('=') && !cell.contains(',');
        let cut = delimiter == Some(b',') && row.1.iter().filter(|cell| pair(cell)).count() > 1;
        row.1.len() == width + 1 && !cut && row.1.last().is_some_and(|cell| !cell.is_empty())
    };
    if header && rows.len() > 1 && rows.iter().all(longer) {
        columns.iter_mut().for_each(|c| c.index += 1);
    }
    if header {
        // A delimiter at the end of the header makes no column that rows would have to have.
        width = columns.last().map_or(0, |column| column.index + 1);
    }
    if delimiter.is_none() && !is_single_column(&columns) && comments.is_empty() {
        return Err(OpenError::not_a_trace(
            file,
            "its first line has no comma, semicolon, tab or pipe between columns: open a table of jobs",
        ));
    }
    Ok(Sniffed::Known(Sniff {
        shape: Shape::Table {
            delimiter: delimiter.unwrap_or(b','),
            header,
        },
        columns,
        header_line: if header { header_line } else { above },
        width,
        preview: rows.into_iter().map(|(_, cells)| cells).collect(),
        comments,
        above: text.len() - table.len(),
        from: above + 1,
        boxed,
        ..Sniff::of(file, text)
    }))
}

/// The comments above a table, each with its line and without its `#`, and what is below them.
fn comments(text: &str) -> (Vec<(u32, String)>, &str) {
    let mut comments = Vec::new();
    let mut rest = text;
    let mut number = 1;
    if let Some((line, below)) = text.split_once('\n')
        && separator(line).is_some()
    {
        comments.push((number, line.trim_ascii().to_owned()));
        (rest, number) = (below, number + 1);
    }
    // A header may begin with the character too, but not with a blank after it.
    while let Some(comment) = rest.strip_prefix('#')
        && (comment.starts_with(' ') || !comments.is_empty() || comment.starts_with(OWN))
        && let Some((line, below)) = comment.split_once('\n')
    {
        comments.push((number, line.trim_ascii().to_owned()));
        (rest, number) = (below, number + 1);
    }
    (comments, rest)
}

/// What a line such as `sep=;`, which spreadsheets write above a table, says of its cells.
fn separator(line: &str) -> Option<u8> {
    let line = line.trim_ascii_end().trim_matches('"');
    let (key, separator) = line.split_at_checked(4)?;
    match separator.as_bytes() {
        [byte @ (b',' | b';' | b'\t' | b'|')] if key.eq_ignore_ascii_case("sep=") => Some(*byte),
        // A tab at the end of a line is a blank.
        [] if key.eq_ignore_ascii_case("sep=") => Some(b'\t'),
        _ => None,
    }
}

/// Whether a cell holds a value rather than a column's name.
fn is_value(cell: &str) -> bool {
    number(cell).is_some() || date(cell).is_some() || date_year_last(cell).is_some()
}

/// Whether the first lines are rows of as many words each, some of them values, which the
/// delimiter does not cut alike, or not into values: its commas are within numbers.
fn stands_between_blanks(text: &str, delimiter: Option<u8>) -> bool {
    let lines = text.lines().filter(|line| !line.trim_ascii().is_empty());
    let lines: Vec<&str> = lines.take(PREVIEW).collect();
    let alike = |count: &dyn Fn(&str) -> usize| {
        let mut counts = lines.iter().map(|line| count(line));
        let first = counts.next().unwrap_or(0);
        counts.all(|count| count == first).then_some(first)
    };
    let words = alike(&|line| line.split_ascii_whitespace().count());
    let cells = delimiter.and_then(|delimiter| {
        alike(&|line| line.bytes().filter(|byte| *byte == delimiter).count())
    });
    let words_tell = || {
        let mut words = lines.iter().flat_map(|line| line.split_ascii_whitespace());
        words.any(is_value)
    };
    let cells_tell = || {
        let delimiter = delimiter.map_or('\0', char::from);
        let mut cells = lines.iter().flat_map(|line| line.split(delimiter));
        cells.any(|cell| is_value(cell.trim_ascii()))
    };
    lines.len() > 1
        && words.is_some_and(|words| words > 2)
        && (cells.is_none() || !cells_tell())
        && words_tell()
}

/// What separates the fields of a batch system's accounting, whose values have commas: PBS' begins
/// with a date and the kind of a record, Grid Engine's has three Unix times among 43 fields and more.
fn of_accounting(text: &str) -> Option<u8> {
    let line = text.trim_ascii_start().lines().next()?;
    let mut fields = line.split(';');
    let (first, kind) = (fields.next()?, fields.next().unwrap_or(""));
    let is_kind = kind.len() == 1 && kind.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_kind && date_year_last(first).is_some() {
        return Some(b';');
    }
    let fields: Vec<&str> = line.split(':').take(64).collect();
    let times = fields.get(8..11)?.iter().map(|field| number(field));
    let is_time = |time: Option<f64>| {
        time.is_some_and(|time| time == 0.0 || TimeUnit::of_unix_time(time).is_some())
    };
    (fields.len() >= 43 && times.into_iter().all(is_time)).then_some(b':')
}

/// What separates the cells of the first line, if anything: whatever is most frequent there,
/// outside quotation marks.
fn delimiter(text: &str) -> Option<u8> {
    const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
    let line = text.trim_ascii_start().lines().next().unwrap_or("");
    let mut counts = [0usize; 4];
    let mut quoted = false;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if !quoted && let Some(i) = DELIMITERS.iter().position(|&d| d == byte) {
            counts[i] += 1;
        }
    }
    let most = counts.into_iter().max().filter(|&most| most > 0)?;
    let i = counts.iter().position(|&count| count == most)?;
    DELIMITERS.get(i).copied()
}

//! Tables in columns of fixed width, as `sacct` prints them: below the header stand dashes, as many as a column
//! is wide. Cells may be empty and have blanks in them, so that only places tell them apart. They are made
//! a table with tabs, line by line; the line of dashes becomes an empty one, so that lines keep their numbers.
//!
//! A cell that does not fit is cut off, and ends in `+`.

use super::error::OpenError;
use super::known::known;

/// What is typed to get all that a trace needs.
const COMMAND: &str = "sacct --allusers --parsable2 --format=JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,TimelimitRaw,State,AllocTRES,ReqTRES";

/// Columns of fixed width, and what has come of their table.
pub(crate) struct FixedWidth {
    /// Where each begins, and its width, in characters.
    columns: Vec<(usize, usize)>,
    /// The last line, which may go on.
    rest: String,
    lines: u32,
    /// Cells that are cut off.
    cut: u32,
}

impl FixedWidth {
    /// What a text looks like whose second line is of dashes.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let header = lines.next()?.split_ascii_whitespace().count();
        let rule = lines.next()?;
        let is_rule = rule.bytes().all(|byte| byte == b'-' || byte == b' ');
        let mut columns = Vec::new();
        let mut before = ' ';
        for (at, c) in rule.chars().enumerate() {
            if c == '-' && before != '-' {
                columns.push((at, 0));
            }
            if let ('-', Some(column)) = (c, columns.last_mut()) {
                column.1 += 1;
            }
            before = c;
        }
        (is_rule && header > 1 && columns.len() > 1).then(|| Self {
            columns,
            rest: String::new(),
            lines: 0,
            cut: 0,
        })
    }

    /// Where the next of the text goes.
    pub(crate) fn rest(&mut self) -> &mut String {
        &mut self.rest
    }

    /// Writes the lines that are whole; the last one, too, at the end of the text.
    pub(crate) fn convert(&mut self, at_end: bool, to: &mut String) {
        let rest = std::mem::take(&mut self.rest);
        let whole = match rest.rfind('\n') {
            _ if at_end => rest.len(),
            Some(end) => end + 1,
            None => 0,
        };
        let (lines, rest) = rest.split_at(whole);
        lines.lines().for_each(|line| self.line(line, to));
        rest.clone_into(&mut self.rest);
    }

    fn line(&mut self, line: &str, to: &mut String) {
        self.lines = self.lines.saturating_add(1);
        if self.lines != 2 {
            self.cells(line, to);
        }
        to.push('\n');
    }

    fn cells(&mut self, line: &str, to: &mut String) {
        // Places are characters, of which some take several bytes.
        let place = |at: usize| match line.is_ascii() {
            true => at.min(line.len()),
            false => line.char_indices().nth(at).map_or(line.len(), |of| of.0),
        };
        for (number, &(begins, width)) in self.columns.iter().enumerate() {
            if number > 0 {
                to.push('\t');
            }
            let ends = self.columns.get(number + 1);
            let ends = ends.map_or(line.len(), |&(next, _)| place(next));
            let cell = line.get(place(begins)..ends).unwrap_or("").trim_ascii();
            let is_cut = self.lines > 1 && cell.ends_with('+') && cell.chars().count() == width;
            self.cut = self.cut.saturating_add(u32::from(is_cut));
            to.extend(cell.chars().map(|c| if c == '\t' { ' ' } else { c }));
        }
    }

    /// What to say of cells that are cut off; "" where none are.
    pub(crate) fn cut(&self) -> String {
        match self.cut {
            0 => String::new(),
            1 => "; 1 cell is cut off, so that it ends in +".to_owned(),
            cut => format!(
                "; {cut} cells are cut off, so that they end in + and different names may look alike"
            ),
        }
    }
}

/// Why what `sacct` prints cannot be replayed, whatever stands in its rows. `header`: its names between tabs.
pub(crate) fn lacks(file: &str, header: &str) -> Option<OpenError> {
    let names: Vec<String> = header.split('\t').map(str::to_ascii_lowercase).collect();
    let has = |name: &str| names.iter().any(|of| of == name);
    let has_span = has("elapsed") || has("elapsedraw") || has("start") && has("end");
    let has_part = |part: &str| names.iter().any(|of| of.contains(part));
    let has_gpus = ["tres", "gres", "gpu"].into_iter().any(has_part);
    let mut lacks = Vec::new();
    lacks.extend((!has("submit")).then_some("Submit"));
    lacks.extend((!has_span).then_some("ElapsedRaw"));
    // Cores can be counted instead.
    if !has_gpus && (!lacks.is_empty() || !has_part("cpus")) {
        lacks.push("AllocTRES");
    }
    if !has("jobid") || lacks.is_empty() {
        return None;
    }
    Some(known(
        file,
        "what sacct prints in columns of fixed width",
        &format!(
            "it does not have {}; print it with {COMMAND}",
            lacks.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, try_open};

    /// Rows below a header and its dashes, of these widths; what does not fit is cut off as sacct does.
    fn printed(widths: &[usize], rows: &[&[&str]]) -> String {
        let mut text = String::new();
        for (at, row) in rows.iter().enumerate() {
            for (cell, &width) in row.iter().zip(widths) {
                let mut cell = (*cell).to_owned();
                if cell.chars().count() > width {
                    cell = cell.chars().take(width - 1).collect();
                    cell.push('+');
                }
                text += &format!("{cell:>width$} ");
            }
            text.push('\n');
            if at == 0 {
                let dashes = widths.iter().map(|&width| "-".repeat(width) + " ");
                text.extend(dashes);
                text.push('\n');
            }
        }
        text
    }

    const HEADER: &[&str] = &[
        "JobID",
        "JobName",
        "Account",
        "Submit",
        "Elapsed",
        "State",
        "AllocTRES",
    ];

    fn rows<'a>() -> Vec<&'a [&'a str]> {
        vec![
            HEADER,
            &[
                "91",
                "train a net",
                "vision",
                "2024-03-12T14:05:00",
                "01:00:00",
                "COMPLETED",
                "cpu=8,gres/gpu=2",
            ],
            &[
                "91.batch",
                "batch",
                "vision",
                "2024-03-12T14:05:00",
                "01:00:00",
                "COMPLETED",
                "cpu=8,gres/gpu=2",
            ],
            &[
                "91.0",
                "ü",
                "",
                "2024-03-12T14:05:00",
                "01:00:00",
                "COMPLETED",
                "cpu=8",
            ],
            &[
                "92",
                "",
                "",
                "2024-03-12T15:05:00",
                "1-00:00:10",
                "CANCELLED by 12",
                "cpu=8,gres/gpu=12",
            ],
        ]
    }

    #[test]
    fn steps_and_empty_cells_are_told_by_their_places() {
        let text = printed(&[12, 12, 10, 19, 10, 10, 30], &rows());
        let read = trace("sacct.txt", text.as_bytes());
        assert_eq!(read.format, "sacct");
        assert_eq!(
            records(&read),
            [
                "3 91 1710252300 3600 2 vision - Completed",
                "6 92 1710255900 86410 12 - - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&read),
            ["partial_execution 2 4 JobID is '91.batch'"]
        );
        let said = &read.report.recognised;
        assert!(said.contains("1 cell is cut off"), "{said}");
    }

    #[test]
    fn a_number_that_is_cut_off_is_none() {
        // The last row's twelve GPUs become `1+`.
        let text = printed(&[12, 12, 10, 19, 10, 10, 16], &rows());
        assert!(text.contains("cpu=8,gres/gpu=+"), "{text}");
        let read = trace("sacct.txt", text.as_bytes());
        assert_eq!(
            records(&read),
            ["3 91 1710252300 3600 2 vision - Completed"]
        );
        let why = dropped(&read).join("\n");
        assert!(
            why.contains("gpus_invalid 1 6 AllocTRES is 'cpu=8,gres/gpu=+'"),
            "{why}"
        );
        // Nor is one of which no digit is left, or no GPU.
        for width in [12, 14, 15] {
            let text = printed(&[12, 12, 10, 19, 10, 10, width], &rows());
            let error = try_open("sacct.txt", text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("is cut off") || error.contains("AllocTRES"),
                "{error}"
            );
            assert!(!error.contains("no GPU requested"), "{error}");
        }
    }

    #[test]
    fn a_time_that_is_cut_off_is_none() {
        for (submit, elapsed, reason) in [
            (19, 8, "duration_invalid 1 6"),
            (15, 10, "submit_invalid 2 3"),
        ] {
            let text = printed(&[12, 12, 10, submit, elapsed, 10, 30], &rows());
            match try_open("sacct.txt", text.as_bytes()) {
                Ok(crate::Opened::Trace(trace)) => {
                    assert_eq!(trace.records.len(), 1);
                    let why = dropped(&trace).join("\n");
                    assert!(why.contains(reason), "{why}");
                }
                other => {
                    let why = other.unwrap_err().to_string();
                    assert!(
                        reason.starts_with("submit") && why.contains("Submit"),
                        "{why}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_lacks_what_a_trace_needs_is_refused_with_the_command_to_type() {
        let few: Vec<Vec<&str>> = rows().iter().map(|row| row[..3].to_vec()).collect();
        let few: Vec<&[&str]> = few.iter().map(Vec::as_slice).collect();
        let text = printed(&[12, 12, 10], &few);
        let error = try_open("sacct.txt", text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("does not have Submit, ElapsedRaw, AllocTRES"),
            "{error}"
        );
        assert!(
            error.contains("sacct --allusers --parsable2 --format="),
            "{error}"
        );
    }

    #[test]
    fn any_table_of_this_look_is_read_however_it_is_cut() {
        let rows: [&[&str]; 3] = [
            &["id", "submit_time", "duration", "num_gpus"],
            &["a b", "0", "60", "2"],
            &["", "30", "60", "1"],
        ];
        let text = printed(&[8, 12, 10, 9], &rows);
        assert_eq!(records(&trace("table.txt", text.as_bytes())).len(), 2);
        let mut opening = crate::Opening::new(crate::OpenOptions::default());
        opening.begin("table.txt").unwrap();
        for byte in text.as_bytes() {
            opening.push(&[*byte]).unwrap();
        }
        assert!(opening.finish().is_ok());
    }
}

//! Text in the cells of CSV files, safe in spreadsheets: there a cell that begins with `=`, `+`, `-`
//! or `@` is a formula, whether it is quoted or not, and what a trace calls its jobs would run.
//!
//! Such a text gets an apostrophe before it, which spreadsheets take as the sign of text; a number
//! stays a number. Our own format takes it off again, so that names stay what they are.
//!
//! Source: <https://owasp.org/www-community/attacks/CSV_Injection>.

use std::borrow::Cow;

/// What a formula begins with; a tab or line end before it may be dropped.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A text as a cell may have it.
pub fn guarded(text: &str) -> Cow<'_, str> {
    let number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if !number && text.trim_start_matches('\'').starts_with(FORMULA) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text that was [`guarded`].
pub fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if text.trim_start_matches('\'').starts_with(FORMULA) => text,
        _ => cell,
    }
}

/// What cuts a line into cells, one or the other by the spreadsheet's language.
const BETWEEN_CELLS: [char; 3] = [',', ';', '\t'];

/// What may stand before a formula that still is one.
const BEFORE_FORMULA: [char; 3] = [' ', '\'', '"'];

fn begins_formula(cell: &str) -> bool {
    cell.trim_start_matches(BEFORE_FORMULA).starts_with(FORMULA)
}

/// A text that begins within a cell, and that a spreadsheet cuts into more of them: none of those
/// is a formula.
pub fn guarded_line(text: &str) -> String {
    cells_after_the_first(text, |cell, line| {
        let number = cell.trim_end_matches(BETWEEN_CELLS).trim_end();
        let number = number.parse::<f64>().is_ok_and(f64::is_finite);
        if !number && begins_formula(cell) {
            line.push('\'');
        }
        line.push_str(cell);
    })
}

/// The text that was a [`guarded_line`].
pub fn unguarded_line(text: &str) -> String {
    cells_after_the_first(text, |cell, line| {
        let guarded = cell.strip_prefix('\'');
        line.push_str(guarded.filter(|cell| begins_formula(cell)).unwrap_or(cell));
    })
}

/// The line with its cells but the first, from their first character that is no blank, written
/// by `write`.
fn cells_after_the_first(text: &str, write: impl Fn(&str, &mut String)) -> String {
    let mut line = String::with_capacity(text.len());
    for (at, piece) in text.split_inclusive(BETWEEN_CELLS).enumerate() {
        let cell = piece.trim_start_matches(' ');
        if at == 0 {
            line.push_str(piece);
        } else {
            line.push_str(&piece[..piece.len() - cell.len()]);
            write(cell, &mut line);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_cells_of_a_line_are_no_formulas() {
        for (text, line) in [
            ("x,=cmd|' /C calc'!A0", "x,'=cmd|' /C calc'!A0"),
            ("x, =1", "x, '=1"),
            ("x;@A1\t+a", "x;'@A1\t'+a"),
            ("x,\"=1\"", "x,'\"=1\""),
            ("x,'=1", "x,''=1"),
            ("=1", "=1"),
            ("1,-2,+3;-4.5e6", "1,-2,+3;-4.5e6"),
            ("a, b", "a, b"),
            ("a,", "a,"),
        ] {
            assert_eq!(guarded_line(text), line);
            assert_eq!(unguarded_line(line), text);
        }
    }

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+1+1", "'+1+1"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("-2", "-2"),
            ("+1e3", "+1e3"),
            ("'tis", "'tis"),
            ("job-1", "job-1"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), cell);
            assert_eq!(unguarded(cell), text);
        }
    }

    proptest! {
        #[test]
        fn a_guarded_line_has_no_formula_and_comes_back(text in "[\"' ,;=+@\t0-9a.-]{0,9}") {
            let line = guarded_line(&text);
            prop_assert_eq!(unguarded_line(&line), text);
            for cell in line.split(BETWEEN_CELLS).skip(1) {
                let shown = cell.trim_start_matches([' ', '"']);
                let number = cell.trim().parse::<f64>().is_ok();
                prop_assert!(number || !shown.starts_with(FORMULA), "{line}");
            }
        }

        #[test]
        fn what_is_guarded_is_no_formula_and_comes_back(text in "['=+@\t\r0-9a.-]{0,6}") {
            let cell = guarded(&text);
            prop_assert!(!cell.starts_with(FORMULA) || cell.parse::<f64>().is_ok());
            prop_assert_eq!(unguarded(&cell), text.as_str());
        }
    }
}

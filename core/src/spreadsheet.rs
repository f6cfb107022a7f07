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
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    let number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if !number && text.trim_start_matches('\'').starts_with(FORMULA) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text that was [`guarded`].
pub(crate) fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if text.trim_start_matches('\'').starts_with(FORMULA) => text,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        fn what_is_guarded_is_no_formula_and_comes_back(text in "['=+@\t\r0-9a.-]{0,6}") {
            let cell = guarded(&text);
            prop_assert!(!cell.starts_with(FORMULA) || cell.parse::<f64>().is_ok());
            prop_assert_eq!(unguarded(&cell), text.as_str());
        }
    }
}

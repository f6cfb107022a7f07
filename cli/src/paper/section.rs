//! One comparison of a paper, and how far figures are from published ones.

use crate::table::Table;
use serde::Serialize;

/// One comparison, beside what was published.
#[derive(Serialize)]
pub(super) struct Section<Row> {
    pub(super) title: &'static str,
    pub(super) published: &'static str,
    pub(super) rows: Vec<Row>,
}

impl<Row> Section<Row> {
    /// For people, with its rows as a table.
    pub(super) fn text(&self, table: &Table) -> String {
        let Self {
            title, published, ..
        } = self;
        format!("\n{title}\npublished: {published}\n{table}")
    }
}

/// How far ours is from theirs. Within seven or more printed digits it is the same.
pub(super) fn difference(ours: f64, theirs: f64) -> String {
    match ours / theirs - 1.0 {
        off if off.abs() < 1e-8 => "=".to_owned(),
        off => format!("{:+.2} %", off * 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_same_digits_are_told_from_others() {
        assert_eq!(difference(193_081.796_024, 193_081.796), "=");
        assert_eq!(difference(101.0, 100.0), "+1.00 %");
    }
}

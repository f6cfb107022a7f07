//! One comparison of a paper.

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

//! How well the contention law explains measured pairs: DeepShare's tables (ICPADS'23) of distributed
//! jobs that share nodes, fitted and on models held out, beside a constant.

mod plot;

use crate::table::Table;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use switchyard::contention::{Measured, Quality, Report};
use switchyard_sweep::files;

/// DeepShare's tables.
#[derive(Args)]
pub(super) struct Tables {
    /// Throughput beside another job ÷ alone, as DeepShare's shared_thp_ratio.csv has it
    #[arg(long, value_name = "FILE", requires = "alone")]
    ratios: Option<PathBuf>,
    /// Throughput alone, as DeepShare's isolated_thp.csv has it
    #[arg(long, value_name = "FILE", requires = "ratios")]
    alone: Option<PathBuf>,
}

impl Tables {
    /// Both, where they are given.
    pub(super) fn read(&self) -> Result<Option<Measured>, Failure> {
        let (Some(ratios), Some(alone)) = (&self.ratios, &self.alone) else {
            return Ok(None);
        };
        let (ratios, alone) = (read(ratios)?, read(alone)?);
        let measured = Measured::read(&ratios, &alone);
        let measured = measured.map_err(|error| Failure::Input(error.into()))?;
        Ok(Some(measured))
    }
}

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    tables: Tables,
    /// Draw the fitted ratios beside the measured ones, as an SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<output::OutputFile>,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

pub(crate) fn contention(arguments: &Arguments) -> Result<(), Failure> {
    let measured = arguments.tables.read()?;
    let measured = measured.ok_or_else(|| {
        Failure::Input(anyhow!(
            "name DeepShare's tables, which do not come with the program: --ratios shared_thp_ratio.csv --alone isolated_thp.csv"
        ))
    })?;
    let report = measured.fit();
    if let Some(path) = &arguments.svg {
        let svg = plot::svg(&measured, &report).map_err(Failure::Run)?;
        output::text(path, &svg)?;
    }
    match &arguments.json {
        Some(path) => output::json(path, &figures(&measured, &report)),
        // A plot on standard output is all there is to be.
        None if arguments.svg.as_deref() == Some(output::STDOUT) => Ok(()),
        None => output::print(&text(&measured, &report)),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let text = files::read_text(path);
    let text = text.with_context(|| format!("cannot read {}", path.display()));
    Ok(text
        .map_err(Failure::Input)?
        .trim_start_matches('\u{feff}')
        .to_owned())
}

fn quality(of: &Quality) -> Value {
    json!({
        "r2": of.r2,
        "median_error": of.errors[0],
        "p90_error": of.errors[1],
        "max_error": of.errors[2],
        "constant": {
            "median_error": of.constant[0],
            "p90_error": of.constant[1],
            "max_error": of.constant[2],
        },
    })
}

/// The quality on models held out, and what is behind it.
fn figures(measured: &Measured, report: &Report) -> Value {
    let mut figures = quality(&report.unseen);
    let held_out = report.held_out.iter().map(|(model, of)| {
        let mut own = quality(of);
        own["model"] = json!(model);
        own
    });
    let names: Vec<&str> = measured
        .shapes
        .iter()
        .map(|shape| shape.name.as_str())
        .collect();
    figures["held_out"] = held_out.collect();
    figures["seen"] = quality(&report.seen);
    figures["coefficients"] = json!({
        "exponent": report.fit.exponent,
        "overlap": report.fit.overlap,
        "efficiency": report.fit.efficiency,
    });
    figures["jobs"] = json!(names);
    figures["measured"] = json!(measured.ratios);
    figures["fitted"] = json!(report.fitted);
    figures
}

fn text(measured: &Measured, report: &Report) -> String {
    let mut table = Table::default();
    let head = [
        "model held out",
        "R²",
        "median error",
        "p90",
        "max",
        "constant: median",
        "p90",
        "max",
    ];
    table.row(head.map(String::from).to_vec());
    let mut row = |name: &str, of: &Quality| {
        let numbers = std::iter::once(of.r2).chain(of.errors).chain(of.constant);
        let cells = numbers.map(|number| format!("{number:.3}"));
        table.row(std::iter::once(name.to_owned()).chain(cells).collect());
    };
    for (model, of) in &report.held_out {
        row(model, of);
    }
    row("all of these", &report.unseen);
    row("none (fitted to all)", &report.seen);
    let models = measured.models();
    let mut head = vec!["measured / fitted".to_owned()];
    head.extend(models.iter().map(|model| format!("beside {model}")));
    let mut means = Table::default();
    means.row(head);
    for row in &models {
        let cells = models.iter().map(|column| {
            let [measured, fitted] =
                [&measured.ratios, &report.fitted].map(|table| mean(measured, table, row, column));
            format!("{measured:.2} / {fitted:.2}")
        });
        means.row(std::iter::once((*row).to_owned()).chain(cells).collect());
    }
    format!(
        "{} jobs in pairs; what one keeps of its rate beside the other\n\n{table}\ncoefficients: computing is (mean rate per GPU ÷ best)^{:.3} of a step, of which {:.3} hides communication; one job fills {:.3} of a link\n\n{means}",
        measured.shapes.len(),
        report.fit.exponent,
        report.fit.overlap,
        report.fit.efficiency,
    )
}

/// Over the shapes of two models.
fn mean(measured: &Measured, table: &[Vec<f64>], row: &str, column: &str) -> f64 {
    let of = |model: &str| {
        let all = measured.shapes.iter().enumerate();
        let own = all.filter(|(_, shape)| shape.model == model);
        own.map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let (rows, columns) = (of(row), of(column));
    let cells = rows
        .iter()
        .flat_map(|&i| columns.iter().map(move |&j| table[i][j]));
    cells.sum::<f64>() / (rows.len() * columns.len()) as f64
}

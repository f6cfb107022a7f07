//! `switchyard inspect`: what a trace is and what it holds.

use crate::table::Table;
use crate::{Failure, input, write_out};
use anyhow::Context;
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use switchyard::trace::{Example, Opened, Trace};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace: one or more files opened together, or a folder for a line per file
    #[arg(required = true, value_name = "TRACE")]
    trace: Vec<PathBuf>,
    /// Of an archive: the member to open [default: all, merged]
    #[arg(long, value_name = "NAME")]
    member: Option<String>,
    /// Write the figures as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

pub(crate) fn inspect(arguments: &Arguments) -> Result<(), Failure> {
    if let [folder] = arguments.trace.as_slice()
        && folder.is_dir()
    {
        return inspect_folder(folder);
    }
    match input::open_files(&arguments.trace, arguments.member.as_deref())? {
        Opened::Trace(trace) => {
            let inspection = trace.inspect();
            match &arguments.json {
                Some(path) => {
                    let json = serde_json::to_string_pretty(&inspection)
                        .context("cannot write the figures as JSON")
                        .map_err(Failure::Run)?;
                    write_out(path, &json)
                }
                None => write_out("-", report(&trace).trim_end()),
            }
        }
        Opened::Cluster(cluster) => write_out(
            "-",
            &format!("a cluster: {cluster}, {} GPUs", cluster.gpus()),
        ),
    }
}

/// What a person wants to know of a trace.
fn report(trace: &Trace) -> String {
    let inspection = trace.inspect();
    let mut out = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line(format_args!("{} ({})", trace.title, trace.format));
    line(format_args!("{}", trace.report.recognised));
    line(format_args!("{}", trace.report.units));
    line(format_args!(""));
    line(format_args!(
        "rows      {} read, {} kept",
        trace.report.rows_read, trace.report.rows_kept
    ));
    line(format_args!("GPU-hours {:.1}", inspection.gpu_hours));
    let duration = inspection.duration;
    line(format_args!(
        "duration  median {:.0} s, mean {:.0} s, p99 {:.0} s",
        duration.median, duration.mean, duration.p99
    ));
    line(format_args!(
        "GPUs      mean {:.2}, max {}",
        inspection.gpus.mean, inspection.gpus.max
    ));
    line(format_args!("span      {:.1} days", inspection.span_days));
    if let Some(cluster) = &trace.cluster {
        line(format_args!("cluster   {cluster}"));
    }
    if trace.members.len() > 1 {
        line(format_args!("members"));
        for member in &trace.members {
            line(format_args!("  {:>8} jobs  {}", member.jobs, member.name));
        }
    }
    if !trace.report.dropped.is_empty() {
        line(format_args!("left out"));
    }
    for dropped in &trace.report.dropped {
        line(format_args!(
            "  {:>8}  {} ({})",
            dropped.count,
            dropped.reason.text(),
            place(&dropped.example)
        ));
    }
    if !trace.report.warnings.is_empty() {
        line(format_args!("worth knowing"));
    }
    for warning in &trace.report.warnings {
        line(format_args!(
            "  {} ({})",
            warning.text,
            place(&warning.example)
        ));
    }
    out
}

fn place(example: &Example) -> String {
    let colon = if example.detail.is_empty() { "" } else { ": " };
    format!(
        "first at {} line {}{colon}{}",
        example.file, example.line, example.detail
    )
}

/// A line per file, each opened alone.
fn inspect_folder(folder: &Path) -> Result<(), Failure> {
    let mut table = Table::default();
    table.row(
        ["file", "format", "jobs", "kept", "GPU-hours"]
            .map(str::to_string)
            .to_vec(),
    );
    let mut refused = Vec::new();
    for path in files_below(folder).map_err(Failure::Input)? {
        let name = path
            .strip_prefix(folder)
            .unwrap_or(&path)
            .display()
            .to_string();
        match input::open_trace(&path, None) {
            Ok(Ok(trace)) => {
                let inspection = trace.inspect();
                let numbers = [
                    inspection.jobs.to_string(),
                    inspection.gpu_jobs.to_string(),
                    format!("{:.1}", inspection.gpu_hours),
                ];
                let mut row = vec![name, trace.format];
                row.extend(numbers);
                table.row(row);
            }
            Ok(Err(cluster)) => table.row(vec![name, format!("cluster {cluster}")]),
            Err(Failure::Input(why) | Failure::Run(why)) => {
                refused.push(format!("{name}: {why:#}"))
            }
        }
    }
    let mut text = table.to_string();
    if !refused.is_empty() {
        text.push_str(&format!("\nnot opened\n{}", refused.join("\n")));
    }
    write_out("-", text.trim_end())
}

/// Every file below a folder, sorted by path.
fn files_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry
                .with_context(|| format!("cannot read {}", folder.display()))?
                .path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

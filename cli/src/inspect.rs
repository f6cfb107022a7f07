//! `switchyard inspect`: what a trace is and what it holds.

use crate::progress::Progress;
use crate::table::Table;
use crate::terminal::within_line;
use crate::{Failure, input, output};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use switchyard::Time;
use switchyard::cluster::ClusterSpec;
use switchyard::outages::Outages;
use switchyard::trace::{Bin, Example, Inspection, Opened, ProfileTable, Trace, shorten};
use switchyard::workload::Application;
use switchyard_app::format;

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard inspect trace.csv
  switchyard inspect traces/
  switchyard inspect sample:lab --json -
  switchyard inspect table.csv --map 'submit=Arrival,duration=Run time,gpus=#4,unit=s'

`switchyard help inspect` says more of each.")]
pub(crate) struct Arguments {
    /// The trace: files opened together, sample:NAME or - (standard input); of a folder, a line per file
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: Vec<PathBuf>,
    /// Write the figures as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    #[command(flatten)]
    opening: input::TraceArguments,
}

pub(crate) fn inspect(arguments: &Arguments) -> Result<(), Failure> {
    if let [folder] = arguments.trace.as_slice()
        && folder.is_dir()
    {
        let entries = entries(folder, &arguments.opening)?;
        return match &arguments.json {
            Some(path) => output::json(path, &entries),
            None => output::print(&table(&entries)),
        };
    }
    match arguments.opening.open(&arguments.trace, None)? {
        Opened::Trace(mut trace) => {
            let cluster = trace.cluster.clone();
            arguments.opening.choose(&mut trace, cluster.as_ref())?;
            match &arguments.json {
                Some(path) => output::json(path, &trace.inspect()),
                None => output::print(&report(&trace)),
            }
        }
        Opened::Cluster(cluster) => match &arguments.json {
            Some(path) => output::json(path, &Found::cluster(&cluster)),
            None => {
                let of_gpus = cluster.clone().with_core_nodes(Vec::new());
                let on_cores = match cluster.core_nodes().iter().map(|of| of.nodes).sum() {
                    0u32 => String::new(),
                    1 => ", and one node without GPUs, for jobs on cores".to_owned(),
                    many => format!(", and {many} nodes without GPUs, for jobs on cores"),
                };
                let units = format!("a cluster: {of_gpus}, {} GPUs{on_cores}", cluster.gpus());
                output::print(&arguments.opening.unit().words(&units))
            }
        },
        Opened::Outages(outages) => match &arguments.json {
            Some(path) => output::json(path, &Found::of(&outages)),
            None => output::print(&listed(&outages)),
        },
        Opened::Profiles(tables) => {
            let applications = profiles(&tables);
            match &arguments.json {
                Some(path) => output::json(path, &Found::Profiles(applications)),
                None => output::print(&format!("profiles of {applications}")),
            }
        }
    }
}

/// How many jobs may run on each GPU type that the trace names, and on any; nothing where it names
/// none.
fn types(trace: &Trace) -> Vec<(&str, usize)> {
    let demands = || trace.records.iter().map(|record| record.demand.types);
    let names = trace.gpu_types.iter().zip(0..);
    let named = names.map(|(name, at)| {
        let jobs = demands().filter(|of| !of.is_any() && of.allows(at)).count();
        (name.as_str(), jobs)
    });
    let mut types: Vec<(&str, usize)> = named.filter(|(_, jobs)| *jobs > 0).collect();
    if !types.is_empty() {
        types.push(("any", demands().filter(|of| of.is_any()).count()));
    }
    types
}

/// What a person wants to know of a trace.
fn report(trace: &Trace) -> String {
    let inspection = trace.inspect();
    let unit = trace.unit;
    let mut out = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", within_line(&text.to_string()));
    };
    line(format_args!("{} ({})", trace.title, trace.format));
    line(format_args!("{}", trace.report.recognised));
    line(format_args!("{}", unit.words(&trace.report.units)));
    line(format_args!(""));
    line(format_args!(
        "rows      {} read, {} kept",
        trace.report.rows_read, trace.report.rows_kept
    ));
    line(format_args!(
        "{:<9} {}",
        unit.words("GPU-hours"),
        format::figures(inspection.gpu_hours)
    ));
    let duration = inspection.duration;
    line(format_args!(
        "duration  median {}, mean {}, p99 {}",
        format::duration(duration.median),
        format::duration(duration.mean),
        format::duration(duration.p99)
    ));
    line(format_args!(
        "{:<9} mean {:.2}, max {}",
        unit.words("GPUs"),
        inspection.gpus.mean,
        inspection.gpus.max
    ));
    line(format_args!(
        "span      {} days",
        format::figures(inspection.span_days)
    ));
    if let Some(epoch) = trace.epoch {
        let [first, last] =
            [0.0, inspection.span_days * 86_400.0].map(|at| input::date_text(epoch, at));
        line(format_args!("dates     {first} to {last}"));
    }
    for (name, jobs) in types(trace) {
        line(format_args!("GPU type  {name}: {jobs} jobs"));
    }
    if let Some(cluster) = &trace.cluster {
        line(format_args!("cluster   {cluster}"));
        line(format_args!("          {}", trace.report.cluster));
    }
    if let Some(table) = &trace.report.table {
        line(format_args!("columns   --map '{}'", table.guess));
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
            unit.words(dropped.reason.text()),
            place(&dropped.example)
        ));
        if let Some(way_out) = dropped.reason.way_out() {
            line(format_args!(
                "            {way_out} (--cluster 16x8/cores=64, or --unit cores)"
            ));
        }
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
    let distributions = &trace.report.distributions;
    bars(
        &mut out,
        "duration in seconds, up to",
        &distributions.duration,
    );
    bars(&mut out, &unit.words("GPUs, up to"), &distributions.gpus);
    let hours = distributions.hour.iter().enumerate();
    let hours = hours.map(|(hour, &jobs)| (hour as f64, jobs));
    chart(
        &mut out,
        "submissions by hour of the day",
        &hours.collect::<Vec<_>>(),
    );
    out
}

fn bars(out: &mut String, title: &str, bins: &[Bin]) {
    let bars = bins.iter().map(|bin| (bin.to, bin.jobs));
    chart(out, title, &bars.collect::<Vec<_>>());
}

/// A line per bar; the longest has forty marks.
fn chart(out: &mut String, title: &str, bars: &[(f64, u32)]) {
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{title}");
    for &(at, jobs) in bars {
        let marks = "#".repeat((u64::from(jobs) * 40).div_ceil(u64::from(most)) as usize);
        let _ = writeln!(out, "  {at:>10} {jobs:>9} {marks}");
    }
}

fn place(example: &Example) -> String {
    let colon = if example.detail.is_empty() { "" } else { ": " };
    format!(
        "first at {} line {}{colon}{}",
        example.file, example.line, example.detail
    )
}

/// A file of a folder, opened alone.
#[derive(Serialize)]
struct Entry {
    file: String,
    #[serde(flatten)]
    found: Found,
}

/// What a file turned out to be.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Found {
    Trace(Inspection),
    /// In words, such as `8x8+4x4`.
    Cluster(String),
    /// Of these applications.
    Profiles(String),
    /// So many of so many nodes.
    Outages {
        outages: usize,
        nodes: usize,
    },
    /// Why it was not opened.
    Error(String),
}

impl Found {
    /// A cluster by its nodes with GPUs.
    fn cluster(cluster: &ClusterSpec) -> Self {
        Self::Cluster(cluster.clone().with_core_nodes(Vec::new()).to_string())
    }

    fn of(outages: &Outages) -> Self {
        Self::Outages {
            outages: outages.len(),
            nodes: outages.nodes(),
        }
    }
}

/// How many there are, of which nodes and when.
fn listed(outages: &Outages) -> String {
    let first = outages.iter().next().map_or(0.0, |of| of.from.seconds());
    let end = outages.end();
    let end = if end < Time::NEVER {
        format!("to {} s", end.seconds())
    } else {
        "for ever".to_owned()
    };
    let (count, nodes) = (outages.len(), outages.nodes());
    format!("outages: {count} of {nodes} nodes, from {first} s {end}")
}

/// The applications that tables are of, or what is wrong with them.
fn profiles(tables: &[ProfileTable]) -> String {
    match Application::of_tables(tables) {
        Ok(applications) => {
            let names: Vec<&str> = applications.iter().map(|a| &*a.name).collect();
            names.join(", ")
        }
        // Of a table on its own.
        Err(error) => error.to_string(),
    }
}

/// Every file below a folder.
fn entries(folder: &Path, opening: &input::TraceArguments) -> Result<Vec<Entry>, Failure> {
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        below.display().to_string()
    };
    let below = input::files_below(folder).map_err(Failure::Input)?;
    let progress = Progress::of("inspect", input::kilobytes(&below.files), "kB");
    let mut before = 0;
    let mut read = |path: &PathBuf| {
        let path = std::slice::from_ref(path);
        let reached = |read| progress.count(before + read);
        let opened = input::read_files(path, &opening.options(), reached);
        before += input::kilobytes(path);
        opened
    };
    let open = |path: &PathBuf| Entry {
        file: name(path),
        found: match read(path) {
            Ok(Opened::Trace(trace)) => Found::Trace(trace.inspect()),
            Ok(Opened::Cluster(cluster)) => Found::cluster(&cluster),
            Ok(Opened::Profiles(tables)) => Found::Profiles(profiles(&tables)),
            Ok(Opened::Outages(outages)) => Found::of(&outages),
            Err(failure) => {
                let why = failure.to_string();
                // Below the reason, the beginning of a table may follow.
                Found::Error(why.lines().next().unwrap_or_default().to_owned())
            }
        },
    };
    let mut entries: Vec<Entry> = below.files.iter().map(open).collect();
    entries.extend(below.skipped.iter().map(|(path, why)| Entry {
        file: name(path),
        found: Found::Error((*why).to_owned()),
    }));
    entries.sort_by(|a, b| Path::new(&a.file).cmp(Path::new(&b.file)));
    Ok(entries)
}

/// A row per file, and below it why others were not opened.
fn table(entries: &[Entry]) -> String {
    let mut table = Table::default();
    let mut units = entries.iter().filter_map(|entry| match &entry.found {
        Found::Trace(inspection) => Some(inspection.unit),
        _ => None,
    });
    let first = units.next().unwrap_or_default();
    let hours = match units.all(|unit| unit == first) {
        true => first.words("GPU-hours").into_owned(),
        false => "hours".to_owned(),
    };
    let is_alike = hours != "hours";
    let mut header = ["file", "format", "jobs", "kept"]
        .map(str::to_string)
        .to_vec();
    header.push(hours);
    table.row(header);
    let mut refused = String::new();
    for Entry { file, found } in entries {
        match found {
            Found::Trace(inspection) => table.row(vec![
                file.clone(),
                inspection.format.clone(),
                inspection.jobs.to_string(),
                inspection.gpu_jobs.to_string(),
                match is_alike {
                    true => format!("{:.1}", inspection.gpu_hours),
                    false => {
                        let hours = format!("{:.1} GPU-hours", inspection.gpu_hours);
                        inspection.unit.words(&hours).into_owned()
                    }
                },
            ]),
            // Whole in --json: with many kinds of nodes it is longer than a screen is wide.
            Found::Cluster(cluster) => {
                table.row(vec![file.clone(), format!("cluster {}", shorten(cluster))]);
            }
            Found::Profiles(_) => table.row(vec![file.clone(), "profile".to_owned()]),
            Found::Outages { outages, .. } => {
                table.row(vec![file.clone(), format!("{outages} outages")]);
            }
            // Writing to a string cannot fail.
            Found::Error(why) => {
                let _ = writeln!(refused, "{}", within_line(&format!("{file}: {why}")));
            }
        }
    }
    if refused.is_empty() {
        table.to_string()
    } else {
        format!("{table}\nnot opened\n{refused}")
    }
}

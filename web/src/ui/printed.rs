//! The comparison as one page to print or to keep: a document of its own with what was run, the headline, where the jobs'
//! time went, four charts, how it was made, and the link. A browser prints it as PDF.

use super::metrics_table::{RunColumn, columns, known};
use super::page_address::page_address;
use super::spent::Part;
use crate::draw::{format, palette};
use crate::stage::Stage;
use crate::state::link::Link;
use crate::state::{AppState, RunLives};
use std::fmt::Write;
use std::rc::Rc;
use switchyard::policies::Spent;
use switchyard::report::Metric;
use switchyard::{SETTINGS, Settings};
use switchyard_app::figures::{Chart, Figure};
use switchyard_charts::figure;
use switchyard_charts::svg::{Paper, escaped};

/// So many charts fit beside one another on a page.
const CHARTS: usize = 4;

/// Four runs fit on one A4 page.
const STYLE: &str = "
@page { size: A4; margin: 11mm 14mm; }
body { font: 10pt/1.4 system-ui, sans-serif; color: #1a1d21; background: #fff; max-width: 182mm; margin: 8mm auto; }
h1 { font-size: 16pt; margin: 0; } h2 { font-size: 11pt; margin: 14pt 0 4pt; break-after: avoid; }
p { margin: 2pt 0; } .about { color: #5c6570; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 2pt 4pt; border-bottom: 1px solid #d5d9de; font-weight: 400; }
thead th { font-weight: 600; } th:first-child { text-align: left; }
.run { break-inside: avoid; margin: 4pt 0; } .bar { display: flex; height: 9pt; }
i { print-color-adjust: exact; -webkit-print-color-adjust: exact; } .bar i { flex: 0 1 0; }
.part { white-space: nowrap; margin-right: 8pt; } .part i { display: inline-block; width: 7pt; height: 7pt; margin-right: 3pt; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 6pt; }
.charts img { width: 100%; break-inside: avoid; } a { color: #005ea8; overflow-wrap: anywhere; }
@media print {
  body { font-size: 8.5pt; line-height: 1.3; margin: 0; } h1 { font-size: 14pt; } h2 { font-size: 10pt; margin: 8pt 0 2pt; }
  th, td { padding: 1pt 4pt; } .run { margin: 2pt 0; } .bar { height: 7pt; } .charts { gap: 3pt 6pt; }
  .charts img { height: 56mm; object-fit: contain; }
}
";

/// The document.
pub(super) fn printed(stage: &Stage, state: &AppState) -> String {
    let over_common = state.compares_over_common();
    let columns = columns(stage, over_common);
    let trace = state.opening.trace.as_ref();
    let title = trace.map_or("Switchyard", |trace| &trace.title);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>{STYLE}</style>\n<h1>{0}</h1>\n<p class=\"about\">{1}</p>\n",
        escaped(title),
        on_one_line(&about(state))
    );
    text.push_str(&headline(&columns, over_common));
    text.push_str(&lives(stage, state));
    text.push_str(&charts(stage));
    text.push_str(&method(stage, state));
    text.push_str("</html>\n");
    text
}

/// The jobs and the cluster in a line.
fn about(state: &AppState) -> String {
    let cluster = format!(
        "{} ({})",
        state.setup.cluster,
        format::counted(state.setup.cluster.gpus().into(), "GPU", "GPUs")
    );
    let Some(trace) = &state.opening.trace else {
        return cluster;
    };
    format!(
        "{} asking for {} over {}, on {cluster}",
        format::counted(trace.jobs as u64, "job", "jobs"),
        format::gpu_hours(trace.gpu_hours * 3600.0),
        format::duration(trace.span_days * 86_400.0)
    )
}

fn headline(columns: &[RunColumn], over_common: bool) -> String {
    let mut text = "<h2>Headline</h2>\n<table><thead><tr><th>Scheduler</th>".to_owned();
    for metric in Metric::headline() {
        // Writing to a text cannot fail.
        let _ = write!(text, "<th>{}</th>", escaped(metric.title));
    }
    text.push_str("</tr></thead><tbody>\n");
    for column in columns {
        let _ = write!(
            text,
            "<tr><th>{}</th>",
            escaped(&column.called(over_common))
        );
        for metric in Metric::headline() {
            let value = format::metric(metric, known(metric, &column.compared));
            let _ = write!(text, "<td>{}</td>", on_one_line(&value));
        }
        text.push_str("</tr>\n");
    }
    text + "</tbody></table>\n"
}

/// Where the jobs' time went, of runs of which that is known.
fn lives(stage: &Stage, state: &AppState) -> String {
    let known = stage.runs.iter().filter_map(|run| {
        let id = (run.id, run.finished()?.log_hash);
        let mut lives = state.analyses.lives.iter();
        let lives =
            lives.find(|told| (told.of.run, told.of.whom, &told.of.among) == (id, None, &None))?;
        Some((run.name().to_owned(), lives))
    });
    let known: Vec<(String, &Rc<RunLives>)> = known.collect();
    let hours = |lives: &RunLives| lives.groups.first().map_or(0.0, |of| of.gpu_hours);
    let most = known
        .iter()
        .map(|(_, lives)| hours(lives))
        .fold(0.0, f64::max);
    if most <= 0.0 {
        return String::new();
    }
    let mut text = "<h2>Where the jobs' time went</h2>\n".to_owned();
    for (name, lives) in &known {
        let Some(group) = lives.groups.first() else {
            continue;
        };
        let parts = group.parts.iter().map(|part| Part {
            spent: part.spent,
            law: &part.law,
            share: part.gpu_hours / group.gpu_hours,
            amount: format::gpu_hours(part.gpu_hours * 3600.0),
        });
        let parts: Vec<Part> = parts.collect();
        let waited = format!(
            "{} of {} waited",
            format::figures(group.waited()),
            format::gpu_hours(group.gpu_hours * 3600.0)
        );
        let named = parts.iter().map(|part| {
            format!(
                "<span class=\"part\"><i style=\"background: {}\"></i>{}</span> ",
                palette::spent(part.spent, false),
                on_one_line(&part.words())
            )
        });
        let length = 100.0 * group.gpu_hours / most;
        let _ = write!(
            text,
            "<div class=\"run\"><p>{} <span class=\"about\">{}</span></p><p class=\"about\">{}</p><div class=\"bar\" style=\"width: {length:.2}%\">",
            escaped(name),
            on_one_line(&waited),
            named.collect::<String>()
        );
        for part in Spent::ALL
            .iter()
            .flat_map(|spent| parts.iter().filter(move |part| part.spent == *spent))
        {
            let _ = write!(
                text,
                "<i style=\"background: {}; flex-grow: {:.5}\"></i>",
                palette::spent(part.spent, false),
                part.share
            );
        }
        text.push_str("</div></div>\n");
    }
    text
}

/// Words on paper: a number and its unit stay on one line.
fn on_one_line(words: &str) -> String {
    let words = format::units(words);
    let mut before = ' ';
    let words = words.chars().map(|letter| {
        let is_within = letter == ' ' && before.is_ascii_digit();
        before = letter;
        if is_within { '\u{a0}' } else { letter }
    });
    escaped(&words.collect::<String>())
}

fn charts(stage: &Stage) -> String {
    let runs = stage.shown_comparison();
    let mut text = "<h2>Charts</h2>\n<div class=\"charts\">\n".to_owned();
    for chart in Chart::of(&runs).take(CHARTS) {
        let drawn = Figure::of(chart, &runs);
        let paper = Paper {
            titled: true,
            ..Paper::COLUMN
        };
        let svg = figure::on_paper(&drawn, paper);
        // As pictures, so that what one calls its parts is nothing to another.
        let held = js_sys::encode_uri_component(&svg);
        let _ = writeln!(
            text,
            "<img alt='{}' src=\"data:image/svg+xml,{}\">",
            escaped(&drawn.title()),
            String::from(held)
        );
    }
    text + "</div>\n"
}

/// How it was made: schedulers in full, what is otherwise than by default, version and link.
fn method(stage: &Stage, state: &AppState) -> String {
    let specs = stage.runs.iter().map(|run| run.policy.to_string());
    let changed = SETTINGS.iter().filter_map(|setting| {
        let value = (setting.get)(&state.setup.settings);
        let is_default = value == (setting.get)(&Settings::default());
        (!is_default).then(|| {
            format!("{} {value} {}", setting.label, setting.unit)
                .trim_end()
                .to_owned()
        })
    });
    let changed: Vec<String> = changed.collect();
    let settings = match changed.is_empty() {
        true => "all as by default".to_owned(),
        false => changed.join("; "),
    };
    let link = format!("{}#{}", page_address(), Link::of(state, stage).fragment());
    let [specs, settings, link] =
        [specs.collect::<Vec<_>>().join(", "), settings, link].map(|text| escaped(&text));
    format!(
        "<h2>Method</h2>\n<p>Simulated by Switchyard {}, the same bits each time. Schedulers: {specs}. Settings: {settings}.</p>\n<p><a href='{link}'>{link}</a></p>\n",
        env!("CARGO_PKG_VERSION")
    )
}

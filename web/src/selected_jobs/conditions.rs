//! Conditions of a [`filter`](super::filter) as pressing and dragging writes them: what is meant by a class of the
//! legend, a group of the comparison, a bar, a stretch of an axis, rows of the table.

use super::filter::{run_word, terms};
use crate::draw::palette::{APART, OTHERS};
use crate::stage::Stage;
use crate::state::ColourBy;
use std::collections::BTreeSet;
use switchyard::job::JobId;
use switchyard::report::By;
use switchyard::workload::{Label, Workload};
use switchyard_app::figures::Bars;
use switchyard_app::format::{SPAN_UNITS, SpanUnit};

/// The field's text is one of these, or with `!=` none of them.
fn text(field: &str, sign: &str, values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    format!("{field}{sign}{}", values.join(","))
}

/// A value as a filter reads it.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.:@+".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("\"{}\"", value.replace('"', "\"\"")),
    }
}

/// Seconds in the unit that reads best, to four figures.
fn span(seconds: f64) -> String {
    let [.., second] = SPAN_UNITS;
    let fits = |unit: &SpanUnit| seconds.abs() >= unit.seconds;
    let unit = SPAN_UNITS.into_iter().find(fits).unwrap_or(second);
    format!("{}{}", figures(seconds / unit.seconds), unit.name)
}

/// A number to four figures, without noughts at its end.
fn figures(value: f64) -> String {
    let digits = (3.0 - value.abs().max(1.0).log10().floor()).max(0.0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A run's field lies between these values, ends included: ratios, and spans of everything else.
pub(crate) fn between(run: &str, field: &str, from: f64, to: f64) -> String {
    let run = run_word(run);
    let [from, to] = [from.min(to), from.max(to)].map(|value| match field {
        "rho" => figures(value),
        _ => span(value),
    });
    format!("{run}.{field}>={from} {run}.{field}<={to}")
}

/// A bar of a trace's distributions: what is above the first bound and up to the second. Bounds are as they were counted
/// by; the first bar is of all up to its end.
pub(crate) fn of_bar(bars: &Bars, at: usize) -> Option<String> {
    let (field, (above, to)) = (&bars.field, bars.bounds.get(at)?);
    Some(match at {
        0 => format!("{field}<={to}"),
        _ => format!("{field}>{above} {field}<={to}"),
    })
}

/// Submitted in this range of time: its beginning belongs to it, its end does not.
pub(crate) fn submitted(from: f64, to: f64) -> String {
    format!("submit>={from}s submit<{to}s")
}

/// Gangs of these sizes: from the first on, below the second.
pub(crate) fn gang(from: u32, below: Option<u32>) -> String {
    match below {
        Some(below) if from == 0 => format!("gpus<{below}"),
        Some(below) if below == from + 1 => format!("gpus={from}"),
        Some(below) => format!("gpus>={from} gpus<{below}"),
        None => format!("gpus>={from}"),
    }
}

/// Jobs at these positions, which ascend.
pub(crate) fn positions(jobs: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &job in jobs {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == job => *last = job,
            _ => ranges.push((job, job)),
        }
    }
    let parts: Vec<String> = ranges
        .iter()
        .map(|&(first, last)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        })
        .collect();
    format!("id={}", parts.join(","))
}

/// The jobs of a class of the legend; `None` where these change with time.
pub(crate) fn of_class(class: u32, by: ColourBy, stage: &Stage) -> Option<String> {
    let workload = &stage.workload;
    let (field, names) = match by {
        ColourBy::Job | ColourBy::Queue | ColourBy::Type => return None,
        // Jobs without GPUs are of the first class.
        ColourBy::Gpus if class == 0 => return Some(gang(0, Some(2))),
        ColourBy::Gpus if class == OTHERS => return Some(gang(1 << APART, None)),
        ColourBy::Gpus => return Some(gang(1 << class, Some(2 << class))),
        ColourBy::Tenant => ("tenant", &workload.tenants[..]),
        ColourBy::Model => ("model", &workload.models[..]),
        ColourBy::Label(label) => (label.word(), workload.recorded.labels.names(label)),
    };
    let named = |rank: u32| Some(names.get(stage.ranks.with(by, rank)?)?.as_str());
    if class != OTHERS {
        return Some(text(field, "=", &[named(class)?]));
    }
    let own: Vec<&str> = (0..APART).filter_map(named).collect();
    Some(text(field, "!=", &own))
}

/// The jobs of a group of the comparison; `None` where no field tells it.
pub(crate) fn of_group(by: By, name: &str) -> Option<String> {
    match by {
        By::Label(_) | By::Tenant | By::Model => Some(text(by.word(), "=", &[name])),
        By::Gang => Some(format!("gpus={name}")),
        By::GpuType => None,
    }
}

/// Jobs, told from all others by their tenants or by another of their words; `None` where these are no jobs, or none does.
pub(crate) fn of_jobs(is_in: &[bool], workload: &Workload) -> Option<String> {
    let tenant = |job: usize| {
        let tenant = workload.jobs.get(job)?.tenant?;
        workload.tenants.get(tenant as usize).map(String::as_str)
    };
    let by_tenant = condition_by("tenant", is_in, tenant);
    by_tenant.or_else(|| {
        Label::ALL.into_iter().find_map(|label| {
            let of = |job: usize| workload.recorded.label(JobId(job as u32), label);
            condition_by(label.word(), is_in, of)
        })
    })
}

fn condition_by<'a>(
    field: &str,
    is_in: &[bool],
    word: impl Fn(usize) -> Option<&'a str>,
) -> Option<String> {
    let words = |of: bool| {
        let jobs = is_in.iter().enumerate().filter(move |(_, is)| **is == of);
        jobs.map(|(job, _)| word(job))
    };
    let own: BTreeSet<&str> = words(true).collect::<Option<_>>()?;
    let is_shared = words(false).flatten().any(|word| own.contains(word));
    let own: Vec<&str> = own.into_iter().collect();
    (!own.is_empty() && !is_shared).then(|| text(field, "=", &own))
}

/// The filter after a press on a condition: that alone; with `adds` beside what is there. A second press takes it away.
pub(crate) fn pressed(now: &str, condition: &str, adds: bool) -> String {
    let is_there = is_pressed(now, condition);
    let (mut terms, pressed) = (terms(now), terms(condition));
    if is_there && (adds || terms.len() == pressed.len()) {
        terms.retain(|term| !pressed.contains(term));
    } else if adds {
        terms.extend(pressed);
    } else {
        terms = pressed;
    }
    terms.join(" ")
}

/// Whether a filter has a condition.
pub(crate) fn is_pressed(now: &str, condition: &str) -> bool {
    let now = terms(now);
    terms(condition).iter().all(|term| now.contains(term))
}

#[cfg(test)]
mod tests {
    use super::super::filter::{Filter, RunNames};
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let written = [
            text("user", "=", &["a b", "c\"d", ""]),
            text("tenant", "!=", &["vision", "x=y"]),
            between("FIFO", "jct", 7_000.0, 0.5),
            between("FIFO", "rho", 0.25, 12.0),
            submitted(12.5, 90_000.0),
            positions(&[1, 2, 3, 9]),
            gang(4, Some(8)),
        ];
        let runs = RunNames::of([("FIFO", "fifo")].into_iter());
        for filter in &written {
            assert!(Filter::parse(filter, &runs).is_ok(), "{filter}");
        }
        assert_eq!(written[0], "user=\"a b\",\"c\"\"d\",\"\"");
        assert_eq!(written[2], "fifo.jct>=0.5s fifo.jct<=1.944h");
        assert_eq!(written[5], "id=1-3,9");
        let bars = Bars {
            field: "duration".to_owned(),
            bounds: vec![(0.0, 20_000.0), (20_000.0, 50_000.0)],
            ..Bars::default()
        };
        let of_bars: Vec<String> = (0..).map_while(|at| of_bar(&bars, at)).collect();
        assert_eq!(
            of_bars,
            ["duration<=20000", "duration>20000 duration<=50000"]
        );
        assert_eq!(gang(1, Some(2)), "gpus=1");
    }

    #[test]
    fn jobs_are_told_by_a_word_that_others_do_not_have() {
        let of = |is_in: &[bool], words: &[Option<&'static str>]| {
            condition_by("tenant", is_in, |job| words[job])
        };
        let words = [Some("a"), Some("b"), Some("c d"), None];
        let told = of(&[true, false, true, false], &words);
        assert_eq!(told.as_deref(), Some("tenant=a,\"c d\""));
        assert_eq!(
            of(&[true, false, false, true], &words),
            None,
            "one has none"
        );
        assert_eq!(of(&[true, false], &[Some("a"), Some("a")]), None);
        assert_eq!(of(&[false, false], &words[..2]), None);
    }

    #[test]
    fn a_second_press_lets_go() {
        assert_eq!(pressed("", "gpus=1", false), "gpus=1");
        assert_eq!(pressed("gpus=1", "gpus=1", false), "");
        assert_eq!(pressed("user=a", "gpus=1", false), "gpus=1");
        assert_eq!(pressed("user=a", "gpus=1", true), "user=a gpus=1");
        assert_eq!(pressed("user=a gpus=1", "gpus=1", true), "user=a");
        assert_eq!(pressed("gpus=16", "gpus=1", true), "gpus=16 gpus=1");
    }
}

//! How texts speak of runs: `jct_mean(srtf) / jct_mean(fifo)` in a sentence, with `<`, `>` or `==` between
//! two of them in a claim or a goal. A scheduler is a spec (`tiresias-las[queues=2]`) or, as `1`, a
//! position in the figure's list; with other settings than the figure's it is `fifo with checkpoint=900`, as links have
//! them. Behind a semicolon stands a job (`jct(fifo; mine)`), or a job and when (`gpus(fifo; mine at 25000)`).

use crate::arithmetic::{self, Opened, exact};
use crate::figure::Figure;
use crate::run::Run;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::rc::Rc;
use switchyard::policies::PolicySpec;
use switchyard::report::{Metric, MetricUnit};
use switchyard::workload::Application;
use switchyard::workload::application::packed;
use switchyard_app::format::{self, SPAN_UNITS};

/// A formula.
#[derive(Clone, Debug, PartialEq)]
enum Formula {
    Number(f64),
    /// Where the clock stands, seconds; only in goals.
    Clock,
    /// A metric's name, the scheduler, and the job or tenant behind the semicolon.
    Ask(String, String, Option<String>),
    Both(Box<Formula>, char, Box<Formula>),
}

/// A number and whether it is in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) number: f64,
    pub(crate) in_seconds: bool,
}

/// What has to hold, all of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition(Vec<(Formula, &'static str, Formula)>);

/// How two sides are compared.
const COMPARISONS: [&str; 5] = ["<=", ">=", "==", "<", ">"];

/// A number of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// As the sentence has it.
    pub(crate) words: String,
    /// How it comes about.
    pub(crate) opened: Opened,
}

/// A sentence's formula, with how it is written behind a bar: `jct_mean(fifo)/3600 | 1`.
pub(crate) fn said(text: &str, figure: &Figure) -> Result<Said> {
    let (formula, how) = match text.split_once('|') {
        Some((formula, how)) => (formula, Some(how.trim())),
        None => (text, None),
    };
    let formula = Formula::parse(formula)?;
    let quantity = formula.value(figure, &figure.policies())?;
    Ok(Said {
        words: quantity.in_words(how)?,
        opened: formula.opened(figure)?,
    })
}

/// What a written sum comes to: `(1,200 + 3) ∕ 2`.
fn worked_out(sum: &str) -> Result<f64> {
    let plain = sum.replace(',', "").replace('−', "-");
    let plain = plain.replace('×', "*").replace('∕', "/");
    Formula::parse(&plain)?.number()
}

impl Condition {
    /// Comparisons joined by `and`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let parts = text.split(" and ").map(|part| {
            let sign = COMPARISONS.into_iter().find(|sign| part.contains(sign));
            let sign = sign.with_context(|| format!("'{part}' compares nothing"))?;
            let (left, right) = part.split_once(sign).unwrap_or_default();
            Ok((Formula::parse(left)?, sign, Formula::parse(right)?))
        });
        Ok(Self(parts.collect::<Result<_>>()?))
    }

    /// Whether it holds where the figure shows these schedulers.
    pub(crate) fn holds(&self, figure: &Figure, policies: &str) -> Result<bool> {
        for (left, sign, right) in &self.0 {
            let (left, right) = (
                left.value(figure, policies)?,
                right.value(figure, policies)?,
            );
            let (left, right) = (left.number, right.number);
            let holds = match *sign {
                "<" => left < right,
                ">" => left > right,
                "<=" => left <= right,
                ">=" => left >= right,
                // As sentences round them.
                _ => (left - right).abs() <= 5e-3 * right.abs(),
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether it is about the clock, which only a reader can move.
    pub(crate) fn is_of_clock(&self) -> bool {
        let mut sides = self.0.iter().flat_map(|(left, _, right)| [left, right]);
        sides.any(|side| *side == Formula::Clock)
    }

    /// As the script reads it: `[[left, sign, right], …]`.
    pub(crate) fn json(&self) -> Result<Value> {
        let parts = self.0.iter().map(|(left, sign, right)| {
            ensure!(*sign != "==", "a goal compares by order: use <= or >=");
            Ok(json!([left.json()?, sign, right.json()?]))
        });
        Ok(Value::Array(parts.collect::<Result<_>>()?))
    }
}

impl Formula {
    fn parse(text: &str) -> Result<Self> {
        let mut rest = text.trim();
        let formula = Self::sum(&mut rest)?;
        ensure!(rest.is_empty(), "'{text}': '{rest}' is too much");
        Ok(formula)
    }

    fn sum(rest: &mut &str) -> Result<Self> {
        Self::joined(rest, ['+', '-'], Self::product)
    }

    fn product(rest: &mut &str) -> Result<Self> {
        Self::joined(rest, ['*', '/'], Self::atom)
    }

    fn joined(
        rest: &mut &str,
        signs: [char; 2],
        of: fn(&mut &str) -> Result<Self>,
    ) -> Result<Self> {
        let mut left = of(rest)?;
        while let Some(sign) = rest.chars().next().filter(|sign| signs.contains(sign)) {
            *rest = rest[1..].trim_start();
            left = Self::Both(Box::new(left), sign, Box::new(of(rest)?));
        }
        Ok(left)
    }

    fn atom(rest: &mut &str) -> Result<Self> {
        let text = *rest;
        if let Some(inner) = text.strip_prefix('(') {
            *rest = inner.trim_start();
            let formula = Self::sum(rest)?;
            let behind = rest.strip_prefix(')');
            *rest = behind
                .with_context(|| format!("'{text}': a bracket is not closed"))?
                .trim_start();
            return Ok(formula);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let (word, behind) = text.split_at(end);
        if let Some(behind) = behind.strip_prefix('(') {
            let (inner, behind) = behind
                .split_once(')')
                .with_context(|| format!("'{text}': a bracket is not closed"))?;
            *rest = behind.trim_start();
            let (who, what) = match inner.split_once(';') {
                Some((who, what)) => (who, Some(what.trim().to_owned())),
                None => (inner, None),
            };
            return Ok(Self::Ask(word.to_owned(), who.trim().to_owned(), what));
        }
        *rest = behind.trim_start();
        if word == "time" {
            return Ok(Self::Clock);
        }
        let number = word.parse();
        Ok(Self::Number(number.with_context(|| {
            format!("'{text}' begins with no number and no question such as jct_mean(fifo)")
        })?))
    }

    fn value(&self, figure: &Figure, policies: &str) -> Result<Quantity> {
        let plain = |number| Quantity {
            number,
            in_seconds: false,
        };
        match self {
            Self::Number(number) => Ok(plain(*number)),
            Self::Clock => bail!("the clock is the reader's: ask for it in goals alone"),
            Self::Ask(name, who, what) => {
                if let Some(number) = of_a_model(name, who, what.as_deref())? {
                    return Ok(plain(number));
                }
                of_a_run(&*asked(figure, policies, who)?, name, what.as_deref())
            }
            Self::Both(left, sign, right) => {
                let (left, right) = (
                    left.value(figure, policies)?,
                    right.value(figure, policies)?,
                );
                let in_seconds = match sign {
                    '/' => left.in_seconds && !right.in_seconds,
                    _ => left.in_seconds || right.in_seconds,
                };
                let number = joined(left.number, *sign, right.number);
                Ok(Quantity { number, in_seconds })
            }
        }
    }

    /// What it comes to where it is of numbers alone.
    fn number(&self) -> Result<f64> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Both(left, sign, right) => Ok(joined(left.number()?, *sign, right.number()?)),
            Self::Clock | Self::Ask(..) => bail!("it is of more than numbers"),
        }
    }

    /// How its number comes about; of several numbers, how each of them does.
    fn opened(&self, figure: &Figure) -> Result<Opened> {
        let quantity = self.value(figure, &figure.policies())?;
        let opened = match self {
            Self::Ask(name, who, what) => {
                if let Some((application, gpus)) = application(name, who, what.as_deref())? {
                    arithmetic::of_a_model(&application, name, gpus)?
                } else {
                    let run = asked(figure, &figure.policies(), who)?;
                    arithmetic::of_a_run(&run, name, what.as_deref())?
                }
            }
            _ => {
                let mut parts = Vec::new();
                let (formula, sum) = self.written(figure, &mut parts)?;
                Opened {
                    title: "Worked out from several numbers".to_owned(),
                    formula,
                    sum,
                    unit: if quantity.in_seconds { "s" } else { "" },
                    parts,
                    ..Opened::default()
                }
            }
        };
        checked(opened, quantity.number)
    }

    /// Its formula in words and with values, and in `parts` how each of these comes about.
    fn written(&self, figure: &Figure, parts: &mut Vec<Opened>) -> Result<(String, String)> {
        match self {
            Self::Number(number) => Ok((exact(*number), exact(*number))),
            Self::Clock | Self::Ask(..) => {
                let opened = self.opened(figure)?;
                let quantity = self.value(figure, &figure.policies())?;
                let words = match &opened.policy {
                    Some(policy) => format!("{} ({policy})", opened.title),
                    None => opened.title.clone(),
                };
                if !parts.contains(&opened) {
                    parts.push(opened);
                }
                Ok((words, exact(quantity.number)))
            }
            Self::Both(left, sign, right) => {
                let is_sum = |of: &Self| matches!(of, Self::Both(_, '+' | '-', _));
                let is_both = |of: &Self| matches!(of, Self::Both(..));
                let is_product = matches!(sign, '*' | '/');
                let in_brackets = |is: bool, (words, sum): (String, String)| match is {
                    true => (format!("({words})"), format!("({sum})")),
                    false => (words, sum),
                };
                let left = in_brackets(is_product && is_sum(left), left.written(figure, parts)?);
                let is = match is_product {
                    true => is_both(right),
                    false => is_sum(right),
                };
                let right = in_brackets(is, right.written(figure, parts)?);
                let sign = match sign {
                    '-' => '−',
                    '*' => '×',
                    '/' => '∕',
                    other => *other,
                };
                let joined = |left, right| format!("{left} {sign} {right}");
                Ok((joined(left.0, right.0), joined(left.1, right.1)))
            }
        }
    }

    /// As the script reads it: a number, `"time"`, `[place, scheduler]` or `[left, sign, right]`.
    fn json(&self) -> Result<Value> {
        Ok(match self {
            Self::Number(number) => json!(number),
            Self::Clock => json!("time"),
            Self::Both(left, sign, right) => json!([left.json()?, sign.to_string(), right.json()?]),
            Self::Ask(name, who, _) => {
                let told = Metric::named(name).map(|metric| metric.path);
                let told = told.filter(|path| !path.is_empty());
                let told = told.with_context(|| format!("figures do not tell {name}"))?;
                ensure!(
                    !who.contains(" with "),
                    "a goal is of what the figure shows"
                );
                match who.parse::<usize>() {
                    Ok(position) => json!([told, position]),
                    Err(_) => json!([told, who.parse::<PolicySpec>()?.to_string()]),
                }
            }
        })
    }
}

/// What is opened, if what its sum comes to is what the engine says.
fn checked(opened: Opened, number: f64) -> Result<Opened> {
    let sum = worked_out(&opened.sum)?;
    ensure!(
        (sum - number).abs() <= 1e-4 * number.abs().max(0.01),
        "{}: {} comes to {sum}, and the engine says {number}",
        opened.title,
        opened.sum
    );
    Ok(Opened { number, ..opened })
}

fn joined(left: f64, sign: char, right: f64) -> f64 {
    match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        _ => left / right,
    }
}

impl Quantity {
    /// As the page words it. `how`: `%` for whole per cent, a number of decimals, or a unit of [`SPAN_UNITS`].
    fn in_words(self, how: Option<&str>) -> Result<String> {
        let number = self.number;
        ensure!(number.is_finite(), "there is no such number");
        Ok(match how {
            Some("%") => format!("{} %", format::decimals(100.0 * number, 0)),
            Some(how) => match SPAN_UNITS.iter().find(|unit| unit.name == how) {
                Some(unit) => format::with_unit(number / unit.seconds, unit.name),
                None => {
                    let places = how.parse().with_context(|| format!("'{how}' is no unit"))?;
                    format::decimals(number, places)
                }
            },
            None if self.in_seconds => format::duration(number),
            None => format::figures(number),
        })
    }
}

/// What is asked of a model alone: `speedup(resnet18; 8)`, how much faster an application of Pollux' makes
/// progress on so many GPUs (four to a node) than on one, halfway through its training, each with the
/// best batch for it; `batch` and `first_batch`, that batch then and at the beginning.
fn of_a_model(name: &str, who: &str, what: Option<&str>) -> Result<Option<f64>> {
    let Some((application, gpus)) = application(name, who, what)? else {
        return Ok(None);
    };
    let epoch = if name == "first_batch" {
        0
    } else {
        application.epochs() / 2
    };
    let best = |gpus| {
        let choice = application.best_choice(&packed(gpus, 4), epoch);
        choice.context("it does not run there")
    };
    let there = best(gpus)?;
    Ok(Some(match name {
        "speedup" => there.goodput / best(1)?.goodput,
        _ => there.batch.total(gpus),
    }))
}

/// The application and the number of GPUs that a question is about; none where it is about runs.
fn application(name: &str, who: &str, what: Option<&str>) -> Result<Option<(Application, u32)>> {
    if !["speedup", "batch", "first_batch"].contains(&name) {
        return Ok(None);
    }
    let all = Application::embedded();
    let names: Vec<String> = all.iter().map(|of| of.name.to_string()).collect();
    let known = all
        .into_iter()
        .find(|application| &*application.name == who);
    let known = known.with_context(|| {
        format!(
            "no application is called '{who}': use one of {}",
            names.join(", ")
        )
    })?;
    let gpus = what.context("on how many GPUs? As speedup(bert; 8)")?;
    Ok(Some((known, gpus.parse()?)))
}

fn of_a_run(run: &Run, name: &str, what: Option<&str>) -> Result<Quantity> {
    let jobs = &run.prepared.workload.jobs;
    if let (Some(what), "jct" | "wait") = (what, name) {
        let at = jobs.iter().position(|job| &*job.name == what);
        let at = at.with_context(|| format!("no job is called '{what}'"))?;
        let column = if name == "jct" {
            &run.outcomes.jct
        } else {
            &run.outcomes.first_wait
        };
        return Ok(Quantity {
            number: column[at],
            in_seconds: true,
        });
    }
    if let (Some(what), "gpus") = (what, name) {
        let held = arithmetic::held(run, what)?;
        return Ok(Quantity {
            number: f64::from(held.iter().sum::<u32>()),
            in_seconds: false,
        });
    }
    if let (Some(what), "tenant_jct") = (what, name) {
        let tenants = &run.prepared.workload.tenants;
        let of = tenants.iter().position(|tenant| tenant == what);
        let of = of.with_context(|| format!("no tenant is called '{what}'"))? as u32;
        let theirs = jobs.iter().zip(&run.outcomes.jct);
        let theirs: Vec<f64> = theirs
            .filter(|(job, _)| job.tenant == Some(of))
            .map(|(_, jct)| *jct)
            .collect();
        let number = theirs.iter().sum::<f64>() / theirs.len() as f64;
        return Ok(Quantity {
            number,
            in_seconds: true,
        });
    }
    let metric = Metric::named(name);
    let metric = metric.with_context(|| format!("runs are not asked for '{name}'"))?;
    ensure!(what.is_none(), "{name} is of a whole run");
    Ok(Quantity {
        number: (metric.of)(&run.result.summary),
        in_seconds: metric.unit == MetricUnit::Seconds,
    })
}

/// The run that a question is about: of a figure that shows these schedulers, or of these jobs besides.
fn asked(figure: &Figure, policies: &str, who: &str) -> Result<Rc<Run>> {
    if let Some((who, settings)) = who.split_once(" with ") {
        return asked(
            &figure.with_settings(settings.trim())?,
            policies,
            who.trim(),
        );
    }
    let runs = figure.runs(&with(policies, who)?)?;
    Ok(Rc::clone(&runs[position(&runs, who)?]))
}

/// The schedulers of a figure, and this one where it is none of them.
fn with(policies: &str, who: &str) -> Result<String> {
    if who.parse::<usize>().is_ok() {
        return Ok(policies.to_owned());
    }
    let asked: PolicySpec = who.parse()?;
    for known in policies.split_whitespace() {
        if known.parse::<PolicySpec>()? == asked {
            return Ok(policies.to_owned());
        }
    }
    Ok(format!("{policies} {who}").trim().to_owned())
}

fn position(runs: &[Rc<Run>], who: &str) -> Result<usize> {
    let at = match who.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|at| *at < runs.len()),
        Err(_) => {
            let spec = who.parse::<PolicySpec>()?.to_string();
            runs.iter().position(|run| run.result.policy == spec)
        }
    };
    at.with_context(|| format!("the figure does not show {who}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(text: &str, figure: &Figure) -> Result<String> {
        Ok(said(text, figure)?.words)
    }

    fn number(text: &str) -> f64 {
        let none = Figure::read("view: goodput", 1, std::path::Path::new("."), None).unwrap();
        Formula::parse(text)
            .unwrap()
            .value(&none, "")
            .unwrap()
            .number
    }

    #[test]
    fn products_go_before_sums() {
        assert_eq!(number("2 + 3 * 4 - 10 / 5"), 12.0);
        assert!(Formula::parse("2 +").is_err());
        assert!(Formula::parse("mean_jct(fifo").is_err());
    }

    #[test]
    fn a_figure_answers_for_its_runs() {
        let lines = "src: three-jobs\npolicy: srsf las[quantum=1]";
        let figure = Figure::read(lines, 1, std::path::Path::new("."), None).unwrap();
        // By its id, and by its former name.
        for asked in ["jct_mean(srsf) | 1", "mean_jct(srsf) | 1"] {
            assert_eq!(in_words(asked, &figure).unwrap(), "9.3");
        }
        assert_eq!(in_words("jct_mean(srsf)", &figure).unwrap(), "9.33 s");
        assert_eq!(
            in_words("jct_mean(srsf) | min", &figure).unwrap(),
            "0.16 min"
        );
        assert_eq!(in_words("jct(1; J3)", &figure).unwrap(), "16 s");
        assert_eq!(
            in_words("mean_jct(2) / mean_jct(1) | %", &figure).unwrap(),
            "125 %"
        );
        let holds = |text: &str| {
            let condition = Condition::parse(text).unwrap();
            condition.holds(&figure, "srsf las[quantum=1]").unwrap()
        };
        assert!(holds("mean_jct(1) < mean_jct(2) and restarts(1) == 0"));
        assert!(!holds("mean_jct(1) < mean_jct(2) and restarts(2) == 0"));
        assert!(in_words("jct(1; J4)", &figure).is_err());
        // With other settings.
        let lines = "src: three-jobs\npolicy: srsf";
        let figure = Figure::read(lines, 1, std::path::Path::new("."), None).unwrap();
        let with = "jct_mean(srsf with restart=2&first-start-pays=true)";
        assert_ne!(in_words(with, &figure).unwrap(), "9.33 s");
        let opened = said(with, &figure).unwrap().opened;
        let named = "srsf with restart=2&first-start-pays=true";
        assert_eq!(opened.policy.as_deref(), Some(named));
        let error = in_words("jct_mean(srsf with colour=tenant)", &figure).unwrap_err();
        assert!(
            format!("{error:#}").contains("no setting 'colour'"),
            "{error:#}"
        );
        let goal = Condition::parse("jct_mean(srsf with restart=2) < 9").unwrap();
        assert!(goal.json().is_err(), "a goal is of what is shown");
    }

    #[test]
    fn a_number_is_opened_with_the_values_of_its_run() {
        let lines = "src: three-jobs\npolicy: srsf las[quantum=1]";
        let figure = Figure::read(lines, 1, std::path::Path::new("."), None).unwrap();
        let sum = |text: &str| said(text, &figure).unwrap().opened.sum;
        assert_eq!(sum("jct(1; J3)"), "16 − 0");
        assert_eq!(sum("mean_jct(srsf)"), "(2 + 10 + 16) ∕ 3");
        assert_eq!(sum("makespan(1)"), "16 − 0");
        // J1 has both GPUs for two seconds.
        assert_eq!(sum("gpus(1; J1 at 1)"), "2");
        assert_eq!(said("gpus(1; J1 at 2)", &figure).unwrap().words, "0");
        for wrong in ["gpus(1; J1)", "gpus(1; J4 at 1)", "gpus(1; J1 at noon)"] {
            assert!(said(wrong, &figure).is_err(), "{wrong}");
        }
        let ratio = said("(mean_jct(2) - mean_jct(1)) / mean_jct(1)", &figure).unwrap();
        assert_eq!(ratio.opened.sum, "(11.6667 − 9.3333) ∕ 9.3333");
        assert_eq!(ratio.opened.parts.len(), 2);
        assert_eq!(
            ratio.opened.formula,
            "(Mean JCT (las[quantum=1]) − Mean JCT (srsf)) ∕ Mean JCT (srsf)"
        );
        // A sum that comes to something else is refused.
        let opened = said("mean_jct(srsf)", &figure).unwrap().opened;
        assert!(checked(opened.clone(), 28.0 / 3.0).is_ok());
        assert!(checked(opened, 9.4).is_err());
        // Nobody has written how this one comes about.
        assert!(said("node_hours(1)", &figure).is_err());
    }

    #[test]
    fn every_metric_that_is_opened_comes_to_what_the_engine_says() {
        let folder = std::path::Path::new(".");
        for (src, policies) in [
            ("three-jobs", "fifo las[quantum=1]"),
            ("lab", "fifo srtf gandiva pollux"),
        ] {
            let lines = format!("src: {src}\npolicy: {policies}");
            let figure = Figure::read(&lines, 1, folder, None).unwrap();
            for at in 1..=policies.split(' ').count() {
                for name in [
                    "jobs",
                    "jct_mean",
                    "jct_median",
                    "jct_p90",
                    "jct_p95",
                    "jct_p99",
                    "jct_max",
                    "queueing_mean",
                    "queueing_p95",
                    "longest_wait",
                    "makespan",
                    "restarts",
                    "gpu_allocation",
                    "rho_mean",
                    "rho_p99",
                    "rho_max",
                    "jain",
                ] {
                    let asked = format!("{name}({at})");
                    if let Err(error) = said(&asked, &figure) {
                        panic!("{src}, {policies}: {asked}: {error:#}");
                    }
                }
            }
        }
        // Where nodes fail.
        let folder = folder
            .join(env!("CARGO_MANIFEST_DIR"))
            .join("../docs/lessons");
        let figure = Figure::read("src: training.csv\npolicy: fifo", 1, &folder, None).unwrap();
        for name in [
            "node_failures",
            "evictions",
            "lost_gpu_hours",
            "checkpoint_gpu_hours",
            "restore_gpu_hours",
            "executed_gpu_hours",
            "goodput",
        ] {
            let opened = said(&format!("{name}(fifo)"), &figure).unwrap().opened;
            assert!(opened.number > 0.0, "{name}");
        }
    }

    #[test]
    fn times_are_told_in_the_unit_that_suits_them() {
        let told = |number| {
            Quantity {
                number,
                in_seconds: true,
            }
            .in_words(None)
            .unwrap()
        };
        assert_eq!(told(16.0), "16 s");
        assert_eq!(told(1800.0), "30 min");
        assert_eq!(told(25_020.0), "6.95 h");
    }
}

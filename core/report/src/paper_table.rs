//! Runs as a paper's table: a row each, with what papers compare, the best of each column marked. In:
//! names and [`Summary`]s, of which the first is the baseline. Out: LaTeX (for `booktabs`), Markdown, or
//! CSV with the figures unrounded. A run that leaves jobs behind says so beside its name; it is never the
//! best, and no ratio is taken of it.

use super::{Better, Metric, MetricUnit, Summary};
use crate::spreadsheet::guarded;
use std::borrow::Cow;

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// Figures unrounded, nothing marked.
    Csv,
    /// A `tabular` with the rules of `booktabs`.
    Latex,
    /// A table with pipes, as most renderers of Markdown take it.
    Markdown,
}

/// A column's head, with its unit where that is not one: `Mean JCT (s)`.
fn head(metric: &Metric) -> String {
    match metric.unit {
        MetricUnit::Seconds => format!("{} ({})", metric.title, metric.unit.word()),
        _ => metric.title.to_owned(),
    }
}

/// With how many decimals a column is shown.
fn decimals(metric: &Metric) -> usize {
    match metric.unit {
        MetricUnit::Seconds | MetricUnit::Count => 0,
        _ => 2,
    }
}

/// How many times as quick as the first run it is: a gain of 13.5 is not told by 0.07.
const RATIO: &str = "First row's mean JCT ÷ its own";

/// The table of these runs.
pub fn paper_table(runs: &[(&str, &Summary)], form: TableForm) -> String {
    let compared = |of: &Summary| match of.is_whole() {
        true => of.jct.mean,
        false => f64::NAN,
    };
    let first = runs.first().map_or(f64::NAN, |(_, first)| compared(first));
    let figures = runs.iter().map(|(_, of)| {
        let own = Metric::headline().map(|metric| (metric.of)(of));
        let own = own.map(|value| if of.finished > 0 { value } else { f64::NAN });
        own.chain([first / compared(of)]).collect()
    });
    let figures: Vec<Vec<f64>> = figures.collect();
    let columns: Vec<&Metric> = Metric::headline().collect();
    let heads: Vec<String> = columns.iter().map(|metric| head(metric)).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).chain([RATIO]).collect();
    if form == TableForm::Csv {
        return csv(runs, &heads, &figures);
    }
    let whole = figures
        .iter()
        .zip(runs)
        .filter(|(_, (_, of))| of.is_whole());
    let whole: Vec<&Vec<f64>> = whole.map(|(row, _)| row).collect();
    let rows = figures.iter().zip(runs).map(|(row, (name, of))| {
        let cells = row.iter().enumerate().map(|(at, &value)| {
            let text = match columns.get(at) {
                Some(metric) => shown(value, decimals(metric)),
                None => ratio(value, form),
            };
            let is_best = columns.get(at).is_some_and(|metric| {
                let all: Vec<f64> = whole.iter().map(|row| row[at]).collect();
                of.is_whole() && is_best(metric, &all, value)
            });
            match (is_best, form) {
                (false, _) => text,
                (true, TableForm::Latex) => format!("\\textbf{{{text}}}"),
                (true, _) => format!("**{text}**"),
            }
        });
        let name = of.called(name);
        let name = match form {
            TableForm::Latex => latex(&name).into_owned(),
            _ => name.replace('|', "\\|"),
        };
        (name, cells.collect::<Vec<_>>())
    });
    let rows: Vec<(String, Vec<String>)> = rows.collect();
    match form {
        TableForm::Latex => {
            let heads: Vec<Cow<'_, str>> = heads.iter().map(|head| latex(head)).collect();
            let mut text = format!(
                "\\begin{{tabular}}{{l{}}}\n\\toprule\nScheduler & {} \\\\\n\\midrule\n",
                "r".repeat(heads.len()),
                heads.join(" & ")
            );
            for (name, cells) in rows {
                text += &format!("{name} & {} \\\\\n", cells.join(" & "));
            }
            text + "\\bottomrule\n\\end{tabular}\n"
        }
        _ => {
            let mut text = format!(
                "| Scheduler | {} |\n|---|{}\n",
                heads.join(" | "),
                "---:|".repeat(heads.len())
            );
            for (name, cells) in rows {
                text += &format!("| {name} | {} |\n", cells.join(" | "));
            }
            text
        }
    }
}

fn csv(runs: &[(&str, &Summary)], heads: &[&str], figures: &[Vec<f64>]) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = csv.write_record([&["Scheduler"], heads, &["Jobs", "Finished"]].concat());
    for ((name, of), figures) in runs.iter().zip(figures) {
        let name = guarded(name);
        let figures = figures.iter().map(|&value| match value.is_nan() {
            true => String::new(),
            false => value.to_string(),
        });
        let counts = [of.jobs, of.finished].map(|count| count.to_string());
        let row = std::iter::once(name.into_owned()).chain(figures);
        let _ = csv.write_record(row.chain(counts));
    }
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Whether no run is shown a better figure, and one a worse.
fn is_best(metric: &Metric, figures: &[f64], value: f64) -> bool {
    let text = |value| shown(value, decimals(metric));
    let is_known = figures.iter().copied().all(f64::is_finite);
    let best = match metric.better {
        Better::Lower => figures.iter().copied().fold(f64::INFINITY, f64::min),
        Better::Higher => figures.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Better::Neither => return false,
    };
    let differ = figures.iter().any(|&other| text(other) != text(value));
    is_known && differ && text(best) == text(value)
}

/// From here on a number has an exponent, so that it is no longer than a column is wide.
const LONG: f64 = 1e12;

/// With as many decimals as its column, and with a comma between thousands, as papers in English have it.
fn shown(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    } else if value.abs() >= LONG {
        return format!("{value:.2e}");
    }
    // Sums of nothing are −0.
    let text = format!("{:.decimals$}", value + 0.0);
    if text.starts_with('-') {
        return text;
    }
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

/// A ratio to three figures, however small or large it is.
fn ratio(value: f64, form: TableForm) -> String {
    if !value.is_finite() || value <= 0.0 {
        return shown(f64::NAN, 0);
    }
    // Rounded first: 9.996 is 10.0, and not 10.00.
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let before = libm::floor(libm::log10(rounded)) as i32;
    let text = shown(rounded, usize::try_from(2 - before).unwrap_or(0));
    match form {
        TableForm::Latex => text + "$\\times$",
        _ => text + "×",
    }
}

/// As LaTeX's text.
fn latex(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            'ρ' => escaped += "$\\rho$",
            '÷' => escaped += "$\\div$",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    Cow::from(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Distribution;

    fn summary(mean: f64, restarts: u32) -> Summary {
        Summary {
            jobs: 2,
            finished: 2,
            makespan: 20.0,
            jct: Distribution {
                mean,
                median: 10.0,
                ..Distribution::default()
            },
            restarts,
            ..Summary::default()
        }
    }

    #[test]
    fn the_best_are_marked_and_nothing_is_markup() {
        let (slow, fast) = (summary(1234567.8, 0), summary(600.4, 7));
        let runs = [("fifo", &slow), ("tiresias-las[knob=2,a_b|c]", &fast)];

        let markdown = paper_table(&runs, TableForm::Markdown);
        let lines: Vec<&str> = markdown.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(
            lines[2].starts_with("| fifo | 1,234,568 | 10 |"),
            "{}",
            lines[2]
        );
        assert!(lines[2].ends_with("| **0** | 1.00× |"), "{}", lines[2]);
        assert!(
            lines[3].starts_with("| tiresias-las[knob=2,a_b\\|c] | **600** | 10 |"),
            "{}",
            lines[3]
        );

        let latex = paper_table(&runs, TableForm::Latex);
        assert!(
            latex.contains("tiresias-las[knob=2,a\\_b|c] & \\textbf{600} & 10"),
            "{latex}"
        );
        assert!(
            latex.contains("Mean fairness $\\rho$") && latex.ends_with("\\end{tabular}\n"),
            "{latex}"
        );

        let csv = paper_table(&runs, TableForm::Csv);
        assert_eq!(csv.lines().nth(1), Some("fifo,1234567.8,10,,20,,0,1,2,2"));
    }

    #[test]
    fn no_number_is_long() {
        for (value, decimals, text) in [
            (-0.0, 0, "0"),
            (1_234.567, 2, "1,234.57"),
            (999_999_999_999.0, 0, "999,999,999,999"),
            (1e12, 2, "1.00e12"),
            (f64::MAX, 2, "1.80e308"),
            (f64::INFINITY, 1, "–"),
        ] {
            assert_eq!(shown(value, decimals), text);
        }
    }

    #[test]
    fn a_ratio_says_the_gain_to_three_figures() {
        let ratios = [13.5123, 0.074, 1.0, 9.996, 999.7, 1234567.8, 0.00074006];
        let texts = ratios.map(|value| ratio(value, TableForm::Markdown));
        let expected = [
            "13.5×",
            "0.0740×",
            "1.00×",
            "10.0×",
            "1,000×",
            "1,230,000×",
            "0.000740×",
        ];
        assert_eq!(texts, expected);
        assert_eq!(ratio(f64::NAN, TableForm::Latex), "–");
        let (slow, fast) = (summary(1350.0, 0), summary(100.0, 0));
        let latex = paper_table(&[("fifo", &slow), ("las", &fast)], TableForm::Latex);
        assert!(
            latex.contains("First row's mean JCT $\\div$ its own"),
            "{latex}"
        );
        assert!(
            latex.contains("& 1.00$\\times$ \\\\") && latex.contains("& 13.5$\\times$ \\\\"),
            "{latex}"
        );
    }

    #[test]
    fn a_run_that_leaves_jobs_behind_is_never_the_best() {
        let none = Summary {
            jobs: 2,
            ..Summary::default()
        };
        let some = Summary {
            finished: 1,
            ..summary(1.0, 0)
        };
        let (one, other) = (summary(600.0, 1), summary(700.0, 1));
        let runs = [
            ("fifo", &one),
            ("las", &none),
            ("mine", &some),
            ("srtf", &other),
        ];
        let markdown = paper_table(&runs, TableForm::Markdown);
        let lines: Vec<&str> = markdown.lines().skip(2).collect();
        assert!(lines[0].starts_with("| fifo | **600** |"), "{markdown}");
        assert!(
            lines[1].starts_with("| las (0 of 2 finished) | – | – | – |"),
            "{markdown}"
        );
        assert!(
            lines[2].starts_with("| mine (1 of 2 finished) | 1 |") && lines[2].ends_with("| – |"),
            "{markdown}"
        );
        assert!(lines[3].ends_with("| 0.857× |"), "{markdown}");
        // No ratio to a baseline that is not whole.
        let markdown = paper_table(&[("mine", &some), ("fifo", &one)], TableForm::Markdown);
        assert!(!markdown.contains("**"), "{markdown}");
        assert_eq!(markdown.matches("| – |\n").count(), 2, "{markdown}");
    }
}

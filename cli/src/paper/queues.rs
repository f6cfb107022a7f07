//! Cases of Kueue and of KAI, decided as the originals do: shares of queues, and victims. The cases are a file, so
//! that anybody's may be asked about.

use crate::terminal::within_line;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use switchyard::queues::{kai, kueue};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The cases, as JSON: {"base": …, "cases": [{"name", …}]}; where a case says what it wants, that is compared
    #[arg(long, value_name = "FILE")]
    cases: PathBuf,
    /// Write what was decided as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

pub(crate) fn kueue(arguments: &Arguments) -> Result<(), Failure> {
    decide(arguments, |file| {
        kueue::cases::run(file).map_err(anyhow::Error::from)
    })
}

pub(crate) fn kai(arguments: &Arguments) -> Result<(), Failure> {
    decide(arguments, |file| {
        kai::cases::run(file).map_err(anyhow::Error::from)
    })
}

fn decide(
    arguments: &Arguments,
    run: impl Fn(&Value) -> anyhow::Result<Value>,
) -> Result<(), Failure> {
    let path = arguments.cases.display();
    let bytes = files::read(&arguments.cases).with_context(|| format!("cannot read {path}"));
    let bytes = bytes.map_err(Failure::Input)?;
    let file = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::Input(anyhow!("{path} is not JSON: {error}")))?;
    let decided = run(&file).map_err(|error| Failure::Input(error.context(format!("{path}"))))?;
    match &arguments.json {
        Some(to) => output::json(to, &decided),
        None => output::print(&text(&file, &decided)),
    }
}

/// A line for each case, and how many are as the file wants them.
fn text(file: &Value, decided: &Value) -> String {
    let asked = file.as_array().or_else(|| file["cases"].as_array());
    let decided = decided["cases"].as_array();
    let mut lines = String::new();
    let (mut equal, mut compared) = (0, 0);
    for (case, decided) in asked
        .into_iter()
        .flatten()
        .zip(decided.into_iter().flatten())
    {
        let name = decided["name"].as_str().unwrap_or_default();
        let got = &decided["got"];
        let wanted = case.get("want").or_else(|| case.get("expect"));
        let outcome = wanted.map(|wanted| is_same(got, wanted));
        compared += u32::from(outcome.is_some());
        equal += u32::from(outcome == Some(true));
        let said = match (wanted, outcome) {
            (Some(wanted), Some(false)) => format!("{got}, and {wanted} is wanted"),
            _ => got.to_string(),
        };
        lines += &within_line(&format!("{name}: {said}"));
        lines.push('\n');
    }
    match compared {
        0 => lines,
        _ => format!("{lines}\n{equal} of {compared} cases as wanted\n"),
    }
}

/// Whether two values are the same. 2 and 2.0 are, and a list that is missing is an empty one.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let in_b = |(key, value)| b.get(key).is_some_and(|other| is_same(value, other));
            a.len() == b.len() && a.iter().all(in_b)
        }
        (Value::Null, Value::Array(list)) | (Value::Array(list), Value::Null) => list.is_empty(),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn says_which_cases_differ_from_what_is_wanted() {
        let file = json!({"cases": [
            {"name": "a", "want": [["b1", "InClusterQueue"]]},
            {"name": "b", "want": null},
            {"name": "c", "expect": {"1": 2.0}},
            {"name": "d"},
        ]});
        let decided = json!({"cases": [
            {"name": "a", "got": [["b2", "InClusterQueue"]]},
            {"name": "b", "got": []},
            {"name": "c", "got": {"1": 2}},
            {"name": "d", "got": []},
        ]});
        let text = text(&file, &decided);
        assert!(
            text.contains(
                r#"a: [["b2","InClusterQueue"]], and [["b1","InClusterQueue"]] is wanted"#
            ),
            "{text}"
        );
        assert!(text.ends_with("2 of 3 cases as wanted\n"), "{text}");
    }
}

//! Cases as JSON, decided: who is evicted, whose share is how large.
//!
//! In: a file's JSON, `{"base": …, "cases": […]}`. Out: `{"cases": [{"name", "got"}]}`, with `got` in the form of the
//! case's `want`. A case has its own queues, or those of `base`; [`setup`] describes them. What a case asks for follows
//! from its fields:
//! - `incoming` and `target`: the victims, `[[name, reason], …]` in the order of `admitted`. With `"fairSharing": false`
//!   without fair sharing; else with `strategies`, by default both. `contested` names the resources of which there is too
//!   little, by default all that are asked for.
//! - `shares`: the dominant resource share of each queue that it names, `{queue: [share, resource or null, borrows]}`,
//!   rounded up as Kueue shows it; null: infinite. What `incoming` asks for is added to `target`. With
//!   `borrowsOn`, a list of resources: `{queue: [borrows, borrows one of them]}`.
//! - `pending`: one scheduling cycle over those that wait, `{"admitted": {name: {resource: flavor}}, "victims", "left"}`.

mod cycle;
pub mod error;
mod preemption;
pub mod quantity;
pub mod setup;
mod shares;

use error::CaseError;
use serde_json::{Value, json};
use setup::Setup;

/// Decides all cases of a file.
///
/// # Errors
/// What is no case, with its name and what is wrong.
pub fn run(file: &Value) -> Result<Value, CaseError> {
    let cases = file.get("cases").and_then(Value::as_array);
    let cases = cases.ok_or_else(|| CaseError::new("", "it has no list 'cases'"))?;
    let nothing = Value::Null;
    let base = file.get("base").unwrap_or(&nothing);
    let mut decided = Vec::new();
    for case in cases {
        let name = case.get("name").and_then(Value::as_str).unwrap_or_default();
        let setup = Setup::read(base, case).map_err(|error| error.of(name))?;
        let got = decide(setup).map_err(|error| error.of(name))?;
        decided.push(json!({"name": name, "got": got}));
    }
    Ok(json!({ "cases": decided }))
}

fn decide(setup: Setup) -> Result<Value, CaseError> {
    if setup.field("shares").is_some() {
        return shares::decide(setup);
    }
    if setup.field("pending").is_some() {
        return cycle::decide(setup);
    }
    preemption::decide(setup)
}

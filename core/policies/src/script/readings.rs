//! What a script had read where it ended: the job that it was at, and variables with their values, for the message. Variables
//! are noted only while a decision is repeated that has ended, since to note each costs more than to read it.

use super::job::Job;
use super::values::{self, Dict, List};
use crate::job::JobId;
use crate::job_properties::{PROPERTIES, Value};
use rhai::{Dynamic, ImmutableString};
use std::cell::{Cell, RefCell};

/// So many properties of a job are told, and so many variables: the last that were read.
const MOST: usize = 4;

/// Bytes of a value.
const LONGEST: usize = 40;

/// What was read.
#[derive(Default)]
pub(super) struct Readings {
    /// The last job of which something was read.
    job: Cell<Option<JobId>>,
    /// Whether variables are noted.
    is_on: Cell<bool>,
    /// Their values, the last one read at the end.
    variables: RefCell<Vec<(ImmutableString, String)>>,
}

impl Readings {
    /// A decision begins.
    pub(super) fn begin(&self, with_variables: bool) {
        self.job.set(None);
        self.is_on.set(with_variables);
        self.variables.borrow_mut().clear();
    }

    /// Something of a job is read.
    pub(super) fn read(&self, job: JobId) {
        self.job.set(Some(job));
    }

    /// The last job of which something was read.
    pub(super) fn job(&self) -> Option<JobId> {
        self.job.get()
    }

    /// Whether variables are noted.
    pub(super) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// A variable is read.
    pub(super) fn note(&self, name: &str, value: Option<&Dynamic>) {
        let told = value.and_then(told);
        let mut variables = self.variables.borrow_mut();
        variables.retain(|(other, _)| other != name);
        if let Some(told) = told {
            variables.push((name.into(), told));
        }
    }

    /// The variables read last, as "x = 2.5".
    pub(super) fn variables(&self) -> Vec<String> {
        let variables = self.variables.borrow();
        let last = &variables[variables.len().saturating_sub(MOST)..];
        let last = last.iter().map(|(name, value)| format!("{name} = {value}"));
        last.collect()
    }
}

/// A value that fits into a message: a number, a text, true or false, an array or a map of such. A job, a list of
/// jobs or a view does not.
fn told(value: &Dynamic) -> Option<String> {
    if let Ok(number) = value.as_float() {
        return Some(values::number_in_words(number));
    }
    let is_plain = value.is_int() || value.is_bool() || value.is_string();
    if !is_plain && !value.is::<List>() && !value.is::<Dict>() {
        return None;
    }
    let mut text = values::in_words(value, LONGEST);
    if text.len() > LONGEST {
        let cut = (0..=LONGEST)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        text.truncate(cut);
        text.push('…');
    }
    Some(text)
}

/// The properties of a job that stand at these places among all, as "gpus = 4".
pub(super) fn properties(job: &Job, places: &[usize]) -> Vec<String> {
    let told = places.iter().filter_map(|&at| {
        let value = match job.0.values.get(at)?.as_ref()? {
            Value::Int(number) => number.to_string(),
            Value::Float(number) => values::number_in_words(*number),
            Value::Bool(is) => is.to_string(),
            Value::Unit => return None,
        };
        Some(format!("{} = {value}", PROPERTIES[at].name))
    });
    told.take(MOST).collect()
}

/// Behind a job's name: "" or " (gpus = 4, x = 2.5)".
pub(super) fn in_brackets(values: &[String]) -> String {
    match values.is_empty() {
        true => String::new(),
        false => format!(" ({})", values.join(", ")),
    }
}

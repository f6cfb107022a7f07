//! The jobs table's filter: words of a job's name and conditions such as `gpus>=8`, `jct>1h` or
//! `tenant=vision`, all of which must hold.

use std::fmt;

/// What is known about a job, for conditions.
pub(super) trait Facts {
    /// A number of the job; per-run ones of every run. Unknown ones are `NaN`.
    fn numbers(&self, field: Number) -> impl Iterator<Item = f64>;
    /// A text of the job; empty if it has none.
    fn text(&self, field: Text) -> &str;
}

/// Fields that are numbers; times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// The gang.
    Gpus,
    /// When it was submitted.
    Submit,
    /// Its true duration.
    Duration,
    /// Completion time in a run.
    Jct,
    /// Queueing in a run.
    Wait,
    /// Restarts in a run.
    Restarts,
    /// Finish-time fairness in a run.
    Rho,
}

/// Fields that are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// The job's name.
    Name,
    /// Whose it is.
    Tenant,
    /// What it trains.
    Model,
}

/// Every field by name.
const NUMBERS: [(&str, Number); 7] = [
    ("gpus", Number::Gpus),
    ("submit", Number::Submit),
    ("duration", Number::Duration),
    ("jct", Number::Jct),
    ("wait", Number::Wait),
    ("restarts", Number::Restarts),
    ("rho", Number::Rho),
];
const TEXTS: [(&str, Text); 3] = [
    ("job", Text::Name),
    ("tenant", Text::Tenant),
    ("model", Text::Model),
];

/// Longer signs first: `>=` is not `>` with a strange number.
const SIGNS: [(&str, Sign); 6] = [
    (">=", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("!=", Sign::Not),
    (">", Sign::Above),
    ("<", Sign::Below),
    ("=", Sign::Is),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    AtLeast,
    AtMost,
    Above,
    Below,
    Is,
    Not,
}

/// A filter ready to use; the empty one admits every job.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// The field's text contains this, in small letters.
    Contains(Text, String),
    /// The field's text is this, or is not.
    Is(Text, String, bool),
    Compares(Number, Sign, f64),
}

/// What is wrong with a filter, with the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterError {
    UnknownField(String),
    NotANumber { field: String, value: String },
    NoOrder { field: String },
    NoValue(String),
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(field) => {
                let names = NUMBERS
                    .iter()
                    .map(|(name, _)| *name)
                    .chain(TEXTS.iter().map(|(name, _)| *name));
                write!(
                    f,
                    "There is no “{field}”. Use {}.",
                    names.collect::<Vec<_>>().join(", ")
                )
            }
            Self::NotANumber { field, value } => {
                write!(
                    f,
                    "“{value}” is not a number for {field}. Write 8, 3600, 90s, 1.5h or 2d."
                )
            }
            Self::NoOrder { field } => write!(f, "{field} is text: use {field}=… or {field}!=…."),
            Self::NoValue(term) => write!(f, "“{term}” ends too early: write a value after it."),
        }
    }
}

impl Filter {
    /// Conditions apart by spaces.
    pub(super) fn parse(text: &str) -> Result<Self, FilterError> {
        text.split_whitespace()
            .map(condition)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether the job meets every condition; per-run ones in at least one run.
    pub(super) fn admits(&self, job: &impl Facts) -> bool {
        self.0.iter().all(|condition| match condition {
            Condition::Contains(field, part) => contains(job.text(*field), part),
            Condition::Is(field, value, wanted) => {
                job.text(*field).eq_ignore_ascii_case(value) == *wanted
            }
            Condition::Compares(field, sign, value) => {
                job.numbers(*field).any(|number| sign.holds(number, *value))
            }
        })
    }
}

impl Sign {
    fn holds(self, number: f64, value: f64) -> bool {
        match self {
            Self::AtLeast => number >= value,
            Self::AtMost => number <= value,
            Self::Above => number > value,
            Self::Below => number < value,
            Self::Is => number == value,
            Self::Not => !number.is_nan() && number != value,
        }
    }
}

fn condition(term: &str) -> Result<Condition, FilterError> {
    let split = |(sign, meaning): &(&str, Sign)| {
        term.split_once(sign)
            .map(|(field, value)| (field, *meaning, value))
    };
    // The sign that comes first in the term; of two at one place, the longer.
    let first = SIGNS
        .iter()
        .filter_map(split)
        .min_by_key(|(field, _, _)| field.len());
    let Some((field, sign, value)) = first else {
        return Ok(Condition::Contains(Text::Name, term.to_ascii_lowercase()));
    };
    let name = field.to_ascii_lowercase();
    let named = |known: &str| known == name;
    let number = NUMBERS
        .iter()
        .find(|(known, _)| named(known))
        .map(|(_, field)| *field);
    let text = TEXTS
        .iter()
        .find(|(known, _)| named(known))
        .map(|(_, field)| *field);
    match (number, text) {
        (None, None) => Err(FilterError::UnknownField(field.to_string())),
        _ if value.is_empty() => Err(FilterError::NoValue(term.to_string())),
        (Some(field), _) => match parse_number(value) {
            Some(value) => Ok(Condition::Compares(field, sign, value)),
            None => Err(FilterError::NotANumber {
                field: name,
                value: value.to_string(),
            }),
        },
        (None, Some(field)) => match sign {
            Sign::Is => Ok(Condition::Is(field, value.to_string(), true)),
            Sign::Not => Ok(Condition::Is(field, value.to_string(), false)),
            _ => Err(FilterError::NoOrder { field: name }),
        },
    }
}

/// A number, or a span with its unit in seconds.
fn parse_number(text: &str) -> Option<f64> {
    let units = [
        ("min", 60.0),
        ("m", 60.0),
        ("s", 1.0),
        ("h", 3600.0),
        ("d", 86_400.0),
        ("", 1.0),
    ];
    let (digits, unit) = units
        .iter()
        .find_map(|(suffix, size)| text.strip_suffix(suffix).map(|rest| (rest, size)))?;
    let number: f64 = digits.parse().ok()?;
    number.is_finite().then_some(number * unit)
}

/// Whether `text` contains `part`, which is in small letters.
fn contains(text: &str, part: &str) -> bool {
    let part = part.as_bytes();
    text.as_bytes()
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Job;

    impl Facts for Job {
        fn numbers(&self, field: Number) -> impl Iterator<Item = f64> {
            let numbers = match field {
                Number::Gpus => vec![8.0],
                Number::Submit => vec![0.0],
                Number::Duration => vec![7200.0],
                Number::Jct => vec![4000.0, 9000.0],
                Number::Wait => vec![f64::NAN, 1800.0],
                Number::Restarts => vec![0.0, 3.0],
                Number::Rho => vec![f64::NAN],
            };
            numbers.into_iter()
        }

        fn text(&self, field: Text) -> &str {
            match field {
                Text::Name => "Lab-012",
                Text::Tenant => "vision",
                Text::Model => "",
            }
        }
    }

    fn admits(text: &str) -> bool {
        Filter::parse(text).unwrap().admits(&Job)
    }

    #[test]
    fn every_condition_must_hold() {
        assert!(admits(""));
        assert!(admits("lab-01"));
        assert!(admits("gpus>=8 jct>3600 tenant=vision"));
        assert!(admits("GPUS=8 Tenant=Vision 012"));
        assert!(!admits("gpus>8"));
        assert!(!admits("lab gpus<8"));
        assert!(!admits("model=bert"));
        assert!(admits("model!=bert"));
    }

    #[test]
    fn spans_have_units_and_any_run_will_do() {
        assert!(admits("duration=2h"));
        assert!(admits("jct>=2.5h"));
        assert!(!admits("jct>2.6h"));
        assert!(admits("wait<=30min"));
        assert!(admits("submit<1d restarts>2"));
    }

    #[test]
    fn what_is_unknown_meets_no_condition() {
        assert!(!admits("rho>0"));
        assert!(!admits("rho!=1"));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |text: &str| Filter::parse(text).unwrap_err().to_string();
        assert_eq!(
            error("gpu>=8"),
            "There is no “gpu”. Use gpus, submit, duration, jct, wait, restarts, rho, job, tenant, model."
        );
        assert_eq!(
            error("gpus>=many"),
            "“many” is not a number for gpus. Write 8, 3600, 90s, 1.5h or 2d."
        );
        assert_eq!(
            error("tenant>vision"),
            "tenant is text: use tenant=… or tenant!=…."
        );
        assert_eq!(
            error("a gpus>="),
            "“gpus>=” ends too early: write a value after it."
        );
    }
}

//! A filter of jobs: words of a job's name and conditions such as `gpus>=8`, `jct>1h`, `tenant=vision,speech`,
//! `user="A. B."`, `id=3-9,12` or `fifo.jct > 2*tiresias.jct`, all of which must hold. A number of runs without a
//! run's name before it holds if it does in any of them.

use std::fmt;
use switchyard::seconds_of;
use switchyard::workload::Label;

/// What is known about a job, for conditions.
pub(crate) trait Facts {
    /// Its position among the trace's jobs.
    fn id(&self) -> u32;
    /// How many runs there are.
    fn runs(&self) -> usize;
    /// A number of the job, in the run at this position if it differs by run; `NaN` if not known.
    fn number(&self, field: Number, run: usize) -> f64;
    /// A text of the job; empty if it has none.
    fn text(&self, field: Text) -> &str;
}

/// Fields that are numbers; times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
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
pub(crate) enum Text {
    /// The job's name.
    Name,
    /// Whose it is.
    Tenant,
    /// What it trains.
    Model,
    /// Its user, account, partition and so on.
    Label(Label),
}

impl Number {
    /// Whether runs have numbers of their own.
    fn is_of_runs(self) -> bool {
        !matches!(self, Self::Gpus | Self::Submit | Self::Duration)
    }
}

/// Every field by name.
const NUMBERS: &[(&str, Number)] = &[
    ("gpus", Number::Gpus),
    ("submit", Number::Submit),
    ("duration", Number::Duration),
    ("jct", Number::Jct),
    ("wait", Number::Wait),
    ("restarts", Number::Restarts),
    ("rho", Number::Rho),
];
const TEXTS: &[(&str, Text)] = &[
    ("job", Text::Name),
    ("tenant", Text::Tenant),
    ("model", Text::Model),
    ("user", Text::Label(Label::User)),
    ("account", Text::Label(Label::Account)),
    ("partition", Text::Label(Label::Partition)),
    ("qos", Text::Label(Label::Qos)),
    ("reservation", Text::Label(Label::Reservation)),
];

/// The field of a job's position.
const ID: &str = "id";

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
pub(crate) struct Filter(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// The field's text contains this, in small letters.
    Contains(Text, String),
    /// The field's text is one of these, or is none of them.
    Is(Text, Vec<String>, bool),
    /// The job's position is in one of these ranges, ends included.
    IsOneOf(Vec<(u32, u32)>),
    Compares(Product, Sign, Product),
}

/// Numbers and fields, multiplied; `true`: divided by.
type Product = Vec<(bool, Factor)>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Factor {
    Number(f64),
    /// A field of the job, or of whichever run is looked at.
    Field(Number),
    /// A field of the run at this position.
    OfRun(usize, Number),
}

/// What a run may be called in a filter: its name in small letters with hyphens, and its policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RunNames(Vec<[String; 2]>);

/// Whether a run is meant.
type IsMeant<'a> = &'a dyn Fn(&[String; 2]) -> bool;

impl RunNames {
    /// The names of runs, given what they are called and their policies' specs.
    pub(crate) fn of<'a>(runs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let names = runs.map(|(name, spec)| {
            let policy = spec.split(['[', ' ']).next().unwrap_or_default();
            [run_word(name), policy.to_owned()]
        });
        Self(names.collect())
    }

    /// The one run that is called this, or begins so.
    fn find(&self, word: &str) -> Result<usize, FilterError> {
        let ways: [IsMeant<'_>; 3] = [
            &|names| names[0] == word,
            &|names| names[1] == word,
            &|names| names.iter().any(|name| name.starts_with(word)),
        ];
        for is_meant in ways {
            let mut found = (0..self.0.len()).filter(|&at| is_meant(&self.0[at]));
            if let (Some(run), None) = (found.next(), found.next()) {
                return Ok(run);
            }
        }
        let names: Vec<&str> = self.0.iter().map(|names| &*names[0]).collect();
        let names = names.join(", ");
        let run = word.to_owned();
        Err(FilterError::UnknownRun { run, names })
    }
}

/// What a run of this name is called in a filter: in small letters, with a hyphen for whatever is neither letter nor digit.
pub(crate) fn run_word(name: &str) -> String {
    let mut text = String::new();
    for c in name.to_ascii_lowercase().chars() {
        if c.is_ascii_alphanumeric() || !c.is_ascii() {
            text.push(c);
        } else if !text.ends_with('-') {
            text.push('-');
        }
    }
    text.trim_matches('-').to_owned()
}

/// What is wrong with a filter, with the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FilterError {
    UnknownField(String),
    UnknownRun { run: String, names: String },
    NotANumber { field: String, value: String },
    NoOrder { field: String },
    NoValue(String),
    NoPositions(String),
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownField(field) => {
                let names = NUMBERS
                    .iter()
                    .map(|(name, _)| *name)
                    .chain(TEXTS.iter().map(|(name, _)| *name))
                    .chain([ID]);
                write!(
                    f,
                    "There is no “{field}”. Use {}.",
                    names.collect::<Vec<_>>().join(", ")
                )
            }
            Self::UnknownRun { run, names } => {
                write!(f, "No one run is called “{run}”. Write one of {names}.")
            }
            Self::NotANumber { field, value } => {
                write!(
                    f,
                    "“{value}” is not a number for {field}. Write 8, 3600, 90s, 1.5h or 2d."
                )
            }
            Self::NoOrder { field } => write!(f, "{field} is text: use {field}=… or {field}!=…."),
            Self::NoPositions(term) => {
                write!(f, "“{term}” is not a list of positions. Write id=3-9,12.")
            }
            Self::NoValue(term) => write!(f, "“{term}” ends too early: write a value after it."),
        }
    }
}

impl Filter {
    /// Conditions apart by spaces; around signs there may be some, too.
    pub(crate) fn parse(text: &str, runs: &RunNames) -> Result<Self, FilterError> {
        let terms = terms(text).into_iter();
        let conditions = terms.map(|term| condition(&term, runs));
        conditions.collect::<Result<_, _>>().map(Self)
    }

    /// Whether it asks what became of jobs in runs.
    pub(crate) fn is_of_runs(&self) -> bool {
        let is_of_runs = |(_, factor): &(bool, Factor)| match factor {
            Factor::Number(_) => false,
            Factor::Field(field) => field.is_of_runs(),
            Factor::OfRun(..) => true,
        };
        self.0.iter().any(|condition| match condition {
            Condition::Compares(left, _, right) => left.iter().chain(right).any(is_of_runs),
            _ => false,
        })
    }

    /// The field and the value where it asks for that and nothing else. Jobs can be replayed by it: names and models
    /// are no such fields.
    pub(crate) fn one_text(&self) -> Option<(&'static str, &str)> {
        let [Condition::Is(field @ (Text::Tenant | Text::Label(_)), values, true)] = &self.0[..]
        else {
            return None;
        };
        let [value] = &values[..] else {
            return None;
        };
        let (name, _) = TEXTS.iter().find(|(_, of)| of == field)?;
        (!value.is_empty()).then_some((*name, value.as_str()))
    }

    /// Whether the job meets every condition; per-run ones in at least one run.
    pub(crate) fn admits(&self, job: &impl Facts) -> bool {
        self.0.iter().all(|condition| match condition {
            Condition::Contains(field, part) => contains(job.text(*field), part),
            Condition::Is(field, values, wanted) => {
                let text = job.text(*field);
                values.iter().any(|value| text.eq_ignore_ascii_case(value)) == *wanted
            }
            Condition::IsOneOf(ranges) => {
                let id = job.id();
                ranges.iter().any(|&(first, last)| (first..=last).contains(&id))
            }
            Condition::Compares(left, sign, right) => {
                let is_of_runs =
                    |(_, factor): &(bool, Factor)| matches!(factor, Factor::Field(of) if of.is_of_runs());
                let by_run = left.iter().chain(right).any(is_of_runs);
                let looked_at = if by_run { job.runs() } else { 1 };
                (0..looked_at).any(|run| sign.holds(product(left, job, run), product(right, job, run)))
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

/// The value of one side of a condition.
fn product(factors: &Product, job: &impl Facts, run: usize) -> f64 {
    factors.iter().fold(1.0, |product, &(divide, factor)| {
        let value = match factor {
            Factor::Number(number) => number,
            Factor::Field(field) => job.number(field, run),
            Factor::OfRun(run, field) => job.number(field, run),
        };
        if divide {
            product / value
        } else {
            product * value
        }
    })
}

/// The conditions of a text, without blanks around signs. What stands in quotes stays as it is.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let is_sign = |c: char| "<>=!*/".contains(c);
    let mut terms: Vec<String> = Vec::new();
    let (mut is_quoted, mut is_apart) = (false, true);
    for c in text.chars() {
        if c.is_whitespace() && !is_quoted {
            is_apart = true;
            continue;
        }
        match terms.last_mut() {
            Some(term) if !is_apart || is_sign(c) || term.ends_with(is_sign) => term.push(c),
            _ => terms.push(c.to_string()),
        }
        is_apart = false;
        is_quoted ^= c == '"';
    }
    terms
}

/// The parts between commas that stand in no quotes, without their quotes.
fn values(list: &str) -> Vec<String> {
    let mut is_quoted = false;
    let parts = list.split(|c| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    parts.map(unquoted).collect()
}

/// A value as it is meant: within quotes, two of them stand for one.
fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"') else {
        return value.to_owned();
    };
    // While it is being typed the second may still be missing.
    inner
        .strip_suffix('"')
        .unwrap_or(inner)
        .replace("\"\"", "\"")
}

/// `3-9,12` as ranges.
fn positions(list: &str) -> Option<Vec<(u32, u32)>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    list.split(',').map(range).collect()
}

fn condition(term: &str, runs: &RunNames) -> Result<Condition, FilterError> {
    if term.starts_with('"') {
        return Ok(Condition::Contains(
            Text::Name,
            unquoted(term).to_ascii_lowercase(),
        ));
    }
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
    if name == ID && sign == Sign::Is {
        let found = positions(value).map(Condition::IsOneOf);
        return found.ok_or_else(|| FilterError::NoPositions(term.to_owned()));
    }
    let text = TEXTS.iter().find(|(known, _)| *known == name);
    let left = match text {
        Some(_) => Product::new(),
        None => factors(&name, None, runs)?,
    };
    if value.is_empty() {
        return Err(FilterError::NoValue(term.to_string()));
    }
    match (text, sign) {
        (None, _) => {
            let right = factors(&value.to_ascii_lowercase(), Some(&name), runs)?;
            Ok(Condition::Compares(left, sign, right))
        }
        (Some((_, field)), Sign::Is) => Ok(Condition::Is(*field, values(value), true)),
        (Some((_, field)), Sign::Not) => Ok(Condition::Is(*field, values(value), false)),
        (Some(_), _) => Err(FilterError::NoOrder { field: name }),
    }
}

/// One side of a condition. `than`: what it is compared with, if it is the right side.
fn factors(side: &str, than: Option<&str>, runs: &RunNames) -> Result<Product, FilterError> {
    let mut factors = Product::new();
    let (mut rest, mut divide) = (side, false);
    loop {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        factors.push((divide, factor(&rest[..end], than, runs)?));
        let Some(sign) = rest[end..].chars().next() else {
            return Ok(factors);
        };
        divide = sign == '/';
        rest = &rest[end + 1..];
    }
}

fn factor(word: &str, than: Option<&str>, runs: &RunNames) -> Result<Factor, FilterError> {
    if let Some(number) = parse_number(word) {
        return Ok(Factor::Number(number));
    }
    let named = |field: &str| NUMBERS.iter().find(|(known, _)| *known == field);
    let of_run = word.rsplit_once('.');
    match (named(word), of_run.map(|(run, field)| (run, named(field)))) {
        (Some(&(_, field)), _) => Ok(Factor::Field(field)),
        (None, Some((run, Some(&(_, field))))) => Ok(Factor::OfRun(runs.find(run)?, field)),
        (None, other) => Err(match (than, other) {
            (Some(than), None) => FilterError::NotANumber {
                field: than.to_owned(),
                value: word.to_owned(),
            },
            _ => FilterError::UnknownField(of_run.map_or(word, |(_, field)| field).to_owned()),
        }),
    }
}

/// A number, or a span with its unit in seconds.
fn parse_number(text: &str) -> Option<f64> {
    let number = text.parse().ok().or_else(|| match text.strip_prefix('-') {
        Some(span) => seconds_of(span).map(|seconds| -seconds),
        None => seconds_of(text),
    });
    number.filter(|number: &f64| number.is_finite())
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
        fn id(&self) -> u32 {
            12
        }

        fn runs(&self) -> usize {
            2
        }

        fn number(&self, field: Number, run: usize) -> f64 {
            match field {
                Number::Gpus => 8.0,
                Number::Submit => 0.0,
                Number::Duration => 7200.0,
                Number::Jct => [4000.0, 9000.0][run],
                Number::Wait => [f64::NAN, 1800.0][run],
                Number::Restarts => [0.0, 3.0][run],
                Number::Rho => f64::NAN,
            }
        }

        fn text(&self, field: Text) -> &str {
            match field {
                Text::Name => "Lab-012",
                Text::Tenant => "vision",
                Text::Model | Text::Label(_) => "",
            }
        }
    }

    fn runs() -> RunNames {
        let runs = [
            ("FIFO", "fifo"),
            ("Tiresias 2D-LAS (queues=2)", "tiresias-las[queues=2]"),
        ];
        RunNames::of(runs.into_iter())
    }

    fn admits(text: &str) -> bool {
        Filter::parse(text, &runs()).unwrap().admits(&Job)
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
    fn one_of_several_values_will_do_and_quotes_hold_what_is_within() {
        assert!(admits("tenant=speech,vision"));
        assert!(!admits("tenant!=speech,vision"));
        assert!(admits("tenant = \"vision\" model=\"\""));
        assert!(!admits("tenant=\"speech, vision\""));
        assert!(admits("tenant!=\"a \"\"b\"\" = c\" lab"));
        assert!(admits("\"ab-0\"") && !admits("\"ab = 0\""));
        assert_eq!(
            values("a,\"b, c\",\"d \"\"e\"\"\""),
            ["a", "b, c", "d \"e\""]
        );
        assert!(admits("id=12") && admits("id=3,10-20") && !admits("id=3-11"));
        let error = Filter::parse("id=a-b", &runs()).unwrap_err().to_string();
        assert_eq!(
            error,
            "“id=a-b” is not a list of positions. Write id=3-9,12."
        );
    }

    #[test]
    fn it_is_known_whether_runs_are_asked() {
        let is_of_runs = |text| Filter::parse(text, &runs()).unwrap().is_of_runs();
        assert!(is_of_runs("jct>1h") && is_of_runs("gpus>1 duration<2*fifo.wait"));
        assert!(!is_of_runs("gpus>1 duration<2h tenant=a id=3 lab"));
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
    fn runs_are_compared_with_one_another() {
        assert!(admits("tiresias.jct > 2*fifo.jct"));
        assert!(!admits("fifo.jct > 2 * tiresias.jct"));
        assert!(admits("tiresias-las.jct/fifo.jct >= 2.25 lab"));
        assert!(admits("tiresias-2d-las-queues-2.restarts=3"));
        assert!(!admits("fifo.restarts>0"));
        // Without a name before it: in any run.
        assert!(admits("jct > duration"));
        assert!(admits("jct>2*fifo.jct"));
    }

    #[test]
    fn what_is_unknown_meets_no_condition() {
        assert!(!admits("rho>0"));
        assert!(!admits("rho!=1"));
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |text: &str| Filter::parse(text, &runs()).unwrap_err().to_string();
        assert_eq!(
            error("gpu>=8"),
            "There is no “gpu”. Use gpus, submit, duration, jct, wait, restarts, rho, job, tenant, model, user, account, partition, qos, reservation, id."
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
        assert_eq!(
            error("srtf.jct > 1h"),
            "No one run is called “srtf”. Write one of fifo, tiresias-2d-las-queues-2."
        );
        assert!(error("fifo.jtc > 1h").starts_with("There is no “jtc”. Use gpus,"));
    }
}

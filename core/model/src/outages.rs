//! When which nodes are not there: failures, which take a node's jobs with them, and maintenance,
//! which lets them finish. In: the short text of settings and links (`7:3600..7200`), or a small
//! file, CSV or JSON. Out: [`Outages`], in order of time.
//!
//! Outages of one node may overlap: it is back when the last of them is over.

use crate::order;
use crate::{Time, seconds_of};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What becomes of a node.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum OutageKind {
    /// It fails: who runs there loses the GPUs at once.
    #[default]
    Failure,
    /// It is drained: it takes nobody new, and who runs there finishes.
    Drain,
}

/// A node that is not there for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outage {
    /// The node, from 0.
    pub node: u32,
    /// From when on.
    pub from: Time,
    /// Until when; [`Time::NEVER`]: for ever.
    pub to: Time,
    /// What becomes of it.
    pub kind: OutageKind,
}

/// Outages in order of time, each once. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Outages(Arc<[Outage]>);

/// More are no list that a person made.
const MOST: usize = 1_000_000;

/// Seconds of thirty thousand years: no run takes longer, and no greater number can be shown.
const LATEST: f64 = 1e12;

/// Why a text is no outage, or no list of them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutageError {
    /// Not of the form.
    #[error(
        "'{0}' is no outage: write NODE:FROM..TO, such as 7:3600..7200, 7:1d.. (for ever) or 4-7:2h..3h:drain"
    )]
    Syntax(String),
    /// A time that is none.
    #[error("'{0}' is no time: write seconds from the run's begin, 0 to 1e12, or 90min, 2h, 1d12h")]
    Time(String),
    /// The end is not after the begin.
    #[error(
        "node {node}'s outage ends at {to} s, before it begins at {from} s: write the earlier time first"
    )]
    Backwards {
        /// The node.
        node: u32,
        /// Its begin, seconds.
        from: f64,
        /// Its end, seconds.
        to: f64,
    },
    /// Neither a failure nor a drain.
    #[error("'{0}' is no kind of outage: write failure or drain")]
    Kind(String),
    /// A node's number that is none.
    #[error("'{0}' is no node: write its number, from 0")]
    Node(String),
    /// Beyond what a list should hold.
    #[error("more than {MOST} outages: give a mean time between failures instead")]
    TooMany,
    /// Not JSON of the expected form.
    #[error(
        "no outages in this JSON ({0}): write [{{\"node\": 7, \"from\": 3600, \"to\": 7200, \"kind\": \"failure\"}}]"
    )]
    Json(String),
    /// A table without its columns.
    #[error("no column '{0}': a table of outages has node, from, to and, if need be, kind")]
    Column(&'static str),
    /// One of those, with its line, or its place in a list.
    #[error("{place} {number}: {why}")]
    At {
        /// `line` or `outage`.
        place: &'static str,
        /// Counted from 1.
        number: usize,
        /// What is wrong there.
        why: Box<OutageError>,
    },
    /// The cluster has fewer nodes.
    #[error("there is no node {node} to fail: the cluster's nodes are 0 to {last}")]
    NoSuchNode {
        /// The one named.
        node: u32,
        /// The last there is.
        last: u32,
    },
}

impl OutageError {
    fn at(place: &'static str, number: usize) -> impl FnOnce(Self) -> Self {
        move |why| Self::At {
            place,
            number,
            why: Box::new(why),
        }
    }
}

impl Outages {
    /// These, in order of time, each once.
    pub fn new(mut outages: Vec<Outage>) -> Self {
        order::sort_by_key(&mut outages, |of| (of.from, of.node, of.to, of.kind));
        outages.dedup();
        Self(outages.into())
    }

    /// In order of time.
    pub fn iter(&self) -> impl Iterator<Item = &Outage> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// These and those.
    pub fn and(&self, others: &Self) -> Self {
        if others.is_empty() {
            return self.clone();
        }
        Self::new(self.0.iter().chain(others.iter()).copied().collect())
    }

    /// Whether a cluster of so many nodes has all of theirs.
    ///
    /// # Errors
    ///
    /// The first node that it has not.
    pub fn check(&self, nodes: u32) -> Result<(), OutageError> {
        match self.0.iter().find(|of| of.node >= nodes) {
            Some(of) => Err(OutageError::NoSuchNode {
                node: of.node,
                last: nodes.saturating_sub(1),
            }),
            None => Ok(()),
        }
    }

    /// Whether a text looks like a file of outages, sound or not: by its columns, the names in its
    /// first object, or its first word.
    pub fn is_list(text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if let Some(list) = text.strip_prefix('[') {
            let object = list.split('}').next().unwrap_or("");
            let has = |name| object.contains(name);
            return has("\"node\"") && (has("\"from\"") || has("\"to\""));
        }
        let mut lines = text.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
        let first = first.unwrap_or("");
        let columns = cells(first);
        if columns.contains(&"node") {
            return columns.contains(&"from") || columns.contains(&"to");
        }
        let word = first.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
        let parts = word.take(1).find_map(|word| word.split_once(':'));
        parts.is_some_and(|(node, span)| nodes(node).is_ok() && span.contains(".."))
    }

    /// Of how many nodes.
    pub fn nodes(&self) -> usize {
        let mut nodes: Vec<u32> = self.0.iter().map(|of| of.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }

    /// When the last of them is over; 0 where there is none.
    pub fn end(&self) -> Time {
        self.0.iter().map(|of| of.to).fold(Time::ZERO, Time::max)
    }

    /// Reads a file: CSV with columns `node`, `from`, `to` (empty: for ever) and, optionally,
    /// `kind`; a JSON list of objects with the same names; or lines of the short text.
    ///
    /// # Errors
    ///
    /// An [`OutageError`] with its line.
    pub fn read(text: &str) -> Result<Self, OutageError> {
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('[') {
            return Self::of_json(text);
        }
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let mut outages = Vec::new();
        let at = |line| OutageError::at("line", line);
        let Some((line, first)) = lines.next() else {
            return Ok(Self::default());
        };
        let columns = cells(first);
        let Some(table) = Table::of(&columns) else {
            let named = columns.contains(&"node");
            if named {
                let missing = if columns.contains(&"from") {
                    "to"
                } else {
                    "from"
                };
                return Err(at(line)(OutageError::Column(missing)));
            }
            for (line, text) in std::iter::once((line, first)).chain(lines) {
                short(text, &mut outages).map_err(at(line))?;
            }
            return Ok(Self::new(outages));
        };
        for (line, row) in lines {
            table.read(&cells(row), &mut outages).map_err(at(line))?;
        }
        Ok(Self::new(outages))
    }

    fn of_json(text: &str) -> Result<Self, OutageError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Entry {
            node: u32,
            from: f64,
            #[serde(default)]
            to: Option<f64>,
            #[serde(default)]
            kind: OutageKind,
        }
        let entries: Vec<Entry> =
            serde_json::from_str(text).map_err(|why| OutageError::Json(why.to_string()))?;
        if entries.len() > MOST {
            return Err(OutageError::TooMany);
        }
        let outage = |(number, of): (usize, &Entry)| {
            let to = of.to.unwrap_or(f64::INFINITY);
            outage(of.node, of.from, to, of.kind).map_err(OutageError::at("outage", number))
        };
        let outages: Result<Vec<Outage>, OutageError> = (1..).zip(&entries).map(outage).collect();
        Ok(Self::new(outages?))
    }
}

impl From<Outage> for Outages {
    fn from(outage: Outage) -> Self {
        Self::new(vec![outage])
    }
}

impl From<Vec<Outage>> for Outages {
    fn from(outages: Vec<Outage>) -> Self {
        Self::new(outages)
    }
}

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..", self.node, self.from.seconds())?;
        if self.to < Time::NEVER {
            write!(f, "{}", self.to.seconds())?;
        }
        match self.kind {
            OutageKind::Failure => Ok(()),
            OutageKind::Drain => f.write_str(":drain"),
        }
    }
}

impl fmt::Display for Outages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, outage) in self.0.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{outage}")?;
        }
        Ok(())
    }
}

impl FromStr for Outages {
    type Err = OutageError;

    fn from_str(text: &str) -> Result<Self, OutageError> {
        let mut outages = Vec::new();
        short(text, &mut outages)?;
        Ok(Self::new(outages))
    }
}

impl From<Outages> for String {
    fn from(outages: Outages) -> Self {
        outages.to_string()
    }
}

impl TryFrom<String> for Outages {
    type Error = OutageError;

    fn try_from(text: String) -> Result<Self, OutageError> {
        text.parse()
    }
}

/// Where a table has what.
struct Table {
    node: usize,
    from: usize,
    to: usize,
    kind: Option<usize>,
}

impl Table {
    fn of(columns: &[&str]) -> Option<Self> {
        let place = |name| columns.iter().position(|cell| *cell == name);
        Some(Self {
            node: place("node")?,
            from: place("from")?,
            to: place("to")?,
            kind: place("kind"),
        })
    }

    fn read(&self, row: &[&str], outages: &mut Vec<Outage>) -> Result<(), OutageError> {
        let cell = |at: usize| row.get(at).copied().unwrap_or("");
        let to = match cell(self.to) {
            "" => f64::INFINITY,
            to => seconds(to)?,
        };
        let kind = kind(self.kind.map_or("", cell))?;
        let from = seconds(cell(self.from))?;
        for node in nodes(cell(self.node))? {
            push(outage(node, from, to, kind)?, outages)?;
        }
        Ok(())
    }
}

/// The cells of a line, without what spreadsheets put around them.
fn cells(line: &str) -> Vec<&str> {
    let cells = line.split([',', ';', '\t']);
    cells
        .map(|cell| cell.trim().trim_matches('"').trim())
        .collect()
}

/// Outages as settings and links have them, separated by commas, semicolons or blanks.
fn short(text: &str, outages: &mut Vec<Outage>) -> Result<(), OutageError> {
    let words = text.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    for word in words.filter(|word| !word.is_empty()) {
        let syntax = || OutageError::Syntax(shown(word));
        let mut fields = word.split(':');
        let (Some(of), Some(span)) = (fields.next(), fields.next()) else {
            return Err(syntax());
        };
        let kind = kind(fields.next().unwrap_or(""))?;
        let (from, to) = span.split_once("..").ok_or_else(syntax)?;
        if fields.next().is_some() || from.is_empty() {
            return Err(syntax());
        }
        let from = seconds(from)?;
        let to = match to {
            "" => f64::INFINITY,
            to => seconds(to)?,
        };
        for node in nodes(of)? {
            push(outage(node, from, to, kind)?, outages)?;
        }
    }
    Ok(())
}

fn push(outage: Outage, outages: &mut Vec<Outage>) -> Result<(), OutageError> {
    if outages.len() >= MOST {
        return Err(OutageError::TooMany);
    }
    outages.push(outage);
    Ok(())
}

fn outage(node: u32, from: f64, to: f64, kind: OutageKind) -> Result<Outage, OutageError> {
    if !(0.0..=LATEST).contains(&from) {
        return Err(OutageError::Time(from.to_string()));
    }
    if to.is_nan() || (to.is_finite() && to > LATEST) {
        return Err(OutageError::Time(to.to_string()));
    }
    if to <= from {
        return Err(OutageError::Backwards { node, from, to });
    }
    Ok(Outage {
        node,
        from: Time(from),
        to: Time(to),
        kind,
    })
}

/// `7`, or `4-7` for several.
fn nodes(text: &str) -> Result<std::ops::RangeInclusive<u32>, OutageError> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let node = |word: &str| word.trim().parse::<u32>();
    match (node(first), node(last)) {
        (Ok(first), Ok(last)) if first <= last => Ok(first..=last),
        _ => Err(OutageError::Node(shown(text))),
    }
}

fn kind(text: &str) -> Result<OutageKind, OutageError> {
    match text {
        "" | "failure" => Ok(OutageKind::Failure),
        "drain" => Ok(OutageKind::Drain),
        other => Err(OutageError::Kind(shown(other))),
    }
}

fn seconds(text: &str) -> Result<f64, OutageError> {
    seconds_of(text).ok_or_else(|| OutageError::Time(shown(text)))
}

/// The beginning of what somebody wrote.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        text.parse::<Outages>().expect("sound").to_string()
    }

    fn error(text: &str) -> String {
        text.parse::<Outages>().expect_err("wrong").to_string()
    }

    #[test]
    fn prints_what_it_parses() {
        for text in ["", "7:3600..7200", "3:0..600:drain,7:3600..", "0:0.5..1.25"] {
            assert_eq!(parsed(text), text);
        }
        assert_eq!(
            parsed("4-5:2h..1d:drain; 1:90min.. 1:90min.."),
            "1:5400..,4:7200..86400:drain,5:7200..86400:drain"
        );
    }

    #[test]
    fn files_of_three_kinds_are_the_same() {
        let list = "1:0..60,2:30..:drain".parse::<Outages>().expect("sound");
        for text in [
            "node,from,to,kind\n2,30,,drain\n1,0,1min,\n",
            "\u{feff}kind;node;to;from\r\nfailure;1;60;0\r\n\"drain\";2;;30\r\n",
            "# two\n1:0..60\n2:30..:drain\n",
            r#"[{"node":1,"from":0,"to":60},{"node":2,"from":30,"kind":"drain"}]"#,
        ] {
            assert_eq!(Outages::read(text), Ok(list.clone()), "{text}");
        }
        assert_eq!(Outages::read("\n"), Ok(Outages::default()));
    }

    #[test]
    fn a_list_is_told_from_other_files() {
        for list in [
            "node,from,to\n7,0,1\n",
            "\u{feff}\n# ours\nkind;node;to\n",
            "7:60..30\n",
            "4-5:2h..1d:drain,1:0..",
            " [ {\"node\": 1, \"from\": 5}]",
        ] {
            assert!(Outages::is_list(list), "{list}");
        }
        for other in [
            "",
            "#switchyard 1\njob,submit,duration,gpus\n",
            "job_id,node,submit_time\n",
            "2017-10-07 01:02:03,4\n",
            "[{\"jobid\": \"a\"}]",
            "1 0 5 3 1\n",
        ] {
            assert!(!Outages::is_list(other), "{other}");
        }
        let list: Outages = "1:0..60,1:90..100,2:30..70".parse().expect("sound");
        assert_eq!((list.nodes(), list.end()), (2, Time(100.0)));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        assert!(error("7").starts_with("'7' is no outage: write NODE:FROM..TO"));
        assert_eq!(
            error("7:60..30"),
            "node 7's outage ends at 30 s, before it begins at 60 s: write the earlier time first"
        );
        assert!(error("7:nan..").starts_with("'nan' is no time"));
        assert!(error("7:-1..").starts_with("'-1' is no time"));
        assert!(error("x:0..1").starts_with("'x' is no node"));
        assert!(error("9-3:0..1").starts_with("'9-3' is no node"));
        assert!(error("1:0..1:gone").starts_with("'gone' is no kind"));
        assert!(error("0-4000000000:0..1").starts_with("more than 1000000 outages"));
        let read = |text: &str| Outages::read(text).expect_err("wrong").to_string();
        assert!(read("node,from,to\n1,0,60\n2,9,5\n").starts_with("line 3: node 2's outage"));
        assert!(read("node,from\n1,0\n").starts_with("line 1: no column 'to'"));
        assert!(read("1:0..60\n7\n").starts_with("line 2: '7' is no outage"));
        assert!(
            read("[{\"node\":1,\"from\":0},{\"node\":2,\"from\":9,\"to\":5}]")
                .starts_with("outage 2: node 2's outage ends at 5 s")
        );
        assert!(read("[{\"node\":1}]").contains("missing field `from`"));
        let list = Outages::read("3:0..1").expect("sound");
        assert_eq!(list.check(4), Ok(()));
        assert_eq!(
            list.check(3).map_err(|why| why.to_string()),
            Err("there is no node 3 to fail: the cluster's nodes are 0 to 2".to_owned())
        );
    }
}

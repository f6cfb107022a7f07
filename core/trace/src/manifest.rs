//! What Kubernetes describes in YAML or JSON, as a tree that knows its lines. A document of YAML that is none
//! does not spoil those behind it; aliases stand for nothing, so that no text becomes larger than it is.

use crate::objects::parse;
use crate::rows::{Elements, Fields};
use saphyr_parser::{Event, Parser};
use serde_json::Value;

/// A part of a description.
#[derive(Debug)]
pub(crate) enum Manifest {
    Scalar { line: u32, text: String },
    List(Vec<Manifest>),
    Map(Vec<(String, Manifest)>),
}

/// What is nested deeper is not looked at.
const MAX_DEPTH: usize = 64;

impl Manifest {
    /// What lies at a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |of, key| {
            let mut entries = of.entries().iter();
            entries.find(|(own, _)| own == key).map(|(_, value)| value)
        })
    }

    /// The text at a path; "" where there is none.
    pub(crate) fn text(&self, path: &[&str]) -> &str {
        match self.at(path) {
            Some(Self::Scalar { text, .. }) if text != "null" && text != "~" => text,
            _ => "",
        }
    }

    /// The elements of the list at a path.
    pub(crate) fn list(&self, path: &[&str]) -> &[Self] {
        match self.at(path) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }

    /// The keys and values of the map at a path.
    pub(crate) fn map(&self, path: &[&str]) -> &[(String, Self)] {
        self.at(path).map_or(&[], Self::entries)
    }

    fn entries(&self) -> &[(String, Self)] {
        match self {
            Self::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The line that its first scalar stands on; 1 where it has none.
    pub(crate) fn line(&self) -> u32 {
        match self {
            Self::Scalar { line, .. } => *line,
            Self::List(items) => items.first().map_or(1, Self::line),
            Self::Map(entries) => entries.first().map_or(1, |(_, value)| value.line()),
        }
    }

    fn of_json(value: Value, line: u32) -> Self {
        match value {
            Value::Array(items) => {
                let items = items.into_iter().map(|item| Self::of_json(item, line));
                Self::List(items.collect())
            }
            Value::Object(entries) => {
                let entries = entries.into_iter();
                Self::Map(
                    entries
                        .map(|(key, value)| (key, Self::of_json(value, line)))
                        .collect(),
                )
            }
            Value::String(text) => Self::Scalar { line, text },
            other => Self::Scalar {
                line,
                text: other.to_string(),
            },
        }
    }
}

/// An object and what kind it is of.
pub(crate) struct Object {
    pub(crate) kind: String,
    pub(crate) it: Manifest,
}

/// The objects in a text, YAML or JSON, lists taken apart.
pub(crate) fn objects(text: &str) -> Vec<Object> {
    let start = text.trim_ascii_start();
    if !start.starts_with(['{', '[']) {
        return documents(text)
            .into_iter()
            .flat_map(|it| taken_apart(it, ""))
            .collect();
    }
    // One bad element does not spoil the others.
    let elements = |array: &str, line: u32, kind: &str| {
        let mut elements = Elements::from_line(array, line);
        let mut objects = Vec::new();
        while let Some(row) = elements.next() {
            if let Ok(value) = parse::<Value>(row.cell(0)) {
                objects.extend(taken_apart(Manifest::of_json(value, row.line), kind));
            }
        }
        objects
    };
    if start.starts_with('[') {
        return elements(text, 1, "");
    }
    let field = |key: &str| Fields::new(text).find(|field| field.key == key);
    match field("items") {
        Some(items) => {
            let kind = field("kind").map_or("", |kind| kind.value.trim_matches('"'));
            elements(
                items.value,
                items.line,
                kind.strip_suffix("List").unwrap_or(kind),
            )
        }
        None => parse::<Value>(text).map_or_else(
            |_| Vec::new(),
            |value| taken_apart(Manifest::of_json(value, 1), ""),
        ),
    }
}

/// The items of a list of objects, or the object itself; of a kind where it does not say one.
fn taken_apart(it: Manifest, kind: &str) -> Vec<Object> {
    let own = it.text(&["kind"]);
    let kind = if own.is_empty() { kind } else { own }.to_owned();
    let is_list = kind.ends_with("List") || matches!(it.at(&["items"]), Some(Manifest::List(_)));
    match it {
        Manifest::Map(entries) if is_list => {
            let of = kind.strip_suffix("List").unwrap_or("");
            let items = entries.into_iter().find(|(key, _)| key == "items");
            let items = match items {
                Some((_, Manifest::List(items))) => items,
                _ => Vec::new(),
            };
            let object = |it: Manifest| {
                let own = it.text(&["kind"]);
                let kind = if own.is_empty() { of } else { own }.to_owned();
                Object { kind, it }
            };
            items.into_iter().map(object).collect()
        }
        it => vec![Object { kind, it }],
    }
}

/// Whether a text looks like YAML: its first lines are keys with values below or beside them.
pub(crate) fn is_yaml(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(['#', '%']) && line != "---"
    });
    let is_key = |line: &str| {
        let line = line.trim_ascii();
        let line = line.strip_prefix("- ").unwrap_or(line);
        key_of(line).is_some_and(|(key, value)| {
            !key.is_empty()
                && key
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_-./".contains(&b))
                && !key.starts_with(|c: char| c.is_ascii_digit())
                && !value.contains(" = ")
        })
    };
    let is_item = |line: &str| line.trim_ascii_start().starts_with("- ");
    let Some(first) = lines.next().filter(|line| is_key(line)) else {
        return false;
    };
    let below: Vec<&str> = lines.take(3).collect();
    // A word and a colon could be anything, alone.
    let ends = first.trim_ascii_end().ends_with(':');
    !below.is_empty()
        && below
            .iter()
            .all(|line| is_key(line) || ends && is_item(line))
}

/// The key that a line begins with, and the value beside it.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let colon = line
        .find(": ")
        .or_else(|| line.strip_suffix(':').map(str::len))?;
    let (key, rest) = line.split_at_checked(colon)?;
    let within = |quote| key.strip_prefix(quote)?.strip_suffix(quote);
    let key = within('"').or_else(|| within('\'')).unwrap_or(key);
    Some((key, rest.get(1..)?))
}

/// The documents of a text; those without anything in them are left out.
fn documents(text: &str) -> Vec<Manifest> {
    let mut all = Vec::new();
    let (mut rest, mut before) = (text, 0);
    while let Err(line) = add_documents(rest, before, &mut all) {
        let Some(next) = next_document(rest, line) else {
            break;
        };
        let (passed, left) = rest.split_at(next);
        before += passed.matches('\n').count() as u32;
        rest = left;
    }
    all
}

/// What is open while events come in.
enum Open {
    List(Vec<Manifest>),
    /// With the key whose value is to come.
    Map(Vec<(String, Manifest)>, Option<String>),
}

/// Adds the documents of a text that has so many lines before it; an error with its line in the text.
fn add_documents(text: &str, before: u32, all: &mut Vec<Manifest>) -> Result<(), usize> {
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| error.marker().line())?;
        let line = before + span.start.line() as u32;
        let scalar = |text: String| Manifest::Scalar { line, text };
        let whole = match event {
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let is_deep = open.len() > MAX_DEPTH;
                match open.pop() {
                    Some(_) if is_deep => scalar(String::new()),
                    Some(Open::List(items)) => Manifest::List(items),
                    Some(Open::Map(entries, _)) => Manifest::Map(entries),
                    None => continue,
                }
            }
            Event::Scalar(text, ..) => scalar(text.into_owned()),
            Event::Alias(_) => scalar(String::new()),
            _ => continue,
        };
        match open.last_mut() {
            None if matches!(whole, Manifest::Scalar { .. }) => {}
            None => all.push(whole),
            Some(Open::List(items)) => items.push(whole),
            Some(Open::Map(entries, key)) => match (key.take(), whole) {
                (Some(key), value) => entries.push((key, value)),
                (None, Manifest::Scalar { text, .. }) => *key = Some(text),
                // A key of several parts is nobody's.
                (None, _) => *key = Some(String::new()),
            },
        }
    }
    Ok(())
}

/// Where the next document begins behind a line.
fn next_document(text: &str, line: usize) -> Option<usize> {
    let mut at = 0;
    for (number, line_of) in (1..).zip(text.split_inclusive('\n')) {
        if number > line && line_of.starts_with("---") {
            return Some(at);
        }
        at += line_of.len();
    }
    None
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_lists_quotes_and_comments() {
        let text = "# nodes\n%YAML 1.2\n---\nkind: List # of all\nitems:\n- kind: \"Node\"\n  metadata:\n    labels: {a/b: \"8\", 'c': d}\n    note: |\n      kind: Pod\n        x: y\n    'quoted key': it's\n- kind: Node\n  list:\n  - 1\n  - [2, 3]\n  -\n    a: b\n---\n---\nkind: Pod\nspec:\n    containers:\n    -   name: x # y\n        image: a:b\n";
        let objects = objects(text);
        let kinds: Vec<&str> = objects.iter().map(|object| object.kind.as_str()).collect();
        assert_eq!(kinds, ["Node", "Node", "Pod"]);
        let [first, second, pod] = objects.as_slice() else {
            panic!("three objects");
        };
        assert_eq!(first.it.text(&["metadata", "labels", "a/b"]), "8");
        assert_eq!(first.it.text(&["metadata", "labels", "c"]), "d");
        assert_eq!(first.it.text(&["metadata", "quoted key"]), "it's");
        assert_eq!(first.it.line(), 6);
        let list = second.it.list(&["list"]);
        assert_eq!(list.len(), 3);
        assert_eq!(list[2].text(&["a"]), "b");
        let containers = pod.it.list(&["spec", "containers"]);
        assert_eq!(containers[0].text(&["name"]), "x");
        assert_eq!(containers[0].text(&["image"]), "a:b");
    }

    #[test]
    fn a_document_that_is_none_does_not_spoil_the_others() {
        let text = "kind: Node\n---\na: [1\nb: }\n---\nkind: Pod\nx: &y 1\nz: *y\n";
        let objects = objects(text);
        let kinds: Vec<&str> = objects.iter().map(|object| object.kind.as_str()).collect();
        assert_eq!(kinds, ["Node", "Pod"]);
        assert_eq!(objects[1].it.line(), 6);
        assert_eq!(objects[1].it.text(&["z"]), "");
    }

    #[test]
    fn json_says_its_lines() {
        let text = "{\"kind\": \"NodeList\",\n\"items\": [\n{\"a\": [1, {\"b\": true}]},\n{]";
        let objects = objects(text);
        assert_eq!((objects.len(), objects[0].kind.as_str()), (1, "Node"));
        assert_eq!(
            (
                objects[0].it.line(),
                objects[0].it.list(&["a"])[1].text(&["b"])
            ),
            (3, "true")
        );
    }

    #[test]
    fn what_looks_like_yaml() {
        for text in [
            "a:\n  b: 1\n",
            "# x\n---\n- a: 1\n  b: 2\n",
            "kind: Node\napiVersion: v1\n",
            "a:\n- 1\n- 2\n",
        ] {
            assert!(is_yaml(text), "{text}");
        }
        for text in [
            "",
            "a:\n",
            "Note: this is prose.\nAnd so it goes on.\n",
            "a,b\n1,2\n",
            "01:00:00 x\n02:00:00 y\n",
            "{\"a\": 1}\n",
        ] {
            assert!(!is_yaml(text), "{text}");
        }
    }

    #[test]
    fn nothing_is_nested_without_end() {
        let deep: String = (0..5000)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect();
        assert_eq!(objects(&deep).len(), 1);
        assert!(!objects(&format!("{}x", "- ".repeat(5000))).is_empty());
    }
}

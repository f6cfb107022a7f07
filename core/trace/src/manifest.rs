//! What Kubernetes describes in YAML or JSON, as a tree that knows its lines.
//!
//! By hand: of YAML only what `kubectl` and people write of such objects is read, blocks, lists, quoted
//! and plain scalars and flows of one level, without anchors and tags, in documents of any number. What
//! is none of that is passed over.

use crate::objects::parse;
use crate::rows::{Elements, Fields};
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

/// A line with something on it, without its comment.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    indent: usize,
    text: &'a str,
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

/// The documents of a text.
fn documents(text: &str) -> Vec<Manifest> {
    let mut all = Vec::new();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut flush = |lines: &mut Vec<Line<'_>>| {
        if let Some(first) = lines.first() {
            let indent = first.indent;
            all.push(block(lines, &mut 0, indent, 0));
        }
        lines.clear();
    };
    for (number, text) in (1u32..).zip(text.lines()) {
        let text = text.trim_ascii_end();
        let stripped = text.trim_ascii_start();
        if text == "---" || text.starts_with("--- ") || text == "..." {
            flush(&mut lines);
        } else if !stripped.is_empty() && !stripped.starts_with('#') && !text.starts_with('%') {
            lines.push(Line {
                number,
                indent: text.len() - stripped.len(),
                text: stripped,
            });
        }
    }
    flush(&mut lines);
    all
}

/// What the lines from one on tell that are indented so.
fn block(lines: &mut [Line<'_>], at: &mut usize, indent: usize, depth: usize) -> Manifest {
    let is_item = |line: &Line<'_>| line.text == "-" || line.text.starts_with("- ");
    let (mut items, mut entries) = (Vec::new(), Vec::new());
    let listed = lines.get(*at).is_some_and(is_item);
    while let Some(line) = lines.get(*at).copied() {
        if line.indent < indent || depth > MAX_DEPTH {
            break;
        }
        if line.indent > indent {
            // Goes on with something that is not read.
            *at += 1;
            continue;
        }
        if is_item(&line) != listed {
            break;
        }
        if listed {
            let text = line.text.get(1..).unwrap_or("").trim_ascii_start();
            let within = line.indent + (line.text.len() - text.len());
            if text.is_empty() {
                *at += 1;
                let deeper = lines
                    .get(*at)
                    .filter(|next| next.indent > indent)
                    .map(|next| next.indent);
                items.push(match deeper {
                    Some(deeper) => block(lines, at, deeper, depth + 1),
                    None => scalar(line.number, ""),
                });
            } else if key_of(text).is_some() && !text.starts_with(['{', '['])
                || text.starts_with("- ")
            {
                if let Some(line) = lines.get_mut(*at) {
                    (line.indent, line.text) = (within, text);
                }
                items.push(block(lines, at, within, depth + 1));
            } else {
                *at += 1;
                items.push(value_of(line.number, text));
            }
        } else if let Some((key, value)) = key_of(line.text) {
            *at += 1;
            let next = lines.get(*at).copied();
            let value = match next {
                // A text of several lines.
                Some(_) if value.starts_with(['|', '>']) => scalar(line.number, ""),
                Some(next)
                    if value.is_empty()
                        && (next.indent > indent || next.indent == indent && is_item(&next)) =>
                {
                    block(lines, at, next.indent, depth + 1)
                }
                _ => value_of(line.number, value),
            };
            entries.push((key.to_owned(), value));
        } else {
            *at += 1;
        }
    }
    if depth > MAX_DEPTH {
        *at += 1;
    }
    if listed {
        Manifest::List(items)
    } else {
        Manifest::Map(entries)
    }
}

fn scalar(line: u32, text: &str) -> Manifest {
    Manifest::Scalar {
        line,
        text: text.to_owned(),
    }
}

/// The key that a line begins with, and the value beside it without a comment.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let quote = line.chars().next().filter(|c| *c == '"' || *c == '\'');
    let (key, rest) = match quote {
        Some(quote) => line.get(1..)?.split_once(quote)?,
        None => {
            let colon = line
                .find(": ")
                .or_else(|| line.strip_suffix(':').map(str::len))?;
            line.split_at_checked(colon)?
        }
    };
    let value = rest.strip_prefix(':')?;
    (value.is_empty() || value.starts_with(' ')).then(|| (key, plain(value)))
}

/// A value without blanks around it and the comment behind it.
fn plain(value: &str) -> &str {
    let value = value.trim_ascii();
    if value.starts_with('#') {
        return "";
    }
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let end = value.get(1..).and_then(|rest| rest.find(quote));
            end.and_then(|end| value.get(..end + 2)).unwrap_or(value)
        }
        _ => value.split(" #").next().unwrap_or(value).trim_ascii_end(),
    }
}

/// A scalar, or a flow of them such as `{cpu: 8, "nvidia.com/gpu": 2}`.
fn value_of(line: u32, text: &str) -> Manifest {
    let text = plain(text);
    let within = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    let parts = |list: &'_ str| -> Vec<String> {
        let parts = list.split(',').map(|part| part.trim_ascii().to_owned());
        parts.filter(|part| !part.is_empty()).collect()
    };
    if let Some(entries) = within('{', '}') {
        let entries = parts(entries).into_iter().filter_map(|entry| {
            let (key, value) = key_of(&entry)?;
            Some((key.to_owned(), scalar(line, unquoted(value))))
        });
        return Manifest::Map(entries.collect());
    }
    if let Some(items) = within('[', ']') {
        let items = parts(items);
        return Manifest::List(
            items
                .iter()
                .map(|item| scalar(line, unquoted(item)))
                .collect(),
        );
    }
    scalar(line, unquoted(text))
}

fn unquoted(text: &str) -> &str {
    let within = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(text)
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

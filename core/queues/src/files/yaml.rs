//! YAML (and JSON, which is YAML) as a tree that knows its lines, by a maintained parser.
//!
//! Aliases are refused, so that no text becomes larger than it is.

use super::error::FileError;
use saphyr_parser::{Event, Parser, ScalarStyle};

/// What is nested deeper is refused.
const MAX_DEPTH: usize = 64;

/// A part of a document.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) value: Value,
}

/// What it holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// What lies at a key, if it is not null.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut entries = self.entries().iter();
        let (_, value) = entries.find(|(own, _)| own.text() == Some(key))?;
        (!matches!(value.value, Value::Null)).then_some(value)
    }

    /// What lies at a path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |of, key| of.get(key))
    }

    /// Its text, if it is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text at a path.
    pub(super) fn text_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.text()
    }

    /// Its elements, if it is a list.
    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The elements of the list at a path.
    pub(super) fn items_at(&self, path: &[&str]) -> &[Self] {
        self.at(path).map_or(&[], Self::items)
    }

    /// Its keys and values, if it is a map.
    pub(super) fn entries(&self) -> &[(Self, Self)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }
}

/// An object of Kubernetes.
pub(super) struct Object {
    /// Its kind.
    pub(super) kind: String,
    /// Its name; "" if it has none.
    pub(super) name: String,
    pub(super) node: Node,
}

impl Object {
    fn new(node: Node) -> Self {
        let text = |path: &[&str]| node.text_at(path).unwrap_or("").to_owned();
        Self {
            kind: text(&["kind"]),
            name: text(&["metadata", "name"]),
            node,
        }
    }

    /// Kind and name.
    pub(super) fn title(&self) -> String {
        format!("{} '{}'", self.kind, self.name)
    }

    /// The line of its name, else its first.
    pub(super) fn line(&self) -> u32 {
        let name = self.node.at(&["metadata", "name"]);
        name.map_or(self.node.line, |name| name.line)
    }

    /// The first name that it says at one of these keys of its `spec`, with its line.
    pub(super) fn name_at(&self, keys: &[&str]) -> Option<(String, u32)> {
        let found = keys.iter().find_map(|key| self.node.at(&["spec", key]))?;
        let name = found.text().filter(|name| !name.is_empty())?;
        Some((name.to_owned(), found.line))
    }

    /// What is wrong with it.
    pub(super) fn error(&self, file: &str, line: u32, what: impl Into<String>) -> FileError {
        FileError::new(file, what).at(line).of(&self.title())
    }
}

/// The objects in a text, lists taken apart.
///
/// # Errors
/// The text is no sound YAML, or has aliases.
pub(super) fn objects(text: &str, file: &str) -> Result<Vec<Object>, FileError> {
    let mut objects = Vec::new();
    for document in documents(text, file)? {
        match document.value {
            // A list of objects, as `kubectl get` prints it.
            Value::Map(_) if document.get("items").is_some() => {
                let items = document.items_at(&["items"]).iter().cloned();
                objects.extend(items.map(Object::new));
            }
            Value::List(items) => objects.extend(items.into_iter().map(Object::new)),
            Value::Map(_) => objects.push(Object::new(document)),
            Value::Null | Value::Text(_) => {}
        }
    }
    Ok(objects)
}

/// What is open while events come in.
struct Open {
    line: u32,
    value: Value,
    /// The key whose value is to come.
    key: Option<Node>,
}

fn documents(text: &str, file: &str) -> Result<Vec<Node>, FileError> {
    let mut all = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let what = format!("it is no sound YAML: {}; correct that", error.info());
            FileError::new(file, what).at(error.marker().line() as u32)
        })?;
        let line = span.start.line() as u32;
        let mut begin = |value| -> Result<(), FileError> {
            if open.len() >= MAX_DEPTH {
                let what = format!("it is nested more than {MAX_DEPTH} deep; write it flatter");
                return Err(FileError::new(file, what).at(line));
            }
            open.push(Open {
                line,
                value,
                key: None,
            });
            Ok(())
        };
        let whole = match event {
            Event::SequenceStart(..) => {
                begin(Value::List(Vec::new()))?;
                continue;
            }
            Event::MappingStart(..) => {
                begin(Value::Map(Vec::new()))?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { line, value, .. }) = open.pop() else {
                    continue;
                };
                Node { line, value }
            }
            Event::Scalar(text, style, ..) => {
                let is_null =
                    style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null");
                let value = match is_null {
                    true => Value::Null,
                    false => Value::Text(text.into_owned()),
                };
                Node { line, value }
            }
            Event::Alias(_) => {
                let what = "there is an alias (*name), which is not followed; write out what it stands for";
                return Err(FileError::new(file, what).at(line));
            }
            _ => continue,
        };
        let Some(outer) = open.last_mut() else {
            all.push(whole);
            continue;
        };
        match &mut outer.value {
            Value::List(items) => items.push(whole),
            Value::Map(entries) => match outer.key.take() {
                Some(key) => entries.push((key, whole)),
                None => outer.key = Some(whole),
            },
            Value::Null | Value::Text(_) => {}
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_lists_and_json_know_their_lines() {
        let text = "# two\nkind: A\nmetadata: {name: x}\n---\nkind: List\nitems:\n- kind: B\n  metadata:\n    name: \"y\"\n  none: null\n";
        let all = objects(text, "f").unwrap();
        let of: Vec<_> = all
            .iter()
            .map(|object| (object.title(), object.line()))
            .collect();
        assert_eq!(of, [("A 'x'".to_owned(), 3), ("B 'y'".to_owned(), 9)]);
        assert!(all[1].node.get("none").is_none());
        let json = "{\"kind\": \"A\",\n \"metadata\": {\"name\": \"x\"}}";
        let all = objects(json, "f").unwrap();
        assert_eq!((all[0].title(), all[0].line()), ("A 'x'".to_owned(), 2));
    }

    #[test]
    fn what_is_no_yaml_says_where() {
        let refused = |text: &str| {
            objects(text, "f.yaml")
                .err()
                .expect("no objects")
                .to_string()
        };
        assert!(refused("a: 1\nb: [1\n").starts_with("f.yaml, line "));
        assert!(refused("a: &x 1\nb: *x\n").starts_with("f.yaml, line 2: there is an alias"));
        assert!(refused(&"[".repeat(100)).contains("nested more than 64 deep"));
    }
}

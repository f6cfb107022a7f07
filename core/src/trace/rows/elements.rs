//! The elements of a JSON array, found without parsing them.

use super::{Cell, Flaw, Rest, Row};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// Cuts the array that a text begins with into its elements.
///
/// Only brackets and strings are looked at; whether an element is sound JSON is for the
/// importer to see, so that one bad element does not spoil the file, and a file that is cut off
/// still gives every whole element.
pub(crate) struct Elements<'a> {
    rest: Rest<'a>,
    /// Whether the array has been closed.
    closed: bool,
    cells: [Cell; 1],
}

impl<'a> Elements<'a> {
    /// `text` begins with `[`, after blanks.
    pub(crate) fn new(text: &'a str) -> Self {
        let mut rest = Rest::new(text);
        let bracket = text.find('[').map_or(text.len(), |at| at + 1);
        rest.advance(bracket);
        let (closed, cells) = (false, [Cell { start: 0, end: 0 }]);
        Self {
            rest,
            closed,
            cells,
        }
    }

    /// The next element.
    pub(crate) fn next(&mut self) -> Option<Row<'_>> {
        if self.closed {
            return None;
        }
        let blank = self.rest.text.bytes();
        let blank = blank.take_while(u8::is_ascii_whitespace).count();
        self.rest.advance(blank);
        let line = self.rest.line;
        let text = self.rest.text;
        let end = end_of_element(text.as_bytes());
        let element = text.get(..end).unwrap_or("").trim_ascii_end();
        let cut = end == text.len();
        self.closed = cut || text.as_bytes().get(end) == Some(&b']');
        self.rest.advance(end + 1);
        // Nothing before the end: an empty array, or a comma after the last element.
        if element.is_empty() && self.closed {
            return None;
        }
        let end = u32::try_from(element.len()).unwrap_or(0);
        self.cells = [Cell { start: 0, end }];
        Some(Row {
            line,
            flaw: cut.then_some(Flaw::Truncated),
            unterminated: cut,
            text: element,
            cells: &self.cells,
        })
    }
}

/// The keys of the object in a JSON text, in order; none where it is no sound object.
pub(crate) fn keys(text: &str) -> Vec<String> {
    serde_json::from_str(text).map_or_else(|_| Vec::new(), |Keys(keys)| keys)
}

struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            self.0.push(key);
        }
        Ok(self)
    }
}

/// Where the comma or bracket after the element stands that a text begins with, or its length.
fn end_of_element(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b',' | b']' if depth == 0 => return at,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> Vec<(u32, bool, String)> {
        let mut elements = Elements::new(text);
        let mut seen = Vec::new();
        while let Some(row) = elements.next() {
            seen.push((row.line, row.flaw.is_none(), row.cell(0).to_owned()));
        }
        seen
    }

    #[test]
    fn elements_are_cut_at_the_outer_commas() {
        let text = " [\n{\"a\": [1, 2]},\n {\"b\": \"],\\\"\"}, 3 ]\n trailing";
        let expected = [
            (2, true, "{\"a\": [1, 2]}".to_owned()),
            (3, true, "{\"b\": \"],\\\"\"}".to_owned()),
            (3, true, "3".to_owned()),
        ];
        assert_eq!(elements(text), expected);
    }

    #[test]
    fn keys_of_an_object() {
        assert_eq!(keys("{\"b\": [1], \"a\": {\"c\": 2}}"), ["b", "a"]);
        assert_eq!(keys("[1]"), [""; 0]);
        assert_eq!(keys("{\"b\": "), [""; 0]);
    }

    #[test]
    fn empty_and_cut_off_arrays() {
        assert_eq!(elements("[]"), []);
        assert_eq!(elements("["), []);
        assert_eq!(elements("[{},\n]").len(), 1);
        assert_eq!(elements("[{},,{}]").len(), 3);
        let cut = elements("[{\"a\":1},\n{\"a\":");
        assert_eq!(cut[0], (1, true, "{\"a\":1}".to_owned()));
        assert_eq!(cut[1], (2, false, "{\"a\":".to_owned()));
    }
}

//! The elements of a JSON array, found without parsing them.
//!
//! By hand: of a text that comes in parts, which JSON parsers read as a whole or not at all.

use super::{Cell, Flaw, Part, Rest, Row};

/// Cuts the array that a text begins with into its elements.
///
/// Only brackets and strings are looked at; whether an element is sound JSON is for the
/// importer to see, so that one bad element does not spoil the file, and a file that is cut off
/// still gives every whole element.
pub struct Elements<'a> {
    rest: Rest<'a>,
    state: State,
    cells: [Cell; 1],
}

/// How far an array has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its bracket has not been met.
    Before,
    /// Between its brackets.
    Within,
    /// It has been closed.
    Closed,
}

impl<'a> Elements<'a> {
    /// `text` begins with `[`, after blanks.
    #[cfg(test)]
    pub(crate) fn new(text: &'a str) -> Self {
        Self::part(text, State::Before, 1, Part::Last)
    }

    /// The same of a text that may go on.
    pub fn beginning(text: &'a str, part: Part) -> Self {
        Self::part(text, State::Before, 1, part)
    }

    /// The same of an array that begins on another line.
    pub fn from_line(text: &'a str, line: u32) -> Self {
        Self::part(text, State::Before, line, Part::Last)
    }

    /// The same of a part that begins before an element.
    pub fn part(text: &'a str, state: State, line: u32, part: Part) -> Self {
        Self {
            rest: Rest::new(text, line, part),
            state,
            cells: [Cell { start: 0, end: 0 }],
        }
    }

    /// How many bytes are left, the line they begin on, and how far the array has been read.
    pub(crate) fn left(&self) -> (usize, u32, State) {
        (self.rest.text.len(), self.rest.line, self.state)
    }

    /// The next element.
    #[allow(clippy::should_implement_trait, reason = "rows borrow from the reader")]
    pub fn next(&mut self) -> Option<Row<'_>> {
        if self.state == State::Before {
            let text = self.rest.text;
            let bracket = match text.find('[') {
                None if self.rest.part == Part::Some => return None,
                bracket => bracket.map_or(text.len(), |at| at + 1),
            };
            self.rest.advance(bracket);
            self.state = State::Within;
        }
        if self.state == State::Closed {
            // What follows the array is none of it.
            self.rest.advance(self.rest.text.len());
            return None;
        }
        let blank = self.rest.text.bytes();
        let blank = blank.take_while(u8::is_ascii_whitespace).count();
        self.rest.advance(blank);
        let line = self.rest.line;
        let text = self.rest.text;
        let end = end_of_value(text.as_bytes());
        let cut = end == text.len();
        if cut && self.rest.part == Part::Some {
            return None;
        }
        let element = text.get(..end).unwrap_or("").trim_ascii_end();
        if cut || text.as_bytes().get(end) == Some(&b']') {
            self.state = State::Closed;
        }
        self.rest.advance(end + 1);
        // Nothing before the end: an empty array, or a comma after the last element.
        if element.is_empty() && self.state == State::Closed {
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

/// A field of a JSON object, as text.
pub struct Field<'a> {
    /// Its key, without quotation marks.
    pub key: &'a str,
    /// Its value, not parsed.
    pub value: &'a str,
    /// The line the value begins on.
    pub line: u32,
}

/// Cuts the object that a text begins with into its fields, without parsing their values.
pub struct Fields<'a> {
    rest: Rest<'a>,
}

impl<'a> Fields<'a> {
    /// `text` begins with `{`, after blanks.
    pub fn new(text: &'a str) -> Self {
        let mut rest = Rest::new(text, 1, Part::Last);
        rest.advance(text.find('{').map_or(text.len(), |at| at + 1));
        Self { rest }
    }

    fn skip(&mut self, also: u8) {
        let skipped = self.rest.text.bytes();
        let skipped = skipped.take_while(|b| b.is_ascii_whitespace() || *b == also);
        let count = skipped.count();
        self.rest.advance(count);
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        self.skip(b',');
        let key = self.rest.text.strip_prefix('"')?;
        let key = key.get(..key.find('"')?)?;
        self.rest.advance(key.len() + 2);
        self.skip(b':');
        let (text, line) = (self.rest.text, self.rest.line);
        let end = end_of_value(text.as_bytes());
        let value = text.get(..end).unwrap_or("").trim_ascii_end();
        self.rest.advance(end);
        Some(Field { key, value, line })
    }
}

/// Where the comma or bracket stands that follows the value a text begins with; the text's
/// length where there is none.
fn end_of_value(text: &[u8]) -> usize {
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
            b',' | b']' | b'}' if depth == 0 => return at,
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
    fn fields_of_an_object() {
        let text = "{\n \"a\" : [1,\n 2], \"b\":{\"c\": \"}\"} }";
        let fields: Vec<_> = Fields::new(text)
            .map(|f| (f.key, f.value, f.line))
            .collect();
        assert_eq!(fields, [("a", "[1,\n 2]", 2), ("b", "{\"c\": \"}\"}", 3)]);
        assert_eq!(Fields::new("{").count(), 0);
        assert_eq!(Fields::new("{\"a").count(), 0);
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

//! The keys of a JSON object, which play the part of a header.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// The keys of the object in a JSON text, in order; none where it is no sound object.
pub(crate) fn keys(text: &str) -> Vec<String> {
    serde_json::from_str(text).map_or_else(|_| Vec::new(), |Keys(keys)| keys)
}

/// Keys beyond this many are not looked at: no format has as many.
const MOST: usize = 4096;

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
            if self.0.len() < MOST {
                self.0.push(key);
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_an_object() {
        assert_eq!(keys("{\"b\": [1], \"a\": {\"c\": 2}}"), ["b", "a"]);
        assert_eq!(keys("[1]"), [""; 0]);
        assert_eq!(keys("{\"b\": "), [""; 0]);
    }
}

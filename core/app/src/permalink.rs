//! The address of a view as text, behind the page's `#`: `v=1&sample=lab&cluster=8x4&run=fifo&run=tiresias-las[queues=2]`.
//!
//! Whoever names runs by a link (page, command line, Python, sweeps, challenges, editor) writes and reads it here: its
//! parts are `key=value`, and a value is percent-encoded in one way. A link says first where jobs come from, then which
//! of them, then the cluster, the settings, the schedulers, and what the page shows of them. What the keys mean stands
//! with their values: settings in [`SETTINGS`](switchyard::SETTINGS), the page's in its own table.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use switchyard::{Setting, Settings};

/// What is percent-encoded in a value: brackets, commas and colons of policy specs stay readable; what would end a
/// value or upset a mail program does not.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'[')
    .remove(b']')
    .remove(b',')
    .remove(b':')
    .remove(b'=');

/// A link, part after part, without its `#`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permalink(String);

impl Permalink {
    /// The version written; a later one that changes a key's meaning must still read this one.
    pub const VERSION: u32 = 1;

    /// The name of an experiment that travels within.
    pub const EXPERIMENT: &str = "experiment";

    /// What names a link's jobs.
    pub const SOURCES: [&str; 4] = ["sample", "file", "url", Self::EXPERIMENT];

    /// One that says its version, and nothing else yet.
    pub fn versioned() -> Self {
        let mut link = Self::default();
        link.add("v", &Self::VERSION.to_string());
        link
    }

    /// Says one thing more.
    pub fn add(&mut self, key: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(key);
        self.0.push('=');
        self.0.extend(utf8_percent_encode(value, ENCODED));
    }

    /// Says which of these settings are not at their defaults.
    pub fn add_settings(
        &mut self,
        all: impl IntoIterator<Item = &'static Setting>,
        settings: &Settings,
    ) {
        for setting in all {
            if let Some(value) = setting.given(settings) {
                self.add(setting.link, &value);
            }
        }
    }

    /// A link of other jobs, which says all else that this one does.
    pub fn with_source(fragment: &str, source: &str, value: &str) -> Self {
        let mut link = Self::versioned();
        link.add(source, value);
        for part in parts(fragment) {
            let key = part.split('=').next().unwrap_or_default();
            if key != "v" && !Self::SOURCES.contains(&key) {
                link.0.push('&');
                link.0.push_str(part);
            }
        }
        link
    }

    /// What a link says, in its order, with or without its `#`. What is no percent-encoding stays as it is.
    pub fn read(fragment: &str) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        parts(fragment).map(|part| {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            (key, percent_decode_str(value).decode_utf8_lossy())
        })
    }

    /// The text without its `#`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Permalink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn parts(fragment: &str) -> impl Iterator<Item = &str> {
    let parts = fragment.trim_start_matches('#').split('&');
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::SETTINGS;

    #[test]
    fn policies_stay_readable_and_what_ends_a_value_does_not() {
        let mut link = Permalink::versioned();
        link.add("file", "a b/ü&.csv");
        link.add("cluster", "6x4:v100+4x4");
        link.add("run", "tiresias-las[queues=2,threshold=3600] if 7:1h..2h");
        let text = "v=1&file=a%20b%2F%C3%BC%26.csv&cluster=6x4:v100%2B4x4&run=tiresias-las[queues=2,threshold=3600]%20if%207:1h..2h";
        assert_eq!(link.as_str(), text);
        let text = format!("#{text}");
        let read: Vec<(&str, String)> = Permalink::read(&text)
            .map(|(key, value)| (key, value.into_owned()))
            .collect();
        assert_eq!(read[1], ("file", "a b/ü&.csv".to_owned()));
        assert_eq!(read[2], ("cluster", "6x4:v100+4x4".to_owned()));
        assert_eq!(read.len(), 4);
    }

    /// What challenges, sweeps and scripts of the page have written is read as what is written now.
    #[test]
    fn links_of_former_encoders_say_the_same() {
        let value = "script[code=a~b/c,name=x:1]+";
        let mut now = Permalink::default();
        now.add("run", value);
        let former = [
            "run=script%5Bcode%3Da~b%2Fc%2Cname%3Dx%3A1%5D%2B",
            "run=script[code%3Da~b/c,name%3Dx:1]%2B",
            now.as_str(),
        ];
        for link in former {
            let read: Vec<_> = Permalink::read(link).collect();
            assert_eq!(read, [("run", Cow::from(value))], "{link}");
        }
        let broken: Vec<_> = Permalink::read("&&a&b=%zz").collect();
        assert_eq!(broken, [("a", Cow::from("")), ("b", Cow::from("%zz"))]);
    }

    #[test]
    fn other_jobs_leave_all_else_as_it_stands() {
        let link = "#v=1&sample=lab&run=script%5Bcode%3D1%5D&url=x&t=5";
        let other = Permalink::with_source(link, Permalink::EXPERIMENT, "ab-_c");
        assert_eq!(
            other.as_str(),
            "v=1&experiment=ab-_c&run=script%5Bcode%3D1%5D&t=5"
        );
    }

    #[test]
    fn settings_at_their_defaults_are_not_said() {
        let mut settings = Settings::default();
        let mut link = Permalink::versioned();
        link.add_settings(SETTINGS, &settings);
        assert_eq!(link.as_str(), "v=1");
        settings.options.seed = 7;
        link.add_settings(SETTINGS, &settings);
        assert_eq!(link.as_str(), "v=1&seed=7");
    }
}

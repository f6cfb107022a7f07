//! A cluster as people write it: every cluster has a text that stands for it. [Words](super::text)
//! where they can say it, else [JSON](super::json), which is what a text that begins with a brace is
//! read as.

use super::text::Nodes;
use super::{ClusterError, ClusterSpec, json, text};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for ClusterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tree().has_words() {
            write!(f, "{}{}", Nodes(self), self.tree())
        } else {
            json::write(self, f)
        }
    }
}

impl FromStr for ClusterSpec {
    type Err = ClusterError;

    fn from_str(form: &str) -> Result<Self, ClusterError> {
        if form.trim_start().starts_with(['{', '[']) {
            json::read(form)
        } else {
            text::read(form)
        }
    }
}

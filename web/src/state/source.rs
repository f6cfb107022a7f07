//! Where jobs come from: a sample, a file of the visitor's, an address, or the link itself.

use std::rc::Rc;

/// In the place of what is packed: it lies within the page, which was saved with it (static/snippets.js).
const HELD: &str = "held";

/// Where jobs come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An embedded sample, by name.
    Sample(String),
    /// A file of the visitor's: its name. The file itself stays where it is.
    File(String),
    /// A file on a host, which lets other pages read it: its address.
    Url(String),
    /// An experiment that travels within the link: the name of its file, and what is in it, packed as
    /// static/remote.js does; or [`HELD`].
    Packed(String, Rc<str>),
}

impl Source {
    /// The name of the sample or the file.
    pub fn name(&self) -> &str {
        match self {
            Self::Sample(name) | Self::File(name) | Self::Packed(name, _) => name,
            Self::Url(address) => {
                let path = address.split(['?', '#']).next().unwrap_or(address);
                let path = path.trim_end_matches('/');
                path.rsplit('/').next().unwrap_or(path)
            }
        }
    }

    /// Whether its jobs are on this computer alone: a link carries them where they are packed for it.
    pub fn is_here(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Packed(_, packed) => &**packed == HELD,
            Self::Sample(_) | Self::Url(_) => false,
        }
    }

    /// The host that it is fetched from.
    pub fn host(&self) -> Option<&str> {
        let Self::Url(address) = self else {
            return None;
        };
        let rest = address.split_once("://")?.1;
        rest.split(['/', '?', '#']).next()
    }
}

/// Whether an address can be fetched: over https, or, as from one's own machine, over http.
pub fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://");
    let rest = rest.or_else(|| text.strip_prefix("http://"));
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    rest.is_some_and(|rest| rest.chars().next().is_some_and(char::is_alphanumeric))
        && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_holds_is_here_and_what_a_link_holds_is_not() {
        let packed = |text: &str| Source::Packed("a.csv".to_owned(), text.into());
        assert!(packed(HELD).is_here() && Source::File("a.csv".to_owned()).is_here());
        assert!(!packed("q1bKz").is_here() && !Source::Sample("lab".to_owned()).is_here());
    }

    #[test]
    fn an_address_names_its_file_and_its_host() {
        let url = Source::Url("https://example.org/traces/a.csv.gz?v=1#x".to_owned());
        assert_eq!((url.name(), url.host()), ("a.csv.gz", Some("example.org")));
        let bare = Source::Url("https://example.org/".to_owned());
        assert_eq!(
            (bare.name(), bare.host()),
            ("example.org", Some("example.org"))
        );
    }

    #[test]
    fn only_web_addresses_are_fetched() {
        assert!(is_address("https://example.org/a.csv"));
        for no in [
            "",
            "a.csv",
            "https://",
            "file:///etc/passwd",
            "javascript:1",
            "https://a b",
        ] {
            assert!(!is_address(no), "{no}");
        }
    }
}

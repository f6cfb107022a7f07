//! Where jobs come from: a sample, a file of the visitor's, an address, or the link itself.

use std::borrow::Cow;
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
            // As `switchyard open` serves files.
            Self::Url(_) => self.host().is_some_and(is_this_computer),
            Self::Sample(_) => false,
        }
    }

    /// The host that it is fetched from.
    pub fn host(&self) -> Option<&str> {
        let Self::Url(address) = self else {
            return None;
        };
        let (_, authority, _) = parts(address)?;
        Some(authority)
    }
}

/// Whether a host is the computer that the page is looked at on.
pub fn is_this_computer(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    ["127.0.0.1", "localhost"].contains(&name)
}

/// Whether an address can be fetched: over https, or, as from one's own machine, over http.
///
/// # Errors
///
/// Why not.
pub fn check_address(text: &str) -> Result<(), &'static str> {
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control();
    let found = parts(text).filter(|(scheme, authority, _)| {
        ["https://", "http://"].contains(scheme) && authority.starts_with(char::is_alphanumeric)
    });
    let Some((_, authority, _)) = found.filter(|_| text.chars().all(is_plain)) else {
        return Err("an address is written in full, with https://");
    };
    // Browsers fetch none, and links show them to everybody.
    if authority.contains('@') {
        return Err(
            "an address with a name or password before its host is not fetched, since everybody who sees the link would have them: save the file, and open it from your disk",
        );
    }
    Ok(())
}

/// A text that may be an address, without the name and the password that stand before its host.
pub fn without_login(text: &str) -> Cow<'_, str> {
    let Some((scheme, authority, rest)) = parts(text) else {
        return text.into();
    };
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}…@{host}{rest}").into(),
        None => text.into(),
    }
}

/// An address up to its host, the host with what stands before it, and the rest. Browsers take `\` as `/`.
fn parts(address: &str) -> Option<(&str, &str, &str)> {
    let start = address.find("://")? + 3;
    let length = address[start..].find(['/', '\\', '?', '#']);
    let end = length.map_or(address.len(), |length| start + length);
    Some((&address[..start], &address[start..end], &address[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_holds_is_here_and_what_a_link_holds_is_not() {
        let packed = |text: &str| Source::Packed("a.csv".to_owned(), text.into());
        assert!(packed(HELD).is_here() && Source::File("a.csv".to_owned()).is_here());
        assert!(!packed("q1bKz").is_here() && !Source::Sample("lab".to_owned()).is_here());
        let url = |address: &str| Source::Url(address.to_owned());
        assert!(url("http://127.0.0.1:8000/s/trace/a.csv").is_here());
        assert!(!url("https://127.0.0.1.example.org/a.csv").is_here());
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
        assert_eq!(check_address("https://example.org/a.csv?by=a@b"), Ok(()));
        for no in [
            "",
            "a.csv",
            "https://",
            "file:///etc/passwd",
            "javascript:1",
            "https://a b",
        ] {
            assert!(check_address(no).is_err(), "{no}");
        }
    }

    #[test]
    fn a_password_is_neither_fetched_with_nor_shown() {
        for (address, shown) in [
            (
                "https://me:pw@example.org/a.csv",
                "https://…@example.org/a.csv",
            ),
            ("https://me@example.org", "https://…@example.org"),
            ("http://a:pw@b:pw@c?x", "http://…@c?x"),
            (
                "https://me:pw@example.org\\@b/a",
                "https://…@example.org\\@b/a",
            ),
        ] {
            let why = check_address(address);
            assert!(why.is_err_and(|why| why.contains("password")), "{address}");
            assert_eq!(without_login(address), shown);
        }
        let plain = "https://example.org/me@home.csv";
        assert_eq!(without_login(plain), plain);
        assert_eq!(without_login("a@b"), "a@b");
    }
}

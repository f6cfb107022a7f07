//! The security policies (CSP) that the built pages carry themselves, so that they are as safe on a
//! server that sends none. `docs/hosting.md` tells hosts the same line; Trusted Types go through the
//! one policy in `static/workers.js`. Other hosts may be asked over https alone, and for data alone: for
//! the traces that a link names or a person pastes (`static/remote.js`).
//!
//! Source: Content Security Policy Level 3, W3C; Trusted Types, W3C.

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// What no page of ours does: others' addresses as base, forms, markup from text, and scripts at
/// addresses that nobody vouches for.
const NEVER: &str = "object-src 'none'; base-uri 'none'; form-action 'none'; \
     require-trusted-types-for 'script'; trusted-types switchyard";

/// `index.html`, which loads everything from beside itself, with its policy.
pub(crate) fn of_page(html: &str) -> Result<String> {
    let policy = format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; \
         style-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob: https:; {NEVER}"
    );
    add(html, &policy)
}

/// A page that holds everything itself, with its policy: exactly its scripts and styles.
pub(crate) fn of_single_file(html: &str) -> Result<String> {
    let scripts = hashes(html, "script", |tag| !tag.contains("text/plain"))?;
    let styles = hashes(html, "style", |_| true)?;
    let policy = format!(
        "default-src 'none'; script-src {scripts} 'wasm-unsafe-eval'; worker-src blob:; \
         style-src {styles}; img-src data: blob:; connect-src data: blob: https:; {NEVER}"
    );
    add(html, &policy)
}

/// The page with a policy for all that follows its encoding.
fn add(html: &str, policy: &str) -> Result<String> {
    const ENCODING: &str = "<meta charset=\"utf-8\">\n";
    let (before, after) = html
        .split_once(ENCODING)
        .context("the page does not name its encoding")?;
    Ok(format!(
        "{before}{ENCODING}    <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n{after}"
    ))
}

/// The hashes of what stands in elements, by name and what their tags say.
fn hashes(html: &str, name: &str, is_meant: impl Fn(&str) -> bool) -> Result<String> {
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    let mut hashes = Vec::new();
    let mut rest = html;
    // One after the other: what looks like a tag within an element is its text.
    while let Some((_, part)) = rest.split_once(&start) {
        let (tag, part) = part
            .split_once('>')
            .with_context(|| format!("a <{name}> of the page has no end"))?;
        let (text, after) = part
            .split_once(&end)
            .with_context(|| format!("the page has a <{name}> without {end}"))?;
        rest = after;
        if is_meant(tag) {
            let hash = BASE64_STANDARD.encode(Sha256::digest(text));
            hashes.push(format!("'sha256-{hash}'"));
        }
    }
    Ok(hashes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_file_allows_its_own_scripts_and_no_others() {
        let html = "<meta charset=\"utf-8\">\n<script type=\"text/plain\">x</script>\
             <script>alert('Hello, world.');</script><style>p{}</style>";
        let page = of_single_file(html).expect("sound");
        // The example of CSP 3, section 8.4.
        let hash = "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert!(
            page.contains(&format!("script-src {hash} 'wasm-unsafe-eval';")),
            "{page}"
        );
        assert!(page.ends_with(html.split_once('\n').expect("two lines").1));
    }

    #[test]
    fn a_tag_in_a_script_is_its_text() {
        let html = "<meta charset=\"utf-8\">\n<script>a = '<script>'</script><script>b</script>";
        let page = of_single_file(html).expect("sound");
        assert_eq!(page.matches("'sha256-").count(), 2);
    }

    #[test]
    fn a_page_without_an_encoding_is_refused() {
        assert!(of_page("<p>").is_err());
    }
}

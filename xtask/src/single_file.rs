//! The whole page in one file that opens from a disk, where neither modules nor workers load.
//!
//! Styles, scripts and icons are inlined, and so is the page's module, with its wasm as a `data:`
//! address. The workers' program, its wasm likewise within, and weights stand in the page as text, where
//! `static/workers.js` finds them; so does the program of scripts, its wasm compressed, since few need it.
//! Bundles, which few need as well, are functions that nobody has called (`static/lazy.js`).

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::workspace::{BUNDLES, COLUMNAR, SCRIPTS, WORKER};
use crate::{notices, shell, workspace};

/// `index`, a page that Trunk wrote into `dist`, with everything it loads from there inlined.
pub(crate) fn inline(dist: &Path, index: &str) -> Result<String> {
    let mut page = Page::default();
    let html = replace_links(index, |link| page.link(dist, link))?;
    let module = module(
        &page
            .module
            .context("Trunk's page names no module to preload")?,
        &page.wasm.context("Trunk's page names no wasm to preload")?,
    )?;
    let notices = text(notices::FILE, &shell::read(&dist.join(notices::FILE))?);
    // A script that is inlined runs where it stands, and one of them looks for the workers.
    let held = notices
        + &worker(dist)?
        + &packed(dist, SCRIPTS)?
        + &packed(dist, COLUMNAR)?
        + &weights(dist)?
        + &bundles(dist)?;
    let html = before_scripts(&html, &held)?;
    let html = inline_scripts(dist, &html)?;
    let (before, after) = html
        .rsplit_once("</body>")
        .context("the page has no </body>")?;
    Ok(format!("{before}{module}\n  </body>{after}"))
}

/// Puts elements before the page's first script.
fn before_scripts(html: &str, elements: &str) -> Result<String> {
    let first = html.find("<script").context("the page has no script")?;
    let (before, after) = html.split_at(first);
    Ok(format!("{before}{elements}{after}"))
}

/// Every `<script src="…">` of the page replaced by the script itself.
fn inline_scripts(dist: &Path, html: &str) -> Result<String> {
    let mut parts = html.split("<script src=\"");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (address, rest) = part
            .split_once('"')
            .context("the address of a script has no end")?;
        let (attributes, rest) = rest
            .split_once("></script>")
            .context("a script has no end")?;
        let script = shell::read(&dist.join(address))?;
        result += &format!(
            "<script{attributes}>\n{}</script>{rest}",
            script_text(&script)
        );
    }
    Ok(result)
}

/// What the page's links lead to.
#[derive(Default)]
struct Page {
    module: Option<String>,
    wasm: Option<Vec<u8>>,
}

impl Page {
    /// What to write in place of a `<link>`.
    fn link(&mut self, dist: &Path, link: &str) -> Result<String> {
        let rel = attribute(link, "rel").unwrap_or_default();
        let href = attribute(link, "href").unwrap_or_default();
        let path = dist.join(href);
        match rel {
            "stylesheet" => {
                let style = shell::read(&path)?;
                if let Some(address) = addresses(&style).find(|address| !is_inline(address)) {
                    bail!(
                        "{href} loads {address}: make it a data: address, or teach xtask to inline it"
                    );
                }
                Ok(format!("<style>\n{style}</style>"))
            }
            "icon" | "apple-touch-icon" if is_inline(href) => Ok(link.to_owned()),
            "icon" | "apple-touch-icon" => Ok(format!(
                "<link rel=\"{rel}\" href=\"{}\">",
                data_address(mime(&path)?, &shell::read_bytes(&path)?)
            )),
            "modulepreload" => {
                ensure!(
                    self.module.replace(shell::read(&path)?).is_none(),
                    "the page loads a second module, {href}: xtask can inline only one"
                );
                Ok(String::new())
            }
            "preload" if href.ends_with(".wasm") => {
                self.wasm = Some(shell::read_bytes(&path)?);
                Ok(String::new())
            }
            _ => bail!("xtask does not know how to inline {link}"),
        }
    }
}

/// Every `<link …>` of the page replaced by what `replace` makes of it.
fn replace_links(html: &str, mut replace: impl FnMut(&str) -> Result<String>) -> Result<String> {
    let mut result = String::new();
    let mut rest = html;
    while let Some(start) = rest.find("<link ") {
        let end = start
            + rest[start..]
                .find('>')
                .context("a <link> of the page has no end")?
            + 1;
        result.push_str(&rest[..start]);
        result.push_str(&replace(&rest[start..end])?);
        rest = &rest[end..];
    }
    result.push_str(rest);
    Ok(result)
}

/// What a style sheet names in `url(…)`.
fn addresses(style: &str) -> impl Iterator<Item = &str> {
    let rests = style.split("url(").skip(1);
    rests.map(|rest| {
        rest.split(')')
            .next()
            .unwrap_or_default()
            .trim_matches(['"', '\''])
    })
}

fn is_inline(address: &str) -> bool {
    address.starts_with("data:") || address.starts_with('#')
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// The page's module, started at its end with the wasm it would have fetched.
fn module(module: &str, wasm: &[u8]) -> Result<String> {
    ensure!(
        !module.lines().any(|line| line.starts_with("import ")),
        "the page's module imports others (wasm-bindgen snippets), which xtask cannot inline"
    );
    let (before, _) = module
        .split_once(" as default")
        .context("wasm-bindgen's module has no default export")?;
    let start = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()
        .unwrap_or_default();
    Ok(format!(
        "<script type=\"module\">\n{}\nawait {start}({{ module_or_path: \"{}\" }});\n</script>",
        script_text(module),
        data_address("application/wasm", wasm)
    ))
}

/// The workers' script and the address of its wasm, as texts.
fn worker(dist: &Path) -> Result<String> {
    let [script, wasm] = WORKER;
    let address = data_address("application/wasm", &shell::read_bytes(&dist.join(wasm))?);
    Ok(text(script, &shell::read(&dist.join(script))?) + &text(wasm, &address))
}

/// The same of a program that few need, its wasm compressed.
fn packed(dist: &Path, [script, wasm]: [&str; 2]) -> Result<String> {
    let bytes = shell::read_bytes(&dist.join(wasm))?;
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&bytes)?;
    let address = data_address("application/gzip", &packer.finish()?);
    let wasm = format!("{wasm}.gz");
    Ok(text(script, &shell::read(&dist.join(script))?) + &text(&wasm, &address))
}

/// Each bundle as a function.
fn bundles(dist: &Path) -> Result<String> {
    let mut scripts = "<script>globalThis.switchyardHeld = {};</script>\n".to_owned();
    for bundle in BUNDLES {
        let script = shell::read(&dist.join(bundle.file))?;
        scripts += &format!(
            "<script>switchyardHeld.{} = () => {{\n{}\n}};</script>\n",
            bundle.name,
            script_text(&script)
        );
    }
    Ok(scripts)
}

/// The addresses of what placements have learned.
fn weights(dist: &Path) -> Result<String> {
    let mut texts = String::new();
    for file in workspace::weights(dist)? {
        let bytes = shell::read_bytes(&dist.join(&file))?;
        texts += &text(&file, &data_address("application/octet-stream", &bytes));
    }
    Ok(texts)
}

/// A file's text, held in the page.
fn text(file: &str, text: &str) -> String {
    let text = script_text(text);
    format!("<script type=\"text/plain\" id=\"switchyard-{file}\">{text}</script>\n")
}

/// A script as it may stand within a page: nothing in it ends the element early.
fn script_text(script: &str) -> String {
    script
        .replace("</script", "<\\/script")
        .replace("<!--", "<\\!--")
}

fn data_address(mime: &str, bytes: &[u8]) -> String {
    format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes))
}

fn mime(path: &Path) -> Result<&'static str> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok("image/svg+xml"),
        Some("png") => Ok("image/png"),
        Some("ico") => Ok("image/x-icon"),
        _ => bail!(
            "xtask does not know what kind of image {} is",
            path.display()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_replaced_in_place() {
        let html = "<head><link rel=\"a\" href=\"x\">-<link rel=\"b\" href=\"y\"/></head>";
        let replaced = replace_links(html, |link| {
            Ok(format!(
                "[{} {}]",
                attribute(link, "rel").unwrap_or_default(),
                attribute(link, "href").unwrap_or_default()
            ))
        });
        assert_eq!(replaced.unwrap(), "<head>[a x]-[b y]</head>");
    }

    #[test]
    fn the_module_starts_itself() {
        let script = "let a = '</script>';\nexport { initSync, __wbg_init as default };";
        let html = module(script, b"wasm").unwrap();
        assert_eq!(html.matches("</script").count(), 1);
        assert!(html.contains(
            "await __wbg_init({ module_or_path: \"data:application/wasm;base64,d2FzbQ==\" });"
        ));
    }

    #[test]
    fn a_module_that_imports_others_is_refused() {
        assert!(module("import { a } from './snippets/a.js';", b"").is_err());
    }
}

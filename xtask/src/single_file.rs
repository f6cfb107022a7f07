//! The whole page in one file that opens from a disk, where neither modules nor workers load.
//!
//! Styles and icons are inlined, and so is the page's module, with its wasm as a `data:` address.
//! Each worker's script, its wasm likewise within, becomes a `Blob`, whose address the page finds in
//! `globalThis.switchyardWorkers`.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::build::WORKERS;
use crate::shell;

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
    let html = replace_module(&html, &module)?;
    let workers = WORKERS
        .iter()
        .map(|name| worker(dist, name))
        .collect::<Result<String>>()?;
    add_to_head(
        &html,
        &format!("<script>globalThis.switchyardWorkers = {{}};</script>\n{workers}"),
    )
}

/// Puts an element at the end of the page's head.
pub(crate) fn add_to_head(html: &str, element: &str) -> Result<String> {
    let (before, after) = html
        .split_once("</head>")
        .context("the page has no </head>")?;
    Ok(format!("{before}{element}\n</head>{after}"))
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

/// The module script that imports the page's module, replaced by that itself; others are inline
/// already.
fn replace_module(html: &str, module: &str) -> Result<String> {
    let (before, rest) = html
        .split_once("<script type=\"module\">\nimport ")
        .context("Trunk's page has no script that imports its module")?;
    let (_, after) = rest
        .split_once("</script>")
        .context("the module script of Trunk's page has no end")?;
    ensure!(
        !html.contains("<script src="),
        "the page loads a script by its address, which xtask does not know how to inline"
    );
    Ok(format!("{before}{module}{after}"))
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

/// A worker's script and wasm, and the lines that make an address of them.
fn worker(dist: &Path, name: &str) -> Result<String> {
    let script = shell::read(&dist.join(format!("{name}.js")))?;
    let wasm = shell::read_bytes(&dist.join(format!("{name}_bg.wasm")))?;
    Ok(format!(
        "<script type=\"text/plain\" id=\"switchyard-{name}\">\n{}\nwasm_bindgen({{ module_or_path: \"{}\" }});\n</script>\n\
         <script>\n\
         globalThis.switchyardWorkers.{name} = URL.createObjectURL(new Blob(\n  \
         [document.getElementById(\"switchyard-{name}\").textContent],\n  \
         {{ type: \"text/javascript\" }},\n\
         ));\n\
         </script>\n",
        script_text(&script),
        data_address("application/wasm", &wasm)
    ))
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

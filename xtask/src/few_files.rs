//! The published page asks for few files: its style sheets are one, and so are its classic scripts. Each request takes a
//! turn on a slow line, and nothing is painted before the last style sheet has come. It is asked for first, and the page's
//! program next; the other scripts do not share the line with them.

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::{Context, Result};

use crate::shell;

const STYLE: &str = "<link rel=\"stylesheet\" href=\"";

/// `index`, a page that Trunk wrote into `dist`, with one style sheet and one classic script in place of many. Those are
/// removed.
pub(crate) fn merge(dist: &Path, index: &str) -> Result<String> {
    let html = merge_tags(dist, index, STYLE, ">", "css")?;
    let html = merge_tags(dist, &html, "<script src=\"", "></script>", "js")?;
    asked_for_first(&html)
}

/// The style sheet and the program are asked for before the script that runs at once: until that has come, a browser looks
/// for nothing else.
fn asked_for_first(html: &str) -> Result<String> {
    const PROGRAM: &str = "<link rel=\"preload\"";
    let style = html
        .split_once(STYLE)
        .context("the page has no style sheet")?;
    let (style, _) = style.1.split_once('"').context("an address has no end")?;
    let (before, after) = html
        .split_once(PROGRAM)
        .context("the page names no program")?;
    let (program, after) = after.split_once('>').context("a tag has no end")?;
    let rest = format!("{before}{after}");
    let (before, after) = rest
        .split_once("<script")
        .context("the page has no script")?;
    Ok(format!(
        "{before}<link rel=\"preload\" href=\"{style}\" as=\"style\">{PROGRAM}{program}><script{after}"
    ))
}

/// Every tag that begins and ends so becomes one, where the first stood and with all that they say; scripts that are no
/// `defer` stay.
fn merge_tags(dist: &Path, html: &str, begin: &str, end: &str, ending: &str) -> Result<String> {
    let mut parts = html.split(begin);
    let mut before = parts.next().unwrap_or_default().to_owned();
    let (mut after, mut said, mut content) = (String::new(), Vec::new(), String::new());
    for part in parts {
        let (address, rest) = part.split_once('"').context("an address has no end")?;
        let (attributes, rest) = rest.split_once(end).context("a tag has no end")?;
        let waits = begin.starts_with("<link") || attributes.contains("defer");
        if !waits {
            let stays = format!("{begin}{address}\"{attributes}{end}{rest}");
            let where_it_stood = if content.is_empty() {
                &mut before
            } else {
                &mut after
            };
            *where_it_stood += &stays;
        } else {
            let file = dist.join(address);
            content += &shell::read(&file)?;
            content.push('\n');
            std::fs::remove_file(&file).with_context(|| file.display().to_string())?;
            said.extend(attributes.split_whitespace().map(str::to_owned));
            after += rest;
        }
    }
    said.sort_unstable();
    said.dedup();
    let mut hasher = DefaultHasher::new();
    hasher.write(content.as_bytes());
    let name = format!("page-{:016x}.{ending}", hasher.finish());
    shell::write(&dist.join(&name), content)?;
    let said: String = said
        .iter()
        .map(|attribute| format!(" {attribute}"))
        .collect();
    before += &format!("{begin}./{name}\"{said}{end}");
    Ok(before + &after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_paints_is_asked_for_before_the_script_that_runs_at_once() {
        let html = "1<script src=\"a.js\"></script>2<link rel=\"stylesheet\" href=\"./b.css\">3<link rel=\"preload\" href=\"c.wasm\">4";
        let style = "<link rel=\"preload\" href=\"./b.css\" as=\"style\">";
        let program = "<link rel=\"preload\" href=\"c.wasm\">";
        assert_eq!(
            asked_for_first(html).expect("sound"),
            format!(
                "1{style}{program}<script src=\"a.js\"></script>2<link rel=\"stylesheet\" href=\"./b.css\">34"
            )
        );
        assert!(asked_for_first("<script></script>").is_err());
    }

    #[test]
    fn many_files_become_one_and_what_runs_at_once_stays() {
        let dist = std::env::temp_dir().join(format!("switchyard-few-{}", std::process::id()));
        std::fs::create_dir_all(&dist).expect("a folder");
        for name in ["a.js", "b.js", "c.js", "d.js"] {
            shell::write(&dist.join(name), format!("{name};")).expect("written");
        }
        let html = "0<script src=\"./d.js\"></script>1<script src=\"./a.js\" defer></script>2<script src=\"./b.js\" data-version=\"7\" defer></script>3<script src=\"./c.js\" type=\"module\"></script>4";
        let merged = merge_tags(&dist, html, "<script src=\"", "></script>", "js").expect("sound");
        let (name, rest) = merged
            .strip_prefix("0<script src=\"./d.js\"></script>1<script src=\"./")
            .and_then(|rest| rest.split_once('"'))
            .expect("one script");
        assert_eq!(
            rest,
            " data-version=\"7\" defer></script>23<script src=\"./c.js\" type=\"module\"></script>4"
        );
        let content = shell::read(&dist.join(name)).expect("it is there");
        assert_eq!(content, "a.js;\nb.js;\n");
        assert!(!dist.join("a.js").exists() && dist.join("c.js").exists());
        std::fs::remove_dir_all(&dist).expect("ours");
    }
}

//! Parts the page's program: what a visitor's first picture needs comes first (`parts.rs`, `static/rest.js`).
//!
//! Which functions those are is seen, not listed: a browser opens the page with a program that notes what is called, and
//! plays for some seconds (`xtask/first_picture.mjs`).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::setup::{self, Toolbox};
use crate::{parts, shell, workspace};

/// The page in `dist`, whose index is `html`, with its program in two parts. The index that names them, and tells their
/// lengths, is returned. Without a browser the program stays whole, which is said.
pub(crate) fn part(toolbox: &Toolbox, dist: &Path, html: &str) -> Result<String> {
    let [module, program] = [".js", "_bg.wasm"].map(|ending| address(html, ending));
    let (module, program) = (module?, program?);
    let wasm = shell::read_bytes(&dist.join(program))?;
    let Some(chromium) = setup::chromium() else {
        println!(
            "the page's program stays whole: no Chromium is on the PATH to see what its first picture needs"
        );
        return with_bytes(html, wasm.len(), 0);
    };
    let parts = parts::split(&wasm, &called(toolbox, &chromium, dist, program, &wasm)?)?;
    let script = awaiting(&shell::read(&dist.join(module))?, &parts.imports)?;
    for old in [module, program] {
        std::fs::remove_file(dist.join(old))?;
    }
    let write = |name: &str, content: &[u8], ending: &str| -> Result<String> {
        let mut hasher = DefaultHasher::new();
        hasher.write(content);
        let name = format!("{name}-{:016x}{ending}", hasher.finish());
        shell::write(&dist.join(&name), content)?;
        Ok(name)
    };
    let rest = write("rest", &parts.rest, ".wasm")?;
    let html = html
        .replace(module, &write("app", script.as_bytes(), ".js")?)
        .replace(program, &write("app", &parts.first, "_bg.wasm")?);
    let html = with_attribute(&html, "rest", "none", &format!("./{rest}"))?;
    with_bytes(&html, parts.first.len(), parts.rest.len())
}

/// The file of the program that ends so, by its name.
fn address<'a>(html: &'a str, ending: &str) -> Result<&'a str> {
    let addresses = html.split("href=\"./").skip(1);
    let names = addresses.filter_map(|part| part.split_once('"').map(|(name, _)| name));
    let mut ours = names.filter(|name| name.starts_with("app-") && name.ends_with(ending));
    ours.next()
        .with_context(|| format!("the page has no program that ends in {ending}"))
}

/// The functions of the program that a first picture calls, by number.
fn called(
    toolbox: &Toolbox,
    chromium: &Path,
    dist: &Path,
    program: &str,
    wasm: &[u8],
) -> Result<BTreeSet<u32>> {
    let folder = workspace::watched();
    std::fs::create_dir_all(&folder)?;
    let (watched, called) = (folder.join("watched.wasm"), folder.join("called.txt"));
    shell::write(&watched, parts::watched(wasm)?)?;
    shell::run(
        toolbox
            .command("node")?
            .arg(workspace::root().join("xtask/first_picture.mjs"))
            .args([chromium, dist, Path::new(program), &watched, &called]),
    )?;
    let called = shell::read(&called)?;
    let called = called
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<BTreeSet<u32>, _>>()?;
    ensure!(
        called.len() > 100,
        "a first picture that calls {} functions",
        called.len()
    );
    Ok(called)
}

/// wasm-bindgen's module, which tells `static/rest.js` of its program before that is there, with other names for what the
/// program imports.
fn awaiting(module: &str, imports: &BTreeMap<&str, &str>) -> Result<String> {
    const IMPORTS: &str = "    const imports = __wbg_get_imports();\n";
    ensure!(
        module.contains(IMPORTS),
        "wasm-bindgen's module makes its imports in another way than xtask knows"
    );
    let expected = format!("{IMPORTS}    switchyardRest.expect(imports, () => wasm);\n");
    let mut module = module.replace(IMPORTS, &expected);
    for (name, short) in imports {
        module = module.replace(&format!("{name}:"), &format!("{short}:"));
    }
    Ok(module)
}

/// How long the parts of the program are, for which visitors wait.
fn with_bytes(html: &str, first: usize, rest: usize) -> Result<String> {
    with_attribute(html, "bytes", "none", &format!("{first},{rest}"))
}

/// What one of the page's scripts is told by an attribute of its own.
fn with_attribute(html: &str, name: &str, old: &str, new: &str) -> Result<String> {
    let old = format!("data-{name}=\"{old}\"");
    let (before, after) = html
        .split_once(&old)
        .with_context(|| format!("none of the page's scripts has {old}"))?;
    Ok(format!("{before}data-{name}=\"{new}\"{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_by_its_name() {
        let html = "<link rel=\"modulepreload\" href=\"./app-1.js\"><link href=\"./page-2.css\"><link href=\"./app-1_bg.wasm\">";
        assert_eq!(address(html, ".js").expect("there"), "app-1.js");
        assert_eq!(address(html, "_bg.wasm").expect("there"), "app-1_bg.wasm");
        assert!(address(html, ".css").is_err());
    }

    #[test]
    fn the_module_tells_of_its_program() {
        let module = "async function a() {\n    const imports = __wbg_get_imports();\n    return b(imports);\n}\nlet all = {\n    fill_0a: function() {},\n};";
        let told = awaiting(module, &BTreeMap::from([("fill_0a", "fill")])).expect("known");
        assert!(told.contains(" fill: function() {}"));
        assert!(
            told.contains(
                "imports();\n    switchyardRest.expect(imports, () => wasm);\n    return"
            )
        );
        assert!(awaiting("const imports = {};", &BTreeMap::new()).is_err());
    }
}

//! `cargo xtask release`: what a release takes besides building (`docs/releasing.md`).
//!
//! - `check` holds the version that a tag names to every file that says one
//! - `repository` writes the repository's address into what each package says of itself, and licences and a README beside it
//! - `unpublished` asks the registry of crates which it does not have yet
//! - `archive` packs the command line tool for a system, with its completions and man pages

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::{notices, shell, workspace};

/// What a release takes.
#[derive(Subcommand)]
pub(crate) enum Step {
    /// Hold a tag's version to Cargo.toml, package.json, CITATION.cff and CHANGELOG.md
    Check {
        /// Such as v0.1.0
        tag: String,
    },
    /// Write the repository's address, the licences and a README into all packages
    Repository {
        /// Such as https://example.org/switchyard
        address: String,
    },
    /// Print `--package NAME` for each crate that the registry does not have in this version
    Unpublished,
    /// Pack the command line tool, built for a target, into target/archives/
    Archive {
        /// The target: target/TARGET/dist/ has the program
        target: String,
        /// A target whose program runs here and writes completions and man pages, where that one's does not
        #[arg(long, value_name = "TARGET")]
        by: Option<String>,
    },
}

/// Does it.
pub(crate) fn release(step: &Step) -> Result<()> {
    match step {
        Step::Check { tag } => check(tag),
        Step::Repository { address } => repository(address),
        Step::Unpublished => unpublished(),
        Step::Archive { target, by } => archive(target, by.as_deref().unwrap_or(target)),
    }
}

/// The version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a file says the version is, between these two texts.
const SAID: [(&str, &str, &str); 3] = [
    ("module/package.json", "\"version\": \"", "\""),
    ("CITATION.cff", "\nversion: ", "\n"),
    ("CHANGELOG.md", "\n## ", " "),
];

fn check(tag: &str) -> Result<()> {
    ensure!(
        tag.strip_prefix('v') == Some(VERSION),
        "the tag is {tag}, and Cargo.toml says {VERSION}: a release has the tag v{VERSION}"
    );
    check_files()?;
    has_a_day(&shell::read(&workspace::root().join("CHANGELOG.md"))?)?;
    println!("all files say {VERSION}");
    Ok(())
}

/// Holds every file that says a version to Cargo.toml's.
pub(crate) fn check_files() -> Result<()> {
    for (file, before, after) in SAID {
        let text = shell::read(&workspace::root().join(file))?;
        is_of_this_version(file, &text, before, after)?;
    }
    Ok(())
}

fn is_of_this_version(file: &str, text: &str, before: &str, after: &str) -> Result<()> {
    let (_, rest) = text
        .split_once(before)
        .with_context(|| format!("{file} says no version"))?;
    let (version, _) = rest.split_once(after).unwrap_or((rest, ""));
    ensure!(
        version == VERSION,
        "{file} says {version}, and Cargo.toml {VERSION}: make them the same"
    );
    Ok(())
}

/// Whether the newest heading of the list of changes says when that was released.
fn has_a_day(changes: &str) -> Result<()> {
    let (_, heading) = changes
        .split_once("\n## ")
        .context("CHANGELOG.md has no heading")?;
    let heading = heading.lines().next().unwrap_or_default();
    let day = heading.strip_prefix(VERSION).unwrap_or_default();
    let parts: Vec<usize> = day.trim().split('-').map(str::len).collect();
    ensure!(
        parts == [4, 2, 2] && day.chars().all(|c| " -".contains(c) || c.is_ascii_digit()),
        "CHANGELOG.md says {heading:?}: a release has its day there, as in \"{VERSION} 2026-01-31\""
    );
    Ok(())
}

/// The licences' texts.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What all packages of the workspace share, where the address goes.
const LICENCE: &str = "license = \"MIT OR Apache-2.0\"\n";

/// Where the Python package says which of its files are licences.
const PYTHON_LICENCES: &str = "license-files = [\"LICENSE-MIT\", \"LICENSE-APACHE\"";

/// What says of a crate that it is not published.
const PRIVATE: &str = "\npublish = false\n";

fn repository(address: &str) -> Result<()> {
    ensure!(
        address.starts_with("https://") && !address.contains(['"', '\n', ' ']),
        "{address} is no address that begins with https://"
    );
    let root = workspace::root();
    let edit = |file: &str, change: &dyn Fn(&str) -> Result<String>| -> Result<()> {
        let path = root.join(file);
        let text = change(&shell::read(&path)?).with_context(|| file.to_owned())?;
        shell::write(&path, text)
    };
    edit("Cargo.toml", &|text| {
        after(text, LICENCE, &format!("repository = \"{address}\"\n"))
    })?;
    for manifest in manifests()? {
        edit(&manifest, &|text| {
            after(
                text,
                "license.workspace = true\n",
                "repository.workspace = true\n",
            )
        })?;
        // A package holds files of its own folder alone.
        let file = root.join(&manifest);
        for licence in LICENCES {
            let text = shell::read_bytes(&root.join(licence))?;
            shell::write(&file.with_file_name(licence), text)?;
        }
        let (readme, text) = (file.with_file_name("README.md"), shell::read(&file)?);
        if readme.exists() {
            shell::write(&readme, linked(&shell::read(&readme)?, address))?;
        } else if !text.contains(PRIVATE) {
            let written = readme_of(&text, address).with_context(|| manifest.clone())?;
            shell::write(&readme, written)?;
        }
    }
    edit("python/pyproject.toml", &|text| {
        let urls = format!(
            "[project.urls]\nRepository = \"{address}\"\nChangelog = \"{address}/blob/main/CHANGELOG.md\"\n\n"
        );
        let text = before(text, "[tool.maturin]\n", &urls)?;
        after(&text, PYTHON_LICENCES, &format!(", \"{}\"", notices::FILE))
    })?;
    let notices = notices::of(notices::PYTHON, "This package", None)?;
    shell::write(&root.join("python").join(notices::FILE), notices)?;
    edit("module/package.json", &|text| {
        let repository = format!(
            "  \"repository\": {{ \"type\": \"git\", \"url\": \"git+{address}.git\", \"directory\": \"module\" }},\n"
        );
        before(text, "  \"engines\": {", &repository)
    })?;
    edit("CITATION.cff", &|text| {
        before(
            text,
            "license:\n",
            &format!("repository-code: \"{address}\"\n"),
        )
    })?;
    println!("all packages name {address}");
    Ok(())
}

/// A README whose links into the checkout lead into the repository, from wherever its package is read.
fn linked(readme: &str, address: &str) -> String {
    readme.replace("](../", &format!("]({address}/blob/v{VERSION}/"))
}

/// The README of a crate that has none of its own: what its manifest says, and what it is a part of.
fn readme_of(manifest: &str, address: &str) -> Result<String> {
    let (name, description) = (field(manifest, "name")?, field(manifest, "description")?);
    Ok(format!(
        "# {name}\n\n{description}.\n\nIt is a part of [Switchyard]({address}), a sandbox for GPU-cluster scheduling. \
         Its interface may change with every version.\n"
    ))
}

fn unpublished() -> Result<()> {
    for manifest in manifests()? {
        let text = shell::read(&workspace::root().join(&manifest))?;
        if text.contains(PRIVATE) {
            continue;
        }
        let name = field(&text, "name").with_context(|| manifest.clone())?;
        let mut ask = shell::command("cargo");
        ask.args(["info", "--quiet", "--registry", "crates-io"])
            .arg(format!("{name}@{VERSION}"));
        let answer = ask.output().context("cannot start cargo")?;
        if !is_there(
            answer.status.success(),
            &String::from_utf8_lossy(&answer.stderr),
        )? {
            println!("--package {name}");
        }
    }
    Ok(())
}

/// Whether the registry has a crate, by what cargo says of it.
fn is_there(is_found: bool, said: &str) -> Result<bool> {
    ensure!(
        is_found || said.contains("could not find `"),
        "the registry of crates does not answer: {said}"
    );
    Ok(is_found)
}

/// What a manifest says of its package.
fn field<'a>(manifest: &'a str, name: &str) -> Result<&'a str> {
    let (_, rest) = manifest
        .split_once(&format!("\n{name} = \""))
        .with_context(|| format!("it has no {name}"))?;
    let (text, _) = rest.split_once('"').context("a text does not end")?;
    Ok(text)
}

/// The members' manifests, from the root.
fn manifests() -> Result<Vec<String>> {
    let text = shell::read(&workspace::root().join("Cargo.toml"))?;
    let (_, members) = text
        .split_once("\nmembers = [")
        .context("Cargo.toml names no members")?;
    let (members, _) = members.split_once(']').context("they do not end")?;
    Ok(members
        .split(',')
        .map(|member| format!("{}/Cargo.toml", member.trim().trim_matches('"')))
        .collect())
}

/// A text with more behind the first occurrence of a part of it; where that stands there already, as it is.
fn after(text: &str, part: &str, more: &str) -> Result<String> {
    let (head, tail) = text
        .split_once(part)
        .with_context(|| format!("there is no {part:?}"))?;
    Ok(match tail.starts_with(more) {
        true => text.to_owned(),
        false => format!("{head}{part}{more}{tail}"),
    })
}

/// The same, before it.
fn before(text: &str, part: &str, more: &str) -> Result<String> {
    let (head, tail) = text
        .split_once(part)
        .with_context(|| format!("there is no {part:?}"))?;
    Ok(match head.ends_with(more) {
        true => text.to_owned(),
        false => format!("{head}{more}{part}{tail}"),
    })
}

/// The shells whose completions an archive has, and their files.
const SHELLS: [(&str, &str); 4] = [
    ("bash", "switchyard.bash"),
    ("zsh", "_switchyard"),
    ("fish", "switchyard.fish"),
    ("powershell", "_switchyard.ps1"),
];

/// What else lies in it, from the root.
const FILES: [&str; 4] = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "CHANGELOG.md",
    "cli/README.md",
];

/// How the program is built.
const PROFILE: &str = "dist";

/// The program of a target.
fn program(target: &str) -> &'static str {
    match target.contains("windows") {
        true => "switchyard.exe",
        false => "switchyard",
    }
}

/// Where it is built.
fn built(target: &str) -> PathBuf {
    let folder = workspace::root().join("target").join(target);
    folder.join(PROFILE).join(program(target))
}

/// The folder that an archive holds, and by which it is called.
fn folder_of(target: &str) -> String {
    format!("switchyard-v{VERSION}-{target}")
}

/// The archive's file.
fn archive_of(target: &str) -> String {
    format!("{}.tar.gz", folder_of(target))
}

fn archive(target: &str, by: &str) -> Result<()> {
    let root = workspace::root();
    let built_here = built(target);
    let name = folder_of(target);
    let archives = root.join("target/archives");
    let folder = archives.join(&name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    for part in ["completions", "man"] {
        std::fs::create_dir_all(folder.join(part))?;
    }
    std::fs::copy(&built_here, folder.join(program(target)))
        .with_context(|| format!("cannot copy {}: is it built?", built_here.display()))?;
    for file in FILES {
        let from = root.join(file);
        let name = from.file_name().context("a file without a name")?;
        std::fs::copy(&from, folder.join(name)).context(file)?;
    }
    let notices = notices::of(notices::PROGRAM, "This program", Some(target))?;
    shell::write(&folder.join(notices::FILE), notices)?;
    let writer = built(by);
    for (of, file) in SHELLS {
        let script = shell::output(shell::command(&writer).args(["completions", of]))?;
        shell::write(&folder.join("completions").join(file), script + "\n")?;
    }
    shell::run(shell::command(&writer).arg("man").arg(folder.join("man")))?;
    let file = archive_of(target);
    shell::run(
        shell::command("tar")
            .current_dir(&archives)
            .args(["-czf", &file, &name]),
    )?;
    std::fs::remove_dir_all(&folder)?;
    println!("packed {}", archives.join(file).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_says_the_same_version() -> Result<()> {
        check_files()
    }

    #[test]
    fn a_release_has_a_day() {
        let changes = |day| format!("# Changes\n\n## {VERSION}{day}\n\n- New.\n");
        assert!(has_a_day(&changes(" 2026-01-31")).is_ok());
        for day in ["", " (not released yet)", " 31-01-2026", " 2026-Ja-31"] {
            let said = has_a_day(&changes(day)).expect_err(day).to_string();
            assert!(said.contains("a release has its day there"), "{said}");
        }
    }

    #[test]
    fn another_version_is_refused_by_file_and_number() {
        let refused = |tag| check(tag).expect_err(tag).to_string();
        assert!(refused("v9.9.9").contains("the tag is v9.9.9"));
        assert!(refused(VERSION).contains(&format!("has the tag v{VERSION}")));
        let said = is_of_this_version("CITATION.cff", "a\nversion: 9.9.9\nb", "\nversion: ", "\n");
        let said = said.expect_err("another version").to_string();
        assert!(said.starts_with("CITATION.cff says 9.9.9"), "{said}");
        assert!(is_of_this_version("CHANGELOG.md", "# Changes", "\n## ", " ").is_err());
    }

    #[test]
    fn an_address_is_written_once() -> Result<()> {
        let text = "license.workspace = true\npublish = false\n";
        let once = after(
            text,
            "license.workspace = true\n",
            "repository.workspace = true\n",
        )?;
        assert_eq!(
            once,
            "license.workspace = true\nrepository.workspace = true\npublish = false\n"
        );
        assert_eq!(
            after(
                &once,
                "license.workspace = true\n",
                "repository.workspace = true\n"
            )?,
            once
        );
        assert!(after(text, "nothing", "more").is_err());
        assert_eq!(before("a [b]", "[b]", "x ")?, "a x [b]");
        assert_eq!(before("a x [b]", "[b]", "x ")?, "a x [b]");
        Ok(())
    }

    #[test]
    fn all_members_have_a_licence_behind_which_an_address_goes() -> Result<()> {
        for manifest in manifests()? {
            let text = shell::read(&workspace::root().join(&manifest))?;
            assert!(text.contains("license.workspace = true\n"), "{manifest}");
        }
        Ok(())
    }

    #[test]
    fn a_readme_leads_into_the_repository() -> Result<()> {
        let at = "https://example.org/switchyard";
        assert_eq!(
            linked("[a](../docs/a.md#b), [c](#d)", at),
            format!("[a]({at}/blob/v{VERSION}/docs/a.md#b), [c](#d)")
        );
        let manifest = "[package]\nname = \"a\"\ndescription = \"What it is\"\n";
        assert!(readme_of(manifest, at)?.starts_with("# a\n\nWhat it is.\n\n"));
        assert!(readme_of("[package]\nname = \"a\"\n", at).is_err());
        Ok(())
    }

    #[test]
    fn a_registry_that_does_not_answer_is_no_registry_without_a_crate() -> Result<()> {
        assert!(is_there(true, "")?);
        assert!(!is_there(
            false,
            "error: could not find `a@0.1.0` in registry `b`"
        )?);
        let said = is_there(false, "error: failed to query").expect_err("it does not know");
        assert!(said.to_string().contains("failed to query"), "{said}");
        Ok(())
    }

    #[test]
    fn the_workflow_builds_with_the_profile_that_is_packed() -> Result<()> {
        let read = |file: &str| shell::read(&workspace::root().join(file));
        let workflow = read(".github/workflows/release.yml")?;
        let builds = ["cargo build ", "cargo zigbuild ", "maturin build "];
        for build in builds {
            let lines: Vec<&str> = workflow.lines().filter(|l| l.contains(build)).collect();
            assert!(!lines.is_empty(), "{build}");
            for line in lines {
                assert!(line.contains(&format!(" --profile {PROFILE} ")), "{line}");
            }
        }
        assert!(read("Cargo.toml")?.contains(&format!("\n[profile.{PROFILE}]\n")));
        Ok(())
    }

    #[test]
    fn the_site_lists_what_each_bundle_is_made_of() -> Result<()> {
        let workflow = shell::read(&workspace::root().join(".github/workflows/release.yml"))?;
        let bundles = workspace::BUNDLES.map(|bundle| bundle.name).join(" ");
        assert!(
            workflow.contains(&format!("for bundle in {bundles}; do")),
            "{bundles}"
        );
        Ok(())
    }

    #[test]
    fn binstall_finds_what_is_packed() -> Result<()> {
        let manifest = shell::read(&workspace::root().join("cli/Cargo.toml"))?;
        for (target, end) in [
            ("x86_64-unknown-linux-gnu", ""),
            ("x86_64-pc-windows-msvc", ".exe"),
        ] {
            let said = |name: &str| -> Result<String> {
                let known = [
                    ("{ repo }", "REPO"),
                    ("{ version }", VERSION),
                    ("{ target }", target),
                    ("{ archive-suffix }", ".tar.gz"),
                    ("{ bin }", "switchyard"),
                    ("{ binary-ext }", end),
                ];
                let fill = |text: String, (from, to)| text.replace(from, to);
                Ok(known
                    .into_iter()
                    .fold(field(&manifest, name)?.to_owned(), fill))
            };
            assert_eq!(said("pkg-fmt")?, "tgz");
            assert_eq!(
                said("pkg-url")?,
                format!("REPO/releases/download/v{VERSION}/{}", archive_of(target))
            );
            assert_eq!(
                said("bin-dir")?,
                format!("{}/{}", folder_of(target), program(target))
            );
        }
        Ok(())
    }
}

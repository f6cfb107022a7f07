//! `cargo xtask release`: what a release takes besides building (`docs/releasing.md`).
//!
//! - `check` holds the version that a tag names to every file that says one
//! - `repository` writes the repository's address into what each package says of itself, and the licences beside it
//! - `archive` packs the command line tool for a system, with its completions and man pages

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::{shell, workspace};

/// What a release takes.
#[derive(Subcommand)]
pub(crate) enum Step {
    /// Hold a tag's version to Cargo.toml, package.json, CITATION.cff and CHANGELOG.md
    Check {
        /// Such as v0.1.0
        tag: String,
    },
    /// Write the repository's address and the licences into all packages
    Repository {
        /// Such as https://example.org/switchyard
        address: String,
    },
    /// Pack the command line tool, built for a target, into target/archives/
    Archive {
        /// The target: target/TARGET/dist/ has the program
        target: String,
        /// A program that runs here and writes completions and man pages, where that one does not
        #[arg(long, value_name = "PROGRAM")]
        by: Option<PathBuf>,
    },
}

/// Does it.
pub(crate) fn release(step: &Step) -> Result<()> {
    match step {
        Step::Check { tag } => check(tag),
        Step::Repository { address } => repository(address),
        Step::Archive { target, by } => archive(target, by.as_deref()),
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

/// The licences' texts.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What all packages of the workspace share, where the address goes.
const LICENCE: &str = "license = \"MIT OR Apache-2.0\"\n";

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
        let folder = root.join(&manifest);
        for licence in LICENCES {
            let text = shell::read_bytes(&root.join(licence))?;
            shell::write(&folder.with_file_name(licence), text)?;
        }
    }
    edit("python/pyproject.toml", &|text| {
        let urls = format!(
            "[project.urls]\nRepository = \"{address}\"\nChangelog = \"{address}/blob/main/CHANGELOG.md\"\n\n"
        );
        before(text, "[tool.maturin]\n", &urls)
    })?;
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
const FILES: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "CHANGELOG.md", "README.md"];

fn archive(target: &str, by: Option<&Path>) -> Result<()> {
    let root = workspace::root();
    let program = match target.contains("windows") {
        true => "switchyard.exe",
        false => "switchyard",
    };
    let built = root.join("target").join(target).join("dist").join(program);
    let name = format!("switchyard-v{VERSION}-{target}");
    let archives = root.join("target/archives");
    let folder = archives.join(&name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    for part in ["completions", "man"] {
        std::fs::create_dir_all(folder.join(part))?;
    }
    std::fs::copy(&built, folder.join(program))
        .with_context(|| format!("cannot copy {}: is it built?", built.display()))?;
    for file in FILES {
        std::fs::copy(root.join(file), folder.join(file)).context(file)?;
    }
    let writer = by.unwrap_or(&built);
    for (of, file) in SHELLS {
        let script = shell::output(shell::command(writer).args(["completions", of]))?;
        shell::write(&folder.join("completions").join(file), script + "\n")?;
    }
    shell::run(shell::command(writer).arg("man").arg(folder.join("man")))?;
    let file = format!("{name}.tar.gz");
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
        check(&format!("v{VERSION}"))
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
}

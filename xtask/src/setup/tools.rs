//! The command line tools: their versions, and how each is installed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::tools_dir;
use crate::{shell, workspace};

/// 0.22 needs a newer Rust than the workspace asks for.
const TRUNK: &str = "0.21.14";
const NEXTEST: &str = "0.9.143";
const DENY: &str = "0.20.2";
/// The same version stands in Trunk.toml, or Trunk would fetch another.
const BINARYEN: &str = "132.0.0";

/// What makes a tool quick to compile. All of them work for seconds: optimising them took minutes.
const UNOPTIMISED: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_STRIP", "true"),
];

/// A tool of one version.
pub(super) struct Tool {
    /// The package it comes in.
    package: &'static str,
    version: String,
    /// The program that shows whether it is there, and what it says of its version.
    program: &'static str,
    says: String,
    source: Source,
    /// Where its authors' own builds are.
    release: Option<Release>,
}

/// An archive that a tool's authors built, as `.tar.gz`.
struct Release {
    /// Its address, with `{version}` and `{target}` in it.
    address: &'static str,
    /// The target on Linux behind the processor's name.
    linux: &'static str,
    /// How many folders its programs lie in.
    depth: u8,
}

impl Release {
    /// The address for this machine, where there is a build for it.
    fn address(&self, version: &str) -> Option<String> {
        let system = match std::env::consts::OS {
            "linux" => self.linux,
            "macos" => "apple-darwin",
            _ => return None,
        };
        let target = match std::env::consts::ARCH {
            arch @ ("x86_64" | "aarch64") => format!("{arch}-{system}"),
            _ => return None,
        };
        Some(
            self.address
                .replace("{version}", version)
                .replace("{target}", &target),
        )
    }
}

enum Source {
    /// A crate, with these of its features alone.
    Crate { features: &'static str },
    /// A crate, by way of a package of ours that locks what it is made of, in this folder.
    Locked { folder: &'static str },
    /// A Node package.
    Npm,
}

pub(super) fn trunk() -> Tool {
    Tool {
        package: "trunk",
        version: TRUNK.to_owned(),
        program: "trunk",
        says: format!("trunk {TRUNK}"),
        // Without TLS: it has nothing to fetch.
        source: Source::Crate { features: "" },
        release: Some(Release {
            address: "https://github.com/trunk-rs/trunk/releases/download/v{version}/trunk-{target}.tar.gz",
            linux: "unknown-linux-gnu",
            depth: 0,
        }),
    }
}

/// Must be of exactly the version of the library.
pub(super) fn wasm_bindgen() -> Result<Tool> {
    let version = workspace::locked_version("wasm-bindgen")?;
    Ok(Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen-test-runner",
        says: format!("wasm-bindgen-test-runner {version}"),
        version,
        source: Source::Locked {
            folder: "xtask/bindgen",
        },
        release: Some(Release {
            address: "https://github.com/wasm-bindgen/wasm-bindgen/releases/download/{version}/wasm-bindgen-{version}-{target}.tar.gz",
            linux: "unknown-linux-musl",
            depth: 1,
        }),
    })
}

pub(super) fn nextest() -> Tool {
    Tool {
        package: "cargo-nextest",
        version: NEXTEST.to_owned(),
        program: "cargo-nextest",
        // Any version will do.
        says: "cargo-nextest".to_owned(),
        source: Source::Crate {
            features: "default-no-update",
        },
        release: Some(Release {
            address: "https://get.nexte.st/{version}/{target}.tar.gz",
            linux: "unknown-linux-gnu",
            depth: 0,
        }),
    }
}

pub(super) fn deny() -> Tool {
    Tool {
        package: "cargo-deny",
        version: DENY.to_owned(),
        program: "cargo-deny",
        says: format!("cargo-deny {DENY}"),
        source: Source::Crate { features: "" },
        release: Some(Release {
            address: "https://github.com/EmbarkStudios/cargo-deny/releases/download/{version}/cargo-deny-{version}-{target}.tar.gz",
            linux: "unknown-linux-musl",
            depth: 1,
        }),
    }
}

pub(super) fn wasm_opt() -> Tool {
    Tool {
        package: "binaryen",
        version: BINARYEN.to_owned(),
        program: "wasm-opt",
        says: format!("wasm-opt version {}", BINARYEN.trim_end_matches(".0.0")),
        source: Source::Npm,
        release: None,
    }
}

impl Tool {
    /// The folder where the tool's programs lie, after installing them if need be; none where they
    /// are on the `PATH` already.
    pub(super) fn ensure(&self) -> Result<Option<PathBuf>> {
        let home = self.home()?;
        if self.is_installed(&home) {
            return Ok(Some(self.programs(&home)));
        }
        if self.is_on_path() {
            return Ok(None);
        }
        match self.source {
            Source::Npm => self.install_npm(&home)?,
            _ if self.install_prebuilt(&home) || self.fetch(&home) => {}
            Source::Locked { folder } => self.compile(&home, &["--path", folder])?,
            Source::Crate { features } => self.compile(
                &home,
                &[
                    self.package,
                    "--version",
                    &self.version,
                    "--no-default-features",
                    "--features",
                    features,
                ],
            )?,
        }
        Ok(Some(self.programs(&home)))
    }

    /// Whether it has to be installed first.
    pub(super) fn is_missing(&self) -> Result<bool> {
        Ok(!self.is_installed(&self.home()?) && !self.is_on_path())
    }

    fn home(&self) -> Result<PathBuf> {
        Ok(tools_dir()?.join(format!("{}-{}", self.package, self.version)))
    }

    fn programs(&self, home: &Path) -> PathBuf {
        home.join(match self.source {
            Source::Crate { .. } | Source::Locked { .. } => "bin",
            Source::Npm => "node_modules/.bin",
        })
    }

    fn is_installed(&self, home: &Path) -> bool {
        self.programs(home).join(self.program).is_file()
    }

    /// Whether it is there by other means, in the right version.
    fn is_on_path(&self) -> bool {
        shell::find(&[self.program]).is_some_and(|program| self.is_this(&program))
    }

    /// Whether a program says that it is of this version.
    fn is_this(&self, program: &Path) -> bool {
        shell::output(shell::command(program).arg("--version"))
            .is_ok_and(|version| version.starts_with(&self.says))
    }

    /// Fetches what its authors have compiled, where cargo-binstall is at hand to do it.
    fn install_prebuilt(&self, home: &Path) -> bool {
        if shell::find(&["cargo-binstall"]).is_none() {
            return false;
        }
        let package = format!("{}@{}", self.package, self.version);
        println!("setup: fetching {package} with cargo-binstall");
        let fetched = shell::run_within(
            Duration::from_secs(120),
            shell::command("cargo-binstall")
                .args(["--no-confirm", "--disable-strategies", "compile", "--root"])
                .arg(home)
                .arg(package),
        );
        if let Err(error) = &fetched {
            eprintln!("setup: {error:#}");
        }
        fetched.is_ok() && self.is_installed(home)
    }

    /// Fetches what its authors have compiled, without another tool's help. Where there is no such build, or no way to
    /// it, or it does not run here, it is compiled.
    fn fetch(&self, home: &Path) -> bool {
        let Some((release, address)) = self
            .release
            .as_ref()
            .and_then(|release| Some((release, release.address(&self.version)?)))
        else {
            return false;
        };
        if shell::find(&["curl"]).is_none() {
            return false;
        }
        println!("setup: fetching {address}");
        let archive = home.with_extension("tar.gz");
        let fetched = shell::run_within(
            Duration::from_secs(120),
            shell::command("curl")
                .args(["--proto", "=https", "--fail", "--location", "--silent"])
                .args(["--show-error", "--connect-timeout", "10", "--output"])
                .arg(&archive)
                .arg(&address),
        )
        .and_then(|()| self.unpack(&archive, release.depth, home));
        if let Err(error) = &fetched {
            eprintln!("setup: {error:#}. It is compiled instead");
        }
        // What is left of an archive is of no use to anybody.
        let _ = std::fs::remove_file(&archive);
        fetched.is_ok()
    }

    /// Takes the programs out of an archive, if they are of this version and run.
    fn unpack(&self, archive: &Path, depth: u8, home: &Path) -> Result<()> {
        let partial = home.with_extension("partial");
        if partial.exists() {
            std::fs::remove_dir_all(&partial)?;
        }
        let programs = partial.join("bin");
        std::fs::create_dir_all(&programs)?;
        shell::run(
            shell::command("tar")
                .arg("-xzf")
                .arg(archive)
                .arg("-C")
                .arg(&programs)
                .arg(format!("--strip-components={depth}")),
        )?;
        if !self.is_this(&programs.join(self.program)) {
            std::fs::remove_dir_all(&partial)?;
            bail!("{} of that archive is no {}", self.program, self.says);
        }
        std::fs::rename(&partial, home)
            .with_context(|| format!("cannot move {} to {}", self.package, home.display()))
    }

    /// Compiles what the arguments of `cargo install` name.
    fn compile(&self, home: &Path, what: &[&str]) -> Result<()> {
        println!("setup: compiling {} {}", self.package, self.version);
        let built = home.with_extension("build");
        shell::run(
            shell::command("cargo")
                .args(["install", "--locked"])
                .args(what)
                .arg("--root")
                .arg(home)
                .arg("--target-dir")
                .arg(&built)
                .envs(UNOPTIMISED),
        )?;
        std::fs::remove_dir_all(&built)
            .with_context(|| format!("cannot remove {}", built.display()))
    }

    /// Installs beside its final place first, so that what lies there is always whole.
    fn install_npm(&self, home: &Path) -> Result<()> {
        let package = format!("{}@{}", self.package, self.version);
        println!("setup: installing {package} into {}", home.display());
        let partial = home.with_extension("partial");
        if partial.exists() {
            std::fs::remove_dir_all(&partial)?;
        }
        std::fs::create_dir_all(&partial)?;
        shell::run(
            shell::command("npm")
                .args(["install", "--silent", "--ignore-scripts", "--no-save"])
                .arg("--prefix")
                .arg(&partial)
                .arg(&package),
        )?;
        std::fs::rename(&partial, home)
            .with_context(|| format!("cannot move {package} to {}", home.display()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// An archive of a program that says this of its version, in a folder, and where it is to be installed.
    fn archive(name: &str, says: &str) -> Result<(PathBuf, PathBuf)> {
        let folder = std::env::temp_dir().join(format!("switchyard-{name}-{}", std::process::id()));
        let inner = folder.join("of-a-release");
        std::fs::create_dir_all(&inner)?;
        let program = inner.join("wasm-bindgen-test-runner");
        shell::write(&program, format!("#!/bin/sh\necho '{says}'\n"))?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        let archive = folder.join("tool.tar.gz");
        let mut pack = shell::command("tar");
        pack.current_dir(&folder)
            .arg("-czf")
            .arg(&archive)
            .arg("of-a-release");
        shell::run(&mut pack)?;
        Ok((archive, folder.join("home")))
    }

    #[test]
    fn a_release_of_this_version_is_installed() -> Result<()> {
        let tool = wasm_bindgen()?;
        let (archive, home) = archive("right", &tool.says)?;
        tool.unpack(&archive, 1, &home)?;
        assert!(tool.is_installed(&home));
        assert!(!home.with_extension("partial").exists());
        Ok(())
    }

    #[test]
    fn one_of_another_version_leaves_nothing() -> Result<()> {
        let tool = wasm_bindgen()?;
        let (archive, home) = archive("wrong", "wasm-bindgen-test-runner 0.0.1")?;
        let refused = tool.unpack(&archive, 1, &home).expect_err("it is another");
        assert!(
            refused
                .to_string()
                .contains("is no wasm-bindgen-test-runner")
        );
        assert!(!home.exists() && !home.with_extension("partial").exists());
        Ok(())
    }

    #[test]
    fn addresses_have_no_gaps() -> Result<()> {
        for tool in [trunk(), wasm_bindgen()?, nextest(), deny()] {
            let release = tool.release.as_ref().context("it has one")?;
            if let Some(address) = release.address(&tool.version) {
                assert!(
                    address.contains(&tool.version) && !address.contains('{'),
                    "{address}"
                );
            }
        }
        Ok(())
    }
}

//! Rust's standard library for wasm32-unknown-unknown.
//!
//! Where rustup can fetch it there is nothing more to it. Where it cannot, Debian and Ubuntu
//! package a second compiler (`rustc-web`) together with the sources of its standard library: from
//! those we build the library once, and lay out a toolchain of our own around it.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::packages::apt_install;
use super::tools_dir;
use crate::{shell, workspace};

const TARGET: &str = "wasm32-unknown-unknown";

/// Which toolchain builds for wasm.
#[derive(Clone, Default)]
pub(super) enum WasmStd {
    /// The one in use has the library.
    #[default]
    InUse,
    /// One of ours, in this folder, has it.
    OwnToolchain(PathBuf),
}

impl Display for WasmStd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => write!(f, "in the toolchain in use"),
            Self::OwnToolchain(folder) => write!(f, "in {}", folder.display()),
        }
    }
}

/// Where it is, if it is there.
fn find(sysroot: &Path) -> Result<Option<WasmStd>> {
    if has_std(sysroot) {
        return Ok(Some(WasmStd::InUse));
    }
    let own = OwnToolchain::new()?;
    Ok(own.is_ready().then_some(WasmStd::OwnToolchain(own.home)))
}

pub(super) fn is_missing() -> Result<bool> {
    Ok(find(&sysroot_in_use()?)?.is_none())
}

/// Finds the library, after fetching or building it if need be.
pub(super) fn ensure() -> Result<WasmStd> {
    let sysroot = sysroot_in_use()?;
    if let Some(found) = find(&sysroot)? {
        return Ok(found);
    }
    println!("setup: fetching {TARGET} with rustup");
    let fetched = shell::run_within(
        Duration::from_secs(180),
        shell::command("rustup").args(["target", "add", TARGET]),
    );
    match fetched {
        Ok(()) if has_std(&sysroot) => return Ok(WasmStd::InUse),
        Ok(()) => {
            eprintln!("setup: rustup fetched {TARGET} for another toolchain than the one in use")
        }
        Err(error) => eprintln!("setup: {error:#}"),
    }
    let own = OwnToolchain::new()?;
    own.build(&sysroot)?;
    Ok(WasmStd::OwnToolchain(own.home))
}

fn sysroot_in_use() -> Result<PathBuf> {
    shell::output(shell::command("rustc").args(["--print", "sysroot"])).map(PathBuf::from)
}

fn has_std(sysroot: &Path) -> bool {
    libraries(sysroot).is_dir()
}

/// Where a toolchain keeps the libraries for wasm.
fn libraries(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

/// A toolchain of our own: the system's compiler with a standard library for wasm beside it.
struct OwnToolchain {
    home: PathBuf,
}

impl OwnToolchain {
    fn new() -> Result<Self> {
        Ok(Self {
            home: tools_dir()?.join("wasm-toolchain"),
        })
    }

    /// Built, and by the very compiler that the system has now.
    fn is_ready(&self) -> bool {
        let built_by = std::fs::read_to_string(self.built_by()).ok();
        built_by.is_some() && built_by == system_rustc(&["-vV"]).ok()
    }

    /// The file that says which compiler built it. Written last, so that it vouches for the rest.
    fn built_by(&self) -> PathBuf {
        self.home.join("built-by")
    }

    fn build(&self, rustup_sysroot: &Path) -> Result<()> {
        install_system_compiler()?;
        let version = system_rustc(&["-vV"])?;
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .context("`rustc -vV` names no host")?;
        if self.home.exists() {
            std::fs::remove_dir_all(&self.home)
                .with_context(|| format!("cannot clear {}", self.home.display()))?;
        }
        self.lay_out(host, rustup_sysroot)?;
        self.build_std()?;
        // Cargo does not notice another standard library of the same version.
        let stale = workspace::wasm_target_dir();
        if stale.exists() {
            std::fs::remove_dir_all(&stale)
                .with_context(|| format!("cannot clear {}", stale.display()))?;
        }
        shell::write(&self.built_by(), &version)
    }

    /// The compiler's programs and libraries, wrapped and linked.
    fn lay_out(&self, host: &str, rustup_sysroot: &Path) -> Result<()> {
        let bin = self.home.join("bin");
        let rustlib = self.home.join("lib/rustlib");
        let system = PathBuf::from(system_rustc(&["--print", "sysroot"])?).join("lib/rustlib");
        std::fs::create_dir_all(&bin)?;
        std::fs::create_dir_all(rustlib.join(host).join("bin"))?;
        std::fs::create_dir_all(libraries(&self.home))?;

        for program in ["cargo", "cargo-clippy", "clippy-driver"] {
            link(&Path::new("/usr/bin").join(program), &bin.join(program))?;
        }
        let rustc = format!(
            "#!/bin/sh\nexec /usr/bin/rustc --sysroot '{}' \"$@\"\n",
            self.home.display()
        );
        shell::write(&bin.join("rustc"), rustc)?;
        shell::run(shell::command("chmod").arg("+x").arg(bin.join("rustc")))?;

        link(&system.join("src"), &rustlib.join("src"))?;
        link(
            &system.join(host).join("lib"),
            &rustlib.join(host).join("lib"),
        )?;
        // The system's compiler comes without the linker for wasm.
        let linker = Path::new(host).join("bin/rust-lld");
        let theirs = rustup_sysroot.join("lib/rustlib").join(&linker);
        ensure!(
            theirs.is_file(),
            "the linker for wasm should be {}, and is not: is Rust installed with rustup?",
            theirs.display()
        );
        link(&theirs, &rustlib.join(&linker))
    }

    /// Builds the standard library as the dependency of an empty crate, and keeps it.
    fn build_std(&self) -> Result<()> {
        println!("setup: building the standard library for {TARGET}: a one-off of some minutes");
        let empty = self.home.join("empty");
        std::fs::create_dir_all(empty.join("src"))?;
        shell::write(&empty.join("src/lib.rs"), "#![no_std]\n")?;
        // Without LTO here the libraries would carry no bitcode, and no build with LTO could use
        // them.
        shell::write(
            &empty.join("Cargo.toml"),
            "[package]\nname = \"empty\"\nedition = \"2024\"\n\n[workspace]\n\n[profile.release]\nlto = true\n",
        )?;
        shell::run(
            shell::command(self.home.join("bin/cargo"))
                .args(["build", "--quiet", "--release", "--target", TARGET])
                .arg("-Zbuild-std=std,panic_abort,test")
                .current_dir(&empty)
                .env("PATH", shell::path_with(&[self.home.join("bin")])?)
                .env("CARGO_TARGET_DIR", empty.join("target"))
                .env("RUSTC_BOOTSTRAP", "1")
                .env_remove("RUSTFLAGS"),
        )?;
        let built = empty.join("target").join(TARGET).join("release/deps");
        for entry in std::fs::read_dir(&built)? {
            let name = entry?.file_name();
            let text = name.to_string_lossy();
            if text.ends_with(".rlib") && !text.starts_with("libempty-") {
                std::fs::copy(built.join(&name), libraries(&self.home).join(&name))?;
            }
        }
        std::fs::remove_dir_all(&empty)?;
        Ok(())
    }
}

/// Asks the system's compiler.
fn system_rustc(arguments: &[&str]) -> Result<String> {
    shell::output(shell::command("/usr/bin/rustc").args(arguments))
}

fn install_system_compiler() -> Result<()> {
    let parts = [
        "/usr/bin/rustc",
        "/usr/bin/cargo",
        "/usr/bin/clippy-driver",
        "/usr/lib/rustlib/src/rust/library/Cargo.lock",
    ];
    if !parts.iter().all(|part| Path::new(part).exists()) {
        apt_install(
            &["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy"],
            "rustup could not fetch the wasm target (`rustup target add wasm32-unknown-unknown`)",
        )?;
    }
    let wanted = env!("CARGO_PKG_RUST_VERSION");
    let found = system_rustc(&["--version"])?;
    ensure!(
        release(&found) >= release(&format!("rustc {wanted}")),
        "rustup could not fetch the wasm target, and the system's compiler is too old for \
         Switchyard: {found}, wanted {wanted}. Please run `rustup target add {TARGET}` where there \
         is a network"
    );
    Ok(())
}

/// `rustc 1.96.0 (…)` as numbers that compare.
fn release(version: &str) -> Vec<u32> {
    let number = version.split_whitespace().nth(1).unwrap_or_default();
    number
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(original, link)
        .with_context(|| format!("cannot link {} to {}", link.display(), original.display()))
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Result<()> {
    anyhow::bail!("a toolchain for wasm can only be put together on Debian and Ubuntu")
}

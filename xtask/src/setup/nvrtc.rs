//! NVRTC, NVIDIA's compiler of CUDA C++ at run time, from Python's package index: it compiles the
//! GPU kernels on machines that have no GPU.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::tools_dir;
use crate::shell;

const PACKAGE: &str = "nvidia-cuda-nvrtc-cu12";
/// The first that knows sm_90: drivers since then read the PTX it makes.
const VERSION: &str = "12.0.140";
const LIBRARY: &str = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";

fn home() -> Result<PathBuf> {
    Ok(tools_dir()?.join(format!("nvrtc-{VERSION}")))
}

pub(super) fn is_missing() -> Result<bool> {
    Ok(!home()?.join(LIBRARY).is_file())
}

/// The library's path, after fetching it if need be; an error where that cannot be done, which
/// leaves all but the tests of the GPU kernels in place.
pub(super) fn ensure() -> Result<PathBuf> {
    let home = home()?;
    let library = home.join(LIBRARY);
    if library.is_file() {
        return Ok(library);
    }
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "NVRTC is fetched for Linux on x86-64 only"
    );
    let python = shell::find(&["python3"]).context("there is no python3 to fetch NVRTC with")?;
    println!("setup: fetching {PACKAGE} {VERSION} with pip");
    // Unpacked beside its final place first, so that what lies there is always whole.
    let partial = home.with_extension("partial");
    if partial.exists() {
        std::fs::remove_dir_all(&partial)?;
    }
    std::fs::create_dir_all(&partial)?;
    let mut pip = shell::command(&python);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .arg("--dest")
        .arg(&partial)
        .arg(format!("{PACKAGE}=={VERSION}"));
    shell::run(&mut pip).context("pip does not fetch NVRTC")?;
    let wheel = std::fs::read_dir(&partial)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|end| end == "whl"))
        .context("pip fetched no wheel")?;
    let mut unpack = shell::command(&python);
    unpack
        .args(["-m", "zipfile", "-e"])
        .arg(&wheel)
        .arg(&partial);
    shell::run(&mut unpack)?;
    std::fs::remove_file(&wheel)?;
    ensure!(
        partial.join(LIBRARY).is_file(),
        "the wheel has no {LIBRARY}"
    );
    std::fs::rename(&partial, &home)
        .with_context(|| format!("cannot move NVRTC to {}", home.display()))?;
    Ok(library)
}

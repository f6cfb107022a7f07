//! From `kernels/gns.cu` to code that a GPU takes: through NVRTC where there is one, or the PTX that
//! this program carries.
//!
//! The carried PTX is for sm_70 and any GPU after it, of a version of PTX that every driver since CUDA
//! 12.0 reads; `cargo xtask kernels` makes it anew. cudarc's own loader of NVRTC takes no path and
//! returns neither machine code nor the compiler's log, so NVRTC is called directly here.

use anyhow::{Context, Result, bail, ensure};
use flate2::read::GzDecoder;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Read as _;
use std::path::Path;
use std::ptr::{null, null_mut};

/// The kernels.
pub(crate) const SOURCE: &str = include_str!("../../kernels/gns.cu");

/// Numbers of replicas that the carried PTX has kernels for.
pub(crate) const CARRIED_REPLICAS: [usize; 5] = [1, 2, 4, 8, 16];

/// What the carried PTX is compiled for, and how.
pub(crate) const CARRIED_OPTIONS: [&str; 2] = ["--gpu-architecture=compute_70", "-DCARRIED"];

static CARRIED: &[u8] = include_bytes!("../../kernels/gns.ptx.gz");

/// Names a file to load NVRTC from, before all others.
pub(crate) const VARIABLE: &str = "SWITCHYARD_NVRTC";

/// Where NVRTC may be. The loader's own path comes first.
const PLACES: [&str; 8] = [
    "libnvrtc.so",
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so.13",
    "/usr/local/cuda/lib64/libnvrtc.so.12",
    "/opt/cuda/lib64/libnvrtc.so",
];

/// The PTX that this program carries.
pub(crate) fn carried() -> Result<String> {
    let mut ptx = String::new();
    GzDecoder::new(CARRIED)
        .read_to_string(&mut ptx)
        .context("the carried PTX")?;
    Ok(ptx)
}

/// What NVRTC makes of a source.
pub(crate) struct Compiled {
    /// Its assembly.
    pub(crate) ptx: String,
    /// Machine code; empty where the options name no real architecture.
    pub(crate) cubin: Vec<u8>,
    /// What the compiler said.
    pub(crate) log: String,
}

type Program = *mut c_void;

/// NVRTC, loaded.
pub(crate) struct Nvrtc {
    library: Library,
    version: (c_int, c_int),
}

impl Nvrtc {
    /// Finds it; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If `SWITCHYARD_NVRTC` names something else.
    pub(crate) fn find() -> Result<Option<Self>> {
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let path = Path::new(&path);
            let found =
                Self::open(path).with_context(|| format!("{VARIABLE} names {}", path.display()))?;
            return Ok(Some(found));
        }
        Ok(PLACES
            .iter()
            .find_map(|place| Self::open(Path::new(place)).ok()))
    }

    fn open(path: &Path) -> Result<Self> {
        // SAFETY: loading NVRTC runs its initialisers, which ask nothing of us.
        let library = unsafe { Library::new(path) }?;
        let mut this = Self {
            library,
            version: (0, 0),
        };
        let (mut major, mut minor) = (0, 0);
        // SAFETY: int nvrtcVersion(int*, int*), as nvrtc.h has it.
        let status = unsafe {
            type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
            this.library.get::<Version>(b"nvrtcVersion\0")?(&raw mut major, &raw mut minor)
        };
        ensure!(status == 0, "NVRTC does not tell its version");
        this.version = (major, minor);
        Ok(this)
    }

    /// As "NVRTC 12.9".
    pub(crate) fn name(&self) -> String {
        format!("NVRTC {}.{}", self.version.0, self.version.1)
    }

    /// Compiles `source` with `options`, besides that for the language's version.
    ///
    /// # Errors
    ///
    /// With the compiler's log.
    pub(crate) fn compile(&self, source: &str, options: &[String]) -> Result<Compiled> {
        let source = CString::new(source)?;
        let mut texts = vec![CString::new("--std=c++17")?];
        for option in options {
            texts.push(CString::new(option.as_str())?);
        }
        let options: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let mut program: Program = null_mut();
        // SAFETY: the signatures are those of nvrtc.h; all pointers are to what lives until the
        // program is destroyed.
        unsafe {
            type Create = unsafe extern "C" fn(
                *mut Program,
                *const c_char,
                *const c_char,
                c_int,
                *const *const c_char,
                *const *const c_char,
            ) -> c_int;
            let create = self.library.get::<Create>(b"nvrtcCreateProgram\0")?;
            let name = c"gns.cu".as_ptr();
            let status = create(&raw mut program, source.as_ptr(), name, 0, null(), null());
            ensure!(status == 0, "NVRTC takes no program: error {status}");
        }
        let compiled = self.compile_program(program, &options);
        // SAFETY: the program was created above and is used no more.
        unsafe {
            type Destroy = unsafe extern "C" fn(*mut Program) -> c_int;
            self.library.get::<Destroy>(b"nvrtcDestroyProgram\0")?(&raw mut program);
        }
        compiled
    }

    fn compile_program(&self, program: Program, options: &[*const c_char]) -> Result<Compiled> {
        // SAFETY: as above; the options live in the caller.
        let status = unsafe {
            type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
            let compile = self.library.get::<Compile>(b"nvrtcCompileProgram\0")?;
            compile(program, c_int::try_from(options.len())?, options.as_ptr())
        };
        let log = text(&self.bytes(program, "nvrtcGetProgramLog")?)?;
        if status != 0 {
            bail!(
                "{} refuses the kernels (error {status}):\n{log}",
                self.name()
            );
        }
        Ok(Compiled {
            ptx: text(&self.bytes(program, "nvrtcGetPTX")?)?,
            cubin: self.bytes(program, "nvrtcGetCUBIN")?,
            log,
        })
    }

    /// What `getter` and `getterSize` return; empty where there is nothing of the kind.
    fn bytes(&self, program: Program, getter: &str) -> Result<Vec<u8>> {
        let mut size = 0_usize;
        // SAFETY: nvrtcResult nvrtcGet…Size(nvrtcProgram, size_t*) and nvrtcGet…(nvrtcProgram,
        // char*), which writes as many bytes as the former says.
        unsafe {
            type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
            type Get = unsafe extern "C" fn(Program, *mut u8) -> c_int;
            let ask = self
                .library
                .get::<Size>(format!("{getter}Size\0").as_bytes())?;
            if ask(program, &raw mut size) != 0 || size == 0 {
                return Ok(Vec::new());
            }
            let mut bytes = vec![0_u8; size];
            let get = self.library.get::<Get>(format!("{getter}\0").as_bytes())?;
            let status = get(program, bytes.as_mut_ptr());
            ensure!(status == 0, "{getter}: error {status}");
            Ok(bytes)
        }
    }
}

/// Text up to its zero.
fn text(bytes: &[u8]) -> Result<String> {
    if bytes.is_empty() {
        return Ok(String::new());
    }
    Ok(CStr::from_bytes_until_nul(bytes)?.to_str()?.to_owned())
}

/// Compiles the PTX that this program carries, and packs it.
pub(crate) fn carry(path: &Path) -> Result<()> {
    let nvrtc = Nvrtc::find()?.context("there is no NVRTC to compile with")?;
    let compiled = nvrtc.compile(SOURCE, &CARRIED_OPTIONS.map(str::to_owned))?;
    let file =
        std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    std::io::Write::write_all(&mut packed, compiled.ptx.as_bytes())?;
    packed.finish()?;
    println!(
        "{}: {} bytes of PTX by {}",
        path.display(),
        compiled.ptx.len(),
        nvrtc.name()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What the assembler says of a kernel.
    #[derive(Debug, Default)]
    struct Usage {
        registers: u32,
        stack: u32,
        spills: u32,
    }

    /// From ptxas's report: a line that names the kernel, one of its stack, one of its registers.
    fn usage(log: &str) -> BTreeMap<String, Usage> {
        let mut kernels: BTreeMap<String, Usage> = BTreeMap::new();
        let mut name = String::new();
        for line in log.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |before: &str, after: &str| {
                let found = words
                    .windows(3)
                    .find(|w| w[1] == before && w[2].starts_with(after));
                found.and_then(|w| w[0].parse::<u32>().ok())
            };
            if let Some((_, rest)) = line.split_once("Compiling entry function '") {
                name = rest.split('\'').next().unwrap_or_default().to_owned();
            } else if let Some(stack) = number("bytes", "stack") {
                let kernel = kernels.entry(name.clone()).or_default();
                kernel.stack = stack;
                kernel.spills = words
                    .windows(3)
                    .filter(|w| w[1] == "bytes" && w[2] == "spill")
                    .filter_map(|w| w[0].parse::<u32>().ok())
                    .sum();
            } else if let Some(at) = words.iter().position(|&word| word == "Used") {
                let kernel = kernels.entry(name.clone()).or_default();
                kernel.registers = words[at + 1].parse().expect("a number");
            }
        }
        kernels
    }

    fn kernel_names() -> Vec<(String, usize)> {
        let mut names = Vec::new();
        for form in ["flat", "table"] {
            for dtype in ["f32", "bf16"] {
                for suffix in ["", "_preconditioned"] {
                    for replicas in 1..=16 {
                        names.push((format!("gns_{form}_{dtype}_r{replicas}{suffix}"), replicas));
                    }
                    names.push((format!("gns_differenced_{form}_{dtype}{suffix}"), 2));
                }
            }
        }
        names
    }

    /// The body of a kernel in PTX.
    fn body<'a>(ptx: &'a str, name: &str) -> &'a str {
        let start = ptx.find(&format!(".entry {name}(")).expect("the kernel");
        let rest = &ptx[start..];
        &rest[..rest.find("\n}").expect("its end")]
    }

    #[test]
    fn kernels_compile_for_hopper_without_spills_and_load_16_bytes() {
        let Some(nvrtc) = Nvrtc::find().expect("what is named is NVRTC") else {
            eprintln!(
                "SKIPPED: no NVRTC; `cargo xtask test` gets one with pip, {VARIABLE} can name one"
            );
            return;
        };
        let options = ["--gpu-architecture=sm_90", "--ptxas-options=-v"].map(str::to_owned);
        let compiled = nvrtc.compile(SOURCE, &options).expect("they compile");
        assert!(compiled.cubin.starts_with(b"\x7fELF"));
        let usage = usage(&compiled.log);
        for (name, replicas) in kernel_names() {
            let used = &usage[&name];
            println!("{name}: {used:?}");
            assert!(used.stack == 0 && used.spills == 0, "{name}: {used:?}");
            assert!((16..=128).contains(&used.registers), "{name}: {used:?}");
            let body = body(&compiled.ptx, &name);
            assert!(
                !body.contains(".local"),
                "{name} keeps something in local memory"
            );
            let loads = body.matches("ld.global.nc.L1::no_allocate.v4").count();
            let least = if name.contains("differenced") {
                4
            } else {
                replicas
            };
            assert!(
                loads >= least,
                "{name}: {loads} loads of 16 bytes for {replicas} rows"
            );
            for atomic in ["atom.", "red.global", "red.shared"] {
                assert!(!body.contains(atomic), "{name} has {atomic}");
            }
        }
        assert!(!compiled.ptx.contains("atom.add.f") && !compiled.ptx.contains("red.add.f"));
    }

    #[test]
    fn carried_ptx_is_of_these_kernels() {
        let ptx = carried().expect("it unpacks");
        assert!(ptx.contains(".target sm_70") && ptx.contains(".version 8.0"));
        for (name, replicas) in kernel_names() {
            let here = ptx.contains(&format!(".entry {name}("));
            assert_eq!(here, CARRIED_REPLICAS.contains(&replicas), "{name}");
        }
        let Some(nvrtc) = Nvrtc::find().expect("what is named is NVRTC") else {
            eprintln!("SKIPPED: no NVRTC to compile the carried PTX anew with");
            return;
        };
        if nvrtc.version != (12, 0) {
            eprintln!(
                "SKIPPED: the carried PTX is of NVRTC 12.0, and this is {}",
                nvrtc.name()
            );
            return;
        }
        let anew = nvrtc
            .compile(SOURCE, &CARRIED_OPTIONS.map(str::to_owned))
            .expect("they compile");
        assert!(
            anew.ptx == ptx,
            "kernels/gns.cu has changed: run `cargo xtask kernels`"
        );
    }
}

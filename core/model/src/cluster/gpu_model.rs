//! GPU types that are known by name: their memory, and how fast they train where that is published.
//!
//! Traces and lists of nodes alike name them by this one table. Drivers, Slurm and Kubernetes' feature
//! discovery write a product's full name (`NVIDIA-A100-SXM4-80GB`, `nvidia_geforce_rtx_2080_ti`,
//! `Tesla-V100-SXM2-32GB`, `NVIDIA-A100-SXM4-80GB-MIG-1g.10gb`): maker, brand and form are no part of a
//! type, the memory tells two of one name apart, and a slice of a GPU is named after what it is cut from.
//! Sources: <https://github.com/NVIDIA/k8s-device-plugin>, `docs/gpu-feature-discovery`;
//! <https://slurm.schedmd.com/gres.html>; <https://docs.nvidia.com/datacenter/tesla/mig-user-guide>.
//!
//! Memory is the data sheet's. Speeds are relative to a V100, and each says its source below: a
//! measurement of both, or a chain of two.

/// A known GPU type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuModel {
    /// The name in clusters: a lower-case word.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Other names in traces and files, in lower case.
    aliases: &'static [&'static str],
    /// Memory of each, MiB; `None`: not published.
    pub memory: Option<u32>,
    /// How fast it trains, V100 = 1; `None`: not published.
    pub speed: Option<f64>,
}

const fn gpu(
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
    gib: u32,
    speed: Option<f64>,
) -> GpuModel {
    GpuModel {
        name,
        title,
        aliases,
        memory: if gib == 0 { None } else { Some(gib * 1024) },
        speed,
    }
}

/// Gavel's measurements (OSDI'20, `simulation_throughputs.json`): the median over its 26 jobs on one
/// GPU, V100 = 1.
const K80: Option<f64> = Some(0.247);
const P100: Option<f64> = Some(0.813);
const V100: Option<f64> = Some(1.0);

/// Lambda's benchmark of February 2019, FP32, mean over its models: 80 % of a V100, and 37 % more than
/// a 1080 Ti.
const RTX_2080_TI: Option<f64> = Some(0.8);
const GTX_1080_TI: Option<f64> = Some(0.584);

/// Sia's profiles (SOSP'23): the median over six applications, each at its best batch on one GPU, is
/// 0.276 (T4), 0.373 (2080 Ti) and 0.576 (RTX 6000) of an A100; and a 2080 Ti is as above.
const T4: Option<f64> = Some(0.592);
const RTX_6000: Option<f64> = Some(1.235);
const A100: Option<f64> = Some(2.145);

/// Every known type.
pub const GPU_MODELS: &[GpuModel] = &[
    gpu("k80", "K80", &["tesla-k80"], 12, K80),
    gpu("m60", "M60", &["tesla-m60"], 8, None),
    gpu("p4", "P4", &["tesla-p4"], 8, None),
    gpu("p40", "P40", &["tesla-p40"], 24, None),
    gpu("p100", "P100", &["tesla-p100"], 16, P100),
    gpu("v100", "V100", &["tesla-v100"], 16, V100),
    gpu("v100-16", "V100 16 GB", &["v100m16", "v100-16gb"], 16, V100),
    gpu(
        "v100-32",
        "V100 32 GB",
        &["v100m32", "v100-32gb", "volta"],
        32,
        V100,
    ),
    gpu("t4", "T4", &["tesla-t4", "aws"], 16, T4),
    gpu(
        "1080ti",
        "GTX 1080 Ti",
        &["gtx1080ti", "gtx-1080-ti"],
        11,
        GTX_1080_TI,
    ),
    gpu(
        "2080ti",
        "RTX 2080 Ti",
        &["rtx2080ti", "rtx-2080-ti", "rtx"],
        11,
        RTX_2080_TI,
    ),
    gpu(
        "rtx6000",
        "Quadro RTX 6000",
        &["quadro-rtx-6000", "quad"],
        24,
        RTX_6000,
    ),
    gpu("rtx8000", "Quadro RTX 8000", &["rtx-8000"], 48, None),
    gpu("titan-rtx", "Titan RTX", &[], 24, None),
    gpu("titan-v", "Titan V", &[], 12, None),
    gpu("titan-xp", "Titan Xp", &[], 12, None),
    gpu("titan-x", "Titan X", &["gtx-titan-x"], 12, None),
    gpu("1080", "GTX 1080", &["gtx-1080"], 8, None),
    gpu("2080", "RTX 2080", &["rtx-2080"], 8, None),
    gpu("3080", "RTX 3080", &["rtx-3080"], 10, None),
    gpu("3090", "RTX 3090", &["rtx3090", "rtx-3090"], 24, None),
    gpu("4090", "RTX 4090", &["rtx-4090"], 24, None),
    gpu("5090", "RTX 5090", &["rtx-5090"], 32, None),
    gpu("a2", "A2", &[], 16, None),
    gpu("a10", "A10", &[], 24, None),
    gpu("a10g", "A10G", &[], 24, None),
    gpu("a16", "A16", &[], 16, None),
    gpu("a40", "A40", &[], 48, None),
    gpu("a4000", "RTX A4000", &["rtx-a4000"], 16, None),
    gpu("a5000", "RTX A5000", &["rtx-a5000"], 24, None),
    gpu("a6000", "RTX A6000", &["rtx-a6000"], 48, None),
    gpu("rtx6000-ada", "RTX 6000 Ada", &["rtx-6000-ada"], 48, None),
    gpu(
        "rtx-pro-6000",
        "RTX PRO 6000 Blackwell",
        &["rtx-pro-6000-blackwell"],
        96,
        None,
    ),
    gpu("a100", "A100", &["a100-sxm4-40gb"], 40, A100),
    gpu("a100-40", "A100 40 GB", &["a100-40gb"], 40, A100),
    gpu(
        "a100-80",
        "A100 80 GB",
        &["a100-80gb", "a100-sxm4-80gb"],
        80,
        A100,
    ),
    gpu("a800", "A800", &["a800-80gb"], 80, None),
    gpu("a30", "A30", &[], 24, None),
    gpu("l4", "L4", &[], 24, None),
    gpu("l40", "L40", &[], 48, None),
    gpu("l40s", "L40S", &[], 48, None),
    gpu("h20", "H20", &[], 96, None),
    gpu("h100", "H100", &["h100-80gb", "h100-sxm5-80gb"], 80, None),
    gpu("h200", "H200", &[], 141, None),
    gpu("h800", "H800", &[], 80, None),
    gpu("b200", "B200", &[], 180, None),
    gpu("mi100", "Instinct MI100", &[], 32, None),
    gpu("mi210", "Instinct MI210", &[], 64, None),
    gpu("mi250", "Instinct MI250", &[], 128, None),
    gpu("mi250x", "Instinct MI250X", &[], 128, None),
    gpu("mi300x", "Instinct MI300X", &[], 192, None),
    gpu("g1", "G1 (of openb, anonymous)", &[], 0, None),
    gpu("g2", "G2 (of openb, anonymous)", &[], 0, None),
    gpu("g3", "G3 (of openb, anonymous)", &[], 0, None),
    gpu("misc", "MISC (of PAI, several)", &[], 0, None),
];

impl GpuModel {
    /// The known type of this name, which is [canonical](type_name).
    pub fn named(name: &str) -> Option<&'static Self> {
        GPU_MODELS.iter().find(|known| known.name == name)
    }
}

/// Not the name of a GPU type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no name of a GPU type: write a word of letters, digits, - and . such as v100 or a100-80"
)]
pub struct NoTypeName(pub String);

/// A name of a GPU type has at most this many bytes.
const MAX_NAME: usize = 32;

/// The name under which a GPU type stands in clusters: a lower-case word, known types by their own
/// name (`V100M32` is `v100-32`, `NVIDIA-A100-SXM4-80GB` is `a100-80`).
///
/// # Errors
///
/// An [`NoTypeName`] if it is no known type and longer than 32 bytes, if it is empty, or has other
/// characters than letters, digits, `-`, `_`, `.` and spaces (which become `-`).
pub fn type_name(text: &str) -> Result<String, NoTypeName> {
    let name = word(text)?;
    match known(&name) {
        Some(known) => Ok(known.name.to_owned()),
        None if name.len() <= MAX_NAME => Ok(name),
        None => Err(NoTypeName::of(text)),
    }
}

/// The same of a name as a file has it: one that is too long is cut where one of its words ends.
///
/// # Errors
///
/// An [`NoTypeName`] if it is empty or has other characters.
pub fn type_name_in_file(text: &str) -> Result<String, NoTypeName> {
    let name = word(text)?;
    if let Some(known) = known(&name) {
        return Ok(known.name.to_owned());
    }
    if name.len() <= MAX_NAME {
        return Ok(name);
    }
    let mut short = String::new();
    for word in name.split('-').filter(|word| !MAKERS.contains(word)) {
        let dash = usize::from(!short.is_empty());
        if short.len() + dash + word.len() > MAX_NAME {
            break;
        }
        short.extend(std::iter::repeat_n('-', dash));
        short.push_str(word);
    }
    if short.is_empty() {
        short = name.chars().take(MAX_NAME).collect();
    }
    Ok(short)
}

/// A text as a lower-case word, if its characters are those of a type's name.
fn word(text: &str) -> Result<String, NoTypeName> {
    let name: String = text.trim().chars().map(plain).collect();
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let tells = name.chars().any(|c| c.is_ascii_alphanumeric());
    if tells && name.chars().all(fine) {
        Ok(name)
    } else {
        Err(NoTypeName::of(text))
    }
}

impl NoTypeName {
    fn of(text: &str) -> Self {
        Self(text.chars().take(40).collect())
    }
}

/// The part of a GPU that a product's name tells, such as `a100-sxm4-80gb-mig-1g.10gb`: sevenths of
/// its speed, and GiB.
pub fn slice(text: &str) -> Option<(u32, u32)> {
    text.split(['-', '_', ' ']).find_map(slice_of)
}

fn slice_of(word: &str) -> Option<(u32, u32)> {
    let (sevenths, memory) = word.split_once(['g', 'G'])?;
    let memory = memory.strip_prefix('.')?;
    let digits = memory.bytes().take_while(u8::is_ascii_digit).count();
    let (gib, unit) = memory.split_at_checked(digits)?;
    let is_unit = unit
        .get(..2)
        .is_some_and(|unit| unit.eq_ignore_ascii_case("gb"));
    let sevenths: u32 = sevenths.parse().ok()?;
    let sound = is_unit && (1..=7).contains(&sevenths);
    Some((sevenths, gib.parse().ok()?)).filter(|_| sound)
}

/// Words of products' names that are no part of their type: makers and brands, forms and memory,
/// how it is shared.
const MAKERS: [&str; 5] = ["nvidia", "amd", "tesla", "geforce", "instinct"];
const ASIDE: [&str; 19] = [
    "quadro",
    "corporation",
    "pcie",
    "pci",
    "oam",
    "dgxs",
    "nvl",
    "sxm",
    "hbm2",
    "hbm2e",
    "hbm3",
    "hbm3e",
    "mig",
    "shared",
    "generation",
    "server",
    "workstation",
    "edition",
    "lhr",
];

/// The known type that a word names, by its own name, another one or that of a product.
fn known(name: &str) -> Option<&'static GpuModel> {
    let as_written = GPU_MODELS
        .iter()
        .find(|known| known.name == name || known.aliases.contains(&name));
    as_written.or_else(|| {
        let mut memory = None;
        let mut words: Vec<&str> = Vec::new();
        for word in name.split('-').filter(|word| !word.is_empty()) {
            let gib = word.strip_suffix("gb").or(word.strip_suffix("gib"));
            let gib = gib.and_then(|gib| gib.parse::<u32>().ok());
            let form = word.strip_prefix("sxm").is_some_and(|version| {
                version.len() == 1 && version.bytes().all(|b| b.is_ascii_digit())
            });
            if gib.is_some() {
                memory = memory.or(gib);
            } else if !(form
                || MAKERS.contains(&word)
                || ASIDE.contains(&word)
                || slice_of(word).is_some())
            {
                words.push(word);
            }
        }
        // A brand alone, such as rtx, is a type only where a trace means one by it.
        let tells = words.len() > 1 || words.concat().bytes().any(|b| b.is_ascii_digit());
        if !tells {
            return None;
        }
        let model = words.concat();
        let alike = |name: &&str| name.split('-').collect::<String>() == model;
        let mut of_name = GPU_MODELS
            .iter()
            .filter(|known| alike(&known.name) || known.aliases.iter().any(&alike));
        let base = of_name.next()?;
        let with_memory = memory.and_then(|gib| {
            GPU_MODELS
                .iter()
                .find(|known| known.name == format!("{}-{gib}", base.name))
        });
        Some(with_memory.unwrap_or(base))
    })
}

fn plain(c: char) -> char {
    match c {
        ' ' | '_' => '-',
        c => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_one_name_and_figures_that_can_be() {
        for known in GPU_MODELS {
            assert_eq!(type_name(known.name), Ok(known.name.to_owned()));
            assert_eq!(
                type_name(&known.name.to_uppercase()),
                Ok(known.name.to_owned())
            );
            for alias in known.aliases {
                assert_eq!(type_name(alias), Ok(known.name.to_owned()));
            }
            assert!(
                known
                    .speed
                    .is_none_or(|speed| speed > 0.0 && speed.is_finite())
            );
        }
        assert_eq!(type_name("Tesla V100"), Ok("v100".to_owned()));
        assert_eq!(type_name("MyGPU_2"), Ok("mygpu-2".to_owned()));
        for product in [
            ("NVIDIA-A100-SXM4-80GB", "a100-80"),
            ("nvidia_a100-sxm4-80gb", "a100-80"),
            ("NVIDIA A100 80GB PCIe", "a100-80"),
            ("NVIDIA-A100-PCIE-40GB", "a100-40"),
            ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "a100-80"),
            ("a100_3g.20gb", "a100"),
            ("Tesla-V100-SXM2-32GB", "v100-32"),
            ("Tesla-V100-PCIE-16GB", "v100-16"),
            ("Tesla-T4-SHARED", "t4"),
            ("Tesla P100-PCIE-16GB", "p100"),
            ("nvidia_geforce_rtx_2080_ti", "2080ti"),
            ("NVIDIA-GeForce-RTX-3090", "3090"),
            ("gtx_1080_ti", "1080ti"),
            ("Quadro-RTX-6000", "rtx6000"),
            ("NVIDIA-RTX-6000-Ada-Generation", "rtx6000-ada"),
            ("NVIDIA RTX A6000", "a6000"),
            ("NVIDIA-H100-80GB-HBM3", "h100"),
            ("nvidia_h100_nvl", "h100"),
            ("NVIDIA TITAN RTX", "titan-rtx"),
            (
                "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
                "rtx-pro-6000",
            ),
            ("AMD_Instinct_MI210", "mi210"),
            // Names of none are left as they are.
            ("nvidia", "nvidia"),
            ("geforce-rtx", "geforce-rtx"),
            ("tesla", "tesla"),
            ("1g.5gb", "1g.5gb"),
        ] {
            assert_eq!(type_name(product.0).as_deref(), Ok(product.1));
        }
        for bad in ["", " ", "a:b", "v100|t4", "-", "ü", &"x".repeat(33)] {
            assert!(type_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_in_files_may_be_long() {
        let long = "NVIDIA-Imagined-Accelerator-X1-Extended-Memory-Edition";
        assert_eq!(
            type_name_in_file(long).as_deref(),
            Ok("imagined-accelerator-x1-extended")
        );
        assert_eq!(type_name_in_file(&"x".repeat(40)), Ok("x".repeat(32)));
        assert_eq!(type_name_in_file("V100M32").as_deref(), Ok("v100-32"));
        assert!(type_name_in_file("a:b").is_err());
    }

    #[test]
    fn slices_of_gpus() {
        assert_eq!(slice("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb"), Some((1, 10)));
        assert_eq!(slice("a100_3g.20gb.me"), Some((3, 20)));
        for whole in ["a100-80gb", "8g.10gb", "g.gb", "1g.é", ""] {
            assert_eq!(slice(whole), None, "{whole}");
        }
    }
}

//! GPU types that are known by name: their memory, and how fast they train where that is published.
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
    gpu("3090", "RTX 3090", &["rtx3090", "rtx-3090"], 24, None),
    gpu("a10", "A10", &[], 24, None),
    gpu("a40", "A40", &[], 48, None),
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

/// The name under which a GPU type stands in clusters: a lower-case word, known types by their own
/// name (`V100M32` is `v100-32`).
///
/// # Errors
///
/// An [`NoTypeName`] if it is empty, longer than 32 bytes, or has other characters than letters,
/// digits, `-`, `_`, `.` and spaces (which become `-`).
pub fn type_name(text: &str) -> Result<String, NoTypeName> {
    let bad = || NoTypeName(text.chars().take(40).collect());
    let name: String = text.trim().chars().map(plain).collect();
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if name.is_empty() || name.len() > 32 || !name.chars().all(fine) {
        return Err(bad());
    }
    if !name.chars().any(|c| c.is_ascii_alphanumeric()) {
        return Err(bad());
    }
    let known = GPU_MODELS
        .iter()
        .find(|known| known.aliases.contains(&&*name));
    Ok(known.map_or(name, |known| known.name.to_owned()))
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
        for bad in ["", " ", "a:b", "v100|t4", "-", "ü", &"x".repeat(33)] {
            assert!(type_name(bad).is_err(), "{bad}");
        }
    }
}

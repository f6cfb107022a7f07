//! What a training leaves behind: parameters as safetensors that say what made them, and the learning curve
//! beside them.

use crate::adam::Adam;
use crate::curve::Curve;
pub use crate::named::Named;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use rand_xoshiro::rand_core::SeedableRng;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use switchyard::draw::Rng;

/// A training under way and the folder that it writes to.
pub struct Folder {
    path: PathBuf,
    seed: u64,
    began: Instant,
    commit: String,
    also: Vec<(String, String)>,
}

impl Folder {
    /// Makes the folder.
    pub fn make(path: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
        let commit = Command::new("git")
            .args(["describe", "--always", "--dirty", "--abbrev=12"])
            .output();
        let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        Ok(Self {
            path: path.to_owned(),
            seed,
            began: Instant::now(),
            commit: commit.unwrap_or_default(),
            also: Vec::new(),
        })
    }

    /// Has parameters say this of themselves too.
    pub fn say(&mut self, name: &str, what: &str) {
        self.also.push((name.to_owned(), what.to_owned()));
    }

    /// What parameters say of themselves: command, seed, round, how long it took so far, and the commit.
    fn made_by(&self, round: u32) -> HashMap<String, String> {
        // Where files lie is nobody else's concern.
        let command = std::env::args().skip(1).map(|word| {
            let path = Path::new(&word);
            match path.file_name() {
                _ if path == self.path => "FOLDER".to_owned(),
                Some(name) => name.to_string_lossy().into_owned(),
                None => word,
            }
        });
        let command: Vec<String> = command.collect();
        let facts = [
            ("command", format!("switchyard-train {}", command.join(" "))),
            ("seed", self.seed.to_string()),
            ("round", round.to_string()),
            ("seconds", self.began.elapsed().as_secs().to_string()),
            ("commit", self.commit.clone()),
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ];
        let facts = facts.map(|(name, fact)| (name.to_owned(), fact));
        facts.into_iter().chain(self.also.iter().cloned()).collect()
    }

    /// Keeps the parameters after a round, under a name.
    pub fn keep(&self, name: &str, round: u32, tensors: &[Named]) -> Result<()> {
        let path = self.path.join(format!("{name}.safetensors"));
        let file = to_safetensors(tensors, self.made_by(round))?;
        fs::write(&path, file).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Where parameters are kept under a name.
    pub fn kept(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.safetensors"))
    }

    /// Writes `curve.csv` and `curve.svg`.
    pub fn draw(&self, curve: &Curve) -> Result<()> {
        fs::write(self.path.join("curve.csv"), curve.csv())?;
        Ok(fs::write(self.path.join("curve.svg"), curve.svg())?)
    }
}

/// Where every training writes to and goes on from, and what it draws by.
#[derive(Args)]
pub struct Run {
    /// The folder for checkpoints and the learning curve
    #[arg(long)]
    pub out: PathBuf,
    /// A checkpoint to go on from
    #[arg(long)]
    pub resume: Option<PathBuf>,
    /// Of all that is drawn
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Run {
    /// Draws a round: the same whether a training was interrupted before it or not.
    pub fn rng(&self, round: u32) -> Rng {
        Rng::seed_from_u64(self.seed.wrapping_mul(1 << 20) + u64::from(round) + 1)
    }
}

/// All that a training goes on from after a round.
pub fn state(parameters: Vec<Named>, adam: &Adam, round: u32) -> Result<Vec<Named>> {
    let mut all = parameters;
    all.extend(adam.tensors()?);
    all.push(("round".to_owned(), vec![1], vec![round as f32]));
    Ok(all)
}

/// What [`state`] was kept: Adam becomes what it was; the parameters, of the shapes that they have now, and
/// the round.
pub fn go_on(path: &Path, now: Vec<Named>, adam: &mut Adam) -> Result<(Vec<Vec<f32>>, u32)> {
    let parameters = now.len();
    let shapes = state(now, adam, 0)?.into_iter();
    let shapes: Vec<_> = shapes.map(|(name, shape, _)| (name, shape)).collect();
    let mut values = read(path, &shapes)?;
    let round = values.pop().context("a checkpoint has a round")?;
    adam.set(&values.split_off(parameters))?;
    Ok((values, round[0] as u32))
}

/// What the parameters of a file say of themselves, in a line.
pub fn said(path: &Path) -> Result<String> {
    let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (_, header) = SafeTensors::read_metadata(&file)?;
    let facts = header.metadata().iter().flatten();
    let mut facts: Vec<_> = facts
        .map(|(name, fact)| format!("{name}: {fact}"))
        .collect();
    facts.sort_unstable();
    Ok(facts.join("; "))
}

/// Reads a file of parameters.
pub fn read(path: &Path, shapes: &[(String, Vec<usize>)]) -> Result<Vec<Vec<f32>>> {
    let file = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    of_safetensors(&file, shapes).with_context(|| path.display().to_string())
}

/// As a file, with what made it.
pub fn to_safetensors(tensors: &[Named], made_by: HashMap<String, String>) -> Result<Vec<u8>> {
    let bytes = |values: &[f32]| {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    let bytes: Vec<Vec<u8>> = tensors.iter().map(|(.., values)| bytes(values)).collect();
    let mut views = Vec::new();
    for ((name, shape, _), bytes) in tensors.iter().zip(&bytes) {
        views.push((name, TensorView::new(Dtype::F32, shape.clone(), bytes)?));
    }
    Ok(safetensors::serialize(views, Some(made_by))?)
}

/// The values of tensors of these names and shapes.
pub fn of_safetensors(file: &[u8], shapes: &[(String, Vec<usize>)]) -> Result<Vec<Vec<f32>>> {
    let file = SafeTensors::deserialize(file)?;
    let values = shapes.iter().map(|(name, shape)| {
        let tensor = file.tensor(name)?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            let found = (tensor.dtype(), tensor.shape());
            return Err(anyhow!("{name} is {found:?}, and should be F32 {shape:?}"));
        }
        let (values, _) = tensor.data().as_chunks();
        Ok(values
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect())
    });
    values.collect()
}

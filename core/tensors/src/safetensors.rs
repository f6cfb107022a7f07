//! Safetensors, as far as networks need them: a header in JSON, and behind it the numbers of its tensors.
//! (By hand, and not by their crate: of the format, the page needs only this.)

use serde::Deserialize;
use std::collections::BTreeMap;

/// Why a file is no network that anything goes by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// Not safetensors.
    #[error("this is no file of safetensors: {0}")]
    Format(String),
    /// None of the tensors by which networks are known.
    #[error(
        "it holds no network that anything goes by, its tensors are {0}: a picker's are '0.weight', '0.bias' to '3.weight', '3.bias', a placer's 'group.weight' and so on"
    )]
    Unknown(String),
    /// A tensor is missing.
    #[error("the tensor '{0}' is missing: this file holds another network")]
    Missing(String),
    /// A tensor of another shape.
    #[error("the tensor '{name}' is {found:?}, and has to be {wanted:?}: it is of another network")]
    Shape {
        /// The tensor.
        name: String,
        /// What it is.
        found: Vec<usize>,
        /// What it has to be.
        wanted: Vec<usize>,
    },
    /// A tensor of other numbers.
    #[error("the tensor '{name}' holds {found}, and has to hold F32")]
    Type {
        /// The tensor.
        name: String,
        /// What it holds.
        found: String,
    },
    /// Trained for nothing that there is.
    #[error("these weights say that they are of the {of} '{name}', which is none that learned")]
    TrainedFor {
        /// A placement or a picker.
        of: &'static str,
        /// Its name.
        name: String,
    },
    /// A number that is none.
    #[error(
        "the tensor '{0}' has a value that is not a finite number: its training went astray, take an earlier checkpoint"
    )]
    NotFinite(String),
}

/// An entry of a file's header: a tensor, or (`__metadata__`) what else is said.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
    placement: Option<String>,
    picker: Option<String>,
}

/// The tensors of a file.
pub struct Tensors<'a> {
    header: BTreeMap<String, Entry>,
    data: &'a [u8],
}

fn short() -> NetworkError {
    NetworkError::Format("it ends too early".to_owned())
}

impl<'a> Tensors<'a> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn of(file: &'a [u8]) -> Result<Self, NetworkError> {
        let length = u64::from_le_bytes(*file.first_chunk().ok_or_else(short)?);
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| length.checked_add(8));
        let end = end.ok_or_else(short)?;
        let header = file.get(8..end).ok_or_else(short)?;
        let header = serde_json::from_slice(header)
            .map_err(|error| NetworkError::Format(format!("its header: {error}")))?;
        Ok(Self {
            header,
            data: &file[end..],
        })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.header.contains_key(name)
    }

    /// The names of all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.header.keys().map(String::as_str);
        names.filter(|name| *name != "__metadata__")
    }

    /// The placement that it was trained for, if it says so.
    pub fn placement(&self) -> Option<&str> {
        self.header.get("__metadata__")?.placement.as_deref()
    }

    /// The picker that it was trained for, if it says so.
    pub fn picker(&self) -> Option<&str> {
        self.header.get("__metadata__")?.picker.as_deref()
    }

    /// A layer, which is two tensors: `NAME.bias`, and `NAME.weight` (outputs × inputs), of which each input's
    /// weights to all outputs come back side by side.
    ///
    /// # Errors
    ///
    /// It is not there, or not of this shape.
    pub fn layer(
        &self,
        name: &str,
        inputs: usize,
        outputs: usize,
    ) -> Result<(Vec<f32>, Vec<f32>), NetworkError> {
        let weights = self.read(format!("{name}.weight"), vec![outputs, inputs])?;
        let bias = self.read(format!("{name}.bias"), vec![outputs])?;
        let by_input = (0..inputs).flat_map(|input| {
            let weights = &weights;
            (0..outputs).map(move |output| weights[output * inputs + input])
        });
        Ok((bias, by_input.collect()))
    }

    fn read(&self, name: String, wanted: Vec<usize>) -> Result<Vec<f32>, NetworkError> {
        let Some(tensor) = self.header.get(&name) else {
            return Err(NetworkError::Missing(name));
        };
        let found = tensor.dtype.clone();
        if found != "F32" {
            return Err(NetworkError::Type { name, found });
        }
        let found = tensor.shape.clone();
        if found != wanted {
            return Err(NetworkError::Shape {
                name,
                found,
                wanted,
            });
        }
        let (from, to) = tensor.data_offsets;
        let bytes = self.data.get(from..to).ok_or_else(short)?;
        let (values, rest) = bytes.as_chunks();
        let values = values.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let values: Vec<f32> = values.collect();
        if !rest.is_empty() || values.len() != wanted.iter().product::<usize>() {
            let why = format!("the tensor '{name}' is not as long as its shape says");
            return Err(NetworkError::Format(why));
        }
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(NetworkError::NotFinite(name)),
        }
    }
}

//! Files of safetensors, as far as networks need them: tensors of 32-bit floats, and what they were trained for.

use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors, serialize};

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

impl From<SafeTensorError> for NetworkError {
    fn from(error: SafeTensorError) -> Self {
        use SafeTensorError as Error;
        let damaged = "the file is damaged, copy it again";
        Self::Format(match error {
            Error::HeaderTooSmall | Error::InvalidHeaderLength => "it ends too early".to_owned(),
            Error::MetadataIncompleteBuffer => {
                format!("it ends too early, or goes on behind its last tensor: {damaged}")
            }
            Error::InvalidHeader(error) => format!("its header: {error}"),
            Error::InvalidHeaderDeserialization(error) => format!("its header: {error}"),
            Error::TensorInvalidInfo => {
                format!("a tensor is not as long as its shape says: {damaged}")
            }
            Error::InvalidOffset(name) => {
                format!(
                    "the tensor '{name}' does not begin where the one before it ends: {damaged}"
                )
            }
            other => other.to_string(),
        })
    }
}

/// What is said of a file beside its tensors: what its network was trained for.
const PLACEMENT: &str = "placement";
const PICKER: &str = "picker";

/// The tensors of a file.
pub struct Tensors<'a> {
    tensors: SafeTensors<'a>,
    placement: Option<String>,
    picker: Option<String>,
}

impl<'a> Tensors<'a> {
    /// Reads the header, and looks whether the file holds what that says.
    ///
    /// # Errors
    ///
    /// It does not, or there is none.
    pub fn of(file: &'a [u8]) -> Result<Self, NetworkError> {
        let (_, header) = SafeTensors::read_metadata(file)?;
        let said = |key: &str| header.metadata().as_ref()?.get(key).cloned();
        Ok(Self {
            tensors: SafeTensors::deserialize(file)?,
            placement: said(PLACEMENT),
            picker: said(PICKER),
        })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// The names of all, in their order as texts.
    pub fn names(&self) -> Vec<&str> {
        let mut names = self.tensors.names();
        names.sort_unstable();
        names
    }

    /// The placement that it was trained for, if it says so.
    pub fn placement(&self) -> Option<&str> {
        self.placement.as_deref()
    }

    /// The picker that it was trained for, if it says so.
    pub fn picker(&self) -> Option<&str> {
        self.picker.as_deref()
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
        let Ok(tensor) = self.tensors.tensor(&name) else {
            return Err(NetworkError::Missing(name));
        };
        if tensor.dtype() != Dtype::F32 {
            let found = format!("{:?}", tensor.dtype());
            return Err(NetworkError::Type { name, found });
        }
        if tensor.shape() != wanted {
            return Err(NetworkError::Shape {
                name,
                found: tensor.shape().to_vec(),
                wanted,
            });
        }
        let (values, _) = tensor.data().as_chunks();
        let values: Vec<f32> = values.iter().map(|&of| f32::from_le_bytes(of)).collect();
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(NetworkError::NotFinite(name)),
        }
    }
}

/// A file of these tensors (names, shapes and values), which says for which placement they were trained.
pub fn written(tensors: &[(String, Vec<usize>, Vec<f32>)], placement: &str) -> Vec<u8> {
    let bytes = tensors.iter().map(|(_, _, values)| {
        let bytes = values.iter().copied().flat_map(f32::to_le_bytes);
        bytes.collect()
    });
    let bytes: Vec<Vec<u8>> = bytes.collect();
    let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
        (name, view.expect("as many values as the shape says"))
    });
    let said = [(PLACEMENT.to_owned(), placement.to_owned())];
    serialize(views, Some(said.into_iter().collect())).expect("texts and numbers are JSON")
}

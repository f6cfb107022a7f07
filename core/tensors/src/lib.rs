//! What networks keep in files: [`Tensors`] of safetensors, and the hash by which a file [is known](WeightsId).
//! Both learned networks, the placer's and the picker's, lie above it. It knows neither.

#![forbid(unsafe_code)]

mod id;
mod safetensors;

pub use id::{NoWeightsChoice, WeightsChoice, WeightsId};
pub use safetensors::{NetworkError, Tensors, written};

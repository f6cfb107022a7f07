//! Tensors by their names.

/// A tensor: its name, its shape and its values.
pub type Named = (String, Vec<usize>, Vec<f32>);

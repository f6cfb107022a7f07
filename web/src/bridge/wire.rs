//! How messages travel: an array of an `ArrayBuffer` with the encoded message and of what goes with it.
//! Buffers are transferred, not copied; files and blobs are only handles: who gets them reads them.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast, JsValue};

/// A value as bytes.
pub(super) fn encode(value: &impl Serialize) -> Result<ArrayBuffer, String> {
    let bytes = postcard::to_allocvec(value);
    let bytes = bytes.map_err(|error| format!("cannot write a message: {error}"))?;
    Ok(Uint8Array::from(bytes.as_slice()).buffer())
}

/// The value in bytes.
pub(super) fn decode<T: DeserializeOwned>(bytes: &ArrayBuffer) -> Result<T, String> {
    postcard::from_bytes(&Uint8Array::new(bytes).to_vec())
        .map_err(|error| format!("cannot read a message: {error}"))
}

/// A message and what goes with it, ready to be posted.
pub(super) fn pack(
    message: &impl Serialize,
    with: impl IntoIterator<Item = JsValue>,
) -> Result<Array, String> {
    let head = encode(message)?;
    let mut parcel = Array::of1(&head);
    parcel.extend(with);
    Ok(parcel)
}

/// What of a parcel is transferred.
pub(super) fn transferred(parcel: &Array) -> Array {
    parcel.filter(&mut |part, _, _| part.is_instance_of::<ArrayBuffer>())
}

/// The message in what arrived, and what went with it.
pub(super) fn unpack<T: DeserializeOwned>(parcel: &JsValue) -> Result<(T, Vec<JsValue>), String> {
    let parcel: &Array = parcel.dyn_ref().ok_or("a message is no array")?;
    let mut parts = parcel.iter();
    let head: ArrayBuffer = parts
        .next()
        .and_then(|head| head.dyn_into().ok())
        .ok_or("a message has no bytes")?;
    Ok((decode(&head)?, parts.collect()))
}

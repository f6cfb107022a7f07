//! How messages travel: an array of `ArrayBuffer`s, the encoded message first, all of them
//! transferred and not copied.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast, JsValue};

/// A message and what follows it, ready to be posted and transferred.
pub(super) fn pack(message: &impl Serialize, attachments: &[ArrayBuffer]) -> Result<Array, String> {
    let bytes = postcard::to_allocvec(message)
        .map_err(|error| format!("cannot write a message: {error}"))?;
    let parcel = Array::of1(&Uint8Array::from(bytes.as_slice()).buffer());
    for attachment in attachments {
        parcel.push(attachment);
    }
    Ok(parcel)
}

/// The message in what arrived, and what followed it.
pub(super) fn unpack<T: DeserializeOwned>(
    parcel: &JsValue,
) -> Result<(T, Vec<ArrayBuffer>), String> {
    let parcel: &Array = parcel.dyn_ref().ok_or("a message is no array")?;
    let mut buffers = parcel.iter().map(|part| part.dyn_into::<ArrayBuffer>());
    let head = buffers
        .next()
        .ok_or("a message is empty")?
        .map_err(|_| "a message has no bytes")?;
    let message = postcard::from_bytes(&Uint8Array::new(&head).to_vec())
        .map_err(|error| format!("cannot read a message: {error}"))?;
    let attachments = buffers
        .collect::<Result<_, _>>()
        .map_err(|_| "an attachment has no bytes")?;
    Ok((message, attachments))
}

//! How messages travel: an array of an `ArrayBuffer` with the encoded message, which is transferred
//! and not copied, and of the files that it is about. A file is only a handle: who gets it reads it.
//! Text that a worker has written for people travels as it is, so that nobody needs to decode it.

use super::protocol::Reply;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::File;

/// A message and the files that follow it, ready to be posted.
pub(super) fn pack(message: &impl Serialize, files: &[File]) -> Result<Array, String> {
    let bytes = postcard::to_allocvec(message)
        .map_err(|error| format!("cannot write a message: {error}"))?;
    let parcel = Array::of1(&Uint8Array::from(bytes.as_slice()).buffer());
    for file in files {
        parcel.push(file);
    }
    Ok(parcel)
}

/// What a worker says.
pub(super) fn hear(message: &JsValue) -> Result<Reply, String> {
    match message.as_string() {
        Some(text) => Ok(Reply::Exported(text)),
        None => unpack(message).map(|(reply, _)| reply),
    }
}

/// What of a parcel is transferred.
pub(super) fn transferred(parcel: &Array) -> Array {
    Array::of1(&parcel.get(0))
}

/// The message in what arrived, and the files that followed it.
pub(super) fn unpack<T: DeserializeOwned>(parcel: &JsValue) -> Result<(T, Vec<File>), String> {
    let parcel: &Array = parcel.dyn_ref().ok_or("a message is no array")?;
    let mut parts = parcel.iter();
    let head: ArrayBuffer = parts
        .next()
        .and_then(|head| head.dyn_into().ok())
        .ok_or("a message has no bytes")?;
    let message = postcard::from_bytes(&Uint8Array::new(&head).to_vec())
        .map_err(|error| format!("cannot read a message: {error}"))?;
    // They were files when they were posted.
    Ok((message, parts.map(JsCast::unchecked_into).collect()))
}

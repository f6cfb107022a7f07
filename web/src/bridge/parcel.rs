//! How messages travel: as a plain object with named fields, which relays (static/sharing.js) read, around
//! the bytes of the message, which nobody reads but its two ends, and around what goes with it. Buffers are
//! transferred, not copied; files and blobs are only handles: the receiver reads them.

use super::protocol::{Kind, Message};
use js_sys::{Array, ArrayBuffer, Object, Uint8Array};
use serde::de::DeserializeOwned;
use thiserror::Error;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use xxhash_rust::xxh3::xxh3_128;

#[wasm_bindgen]
extern "C" {
    /// A message on its way.
    #[wasm_bindgen(extends = Object)]
    #[derive(Clone, Debug)]
    pub(crate) type Parcel;

    /// See [`Kind::name`].
    #[wasm_bindgen(method, setter, js_name = kind)]
    fn set_kind(this: &Parcel, kind: &str);
    /// See [`Kind::is_shared`].
    #[wasm_bindgen(method, setter, js_name = isShared)]
    fn set_shared(this: &Parcel, is_shared: bool);
    /// See [`Kind::is_last`].
    #[wasm_bindgen(method, setter, js_name = isLast)]
    fn set_last(this: &Parcel, is_last: bool);
    /// Of what is shared: the same for equal messages, if what is attached is equal, too.
    #[wasm_bindgen(method, setter, js_name = key)]
    fn set_key(this: &Parcel, key: &str);
    /// The message as bytes.
    #[wasm_bindgen(method, setter, js_name = message)]
    fn set_message(this: &Parcel, message: &ArrayBuffer);
    #[wasm_bindgen(method, getter, js_name = message)]
    fn message(this: &Parcel) -> JsValue;
    /// What goes with it.
    #[wasm_bindgen(method, setter, js_name = attachments)]
    fn set_attachments(this: &Parcel, attachments: &Array);
    #[wasm_bindgen(method, getter, js_name = attachments)]
    fn attachments(this: &Parcel) -> JsValue;
}

/// Why a message cannot travel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParcelError {
    /// It cannot be written as bytes.
    #[error("cannot write a message: {0}")]
    Unwritable(postcard::Error),
    /// Its bytes are none of a message.
    #[error("cannot read a message: {0}")]
    Unreadable(postcard::Error),
    /// It has no bytes at all.
    #[error("a message has no bytes")]
    Empty,
}

impl Parcel {
    /// A message and what goes with it.
    pub(super) fn pack(
        message: &impl Message,
        attachments: impl IntoIterator<Item = JsValue>,
    ) -> Result<Self, ParcelError> {
        let bytes = postcard::to_allocvec(message).map_err(ParcelError::Unwritable)?;
        let Kind {
            name,
            is_shared,
            is_last,
        } = message.kind();
        let parcel: Self = Object::new().unchecked_into();
        parcel.set_kind(name);
        parcel.set_shared(is_shared);
        parcel.set_last(is_last);
        if is_shared {
            parcel.set_key(&format!("{name} {:032x}", xxh3_128(&bytes)));
        }
        parcel.set_message(&Uint8Array::from(bytes.as_slice()).buffer());
        parcel.set_attachments(&attachments.into_iter().collect());
        Ok(parcel)
    }

    /// What of it is transferred.
    pub(super) fn transferred(&self) -> Array {
        let message = std::iter::once(self.message());
        let attached = self.attached().into_iter();
        let all = message.chain(attached);
        all.filter(JsValue::is_instance_of::<ArrayBuffer>).collect()
    }

    fn attached(&self) -> Vec<JsValue> {
        let attachments = self.attachments();
        attachments.dyn_ref().map_or_else(Vec::new, Array::to_vec)
    }
}

/// The message in what has arrived, and what went with it.
pub(super) fn unpack<T: DeserializeOwned>(
    arrived: &JsValue,
) -> Result<(T, Vec<JsValue>), ParcelError> {
    if !arrived.is_object() {
        return Err(ParcelError::Empty);
    }
    let parcel: &Parcel = arrived.unchecked_ref();
    let message: ArrayBuffer = parcel
        .message()
        .dyn_into()
        .map_err(|_| ParcelError::Empty)?;
    let bytes = Uint8Array::new(&message).to_vec();
    let message = postcard::from_bytes(&bytes).map_err(ParcelError::Unreadable)?;
    Ok((message, parcel.attached()))
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::*;
    use crate::bridge::protocol::{RunReply, RunRequest};
    use switchyard::Time;
    use switchyard::engine::{LogRows, RunLog, SimulationProgress};
    use switchyard_workers::protocol::LogPiece;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// The fields of a parcel, as the script that relays it names them.
    fn fields() -> Vec<&'static str> {
        let script = include_str!("../../../static/sharing.js");
        let (_, fields) = script.split_once("is {").expect("it names them");
        let (fields, _) = fields.split_once('}').expect("they end");
        fields.split(", ").collect()
    }

    #[wasm_bindgen_test]
    fn a_parcel_has_the_fields_that_scripts_know() {
        let parcel = Parcel::pack(&RunRequest::Simulate, []).expect("it can be written");
        let keys = Object::keys(&parcel).to_vec();
        let mut keys: Vec<String> = keys.iter().filter_map(JsValue::as_string).collect();
        let mut named = fields();
        keys.sort();
        named.sort_unstable();
        assert_eq!(keys, named);
    }

    #[wasm_bindgen_test]
    fn a_piece_of_a_log_is_handed_over_and_not_cloned() {
        let log = RunLog::default();
        let reply = RunReply::Log {
            piece: LogPiece::of(&log.since(LogRows::default())),
            progress: SimulationProgress {
                now: Time::ZERO,
                done: 0,
                jobs: 1,
            },
        };
        let parcel = Parcel::pack(&reply, reply.attachments()).expect("it can be written");
        let cells = parcel.attached();
        assert!(matches!(&*cells, [cells] if cells.is_instance_of::<ArrayBuffer>()));
        assert_eq!(
            parcel.transferred().to_vec(),
            [&[parcel.message()], &*cells].concat()
        );
    }

    #[wasm_bindgen_test]
    fn what_is_no_parcel_is_refused() {
        for arrived in [JsValue::NULL, JsValue::from_str("1"), Object::new().into()] {
            let read = unpack::<RunReply>(&arrived);
            assert!(matches!(read, Err(ParcelError::Empty)));
        }
    }
}

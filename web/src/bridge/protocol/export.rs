//! Jobs as a file's text.

use super::{Kind, Message, Role};
use serde::{Deserialize, Serialize};
use switchyard_app::Experiment;
use wasm_bindgen::JsValue;

/// Writes jobs in a format.
#[derive(Debug)]
pub enum Exporter {}

impl Role for Exporter {
    const NAME: &'static str = "exporter";
    type Request = ExportRequest;
    type Reply = ExportReply;
}

/// What a workload can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Our own: jobs with cluster, policies and seed.
    Switchyard,
    /// The Standard Workload Format.
    Swf,
    /// Tiresias' CSV.
    Tiresias,
}

/// What is asked: the attached jobs in a format.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportRequest {
    /// The format.
    pub format: ExportFormat,
    /// The settings, as far as the format has a place for them.
    pub settings: Box<Experiment>,
}

impl Message for ExportRequest {
    fn kind(&self) -> Kind {
        Kind::named("export")
    }
}

/// What the exporter says.
#[derive(Debug, Serialize, Deserialize)]
pub enum ExportReply {
    /// The text. It is attached as it is: static/rescue.js saves it where the page's program has failed.
    Exported(#[serde(skip)] String),
    /// The jobs cannot be read: why.
    Failed(String),
}

impl Message for ExportReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Exported(_) => EXPORTED,
            Self::Failed(_) => Kind::named("failed").last(),
        }
    }

    fn attachments(&self) -> Vec<JsValue> {
        match self {
            Self::Exported(text) => vec![JsValue::from_str(text)],
            Self::Failed(_) => Vec::new(),
        }
    }

    fn attach(&mut self, attachments: Vec<JsValue>) {
        if let Self::Exported(text) = self {
            let attached = attachments.first().and_then(JsValue::as_string);
            *text = attached.unwrap_or_default();
        }
    }
}

/// The kind that static/rescue.js knows by name.
pub(super) const EXPORTED: Kind = Kind::named("exported").last();

//! What a text is: cluster, list of outages, trace or neither, and of which format.
//!
//! The most specific signature wins. A table without a header goes by the number of columns and
//! their content.

use super::cluster_file::ClusterKind;
use super::cluster_files;
use super::error::OpenError;
use super::format::Format;
use super::formats::{self, FORMATS, is_swf_job};
use super::guess::{self, tells_jobs};
use super::known;
use super::look::{Sniffed, sniff};
use super::mapping::ColumnMapping;
use super::rows::Part;
use super::sniff::{Evidence, Shape, Sniff};
use crate::outages::Outages;

/// What a text turned out to be.
pub(crate) enum Found<'a> {
    /// A job trace, and how it was recognised.
    Trace(&'static Format, String, Sniff<'a>),
    /// A cluster description.
    Cluster(&'static ClusterKind, Sniff<'a>),
    /// A list of outages.
    Outages,
    /// More of the text is needed to tell.
    More,
    /// All of the text is needed.
    Whole,
}

/// Tells what a text is, or why it can be neither trace nor cluster. `mapping`: which columns a
/// table has, whatever they look like.
pub(crate) fn detect<'a>(
    file: &'a str,
    text: &'a str,
    part: Part,
    mapping: Option<&ColumnMapping>,
) -> Result<Found<'a>, OpenError> {
    if mapping.is_none() && Outages::is_list(text) {
        return Ok(match part {
            Part::Some => Found::Whole,
            Part::Last => Found::Outages,
        });
    }
    let sniff = match sniff(file, text, part, mapping.is_some(), is_swf_job)? {
        Sniffed::Known(sniff) => sniff,
        Sniffed::More => return Ok(Found::More),
        Sniffed::Whole => return Ok(Found::Whole),
    };
    if let Some(kind) = cluster_files::recognise(&sniff) {
        return Ok(match part {
            Part::Some => Found::Whole,
            Part::Last => Found::Cluster(kind, sniff),
        });
    }
    let is_of = |sniff: &Sniff<'_>| FORMATS.iter().any(|of| (of.recognise)(sniff).is_some());
    let within = match sniff.shape {
        Shape::JsonObject if !is_of(&sniff) => sniff.jobs_within(tells_jobs),
        _ => None,
    };
    let sniff = within.unwrap_or(sniff);
    if let (Some(mapping), true) = (mapping, sniff.is_mappable()) {
        let recognised = guess::said(&sniff, mapping);
        return Ok(Found::Trace(formats::GENERIC, recognised, sniff));
    }
    if let Some(refusal) = known::refuse(&sniff) {
        return Err(refusal);
    }
    let mut best: Option<(&'static Format, Evidence)> = None;
    for &format in FORMATS {
        if let Some(evidence) = (format.recognise)(&sniff)
            && best
                .as_ref()
                .is_none_or(|(_, b)| evidence.weight > b.weight)
        {
            best = Some((format, evidence));
        }
    }
    match best {
        Some((format, evidence)) => Ok(Found::Trace(format, evidence.text, sniff)),
        None => Err(match sniff.shape {
            Shape::JsonArray | Shape::JsonLines | Shape::JsonObject => OpenError::not_a_trace(
                file,
                "a trace in JSON is an array of jobs, or one job on each line, such as {\"submit_time\": 0, \"duration\": 60, \"num_gpus\": 1}: convert it to that, or to CSV",
            ),
            Shape::Pairs => OpenError::not_a_trace(
                file,
                "it is settings of Slurm without nodes or jobs: open what sacct --parsable2 prints, and slurm.conf's lines NodeName=… beside it",
            ),
            Shape::Yaml => OpenError::not_a_trace(
                file,
                "it is YAML without nodes of a cluster, pods or jobs of Kubernetes: open a table of jobs",
            ),
            _ => OpenError::UnknownTable {
                file: file.to_owned(),
                why: "it has neither a header row nor the columns of a known format: add a header such as job_id,submit_time,duration,num_gpus, or say which columns are which".to_owned(),
                table: Box::new(sniff.head(ColumnMapping::default())),
            },
        }),
    }
}

//! The worker that turns files and samples into jobs. Of the trace opened last it keeps the
//! records, so that other jobs of it can be taken without reading it again.

use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::{
    Among, Choice, Facets, MOST_HELD, OpenReply, OpenRequest, OpenedTrace, Opener, Refusal,
};
use crate::bridge::server::PageLink;
use crate::draw::format;
use js_sys::{ArrayBuffer, Uint8Array};
use std::borrow::Cow;
use std::cmp::Reverse;
use switchyard::cluster::ClusterSpec;
use switchyard::job::Status;
use switchyard::order;
use switchyard::outages::Outages;
use switchyard::trace::{
    ChoiceError, Choices, Distributions, ImportReport, OpenError, OpenOptions, Opened, Opening,
    Trace,
};
use switchyard::workload::{Label, Sample, Workload};
use switchyard::{Index, Resource};
use switchyard_app::Experiment;
use switchyard_app::figures::Bars;
use switchyard_app::study::{asked_or_came, cluster_or_guess};
use wasm_bindgen::JsCast;
use web_sys::{File, FileReaderSync};

/// Bytes of a file that are read at once: asking the browser for them costs a millisecond or two.
const SLICE: usize = 16 << 20;

/// Files may have this many bytes, decompressed: they are read in slices, and whoever finds it
/// long can cancel.
const MAX_BYTES: u64 = 64 << 30;

/// Rows that files may have: their records take a gigabyte, once more where others are taken
/// of them, of the four that a worker can have.
const MAX_ROWS: u64 = 5_000_000;

/// Tenants that a person may look through.
const LISTED: usize = 60;

/// Starts to listen.
pub(super) fn serve(page: PageLink<Opener>) {
    let mut held: Option<Trace> = None;
    page.clone().listen(move |request, files| {
        // They were files when they were posted.
        let files: Vec<File> = files.into_iter().map(JsCast::unchecked_into).collect();
        let answer = match request {
            OpenRequest::Open {
                member,
                columns,
                choice,
                cluster,
                cluster_unit,
            } => match open_files(
                &page,
                &files,
                (member, columns),
                &choice,
                cluster.as_ref(),
                cluster_unit,
            ) {
                #[cfg(not(feature = "columnar"))]
                Ok(None) => return page.needs_other_program(),
                // This program reads them.
                #[cfg(feature = "columnar")]
                Ok(None) => return,
                Ok(Some(Opened::Trace(mut trace))) => {
                    let is_whole = choices(&choice).is_ok_and(|choices| choices.is_default());
                    let answer = match is_whole && trace.report.rows_kept > MOST_HELD {
                        true => {
                            held = None;
                            all(&mut trace, &choice)
                        }
                        false => taken(&trace, &choice, cluster.as_ref(), true),
                    };
                    if answer.is_ok() && !trace.records.is_empty() {
                        held = Some(trace);
                    }
                    answer
                }
                Ok(Some(Opened::Cluster(cluster))) => Ok(OpenReply::OpenedCluster(cluster)),
                Ok(Some(Opened::Profiles(tables))) => Ok(OpenReply::OpenedProfiles(tables)),
                Ok(Some(Opened::Outages(outages))) => Ok(OpenReply::OpenedOutages(outages)),
                Err(refusal) => Err(refusal),
            },
            OpenRequest::Choose { choice, cluster } => match &held {
                Some(trace) => taken(trace, &choice, Some(&cluster), false),
                None => Err(Refusal::because("No trace is open: open one first.")),
            },
            OpenRequest::Sample {
                name,
                choice,
                fresh,
            } => sample(&name, &choice, fresh),
        };
        page.reply(answer.unwrap_or_else(OpenReply::Refused));
    });
}

impl Refusal {
    fn because(why: impl ToString) -> Self {
        Self {
            why: why.to_string(),
            ..Self::default()
        }
    }
}

impl From<OpenError> for Refusal {
    fn from(error: OpenError) -> Self {
        // The limits of a page are not raised by an option, as those of other programs are.
        let why = match &error {
            OpenError::CountsCores {
                file,
                jobs,
                core_hours,
            } => format!(
                "{file}: its jobs ask for cores, not GPUs ({}, {core_hours} core·h). They can be counted in cores, in the place of GPUs",
                format::counted(u64::from(*jobs), "job", "jobs")
            ),
            OpenError::TooManyRows { file, limit } => format!(
                "{file} has more than {} rows, and a page holds no more: open a part of it, which switchyard convert writes",
                format::count(*limit)
            ),
            OpenError::TooLarge { file, limit } => format!(
                "{file} holds more than {} GB once decompressed, and a page reads no more: open its members one at a time, or a part of it, which switchyard convert writes",
                limit >> 30
            ),
            _ => error.to_string(),
        };
        Self {
            why,
            table: error.table().cloned().map(Box::new),
            half: matches!(error, OpenError::Half { .. }),
            of_cores: matches!(error, OpenError::CountsCores { .. }),
        }
    }
}

/// Reads files as they were chosen; a cluster that comes alone counts what the open trace does. `None`: there is a
/// table stored by columns, which another program reads.
fn open_files(
    page: &PageLink<Opener>,
    files: &[File],
    (member, columns): (Option<String>, Option<String>),
    choice: &Choice,
    cluster: Option<&ClusterSpec>,
    cluster_unit: Resource,
) -> Result<Option<Opened>, Refusal> {
    let unit = choice.unit();
    let mapping = columns.map(|text| text.parse()).transpose();
    let mut asked = switchyard_app::options::Opening {
        options: OpenOptions {
            member,
            max_bytes: MAX_BYTES,
            max_rows: MAX_ROWS,
            mapping: mapping.map_err(Refusal::because)?,
            unit,
            ..OpenOptions::default()
        },
        choices: choices(choice).map_err(Refusal::because)?,
        cluster: cluster.cloned(),
    };
    let opened = open(page, files, asked.options.clone());
    if unit != cluster_unit && !matches!(opened, Ok(None | Some(Opened::Trace(_)))) {
        asked.options.unit = cluster_unit;
        let again = open(page, files, asked.options);
        if let Ok(Some(Opened::Cluster(_))) = again {
            return again;
        }
        return opened;
    }
    let again = opened.as_ref().ok().and_then(Option::as_ref);
    match again.and_then(|opened| asked.again(opened)) {
        Some(again) => {
            drop(opened);
            open(page, files, again)
        }
        None => opened,
    }
}

/// Reads files slice by slice, and says how far it has come.
fn open(
    page: &PageLink<Opener>,
    files: &[File],
    options: OpenOptions,
) -> Result<Option<Opened>, Refusal> {
    let bytes = files.iter().map(|file| file.size()).sum::<f64>();
    let mut opening = Opening::new(options).expecting(bytes as u64);
    #[cfg(feature = "columnar")]
    {
        opening = opening.reading_columns(switchyard_columnar::read);
    }
    let mut slice = Vec::new();
    for file in files {
        let name = file.name();
        opening.begin(&name)?;
        let mut at = 0.0;
        while at < file.size() {
            read(file, at, &mut slice).ok_or_else(|| {
                Refusal::because(format!(
                    "{name} cannot be read: it may have been moved or changed, or be a folder. Open it again, or the files in it."
                ))
            })?;
            opening.push(&slice)?;
            if opening.met_columns() && cfg!(not(feature = "columnar")) {
                return Ok(None);
            }
            at += SLICE as f64;
            let progress = opening.progress();
            let (bytes, rows) = (progress.bytes, progress.rows);
            page.reply(OpenReply::Reading { bytes, rows });
        }
    }
    Ok(Some(opening.finish()?))
}

/// The slice of a file that begins at a byte.
pub(super) fn read(file: &File, at: f64, slice: &mut Vec<u8>) -> Option<()> {
    let blob = file.slice_with_f64_and_f64(at, at + SLICE as f64).ok()?;
    let buffer = FileReaderSync::new()
        .ok()?
        .read_as_array_buffer(&blob)
        .ok()?;
    let bytes = Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>());
    slice.resize(bytes.length() as usize, 0);
    bytes.copy_to(slice);
    Some(())
}

/// The jobs of a trace that were chosen. `fresh`: it has just been read.
fn taken(
    trace: &Trace,
    choice: &Choice,
    cluster: Option<&ClusterSpec>,
    fresh: bool,
) -> Result<OpenReply, Refusal> {
    let choices = choices(choice).map_err(Refusal::because)?;
    format::count_in(trace.unit);
    // The records stay for other choices; there are two copies of them only where some are taken.
    let mut chosen = Cow::Borrowed(trace);
    if !choices.is_default() {
        chosen
            .to_mut()
            .choose(&choices, cluster.or(trace.cluster.as_ref()))
            .map_err(|why| Refusal::because(format!("Nothing has changed: {why}.")))?;
    }
    let workload = at_load(chosen.workload(), choice);
    opened(trace, &chosen, facets(trace), &workload, fresh)
}

/// All jobs of a trace of so many that its records are not kept: they become the jobs.
fn all(trace: &mut Trace, choice: &Choice) -> Result<OpenReply, Refusal> {
    format::count_in(trace.unit);
    let facets = facets(trace);
    let workload = at_load(trace.take_workload(), choice);
    opened(trace, trace, facets, &workload, true)
}

/// The answer of a trace and of what was chosen of it.
fn opened(
    trace: &Trace,
    chosen: &Trace,
    facets: Facets,
    workload: &Workload,
    fresh: bool,
) -> Result<OpenReply, Refusal> {
    let experiment = Experiment::of(trace)?;
    let report = ImportReport {
        distributions: Distributions::default(),
        ..chosen.report.clone()
    };
    let title = experiment.as_ref().map(|own| own.title.clone());
    Ok(OpenReply::Opened(Box::new(OpenedTrace {
        fresh,
        format: chosen.format.clone(),
        accounting: chosen.is_accounting(),
        title: title
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| chosen.title.clone()),
        report: Some(report),
        charts: Bars::of(
            &chosen.report.distributions,
            trace.epoch.is_some(),
            format::unit(),
        ),
        facets,
        members: chosen.members.clone(),
        profiles: if fresh {
            trace.profiles.clone()
        } else {
            Vec::new()
        },
        outages: if fresh {
            trace.outages.clone()
        } else {
            Outages::default()
        },
        // As a study has it, but for two things, since the page's visitors go on from here. Nodes without GPUs stay
        // where no job is on cores: other jobs may be chosen. And the guess is made before jobs train applications:
        // a scheduler that adapts jobs, added later, must not change the cluster.
        cluster: cluster_or_guess(asked_or_came(None, trace.cluster.clone()), workload),
        experiment: experiment.filter(|_| fresh),
        jobs: Jobs::write(workload).map_err(Refusal::because)?,
    })))
}

fn choices(choice: &Choice) -> Result<Choices, ChoiceError> {
    let mut choices = Choices::default();
    for (key, value) in &choice.0 {
        // Others are units and loads, and what a later page has kept.
        choices.take(key, value)?;
    }
    Ok(choices)
}

fn facets(trace: &Trace) -> Facets {
    let statuses = Status::ALL;
    let mut ended = statuses.map(|(name, _)| (name.to_string(), 0));
    let counted = |names: &[String]| -> Vec<(String, u32)> {
        names.iter().map(|name| (name.clone(), 0)).collect()
    };
    let mut tenants = counted(&trace.tenants);
    let mut by_set = vec![0; trace.labels.sets.len()];
    let mut labels = Label::ALL.map(|label| (label, counted(trace.labels.names(label))));
    let (mut first, mut last) = (f64::INFINITY, 0.0);
    let (mut fractional, mut on_cores) = (0, 0);
    for record in &trace.records {
        let status = statuses.iter().position(|of| of.1 == record.status);
        if let Some((_, jobs)) = status.and_then(|at| ended.get_mut(at)) {
            *jobs += 1;
        }
        let tenant = record.tenant.and_then(|at| tenants.get_mut(at as usize));
        if let Some((_, jobs)) = tenant {
            *jobs += 1;
        }
        let set = record.labels.map(|set| set.get() as usize);
        if let Some(jobs) = set.and_then(|set| by_set.get_mut(set)) {
            *jobs += 1;
        }
        fractional += u32::from(record.share < 1.0);
        on_cores += u32::from(record.gpus == 0);
        first = if record.submit < first {
            record.submit
        } else {
            first
        };
        last = if record.submit > last {
            record.submit
        } else {
            last
        };
    }
    for (set, more) in (0..).zip(by_set) {
        for (label, names) in &mut labels {
            let name = trace.labels.index(Index::new(set), *label);
            if let Some((_, jobs)) = name.and_then(|at| names.get_mut(at as usize)) {
                *jobs += more;
            }
        }
    }
    let listed = |key: &str, title: &str, mut names: Vec<(String, u32)>| {
        order::sort_by_key(&mut names, |name| Reverse(name.1));
        let more = names.len().saturating_sub(LISTED) as u32;
        names.truncate(LISTED);
        Among {
            key: key.to_string(),
            title: title.to_string(),
            names,
            more,
        }
    };
    let labels = labels.map(|(label, names)| listed(label.word(), label.plural(), names));
    let tenants = listed("tenant", "Tenants", tenants);
    // Tenants may be a label's names under another title.
    let is_label = labels.iter().any(|label| label.names == tenants.names);
    let among = (!is_label).then_some(tenants).into_iter().chain(labels);
    Facets {
        among: among.filter(|of| of.names.len() > 1).collect(),
        statuses: ended.into_iter().filter(|of| of.1 > 0).collect(),
        fractional,
        on_cores,
        span: last - first,
    }
}

/// The jobs as fast as a choice has them come.
fn at_load(workload: Workload, choice: &Choice) -> Workload {
    match choice.load() {
        1.0 => workload,
        load => workload.at_load(load),
    }
}

fn sample(name: &str, choice: &Choice, fresh: bool) -> Result<OpenReply, Refusal> {
    let sample = Sample::named(name).ok_or_else(|| {
        Refusal::because(format!(
            "There is no sample '{name}': choose one from the list."
        ))
    })?;
    let workload = at_load(sample.workload(), choice);
    let jobs = Jobs::write(&workload).map_err(Refusal::because)?;
    Ok(OpenReply::Opened(Box::new(OpenedTrace {
        fresh,
        ..OpenedTrace::of_sample(sample, jobs)
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_does_not_take_is_refused_without_an_option_that_it_has_not() {
        let file = "a.csv".to_owned();
        let rows = OpenError::TooManyRows {
            file: file.clone(),
            limit: MAX_ROWS,
        };
        let bytes = OpenError::TooLarge {
            file,
            limit: MAX_BYTES,
        };
        for (error, limit) in [(rows, "5,000,000 rows"), (bytes, "64 GB")] {
            let why = Refusal::from(error).why;
            assert!(why.contains(limit) && !why.contains("--"), "{why}");
        }
    }
}

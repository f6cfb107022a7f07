//! Files that are opened together, slice by slice, and what they amount to in the end.

use super::cluster_file::ClusterFile;
use super::cluster_files;
use super::container::{File, Within};
use super::copies::{self, Copy};
use super::distributions::Distributions;
use super::error::OpenError;
use super::formats;
use super::header::Header;
use super::import::Imported;
use super::place::{Flaws, Place, stem};
use super::read_columns::ReadColumns;
use super::report::{ImportReport, WarningKind};
use super::review::{self, Span};
use super::shared::{Collected, Part, Shared};
use super::sink::{LabelNames, Names, Sink};
use super::{Index, Member, OpenOptions, Opened, Trace};
use crate::Resource;
use crate::order;
use crate::outages::Outages;
use std::collections::BTreeMap;

/// How many bytes are opened at once: they and what becomes of them stay in a processor's cache.
const PIECE: usize = 1 << 18;

/// Opens files slice by slice. Abandoning it cancels the opening.
///
/// ```
/// use switchyard_trace::{OpenOptions, Opened, Opening};
///
/// let mut opening = Opening::new(OpenOptions::default());
/// opening.begin("jobs.csv")?;
/// opening.push(b"job_id,submit_time,dur")?;
/// opening.push(b"ation,num_gpus\n1,0,60,2\n")?;
/// let Opened::Trace(trace) = opening.finish()? else {
///     panic!("a trace");
/// };
/// assert_eq!(trace.records[0].duration, 60.0);
/// # Ok::<(), switchyard_trace::OpenError>(())
/// ```
pub struct Opening {
    file: Option<File>,
    shared: Shared,
    bytes: u64,
    /// How many are to come in all, where that is known.
    expected: Option<u64>,
}

/// How far an opening has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpeningProgress {
    /// Bytes taken, as the files have them.
    pub bytes: u64,
    /// Rows read.
    pub rows: u64,
    /// Rows that became records.
    pub jobs: u64,
}

impl Opening {
    /// An opening without files.
    pub fn new(options: OpenOptions) -> Self {
        Self {
            file: None,
            shared: Shared::new(options),
            bytes: 0,
            expected: None,
        }
    }

    /// The same of files that have so many bytes together: records get the room that they need, and no more.
    pub fn expecting(mut self, bytes: u64) -> Self {
        self.expected = Some(bytes);
        self
    }

    /// The same, with a reader of tables that are stored by columns: Parquet and Arrow. Without one they are refused.
    pub fn reading_columns(mut self, read: ReadColumns) -> Self {
        self.shared.columns = Some(read);
        self
    }

    /// Whether a table stored by columns has come, read or refused.
    pub fn met_columns(&self) -> bool {
        self.shared.met_columns
    }

    /// Begins the next file, whose slices follow; the one before it is over.
    ///
    /// # Errors
    ///
    /// What [`finish`](Self::finish) would tell of the file before it, if it ends everything.
    pub fn begin(&mut self, name: &str) -> Result<(), OpenError> {
        self.end()?;
        self.shared.begin(name);
        self.file = Some(File::at(Place::outermost(name)));
        Ok(())
    }

    /// Takes the next slice of the file, of any length.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] if the container is damaged or too large. Nothing can follow.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), OpenError> {
        bytes.chunks(PIECE).try_for_each(|piece| self.take(piece))
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), OpenError> {
        let Some(file) = &mut self.file else {
            return Err(OpenError::NoFiles);
        };
        let expected = self.expected.filter(|_| self.bytes > 0);
        self.shared.to_come = expected.map(|expected| expected as f64 / self.bytes as f64);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        self.shared.take(bytes.len())?;
        file.push(bytes, &mut self.shared)
    }

    /// How far it has come.
    pub fn progress(&self) -> OpeningProgress {
        OpeningProgress {
            bytes: self.bytes,
            rows: self.shared.rows,
            jobs: self.shared.jobs,
        }
    }

    /// What the files are. Their order does not matter.
    ///
    /// # Errors
    ///
    /// An [`OpenError`] if there is no trace and no cluster, if traces differ in format, or if a
    /// container is damaged.
    pub fn finish(mut self) -> Result<Opened, OpenError> {
        self.end()?;
        let unit = self.shared.options.unit;
        finish(self.shared.into_collected()?, unit)
    }

    fn end(&mut self) -> Result<(), OpenError> {
        match self.file.take() {
            Some(file) => file.end(Flaws::default(), &mut self.shared),
            None => Ok(()),
        }
    }
}

/// What the files amount to.
fn finish(mut found: Collected, unit: Resource) -> Result<Opened, OpenError> {
    order::sort_by(&mut found.slurm, |a, b| a.0.file.cmp(&b.0.file));
    for (place, read) in cluster_files::read_together(&found.slurm, unit) {
        match read {
            Ok(cluster) => found.clusters.push((place, cluster)),
            Err(why) => found.refusals.push((place, why)),
        }
    }
    // In the order of their names; that in which they came or were packed says nothing.
    order::sort_by(&mut found.parts, |a, b| a.place.file.cmp(&b.place.file));
    order::sort_by(&mut found.clusters, |a, b| a.0.file.cmp(&b.0.file));
    order::sort_by(&mut found.refusals, |a, b| a.0.file.cmp(&b.0.file));
    order::sort_by(&mut found.profiles, |a, b| a.file.cmp(&b.file));
    let parts = found.parts.iter().map(|part| &part.place);
    let mut places = parts.chain(found.refusals.iter().map(|(place, _)| place));
    if places.any(|place| place.exact) {
        found.parts.retain(|part| part.place.exact);
        found.refusals.retain(|(place, _)| place.exact);
    }
    let mut clusters = found.clusters.into_iter();
    let first = clusters.next();
    for (place, cluster) in clusters {
        if let Some((other, known)) = &first
            && known.spec != cluster.spec
        {
            return Err(OpenError::SeveralClusters {
                first: other.file.clone(),
                second: place.file,
            });
        }
    }
    let refusals = found.refusals.into_iter().map(|(_, why)| why);
    let mut refusals: Vec<OpenError> = refusals.collect();
    formats::join(&mut found.parts, &mut refusals);
    let same = copies::leave_out(&mut found.parts);
    let Some(first_part) = found.parts.first() else {
        if !found.outages.is_empty() && refusals.is_empty() {
            if first.is_some() || !found.profiles.is_empty() {
                let why = "it is a list of outages beside other files without jobs: open it by itself, or all of them with a trace";
                return Err(OpenError::not_a_trace(&found.outages_in, why));
            }
            return Ok(Opened::Outages(found.outages));
        }
        if !found.profiles.is_empty() {
            return Ok(Opened::Profiles(found.profiles));
        }
        // A file that is no trace weighs more than a cluster beside it: it was meant as one.
        return match (refusals.into_iter().next(), first) {
            (Some(refusal), _) => Err(refusal),
            (None, Some((_, cluster))) => Ok(Opened::Cluster(cluster.spec)),
            (None, None) => Err(OpenError::NoFiles),
        };
    };
    let parts = found.parts.iter();
    if let Some(other) = parts.clone().find(|p| p.format.id != first_part.format.id) {
        return Err(OpenError::MixedFormats {
            first: first_part.place.file.clone(),
            first_format: first_part.format.title.to_owned(),
            second: other.place.file.clone(),
            second_format: other.format.title.to_owned(),
        });
    }
    let unit = first_part.imported.sink.unit;
    if let Some(other) = parts.clone().find(|part| part.imported.sink.unit != unit) {
        let title = |part: &Part| {
            let unit = part.imported.sink.unit;
            format!("{} of jobs counted in {unit}", part.format.title)
        };
        return Err(OpenError::MixedFormats {
            first: first_part.place.file.clone(),
            first_format: title(first_part),
            second: other.place.file.clone(),
            second_format: title(other),
        });
    }
    let cluster = first.map(|(_, cluster)| cluster);
    Ok(Opened::Trace(Trace {
        profiles: found.profiles,
        outages: found.outages,
        ..merge(found.parts, cluster, &refusals, &same)
    }))
}

/// One trace of its parts, of which there is at least one.
fn merge(
    parts: Vec<Part>,
    cluster: Option<ClusterFile>,
    refusals: &[OpenError],
    copies: &[Copy],
) -> Trace {
    let labels = labels(&parts);
    let mut all = Sink::new("", u32::MAX);
    let (mut tenants, mut models) = (Names::default(), Names::default());
    let (mut gpu_types, mut nodes) = (Names::default(), Names::default());
    let mut all_labels = LabelNames::default();
    let mut members: Vec<Member> = Vec::new();
    let places: Vec<String> = parts.iter().map(|part| part.place.file.clone()).collect();
    let (mut format, mut title) = (String::new(), String::new());
    let mut report = ImportReport::default();
    let mut header: Option<Header> = None;
    for (part, label) in parts.into_iter().zip(labels) {
        let name = part.place.own_path().to_owned();
        let Imported { mut sink, units } = part.imported;
        if members.is_empty() {
            part.format.id.clone_into(&mut format);
            part.format.title.clone_into(&mut title);
            report.recognised = format!("{}: {}.", part.format.title, part.recognised);
            report.units = units;
            report.table = sink.table.take();
            header = sink.header.take();
        }
        members.push(Member {
            name,
            jobs: sink.records.len() as u32,
        });
        let mut records = sink.records;
        let type_of: Vec<Option<u32>> = sink.gpu_types.list().map(|t| gpu_types.index(t)).collect();
        let same = (0..).zip(&type_of).all(|(at, of)| *of == Some(at));
        for record in records.iter_mut().filter(|_| !same) {
            record.demand.types = record.demand.types.renamed(&type_of);
            record.ran_on = record.ran_on.renamed(&type_of);
        }
        match &label {
            // Without a label there is one part, whose names can stay as they are.
            None => {
                (tenants, models) = (sink.tenants, sink.models);
                (all_labels, nodes) = (sink.labels, sink.nodes);
            }
            Some(label) => {
                let names = sink.tenants.list();
                let tenant_of: Vec<Option<u32>> = names
                    .map(|name| tenants.index(&format!("{label}/{name}")))
                    .collect();
                let names = sink.models.list();
                let model_of: Vec<Option<u32>> = names.map(|m| models.index(m)).collect();
                let needed = records.iter().any(|r| r.tenant.is_none());
                let fallback = needed.then(|| tenants.index(label)).flatten();
                let translate = |index: Option<u32>, table: &[Option<u32>]| {
                    index.and_then(|index| table.get(index as usize).copied().flatten())
                };
                let index = |at: Option<Index>, table: &[Option<u32>]| {
                    translate(at.map(Index::get), table).and_then(Index::new)
                };
                let labels_of = all_labels.merge(&sink.labels);
                let names = sink.nodes.list();
                let nodes_of: Vec<Option<u32>> = names.map(|n| nodes.index(n)).collect();
                for record in &mut records {
                    record.tenant = translate(record.tenant, &tenant_of).or(fallback);
                    record.model = translate(record.model, &model_of);
                    record.labels = index(record.labels, &labels_of);
                    record.nodes = index(record.nodes, &nodes_of);
                }
            }
        }
        // Where members disagree about when time 0 was, there is no common one.
        let agrees = members.len() == 1 || all.zero == sink.zero;
        all.zero = sink.zero.filter(|_| agrees);
        all.unit = sink.unit;
        all.rows = all.rows.saturating_add(sink.rows);
        all.tally.merge(sink.tally);
        if all.records.is_empty() {
            all.records = records;
        } else {
            all.records.append(&mut records);
        }
    }
    for refusal in refusals {
        all.tally.left_out(refusal.file(), refusal.to_string());
    }
    for copy in copies {
        all.tally.set_file(&copy.file);
        let detail = || format!("its jobs are those of {}", copy.original);
        all.tally.warn(WarningKind::SameJobs, 1, 0, &detail);
    }
    // The file of the record of an index, for examples.
    let file_of = |index: usize| {
        let mut before = 0;
        let mut own = places.iter().zip(&members).filter(|(_, member)| {
            before += member.jobs as usize;
            index < before
        });
        own.next().map_or(String::new(), |(file, _)| file.clone())
    };
    let span = Span::of(&all.records);
    review::head(&all.records, span, &mut all.tally, &file_of);
    let types = gpu_types.into_list();
    let mut spec = None;
    if let Some(ClusterFile { spec: own, how, .. }) = cluster {
        report.cluster = how;
        spec = Some(own);
    } else if let Some(own) = header
        .as_ref()
        .and_then(|header| header.cluster_in(all.unit))
    {
        "The experiment names it.".clone_into(&mut report.cluster);
        spec = Some(own);
    }
    if span.on_cores == 0 {
        // Where all jobs ask for GPUs, nodes without any do not matter.
        spec = spec.map(|of| of.with_core_nodes(Vec::new()));
    } else {
        let mut records = all.records.iter().enumerate();
        if let Some((first, record)) = records.find(|(_, record)| record.gpus == 0) {
            all.tally.set_file(&file_of(first));
            let cores = f64::from(record.demand.cores) / 1000.0;
            let kind = WarningKind::OnCores;
            let detail = || format!("{cores} cores");
            all.tally.warn(kind, span.on_cores, record.line, &detail);
        }
    }
    if let Some(cluster) = &spec {
        review::needs(&all.records, &types, cluster, &mut all.tally, &file_of);
        review::gangs(&all.records, cluster, &mut all.tally, &file_of);
    }
    report.rows_read = all.rows;
    report.rows_kept = all.records.len() as u32;
    report.dropped = all.tally.dropped();
    report.warnings = all.tally.warnings();
    for warning in &mut report.warnings {
        warning.text = all.unit.words(&warning.text).into_owned();
    }
    // Hours count from Unix time 0 where that is known, else from the first submission.
    let start = all.zero.map_or(span.first, |zero| -zero);
    report.distributions = Distributions::of(&all.records, start);
    Trace {
        format,
        title,
        tenants: tenants.into_list(),
        models: models.into_list(),
        gpu_types: types,
        labels: all_labels.into_labels(),
        node_names: nodes.into_list(),
        unit: all.unit,
        cluster: spec,
        epoch: all.zero.map(|zero| zero + span.first),
        members,
        profiles: Vec::new(),
        outages: Outages::default(),
        header,
        report,
        records: all.records,
    }
}

/// What tells the parts apart: the stems of their names, or the whole names where stems are
/// alike. `None` for a part on its own.
fn labels(parts: &[Part]) -> Vec<Option<String>> {
    if parts.len() < 2 {
        return vec![None; parts.len()];
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for part in parts {
        let stem = stem(part.place.own_path());
        let count = seen.get(stem).copied().unwrap_or(0);
        seen.insert(stem.to_owned(), count + 1);
    }
    let label = |part: &Part| {
        let short = stem(part.place.own_path());
        let unique = seen.get(short) == Some(&1);
        Some(if unique { short } else { part.place.own_path() }.to_owned())
    };
    parts.iter().map(label).collect()
}

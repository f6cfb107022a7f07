//! From arguments to a trace, and to a cluster: files, standard input and embedded samples are read here.

use crate::Failure;
use crate::progress::Progress;
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};
use switchyard::Resource;
use switchyard::calendar::{Calendar, Zone};
use switchyard::cluster::ClusterSpec;
use switchyard::job::Status;
use switchyard::policies::{PolicySpec, ServiceHistory};
use switchyard::seconds_of;
use switchyard::trace::{
    Choices, ColumnMapping, Fractions, OnCores, OpenError, OpenOptions, Opened, Oversized, Trace,
    Window, date,
};
use switchyard::workload::{Label, Sample};
use switchyard_app::options;
use switchyard_app::study::{Study, cluster_of};
use switchyard_sweep::files;
use walkdir::WalkDir;

/// What marks the name of an embedded sample.
const SAMPLE: &str = "sample:";

/// What stands for standard input in the place of a trace's file.
pub(crate) const STDIN: &str = "-";

/// The same, as messages and reports call it.
const STDIN_NAME: &str = "standard input";

/// How many bytes of a file are read at once.
const SLICE: usize = 1 << 20;

/// The cluster asked for.
#[derive(Args)]
#[command(next_help_heading = "Schedulers and cluster")]
pub(crate) struct ClusterArgument {
    /// NODESxGPUS, such as 16x4, a published cluster, or a file [default: the trace's]
    ///
    /// NODESxGPUS (16x4, 8x8:v100+4x4:a100, 16x4/racks=4), a published cluster (gavel, sia, openb, tiresias,
    /// pollux, …) or a file that describes one. By default it is the one that comes with the trace, or else a
    /// guess: room for the largest gang and 1.1 × the mean demand while jobs came.
    #[arg(long, value_name = "CLUSTER", value_hint = ValueHint::AnyPath)]
    cluster: Option<String>,
}

impl ClusterArgument {
    pub(crate) fn text(&self) -> Option<&str> {
        self.cluster.as_deref()
    }
}

/// How a trace is opened, and which of its jobs are taken.
#[derive(Args)]
#[command(next_help_heading = "Jobs of the trace")]
pub(crate) struct TraceArguments {
    /// Of an archive: the member to open [default: all, merged]
    #[arg(long, value_name = "NAME")]
    member: Option<String>,
    /// Which column holds what, such as 'submit=Arrival,duration=Run time,gpus=#4,unit=s'
    #[arg(long, value_name = "MAPPING", long_help = map_help())]
    map: Option<ColumnMapping>,
    /// What jobs are counted in: gpus, or the cores of those that ask for no GPU
    ///
    /// With cores a job takes up its cores, and so does every figure: core-hours stand for GPU-hours. A node holds at
    /// most 64, so one of 128 cores is two nodes of 64.
    #[arg(long, value_name = "UNIT", default_value = "gpus")]
    unit: Resource,
    /// Only jobs submitted in this window since the first submission, such as 1d..36h
    #[arg(long, value_name = "FROM..TO")]
    window: Option<Window>,
    /// Only jobs of this tenant or virtual cluster; may be repeated
    #[arg(long = "tenant", value_name = "NAME")]
    tenants: Vec<String>,
    /// Only jobs of this user; may be repeated
    #[arg(long = "user", value_name = "NAME")]
    users: Vec<String>,
    /// Only jobs of this account or project; may be repeated
    #[arg(long = "account", value_name = "NAME")]
    accounts: Vec<String>,
    /// Only jobs of this partition or queue; may be repeated
    #[arg(long = "partition", value_name = "NAME")]
    partitions: Vec<String>,
    /// Only jobs of this quality of service; may be repeated
    #[arg(long = "qos", value_name = "NAME")]
    qos: Vec<String>,
    /// Only jobs of this reservation; may be repeated
    #[arg(long = "reservation", value_name = "NAME")]
    reservations: Vec<String>,
    /// Only jobs that ended so; may be repeated
    ///
    /// completed, cancelled, failed, node_fail, running or unknown.
    #[arg(long = "status", value_name = "STATUS")]
    statuses: Vec<Status>,
    /// Jobs that ask for a fraction of a GPU: round-up, share or drop
    ///
    /// With share they have whole GPUs for a shorter time.
    #[arg(long, value_name = "HOW", default_value = "round-up")]
    fractions: Fractions,
    /// Jobs that ask for more GPUs than there are: keep, drop or shrink
    ///
    /// A run rejects those that are kept; those that shrink have the whole cluster for a longer time.
    #[arg(long, value_name = "HOW", default_value = "keep")]
    oversized: Oversized,
    /// Jobs that ask for cores and no GPU: keep or drop
    ///
    /// Where the cluster says how many cores its nodes have, they run on cores beside what schedulers decide.
    /// Elsewhere they are left out.
    #[arg(long, value_name = "HOW", default_value = "keep")]
    on_cores: OnCores,
    /// Rows that all files together may have [default: 16000000]
    ///
    /// Each takes about two hundred bytes.
    #[arg(long, value_name = "ROWS")]
    max_rows: Option<u64>,
    /// Bytes that all files together may have, decompressed [default: 2147483648]
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
}

impl TraceArguments {
    /// How files are opened, each for itself or together.
    pub(crate) fn options(&self) -> OpenOptions {
        let default = OpenOptions::default();
        OpenOptions {
            member: self.member.clone(),
            mapping: self.map.clone(),
            unit: self.unit,
            max_rows: self.max_rows.unwrap_or(default.max_rows),
            max_bytes: self.max_bytes.unwrap_or(default.max_bytes),
            max_held: default.max_held,
            keep_on_cores: false,
        }
    }

    /// What jobs are counted in.
    pub(crate) fn unit(&self) -> Resource {
        self.unit
    }

    /// The user who was named, where a command asks about one and does not choose among jobs.
    pub(crate) fn take_user(&mut self) -> Option<String> {
        std::mem::take(&mut self.users).pop()
    }

    fn choices(&self) -> Choices {
        let labels = [
            (Label::User, &self.users),
            (Label::Account, &self.accounts),
            (Label::Partition, &self.partitions),
            (Label::Qos, &self.qos),
            (Label::Reservation, &self.reservations),
        ];
        let named = |(label, names): (Label, &Vec<String>)| {
            let names = names.clone().into_iter();
            names.map(move |name| (label, name))
        };
        Choices {
            labels: labels.into_iter().flat_map(named).collect(),
            window: self.window,
            tenants: self.tenants.clone(),
            statuses: self.statuses.clone(),
            fractions: self.fractions,
            oversized: self.oversized,
            on_cores: self.on_cores,
        }
    }

    /// Opens files, whatever they are; `cluster`: the one asked for.
    pub(crate) fn open(
        &self,
        paths: &[PathBuf],
        cluster: Option<&ClusterSpec>,
    ) -> Result<Opened, Failure> {
        let asked = options::Opening {
            options: self.options(),
            choices: self.choices(),
            cluster: cluster.cloned(),
        };
        let opened = open_files(paths, &asked.options)?;
        let from_stdin = paths.iter().any(|path| path == Path::new(STDIN));
        match asked.again(&opened).filter(|_| !from_stdin) {
            Some(again) => open_files(paths, &again),
            None => Ok(opened),
        }
    }

    /// Leaves out and changes jobs as asked.
    pub(crate) fn choose(
        &self,
        trace: &mut Trace,
        cluster: Option<&ClusterSpec>,
    ) -> Result<(), Failure> {
        let chosen = trace.choose(&self.choices(), cluster);
        chosen.map_err(|error| Failure::Input(error.into()))
    }
}

/// Opens files as one trace, or an embedded sample as `sample:NAME`. `cluster`: the one asked for.
pub(crate) fn load(
    paths: &[PathBuf],
    arguments: &TraceArguments,
    cluster: Option<&str>,
) -> Result<Study, Failure> {
    let (options, choices) = (arguments.options(), arguments.choices());
    let asked = cluster.map(|text| self::cluster(text, options.unit));
    let asked = asked.transpose()?;
    if let [path] = paths
        && let Some(name) = sample(path)
    {
        return Ok(Study::of_sample(name, &options, &choices, asked)?);
    }
    let opened = arguments.open(paths, asked.as_ref())?;
    let file = paths.first().map_or(String::new(), |path| called(path));
    Ok(Study::of(opened, &file, &options, &choices, asked)?)
}

/// The embedded sample that is named, if one is.
pub(crate) fn sample(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(SAMPLE)
}

/// What somebody named, for messages.
pub(crate) fn called(path: &Path) -> String {
    match path.to_str() {
        Some(STDIN) => STDIN_NAME.to_owned(),
        _ => path.display().to_string(),
    }
}

/// What is read, and what it is called: a file, standard input, or a sample as `convert` writes it.
fn source(path: &Path) -> Result<(String, Box<dyn Read>), Failure> {
    if path == Path::new(STDIN) {
        return Ok((STDIN_NAME.to_owned(), Box::new(io::stdin())));
    }
    if let Some(name) = sample(path) {
        let of = Study::of_sample(name, &OpenOptions::default(), &Choices::default(), None)?;
        let mut experiment = of.in_file();
        experiment.title = Sample::named(name)
            .map_or("", |sample| sample.title)
            .to_owned();
        let mut text = String::new();
        let written = experiment.write(&of.workload, &mut text);
        written
            .context("cannot write the sample")
            .map_err(Failure::Run)?;
        return Ok((called(path), Box::new(Cursor::new(text))));
    }
    let file = File::open(path)
        .with_context(|| format!("cannot read {}", path.display()))
        .map_err(Failure::Input)?;
    Ok((name_of(path), Box::new(file)))
}

/// What lies in a folder and in those below it, sorted by path.
#[derive(Default)]
pub(crate) struct Below {
    /// Plain files, and links to some.
    pub(crate) files: Vec<PathBuf>,
    /// What is not read, and why.
    pub(crate) skipped: Vec<(PathBuf, &'static str)>,
}

/// What lies in a folder. Links to folders are not followed, since they may lead round in circles, and of pipes and
/// devices nobody knows whether they end.
pub(crate) fn files_below(folder: &Path) -> anyhow::Result<Below> {
    let mut below = Below::default();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot read {}", folder.display()))?;
        if entry.depth() == 0 || entry.file_type().is_dir() {
            continue;
        }
        let path = entry.into_path();
        match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => below.files.push(path),
            Ok(found) if found.is_dir() => {
                let why = "a link to a folder, which is not followed: name the folder itself";
                below.skipped.push((path, why));
            }
            Ok(_) => below
                .skipped
                .push((path, "no plain file, so it is not read")),
            Err(_) => below.skipped.push((path, "a link to nothing")),
        }
    }
    Ok(below)
}

/// Opens files slice by slice, and tells how far that is.
pub(crate) fn open_files(paths: &[PathBuf], options: &OpenOptions) -> Result<Opened, Failure> {
    let progress = Progress::of("opening", kilobytes(paths), "kB");
    if paths.iter().any(|path| path == Path::new(STDIN)) && io::stdin().is_terminal() {
        progress.say("reading the trace from standard input; Ctrl+D ends it");
    }
    read_files(paths, options, |read| progress.count(read))
}

/// How much there is to read, kB.
pub(crate) fn kilobytes(paths: &[PathBuf]) -> u64 {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |data| data.len());
    paths.iter().map(size).sum::<u64>().div_ceil(1000)
}

/// Opens files slice by slice; `reached` hears how many kB are read.
pub(crate) fn read_files(
    paths: &[PathBuf],
    options: &OpenOptions,
    mut reached: impl FnMut(u64),
) -> Result<Opened, Failure> {
    let refused = |error: OpenError| Failure::Input(explained(error));
    let mut opening = files::opening(options);
    let mut slice = vec![0; SLICE];
    let from_stdin = paths.iter().filter(|path| *path == Path::new(STDIN));
    if from_stdin.count() > 1 {
        let twice = anyhow!("standard input (-) is named twice: it can be read once");
        return Err(Failure::Input(twice));
    }
    for path in paths {
        let unreadable = || format!("cannot read {}", called(path));
        let (name, mut file) = source(path)?;
        opening.begin(&name).map_err(refused)?;
        loop {
            let length = file
                .read(&mut slice)
                .with_context(unreadable)
                .map_err(Failure::Input)?;
            if length == 0 {
                break;
            }
            opening.push(&slice[..length]).map_err(refused)?;
            reached(opening.progress().bytes / 1000);
        }
    }
    opening.finish().map_err(refused)
}

/// What `--map` takes.
fn map_help() -> String {
    let roles = ColumnMapping::KEYS.join(", ");
    format!(
        "Which column holds what, such as 'submit=Arrival,duration=Run time,gpus=#4,unit=s'\n\n\
         There are {roles}. Columns that are not said are those that their names tell: gpus=num_cores alone counts \
         cores. gpus=1 gives every job one GPU, tenant= leaves tenants out."
    )
}

/// What a program says that was built without Parquet and Arrow.
#[cfg(not(feature = "parquet"))]
pub(crate) const WITHOUT_PARQUET: &str = "which this program was built without: build it with \
    `cargo build --release -p switchyard-gpu --features parquet`, or take a released one";

/// A refusal; of a table also its beginning, and how to say which columns are which.
fn explained(error: OpenError) -> anyhow::Error {
    #[cfg(not(feature = "parquet"))]
    if let OpenError::UnsupportedContainer { file, what, .. } = &error
        && (what.contains("Parquet") || what.contains("Arrow"))
    {
        return anyhow!("{file} is {what}, {WITHOUT_PARQUET}");
    }
    let Some(table) = error.table() else {
        return error.into();
    };
    let mut text = format!("{error}\n\n  {}", table.columns.join(" | "));
    for row in &table.rows {
        text.push_str("\n  ");
        text.push_str(&row.join(" | "));
    }
    text.push_str("\n\nsay --map submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s");
    if table.guess != ColumnMapping::default() {
        text.push_str(&format!("; so far: {}", table.guess));
    }
    anyhow!(text)
}

/// The cluster asked for: its text, the name of a published one, or a file that describes one by what is counted.
pub(crate) fn cluster(argument: &str, unit: Resource) -> Result<ClusterSpec, Failure> {
    let path = Path::new(argument);
    match cluster_of(argument) {
        Ok(cluster) => Ok(cluster),
        Err(_) if path.is_file() => {
            let options = OpenOptions {
                unit,
                ..OpenOptions::default()
            };
            match open_files(&[path.to_path_buf()], &options)? {
                Opened::Cluster(cluster) => Ok(cluster),
                Opened::Trace(trace) => Err(Failure::Input(anyhow!(
                    "{argument} is a trace ({}) and no cluster: write NODESxGPUS or name a cluster file",
                    trace.title
                ))),
                Opened::Profiles(_) => Err(Failure::Input(anyhow!(
                    "{argument} holds profiles of applications and no cluster: write NODESxGPUS or name a cluster file"
                ))),
                Opened::Outages(_) => Err(Failure::Input(anyhow!(
                    "{argument} lists outages and no cluster: write NODESxGPUS or name a cluster file"
                ))),
            }
        }
        Err(error) => Err(Failure::Input(error.into())),
    }
}

/// The service history that a policy's spec names, if it names one: a file.
pub(crate) fn history(policy: &PolicySpec) -> Result<Option<ServiceHistory>, Failure> {
    let Some(name) = policy.history() else {
        return Ok(None);
    };
    let text = files::read_text(name.as_ref())
        .with_context(|| {
            format!(
                "{policy}: cannot read the service history {name} (use online, oracle or a file)"
            )
        })
        .map_err(Failure::Input)?;
    ServiceHistory::parse(name, &text)
        .map(Some)
        .map_err(|error| Failure::Input(anyhow!("{name}: {error}")))
}

/// A span of time as an argument, seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    time(text, "seconds")
}

/// The same, where a number alone is of days.
pub(crate) fn days(text: &str) -> Result<f64, String> {
    let seconds = time(text, "days")?;
    let alone = text.trim().parse::<f64>().ok();
    Ok(alone.unwrap_or(seconds / 86_400.0))
}

/// A moment of a trace as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// Seconds since its time 0.
    Since(f64),
    /// Unix seconds.
    Date(f64),
}

impl Moment {
    /// Seconds since time 0 of a trace, of which this is the date where it has one.
    pub(crate) fn seconds(self, epoch: Option<f64>) -> Result<f64, Failure> {
        let unix = match self {
            Self::Since(seconds) => return Ok(seconds),
            Self::Date(unix) => unix,
        };
        let why =
            || anyhow!("--at: the trace has no dates: give the time since its first submission");
        let epoch = epoch.ok_or_else(why).map_err(Failure::Input)?;
        let began = || anyhow!("--at: the trace begins later, at {}", date_text(epoch, 0.0));
        let since = Some(unix - epoch).filter(|since| *since >= 0.0);
        since.ok_or_else(began).map_err(Failure::Input)
    }
}

/// A moment of a trace with dates, whose time 0 is at a Unix second, for people.
pub(crate) fn date_text(epoch: f64, moment: f64) -> String {
    let calendar = Calendar::new(epoch, 0.0, Zone::default());
    format!("{} UTC", calendar.exact(moment))
}

/// A moment as an argument: a span of time, or a date.
pub(crate) fn moment(text: &str) -> Result<Moment, String> {
    let span = seconds(text).map(Moment::Since);
    span.or_else(|why| {
        let date = date(text.trim()).map(Moment::Date);
        date.ok_or_else(|| format!("{why}; or a date, 2024-03-12 14:05, where the trace has some"))
    })
}

/// The seconds of a time that has units, and a number alone as it is, in `unit`s to messages.
fn time(text: &str, unit: &str) -> Result<f64, String> {
    let why = || format!("it takes a time, 0 or more: {unit}, or 90min, 11h, 2d3h");
    seconds_of(text).ok_or_else(why)
}

/// The name of a file without its folder.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

//! Our own files: a workload with all settings of its runs, to save, share and cite.
//!
//! `docs/format.md` describes them: `#` lines with settings, which are handed on as a [`Header`], then
//! a table `job,submit,duration,gpus` and perhaps others (`requested_time`, `gpu_milli`, `tenant`, `model`, `batch`,
//! `servers`, `status`, `attempts`, …), times in seconds.

use super::adaptdl;
use crate::application::Application;
use crate::cluster::{ClusterError, ClusterSpec};
use crate::columns::{Clock, Columns, Plain};
use crate::error::OpenError;
use crate::format::{Format, Importer};
use crate::header::{Header, HeaderLine};
use crate::job::Servers;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, number};
use crate::sink::{Names, Sink};
use crate::sniff::{Column, Evidence, OWN, Sniff};
use crate::spreadsheet::unguarded_line;
use crate::timestamp::MAX_SECONDS;
use crate::wording::shorten;
use crate::{Resource, UnknownResource};

const VERSION: u32 = Header::VERSION;

pub(super) const FORMAT: Format = Format {
    id: "switchyard",
    title: "Switchyard experiment",
    accounting: false,
    recognise: |sniff| {
        let (_, first) = sniff.comments.first()?;
        let version = first.strip_prefix(OWN)?;
        Some(Evidence {
            weight: usize::MAX,
            text: format!("its first line says version {}", shorten(version)),
        })
    },
    importer: |sniff, _| {
        let Above {
            header,
            tenants,
            epoch,
        } = above(sniff)?;
        let mut columns = match header.unit {
            // Their column of GPUs counts cores.
            Resource::Cores => Columns::plain(sniff, &OF_CORES)?,
            Resource::Gpus => Columns::plain(sniff, &PLAIN)?,
        };
        if !header.unit.is_default() {
            columns.unit = Resource::Gpus;
        }
        Ok(Box::new(Reader {
            header,
            tenants,
            epoch,
            columns: columns.guarded(),
            model: sniff.column(PLAIN.model).cloned(),
            applications: match sniff.column("batch") {
                Some(_) => Application::embedded(),
                None => Vec::new(),
            },
            batch: sniff.column("batch").cloned(),
            servers: SERVERS.map(|name| sniff.column(name).cloned()),
            attempts: sniff.column("attempts").cloned(),
        }))
    },
};

/// How many parameter servers a job has, and the cores and GiB of each.
const SERVERS: [&str; 3] = ["servers", "server_cores", "server_memory"];

const PLAIN: Plain = Plain {
    id: "job",
    submit: "submit",
    clock: Clock::Relative(crate::TimeUnit::Seconds),
    duration: "duration",
    start: "recorded_start",
    gpus: "gpus",
    milli: "gpu_milli",
    tenant: "tenant",
    model: "model",
    status: "status",
    types: "gpu_types",
    cores: ("cores", 1.0),
    memory: ("memory", 1.0),
    gpu_memory: "gpu_memory",
    requested_time: ("requested_time", crate::TimeUnit::Seconds),
    units: "Submission and duration are seconds, as this format defines them.",
    ..Plain::NONE
};

/// The same where the header says that cores are counted.
const OF_CORES: Plain = Plain {
    cores: ("", 1.0),
    ..PLAIN
};

/// What stands above the table.
struct Above {
    /// What is handed on.
    header: Header,
    /// The tenants of the trace, whether jobs name them or not.
    tenants: Names,
    /// Unix seconds of time 0, where it is known.
    epoch: Option<f64>,
}

/// Reads what stands above the table: its own affairs are understood, all else is handed on.
fn above(sniff: &Sniff<'_>) -> Result<Above, OpenError> {
    let mut header = Header {
        file: sniff.file.to_owned(),
        ..Header::default()
    };
    let (mut tenants, mut epoch) = (Names::default(), None);
    for (line, text) in &sniff.comments {
        let line = *line;
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        let value = unguarded_line(value.trim());
        match key {
            "switchyard" => check_version(&value).map_err(|why| header.refuse(line, why))?,
            "tenant" => drop(tenants.index(&value)),
            "epoch" => {
                let seconds = number(&value).filter(|of| of.abs() <= MAX_SECONDS);
                let why = || {
                    let shown = shorten(&value);
                    format!(
                        "'{shown}' is no time: write the Unix seconds of time 0, such as epoch 1710252300"
                    )
                };
                epoch = Some(seconds.ok_or_else(|| header.refuse(line, why()))?);
            }
            "unit" => {
                let unit = value.parse();
                header.unit =
                    unit.map_err(|why: UnknownResource| header.refuse(line, why.to_string()))?;
            }
            "cluster" => {
                let cluster: Result<ClusterSpec, ClusterError> = value.parse();
                let cluster = cluster.map_err(|why| header.refuse(line, why.to_string()))?;
                header.cluster = Some(cluster);
            }
            key => {
                let key = key.to_owned();
                header.lines.push(HeaderLine { line, key, value });
            }
        }
    }
    Ok(Above {
        header,
        tenants,
        epoch,
    })
}

fn check_version(value: &str) -> Result<(), String> {
    match value.parse::<u64>() {
        Ok(version) if version <= u64::from(VERSION) => Ok(()),
        Ok(version) => Err(format!(
            "it is of version {version}, this program reads up to {VERSION}: use a newer one"
        )),
        Err(_) => {
            let shown = shorten(value);
            Err(format!(
                "'{shown}' is no version: write switchyard {VERSION}"
            ))
        }
    }
}

struct Reader {
    header: Header,
    tenants: Names,
    epoch: Option<f64>,
    columns: Columns,
    model: Option<Column>,
    batch: Option<Column>,
    /// As [`SERVERS`].
    servers: [Option<Column>; 3],
    attempts: Option<Column>,
    applications: Vec<Application>,
}

impl Reader {
    /// The batch that a row asks for, if any.
    fn batch(&self, row: &Row<'_>) -> Result<Option<u32>, (DropReason, String)> {
        let cell = |column: &Option<Column>| column.as_ref().map_or("", |c| row.cell(c.index));
        let (model, batch) = (cell(&self.model), cell(&self.batch));
        if batch.is_empty() {
            return Ok(None);
        }
        let Some(application) = self.applications.iter().find(|a| &*a.name == model) else {
            return Err((DropReason::ApplicationUnknown, cell_is("model", model)));
        };
        let batch = adaptdl::batch(application, batch);
        let why = || {
            (
                DropReason::BatchInvalid,
                cell_is("batch", cell(&self.batch)),
            )
        };
        batch.map(Some).ok_or_else(why)
    }
}

impl Reader {
    /// The parameter servers that a row asks for.
    fn servers(&self, row: &Row<'_>) -> Result<Servers, (DropReason, String)> {
        let figure = |at: usize, unit: f64, most: f64| {
            let cell = self.servers[at].as_ref().map_or("", |c| row.cell(c.index));
            if cell.is_empty() {
                return Ok(0);
            }
            let kept = number(cell).map(|value| (value * unit - 1e-6).ceil());
            let kept = kept.filter(|kept| (0.0..=most).contains(kept));
            let why = || (DropReason::ServersInvalid, cell_is(SERVERS[at], cell));
            kept.map(|kept| kept as u32).ok_or_else(why)
        };
        let most = f64::from(u32::MAX);
        Ok(Servers {
            count: figure(0, 1.0, f64::from(Servers::MOST))?,
            cores: figure(1, 1000.0, most)?,
            memory: figure(2, 1024.0, most)?,
        })
    }
}

/// The seconds of attempts that failed before the last one of a job that takes so long.
fn attempts(cell: &str, duration: f64) -> Option<Vec<f64>> {
    let seconds = cell.split_ascii_whitespace();
    let seconds = seconds.map(|word| number(word).filter(|of| of.is_finite() && *of > 0.0));
    let seconds = seconds.collect::<Option<Vec<f64>>>()?;
    (seconds.iter().sum::<f64>() < duration).then_some(seconds)
}

impl Importer for Reader {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if sink.records.is_empty() && sink.tenants.list().next().is_none() {
            sink.tenants = std::mem::take(&mut self.tenants);
        }
        let batch = match self.batch(row) {
            Ok(batch) => batch,
            Err((reason, detail)) => return sink.drop(reason, row.line, &|| detail.clone()),
        };
        let servers = match self.servers(row) {
            Ok(servers) => servers,
            Err((reason, detail)) => return sink.drop(reason, row.line, &|| detail.clone()),
        };
        let at = sink.records.len();
        self.columns.row(row, sink);
        let Some(record) = sink.records.get_mut(at) else {
            return;
        };
        record.set_batch(batch);
        record.demand.servers = servers;
        let cell = self.attempts.as_ref().map_or("", |c| row.cell(c.index));
        match attempts(cell, record.duration) {
            Some(seconds) => sink.tried_before(seconds),
            None => {
                sink.records.pop();
                let detail = || cell_is("attempts", cell);
                sink.drop(DropReason::AttemptsInvalid, row.line, &detail);
            }
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        self.columns.finish(sink);
        sink.zero = sink.zero.or(self.epoch);
        if !self.header.unit.is_default() {
            sink.unit = self.header.unit;
        }
        sink.header = Some(std::mem::take(&mut self.header));
    }

    fn units(&self) -> String {
        self.columns.units()
    }

    fn named(&self) -> bool {
        self.columns.named()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, try_open};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/experiment.csv");

    #[test]
    fn fixture() {
        let trace = trace("experiment.csv", FILE);
        assert_eq!(trace.format, "switchyard");
        assert_eq!(
            records(&trace),
            [
                "10 a 0 60 2 vision resnet50 Completed",
                "11 b 0.5 3600 8 - - Unknown",
            ]
        );
        let header = trace.header.expect("it is one");
        assert_eq!(header.file, "experiment.csv");
        let lines = header.lines.iter();
        let lines: Vec<_> = lines
            .map(|of| format!("{}: {}={}", of.line, of.key, of.value))
            .collect();
        assert_eq!(
            lines,
            [
                "2: title=Two jobs",
                "4: policy=fifo",
                "5: policy=tiresias-las[queues=2,thresholds=3600]",
                "6: placement=spread",
                "7: restart_cost=30",
                "8: seed=7",
            ]
        );
        assert_eq!(trace.cluster.map(|c| c.to_string()).as_deref(), Some("2x4"));
    }

    #[test]
    fn time_0_has_a_date_where_the_file_says_so() {
        let rows = "job,submit,duration,gpus\na,30,60,2\n";
        let file = format!("# switchyard 1\n# epoch 1710252300\n{rows}");
        let trace = trace("dated.csv", file.as_bytes());
        assert_eq!(trace.epoch, Some(1_710_252_330.0));
        assert_eq!(trace.workload().epoch, Some(1_710_252_330.0));
        assert_eq!(trace.report.distributions.hour[14], 1);
        let why = try_open(
            "dated.csv",
            b"# switchyard 1\n# epoch noon\njob,submit,duration,gpus\n",
        );
        let why = why.expect_err("noon is no Unix time").to_string();
        assert!(
            why.contains("line 2") && why.contains("'noon' is no time"),
            "{why}"
        );
    }

    #[test]
    fn parameter_servers_stand_in_columns_of_their_own() {
        let text = "#switchyard 1\njob,submit,duration,gpus,servers,server_cores,server_memory\n\
            a,0,5,4,2,1.5,8\nb,1,5,1,,,\nc,2,5,1,1,,\nd,3,5,1,-1,,\ne,4,5,1,1001,,\nf,5,5,1,1,x,\n";
        let trace = trace("e.csv", text.as_bytes());
        let servers = trace.records.iter().map(|record| record.demand.servers);
        let servers: Vec<_> = servers.map(|of| (of.count, of.cores, of.memory)).collect();
        assert_eq!(servers, [(2, 1500, 8192), (0, 0, 0), (1, 0, 0)]);
        assert_eq!(dropped(&trace), ["servers_invalid 3 6 servers is '-1'"]);
    }

    #[test]
    fn times_asked_for_may_be_longer_or_shorter_than_runs() {
        let text = "#switchyard 1\njob,submit,duration,gpus,requested_time\n\
            a,0,5,4,60\nb,1,50,1,7.5\nc,2,5,1,\nd,3,5,1,-1\ne,4,5,1,0\n";
        let trace = trace("e.csv", text.as_bytes());
        let asked = trace.records.iter().map(|record| record.demand.time);
        assert!(asked.eq([Some(60.0), Some(7.5), None, None, None]));
        assert_eq!(trace.workload().jobs[1].demand.time, Some(7.5));
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| {
            let text = format!("#switchyard 1\n{text}\njob,submit,duration,gpus\n1,0,5,1\n");
            try_open("e.csv", text.as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(
            error("#cluster big"),
            "e.csv, line 2: 'big' is not a cluster: write NODESxGPUS, such as 16x4, 8x8+4x4 for unlike nodes, or 8x8:v100+4x4:a100 with GPU types"
        );
        assert_eq!(
            error("#switchyard 9"),
            "e.csv, line 2: it is of version 9, this program reads up to 1: use a newer one"
        );
        assert_eq!(
            error("#switchyard one"),
            "e.csv, line 2: 'one' is no version: write switchyard 1"
        );
    }
}

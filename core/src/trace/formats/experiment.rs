//! Our own files: a workload with all settings of its runs, to save, share and cite.
//!
//! `docs/format.md` describes them: `#` lines with settings, then a table `job,submit,duration,`
//! `gpus` and perhaps `tenant,model,batch,status`, times in seconds. The writer is
//! [`crate::workload::export`].

use super::{Format, Importer, adaptdl};
use crate::Experiment;
use crate::policy::ServiceHistory;
use crate::spreadsheet::unguarded_line;
use crate::trace::ProfileTable;
use crate::trace::columns::{Clock, Columns, Plain};
use crate::trace::detect::{Column, Evidence, OWN, Sniff};
use crate::trace::error::{OpenError, shorten};
use crate::trace::report::{DropReason, cell_is};
use crate::trace::rows::{Row, number};
use crate::trace::sink::{Names, Sink};
use crate::workload::{Application, GpuGeneration};

const VERSION: u32 = Experiment::VERSION;

pub(super) const FORMAT: Format = Format {
    id: "switchyard",
    title: "Switchyard experiment",
    recognise: |sniff| {
        let (_, first) = sniff.comments.first()?;
        let version = first.strip_prefix(OWN)?;
        Some(Evidence {
            weight: usize::MAX,
            text: format!("its first line says version {}", shorten(version)),
        })
    },
    importer: |sniff, _| {
        let Settings {
            experiment,
            tenants,
        } = settings(sniff)?;
        Ok(Box::new(Reader {
            experiment,
            tenants,
            columns: Columns::plain(sniff, &PLAIN)?.guarded(),
            model: sniff.column(PLAIN.model).cloned(),
            applications: match sniff.column("batch") {
                Some(_) => Application::embedded(),
                None => Vec::new(),
            },
            batch: sniff.column("batch").cloned(),
        }))
    },
};

const PLAIN: Plain = Plain {
    id: "job",
    submit: "submit",
    clock: Clock::Relative(crate::trace::Unit::Seconds),
    duration: "duration",
    gpus: "gpus",
    tenant: "tenant",
    model: "model",
    status: "status",
    units: "Submission and duration are seconds, as this format defines them.",
    ..Plain::NONE
};

/// What stands above the table.
#[derive(Default)]
struct Settings {
    experiment: Experiment,
    /// Tenants of the trace, whether jobs name them or not.
    tenants: Names,
}

fn settings(sniff: &Sniff<'_>) -> Result<Settings, OpenError> {
    let mut settings = Settings::default();
    for (line, text) in &sniff.comments {
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        let read = settings.read(key, &unguarded_line(value.trim()));
        read.map_err(|why| OpenError::BadExperiment {
            file: sniff.file.to_owned(),
            line: *line,
            why,
        })?;
    }
    Ok(settings)
}

impl Settings {
    /// Takes in one setting, or says what is wrong with it.
    fn read(&mut self, key: &str, value: &str) -> Result<(), String> {
        let shown = shorten(value);
        let count = |what: &str| {
            let count = value.parse::<u64>();
            count.map_err(|_| format!("'{shown}' is no {what}: write a whole number"))
        };
        let yes = || {
            let yes = value.parse::<bool>();
            yes.map_err(|_| format!("'{shown}' is neither true nor false: write one of them"))
        };
        let own = &mut self.experiment;
        let (options, applications) = (&mut own.options, &mut own.applications);
        match key {
            "switchyard" => match value.parse::<u64>() {
                Ok(version) if version <= u64::from(VERSION) => {}
                Ok(version) => {
                    return Err(format!(
                        "it is of version {version}, this program reads up to {VERSION}: use a newer one"
                    ));
                }
                Err(_) => {
                    return Err(format!(
                        "'{shown}' is no version: write switchyard {VERSION}"
                    ));
                }
            },
            "title" => value.clone_into(&mut own.title),
            "choice" => own.choice.push(value.to_owned()),
            "cluster" => {
                let cluster = value.parse();
                own.cluster =
                    Some(cluster.map_err(|e: crate::cluster::ClusterError| e.to_string())?);
            }
            "policy" if !value.is_empty() => own.policies.push(value.to_owned()),
            "placement" => {
                let placement = value.parse();
                own.placement =
                    placement.map_err(|e: crate::placement::UnknownStrategy| e.to_string())?;
            }
            "spread_slowdown" => {
                let generation = GpuGeneration::named(value);
                let why = || format!("'{shown}' is no GPU generation: write k80, p100 or v100");
                options.spread_slowdown = Some(generation.ok_or_else(why)?);
            }
            "restart_by_model" => options.restart_by_model = yes()?,
            "first_start_pays" => options.first_start_pays = yes()?,
            "whole_second_epochs" => options.whole_second_epochs = yes()?,
            "seed" => options.seed = count("seed")?,
            "restart_cost" => {
                let cost = number(value).filter(|cost| cost.is_finite() && *cost >= 0.0);
                let why = || format!("'{shown}' is no restart cost: write seconds, 0 or more");
                options.restart_cost = cost.ok_or_else(why)?;
            }
            "interference" => {
                let share = number(value).filter(|share| (0.0..1.0).contains(share));
                let why =
                    || format!("'{shown}' is no share to lose: write a number from 0 to below 1");
                options.interference = share.ok_or_else(why)?;
            }
            "applications" => applications.always = yes()?,
            "binding" => value.clone_into(&mut applications.rule),
            "binding_seed" => applications.seed = count("seed")?,
            "application" => applications.definitions.push(value.to_owned()),
            "profile" => applications.profiles.push(ProfileTable {
                file: value.to_owned(),
                path: value.to_owned(),
                text: String::new(),
            }),
            "row" => {
                let table = applications.profiles.last_mut();
                let why = || "a row of no profile: write its profile above it".to_owned();
                let text = &mut table.ok_or_else(why)?.text;
                text.push_str(value);
                text.push('\n');
            }
            "history" => own.histories.push(history(value)?),
            "tenant" => drop(self.tenants.index(value)),
            // A remark, or a setting of a later minor version.
            _ => {}
        }
        Ok(())
    }
}

/// `NAME=SERVICE SERVICE …`
fn history(text: &str) -> Result<ServiceHistory, String> {
    let (name, samples) = text.split_once('=').unwrap_or((text, ""));
    let service = |word: &str| {
        let service = number(word).filter(|service| service.is_finite() && *service > 0.0);
        let why = || {
            let word = shorten(word);
            format!("'{word}' is no service: write GPU·s above 0, separated by blanks")
        };
        service.ok_or_else(why)
    };
    let samples: Result<Vec<f64>, String> = samples.split_ascii_whitespace().map(service).collect();
    let samples = samples?;
    if name.trim().is_empty() || samples.is_empty() {
        let shown = shorten(text);
        return Err(format!(
            "'{shown}' is no history: write its name, =, and services in GPU·s"
        ));
    }
    Ok(ServiceHistory {
        name: name.trim().to_owned(),
        samples,
    })
}

struct Reader {
    experiment: Experiment,
    tenants: Names,
    columns: Columns,
    model: Option<Column>,
    batch: Option<Column>,
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

impl Importer for Reader {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if sink.records.is_empty() && sink.tenants.list().is_empty() {
            sink.tenants = std::mem::take(&mut self.tenants);
        }
        let batch = match self.batch(row) {
            Ok(batch) => batch,
            Err((reason, detail)) => return sink.drop(reason, row.line, &|| detail.clone()),
        };
        let at = sink.records.len();
        self.columns.row(row, sink);
        if let Some(record) = sink.records.get_mut(at) {
            record.batch = batch;
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        self.columns.finish(sink);
        sink.experiment = Some(std::mem::take(&mut self.experiment));
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
    use crate::trace::testing::{records, trace, try_open};

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
        let experiment = trace.experiment.expect("it is one");
        assert_eq!(experiment.title, "Two jobs");
        assert_eq!(
            experiment.policies,
            ["fifo", "tiresias-las[queues=2,thresholds=3600]"]
        );
        let options = experiment.options;
        assert_eq!((options.seed, options.restart_cost), (7, 30.0));
        assert_eq!(experiment.placement, crate::placement::Strategy::Spread);
        assert_eq!(trace.cluster.map(|c| c.to_string()).as_deref(), Some("2x4"));
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| {
            let text = format!("#switchyard 1\n{text}\njob,submit,duration,gpus\n1,0,5,1\n");
            try_open("e.csv", text.as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(
            error("#seed x"),
            "e.csv, line 2: 'x' is no seed: write a whole number"
        );
        assert_eq!(
            error("#restart_cost -1"),
            "e.csv, line 2: '-1' is no restart cost: write seconds, 0 or more"
        );
        assert_eq!(
            error("#restart_by_model perhaps"),
            "e.csv, line 2: 'perhaps' is neither true nor false: write one of them"
        );
        assert_eq!(
            error("#cluster big"),
            "e.csv, line 2: 'big' is not a cluster: write NODESxGPUS, such as 16x4, or 8x8+4x4 for unlike nodes"
        );
        assert_eq!(
            error("#switchyard 9"),
            "e.csv, line 2: it is of version 9, this program reads up to 1: use a newer one"
        );
        for (wrong, why) in [
            ("placement bogus", "'bogus' is not a placement: use "),
            (
                "spread_slowdown h100",
                "'h100' is no GPU generation: write ",
            ),
            ("interference 1", "'1' is no share to lose: write "),
            ("first_start_pays 1", "'1' is neither true nor false: "),
            ("binding_seed -1", "'-1' is no seed: write a whole number"),
            ("row 1,2", "a row of no profile: write "),
            ("history h=", "'h=' is no history: write "),
            ("history h=1 nan", "'nan' is no service: write "),
        ] {
            let error = error(&format!("#{wrong}"));
            assert!(error.contains(&format!("line 2: {why}")), "{error}");
        }
    }
}

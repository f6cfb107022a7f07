//! Our own files: a workload with its cluster, policies and seed, to save, share and cite.
//!
//! `docs/format.md` describes them: `#` lines with settings, then a table `job,submit,duration,`
//! `gpus` and perhaps `tenant,model,status`, times in seconds. The writer is
//! [`crate::workload::export`].

use super::{Format, Importer};
use crate::trace::Experiment;
use crate::trace::columns::{Clock, Columns, Plain};
use crate::trace::detect::{Evidence, OWN, Sniff};
use crate::trace::error::{OpenError, shorten};
use crate::trace::rows::{Row, number};
use crate::trace::sink::Sink;

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
        Ok(Box::new(Reader {
            experiment: settings(sniff)?,
            columns: Columns::plain(sniff, &PLAIN)?,
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

/// Reads the settings above the table.
fn settings(sniff: &Sniff<'_>) -> Result<Experiment, OpenError> {
    let mut experiment = Experiment::default();
    for (line, text) in &sniff.comments {
        let bad = |why: String| OpenError::BadExperiment {
            file: sniff.file.to_owned(),
            line: *line,
            why,
        };
        let (key, value) = text.split_once(' ').unwrap_or((text, ""));
        let (value, shown) = (value.trim(), shorten(value));
        let count = |value: &str| value.parse::<u64>().ok();
        match key {
            "switchyard" => match count(value) {
                Some(version) if version <= u64::from(VERSION) => {}
                Some(version) => {
                    return Err(bad(format!(
                        "it is of version {version}, this program reads up to {VERSION}: use a newer one"
                    )));
                }
                None => {
                    return Err(bad(format!(
                        "'{shown}' is no version: write switchyard {VERSION}"
                    )));
                }
            },
            "title" => value.clone_into(&mut experiment.title),
            "cluster" => {
                let cluster = value.parse();
                let cluster =
                    cluster.map_err(|e: crate::cluster::ClusterError| bad(e.to_string()))?;
                experiment.cluster = Some(cluster);
            }
            "policy" if !value.is_empty() => experiment.policies.push(value.to_owned()),
            "placement" if !value.is_empty() => experiment.placement = Some(value.to_owned()),
            "spread_slowdown" if !value.is_empty() => {
                experiment.spread_slowdown = Some(value.to_owned());
            }
            "restart_by_model" => {
                let yes = value.parse();
                let why = |_| {
                    bad(format!(
                        "'{shown}' is neither true nor false: write one of them"
                    ))
                };
                experiment.restart_by_model = yes.map_err(why)?;
            }
            "seed" => {
                let seed = count(value);
                let why = || bad(format!("'{shown}' is no seed: write a whole number"));
                experiment.seed = Some(seed.ok_or_else(why)?);
            }
            "restart_cost" => {
                let cost = number(value).filter(|cost| cost.is_finite() && *cost >= 0.0);
                let why = || {
                    bad(format!(
                        "'{shown}' is no restart cost: write seconds, 0 or more"
                    ))
                };
                experiment.restart_cost = Some(cost.ok_or_else(why)?);
            }
            // A remark, or a setting of a later minor version.
            _ => {}
        }
    }
    Ok(experiment)
}

struct Reader {
    experiment: Experiment,
    columns: Columns,
}

impl Importer for Reader {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        self.columns.row(row, sink);
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
        assert_eq!(
            (experiment.seed, experiment.restart_cost),
            (Some(7), Some(30.0))
        );
        assert_eq!(experiment.placement.as_deref(), Some("spread"));
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
    }
}

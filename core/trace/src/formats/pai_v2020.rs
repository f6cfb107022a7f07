//! Alibaba PAI's trace of 2020: jobs and their tasks in two tables without header, opened
//! together.
//!
//! Job table, 6 columns: job_name, inst_id, user, status, **start_time**, **end_time**. Task
//! table, 10 columns: job_name, task_name, **inst_num**, status, start_time, end_time, plan_cpu,
//! plan_mem, **plan_gpu**, gpu_type. Names are 24 hexadecimal digits, times seconds since the
//! trace's start. A job's GPUs are the sum over its tasks of plan_gpu, in percent of a GPU, ×
//! inst_num; it runs on the types that its tasks with GPUs name, and has their cores (plan_cpu is in
//! percent of one) and memory (plan_mem is in GB). It was submitted when it started, for all the tables tell.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2020`.

use crate::Resource;
use crate::error::OpenError;
use crate::format::{Format, Importer};
use crate::import::no_jobs;
use crate::job::TypeSet;
use crate::order;
use crate::report::{DropReason, WarningKind, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::shared::Part;
use crate::sink::{self, Asks, Draft, Half, Names, RowRecord, Sink, Task, tally_types};
use crate::sniff::{Evidence, Sniff};
use crate::status::status;

pub(super) const FORMAT: Format = Format {
    id: "pai-v2020",
    title: "Alibaba PAI v2020",
    accounting: false,
    recognise: |sniff| {
        let (width, what) = match table(sniff)? {
            Table::Jobs => (6, "job"),
            Table::Tasks => (10, "task"),
        };
        Some(Evidence {
            weight: width,
            text: format!(
                "the {width} columns of the {what} table, the first a name of 24 hexadecimal digits"
            ),
        })
    },
    importer: |sniff, _| {
        Ok(match table(sniff) {
            Some(Table::Tasks) => Box::new(Tasks::default()),
            _ => Box::new(Jobs),
        })
    },
};

enum Table {
    Jobs,
    Tasks,
}

fn table(sniff: &Sniff<'_>) -> Option<Table> {
    if sniff.has(&["job_name", "inst_id", "user", "start_time", "end_time"])
        && sniff.columns.len() == 6
    {
        return Some(Table::Jobs);
    }
    if sniff.has(&["job_name", "inst_num", "plan_gpu"]) {
        return Some(Table::Tasks);
    }
    let row = sniff.headerless()?;
    id(row.first()?)?;
    match row {
        [_, _, _, state, ..] if row.len() == 6 && number(state).is_none() => Some(Table::Jobs),
        [_, _, _, state, ..] if row.len() == 10 && number(state).is_none() => Some(Table::Tasks),
        _ => None,
    }
}

/// The number that a name of 24 hexadecimal digits is.
fn id(name: &str) -> Option<u128> {
    let hexadecimal = name.len() == 24 && name.bytes().all(|b| b.is_ascii_hexdigit());
    hexadecimal
        .then(|| u128::from_str_radix(name, 16).ok())
        .flatten()
}

struct Jobs;

impl Importer for Jobs {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let time = |column: usize, missing, invalid| {
            let cell = row.cell(column);
            let reason = if is_missing(cell) { missing } else { invalid };
            number(cell).ok_or((reason, column))
        };
        let read = || {
            let start = time(4, DropReason::SubmitMissing, DropReason::SubmitInvalid)?;
            let submit = sink::submit(start).map_err(|reason| (reason, 4))?;
            let end = time(5, DropReason::DurationMissing, DropReason::DurationInvalid)?;
            let duration = sink::duration(end - start).map_err(|reason| (reason, 5))?;
            Ok((submit, duration))
        };
        match read() {
            Ok((submit, duration)) => sink.keep(Draft {
                line: row.line,
                name: row.cell(0),
                submit,
                duration,
                // Another table tells them.
                gpus: 1,
                share: 1.0,
                tenant: row.cell(2),
                model: "",
                batch: None,
                asks: Default::default(),
                record: RowRecord {
                    labels: [row.cell(2), "", "", "", ""],
                    // As a job is taken as submitted when it started.
                    start: Some(submit),
                    ..RowRecord::default()
                },
                status: status(row.cell(3)),
            }),
            Err((reason, column)) => {
                let name = if column == 4 {
                    "start_time"
                } else {
                    "end_time"
                };
                sink.drop(reason, row.line, &|| cell_is(name, row.cell(column)));
            }
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.half = Some(Half::Jobs);
    }

    fn units(&self) -> String {
        "Times are seconds since the trace's start; a job is taken as submitted when it started; its GPUs are the sum over its tasks of plan_gpu ÷ 100 × inst_num.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

#[derive(Default)]
struct Tasks {
    tasks: Vec<Task>,
}

impl Importer for Tasks {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let (Some(job), Some(instances)) = (id(row.cell(0)), number(row.cell(2))) else {
            return;
        };
        // Tasks for the CPU alone have no plan_gpu.
        let percent = number(row.cell(8)).unwrap_or(0.0);
        let gpus = percent / 100.0 * instances;
        let mut task = Task {
            job,
            ..Task::default()
        };
        if gpus.is_finite() && gpus > 0.0 {
            let all = |column: usize, unit: f64| {
                let each = number(row.cell(column)).filter(|each| *each > 0.0);
                each.map_or(0.0, |each| each * instances * unit)
            };
            task.gpus = gpus;
            task.types = sink.types(row.cell(9), row.line);
            task.cores = all(6, 0.01);
            task.memory = all(7, 1.0);
        }
        self.tasks.push(task);
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.half = Some(Half::Tasks(std::mem::take(&mut self.tasks)));
    }

    fn units(&self) -> String {
        String::new()
    }

    fn named(&self) -> bool {
        false
    }
}

/// Gives the jobs of one table the GPUs that the other tells. A table without its other half is
/// refused.
pub(crate) fn join(parts: &mut Vec<Part>, refusals: &mut Vec<OpenError>) {
    let mut tasks = Vec::new();
    let mut gpu_types = Names::default();
    let mut lonely = None;
    let mut jobs = false;
    for part in parts.iter_mut() {
        let names = part.imported.sink.gpu_types.list();
        let names: Vec<String> = names.cloned().collect();
        match &mut part.imported.sink.half {
            Some(Half::Tasks(more)) => {
                let of = names.iter().map(|name| gpu_types.index(name));
                let of: Vec<Option<u32>> = of.collect();
                for task in more.iter_mut() {
                    task.types = task.types.renamed(&of);
                }
                tasks.append(more);
                lonely = lonely.or(Some((part.place.file.clone(), "task")));
            }
            Some(Half::Jobs) => {
                jobs = true;
                lonely = lonely.or(Some((part.place.file.clone(), "job")));
            }
            None => {}
        }
    }
    let Some((file, which)) = lonely else {
        return;
    };
    if !jobs || tasks.is_empty() {
        parts.retain(|part| part.imported.sink.half.is_none());
        refusals.push(OpenError::Half {
            file,
            what: format!("the {which} table of Alibaba PAI v2020"),
            next: "open pai_job_table and pai_task_table together, since one tells the times and the other the GPUs".to_owned(),
        });
        return;
    }
    parts.retain(|part| !matches!(part.imported.sink.half, Some(Half::Tasks(_))));
    order::sort_by_key(&mut tasks, |task| task.job);
    for part in parts.iter_mut() {
        let sink = &mut part.imported.sink;
        if sink.half.take().is_some() {
            sink.gpu_types = gpu_types.clone();
            give(&tasks, sink);
            if sink.records.is_empty() {
                refusals.push(no_jobs(part.format, sink));
            }
        }
    }
    parts.retain(|part| !part.imported.sink.records.is_empty());
}

/// Where one task may run on any type, so may all.
fn any_of(types: impl Iterator<Item = TypeSet>) -> TypeSet {
    let union = types.reduce(|all, of| match (all.is_any(), of.is_any()) {
        (false, false) => of.named().fold(all, TypeSet::with),
        _ => TypeSet::ANY,
    });
    union.unwrap_or_default()
}

/// Gives a table's jobs their GPUs; `tasks` are sorted by job.
fn give(tasks: &[Task], sink: &mut Sink) {
    let (unit, keeps) = (sink.unit, sink.keeps_on_cores);
    let tally = &mut sink.tally;
    sink.records.retain_mut(|record| {
        let name = || cell_is("job_name", &record.name);
        let Some(job) = id(&record.name) else {
            tally.drop(DropReason::TasksMissing, record.line, &name);
            return false;
        };
        let first = tasks.partition_point(|task| task.job < job);
        let own = tasks.get(first..).unwrap_or(&[]);
        let own = own.iter().take_while(|task| task.job == job);
        if own.clone().next().is_none() {
            tally.drop(DropReason::TasksMissing, record.line, &name);
            return false;
        }
        let all: f64 = own.clone().map(|task| task.gpus).sum();
        let asks = Asks {
            cores: own.clone().map(|task| task.cores).sum(),
            memory: own.clone().map(|task| task.memory).sum(),
            ..Asks::default()
        };
        let types = own.filter(|task| task.gpus > 0.0).map(|task| task.types);
        let occupied = match unit {
            Resource::Gpus => sink::gpus_or_cores(all, asks.cores, keeps),
            Resource::Cores => sink::cores(asks.cores),
        };
        match occupied {
            Ok((gpus, share)) => {
                (record.gpus, record.share) = (gpus, share);
                record.demand = match unit {
                    Resource::Gpus => asks.demand(any_of(types)),
                    Resource::Cores => Asks { cores: 0.0, ..asks }.demand(TypeSet::ANY),
                };
                tally_types(tally, record.line, &asks, record.demand);
                if share < 1.0 {
                    let kind = WarningKind::FractionalGpus;
                    let detail = || format!("{all} GPUs");
                    tally.warn(kind, 1, record.line, &detail);
                }
                true
            }
            Err(reason) => {
                let detail = || format!("its tasks ask for {all} GPUs");
                tally.drop(reason, record.line, &detail);
                false
            }
        }
    });
    let jobs = sink.records.len() as u32;
    let line = sink.records.first().map_or(0, |record| record.line);
    let kind = WarningKind::StartAsSubmit;
    let detail = || "start_time is all there is".to_owned();
    sink.tally.warn(kind, jobs, line, &detail);
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, try_open, warnings};
    use crate::{OpenOptions, Opened, SourceFile, open};

    const JOBS: &[u8] = include_bytes!("../../../../tests/fixtures/pai_job_table.csv");
    const TASKS: &[u8] = include_bytes!("../../../../tests/fixtures/pai_task_table.csv");
    const MACHINES: &[u8] = include_bytes!("../../../../tests/fixtures/pai_machine_spec.csv");

    #[test]
    fn the_tables_together() {
        let mut files = [
            SourceFile {
                name: "job.csv",
                bytes: JOBS,
            },
            SourceFile {
                name: "task.csv",
                bytes: TASKS,
            },
            SourceFile {
                name: "machine.csv",
                bytes: MACHINES,
            },
        ];
        for _ in 0..3 {
            files.rotate_left(1);
            let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
                panic!("no trace");
            };
            assert_eq!(trace.format, "pai-v2020");
            assert_eq!(
                records(&trace),
                [
                    "1 000000000000000000000001 1000 3600 5 ua - Completed",
                    "2 000000000000000000000002 2000 60 1 ub - Failed",
                ]
            );
            assert_eq!(
                dropped(&trace),
                [
                    "tasks_missing 1 4 job_name is '000000000000000000000004'",
                    "no_gpus 1 5 its tasks ask for 0 GPUs",
                    "duration_missing 1 3 end_time is empty",
                ]
            );
            assert_eq!(
                warnings(&trace),
                [
                    "start_as_submit 2 1 start_time is all there is",
                    "fractional_gpus 1 2 0.5 GPUs",
                    "gpu_types 2 1 its tasks name them",
                    "cores_or_memory 2 1 5 GPUs, 102 cores, 498.1005859375 GiB",
                    "no_nodes_for 2 1 5 GPUs, 102 cores, 498.1005859375 GiB",
                ]
            );
            let cluster = trace.cluster.map(|cluster| cluster.to_string());
            assert_eq!(
                cluster.as_deref(),
                Some("1x8:v100/cores=96/memory=512+2x2:p100/cores=64/memory=512")
            );
        }
    }

    #[test]
    fn a_table_alone() {
        let error = try_open("task.csv", TASKS).unwrap_err();
        assert_eq!(
            error.to_string(),
            "task.csv looks like the task table of Alibaba PAI v2020, which cannot be replayed without the other one: open pai_job_table and pai_task_table together, since one tells the times and the other the GPUs"
        );
    }
}

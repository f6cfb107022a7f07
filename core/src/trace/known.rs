//! Files that are recognised and refused: data sets that cannot be replayed as they stand, and
//! the files that lie beside traces. Saying what a file is and what is missing beats guessing
//! at its columns. A format that gets an importer leaves this list.

use super::detect::{Column, Shape, Sniff, not_a_trace};
use super::error::OpenError;
use super::rows::keys;
use super::timestamp::number;

/// A kind of file, how it is told, and what to do next.
struct Known {
    what: &'static str,
    next: &'static str,
    is: fn(&Sniff<'_>) -> bool,
}

const KNOWN: &[Known] = &[
    Known {
        what: "a workload of applications without their batch sizes",
        next: "without durations, jobs need a batch size; add the columns name, time and batch_size",
        is: |s| {
            s.has(&["application", "num_replicas"])
                && s.column("duration").is_none()
                && !s.has(&["name", "time", "batch_size"])
        },
    },
    Known {
        what: "a Chronus trace",
        next: "its times are minutes and its jobs have deadlines; convert times to seconds and drop expect_time_list",
        is: |s| s.has(&["expect_time_list"]),
    },
    Known {
        what: "an excerpt of Acme or Helios without start and end",
        next: "its duration includes the wait in the queue in one of them and not in the other; open the full file, which has start_time and end_time",
        is: |s| {
            let bounded = s.has(&["start_time", "end_time"]);
            s.has(&["gpu_num", "duration"]) && !s.has(&["vc"]) && !bounded && {
                s.column("queue").is_some_and(|queue| s.is_numeric(queue))
            }
        },
    },
    Known {
        what: "a GAIA trace",
        next: "it counts CPUs, and of its files some are in hours and some in seconds; convert it to job_id,submit_time,duration,num_gpus in seconds",
        is: |s| s.has(&["arrival_time", "length", "cpus"]),
    },
    Known {
        what: "MIT Supercloud's slurm log",
        next: "its GPUs stand in tres_alloc; convert them to a column num_gpus",
        is: |s| s.has(&["id_job", "time_submit", "tres_alloc"]),
    },
    Known {
        what: "sacct's output",
        next: "its GPUs stand in AllocTRES; convert them to a column num_gpus and leave out the job steps",
        is: |s| s.has(&["jobid", "elapsedraw"]),
    },
    Known {
        what: "the Alibaba v2025 DLRM trace",
        next: "blank times in it mean the start or the end of the trace; fill them in and convert it to job_id,submit_time,duration,num_gpus",
        is: |s| s.has(&["instance_sn", "rdma_request"]),
    },
    Known {
        what: "a table of the Alibaba Lingjun 2023 trace",
        next: "its GPUs stand in worker.csv; join them and convert it to job_id,submit_time,duration,num_gpus",
        is: |s| s.has(&["gmt_job_submitted", "gmt_job_finished"]),
    },
    Known {
        what: "a table of the Alibaba PAI v2020 trace",
        next: "a job is spread over several of its tables; join them and convert it to job_id,submit_time,duration,num_gpus",
        is: |s| {
            s.has(&["plan_gpu"])
                || s.has(&["job_name", "inst_id"])
                || s.has(&["machine", "cap_gpu"])
                || s.has(&["machine", "machine_gpu"])
                || s.has(&["inst_id", "gpu_type_spec"])
                || is_headerless_pai(s)
        },
    },
    Known {
        what: "a Gavel or Shockwave trace",
        next: "its jobs are numbers of training steps, whose duration follows from a table of throughputs; convert it to job_id,submit_time,duration,num_gpus",
        is: |s| {
            s.headerless()
                .is_some_and(|row| matches!(row.len(), 7 | 10 | 12) && in_first(row, "(batch size"))
        },
    },
    Known {
        what: "a Synergy trace",
        next: "its jobs are numbers of iterations; convert it to job_id,submit_time,duration,num_gpus",
        is: |s| {
            s.headerless().is_some_and(|row| {
                row.len() == 5 && (0..5).all(|i| number(&row[i]).is_some() == (i != 1))
            })
        },
    },
    Known {
        what: "a list of machines",
        next: "open the job trace beside it, and give the cluster as NODESxGPUS",
        is: |s| {
            s.has(&["machineid", "number of gpus"])
                || s.has(&["sn", "cpu_milli", "memory_mib", "gpu", "model"])
        },
    },
    Known {
        what: "a table of GPUs per virtual cluster by day",
        next: "open the job trace beside it, and give the cluster as NODESxGPUS",
        is: |s| {
            let days = s.columns.first().is_some_and(|c| c.name == "date");
            days && s.columns.len() > 2 && s.has(&["total"])
        },
    },
    Known {
        what: "a measured application profile",
        next: "it tells speeds, not jobs; open a job trace",
        is: |s| s.has(&["local_bsz", "step_time"]) || s.has(&["progress", "grad_sqr"]),
    },
    Known {
        what: "a history of job services",
        next: "a single column of them serves the Gittins index, but has no jobs; open a job trace",
        is: |s| is_single_column(&s.columns),
    },
];

/// The error that says what a file is, if it is one of the above.
pub(crate) fn refuse(sniff: &Sniff<'_>) -> Option<OpenError> {
    let known = KNOWN.iter().find(|known| (known.is)(sniff))?;
    Some(OpenError::Known {
        file: sniff.file.to_owned(),
        what: known.what.to_owned(),
        next: known.next.to_owned(),
    })
}

/// The error that says what a JSON object is.
pub(crate) fn refuse_object(file: &str, text: &str) -> OpenError {
    let keys = keys(text);
    if ["jobs", "profiles"]
        .iter()
        .all(|key| keys.iter().any(|k| k == key))
    {
        return OpenError::Known {
            file: file.to_owned(),
            what: "a Batsim workload".to_owned(),
            next: "its durations stand in profiles; convert it to CSV with job_id,submit_time,duration,num_gpus".to_owned(),
        };
    }
    not_a_trace(
        file,
        "it is a JSON object, while a trace in JSON is an array of jobs: choose another file",
    )
}

/// A table of nothing but durations.
pub(crate) fn is_single_column(columns: &[Column]) -> bool {
    matches!(columns, [column] if column.name == "duration")
}

/// 24 hexadecimal digits first, a status word somewhere, and one of the tables' widths.
fn is_headerless_pai(sniff: &Sniff<'_>) -> bool {
    let Shape::Table { header: false, .. } = sniff.shape else {
        return false;
    };
    let Some(row) = sniff.preview.first() else {
        return false;
    };
    let id = row.first().map_or("", String::as_str);
    let hexadecimal = id.len() == 24 && id.bytes().all(|b| b.is_ascii_hexdigit());
    hexadecimal && matches!(row.len(), 5 | 6 | 9 | 10)
}

fn in_first(row: &[String], text: &str) -> bool {
    row.first().is_some_and(|cell| cell.contains(text))
}

//! Files that are recognised and refused: data sets that cannot be replayed as they stand, and
//! the files that lie beside traces. Saying what a file is and what is missing beats guessing
//! at its columns. A format that gets an importer leaves this list.

use super::error::OpenError;
use super::guess::tells_jobs;
use super::mapping::ColumnMapping;
use super::slurm::first_key;
use super::sniff::{Shape, Sniff, is_single_column};

/// A kind of file, how it is told, and what to do next. One whose `next` speaks of columns can be
/// opened all the same by saying which are which.
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
        what: "a table of the Alibaba Lingjun 2023 trace",
        next: "its GPUs stand in worker.csv; join them and convert it to job_id,submit_time,duration,num_gpus. topo.csv can be opened as its cluster",
        is: |s| s.has(&["gmt_job_submitted", "gmt_job_finished"]),
    },
    Known {
        what: "a table of the Alibaba PAI v2020 trace without jobs",
        next: "open pai_job_table and pai_task_table together, and pai_machine_spec for the cluster",
        is: |s| {
            s.has(&["worker_name", "inst_id"])
                || s.has(&["inst_id", "gpu_type_spec"])
                || s.has(&["machine", "machine_gpu"])
                || is_other_pai(s)
        },
    },
    Known {
        what: "an Alibaba v2023 pod list without times",
        next: "its pods tell what they ask for but not when; open openb_pod_list_default.csv, which has creation and deletion",
        is: |s| s.has(&["num_gpu", "gpu_milli"]) && s.column("creation_time").is_none(),
    },
    Known {
        what: "Alibaba's job summary of 2026",
        next: "it tells how long jobs ran but not when they were submitted; open a trace with submissions. asi_opensource_server_hourly can be opened as its cluster",
        is: |s| {
            s.has(&["duration_hours", "schedule_delay_sec"]) && s.column("submit_time").is_none()
        },
    },
    Known {
        what: "Alibaba's pods of 2026, hour by hour",
        next: "it tells which pods there were in an hour but not when they came and went; open a trace with submissions. asi_opensource_server_hourly can be opened as its cluster",
        is: |s| s.has(&["pod_id", "state_public", "used_gpu_hours"]),
    },
    Known {
        what: "a log of requests to a model",
        next: "its rows are requests of tokens, not jobs on GPUs; open a job trace",
        is: |s| {
            let has = |part: &&str| s.columns.iter().any(|c| c.name.contains(part));
            let input = [
                "contexttokens",
                "request tokens",
                "input_length",
                "input_len",
                "input_tokens",
                "prompt",
                "num_prefill_tokens",
            ];
            let output = [
                "generatedtokens",
                "generated_tokens",
                "response tokens",
                "response_tokens",
                "output_length",
                "output_len",
                "output_tokens",
                "completion_tokens",
                "num_decode_tokens",
                "decode",
                "token_size",
                "token_count",
                "ttft",
            ];
            input.iter().any(has) && output.iter().any(has) && !tells_jobs(s)
        },
    },
    Known {
        what: "a log of requests to a model",
        next: "its rows are requests of tokens, not jobs on GPUs; open a job trace",
        is: |s| {
            let has = |part: &str| s.columns.iter().any(|c| c.name.contains(part));
            s.shape == Shape::JsonLines && (has("input_length") || has("prompt") || has("tokens"))
        },
    },
    Known {
        what: "a table of utilisation",
        next: "it tells how busy machines were, not which jobs ran; open the job trace beside it, or say which columns are which",
        is: |s| {
            let has = |part: &str| s.columns.iter().any(|c| c.name.contains(part));
            let busy = has("util") || has("_usage");
            busy && !has("submi") && !has("duration") && !tells_jobs(s)
        },
    },
    Known {
        what: "a topology",
        next: "it tells how machines are linked, not which jobs ran; open a job trace, and write the cluster with its racks as 16x4/racks=4",
        is: |s| {
            let graph = s.has(&["nodes", "links"]) || s.has(&["nodes", "edges"]);
            let links = ["bandwidth", "latency", "capacity"]
                .iter()
                .any(|of| s.columns.iter().any(|column| column.name.contains(of)));
            let ends =
                s.has(&["source", "target"]) || s.has(&["src", "dst"]) || s.has(&["from", "to"]);
            let switches = s.shape == Shape::Pairs
                && s.text
                    .lines()
                    .filter_map(first_key)
                    .any(|key| key.eq_ignore_ascii_case("switchname"));
            s.shape == Shape::JsonObject && graph || ends && links && !tells_jobs(s) || switches
        },
    },
    Known {
        what: "the table of a sweep",
        next: "its rows are runs, not jobs; drop results.csv, unpacked, on the page, whose view Sweep shows it",
        is: |s| s.has(&["trace_hash", "scheduler", "jct_mean"]),
    },
    Known {
        what: "Gavel's table of throughputs",
        next: "those on V100s are built in; open a trace of Gavel's",
        is: |s| s.shape == Shape::JsonObject && s.has(&["v100", "k80"]),
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

/// The error that says what a file is that is told by its first characters.
pub(crate) fn marked(file: &str, text: &str) -> Option<OpenError> {
    let begins = |tags: &[&str]| tags.iter().any(|tag| text.starts_with(tag));
    let first = text.lines().next().unwrap_or("").trim_ascii_end();
    let section = first
        .strip_prefix('[')
        .and_then(|line| line.strip_suffix(']'));
    let is_section = section.is_some_and(|name| {
        let name = name.trim_matches(['[', ']']);
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b"_-. ".contains(&b);
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(is_word)
            && text.lines().any(|line| line.contains('='))
    });
    let gpus = ["GPU0", "GPU1"]
        .iter()
        .all(|gpu| first.split_ascii_whitespace().any(|word| word == *gpu));
    let (what, next) = if begins(&["\"JOB_"]) {
        (
            "accounting of LSF (lsb.acct)",
            "its fields differ from version to version; convert what bhist or bacct -l tell to job_id,submit_time,duration,num_gpus",
        )
    } else if begins(&["<?xml", "<platform", "<system", "<topology", "<graphml"]) {
        (
            "XML",
            "it may describe machines, a topology or settings, but no jobs; open a table of jobs",
        )
    } else if begins(&["digraph ", "digraph{", "graph {", "graph{", "strict graph"]) || gpus {
        (
            "a topology",
            "it tells how machines or GPUs are linked, not which jobs ran; open a job trace, and write the cluster with its racks as 16x4/racks=4",
        )
    } else if begins(&["┌", "╭", "╒", "┏", "╔", "│"]) {
        ("a table that is drawn with lines", "print it as CSV")
    } else if is_section {
        (
            "a configuration (TOML or INI)",
            "it tells settings, not jobs; open a table of jobs",
        )
    } else {
        return None;
    };
    Some(known(file, what, next))
}

pub(crate) fn known(file: &str, what: &str, next: &str) -> OpenError {
    OpenError::Known {
        file: file.to_owned(),
        what: what.to_owned(),
        next: next.to_owned(),
        table: None,
    }
}

/// The error that says what was printed for people, which is told by its first lines: blanks within
/// cells, and cells without anything, do not let it be read as a table.
pub(crate) fn printed(file: &str, text: &str) -> Option<OpenError> {
    let header: Vec<&str> = text.lines().next()?.split_ascii_whitespace().collect();
    let has = |names: &[&str]| {
        let mut names = names.iter();
        names.all(|name| header.iter().any(|of| of.eq_ignore_ascii_case(name)))
    };
    let (what, next) = if has(&["JOBID", "ST", "TIME"])
        || has(&["JOBID", "STATE", "TIME", "NODELIST(REASON)"])
    {
        (
            "what squeue prints",
            "its TIME is how long a job has run so far, and it does not tell submissions and GPUs; print it with squeue --json, or what has ended with sacct --parsable2",
        )
    } else if has(&["PARTITION", "AVAIL", "NODES", "STATE"]) && !has(&["GRES"]) {
        (
            "what sinfo prints",
            "it does not tell GPUs; print it with sinfo -N -o '%N %G %c %m', and open it beside a trace as its cluster",
        )
    } else {
        return None;
    };
    Some(known(file, what, next))
}

/// Whether a text is nodes and their GPUs between blanks, as sinfo prints them.
pub(crate) fn tells_nodes(text: &str) -> bool {
    let header = text.trim_ascii_start().lines().next().unwrap_or("");
    let has = |names: &[&str]| {
        let mut words = header.split_ascii_whitespace();
        words.any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    has(&["nodelist", "hostnames", "nodehost"]) && has(&["gres"])
}

/// The error that says what a file is, if it is one of the above.
pub(crate) fn refuse(sniff: &Sniff<'_>) -> Option<OpenError> {
    let known = KNOWN.iter().find(|known| (known.is)(sniff))?;
    let mappable = known.next.contains("which columns are which") && sniff.is_mappable();
    Some(OpenError::Known {
        file: sniff.file.to_owned(),
        what: known.what.to_owned(),
        next: known.next.to_owned(),
        table: mappable.then(|| Box::new(sniff.head(ColumnMapping::default()))),
    })
}

/// A table of instances or groups: a name in hexadecimal digits first, and one of their widths.
fn is_other_pai(sniff: &Sniff<'_>) -> bool {
    let Some([id, .., last]) = sniff.headerless() else {
        return false;
    };
    let hexadecimal = |id: &str| id.len() >= 24 && id.bytes().all(|b| b.is_ascii_hexdigit());
    let width = sniff.headerless().map_or(0, <[String]>::len);
    hexadecimal(id) && (width == 9 && hexadecimal(last) || width == 5 || width == 16)
}

#[cfg(test)]
mod tests {
    use crate::testing::try_open;

    #[test]
    fn files_are_called_what_they_are() {
        for (text, what) in [
            (
                "JobID           JobName  State\n------------ ---------- ----------\n91         train_rn50  COMPLETED\n91.batch                COMPLETED\n",
                "fixed width",
            ),
            (
                "  JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n  90 gpu my job ann R 5:03 1 n1\n",
                "squeue",
            ),
            (
                "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ngpu* up infinite 4 idle gpu[01-04]\n",
                "sinfo",
            ),
            ("\"JOB_FINISH\" \"10.1\" 1893495609 81 1001\n", "LSF"),
            (
                "request_id,arrival_timestamp,batch_size,prompt_size,token_size\n0,1.5,1,1024,64\n",
                "requests to a model",
            ),
            (
                "timestamp,input_tokens,output_tokens\n1,2,3\n",
                "requests to a model",
            ),
            (
                "# a job\njobVC: VC1\ntaskRoles:\n  a:\n    taskNumber: 2\n",
                "it is YAML",
            ),
            ("cohorts:\n- className: team\n  count: 2\n", "it is YAML"),
            ("[cluster]\nnodes = 4\n", "TOML"),
            ("<?xml version=\"1.0\"?>\n<platform/>\n", "XML"),
            (
                "{\"nodes\": [{\"id\": 1}], \"links\": [{\"source\": 1, \"target\": 2}]}",
                "a topology",
            ),
            ("source,target,bandwidth\na,b,100\n", "a topology"),
            (
                "SwitchName=s1 Nodes=n[1-4]\nSwitchName=s2 Switches=s1\n",
                "a topology",
            ),
            (
                "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-31\n",
                "a topology",
            ),
            ("ClusterName=lab\nSlurmctldHost=head\n", "settings of Slurm"),
            (
                "┌────┬────┐\n│ a  │ b  │\n└────┴────┘\n",
                "drawn with lines",
            ),
        ] {
            let error = try_open("file", text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(what), "{text}\n{error}");
            assert!(!error.contains("which columns are which"), "{error}");
        }
        // Jobs that have prompts are jobs.
        let jobs = b"id,submit,duration,gpus,prompt_tokens,decode_tokens\n1,0,60,1,5,6\n";
        assert!(try_open("jobs.csv", jobs).is_ok());
    }
}

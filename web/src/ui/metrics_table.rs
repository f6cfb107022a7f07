//! The runs in numbers, and how each differs from the baseline.

use super::controls::swatch;
use super::term::{Definition, Term};
use super::wording::{Direction, SAME, difference};
use crate::draw::charts::{short_specs, summary};
use crate::draw::format;
use crate::stage::{Stage, StageRun};
use switchyard::report::Summary;
use yew::prelude::*;

/// One row: a number of every run.
struct Metric {
    definition: Definition,
    value: fn(&Summary) -> f64,
    format: fn(f64) -> String,
    /// How two values compare in words.
    direction: Direction,
    better: Better,
}

/// Which value is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Better {
    Lower,
    Higher,
    Neither,
}

const JCT_SOURCE: &str =
    "The figure most papers report: Tiresias (NSDI'19), Themis (NSDI'20), Pollux (OSDI'21).";
const THEMIS: &str = "Themis (NSDI'20). Here the equal share follows the number of jobs in the system, averaged over the job's life.";

static METRICS: [Metric; 17] = [
    Metric {
        definition: Definition {
            id: "jct-mean",
            name: "Mean JCT",
            meaning: "Job completion time: from submission to finish, averaged over finished jobs.",
            formula: "mean of finish − submit",
            source: JCT_SOURCE,
        },
        value: |summary| summary.jct.mean,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jct-median",
            name: "Median JCT",
            meaning: "Half of the finished jobs took no longer than this from submission to finish.",
            formula: "50th percentile of finish − submit",
            source: JCT_SOURCE,
        },
        value: |summary| summary.jct.median,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jct-p90",
            name: "p90 JCT",
            meaning: "Nine of ten finished jobs took no longer than this.",
            formula: "90th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p90,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jct-p95",
            name: "p95 JCT",
            meaning: "19 of 20 finished jobs took no longer than this.",
            formula: "95th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p95,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jct-p99",
            name: "p99 JCT",
            meaning: "The tail: 99 of 100 finished jobs took no longer than this.",
            formula: "99th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p99,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jct-max",
            name: "Longest JCT",
            meaning: "The job that took longest from submission to finish.",
            formula: "max of finish − submit",
            source: "",
        },
        value: |summary| summary.jct.max,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "queueing",
            name: "Mean queueing delay",
            meaning: "Time without GPUs over a job's whole life, also after preemptions, averaged over finished jobs.",
            formula: "mean of JCT − time on GPUs",
            source: "",
        },
        value: |summary| summary.queueing.mean,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "longest-wait",
            name: "Longest wait",
            meaning: "The longest single wait of any job that then got GPUs: a sign of starvation.",
            formula: "max over waits of start − (submission or preemption)",
            source: "",
        },
        value: |summary| summary.longest_wait,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "makespan",
            name: "Makespan",
            meaning: "How long the whole trace takes.",
            formula: "last finish − first submission",
            source: "",
        },
        value: |summary| summary.makespan,
        format: format::duration,
        direction: Direction::Time,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "allocation",
            name: "GPU allocation",
            meaning: "The share of the cluster's GPUs that jobs held, on average over the makespan. Held is not the same as used well.",
            formula: "Σ GPUs × time held ∕ (GPUs of the cluster × makespan)",
            source: "",
        },
        value: |summary| summary.gpu_allocation,
        format: percent,
        direction: Direction::Level,
        better: Better::Higher,
    },
    Metric {
        definition: Definition {
            id: "restarts",
            name: "Restarts",
            meaning: "Starts after a job's first one: resumes and moves. Each costs a checkpoint and a restore.",
            formula: "Σ starts − jobs started",
            source: "",
        },
        value: |summary| f64::from(summary.restarts),
        format: whole,
        direction: Direction::Count,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "rho-mean",
            name: "Mean fairness ρ",
            meaning: "Finish-time fairness: a job's completion time over what it would be on an equal share of the cluster. Below 1: better than an equal share.",
            formula: "mean of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_mean,
        format: format::figures,
        direction: Direction::Level,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "rho-p99",
            name: "p99 fairness ρ",
            meaning: "Finish-time fairness of the worst-treated hundredth of jobs.",
            formula: "99th percentile of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_p99,
        format: format::figures,
        direction: Direction::Level,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "rho-max",
            name: "Worst fairness ρ",
            meaning: "Finish-time fairness of the job treated worst.",
            formula: "max of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_max,
        format: format::figures,
        direction: Direction::Level,
        better: Better::Lower,
    },
    Metric {
        definition: Definition {
            id: "jain",
            name: "Jain's index",
            meaning: "How alike jobs were treated: 1 if all alike, 1∕n if one has everything.",
            formula: "(Σx)² ∕ (n·Σx²), x = 1∕ρ",
            source: "Jain, Chiu and Hawe, DEC-TR-301 (1984).",
        },
        value: |summary| summary.fairness.jain,
        format: format::figures,
        direction: Direction::Level,
        better: Better::Higher,
    },
    Metric {
        definition: Definition {
            id: "finished",
            name: "Finished jobs",
            meaning: "Jobs that ran to their end.",
            formula: "",
            source: "",
        },
        value: |summary| f64::from(summary.finished),
        format: whole,
        direction: Direction::Count,
        better: Better::Neither,
    },
    Metric {
        definition: Definition {
            id: "rejected",
            name: "Rejected jobs",
            meaning: "Jobs that want more GPUs than the cluster has; they never enter the queue.",
            formula: "",
            source: "",
        },
        value: |summary| f64::from(summary.rejected),
        format: whole,
        direction: Direction::Count,
        better: Better::Neither,
    },
];

/// One run's column.
#[derive(Clone, PartialEq)]
pub(super) struct Column {
    id: u32,
    name: String,
    spec: String,
    complete: bool,
    /// Jobs done and jobs there are.
    done: (u32, u32),
    summary: Summary,
}

/// The metrics table. `baseline`: the run the others are compared with; `on_baseline` chooses
/// another.
pub(super) fn metrics_table(
    columns: &[Column],
    dark: bool,
    baseline: u32,
    on_baseline: &Callback<u32>,
) -> Html {
    let baseline = columns
        .iter()
        .find(|column| column.id == baseline)
        .or(columns.first());
    let Some(baseline) = baseline else {
        return Html::default();
    };
    let comparing = columns.len() > 1;
    let headers = columns.iter().enumerate().map(|(position, column)| {
        let chosen = column.id == baseline.id;
        let choose = {
            let (on_baseline, id) = (on_baseline.clone(), column.id);
            Callback::from(move |_: Event| on_baseline.emit(id))
        };
        let (done, jobs) = column.done;
        html! {
            <th key={column.id} scope="col" title={column.spec.clone()}>
                <label>
                    { swatch(position, dark) }
                    <span class="run">{ &column.name }</span>
                    if comparing {
                        <span class="baseline">
                            <input type="radio" name="baseline" checked={chosen} onchange={choose}
                                aria-label={format!("Compare with {}", column.name)} />
                            { if chosen { "baseline" } else { "compare" } }
                        </span>
                    }
                </label>
                if !column.complete {
                    <span class="so-far">{ format!("so far: {} of {} jobs", format::count(done.into()), format::count(jobs.into())) }</span>
                }
            </th>
        }
    });
    let rows = METRICS.iter().map(|metric| {
        let best = best(metric, columns);
        let cells = columns.iter().map(|column| {
            let value = (metric.value)(&column.summary);
            let known = column.summary.finished > 0;
            // What is not finished cannot be compared yet.
            let comparable = known && column.id != baseline.id && column.complete && baseline.complete;
            let words = difference(value, (metric.value)(&baseline.summary), metric.direction).filter(|_| comparable);
            let is_best = best.is_some_and(|best| is_same(best, value));
            html! {
                <td key={column.id} class={classes!(is_best.then_some("best"))}>
                    <div>
                        if is_best {
                            <span class="mark">{ "best" }</span>
                        }
                        <span class="value">{ if known { (metric.format)(value) } else { "–".into() } }</span>
                        if comparing {
                            <span class="difference">{ words }</span>
                        }
                    </div>
                </td>
            }
        });
        html! {
            <tr key={metric.definition.id}>
                <th scope="row"><Term definition={&metric.definition} /></th>
                { for cells }
            </tr>
        }
    });
    html! {
        <section class="metrics" tabindex="0" role="region" aria-label="Metrics of the runs">
            <table>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">{ "Metric" }</span></th>
                        { for headers }
                    </tr>
                </thead>
                <tbody>{ for rows }</tbody>
            </table>
        </section>
    }
}

/// What the table shows of each run.
pub(super) fn columns(stage: &Stage) -> Vec<Column> {
    let names = short_specs(
        &stage
            .runs
            .iter()
            .map(|run| run.label.as_str())
            .collect::<Vec<_>>(),
    );
    let column = |(run, name): (&StageRun, String)| Column {
        id: run.id,
        name,
        spec: run.label.clone(),
        complete: run.complete,
        done: (run.progress.done, run.progress.jobs),
        summary: summary(stage, run),
    };
    stage.runs.iter().zip(names).map(column).collect()
}

/// The best value of complete runs, if they differ enough to be told apart.
fn best(metric: &Metric, columns: &[Column]) -> Option<f64> {
    if metric.better == Better::Neither
        || columns.len() < 2
        || columns.iter().any(|column| !column.complete)
    {
        return None;
    }
    let values = || columns.iter().map(|column| (metric.value)(&column.summary));
    let (least, most) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| {
        (least.min(v), most.max(v))
    });
    let best = if metric.better == Better::Lower {
        least
    } else {
        most
    };
    (!is_same(least, most)).then_some(best)
}

fn is_same(a: f64, b: f64) -> bool {
    a == b || (a.min(b) > 0.0 && a.max(b) / a.min(b) < SAME)
}

fn percent(share: f64) -> String {
    format!("{} %", format::figures(100.0 * share))
}

fn whole(number: f64) -> String {
    format::count(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(mean: f64, allocation: f64) -> Column {
        let mut summary = Summary {
            gpu_allocation: allocation,
            ..Default::default()
        };
        summary.jct.mean = mean;
        Column {
            id: 0,
            name: String::new(),
            spec: String::new(),
            complete: true,
            done: (0, 0),
            summary,
        }
    }

    fn metric(id: &str) -> &'static Metric {
        METRICS
            .iter()
            .find(|metric| metric.definition.id == id)
            .unwrap()
    }

    #[test]
    fn the_best_is_the_lowest_time_and_the_highest_allocation() {
        let columns = [column(10.0, 0.5), column(20.0, 0.9)];
        assert_eq!(best(metric("jct-mean"), &columns), Some(10.0));
        assert_eq!(best(metric("allocation"), &columns), Some(0.9));
        assert_eq!(best(metric("finished"), &columns), None);
        assert_eq!(best(metric("jct-mean"), &columns[..1]), None);
        assert_eq!(
            best(
                metric("jct-mean"),
                &[column(1000.0, 0.0), column(1001.0, 0.0)]
            ),
            None
        );
    }

    #[test]
    fn metrics_have_different_ids() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(
                METRICS[..i]
                    .iter()
                    .all(|other| other.definition.id != metric.definition.id)
            );
        }
    }
}

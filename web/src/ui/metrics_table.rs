//! The runs in numbers, and how each differs from the baseline. Only like is compared with like: runs that
//! have finished all their jobs, or, where that is chosen, all runs over the jobs that finished in all.

use super::controls::swatch;
use super::metrics::{MetricStyle, OF_TYPE, definition};
use super::number::{Jobs, Number, Source};
use super::term::{Definition, Term};
use super::wording::{SAME, difference};
use crate::comparison::{summary, types};
use crate::draw::format;
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use switchyard::report::{Arithmetic, Better, Metric, MetricGroup, Summary, TypeFigures};
use switchyard_app::figures::type_title;
use yew::prelude::*;

/// One run's column.
#[derive(Clone, PartialEq)]
pub(super) struct RunColumn {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) hue: usize,
    pub(super) spec: String,
    pub(super) complete: bool,
    /// Jobs done and jobs there are.
    pub(super) done: (u32, u32),
    pub(super) summary: Summary,
    /// What of it is compared: all, or the selected jobs, or those of either that finished in all runs.
    pub(super) compared: Summary,
    /// Whether jobs are selected, so that figures are of those.
    pub(super) is_of_some: bool,
    /// By GPU type, where there are several.
    types: Vec<TypeFigures>,
}

/// Whether a run's numbers stand for all jobs that they are to be of.
pub(super) type Stands = fn(&RunColumn) -> bool;

impl RunColumn {
    /// Whether its figures stand for all jobs that are compared.
    pub(super) fn is_comparable(&self) -> bool {
        self.complete && self.compared.is_whole()
    }

    /// Whether what is told of all its jobs stands for all there are.
    fn is_whole(&self) -> bool {
        self.complete && self.summary.is_whole()
    }

    /// What says how many jobs there are and how many have finished.
    fn counted(&self) -> &Summary {
        match self.is_of_some {
            true => &self.compared,
            false => &self.summary,
        }
    }

    /// What it is called in a table for a paper; `over_common`: of figures over the jobs that finished in all
    /// complete runs.
    pub(super) fn called(&self, over_common: bool) -> String {
        match (over_common || self.is_of_some) && self.complete {
            true => self.summary.called_over(&self.name, self.compared.jobs),
            false => self.name.clone(),
        }
    }

    /// What stands beside its name: how far it is, or how many jobs it has left behind.
    pub(super) fn state(&self) -> Option<String> {
        if self.complete {
            return left(self.counted());
        }
        let (done, jobs) = self.done;
        let (done, jobs) = (format::count(done.into()), format::count(jobs.into()));
        Some(format!("so far: {done} of {jobs} jobs"))
    }
}

/// "149 of 240 finished", where some have not.
pub(super) fn left(of: &Summary) -> Option<String> {
    let [finished, jobs] = [of.finished, of.jobs].map(|count| format::count(count.into()));
    (!of.is_whole()).then(|| format!("{finished} of {jobs} finished"))
}

/// The mean JCT in words, with how many jobs it is of where some have not finished.
pub(super) fn mean_jct(of: &Summary) -> String {
    let mean = format!("mean JCT {}", format::duration(of.jct.mean));
    match left(of) {
        None => mean,
        Some(left) => format!("{mean} ({left})"),
    }
}

/// The run that others are compared with: the one with this id, else the first.
pub(super) fn reference(columns: &[RunColumn], id: u32) -> Option<&RunColumn> {
    let chosen = columns.iter().find(|column| column.id == id);
    chosen.or(columns.first())
}

/// A metric of a run, once a job has finished.
pub(super) fn known(metric: &Metric, of: &Summary) -> f64 {
    if of.finished > 0 {
        (metric.of)(of)
    } else {
        f64::NAN
    }
}

/// The metrics table. `baseline`: the run the others are compared with.
pub(super) fn metrics_table(
    columns: &[RunColumn],
    dark: bool,
    baseline: u32,
    (session, over_common): (&Session, bool),
) -> Html {
    let Some(baseline) = reference(columns, baseline) else {
        return Html::default();
    };
    let headers = columns.iter().map(|column| {
        html! {
            <th key={column.id} scope="col" title={column.spec.clone()}>
                <label>{ swatch(column.hue, dark) }<span class="run">{ &column.name }</span></label>
                if let Some(state) = column.state() {
                    <span class="so-far">{ state }</span>
                }
            </th>
        }
    });
    let of_runs = Metric::of_group(MetricGroup::Run).chain(Metric::of_group(MetricGroup::Jobs));
    let of_runs = of_runs.map(|metric| {
        let values = columns.iter().map(|column| match metric.group {
            // How many jobs a run has left behind is of all of them, finished or not.
            MetricGroup::Jobs => (metric.of)(column.counted()),
            _ => known(metric, &column.compared),
        });
        row(
            (definition(metric), 0),
            MetricStyle::of(metric),
            columns,
            (baseline, RunColumn::is_comparable),
            values,
            |column, text| opened(session, metric, column, compared_jobs(over_common), text),
        )
    });
    let fail = columns
        .iter()
        .any(|column| column.summary.failures.is_something());
    let across = columns.len() + 1;
    let types = (0u32..).zip(&baseline.types).map(|(at, of)| {
        html! {
            <tbody key={format!("type-{at}")}>
                { heading(&format!("On {}: {}", type_title(&of.gpu_type), format::counted(of.gpus.into(), "GPU", "GPUs")), across) }
                { for of_type(columns, baseline, at) }
            </tbody>
        }
    });
    html! {
        <section class="metrics" tabindex="0" role="region" aria-label="Metrics of the runs">
            <h2>{ "All numbers" }</h2>
            <table>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">{ "Metric" }</span></th>
                        { for headers }
                    </tr>
                </thead>
                <tbody key="runs">{ for of_runs }</tbody>
                if fail {
                    <tbody key="failures">
                        { heading("Failures and checkpoints", across) }
                        { for of_failures(columns, baseline, |metric, column, text| opened(session, metric, column, Jobs::All, text)) }
                    </tbody>
                }
                { for types }
            </table>
        </section>
    }
}

/// A metric of a run, which opens its arithmetic where that is told.
pub(super) fn opened(
    session: &Session,
    metric: &'static Metric,
    column: &RunColumn,
    jobs: Jobs,
    text: String,
) -> Html {
    let of_whole = jobs == Jobs::All || (jobs == Jobs::Compared && !column.is_of_some);
    if !Arithmetic::explains(metric, of_whole) {
        return text.into();
    }
    let source = Source::OfRun(metric.id, jobs);
    html! { <Number session={session.clone()} run={column.id} {source} definition={definition(metric)} {text} /> }
}

/// Which jobs numbers that are compared are of.
pub(super) fn compared_jobs(over_common: bool) -> Jobs {
    match over_common {
        true => Jobs::Common,
        false => Jobs::Compared,
    }
}

/// What failures cost the runs, over all jobs. What is nought in every run says nothing.
fn of_failures(
    columns: &[RunColumn],
    baseline: &RunColumn,
    number: impl Fn(&'static Metric, &RunColumn, String) -> Html,
) -> Vec<Html> {
    let rows = Metric::of_group(MetricGroup::Failures).filter_map(|metric| {
        let values = columns.iter();
        let values: Vec<f64> = values.map(|column| (metric.of)(&column.summary)).collect();
        values.iter().any(|value| *value != 0.0).then(|| {
            row(
                (definition(metric), 0),
                MetricStyle::of(metric),
                columns,
                (baseline, RunColumn::is_whole),
                values.into_iter(),
                |column, text| number(metric, column, text),
            )
        })
    });
    rows.collect()
}

/// What is told of one GPU type, over all jobs.
fn of_type(columns: &[RunColumn], baseline: &RunColumn, at: u32) -> Vec<Html> {
    let rows = OF_TYPE.iter().map(|metric| {
        let values = columns.iter().map(|column| {
            let own = column.types.get(at as usize);
            own.map_or(f64::NAN, metric.value)
        });
        row(
            (metric.definition, at),
            metric.look,
            columns,
            (baseline, RunColumn::is_whole),
            values,
            |_, text| text.into(),
        )
    });
    rows.collect()
}

/// What the table shows of each run, over the selected jobs; `over_common`: of them over those that finished in all
/// complete runs.
pub(super) fn columns(stage: &Stage, over_common: bool) -> Vec<RunColumn> {
    let common = over_common.then(|| stage.finished_in_all());
    let selected = stage.selection.jobs();
    let column = |run: &StageRun| {
        let summary = summary(stage, run);
        let some = stage.compared_jobs(run, common.as_deref());
        let compared = some.map_or(summary, |(own, outcomes)| {
            let of = Summary::over(&own, &stage.workload, &outcomes);
            // Those of the selected that have not finished count, unless only those are asked for that have.
            let is_of_common = over_common && run.finished().is_some();
            let jobs = selected.filter(|_| !is_of_common);
            Summary {
                jobs: jobs.map_or(of.jobs, |jobs| jobs.count() as u32),
                ..of
            }
        });
        RunColumn {
            id: run.id,
            name: run.name().to_owned(),
            hue: run.hue(),
            spec: run.policy.to_string(),
            complete: run.finished().is_some(),
            done: run.done(),
            summary,
            compared,
            is_of_some: selected.is_some(),
            types: types(stage, run),
        }
    };
    stage.runs.iter().map(column).collect()
}

/// What the rows below are about.
fn heading(text: &str, across: usize) -> Html {
    html! {
        <tr class="group"><th scope="rowgroup" colspan={across.to_string()}><span>{ text }</span></th></tr>
    }
}

/// One number of every run, NaN where it is not known; `place` tells a term from others of the same
/// name. `compared`: the baseline, and which runs are like it.
fn row(
    (definition, place): (Definition, u32),
    look: MetricStyle,
    columns: &[RunColumn],
    compared: (&RunColumn, Stands),
    values: impl Iterator<Item = f64>,
    number: impl Fn(&RunColumn, String) -> Html,
) -> Html {
    let values: Vec<f64> = values.collect();
    let cells = (0..columns.len()).map(|at| {
        let look = (definition.name, look);
        cell(look, columns, compared, &values, at, &number)
    });
    html! {
        <tr key={definition.id}>
            <th scope="row"><Term {definition} {place} /></th>
            { for cells }
        </tr>
    }
}

/// One number of one run: how it differs from the baseline's, and whether it is the best. `name`: the
/// metric's, for narrow screens, where no column has a head; `number` shows what is known. Only runs whose numbers stand
/// for all jobs are compared.
pub(super) fn cell(
    (name, look): (&'static str, MetricStyle),
    columns: &[RunColumn],
    (baseline, stands): (&RunColumn, Stands),
    values: &[f64],
    at: usize,
    number: impl Fn(&RunColumn, String) -> Html,
) -> Html {
    let (column, value) = (&columns[at], values[at]);
    let comparable = columns.iter().zip(values);
    let comparable = comparable.filter(|(column, _)| stands(column));
    let comparable: Vec<f64> = comparable.map(|(_, value)| *value).collect();
    let best = best(look.better, &comparable).filter(|_| stands(column));
    let base = columns.iter().position(|column| column.id == baseline.id);
    let base = base.map_or(f64::NAN, |at| values[at]);
    let are_alike = stands(column) && stands(baseline);
    let words = difference(value, base, look.direction);
    let words = words.filter(|_| are_alike && column.id != baseline.id);
    let is_best = best.is_some_and(|best| is_same(best, value));
    html! {
        <td key={column.id} class={classes!(is_best.then_some("best"))} data-name={name}>
            <div>
                <span class="said">
                    if is_best {
                        <span class="mark">{ "best" }</span>
                    }
                    <span class="value">{ if value.is_nan() { "–".into() } else { number(column, (look.format)(value)) } }</span>
                </span>
                if columns.len() > 1 {
                    <span class="difference">{ words }</span>
                }
            </div>
        </td>
    }
}

/// The best value, if they are all known and differ enough to be told apart.
fn best(better: Better, values: &[f64]) -> Option<f64> {
    if better == Better::Neither || values.len() < 2 || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let best = if better == Better::Lower { least } else { most };
    (!is_same(least, most)).then_some(best)
}

fn is_same(a: f64, b: f64) -> bool {
    a == b || (a.min(b) > 0.0 && a.max(b) / a.min(b) < SAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_the_lowest_time_and_the_highest_allocation() {
        assert_eq!(best(Better::Lower, &[10.0, 20.0]), Some(10.0));
        assert_eq!(best(Better::Higher, &[0.5, 0.9]), Some(0.9));
        assert_eq!(best(Better::Neither, &[1.0, 2.0]), None);
        assert_eq!(best(Better::Lower, &[10.0]), None);
        assert_eq!(best(Better::Lower, &[10.0, f64::NAN]), None);
        assert_eq!(best(Better::Lower, &[1000.0, 1001.0]), None);
    }

    /// A run of ten jobs that finished so many of them, compared over those; of which so many were evicted.
    fn column(id: u32, finished: u32, evictions: u32) -> RunColumn {
        let mut summary = Summary {
            jobs: 10,
            finished,
            ..Summary::default()
        };
        summary.failures.evictions = evictions;
        RunColumn {
            id,
            name: "fifo".to_owned(),
            hue: 0,
            spec: String::new(),
            complete: true,
            done: (finished, 10),
            summary,
            compared: Summary {
                jobs: finished,
                ..summary
            },
            is_of_some: false,
            types: vec![TypeFigures {
                gpu_type: "v100".to_owned(),
                gpus: 8,
                executed_gpu_hours: 0.0,
                gpu_allocation: 0.5,
                jobs: 1 + evictions,
                jct_mean: 60.0,
                queueing_mean: 6.0,
                jct: Vec::new(),
            }],
        }
    }

    #[test]
    fn what_is_of_all_jobs_is_compared_where_all_have_finished() {
        let marks = |finished: u32| {
            let columns = [column(0, finished, 10), column(1, finished, 20)];
            let said = |rows: Vec<Html>| {
                let rows = format!("{rows:?}");
                ["best", "×"].map(|words| rows.matches(words).count())
            };
            [
                said(of_failures(&columns, &columns[0], |_, _, text| text.into())),
                said(of_type(&columns, &columns[0], 0)),
            ]
        };
        assert_eq!(marks(9), [[0, 0], [0, 0]]);
        // The best has a mark and a class.
        assert_eq!(marks(10), [[2, 1], [0, 1]]);
    }

    #[test]
    fn a_table_for_a_paper_says_over_how_many_jobs_a_complete_run_is() {
        let of = column(0, 9, 0);
        assert_eq!(of.called(false), "fifo");
        assert_eq!(of.called(true), "fifo, over 9 jobs (9 of 10 finished)");
        let going = RunColumn {
            complete: false,
            compared: of.summary,
            ..of
        };
        assert_eq!(going.called(true), "fifo");
    }
}

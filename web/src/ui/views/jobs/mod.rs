//! Jobs: every selected job with what became of it in each run, and the filter that selects them for the whole page. Only
//! the rows on screen exist.

mod rows;

use crate::draw::{describe, format};
use crate::selected_jobs::conditions;
use crate::session::manual_jobs::{MADE, made_of};
use crate::stage::Stage;
use crate::state::view_options::{JOBS_FILTER, JOBS_SHOW, JOBS_SORT, ViewOption};
use crate::state::{NoticesAction, Source, ViewAction};
use crate::ui::clock::use_pointed;
use crate::ui::controls::swatch;
use crate::ui::jobs_by_hand::{JobsByHand, first_jobs};
use crate::ui::page_address::LONG;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::view::View;
use rows::{ListedJobs, PerRun, SortColumn, Sorting};
use switchyard::job::JobId;
use switchyard::order;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Height of a row, CSS pixels; the style sheet has the same value.
const ROW: f64 = 28.0;

/// A filter longer than [`LONG`] alone makes a link too long.
const TOO_MANY: &str = "So many rows make a link too long. Sort by what they have in common, and write it as a condition.";

/// The table of jobs.
pub(super) const VIEW: View = View {
    name: "jobs",
    title: "Jobs",
    about: "every job, and what became of it in each run",
    is_offered: |_| true,
    show: |given| html! { <JobsTable ..given.clone() /> },
};

/// Where the list is scrolled to and how much of it can be seen, CSS pixels.
#[derive(Clone, Copy, PartialEq)]
struct Screen {
    scrolled: f64,
    height: f64,
}

/// The jobs table.
#[component]
fn JobsTable(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let (session, selected) = (&services.session, state.selection.job);
    let text = state.option(&JOBS_FILTER);
    let sorting = Sorting::named(state.option(&JOBS_SORT));
    let shown = PerRun::named(state.option(&JOBS_SHOW));
    let set = |option: &'static ViewOption| {
        dispatch(session, move |text| ViewAction::SetOption(option, text))
    };
    let screen = use_state_eq(|| Screen {
        scrolled: 0.0,
        height: 900.0,
    });
    let list = use_node_ref();

    let rows = use_memo(
        (
            session.stage().clone(),
            state.runs.revision,
            session.stage().read().selection.version(),
            sorting,
            (shown, state.runs.baseline),
        ),
        |(stage, _, _, sorting, shown)| ListedJobs::of(&stage.read(), *sorting, *shown),
    );
    use_effect_with(list.clone(), {
        let screen = screen.setter();
        move |list| screen.set(measure(list))
    });

    // Chosen elsewhere, it is to be seen here.
    use_effect_with((selected, rows.jobs.is_empty()), {
        let (list, rows) = (list.clone(), rows.clone());
        move |(selected, _)| {
            let row = selected.and_then(|job| rows.jobs.iter().position(|&other| other == job.0));
            if let Some(row) = row {
                scroll_to(&list, row);
            }
        }
    });

    let onscroll = {
        let (list, screen) = (list.clone(), screen.setter());
        Callback::from(move |_: Event| {
            let Screen { scrolled, height } = measure(&list);
            // A rendering per row, not per pixel.
            screen.set(Screen {
                scrolled: (scrolled / ROW).floor() * ROW,
                height,
            });
        })
    };
    let choose = {
        let session = session.clone();
        Callback::from(move |job: JobId| session.select((selected != Some(job)).then_some(job)))
    };
    // Those from the chosen job to one that is clicked with Shift.
    let choose_rows = {
        let (session, rows) = (session.clone(), rows.clone());
        Callback::from(move |row: usize| {
            let at = selected.and_then(|job| rows.jobs.iter().position(|&other| other == job.0));
            let at = at.unwrap_or(row);
            let mut jobs = rows.jobs[row.min(at)..=row.max(at)].to_vec();
            order::sort_by_key(&mut jobs, |job| *job);
            let condition = conditions::positions(&jobs);
            match condition.len() > LONG {
                false => session.select_jobs(&condition),
                true => session.dispatch(NoticesAction::Notice(Some(TOO_MANY.to_owned()))),
            }
        })
    };
    // With Shift the browser would choose text up to there, too.
    let keeps_text = Callback::from(|event: MouseEvent| {
        if event.shift_key() {
            event.prevent_default();
        }
    });
    let pointed = use_pointed(session.stage());
    let onkeydown = {
        let (rows, list, session) = (rows.clone(), list.clone(), session.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = selected.and_then(|job| rows.jobs.iter().position(|&other| other == job.0));
            let page = (measure(&list).height / ROW).max(2.0) as usize - 1;
            let Some(target) = target(&event.key(), at, rows.jobs.len(), page) else {
                return;
            };
            event.prevent_default();
            event.stop_propagation();
            scroll_to(&list, target);
            session.select(Some(JobId(rows.jobs[target])));
        })
    };

    let on_sort = set(&JOBS_SORT);
    let stage = session.stage().read();
    if stage.workload.jobs.is_empty() {
        return html! { <p class="empty">{ "Open a trace, or choose a sample, to see its jobs." }</p> };
    }
    let names = stage
        .runs
        .iter()
        .map(|run| run.name().to_owned())
        .collect::<Vec<_>>();
    let window = rows::window(screen.scrolled, screen.height, ROW, rows.jobs.len());
    let body = window.clone().filter_map(|row| {
        let job = JobId(*rows.jobs.get(row)?);
        Some(row_of(
            &stage,
            &rows,
            row,
            job,
            shown,
            (selected == Some(job), pointed == Some(job)),
            (&choose, &choose_rows),
        ))
    });
    // Keyed like the rows between them: a gap that comes or goes moves no row.
    let gap = |key: &'static str, rows: usize| {
        (rows > 0).then(|| html! { <tr {key} class="gap" aria-hidden="true" ~style={format!("height: {:.0}px", rows as f64 * ROW)}></tr> })
    };
    let active =
        selected.filter(|job| window.clone().any(|row| rows.jobs.get(row) == Some(&job.0)));
    let plain = |column: SortColumn, label: &str, numeric: bool| {
        header(sorting, &on_sort, column, html! { { label } }, numeric, "")
    };
    let run_heads = names.iter().enumerate().map(|(position, name)| {
        let unfinished = if stage.runs[position].finished().is_some() {
            ""
        } else {
            ", so far"
        };
        let label = html! {
            <>
                { swatch(stage.runs[position].hue(), stage.dark) }
                <span class="run">{ name }{ unfinished }</span>
            </>
        };
        header(
            sorting,
            &on_sort,
            SortColumn::Run(position),
            label,
            true,
            shown.meaning(),
        )
    });
    let made = made_of(&stage.workload);
    let is_made = state.opening.source == Source::File(MADE.to_owned()) && made.is_some();
    let by_hand = {
        let (session, state, made) = (session.clone(), state.clone(), made.clone());
        let face = match made {
            Some(_) => "Edit these jobs",
            None => "Make jobs by hand",
        };
        let onclick = Callback::from(move |_: MouseEvent| {
            let jobs = made.clone().unwrap_or_else(|| first_jobs(&state));
            session.open_made(&jobs, &state);
        });
        (!is_made).then(|| html! { <button type="button" {onclick} title="A small table of jobs to type in and drag; every change runs all schedulers again">{ face }</button> })
    };
    html! {
        <div class="jobs">
            if is_made {
                <JobsByHand ..props.clone() />
            }
            { jobs_bar(&Bar {
                by_hand: by_hand.unwrap_or_default(),
                text,
                shown,
                set: &set,
                found: rows.jobs.len(),
                all: stage.workload.jobs.len(),
                error: stage.selection.wrong().map(ToString::to_string),
            }) }
            <div class="jobs-list" ref={list} {onscroll}>
                <table role="grid" tabindex="0" aria-label="Jobs" aria-rowcount={(rows.jobs.len() + 1).to_string()}
                    aria-activedescendant={active.map(|job| format!("job-{}", job.0))} {onkeydown}>
                    <thead>
                        <tr aria-rowindex="1" data-option={JOBS_SORT.link}>
                            { plain(SortColumn::Name, "Job", false) }
                            { plain(SortColumn::Gpus, &format::units("GPUs"), true) }
                            { for run_heads }
                            { plain(SortColumn::Submit, "Submitted", true) }
                            { plain(SortColumn::Duration, "Duration", true) }
                            if !stage.workload.tenants.is_empty() {
                                { plain(SortColumn::Tenant, "Tenant", false) }
                            }
                            if !stage.workload.models.is_empty() {
                                { plain(SortColumn::Model, "Model", false) }
                            }
                        </tr>
                    </thead>
                    <tbody onmousedown={keeps_text}>
                        { gap("above", window.start) }
                        { for body }
                        { gap("below", rows.jobs.len() - window.end) }
                    </tbody>
                </table>
                if rows.jobs.is_empty() {
                    <p class="empty">{ "No job matches. Take a condition away, or loosen one." }</p>
                }
            </div>
        </div>
    }
}

/// What the bar above the table needs.
struct Bar<'a> {
    text: &'a str,
    shown: PerRun,
    set: &'a dyn Fn(&'static ViewOption) -> Callback<String>,
    found: usize,
    all: usize,
    error: Option<String>,
    /// The way to jobs made by hand.
    by_hand: Html,
}

/// Filter, choice of what is shown of runs, and how many jobs are left.
fn jobs_bar(bar: &Bar<'_>) -> Html {
    let oninput = {
        let text = (bar.set)(&JOBS_FILTER);
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            {
                text.emit(input.value());
            }
        })
    };
    let onchange = {
        let shown = (bar.set)(&JOBS_SHOW);
        Callback::from(move |event: Event| {
            let select = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
            if let Some((_, name)) =
                select.and_then(|select| PerRun::ALL.get(select.selected_index().max(0) as usize))
            {
                shown.emit((*name).to_owned());
            }
        })
    };
    let options = PerRun::ALL
        .iter()
        .map(|(choice, name)| html! { <option selected={*choice == bar.shown}>{ name }</option> });
    let found = if bar.found == bar.all {
        format::counted(bar.all as u64, "job", "jobs")
    } else {
        format!(
            "{} of {}",
            format::count(bar.found as u64),
            format::counted(bar.all as u64, "job", "jobs")
        )
    };
    let hint = match &bar.error {
        Some(error) => html! { <span class="error" id="jobs-hint" role="alert">{ error }</span> },
        None => {
            html! { <span class="hint" id="jobs-hint">{ "Part of a name, or conditions: gpus>=8  jct>1h  tenant=vision  fifo.jct > 2*tiresias.jct. Without a run's name: in any run. What matches is selected in every view; Shift and a click selects rows from the chosen one on." }</span> }
        }
    };
    html! {
        <div class="jobs-bar">
            <input type="search" data-option={JOBS_FILTER.link} placeholder="Filter: gpus>=8 jct>1h" aria-label="Filter jobs" aria-describedby="jobs-hint"
                aria-invalid={bar.error.is_some().to_string()} value={bar.text.to_owned()} {oninput} spellcheck="false" autocomplete="off" />
            <label data-option={JOBS_SHOW.link}>{ "Per run " }<select {onchange}>{ for options }</select></label>
            <output>{ found }</output>
            { bar.by_hand.clone() }
            { hint }
        </div>
    }
}

/// A column's head: a button that sorts, then turns the order round.
fn header(
    sorting: Sorting,
    on_sort: &Callback<String>,
    column: SortColumn,
    label: Html,
    numeric: bool,
    meaning: &'static str,
) -> Html {
    let sorted = sorting.column == column;
    let onclick = {
        let descending = if sorted {
            !sorting.descending
        } else {
            matches!(column, SortColumn::Run(_))
        };
        on_sort.reform(move |_: MouseEvent| Sorting { column, descending }.name())
    };
    let (order, sign) = match (sorted, sorting.descending) {
        (false, _) => ("none", ""),
        (true, false) => ("ascending", "▲"),
        (true, true) => ("descending", "▼"),
    };
    html! {
        <th scope="col" aria-sort={order} class={classes!(numeric.then_some("number"))}>
            <button type="button" title={(!meaning.is_empty()).then(|| format::units(meaning))} {onclick}>{ label }<span class="order" aria-hidden="true">{ sign }</span></button>
        </th>
    }
}

fn row_of(
    stage: &Stage,
    rows: &ListedJobs,
    row: usize,
    id: JobId,
    shown: PerRun,
    (selected, pointed): (bool, bool),
    (choose, choose_rows): (&Callback<JobId>, &Callback<usize>),
) -> Html {
    let workload = &stage.workload;
    let Some(job) = workload.jobs.get(id.index()) else {
        return Html::default();
    };
    let onclick = {
        let (choose, choose_rows) = (choose.clone(), choose_rows.clone());
        Callback::from(move |event: MouseEvent| match event.shift_key() {
            true => choose_rows.emit(row),
            false => choose.emit(id),
        })
    };
    let runs = rows.per_run.iter().map(|values| {
        let value = values.get(id.index()).copied().unwrap_or(f64::NAN);
        let text = match shown {
            _ if value.is_nan() => "–".into(),
            PerRun::Jct | PerRun::Wait => format::duration(value),
            PerRun::Restarts => format::count(value as u64),
            PerRun::Rho => format::figures(value),
            PerRun::Ratio => format!("{}×", format::figures(value)),
        };
        html! { <td class="number">{ text }</td> }
    });
    html! {
        <tr key={id.0} class={classes!(pointed.then_some("pointed"))} data-job={id.0.to_string()} id={format!("job-{}", id.0)} aria-rowindex={(row + 2).to_string()} aria-selected={selected.to_string()} {onclick}>
            <td class="name">{ &*job.name }</td>
            <td class="number" title={job.is_on_cores().then(|| describe::asks(job))}>{ format::count(job.gpus.into()) }</td>
            { for runs }
            <td class="number" title={stage.moments().exact(job.submit.seconds())}>{ stage.moments().time(job.submit.seconds()) }</td>
            <td class="number">{ format::duration(job.work.seconds()) }</td>
            // Columns that no job of the trace has anything in would only take room.
            if !workload.tenants.is_empty() {
                <td>{ describe::name_of(&workload.tenants, job.tenant) }</td>
            }
            if !workload.models.is_empty() {
                <td>{ describe::name_of(&workload.models, job.model) }</td>
            }
        </tr>
    }
}

/// The row a key leads to from row `at`.
fn target(key: &str, at: Option<usize>, rows: usize, page: usize) -> Option<usize> {
    let last = rows.checked_sub(1)?;
    let target = match (key, at) {
        ("Home", _) => 0,
        ("End", _) => last,
        ("ArrowDown" | "PageDown" | "ArrowUp" | "PageUp", None) => 0,
        ("ArrowDown", Some(at)) => at + 1,
        ("PageDown", Some(at)) => at + page,
        ("ArrowUp", Some(at)) => at.saturating_sub(1),
        ("PageUp", Some(at)) => at.saturating_sub(page),
        _ => return None,
    };
    Some(target.min(last))
}

/// Scrolls just so far that the row can be seen below the heads.
fn scroll_to(list: &NodeRef, row: usize) {
    let Some(element) = list.cast::<Element>() else {
        return;
    };
    let Screen { scrolled, height } = measure(list);
    let top = row as f64 * ROW;
    // One row's height is the heads'.
    if top < scrolled {
        element.set_scroll_top(top as i32);
    } else if top + 2.0 * ROW > scrolled + height {
        element.set_scroll_top((top + 2.0 * ROW - height) as i32);
    }
}

fn measure(list: &NodeRef) -> Screen {
    list.cast::<Element>().map_or(
        Screen {
            scrolled: 0.0,
            height: 900.0,
        },
        |list| Screen {
            scrolled: f64::from(list.scroll_top()),
            height: f64::from(list.client_height()),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_to_rows_that_exist() {
        assert_eq!(target("ArrowDown", None, 10, 5), Some(0));
        assert_eq!(target("ArrowDown", Some(9), 10, 5), Some(9));
        assert_eq!(target("PageUp", Some(3), 10, 5), Some(0));
        assert_eq!(target("End", Some(3), 10, 5), Some(9));
        assert_eq!(target("x", Some(3), 10, 5), None);
        assert_eq!(target("ArrowDown", None, 0, 5), None);
    }
}

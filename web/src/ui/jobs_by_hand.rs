//! Jobs made by hand: a small table with a bar for each job, to be typed in and dragged. Whatever is
//! changed is opened as a trace at once, and all schedulers run it.

use super::controls::{Take, quiet_button};
use super::icon::{Icon, sign};
use super::metrics_table::mean_jct;
use super::services::StateProps;
use super::typed::Typed;
use crate::complaint::Complaint;
use crate::draw::format;
use crate::session::manual_jobs::{MOST, MadeJob, made_of};
use crate::state::AppState;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// What begins where there is nothing to begin with.
pub(super) fn first_jobs(state: &AppState) -> Vec<MadeJob> {
    let gpus = state.setup.cluster.gpus();
    let job = |at: u32, submit: f64, duration: f64, wanted: u32| MadeJob {
        name: format!("job-{at}"),
        submit,
        duration,
        gpus: wanted.clamp(1, gpus.max(1)),
        tenant: String::new(),
        model: String::new(),
    };
    vec![
        job(1, 0.0, 7200.0, gpus / 2),
        job(2, 600.0, 5400.0, gpus),
        job(3, 1200.0, 900.0, gpus / 4),
        job(4, 1800.0, 1800.0, gpus / 2),
    ]
}

/// What of a bar is dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// All of it: the job comes earlier or later.
    Submit,
    /// Its right end: the job takes longer or shorter.
    Duration,
}

/// A bar on its way.
#[derive(Clone, Copy, PartialEq)]
struct JobDrag {
    row: usize,
    end: End,
    /// Where the pointer took hold, and what held then.
    from: f64,
    value: f64,
    /// Seconds per CSS pixel, and on the whole track: while something is dragged that stays.
    scale: f64,
    span: f64,
}

/// The table.
#[component]
pub(super) fn JobsByHand(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let session = &services.session;
    let draft = use_state_eq(|| None::<Rc<Vec<MadeJob>>>);
    let drag = use_state_eq(|| None::<JobDrag>);
    let trace = state.opening.trace_id();
    // What was made is open now; what is still being dragged stays as it is drawn.
    use_effect_with((trace, drag.is_some()), {
        let draft = draft.setter();
        move |&(_, dragging)| {
            if !dragging {
                draft.set(None);
            }
        }
    });
    let jobs = match &*draft {
        Some(jobs) => jobs.clone(),
        None => Rc::new(made_of(&session.stage().read().workload).unwrap_or_default()),
    };
    let make = {
        let (session, state, draft) = (session.clone(), state.clone(), draft.setter());
        Callback::from(move |jobs: Rc<Vec<MadeJob>>| {
            session.open_made(&jobs, &state);
            draft.set(Some(jobs));
        })
    };
    // What becomes of a row when something is typed into it.
    let change = |row: usize, set: fn(&mut MadeJob, &str) -> Result<(), Complaint>| -> Take {
        let (jobs, make) = (jobs.clone(), make.clone());
        Callback::from(move |typed: String| {
            let mut jobs = (*jobs).clone();
            if let Some(job) = jobs.get_mut(row) {
                set(job, typed.trim())?;
            }
            make.emit(Rc::new(jobs));
            Ok(())
        })
    };
    let end = jobs.iter().map(|job| job.submit + job.duration);
    let span = drag.map_or(1.15 * end.fold(1.0, f64::max), |drag| drag.span);
    let step = step_of(span);
    let most = state.setup.cluster.gpus();

    let take_hold = |row: usize, end: End, value: f64| {
        let drag = drag.setter();
        Callback::from(move |event: PointerEvent| {
            // Not the current target: Yew listens at the page's root.
            let target = event.target();
            let Some(bar) = target.and_then(|target| target.dyn_into::<HtmlElement>().ok()) else {
                return;
            };
            event.prevent_default();
            event.stop_propagation();
            // A pointer that is down can be captured.
            let _ = bar.set_pointer_capture(event.pointer_id());
            let track = bar.closest(".track").ok().flatten();
            let width = track.map_or(1.0, |track: Element| f64::from(track.client_width()));
            drag.set(Some(JobDrag {
                row,
                end,
                from: f64::from(event.client_x()),
                value,
                scale: span / width.max(1.0),
                span,
            }));
        })
    };
    let onpointermove = {
        let (session, state, jobs) = (session.clone(), state.clone(), jobs.clone());
        let (drag, draft) = (*drag, draft.setter());
        Callback::from(move |event: PointerEvent| {
            let Some(drag) = drag else {
                return;
            };
            let moved = drag.value + (f64::from(event.client_x()) - drag.from) * drag.scale;
            let changed = moved_to(&jobs, drag.row, drag.end, moved, step);
            if changed != *jobs {
                // As often as the page keeps up with; the last is made when the bar is let go of.
                if !session.is_opening() {
                    session.open_made(&changed, &state);
                }
                draft.set(Some(Rc::new(changed)));
            }
        })
    };
    let onpointerup = {
        let (make, jobs, drag) = (make.clone(), jobs.clone(), drag.clone());
        Callback::from(move |_: PointerEvent| {
            if drag.is_some() {
                drag.set(None);
                make.emit(jobs.clone());
            }
        })
    };
    let by_key = |row: usize, end: End, value: f64| {
        let (jobs, make) = (jobs.clone(), make.clone());
        Callback::from(move |event: KeyboardEvent| {
            let sign = match event.key().as_str() {
                "ArrowLeft" | "ArrowDown" => -1.0,
                "ArrowRight" | "ArrowUp" => 1.0,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            make.emit(Rc::new(moved_to(
                &jobs,
                row,
                end,
                value + sign * step,
                step,
            )));
        })
    };
    let slider = |row: usize, end: End, job: &MadeJob| {
        let (class, what, value) = match end {
            End::Submit => ("bar", "Submission", job.submit),
            End::Duration => ("end", "Duration", job.duration),
        };
        let style = match end {
            End::Submit => format!(
                "left: {:.2}%; width: {:.2}%",
                100.0 * job.submit / span,
                100.0 * job.duration / span
            ),
            End::Duration => {
                format!("left: {:.2}%", 100.0 * (job.submit + job.duration) / span)
            }
        };
        html! {
            <div {class} role="slider" tabindex="0" aria-label={format!("{what} of {}", job.name)} aria-valuemin="0" aria-valuemax={format!("{span:.0}")}
                aria-valuenow={value.to_string()} aria-valuetext={format::duration(value)} title={format!("{what}: {}", format::duration(value))} ~style={style}
                onpointerdown={take_hold(row, end, value)} onkeydown={by_key(row, end, value)}></div>
        }
    };
    let rows = jobs.iter().enumerate().map(|(row, job)| {
        let cell = |what: &str, kind: &'static str, value: String, take: Take| {
            let min = (kind == "number").then_some("0");
            let step = (kind == "number").then_some("any");
            html! { <td><Typed {kind} name={format!("{what} of {}", job.name)} {value} {min} {step} {take} /></td> }
        };
        let remove = {
            let (jobs, make) = (jobs.clone(), make.clone());
            Callback::from(move |_: MouseEvent| {
                let mut jobs = (*jobs).clone();
                jobs.remove(row);
                make.emit(Rc::new(jobs));
            })
        };
        let wide = (job.gpus > most)
            .then(|| html! { <span class="error">{ format!("more than the {most} {} there are: rejected", format::units("GPUs")) }</span> });
        html! {
            <tr key={row}>
                { cell("Name", "text", job.name.clone(), change(row, |job, typed| { typed.clone_into(&mut job.name); Ok(()) })) }
                { cell("GPUs", "number", job.gpus.to_string(), change(row, |job, typed| {
                    let gpus = typed.parse().ok().filter(|gpus| (1..=1_000_000).contains(gpus));
                    job.gpus = gpus.ok_or("A whole number of GPUs, 1 or more.")?;
                    Ok(())
                })) }
                { cell("Submission", "number", job.submit.to_string(), change(row, |job, typed| {
                    job.submit = seconds(typed, 0.0).ok_or("Seconds, 0 or more.")?;
                    Ok(())
                })) }
                { cell("Duration", "number", job.duration.to_string(), change(row, |job, typed| {
                    job.duration = seconds(typed, 1e-3).ok_or("Seconds, more than 0.")?;
                    Ok(())
                })) }
                <td class="track">{ slider(row, End::Submit, job) }{ slider(row, End::Duration, job) }{ wide.unwrap_or_default() }</td>
                <td>
                    if jobs.len() > 1 {
                        { quiet_button(&format!("Remove {}", job.name), Some("Remove"), sign(Icon::Close), remove) }
                    }
                </td>
            </tr>
        }
    });
    let add = {
        let (jobs, make) = (jobs.clone(), make.clone());
        Callback::from(move |_: MouseEvent| {
            let mut jobs = (*jobs).clone();
            let mut number = jobs.len() + 1;
            while jobs.iter().any(|job| job.name == format!("job-{number}")) {
                number += 1;
            }
            if let Some(last) = jobs.last().cloned() {
                jobs.push(MadeJob {
                    name: format!("job-{number}"),
                    submit: last.submit + step,
                    ..last
                });
            }
            make.emit(Rc::new(jobs));
        })
    };
    let means = state.runs.iter().map(|card| {
        let mean = card.summary().map(mean_jct);
        let mean = mean.unwrap_or_else(|| "mean JCT –".to_owned());
        html! { <span>{ format!("{}: {mean}", card.name()) }</span> }
    });
    html! {
        <section class="by-hand" aria-label="Jobs made by hand">
            <p class="hint">{ "Type, or drag: a bar to submit its job earlier or later, its right end to make it longer or shorter. Every change runs all schedulers again." }</p>
            <div class="by-hand-list" {onpointermove} onpointerup={onpointerup.clone()} onpointercancel={onpointerup}>
                <table>
                    <thead><tr><th>{ "Job" }</th><th>{ "GPUs" }</th><th>{ "Submitted (s)" }</th><th>{ "Duration (s)" }</th><th>{ format!("From 0 to {}", format::duration(span)) }</th><th><span class="visually-hidden">{ "Remove" }</span></th></tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            <div class="by-hand-foot">
                <button type="button" onclick={add} disabled={jobs.len() >= MOST}>{ "Add a job" }</button>
                <output class="hint">{ for means }</output>
            </div>
        </section>
    }
}

/// Seconds as they are typed, from `least` on.
fn seconds(typed: &str, least: f64) -> Option<f64> {
    let seconds: f64 = typed.parse().ok()?;
    Some(seconds).filter(|seconds| (least..=1e9).contains(seconds))
}

/// A round part of a span, about a hundredth: what bars move by.
fn step_of(span: f64) -> f64 {
    const STEPS: [f64; 12] = [
        0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 600.0, 1800.0, 3600.0, 21600.0,
    ];
    let fits = STEPS.into_iter().rev().find(|step| *step <= span / 60.0);
    fits.unwrap_or(STEPS[0])
}

/// The jobs with one of them moved, or made longer or shorter, to a multiple of `step`.
fn moved_to(jobs: &[MadeJob], row: usize, end: End, value: f64, step: f64) -> Vec<MadeJob> {
    let mut jobs = jobs.to_vec();
    let steps = (value / step).round();
    // Tenths are not exact: 0.3, not 0.30000000000000004.
    let rounded = if step < 1.0 {
        steps / (1.0 / step).round()
    } else {
        steps * step
    };
    if let Some(job) = jobs.get_mut(row) {
        match end {
            End::Submit => job.submit = rounded.max(0.0),
            End::Duration => job.duration = rounded.max(step),
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Vec<MadeJob> {
        first_jobs(&AppState::from_link(&Default::default()))
    }

    #[test]
    fn bars_move_by_round_steps_and_never_before_the_beginning() {
        let step = step_of(7200.0);
        assert_eq!(step, 60.0);
        let moved = moved_to(&jobs(), 1, End::Submit, 1234.0, step);
        assert_eq!(moved[1].submit, 1260.0);
        assert_eq!(
            moved_to(&jobs(), 1, End::Submit, -500.0, step)[1].submit,
            0.0
        );
        assert_eq!(
            moved_to(&jobs(), 1, End::Duration, 3.0, step)[1].duration,
            60.0
        );
        assert_eq!(moved_to(&jobs(), 9, End::Submit, 5.0, step), jobs());
        assert_eq!(moved_to(&jobs(), 0, End::Submit, 0.34, 0.1)[0].submit, 0.3);
    }

    #[test]
    fn spans_are_numbers_in_a_range() {
        assert_eq!(seconds("12.5", 0.0), Some(12.5));
        assert_eq!(seconds("-1", 0.0), None);
        assert_eq!(seconds("0", 1e-3), None);
        assert_eq!(seconds("inf", 0.0), None);
    }
}

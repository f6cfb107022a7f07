//! What changed from one run to another, job by job: a dot a job, the largest winners and losers, and how many of each
//! there are. A dot, or a row, opens its job; a drag around dots selects their jobs, and its outline stays as long as these are
//! selected.

use super::chart_card::{CLICK_PIXELS, use_size};
use super::lasso::Lasso;
use crate::comparison::outcomes;
use crate::draw::format;
use crate::draw::palette;
use crate::draw::space::{Css, Point, Ratio, Rect, Size};
use crate::draw::svg::Paper;
use crate::order;
use crate::selected_jobs::{SelectedJobs, conditions};
use crate::stage::Stage;
use crate::state::view_options::JOBS_FILTER;
use crate::state::{AppState, ColourBy, NoticesAction};
use crate::ui::clock::use_pointed;
use crate::ui::controls::{job_link, list, option};
use crate::ui::export::file_name;
use crate::ui::legend::{legend_by, use_classes_by};
use crate::ui::page_address::LONG;
use crate::ui::picture_saver::{PictureSaver, caption, picture_item};
use crate::ui::services::StateProps;
use crate::ui::theme::is_dark;
use crate::ui::typed::input_value;
use crate::ui::wording::{Direction, SAME, difference};
use gloo_events::EventListener;
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard_app::figures::{Changes, Dot};
use switchyard_charts::ChartCanvas;
use switchyard_charts::changes::{self, MANY, Places};
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

/// So many winners and losers are named.
const NAMED: usize = 5;

/// Between two points of a curve that is drawn, CSS pixels.
const STEP: f64 = 2.0;

/// The jobs of more dots than a link can name.
const TOO_MANY: &str = "So many dots have no place in a link: the jobs of all dots in the box around the curve are selected.";

/// What is drawn around the dots of jobs that are selected.
#[derive(Clone, Debug, PartialEq)]
struct DrawnOutline {
    /// The filter that it stands for.
    filter: String,
    /// The runs, and the completion times in them all around.
    runs: (u32, u32),
    around: Vec<[f64; 2]>,
}

/// Two runs, job by job.
#[derive(PartialEq)]
struct JobByJob {
    all: Changes,
    /// How many of these jobs are selected; `None`: all are.
    selected: Option<u64>,
    /// Of those that are selected: jobs that take less time here, more, and as much.
    counts: [u64; 3],
    /// The jobs that gain most time, and those that lose most.
    winners: Vec<Dot>,
    losers: Vec<Dot>,
}

impl JobByJob {
    fn of(stage: &Stage, there: u32, here: u32, state: &AppState) -> Option<Self> {
        let (first, second) = (stage.run(there)?, stage.run(here)?);
        let by = shown_by(state.view.colour_by, stage.workload.jobs.len());
        let class = |job: JobId| palette::job_class(job, by, stage, second);
        let all = Changes::of(
            &outcomes(stage, first).jct,
            &outcomes(stage, second).jct,
            &class,
        )?;
        let selection = &stage.selection;
        let own = all.dots.iter().filter(|dot| selection.holds(dot.job));
        let own: Vec<Dot> = own.copied().collect();
        let mut counts = [0; 3];
        for dot in &own {
            let ratio = dot.ratio();
            let kind = match ratio {
                _ if ratio * SAME < 1.0 => 0,
                _ if ratio > SAME => 1,
                _ => 2,
            };
            counts[kind] += 1;
        }
        Some(Self {
            counts,
            winners: largest(&own, 1.0),
            losers: largest(&own, -1.0),
            selected: selection.jobs().map(|_| own.len() as u64),
            all,
        })
    }

    /// How many gain and lose, under the first and the second of these names.
    fn in_words(&self, names: (&str, &str)) -> String {
        let [sooner, later, alike] = self.counts.map(format::count);
        let jobs = match self.selected {
            None => format::counted(self.all.dots.len() as u64, "job", "jobs"),
            Some(0) => return "No selected job has finished in both runs yet.".to_owned(),
            Some(selected) => format::counted(selected, "selected job", "selected jobs"),
        };
        format!(
            "Under {}, {sooner} of {jobs} finish sooner than under {}, {later} later, {alike} at about the same time.",
            names.1, names.0
        )
    }
}

/// The jobs that gain most time, or with a `sign` of −1 lose most. By time and not by ratio, which is largest
/// where a job of a second has waited at all.
fn largest(dots: &[Dot], sign: f64) -> Vec<Dot> {
    let changed = (0u32..).zip(dots);
    let changed = changed.filter(|(_, dot)| sign * dot.ratio().ln() < -SAME.ln());
    let by_time = changed.map(|(at, dot)| (sign * (dot.here - dot.there), at));
    let mut found = Vec::new();
    order::first(NAMED, by_time, &mut found);
    found.iter().map(|&(_, at)| dots[at as usize]).collect()
}

/// The picture of the baseline and the run after it, as an item of a menu.
pub(super) fn saved(given: &StateProps) -> Html {
    let state = given.state.clone();
    if state.runs.list.len() < 2 {
        return Html::default();
    }
    let (stage, (there, here)) = (given.services.session.stage().clone(), pair(&state, None));
    let name = file_name(&state, "what-changed");
    let draw = Callback::from(move |paper: Paper| {
        let stage = stage.read();
        let changed = JobByJob::of(&stage, there, here, &state);
        changed.map_or_else(String::new, |changed| {
            let titles = titles([there, here].map(|id| state.run(id).map_or("", |of| of.name())));
            let is_selected = |dot: &Dot| stage.selection.holds(dot.job);
            changes::svg(&changed.all, paper, &titles, &is_selected)
        })
    });
    picture_item("What changed", &name, &draw)
}

/// The titles of the axes.
fn titles(names: [&str; 2]) -> [String; 2] {
    names.map(|name| format!("JCT under {name}"))
}

/// What changed, where there are two runs to compare.
#[component]
pub(super) fn WhatChanged(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let other = use_state_eq(|| None::<u32>);
    let frame = use_node_ref();
    let size = use_size(&frame);
    // Where it is pressed, and the curve from there on once that is no click; and what of that is shown.
    let held = use_mut_ref(|| None::<Point<Css>>);
    let path = use_mut_ref(Vec::<Point<Css>>::new);
    let dragged = use_state_eq(|| None::<Lasso>);
    let kept = use_state_eq(|| None::<DrawnOutline>);
    let pointed = use_pointed(session.stage());

    let (there, here) = pair(state, *other);
    let shared = session.stage().clone();
    let by = shown_by(state.view.colour_by, shared.read().workload.jobs.len());
    let classes = use_classes_by(state, session, by);
    // A class that was chosen is one of other colours.
    let lit = state.view.lit.filter(|_| by == state.view.colour_by);
    let selection = shared.read().selection.version();
    let shown = (
        state.runs.revision,
        there,
        here,
        state.view.colour_by,
        selection,
    );
    let changed = use_memo(shown, {
        let (stage, state) = (shared.clone(), state.clone());
        move |&(_, there, here, ..)| JobByJob::of(&stage.read(), there, here, &state).map(Rc::new)
    });
    let changed = &*changed;
    let places = use_mut_ref(|| None::<Places>);
    use_effect_with((changed.clone(), size), {
        let places = places.clone();
        move |(changed, size)| {
            let of = |changed: &Rc<JobByJob>| Places::of(&changed.all, *size);
            *places.borrow_mut() = changed.as_ref().map(of);
        }
    });

    let name = |id: u32| state.run(id).map_or("", |card| card.name());
    let stage = shared.read();
    let plot = changes::plot(size);
    let place = {
        let frame = frame.clone();
        move |event: &MouseEvent| {
            let bounds = frame.cast::<Element>()?.get_bounding_client_rect();
            let x = f64::from(event.client_x()) - bounds.left();
            let y = f64::from(event.client_y()) - bounds.top();
            Some(Point::new(x, y))
        }
    };
    let dot_at = {
        let (place, changed) = (place.clone(), changed.clone());
        move |event: &MouseEvent| {
            let all = &changed.as_ref()?.all;
            places.borrow().as_ref()?.at(all, place(event)?)
        }
    };
    let onpointerdown = {
        let (held, path, place) = (held.clone(), path.clone(), place.clone());
        Callback::from(move |event: PointerEvent| {
            // A finger scrolls the page.
            let drags = event.button() == 0 && event.pointer_type() != "touch";
            *held.borrow_mut() = place(&event).filter(|_| drags);
            path.borrow_mut().clear();
        })
    };
    let onpointermove = {
        let (session, dot_at) = (session.clone(), dot_at.clone());
        let (held, path, dragged) = (held.clone(), path.clone(), dragged.setter());
        let frame = frame.clone();
        Callback::from(move |event: PointerEvent| {
            let from = held.borrow().filter(|_| event.buttons() & 1 == 1);
            let mut path = path.borrow_mut();
            let is_on = |from: &Point<Css>, to: Point<Css>| !path.is_empty() || is_drag(*from, to);
            let to = place(&event).filter(|to| from.is_some_and(|from| is_on(&from, *to)));
            let (Some(from), Some(to)) = (from, to) else {
                drop(path);
                return session.light(dot_at(&event).map(|dot| dot.job));
            };
            if path.is_empty() {
                path.push(from);
                if let Some(frame) = frame.cast::<Element>() {
                    // Without capture a drag merely ends at the chart's edge.
                    let _ = frame.set_pointer_capture(event.pointer_id());
                }
            }
            if path.last().is_none_or(|last| last.distance(&to) >= STEP) {
                path.push(to);
                dragged.set(Some(Lasso::of(&path)));
            }
        })
    };
    let onpointerleave = {
        let session = session.clone();
        Callback::from(move |_: PointerEvent| session.light(None))
    };
    let onpointercancel = {
        let (held, path, dragged) = (held.clone(), path.clone(), dragged.setter());
        Callback::from(move |_: PointerEvent| {
            held.take();
            path.take();
            dragged.set(None);
        })
    };
    let select = {
        let session = session.clone();
        Callback::from(move |job: JobId| session.select(Some(job)))
    };
    let names = (name(there), name(here));
    // A curve that has been let go of stays as long as its jobs are those that are selected.
    let outline = match (&*dragged, &*kept, changed) {
        (Some(lasso), ..) => Some(lasso.outline()),
        (None, Some(kept), Some(changed)) => {
            let holds = kept.runs == (there, here) && kept.filter == state.option(&JOBS_FILTER);
            let at = |&times: &[f64; 2]| changes::place_of(&changed.all, &plot, times);
            holds.then(|| kept.around.iter().map(at).collect())
        }
        _ => None,
    };
    let outline = outline.map(|points| {
        let points = points.iter().map(|at| format!("{:.1},{:.1} ", at.x, at.y));
        html! { <svg class="lasso" aria-hidden="true"><polygon points={points.collect::<String>()} /></svg> }
    });
    let onclick = {
        let (select, path) = (select.clone(), path.clone());
        Callback::from(move |event: MouseEvent| {
            // Some browsers tell of a click at the end of a curve.
            if let Some(dot) = dot_at(&event).filter(|_| path.borrow().is_empty()) {
                select.emit(dot.job);
            }
        })
    };
    let onpointerup = {
        let (session, changed) = (session.clone(), changed.clone());
        let names = [names.0, names.1].map(str::to_owned);
        let (dragged, kept) = (dragged.setter(), kept.setter());
        Callback::from(move |_: PointerEvent| {
            let path = path.borrow();
            if held.take().is_none() || path.is_empty() {
                return;
            }
            dragged.set(None);
            let Some(changed) = &changed else { return };
            let lasso = Lasso::of(&path);
            let Some((filter, is_whole)) = filter_of(&changed.all, &plot, &lasso, &names) else {
                return;
            };
            if !is_whole {
                session.dispatch(NoticesAction::Notice(Some(TOO_MANY.to_owned())));
            }
            let outline = match is_whole {
                true => lasso.outline(),
                false => Lasso::Box(lasso.corners()).outline(),
            };
            let times = |at: &Point<Css>| changes::times_at(&changed.all, &plot, *at);
            let around = outline.iter().map(times).collect();
            session.select_jobs(&filter);
            kept.set(Some(DrawnOutline {
                filter,
                runs: (there, here),
                around,
            }));
        })
    };
    let onother = {
        let other = other.setter();
        Callback::from(move |event: Event| other.set(input_value(&event).parse().ok()))
    };
    let others = state.runs.iter().filter(|card| card.id != there);
    let others =
        others.map(|card| option(&card.id.to_string(), card.name(), card.id == here, None));
    let ring = |job: JobId, class: &'static str| {
        let all = &changed.as_ref()?.all;
        let dot = all.dots.iter().find(|dot| dot.job == job)?;
        let at = changes::middle(all, &plot, dot);
        let style = format!("left: {:.1}px; top: {:.1}px", at.x, at.y);
        Some(html! { <i class={classes!("ring", class)} ~style={style}></i> })
    };
    let pointed_dot = pointed.and_then(|job| {
        let dots = &changed.as_ref()?.all.dots;
        dots.iter().find(|dot| dot.job == job)
    });
    let (dots, sentence) = match changed {
        Some(changed) => (changed.all.dots.len(), changed.in_words(names)),
        None => (0, "No job has finished in both runs yet.".to_owned()),
    };
    let saver = changed.as_ref().map(|changed| {
        let titles = titles([names.0, names.1]);
        let draw = {
            let (changed, titles, stage) = (changed.clone(), titles.clone(), shared.clone());
            Callback::from(move |paper: Paper| {
                let stage = stage.read();
                let is_selected = |dot: &Dot| stage.selection.holds(dot.job);
                changes::svg(&changed.all, paper, &titles, &is_selected)
            })
        };
        let csv = {
            let (changed, titles, stage) = (changed.clone(), titles.clone(), shared.clone());
            Callback::from(move |()| changed.all.csv(&titles, &|job| stage.read().job_name(job).into_owned()))
        };
        let of_all = {
            let (state, stage) = (state.clone(), shared.clone());
            let what = format!("JCT of each job under {} and under {}", names.0, names.1);
            Callback::from(move |()| caption(&what, &state, &stage.read()))
        };
        html! { <PictureSaver what="What changed" name={file_name(state, "what-changed")} {draw} {csv} caption={of_all} /> }
    });
    let told = changed.as_ref().and_then(|changed| changed.selected);
    let asked = stage.selection.jobs().map(|jobs| jobs.count());
    let left_out = match (asked, told) {
        (Some(asked), Some(told)) => asked - told,
        _ => (stage.workload.jobs.len() - dots) as u64,
    };
    html! {
        <section class="changed" aria-label="What changed">
            <div class="changed-head">
                <h2>{ "What changed, job by job" }</h2>
                if state.runs.list.len() > 2 {
                    <label>{ "from the baseline to " }{ list(onother, others.collect()) }</label>
                }
                { legend_by(state, session, &classes, by) }
                { saver }
            </div>
            <p>
                { &sentence }
                if left_out > 0 && dots > 0 {
                    <span class="hint">{ format!(" {} not finished in both.", format::counted(left_out, "job has", "jobs have")) }</span>
                }
                <span class="hint">{ " Drag around the dots, or over a distribution below, to select jobs in every view." }</span>
            </p>
            <div class="changed-body">
                <div class="scatter">
                    <p class="axis">{ format!("↑ JCT under {}", names.1) }</p>
                    <div class="scatter-frame" ref={frame}
                        {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onpointercancel} {onclick}>
                        <Dots changed={changed.clone()} {size} {dark} {lit} selected={stage.selection.jobs().cloned()}
                            label={format!("Completion time of each job under {} against that under {}. {sentence}", names.1, names.0)} />
                        <span class="corner longer" aria-hidden="true">{ "longer" }</span>
                        <span class="corner shorter" aria-hidden="true">{ "shorter" }</span>
                        { state.selection.job.and_then(|job| ring(job, "chosen")) }
                        if let Some(job) = state.selection.followed {
                            { ring(job, "followed") }
                        }
                        if let Some(dot) = pointed_dot {
                            { ring(dot.job, "hovered") }
                            { about(&stage, dot, names) }
                        }
                        { outline }
                    </div>
                    <p class="axis across">{ format!("JCT under {} →", names.0) }</p>
                    if dots > MANY {
                        <p class="hint">{ "The fuller a colour, the more jobs there, in the colour of most of them." }</p>
                    }
                </div>
                if let Some(changed) = changed {
                    { ranking(&stage, "Largest winners, by the time they gain", &changed.winners, &select) }
                    { ranking(&stage, "Largest losers, by the time they lose", &changed.losers, &select) }
                }
            </div>
        </section>
    }
}

/// What the canvas of dots needs.
#[derive(Properties, PartialEq)]
struct DotsProps {
    changed: Option<Rc<JobByJob>>,
    /// The frame's.
    size: Size<Css>,
    dark: bool,
    /// The class that stands out.
    lit: Option<u32>,
    /// The jobs that are selected.
    selected: Option<Rc<SelectedJobs>>,
    label: AttrValue,
}

/// The canvas of dots. A component of its own, so that a canvas that is made anew is painted anew.
#[component]
fn Dots(props: &DotsProps) -> Html {
    let canvas = use_node_ref();
    let ratio = use_pixel_ratio();
    let DotsProps {
        changed,
        size,
        dark,
        lit,
        selected,
        label,
    } = props;
    let shown = (changed.clone(), *size, ratio, *dark, *lit, selected.clone());
    use_effect_with(shown, {
        let canvas = canvas.clone();
        move |(changed, size, ratio, dark, lit, selected)| {
            let canvas = canvas.cast::<HtmlCanvasElement>();
            let (Some(canvas), Some(changed)) = (canvas.filter(|_| size.w > 0.0), changed) else {
                return;
            };
            let size = (*size, Ratio(*ratio));
            // A browser that gives no context shows no dots; the lists name the largest.
            if let Some(mut canvas) = ChartCanvas::cleared(canvas, size, changes::look(*dark)) {
                let stands_out = |dot: &Dot| {
                    selected.as_ref().is_none_or(|jobs| jobs.holds(dot.job))
                        && lit.is_none_or(|lit| lit == dot.class)
                };
                changes::paint(&changed.all, &mut canvas, &stands_out);
            }
        }
    });
    html! { <canvas ref={canvas} role="img" aria-label={label} /> }
}

/// Device pixels to a CSS pixel, as they change with the zoom.
#[hook]
fn use_pixel_ratio() -> f64 {
    let now = || web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
    let ratio = use_state_eq(now);
    use_effect_with((), {
        let ratio = ratio.setter();
        move |()| {
            let resized = web_sys::window()
                .map(|window| EventListener::new(&window, "resize", move |_| ratio.set(now())));
            move || drop(resized)
        }
    });
    *ratio
}

/// Whether the pointer has gone so far that it is no click.
fn is_drag(from: Point<Css>, to: Point<Css>) -> bool {
    from.distance(&to) >= CLICK_PIXELS
}

/// The filter that selects the jobs of the dots within a lasso, and whether it is that of these alone: a box is one of
/// times, a curve names its jobs, and one around more than a link can name is that of its box. `None`: no dot is within.
fn filter_of(
    changes: &Changes,
    plot: &Rect<Css>,
    lasso: &Lasso,
    names: &[String; 2],
) -> Option<(String, bool)> {
    if let Lasso::Curve(_) = lasso {
        let is_within = |dot: &&Dot| lasso.holds(changes::middle(changes, plot, dot));
        let jobs: Vec<u32> = changes
            .dots
            .iter()
            .filter(is_within)
            .map(|dot| dot.job.0)
            .collect();
        if jobs.is_empty() {
            return None;
        }
        let condition = conditions::positions(&jobs);
        if condition.len() <= LONG {
            return Some((condition, true));
        }
    }
    let [a, b] = lasso
        .corners()
        .map(|at| changes::times_at(changes, plot, at));
    let condition = |axis: usize| conditions::between(&names[axis], "jct", a[axis], b[axis]);
    let is_box = matches!(lasso, Lasso::Box(_));
    Some((format!("{} {}", condition(0), condition(1)), is_box))
}

/// The baseline, and the run that is compared with it.
fn pair(state: &AppState, chosen: Option<u32>) -> (u32, u32) {
    let there = state.runs.baseline;
    let is_other = |id: &u32| *id != there;
    let chosen = chosen.filter(|id| is_other(id) && state.run(*id).is_some());
    let mut ids = state.runs.iter().map(|card| card.id);
    let here = chosen.or_else(|| ids.find(is_other));
    (there, here.unwrap_or(there))
}

fn gpus(stage: &Stage, job: JobId) -> u32 {
    let job = stage.workload.jobs.get(job.index());
    job.map_or(0, |job| job.gpus)
}

/// What is said of the dot under the pointer, in the corner where it covers the fewest.
fn about(stage: &Stage, dot: &Dot, names: (&str, &str)) -> Html {
    let (name, gpus) = (stage.job_name(dot.job), gpus(stage, dot.job));
    let ratio = difference(dot.here, dot.there, Direction::Time).unwrap_or_default();
    html! {
        <div class={classes!("chart-readout", if dot.ratio() > 1.0 { "below" } else { "above" })} aria-hidden="true">
            <strong>{ format!("{name}, {}: {ratio}", format::counted(gpus.into(), "GPU", "GPUs")) }</strong>
            <span></span><span class="run">{ names.0 }</span><span class="value">{ format::duration(dot.there) }</span>
            <span></span><span class="run">{ names.1 }</span><span class="value">{ format::duration(dot.here) }</span>
        </div>
    }
}

/// How much sooner a job finishes here than there, or later: `3.2 d sooner`.
fn sooner_or_later(dot: &Dot) -> String {
    let word = if dot.here < dot.there {
        "sooner"
    } else {
        "later"
    };
    format!("{} {word}", format::duration((dot.here - dot.there).abs()))
}

/// What colours stand for here: among so many jobs one of its own is nobody's.
fn shown_by(colour_by: ColourBy, jobs: usize) -> ColourBy {
    match colour_by {
        ColourBy::Job if jobs > MANY => ColourBy::Gpus,
        by => by,
    }
}

/// The jobs that changed most.
fn ranking(stage: &Stage, title: &'static str, dots: &[Dot], select: &Callback<JobId>) -> Html {
    let rows = dots.iter().map(|dot| {
        let job = dot.job;
        let (name, gpus) = (stage.job_name(job), gpus(stage, job));
        html! {
            <tr>
                <td>{ job_link(&name, job, select) }</td>
                <td class="number">{ format::counted(gpus.into(), "GPU", "GPUs") }</td>
                <td class="number">{ format!("{} → {}", format::duration(dot.there), format::duration(dot.here)) }</td>
                <td class="number" title={difference(dot.here, dot.there, Direction::Time)}>{ sooner_or_later(dot) }</td>
            </tr>
        }
    });
    html! {
        <table class="ranking">
            <caption>{ title }</caption>
            <tbody>{ for rows }</tbody>
            if dots.is_empty() {
                <tbody><tr><td class="hint">{ "none" }</td></tr></tbody>
            }
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_that_waited_is_no_larger_a_winner_than_who_gains_more_time() {
        // From a second to eleven days, a ratio of a million; from 30 days to 10; from 20 to 30.
        const DAY: f64 = 86_400.0;
        let there = [1e6, 30.0 * DAY, 20.0 * DAY, 500.0];
        let here = [1.0, 10.0 * DAY, 30.0 * DAY, 500.0];
        let all = Changes::of(&there, &here, &|_| 0).expect("all have finished");
        let jobs = |sign| {
            let found = largest(&all.dots, sign);
            found.iter().map(|dot| dot.job.0).collect::<Vec<_>>()
        };
        assert_eq!(jobs(1.0), [1, 0]);
        assert_eq!(jobs(-1.0), [2]);
        assert_eq!(sooner_or_later(&all.dots[1]), "20 d sooner");
        assert_eq!(sooner_or_later(&all.dots[2]), "10 d later");
    }

    #[test]
    fn many_jobs_have_no_colour_of_their_own() {
        assert_eq!(shown_by(ColourBy::Job, MANY), ColourBy::Job);
        assert_eq!(shown_by(ColourBy::Job, MANY + 1), ColourBy::Gpus);
        assert_eq!(shown_by(ColourBy::Tenant, MANY + 1), ColourBy::Tenant);
    }
}

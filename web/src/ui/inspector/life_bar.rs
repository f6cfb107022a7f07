//! A job's life in one run as a thin bar over time, with the clock in it.

use super::in_run::InRun;
use crate::draw::{format, palette};
use crate::stage::SharedStage;
use crate::ui::clock::Clocked;
use crate::ui::controls::swatch;
use crate::ui::life::{self, Doing, Stretch};
use switchyard::job::JobId;
use web_sys::Element;
use yew::prelude::*;

/// Stretches shorter than this part of the bar cannot be seen.
const LEAST_VISIBLE: f64 = 1.0 / 800.0;

/// A life as a thin bar over time, with the clock in it. `span`: from when to when, the same for
/// all runs.
pub(super) fn life_bar(
    stage: &SharedStage,
    run: &InRun,
    job: JobId,
    span: (f64, f64),
    on_seek: &Callback<f64>,
) -> Html {
    let dark = stage.read().dark;
    let (run, run_id, on_seek) = (run.clone(), run.id, on_seek.clone());
    let render = {
        let stage = stage.clone();
        Callback::from(move |now| {
            let held = stage.read().run(run_id).map(|run| run.held(job, now));
            let attained = held.unwrap_or_default().service();
            life_at(&run, attained, span, now, dark, &on_seek)
        })
    };
    html! { <Clocked key={run_id} stage={stage.clone()} {render} /> }
}

/// A life's bar with the clock at `now`, when it has `attained` so many GPU·s.
fn life_at(
    run: &InRun,
    attained: f64,
    (from, to): (f64, f64),
    now: f64,
    dark: bool,
    on_seek: &Callback<f64>,
) -> Html {
    let bar = NodeRef::default();
    let colour = palette::run_colour(run.hue, dark);
    let share = |time: f64| 100.0 * ((time - from) / (to - from)).clamp(0.0, 1.0);
    let hatching = format!("hatching-{}", run.id);
    let stretches = life::visible(&run.life, (to - from) * LEAST_VISIBLE).into_iter().map(|stretch| {
        let (x, width) = (share(stretch.from), share(stretch.to) - share(stretch.from));
        let (y, height, fill) = match stretch.doing {
            Doing::Waiting => ("4", "6", "none".to_string()),
            Doing::Restarting => ("1", "12", format!("url(#{hatching})")),
            Doing::Running => ("1", "12", colour.to_string()),
        };
        html! { <rect x={format!("{x:.3}%")} width={format!("{:.3}%", width.max(0.2))} {y} {height} {fill} stroke={colour} stroke-width="1" /> }
    });
    let onclick = {
        let (bar, on_seek) = (bar.clone(), on_seek.clone());
        Callback::from(move |event: MouseEvent| {
            let Some(bounds) = bar
                .cast::<Element>()
                .map(|bar| bar.get_bounding_client_rect())
            else {
                return;
            };
            let share = (f64::from(event.client_x()) - bounds.left()) / bounds.width().max(1.0);
            on_seek.emit(from + (to - from) * share.clamp(0.0, 1.0));
        })
    };
    let doing = run
        .life
        .iter()
        .find(|stretch| stretch.from <= now && now < stretch.to);
    let state = match doing.map(|stretch| (stretch.doing, now - stretch.from)) {
        _ if now < from => "not submitted yet".to_string(),
        Some((Doing::Waiting, since)) => format!("waits for {}", format::duration(since)),
        Some((Doing::Restarting, _)) => "restarts".to_string(),
        Some((Doing::Running, since)) => format!("runs for {}", format::duration(since)),
        None if run.rejected => "rejected".to_string(),
        None if run.numbers[0].is_nan() => "not simulated so far".to_string(),
        None => "finished".to_string(),
    };
    let attained = format::gpu_hours(attained);
    let line = (from..=to).contains(&now).then(
        || html! { <div class="life-clock" ~style={format!("left: {:.3}%", share(now))}></div> },
    );
    html! {
        <div class="life">
            <div class="life-words">
                { swatch(run.hue, dark) }
                <span class="run">{ &run.name }</span>
                <span class="hint">{ format!("{state} · {attained} attained") }</span>
            </div>
            <div class="life-bar" ref={bar} {onclick}>
                <svg width="100%" height="14" role="img" aria-label={describe(&run.life, &run.name)}>
                    <defs>
                        <pattern id={hatching.clone()} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                            <rect width="1.6" height="4" fill={colour} />
                        </pattern>
                    </defs>
                    { for stretches }
                </svg>
                { line.unwrap_or_default() }
            </div>
        </div>
    }
}

/// A life in words.
fn describe(life: &[Stretch], name: &str) -> String {
    let total = |doing: Doing| -> f64 {
        let these = life.iter().filter(|stretch| stretch.doing == doing);
        these.map(|stretch| stretch.to - stretch.from).sum()
    };
    let [waits, restarts, runs] = [Doing::Waiting, Doing::Restarting, Doing::Running]
        .map(|doing| format::duration(total(doing)));
    format!("{name}: waits {waits}, restarts {restarts}, runs {runs}")
}

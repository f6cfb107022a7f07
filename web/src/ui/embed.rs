//! One view without the page around it, for articles: `?embed=` and its name; and what scripts may ask of
//! the page: static/embed.js, which talks with the article around a frame (`postMessage`) and makes
//! snippets, asks here for the least that only the program knows. Nothing here trusts what it is asked
//! with: a wrong type or an unknown name is no answer.

use super::export::results;
use super::player::Player;
use super::services::{Services, StateHandle};
use super::view::View;
use super::views;
use crate::bridge::protocol::{Choice, ExportFormat};
use crate::session::Session;
use crate::stage::Stage;
use crate::state::change::Change;
use crate::state::link::Link;
use crate::state::{Action, Phase, RunsAction, Source, Theme, ViewAction};
use js_sys::{Array, Function};
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::policy::PolicySpec;
use switchyard::report::Summary;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast, JsValue};
use yew::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = switchyardEmbed)]
    fn connect(page: &JsValue);
    #[wasm_bindgen(js_namespace = switchyardEmbed)]
    fn dialog();
}

/// The view asked for by the address, if the page is embedded.
pub(super) fn embedded_view() -> Option<&'static View> {
    let search = web_sys::window()?.location().search().ok()?;
    let wanted = search
        .trim_start_matches('?')
        .split('&')
        .find_map(|pair| pair.strip_prefix("embed="))?;
    views::named(wanted)
}

/// The view, what there is to say, the player, and a small way back to the whole page.
pub(super) fn embed_frame(view: Html, said: Html, services: &Services) -> Html {
    let whole = web_sys::window().and_then(|window| {
        let location = window.location();
        Some(format!(
            "{}{}",
            location.pathname().ok()?,
            location.hash().ok()?
        ))
    });
    html! {
        <>
            <main>{ said }<div class="stage"><div class="view">{ view }</div></div></main>
            <Player services={services.clone()} />
            <a class="way-back" href={whole.unwrap_or_default()} target="_blank" rel="noopener">{ "Switchyard ↗" }</a>
        </>
    }
}

/// The button that opens the dialog with snippets (static/embed.js).
pub(super) fn embed_button() -> Html {
    html! {
        <button type="button" onclick={|_: MouseEvent| dialog()}
            title="This view in an article, or in a file of its own">{ "Embed" }</button>
    }
}

/// Lets static/embed.js ask, as long as the page is there.
#[hook]
pub(super) fn use_asked(state: &StateHandle, session: &Session) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    use_effect_with((), {
        let session = session.clone();
        move |()| {
            let page =
                Closure::<dyn Fn(String, JsValue) -> JsValue>::new(move |what: String, with| {
                    let state = latest.borrow().clone();
                    asked(&what, &with, &state, &session).unwrap_or(JsValue::UNDEFINED)
                });
            connect(page.as_ref());
            move || drop(page)
        }
    });
}

/// What the page is asked or told, by name; the answer, if there is one.
fn asked(what: &str, with: &JsValue, state: &StateHandle, session: &Session) -> Option<JsValue> {
    let stage = session.stage();
    match what {
        // Where it is: see `look` in static/embed.js.
        "look" => {
            let stage = stage.read();
            let is_open = state.opening.trace.is_some() && !session.is_under_way();
            let is_over = is_open && state.runs.iter().all(|card| card.phase.is_over());
            let failed = state.runs.iter().find_map(|card| match &card.phase {
                Phase::Failed(why) => Some(why),
                _ => None,
            });
            let refused = state.opening.refused.as_ref().map(|refused| &refused.why);
            let said = refused.or(state.notices.notice.as_ref());
            let said = said.or(state.notices.complaints.first()).or(failed);
            let selected = stage
                .selected()
                .and_then(|job| stage.workload.jobs.get(job.index()));
            let clock = stage.clock;
            let look: [JsValue; 10] = [
                clock.now.into(),
                clock.end.into(),
                clock.playing.into(),
                clock.speed.into(),
                selected.map(|job| &*job.name).into(),
                is_open.into(),
                is_over.into(),
                said.map(String::as_str).into(),
                matches!(state.opening.source, Source::File(_)).into(),
                state.runs.revision.into(),
            ];
            Some(look.iter().collect::<Array>().into())
        }
        "play" => {
            session.set_playing(with.as_bool()?);
            None
        }
        "seek" => {
            session.seek(with.as_f64().filter(|time| time.is_finite())?);
            None
        }
        "speed" => {
            let speed = with.as_f64().filter(|speed| (1e-3..=1e9).contains(speed))?;
            let mut stage = stage.write();
            stage.clock.speed = speed;
            stage.touch();
            None
        }
        "show" => {
            let view = views::named(&with.as_string()?)?;
            session.tell(ViewAction::Show(view.name));
            Some(true.into())
        }
        "theme" => {
            session.tell(ViewAction::Theme(match with.as_string()?.as_str() {
                "light" => Theme::Light,
                "dark" => Theme::Dark,
                _ => Theme::System,
            }));
            None
        }
        // A scheduler's spec, as results have it.
        "spec" => {
            let spec: PolicySpec = with.as_string()?.parse().ok()?;
            Some(spec.to_string().into())
        }
        // A job by its name, or none; whether there is one.
        "select" | "highlight" => {
            let name = with.as_string();
            let job = name
                .as_ref()
                .and_then(|name| job_named(&stage.read(), name));
            if name.is_none() || job.is_some() {
                if what == "select" {
                    session.select(job);
                } else {
                    let mut stage = stage.write();
                    stage.highlighted = job;
                    stage.touch();
                }
            }
            Some((name.is_none() || job.is_some()).into())
        }
        // Of each run: its name, who waits, runs and is done, and where a job of this name is.
        "facts" => {
            let mut stage = stage.write();
            stage.seek();
            let name = with.as_string();
            let job = name.and_then(|name| job_named(&stage, &name));
            let facts = stage.runs.iter().map(|run| {
                let moment = &run.moment;
                let is_in = |jobs: &[_]| job.is_some_and(|job| jobs.contains(&job));
                let is_to_come = job.is_some_and(|job| {
                    stage.workload.jobs[job.index()].submit.seconds() > stage.clock.now
                });
                let place = match job {
                    None => "",
                    _ if is_in(moment.running()) => "running",
                    _ if is_in(moment.waiting()) => "waiting",
                    _ if is_to_come => "coming",
                    _ => "finished",
                };
                let facts: [JsValue; 6] = [
                    run.name().into(),
                    run.policy.to_string().into(),
                    moment.waiting().len().into(),
                    moment.running().len().into(),
                    moment.finished().into(),
                    place.into(),
                ];
                facts.iter().collect::<Array>()
            });
            Some(facts.collect::<Array>().into())
        }
        "results" => Some(results(stage, state).into()),
        // Of each scheduler of the list: who it is, how far its run is, three figures, how many jobs it has left
        // behind, and its hue; see `cards` in static/embed.js.
        "cards" => {
            let cards = state.runs.iter().map(|card| {
                let why = match &card.phase {
                    Phase::Failed(why) => why,
                    _ => "",
                };
                let left = card.summary().and_then(Summary::left);
                let left = left.unwrap_or_default();
                let figure = |of: fn(&Summary) -> f64| JsValue::from(card.summary().map(of));
                let card: [JsValue; 11] = [
                    card.id.into(),
                    card.policy.to_string().into(),
                    card.name().into(),
                    card.given.as_str().into(),
                    card.phase.name().into(),
                    why.into(),
                    figure(|of| of.jct.mean),
                    figure(|of| of.jct.p95),
                    figure(|of| of.fairness.rho_mean),
                    left.into(),
                    card.hue().into(),
                ];
                card.iter().collect::<Array>()
            });
            Some(cards.collect::<Array>().into())
        }
        // A scheduler is added, or the one of this number is another; why it cannot be.
        "script" => {
            let given = with.dyn_ref::<Array>()?;
            let policy = given.get(1).as_string()?.parse::<PolicySpec>();
            match (policy, card_of(given)) {
                (Err(why), _) => return Some(why.to_string().into()),
                (Ok(policy), None) => session.tell(RunsAction::Add(policy)),
                (Ok(policy), Some(id)) => session.tell(Action::Edit(id, Change::to(policy))),
            }
            None
        }
        "name" => {
            let given = with.dyn_ref::<Array>()?;
            session.tell(RunsAction::Name(card_of(given)?, given.get(1).as_string()?));
            None
        }
        "remove" => {
            session.tell(Action::Remove(with.as_f64()? as u32));
            None
        }
        // For explorer/: the table of the page's own sweep.
        "sweep" => Some(state.analyses.sweep.as_ref()?.as_ref().ok()?.csv().into()),
        // Of a link, the first thing that cannot be understood, in words.
        "wrong" => {
            let link = views::read_link(&with.as_string()?);
            Some(link.complaints.first()?.as_str().into())
        }
        // What is shown, as a link; with jobs that come from elsewhere where that is wished.
        "link" => {
            let mut link = Link::of(state, &stage.read());
            if let Some(packed) = with.as_string() {
                let name = state.opening.source.name().to_owned();
                link = Link {
                    source: Source::Packed(name, Rc::from(packed)),
                    member: None,
                    columns: None,
                    choice: Choice::default(),
                    ..link
                };
            }
            Some(link.fragment().into())
        }
        // The jobs with all settings, as a file's text, handed to a function once it is written.
        "experiment" => {
            let then: Function = with.dyn_ref::<Function>()?.clone();
            session.export(ExportFormat::Switchyard, state.experiment(), move |text| {
                // What comes of it is the script's own business.
                let _ = then.call1(&JsValue::NULL, &text.into());
            });
            None
        }
        _ => None,
    }
}

/// The number that something is about.
fn card_of(given: &Array) -> Option<u32> {
    given.get(0).as_f64().map(|id| id as u32)
}

fn job_named(stage: &Stage, name: &str) -> Option<JobId> {
    let mut jobs = stage.workload.jobs.iter();
    let at = jobs.position(|job| *job.name == *name)?;
    Some(JobId(at as u32))
}

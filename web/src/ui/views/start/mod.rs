//! Start: when would a job start, one that somebody would submit at the clock's time or the chosen one; who goes before
//! it, and what would help.

mod strip;

use crate::draw::{format, palette};
use crate::session::Session;
use crate::state::start::{StartRun, Starting};
use crate::state::start_question::limit_of;
use crate::state::view_options::{
    START_DRAWS, START_GPUS, START_JOB, START_LIMIT, START_QUEUE, START_RUN, START_USER, ViewOption,
};
use crate::state::{AppState, ViewAction};
use crate::ui::clock::Clocked;
use crate::ui::controls::{self, Take, field_of, job_link, list, option, swatch, switch_button};
use crate::ui::drawing::drawing;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::term::{Definition, Term};
use crate::ui::theme::is_dark;
use crate::ui::typed::{Typed, input_value};
use crate::ui::view::View;
use strip::{Span, strip};
use switchyard::job::JobId;
use switchyard_app::start::{Told, queues, users};
use yew::prelude::*;

/// When would a job start.
pub(super) const VIEW: View = View {
    name: "start",
    title: "Start",
    about: "when a job would start: one that waits, or one that you would submit now",
    is_offered: |_| true,
    show: |given| html! { <StartView ..given.clone() /> },
};

static ANSWER: Definition = Definition {
    id: "start-answer",
    name: "How the answer is made",
    meaning: "The run goes on from the clock's time many times, until the job starts. In each, what runs and waits takes as long as jobs of the same user and size took before, and others come as they came before. Nothing that happened later is looked at.",
    formula: "",
    source: "Jobs that still run count as longer than they have run (Kaplan and Meier, 1958).",
};
static PLAIN: Definition = Definition {
    id: "start-plain",
    name: "The plain way",
    meaning: "What Slurm tells: all run to their limits, and nobody comes later. It is the triangle on the upper edge of the picture.",
    formula: "",
    source: "squeue --start",
};

/// So many names are offered in a field.
const MOST_OFFERED: usize = 200;

/// So many of those before it are named.
const MOST_BEFORE: usize = 12;

#[component]
fn StartView(props: &StateProps) -> Html {
    let (state, session) = (&props.state, &props.services.session);
    let (start, refused) = match &state.analyses.start {
        Some(Ok(start)) => (Some(start.clone()), None),
        Some(Err(why)) => (None, Some(why.clone())),
        None => (None, None),
    };
    html! {
        <div class="model start">
            { form(state, session) }
            <section aria-label="When it would start">
                { controls::error(refused.as_deref()) }
                if let Some(start) = start {
                    { answers(&start, state, session) }
                } else if refused.is_none() {
                    <p class="empty">{ "Say what the job wants, and ask. The answer is no time but a distribution: half of the time before this, nine of ten before that." }</p>
                }
                <p class="terms"><Term definition={ANSWER} /><Term definition={PLAIN} /></p>
            </section>
        </div>
    }
}

fn form(state: &AppState, session: &Session) -> Html {
    let is_chosen = state.option(&START_JOB) == "chosen";
    let set = |option: &'static ViewOption, value: &'static str| {
        dispatch(session, move |_: MouseEvent| {
            ViewAction::SetOption(option, value.to_owned())
        })
    };
    let stage = session.stage().read();
    let workload = stage.workload.clone();
    drop(stage);
    let job = state.selection.job;
    let job = job.and_then(|job| workload.jobs.get(job.index()));
    let offered = |id: &'static str, names: &[&str]| {
        let names = names.iter().take(MOST_OFFERED);
        let names = names.map(|name| html! { <option value={(*name).to_owned()}></option> });
        html! { <datalist {id}>{ for names }</datalist> }
    };
    let users: Vec<&str> = users(&workload).iter().map(String::as_str).collect();
    let queues = queues(&workload, &state.setup.settings.queues);
    let under_way = matches!(&state.analyses.start, Some(Ok(start)) if start.under_way);
    let onask = {
        let session = session.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            session.ask_start(&session.state());
        })
    };
    let oncancel = {
        let session = session.clone();
        // The button becomes the one that asks: the same click must not press that, too.
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            session.leave_start();
        })
    };
    let onrun = dispatch(session, |event: Event| {
        ViewAction::SetOption(&START_RUN, input_value(&event))
    });
    let only = state.asked_cards();
    let only = (only.len() == 1).then(|| only[0].id);
    let only = only.filter(|_| !state.option(&START_RUN).is_empty());
    let cards = state.runs.iter().map(|card| {
        let chosen = only == Some(card.id);
        option(&card.id.to_string(), card.name(), chosen, None)
    });
    let all = option("", "all schedulers", only.is_none(), None);
    let own = match (is_chosen, job) {
        (true, Some(job)) => job.gpus.to_string(),
        _ => "1".to_owned(),
    };
    let at = {
        let stage = session.stage().clone();
        Callback::from(move |now: f64| {
            let at = stage.read().moments().second(now);
            html! { <p class="hint">{ format!("Asked at the clock's time: {at}.") }</p> }
        })
    };
    html! {
        <form aria-label="When would a job start?" onsubmit={onask}>
            <p class="hint">{ "When would a job start, and how sure is that?" }</p>
            <div class="switch" role="group" aria-label="Whose start" data-option={START_JOB.link}>
                { switch_button(!is_chosen, "A job I would submit", None, set(&START_JOB, "added")) }
                { switch_button(is_chosen, "The chosen job", Some("The job that is chosen in the yard, the timeline or the list of jobs"), set(&START_JOB, "chosen")) }
            </div>
            if is_chosen {
                <p class="hint" data-testid="start-of">{ match job {
                    Some(job) => format!("{}. Fields left empty: as it is.", format::short_name(&job.name)),
                    None => "No job is chosen: click one in the yard, the timeline or the list of jobs.".to_owned(),
                } }</p>
            }
            { text(session, state, Asks { name: "GPUs", option: &START_GPUS, title: "How many it wants, all at once", kind: "number", placeholder: own, list: None }) }
            { text(session, state, Asks { name: "User", option: &START_USER, title: "Whose it is: the user's jobs before tell how long it may take", kind: "text", placeholder: String::new(), list: Some("start-users") }) }
            { text(session, state, Asks { name: "Queue", option: &START_QUEUE, title: "A leaf of the tree of queues, where there is one; else a partition or a tenant", kind: "text", placeholder: String::new(), list: Some("start-queues") }) }
            { text(session, state, Asks { name: "Time limit", option: &START_LIMIT, title: "How long it asks for: seconds, or 90min, 11h, 2d3h", kind: "text", placeholder: "none".to_owned(), list: None }) }
            { offered("start-users", &users) }
            { offered("start-queues", &queues) }
            { field_of(&START_RUN, "Under", None, list(onrun, std::iter::once(all).chain(cards).collect())) }
            { text(session, state, Asks { name: "Runs", option: &START_DRAWS, title: "How many ways to go on: more make the answer surer, and take longer", kind: "number", placeholder: String::new(), list: None }) }
            <Clocked stage={session.stage().clone()} render={at} />
            <div class="row">
                if under_way {
                    <button type="button" onclick={oncancel}>{ "Cancel" }</button>
                } else {
                    <button type="submit" class="primary" disabled={state.opening.trace.is_none()}>{ "Ask" }</button>
                }
            </div>
        </form>
    }
}

/// A field of the question.
struct Asks {
    name: &'static str,
    option: &'static ViewOption,
    title: &'static str,
    kind: &'static str,
    placeholder: String,
    list: Option<&'static str>,
}

fn text(session: &Session, state: &AppState, asks: Asks) -> Html {
    let Asks {
        name,
        option,
        title,
        kind,
        placeholder,
        list,
    } = asks;
    let take: Take = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            if option.link == START_LIMIT.link {
                limit_of(&typed)?;
            }
            let mut options = session.state().view.options.clone();
            options
                .set(option, typed.trim())
                .map_err(|why| format!("{name}: {}.", &*why))?;
            session.dispatch(ViewAction::SetOption(option, typed.trim().to_owned()));
            Ok(())
        })
    };
    let value = state.option(option).to_owned();
    let min = (kind == "number").then_some("1");
    field_of(
        option,
        name,
        Some(title),
        html! { <Typed {kind} {name} {value} {take} {placeholder} {list} {min} /> },
    )
}

fn answers(start: &Starting, state: &AppState, session: &Session) -> Html {
    let dark = is_dark(state.view.theme);
    let moments = session.stage().read().moments().clone();
    let span = Span::of(start);
    let moment = |at: f64| moments.within(span.to - span.from, at);
    let runs = start.runs.iter().map(|run| {
        html! { <article>{ answer(start, run, span, &moment, dark, session) }</article> }
    });
    html! {
        <>
            <p class="hint">{ format!("Asked at {}. Each line is a run; the box holds nine of ten, its bar stands at the half.", moments.second(start.moment)) }</p>
            { for runs }
        </>
    }
}

/// What one scheduler says.
fn answer(
    start: &Starting,
    run: &StartRun,
    span: Span,
    moment: &dyn Fn(f64) -> String,
    dark: bool,
    session: &Session,
) -> Html {
    let told = run.told.as_ref().and_then(|told| told.as_ref().ok());
    let refused = run.told.as_ref().and_then(|told| told.as_ref().err());
    let when = told.map(|told| told.when).or(run.so_far);
    let sentences = when.map_or_else(Vec::new, |when| when.sentences(start.moment, moment));
    let colour = palette::run_colour(run.hue, dark);
    let plain = told.and_then(|told| told.plain).map(|plain| plain.start);
    let drawn = (when.filter(|when| when.started.is_none()))
        .map(|when| strip(run, when, plain, span, colour, &sentences.join("; ")));
    // Each has its own: the next answer may be a page further down.
    let marks = [0.0, 0.5, 1.0].map(|part| moment(span.from + part * (span.to - span.from)));
    let marks = marks.iter().map(|at| html! { <span>{ at }</span> });
    let lines = sentences.iter().enumerate().map(|(at, said)| {
        let class = (at == 0).then_some("answer");
        html! { <p {class}>{ sentence(said) }</p> }
    });
    let done = run.starts.len();
    let status = match (told, refused, start.under_way) {
        (Some(_), ..) | (_, Some(_), _) => None,
        (None, None, false) => Some(format!("Ended after {done} of {} runs.", start.draws)),
        (None, None, true) if run.helps > 0 => Some("Trying what would help.".to_owned()),
        (None, None, true) => Some(format!("{done} of {} runs are over.", start.draws)),
    };
    html! {
        <>
            <h2>{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span></h2>
            { controls::error(refused.map(|why| sentence(why)).as_deref()) }
            if let Some(svg) = drawn {
                { drawing(&svg) }
                <div class="life-axis" aria-hidden="true">{ for marks }</div>
            }
            { for lines }
            if let Some(status) = status {
                <p class="row"><span role="status">{ status }</span>
                    if start.under_way {
                        <progress aria-label="Runs that are over" max={start.draws.to_string()} value={done.to_string()}></progress>
                    }
                </p>
            }
            if let Some(told) = told {
                { more(told, moment, session) }
            }
        </>
    }
}

/// Who goes before it, by what its duration is judged, the plain way, and what would help.
fn more(told: &Told, moment: &dyn Fn(f64) -> String, session: &Session) -> Html {
    let words = told.words(moment);
    if told.when.started.is_some() {
        return html! { <p class="hint">{ sentence(&words.basis()) }</p> };
    }
    let on_job = {
        let session = session.clone();
        Callback::from(move |job: JobId| session.select(Some(job)))
    };
    let before = told.before.iter().take(MOST_BEFORE);
    let before = before.map(|of| html! { <>{ " " }{ job_link(&of.name, of.job, &on_job) }</> });
    let left = told.before.len().saturating_sub(MOST_BEFORE);
    let hints = words.later().into_iter().chain(words.plain());
    let hints = hints.chain([words.basis()]);
    let helps = told.help.iter().map(|help| {
        html! { <div><dt>{ sentence(&format!("{}:", help.what)) }</dt><dd>{ format::units(&words.help(help)).into_owned() }</dd></div> }
    });
    html! {
        <>
            <p>
                { sentence(&words.before()) }
                { for before }
                if left > 0 { { format!(" and {left} more.") } }
            </p>
            { for hints.map(|hint| html! { <p class="hint">{ sentence(&hint) }</p> }) }
            if !told.help.is_empty() {
                <h3>{ "What would help" }</h3>
                <dl class="helps">{ for helps }</dl>
            }
        </>
    }
}

/// As a sentence of its own, in what the trace counts.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let ends = text.ends_with(['.', '!', '?', ':']);
    let end = if ends || text.is_empty() { "" } else { "." };
    let text = format!("{}{}{end}", first.unwrap_or_default(), letters.as_str());
    format::units(&text).into_owned()
}

//! The chosen job: what it is, its life in every run ([`life_bar`]), and [`why`] it runs or waits.

mod in_run;
mod life_bar;
mod turns;
mod whole;
mod why;

use super::clock::Clocked;
use super::controls::{fact, quiet_button, swatch};
use super::focused::use_focus_return;
use super::journey::journey;
use super::life;
use super::names::{name_link, with_nodes};
use super::number::{Number, OfJob, Source};
use super::placing_panel::shown;
use super::speed;
use super::term::{Definition, Term};
use super::wording::{Direction, difference};
use crate::bridge::protocol::ToldLife;
use crate::comparison::outcomes;
use crate::draw::{describe, format, palette};
use crate::named::Name;
use crate::session::Session;
use crate::stage::{SharedStage, Stage, StageRun};
use crate::state::ViewAction;
use crate::state::view_options::START_JOB;
use in_run::InRun;
use life_bar::life_bar;
use std::rc::Rc;
use switchyard::Time;
use switchyard::engine::EventKind;
use switchyard::explain::PlacingStep;
use switchyard::job::{Job, JobId};
use switchyard::policies::Explanation;
use switchyard::workload::Label;
use whole::whole_life;
use why::{laid_at, put_on_yard, why};
use yew::prelude::*;

/// What the inspector needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Follows the job.
    pub(super) session: Session,
    /// Whether it is followed.
    pub(super) followed: bool,
    /// The jobs and runs.
    pub(super) stage: SharedStage,
    /// Changes when the runs' data has changed.
    pub(super) revision: u32,
    /// The chosen job.
    pub(super) job: JobId,
    /// Closes the inspector.
    pub(super) on_close: Callback<()>,
    /// What each run's policy says about the job and for which time, as far as it has been asked.
    pub(super) explanations: Vec<(u32, Option<(Time, Explanation)>)>,
    /// What its life was spent on in each run, as far as that is known.
    pub(super) lives: Vec<(u32, Rc<ToldLife>)>,
    /// Goes to another job.
    pub(super) on_job: Callback<JobId>,
    /// Moves the clock.
    pub(super) on_seek: Callback<f64>,
}

/// Most events of one run that are listed.
const MOST_EVENTS: usize = 200;

static JCT: Definition = Definition {
    id: "inspector-jct",
    name: "JCT",
    meaning: "Job completion time: from submission to finish.",
    formula: "finish − submit",
    source: "",
};
static WAITED: Definition = Definition {
    id: "inspector-waited",
    name: "waited",
    meaning: "Queueing delay: all time without GPUs, also after preemptions.",
    formula: "JCT − time on GPUs",
    source: "",
};
static RESTARTS: Definition = Definition {
    id: "inspector-restarts",
    name: "restarts",
    meaning: "Starts after the first one: resumes and moves.",
    formula: "",
    source: "",
};
static RHO: Definition = Definition {
    id: "inspector-rho",
    name: "ρ",
    meaning: "Finish-time fairness: the completion time over what it would be on an equal share of the cluster. Below 1: better than an equal share.",
    formula: "JCT shared ∕ JCT alone on a 1∕N share",
    source: "Themis (NSDI'20).",
};

/// The inspector.
#[component]
pub(super) fn Inspector(props: &Props) -> Html {
    let runs = use_memo(
        (props.stage.clone(), props.revision, props.job),
        |(stage, _, job)| {
            let stage = stage.read();
            let names = stage
                .runs
                .iter()
                .map(|run| run.name().to_owned())
                .collect::<Vec<_>>();
            let Some(record) = stage.workload.jobs.get(job.index()) else {
                return Vec::new();
            };
            let in_run = |(run, name): (&StageRun, String)| in_run(&stage, run, name, *job, record);
            stage.runs.iter().zip(names).map(in_run).collect()
        },
    );
    let place = use_node_ref();
    use_focus_return(&place);
    let onkeydown = {
        let on_close = props.on_close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                // It closes the job and nothing else: who follows it goes on following.
                event.stop_propagation();
                on_close.emit(());
            }
        })
    };
    // The decision of a placer that is looked at, the same in all runs.
    let decision = use_state_eq(|| (props.job, 0));
    let at = Some(decision.1).filter(|_| decision.0 == props.job);
    let at = at.unwrap_or_default();
    let on_step = {
        let job = props.job;
        Callback::from(move |at: usize| decision.set((job, at)))
    };
    let on_yard: Vec<(u32, Time, PlacingStep)> = props
        .explanations
        .iter()
        .filter_map(|(run, told)| {
            let (when, explanation) = told.as_ref()?;
            let placing = explanation.placing.as_ref()?;
            let is_now = laid_at(&props.stage.read(), *run, props.job).is_none_or(|at| at == *when);
            let step = placing.steps.get(shown(placing, at)).filter(|_| is_now)?;
            Some((*run, *when, step.clone()))
        })
        .collect();
    use_effect_with((props.stage.clone(), on_yard), |(stage, on_yard)| {
        put_on_yard(stage, on_yard);
        let stage = stage.clone();
        move || put_on_yard(&stage, &[])
    });
    let stage = props.stage.read();
    let Some(job) = stage.workload.jobs.get(props.job.index()) else {
        return Html::default();
    };
    let from = job.submit.seconds();
    let ends = runs
        .iter()
        .filter_map(|run| run.life.last())
        .map(|stretch| stretch.to);
    let span = (from, ends.fold(from, f64::max));
    let moment = |at: f64| stage.moments().within(span.1 - span.0, at);
    let life = |run: u32| {
        let found = props.lives.iter().find(|(id, _)| *id == run);
        found.map(|(_, life)| &**life)
    };
    let slowness = |run: u32| life(run).and_then(|life| life.slowness.as_ref());
    let is_slowed = runs.iter().any(|run| slowness(run.id).is_some());
    let speed = runs.iter().filter_map(|run| {
        let slowness = slowness(run.id)?;
        Some(html! {
            <div class="why" key={run.id}>
                <p>{ swatch(run.hue, stage.dark) }<span class="run">{ &run.name }</span></p>
                { speed::losses(&stage, slowness, &props.on_seek) }
            </div>
        })
    });
    let why = props.explanations.iter().filter_map(|(id, explanation)| {
        let run = runs.iter().find(|run| run.id == *id)?;
        Some(why(
            &props.session,
            run,
            props.job,
            explanation.as_ref(),
            &props.on_job,
            (at, &on_step, &props.on_seek),
        ))
    });
    let follow = {
        let (session, job) = (props.session.clone(), props.job);
        Callback::from(move |_: MouseEvent| session.follow_job(job))
    };
    let ask_start = {
        let session = props.session.clone();
        Callback::from(move |_: MouseEvent| {
            session.dispatch(ViewAction::SetOption(&START_JOB, "chosen".to_owned()));
            session.dispatch(ViewAction::Show("start"));
            session.ask_start(&session.state());
        })
    };
    html! {
        <section ref={place} class="inspector" aria-label={format!("Job {}", job.name)} {onkeydown}>
            <div class="inspector-head">
                <h2>{ &*job.name }</h2>
                <button type="button" aria-pressed={props.followed.to_string()} onclick={follow}
                    title="Mark it in every view and let all others stand back; the clock is slow around what happens to it, fast between (J)">{ "Follow" }</button>
                { quiet_button("Close the job", Some("Close (Esc)"), html! { "✕" }, props.on_close.reform(|_| ())) }
            </div>
            { facts(&stage, props.job, job) }
            <section>
                <h3>{ "Its life" }</h3>
                if span.1 > span.0 {
                    { for runs.iter().map(|run| html! {
                        <>
                            { life_bar(&props.stage, run, props.job, span, &props.on_seek) }
                            { followed_journey(props, run.id) }
                            { slowness(run.id).map(|of| speed::curve(of, span, palette::run_colour(run.hue, stage.dark))).unwrap_or_default() }
                        </>
                    }) }
                    <div class="life-axis"><span>{ moment(span.0) }</span><span>{ moment(span.1) }</span></div>
                    <p class="hint">{ if !is_slowed {
                        "hollow: waits · hatched: restarts · filled: runs"
                    } else {
                        "hollow: waits · hatched: restarts · filled: runs · below: how fast, of its full speed"
                    } }</p>
                } else if runs.iter().any(|run| run.rejected) {
                    <p class="hint">{ format!("It {}: it never enters the queue.", stage.workload.why_rejected(job, &stage.cluster).unwrap_or_default()) }</p>
                } else {
                    <p class="hint">{ "No run has come to its submission yet." }</p>
                }
            </section>
            { numbers(&runs, stage.dark, (&props.session, props.job)) }
            { whole_life(&stage, &runs, life, (&props.on_job, &props.on_seek)) }
            <section>
                <h3>{ "Why, at the clock's time" }</h3>
                { for why }
                <p><button type="button" class="link" onclick={ask_start} title="From many runs in which what runs and waits takes as long as such jobs took before">{ "When would it start?" }</button></p>
            </section>
            if is_slowed {
                <section>
                    <h3>{ "What slowed it" }</h3>
                    { for speed }
                </section>
            }
            <section>
                <h3>{ "What happened" }</h3>
                { for (0..).zip(runs.iter()).map(|(at, run)| event_list(&stage, at, run, &props.on_seek)) }
            </section>
        </section>
    }
}

fn in_run(stage: &Stage, run: &StageRun, name: String, id: JobId, job: &Job) -> InRun {
    let events = life::events(&run.log, id, job);
    let starts = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Start | EventKind::Restart));
    let nodes = starts.map(|event| {
        let parts = run.log.segment(event.detail as usize).gpus;
        let nodes = parts.iter().map(|part| part.node);
        let nodes: Vec<u32> = nodes.chain(run.nodes_of_cores(event.detail)).collect();
        let word = if nodes.len() == 1 { "node" } else { "nodes" };
        format!("on {word} {}", life::node_list(&nodes))
    });
    let outcomes = outcomes(stage, run);
    let at = |column: &[f64]| column.get(id.index()).copied().unwrap_or(f64::NAN);
    let restarts = outcomes
        .restarts
        .get(id.index())
        .map_or(f64::NAN, |&restarts| f64::from(restarts));
    InRun {
        id: run.id,
        name,
        hue: run.hue(),
        rejected: outcomes.rejected.get(id.index()) == Some(&true),
        ended: (outcomes.ended.get(id.index()).copied().flatten()).map(|of| of.to_string()),
        life: life::stretches(&events, &run.log, run.reached()),
        nodes: nodes.collect(),
        numbers: [
            at(&outcomes.jct),
            at(&outcomes.queueing),
            restarts,
            at(&outcomes.rho),
        ],
        events,
    }
}

fn facts(stage: &Stage, id: JobId, job: &Job) -> Html {
    let tenant = describe::name_of(&stage.workload.tenants, job.tenant);
    let model = describe::name_of(&stage.workload.models, job.model);
    let runs_on = match job.is_on_cores() {
        true => (
            "runs on",
            format!("{}, beside what schedulers decide", describe::asks(job)),
        ),
        false => (&*format::units("GPUs"), job.gpus.to_string()),
    };
    let tenant = html! {
        if let Some(of) = job.tenant.filter(|_| !tenant.is_empty()) {
            <div><dt>{ "tenant" }</dt><dd>{ name_link(tenant, &Name::Tenant(of), None) }</dd></div>
        }
    };
    let rows = [
        runs_on,
        ("submitted", stage.moments().time(job.submit.seconds())),
        ("duration", format::duration(job.work.seconds())),
        (
            "work",
            format::gpu_hours(job.work.seconds() * f64::from(job.gpus)),
        ),
        ("model", model.to_string()),
    ];
    let recorded = &stage.workload.recorded;
    let text = |text: Option<&str>| text.unwrap_or_default().to_string();
    let labels = Label::ALL.map(|label| (label.word(), text(recorded.label(id, label))));
    let run = recorded.run(id);
    let kept = [
        (
            "priority",
            recorded.priority(id).map_or(String::new(), format::figures),
        ),
        (
            "recorded start",
            run.map_or(String::new(), |run| format::time(run.start.seconds())),
        ),
        (
            "recorded wait",
            recorded
                .wait(id, job)
                .map_or(String::new(), format::duration),
        ),
        ("recorded nodes", text(recorded.nodes(id))),
    ];
    let rows = rows.into_iter().chain(labels).chain(kept);
    let rows = rows.filter(|(_, value)| !value.is_empty());
    html! {
        <dl class="job-facts">
            { for rows.map(|(term, value)| fact(term, &value)) }
            { tenant }
        </dl>
    }
}

/// What every run made of the job, and how it differs from the first.
fn numbers(runs: &[InRun], dark: bool, (session, job): (&Session, JobId)) -> Html {
    let first = runs.first();
    let row = |run: &InRun| {
        let cells = run.numbers.iter().enumerate().map(|(i, &value)| {
            let is_time = i < 2;
            let text = if is_time {
                format::duration(value)
            } else {
                format::figures(value)
            };
            // Waiting differs as completion does: saying it once is enough.
            let base = first.filter(|first| i == 0 && first.id != run.id);
            let words = base.and_then(|base| difference(value, base.numbers[i], Direction::Time));
            let of = [Some((OfJob::Jct, JCT)), Some((OfJob::Wait, WAITED)), None, Some((OfJob::Rho, RHO))];
            let of = of[i].filter(|_| !value.is_nan());
            html! {
                <td>
                    if let Some((of, definition)) = of {
                        <Number session={session.clone()} run={run.id} source={Source::OfJob(job, of)} {definition} {text} />
                    } else {
                        { text }
                    }
                    if let Some(words) = words {
                        <span class="difference">{ words }</span>
                    }
                </td>
            }
        });
        html! {
            <tr key={run.id}>
                <th scope="row">{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span></th>
                { for cells }
            </tr>
        }
    };
    html! {
        <div class="job-numbers" tabindex="0" role="region" aria-label="The job in numbers">
            <table>
                <thead><tr>
                    <th scope="col"><span class="visually-hidden">{ "Run" }</span></th>
                    { for [JCT, WAITED, RESTARTS, RHO].map(|definition| html! { <th scope="col"><Term {definition} /></th> }) }
                </tr></thead>
                <tbody>{ for runs.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

fn event_list(stage: &Stage, at: usize, run: &InRun, on_seek: &Callback<f64>) -> Html {
    let mut nodes = run.nodes.iter();
    let items: Vec<Html> = run
        .events
        .iter()
        .take(MOST_EVENTS)
        .map(|event| {
            let at = event.time.seconds();
            let on = match event.kind {
                EventKind::Start | EventKind::Restart => {
                    nodes.next().map(|on| html! { <span>{ with_nodes(on) }</span> })
                }
                _ => None,
            };
            let words = match event.kind {
                EventKind::Submit => "submitted".to_string(),
                EventKind::Start => "starts".to_string(),
                EventKind::Restart => "restarts".to_string(),
                EventKind::Pause => format::units("loses its GPUs").into_owned(),
                EventKind::Evict => format::units("loses its GPUs to a failure").into_owned(),
                EventKind::Demote => format!("sinks to queue {}", event.detail + 1),
                EventKind::Promote => format!("rises to queue {}", event.detail + 1),
                EventKind::Fail => "fails, and tries again, as its trace records".to_string(),
                EventKind::Finish => match &run.ended {
                    Some(cause) => format!("{cause}, as its trace records"),
                    None => "finishes".to_string(),
                },
                EventKind::Reject => "rejected".to_string(),
            };
            let seek = on_seek.reform(move |_: MouseEvent| at);
            html! {
                <li><button type="button" class="quiet" onclick={seek}><span class="when">{ stage.moments().second(at) }</span>{ words }</button>{ on.unwrap_or_default() }</li>
            }
        })
        .collect();
    let left = run.events.len() - items.len();
    html! {
        <details key={run.id} open={at == 0}>
            <summary>{ &run.name }<span class="hint">{ format!(" {}", format::counted(run.events.len() as u64, "event", "events")) }</span></summary>
            <ol class="events">{ for items }</ol>
            if left > 0 {
                <p class="hint">{ format!("and {} more", format::count(left as u64)) }</p>
            }
        </details>
    }
}

/// A followed job's way in one run, in words.
fn followed_journey(props: &Props, run: u32) -> Html {
    let session = props.session.clone();
    let render = Callback::from(move |now| {
        let stage = session.stage().read();
        let run = stage
            .run(run)
            .map(|run| journey(&stage, run, now, &session));
        html! { <p class="journey">{ run.unwrap_or_default() }</p> }
    });
    let words = || html! { <Clocked stage={props.stage.clone()} {render} /> };
    props.followed.then(words).unwrap_or_default()
}

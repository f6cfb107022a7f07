//! Pollux' goodput model to play with: sliders on one side, the choice of batch size and its
//! curves on the other. Needs no trace; a worker does the sums. Below it the round of a scheduler
//! that decides by it.

mod gpu_panel;
pub(crate) mod model;
mod round_panel;

use crate::complaint::Complaint;
use crate::draw::format;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::view_options::GOODPUT_RUN;
use crate::state::{Action, AppState, NoticesAction, Run, Setup, ViewAction};
use crate::ui::controls::{
    self, Take, any_from, chosen, field, list, number_field, option, quiet_button, switch_button,
};
use crate::ui::plot::saved_chart;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::term::{Definition, Term};
use crate::ui::theme::is_dark;
use crate::ui::typed::input_value;
use crate::ui::view::View;
use gpu_panel::GpuPanel;
use model::{Answer, MINE, Question};
use round_panel::round_panel;
use std::cell::RefCell;
use std::rc::Rc;
use switchyard::goodput::{Limits, ThroughputParams};
use yew::prelude::*;

static GOODPUT: Definition = Definition {
    id: "model-goodput",
    name: "Goodput",
    meaning: "Useful training progress per second: samples processed per second, each counted for what it is worth at this batch size.",
    formula: "throughput × statistical efficiency",
    source: "Pollux (OSDI'21), eq. 1.",
};
static EFFICIENCY: Definition = Definition {
    id: "model-efficiency",
    name: "Statistical efficiency",
    meaning: "Progress per sample at batch size M, relative to the user's own M0. Large batches waste samples while gradients are not noisy.",
    formula: "(φ + M0) ∕ (φ + M)",
    source: "Pollux (OSDI'21), eq. 6; McCandlish et al. (2018).",
};
static NOISE_SCALE: Definition = Definition {
    id: "model-phi",
    name: "Gradient noise scale φ",
    meaning: "How noisy gradients are, in samples: up to about this batch size, twice the samples make twice the progress. It grows as training goes on.",
    formula: "tr(PΣPᵀ) ∕ |Pg|²",
    source: "Pollux (OSDI'21), section 3.1 (PGNS).",
};
static STEP_TIME: Definition = Definition {
    id: "model-step",
    name: "Step time",
    meaning: "Seconds of one step: computing gradients of m samples per GPU, and synchronising K replicas, which overlap by γ (1: not at all). α and β: constant and growing parts, c to compute, n within a node, r between nodes.",
    formula: "(T_grad^γ + T_sync^γ)^(1∕γ);  T_grad = αc + βc·m;  T_sync = α + β·(K − 2)",
    source: "Pollux (OSDI'21), eq. 8–11.",
};
static BATCHES: Definition = Definition {
    id: "model-batches",
    name: "Batch sizes",
    meaning: "M0 is the batch size the user chose, which counts as fully efficient. Larger ones, up to the largest, are split over GPUs; what does not fit a GPU's memory is accumulated.",
    formula: "M = K·m·(s + 1)",
    source: "Pollux (OSDI'21), section 3.2.",
};

/// Pollux' model, to play with.
pub(super) const VIEW: View = View {
    name: "goodput",
    title: "Goodput",
    about: "Pollux' model of how fast jobs train, to play with",
    is_offered: |_| true,
    show: |given| html! { <GoodputView ..given.clone() /> },
};

/// The model, to play with.
#[component]
fn GoodputView(props: &StateProps) -> Html {
    let session = &props.services.session;
    let state: &AppState = &props.state;
    let dark = is_dark(state.view.theme);
    use_effect_with((), {
        let (session, model) = (session.clone(), state.analyses.model.clone());
        move |()| {
            if model.answer.is_none() {
                session.ask_model(model.question);
            }
        }
    });
    let adapts = |card: &&Run| card.policy.adapts_jobs();
    let adapting: Vec<&Run> = state.runs.iter().filter(adapts).collect();
    let shown_run = state.option_run(&GOODPUT_RUN);
    let shown = shown_card(&adapting, shown_run).map(|card| card.id);
    use_effect_with(shown, {
        let session = session.clone();
        move |shown| {
            session.show_rounds(*shown);
            move || session.show_rounds(None)
        }
    });
    let (answer, refused) = match &state.analyses.model.answer {
        Some(Ok(answer)) => (Some(answer.clone()), None),
        Some(Err(why)) => (None, Some(why.clone())),
        None => (None, None),
    };
    // While a number is refused, what was drawn last stays.
    let last = use_mut_ref(|| None);
    if answer.is_some() {
        last.borrow_mut().clone_from(&answer);
    }
    let drawn = last.borrow().clone();
    let latest = use_mut_ref(Question::default);
    let Some(answer) = drawn else {
        return match refused {
            Some(why) => html! { <div class="empty">{ controls::error(Some(&why)) }</div> },
            None => html! { <div class="empty"><p>{ "Asking the model…" }</p></div> },
        };
    };
    *latest.borrow_mut() = state.analyses.model.question.clone();
    let fields = Fields {
        session,
        question: &state.analyses.model.question,
        latest,
        answer: &answer,
    };
    let said: Vec<String> = (answer.facts.iter())
        .map(|fact| format!("{}: {}", fact.term, fact.in_seconds()))
        .collect();
    let Question {
        application,
        gpus,
        gpus_per_node,
        ..
    } = &state.analyses.model.question;
    let caption = format!(
        "Pollux' goodput model (OSDI'21) of {application} on {}, {gpus_per_node} per node, φ {} samples. {}.",
        format::counted(u64::from(*gpus), "GPU", "GPUs"),
        format::figures(answer.noise_scale),
        said.join("; ")
    );
    let facts = answer
        .facts
        .iter()
        .map(|fact| controls::fact(&fact.term, &fact.in_seconds()));
    html! {
        <div class="model">
            <form aria-label="Goodput model" onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
                <p class="hint">{ "Which batch size trains fastest? Pollux asks this for every job, and shares GPUs by the answer." }</p>
                { fields.html() }
                { controls::error(refused.as_deref()) }
            </form>
            <section aria-label="What the model says">
                <p class="terms"><Term definition={GOODPUT} /><Term definition={EFFICIENCY} /><Term definition={NOISE_SCALE} /></p>
                <dl class="job-facts" aria-live="polite">{ for facts }</dl>
                { train_this(session, &answer) }
                <div class="plots">{ for answer.plots.iter().map(|plot| saved_chart(plot, dark, "the choice", &caption)) }</div>
                { rounds(state, session, adapting, shown_run) }
                <GpuPanel />
            </section>
        </div>
    }
}

/// Lets every plain job train what the sliders describe.
fn train_this(session: &Session, answer: &Answer) -> Html {
    let Some(definition) = answer.definition.clone() else {
        return Html::default();
    };
    let session = session.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        let definition = definition.clone();
        session.dispatch(Action::SetUp(Change::new(move |setup: &Setup| {
            let mut setup = setup.clone();
            let applications = setup.settings.applications_mut();
            MINE.clone_into(&mut applications.rule);
            applications.definitions = vec![definition.clone()];
            Ok(setup)
        })));
        session.dispatch(NoticesAction::Notice(Some(
            "Jobs now train this application wherever a scheduler of the list, such as Pollux, adapts them. Below the schedulers it can be let go again."
                .to_string(),
        )));
    });
    html! { <button type="button" {onclick}>{ "Let jobs train this" }</button> }
}

/// The round, at the clock's time, of a scheduler that adapts jobs.
fn rounds(state: &AppState, session: &Session, adapting: Vec<&Run>, shown: Option<u32>) -> Html {
    let Some(card) = shown_card(&adapting, shown) else {
        return Html::default();
    };
    let switch = adapting.iter().map(|other| {
        let id = other.id;
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&GOODPUT_RUN, id.to_string())
        });
        switch_button(id == card.id, &other.policy.label(), None, onclick)
    });
    let on_job = {
        let session = session.clone();
        Callback::from(move |job| session.select(Some(job)))
    };
    let report = state
        .selection
        .round
        .as_ref()
        .filter(|(id, _)| *id == card.id);
    html! {
        <>
            if adapting.len() > 1 {
                <div class="switch" role="group" aria-label="Scheduler whose round is shown" data-option={GOODPUT_RUN.link}>{ for switch }</div>
            }
            if let Some((_, report)) = report {
                { round_panel(&session.stage().read(), &card.policy.label(), report, &on_job) }
            } else {
                <p class="hint">{ format!("Pause the clock within the run to see a round of {}.", card.policy) }</p>
            }
        </>
    }
}

/// The card chosen, or the first.
fn shown_card<'c>(adapting: &[&'c Run], shown: Option<u32>) -> Option<&'c Run> {
    let chosen = adapting.iter().find(|card| Some(card.id) == shown);
    chosen.or(adapting.first()).copied()
}

struct Fields<'a> {
    session: &'a Session,
    question: &'a Question,
    /// The question as the last change left it, which may not have been shown yet.
    latest: Rc<RefCell<Question>>,
    answer: &'a Answer,
}

/// Puts a number into a question, beside what was answered last.
type QuestionChange = fn(&mut Question, &Answer, f64);

impl Fields<'_> {
    /// Asks anew.
    fn ask(
        &self,
        change: impl Fn(&mut Question, String) -> Result<(), Complaint> + 'static,
    ) -> Take {
        let (session, latest) = (self.session.clone(), self.latest.clone());
        Callback::from(move |typed: String| {
            change(&mut latest.borrow_mut(), typed)?;
            session.ask_model(latest.borrow().clone());
            Ok(())
        })
    }

    /// Asks anew with a number changed.
    fn on(&self, change: QuestionChange) -> Take {
        let answer = self.answer.clone();
        self.ask(move |question, typed| {
            let value = typed
                .trim()
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite());
            change(question, &answer, value.ok_or("A number is needed.")?);
            Ok(())
        })
    }

    fn slider(
        &self,
        (min, max, step): (&'static str, &'static str, &'static str),
        value: f64,
        label: &'static str,
        text: String,
        change: QuestionChange,
    ) -> Html {
        let take = self.on(change);
        let oninput = Callback::from(move |event: InputEvent| drop(take.emit(input_value(&event))));
        html! {
            <span class="slider">
                <input type="range" {min} {max} {step} value={value.to_string()} aria-label={label} aria-valuetext={text.clone()} {oninput} />
                <output>{ text }</output>
            </span>
        }
    }

    fn number(&self, name: &'static str, value: f64, change: QuestionChange) -> Html {
        number_field(
            name,
            None,
            any_from("0"),
            value.to_string(),
            self.on(change),
        )
    }

    fn html(&self) -> Html {
        let Self {
            question, answer, ..
        } = self;
        let names = answer.applications.iter();
        let options = names.map(|name| option(name, name, *name == question.application, None));
        let onapplication = self.ask(|question, application| {
            *question = Question {
                application,
                noise_scale: None,
                throughput: None,
                limits: None,
                ..question.clone()
            };
            Ok(())
        });
        // What was asked for last, though it may not be answered yet, or refused.
        let phi = question
            .noise_scale
            .unwrap_or(answer.noise_scale)
            .clamp(1.0, 1e9);
        let own_phi = self.ask(|question, _| {
            question.noise_scale = None;
            Ok(())
        });
        let own_phi = Callback::from(move |_: MouseEvent| drop(own_phi.emit(String::new())));
        let ThroughputParams {
            alpha_c,
            beta_c,
            alpha_n,
            beta_n,
            alpha_r,
            beta_r,
            gamma,
        } = question.throughput.unwrap_or(answer.throughput);
        let Limits {
            m0,
            max_batch,
            min_local,
            max_local,
        } = question.limits.unwrap_or(answer.limits);
        html! {
            <>
                { field("Application", Some("Its fitted numbers, from the measurements of Pollux' artifact (OSDI'21)"), list(chosen(&onapplication), options.collect())) }
                <div class="field"><span>{ "GPUs" }</span>
                    { self.slider(("1", "64", "1"), f64::from(question.gpus), "GPUs", question.gpus.to_string(), |question, _, gpus| question.gpus = gpus as u32) }
                </div>
                { self.number("GPUs per node", f64::from(question.gpus_per_node), |question, _, gpus| question.gpus_per_node = gpus as u32) }
                <div class="field"><span>{ "Trained so far" }</span>
                    { self.slider(("0", "1", "0.01"), question.trained, "Trained so far", format!("{:.0} %", question.trained * 100.0), |question, _, part| {
                        question.trained = part;
                        question.noise_scale = None;
                    }) }
                </div>
                <div class="field"><Term definition={NOISE_SCALE} />
                    { self.slider(("0", "9", "0.02"), phi.log10(), "Gradient noise scale", format!("{} samples", format::figures(format::two_digits(phi))), |question, _, power| question.noise_scale = Some(10f64.powf(power))) }
                </div>
                if question.noise_scale.is_some() {
                    { quiet_button("The application's own noise scale", None, html! { "↺ the application's own φ" }, own_phi) }
                }
                <details>
                    <summary>{ "Step time and batch sizes" }</summary>
                    <p class="terms"><Term definition={STEP_TIME} /></p>
                    <div class="numbers">
                        { self.number("αc (s)", alpha_c, |question, answer, value| params(question, answer).alpha_c = value) }
                        { self.number("βc (s/sample)", beta_c, |question, answer, value| params(question, answer).beta_c = value) }
                        { self.number("αn (s)", alpha_n, |question, answer, value| params(question, answer).alpha_n = value) }
                        { self.number("βn (s)", beta_n, |question, answer, value| params(question, answer).beta_n = value) }
                        { self.number("αr (s)", alpha_r, |question, answer, value| params(question, answer).alpha_r = value) }
                        { self.number("βr (s)", beta_r, |question, answer, value| params(question, answer).beta_r = value) }
                        { self.number("γ", gamma, |question, answer, value| params(question, answer).gamma = value) }
                    </div>
                    <p class="terms"><Term definition={BATCHES} /></p>
                    <div class="numbers">
                        { self.number("M0", f64::from(m0), |question, answer, value| limits(question, answer).m0 = value as u32) }
                        { self.number("largest M", f64::from(max_batch), |question, answer, value| limits(question, answer).max_batch = value as u32) }
                        { self.number("least m per GPU", f64::from(min_local), |question, answer, value| limits(question, answer).min_local = value as u32) }
                        { self.number("most m per GPU", f64::from(max_local), |question, answer, value| limits(question, answer).max_local = value as u32) }
                    </div>
                </details>
            </>
        }
    }
}

/// The question's step times, to be changed.
fn params<'q>(question: &'q mut Question, answer: &Answer) -> &'q mut ThroughputParams {
    question.throughput.get_or_insert(answer.throughput)
}

/// The question's batch sizes, to be changed.
fn limits<'q>(question: &'q mut Question, answer: &Answer) -> &'q mut Limits {
    question.limits.get_or_insert(answer.limits)
}

//! A walk through Tiresias' three-job example (NSDI'19 §3.2): a few steps, each of which puts the
//! page where there is something to see.

use super::controls::quiet_button;
use super::focused::Focused;
use super::icon::{Icon, sign};
use crate::bridge::protocol::Choice;
use crate::session::Session;
use crate::state::{AppState, GUIDED, PanelsAction, Source, ViewAction};
use switchyard::job::JobId;
use yew::prelude::*;

/// One step.
struct GuideStep {
    title: &'static str,
    text: &'static str,
    /// The view's name.
    view: &'static str,
    /// The clock, seconds; `None` lets it play.
    at: Option<f64>,
    /// The job that is chosen: its position in the sample.
    job: Option<u32>,
}

const STEPS: [GuideStep; 5] = [
    GuideStep {
        title: "Three jobs, two GPUs",
        text: "J1 wants both GPUs for 2 s, J2 one GPU for 8 s, J3 both for 6 s. All three are there at the start. Three schedulers decide which job goes first: SRSF knows how much work each job has left; Tiresias' 2D-Gittins only that jobs need 4, 8 or 12 GPU·s, and what each has been given; LAS only the latter.",
        view: "yard",
        at: None,
        job: None,
    },
    GuideStep {
        title: "What runs",
        text: "7 s in. SRSF keeps J2 on its GPU to the end, since J2 has the least work left, and the other GPU idles: J3 wants two. Under Tiresias with a threshold at 4 GPU·s, J2 has had its first share, and J3 has its turn.",
        view: "yard",
        at: Some(7.0),
        job: None,
    },
    GuideStep {
        title: "The queues",
        text: "Service is GPUs × time. A new job starts at the left of the highest lane, drifts to the right as it is served, and sinks when it crosses the threshold. Higher lanes go first: J2 has had its 4 GPU·s and waits below, J3 is still above.",
        view: "queues",
        at: Some(7.0),
        job: None,
    },
    GuideStep {
        title: "Why",
        text: "J2 is chosen. Its panel shows its life under each scheduler, its service against the thresholds, and what each scheduler says about why it runs or waits at this moment.",
        view: "queues",
        at: Some(7.0),
        job: Some(1),
    },
    GuideStep {
        title: "Compare",
        text: "Mean completion times: 9.3 s with known durations, 10 s with their distribution and two queues, 11.7 s with LAS, which serves the job with the least service and so makes jobs take turns. Now go back to Queues and move the threshold from 4 to 8 GPU·s: no job is interrupted any more, and 10 s becomes 9.3 s.",
        view: "compare",
        at: Some(16.0),
        job: None,
    },
];

/// Opens the guide, or asks first where it would take the place of what the visitor has open.
pub(super) fn wish(state: &AppState, session: &Session) -> impl Fn() + use<> {
    let (session, has_work) = (session.clone(), state.has_work());
    move || match has_work {
        true => {
            session.dispatch(PanelsAction::Drawer(false));
            session.dispatch(PanelsAction::AskForGuide);
        }
        false => start(&session),
    }
}

/// Asks whether the guide may take the place of what is open.
pub(super) fn question(state: &AppState, session: &Session) -> Html {
    let panel = NodeRef::default();
    let open = match &state.opening.source {
        Source::Sample(_) => "your list of schedulers".to_string(),
        other => format!("{} and your list of schedulers", other.name()),
    };
    let stay = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.dispatch(PanelsAction::Guide(None)))
    };
    let go = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| start(&session))
    };
    html! {
        <Focused target={panel.clone()}><section class="guide" ref={panel} tabindex="-1" aria-label="Guide: three jobs">
            <div>
                <h2>{ "Three jobs, step by step" }</h2>
                <p>{ format!("The guide opens three jobs and three schedulers of its own instead of {open}. Share copies a link to your settings, and a file can be kept in this browser first.") }</p>
            </div>
            <div class="guide-buttons">
                <button type="button" onclick={stay}>{ "Stay here" }</button>
                <button type="button" class="primary" onclick={go}>{ "Open the guide" }</button>
            </div>
        </section></Focused>
    }
}

/// Opens the guide's sample with its schedulers, at the first step.
fn start(session: &Session) {
    session.dispatch(PanelsAction::Drawer(false));
    session.dispatch(ViewAction::Show(STEPS[0].view));
    session.dispatch(PanelsAction::Guide(Some(0)));
    session.open_sample(GUIDED, Choice::default());
}

/// Puts the page where a step has something to see.
fn go(session: &Session, number: usize) {
    let Some(step) = STEPS.get(number) else {
        session.dispatch(PanelsAction::Guide(None));
        return;
    };
    session.dispatch(ViewAction::Show(step.view));
    session.set_playing(step.at.is_none());
    session.seek(step.at.unwrap_or(0.0));
    session.select(step.job.map(JobId));
    session.dispatch(PanelsAction::Guide(Some(number)));
}

/// The step that is open, below the view: nothing is covered by it.
pub(super) fn guide(session: &Session, number: usize) -> Html {
    let panel = NodeRef::default();
    let Some(step) = STEPS.get(number) else {
        return Html::default();
    };
    let to = |number: usize| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| go(&session, number))
    };
    let close = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.dispatch(PanelsAction::Guide(None)))
    };
    let is_last = number + 1 == STEPS.len();
    html! {
        <Focused target={panel.clone()}><section class="guide" ref={panel} tabindex="-1" aria-label="Guide: three jobs">
            <div aria-live="polite">
                <h2>{ format!("{} of {} · {}", number + 1, STEPS.len(), step.title) }</h2>
                <p>{ step.text }</p>
            </div>
            <div class="guide-buttons">
                <button type="button" disabled={number == 0} onclick={to(number.saturating_sub(1))}>{ "Back" }</button>
                <button type="button" class="primary" onclick={to(number + 1)}>{ if is_last { "Done" } else { "Next" } }</button>
                { quiet_button("Close the guide", Some("Close (Esc)"), sign(Icon::Close), close) }
            </div>
        </section></Focused>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::StageRun;
    use crate::state::GUIDED_SCHEDULERS;
    use crate::ui::views;
    use switchyard::workload::Sample;

    fn mean_jct(policy: &str) -> f64 {
        let sample = Sample::named(GUIDED).expect("a sample of this name");
        let run = StageRun::finished_of(sample, policy);
        run.summary().expect("it is complete").jct.mean
    }

    #[test]
    fn the_guide_promises_what_happens() {
        let means = GUIDED_SCHEDULERS.map(|policy| format!("{:.1}", mean_jct(policy)));
        assert_eq!(means, ["9.3", "10.0", "11.7"]);
        assert_eq!(
            mean_jct("tiresias-gittins[thresholds=8,history=oracle]"),
            mean_jct("srsf")
        );
    }

    #[test]
    fn every_step_is_within_the_sample() {
        let sample = Sample::named(GUIDED).expect("a sample of this name");
        for step in &STEPS {
            assert!(views::named(step.view).is_some(), "{}", step.title);
            assert!(step.at.is_none_or(|at| at <= 16.0), "{}", step.title);
            let jobs = sample.workload().jobs.len() as u32;
            assert!(step.job.is_none_or(|job| job < jobs), "{}", step.title);
        }
    }
}

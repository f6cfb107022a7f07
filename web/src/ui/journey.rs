//! A followed job's events under one scheduler, as a line of words: each goes to its moment.

use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::services::dispatch;
use crate::draw::format;
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use crate::state::{AppState, SelectionAction};
use switchyard::engine::{Event, EventKind};
use switchyard::job::JobId;
use yew::prelude::*;

/// More events than these are told around the clock's time, besides the first and the last.
const AROUND: usize = 2;

/// What happened, in a word; "" where it is no step on a job's way.
fn word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Submit => "submitted",
        EventKind::Start => "started",
        EventKind::Restart => "restarted",
        EventKind::Pause => "preempted",
        EventKind::Evict => "lost its node",
        EventKind::Fail => "failed",
        EventKind::Finish => "finished",
        EventKind::Reject => "rejected",
        EventKind::Demote | EventKind::Promote => "",
    }
}

/// The steps on a job's way: a pause and a restart at once are one, a move.
fn steps(events: &[Event]) -> Vec<(f64, &'static str)> {
    let mut steps: Vec<(f64, &'static str)> = Vec::new();
    for event in events.iter().filter(|event| !word(event.kind).is_empty()) {
        let at = event.time.seconds();
        match (event.kind, steps.last_mut()) {
            (EventKind::Restart, Some(last)) if last.0 == at && last.1 == "preempted" => {
                last.1 = "moved";
            }
            _ => steps.push((at, word(event.kind))),
        }
    }
    steps
}

/// Which steps are told when so many have been made: the first, the last, and those around.
fn shown_steps(steps: usize, made: usize) -> Vec<usize> {
    let near = made.saturating_sub(AROUND + 1)..(made + AROUND).min(steps);
    (0..steps)
        .filter(|&at| at == 0 || at + 1 == steps || near.contains(&at))
        .collect()
}

/// The line.
pub(super) fn journey(stage: &Stage, run: &StageRun, now: f64, session: &Session) -> Html {
    let steps = steps(run.followed.events());
    if steps.is_empty() {
        return html! { "The run has not come to its submission yet." };
    }
    let made = steps.partition_point(|&(at, _)| at <= now);
    let mut before = None;
    let words = shown_steps(steps.len(), made).into_iter().map(|at| {
        let (time, word) = steps[at];
        let left_out = at - before.replace(at).map_or(at, |before| before + 1);
        let since = at.checked_sub(1).filter(|_| left_out == 0).map(|last| {
            match time - steps[last].0 {
                span if span > 0.0 => format!(" after {}", format::duration(span)),
                _ => " at once".to_owned(),
            }
        });
        let onclick = {
            let session = session.clone();
            Callback::from(move |_: MouseEvent| session.seek(time))
        };
        html! {
            <>
                if left_out > 0 {
                    { format!(" … {} more", format::count(left_out as u64)) }
                }
                if at > 0 {
                    { " › " }
                }
                <button type="button" class={classes!("link", (at >= made).then_some("to-come"))} title={format!("{}: go there", stage.moments().second(time))}
                    aria-current={(at + 1 == made).then_some("step")} {onclick}>{ word }</button>
                { since }
            </>
        }
    });
    html! { <>{ for words }</> }
}

/// Who is followed, wherever one looks; and the way to let go.
pub(super) fn follows(state: &AppState, session: &Session) -> Html {
    let name = |job: JobId| {
        let stage = session.stage().read();
        let record = stage.workload.jobs.get(job.index());
        record.map(|record| record.name.to_string())
    };
    let Some((job, name)) = state
        .selection
        .followed
        .and_then(|job| Some((job, name(job)?)))
    else {
        return Html::default();
    };
    let open = dispatch(session, move |_: MouseEvent| {
        SelectionAction::Select(Some(job))
    });
    let stop = dispatch(session, |_| SelectionAction::FollowJob(None));
    html! {
        <div class="follows" role="status">
            <span>{ "Following " }</span>
            <button type="button" class="link" data-job={job.0.to_string()} title="All other jobs stand back, and the clock is slow around what happens to it, fast between. Click for its life" onclick={open}>{ format::short_name(&name) }</button>
            { quiet_button(&format!("Stop following {name}"), Some("Let go of it (J)"), sign(Icon::Close), stop) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::Time;

    #[test]
    fn a_move_is_one_step() {
        use EventKind::{Demote, Finish, Pause, Restart, Start, Submit};
        let event = |at: f64, kind| Event {
            time: Time(at),
            job: JobId(0),
            kind,
            detail: 0,
        };
        let events = [
            event(0.0, Submit),
            event(1.0, Start),
            event(2.0, Demote),
            event(3.0, Pause),
            event(3.0, Restart),
            event(4.0, Pause),
            event(6.0, Restart),
            event(9.0, Finish),
        ];
        let words: Vec<&str> = steps(&events).iter().map(|step| step.1).collect();
        let expected = [
            "submitted",
            "started",
            "moved",
            "preempted",
            "restarted",
            "finished",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn the_first_the_last_and_those_around_the_clock_are_told() {
        assert_eq!(shown_steps(3, 0), [0, 1, 2]);
        assert_eq!(shown_steps(20, 10), [0, 7, 8, 9, 10, 11, 19]);
        assert_eq!(shown_steps(1, 1), [0]);
    }
}

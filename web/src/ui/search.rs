//! Looking for a job, a tenant or a node by name; and for whatever the page can do: its [`commands`].

use super::commands::{self, Command};
use super::focused::Focused;
use super::services::{StateHandle, StateProps, dispatch};
use super::typed::input_value;
use crate::draw::describe;
use crate::named::Name;
use crate::session::Session;
use crate::stage::Stage;
use crate::state::{AppState, ViewAction};
use switchyard::job::JobId;
use yew::prelude::*;

/// Most results of a kind, and most of what can be done.
const MOST: usize = 7;
const MOST_COMMANDS: usize = 30;

/// What is found.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    Job(JobId),
    Tenant(u32),
    Node(u32),
    Command(Command),
}

/// What has a name with these words in it, what that name is, and what it is; names that begin with them first.
fn find(stage: &Stage, state: &AppState, words: &str) -> Vec<(Found, String, String)> {
    // Letters beyond ASCII are as they are written: their tables would be 11 KB of the page.
    let words = words.trim().to_ascii_lowercase();
    let commands = commands::all(state, stage);
    let told = |command: &Command| {
        let (name, about) = (command.name.clone(), command.about.clone());
        (Found::Command(command.clone()), name, about)
    };
    if words.is_empty() {
        // What there is, for whoever does not know what to look for.
        let at_hand = commands.iter().filter(|command| command.is_at_hand());
        return at_hand.map(told).collect();
    }
    let workload = &stage.workload;
    let mut found = Vec::new();
    let jobs = workload.jobs.iter().map(|job| &*job.name);
    for at in matching(jobs, &words, MOST) {
        let job = &workload.jobs[at];
        let about = format!(
            "job · {}, submitted {}",
            describe::asks(job),
            stage.moments().time(job.submit.seconds())
        );
        found.push((Found::Job(JobId(at as u32)), job.name.to_string(), about));
    }
    for at in matching(workload.tenants.iter().map(String::as_str), &words, MOST) {
        let name = workload.tenants[at].clone();
        found.push((Found::Tenant(at as u32), name, "tenant".to_owned()));
    }
    let number = words.strip_prefix("node").unwrap_or(&words).trim();
    let nodes = (0..stage.cluster.nodes()).filter(|node| node.to_string().starts_with(number));
    for node in nodes.take(MOST) {
        let name = format!("node {node}");
        found.push((Found::Node(node), name, "node".to_owned()));
    }
    found.extend(of_these(&commands, &words).into_iter().map(told));
    found
}

/// The commands whose names begin with the words, those that have them within, and those that have each of the words in
/// their names or in what is said of them.
fn of_these<'a>(commands: &'a [Command], words: &str) -> Vec<&'a Command> {
    let names = commands.iter().map(|command| command.name.as_str());
    let mut places = matching(names, words, MOST_COMMANDS);
    let has_each = |command: &Command| {
        let said = format!("{} {} {}", command.name, command.about, command.also);
        let said = said.to_ascii_lowercase();
        words.split_whitespace().all(|word| said.contains(word))
    };
    let others = (0..commands.len()).filter(|at| has_each(&commands[*at]));
    let others: Vec<usize> = others.filter(|at| !places.contains(at)).collect();
    places.extend(others);
    places.truncate(MOST_COMMANDS);
    places.into_iter().map(|at| &commands[at]).collect()
}

/// The positions of at most so many names that begin with the words, and of those that have them within.
fn matching<'a>(names: impl Iterator<Item = &'a str>, words: &str, most: usize) -> Vec<usize> {
    let (mut first, mut within) = (Vec::new(), Vec::new());
    for (at, name) in names.enumerate() {
        match name.to_ascii_lowercase().find(words) {
            Some(0) => first.push(at),
            Some(_) if within.len() < most => within.push(at),
            _ => {}
        }
        if first.len() == most {
            break;
        }
    }
    first.extend(within);
    first.truncate(most);
    first
}

/// Shows what was found, or does it.
fn show(session: &Session, state: &StateHandle, found: &Found) {
    session.dispatch(ViewAction::Search(false));
    match found {
        Found::Command(command) => command.carry_out(session, state),
        Found::Job(job) => session.select(Some(*job)),
        Found::Tenant(tenant) => session.go_to(&Name::Tenant(*tenant)),
        Found::Node(node) => session.go_to(&Name::Nodes(*node, *node)),
    }
}

/// The field, and below it what was found: arrows and Enter choose.
#[component]
pub(super) fn Search(props: &StateProps) -> Html {
    let (session, state) = (&props.services.session, &props.state);
    let (words, chosen) = (use_state_eq(String::new), use_state_eq(|| 0));
    let field = use_node_ref();
    let stage = session.stage();
    let found = use_memo((*words).clone(), |words| find(&stage.read(), state, words));
    let oninput = {
        let (words, chosen) = (words.clone(), chosen.clone());
        Callback::from(move |event: InputEvent| {
            words.set(input_value(&event));
            chosen.set(0);
        })
    };
    let close = dispatch(session, |()| ViewAction::Search(false));
    let onkeydown = {
        let (session, state) = (session.clone(), state.clone());
        let (found, chosen) = (found.clone(), chosen.clone());
        let close = close.clone();
        Callback::from(move |event: KeyboardEvent| {
            let last = found.len().saturating_sub(1);
            match event.key().as_str() {
                "ArrowDown" => chosen.set((*chosen + 1).min(last)),
                "ArrowUp" => chosen.set(chosen.saturating_sub(1)),
                "Enter" => {
                    if let Some((of, _, _)) = found.get(*chosen) {
                        show(&session, &state, of);
                    }
                }
                "Escape" => close.emit(()),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let results = found.iter().enumerate().map(|(at, (of, name, about))| {
        let (session, state, of) = (session.clone(), state.clone(), of.clone());
        // Before the field loses the focus, which closes the list.
        let onpointerdown = Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            show(&session, &state, &of);
        });
        html! {
            <li role="option" id={format!("found-{at}")} aria-selected={(at == *chosen).to_string()} {onpointerdown}>
                <span>{ name }</span><span class="hint">{ about }</span>
            </li>
        }
    });
    let active = (!found.is_empty()).then(|| format!("found-{}", *chosen));
    let is_none = found.is_empty() && !words.trim().is_empty();
    html! {
        <Focused target={field.clone()}><div class="search" role="search">
            <input ref={field} type="text" role="combobox" placeholder="a job, a node, a view, a setting, a scheduler…" aria-label="Look for a job, a tenant or a node, or for what to do"
                aria-expanded={(!found.is_empty()).to_string()} aria-controls="found" aria-activedescendant={active} autocomplete="off"
                {oninput} {onkeydown} onblur={close.reform(|_: FocusEvent| ())} />
            <ul id="found" role="listbox" aria-label="Found">{ for results }</ul>
            if is_none {
                <p class="hint" role="status">{ "Nothing has this name." }</p>
            }
        </div></Focused>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_so_come_first_and_few() {
        let names = ["a lab", "lab-1", "Lab-2", "b", "collab"];
        let found = |words| matching(names.iter().copied(), words, MOST);
        assert_eq!(found("lab"), [1, 2, 0, 4]);
        assert!(found("x").is_empty());
        let many: Vec<String> = (0..50).map(|i| format!("job-{i}")).collect();
        let found = matching(many.iter().map(String::as_str), "job", MOST);
        assert_eq!(found, (0..MOST).collect::<Vec<_>>());
    }
}

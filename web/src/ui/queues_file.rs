//! Queues out of a file: what Kueue, KAI-Scheduler, Volcano, Slurm or YARN say of theirs. A worker reads it.

use super::controls::Take;
use super::picked_file::picked;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{Program, QueuesReader, QueuesReply, QueuesRequest};
use crate::session::Session;
use crate::state::{NoticesAction, Setup};
use std::cell::RefCell;
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// What may be picked.
const KINDS: &str = ".yaml,.yml,.xml,.txt,.conf,.csv,.cfg";

/// The field; `take` takes the tree as text.
pub(super) fn queues_file(session: &Session, setup: &Setup, take: &Take) -> Html {
    let onchange = {
        let (session, take, cluster) = (session.clone(), take.clone(), setup.cluster.clone());
        picked(Callback::from(
            move |(name, text): (String, Option<String>)| {
                let (session, take, file) = (session.clone(), take.clone(), name.clone());
                let say = move |told| session.dispatch(NoticesAction::Notice(Some(told)));
                let Some(text) = text else {
                    return say(format!("{name} cannot be read."));
                };
                read(name, text, cluster.clone(), move |news| {
                    if let Some(told) = told(&file, news, &take) {
                        say(told);
                    }
                });
            },
        ))
    };
    html! {
        <label class="field">
            <span>{ "From a file" }</span>
            <input type="file" accept={KINDS} {onchange}
                title="Objects of Kueue, KAI-Scheduler or Volcano, sacctmgr show assoc -P, capacity-scheduler.xml, or lines of ours" />
        </label>
    }
}

/// Has a worker read a file, which ends with its answer.
fn read(
    name: String,
    text: String,
    cluster: ClusterSpec,
    then: impl Fn(News<QueuesReply>) + 'static,
) {
    let kept: Rc<RefCell<Option<WorkerHandle<QueuesReader>>>> = Rc::default();
    let worker = {
        let kept = kept.clone();
        WorkerHandle::start_in(Program::Scripts, move |news| {
            let is_over = !matches!(news, News::Late);
            then(news);
            if is_over {
                // Not while it is heard.
                let kept = kept.clone();
                spawn_local(async move { drop(kept.take()) });
            }
        })
    };
    let request = QueuesRequest {
        name,
        text,
        cluster,
    };
    if worker.send(&request, []).is_ok() {
        kept.replace(Some(worker));
    }
}

/// Takes the queues of a file; says what came of it, if something did.
fn told(name: &str, news: News<QueuesReply>, take: &Take) -> Option<String> {
    let (line, notes) = match news {
        News::Reply(QueuesReply::Tree(line, notes)) => (line, notes),
        News::Reply(QueuesReply::Refused(why)) => return Some(format!("{why}.")),
        News::Died(why) => return Some(format!("{name} cannot be read: {why}.")),
        News::Late => return None,
    };
    if let Err(why) = take.emit(line) {
        return Some(format!("{name}: {why}"));
    }
    let notes = notes.iter().map(|note| format!(" {note}."));
    Some(format!("The queues are those of {name}.") + &notes.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_file_is_told() {
        let takes: Take = Callback::from(|_: String| Ok(()));
        let refuses: Take = Callback::from(|_: String| Err("No queue.".into()));
        let tree = || {
            News::Reply(QueuesReply::Tree(
                "a".to_owned(),
                vec!["b is left out".to_owned()],
            ))
        };
        let told = |news, take| told("a.txt", news, take);
        assert_eq!(
            told(tree(), &takes).as_deref(),
            Some("The queues are those of a.txt. b is left out.")
        );
        assert_eq!(told(tree(), &refuses).as_deref(), Some("a.txt: No queue."));
        let refused = News::Reply(QueuesReply::Refused("a.txt, line 1".to_owned()));
        assert_eq!(told(refused, &takes).as_deref(), Some("a.txt, line 1."));
        assert_eq!(told(News::Late, &takes), None);
    }
}

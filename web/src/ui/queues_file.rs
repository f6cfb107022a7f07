//! Queues out of a file: what Kueue, KAI-Scheduler, Volcano, Slurm or YARN say of theirs.

use super::controls::Take;
use super::picked_file::picked;
use crate::draw::format::counted;
use crate::session::Session;
use crate::state::{NoticesAction, Setup};
use switchyard::cluster::ClusterSpec;
use switchyard::queues::text;
use switchyard_app::queue_files::tree_of;
use yew::prelude::*;

/// What may be picked.
const KINDS: &str = ".yaml,.yml,.xml,.txt,.conf,.csv,.cfg";

/// The field; `take` takes the tree as text.
pub(super) fn queues_file(session: &Session, setup: &Setup, take: &Take) -> Html {
    let onchange = {
        let (session, take, cluster) = (session.clone(), take.clone(), setup.cluster.clone());
        picked(Callback::from(
            move |(name, read): (String, Option<String>)| {
                let told = told(&name, read.as_deref(), &cluster, &take);
                session.dispatch(NoticesAction::Notice(Some(told)));
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

/// Takes the queues of a file; says what came of it.
fn told(name: &str, read: Option<&str>, cluster: &ClusterSpec, take: &Take) -> String {
    let Some(read) = read else {
        return format!("{name} cannot be read.");
    };
    let (tree, notes) = match tree_of(read, name, Some(cluster)) {
        Ok(read) => read,
        Err(why) => return format!("{why}."),
    };
    if let Err(why) = take.emit(text::line(&tree)) {
        return format!("{name}: {why}");
    }
    let queues = counted(tree.queues().len() as u64, "queue", "queues");
    let mut told = format!("{queues} out of {name}.");
    for note in notes {
        told += &format!(" {note}.");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_a_file_is_told() {
        let cluster = "4x8".parse().expect("a cluster");
        let take: Take = Callback::from(|_: String| Ok(()));
        let told = |text| told("a.txt", text, &cluster, &take);
        assert_eq!(
            told(Some("lab\na parent=lab gpus=4")),
            "2 queues out of a.txt."
        );
        assert_eq!(told(None), "a.txt cannot be read.");
        assert!(told(Some("a gpus=-1")).starts_with("a.txt, line 1"));
    }
}

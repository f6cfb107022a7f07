//! A tree of queues with one queue more, less, or otherwise: what the form of the tree does. What it may not become is
//! said in the words of the tree.

use crate::complaint::Complaint;
use switchyard::queues::text;
use switchyard::queues::tree::{Queue, QueueId, QueueTree};

/// A changed tree, or why it is none.
pub(super) type Edited = Result<QueueTree, Complaint>;

fn tree_of(tree: &QueueTree, queues: Vec<Queue>) -> Edited {
    QueueTree::new(tree.resources().to_vec(), queues)
        .map_err(|why| format!("{}.", first_large(&why.to_string())).into())
}

fn first_large(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The same tree with another quota.
pub(super) fn with_quota(
    tree: &QueueTree,
    id: QueueId,
    resource: usize,
    nominal: f64,
) -> Option<QueueTree> {
    let mut queues = tree.queues().to_vec();
    queues
        .get_mut(id.index())?
        .quotas
        .get_mut(resource)?
        .nominal = nominal;
    QueueTree::new(tree.resources().to_vec(), queues).ok()
}

/// With a queue more, without quota, below one or beside the highest. Only leaves have jobs: it takes over the rules
/// of the one above it.
pub(super) fn added(tree: &QueueTree, parent: Option<QueueId>) -> Edited {
    let mut queues = tree.queues().to_vec();
    let is_free = |name: &String| tree.find(name).is_none();
    let mut names = (1..).map(|number| format!("queue-{number}"));
    let name = names.find(is_free).unwrap_or_default();
    let mut queue = Queue::new(name, parent);
    queue.quotas = vec![Default::default(); tree.resources().len()];
    if let Some(above) = parent {
        queue.jobs = std::mem::take(&mut queues[above.index()].jobs);
    }
    queues.push(queue);
    tree_of(tree, queues)
}

/// Without a queue and those below it.
pub(super) fn removed(tree: &QueueTree, id: QueueId) -> Edited {
    let goes = |mut at: QueueId| {
        loop {
            if at == id {
                return true;
            }
            match tree.queue(at).parent {
                Some(parent) => at = parent,
                None => return false,
            }
        }
    };
    let all = (0..tree.queues().len()).map(|at| QueueId(at as u32));
    let kept: Vec<QueueId> = all.filter(|&at| !goes(at)).collect();
    if kept.is_empty() {
        return Err("A tree has one queue at least.".into());
    }
    let queue = |&at: &QueueId| {
        let mut queue = tree.queue(at).clone();
        let place = |parent: QueueId| kept.iter().position(|&of| of == parent);
        let parent = queue.parent.and_then(place);
        queue.parent = parent.map(|at| QueueId(at as u32));
        queue
    };
    tree_of(tree, kept.iter().map(queue).collect())
}

/// With another name for a queue.
pub(super) fn renamed(tree: &QueueTree, id: QueueId, name: &str) -> Edited {
    if name.is_empty() {
        return Err("A queue has a name: that of the jobs that belong to it.".into());
    }
    let mut queues = tree.queues().to_vec();
    name.clone_into(&mut queues[id.index()].name);
    tree_of(tree, queues)
}

/// With a queue below another one, or among the highest.
pub(super) fn moved(tree: &QueueTree, id: QueueId, parent: Option<QueueId>) -> Edited {
    let mut queues = tree.queues().to_vec();
    queues[id.index()].parent = parent;
    tree_of(tree, queues)
}

/// With other fields for a queue.
pub(super) fn with_fields(tree: &QueueTree, id: QueueId, fields: &str) -> Edited {
    if fields.contains([';', '#', '\n']) || fields.contains("parent=") {
        return Err("Fields alone, such as gpus=8 borrow=4 weight=2.".into());
    }
    let all = text::lines(tree);
    let mut lines: Vec<String> = all.lines().map(str::to_owned).collect();
    let first = lines.len() - tree.queues().len();
    let line = &mut lines[first + id.index()];
    let kept = line.split(' ').enumerate();
    let kept = kept.filter(|(at, field)| *at == 0 || field.starts_with("parent="));
    *line = kept
        .map(|(_, field)| field)
        .collect::<Vec<&str>>()
        .join(" ")
        + " "
        + fields;
    text::read(&lines.join("\n")).map_err(|why| format!("{}.", first_large(&why.what)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> QueueTree {
        let text = "lab\na parent=lab gpus=4 borrow=2\nb parent=lab gpus=4\nc gpus=1";
        text::read(text).expect("a tree")
    }

    fn of(edited: Edited) -> String {
        edited.map_or_else(|why| why.to_string(), |tree| text::line(&tree))
    }

    fn id(name: &str) -> QueueId {
        tree().find(name).expect("there is one")
    }

    #[test]
    fn a_queue_is_added_renamed_moved_and_removed() {
        let tree = tree();
        let line = "lab;a,parent=lab,gpus=4,borrow=2;b,parent=lab,gpus=4;c,gpus=1";
        assert_eq!(text::line(&tree), line);
        assert_eq!(
            of(added(&tree, Some(id("b")))),
            format!("{line};queue-1,parent=b")
        );
        assert_eq!(of(added(&tree, None)), format!("{line};queue-1"));
        let ruled = with_fields(&tree, id("c"), "gpus=1 jobs=user:ana").expect("a tree");
        assert_eq!(
            of(added(&ruled, Some(id("c")))),
            format!("{line};queue-1,parent=c,jobs=user:ana")
        );
        assert_eq!(
            of(removed(&tree, id("a"))),
            "lab;b,parent=lab,gpus=4;c,gpus=1"
        );
        assert_eq!(of(removed(&tree, id("lab"))), "c,gpus=1");
        assert_eq!(
            of(renamed(&tree, id("lab"), "site")),
            line.replace("lab", "site")
        );
        assert_eq!(
            of(moved(&tree, id("c"), Some(id("lab")))),
            line.replace("c,gpus", "c,parent=lab,gpus")
        );
    }

    #[test]
    fn fields_of_a_queue_are_its_own() {
        let tree = tree();
        assert_eq!(text::fields(&tree, id("a")), "gpus=4 borrow=2");
        assert_eq!(
            of(with_fields(&tree, id("a"), "gpus=1  weight=3")),
            "lab;a,parent=lab,gpus=1,weight=3;b,parent=lab,gpus=4;c,gpus=1"
        );
        let with_resources = text::read(":gpus cores\nlab cores=8\na parent=lab weight=2");
        let with_resources = with_resources.expect("a tree");
        assert_eq!(text::fields(&with_resources, QueueId(1)), "weight=2");
        let changed = with_fields(&with_resources, QueueId(1), "cores=2").expect("a tree");
        assert_eq!(text::fields(&changed, QueueId(0)), "cores=8");
    }

    #[test]
    fn what_is_no_tree_is_told() {
        let tree = tree();
        for (edited, why) in [
            (renamed(&tree, id("a"), "b"), "Two queues are called 'b'"),
            (renamed(&tree, id("a"), ""), "A queue has a name"),
            (moved(&tree, id("lab"), Some(id("a"))), "below itself"),
            (with_fields(&tree, id("a"), "gpus=-1"), "give a number"),
            (with_fields(&tree, id("a"), "x;y"), "Fields alone"),
            (
                removed(&text::read("a gpus=1").expect("a tree"), QueueId(0)),
                "one queue at least",
            ),
        ] {
            let said = of(edited);
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn a_quota_changes_and_all_else_stays() {
        let changed = with_quota(&tree(), id("a"), 0, 6.0).expect("a tree");
        assert_eq!(
            text::line(&changed),
            "lab;a,parent=lab,gpus=6,borrow=2;b,parent=lab,gpus=4;c,gpus=1"
        );
        assert!(with_quota(&tree(), id("a"), 3, 6.0).is_none());
    }
}

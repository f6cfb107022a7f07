//! Nodes, tenants and queues as words name them: each can be pointed at and pressed (`named_jobs` does what that does).

use crate::named::{Name, cut_at_nodes};
use yew::prelude::*;

/// A name in a sentence or a list. `label` says it whole where the words do not.
pub(super) fn name_link(words: &str, name: &Name, label: Option<String>) -> Html {
    html! { <button type="button" class="link" data-names={name.text()} aria-label={label}>{ words.to_owned() }</button> }
}

/// Nodes by their numbers.
fn label(words: &str, (first, last): (u32, u32)) -> Option<String> {
    let is_whole = words.contains("ode");
    (!is_whole).then(|| match first == last {
        true => format!("node {first}"),
        false => format!("nodes {first}–{last}"),
    })
}

/// A sentence of the page's own, whose nodes can be gone to.
pub(super) fn with_nodes(text: &str) -> Html {
    let pieces = cut_at_nodes(text)
        .into_iter()
        .map(|(words, nodes)| match nodes {
            None => html! { { words.to_owned() } },
            Some((first, last)) => name_link(
                words,
                &Name::Nodes(first, last),
                label(words, (first, last)),
            ),
        });
    html! { <>{ for pieces }</> }
}

/// The same where keys have another way to them.
pub(super) fn with_nodes_for_pointers(text: &str) -> Html {
    let pieces = cut_at_nodes(text).into_iter().map(|(words, nodes)| match nodes {
        None => html! { { words.to_owned() } },
        Some((first, last)) => {
            html! { <span data-names={Name::Nodes(first, last).text()}>{ words.to_owned() }</span> }
        }
    });
    html! { <>{ for pieces }</> }
}

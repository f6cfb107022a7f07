//! What words name besides jobs, and can be pointed at and gone to: nodes, tenants, queues. An element says what it names
//! by `data-names`, whose text is made and read here.

use switchyard::queues::tree::QueueId;

/// What an element names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Name {
    /// Nodes, from the first to the last.
    Nodes(u32, u32),
    /// A tenant.
    Tenant(u32),
    /// A queue of a run's tree.
    Queue(u32, String),
    /// A queue by attained service, of a run; 0 is the highest.
    Level(u32, u32),
}

impl Name {
    /// As an element says it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Nodes(first, last) => format!("node {first} {last}"),
            Self::Tenant(tenant) => format!("tenant {tenant}"),
            Self::Queue(run, name) => format!("queue {run} {name}"),
            Self::Level(run, level) => format!("level {run} {level}"),
        }
    }

    /// What an element says.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ')?;
        let two = || rest.split_once(' ');
        Some(match kind {
            "node" => {
                let (first, last) = two()?;
                Self::Nodes(first.parse().ok()?, last.parse().ok()?)
            }
            "tenant" => Self::Tenant(rest.parse().ok()?),
            "queue" => {
                let (run, name) = two()?;
                Self::Queue(run.parse().ok()?, name.to_owned())
            }
            "level" => {
                let (run, level) = two()?;
                Self::Level(run.parse().ok()?, level.parse().ok()?)
            }
            _ => return None,
        })
    }
}

/// What is pointed at by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Named {
    /// Nodes, from the first to the last.
    Nodes(u32, u32),
    /// A tenant.
    Tenant(u32),
    /// A queue of a run's tree, with those below it.
    Queue(u32, QueueId),
    /// A queue by attained service.
    Level(u32),
}

/// A sentence of the page's own, cut where it names nodes: "on nodes 3, 5–7", "node 3 (8 GPUs)". Each piece with the nodes
/// that it names, if it names some.
pub(crate) fn cut_at_nodes(text: &str) -> Vec<(&str, Option<(u32, u32)>)> {
    let mut pieces = Vec::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(at) = text[from..].find("ode") {
        let word = from + at + "ode".len();
        from = word;
        // From its N on: `Node 3`, `nodes 3, 5`.
        let Some(start) = word.checked_sub("node".len()) else {
            continue;
        };
        let is_word = matches!(text.get(start..start + 1), Some("n" | "N"))
            && !text[..start].ends_with(char::is_alphanumeric);
        let rest = &text[word..];
        let (rest, is_one) = match rest.strip_prefix('s') {
            Some(rest) => (rest, false),
            None => (rest, true),
        };
        let Some(mut rest) = rest.strip_prefix(' ').filter(|_| is_word) else {
            continue;
        };
        // The word belongs to the name of one node.
        let mut own = is_one.then_some(start);
        while let Some((nodes, behind)) = numbers(rest) {
            let number_at = text.len() - rest.len();
            let start = own.take().unwrap_or(number_at);
            if begin < start {
                pieces.push((&text[begin..start], None));
            }
            begin = text.len() - behind.len();
            pieces.push((&text[start..begin], Some(nodes)));
            from = begin;
            rest = behind;
            if let Some((_, behind)) = rest.strip_prefix(" (").and_then(|of| of.split_once(')')) {
                rest = behind;
            }
            let Some(behind) = rest.strip_prefix(", ") else {
                break;
            };
            rest = behind;
        }
    }
    if begin < text.len() {
        pieces.push((&text[begin..], None));
    }
    pieces
}

/// A number, or a first and a last one, and what stands behind.
fn numbers(text: &str) -> Option<((u32, u32), &str)> {
    let number = |text: &str| -> Option<(u32, usize)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        Some((text[..digits].parse().ok()?, digits))
    };
    let (first, digits) = number(text)?;
    let behind = &text[digits..];
    let last = behind.strip_prefix('–').and_then(|rest| {
        let (last, digits) = number(rest)?;
        Some(((first, last), &rest[digits..]))
    });
    Some(last.unwrap_or(((first, first), behind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_name_is_read() {
        for name in [
            Name::Nodes(3, 7),
            Name::Tenant(2),
            Name::Queue(1, "a b".to_owned()),
            Name::Level(1, 0),
        ] {
            assert_eq!(Name::read(&name.text()), Some(name));
        }
        assert_eq!(Name::read("node x 1"), None);
    }

    #[test]
    fn nodes_are_found_in_sentences() {
        let named = |text| {
            let pieces = cut_at_nodes(text);
            let whole: String = pieces.iter().map(|of| of.0).collect();
            assert_eq!(whole, text);
            let named = pieces.into_iter();
            let named = named.filter_map(|(text, nodes)| Some((text, nodes?)));
            named.collect::<Vec<_>>()
        };
        assert_eq!(named("on node 12"), [("node 12", (12, 12))]);
        assert_eq!(named("on nodes 3, 5–7"), [("3", (3, 3)), ("5–7", (5, 7))]);
        assert_eq!(
            named("put it on nodes 0 (8 GPUs), 4 (1 GPU) and 2 more: slower"),
            [("0", (0, 0)), ("4", (4, 4))]
        );
        assert_eq!(named("free. Node 2 is drained."), [("Node 2", (2, 2))]);
        assert_eq!(named("GPU 1 of node 3, socket 1"), [("node 3", (3, 3))]);
        assert!(named("no node has more than 5 free; 3 nodes, anode 4, node's").is_empty());
    }
}

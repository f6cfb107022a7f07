//! A tree of queues as text: for files, and in one line for links.
//!
//! A queue a line: its name, and what is not as by default.
//!
//! ```text
//! # Two teams under one roof.
//! research
//! vision parent=research gpus.v100=8 borrow=4 lend=2 gpus.t4=16 weight=2
//! speech parent=research gpus.v100=8 priority=5 order=strict-fifo reclaims=any
//! ```
//!
//! `gpus`, `cores` and `memory` (GiB), each with a dot and a flavor behind it, are nominal quotas; `all` is all there is.
//! `borrow`, `lend` and `over` (the weight among what is over all quotas) belong to the quota before them. Of the queue
//! are `parent`, `jobs` (a [rule](crate::rules), of which several may stand), `weight`, `priority`, `order`, `within` and `reclaims` (whose jobs it evicts), `while-borrowing`,
//! `reclaim-min-runtime` and `preempt-min-runtime` (seconds). A line that begins with a colon names the resources, where
//! their order is not that of the lines.
//!
//! In one line, queues have `;` between them and fields `,`, and there is nothing that an address would write in
//! another way. In names, what would be taken for something else is `~` and two hexadecimal digits for each byte.

use crate::names;
use crate::rules::Rule;
use crate::tree::{
    Evicts, Kind, Order, Queue, QueueId, QueueTree, Quota, Resource, WhileBorrowing,
};
use std::collections::HashMap;
use std::fmt;

/// What begins the line of resources.
const RESOURCES: char = ':';

/// All there is.
const ALL: &str = "all";

/// The largest number in a text.
const MOST: f64 = 1e12;

/// Why a text is no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {what}", Of(.queue))]
pub struct TextError {
    /// Which line, from 1; of a text in one line, which queue.
    pub line: u32,
    /// The queue, where it has a name by then.
    pub queue: Option<String>,
    /// What is wrong, and what to do.
    pub what: String,
}

struct Of<'a>(&'a Option<String>);

impl fmt::Display for Of<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(queue) => write!(f, ", queue '{queue}'"),
            None => Ok(()),
        }
    }
}

/// A tree as lines.
pub fn lines(tree: &QueueTree) -> String {
    written(tree, Form::Lines)
}

/// A tree as one line, of characters that mean nothing in an address.
pub fn line(tree: &QueueTree) -> String {
    written(tree, Form::Line)
}

/// What a queue's line says besides its name and its parent.
pub fn fields(tree: &QueueTree, id: QueueId) -> String {
    fields_of(tree, tree.queue(id), Form::Lines).join(" ")
}

/// A resource, as the fields of its quotas are called: `gpus`, `gpus.v100`.
pub fn resource_name(resource: &Resource) -> String {
    Form::Line.resource(resource)
}

/// How a tree is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lines,
    Line,
}

impl Form {
    /// Between two queues.
    fn queues(self) -> char {
        match self {
            Self::Lines => '\n',
            Self::Line => ';',
        }
    }

    /// Between two fields.
    fn fields(self) -> char {
        match self {
            Self::Lines => ' ',
            Self::Line => ',',
        }
    }

    fn name(self, name: &str) -> String {
        names::written(name, self == Self::Line)
    }

    fn resource(self, resource: &Resource) -> String {
        let kind = kind_word(resource.kind);
        match &resource.flavor {
            None => kind.to_owned(),
            Some(flavor) => format!("{kind}.{}", self.name(flavor)),
        }
    }
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Gpus => "gpus",
        Kind::Cores => "cores",
        Kind::Memory => "memory",
    }
}

fn evicts_word(evicts: Evicts) -> &'static str {
    match evicts {
        Evicts::Never => "never",
        Evicts::LowerPriority => "lower-priority",
        Evicts::LowerOrNewerEqualPriority => "lower-or-newer-equal-priority",
        Evicts::Any => "any",
    }
}

fn order_word(order: Order) -> &'static str {
    match order {
        Order::BestEffortFifo => "best-effort-fifo",
        Order::StrictFifo => "strict-fifo",
    }
}

fn number(value: f64) -> String {
    if value.is_infinite() {
        ALL.to_owned()
    } else {
        value.to_string()
    }
}

fn written(tree: &QueueTree, form: Form) -> String {
    let mut text = String::new();
    let mut in_order: Vec<usize> = Vec::new();
    let mut queues = Vec::new();
    for queue in tree.queues() {
        let mut fields = vec![form.name(&queue.name)];
        if let Some(parent) = queue.parent {
            fields.push(format!("parent={}", form.name(&tree.queue(parent).name)));
        }
        for (at, _) in quotas(queue) {
            if !in_order.contains(&at) {
                in_order.push(at);
            }
        }
        fields.extend(fields_of(tree, queue, form));
        queues.push(fields);
    }
    let all: Vec<usize> = (0..tree.resources().len()).collect();
    if in_order != all {
        let resources = tree.resources().iter();
        let names: Vec<String> = resources.map(|resource| form.resource(resource)).collect();
        text.push(RESOURCES);
        text.push_str(&names.join(&form.fields().to_string()));
        text.push(form.queues());
    }
    for fields in queues {
        text.push_str(&fields.join(&form.fields().to_string()));
        text.push(form.queues());
    }
    if form == Form::Line {
        text.pop();
    }
    text
}

/// The quotas of which something is said, with the places of their resources.
fn quotas(queue: &Queue) -> impl Iterator<Item = (usize, &Quota)> {
    let quotas = queue.quotas.iter().enumerate();
    quotas.filter(|(_, quota)| **quota != Quota::default())
}

/// What is said of a queue besides its name and its parent.
fn fields_of(tree: &QueueTree, queue: &Queue, form: Form) -> Vec<String> {
    let mut fields = Vec::new();
    for (at, quota) in quotas(queue) {
        let resource = form.resource(&tree.resources()[at]);
        fields.push(format!("{resource}={}", number(quota.nominal)));
        let limits = [
            ("borrow", quota.borrowing_limit),
            ("lend", quota.lending_limit),
        ];
        for (key, limit) in limits {
            fields.extend(limit.map(|limit| format!("{key}={}", number(limit))));
        }
        if quota.weight != Quota::default().weight {
            fields.push(format!("over={}", number(quota.weight)));
        }
    }
    fields.extend(own_fields(queue, form));
    fields
}

/// What is not of a quota.
fn own_fields(queue: &Queue, form: Form) -> Vec<String> {
    let default = Queue::new("", None);
    let mut fields: Vec<String> = (queue.jobs.iter())
        .map(|rule| format!("jobs={}", rule.text(|text| form.name(text))))
        .collect();
    if queue.weight != default.weight {
        fields.push(format!("weight={}", number(queue.weight)));
    }
    if queue.priority != default.priority {
        fields.push(format!("priority={}", queue.priority));
    }
    if queue.order != default.order {
        fields.push(format!("order={}", order_word(queue.order)));
    }
    let evicts = [("within", queue.within), ("reclaims", queue.reclaims)];
    for (key, evicts) in evicts {
        if evicts != Evicts::default() {
            fields.push(format!("{key}={}", evicts_word(evicts)));
        }
    }
    match queue.while_borrowing {
        WhileBorrowing::Never => {}
        WhileBorrowing::LowerPriority { up_to: None } => {
            fields.push("while-borrowing=lower-priority".to_owned());
        }
        WhileBorrowing::LowerPriority { up_to: Some(up_to) } => {
            fields.push(format!("while-borrowing={up_to}"));
        }
    }
    let runtimes = [
        ("reclaim-min-runtime", queue.reclaim_min_runtime),
        ("preempt-min-runtime", queue.preempt_min_runtime),
    ];
    for (key, seconds) in runtimes {
        if seconds != 0.0 {
            fields.push(format!("{key}={}", number(seconds)));
        }
    }
    fields
}

/// A queue while its text is read.
struct Read {
    line: u32,
    queue: Queue,
    parent: Option<String>,
    /// Places of resources, with what was said of each.
    quotas: Vec<(usize, Quota)>,
}

/// Reads a tree, in lines or in one.
///
/// # Errors
/// The first thing that is wrong, with its line and queue.
pub fn read(text: &str) -> Result<QueueTree, TextError> {
    let mut resources: Vec<Resource> = Vec::new();
    let mut queues: Vec<Read> = Vec::new();
    let mut number = 0;
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or(line);
        // In one line, queues are counted; else lines.
        number += 1;
        for (at, part) in line.split(';').enumerate() {
            number += u32::from(at > 0);
            let mut fields = part.split(|letter: char| letter == ',' || letter.is_whitespace());
            let mut fields = fields.by_ref().filter(|field| !field.is_empty());
            let Some(first) = fields.next() else { continue };
            if let Some(first) = first.strip_prefix(RESOURCES) {
                for field in std::iter::once(first)
                    .chain(fields)
                    .filter(|field| !field.is_empty())
                {
                    let resource = resource(field).map_err(|what| wrong(number, None, what))?;
                    place(&mut resources, resource);
                }
                continue;
            }
            let read = queue(number, first, fields, &mut resources)?;
            queues.push(read);
        }
    }
    tree(resources, queues)
}

fn wrong(line: u32, queue: Option<&str>, what: String) -> TextError {
    let queue = queue.map(str::to_owned);
    TextError { line, queue, what }
}

/// The place of a resource, which it gets if it has none.
fn place(resources: &mut Vec<Resource>, resource: Resource) -> usize {
    let known = resources.iter().position(|other| *other == resource);
    known.unwrap_or_else(|| {
        resources.push(resource);
        resources.len() - 1
    })
}

fn queue<'a>(
    line: u32,
    name: &str,
    fields: impl Iterator<Item = &'a str>,
    resources: &mut Vec<Resource>,
) -> Result<Read, TextError> {
    let name = names::read(name).map_err(|what| wrong(line, None, what))?;
    let mut read = Read {
        line,
        queue: Queue::new(name.as_str(), None),
        parent: None,
        quotas: Vec::new(),
    };
    for field in fields {
        let done = match field.split_once('=') {
            Some((key, value)) => set(&mut read, key, value, resources),
            None => Err(format!(
                "'{field}' has no value; write '{field}=…', or '~20' for a space in a name"
            )),
        };
        done.map_err(|what| wrong(line, Some(&name), what))?;
    }
    Ok(read)
}

/// Takes in a field.
fn set(
    read: &mut Read,
    key: &str,
    value: &str,
    resources: &mut Vec<Resource>,
) -> Result<(), String> {
    let queue = &mut read.queue;
    let quota = read.quotas.last_mut().map(|(_, quota)| quota);
    let of_quota =
        || format!("'{key}' stands before any quota; write it behind the quota that it belongs to");
    match key {
        "parent" => read.parent = Some(names::read(value)?),
        "jobs" => queue.jobs.push(Rule::read(value)?),
        "weight" => queue.weight = amount(key, value)?,
        "priority" => queue.priority = whole(key, value)?,
        "order" => {
            let all = [Order::BestEffortFifo, Order::StrictFifo];
            queue.order = word(key, value, &all, order_word)?;
        }
        "within" | "reclaims" => {
            let all = [
                Evicts::Never,
                Evicts::LowerPriority,
                Evicts::LowerOrNewerEqualPriority,
                Evicts::Any,
            ];
            let evicts = word(key, value, &all, evicts_word)?;
            match key {
                "within" => queue.within = evicts,
                _ => queue.reclaims = evicts,
            }
        }
        "while-borrowing" => {
            queue.while_borrowing = match value {
                "never" => WhileBorrowing::Never,
                "lower-priority" => WhileBorrowing::LowerPriority { up_to: None },
                value => WhileBorrowing::LowerPriority {
                    up_to: Some(whole(key, value)?),
                },
            }
        }
        "reclaim-min-runtime" => queue.reclaim_min_runtime = amount(key, value)?,
        "preempt-min-runtime" => queue.preempt_min_runtime = amount(key, value)?,
        "borrow" => quota.ok_or_else(of_quota)?.borrowing_limit = Some(amount(key, value)?),
        "lend" => quota.ok_or_else(of_quota)?.lending_limit = Some(amount(key, value)?),
        "over" => quota.ok_or_else(of_quota)?.weight = amount(key, value)?,
        key => {
            let at = place(resources, resource(key)?);
            let nominal = amount(key, value)?;
            if read.quotas.iter().any(|&(other, _)| other == at) {
                return Err(format!("'{key}' is given twice; leave one of them out"));
            }
            let quota = Quota {
                nominal,
                ..Quota::default()
            };
            read.quotas.push((at, quota));
        }
    }
    Ok(())
}

fn resource(key: &str) -> Result<Resource, String> {
    let (kind, flavor) = match key.split_once('.') {
        Some((kind, flavor)) => (kind, Some(names::read(flavor)?)),
        None => (key, None),
    };
    let all = [Kind::Gpus, Kind::Cores, Kind::Memory];
    let found = all.into_iter().find(|&known| kind_word(known) == kind);
    let kind = found.ok_or_else(|| {
        format!(
            "'{key}' is no field; use gpus, cores or memory, borrow, lend, over, parent, jobs, weight, priority, order, within, \
             reclaims, while-borrowing, reclaim-min-runtime or preempt-min-runtime"
        )
    })?;
    Ok(Resource { kind, flavor })
}

fn amount(key: &str, value: &str) -> Result<f64, String> {
    let given = match value {
        ALL => Some(f64::INFINITY),
        value => value.parse().ok(),
    };
    let given = given.filter(|number| *value == *ALL || (0.0..=MOST).contains(number));
    given.ok_or_else(|| format!("{key} is '{value}'; give a number from 0 to {MOST:e}, or '{ALL}'"))
}

fn whole(key: &str, value: &str) -> Result<i64, String> {
    let given = value.parse();
    given.map_err(|_| format!("{key} is '{value}'; give a whole number"))
}

fn word<T: Copy>(
    key: &str,
    value: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    let found = all.iter().find(|&&one| name(one) == value);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        format!("{key} is '{value}'; give one of {}", names.join(", "))
    })
}

/// Puts queues together, with their parents by name.
fn tree(resources: Vec<Resource>, read: Vec<Read>) -> Result<QueueTree, TextError> {
    let mut places = HashMap::new();
    for (at, one) in read.iter().enumerate() {
        places
            .entry(one.queue.name.clone())
            .or_insert(QueueId(at as u32));
    }
    let mut queues = Vec::with_capacity(read.len());
    let mut lines = Vec::with_capacity(read.len());
    for one in read {
        let mut queue = one.queue;
        if let Some(parent) = one.parent {
            let found = places.get(&parent).copied();
            let missing = || {
                let what = format!("there is no queue '{parent}' to lie below; add a line for it");
                wrong(one.line, Some(&queue.name), what)
            };
            queue.parent = Some(found.ok_or_else(missing)?);
        }
        queue.quotas = vec![Quota::default(); resources.len()];
        for (at, quota) in one.quotas {
            queue.quotas[at] = quota;
        }
        lines.push(one.line);
        queues.push(queue);
    }
    let names: Vec<String> = queues.iter().map(|queue| queue.name.clone()).collect();
    QueueTree::new(resources, queues).map_err(|error| {
        // Of two with one name, the later one is too many.
        let of = names.iter().rposition(|name| name == error.queue());
        let line = of.map_or(1, |at| lines[at]);
        wrong(line, Some(error.queue()), error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::By;
    use proptest::prelude::*;

    const TEAMS: &str = "\
        # Two teams under one roof.\n\
        research\n\
        vision parent=research gpus.v100=8 borrow=4 lend=2 gpus.t4=16 weight=2\n\
        \n\
        speech parent=research gpus.v100=all over=3 priority=-5 order=strict-fifo reclaims=any while-borrowing=100\n";

    #[test]
    fn lines_and_one_line_are_the_same_tree() {
        let tree = read(TEAMS).unwrap();
        let vision = tree.queue(tree.find("vision").unwrap());
        let quota = vision.quotas[0];
        assert_eq!(
            (quota.nominal, quota.borrowing_limit, quota.lending_limit),
            (8.0, Some(4.0), Some(2.0))
        );
        assert_eq!((vision.quotas[1].nominal, vision.weight), (16.0, 2.0));
        let speech = tree.queue(tree.find("speech").unwrap());
        assert_eq!(
            (speech.quotas[0].nominal, speech.quotas[0].weight),
            (f64::INFINITY, 3.0)
        );
        assert_eq!(
            line(&tree),
            "research;vision,parent=research,gpus.v100=8,borrow=4,lend=2,gpus.t4=16,weight=2;\
             speech,parent=research,gpus.v100=all,over=3,priority=-5,order=strict-fifo,reclaims=any,while-borrowing=100"
        );
        let comments = |line: &&str| !line.starts_with('#') && !line.is_empty();
        let plain: Vec<&str> = TEAMS.lines().filter(comments).collect();
        assert_eq!(lines(&tree), plain.join("\n") + "\n");
        assert_eq!(read(&line(&tree)).unwrap(), tree);
    }

    #[test]
    fn what_is_wrong_names_line_queue_and_what_to_do() {
        let refused = |text: &str| read(text).expect_err("no tree").to_string();
        assert_eq!(
            refused("a\nb parent=c\n"),
            "line 2, queue 'b': there is no queue 'c' to lie below; add a line for it"
        );
        assert_eq!(
            refused("a;b,gpus=-1"),
            "line 2, queue 'b': gpus is '-1'; give a number from 0 to 1e12, or 'all'"
        );
        assert!(refused("a gpu=1").starts_with("line 1, queue 'a': 'gpu' is no field; use gpus"));
        assert!(refused("a borrow=1").contains("'borrow' stands before any quota"));
        assert!(refused("a gpus=1 gpus=2").contains("'gpus' is given twice"));
        assert!(refused("a order=any").contains("give one of best-effort-fifo, strict-fifo"));
        assert!(refused("a b").contains("'b' has no value"));
        assert!(
            refused("<html></html>")
                .contains("'<' in '<html></html>' is not taken as part of a name; write it as ~3c")
        );
        assert!(refused("a~2").contains("wants two hexadecimal digits"));
        assert!(refused("a~ff").contains("no UTF-8"));
        assert!(refused("a\n\na\n").starts_with("line 3, queue 'a': two queues"));
        assert!(refused("x\na parent=b\nb parent=a").starts_with("line 2, queue 'a'"));
        assert!(refused("a gpus=1 borrow=2").contains("no queue above it to borrow from"));
    }

    fn amounts() -> impl Strategy<Value = f64> {
        prop_oneof![
            Just(0.0),
            Just(1.0),
            Just(f64::INFINITY),
            (0_u32..10_000).prop_map(f64::from),
            (0.0_f64..1e12),
        ]
    }

    fn quotas(is_root: bool) -> impl Strategy<Value = Quota> {
        let limit = move || {
            let limit = prop::option::of(amounts());
            limit.prop_map(move |limit| limit.filter(|_| !is_root))
        };
        (amounts(), limit(), limit(), amounts()).prop_map(
            |(nominal, borrowing_limit, lending_limit, weight)| Quota {
                nominal,
                borrowing_limit,
                lending_limit,
                weight,
            },
        )
    }

    fn evicts() -> impl Strategy<Value = Evicts> {
        prop_oneof![
            Just(Evicts::Never),
            Just(Evicts::LowerPriority),
            Just(Evicts::LowerOrNewerEqualPriority),
            Just(Evicts::Any),
        ]
    }

    fn while_borrowing() -> impl Strategy<Value = WhileBorrowing> {
        prop_oneof![
            Just(WhileBorrowing::Never),
            prop::option::of(any::<i64>())
                .prop_map(|up_to| WhileBorrowing::LowerPriority { up_to }),
        ]
    }

    fn queues(at: usize, above: usize, resources: usize) -> impl Strategy<Value = Queue> {
        let parent = (at > 0).then(|| QueueId((above % at) as u32));
        let quotas = prop::collection::vec(quotas(parent.is_none()), resources);
        let rest = (
            evicts(),
            evicts(),
            while_borrowing(),
            amounts(),
            amounts(),
            any::<bool>(),
            prop::collection::vec(rule(), 0..3),
        );
        ("\\PC{0,8}", quotas, amounts(), any::<i64>(), rest).prop_map(
            move |(name, quotas, weight, priority, rest)| {
                Queue {
                    // No two have one name.
                    name: format!("{name}{at}"),
                    parent,
                    quotas,
                    jobs: rest.6,
                    weight,
                    priority,
                    within: rest.0,
                    reclaims: rest.1,
                    while_borrowing: rest.2,
                    reclaim_min_runtime: rest.3,
                    preempt_min_runtime: rest.4,
                    order: if rest.5 {
                        Order::StrictFifo
                    } else {
                        Order::BestEffortFifo
                    },
                }
            },
        )
    }

    fn rule() -> impl Strategy<Value = Rule> {
        prop_oneof![
            "\\PC{0,6}".prop_map(|word| Rule::of_word(&word)),
            ("\\PC{0,6}", "\\PC{0,6}")
                .prop_map(|(user, of)| Rule::of_words(&[(By::User, &user), (By::Account, &of)])),
            Just(Rule::read("name:a*:gpus:2..").expect("a rule")),
        ]
    }

    fn trees() -> impl Strategy<Value = QueueTree> {
        let kinds = prop_oneof![Just(Kind::Gpus), Just(Kind::Cores), Just(Kind::Memory)];
        let resource = (kinds, prop::option::of("\\PC{0,6}"));
        let resource = resource.prop_map(|(kind, flavor)| Resource { kind, flavor });
        let resources = prop::collection::hash_set(resource, 0..4);
        let above = prop::collection::vec(any::<usize>(), 0..8);
        (resources, above).prop_flat_map(|(resources, above)| {
            let resources: Vec<Resource> = resources.into_iter().collect();
            let count = resources.len();
            let queues: Vec<_> = above
                .iter()
                .enumerate()
                .map(|(at, &above)| queues(at, above, count))
                .collect();
            (Just(resources), queues, any::<bool>()).prop_map(
                |(resources, mut queues, is_reversed)| {
                    if is_reversed {
                        let last = queues.len().saturating_sub(1) as u32;
                        for queue in &mut queues {
                            queue.parent = queue.parent.map(|above| QueueId(last - above.0));
                        }
                        queues.reverse();
                    }
                    // Only leaves have jobs.
                    for at in 0..queues.len() {
                        if let Some(above) = queues[at].parent {
                            queues[above.index()].jobs.clear();
                        }
                    }
                    QueueTree::new(resources, queues).expect("a tree")
                },
            )
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(tree in trees()) {
            prop_assert_eq!(&read(&lines(&tree)).map_err(|error| error.to_string()), &Ok(tree.clone()));
            let line = line(&tree);
            prop_assert!(line.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./@~:;,=*".contains(letter)));
            prop_assert_eq!(&read(&line).map_err(|error| error.to_string()), &Ok(tree));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-c =.,;:~#\\n0-9-]{0,60}|\\PC{0,60}") {
            if let Ok(tree) = read(&text) {
                prop_assert_eq!(read(&lines(&tree)), Ok(tree));
            }
        }
    }
}

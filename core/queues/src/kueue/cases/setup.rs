//! The queues of a case, and who runs in them.
//!
//! In: a case and the file's `base`; a field of the case stands before that of the base. Out: a state, with names.
//! - `cqs`: `{name: queue}` or `[{"name", …}]`. A queue is its nominal quota, of `resource` (by default `cpu`) in the
//!   flavor `default`; or an object: `nominal`, `borrowingLimit`, `lendingLimit`, or any resource by its name; or
//!   `resources: {resource: quota}`; `flavors: {flavor: {resource: quota}}`;
//!   `resourceGroups: [[{"name": flavor, "resources": {resource: quota}}]]`, a list of flavors for each group. A quota
//!   is a quantity, or an object of the three. Further: `cohort`, `weight`, `preemption`, `fungibility`, `queueingStrategy`.
//! - `cohorts`: the same for cohorts, with `parent`. A cohort that is only named has no quota, and is a root.
//! - `cohort`: that of all queues, or `{queue: cohort}`. `weights`: that of all, or `{queue or cohort: weight}`.
//! - `borrowingLimit`, `lendingLimit`: that of all queues, or `{queue or cohort: limit}`.
//! - `preemption`: `withinClusterQueue`, `reclaimWithinCohort`, `borrowWithinCohort` (a policy and perhaps
//!   `maxPriorityThreshold`, as an object or as text) of all queues; under a queue's name its own, or that it has none.
//! - `admitted`: `[{"name", "cq", "priority", resource: quantity, …}]`, with `flavor` (one, or by resource; by default the
//!   queue's first), `created`, `reserved`, `evicted`. Equal in all that, `uid` decides, and then names. Where one
//!   resource is of two flavors: `uses: [{"resource", "flavor", "amount"}]`.

use super::super::amount::Amount;
use super::super::quotas::{Fungibility, Group, Limits, Quotas, Resources, Search, Slot, Use};
use super::super::state::{State, Workload, WorkloadId};
use super::error::CaseError;
use super::quantity;
use crate::tree::{Evicts, Order, Queue, QueueId, QueueTree, WhileBorrowing};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What a flavor without a name is called.
const FLAVOR: &str = "default";

/// Fields of a workload that are no resources.
const OF_WORKLOADS: [&str; 13] = [
    "uses",
    "clusterQueue",
    "name",
    "cq",
    "priority",
    "flavor",
    "created",
    "reserved",
    "evicted",
    "uid",
    "target",
    "reason",
    "queue",
];

/// Fields of a queue that are no resources.
const OF_QUEUES: [&str; 16] = [
    "resources",
    "flavors",
    "quota",
    "name",
    "queueingStrategy",
    "cohort",
    "parent",
    "weight",
    "fairWeight",
    "preemption",
    "fungibility",
    "resourceGroups",
    "nominal",
    "nominalQuota",
    "borrowingLimit",
    "lendingLimit",
];

/// A workload as a case describes it.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its queue.
    pub queue: QueueId,
    /// What it asks for, by the kind of resource.
    pub asks: Vec<(usize, Amount)>,
    /// The same with flavors.
    pub uses: Vec<Use>,
    /// Its priority.
    pub priority: i64,
    /// When it came.
    pub created: i64,
}

/// A case that is set up.
pub struct Setup<'a> {
    base: &'a Value,
    case: &'a Value,
    /// Names of queues and cohorts.
    pub tree: QueueTree,
    /// Who runs.
    pub state: State,
    /// Those that run, in the order in which they are described.
    pub admitted: Vec<(String, WorkloadId)>,
}

/// A queue or cohort as it is described.
struct Node {
    name: String,
    parent: Option<String>,
    is_cohort: bool,
    fields: Map<String, Value>,
    /// By group, then by flavor: its name, and the quota of each resource.
    groups: Vec<Vec<(String, BTreeMap<String, Limits>)>>,
}

impl<'a> Setup<'a> {
    /// Sets up a case.
    pub fn read(base: &'a Value, case: &'a Value) -> Result<Self, CaseError> {
        let reading = Reading { base, case };
        let nodes = reading.nodes()?;
        let resources = reading.resources(&nodes);
        let queues = nodes
            .iter()
            .map(|node| reading.queue(node, &nodes))
            .collect::<Result<Vec<_>, _>>()?;
        let tree = QueueTree::new(Vec::new(), queues).map_err(|error| wrong(error.to_string()))?;
        let mut limits = vec![Limits::default(); nodes.len() * resources.slots.len()];
        let places = Places::of(&resources);
        for (at, node) in nodes.iter().enumerate() {
            // Of two groups with one resource of one flavor, the last one counts.
            for (flavor, quotas) in node.groups.iter().flatten() {
                for (kind, &quota) in quotas {
                    if let Some(slot) = places.slot(kind, flavor) {
                        limits[at * resources.slots.len() + slot.index()] = quota;
                    }
                }
            }
        }
        let mut quotas = Quotas::with_resources(&tree, resources.clone(), &limits);
        for (at, node) in nodes.iter().enumerate() {
            let id = QueueId(at as u32);
            quotas.set_groups(
                id,
                node.groups
                    .iter()
                    .map(|group| places.group(group))
                    .collect(),
            );
            quotas.set_fungibility(id, reading.fungibility(node)?);
            let rules = reading.rules(node);
            if rules.is_none_or(|rules| !rules.contains_key("reclaimWithinCohort")) {
                quotas.set_seeks_while_borrowing(id);
            }
        }
        let mut setup = Self {
            base,
            case,
            tree,
            state: State::new(quotas),
            admitted: Vec::new(),
        };
        setup.admit()?;
        Ok(setup)
    }

    /// A field of the case, or else of the base.
    pub fn field(&self, name: &str) -> Option<&'a Value> {
        Reading {
            base: self.base,
            case: self.case,
        }
        .field(name)
    }

    /// Reads a workload, of the queue that it names or of this one.
    pub fn workload(&self, value: &Value, queue: Option<&str>) -> Result<Described, CaseError> {
        let fields = value
            .as_object()
            .ok_or_else(|| wrong("a workload is no object"))?;
        let name = text(fields, &["name"]).unwrap_or_default();
        let about = |what: &str| wrong(format!("workload '{name}': {what}"));
        let given = text(fields, &["cq", "queue", "clusterQueue"]).or(queue);
        let given = given.ok_or_else(|| about("it has no queue 'cq'"))?;
        let found = self.tree.find(given);
        let queue = found.ok_or_else(|| about(&format!("there is no queue '{given}'")))?;
        let resources = self.state.quotas().resources();
        let mut asks = Vec::new();
        let mut uses = Vec::new();
        let of_fields = fields
            .iter()
            .filter(|(key, _)| !OF_WORKLOADS.contains(&key.as_str()));
        let mut given: Vec<(&str, &Value, Option<&str>)> = of_fields
            .map(|(kind, value)| (kind.as_str(), value, None))
            .collect();
        for one in fields
            .get("uses")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let word = |name: &str| one.get(name).and_then(Value::as_str);
            let kind =
                word("resource").ok_or_else(|| about("something in 'uses' has no 'resource'"))?;
            given.push((
                kind,
                one.get("amount").unwrap_or(&Value::Null),
                word("flavor"),
            ));
        }
        for (kind, value, flavor) in given {
            let amount = quantity::read(value)
                .ok_or_else(|| about(&format!("'{kind}' is no quantity: {value}")))?;
            let at = resources.kinds.iter().position(|other| other == kind);
            let at = at.ok_or_else(|| about(&format!("there is no resource '{kind}'")))?;
            let flavor = flavor.map_or_else(|| self.flavor(fields, kind, at, queue), str::to_owned);
            let slot = resources.flavors.iter().position(|other| *other == flavor);
            let slot = slot.and_then(|flavor| resources.slot(at, flavor));
            let slot =
                slot.ok_or_else(|| about(&format!("there is no '{kind}' of flavor '{flavor}'")))?;
            asks.push((at, amount));
            uses.push(Use { slot, amount });
        }
        Ok(Described {
            name: name.to_owned(),
            queue,
            asks,
            uses,
            priority: whole(fields, "priority")
                .ok_or_else(|| about("its priority is no whole number"))?,
            created: whole(fields, "created")
                .ok_or_else(|| about("'created' is no whole number"))?,
        })
    }

    /// The flavor of a resource that a workload uses: what it says, what the case says, the one without a name, or the
    /// queue's first.
    fn flavor(&self, fields: &Map<String, Value>, kind: &str, at: usize, queue: QueueId) -> String {
        let said = [fields.get("flavor"), self.field("flavor")];
        for said in said.into_iter().flatten() {
            let one = said.as_str().or_else(|| said.get(kind)?.as_str());
            if let Some(one) = one {
                return one.to_owned();
            }
        }
        let resources = self.state.quotas().resources();
        let mut groups = self.state.quotas().groups(queue).iter();
        let group = groups.find(|group| group.kinds.contains(&at));
        let first = group.and_then(|group| group.flavors.first());
        let first = first.and_then(|&flavor| resources.flavors.get(flavor));
        first.map_or(FLAVOR, String::as_str).to_owned()
    }

    fn admit(&mut self) -> Result<(), CaseError> {
        let Some(listed) = self.field("admitted") else {
            return Ok(());
        };
        let listed = listed
            .as_array()
            .ok_or_else(|| wrong("'admitted' is no list"))?;
        let uid = |value: &Value| {
            let text = |name: &str| {
                value
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            (text("uid"), text("name"))
        };
        let sorted: BTreeSet<(String, String)> = listed.iter().map(uid).collect();
        for value in listed {
            let described = self.workload(value, None)?;
            let place = sorted.iter().position(|other| *other == uid(value));
            let reserved = value.get("reserved").map_or(Some(0), Value::as_i64);
            let workload = Workload {
                queue: described.queue,
                uses: described.uses,
                priority: described.priority,
                created: described.created,
                reserved: reserved.ok_or_else(|| wrong("'reserved' is no whole number"))?,
                is_evicted: value
                    .get("evicted")
                    .and_then(Value::as_bool)
                    .unwrap_or(false),
                uid: place.unwrap_or_default() as u64,
            };
            let id = self.state.admit(workload);
            self.admitted.push((described.name, id));
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Reading<'a> {
    base: &'a Value,
    case: &'a Value,
}

impl<'a> Reading<'a> {
    fn field(self, name: &str) -> Option<&'a Value> {
        let given = self.case.get(name).or_else(|| self.base.get(name));
        given.filter(|value| !value.is_null())
    }

    /// The resource of quotas that name none: the first word.
    fn resource(self) -> &'a str {
        let given = self.field("resource").and_then(Value::as_str);
        let word = given.and_then(|text| text.split_whitespace().next());
        word.unwrap_or("cpu")
    }

    fn nodes(self) -> Result<Vec<Node>, CaseError> {
        let mut nodes = Vec::new();
        for (name, is_cohort) in [("cqs", false), ("cohorts", true)] {
            for (name, value) in self.named(name)? {
                nodes.push(self.node(name, value, is_cohort)?);
            }
        }
        // Cohorts that are only named.
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            if let Some(parent) = node.parent.clone()
                && !nodes
                    .iter()
                    .any(|other| other.is_cohort && other.name == parent)
            {
                nodes.push(self.node(parent, &Value::Null, true)?);
            }
            next += 1;
        }
        Ok(nodes)
    }

    /// Objects by name, as an object or as a list of objects with a name.
    fn named(self, name: &str) -> Result<Vec<(String, &'a Value)>, CaseError> {
        let no_name = || wrong(format!("something in '{name}' has no name"));
        match self.field(name) {
            None => Ok(Vec::new()),
            Some(Value::Object(fields)) => Ok(fields
                .iter()
                .map(|(name, value)| (name.clone(), value))
                .collect()),
            Some(Value::Array(list)) => {
                let named = list.iter().map(|value| {
                    let text = value.as_str().or_else(|| value.get("name")?.as_str());
                    let value = if value.is_string() {
                        &Value::Null
                    } else {
                        value
                    };
                    Ok((text.ok_or_else(no_name)?.to_owned(), value))
                });
                named.collect()
            }
            Some(_) => Err(wrong(format!("'{name}' is neither an object nor a list"))),
        }
    }

    fn node(self, name: String, value: &Value, is_cohort: bool) -> Result<Node, CaseError> {
        let about = |what: String| wrong(format!("queue '{name}': {what}"));
        let mut fields = value.as_object().cloned().unwrap_or_default();
        let mut parent = text(&fields, &["cohort", "parent"]).map(str::to_owned);
        match value {
            Value::String(above) if is_cohort => parent = Some(above.clone()),
            Value::Number(_) | Value::String(_) => {
                fields.insert("nominal".to_owned(), value.clone());
            }
            _ => {}
        }
        if !is_cohort && !fields.contains_key("cohort") {
            let given = self.field("cohort");
            let given =
                given.and_then(|given| given.as_str().or_else(|| given.get(&name)?.as_str()));
            parent = given.map(str::to_owned);
        }
        let mut groups = Vec::new();
        let listed = fields.get("resourceGroups").and_then(Value::as_array);
        for group in listed.into_iter().flatten() {
            let flavors = group
                .as_array()
                .or_else(|| group.get("flavors")?.as_array());
            let flavors = flavors
                .ok_or_else(|| about("a resource group is no list of flavors".to_owned()))?;
            let mut read = Vec::new();
            for flavor in flavors {
                let called = flavor.get("name").and_then(Value::as_str).unwrap_or(FLAVOR);
                let mut quotas = BTreeMap::new();
                let resources = flavor.get("resources").and_then(Value::as_object);
                for (kind, value) in resources.into_iter().flatten() {
                    quotas.insert(kind.clone(), limits(value).map_err(about)?);
                }
                read.push((called.to_owned(), quotas));
            }
            groups.push(read);
        }
        let flavors = fields.get("flavors").and_then(Value::as_object);
        let mut by_flavor = Vec::new();
        for (flavor, resources) in flavors.into_iter().flatten() {
            let mut quotas = BTreeMap::new();
            for (kind, value) in resources.as_object().into_iter().flatten() {
                quotas.insert(kind.clone(), limits(value).map_err(about)?);
            }
            by_flavor.push((flavor.clone(), quotas));
        }
        if !by_flavor.is_empty() {
            groups.push(by_flavor);
        }
        for limit in ["borrowingLimit", "lendingLimit"] {
            let given = self
                .field(limit)
                .or_else(|| self.field(&format!("{limit}s")));
            let given = given.filter(|_| groups.is_empty() && !fields.contains_key(limit));
            let given = given.and_then(|given| match given {
                Value::Object(by_name) => by_name.get(&name),
                of_all => Some(of_all).filter(|_| !is_cohort),
            });
            if let Some(given) = given {
                fields.insert(limit.to_owned(), given.clone());
            }
        }
        let mut plain = BTreeMap::new();
        let of_quotas = [
            "nominal",
            "nominalQuota",
            "quota",
            "borrowingLimit",
            "lendingLimit",
        ];
        if of_quotas.iter().any(|name| fields.contains_key(*name)) {
            let quota = limits(&Value::Object(fields.clone())).map_err(about)?;
            plain.insert(self.resource().to_owned(), quota);
        }
        let resources = fields.get("resources").and_then(Value::as_object);
        let named = fields
            .iter()
            .filter(|(key, _)| !OF_QUEUES.contains(&key.as_str()));
        for (kind, value) in named.chain(resources.into_iter().flatten()) {
            plain.insert(kind.clone(), limits(value).map_err(about)?);
        }
        if !plain.is_empty() {
            groups.push(vec![(FLAVOR.to_owned(), plain)]);
        }
        Ok(Node {
            name,
            parent,
            is_cohort,
            fields,
            groups,
        })
    }

    /// Everything that has a quota or is used.
    fn resources(self, nodes: &[Node]) -> Resources {
        let mut flavors: Vec<String> = Vec::new();
        let mut kinds = BTreeSet::new();
        for (flavor, quotas) in nodes.iter().flat_map(|node| &node.groups).flatten() {
            if !flavors.contains(flavor) {
                flavors.push(flavor.clone());
            }
            kinds.extend(quotas.keys().cloned());
        }
        let lists = ["admitted", "pending"]
            .into_iter()
            .filter_map(|name| self.field(name)?.as_array());
        let workloads = lists.flatten().chain(self.field("incoming"));
        for fields in workloads.filter_map(Value::as_object) {
            let keys = fields
                .keys()
                .filter(|key| !OF_WORKLOADS.contains(&key.as_str()));
            kinds.extend(keys.cloned());
        }
        if flavors.is_empty() {
            flavors.push(FLAVOR.to_owned());
        }
        let kinds: Vec<String> = kinds.into_iter().collect();
        let pairs =
            (0..kinds.len()).flat_map(|kind| (0..flavors.len()).map(move |flavor| (kind, flavor)));
        let slots = pairs.collect();
        Resources {
            kinds,
            flavors,
            slots,
        }
    }

    fn queue(self, node: &Node, nodes: &[Node]) -> Result<Queue, CaseError> {
        let about = |what: String| wrong(format!("queue '{}': {what}", node.name));
        let parent = node.parent.as_ref().and_then(|parent| {
            let at = nodes
                .iter()
                .position(|other| other.is_cohort && other.name == *parent)?;
            Some(QueueId(at as u32))
        });
        let weight = ["weight", "fairWeight"]
            .iter()
            .find_map(|name| node.fields.get(*name));
        let weight = weight.or_else(|| {
            let given = self.field("weights")?;
            if given.is_object() {
                given.get(&node.name)
            } else {
                Some(given)
            }
        });
        let weight = weight.map_or(Some(1.0), quantity::read_plain);
        let weight =
            weight.ok_or_else(|| about("its weight is no number, or below zero".to_owned()))?;
        // Kueue lets a queue and a cohort have one name.
        let is_shared = node.is_cohort
            && nodes
                .iter()
                .any(|other| !other.is_cohort && other.name == node.name);
        let name = if is_shared {
            format!("{} (cohort)", node.name)
        } else {
            node.name.clone()
        };
        let mut queue = Queue {
            weight,
            ..Queue::new(name, parent)
        };
        queue.order = match text(&node.fields, &["queueingStrategy"]) {
            None | Some("BestEffortFIFO") => Order::BestEffortFifo,
            Some("StrictFIFO") => Order::StrictFifo,
            Some(other) => return Err(about(format!("queueingStrategy is '{other}'"))),
        };
        if let Some(rules) = self.rules(node)
            && !node.is_cohort
        {
            set_rules(&mut queue, rules).map_err(about)?;
        }
        Ok(queue)
    }

    /// Whom a queue may evict: its own rules, those under its name, or those of all.
    fn rules<'b>(self, node: &'b Node) -> Option<&'b Map<String, Value>>
    where
        'a: 'b,
    {
        let of_all = self.field("preemption");
        let by_name = of_all.and_then(|rules| rules.get(&node.name));
        let own = node.fields.get("preemption");
        own.or(by_name).or(of_all)?.as_object()
    }

    fn fungibility(self, node: &Node) -> Result<Fungibility, CaseError> {
        let mut fungibility = Fungibility::default();
        let Some(given) = node
            .fields
            .get("fungibility")
            .or_else(|| self.field("fungibility"))
        else {
            return Ok(fungibility);
        };
        let search = |name: &str, default: Search| match given.get(name).and_then(Value::as_str) {
            None => Ok(default),
            Some("MayStopSearch" | "Borrow" | "Preempt") => Ok(Search::Stops),
            Some("TryNextFlavor") => Ok(Search::GoesOn),
            Some(other) => Err(wrong(format!("queue '{}': {name} is '{other}'", node.name))),
        };
        fungibility.when_can_borrow = search("whenCanBorrow", fungibility.when_can_borrow)?;
        fungibility.when_can_preempt = search("whenCanPreempt", fungibility.when_can_preempt)?;
        let preference = given.get("preference").and_then(Value::as_str);
        fungibility.prefers_preemption = preference == Some("PreemptionOverBorrowing");
        Ok(fungibility)
    }
}

/// Slots by names.
struct Places<'a> {
    kinds: BTreeMap<&'a str, usize>,
    flavors: BTreeMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn of(resources: &'a Resources) -> Self {
        let index = |names: &'a [String]| {
            names
                .iter()
                .enumerate()
                .map(|(at, name)| (name.as_str(), at))
                .collect()
        };
        Self {
            kinds: index(&resources.kinds),
            flavors: index(&resources.flavors),
        }
    }

    fn slot(&self, kind: &str, flavor: &str) -> Option<Slot> {
        let at = self.kinds.get(kind)? * self.flavors.len() + self.flavors.get(flavor)?;
        Some(Slot(at as u32))
    }

    fn group(&self, flavors: &[(String, BTreeMap<String, Limits>)]) -> Group {
        let kinds: BTreeSet<&String> = flavors
            .iter()
            .flat_map(|(_, quotas)| quotas.keys())
            .collect();
        Group {
            kinds: kinds
                .into_iter()
                .filter_map(|kind| self.kinds.get(kind.as_str()).copied())
                .collect(),
            flavors: flavors
                .iter()
                .filter_map(|(name, _)| self.flavors.get(name.as_str()).copied())
                .collect(),
        }
    }
}

fn wrong(what: impl Into<String>) -> CaseError {
    CaseError::new("", what)
}

fn text<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| fields.get(*name)?.as_str())
}

/// A whole number; zero where there is none.
fn whole(fields: &Map<String, Value>, name: &str) -> Option<i64> {
    fields.get(name).map_or(Some(0), Value::as_i64)
}

fn limits(value: &Value) -> Result<Limits, String> {
    let mut limits = Limits::default();
    let Some(fields) = value.as_object() else {
        limits.nominal =
            quantity::read(value).ok_or_else(|| format!("a quota is no quantity: {value}"))?;
        return Ok(limits);
    };
    let read = |names: &[&str]| {
        let given = names.iter().find_map(|name| fields.get(*name));
        let given = given.filter(|value| !value.is_null());
        let number = |value: &Value| {
            quantity::read(value).ok_or_else(|| format!("{} is no quantity: {value}", names[0]))
        };
        given.map(number).transpose()
    };
    limits.nominal = read(&["nominal", "nominalQuota", "quota"])?.unwrap_or(Amount::ZERO);
    limits.borrowing = read(&["borrowingLimit"])?.unwrap_or(Amount::UNLIMITED);
    limits.lending = read(&["lendingLimit"])?;
    Ok(limits)
}

fn set_rules(queue: &mut Queue, rules: &Map<String, Value>) -> Result<(), String> {
    let evicts = |name: &str| match text(rules, &[name]) {
        None | Some("Never" | "") => Ok(Evicts::Never),
        Some("LowerPriority") => Ok(Evicts::LowerPriority),
        Some("LowerOrNewerEqualPriority") => Ok(Evicts::LowerOrNewerEqualPriority),
        Some("Any") => Ok(Evicts::Any),
        Some(other) => Err(format!("{name} is '{other}'")),
    };
    queue.within = evicts("withinClusterQueue")?;
    queue.reclaims = evicts("reclaimWithinCohort")?;
    let Some(given) = rules.get("borrowWithinCohort") else {
        return Ok(());
    };
    let threshold = "maxPriorityThreshold";
    let (policy, up_to) = match given {
        Value::String(text) => {
            let mut words = text.split([',', ' ']).filter(|word| !word.is_empty());
            let policy = words.next();
            let up_to = words.skip_while(|word| *word != threshold).nth(1);
            (policy, up_to.and_then(|number| number.parse().ok()))
        }
        _ => {
            let policy = given.get("policy").and_then(Value::as_str);
            (policy, given.get(threshold).and_then(Value::as_i64))
        }
    };
    queue.while_borrowing = match policy {
        None | Some("Never") => WhileBorrowing::Never,
        Some("LowerPriority") => WhileBorrowing::LowerPriority { up_to },
        Some(other) => return Err(format!("borrowWithinCohort is '{other}'")),
    };
    Ok(())
}

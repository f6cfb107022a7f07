//! Which tasks of a job start together, and which stop together.
//!
//! In: sets of tasks with minimums, in groups within groups, and how tasks are. Out: the next tasks to start, the next to
//! evict. Source: `api/podgroup_info` (`allocation_info.go`, `eviction_info.go`), `plugins/subgrouporder`.

use std::cmp::Ordering;

/// Tasks of which some number must run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Its name: of equal ones the smaller name comes first.
    pub name: String,
    /// How many must run together; more may.
    pub minimum: usize,
    /// The tasks: their places in the job, in the order in which they start.
    pub tasks: Vec<usize>,
}

/// Sets of tasks, and groups of them, of which some number must run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gang {
    /// Its name.
    pub name: String,
    /// How many of its members must run; none: all.
    pub minimum: Option<usize>,
    /// Its members.
    pub members: Vec<Member>,
}

/// A part of a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// Tasks.
    Tasks(Tasks),
    /// A group.
    Gang(Gang),
}

/// Says of a task whether something holds.
pub type Is<'i> = &'i dyn Fn(usize) -> bool;

impl Tasks {
    /// How many of the tasks are so.
    pub fn count(&self, is: Is) -> usize {
        self.tasks.iter().filter(|&&task| is(task)).count()
    }

    /// As many as the minimum lacks, or one more.
    fn next(&self, active: Is, waits: Is) -> Vec<usize> {
        let count = self.minimum.saturating_sub(self.count(active)).max(1);
        let waiting = self.tasks.iter().copied().filter(|&task| waits(task));
        waiting.take(count).collect()
    }
}

impl Member {
    fn name(&self) -> &str {
        match self {
            Self::Tasks(tasks) => &tasks.name,
            Self::Gang(gang) => &gang.name,
        }
    }

    /// How many of it run, and how many must.
    fn counts(&self, active: Is) -> (usize, usize) {
        match self {
            Self::Tasks(tasks) => (tasks.count(active), tasks.minimum),
            Self::Gang(gang) => (gang.satisfied(active), gang.needed()),
        }
    }

    fn is_satisfied(&self, active: Is) -> bool {
        let (has, needs) = self.counts(active);
        has >= needs
    }

    fn all(&self, active: Is) -> Vec<usize> {
        let mut sets = Vec::new();
        self.sets(&mut sets);
        let tasks = sets.iter().flat_map(|set| set.tasks.iter().rev().copied());
        tasks.filter(|&task| active(task)).collect()
    }

    fn sets<'a>(&'a self, into: &mut Vec<&'a Tasks>) {
        match self {
            Self::Tasks(tasks) => into.push(tasks),
            Self::Gang(gang) => gang.members.iter().for_each(|member| member.sets(into)),
        }
    }

    fn has_surplus(&self, active: Is) -> bool {
        match self {
            Self::Tasks(tasks) => tasks.count(active) > tasks.minimum,
            Self::Gang(gang) => gang.has_surplus(active),
        }
    }
}

impl Gang {
    /// A job of `count` tasks, of which `minimum` must run together.
    pub fn of(minimum: usize, count: usize) -> Self {
        let tasks = Tasks {
            minimum,
            tasks: (0..count).collect(),
            ..Tasks::default()
        };
        Self {
            members: vec![Member::Tasks(tasks)],
            ..Self::default()
        }
    }

    /// All its sets of tasks.
    pub fn sets(&self) -> Vec<&Tasks> {
        let mut sets = Vec::new();
        self.members
            .iter()
            .for_each(|member| member.sets(&mut sets));
        sets
    }

    /// Orders the tasks of each set.
    pub fn sort_tasks(&mut self, key: &dyn Fn(usize) -> usize) {
        for member in &mut self.members {
            match member {
                Member::Tasks(set) => set.tasks.sort_by_key(|&task| key(task)),
                Member::Gang(gang) => gang.sort_tasks(key),
            }
        }
    }

    /// Whether each set of tasks has as many as it needs.
    pub fn has_minimum(&self, is: Is) -> bool {
        self.sets().iter().all(|set| set.count(is) >= set.minimum)
    }

    /// Whether enough members have enough tasks.
    pub fn is_ready(&self, is: Is) -> bool {
        let ready = self.members.iter().filter(|member| match member {
            Member::Tasks(set) => set.count(is) >= set.minimum,
            Member::Gang(gang) => gang.is_ready(is),
        });
        ready.count() >= self.needed()
    }

    /// Less: some set lacks tasks. Equal: each has what it needs. Greater: some have more.
    pub fn surplus(&self, active: Is) -> Ordering {
        let orders = self
            .sets()
            .into_iter()
            .map(|set| set.count(active).cmp(&set.minimum));
        let mut surplus = Ordering::Equal;
        for order in orders {
            if order == Ordering::Less {
                return order;
            }
            surplus = surplus.max(order);
        }
        surplus
    }

    /// The tasks that start next: what lacks to the minimum, or one more.
    pub fn next(&self, active: Is, waits: Is) -> Vec<usize> {
        let members = self.ordered(active);
        if self.satisfied(active) >= self.needed() {
            let of = |member: &&Member| match member {
                Member::Tasks(set) => set.next(active, waits),
                Member::Gang(gang) => gang.next(active, waits),
            };
            let mut next = members.iter().map(of).filter(|tasks| !tasks.is_empty());
            return next.next().unwrap_or_default();
        }
        let needed = members.into_iter().take(self.needed());
        let lacking = needed.filter(|member| !member.is_satisfied(active));
        lacking
            .flat_map(|member| match member {
                Member::Tasks(set) => set.next(active, waits),
                Member::Gang(gang) => gang.next(active, waits),
            })
            .collect()
    }

    /// The tasks that stop next: one above a minimum, a member above the needed ones, or all.
    pub fn victims(&self, active: Is) -> Vec<usize> {
        let some = self.spare(active);
        if some.is_empty() {
            let all = self.members.iter().flat_map(|member| member.all(active));
            return all.collect();
        }
        some
    }

    /// Tasks that can stop while the gang goes on.
    fn spare(&self, active: Is) -> Vec<usize> {
        let satisfied = self.satisfied(active);
        if satisfied == 0 {
            return Vec::new();
        }
        let mut members = self.ordered(active);
        members.reverse();
        if self.has_surplus(active) {
            for member in &members {
                let spare = match member {
                    Member::Tasks(set) if set.count(active) > set.minimum => {
                        let mut last = set.tasks.iter().rev().copied();
                        last.find(|&task| active(task)).into_iter().collect()
                    }
                    Member::Tasks(_) => Vec::new(),
                    Member::Gang(gang) => gang.spare(active),
                };
                if !spare.is_empty() {
                    return spare;
                }
            }
        }
        if self.needed() < satisfied {
            let mut all = members.iter().map(|member| member.all(active));
            return all.find(|tasks| !tasks.is_empty()).unwrap_or_default();
        }
        Vec::new()
    }

    fn has_surplus(&self, active: Is) -> bool {
        self.satisfied(active) > self.needed()
            || self.members.iter().any(|member| member.has_surplus(active))
    }

    fn needed(&self) -> usize {
        self.minimum.unwrap_or(self.members.len())
    }

    fn satisfied(&self, active: Is) -> usize {
        let members = self.members.iter();
        members.filter(|member| member.is_satisfied(active)).count()
    }

    /// Members that lack something first, then by how much they have of what they need, then by name.
    fn ordered(&self, active: Is) -> Vec<&Member> {
        let mut members: Vec<(&Member, (usize, usize))> = self
            .members
            .iter()
            .map(|member| (member, member.counts(active)))
            .collect();
        members.sort_by(|(left, of_left), (right, of_right)| {
            by_ratio(*of_left, *of_right).then_with(|| left.name().cmp(right.name()))
        });
        members.into_iter().map(|(member, _)| member).collect()
    }
}

/// The order of two members, of which some number runs and some number must.
fn by_ratio(left: (usize, usize), right: (usize, usize)) -> Ordering {
    let lacks = |(has, needs): (usize, usize)| has < needs;
    match (lacks(left), lacks(right)) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Less,
        (false, true) => return Ordering::Greater,
        (false, false) => {}
    }
    match (left.1, right.1) {
        (0, 0) => left.0.cmp(&right.0),
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        // Has / needs, without a division.
        _ => (left.0 * right.1).cmp(&(right.0 * left.1)),
    }
}

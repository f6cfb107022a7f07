//! What is said about a job, a queue, and what is in it: in tooltips, and to people who do not see
//! the canvas.

use super::format::{attained, count, counted, cut, duration, figures, gpu_hours, time, units};
use super::on_stage::OnStage;
use crate::links::Links;
use crate::queues::Queues;
use crate::stage::{Clock, Stage, StageRun};
use std::collections::BTreeMap;
use switchyard::Time;
use switchyard::cluster::{CoreDemand, GpuModel};
use switchyard::engine::{Absence, NodeState, Segment, Stop};
use switchyard::job::{Job, JobId};

/// How many nodes are named before the rest is counted.
const NODES_NAMED: usize = 6;

/// A job's name, and what it asks for.
fn title_lines(job: JobId, stage: &Stage) -> Vec<String> {
    let Some(record) = stage.workload.jobs.get(job.index()) else {
        return Vec::new();
    };
    let asked = asks(record);
    let model = name_of(&stage.workload.models, record.model);
    let tenant = name_of(&stage.workload.tenants, record.tenant);
    let about = [&asked, model, tenant]
        .into_iter()
        .filter(|text| !text.is_empty());
    vec![
        record.name.to_string(),
        about.collect::<Vec<_>>().join(" · "),
    ]
}

/// The name an index stands for; empty if there is none.
pub(crate) fn name_of(names: &[String], index: Option<u32>) -> &str {
    index
        .and_then(|index| names.get(index as usize))
        .map_or("", String::as_str)
}

/// What a job runs on: `2 GPUs`, or `16 cores` of one that asks for no GPU.
pub fn asks(job: &Job) -> String {
    if !job.is_on_cores() {
        return counted(job.gpus.into(), "GPU", "GPUs");
    }
    match figures(f64::from(CoreDemand::of(&job.demand).cores) / 1000.0) {
        one if one == "1" => "1 core".to_owned(),
        many => format!("{many} cores"),
    }
}

/// The lines of a job's tooltip: its name, what it does at the clock's time, what it has got.
pub(crate) fn job(job: JobId, stage: &Stage, run: &StageRun) -> Vec<String> {
    let Some(record) = stage.workload.jobs.get(job.index()) else {
        return Vec::new();
    };
    let now = stage.clock.now;
    let mut lines = title_lines(job, stage);

    let segments = run.segments(job);
    let begun = segments.partition_point(|&i| run.log.segment(i as usize).start.seconds() <= now);
    let last = begun
        .checked_sub(1)
        .map(|i| run.log.segment(segments[i] as usize));
    lines.push(match last {
        _ if now < record.submit.seconds() => {
            format!("submitted in {}", duration(record.submit.seconds() - now))
        }
        Some(segment) if segment.end.seconds() > now => state_on_gpus(&segment, now),
        _ if run.moment.waiting().contains(&job) => {
            format!(
                "waiting for {}",
                duration(now - run.moment.since(job).seconds())
            )
        }
        Some(segment) => {
            let ended = stopped(segments[begun - 1] as usize, run);
            let ended = ended.map_or_else(|| "finished".to_owned(), |stop| stop.cause.to_string());
            format!("{ended} {} ago", duration(now - segment.end.seconds()))
        }
        None => units("wants more GPUs than there are").into_owned(),
    });
    if let Some(segment) = last.filter(|segment| segment.end.seconds() > now) {
        lines.push(nodes(&segment, run.nodes_of_cores(segments[begun - 1])));
    }

    let mut got = vec![gpu_hours(run.held(job, now).service())];
    if begun > 1 {
        got.push(counted(begun as u64 - 1, "restart", "restarts"));
    }
    if run.moment.level(job) > 0 {
        got.push(format!("queue {}", run.moment.level(job) + 1));
    }
    if last.is_some() {
        lines.push(got.join(" · "));
    }
    lines
}

/// Whether the clock stands at what a run under way has not come to.
pub(crate) fn is_ahead(shown: OnStage<'_>) -> bool {
    shown.run.is_under_way() && shown.stage.clock.now > shown.run.reached()
}

/// Which waiting job comes first, as far as it is known of the policy: for a mark, and in a
/// sentence.
pub(crate) fn first_in_line(run: &StageRun) -> (&'static str, &'static str) {
    let mut levels = run
        .moment
        .waiting()
        .iter()
        .map(|&job| run.moment.level(job));
    let first = levels.next();
    if run.policy.serves_in_order() {
        ("▾ head of the line", "the head")
    } else if levels.any(|level| Some(level) != first) {
        (
            "▾ first of the highest queue",
            "the first of the highest queue",
        )
    } else {
        ("▾ waits longest", "the one that waits longest")
    }
}

/// A job's name has so many characters in a sentence, that it stays one.
const NAME: usize = 16;

/// A moment in a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Situation {
    /// What stands before the name of the job that is first in line; all of it where none waits.
    pub before: String,
    /// That job, and what it is called here.
    pub first: Option<(JobId, String)>,
    /// What stands behind its name.
    pub after: String,
}

/// What is free, which jobs wait, and why the first of them does not start: `15 of 32 GPUs idle, 24 jobs
/// wait: the head, lab-133, wants 8 and no node has more than 5 free.`
pub fn situation(stage: &Stage, run: &StageRun) -> Situation {
    let plain = |before: String| Situation {
        before,
        first: None,
        after: String::new(),
    };
    if is_ahead(OnStage { stage, run }) {
        return plain("The run has not come this far yet.".to_owned());
    }
    let whole = |gpus: u32| u64::MAX >> (64 - gpus.clamp(1, 64));
    // GPUs of which nobody has a part, and thousandths that others leave of shared ones.
    let mut free: Vec<u64> = stage.cluster.gpus_per_node().map(whole).collect();
    let mut left = BTreeMap::<(u32, u64), u32>::new();
    for &job in run.moment.running() {
        let segment = run.log.segment(run.moment.segment(job));
        for part in segment.gpus {
            if let Some(free) = free.get_mut(part.node as usize) {
                *free &= !part.mask;
            }
            if let Some(share) = segment.share {
                let left = left.entry((part.node, part.mask)).or_insert(1000);
                *left = left.saturating_sub(share);
            }
        }
    }
    for (node, ..) in run.absent_nodes.iter() {
        if let Some(free) = free.get_mut(node as usize) {
            *free = 0;
        }
        left.retain(|&(on, _), _| on != node);
    }
    let left = left
        .iter()
        .map(|(&(_, mask), &left)| mask.count_ones() * left);
    let left = f64::from(left.sum::<u32>()) / 1000.0;
    let free: Vec<u32> = free.iter().map(|free| free.count_ones()).collect();
    let absence =
        |(node, state, until)| format!(" Node {node} is {}.", absence(state, until, &stage.clock));
    let absent = match run.absent_nodes.iter().count() {
        0 | 1 => run.absent_nodes.iter().map(absence).collect(),
        many => format!(" {} nodes are not there.", count(many as u64)),
    };
    let (idle, most) = (
        free.iter().sum::<u32>(),
        free.iter().copied().max().unwrap_or(0),
    );
    let gpus = counted(stage.cluster.gpus().into(), "GPU", "GPUs");
    let idle_words = match (idle, left > 0.0) {
        (0, false) => format!("None of {gpus} idle"),
        (_, false) => format!("{} of {gpus} idle", count(idle.into())),
        (0, true) => format!("{} of {gpus} idle, all in parts", figures(left)),
        (_, true) => format!("{} of {gpus} idle", figures(f64::from(idle) + left)),
    };
    let waiting = run.moment.waiting().len();
    let first = run.first_in_line();
    let first = first.and_then(|id| Some((id, stage.workload.jobs.get(id.index())?)));
    let Some((id, first)) = first else {
        return plain(format!("{idle_words}, nothing waits.{absent}"));
    };
    let (who, comma) = match waiting {
        1 => ("1 job waits: ".to_owned(), ""),
        _ => (
            format!(
                "{} jobs wait: {}, ",
                count(waiting as u64),
                first_in_line(run).1,
            ),
            ",",
        ),
    };
    let share = first.demand.share.filter(|_| !run.bands.is_empty());
    let wants = match share {
        Some(share) => format!(
            "{} {}",
            figures(f64::from(share.get()) / 1000.0),
            units("of a GPU")
        ),
        None if first.is_on_cores() => asks(first),
        None => count(first.gpus.into()),
    };
    let why = if idle == 0 || share.is_some() {
        String::new()
    } else if first.gpus > idle {
        ", more than are idle".to_owned()
    } else if first.gpus > most && first.gpus <= stage.cluster.largest_node() {
        format!(" and no node has more than {} free", count(most.into()))
    } else {
        String::new()
    };
    Situation {
        before: format!("{idle_words}, {who}"),
        first: Some((id, cut(&first.name, NAME))),
        after: format!("{comma} wants {wants}{why}.{absent}"),
    }
}

/// What is known of a node besides how many GPUs it has.
pub(crate) fn kind_of(node: u32, stage: &Stage) -> Option<String> {
    let cluster = &stage.cluster;
    let kind = cluster.group_of(node)?.kind;
    let name = kind.gpu.map(|id| cluster.type_name(id));
    let title = name.map(|name| GpuModel::named(name).map_or(name, |of| of.title).to_owned());
    let gib = |mib: u32| figures(f64::from(mib) / 1024.0);
    let of_gpu = cluster
        .gpu_memory(kind)
        .map(|memory| format!("{} GiB a GPU", gib(memory)));
    let cores = kind
        .cores
        .map(|cores| format!("{} cores", figures(f64::from(cores) / 1000.0)));
    let memory = kind.memory.map(|memory| format!("{} GiB", gib(memory)));
    let known: Vec<String> = [title, of_gpu, cores, memory]
        .into_iter()
        .flatten()
        .collect();
    (!known.is_empty()).then(|| known.join(" · "))
}

/// How many jobs of a link are named before the rest is counted.
const JOBS_NAMED: usize = 4;

/// A link's load: `140 % of 8.33 GB/s`.
pub(crate) fn load(link: u32, links: &Links) -> String {
    let (load, capacity) = (links.load(link), links.topology().capacity(link));
    format!("{:.0} % of {} GB/s wanted", 100.0 * load, figures(capacity))
}

/// The lines of a link's tooltip: what is wanted of it, and by whom.
pub(crate) fn link(link: u32, stage: &Stage, run: &StageRun) -> Option<Vec<String>> {
    let links = run.links.as_ref()?;
    let mut lines = vec![links.topology().name(link), load(link, links)];
    let by = links.by(link);
    for &(job, wanted) in by.iter().take(JOBS_NAMED) {
        let name = &stage.workload.jobs.get(job.index())?.name;
        lines.push(format!("{name}: {} GB/s", figures(wanted)));
    }
    if let Some(more) = by.len().checked_sub(JOBS_NAMED).filter(|&more| more > 0) {
        lines.push(format!("and {}", counted(more as u64, "job", "jobs")));
    }
    if links.load(link) > 1.0 {
        lines.push("more than it carries: it slows them".to_owned());
    }
    Some(lines)
}

/// That a node is not there, and when it is back: `down, back in 40 min`.
pub(crate) fn absence(state: NodeState, until: Time, clock: &Clock) -> String {
    match until.seconds() - clock.now {
        left if left.is_finite() => format!("{state}, back in {}", duration(left.max(0.0))),
        _ => format!("{state}, for good"),
    }
}

/// Why a node is not there at a time: `down from 08:20:00 for 60 min`.
pub(crate) fn absence_at(run: &StageRun, node: u32, at: f64) -> Option<String> {
    let absences = run.log.absences();
    let is_then =
        |of: &&Absence| of.node == node && of.from.seconds() <= at && at < of.to.seconds();
    let of = absences.iter().find(is_then)?;
    let (from, to) = (of.from.seconds(), of.to.min(of.until).seconds());
    let span = match to - from {
        span if span.is_finite() => format!("for {}", duration(span)),
        _ => "for good".to_owned(),
    };
    Some(format!("{} from {} {span}", of.state, time(from)))
}

/// The lines of a tooltip about one stay on GPUs.
pub(crate) fn segment(index: usize, stage: &Stage, run: &StageRun) -> Vec<String> {
    let segment = run.log.segment(index);
    let (start, end) = (
        segment.start.seconds(),
        segment.end.seconds().min(run.reached()),
    );
    let mut lines = title_lines(segment.job, stage);
    lines.push(format!(
        "ran {} from {}",
        duration(end - start),
        time(start)
    ));
    let restart = segment.ready.seconds().min(end) - start;
    if restart > 0.0 {
        lines.push(format!("of these {} to restart", duration(restart)));
    }
    lines.push(nodes(&segment, run.nodes_of_cores(index as u32)));
    if let Some(stop) = stopped(index, run) {
        lines.push(format!("{}, as its trace records", stop.cause));
        if stop.lost > 0.0 {
            lines.push(format!("{} of work lost", duration(stop.lost)));
        }
    }
    lines
}

/// Why the job of a segment stopped, where its trace records it.
fn stopped(index: usize, run: &StageRun) -> Option<Stop> {
    run.log.stop_of(index as u32, run.log.segment(index).end)
}

/// The lines of a tooltip about one stay in the queue.
pub(crate) fn wait(job: JobId, from: f64, to: f64, stage: &Stage) -> Vec<String> {
    let mut lines = title_lines(job, stage);
    lines.push(format!(
        "waited {} from {}",
        duration(to - from),
        time(from)
    ));
    lines
}

/// Which services a queue holds: `0 – 3,250 GPU·s`, `from 7,200 GPU·s (2 GPU·h) · log scale`.
pub fn range(queues: &Queues, queue: usize) -> String {
    let service = |amount| attained(amount, queues.measure());
    match queues.bounds(queue) {
        (0.0, Some(high)) => format!("0 – {}", service(high)),
        (low, Some(high)) => format!("{} – {}", figures(low), service(high)),
        (low, None) => format!("from {} · log scale", service(low)),
    }
}

/// A queue in a sentence.
pub(crate) fn queue(queues: &Queues, queue: usize) -> String {
    let name = format!("queue {} of {}", queue + 1, queues.count());
    let service = |amount| attained(amount, queues.measure());
    match queues.bounds(queue) {
        (low, Some(high)) => format!("{name}: from {} to {}", service(low), service(high)),
        (low, None) => format!("{name}: from {} on", service(low)),
    }
}

/// `3 running · 12 waiting`; `empty`.
pub fn crowd(running: usize, waiting: usize) -> String {
    let part =
        |jobs: usize, word: &str| (jobs > 0).then(|| format!("{} {word}", count(jobs as u64)));
    let parts: Vec<String> = [part(running, "running"), part(waiting, "waiting")]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        "empty".to_string()
    } else {
        parts.join(" · ")
    }
}

/// Where a job stands in its queue.
pub fn in_queue(job: JobId, queues: &Queues, stage: &Stage, run: &StageRun) -> String {
    let (queue, got) = queues.place(job, stage, run);
    let measure = queues.measure();
    let service = |amount| attained(amount, measure);
    let since = if got < run.held(job, stage.clock.now).attained(measure) {
        " since it was promoted"
    } else {
        ""
    };
    let name = format!("queue {} of {}", queue + 1, queues.count());
    match queues.bounds(queue) {
        (_, Some(high)) => format!("{name}: {} of {}{since}", service(got), service(high)),
        (_, None) => format!("{name}, the last: {}{since}", service(got)),
    }
}

/// Every queue and what is in it at the clock's time.
pub fn queues(queues: &Queues, run: &StageRun) -> Vec<String> {
    queues
        .crowds(run)
        .into_iter()
        .enumerate()
        .map(|(i, all)| format!("{}: {}", queue(queues, i), crowd(all.running, all.waiting)))
        .collect()
}

fn state_on_gpus(segment: &Segment<'_>, now: f64) -> String {
    if segment.ready.seconds() > now {
        return format!(
            "restarting, makes progress in {}",
            duration(segment.ready.seconds() - now)
        );
    }
    format!("running for {}", duration(now - segment.start.seconds()))
}

/// Where a segment lies: on nodes' GPUs, or on these nodes' cores.
fn nodes(segment: &Segment<'_>, on_cores: Vec<u32>) -> String {
    let all = segment.gpus.iter().map(|part| part.node).chain(on_cores);
    let all: Vec<String> = all.map(|node| node.to_string()).collect();
    let named = &all[..all.len().min(NODES_NAMED)];
    let more = all.len() - named.len();
    let word = if all.len() == 1 { "node" } else { "nodes" };
    match more {
        0 => format!("on {word} {}", named.join(", ")),
        _ => format!("on {word} {} and {more} more", named.join(", ")),
    }
}

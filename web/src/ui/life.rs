//! A job's life in one run: what happened to it, and when it waited, restarted and ran.

use switchyard::engine::{Event, EventKind, RunLog};
use switchyard::job::{Job, JobId};

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// In the queue.
    Waiting,
    /// Holds GPUs but makes no progress yet: checkpoint, restore, re-join.
    Restarting,
    /// Makes progress.
    Running,
}

/// A stretch of a life, seconds since the trace's start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    /// From when.
    pub(super) from: f64,
    /// Until when; where the log ends, if it goes on.
    pub(super) to: f64,
    /// What it does.
    pub(super) doing: Doing,
}

/// Everything that happened to a job, in order.
pub(super) fn events(log: &RunLog, id: JobId, job: &Job) -> Vec<Event> {
    let first = log
        .event_times()
        .partition_point(|&at| at < job.submit.seconds());
    let mut events = Vec::new();
    for event in (first..log.events()).map(|i| log.event(i)) {
        if event.job == id {
            events.push(event);
            if matches!(event.kind, EventKind::Finish | EventKind::Reject) {
                break;
            }
        }
    }
    events
}

/// The life that a job's events tell, up to `reached`.
pub(super) fn stretches(events: &[Event], log: &RunLog, reached: f64) -> Vec<Stretch> {
    let mut life = Vec::new();
    let mut push = |from: f64, to: f64, doing| {
        if to > from {
            life.push(Stretch { from, to, doing });
        }
    };
    let mut waits_since = None;
    for event in events {
        let now = event.time.seconds();
        match event.kind {
            EventKind::Submit | EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                waits_since = Some(now)
            }
            EventKind::Start | EventKind::Restart => {
                push(waits_since.take().unwrap_or(now), now, Doing::Waiting);
                let segment = log.segment(event.detail as usize);
                let end = segment.end.seconds().min(reached);
                let ready = segment.ready.seconds().min(end);
                push(now, ready, Doing::Restarting);
                push(ready, end, Doing::Running);
            }
            EventKind::Finish | EventKind::Reject | EventKind::Demote | EventKind::Promote => {}
        }
    }
    if let Some(since) = waits_since {
        push(since, reached, Doing::Waiting);
    }
    life
}

/// The same life for a bar on which nothing shorter than `least` seconds can be seen: such
/// stretches become part of what was before them.
pub(super) fn visible(life: &[Stretch], least: f64) -> Vec<Stretch> {
    let mut visible: Vec<Stretch> = Vec::new();
    for stretch in life {
        match visible.last_mut() {
            Some(last) if stretch.to - stretch.from < least || last.doing == stretch.doing => {
                last.to = stretch.to
            }
            _ => visible.push(*stretch),
        }
    }
    visible
}

/// `3`, `3–5`, `3, 5–7`: node numbers in runs.
pub(super) fn node_list(nodes: &[u32]) -> String {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes.dedup();
    let mut text = String::new();
    for run in nodes.chunk_by(|a, b| a + 1 == *b) {
        if !text.is_empty() {
            text.push_str(", ");
        }
        match *run {
            [first, .., last] => text.push_str(&format!("{first}–{last}")),
            [only] => text.push_str(&only.to_string()),
            [] => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use switchyard::cluster::ClusterSpec;
    use switchyard::engine::{SimOptions, Simulation};
    use switchyard::workload::Workload;

    /// A long job, preempted by a short one, under SRTF with a restart cost of 5 s.
    fn run() -> (Arc<Workload>, Simulation) {
        let job = |submit: f64, duration: f64| Job::plain(submit, 2, duration);
        let workload = Arc::new(Workload {
            jobs: vec![job(0.0, 100.0), job(10.0, 20.0)],
            ..Default::default()
        });
        let cluster = ClusterSpec::uniform(1, 2).unwrap();
        let context = switchyard::policies::BuildContext {
            placement: Default::default(),
            workload: &workload,
            history: None,
            picker: None,
            queues: None,
        };
        let policy = switchyard::policies::build(&"srtf".parse().unwrap(), &context);
        let options = SimOptions {
            restart_cost: 5.0,
            ..Default::default()
        };
        let mut run = Simulation::new(workload.clone(), &cluster, policy, options);
        run.run().unwrap();
        (workload, run)
    }

    #[test]
    fn a_life_is_waiting_restarting_and_running() {
        let (workload, run) = run();
        let events = events(run.log(), JobId(0), &workload.jobs[0]);
        let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
        use EventKind::{Finish, Pause, Restart, Start, Submit};
        assert_eq!(kinds, [Submit, Start, Pause, Restart, Finish]);
        let stretch = |from, to, doing| Stretch { from, to, doing };
        let life = stretches(&events, run.log(), 1000.0);
        assert_eq!(
            life,
            [
                stretch(0.0, 10.0, Doing::Running),
                stretch(10.0, 30.0, Doing::Waiting),
                stretch(30.0, 35.0, Doing::Restarting),
                stretch(35.0, 125.0, Doing::Running),
            ]
        );
        assert_eq!(visible(&life, 6.0)[1], stretch(10.0, 35.0, Doing::Waiting));
    }

    #[test]
    fn what_has_not_ended_goes_on_to_where_the_log_ends() {
        let (workload, run) = run();
        let all = events(run.log(), JobId(0), &workload.jobs[0]);
        let life = stretches(&all[..3], run.log(), 20.0);
        assert_eq!(
            life.last(),
            Some(&Stretch {
                from: 10.0,
                to: 20.0,
                doing: Doing::Waiting
            })
        );
    }

    #[test]
    fn nodes_are_listed_in_runs() {
        assert_eq!(node_list(&[5, 3, 4, 9]), "3–5, 9");
        assert_eq!(node_list(&[7]), "7");
        assert_eq!(node_list(&[]), "");
    }
}

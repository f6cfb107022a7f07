//! A cluster on which nothing waits: there the choice of a scheduler changes nothing, which is said, with what
//! would let it. Told once all runs are complete.

use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::node_groups::with_groups;
use super::services::StateProps;
use crate::draw::format;
use crate::state::change::Change;
use crate::state::{Action, AppState, Setup};
use std::rc::Rc;
use switchyard::cluster::ClusterSpec;
use switchyard::report::Summary;
use switchyard_app::options::LOADS;
use yew::prelude::*;

/// Jobs that spend less of their lives waiting do not wait.
const WAITING: f64 = 0.01;

/// A cluster of which jobs hold less has room for all of them.
const ROOM: f64 = 0.5;

/// How much of a cluster jobs are to hold that is offered instead.
const BUSY: f64 = 0.8;

/// The share of GPUs that jobs hold at most under any scheduler, if under none of them jobs wait.
fn idle(runs: &[Summary]) -> Option<f64> {
    let is_idle = |run: &Summary| {
        run.is_whole()
            && run.finished > 1
            && run.queueing.mean < WAITING * run.jct.mean
            && run.gpu_allocation < ROOM
            && run.gpu_allocation > 0.0
    };
    let held = runs.iter().map(|run| run.gpu_allocation);
    let held = held.reduce(f64::max)?;
    runs.iter().all(is_idle).then_some(held)
}

/// Groups of nodes so many times as large: none goes, and a gang of the largest size still fits.
fn resized(cluster: &ClusterSpec, times: f64, largest_gang: u32) -> Option<ClusterSpec> {
    let at = |times: f64| {
        let resized = with_groups(cluster, |groups| {
            for (group, _) in groups {
                let nodes = (f64::from(group.nodes) * times).round() as u32;
                group.nodes = nodes.clamp(1, group.nodes);
            }
            Ok(())
        });
        resized.ok()
    };
    let mut times = times;
    let mut smaller = at(times)?;
    while smaller.gpus() < largest_gang && times < 1.0 {
        times *= 1.25;
        smaller = at(times)?;
    }
    (smaller.nodes() < cluster.nodes()).then_some(smaller)
}

/// The summaries of all runs, once all are complete.
fn complete(state: &AppState) -> Option<Vec<Summary>> {
    state
        .runs
        .iter()
        .map(|run| run.summary().copied())
        .collect()
}

/// What is said of it. Always a node, if an empty one: what appears before it has a place to be put.
#[component]
pub(super) fn IdleCluster(props: &StateProps) -> Html {
    let read = use_state(|| None::<usize>);
    html! { <div role="status">{ notice(props, &read) }</div> }
}

/// What there is to say; `read`: of which trace it has been read.
fn notice(props: &StateProps, read: &UseStateHandle<Option<usize>>) -> Html {
    let StateProps { state, services } = props;
    let session = &services.session;
    let trace = state.opening.trace.as_ref();
    let here = trace.map(|trace| Rc::as_ptr(trace) as usize);
    let runs = complete(state)
        .filter(|_| **read != here)
        .unwrap_or_default();
    let (Some(trace), Some(held)) = (trace, idle(&runs)) else {
        return Html::default();
    };
    let stage = session.stage().read();
    let largest = stage.workload.jobs.iter().map(|job| job.gpus).max();
    let cluster = &state.setup.cluster;
    let smaller = resized(cluster, held / BUSY, largest.unwrap_or(1)).map(|cluster| {
        let face = format!(
            "On {}",
            format::counted(cluster.nodes().into(), "node", "nodes")
        );
        let session = session.clone();
        let take = Callback::from(move |_: MouseEvent| {
            let cluster = cluster.clone();
            session.dispatch(Action::SetUp(Change::new(move |setup: &Setup| {
                let cluster = cluster.clone();
                Ok(Setup {
                    cluster,
                    ..setup.clone()
                })
            })));
        });
        html! { <button type="button" onclick={take}>{ face }</button> }
    });
    let load = trace.choice.load();
    let hurried = format::two_digits(load * BUSY / held).min(*LOADS.end());
    let faster = (hurried > load).then(|| {
        let session = session.clone();
        let take = Callback::from(move |_: MouseEvent| {
            let choice = session.choice().with_load(hurried);
            session.choose(choice);
        });
        let face = format!("Jobs {} times as fast", format::figures(hurried));
        html! { <button type="button" title="Gaps between submissions are divided by it; jobs stay as they are" onclick={take}>{ face }</button> }
    });
    let under = match state.runs.list.as_slice() {
        [one] => one.name(),
        _ => "every scheduler",
    };
    let read = read.clone();
    let close = Callback::from(move |_: MouseEvent| read.set(here));
    html! {
        <div class="notice idle">
            <p>
                { format!(
                    "Nothing waits here: under {under} jobs start as soon as they come, since they hold {} % of the {} on average. The choice of a scheduler changes nothing. To let it matter: ",
                    format::figures(100.0 * held),
                    format::counted(cluster.gpus().into(), "GPU", "GPUs"),
                ) }
                <span class="row">{ smaller }{ faster }</span>
            </p>
            { quiet_button("Dismiss", None, sign(Icon::Close), close) }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::report::Distribution;

    fn run(wait: f64, held: f64) -> Summary {
        let distribution = |mean| Distribution {
            mean,
            ..Distribution::default()
        };
        Summary {
            jobs: 10,
            finished: 10,
            jct: distribution(1000.0),
            queueing: distribution(wait),
            gpu_allocation: held,
            ..Summary::default()
        }
    }

    #[test]
    fn a_cluster_is_idle_where_no_scheduler_lets_jobs_wait() {
        assert_eq!(idle(&[run(0.0, 0.01), run(2.0, 0.012)]), Some(0.012));
        assert_eq!(idle(&[run(0.0, 0.01), run(40.0, 0.01)]), None);
        assert_eq!(idle(&[run(0.0, 0.9)]), None, "it is busy");
        let left_behind = Summary {
            finished: 9,
            ..run(0.0, 0.01)
        };
        assert_eq!(idle(&[run(0.0, 0.01), left_behind]), None);
        assert_eq!(idle(&[]), None);
    }

    #[test]
    fn a_smaller_cluster_keeps_its_kinds_and_takes_the_largest_gang() {
        let cluster: ClusterSpec = "100x8:v100+40x4:t4".parse().expect("a cluster");
        let of = |times, gang| resized(&cluster, times, gang).map(|of| of.to_string());
        assert_eq!(of(0.1, 8).as_deref(), Some("10x8:v100+4x4:t4"));
        assert_eq!(of(0.0001, 1).as_deref(), Some("1x8:v100+1x4:t4"));
        let large = resized(&cluster, 0.01, 200).expect("a smaller one");
        assert!((200..960).contains(&large.gpus()), "{large}");
        assert_eq!(of(1.5, 8), None);
    }
}

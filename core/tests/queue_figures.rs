//! What a tree of queues did in a run, in figures worked by hand: used, borrowed, lent, asked, who waited, who was
//! preempted by whom; and what holds of them under any policy.

mod stories;
mod tenants;

use std::sync::Arc;
use switchyard::engine::RunLog;
use switchyard::queues::tree::QueueId;
use switchyard::report::{
    Outcomes, QueueMoment, QueueMoments, QueueReport, RunQueues, queues_apart,
};
use switchyard::workload::Workload;
use tenants::{spec, workload};

/// A run that has ended.
struct Scene {
    workload: Workload,
    queues: RunQueues,
    log: RunLog,
    outcomes: Outcomes,
}

impl Scene {
    fn new(policy: &str, cluster: &str, tree: &str, workload: Workload) -> Self {
        let spec = spec(policy, cluster, tree);
        let mut run = spec.start(Arc::new(workload.clone()));
        run.run().expect("it ends");
        let log = run.log().clone();
        Self {
            queues: RunQueues::of(&spec, &workload),
            outcomes: Outcomes::of(&workload, &spec.cluster, &log),
            workload,
            log,
        }
    }

    fn report(&self, parts: usize) -> QueueReport {
        QueueReport::of(
            &self.queues,
            &self.workload,
            &self.log,
            &self.outcomes,
            parts,
        )
    }

    fn id(&self, name: &str) -> QueueId {
        self.queues.tree.find(name).expect("there is one")
    }

    /// A queue at a moment: used, borrowed, lent, asked.
    fn at(&self, name: &str, moment: f64) -> [f64; 4] {
        let of: QueueMoment =
            self.queues.at(&self.workload, &self.log, moment)[self.id(name).index()];
        [of.used, of.borrowed, of.lent, of.asked]
    }

    /// From whom leaves borrow at a moment.
    fn borrowed(&self, moment: f64) -> Vec<(&str, &str, f64)> {
        let name = |id| self.queues.tree.queue(id).name.as_str();
        let pairs = self.queues.borrowed_at(&self.workload, &self.log, moment);
        let named = pairs.into_iter().map(|(leaf, from, gpus)| {
            let from = from.map_or("no quota", name);
            (name(leaf), from, gpus)
        });
        named.collect()
    }
}

/// KEP-1714, story 3: all that is used is borrowed, of the root's quota.
#[test]
fn shares_of_a_tree_are_told_at_every_level() {
    let (tree, workload) = stories::of_four_backlogs();
    let scene = Scene::new("kueue", "75x4", &tree, workload);
    for (name, used) in [("1a", 30.0), ("1b", 30.0), ("1c", 90.0), ("2a", 150.0)] {
        assert_eq!(scene.at(name, 0.0), [used, used, 0.0, 300.0], "{name}");
    }
    assert_eq!(scene.at("c1", 0.0), [150.0, 150.0, 0.0, 900.0]);
    assert_eq!(scene.at("c2", 0.0), [150.0, 150.0, 0.0, 300.0]);
    assert_eq!(scene.at("root", 0.0), [300.0, 0.0, 0.0, 1200.0]);
    let of_root = [("1a", 30.0), ("1b", 30.0), ("1c", 90.0), ("2a", 150.0)];
    let of_root = of_root.map(|(leaf, gpus)| (leaf, "root", gpus));
    assert_eq!(scene.borrowed(0.0), of_root);
    let report = scene.report(4);
    let names: Vec<(&str, u32)> = (report.queues.iter())
        .map(|of| (of.name.as_str(), of.depth))
        .collect();
    let order = [
        ("root", 0),
        ("c1", 1),
        ("1a", 2),
        ("1b", 2),
        ("1c", 2),
        ("c2", 1),
        ("2a", 2),
    ];
    assert_eq!(names[..7], order);
    let root = &report.queues[0];
    let all = 1200.0 * 1000.0 / 3600.0;
    assert!((root.own_gpu_hours - all).abs() < 1e-9 && root.quota == 300.0);
    assert_eq!(
        (root.jobs, root.finished, root.borrowed_gpu_hours),
        (1200, 1200, 0.0)
    );
}

/// Forwards, backwards and in leaps, over more events than lie between two places that are kept.
#[test]
fn moments_in_any_order_are_those_of_a_walk_from_the_beginning() {
    let (tree, workload) = stories::of_four_backlogs();
    let scene = Scene::new("kueue", "75x4", &tree, workload);
    let (workload, log) = (&scene.workload, &scene.log);
    let mut moments = QueueMoments::of(scene.queues.clone(), workload, log);
    let times = log.event_times();
    assert!(times.len() > 3 * 512);
    let end = times[times.len() - 1];
    let ways = (0..60).map(|at| f64::from(at * 37 % 60) / 60.0 * end);
    let ways = ways.chain([-1.0, end + 1.0, 0.0, end / 2.0, end / 2.0 + 1e-9]);
    assert_eq!(moments.most_beyond_quotas(), 0.0);
    let of_1c = scene.id("1c");
    let most = moments.most_used(of_1c);
    for moment in ways {
        let at = moments.at(workload, log, moment);
        assert!(at.queues[of_1c.index()].used <= most, "{moment}");
        assert_eq!(
            at.queues,
            scene.queues.at(workload, log, moment),
            "{moment}"
        );
        assert_eq!(
            at.loans,
            scene.queues.borrowed_at(workload, log, moment),
            "{moment}"
        );
    }
}

const TEAMS: &str =
    "lab\nvision parent=lab gpus=4 reclaims=any\nspeech parent=lab gpus=4 reclaims=any";

/// Vision borrows all of speech's GPUs at 0 s; speech takes three back at 10 s, for 100 s.
fn teams(policy: &str) -> Scene {
    let mut jobs = vec![("vision", 0.0, 1, 1000.0); 8];
    jobs.push(("speech", 10.0, 3, 100.0));
    Scene::new(policy, "1x8", TEAMS, workload(&jobs))
}

#[test]
fn what_is_borrowed_lent_and_asked_for_is_told_in_steps() {
    let scene = teams("kueue");
    assert_eq!(scene.at("vision", 5.0), [8.0, 4.0, 0.0, 8.0]);
    assert_eq!(scene.at("speech", 5.0), [0.0, 0.0, 4.0, 0.0]);
    assert_eq!(scene.at("vision", 20.0), [5.0, 1.0, 0.0, 8.0]);
    assert_eq!(scene.at("speech", 20.0), [3.0, 0.0, 1.0, 3.0]);
    assert_eq!(scene.at("lab", 20.0), [8.0, 0.0, 0.0, 11.0]);
    assert_eq!(scene.borrowed(20.0), [("vision", "speech", 1.0)]);
    let vision = scene.queues.tree.find("vision").expect("there is one");
    let steps = scene.queues.steps(&scene.workload, &scene.log, vision);
    let steps: Vec<[f64; 3]> = (steps.iter())
        .map(|(time, of)| [*time, of.used, of.borrowed])
        .collect();
    // Five of its jobs end at 1,000 s; the three that waited 100 s, at 1,100 s.
    let expected = [[0.0, 8.0, 4.0], [10.0, 5.0, 1.0], [110.0, 8.0, 4.0]];
    assert_eq!(steps[..3], expected);
    assert_eq!(steps[3..], [[1000.0, 3.0, 0.0], [1100.0, 0.0, 0.0]]);
}

#[test]
fn figures_of_queues_are_those_worked_by_hand() {
    let report = teams("kueue").report(11);
    let of = |name: &str| report.queue(name).expect("there is one");
    let hours = |gpu_seconds: f64| gpu_seconds / 3600.0;
    let (vision, speech, lab) = (of("vision"), of("speech"), of("lab"));
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    near(vision.executed_gpu_hours, hours(8000.0));
    // 4 for 10 s, 1 for 100 s, 4 for 890 s.
    near(vision.borrowed_gpu_hours, hours(40.0 + 100.0 + 3560.0));
    near(speech.lent_gpu_hours, vision.borrowed_gpu_hours);
    near(lab.executed_gpu_hours, hours(8300.0));
    near(lab.borrowed_gpu_hours, 0.0);
    near(vision.share, 8000.0 / 8300.0);
    // Jobs wait from 10 s to 110 s alone.
    near(vision.share_while_waiting, 5.0 / 8.0);
    near(speech.share_while_waiting, 3.0 / 8.0);
    near(vision.queueing.mean, 300.0 / 8.0);
    assert_eq!((vision.queueing.median, vision.queueing.max), (0.0, 100.0));
    assert_eq!((speech.queueing.mean, speech.jct.mean), (0.0, 100.0));
    assert_eq!((vision.jobs, speech.jobs, lab.jobs), (8, 1, 9));
    assert_eq!((vision.quota, lab.quota, lab.is_leaf), (4.0, 8.0, false));
    assert_eq!((vision.preempted, vision.preempts), (3, 0));
    assert_eq!((speech.preempted, speech.preempts), (0, 3));
    assert_eq!((lab.preempted, lab.preempts), (3, 3));
    let [between] = &report.preemptions[..] else {
        panic!("one pair");
    };
    assert_eq!(
        (&*between.queue, &*between.by, between.times),
        ("vision", "speech", 3)
    );
    assert!(report.loops.is_empty() && report.beyond_quotas_gpu_hours == 0.0);
    // Of the first 100 s, 10 are as at the beginning.
    let place = |name: &str| report.queues.iter().position(|of| of.name == name);
    let series = |name: &str| &report.over_time.queues[place(name).expect("there is one")];
    assert_eq!(
        (report.over_time.begin, report.over_time.width),
        (0.0, 100.0)
    );
    near(series("vision").used[0], 5.3);
    near(series("vision").borrowed[0], 0.4 + 0.9);
    near(series("speech").lent[0], 0.4 + 0.9);
    near(series("speech").asked[0], 2.7);
    near(series("vision").asked[0], 8.0);
    near(series("vision").used[10], 3.0);
    assert_eq!(series("lab").used.len(), 11);
}

#[test]
fn who_is_preempted_over_and_over_is_named() {
    let tree = "lab\nvision parent=lab gpus=2\nspeech parent=lab gpus=2 reclaims=any";
    let mut jobs = vec![("vision", 0.0, 4, 1000.0)];
    jobs.extend([10.0, 100.0, 200.0].map(|at| ("speech", at, 2, 20.0)));
    let report = Scene::new("kueue", "1x4", tree, workload(&jobs)).report(1);
    let [found] = &report.loops[..] else {
        panic!("one loop: {:?}", report.loops);
    };
    assert_eq!((&*found.job, &*found.queue), ("job 0", "vision"));
    assert_eq!(
        (&*found.by_queue, &found.by_job, found.times),
        ("speech", &None, 3)
    );
}

#[test]
fn two_runs_differ_by_who_waits_longer() {
    let (first, second) = (teams("kueue[preemption=none]"), teams("kueue"));
    let reports = [&first, &second].map(|of| of.report(1));
    let outcomes = [&first.outcomes, &second.outcomes];
    let apart = queues_apart(&first.queues, outcomes, [&reports[0], &reports[1]]);
    let [vision, speech] = &apart[..] else {
        panic!("two queues with jobs");
    };
    assert_eq!(
        (&*vision.name, vision.jobs, vision.wait_longer),
        ("vision", 8, 3)
    );
    assert_eq!((vision.wait_less, vision.wait_mean), (0, [0.0, 37.5]));
    assert_eq!((&*speech.name, speech.wait_less), ("speech", 1));
    // Without preemption it waits until vision's jobs end.
    assert_eq!((speech.wait_mean, speech.longer()), ([990.0, 0.0], -990.0));
    assert_eq!(speech.share_while_waiting, [0.0, 3.0 / 8.0]);
    assert_eq!(speech.quota, [4.0, 4.0]);
}

#[test]
fn gpus_count_to_the_quotas_of_their_type_and_else_to_none() {
    let tree = "lab\na parent=lab gpus.v100=1\nb parent=lab gpus.v100=3";
    let scene = Scene::new(
        "fifo",
        "1x4:v100+1x4:t4",
        tree,
        workload(&[("a", 0.0, 1, 9.0); 8]),
    );
    // Of 4 GPUs of type V100, one is its own and 3 are b's; of T4s there is no quota.
    assert_eq!(scene.at("a", 1.0), [8.0, 7.0, 0.0, 8.0]);
    assert_eq!(scene.at("b", 1.0), [0.0, 0.0, 3.0, 0.0]);
    assert_eq!(
        scene.borrowed(1.0),
        [("a", "b", 3.0), ("a", "no quota", 4.0)]
    );
    assert_eq!(
        scene
            .queues
            .beyond_quotas_at(&scene.workload, &scene.log, 1.0),
        4.0
    );
}

/// Under any policy, at every moment: what leaves use is what is used, and what they borrow is lent, or beyond all quotas.
#[test]
fn what_is_used_is_the_clusters_and_what_is_borrowed_is_lent() {
    let tree = "lab\nhear parent=lab\nsee parent=lab\nvision parent=see gpus=5 lend=3 reclaims=any within=lower-priority\nspeech parent=hear gpus=2 reclaims=any\nsound parent=hear gpus=3 lend=1\nothers parent=lab gpus=1";
    let mut jobs = Vec::new();
    for at in 0..120_u32 {
        let tenant = ["vision", "speech", "nobody", "sound"][(at * 7 % 4) as usize];
        let (submit, seconds) = (f64::from(at * 13 % 97), 10.0 + f64::from(at * 11 % 50));
        jobs.push((tenant, submit, 1 + at * 5 % 8, seconds));
    }
    jobs.sort_by(|a, b| switchyard::order::by_value(&a.1, &b.1));
    for policy in [
        "kueue",
        "kueue[fair_sharing=false]",
        "fifo",
        "srtf",
        "tiresias-las",
    ] {
        let scene = Scene::new(policy, "1x8+1x4", tree, workload(&jobs));
        let (workload, log) = (&scene.workload, &scene.log);
        let samples = log.sample_times().iter().zip(log.sample_gpus());
        for (at, (&time, &gpus)) in samples.enumerate() {
            // The last sample of a moment holds.
            if log.sample_times().get(at + 1) == Some(&time) {
                continue;
            }
            let queues = scene.queues.at(workload, log, time);
            let all = |of: fn(&QueueMoment) -> f64| -> f64 {
                let leaves = scene.queues.tree.leaves();
                leaves.map(|id| of(&queues[id.index()])).sum()
            };
            assert_eq!(all(|of| of.used), f64::from(gpus), "{policy} at {time}");
            let beyond = scene.queues.beyond_quotas_at(workload, log, time);
            let (borrowed, lent) = (all(|of| of.borrowed), all(|of| of.lent));
            assert!(
                (borrowed - lent - beyond).abs() < 1e-9,
                "{policy} at {time}"
            );
        }
        let report = scene.report(7);
        let held: f64 = scene.outcomes.service.iter().sum();
        let leaves = || report.queues.iter().filter(|of| of.is_leaf);
        let used: f64 = leaves().map(|of| of.executed_gpu_hours).sum();
        assert!((used - held / 3600.0).abs() < 1e-9);
        let borrowed: f64 = leaves().map(|of| of.borrowed_gpu_hours).sum();
        let lent: f64 = leaves().map(|of| of.lent_gpu_hours).sum();
        assert!((borrowed - lent - report.beyond_quotas_gpu_hours).abs() < 1e-9);
        // The mean of the parts is the whole.
        let parts = &report.over_time.queues[0].used;
        let whole = parts.iter().sum::<f64>() * report.over_time.width / 3600.0;
        assert!((whole - report.queues[0].executed_gpu_hours).abs() < 1e-6);
    }
}

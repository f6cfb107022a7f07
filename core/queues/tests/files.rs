//! Queues out of files of each format, and what wrong files are told.

use switchyard_queues::files::read::{Read, Unit};
use switchyard_queues::files::slurm_config;
use switchyard_queues::files::{self, Format};
use switchyard_queues::slurm::associations::Shares;
use switchyard_queues::slurm::config::{Algorithm, Reset};
use switchyard_queues::{text, tree};

const KUEUE: &str = include_str!("fixtures/kueue.yaml");
const KAI: &str = include_str!("fixtures/kai.yaml");
const VOLCANO: &str = include_str!("fixtures/volcano.yaml");
const ASSOCIATIONS: &str = include_str!("fixtures/associations.txt");
const DUMP: &str = include_str!("fixtures/dump.cfg");
const CONFIG: &str = include_str!("fixtures/config.txt");
const YARN: &str = include_str!("fixtures/capacity-scheduler.xml");

fn read(text: &str) -> Read {
    files::read(text, "file").expect("queues")
}

fn notes(read: &Read) -> Vec<String> {
    let notes = read.notes.iter();
    let notes = notes.map(|note| match note.line {
        Some(line) => format!("{line}: {}", note.what),
        None => note.what.clone(),
    });
    notes.collect()
}

/// What a file with a change is told.
fn refused(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "there is no '{old}'");
    let text = text.replacen(old, new, 1);
    let error = files::read(&text, "file").expect_err("an error");
    error.to_string()
}

#[test]
fn each_format_is_known() {
    let formats = [
        KUEUE,
        KAI,
        VOLCANO,
        ASSOCIATIONS,
        DUMP,
        CONFIG,
        YARN,
        "a gpus=8\n",
    ]
    .map(files::format);
    let expected = [
        Format::Kueue,
        Format::Kai,
        Format::Volcano,
        Format::SlurmAssociations,
        Format::SlurmAssociations,
        Format::SlurmConfig,
        Format::Yarn,
        Format::Text,
    ];
    assert_eq!(formats, expected.map(Some));
    for other in [
        "",
        "job,user\n1,a\n",
        "<html></html>",
        "kind: Node\napiVersion: v1\n",
        "{}",
    ] {
        assert_eq!(files::format(other), None, "{other}");
        let error = files::read(other, "file")
            .expect_err("an error")
            .to_string();
        assert!(
            error.ends_with("since it is nothing of Kueue, KAI, Volcano, Slurm or YARN"),
            "{error}"
        );
    }
    assert_eq!(files::format("PriorityType gpus=8\n"), Some(Format::Text));
    let settings = files::read(CONFIG, "slurm.txt").expect_err("no queues");
    assert!(
        settings
            .to_string()
            .starts_with("slurm.txt: it has settings of Slurm but no queues")
    );
}

#[test]
fn kueue_has_cohorts_flavors_and_policies() {
    let read = read(KUEUE);
    let expected = "\
        research parent=company gpus.v100=4 weight=1.5\n\
        vision parent=research gpus.v100=8 borrow=4 lend=2 cores.v100=0.5 memory.v100=64 gpus.t4=0 borrow=0 jobs=main weight=2 \
        order=strict-fifo within=lower-priority reclaims=any while-borrowing=100\n\
        speech parent=research gpus.v100=8 cores.v100=0 borrow=0 memory.v100=0 borrow=0 gpus.t4=16\n\
        company\n";
    assert_eq!(text::lines(&read.tree), expected);
    assert_eq!(
        notes(&read),
        [
            "62: ClusterQueue 'vision': 'pods' is left out: only GPUs, cores and memory are counted",
            "40: ClusterQueue 'vision': flavorFungibility is left out; flavors are tried in their order",
            "94: WorkloadPriorityClass 'high' is left out: it describes no queue",
        ]
    );
}

#[test]
fn wrong_objects_of_kueue_are_named_with_their_line() {
    let refused = |old: &str, new: &str| refused(KUEUE, old, new);
    assert_eq!(
        refused(
            "    - name: t4\n      resources",
            "    - name: a100\n      resources"
        ),
        "file, line 78, ClusterQueue 'speech': flavor 'a100' is no ResourceFlavor of this file; add one, or correct the name"
    );
    assert_eq!(
        refused("nominalQuota: 16", "nominalQuota: -16"),
        "file, line 81, ClusterQueue 'speech': nominalQuota of nvidia.com/gpu in flavor 't4' is -16, below zero; give 0 or more"
    );
    assert_eq!(
        refused("  cohortName: research\n", ""),
        "file, line 55, ClusterQueue 'vision': it has a borrowingLimit but no cohort to borrow from; name one as cohortName, or leave the limit out"
    );
    assert!(
        refused("lendingLimit: 2", "lendingLimit: 9")
            .contains("line 57, ClusterQueue 'vision': its lendingLimit is above")
    );
    assert!(refused("64Gi", "64GB").contains(
        "line 61, ClusterQueue 'vision': nominalQuota of memory in flavor 'v100' is '64GB'"
    ));
    assert!(
        refused("reclaimWithinCohort: Any", "reclaimWithinCohort: All")
            .contains("give one of Never, LowerPriority, Any")
    );
    assert!(
        refused("clusterQueue: vision", "clusterQueue: audio")
            .contains("LocalQueue 'main': its ClusterQueue 'audio' is not")
    );
    let around = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata:\n  name: company\nspec:\n  parentName: research\n";
    let error = files::read(&format!("{KUEUE}{around}"), "file")
        .expect_err("a loop")
        .to_string();
    assert!(
        error.starts_with("file, line 18, Cohort 'research': queue 'research' lies below itself"),
        "{error}"
    );
    assert!(refused("kind: Cohort", "kind: [Cohort").starts_with("file, line "));
}

#[test]
fn a_cohort_may_have_the_name_of_a_queue() {
    let text = KUEUE.replace("research", "vision");
    let read = read(&text);
    let vision = read.tree.find("vision").expect("the queue");
    assert!(read.tree.is_leaf(vision));
    let above = read.tree.queue(vision).parent.expect("a cohort");
    assert_eq!(read.tree.queue(above).name, "cohort/vision");
}

#[test]
fn kai_has_limits_weights_and_run_times() {
    let read = read(KAI);
    let expected = "\
        default parent=cluster gpus=24 borrow=0 cores=all memory=all priority=100\n\
        vision parent=default gpus=8 borrow=8 over=3 cores=2 borrow=2 memory=1 priority=200 \
        reclaim-min-runtime=5400 preempt-min-runtime=600\n\
        speech parent=default gpus=4 over=0 cores=0 borrow=0 over=0 memory=0 borrow=0 over=0 priority=100\n\
        cluster gpus=all cores=all memory=all\n";
    assert_eq!(text::lines(&read.tree), expected);
    assert_eq!(
        notes(&read),
        [
            "46: Queue 'speech': it has no limit of cpu, which KAI takes as 0: it gets none; write 'limit: -1' for no limit",
            "38: Queue 'speech': it has no limit of memory, which KAI takes as 0: it gets none; write 'limit: -1' for no limit",
            "'cluster' was put above all queues, for the limits of those at the top",
        ]
    );
    let refused = |old: &str, new: &str| refused(KAI, old, new);
    assert_eq!(
        refused("quota: 4", "quota: -4"),
        "file, line 43, Queue 'speech': quota of gpu is '-4', below zero; give 0 or more, or -1 for no limit"
    );
    assert!(
        refused("quota: 4", "quota: four").contains("quota of gpu is 'four', which is no number")
    );
    assert!(
        refused("parentQueue: default", "parentQueue: all")
            .contains("line 17, Queue 'vision': it lies below 'all', which is not in this file")
    );
    assert!(
        refused("name: speech", "name: vision")
            .contains("line 38, Queue 'vision': two queues are called")
    );
    assert!(refused("1h30m", "1.5 hours").contains("reclaimMinRuntime is '1.5 hours'"));
    assert!(
        refused(
            "name: default\nspec:",
            "name: default\nspec:\n  parentQueue: vision"
        )
        .contains("lies below itself")
    );
}

#[test]
fn volcano_has_guarantees_and_a_root() {
    let read = read(VOLCANO);
    let expected = "\
        research parent=root gpus=16 borrow=16 lend=12 weight=4 within=lower-priority reclaims=any\n\
        vision parent=research gpus=12 memory=96 priority=5 within=lower-priority reclaims=any reclaim-min-runtime=all\n\
        speech parent=research weight=2 order=strict-fifo within=lower-priority reclaims=any\n\
        root gpus=all memory=all\n";
    assert_eq!(text::lines(&read.tree), expected);
    assert_eq!(
        notes(&read),
        ["26: Queue 'vision': 'pods' is left out: only GPUs, cores and memory are counted"]
    );
    let refused = |old: &str, new: &str| refused(VOLCANO, old, new);
    assert_eq!(
        refused("    nvidia.com/gpu: 16", "    nvidia.com/gpu: 64"),
        "file, line 10, Queue 'research': deserved of nvidia.com/gpu is above its capability; lower it"
    );
    assert!(
        refused("      nvidia.com/gpu: 4", "      nvidia.com/gpu: -4")
            .contains("guarantee of nvidia.com/gpu is '-4'")
    );
    assert!(refused("weight: 4", "weight: 0").contains("line 6, Queue 'research': weight is '0'"));
    assert!(
        refused("parent: research", "parent: riches")
            .contains("it lies below 'riches', which is not in this file")
    );
}

#[test]
fn associations_are_accounts_with_users() {
    let table = read(ASSOCIATIONS);
    let expected = "\
        : cores gpus gpus.a100 memory\n\
        root cores=all gpus=all gpus.a100=all memory=all\n\
        root/root parent=root cores=all gpus=all gpus.a100=all memory=all jobs=user:root:account:root\n\
        physics parent=root cores=512 borrow=0 gpus=16 borrow=0 gpus.a100=8 borrow=0 memory=2048 borrow=0 weight=40 priority=10\n";
    assert!(
        text::lines(&table.tree).starts_with(&expected[": cores gpus gpus.a100 memory\n".len()..]),
        "{}",
        text::lines(&table.tree)
    );
    let dump = read(DUMP);
    let all = |read: &Read| -> Vec<(String, Option<String>, f64)> {
        let queues = read.tree.queues().iter();
        let of = |queue: &tree::Queue| {
            let above = queue
                .parent
                .map(|above| read.tree.queue(above).name.clone());
            (queue.name.clone(), above, queue.weight)
        };
        let mut all: Vec<_> = queues.map(of).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    };
    assert_eq!(all(&table), all(&dump));
    let names: Vec<String> = all(&table).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(
        names,
        [
            "optics",
            "optics/alice",
            "physics",
            "physics/alice",
            "physics/bob@gpu",
            "root",
            "root/root"
        ]
    );
    let of = |read: &Read, name: &str| read.members[read.tree.find(name).expect("one").index()];
    for read in [&table, &dump] {
        assert_eq!(of(read, "physics/alice").shares, Shares::Parent);
        assert!(of(read, "optics/alice").is_user && !of(read, "optics").is_user);
        assert_eq!(read.associations().users(), 4);
    }
    assert_eq!(
        notes(&table),
        [
            "4: account 'physics': its limit of 'node' is left out: only GPUs, cores and memory are counted"
        ]
    );
}

#[test]
fn associations_may_be_indented_or_say_nothing_of_what_is_above() {
    let rows = "Account|User|Share\nroot||1\n a||3\n  b||2\n   b|alice|1\n c||1\n";
    let indented = read(rows);
    let above = |read: &Read, name: &str| {
        let queue = read.tree.queue(read.tree.find(name).expect("one"));
        queue
            .parent
            .map(|above| read.tree.queue(above).name.clone())
    };
    assert_eq!(above(&indented, "b").as_deref(), Some("a"));
    assert_eq!(above(&indented, "c").as_deref(), Some("root"));
    let flat = read(&rows.replace(' ', ""));
    assert_eq!(above(&flat, "b").as_deref(), Some("root"));
    assert!(notes(&flat)[0].contains("print ParentName, too"));
}

#[test]
fn wrong_associations_are_named_with_their_line() {
    let refused_row = |old: &str, new: &str| refused(ASSOCIATIONS, old, new);
    assert_eq!(
        refused_row("|gpu|20|", "|gpu|-20|"),
        "file, line 6, user 'bob' of account 'physics': its shares are '-20'; give a whole number from 0, or parent"
    );
    assert!(
        refused_row("normal||physics", "normal||chemistry").contains(
            "line 7, account 'optics': it lies below 'chemistry', which is not in this file"
        )
    );
    assert!(
        refused_row("hpc|optics|alice", "lab|optics|alice")
            .contains("clusters 'hpc' and 'lab' are both in it")
    );
    assert!(refused_row("gres/gpu=16", "gres/gpu=-1").contains("its limit of gres/gpu is '-1'"));
    assert!(
        refused_row("hpc|physics|bob|gpu|20||||normal||", "hpc")
            .contains("line 6: the row has 1 cells")
    );
    assert!(
        refused(DUMP, "Parent - 'optics'", "Parent - 'chemistry'")
            .contains("user 'alice' of account 'chemistry': it lies below 'chemistry'")
    );
    assert!(
        refused(DUMP, "Parent - 'optics'", "optics:")
            .contains("line 10: 'optics:' is no line of a dump")
    );
    assert!(refused(ASSOCIATIONS, "|40|10|", "|40|ten|").contains("its priority is 'ten'"));
    assert!(refused(ASSOCIATIONS, "normal||root", "normal||optics").contains("lies below itself"));
}

/// Where there is one flavor, and it asks for no labels, all nodes are of it.
#[test]
fn the_only_flavor_of_kueue_is_all_nodes() {
    let file = |labels: &str| {
        format!(
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {{name: default}}\n{labels}---\n\
             apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {{name: a}}\nspec:\n  resourceGroups:\n  \
             - coveredResources: [\"nvidia.com/gpu\"]\n    flavors:\n    - name: default\n      \
             resources: [{{name: nvidia.com/gpu, nominalQuota: 8}}]\n"
        )
    };
    assert_eq!(text::line(&read(&file("")).tree), "a,gpus=8");
    let labels = "spec: {nodeLabels: {accelerator: v100}}\n";
    assert_eq!(text::line(&read(&file(labels)).tree), "a,gpus.default=8");
}

#[test]
fn settings_of_slurm_are_read() {
    let read = slurm_config::read(CONFIG, "file").expect("settings");
    let config = read.config;
    assert_eq!(
        (config.half_life, config.max_age, config.calc_period),
        (1_209_600.0, 604_800.0, 300.0)
    );
    assert_eq!(
        (config.algorithm, config.reset),
        (Algorithm::FairTree, Reset::Monthly)
    );
    assert!(config.size.favors_small && config.size.relative_to_time && config.as_given.qos);
    assert!(!config.as_given.tres && config.has_factors);
    let weights = &config.weights;
    assert_eq!(
        (weights.age, weights.fair_share, weights.job_size),
        (1000, 10_000, 500)
    );
    assert_eq!(
        (weights.partition, weights.qos, weights.association),
        (1000, 2000, 0)
    );
    assert_eq!(
        weights.tres,
        [("cpu".to_owned(), 1000.0), ("gres/gpu".to_owned(), 3000.0)]
    );
    let notes: Vec<&str> = read.notes.iter().map(|note| note.what.as_str()).collect();
    assert_eq!(notes, ["PriorityFlags: MAX_TRES left out"]);
    let refused = |old: &str, new: &str| {
        let text = CONFIG.replacen(old, new, 1);
        slurm_config::read(&text, "file")
            .expect_err("an error")
            .to_string()
    };
    assert_eq!(
        refused("14-00:00:00", "two weeks"),
        "file, line 7, PriorityDecayHalfLife: it is 'two weeks'; give a time such as 7-00:00:00 \
         (days-hours:minutes:seconds) or a number of minutes"
    );
    assert!(refused("= 10000", "= -1").contains("PriorityWeightFairShare: it is '-1'"));
    assert!(slurm_config::read("ClusterName=x\n", "file").is_err());
}

#[test]
fn yarn_has_hundredths_of_the_cluster() {
    let read = read(YARN);
    assert_eq!(read.unit, Unit::Percent);
    let expected = "\
        root gpus=100 reclaims=any\n\
        root.research parent=root gpus=80 borrow=20 over=80 reclaims=any\n\
        root.research.vision parent=root.research gpus=60 borrow=40 over=3 jobs=vision reclaims=any reclaim-min-runtime=all\n\
        root.research.speech parent=root.research gpus=20 borrow=30 jobs=speech reclaims=any\n\
        root.default parent=root gpus=20 borrow=80 over=20 jobs=default priority=2 reclaims=any\n";
    assert_eq!(text::lines(&read.tree), expected);
    assert_eq!(
        notes(&read),
        ["2 settings are left out: maximum-applications, root.default.user-limit-factor"]
    );
    let tree = read.of_cluster(|_| 64.0).expect("a tree");
    let vision = tree.find("root.research.vision").expect("one");
    let quota = tree.queue(vision).quotas[0];
    assert!((quota.nominal - 38.4).abs() < 1e-9 && quota.weight == 3.0);
}

#[test]
fn wrong_capacities_are_named_with_their_line() {
    let refused = |old: &str, new: &str| refused(YARN, old, new);
    assert_eq!(
        refused("<value>20</value>", "<value>15</value>"),
        "file, line 13, queues below 'root': their capacities add up to 95, not to 100; correct them"
    );
    assert!(
        refused("<value>20</value>", "<value>-20</value>")
            .contains("line 41, queue 'root.default': its capacity is '-20'")
    );
    assert!(
        refused("research, default", "research, other")
            .contains("queue 'root.other': it is listed below 'root' but has no capacity")
    );
    assert!(
        refused("<value>1w</value>", "<value>25</value>")
            .contains("some have weights and some hundredths")
    );
    assert!(
        refused("<value>50</value>", "<value>5</value>")
            .contains("queue 'root.research.speech': its maximum is 5")
    );
    assert!(refused("</configuration>", "").contains("it is no sound XML"));
    assert!(
        refused("research, default", "research, default, default").contains("it is listed twice")
    );
    let absolute = YARN
        .replace("<value>80<", "<value>[memory=8192,vcores=8,yarn.io/gpu=8]<")
        .replace("<value>3w<", "<value>[memory=4096,vcores=4,yarn.io/gpu=6]<")
        .replace("<value>1w<", "<value>[memory=4096,vcores=4,yarn.io/gpu=2]<")
        .replace("<value>50<", "<value>[yarn.io/gpu=4]<")
        .replace("<value>20<", "<value>[yarn.io/gpu=4]<");
    let read = read(&absolute);
    assert_eq!(read.unit, Unit::Things);
    let lines = text::lines(&read.tree);
    assert!(lines.contains("root.research.speech parent=root.research memory=4 over=4 cores=4 over=4 gpus=2 borrow=2 over=2"), "{lines}");
}

#[test]
fn labels_of_nodes_are_flavors() {
    let label = |path: &str, value: &str| {
        format!(
            "<property><name>yarn.scheduler.capacity.{path}.accessible-node-labels.a100.capacity</name><value>{value}</value></property>"
        )
    };
    let all = [
        label("root", "100"),
        label("root.research", "100"),
        label("root.research.vision", "100"),
    ];
    let read = read(&YARN.replace(
        "</configuration>",
        &format!("{}</configuration>", all.concat()),
    ));
    let lines = text::lines(&read.tree);
    assert!(lines.contains("root.research.vision parent=root.research gpus=60 borrow=40 over=3 gpus.a100=100 borrow=0 over=100"), "{lines}");
    assert!(
        lines.contains(
            "root.default parent=root gpus=20 borrow=80 over=20 gpus.a100=0 borrow=0 over=0"
        ),
        "{lines}"
    );
}

mod properties {
    use proptest::prelude::*;
    use switchyard_queues::files;

    /// Parts of each format, mixed.
    fn texts() -> impl Strategy<Value = String> {
        let all = [
            super::KUEUE,
            super::KAI,
            super::VOLCANO,
            super::ASSOCIATIONS,
            super::DUMP,
            super::YARN,
        ];
        prop::sample::select(all.to_vec()).prop_flat_map(|text| {
            let lines: Vec<&str> = text.lines().collect();
            let count = lines.len();
            let kept = prop::collection::vec(prop::bool::weighted(0.95), count);
            (Just(lines), kept, 0..count, "\\PC{0,12}").prop_map(|(lines, kept, at, noise)| {
                let mut all: Vec<String> = Vec::new();
                for (number, (line, is_kept)) in lines.iter().zip(kept).enumerate() {
                    if is_kept {
                        all.push((*line).to_owned());
                    }
                    if number == at {
                        all.push(noise.clone());
                    }
                }
                all.join("\n")
            })
        })
    }

    proptest! {
        /// No text makes a reader panic, and an error names the file.
        #[test]
        fn broken_files_are_trees_or_errors(text in texts()) {
            match files::read(&text, "broken.file") {
                Ok(read) => prop_assert!(!read.tree.queues().is_empty()),
                Err(error) => prop_assert!(error.to_string().starts_with("broken.file")),
            }
        }
    }
}

//! Experiments of papers, as far as small files tell them.

use super::{failure, json, printed, switchyard, temporary};

#[test]
fn fgd_tells_six_placements_in_json_and_in_a_table() {
    let files = ["--nodes", "openb_nodes.csv", "--pods", "openb_pods.csv"];
    let with = |more: &[&'static str]| [&["paper", "fgd"], &files[..], more].concat();
    let told = json(&with(&["--seeds", "3", "--json", "-"]));
    let rows = told["rows"].as_array().expect("rows");
    let policies: Vec<_> = rows.iter().map(|row| &row["policy"]).collect();
    assert_eq!(
        policies,
        [
            "random",
            "dot-prod",
            "gpu-clustering",
            "gpu-packing",
            "best-fit",
            "fgd"
        ]
    );
    for row in rows {
        let allocation = row["allocation_at_130"].as_f64().expect("a figure");
        let fragmentation = row["fragmentation_at_80"].as_f64().expect("a figure");
        assert!((50.0..=100.0).contains(&allocation), "{row}");
        assert!((0.0..=100.0).contains(&fragmentation), "{row}");
    }
    assert_eq!(told, json(&with(&["--seeds", "3", "--json", "-"])));
    let table = switchyard(&with(&["--seeds", "1"])).assert().success();
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    assert!(
        table.starts_with("12 pods on 5 machines, 20 GPUs\n"),
        "{table}"
    );
    assert!(table.contains("\nfgd "), "{table}");
}

#[test]
fn fgd_says_which_file_is_wrong_and_where() {
    let with = |nodes: &'static str, pods: &'static str| {
        failure(2, &["paper", "fgd", "--nodes", nodes, "--pods", pods])
    };
    assert_eq!(
        with("openb_pods.csv", "openb_pods.csv"),
        "switchyard: openb_pods.csv, line 1, column gpu: there is no such column: give the openb_node_list and the openb_pod_list of Alibaba's trace of 2023\n"
    );
    assert!(
        with("nowhere.csv", "openb_pods.csv").starts_with("switchyard: cannot read nowhere.csv: ")
    );
}

#[test]
fn gavel_tells_who_tells_types_apart() {
    let small = "paper gavel --from 5 --count 10 --seeds 1 --jobs-per-hour 4.8 --json -";
    let told = json(&small.split(' ').collect::<Vec<_>>());
    let rows = told["rows"].as_array().expect("rows");
    let hours = |policy: &str| {
        let row = rows.iter().find(|row| row["policy"] == policy);
        row.expect("a row")["mean_jct_hours"]
            .as_f64()
            .expect("a figure")
    };
    assert!(hours("gavel") < hours("las"), "{told}");
}

#[test]
fn graph_rl_tells_placements_on_workloads_held_out() {
    let arguments = "paper graph-rl --topology 2x2x8 --load 0.95 --workloads 2 --jobs-per-gpu 1";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let told = json(&[&arguments[..], &["--json", "-"]].concat());
    let rows = told["rows"].as_array().expect("rows");
    let jct = |policy: &str| {
        let row = rows.iter().find(|row| row["policy"] == policy);
        row.expect("a row")["mean_jct"].as_f64().expect("a figure")
    };
    assert!(
        jct("locality") < jct("tetris") && jct("least-interference-waiting") < jct("random"),
        "{told}"
    );
    for row in rows {
        let [low, mean, high] =
            ["low", "mean_jct", "high"].map(|of| row[of].as_f64().expect("a figure"));
        assert!(
            low < mean && mean < high && row["topology"] == "2x2x8",
            "{row}"
        );
    }
    assert!(told["fit"]["r2"].as_f64() > Some(0.5), "{told}");
    let training = json(&[&arguments[..], &["--training", "--json", "-"]].concat());
    assert_ne!(told["rows"], training["rows"]);
    assert!(
        failure(2, &["paper", "graph-rl", "--topology", "ring"]).starts_with(
            "switchyard: --topology ring: there is no such topology: use some of 4x4x8,"
        )
    );
}

/// A small trace of gangs of 1 to 16 GPUs.
fn gangs_of_many_widths() -> String {
    let path = temporary("widths.csv");
    let mut text = "submit,duration,gpus,model\n".to_owned();
    for number in 0..240u32 {
        let (gpus, model) = (
            [1, 1, 2, 4, 8, 1, 3, 16][number as usize % 8],
            ["vgg16", "resnet50"][number as usize / 3 % 2],
        );
        let duration = 600 + number * 7919 % 3000;
        text.push_str(&format!("{},{duration},{gpus},{model}\n", number * 300));
    }
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn graph_rl_tells_placements_on_windows_of_a_trace() {
    let path = gangs_of_many_widths();
    let cluster = "8x8/partitions=2/racks=2";
    let source = format!("{path}@2h..14h@{cluster}");
    let told = json(&["paper", "graph-rl", "--trace", &source, "--json", "-"]);
    let window = &told["windows"][0];
    assert_eq!(window["jobs"], 144, "{told}");
    let placements = window["placements"].as_array().expect("placements");
    let names: Vec<&str> = placements
        .iter()
        .filter_map(|of| of["policy"].as_str())
        .collect();
    let expected = "locality load-balancing congestion-aware least-interference least-interference-waiting graph-rl no-neighbours";
    // In the order of the other tables.
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let mut of_all: Vec<&str> = expected.split(' ').collect();
    of_all.sort_unstable();
    assert_eq!(sorted, of_all);
    let jct = |policy: &str| {
        let of = placements.iter().find(|of| of["policy"] == policy);
        of.expect("a placement")["mean_jct"]
            .as_f64()
            .expect("a figure")
    };
    // The same as a run of each alone.
    for placement in ["locality", "graph-rl"] {
        let run =
            "--window 2h..14h --oversized drop --contention --policy fifo[backfill=true] --json -";
        let mut run: Vec<&str> = run.split(' ').collect();
        run.extend(["--cluster", cluster, "--placement", placement]);
        let told = json(&[&["run", &path][..], &run].concat());
        assert_eq!(
            told["runs"][0]["jct"]["mean"].as_f64(),
            Some(jct(placement)),
            "{placement}"
        );
    }
    assert!(jct("no-neighbours") < jct("locality"), "{told}");
    let many = [
        "paper",
        "graph-rl",
        "--trace",
        &path,
        "--windows",
        "3",
        "--load",
        "0.5,1.2",
    ];
    let told = json(
        &[
            &many[..],
            &[
                "--policy",
                "locality,least-interference-waiting",
                "--json",
                "-",
            ],
        ]
        .concat(),
    );
    let windows = told["windows"].as_array().expect("windows");
    assert_eq!(windows.len(), 6);
    let jobs: u64 = windows.iter().filter_map(|of| of["jobs"].as_u64()).sum();
    assert_eq!(jobs, 2 * 240, "{told}");
    assert!(
        windows.iter().all(|of| of["load"].as_f64() > Some(0.3)),
        "{told}"
    );
    let locality = &told["means"][0];
    let [low, mean, high] =
        ["low", "mean", "high"].map(|of| locality["mean_jct"][of].as_f64().expect("a figure"));
    assert!(
        low < mean && mean < high && locality["policy"] == "locality",
        "{told}"
    );
    assert!(
        locality["against_rule"]["mean"].as_f64().is_some(),
        "{told}"
    );
    // Jobs that come a minute later make another figure: what a window says by chance.
    let crowded = format!("{path}@2h..14h@4x8/racks=2");
    let copies = |number: &str| {
        let asked = [
            "--policy",
            "locality,least-interference-waiting,no-neighbours",
            "--copies",
            number,
        ];
        let asked = [&["paper", "graph-rl", "--trace", &crowded], &asked[..]].concat();
        (
            json(&[&asked[..], &["--json", "-"]].concat()),
            printed(&asked),
        )
    };
    let ((one, _), (three, text)) = (copies("1"), copies("3"));
    let of =
        |told: &serde_json::Value, what: &str| told["windows"][0]["placements"][1][what].as_f64();
    assert_eq!(of(&one, "deviation"), None);
    let deviation = of(&three, "deviation").expect("a deviation");
    assert!(deviation > 0.0 && deviation < 0.3, "{three}");
    assert_ne!(of(&one, "mean_jct"), of(&three, "mean_jct"));
    assert!(
        text.contains("What differs between these is chance"),
        "{text}"
    );
    assert!(!text.contains("Nothing is to be gained"), "{text}");
    // Alone nobody is slowed.
    let roomy = format!("{path}@2h..3h@64x16");
    let asked = [
        "paper",
        "graph-rl",
        "--trace",
        &roomy,
        "--policy",
        "locality,no-neighbours",
    ];
    let text = printed(&asked);
    assert!(
        text.contains("Nothing is to be gained on 1 of 1 windows"),
        "{text}"
    );
    let empty = format!("{path}@9d..10d");
    let refused = failure(2, &["paper", "graph-rl", "--trace", &empty]);
    assert!(
        refused.contains("9d..10d") || refused.contains("777600..864000"),
        "{refused}"
    );
    std::fs::remove_file(&path).expect("the file");
}

#[test]
fn rlscheduler_tells_six_schedulers_with_and_without_backfilling() {
    let arguments = "paper rlscheduler picking.swf --cluster 1x8 --sequences 3 --length 8";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let told = json(&[&arguments[..], &["--json", "-"]].concat());
    let rows = told["rows"].as_array().expect("rows");
    let policies = rows
        .iter()
        .map(|row| (row["policy"].as_str(), row["backfill"].as_bool()));
    let expected = [false, true].into_iter().flat_map(|backfill| {
        ["fcfs", "wfp3", "uni", "sjf", "f1", "rl"].map(|policy| (Some(policy), Some(backfill)))
    });
    assert!(policies.eq(expected));
    let bsld: Vec<f64> = rows.iter().filter_map(|row| row["bsld"].as_f64()).collect();
    assert_eq!(bsld.len(), 12);
    assert!(bsld.iter().all(|&bsld| bsld >= 1.0), "{bsld:?}");
    // First come, first served wins most by backfilling.
    assert!(bsld[6] < bsld[0], "{bsld:?}");
    let table = switchyard(&arguments).assert().success();
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    assert!(
        table.contains("Mean bounded slowdown") && table.contains("7273.77"),
        "{table}"
    );
}

#[test]
fn rlscheduler_draws_another_lublin_trace() {
    let drawn = |seed: &str| {
        let arguments = ["paper", "rlscheduler", "--lublin", seed, "--sequences", "1"];
        json(&[&arguments[..], &["--length", "32", "--json", "-"]].concat())
    };
    let rows = drawn("1")["rows"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.len(), 12);
    assert_eq!(drawn("1")["rows"].as_array(), Some(&rows));
    assert_ne!(drawn("2")["rows"].as_array(), Some(&rows));
}

#[test]
fn rlscheduler_compares_on_the_later_days_of_a_gpu_trace() {
    let told = |after: &str| {
        let arguments =
            format!("paper rlscheduler picking.swf --gpu --cluster 1x8 --after {after}");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        json(&[&arguments[..], &["--json", "-"]].concat())
    };
    // 86.4 s: six jobs came before, and Tiresias is tuned by them.
    let later = told("0.001");
    assert_eq!(later["jobs"], 24);
    let rows = later["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 12);
    let row = |policy: &str| rows.iter().find(|row| row["policy"] == policy);
    for (policy, oracle) in [
        ("rl", false),
        ("tiresias-las, tuned", false),
        ("tiresias-gittins", false),
        ("sjf (oracle)", true),
    ] {
        let row = row(policy).expect("a row");
        assert_eq!(row["oracle"], oracle, "{policy}");
        let figure = |name: &str| row[name].as_f64().expect("a number");
        assert!(figure("p95_jct") > figure("mean_jct") && figure("bsld") >= 1.0);
    }
    // Nothing comes before the first.
    let all = told("0");
    assert_eq!(
        (&all["jobs"], all["rows"].as_array().map(Vec::len)),
        (&30.into(), Some(11))
    );
    // A number alone is of days.
    assert_eq!(told("1.44min")["jobs"], 24);
    let wrong = "paper rlscheduler picking.swf --gpu --after noon";
    let wrong = failure(2, &wrong.split(' ').collect::<Vec<_>>());
    assert!(
        wrong.contains("it takes a time, 0 or more: days, or 90min, 11h, 2d3h"),
        "{wrong}"
    );
    let late = "paper rlscheduler picking.swf --gpu --after 1";
    assert_eq!(
        failure(2, &late.split(' ').collect::<Vec<_>>()),
        "switchyard: picking.swf: no job comes after its first 1 days: give fewer with --after\n"
    );
}

#[test]
fn rlscheduler_says_what_it_needs() {
    let with = |more: &str| {
        let arguments = format!("paper rlscheduler picking.swf {more}");
        failure(2, &arguments.split(' ').collect::<Vec<_>>())
    };
    assert_eq!(
        with("--cluster 1x8"),
        "switchyard: picking.swf: 30 jobs, too few for sequences of 1024, which need 2050: give fewer with --length\n"
    );
    assert_eq!(
        with("--cluster 1x2"),
        "switchyard: picking.swf: a job asks for 8 processors, and 1x2 has 2: give the machine with --cluster\n"
    );
}

/// The inputs of Sia's artifact, made small: one application measured on the three types, one workload.
fn artifact_of_sia(test: &str) -> String {
    let folder = temporary(test);
    let (profile, workloads) = (
        format!("{folder}/profiles/toy"),
        format!("{folder}/workloads/philly"),
    );
    for folder in [&profile, &workloads] {
        std::fs::create_dir_all(folder).expect("the folder is there");
    }
    let write = |path: String, text: &str| std::fs::write(path, text).expect("the folder is there");
    for (kind, speed) in [("aws", 1.0), ("dgx-ext", 4.0), ("rtx", 2.0)] {
        let mut placements = "placement,local_bsz,step_time,sync_time\n".to_owned();
        for (placement, sync) in [("1", 0.0), ("2", 0.1), ("4", 0.2), ("8", 0.3), ("44", 0.5)] {
            for samples in [10.0, 40.0] {
                let step = samples / 10.0 / speed + sync;
                placements += &format!("{placement},{samples},{step},{sync}\n");
            }
        }
        write(format!("{profile}/placements-{kind}.csv"), &placements);
        let scalability = "num_nodes,num_replicas,local_bsz,step_time,sync_time\n\
            1,1,10,1,0\n1,1,40,4,0\n3,3,10,3,1\n3,3,40,9,1\n16,64,10,4,2\n16,64,40,9,2\n";
        write(format!("{profile}/scalability-{kind}.csv"), scalability);
    }
    for batch in [20, 640] {
        let epochs = "progress,iteration,grad_sqr,grad_var\n2000,100,1,9\n4000,200,1,99\n";
        write(format!("{profile}/validation-{batch}.csv"), epochs);
    }
    let mut jobs = "name,time,application,num_replicas,batch_size\n".to_owned();
    for job in 0..6 {
        jobs += &format!("toy-{job},{},toy,2,80\n", job * 90);
    }
    write(format!("{workloads}/workload-1.csv"), &jobs);
    folder
}

#[test]
fn sia_tells_who_scales_jobs_and_who_does_not() {
    let folder = artifact_of_sia("sia");
    let asked = ["paper", "sia", &folder, "--workloads", "philly"];
    let told = json(&[&asked[..], &["--json", "-"]].concat());
    let rows = told.as_array().expect("rows");
    let policies: Vec<_> = rows.iter().map(|row| &row["policy"]).collect();
    assert_eq!(policies, ["sia", "sia-as-released", "pollux", "gavel"]);
    let figure = |row: usize, name: &str| rows[row][name].as_f64().expect("a figure");
    assert!(
        figure(0, "mean_jct_hours") < figure(3, "mean_jct_hours"),
        "{told}"
    );
    assert_eq!(figure(3, "published_mean_jct_hours"), 1.9);
    assert_eq!(figure(0, "published_gpu_hours"), 4.0);
    assert_eq!(
        rows[0]["mean_jct_seconds"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(told, json(&[&asked[..], &["--json", "-"]].concat()));
    let table = printed(&[&asked[..], &["--policy", "gavel"]].concat());
    assert!(
        table.contains("\nphilly, gavel ") && table.contains("1.9 h"),
        "{table}"
    );
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[test]
fn sia_says_what_is_missing_and_what_is_wrong() {
    let folder = artifact_of_sia("sia-wrong");
    let with = |more: &[&str]| failure(2, &[&["paper", "sia", &folder], more].concat());
    let nowhere = failure(2, &["paper", "sia", "nowhere"]);
    assert!(
        nowhere.starts_with("switchyard: cannot read the folder nowhere/profiles: "),
        "{nowhere}"
    );
    let absent = with(&["--workloads", "saturn"]);
    assert!(absent.contains("workloads/saturn: "), "{absent}");
    let path = format!("{folder}/workloads/philly/workload-1.csv");
    let other = "name,time,application,num_replicas,batch_size\na,0,other,1,20\n";
    std::fs::write(&path, other).expect("it is ours");
    assert_eq!(
        with(&["--workloads", "philly"]),
        "switchyard: sia on workload 1 of philly: job a is of other, which has no profile: put its tables beside the others\n"
    );
    std::fs::write(&path, other.replace("a,0", "a,x")).expect("it is ours");
    assert_eq!(
        with(&["--workloads", "philly"]),
        format!("switchyard: {path}, line 2: time is 'x', but must be a number of at least 0\n")
    );
    assert!(
        with(&["--workloads", "philly", "--json", &path]).contains("would replace what is read")
    );
    std::fs::remove_dir_all(&folder).expect("ours");
}

/// A folder with four jobs of two models, of which one doubles its batch size, as the artifact of Shockwave writes them.
fn jobs_that_change_their_batch_size(name: &str) -> (String, String) {
    let folder = temporary(name);
    std::fs::create_dir_all(&folder).expect("the folder for such");
    let line = |what: &str, steps: u32, gpus: u32, mode: &str, arrival: u32| {
        format!(
            "{what}\tcommand\tfolder\t--steps\t1\t{steps}\t{gpus}\t{mode}\t1\t-1.0\t99\t{arrival}\n"
        )
    };
    let jobs = [
        line("LM (batch size 40)", 30_000, 1, "gns", 0),
        line("LM (batch size 80)", 9_000, 1, "static", 0),
        line("ResNet-18 (batch size 128)", 20_000, 1, "accordion", 60),
        line("LM (batch size 80)", 9_000, 2, "static", 400),
    ];
    let trace = format!("{folder}/four.trace");
    std::fs::write(&trace, jobs.concat()).expect("ours");
    let throughputs = r#"{"v100": {
        "('LM (batch size 40)', 1)": {"null": 10.0}, "('LM (batch size 80)', 1)": {"null": 6.0},
        "('LM (batch size 80)', 2)": {"null": 11.0}, "('ResNet-18 (batch size 128)', 1)": {"null": 20.0},
        "('ResNet-18 (batch size 256)', 1)": {"null": 12.0}
    }}"#;
    std::fs::write(format!("{folder}/some_throughputs.json"), throughputs).expect("ours");
    (folder, trace)
}

#[test]
fn shockwave_tells_seven_schedulers_in_json_and_in_a_table() {
    let (folder, _) = jobs_that_change_their_batch_size("shockwave-four");
    let arguments = ["paper", "shockwave", &folder, "--gpus", "2"];
    let told = json(&[&arguments[..], &["--json", "-"]].concat());
    let rows = told.as_array().expect("rows");
    let policies: Vec<_> = rows.iter().map(|row| &row["policy"]).collect();
    let all = [
        "gandiva-fair",
        "gavel",
        "mst",
        "ossp",
        "allox",
        "themis",
        "shockwave",
    ];
    assert_eq!(policies, all);
    for row in rows {
        let figure = |name: &str| row[name].as_f64().expect("a figure");
        assert!(figure("makespan") >= figure("mean_jct"), "{row}");
        assert!((0.0..=1.0).contains(&figure("utilisation")), "{row}");
        assert!((0.0..=100.0).contains(&figure("unfair")), "{row}");
        // Nothing was published of four jobs.
        assert!(row.get("published_makespan").is_none(), "{row}");
        assert!(row.get("same_jobs").is_none(), "{row}");
    }
    assert_eq!(told, json(&[&arguments[..], &["--json", "-"]].concat()));
    let table = printed(&arguments);
    assert!(table.starts_with("4 jobs on 2 GPUs: "), "{table}");
    assert!(table.contains("\nshockwave "), "{table}");
    let as_profiled = printed(&[&arguments[..], &["--profiled", "-"]].concat());
    let durations = as_profiled.lines().map(|line| line.split('\t').nth(10));
    // 9,000 steps, 746 an epoch, begin 13 epochs.
    let second: f64 = durations
        .flatten()
        .nth(1)
        .and_then(|of| of.parse().ok())
        .expect("seconds");
    assert!(
        (second - 13.0 * 59_675.0 / 80.0 / 6.0).abs() < 1e-6,
        "{as_profiled}"
    );
    std::fs::remove_dir_all(&folder).expect("ours");
}

#[test]
fn shockwave_says_which_file_is_wrong_and_where() {
    let (folder, trace) = jobs_that_change_their_batch_size("shockwave-wrong");
    let failed = |more: &[&str]| failure(2, &[&["paper", "shockwave", &folder], more].concat());
    let says = |more: &[&str], what: &str| {
        let said = failed(more);
        assert!(said.contains(what), "{said}");
    };
    says(&[], "the paper has no cluster for 4 jobs: say --gpus");
    says(&["--gpus", "1"], "job 3 wants 2 GPUs, and there are 1");
    says(
        &["--gpus", "2", "--json", &trace],
        "would replace what is read",
    );
    let speeds = format!("{folder}/some_throughputs.json");
    let of_speeds = std::fs::read_to_string(&speeds).expect("ours");
    let fewer = of_speeds.replace("('LM (batch size 80)', 2)", "('LM (batch size 80)', 4)");
    std::fs::write(&speeds, fewer).expect("ours");
    says(
        &["--gpus", "2"],
        "the throughputs have no \"LM (batch size 80)\" on 2 GPUs, which job 3 comes to",
    );
    std::fs::write(&speeds, "{}").expect("ours");
    says(
        &[],
        "some_throughputs.json: there is no object \"v100\" at the top",
    );
    std::fs::write(&speeds, of_speeds).expect("ours");
    let of_trace = std::fs::read_to_string(&trace).expect("ours");
    std::fs::write(&trace, of_trace.replace("accordion", "often")).expect("ours");
    says(
        &[],
        "four.trace: line 3, column \"mode\": \"often\" is not static, accordion or gns",
    );
    std::fs::write(format!("{folder}/five.trace"), of_trace).expect("ours");
    says(&[], "has to have a .trace of jobs, one of them, and has 2");
    std::fs::remove_dir_all(&folder).expect("ours");
    says(&[], "cannot read ");
}

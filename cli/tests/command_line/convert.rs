//! `convert`: what is written runs as what was read.

use super::{failure, json, own_application, switchyard, temporary};

#[test]
fn a_converted_trace_runs_the_same() {
    let hash = |trace: &str, more: &[&str]| {
        let mut arguments = vec!["run", trace, "--json", "-"];
        arguments.extend(more);
        let runs = json(&arguments)["runs"].clone();
        let runs = runs.as_array().expect("runs").iter();
        runs.map(|run| run["log_hash"].clone()).collect::<Vec<_>>()
    };
    let settings = [
        "--cluster",
        "4x8",
        "--policy",
        "fifo",
        "--policy",
        "tiresias-las[queues=2,thresholds=3600]",
        "--seed",
        "5",
        "--restart-cost",
        "30",
        "--placement",
        "spread",
    ];
    let expected = hash("sample:lab", &settings);
    assert_eq!(expected.len(), 2);
    for name in ["lab.csv", "lab.csv.gz"] {
        let file = temporary(name);
        let mut arguments = vec!["convert", "sample:lab", "-o", &file];
        arguments.extend(settings);
        switchyard(&arguments).assert().success();
        // The file holds all settings.
        assert_eq!(hash(&file, &[]), expected, "{name}");
        // What is asked for comes first.
        assert_eq!(hash(&file, &["--policy", "fifo"]), expected[..1], "{name}");
        std::fs::remove_file(&file).expect("it was written");
    }
    for (name, format) in [("lab.swf", "swf"), ("lab.t.csv", "tiresias")] {
        let file = temporary(name);
        switchyard(&["convert", "sample:lab", "-o", &file, "--to", format])
            .assert()
            .success();
        assert_eq!(hash(&file, &settings), expected, "{name}");
        assert_eq!(json(&["inspect", &file, "--json", "-"])["format"], format);
        std::fs::remove_file(&file).expect("it was written");
    }
}

#[test]
fn an_experiment_file_reopens_as_the_same_experiment() {
    let (application, rule) = own_application("state");
    let history = temporary("history.csv");
    std::fs::write(&history, "duration\n120\n4000.5\n").expect("the folder is there");
    let learned = format!("gittins[history={history}]");
    let results = |trace: &str, more: &[&str]| {
        let mut arguments = vec!["run", trace, "--json", "-"];
        arguments.extend(more);
        let mut results = json(&arguments);
        // The file has what a preset does, not its name; nor what the trace's format was.
        results["trace"]["format"].take();
        results["preset"].take();
        for run in results["runs"].as_array_mut().expect("runs") {
            // What depends on the machine.
            run["wall_ms"].take();
            run["log_budget"].take();
        }
        results
    };
    let plain: &[&str] = &[
        "--policy",
        "tiresias-las",
        "--policy",
        "pollux[population=5,generations=3]",
        "--cluster",
        "2x4",
    ];
    let states: &[&[&str]] = &[
        &[
            "--interference",
            "0.5",
            "--binding-seed",
            "3",
            "--seed",
            "2",
        ],
        &["--preset", "reference-osdi21", "--restart-by-model"],
        &[
            "--applications",
            "--first-start-pays",
            "--restart-cost",
            "7",
        ],
        &["--application", &application, "--binding", &rule],
        &["--policy", &learned, "--spread-slowdown", "p100"],
        &["--whole-second-epochs", "--placement", "skew"],
    ];
    let file = temporary("state.csv");
    for trace in ["tiresias.csv", "adaptdl.csv"] {
        for state in states {
            let settings = [plain, state].concat();
            let convert = [&["convert", trace, "-o", &file][..], &settings].concat();
            switchyard(&convert).assert().success();
            let expected = results(trace, &settings);
            assert_eq!(results(&file, &[]), expected, "{trace} {state:?}");
        }
    }
    // Which jobs of a larger trace they are is told; the tenants that are gone still have their
    // shares.
    let tenants = temporary("tenants.csv");
    let text = "#switchyard 1\njob,submit,duration,gpus,tenant\na,0,9,4,x\nb,1,9,4,x\nc,90,9,4,y\n";
    std::fs::write(&tenants, text).expect("the folder is there");
    let chosen = [
        "--window",
        "0..60",
        "--policy",
        "yarn-cs[elastic=false]",
        "--cluster",
        "1x8",
    ];
    let convert = [&["convert", &tenants, "-o", &file][..], &chosen].concat();
    switchyard(&convert).assert().success();
    let seen = results(&file, &[]);
    assert_eq!(seen["trace"]["choice"], serde_json::json!(["window=0..60"]));
    assert_eq!(seen, results(&tenants, &chosen));
    for file in [file, application, rule, history, tenants] {
        std::fs::remove_file(file).expect("it was written");
    }
}

#[test]
fn what_is_refused_when_read_is_not_written() {
    let file = temporary("never.csv");
    let wrong = [
        ("--restart-cost", "nan"),
        ("--restart-cost", "-1"),
        ("--interference", "1"),
        ("--interference", "-0.1"),
        ("--placement", "bogus"),
        ("--spread-slowdown", "h100"),
        ("--preset", "reference"),
        ("--policy", "lifo"),
        ("--policy", "gittins[history=nowhere.csv]"),
        ("--binding", "nowhere.json"),
        ("--application", "bad_services.csv"),
        ("--profiles", "."),
        ("--cluster", "many"),
    ];
    for (flag, value) in wrong {
        let settings = [flag, value];
        let convert = [&["convert", "tiresias.csv", "-o", &file][..], &settings].concat();
        let said = failure(2, &convert);
        assert!(!std::path::Path::new(&file).exists(), "{said}");
        for command in ["run", "compare"] {
            let same = failure(2, &[command, "tiresias.csv", flag, value]);
            assert_eq!(same, said, "{command} {settings:?}");
        }
    }
}

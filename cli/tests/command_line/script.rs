//! A scheduler of one's own on the command line.

use super::{failure, json, switchyard, temporary};

/// A script in a file of this name.
fn file(name: &str, text: &str) -> String {
    let path = temporary(&format!("{name}.rhai"));
    std::fs::write(&path, text).expect("the folder is there");
    path
}

#[test]
fn a_script_runs_beside_policies_and_says_why() {
    let text = "fn key(job, now) {\n    note(\"twice\", 2 * job.gpus);\n    job.gpus\n}\n";
    let path = file("fewest", text);
    let policy = format!("script:{path}");
    let spread = format!("script:{path}[placement=spread]");
    let arguments = [
        "run",
        "sample:lab",
        "--policy",
        "fewest-gpus",
        "--policy",
        &policy,
        "--policy",
        &spread,
        "--json",
        "-",
    ];
    let results = json(&arguments);
    let runs = results["runs"].as_array().expect("runs");
    assert_eq!(runs[0]["log_hash"], runs[1]["log_hash"]);
    assert_eq!(runs[0]["summary"], runs[1]["summary"]);
    let spec = runs[2]["policy"].as_str().expect("a spec");
    assert!(
        spec.starts_with("script[code=") && spec.ends_with("placement=spread]"),
        "{spec}"
    );
    // The spec says everything: it runs without the file.
    let again = json(&["run", "sample:lab", "--policy", spec, "--json", "-"]);
    assert_eq!(again["runs"][0]["log_hash"], runs[2]["log_hash"]);

    let why = json(&[
        "why",
        "sample:lab",
        "--job",
        "lab-001",
        "--at",
        "10",
        "--policy",
        &policy,
        "--json",
        "-",
    ]);
    let facts = why[0]["facts"].as_array().expect("facts");
    assert!(
        facts.iter().any(|fact| fact["term"] == "key (least first)"),
        "{why}"
    );
    assert!(facts.iter().any(|fact| fact["term"] == "twice"), "{why}");
}

#[test]
fn mistakes_are_told_as_compilers_do() {
    let unreadable = file("unreadable", "fn key(job, now) {\n    job.gpus +\n}\n");
    let told = failure(
        2,
        &[
            "run",
            "sample:lab",
            "--policy",
            &format!("script:{unreadable}"),
        ],
    );
    assert!(told.contains(&format!("{unreadable}:3:1: ")), "{told}");
    let running = file("running", "fn key(job, now) {\n    job.size\n}\n");
    let told = failure(
        1,
        &[
            "run",
            "sample:lab",
            "--policy",
            &format!("script:{running}"),
        ],
    );
    assert!(told.contains(&format!("{running}:2:")), "{told}");
    let told = failure(1, &["score", &running]);
    assert!(told.contains(&format!("{running}:2:")), "{told}");
    let missing = failure(2, &["run", "sample:lab", "--policy", "script:no-such.rhai"]);
    assert!(missing.contains("no-such.rhai"), "{missing}");
}

#[test]
fn a_mark_before_a_script_changes_nothing() {
    let text = "fn key(job, now) { job.gpus }";
    let hash = |text: &str| {
        let policy = format!("script:{}", file("marked", text));
        let results = json(&["run", "sample:lab", "--policy", &policy, "--json", "-"]);
        results["runs"][0]["log_hash"].clone()
    };
    assert_eq!(hash(text), hash(&format!("\u{feff}{text}")));
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_refused() {
    let pipe = temporary("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("it is there").success());
    for path in ["/dev/zero", &pipe] {
        for arguments in [
            ["--policy", &format!("script:{path}")],
            ["--policy", &format!("plugin:{path}")],
            ["--weights", path],
            ["--profiles", path],
            ["--application", path],
        ] {
            let [option, value] = arguments;
            let told = failure(2, &["run", "sample:lab", option, value]);
            assert!(
                told.contains("device or a pipe"),
                "{option}={value}: {told}"
            );
        }
        let told = failure(2, &["sweep", path]);
        assert!(told.contains("device or a pipe"), "{told}");
    }
    std::fs::remove_file(pipe).expect("it is there");
}

#[test]
fn tables_call_a_script_by_its_name_and_tell_two_apart() {
    let (one, two) = (temporary("one"), temporary("two"));
    let scripts = [(&one, "job.gpus"), (&two, "-job.gpus")];
    let policies = scripts.map(|(folder, key)| {
        std::fs::create_dir_all(folder).expect("the folder is there");
        let path = format!("{folder}/mine.rhai");
        let text = format!("fn key(job, now) {{ {key} }}");
        std::fs::write(&path, text).expect("the folder is there");
        format!("script:{path}")
    });
    let run = |more: &[&str]| {
        let asked = [
            "run",
            "sample:three-jobs",
            "--policy",
            &policies[0],
            "--policy",
            &policies[1],
            "--policy",
            &policies[0],
        ];
        let output = switchyard(&[&asked[..], more].concat()).assert().success();
        String::from_utf8_lossy(&output.get_output().stdout).into_owned()
    };
    let of_column = |csv: &str| {
        let rows = csv.lines().skip(1).filter_map(|row| row.split(',').next());
        let mut names: Vec<String> = rows.map(str::to_owned).collect();
        names.dedup();
        names
    };
    let (mine, other) = ("script[name=mine]", "script[name=mine] #2");
    assert_eq!(of_column(&run(&["--csv", "-"])), [mine, other, mine]);
    let markdown = run(&["--table", "-"]);
    assert!(
        markdown.contains(&format!("| {mine} | ")) && markdown.contains(&format!("| {other} | ")),
        "{markdown}"
    );
    for form in ["tex", "csv"] {
        let file = temporary(&format!("table.{form}"));
        run(&["--table", &file]);
        let table = std::fs::read_to_string(&file).expect("it was written");
        assert!(table.contains(mine) && table.contains("#2"), "{table}");
        assert!(!table.contains("code="), "{table}");
        std::fs::remove_file(file).expect("it was written");
    }
    let shown = run(&[]);
    let head = shown.lines().nth(2).unwrap_or_default();
    assert!(head.contains(mine) && head.contains(other), "{shown}");
    let results: serde_json::Value = serde_json::from_str(&run(&["--json", "-"])).expect("JSON");
    assert_eq!(results["runs"][1]["label"], other);
    // The spec is still the whole of it.
    let spec = results["runs"][1]["policy"].as_str().expect("a spec");
    assert!(spec.starts_with("script[code="), "{spec}");

    // What is wrong with one is told of its file and not of its namesake's.
    let broken = format!("{two}/mine.rhai");
    std::fs::write(&broken, "fn key(job, now) {\n\n  job.size\n}\n").expect("it is ours");
    let spread = format!("script:{broken}[placement=spread]");
    let told = failure(
        1,
        &[
            "run",
            "sample:lab",
            "--policy",
            &policies[0],
            "--policy",
            &spread,
        ],
    );
    assert!(
        told.contains(&format!(
            "script[name=mine,placement=spread] at 0 s: {broken}:3:"
        )) && told.contains("job 'lab-000'"),
        "{told}"
    );
    for folder in [one, two] {
        std::fs::remove_dir_all(folder).expect("ours");
    }
}

#[test]
fn a_script_is_no_plug_in_and_a_plug_in_no_script() {
    let script = file("no-module", "fn key(job, now) { 1 }");
    let told = failure(
        2,
        &["run", "sample:lab", "--policy", &format!("plugin:{script}")],
    );
    assert!(
        told.contains(&format!("{script} is no WebAssembly module"))
            && told.contains(&format!("script:{script}")),
        "{told}"
    );
    let module = file("module", "\0asm\u{1}\0\0\0");
    let told = failure(
        2,
        &["run", "sample:lab", "--policy", &format!("script:{module}")],
    );
    assert!(
        told.contains(&format!("name it as plugin:{module}")),
        "{told}"
    );
    let told = failure(2, &["run", "sample:lab", "--policy", &script]);
    assert!(
        told.contains(&format!("name it as script:{script}")),
        "{told}"
    );
    // Neither text nor module.
    std::fs::write(&script, [0xff, 0xfe, 0x00]).expect("it is ours");
    let told = failure(
        2,
        &["run", "sample:lab", "--policy", &format!("script:{script}")],
    );
    assert!(told.contains("it is no text"), "{told}");
    for file in [script, module] {
        std::fs::remove_file(file).expect("it was written");
    }
}

#[test]
fn a_draw_has_one_score_and_no_oracle_has_any() {
    let path = file(
        "las",
        "const EVERY = 60;\nfn key(job, now) { job.attained }\n",
    );
    let of = |scheduler: &str| {
        let of = [
            "score", scheduler, "--draw", "42", "--seeds", "3", "--json", "-",
        ];
        json(&of)
    };
    let score = of(&path);
    assert_eq!(score["workloads"], 3);
    assert_eq!(score["draw"], 42);
    assert!(score["low"].as_f64() < score["score"].as_f64());
    assert!(score["score"].as_f64() < score["high"].as_f64());
    let challenges = score["challenges"].as_array().expect("challenges");
    assert_eq!(challenges.len(), 10);
    let built_in = of("las");
    assert_eq!(score["score"], built_in["score"]);
    for (ours, theirs) in challenges
        .iter()
        .zip(built_in["challenges"].as_array().expect("challenges"))
    {
        assert_eq!(ours["log_hashes"], theirs["log_hashes"]);
        assert!(ours["score"].as_f64() <= ours["bound_score"].as_f64());
        let link = ours["link"].as_str().expect("a link");
        assert!(
            link.starts_with("#v=1&sample=") && link.contains("&run=script[code="),
            "{link}"
        );
    }
    // A challenge alone has the workloads that it has among all.
    let tides = [
        "score",
        &path,
        "--draw",
        "42",
        "--seeds",
        "3",
        "--challenge",
        "tides",
        "--json",
        "-",
    ];
    assert_eq!(json(&tides)["challenges"][0], challenges[1]);
    let told = failure(2, &["score", "las", "--challenge", "convoi"]);
    assert!(told.contains("did you mean 'convoy'?"), "{told}");
    assert!(failure(2, &["score", "srtf"]).contains("oracle"));
    assert!(failure(2, &["score", "las", "--draw", "1000000000000"]).contains("--draw"));
}

#[test]
fn a_score_is_over_new_workloads_and_says_how_to_have_them_again() {
    let drawn = || {
        let told = switchyard(&["score", "fifo", "--challenge", "convoy"])
            .assert()
            .success();
        let told = String::from_utf8_lossy(&told.get_output().stdout).into_owned();
        let (_, draw) = told.split_once("--draw ").expect("it says the draw");
        let draw = draw.split_whitespace().next().expect("a number").to_owned();
        (told, draw)
    };
    let ((told, draw), (_, other)) = (drawn(), drawn());
    assert_ne!(draw, other, "nobody knew them before");
    let again = switchyard(&["score", "fifo", "--challenge", "convoy", "--draw", &draw])
        .assert()
        .success();
    assert_eq!(String::from_utf8_lossy(&again.get_output().stdout), told);
}

#[test]
fn an_entry_of_the_board_is_printed_with_what_it_claims() {
    let path = file("mine", "fn key(job, now) { job.attained }\n");
    let entry = [
        "score",
        &path,
        "--challenge",
        "convoy",
        "--entry",
        "Mine",
        "--by",
        "Ada",
    ];
    let printed = json(&entry);
    let of = &printed[0];
    assert_eq!(of["name"], "Mine");
    assert_eq!(of["by"], "Ada");
    assert_eq!(of["text"], "fn key(job, now) { job.attained }\n");
    assert_eq!(of["claims"][0]["challenge"], "convoy");
    assert!(of["claims"][0]["score"].as_f64() > Some(10.0));
    assert_eq!(printed, json(&entry), "its text says its workloads");
    let told = failure(2, &["score", &path, "--entry", "Mine"]);
    assert!(told.contains("--by"), "{told}");
    let told = failure(2, &["score", "las", "--entry", "Mine", "--by", "Ada"]);
    assert!(told.contains("a script's file"), "{told}");
}

#[test]
fn who_leaves_jobs_unfinished_has_no_score() {
    let path = file("nothing", "fn plan(view) { }\n");
    let told = failure(1, &["score", &path, "--draw", "42"]);
    assert!(
        told.contains("unfinished") && told.contains("draw 42"),
        "{told}"
    );
}

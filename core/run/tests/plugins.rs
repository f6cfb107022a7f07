//! Modules that do one thing wrong each, and what their runs say.
#![cfg(feature = "plugins")]

use proptest::prelude::*;
use std::sync::Arc;
use switchyard_engine::RunError;
use switchyard_model::job::JobId;
use switchyard_model::workload::{Sample, Workload};
use switchyard_policies::{PolicySpec, plugin};
use switchyard_run::RunSpec;

/// A module of these functions: a memory of a page, where the table would be at 0 and grows to its need.
fn module(table: &str, plan: &str, explain: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(module
            (memory (export "memory") 1)
            (global $calls (mut i32) (i32.const 0))
            (func (export "table") (param $jobs i32) (param $nodes i32) (result i32) {table})
            (func (export "plan") (param $now f64) (param $jobs i32) (param $nodes i32) (result i32) {plan})
            (func (export "explain") (param $job i32) (result i32) {explain}))"#
    ))
    .expect("a test is right")
}

/// Where modules of tests write their lists: behind a table of 512 rows.
const LIST: &str = "(i32.const 49152)";
const TABLE: &str = "(i32.const 0)";

/// A plan of one action.
fn one_action(what: i32, row: i32, node: i32, gpus: i32, at: &str) -> String {
    format!(
        "(i64.store offset=0 {LIST} (i64.const 1))
        (i32.store offset=8 {LIST} (i32.const {what}))
        (i32.store offset=12 {LIST} (i32.const {row}))
        (i32.store offset=16 {LIST} (i32.const {node}))
        (i32.store offset=20 {LIST} (i32.const {gpus}))
        (f64.store offset=24 {LIST} {at})
        {LIST}"
    )
}

fn lab() -> Arc<Workload> {
    Arc::new(Sample::named("lab").expect("a test is right").workload())
}

fn spec(module: &[u8], more: &str) -> RunSpec {
    let plain = plugin::unchecked_spec(module, "test").expect("a test is right");
    let policy = plain
        .to_string()
        .replace("name=test", &format!("name=test{more}"));
    RunSpec::new(
        policy.parse().expect("a test is right"),
        "15x4".parse().expect("a test is right"),
    )
}

/// How a run of it ends.
fn ends(module: &[u8]) -> Result<(), RunError> {
    spec(module, "").start(lab()).run()
}

/// Why it ends, of one that must not get to the end.
fn why(module: &[u8]) -> String {
    ends(module)
        .expect_err("it must not get to the end")
        .to_string()
}

#[test]
fn what_a_module_does_wrong_is_said_in_words() {
    let plan = |plan: &str| why(&module(TABLE, plan, LIST));
    let loops = plan("(loop $l (br $l)) (unreachable)");
    assert!(loops.starts_with("plugin[name=test] ends at "), "{loops}");
    assert!(
        loops.contains("function plan was ended: it took too many steps"),
        "{loops}"
    );
    for (of, expected) in [
        ("(unreachable)", "function plan was ended: it gave up"),
        ("(i32.load (i32.const 70000))", "beyond its memory"),
        (
            "(i32.div_s (i32.const 1) (i32.const 0))",
            "divided a whole number by zero",
        ),
        (
            "(call 1 (f64.const 0) (i32.const 0) (i32.const 0))",
            "nested too deeply",
        ),
        ("(i32.const 65533)", "plan returned 65533, but 8 bytes"),
        ("(i32.const -1)", "plan returned 4294967295"),
        (
            "(i64.store offset=0 (i32.const 49152) (i64.const -1)) (i32.const 49152)",
            "wrote -1 actions, of at most",
        ),
        (
            "(i64.store offset=0 (i32.const 65500) (i64.const 61)) (i32.const 65500)",
            "not all within its memory of 65536",
        ),
        (
            &one_action(7, 0, 0, 0, "(f64.const 0)"),
            "action 0 the number 7, which is none",
        ),
        (
            &one_action(1, 999, 0, 0, "(f64.const 0)"),
            "an action about row 999, of 24 from 0",
        ),
        (
            &one_action(3, 0, 0, 0, "(f64.const 0)"),
            "which does not run",
        ),
        (
            &one_action(2, 0, 99, 1, "(f64.const 0)"),
            "on nodes that have no room",
        ),
        (
            &one_action(2, 0, 0, 5, "(f64.const 0)"),
            "on nodes that have no room",
        ),
        (
            &one_action(2, 0, 0, 0, "(f64.const 0)"),
            "with 0 GPUs on node 0",
        ),
        (
            &one_action(4, 0, 0, 0, "(f64.const nan)"),
            "a time that is no number",
        ),
        (
            &one_action(4, 0, 0, 0, "(f64.const 0)"),
            "none runs, though it was asked 1000 times",
        ),
    ] {
        let module = module(TABLE, of, LIST);
        let why = ends(&module).map_err(|error| error.to_string());
        assert!(
            why.as_ref().is_err_and(|why| why.contains(expected)),
            "{expected}: {why:?}"
        );
    }
    let table = why(&module("(i32.const 60000)", LIST, LIST));
    assert!(
        table.contains("function table returned 60000, but"),
        "{table}"
    );
    // A list of nothing: nobody ever runs, however often it is asked.
    let idle = spec(&module(TABLE, LIST, LIST), ",quantum=60")
        .start(lab())
        .run();
    assert!(idle.unwrap_err().to_string().contains("none runs"));
}

#[test]
fn what_is_no_plug_in_is_refused_in_words() {
    let refused = |wat: &str| {
        let module = wat::parse_str(wat).unwrap();
        let why = spec(&module, "").check().unwrap_err().to_string();
        assert!(ends(&module).is_err());
        why
    };
    let imports = refused(r#"(module (import "env" "abort" (func (param i32))))"#);
    assert!(imports.contains("imports 'env.abort'"), "{imports}");
    let memory = refused("(module)");
    assert!(memory.contains("does not export its memory"), "{memory}");
    let table = refused(r#"(module (memory (export "memory") 1) (func (export "table")))"#);
    assert!(
        table.contains("export the function table(jobs: i32, nodes: i32) -> i32"),
        "{table}"
    );
    let large = refused(
        r#"(module (memory (export "memory") 60000)
            (func (export "table") (param i32 i32) (result i32) (i32.const 0))
            (func (export "plan") (param f64 i32 i32) (result i32) (i32.const 0))
            (func (export "explain") (param i32) (result i32) (i32.const 0)))"#,
    );
    assert!(large.contains("cannot be set up"), "{large}");
    let start = refused(
        r#"(module (memory (export "memory") 1)
            (func $begin (loop $l (br $l))) (start $begin)
            (func (export "table") (param i32 i32) (result i32) (i32.const 0))
            (func (export "plan") (param f64 i32 i32) (result i32) (i32.const 0))
            (func (export "explain") (param i32) (result i32) (i32.const 0)))"#,
    );
    assert!(
        start.contains("cannot be set up: it took too many steps"),
        "{start}"
    );
    let why = spec(b"\0asm but not really", "")
        .check()
        .unwrap_err()
        .to_string();
    assert!(why.contains("no valid WebAssembly"), "{why}");
    let mut damaged = spec(&module(TABLE, LIST, LIST), "");
    damaged.policy = "plugin[code=AAAA]".parse().unwrap();
    assert!(damaged.check().unwrap_err().to_string().contains("damaged"));
}

#[test]
fn memory_grows_to_its_limit_and_no_further() {
    // It takes a page whenever it gets one; then it gives up.
    let grows = module(
        TABLE,
        "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
        (if (i32.ne (memory.size) (i32.const 1024)) (then (return (i32.const -1))))
        (unreachable)",
        LIST,
    );
    assert!(why(&grows).contains("it gave up"));
}

/// Starts the first row whenever there is one that waits.
fn first_come() -> Vec<u8> {
    module(
        TABLE,
        &format!(
            "(if (i32.eqz (local.get $jobs)) (then
                (i64.store {LIST} (i64.const 0)) (return {LIST})))
            {}",
            one_action(4, 0, 0, 0, "(f64.const inf)")
        ),
        // A term, and a count of the calls in memory, which is undone.
        &format!(
            "(i32.store (i32.const 65000) (i32.add (i32.const 1) (i32.load (i32.const 65000))))
            (i64.store {LIST} (i64.const 2))
            (i32.store offset=8 {LIST} (i32.const 65100))
            (i32.store offset=12 {LIST} (i32.const 2))
            (i32.store16 (i32.const 65100) (i32.const 0xE5AF))
            (f64.store offset=16 {LIST} (f64.convert_i32_s (i32.load (i32.const 65000))))
            (i32.store offset=24 {LIST} (i32.const 0))
            (i32.store offset=28 {LIST} (i32.const 0))
            (f64.store offset=32 {LIST} (f64.const 0.25))
            {LIST}"
        ),
    )
}

#[test]
fn explanations_are_bounded_and_change_nothing() {
    let mut run = spec(&first_come(), "").start(lab());
    run.step().unwrap();
    for _ in 0..3 {
        let why = run.explain(JobId(0), run.progress().now);
        let facts: Vec<_> = why
            .facts
            .iter()
            .map(|of| (of.term.as_str(), of.in_seconds()))
            .collect();
        // Bytes that are no UTF-8 are shown as such.
        assert_eq!(
            facts,
            [
                ("\u{fffd}\u{fffd}", "1".to_owned()),
                ("", "0.25".to_owned())
            ]
        );
    }
    let mut run = spec(&module(TABLE, LIST, "(i32.const -8)"), "").start(lab());
    run.step().unwrap();
    let why = run.explain(JobId(0), run.progress().now);
    assert!(
        why.facts[0]
            .in_seconds()
            .contains("function explain returned")
    );
}

/// Makes a module's NaNs show: their bits decide whether it gives up.
#[test]
fn the_bits_of_nans_are_the_same_everywhere() {
    let nan = |of: &str| {
        let test = format!(
            "(if (i64.eq (i64.reinterpret_f64 {of}) (i64.const 0x7ff8000000000000)) (then (unreachable)))
            (i32.const -1)"
        );
        why(&module(TABLE, &test, LIST))
    };
    for of in [
        "(f64.div (f64.const 0) (f64.const 0))",
        "(f64.sqrt (f64.const -1))",
        "(f64.sub (f64.const inf) (f64.const inf))",
        "(f64.add (f64.const nan:0x4000000000001) (f64.const 1))",
        "(f64.promote_f32 (f32.div (f32.const 0) (f32.const 0)))",
    ] {
        assert!(nan(of).contains("it gave up"), "{of}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_a_module_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.extend(bytes);
        prop_assert!(spec(&module, "").check().is_err());
    }

    #[test]
    fn any_word_is_a_module_or_refused(code in "[A-Za-z0-9_-]{1,200}") {
        let spec: PolicySpec = format!("plugin[code={code}]").parse().unwrap();
        prop_assert!(spec.check_code().is_err());
    }

    /// Whatever a module writes, its run ends.
    #[test]
    fn any_list_is_a_plan_or_refused(list in proptest::collection::vec(any::<u8>(), 0..400), count in 0..20u8) {
        let mut bytes = vec![count, 0, 0, 0, 0, 0, 0, 0];
        // Whats, rows, nodes and GPUs that are often there.
        bytes.extend(list.iter().enumerate().map(|(i, byte)| match i % 4 {
            0 => byte % 6,
            _ if byte % 16 > 0 => 0,
            _ => *byte,
        }));
        let data: String = bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        let wat = format!(
            r#"(module
                (memory (export "memory") 1)
                (data (i32.const 49152) "{data}")
                (func (export "table") (param i32 i32) (result i32) (i32.const 0))
                (func (export "plan") (param f64 i32 i32) (result i32) (i32.const 49152))
                (func (export "explain") (param i32) (result i32) (i32.const 49152)))"#
        );
        let mut run = spec(&wat::parse_str(wat).unwrap(), "").start(lab());
        if let Err(error) = run.run() {
            prop_assert!(error.to_string().contains("plugin[name=test]"), "{}", error);
        }
        run.explain(JobId(0), run.progress().now);
    }
}

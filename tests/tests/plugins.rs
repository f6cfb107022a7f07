//! Plug-ins do to the bit what their built-in siblings do, natively and in wasm, as they were built once
//! and, natively, as they are built here from `examples/plugins`; and nothing that is no plug-in, or a
//! damaged one, ends otherwise than with an error.

use switchyard_tests::{cases, plugins};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Runs a plug-in and its sibling.
fn is_its_sibling(plugin: &str, sibling: &str, on: &[&str]) {
    for case in cases().iter().filter(|case| on.contains(&case.name())) {
        let (own, its) = (case.log_hash(plugin), case.log_hash(sibling));
        assert_eq!(own, its, "{sibling} on {}", case.name());
    }
}

#[test]
fn plugins_give_the_same_bits_everywhere() {
    for (sibling, plugin) in plugins::specs() {
        is_its_sibling(plugin, sibling, &["lab", "failing"]);
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod built_here {
    use super::is_its_sibling;
    use std::path::Path;
    use std::process::Command;
    use std::sync::Arc;
    use switchyard::RunSpec;
    use switchyard::policies::plugin;
    use switchyard::workload::Sample;

    /// Where nodes are of one kind: elsewhere siblings count GPUs by their kinds, the examples all of them.
    const ALIKE: [&str; 5] = ["lab", "cluster", "slow", "linked", "failing"];

    fn root() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    fn build(command: &mut Command) {
        let done = command.output().expect("there is a compiler");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
    }

    /// The example in Rust, where the wasm target is installed.
    fn las() -> Option<Vec<u8>> {
        let out = root().join("target/plugins");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--release", "--target", "wasm32-unknown-unknown"])
            .arg("--target-dir")
            .arg(&out)
            .current_dir(root().join("examples/plugins/rust"));
        // What this test was built with says nothing about wasm.
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
            cargo.env_remove(name);
        }
        let libraries = Command::new("rustc")
            .args([
                "--print",
                "target-libdir",
                "--target",
                "wasm32-unknown-unknown",
            ])
            .current_dir(root())
            .output()
            .expect("there is a compiler");
        let libraries = String::from_utf8_lossy(&libraries.stdout).trim().to_owned();
        if !Path::new(&libraries).is_dir() {
            eprintln!("the wasm target is not installed: `cargo xtask setup` does that");
            return None;
        }
        build(&mut cargo);
        let built = out.join("wasm32-unknown-unknown/release/switchyard_plugin_las.wasm");
        Some(std::fs::read(built).expect("it has been built"))
    }

    /// The example in AssemblyScript, where its compiler is installed.
    fn srtf() -> Option<Vec<u8>> {
        let compiler = root().join("tests/e2e/node_modules/assemblyscript/bin/asc.js");
        if !compiler.is_file() {
            eprintln!("AssemblyScript is not installed: `cargo xtask setup` does that");
            return None;
        }
        let out = root().join("target/plugins");
        std::fs::create_dir_all(&out).expect("there is a target folder");
        let out = out.join("srtf.wasm");
        let mut node = Command::new("node");
        node.arg(compiler)
            .arg(root().join("examples/plugins/assemblyscript/srtf.ts"))
            .args(["-O3", "--runtime", "stub", "--use", "abort=", "--outFile"])
            .arg(&out);
        build(&mut node);
        Some(std::fs::read(out).expect("it has been built"))
    }

    /// The spec of a module, with more parameters.
    fn spec(module: &[u8], more: &str) -> String {
        let spec = plugin::spec(module, "built here").expect("it is a plug-in");
        spec.to_string().replace(']', &format!(",{more}]"))
    }

    #[test]
    fn the_example_in_rust_is_las() {
        if let Some(module) = las() {
            is_its_sibling(&spec(&module, "quantum=60"), "las", &ALIKE);
        }
    }

    #[test]
    fn the_example_in_assemblyscript_is_srtf() {
        if let Some(module) = srtf() {
            is_its_sibling(&spec(&module, "oracle=true"), "srtf", &ALIKE);
        }
    }

    /// Bytes changed at random: most make no module, and what is one runs to its end or an error.
    #[test]
    fn damaged_modules_end_in_an_error_or_in_a_run() {
        let Some(module) = las() else { return };
        let sample = Sample::named("three-jobs").expect("a sample");
        let workload = Arc::new(sample.workload());
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        let mut draw = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let (mut refused, mut ended, mut done) = (0, 0, 0);
        for _ in 0..2_000 {
            let mut damaged = module.clone();
            for _ in 0..=draw(4) {
                let at = draw(damaged.len());
                damaged[at] = draw(256) as u8;
            }
            let policy = match plugin::spec(&damaged, "damaged") {
                Ok(policy) => policy,
                Err(mistake) => {
                    assert!(!mistake.what.is_empty());
                    refused += 1;
                    continue;
                }
            };
            let spec = RunSpec::new(policy, sample.cluster_spec());
            let mut run = spec.start(workload.clone());
            match run.run() {
                Ok(()) => done += 1,
                Err(_) => ended += 1,
            }
            assert!(run.log().events() < 10_000);
        }
        assert!(
            refused > 0 && ended > 0 && done > 0,
            "{refused} {ended} {done}"
        );
    }
}

//! `cargo xtask test`: every check there is, or some of them.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};

use crate::setup::{Need, Toolbox};
use crate::workspace::WITH_PARQUET;
use crate::{build, setup, shell, workspace};

/// Which checks to run.
#[derive(Args)]
pub(crate) struct Options {
    /// These alone, separated by commas
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    only: Vec<Step>,
    /// The long tests too: a training, more walks, more sizes and themes. `tests/long.txt` says when they last passed
    #[arg(long)]
    long: bool,
}

/// A group of checks that can be asked for alone, the quickest to fail first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// The code is formatted.
    Fmt,
    /// The crates of others may be used, and nothing bad is known of them (deny.toml).
    Deny,
    /// Clippy has nothing to say, natively and for wasm.
    Clippy,
    /// Tests and documentation examples, natively.
    Native,
    /// The Python package as a wheel, and its tests.
    Python,
    /// Tests in Node and in a browser.
    Wasm,
    /// The page as it is served and as it is published, in browsers, beside the command line tool.
    E2e,
}

impl Step {
    fn needs(self) -> &'static [Need] {
        match self {
            Self::Fmt => &[],
            Self::Deny => &[Need::Deny],
            Self::Clippy => &[Need::WasmStd],
            // Examples of plug-ins are built for wasm, one by AssemblyScript.
            Self::Native => &[
                Need::Nextest,
                Need::Nvrtc,
                Need::WasmStd,
                Need::NodePackages,
            ],
            Self::Python => &[Need::Python],
            Self::Wasm => &[Need::WasmStd, Need::Browser, Need::WasmBindgen],
            Self::E2e => &[
                Need::WasmStd,
                Need::WasmOpt,
                Need::Browser,
                Need::OtherBrowsers,
                Need::NodePackages,
                Need::BundlePackages,
                Need::WasmBindgen,
                Need::Trunk,
            ],
        }
    }
}

/// How long fetching the advisories may take.
const FETCH: Duration = Duration::from_secs(60);

/// The packages whose tests run as wasm too.
const WASM_PACKAGES: [&str; 4] = ["-p", "switchyard-web", "-p", "switchyard-tests"];
const WASM_TARGET: [&str; 2] = ["--target", "wasm32-unknown-unknown"];

/// The workspace of what trains (`train/`).
const TRAINING: [&str; 2] = ["--manifest-path", "train/Cargo.toml"];

/// When the long tests last passed, and how many tests there were with them.
const LAST_LONG: &str = "tests/long.txt";

/// Runs the steps asked for, all of them even where one fails, and sums up.
pub(crate) fn test(options: &Options) -> Result<ExitCode> {
    let steps = match options.only.as_slice() {
        [] => Step::value_variants(),
        only => only,
    };
    let needs: Vec<Need> =
        steps
            .iter()
            .flat_map(|step| step.needs())
            .fold(Vec::new(), |mut needs, need| {
                if !needs.contains(need) {
                    needs.push(*need);
                }
                needs
            });
    let traces = traces()?;
    let toolbox = setup::toolbox(&needs)?;
    let start = Instant::now();
    let lane = |output| Lane {
        toolbox: &toolbox,
        traces: traces.as_deref(),
        is_long: options.long,
        output,
        checks: Vec::new(),
    };
    // What is built natively and what is built as wasm goes into folders of its own, so that neither waits for
    // the other; whole-program optimisation, which takes one core, then leaves none idle.
    let output = match steps {
        [Step::Fmt | Step::Deny | Step::Native | Step::Python | Step::Wasm] => Output::AsItComes,
        _ => Output::Whole,
    };
    let (mut native, mut web) = (lane(output), lane(output));
    let is_built = std::thread::scope(|scope| {
        let is_built = scope.spawn(|| web.in_wasm(steps));
        native.natively(steps)?;
        is_built
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    // Alone: two files of them at a time leave no core idle.
    let mut last = lane(Output::AsItComes);
    if is_built {
        last.browser_tests()?;
    }
    let checks = [native.checks, web.checks, last.checks].concat();
    let total = sum_up(&checks, start.elapsed(), traces.as_deref());
    let file = workspace::root().join(LAST_LONG);
    if !options.long {
        print!(
            "long tests were left out (--long); with them: {}",
            shell::read(&file)?
        );
    } else if total.failed == 0 && options.only.is_empty() {
        let commit = shell::output(shell::command("git").args(["log", "-1", "--format=%cs, %h"]))?;
        shell::write(&file, format!("{commit}: {total}\n"))?;
    }
    Ok(match total.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// The folder of real traces, which are not part of the repository.
fn traces() -> Result<Option<PathBuf>> {
    if let Some(named) = std::env::var_os("SWITCHYARD_TRACES").filter(|name| !name.is_empty()) {
        let folder = std::path::absolute(named)?;
        ensure!(
            folder.is_dir(),
            "SWITCHYARD_TRACES names {}, which is no folder",
            folder.display()
        );
        return Ok(Some(folder));
    }
    let usual = workspace::root().join("traces");
    Ok(usual.is_dir().then_some(usual))
}

/// How the tests of one command ended.
#[derive(Default, Clone, Copy, PartialEq, Debug)]
struct Tally {
    passed: u64,
    failed: u64,
    /// Failed beside others, and tried again alone.
    again: u64,
    skipped: u64,
}

impl Tally {
    /// Adds up the summaries of cargo's test harness, of nextest, of pytest and of Node.
    fn read(output: &str) -> Self {
        let mut tally = Self::default();
        for line in output.lines() {
            let line = without_colours(line);
            let words: Vec<&str> = line
                .split([' ', ',', ';'])
                .filter(|word| !word.is_empty())
                .collect();
            match words.as_slice() {
                // "test result: ok. 5 passed; 0 failed; 1 ignored; …" and
                // "Summary [ 0.1s] 5 tests run: 5 passed (1 slow), 1 skipped"
                ["test", "result:", ..] | ["Summary", ..] => tally.count_pairs(&words),
                // "==== 1 failed, 5 passed in 92.03s (0:01:32) ===="
                [from, .., to] if is_rule(from) && is_rule(to) && words.contains(&"in") => {
                    tally.count_pairs(&words);
                }
                // "ℹ pass 5", or "# pass 5" where there is no terminal
                ["ℹ" | "#", what, number] => tally.count(what, number),
                _ => {}
            }
        }
        tally
    }

    fn count_pairs(&mut self, words: &[&str]) {
        for pair in words.windows(2) {
            self.count(pair[1], pair[0]);
        }
    }

    fn count(&mut self, what: &str, number: &str) {
        let Ok(number) = number.parse::<u64>() else {
            return;
        };
        match what {
            "passed" | "pass" => self.passed += number,
            "failed" | "fail" | "cancelled" | "timed" => self.failed += number,
            "skipped" | "ignored" | "todo" => self.skipped += number,
            _ => {}
        }
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, tally| Self {
            passed: sum.passed + tally.passed,
            failed: sum.failed + tally.failed,
            again: sum.again + tally.again,
            skipped: sum.skipped + tally.skipped,
        })
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.again > 0 {
            write!(f, ", {} failed and tried again", self.again)?;
        }
        if self.skipped > 0 {
            write!(f, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

/// Whether pytest draws a line with it.
fn is_rule(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|byte| byte == b'=')
}

/// A line without the escape sequences that colour it on a terminal.
fn without_colours(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let text = piece.split_once('m').map_or("", |(_, text)| text);
        plain.push_str(text);
    }
    plain
}

/// A check that has run.
#[derive(Clone)]
struct Check {
    name: &'static str,
    tally: Tally,
    took: Duration,
}

/// How the output of a check is shown.
#[derive(Clone, Copy, PartialEq)]
enum Output {
    AsItComes,
    /// Where others run at the same time: when it has ended.
    Whole,
}

/// Checks that run one after the other.
struct Lane<'a> {
    toolbox: &'a Toolbox,
    traces: Option<&'a Path>,
    is_long: bool,
    output: Output,
    checks: Vec<Check>,
}

impl Lane<'_> {
    /// What is built natively.
    fn natively(&mut self, steps: &[Step]) -> Result<()> {
        for step in steps {
            match step {
                Step::Fmt => self.fmt()?,
                Step::Deny => self.deny()?,
                Step::Clippy => self.clippy()?,
                Step::Native => self.native()?,
                Step::Python => self.python()?,
                Step::Wasm => {}
                Step::E2e => self.command_line_tool()?,
            }
        }
        Ok(())
    }

    /// What is built as wasm; says whether there are pages that browser tests were asked to look at.
    fn in_wasm(&mut self, steps: &[Step]) -> Result<bool> {
        let mut is_built = false;
        for step in steps {
            match step {
                Step::Clippy => self.clippy_for_wasm()?,
                Step::Wasm => self.wasm()?,
                Step::E2e => is_built = self.pages()?,
                Step::Fmt | Step::Deny | Step::Native | Step::Python => {}
            }
        }
        Ok(is_built)
    }

    fn fmt(&mut self) -> Result<()> {
        let mut fmt = self.toolbox.command("cargo")?;
        fmt.args(["fmt", "--all", "--check"]);
        self.check("fmt", fmt)?;

        let mut training = self.toolbox.command("cargo")?;
        training.args(["fmt", "--check"]).args(TRAINING);
        self.check("fmt of training", training)
    }

    fn deny(&mut self) -> Result<()> {
        let mut crates = self.toolbox.command("cargo-deny")?;
        crates.args(["--locked", "check", "licenses", "bans", "sources"]);
        self.check("licences, bans and sources of crates", crates)?;

        let mut training = self.toolbox.command("cargo-deny")?;
        training.args(TRAINING).args(["--config", "deny.toml"]);
        training.args(["--locked", "check", "licenses", "bans", "sources"]);
        self.check("the same of training's", training)?;

        let mut database = self.toolbox.command("cargo-deny")?;
        if let Err(error) = shell::run_within(FETCH, database.args(["fetch", "db"])) {
            println!("advisories are not checked, their database cannot be fetched: {error:#}");
            return Ok(());
        }
        let mut advisories = self.toolbox.command("cargo-deny")?;
        advisories.args(["--locked", "--offline", "check", "advisories"]);
        self.check("advisories on crates", advisories)?;

        let mut training = self.toolbox.command("cargo-deny")?;
        training.args(TRAINING).args(["--config", "deny.toml"]);
        training.args(["--locked", "--offline", "check", "advisories"]);
        self.check("advisories on training's", training)
    }

    fn clippy(&mut self) -> Result<()> {
        let mut native = self.toolbox.command("cargo")?;
        native
            .args(["clippy", "--workspace", "--all-targets"])
            .args(WITH_PARQUET)
            .args([
                "--features",
                "switchyard-web/columnar,switchyard-web/scripts",
            ])
            .args(["--", "-D", "warnings"]);
        self.check("clippy", native)?;

        let mut training = self.toolbox.command("cargo")?;
        training.args(["clippy", "--locked", "--all-targets"]);
        training.args(TRAINING).args(["--", "-D", "warnings"]);
        self.check("clippy of training", training)
    }

    fn clippy_for_wasm(&mut self) -> Result<()> {
        let mut wasm = self.toolbox.wasm_command("cargo")?;
        wasm.args(["clippy", "--all-targets"])
            .args(WASM_PACKAGES)
            .args(WASM_TARGET)
            .args(["--", "-D", "warnings"]);
        self.check("clippy for wasm", wasm)
    }

    fn native(&mut self) -> Result<()> {
        let mut tests = self.toolbox.command("cargo")?;
        tests.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
        tests.args(WITH_PARQUET);
        tests.arg("--no-tests=pass");
        if self.traces.is_some() {
            // What is ignored waits for traces, but for what takes hours.
            tests.args(["--run-ignored", "all", "-E", "not test(by_name)"]);
        }
        self.check("native tests", tests)?;

        let mut examples = self.toolbox.command("cargo")?;
        examples.args(["test", "--workspace", "--doc"]);
        examples.args(WITH_PARQUET);
        self.check("documentation examples", examples)?;

        if !self.is_long {
            return Ok(());
        }
        let mut training = self.toolbox.command("cargo")?;
        // A short training is among them.
        training
            .args(["test", "--release", "--locked"])
            .args(TRAINING);
        self.check("tests of training", training)
    }

    /// A wheel in an environment that had none: with debug assertions, of what other steps have compiled; where time is
    /// no matter, as people build it.
    fn python(&mut self) -> Result<()> {
        let Some(python) = self.toolbox.python() else {
            eprintln!("error: set-up says why there is no Python to test the package with");
            let name = "tests of the Python package";
            self.record(name, Instant::now(), false, Tally::default());
            return Ok(());
        };
        self.command_line_tool()?;
        let wheels = workspace::root().join("target/wheels");
        if wheels.is_dir() {
            std::fs::remove_dir_all(&wheels)?;
        }
        let mut build = self.toolbox.command(&python)?;
        build.args(["-m", "maturin", "build", "--locked", "--profile"]);
        build.arg(if self.is_long { "release" } else { "dev" });
        build.args(["--manifest-path", "python/Cargo.toml", "--interpreter"]);
        build.arg(&python).arg("--out").arg(&wheels);
        self.check("build of the wheel", build)?;
        let Some(wheel) = std::fs::read_dir(&wheels)?.flatten().next() else {
            return Ok(());
        };

        let mut install = self.toolbox.command(&python)?;
        install.args(["-m", "pip", "install", "--quiet", "--no-deps"]);
        install.args(["--disable-pip-version-check", "--force-reinstall"]);
        self.check("installing the wheel", {
            install.arg(wheel.path());
            install
        })?;

        let mut tests = self.toolbox.command(&python)?;
        tests
            .args(["-m", "pytest", "-p", "no:cacheprovider", "--durations=5"])
            .arg(workspace::root().join("python/tests"))
            .env("SWITCHYARD_WHEEL", wheel.path());
        self.check("tests of the Python package", tests)
    }

    /// A test file that says `run_in_browser` runs in the browser alone, every other one in both.
    fn wasm(&mut self) -> Result<()> {
        let mut node = self.wasm_tests()?;
        node.env("WASM_BINDGEN_TEST_ONLY_NODE", "1");
        self.check("wasm tests in Node", node)?;

        // In a worker, as the page's engine is. A page that simulates does not answer the driver, which waits 30 s.
        let mut browser = self.wasm_tests()?;
        browser.env("WASM_BINDGEN_USE_DEDICATED_WORKER", "1");
        self.check("wasm tests in Chromium", browser)
    }

    fn wasm_tests(&self) -> Result<Command> {
        let mut tests = self.toolbox.wasm_command("cargo")?;
        tests
            .args(["test", "--tests", "--no-fail-fast"])
            .args(WASM_PACKAGES)
            .args(WASM_TARGET)
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
                "wasm-bindgen-test-runner",
            )
            // In seconds, for one file: whole simulations take longer than the default 20, and others build meanwhile.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "1200")
            // Until the driver answers: others build meanwhile.
            .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
        Ok(tests)
    }

    /// What the package and the page are compared with. Of the workspace, with all its features, as native tests
    /// have built it.
    fn command_line_tool(&mut self) -> Result<()> {
        let mut cli = self.toolbox.command("cargo")?;
        cli.args(["build", "--workspace", "--bin", "switchyard"]);
        cli.args(WITH_PARQUET);
        cli.args(["--target-dir", "target"]);
        self.check("build of the command line tool", cli)
    }

    /// The page as it is served for development and as it is published; says whether there are both.
    fn pages(&mut self) -> Result<bool> {
        let as_served = self.build("build of the page as served", build::build_as_served)?;
        Ok(self.build("build of the page", build::build)? && as_served)
    }

    /// Several files at a time. What failed beside others is tried again alone, and the summary says so: many failures
    /// are no accident of a busy machine, and stand.
    fn browser_tests(&mut self) -> Result<()> {
        let at_once = std::thread::available_parallelism()?.get();
        let failed = workspace::root().join("target/failed-browser-tests.txt");
        // What stands there is of another run, should this one not come to its end.
        shell::write(&failed, "")?;
        let tests = self.browser_tests_of(&test_files()?, at_once, &failed)?;
        self.check("browser tests", tests)?;
        let files: Vec<PathBuf> = shell::read(&failed)?.lines().map(PathBuf::from).collect();
        if (1..=MOST_AGAIN).contains(&files.len())
            && let Some(check) = self.checks.last_mut()
        {
            check.tally.again = std::mem::take(&mut check.tally.failed);
            let alone = self.browser_tests_of(&files, 1, &failed)?;
            self.check("files with failures, alone", alone)?;
        }
        Ok(())
    }

    /// Runs files of browser tests, and writes into `failed` in which a test failed.
    fn browser_tests_of(
        &self,
        files: &[PathBuf],
        at_once: usize,
        failed: &Path,
    ) -> Result<Command> {
        let mut tests = self.toolbox.command("node")?;
        tests
            .args([
                "--test",
                "--test-reporter=spec",
                "--test-reporter-destination=stdout",
            ])
            .arg(format!(
                "--test-reporter={}",
                workspace::e2e().join("failed_files.mjs").display()
            ))
            .arg(format!("--test-reporter-destination={}", failed.display()))
            .arg(format!("--test-concurrency={at_once}"))
            .args(files)
            .env("SWITCHYARD_CLI", workspace::debug_program("switchyard"));
        if self.is_long {
            tests.env("SWITCHYARD_LONG", "1");
        }
        Ok(tests)
    }

    /// Builds a page, and says whether there is one.
    fn build(&mut self, name: &'static str, build: fn(&Toolbox) -> Result<()>) -> Result<bool> {
        self.announce(name);
        let start = Instant::now();
        let built = if self.output == Output::AsItComes {
            build(self.toolbox)
        } else {
            let log = workspace::root().join("target/build.log");
            let built = build(&self.toolbox.writing_to(&log)?);
            show(name, &shell::read(&log)?);
            built
        };
        if let Err(error) = &built {
            eprintln!("error: {name}: {error:#}");
        }
        self.record(name, start, built.is_ok(), Tally::default());
        Ok(built.is_ok())
    }

    /// Runs a check and keeps how it ended.
    fn check(&mut self, name: &'static str, mut command: Command) -> Result<()> {
        self.announce(name);
        if let Some(traces) = self.traces {
            command.env("SWITCHYARD_TRACES", traces);
        }
        let start = Instant::now();
        let is_shown = self.output == Output::AsItComes;
        let (status, output) = shell::run_and_keep(&mut command, is_shown)?;
        if !is_shown {
            show(name, &output);
        }
        self.record(name, start, status.success(), Tally::read(&output));
        Ok(())
    }

    fn announce(&self, name: &str) {
        match self.output {
            Output::AsItComes => println!("\n=== {name}"),
            Output::Whole => println!("... {name}"),
        }
    }

    /// What counts no tests is one check by itself, and so is what fails with no test to blame.
    fn record(&mut self, name: &'static str, start: Instant, success: bool, mut tally: Tally) {
        if !success {
            tally.failed = tally.failed.max(1);
        } else if tally == Tally::default() {
            tally.passed = 1;
        }
        self.checks.push(Check {
            name,
            tally,
            took: start.elapsed(),
        });
    }
}

/// In one piece, whatever others print meanwhile.
fn show(name: &str, output: &str) {
    print!("\n=== {name}\n{output}\n");
}

fn sum_up(checks: &[Check], took: Duration, traces: Option<&Path>) -> Tally {
    println!("\n=== summary");
    for check in checks {
        let seconds = check.took.as_secs_f64();
        println!("{:<32}{seconds:>8.1} s   {}", check.name, check.tally);
    }
    match traces {
        Some(folder) => println!("traces from {}", folder.display()),
        None => println!(
            "tests with real traces were SKIPPED: there are none (SWITCHYARD_TRACES names \
             their folder)"
        ),
    }
    let total: Tally = checks.iter().map(|check| check.tally).sum();
    println!("{total}, in {:.0} s", took.as_secs_f64());
    total
}

/// The most files whose tests are tried again.
const MOST_AGAIN: usize = 3;

/// The browser tests that take minutes: begun first, so that at the end no core waits for one of them.
const LONG: &str = "walk.test.mjs";

/// The browser tests, in the order of their names but for the long ones.
fn test_files() -> Result<Vec<PathBuf>> {
    let folder = workspace::e2e();
    let mut files = Vec::new();
    for entry in
        std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort_by_key(|path| (!path.ends_with(LONG), path.clone()));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: u64, failed: u64, skipped: u64) -> Tally {
        Tally {
            passed,
            failed,
            again: 0,
            skipped,
        }
    }

    #[test]
    fn reads_every_harness() {
        let cargo = "test result: FAILED. 5 passed; 2 failed; 1 ignored; 0 measured; 0 filtered \
                     out; finished in 0.01s";
        assert_eq!(Tally::read(cargo), tally(5, 2, 1));
        let nextest = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.1s] 7 tests run: 5 passed (1 slow), \
                       1 failed, 1 timed out, 3 skipped";
        assert_eq!(Tally::read(nextest), tally(5, 2, 3));
        let node =
            "ℹ tests 4\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0\nℹ todo 0";
        assert_eq!(Tally::read(node), tally(2, 2, 0));
        let pytest = "===== 1 failed, 5 passed, 2 skipped in 0.12s =====\n\
                      == 3 passed in 1s ==\n===== 2 passed in 92.03s (0:01:32) =====";
        assert_eq!(Tally::read(pytest), tally(7, 1, 2));
    }

    #[test]
    fn what_only_looks_like_a_summary_does_not_count() {
        assert_eq!(Tally::read("3 passed by"), Tally::default());
    }
}

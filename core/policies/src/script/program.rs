//! From a text to a script that can be asked: it is parsed, what stands at its top is evaluated once, and
//! what its functions read of jobs is looked up, so that a number is not worked out again that
//! cannot have changed.

use super::budget::{Budget, Limits};
use super::direct::Direct;
use super::host::{self, Host};
use super::job::Job;
use super::jobs::{self, Jobs};
use super::language::{self, ended, mistake, unreadable};
use super::places::{self, Suspects, head};
use super::readings::{self, Readings};
use super::refusal::refuse;
use super::seen::{self, Seen};
use super::text::LONGEST;
use super::training;
use super::values::{self, number};
use crate::board::{Board, Named};
use crate::by_key::{Changes, Keys, key_fact};
use crate::job::JobId;
use crate::job_properties::PROPERTIES;
use crate::notes::Notes;
use crate::{Cadence, Every};
use rhai::{
    AST, ASTNode, CallFnOptions, Dynamic, Engine, EvalAltResult, Expr, INT, OptimizationLevel,
    Position, Scope, Stmt,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use switchyard_engine::{Mistake, Plan, View};
use switchyard_explain::Fact;
use switchyard_model::draw::Rng;

/// The function that gives a job a number.
const KEY: &str = "key";
/// The function that decides the whole.
const PLAN: &str = "plan";

/// Calls `key` for many jobs at once: calling it from outside costs more than most keys.
const MANY: &str =
    "fn switchyard_keys(jobs, now) { for job in jobs { switchyard_key(key(job, now)); } }";
const MANY_NAME: &str = "switchyard_keys";
const ONE_NAME: &str = "switchyard_key";

/// A script that has been read, with an engine of its own.
pub struct Script {
    engine: Engine,
    ast: AST,
    limits: Limits,
    budget: Rc<Budget>,
    host: Rc<RefCell<Host>>,
    readings: Rc<Readings>,
    says: Says,
    reads: Reads,
    /// It decides the whole.
    pub(super) is_plan: bool,
    /// Where `key` or `plan` stands.
    head: Position,
    /// `key` without the interpreter, and how many keys are still compared with it.
    direct: Option<Direct>,
    doubtful: Cell<usize>,
    /// What to name where Rhai gives no place.
    suspects: Suspects,
}

/// So many keys are worked out both ways; after a difference all are left to the interpreter.
const COMPARED: usize = 256;

/// What a script says of itself at its top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Says {
    /// Running jobs give way: `PREEMPTIVE`.
    pub(super) preemptive: bool,
    /// Jobs that fit overtake jobs that do not: `BACKFILL`.
    pub(super) backfill: bool,
    /// Seconds after which it is asked besides every event; 0: never: `EVERY`.
    pub(super) every: f64,
    /// It wants to see true durations: `ORACLE`.
    pub(crate) oracle: bool,
    /// It trains adaptive jobs: `ADAPTIVE`.
    pub(crate) adaptive: bool,
}

/// What its functions read.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    /// When a key may change.
    pub(super) changes: Changes,
    /// Jobs' names, or those of their tenants.
    pub(super) names: bool,
    /// Which of [`PROPERTIES`].
    properties: Vec<usize>,
}

impl Script {
    /// Reads a text; `oracle`: it may see true durations.
    ///
    /// # Errors
    ///
    /// The first mistake in it.
    pub fn new(text: &str, oracle: bool) -> Result<Self, Mistake> {
        Self::within(text, oracle, Limits::default())
    }

    /// The same, with other limits.
    ///
    /// # Errors
    ///
    /// The first mistake in it.
    pub fn within(text: &str, oracle: bool, limits: Limits) -> Result<Self, Mistake> {
        let text = plain(text);
        if text.len() > LONGEST {
            let long = "the script is longer than 64 KB: shorten it";
            return Err(mistake(Position::NONE, long));
        }
        let host = Rc::new(RefCell::new(Host::default()));
        let budget = Rc::new(Budget::new(limits));
        let readings = Rc::new(Readings::default());
        let mut engine = engine(limits, &host, &budget, &readings);
        engine.set_optimization_level(OptimizationLevel::None);
        let plain = engine.compile(text).map_err(|error| unreadable(&error))?;
        allowed(&plain)?;
        let mut top = Scope::new();
        engine
            .run_ast_with_scope(&mut top, &plain)
            .map_err(|error| ended(error, limits, &plain))?;
        let is_plan = Self::level(&plain, text)?;
        let head = head(text, if is_plan { PLAN } else { KEY });
        let says = Says::of(&top, &plain)?;
        if says.oracle && !oracle {
            let what = "the script says `ORACLE`, but its policy does not: add oracle=true to the spec, so that everybody can see it";
            return Err(mistake(places::constant(&plain, "ORACLE"), what));
        }
        // What stands at the top is a constant to functions, worked into them.
        let mut constants = Scope::new();
        for (name, _, value) in top.iter_raw() {
            constants.push_constant_dynamic(name, value.clone());
        }
        engine.set_optimization_level(OptimizationLevel::Simple);
        let ast = engine.compile_with_scope(&constants, text);
        let ast = ast.map_err(|error| unreadable(&error))?;
        let many = engine.compile(MANY).map_err(|error| unreadable(&error))?;
        let functions = ast.clone_functions_only();
        let ast = functions.merge(&many);
        let to = Rc::clone(&readings);
        #[allow(
            deprecated,
            reason = "marked so since it may change; the version is bound"
        )]
        engine.on_var(move |name, _, context| {
            if to.is_on() {
                to.note(name, context.scope().get(name));
            }
            Ok(constants.get(name).cloned())
        });
        Ok(Self {
            reads: Reads::of(&functions),
            suspects: Suspects::of(&plain),
            direct: Direct::of(&functions, KEY).filter(|_| !is_plan),
            doubtful: Cell::new(COMPARED),
            engine,
            ast,
            limits,
            budget,
            host,
            readings,
            says,
            is_plan,
            head,
        })
    }

    /// Whether a text defines `plan`, and not `key`.
    fn level(ast: &AST, text: &str) -> Result<bool, Mistake> {
        let has = |name: &str, parameters: usize| {
            let mut functions = ast.iter_functions();
            functions.any(|function| function.name == name && function.params.len() == parameters)
        };
        let place = |name| head(text, name);
        match (has(KEY, 2), has(PLAN, 1)) {
            (true, false) => Ok(false),
            (false, true) => Ok(true),
            (true, true) => Err(mistake(
                place(PLAN),
                "there are both `key` and `plan`: `plan` decides the whole, so call the other something else",
            )),
            (false, false) => {
                let mut functions = ast.iter_functions();
                let of = functions.find(|of| of.name == KEY || of.name == PLAN);
                let Some(of) = of else {
                    let what = "there is neither `fn key(job, now)`, which gives a job a number (least first), nor `fn plan(view)`, which decides the whole: define one of them";
                    return Err(mistake(Position::new(1, 1), what));
                };
                let takes = if of.name == KEY { "job, now" } else { "view" };
                let what = format!(
                    "`{name}` takes ({}): it must take ({takes})",
                    of.params.join(", "),
                    name = of.name
                );
                Err(mistake(place(of.name), what))
            }
        }
    }

    pub(crate) fn says(&self) -> Says {
        self.says
    }

    /// The numbers of jobs, in their order, by the interpreter.
    fn interpreted(
        &self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        keys.clear();
        let of = |&job: &JobId| Job::asked(view, job, self.reads.names);
        let asked: Vec<Job> = jobs.iter().map(of).collect();
        {
            let mut host = self.host.borrow_mut();
            std::mem::swap(&mut host.keys, keys);
            host.rng = rng.clone();
        }
        let now = view.now().seconds();
        let asked = Jobs(Rc::new(asked));
        let called = self.call(&asked, now);
        {
            let mut host = self.host.borrow_mut();
            std::mem::swap(&mut host.keys, keys);
            *rng = host.rng.clone();
        }
        called.map_err(|error| {
            let is_spent = self.budget.is_spent();
            let mut mistake = self.placed(error);
            // So many have their keys: it was at the next.
            let at = keys.len();
            if let Some((&job, facts)) = jobs.get(at).zip(asked.0.get(at)) {
                let mut values = readings::properties(facts, &self.reads.properties);
                if !is_spent {
                    values.extend(self.variables_of(facts, now, rng));
                }
                let name = view.name(job);
                let job = Named { id: job, name };
                let values = readings::in_brackets(&values);
                mistake.what = format!("{}{values}: {}", job.called(), mistake.what);
            }
            mistake
        })?;
        if keys.len() != jobs.len() {
            return Err(mistake(self.head, "it gave keys of its own"));
        }
        Ok(())
    }

    /// Has the keys of jobs written down.
    fn call(&self, jobs: &Jobs, now: f64) -> Result<(), Box<EvalAltResult>> {
        self.budget.renew();
        let (scope, asked) = (&mut Scope::new(), (jobs.clone(), now));
        self.engine.call_fn(scope, &self.ast, MANY_NAME, asked)
    }

    /// The variables that a key which has ended had read, from working it out once more. None where chance
    /// has a part in it, since that would be another one.
    fn variables_of(&self, job: &Job, now: f64, rng: &Rng) -> Vec<String> {
        let notes = {
            let mut host = self.host.borrow_mut();
            host.rng = rng.clone();
            host.notes.take()
        };
        self.readings.begin(true);
        let again = self.call(&Jobs(Rc::new(vec![job.clone()])), now);
        let variables = self.readings.variables();
        self.readings.begin(false);
        let mut host = self.host.borrow_mut();
        host.notes = notes;
        match again.is_err() && host.rng == *rng {
            true => variables,
            false => Vec::new(),
        }
    }

    /// What ended it, at its place. A mistake in what calls the script is one of its head; one to which Rhai
    /// gives no place is at a suspect, or at the head.
    fn placed(&self, error: Box<EvalAltResult>) -> Mistake {
        let suspect = self.suspects.at(&error);
        let mut of = ended(error, self.limits, &self.ast);
        let at = match of.line {
            _ if of.what.starts_with(NO_NUMBER) => self.head,
            0 => suspect.unwrap_or(self.head),
            _ => return of,
        };
        of.line = at.line().unwrap_or(0) as u32;
        of.column = at.position().unwrap_or(1) as u32;
        of
    }

    /// What the script noted of a job, and of all, when it was last asked.
    pub(super) fn noted(&self, job: JobId) -> Vec<Fact> {
        self.host.borrow().told(job)
    }

    /// The whole, decided on a board: its plan.
    pub(super) fn decide(
        &self,
        seen: Seen,
        board: Board,
        jobs: BTreeMap<JobId, Job>,
        rng: &mut Rng,
        state: &mut Dynamic,
    ) -> Result<Plan, Mistake> {
        {
            let mut host = self.host.borrow_mut();
            host.rng = rng.clone();
            host.board = Some(board);
            host.jobs = jobs;
            host.notes = Some(Notes::default());
        }
        self.budget.renew();
        self.readings.begin(false);
        let options = CallFnOptions::new().eval_ast(false).bind_this_ptr(state);
        let scope = &mut Scope::new();
        let called =
            self.engine
                .call_fn_with_options::<Dynamic>(options, scope, &self.ast, PLAN, (seen,));
        let mut host = self.host.borrow_mut();
        *rng = host.rng.clone();
        let board = host.board.take();
        called.map(drop).map_err(|error| {
            let mut mistake = self.placed(error);
            let job = self.readings.job().and_then(|job| host.jobs.get(&job));
            if let Some(job) = job.filter(|_| !mistake.what.contains("job '")) {
                let values = readings::properties(job, &self.reads.properties);
                let values = readings::in_brackets(&values);
                mistake.what += &format!(
                    "; the last that it had looked at was {}{values}",
                    job.called()
                );
            }
            mistake
        })?;
        Ok(board.map(Board::into_plan).unwrap_or_default())
    }
}

impl Keys for Script {
    fn cadence(&self) -> Cadence {
        self.says.cadence()
    }

    fn changes(&self) -> Changes {
        self.reads.changes
    }

    fn keys(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        keys.clear();
        let direct = self.direct.as_ref();
        if let Some(direct) = direct.filter(|_| self.doubtful.get() == 0) {
            keys.extend(jobs.iter().map_while(|&job| direct.key(view, job)));
        }
        if keys.len() == jobs.len() {
            return Ok(());
        }
        self.interpreted(view, rng, jobs, keys)?;
        if let Some(direct) = direct.filter(|_| self.doubtful.get() <= COMPARED) {
            let mut both = jobs.iter().zip(&*keys);
            let differs = |(&job, key): (&JobId, &f64)| {
                direct
                    .key(view, job)
                    .is_some_and(|of| of.to_bits() != key.to_bits())
            };
            let left = match both.any(differs) {
                true => usize::MAX,
                false => self.doubtful.get().saturating_sub(jobs.len()),
            };
            self.doubtful.set(left);
        }
        Ok(())
    }

    /// With what the script notes on the way.
    fn told(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        self.host.borrow_mut().notes = Some(Notes::default());
        let mut keys = Vec::new();
        // A copy: asking changes nothing.
        let mut rng = self.host.borrow().rng.clone();
        let called = self.interpreted(view, &mut rng, &[job], &mut keys);
        let notes = self.noted(job);
        self.host.borrow_mut().notes = None;
        let key = called.map(|()| keys.first()).transpose();
        let key = key.map(|key| key_fact(key.map(|&key| values::number_in_words(key))));
        key.into_iter().chain(notes).collect()
    }
}

/// Without the mark that some editors put before a text.
pub(crate) fn plain(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// An engine with all that a script may use.
fn engine(
    limits: Limits,
    host: &Rc<RefCell<Host>>,
    budget: &Rc<Budget>,
    readings: &Rc<Readings>,
) -> Engine {
    let mut engine = language::engine(limits, budget);
    jobs::register(&mut engine, budget, readings);
    training::register(&mut engine);
    host::register(&mut engine, host, budget);
    seen::register(&mut engine);
    register(&mut engine, host);
    engine
}

/// What Rhai calls without having it registered, and no script needs.
const FORBIDDEN: &[&str] = &["curry", "eval", "is_def_fn", "is_def_var", "is_shared"];

/// Whether a script keeps to what `docs/scripts.md` names, where Rhai alone would not see to it.
fn allowed(script: &AST) -> Result<(), Mistake> {
    let mut found = Ok(());
    script.walk(&mut |path: &[ASTNode<'_>]| {
        let (call, at) = match path.last() {
            Some(ASTNode::Stmt(Stmt::FnCall(call, at))) => (call, *at),
            Some(ASTNode::Expr(Expr::FnCall(call, at) | Expr::MethodCall(call, at))) => (call, *at),
            _ => {
                if let Some(at) = values::foreign(path) {
                    let what = "an array or map cannot stand here: give it a name with let";
                    found = Err(mistake(at, what));
                }
                return found.is_ok();
            }
        };
        if FORBIDDEN.contains(&call.name.as_str()) {
            let what = format!("there is no function {}", call.name);
            found = Err(mistake(at, what));
        }
        found.is_ok()
    });
    found
}

const NO_NUMBER: &str = "`key` gives";

fn register(engine: &mut Engine, host: &Rc<RefCell<Host>>) {
    let to = Rc::clone(host);
    engine.register_fn(ONE_NAME, move |key: Dynamic| {
        let Some(key) = number(&key) else {
            let of = key.type_name();
            let what = format!("{NO_NUMBER} a value of type {of}: it must give a number");
            return Err(refuse(what));
        };
        if key.is_nan() {
            let what = format!("{NO_NUMBER} NaN, which has no place in an order");
            return Err(refuse(what));
        }
        to.borrow_mut().keys.push(key);
        Ok(())
    });
}

impl Says {
    /// On every change, and so often besides.
    pub(super) fn cadence(self) -> Cadence {
        Cadence {
            on_change: true,
            every: (self.every > 0.0).then_some(Every {
                seconds: self.every,
                parameter: "EVERY",
                while_all_run: false,
            }),
        }
    }

    fn of(top: &Scope<'_>, script: &AST) -> Result<Self, Mistake> {
        let switch = |name: &str, default: bool| match top.get(name) {
            None => Ok(default),
            Some(value) => value.as_bool().map_err(|of| {
                mistake(
                    places::constant(script, name),
                    format!("{name} is of type {of}: it takes true or false"),
                )
            }),
        };
        let preemptive = switch("PREEMPTIVE", true)?;
        let every = match top.get("EVERY") {
            None => 0.0,
            Some(value) => {
                let number = value
                    .as_float()
                    .or_else(|_| value.as_int().map(|n: INT| n as f64));
                let number = number.ok().filter(|n| (1.0..=1e6).contains(n) || *n == 0.0);
                number.ok_or_else(|| {
                    let what = "EVERY takes a number of seconds from 1 to 1,000,000, or 0 for none";
                    mistake(places::constant(script, "EVERY"), what)
                })?
            }
        };
        Ok(Self {
            preemptive,
            backfill: switch("BACKFILL", preemptive)?,
            every,
            oracle: switch("ORACLE", false)?,
            adaptive: switch("ADAPTIVE", false)?,
        })
    }
}

impl Reads {
    /// More than it may read, at most: other values' properties count as jobs'.
    fn of(ast: &AST) -> Self {
        let mut reads = Self::default();
        let now = ast.iter_functions().find(|function| function.name == KEY);
        let now = now.and_then(|function| function.params.get(1).copied());
        let now = now.unwrap_or_default().to_owned();
        ast.walk(&mut |path: &[ASTNode<'_>]| {
            let is_random = |name: &str| name == "random";
            let expr = match path.last() {
                Some(ASTNode::Expr(expr)) => *expr,
                Some(ASTNode::Stmt(Stmt::FnCall(call, _))) if is_random(&call.name) => {
                    reads.changes = Changes::Always;
                    return true;
                }
                _ => return true,
            };
            let changes = match expr {
                Expr::Property(of, _) => {
                    let name = of.2.as_str();
                    reads.names |= ["name", "tenant_name"].contains(&name);
                    let known = PROPERTIES.iter().position(|property| property.name == name);
                    if let Some(at) = known.filter(|at| !reads.properties.contains(at)) {
                        reads.properties.push(at);
                    }
                    known.map_or(Changes::Never, |at| PROPERTIES[at].changes)
                }
                Expr::Variable(of, ..) if of.1.as_str() == now => Changes::Always,
                Expr::FnCall(call, _) if is_random(&call.name) => Changes::Always,
                _ => Changes::Never,
            };
            reads.changes = reads.changes.max(changes);
            true
        });
        reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::EXAMPLES;
    use std::collections::BTreeSet;

    #[test]
    fn keys_of_numbers_need_no_interpreter() {
        for example in EXAMPLES {
            let script = Script::new(example.text, true).unwrap();
            assert_eq!(script.direct.is_some(), !script.is_plan, "{}", example.name);
        }
        let more = "const T = 3250.0;\nfn level(x) { if x < T { return 0.0; } log2(x / T) }\nfn key(job, now) { let x = job.attained; x += level(x); x }";
        assert!(Script::new(more, false).unwrap().direct.is_some());
        for left in [
            "random()",
            "job.name.len()",
            "let n = 0; for i in 0..3 { n += i; } n",
        ] {
            let text = format!("fn key(job, now) {{ {left} }}");
            assert!(
                Script::new(&text, false).unwrap().direct.is_none(),
                "{left}"
            );
        }
    }

    #[test]
    fn what_a_key_reads_says_when_it_changes() {
        let changes = |body: &str| {
            let text = format!("fn key(job, t) {{ {body} }}");
            Script::new(&text, false).unwrap().reads.changes
        };
        assert_eq!(changes("job.gpus + job.submit"), Changes::Never);
        assert_eq!(changes("job.attained"), Changes::Running);
        for always in [
            "t",
            "job.waited",
            "random()",
            "if job.running { 1 } else { 2 }",
        ] {
            assert_eq!(changes(always), Changes::Always, "{always}");
        }
    }

    /// The engine of scripts, and what is left of a decision on it.
    fn bare() -> (Engine, Rc<Budget>) {
        let limits = Limits::default();
        let budget = Rc::new(Budget::new(limits));
        (
            engine(limits, &Rc::default(), &budget, &Rc::default()),
            budget,
        )
    }

    #[test]
    fn a_mark_before_a_text_changes_nothing() {
        let text = "fn key(job, now) { job.gpus }";
        let marked = Script::spec(&format!("\u{feff}{text}"), "a").unwrap();
        assert_eq!(marked, Script::spec(text, "a").unwrap());
        let mistake = Script::new("\u{feff}fn key(job, now) { job. }", false).err();
        assert_eq!(mistake.map(|of| (of.line, of.column)), Some((1, 25)));
    }

    #[test]
    fn scripts_have_what_the_docs_name_and_no_more() {
        const DOCS: &str = include_str!("../../../../docs/scripts.md");
        let names =
            bare()
                .0
                .collect_fn_metadata(None, |of| Some(of.metadata.name.to_string()), true);
        let names: BTreeSet<&str> = names
            .iter()
            .map(|name| name.strip_prefix("get$").unwrap_or(name))
            .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
            .filter(|&name| name != ONE_NAME)
            .collect();
        let prose = DOCS.split("## Challenges").next().unwrap();
        // Code stands at every second place between backticks; blocks have three of them.
        let code: Vec<&str> = prose.split('`').skip(1).step_by(2).collect();
        let words = |text: &'static str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            text.split(move |c| !is_part(c))
                .filter(|word| !word.is_empty())
        };
        let named: BTreeSet<&str> = code.iter().flat_map(|code| words(code)).collect();
        for name in &names {
            assert!(named.contains(name), "docs/scripts.md does not name {name}");
        }
        // `filter(|job| …)` in code is a call.
        let ours = [KEY, PLAN, "train", "Fn", "call", "type_of"];
        let mut calls = 0;
        for code in code {
            for (at, _) in code.match_indices('(') {
                let Some(name) = words(&code[..at]).next_back() else {
                    continue;
                };
                if !code[..at].ends_with(name) {
                    continue;
                }
                calls += 1;
                assert!(
                    names.contains(name) || ours.contains(&name),
                    "there is no {name}"
                );
            }
        }
        assert!(calls > 50, "{calls}");
        for gone in [
            "sleep",
            "timestamp",
            "eval",
            "print",
            "debug",
            "parse_json",
            "exit",
        ] {
            assert!(!names.contains(gone), "{gone}");
        }
    }

    #[test]
    fn what_rhai_alone_would_allow_is_refused() {
        for body in [
            "sleep(1)",
            "sleep(1e308)",
            "eval(\"1\")",
            "print(1)",
            "debug(1)",
            "timestamp()",
            "exit(1)",
            "parse_json(\"[]\")",
            "let f = |x, y| x; f.curry(f)",
            "curry(Fn(\"key\"), 1)",
            "import \"x\" as x",
            "is_def_var(\"job\")",
            "get_fn_metadata_list()",
            "[1].sort(|a, b| a)",
            "blob(5)",
        ] {
            let text = format!("fn key(job, now) {{ 1 }}\nfn other() {{\n{body}\n}}\nother();");
            let mistake = Script::new(&text, false).err().expect(body);
            assert_eq!(mistake.line, 3, "{body}: {mistake}");
        }
    }

    /// What a text gives, evaluated at the top of a script.
    fn given(text: &str) -> Result<String, Mistake> {
        let text = format!("{text}\nfn key(job, now) {{ 1 }}");
        match Script::new(&text, false) {
            Ok(_) => Ok(String::new()),
            Err(mistake) if mistake.what.starts_with("got ") => Ok(mistake.what[4..].to_owned()),
            Err(mistake) => Err(mistake),
        }
    }

    #[test]
    fn arrays_and_maps_are_read_wherever_they_stand() {
        for (expression, value) in [
            ("[[1, 2], [3,]][1][0]", "3"),
            ("[]", "[]"),
            ("#{}", "#{}"),
            ("#{\"}\": 1, \",\": 2}", "#{\",\": 2, \"}\": 1}"),
            (
                "#{a: [1, \"x\"], \"b c\": #{d: 2},}",
                "#{\"a\": [1, \"x\"], \"b c\": #{\"d\": 2}}",
            ),
            ("#{a: [1]}.a[0]", "1"),
            ("#{\"a b\": 1}[\"a b\"]", "1"),
            ("(if true { [1] } else { [2] })[0]", "1"),
            ("`${[1, 2][1]}${#{a: 5}.a}`[0]", "2"),
            ("\"abc\"[1]", "b"),
            ("[1] + [2.5]", "[1, 2.5]"),
            ("[|x| x + 1][0].call(2)", "3"),
            ("[3, 1, 2].sorted()", "[1, 2, 3]"),
            ("[3, 1, 2].sorted(|x| -x)", "[3, 2, 1]"),
            ("[3, 1, 2].reversed()", "[2, 1, 3]"),
            ("[3, 1, 2].map(|x| x * 2)", "[6, 2, 4]"),
            ("[3, 1, 2].filter(|x| x > 1)", "[3, 2]"),
            ("[3, 1].some(|x| x > 2) && ![3, 1].all(|x| x > 2)", "true"),
            ("[3, 1, 2].index_of(2)", "2"),
            ("[[1], #{a: 1}].contains(#{a: 1})", "true"),
            ("2 in [1, 2] && !(3 in [1, 2]) && \"a\" in #{a: 1}", "true"),
            (
                "[1, 2.0] == [1.0, 2] && [1] != [2] && #{a: [1]} == #{a: [1]}",
                "true",
            ),
            ("[1] == () || [1] == 1", "false"),
            (
                "#{b: 1, a: 2}.keys() + #{b: 1, a: 2}.values()",
                "[\"a\", \"b\", 2, 1]",
            ),
            ("\"a,b\".split(\",\")", "[\"a\", \"b\"]"),
            ("[1, 2, 3][-1]", "3"),
            ("\"n\" + 1 + [1].len + \"äö\".len + \"äö\".len()", "n1122"),
        ] {
            let text = format!("let x = {expression};\nthrow `got ${{x}}`;");
            assert_eq!(given(&text).unwrap(), value, "{expression}");
        }
        for (statements, value) in [
            (
                "let x = [1, 2, 3]; let y = x; y[0] = 9; y.remove(1); y.push([4]); y[2][0] += 1; x += y;",
                "[1, 2, 3, 9, 3, [5]]",
            ),
            (
                "let x = [4]; x.insert(0, 1); x.insert(2, 7); x.shift(); x.pop(); x.pad(3, 0);",
                "[4, 0, 0]",
            ),
            (
                "let x = #{a: #{}}; x.a.b = 1; x.a.b += 1; x[\"c\"] = [1]; x.c.push(2); x.d = x.d ?? 3; x.remove(\"d\");",
                "#{\"a\": #{\"b\": 2}, \"c\": [1, 2]}",
            ),
            (
                "let x = 0; for (n, i) in [5, 6] { x += n * i; } for i in 0..3 { x += i; } for i in range(4, 0, -2) { x += i; }",
                "15",
            ),
            (
                "const A = [[1, 2], [3]]; let x = A[0].len() + A[1][0];",
                "5",
            ),
            (
                "let x = [1]; x.clear(); x.push(#{}); x[0].a = x;",
                "[#{\"a\": [#{}]}]",
            ),
        ] {
            let text = format!("{statements}\nthrow `got ${{x}}`;");
            assert_eq!(given(&text).unwrap(), value, "{statements}");
        }
        for change in [
            "push(1)",
            "pad(9, 1)",
            "insert(0, 1)",
            "pop()",
            "shift()",
            "remove(0)",
            "clear()",
        ] {
            let text = format!("const A = [1];\nA.{change};");
            let mistake = given(&text).expect_err(change);
            assert_eq!(
                (mistake.line, mistake.what.contains("constant")),
                (2, true),
                "{mistake}"
            );
        }
        let constant = "const A = [1, [2]];\nA[1].len();\n\nA[0] = 5;\nfn key(job, now) { 1 }";
        let mistake = Script::new(constant, false).err().unwrap();
        assert_eq!(
            (mistake.line, mistake.what.contains("constant")),
            (4, true),
            "{mistake}"
        );
    }

    #[test]
    fn values_nest_64_levels_at_most() {
        for (grow, depth) in [
            ("a = [a];", 63),
            ("a = #{a: a};", 63),
            ("a = [#{a: [a]}];", 20),
            ("a[0] = a;", 62),
            ("a.push(a); a.shift();", 62),
            ("let b = []; b += [a]; a = b;", 63),
            ("let b = #{}; b.x = a; a = b;", 63),
            ("a = [a].map(|x| [x]);", 31),
            ("let b = [[0]]; b[0][0] = a; a = b;", 31),
            ("let b = []; b.pad(2, a); a = [b[0]];", 63),
        ] {
            for levels in [6_000, 100_000] {
                let text = format!(
                    "let a = [0];\nfor i in 0..{levels} {{ if i >= {depth} {{ throw \"past\"; }}\n{grow}\n}}\n\nfn key(job, now) {{ 1 }}"
                );
                let mistake = Script::new(&text, false).err().expect(grow);
                if mistake.what == "past" {
                    // So far it has to go: one more is too many.
                    let text = text.replace("throw \"past\";", "");
                    let mistake = Script::new(&text, false).err().expect(grow);
                    assert_eq!(mistake.line, 3, "{grow}: {mistake}");
                    assert!(
                        mistake.what.contains("more than 64 arrays"),
                        "{grow}: {mistake}"
                    );
                } else {
                    panic!("{grow}: {mistake}");
                }
            }
            // What is as deep as it may be can be compared, printed and copied.
            let text = format!(
                "let a = [0];\nfor i in 0..{depth} {{ {grow} }}\nlet b = a; if a == b && `${{a}}`.len > {depth} {{ throw \"got it\"; }}"
            );
            assert_eq!(given(&text).unwrap(), "it", "{grow}");
        }
    }

    #[test]
    fn what_a_script_keeps_nests_no_deeper() {
        for keep in [
            "this.a = this;",
            "this.a = [this];",
            "let b = this; this = [b];",
            "this[\"x\"] = #{y: this};",
        ] {
            let text = format!(
                "let m = #{{}};\nfn keep() {{ loop {{\n{keep}\n}} }}\nm.keep();\nfn key(job, now) {{ 1 }}"
            );
            let mistake = Script::new(&text, false).err().expect(keep);
            assert_eq!(mistake.line, 3, "{keep}: {mistake}");
            assert!(
                mistake.what.contains("more than 64 arrays"),
                "{keep}: {mistake}"
            );
        }
    }

    #[test]
    fn values_are_bounded_with_all_that_is_in_them() {
        for grow in [
            "a = [a, a];",
            "a = a + a;",
            "a += a;",
            "a.push(1);",
            "a = #{a: a, b: a};",
            "let b = []; b.pad(200, 0); a.push(b);",
            "a[0] = a; a.push(1);",
            "let t = \"\"; for i in 0..8000 { t += \"x\"; } a.push(t); a = #{a: a}; a[t + 1] = 1; a = [1]; a.pad(40, t);",
        ] {
            let text = format!("let a = [1];\nloop {{\n{grow}\n}}\nfn key(job, now) {{ 1 }}");
            let mistake = Script::new(&text, false).err().expect(grow);
            let is_large = mistake.what.contains("16384");
            assert!(
                is_large || mistake.what.contains("more than 64"),
                "{grow}: {mistake}"
            );
        }
    }

    #[test]
    fn calls_are_charged_for_what_they_walk_over() {
        let spent = |text: &str| {
            let (engine, budget) = bare();
            engine
                .run(text)
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            budget.spent()
        };
        let many = |call: &str, n: u64| {
            let text = format!(
                "let a = []; a.pad({n}, 5); let b = []; b.pad({n}, 5); let t = \"\"; for i in 0..{n} {{ t += \"x\"; }} "
            );
            spent(&format!("{text} {call}")) - spent(&text)
        };
        for call in [
            "a.sorted();",
            "a.sorted(|x| x);",
            "a.index_of(6);",
            "a.contains(6);",
            "6 in a;",
            "a == b;",
            "a != b;",
            "a.reversed();",
            "a.to_string();",
            "`${a}`;",
            "a + b;",
            "a += b;",
            "a.shift();",
            "a.remove(0);",
            "a.insert(0, 1);",
            "a.map(|x| x);",
            "a.filter(|x| true);",
            "a.some(|x| x > 5);",
            "b.pad(5100, 0);",
            "let c = a; c.push(1);",
            "let c = a; c[0] = 1;",
            "let c = [a]; c[0][0] = 1;",
            "let c = [a]; c == [b];",
            "t.len;",
            "t.len();",
            "t.split(\"\");",
            "t.contains(\"y\");",
            "t.starts_with(\"y\");",
        ] {
            let (few, most) = (many(call, 16), many(call, 5_000));
            let least = if call == "b.pad(5100, 0);" {
                50
            } else {
                few + 280
            };
            assert!(
                most >= least,
                "{call} takes {few} operations, and {most} of 5,000"
            );
        }
        for free in [
            "let c = a;",
            "a[7];",
            "a.len;",
            "a.push(1);",
            "let c = [a, a[0]];",
        ] {
            assert_eq!(many(free, 16), many(free, 5_000), "{free}");
        }
    }

    #[test]
    fn a_loop_over_something_large_ends_by_its_budget() {
        let text = "let a = [];\na.pad(16000, 5);\nloop { a.sorted(); a.index_of(6); }\nfn key(job, now) { 1 }";
        let mistake = Script::new(text, false).err().unwrap();
        assert_eq!(mistake.line, 3, "{mistake}");
        assert!(mistake.what.contains("operations"), "{mistake}");
        let (engine, budget) = bare();
        let _ = engine.run(text).unwrap_err();
        assert_eq!(budget.spent(), Limits::default().operations);
        // Closures count as well.
        let (engine, budget) = bare();
        engine
            .run("[1, 2].map(|x| { for i in 0..1000 { x += i; } x });")
            .unwrap();
        assert!(budget.spent() > 2_000, "{}", budget.spent());
    }
}

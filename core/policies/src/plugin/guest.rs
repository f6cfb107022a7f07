//! A plug-in's module, run by an interpreter that counts its steps: the same bits natively and in wasm,
//! nothing to import, bounded time, memory and stack. In: a module's bytes, the table. Out: actions and
//! terms, read with every bound checked, or why there are none.

use super::PluginError;
use super::actions::{self, Action};
use super::table::{Room, Rows};
use switchyard_engine::View;
use wasmi::errors::ErrorKind;
use wasmi::{
    Config, EnforcedLimits, Engine, Error, ExternType, Instance, Memory, Module, Store,
    StoreLimits, StoreLimitsBuilder, TrapCode, TypedFunc, ValType,
};

/// The most memory of a plug-in, bytes.
const MOST_MEMORY: usize = 64 << 20;

/// Steps of the interpreter that a call may take, and more for each row of the table.
const STEPS: u64 = 100_000_000;
const STEPS_PER_ROW: u64 = 10_000;

/// Calls within calls, and bytes of their values.
const MOST_CALLS: usize = 1_000;
const MOST_STACK: usize = 1 << 20;

/// The most terms of an explanation, and bytes of a term's name.
const MOST_TERMS: u32 = 32;
const MOST_NAME: u32 = 80;

/// A module at work.
pub(super) struct Guest {
    store: Store<StoreLimits>,
    memory: Memory,
    table: TypedFunc<(i32, i32), i32>,
    plan: TypedFunc<(f64, i32, i32), i32>,
    explain: TypedFunc<i32, i32>,
    /// For how much it has made room, and where.
    room: Room,
    at: usize,
}

impl Guest {
    /// Takes a module up, and runs its start function, if it has one.
    pub(super) fn new(module: &[u8]) -> Result<Self, PluginError> {
        let engine = Engine::new(&config());
        let invalid = |error: Error| PluginError::Invalid(error.to_string());
        let module = Module::new(&engine, module).map_err(invalid)?;
        if let Some(import) = module.imports().next() {
            let name = format!("{}.{}", import.module(), import.name());
            return Err(PluginError::Imports(name.chars().take(80).collect()));
        }
        check_exports(&module)?;
        let limits = StoreLimitsBuilder::new()
            .memory_size(MOST_MEMORY)
            .table_elements(10_000)
            .build();
        let mut store = Store::new(&engine, limits);
        store.limiter(|limits| limits);
        let set_up = |error: Error| PluginError::SetUp(in_words(&error));
        store.set_fuel(STEPS).map_err(set_up)?;
        let instance = Instance::new(&mut store, &module, &[]).map_err(set_up)?;
        let memory = instance.get_memory(&store, "memory");
        let memory = memory.ok_or(PluginError::Lacks(MEMORY))?;
        Ok(Self {
            table: instance.get_typed_func(&store, "table").map_err(set_up)?,
            plan: instance.get_typed_func(&store, "plan").map_err(set_up)?,
            explain: instance.get_typed_func(&store, "explain").map_err(set_up)?,
            memory,
            store,
            room: Room::default(),
            at: 0,
        })
    }

    /// Has it decide about these rows, at so many GPUs in all.
    pub(super) fn plan(
        &mut self,
        rows: &Rows,
        view: &View<'_>,
        actions: &mut Vec<Action>,
    ) -> Result<(), PluginError> {
        let count = self.show(rows, view)?;
        let nodes = self.room.nodes;
        let arguments = (view.now().seconds(), count as i32, nodes as i32);
        let at = self.plan.call(&mut self.store, arguments);
        let at = at.map_err(|error| trapped("plan", &error))? as u32;
        let bytes = self.memory.data(&self.store);
        let gpus = view.free().node_sizes().iter().sum();
        actions::read(bytes, at, actions::most(count, gpus), actions)
    }

    /// The terms by which it decided about a row: what it writes meanwhile is undone, since the run goes
    /// on as if nobody had asked.
    pub(super) fn explain(
        &mut self,
        rows: &Rows,
        view: &View<'_>,
        row: u32,
    ) -> Result<Vec<(String, f64)>, PluginError> {
        let before = self.memory.data(&self.store).to_vec();
        let terms = self.terms(rows, view, row);
        let memory = self.memory.data_mut(&mut self.store);
        if let Some(to) = memory.get_mut(..before.len()) {
            to.copy_from_slice(&before);
        }
        terms
    }

    fn terms(
        &mut self,
        rows: &Rows,
        view: &View<'_>,
        row: u32,
    ) -> Result<Vec<(String, f64)>, PluginError> {
        self.show(rows, view)?;
        let at = self.explain.call(&mut self.store, row as i32);
        let at = at.map_err(|error| trapped("explain", &error))? as u32;
        let bytes = self.memory.data(&self.store);
        let read = |at, length| actions::slice(bytes, "explain", at, length);
        let count = actions::number(read(at, 8)?, 0).min(MOST_TERMS);
        let terms = read(at, 8 + 16 * u64::from(count))?;
        let terms = terms[8..].as_chunks::<16>().0.iter().map(|term| {
            let (name, length) = (actions::number(term, 0), actions::number(term, 4));
            let name = read(name, u64::from(length.min(MOST_NAME)))?;
            let name = String::from_utf8_lossy(name).into_owned();
            Ok((name, actions::float(term, 8)))
        });
        terms.collect()
    }

    /// Writes the table, having it make room where there is too little. How many rows it has.
    fn show(&mut self, rows: &Rows, view: &View<'_>) -> Result<u32, PluginError> {
        let count = rows.jobs().len() as u32;
        let nodes = view.free().per_node().len() as u32;
        let steps = STEPS + STEPS_PER_ROW * u64::from(count);
        let no_fuel = |error: Error| trapped("table", &error);
        self.store.set_fuel(steps).map_err(no_fuel)?;
        if count > self.room.rows || nodes != self.room.nodes {
            let room = Room {
                rows: count.next_power_of_two().max(64),
                nodes,
            };
            let arguments = (room.rows as i32, room.nodes as i32);
            let at = self.table.call(&mut self.store, arguments);
            let at = at.map_err(|error| trapped("table", &error))? as u32;
            let memory = self.memory.data(&self.store);
            actions::slice(memory, "table", at, room.bytes())?;
            (self.room, self.at) = (room, at as usize);
        }
        // A memory never shrinks: there is still room.
        let memory = self.memory.data_mut(&mut self.store);
        let bytes = memory.get_mut(self.at..self.at + self.room.bytes() as usize);
        rows.write(view, self.room, bytes.unwrap_or_default());
        Ok(count)
    }
}

const MEMORY: &str = "its memory as 'memory'";

/// The three functions, each with what it takes, and how it is called in messages.
const FUNCTIONS: [(&str, &[ValType], &str); 3] = [
    (
        "table",
        &[ValType::I32, ValType::I32],
        "the function table(jobs: i32, nodes: i32) -> i32",
    ),
    (
        "plan",
        &[ValType::F64, ValType::I32, ValType::I32],
        "the function plan(now: f64, jobs: i32, nodes: i32) -> i32",
    ),
    (
        "explain",
        &[ValType::I32],
        "the function explain(job: i32) -> i32",
    ),
];

fn check_exports(module: &Module) -> Result<(), PluginError> {
    if !matches!(module.get_export("memory"), Some(ExternType::Memory(_))) {
        return Err(PluginError::Lacks(MEMORY));
    }
    for (name, takes, signature) in FUNCTIONS {
        let is_it = match module.get_export(name) {
            Some(ExternType::Func(of)) => of.params() == takes && of.results() == [ValType::I32],
            _ => false,
        };
        if !is_it {
            return Err(PluginError::Lacks(signature));
        }
    }
    Ok(())
}

fn config() -> Config {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .ignore_custom_sections(true)
        .enforced_limits(EnforcedLimits::strict())
        .set_max_recursion_depth(MOST_CALLS)
        .set_max_stack_height(MOST_STACK);
    config
}

fn trapped(function: &'static str, error: &Error) -> PluginError {
    PluginError::Trapped {
        function,
        why: in_words(error),
    }
}

/// Why a call ended, in words for who wrote it.
fn in_words(error: &Error) -> String {
    let why = match error.as_trap_code() {
        Some(TrapCode::OutOfFuel) => "it took too many steps, as an endless loop does",
        Some(TrapCode::UnreachableCodeReached) => {
            "it gave up ('unreachable'), as after a panic or a failed assertion"
        }
        Some(TrapCode::MemoryOutOfBounds) => "it read or wrote beyond its memory",
        Some(TrapCode::StackOverflow) => "its calls are nested too deeply",
        Some(TrapCode::IntegerDivisionByZero) => "it divided a whole number by zero",
        _ => match error.kind() {
            ErrorKind::Message(message) => return message.to_string(),
            _ => return error.to_string(),
        },
    };
    why.to_owned()
}

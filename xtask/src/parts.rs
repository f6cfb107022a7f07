//! A program in two parts: what a page's first picture needs, and the rest, which comes afterwards. In goes a wasm module,
//! out come two. Nothing in the source knows of it.
//!
//! The first part has all of the module's data, and a stub for each function of the rest that it calls or points to. A stub
//! calls through a table of its own, which the rest fills when it comes. Who calls a stub before has the rest loaded by the
//! import `rest.load` first, and waits for it.
//!
//! A program that stays whole can be [`ordered`] as parts are, which makes it smaller on the line.
//!
//! The rest imports memory, tables, globals and functions of the first part, under [`FIRST`] and short names, and from the page
//! what it calls there.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{self as encode, EntityType, ExportKind, Instruction};
use wasmparser::{self as parse, Operator, Payload, TypeRef};

use crate::shell;

/// The name under which the rest asks for what the first part exports.
pub(crate) const FIRST: &str = "first";

/// The export of the first part, a global, that is 1 once the rest is there.
pub(crate) const IS_THERE: &str = "$there";

/// 1 once something has happened.
const FLAG: encode::GlobalType = encode::GlobalType {
    val_type: encode::ValType::I32,
    mutable: true,
    shared: false,
};

type Failure = encode::reencode::Error<Infallible>;

/// No number: a function that a part does not have.
const NONE: u32 = u32::MAX;

/// Bytes of a body that a stub would not be shorter than: such a function is in the first part.
const SMALL: usize = 24;

pub(crate) struct Parts<'a> {
    pub(crate) first: Vec<u8>,
    pub(crate) rest: Vec<u8>,
    /// By the name under which the module imported a function: the shorter one under which both parts do.
    pub(crate) imports: BTreeMap<&'a str, &'a str>,
}

/// A module as it is read.
#[derive(Default)]
struct Module<'a> {
    types: Vec<parse::FuncType>,
    /// The functions it imports, which come before its own.
    imports: Vec<parse::Import<'a>>,
    /// By function, imported ones first: the number of its type.
    type_of: Vec<u32>,
    tables: Vec<parse::TableType>,
    memory: Option<parse::MemoryType>,
    globals: Vec<parse::Global<'a>>,
    exports: Vec<parse::Export<'a>>,
    elements: Vec<parse::Element<'a>>,
    /// Its own functions, those that end alike side by side: so they compress better.
    own: Vec<(u32, parse::FunctionBody<'a>)>,
    data: Vec<parse::Data<'a>>,
}

impl<'a> Module<'a> {
    fn read(wasm: &'a [u8]) -> Result<Self> {
        let mut module = Self::default();
        for payload in parse::Parser::new(0).parse_all(wasm) {
            module.take(payload?)?;
        }
        module.own.sort_by(|(_, a), (_, b)| {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            a.iter().rev().cmp(b.iter().rev())
        });
        Ok(module)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for of in types.into_iter_err_on_gc_types() {
                    self.types.push(of?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    let TypeRef::Func(of) = import.ty else {
                        bail!(
                            "{}.{} is imported and no function",
                            import.module,
                            import.name
                        );
                    };
                    self.type_of.push(of);
                    self.imports.push(import);
                }
            }
            Payload::FunctionSection(functions) => {
                for of in functions {
                    self.type_of.push(of?);
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                ensure!(memories.count() == 1, "{} memories", memories.count());
                self.memory = memories.into_iter().next().transpose()?;
            }
            Payload::GlobalSection(globals) => {
                self.globals = globals.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::ExportSection(exports) => {
                self.exports = exports.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::ElementSection(elements) => {
                self.elements = elements.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::DataSection(data) => self.data = data.into_iter().collect::<Result<_, _>>()?,
            Payload::CodeSectionEntry(body) => {
                let number = self.imports.len() + self.own.len();
                self.own.push((number as u32, body));
            }
            Payload::Version { .. }
            | Payload::CodeSectionStart { .. }
            | Payload::DataCountSection { .. }
            | Payload::CustomSection(_)
            | Payload::End(_) => {}
            other => bail!("a section that cannot be parted: {other:?}"),
        }
        Ok(())
    }

    /// Shorter names for its imports: without the hashes that wasm-bindgen adds, where what is left is of one alone.
    fn short_imports(&self) -> BTreeMap<&'a str, &'a str> {
        let short = |name: &'a str| match name.rsplit_once('_') {
            Some((rest, hash))
                if hash.len() == 16 && hash.bytes().all(|of| of.is_ascii_hexdigit()) =>
            {
                rest
            }
            _ => name,
        };
        let mut times = BTreeMap::<&str, u32>::new();
        for import in &self.imports {
            *times.entry(short(import.name)).or_default() += 1;
        }
        let names = self.imports.iter().map(|import| import.name);
        names
            .map(|name| (name, short(name)))
            .filter(|(_, short)| times[short] == 1)
            .collect()
    }

    fn types(&self) -> Result<encode::TypeSection> {
        let mut types = encode::TypeSection::new();
        for of in &self.types {
            types
                .ty()
                .func_type(&RoundtripReencoder.func_type(of.clone())?);
        }
        Ok(types)
    }

    /// The number of a type, which is added where there is none.
    fn type_with(&mut self, parameters: &[parse::ValType], results: &[parse::ValType]) -> u32 {
        let is = |of: &parse::FuncType| of.params() == parameters && of.results() == results;
        let at = self.types.iter().position(is).unwrap_or_else(|| {
            let of = parse::FuncType::new(parameters.iter().copied(), results.iter().copied());
            self.types.push(of);
            self.types.len() - 1
        });
        at as u32
    }

    fn calls(body: &parse::FunctionBody<'_>) -> Result<Vec<u32>> {
        let mut called = Vec::new();
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::Call { function_index } => called.push(function_index),
                other @ (Operator::RefFunc { .. }
                | Operator::ReturnCall { .. }
                | Operator::MemoryInit { .. }
                | Operator::DataDrop { .. }
                | Operator::TableInit { .. }
                | Operator::ElemDrop { .. }) => bail!("{other:?} cannot be parted"),
                _ => {}
            }
        }
        Ok(called)
    }

    /// What its tables and exports point to.
    fn pointed_to(&self) -> Result<Vec<u32>> {
        let functions = self
            .exports
            .iter()
            .filter(|of| of.kind == parse::ExternalKind::Func);
        let mut all: Vec<u32> = functions.map(|of| of.index).collect();
        for of in &self.elements {
            let parse::ElementItems::Functions(functions) = &of.items else {
                bail!("a table's entry that is an expression");
            };
            for function in functions.clone() {
                all.push(function?);
            }
        }
        Ok(all)
    }
}

/// Gives functions, by the number that they had, another.
struct Renumbered<'a>(&'a [u32]);

impl Reencode for Renumbered<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Failure> {
        Ok(self.0[function as usize])
    }
}

/// `wasm` in two parts: these functions, by their numbers, are in the first, the others in the rest.
/// Small ones are in the first as well.
pub(crate) fn split<'a>(wasm: &'a [u8], needed: &BTreeSet<u32>) -> Result<Parts<'a>> {
    let mut module = Module::read(wasm)?;
    let count = module.type_of.len();
    let mut in_first = vec![false; count];
    for &(function, ref body) in &module.own {
        in_first[function as usize] = needed.contains(&function) || body.as_bytes().len() <= SMALL;
    }

    // Who is called from where.
    let (mut by_first, mut by_rest) = (vec![false; count], vec![false; count]);
    for function in module.pointed_to()? {
        by_first[function as usize] = true;
    }
    for &(function, ref body) in &module.own {
        let by = if in_first[function as usize] {
            &mut by_first
        } else {
            &mut by_rest
        };
        for called in Module::calls(body)? {
            by[called as usize] = true;
        }
    }
    let own = || module.own.iter().map(|(of, _)| *of);
    let stubs: Vec<u32> = own()
        .filter(|of| !in_first[*of as usize] && by_first[*of as usize])
        .collect();
    let borrowed: Vec<u32> = own()
        .filter(|of| in_first[*of as usize] && by_rest[*of as usize])
        .collect();

    let first = first(&mut module, &in_first, &by_first, &stubs, &borrowed)?;
    let rest = rest(&module, &in_first, &by_rest, &stubs, &borrowed)?;
    Ok(Parts {
        first,
        rest,
        imports: module.short_imports(),
    })
}

/// The imports that a part has, numbered.
fn imports_of(
    module: &Module<'_>,
    needed: &[bool],
    numbers: &mut [u32],
) -> Result<(encode::ImportSection, u32)> {
    let short = module.short_imports();
    let mut section = encode::ImportSection::new();
    let mut next = 0;
    for (at, import) in module.imports.iter().enumerate() {
        if needed[at] {
            let name = short.get(import.name).unwrap_or(&import.name);
            section.import(
                import.module,
                name,
                RoundtripReencoder.entity_type(import.ty)?,
            );
            numbers[at] = next;
            next += 1;
        }
    }
    Ok((section, next))
}

fn first(
    module: &mut Module<'_>,
    in_first: &[bool],
    called: &[bool],
    stubs: &[u32],
    borrowed: &[u32],
) -> Result<Vec<u8>> {
    let load_type = module.type_with(&[], &[]);
    let slot_type = module.type_with(&[parse::ValType::I32], &[parse::ValType::I32]);
    let mut numbers = vec![NONE; module.type_of.len()];
    let (mut imports, mut next) = imports_of(module, called, &mut numbers)?;
    let load = next;
    imports.import("rest", "load", EntityType::Function(load_type));
    next += 1;

    let slot_of: BTreeMap<u32, i32> = stubs.iter().copied().zip(0..).collect();
    let slot = module
        .own
        .iter()
        .filter(|(of, _)| in_first[*of as usize] || slot_of.contains_key(of))
        .count() as u32
        + next;
    let (table, there) = (module.tables.len() as u32, module.globals.len() as u32);
    let mut functions = encode::FunctionSection::new();
    for &(function, _) in &module.own {
        if in_first[function as usize] || slot_of.contains_key(&function) {
            numbers[function as usize] = next;
            functions.function(module.type_of[function as usize]);
            next += 1;
        }
    }
    functions.function(slot_type);

    let mut code = encode::CodeSection::new();
    let mut renumbered = Renumbered(&numbers);
    for &(function, ref body) in &module.own {
        if in_first[function as usize] {
            renumbered.parse_function_body(&mut code, body.clone())?;
        } else if let Some(at) = slot_of.get(&function) {
            let of = module.type_of[function as usize];
            let mut stub = encode::Function::new([]);
            for parameter in 0..module.types[of as usize].params().len() as u32 {
                stub.instruction(&Instruction::LocalGet(parameter));
            }
            stub.instruction(&Instruction::I32Const(*at));
            stub.instruction(&Instruction::Call(slot));
            stub.instruction(&Instruction::CallIndirect {
                type_index: of,
                table_index: table,
            });
            stub.instruction(&Instruction::End);
            code.function(&stub);
        }
    }
    // Which slot, once the rest is there.
    let mut waits = encode::Function::new([]);
    for instruction in [
        Instruction::GlobalGet(there),
        Instruction::I32Eqz,
        Instruction::If(encode::BlockType::Empty),
        Instruction::Call(load),
        Instruction::End,
        Instruction::LocalGet(0),
        Instruction::End,
    ] {
        waits.instruction(&instruction);
    }
    code.function(&waits);

    let mut tables = encode::TableSection::new();
    for of in &module.tables {
        tables.table(RoundtripReencoder.table_type(*of)?);
    }
    tables.table(table_of(stubs));
    let mut memories = encode::MemorySection::new();
    memories.memory(memory_of(module)?);
    let mut globals = encode::GlobalSection::new();
    for of in &module.globals {
        globals.global(
            RoundtripReencoder.global_type(of.ty)?,
            &RoundtripReencoder.const_expr(of.init_expr.clone())?,
        );
    }
    globals.global(FLAG, &encode::ConstExpr::i32_const(0));

    let mut exports = encode::ExportSection::new();
    for of in &module.exports {
        renumbered.parse_export(&mut exports, *of)?;
    }
    exports.export(IS_THERE, ExportKind::Global, there);
    exports.export("$m", ExportKind::Memory, 0);
    for at in 0..=table {
        exports.export(&format!("$t{at}"), ExportKind::Table, at);
    }
    for at in 0..there {
        exports.export(&format!("$g{at}"), ExportKind::Global, at);
    }
    for (at, function) in borrowed.iter().enumerate() {
        exports.export(&short(at), ExportKind::Func, numbers[*function as usize]);
    }

    let mut elements = encode::ElementSection::new();
    for of in &module.elements {
        renumbered.parse_element(&mut elements, of.clone())?;
    }
    let mut data = encode::DataSection::new();
    for of in &module.data {
        RoundtripReencoder.parse_data(&mut data, of.clone())?;
    }
    let mut wasm = encode::Module::new();
    wasm.section(&module.types()?)
        .section(&imports)
        .section(&functions)
        .section(&tables)
        .section(&memories)
        .section(&globals)
        .section(&exports)
        .section(&elements)
        .section(&code)
        .section(&data);
    Ok(wasm.finish())
}

fn rest(
    module: &Module<'_>,
    in_first: &[bool],
    called: &[bool],
    stubs: &[u32],
    borrowed: &[u32],
) -> Result<Vec<u8>> {
    let mut numbers = vec![NONE; module.type_of.len()];
    let (mut imports, mut next) = imports_of(module, called, &mut numbers)?;
    for (at, function) in borrowed.iter().enumerate() {
        imports.import(
            FIRST,
            &short(at),
            EntityType::Function(module.type_of[*function as usize]),
        );
        numbers[*function as usize] = next;
        next += 1;
    }
    imports.import(FIRST, "$m", EntityType::Memory(memory_of(module)?));
    for (at, of) in module.tables.iter().enumerate() {
        imports.import(
            FIRST,
            &format!("$t{at}"),
            EntityType::Table(RoundtripReencoder.table_type(*of)?),
        );
    }
    let table = module.tables.len() as u32;
    imports.import(
        FIRST,
        &format!("$t{table}"),
        EntityType::Table(table_of(stubs)),
    );
    for (at, of) in module.globals.iter().enumerate() {
        imports.import(
            FIRST,
            &format!("$g{at}"),
            EntityType::Global(RoundtripReencoder.global_type(of.ty)?),
        );
    }

    let mut functions = encode::FunctionSection::new();
    for &(function, _) in module.own.iter().filter(|(of, _)| !in_first[*of as usize]) {
        numbers[function as usize] = next;
        functions.function(module.type_of[function as usize]);
        next += 1;
    }
    let mut renumbered = Renumbered(&numbers);
    let mut code = encode::CodeSection::new();
    for (_, body) in module.own.iter().filter(|(of, _)| !in_first[*of as usize]) {
        renumbered.parse_function_body(&mut code, body.clone())?;
    }
    let mut elements = encode::ElementSection::new();
    let filled: Vec<u32> = stubs.iter().map(|of| numbers[*of as usize]).collect();
    elements.active(
        Some(table),
        &encode::ConstExpr::i32_const(0),
        encode::Elements::Functions(filled.into()),
    );
    let mut wasm = encode::Module::new();
    wasm.section(&module.types()?)
        .section(&imports)
        .section(&functions)
        .section(&elements)
        .section(&code);
    Ok(wasm.finish())
}

/// The table of the stubs.
fn table_of(stubs: &[u32]) -> encode::TableType {
    let slots = stubs.len() as u64;
    encode::TableType {
        element_type: encode::RefType::FUNCREF,
        table64: false,
        minimum: slots,
        maximum: Some(slots),
        shared: false,
    }
}

fn memory_of(module: &Module<'_>) -> Result<encode::MemoryType> {
    let memory = module.memory.context("the module has no memory")?;
    Ok(RoundtripReencoder.memory_type(memory)?)
}

/// A short name for a function that the rest borrows.
fn short(at: usize) -> String {
    format!("${at:x}")
}

/// `wasm` with a global for each of its functions that is 1 once the function has been called, exported as `called N`, where
/// N is its number.
pub(crate) fn watched(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut watched = Watched {
        module: Module::read(wasm)?,
        next: 0,
    };
    let mut encoded = encode::Module::new();
    watched.parse_core_module(&mut encoded, parse::Parser::new(0), wasm)?;
    Ok(encoded.finish())
}

struct Watched<'a> {
    module: Module<'a>,
    /// How many bodies have been written.
    next: u32,
}

impl Reencode for Watched<'_> {
    type Error = Infallible;

    fn parse_global_section(
        &mut self,
        globals: &mut encode::GlobalSection,
        section: parse::GlobalSectionReader<'_>,
    ) -> Result<(), Failure> {
        encode::reencode::utils::parse_global_section(self, globals, section)?;
        for _ in &self.module.own {
            globals.global(FLAG, &encode::ConstExpr::i32_const(0));
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut encode::ExportSection,
        section: parse::ExportSectionReader<'_>,
    ) -> Result<(), Failure> {
        encode::reencode::utils::parse_export_section(self, exports, section)?;
        let functions = self.module.imports.len() as u32..self.module.type_of.len() as u32;
        for (function, global) in functions.zip(self.module.globals.len() as u32..) {
            exports.export(&format!("called {function}"), ExportKind::Global, global);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut encode::CodeSection,
        body: parse::FunctionBody<'_>,
    ) -> Result<(), Failure> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        function.instruction(&Instruction::I32Const(1));
        function.instruction(&Instruction::GlobalSet(
            self.module.globals.len() as u32 + self.next,
        ));
        self.next += 1;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            function.instruction(&self.parse_instruction(&mut operators)?);
        }
        code.function(&function);
        Ok(())
    }
}

/// Has a file of wasm [`ordered`].
pub(crate) fn order(file: &Path) -> Result<()> {
    shell::write(file, ordered(&shell::read_bytes(file)?)?)
}

/// `wasm` with those of its functions side by side that end alike, as in the parts of a program.
fn ordered(wasm: &[u8]) -> Result<Vec<u8>> {
    let module = Module::read(wasm)?;
    let mut numbers: Vec<u32> = (0..module.type_of.len() as u32).collect();
    for ((function, _), number) in module.own.iter().zip(module.imports.len() as u32..) {
        numbers[*function as usize] = number;
    }
    let mut ordered = Ordered {
        module,
        numbers,
        next: 0,
    };
    let mut encoded = encode::Module::new();
    ordered.parse_core_module(&mut encoded, parse::Parser::new(0), wasm)?;
    Ok(encoded.finish())
}

struct Ordered<'a> {
    module: Module<'a>,
    /// By the number that a function had: its number.
    numbers: Vec<u32>,
    /// How many bodies have been written.
    next: usize,
}

impl Reencode for Ordered<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Failure> {
        Ok(self.numbers[function as usize])
    }

    fn parse_function_section(
        &mut self,
        functions: &mut encode::FunctionSection,
        _: parse::FunctionSectionReader<'_>,
    ) -> Result<(), Failure> {
        for (function, _) in &self.module.own {
            functions.function(self.module.type_of[*function as usize]);
        }
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut encode::CodeSection,
        _: parse::FunctionBody<'_>,
    ) -> Result<(), Failure> {
        let (_, body) = &self.module.own[self.next];
        self.next += 1;
        encode::reencode::utils::parse_function_body(self, code, body.clone())
    }
}

#[cfg(test)]
mod tests {
    use wasmi::{AsContextMut, Caller, Engine, Extern, Linker, Store, Val};

    use super::*;

    /// 0 is imported. Needed at first: 1, and 3, which both call. The rest: 2, which 1 calls and a table points to, and 4,
    /// which only 2 calls.
    const PROGRAM: &str = r#"(module
        (import "page" "add" (func $add (param i32 i32) (result i32)))
        (type $unary (func (param i32) (result i32)))
        (memory 1)
        (table 2 funcref)
        (elem (i32.const 0) $kept $later)
        (global $calls (mut i32) (i32.const 0))
        (data (i32.const 8) "\2a")
        (func $ask (export "ask") (param i32) (result i32) LARGE
            (call $add (call $later (local.get 0)) (call $kept (i32.const 1))))
        (func $later (param i32) (result i32) LARGE
            (global.set $calls (i32.add (global.get $calls) (i32.const 1)))
            (call $add (call $kept (local.get 0)) (call $last (i32.const 8))))
        (func $kept (param i32) (result i32) LARGE
            (i32.mul (local.get 0) (i32.const 3)))
        (func $last (param i32) (result i32) LARGE
            (i32.load8_u (local.get 0)))
        (func (export "point") (param i32) (result i32) LARGE
            (call_indirect (type $unary) (i32.const 100) (local.get 0)))
        (func (export "calls") (result i32) LARGE (global.get $calls)))"#;

    /// None of its functions is so small that a stub would not pay.
    fn program() -> Vec<u8> {
        let large = PROGRAM.replace("LARGE", &"(nop)".repeat(SMALL));
        wat::parse_str(large).expect("sound")
    }

    /// Loads the rest of a program, counting how often; the first part is the one that asks.
    struct Page {
        rest: wasmi::Module,
        loaded: u32,
    }

    fn add(_: Caller<'_, Page>, a: i32, b: i32) -> i32 {
        a + b
    }

    fn load(mut caller: Caller<'_, Page>, exported: &[String]) {
        let (engine, rest) = (caller.engine().clone(), caller.data().rest.clone());
        let mut linker = Linker::<Page>::new(&engine);
        linker.func_wrap("page", "add", add).expect("new");
        for name in exported {
            let of = caller.get_export(name).expect("exported");
            linker.define(FIRST, name, of).expect("new");
        }
        linker
            .instantiate_and_start(caller.as_context_mut(), &rest)
            .expect("it fits");
        let there = caller
            .get_export(IS_THERE)
            .and_then(Extern::into_global)
            .expect("a global");
        there
            .set(caller.as_context_mut(), Val::I32(1))
            .expect("mutable");
        caller.data_mut().loaded += 1;
    }

    fn run(needed: &[u32], asked: &[(&str, Vec<i32>)]) -> (Vec<i32>, u32) {
        let wasm = program();
        let parts = split(&wasm, &needed.iter().copied().collect()).expect("it can be parted");
        let engine = Engine::default();
        let first = wasmi::Module::new(&engine, &parts.first).expect("valid");
        let rest = wasmi::Module::new(&engine, &parts.rest).expect("valid");
        let exported: Vec<String> = first.exports().map(|of| of.name().to_owned()).collect();
        let mut store = Store::new(&engine, Page { rest, loaded: 0 });
        let mut linker = Linker::new(&engine);
        linker.func_wrap("page", "add", add).expect("new");
        linker
            .func_wrap("rest", "load", move |caller: Caller<'_, Page>| {
                load(caller, &exported)
            })
            .expect("new");
        let program = linker
            .instantiate_and_start(&mut store, &first)
            .expect("it fits");
        let told = asked.iter().map(|(name, given)| {
            let function = program.get_func(&store, name).expect("exported");
            let given: Vec<Val> = given.iter().map(|of| Val::I32(*of)).collect();
            let mut told = [Val::I32(0)];
            function
                .call(&mut store, &given, &mut told)
                .expect("no trap");
            told[0].i32().expect("a number")
        });
        let told = told.collect();
        (told, store.data().loaded)
    }

    #[test]
    fn parts_say_together_what_the_whole_says_and_the_rest_is_loaded_once_when_needed() {
        // 3 x + 42, and 3 more; by the table 3 x and 3 x + 42.
        let asked = [
            ("calls", vec![]),
            ("point", vec![0]),
            ("ask", vec![5]),
            ("point", vec![1]),
            ("ask", vec![0]),
            ("calls", vec![]),
        ];
        let expected = vec![0, 300, 60, 342, 45, 3];
        for needed in [vec![1, 3, 5, 6], vec![6], vec![], vec![1, 2, 5]] {
            assert_eq!(run(&needed, &asked), (expected.clone(), 1), "{needed:?}");
        }
        assert_eq!(run(&[1, 2, 3, 4, 5, 6], &asked), (expected, 0));
    }

    #[test]
    fn the_first_part_does_without_the_rest_until_it_is_needed() {
        assert_eq!(
            run(&[1, 3, 5, 6], &[("calls", vec![]), ("point", vec![0])]),
            (vec![0, 300], 0)
        );
    }

    /// A program that is not parted, ready to be asked.
    fn whole(wasm: &[u8]) -> (Store<()>, wasmi::Instance) {
        let engine = Engine::default();
        let module = wasmi::Module::new(&engine, wasm).expect("valid");
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new(&engine);
        linker
            .func_wrap("page", "add", |a: i32, b: i32| a + b)
            .expect("new");
        let program = linker
            .instantiate_and_start(&mut store, &module)
            .expect("it fits");
        (store, program)
    }

    #[test]
    fn what_is_called_is_noted() {
        let (mut store, program) = whole(&watched(&program()).expect("sound"));
        let point = program
            .get_typed_func::<i32, i32>(&store, "point")
            .expect("exported");
        assert_eq!(point.call(&mut store, 1).expect("no trap"), 342);
        let noted = (1..=6).filter(|of| {
            let flag = program
                .get_global(&store, &format!("called {of}"))
                .expect("exported");
            flag.get(&store).i32() == Some(1)
        });
        assert_eq!(noted.collect::<Vec<u32>>(), [2, 3, 4, 5]);
    }

    #[test]
    fn what_cannot_be_parted_is_refused() {
        for program in [
            "(module (import \"a\" \"m\" (memory 1)))",
            "(module (func $f) (func (drop (ref.func $f))) (elem declare func $f) (memory 1))",
        ] {
            let wasm = wat::parse_str(program).expect("sound");
            assert!(split(&wasm, &BTreeSet::new()).is_err(), "{program}");
        }
    }

    #[test]
    fn an_ordered_program_says_the_same() {
        let wasm = ordered(&program()).expect("sound");
        assert_ne!(wasm, program());
        let (mut store, program) = whole(&wasm);
        for (name, given, expected) in [("point", 0, 300), ("ask", 5, 60), ("point", 1, 342)] {
            let function = program
                .get_typed_func::<i32, i32>(&store, name)
                .expect("exported");
            assert_eq!(function.call(&mut store, given).expect("no trap"), expected);
        }
    }
}

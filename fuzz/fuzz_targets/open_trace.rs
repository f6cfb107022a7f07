//! Feeds arbitrary bytes to the trace opener: it must give a trace that keeps its promises or an
//! error that is a sentence. What is found belongs into `core/trace/tests/import_malformed/`.
#![no_main]

#[path = "../../core/app/tests/import_promises/mod.rs"]
mod import_promises;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| import_promises::check(bytes));

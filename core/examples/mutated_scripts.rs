//! Writes mutated scripts for the programs that take scripts from people, each as a line of JSON: its text, and
//! its code as specs have it.
//! `cargo run -p switchyard-core --features scripts --example mutated_scripts -- 100000 1 > scripts.jsonl`

#[path = "../tests/mutated/mod.rs"]
mod mutated;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde_json::json;
use std::error::Error;
use std::io::{BufWriter, Write, stdout};
use switchyard::policies::script::pack;

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1);
    let mut number = || {
        numbers
            .next()
            .ok_or("say how many scripts, and from which seed")
    };
    let (count, seed): (usize, u64) = (number()?.parse()?, number()?.parse()?);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut out = BufWriter::new(stdout().lock());
    for _ in 0..count {
        let text = mutated::script(&mut rng);
        let code = pack(&text).map_err(|why| why.to_string())?;
        writeln!(out, "{}", json!({ "text": text, "code": code }))?;
    }
    Ok(())
}

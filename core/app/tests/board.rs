//! The board of challenges holds what it claims, and refuses what does not.
//!
//! `UPDATE_BOARD=1 cargo test -p switchyard-app --features scripts --test board` writes the claims of all entries anew, after a
//! change of the engine or of a challenge.

#![allow(clippy::unwrap_used)]

use switchyard::engine::RunError;
use switchyard::policies::script::EXAMPLES;
use switchyard_app::challenges::Challenge;
use switchyard_app::challenges::board::{self, Entry, Refused, check, draw_of};
use switchyard_app::driver::{Budget, Driver};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../challenges/scores.json");

fn to_the_end(run: &mut Driver) -> Result<(), RunError> {
    run.step_for(Budget::unlimited()).map(drop)
}

/// A script that is in no doubt, with what it makes of one challenge.
fn entry() -> Entry {
    let las = EXAMPLES.iter().find(|of| of.name == "las").unwrap();
    let convoy = vec![Challenge::named("convoy").unwrap()];
    Entry::of(("Mine", "somebody"), las.text, convoy, &mut to_the_end).unwrap()
}

#[test]
fn every_entry_of_the_board_holds_what_it_claims() {
    let mut entries = board::read(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    if std::env::var_os("UPDATE_BOARD").is_some() {
        for entry in &mut entries {
            *entry = entry.anew(&mut to_the_end).unwrap();
        }
        std::fs::write(FILE, board::text(&entries)).unwrap();
        return;
    }
    assert!(!entries.is_empty());
    assert_eq!(
        entries,
        board::board(),
        "the program has the board of the file"
    );
    if let Err(refused) = check(&entries, &mut to_the_end) {
        panic!("{refused}");
    }
}

#[test]
fn a_false_claim_is_refused() {
    let honest = entry();
    check(std::slice::from_ref(&honest), &mut to_the_end).unwrap();
    let refused = |change: &dyn Fn(&mut Entry)| {
        let mut entry = honest.clone();
        change(&mut entry);
        check(&[entry], &mut to_the_end).unwrap_err().to_string()
    };
    let is = honest.claims[0].score;
    let said = refused(&|of| of.claims[0].score += 0.1);
    assert!(
        said.starts_with("Mine claims ") && said.contains(&format!("has {is}")),
        "{said}"
    );
    let said = refused(&|of| of.claims[0].low += 0.1);
    assert!(said.contains("claims"), "{said}");
    // Another text has other workloads, if only by a blank.
    let said = refused(&|of| of.text.push(' '));
    assert!(said.contains("claims"), "{said}");
    let said = refused(&|of| of.claims[0].challenge = "convoi".to_owned());
    assert!(said.contains("'convoy'"), "{said}");
    let said = refused(&|of| of.text = "fn key(job, now) { job.duration }".to_owned());
    assert!(said.contains("ORACLE") || said.contains("oracle"), "{said}");
    let said = refused(&|of| {
        of.text = "const ORACLE = true;\nfn key(job, now) { job.duration }".to_owned()
    });
    assert!(said.contains("oracle"), "{said}");
    let said = refused(&|of| of.text = "fn key(".to_owned());
    assert!(said.contains("Mine: line 1"), "{said}");
    let said = refused(&|of| of.claims.clear());
    assert!(said.contains("nothing"), "{said}");
    let said = refused(&|of| of.claims.push(of.claims[0].clone()));
    assert!(said.contains("already"), "{said}");
    let twice = [honest.clone(), honest];
    assert!(matches!(
        check(&twice, &mut to_the_end),
        Err(Refused::Twice(_))
    ));
}

#[test]
fn nobody_chooses_the_workloads_of_an_entry() {
    let entry = entry();
    assert_ne!(draw_of(&entry.text), draw_of(&format!("{} ", entry.text)));
    assert!(board::read("[{}]").is_err() && board::read("{").is_err());
}

//! Every lesson is made as `cargo xtask lessons` makes it: a sentence's number that cannot be computed, a
//! claim that does not hold, a goal that nothing reaches, and the page is not made.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

#[test]
fn every_lesson_is_true_and_of_its_length() {
    for (name, text) in switchyard_lessons::lessons(&docs()).unwrap() {
        assert!(
            (4..=7).contains(&text.steps.len()),
            "{name}: {}",
            text.steps.len()
        );
        assert!(
            text.steps.iter().all(|step| !step.title.is_empty()),
            "{name}"
        );
        assert!(text.goals() > 0, "{name} has no goal");
        // Three minutes at 230 words a minute.
        assert!(text.words() <= 690, "{name} has {} words", text.words());
    }
}

#[test]
fn pages_stand_for_themselves() {
    let dist = std::env::temp_dir().join(format!("switchyard-lessons-{}", std::process::id()));
    std::fs::create_dir_all(&dist).unwrap();
    let made = switchyard_lessons::write(&docs(), &dist).unwrap();
    for path in &made {
        let html = std::fs::read_to_string(path).unwrap();
        let folder = path.parent().unwrap();
        assert!(!html.contains("{{"), "{}", path.display());
        assert!(
            !html.contains("<script>") && !html.contains(" style="),
            "{}",
            path.display()
        );
        for still in html.split("<img src=\"").skip(1) {
            let still = still.split('"').next().unwrap();
            let svg = std::fs::read_to_string(folder.join(still)).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("<rect"), "{still}");
        }
        // Jobs that do not come with the program lie beside their page.
        for src in html.split(" src=\"").skip(1) {
            let src = src.split('"').next().unwrap();
            assert!(!src.ends_with(".csv") || folder.join(src).exists(), "{src}");
        }
    }
    std::fs::remove_dir_all(&dist).unwrap();
}

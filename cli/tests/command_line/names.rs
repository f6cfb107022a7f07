//! Names that are nearly right: the one that was meant is said.

use super::failure;

#[test]
fn what_was_meant_is_said() {
    for (arguments, meant) in [
        (
            &["--policy", "tiresias"][..],
            "'tiresias' (did you mean 'tiresias-las'?)",
        ),
        (
            &["--policy", "gandvia"],
            "'gandvia' (did you mean 'gandiva'?)",
        ),
        (
            &["--policy", "fifo[backfil=true]"],
            "'backfil' (did you mean 'backfill'?)",
        ),
        (
            &["--policy", "fifo[placement=consolidate]"],
            "'consolidate' (did you mean 'consolidated'?)",
        ),
        (
            &["--placement", "sprad"],
            "--placement is 'sprad': did you mean 'spread'?",
        ),
        (
            &["--preset", "reference-nsdi"],
            "'reference-nsdi' (did you mean 'reference-nsdi19'?)",
        ),
        (
            &["--cluster", "gavl"],
            "'gavl' is not a cluster (did you mean 'gavel'?)",
        ),
        (&["--restart-cots", "5"], "'--restart-cost'"),
    ] {
        let error = failure(2, &[&["run", "sample:lab"], arguments].concat());
        assert!(error.contains(meant), "{error}");
    }
    for (arguments, meant) in [
        (
            &["run", "sample:clustr"][..],
            "'clustr' (did you mean 'cluster'?)",
        ),
        (
            &["inspect", "sample:clustr"],
            "'clustr' (did you mean 'cluster'?)",
        ),
        (
            &["inspect", "tiresias.csv", "--map", "submt=a"],
            "'submt' (did you mean 'submit'?)",
        ),
        (
            &["run", "tiresias.csv", "--fractions", "roundup"],
            "(did you mean 'round-up'?)",
        ),
        (
            &["why", "sample:lab", "--at", "5", "--job", "lab001"],
            "'lab001' in the trace (did you mean 'lab-001'?)",
        ),
        (&["compar", "sample:lab"], "'compare'"),
    ] {
        let error = failure(2, arguments);
        assert!(error.contains(meant), "{error}");
    }
    let nothing_alike = failure(2, &["run", "sample:lab", "--policy", "zebra"]);
    assert!(!nothing_alike.contains("did you mean"), "{nothing_alike}");
}

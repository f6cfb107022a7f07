//! Clusters, outages and tables that can be none: what is wrong, where, and what to do.

use super::{failure, temporary};

fn refused(arguments: &[&str]) -> String {
    failure(2, &[&["run", "sample:lab"], arguments].concat())
}

#[test]
fn clusters() {
    for (cluster, why) in [
        (
            "0x4",
            "a cluster needs at least one node with at least one GPU",
        ),
        ("8x8+0x4", "group 2: a cluster needs at least one node"),
        (
            "8x8+2x65",
            "group 2: 65 GPUs on one node: a node has at most 64",
        ),
        ("2x4:a!b", "'a!b' is no name of a GPU type: write a word"),
        (
            "2x4:v100/speed=0",
            "'speed=0' is no property of nodes: write cores=NUMBER",
        ),
        ("2x4:v100/speed=NaN", "'speed=NaN' is no property of nodes"),
        (
            "2x4/nic=0",
            "a link of 0 GB/s: a capacity is a number from 0.001 on",
        ),
        (
            r#"{"nodes":"2x4","switches":[{"name":"a","nodes":"0-1"},{"name":"b","nodes":"1"}]}"#,
            "node 1 hangs on both 'a' and 'b': a node has one parent",
        ),
        (
            r#"{"nodes":"2x4","switches":[{"name":"a","nodes":"0"},{"name":"a","nodes":"1"}]}"#,
            "there are two switches 'a': each has a name of its own, and one parent",
        ),
        (
            r#"{"nodes":"2x4","switches":[{"name":"a","parent":"a","nodes":"0-1"}]}"#,
            "switch 'a' hangs on itself, by way of its parents: a tree has no loops",
        ),
        (
            r#"{"groups":[{"nodes":1,"gpus":4},{"nodes":1,"gpus":4,"speed":0}]}"#,
            "group 2: 'speed=0' is no property of nodes",
        ),
    ] {
        let error = refused(&["--cluster", cluster]);
        assert!(error.contains(why), "{cluster}: {error}");
    }
}

#[test]
fn outages_given_and_read() {
    let error = refused(&["--outages", "1:60..30"]);
    assert!(
        error.contains("node 1's outage ends at 30 s, before it begins at 60 s"),
        "{error}"
    );
    let error = refused(&["--outages", "9:0..5"]);
    assert!(
        error.contains("there is no node 9 to fail: the cluster's nodes are 0 to 7"),
        "{error}"
    );
    let list = temporary("down.csv");
    for (rows, why) in [
        (
            "node,from,to\n1,0,5\n1,60,30\n",
            "line 3: node 1's outage ends at 30 s",
        ),
        (
            "node,from\n1,0\n",
            "line 1: no column 'to': a table of outages has node, from, to",
        ),
        (
            "node,from,to\n1,soon,30\n",
            "line 2: 'soon' is no time: write seconds",
        ),
        (
            "node,from,to\n-1,0,30\n",
            "line 2: '-1' is no node: write its number, from 0",
        ),
    ] {
        std::fs::write(&list, rows).expect("the folder is there");
        let error = refused(&["--outages", &list]);
        assert!(error.contains(why), "{rows}: {error}");
    }
    // Opened as a file it is the same.
    let error = failure(2, &["inspect", &list]);
    assert!(
        error.contains("down.csv, line 2: '-1' is no node"),
        "{error}"
    );
}

//! What is small as a file and large once opened.

use super::*;
use switchyard_trace::Opening;

#[test]
fn decompression_bombs_hit_the_limit() {
    let bomb = gzip(&vec![b'\n'; 10_000_000]);
    assert!(bomb.len() < 20_000);
    let options = OpenOptions {
        max_bytes: 1_000_000,
        ..OpenOptions::default()
    };
    let message = "bomb.csv.gz holds more than 1000000 bytes once decompressed: open its members one at a time, or use the command line, whose --max-bytes raises the limit";
    let file = SourceFile {
        name: "bomb.csv.gz",
        bytes: &bomb,
    };
    assert_eq!(open(&[file], &options).unwrap_err().to_string(), message);
    let archive = zip(&[("bomb.csv.gz", &bomb)], DEFLATE);
    let file = SourceFile {
        name: "bomb.zip",
        bytes: &archive,
    };
    assert!(matches!(
        open(&[file], &options),
        Err(OpenError::TooLarge { .. })
    ));
}

/// Tables that take a multiple of their size: rows as short as can be, a quotation mark never
/// closed, and the same as JSON.
fn row_bombs() -> [(&'static str, Vec<u8>); 4] {
    const ROWS: usize = 300_000;
    let table = format!(
        "job_id,submission_time,duration,num_gpu\n{}",
        "1,0,5,1\n".repeat(ROWS)
    );
    let quote = format!(
        "job_id,submission_time,duration,num_gpu\n\"{}",
        "1,0,5,1\n".repeat(ROWS)
    );
    let job = "{\"id\":1,\"subtime\":0,\"res\":1,\"profile\":\"p\"}";
    let batsim = format!(
        "{{\"profiles\":{{\"p\":{{\"type\":\"delay\",\"delay\":1}}}},\"jobs\":[{}{job}]}}",
        format!("{job},").repeat(ROWS)
    );
    let zipped = zip(&[("jobs.csv", table.as_bytes())], DEFLATE);
    [
        ("rows.csv.gz", gzip(table.as_bytes())),
        ("rows.zip", zipped),
        ("quote.csv.gz", gzip(quote.as_bytes())),
        ("batsim.json.gz", gzip(batsim.as_bytes())),
    ]
}

#[test]
fn rows_are_bounded() {
    for (name, bytes) in row_bombs() {
        assert!(bytes.len() < 40_000, "{name}: {}", bytes.len());
        let options = OpenOptions {
            max_rows: 10_000,
            ..OpenOptions::default()
        };
        let mut opening = Opening::new(options);
        opening.begin(name).expect("a name");
        let pushed = opening.push(&bytes);
        // What became of rows is bounded, whatever the archive still holds.
        let progress = opening.progress();
        assert!(progress.jobs <= 10_000, "{name}: {progress:?}");
        let error = match pushed {
            Err(error) => error,
            Ok(()) => opening.finish().expect_err(name),
        };
        let message = error.to_string();
        assert!(
            message.ends_with(
                " has more than 10000 rows: open a part of it, or use the command line, whose --max-rows raises the limit and whose 'convert --window' writes a part"
            ),
            "{message}"
        );
    }
}

#[test]
fn rows_are_bounded_for_all_files_together() {
    let table = format!(
        "job_id,submission_time,duration,num_gpu\n{}",
        "1,0,5,1\n".repeat(60)
    );
    let options = OpenOptions {
        max_rows: 100,
        ..OpenOptions::default()
    };
    let file = |name| SourceFile {
        name,
        bytes: table.as_bytes(),
    };
    assert!(open(&[file("a.csv")], &options).is_ok());
    let error = open(&[file("a.csv"), file("b.csv")], &options).unwrap_err();
    assert!(matches!(error, OpenError::TooManyRows { limit: 100, ref file } if file == "b.csv"));
}

#[test]
fn what_has_to_be_held_is_bounded() {
    let options = OpenOptions {
        max_held: 1 << 20,
        ..OpenOptions::default()
    };
    let blank = " ".repeat(3 << 20);
    let object = gzip(format!("{{\"jobs\": [{blank}]}}").as_bytes());
    let row = gzip(format!("[{{\"submitted_time\": 1, \"attempts\": []}}, {{{blank}").as_bytes());
    let archive = zip(&[("a", blank.as_bytes())], STORE);
    for (name, bytes) in [
        ("o.json.gz", object),
        ("r.json.gz", row),
        ("a.zip", archive),
    ] {
        let mut opening = Opening::new(options.clone());
        opening.begin(name).expect("a name");
        let pushed = bytes
            .chunks(1 << 12)
            .try_for_each(|slice| opening.push(slice));
        let message = pushed.expect_err(name).to_string();
        assert!(
            message.contains("has more than 1048576 bytes that have to be held"),
            "{message}"
        );
    }
}

#[test]
fn the_default_bounds_keep_records_in_memory() {
    let options = OpenOptions::default();
    // With a name of its own each.
    let record = std::mem::size_of::<switchyard_trace::Record>() as u64 + 32;
    assert!(options.max_rows * record < 3 << 30);
    assert!(options.max_bytes <= 2 << 30 && options.max_held <= options.max_bytes);
}

#[test]
fn records_take_the_room_that_their_file_needs() {
    // Of rows that grow longer, so that what is left of the file is not what is left of the jobs.
    let mut table = "job_id,submission_time,duration,num_gpu\n".to_owned();
    for job in 0..300_000 {
        table += &format!("{job},{job},{},1\n", 1 + job);
    }
    let mut opening = Opening::new(OpenOptions::default()).expecting(table.len() as u64);
    opening.begin("jobs.csv").expect("a name");
    for slice in table.as_bytes().chunks(1 << 16) {
        opening.push(slice).expect("rows");
    }
    let Ok(Opened::Trace(trace)) = opening.finish() else {
        panic!("a table is a trace");
    };
    assert_eq!(trace.records.len(), 300_000);
    let room = trace.records.capacity();
    assert!(room < 350_000, "{room}");
}

#[test]
fn a_table_is_no_cluster_of_any_size() {
    let nodes = "n,1,1,8,T4\n".repeat(7_000_000);
    let list = format!("sn,cpu_milli,memory_mib,gpu,model\n{nodes}");
    let message = refusal("nodes.csv", list.as_bytes());
    assert_eq!(
        message,
        "nodes.csv is not a job trace: it looks like a description of a cluster, but has more than 67108864 bytes: cut it to a row per node, or write the cluster as NODESxGPUS"
    );
}

//! Parts of GPUs that can be none.

use switchyard_trace::{DropReason, OpenOptions, Opened, SourceFile, open};

#[test]
fn a_share_above_one_is_left_out_and_named() {
    let table = "#switchyard 1\njob,submit,duration,gpus,gpu_milli\na,0,5,1,500\nb,0,5,1,1500\nc,0,5,1,-1\nd,0,5,1,x\ne,0,5,1,\nf,0,5,2,1000\n";
    let file = SourceFile {
        name: "e.csv",
        bytes: table.as_bytes(),
    };
    let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
        panic!("no trace");
    };
    let kept: Vec<(&str, f32)> = trace.records.iter().map(|r| (&*r.name, r.share)).collect();
    assert_eq!(kept, [("a", 0.5), ("e", 1.0), ("f", 1.0)]);
    let [dropped] = &trace.report.dropped[..] else {
        panic!("one reason");
    };
    assert_eq!(
        (dropped.reason, dropped.count),
        (DropReason::ShareInvalid, 3)
    );
    assert_eq!(dropped.example.line, 4);
    assert_eq!(dropped.example.detail, "gpu_milli is '1500'");
}

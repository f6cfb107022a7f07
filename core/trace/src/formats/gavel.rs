//! Gavel's traces: tabs, no header, jobs as numbers of training steps.
//!
//! Old, 7 columns: type, command, the steps' flag, whether data are needed, **steps**,
//! **arrival**, **GPUs**. Current, 10 columns: type, command, directory, the steps' flag, whether
//! data are needed, **steps**, **GPUs**, priority, SLO, **arrival**. Arrivals are seconds.
//!
//! A job's duration is its steps over the throughput of its type on as many V100s, measured by
//! Gavel's authors: the entries `["v100"][(type, GPUs)]["null"]` of `simulation_throughputs.json`,
//! in steps per second. Types that were measured on one GPU alone keep that throughput; the
//! report says so.
//!
//! Source: <https://github.com/stanford-futuredata/gavel> (MIT).

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, WarningKind, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::sink::{self, Draft, Sink};
use crate::sniff::{Evidence, Sniff};

pub(super) const FORMAT: Format = Format {
    id: "gavel",
    title: "Gavel",
    recognise: |sniff| {
        let width = [7, 10].into_iter().find(|&width| is_jobs(sniff, width))?;
        Some(Evidence {
            weight: width,
            text: format!(
                "{width} columns without a header, the first a job type such as 'LM (batch size 10)'"
            ),
        })
    },
    importer: |sniff, _| {
        let current = sniff.headerless().is_some_and(|row| row.len() == 10);
        Ok(Box::new(Gavel {
            columns: if current { CURRENT } else { OLD },
        }))
    },
};

/// Whether a table looks like Gavel's with so many columns.
pub(super) fn is_jobs(sniff: &Sniff<'_>, width: usize) -> bool {
    let Some([first, command, .., last]) = sniff.headerless() else {
        return false;
    };
    let typed = first.contains("(batch size") || throughput(first, 1).is_some();
    let rows = sniff.preview.iter().all(|row| row.len() == width);
    rows && sniff.delimiter() == b'\t'
        && typed
        && number(command).is_none()
        && number(last).is_some()
}

/// Where a table's columns stand, from 0.
struct Layout {
    steps: usize,
    arrival: usize,
    gpus: usize,
}

const OLD: Layout = Layout {
    steps: 4,
    arrival: 5,
    gpus: 6,
};

const CURRENT: Layout = Layout {
    steps: 5,
    arrival: 9,
    gpus: 6,
};

/// Steps per second of a job type on so many V100s.
fn throughput(model: &str, gpus: u32) -> Option<f64> {
    let (_, speeds) = THROUGHPUTS.iter().find(|(name, _)| *name == model)?;
    let at = GPUS.iter().position(|&count| count == gpus)?;
    speeds.get(at).copied().filter(|&speed| speed > 0.0)
}

/// The numbers of GPUs that were measured.
const GPUS: [u32; 4] = [1, 2, 4, 8];

/// Steps per second on 1, 2, 4 and 8 V100s; 0 where it was not measured.
#[rustfmt::skip]
const THROUGHPUTS: [(&str, [f64; 4]); 26] = [
    ("ResNet-18 (batch size 16)", [32.353384328946916, 100.14206200421837, 123.85376642692827, 382.5974422686407]),
    ("ResNet-18 (batch size 32)", [29.947157347732464, 94.24893164660543, 114.73342037584995, 340.0383618985821]),
    ("ResNet-18 (batch size 64)", [24.093231895382736, 74.13589143268821, 95.58814453205626, 255.82913926317391]),
    ("ResNet-18 (batch size 128)", [17.994906225052176, 23.985353059276264, 69.95051765177759, 162.09160717942794]),
    ("ResNet-18 (batch size 256)", [10.300256501360458, 15.882848624471642, 27.7820579015064, 81.5065873273903]),
    ("ResNet-50 (batch size 16)", [11.396129065315943, 13.859757680196113, 23.195585654383645, 27.799094635512898]),
    ("ResNet-50 (batch size 32)", [7.787264918596293, 10.834571175121209, 13.763229095099536, 24.067423556662327]),
    ("ResNet-50 (batch size 64)", [4.394774823323071, 7.922054367597505, 9.451949566394442, 17.303172756892167]),
    ("ResNet-50 (batch size 128)", [2.4967655780898292, 4.2230145549692715, 7.029294087316617, 10.293183147179176]),
    ("Transformer (batch size 16)", [11.06408721300405, 14.153819944879553, 20.0849760042163, 71.65168021872898]),
    ("Transformer (batch size 32)", [10.620893339463915, 13.328037548850137, 22.822511223673345, 63.97766004389649]),
    ("Transformer (batch size 64)", [8.61775899193302, 15.876496488983058, 19.65962221663049, 49.650700211670745]),
    ("Transformer (batch size 128)", [5.44610521981264, 10.069238394742342, 14.17451716526748, 30.88352104398441]),
    ("Transformer (batch size 256)", [1.5951407072133263, 2.8852436298687203, 4.763045770199511, 9.71702368412533]),
    ("A3C", [7.175767179667988, 0.0, 0.0, 0.0]),
    ("LM (batch size 5)", [109.16661771207029, 185.72383101933428, 126.71571815404346, 698.773292956699]),
    ("LM (batch size 10)", [81.65163491883021, 163.12902048608936, 121.4776195889045, 615.0934647748222]),
    ("LM (batch size 20)", [64.74245099960703, 132.17413449742747, 110.99685986392635, 497.2952582330656]),
    ("LM (batch size 40)", [45.23737155222392, 91.59265730806288, 96.0312451685392, 359.30692492331696]),
    ("LM (batch size 80)", [28.239955054085122, 58.09153801943523, 74.80729601169598, 231.17619885320647]),
    ("Recommendation (batch size 512)", [23.317634950657975, 0.0, 0.0, 0.0]),
    ("Recommendation (batch size 1024)", [13.2825697082565, 0.0, 0.0, 0.0]),
    ("Recommendation (batch size 2048)", [7.469632060833725, 0.0, 0.0, 0.0]),
    ("Recommendation (batch size 4096)", [3.9060505302376054, 0.0, 0.0, 0.0]),
    ("Recommendation (batch size 8192)", [2.841510364354536, 0.0, 0.0, 0.0]),
    ("CycleGAN", [4.426088263367452, 0.0, 0.0, 0.0]),
];

struct Gavel {
    columns: Layout,
}

impl Importer for Gavel {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, column)) = read(row, &self.columns, sink) {
            let cell = row.cell(column);
            let name = format!("column {}", column + 1);
            sink.drop(reason, row.line, &|| cell_is(&name, cell));
        }
    }

    fn units(&self) -> String {
        "Arrivals are seconds; durations are steps ÷ the throughput that Gavel's authors measured on V100s.".to_owned()
    }

    fn named(&self) -> bool {
        false
    }
}

/// Keeps a row, or tells the column to blame.
fn read(row: &Row<'_>, columns: &Layout, sink: &mut Sink) -> Result<(), (DropReason, usize)> {
    let value = |column, missing, invalid| {
        let cell = row.cell(column);
        number(cell).ok_or((if is_missing(cell) { missing } else { invalid }, column))
    };
    let (gpus, steps, arrival) = (columns.gpus, columns.steps, columns.arrival);
    let count = value(gpus, DropReason::GpusMissing, DropReason::GpusInvalid)?;
    let (count, share) = sink::gpus(count).map_err(|reason| (reason, gpus))?;
    let submit = value(
        arrival,
        DropReason::SubmitMissing,
        DropReason::SubmitInvalid,
    )?;
    let submit = sink::submit(submit).map_err(|reason| (reason, arrival))?;
    let total = value(
        steps,
        DropReason::DurationMissing,
        DropReason::DurationInvalid,
    )?;
    let model = row.cell(0);
    let measured = throughput(model, count);
    let speed = measured.or_else(|| throughput(model, 1));
    let speed = speed.ok_or((DropReason::ModelUnknown, 0))?;
    let duration = sink::duration(total / speed).map_err(|reason| (reason, steps))?;
    if measured.is_none() {
        let detail = || format!("{model} on {count} GPUs");
        let kind = WarningKind::SpeedOfOneGpu;
        sink.tally.warn(kind, 1, row.line, &detail);
    }
    sink.keep(Draft {
        line: row.line,
        name: "",
        submit,
        duration,
        gpus: count,
        share,
        tenant: "",
        model,
        batch: None,
        status: Status::Unknown,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const OLD: &[u8] = include_bytes!("../../../../tests/fixtures/gavel_old.trace");
    const CURRENT: &[u8] = include_bytes!("../../../../tests/fixtures/gavel.trace");

    #[test]
    fn seven_columns() {
        let trace = trace("gavel_old.trace", OLD);
        assert_eq!(trace.format, "gavel");
        assert_eq!(
            records(&trace),
            [
                "1 1 0 9999.995723437718 1 - LM (batch size 10) Unknown",
                "3 3 120.5 999999.9749618426 4 - A3C Unknown",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "model_unknown 1 4 column 1 is 'GPT (batch size 1)'",
                "duration_zero 1 2 column 5 is '0'",
            ]
        );
        assert_eq!(warnings(&trace), ["speed_of_one_gpu 1 3 A3C on 4 GPUs",]);
    }

    #[test]
    fn ten_columns() {
        let trace = trace("gavel.trace", CURRENT);
        assert_eq!(trace.format, "gavel");
        assert_eq!(
            records(&trace),
            [
                "1 1 0 99.99925997434335 4 - ResNet-18 (batch size 128) Unknown",
                "2 2 30.5 999.9119269947407 1 - Transformer (batch size 64) Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["no_gpus 1 3 column 7 is '0'",]);
    }
}

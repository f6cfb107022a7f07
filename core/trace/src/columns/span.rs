//! Where durations come from, and where a table tells two that differ.

use crate::report::WarningKind;
use crate::sink::Sink;
use crate::sniff::Column;
use crate::timestamp::TimeUnit;
use crate::wording::shorten;

/// Where durations come from.
#[derive(Clone, Debug)]
pub(crate) enum Span {
    /// A column of durations.
    Column(Column, TimeUnit),
    /// The time between two columns, on the submission's clock.
    Between(Column, Column),
    /// A column of durations, held against the time between two others, which also stands in
    /// where it is empty and the clock's unit is known.
    Checked {
        duration: Column,
        unit: TimeUnit,
        start: Column,
        end: Column,
    },
}

/// Durations that are not the time between start and end.
#[derive(Default)]
pub(crate) struct Disagreements {
    /// Of each of [`TimeUnit::ALL`], should it be the clock's.
    by_unit: [Disagreeing; TimeUnit::ALL.len()],
}

/// How many rows disagree, and the first one's line, duration and raw difference.
#[derive(Default)]
struct Disagreeing {
    count: u32,
    first: Option<(u32, f64, f64)>,
}

impl Disagreements {
    /// Compares what a row tells with the time between its start and end, whatever their unit.
    pub(super) fn note(&mut self, line: u32, duration: f64, between: f64) {
        for ((unit, _), found) in TimeUnit::ALL.iter().zip(&mut self.by_unit) {
            let span = unit.seconds(between);
            let apart = (span - duration).abs();
            if apart > 1.0 && apart > 0.01 * duration {
                found.count = found.count.saturating_add(1);
                found.first.get_or_insert((line, duration, between));
            }
        }
    }

    /// Warns of them, now that the clock's unit is known.
    pub(crate) fn warn(&self, unit: TimeUnit, span: &Span, sink: &mut Sink) {
        let mut all = TimeUnit::ALL.iter().zip(&self.by_unit);
        let found = all.find(|((of, _), _)| *of == unit).map(|(_, found)| found);
        if let (
            Some(Disagreeing {
                count,
                first: Some((line, told, between)),
            }),
            Span::Checked {
                duration,
                start,
                end,
                ..
            },
        ) = (found, span)
        {
            sink.tally
                .warn(WarningKind::DurationsDisagree, *count, *line, &|| {
                    format!(
                        "{} tells {told} s, {} − {} are {} s",
                        shorten(&duration.shown),
                        shorten(&end.shown),
                        shorten(&start.shown),
                        unit.seconds(*between)
                    )
                });
        }
    }
}

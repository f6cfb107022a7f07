//! Any table whose columns are named as people name them.
//!
//! Which column is which is [guessed](crate::guess) or said; what is said goes before. Start and end give the duration where
//! no column does, and are held against it where one does: it is taken, but may include the wait.
//! The keys of JSON objects serve as columns.
//!
//! Numbers without a unit: submissions that are Unix times tell their unit by their size,
//! everything else is taken as seconds, and the report says so.

use crate::columns::{Began, Clock, Columns, Span, missing_columns};
use crate::error::{OpenError, Role};
use crate::format::{Format, Importer};
use crate::guess::{Guess, Labelled, completed, cores, guess, text};
use crate::mapping::{ColumnMapping, TableHead, TimeRule};
use crate::report::{DropReason, WarningKind};
use crate::rows::{Row, number};
use crate::sink::{self, Sink};
use crate::sniff::{Column, Evidence, Sniff};
use crate::timestamp::{MAX_SECONDS, TimeUnit};
use crate::wording::shorten;
use crate::{Finite, Resource};

pub(super) const FORMAT: Format = Format {
    id: "generic-csv",
    title: "Table with recognised columns",
    accounting: false,
    recognise: |sniff| {
        let named = sniff.headerless().is_none() && sniff.is_mappable();
        named.then(|| Evidence {
            weight: 0,
            text: text(&guess(sniff).mapping),
        })
    },
    importer: |sniff, mapping| {
        Ok(Box::new(match mapping {
            Some(mapping) => Generic::mapped(sniff, mapping)?,
            None => Generic::guessed(sniff)?,
        }))
    },
};

pub(super) struct Generic {
    columns: Columns,
    mapping: ColumnMapping,
    table: TableHead,
    /// How times were read: a sentence.
    units: String,
    /// Whether the unit of the duration is a guess; `None`: it is end − start.
    duration_doubtful: Option<bool>,
}

impl Generic {
    fn guessed(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let Guess {
            mapping,
            duration_doubtful,
            limits,
        } = guess(sniff);
        let mut generic = Self::new(sniff, mapping, &limits)?;
        if let Some(doubtful) = &mut generic.duration_doubtful {
            *doubtful = duration_doubtful;
        }
        Ok(generic)
    }

    /// Columns by their names, all times in seconds.
    pub(super) fn in_seconds(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let Guess {
            mut mapping,
            limits,
            ..
        } = guess(sniff);
        mapping.unit = Some(TimeUnit::Seconds);
        mapping.duration_unit = mapping.duration_unit.and(Some(TimeUnit::Seconds));
        Self::new(sniff, mapping, &limits)
    }

    fn mapped(sniff: &Sniff<'_>, mapping: &ColumnMapping) -> Result<Self, OpenError> {
        // Whoever names a column to be counted means it, whatever is counted.
        let counted = mapping.gpus.is_some();
        let mut generic = Self::new(sniff, completed(sniff, mapping), &[])?;
        if counted && sniff.unit == Resource::Cores {
            generic.columns.cores = None;
            generic.columns.unit = Resource::Gpus;
        }
        Ok(generic)
    }

    fn new(
        sniff: &Sniff<'_>,
        mapping: ColumnMapping,
        limits: &[String],
    ) -> Result<Self, OpenError> {
        let column = |role: &str| sniff.mapped(&mapping, role);
        let (start, end) = (column("start")?, column("end")?);
        let submit = match column("submit")? {
            None => start.clone(),
            submit => submit,
        };
        let unit = mapping.duration_unit.or(mapping.unit);
        let unit = unit.unwrap_or(TimeUnit::Seconds);
        let span = match (column("duration")?, start.clone().zip(end)) {
            (Some(duration), Some((start, end))) => Some(Span::Checked {
                duration,
                unit,
                start,
                end,
            }),
            (Some(duration), None) => Some(Span::Column(duration, unit)),
            (None, Some((start, end))) => Some(Span::Between(start, end)),
            (None, None) => None,
        };
        let between = matches!(span, Some(Span::Between(..)));
        let duration_doubtful = (!between).then_some(false);
        // A number is one, unless a column is called so.
        let each = mapping.get("gpus").and_then(|text| {
            let is_column = sniff.column(&text.trim().to_ascii_lowercase()).is_some();
            number(text).filter(|_| !is_column)
        });
        let gpus = match each {
            Some(each) => Some(Column {
                name: String::new(),
                shown: format!("{each} GPUs each"),
                index: usize::MAX,
            }),
            None => column("gpus")?,
        };
        // Of gangs they say how many only where others run on cores alone.
        let count = sniff.unit == Resource::Cores || sniff.keeps_on_cores;
        let cores = cores(sniff).filter(|_| count).cloned();
        let counted = cores.clone().filter(|_| sniff.unit == Resource::Cores);
        let gpus = gpus.or(counted);
        let (Some(submit), Some(span), Some(gpus)) = (&submit, &span, &gpus) else {
            let missing = [
                (Role::Submit, submit.is_none()),
                (Role::Duration, span.is_none()),
                (Role::Gpus, gpus.is_none()),
            ];
            let missing = missing.into_iter().filter(|m| m.1).map(|m| m.0).collect();
            let hint = match limits.first() {
                Some(limit) if span.is_none() => {
                    format!(" ({} is a limit, not a duration)", shorten(limit))
                }
                _ => String::new(),
            };
            return Err(missing_columns(sniff, missing, hint, mapping));
        };
        let clock = match mapping.time {
            TimeRule::Dates | TimeRule::DayFirst | TimeRule::MonthFirst => Clock::Dates,
            TimeRule::Auto | TimeRule::Numbers => Clock::Unknown,
        };
        let mut columns = Columns::new(sniff, submit.clone(), clock, span.clone(), gpus.clone());
        match mapping.time {
            TimeRule::Numbers => columns.dates = Some(false),
            TimeRule::DayFirst => columns.day_first = Some(true),
            TimeRule::MonthFirst => columns.day_first = Some(false),
            TimeRule::Auto | TimeRule::Dates => {}
        }
        columns.each = each;
        columns.cores = cores.map(|column| (column, 1.0));
        columns.clock_unit = mapping.unit;
        columns.id = column("id")?;
        columns.workers = column("workers")?;
        columns.milli = column("gpu_milli")?;
        columns.tenant = column("tenant")?;
        columns.model = column("model")?;
        columns.status = column("status")?;
        columns.requested_time = column("requested_time")?.zip(Some(unit));
        columns.began = start.map_or(Began::Untold, Began::At);
        columns.labelled = Labelled::mapped(sniff, &mapping)?;
        Ok(Self {
            columns,
            table: sniff.head(ColumnMapping::default()),
            units: String::new(),
            mapping,
            duration_doubtful,
        })
    }

    /// The unit of submissions that are numbers, and whether it is beyond doubt.
    fn unit(&self, sink: &mut Sink) -> (TimeUnit, bool) {
        if let Some(unit) = self.mapping.unit {
            return (unit, true);
        }
        let jobs = sink.records.len();
        for unit in [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
            TimeUnit::Nanoseconds,
        ] {
            let fits = |submit: f64| TimeUnit::of_unix_time(submit) == Some(unit);
            let fitting = sink.records.iter().filter(|r| fits(r.submit)).count();
            // A few zeros among Unix times are missing values, not the year 1970.
            if jobs > 0 && fitting * 100 >= jobs * 99 {
                remove(sink, |submit| (!fits(submit)).then_some("no Unix time"));
                return (unit, true);
            }
        }
        // Thirty years of seconds are no seconds.
        let mut submits = sink.records.iter().map(|r| r.submit);
        let plausible = submits.all(|s| s <= 1e9 || s > MAX_SECONDS);
        (TimeUnit::Seconds, plausible)
    }
}

/// Drops records by their submission.
fn remove(sink: &mut Sink, why: impl Fn(f64) -> Option<&'static str>) {
    let tally = &mut sink.tally;
    sink.records.retain(|record| match why(record.submit) {
        Some(why) => {
            let detail = || format!("{} is {why}", record.submit);
            tally.drop(DropReason::SubmitOutOfRange, record.line, &detail);
            false
        }
        None => true,
    });
}

impl Importer for Generic {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        self.columns.row(row, sink);
    }

    fn finish(&mut self, sink: &mut Sink) {
        self.columns.finish(sink);
        let name = shorten(&self.columns.submit.shown);
        let mut doubts = Vec::new();
        let mut clock = self.columns.dates_text();
        let mut unit = TimeUnit::Seconds;
        if self.columns.dates != Some(true) {
            let sure;
            (unit, sure) = self.unit(sink);
            for record in &mut sink.records {
                record.submit = unit.seconds(record.submit);
                let start = record.start.map(|start| unit.seconds(start.get()));
                record.start = start.and_then(Finite::new);
                if self.duration_doubtful.is_none() {
                    record.duration = unit.seconds(record.duration);
                }
            }
            remove(sink, |submit| {
                sink::submit(submit)
                    .is_err()
                    .then_some("no time in seconds")
            });
            let unix = |submit| TimeUnit::of_unix_time(submit) == Some(TimeUnit::Seconds);
            let absolute = !sink.records.is_empty() && sink.records.iter().all(|r| unix(r.submit));
            sink.zero = absolute.then_some(0.0);
            let named = self.mapping.unit;
            clock = match (absolute, named) {
                (true, _) => format!("Unix time in {}", unit.text()),
                (false, Some(_)) => unit.text().to_owned(),
                (false, None) => "taken as seconds, since no unit is named".to_owned(),
            };
            if !sure {
                doubts.push(name.clone());
            }
        }
        // What end − start gives may be out of range only now.
        let tally = &mut sink.tally;
        sink.records
            .retain(|record| match sink::duration(record.duration) {
                Ok(_) => true,
                Err(reason) => {
                    let detail = || format!("{} s", record.duration);
                    tally.drop(reason, record.line, &detail);
                    false
                }
            });
        let span = match (&self.columns.span, self.duration_doubtful) {
            (Span::Between(start, end), _) => {
                format!("{} − {}", shorten(&end.shown), shorten(&start.shown))
            }
            (
                Span::Column(column, _)
                | Span::Checked {
                    duration: column, ..
                },
                _,
            ) if self.columns.spelled > 0 => {
                format!("{} in hours, minutes and seconds", shorten(&column.shown))
            }
            (
                Span::Column(column, unit)
                | Span::Checked {
                    duration: column,
                    unit,
                    ..
                },
                Some(false),
            ) => {
                format!("{} in {}", shorten(&column.shown), unit.text())
            }
            (
                Span::Column(column, _)
                | Span::Checked {
                    duration: column, ..
                },
                _,
            ) => {
                let long = sink.records.iter().filter(|r| r.duration > 1e7).count();
                // Half of the jobs longer than four months, or submissions that are not
                // seconds: the durations may not be seconds either.
                if long * 2 > sink.records.len() || unit != TimeUnit::Seconds {
                    doubts.push(shorten(&column.shown));
                }
                let name = shorten(&column.shown);
                format!("{name}, taken as seconds, since no unit is named")
            }
        };
        self.columns
            .disagreements
            .warn(unit, &self.columns.span, sink);
        if let Some(first) = doubts.first().cloned() {
            let kind = WarningKind::UnitAssumed;
            sink.tally
                .warn(kind, doubts.len() as u32, 0, &|| first.clone());
        }
        if self.mapping.submit.is_none() {
            let (kind, jobs) = (WarningKind::StartAsSubmit, sink.records.len() as u32);
            sink.tally
                .warn(kind, jobs, 0, &|| format!("{name} is all there is"));
        }
        self.units = format!("Submission: {name}, {clock}. Duration: {span}.");
        let dates = self.columns.dates == Some(true);
        self.mapping.unit = (!dates).then_some(unit);
        self.mapping.time = match (dates, self.columns.day_first) {
            (false, _) => TimeRule::Numbers,
            (true, None) => TimeRule::Dates,
            (true, Some(true)) => TimeRule::DayFirst,
            (true, Some(false)) => TimeRule::MonthFirst,
        };
        self.table.guess = self.mapping.clone();
        sink.table = Some(std::mem::take(&mut self.table));
    }

    fn units(&self) -> String {
        self.units.clone()
    }

    fn named(&self) -> bool {
        self.columns.named()
    }
}

#[cfg(test)]
mod tests {
    use crate::Resource;
    use crate::testing::{dropped, records, trace, try_open, warnings};

    macro_rules! fixture {
        ($name:literal) => {
            trace(
                $name,
                include_bytes!(concat!("../../../../tests/fixtures/", $name)),
            )
        };
    }

    #[test]
    fn commas_quotes_and_dates() {
        let trace = fixture!("generic_comma.csv");
        assert_eq!(trace.format, "generic-csv");
        assert_eq!(
            records(&trace),
            [
                "2 multi\nline, name 1689387540 660 8 nlp - Completed",
                "4 plain 1689387660 90 1 - - Running",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_missing 1 5 End Time is empty"]);
        assert_eq!(
            warnings(&trace),
            [
                "durations_disagree 1 2 Duration tells 660 s, End Time − Start Time are 600 s",
                "censored 1 4 had not ended",
                "fractional_gpus 1 4 0.5 GPUs"
            ]
        );
        assert_eq!(
            trace.report.recognised,
            "Table with recognised columns: columns by their names, id = Job Name, submission = Submit Time, start = Start Time, end = End Time, duration = Duration, GPUs = GPU Count, tenant = Project, status = State, account = Project."
        );
        assert_eq!(
            trace.report.units,
            "Submission: Submit Time, dates, UTC unless they have a zone. Duration: Duration, taken as seconds, since no unit is named."
        );
        assert_eq!(trace.epoch, Some(1_689_387_540.0));
    }

    #[test]
    fn semicolons_decimal_commas_and_ragged_rows() {
        let trace = fixture!("generic_semicolon.csv");
        assert_eq!(
            records(&trace),
            ["2 a 0 3.5 1 x - Unknown", "4 c 20 9 2 y - Unknown"]
        );
        assert_eq!(dropped(&trace), ["gpus_missing 1 3 gpus is empty"]);
        assert_eq!(warnings(&trace), ["ragged_rows 2 3 3 cells instead of 5"]);
    }

    #[test]
    fn tabs_units_and_workers() {
        let trace = fixture!("generic_tab.tsv");
        assert_eq!(
            records(&trace),
            [
                "2 a 1.5 120 1 - bert Unknown",
                "3 b 0.25 30 8 - bert Unknown"
            ]
        );
        assert_eq!(
            warnings(&trace),
            [
                "gangs_multiplied 1 3 4 workers with 2 GPUs each",
                "unsorted 1 3 submitted before the row above",
            ]
        );
        assert_eq!(
            trace.report.units,
            "Submission: time_ms, milliseconds. Duration: runtime_min in minutes."
        );
    }

    #[test]
    fn pipes_and_unix_milliseconds() {
        let trace = fixture!("generic_pipe.txt");
        assert_eq!(
            records(&trace),
            [
                "2 pod-0 1590000000 10.5 1 a100 - Completed",
                "3 pod-1 1590000010 10 8 v100 - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            ["duration_missing 1 4 deletion_time is empty"]
        );
        assert_eq!(warnings(&trace), ["fractional_gpus 1 2 0.46 GPUs"]);
        assert_eq!(
            trace.report.units,
            "Submission: creation_time, Unix time in milliseconds. Duration: deletion_time − scheduled_time."
        );
        assert_eq!(trace.epoch, Some(1_590_000_000.0));
    }

    #[test]
    fn what_is_ambiguous_is_taken_as_seconds_and_said() {
        let text =
            b"job_id,submit_time,duration,gpus\n1,1590000000000,60000,1\n2,1590000001000,1000,1\n";
        let millis = trace("millis.csv", text);
        assert_eq!(millis.records[0].submit, 1_590_000_000.0);
        assert_eq!(millis.records[0].duration, 60_000.0);
        assert_eq!(warnings(&millis), ["unit_assumed 1 0 duration"]);
        assert_eq!(
            millis.report.units,
            "Submission: submit_time, Unix time in milliseconds. Duration: duration, taken as seconds, since no unit is named."
        );
        let text = b"job_id,submit_time,duration,gpus\n1,0,60000000,1\n2,8600000000,60000000,1\n";
        let relative = trace("relative.csv", text);
        assert_eq!(warnings(&relative), ["unit_assumed 2 0 submit_time"]);
        assert_eq!(relative.epoch, None);
    }

    #[test]
    fn zeros_among_unix_times_are_no_times() {
        let mut text = "job_id,submit_time,duration,gpus\n0,0,60,1\n".to_owned();
        for job in 1..200 {
            text.push_str(&format!("{job},{},60,1\n", 1_590_000_000 + job));
        }
        let trace = trace("zeros.csv", text.as_bytes());
        assert_eq!(
            dropped(&trace),
            ["submit_out_of_range 1 2 0 is no Unix time"]
        );
        assert_eq!(trace.epoch, Some(1_590_000_001.0));
    }

    #[test]
    fn a_start_stands_in_for_the_submission() {
        let text = b"id,start_time,end_time,num_gpus\n1,10,40,1\n2,50,60,1\n";
        let trace = trace("starts.csv", text);
        assert_eq!(
            records(&trace),
            ["2 1 10 30 1 - - Unknown", "3 2 50 10 1 - - Unknown"]
        );
        assert_eq!(
            warnings(&trace),
            ["start_as_submit 2 0 start_time is all there is"]
        );
    }

    #[test]
    fn rows_may_begin_with_a_name_that_the_header_lacks() {
        let text = b"submit_time,duration,gpus\nx,0,5,1\ny,3,6,2\n";
        let trace = trace("rows.csv", text);
        assert_eq!(
            records(&trace),
            ["2 2 0 5 1 - - Unknown", "3 3 3 6 2 - - Unknown"]
        );
    }

    #[test]
    fn durations_go_before_start_and_end_and_are_held_against_them() {
        // The wait is in the second, the third has none, the last differs by a second.
        let text = b"id,submit,start,end,duration,gpus\n1,0,5,65,60,1\n2,0,5,65,600,1\n3,0,5,65,,1\n4,0,5,65,61,1\n";
        let trace = trace("both.csv", text);
        assert_eq!(
            records(&trace),
            [
                "2 1 0 60 1 - - Unknown",
                "3 2 0 600 1 - - Unknown",
                "5 4 0 61 1 - - Unknown"
            ]
        );
        assert_eq!(
            warnings(&trace)[0],
            "durations_disagree 1 3 duration tells 600 s, end − start are 60 s"
        );
    }

    #[test]
    fn where_durations_are_missing_start_and_end_stand_in() {
        // Dates have a unit.
        let text = b"id,submit,start,end,duration,gpus\n1,2023-01-01,2023-01-02,2023-01-03,60,1\n2,2023-01-01,2023-01-02,2023-01-03,,1\n";
        assert_eq!(trace("dates.csv", text).records[1].duration, 86_400.0);
        // A column without anything in it is none.
        let text = b"id,submit,start,end,duration,gpus\n1,0,5,9,,1\n2,0,5,8,,1\n";
        let empty = trace("empty.csv", text);
        assert_eq!(empty.records[1].duration, 3.0);
        assert!(empty.report.units.contains("end − start"));
    }

    #[test]
    fn milliseconds_between_start_and_end_agree_with_seconds() {
        let text = b"id,submit,start,end,duration_s,gpus\n1,1590000000000,1590000001000,1590000061000,60,1\n";
        let trace = trace("mixed.csv", text);
        assert_eq!(trace.records[0].duration, 60.0);
        assert_eq!(warnings(&trace), [""; 0]);
    }

    #[test]
    fn durations_in_hours_minutes_and_seconds() {
        let text = b"job_id,submit_time,duration,num_gpus\na,0,01:30:00,1\nb,1,1-00:00:00,2\nc,2,2 days 03:00:00,1\nd,3,0:05:00.5,1\ne,4,01:30,1\n";
        let trace = trace("hms.csv", text);
        let durations: Vec<f64> = trace.records.iter().map(|r| r.duration).collect();
        assert_eq!(durations, [5400.0, 86_400.0, 183_600.0, 300.5, 90.0]);
        assert!(
            trace
                .report
                .units
                .ends_with("Duration: duration in hours, minutes and seconds.")
        );
        assert_eq!(warnings(&trace), ["minutes_assumed 1 6 '01:30'"]);
        let text = b"job_id,submit_time,duration,num_gpus\na,0,PT1H,1\nb,1,PT5M30S,2\nc,2,1h30m,1\nd,3,\"1,234\",1\n";
        let units = trace_of(text);
        assert_eq!(units, [3600.0, 330.0, 5400.0, 1234.0]);
    }

    fn trace_of(text: &[u8]) -> Vec<f64> {
        let trace = trace("t.csv", text);
        trace.records.iter().map(|record| record.duration).collect()
    }

    #[test]
    fn what_has_not_ended_or_begun_is_called_so() {
        let numbers = "job_id,submit_time,start_time,end_time,num_gpus\na,1893492000,1893492060,1893495660,1\nb,1893492001,1893492061,0,2\nc,1893492002,0,0,1\nd,1893492003,1893492070,1893492069,1\n";
        let dates = "job_id,submit_time,start_time,end_time,num_gpus\na,2030-01-07T10:00:00,2030-01-07T10:01:00,2030-01-07T11:01:00,1\nb,2030-01-07T10:00:00,2030-01-07T10:01:00,1970-01-01T01:00:00,2\nc,2030-01-07T10:00:00,1970-01-01,1970-01-01,2\nd,2030-01-07T10:00:00,2030-01-07T10:01:00,2030-01-07T10:00:59,2\n";
        for text in [numbers, dates] {
            let trace = trace("t.csv", text.as_bytes());
            assert_eq!(trace.records.len(), 1);
            let seen: Vec<_> = trace
                .report
                .dropped
                .iter()
                .map(|of| (of.reason.id(), of.example.line))
                .collect();
            assert_eq!(
                seen,
                [("not_ended", 3), ("not_begun", 4), ("duration_negative", 5)]
            );
        }
    }

    #[test]
    fn cores_are_no_gpus_unless_they_are_said_to_be() {
        let text = b"job_id,submit,duration,num_cores\n1,0,60,8\n";
        let error = try_open("t.csv", text).unwrap_err().to_string();
        assert!(
            error.contains("jobs ask for cores, not GPUs (1 job, 0.13 core·h)"),
            "{error}"
        );
        let counted = |unit, map: &str| {
            let options = crate::OpenOptions {
                mapping: map.parse().ok(),
                unit,
                ..crate::OpenOptions::default()
            };
            let name = "t.csv";
            let bytes = b"job_id,submit,duration,num_cores,half\n1,0,60,8,4\n";
            match crate::open(&[crate::SourceFile { name, bytes }], &options) {
                Ok(crate::Opened::Trace(trace)) => (trace.records[0].gpus, trace.unit),
                other => panic!("no trace: {other:?}"),
            }
        };
        for unit in [Resource::Gpus, Resource::Cores] {
            assert_eq!(counted(unit, "gpus=num_cores"), (8, unit));
            assert_eq!(counted(unit, "gpus=half"), (4, unit));
        }
    }

    #[test]
    fn gpus_of_each_node_are_multiplied() {
        let text =
            b"job_id,submit_time,duration,num_nodes,gpus_per_node\na,0,3600,2,8\nb,60,1800,1,4\n";
        let gpus: Vec<u32> = trace("t.csv", text)
            .records
            .iter()
            .map(|r| r.gpus)
            .collect();
        assert_eq!(gpus, [16, 4]);
        // Nodes alone multiply nothing, and GPUs of nodes that nobody counts are no number.
        let text = b"job_id,submit_time,duration,num_nodes,num_gpus\na,0,3600,2,8\n";
        assert_eq!(trace("t.csv", text).records[0].gpus, 8);
        let error = try_open(
            "t.csv",
            b"job_id,submit_time,duration,gpus_per_node\na,0,3600,2\n",
        );
        assert!(error.unwrap_err().to_string().contains("how many GPUs"));
    }

    #[test]
    fn dates_as_people_and_programs_write_them() {
        for (first, second) in [
            ("3/1/30 10:00 AM", "3/13/30 1:05 PM"),
            ("Fri Mar  1 10:00:00 2030", "Wed Mar 13 13:05:00 2030"),
            ("2030-03-01T10:00:00Z", "2030-03-13T14:05:00+01:00"),
        ] {
            let text = format!(
                "id,submitted_at,started_at,finished_at,gpu_count\n1,{first},{first},{second},2\n"
            );
            let trace = trace("t.csv", text.as_bytes());
            assert_eq!(
                trace.records[0].duration,
                12.0 * 86_400.0 + 11_100.0,
                "{first}"
            );
        }
    }

    #[test]
    fn tables_of_spreadsheets_and_databases() {
        let expected = ["2 a 0 10.5 1 - - Unknown", "3 b 5 20 2 - - Unknown"];
        let lines = |text: &str| -> Vec<String> {
            let all = records(&trace("t", text.as_bytes()));
            all.iter()
                .map(|of| of.split_once(' ').expect("a line").1.to_owned())
                .collect()
        };
        let expected: Vec<&str> = expected
            .iter()
            .map(|of| of.split_once(' ').expect("a line").1)
            .collect();
        for text in [
            "sep=;\njob;submit;duration;gpus\na;0;10,5;1\nb;5;20;2\n",
            "\"sep=,\"\r\njob,submit,duration,gpus\r\na,0,10.5,1\r\nb,5,20,2\r\n",
            "+-----+--------+----------+------+\n| job | submit | duration | gpus |\n+-----+--------+----------+------+\n| a   |      0 |     10.5 |    1 |\n| b   |      5 |       20 |    2 |\n+-----+--------+----------+------+\n2 rows in set (0.00 sec)\n",
            " job | submit | duration | gpus \n-----+--------+----------+------\n a   |      0 |     10.5 |    1\n b   |      5 |       20 |    2\n(2 rows)\n",
            "| job | submit | duration | gpus |\n|-----|-------:|:--------:|------|\n| a | 0 | 10.5 | 1 |\n| b | 5 | 20 | 2 |\n",
        ] {
            assert_eq!(lines(text), expected, "{text}");
            assert_eq!(warnings(&trace("t", text.as_bytes())), [""; 0], "{text}");
        }
    }

    #[test]
    fn jobs_within_an_object() {
        let jobs = "[\n {\"id\": 1, \"submit_time\": 0, \"duration\": 60, \"num_gpus\": 1},\n {\"id\": 2, \"submit_time\": 5, \"duration\": 120, \"num_gpus\": 2}]";
        for text in [
            format!("{{\"name\": [1, {{\"a\": 2}}], \"jobs\":{jobs}, \"end\": []}}"),
            format!("{{\"other\": [{{\"a\": 2}}], \"trace\": {jobs}}}"),
        ] {
            let trace = trace("t.json", text.as_bytes());
            assert_eq!(trace.format, "generic-csv");
            assert_eq!(
                records(&trace),
                ["2 1 0 60 1 - - Unknown", "3 2 5 120 2 - - Unknown"]
            );
        }
        let error = try_open("t.json", b"{\"jobs\": [{\"cat\": 1}]}").unwrap_err();
        assert_eq!(error.table().expect("it can be mapped").columns, ["cat"]);
    }

    const DATES: &str = "job_id,submit_time,duration,num_gpus\n";

    #[test]
    fn a_row_tells_how_all_dates_are_read() {
        let (first, late) = (1_677_664_800.0, 1_679_911_200.0);
        let day = format!("{DATES}1,01/03/2023 10:00:00,60,1\n2,27/03/2023 10:00:00,60,1\n");
        let month = format!("{DATES}1,03/01/2023 10:00,60,1\n2,3/27/2023 10:00 AM,60,1\n");
        for (text, order) in [(day, "day before month"), (month, "month before day")] {
            let trace = trace("dates.csv", text.as_bytes());
            let submits: Vec<f64> = trace.records.iter().map(|r| r.submit).collect();
            assert_eq!(submits, [first, late], "{order}");
            assert_eq!(trace.epoch, Some(first));
            assert_eq!(warnings(&trace), [""; 0]);
            let units = &trace.report.units;
            assert!(
                units.contains(order) && units.contains("in line 3 tells"),
                "{units}"
            );
        }
    }

    #[test]
    fn dates_that_no_row_explains() {
        // A week of January, or the first of seven months.
        let rows: String = (1..8)
            .map(|day| format!("{day},01/0{day}/2023,60,1\n"))
            .collect();
        let month = trace("month.csv", format!("{DATES}{rows}").as_bytes());
        assert_eq!(
            month.records[6].submit - month.records[0].submit,
            6.0 * 86_400.0
        );
        assert_eq!(
            warnings(&month),
            ["dates_ambiguous 6 3 '01/02/2023' was read month first"]
        );
        // The guess, as a mapping, gives the same; and it can be corrected.
        let guess = month
            .report
            .table
            .as_ref()
            .expect("a table")
            .guess
            .to_string();
        assert!(guess.ends_with("time=month-first"), "{guess}");
        let day = guess.replace("month-first", "day-first");
        let text = format!("{DATES}{rows}");
        let file = crate::SourceFile {
            name: "day.csv",
            bytes: text.as_bytes(),
        };
        let options = crate::OpenOptions {
            mapping: Some(day.parse().expect("a mapping")),
            ..Default::default()
        };
        let Ok(crate::Opened::Trace(day)) = crate::open(&[file], &options) else {
            panic!("no trace");
        };
        assert_eq!(
            day.records[1].submit - day.records[0].submit,
            31.0 * 86_400.0
        );
    }

    #[test]
    fn jobs_in_json() {
        let array = "[{\"job_id\": 1, \"submit_time\": 0, \"duration\": 100, \"num_gpus\": 1},\n {\"job_id\": \"b\", \"num_gpus\": 2, \"duration\": 9.5, \"submit_time\": 5, \"vc\": \"x\"},\n {\"job_id\": 3, \"duration\": null, \"submit_time\": 5, \"num_gpus\": 1}, {]";
        let array = trace("jobs.json", array.as_bytes());
        assert_eq!(array.format, "generic-csv");
        assert_eq!(
            records(&array),
            ["1 1 0 100 1 - - Unknown", "2 b 5 9.5 2 x - Unknown"]
        );
        assert_eq!(
            dropped(&array),
            [
                "row_truncated 1 3 the file ends here",
                "duration_missing 1 3 duration is empty"
            ]
        );
        let lines = b"{\"job_id\": 1, \"submit_time\": 0, \"duration\": 100, \"num_gpus\": 1}\n\n{\"job_id\": 2, \"submit_time\": 5, \"duration\": \"01:00:00\", \"num_gpus\": 2}\n{\"job_id\n{}\n";
        let lines = trace("jobs.jsonl", lines);
        assert_eq!(
            records(&lines),
            ["1 1 0 100 1 - - Unknown", "3 2 5 3600 2 - - Unknown"]
        );
        assert_eq!(lines.report.dropped[0].reason.id(), "json_malformed");
        // Keys of a published trace make it one.
        let itp = b"[{\"job_id\": \"a\", \"submission_time\": 0, \"duration\": 5, \"num_gpu\": 1}]";
        assert_eq!(trace("itp.json", itp).format, "ms-itp");
        let error = try_open("cats.json", b"[{\"cat\": 1}, {\"cat\": 2}]").unwrap_err();
        assert_eq!(error.table().expect("it can be mapped").columns, ["cat"]);
    }

    #[test]
    fn words_between_blanks_are_a_table() {
        let text = "job submit duration gpus\n1 0 60 2\n2   5\t60 1,231\n";
        let trace = trace("words.txt", text.as_bytes());
        assert_eq!(records(&trace), ["2 1 0 60 2 - - Unknown"]);
        assert_eq!(dropped(&trace), ["gpus_invalid 1 3 gpus is '1,231'"]);
    }
}

//! Moments as dates: what the clocks of a time zone show, and where on them days, weeks, months and years begin.
//!
//! A [`Zone`] knows the changes of its offset over the span of a trace and nothing of rules: whoever has those
//! (a browser's `Intl`) is asked once, so that a date costs a search among a few numbers. Days and dates are those
//! of the Gregorian calendar, by the algorithms of Howard Hinnant ("chrono-compatible low-level date algorithms").

use std::fmt::Write;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

/// No zone is further from UTC, seconds.
const FARTHEST: i64 = 18 * HOUR;

/// How often a zone's offset is asked for: changes are further apart everywhere.
const LOOK_EVERY: i64 = 7 * DAY;

/// A zone's offset is asked for at most so often, but for the halvings around changes.
const MOST_LOOKS: i64 = 4000;

/// No ticks are further apart.
const MOST_YEARS: i64 = 10_000_000;

/// Dates end here, Unix seconds: thirty million years away.
const END: f64 = 1e15;

/// A tick that stands a moment before the second it is meant for belongs to that.
const ROUNDING: f64 = 1e-3;

const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The clocks of a place over some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// Its offset before the first change, seconds east of UTC.
    first: i64,
    /// When it changes, Unix seconds, and to what.
    changes: Vec<(i64, i64)>,
}

impl Zone {
    /// One that is always so many seconds east of UTC.
    pub fn fixed(offset: i64) -> Self {
        Self {
            first: offset.clamp(-FARTHEST, FARTHEST),
            changes: Vec::new(),
        }
    }

    /// One whose offset at a Unix second is what `offset_at` says, from one second to another: changes are
    /// found by looking often enough, and halving where it has changed. `None` where it says nothing.
    pub fn between(from: i64, to: i64, offset_at: impl Fn(i64) -> Option<i64>) -> Option<Self> {
        let every = LOOK_EVERY.max(to.saturating_sub(from) / MOST_LOOKS);
        let mut zone = Self::fixed(offset_at(from)?);
        let (mut at, mut offset) = (from, zone.first);
        while at < to {
            let next = at + every;
            let there = offset_at(next)?;
            let (mut before, mut after) = (at, next);
            while there != offset && after - before > 1 {
                let middle = before + (after - before) / 2;
                if offset_at(middle)? == offset {
                    before = middle;
                } else {
                    after = middle;
                }
            }
            if there != offset {
                zone.changes.push((after, there));
            }
            (at, offset) = (next, there);
        }
        Some(zone)
    }

    /// Its offset at a Unix second.
    fn offset(&self, at: i64) -> i64 {
        let changed = self.changes.partition_point(|&(from, _)| from <= at);
        let last = changed.checked_sub(1).and_then(|i| self.changes.get(i));
        last.map_or(self.first, |&(_, offset)| offset)
    }

    /// The Unix second at which its clocks show a local time; of two the earlier one, and where they skip it
    /// the moment at which they do.
    fn unix(&self, local: i64) -> i64 {
        let mut offset = self.first;
        for &(at, next) in &self.changes {
            if local - offset < at {
                break;
            }
            if local - next < at {
                return at;
            }
            offset = next;
        }
        local - offset
    }
}

/// An offset as people write it: `+02:00`, `-0530`, `UTC+1`, `UTC`, `Z`; seconds east of UTC.
pub fn offset_of(text: &str) -> Option<i64> {
    let rest = ["UTC", "GMT", "Z"]
        .iter()
        .find_map(|name| text.strip_prefix(name));
    if rest == Some("") {
        return Some(0);
    }
    let rest = rest.unwrap_or(text).replace('−', "-");
    let sign = if rest.starts_with('-') { -1 } else { 1 };
    let digits = rest.strip_prefix(['+', '-'])?;
    let parts: Vec<&str> = match (digits.contains(':'), digits.len()) {
        (true, _) => digits.split(':').collect(),
        (false, 4) if digits.is_ascii() => vec![&digits[..2], &digits[2..]],
        (false, _) => vec![digits],
    };
    let mut seconds = 0;
    for (part, (unit, most)) in parts.iter().zip([(HOUR, 18), (MINUTE, 59), (1, 59)]) {
        let is_whole = !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
        let number: i64 = part.parse().ok().filter(|n| is_whole && *n <= most)?;
        seconds += number * unit;
    }
    (parts.len() <= 3 && seconds <= FARTHEST).then_some(sign * seconds)
}

/// Days from 1970-01-01 to a date; months from 1.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day so many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The day of the week, Monday 0.
fn weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7)
}

fn monday_before(days: i64) -> i64 {
    days - weekday(days)
}

/// Between the ticks of an axis of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many seconds of the clock, a part of a day.
    Seconds(i64),
    /// Some days of each week, Monday 0, and the least days between them.
    Weekdays(&'static [i64], i64),
    /// Mondays, so many weeks apart.
    Weeks(i64),
    /// Firsts of months, so many months apart.
    Months(i64),
    /// Firsts of January, so many years apart.
    Years(i64),
}

/// Steps that people count dates in, up to years.
#[rustfmt::skip]
const STEPS: [Step; 26] = [
    Step::Seconds(1), Step::Seconds(2), Step::Seconds(5), Step::Seconds(10), Step::Seconds(15), Step::Seconds(30),
    Step::Seconds(MINUTE), Step::Seconds(2 * MINUTE), Step::Seconds(5 * MINUTE), Step::Seconds(10 * MINUTE),
    Step::Seconds(15 * MINUTE), Step::Seconds(30 * MINUTE),
    Step::Seconds(HOUR), Step::Seconds(2 * HOUR), Step::Seconds(3 * HOUR), Step::Seconds(6 * HOUR), Step::Seconds(12 * HOUR),
    Step::Weekdays(&[0, 1, 2, 3, 4, 5, 6], 1), Step::Weekdays(&[0, 2, 4], 2), Step::Weekdays(&[0, 3], 3),
    Step::Weeks(1), Step::Weeks(2),
    Step::Months(1), Step::Months(2), Step::Months(3), Step::Months(6),
];

impl Step {
    /// The smallest step of which at most `most` go into `span` seconds.
    pub fn of(span: f64, most: f64) -> Self {
        let least = span / most.max(1.0);
        let fits = |step: &&Step| step.least() as f64 >= least;
        if let Some(step) = STEPS.iter().find(fits) {
            return *step;
        }
        let decades = (0..7).map(|power| 10i64.pow(power));
        let mut years = decades.flat_map(|decade| [1, 2, 5].map(|digit| digit * decade));
        let years = years.find(|years| (years * 365 * DAY) as f64 >= least);
        Step::Years(years.unwrap_or(MOST_YEARS))
    }

    /// The least seconds from one tick to the next, but for clocks that are set.
    fn least(self) -> i64 {
        match self {
            Self::Seconds(seconds) => seconds,
            Self::Weekdays(_, days) => days * DAY,
            Self::Weeks(weeks) => weeks * 7 * DAY,
            // February; two of them have March.
            Self::Months(1) => 28 * DAY,
            Self::Months(months) => months * 59 * DAY / 2,
            Self::Years(years) => years * 365 * DAY,
        }
    }

    /// Whether its ticks are times of the day.
    pub fn is_within_days(self) -> bool {
        matches!(self, Self::Seconds(_))
    }
}

/// The dates of a trace: its clock's time 0 in Unix seconds, and the zone whose clocks are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Calendar {
    epoch: f64,
    zone: Zone,
    /// Whether dates need their year: the trace spans more than one.
    with_years: bool,
}

impl Calendar {
    /// The calendar of a trace that begins at a Unix second and spans so many.
    pub fn new(epoch: f64, span: f64, zone: Zone) -> Self {
        let mut calendar = Self {
            epoch,
            zone,
            with_years: false,
        };
        calendar.with_years = calendar.date(0.0).0 != calendar.date(span.max(0.0)).0;
        calendar
    }

    /// The Unix second of a moment.
    fn unix(&self, moment: f64) -> i64 {
        (self.epoch + moment + ROUNDING).floor().clamp(-END, END) as i64
    }

    /// What the clocks show at a Unix second, as seconds of their own since 1970.
    fn local(&self, unix: i64) -> i64 {
        unix.saturating_add(self.zone.offset(unix))
    }

    /// The moment at which the clocks show a local time.
    fn moment(&self, local: i64) -> f64 {
        self.zone.unix(local) as f64 - self.epoch
    }

    /// The day of a moment, days since 1970-01-01 on its clocks.
    fn day(&self, moment: f64) -> i64 {
        self.local(self.unix(moment)).div_euclid(DAY)
    }

    /// Year, month from 1, and day of a moment.
    pub fn date(&self, moment: f64) -> (i64, i64, i64) {
        date_of(self.day(moment))
    }

    /// A moment to the minute, with the year where that is needed: `Tue 12 Mar 14:05`; to the second where one
    /// looks as closely.
    pub fn time(&self, moment: f64, to_the_second: bool) -> String {
        let mut text = self.day_text(self.day(moment), self.with_years);
        text.push(' ');
        self.write_clock(&mut text, moment, to_the_second);
        text
    }

    /// A moment to the second, with its year: `Tue 12 Mar 2024 14:05:09`.
    pub fn exact(&self, moment: f64) -> String {
        let mut text = self.day_text(self.day(moment), true);
        text.push(' ');
        self.write_clock(&mut text, moment, true);
        text
    }

    /// What the clocks show at a moment: `14:05`, `14:05:09`.
    pub fn clock(&self, moment: f64, to_the_second: bool) -> String {
        let mut text = String::with_capacity(8);
        self.write_clock(&mut text, moment, to_the_second);
        text
    }

    /// Whether two moments are of one day.
    pub fn is_one_day(&self, a: f64, b: f64) -> bool {
        self.day(a) == self.day(b)
    }

    /// The day of a moment, as short as it can be: `12 Mar`.
    pub fn day_of(&self, moment: f64) -> String {
        let (_, month, day) = self.date(moment);
        format!("{day} {}", MONTHS[month as usize - 1])
    }

    /// The year of a moment.
    pub fn year_of(&self, moment: f64) -> String {
        self.date(moment).0.to_string()
    }

    fn day_text(&self, day: i64, with_year: bool) -> String {
        let (year, month, of_month) = date_of(day);
        let weekday = WEEKDAYS[weekday(day) as usize];
        let month = MONTHS[month as usize - 1];
        match with_year {
            true => format!("{weekday} {of_month} {month} {year}"),
            false => format!("{weekday} {of_month} {month}"),
        }
    }

    fn write_clock(&self, text: &mut String, moment: f64, to_the_second: bool) {
        let second = self.local(self.unix(moment)).rem_euclid(DAY);
        let (hour, minute) = (second / HOUR, second / MINUTE % 60);
        // Writing to a string does not fail.
        let _ = write!(text, "{hour:02}:{minute:02}");
        if to_the_second {
            let _ = write!(text, ":{:02}", second % MINUTE);
        }
    }

    /// The ticks between two moments, in order.
    pub fn ticks(&self, from: f64, to: f64, step: Step) -> Vec<f64> {
        let (first, last) = (self.day(from), self.day(to));
        let begins = |day: i64| self.moment(day.saturating_mul(DAY));
        let mut ticks: Vec<f64> = match step {
            Step::Seconds(seconds) => return self.ticks_within_days(from, to, seconds),
            Step::Weekdays(days, _) => (first..=last)
                .filter(|&day| days.contains(&weekday(day)))
                .map(begins)
                .collect(),
            Step::Weeks(weeks) => {
                // Counted from the Monday of 1970's first week, so that ticks stay where they are.
                let every = 7 * weeks;
                let week = monday_before(first) + 3;
                let start = week - week.rem_euclid(every) - 3;
                (0..)
                    .map(|i| start + i * every)
                    .take_while(|&day| day <= last)
                    .map(begins)
                    .collect()
            }
            Step::Months(months) => {
                let (year, month, _) = date_of(first);
                let start = (year * 12 + month - 1).div_euclid(months) * months;
                (0..)
                    .map(|i| start + i * months)
                    .map(|at| days_to(at.div_euclid(12), at.rem_euclid(12) + 1, 1))
                    .take_while(|&day| day <= last)
                    .map(begins)
                    .collect()
            }
            Step::Years(years) => {
                let start = date_of(first).0.div_euclid(years) * years;
                (0..)
                    .map(|i| days_to(start + i * years, 1, 1))
                    .take_while(|&day| day <= last)
                    .map(begins)
                    .collect()
            }
        };
        ticks.retain(|&tick| tick >= from && tick <= to);
        ticks
    }

    /// Multiples of so many seconds on the clocks, from one change of their offset to the next.
    fn ticks_within_days(&self, from: f64, to: f64, step: i64) -> Vec<f64> {
        let (first, last) = (
            (self.epoch + from).ceil().clamp(-END, END) as i64,
            (self.epoch + to).floor().clamp(-END, END) as i64,
        );
        let changes = self.zone.changes.iter().map(|&(at, _)| at);
        let changes = changes.filter(|at| (first + 1..=last).contains(at));
        let starts: Vec<i64> = std::iter::once(first).chain(changes).collect();
        let mut ticks = Vec::new();
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).map_or(last, |next| next - 1);
            let offset = self.zone.offset(start);
            if i > 0 && self.local(start).div_euclid(DAY) > self.local(start - 1).div_euclid(DAY) {
                // Clocks that skip midnight begin their day here.
                ticks.push(start as f64 - self.epoch);
            }
            let mut local = (start + offset + step - 1).div_euclid(step) * step;
            while local - offset <= end {
                let tick = (local - offset) as f64 - self.epoch;
                if ticks.last().is_none_or(|&before| before < tick) {
                    ticks.push(tick);
                }
                local += step;
            }
        }
        ticks
    }

    /// What a tick says: what begins there, as the ticks beside it let one read it.
    pub fn tick_label(&self, tick: f64, step: Step) -> String {
        let begins_day = || self.day(tick) != self.day(tick - 1.0);
        match step {
            Step::Seconds(_) if begins_day() => self.day_text(self.day(tick), false),
            Step::Seconds(seconds) => self.clock(tick, seconds % MINUTE != 0),
            Step::Weekdays(..) | Step::Weeks(_) => {
                let day = self.day(tick);
                // The first one of a year says so.
                let is_new = self.with_years && date_of(day).1 == 1 && date_of(day).2 <= 7;
                match is_new {
                    true => self.day_text(day, true)[4..].to_owned(),
                    false => self.day_text(day, false),
                }
            }
            Step::Months(_) => {
                let (year, month, _) = self.date(tick);
                let name = MONTHS[month as usize - 1];
                match month {
                    1 => format!("{name} {year}"),
                    _ => name.to_owned(),
                }
            }
            Step::Years(_) => self.year_of(tick),
        }
    }

    /// Saturdays and Sundays between two moments: from when to when.
    pub fn weekends(&self, from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
        let first = monday_before(self.day(from));
        let begins = |day: i64| self.moment(day.saturating_mul(DAY));
        (0..)
            .map(move |week| first + 7 * week + 5)
            .map(move |saturday| (begins(saturday), begins(saturday + 2)))
            .take_while(move |&(start, _)| start < to)
            .filter(move |&(_, end)| end > from)
            .map(move |(start, end)| (start.max(from), end.min(to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Midnight, UTC.
    fn utc(year: i64, month: i64, day: i64) -> i64 {
        days_to(year, month, day) * DAY
    }

    fn last_sunday(year: i64, month: i64) -> i64 {
        let last = days_to(year, month, 31);
        last - (weekday(last) + 1) % 7
    }

    /// From the last Sundays of March to October, at 01:00 UTC.
    fn berlin() -> Zone {
        let rule = |at: i64| {
            let (year, ..) = date_of(at.div_euclid(DAY));
            let [spring, autumn] = [3, 10].map(|month| last_sunday(year, month) * DAY + HOUR);
            Some(if (spring..autumn).contains(&at) { 2 } else { 1 } * HOUR)
        };
        Zone::between(utc(2023, 12, 1), utc(2025, 12, 1), rule).expect("it always says something")
    }

    /// From the second Sunday of March to the first of November, at 02:00 of its clocks.
    fn new_york() -> Zone {
        let rule = |at: i64| {
            let (year, ..) = date_of(at.div_euclid(DAY));
            let sunday = |month, after| {
                let day = days_to(year, month, after);
                day + (6 - weekday(day))
            };
            let (spring, autumn) = (
                sunday(3, 8) * DAY + 7 * HOUR,
                sunday(11, 1) * DAY + 6 * HOUR,
            );
            Some(-if (spring..autumn).contains(&at) { 4 } else { 5 } * HOUR)
        };
        Zone::between(utc(2023, 12, 1), utc(2025, 12, 1), rule).expect("it always says something")
    }

    fn calendar(zone: Zone, from: i64) -> Calendar {
        Calendar::new(from as f64, 10.0 * DAY as f64, zone)
    }

    fn labels(of: &Calendar, from: f64, to: f64, step: Step) -> Vec<String> {
        let ticks = of.ticks(from, to, step);
        ticks.iter().map(|&at| of.tick_label(at, step)).collect()
    }

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!(days_to(1970, 1, 1), 0);
        assert_eq!(days_to(2000, 3, 1), 11_017);
        for days in (-800_000..3_000_000).step_by(97) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_to(year, month, day), days);
            assert!((1..=12).contains(&month) && (1..=31).contains(&day));
        }
        assert_eq!(date_of(days_to(2024, 2, 28) + 1), (2024, 2, 29));
        assert_eq!(date_of(days_to(2023, 2, 28) + 1), (2023, 3, 1));
    }

    #[test]
    fn zones_change_where_their_clocks_are_set() {
        let changes = [
            (utc(2024, 3, 31) + HOUR, 2 * HOUR),
            (utc(2024, 10, 27) + HOUR, HOUR),
            (utc(2025, 3, 30) + HOUR, 2 * HOUR),
            (utc(2025, 10, 26) + HOUR, HOUR),
        ];
        assert_eq!(berlin().changes, changes);
        assert_eq!(
            new_york().changes[0],
            (utc(2024, 3, 10) + 7 * HOUR, -4 * HOUR)
        );
        assert_eq!(
            new_york().changes[1],
            (utc(2024, 11, 3) + 6 * HOUR, -5 * HOUR)
        );
    }

    #[test]
    fn moments_read_as_people_say_them() {
        let utc_clock = calendar(Zone::default(), utc(2024, 3, 12));
        let at = (14 * HOUR + 5 * MINUTE + 9) as f64;
        assert_eq!(utc_clock.time(at, false), "Tue 12 Mar 14:05");
        assert_eq!(utc_clock.time(at, true), "Tue 12 Mar 14:05:09");
        assert_eq!(utc_clock.exact(at), "Tue 12 Mar 2024 14:05:09");
        assert_eq!(
            (&*utc_clock.day_of(at), &*utc_clock.clock(at, false)),
            ("12 Mar", "14:05")
        );
        assert!(utc_clock.is_one_day(0.0, at) && !utc_clock.is_one_day(-1.0, at));
        let ist = Zone::fixed(offset_of("+05:30").expect("an offset"));
        assert_eq!(
            calendar(ist, utc(2024, 3, 12)).time(at, false),
            "Tue 12 Mar 19:35"
        );
        let over_new_year = calendar(Zone::default(), utc(2023, 12, 28));
        assert_eq!(over_new_year.time(at, false), "Thu 28 Dec 2023 14:05");
        // In New York the year is older.
        let there = calendar(new_york(), utc(2024, 1, 1));
        assert_eq!(there.time(0.0, false), "Sun 31 Dec 2023 19:00");
        // A tick is a sum of fractions.
        let fraction = Calendar::new(1_710_252_300.3, 0.0, Zone::default());
        assert_eq!(fraction.time(3599.7 - 1e-7, true), "Tue 12 Mar 15:05:00");
    }

    #[test]
    fn ticks_are_round_on_the_day_that_clocks_go_forward() {
        let spring = calendar(berlin(), utc(2024, 3, 30) - HOUR);
        let (step, to) = (Step::Seconds(6 * HOUR), (3 * DAY) as f64);
        assert_eq!(
            labels(&spring, 0.0, to, step),
            [
                "Sat 30 Mar",
                "06:00",
                "12:00",
                "18:00",
                "Sun 31 Mar",
                "06:00",
                "12:00",
                "18:00",
                "Mon 1 Apr",
                "06:00",
                "12:00",
                "18:00",
                "Tue 2 Apr"
            ]
        );
        let ticks = spring.ticks(0.0, to, step);
        assert_eq!((ticks[5] - ticks[4]) as i64, 5 * HOUR);
        let night = spring.ticks(DAY as f64, (DAY + 4 * HOUR) as f64, Step::Seconds(HOUR));
        assert_eq!(night.len(), 5);
        let hours = labels(
            &spring,
            DAY as f64,
            (DAY + 4 * HOUR) as f64,
            Step::Seconds(HOUR),
        );
        assert_eq!(hours, ["Sun 31 Mar", "01:00", "03:00", "04:00", "05:00"]);
    }

    #[test]
    fn ticks_are_round_on_the_day_that_clocks_go_back() {
        let autumn = calendar(new_york(), utc(2024, 11, 3) + 4 * HOUR);
        let (to, hour) = ((5 * HOUR) as f64, Step::Seconds(HOUR));
        assert_eq!(
            labels(&autumn, 0.0, to, hour),
            ["Sun 3 Nov", "01:00", "01:00", "02:00", "03:00", "04:00"]
        );
        let days = autumn.ticks(-1.0, (2 * DAY) as f64, Step::Weekdays(&[0, 6], 1));
        assert_eq!(days, [0.0, (25 * HOUR) as f64]);
    }

    #[test]
    fn a_day_without_midnight_begins_when_its_clocks_are_set() {
        // As in São Paulo until 2019.
        let set = utc(2018, 11, 4) + 3 * HOUR;
        let rule = |at: i64| Some(if at < set { -3 } else { -2 } * HOUR);
        let zone = Zone::between(utc(2018, 10, 1), utc(2019, 1, 1), rule).expect("an offset");
        let of = calendar(zone, set - HOUR);
        let to = (3 * HOUR) as f64;
        assert_eq!(
            labels(&of, 0.0, to, Step::Seconds(HOUR)),
            ["23:00", "Sun 4 Nov", "02:00", "03:00"]
        );
        let day = of.ticks(0.0, to, Step::Weekdays(&[0, 1, 2, 3, 4, 5, 6], 1));
        assert_eq!(day, [HOUR as f64]);
    }

    #[test]
    fn weeks_begin_on_mondays_and_months_on_their_first() {
        let of = Calendar::new(utc(2024, 1, 17) as f64, 500.0 * DAY as f64, Zone::default());
        let days = |days: i64| (days * DAY) as f64;
        assert_eq!(
            labels(&of, 0.0, days(21), Step::Weeks(1)),
            ["Mon 22 Jan", "Mon 29 Jan", "Mon 5 Feb"]
        );
        assert_eq!(
            labels(&of, 0.0, days(8), Step::Weekdays(&[0, 3], 3)),
            ["Thu 18 Jan", "Mon 22 Jan", "Thu 25 Jan"]
        );
        assert_eq!(
            labels(&of, 0.0, days(80), Step::Months(1)),
            ["Feb", "Mar", "Apr"]
        );
        assert_eq!(
            labels(&of, 0.0, days(500), Step::Months(3)),
            ["Apr", "Jul", "Oct", "Jan 2025", "Apr"]
        );
        assert_eq!(
            labels(&of, 0.0, days(800), Step::Years(1)),
            ["2025", "2026"]
        );
        assert_eq!(
            labels(&of, days(345), days(360), Step::Weeks(1)),
            ["Mon 30 Dec", "6 Jan 2025"]
        );
    }

    #[test]
    fn ticks_are_few_in_order_and_inside_whatever_is_seen() {
        for zone in [Zone::default(), berlin(), new_york()] {
            let of = calendar(zone, utc(2024, 3, 25) + 1234);
            let mut span = 3.0;
            while span < 1e11 {
                for most in [2.0, 7.0, 12.0] {
                    let step = Step::of(span, most);
                    let ticks = of.ticks(span * 0.3, span * 1.3, step);
                    // One more where clocks show an hour twice.
                    assert!(ticks.len() <= most as usize + 2, "{span} {most} {step:?}");
                    assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
                    let is_inside = |tick: &f64| (span * 0.3..=span * 1.3).contains(tick);
                    assert!(ticks.iter().all(is_inside), "{span} {step:?}");
                }
                span *= 1.37;
            }
        }
    }

    #[test]
    fn weekends_are_saturdays_and_sundays_of_the_zone() {
        let of = calendar(berlin(), utc(2024, 3, 29));
        let weekends: Vec<_> = of.weekends(0.0, (10 * DAY) as f64).collect();
        // The first of them is an hour short.
        assert_eq!(
            weekends,
            [
                ((23 * HOUR) as f64, (2 * DAY + 22 * HOUR) as f64),
                ((7 * DAY + 22 * HOUR) as f64, (9 * DAY + 22 * HOUR) as f64)
            ]
        );
        let within: Vec<_> = of
            .weekends((2 * DAY) as f64, (2 * DAY + 1) as f64)
            .collect();
        assert_eq!(within, [((2 * DAY) as f64, (2 * DAY + 1) as f64)]);
    }

    #[test]
    fn offsets_are_read_as_people_write_them() {
        let read = [
            ("UTC", Some(0)),
            ("Z", Some(0)),
            ("+02:00", Some(2 * HOUR)),
            ("-0530", Some(-(5 * HOUR + 30 * MINUTE))),
            ("UTC+1", Some(HOUR)),
            ("GMT−03:00", Some(-3 * HOUR)),
            ("GMT-0:01:15", Some(-75)),
            ("+19:00", None),
            ("+1:60", None),
            ("+", None),
            ("02:00", None),
            ("Europe/Berlin", None),
            ("+00é", None),
        ];
        for (text, offset) in read {
            assert_eq!(offset_of(text), offset, "{text}");
        }
    }

    #[test]
    fn times_beyond_all_calendars_are_no_panic() {
        for epoch in [-1e15, 0.0, 1e15] {
            let of = Calendar::new(epoch, 1e15, Zone::fixed(i64::MAX));
            for moment in [0.0, 1e12, f64::INFINITY, f64::NAN] {
                assert!(!of.time(moment, true).is_empty());
            }
        }
    }
}

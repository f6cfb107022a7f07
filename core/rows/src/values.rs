//! Numbers, dates and spans of time as cells give them.
//!
//! A timestamp without a zone is UTC, never the host's zone; an explicit offset is honoured.
//! Where the year comes last, a date has two readings, and its file tells which is meant.
//! Months may have names, as C, mail and people write them.
//!
//! Dates by hand: traces write them in a dozen ways, millions of times, and a date library is asked
//! for one of them at a time.

/// Words that stand for "no value".
pub fn is_missing(cell: &str) -> bool {
    const WORDS: [&str; 7] = ["none", "null", "nat", "unknown", "n/a", "na", "-"];
    // Most cells do not begin as any of them.
    match cell.as_bytes() {
        [] => true,
        [b'n' | b'N' | b'u' | b'U' | b'-', ..] => cell.len() <= 7 && is_any_of(cell, &WORDS),
        bytes => bytes == b"\\N",
    }
}

/// Whether a cell holds one of these words; upper and lower case alike.
pub fn is_any_of(cell: &str, words: &[&str]) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(cell))
}

/// A number as written in a cell; NaN and infinities are numbers here.
pub fn number(cell: &str) -> Option<f64> {
    simple(cell.as_bytes()).or_else(|| cell.parse().ok())
}

/// At most 15 digits with at most one point among them, which is what most cells are. Both the
/// digits and the power of ten are exact, so their quotient is the nearest number to what is
/// written, just as the general parser gives it, only faster.
fn simple(cell: &[u8]) -> Option<f64> {
    const TENS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    // Whole numbers are often written as 5.0; without the tail they need no division.
    let cell = match cell {
        [whole @ .., b'.', b'0'] => whole,
        cell => cell,
    };
    if cell.len() > 16 {
        return None;
    }
    let (mut value, mut digits, mut point) = (0u64, 0, None);
    for &byte in cell {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + u64::from(byte - b'0');
                digits += 1;
            }
            b'.' if point.is_none() => point = Some(digits),
            _ => return None,
        }
    }
    if !(1..=15).contains(&digits) {
        return None;
    }
    match point {
        Some(point) if point < digits => Some(value as f64 / TENS.get(digits - point).copied()?),
        _ => Some(value as f64),
    }
}

/// A number with a comma for the decimal point, as tables separated by semicolons have it.
pub fn decimal_comma(cell: &str) -> Option<f64> {
    match cell.split_once(',') {
        Some((whole, part)) if part.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{whole}.{part}").parse().ok()
        }
        Some(_) => None,
        None => number(cell),
    }
}

/// A number whose thousands may stand apart by commas, such as `1,234.5`.
pub fn grouped(cell: &str) -> Option<f64> {
    let comma = || {
        let (whole, part) = cell.split_once('.').unwrap_or((cell, "0"));
        let mut groups = whole.split(',');
        let first = groups.next()?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut rest = groups.clone();
        let sound = (1..=3).contains(&first.len())
            && digits(first)
            && groups.next().is_some()
            && rest.all(|group| group.len() == 3 && digits(group))
            && !part.is_empty()
            && digits(part);
        sound.then(|| cell.replace(',', "").parse().ok())?
    };
    number(cell).or_else(comma)
}

/// Unix seconds of `2020-06-09 18:41:01`, `2020/6/9 18:41`, `2020-06-09T18:41:01.5+08:00` and
/// the like: year first, then optionally a time of day, fraction and zone. Of dates whose months
/// have names, too: `Mon Jan  7 10:00:00 2030`, `Mon, 07 Jan 2030 10:00:00 +0000`, `7 Jan 2030`.
pub fn date(cell: &str) -> Option<f64> {
    plain(cell.as_bytes())
        .or_else(|| year_first(cell))
        .or_else(|| with_month_name(cell))
}

/// Of `2020-06-09 18:41:01`, or with a `T`, which is what most dates are: what [`year_first`] gives, only faster.
fn plain(cell: &[u8]) -> Option<f64> {
    let &[
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b' ' | b'T',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
    ] = cell
    else {
        return None;
    };
    let mut sound = true;
    let mut two = |tens: u8, ones: u8| {
        sound &= tens.is_ascii_digit() && ones.is_ascii_digit();
        10 * i64::from(tens) + i64::from(ones) - 11 * i64::from(b'0')
    };
    let year = 100 * two(y1, y2) + two(y3, y4);
    let (month, day) = (two(m1, m2), two(d1, d2));
    let (hour, minute, second) = (two(h1, h2), two(n1, n2), two(s1, s2));
    if !sound || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let time = hour * 3600 + minute * 60 + second;
    Some((midnight(year, month, day)? + time) as f64)
}

fn year_first(cell: &str) -> Option<f64> {
    let mut rest = cell.as_bytes();
    let year = digits(&mut rest, 4, 4)?;
    let separator = take(&mut rest, |b| b == b'-' || b == b'/')?;
    let month = digits(&mut rest, 1, 2)?;
    take(&mut rest, |b| b == separator)?;
    let day = digits(&mut rest, 1, 2)?;
    let (time, part) = time_of_day(rest)?;
    Some((midnight(year, month, day)? + time) as f64 + part)
}

fn with_month_name(cell: &str) -> Option<f64> {
    const MONTHS: [&[u8]; 12] = [
        b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov",
        b"dec",
    ];
    const DAYS: [&[u8]; 7] = [b"mon", b"tue", b"wed", b"thu", b"fri", b"sat", b"sun"];
    // Most cells are numbers or none of this.
    if cell.len() > 48 || !cell.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let named = |word: &[u8], names: &[&[u8]]| {
        let letters = word.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let first = word.get(..3).filter(|_| letters.count() == word.len())?;
        names
            .iter()
            .position(|name| name.eq_ignore_ascii_case(first))
    };
    let mut words = cell
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .peekable();
    words.next_if(|word| named(word.as_bytes(), &DAYS).is_some());
    let first = words.next()?;
    let (month, day, month_first) = match named(first.as_bytes(), &MONTHS) {
        Some(month) => (month, words.next()?, true),
        None => (named(words.next()?.as_bytes(), &MONTHS)?, first, false),
    };
    let day = whole(day, 1, 2)?;
    let mut year = None;
    let mut rest = String::new();
    for word in words {
        let of_year = whole(word, 4, 4).filter(|_| year.is_none());
        match of_year {
            // A zone such as +0800 has a sign.
            Some(_) => year = of_year,
            None => {
                rest.push(' ');
                rest.push_str(word);
            }
        }
    }
    // The year of C is behind the time, which a date without one would lack.
    let (time, part) = time_of_day(rest.as_bytes())?;
    let sound = month_first || year.is_some();
    let midnight = midnight(year.filter(|_| sound)?, month as i64 + 1, day)?;
    Some((midnight + time) as f64 + part)
}

/// A word of so many digits.
fn whole(word: &str, least: usize, most: usize) -> Option<i64> {
    let mut rest = word.as_bytes();
    let number = digits(&mut rest, least, most)?;
    rest.is_empty().then_some(number)
}

/// The two readings of a date whose year comes last, in Unix seconds; `None` for one that is
/// no date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct YearLast {
    /// As in `27/03/2023`.
    pub day_first: Option<f64>,
    /// As in `03/27/2023`.
    pub month_first: Option<f64>,
}

/// The readings of `27/03/2023 10:00`, `3/27/2023 2:19 PM`, `27-03-2023` and the like, of which
/// at least one is a date. Between dots the day comes first. A year of two digits, as in
/// `3/27/23 2:19 PM`, is one of 1970 to 2069, and stands before a time of day.
pub fn date_year_last(cell: &str) -> Option<YearLast> {
    let mut rest = cell.as_bytes();
    let first = digits(&mut rest, 1, 2)?;
    let separator = take(&mut rest, |b| matches!(b, b'/' | b'-' | b'.'))?;
    let second = digits(&mut rest, 1, 2)?;
    take(&mut rest, |b| b == separator)?;
    let year = match digits(&mut rest, 4, 4) {
        Some(year) => year,
        None => {
            let year = digits(&mut rest, 2, 2).filter(|_| separator == b'/' && !rest.is_empty())?;
            year + if year < 70 { 2000 } else { 1900 }
        }
    };
    let (time, part) = time_of_day(rest)?;
    let at = |month, day| Some((midnight(year, month, day)? + time) as f64 + part);
    let dates = YearLast {
        day_first: at(second, first),
        month_first: at(first, second).filter(|_| separator != b'.'),
    };
    (dates.day_first.is_some() || dates.month_first.is_some()).then_some(dates)
}

/// Unix seconds of a day's beginning.
fn midnight(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_date = (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month);
    is_date.then(|| days_from_epoch(year, month, day) * 86_400)
}

/// Seconds since midnight, UTC, whole ones and the rest, of what follows a date: nothing, or a
/// blank or `T`, a time of day, perhaps `AM` or `PM`, and a zone.
fn time_of_day(rest: &[u8]) -> Option<(i64, f64)> {
    if rest.is_empty() {
        return Some((0, 0.0));
    }
    let mut rest = rest;
    take(&mut rest, |b| b == b' ' || b == b'T' || b == b't')?;
    let mut hour = digits(&mut rest, 1, 2)?;
    take(&mut rest, |b| b == b':')?;
    let minute = digits(&mut rest, 2, 2)?;
    let mut second = 0;
    let mut part = 0.0;
    if take(&mut rest, |b| b == b':').is_some() {
        second = digits(&mut rest, 2, 2)?;
        part = fraction(&mut rest)?;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    rest = rest.trim_ascii();
    if let Some((half, after)) = rest.split_at_checked(2)
        && (half.eq_ignore_ascii_case(b"am") || half.eq_ignore_ascii_case(b"pm"))
    {
        if !(1..=12).contains(&hour) {
            return None;
        }
        let noon = if half.eq_ignore_ascii_case(b"pm") {
            12
        } else {
            0
        };
        hour = hour % 12 + noon;
        rest = after;
    }
    let local = hour * 3600 + minute * 60 + second;
    Some((local - offset(rest)?, part))
}

/// The fraction of a second that may follow, after a point or comma; 0 without one.
fn fraction(rest: &mut &[u8]) -> Option<f64> {
    if take(rest, |b| b == b'.' || b == b',').is_none() {
        return Some(0.0);
    }
    let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(rest.get(..len)?).ok()?;
    *rest = rest.get(len..)?;
    format!("0.{text}").parse().ok()
}

/// Seconds of a span of time: `01:30:00`, `1-00:00:00` as Slurm writes days, `2 days 03:00:00`,
/// `1 day, 0:05:00.5`, `P1DT2H` as ISO 8601 has it, `1h30m`. Two numbers alone could be hours or
/// minutes, and are none.
pub fn span(cell: &str) -> Option<f64> {
    clock_span(cell).or_else(|| span_in_units(cell))
}

/// Seconds of two numbers, taken for minutes and seconds: `5:03`.
pub fn minutes_and_seconds(cell: &str) -> Option<f64> {
    let mut rest = cell.as_bytes();
    let minutes = digits(&mut rest, 1, 4)?;
    take(&mut rest, |b| b == b':')?;
    let seconds = digits(&mut rest, 2, 2).filter(|seconds| *seconds < 60)?;
    let part = fraction(&mut rest)?;
    rest.is_empty()
        .then(|| (minutes * 60 + seconds) as f64 + part)
}

/// Numbers with their units, the largest first: `PT1H`, `P1DT2H30M`, `PT90.5S`, `1d2h`, `1h 5m 3s`.
fn span_in_units(cell: &str) -> Option<f64> {
    let text = cell.strip_prefix(['P', 'p']).unwrap_or(cell);
    let is_iso = text.len() < cell.len();
    let (mut seconds, mut last, mut within) = (0.0, f64::INFINITY, !is_iso);
    let mut rest = text.trim_ascii();
    if rest.is_empty() || cell.len() > 40 {
        return None;
    }
    while !rest.is_empty() {
        if is_iso && let Some(after) = rest.strip_prefix(['T', 't']) {
            (within, rest) = (true, after);
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (count, after) = rest.split_at_checked(digits)?;
        let unit = after.chars().next()?.to_ascii_lowercase();
        let of_one = match unit {
            'w' if is_iso && !within => 604_800.0,
            'd' if !is_iso || !within => 86_400.0,
            'h' if within => 3600.0,
            'm' if within => 60.0,
            's' if within => 1.0,
            _ => return None,
        };
        if of_one >= last {
            return None;
        }
        seconds += number(count)? * of_one;
        last = of_one;
        rest = after.get(1..)?.trim_ascii_start();
    }
    Some(seconds)
}

fn clock_span(cell: &str) -> Option<f64> {
    // Longer ones are beyond all bounds anyway.
    const MOST: usize = 9;
    let mut rest = cell.as_bytes();
    let mut first = digits(&mut rest, 1, MOST)?;
    let mut days = 0;
    let word = rest.trim_ascii_start();
    if let Some(after) = word.strip_prefix(b"day") {
        days = first;
        rest = after.strip_prefix(b"s").unwrap_or(after);
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        if rest.is_empty() {
            return Some((days * 86_400) as f64);
        }
        first = digits(&mut rest, 1, 2)?;
    } else if take(&mut rest, |b| b == b'-').is_some() {
        days = first;
        first = digits(&mut rest, 1, 2)?;
    }
    take(&mut rest, |b| b == b':')?;
    let minutes = digits(&mut rest, 2, 2)?;
    take(&mut rest, |b| b == b':')?;
    let seconds = digits(&mut rest, 2, 2)?;
    let part = fraction(&mut rest)?;
    if !rest.is_empty() || minutes > 59 || seconds > 59 {
        return None;
    }
    let whole = days * 86_400 + first * 3600 + minutes * 60 + seconds;
    Some(whole as f64 + part)
}

/// Seconds east of UTC: nothing, `Z`, `UTC`, `+08:00`, `-0700`, `+08`.
fn offset(rest: &[u8]) -> Option<i64> {
    let mut rest = rest.trim_ascii();
    if rest.is_empty() || [&b"Z"[..], b"z", b"UTC", b"GMT"].contains(&rest) {
        return Some(0);
    }
    let sign = take(&mut rest, |b| b == b'+' || b == b'-')?;
    let hours = digits(&mut rest, 2, 2)?;
    let colon = take(&mut rest, |b| b == b':').is_some();
    let minutes = match rest {
        [] if !colon => 0,
        _ => digits(&mut rest, 2, 2)?,
    };
    if !rest.is_empty() || hours > 23 || minutes > 59 {
        return None;
    }
    let east = hours * 3600 + minutes * 60;
    Some(if sign == b'-' { -east } else { east })
}

#[inline]
fn take(rest: &mut &[u8], wanted: impl Fn(u8) -> bool) -> Option<u8> {
    let (&first, tail) = rest.split_first()?;
    wanted(first).then(|| {
        *rest = tail;
        first
    })
}

#[inline]
fn digits(rest: &mut &[u8], least: usize, most: usize) -> Option<i64> {
    let len = rest.iter().take(most).take_while(|b| b.is_ascii_digit());
    let len = len.count();
    if len < least {
        return None;
    }
    let (number, tail) = rest.split_at(len);
    *rest = tail;
    Some(number.iter().fold(0, |n, b| n * 10 + i64::from(b - b'0')))
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 of a Gregorian date, counted in years that begin in March, so that
/// the leap day comes last.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_utc_unless_they_say_otherwise() {
        assert_eq!(date("1970-01-01"), Some(0.0));
        assert_eq!(date("2020-06-09 18:41:01"), Some(1_591_728_061.0));
        assert_eq!(date("2020-06-09T18:41:01Z"), Some(1_591_728_061.0));
        assert_eq!(date("2020-06-09 18:41:01 UTC"), Some(1_591_728_061.0));
        assert_eq!(date("2020-06-10 02:41:01+08:00"), Some(1_591_728_061.0));
        assert_eq!(date("2020-06-09 11:41:01 -0700"), Some(1_591_728_061.0));
        assert_eq!(date("2020-06-10 02:41:01.250+08"), Some(1_591_728_061.25));
        assert_eq!(date("2023/7/15 02:19"), Some(1_689_387_540.0));
        assert_eq!(date("2000-02-29"), Some(951_782_400.0));
        assert_eq!(date("1969-12-31 23:59:59"), Some(-1.0));
    }

    #[test]
    fn plain_dates_are_read_as_all_others() {
        let mut plain_ones = 0;
        for text in [
            "2020-06-09 18:41:01",
            "2020-06-09T18:41:01",
            "1600-02-29T23:59:59",
            "2100-02-29T00:00:00",
            "2020-13-01T00:00:00",
            "2020-00-10T00:00:00",
            "2020-06-31T00:00:00",
            "2020-06-09T24:00:00",
            "2020-06-09T18:60:00",
            "2020-06-09T18:41:60",
            "2020-06-0:T18:41:01",
            "2020-06-/9T18:41:01",
            "2020/06/09 18:41:01",
            "2020-06-09 18:41:0",
            "2020-06-09x18:41:01",
        ] {
            if let Some(seconds) = plain(text.as_bytes()) {
                assert_eq!(year_first(text), Some(seconds), "{text}");
                plain_ones += 1;
            } else {
                assert_eq!(date(text), year_first(text), "{text}");
            }
        }
        assert_eq!(plain_ones, 3);
    }

    #[test]
    fn dates_with_the_year_last_have_two_readings() {
        let readings = |text| date_year_last(text).map(|d| (d.day_first, d.month_first));
        let (march, july) = (1_679_911_200.0, 1_689_387_540.0);
        assert_eq!(readings("27/03/2023 10:00:00"), Some((Some(march), None)));
        assert_eq!(readings("03/27/2023 10:00"), Some((None, Some(march))));
        assert_eq!(readings("7/15/2023 2:19 AM"), Some((None, Some(july))));
        assert_eq!(
            readings("7/15/2023 2:19:00 pm"),
            Some((None, Some(july + 43_200.0)))
        );
        assert_eq!(
            readings("02-01-1970"),
            Some((Some(86_400.0), Some(31.0 * 86_400.0)))
        );
        assert_eq!(readings("2.1.1970"), Some((Some(86_400.0), None)));
        assert_eq!(
            readings("2/1/1970 12:00 AM"),
            Some((Some(86_400.0), Some(31.0 * 86_400.0)))
        );
        assert_eq!(readings("7/15/23 2:19 AM"), Some((None, Some(july))));
        assert_eq!(readings("2/1/70 0:00"), readings("2/1/1970 0:00"));
        for text in [
            "",
            "1/2",
            "13/13/2023",
            "1/2/23",
            "1.5",
            "1/2/2023 13:00 PM",
            "1/2-2023",
        ] {
            assert_eq!(date_year_last(text), None, "{text}");
        }
    }

    #[test]
    fn spans_of_time() {
        assert_eq!(span("01:30:00"), Some(5400.0));
        assert_eq!(span("120:00:00"), Some(432_000.0));
        assert_eq!(span("1-00:00:00"), Some(86_400.0));
        assert_eq!(span("10-13:27:06"), Some(912_426.0));
        assert_eq!(span("2 days 03:00:00"), Some(183_600.0));
        assert_eq!(span("1 day, 0:05:00.5"), Some(86_700.5));
        assert_eq!(span("2 days"), Some(172_800.0));
        assert_eq!(span("PT1H"), Some(3600.0));
        assert_eq!(span("PT5M30S"), Some(330.0));
        assert_eq!(span("P1DT2H0.5S"), Some(93_600.5));
        assert_eq!(span("P2W"), Some(1_209_600.0));
        assert_eq!(span("1d2h"), Some(93_600.0));
        assert_eq!(span("1h 5m 3.5s"), Some(3903.5));
        for text in [
            "",
            "5",
            "01:30",
            "1:60:00",
            "-1:00:00",
            "1-2",
            "2023-01-01",
            "1 week",
            "1:00:00x",
            "9999999999:00:00",
            "P",
            "PT",
            "P1M",
            "P1H",
            "PT1S1H",
            "5ms",
            "1h5",
            "hm",
            "é",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
        assert_eq!(minutes_and_seconds("5:03"), Some(303.0));
        assert_eq!(minutes_and_seconds("90:00.5"), Some(5400.5));
        for text in ["5", "5:3", "5:60", "1:02:03", ":05", "5:03x"] {
            assert_eq!(minutes_and_seconds(text), None, "{text}");
        }
    }

    #[test]
    fn dates_whose_months_have_names() {
        let january = date("2030-01-01 14:00");
        for text in [
            "Tue Jan  1 14:00:00 2030",
            "Tue Jan 1 14:00:00 UTC 2030",
            "Tue, 01 Jan 2030 14:00:00 +0000",
            "1 January 2030 2:00 PM",
            "Jan 1, 2030 14:00",
            "Tue Jan  1 15:00:00 2030 +0100",
        ] {
            assert_eq!(date(text), january, "{text}");
        }
        assert_eq!(date("7 Jan 2030"), date("2030-01-07"));
        for text in [
            "Jan",
            "Mon Jan 7",
            "Mon Jan 7 10:00:00",
            "January 32 2030",
            "7 Foo 2030",
            "running 5 2030",
            "é Jan 7 2030",
            "Jan 7 2030 2031",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_with_thousands_apart() {
        assert_eq!(grouped("1,234"), Some(1234.0));
        assert_eq!(grouped("12,345,678.5"), Some(12_345_678.5));
        assert_eq!(grouped("12"), Some(12.0));
        for text in [
            "1,23",
            "1234,567",
            ",123",
            "1,234,",
            "1,234.",
            "1,2345",
            "a,123",
            "1,234.5,6",
        ] {
            assert_eq!(grouped(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2020",
            "2020-13-01",
            "2021-02-29",
            "2020-06-09 24:00:00",
            "2020-06-09 18:60",
            "2020-06/09",
            "07/15/2023 02:19",
            "2020-06-09 18:41:01+8",
            "2020-06-09 18:41:01+08:",
            "2020-06-09 18:41:01 PST",
            "2020-06-09x",
            "é020-01-01",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(number("172800.0"), Some(172_800.0));
        assert_eq!(number("000123456789012"), Some(123_456_789_012.0));
        assert_eq!(number("1e3"), Some(1000.0));
        assert_eq!(number("-5"), Some(-5.0));
        assert!(number("NaN").unwrap().is_nan());
        assert_eq!(number(""), None);
        assert_eq!(number("12:"), None);
        assert_eq!(number("."), None);
        assert_eq!(number("1.2.3"), None);
        for text in [
            "0",
            ".5",
            "5.",
            "5.0",
            ".0",
            "0.1",
            "1234567.8901234",
            "999999999999999",
            "1234567890123456",
        ] {
            assert_eq!(number(text), text.parse().ok(), "{text}");
        }
        assert_eq!(number("1,5"), None);
        assert_eq!(decimal_comma("3,5"), Some(3.5));
        assert_eq!(decimal_comma("3"), Some(3.0));
        assert_eq!(decimal_comma("1,234,5"), None);
        assert_eq!(decimal_comma("-,5"), Some(-0.5));
    }
}

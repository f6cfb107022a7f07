//! Numbers and times as people read them.

use serde::Serialize;
use switchyard::report::{Metric, MetricUnit};
use switchyard::spreadsheet::guarded;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// A unit of spans.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpanUnit {
    /// The shortest span that is told in it, seconds.
    pub from: f64,
    /// Its own length, seconds.
    pub seconds: f64,
    /// Its sign.
    pub name: &'static str,
}

/// The units of spans, the largest first: in each, numbers begin at 2.
pub const SPAN_UNITS: [SpanUnit; 4] = {
    const fn unit(seconds: f64, name: &'static str) -> SpanUnit {
        let from = 2.0 * seconds;
        SpanUnit {
            from,
            seconds,
            name,
        }
    }
    [
        unit(DAY, "d"),
        unit(HOUR, "h"),
        unit(MINUTE, "min"),
        SpanUnit {
            from: 0.0,
            seconds: 1.0,
            name: "s",
        },
    ]
};

/// The unit that suits a span.
pub fn span_unit(seconds: f64) -> SpanUnit {
    let [.., second] = SPAN_UNITS;
    let fits = |unit: &SpanUnit| seconds.abs() >= unit.from;
    SPAN_UNITS.into_iter().find(fits).unwrap_or(second)
}

/// From here on a number has an exponent: none is longer than its place.
const LONG: f64 = 1e12;

/// A cell of a table that spreadsheets do not run.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", guarded(text).replace('"', "\"\""))
}

/// A text of at most so many characters, the last an ellipsis where it was longer.
pub fn cut(text: &str, most: usize) -> String {
    match text.chars().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// A name that stands in a list: of a long one, such as a UUID, the beginning and the end, either of which
/// may tell it from others.
pub fn short_name(name: &str) -> String {
    const MOST: usize = 24;
    const END: usize = 8;
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MOST {
        return name.to_owned();
    }
    let (begin, end) = (&letters[..MOST - END - 1], &letters[letters.len() - END..]);
    begin.iter().chain(&['…']).chain(end).collect()
}

/// A span in the unit that suits it, to three figures: `93 s`, `12.4 h`, `11.0 h`, `3.20 d`. A whole number is one: `60 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_string();
    }
    let unit = span_unit(seconds);
    let number = seconds / unit.seconds;
    let mut text = figures(number);
    // Less than can be told of what was added up.
    let is_whole = (number - number.round()).abs() < 1e-6;
    if !is_whole && unit.seconds > 1.0 && number.abs() < 99.95 && !text.contains('.') {
        text.push_str(if number.abs() < 9.995 { ".00" } else { ".0" });
    }
    format!("{text} {}", unit.name)
}

/// A part of a whole: `45.3 %`.
pub fn percent(part: f64) -> String {
    with_unit(100.0 * part, "%")
}

/// A metric's value with its unit: `12.4 h`, `45.3 %`, `1,204 GPU-hours`, `–` where nothing is known.
pub fn metric(of: &Metric, value: f64) -> String {
    match of.unit {
        _ if !value.is_finite() => "–".to_string(),
        MetricUnit::Seconds => duration(value),
        MetricUnit::Share => percent(value),
        other => match other.word() {
            "" => figures(value),
            word => with_unit(value, word),
        },
    }
}

/// A span to the second: `04:12:09`, `3 d 04:12:09`.
pub fn duration_exact(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_string();
    }
    if seconds.abs() >= LONG {
        return duration(seconds);
    }
    let sign = if seconds < 0.0 { "−" } else { "" };
    let (days, rest) = split_days(seconds.abs());
    match days {
        0 => format!("{sign}{}", clock(rest)),
        _ => format!("{sign}{} d {}", count(days), clock(rest)),
    }
}

/// A moment of a trace: `day 12, 14:03:20`. Days count from 0, as elapsed time does; on the first
/// one there is none to tell: `14:03:20`.
pub fn time(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "–".to_string();
    }
    if seconds >= LONG {
        return format!("day {}", figures((seconds / DAY).floor()));
    }
    let (days, rest) = split_days(seconds.max(0.0));
    match days {
        0 => clock(rest),
        _ => format!("day {}, {}", count(days), clock(rest)),
    }
}

/// The time of day, to the second or, where `step` allows, to the minute: `14:03:20`, `14:03`.
pub fn time_of_day(seconds: f64, step: f64) -> String {
    let (_, rest) = split_days(seconds.max(0.0));
    let mut text = clock(rest);
    if step >= MINUTE {
        text.truncate(5);
    }
    text
}

/// A cluster's spec with signs for its nodes times GPUs: `8 × 4+2 × 8:v100`.
pub fn times_signs(spec: &str) -> String {
    let mut text = String::new();
    let mut rest = spec.chars().peekable();
    let mut after_digit = false;
    while let Some(c) = rest.next() {
        let between = after_digit && rest.peek().is_some_and(char::is_ascii_digit);
        match c {
            'x' if between => text.push_str(" × "),
            c => text.push(c),
        }
        after_digit = c.is_ascii_digit();
    }
    text
}

/// A whole number with its thousands apart: `15,802`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number and the word for it in its number: `1 job`, `1,152 jobs`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{} {word}", count(number))
}

/// A number of any size to three digits: `0.125`, `57,600`, `2.31e-5`.
pub fn significant(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || !(1e-3..1e7).contains(&size) {
        return if number == 0.0 {
            "0".to_string()
        } else if number.is_finite() {
            let power = libm::log10(size).floor();
            let digits = format!("{:.2}e{power}", number / libm::pow(10.0, power));
            digits.replace('-', "−")
        } else {
            "–".to_string()
        };
    }
    if size >= 1.0 {
        return figures(number);
    }
    let digits = 2 - libm::log10(size).floor() as i32;
    let text = format!("{number:.*}", digits.max(0) as usize);
    text.trim_end_matches('0').to_string()
}

/// Rounded to two significant digits: more cannot be meant by a slider's place.
pub fn two_digits(number: f64) -> f64 {
    let unit = libm::pow(10.0, libm::log10(number).floor() - 1.0);
    let rounded = (number / unit).round();
    // A unit below 1 is not exact: 3.1, not 3.1000000000000005.
    if unit < 1.0 {
        rounded / (1.0 / unit).round()
    } else {
        rounded * unit
    }
}

/// A number to three figures, or to the unit if it is larger: `0.52`, `12.4`, `1,204`.
pub fn figures(number: f64) -> String {
    let size = number.abs();
    if !number.is_finite() {
        return "–".to_string();
    }
    if size >= LONG {
        return significant(number);
    }
    let digits = if size >= 99.95 {
        count(size.round() as u64)
    } else if size >= 9.995 || size.fract() == 0.0 {
        short_of_zeros(format!("{size:.1}"))
    } else {
        short_of_zeros(format!("{size:.2}"))
    };
    signed(number, digits)
}

/// The digits of a number with its sign. Nothing, and what rounds to it, has none: sums of nothing are −0.
fn signed(number: f64, digits: String) -> String {
    if number < 0.0 && digits != "0" {
        format!("−{digits}")
    } else {
        digits
    }
}

/// A number with at most so many decimals: `1,204.5`, `9.3`.
pub fn decimals(number: f64, places: usize) -> String {
    let size = number.abs();
    if !number.is_finite() {
        return "–".to_string();
    }
    if size >= LONG {
        return significant(number);
    }
    let text = format!("{size:.places$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut digits = whole.parse().map_or_else(|_| whole.to_string(), count);
    let fraction = fraction.trim_end_matches('0');
    if !fraction.is_empty() {
        digits = format!("{digits}.{fraction}");
    }
    signed(number, digits)
}

/// A size: `912 KB`, `1.94 MB`.
pub fn bytes(size: f64) -> String {
    if size < 1e6 {
        with_unit((size / 1e3).ceil(), "KB")
    } else {
        with_unit(size / 1e6, "MB")
    }
}

/// A number to three figures, with its unit.
pub fn with_unit(number: f64, unit: &str) -> String {
    format!("{} {unit}", figures(number))
}

/// `12.0` is `12`; `0.50` stays, it says how exact the number is.
fn short_of_zeros(text: String) -> String {
    match text.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.to_string(),
        _ => text,
    }
}

/// Whole days and the whole seconds of the day that has begun.
fn split_days(seconds: f64) -> (u64, u64) {
    let whole = seconds as u64;
    (whole / DAY as u64, whole % DAY as u64)
}

fn clock(seconds: u64) -> String {
    format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let short = "application_1506638472019_14199";
        assert_eq!(short_name(short), "application_150…19_14199");
        assert_eq!(short_name("lab-133"), "lab-133");
        assert_eq!(short_name(&"ü".repeat(24)), "ü".repeat(24));
        assert_eq!(short_name(&"ü".repeat(25)).chars().count(), 24);
    }

    #[test]
    fn durations_take_the_unit_that_suits_them() {
        let written = [
            (0.0, "0 s"),
            (-0.0, "0 s"),
            (-0.001, "0 s"),
            (-0.25, "−0.25 s"),
            (0.25, "0.25 s"),
            (93.0, "93 s"),
            (119.6, "120 s"),
            (90.0 * 60.0, "90 min"),
            (44_640.0, "12.4 h"),
            (39_720.0, "11.0 h"),
            (39_600.0, "11 h"),
            (10_810.0, "3.00 h"),
            (3_600.000_001, "60 min"),
            (3.2 * 86_400.0, "3.20 d"),
            (1204.0 * 86_400.0, "1,204 d"),
            (f64::NAN, "–"),
        ];
        for (seconds, text) in written {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn metrics_have_their_unit() {
        let written = |id, value| Metric::named(id).map(|of| metric(of, value));
        let expected = [
            ("jct_mean", 44_640.0, "12.4 h"),
            ("gpu_allocation", 0.4532, "45.3 %"),
            ("lost_gpu_hours", 1204.0, "1,204 GPU-hours"),
            ("node_hours", 3.0, "3 node-hours"),
            ("restarts", 1204.0, "1,204"),
            ("jain", 0.5, "0.50"),
            ("jct_mean", f64::NAN, "–"),
            ("node_hours", f64::NAN, "–"),
        ];
        for (id, value, text) in expected {
            assert_eq!(written(id, value).as_deref(), Some(text), "{id}");
        }
    }

    #[test]
    fn decimals_are_no_more_than_asked_for() {
        let written = [
            (decimals(1204.5, 1), "1,204.5"),
            (decimals(9.333, 1), "9.3"),
            (decimals(9.04, 1), "9"),
            (decimals(0.9999, 3), "1"),
            (decimals(-1234.0, 0), "−1,234"),
            (decimals(-0.01, 1), "0"),
            (decimals(f64::NAN, 1), "–"),
        ];
        for (text, expected) in written {
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn exact_durations_and_times_count_days_from_zero() {
        assert_eq!(duration_exact(15_129.0), "04:12:09");
        assert_eq!(duration_exact(3.0 * 86_400.0 + 15_129.9), "3 d 04:12:09");
        assert_eq!(duration_exact(-60.0), "−00:01:00");
        assert_eq!(time(50_600.0), "14:03:20");
        assert_eq!(time(12.0 * 86_400.0 + 50_600.0), "day 12, 14:03:20");
        assert_eq!(time_of_day(50_600.0, 3600.0), "14:03");
        assert_eq!(time_of_day(50_600.0, 30.0), "14:03:20");
    }

    #[test]
    fn no_number_is_longer_than_its_place() {
        let written = [
            (duration(1e12), "11,574,074 d"),
            (duration(1e308), "1.16e303 d"),
            (duration(-1e20), "−1.16e15 d"),
            (duration_exact(1e18), "1.16e13 d"),
            (time(1e12 - 1.0), "day 11,574,074, 01:46:39"),
            (time(1e308), "day 1.16e303"),
            (time(f64::INFINITY), "–"),
            (figures(1e12 - 1.0), "999,999,999,999"),
            (figures(u64::MAX as f64), "1.84e19"),
            (bytes(1e30), "1.00e24 MB"),
        ];
        for (text, expected) in written {
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn clusters_have_signs_of_multiplication_and_types_keep_their_names() {
        assert_eq!(
            times_signs("8x4+16x8:rtx/cores=96"),
            "8 × 4+16 × 8:rtx/cores=96"
        );
    }

    #[test]
    fn sizes_have_three_figures() {
        assert_eq!([0.0, 1.0, 911_500.0].map(bytes), ["0 KB", "1 KB", "912 KB"]);
        assert_eq!([1_943_846.0, 5e8].map(bytes), ["1.94 MB", "500 MB"]);
    }

    #[test]
    fn thousands_stand_apart() {
        let written = [
            (0, "0"),
            (999, "999"),
            (1204, "1,204"),
            (15_802, "15,802"),
            (1_000_000, "1,000,000"),
        ];
        for (number, text) in written {
            assert_eq!(count(number), text);
        }
    }

    #[test]
    fn numbers_of_any_size_keep_three_digits() {
        let written = [
            (0.0, "0"),
            (0.125, "0.125"),
            (0.1, "0.1"),
            (0.08333, "0.0833"),
            (0.001234, "0.00123"),
            (2.31e-5, "2.31e−5"),
            (12.0, "12"),
            (57_600.0, "57,600"),
            (4.2e9, "4.20e9"),
            (f64::NAN, "–"),
        ];
        for (number, text) in written {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn sliders_stop_at_two_digits() {
        let written = [1.0, 3_548.1, 99.9, 2.682, 0.5678, 57_612.0].map(two_digits);
        assert_eq!(written, [1.0, 3_500.0, 100.0, 2.7, 0.57, 58_000.0]);
    }
}

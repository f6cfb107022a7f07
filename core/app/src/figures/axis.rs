//! Axes whose ticks are numbers people say aloud: 10 min, 1 h, 6 h; day 5; 50 %.

use super::ticks::{DECADES, ELAPSED, FINE, multiples, nice_step};
use super::ticks::{round_number, short_number, widened};
use crate::format::{self, SPAN_UNITS, SpanUnit};
use crate::moments::{self, Moments};
use crate::window::Window;
use std::borrow::Cow;
use std::rc::Rc;

/// How much of an axis over decades lies between 0 and them.
const ZERO: f64 = 0.07;

/// Most ticks on an axis.
const MOST_TICKS: usize = 8;

/// One axis: what it spans, where its ticks are, how they read.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit where the ticks do not say it.
    pub title: Cow<'static, str>,
    low: f64,
    high: f64,
    log: bool,
    /// Whether it has a place for 0 before its decades: no logarithm has one.
    zero: bool,
    unit: Unit,
    ticks: Vec<f64>,
}

/// How a value reads.
#[derive(Clone, Debug, PartialEq)]
enum Unit {
    /// `10 min`.
    Duration,
    /// `day 3`, `14:00`: a time, where ticks are so far apart.
    Moment(f64),
    /// `Tue 12 Mar`, `14:00`: what the ticks say, as one reads dates.
    Date(Moments, Vec<(f64, String)>),
    /// `0.62` as `62 %`.
    Share,
    /// `1,204`.
    Count,
    /// `0.5`.
    Ratio,
    /// `0.125`, `57,600`; ticks `60k`.
    Number,
    /// One name per whole number.
    Name(Rc<[String]>),
}

impl Axis {
    /// In proportion.
    fn linear(title: &'static str, unit: Unit, low: f64, high: f64, ticks: Vec<f64>) -> Self {
        Self {
            title: title.into(),
            low,
            high,
            log: false,
            zero: false,
            unit,
            ticks,
        }
    }

    /// With a place for 0 before its decades, and a gap between.
    fn with_zero(mut self) -> Self {
        self.zero = true;
        self.ticks.insert(0, 0.0);
        self
    }

    /// Whether there is a gap between 0 and its decades, and where its middle is.
    pub fn gap(&self) -> Option<f64> {
        self.zero.then_some(ZERO / 2.0)
    }

    /// Over decades, with those of `ticks` that are inside.
    fn log(title: &'static str, unit: Unit, low: f64, high: f64, mut ticks: Vec<f64>) -> Self {
        ticks.retain(|tick| (low..=high).contains(tick));
        Self {
            log: true,
            ..Self::linear(title, unit, low, high, ticks)
        }
    }

    /// Durations over decades, and 0 before them.
    pub fn durations_or_none(title: &'static str, extent: (f64, f64)) -> Self {
        Self::durations(title, extent).with_zero()
    }

    /// Durations over decades.
    pub fn durations(title: &'static str, (low, high): (f64, f64)) -> Self {
        let (low, high) = widened(low.max(0.1), high);
        let of = |ladder: &[f64]| Self::log(title, Unit::Duration, low, high, ladder.to_vec());
        let fine = of(&FINE);
        if fine.ticks.len() <= MOST_TICKS {
            fine
        } else {
            of(&DECADES)
        }
    }

    /// Time since the trace's start, of which a window is seen.
    pub fn elapsed(title: &'static str, window: Window) -> Self {
        let (low, high) = (window.from, window.to.max(window.from + 1.0));
        if low == 0.0 {
            let step = ELAPSED
                .into_iter()
                .find(|step| high / step <= MOST_TICKS as f64);
            let ticks = multiples(step.unwrap_or(high / 4.0), high);
            return Self::linear(title, Unit::Duration, low, high, ticks);
        }
        let step = moments::step(high - low, MOST_TICKS as f64);
        let ticks = moments::marks(window, step).collect();
        Self::linear(title, Unit::Moment(step), low, high, ticks)
    }

    /// A window onto the time of a trace: dates where it has some, else the time since its start.
    pub fn over_time(window: Window, moments: &Moments) -> Self {
        let mut axis = Self::elapsed(moments::ELAPSED, window);
        if moments.dated().is_some() {
            axis.title = moments.title().into();
            axis.unit = Unit::Date(moments.clone(), Vec::new());
            axis.thin_out(MOST_TICKS);
        }
        axis
    }

    /// Parts of a whole.
    pub fn share(title: &'static str) -> Self {
        Self::linear(title, Unit::Share, 0.0, 1.0, multiples(0.25, 1.0))
    }

    /// Whole things from none to `most`.
    pub fn count(title: &'static str, most: f64) -> Self {
        let most = most.max(1.0);
        let step = nice_step(most / 5.0).max(1.0);
        let high = (most / step).ceil() * step;
        Self::linear(title, Unit::Count, 0.0, high, multiples(step, high))
    }

    /// Any amount from none to `most`.
    pub fn amount(title: &'static str, most: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let step = nice_step(most / 5.0);
        let high = (most / step).ceil() * step;
        Self::linear(title, Unit::Number, 0.0, high, multiples(step, high))
    }

    /// Ratios over decades.
    pub fn ratios(title: &'static str, (low, high): (f64, f64)) -> Self {
        let (low, high) = widened(low.max(1e-4), high);
        // Not powers of 0.1: 0.30000000000000004 is nobody's tick.
        let decades = (0..)
            .map(|power| 10f64.powi(power))
            .take_while(|&decade| decade <= high * 1e4);
        let ladder = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * decade / 1e4));
        let mut axis = Self::log(title, Unit::Ratio, low, high, ladder.collect());
        if axis.ticks.len() > MOST_TICKS {
            axis.ticks.retain(|tick| {
                let exponent = libm::log10(*tick);
                (exponent - exponent.round()).abs() < 1e-6
            });
        }
        axis
    }

    /// Room for numbers of any size: over decades if they would crowd at the lower end otherwise,
    /// else in proportion, from 0.
    pub fn numbers(values: &[f64]) -> Self {
        let (low, high) = values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
                (low.min(v), high.max(v))
            });
        let positive = values.iter().copied().filter(|&value| value > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        let crowded = values.iter().filter(|&&v| v < 0.1 * high).count();
        if low >= 0.0 && high > 100.0 * least && 2 * crowded > values.len() {
            let powers = libm::log10(least).ceil() as i32..=libm::log10(high).floor() as i32;
            let ticks = powers.map(|power| 10f64.powi(power)).collect();
            let axis = Self::log("", Unit::Number, least, high, ticks);
            return if low == 0.0 { axis.with_zero() } else { axis };
        }
        let (low, high) = match (low.min(0.0), high) {
            (low, high) if low < high => (low, high),
            _ => (0.0, 1.0),
        };
        let step = nice_step((high - low) / 5.0);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        let ticks = (first..=last).map(|i| i as f64 * step).collect();
        Self::linear("", Unit::Number, low, high, ticks)
    }

    /// Categories side by side, the first at 0.
    pub fn names(title: &'static str, names: Rc<[String]>) -> Self {
        let ticks = (0..names.len()).map(|i| i as f64).collect();
        let high = names.len() as f64 - 0.5;
        Self::linear(title, Unit::Name(names), -0.5, high, ticks)
    }

    /// Leaves of the names of categories as much as so many characters of all have room for.
    pub fn fit_names(&mut self, characters: f64) {
        if let Unit::Name(names) = &mut self.unit {
            let room = (characters / names.len() as f64 - 1.0).max(2.0) as usize;
            *names = names.iter().map(|name| format::cut(name, room)).collect();
        }
    }

    /// How a value reads.
    pub fn label(&self, value: f64) -> String {
        match &self.unit {
            Unit::Duration => format::duration(value),
            Unit::Moment(_) => format::time(value),
            Unit::Date(moments, _) => moments.exact(value),
            Unit::Share => format!("{} %", format::figures(100.0 * value)),
            Unit::Count => format::figures(value),
            Unit::Ratio => format::figures(value),
            Unit::Number => format::significant(value),
            Unit::Name(names) => names
                .get(value.round().max(0.0) as usize)
                .map_or_else(String::new, String::clone),
        }
    }

    /// How a tick reads: round, in the largest unit.
    pub fn tick_label(&self, tick: f64) -> String {
        match self.unit {
            Unit::Duration if tick == 0.0 => "0".into(),
            Unit::Duration => {
                let [.., second] = SPAN_UNITS;
                let is_whole =
                    |of: &SpanUnit| tick >= of.seconds && (tick / of.seconds).fract() < 1e-9;
                let unit = SPAN_UNITS.into_iter().find(is_whole).unwrap_or(second);
                format!("{} {}", round_number(tick / unit.seconds), unit.name)
            }
            Unit::Moment(step) => moments::label(tick, step),
            Unit::Date(_, ref marks) => {
                let mark = marks.iter().find(|(at, _)| *at == tick);
                mark.map_or_else(String::new, |(_, text)| text.clone())
            }
            Unit::Ratio => round_number(tick),
            Unit::Number => short_number(tick),
            _ => self.label(tick),
        }
    }

    /// Where a value lies between the axis's ends, 0 to 1.
    pub fn position(&self, value: f64) -> f64 {
        let scaled = |v: f64| {
            if self.log {
                libm::log(v.max(f64::MIN_POSITIVE))
            } else {
                v
            }
        };
        let (low, high) = (scaled(self.low), scaled(self.high));
        let position = ((scaled(value) - low) / (high - low)).clamp(0.0, 1.0);
        match self.zero {
            true if value <= 0.0 => 0.0,
            true => ZERO + (1.0 - ZERO) * position,
            false => position,
        }
    }

    /// The value at a position from 0 to 1.
    pub fn value(&self, position: f64) -> f64 {
        if self.zero {
            let beyond = (position - ZERO) / (1.0 - ZERO);
            if beyond < 0.0 {
                return 0.0;
            }
            self.low * libm::pow(self.high / self.low, beyond)
        } else if self.log {
            self.low * libm::pow(self.high / self.low, position)
        } else {
            self.low + (self.high - self.low) * position
        }
    }

    /// Whether it has names instead of numbers.
    pub fn is_names(&self) -> bool {
        matches!(self.unit, Unit::Name(_))
    }

    /// The time at a value of an axis of time, as one reads it beside the pointer.
    pub fn moment(&self, value: f64) -> String {
        match &self.unit {
            Unit::Date(..) => self.label(value),
            _ => format::time(value),
        }
    }

    /// Saturdays and Sundays on an axis of dates that is so many pixels long, while days of `least` are seen.
    pub fn weekends(&self, length: f64, least: f64) -> Vec<Window> {
        let window = Window::new(self.low, self.high);
        match &self.unit {
            Unit::Date(moments, _) => moments.weekends(window, length, least).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether its values are dates.
    pub fn is_dates(&self) -> bool {
        matches!(self.unit, Unit::Date(..))
    }

    /// Where its ticks are.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// Whether a value is between its ends.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The greatest value.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// The longest tick label, in characters.
    pub fn widest_label(&self) -> usize {
        let widths = self
            .ticks
            .iter()
            .map(|&tick| self.tick_label(tick).chars().count());
        widths.max().unwrap_or(0)
    }

    /// Leaves every n-th tick so that about `most` remain; dates are marked anew, so that they stay round.
    pub fn thin_out(&mut self, most: usize) {
        if let Unit::Date(moments, marks) = &mut self.unit {
            let most = most.clamp(1, MOST_TICKS) as f64;
            *marks = moments.ticks(Window::new(self.low, self.high), most).marks;
            self.ticks = marks.iter().map(|(at, _)| *at).collect();
            return;
        }
        if self.is_names() || self.ticks.len() <= most {
            return;
        }
        let every = self.ticks.len().div_ceil(most.max(1));
        let mut index = 0;
        self.ticks.retain(|_| {
            index += 1;
            (index - 1) % every == 0
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::ticks::DAY;
    use crate::moments::Dated;
    use switchyard::calendar::Zone;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks
            .iter()
            .map(|&tick| axis.tick_label(tick))
            .collect()
    }

    #[test]
    fn names_are_cut_to_their_room_and_amounts_read_short() {
        let mut names = Axis::names("", ["V100".to_owned(), "V100 32 GB".to_owned()].into());
        names.fit_names(22.0);
        assert_eq!(labels(&names), ["V100", "V100 32 GB"]);
        names.fit_names(13.0);
        assert_eq!(labels(&names), ["V100", "V100…"]);
        assert_eq!(
            labels(&Axis::amount("", 2.3)),
            ["0", "0.5", "1", "1.5", "2", "2.5"]
        );
    }

    #[test]
    fn durations_over_decades_read_as_people_say_them() {
        let wide = Axis::durations("", (2.0, 3_000_000.0));
        assert_eq!(
            labels(&wide),
            ["10 s", "1 min", "10 min", "1 h", "6 h", "1 d", "10 d"]
        );
        let narrow = Axis::durations("", (100.0, 4000.0));
        assert_eq!(
            labels(&narrow),
            ["2 min", "5 min", "10 min", "30 min", "1 h"]
        );
    }

    #[test]
    fn zero_has_a_place_of_its_own_before_decades() {
        let axis = Axis::durations_or_none("", (5.0, 5000.0));
        assert_eq!(labels(&axis)[..2], ["0", "10 s"]);
        assert_eq!((axis.position(0.0), axis.value(0.0)), (0.0, 0.0));
        assert!(axis.position(1e-9) >= ZERO && axis.gap().is_some());
        assert!((axis.position(axis.value(0.5)) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_part_of_time_is_said_as_the_timeline_says_it() {
        let axis = Axis::elapsed("", Window::new(3.0 * DAY, 3.0 * DAY + 14_400.0));
        assert_eq!(labels(&axis)[..3], ["day 3", "00:30", "01:00"]);
    }

    #[test]
    fn elapsed_time_has_round_steps() {
        assert_eq!(
            labels(&Axis::elapsed("", Window::new(0.0, 5.0 * DAY))),
            ["0", "1 d", "2 d", "3 d", "4 d", "5 d"]
        );
        assert_eq!(
            labels(&Axis::elapsed("", Window::new(0.0, 0.0)))
                .first()
                .map(String::as_str),
            Some("0")
        );
        assert!(Axis::elapsed("", Window::new(0.0, 1e9)).ticks.len() >= 3);
    }

    #[test]
    fn dates_stay_round_with_less_room() {
        let dated = Dated {
            epoch: 1_710_007_200.0,
            span: 10.0 * DAY,
            zone: "UTC".to_owned(),
        };
        let moments = Moments::new(Some((dated, Zone::default())));
        let mut axis = Axis::over_time(Window::new(0.0, 9.0 * DAY), &moments);
        assert_eq!(axis.title, "date and time, UTC");
        assert_eq!(
            labels(&axis),
            ["Mon 11 Mar", "Wed 13 Mar", "Fri 15 Mar", "Mon 18 Mar"]
        );
        assert_eq!(axis.moment(3600.0), "Sat 9 Mar 2024 19:00:00");
        assert_eq!(axis.weekends(90.0, 4.0).len(), 2);
        assert!(axis.weekends(20.0, 4.0).is_empty());
        axis.thin_out(2);
        assert_eq!(labels(&axis), ["Mon 11 Mar", "Mon 18 Mar"]);
        let plain = Axis::over_time(Window::new(0.0, 5.0 * DAY), &Moments::default());
        assert_eq!(
            (&*plain.title, plain.moment(60.0)),
            (moments::ELAPSED, "00:01:00".to_owned())
        );
        assert!(plain.weekends(900.0, 4.0).is_empty());
    }

    #[test]
    fn counts_end_at_a_round_number() {
        assert_eq!(
            labels(&Axis::count("", 1_830.0)),
            ["0", "500", "1,000", "1,500", "2,000"]
        );
        assert_eq!(labels(&Axis::count("", 0.0)), ["0", "1"]);
    }

    #[test]
    fn ratios_have_no_drift() {
        assert_eq!(
            labels(&Axis::ratios("", (0.25, 12.0))),
            ["0.5", "1", "2", "5", "10"]
        );
        assert_eq!(
            labels(&Axis::ratios("", (0.02, 900.0))),
            ["0.1", "1", "10", "100"]
        );
    }

    #[test]
    fn numbers_are_in_proportion_unless_they_crowd() {
        let even = Axis::numbers(&[0.0, 4.0, 8.0, 12.0]);
        assert_eq!(labels(&even), ["0", "5", "10"]);
        assert_eq!(even.position(6.0), 0.5);
        let index = Axis::numbers(&[0.05, 0.1, 0.25]);
        assert_eq!(labels(&index), ["0", "0.05", "0.1", "0.15", "0.2", "0.25"]);
        let crowded = Axis::numbers(&[0.0, 10.0, 100.0, 1_000.0, 10_000.0, 1_000_000.0]);
        assert_eq!(
            labels(&crowded),
            ["0", "10", "100", "1,000", "10k", "100k", "1M"]
        );
        assert_eq!(crowded.position(0.0), 0.0);
        assert_eq!(
            labels(&Axis::numbers(&[])).first().map(String::as_str),
            Some("0")
        );
        assert!(Axis::numbers(&[3.0, 3.0]).position(3.0).is_finite());
    }

    #[test]
    fn position_and_value_are_inverse() {
        for axis in [
            Axis::durations("", (1.0, 1e5)),
            Axis::share(""),
            Axis::elapsed("", Window::new(0.0, 1e6)),
        ] {
            for position in [0.0, 0.3, 1.0] {
                assert!((axis.position(axis.value(position)) - position).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn an_empty_range_still_makes_an_axis() {
        let axis = Axis::durations("", (f64::INFINITY, 0.0));
        assert!(axis.position(5.0).is_finite());
    }
}

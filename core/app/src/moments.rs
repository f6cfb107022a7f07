//! How moments of a trace read: as dates of a time zone, where the trace has them and nobody wants it otherwise,
//! else as time since the first submission. Also where an axis of time is marked, and where its weekends are.

use crate::format;
use crate::window::Window;
use std::rc::Rc;
use switchyard::calendar::{Calendar, Step, Zone};

const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// In windows shorter than this, seconds are told apart.
const NARROW: f64 = 2.0 * HOUR;

/// Dates are told up to here, seconds of a trace.
const LATEST: f64 = 1e12;

/// What an axis of time without dates shows.
pub const ELAPSED: &str = "time since the first submission";

/// Steps that people count time in, up to five days.
#[rustfmt::skip]
const STEPS: [f64; 20] = [
    1.0, 2.0, 5.0, 10.0, 15.0, 30.0,
    60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
    HOUR, 2.0 * HOUR, 3.0 * HOUR, 6.0 * HOUR, 12.0 * HOUR,
    DAY, 2.0 * DAY, 5.0 * DAY,
];

/// What dates follow from.
#[derive(Clone, Debug, PartialEq)]
pub struct Dated {
    /// Unix seconds of the trace's time 0.
    pub epoch: f64,
    /// Seconds from the first submission to the last.
    pub span: f64,
    /// The name of the zone whose clocks are read.
    pub zone: String,
}

/// How moments read. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moments(Option<Rc<(Dated, Calendar)>>);

/// What an axis of time says.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Where it is marked, and what stands there.
    pub marks: Vec<(f64, String)>,
    /// What the marks leave out: the day of times, the year of days.
    pub aside: Option<String>,
}

impl Moments {
    /// As dates by the clocks of a zone, or as time since the first submission.
    pub fn new(dated: Option<(Dated, Zone)>) -> Self {
        let calendar = |(dated, zone): (Dated, Zone)| {
            let calendar = Calendar::new(dated.epoch, dated.span, zone);
            Rc::new((dated, calendar))
        };
        Self(dated.map(calendar))
    }

    /// What its dates follow from.
    pub fn dated(&self) -> Option<&Dated> {
        self.0.as_ref().map(|of| &of.0)
    }

    fn calendar_at(&self, moment: f64) -> Option<&Calendar> {
        let is_told = (0.0..LATEST).contains(&moment);
        self.0.as_ref().filter(|_| is_told).map(|of| &of.1)
    }

    /// A moment: `Tue 12 Mar 14:05`, or `day 12, 14:03:20`.
    pub fn time(&self, moment: f64) -> String {
        let date = self.calendar_at(moment).map(|of| of.time(moment, false));
        date.unwrap_or_else(|| format::time(moment))
    }

    /// A moment to the second: `Tue 12 Mar 14:05:09`.
    pub fn second(&self, moment: f64) -> String {
        let date = self.calendar_at(moment).map(|of| of.time(moment, true));
        date.unwrap_or_else(|| format::time(moment))
    }

    /// A moment to the second, with its year: `Tue 12 Mar 2024 14:05:09`.
    pub fn exact(&self, moment: f64) -> String {
        let date = self.calendar_at(moment).map(|of| of.exact(moment));
        date.unwrap_or_else(|| format::time(moment))
    }

    /// A moment as it is told where so many seconds are seen.
    pub fn within(&self, span: f64, moment: f64) -> String {
        match span < NARROW {
            true => self.second(moment),
            false => self.time(moment),
        }
    }

    /// From one moment to another; of one day, the day is said once.
    pub fn span(&self, from: f64, to: f64) -> String {
        let span = to - from;
        let calendar = self.calendar_at(from).and(self.calendar_at(to));
        let end = match calendar.filter(|of| of.is_one_day(from, to)) {
            Some(calendar) => calendar.clock(to, span < NARROW),
            None => self.within(span, to),
        };
        format!("{} to {end}", self.within(span, from))
    }

    /// What an axis of time shows, in words.
    pub fn title(&self) -> String {
        match self.dated() {
            Some(dated) => format!("date and time, {}", dated.zone),
            None => ELAPSED.to_owned(),
        }
    }

    /// The marks in a window, of which there is room for so many.
    pub fn ticks(&self, window: Window, most: f64) -> Ticks {
        let Window { from, to } = window;
        if let Some(calendar) = self.calendar_at(to) {
            let step = Step::of(window.span(), most);
            let aside = match step.is_within_days() {
                true => calendar.day_of(from),
                false => calendar.year_of(from),
            };
            let label = |at: f64| (at, calendar.tick_label(at, step));
            let marks = calendar.ticks(from, to, step).into_iter().map(label);
            return Ticks {
                marks: marks.collect(),
                aside: Some(aside),
            };
        }
        let step = step(window.span(), most);
        let marks = marks(window, step).map(|at| (at, label(at, step)));
        Ticks {
            marks: marks.collect(),
            aside: (to > DAY).then(|| label((from / DAY).floor() * DAY, DAY)),
        }
    }

    /// Saturdays and Sundays in a window that is so many pixels wide, of which a day needs `least` to be seen.
    pub fn weekends(
        &self,
        window: Window,
        width: f64,
        least: f64,
    ) -> impl Iterator<Item = Window> + '_ {
        let is_seen = width * DAY >= least * window.span();
        let calendar = self.calendar_at(window.to).filter(|_| is_seen);
        let weekends = calendar.map(|of| of.weekends(window.from, window.to));
        let weekends = weekends.into_iter().flatten();
        weekends.map(|(from, to)| Window::new(from, to))
    }
}

/// The smallest step of which at most `most` go into `span` seconds.
pub fn step(span: f64, most: f64) -> f64 {
    let least = span / most.max(1.0);
    if let Some(&step) = STEPS.iter().find(|&&step| step >= least) {
        return step;
    }
    let mut step = 10.0 * DAY;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if step >= least || !step.is_finite() {
            break;
        }
        step *= factor;
    }
    step
}

/// The multiples of `step` inside `window`.
pub fn marks(window: Window, step: f64) -> impl Iterator<Item = f64> {
    let first = (window.from / step).ceil();
    (0..)
        .map(move |i| (first + f64::from(i)) * step)
        .take_while(move |&time| time <= window.to)
}

/// A mark's text: the day where one begins, else the time of day.
pub fn label(time: f64, step: f64) -> String {
    if step >= DAY || (time > 0.0 && time % DAY == 0.0) {
        format!("day {}", format::figures((time / DAY).floor()))
    } else {
        format::time_of_day(time, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::calendar::offset_of;

    /// A trace from Saturday 9 March 2024, 18:00 UTC on.
    fn dated(zone: &str) -> Moments {
        let given = Dated {
            epoch: 1_710_007_200.0,
            span: 10.0 * DAY,
            zone: zone.to_owned(),
        };
        let offset = offset_of(zone).expect("an offset");
        Moments::new(Some((given, Zone::fixed(offset))))
    }

    #[test]
    fn moments_are_dates_where_there_are_some() {
        let (utc, elapsed) = (dated("UTC"), Moments::default());
        let at = 2.0 * DAY + 3725.0;
        assert_eq!(utc.time(at), "Mon 11 Mar 19:02");
        assert_eq!(utc.within(600.0, at), "Mon 11 Mar 19:02:05");
        assert_eq!(utc.within(DAY, at), "Mon 11 Mar 19:02");
        assert_eq!(utc.exact(at), "Mon 11 Mar 2024 19:02:05");
        assert_eq!(utc.span(at, at + 60.0), "Mon 11 Mar 19:02:05 to 19:03:05");
        assert_eq!(
            utc.span(at, at + DAY),
            "Mon 11 Mar 19:02 to Tue 12 Mar 19:02"
        );
        assert_eq!(elapsed.span(0.0, 60.0), "00:00:00 to 00:01:00");
        assert_eq!(dated("+05:30").time(at), "Tue 12 Mar 00:32");
        for text in [elapsed.time(at), elapsed.second(at), elapsed.exact(at)] {
            assert_eq!(text, "day 2, 01:02:05");
        }
        assert_eq!(utc.time(f64::INFINITY), "–");
        assert_eq!(utc.time(1e12), "day 11,574,074");
    }

    #[test]
    fn marks_say_what_changes_and_aside_what_they_leave_out() {
        let window = Window::new(0.0, DAY);
        let said = |moments: &Moments, most| {
            let Ticks { marks, aside } = moments.ticks(window, most);
            let marks: Vec<String> = marks.into_iter().map(|(_, text)| text).collect();
            (marks.join(", "), aside)
        };
        let aside = |text: &str| Some(text.to_owned());
        assert_eq!(
            said(&dated("UTC"), 5.0),
            (
                "18:00, Sun 10 Mar, 06:00, 12:00, 18:00".to_owned(),
                aside("9 Mar")
            )
        );
        assert_eq!(
            said(&dated("UTC"), 1.0),
            ("Sun 10 Mar".to_owned(), aside("2024"))
        );
        assert_eq!(
            said(&Moments::default(), 4.0),
            ("00:00, 06:00, 12:00, 18:00, day 1".to_owned(), None)
        );
    }

    #[test]
    fn weekends_are_seen_while_a_day_is_wide_enough() {
        let window = Window::new(0.0, 20.0 * DAY);
        let weekends: Vec<Window> = dated("UTC").weekends(window, 100.0, 4.0).collect();
        let day = DAY / 4.0;
        assert_eq!(weekends[0], Window::new(0.0, day + DAY));
        assert_eq!(weekends[1], Window::new(day + 6.0 * DAY, day + 8.0 * DAY));
        assert_eq!(weekends.len(), 3);
        assert_eq!(dated("UTC").weekends(window, 60.0, 4.0).count(), 0);
        assert_eq!(Moments::default().weekends(window, 100.0, 4.0).count(), 0);
    }

    #[test]
    fn marks_are_few_round_and_inside() {
        let mut span = 3.0;
        while span < 1e10 {
            for most in [3.0, 7.0, 12.0] {
                let step = step(span, most);
                let window = Window::new(span * 1.7, span * 2.7);
                let marks: Vec<f64> = marks(window, step).collect();
                assert!(marks.len() <= most as usize + 1, "{span} {step} {marks:?}");
                assert!(
                    span < 5.0 * most * step,
                    "no step is much too wide: {span} {step}"
                );
                assert!(
                    marks
                        .iter()
                        .all(|&mark| mark >= window.from && mark <= window.to && mark % 1.0 == 0.0)
                );
            }
            span *= 1.37;
        }
    }

    #[test]
    fn labels_say_what_changes() {
        assert_eq!(label(0.0, 3600.0), "00:00");
        assert_eq!(label(DAY, 3600.0), "day 1");
        assert_eq!(label(50_400.0, 3600.0), "14:00");
        assert_eq!(label(50_415.0, 15.0), "14:00:15");
        assert_eq!(label(12.0 * DAY, 2.0 * DAY), "day 12");
    }
}

//! Numbers and times as people read them, counted in what the page's jobs occupy; shared by the canvases and the
//! page's text.

use std::borrow::Cow;
use std::cell::Cell;
use switchyard::Resource;
use switchyard::engine::Measure;
pub use switchyard_app::format::*;

thread_local! {
    /// What the jobs on stage occupy: a page shows those of one trace at a time.
    static UNIT: Cell<Resource> = const { Cell::new(Resource::Gpus) };
}

/// From now on jobs are counted in this.
pub fn count_in(unit: Resource) {
    UNIT.set(unit);
}

/// What jobs are counted in.
pub fn unit() -> Resource {
    UNIT.get()
}

/// A text that is written of GPUs, of what is counted: all words for it go through here.
pub fn units(text: &str) -> Cow<'_, str> {
    unit().words(text)
}

/// From here on service is told in hours, too.
const HOUR: f64 = 3600.0;

/// Less GPU time than this, seconds, is told in GPU·s.
const LITTLE: f64 = 60.0;

/// A whole number and the word for it in its number: `1 GPU`, `1,152 GPUs`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    switchyard_app::format::counted(number, &units(one), &units(many))
}

/// GPU time: `0.52 GPU·h`, `705,683 GPU·h`; very little of it in GPU·s.
pub fn gpu_hours(gpu_seconds: f64) -> String {
    if gpu_seconds > 0.0 && gpu_seconds < LITTLE {
        return with_unit(gpu_seconds, &units("GPU·s"));
    }
    with_unit(gpu_seconds / HOUR, &units("GPU·h"))
}

/// Attained service as a policy counts it, and in hours where that is easier to read:
/// `3,250 GPU·s`, `57,600 GPU·s (16 GPU·h)`, `7,200 s (2 h)`.
pub fn attained(amount: f64, measure: Measure) -> String {
    let exact = with_unit(amount, &units(measure.unit()));
    let easier = match measure {
        _ if amount.abs() < HOUR => return exact,
        Measure::Service => gpu_hours(amount),
        Measure::Time => duration(amount),
    };
    format!("{exact} ({easier})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_word_for_their_number() {
        assert_eq!(counted(1, "GPU", "GPUs"), "1 GPU");
        assert_eq!(counted(1152, "GPU", "GPUs"), "1,152 GPUs");
    }

    #[test]
    fn no_amount_of_service_is_longer_than_its_place() {
        assert_eq!(gpu_hours(1e300), "2.78e296 GPU·h");
        let service = attained(1e300, Measure::Service);
        assert_eq!(service, "1.00e300 GPU·s (2.78e296 GPU·h)");
    }

    #[test]
    fn service_is_in_gpu_seconds_and_in_hours_beside() {
        let service = |amount| attained(amount, Measure::Service);
        assert_eq!(service(4.0), "4 GPU·s");
        assert_eq!(service(3250.0), "3,250 GPU·s");
        assert_eq!(service(57_600.0), "57,600 GPU·s (16 GPU·h)");
        assert_eq!(attained(3250.0, Measure::Time), "3,250 s");
        let hours = format!("57,600 s ({})", duration(57_600.0));
        assert_eq!(attained(57_600.0, Measure::Time), hours);
    }

    #[test]
    fn figures_of_cores_say_so() {
        count_in(Resource::Cores);
        let seen = [
            gpu_hours(28.0),
            gpu_hours(57_600.0),
            attained(57_600.0, Measure::Service),
            counted(1, "GPU", "GPUs"),
            counted(3, "job", "jobs"),
        ];
        count_in(Resource::Gpus);
        let expected = [
            "28 core·s",
            "16 core·h",
            "57,600 core·s (16 core·h)",
            "1 core",
            "3 jobs",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn gpu_hours_keep_three_figures() {
        assert_eq!(gpu_hours(0.52 * 3600.0), "0.52 GPU·h");
        assert_eq!(gpu_hours(28.0), "28 GPU·s");
        assert_eq!(gpu_hours(12.4 * 3600.0), "12.4 GPU·h");
        assert_eq!(gpu_hours(705_683.0 * 3600.0), "705,683 GPU·h");
    }
}

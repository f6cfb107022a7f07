//! Colours that stay apart for colour-blind eyes in both themes. Jobs and schedulers have hues of their own, so that no
//! line of a chart is taken for a job.

use plotters::style::RGBColor;

/// Hues for categories. The first ten are Okabe & Ito's (2008) without black, and three more, moved
/// until every two of them stay apart for eyes that lack one kind of cone, as the tests measure it; the others are
/// lighter or darker ones, for jobs that each have their own. Last what no hue is left for.
const LIGHT: [&str; 15] = [
    "#0072b6", "#e59f00", "#37b796", "#b75e78", "#56b3e9", "#d86419", "#865600", "#332389",
    "#892455", "#b8ce8a", //
    "#2f86b8", "#e8875a", "#b8a32e", "#a65688", //
    "#b8bbc7",
];
const DARK: [&str; 15] = [
    "#3d90d2", "#f2b51e", "#34bc91", "#bba7df", "#a3dcfe", "#ed8348", "#997303", "#5c61d7",
    "#b1366c", "#f3e9af", //
    "#6fb4de", "#f0a57f", "#e0d06a", "#c07aa5", //
    "#8b8594",
];

/// Hues of schedulers, which no job has: drawn at random and moved until they stay apart from one
/// another for all eyes, and from jobs'. In the dark each is as light as it has to be, and keeps its hue. More than eight
/// differ by their dashes. (The style sheet of the
/// explorer of sweeps has the same values.)
const RUNS_LIGHT: [&str; 8] = [
    "#3b1bc8", "#b10006", "#63a22a", "#b158fe", "#42005a", "#a383ad", "#540000", "#664b73",
];
const RUNS_DARK: [&str; 8] = [
    "#7179ff", "#c72822", "#b3f782", "#8a41c6", "#a069bb", "#e8a1fe", "#c97063", "#f0d1ff",
];

/// The colour of a run by its hue.
pub fn run_colour(hue: usize, dark: bool) -> &'static str {
    let hues = if dark { &RUNS_DARK } else { &RUNS_LIGHT };
    hues[hue % hues.len()]
}

/// The colour of a category.
pub fn category(index: u32, dark: bool) -> &'static str {
    let hues = if dark { &DARK } else { &LIGHT };
    hues[index as usize % hues.len()]
}

/// The categories of jobs that each have a hue of their own, in the order in which jobs come. Each of the first ten is
/// as far as can be from those before it, for all eyes and in both themes: few jobs are never alike, nor are neighbours
/// in time. The lighter and darker ones come last.
const OF_JOBS: [u32; CATEGORIES - 1] = [4, 6, 7, 1, 2, 8, 0, 3, 5, 9, 11, 13, 10, 12];

/// The [`category`] of a job by its number.
pub fn job_category(job: u32) -> u32 {
    OF_JOBS[job as usize % OF_JOBS.len()]
}

/// Greys of the chrome.
#[derive(Clone, Copy, Debug)]
pub struct Chrome {
    /// Behind everything.
    pub background: &'static str,
    /// A free GPU.
    pub free: &'static str,
    /// A busy GPU, whichever job it works for.
    pub busy: &'static str,
    /// Lines and frames.
    pub line: &'static str,
    /// Quiet text.
    pub faint: &'static str,
    /// Text.
    pub text: &'static str,
    /// What is chosen or under the pointer.
    pub accent: &'static str,
}

/// The chrome of a theme. (The style sheet has the same values.)
pub fn chrome(dark: bool) -> Chrome {
    if dark {
        Chrome {
            background: "#16181c",
            free: "#23262c",
            busy: "#6b7480",
            line: "#343941",
            faint: "#9aa3af",
            text: "#e6e8eb",
            accent: "#ffffff",
        }
    } else {
        Chrome {
            background: "#ffffff",
            free: "#eef0f2",
            busy: "#a3abb5",
            line: "#d5d9de",
            faint: "#5c6570",
            text: "#1a1d21",
            accent: "#000000",
        }
    }
}

/// How many categories there are; the last is for what has no hue of its own.
pub const CATEGORIES: usize = LIGHT.len();

/// The [`category`] of a class, below [`CATEGORIES`].
pub fn class_category(class: u32) -> u32 {
    class.min(CATEGORIES as u32 - 1)
}

/// Red, green and blue of a colour written `#rrggbb`.
pub fn rgb(hex: &str) -> [u8; 3] {
    let value = u32::from_str_radix(hex.trim_start_matches('#'), 16).unwrap_or(0);
    [(value >> 16) as u8, (value >> 8) as u8, value as u8]
}

/// Black or white, whichever is easier to read on `background`.
pub fn ink_on(background: &str) -> &'static str {
    let [r, g, b] = rgb(background).map(|channel| (f64::from(channel) / 255.0).powf(2.2));
    let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    // At this luminance both have the same contrast (WCAG 2.2).
    if luminance > 0.179 {
        "#000000"
    } else {
        "#ffffff"
    }
}

/// A colour written `#rrggbb`, for plotters.
pub(crate) fn ink(hex: &str) -> RGBColor {
    let [r, g, b] = rgb(hex);
    RGBColor(r, g, b)
}

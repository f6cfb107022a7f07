//! The one palette: colours that stay apart for colour-blind eyes in both themes.

use crate::stage::{ColourBy, Stage, StageRun};
use switchyard::job::JobId;

/// Hues for categories: Okabe & Ito's set (2008) without black, ordered so that neighbours differ
/// in lightness too; the second row is the same hues, lighter or darker, for what comes after.
const LIGHT: [&str; 14] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7a00", //
    "#4a98c9", "#b97f00", "#4dbb9d", "#a65688", "#2f86b8", "#e8875a", "#b8a32e",
];
const DARK: [&str; 14] = [
    "#3d9bd6", "#f0b429", "#2bbd92", "#dd9abf", "#7cc8f2", "#ef7f3c", "#c9b13a", //
    "#6fb4de", "#d39a2c", "#6ccfb4", "#c07aa5", "#56a5d1", "#f0a57f", "#e0d06a",
];

/// Colours of runs in charts, in order of the list.
pub fn run_colour(position: usize, dark: bool) -> &'static str {
    category(position as u32, dark)
}

/// The colour of a category.
pub fn category(index: u32, dark: bool) -> &'static str {
    let hues = if dark { &DARK } else { &LIGHT };
    hues[index as usize % hues.len()]
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

/// The colour of a link's load, wanted ÷ carried: the fuller, the further from the page's own colour;
/// red beyond what it carries.
pub fn load(load: f64, dark: bool) -> &'static str {
    let [some, much, full, over] = if dark {
        ["#7d8793", "#aab2bd", "#f2f4f6", "#ff5f5f"]
    } else {
        ["#a3abb5", "#5c6570", "#1a1d21", "#d11a2a"]
    };
    match load {
        load if load > 1.0 => over,
        load if load > LOADS[1] => full,
        load if load > LOADS[0] => much,
        _ => some,
    }
}

/// Where one colour of a load ends and the next begins.
pub const LOADS: [f64; 2] = [0.5, 0.8];

/// How many categories have a colour of their own; further ones start again from the first.
pub const CATEGORIES: usize = LIGHT.len();

/// The class of jobs whose model, tenant or GPU type is not known.
pub const UNKNOWN: u32 = u32::MAX;

/// The class that a job's colour stands for: one of its own, its model, tenant, queue or GPU type, or
/// the power of two that its gang reaches.
pub fn job_class(job: JobId, by: ColourBy, stage: &Stage, run: &StageRun) -> u32 {
    let record = stage.workload.jobs.get(job.index());
    match by {
        // Neighbours in time should not look alike: stride through the hues.
        ColourBy::Job => job.0.wrapping_mul(5),
        ColourBy::Model => record.and_then(|record| record.model).unwrap_or(UNKNOWN),
        ColourBy::Tenant => record.and_then(|record| record.tenant).unwrap_or(UNKNOWN),
        ColourBy::Gpus => record.map_or(UNKNOWN, |record| record.gpus.max(1).ilog2()),
        ColourBy::Queue => run.moment.level(job),
        ColourBy::Type => held_type(job, stage, run).unwrap_or(UNKNOWN),
    }
}

/// The type of the GPUs that a job holds, or held last.
fn held_type(job: JobId, stage: &Stage, run: &StageRun) -> Option<u32> {
    let now = stage.clock.now;
    let segments = run
        .segments(job)
        .iter()
        .map(|&at| run.log.segment(at as usize));
    let last = segments.take_while(|of| of.start.seconds() <= now).last()?;
    let id = stage.cluster.type_of(last.gpus.first()?.node)?;
    Some(u32::from(id.0))
}

/// The [`category`] of a class, below [`CATEGORIES`].
pub fn class_category(class: u32) -> u32 {
    match class {
        UNKNOWN => CATEGORIES as u32 - 1,
        _ => class % CATEGORIES as u32,
    }
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
    if luminance > 0.22 {
        "#000000"
    } else {
        "#ffffff"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_readable_hex_and_bears_its_ink() {
        for dark in [false, true] {
            for index in 0..CATEGORIES as u32 {
                let colour = category(index, dark);
                let [r, g, b] = rgb(colour);
                assert_eq!(format!("#{r:02x}{g:02x}{b:02x}"), colour);
                assert!(["#000000", "#ffffff"].contains(&ink_on(colour)));
            }
        }
    }
}

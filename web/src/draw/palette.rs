//! The page's palette: the charts' colours ([`switchyard_charts::colours`]), which job has which of them, and those of
//! links and scores.

use crate::stage::{Stage, StageRun};
use crate::state::ColourBy;
use switchyard::job::JobId;
use switchyard::policies::Spent;
pub use switchyard_charts::colours::{
    CATEGORIES, Chrome, category, chrome, class_category, ink_on, job_category, rgb, run_colour,
};

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

/// The colour of a range that is selected.
pub fn range(dark: bool) -> &'static str {
    category(0, dark)
}

/// The colour of what a queue lends and another borrows.
pub fn borrowed(dark: bool) -> &'static str {
    category(1, dark)
}

/// The colour of what jobs' lives are spent on: of running none that stands out.
pub fn spent(spent: Spent, dark: bool) -> &'static str {
    let causes = Spent::ALL
        .iter()
        .filter(|of| !matches!(of, Spent::Running | Spent::Unseen));
    match causes.zip(0..).find(|(of, _)| **of == spent) {
        Some((_, at)) => category(at, dark),
        None if spent == Spent::Running => {
            if dark {
                "#4a525c"
            } else {
                "#c3cad2"
            }
        }
        None => chrome(dark).faint,
    }
}

/// The colour of a placer's scores.
pub fn heat(dark: bool) -> &'static str {
    if dark { "#f06bd0" } else { "#b0128b" }
}

/// Where one colour of a load ends and the next begins.
pub const LOADS: [f64; 2] = [0.5, 0.8];

/// So many classes have hues that all eyes tell apart.
pub const APART: u32 = 10;

/// The class of jobs whose model, tenant or GPU type is not known, or too seldom to have a hue.
pub const OTHERS: u32 = u32::MAX;

/// The class that a job's colour stands for: one of its own, its model, tenant, queue or GPU type, or
/// the power of two that its gang reaches; beyond [`APART`] they are [`OTHERS`].
pub fn job_class(job: JobId, by: ColourBy, stage: &Stage, run: &StageRun) -> u32 {
    let record = stage.workload.jobs.get(job.index());
    let rank = |ranks: &[u32], of: Option<u32>| ranks.get(of? as usize).copied();
    let class = match by {
        ColourBy::Job => return job_category(job.0),
        ColourBy::Model => record.and_then(|record| rank(&stage.ranks.models, record.model)),
        ColourBy::Tenant => record.and_then(|record| rank(&stage.ranks.tenants, record.tenant)),
        ColourBy::Gpus => record.map(|record| record.gpus.max(1).ilog2()),
        ColourBy::Queue => Some(run.moment.level(job)),
        ColourBy::Type => held_type(job, stage, run),
        ColourBy::Label(label) => {
            let recorded = &stage.workload.recorded;
            let set = recorded.label_sets.get(job.index()).copied().flatten();
            rank(
                &stage.ranks.labels[label as usize],
                recorded.labels.index(set, label),
            )
        }
    };
    class.filter(|&class| class < APART).unwrap_or(OTHERS)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How far apart the first ten hues are at least, in OKLab (Ottosson, 2020): several times what is
    /// just seen.
    const APART: f64 = 0.095;

    /// What is seen of red, green and blue: by all cones, and where those for medium or long waves lack
    /// (Machado, Oliveira & Fernandes, TVCG 15(6), 2009, severity 1).
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ];

    fn times(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// A colour in OKLab, as these eyes see it.
    fn seen(hex: &str, eyes: &[[f64; 3]; 3]) -> [f64; 3] {
        let linear = rgb(hex).map(|channel| match f64::from(channel) / 255.0 {
            c if c <= 0.04045 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        });
        let left = times(eyes, linear).map(|channel| channel.clamp(0.0, 1.0));
        let cones = times(
            &[
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ],
            left,
        );
        times(
            &[
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ],
            cones.map(f64::cbrt),
        )
    }

    fn apart(a: &str, b: &str, eyes: &[[f64; 3]; 3]) -> f64 {
        let [a, b] = [a, b].map(|hex| seen(hex, eyes));
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn ten_classes_and_eight_schedulers_stay_apart_for_all_eyes() {
        for (dark, eyes) in [false, true].into_iter().flat_map(|d| EYES.map(|e| (d, e))) {
            let classes: Vec<&str> = (0..super::APART).map(|i| category(i, dark)).collect();
            let runs: Vec<&str> = (0..8).map(|i| run_colour(i, dark)).collect();
            let of = |set: &[&str]| {
                for (at, a) in set.iter().enumerate() {
                    for b in &set[..at] {
                        let apart = apart(a, b, &eyes);
                        assert!(apart >= APART, "{a} {b}: {apart}, dark: {dark}");
                    }
                }
            };
            of(&classes);
            of(&runs);
            let others = category(class_category(OTHERS), dark);
            let nearest = classes.iter().map(|hue| apart(hue, others, &eyes));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert!(nearest >= 0.07, "{nearest}, dark: {dark}");
        }
    }

    #[test]
    fn few_jobs_are_never_alike() {
        for (dark, eyes) in [false, true].into_iter().flat_map(|d| EYES.map(|e| (d, e))) {
            // How far apart so many jobs that come first are at least.
            let nearest = |jobs: u32| {
                let hue = |job| category(job_category(job), dark);
                let pairs = (0..jobs).flat_map(|a| (0..a).map(move |b| (a, b)));
                let apart = pairs.map(|(a, b)| apart(hue(a), hue(b), &eyes));
                apart.fold(f64::INFINITY, f64::min)
            };
            for (jobs, least) in [(4, 0.2), (6, 0.1), (8, APART), (10, APART)] {
                let nearest = nearest(jobs);
                assert!(nearest >= least, "{jobs} jobs: {nearest}, dark: {dark}");
            }
        }
        let mut all: Vec<u32> = (0..CATEGORIES as u32 - 1).map(job_category).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..CATEGORIES as u32 - 1), "each has one");
    }

    #[test]
    fn a_scheduler_keeps_its_hue_in_the_dark() {
        for run in 0..8 {
            let hue = |dark: bool| {
                let [_, a, b] = seen(run_colour(run, dark), &EYES[0]);
                b.atan2(a).to_degrees()
            };
            let turned = (hue(true) - hue(false)).rem_euclid(360.0);
            let turned = turned.min(360.0 - turned);
            assert!(turned < 5.0, "{}: {turned}", run_colour(run, false));
        }
    }

    #[test]
    fn sweeps_show_schedulers_in_the_same_hues() {
        let sheet = include_str!("../../../static/styles/explorer.css");
        for (at, (light, dark)) in (0..8)
            .map(|run| (run_colour(run, false), run_colour(run, true)))
            .enumerate()
        {
            let rule = format!("--run-{at}: light-dark({light}, {dark});");
            assert!(sheet.contains(&rule), "{rule}");
        }
    }

    #[test]
    fn no_hue_of_a_scheduler_is_a_jobs() {
        for dark in [false, true] {
            for run in (0..8).map(|i| run_colour(i, dark)) {
                for job in (0..CATEGORIES as u32).map(|i| category(i, dark)) {
                    let apart = apart(run, job, &EYES[0]);
                    assert!(apart >= 0.08, "{run} {job}: {apart}, dark: {dark}");
                }
            }
        }
    }

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

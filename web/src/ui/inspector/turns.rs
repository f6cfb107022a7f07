//! How jobs take turns on the same GPUs: a cycle as three rows, one a resource, with a bar for each job's phase.

use crate::draw::on_stage::OnStage;
use crate::draw::{format, palette};
use crate::stage::Stage;
use crate::ui::controls::job_link;
use switchyard::explain::Turns;
use switchyard::job::JobId;
use yew::prelude::*;

/// What a phase needs, as labels.
const LABELS: [&str; 3] = ["data", "GPU", "net"];

/// The height of a row, pixels.
const ROW: f64 = 14.0;

/// A cycle in a run, drawn.
pub(super) fn turns(of: &Turns, stage: &Stage, run: u32, on_job: &Callback<JobId>) -> Html {
    let colours = colours(of, stage, run);
    let rows = LABELS.iter().enumerate().map(|(resource, label)| {
        let phases: Vec<(f64, f64)> = of.turns.iter().map(|turn| turn.phases[resource]).collect();
        let lanes = lanes(&phases, of.period);
        let height = ROW / lanes.iter().fold(1, |most, &lane| most.max(lane + 1)) as f64;
        let bars = of.turns.iter().enumerate().flat_map(|(at, turn)| {
            let (begin, length) = phases[at];
            let (fill, y) = (colours[at], height * lanes[at] as f64 + 0.5);
            let what = format!(
                "{}: {} for {}",
                stage.job_name(turn.job),
                Turns::RESOURCES[resource],
                seconds(length)
            );
            pieces(begin, length, of.period).into_iter().map(move |(from, to)| {
                let (x, width) = (100.0 * from, 100.0 * (to - from));
                html! {
                    <rect x={format!("{x:.2}%")} width={format!("{width:.2}%")} y={y.to_string()} height={(height - 1.0).to_string()} {fill}>
                        <title>{ what.clone() }</title>
                    </rect>
                }
            })
        });
        html! {
            <>
                <span class="hint" title={Turns::RESOURCES[resource]}>{ *label }</span>
                <svg width="100%" height={ROW.to_string()} role="presentation">{ for bars }</svg>
            </>
        }
    });
    let jobs = of.turns.iter().zip(&colours).map(|(turn, colour)| {
        html! {
            <span class="turn">
                <span class="swatch" ~style={format!("background: {colour}")}></span>
                { job_link(&stage.job_name(turn.job), turn.job, on_job) }
            </span>
        }
    });
    html! {
        <figure class="turns">
            <figcaption class="hint" title="Each job does one iteration in a cycle. While one loads data from storage and prepares it on CPUs, another computes on the GPUs, and a third exchanges gradients. Two may load data at once: one from storage, one on CPUs.">
                { format!("One cycle of {}", seconds(of.period)) }
            </figcaption>
            <div class="turns-rows" role="img" aria-label={in_words(of, stage)}>{ for rows }</div>
            <p class="turns-jobs">{ for jobs }</p>
        </figure>
    }
}

/// The jobs' colours: those that they have in the yard, or others where some of those are the same.
fn colours(of: &Turns, stage: &Stage, run: u32) -> Vec<&'static str> {
    let in_yard = stage.run(run).map(|run| {
        let jobs = of
            .turns
            .iter()
            .map(|turn| OnStage { stage, run }.colour(turn.job));
        jobs.collect::<Vec<_>>()
    });
    let differ = |colours: &Vec<&str>| {
        let mut sorted = colours.clone();
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    in_yard.filter(differ).unwrap_or_else(|| {
        let others = (0..of.turns.len() as u32).map(|at| palette::category(at, stage.dark));
        others.collect()
    })
}

/// For each phase the lowest lane of its row in which it meets no other one.
fn lanes(phases: &[(f64, f64)], period: f64) -> Vec<usize> {
    // Ends and beginnings may differ by rounding.
    let meet = |a: &(f64, f64), b: &(f64, f64)| a.0 + 1e-6 < b.1 && b.0 + 1e-6 < a.1;
    let mut lanes: Vec<Vec<(f64, f64)>> = Vec::new();
    let of = phases.iter().map(|&(begin, length)| {
        let own = pieces(begin, length, period);
        let is_free = |lane: &Vec<(f64, f64)>| {
            own.iter()
                .all(|own| !lane.iter().any(|other| meet(own, other)))
        };
        let at = lanes.iter().position(is_free).unwrap_or(lanes.len());
        if at == lanes.len() {
            lanes.push(Vec::new());
        }
        lanes[at].extend(own);
        at
    });
    of.collect()
}

/// A phase within a cycle, as parts of it from 0 to 1: it may go on at the cycle's beginning.
fn pieces(begin: f64, length: f64, period: f64) -> Vec<(f64, f64)> {
    if period <= 0.0 || length <= 0.0 {
        return Vec::new();
    }
    let (from, to) = (begin / period, (begin + length.min(period)) / period);
    match to > 1.0 {
        true => vec![(from.min(1.0), 1.0), (0.0, to - 1.0)],
        false => vec![(from, to)],
    }
}

/// A time of less than a minute with what matters of it.
fn seconds(time: f64) -> String {
    match time < 1.0 {
        true => format!("{} ms", format::figures(1000.0 * time)),
        false => format!("{} s", format::figures(time)),
    }
}

fn in_words(of: &Turns, stage: &Stage) -> String {
    let turns = of.turns.iter().map(|turn| {
        let phases = Turns::RESOURCES.iter().zip(turn.phases);
        let phases: Vec<String> = phases
            .map(|(what, (begin, length))| {
                format!("{what} from {} for {}", seconds(begin), seconds(length))
            })
            .collect();
        format!("{}: {}", stage.job_name(turn.job), phases.join(", "))
    });
    let turns: Vec<String> = turns.collect();
    format!("A cycle of {}. {}", seconds(of.period), turns.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_goes_on_in_the_next_cycle_begins_this_one() {
        assert_eq!(pieces(1.0, 1.0, 4.0), [(0.25, 0.5)]);
        assert_eq!(pieces(3.0, 2.0, 4.0), [(0.75, 1.0), (0.0, 0.25)]);
        assert_eq!(pieces(0.0, 9.0, 4.0), [(0.0, 1.0)]);
        assert!(pieces(1.0, 0.0, 4.0).is_empty());
    }

    #[test]
    fn who_meets_another_has_a_lane_of_its_own() {
        assert_eq!(lanes(&[(0.0, 1.0), (1.0, 2.0), (3.0, 1.0)], 4.0), [0, 0, 0]);
        assert_eq!(lanes(&[(0.0, 2.0), (1.0, 2.0), (3.0, 2.0)], 4.0), [0, 1, 1]);
        assert!(lanes(&[], 4.0).is_empty());
    }

    #[test]
    fn times_are_told_in_what_fits() {
        assert_eq!(seconds(0.437), "437 ms");
        assert_eq!(seconds(1.25), "1.25 s");
    }
}

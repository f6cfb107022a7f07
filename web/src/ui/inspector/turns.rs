//! How jobs take turns on the same GPUs: a cycle as three rows, one a resource, with a bar for each job's phase.

use crate::draw::{format, palette};
use crate::stage::Stage;
use crate::ui::controls::{job_link, swatch};
use switchyard::explain::Turns;
use switchyard::job::JobId;
use yew::prelude::*;

/// What a phase needs, as labels and in words.
const LABELS: [&str; 3] = ["data", "GPU", "net"];

/// A cycle, drawn.
pub(super) fn turns(of: &Turns, stage: &Stage, on_job: &Callback<JobId>) -> Html {
    let rows = LABELS.iter().enumerate().map(|(resource, label)| {
        let bars = of.turns.iter().enumerate().flat_map(|(at, turn)| {
            let (begin, length) = turn.phases[resource];
            let fill = palette::run_colour(at, stage.dark);
            let what = format!("{}: {} for {}", stage.job_name(turn.job), Turns::RESOURCES[resource], seconds(length));
            pieces(begin, length, of.period).into_iter().map(move |(from, to)| {
                html! {
                    <rect x={format!("{:.2}%", 100.0 * from)} width={format!("{:.2}%", 100.0 * (to - from))} y="1" height="12" {fill}>
                        <title>{ what.clone() }</title>
                    </rect>
                }
            })
        });
        html! {
            <>
                <span class="hint" title={Turns::RESOURCES[resource]}>{ *label }</span>
                <svg width="100%" height="14" role="presentation">{ for bars }</svg>
            </>
        }
    });
    let jobs = of.turns.iter().enumerate().map(|(at, turn)| {
        html! { <span class="turn">{ swatch(at, stage.dark) }{ job_link(&stage.job_name(turn.job), turn.job, on_job) }</span> }
    });
    html! {
        <figure class="turns">
            <figcaption class="hint" title="Each job does one iteration in a cycle. While one loads data from storage and prepares it on CPUs, another computes on the GPUs, and a third exchanges gradients.">
                { format!("One cycle of {}", seconds(of.period)) }
            </figcaption>
            <div class="turns-rows" role="img" aria-label={in_words(of, stage)}>{ for rows }</div>
            <p class="turns-jobs">{ for jobs }</p>
        </figure>
    }
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
    fn times_are_told_in_what_fits() {
        assert_eq!(seconds(0.437), "437 ms");
        assert_eq!(seconds(1.25), "1.25 s");
    }
}

//! How fast the chosen job ran in a run, and what cost it time: a curve above its life, on the same
//! axis, and the causes in words.

use crate::draw::format;
use crate::stage::Stage;
use switchyard::job::JobId;
use switchyard::policies::Slowness;
use yew::prelude::*;

/// The curve's box; as wide as the life is, and this high in CSS pixels.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 22.0;
/// As many causes as are told.
const MOST: usize = 4;
/// What is less than this part of full speed from it is full speed.
const NEARLY: f64 = 0.995;

/// The staircase under a job's speed, from one time to another: a path's data.
fn staircase(slowness: &Slowness, (from, to): (f64, f64)) -> String {
    let x = |at: f64| WIDTH * ((at - from) / (to - from)).clamp(0.0, 1.0);
    let mut path = format!("M0 {HEIGHT}");
    let mut last = 0.0;
    for &(at, speed) in &slowness.speeds {
        let place = x(at.seconds());
        // Closer steps cannot be told apart.
        if place - last >= 0.2 || speed == 0.0 {
            let y = HEIGHT * (1.0 - speed);
            path.push_str(&format!("H{place:.1}V{y:.1}"));
            last = place;
        }
    }
    path + &format!("H{WIDTH}V{HEIGHT}Z")
}

/// The curve, if the job was ever slowed.
pub(super) fn curve(slowness: &Slowness, span: (f64, f64), colour: &str) -> Html {
    if slowness.mean() > NEARLY {
        return Html::default();
    }
    let words = format!(
        "Its speed over time: on average {:.2} of its full speed",
        slowness.mean()
    );
    html! {
        <svg class="job-speed" viewBox={format!("0 0 {WIDTH} {HEIGHT}")} preserveAspectRatio="none" role="img" aria-label={words.clone()}>
            <title>{ words }</title>
            <path class="full" d={format!("M0 .5H{WIDTH}")} />
            <path d={staircase(slowness, span)} fill={colour.to_owned()} />
        </svg>
    }
}

/// What cost the job time, most first; a click goes to when it was worst.
pub(super) fn losses(stage: &Stage, slowness: &Slowness, on_seek: &Callback<f64>) -> Html {
    if slowness.speeds.is_empty() {
        return html! { <p class="hint">{ "It never ran." }</p> };
    }
    if slowness.mean() > NEARLY {
        return html! { <p class="hint">{ "Ran at its full speed." }</p> };
    }
    let name = |job: JobId| format::short_name(&stage.job_name(job));
    let told = slowness.losses.iter().take(MOST).map(|loss| {
        let at = loss.at.seconds();
        let seek = on_seek.reform(move |_: MouseEvent| at);
        html! {
            <li><button type="button" class="quiet" title="To when it was slowest there" onclick={seek}>
                <strong>{ format::duration(loss.seconds) }</strong>
                { format!(" {}; at worst {}", loss.worst.place, loss.worst.text(name)) }
                <span class="hint">{ format!(" {}", stage.moments().second(at)) }</span>
            </button></li>
        }
    });
    let more = slowness.losses.len().saturating_sub(MOST);
    html! {
        <>
            <p class="slow">{ format!("On average {:.2} of its full speed while it had {}: {} lost to", slowness.mean(), format::units("GPUs"), format::duration(slowness.lost())) }</p>
            <ol class="losses">{ for told }</ol>
            if more > 0 {
                <p class="hint">{ format!("and {}", format::counted(more as u64, "other place", "other places")) }</p>
            }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::Time;

    #[test]
    fn a_staircase_ends_where_it_began() {
        let mut slowness = Slowness::default();
        slowness.note(Time(10.0), Time(10.0), 0.5, Vec::new);
        slowness.note(Time(20.0), Time(10.0), 1.0, Vec::new);
        slowness.close(Time(40.0));
        let path = staircase(&slowness, (0.0, 40.0));
        assert_eq!(path, "M0 22H250.0V11.0H500.0V0.0H1000.0V22.0H1000V22Z");
    }
}

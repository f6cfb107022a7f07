//! When a job starts in many runs, drawn: a line a run, a box around nine of ten of them with a bar at the half, and a
//! triangle where the plain way has it. All schedulers share the axis.

use crate::state::start::{StartRun, Starting};
use switchyard_app::start::When;

/// The drawing's own units.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 36.0;

/// What the axis shows, seconds since the first submission.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Span {
    /// From the moment of the question to where nearly all runs of all schedulers have the job started.
    pub(super) fn of(start: &Starting) -> Self {
        let from = start.moment;
        let ends = start.runs.iter().filter_map(|run| {
            let end = run.so_far.map(|when| when.p95).filter(|at| at.is_finite());
            let finite = run.starts.iter().copied().filter(|at| at.is_finite());
            end.or_else(|| finite.reduce(f64::max))
        });
        let last = ends.fold(from, f64::max);
        Self {
            from,
            to: from + (1.15 * (last - from)).max(60.0),
        }
    }

    fn x(self, at: f64) -> f64 {
        (at - self.from) / (self.to - self.from) * WIDTH
    }

    fn shows(self, at: f64) -> bool {
        (self.from..=self.to).contains(&at)
    }
}

/// One scheduler's runs; `said` tells them to those who do not see them.
pub(super) fn strip(
    run: &StartRun,
    when: When,
    plain: Option<f64>,
    span: Span,
    colour: &str,
    said: &str,
) -> String {
    let said = said.replace('&', "&amp;").replace('<', "&lt;");
    let said = said.replace('"', "&quot;");
    let mut svg = format!(
        "<svg class=\"strip\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{said}\">"
    );
    let [left, right] = [when.p05, when.p95].map(|at| span.x(at.min(span.to)));
    svg += &format!(
        "<rect x=\"{left:.1}\" y=\"4\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\" fill-opacity=\"0.16\"/>",
        (right - left).max(2.0),
        HEIGHT - 8.0
    );
    let opacity = (12.0 / run.starts.len().max(1) as f64).clamp(0.12, 0.7);
    for at in run.starts.iter().copied().filter(|&at| span.shows(at)) {
        let x = span.x(at);
        svg += &format!(
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"8\" y2=\"{}\" stroke=\"{colour}\" stroke-opacity=\"{opacity:.2}\" stroke-width=\"2\" vector-effect=\"non-scaling-stroke\"/>",
            HEIGHT - 8.0
        );
    }
    if span.shows(when.p50) {
        let x = span.x(when.p50);
        svg += &format!(
            "<line class=\"half\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"2\" y2=\"{}\" vector-effect=\"non-scaling-stroke\"/>",
            HEIGHT - 2.0
        );
    }
    if let Some(at) = plain.filter(|&at| span.shows(at)) {
        let x = span.x(at);
        svg += &format!(
            "<path class=\"plain\" d=\"M{:.1} 0 L{:.1} 0 L{x:.1} 9 Z\"/>",
            x - 7.0,
            x + 7.0
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn when(p50: f64, p95: f64) -> When {
        When {
            started: None,
            at_once: 0.0,
            never: 0.0,
            p05: 100.0,
            p50,
            p90: p95,
            p95,
        }
    }

    fn run(starts: &[f64], when: When) -> StartRun {
        StartRun {
            name: "FIFO".to_owned(),
            hue: 0,
            starts: starts.to_vec(),
            so_far: Some(when),
            helps: 0,
            told: None,
        }
    }

    #[test]
    fn one_axis_holds_nine_of_ten_of_every_scheduler() {
        let runs = vec![
            run(&[110.0], when(120.0, 200.0)),
            run(&[110.0, 900.0, f64::INFINITY], when(500.0, f64::INFINITY)),
        ];
        let start = Starting {
            moment: 100.0,
            draws: 3,
            runs,
            under_way: true,
        };
        let span = Span::of(&start);
        assert!((span.to - (100.0 + 1.15 * 800.0)).abs() < 1e-9);
        let at = start.runs[1].so_far.unwrap();
        let svg = strip(&start.runs[1], at, Some(5000.0), span, "#123", "a < \"b\"");
        assert_eq!(svg.matches("<line x1").count(), 2, "{svg}");
        assert!(svg.contains("aria-label=\"a &lt; &quot;b&quot;\""));
        assert!(!svg.contains("inf") && !svg.contains("NaN") && !svg.contains("plain"));
    }

    #[test]
    fn who_starts_at_once_leaves_an_axis() {
        let start = Starting {
            moment: 100.0,
            draws: 1,
            runs: vec![run(&[100.0], when(100.0, 100.0))],
            under_way: false,
        };
        assert_eq!(Span::of(&start).to, 160.0);
    }
}

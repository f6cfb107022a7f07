//! What is said of a figure's moments: lines `- 240 select=giant: It comes.` In: the lines, and the figure that
//! they are about; out: [`Moment`]s. As one scrolls over them the figure's clock goes from one to the next
//! (`static/lessons/moments.js`). `window=0..3600` is the stretch of time that a timeline shows meanwhile.

use crate::figure::Figure;
use anyhow::{Context, Result, ensure};

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moment {
    /// Where the figure's clock stands, seconds.
    pub(crate) seconds: f64,
    /// The job that is chosen.
    pub(crate) select: Option<String>,
    /// What of time a timeline shows, seconds.
    pub(crate) window: Option<(f64, f64)>,
    /// What is said of it: Markdown, until it is read as HTML.
    pub(crate) text: String,
}

/// Reads a block's lines; `html` makes HTML of what is said.
pub(crate) fn read(
    lines: &str,
    figure: &Figure,
    html: impl Fn(&str) -> Result<String>,
) -> Result<Vec<Moment>> {
    let end = figure
        .end()?
        .context("the figure has no runs, and no clock that could go")?;
    let mut moments: Vec<Moment> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let moment = one(line, figure, end, moments.last());
        let mut moment = moment.with_context(|| format!("in the line '{line}'"))?;
        moment.text = html(&moment.text)?;
        moments.push(moment);
    }
    ensure!(moments.len() > 1, "one scrolls from a moment to another");
    Ok(moments)
}

fn one(line: &str, figure: &Figure, end: f64, before: Option<&Moment>) -> Result<Moment> {
    let (head, text) = line
        .strip_prefix("- ")
        .and_then(|line| line.split_once(": "))
        .context("it is no '- SECONDS: what is said'")?;
    let mut words = head.split_whitespace();
    let seconds = seconds(words.next().unwrap_or_default())?;
    ensure!(
        seconds <= end,
        "the figure's runs end after {end} seconds, before this moment"
    );
    ensure!(
        before.is_none_or(|before| before.seconds < seconds),
        "it is no later than the moment above it"
    );
    let mut moment = Moment {
        seconds,
        select: None,
        window: None,
        text: text.to_owned(),
    };
    for word in words {
        match word.split_once('=') {
            Some(("select", job)) => {
                ensure!(figure.has_job(job)?, "no job is called '{job}'");
                moment.select = Some(job.to_owned());
            }
            Some(("window", window)) => {
                ensure!(
                    figure.attribute("view") == Some("timeline"),
                    "a timeline alone has a window"
                );
                moment.window = Some(stretch(window, seconds)?);
            }
            _ => anyhow::bail!("'{word}' is neither select=JOB nor window=FROM..TO"),
        }
    }
    Ok(moment)
}

fn seconds(text: &str) -> Result<f64> {
    let seconds: f64 = text
        .parse()
        .with_context(|| format!("'{text}' is no number of seconds"))?;
    ensure!(
        seconds.is_finite() && seconds >= 0.0,
        "'{text}' is no moment of a clock"
    );
    Ok(seconds)
}

fn stretch(text: &str, moment: f64) -> Result<(f64, f64)> {
    let (from, to) = text
        .split_once("..")
        .with_context(|| format!("'{text}' is no FROM..TO"))?;
    let (from, to) = (seconds(from)?, seconds(to)?);
    ensure!(
        (from..=to).contains(&moment) && from < to,
        "the moment is not within {text}"
    );
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn of(view: &str, lines: &str) -> Result<Vec<Moment>> {
        let view = format!("src: three-jobs\npolicy: srsf\nview: {view}");
        let figure = Figure::read(&view, 1, Path::new("."), None)?;
        read(lines, &figure, |text| Ok(text.to_owned()))
    }

    #[test]
    fn moments_are_read_with_what_is_shown_then() {
        let moments = of(
            "timeline",
            "- 0: It begins.\n- 2.5 select=J3 window=0..10: `J1` is over: it was first.\n",
        );
        let moments = moments.unwrap();
        assert_eq!((moments[0].seconds, &moments[0].select), (0.0, &None));
        assert_eq!(
            moments[1],
            Moment {
                seconds: 2.5,
                select: Some("J3".to_owned()),
                window: Some((0.0, 10.0)),
                text: "`J1` is over: it was first.".to_owned(),
            }
        );
    }

    #[test]
    fn what_cannot_be_shown_is_refused_with_its_line() {
        for (view, line, why) in [
            ("yard", "- 17: Too late.", "end after 16 seconds"),
            ("yard", "- 0: Not later.", "no later than"),
            ("yard", "- soon: Who knows.", "no number of seconds"),
            ("yard", "- -1: Before all.", "no moment of a clock"),
            ("yard", "- 5 select=J4: Nobody.", "no job is called 'J4'"),
            ("yard", "- 5 window=0..9: No.", "a timeline alone"),
            ("timeline", "- 5 window=6..9: No.", "not within 6..9"),
            ("timeline", "- 5 zoom=0..9: No.", "neither"),
            ("yard", "5: No list.", "no '- SECONDS"),
            ("goodput", "- 5: No clock.", "has no runs"),
        ] {
            let error = of(view, &format!("- 0: It begins.\n{line}\n")).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains(why), "{error}");
            assert!(view == "goodput" || error.contains(line), "{error}");
        }
        assert!(of("yard", "- 0: It begins.\n").is_err());
    }
}

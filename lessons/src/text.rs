//! A text in Markdown, read. In: front matter (`title: …` between two lines `---`), prose, headings that
//! begin steps, and fenced blocks that are no prose; out: [`Text`], all numbers filled in and all claims
//! checked.
//!
//! The blocks: `view`, a figure; `guess`, a question with `-` choices, the right one with `*`, and `=` what
//! is revealed; `control`, the attribute of the figure above that its choices set, as `- label = value`; `slider`, the
//! same within a sentence, at its `{}`; `goal`, with the `text` of what is to be done and a `condition` (of runs, or `time >= 300`) or a job to
//! `select`; `moments` of the figure above, which scrolling leads through; `claim`, a condition in each line, and `claim over seeds`, which has to hold on other days of the
//! figure's sample, too (where nodes fail by chance, with other failures), and `claim over orders`, where the same jobs
//! come in other orders: what a sentence says beyond "here" and "on this day". A link to `do:play`, `do:pause`, `do:seek=300` or
//! `do:select=mine` becomes a button that does so to the figures. `` `mine` `` becomes one, too, where the figure has a job of that
//! name: it lights up there as long as it is pointed at. A team's name has its colour before it where the figure
//! colours jobs by team. A table may be wider than the screen.
//!
//! A formula's number becomes a button, too, which opens how it comes about.
//!
//! Code (`rust`, `sh`) stands there as it is.
//!
//! A document of `docs/` is a text, too ([`Text::of_document`]): its links lead to the page beside it.

use crate::figure::{Figure, pairs};
use crate::formula::{self, Condition};
use crate::moments::{self, Moment};
use crate::numbers::Numbers;
use anyhow::{Context, Result, bail, ensure};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_cmark_escape::escape_html;
use serde_json::{Value, json};
use std::path::Path;
use switchyard_app::Permalink;
use switchyard_charts::colours::category;

/// Where documents find the page, and where lessons do.
const SERVED: &str = "](http://127.0.0.1:8080/#";
const BESIDE: &str = "](../index.html#";

/// A lesson, the front page, an article or a document.
#[derive(Clone, Debug)]
pub struct Text {
    about: Vec<(String, String)>,
    /// Its steps; the first has no title where the text begins before the first heading.
    pub steps: Vec<Step>,
}

/// What stands below one heading.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The heading.
    pub title: String,
    pub(crate) parts: Vec<Part>,
    /// The numbers of its sentences.
    pub(crate) numbers: Numbers,
}

/// One thing of a step.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// HTML.
    Prose(String),
    Figure(Box<Figure>),
    Guess(Guess),
    Control(Control),
    Goal(Goal),
    /// The number of the figure that they are of.
    Moments(usize, Vec<Moment>),
}

/// A question with choices, answered before the text goes on.
#[derive(Clone, Debug)]
pub(crate) struct Guess {
    /// HTML, as all of it.
    pub(crate) question: String,
    pub(crate) choices: Vec<(String, bool)>,
    pub(crate) reveal: String,
}

/// What the reader may change.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) attribute: String,
    pub(crate) label: String,
    /// Label and value.
    pub(crate) choices: Vec<(String, String)>,
    /// What stands before and behind it where it is a slider within a sentence; HTML.
    pub(crate) sentence: Option<(String, String)>,
}

/// What the reader is to reach.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// HTML.
    pub(crate) text: String,
    /// As the script reads it.
    pub(crate) condition: Value,
    kind: GoalKind,
}

#[derive(Clone, Debug)]
enum GoalKind {
    OfRuns(Condition),
    OfReader,
}

impl Text {
    /// Reads a text whose files lie in `folder`.
    ///
    /// # Errors
    ///
    /// Something in it is wrong, or a claim of it does not hold.
    pub fn read(source: &str, folder: &Path) -> Result<Self> {
        let (front, body) = source
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"))
            .context("the text does not begin with lines 'key: value' between two lines '---'")?;
        let about = pairs(front)?.into_iter();
        let mut text = Self {
            about: about.map(|(key, value)| (key.to_owned(), value)).collect(),
            steps: Vec::new(),
        };
        ensure!(!text.about("title").is_empty(), "the text has no title");
        let mut reader = Reader {
            folder,
            figures: 0,
            numbers: 0,
            last: None,
        };
        for source in steps(body) {
            let title = source.lines().next().unwrap_or_default();
            let step = reader.step(&source);
            text.steps
                .push(step.with_context(|| format!("in '{title}'"))?);
        }
        text.steps.retain(|step| !step.parts.is_empty());
        Ok(text)
    }

    /// Reads a document: its heading is the title, its first paragraph the question. Links to the page that is served
    /// lead to the one beside the lessons, and links to other documents, which do not lie there, are words.
    ///
    /// # Errors
    ///
    /// It does not begin so, or something in it is wrong.
    pub fn of_document(source: &str, folder: &Path) -> Result<Self> {
        let mut parts = source
            .strip_prefix("# ")
            .unwrap_or_default()
            .splitn(3, "\n\n");
        let (Some(title), Some(question), Some(body)) = (parts.next(), parts.next(), parts.next())
        else {
            bail!("the document does not begin with '# ', a title, and a paragraph");
        };
        let question = question.replace('\n', " ");
        let body = body.replace(SERVED, BESIDE);
        let text = format!("---\ntitle: {title}\nquestion: {question}\n---\n{body}");
        Self::read(&text, folder)
    }

    /// What it says of itself, "" where it does not.
    pub fn about(&self, key: &str) -> &str {
        let said = self.about.iter().find(|(said, _)| said == key);
        said.map_or("", |(_, value)| value)
    }

    /// Its guesses, in order.
    pub(crate) fn guesses(&self) -> impl Iterator<Item = &Guess> {
        self.parts().filter_map(|part| match part {
            Part::Guess(guess) => Some(guess),
            _ => None,
        })
    }

    /// How many goals it has.
    pub(crate) fn goals(&self) -> usize {
        let goals = self.parts().filter(|part| matches!(part, Part::Goal(_)));
        goals.count()
    }

    /// Four digits that are others where its guesses or goals are: what is kept of a reader's choices is of these.
    /// (The 32 bits of FNV-1a, folded.)
    pub(crate) fn mark(&self) -> String {
        let mut hash: u32 = 0x811c_9dc5;
        let mut take = |text: &str| {
            for byte in text.bytes().chain([0]) {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        };
        for guess in self.guesses() {
            take(&guess.question);
            for (choice, is_right) in &guess.choices {
                take(choice);
                take(if *is_right { "right" } else { "wrong" });
            }
        }
        take(&self.goals().to_string());
        format!("{:04x}", (hash >> 16) ^ (hash & 0xffff))
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.steps.iter().flat_map(|step| &step.parts)
    }

    /// Its figures, in order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts().filter_map(|part| match part {
            Part::Figure(figure) => Some(&**figure),
            _ => None,
        })
    }
}

/// The source of each step: headings of the second level begin one, outside of blocks.
fn steps(body: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut in_block = false;
    for line in body.lines() {
        in_block ^= line.starts_with("```");
        if line.starts_with("## ") && !in_block {
            steps.push(String::new());
        }
        if let Some(step) = steps.last_mut() {
            step.push_str(line);
            step.push('\n');
        }
    }
    steps
}

struct Reader<'a> {
    folder: &'a Path,
    figures: usize,
    /// How many numbers its sentences have had.
    numbers: usize,
    /// The figure that the text speaks of.
    last: Option<Figure>,
}

impl Reader<'_> {
    fn step(&mut self, source: &str) -> Result<Step> {
        // Sentences may speak of the figure below them.
        if let Some(lines) = block(source, "view") {
            self.figures += 1;
            let (number, last) = (self.figures, self.last.as_ref());
            self.last = Some(Figure::read(&lines, number, self.folder, last)?);
        }
        let (source, mut numbers) = self.filled_in(source)?;
        let mut step = Step::default();
        let mut prose: Vec<Event> = Vec::new();
        let mut is_first_view = true;
        let said = numbers.clone();
        let mut events =
            Parser::new_ext(&source, Options::ENABLE_TABLES).map(|event| match event {
                Event::Start(Tag::Link {
                    link_type,
                    dest_url,
                    title,
                    id,
                }) => Event::Start(Tag::Link {
                    link_type,
                    dest_url: said.plain(&dest_url).into(),
                    title,
                    id,
                }),
                event => event,
            });
        while let Some(event) = events.next() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if level as usize == 2 => {
                    let inner = events.by_ref();
                    let inner =
                        inner.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                    step.title = html_of(inner);
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                    let mut lines = String::new();
                    for event in events.by_ref() {
                        match event {
                            Event::Text(text) => lines.push_str(&text),
                            _ => break,
                        }
                    }
                    if let "rust" | "sh" = &*kind {
                        let mut code = String::new();
                        escape_html(&mut code, &lines)?;
                        let html = format!("<pre tabindex=\"0\"><code>{code}</code></pre>\n");
                        prose.push(Event::Html(html.into()));
                        continue;
                    }
                    // Sentences alone have numbers that open.
                    if !["guess", "goal", "moments"].contains(&&*kind) {
                        lines = said.plain(&lines);
                    }
                    let above = html_of(prose.drain(..));
                    if !above.is_empty() {
                        step.parts.push(Part::Prose(above));
                    }
                    if &*kind == "view" && !std::mem::take(&mut is_first_view) {
                        self.figures += 1;
                        let (number, last) = (self.figures, self.last.as_ref());
                        self.last = Some(Figure::read(&lines, number, self.folder, last)?);
                    }
                    let part = self.block(&kind, &lines, &step);
                    let part = part.with_context(|| format!("in a block '{kind}'"))?;
                    step.parts.extend(part);
                }
                Event::Start(Tag::Link { ref dest_url, .. }) if dest_url.starts_with("do:") => {
                    let mut action = String::new();
                    escape_html(&mut action, &dest_url[3..])?;
                    let button =
                        format!("<button type=\"button\" class=\"do\" data-do=\"{action}\">");
                    prose.push(Event::InlineHtml(CowStr::from(button)));
                    for event in events.by_ref() {
                        if event == Event::End(TagEnd::Link) {
                            break;
                        }
                        prose.push(event);
                    }
                    prose.push(Event::InlineHtml(CowStr::from("</button>")));
                }
                Event::Code(name) => prose.extend(code(name, self.last.as_ref())?),
                Event::Start(Tag::Link { ref dest_url, .. }) if is_document(dest_url) => {
                    let inner = events.by_ref();
                    prose.extend(
                        inner.take_while(|event| !matches!(event, Event::End(TagEnd::Link))),
                    );
                }
                Event::Start(Tag::Table(_)) => {
                    // It moves within a frame of its own, which keys reach.
                    let frame = "<div class=\"wide\" tabindex=\"0\">\n";
                    prose.extend([Event::Html(frame.into()), event]);
                }
                Event::End(TagEnd::Table) => prose.extend([event, Event::Html("</div>\n".into())]),
                Event::Html(html) | Event::InlineHtml(html) => {
                    bail!("'{}' is HTML: a text says it in Markdown", html.trim());
                }
                event => prose.push(event),
            }
        }
        let rest = html_of(prose.into_iter());
        if !rest.is_empty() {
            step.parts.push(Part::Prose(rest));
        }
        step.title = numbers.plain(&step.title);
        for part in &mut step.parts {
            match part {
                Part::Prose(html) => *html = numbers.opened(html),
                Part::Guess(guess) => {
                    guess.question = numbers.opened(&guess.question);
                    guess.reveal = numbers.opened(&guess.reveal);
                    for (choice, _) in &mut guess.choices {
                        *choice = numbers.plain(choice);
                    }
                }
                Part::Goal(goal) => goal.text = numbers.opened(&goal.text),
                Part::Moments(_, moments) => {
                    for moment in moments {
                        moment.text = numbers.opened(&moment.text);
                    }
                }
                Part::Figure(_) | Part::Control(_) => {}
            }
        }
        step.numbers = numbers;
        Ok(step)
    }

    /// The source with marks for its formulas' numbers, and these.
    fn filled_in(&mut self, source: &str) -> Result<(String, Numbers)> {
        let mut filled = String::new();
        let mut numbers = Numbers::after(self.numbers);
        let mut rest = source;
        while let Some((before, behind)) = rest.split_once("{{") {
            let (formula, behind) = behind
                .split_once("}}")
                .with_context(|| format!("'{{{{{behind}' is not closed"))?;
            let figure = self.last.as_ref();
            let figure = figure.context("a sentence has a number before there is a figure")?;
            filled.push_str(before);
            let said = formula::said(formula, figure);
            let said = said.with_context(|| format!("in {{{{{formula}}}}}"))?;
            filled.push_str(&numbers.mark(said));
            rest = behind;
        }
        filled.push_str(rest);
        self.numbers = numbers.last();
        Ok((filled, numbers))
    }

    fn block(&mut self, kind: &str, lines: &str, step: &Step) -> Result<Option<Part>> {
        let figure = self.last.as_ref();
        let needed = || figure.context("there is no figure above it");
        Ok(Some(match kind {
            "view" => Part::Figure(Box::new(needed()?.clone())),
            "guess" => Part::Guess(guess(lines, figure)?),
            "control" => Part::Control(control(lines)?),
            "slider" => Part::Control(slider(lines, figure)?),
            "goal" => {
                let goal = goal(lines, figure)?;
                goal.check(needed()?, step)?;
                Part::Goal(goal)
            }
            "moments" => {
                ensure!(
                    !step
                        .parts
                        .iter()
                        .any(|part| matches!(part, Part::Moments(..))),
                    "a step has moments once"
                );
                let shown = step.parts.iter().rev().find_map(|part| match part {
                    Part::Figure(figure) => Some(figure),
                    _ => None,
                });
                let shown = shown.context("there is no figure above it in its step")?;
                Part::Moments(
                    shown.number,
                    moments::read(lines, shown, |text| line(text, Some(shown)))?,
                )
            }
            "claim" => {
                hold(lines, needed()?)?;
                return Ok(None);
            }
            "claim over seeds" => {
                let figure = needed()?;
                hold(lines, figure)?;
                for (seed, figure) in figure.other_days()? {
                    hold(lines, &figure).with_context(|| format!("with seed {seed}"))?;
                }
                return Ok(None);
            }
            "claim over orders" => {
                let figure = needed()?;
                hold(lines, figure)?;
                for (seed, figure) in figure.other_orders() {
                    hold(lines, &figure).with_context(|| format!("in order {seed}"))?;
                }
                return Ok(None);
            }
            other => bail!(
                "'{other}' is none: use view, guess, control, slider, goal, moments, claim, claim over seeds or claim over orders"
            ),
        }))
    }
}

impl Goal {
    /// That there is something to do, and that it can be done.
    fn check(&self, figure: &Figure, step: &Step) -> Result<()> {
        let GoalKind::OfRuns(condition) = &self.kind else {
            return Ok(());
        };
        let control = step.parts.iter().find_map(|part| match part {
            Part::Control(control) => Some(control),
            _ => None,
        });
        let control = control.context("no control above it leads to the goal")?;
        ensure!(
            !condition.holds(figure, &figure.policies())?,
            "it is reached before the reader does anything"
        );
        for (_, value) in &control.choices {
            let chosen = figure.with(&control.attribute, value)?;
            if condition.holds(&chosen, &chosen.policies())? {
                return Ok(());
            }
        }
        bail!("none of the choices reaches it")
    }
}

/// Checks that each line's condition holds of a figure.
fn hold(lines: &str, figure: &Figure) -> Result<()> {
    for line in lines.lines() {
        let holds = Condition::parse(line)?.holds(figure, &figure.policies())?;
        ensure!(holds, "'{line}' does not hold");
    }
    Ok(())
}

/// Whether a link leads to a document in Markdown.
fn is_document(link: &str) -> bool {
    let path = link.split('#').next().unwrap_or_default();
    path.ends_with(".md") && !path.contains(':')
}

/// The lines of the first block of a kind.
fn block(source: &str, kind: &str) -> Option<String> {
    let mut events = Parser::new(source);
    events.find(|event| {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(of))) = event else {
            return false;
        };
        &**of == kind
    })?;
    let lines = events.map_while(|event| match event {
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    });
    Some(lines.collect())
}

fn html_of<'a>(events: impl Iterator<Item = Event<'a>>) -> String {
    let mut out = String::new();
    html::push_html(&mut out, events);
    out
}

/// What is written as code: where the figure has a job of this name, a button that shows it there.
fn code<'a>(name: CowStr<'a>, figure: Option<&Figure>) -> Result<Vec<Event<'a>>> {
    if let Some(at) = team(&name, figure)? {
        let [light, dark] = [false, true].map(|dark| category(at, dark));
        let swatch = format!(
            "<span class=\"team\"><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><rect width=\"8\" height=\"8\" \
             fill=\"{light}\"/><rect class=\"dark\" width=\"8\" height=\"8\" fill=\"{dark}\"/></svg>"
        );
        return Ok(vec![
            Event::InlineHtml(CowStr::from(swatch)),
            Event::Code(name),
            Event::InlineHtml(CowStr::from("</span>")),
        ]);
    }
    if !figure.map_or(Ok(false), |figure| figure.has_job(&name))? {
        return Ok(vec![Event::Code(name)]);
    }
    let mut job = String::new();
    escape_html(&mut job, &name)?;
    let button = format!("<button type=\"button\" class=\"job\" data-job=\"{job}\">");
    Ok(vec![
        Event::InlineHtml(CowStr::from(button)),
        Event::Code(name),
        Event::InlineHtml(CowStr::from("</button>")),
    ])
}

/// The hue of the team of this name, where the figure colours jobs by team.
fn team(name: &str, figure: Option<&Figure>) -> Result<Option<u32>> {
    let by_team = |figure: &&Figure| {
        let link = figure.attribute("link").unwrap_or_default();
        Permalink::read(link).any(|(key, value)| key == "colour" && value == "tenant")
    };
    let Some(figure) = figure.filter(by_team) else {
        return Ok(None);
    };
    let at = figure.tenants()?.iter().position(|team| team == name);
    Ok(at.map(|at| at as u32))
}

/// A line of Markdown as HTML, without a paragraph around it, about a figure; what is a button itself has none.
fn line(source: &str, figure: Option<&Figure>) -> Result<String> {
    let mut events = Vec::new();
    for event in Parser::new(source) {
        match event {
            Event::Start(Tag::Paragraph)
            | Event::End(TagEnd::Paragraph)
            | Event::Html(_)
            | Event::InlineHtml(_) => {}
            Event::Code(name) => events.extend(code(name, figure)?),
            event => events.push(event),
        }
    }
    Ok(html_of(events.into_iter()))
}

fn guess(lines: &str, figure: Option<&Figure>) -> Result<Guess> {
    let (mut question, mut reveal, mut choices) = (String::new(), String::new(), Vec::new());
    for text in lines.lines().map(str::trim).filter(|text| !text.is_empty()) {
        match text.split_once(' ') {
            Some(("-", choice)) => choices.push((line(choice, None)?, false)),
            Some(("*", choice)) => choices.push((line(choice, None)?, true)),
            Some(("=", revealed)) => reveal = line(revealed, figure)?,
            _ => question = line(text, figure)?,
        }
    }
    let right = choices.iter().filter(|(_, is_right)| *is_right).count();
    ensure!(
        right == 1 && choices.len() > 1,
        "one of several choices is right, marked with *"
    );
    ensure!(
        !question.is_empty() && !reveal.is_empty(),
        "it has a question, and '= ' what is revealed"
    );
    Ok(Guess {
        question,
        choices,
        reveal,
    })
}

fn control(lines: &str) -> Result<Control> {
    let mut lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().and_then(|line| line.split_once(':'));
    let (attribute, label) = first.context("its first line is 'attribute: label'")?;
    let choices = lines.map(|line| {
        let choice = line
            .strip_prefix("- ")
            .and_then(|line| line.split_once(" = "));
        let (label, value) = choice.with_context(|| format!("'{line}' is no '- label = value'"))?;
        Ok((label.to_owned(), value.to_owned()))
    });
    let choices = choices.collect::<Result<Vec<_>>>()?;
    ensure!(choices.len() > 1, "a control has choices");
    Ok(Control {
        attribute: attribute.to_owned(),
        label: label.trim().to_owned(),
        choices,
        sentence: None,
    })
}

/// A control that is a slider in a sentence: its label is that, with `{}` where the slider stands.
fn slider(lines: &str, figure: Option<&Figure>) -> Result<Control> {
    let control = control(lines)?;
    let (before, behind) = control
        .label
        .split_once("{}")
        .context("its sentence has no '{}', where the slider is to stand")?;
    // Markdown leaves blanks at ends out.
    let blank = |is: bool| if is { " " } else { "" };
    let (at_end, at_begin) = (blank(before.ends_with(' ')), blank(behind.starts_with(' ')));
    let sentence = (
        line(before, figure)? + at_end,
        at_begin.to_owned() + &line(behind, figure)?,
    );
    Ok(Control {
        label: control.label.replace("{}", "…").replace('`', ""),
        sentence: Some(sentence),
        ..control
    })
}

fn goal(lines: &str, figure: Option<&Figure>) -> Result<Goal> {
    let (mut text, mut found) = (String::new(), None);
    for (key, value) in pairs(lines)? {
        match key {
            "text" => text = line(&value, figure)?,
            "select" => found = Some((json!({ "select": value }), GoalKind::OfReader)),
            "condition" => {
                let condition = Condition::parse(&value)?;
                let json = json!({ "all": condition.json()? });
                let kind = match condition.is_of_clock() {
                    true => GoalKind::OfReader,
                    false => GoalKind::OfRuns(condition),
                };
                found = Some((json, kind));
            }
            _ => bail!("a goal has a text, and a condition or a job to select, and no '{key}'"),
        }
    }
    ensure!(!text.is_empty(), "it has no text");
    let (condition, kind) = found.context("it has no condition")?;
    Ok(Goal {
        text,
        condition,
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::workload::Sample;

    fn read(body: &str) -> Result<Text> {
        Text::read(&format!("---\ntitle: A test\n---\n{body}"), Path::new("."))
    }

    const VIEW: &str = "```view\nsrc: three-jobs\npolicy: srsf\n```\n";

    #[test]
    fn numbers_in_sentences_are_the_engines() {
        let text = read(&format!("## One\nIt takes {{{{mean_jct(srsf)}}}}.\n{VIEW}")).unwrap();
        let Part::Prose(html) = &text.steps[0].parts[0] else {
            panic!("prose first")
        };
        let button = "<button type=\"button\" class=\"number\" popovertarget=\"how-1\" \
                      aria-haspopup=\"dialog\">9.33 s</button>";
        assert_eq!(html, &format!("<p>It takes {button}.</p>\n"));
        let (_, said) = text.steps[0].numbers.to_open().next().unwrap();
        assert_eq!(said.opened.sum, "(2 + 10 + 16) ∕ 3");
    }

    #[test]
    fn what_is_claimed_has_to_hold() {
        let claim = |claim: &str| read(&format!("## One\n{VIEW}```claim\n{claim}\n```\n"));
        assert!(claim("mean_jct(srsf) < mean_jct(las[quantum=1])").is_ok());
        let error = claim("mean_jct(srsf) > mean_jct(las[quantum=1])").unwrap_err();
        assert!(format!("{error:#}").contains("does not hold"), "{error:#}");
    }

    #[test]
    fn what_is_claimed_over_seeds_has_to_hold_on_other_days() {
        let claim = |src: &str, claim: &str| {
            read(&format!(
                "## One\n```view\nsrc: {src}\npolicy: fifo\n```\n```claim over seeds\n{claim}\n```\n"
            ))
        };
        assert!(claim("lab", "mean_jct(srtf) < mean_jct(fifo)").is_ok());
        // So it is on the day of the sample itself.
        let error = claim("lab", "mean_jct(fifo) < 13000").unwrap_err();
        assert!(format!("{error:#}").contains("with seed 1"), "{error:#}");
        let error = claim("three-jobs", "mean_jct(srtf) < mean_jct(fifo)").unwrap_err();
        assert!(
            format!("{error:#}").contains("the same with every seed"),
            "{error:#}"
        );
    }

    #[test]
    fn where_nodes_fail_by_chance_other_seeds_are_other_failures() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lessons");
        let claim = |src: &str, claim: &str| {
            let text = format!(
                "---\ntitle: A test\n---\n## One\n```view\nsrc: {src}\npolicy: fifo\n```\n```claim over seeds\n{claim}\n```\n"
            );
            Text::read(&text, &folder)
        };
        assert!(claim("training.csv", "node_failures(fifo) > 10").is_ok());
        // So it is with the file's own seed.
        let error = claim("training.csv", "node_failures(fifo) == 21").unwrap_err();
        assert!(format!("{error:#}").contains("with seed"), "{error:#}");
        let error = claim("equal-jobs.csv", "jct_mean(fifo) > 1").unwrap_err();
        assert!(format!("{error:#}").contains("the same with every seed"));
    }

    #[test]
    fn what_is_claimed_over_orders_has_to_hold_in_others() {
        let claim = |claim: &str| {
            read(&format!(
                "## One\n{VIEW}```claim over orders\n{claim}\n```\n"
            ))
        };
        assert!(claim("jct_mean(srsf) < jct_mean(las[quantum=1])").is_ok());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lessons");
        let text = "---\ntitle: A test\n---\n## One\n```view\nsrc: short-job.csv\npolicy: fifo\n```\n\
             ```claim over orders\nwait(fifo; mine) == 24900\n```\n";
        let error = Text::read(text, &folder).unwrap_err();
        assert!(format!("{error:#}").contains("in order "), "{error:#}");
    }

    #[test]
    fn a_slider_stands_in_its_sentence_and_leads_to_a_goal() {
        let slider = |sentence: &str, choices: &str| {
            read(&format!(
                "## One\n{VIEW}```slider\nlink: {sentence}\n{choices}```\n\
                 ```goal\ntext: Do it.\ncondition: jct_mean(1) > 9.4\n```\n"
            ))
        };
        let choices = "- nothing = v=1\n- a second = v=1&restart=1&first-start-pays=true\n";
        let text = slider("A start costs `J1` {}, and more.", choices).unwrap();
        let Part::Control(control) = &text.steps[0].parts[1] else {
            panic!("a control below its figure")
        };
        let (before, behind) = control.sentence.as_ref().unwrap();
        assert!(before.starts_with("A start costs <button"), "{before}");
        assert_eq!(behind, ", and more.");
        assert_eq!(control.label, "A start costs J1 …, and more.");
        assert!(slider("No place for it.", choices).is_err());
        assert!(slider("It is {}.", "- a = v=1\n- b = v=1&seed=3\n").is_err());
    }

    #[test]
    fn teams_have_their_colours_where_the_figure_has_them() {
        let prose = |link: &str| {
            let text = format!(
                "## One\nLook at `vision` and `nobody`.\n```view\nsrc: two-teams\npolicy: fifo\nlink: v=1{link}\n```\n"
            );
            match &read(&text).unwrap().steps[0].parts[0] {
                Part::Prose(html) => html.clone(),
                _ => panic!("prose first"),
            }
        };
        let html = prose("&colour=tenant");
        let colour = format!("fill=\"{}\"", category(0, false));
        assert!(
            html.contains(&colour) && html.contains("<code>vision</code></span>"),
            "{html}"
        );
        assert_eq!(html.matches("<svg").count(), 1);
        assert!(!prose("").contains("<svg"));
    }

    #[test]
    fn code_stands_as_it_is() {
        let text = read("## One\nWrite:\n\n```rust\nif a < 1 { 0 }\n```\n").unwrap();
        let Part::Prose(html) = &text.steps[0].parts[0] else {
            panic!("prose")
        };
        assert!(
            html.contains("<pre tabindex=\"0\"><code>if a &lt; 1 { 0 }\n</code></pre>"),
            "{html}"
        );
    }

    #[test]
    fn a_goal_is_not_reached_at_first_but_by_a_choice() {
        let goal = |condition: &str, choice: &str| {
            read(&format!(
                "## One\n{VIEW}```control\npolicy: Scheduler\n- one = srsf\n- other = {choice}\n```\n\
                 ```goal\ntext: Do it.\ncondition: {condition}\n```\n"
            ))
        };
        assert!(goal("mean_jct(1) < 9", "srtf").is_ok());
        assert!(goal("mean_jct(1) < 9", "las").is_err());
        assert!(goal("mean_jct(1) < 10", "srtf").is_err());
        assert!(
            goal("max_jct(1) < 9", "srtf").is_err(),
            "figures do not tell it"
        );
    }

    #[test]
    fn a_document_has_tables_and_links_that_lead_from_beside_the_page() {
        let source = "# A field\n\nOne\nparagraph.\n\n| a | b |\n|---|---|\n\
            | [`x`](http://127.0.0.1:8080/#v=1&run=x) | [y](figures.md#y), [z](https://example.org/z) |\n";
        let text = Text::of_document(source, Path::new(".")).unwrap();
        assert_eq!(text.about("title"), "A field");
        assert_eq!(text.about("question"), "One paragraph.");
        let Part::Prose(html) = &text.steps[0].parts[0] else {
            panic!("prose")
        };
        for part in [
            "<div class=\"wide\" tabindex=\"0\">\n<table>",
            "</table>\n</div>",
            "<a href=\"../index.html#v=1&amp;run=x\"><code>x</code></a>",
            "<td>y, <a href=\"https://example.org/z\">z</a></td>",
        ] {
            assert!(html.contains(part), "no {part} in {html}");
        }
        assert!(Text::of_document("A field\n\nOne.\n\nTwo.\n", Path::new(".")).is_err());
    }

    #[test]
    fn names_of_jobs_are_buttons_where_the_figure_has_them() {
        let prose = |name: &str| {
            let text = read(&format!("## One\nLook at `{name}`.\n{VIEW}")).unwrap();
            match &text.steps[0].parts[0] {
                Part::Prose(html) => html.clone(),
                _ => panic!("prose first"),
            }
        };
        let job = Sample::named("three-jobs")
            .expect("a sample")
            .workload()
            .jobs[0]
            .name
            .to_string();
        let button = format!(
            "<button type=\"button\" class=\"job\" data-job=\"{job}\"><code>{job}</code></button>"
        );
        assert!(prose(&job).contains(&button), "{}", prose(&job));
        assert_eq!(prose("nobody"), "<p>Look at <code>nobody</code>.</p>\n");
        // In blocks, too, but for choices, which are buttons.
        let blocks = format!(
            "```moments\n- 0: See `{job}`.\n- 1: See `nobody`.\n```\n\
             ```guess\nIs it `{job}`?\n- `{job}`\n* No\n= It is `{job}`.\n```\n\
             ```goal\ntext: Choose `{job}`.\nselect: {job}\n```\n"
        );
        let text = read(&format!("## One\n{VIEW}{blocks}")).unwrap();
        let [
            _,
            Part::Moments(_, moments),
            Part::Guess(guess),
            Part::Goal(goal),
        ] = &text.steps[0].parts[..]
        else {
            panic!("a figure and three blocks")
        };
        assert_eq!(moments[0].text, format!("See {button}."));
        assert_eq!(moments[1].text, "See <code>nobody</code>.");
        assert_eq!(guess.question, format!("Is it {button}?"));
        assert_eq!(guess.reveal, format!("It is {button}."));
        assert_eq!(guess.choices[0].0, format!("<code>{job}</code>"));
        assert_eq!(goal.text, format!("Choose {button}."));
    }

    #[test]
    fn markup_is_refused_and_buttons_are_made_of_links() {
        assert!(read("## One\n<script>1</script>\n").is_err());
        let text = read("## One\nGo [there](do:seek=3).\n").unwrap();
        let Part::Prose(html) = &text.steps[0].parts[0] else {
            panic!("prose")
        };
        assert!(html.contains("data-do=\"seek=3\">there</button>"), "{html}");
    }
}

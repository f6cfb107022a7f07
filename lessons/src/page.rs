//! The HTML of texts. All of it stands there without scripts: steps one below the other, the answers of
//! guesses, a still of each figure. `static/lessons/lesson.js` makes of it steps that one walks.

use crate::arithmetic::{Opened, exact};
use crate::figure::{Figure, Room};
use crate::formula::Said;
use crate::moments::Moment;
use crate::picture;
use crate::text::{Control, Goal, Guess, Part, Step, Text};
use pulldown_cmark_escape::escape_html;
use std::fmt::Write;
use switchyard_app::format;

/// What these pages may load: what lies beside them. Frames of the page itself are within.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     frame-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
     require-trusted-types-for 'script'";

/// Where a page lies.
pub(crate) struct Place<'a> {
    /// The address of the site, with `/` at its end, where it is known.
    pub(crate) site: Option<&'a str>,
    pub(crate) folder: &'a str,
    pub(crate) name: &'a str,
}

/// Where a page's picture lies, from the page.
pub(crate) fn picture_of(page: &str) -> String {
    format!("pictures/{page}.png")
}

/// Where a figure's still lies, from its page.
pub(crate) fn still_of(page: &str, number: usize) -> String {
    format!("stills/{page}-{number}.svg")
}

/// A lesson; `next`: the name and the text of what comes after it.
pub(crate) fn lesson(
    text: &Text,
    place: &Place<'_>,
    number: usize,
    of: usize,
    (next, text_of_next): &(String, Text),
) -> String {
    let name = place.name;
    let mut body = String::new();
    let steps = text.steps.len();
    for (at, step) in text.steps.iter().enumerate() {
        let at = at + 1;
        body += &format!(
            "<section class=\"step\" id=\"step-{at}\" aria-labelledby=\"title-{at}\">\n\
             <h2 id=\"title-{at}\" tabindex=\"-1\"><span class=\"count\">{at} of {steps}</span> {}</h2>\n",
            step.title
        );
        body += &parts(step, name, true);
        body += "<div class=\"go\"><button type=\"button\" class=\"back\">Back</button>\
             <button type=\"button\" class=\"on\">Continue</button></div>\n</section>\n";
    }
    // The editor's course (web/editor/src/course.js).
    let (what, more) = match number == of {
        true => (
            "That was the last one. Now write a scheduler of your own: \
             <a href=\"../index.html?teach#v=1&amp;sample=lab&amp;run=fifo\">from FIFO to 2D-LAS in six edits</a>. What else there is",
            " · <a href=\"certificate.html\">Your certificate</a>",
        ),
        false => ("Next", ""),
    };
    body += &format!(
        "<p class=\"next\" id=\"end\">{what}: <a href=\"{next}.html\">{}</a>{more} · <a href=\"index.html\">All lessons</a></p>\n",
        escaped(text_of_next.about("title"))
    );
    let above = format!(
        "<p class=\"eyebrow\">Lesson {number} of {of} · {} minutes</p>\n<h1>{}</h1>\n<p class=\"question\">{}</p>\n",
        escaped(text.about("minutes")),
        escaped(text.about("title")),
        escaped(text.about("question")),
    );
    let data = format!(" data-lesson=\"{name}\" data-mark=\"{}\"", text.mark());
    page(text, place, ("lesson", &data), &above, &body)
}

/// The front page: its text, what lessons there are, and the page behind them.
pub(crate) fn front(
    text: &Text,
    place: &Place<'_>,
    lessons: &[(String, Text)],
    field: &(String, Text),
) -> String {
    let mut body = sections(text, place.name);
    body += "<section aria-labelledby=\"lessons\">\n<h2 id=\"lessons\">The lessons</h2>\n<ol class=\"lessons\">\n";
    for (name, lesson) in lessons.iter().chain([field]) {
        let mut data = String::new();
        if lesson.goals() > 0 {
            let (mark, steps) = (lesson.mark(), lesson.steps.len());
            data = format!(" data-lesson=\"{name}\" data-mark=\"{mark}\" data-steps=\"{steps}\"");
        }
        body += &format!(
            "<li><a href=\"{name}.html\"{data}>{}</a> <span>{}</span></li>\n",
            escaped(lesson.about("title")),
            escaped(lesson.about("question")),
        );
    }
    body += "</ol>\n<p><a href=\"certificate.html\">Your certificate</a>: your guesses beside the answers. · \
         <a href=\"teachers.html\">For teachers</a>: an hour's plan, questions with answers, exercises.</p>\n</section>\n";
    page(text, place, ("front", ""), &heading(text), &body)
}

/// A document: everything below one another, and what may come after it.
pub(crate) fn document(text: &Text, place: &Place<'_>) -> String {
    let mut body = sections(text, place.name);
    body += "<p class=\"next\"><a href=\"../index.html\">Open Switchyard</a> and drop a trace of your own. · \
         <a href=\"index.html\">All lessons</a></p>\n";
    page(text, place, ("document", ""), &heading(text), &body)
}

/// The page for teachers: its text, and what the lessons ask, with the answers.
pub(crate) fn teachers(text: &Text, place: &Place<'_>, lessons: &[(String, Text)]) -> String {
    let mut body = sections(text, place.name);
    body += "<section aria-labelledby=\"questions\">\n<h2 id=\"questions\">Every question, with its answer</h2>\n";
    for (number, (name, lesson)) in (1..).zip(lessons) {
        body += &format!(
            "<details>\n<summary>{number}. {}</summary>\n<p><a href=\"{name}.html\">The lesson</a></p>\n",
            escaped(lesson.about("title"))
        );
        body += &questions(lesson);
        body += "</details>\n";
    }
    body += "</section>\n<p class=\"next\"><a href=\"index.html\">All lessons</a></p>\n";
    page(text, place, ("document", ""), &heading(text), &body)
}

/// The certificate: what the lessons ask, with the answers. The script puts a reader's guesses beside them.
pub(crate) fn certificate(text: &Text, place: &Place<'_>, lessons: &[(String, Text)]) -> String {
    let mut body = "<p id=\"summary\" class=\"given\" role=\"status\"></p>\n\
         <p class=\"given\"><label for=\"name\">Your name, if you like:</label> \
         <input id=\"name\" maxlength=\"60\" autocomplete=\"name\"></p>\n\
         <p class=\"given choices\"><button type=\"button\" id=\"copy\">Copy the link</button> \
         <button type=\"button\" id=\"anew\">Forget all guesses</button> <span id=\"copied\"></span></p>\n"
        .to_owned();
    body += &sections(text, place.name);
    for (number, (name, lesson)) in (1..).zip(lessons) {
        body += &format!(
            "<section class=\"asked\" data-lesson=\"{name}\" data-mark=\"{}\" data-goals=\"{}\" aria-labelledby=\"of-{number}\">\n\
             <h2 id=\"of-{number}\">{number}. <a href=\"{name}.html\">{}</a></h2>\n<p class=\"reached\"></p>\n\
             <p class=\"changed\" hidden>The lesson has other questions by now than when these guesses were made.</p>\n",
            lesson.mark(),
            lesson.goals(),
            escaped(lesson.about("title"))
        );
        body += &questions(lesson);
        body += "</section>\n";
    }
    body += "<p class=\"next\"><a href=\"index.html\">All lessons</a></p>\n";
    page(
        text,
        place,
        ("document certificate", ""),
        &heading(text),
        &body,
    )
}

/// The guesses of a lesson, each with its choices and what is revealed.
fn questions(lesson: &Text) -> String {
    let mut items = String::new();
    for guess in lesson.guesses() {
        let mut choices = String::new();
        for (choice, is_right) in &guess.choices {
            let right = if *is_right { " data-right" } else { "" };
            choices += &format!(
                "<li{right}>{}<span class=\"whose\"></span></li>\n",
                without_buttons(choice)
            );
        }
        items += &format!(
            "<li class=\"question-asked\"><p>{}</p>\n<ul>\n{choices}</ul>\n<p class=\"reveal\">{}</p></li>\n",
            without_buttons(&guess.question),
            without_buttons(&guess.reveal)
        );
    }
    format!("<ol>\n{items}</ol>\n")
}

/// Our own HTML without its buttons, as words.
fn without_buttons(html: &str) -> String {
    let mut parts = html.split("<button");
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        words += part.split_once('>').map_or("", |(_, rest)| rest);
    }
    words.replace("</button>", "")
}

/// An article: everything below one another.
pub(crate) fn article(text: &Text, place: &Place<'_>) -> String {
    let body = sections(text, place.name);
    page(text, place, ("article", ""), &heading(text), &body)
}

fn heading(text: &Text) -> String {
    format!(
        "<h1>{}</h1>\n<p class=\"question\">{}</p>\n",
        escaped(text.about("title")),
        escaped(text.about("question"))
    )
}

fn sections(text: &Text, name: &str) -> String {
    let mut body = String::new();
    for step in &text.steps {
        body += "<section>\n";
        if !step.title.is_empty() {
            body += &format!("<h2>{}</h2>\n", step.title);
        }
        body += &parts(step, name, false);
        body += "</section>\n";
    }
    body
}

/// The whole of a page; `kind`: its classes, and what else its body says of it.
fn page(
    text: &Text,
    place: &Place<'_>,
    (kind, data): (&str, &str),
    above: &str,
    body: &str,
) -> String {
    let title = escaped(text.about("title"));
    let question = escaped(text.about("question"));
    let shared = shared(&title, &question, place, kind);
    let script = match kind.contains("certificate") {
        true => "<script type=\"module\" src=\"../lessons/certificate.js\"></script>\n",
        false => "",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"description\" content=\"{question}\">\n\
         {shared}<title>{title} · Switchyard</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"../lessons/lesson.css\">\n\
         <script type=\"module\" src=\"../view.js\"></script>\n\
         <script type=\"module\" src=\"../lessons/lesson.js\"></script>\n{script}</head>\n\
         <body class=\"{kind}\"{data}>\n<header>\n<nav aria-label=\"Switchyard\">\
         <a href=\"../index.html\">Switchyard</a><a href=\"../lessons/index.html\">Lessons</a></nav>\n\
         {above}</header>\n<main>\n{body}</main>\n\
         <p id=\"told\" role=\"status\"></p>\n</body>\n</html>\n"
    )
}

/// What other sites show where somebody links to the page: the Open Graph protocol. Its addresses are absolute, so
/// that there is a picture only where the site's own is known.
fn shared(title: &str, question: &str, place: &Place<'_>, kind: &str) -> String {
    let mut tags = String::new();
    let mut tag = |key: &str, value: &str| {
        let _ = writeln!(tags, "<meta property=\"og:{key}\" content=\"{value}\">");
    };
    tag(
        "type",
        if kind == "front" {
            "website"
        } else {
            "article"
        },
    );
    tag("site_name", "Switchyard");
    tag("title", title);
    tag("description", question);
    let mut card = "summary";
    if let Some(site) = place.site {
        let folder = format!("{site}{}/", place.folder);
        let address = format!("{folder}{}.html", place.name);
        let picture = format!("{folder}{}", picture_of(place.name));
        tags += &pictured(&address, &picture, &format!("{title} {question}"));
        card = LARGE;
    }
    format!("{tags}<meta name=\"twitter:card\" content=\"{card}\">\n")
}

/// How sites show a page that has a picture.
const LARGE: &str = "summary_large_image";

/// Where a page and its picture lie, for other sites. `alt` is HTML.
fn pictured(address: &str, picture: &str, alt: &str) -> String {
    let [address, picture] = [address, picture].map(escaped);
    let (width, height) = (picture::WIDTH, picture::HEIGHT);
    let tags = [
        ("url", &*address),
        ("image", &*picture),
        ("image:type", "image/png"),
        ("image:width", &*width.to_string()),
        ("image:height", &*height.to_string()),
        ("image:alt", alt),
    ];
    let tags =
        tags.map(|(key, value)| format!("<meta property=\"og:{key}\" content=\"{value}\">\n"));
    tags.concat()
}

/// The page that runs schedulers (`index.html`), with the picture of the lessons' front page for other sites; none where
/// it does not say how it is shown, or names a picture already.
pub(crate) fn with_picture(html: &str, site: &str, front: &Text) -> Option<String> {
    const CARD: &str = "<meta name=\"twitter:card\" content=\"summary\">";
    let (before, behind) = html.split_once(CARD)?;
    let picture = format!("{site}lessons/{}", picture_of("index"));
    let alt = format!("{} {}", front.about("title"), front.about("question"));
    let tags = pictured(site, &picture, &escaped(&alt));
    Some(format!(
        "{before}{tags}<meta name=\"twitter:card\" content=\"{LARGE}\">{behind}"
    ))
}

/// What a step has; `is_plain`: its figures alone, without the page's tools.
fn parts(step: &Step, name: &str, is_plain: bool) -> String {
    let (mut said, mut shown) = (String::new(), String::new());
    // What is said before moments, and these.
    let mut led = None;
    for part in &step.parts {
        match part {
            Part::Prose(html) => said += html,
            Part::Figure(of) => shown += &figure(of, name, is_plain),
            Part::Guess(of) => said += &guess(of),
            Part::Control(of) => said += &control(of, step),
            Part::Goal(of) => said += &goal(of, step),
            Part::Moments(figure, of) => {
                led = Some((std::mem::take(&mut said), moments(*figure, of)));
            }
        }
    }
    for (number, of) in step.numbers.to_open() {
        said += &card(number, of);
    }
    let say = |said: &str| format!("<div class=\"say\">\n{said}</div>\n");
    let show = format!("<div class=\"show\">\n{shown}</div>\n");
    match led {
        None => say(&said) + &show,
        Some((before, moments)) => {
            let led = format!("<div class=\"led\">\n{show}{moments}</div>\n");
            say(&before) + &led + &say(&said)
        }
    }
}

/// Moments of a figure: the script has its clock follow them.
fn moments(figure: usize, moments: &[Moment]) -> String {
    let mut items = String::new();
    for moment in moments {
        let mut data = format!("data-t=\"{}\"", moment.seconds);
        if let Some(job) = &moment.select {
            let _ = write!(data, " data-select=\"{}\"", escaped(job));
        }
        if let Some((from, to)) = moment.window {
            let _ = write!(data, " data-window=\"{from} {to}\"");
        }
        items += &format!(
            "<li {data}><button type=\"button\" class=\"time\">{}</button> {}</li>\n",
            format::time(moment.seconds),
            moment.text
        );
    }
    format!("<ol class=\"moments\" data-figure=\"figure-{figure}\">\n{items}</ol>\n")
}

/// How a number comes about: what its button opens.
fn card(number: usize, said: &Said) -> String {
    format!(
        "<div class=\"card\" id=\"how-{number}\" popover role=\"dialog\" tabindex=\"-1\" autofocus \
         aria-label=\"How {} comes about\">\n{}</div>\n",
        escaped(&said.words),
        opened(&said.opened, Some(&said.words))
    )
}

/// `words`: the number as the sentence has it; a side of a larger sum has none.
fn opened(of: &Opened, words: Option<&str>) -> String {
    let mut lines = vec![("Formula", escaped(&of.formula))];
    let mut sum = escaped(&of.sum);
    let comes_to = [&*of.result(), words.unwrap_or_default()];
    let mut last = of.sum.as_str();
    for text in comes_to {
        if !text.is_empty() && text != last {
            sum += &format!(" = {}", escaped(text));
            last = text;
        }
    }
    lines.push(("Values", sum));
    if !of.named.is_empty() {
        let named = of.named.iter();
        let named = named
            .map(|(job, value)| format!("<code>{}</code>&nbsp;{}", escaped(job), exact(*value)));
        lines.push(("Jobs", named.collect::<Vec<_>>().join(", ")));
    }
    if let Some(policy) = &of.policy {
        lines.push(("Scheduler", format!("<code>{}</code>", escaped(policy))));
    }
    let what = if of.policy.is_some() {
        "Trace"
    } else {
        "Model"
    };
    for (term, text) in [(what, &of.of), ("Source", &of.source)] {
        if !text.is_empty() {
            lines.push((term, escaped(text)));
        }
    }
    let mut html = format!("<p class=\"title\">{}</p>\n<dl>\n", escaped(&of.title));
    for (term, text) in lines {
        html += &format!("<dt>{term}</dt><dd>{text}</dd>\n");
    }
    html += "</dl>\n";
    for part in &of.parts {
        html += &opened(part, None);
    }
    html
}

fn figure(figure: &Figure, name: &str, is_plain: bool) -> String {
    let mut attributes = String::new();
    for (key, value) in figure.attributes() {
        let _ = write!(attributes, " {key}=\"{}\"", escaped(value));
    }
    if is_plain {
        attributes += " plain";
    }
    let caption = escaped(figure.attribute("caption").unwrap_or_default());
    let mut still = String::new();
    if figure.still.is_some() {
        let path = still_of(name, figure.number);
        let _ = write!(attributes, " poster=\"{path}\"");
        let what = if figure.has_runs() {
            format!("Who had which GPU when, under {}", figure.policies())
        } else {
            "What more GPUs are worth to each application, and how its best batch grows".to_owned()
        };
        let what = escaped(&what);
        let _ = write!(
            still,
            "<img src=\"{path}\" alt=\"{what}.\" loading=\"lazy\">"
        );
    }
    let number = figure.number;
    let room = match figure.room {
        Room::Low if is_plain => " class=\"low\"",
        Room::Middle if is_plain => " class=\"middle\"",
        _ => "",
    };
    format!(
        "<figure{room}>\n<switchyard-view id=\"figure-{number}\"{attributes}>{still}</switchyard-view>\n\
         <figcaption>{caption}</figcaption>\n</figure>\n"
    )
}

fn guess(guess: &Guess) -> String {
    let mut choices = String::new();
    for (choice, is_right) in &guess.choices {
        let right = if *is_right { " data-right" } else { "" };
        choices += &format!("<button type=\"button\"{right}>{choice}</button>\n");
    }
    format!(
        "<div class=\"guess\" role=\"group\" aria-label=\"A guess\">\n<p>{}</p>\n<div class=\"choices\">\n\
         {choices}</div>\n<p class=\"reveal\"><strong class=\"verdict\"></strong> {}</p>\n</div>\n",
        guess.question, guess.reveal
    )
}

fn control(control: &Control, step: &Step) -> String {
    let figure = number_of(step);
    if let Some(sentence) = &control.sentence {
        return slider(control, sentence, step);
    }
    let mut choices = String::new();
    for (label, value) in &control.choices {
        choices += &format!(
            "<button type=\"button\" data-value=\"{}\">{}</button>\n",
            escaped(value),
            escaped(label)
        );
    }
    let label = escaped(&control.label);
    format!(
        "<div class=\"control\" role=\"group\" aria-label=\"{label}\" data-figure=\"figure-{figure}\" \
         data-attribute=\"{}\">\n<p>{label}</p>\n<div class=\"choices\">\n{choices}</div>\n</div>\n",
        escaped(&control.attribute)
    )
}

/// A slider within a sentence, which stands where its figure does at first.
fn slider(control: &Control, (before, behind): &(String, String), step: &Step) -> String {
    let shown = step.parts.iter().find_map(|part| match part {
        Part::Figure(figure) => figure.attribute(&control.attribute),
        _ => None,
    });
    let choices = &control.choices;
    let at = choices
        .iter()
        .position(|(_, value)| Some(&**value) == shown);
    let at = at.unwrap_or_default();
    let mut options = String::new();
    for (label, value) in choices {
        options += &format!(
            "<data value=\"{}\" data-label=\"{}\"></data>",
            escaped(value),
            escaped(label)
        );
    }
    let (label, now) = (escaped(&control.label), escaped(&choices[at].0));
    format!(
        "<p class=\"control slider\" data-figure=\"figure-{}\" data-attribute=\"{}\">{before}\
         <input type=\"range\" min=\"0\" max=\"{}\" value=\"{at}\" aria-label=\"{label}\" \
         aria-valuetext=\"{now}\"><output>{now}</output>{behind}<span hidden>{options}</span></p>\n",
        number_of(step),
        escaped(&control.attribute),
        choices.len() - 1,
    )
}

fn goal(goal: &Goal, step: &Step) -> String {
    format!(
        "<p class=\"goal\" data-figure=\"figure-{}\" data-goal=\"{}\"><span class=\"tick\" \
         aria-hidden=\"true\"></span><span class=\"state\">To do:</span> {}</p>\n",
        number_of(step),
        escaped(&goal.condition.to_string()),
        goal.text
    )
}

/// The figure that a step's controls and goals are about.
fn number_of(step: &Step) -> usize {
    let figure = step.parts.iter().find_map(|part| match part {
        Part::Figure(figure) => Some(figure.number),
        _ => None,
    });
    figure.unwrap_or_default()
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = escape_html(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn place(site: Option<&str>) -> Place<'_> {
        Place {
            site,
            folder: "article",
            name: "index",
        }
    }

    #[test]
    fn there_is_a_picture_where_the_site_has_an_address() {
        let text = Text::read(
            "---\ntitle: Who \"pays\"?\nquestion: One day.\n---\nA text.\n",
            Path::new("."),
        );
        let text = text.unwrap();
        let html = article(&text, &place(Some("https://example.org/yard/")));
        for (key, value) in [
            ("type", "article"),
            ("title", "Who &quot;pays&quot;?"),
            ("description", "One day."),
            ("url", "https://example.org/yard/article/index.html"),
            (
                "image",
                "https://example.org/yard/article/pictures/index.png",
            ),
            ("image:width", "1200"),
            ("image:height", "630"),
            ("image:alt", "Who &quot;pays&quot;? One day."),
        ] {
            let tag = format!("<meta property=\"og:{key}\" content=\"{value}\">");
            assert!(html.contains(&tag), "no {tag} in {html}");
        }
        assert!(html.contains("content=\"summary_large_image\""));
        let html = article(&text, &place(None));
        assert!(
            html.contains("og:title") && !html.contains("og:image"),
            "{html}"
        );
        assert!(html.contains("<meta name=\"twitter:card\" content=\"summary\">"));
    }

    #[test]
    fn the_page_itself_has_the_picture_of_the_front_page() {
        let index = include_str!("../../index.html");
        for key in ["type", "site_name", "title", "description"] {
            let tag = format!("<meta property=\"og:{key}\" content=\"");
            assert_eq!(index.matches(&tag).count(), 1, "{key}");
        }
        let front = "---\ntitle: Two?\nquestion: One.\n---\nA text.\n";
        let front = Text::read(front, Path::new(".")).unwrap();
        let site = "https://example.org/yard/";
        let html = with_picture(index, site, &front).unwrap();
        for tag in [
            "<meta property=\"og:url\" content=\"https://example.org/yard/\">",
            "<meta property=\"og:image\" content=\"https://example.org/yard/lessons/pictures/index.png\">",
            "<meta property=\"og:image:alt\" content=\"Two? One.\">",
            "<meta name=\"twitter:card\" content=\"summary_large_image\">",
        ] {
            assert_eq!(html.matches(tag).count(), 1, "{tag}");
        }
        assert_eq!(with_picture(&html, site, &front), None, "once is enough");
    }

    #[test]
    fn a_number_in_a_choice_or_a_link_is_text() {
        let guess = "```guess\nIs it {{mean_jct(srsf)}}?\n- {{jct(1; J3)}}\n* {{mean_jct(srsf) | 0}}\n= {{jct(1; J2)}}.\n```\n";
        let text = format!(
            "---\ntitle: A test\n---\n## In {{{{jobs(srsf)}}}}\n[To {{{{jct(1; J3)}}}}](do:seek={{{{jct(1; J2) | s}}}})\n```view\nsrc: three-jobs\npolicy: srsf\n```\n{guess}"
        );
        let text = Text::read(&text, Path::new(".")).unwrap();
        let html = article(&text, &place(None));
        assert!(html.contains("<h2>In 3</h2>"), "{html}");
        assert!(
            html.contains("data-do=\"seek=10 s\">To 16 s</button>"),
            "{html}"
        );
        assert!(
            html.contains("<button type=\"button\">16 s</button>"),
            "{html}"
        );
        assert_eq!(html.matches("class=\"number\"").count(), 2);
        assert_eq!(html.matches(" popover ").count(), 2);
    }
}

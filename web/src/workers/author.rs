//! The worker that answers whoever writes a script (web/editor/src/author.js): what there is to write with,
//! whether a text is sound, its score, and what goes wrong in a challenge. Questions and answers are JSON, as texts: they go past the page's
//! own program, which knows nothing of the language. `web/editor/src/author.js` has the names of answers once more; a test
//! holds the two together.

use gloo_events::EventListener;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use switchyard::engine::Mistake;
use switchyard::order;
use switchyard::policies::PolicySpec;
use switchyard::policies::script::{
    COURSE, Condition, EXAMPLES, KEYWORDS, START, Script, WORDS, unpack,
};
use switchyard_app::challenges::board::{Claim, Entry, board};
use switchyard_app::challenges::{
    CHALLENGES, Challenge, MOST_DRAW, Par, Picture, Score, link, picture, score,
};
use switchyard_app::driver::{Budget, Driver};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent};

/// What a worker is named that answers.
pub(super) const NAME: &str = "author";

/// What is asked.
#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum AuthorRequest {
    /// What there is to write with.
    Describe,
    /// The text and the name that a spec says.
    Read { spec: String },
    /// What a script makes of the challenges, drawn from this number or from a new one.
    Score {
        text: String,
        name: String,
        draw: Option<u64>,
    },
    /// How many jobs pile up in a challenge under FIFO.
    Picture { challenge: String },
    /// Whether a text is sound, the spec that says it under a name, and links to the challenges with it; of what
    /// ran it before, what is not the script's own stays.
    Check {
        text: String,
        name: String,
        like: String,
    },
}

/// What is answered.
#[derive(Serialize)]
#[serde(untagged)]
enum AuthorReply {
    Described(Described),
    Read(ReadScript),
    Checked(Checked),
    Scored { score: Box<Score> },
    Pictured { picture: Picture },
    Wrong { error: Wrong },
}

/// What there is to write with.
#[derive(Serialize)]
struct Described {
    examples: Vec<ScriptExample>,
    words: Vec<LanguageWord>,
    /// The language's own words.
    keywords: &'static [&'static str],
    /// The text that the course begins with.
    start: &'static str,
    course: Vec<CourseLesson>,
    challenges: Vec<ChallengeFacts>,
    /// The greatest number that a draw may have.
    most_draw: u64,
}

/// A script to begin with.
#[derive(Serialize)]
struct ScriptExample {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    text: &'static str,
    /// The spec of the policy that it equals.
    builtin: Option<&'static str>,
}

/// A word of the language.
#[derive(Serialize)]
struct LanguageWord {
    of: &'static str,
    name: &'static str,
    signature: &'static str,
    about: &'static str,
    /// A line with it.
    example: &'static str,
}

/// An edit of the course.
#[derive(Serialize)]
struct CourseLesson {
    title: &'static str,
    about: &'static str,
    hint: &'static str,
    goal: &'static str,
    /// The policy that runs beside it.
    beside: &'static str,
    /// Whether both are to write the same log.
    same_log: bool,
    /// Else the most that it may have, as parts of the other's; `None`: any.
    jct_mean: Option<f64>,
    restarts: Option<f64>,
    /// A text that reaches it.
    text: &'static str,
}

/// A challenge.
#[derive(Serialize)]
struct ChallengeFacts {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// What counts.
    goal: &'static str,
    goes_wrong: &'static str,
    hints: [&'static str; 3],
    par: Par,
    /// Who made what of it, the best first.
    board: Vec<BoardRow>,
}

/// What an entry of the board has made of a challenge.
#[derive(Serialize)]
struct BoardRow {
    name: String,
    by: String,
    score: f64,
    low: f64,
    high: f64,
    /// The open workload under the entry, beside the best (the best: beside the best published policy).
    link: String,
}

/// The script that a spec says.
#[derive(Default, Serialize)]
struct ReadScript {
    text: String,
    name: String,
}

/// A text that is sound.
#[derive(Serialize)]
struct Checked {
    spec: String,
    /// To each challenge, with it.
    links: BTreeMap<&'static str, String>,
}

/// What is wrong, and where.
#[derive(Serialize)]
struct Wrong {
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

impl From<Mistake> for AuthorReply {
    fn from(Mistake { line, column, what }: Mistake) -> Self {
        let place = |at: u32| (at > 0).then_some(at);
        let (line, column, message) = (place(line), place(column), what);
        Self::Wrong {
            error: Wrong {
                line,
                column,
                message,
            },
        }
    }
}

impl AuthorReply {
    /// Of no place in particular.
    fn wrong(message: String) -> Self {
        Self::Wrong {
            error: Wrong {
                line: None,
                column: None,
                message,
            },
        }
    }
}

/// Starts to listen, and says that it does.
pub(super) fn serve(scope: DedicatedWorkerGlobalScope) {
    let here = scope.clone();
    let hear = move |event: &Event| {
        let question = event.unchecked_ref::<MessageEvent>().data().as_string();
        let question = question.and_then(|text| serde_json::from_str(&text).ok());
        if let Some(question) = question {
            // Names with texts and numbers always make JSON.
            let answer = serde_json::to_string(&answer(question));
            say(&here, &answer.unwrap_or_default());
        }
    };
    EventListener::new(&scope, "message", hear).forget();
    say(&scope, "null");
}

fn say(scope: &DedicatedWorkerGlobalScope, json: &str) {
    // Nobody is left to tell if the page has gone away meanwhile.
    let _ = scope.post_message(&JsValue::from_str(json));
}

fn answer(question: AuthorRequest) -> AuthorReply {
    match question {
        AuthorRequest::Describe => AuthorReply::Described(described()),
        AuthorRequest::Read { spec } => AuthorReply::Read(read(&spec)),
        AuthorRequest::Check { text, name, like } => match Script::spec(&text, &name) {
            Ok(spec) => {
                let to = CHALLENGES.iter();
                let links = to.map(|of| (of.name, link(of, &spec)));
                let links = links.collect();
                let spec = like
                    .parse()
                    .map_or(spec.clone(), |like| with_placement_and_outages(spec, &like));
                let spec = spec.to_string();
                AuthorReply::Checked(Checked { spec, links })
            }
            Err(mistake) => mistake.into(),
        },
        AuthorRequest::Picture { challenge } => match pictured(&challenge) {
            Ok(picture) => AuthorReply::Pictured { picture },
            Err(message) => AuthorReply::wrong(message),
        },
        AuthorRequest::Score { text, name, draw } => match Script::spec(&text, &name) {
            Ok(spec) => match score(&spec, draw.unwrap_or_else(any_draw)) {
                Ok(score) => AuthorReply::Scored {
                    score: score.into(),
                },
                Err(why) => AuthorReply::wrong(why.to_string()),
            },
            Err(mistake) => mistake.into(),
        },
    }
}

fn pictured(challenge: &str) -> Result<Picture, String> {
    let challenge = Challenge::named(challenge).map_err(|error| error.to_string())?;
    let to_the_end = &mut |run: &mut Driver| run.step_for(Budget::unlimited()).map(drop);
    picture(challenge, to_the_end).map_err(|error| error.to_string())
}

/// What entries have made of a challenge, the best first.
fn board_of(challenge: &Challenge, entries: &[Entry]) -> Vec<BoardRow> {
    let claims = entries.iter().filter_map(|entry| {
        let claim = entry
            .claims
            .iter()
            .find(|of| of.challenge == challenge.name)?;
        let spec = Script::spec(&entry.text, &entry.name).ok()?;
        Some((entry, claim, spec))
    });
    let mut claims: Vec<_> = claims.collect();
    claims.sort_by(|a, b| order::by_value(&b.1.score, &a.1.score));
    let best = claims.first().map(|(_, _, spec)| spec.clone());
    let par = challenge.par.policy.parse::<PolicySpec>().ok();
    let row = |(at, (entry, claim, spec)): (usize, (&Entry, &Claim, PolicySpec))| {
        let other = if at == 0 { par.clone() } else { best.clone() };
        let link = challenge.link([Some(&spec), other.as_ref()].into_iter().flatten());
        BoardRow {
            name: entry.name.clone(),
            by: entry.by.clone(),
            score: claim.score,
            low: claim.low,
            high: claim.high,
            link: link.into_string(),
        }
    };
    claims.into_iter().enumerate().map(row).collect()
}

/// A number that nobody knew before.
fn any_draw() -> u64 {
    (js_sys::Math::random() * (MOST_DRAW + 1) as f64) as u64
}

/// The text and the name of the script in a spec; empty where there is none.
fn read(spec: &str) -> ReadScript {
    let spec = spec.parse::<PolicySpec>().ok();
    let code = spec.as_ref().and_then(PolicySpec::user_code);
    code.map_or_else(ReadScript::default, |of| ReadScript {
        text: unpack(of.code).unwrap_or_default(),
        name: of.name.to_owned(),
    })
}

/// The spec with the placement and the outages of another.
fn with_placement_and_outages(spec: PolicySpec, like: &PolicySpec) -> PolicySpec {
    let mut given = like.given();
    let placement = given.find(|(info, _)| info.name == "placement");
    let placed = placement.and_then(|(_, value)| spec.with("placement", &value).ok());
    placed.unwrap_or(spec).and_if(like.what_if().clone())
}

/// Examples, the words of the language, and challenges.
fn described() -> Described {
    let examples = EXAMPLES.iter().map(|example| ScriptExample {
        name: example.name,
        title: example.title,
        about: example.about,
        text: example.text,
        builtin: example.equals,
    });
    let words = WORDS.iter().map(|word| LanguageWord {
        of: word.of,
        name: word.name,
        signature: word.signature,
        about: word.about,
        example: word.example,
    });
    let course = COURSE.iter().map(|lesson| {
        let (jct_mean, restarts) = match lesson.condition {
            Condition::SameLog => (None, None),
            Condition::AtMost { jct_mean, restarts } => (Some(jct_mean), restarts),
        };
        CourseLesson {
            title: lesson.title,
            about: lesson.about,
            hint: lesson.hint,
            goal: lesson.goal,
            beside: lesson.beside,
            same_log: matches!(lesson.condition, Condition::SameLog),
            jct_mean,
            restarts,
            text: lesson.text,
        }
    });
    let entries = board();
    let challenges = CHALLENGES.iter().map(|challenge| ChallengeFacts {
        name: challenge.name,
        title: challenge.sample().title,
        about: challenge.sample().summary,
        goal: challenge.goal.words(),
        goes_wrong: challenge.goes_wrong,
        hints: challenge.hints,
        par: challenge.par,
        board: board_of(challenge, &entries),
    });
    Described {
        examples: examples.collect(),
        words: words.collect(),
        keywords: KEYWORDS,
        start: START,
        course: course.collect(),
        challenges: challenges.collect(),
        most_draw: MOST_DRAW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const SCRIPT: &str = include_str!("../../editor/src/author.js");

    fn names(answer: &impl Serialize) -> BTreeSet<String> {
        let answer = serde_json::to_value(answer).expect("texts and numbers");
        let object = answer.as_object().expect("it has names");
        object.keys().cloned().collect()
    }

    /// The names that the script has for the parts of an answer.
    fn said(of: &str) -> BTreeSet<String> {
        let head = format!("@typedef {{object}} {of}\n");
        let (_, below) = SCRIPT.split_once(&head).expect("it is described");
        let (about, _) = below.split_once("*/").expect("a comment ends");
        let property = |line: &str| {
            let (_, rest) = line.split_once("@property {")?;
            let (_, named) = rest.split_once("} ")?;
            named.split_whitespace().next().map(str::to_owned)
        };
        about.lines().filter_map(property).collect()
    }

    #[test]
    fn answers_have_the_names_that_the_editor_knows() {
        let described = described();
        assert_eq!(names(&described), said("Described"));
        assert_eq!(names(&described.examples[0]), said("ScriptExample"));
        assert_eq!(names(&described.words[0]), said("LanguageWord"));
        assert_eq!(names(&described.challenges[0]), said("ChallengeFacts"));
        assert_eq!(names(&described.course[0]), said("CourseLesson"));
        let boards = described.challenges.iter().map(|of| &of.board);
        let rows: Vec<&BoardRow> = boards.flatten().collect();
        assert!(
            rows.iter()
                .all(|row| row.link.contains("&run=script[code="))
        );
        assert_eq!(names(&rows[0]), said("BoardRow"));
        assert_eq!(names(&ReadScript::default()), said("ReadScript"));
        let check = |text: &str| {
            answer(AuthorRequest::Check {
                text: text.to_owned(),
                name: "Mine".to_owned(),
                like: String::new(),
            })
        };
        let AuthorReply::Checked(checked) = check(EXAMPLES[0].text) else {
            unreachable!("an example is sound")
        };
        assert_eq!(names(&checked), said("Checked"));
        assert_eq!(checked.links.len(), CHALLENGES.len());
        let AuthorReply::Wrong { error } = check("fn key(") else {
            unreachable!("it ends too soon")
        };
        assert_eq!(names(&error), said("Wrong"));
        assert_eq!(read(&checked.spec).text, EXAMPLES[0].text);
    }
}

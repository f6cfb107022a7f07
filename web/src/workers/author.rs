//! The worker that answers whoever writes a script (editor/src/author.js): what there is to write with,
//! whether a text is sound, and its score. Questions and answers are JSON, as texts: they go past the page's
//! own program, which knows nothing of the language.

use gloo_events::EventListener;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use switchyard::policy::PolicySpec;
use switchyard::policy::script::{EXAMPLES, Script, WORDS, unpack};
use switchyard::sim::Mistake;
use switchyard::workload::CHALLENGES;
use switchyard_app::challenges::{MOST_DRAW, link, score};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, Event, MessageEvent};

/// What a worker is named that answers.
pub(super) const NAME: &str = "author";

/// What is asked.
#[derive(Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
enum Question {
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
    /// Whether a text is sound, the spec that says it under a name, and links to the challenges with it; of what
    /// ran it before, what is not the script's own stays.
    Check {
        text: String,
        name: String,
        like: String,
    },
}

/// Starts to listen, and says that it does.
pub(super) fn serve(scope: DedicatedWorkerGlobalScope) {
    let here = scope.clone();
    let hear = move |event: &Event| {
        let question = event.unchecked_ref::<MessageEvent>().data().as_string();
        let question = question.and_then(|text| serde_json::from_str(&text).ok());
        if let Some(question) = question {
            say(&here, &answer(question));
        }
    };
    EventListener::new(&scope, "message", hear).forget();
    say(&scope, &Value::Null);
}

fn say(scope: &DedicatedWorkerGlobalScope, answer: &Value) {
    // Nobody is left to tell if the page has gone away meanwhile.
    let _ = scope.post_message(&JsValue::from_str(&answer.to_string()));
}

fn answer(question: Question) -> Value {
    match question {
        Question::Describe => described(),
        Question::Read { spec } => {
            let spec = spec.parse::<PolicySpec>().ok();
            let code = spec.as_ref().and_then(PolicySpec::user_code);
            let text = code.and_then(|of| unpack(of.code).ok());
            let name = code.map(|of| of.name);
            json!({ "text": text.unwrap_or_default(), "name": name.unwrap_or_default() })
        }
        Question::Check { text, name, like } => match Script::spec(&text, &name) {
            Ok(spec) => {
                let links = CHALLENGES.iter().map(|of| {
                    (
                        of.name.to_owned(),
                        Value::from(link(of, &spec).into_string()),
                    )
                });
                let links: Map<String, Value> = links.collect();
                let spec = like.parse().map_or(spec.clone(), |like| kept(spec, &like));
                json!({ "spec": spec.to_string(), "links": links })
            }
            Err(mistake) => wrong(mistake),
        },
        Question::Score { text, name, draw } => match Script::spec(&text, &name) {
            Ok(spec) => match score(&spec, draw.unwrap_or_else(any_draw)) {
                Ok(score) => json!({ "score": score }),
                Err(why) => json!({ "error": { "message": why.to_string() } }),
            },
            Err(mistake) => wrong(mistake),
        },
    }
}

/// A number that nobody knew before.
fn any_draw() -> u64 {
    (js_sys::Math::random() * (MOST_DRAW + 1) as f64) as u64
}

fn wrong(Mistake { line, column, what }: Mistake) -> Value {
    let place = |at: u32| (at > 0).then_some(at);
    json!({ "error": { "line": place(line), "column": place(column), "message": what } })
}

/// The spec with the placement and the outages of another.
fn kept(spec: PolicySpec, like: &PolicySpec) -> PolicySpec {
    let mut given = like.given();
    let placement = given.find(|(info, _)| info.name == "placement");
    let placed = placement.and_then(|(_, value)| spec.with("placement", &value).ok());
    placed.unwrap_or(spec).and_if(like.what_if().clone())
}

/// Examples, the words of the language, and challenges.
fn described() -> Value {
    let examples = EXAMPLES.iter().map(|example| {
        json!({
            "name": example.name, "title": example.title, "about": example.about,
            "text": example.text, "builtin": example.equals,
        })
    });
    let words = WORDS.iter().map(|word| {
        json!({ "of": word.of, "name": word.name, "signature": word.signature, "about": word.about })
    });
    let challenges = CHALLENGES.iter().map(|challenge| {
        json!({ "name": challenge.name, "title": challenge.title, "about": challenge.summary })
    });
    json!({
        "examples": examples.collect::<Vec<_>>(),
        "words": words.collect::<Vec<_>>(),
        "challenges": challenges.collect::<Vec<_>>(),
        "most_draw": MOST_DRAW,
    })
}

//! Queues, thresholds and knob of a policy, to be changed on the spot: every change runs the trace
//! again under the new spec. What the policy does not take is answered by the spec's own parser,
//! and what was typed stays to be corrected.

use super::cluster_panel::input_value;
use super::controls::quiet_button;
use super::icon::{Icon, sign};
use super::spec_edit::with_param;
use crate::draw::format;
use crate::queues::{THRESHOLDS, thresholds};
use crate::session::Session;
use crate::state::{Action, Card, RunStatus};
use switchyard::policy::{ParamInfo, ParamKind, PolicySpec, entry};
use yew::prelude::*;

/// A refused change: the field, what was put into it, and why not.
#[derive(Clone, PartialEq)]
pub(super) struct Refusal {
    field: String,
    typed: String,
    why: String,
}

/// Where sliders for thresholds begin, as a part of the least service.
const BELOW_LEAST: f64 = 0.5;

/// Steps of a slider over all decades.
const STEPS: f64 = 400.0;

/// Parameters of a policy with queues. `services`: the least and the greatest service that a job
/// asks for, GPU·s, which is what thresholds can divide.
pub(super) fn playground(
    session: &Session,
    card: &Card,
    services: (f64, f64),
    refusal: &UseStateHandle<Option<Refusal>>,
) -> Html {
    let policy = &card.policy;
    let (Some(entry), Some(thresholds)) = (entry(policy.name()), thresholds(policy)) else {
        return Html::default();
    };
    // What stands in which field changes which parameter to what.
    let change = {
        let (session, refusal) = (session.clone(), refusal.clone());
        let (policy, id) = (policy.clone(), card.id);
        Callback::from(
            move |(field, typed, param, value): (String, String, &'static str, String)| {
                match with_param(&policy, entry.params, param, &value) {
                    Ok(changed) => {
                        refusal.set(None);
                        if changed != policy {
                            session.tell(Action::Edit(id, changed));
                        }
                    }
                    Err(why) => refusal.set(Some(Refusal {
                        field,
                        typed,
                        why: why.to_string(),
                    })),
                }
            },
        )
    };
    let fields = Fields {
        policy,
        infos: entry.params,
        thresholds: &thresholds,
        services,
        refusal: refusal.as_ref(),
        change,
    };
    let state = match (&card.status, &card.summary) {
        (_, Some(summary)) => format!("mean JCT {}", format::duration(summary.jct.mean)),
        (RunStatus::Running(_), None) => "running…".to_string(),
        _ => String::new(),
    };
    html! {
        <form class="playground" key={card.id} aria-label={format!("Queues of {}", policy.name())} onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
            { fields.queues() }
            { for (0..thresholds.len()).map(|i| fields.threshold(i)) }
            { fields.knob() }
            <output class="figure" aria-live="polite">{ state }</output>
            if let Some(refusal) = &**refusal {
                <p class="error" role="alert" id="playground-error">{ &refusal.why }</p>
            }
        </form>
    }
}

/// The fields of one policy.
struct Fields<'a> {
    policy: &'a PolicySpec,
    infos: &'static [ParamInfo],
    thresholds: &'a [f64],
    services: (f64, f64),
    refusal: Option<&'a Refusal>,
    change: Callback<(String, String, &'static str, String)>,
}

impl Fields<'_> {
    fn info(&self, name: &str) -> Option<&'static ParamInfo> {
        self.infos.iter().find(|info| info.name == name)
    }

    /// How many queues, one more or one fewer.
    fn queues(&self) -> Html {
        let queues = self.thresholds.len() as u32 + 1;
        let Some((info, ParamKind::Int { min, max })) =
            self.info("queues").map(|info| (info, info.kind))
        else {
            return Html::default();
        };
        let step = |to: u32, sign: &'static str, label: &'static str| {
            let change = self.change.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                let to = to.to_string();
                change.emit(("queues".into(), to.clone(), "queues", to));
            });
            html! { <button type="button" aria-label={label} disabled={!(min..=max).contains(&to)} {onclick}>{ sign }</button> }
        };
        html! {
            <div class="stepper" role="group" aria-label="Queues (K)" title={info.help}>
                <span class="hint">{ "K" }</span>
                { step(queues - 1, "−", "One queue fewer") }
                <output>{ queues }</output>
                { step(queues + 1, "+", "One queue more") }
            </div>
        }
    }

    /// The threshold between queue `i` and the next.
    fn threshold(&self, i: usize) -> Html {
        let field = format!("threshold-{i}");
        let name = format!("Threshold between queue {} and {}", i + 1, i + 2);
        let value = self.thresholds[i];
        let changed = {
            let (thresholds, change, field) =
                (self.thresholds.to_vec(), self.change.clone(), field.clone());
            move |typed: String, value: Option<String>| {
                let mut list: Vec<String> = thresholds.iter().map(f64::to_string).collect();
                match value {
                    Some(value) => list[i] = value,
                    None => drop(list.remove(i)),
                }
                // No threshold at all is one queue.
                let (param, value) = if list.is_empty() {
                    ("queues", "1".to_string())
                } else {
                    (THRESHOLDS, list.join(":"))
                };
                change.emit((field.clone(), typed, param, value));
            }
        };
        let ontype = {
            let changed = changed.clone();
            Callback::from(move |event: Event| {
                let typed = input_value(&event);
                changed(typed.clone(), Some(typed.trim().to_string()));
            })
        };
        let (low, high) = (self.services.0 * BELOW_LEAST, self.services.1);
        let decades = (high / low).log10();
        let onslide = {
            let changed = changed.clone();
            Callback::from(move |event: Event| {
                if let Ok(power) = input_value(&event).parse::<f64>() {
                    let value = format::two_digits(10f64.powf(power)).to_string();
                    changed(value.clone(), Some(value));
                }
            })
        };
        let onremove = Callback::from(move |_: MouseEvent| changed(String::new(), None));
        let text = self.text(
            &field,
            &format!("{name}, GPU·s"),
            &value.to_string(),
            ontype,
        );
        html! {
            <div class="threshold" key={field}>
                <label><span class="hint">{ format!("Q{} | Q{}", i + 1, i + 2) }</span>{ text }<span class="hint">{ "GPU·s" }</span></label>
                { quiet_button(&format!("Remove the {}", name.to_lowercase()), None, sign(Icon::Close), onremove) }
                <input type="range" min={low.log10().to_string()} max={high.log10().to_string()} step={(decades / STEPS).to_string()}
                    value={value.log10().to_string()} aria-label={format!("{name}, slider")} aria-valuetext={format::service(value)} onchange={onslide} />
            </div>
        }
    }

    /// PROMOTEKNOB.
    fn knob(&self) -> Html {
        let Some(info) = self.info("knob") else {
            return Html::default();
        };
        let change = self.change.clone();
        let onchange = Callback::from(move |event: Event| {
            let typed = input_value(&event);
            let value = typed.trim().to_string();
            change.emit(("knob".into(), typed, "knob", value));
        });
        let value = self.policy.param("knob").unwrap_or(info.default);
        let words = if value == "0" {
            "never promotes"
        } else {
            "× executed"
        };
        html! {
            <label class="knob" title={info.help}>
                <span class="hint">{ "knob" }</span>{ self.text("knob", "Promotion knob", value, onchange) }<span class="hint">{ words }</span>
            </label>
        }
    }

    /// A field for a number, or for what was typed into it and refused.
    fn text(&self, field: &str, label: &str, value: &str, onchange: Callback<Event>) -> Html {
        let refused = self.refusal.filter(|refusal| refusal.field == field);
        let shown = refused.map_or(value, |refusal| &refusal.typed).to_string();
        html! {
            <input type="text" inputmode="decimal" spellcheck="false" aria-label={label.to_string()} value={shown}
                aria-invalid={refused.map(|_| "true")} aria-describedby={refused.map(|_| "playground-error")} {onchange} />
        }
    }
}

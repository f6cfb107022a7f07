//! Queues, thresholds and knob of a policy, to be changed on the spot: every change runs the trace
//! again under the new spec. What the policy does not take is answered by the spec's own parser.

use crate::complaint::Complaint;
use crate::draw::format;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::spec_edit::with_param;
use crate::state::{Action, Phase, Run};
use crate::ui::controls::{Take, quiet_button};
use crate::ui::icon::{Icon, sign};
use crate::ui::metrics_table::mean_jct;
use crate::ui::typed::Typed;
use switchyard::policies::{Levels, ParamInfo, ParamKind, PolicySpec};
use yew::prelude::*;

/// Where sliders for thresholds begin, as a part of the least service.
const BELOW_LEAST: f64 = 0.5;

/// Steps of a slider over all decades.
const STEPS: f64 = 400.0;

/// Parameters of a policy with queues. `services`: the least and the greatest service that a job
/// asks for, in the
/// unit of what the policy measures, which is what thresholds can divide.
pub(super) fn playground(session: &Session, card: &Run, services: (f64, f64)) -> Html {
    let policy = &card.policy;
    let Some(levels) = policy.levels() else {
        return Html::default();
    };
    let entry = policy.entry();
    let edit = {
        let (session, policy, id) = (session.clone(), policy.clone(), card.id);
        Callback::from(move |change: Change<PolicySpec>| {
            if change.of(&policy)? != policy {
                session.dispatch(Action::Edit(id, change));
            }
            Ok(())
        })
    };
    let fields = Fields {
        policy,
        levels: &levels,
        services,
        edit,
    };
    let state = match (&card.phase, card.summary()) {
        (_, Some(summary)) => mean_jct(summary),
        (Phase::Running(_), None) => "running…".to_string(),
        _ => String::new(),
    };
    html! {
        <form class="playground" key={card.id} aria-label={format!("Queues of {}", entry.title)} onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
            { fields.queues() }
            { for (0..levels.thresholds.len()).map(|i| fields.threshold(i)) }
            { fields.knob() }
            <output class="figure" aria-live="polite">{ state }</output>
        </form>
    }
}

/// The fields of one policy.
struct Fields<'a> {
    policy: &'a PolicySpec,
    levels: &'a Levels,
    services: (f64, f64),
    edit: Callback<Change<PolicySpec>, Result<(), Complaint>>,
}

impl Fields<'_> {
    fn info(&self, name: &str) -> Option<&'static ParamInfo> {
        self.policy
            .entry()
            .params
            .iter()
            .find(|info| info.name == name)
    }

    /// Takes what was typed into a field; `value`: what becomes of which parameter by it.
    fn take(
        &self,
        value: impl Fn(&PolicySpec, &str) -> (&'static str, String) + Clone + 'static,
    ) -> Take {
        let edit = self.edit.clone();
        Callback::from(move |typed: String| {
            let value = value.clone();
            edit.emit(Change::new(move |policy| {
                let (param, value) = value(policy, typed.trim());
                with_param(policy, param, &value).map_err(Complaint::of)
            }))
        })
    }

    /// How many queues, one more or one fewer.
    fn queues(&self) -> Html {
        let queues = self.levels.thresholds.len() as u32 + 1;
        let Some((info, ParamKind::Int { min, max })) =
            self.info("queues").map(|info| (info, info.kind))
        else {
            return Html::default();
        };
        let step = |to: u32, sign: &'static str, label: &'static str| {
            let take = self.take(move |_, _| ("queues", to.to_string()));
            let onclick = Callback::from(move |_: MouseEvent| {
                // A number of queues that is out of bounds has no button to press.
                let _ = take.emit(String::new());
            });
            html! { <button type="button" aria-label={label} disabled={!(min..=max).contains(&u64::from(to))} {onclick}>{ sign }</button> }
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
        let name = format!("Threshold between queue {} and {}", i + 1, i + 2);
        let value = self.levels.thresholds[i];
        let measure = self.levels.measure;
        let unit = format::units(measure.unit());
        // The list of thresholds with another one here, or none.
        let put = |here: fn(&str) -> Option<String>| {
            self.take(move |policy, typed| {
                let now = policy.levels().map(|levels| levels.thresholds);
                let now = now.unwrap_or_default();
                let list = now.iter().enumerate().filter_map(|(j, old)| match j == i {
                    true => here(typed),
                    false => Some(old.to_string()),
                });
                let list: Vec<String> = list.collect();
                // No threshold at all is one queue.
                if list.is_empty() {
                    ("queues", "1".to_string())
                } else {
                    ("thresholds", list.join(":"))
                }
            })
        };
        let ontype = put(|typed| Some(typed.to_string()));
        let onslide = put(|power| {
            let power = power.parse::<f64>().unwrap_or_default();
            Some(format::two_digits(10f64.powf(power)).to_string())
        });
        let remove = put(|_| None);
        let onremove = Callback::from(move |_: MouseEvent| drop(remove.emit(String::new())));
        let (low, high) = (self.services.0 * BELOW_LEAST, self.services.1);
        let decades = (high / low).log10();
        let (min, max) = (low.log10().to_string(), high.log10().to_string());
        html! {
            <div class="threshold" key={i}>
                <label><span class="hint">{ format!("Q{} | Q{}", i + 1, i + 2) }</span><Typed name={format!("{name}, {unit}")} value={value.to_string()} inputmode="decimal" take={ontype} /><span class="hint">{ unit }</span></label>
                { quiet_button(&format!("Remove the {}", name.to_ascii_lowercase()), None, sign(Icon::Close), onremove) }
                <Typed kind="range" name={format!("{name}, slider")} value={value.log10().to_string()} {min} {max} step={(decades / STEPS).to_string()}
                    valuetext={format::attained(value, measure)} take={onslide} />
            </div>
        }
    }

    /// PROMOTEKNOB.
    fn knob(&self) -> Html {
        let knob = self.policy.values().find(|(info, _)| info.name == "knob");
        let Some((info, value)) = knob else {
            return Html::default();
        };
        let take = self.take(|_, typed| ("knob", typed.to_string()));
        let words = if value == "0" {
            "never promotes"
        } else {
            "× executed"
        };
        html! {
            <label class="knob" title={info.help}>
                <span class="hint">{ "knob" }</span><Typed name="Promotion knob" {value} inputmode="decimal" {take} /><span class="hint">{ words }</span>
            </label>
        }
    }
}

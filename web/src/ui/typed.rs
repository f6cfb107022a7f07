//! A field that somebody types in or slides. What they are at stays theirs until they are done,
//! whatever the page shows anew meanwhile; what is refused stays to be corrected, and why stands
//! below it.

use crate::complaint::Complaint;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// What a field needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Its name, for those who do not see it.
    pub(super) name: AttrValue,
    /// What holds.
    pub(super) value: AttrValue,
    /// Takes what was typed, or says what is wrong with it.
    pub(super) take: Callback<String, Result<(), Complaint>>,
    /// The element's `type`.
    #[prop_or("text")]
    pub(super) kind: &'static str,
    /// What is said while it is empty.
    #[prop_or_default]
    pub(super) placeholder: Option<AttrValue>,
    /// Which keys a phone shows.
    #[prop_or_default]
    pub(super) inputmode: Option<AttrValue>,
    /// The least number.
    #[prop_or_default]
    pub(super) min: Option<AttrValue>,
    /// The greatest number.
    #[prop_or_default]
    pub(super) max: Option<AttrValue>,
    /// Between two numbers; 1 if not given.
    #[prop_or_default]
    pub(super) step: Option<AttrValue>,
    /// The value in words.
    #[prop_or_default]
    pub(super) valuetext: Option<AttrValue>,
    /// The `id` of a list of what may be typed.
    #[prop_or_default]
    pub(super) list: Option<AttrValue>,
}

/// What is in the field.
#[derive(Clone, Debug, Default, PartialEq)]
enum Draft {
    /// What holds.
    #[default]
    None,
    /// What is being typed.
    Typing(String),
    /// What was taken; what holds will follow.
    Taken(String),
    /// What was refused, and why.
    Refused(String, Complaint),
}

/// What happens to a field.
enum Happened {
    /// Something is typed.
    Input(String),
    /// It was handed on.
    Handed(String, Result<(), Complaint>),
    /// The focus goes elsewhere.
    Left,
    /// Something else holds now.
    Moved,
}

impl Reducible for Draft {
    type Action = Happened;

    fn reduce(self: Rc<Self>, event: Happened) -> Rc<Self> {
        let next = match (event, &*self) {
            (Happened::Input(text), _) => Self::Typing(text),
            (Happened::Handed(text, Ok(())), _) => Self::Taken(text),
            (Happened::Handed(text, Err(why)), _) => Self::Refused(text, why),
            (Happened::Left, Self::Typing(_) | Self::Taken(_))
            | (Happened::Moved, Self::Taken(_) | Self::Refused(..)) => Self::None,
            (Happened::Left | Happened::Moved, _) => return self,
        };
        Rc::new(next)
    }
}

/// A field.
#[component]
pub(super) fn Typed(props: &Props) -> Html {
    let draft = use_reducer_eq(Draft::default);
    use_effect_with(props.value.clone(), {
        let draft = draft.dispatcher();
        move |_| draft.dispatch(Happened::Moved)
    });
    let oninput = {
        let draft = draft.dispatcher();
        Callback::from(move |event: InputEvent| {
            draft.dispatch(Happened::Input(input_value(&event)))
        })
    };
    let onchange = {
        let (draft, take) = (draft.dispatcher(), props.take.clone());
        Callback::from(move |event: Event| {
            let text = input_value(&event);
            let answer = take.emit(text.clone());
            draft.dispatch(Happened::Handed(text, answer));
        })
    };
    let onblur = {
        let draft = draft.dispatcher();
        Callback::from(move |_: FocusEvent| draft.dispatch(Happened::Left))
    };
    let (value, why) = match &*draft {
        Draft::None => (props.value.clone(), None),
        Draft::Typing(text) | Draft::Taken(text) => (text.clone().into(), None),
        Draft::Refused(text, why) => (text.clone().into(), Some(why.clone())),
    };
    html! {
        <>
            <input type={props.kind} spellcheck="false" aria-label={props.name.clone()} inputmode={props.inputmode.clone()} placeholder={props.placeholder.clone()}
                min={props.min.clone()} max={props.max.clone()} step={props.step.clone()} aria-valuetext={props.valuetext.clone()} list={props.list.clone()}
                {value} aria-invalid={why.as_ref().map(|_| "true")} {oninput} {onchange} {onblur} />
            if let Some(why) = why {
                <span class="error" role="alert">{ &*why }</span>
            }
        </>
    }
}

/// The value of the field or list that changed.
pub(super) fn input_value(event: &Event) -> String {
    let Some(target) = event.target() else {
        return String::new();
    };
    match target.dyn_into::<HtmlInputElement>() {
        Ok(input) => input.value(),
        Err(target) => target
            .dyn_into::<HtmlSelectElement>()
            .map_or_else(|_| String::new(), |select| select.value()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(events: Vec<Happened>) -> Draft {
        let fold = |draft: Rc<Draft>, event| draft.reduce(event);
        (*events.into_iter().fold(Rc::default(), fold)).clone()
    }

    #[test]
    fn what_is_being_typed_stays_whatever_holds_elsewhere() {
        let typing = || Happened::Input("16".into());
        assert_eq!(
            after(vec![typing(), Happened::Moved]),
            Draft::Typing("16".into())
        );
        let taken = || Happened::Handed("16".into(), Ok(()));
        assert_eq!(after(vec![typing(), taken()]), Draft::Taken("16".into()));
        assert_eq!(after(vec![typing(), taken(), Happened::Moved]), Draft::None);
        assert_eq!(after(vec![typing(), taken(), Happened::Left]), Draft::None);
    }

    #[test]
    fn what_is_refused_stays_to_be_corrected() {
        let refused = || Happened::Handed("x".into(), Err("no number".into()));
        assert_eq!(
            after(vec![refused(), Happened::Left]),
            Draft::Refused("x".into(), "no number".into())
        );
        assert_eq!(after(vec![refused(), Happened::Moved]), Draft::None);
        assert_eq!(
            after(vec![refused(), Happened::Input("1".into())]),
            Draft::Typing("1".into())
        );
    }
}

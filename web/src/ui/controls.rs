//! Small controls that many parts of the page have. (Functions, not markup at every place: each
//! place of it makes the page larger.)

use crate::draw::palette;
use yew::prelude::*;

/// A button without a frame; `label` says what it does to those who do not see its face.
pub(super) fn quiet_button(
    label: &str,
    title: Option<&str>,
    face: Html,
    onclick: Callback<MouseEvent>,
) -> Html {
    html! {
        <button type="button" class="quiet" aria-label={label.to_string()} title={title.map(str::to_string)} {onclick}>{ face }</button>
    }
}

/// One of a switch's buttons.
pub(super) fn switch_button(
    chosen: bool,
    face: &str,
    title: Option<&str>,
    onclick: Callback<MouseEvent>,
) -> Html {
    html! {
        <button type="button" aria-pressed={chosen.to_string()} title={title.map(str::to_string)} {onclick}>{ face }</button>
    }
}

/// One of a list's options.
pub(super) fn option(value: &str, face: &str, chosen: bool, title: Option<&'static str>) -> Html {
    html! { <option value={value.to_string()} selected={chosen} {title}>{ face }</option> }
}

/// What a list shows while none of its options is chosen.
pub(super) fn no_option(face: &str) -> Html {
    html! { <option selected=true disabled=true value="">{ face }</option> }
}

/// A field under its name.
pub(super) fn field(name: &'static str, title: Option<&'static str>, field: Html) -> Html {
    html! { <label class="field" {title}><span>{ name }</span>{ field }</label> }
}

/// A field's list of options.
pub(super) fn list(onchange: Callback<Event>, options: Html) -> Html {
    html! { <select {onchange}>{ options }</select> }
}

/// A field for a number from `min` to `max`; `step`: the usual whole numbers if not given.
pub(super) fn number(
    min: &str,
    max: Option<&str>,
    step: Option<&'static str>,
    value: String,
    onchange: Callback<Event>,
) -> Html {
    html! { <input type="number" min={min.to_string()} max={max.map(str::to_string)} {step} {value} {onchange} /> }
}

/// A field for a text of a fixed form.
pub(super) fn text(value: String, onchange: Callback<Event>) -> Html {
    html! { <input type="text" spellcheck="false" {value} {onchange} /> }
}

/// A term and its value, of a list of such.
pub(super) fn fact(term: &str, value: &str) -> Html {
    html! { <div><dt>{ term }</dt><dd>{ value }</dd></div> }
}

/// What went wrong, if something did.
pub(super) fn error(why: Option<&str>) -> Html {
    let error = |why: &str| html! { <p class="error" role="alert">{ why }</p> };
    why.map_or_else(Html::default, error)
}

/// A patch in the colour of the run at this position.
pub(super) fn swatch(position: usize, dark: bool) -> Html {
    let colour = palette::run_colour(position, dark);
    html! { <span class="swatch" style={format!("background: {colour}")}></span> }
}

//! Small controls that many parts of the page have. (Functions, not markup at every place: each
//! place of it makes the page larger.)

use super::typed::Typed;
use super::typed::input_value;
use crate::complaint::Complaint;
use crate::draw::{format, palette};
use crate::state::view_options::ViewOption;
use switchyard::job::JobId;
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

/// Whether a click is the second of a double one: the first may have put another button in its place.
pub(super) fn is_second_of_two(click: &MouseEvent) -> bool {
    click.detail() > 1
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
    let title = title.map(|title| AttrValue::from(format::units(title)));
    html! { <option value={value.to_string()} selected={chosen} {title}>{ face }</option> }
}

/// What a list shows while none of its options is chosen.
pub(super) fn no_option(face: &str) -> Html {
    html! { <option selected=true disabled=true value="">{ face }</option> }
}

/// A field under its name.
pub(super) fn field(name: &str, title: Option<&'static str>, field: Html) -> Html {
    html! { <label class="field" {title}><span>{ name }</span>{ field }</label> }
}

/// A field where an option of a view is chosen, under a name.
pub(super) fn field_of(
    option: &ViewOption,
    name: &str,
    title: Option<&'static str>,
    field: Html,
) -> Html {
    html! { <label class="field" data-option={option.link} {title}><span>{ name }</span>{ field }</label> }
}

/// A field's list of options.
pub(super) fn list(onchange: Callback<Event>, options: Html) -> Html {
    html! { <select {onchange}>{ options }</select> }
}

/// Takes what was typed into a field, or says what is wrong with it.
pub(super) type Take = Callback<String, Result<(), Complaint>>;

/// What a list does when something is chosen from it: nothing in it is ever refused.
pub(super) fn chosen(take: &Take) -> Callback<Event> {
    let take = take.clone();
    Callback::from(move |event: Event| {
        let _ = take.emit(input_value(&event));
    })
}

/// Which numbers a field takes.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    /// The least.
    pub(super) min: &'a str,
    /// The greatest.
    pub(super) max: Option<&'a str>,
    /// Whether only whole ones.
    pub(super) whole: bool,
}

/// Whole numbers from this on.
pub(super) fn whole_from(min: &str) -> Numbers<'_> {
    let (max, whole) = (None, true);
    Numbers { min, max, whole }
}

/// Any numbers from this on.
pub(super) fn any_from(min: &str) -> Numbers<'_> {
    let (max, whole) = (None, false);
    Numbers { min, max, whole }
}

impl<'a> Numbers<'a> {
    /// Up to this one.
    pub(super) fn to(self, max: &'a str) -> Self {
        Self {
            max: Some(max),
            ..self
        }
    }
}

/// A field for a number, under its name.
pub(super) fn number_field(
    name: &str,
    title: Option<&'static str>,
    numbers: Numbers<'_>,
    value: String,
    take: Take,
) -> Html {
    let Numbers { min, max, whole } = numbers;
    let (min, max) = (Some(min.to_string()), max.map(str::to_string));
    let step = (!whole).then_some("any");
    field(
        name,
        title,
        html! { <Typed kind="number" name={name.to_string()} {value} {take} {min} {max} {step} /> },
    )
}

/// A field for a text of a fixed form, under its name.
pub(super) fn text_field(
    name: &str,
    title: Option<&'static str>,
    value: String,
    take: Take,
) -> Html {
    let typed = html! { <Typed name={name.to_string()} {value} {take} /> };
    field(name, title, typed)
}

/// A job in a list or a sentence: what it is called, as short as a list takes, and the way to it.
pub(super) fn job_link(name: &str, job: JobId, on_job: &Callback<JobId>) -> Html {
    let open = on_job.reform(move |_: MouseEvent| job);
    html! { <button type="button" class="link" data-job={job.0.to_string()} title={name.to_string()} onclick={open}>{ format::short_name(name) }</button> }
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

/// A patch in the colour of a run with this hue.
pub(super) fn swatch(hue: usize, dark: bool) -> Html {
    let colour = palette::run_colour(hue, dark);
    html! { <span class="swatch" ~style={format!("background: {colour}")}></span> }
}

//! How a picture is saved for a paper: its width, its text, what it shows besides; as SVG, PNG and as the
//! numbers that are drawn, with a caption that says where they come from.

use super::controls::{any_from, number_field, quiet_button};
use super::download::{self, PNG_SCALE, Picture};
use super::focused::focus;
use crate::draw::format;
use crate::draw::svg::Paper;
use crate::stage::Stage;
use crate::state::view_options::JOBS_FILTER;
use crate::state::{AppState, settings};
use std::cell::Cell;
use web_sys::Element;
use yew::prelude::*;

/// The panel's width, and its distance from the edges of the view, CSS pixels.
const WIDTH: f64 = 280.0;
const EDGE: f64 = 8.0;

thread_local! {
    /// As it was last chosen: the pictures of a paper are alike.
    static CHOSEN: Cell<Paper> = const { Cell::new(Paper::COLUMN) };
}

/// How pictures are saved unless somebody says otherwise: as was last said.
pub(super) fn chosen() -> Paper {
    CHOSEN.get()
}

/// What there is to save.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What it is, for people.
    pub(super) what: AttrValue,
    /// The file's name, without its end.
    pub(super) name: AttrValue,
    /// Draws it.
    pub(super) draw: Callback<Paper, String>,
    /// The numbers that are drawn, as CSV, if there are so few.
    #[prop_or_default]
    pub(super) csv: Option<Callback<(), String>>,
    /// What is to be said below it.
    pub(super) caption: Callback<(), String>,
}

/// A button, and what it opens.
#[component]
pub(super) fn PictureSaver(props: &Props) -> Html {
    // How far to the right of its button what is open begins.
    let open = use_state_eq(|| None::<f64>);
    let button = use_node_ref();
    let paper = use_state_eq(chosen);
    let choose = |change: fn(&mut Paper, f64)| {
        let paper = paper.clone();
        move |value: f64| {
            let mut new = *paper;
            change(&mut new, value);
            CHOSEN.set(new);
            paper.set(new);
        }
    };
    let number = |name: &str, most: f64, value: f64, change: fn(&mut Paper, f64)| {
        let set = choose(change);
        let take = Callback::from(move |text: String| match text.trim().parse::<f64>() {
            Ok(value) if (1.0..=most).contains(&value) => {
                set(value);
                Ok(())
            }
            _ => Err(format!("it takes a number from 1 to {most}").into()),
        });
        let limit = most.to_string();
        number_field(
            name,
            None,
            any_from("1").to(&limit),
            value.to_string(),
            take,
        )
    };
    let check = |name: &'static str, checked: bool, change: fn(&mut Paper, f64)| {
        let set = choose(change);
        let onchange = Callback::from(move |_: Event| set(f64::from(u8::from(!checked))));
        html! { <label class="check"><input type="checkbox" {checked} {onchange} />{ name }</label> }
    };
    let save = |kind: Picture, face: &str| {
        let (draw, name, paper) = (props.draw.clone(), props.name.clone(), *paper);
        let onclick = Callback::from(move |_: MouseEvent| {
            download::picture(&name, &draw.emit(paper), kind, PNG_SCALE);
        });
        let label = format!("Save “{}” as {face}", props.what);
        quiet_button(&label, None, html! { face }, onclick)
    };
    let csv = props.csv.clone().map(|csv| {
        let name = format!("{}.csv", props.name);
        let onclick =
            Callback::from(move |_: MouseEvent| download::text(&name, "text/csv", &csv.emit(())));
        let label = format!("Save “{}” as CSV", props.what);
        quiet_button(
            &label,
            Some("Exactly the numbers that are drawn"),
            html! { "CSV" },
            onclick,
        )
    });
    let toggle = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |_: MouseEvent| {
            let begins = button
                .cast::<Element>()
                .map_or(0.0, |button| begins(&button));
            open.set(open.is_none().then_some(begins));
        })
    };
    let onkeydown = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && open.is_some() {
                open.set(None);
                event.stop_propagation();
                if let Some(button) = button.cast() {
                    focus(&button);
                }
            }
        })
    };
    html! {
        <div class="saver" {onkeydown}>
            <button type="button" class="quiet" ref={button} aria-expanded={open.is_some().to_string()} aria-label={format!("Save “{}”", props.what)}
                title="Save as a picture for a paper, or as numbers" onclick={toggle}>{ "Save" }</button>
            if let Some(begins) = *open {
                <div class="saver-panel" ~style={format!("left: {begins:.0}px; width: {WIDTH}px")}>
                    { number("Width, inches", 40.0, paper.width, |paper, value| paper.width = value) }
                    { number("Text, points", 40.0, paper.font, |paper, value| paper.font = value) }
                    { check("with its title", paper.titled, |paper, value| paper.titled = value > 0.0) }
                    { check("dark", paper.dark, |paper, value| paper.dark = value > 0.0) }
                    <div class="saver-files">{ save(Picture::Svg, "SVG") }{ save(Picture::Png, "PNG") }{ csv }</div>
                    <label class="field caption"><span>{ "Caption" }</span>
                        <textarea readonly=true rows="5" value={props.caption.emit(())} />
                    </label>
                </div>
            }
        </div>
    }
}

/// An item of a menu: a picture, saved as pictures were last saved.
pub(super) fn picture_item(what: &str, name: &str, draw: &Callback<Paper, String>) -> Html {
    let save = |kind: Picture, face: &str| {
        let (draw, name) = (draw.clone(), name.to_owned());
        let onclick = Callback::from(move |_: MouseEvent| {
            let svg = draw.emit(chosen());
            // There may be nothing to draw yet.
            if !svg.is_empty() {
                download::picture(&name, &svg, kind, PNG_SCALE);
            }
        });
        quiet_button(&format!("{what} as {face}"), None, html! { face }, onclick)
    };
    html! { <li><span>{ what }</span>{ save(Picture::Png, "PNG") }{ save(Picture::Svg, "SVG") }</li> }
}

/// How far to the right of a button its panel begins, to end where the button ends as far as both its ends
/// are within the view.
fn begins(button: &Element) -> f64 {
    let own = button.get_bounding_client_rect();
    let view = button.closest("main").ok().flatten();
    let (least, most) = view.map_or((f64::NEG_INFINITY, f64::INFINITY), |view| {
        let view = view.get_bounding_client_rect();
        (view.left() + EDGE, view.right() - EDGE - WIDTH)
    });
    (own.right() - WIDTH).min(most).max(least) - own.left()
}

/// What a picture of the runs shows: of which jobs, where, under which schedulers, and how to make it
/// again.
pub(super) fn caption(what: &str, state: &AppState, stage: &Stage) -> String {
    let trace = state.opening.trace.as_ref();
    let name = trace.map_or("", |trace| &trace.title);
    let jobs = format::counted(stage.workload.jobs.len() as u64, "job", "jobs");
    let jobs = match stage.selection.jobs() {
        Some(selected) => format!(
            "{} of {jobs}: {}",
            format::count(selected.count()),
            state.option(&JOBS_FILTER)
        ),
        None => jobs,
    };
    let choice: String = trace
        .iter()
        .flat_map(|trace| &trace.choice.0)
        .map(|(key, value)| format!(", {key}={value}"))
        .collect();
    let policies: Vec<String> = stage
        .runs
        .iter()
        .map(|run| run.policy.to_string())
        .collect();
    let given = settings::all().filter(|setting| setting.link != "seed");
    let given = given.filter_map(|setting| {
        let value = setting.given(&state.setup.settings)?;
        Some(format!(" {}={value}.", setting.link))
    });
    format!(
        "{what}. Trace: {name} ({jobs}{choice}). Cluster: {}, {}. Schedulers: {}.{} Seed {}. Switchyard {}.",
        stage.cluster,
        format::counted(stage.cluster.gpus().into(), "GPU", "GPUs"),
        policies.join("; "),
        given.collect::<String>(),
        state.setup.settings.options.seed,
        env!("CARGO_PKG_VERSION")
    )
}

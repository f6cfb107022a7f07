//! A curve that a policy or a model decides by, as a small chart with its names and titles beside it.

use super::drawing::drawing;
use super::picture_saver::PictureSaver;
use crate::draw::palette;
use crate::draw::svg::Paper;
use switchyard::policies::Plot;
use switchyard_app::figures::Curve;
use switchyard_charts::{Stroke, curve};
use yew::prelude::*;

/// A curve that a policy decides by; `dot`: what stands on it.
pub(super) fn chart(plot: &Plot, dark: bool, dot: &str) -> Html {
    let names = plot.lines.iter().enumerate().map(|(i, line)| {
        let mark = if line.dots {
            format!(
                "<circle cx='10' cy='4' r='3' fill='{}'/>",
                palette::run_colour(i, dark)
            )
        } else {
            let stroke = Stroke::of_curve(i, curve::look(dark)).attributes();
            format!("<line x2='20' y1='4' y2='4' {stroke}/>")
        };
        let swatch = format!("<svg width='20' height='8' aria-hidden='true'>{mark}</svg>");
        html! { <span>{ drawing(&swatch) }{ &line.name }</span> }
    });
    let dot = plot.job_at.map(|_| format!(" · dot: {dot}"));
    let dot = dot.unwrap_or_default();
    html! {
        <figure class="plot">
            <figcaption>{ &plot.title }</figcaption>
            <p class="hint">{ format!("↑ {}", plot.y) }</p>
            { drawing(&curve::on_page(&Curve::of(plot), dark)) }
            <p class="hint">{ format!("{} →{dot}", plot.x) }</p>
            if plot.lines.len() > 1 {
                <p class="hint names">{ for names }</p>
            }
        </figure>
    }
}

/// A curve with the way to save it; `caption`: what stands below it in a paper, besides its title.
pub(super) fn saved_chart(plot: &Plot, dark: bool, dot: &str, caption: &str) -> Html {
    let name: String = plot
        .title
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let draw = {
        let plot = plot.clone();
        Callback::from(move |paper: Paper| curve::on_paper(&Curve::of(&plot), paper))
    };
    let csv = {
        let plot = plot.clone();
        Callback::from(move |()| Curve::of(&plot).csv())
    };
    let said = format!(
        "{}. {caption} Switchyard {}.",
        plot.title,
        env!("CARGO_PKG_VERSION")
    );
    html! {
        <div class="saved-plot">
            { chart(plot, dark, dot) }
            <PictureSaver what={plot.title.clone()} name={format!("switchyard-{name}")} {draw} {csv} caption={Callback::from(move |()| said.clone())} />
        </div>
    }
}

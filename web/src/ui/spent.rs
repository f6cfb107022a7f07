//! What jobs' lives were spent on, as a bar and in words.

use super::controls::job_link;
use super::term::Definition;
use crate::draw::{format, palette};
use crate::stage::Stage;
use switchyard::job::JobId;
use switchyard::policies::Spent;
use switchyard_app::lives;
use yew::prelude::*;

/// Parts that are shorter cannot be seen.
const LEAST_VISIBLE: f64 = 0.002;

/// The jobs that a cause names.
const NAMED: usize = 3;

/// A part of a bar: what was spent, the law that slowed, its share, and what it comes to in words.
pub(super) struct Part<'a> {
    pub(super) spent: Spent,
    pub(super) law: &'a str,
    pub(super) share: f64,
    pub(super) amount: String,
}

impl Part<'_> {
    /// What people call it.
    pub(super) fn title(&self) -> String {
        lives::title(self.spent, self.law)
    }

    /// In a few words: "outranked 12 % (40 GPU·h)".
    pub(super) fn words(&self) -> String {
        let share = format::percent(self.share);
        format!("{} {share} ({})", self.title(), self.amount)
    }
}

/// Shares beside one another, as long as `length` of what there is room for, in the order of [`Spent::ALL`]. `of`: whose
/// they are, for those who do not see them.
pub(super) fn bar(of: &str, parts: &[Part], length: f64, dark: bool) -> Html {
    let in_order = Spent::ALL.into_iter().flat_map(|spent| {
        let these = parts.iter().filter(move |part| part.spent == spent);
        these.filter(|part| part.share >= LEAST_VISIBLE)
    });
    let pieces = in_order.map(|part| {
        let colour = palette::spent(part.spent, dark);
        let style = format!("background: {colour}; flex-grow: {:.5}", part.share);
        html! { <i title={format::units(&part.words()).into_owned()} ~style={style}></i> }
    });
    let words = parts.iter().map(Part::words).collect::<Vec<_>>().join(", ");
    let label = format::units(&format!("{of}: {words}")).into_owned();
    html! {
        <div class="spent-bar" role="img" aria-label={label} ~style={format!("width: {:.2}%", 100.0 * length)}>{ for pieces }</div>
    }
}

/// A patch in the colour of a cause.
pub(super) fn patch(spent: Spent, dark: bool) -> Html {
    html! { <i class="swatch" ~style={format!("background: {}", palette::spent(spent, dark))}></i> }
}

/// What it means.
pub(super) fn definition(spent: Spent) -> Definition {
    Definition {
        id: spent.id(),
        name: spent.title(),
        meaning: spent.meaning(),
        formula: "",
        source: "",
    }
}

/// Who caused something, and how much of it; most first.
pub(super) fn because_of(
    stage: &Stage,
    by: &[(JobId, f64)],
    amount: impl Fn(f64) -> String,
    on_job: &Callback<JobId>,
) -> Html {
    let named = by.iter().take(NAMED).map(|(job, of)| {
        html! { <span class="by">{ job_link(&stage.job_name(*job), *job, on_job) }{ format!(" {}", amount(*of)) }</span> }
    });
    let more = by.len().saturating_sub(NAMED);
    html! {
        <>
            { "because of " }{ for named }
            if more > 0 {
                { format!("and {}", format::counted(more as u64, "other job", "other jobs")) }
            }
        </>
    }
}

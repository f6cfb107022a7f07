//! Chips in their lanes.

use super::chip::Shown;
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::{SMALL, TEXT_ROW};

/// Paints chips where they are now.
pub(super) fn paint(pen: &mut Pen<'_>, chips: &[Shown], shown: OnStage<'_>) {
    let chips: Vec<(&Shown, Rect)> = chips
        .iter()
        .map(|chip| (chip, chip.at(&chip.rect, pen.real_ms)))
        .collect();
    for (dimmed, alpha) in [(true, DIMMED), (false, 1.0)] {
        pen.alpha(alpha);
        for category in 0..palette::CATEGORIES as u32 {
            pen.fill(shown.colour_of(category));
            for (chip, rect) in &chips {
                if chip.category == category && shown.is_dimmed(chip.job) == dimmed {
                    pen.rect(rect);
                }
            }
        }
    }
    pen.fill(pen.chrome.background);
    for (_, rect) in chips.iter().filter(|(chip, _)| !chip.running) {
        pen.rect(&inside(pen, rect));
    }
    pen.hatch(pen.px(4.0), |hatch| {
        for (chip, rect) in &chips {
            if chip.running && shown.restarts(chip.job) {
                hatch(rect);
            }
        }
    });
    let outlined = |(chip, _): &&(&Shown, Rect)| shown.is_outlined(chip.job);
    for (chip, rect) in chips.iter().filter(outlined) {
        pen.fill(pen.chrome.accent);
        pen.rect(&rect.grown(pen.px(1.0)));
        pen.fill(shown.colour_of(chip.category));
        pen.rect(rect);
        if !chip.running {
            pen.fill(pen.chrome.background);
            pen.rect(&inside(pen, rect));
        }
    }
    paint_names(pen, &chips, shown);
}

/// What a hollow chip's rim leaves.
fn inside(pen: &Pen<'_>, rect: &Rect) -> Rect {
    let rim = if rect.h > pen.px(8.0) { 1.5 } else { 1.0 };
    let rim = pen.px(rim).min(rect.h / 3.0);
    rect.grown(-rim)
}

/// Names in the chips that have room for them.
fn paint_names(pen: &mut Pen<'_>, chips: &[(&Shown, Rect)], shown: OnStage<'_>) {
    let (room, least) = (pen.px(4.0), pen.px(TEXT_ROW));
    for (chip, rect) in chips.iter().filter(|(_, rect)| rect.h >= least) {
        let Some(name) = shown.name(chip.job) else {
            continue;
        };
        if pen.width(name, SMALL) > rect.w - room {
            continue;
        }
        pen.fill(
            if shown.is_dimmed(chip.job) && !shown.is_outlined(chip.job) {
                pen.chrome.faint
            } else if chip.running {
                palette::ink_on(shown.colour_of(chip.category))
            } else {
                pen.chrome.text
            },
        );
        let middle = rect.middle();
        pen.label(name, middle.x, middle.y, Align::Centre, rect.w);
    }
}

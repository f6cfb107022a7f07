//! Each leaf over the whole run: what it used, what of that was borrowed, its quota, and what was asked for.

use super::super::rows::{Row, Rows, Slot};
use crate::draw::format::{figures, units};
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::{SMALL, TEXT_ROW};
use crate::draw::viewport::Ruler;
use crate::quotas::{LEAST, Quotas};

/// What a row shows over time: its own use, and all use.
type Series = (Vec<f64>, Vec<f64>);

/// Paints the rows over time.
pub(super) fn paint(pen: &mut Pen<'_>, rows: &Rows, plot: &Rect, ruler: &Ruler, quotas: &Quotas) {
    let line = pen.px(1.0);
    let over_time = &quotas.over_time;
    let x = |part: usize| ruler.x(over_time.begin + over_time.width * part as f64);
    for row in &rows.rows {
        pen.fill(pen.chrome.line);
        pen.rect(&Rect::new(plot.x, row.base - line, plot.w, line));
        let most = row.base - row.top;
        let y = |gpus: f64| row.base - (gpus * rows.scale).min(most);
        let Some((own, used)) = series(row, quotas) else {
            continue;
        };
        let nothing = vec![0.0; used.len()];
        pen.fill(pen.chrome.busy);
        area(pen, &nothing, &own, x, y);
        pen.fill(palette::borrowed(pen.is_dark));
        area(pen, &own, &used, x, y);
        let Slot::Leaf(id) = row.slot else { continue };
        let at = quotas.order.iter().position(|of| of.0 == id);
        if let Some(asked) = at.map(|at| &over_time.queues[at].asked) {
            let context = pen.context;
            context.begin_path();
            for (part, &gpus) in asked.iter().enumerate() {
                context.line_to(x(part), y(gpus));
                context.line_to(x(part + 1), y(gpus));
            }
            context.set_stroke_style_str(pen.chrome.faint);
            context.set_line_width(line);
            context.stroke();
        }
        let quota = quotas.quota[id.index()];
        if quota >= LEAST {
            let at = y(quota).round();
            pen.fill(pen.chrome.text);
            pen.rect(&Rect::new(plot.x, at, plot.w, line));
            paint_scale(pen, plot.x, at + line, row.base, quota);
        }
    }
}

/// How much the height of a quota's line is, below it.
fn paint_scale(pen: &mut Pen<'_>, x: f64, top: f64, base: f64, quota: f64) {
    let (h, pad) = (pen.px(TEXT_ROW + 2.0), pen.px(4.0));
    if base - top < 2.0 * h {
        return;
    }
    let text = units(&format!("{} GPUs", figures(quota))).into_owned();
    let w = pen.width(&text, SMALL) + 2.0 * pad;
    pen.fill(pen.chrome.background);
    pen.rect(&Rect::new(x, top, w, h));
    pen.fill(pen.chrome.text);
    pen.label(&text, x + pad, top + h / 2.0, Align::Left, w);
}

/// What a row shows, if it shows something.
fn series(row: &Row, quotas: &Quotas) -> Option<Series> {
    let all = quotas.order.iter().zip(&quotas.over_time.queues);
    match row.slot {
        Slot::Leaf(id) => {
            let (_, of) = all.into_iter().find(|((other, _), _)| *other == id)?;
            let own = of.used.iter().zip(&of.borrowed);
            Some((
                own.map(|(used, borrowed)| used - borrowed).collect(),
                of.used.clone(),
            ))
        }
        Slot::NoQuota => {
            let mut beyond: Vec<f64> = Vec::new();
            for (_, of) in all.filter(|((_, depth), _)| *depth == 0) {
                beyond.resize(of.borrowed.len(), 0.0);
                for (all, of) in beyond.iter_mut().zip(&of.borrowed) {
                    *all += of;
                }
            }
            Some((vec![0.0; beyond.len()], beyond))
        }
        Slot::Own(_) | Slot::Rest(_) => None,
    }
}

/// Fills between two step lines.
fn area(
    pen: &Pen<'_>,
    below: &[f64],
    above: &[f64],
    x: impl Fn(usize) -> f64,
    y: impl Fn(f64) -> f64,
) {
    let context = pen.context;
    context.begin_path();
    for (part, &gpus) in above.iter().enumerate() {
        context.line_to(x(part), y(gpus));
        context.line_to(x(part + 1), y(gpus));
    }
    for (part, &gpus) in below.iter().enumerate().rev() {
        context.line_to(x(part + 1), y(gpus));
        context.line_to(x(part), y(gpus));
    }
    context.close_path();
    context.fill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_has_its_own_use_apart_from_what_it_borrows() {
        let (quotas, _) = Quotas::of_two_teams(0.0);
        let rows = Rows::new(&quotas, 0.0, 300.0, 20.0, 4.0);
        let (own, used) = series(&rows.rows[0], &quotas).expect("a leaf has one");
        assert_eq!(own.len(), used.len());
        let most = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
        assert!((most(&own) - 8.0).abs() < 1e-9 && (most(&used) - 16.0).abs() < 1e-9);
        let beyond = Row {
            slot: Slot::NoQuota,
            ..rows.rows[0]
        };
        let (own, beyond) = series(&beyond, &quotas).expect("it has one");
        assert!(own.iter().chain(&beyond).all(|of| *of == 0.0));
    }
}

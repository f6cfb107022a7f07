//! The worker that says when a job would start: it tells how far the runs have come while they go on.

use super::input::Attachments;
use crate::bridge::protocol::{StartReply, StartRequest, Starter};
use crate::bridge::server::PageLink;
use crate::complaint::Complaint;
use switchyard_app::start::{Draw, Inquiry, Question, Refused, Told};
use switchyard_workers::loaded::Loaded;
use wasm_bindgen::JsValue;

/// The page hears of it as often, milliseconds.
const EVERY_MS: f64 = 200.0;

/// Starts to listen.
pub(super) fn serve(page: PageLink<Starter>) {
    page.clone().listen(move |request, attachments| {
        let told = told(&page, request, attachments);
        page.reply(StartReply::Told(Box::new(told)));
    });
}

fn told(
    page: &PageLink<Starter>,
    request: StartRequest,
    attachments: Vec<JsValue>,
) -> Result<Told, Complaint> {
    let StartRequest {
        input,
        asked,
        moment,
        draws,
    } = request;
    let mut attached = Attachments::from(attachments);
    let loaded = Loaded::new(input, &mut attached, 1.0).map_err(Complaint::of)?;
    let question = loaded.question(moment, draws);
    let seed = question.spec.options.seed;
    let mut asked_so_far = 0;
    let told = question.told(&asked, true, &mut |inquiry, draws| {
        if asked_so_far > 0 {
            page.reply(StartReply::Helping(asked_so_far));
        }
        let live = (asked_so_far == 0).then_some(page);
        asked_so_far += 1;
        Some(drawn(inquiry, draws, seed, live))
    });
    // Nobody ends a drawing but by ending the worker.
    let told = told.map_err(Complaint::of)?;
    told.ok_or_else(|| "It was ended.".into())
}

/// So many draws; a page is told of them while there come more.
fn drawn(
    inquiry: &Inquiry,
    draws: u32,
    seed: u64,
    live: Option<&PageLink<Starter>>,
) -> Result<Vec<Draw>, Refused> {
    let mut drawn: Vec<Draw> = Vec::new();
    let (mut said, mut said_at) = (0, live.map_or(0.0, PageLink::now_ms));
    for number in 0..draws {
        drawn.push(inquiry.draw(number, seed)?);
        let Some(page) = live else { continue };
        let now = page.now_ms();
        if now - said_at >= EVERY_MS || number + 1 == draws {
            let starts = drawn[said..].iter().map(|draw| draw.start.seconds());
            page.reply(StartReply::Drawn {
                starts: starts.collect(),
                so_far: Question::so_far(inquiry, &drawn),
            });
            (said, said_at) = (drawn.len(), now);
        }
    }
    Ok(drawn)
}

//! The worker that carries a run to its end for its summary alone.

use super::input::Attachments;
use crate::bridge::protocol::{Summarizer, SummaryReply, SummaryRequest};
use crate::bridge::server::PageLink;
use crate::complaint::Complaint;
use switchyard::report::Summary;
use switchyard_app::driver::Budget;
use switchyard_workers::loaded::Loaded;
use wasm_bindgen::JsValue;

/// Starts to listen.
pub(super) fn serve(page: PageLink<Summarizer>) {
    page.clone().listen(move |request, attachments| {
        page.reply(SummaryReply(Box::new(summary(request, attachments))));
    });
}

fn summary(request: SummaryRequest, attachments: Vec<JsValue>) -> Result<Summary, Complaint> {
    let SummaryRequest { input, load } = request;
    let mut attached = Attachments::from(attachments);
    let loaded = Loaded::new(input, &mut attached, load).map_err(Complaint::of)?;
    let mut driver = loaded.driver().map_err(Complaint::of)?;
    driver.reserve_log();
    let step = driver.step_for(Budget::unlimited());
    step.map_err(|error| error.with_ways("run it with the command line"))?;
    Ok(Summary::of(
        &loaded.workload,
        &loaded.spec.cluster,
        driver.log(),
    ))
}

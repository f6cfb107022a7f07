//! The worker that answers for the goodput model.

use crate::bridge::protocol::{GoodputModel, ModelReply, ModelRequest};
use crate::bridge::server::PageLink;
use crate::complaint::Complaint;

/// Starts to listen.
pub(super) fn serve(page: PageLink<GoodputModel>) {
    page.clone().listen(move |ModelRequest(question), _| {
        let answer = question.answer().map_err(Complaint::of);
        page.reply(ModelReply(Box::new(answer)));
    });
}

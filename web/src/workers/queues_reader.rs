//! The worker that reads a file of queues.

use crate::bridge::protocol::{QueuesReader, QueuesReply, QueuesRequest};
use crate::bridge::server::PageLink;
use switchyard::queues::text;
use switchyard_app::queue_files::tree_of;

/// Starts to listen.
pub(super) fn serve(page: PageLink<QueuesReader>) {
    page.clone().listen(move |request, _| {
        let QueuesRequest {
            name,
            text: read,
            cluster,
        } = request;
        page.reply(match tree_of(&read, &name, Some(&cluster)) {
            Ok((tree, notes)) => QueuesReply::Tree(text::line(&tree), notes),
            Err(why) => QueuesReply::Refused(why),
        });
    });
}

//! The worker that looks at a file of weights.

use super::input::bytes_of;
use crate::bridge::protocol::{WeightsReader, WeightsReply, WeightsRequest};
use crate::bridge::server::PageLink;
use switchyard::weights::{Weights, WeightsChoice};

/// Starts to listen.
pub(super) fn serve(page: PageLink<WeightsReader>) {
    page.clone().listen(move |WeightsRequest, attachments| {
        let file = attachments.first().map(bytes_of).unwrap_or_default();
        let mut weights = Weights::default();
        page.reply(match weights.add_own(&file) {
            Ok(own) => {
                WeightsReply::Known(WeightsChoice::Own(own), weights.policy(own).map(Box::new))
            }
            Err(why) => WeightsReply::Refused(why.to_string()),
        });
    });
}

//! The worker that measures placements of shares, on lists of machines and pods or on invented ones.

use super::opener::read;
use crate::bridge::protocol::{PackReply, PackRequest, Packer};
use crate::bridge::server::PageLink;
use crate::complaint::Complaint;
use crate::ui::views::fragmentation::experiment::Arrivals;
use switchyard::pods::Fleet;
use switchyard::trace::{SourceFile, is_pod_list, read_fleet};
use wasm_bindgen::JsCast;
use web_sys::File;

/// Bytes that a list has at most.
const LONGEST_LIST: f64 = (4 << 20) as f64;

/// Starts to listen.
pub(super) fn serve(page: PageLink<Packer>) {
    page.clone()
        .listen(move |PackRequest { seeds }, attachments| {
            // They were files when they were posted.
            let files: Vec<File> = attachments
                .into_iter()
                .map(JsCast::unchecked_into)
                .collect();
            let fleet = match files.is_empty() {
                true => Ok(None),
                false => pods(&files).map(Some),
            };
            match fleet {
                Ok(fleet) => Arrivals { fleet, seeds }
                    .measure(|measured| page.reply(PackReply::Measured(Box::new(measured)))),
                Err(why) => page.reply(PackReply::Refused(why.into())),
            }
        });
}

/// The machines and pods in two lists, in either order.
fn pods(files: &[File]) -> Result<Fleet, Complaint> {
    let [first, second] = files else {
        return Err("Two files are needed: a list of machines and a list of pods.".into());
    };
    let whole = |file: &File| {
        let mut bytes = Vec::new();
        let is_small = file.size() <= LONGEST_LIST;
        let read = is_small.then(|| read(file, 0.0, &mut bytes)).flatten();
        let name = file.name();
        match read {
            Some(()) => Ok((name, bytes)),
            None if is_small => Err(Complaint::from(format!(
                "{name} cannot be read: open it again."
            ))),
            None => Err(format!("{name} is too large for a list: cut it down.").into()),
        }
    };
    let (mut machines, mut pods) = (whole(first)?, whole(second)?);
    if is_pod_list(&machines.1) {
        std::mem::swap(&mut machines, &mut pods);
    }
    let file = |(name, bytes)| SourceFile { name, bytes };
    let fleet = read_fleet(file((&machines.0, &machines.1)), file((&pods.0, &pods.1)));
    fleet.map_err(Complaint::of)
}

//! The worker that writes jobs in a format.

use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::{ExportFormat, ExportReply, ExportRequest, Exporter};
use crate::bridge::server::PageLink;
use switchyard::workload::{Workload, export};

/// Starts to listen.
pub(super) fn serve(page: PageLink<Exporter>) {
    page.clone().listen(move |request, attachments| {
        let jobs = Jobs::from(attachments.into_iter().next().unwrap_or_default());
        page.reply(match jobs.read() {
            Ok(workload) => ExportReply::Exported(exported(&request, &workload)),
            Err(why) => ExportReply::Failed(why.to_string()),
        });
    });
}

fn exported(ExportRequest { format, settings }: &ExportRequest, workload: &Workload) -> String {
    let mut text = String::new();
    let cluster = settings.cluster.as_ref();
    // Writing into memory does not fail.
    let _ = match format {
        ExportFormat::Switchyard => settings.write(workload, &mut text),
        ExportFormat::Swf => export::swf(workload, cluster, &mut text),
        ExportFormat::Tiresias => export::tiresias(workload, &mut text),
    };
    text
}

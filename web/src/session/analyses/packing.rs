//! Placements of shares: a worker measures them on the lists that are open.

use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{PackReply, PackRequest};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::state::AnalysesAction;
use wasm_bindgen::JsValue;
use web_sys::File;

impl Session {
    /// The two lists that are open, if two files are: of machines and of pods, perhaps.
    pub fn open_lists(&self) -> Option<[File; 2]> {
        self.open_now().how.files.try_into().ok()
    }

    /// Measures placements of shares on these lists, or on invented ones, and forgets what was
    /// measured before.
    pub fn measure_packing(&self, lists: Option<[File; 2]>, seeds: u32) {
        self.dispatch(AnalysesAction::Packed(None));
        let session = self.clone();
        let packer = WorkerHandle::start(move |news| session.on_packer_news(news));
        let lists = lists.iter().flatten().map(JsValue::from);
        match packer.send(&PackRequest { seeds }, lists) {
            Ok(()) => drop(self.0.analyses.packer.replace(Some(packer))),
            Err(why) => self.dispatch(AnalysesAction::Packed(Some(Err(Complaint::of(why))))),
        }
    }

    /// Gives up what is being measured; what has been told stays.
    pub fn leave_packing(&self) {
        self.0.analyses.packer.take();
    }

    fn on_packer_news(&self, news: News<PackReply>) {
        match news {
            News::Reply(PackReply::Measured(measured)) => {
                self.dispatch(AnalysesAction::Packed(Some(Ok((*measured).into()))));
            }
            News::Reply(PackReply::Refused(why)) => {
                self.dispatch(AnalysesAction::Packed(Some(Err(why.into()))))
            }
            News::Late => self.report_slow_network(),
            News::Died(why) => {
                self.0.analyses.packer.take();
                let why = format!("The worker that measures died ({why}): start again.");
                self.dispatch(AnalysesAction::Packed(Some(Err(why.into()))));
            }
        }
    }
}

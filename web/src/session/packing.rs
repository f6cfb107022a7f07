//! Placements of shares: one worker reads the lists that are open, another measures.

use super::Session;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{OpenRequest, Reply, Role, RunRequest};
use crate::fragmentation::Arrivals;
use crate::state::AnalysesAction;
use switchyard::pods::Fleet;
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
        self.tell(AnalysesAction::Packed(None));
        let Some(lists) = lists else {
            return self.let_arrive(None, seeds);
        };
        let session = self.clone();
        let reader = WorkerHandle::start(Role::Opener, move |news| match news {
            News::Reply(Reply::Pods(fleet)) => match *fleet {
                Ok(fleet) => session.let_arrive(Some(fleet), seeds),
                Err(why) => session.tell(AnalysesAction::Packed(Some(Err(why)))),
            },
            news => session.hear_packer(news),
        });
        self.employ(reader, |reader| {
            reader.send(&OpenRequest::Pods, lists.iter().map(JsValue::from))
        });
    }

    /// Gives up what is being measured; what has been told stays.
    pub fn leave_packing(&self) {
        self.0.packer.take();
    }

    fn let_arrive(&self, fleet: Option<Fleet>, seeds: u32) {
        let session = self.clone();
        let packer = WorkerHandle::start(Role::Runner, move |news| session.hear_packer(news));
        let arrivals = Box::new(Arrivals { fleet, seeds });
        self.employ(packer, |packer| {
            packer.send(&RunRequest::Arrive(arrivals), [])
        });
    }

    /// Asks a worker that takes the place of the one before.
    fn employ(&self, worker: WorkerHandle, ask: impl FnOnce(&WorkerHandle) -> Result<(), String>) {
        match ask(&worker) {
            Ok(()) => drop(self.0.packer.replace(Some(worker))),
            Err(why) => self.tell(AnalysesAction::Packed(Some(Err(why)))),
        }
    }

    fn hear_packer(&self, news: News) {
        match news {
            News::Reply(Reply::Arrived(measured)) => {
                self.tell(AnalysesAction::Packed(Some(Ok((*measured).into()))));
            }
            News::Reply(_) => {}
            News::Late => self.tell_late(),
            News::Died(why) => {
                self.0.packer.take();
                let why = format!("The worker that measures died ({why}): start again.");
                self.tell(AnalysesAction::Packed(Some(Err(why))));
            }
        }
    }
}

//! What the page tells a person that is no error of the trace.

/// The part of the state that is told once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notices {
    /// Something to tell that is not an error of the trace.
    pub notice: Option<String>,
    /// What of a link could not be understood, or done, until somebody has read it.
    pub complaints: Vec<String>,
    /// What was put aside for what is open, by name.
    pub return_to: Option<String>,
}

/// What can happen to it.
#[derive(Debug)]
pub enum NoticesAction {
    /// Tell something, or stop telling.
    Notice(Option<String>),
    /// What a link asks for cannot be.
    Complain(String),
    /// The complaints are read.
    ReadComplaints,
    /// One can go back to what was put aside, or no longer.
    ReturnTo(Option<String>),
}

impl Notices {
    pub(super) fn apply(&mut self, action: NoticesAction) {
        match action {
            NoticesAction::Notice(notice) => self.notice = notice,
            NoticesAction::Complain(why) => self.complaints.push(why),
            NoticesAction::ReadComplaints => self.complaints.clear(),
            NoticesAction::ReturnTo(name) => self.return_to = name,
        }
    }
}

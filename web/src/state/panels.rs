//! What is open over and beside the view: the first words, the help, the rail, the guide.

/// The part of the state that says which panels are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// Whether the first words are shown.
    pub intro: bool,
    /// Whether the help is open.
    pub help: bool,
    /// Whether the left rail is open on a narrow screen.
    pub drawer: bool,
    /// The step of the guide that is open.
    pub guide: Option<usize>,
    /// Whether a visitor is asked about what the guide would take the place of.
    pub asks_for_guide: bool,
    /// What can be undone and done again.
    pub steps: Steps,
}

/// The entries that the page has made in the browser's history, around the one that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// How many are before it.
    pub before: u32,
    /// How many are after it.
    pub after: u32,
}

/// What can happen to it.
#[derive(Debug)]
pub enum PanelsAction {
    /// The first words are read.
    CloseIntro,
    /// Open or close the help.
    Help(bool),
    /// Open or close the left rail.
    Drawer(bool),
    /// Ask before the guide takes the place of what is open.
    AskForGuide,
    /// Show a step of the guide, or close it.
    Guide(Option<usize>),
    /// So much can be undone and done again.
    Steps(Steps),
}

impl Panels {
    pub(super) fn apply(&mut self, action: PanelsAction) {
        match action {
            PanelsAction::CloseIntro => self.intro = false,
            PanelsAction::Help(open) => self.help = open,
            PanelsAction::Drawer(open) => self.drawer = open,
            PanelsAction::AskForGuide => self.asks_for_guide = true,
            PanelsAction::Steps(steps) => self.steps = steps,
            PanelsAction::Guide(step) => {
                self.intro = false;
                self.guide = step;
                self.asks_for_guide = false;
            }
        }
    }
}

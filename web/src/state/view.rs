//! What is shown, and how it looks.

use super::ColourBy;
use super::view_options::{ViewOption, ViewOptions};
use crate::draw::moments::Moments;

/// The part of the state that says what is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewState {
    /// The name of the view.
    pub name: String,
    /// What is chosen within views.
    pub options: ViewOptions,
    /// How moments of the opened trace read.
    pub moments: Moments,
    /// Whether something is being looked for.
    pub searching: bool,
    /// What colours stand for.
    pub colour_by: ColourBy,
    /// The class of jobs that stands out, if one was chosen from the legend.
    pub lit: Option<u32>,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
}

/// What can happen to it.
#[derive(Debug)]
pub enum ViewAction {
    /// Show the view of this name.
    Show(&'static str),
    /// Choose this within a view.
    SetOption(&'static ViewOption, String),
    /// Look for something, or stop.
    Search(bool),
    /// Colour by this.
    ColourBy(ColourBy),
    /// Make a class of jobs stand out, or none.
    Light(Option<u32>),
    /// Use this theme.
    Theme(Theme),
}

impl ViewState {
    pub(super) fn apply(&mut self, action: ViewAction) {
        match action {
            ViewAction::Show(name) => self.name = name.to_owned(),
            // What an option does not take leaves it as it is.
            ViewAction::SetOption(option, value) => drop(self.options.set(option, &value)),
            ViewAction::Search(open) => self.searching = open,
            ViewAction::ColourBy(colour_by) => (self.colour_by, self.lit) = (colour_by, None),
            ViewAction::Light(class) => self.lit = class,
            ViewAction::Theme(theme) => self.theme = theme,
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

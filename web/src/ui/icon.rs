//! Icons as paths: fonts do not all have the signs.

use yew::prelude::*;

/// What an icon shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Icon {
    /// A triangle to the right.
    Play,
    /// Two bars.
    Pause,
    /// A square.
    Stop,
    /// A bar and a triangle to the left.
    Back,
    /// A triangle to the right and a bar.
    Forward,
    /// Two sheets.
    Duplicate,
    /// A cross.
    Close,
    /// Three lines.
    Menu,
    /// A half-filled circle.
    Theme,
    /// The five of a die.
    Die,
    /// A lens.
    Search,
    /// A question mark.
    Help,
    /// An arrow that turns back.
    Undo,
    /// One that turns on.
    Redo,
}

impl Icon {
    /// Filled paths in a square of 16.
    fn path(self) -> &'static str {
        match self {
            Self::Play => "M4 2.5v11l9.5-5.5z",
            Self::Pause => "M4 3h3v10H4zM9 3h3v10H9z",
            Self::Stop => "M3.5 3.5h9v9h-9z",
            Self::Back => "M3 3h2v10H3zM13 3v10L6 8z",
            Self::Forward => "M11 3h2v10h-2zM3 3l7 5-7 5z",
            Self::Duplicate => "M2 2h9v2H4v7H2zM5 5h9v9H5zm1.6 1.6v5.8h5.8V6.6z",
            Self::Close => {
                "M4.2 3 8 6.8 11.8 3 13 4.2 9.2 8l3.8 3.8-1.2 1.2L8 9.2 4.2 13 3 11.8 6.8 8 3 4.2z"
            }
            Self::Menu => "M2 3h12v1.6H2zM2 7.2h12v1.6H2zM2 11.4h12V13H2z",
            Self::Die => {
                "M2 2h12v12H2zM4 4v2h2V4zM10 4v2h2V4zM7 7v2h2V7zM4 10v2h2v-2zM10 10v2h2v-2z"
            }
            Self::Undo => {
                "M6.5 1.5 2 5.5l4.5 4V7H10a2.6 2.6 0 0 1 0 5.2H5v2h5A4.6 4.6 0 0 0 10 5H6.5z"
            }
            Self::Redo => {
                "M9.5 1.5 14 5.5l-4.5 4V7H6a2.6 2.6 0 0 0 0 5.2h5v2H6A4.6 4.6 0 0 1 6 5h3.5z"
            }
            Self::Search => {
                "M7 1.5a5.5 5.5 0 1 0 3.2 10l3 3 1.3-1.3-3-3A5.5 5.5 0 0 0 7 1.5zM7 3.2a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 0 1 0-7.6z"
            }
            Self::Help => {
                "M8 2a3.7 3.7 0 0 0-3.7 3.5h1.8a1.9 1.9 0 1 1 2.9 1.7c-1.2.7-1.9 1.4-1.9 2.6v.5h1.8v-.4c0-.6.3-.9 1.1-1.3A3.7 3.7 0 0 0 8 2zM7.1 11.8h1.8v1.9H7.1z"
            }
            Self::Theme => "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 3a5 5 0 0 1 0 10z",
        }
    }
}

/// An icon in the colour and size of the text; its button has the label.
pub(super) fn sign(icon: Icon) -> Html {
    html! {
        <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" focusable="false">
            <path d={icon.path()} fill="currentColor" fill-rule="evenodd" />
        </svg>
    }
}

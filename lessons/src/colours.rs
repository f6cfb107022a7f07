//! The colours of lines and jobs.

/// Okabe and Ito's colours, which people with every kind of sight tell apart; the page's own.
pub(crate) const COLOURS: [&str; 7] = [
    "#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00",
];

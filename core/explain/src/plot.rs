//! Curves and points, painted without knowing what they mean.

use serde::{Deserialize, Serialize};

/// A curve that a policy decides by, such as the Gittins index over attained service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The x axis: the quantity and its unit.
    pub x: String,
    /// The y axis: the quantity and its unit.
    pub y: String,
    /// The lines, drawn over the same axes.
    pub lines: Vec<PlotLine>,
    /// Places on the x axis, such as thresholds.
    pub marks: Vec<Mark>,
    /// Where the job stands on the x axis.
    pub job_at: Option<f64>,
}

impl Plot {
    /// Lines over these axes, with nothing marked.
    pub fn new(title: &str, x: &str, y: &str, lines: Vec<PlotLine>) -> Self {
        Self {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            lines,
            marks: Vec::new(),
            job_at: None,
        }
    }
}

/// One line of a [`Plot`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlotLine {
    /// What it is, where there are several.
    pub name: String,
    /// Points by ascending x, to be joined straight unless they are `dots`.
    pub points: Vec<(f64, f64)>,
    /// Points that are not joined, such as observations.
    pub dots: bool,
}

impl PlotLine {
    /// Points joined straight.
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.to_owned(),
            points,
            dots: false,
        }
    }
}

/// A place on a [`Plot`]'s x axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What is there.
    pub label: String,
}

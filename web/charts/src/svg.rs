//! Drawings as SVG text: what the page shows of charts, and what it saves. Text is text, dashes are dashes,
//! and a drawing for paper says its width in inches.
//!
//! Not by plotters' own backend for SVG: it counts in whole pixels, divides sizes of text by 1.24, and keeps its text to
//! itself, so that no dashes, names or styles can be added.

use crate::TYPEFACE;
use crate::colours::{self, Chrome};
use crate::space::{Css, Point, Rect, Size};

/// How a drawing looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChartStyle {
    /// Whether for a dark page.
    pub dark: bool,
    /// The height of text, CSS pixels.
    pub text: f64,
    /// Whether its title stands in it.
    pub titled: bool,
    /// Whether the names of many lines stand in it: the page has buttons for them.
    pub keyed: bool,
    /// The one series that does not stand back.
    pub lit: Option<usize>,
    /// Its width on paper, inches.
    pub inches: Option<f64>,
    /// Whether it has a background of its own.
    pub backed: bool,
}

impl ChartStyle {
    /// On the page.
    pub fn on_page(dark: bool, lit: Option<usize>) -> Self {
        Self {
            dark,
            text: 12.0,
            titled: true,
            keyed: false,
            lit,
            inches: None,
            backed: true,
        }
    }
}

/// How a picture is to be saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// Its width, inches.
    pub width: f64,
    /// The height of its text, points.
    pub font: f64,
    /// Whether its title stands in it.
    pub titled: bool,
    /// Whether its background is dark.
    pub dark: bool,
}

/// CSS pixels to an inch, and to a point.
pub const INCH: f64 = 96.0;
const POINT: f64 = INCH / 72.0;

impl Paper {
    /// A column of a two-column paper.
    pub const COLUMN: Paper = Paper {
        width: 3.5,
        font: 8.0,
        titled: false,
        dark: false,
    };

    /// How a drawing looks on it.
    pub fn look(&self) -> ChartStyle {
        ChartStyle {
            dark: self.dark,
            text: self.font * POINT,
            titled: self.titled,
            keyed: true,
            lit: None,
            inches: Some(self.width),
            backed: true,
        }
    }

    /// Its size for so much height to its width.
    pub fn size(&self, aspect: f64) -> Size<Css> {
        let w = self.width * INCH;
        Size::new(w, (w * aspect).round())
    }
}

/// Where text stands relative to the given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A drawing on its way to being text.
pub struct Svg {
    out: String,
    /// How it looks.
    pub look: ChartStyle,
    /// The greys of its theme.
    pub chrome: Chrome,
    /// How large it is.
    pub size: Size<Css>,
}

/// Text inside of markup.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A number to a tenth of a pixel.
fn n(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

impl Svg {
    /// An empty drawing; `label` says in words what it shows.
    pub fn new(size: Size<Css>, look: ChartStyle, label: &str) -> Self {
        let chrome = colours::chrome(look.dark);
        let (w, h, text) = (n(size.w), n(size.h), n(look.text));
        let mut out = "<svg xmlns='http://www.w3.org/2000/svg' ".to_owned();
        if let Some(inches) = look.inches {
            let high = n(inches * size.h / size.w * 100.0).parse().unwrap_or(0.0) / 100.0;
            out += &format!("width='{inches}in' height='{high}in' ");
        }
        out += &format!(
            "viewBox='0 0 {w} {h}' font-family='{TYPEFACE}' font-size='{text}' role='img' aria-label='{}'>",
            escaped(label)
        );
        let mut svg = Self {
            out,
            look,
            chrome,
            size,
        };
        if look.backed {
            svg.rect(&Rect::new(0.0, 0.0, size.w, size.h), chrome.background, 1.0);
        }
        svg
    }

    /// So many heights of its text.
    pub fn em(&self, heights: f64) -> f64 {
        heights * self.look.text
    }

    /// A filled rectangle.
    pub fn rect(&mut self, at: &Rect<Css>, fill: &str, alpha: f64) {
        let [x, y, w, h] = [at.x, at.y, at.w, at.h].map(n);
        self.out += &format!("<rect x='{x}' y='{y}' width='{w}' height='{h}' fill='{fill}'");
        if alpha < 1.0 {
            self.out += &format!(" fill-opacity='{alpha}'");
        }
        self.out += "/>";
    }

    /// Filled shapes of one colour, as the attribute `d` has them.
    pub fn fill(&mut self, d: &str, colour: &str) {
        self.out += &format!("<path fill='{colour}' d='{d}'/>");
    }

    /// A straight line.
    pub fn line(&mut self, from: Point<Css>, to: Point<Css>, colour: &str, width: f64) {
        self.path(
            &[from, to],
            &format!("stroke='{colour}' stroke-width='{}'", n(width)),
        );
    }

    /// A line through points, stroked as the attributes say.
    pub fn path(&mut self, points: &[Point<Css>], stroke: &str) {
        self.shape(
            points,
            &format!("fill='none' stroke-linejoin='round' {stroke}"),
        );
    }

    /// A line through points with these attributes. Points in one place are one.
    pub fn shape(&mut self, points: &[Point<Css>], attributes: &str) {
        self.out += "<polyline points='";
        let mut last = String::new();
        for point in points {
            let at = format!("{},{} ", n(point.x), n(point.y));
            if at != last {
                self.out += &at;
                last = at;
            }
        }
        self.out += &format!("' {attributes}/>");
    }

    /// A filled circle.
    pub fn dot(&mut self, at: Point<Css>, radius: f64, attributes: &str) {
        let [x, y, r] = [at.x, at.y, radius].map(n);
        self.out += &format!("<circle cx='{x}' cy='{y}' r='{r}' {attributes}/>");
    }

    /// Text, its foot at a point; `more`: further attributes.
    pub fn text(&mut self, text: &str, at: Point<Css>, anchor: Anchor, fill: &str, more: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let ([x, y], text) = ([at.x, at.y].map(n), escaped(text));
        self.out += &format!(
            "<text x='{x}' y='{y}' text-anchor='{anchor}' fill='{fill}' {more}>{text}</text>"
        );
    }

    /// Rules for what has these colours, such as for the night.
    pub fn style(&mut self, rules: &str) {
        self.out += &format!("<style>{rules}</style>");
    }

    /// What follows is named when it is pointed at, until [`close`](Self::close); the pointer need only be in `room`.
    pub fn open_named(&mut self, name: &str, room: &Rect<Css>) {
        let [x, y, w, h] = [room.x, room.y, room.w, room.h].map(n);
        let name = escaped(name);
        self.out += &format!(
            "<g><title>{name}</title><rect class='room' x='{x}' y='{y}' width='{w}' height='{h}'/>"
        );
    }

    /// What follows has these attributes, until [`close`](Self::close).
    pub fn open(&mut self, attributes: &str) {
        self.out += &format!("<g {attributes}>");
    }

    /// Ends what was opened.
    pub fn close(&mut self) {
        self.out += "</g>";
    }

    /// The drawing.
    pub fn finish(mut self) -> String {
        self.out += "</svg>";
        self.out
    }
}

//! What is shown of a page where somebody links to it: title, question and its first still, as a PNG. In: these;
//! out: bytes. The letters are those of a font that comes along, so that every machine draws the same.

use anyhow::{Context, Result};
use pulldown_cmark_escape::escape_html;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::fmt::Write;

/// What sites that show such pictures ask for.
pub(crate) const WIDTH: u32 = 1200;
pub(crate) const HEIGHT: u32 = 630;

const EDGE: f64 = 56.0;

/// A text's size, the distance of its lines, and how many there may be.
struct Letters {
    class: &'static str,
    size: f64,
    line: f64,
    most: usize,
}

const TITLE: Letters = Letters {
    class: "title",
    size: 54.0,
    line: 64.0,
    most: 3,
};
const QUESTION: Letters = Letters {
    class: "question",
    size: 28.0,
    line: 38.0,
    most: 3,
};

/// The page's colours by day (`static/lessons/lesson.css`), and the stills'.
const STYLE: &str = "text{font-family:'DejaVu Sans';font-size:12px;fill:#1a1d21}\
     .name{font-size:26px;font-weight:700;fill:#005ea8}.title{font-size:54px;font-weight:700}\
     .question{font-size:28px;fill:#5c6570}.on{fill:#101215}.f{fill:#eceef0}.a{fill:#5c6570}";

/// The picture of a page.
pub(crate) fn of(title: &str, question: &str, still: Option<&str>) -> Result<Vec<u8>> {
    let options = options();
    let mut svg = String::new();
    let mut top = EDGE + 26.0;
    text(&mut svg, "name", "Switchyard", top);
    top += 18.0;
    for (said, letters) in [(title, &TITLE), (question, &QUESTION)] {
        for line in lines(said, letters, &options)? {
            top += letters.line;
            text(&mut svg, letters.class, &line, top);
        }
        top += 14.0;
    }
    if let Some(still) = still {
        draw(&mut svg, still, top + 20.0).context("its still is no SVG with a viewBox")?;
    }
    png(&whole(&svg), &options)
}

fn options() -> Options<'static> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    options
}

fn whole(svg: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"><style>{STYLE}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"#f6f7f8\"/>\
         <rect width=\"12\" height=\"100%\" fill=\"#005ea8\"/>{svg}</svg>"
    )
}

fn text(svg: &mut String, class: &str, words: &str, bottom: f64) {
    // Writing to a string cannot fail.
    let _ = write!(svg, "<text class=\"{class}\" x=\"{EDGE}\" y=\"{bottom}\">");
    let _ = escape_html(&mut *svg, words);
    svg.push_str("</text>");
}

/// A still from here down, without its own styles: as wide as the texts. What is higher than the room goes on below
/// the picture's end.
fn draw(svg: &mut String, still: &str, top: f64) -> Option<()> {
    let (head, drawn) = still.split_once('>')?;
    let (_, sides) = head.split_once("viewBox=")?;
    let mark = sides.chars().next()?;
    let sides = sides.trim_start_matches(mark).split(mark).next()?;
    let mut drawn = drawn.trim_end().strip_suffix("</svg>")?.to_owned();
    while let Some((before, rest)) = drawn.split_once("<style>") {
        let (_, behind) = rest.split_once("</style>")?;
        drawn = format!("{before}{behind}");
    }
    let (width, height) = (f64::from(WIDTH) - 2.0 * EDGE, f64::from(HEIGHT) - top);
    let all: Vec<f64> = sides
        .split(' ')
        .filter_map(|side| side.parse().ok())
        .collect();
    let [_, _, wide, high] = all[..] else {
        return None;
    };
    let fits = match high * width / wide > height {
        true => "slice",
        false => "meet",
    };
    let _ = write!(
        svg,
        "<svg x=\"{EDGE}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" viewBox=\"{sides}\" \
         preserveAspectRatio=\"xMinYMin {fits}\">{drawn}</svg>"
    );
    Some(())
}

/// A text in lines that fit; what does not fit into the last one is cut off.
fn lines(said: &str, letters: &Letters, options: &Options<'_>) -> Result<Vec<String>> {
    let most = f64::from(WIDTH) - 2.0 * EDGE;
    let mut lines = vec![String::new()];
    for word in said.split_whitespace() {
        let count = lines.len();
        let Some(line) = lines.last_mut() else { break };
        let longer = format!("{line} {word}");
        if line.is_empty() || length(&longer, letters, options)? <= most {
            *line = longer.trim_start().to_owned();
        } else if count < letters.most {
            lines.push(word.to_owned());
        } else {
            line.push('…');
            break;
        }
    }
    Ok(lines)
}

/// How long a line is, as it is drawn.
fn length(line: &str, letters: &Letters, options: &Options<'_>) -> Result<f64> {
    let mut svg = String::new();
    text(&mut svg, letters.class, line, letters.size);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"><style>{STYLE}</style>{svg}</svg>"
    );
    let tree = Tree::from_str(&svg, options)?;
    Ok(f64::from(tree.root().bounding_box().width()))
}

fn png(svg: &str, options: &Options<'_>) -> Result<Vec<u8>> {
    let tree = Tree::from_str(svg, options)?;
    let mut pixels = Pixmap::new(WIDTH, HEIGHT).context("a picture has a size")?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().context("a picture becomes a PNG")
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 120\"><style>.f{fill:red}</style>\
         <rect x=\"8\" y=\"20\" width=\"600\" height=\"80\" fill=\"#e69f00\"/><text x=\"8\" y=\"14\">fifo</text></svg>\n";

    fn pixels(title: &str, question: &str, still: Option<&str>) -> Pixmap {
        Pixmap::decode_png(&of(title, question, still).unwrap()).unwrap()
    }

    /// How many pixels of some rows are not alike.
    fn apart(one: &Pixmap, other: &Pixmap, rows: std::ops::Range<u32>) -> usize {
        let of = |pixels: &Pixmap| {
            let row = WIDTH as usize;
            pixels.pixels()[rows.start as usize * row..rows.end as usize * row].to_vec()
        };
        of(one)
            .iter()
            .zip(of(other))
            .filter(|(a, b)| **a != *b)
            .count()
    }

    #[test]
    fn a_picture_has_its_title_its_question_and_its_still() {
        let all = pixels("Why does my job wait?", "Two idle GPUs.", Some(STILL));
        assert_eq!((all.width(), all.height()), (WIDTH, HEIGHT));
        let no_title = pixels("", "Two idle GPUs.", Some(STILL));
        assert!(apart(&all, &no_title, 90..170) > 5_000, "no title is drawn");
        let no_question = pixels("Why does my job wait?", "", Some(STILL));
        assert!(apart(&all, &no_question, 170..230) > 1_000);
        let no_still = pixels("Why does my job wait?", "Two idle GPUs.", None);
        assert!(apart(&all, &no_still, 250..600) > 100_000);
        let orange = all
            .pixels()
            .iter()
            .filter(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (0xe6, 0x9f, 0));
        assert!(orange.count() > 50_000);
        // Charts write with other marks.
        let charts = STILL.replace('"', "'");
        assert_eq!(
            all,
            pixels("Why does my job wait?", "Two idle GPUs.", Some(&charts))
        );
        assert!(of("A title", "A question", Some("no picture")).is_err());
    }

    #[test]
    fn long_texts_stay_within_the_picture() {
        let long = "A title of many words that goes on and on ".repeat(6);
        let options = options();
        let lines = lines(&long, &TITLE, &options).unwrap();
        assert_eq!(lines.len(), 3);
        assert!(lines[2].ends_with('…'));
        for line in &lines {
            let length = length(line, &TITLE, &options).unwrap();
            assert!(length < f64::from(WIDTH) - EDGE, "{line} is {length} long");
        }
        // Nothing is drawn at the right edge, and the same picture is the same bytes.
        let one = of(&long, &long, Some(STILL)).unwrap();
        let drawn = Pixmap::decode_png(&one).unwrap();
        let edge = drawn
            .pixels()
            .chunks(WIDTH as usize)
            .map(|row| row[WIDTH as usize - 10]);
        assert!(
            edge.into_iter()
                .all(|pixel| pixel == drawn.pixels()[WIDTH as usize - 1])
        );
        assert_eq!(one, of(&long, &long, Some(STILL)).unwrap());
    }
}

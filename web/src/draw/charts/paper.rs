//! Either of plotters' backends as one type: what paints a figure exists once in the wasm.

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use plotters_canvas::CanvasBackend;
use plotters_svg::SVGBackend;
use std::fmt::{self, Display};

/// What a figure is painted on.
pub(super) enum Paper<'a> {
    Canvas(CanvasBackend),
    Svg(SVGBackend<'a>),
}

/// Width of a character on average, in heights of the text.
const CHARACTER: f64 = 0.55;

/// The backend's own error, in its own words.
#[derive(Debug)]
pub(super) struct PaperError(String);

impl Display for PaperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PaperError {}

type Done = Result<(), DrawingErrorKind<PaperError>>;

fn done<E: std::error::Error + Send + Sync>(result: Result<(), DrawingErrorKind<E>>) -> Done {
    result.map_err(|error| DrawingErrorKind::DrawingError(PaperError(error.to_string())))
}

/// Calls the same method of whichever backend it is.
macro_rules! either {
    ($paper:expr, $backend:ident => $call:expr) => {
        match $paper {
            Paper::Canvas($backend) => done($call),
            Paper::Svg($backend) => done($call),
        }
    };
}

impl DrawingBackend for Paper<'_> {
    type ErrorType = PaperError;

    fn get_size(&self) -> (u32, u32) {
        match self {
            Self::Canvas(canvas) => canvas.get_size(),
            Self::Svg(svg) => svg.get_size(),
        }
    }

    fn ensure_prepared(&mut self) -> Done {
        either!(self, backend => backend.ensure_prepared())
    }

    fn present(&mut self) -> Done {
        either!(self, backend => backend.present())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Done {
        either!(self, backend => backend.draw_pixel(point, color))
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        either!(self, backend => backend.draw_line(from, to, style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        either!(self, backend => backend.draw_rect(upper_left, bottom_right, style, fill))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        match (self, path.as_slice()) {
            // As a line, since the canvas's backend puts those of odd width onto whole pixels.
            (Self::Canvas(canvas), [from, to]) if style.stroke_width() % 2 == 1 => {
                done(canvas.draw_line(*from, *to, style))
            }
            (paper, _) => either!(paper, backend => backend.draw_path(path, style)),
        }
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        either!(self, backend => backend.draw_circle(center, radius, style, fill))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        either!(self, backend => backend.fill_polygon(path, style))
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        either!(self, backend => backend.draw_text(text, style, at))
    }

    /// Estimated: plotters would measure an element with a style of its own, which a strict security
    /// policy forbids.
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<PaperError>> {
        let height = style.size();
        let width = text.chars().count() as f64 * CHARACTER * height;
        Ok((width as u32, height as u32))
    }
}

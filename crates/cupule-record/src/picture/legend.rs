//! Small bars in the lower corners of a picture that tell which figures its colours mean.

use super::lettering::{self, ROWS};
use super::raster::Canvas;
use crate::palette::{Colour, scale_colour};

/// What a bar tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What the figures are.
    pub title: String,
    /// Their unit; may be empty.
    pub unit: String,
    /// The figure of the darkest colour.
    pub min: f32,
    /// That of the brightest.
    pub max: f32,
}

/// A picture is so many dots of a letter high, however large it is.
const DOTS_OF_PICTURE: usize = 150;
/// Dots from the edge of the picture to a panel, and from the edge of a panel to what is in it.
const MARGIN: usize = 3;
/// Dots between the title and the ramp, and between the ramp and its figures.
const GAP: usize = 2;
/// Length of the ramp, dots.
const RAMP: usize = 36;
/// How much of the picture a panel covers.
const PANEL_OPACITY: f32 = 0.65;
const PANEL: Colour = Colour([0xff, 0xff, 0xff]);
const INK: Colour = Colour([0x1d, 0x23, 0x2b]);

/// Draws bars over what is there: the first to the right, as in the page, the second to the left. `least_dot` is how many samples a dot of a letter
/// must have to be readable; smaller pictures go without.
pub fn draw(canvas: &mut Canvas, bars: &[Bar], least_dot: usize) {
    let dot = canvas.size()[1] / DOTS_OF_PICTURE;
    if dot < least_dot {
        return;
    }
    for (bar, right) in bars.iter().zip([true, false]) {
        draw_bar(canvas, bar, right, dot);
    }
}

fn draw_bar(canvas: &mut Canvas, bar: &Bar, right: bool, dot: usize) {
    let labels = labels(bar);
    let [title, low, high] = [&bar.title, &labels[0], &labels[1]].map(|t| lettering::text(t));
    let figures = low.1 + GAP + RAMP + GAP + high.1;
    let (width, height) = (title.1.max(figures) + 2 * MARGIN, 2 * ROWS + GAP + 2 * MARGIN);
    let [columns, rows] = canvas.size().map(|samples| samples / dot);
    if width + 2 * MARGIN > columns {
        return;
    }
    let left = if right { columns - MARGIN - width } else { MARGIN };
    let top = rows - MARGIN - height;
    let mut pen = Pen { canvas, dot };
    pen.fill([left, top], [width, height], PANEL.linear(), PANEL_OPACITY);
    let (x, y) = (left + MARGIN, top + MARGIN);
    pen.write([x, y], &title.0);
    let y = y + ROWS + GAP;
    pen.write([x, y], &low.0);
    pen.ramp([x + low.1 + GAP, y]);
    pen.write([x + low.1 + RAMP + 2 * GAP, y], &high.0);
}

/// Draws in dots of letters.
struct Pen<'a> {
    canvas: &'a mut Canvas,
    dot: usize,
}

impl Pen<'_> {
    fn fill(&mut self, at: [usize; 2], size: [usize; 2], colour: [f32; 3], opacity: f32) {
        let [columns, rows] =
            [0, 1].map(|axis| at[axis] * self.dot..(at[axis] + size[axis]) * self.dot);
        self.canvas.paint(columns, rows, colour, opacity);
    }

    fn write(&mut self, [x, y]: [usize; 2], dots: &[[usize; 2]]) {
        for [column, row] in dots {
            self.fill([x + column, y + row], [1, 1], INK.linear(), 1.0);
        }
    }

    /// As high as a letter above the line.
    fn ramp(&mut self, [x, y]: [usize; 2]) {
        for step in 0..RAMP {
            let colour = scale_colour(step as f32 / (RAMP - 1) as f32);
            self.fill([x + step, y], [1, ROWS - 1], colour, 1.0);
        }
    }
}

/// Words for powers of a thousand of a unit.
const PREFIXES: [(f32, &str); 6] =
    [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u")];

/// The figures at both ends, the larger with its unit.
fn labels(bar: &Bar) -> [String; 2] {
    let largest = bar.min.abs().max(bar.max.abs());
    let fits = |(size, _): &&(f32, &str)| !bar.unit.is_empty() && *size <= largest;
    let (size, prefix) = PREFIXES.iter().find(fits).copied().unwrap_or((1.0, ""));
    // What is rounding against the rest is nothing.
    let shown = |value: f32| if value.abs() < 1e-6 * largest { 0.0 } else { value / size };
    let high = format!("{} {prefix}{}", short(shown(bar.max)), bar.unit);
    [short(shown(bar.min)), high.trim_end().to_string()]
}

/// Three digits, as far as they say something.
fn short(number: f32) -> String {
    let whole = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    let decimals = (2 - whole).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_fitting_unit() {
        let labels = |min, max, unit: &str| {
            labels(&Bar { title: String::new(), unit: unit.into(), min, max })
        };
        assert_eq!(labels(0.0, 101_325.0, "Pa"), ["0", "101 kPa"]);
        assert_eq!(labels(1e-9, 1.5e6, "Pa"), ["0", "1.5 MPa"]);
        assert_eq!(labels(-0.002, 0.0123, "m"), ["-2", "12.3 mm"]);
        assert_eq!(labels(0.0, 3.0, ""), ["0", "3"]);
        assert_eq!(labels(0.0, 0.0, "Pa"), ["0", "0 Pa"]);
    }
}

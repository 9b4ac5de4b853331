//! Triangles into a depth buffer, with what varies over them.

use std::ops::Range;

use cupule_geometry::DVec3;

use super::camera::Eye;
use super::{Picture, screen};

/// A corner of a triangle.
#[derive(Debug, Clone, Copy)]
pub struct Corner {
    /// Where it is, m.
    pub at: DVec3,
    /// Unit normal.
    pub normal: DVec3,
    /// Amounts of light that it gives back.
    pub colour: [f32; 3],
}

/// What a sample shows.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// Where, m.
    pub at: DVec3,
    /// Normal, about a unit long.
    pub normal: DVec3,
    /// Amounts of light that it gives back.
    pub colour: [f32; 3],
}

/// Samples with their depth.
#[derive(Debug)]
pub struct Canvas {
    width: usize,
    height: usize,
    /// One over the depth; 0 where nothing is.
    nearness: Vec<f32>,
    light: Vec<[f32; 3]>,
    /// What lies over the samples: light that it sends, and the share that it lets through.
    veil: Vec<([f32; 3], f32)>,
}

impl Canvas {
    pub fn new(width: usize, height: usize) -> Self {
        let count = width * height;
        Self {
            width,
            height,
            nearness: vec![0.0; count],
            light: vec![[0.0; 3]; count],
            veil: vec![([0.0; 3], 1.0); count],
        }
    }

    /// Lays a translucent triangle over everything, however near it is: what it shows may lie within a body. No light falls on it, so
    /// that its colour can be read.
    pub fn lay_over(&mut self, triangle: &[Corner; 3], eye: &Eye, opacity: f32) {
        let polygon = in_front(triangle, eye);
        let Some((first, rest)) = polygon.split_first() else { return };
        for pair in rest.windows(2) {
            let corners = [*first, pair[0], pair[1]];
            let seen = corners.map(|corner| eye.see(corner.at));
            let width = self.width;
            covered(seen, width, self.height, |column, row, shares| {
                let light = mix(&corners, shares).colour;
                cover(&mut self.veil[row * width + column], light, opacity);
            });
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }

    /// Covers a rectangle of samples, whatever is there; the columns and rows must exist.
    pub fn paint(
        &mut self,
        columns: Range<usize>,
        rows: Range<usize>,
        colour: [f32; 3],
        opacity: f32,
    ) {
        for row in rows {
            for veil in &mut self.veil[row * self.width..][columns.clone()] {
                cover(veil, colour, opacity);
            }
        }
    }

    /// Draws a triangle.
    pub fn draw(&mut self, triangle: &[Corner; 3], eye: &Eye, shade: impl Fn(&Hit) -> [f32; 3]) {
        let polygon = in_front(triangle, eye);
        let Some((first, rest)) = polygon.split_first() else { return };
        for pair in rest.windows(2) {
            self.fill(&[*first, pair[0], pair[1]], eye, &shade);
        }
    }

    fn fill(&mut self, triangle: &[Corner; 3], eye: &Eye, shade: impl Fn(&Hit) -> [f32; 3]) {
        let [a, b, c] = triangle.map(|corner| eye.see(corner.at));
        let (width, height) = (self.width, self.height);
        covered([a, b, c], width, height, |column, row, shares| {
            let nearness = shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2];
            let place = row * width + column;
            if nearness as f32 > self.nearness[place] {
                self.nearness[place] = nearness as f32;
                // Shares on the screen become shares on the triangle.
                let shares = [0, 1, 2].map(|i| shares[i] * [a, b, c][i][2] / nearness);
                self.light[place] = shade(&mix(triangle, shares));
            }
        });
    }

    /// The picture: squares of samples become pixels, on a background that depends on the height (0 top, 1 bottom).
    pub fn shrink(&self, samples: usize, background: impl Fn(f32) -> [f32; 3]) -> Picture {
        let (width, height) = (self.width / samples, self.height / samples);
        let mut pixels = Vec::with_capacity(width * height);
        let share = 1.0 / (samples * samples) as f32;
        for row in 0..height {
            let behind = background(row as f32 / height.max(1) as f32);
            for column in 0..width {
                let mut sum = [0.0; 3];
                for y in 0..samples {
                    for x in 0..samples {
                        let place = (row * samples + y) * self.width + column * samples + x;
                        let seen = self.nearness[place] > 0.0;
                        let light =
                            if seen { self.light[place].map(|c| c.min(1.0)) } else { behind };
                        let (over, through) = self.veil[place];
                        (0..3).for_each(|c| sum[c] += share * (light[c] * through + over[c]));
                    }
                }
                pixels.push(screen(sum));
            }
        }
        Picture { width: width as u32, height: height as u32, pixels }
    }
}

/// Puts something translucent over a sample.
fn cover((sum, through): &mut ([f32; 3], f32), light: [f32; 3], opacity: f32) {
    *sum = [0, 1, 2].map(|c| sum[c] * (1.0 - opacity) + opacity * light[c]);
    *through *= 1.0 - opacity;
}

/// The part of a triangle that lies in front of the eye: three or four corners, or none.
fn in_front(triangle: &[Corner; 3], eye: &Eye) -> Vec<Corner> {
    let depths = triangle.map(|corner| eye.depth(corner.at) - eye.near);
    if depths.iter().any(|depth| !depth.is_finite()) {
        return Vec::new();
    }
    let mut kept = Vec::with_capacity(4);
    for i in 0..3 {
        let j = (i + 1) % 3;
        if depths[i] > 0.0 {
            kept.push(triangle[i]);
        }
        if (depths[i] > 0.0) != (depths[j] > 0.0) {
            let share = depths[i] / (depths[i] - depths[j]);
            let mut shares = [0.0; 3];
            (shares[i], shares[j]) = (1.0 - share, share);
            let Hit { at, normal, colour } = mix(triangle, shares);
            kept.push(Corner { at, normal, colour });
        }
    }
    kept
}

fn mix(triangle: &[Corner; 3], [a, b, c]: [f64; 3]) -> Hit {
    let [p, q, r] = triangle;
    let colour =
        [0, 1, 2].map(|i| a as f32 * p.colour[i] + b as f32 * q.colour[i] + c as f32 * r.colour[i]);
    Hit {
        at: a * p.at + b * q.at + c * r.at,
        normal: a * p.normal + b * q.normal + c * r.normal,
        colour,
    }
}

/// Calls for every sample whose middle a triangle covers, with the shares of its corners.
pub fn covered(
    [a, b, c]: [[f64; 3]; 3],
    width: usize,
    height: usize,
    mut each: impl FnMut(usize, usize, [f64; 3]),
) {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    if !area.is_finite() || area == 0.0 {
        return;
    }
    let range = |axis: usize, most: usize| {
        let least = a[axis].min(b[axis]).min(c[axis]);
        let largest = a[axis].max(b[axis]).max(c[axis]);
        // The casts saturate, so that what lies outside gives an empty range.
        ((least - 0.5).ceil().max(0.0) as usize)
            ..((largest + 0.5).floor().max(0.0) as usize).min(most)
    };
    // Shares are linear over the screen: slope along a row, and value at its start.
    let slopes = [(b[1] - c[1]) / area, (c[1] - a[1]) / area];
    let columns = range(0, width);
    let x = columns.start as f64 + 0.5;
    for row in range(1, height) {
        let y = row as f64 + 0.5;
        let mut first = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area;
        let mut second = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area;
        for column in columns.clone() {
            let third = 1.0 - first - second;
            if first >= 0.0 && second >= 0.0 && third >= 0.0 {
                each(column, row, [first, second, third]);
            }
            first += slopes[0];
            second += slopes[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::camera::Focus;
    use super::*;

    /// Looks along +y at the origin.
    fn eye() -> Eye {
        let focus = Focus { centre: DVec3::ZERO, radius: 1.0 };
        Eye::new(&"-90,0".parse().unwrap(), &focus, 8, 8)
    }

    fn wall(y: f64, red: f32) -> [Corner; 3] {
        [[-9.0, -9.0], [9.0, -9.0], [0.0, 9.0]].map(|[x, z]| Corner {
            at: DVec3::new(x, y, z),
            normal: DVec3::Y,
            colour: [red, 0.0, 0.0],
        })
    }

    #[test]
    fn two_triangles_cover_a_square_without_gap() {
        let mut count = [[0; 8]; 8];
        let corners = [[1.0, 1.0, 1.0], [7.0, 1.0, 1.0], [7.0, 7.0, 1.0], [1.0, 7.0, 1.0]];
        for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
            covered([corners[i], corners[j], corners[k]], 8, 8, |x, y, _| count[y][x] += 1);
        }
        for (y, row) in count.iter().enumerate() {
            for (x, n) in row.iter().enumerate() {
                // Samples on the diagonal belong to both.
                assert_eq!(*n > 0, (1..7).contains(&x) && (1..7).contains(&y), "{x} {y}");
            }
        }
    }

    #[test]
    fn what_is_nearer_hides_what_is_farther_in_any_order() {
        for order in [[0, 1], [1, 0]] {
            let mut canvas = Canvas::new(8, 8);
            for i in order {
                canvas.draw(&wall([1.0, 0.0][i], [0.0, 1.0][i]), &eye(), |hit| hit.colour);
            }
            assert_eq!(canvas.shrink(1, |_| [0.0; 3]).pixels[4 * 8 + 4], [255, 0, 0]);
        }
    }

    #[test]
    fn a_floor_that_reaches_behind_the_eye_is_drawn_up_to_it() {
        let mut canvas = Canvas::new(8, 8);
        let floor = [[-99.0, -99.0], [99.0, -99.0], [0.0, 999.0]].map(|[x, y]| Corner {
            at: DVec3::new(x, y, -0.5),
            normal: DVec3::Z,
            colour: [1.0, 0.0, 0.0],
        });
        canvas.draw(&floor, &eye(), |hit| hit.colour);
        let picture = canvas.shrink(1, |_| [0.0; 3]);
        assert_eq!((picture.pixels[4], picture.pixels[7 * 8 + 4]), ([0, 0, 0], [255, 0, 0]));
    }

    #[test]
    fn wild_corners_draw_nothing_and_do_no_harm() {
        for wild in [f64::NAN, f64::INFINITY, 1e300] {
            let mut canvas = Canvas::new(4, 4);
            let mut triangle = wall(0.0, 1.0);
            triangle[0].at.x = wild;
            triangle[1].at.y = -wild;
            canvas.draw(&triangle, &eye(), |hit| hit.colour);
        }
    }
}

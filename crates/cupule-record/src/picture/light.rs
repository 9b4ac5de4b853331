//! Light on bodies: sky, sun with shadow, and a weak light from the other side. Strengths are those of the page, over pi.

use cupule_geometry::DVec3;

use super::BACKGROUND;
use super::camera::Focus;
use super::raster::{Hit, covered};

const SKY: [f32; 3] = [0.557, 0.557, 0.557];
const GROUND: [f32; 3] = [0.325, 0.3, 0.272];
const SUN: [f32; 3] = [0.732, 0.703, 0.652];
const FILL: [f32; 3] = [0.19, 0.207, 0.255];
/// Towards the sun, (0.45, -0.55, 1.1), and towards the fill light, (-1, 0.4, 0.3), of unit length.
const SUN_DIRECTION: DVec3 = DVec3::new(0.343_66, -0.420_03, 0.840_06);
const FILL_DIRECTION: DVec3 = DVec3::new(-0.894_43, 0.357_77, 0.268_33);

/// The light of a picture.
#[derive(Debug)]
pub struct Light {
    /// What the sun does not reach.
    pub shadow: Shadow,
}

impl Light {
    /// Light that a sample sends to the eye.
    pub fn shade(&self, hit: &Hit, eye: DVec3) -> [f32; 3] {
        // Surfaces are closed: what faces away is seen from within and shaded as from outside.
        let normal = hit.normal.normalize_or_zero();
        let normal = if normal.dot(eye - hit.at) < 0.0 { -normal } else { normal };
        let up = 0.5 + 0.5 * normal.z as f32;
        let facing = |direction: DVec3| normal.dot(direction).max(0.0) as f32;
        let sun = facing(SUN_DIRECTION);
        let sun = if sun > 0.0 { sun * self.shadow.light_at(hit.at, normal) } else { 0.0 };
        let fill = facing(FILL_DIRECTION);
        [0, 1, 2].map(|c| {
            let sky = GROUND[c] + (SKY[c] - GROUND[c]) * up;
            hit.colour[c] * (sky + SUN[c] * sun + FILL[c] * fill)
        })
    }
}

/// Samples along a side of the map.
const MAP: usize = 1024;
/// The map reaches so many times the radius of the focus.
const REACH: f64 = 2.2;

/// What the sun sees: how high above the middle the first surface is.
#[derive(Debug)]
pub struct Shadow {
    centre: DVec3,
    radius: f64,
    axes: [DVec3; 3],
    height: Vec<f32>,
}

impl Shadow {
    pub fn new(focus: &Focus) -> Self {
        let towards = SUN_DIRECTION;
        let across = towards.any_orthogonal_vector().normalize();
        Self {
            centre: focus.centre,
            radius: focus.radius,
            axes: [across, towards.cross(across), towards],
            height: vec![f32::NEG_INFINITY; MAP * MAP],
        }
    }

    /// Lets a body throw its shadow.
    pub fn add(&mut self, points: &[DVec3], triangles: &[[u32; 3]]) {
        let seen: Vec<[f64; 3]> = points.iter().map(|point| self.place(*point)).collect();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| seen[vertex as usize]);
            covered([a, b, c], MAP, MAP, |column, row, [p, q, r]| {
                let height = (p * a[2] + q * b[2] + r * c[2]) as f32;
                let known = &mut self.height[row * MAP + column];
                *known = known.max(height);
            });
        }
    }

    /// The share of the sun that reaches a point: the mean over a few neighbours softens the edge.
    fn light_at(&self, point: DVec3, normal: DVec3) -> f32 {
        // A little off the surface, so that it does not shade itself.
        let [x, y, height] = self.place(point + 0.012 * self.radius * normal);
        let slack = (0.006 * self.radius) as f32;
        let (mut lit, mut count) = (0.0, 0.0);
        for dy in -1..=1 {
            for dx in -1..=1 {
                let (column, row) = (x as isize + dx, y as isize + dy);
                let inside =
                    (0..MAP as isize).contains(&column) && (0..MAP as isize).contains(&row);
                let blocker = if inside {
                    self.height[row as usize * MAP + column as usize]
                } else {
                    f32::NEG_INFINITY
                };
                lit += f32::from(u8::from(blocker <= height as f32 + slack));
                count += 1.0;
            }
        }
        lit / count
    }

    fn place(&self, point: DVec3) -> [f64; 3] {
        let way = point - self.centre;
        let scale = 0.5 * MAP as f64 / (REACH * self.radius);
        let middle = 0.5 * MAP as f64;
        [
            middle + way.dot(self.axes[0]) * scale,
            middle + way.dot(self.axes[1]) * scale,
            way.dot(self.axes[2]),
        ]
    }
}

/// The background, 0 at the top to 1 at the bottom.
pub fn background(share: f32) -> [f32; 3] {
    let [top, bottom] = BACKGROUND.map(|colour| colour.linear());
    [0, 1, 2].map(|c| top[c] + (bottom[c] - top[c]) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roof_throws_a_shadow_and_only_below_it() {
        let focus = Focus { centre: DVec3::ZERO, radius: 1.0 };
        let mut shadow = Shadow::new(&focus);
        let square = [[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]];
        let roof: Vec<DVec3> = square.map(|[x, y]| DVec3::new(x, y, 0.2)).to_vec();
        shadow.add(&roof, &[[0, 1, 2], [0, 2, 3]]);
        let below = DVec3::new(-0.08, 0.1, 0.0);
        assert_eq!(shadow.light_at(below, DVec3::Z), 0.0);
        assert_eq!(shadow.light_at(below + 0.4 * DVec3::Z, DVec3::Z), 1.0);
        assert_eq!(shadow.light_at(DVec3::new(0.9, 0.9, 0.0), DVec3::Z), 1.0);
        assert_eq!(
            shadow.light_at(roof[0] + 0.3 * DVec3::ONE * DVec3::new(1.0, 1.0, 0.0), DVec3::Z),
            1.0
        );
    }
}

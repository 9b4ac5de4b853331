//! How far the border of a seal has drifted since it was detected.
//!
//! The border lies where the gap passes the level at which surfaces seal, and cuts the triangles it crosses. As long as a detection
//! holds, bodies carry the wall, and the border stays where it was detected on each of them. Two areas tell how wrong it has become:
//!
//! - what has come to seal since, or no longer does: the change of the fraction of those triangles that is below the level;
//! - how far one body slid along the other: the change of the band between them.
//!
//! Either area encloses gaps of about the sealing distance. If that is too much of the cavity's volume, its pressure would jump when
//! the border is recomputed, so the border has to be recomputed before. Bernardin et al. (2022, sec. 4.2) do so when the band has grown
//! by a hundredth of the cavity's area, and so does this; but in a flat cup that much area may hold a tenth of the air.

use super::detected::{DetectedCavity, Patch};
use super::input::BodySurface;
use cupule_geometry::DVec3;
use cupule_geometry::arrangement::GAP_REACH;

/// A border is recomputed before what it encloses wrongly is this fraction of the volume: a quarter of the hundredth by which a
/// pressure may jump, because a step may move a border on, as far again and more, after it was checked.
const VOLUME_FRACTION: f64 = 2.5e-3;
/// A band may change by this fraction of the wall's area (Bernardin et al. 2022, sec. 4.2).
const AREA_FRACTION: f64 = 1e-2;
/// A triangle is cut if it has less than this fraction of its area in a cavity: the rest is rounding of the cut.
const WHOLE: f64 = 1.0 - 1e-6;

/// Gaps (m) of the vertices of every body of a group, and the level (m) below which each of them seals.
#[derive(Clone, Copy)]
pub(super) struct GapField<'a> {
    pub gaps: &'a [Vec<f64>],
    pub levels: &'a [Vec<f64>],
}

/// The border of one cavity, or of a touching part without one, as it was detected.
#[derive(Debug, Clone, Default)]
pub(super) struct BorderDrift {
    /// Triangles that it cuts.
    cuts: Vec<CutTriangle>,
    /// Area of the band between bodies, m2.
    band: f64,
    /// Area by which the band may change, m2.
    band_limit: f64,
    /// Area that may be enclosed wrongly, m2.
    area_limit: f64,
}

#[derive(Debug, Clone)]
struct CutTriangle {
    /// Place of the body in its group.
    place: usize,
    vertices: [u32; 3],
    /// Area of the triangle, m2.
    area: f64,
    /// Fraction of it below the level when the border was detected.
    below: f64,
}

impl BorderDrift {
    /// The border of a detected cavity, with all points of the world at `x` (m), a gas volume (m3) and a sealing distance (m).
    pub fn new(
        found: &DetectedCavity,
        group: &[BodySurface],
        field: GapField,
        x: &[DVec3],
        volume: f64,
        sealing: f64,
    ) -> Self {
        let band_limit = AREA_FRACTION * found.area();
        // What is flat has hardly any volume, and no pressure that is more than a guess before it opens.
        let area_limit =
            if found.is_flat() { band_limit } else { VOLUME_FRACTION * volume / sealing };
        let of_one_triangle =
            found.patches.chunk_by(|a, b| (a.body, a.triangle) == (b.body, b.triangle));
        let cut = |parts: &[Patch]| {
            let place = group.iter().position(|b| b.body == parts[0].body)?;
            let body = &group[place];
            let vertices = body.triangles[parts[0].triangle as usize];
            let [a, b, c] = vertices.map(|v| body.positions[v as usize]);
            let area = 0.5 * (b - a).cross(c - a).length();
            let inside: f64 = parts.iter().map(|p| p.area.length()).sum();
            let below = field.fraction_below(place, vertices);
            (inside < WHOLE * area).then_some(CutTriangle { place, vertices, area, below })
        };
        let cuts = of_one_triangle.filter_map(cut).collect();
        Self { cuts, band: found.wall.band_area(x), band_limit, area_limit }
    }

    /// Whether the border has moved too far to be carried on.
    pub fn is_stale(&self, found: &DetectedCavity, field: GapField, x: &[DVec3]) -> bool {
        let moved = |cut: &CutTriangle| {
            let below = field.fraction_below(cut.place, cut.vertices);
            (below - cut.below).abs() * cut.area
        };
        let band = found.wall.band_area(x);
        // A band of height g that slides by d across itself becomes the root of g^2 + d^2 wide.
        let slid = (band.powi(2) - self.band.powi(2)).abs().sqrt();
        (band - self.band).abs() > self.band_limit
            || slid + self.cuts.iter().map(moved).sum::<f64>() > self.area_limit
    }
}

impl GapField<'_> {
    /// Fraction of a triangle whose linearly interpolated gap is below the level.
    fn fraction_below(&self, place: usize, vertices: [u32; 3]) -> f64 {
        let above = vertices.map(|v| {
            let level = self.levels[place][v as usize];
            // Beyond reach the gap is infinite; how far does not matter to where the border lies.
            self.gaps[place][v as usize].min(GAP_REACH * level) - level
        });
        negative_fraction(above)
    }
}

/// Fraction of a triangle on which the linear function with these corner values is negative.
fn negative_fraction(values: [f64; 3]) -> f64 {
    let negative = values.map(|v| v < 0.0);
    // The corner that is alone on its side cuts off a triangle: its fraction is the product of those of the two cut edges.
    let corner = |i: usize| {
        let [own, next, last] = [values[i], values[(i + 1) % 3], values[(i + 2) % 3]];
        own / (own - next) * (own / (own - last))
    };
    match negative.iter().filter(|n| **n).count() {
        0 => 0.0,
        1 => (0..3).find(|i| negative[*i]).map_or(0.0, corner),
        2 => 1.0 - (0..3).find(|i| !negative[*i]).map_or(0.0, corner),
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cavity::Wall;

    /// A linear function that vanishes on the line between the middles of two sides is negative on a quarter or on three.
    #[test]
    fn fraction_of_a_cut_triangle() {
        assert_eq!(negative_fraction([1.0, 2.0, 0.5]), 0.0);
        assert_eq!(negative_fraction([-1.0, -2.0, -0.5]), 1.0);
        assert_eq!(negative_fraction([1.0, -1.0, 1.0]), 0.25);
        assert_eq!(negative_fraction([-1.0, 1.0, -1.0]), 0.75);
    }

    /// A square of 4 mm has a border half way. It may move over 0.25 % of V / s: with s = 0.05 mm and V = 40 mm3 over
    /// 2 mm2, 0.5 mm; with 0.4 mm3 over 5 um.
    #[test]
    fn a_border_that_moved_is_stale() {
        let triangles = [[0, 1, 2], [1, 3, 2]];
        let x = [[0.0, 0.0], [4e-3, 0.0], [0.0, 4e-3], [4e-3, 4e-3]];
        let positions = x.map(|[x, y]| DVec3::new(x, y, 0.0));
        let group = [BodySurface {
            body: 3,
            points: &[],
            triangles: &triangles,
            positions: &positions,
            folds: false,
        }];
        let (corners, area) =
            ([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5]], DVec3::Z * 4e-6);
        let part = |triangle, touching| Patch { body: 3, triangle, corners, touching, area };
        let patches = vec![part(0, true), part(1, false)];
        let levels = [vec![5e-5; 4]];
        // The gap falls along x, and is at the level where x is `border`.
        let gaps = |border: f64| {
            [x.iter().map(|[x, _]| 5e-5 * (1.0 + (border - x) / 4e-3)).collect::<Vec<f64>>()]
        };
        for (volume, reach) in [(40e-9, 0.5e-3), (0.4e-9, 5e-6)] {
            let found = DetectedCavity { patches: patches.clone(), wall: Wall::default() };
            let detected = GapField { gaps: &gaps(2e-3), levels: &levels };
            let border = BorderDrift::new(&found, &group, detected, &[], volume, 5e-5);
            for (by, stale) in
                [(0.0, false), (0.9, false), (1.1, true), (-0.9, false), (-1.1, true)]
            {
                let now = GapField { gaps: &gaps(2e-3 + by * reach), levels: &levels };
                assert_eq!(border.is_stale(&found, now, &[]), stale, "{volume} m3, {by}");
            }
        }
    }
}

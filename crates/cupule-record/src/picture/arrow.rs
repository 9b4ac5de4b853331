//! Arrows as triangles: a shaft as long as the figure is large, and a head (`viewer/src/view/arrows.ts` has the same).

use cupule_geometry::DVec3;

use super::raster::Corner;
use crate::frames::Arrow;

/// Sides of shaft and head.
const SIDES: usize = 8;

/// Triangles of arrows; the figure `largest` is `reach` (m) long.
pub fn triangles(arrows: &[Arrow], largest: f32, reach: f64, colour: [f32; 3]) -> Vec<[Corner; 3]> {
    let mut triangles = Vec::new();
    let thick = 0.012 * reach;
    for arrow in arrows {
        let [at, vector] = [arrow.at, arrow.vector].map(|v| DVec3::from_array(v.map(f64::from)));
        let length = vector.length() * reach / f64::from(largest.max(f32::MIN_POSITIVE));
        let Some(along) = vector.try_normalize().filter(|_| length > 0.0) else { continue };
        let head = (0.4 * length).min(6.0 * thick);
        let neck = at + along * (length - head);
        let width = (2.6 * thick).min(0.5 * head);
        let mut add = |from: DVec3, to: DVec3, radii: [f64; 2]| {
            frustum(from, to, along, radii, colour, &mut triangles);
        };
        add(at, neck, [thick, thick]);
        add(neck, at + along * length, [width, 0.0]);
    }
    triangles
}

/// The side of a cone that was cut.
fn frustum(
    from: DVec3,
    to: DVec3,
    along: DVec3,
    radii: [f64; 2],
    colour: [f32; 3],
    into: &mut Vec<[Corner; 3]>,
) {
    let (u, v) = along.any_orthonormal_pair();
    let out = |side: usize| {
        let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
        u * angle.cos() + v * angle.sin()
    };
    let slope = (radii[0] - radii[1]) / from.distance(to).max(1e-300);
    let corner = |at: DVec3, radius: f64, side: usize| {
        let normal = (out(side) + along * slope).normalize_or_zero();
        Corner { at: at + out(side) * radius, normal, colour }
    };
    for side in 0..SIDES {
        let [a, b] = [side, side + 1].map(|side| corner(from, radii[0], side));
        let [c, d] = [side, side + 1].map(|side| corner(to, radii[1], side));
        into.extend([[a, b, d], [a, d, c]]);
    }
}

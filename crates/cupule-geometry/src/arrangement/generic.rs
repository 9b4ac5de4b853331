//! Moves bodies apart from exact coincidences before the union.
//!
//! Aligned boxes, a rim centred on a mesh diagonal, coplanar side walls: exactly degenerate input is the rule in
//! generated scenes. Each body gets its own tiny rigid motion and growth, the same on every run: faces stay flat and
//! neighbours stay neighbours, which independent motions of the vertices would not give.

use super::Surface;
use crate::tree::Bounds;
use crate::{DQuat, DVec3};

/// The motion, relative to the extent of the group, on the first attempt: far above rounding, and far below every sealing distance.
const FIRST: f64 = 1e-10;
/// How much it grows with each further attempt: so much that a few attempts do, and that a coincidence of one attempt is none in the next.
const GROWTH: f64 = 30.0;

/// Positions in general position: those of body b moved by about `FIRST * GROWTH^attempt` of the extent. They are
/// relative to the middle of the group, because the union's tolerance grows with the distance from the origin.
pub(super) fn nudged(surfaces: &[Surface<'_>], attempt: i32) -> Vec<Vec<DVec3>> {
    let all = surfaces.iter().fold(Bounds::EMPTY, |all, each| all.join(Bounds::of(each.positions)));
    let extent = (all.max - all.min).max_element().max(f64::MIN_POSITIVE);
    let middle = (all.min + all.max) * 0.5;
    let size = FIRST * GROWTH.powi(attempt);
    surfaces
        .iter()
        .enumerate()
        .map(|(body, surface)| {
            let bounds = Bounds::of(surface.positions);
            let centre = (bounds.min + bounds.max) * 0.5;
            let place = centre - middle;
            let [shift, turn] = [0, 3].map(|lane| direction(body as u64, lane, attempt));
            // Growth differs in sign and size between any two bodies of a small group.
            let growth = 1.0 + size * fraction(body as u64, 6, attempt);
            let rotation = DQuat::from_scaled_axis(turn * size);
            let move_point = |point: &DVec3| {
                place + rotation * ((*point - centre) * growth) + shift * (size * extent)
            };
            surface.positions.iter().map(move_point).collect()
        })
        .collect()
}

fn direction(body: u64, lane: u64, attempt: i32) -> DVec3 {
    let [x, y, z] = [0, 1, 2].map(|k| fraction(body, lane + k, attempt));
    DVec3::new(x, y, z)
}

/// A fixed number in (-1, 1) for each body, lane and attempt (splitmix64).
fn fraction(body: u64, lane: u64, attempt: i32) -> f64 {
    let mut bits = (body * 16 + lane + 1).wrapping_add((attempt as u64) << 40);
    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::cuboid;

    /// Every vertex moves, by no more than a few times the announced size, and bodies move differently.
    #[test]
    fn the_motion_is_tiny_and_different() {
        let mesh = cuboid(DVec3::splat(0.1), [2; 3]).unwrap();
        let surface = Surface { positions: &mesh.vertices, triangles: &mesh.triangles };
        let moved = nudged(&[surface, surface], 0);
        for (index, point) in mesh.vertices.iter().enumerate() {
            let by = moved[0][index] - *point;
            assert!(by.length() > 0.0 && by.length() < 5.0 * FIRST * 0.1);
            assert!(moved[0][index] != moved[1][index]);
        }
        assert_eq!(moved, nudged(&[surface, surface], 0));
    }
}

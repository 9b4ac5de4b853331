//! A wet film between surfaces: it fills gaps up to its thickness, and is not air.
//!
//! To sealing it is like more contact distance: a look takes contact distance and film for the skin of all walls. But
//! where walls come closer than the film is thick, the liquid has been pressed out, and less is missing from the volume inside
//! the walls. How much, the gaps at the vertices that seal say, in every step.
//!
//! The liquid weighs nothing, pulls nothing together (no meniscus forces), and is not used up.

use super::found::Found;

/// The touching part of a cavity, shared out to the vertices that seal there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sheet {
    /// Body, vertex, and area between the walls, m2.
    shares: Vec<(usize, u32, f64)>,
}

impl Sheet {
    /// `seals(body, vertex)` says which vertices seal; `triangle(body, index)` gives the vertices of a surface triangle.
    pub(super) fn of(
        cavity: &Found,
        seals: impl Fn(usize, u32) -> bool,
        triangle: impl Fn(usize, u32) -> Option<[u32; 3]>,
    ) -> Self {
        let (mut touching, mut known) = (0.0, 0.0);
        let mut shares: Vec<(usize, u32, f64)> = Vec::new();
        for patch in cavity.patches.iter().filter(|p| p.touching) {
            let area = patch.area.length();
            touching += area;
            let vertices = triangle(patch.body, patch.triangle).into_iter().flatten();
            let near = vertices.zip(patch.centre()).filter(|(v, _)| seals(patch.body, *v));
            let near: Vec<(u32, f64)> = near.collect();
            let weight: f64 = near.iter().map(|(_, w)| w).sum();
            if weight > 0.0 {
                known += area;
                shares.extend(near.iter().map(|(v, w)| (patch.body, *v, area * w / weight)));
            }
        }
        // A large triangle has no vertex in the seal; the wall on the other side knows. Each wall has half of the gap.
        shares.iter_mut().for_each(|(.., share)| *share *= 0.5 * touching / known);
        shares.sort_by_key(|(body, vertex, _)| (*body, *vertex));
        shares.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        Self { shares }
    }

    /// What a film of this thickness (m) does not take of the volume inside the walls, because it was pressed out, m3;
    /// `gap(body, vertex)` is the gap beyond the contact distance, m.
    pub(super) fn pressed_out(&self, thickness: f64, gap: impl Fn(usize, u32) -> f64) -> f64 {
        let missing = |body, vertex| thickness - gap(body, vertex).clamp(0.0, thickness);
        self.shares.iter().map(|(body, vertex, area)| area * missing(*body, *vertex)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cavity::{Patch, Wall};
    use cupule_geometry::DVec3;

    #[test]
    fn film_that_was_pressed_out_is_counted_once_by_the_side_that_sees_it() {
        // A fine side of two triangles with 2 um and 6 um left of 10 um, before one large triangle without a vertex
        // there: 8 um and 4 um are missing over 3 mm2 each.
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let patch = |body, triangle, mm2: f64| {
            let area = DVec3::Z * mm2 * 1e-6;
            Patch { body, triangle, corners, touching: true, area }
        };
        let patches = vec![patch(0, 0, 3.0), patch(0, 1, 3.0), patch(1, 0, 6.0)];
        let cavity = Found { patches, wall: Wall::default() };
        let triangle = |_, index: u32| Some([3 * index, 3 * index + 1, 3 * index + 2]);
        let sheet = Sheet::of(&cavity, |body, _| body == 0, triangle);
        let gap = |_, vertex| if vertex < 3 { 2e-6 } else { 6e-6 };
        let volume = sheet.pressed_out(1e-5, gap);
        assert!((volume / 36e-12 - 1.0).abs() < 1e-12, "{volume}");
        // Where nothing is pressed out, nothing is given back.
        assert_eq!(sheet.pressed_out(1e-5, |_, _| 5e-5), 0.0);
    }
}

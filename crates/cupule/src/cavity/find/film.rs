//! A wet film between surfaces: it fills gaps up to its thickness, and is not air.
//!
//! To sealing it is like more contact distance: detection takes contact distance and film for the skin of all walls. But
//! where walls come closer than the film is thick, the liquid has been pressed out, and less is missing from the volume inside
//! the walls. The gaps over the touching parts say how much, in every step.
//!
//! The liquid weighs nothing, pulls nothing together (no meniscus forces), and is not used up.

use super::detected::{DetectedCavity, Patch};

/// A touching part of a cavity's wall.
#[derive(Debug, Clone, PartialEq)]
struct FilmPatch {
    body: usize,
    vertices: [u32; 3],
    /// Barycentric centre of the part.
    centre: [f64; 3],
    /// m2
    area: f64,
}

/// The film on the touching parts of a cavity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TouchingFilm {
    parts: Vec<FilmPatch>,
}

impl TouchingFilm {
    /// `triangle(body, index)` gives the vertices of a surface triangle.
    pub fn of(cavity: &DetectedCavity, triangle: impl Fn(usize, u32) -> Option<[u32; 3]>) -> Self {
        let part = |patch: &Patch| {
            let vertices = triangle(patch.body, patch.triangle)?;
            Some(FilmPatch {
                body: patch.body,
                vertices,
                centre: patch.centre(),
                area: patch.area.length(),
            })
        };
        let touching = cavity.patches.iter().filter(|p| p.touching);
        Self { parts: touching.filter_map(part).collect() }
    }

    /// What a film of this thickness (m) does not take of the volume inside the walls, because it was pressed out, m3;
    /// `gap(body, vertex)` is the gap beyond the contact distance, m, infinite out of reach.
    pub fn pressed_out(&self, thickness: f64, gap: impl Fn(usize, u32) -> f64) -> f64 {
        let (mut touching, mut known, mut missing) = (0.0, 0.0, 0.0);
        for part in &self.parts {
            touching += part.area;
            let gaps = part.vertices.map(|vertex| gap(part.body, vertex));
            if gaps.iter().all(|gap| gap.is_finite()) {
                let at_centre: f64 = gaps.iter().zip(part.centre).map(|(g, w)| g * w).sum();
                known += part.area;
                missing += part.area * (thickness - at_centre.clamp(0.0, thickness));
            }
        }
        // A large triangle has corners far from the seal; the wall on the other side knows. Each wall has half of the gap.
        if known > 0.0 { 0.5 * missing * touching / known } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cavity::Wall;
    use cupule_geometry::DVec3;

    const WHOLE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn film(parts: &[(usize, u32, [[f64; 3]; 3], f64)]) -> TouchingFilm {
        let patch = |&(body, triangle, corners, mm2): &(usize, u32, [[f64; 3]; 3], f64)| Patch {
            body,
            triangle,
            corners,
            touching: true,
            area: DVec3::Z * mm2 * 1e-6,
        };
        let cavity =
            DetectedCavity { patches: parts.iter().map(patch).collect(), wall: Wall::default() };
        TouchingFilm::of(&cavity, |_, index| Some([3 * index, 3 * index + 1, 3 * index + 2]))
    }

    #[test]
    fn film_that_was_pressed_out_is_counted_once_by_the_side_that_sees_it() {
        // A fine side of two triangles with 2 um and 6 um left of 10 um, before one large triangle without a vertex
        // there: 8 um and 4 um are missing over 3 mm2 each.
        let film = film(&[(0, 0, WHOLE, 3.0), (0, 1, WHOLE, 3.0), (1, 0, WHOLE, 6.0)]);
        let gap = |body, vertex| match (body, vertex) {
            (1, _) => f64::INFINITY,
            (_, 0..3) => 2e-6,
            _ => 6e-6,
        };
        let volume = film.pressed_out(1e-5, gap);
        assert!((volume / 36e-12 - 1.0).abs() < 1e-12, "{volume}");
        // Where nothing is pressed out, nothing is given back.
        assert_eq!(film.pressed_out(1e-5, |_, _| 5e-5), 0.0);
    }

    #[test]
    fn a_part_that_the_border_cuts_has_the_gap_of_where_it_is() {
        // The gap rises from 0 at one corner to 20 um at the others. A tenth of the way from it, the part around that corner has a
        // centre with 2/3 of 2 um, and grows with the border without a jump, whichever corners seal.
        let part = |share: f64| {
            let at =
                |k: usize| [0, 1, 2].map(|i| (1.0 - share) * WHOLE[0][i] + share * WHOLE[k][i]);
            film(&[(0, 0, [at(0), at(1), at(2)], share * share)])
        };
        let gap = |_, vertex| if vertex == 0 { 0.0 } else { 2e-5 };
        let expected = |share: f64| 0.5 * share * share * 1e-6 * (1e-5 - 2e-5 * share * 2.0 / 3.0);
        for share in [0.1, 0.5, 0.7] {
            let volume = part(share).pressed_out(1e-5, gap);
            assert!((volume / expected(share) - 1.0).abs() < 1e-9, "{share}: {volume}");
        }
    }
}

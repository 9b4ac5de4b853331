//! The last look at a group of bodies, and whether it still holds.

use super::found::Found;
use super::fringe::{Fringe, GapField};
use super::glance::{Glance, Manner, Rough, Touching, held};
use super::look::{BodySurface, Distances, Sight};
use cupule_geometry::{DVec3, GeometryError};

/// What a glance came to.
pub(super) enum Look {
    /// Nothing that matters has changed; the gaps, m.
    Same(Vec<Vec<f64>>),
    /// A new look was taken.
    New(Memory),
}

/// The last look at a group of bodies.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    pub bodies: Vec<usize>,
    pub touching: Touching,
    /// What opens only at the opening distance: what touches, and the rest of the triangles that seal.
    pub held: Touching,
    /// Gap of every vertex of every body, m.
    pub gaps: Vec<Vec<f64>>,
    /// Body of the group that every vertex is nearest to.
    pub partners: Vec<Vec<Option<u32>>>,
    pub sight: Sight,
    /// The borders of everything seen, what is open first.
    fringes: Vec<Fringe>,
}

/// A new look at a group, or none where the last one still holds.
pub(super) fn look_again(
    group: &[BodySurface],
    memory: Option<&Memory>,
    distances: &Distances,
    manner: Manner,
    x: &[DVec3],
    rough: &Rough,
) -> Result<Look, GeometryError> {
    let glance = Glance::new(group, distances, memory.map(|m| &m.held), rough)?;
    let (touching, gaps) = (glance.touching.clone(), glance.gaps().to_vec());
    let (partners, levels) = (glance.partners().to_vec(), glance.levels().to_vec());
    let field = GapField { gaps: &gaps, levels: &levels };
    if memory.is_some_and(|m| m.touching == touching && m.still_fits(x, field)) {
        return Ok(Look::Same(gaps));
    }
    let before = memory.map_or(&[][..], |m| &m.sight.open);
    let sight = glance.look(distances, manner, before)?;
    let fringe = |f: &Found| Fringe::new(f, group, field, x, distances);
    let fringes = sight.open.iter().chain(&sight.flat).map(fringe).collect();
    let bodies = group.iter().map(|b| b.body).collect();
    let held = held(group, &touching, &gaps, &sight);
    Ok(Look::New(Memory { bodies, touching, held, gaps, partners, sight, fringes }))
}

impl Memory {
    pub fn is_of(&self, group: &[BodySurface]) -> bool {
        self.bodies.iter().eq(group.iter().map(|b| &b.body))
    }

    pub fn seals(&self, body: usize, vertex: u32) -> bool {
        let place = self.bodies.iter().position(|b| *b == body);
        place.is_some_and(|place| self.touching[place].get(vertex as usize) == Some(&true))
    }

    pub fn gap(&self, body: usize, vertex: u32) -> Option<f64> {
        gap_of(&self.bodies, &self.gaps, body, vertex)
    }

    /// Whether no border has moved too far.
    fn still_fits(&self, x: &[DVec3], field: GapField) -> bool {
        let seen = self.sight.open.iter().chain(&self.sight.flat);
        !seen.zip(&self.fringes).any(|(found, fringe)| fringe.is_stale(found, field, x))
    }
}

/// Gap (m) of a vertex of one of the bodies of a group.
pub(super) fn gap_of(bodies: &[usize], gaps: &[Vec<f64>], body: usize, vertex: u32) -> Option<f64> {
    let place = bodies.iter().position(|b| *b == body)?;
    gaps[place].get(vertex as usize).copied()
}

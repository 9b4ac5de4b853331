//! The last look at a group of bodies, and whether it still holds.
//!
//! Hysteresis: a vertex closes when its own gap falls to the sealing distance, and opens at twice that. Where a ring seals, it seals or
//! opens as one: the other corners of its triangles are held with those that have closed. A corner that is merely held takes no
//! others along, and rings that enclose nothing hold no corners; otherwise what seals would creep, a triangle a look, over every gap below
//! twice the sealing distance, and close rings that never came near enough.

use super::apart::{Manners, look_closely};
use super::film::Sheet;
use super::found::{Found, Patch};
use super::fringe::{Fringe, GapField};
use super::glance::{Glance, Manner, Rough, Touching};
use super::look::{BodySurface, Distances, Sight};
use super::track::Cavity;
use crate::solver::Walls;
use cupule_geometry::{DVec3, GeometryError};

/// What a glance came to.
pub(super) enum Look {
    /// Nothing that matters has changed.
    Same(Now),
    /// A new look was taken.
    New(Memory),
}

/// What changes while a look holds.
pub(super) struct Now {
    /// Gap of every vertex of every body, m.
    pub gaps: Vec<Vec<f64>>,
    /// What closed by its own gap and has not opened since.
    pub closed: Touching,
}

/// The last look at a group of bodies.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    pub bodies: Vec<usize>,
    pub touching: Touching,
    /// What closed by its own gap and has not opened since.
    pub closed: Touching,
    /// What opens only at the opening distance: what closed, and the rest of the triangles of a ring that seals.
    pub held: Touching,
    /// Gap of every vertex of every body, m.
    pub gaps: Vec<Vec<f64>>,
    /// Body of the group that every vertex is nearest to.
    pub partners: Vec<Vec<Option<u32>>>,
    pub sight: Sight,
    /// The borders of everything seen, what is open first.
    fringes: Vec<Fringe>,
}

/// What is known of the bodies of a group from the last looks at them, in whatever company they were.
#[derive(Debug, Default)]
pub(super) struct Past<'a> {
    /// The last look at just these bodies.
    pub memory: Option<&'a Memory>,
    /// What had closed, and what was held.
    closed: Touching,
    pub held: Touching,
    /// The cavities that these bodies bounded.
    pub cavities: Vec<&'a Found>,
}

impl<'a> Past<'a> {
    /// The past of a group, of all looks and cavities.
    pub fn of(group: &[BodySurface], memories: &'a [Memory], cavities: &'a [Cavity]) -> Self {
        let known = |body: usize, of: fn(&Memory) -> &Touching| {
            let memory = memories.iter().find_map(|m| Some((m, m.place(body)?)));
            memory.map_or(Vec::new(), |(m, place)| of(m)[place].clone())
        };
        let all = |of: fn(&Memory) -> &Touching| group.iter().map(|b| known(b.body, of)).collect();
        let bounds = |found: &&Found| {
            let is_of = |patch: &Patch| group.iter().any(|b| b.body == patch.body);
            found.patches.iter().any(is_of)
        };
        Self {
            memory: memories.iter().find(|m| m.is_of(group)),
            closed: all(|m| &m.closed),
            held: all(|m| &m.held),
            cavities: cavities.iter().map(|c| &c.found).filter(bounds).collect(),
        }
    }

    /// What has closed by its own gap (m) and not opened since.
    fn closed_now(&self, gaps: &[Vec<f64>], distances: &Distances) -> Touching {
        let closed = |body: usize, vertex: usize, gap: f64| {
            let before = self.closed[body].get(vertex).copied().unwrap_or(false);
            gap <= if before { distances.opening() } else { distances.closing() }
        };
        let of_body = |(body, gaps): (usize, &Vec<f64>)| {
            gaps.iter().enumerate().map(|(vertex, gap)| closed(body, vertex, *gap)).collect()
        };
        gaps.iter().enumerate().map(of_body).collect()
    }
}

/// A new look at a group, or none where the last one still holds.
pub(super) fn look_again(
    group: &[BodySurface],
    past: &Past,
    distances: &Distances,
    manner: Manner,
    x: &[DVec3],
    rough: &Rough,
) -> Result<Look, GeometryError> {
    let glance = Glance::new(group, distances, &past.held, rough)?;
    let (touching, gaps) = (glance.touching.clone(), glance.gaps().to_vec());
    let (partners, levels) = (glance.partners().to_vec(), glance.levels().to_vec());
    let field = GapField { gaps: &gaps, levels: &levels };
    let closed = past.closed_now(&gaps, distances);
    if past.memory.is_some_and(|m| m.touching == touching && m.still_fits(x, field)) {
        return Ok(Look::Same(Now { gaps, closed }));
    }
    let (held, before) = (&past.held, &past.cavities[..]);
    let manners = Manners { distances, manner, rough, held, before };
    let sight = look_closely(glance, group, manners)?;
    let volume = |f: &Found| f.wall.volume(x) + pressed_out(f, group, &gaps, distances);
    let fringe = |f: &Found| Fringe::new(f, group, field, x, volume(f), distances.sealing);
    let fringes = sight.open.iter().chain(&sight.flat).map(fringe).collect();
    let bodies = group.iter().map(|b| b.body).collect();
    let held = closed.clone();
    Ok(Look::New(Memory { bodies, touching, closed, held, gaps, partners, sight, fringes }))
}

/// What a wet film does not take of the volume of a cavity, m3.
fn pressed_out(
    found: &Found,
    group: &[BodySurface],
    gaps: &[Vec<f64>],
    distances: &Distances,
) -> f64 {
    if distances.film == 0.0 {
        return 0.0;
    }
    let place = |body: usize| group.iter().position(|b| b.body == body);
    let triangle = |body, index: u32| Some(group[place(body)?].triangles[index as usize]);
    let gap = |body, vertex: u32| {
        let gap = place(body).map_or(f64::INFINITY, |place| gaps[place][vertex as usize]);
        gap - (distances.contact - distances.film)
    };
    Sheet::of(found, triangle).pressed_out(distances.film, gap)
}

impl Memory {
    pub fn is_of(&self, group: &[BodySurface]) -> bool {
        self.bodies.iter().eq(group.iter().map(|b| &b.body))
    }

    fn place(&self, body: usize) -> Option<usize> {
        self.bodies.iter().position(|b| *b == body)
    }

    pub fn gap(&self, body: usize, vertex: u32) -> Option<f64> {
        self.gaps[self.place(body)?].get(vertex as usize).copied()
    }

    /// Whether no border has moved too far.
    fn still_fits(&self, x: &[DVec3], field: GapField) -> bool {
        let seen = self.sight.open.iter().chain(&self.sight.flat);
        !seen.zip(&self.fringes).any(|(found, fringe)| fringe.is_stale(found, field, x))
    }
}

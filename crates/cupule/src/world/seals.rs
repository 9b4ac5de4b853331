//! Which bodies that were pressed together enclosed air, and where the ring of the others stayed open.
//!
//! For a pair that has not sealed yet, the surfaces at the moment at which it was pressed the hardest are kept; the place
//! is looked for only when somebody asks.

use super::{BodyId, Memory, World};
use crate::cavity::{BodySurface, Breach, find_breach};
use crate::report::StepReport;
use cupule_geometry::DVec3;
use std::collections::BTreeMap;

/// A pair counts as pressed harder when its force has grown by this factor: surfaces are not copied at every step.
const HARDER: f64 = 1.02;

/// What is known of a pair of bodies that were pressed together.
#[derive(Debug, Clone)]
enum Pair {
    /// They enclosed air, with or without others.
    Sealed,
    /// They have not yet; as they were when pressed the hardest.
    Open(Pressed),
}

#[derive(Debug, Clone)]
struct Pressed {
    time: f64,
    /// Sum of normal forces, N.
    force: f64,
    /// Vertices of the surfaces, m.
    positions: [Vec<DVec3>; 2],
}

/// Pairs of bodies, the lower index first.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs(BTreeMap<[usize; 2], Pair>);

/// Whether two bodies that were pressed together enclosed air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SealReport {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Whether they ever enclosed air, with or without others.
    pub sealed: bool,
    /// When a pair that did not seal was pressed the hardest, s.
    pub time: f64,
    /// The place that kept it open then; none where there is no hollow between the two, as between two flat faces.
    pub breach: Option<Breach>,
}

impl World {
    /// Keeps who sealed, and how those who did not were pressed.
    pub(super) fn watch_seals(&mut self, report: &StepReport) {
        let mut forces: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for contact in &report.contacts {
            let [a, b] = contact.bodies;
            let encloses = |i: usize| self.assembly.bodies[i].encloses_air();
            if a != b && encloses(a) && encloses(b) {
                *forces.entry([a.min(b), a.max(b)]).or_default() +=
                    contact.force.dot(contact.normal).max(0.0);
            }
        }
        let World { assembly, state, memory: Memory { pairs, .. }, air: Some(air), .. } = self
        else {
            return;
        };
        let may_seal = |[a, b]: [usize; 2]| air.may_seal(a, b);
        for (pair, force) in forces.into_iter().filter(|(pair, f)| *f > 0.0 && may_seal(*pair)) {
            let harder = match pairs.0.get(&pair) {
                None => true,
                Some(Pair::Sealed) => false,
                Some(Pair::Open(pressed)) => force > HARDER * pressed.force,
            };
            if harder {
                let at = |body: usize| assembly.bodies[body].surface_at(&state.at.points);
                let positions = pair.map(at);
                let pressed = Pressed { time: report.time, force, positions };
                pairs.0.insert(pair, Pair::Open(pressed));
            }
        }
        for cavity in &report.cavities {
            for (i, a) in cavity.bodies.iter().enumerate() {
                for b in &cavity.bodies[i + 1..] {
                    pairs.0.insert([*a.min(b), *a.max(b)], Pair::Sealed);
                }
            }
        }
    }

    /// Of all bodies that were pressed together so far: whether they enclosed air, and what kept the others open.
    pub fn seals(&self) -> Vec<SealReport> {
        let Some(air) = &self.air else { return Vec::new() };
        let report = |(pair, known): (&[usize; 2], &Pair)| {
            let bodies = pair.map(BodyId);
            let Pair::Open(pressed) = known else {
                return SealReport { bodies, sealed: true, time: 0.0, breach: None };
            };
            let surface = |side: usize| {
                let (body, at) = (pair[side], &self.assembly.bodies[pair[side]]);
                let (points, triangles) = (&at.surface.points[..], &at.surface.triangles[..]);
                let positions = &pressed.positions[side];
                BodySurface { body, points, triangles, positions, folds: false }
            };
            let breach = find_breach(&[surface(0), surface(1)], &air.distances());
            SealReport { bodies, sealed: false, time: pressed.time, breach }
        };
        self.memory.pairs.0.iter().map(report).collect()
    }
}

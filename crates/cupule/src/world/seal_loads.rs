//! What presses on the seals of cavities at the end of a step.

use super::moment::Moment;
use crate::cavity::SealLoads;
use crate::settings::VentLimit;
use crate::solver::{Outcome, WorldContact};

/// The end of a step, as limits of cavities ask for it.
pub(super) struct EndOfStep<'a> {
    moment: Moment<'a>,
    /// Normal contact force on every vertex of every surface, N; empty where nobody asks.
    forces: Vec<Vec<f64>>,
}

impl<'a> EndOfStep<'a> {
    pub(super) fn new(
        moment: Moment<'a>,
        limit: &VentLimit,
        contacts: &[WorldContact],
        outcome: &Outcome,
    ) -> Self {
        let mut forces = Vec::new();
        if *limit == VentLimit::Seal {
            forces =
                moment.assembly.bodies.iter().map(|b| vec![0.0; b.surface.points.len()]).collect();
            for (WorldContact { contact, .. }, force) in contacts.iter().zip(&outcome.forces) {
                for stencil in [&contact.a, &contact.b] {
                    let on_body = &mut forces[stencil.surface as usize];
                    for i in 0..usize::from(stencil.count) {
                        on_body[stencil.vertices[i] as usize] += stencil.weights[i] * force.x;
                    }
                }
            }
        }
        Self { moment, forces }
    }
}

impl SealLoads for EndOfStep<'_> {
    fn contact_force(&self, body: usize, vertex: u32) -> f64 {
        let on_body = self.forces.get(body);
        on_body.and_then(|f| f.get(vertex as usize)).copied().unwrap_or(0.0)
    }

    fn elastic_energy(&self, body: usize) -> f64 {
        let points = &self.moment.state.at.points;
        let soft = self.moment.assembly.model.soft.iter().filter(|s| s.body == body);
        soft.map(|s| s.elements.energy(&points[s.points.clone()])).sum()
    }
}

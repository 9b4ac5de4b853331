//! Solvers. Each takes the same view of the world and returns the same outcome; neither knows a concrete body, material,
//! scene or the other solver.
//!
//! `ncp`: complementarity in one linear solve and Gauss-Seidel sweeps (physics after 000 and 001). The incremental-potential
//! solver takes its place beside it.

pub mod ncp;

use crate::contact::Contact;
use crate::law::Resolve;
use crate::mapping::Frame;
use crate::model::Configuration;
use crate::report::Residual;
use cupule_geometry::DVec3;
use std::sync::Arc;
use thiserror::Error;

/// A contact with its stencils over world points and its law.
#[derive(Debug, Clone)]
pub struct Touch {
    /// What the detector found.
    pub contact: Contact,
    /// Points and signed weights: the measure is sum weight * x, positive on the first body.
    pub points: Vec<(usize, f64)>,
    /// Its law.
    pub law: Arc<dyn Resolve>,
    /// Force on the first body at this contact in the last step, in the world, N.
    pub warm_start: DVec3,
    /// Slip that the last step's tolerance left at a sticking contact, m. It counts as slip of this step too, so that it is
    /// pulled back and a held object does not creep, however loose the tolerance.
    pub unwanted_slip: DVec3,
}

impl Touch {
    /// A vector of the contact frame (normal, tangent, tangent) in the world.
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.contact.normal);
        n * local.x + t1 * local.y + t2 * local.z
    }

    /// A vector of the world in the contact frame.
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.contact.normal);
        DVec3::new(n.dot(world), t1.dot(world), t2.dot(world))
    }
}

/// What a solver returns.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// End-of-step velocity of every block.
    pub velocities: Vec<DVec3>,
    /// Force of every touch in its frame (normal, tangent, tangent), N.
    pub forces: Vec<DVec3>,
    /// Gap (less the contact distance) and slip of every touch at the end of the step, m.
    pub measures: Vec<DVec3>,
    /// The same as the solver's linear model has them: how far its tolerance left them from the laws, m.
    pub solved_measures: Vec<DVec3>,
    /// Where everything is at the end of the step.
    pub end: Configuration,
    /// Constraint rows that took part.
    pub rows: usize,
    /// Sweeps or iterations.
    pub iterations: usize,
    /// Left violation.
    pub residual: Residual,
    /// Constraint force on tied points (index, N): what an attachment feels.
    pub reactions: Vec<(usize, DVec3)>,
}

/// Why a solver could not finish a step.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// The linear system of a body broke down.
    #[error("its system matrix lost positive definiteness")]
    Factor {
        /// The body.
        body: usize,
    },
    /// Velocities are no longer finite, or absurd.
    #[error("its velocity reached {speed:.3e} m/s")]
    Diverged {
        /// The body.
        body: usize,
        /// Largest speed, m/s.
        speed: f64,
    },
}

/// The frame of a contact: normal and two tangents.
pub fn contact_frame(normal: DVec3) -> [DVec3; 3] {
    let [t1, t2] = crate::math::tangents(normal);
    [normal, t1, t2]
}

/// Adds to `row` the blocks through which the points move the measure along `direction`.
pub(crate) fn block_row(
    ties: &[crate::mapping::Tie],
    frames: &[Frame],
    points: &[(usize, f64)],
    direction: DVec3,
) -> Vec<(usize, DVec3)> {
    let mut row: Vec<(usize, DVec3)> = Vec::new();
    for &(point, weight) in points {
        crate::mapping::for_each_block(ties, frames, point, &mut |block, j| {
            let coefficient = j.transpose() * direction * weight;
            match row.iter_mut().find(|(b, _)| *b == block) {
                Some((_, c)) => *c += coefficient,
                None => row.push((block, coefficient)),
            }
        });
    }
    row
}

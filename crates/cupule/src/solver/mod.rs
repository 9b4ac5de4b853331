//! Solvers. Each takes the same view of the world and returns the same outcome; neither knows a concrete body, material,
//! scene or the other solver.
//!
//! `ncp`: complementarity in one linear solve and Gauss-Seidel sweeps (after Bernardin et al. 2022). `ipc`: the minimum of an incremental
//! potential, with a barrier (after Li et al. 2020).

pub mod ipc;
pub mod ncp;

use crate::contact::Contact;
use crate::integrator::TimeStep;
use crate::law::{ContactLaw, ElasticBond, Gas, Laws};
use crate::mapping::Frame;
use crate::model::{Configuration, Loads, Model};
use crate::report::Residual;
use crate::settings::Settings;
use crate::sparse::FactorError;
use cupule_geometry::DVec3;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// Something between two bodies with a measure of three numbers (gap, slip, slip) and a law: a contact or a bond.
#[derive(Debug, Clone)]
pub struct Touch {
    /// Points and signed weights: the measure is sum weight * x, positive on the first body.
    pub points: Vec<(usize, f64)>,
    /// Unit normal, from the second body to the first.
    pub normal: DVec3,
    /// How far apart its bodies are to be at the end of the step, m: the contact distance, or as near to it as bodies that start too
    /// close can be brought in a step without being thrown.
    pub distance: f64,
    /// Its law.
    pub law: Arc<dyn ContactLaw>,
    /// Force on the first body in the last step, in the world, N.
    pub warm_start: DVec3,
    /// Slip that counts as slip of this step, m. Of a sticking contact, what the last step's tolerance left, so that it is pulled back
    /// and a held object does not creep, however loose the tolerance. Of a bond, its tangential displacement so far.
    pub slip_before: DVec3,
}

impl Touch {
    /// A vector of its frame (normal, tangent, tangent) in the world.
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.normal);
        n * local.x + t1 * local.y + t2 * local.z
    }

    /// How its surfaces slide along each other, m/s, with points at these velocities.
    pub fn slip_velocity(&self, velocities: &[DVec3]) -> DVec3 {
        let velocity: DVec3 = self.points.iter().map(|&(p, w)| velocities[p] * w).sum();
        velocity.reject_from_normalized(self.normal)
    }

    /// A vector of the world in its frame.
    pub fn to_local(&self, world: DVec3) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.normal);
        DVec3::new(n.dot(world), t1.dot(world), t2.dot(world))
    }
}

/// A contact as the detector found it, and what a solver sees of it.
#[derive(Debug, Clone)]
pub struct WorldContact {
    /// What the detector found.
    pub contact: Contact,
    /// The same over world points, with its law and its past.
    pub touch: Touch,
}

/// A bond between a vertex of one body and a material point of a triangle of another (or of the same) body, for one step. Bonds are no
/// contacts: they pull, reach beyond the alarm distance, and are neither merged nor gathered in patches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bond {
    /// World points: the vertex, then the corners of the triangle.
    pub points: [u32; 4],
    /// 1, and minus the barycentric coordinates of the point of the triangle: the opening is sum weight * x.
    pub weights: [f64; 4],
    /// The triangle's normal at the start of the step, towards the vertex.
    pub normal: DVec3,
    /// Opening along the normal up to which it does not pull, m: the contact distance.
    pub distance: f64,
    /// Tangential displacement at the start of the step, m.
    pub displacement: DVec3,
    /// Its law.
    pub law: ElasticBond,
}

impl Bond {
    /// The opening with points at `x`, m.
    pub fn opening(&self, x: &[DVec3]) -> DVec3 {
        self.points.iter().zip(self.weights).map(|(p, w)| x[*p as usize] * w).sum()
    }

    /// Its measure in the frame of its normal (gap, tangent, tangent) if the step goes from `start` to `end` (places of points), m.
    pub fn measure(&self, start: &[DVec3], end: &[DVec3]) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.normal);
        let (from, to) = (self.opening(start), self.opening(end));
        let across = to - from + self.displacement;
        DVec3::new(n.dot(to) - self.distance, t1.dot(across), t2.dot(across))
    }

    /// A vector of its frame in the world.
    pub fn to_world(&self, local: DVec3) -> DVec3 {
        let [n, t1, t2] = contact_frame(self.normal);
        n * local.x + t1 * local.y + t2 * local.z
    }

    /// The bond as a touch, in a step that starts with points at `start` (m).
    pub(crate) fn touch(&self, start: &[DVec3]) -> Touch {
        let force = self.law.force(self.measure(start, start));
        Touch {
            points: self.points.iter().map(|p| *p as usize).zip(self.weights).collect(),
            normal: self.normal,
            distance: self.distance,
            law: Arc::new(self.law),
            warm_start: self.to_world(force),
            slip_before: self.displacement,
        }
    }
}

/// The air of a cavity, or of a vessel with stiff walls, for one step: its measure is its volume.
#[derive(Debug, Clone)]
pub struct Chamber {
    /// How it is measured; none for stiff walls.
    pub walls: Option<Arc<dyn Walls>>,
    /// Volume at the start of the step, m3.
    pub volume: f64,
    /// dV/dx at the start of the step, over world points, m2; each point once.
    pub gradient: Vec<(usize, DVec3)>,
    /// Its law, with what flows to places of fixed pressure do to it.
    pub gas: Gas,
    /// Tubes to other chambers.
    pub tubes: Vec<Tube>,
    /// Pressure at the start of the step, Pa.
    pub warm_start: f64,
}

/// A tube to another chamber of the same step. The other chamber has its twin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tube {
    /// The chamber at its other end.
    pub to: usize,
    /// h C, m3, for a conductance C (m3/s): the step moves the energy n R T = h C (P_there - P_here) (J) through it.
    pub swept: f64,
}

/// Something that encloses a volume as points move.
pub trait Walls: std::fmt::Debug + Send + Sync {
    /// The gas volume (m3) with all points of the world at these places (m).
    fn volume(&self, points: &[DVec3]) -> f64;
}

/// What is to be solved in one step: a read-only view, the same for both solvers. Contacts are not part of it: `ncp` takes those along
/// the free motion, `ipc` finds its own on the way; both ask `laws` how they behave.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// Points, ties, masses, elasticity.
    pub model: &'a Model,
    /// Where everything is, and the scheme of the step.
    pub step: &'a TimeStep<'a>,
    /// Gravity, forces, wrenches.
    pub loads: &'a Loads,
    /// How contacts behave.
    pub laws: Laws<'a>,
    /// Bonds.
    pub bonds: &'a [Bond],
    /// Air.
    pub chambers: &'a [Chamber],
    /// Tolerances and distances.
    pub settings: &'a Settings,
}

/// What a solver returns.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// End-of-step velocity of every block.
    pub velocities: Vec<DVec3>,
    /// Force of every touch in its frame (normal, tangent, tangent), N.
    pub forces: Vec<DVec3>,
    /// Gap (less the distance that the touch asks for) and slip of every touch at the end of the step, m.
    pub measures: Vec<DVec3>,
    /// The same as the solver's linear model has them: how far its tolerance left them from the laws, m.
    pub solved_measures: Vec<DVec3>,
    /// Force of every bond on its vertex, in the world, N.
    pub bond_forces: Vec<DVec3>,
    /// Absolute pressure of every chamber, Pa.
    pub pressures: Vec<f64>,
    /// Volume of every chamber at the end of the step, m3.
    pub volumes: Vec<f64>,
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
    /// The linear system has grown beyond memory: contact joins what elasticity does not.
    #[error("the system of bodies in contact is too large to be factored")]
    TooLarge,
    /// Velocities are no longer finite, or absurd.
    #[error("its velocity reached {speed:.3e} m/s")]
    Diverged {
        /// The body.
        body: usize,
        /// Largest speed, m/s.
        speed: f64,
    },
    /// A step made energy out of nothing.
    #[error("a step gained {:.0} % of its energy out of nothing", 100.0 * gain)]
    Energy {
        /// The body that is strained most, if any is.
        body: Option<usize>,
        /// What was gained, as a share of what moved and was stored.
        gain: f64,
    },
    /// A body is pushed into one after the other.
    #[error("it is pushed from one body into the next within a step; choose a shorter time step")]
    Pushed {
        /// The body.
        body: usize,
    },
    /// A pressure is not a number.
    #[error(
        "the pressure of {chamber} is not a number: look at its volumes, conductances and schedules"
    )]
    Pressure {
        /// A cavity or a line.
        chamber: String,
    },
    /// A cavity's volume fell to nothing.
    #[error(
        "{chamber} has no room left for its air: its walls are pressed closer than they are rough; \
         choose a larger gas.roughness, or a smaller contact_distance"
    )]
    NoRoom {
        /// The cavity.
        chamber: String,
    },
    /// Contacts could not be found.
    #[error("contacts could not be found: {cause}")]
    Contact {
        /// What went wrong.
        cause: String,
    },
    /// The air between bodies could not be found.
    #[error("the air between bodies could not be found: {cause}")]
    Air {
        /// What went wrong.
        cause: String,
    },
}

impl SolveError {
    /// A factorisation that failed, with the body of a block of its system.
    pub(crate) fn of_factor(error: FactorError, body: impl Fn(usize) -> usize) -> Self {
        match error {
            FactorError::NotPositive { block } => Self::Factor { body: body(block) },
            FactorError::TooLarge => Self::TooLarge,
        }
    }

    /// The body that is to blame, if it is one.
    pub fn body(&self) -> Option<usize> {
        match self {
            Self::Factor { body } | Self::Diverged { body, .. } | Self::Pushed { body } => {
                Some(*body)
            }
            Self::Energy { body, .. } => *body,
            Self::TooLarge
            | Self::Contact { .. }
            | Self::Air { .. }
            | Self::Pressure { .. }
            | Self::NoRoom { .. } => None,
        }
    }
}

/// A linear system that does not fit in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// The bodies that it is made of.
    pub bodies: Vec<usize>,
}

impl TooLarge {
    /// A system over these blocks.
    pub(crate) fn of(model: &Model, blocks: &[usize]) -> Self {
        let bodies: BTreeSet<usize> = blocks.iter().map(|b| model.body_of_block[*b]).collect();
        Self { bodies: bodies.into_iter().collect() }
    }
}

/// Nothing that holds on moves ten times as fast as a rifle bullet, m/s.
const ABSURD_SPEED: f64 = 1e4;

/// The first block whose velocity is no number or absurd, with its speed (m/s; of spins, rad/s, only the former counts).
pub(crate) fn absurd(
    velocities: impl Iterator<Item = (usize, DVec3)>,
    frames: &[Frame],
) -> Option<(usize, f64)> {
    let is_spin = |block: usize| frames.iter().any(|frame| frame.block + 1 == block);
    let speeds = velocities.map(|(block, velocity)| (block, velocity.length()));
    speeds
        .into_iter()
        .find(|(block, speed)| !speed.is_finite() || (*speed > ABSURD_SPEED && !is_spin(*block)))
}

/// The frame of a contact: normal and two tangents.
pub fn contact_frame(normal: DVec3) -> [DVec3; 3] {
    let [t1, t2] = crate::math::tangents(normal);
    [normal, t1, t2]
}

/// The blocks through which points move a measure: `gradient` is the measure's slope over each point.
pub(crate) fn block_row(
    ties: &[crate::mapping::Tie],
    frames: &[Frame],
    gradient: impl IntoIterator<Item = (usize, DVec3)>,
) -> Vec<(usize, DVec3)> {
    let gradient = gradient.into_iter();
    let mut row: Vec<(usize, DVec3)> = Vec::with_capacity(2 * gradient.size_hint().0);
    for (point, slope) in gradient {
        crate::mapping::for_each_block(ties, frames, point, &mut |block, j| {
            row.push((block, j.transpose() * slope));
        });
    }
    row.sort_by_key(|(block, _)| *block);
    row.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    row
}

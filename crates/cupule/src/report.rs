//! What every step tells: figures, not text. The recorder writes them, the world never does.

use crate::contact::Stencil;
use crate::event::Event;
use cupule_geometry::DVec3;

/// The parts of a step, in the order in which they run; an observer is told when each begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Forces, stiffness, factorisation and contact-free motion.
    FreeMotion,
    /// Proximity of surfaces.
    Collision,
    /// Air cavities.
    Cavities,
    /// Constraint rows and the compliance W.
    Compliance,
    /// Gauss-Seidel sweeps.
    Solve,
    /// Everything else: commit, sensors, report.
    Other,
}

/// Told which phase one thread is in. The physics has no clock; a watch may have one.
pub trait Watch: Send {
    /// `phase` begins now.
    fn enter(&mut self, phase: Phase);
}

/// Told what a step is doing.
pub trait Observer: Watch {
    /// Two watches for what goes on at the same time; each is dropped when its part is done.
    fn split(&mut self) -> [Box<dyn Watch + '_>; 2];
}

impl Watch for () {
    fn enter(&mut self, _phase: Phase) {}
}

impl Observer for () {
    fn split(&mut self) -> [Box<dyn Watch + '_>; 2] {
        [Box::new(()), Box::new(())]
    }
}

/// How far the accepted step is from satisfying every law.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Residual {
    /// Largest penetration, or slip of a sticking contact, m.
    pub gap_m: f64,
    /// Largest force that violates the friction cone or complementarity, N.
    pub force_n: f64,
    /// The same over the largest contact force of the step.
    pub force_share: f64,
    /// Largest relative error of the gas law.
    pub gas: f64,
}

impl Residual {
    /// The worse of two, figure by figure.
    pub fn worst(self, other: Self) -> Self {
        Self {
            gap_m: worse(self.gap_m, other.gap_m),
            force_n: worse(self.force_n, other.force_n),
            force_share: worse(self.force_share, other.force_share),
            gas: worse(self.gas, other.gas),
        }
    }
}

/// The larger of two figures that say how wrong something is. No number is worse than any, and stays: `f64::max` would drop it.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Energies of the whole world, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energy {
    /// Kinetic.
    pub kinetic: f64,
    /// Elastic.
    pub elastic: f64,
    /// Of weight, with zero at the origin.
    pub gravity: f64,
    /// Of trapped gas.
    pub gas: f64,
    /// Stored between bodies by contact laws that can, such as adhesion.
    pub interfaces: f64,
    /// Lost since the start: work of drives and wrenches less the change of the others.
    pub dissipated: f64,
}

/// Force and torque that an attachment exerts on the body it holds; torque about the attachment's present centre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force, N.
    pub force: DVec3,
    /// Torque, N m.
    pub torque: DVec3,
}

/// Where a body is and how it moves, as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyReport {
    /// Centre of mass (of a kinematic or static body: centroid of its vertices), m.
    pub centre: DVec3,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Linear momentum, kg m/s.
    pub momentum: DVec3,
    /// Angular momentum about the world's origin, kg m2/s.
    pub angular_momentum: DVec3,
    /// Sum of contact forces on it, N.
    pub contact_force: DVec3,
    /// Sum of gauge pressure on its walls of cavities, N.
    pub gas_force: DVec3,
    /// Sum of forces of bonds on it, N.
    pub bond_force: DVec3,
    /// Lowest point of its surface, m.
    pub lowest: f64,
    /// Highest point of its surface, m.
    pub highest: f64,
}

/// One contact of the accepted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactReport {
    /// The two bodies; the force acts on the first.
    pub bodies: [usize; 2],
    /// Where, m.
    pub at: DVec3,
    /// Unit normal, from the second body to the first.
    pub normal: DVec3,
    /// Force on the first body, N.
    pub force: DVec3,
    /// Gap less the contact distance at the end of the step, m.
    pub gap: f64,
    /// Slip during the step, m.
    pub slip: DVec3,
    /// Tributary area, m2.
    pub area: f64,
    /// The two material points, in the order of the bodies.
    pub points: [Stencil; 2],
}

/// A bond at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BondReport {
    /// The two bodies; the force acts on the first.
    pub bodies: [usize; 2],
    /// Where its vertex is, m.
    pub at: DVec3,
    /// Force on the first body, N.
    pub force: DVec3,
    /// Opening beyond the contact distance, m.
    pub opening: f64,
    /// Displacement across since it was made, m.
    pub displacement: DVec3,
}

/// One cavity at the end of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct CavityReport {
    /// Its number.
    pub id: u32,
    /// Absolute pressure, Pa.
    pub pressure: f64,
    /// Gas volume, m3.
    pub volume: f64,
    /// Amount of gas, mol.
    pub amount: f64,
    /// Area of all its walls, m2.
    pub area: f64,
    /// Area of the walls that touch, m2.
    pub touching_area: f64,
    /// Area (m2) through which gauge pressure would pull if it acted inside the inner border of the seal only: the open
    /// wall of the first body, as a plane figure.
    pub inner_area: f64,
    /// Area (m2) inside the outermost closed loop of touching contact likewise.
    pub outer_area: f64,
    /// Bodies that bound it.
    pub bodies: Vec<usize>,
    /// Whether no open part is left.
    pub flat: bool,
    /// Pressure above which its seal lets air out in the next step, Pa.
    pub limit: f64,
    /// Conductance of the gap of its seal to the outside, m3/s: n R T flows with C (P_atm - P). 0 where that is not asked for.
    pub seal_conductance: f64,
    /// |P V / (n R T) - 1| with the volume of the final positions (isothermal; polytropic likewise).
    pub gas_error: f64,
}

/// A value of a cavity: its name, and how to get it.
pub type CavityValue = (&'static str, fn(&CavityReport) -> f64);

impl CavityReport {
    /// What the series calls its values, and how to get them; columns are `cavity.<number>.<value>`.
    pub const VALUES: [CavityValue; 10] = [
        ("pressure_pa", |cavity| cavity.pressure),
        ("volume_m3", |cavity| cavity.volume),
        ("amount_mol", |cavity| cavity.amount),
        ("patch_m2", |cavity| cavity.area),
        ("touching_m2", |cavity| cavity.touching_area),
        ("inner_area_m2", |cavity| cavity.inner_area),
        ("outer_area_m2", |cavity| cavity.outer_area),
        ("limit_pa", |cavity| cavity.limit),
        ("seal_m3_s", |cavity| cavity.seal_conductance),
        ("gas_error", |cavity| cavity.gas_error),
    ];
}

/// A cable at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CableReport {
    /// Its length, m.
    pub length: f64,
    /// Its tension, N; 0 where it is slack.
    pub tension: f64,
}

/// A line of tubes at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineReport {
    /// Absolute pressure in its vessel, Pa.
    pub pressure: f64,
    /// Amount of gas in it, mol.
    pub amount: f64,
}

/// The figures of one accepted step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Length of the step, s (shorter than asked when the world had to halve it).
    pub time_step: f64,
    /// Gauss-Seidel sweeps (or Newton iterations).
    pub iterations: usize,
    /// Constraint rows.
    pub rows: usize,
    /// Contacts, in the order of their identities.
    pub contacts: Vec<ContactReport>,
    /// One per bond, in the order in which they were added.
    pub bonds: Vec<BondReport>,
    /// What is left of the laws' violation.
    pub residual: Residual,
    /// Deepest penetration of surfaces beyond touching (0 = none), m.
    pub max_penetration: f64,
    /// Pairs of triangles that intersect, counted exactly; none when not audited.
    pub intersecting_pairs: Option<usize>,
    /// Energies.
    pub energy: Energy,
    /// Elastic energy that the step made out of nothing, as a share of what moved, was stored and was worked; under `ipc` it is not
    /// told, because the barrier's part of the energy is not.
    pub elastic_gain: Option<f64>,
    /// One per body, in the order of the world.
    pub bodies: Vec<BodyReport>,
    /// One per attachment, in the order of the world.
    pub attachments: Vec<Wrench>,
    /// One per cable, in the order of the world.
    pub cables: Vec<CableReport>,
    /// Air cavities, in the order of their numbers.
    pub cavities: Vec<CavityReport>,
    /// Lines, in the order of the world.
    pub lines: Vec<LineReport>,
    /// Air since the start.
    pub moles: crate::cavity::Moles,
    /// How often cavities were detected since the start.
    pub detections: crate::cavity::DetectionCounts,
    /// Largest jump of a cavity's pressure because its wall was recomputed, relative to atmospheric pressure.
    pub redetection_jump: f64,
    /// What happened in this step.
    pub events: Vec<Event>,
    /// How many soft parts were factored in this step (parts that are glued to each other count as one); under `ipc` the number of Newton
    /// steps.
    pub factorisations: usize,
}

impl StepReport {
    /// The report of a step that was done in equal pieces, `done` of them in this report and one more in the next: what is at the
    /// end of it, forces as their means, so that they are what changed the momentum, what happened on the way, and the worst of
    /// what is left.
    pub(crate) fn followed_by(self, mut next: Self, done: u32) -> Self {
        let share = 1.0 / f64::from(done + 1);
        let mean = |before: DVec3, last: &mut DVec3| *last = before.lerp(*last, share);
        for (before, last) in self.bodies.iter().zip(&mut next.bodies) {
            mean(before.contact_force, &mut last.contact_force);
            mean(before.gas_force, &mut last.gas_force);
            mean(before.bond_force, &mut last.bond_force);
        }
        for (before, last) in self.attachments.iter().zip(&mut next.attachments) {
            mean(before.force, &mut last.force);
            mean(before.torque, &mut last.torque);
        }
        Self {
            residual: self.residual.worst(next.residual),
            elastic_gain: self.elastic_gain.zip(next.elastic_gain).map(|(a, b)| worse(a, b)),
            iterations: self.iterations + next.iterations,
            events: self.events.into_iter().chain(next.events).collect(),
            max_penetration: worse(self.max_penetration, next.max_penetration),
            intersecting_pairs: self.intersecting_pairs.max(next.intersecting_pairs),
            redetection_jump: worse(self.redetection_jump, next.redetection_jump),
            factorisations: self.factorisations + next.factorisations,
            ..next
        }
    }
}

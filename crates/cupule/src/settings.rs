//! What a run may choose about time, gravity, contact and the solver. Defaults suit parts of centimetres.

use cupule_geometry::DVec3;

/// How velocities and positions are advanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrator {
    /// First order, damps fast motion: a spin loses about (h omega)^2 of its angular momentum a step.
    #[default]
    BackwardEuler,
    /// Second order (two-step backward differentiation); the step after an impact is backward Euler,
    /// because a history that holds a velocity jump would throw the body back.
    Bdf2,
}

/// Everything that is not a body, a law or a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Time step h, s.
    pub time_step: f64,
    /// Gravity, m/s2.
    pub gravity: DVec3,
    /// Time integrator.
    pub integrator: Integrator,
    /// Surfaces closer than this are watched by the solver, m.
    pub alarm_distance: f64,
    /// Distance at which the solver holds surfaces apart, m.
    pub contact_distance: f64,
    /// Coulomb coefficient of pairs that have none of their own.
    pub friction: f64,
    /// A soft body is factored anew when an element has turned by more than this since the last factorisation,
    /// rad. Forces are always exact; only the stiffness is that old. 0 factors at every step.
    pub refactor_rotation: f64,
    /// Complementarity solver.
    pub ncp: NcpSettings,
}

/// When the Gauss-Seidel sweeps stop.
#[derive(Debug, Clone, PartialEq)]
pub struct NcpSettings {
    /// Largest violation of the gap and stick conditions, m.
    pub gap_tolerance: f64,
    /// Largest violation of the force conditions, relative to the largest contact force.
    pub force_tolerance: f64,
    /// Sweeps after which the step is accepted with the residual that it has; generous.
    pub max_sweeps: usize,
}

impl Default for NcpSettings {
    fn default() -> Self {
        Self { gap_tolerance: 2e-7, force_tolerance: 2e-4, max_sweeps: 4000 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 0.01,
            gravity: DVec3::new(0.0, 0.0, -9.81),
            integrator: Integrator::default(),
            alarm_distance: 2e-3,
            contact_distance: 2e-4,
            friction: 0.5,
            refactor_rotation: 0.01,
            ncp: NcpSettings::default(),
        }
    }
}

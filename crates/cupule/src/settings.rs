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

/// Which solver runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverChoice {
    /// Complementarity: one linear solve a step; fast.
    #[default]
    Ncp,
    /// Incremental potential: surfaces never intersect; safe.
    Ipc,
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
    /// A soft body is factored anew when an element, or a rigid body that it is glued to, has turned by more than this against the body as a whole
    /// (against the world, if it is driven) since the last factorisation, rad. Forces are always exact; only the stiffness is that old. 0 factors whatever has turned.
    pub refactor_rotation: f64,
    /// Which solver runs.
    pub solver: SolverChoice,
    /// Whether every step counts the triangles that intersect, exactly.
    pub audit: bool,
    /// Complementarity solver.
    pub ncp: NcpSettings,
    /// Incremental-potential solver.
    pub ipc: IpcSettings,
    /// Air between bodies; none where nothing traps air.
    pub air: Option<AirSettings>,
}

/// Which loop of a wide seal bounds the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ring {
    /// The outermost closed loop of touching contact: gauge pressure acts on the touching part too.
    #[default]
    Outer,
    /// The inner border of the touching part: gauge pressure acts on the open part only.
    Inner,
}

/// How enclosed air is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detector {
    /// As components of the union of thickened bodies.
    #[default]
    Union,
    /// By flood fill of the gap field; where it refuses (three bodies that meet along a line), by the union.
    Flood,
}

/// Above which pressure a seal lets air out.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum VentLimit {
    /// Atmospheric pressure.
    #[default]
    Atmosphere,
    /// A constant, Pa.
    Constant(f64),
    /// What the contact pressure along the weakest way out withstands.
    Seal,
    /// By the elastic energy (J) of the bodies around the cavity: gauge pressure (Pa), straight between the pairs and
    /// constant before and after.
    ElasticEnergy(crate::cavity::Schedule),
}

/// Air and how it gets through a seal.
#[derive(Debug, Clone, PartialEq)]
pub struct AirSettings {
    /// Atmospheric pressure, Pa.
    pub atmosphere: f64,
    /// Temperature, K.
    pub temperature: f64,
    /// Surfaces seal where their gap beyond the contact distance is below this, m; a sealed gap opens at twice this.
    pub sealing_distance: f64,
    /// Height of the roughness, m: the air that even touching surfaces hold.
    pub roughness: f64,
    /// Thickness of a wet film that fills gaps up to it, m: it seals, and is not air.
    pub film_thickness: f64,
    /// How enclosed air is found.
    pub detector: Detector,
    /// Which loop of a wide seal bounds the air.
    pub ring: Ring,
    /// Above which pressure a seal lets air out.
    pub limit: VentLimit,
    /// 1 isothermal, 1.4 adiabatic.
    pub exponent: f64,
    /// Air that leaks into every cavity, mol/s.
    pub leak_rate: f64,
    /// Conductance of every seal to the outside, m3/s: n R T flows with C (P_atm - P).
    pub leak_conductance: f64,
    /// Whether air creeps through the gaps of seals.
    pub viscous_leak: bool,
    /// Dynamic viscosity of air, Pa s.
    pub viscosity: f64,
    /// Whether every cavity is open to the outside: seals are found, but hold nothing.
    pub vented: bool,
}

impl Default for AirSettings {
    fn default() -> Self {
        Self {
            atmosphere: 101_325.0,
            temperature: 293.15,
            sealing_distance: 5e-5,
            roughness: 5e-6,
            film_thickness: 0.0,
            detector: Detector::default(),
            ring: Ring::default(),
            limit: VentLimit::default(),
            exponent: 1.0,
            leak_rate: 0.0,
            leak_conductance: 0.0,
            viscous_leak: false,
            viscosity: 1.81e-5,
            vented: false,
        }
    }
}

impl AirSettings {
    /// A setting that cannot be: its name, its value, and what it must be.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let positive = [
            ("gas.atmosphere", self.atmosphere, "positive (Pa)"),
            ("gas.temperature", self.temperature, "positive (K)"),
            ("gas.sealing_distance", self.sealing_distance, "positive (m)"),
            ("gas.viscosity", self.viscosity, "positive (Pa s)"),
        ];
        let not_negative = [
            ("gas.film_thickness", self.film_thickness, "0 or more (m)"),
            ("gas.roughness", self.roughness, "0 or more (m)"),
            ("gas.leak_rate", self.leak_rate, "0 or more (mol/s)"),
            ("gas.leak_conductance", self.leak_conductance, "0 or more (m3/s)"),
        ];
        let wrong = positive.into_iter().find(|(_, value, _)| !(*value > 0.0 && value.is_finite()));
        let wrong = wrong.or_else(|| {
            not_negative.into_iter().find(|(_, value, _)| !(*value >= 0.0 && value.is_finite()))
        });
        // A seal that let air out below atmospheric pressure would make a vacuum out of nothing.
        let limit =
            ("gas.vent_pressure", self.first_limit(), "at least that of the atmosphere (Pa)");
        let exponent = ("gas.exponent", self.exponent, "1 or more");
        wrong
            .or_else(|| (limit.1.is_nan() || limit.1 < self.atmosphere).then_some(limit))
            .or_else(|| (!(exponent.1 >= 1.0 && exponent.1.is_finite())).then_some(exponent))
    }

    /// R T, J/mol.
    pub fn thermal_energy(&self) -> f64 {
        crate::law::GAS_CONSTANT * self.temperature
    }

    /// Pressure above which a seal lets air out that has just closed, Pa: one that has to build up begins at atmospheric
    /// pressure.
    pub fn first_limit(&self) -> f64 {
        match self.limit {
            VentLimit::Constant(pressure) => pressure,
            VentLimit::Atmosphere | VentLimit::Seal | VentLimit::ElasticEnergy(_) => {
                self.atmosphere
            }
        }
    }
}

/// When the Gauss-Seidel sweeps stop.
#[derive(Debug, Clone, PartialEq)]
pub struct NcpSettings {
    /// Largest violation of the gap and stick conditions, m.
    pub gap_tolerance: f64,
    /// Largest violation of the force conditions, relative to the largest contact force.
    pub force_tolerance: f64,
    /// Largest deviation from a gas law, as a share of atmospheric pressure.
    pub gas_tolerance: f64,
    /// Sweeps after which a solve is accepted with the residual that it has; generous. A step may solve several times.
    pub max_sweeps: usize,
    /// Whether pressures are condensed into the contacts' blocks; off only to see what it saves.
    pub condense_pressure: bool,
    /// Whether Newton's method takes the rest of the way where sweeps are slow; off only to see what it saves.
    pub newton: bool,
    /// Contacts of two bodies within this distance of each other are solved as one, m; 0 solves each.
    pub contact_patch: f64,
}

impl Default for NcpSettings {
    fn default() -> Self {
        Self {
            gap_tolerance: 2e-7,
            force_tolerance: 2e-4,
            gas_tolerance: 1e-6,
            max_sweeps: 4000,
            condense_pressure: true,
            newton: true,
            contact_patch: 0.0,
        }
    }
}

/// How stiff the barrier is, and when Newton's method stops. The barrier begins at the contact distance.
#[derive(Debug, Clone, PartialEq)]
pub struct IpcSettings {
    /// kappa, Pa: the barrier carries 1.2 of it at half the contact distance.
    pub barrier_stiffness: f64,
    /// eps_v, m/s: contacts that slip more slowly stick; under a load T they creep with eps_v (1 - sqrt(1 - T / (mu N))).
    pub stick_speed: f64,
    /// Largest speed (m/s) by which the last Newton step may still change any point.
    pub tolerance: f64,
    /// Largest force that may be left unbalanced at a node, relative to the largest force there is.
    pub force_tolerance: f64,
    /// Newton steps after which the step is accepted with the residual that it has; generous.
    pub max_iterations: usize,
    /// With what modulus (Pa) a rigid body, which runs as an affine one, resists a change of its shape.
    pub rigid_stiffness: f64,
}

impl Default for IpcSettings {
    fn default() -> Self {
        Self {
            barrier_stiffness: 1e7,
            stick_speed: 1e-3,
            tolerance: 1e-5,
            force_tolerance: 5e-4,
            max_iterations: 200,
            rigid_stiffness: 1e9,
        }
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
            solver: SolverChoice::default(),
            audit: false,
            ncp: NcpSettings::default(),
            ipc: IpcSettings::default(),
            air: None,
        }
    }
}

//! Whether bodies move as the forces say that are told of them.

use cupule::report::{StepReport, worse};
use cupule::settings::Integrator;
use cupule::world::{BodyId, World};
use cupule_geometry::DVec3;

/// Gravity on earth, m/s2.
const EARTH: f64 = 9.81;

/// Compares, step by step, the change of momentum of every body that is on its own with the weight, contact and gas forces on
/// it: m dv/dt = m g + contact + gas. A hidden hand, a weld say, would show.
#[derive(Debug)]
pub(crate) struct ForceBalance {
    /// Bodies on their own, with mass (kg) and last momentum (kg m/s).
    bodies: Vec<(usize, f64, DVec3)>,
    time: f64,
    worst: f64,
}

impl ForceBalance {
    /// Starts from the present motion. In second order momentum is no difference of two steps: nothing is compared.
    pub(crate) fn new(world: &World) -> Self {
        let first_order = world.settings().integrator == Integrator::BackwardEuler;
        let all = (0..world.body_count()).filter(|_| first_order).map(BodyId);
        let own = all.filter(|body| world.is_on_its_own(*body));
        let start =
            |body: BodyId| (body.0, world.body_mass(body), world.body_report(body).momentum);
        Self { bodies: own.map(start).collect(), time: world.time(), worst: 0.0 }
    }

    /// Takes in a step under the gravity (m/s2) of the world.
    pub(crate) fn add(&mut self, report: &StepReport, gravity: DVec3) {
        let length = report.time - self.time;
        self.time = report.time;
        let acting =
            report.bodies.iter().flat_map(|b| [b.contact_force, b.gas_force, b.bond_force]);
        let largest = acting.map(DVec3::length).fold(0.0, f64::max);
        for (body, mass, last) in &mut self.bodies {
            let now = &report.bodies[*body];
            let weight = gravity * *mass;
            let inertia = (now.momentum - *last) / length;
            *last = now.momentum;
            let unexplained =
                (weight + now.contact_force + now.gas_force + now.bond_force - inertia).length();
            // Without gravity a body that nothing touches has no force to compare with but its weight on earth.
            let scale = largest.max(weight.length()).max(*mass * EARTH);
            self.worst = worse(self.worst, unexplained / scale);
        }
    }

    /// The largest force that nothing explains, as a share of the body's weight (on earth at least) or of the largest force on any body in that step,
    /// to which solvers solve; none where there was nothing to compare.
    pub(crate) fn worst(&self) -> Option<f64> {
        (!self.bodies.is_empty()).then_some(self.worst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule::report::BodyReport;

    /// The share that is unexplained of the forces (N) on a body of 2 kg that has a speed (m/s) after 0.1 s under a gravity (m/s2).
    fn under(gravity: f64, contact: f64, gas: f64, speed: f64) -> f64 {
        let mut balance =
            ForceBalance { bodies: vec![(0, 2.0, DVec3::ZERO)], time: 0.0, worst: 0.0 };
        let body = BodyReport {
            momentum: DVec3::Z * 2.0 * speed,
            contact_force: DVec3::Z * contact,
            gas_force: DVec3::Z * gas,
            ..BodyReport::default()
        };
        let report = StepReport { time: 0.1, bodies: vec![body], ..StepReport::default() };
        balance.add(&report, DVec3::Z * -gravity);
        balance.worst().expect("one body")
    }

    /// A body of 2 kg under 10 m/s2 hangs for a step of 0.1 s: 20 N must come from contact or gas.
    #[test]
    fn what_hangs_by_nothing_is_noticed() {
        let worst = |contact: f64, gas: f64, speed: f64| under(10.0, contact, gas, speed);
        assert!(worst(-5.0, 25.0, 0.0) < 1e-15, "gas less contact carry it");
        assert!(worst(0.0, 0.0, -1.0) < 1e-15, "it falls");
        assert!((worst(0.0, 0.0, 0.0) - 1.0).abs() < 1e-15, "a weld");
        assert!((worst(-5.0, 24.0, 0.0) - 1.0 / 24.0).abs() < 1e-15, "a newton is missing");
        // Rounding moves a weightless body by next to nothing; what moves it in earnest is noticed.
        assert!(under(0.0, 0.0, 0.0, 1e-18) < 1e-15, "nothing pushes it");
        assert!((under(0.0, 0.0, 0.0, 0.981) - 1.0).abs() < 1e-15, "a hidden hand");
    }
}

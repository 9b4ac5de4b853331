//! What pressure a seal withstands before it vents (P_max).
//!
//! From the contact pressure: air gets out along the path on which the strongest vertex is weakest, P_max = P_atm + min over paths of
//! (max over the path of the pressure between the walls). The total on a path, as in Bernardin et al. (2022, sec. 3.6), would grow with
//! the number of vertices. Where the gas acts on the touching part too, the pressure between the walls is contact plus gauge
//! pressure of the gas.
//!
//! The gas unloads its own seal: gauge pressure p on the area A inside the loop takes p A off the contact, which is spread
//! over the touching area A_s. So a pressure q between the walls at the present p does not promise that p = q will
//! be held: a cup pressed by a force reaches both at p + (q - p) A_s / A, and has lost all contact C at p + C / A. The limit goes to the
//! smaller one. It is the same in the end, p = q, and without it a narrow seal would overshoot in every step.
//!
//! Where the walls have parted, air presses but nothing presses back. There the seal withstands less the farther it has parted,
//! and nothing when it has by the sealing distance and is open: p (1 - gap / s). So a limit that went too far comes
//! down before the seal is lost.
//!
//! Contact forces that share a load redundantly are not unique, so they are summed to vertices and divided by tributary areas. The
//! forces are those of the last step, so the limit goes [`APPROACH`] of the way, and no faster than [`FASTEST`].
//!
//! From the elastic energy of the bodies around the cavity (Bernardin et al. 2022, sec. 3.6): gauge pressure by a table.

use super::bottleneck::bottleneck;
use super::graph::{Node, SealGraph, Side};
use crate::cavity::find::LastDetection;
use crate::cavity::space::AirSpace;
use crate::cavity::track::Cavity;
use crate::settings::{Ring, VentLimit};

/// A limit that follows forces or energies changes no faster than this, Pa/s: an atmosphere in a tenth of a second.
const FASTEST: f64 = 1e6;
/// How much of the way to where the seal would give way the limit goes in a step: all of it would leave no contact.
const APPROACH: f64 = 0.5;

/// What a limit may depend on: the loads of seals at the end of a step.
pub trait SealLoads {
    /// Normal contact force on a vertex of a body's surface, N.
    fn contact_force(&self, body: usize, vertex: u32) -> f64;
    /// Elastic energy of a body, J.
    fn elastic_energy(&self, body: usize) -> f64;
}

impl AirSpace {
    /// Updates the limits of all cavities to the loads at the end of a step of `length` (s).
    pub fn renew_limits(&mut self, loads: &dyn SealLoads, length: f64) {
        let wanted: Vec<Option<f64>> = match &self.settings.limit {
            VentLimit::Atmosphere | VentLimit::Constant(_) => return,
            VentLimit::Seal => {
                (0..self.cavities().len()).map(|c| self.seal_limit(c, loads)).collect()
            }
            VentLimit::ElasticEnergy(table) => {
                let energy = |c: &Cavity| -> f64 {
                    c.found.bodies().into_iter().map(|b| loads.elastic_energy(b)).sum()
                };
                let gauge = |c: &Cavity| table.at(energy(c)).max(0.0);
                self.cavities().iter().map(|c| Some(self.settings.atmosphere + gauge(c))).collect()
            }
        };
        let most = FASTEST * length;
        for (cavity, wanted) in self.tracker.cavities.iter_mut().zip(wanted) {
            if let Some(wanted) = wanted {
                cavity.limit += (wanted - cavity.limit).clamp(-most, most);
            }
        }
    }

    /// What the weakest path out of a cavity withstands, Pa; none where there is none, as for a flat one.
    fn seal_limit(&self, cavity: usize, loads: &dyn SealLoads) -> Option<f64> {
        let Cavity { found, pressure, .. } = &self.cavities()[cavity];
        let gauge = pressure - self.settings.atmosphere;
        let outer = self.settings.ring == Ring::Outer;
        let paths = self.seals().filter_map(|seal| self.weakest_path(cavity, gauge, seal, loads));
        let weakest = paths.min_by(|a, b| a.between.total_cmp(&b.between))?;
        let pulls = found.bodies().into_iter().map(|b| found.pull_area(b, false).length());
        let pull = pulls.fold(0.0, f64::max) + if outer { 0.0 } else { weakest.touching };
        let spare = ((weakest.between - gauge) * weakest.touching).min(weakest.contact);
        let held = gauge + APPROACH * spare / pull.max(weakest.touching);
        Some(self.settings.atmosphere + held.max(0.0))
    }

    /// The weakest path out of a cavity, at a gauge pressure (Pa), through one seal; none if there is no path.
    fn weakest_path(
        &self,
        cavity: usize,
        gauge: f64,
        (seal, detection): (&SealGraph, &LastDetection),
        loads: &dyn SealLoads,
    ) -> Option<WeakestPath> {
        let outer = self.settings.ring == Ring::Outer;
        let around = if outer { Vec::new() } else { seal.around(cavity) };
        let own = |i: usize| match outer {
            true => seal.nodes[i].side == Side::Seal && seal.nodes[i].within == Some(cavity),
            false => around[i],
        };
        let force = |node: &Node| loads.contact_force(detection.bodies[node.body], node.vertex);
        let between = |node: &Node| {
            let air = if outer && node.within == Some(cavity) { gauge } else { 0.0 };
            match force(node) {
                contact if contact > 0.0 => contact / node.area + air,
                _ => {
                    let parted = self.open_gap(detection, node) / self.settings.sealing_distance;
                    air * (1.0 - parted).max(0.0)
                }
            }
        };
        let (between, _) = bottleneck(seal, cavity, between)?;
        let sum = |of: &dyn Fn(&Node) -> f64| -> f64 {
            let nodes = seal.nodes.iter().enumerate().filter(|(i, _)| own(*i));
            nodes.map(|(_, node)| of(node)).sum()
        };
        Some(WeakestPath { between, touching: sum(&|n| n.area), contact: sum(&force) })
    }
}

/// The weakest path through a seal.
struct WeakestPath {
    /// The largest pressure between the walls on it, Pa.
    between: f64,
    /// Area of the whole seal, m2.
    touching: f64,
    /// Contact force on the whole seal, N.
    contact: f64,
}

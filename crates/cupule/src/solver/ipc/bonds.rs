//! Bonds in the incremental potential: the energy of each over its four points. The frame is that of the start of the step.

use super::measure::PairBlocks;
use super::system::PairStiffness;
use crate::math::outer;
use crate::solver::Bond;
use cupule_geometry::{DMat3, DVec3};

/// The bonds of a step that starts with points at `start`.
#[derive(Clone, Copy)]
pub(super) struct Bonds<'a> {
    pub list: &'a [Bond],
    pub start: &'a [DVec3],
}

impl Bonds<'_> {
    /// With points at `x`, J.
    pub(super) fn energy(&self, x: &[DVec3]) -> f64 {
        self.list.iter().map(|bond| bond.law.energy(bond.measure(self.start, x))).sum()
    }

    /// Force of each on its vertex, in the world, N.
    pub(super) fn forces(&self, x: &[DVec3]) -> impl Iterator<Item = DVec3> {
        let force = |bond: &Bond| bond.to_world(bond.law.force(bond.measure(self.start, x)));
        self.list.iter().map(force)
    }

    /// Adds the gradient, N.
    pub(super) fn add_gradient(&self, x: &[DVec3], out: &mut [DVec3]) {
        for (bond, force) in self.list.iter().zip(self.forces(x)) {
            bond.points.iter().zip(bond.weights).for_each(|(p, w)| out[*p as usize] -= force * w);
        }
    }

    /// Hessians, which are positive semidefinite, N/m.
    pub(super) fn stiffness(&self, x: &[DVec3]) -> impl Iterator<Item = PairStiffness> {
        self.list.iter().map(|bond| {
            let open = bond.measure(self.start, x).x > 0.0;
            let normal = if open { DMat3::ZERO } else { outer(bond.normal, bond.normal) };
            let block = (DMat3::IDENTITY - normal) * bond.law.stiffness;
            let w = bond.weights;
            let blocks: PairBlocks =
                std::array::from_fn(|a| std::array::from_fn(|b| block * (w[a] * w[b])));
            PairStiffness { points: bond.points, blocks }
        })
    }
}

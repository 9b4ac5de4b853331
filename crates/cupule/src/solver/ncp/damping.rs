//! Stiffness-proportional damping as a force, of elements that hand over their stiffness for it.

use crate::element::{StiffnessProduct, StiffnessSink};
use crate::model::Soft;
use cupule_geometry::{DMat3, DVec3};

/// Adds -beta K u, with the same stiffness that the system has: it leaves a turning body alone, which the slope of the
/// force would not where the body is under stress.
pub(super) fn add_stiffness_damping(
    part: &Soft,
    x: &[DVec3],
    velocities: &[DVec3],
    forces: &mut [DVec3],
) {
    let mut product = product_of(part, velocities, forces);
    part.elements.add_stiffness(x, &mut product);
}

/// Takes -beta K v of a part.
pub(super) fn product_of<'a>(
    part: &Soft,
    velocities: &'a [DVec3],
    forces: &'a mut [DVec3],
) -> StiffnessProduct<'a> {
    StiffnessProduct::new(&*part.elements, -part.damping.stiffness, velocities, forces)
}

/// Hands the stiffness of every element to two takers.
pub(super) struct Both<'a, A, B>(pub(super) &'a mut A, pub(super) &'a mut B);

impl<A: StiffnessSink, B: StiffnessSink> StiffnessSink for Both<'_, A, B> {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        self.0.add(element, blocks);
        self.1.add(element, blocks);
    }
}

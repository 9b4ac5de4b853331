//! Stiffness-proportional damping as a force.

use crate::element::StiffnessSink;
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
    let mut product = StiffnessProduct::new(part, velocities, forces);
    part.elements.add_stiffness(x, &mut product);
}

/// Hands the stiffness of every element to two takers.
pub(super) struct Both<'a, A, B>(pub(super) &'a mut A, pub(super) &'a mut B);

impl<A: StiffnessSink, B: StiffnessSink> StiffnessSink for Both<'_, A, B> {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        self.0.add(element, blocks);
        self.1.add(element, blocks);
    }
}

/// Adds scale * K v as elements hand over their stiffness.
pub(super) struct StiffnessProduct<'a> {
    connectivity: Vec<u32>,
    per_element: usize,
    velocities: &'a [DVec3],
    scale: f64,
    forces: &'a mut [DVec3],
}

impl<'a> StiffnessProduct<'a> {
    /// Takes -beta K v of a part.
    pub(super) fn new(part: &Soft, velocities: &'a [DVec3], forces: &'a mut [DVec3]) -> Self {
        let connectivity = part.elements.connectivity();
        let per_element = part.elements.nodes_per_element();
        Self { connectivity, per_element, velocities, scale: -part.damping.stiffness, forces }
    }
}

impl StiffnessSink for StiffnessProduct<'_> {
    fn add(&mut self, element: usize, blocks: &[DMat3]) {
        let nodes =
            &self.connectivity[element * self.per_element..(element + 1) * self.per_element];
        let pairs = (0..nodes.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        for (block, (i, j)) in blocks.iter().zip(pairs) {
            let (a, b) = (nodes[i] as usize, nodes[j] as usize);
            self.forces[a] += *block * self.velocities[b] * self.scale;
            if i != j {
                self.forces[b] += block.transpose() * self.velocities[a] * self.scale;
            }
        }
    }
}

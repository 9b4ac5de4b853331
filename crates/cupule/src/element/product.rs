//! The product of all element stiffness matrices with a vector, without assembling them.

use super::{ElementPool, StiffnessSink};
use cupule_geometry::{DMat3, DVec3};

/// Adds scale * K v as elements hand over their stiffness.
pub struct StiffnessProduct<'a> {
    connectivity: Vec<u32>,
    per_element: usize,
    velocities: &'a [DVec3],
    scale: f64,
    forces: &'a mut [DVec3],
}

impl<'a> StiffnessProduct<'a> {
    /// Takes scale * K v of a pool's elements, over its nodes.
    pub fn new(
        elements: &dyn ElementPool,
        scale: f64,
        velocities: &'a [DVec3],
        forces: &'a mut [DVec3],
    ) -> Self {
        let connectivity = elements.connectivity();
        let per_element = elements.nodes_per_element();
        Self { connectivity, per_element, velocities, scale, forces }
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

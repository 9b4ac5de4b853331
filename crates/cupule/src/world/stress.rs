//! Stress as it is shown: at the vertices of a surface, and at nodes.
//!
//! Elements give their mean; a node takes the mean of its elements. That is first order in the size of the elements, and
//! smooths peaks at sharp corners, which no mesh resolves.

use super::moment::Moment;
use crate::mapping::Tie;
use crate::model::Soft;
use cupule_geometry::{DMat3, DVec3};

/// Von Mises stress of a soft body, Pa.
#[derive(Debug, Clone, PartialEq)]
pub struct VonMises {
    /// At the vertices of its surface.
    pub vertices: Vec<f64>,
    /// At its nodes.
    pub nodes: Vec<f64>,
}

impl<'a> Moment<'a> {
    /// Von Mises stress of a soft body; none for other bodies.
    pub(super) fn von_mises(&self, body: usize) -> Option<VonMises> {
        let stressed = |soft: &'a Soft| {
            let Soft { elements, points, .. } = soft;
            Some((soft, elements.stresses(&self.state.at.points[points.clone()])?))
        };
        let (soft, stresses) = self.assembly.pools_of(body).find_map(stressed)?;
        let mut sums = vec![(DMat3::ZERO, 0.0); soft.points.len()];
        let per_element = soft.elements.nodes_per_element();
        for (nodes, stress) in soft.elements.connectivity().chunks(per_element).zip(&stresses) {
            for node in nodes {
                let (sum, count) = &mut sums[*node as usize];
                *sum += *stress;
                *count += 1.0;
            }
        }
        let at_node = |point: usize| {
            let (sum, count) = sums[point - soft.points.start];
            sum * (1.0 / f64::max(count, 1.0))
        };
        let at_vertex = |point: &usize| match &self.assembly.model.ties[*point] {
            // A vertex of an embedded surface is a mean of nodes; a node that is glued is still one of the body.
            Tie::Combined(parts) if !soft.points.contains(point) => {
                parts.iter().fold(DMat3::ZERO, |sum, (p, w)| sum + at_node(*p) * *w)
            }
            _ => at_node(*point),
        };
        let points = &self.assembly.bodies[body].surface.points;
        Some(VonMises {
            vertices: points.iter().map(|point| equivalent(&at_vertex(point))).collect(),
            nodes: soft.points.clone().map(|point| equivalent(&at_node(point))).collect(),
        })
    }
}

/// sqrt(3/2 s : s) of the deviator s.
fn equivalent(stress: &DMat3) -> f64 {
    let mean = (stress.x_axis.x + stress.y_axis.y + stress.z_axis.z) / 3.0;
    let deviator = *stress - DMat3::from_diagonal(DVec3::splat(mean));
    (1.5 * crate::math::double_dot(&deviator, &deviator)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tension_gives_itself_shear_its_root_of_three_and_pressure_nothing() {
        let tension = DMat3::from_diagonal(DVec3::new(7.0, 0.0, 0.0));
        assert!((equivalent(&tension) - 7.0).abs() < 1e-12);
        let shear = DMat3::from_cols(DVec3::Y * 2.0, DVec3::X * 2.0, DVec3::ZERO);
        assert!((equivalent(&shear) - 2.0 * 3f64.sqrt()).abs() < 1e-12);
        assert!(equivalent(&(DMat3::IDENTITY * 5.0)) < 1e-12);
    }
}

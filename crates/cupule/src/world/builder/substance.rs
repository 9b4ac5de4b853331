//! Where the substance of a soft body is: all of its cells, or what its surface encloses of a cage.

use super::bodies::weighted_mean;
use super::spec::{FemSpec, WorldError};
use crate::element::lumped_masses;
use cupule_geometry::DVec3;
use cupule_geometry::cage::{Filling, MassPoints, fillings, mass_points};

/// The share of a body that its cage may leave out: no more than rounding makes of a surface that touches its cage.
const LEFT_OUT: f64 = 1e-6;

/// What a soft body is made of, by place.
pub(super) struct Substance {
    /// m3.
    pub volume: f64,
    /// Centroid, m.
    pub centre: DVec3,
    /// Volume at every node, m3; empty for a cage, whose nodes carry nothing themselves.
    pub at_nodes: Vec<f64>,
    /// The points that carry it in a cage.
    pub inside: Option<MassPoints>,
    /// What fills every cell of a cage.
    pub fillings: Option<Vec<Filling>>,
}

impl Substance {
    pub(super) fn new(spec: &FemSpec) -> Result<Self, WorldError> {
        let (true, Some(surface)) = (spec.caged, &spec.surface) else {
            let at_nodes = lumped_masses(&spec.mesh);
            let volume = at_nodes.iter().sum();
            let centre = weighted_mean(&spec.mesh.nodes, &at_nodes);
            return Ok(Self { volume, centre, at_nodes, inside: None, fillings: None });
        };
        let body = || spec.name.clone();
        let fillings = fillings(surface, &spec.mesh)
            .map_err(|source| WorldError::Mesh { body: body(), source })?;
        let inside = mass_points(&spec.mesh, &fillings);
        if let Some(reason) = defect(spec, surface.signed_volume(), &fillings, &inside) {
            return Err(WorldError::Cage { body: body(), reason });
        }
        let volumes: Vec<f64> = fillings.iter().map(|f| f.volume).collect();
        let centroids: Vec<DVec3> = fillings.iter().map(|f| f.centroid).collect();
        Ok(Self {
            volume: volumes.iter().sum(),
            centre: weighted_mean(&centroids, &volumes),
            at_nodes: Vec::new(),
            inside: Some(inside),
            fillings: Some(fillings),
        })
    }
}

/// What is wrong with a cage.
fn defect(
    spec: &FemSpec,
    volume: f64,
    fillings: &[Filling],
    inside: &MassPoints,
) -> Option<String> {
    let held = fillings.iter().map(|f| f.volume).sum::<f64>() / volume;
    if held < 1.0 - LEFT_OUT {
        let percent = 100.0 * (1.0 - held);
        return Some(format!("leaves out {percent:.3} % of it: take a larger one"));
    }
    let mut carries = vec![false; spec.mesh.nodes.len()];
    for (cell, _) in &inside.points {
        let nodes = spec.mesh.cells.nodes_of(*cell as usize);
        nodes.iter().for_each(|n| carries[*n as usize] = true);
    }
    let idle = carries.iter().position(|carries| !carries)?;
    Some(format!("has node {idle}, around which there is nothing of the body: leave out its cells"))
}

//! Figures per vertex that the recorder computes from a world and its last step: for the vertices of a body's surface,
//! then for the nodes within it. What belongs to the surface is 0 within.

use cupule::report::StepReport;
use cupule::world::{BodyId, VonMises, World};
use cupule_geometry::DVec3;

use crate::scenery::inner_nodes;

/// Per body a figure per vertex, or none.
pub type Field = Vec<Option<Vec<f32>>>;

/// Von Mises stress of soft bodies, Pa.
pub fn von_mises(world: &World) -> Field {
    let of_body = |id| {
        let VonMises { vertices, nodes } = world.von_mises(id)?;
        let inner = inner_nodes(world, id).into_iter().map(|node| nodes[node]);
        Some(vertices.iter().copied().chain(inner).map(|stress| stress as f32).collect())
    };
    ids(world).map(of_body).collect()
}

/// Contact pressure, Pa: normal force at a vertex over a third of the triangles around it. None for static bodies, whose
/// triangles are as large as they like, and for thin ones.
pub fn contact_pressure(world: &World, report: &StepReport) -> Field {
    let mut forces: Vec<Vec<f64>> =
        ids(world).map(|id| vec![0.0; recorded_vertices(world, id)]).collect();
    for contact in &report.contacts {
        // Contacts only push; less than nothing is rounding.
        let push = contact.force.dot(contact.normal).max(0.0);
        for point in &contact.points {
            for i in 0..usize::from(point.count) {
                forces[point.surface as usize][point.vertices[i] as usize] +=
                    push * point.weights[i];
            }
        }
    }
    let pressures = |id: BodyId| {
        let over =
            |(force, area): (&f64, f64)| if area > 0.0 { (force / area) as f32 } else { 0.0 };
        let mut areas = areas(&world.surface_positions(id), world.surface_triangles(id));
        areas.resize(forces[id.0].len(), 0.0);
        moves(world, id).then(|| forces[id.0].iter().zip(areas).map(over).collect())
    };
    ids(world).map(pressures).collect()
}

/// The cavity on whose wall a vertex lies: its number and one, or 0 outside.
pub fn cavity(world: &World) -> Field {
    let mut field: Field = ids(world)
        .map(|id| moves(world, id).then(|| vec![0.0; recorded_vertices(world, id)]))
        .collect();
    for cavity in world.cavities() {
        for patch in &cavity.found.patches {
            let triangle = world.surface_triangles(BodyId(patch.body))[patch.triangle as usize];
            if let Some(values) = &mut field[patch.body] {
                triangle
                    .iter()
                    .for_each(|vertex| values[*vertex as usize] = cavity.id as f32 + 1.0);
            }
        }
    }
    field
}

fn ids(world: &World) -> impl Iterator<Item = BodyId> {
    (0..world.body_count()).map(BodyId)
}

fn recorded_vertices(world: &World, id: BodyId) -> usize {
    world.surface_nodes(id).count() + inner_nodes(world, id).len()
}

/// Whether a body has figures on its surface; wires are drawn with other vertices than they have.
fn moves(world: &World, id: BodyId) -> bool {
    !world.capabilities(id).is_fixed && world.thin_mesh(id).is_none()
}

/// A third of the triangles around every vertex, m2.
fn areas(points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        triangle.iter().for_each(|vertex| areas[*vertex as usize] += third);
    }
    areas
}

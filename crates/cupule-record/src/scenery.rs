//! What is seen of a world: its surfaces, and the layers that are drawn with them. Run folders and the live page share it.

use cupule::cavity::Cavity;
use cupule::report::{StepReport, Wrench};
use cupule::world::{AttachmentId, BodyId, BodyKind, World};
use cupule_geometry::DVec3;

use crate::fields;
use crate::frames::{Arrow, FrameBody, FrameCells, Layer, LayerFrame, LayerKind, Volume};

/// The word for a kind of body in summaries and pages.
pub fn kind_word(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fem => "fem",
        BodyKind::Rigid => "rigid",
        BodyKind::Kinematic => "kinematic",
        BodyKind::Static => "static",
    }
}

/// All bodies, in the order of the world.
pub fn bodies(world: &World) -> Vec<FrameBody> {
    let body = |id| FrameBody {
        name: world.body_name(id).to_string(),
        vertices: points(world, id).len().try_into().unwrap_or(u32::MAX),
        triangles: match world.thin_mesh(id) {
            Some(thin) => thin.visible().triangles,
            None => world.surface_triangles(id).to_vec(),
        },
        cells: cells(world, id),
    };
    (0..world.body_count()).map(|index| body(BodyId(index))).collect()
}

/// Where their vertices are, m.
pub fn positions(world: &World) -> Vec<Vec<DVec3>> {
    (0..world.body_count()).map(|index| points(world, BodyId(index))).collect()
}

/// Vertices of the surface, then nodes that are none. Wires and sheets are shown with their thickness.
fn points(world: &World, id: BodyId) -> Vec<DVec3> {
    if let Some(thin) = world.thin_mesh(id) {
        return thin.visible().vertices;
    }
    let nodes = world.nodes(id);
    let inner = inner_nodes(world, id).into_iter().map(|node| nodes[node]);
    world.surface_positions(id).into_iter().chain(inner).collect()
}

/// Nodes of a soft body that are no vertex of its surface.
pub fn inner_nodes(world: &World, id: BodyId) -> Vec<usize> {
    let Some(mesh) = world.rest_mesh(id) else { return Vec::new() };
    let mut inner = vec![true; mesh.nodes.len()];
    world.surface_nodes(id).flatten().for_each(|node| inner[node] = false);
    (0..inner.len()).filter(|node| inner[*node]).collect()
}

/// The cells of a soft body, by vertices as [`points`] lists them.
fn cells(world: &World, id: BodyId) -> FrameCells {
    let Some(mesh) = world.rest_mesh(id) else { return FrameCells::default() };
    let mut vertex_of = vec![0; mesh.nodes.len()];
    let on_surface = world.surface_nodes(id);
    let listed = on_surface.chain(inner_nodes(world, id).into_iter().map(Some));
    for (vertex, node) in (0..).zip(listed) {
        node.into_iter().for_each(|node| vertex_of[node] = vertex);
    }
    let cells = (0..mesh.cell_count()).map(|cell| mesh.cells.nodes_of(cell));
    FrameCells {
        size: mesh.cells.nodes_of(0).len() as u8,
        vertices: cells.flatten().map(|node| vertex_of[*node as usize]).collect(),
    }
}

/// What is drawn with the bodies: a line here, and one of the same place in [`shown`], adds a layer.
pub fn layers(world: &World) -> Vec<Layer> {
    let mut layers = vec![
        Layer::new(LayerKind::Field, "von_mises", "Von Mises stress", "Pa"),
        Layer::new(LayerKind::Field, "contact_pressure", "Contact pressure", "Pa"),
        Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
        Layer::new(LayerKind::Arrows, "attachments", "Attachment forces", "N"),
    ];
    if world.settings().air.is_some() {
        layers.push(Layer::new(LayerKind::Field, "cavity", "Cavity (number from 1)", ""));
        layers.push(Layer::new(LayerKind::Volumes, "cavities", "Air", "Pa"));
    }
    layers
}

/// What the layers show after a step.
pub fn shown(world: &World, report: &StepReport) -> Vec<LayerFrame> {
    let mut shown = vec![
        LayerFrame::Field(fields::von_mises(world)),
        LayerFrame::Field(fields::contact_pressure(world, report)),
        LayerFrame::Arrows(contact_forces(report)),
        LayerFrame::Arrows(attachment_forces(world, report)),
    ];
    if world.settings().air.is_some() {
        let volumes = world.cavities().iter().map(|c| cavity(world, c)).collect();
        shown.push(LayerFrame::Field(fields::cavity(world)));
        shown.push(LayerFrame::Volumes(volumes));
    }
    shown
}

fn narrow(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

fn attachment_forces(world: &World, report: &StepReport) -> Vec<Arrow> {
    let arrow = |(i, wrench): (usize, &Wrench)| Arrow {
        at: narrow(world.attachment(AttachmentId(i)).centre),
        vector: narrow(wrench.force),
    };
    report.attachments.iter().enumerate().map(arrow).collect()
}

/// The open part of a cavity: what touches would only flicker between two surfaces.
fn cavity(world: &World, cavity: &Cavity) -> Volume {
    let wall = world.open_wall(cavity);
    let count = 3 * u32::try_from(wall.len()).unwrap_or(0);
    Volume {
        identity: cavity.id,
        value: cavity.pressure as f32,
        positions: wall.as_flattened().iter().map(|x| narrow(*x)).collect(),
        triangles: (0..count).step_by(3).map(|i| [i, i + 1, i + 2]).collect(),
    }
}

/// Contacts that carry: the many that are only near would hide them.
fn contact_forces(report: &StepReport) -> Vec<Arrow> {
    let least = 1e-6 * report.contacts.iter().map(|c| c.force.length()).fold(0.0, f64::max);
    let carrying = report.contacts.iter().filter(|contact| contact.force.length() > least);
    carrying.map(|c| Arrow { at: narrow(c.at), vector: narrow(c.force) }).collect()
}

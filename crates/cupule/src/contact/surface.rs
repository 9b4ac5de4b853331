//! A collision surface: fixed topology, rest shape, and bounding trees that follow the motion.

use cupule_geometry::adjacency::Adjacency;
use cupule_geometry::tree::{Bounds, BoxTree};
use cupule_geometry::{DVec3, GeometryError};

use super::frame::Frame;
use super::neighbourhood::Neighbourhood;
use super::settings::{ContactError, ContactSettings};

/// Where a surface is, and where it would go without contact.
#[derive(Debug, Clone, Copy)]
pub struct SurfacePose<'a> {
    /// Positions x at the start of the step, m.
    pub current: &'a [DVec3],
    /// Positions x_free at the end of the contact-free motion, m.
    pub free: &'a [DVec3],
}

/// A collision surface with what the detector needs to search it.
#[derive(Debug, Clone)]
pub struct SearchSurface {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) rest: Vec<DVec3>,
    pub(super) adjacency: Adjacency,
    pub(super) vertex_tree: BoxTree,
    pub(super) edge_tree: BoxTree,
    pub(super) triangle_tree: BoxTree,
    /// Who is too close along the surface for self-contact; made when self-contact is first asked for.
    pub(super) neighbourhood: Option<Neighbourhood>,
    closed: bool,
    /// The pose the trees are at: what stands still need not be followed again.
    followed: (Vec<DVec3>, Vec<DVec3>),
    /// A box around all that it sweeps.
    swept: Bounds,
}

impl SearchSurface {
    /// Makes a surface of triangles (counter-clockwise seen from outside) over its rest positions (m).
    ///
    /// # Errors
    /// Triangles that name a missing vertex, an edge with more than two triangles, or a position that is not finite.
    pub fn new(triangles: Vec<[u32; 3]>, rest: Vec<DVec3>) -> Result<Self, ContactError> {
        if let Some(index) = rest.iter().position(|position| !position.is_finite()) {
            return Err(GeometryError::NotFinite { index }.into());
        }
        let adjacency = Adjacency::new(&triangles, rest.len())?;
        Ok(Self {
            closed: adjacency.is_closed(),
            triangles,
            rest,
            adjacency,
            vertex_tree: BoxTree::default(),
            edge_tree: BoxTree::default(),
            triangle_tree: BoxTree::default(),
            neighbourhood: None,
            followed: (vec![], vec![]),
            swept: Bounds::EMPTY,
        })
    }

    /// The triangles.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges and neighbours; contact ids name edges by their index there.
    #[must_use]
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// Rest positions, m.
    #[must_use]
    pub fn rest(&self) -> &[DVec3] {
        &self.rest
    }

    /// Whether the surface encloses a volume.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Moves the bounding trees to the boxes swept from x to x_free. The angle must be the same in all calls.
    pub(super) fn follow(&mut self, pose: &SurfacePose, sharp_edge_angle: f64) {
        if self.followed.0 == pose.current && self.followed.1 == pose.free {
            return;
        }
        self.followed = (pose.current.to_vec(), pose.free.to_vec());
        let swept: Vec<Bounds> =
            pose.current.iter().zip(pose.free).map(|(x, free)| Bounds::of(&[*x, *free])).collect();
        self.swept = swept.iter().fold(Bounds::EMPTY, |all, one| all.join(*one));
        let join = |vertices: &[u32]| {
            vertices.iter().fold(Bounds::EMPTY, |all, vertex| all.join(swept[*vertex as usize]))
        };
        let triangles: Vec<Bounds> = self.triangles.iter().map(|corners| join(corners)).collect();
        let sharp = sharp_edges(&Frame::new(self, pose, 0.0), sharp_edge_angle);
        // Blunt edges get no box: they make no edge-edge contact, and on a smooth mesh they are most of all edges.
        let edges: Vec<Bounds> = (self.adjacency.edges.iter().zip(sharp))
            .map(|(ends, sharp)| if sharp { join(ends) } else { Bounds::EMPTY })
            .collect();
        self.vertex_tree.update(&swept);
        self.triangle_tree.update(&triangles);
        self.edge_tree.update(&edges);
    }

    /// A box around all that it sweeps from x to x_free.
    pub(super) fn swept(&self) -> Bounds {
        self.swept
    }

    /// Makes the self-contact neighbourhood, once.
    pub(super) fn prepare_self_contact(&mut self, settings: &ContactSettings) {
        if self.neighbourhood.is_none() {
            let made =
                Neighbourhood::new(&self.adjacency, &self.rest, 2.0 * settings.alarm_distance);
            self.neighbourhood = Some(made);
        }
    }

    /// Refuses positions that are too few or not finite.
    pub(super) fn check(&self, index: usize, pose: &SurfacePose) -> Result<(), ContactError> {
        for (what, positions) in [("current", pose.current), ("free", pose.free)] {
            let (expected, given) = (self.rest.len(), positions.len());
            if expected != given {
                return Err(ContactError::PositionCount { surface: index, what, expected, given });
            }
            if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
                return Err(ContactError::NotFinite { surface: index, what, vertex });
            }
        }
        Ok(())
    }
}

/// Which edges are convex and turn by more than `angle` (rad).
fn sharp_edges(frame: &Frame, angle: f64) -> Vec<bool> {
    let adjacency = &frame.surface.adjacency;
    let count = frame.surface.triangles.len() as u32;
    let normals: Vec<DVec3> = (0..count).map(|triangle| frame.face_normal(triangle)).collect();
    let sine = angle.sin();
    let cosine = angle.cos();
    let is_sharp = |edge: usize| match adjacency.edge_triangles[edge] {
        [Some(left), Some(right)] => {
            let (left, right) = (normals[left as usize], normals[right as usize]);
            let [from, to] = adjacency.edges[edge];
            // The left face runs from -> to: at a convex edge its normal turns to the right one about that direction.
            let along = (frame.position(to) - frame.position(from)).normalize_or_zero();
            let turn_sine = left.cross(right).dot(along);
            turn_sine > 0.0 && (turn_sine > sine || left.dot(right) < cosine)
        }
        _ => false,
    };
    (0..adjacency.edges.len()).map(is_sharp).collect()
}

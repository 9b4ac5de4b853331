//! What is simulated, apart from where it is: bodies, what holds and loads them, and the numbered system they make.

use super::bonds::WorldBond;
use super::builder::Hold;
use super::cable::Cable;
use crate::cavity::SurfacePoint;
use crate::contact::CollisionSurface;
use crate::element::Formulation;
use crate::law::Interfaces;
use crate::material::Material;
use crate::model::{Model, Soft};
use crate::settings::Settings;
use cupule_geometry::cage::Filling;
use cupule_geometry::{DVec3, VolumeMesh};
use std::ops::Range;

/// What a body is called in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// Deformable.
    Fem,
    /// Rigid and free.
    Rigid,
    /// With prescribed motion.
    Kinematic,
    /// At rest for ever.
    Static,
}

/// A body: points among the world's, and what they are.
#[derive(Clone)]
pub(super) struct Body {
    pub(super) name: String,
    /// What it is called in results; what it can do is asked of its methods.
    pub(super) kind: BodyKind,
    /// Nodes of a soft body, vertices of another, among the points.
    pub(super) points: Range<usize>,
    /// The points that carry its mass.
    pub(super) carriers: Range<usize>,
    /// What of it collides.
    pub(super) surface: CollisionSurface,
    /// Total mass, kg; 0 for kinematic ones.
    pub(super) mass: f64,
    /// Index among the frames.
    pub(super) frame: Option<usize>,
    /// Index among the drives.
    pub(super) drive: Option<usize>,
    pub(super) self_contact: bool,
    /// Whether its surface is closed.
    pub(super) closed: bool,
    /// Cells at rest, to glue others to.
    pub(super) mesh: Option<VolumeMesh>,
    /// What a soft body is made of, and how its elements avoid locking.
    pub(super) material: Option<(Material, Formulation)>,
    /// What of each cell is made of the material, where the mesh is a cage.
    pub(super) fillings: Option<Vec<Filling>>,
    /// Its element pools among the model's, that of its cells first. Pools between bodies belong to none.
    pub(super) pools: Vec<usize>,
}

impl Body {
    /// Whether forces move it; else it goes where its motion says, or stays.
    pub(super) fn moves_freely(&self) -> bool {
        self.drive.is_none()
    }

    /// Whether it never moves.
    pub(super) fn is_fixed(&self) -> bool {
        self.kind == BodyKind::Static
    }

    /// The drive whose path it follows, where it has a path.
    pub(super) fn path(&self) -> Option<usize> {
        self.drive.filter(|_| !self.is_fixed())
    }

    /// Whether its points are nodes of cells, which can be held and loaded one by one.
    pub(super) fn has_nodes(&self) -> bool {
        self.mesh.is_some()
    }

    /// Whether air can be trapped against it: only a closed surface has an outside.
    pub(super) fn encloses_air(&self) -> bool {
        self.closed
    }

    /// Where the vertices of its collision surface are (m) with all points of the world at `x`.
    pub(super) fn surface_at(&self, x: &[DVec3]) -> Vec<DVec3> {
        self.surface.positions(x)
    }
}

#[derive(Clone)]
pub(super) struct Attachment {
    pub(super) name: String,
    pub(super) body: usize,
    /// Points among the world's.
    pub(super) points: Vec<usize>,
    pub(super) hold: Hold,
    /// Index among the drives, where it follows one of its own.
    pub(super) drive: Option<usize>,
}

/// Bodies, what holds and loads them, and the numbered system they make. A step changes nothing of it but the commands of cables.
#[derive(Clone)]
pub(super) struct Assembly {
    pub(super) settings: Settings,
    pub(super) bodies: Vec<Body>,
    pub(super) attachments: Vec<Attachment>,
    pub(super) cables: Vec<Cable>,
    pub(super) point_forces: Vec<(usize, DVec3)>,
    /// Forces by hand on material points, N.
    pub(super) pulls: Vec<(SurfacePoint, DVec3)>,
    /// What lies between bodies.
    pub(super) interfaces: Interfaces,
    /// Bonds between material points.
    pub(super) bonds: Vec<WorldBond>,
    pub(super) model: Model,
    /// Body of every point.
    pub(super) body_of_point: Vec<usize>,
    /// Pairs of bodies that contact keeps apart; a body with itself where it can fold.
    pub(super) pairs: Vec<(usize, usize)>,
}

impl Assembly {
    /// The element pools of a body.
    pub(super) fn pools_of(&self, body: usize) -> impl Iterator<Item = &Soft> {
        self.bodies[body].pools.iter().map(|pool| &self.model.soft[*pool])
    }

    /// Whether a pool that is not the body's own acts on it: a cable inside it, or a spring.
    pub(super) fn is_tethered(&self, body: usize) -> bool {
        let own = &self.bodies[body].pools;
        let others = self.model.soft.iter().enumerate().filter(|(pool, _)| !own.contains(pool));
        others.into_iter().any(|(_, s)| s.points.clone().any(|p| self.body_of_point[p] == body))
    }

    /// Per body, where the vertices of its surface are (m) with all points at `x`.
    pub(super) fn surfaces_at(&self, x: &[DVec3]) -> Vec<Vec<DVec3>> {
        self.bodies.iter().map(|body| body.surface_at(x)).collect()
    }
}

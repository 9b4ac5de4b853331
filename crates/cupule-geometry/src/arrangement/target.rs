//! A body that points ask for what of it is nearest.

use std::cell::OnceCell;

use super::Surface;
use super::normals::{PseudoNormals, face};
use crate::DVec3;
use crate::distance::{PointTriangle, TriangleRegion, point_triangle};
use crate::tree::{Bounds, BoxTree};

/// Parts of one surface face each other if they are turned towards each other by at least this cosine (within 66 degrees): walls of
/// a fold meet at an angle, while parts side by side on one wall have a cosine near -1.
pub(crate) const FOLDED: f64 = 0.4;

/// A body that others may face.
pub(crate) struct Target<'a> {
    surface: Surface<'a>,
    /// Triangles that are in the tree, ascending.
    triangles: Vec<u32>,
    tree: BoxTree,
    bounds: Bounds,
    /// Made when a closest point first lies on an edge or a corner.
    normals: OnceCell<PseudoNormals>,
}

impl<'a> Target<'a> {
    /// A body with those of its triangles whose boxes are `wanted`.
    pub fn new(surface: &Surface<'a>, wanted: impl Fn(&Bounds) -> bool) -> Self {
        let all = (0..surface.triangles.len() as u32)
            .map(|triangle| (triangle, Bounds::of(&surface.corners(triangle))));
        let (triangles, boxes): (Vec<u32>, Vec<Bounds>) =
            all.filter(|(_, bounds)| wanted(bounds)).unzip();
        Self {
            surface: *surface,
            triangles,
            tree: BoxTree::new(&boxes),
            bounds: Bounds::of(surface.positions),
            normals: OnceCell::new(),
        }
    }

    /// The triangle that is nearest by a square of a distance (m2), and that square.
    fn least(
        &self,
        point: DVec3,
        limit_squared: f64,
        distance: impl Fn(u32) -> f64,
    ) -> Option<(u32, f64)> {
        let of = |index: u32| distance(self.triangles[index as usize]);
        let (index, least) = self.tree.nearest(point, limit_squared, of)?;
        Some((self.triangles[index as usize], least))
    }

    fn normals(&self) -> &PseudoNormals {
        self.normals.get_or_init(|| PseudoNormals::new(&self.surface))
    }

    /// Unit normal of a triangle.
    fn face_normal(&self, triangle: u32) -> DVec3 {
        face(&self.surface, triangle)
    }

    /// Unit vector out of the body at a closest point.
    fn outward(&self, triangle: u32, closest: &PointTriangle) -> DVec3 {
        match closest.region {
            TriangleRegion::Face => self.face_normal(triangle),
            _ => self.normals().at(&self.surface, triangle, closest).normalize_or_zero(),
        }
    }

    /// The place nearest to a point, if nearer than the root of `limit_squared` (m2).
    pub fn nearest(&self, point: DVec3, limit_squared: f64) -> Option<Nearest> {
        if self.bounds.distance_squared(point) > limit_squared {
            return None;
        }
        let closest = |triangle: u32| point_triangle(point, self.surface.corners(triangle));
        let distance = |triangle: u32| closest(triangle).distance_squared;
        let (triangle, distance_squared) = self.least(point, limit_squared, distance)?;
        let closest = closest(triangle);
        let outward = self.outward(triangle, &closest);
        let inside = (point - closest.point).dot(outward) < 0.0;
        let distance = distance_squared.sqrt();
        let gap = if inside { -distance } else { distance };
        Some(Nearest { gap, triangle, closest, outward })
    }

    /// The place nearest to a point of this body's own surface, with this unit normal, that the point faces: in front of it and
    /// turned towards it, both by at least `cosine`. So neither what is beside the point counts nor the far side of a thin wall.
    pub fn nearest_facing(
        &self,
        point: DVec3,
        normal: DVec3,
        limit_squared: f64,
        cosine: f64,
    ) -> Option<Nearest> {
        let closest = |triangle: u32| point_triangle(point, self.surface.corners(triangle));
        let distance = |triangle: u32| {
            let closest = closest(triangle);
            let (away, distance) = (closest.point - point, closest.distance_squared.sqrt());
            let turned = self.face_normal(triangle).dot(normal) <= -cosine;
            let ahead = away.dot(normal) > cosine * distance;
            if turned && ahead { closest.distance_squared } else { f64::INFINITY }
        };
        let (triangle, distance_squared) = self.least(point, limit_squared, distance)?;
        let outward = self.face_normal(triangle);
        let found =
            Nearest { gap: distance_squared.sqrt(), triangle, closest: closest(triangle), outward };
        distance_squared.is_finite().then_some(found)
    }

    /// Unit vector out of the body at one of its vertices.
    pub fn vertex_normal(&self, vertex: u32) -> DVec3 {
        self.normals().vertex(&self.surface, vertex).normalize_or_zero()
    }
}

/// The place of a body nearest to a point.
pub(crate) struct Nearest {
    /// Distance, negative inside the body, m.
    pub gap: f64,
    pub triangle: u32,
    pub closest: PointTriangle,
    /// Unit vector out of the body.
    pub outward: DVec3,
}

//! Leaves out what no other body can meet before a union, and puts it back afterwards.
//!
//! A union takes as long for triangles far from the contact as for those in it, and most of an apple hangs below the cup. What
//! lies beyond one side of the box round all other bodies is cut off along edges, and cones close the holes. A half-space is
//! convex: with their tips further out on that side, neither the cones nor what they stand for come near another body, so that
//! the union is the same inside the box. Afterwards the part takes the place of its cones again, and joins what it joined.

use std::collections::BTreeMap;

use super::Surface;
use super::engine::Union;
use crate::DVec3;
use crate::tree::Bounds;

/// Triangles from which on a part is worth cutting off: for fewer, the cut costs about what it saves.
pub(super) const WORTH: usize = 100;
/// How far beyond the box of the other bodies it begins, relative to the extent of that box: far above rounding and tiny
/// displacements, so that the cut meets no other body.
const MARGIN: f64 = 1e-3;

/// A body without its far part, closed by cones.
pub(super) struct Crop {
    pub(super) positions: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Number of every triangle in the body; those of cones come after all of them, in the order of `rims`.
    pub(super) faces: Vec<u32>,
    /// Triangles of the body that are left out.
    far: Vec<u32>,
    /// Half-edge 3 i + k runs from corner k of far triangle i to the next; here is the far one that runs back, if any.
    mates: Vec<Option<u32>>,
    /// The far half-edge that each triangle of a cone stands for.
    rims: Vec<u32>,
}

impl Crop {
    /// Cuts a body along the side of the box round all `others` beyond which most of it lies; nothing where that is less than `worth`
    /// triangles.
    pub(super) fn of(body: &Surface<'_>, others: &Bounds, worth: usize) -> Option<Self> {
        let sides = DVec3::AXES.iter().flat_map(|axis| [*axis, -*axis]);
        let most = sides.map(|out| (out, far_triangles(body, others, out)));
        let (out, far) = most.max_by_key(|(_, far)| far.len())?;
        if far.len() < worth || far.len() == body.triangles.len() {
            return None;
        }
        Self::without(body, far, out)
    }

    /// Nothing where a corner belongs to two rims: a cone would not be manifold there.
    fn without(body: &Surface<'_>, far: Vec<u32>, out: DVec3) -> Option<Self> {
        let mut is_far = vec![false; body.triangles.len()];
        far.iter().for_each(|t| is_far[*t as usize] = true);
        let mates = mates(body, &far);
        let (positions, triangles, faces, rims) = (vec![], vec![], vec![], vec![]);
        let mut crop = Self { positions, triangles, faces, far, mates, rims };
        let mut place = vec![u32::MAX; body.positions.len()];
        for (t, corners) in body.triangles.iter().enumerate().filter(|(t, _)| !is_far[*t]) {
            let own = corners.map(|v| numbered(v, &mut place, body.positions, &mut crop.positions));
            crop.triangles.push(own);
            crop.faces.push(t as u32);
        }
        // From the origin of every near edge along a rim to its target and the far half-edge that runs back.
        let mut rim: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for half in (0..crop.mates.len()).filter(|half| crop.mates[*half].is_none()) {
            let [to, from] = ends(body, &crop.far, half as u32);
            if rim.insert(from, (to, half as u32)).is_some() {
                return None;
            }
        }
        crop.close(body, rim, &mut place, out).then_some(crop)
    }

    /// Puts a cone on every rim; false where a rim does not close.
    fn close(
        &mut self,
        body: &Surface<'_>,
        mut rim: BTreeMap<u32, (u32, u32)>,
        place: &mut [u32],
        out: DVec3,
    ) -> bool {
        while let Some((&start, _)) = rim.first_key_value() {
            let (mut vertex, mut ring) = (start, Vec::new());
            while let Some((to, back)) = rim.remove(&vertex) {
                ring.push((vertex, to, back));
                vertex = to;
            }
            if vertex != start || ring.len() < 3 {
                return false;
            }
            let at = |vertex: u32| body.positions[vertex as usize];
            let middle = ring.iter().map(|(v, ..)| at(*v)).sum::<DVec3>() / ring.len() as f64;
            let radius = ring.iter().map(|(v, ..)| at(*v).distance(middle)).fold(0.0, f64::max);
            let tip = self.positions.len() as u32;
            self.positions.push(middle + out * radius);
            for (from, to, back) in ring {
                let [from, to] = [from, to].map(|v| place[v as usize]);
                self.triangles.push([to, from, tip]);
                self.faces.push((body.triangles.len() + self.rims.len()) as u32);
                self.rims.push(back);
            }
        }
        true
    }
}

/// The new number of a vertex, which is added to `points` when it is first asked for.
fn numbered(vertex: u32, number: &mut [u32], from: &[DVec3], points: &mut Vec<DVec3>) -> u32 {
    let own = &mut number[vertex as usize];
    if *own == u32::MAX {
        *own = points.len() as u32;
        points.push(from[vertex as usize]);
    }
    *own
}

/// Triangles of a body that are wholly beyond the side of a box with this outward axis.
fn far_triangles(body: &Surface<'_>, others: &Bounds, out: DVec3) -> Vec<u32> {
    let corner = DVec3::select(out.cmpgt(DVec3::ZERO), others.max, others.min);
    let limit = corner.dot(out) + MARGIN * (others.max - others.min).max_element();
    let beyond: Vec<bool> = body.positions.iter().map(|x| x.dot(out) > limit).collect();
    let far = |corners: &[u32; 3]| corners.iter().all(|v| beyond[*v as usize]);
    (0..body.triangles.len() as u32).filter(|t| far(&body.triangles[*t as usize])).collect()
}

/// Where half-edge 3 i + k of triangle `far[i]` begins and ends.
fn ends(body: &Surface<'_>, far: &[u32], half: u32) -> [u32; 2] {
    let corners = body.triangles[far[half as usize / 3] as usize];
    [half % 3, (half + 1) % 3].map(|k| corners[k as usize])
}

/// For every half-edge of some triangles the one of them that runs back.
fn mates(body: &Surface<'_>, far: &[u32]) -> Vec<Option<u32>> {
    let keyed = |half: u32| {
        let [from, to] = ends(body, far, half);
        (from.min(to), from.max(to), half)
    };
    let mut edges: Vec<(u32, u32, u32)> = (0..3 * far.len() as u32).map(keyed).collect();
    edges.sort_unstable();
    let mut mates = vec![None; edges.len()];
    for pair in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [(.., one), (.., other)] = *pair {
            (mates[one as usize], mates[other as usize]) = (Some(other), Some(one));
        }
    }
    mates
}

/// A union in which the far parts of bodies take the place of their cones. Nothing where the union has changed a cone.
pub(super) fn restored(
    union: &Union,
    crops: &[(u32, Crop)],
    bodies: &[Surface<'_>],
) -> Option<Union> {
    let mut whole = Restored::keeping(union, |[body, triangle]| {
        (triangle as usize) < bodies[body as usize].triangles.len()
    });
    for (body, crop) in crops {
        whole.put_back(*body, &bodies[*body as usize], crop, union)?;
    }
    whole.is_closed().then_some(whole.union)
}

struct Restored {
    union: Union,
    /// New number of every triangle and point that is kept.
    triangle: Vec<u32>,
    point: Vec<u32>,
}

impl Restored {
    fn keeping(union: &Union, keeps: impl Fn([u32; 2]) -> bool) -> Self {
        let mut out = Self {
            union: Union::default(),
            triangle: vec![u32::MAX; union.triangles.len()],
            point: vec![u32::MAX; union.points.len()],
        };
        let kept = (0..union.triangles.len()).filter(|t| keeps(union.source[*t]));
        for t in kept.clone() {
            out.triangle[t] = out.union.triangles.len() as u32;
            let corners = union.triangles[t]
                .map(|v| numbered(v, &mut out.point, &union.points, &mut out.union.points));
            out.union.triangles.push(corners);
            out.union.source.push(union.source[t]);
        }
        for t in kept {
            // A cone's are put right when the far part comes back.
            let back = [0, 1, 2].map(|k| out.half(union.opposite[3 * t + k]).unwrap_or(u32::MAX));
            out.union.opposite.extend(back);
        }
        out
    }

    /// New number of a half-edge; of a cone's none.
    fn half(&self, old: u32) -> Option<u32> {
        let triangle = self.triangle[old as usize / 3];
        (triangle != u32::MAX).then_some(3 * triangle + old % 3)
    }

    /// The half-edges of a body that look at its cones, by triangle of a cone. Nothing where a rim has been cut.
    fn joints(&self, body: u32, triangles: usize, cones: usize, old: &Union) -> Option<Vec<u32>> {
        let mut joints: Vec<Option<u32>> = vec![None; cones];
        for half in (0..old.opposite.len() as u32).filter(|half| old.body(*half) == body) {
            let [owner, across] = old.source[old.opposite[half as usize] as usize / 3];
            let cone = (across as usize).checked_sub(triangles).filter(|_| owner == body);
            if let (Some(cone), Some(kept)) = (cone, self.half(half))
                && joints.get_mut(cone)?.replace(kept).is_some()
            {
                return None;
            }
        }
        joints.into_iter().collect()
    }

    fn put_back(
        &mut self,
        body: u32,
        surface: &Surface<'_>,
        crop: &Crop,
        old: &Union,
    ) -> Option<()> {
        let joints = self.joints(body, surface.triangles.len(), crop.rims.len(), old)?;
        let first = 3 * self.union.triangles.len() as u32;
        let mut point = vec![u32::MAX; surface.positions.len()];
        let mut opposite: Vec<Option<u32>> =
            crop.mates.iter().map(|mate| mate.map(|mate| first + mate)).collect();
        for (far, near) in crop.rims.iter().zip(joints) {
            let [from, to] = ends(surface, &crop.far, *far);
            point[to as usize] = self.union.origin(near);
            point[from as usize] = self.union.target(near);
            opposite[*far as usize] = Some(near);
            self.union.opposite[near as usize] = first + far;
        }
        for &t in &crop.far {
            let corners = surface.triangles[t as usize]
                .map(|v| numbered(v, &mut point, surface.positions, &mut self.union.points));
            self.union.triangles.push(corners);
            self.union.source.push([body, t]);
        }
        for back in opposite {
            self.union.opposite.push(back?);
        }
        Some(())
    }

    /// Whether every edge has one that runs back.
    fn is_closed(&self) -> bool {
        let union = &self.union;
        let back = |half: u32| union.opposite[half as usize];
        (0..union.opposite.len() as u32).all(|half| {
            (back(half) as usize) < union.opposite.len()
                && back(back(half)) == half
                && union.origin(half) == union.target(back(half))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::{unite_group, whole_union};
    use super::*;
    use crate::generate::{cuboid, sphere, tube};
    use crate::topology::{directed_edges, first_open_edge, first_repeated_edge};
    use crate::{TriMesh, disjoint::DisjointSets};

    fn surface(mesh: &TriMesh) -> Surface<'_> {
        Surface { positions: &mesh.vertices, triangles: &mesh.triangles }
    }

    /// Volumes of the connected parts of a boundary, ascending, m3.
    fn volumes(union: &Union) -> Vec<f64> {
        let mut sets = DisjointSets::new(union.triangles.len());
        for (half, back) in union.opposite.iter().enumerate() {
            sets.join(half as u32 / 3, back / 3);
        }
        let (count, number) = sets.numbered();
        let mut volumes = vec![0.0; count];
        for (corners, part) in union.triangles.iter().zip(number) {
            let [a, b, c] = corners.map(|v| union.points[v as usize]);
            volumes[part as usize] += a.dot(b.cross(c)) / 6.0;
        }
        volumes.sort_by(f64::total_cmp);
        volumes
    }

    /// Cropped and whole, a union has the same parts with the same volumes, and names the same source triangles.
    fn assert_same_union(meshes: &[TriMesh], parts: usize) {
        let bodies: Vec<Surface<'_>> = meshes.iter().map(surface).collect();
        let group: Vec<u32> = (0..bodies.len() as u32).collect();
        let whole = whole_union(&group, &bodies).unwrap();
        let cropped = unite_group(&group, &bodies, 1).expect("something is far from the others");
        let (a, b) = (volumes(&whole), volumes(&cropped));
        assert_eq!((a.len(), b.len()), (parts, parts), "{a:?} {b:?}");
        let scale = a.iter().map(|v| v.abs()).fold(0.0, f64::max);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12 * scale), "{a:?} {b:?}");
        let sources = |union: &Union| {
            let mut sources = union.source.clone();
            sources.sort_unstable();
            sources.dedup();
            sources
        };
        assert_eq!(sources(&whole), sources(&cropped));
    }

    #[test]
    fn what_hangs_below_comes_back() {
        // A ball in a plate.
        let plate = cuboid(DVec3::new(0.2, 0.2, 0.02), [3, 3, 1]).unwrap();
        assert_same_union(&[sphere(0.05, 4).unwrap(), plate.translated(DVec3::Z * 0.055)], 1);
    }

    #[test]
    fn enclosed_air_stays_enclosed_and_open_air_open() {
        // A pipe on a plate is open at its far end: one boundary. Two plates close it: a second one, of negative volume.
        let pipe = || tube(0.03, 0.04, 0.1, 24, 8, 1).unwrap();
        let plate = |width: f64, z: f64| {
            let plate = cuboid(DVec3::new(width, width, 0.02), [8, 8, 1]).unwrap();
            plate.translated(DVec3::new(0.001, 0.002, z))
        };
        assert_same_union(&[pipe(), plate(0.2, -0.055)], 1);
        assert_same_union(&[pipe(), plate(0.2, 0.055)], 1);
        assert_same_union(&[pipe(), plate(0.2, -0.055), plate(0.1, 0.055)], 2);
    }

    #[test]
    fn a_body_inside_another_keeps_its_room() {
        // A ball in the corner of a hollow box would be lost if the box were cut without its inner wall.
        let room = cuboid(DVec3::splat(0.08), [8; 3]).unwrap();
        let mut hull = cuboid(DVec3::splat(0.1), [10; 3]).unwrap();
        let first = hull.vertices.len() as u32;
        hull.vertices.extend(&room.vertices);
        hull.triangles.extend(room.triangles.iter().map(|[a, b, c]| [a, c, b].map(|v| v + first)));
        let ball = sphere(0.01, 3).unwrap().translated(DVec3::new(0.031, 0.0305, 0.0302));
        assert_same_union(&[hull, ball], 2);
    }

    #[test]
    fn a_cropped_body_is_closed() {
        let ball = sphere(0.05, 4).unwrap();
        let lid = Bounds { min: DVec3::new(-0.1, -0.1, 0.03), max: DVec3::splat(0.1) };
        let crop = Crop::of(&surface(&ball), &lid, WORTH).expect("most of the ball is below");
        assert!(crop.triangles.len() < ball.triangles.len() / 2);
        let edges = directed_edges(&crop.triangles);
        assert!(first_open_edge(&edges).is_none() && first_repeated_edge(&edges).is_none());
        let tips = &crop.positions[crop.positions.len() - 1];
        assert!(tips.z < 0.03, "the cone points away: {tips}");
        assert!(
            Crop::of(&surface(&ball), &Bounds::of(&ball.vertices), 1).is_none(),
            "nothing is far"
        );
    }

    #[test]
    fn a_cut_cone_is_not_taken_for_whole() {
        let meshes = [
            sphere(0.05, 4).unwrap(),
            cuboid(DVec3::splat(0.03), [2; 3]).unwrap().translated(DVec3::Z * 0.05),
        ];
        let bodies: Vec<Surface<'_>> = meshes.iter().map(surface).collect();
        let lid = Bounds { min: DVec3::new(-0.1, -0.1, 0.03), max: DVec3::splat(0.1) };
        let crop = Crop::of(&bodies[0], &lid, WORTH).expect("most of the ball is below");
        let whole = whole_union(&[0, 1], &bodies).unwrap();
        assert!(restored(&whole, &[(0, crop)], &bodies).is_none(), "there is no cone in it");
    }
}

//! The union of closed meshes, with the source triangle of every triangle of its boundary.
//!
//! `manifold-rust` does the union; it keeps manifold topology for any manifold input and carries a face number through
//! every cut. It asserts its own invariants, so callers must be ready for a panic. Bodies whose boxes meet no other box
//! pass through untouched.

use manifold_rust::manifold::Manifold;
use manifold_rust::types::{BooleanEngine, Error, MeshGLP, OpType};
use rayon::prelude::*;

use super::Surface;
use super::crop::{self, Crop, restored};
use crate::disjoint::DisjointSets;
use crate::topology::{directed_edges, first_open_edge, first_repeated_edge};
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// The boundary of the union of all bodies.
#[derive(Debug, Default)]
pub(super) struct Union {
    pub points: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Half-edge 3 t + k runs from corner k of triangle t to the next; here is the one that runs back.
    pub opposite: Vec<u32>,
    /// Body and source triangle of each triangle.
    pub source: Vec<[u32; 2]>,
}

impl Union {
    pub fn origin(&self, half: u32) -> u32 {
        self.triangles[half as usize / 3][half as usize % 3]
    }

    pub fn target(&self, half: u32) -> u32 {
        self.origin(next(half))
    }

    pub fn body(&self, half: u32) -> u32 {
        self.source[half as usize / 3][0]
    }
}

/// The half-edge that follows in the same triangle.
pub(super) fn next(half: u32) -> u32 {
    if half % 3 == 2 { half - 2 } else { half + 1 }
}

pub(super) fn unite(bodies: &[Surface<'_>]) -> Result<Union, GeometryError> {
    let mut union = Union::default();
    for group in overlapping(bodies) {
        match group[..] {
            [single] => append_alone(&mut union, single, &bodies[single as usize])?,
            _ => append_united(&mut union, &group, bodies)?,
        }
    }
    Ok(union)
}

/// Groups of bodies whose boxes overlap, directly or through others; ascending.
fn overlapping(bodies: &[Surface<'_>]) -> Vec<Vec<u32>> {
    let bounds: Vec<Bounds> = bodies.iter().map(|body| Bounds::of(body.positions)).collect();
    let mut sets = DisjointSets::new(bodies.len());
    for a in 0..bodies.len() {
        for b in 0..a {
            if bounds[a].near(&bounds[b], 0.0) {
                sets.join(a as u32, b as u32);
            }
        }
    }
    sets.members()
}

fn append_alone(union: &mut Union, body: u32, surface: &Surface<'_>) -> Result<(), GeometryError> {
    let edges = directed_edges(surface.triangles);
    if let Some(error) = first_repeated_edge(&edges).or_else(|| first_open_edge(&edges)) {
        return Err(error);
    }
    let (first_point, first_triangle) = (union.points.len() as u32, union.triangles.len() as u32);
    union.points.extend_from_slice(surface.positions);
    for (index, triangle) in surface.triangles.iter().enumerate() {
        union.triangles.push(triangle.map(|vertex| vertex + first_point));
        union.source.push([body, index as u32]);
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            let back = edges
                .binary_search_by(|edge| (edge.from, edge.to).cmp(&(to, from)))
                .map(|found| edges[found].triangle)
                .expect("checked above: no edge is open");
            let corners = surface.triangles[back as usize];
            let corner = corners.iter().position(|vertex| *vertex == to).unwrap_or(0);
            union.opposite.push(3 * (first_triangle + back) + corner as u32);
        }
    }
    Ok(())
}

fn append_united(
    union: &mut Union,
    group: &[u32],
    bodies: &[Surface<'_>],
) -> Result<(), GeometryError> {
    let part = match unite_group(group, bodies, crop::WORTH) {
        Some(part) => part,
        None => whole_union(group, bodies)?,
    };
    let (first_point, first_triangle) = (union.points.len() as u32, union.triangles.len() as u32);
    union.points.extend(part.points);
    union.triangles.extend(part.triangles.iter().map(|corners| corners.map(|v| v + first_point)));
    union.opposite.extend(part.opposite.iter().map(|back| back + 3 * first_triangle));
    union.source.extend(part.source);
    Ok(())
}

/// The union with all that is far from other bodies left out on the way, in parts of at least `worth` triangles. Nothing where there
/// is no such part, or where it does not come back as it was.
pub(super) fn unite_group(group: &[u32], bodies: &[Surface<'_>], worth: usize) -> Option<Union> {
    let bounds: Vec<Bounds> =
        group.iter().map(|body| Bounds::of(bodies[*body as usize].positions)).collect();
    let mut crops = Vec::new();
    for (i, body) in group.iter().enumerate() {
        let others = bounds.iter().enumerate().filter(|(k, _)| *k != i);
        let others = others.fold(Bounds::EMPTY, |all, (_, each)| all.join(*each));
        crops.extend(Crop::of(&bodies[*body as usize], &others, worth).map(|crop| (*body, crop)));
    }
    if crops.is_empty() {
        return None;
    }
    let solid = |body: &u32| match crops.iter().find(|(cropped, _)| cropped == body) {
        Some((_, crop)) => Solid::cropped(*body, crop),
        None => Solid::whole(*body, bodies),
    };
    let solids: Vec<Solid<'_>> = group.iter().map(solid).collect();
    restored(&exported(&united(&solids).ok()?).ok()?, &crops, bodies)
}

pub(super) fn whole_union(group: &[u32], bodies: &[Surface<'_>]) -> Result<Union, GeometryError> {
    let solids: Vec<Solid<'_>> = group.iter().map(|body| Solid::whole(*body, bodies)).collect();
    let union = exported(&united(&solids)?)?;
    let known = |[body, triangle]: &[u32; 2]| {
        bodies.get(*body as usize).is_some_and(|s| (*triangle as usize) < s.triangles.len())
    };
    if union.source.iter().all(known) {
        Ok(union)
    } else {
        Err(failed("a triangle of the union names no source"))
    }
}

/// What the engine gives, with its half-edges in our order.
fn exported(solid: &Manifold) -> Result<Union, GeometryError> {
    let solid = solid.as_impl();
    let halves = &solid.halfedge;
    let sound = |half: &manifold_rust::types::Halfedge| {
        (0..halves.len() as i32).contains(&half.paired_halfedge)
            && (0..solid.vert_pos.len() as i32).contains(&half.start_vert)
    };
    if halves.len() != 3 * solid.mesh_relation.tri_ref.len() || !halves.iter().all(sound) {
        return Err(failed("the union has unpaired edges"));
    }
    let corners = |triple: &[manifold_rust::types::Halfedge]| {
        [0, 1, 2].map(|k: usize| triple[k].start_vert as u32)
    };
    let sources = solid.mesh_relation.tri_ref.iter();
    Ok(Union {
        points: solid.vert_pos.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect(),
        triangles: halves.chunks_exact(3).map(corners).collect(),
        opposite: halves.iter().map(|half| half.paired_halfedge as u32).collect(),
        source: sources.map(|s| [s.original_id as u32, s.face_id as u32]).collect(),
    })
}

/// A body as the engine takes it.
struct Solid<'a> {
    body: u32,
    surface: Surface<'a>,
    /// Numbers of its triangles, where they are not those of the list.
    faces: Option<&'a [u32]>,
    bounds: Bounds,
}

impl<'a> Solid<'a> {
    fn whole(body: u32, bodies: &[Surface<'a>]) -> Self {
        let surface = bodies[body as usize];
        Self { body, surface, faces: None, bounds: Bounds::of(surface.positions) }
    }

    fn cropped(body: u32, crop: &'a Crop) -> Self {
        let surface = Surface { positions: &crop.positions, triangles: &crop.triangles };
        Self { body, surface, faces: Some(&crop.faces), bounds: Bounds::of(surface.positions) }
    }
}

fn united(solids: &[Solid<'_>]) -> Result<Manifold, GeometryError> {
    let import = |layer: &Vec<&Solid<'_>>| imported(layer);
    let layers: Vec<Manifold> = layers(solids).par_iter().map(import).collect();
    let mut result: Option<Manifold> = None;
    for solid in layers {
        check(&solid, "a body is not a closed solid")?;
        result = Some(match result {
            None => solid,
            Some(before) => before.boolean_with_engine(&solid, OpType::Add, BooleanEngine::Exact),
        });
    }
    let result = result.unwrap_or_default();
    check(&result, "the union failed")?;
    Ok(result)
}

/// Layers of bodies that do not meet each other: a layer is one solid, and there are fewer unions than bodies.
fn layers<'s, 'a>(solids: &'s [Solid<'a>]) -> Vec<Vec<&'s Solid<'a>>> {
    let mut layers: Vec<Vec<&Solid<'a>>> = Vec::new();
    for solid in solids {
        let apart = |layer: &&mut Vec<&Solid<'a>>| {
            layer.iter().all(|other| !other.bounds.near(&solid.bounds, 0.0))
        };
        match layers.iter_mut().find(apart) {
            Some(layer) => layer.push(solid),
            None => layers.push(vec![solid]),
        }
    }
    layers
}

fn imported(layer: &[&Solid<'_>]) -> Manifold {
    let mut mesh = MeshGLP::<f64, u32> { num_prop: 3, run_index: vec![0], ..Default::default() };
    for Solid { body, surface, faces, .. } in layer {
        let first = mesh.vert_properties.len() as u32 / 3;
        mesh.vert_properties.extend(surface.positions.iter().flat_map(|p| p.to_array()));
        mesh.tri_verts.extend(surface.triangles.iter().flatten().map(|vertex| first + vertex));
        match faces {
            Some(faces) => mesh.face_id.extend_from_slice(faces),
            None => mesh.face_id.extend(0..surface.triangles.len() as u32),
        }
        mesh.run_original_id.push(*body);
        mesh.run_index.push(mesh.tri_verts.len() as u32);
    }
    Manifold::from_mesh_glp(&mesh)
}

fn check(solid: &Manifold, what: &str) -> Result<(), GeometryError> {
    match solid.status() {
        Error::NoError => Ok(()),
        status => Err(failed(&format!("{what} ({status:?})"))),
    }
}

pub(super) fn failed(reason: &str) -> GeometryError {
    GeometryError::UnionFailed { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::cuboid;

    /// Four blocks in a row, the second and third overlapping: three layers would be too many, one too few.
    #[test]
    fn layers_hold_bodies_that_do_not_meet() {
        let at = |x: f64| cuboid(DVec3::ONE, [1; 3]).unwrap().translated(DVec3::X * x);
        let blocks = [at(0.0), at(2.0), at(2.5), at(5.0)];
        let bodies: Vec<Surface> = blocks
            .iter()
            .map(|m| Surface { positions: &m.vertices, triangles: &m.triangles })
            .collect();
        let solids: Vec<Solid<'_>> = (0..4).map(|body| Solid::whole(body, &bodies)).collect();
        let numbers = |layer: &Vec<&Solid<'_>>| layer.iter().map(|s| s.body).collect::<Vec<u32>>();
        let layers: Vec<Vec<u32>> = layers(&solids).iter().map(numbers).collect();
        assert_eq!(layers, [vec![0, 1, 3], vec![2]]);
        let union = united(&solids).unwrap();
        // 1 + 1.5 + 1 m3, and every triangle knows its body.
        assert!((union.volume() - 3.5).abs() < 1e-12);
        let mut found = Union::default();
        append_united(&mut found, &[0, 1, 2, 3], &bodies).unwrap();
        for (triangle, [body, _]) in found.triangles.iter().zip(&found.source) {
            let centre: DVec3 =
                triangle.iter().map(|v| found.points[*v as usize]).sum::<DVec3>() / 3.0;
            let box_of = Bounds::of(bodies[*body as usize].positions);
            assert!(box_of.distance_squared(centre) < 1e-20, "{body}");
        }
    }
}

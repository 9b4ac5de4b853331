//! The buried rest of a triangle of which the union left some fragments.
//!
//! In the plane of the triangle's barycentric weights, the edges at which its free fragments end and its own outline
//! are constraints of a Delaunay triangulation. No edge between a free and a buried face is unconstrained, so the
//! faces fall into groups, and each group is judged by all constraints round it: on the left of a fragment's edge is
//! free, on the right buried; a stretch of the outline that no fragment covers is buried.

use spade::handles::{FixedDirectedEdgeHandle, FixedVertexHandle};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::engine::{Union, next};
use crate::disjoint::DisjointSets;

/// Allowed difference between the parts and the whole, as a fraction of the triangle's area: above the rounding of weights (1e-11, see
/// `carrier`), and far below the area of a part that would be missed.
const AREA_TOLERANCE: f64 = 1e-9;

/// A part of side `side` (corner `side` to the next), from weight `from` to `to` of the later corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub side: usize,
    pub from: f64,
    pub to: f64,
}

/// What is buried of one triangle.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Faces with the number of their connected group.
    pub faces: Vec<([[f64; 3]; 3], u32)>,
    pub groups: u32,
    /// Half-edges of the union at which a free fragment ends, with the group behind.
    pub behind: Vec<(u32, u32)>,
    /// Half-edges of the union at which a free fragment ends exactly on the outline.
    pub on_outline: Vec<(Stretch, u32)>,
    /// Parts of the outline along which a group lies.
    pub outline: Vec<(Stretch, u32)>,
    /// Whether fragments and buried faces together cover the triangle once.
    pub sound: bool,
}

type Plane = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// An edge of the triangulation and, for the end of a fragment, the half-edge of the union.
struct Known {
    edge: FixedDirectedEdgeHandle,
    /// +1 if the left side is free, -1 if it is buried.
    left: f64,
    half: Option<u32>,
}

/// `fragments` are the triangles of the union that lie on the source triangle; `located` the weights per half-edge.
pub(super) fn cut(union: &Union, located: &[[f64; 3]], fragments: &[u32]) -> Option<Cut> {
    let mut plane = Plane::new();
    let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for corner in corners {
        insert(&mut plane, corner)?;
    }
    let mut points = corners.to_vec();
    let mut ends = Vec::new();
    for &fragment in fragments {
        for half in 3 * fragment..3 * fragment + 3 {
            points.push(located[half as usize]);
            let other = union.opposite[half as usize] / 3;
            if union.source[other as usize] != union.source[fragment as usize] {
                ends.push(half);
            }
        }
    }
    let mut handles = Vec::with_capacity(points.len());
    for point in &points {
        handles.push(insert(&mut plane, *point)?);
    }
    let mut result = Cut { sound: true, ..Cut::default() };
    let covered = sort_ends(located, &mut ends, &mut result);
    let mut known = Vec::new();
    let outline = add_outline(&mut plane, &points, &handles, &covered, &mut known);
    for half in ends {
        let [from, to] = [half, next(half)].map(|h| insert(&mut plane, located[h as usize]));
        let edges = plane.try_add_constraint(from?, to?);
        result.sound &= !edges.is_empty() || from == to;
        known.extend(edges.into_iter().map(|edge| Known { edge, left: 1.0, half: Some(half) }));
    }
    collect(&plane, &known, &outline, &mut result);
    let area: f64 = fragments
        .iter()
        .map(|fragment| {
            let first = 3 * *fragment as usize;
            doubled_area([0, 1, 2].map(|k| located[first + k]))
        })
        .chain(result.faces.iter().map(|face| doubled_area(face.0)))
        .sum();
    result.sound &= (area - 1.0).abs() < AREA_TOLERANCE;
    Some(result)
}

fn insert(plane: &mut Plane, [_, x, y]: [f64; 3]) -> Option<FixedVertexHandle> {
    plane.insert(Point2::new(x, y)).ok()
}

/// Twice the area in the plane of the weights; 1 for the whole triangle.
fn doubled_area([a, b, c]: [[f64; 3]; 3]) -> f64 {
    (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1])
}

/// Takes the ends that lie on the outline out of `ends`; gives the stretches of the outline that fragments cover.
fn sort_ends(located: &[[f64; 3]], ends: &mut Vec<u32>, result: &mut Cut) -> Vec<Stretch> {
    let mut covered = Vec::new();
    ends.retain(|&half| {
        let [from, to] = [half, next(half)].map(|h| located[h as usize]);
        let side = (0..3).find(|k| from[(k + 2) % 3] == 0.0 && to[(k + 2) % 3] == 0.0);
        if let Some(side) = side {
            let later = (side + 1) % 3;
            let stretch = Stretch { side, from: from[later], to: to[later] };
            covered.push(stretch);
            result.on_outline.push((stretch, half));
        }
        side.is_none()
    });
    covered
}

/// Constrains the outline, cut at all points on it.
fn add_outline(
    plane: &mut Plane,
    points: &[[f64; 3]],
    handles: &[FixedVertexHandle],
    covered: &[Stretch],
    known: &mut Vec<Known>,
) -> Vec<(Stretch, FixedDirectedEdgeHandle)> {
    let mut outline = Vec::new();
    for side in 0..3 {
        let later = (side + 1) % 3;
        let on_side = (0..points.len()).filter(|p| points[*p][(side + 2) % 3] == 0.0);
        let mut stops: Vec<(f64, usize)> = on_side.map(|p| (points[p][later], p)).collect();
        stops.sort_by(|a, b| a.0.total_cmp(&b.0));
        stops.dedup_by_key(|stop| stop.0);
        for pair in stops.windows(2) {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            let middle = 0.5 * (from + to);
            let free = covered.iter().any(|s| s.side == side && s.from <= middle && middle <= s.to);
            let left = if free { 1.0 } else { -1.0 };
            for edge in plane.try_add_constraint(handles[a], handles[b]) {
                known.push(Known { edge, left, half: None });
                outline.push((Stretch { side, from, to }, edge));
            }
        }
    }
    outline
}

/// Groups the faces, judges the groups and lists what is buried.
fn collect(
    plane: &Plane,
    known: &[Known],
    outline: &[(Stretch, FixedDirectedEdgeHandle)],
    result: &mut Cut,
) {
    let mut sets = DisjointSets::new(plane.num_all_faces());
    for edge in plane.undirected_edges().filter(|edge| !edge.is_constraint_edge()) {
        let edge = edge.as_directed();
        sets.join(edge.face().fix().index() as u32, edge.rev().face().fix().index() as u32);
    }
    let (count, group_of) = sets.numbered();
    let group = |face: usize| group_of[face] as usize;
    let mut score = vec![0.0; count];
    for each in known {
        let edge = plane.directed_edge(each.edge);
        let weight = each.left * edge.length_2().sqrt();
        score[group(edge.face().fix().index())] += weight;
        if each.half.is_some() {
            score[group(edge.rev().face().fix().index())] -= weight;
        }
    }
    let outside = group(plane.outer_face().fix().index());
    let mut number: Vec<Option<u32>> = vec![None; count];
    for face in plane.inner_faces() {
        let index = group(face.fix().index());
        if score[index] > 0.0 || index == outside {
            continue;
        }
        let groups = &mut result.groups;
        let buried = *number[index].get_or_insert_with(|| {
            *groups += 1;
            *groups - 1
        });
        let corners = face.positions().map(|p| [1.0 - p.x - p.y, p.x, p.y]);
        result.faces.push((corners, buried));
    }
    for each in known {
        let edge = plane.directed_edge(each.edge);
        let behind = number[group(edge.rev().face().fix().index())];
        if let (Some(half), Some(buried)) = (each.half, behind) {
            result.behind.push((half, buried));
        }
    }
    for (stretch, edge) in outline {
        let face = plane.directed_edge(*edge).face().fix().index();
        if let Some(buried) = number[group(face)] {
            result.outline.push((*stretch, buried));
        }
    }
}

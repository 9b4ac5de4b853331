//! A plane region cut into quads: triangles, joined in pairs where that makes good quads, all halved both ways.
//!
//! Halving a triangle makes three convex quads and halving a convex quad makes four, so no region is left over.

use std::collections::BTreeMap;

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::outline::Resampled;

/// Two triangles are joined if the quad's worst corner (sine of its angle) is at least this good.
const WORST_JOINED_CORNER: f64 = 0.35;
/// A grid point must stay this far from the outline, in spacings, or it would make slivers.
const CLEARANCE: f64 = 0.6;
/// Rounds of smoothing.
const ROUNDS: usize = 12;

/// Quads in the plane.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlaneQuads {
    pub points: Vec<[f64; 2]>,
    /// Counter-clockwise.
    pub quads: Vec<[u32; 4]>,
    /// The points on each core's side, in the order of the outline.
    pub cores: Vec<Vec<u32>>,
}

/// Cuts the inside of an outline into quads of half the `spacing` (m) of its edges. None where edges of this length
/// cannot follow the outline: they cross, or a quad would fold.
pub(crate) fn quads_inside(outline: &Resampled, spacing: f64) -> Option<PlaneQuads> {
    let triangles = triangulate(outline, spacing)?;
    let faces = joined(&triangles);
    let mut mesh = halved(triangles.points, &faces, outline);
    smooth(&mut mesh, 2 * outline.ends.len());
    mesh.quads.iter().all(|quad| worst_corner(&mesh.points, quad) > 1e-3).then_some(mesh)
}

struct Triangles {
    /// The ends of the outline's edges, their middles (which no triangle uses), and points inside.
    points: Vec<[f64; 2]>,
    triangles: Vec<[u32; 3]>,
}

fn triangulate(outline: &Resampled, spacing: f64) -> Option<Triangles> {
    let ends = &outline.ends;
    let inside = grid_inside(ends, spacing);
    let mut plane = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(ends.len() + inside.len());
    for p in ends.iter().chain(&inside) {
        handles.push(plane.insert(Point2::new(p[0], p[1])).ok()?);
    }
    if plane.num_vertices() != handles.len() {
        return None;
    }
    for k in 0..ends.len() {
        let next = (k + 1) % ends.len();
        if plane.try_add_constraint(handles[k], handles[next]).is_empty() {
            return None;
        }
    }
    let points = [ends.as_slice(), &outline.middles, &inside].concat();
    let shifted = |index: usize| if index < ends.len() { index } else { index + ends.len() };
    let triangles = plane
        .inner_faces()
        .map(|face| face.vertices().map(|vertex| shifted(vertex.index()) as u32))
        .filter(|corners| {
            let at = corners.map(|c| points[c as usize]);
            let middle = [0, 1].map(|k| at.iter().map(|p| p[k]).sum::<f64>() / 3.0);
            is_inside(middle, ends)
        })
        .collect();
    Some(Triangles { points, triangles })
}

/// Points of a square grid that lie well inside.
fn grid_inside(ends: &[[f64; 2]], spacing: f64) -> Vec<[f64; 2]> {
    let low = [0, 1].map(|k| ends.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min));
    let high = [0, 1].map(|k| ends.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max));
    let counts = [0, 1].map(|k| ((high[k] - low[k]) / spacing).round().max(1.0) as usize);
    let mut found = Vec::new();
    for (i, j) in (1..counts[0]).flat_map(|i| (1..counts[1]).map(move |j| (i, j))) {
        let share = [i as f64 / counts[0] as f64, j as f64 / counts[1] as f64];
        let p = [0, 1].map(|k| low[k] + share[k] * (high[k] - low[k]));
        if is_inside(p, ends) && clearance(p, ends) >= CLEARANCE * spacing {
            found.push(p);
        }
    }
    found
}

/// Whether a ray from the point crosses the polygon an odd number of times.
fn is_inside(p: [f64; 2], polygon: &[[f64; 2]]) -> bool {
    let next = polygon.iter().cycle().skip(1);
    let crosses = |(a, b): &(&[f64; 2], &[f64; 2])| {
        (a[1] > p[1]) != (b[1] > p[1])
            && p[0] < a[0] + (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1])
    };
    polygon.iter().zip(next).filter(crosses).count() % 2 == 1
}

fn clearance(p: [f64; 2], polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    let to_edge = |(a, b): (&[f64; 2], &[f64; 2])| {
        let along = [b[0] - a[0], b[1] - a[1]];
        let share = ((p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1])
            / (along[0] * along[0] + along[1] * along[1]);
        let share = share.clamp(0.0, 1.0);
        (p[0] - a[0] - share * along[0]).hypot(p[1] - a[1] - share * along[1])
    };
    polygon.iter().zip(next).map(to_edge).fold(f64::INFINITY, f64::min)
}

/// The triangles, those that make the best quads joined in pairs; each face counter-clockwise.
fn joined(mesh: &Triangles) -> Vec<Vec<u32>> {
    let mut beside: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (index, t) in mesh.triangles.iter().enumerate() {
        for k in 0..3 {
            beside.entry(sorted([t[k], t[(k + 1) % 3]])).or_default().push(index);
        }
    }
    let mut pairs: Vec<(f64, [usize; 2], [u32; 4])> = Vec::new();
    for (edge, owners) in &beside {
        let &[a, b] = owners.as_slice() else { continue };
        let Some(quad) = quad_of(mesh.triangles[a], mesh.triangles[b], *edge) else { continue };
        let quality = worst_corner(&mesh.points, &quad);
        if quality >= WORST_JOINED_CORNER {
            pairs.push((quality, [a, b], quad));
        }
    }
    pairs.sort_by(|p, q| q.0.total_cmp(&p.0).then(p.1.cmp(&q.1)));
    let mut taken = vec![false; mesh.triangles.len()];
    let mut faces = Vec::new();
    for (_, pair, quad) in pairs {
        if pair.iter().all(|t| !taken[*t]) {
            pair.iter().for_each(|t| taken[*t] = true);
            faces.push(quad.to_vec());
        }
    }
    let left = mesh.triangles.iter().zip(&taken).filter(|(_, taken)| !**taken);
    faces.extend(left.map(|(t, _)| t.to_vec()));
    faces
}

/// The two triangles around a shared edge as one quad.
fn quad_of(first: [u32; 3], second: [u32; 3], edge: [u32; 2]) -> Option<[u32; 4]> {
    let apex = |t: [u32; 3]| (0..3).find(|k| !edge.contains(&t[*k]));
    let (k, other) = (apex(first)?, second[apex(second)?]);
    Some([first[k], first[(k + 1) % 3], other, first[(k + 2) % 3]])
}

/// Every face with a point in its middle and on each edge: one quad for each corner.
fn halved(mut points: Vec<[f64; 2]>, faces: &[Vec<u32>], outline: &Resampled) -> PlaneQuads {
    let ends = outline.ends.len() as u32;
    // The outline's own middles lie on the true outline, also where it is curved.
    let on_outline = (0..ends).map(|k| (sorted([k, (k + 1) % ends]), ends + k));
    let mut middle_of: BTreeMap<[u32; 2], u32> = on_outline.collect();
    let mut quads = Vec::new();
    for face in faces {
        let n = face.len();
        let middle = |k: usize, points: &mut Vec<[f64; 2]>, known: &mut BTreeMap<_, _>| {
            let edge = sorted([face[k], face[(k + 1) % n]]);
            *known.entry(edge).or_insert_with(|| add_mean(points, &edge))
        };
        let middles: Vec<u32> = (0..n).map(|k| middle(k, &mut points, &mut middle_of)).collect();
        let centre = add_mean(&mut points, face);
        quads.extend((0..n).map(|k| [face[k], middles[k], centre, middles[(k + n - 1) % n]]));
    }
    let cores = outline.cores.iter().map(|&(first, edges)| {
        let (first, edges) = (first as u32, edges as u32);
        let each = (first..first + edges).flat_map(|edge| [edge, ends + edge]);
        each.chain([(first + edges) % ends]).collect()
    });
    PlaneQuads { cores: cores.collect(), points, quads }
}

/// Adds the mean of some points; gives its index.
fn add_mean(points: &mut Vec<[f64; 2]>, of: &[u32]) -> u32 {
    let share = 1.0 / of.len() as f64;
    points.push([0, 1].map(|k| of.iter().map(|p| points[*p as usize][k]).sum::<f64>() * share));
    points.len() as u32 - 1
}

/// Moves the points after the first `fixed` to the middle of their neighbours wherever that makes the worst corner
/// around them better.
fn smooth(mesh: &mut PlaneQuads, fixed: usize) {
    let count = mesh.points.len();
    let (mut around, mut beside) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (index, quad) in mesh.quads.iter().enumerate() {
        for k in 0..4 {
            around[quad[k] as usize].push(index);
            // All quads run the same way round, so each neighbour of an inner point is named once.
            beside[quad[k] as usize].push(quad[(k + 1) % 4]);
        }
    }
    let worst = |mesh: &PlaneQuads, p: usize| {
        let each = around[p].iter().map(|&q| worst_corner(&mesh.points, &mesh.quads[q]));
        each.fold(f64::INFINITY, f64::min)
    };
    for p in (0..ROUNDS).flat_map(|_| fixed..count) {
        let (old, before) = (mesh.points[p], worst(mesh, p));
        let share = 1.0 / beside[p].len().max(1) as f64;
        mesh.points[p] = [0, 1]
            .map(|k| beside[p].iter().map(|&q| mesh.points[q as usize][k]).sum::<f64>() * share);
        if worst(mesh, p) <= before {
            mesh.points[p] = old;
        }
    }
}

/// The least sine of a quad's corners; negative where it is folded or not convex.
fn worst_corner(points: &[[f64; 2]], quad: &[u32; 4]) -> f64 {
    let at = quad.map(|p| points[p as usize]);
    let corner = |k: usize| {
        let [p, q, r] = [at[(k + 3) % 4], at[k], at[(k + 1) % 4]];
        let [d, e] = [[q[0] - p[0], q[1] - p[1]], [r[0] - q[0], r[1] - q[1]]];
        (d[0] * e[1] - d[1] * e[0]) / (d[0].hypot(d[1]) * e[0].hypot(e[1]))
    };
    (0..4).map(corner).fold(f64::INFINITY, f64::min)
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

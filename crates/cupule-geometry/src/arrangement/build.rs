//! From thickened bodies to their arrangement: union, places on the sources, buried rest, regions, borders.

use std::f64::consts::TAU;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::border::Placed;
use super::carrier::locate;
use super::engine::{Union, failed, unite};
use super::generic::nudged;
use super::region::{Buried, bury};
use super::{Arrangement, Border, Component, Piece, Region, Side, Surface};
use crate::disjoint::DisjointSets;
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// How often a union that fails, or does not cover its sources, is tried with bodies moved a little more each time. The last of four moves
/// them by 3e-6 of their extent (see `generic`), which is still far below a sealing distance.
const ATTEMPTS: i32 = 4;

/// Arranges the surfaces of a contact group: `thickened` holds, per body, the positions of its vertices after
/// [`super::thicken`], m.
///
/// # Errors
/// Surfaces that are not closed and manifold, positions that do not fit them, or a union that fails for all of a few
/// tiny displacements.
pub fn arrange(
    surfaces: &[Surface<'_>],
    thickened: &[Vec<DVec3>],
) -> Result<Arrangement, GeometryError> {
    let bodies = thick_surfaces(surfaces, thickened)?;
    let mut error = failed("no attempt was made");
    for attempt in 0..ATTEMPTS {
        // The union engine and the triangulation assert their invariants: a panic there is one more failed attempt.
        let result = catch_unwind(AssertUnwindSafe(|| arranged(&bodies, attempt)))
            .unwrap_or_else(|_| Err(failed("an invariant of the union broke")));
        match result {
            Err(failure @ GeometryError::UnionFailed { .. }) => error = failure,
            other => return other,
        }
    }
    Err(error)
}

fn thick_surfaces<'a>(
    surfaces: &[Surface<'a>],
    thickened: &'a [Vec<DVec3>],
) -> Result<Vec<Surface<'a>>, GeometryError> {
    let fit = surfaces.len() == thickened.len()
        && surfaces.iter().zip(thickened).all(|(s, thick)| s.positions.len() == thick.len());
    if !fit {
        return Err(GeometryError::BadParameter {
            shape: "arrangement",
            parameter: "number of thickened positions",
            value: thickened.iter().map(Vec::len).sum::<usize>() as f64,
            expected: "each body needs one for each of its vertices",
        });
    }
    let thick = |(surface, positions): (&Surface<'a>, &'a Vec<DVec3>)| Surface {
        positions: positions.as_slice(),
        triangles: surface.triangles,
    };
    let bodies: Vec<Surface<'a>> = surfaces.iter().zip(thickened).map(thick).collect();
    bodies.iter().try_for_each(Surface::check)?;
    Ok(bodies)
}

fn arranged(bodies: &[Surface<'_>], attempt: i32) -> Result<Arrangement, GeometryError> {
    let moved = nudged(bodies, attempt);
    let bodies: Vec<Surface<'_>> = bodies
        .iter()
        .zip(&moved)
        .map(|(body, positions)| Surface { positions, triangles: body.triangles })
        .collect();
    let union = unite(&bodies)?;
    let located = locate(&union, &bodies).ok_or_else(|| failed("it left its sources"))?;
    let buried = bury(&union, &located, &bodies);
    if !buried.sound {
        return Err(failed("the pieces do not cover their triangles"));
    }
    let (components, component) = components(&union);
    let placed =
        Placed { union: &union, located: &located, component: &component, buried: &buried };
    let (borders, junctions) = (placed.borders(), placed.junctions());
    let regions = regions(&buried, &borders, &bodies);
    let pieces = pieces(&union, &located, &component, buried);
    Ok(Arrangement { components, pieces, regions, borders, junctions })
}

fn pieces(union: &Union, located: &[[f64; 3]], component: &[u32], buried: Buried) -> Vec<Piece> {
    let free = union.source.iter().enumerate().map(|(index, [body, triangle])| Piece {
        body: *body,
        triangle: *triangle,
        corners: [0, 1, 2].map(|k| located[3 * index + k]),
        side: Side::Free(component[index]),
    });
    let mut pieces: Vec<Piece> = free.chain(buried.pieces).collect();
    pieces.sort_by_key(|piece| (piece.body, piece.triangle));
    pieces
}

fn regions(buried: &Buried, borders: &[Border], bodies: &[Surface<'_>]) -> Vec<Region> {
    let mut regions = vec![Region { bodies: Vec::new(), borders: Vec::new() }; buried.regions];
    for piece in &buried.pieces {
        if let Side::Buried(region) = piece.side {
            regions[region as usize].bodies.push(piece.body);
        }
    }
    for border in borders {
        let [from, to] = border.ends.map(|end| end[0].position(bodies));
        let lengths = &mut regions[border.region as usize].borders;
        match lengths.iter_mut().find(|length| length.0 == border.component) {
            Some(length) => length.1 += from.distance(to),
            None => lengths.push((border.component, from.distance(to))),
        }
    }
    for region in &mut regions {
        region.bodies.sort_unstable();
        region.bodies.dedup();
        region.borders.sort_by_key(|border| border.0);
    }
    regions
}

/// The connected parts of the union's boundary, and of each triangle the part it belongs to.
fn components(union: &Union) -> (Vec<Component>, Vec<u32>) {
    let mut sets = DisjointSets::new(union.triangles.len());
    for (half, back) in union.opposite.iter().enumerate() {
        sets.join(half as u32 / 3, back / 3);
    }
    let (count, number) = sets.numbered();
    let mut members = vec![Vec::new(); count];
    for (triangle, component) in number.iter().enumerate() {
        members[*component as usize].push(triangle);
    }
    let shells: Vec<Shell> = members.iter().map(|members| Shell::new(union, members)).collect();
    let components = shells
        .iter()
        .zip(&members)
        .map(|(shell, members)| {
            let mut bodies: Vec<u32> = members.iter().map(|t| union.source[*t][0]).collect();
            bodies.sort_unstable();
            bodies.dedup();
            Component { signed_volume: shell.volume, bodies, floats_in: shell.floats_in(&shells) }
        })
        .collect();
    (components, number)
}

/// The geometry of one component.
struct Shell {
    corners: Vec<[DVec3; 3]>,
    bounds: Bounds,
    volume: f64,
}

impl Shell {
    fn new(union: &Union, members: &[usize]) -> Self {
        let point = |vertex: u32| union.points[vertex as usize];
        let corners: Vec<[DVec3; 3]> =
            members.iter().map(|triangle| union.triangles[*triangle].map(point)).collect();
        let bounds = Bounds::of(corners.as_flattened());
        let centre = (bounds.min + bounds.max) * 0.5;
        let sixfold = |[a, b, c]: &[DVec3; 3]| (*a - centre).dot((*b - centre).cross(*c - centre));
        let volume = corners.iter().map(sixfold).sum::<f64>() / 6.0;
        Self { corners, bounds, volume }
    }

    /// The smallest enclosed air among `shells` that holds this outer boundary.
    fn floats_in(&self, shells: &[Shell]) -> Option<u32> {
        let holds = |air: &Shell| {
            air.volume < 0.0
                && air.bounds.min.cmplt(self.bounds.min).all()
                && air.bounds.max.cmpgt(self.bounds.max).all()
                && air.winding(self.corners[0][0]) < -0.5
        };
        if self.volume <= 0.0 {
            return None;
        }
        let candidates = (0..shells.len()).filter(|index| holds(&shells[*index]));
        let smallest = candidates.max_by(|a, b| shells[*a].volume.total_cmp(&shells[*b].volume));
        smallest.map(|index| index as u32)
    }

    /// How often the shell winds round a point: the sum of its triangles' solid angles (van Oosterom & Strackee 1983).
    fn winding(&self, point: DVec3) -> f64 {
        let angle = |corners: &[DVec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner - point);
            let [la, lb, lc] = [a, b, c].map(DVec3::length);
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        self.corners.iter().map(angle).sum::<f64>() / (2.0 * TAU)
    }
}

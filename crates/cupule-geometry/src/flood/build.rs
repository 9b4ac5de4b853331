//! From borders and labels to an arrangement: pieces, components, regions and borders.

use super::field::Field;
use super::label::{Labels, Loop};
use super::tile::tiles;
use crate::arrangement::{
    Arrangement, Border, CavityMesh, Component, Corner, Piece, Region, Side, Surface,
};
use crate::tree::Bounds;
use crate::{DVec3, GeometryError};

/// A surface is closed if its area vector vanishes relative to its area: to this, which is above the rounding of many parts and far
/// below one that is missing.
const CLOSED: f64 = 1e-7;

pub(super) fn arrangement(
    field: &Field<'_>,
    loops: &[Loop],
    labels: &Labels,
) -> Result<Arrangement, GeometryError> {
    let pieces = pieces(field, labels)?;
    let borders = borders(loops, labels)?;
    let regions = regions(field, &pieces, &borders, labels.regions);
    let mut arrangement = Arrangement { pieces, borders, regions, ..Arrangement::default() };
    arrangement.components = components(field, &arrangement, labels.components)?;
    Ok(arrangement)
}

fn pieces(field: &Field<'_>, labels: &Labels) -> Result<Vec<Piece>, GeometryError> {
    let mut pieces = Vec::new();
    for (number, surface) in field.surfaces.iter().enumerate() {
        let sheet = &labels.sheets[number];
        let mut rest = &sheet.segments[..];
        for (triangle, vertices) in (0..).zip(surface.triangles) {
            let body = number as u32;
            let count = rest.iter().take_while(|s| s.triangle == triangle).count();
            if count == 0 {
                let side = labels.vertex(number, vertices[0]);
                if vertices.iter().any(|v| labels.vertex(number, *v) != side) {
                    return Err(super::failed("a border is missing"));
                }
                let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                pieces.push(Piece { body, triangle, corners, side });
            }
            let cut = if count == 0 {
                Vec::new()
            } else {
                let bottom = |x| labels.bottom(field, number, triangle, x);
                tiles(&rest[..count], |node| labels.side(node), bottom)
            };
            let piece = |(corners, side)| Piece { body, triangle, corners, side };
            pieces.extend(cut.into_iter().map(piece));
            rest = &rest[count..];
        }
    }
    Ok(pieces)
}

fn borders(loops: &[Loop], labels: &Labels) -> Result<Vec<Border>, GeometryError> {
    let mut borders = Vec::new();
    for (number, each) in loops.iter().enumerate() {
        let (component, region) =
            labels.beside(number).ok_or_else(|| super::failed("a border has no free side"))?;
        for link in &each.links {
            let corner = |copy: usize, barycentric: [f64; 3]| Corner {
                body: each.bodies[copy] as u32,
                triangle: link.on[copy].triangle,
                barycentric,
            };
            let [from, to] = [
                [corner(0, link.on[0].from), corner(1, link.on[1].from)],
                [corner(0, link.on[0].to), corner(1, link.on[1].to)],
            ];
            // The lower body has its free side on the left: if that is the second, the border runs backwards.
            let ends = if each.bodies[0] <= each.bodies[1] {
                [from, to]
            } else {
                [[to[1], to[0]], [from[1], from[0]]]
            };
            let bodies = [ends[0][0].body, ends[0][1].body];
            borders.push(Border { component, region, bodies, ends });
        }
    }
    Ok(borders)
}

fn regions(field: &Field<'_>, pieces: &[Piece], borders: &[Border], count: usize) -> Vec<Region> {
    let mut regions = vec![Region { bodies: Vec::new(), borders: Vec::new() }; count];
    for piece in pieces {
        if let Side::Buried(region) = piece.side {
            let bodies = &mut regions[region as usize].bodies;
            if bodies.last() != Some(&piece.body) {
                bodies.push(piece.body);
            }
        }
    }
    for border in borders {
        let [from, to] = border.ends.map(|end| end[0].position(field.surfaces));
        let lengths = &mut regions[border.region as usize].borders;
        match lengths.iter_mut().find(|length| length.0 == border.component) {
            Some(length) => length.1 += from.distance(to),
            None => lengths.push((border.component, from.distance(to))),
        }
    }
    regions.iter_mut().for_each(|region| region.borders.sort_by_key(|border| border.0));
    regions
}

fn components(
    field: &Field<'_>,
    arrangement: &Arrangement,
    count: usize,
) -> Result<Vec<Component>, GeometryError> {
    let meshes: Vec<CavityMesh> = (0..count as u32)
        .map(|c| CavityMesh::of(arrangement, |side| side == Side::Free(c)))
        .collect();
    let shells: Vec<Shell> = meshes.iter().map(|mesh| Shell::new(mesh, field.surfaces)).collect();
    if let Some(shell) = shells.iter().find(|shell| !shell.is_closed()) {
        let (vector, area) = (shell.area_vector.length(), shell.area);
        return Err(super::failed(format!(
            "the surface of an air gapes ({vector:e} of {area:e} m2), as where three bodies meet"
        )));
    }
    let component = |(mesh, shell): (&CavityMesh, &Shell)| {
        let walls = mesh.pieces.iter().map(|piece| arrangement.pieces[*piece as usize].body);
        let mut bodies: Vec<u32> = walls.collect();
        bodies.sort_unstable();
        bodies.dedup();
        Component { signed_volume: shell.volume, bodies, floats_in: shell.floats_in(&shells) }
    };
    Ok(meshes.iter().zip(&shells).map(component).collect())
}

/// The closed surface of a component.
struct Shell {
    corners: Vec<[DVec3; 3]>,
    bounds: Bounds,
    volume: f64,
    area: f64,
    area_vector: DVec3,
}

impl Shell {
    fn new(mesh: &CavityMesh, surfaces: &[Surface<'_>]) -> Self {
        let at = |triangle: &[Corner; 3]| triangle.map(|corner| corner.position(surfaces));
        let corners: Vec<[DVec3; 3]> = mesh.triangles.iter().map(at).collect();
        let bounds = Bounds::of(corners.as_flattened());
        let vector = |[a, b, c]: &[DVec3; 3]| 0.5 * (*b - *a).cross(*c - *a);
        Self {
            bounds,
            volume: -mesh.volume(surfaces),
            area: corners.iter().map(|triangle| vector(triangle).length()).sum(),
            area_vector: corners.iter().map(vector).sum(),
            corners,
        }
    }

    fn is_closed(&self) -> bool {
        self.area_vector.length() <= CLOSED * self.area
    }

    /// The smallest enclosed air among `shells` that holds this outer boundary.
    fn floats_in(&self, shells: &[Shell]) -> Option<u32> {
        let holds = |air: &Shell| {
            air.volume < 0.0
                && air.bounds.min.cmplt(self.bounds.min).all()
                && air.bounds.max.cmpgt(self.bounds.max).all()
                && air.winds_round(self.corners[0][0])
        };
        if self.volume <= 0.0 {
            return None;
        }
        let candidates = (0..shells.len()).filter(|index| holds(&shells[*index]));
        let smallest = candidates.max_by(|a, b| shells[*a].volume.total_cmp(&shells[*b].volume));
        smallest.map(|index| index as u32)
    }

    /// Whether the shell, turned inwards, winds round a point: its solid angle there (van Oosterom & Strackee 1983) is
    /// nearer to -4 pi than to 0.
    fn winds_round(&self, point: DVec3) -> bool {
        let angle = |corners: &[DVec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner - point);
            let [la, lb, lc] = [a, b, c].map(DVec3::length);
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        self.corners.iter().map(angle).sum::<f64>() < -std::f64::consts::TAU
    }
}

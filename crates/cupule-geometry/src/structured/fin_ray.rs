//! Fingers of a FinRay gripper: two walls that meet at the tip, joined by ribs, with cut-outs between them. Pressed on its front,
//! such a finger bends towards what presses it.

use super::sheet::Sheet;
use crate::generate::{require, require_count, require_elements, require_positive};
use crate::{DVec3, GeometryError, VolumeMesh};

const SHAPE: &str = "fin-ray finger";

/// A finger that stands on z = 0 with its front in the plane x = 0, looking along -x; y is its depth, about 0. All in m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FinRayShape {
    /// From base to tip.
    pub height: f64,
    /// Along x at the base.
    pub base_width: f64,
    /// Along x at the tip.
    pub tip_width: f64,
    /// Along y.
    pub depth: f64,
    /// Thickness of both walls, along x.
    pub wall: f64,
    /// Thickness of the ribs, of the base and of the tip, along z.
    pub rib: f64,
    /// Ribs between base and tip.
    pub ribs: usize,
}

/// Counts of cells of a finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinRayDivisions {
    /// Through a wall.
    pub wall: usize,
    /// Between the walls.
    pub between: usize,
    /// Along each cut-out.
    pub cut_out: usize,
    /// Through a rib.
    pub rib: usize,
    /// Along the depth.
    pub depth: usize,
}

impl FinRayShape {
    /// Refuses dimensions that leave no cut-out.
    pub fn check(&self) -> Result<(), GeometryError> {
        for (name, value) in [
            ("height", self.height),
            ("base width", self.base_width),
            ("tip width", self.tip_width),
            ("depth", self.depth),
            ("wall", self.wall),
            ("rib", self.rib),
        ] {
            require_positive(SHAPE, name, value)?;
        }
        let narrow = self.tip_width.min(self.base_width);
        let expected = "it must be less than half the width at base and tip";
        require(2.0 * self.wall < narrow, SHAPE, "wall", self.wall, expected)?;
        require(self.ribs <= 1000, SHAPE, "ribs", self.ribs as f64, "at most 1000")?;
        let expected = "base, ribs and tip must leave room for the cut-outs along the height";
        require(self.cut_out() > 0.0, SHAPE, "rib", self.rib, expected)
    }

    /// Height of a cut-out, m.
    pub(crate) fn cut_out(&self) -> f64 {
        (self.height - (self.ribs + 2) as f64 * self.rib) / (self.ribs + 1) as f64
    }

    /// Width of the room between the walls half way up, m.
    pub(crate) fn room(&self) -> f64 {
        0.5 * (self.base_width + self.tip_width) - 2.0 * self.wall
    }

    /// Exact volume, m3.
    pub(crate) fn volume(&self) -> f64 {
        // Cut-outs are trapezoids and lie evenly about the middle: their mean width is that half way up.
        let outline = 0.5 * (self.base_width + self.tip_width) * self.height;
        let cut = (self.ribs + 1) as f64 * self.cut_out() * self.room();
        (outline - cut) * self.depth
    }

    /// Heights of all levels and, for every row between two of them, whether it is solid.
    fn levels(&self, divisions: &FinRayDivisions) -> (Vec<f64>, Vec<bool>) {
        let (mut levels, mut solid) = (vec![0.0], Vec::new());
        let mut base = 0.0;
        for part in 0..2 * self.ribs + 3 {
            let is_rib = part % 2 == 0;
            let (thickness, cells) = if is_rib {
                (self.rib, divisions.rib)
            } else {
                (self.cut_out(), divisions.cut_out)
            };
            levels.extend((1..=cells).map(|k| base + thickness * k as f64 / cells as f64));
            solid.extend(std::iter::repeat_n(is_rib, cells));
            base += thickness;
        }
        (levels, solid)
    }

    /// Where column `i` of the cells stands at height `z`, m.
    fn across(&self, i: usize, z: f64, divisions: &FinRayDivisions) -> f64 {
        let (wall, between) = (divisions.wall, divisions.between);
        let width = self.base_width + (self.tip_width - self.base_width) * z / self.height;
        let part =
            |from: f64, to: f64, k: usize, of: usize| from + (to - from) * k as f64 / of as f64;
        if i <= wall {
            part(0.0, self.wall, i, wall)
        } else if i <= wall + between {
            part(self.wall, width - self.wall, i - wall, between)
        } else {
            part(width - self.wall, width, i - wall - between, wall)
        }
    }
}

impl FinRayDivisions {
    fn columns(&self) -> usize {
        2 * self.wall + self.between
    }

    /// Nodes of [`fin_ray_hexes`].
    pub(crate) fn node_count(&self, ribs: usize) -> usize {
        let across = self.columns() + 1;
        // A cut-out's inner levels have the walls only.
        let inner = (ribs + 1) * (self.cut_out - 1);
        let full = (ribs + 2) * (self.rib + 1);
        (full * across + inner * 2 * (self.wall + 1)) * (self.depth + 1)
    }
}

/// A finger of hexahedra.
pub fn fin_ray_hexes(
    finger: &FinRayShape,
    divisions: &FinRayDivisions,
) -> Result<VolumeMesh, GeometryError> {
    finger.check()?;
    for (name, count) in [
        ("cells through a wall", divisions.wall),
        ("cells between the walls", divisions.between),
        ("cells along a cut-out", divisions.cut_out),
        ("cells through a rib", divisions.rib),
        ("cells along the depth", divisions.depth),
    ] {
        require_count(SHAPE, name, count, 1)?;
    }
    let (levels, solid) = finger.levels(divisions);
    let columns = divisions.columns();
    require_elements(SHAPE, &[columns, solid.len(), divisions.depth])?;
    // The sheet lies in the plane of x and z and is carried along y; looking along +y, x is to the right and z up.
    let sheet = Sheet::grid(columns, solid.len());
    let open = |quad: &[u32; 4]| {
        let (column, row) = (quad[0] as usize % (columns + 1), quad[0] as usize / (columns + 1));
        let inside = (divisions.wall..divisions.wall + divisions.between).contains(&column);
        inside && !solid[row]
    };
    let place = |layer: usize, [u, v]: [f64; 2]| {
        let column = (u * columns as f64).round() as usize;
        let z = levels[(v * solid.len() as f64).round() as usize];
        let y = finger.depth * (0.5 - layer as f64 / divisions.depth as f64);
        DVec3::new(finger.across(column, z, divisions), y, z)
    };
    Ok(sheet.sweep(divisions.depth, |_, quad| !open(quad), place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finger() -> FinRayShape {
        FinRayShape {
            height: 0.1,
            base_width: 0.03,
            tip_width: 0.008,
            depth: 0.02,
            wall: 0.002,
            rib: 0.0015,
            ribs: 4,
        }
    }

    #[test]
    fn it_has_its_volume_its_holes_and_its_nodes() {
        let divisions = FinRayDivisions { wall: 1, between: 3, cut_out: 2, rib: 1, depth: 2 };
        let mesh = fin_ray_hexes(&finger(), &divisions).expect("finger");
        mesh.check().expect("sound cells");
        let (surface, _) = mesh.boundary();
        surface.check_closed().expect("closed");
        // All sides are plane.
        assert!((surface.signed_volume() / finger().volume() - 1.0).abs() < 1e-12);
        assert_eq!(mesh.nodes.len(), divisions.node_count(4));
        // Euler: each of the five cut-outs goes through and adds a handle.
        let edges = 3 * surface.triangles.len() / 2;
        let euler = surface.vertices.len() as i64 - edges as i64 + surface.triangles.len() as i64;
        assert_eq!(euler, 2 - 2 * 5);
        let most = |axis: usize| mesh.nodes.iter().map(|x| x[axis]).fold(0.0, f64::max);
        assert!((most(0) - 0.03).abs() < 1e-15 && (most(2) - 0.1).abs() < 1e-15);
    }

    #[test]
    fn bad_dimensions_are_named() {
        let named = |finger: FinRayShape| match finger.check() {
            Err(GeometryError::BadParameter { parameter, .. }) => parameter,
            other => panic!("{other:?}"),
        };
        assert_eq!(named(FinRayShape { wall: 0.004, ..finger() }), "wall");
        assert_eq!(named(FinRayShape { rib: 0.02, ..finger() }), "rib");
        assert_eq!(named(FinRayShape { depth: f64::NAN, ..finger() }), "depth");
        assert_eq!(named(FinRayShape { ribs: usize::MAX, ..finger() }), "ribs");
    }
}

//! Bodies of lower dimension: wires along lines and sheets of triangles, both with a radius, so that their surface is where
//! the distance to the line or sheet is that radius. A wire has round ends and joints; so has the rim of a sheet.

use crate::mass::outer;
use crate::surface::weld_points;
use crate::{DMat3, DQuat, DVec3, GeometryError, MassProperties, TriMesh};

/// Corners of the prism that stands for a round wire in pictures.
const CORNERS: u32 = 8;

/// Wires and sheets, with their thickness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThinMesh {
    /// Positions, m.
    pub vertices: Vec<DVec3>,
    /// Sheets, three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Wires, two vertices each.
    pub wires: Vec<[u32; 2]>,
    /// Radius of the wires, half the thickness of the sheets, m.
    pub radius: f64,
}

impl ThinMesh {
    /// Straight wires along lines through points; lines that share a point are joined there.
    ///
    /// # Errors
    /// A line of fewer than two points, points that are not finite or coincide along a line, no line, a bad radius.
    pub fn of_lines(lines: &[Vec<DVec3>], radius: f64) -> Result<Self, GeometryError> {
        if let Some(line) = lines.iter().find(|line| line.len() < 2) {
            return Err(GeometryError::BadParameter {
                shape: "wires",
                parameter: "points of a line",
                value: line.len() as f64,
                expected: "2 or more",
            });
        }
        let points: Vec<DVec3> = lines.iter().flatten().copied().collect();
        let (vertices, index) = weld_points(&points, 1e-9);
        let mut first = 0;
        let mut wires = Vec::new();
        for line in lines {
            wires.extend((first..first + line.len() - 1).map(|i| [index[i], index[i + 1]]));
            first += line.len();
        }
        let thin = Self { vertices, triangles: Vec::new(), wires, radius };
        thin.check()?;
        Ok(thin)
    }

    /// A sheet of triangles of some thickness, m. Its surface may be open.
    ///
    /// # Errors
    /// What [`TriMesh::check`] refuses, and a bad thickness.
    pub fn of_sheet(sheet: TriMesh, thickness: f64) -> Result<Self, GeometryError> {
        let TriMesh { vertices, triangles } = sheet;
        let thin = Self { vertices, triangles, wires: Vec::new(), radius: 0.5 * thickness };
        thin.check()?;
        Ok(thin)
    }

    /// Refuses what is no body.
    ///
    /// # Errors
    /// A radius that is not positive, nothing in it, positions that are not finite, wires or triangles that name missing
    /// vertices or have no length or area.
    pub fn check(&self) -> Result<(), GeometryError> {
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return Err(GeometryError::BadParameter {
                shape: "thin body",
                parameter: "radius",
                value: self.radius,
                expected: "positive and finite (m)",
            });
        }
        if self.triangles.is_empty() && self.wires.is_empty() {
            return Err(GeometryError::Empty);
        }
        if let Some(index) = self.vertices.iter().position(|v| !v.is_finite()) {
            return Err(GeometryError::NotFinite { index });
        }
        let count = self.vertices.len();
        for (index, wire) in self.wires.iter().enumerate() {
            if let Some(vertex) = wire.iter().map(|v| *v as usize).find(|v| *v >= count) {
                let element = "wire";
                return Err(GeometryError::IndexOutOfRange { element, index, vertex, count });
            }
            if self.ends(*wire)[0] == self.ends(*wire)[1] {
                return Err(GeometryError::BadParameter {
                    shape: "wires",
                    parameter: "length of a wire",
                    value: 0.0,
                    expected: "positive: two points in a row coincide",
                });
            }
        }
        if self.triangles.is_empty() { Ok(()) } else { self.sheet().check() }
    }

    fn sheet(&self) -> TriMesh {
        TriMesh { vertices: self.vertices.clone(), triangles: self.triangles.clone() }
    }

    fn ends(&self, wire: [u32; 2]) -> [DVec3; 2] {
        wire.map(|v| self.vertices[v as usize])
    }

    /// Volume, centre and inertia of the straight parts: cylinders without round ends, prisms over the triangles. What wires
    /// share at a joint counts for each of them; it is small where they are thin.
    ///
    /// # Errors
    /// What [`ThinMesh::check`] refuses.
    pub fn mass_properties(&self) -> Result<MassProperties, GeometryError> {
        self.check()?;
        let parts: Vec<MassPiece> = self.cylinders().chain(self.prisms()).collect();
        let volume: f64 = parts.iter().map(|part| part.volume).sum();
        let centroid = parts.iter().map(|p| p.centre * p.volume).sum::<DVec3>() / volume;
        let mut moment = DMat3::ZERO;
        for part in &parts {
            moment += part.moment + outer(part.centre - centroid) * part.volume;
        }
        let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - moment;
        Ok(MassProperties { volume, centroid, inertia })
    }

    fn cylinders(&self) -> impl Iterator<Item = MassPiece> {
        let r2 = self.radius * self.radius;
        self.wires.iter().map(move |wire| {
            let [a, b] = self.ends(*wire);
            let (along, centre) = (b - a, 0.5 * (a + b));
            let length = along.length();
            let volume = std::f64::consts::PI * r2 * length;
            let axis = outer(along / length);
            // l^2 / 12 along the axis, r^2 / 4 across.
            let moment = axis * (length * length / 12.0) + (DMat3::IDENTITY - axis) * (0.25 * r2);
            MassPiece { volume, centre, moment: moment * volume }
        })
    }

    fn prisms(&self) -> impl Iterator<Item = MassPiece> {
        self.triangles.iter().map(|triangle| {
            let x = triangle.map(|v| self.vertices[v as usize]);
            let across = (x[1] - x[0]).cross(x[2] - x[0]);
            let (area, normal) = (0.5 * across.length(), across.normalize_or(DVec3::Z));
            let centre = (x[0] + x[1] + x[2]) / 3.0;
            let volume = 2.0 * self.radius * area;
            // A triangle has 1/12 of the sum of its corners' squares about its centre.
            let flat: DMat3 = x.iter().fold(DMat3::ZERO, |sum, x| sum + outer(*x - centre));
            let thick = outer(normal) * (self.radius * self.radius / 3.0);
            MassPiece { volume, centre, moment: (flat * (1.0 / 12.0) + thick) * volume }
        })
    }

    /// Moved by `offset`, m.
    #[must_use]
    pub fn translated(mut self, offset: DVec3) -> Self {
        self.vertices.iter_mut().for_each(|v| *v += offset);
        self
    }

    /// Turned about the origin.
    #[must_use]
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = rotation * *v);
        self
    }

    /// All lengths, the radius too, times a factor.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.vertices.iter_mut().for_each(|v| *v *= factor);
        self.radius *= factor;
        self
    }

    /// A surface to look at: prisms for wires, both sides of sheets. The same triangles wherever the vertices are.
    #[must_use]
    pub fn visible(&self) -> TriMesh {
        let mut out = TriMesh::default();
        for wire in &self.wires {
            out.append(&prism(self.ends(*wire), self.radius));
        }
        if !self.triangles.is_empty() {
            let normals = self.vertex_normals();
            let side = |sign: f64| TriMesh {
                vertices: (self.vertices.iter().zip(&normals))
                    .map(|(x, n)| *x + *n * (sign * self.radius))
                    .collect(),
                triangles: self.triangles.clone(),
            };
            out.append(&side(1.0));
            let mut lower = side(-1.0);
            lower.flip();
            out.append(&lower);
        }
        out
    }

    fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.vertices.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|v| self.vertices[v as usize]);
            triangle.iter().for_each(|v| normals[*v as usize] += (b - a).cross(c - a));
        }
        normals.into_iter().map(|n| n.normalize_or(DVec3::ZERO)).collect()
    }
}

/// A straight piece: its volume (m3), its centre (m), the second moment of its volume about that (m5).
struct MassPiece {
    volume: f64,
    centre: DVec3,
    moment: DMat3,
}

fn prism([a, b]: [DVec3; 2], radius: f64) -> TriMesh {
    let along = (b - a).normalize_or(DVec3::Z);
    let (u, v) = along.any_orthonormal_pair();
    let ring = |centre: DVec3| {
        (0..CORNERS).map(move |k| {
            let (sine, cosine) =
                (std::f64::consts::TAU * f64::from(k) / f64::from(CORNERS)).sin_cos();
            centre + (u * cosine + v * sine) * radius
        })
    };
    let vertices = ring(a).chain(ring(b)).collect();
    let mut triangles = Vec::new();
    for k in 0..CORNERS {
        let next = (k + 1) % CORNERS;
        triangles.extend([[k, next, CORNERS + next], [k, CORNERS + next, CORNERS + k]]);
    }
    for k in 1..CORNERS - 1 {
        triangles.extend([[0, k + 1, k], [CORNERS, CORNERS + k, CORNERS + k + 1]]);
    }
    TriMesh { vertices, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{cuboid, cylinder, flat_sheet};

    #[test]
    fn a_wire_has_the_mass_of_a_cylinder() {
        // A fine polygonal cylinder: its area falls short of the disc's by (2 pi / n)^2 / 6.
        let (radius, length) = (0.01, 0.3);
        let wire =
            ThinMesh::of_lines(&[vec![DVec3::Z * -0.15, DVec3::Z * 0.05, DVec3::Z * 0.15]], radius)
                .expect("wire");
        let [thin, solid] = [
            wire.mass_properties().expect("wire"),
            cylinder(radius, length, 400, 1, 1)
                .expect("cylinder")
                .mass_properties()
                .expect("solid"),
        ];
        assert!((thin.volume / solid.volume - 1.0).abs() < 1e-4);
        assert!((thin.centroid - solid.centroid).length() < 1e-12);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let [a, b] = [thin, solid].map(|p| axis.dot(p.inertia * axis));
            assert!((a / b - 1.0).abs() < 2e-4, "{a} {b}");
        }
    }

    #[test]
    fn a_sheet_has_the_mass_of_a_plate() {
        let size = DVec3::new(0.3, 0.2, 0.01);
        let plate = cuboid(size, [3, 2, 1]).expect("plate").mass_properties().expect("solid");
        let sheet = flat_sheet([size.x, size.y], 0.07).expect("sheet");
        let thin = ThinMesh::of_sheet(sheet, size.z).expect("sheet");
        let thin = thin.mass_properties().expect("sheet");
        assert!((thin.volume / plate.volume - 1.0).abs() < 1e-12);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE.normalize()] {
            let [a, b] = [thin, plate].map(|p| axis.dot(p.inertia * axis));
            assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        }
    }

    #[test]
    fn lines_that_meet_are_joined_and_prisms_are_closed() {
        let x = |k: f64| DVec3::X * k;
        let lines =
            [vec![x(0.0), x(1.0)], vec![x(1.0), DVec3::Y], vec![x(0.0), DVec3::Z, DVec3::Y]];
        let thin = ThinMesh::of_lines(&lines, 0.01).expect("wires");
        assert_eq!((thin.vertices.len(), thin.wires.len()), (4, 4));
        let seen = thin.visible();
        assert_eq!(seen.check_closed(), Ok(()));
        let volume = thin.mass_properties().expect("wires").volume;
        // An octagon has 0.9003 of its circle.
        assert!((seen.signed_volume() / volume - 0.9003).abs() < 1e-3);
    }

    #[test]
    fn defects_are_named() {
        let line = vec![DVec3::ZERO, DVec3::X];
        for (lines, radius, word) in [
            (vec![vec![DVec3::ZERO]], 0.01, "2 or more"),
            (vec![line.clone()], 0.0, "radius"),
            (vec![line.clone()], f64::NAN, "radius"),
            (vec![vec![DVec3::ZERO, DVec3::ZERO]], 0.01, "coincide"),
            (vec![vec![DVec3::ZERO, DVec3::X * f64::NAN]], 0.01, "finite"),
            (vec![], 0.01, "empty"),
        ] {
            let message = ThinMesh::of_lines(&lines, radius).expect_err(word).to_string();
            assert!(message.contains(word), "{message}");
        }
        let wild =
            ThinMesh { wires: vec![[0, 9]], vertices: line, radius: 0.1, ..ThinMesh::default() };
        assert!(matches!(wild.check(), Err(GeometryError::IndexOutOfRange { vertex: 9, .. })));
    }
}

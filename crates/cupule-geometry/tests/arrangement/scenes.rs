//! Contact groups with known air between their bodies.

use cupule_geometry::arrangement::{Arrangement, CavityMesh, Surface, Thickened, arrange, thicken};
use cupule_geometry::generate::{cuboid, cylinder, revolved, sphere};
use cupule_geometry::{DQuat, DVec3, TriMesh};

/// Sealing level of all scenes, m.
pub const LEVEL: f64 = 1e-4;

/// Inner radius, outer radius and inner height of the cup, m.
pub const CUP: [f64; 3] = [0.014, 0.018, 0.01];

pub fn surfaces(bodies: &[TriMesh]) -> Vec<Surface<'_>> {
    bodies
        .iter()
        .map(|mesh| Surface { positions: &mesh.vertices, triangles: &mesh.triangles })
        .collect()
}

/// A group after thickening and union.
pub struct Scene {
    pub bodies: Vec<TriMesh>,
    pub thick: Thickened,
    pub arrangement: Arrangement,
}

impl Scene {
    pub fn new(bodies: Vec<TriMesh>) -> Self {
        let (thick, arrangement) = {
            let surfaces = surfaces(&bodies);
            let thick = thicken(&surfaces, LEVEL).unwrap();
            let arrangement = arrange(&surfaces, &thick.positions).unwrap();
            (thick, arrangement)
        };
        Self { bodies, thick, arrangement }
    }

    /// The bodies at their thickened positions.
    pub fn thick_bodies(&self) -> Vec<TriMesh> {
        let thick = |(body, vertices): (&TriMesh, &Vec<DVec3>)| TriMesh {
            vertices: vertices.clone(),
            triangles: body.triangles.clone(),
        };
        self.bodies.iter().zip(&self.thick.positions).map(thick).collect()
    }

    /// Components that enclose air.
    pub fn cavities(&self) -> Vec<u32> {
        let components = self.arrangement.components.iter().zip(0..);
        components.filter(|(c, _)| c.signed_volume < 0.0).map(|(_, index)| index).collect()
    }

    /// The mesh of a cavity with all touching regions it borders on, or with none.
    pub fn mesh(&self, component: u32, outer: bool) -> CavityMesh {
        let regions = self.arrangement.regions.iter();
        let owners: Vec<Option<u32>> = regions
            .map(|region| region.borders.iter().any(|b| b.0 == component).then_some(component))
            .map(|owner| owner.filter(|_| outer))
            .collect();
        CavityMesh::new(&self.arrangement, component, &owners)
    }
}

/// An open cylindrical cup, rim down at z = 0, with `around` segments.
pub fn cup(around: usize) -> TriMesh {
    let [inner, outer, height] = CUP;
    let profile = [
        [0.0, height],
        [0.5 * inner, height],
        [inner, height],
        [inner, 0.5 * height],
        [inner, 0.0],
        [outer, 0.0],
        [outer, 0.5 * height],
        [outer, 1.4 * height],
        [0.0, 1.4 * height],
    ];
    revolved(&profile, around).unwrap()
}

/// Cross-section of the cup's bore, a polygon, m2.
pub fn bore_area(around: usize) -> f64 {
    let n = around as f64;
    0.5 * n * CUP[0] * CUP[0] * (std::f64::consts::TAU / n).sin()
}

pub fn up(mesh: TriMesh, z: f64) -> TriMesh {
    mesh.translated(DVec3::Z * z)
}

/// A box of 0.06 m whose top is z = 0.
pub fn box_below(divisions: usize) -> TriMesh {
    let mesh = cuboid(DVec3::new(0.06, 0.06, 0.04), [divisions, divisions, 3]).unwrap();
    up(mesh, -0.02)
}

/// A ground of two triangles a face whose top is z = 0.
pub fn ground() -> TriMesh {
    up(cuboid(DVec3::new(1.0, 1.0, 0.1), [1; 3]).unwrap(), -0.05)
}

/// A lying cylinder (axis y) whose highest line is z = 0.
pub fn lying_cylinder(radius: f64) -> TriMesh {
    let mesh = cylinder(radius, 0.1, 96, 6, 1).unwrap();
    let turned = mesh.rotated(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2));
    // A facet, not an edge, looks up.
    let turned = turned.rotated(DQuat::from_rotation_y(std::f64::consts::PI / 96.0));
    up(turned, -radius)
}

/// The cup bent on to a surface given by its height over (x, y): each vertex sinks by the height under it.
pub fn draped(mesh: TriMesh, height: impl Fn(f64, f64) -> f64) -> TriMesh {
    let vertices = mesh.vertices.iter().map(|p| *p + DVec3::Z * height(p.x, p.y)).collect();
    TriMesh { vertices, triangles: mesh.triangles }
}

pub fn ball_below(radius: f64) -> TriMesh {
    up(sphere(radius, 20).unwrap(), -radius)
}

/// The surface of a set of cubic cells of edge `cell` m with lower corners at integer places. Cells must not touch
/// at an edge or corner only.
pub fn cells(counts: [i32; 3], cell: f64, solid: impl Fn([i32; 3]) -> bool) -> TriMesh {
    let within = |c: [i32; 3]| (0..3).all(|k| (0..counts[k]).contains(&c[k])) && solid(c);
    let mut soup = TriMesh::default();
    for index in 0..counts.iter().product::<i32>() {
        let place =
            [index % counts[0], index / counts[0] % counts[1], index / counts[0] / counts[1]];
        if !within(place) {
            continue;
        }
        for (axis, sign) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beside = place;
            beside[axis] += 2 * sign - 1;
            if within(beside) {
                continue;
            }
            let corner = |u: i32, v: i32| {
                let mut at = place;
                at[axis] += sign;
                at[(axis + 1) % 3] += u;
                at[(axis + 2) % 3] += v;
                DVec3::from_array(at.map(f64::from)) * cell
            };
            let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            if sign == 0 {
                quad.reverse();
            }
            let first = soup.vertices.len() as u32;
            soup.vertices.extend(quad);
            soup.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    let mesh = soup.weld(0.1 * cell).0;
    mesh.check_closed().unwrap();
    mesh
}

/// A block of cells with a square hole through it, standing on z = 0.
pub fn ring_block() -> TriMesh {
    let inside = |c: [i32; 3]| (2..4).contains(&c[0]) && (2..4).contains(&c[1]);
    cells([6, 6, 3], 0.006, |c| !inside(c)).translated(DVec3::new(-0.018, -0.018, 0.0))
}

/// A plate of cells standing on z = 0.
pub fn plate() -> TriMesh {
    cells([6, 6, 1], 0.006, |_| true).translated(DVec3::new(-0.018, -0.018, 0.0))
}

/// Half of a square cup, rim down at z = 0, cut at x = 0; `right` is the half at x > 0.
pub fn half_cup(right: bool) -> TriMesh {
    let hollow = |c: [i32; 3]| {
        let across = if right { c[0] < 2 } else { c[0] > 0 };
        across && (1..5).contains(&c[1]) && c[2] < 2
    };
    let shift = if right { 0.0 } else { -0.018 };
    cells([3, 6, 3], 0.006, |c| !hollow(c)).translated(DVec3::new(shift, -0.018, 0.0))
}

/// A fixed sequence of numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// Uniform in (-1, 1).
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

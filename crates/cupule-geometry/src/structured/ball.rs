//! Balls of hexahedra: a cube in the middle and shells around it (seven blocks).

use std::f64::consts::FRAC_PI_4;

use crate::generate::{require_count, require_elements, require_positive};
use crate::volume::HEX_FACES;
use crate::{Cells, DVec3, GeometryError, VolumeMesh};

/// Half side of the straight core cube over the radius of the core ball.
const CORE_CUBE: f64 = 0.7;
/// How far the core's border goes from its cube (0) to the ball (1).
const CORE_ROUNDING: f64 = 0.5;

/// A ball of `radius` (m) about the origin: a core of `core`^3 cells in the middle and `shells` layers around it.
pub fn ball_hexes(radius: f64, core: usize, shells: usize) -> Result<VolumeMesh, GeometryError> {
    require_positive("sphere", "radius", radius)?;
    require_count("sphere", "core subdivisions", core, 1)?;
    require_count("sphere", "shells", shells, 1)?;
    require_elements("sphere", &[core, core, core])?;
    require_elements("sphere", &[6, core, core, shells])?;
    let mut ball = Ball::core(radius, core, shells);
    for shell in 1..=shells {
        ball.add_shell(shell as f64 / shells as f64);
    }
    Ok(VolumeMesh { nodes: ball.nodes, cells: Cells::Hex8(ball.cells) })
}

/// Nodes of [`ball_hexes`].
pub(crate) fn ball_node_count(core: usize, shells: usize) -> usize {
    (core + 1).pow(3) + shells * (6 * core * core + 2)
}

struct Ball {
    radius: f64,
    nodes: Vec<DVec3>,
    cells: Vec<[u32; 8]>,
    /// Quads of the core's border, outward, as positions in `border`.
    quads: Vec<[usize; 4]>,
    /// Node of the core's border and the direction in which it is carried outwards.
    border: Vec<(u32, DVec3)>,
    /// The nodes of the outermost shell so far, in the order of `border`.
    outermost: Vec<u32>,
}

impl Ball {
    fn core(radius: f64, n: usize, shells: usize) -> Self {
        let at = |i: usize, j: usize, k: usize| (i * (n + 1) + j) * (n + 1) + k;
        let lattice = |n: usize| (0..n * n * n).map(move |c| [c / (n * n), c / n % n, c % n]);
        // As thick as its share of the cells on a radius.
        let core_radius = radius * (n as f64 / (n + 2 * shells) as f64).clamp(0.3, 0.8);
        let (mut nodes, mut border) = (Vec::new(), Vec::new());
        let mut border_of = vec![usize::MAX; (n + 1).pow(3)];
        for index in lattice(n + 1) {
            let cube = DVec3::from(index.map(|i| 2.0 * i as f64 / n as f64 - 1.0));
            if index.iter().any(|&i| i == 0 || i == n) {
                border_of[nodes.len()] = border.len();
                border.push((nodes.len() as u32, radial(cube)));
            }
            let blend = CORE_ROUNDING * cube.abs().max_element();
            nodes.push(core_radius * ((1.0 - blend) * CORE_CUBE * cube + blend * radial(cube)));
        }
        let corners = |[i, j, k]: [usize; 3]| {
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
                .map(|[a, b, c]| at(i + a, j + b, k + c))
        };
        let cells: Vec<[usize; 8]> = lattice(n).map(corners).collect();
        let mut quads = Vec::new();
        for (cell, [i, j, k]) in cells.iter().zip(lattice(n)) {
            let outer = [k == 0, k + 1 == n, j == 0, i + 1 == n, j + 1 == n, i == 0];
            let faces = HEX_FACES.iter().zip(outer).filter(|(_, outer)| *outer);
            quads.extend(faces.map(|(face, _)| face.map(|c| border_of[cell[c]])));
        }
        let cells = cells.iter().map(|c| c.map(|node| node as u32)).collect();
        let outermost = border.iter().map(|&(node, _)| node).collect();
        Self { radius, nodes, cells, quads, border, outermost }
    }

    /// Adds a layer whose outer nodes stand at `fraction` of the way from the core's border to the sphere.
    fn add_shell(&mut self, fraction: f64) {
        let start = self.nodes.len() as u32;
        for &(node, direction) in &self.border {
            let inner = self.nodes[node as usize];
            self.nodes.push(inner.lerp(self.radius * direction, fraction));
        }
        let outer: Vec<u32> = (0..self.border.len() as u32).map(|k| start + k).collect();
        for quad in &self.quads {
            let [a, b, c, d] = quad.map(|k| self.outermost[k]);
            let [e, f, g, h] = quad.map(|k| outer[k]);
            self.cells.push([a, b, c, d, e, f, g, h]);
        }
        self.outermost = outer;
    }
}

/// From the cube [-1,1]^3 to the unit ball, cube shells to spheres, with equal angles along the sides of a face.
fn radial(cube: DVec3) -> DVec3 {
    let reach = cube.abs().max_element();
    if reach == 0.0 {
        return DVec3::ZERO;
    }
    let bent = (cube / reach).to_array().map(|c| (FRAC_PI_4 * c).tan());
    DVec3::from(bent).normalize() * reach
}

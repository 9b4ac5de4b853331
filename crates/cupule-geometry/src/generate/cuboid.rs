//! Boxes as triangle surfaces.

use super::{require_count, require_elements, require_positive};
use crate::{DVec3, GeometryError, TriMesh};

/// A box of edge lengths `size` (m), centred at the origin, with `divisions` along x, y, z on its faces.
pub fn cuboid(size: DVec3, divisions: [usize; 3]) -> Result<TriMesh, GeometryError> {
    check_cuboid(size, divisions)?;
    let mut lattice = ShellLattice::new(size, divisions);
    let mut triangles = Vec::new();
    for axis in 0..3 {
        // (axis, u, v) is right-handed, so u x v points along +axis.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (level, outward) in [(0, false), (divisions[axis], true)] {
            for (i, j) in (0..divisions[u]).flat_map(|i| (0..divisions[v]).map(move |j| (i, j))) {
                let mut corner = |di: usize, dj: usize| {
                    let mut at = [0; 3];
                    (at[axis], at[u], at[v]) = (level, i + di, j + dj);
                    lattice.vertex(at)
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                triangles.extend(if outward {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, c, b], [a, d, c]]
                });
            }
        }
    }
    Ok(TriMesh { vertices: lattice.vertices, triangles })
}

pub(crate) fn check_cuboid(size: DVec3, divisions: [usize; 3]) -> Result<(), GeometryError> {
    const SIZES: [&str; 3] = ["size x", "size y", "size z"];
    const COUNTS: [&str; 3] =
        ["subdivisions along x", "subdivisions along y", "subdivisions along z"];
    for axis in 0..3 {
        require_positive("box", SIZES[axis], size[axis])?;
        require_count("box", COUNTS[axis], divisions[axis], 1)?;
    }
    require_elements("box", &divisions)
}

/// Numbers the lattice points of a box in order of first use.
struct ShellLattice {
    size: DVec3,
    divisions: [usize; 3],
    index: Vec<u32>,
    vertices: Vec<DVec3>,
}

impl ShellLattice {
    fn new(size: DVec3, divisions: [usize; 3]) -> Self {
        let points = divisions.iter().map(|n| n + 1).product();
        Self { size, divisions, index: vec![u32::MAX; points], vertices: Vec::new() }
    }

    fn vertex(&mut self, at: [usize; 3]) -> u32 {
        let [nx, ny, nz] = self.divisions;
        let slot = &mut self.index[(at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2]];
        if *slot == u32::MAX {
            *slot = self.vertices.len() as u32;
            let parameter = DVec3::new(
                at[0] as f64 / nx as f64 - 0.5,
                at[1] as f64 / ny as f64 - 0.5,
                at[2] as f64 / nz as f64 - 0.5,
            );
            self.vertices.push(self.size * parameter);
        }
        *slot
    }
}

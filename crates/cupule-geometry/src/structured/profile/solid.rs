//! The quads of a profile carried round the axis, joined to the cores around it; and the choice of their number.

use std::f64::consts::{FRAC_PI_4, TAU};

use super::plane::{PlaneQuads, quads_inside};
use super::{Core, Profile, SHAPE, volume_of_revolution};
use crate::generate::{MOST_ELEMENTS, require, require_count, require_elements};
use crate::structured::sheet::Disc;
use crate::structured::{Section, revolved_hexes};
use crate::{Cells, DVec3, GeometryError, VolumeMesh};

/// A node count this far off (in its logarithm) weighs as much as a cell twice too long.
const COUNT_WEIGHT: f64 = 25.0;

impl Profile {
    /// Hexahedra: `segments` in a quarter turn (in the whole turn, if the axis is not reached), and about `outline`
    /// cells along the outline of the profile.
    pub(crate) fn hexes(
        &self,
        segments: usize,
        outline: usize,
    ) -> Result<VolumeMesh, GeometryError> {
        require_count(SHAPE, "segments around", segments, if self.touches_axis() { 1 } else { 3 })?;
        require_count(SHAPE, "cells along the outline", outline, 4)?;
        require_elements(SHAPE, &[self.around(segments), outline])?;
        let plane = self.plane(outline).ok_or(GeometryError::BadParameter {
            shape: SHAPE,
            parameter: "cells along the outline",
            value: outline as f64,
            expected: "so few cells cannot follow the profile: ask for more nodes, or give it fewer points",
        })?;
        let mesh = self.solid(&plane, self.around(segments))?;
        mesh.check()?;
        Ok(mesh)
    }

    /// Segments and cells along the outline for about `target` nodes: within 10 % where there are such, else the
    /// nearest; among those the most even cells.
    pub(crate) fn divisions_for(&self, target: usize) -> Result<[usize; 2], GeometryError> {
        require(target >= 8, SHAPE, "nodes", target as f64, "a hexahedron alone has 8 nodes")?;
        let expected = "that many nodes would not fit in memory";
        require(target <= MOST_ELEMENTS, SHAPE, "nodes", target as f64, expected)?;
        let length = self.outline().length();
        // Cells as long as wide: their number is that of the nodes.
        let even = (volume_of_revolution(&self.points) / target as f64).cbrt();
        let (first, last) = (0.4 * length / even, 3.0 * length / even);
        let mut best: Option<(f64, f64, [usize; 2])> = None;
        let mut tried = 0;
        let mut wanted = first.max(4.0);
        while wanted <= last.max(24.0) {
            let outline = wanted.round() as usize;
            wanted *= 1.02;
            if outline == tried {
                continue;
            }
            tried = outline;
            let Some(plane) = self.plane(outline) else { continue };
            for segments in self.fitting_segments(length / outline as f64) {
                let ratio = self.node_count(&plane, segments) as f64 / target as f64;
                let excess = ((ratio - 1.0).abs() - 0.1).max(0.0);
                let stretch = self.even_segments(length / outline as f64) / segments as f64;
                let score = stretch.ln().powi(2) + COUNT_WEIGHT * ratio.ln().powi(2);
                if best.is_none_or(|(e, s, _)| (excess, score) < (e, s)) {
                    best = Some((excess, score, [segments, outline]));
                }
            }
        }
        let expected =
            "no cells of any size follow this profile: check that its walls do not touch";
        require(best.is_some(), SHAPE, "nodes", target as f64, expected)?;
        Ok(best.map_or([1, 4], |(_, _, divisions)| divisions))
    }

    fn around(&self, segments: usize) -> usize {
        if self.touches_axis() { segments.saturating_mul(4) } else { segments }
    }

    fn plane(&self, outline_cells: usize) -> Option<PlaneQuads> {
        let outline = self.outline();
        let spacing = 2.0 * outline.length() / outline_cells as f64;
        quads_inside(&outline.resampled(spacing), spacing)
    }

    /// The number of segments that makes cells of `size` (m) about as long around as along.
    fn even_segments(&self, size: f64) -> f64 {
        let turn = 0.75 * TAU * self.widest() / size;
        if self.touches_axis() { 0.25 * turn } else { turn }
    }

    fn fitting_segments(&self, size: f64) -> std::ops::RangeInclusive<usize> {
        let even = self.even_segments(size);
        let least = if self.touches_axis() { 2 } else { 6 };
        let low = ((0.5 * even) as usize).max(least);
        low..=((2.0 * even).ceil() as usize).max(low + 2)
    }

    fn node_count(&self, plane: &PlaneQuads, segments: usize) -> usize {
        let around = self.around(segments);
        if plane.cores.is_empty() {
            return plane.points.len() * around;
        }
        let in_core = core_disc(segments).points_within(core_disc(segments).columns) - around;
        let levels: usize = plane.cores.iter().map(Vec::len).sum();
        plane.points.len() * around + levels * in_core
    }

    fn solid(&self, plane: &PlaneQuads, around: usize) -> Result<VolumeMesh, GeometryError> {
        let mut nodes = Vec::with_capacity(plane.points.len() * around);
        for &[r, z] in &plane.points {
            nodes.extend((0..around).map(|k| {
                // The same half-planes as the border of a core's O-grid.
                let angle = TAU * k as f64 / around as f64 - FRAC_PI_4;
                DVec3::new(r * angle.cos(), r * angle.sin(), z)
            }));
        }
        let mut cells = Vec::with_capacity(plane.quads.len() * around);
        for quad in &plane.quads {
            cells.extend((0..around).map(|k| {
                // Counter-clockwise in (r, z) looks against the turn: the later half-plane is the lower face.
                let at = |p: u32, k: usize| p * around as u32 + (k % around) as u32;
                let [a, b, c, d] = *quad;
                let (l, e) = (k + 1, k);
                [at(a, l), at(b, l), at(c, l), at(d, l), at(a, e), at(b, e), at(c, e), at(d, e)]
            }));
        }
        for (core, side) in self.cores.iter().zip(&plane.cores) {
            core.add(side, around, &mut nodes, &mut cells)?;
        }
        Ok(VolumeMesh { nodes, cells: Cells::Hex8(cells) })
    }
}

/// The O-grid of a core: its grid of quads and a ring that makes it round.
fn core_disc(quarter: usize) -> Disc {
    let columns = quarter.div_ceil(2) + 1;
    Disc { quarter, columns, round_from: columns }
}

impl Core {
    /// Adds the core's nodes and cells; on its side it shares the nodes of the plane's points `side`, which run from
    /// the upper to the lower end.
    fn add(
        &self,
        side: &[u32],
        around: usize,
        nodes: &mut Vec<DVec3>,
        cells: &mut Vec<[u32; 8]>,
    ) -> Result<(), GeometryError> {
        let rows = side.len() - 1;
        let band = |[axis, border]: [f64; 2]| [[0.0, axis], [self.radius, border]];
        let section = Section::between(&band(self.lower), &band(self.upper))?;
        let section = section.refined(&[rows], &[core_disc(around / 4).columns])?;
        let core = revolved_hexes(&section, around)?;
        let width = core.nodes.len() / (rows + 1);
        let inner = width - around;
        let first = nodes.len();
        let node = |of_core: u32| {
            let (level, k) = (of_core as usize / width, of_core as usize % width);
            let shared = |ring: usize| side[rows - level] as usize * around + ring;
            let new = k.checked_sub(inner).map_or(first + level * inner + k, shared);
            new as u32
        };
        let own = core.nodes.iter().enumerate().filter(|(index, _)| index % width < inner);
        nodes.extend(own.map(|(_, node)| *node));
        if let Cells::Hex8(core_cells) = &core.cells {
            cells.extend(core_cells.iter().map(|cell| cell.map(node)));
        }
        Ok(())
    }
}

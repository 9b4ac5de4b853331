//! Sheets of quads with two coordinates per point, and their sweep through layers into hexahedra.

use std::f64::consts::{FRAC_PI_4, TAU};

use crate::{Cells, DVec3, VolumeMesh};

/// Half side of the straight core square over the radius of the core disc.
const CORE_SQUARE: f64 = 0.8;
/// How far the core's border goes from its square (0) to the circle (1). Half way, the three cells that meet at a
/// corner of the core share the full turn about evenly.
const CORE_ROUNDING: f64 = 0.5;

/// Quads that lie flat in some plane of coordinates, counter-clockwise.
pub(crate) struct Sheet {
    /// (u, v) in a grid; (column, angle in rad) in a disc or ring.
    pub points: Vec<[f64; 2]>,
    /// Four points each.
    pub quads: Vec<[u32; 4]>,
}

impl Sheet {
    /// A grid over [0,1]^2 of `across` x `up` quads.
    pub fn grid(across: usize, up: usize) -> Self {
        let mut points = Vec::with_capacity((across + 1) * (up + 1));
        for j in 0..=up {
            points.extend((0..=across).map(|i| [i as f64 / across as f64, j as f64 / up as f64]));
        }
        let at = |i: usize, j: usize| (j * (across + 1) + i) as u32;
        let cells = (0..up).flat_map(|j| (0..across).map(move |i| (i, j)));
        let quads =
            cells.map(|(i, j)| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]).collect();
        Self { points, quads }
    }

    /// A ring of `columns` x `around` quads, closed on itself.
    pub fn ring(columns: usize, around: usize) -> Self {
        let angles: Vec<f64> = (0..around).map(|k| TAU * k as f64 / around as f64).collect();
        let mut sheet = Self { points: Vec::new(), quads: Vec::new() };
        sheet.points.extend(angles.iter().map(|&angle| [0.0, angle]));
        let mut inner: Vec<u32> = (0..around as u32).collect();
        for column in 1..=columns {
            inner = sheet.add_ring(&inner, angles.iter().map(|&angle| [column as f64, angle]));
        }
        sheet
    }

    /// A disc whose middle is a core of quads instead of wedges.
    pub fn disc(disc: &Disc) -> Self {
        let n = disc.quarter;
        let mut sheet = Self::grid(n, n);
        let core = disc.core_radius();
        for point in &mut sheet.points {
            let [x, y] = rounded_square([2.0 * point[0] - 1.0, 2.0 * point[1] - 1.0]);
            *point = [core * x.hypot(y), y.atan2(x)];
        }
        let mut inner: Vec<u32> = square_border(n);
        let border: Vec<[f64; 2]> = inner.iter().map(|&p| sheet.points[p as usize]).collect();
        for column in disc.first_ring()..=disc.columns {
            let column = column as f64;
            // What is left of the core's squareness: it fades until the first column that must be a circle.
            let left = (1.0 - (column - core) / (disc.round_from as f64 - core)).max(0.0);
            let ring = border.iter().enumerate().map(|(k, &[radius, angle])| {
                let even = TAU * k as f64 / (4 * n) as f64 - FRAC_PI_4;
                [column + left * (radius - core), even + left * turn_between(even, angle)]
            });
            inner = sheet.add_ring(&inner, ring.collect::<Vec<_>>());
        }
        sheet
    }

    /// Joins a new ring of points to the ring `inner`; returns the new ring.
    fn add_ring(&mut self, inner: &[u32], ring: impl IntoIterator<Item = [f64; 2]>) -> Vec<u32> {
        let (start, count) = (self.points.len() as u32, inner.len());
        self.points.extend(ring);
        let outer: Vec<u32> = (0..count as u32).map(|k| start + k).collect();
        for k in 0..count {
            let next = (k + 1) % count;
            self.quads.push([inner[k], outer[k], outer[next], inner[next]]);
        }
        outer
    }

    /// Carries the sheet through `layers` layers of hexahedra. `keep(layer, quad)` says which quads exist in a layer,
    /// `place(level, point)` where the points of level 0..=layers stand, m; points that no cell uses are dropped.
    pub fn sweep(
        &self,
        layers: usize,
        keep: impl Fn(usize, &[u32; 4]) -> bool,
        place: impl Fn(usize, [f64; 2]) -> DVec3,
    ) -> VolumeMesh {
        let width = self.points.len();
        let mut cells: Vec<[u32; 8]> = Vec::with_capacity(layers * self.quads.len());
        for layer in 0..layers {
            let [low, high] = [layer, layer + 1].map(|level| (level * width) as u32);
            let kept = self.quads.iter().filter(|quad| keep(layer, quad));
            cells.extend(kept.map(|&[a, b, c, d]| {
                [a + low, b + low, c + low, d + low, a + high, b + high, c + high, d + high]
            }));
        }
        let mut new_index = vec![u32::MAX; width * (layers + 1)];
        cells.iter().flatten().for_each(|&node| new_index[node as usize] = 0);
        let mut nodes = Vec::new();
        for (old, slot) in new_index.iter_mut().enumerate().filter(|(_, slot)| **slot == 0) {
            *slot = nodes.len() as u32;
            nodes.push(place(old / width, self.points[old % width]));
        }
        cells.iter_mut().flatten().for_each(|node| *node = new_index[*node as usize]);
        VolumeMesh { nodes, cells: Cells::Hex8(cells) }
    }
}

/// The subdivision of a disc: `4 * quarter` segments around, `columns` from the axis to the border.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Disc {
    /// Quads along one side of the core.
    pub quarter: usize,
    /// Columns from the axis to the border; the core takes the place of the first ones.
    pub columns: usize,
    /// The first column that must be a true circle (1..=columns).
    pub round_from: usize,
}

impl Disc {
    /// Radius of the core in columns: about as many as the core has cells from its middle to its border, and less
    /// than four fifths of the way to the first true circle, where its corners would squeeze the rings.
    fn core_radius(&self) -> f64 {
        if self.round_from <= 1 {
            return 0.6;
        }
        let room = (0.8 * self.round_from as f64).floor().max(1.0);
        (self.quarter as f64 / 2.0).round().clamp(1.0, room)
    }

    fn first_ring(&self) -> usize {
        self.core_radius().floor() as usize + 1
    }

    /// How many points the disc has up to and including `column`, which must lie outside the core.
    pub fn points_within(&self, column: usize) -> usize {
        let rings = (column + 1).saturating_sub(self.first_ring());
        (self.quarter + 1) * (self.quarter + 1) + 4 * self.quarter * rings
    }
}

/// From the square [-1,1]^2 to a square with bulging sides: straight in the middle, round towards the border.
fn rounded_square([u, v]: [f64; 2]) -> [f64; 2] {
    let reach = u.abs().max(v.abs());
    if reach == 0.0 {
        return [0.0, 0.0];
    }
    // Equal steps along a side become equal angles on the circle.
    let circle = if u.abs() >= v.abs() {
        let angle = FRAC_PI_4 * v / u;
        [u * angle.cos(), u * angle.sin()]
    } else {
        let angle = FRAC_PI_4 * u / v;
        [v * angle.sin(), v * angle.cos()]
    };
    let blend = CORE_ROUNDING * reach;
    [0, 1].map(|k| (1.0 - blend) * CORE_SQUARE * [u, v][k] + blend * circle[k])
}

/// Border points of an n x n grid, counter-clockwise from the lower right corner (angle -45 degrees).
fn square_border(n: usize) -> Vec<u32> {
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let right = (0..n).map(|k| at(n, k));
    let top = (0..n).map(|k| at(n - k, n));
    let left = (0..n).map(|k| at(0, n - k));
    let bottom = (0..n).map(|k| at(k, 0));
    right.chain(top).chain(left).chain(bottom).collect()
}

/// The angle from `from` to `to` by the shorter way, rad.
fn turn_between(from: f64, to: f64) -> f64 {
    let turn = (to - from).rem_euclid(TAU);
    if turn > TAU / 2.0 { turn - TAU } else { turn }
}

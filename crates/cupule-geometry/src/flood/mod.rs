//! The air between touching bodies by flood fill of the gap field: a second detector, independent of the union.
//!
//! After Bernardin's thesis (2021, section 3.2), with differences: no seed is given by the user, the air outside is the
//! one with positive signed volume; outer borders are as exact as inner ones; any number of bodies takes part; and no
//! mesh is changed, the cut parts are carried by their triangles as in [`crate::arrangement`].
//!
//! 1. Each pair of near bodies has a gap field on the body that samples the contact better (`fine`); vertices with
//!    a gap up to the level are sealed, and the border is the isocontour (`contour`).
//! 2. The border is threaded over the other body, which may be as coarse as two triangles (`thread`).
//! 3. Flooding along edges joins what looks at the same air, on one body and across borders (`label`).
//! 4. Triangles are cut along borders (`tile`); the result is an [`Arrangement`] like that of the union (`build`).
//! 5. The widest way out of every enclosed air is followed through the sealed zones (`bottleneck`).
//!
//! A body that seals with itself is a pair of its own: where it is folded, parts of its surface face each other, and one of
//! each two carries the zone.
//!
//! It refuses zones that overlap on a body (three bodies that meet along a line) and surfaces that are not closed. It does
//! not see what is finer than the edges of both bodies: a channel that passes between two sealed neighbours of the carrying
//! body, and beside the middle of their edge, counts as closed.

mod bottleneck;
mod build;
mod contour;
mod field;
mod fine;
mod label;
mod thread;
mod tile;
mod zone;

use crate::arrangement::{Arrangement, Corner, Surface};
use crate::{DVec3, GeometryError};

use field::Field;
use label::{Labels, Loop};
use zone::Zone;

/// Factors of the levels and extra refinements with which a flood is tried, one after the other. With another level, by a
/// thousandth, a border that runs along another or through a vertex no longer does; refined, borders no longer cross that did
/// because their parts were long.
const TRIES: [(f64, usize); 4] = [(1.0, 0), (1.001, 0), (1.0, 1), (0.999, 2)];

/// Where and how near to opening the seal of an enclosed air is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bottleneck {
    /// The largest gap that can follow the air all the way out, m: the seal opens when its level falls below this.
    pub gap: f64,
    /// Index of the body that has the place.
    pub body: u32,
    /// Its vertex at or nearest to the place.
    pub vertex: u32,
    /// The place as the body carries it.
    pub corner: Corner,
    /// Where it is now, m.
    pub point: DVec3,
}

/// What a flood finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Flooded {
    /// The bodies' surfaces by what they look at, as the union gives them. Signed volumes and border lengths are at
    /// the true positions; there are no junctions.
    pub arrangement: Arrangement,
    /// Per body and vertex, the distance to the nearest other body, m: negative inside it, infinite from four
    /// levels outside.
    pub gaps: Vec<Vec<f64>>,
    /// Per component the bottleneck of its seal; none for outer boundaries, and for air that has no way out through
    /// contact (a void in one body).
    pub bottlenecks: Vec<Option<Bottleneck>>,
}

/// Floods the surfaces of a contact group at their true positions, sealed up to `level` (m): the contact offset plus the
/// sealing distance.
///
/// # Errors
/// A level that is not positive, a surface that is not closed and manifold or has broken indices or coordinates, or
/// [`GeometryError::FloodFailed`] where sealed zones overlap (three bodies that meet along a line).
pub fn flood(surfaces: &[Surface<'_>], level: f64) -> Result<Flooded, GeometryError> {
    flood_each(surfaces, level, |_, _| level, |a, b| a != b)
}

/// The same with a level for every vertex, `level_of(body, vertex)` (m), none above `level`, for those pairs of bodies
/// that seal at all, `seals(a, a)` meaning folds of one body. Between two bodies the larger level counts.
///
/// # Errors
/// As for [`flood`].
pub fn flood_each(
    surfaces: &[Surface<'_>],
    level: f64,
    level_of: impl Fn(usize, usize) -> f64,
    seals: impl Fn(usize, usize) -> bool,
) -> Result<Flooded, GeometryError> {
    let mut field = Field::new(surfaces, level, level_of, seals)?;
    let mut error = failed("no attempt was made");
    for (factor, refinements) in TRIES {
        field.scale = factor;
        match attempt(&field, refinements) {
            Err(failure @ GeometryError::FloodFailed { .. }) => error = failure,
            other => return other,
        }
    }
    Err(error)
}

fn attempt(field: &Field<'_>, refinements: usize) -> Result<Flooded, GeometryError> {
    let mut gaps: Vec<Vec<f64>> =
        field.surfaces.iter().map(|s| vec![f64::INFINITY; s.positions.len()]).collect();
    let mut sealed: Vec<Vec<bool>> =
        field.surfaces.iter().map(|s| vec![false; s.positions.len()]).collect();
    let mut zones = Vec::new();
    let mut loops: Vec<Loop> = Vec::new();
    for &pair in &field.pairs {
        let zone = match pair {
            [a, b] if a == b => Zone::folded(field, a, &mut gaps)?,
            _ => Zone::new(field, pair, refinements, &mut gaps),
        };
        if let Some(zone) = zone {
            zone.mark(&mut sealed)?;
            loops.extend(zone.loops(field)?);
            zones.push(zone);
        }
    }
    let labels = Labels::new(field, &loops, &sealed)?;
    let arrangement = build::arrangement(field, &loops, &labels)?;
    let bottlenecks = bottleneck::bottlenecks(field, &zones, &labels, &arrangement);
    Ok(Flooded { arrangement, gaps, bottlenecks })
}

fn failed(reason: impl Into<String>) -> GeometryError {
    GeometryError::FloodFailed { reason: reason.into() }
}

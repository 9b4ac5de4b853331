//! Where bodies that enclose no air are nearest to it, or a seal that opened is open.
//!
//! The flood is repeated with ever wider sealing levels until it encloses air. The widest path out of that air (its
//! bottleneck) is then the place that keeps it open, and its gap is by how much.

use super::classify::SHALLOW;
use super::input::{BodySurface, Distances};
use cupule_geometry::DVec3;
use cupule_geometry::arrangement::{CavityMesh, Side, Surface};
use cupule_geometry::flood::{Flooded, flood};
use cupule_geometry::tree::Bounds;

/// Levels are doubled this often at most: with the default distances to 64 mm, wider open than a cup is large.
const DOUBLINGS: u32 = 8;

/// Levels stay below this fraction of the extent of the smallest body: well above it everything touches.
const SMALL: f64 = 0.1;

/// A place at which a ring is open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breach {
    /// The body that has the place.
    pub body: usize,
    /// Its surface triangle.
    pub triangle: u32,
    /// Barycentric coordinates in it.
    pub weights: [f64; 3],
    /// Where it is, m.
    pub at: DVec3,
    /// Gap beyond the distance at which the solver holds bodies apart, m: the widest on the best ring.
    pub gap: f64,
}

/// The place that keeps bodies from enclosing air, if there is a hollow between them.
pub fn find_breach(bodies: &[BodySurface], distances: &Distances) -> Option<Breach> {
    let surface = |b: &BodySurface<'_>| Bounds::of(b.positions);
    let extent = |b: Bounds| (b.max - b.min).max_element();
    let most = SMALL * bodies.iter().map(surface).map(extent).fold(f64::INFINITY, f64::min);
    let levels = (0..=DOUBLINGS).map(|k| distances.closing() * f64::from(1 << k));
    let surfaces: Vec<Surface> = (bodies.iter())
        .map(|b| Surface { positions: b.positions, triangles: b.triangles })
        .collect();
    let neck = levels.take_while(|level| *level <= most).find_map(|level| {
        let flooded = flood(&surfaces, level).ok()?;
        let air = largest_air(&flooded, &surfaces, level)?;
        let neck = flooded.bottlenecks[air]?;
        Some((neck, bodies[neck.body as usize].body))
    });
    // Where the flood finds a seal, the leak is a channel finer than its mesh: it cannot name the place.
    let (neck, body) = neck.filter(|(neck, _)| neck.gap > distances.closing())?;
    Some(Breach {
        body,
        triangle: neck.corner.triangle,
        weights: neck.corner.barycentric,
        at: neck.point,
        gap: neck.gap - distances.contact,
    })
}

/// The component that encloses most air, if it is deeper than what counts as touching.
fn largest_air(flooded: &Flooded, surfaces: &[Surface], level: f64) -> Option<usize> {
    let components = flooded.arrangement.components.iter().enumerate();
    let (air, component) =
        components.min_by(|a, b| a.1.signed_volume.total_cmp(&b.1.signed_volume))?;
    let mesh = CavityMesh::of(&flooded.arrangement, |side| side == Side::Free(air as u32));
    let [walls, _] = mesh.areas(surfaces);
    (-2.0 * component.signed_volume > SHALLOW * level * walls).then_some(air)
}

//! A look at the bodies: where they seal, and what air they enclose.
//!
//! The union of the thickened bodies (`cupule_geometry::arrangement`) says which parts of surfaces bound which air and which
//! parts touch. A touching part that borders on one cavity belongs to it (physics: the seal is the outermost closed loop of
//! touching contact); one that borders on several belongs to the one with the longest border. Pockets so shallow that they
//! hardly differ from touching are part of what touches around them: facets of a coarse mesh make many.

use super::found::{Found, Patch, SurfacePoint, corner};
use super::wall::Corner;
use crate::settings::Ring;
use cupule_geometry::arrangement::{
    Arrangement, Border, Side, Surface, Thickened, arrange, thicken_each,
};
use cupule_geometry::{DVec3, GeometryError};

/// A pocket is shallow if its mean gap is below this many sealing levels.
const SHALLOW: f64 = 2.0;

/// What a look needs to know of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodySurface<'a> {
    /// Index of the body.
    pub body: usize,
    /// Point of the world of every surface vertex.
    pub points: &'a [usize],
    /// Surface triangles.
    pub triangles: &'a [[u32; 3]],
    /// Where the vertices are, m.
    pub positions: &'a [DVec3],
}

/// Distances that decide about sealing, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// Distance at which the solver holds bodies apart.
    pub contact: f64,
    /// Gap beyond it that still seals.
    pub sealing: f64,
    /// Height of the roughness.
    pub roughness: f64,
}

/// What a look sees: enclosed air, and sealed patches without an open part.
#[derive(Debug, Clone, Default)]
pub struct Sight {
    /// Enclosed air.
    pub open: Vec<Found>,
    /// Sealed, but flat.
    pub flat: Vec<Found>,
}

impl Distances {
    /// Gap at which surfaces begin to seal, m.
    pub fn closing(&self) -> f64 {
        self.contact + self.sealing
    }

    /// Gap at which surfaces that seal open again, m.
    pub fn opening(&self) -> f64 {
        self.contact + 2.0 * self.sealing
    }
}

/// Which vertices of every body of a group seal: those nearer than the closing distance, and those that sealed before and
/// are nearer than the opening distance.
pub type Touching = Vec<Vec<bool>>;

/// A first glance at a group of bodies that are near each other: gaps, and what touches.
pub struct Glance<'a> {
    bodies: &'a [BodySurface<'a>],
    surfaces: Vec<Surface<'a>>,
    thick: Thickened,
    /// What touches.
    pub touching: Touching,
}

impl<'a> Glance<'a> {
    /// Measures the gaps; `before` is what touched at the last glance at the same bodies.
    pub fn new(
        bodies: &'a [BodySurface<'a>],
        distances: &Distances,
        before: Option<&Touching>,
    ) -> Result<Self, GeometryError> {
        let surface =
            |b: &BodySurface<'a>| Surface { positions: b.positions, triangles: b.triangles };
        let surfaces: Vec<Surface> = bodies.iter().map(surface).collect();
        let touched = |body: usize, vertex: usize| {
            before.is_some_and(|b| b[body].get(vertex).copied().unwrap_or(false))
        };
        let level = |body: usize, vertex: usize| {
            if touched(body, vertex) { distances.opening() } else { distances.closing() }
        };
        let thick = thicken_each(&surfaces, distances.opening(), level)?;
        let seals = |body: usize, gaps: &Vec<f64>| -> Vec<bool> {
            gaps.iter().enumerate().map(|(vertex, gap)| *gap <= level(body, vertex)).collect()
        };
        let touching = thick.gaps.iter().enumerate().map(|(b, gaps)| seals(b, gaps)).collect();
        Ok(Self { bodies, surfaces, thick, touching })
    }

    /// Looks closely: the air that the bodies enclose.
    pub fn look(self, distances: &Distances, ring: Ring) -> Result<Sight, GeometryError> {
        let arrangement = arrange(&self.surfaces, &self.thick.positions)?;
        let (bodies, surfaces) = (self.bodies, self.surfaces);
        let looker = Looker { bodies, distances, surfaces, arrangement: &arrangement };
        Ok(looker.sight(ring, distances.closing()))
    }
}

struct Looker<'a> {
    bodies: &'a [BodySurface<'a>],
    distances: &'a Distances,
    surfaces: Vec<Surface<'a>>,
    arrangement: &'a Arrangement,
}

/// Who owns what: every enclosed component and touching region belongs to a cavity, or to none.
struct Owners {
    components: Vec<Option<usize>>,
    regions: Vec<Option<usize>>,
    /// Components that count as touching.
    shallow: Vec<bool>,
    count: usize,
}

impl Looker<'_> {
    fn sight(&self, ring: Ring, level: f64) -> Sight {
        let owners = self.owners(ring, level);
        let mut sight = Sight::default();
        for cavity in 0..owners.count {
            let found = self.found(&owners, cavity);
            if found.is_flat() { sight.flat.push(found) } else { sight.open.push(found) }
        }
        sight
    }

    /// Zones are touching regions with the shallow pockets between them; the others are cavities of their own, and take the
    /// zones they border on.
    fn owners(&self, ring: Ring, level: f64) -> Owners {
        let components = &self.arrangement.components;
        let enclosed = |c: usize| components[c].signed_volume < 0.0;
        let mut owners = Owners {
            components: vec![None; components.len()],
            regions: vec![None; self.arrangement.regions.len()],
            shallow: vec![false; components.len()],
            count: 0,
        };
        let deep: Vec<bool> = (0..components.len())
            .map(|c| enclosed(c) && (ring == Ring::Inner || self.mean_gap(c) > SHALLOW * level))
            .collect();
        for (c, _) in deep.iter().enumerate().filter(|(_, deep)| **deep) {
            owners.components[c] = Some(owners.count);
            owners.count += 1;
        }
        // A cluster of solids that floats in a cavity takes its room there.
        for (c, component) in components.iter().enumerate() {
            if let Some(room) = component.floats_in {
                owners.components[c] = owners.components[room as usize];
            }
        }
        if ring == Ring::Outer {
            self.share_out_zones(&deep, &enclosed, &mut owners);
        }
        owners
    }

    fn share_out_zones(
        &self,
        deep: &[bool],
        enclosed: &dyn Fn(usize) -> bool,
        owners: &mut Owners,
    ) {
        for zone in self.zones(deep, enclosed) {
            let mut borders = vec![0.0; owners.count];
            for &region in &zone.regions {
                for (component, length) in &self.arrangement.regions[region].borders {
                    if let Some(owner) = owners.components[*component as usize] {
                        borders[owner] += length;
                    }
                }
            }
            let longest = (0..borders.len()).max_by(|a, b| borders[*a].total_cmp(&borders[*b]));
            let owner = longest.filter(|o| borders[*o] > 0.0).unwrap_or_else(|| {
                owners.count += 1;
                owners.count - 1
            });
            zone.regions.iter().for_each(|r| owners.regions[*r] = Some(owner));
            for &pocket in &zone.pockets {
                owners.components[pocket] = Some(owner);
                owners.shallow[pocket] = true;
            }
        }
    }

    /// Touching regions joined by shallow pockets.
    fn zones(&self, deep: &[bool], enclosed: &dyn Fn(usize) -> bool) -> Vec<Zone> {
        let regions = &self.arrangement.regions;
        let mut zone_of: Vec<usize> = (0..regions.len()).collect();
        let shallow = |c: usize| enclosed(c) && !deep[c];
        for pocket in (0..deep.len()).filter(|c| shallow(*c)) {
            let touching = (0..regions.len())
                .filter(|r| regions[*r].borders.iter().any(|(c, _)| *c as usize == pocket));
            let members: Vec<usize> = touching.map(|r| zone_of[r]).collect();
            let Some(&first) = members.iter().min() else { continue };
            zone_of.iter_mut().filter(|z| members.contains(z)).for_each(|z| *z = first);
        }
        let mut zones = vec![Zone::default(); regions.len()];
        (0..regions.len()).for_each(|r| zones[zone_of[r]].regions.push(r));
        for pocket in (0..deep.len()).filter(|c| shallow(*c)) {
            let home = (0..regions.len())
                .find(|r| regions[*r].borders.iter().any(|(c, _)| *c as usize == pocket));
            if let Some(region) = home {
                zones[zone_of[region]].pockets.push(pocket);
            }
        }
        zones.retain(|zone| !zone.regions.is_empty());
        zones
    }

    /// 2 V / A of a component at the true positions, m.
    fn mean_gap(&self, component: usize) -> f64 {
        let side = Side::Free(component as u32);
        let (mut volume, mut area) = (0.0, 0.0);
        let mut origin = None;
        for piece in self.arrangement.pieces.iter().filter(|p| p.side == side) {
            let [a, b, c] = piece.corners.map(|at| self.position(piece.body, piece.triangle, at));
            let o = *origin.get_or_insert(a);
            volume -= (a - o).dot((b - o).cross(c - o)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        let bands = self.arrangement.borders.iter().filter(|b| b.component as usize == component);
        for [a, b, c] in bands.flat_map(|border| self.band(border, false)) {
            let o = origin.unwrap_or_default();
            let [a, b, c] = [a, b, c].map(|p| self.position(p.body as u32, p.triangle, p.at));
            volume -= (a - o).dot((b - o).cross(c - o)) / 6.0;
        }
        if area > 0.0 { 2.0 * volume / area } else { 0.0 }
    }

    fn position(&self, body: u32, triangle: u32, at: [f64; 3]) -> DVec3 {
        let surface = &self.surfaces[body as usize];
        let corners = surface.triangles[triangle as usize];
        (0..3).map(|k| surface.positions[corners[k] as usize] * at[k]).sum()
    }

    /// The two triangles between the copies of a border edge, as the wall of what lies on its free side, or on its
    /// touching side.
    fn band(&self, border: &Border, touching_side: bool) -> [[SurfacePoint; 3]; 2] {
        let [[a0, b0], [a1, b1]] = border.ends.map(|end| {
            end.map(|c| SurfacePoint {
                body: c.body as usize,
                triangle: c.triangle,
                at: c.barycentric,
            })
        });
        let band = [[a1, a0, b0], [a1, b0, b1]];
        if touching_side { band.map(|[a, b, c]| [a, c, b]) } else { band }
    }

    /// Everything that belongs to a cavity, with bands where the owner changes.
    fn found(&self, owners: &Owners, cavity: usize) -> Found {
        let mut found = Found::default();
        for piece in &self.arrangement.pieces {
            let (owner, touching) = match piece.side {
                Side::Free(c) => (owners.components[c as usize], owners.shallow[c as usize]),
                Side::Buried(r) => (owners.regions[r as usize], true),
            };
            if owner != Some(cavity) {
                continue;
            }
            let [a, b, c] = piece.corners.map(|at| self.position(piece.body, piece.triangle, at));
            found.patches.push(Patch {
                body: self.bodies[piece.body as usize].body,
                triangle: piece.triangle,
                corners: piece.corners,
                touching,
                area: 0.5 * (b - a).cross(c - a),
            });
            let corners = piece.corners.map(|at| {
                self.corner(SurfacePoint {
                    body: piece.body as usize,
                    triangle: piece.triangle,
                    at,
                })
            });
            found.wall.triangles.push(corners);
        }
        found.wall.on_bodies = found.wall.triangles.len();
        for border in &self.arrangement.borders {
            let free = owners.components[border.component as usize];
            let touching = owners.regions[border.region as usize];
            if free == touching {
                continue;
            }
            for (owner, touching_side) in [(free, false), (touching, true)] {
                if owner == Some(cavity) {
                    let band = self.band(border, touching_side);
                    found.wall.triangles.extend(band.map(|t| t.map(|p| self.corner(p))));
                }
            }
        }
        found.wall.offset =
            0.5 * (self.distances.roughness - self.distances.contact) * found.area();
        found.sorted()
    }

    fn corner(&self, point: SurfacePoint) -> Corner {
        let body = &self.bodies[point.body];
        corner(point, body.triangles, body.points)
    }
}

/// Touching regions that hang together, with the shallow pockets among them.
#[derive(Debug, Clone, Default)]
struct Zone {
    regions: Vec<usize>,
    pockets: Vec<usize>,
}

//! A look at the bodies: where they seal, and what air they enclose.
//!
//! A detector (see `glance`) says which parts of surfaces bound which air and which parts touch. A touching part that
//! borders on one cavity belongs to it (physics: the seal is the outermost closed loop of touching contact); one that
//! borders on several stays with the one that had it before, or else belongs to the one with the longest border. Pockets
//! so shallow that they hardly differ from touching are part of what touches around them: facets of a coarse mesh make
//! many. So are those that hold next to nothing beside a cavity across the same seal, unless they are far too deep for facets or were
//! a cavity before: a small cup under a large hood keeps its own air.

use super::found::{Found, Patch};
use super::wall::{Corner, Wall};
use crate::settings::{Detector, Ring};
use cupule_geometry::DVec3;
use cupule_geometry::arrangement::{
    self as geometry, Arrangement, CavityMesh, Piece, Side, Surface,
};
use cupule_geometry::disjoint::DisjointSets;

/// A pocket is shallow if its mean gap is below this many sealing levels.
pub(super) const SHALLOW: f64 = 2.0;

/// A pocket is minor if it has less than this share of the volume of a cavity beside it,
pub(super) const MINOR: f64 = 0.02;

/// and a mean gap below this many sealing levels.
const DEEP: f64 = 10.0;

/// A cavity is the one of the last look if their open parts have this share of the smaller one in common.
const SAME_OPEN_PART: f64 = 0.5;

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
    /// Whether it seals where it is folded on itself.
    pub folds: bool,
}

/// Distances that decide about sealing, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// What is between walls and not air: the distance at which the solver holds bodies apart, and a wet film.
    pub contact: f64,
    /// Of it the film, as long as it is not pressed out.
    pub film: f64,
    /// Gap beyond it that still seals.
    pub sealing: f64,
    /// Height of the roughness.
    pub roughness: f64,
}

/// What a look sees: enclosed air, and sealed patches without an open part.
#[derive(Debug, Clone, Default)]
pub struct Sight {
    /// Which detector answered.
    pub by: Detector,
    /// Whether it answered because the other one refused.
    pub refused: bool,
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

/// Decides what of an arrangement is one cavity.
pub(super) struct Looker<'a> {
    pub bodies: &'a [BodySurface<'a>],
    pub distances: &'a Distances,
    pub surfaces: Vec<Surface<'a>>,
    pub arrangement: &'a Arrangement,
    pub before: &'a [&'a Found],
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
    /// What is enclosed or touches; `level` (m) is the gap at which surfaces begin to seal.
    pub fn sight(&self, ring: Ring, level: f64) -> Sight {
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
        // A void inside one body is no cavity: contact must have closed it.
        let borders = |c: usize| {
            let regions = self.arrangement.regions.iter();
            regions.flat_map(|r| &r.borders).any(|(border, _)| *border as usize == c)
        };
        let enclosed = |c: usize| components[c].signed_volume < 0.0 && borders(c);
        let mut owners = Owners {
            components: vec![None; components.len()],
            regions: vec![None; self.arrangement.regions.len()],
            shallow: vec![false; components.len()],
            count: 0,
        };
        let mut deep: Vec<bool> = (0..components.len()).map(enclosed).collect();
        if ring == Ring::Outer {
            deep = self.without_pockets(&deep, level);
        }
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

    /// Which enclosed components are cavities of their own: not shallow, and not minor beside one that borders on the same touching
    /// region.
    fn without_pockets(&self, enclosed: &[bool], level: f64) -> Vec<bool> {
        let measure = |(c, enclosed): (usize, &bool)| {
            if *enclosed { self.volume_and_gap(c) } else { [0.0, 0.0] }
        };
        let measures: Vec<[f64; 2]> = enclosed.iter().enumerate().map(measure).collect();
        let mut largest = vec![0.0; enclosed.len()];
        for region in &self.arrangement.regions {
            let volume = |(c, _): &(u32, f64)| measures[*c as usize][0];
            let most = region.borders.iter().map(volume).fold(0.0, f64::max);
            region.borders.iter().for_each(|(c, _)| {
                let beside: &mut f64 = &mut largest[*c as usize];
                *beside = beside.max(most);
            });
        }
        let own = |c: usize| {
            let [volume, gap] = measures[c];
            let minor = volume <= MINOR * largest[c] && gap <= DEEP * level;
            gap > SHALLOW * level && (!minor || self.was_cavity(c))
        };
        (0..enclosed.len()).map(|c| enclosed[c] && own(c)).collect()
    }

    /// Whether most of a cavity of the last look is in a component: it goes on, however large the one that closes beside it.
    fn was_cavity(&self, component: usize) -> bool {
        let open = self.part(&|side| side == Side::Free(component as u32));
        self.before.iter().any(|b| !b.is_flat() && b.core_share(&open) > SAME_OPEN_PART)
    }

    /// The pieces on some sides.
    fn part(&self, counts: &dyn Fn(Side) -> bool) -> Found {
        let pieces = self.arrangement.pieces.iter().filter(|piece| counts(piece.side));
        let patches = pieces.map(|piece| self.patch(piece, false)).collect();
        Found { patches, wall: Wall::default() }.sorted()
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
            let neighbours: Vec<usize> = (0..borders.len()).filter(|o| borders[*o] > 0.0).collect();
            let longest = neighbours.iter().copied();
            let longest = longest.max_by(|a, b| borders[*a].total_cmp(&borders[*b]));
            let owner = self.owner_before(&zone, owners, &neighbours).or(longest);
            let owner = owner.unwrap_or_else(|| {
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

    /// Which of several neighbours had most of a zone at the last look: it keeps it, or the pressures of both would jump.
    fn owner_before(&self, zone: &Zone, owners: &Owners, neighbours: &[usize]) -> Option<usize> {
        if neighbours.len() < 2 {
            return None;
        }
        let touching = self.part(&|side| match side {
            Side::Buried(region) => zone.regions.contains(&(region as usize)),
            Side::Free(_) => false,
        });
        let had = |neighbour: usize| -> f64 {
            let open = self.part(&|side| match side {
                Side::Free(component) => owners.components[component as usize] == Some(neighbour),
                Side::Buried(_) => false,
            });
            let same = self.before.iter().filter(|b| open.shares_open_part(b, SAME_OPEN_PART));
            same.map(|before| touching.area_within(before)).sum()
        };
        let had: Vec<(usize, f64)> = neighbours.iter().map(|n| (*n, had(*n))).collect();
        let most = had.into_iter().filter(|(_, area)| *area > 0.0);
        most.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(neighbour, _)| neighbour)
    }

    /// Touching regions joined by shallow pockets.
    fn zones(&self, deep: &[bool], enclosed: &dyn Fn(usize) -> bool) -> Vec<Zone> {
        let regions = &self.arrangement.regions;
        let pockets = || (0..deep.len()).filter(|c| enclosed(*c) && !deep[*c]);
        let around = |pocket: usize| {
            let beside = move |r: &usize| {
                regions[*r].borders.iter().any(|(component, _)| *component as usize == pocket)
            };
            (0..regions.len()).filter(beside)
        };
        let mut sets = DisjointSets::new(regions.len());
        for pocket in pockets() {
            if let Some(first) = around(pocket).next() {
                around(pocket).for_each(|region| sets.join(first as u32, region as u32));
            }
        }
        let (count, zone_of) = sets.numbered();
        let mut zones = vec![Zone::default(); count];
        (0..regions.len()).for_each(|r| zones[zone_of[r] as usize].regions.push(r));
        for pocket in pockets() {
            if let Some(first) = around(pocket).next() {
                zones[zone_of[first] as usize].pockets.push(pocket);
            }
        }
        zones
    }

    /// V (m3) and 2 V / A (m) of a component at the true positions.
    fn volume_and_gap(&self, component: usize) -> [f64; 2] {
        let mesh = CavityMesh::of(self.arrangement, |side| side == Side::Free(component as u32));
        let ([walls, _], volume) = (mesh.areas(&self.surfaces), mesh.volume(&self.surfaces));
        if walls > 0.0 { [volume, 2.0 * volume / walls] } else { [0.0, 0.0] }
    }

    /// Everything that belongs to a cavity, with bands where the owner changes.
    fn found(&self, owners: &Owners, cavity: usize) -> Found {
        let owner = |side: Side| match side {
            Side::Free(c) => owners.components[c as usize],
            Side::Buried(r) => owners.regions[r as usize],
        };
        let mesh = CavityMesh::of(self.arrangement, |side| owner(side) == Some(cavity));
        let patch = |index: &u32| {
            let piece = &self.arrangement.pieces[*index as usize];
            let touching = match piece.side {
                Side::Free(c) => owners.shallow[c as usize],
                Side::Buried(_) => true,
            };
            self.patch(piece, touching)
        };
        let patches = mesh.pieces.iter().map(patch).collect();
        let triangles = mesh.triangles.iter().map(|t| t.map(|c| self.corner(c))).collect();
        let mut found =
            Found { patches, wall: Wall { triangles, on_bodies: mesh.wall, offset: 0.0 } };
        let skin = self.distances.roughness - self.distances.contact;
        found.wall.offset = 0.5 * skin * found.area();
        found.sorted()
    }

    fn patch(&self, piece: &Piece, touching: bool) -> Patch {
        let (body, triangle) = (piece.body, piece.triangle);
        let [a, b, c] = piece.corners.map(|barycentric| {
            geometry::Corner { body, triangle, barycentric }.position(&self.surfaces)
        });
        Patch {
            body: self.bodies[piece.body as usize].body,
            triangle: piece.triangle,
            corners: piece.corners,
            touching,
            area: 0.5 * (b - a).cross(c - a),
        }
    }

    fn corner(&self, corner: geometry::Corner) -> Corner {
        let body = &self.bodies[corner.body as usize];
        let vertices = body.triangles[corner.triangle as usize];
        Corner { points: vertices.map(|v| body.points[v as usize]), weights: corner.barycentric }
    }
}

/// Touching regions that hang together, with the shallow pockets among them.
#[derive(Debug, Clone, Default)]
struct Zone {
    regions: Vec<usize>,
    pockets: Vec<usize>,
}

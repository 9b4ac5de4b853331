//! What of an arrangement is one cavity.
//!
//! A detector says which parts of surfaces bound which air (components) and which parts touch (regions). A touching part that borders
//! on one cavity belongs to it: physically, the seal is the outermost closed loop of touching contact. One that borders on several
//! stays with the one that had it before, or else belongs to the one with the longest border.
//!
//! Pockets so shallow that they hardly differ from touching are part of what touches around them: facets of a coarse mesh make
//! many. So are pockets that hold next to nothing beside a cavity across the same seal, unless they are far too deep for facets or were
//! a cavity before: a small cup under a large hood keeps its own air.

use super::detected::{DetectedCavity, MAJORITY, Patch};
use super::input::{BodySurface, Distances};
use super::wall::{Corner, Wall};
use crate::settings::Ring;
use cupule_geometry::arrangement::{
    self as geometry, Arrangement, CavityMesh, Piece, Side, Surface,
};
use cupule_geometry::disjoint::DisjointSets;

/// A pocket is shallow if its mean gap is at most this many sealing levels. What touches has up to one level; facets of a mesh that is
/// coarse but still seals add about as much.
pub(super) const SHALLOW: f64 = 2.0;

/// A pocket is minor if it has at most this fraction of the volume of a cavity beside it: so little air is lost in what the cavity holds,
/// and as a cavity of its own it would split and merge at every step.
pub const MINOR: f64 = 0.02;

/// But a minor pocket must also have a mean gap of at most this many sealing levels: what is deeper is a hollow of the bodies and not the
/// work of facets.
const DEEP: f64 = 10.0;

/// An arrangement of bodies, and what else decides about its cavities.
pub(super) struct Classifier<'a> {
    pub bodies: &'a [BodySurface<'a>],
    pub distances: &'a Distances,
    pub surfaces: Vec<Surface<'a>>,
    pub arrangement: &'a Arrangement,
    pub before: &'a [&'a DetectedCavity],
}

/// Who owns what: every enclosed component and touching region belongs to a cavity, or to none.
struct Owners {
    components: Vec<Option<usize>>,
    regions: Vec<Option<usize>>,
    /// Components that count as touching.
    shallow: Vec<bool>,
    count: usize,
}

impl Classifier<'_> {
    /// Cavities with an open part, and flat ones; `level` (m) is the gap at which surfaces begin to seal.
    pub fn cavities(&self, ring: Ring, level: f64) -> (Vec<DetectedCavity>, Vec<DetectedCavity>) {
        let owners = self.owners(ring, level);
        let all = (0..owners.count).map(|cavity| self.cavity(&owners, cavity));
        all.partition(|cavity| !cavity.is_flat())
    }

    /// Decides who owns what. Zones are touching regions with the shallow pockets between them. The other pockets are cavities of
    /// their own, and take the zones they border on.
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

    /// Whether most of a cavity of before is in a component: it goes on, however large the one that closes beside it.
    fn was_cavity(&self, component: usize) -> bool {
        let open = self.part(&|side| side == Side::Free(component as u32));
        self.before.iter().any(|b| !b.is_flat() && b.core_fraction_in(&open) > MAJORITY)
    }

    /// The pieces on some sides.
    fn part(&self, counts: &dyn Fn(Side) -> bool) -> DetectedCavity {
        let pieces = self.arrangement.pieces.iter().filter(|piece| counts(piece.side));
        let patches = pieces.map(|piece| self.patch(piece, false)).collect();
        DetectedCavity { patches, wall: Wall::default() }.sorted()
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

    /// Which of several neighbours had most of a zone before: it keeps it, or the pressures of both would jump.
    fn owner_before(
        &self,
        zone: &TouchingZone,
        owners: &Owners,
        neighbours: &[usize],
    ) -> Option<usize> {
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
            let same = self.before.iter().filter(|b| open.shares_open_part(b, MAJORITY));
            same.map(|before| touching.area_within(before)).sum()
        };
        let had: Vec<(usize, f64)> = neighbours.iter().map(|n| (*n, had(*n))).collect();
        let most = had.into_iter().filter(|(_, area)| *area > 0.0);
        most.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(neighbour, _)| neighbour)
    }

    /// Touching regions joined by shallow pockets.
    fn zones(&self, deep: &[bool], enclosed: &dyn Fn(usize) -> bool) -> Vec<TouchingZone> {
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
        let mut zones = vec![TouchingZone::default(); count];
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
    fn cavity(&self, owners: &Owners, cavity: usize) -> DetectedCavity {
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
        let mut cavity =
            DetectedCavity { patches, wall: Wall { triangles, on_bodies: mesh.wall, offset: 0.0 } };
        let skin = self.distances.roughness - self.distances.contact;
        cavity.wall.offset = 0.5 * skin * cavity.area();
        cavity.sorted()
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

/// Connected touching regions, with the shallow pockets among them.
#[derive(Debug, Clone, Default)]
struct TouchingZone {
    regions: Vec<usize>,
    pockets: Vec<usize>,
}

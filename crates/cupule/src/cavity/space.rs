//! The air of a world: looks at it and tracks it.

use super::film::Sheet;
use super::flow::Line;
use super::found::Found;
use super::glance::{Manner, Rough, Touching, held, near_groups};
use super::limit::easiest_way;
use super::look::{BodySurface, Distances};
use super::memory::{Look, Memory, Past, look_again};
use super::muscle::{Chest, Muscle};
use super::reynolds::{self, Ways};
use super::seal::{Group, Node, Seal};
use super::survey::Looks;
use super::track::{Cavity, Change, Moles, Narrow, Tracker};
use super::wall::Wall;
use crate::report::worse;
use crate::settings::{AirSettings, VentLimit};
use crate::solver::Walls;
use cupule_geometry::{DVec3, GeometryError};
use rayon::prelude::*;

/// The air of a world.
#[derive(Debug, Clone)]
pub struct AirSpace {
    pub(super) settings: AirSettings,
    contact_distance: f64,
    pub(super) tracker: Tracker,
    pub(super) lines: Vec<Vessel>,
    pub(super) muscles: Vec<Chest>,
    /// The last look at every group of bodies.
    memories: Vec<Memory>,
    /// Gaps at the one before: how seals were when they still held.
    sealed: Vec<Sealed>,
    /// Graphs of the seals of every group, where something asks for them.
    seals: Vec<Seal>,
    /// Touching parts of every cavity, where a film may be pressed out of them.
    sheets: Vec<Sheet>,
    pub(super) looks: Looks,
    /// See [`AirSpace::relook_jump`].
    relook_jump: f64,
    /// Whether it has looked since the last step.
    pub(super) has_looked: bool,
    pub(super) rough: Rough,
}

/// What a look came to.
#[derive(Debug, Default)]
pub struct Looked {
    /// What happened to cavities.
    pub changes: Vec<Change>,
    /// Cavities before it; left out where nothing happened.
    pub before: Vec<Cavity>,
}

/// How the bodies of a group were: gaps (m) of their vertices, which of these sealed, and to whom they were nearest.
#[derive(Debug, Clone)]
struct Sealed {
    bodies: Vec<usize>,
    gaps: Vec<Vec<f64>>,
    touching: Touching,
    partners: Vec<Vec<Option<u32>>>,
}

impl From<Memory> for Sealed {
    fn from(Memory { bodies, gaps, touching, partners, .. }: Memory) -> Self {
        Self { bodies, gaps, touching, partners }
    }
}

/// A line with the air in it.
#[derive(Debug, Clone)]
pub struct Vessel {
    /// The line.
    pub line: Line,
    /// Amount of gas, mol.
    pub amount: f64,
    /// Absolute pressure, Pa.
    pub pressure: f64,
}

impl AirSpace {
    /// Air at rest around bodies that the solver holds apart by the contact distance (m).
    pub fn new(settings: AirSettings, contact_distance: f64) -> Self {
        Self {
            settings,
            contact_distance,
            tracker: Tracker::default(),
            lines: Vec::new(),
            muscles: Vec::new(),
            memories: Vec::new(),
            sealed: Vec::new(),
            seals: Vec::new(),
            sheets: Vec::new(),
            looks: Looks::default(),
            relook_jump: 0.0,
            has_looked: false,
            rough: Rough::new(),
        }
    }

    /// Says that two bodies never seal.
    pub fn add_rough(&mut self, a: usize, b: usize) {
        self.rough.insert((a.min(b), a.max(b)));
    }

    /// Whether two bodies seal where they are near enough.
    pub fn may_seal(&self, a: usize, b: usize) -> bool {
        !self.rough.contains(&(a.min(b), a.max(b)))
    }

    /// Adds a line, filled with air at atmospheric pressure.
    pub fn add_line(&mut self, line: Line) {
        let pressure = self.settings.atmosphere;
        let amount = pressure * line.volume / self.settings.thermal_energy();
        self.lines.push(Vessel { line, amount, pressure });
    }

    /// Adds a muscle, filled with air at atmospheric pressure.
    pub fn add_muscle(&mut self, muscle: Muscle) {
        self.muscles.push(Chest::new(muscle, &self.settings));
    }

    /// Present cavities, in the order of their numbers.
    pub fn cavities(&self) -> &[Cavity] {
        &self.tracker.cavities
    }

    /// Lines, in the order in which they were added.
    pub fn lines(&self) -> &[Vessel] {
        &self.lines
    }

    /// The same, to steer them.
    /// Muscles, in the order in which they were added.
    pub fn muscles(&self) -> impl Iterator<Item = &Muscle> {
        self.muscles.iter().map(|chest| &chest.muscle)
    }

    /// Muscles, to change their volumes.
    pub fn muscles_mut(&mut self) -> impl Iterator<Item = &mut Muscle> {
        self.muscles.iter_mut().map(|chest| &mut chest.muscle)
    }

    /// Lines, to change what drives them.
    pub fn lines_mut(&mut self) -> &mut [Vessel] {
        &mut self.lines
    }

    /// The books.
    pub fn moles(&self) -> Moles {
        self.tracker.moles
    }

    /// By how much the pressure of a cavity jumped at the last look, as a share of atmospheric pressure: the same air in the
    /// same place, its wall drawn anew. The largest of all cavities that stayed one; 0 where there was no need to look.
    pub fn relook_jump(&self) -> f64 {
        self.relook_jump
    }

    /// Its settings.
    pub fn settings(&self) -> &AirSettings {
        &self.settings
    }

    /// Sets the conductance of every seal to the outside, m3/s.
    pub fn set_leak_conductance(&mut self, conductance: f64) {
        self.settings.leak_conductance = conductance;
    }

    /// Looks at all bodies, with every point of the world at `x` (m), and says what changed.
    ///
    /// A glance at the gaps tells whether anything touches or parts; only then, or when a border has slid, the union is made
    /// anew. Otherwise the walls are carried on by their bodies. Until a step is committed nothing moves, and a further look, as before a
    /// step that is tried again, sees nothing new.
    pub fn look(&mut self, bodies: &[BodySurface], x: &[DVec3]) -> Result<Looked, GeometryError> {
        if self.has_looked {
            return Ok(Looked::default());
        }
        let distances = self.distances();
        let groups = near_groups(bodies, 4.0 * distances.opening(), &self.rough);
        let manner = Manner { detector: self.settings.detector, ring: self.settings.ring };
        let looks: Vec<Look> = groups
            .par_iter()
            .map(|group| {
                look_again(group, &self.past_of(group), &distances, manner, x, &self.rough)
            })
            .collect::<Result<_, GeometryError>>()?;
        let same = looks.iter().all(|l| matches!(l, Look::Same(_)));
        let none_gone = groups.len() == self.memories.len();
        self.remember(&groups, looks);
        self.has_looked = true;
        self.relook_jump = 0.0;
        if same && none_gone {
            return Ok(Looked::default());
        }
        let before = self.cavities().to_vec();
        let changes = self.track(bodies, x);
        self.hold(&groups);
        let asked = self.settings.viscous_leak || self.settings.limit == VentLimit::Seal;
        let wanted = asked && !self.cavities().is_empty();
        self.seals = if wanted { self.graphs(&groups) } else { Vec::new() };
        self.sheets = self.cavities().iter().map(|c| self.sheet(&c.found, bodies)).collect();
        Ok(Looked { before, changes })
    }

    /// Keeps the last looks that still hold, with the gaps as they are now, and takes in new ones.
    fn remember(&mut self, groups: &[Vec<BodySurface>], looks: Vec<Look>) {
        let mut old = std::mem::take(&mut self.memories);
        self.sealed.clear();
        let place = |old: &[Memory], group: &[BodySurface]| old.iter().position(|m| m.is_of(group));
        for (group, look) in groups.iter().zip(looks) {
            let known = place(&old, group).map(|i| old.swap_remove(i));
            match (look, known) {
                (Look::New(memory), known) => {
                    self.looks.taken += 1;
                    self.looks.refused += usize::from(memory.sight.refused);
                    self.sealed.extend(known.map(Sealed::from));
                    self.memories.push(memory);
                }
                (Look::Same(now), Some(mut known)) => {
                    let (bodies, touching) = (known.bodies.clone(), known.touching.clone());
                    let gaps = std::mem::replace(&mut known.gaps, now.gaps);
                    known.closed = now.closed;
                    let partners = known.partners.clone();
                    self.sealed.push(Sealed { bodies, gaps, touching, partners });
                    self.memories.push(known);
                }
                (Look::Same(_), None) => {}
            }
        }
        self.sealed.extend(old.into_iter().map(Sealed::from));
    }

    /// Decides what opens only at the opening distance.
    fn hold(&mut self, groups: &[Vec<BodySurface>]) {
        let cavities: Vec<&Found> = self.tracker.cavities.iter().map(|c| &c.found).collect();
        for (group, memory) in groups.iter().zip(&mut self.memories) {
            memory.held = held(group, &memory.closed, &memory.gaps, &cavities);
        }
    }

    fn sheet(&self, cavity: &Found, bodies: &[BodySurface]) -> Sheet {
        if self.settings.film_thickness == 0.0 {
            return Sheet::default();
        }
        let triangles = |body: usize| bodies.iter().find(|b| b.body == body).map(|b| b.triangles);
        Sheet::of(cavity, |body, index| triangles(body).map(|t| t[index as usize]))
    }

    /// What the film does not take of the room inside a cavity's walls, m3.
    fn pressed_out(&self, sheet: &Sheet) -> f64 {
        let gap = |body, vertex| {
            let gap = self.memories.iter().find_map(|m| m.gap(body, vertex));
            gap.unwrap_or(f64::INFINITY) - self.contact_distance
        };
        sheet.pressed_out(self.settings.film_thickness, gap)
    }

    /// The wall of a cavity, by its index, as it is in the coming step.
    pub(super) fn wall(&self, cavity: usize) -> Wall {
        let mut wall = self.cavities()[cavity].found.wall.clone();
        wall.offset += self.sheets.get(cavity).map_or(0.0, |sheet| self.pressed_out(sheet));
        wall
    }

    fn graphs(&self, groups: &[Vec<BodySurface>]) -> Vec<Seal> {
        let cavities: Vec<&Found> = self.cavities().iter().map(|c| &c.found).collect();
        let graph = |(bodies, memory): (&Vec<BodySurface>, &Memory)| {
            let (touching, partners) = (&memory.touching, &memory.partners);
            Seal::new(Group { bodies, touching, partners }, &cavities)
        };
        groups.iter().zip(&self.memories).map(graph).collect()
    }

    /// The graphs of the seals, each with the last look at its group.
    pub(super) fn seals(&self) -> impl Iterator<Item = (&Seal, &Memory)> {
        self.seals.iter().zip(&self.memories)
    }

    /// How wide the seals are for air that creeps through them.
    pub(super) fn ways(&self) -> Ways {
        let is_flat: Vec<bool> = self.cavities().iter().map(|c| c.found.is_flat()).collect();
        let mut all = Ways { outside: vec![0.0; is_flat.len()], between: Vec::new() };
        if self.settings.viscous_leak {
            for (seal, memory) in self.seals.iter().zip(&self.memories) {
                let gap = |n: &Node| self.open_gap(memory, n);
                all.add(reynolds::ways(seal, gap, self.settings.viscosity, &is_flat));
            }
        }
        all
    }

    /// The narrowest place on the widest way out of a cavity, if air creeps through gaps.
    pub(super) fn widest(&self, cavity: usize) -> Option<Narrow> {
        let seals = self.seals.iter().zip(&self.memories).filter(|_| self.settings.viscous_leak);
        let ways = seals.filter_map(|(seal, memory)| {
            let (cost, node) = easiest_way(seal, cavity, |n| -self.open_gap(memory, n))?;
            let Node { body, vertex, .. } = seal.nodes[node];
            Some(Narrow { body: memory.bodies[body], vertex, gap: -cost })
        });
        ways.filter(|way| way.gap > 0.0).max_by(|a, b| a.gap.total_cmp(&b.gap))
    }

    /// Gap at a node that is open to air, m.
    pub(super) fn open_gap(&self, memory: &Memory, node: &Node) -> f64 {
        (memory.gaps[node.body][node.vertex as usize] - self.skin()).max(0.0)
    }

    /// The weakest place of a cavity's seal at the glance before the last, body, vertex and gap (m): where the widest way out was
    /// narrowest. None where there was no way, as for a flat one.
    pub fn weakest(&self, cavity: &Found, bodies: &[BodySurface]) -> Option<(usize, u32, f64)> {
        let surface = |body: &usize| bodies.iter().find(|b| b.body == *body).copied();
        let ways = self.sealed.iter().filter_map(|sealed| {
            let members: Vec<BodySurface> =
                sealed.bodies.iter().map(surface).collect::<Option<_>>()?;
            let Sealed { touching, partners, gaps, .. } = sealed;
            let seal = Seal::new(Group { bodies: &members, touching, partners }, &[cavity]);
            let (cost, node) = easiest_way(&seal, 0, |n| -gaps[n.body][n.vertex as usize])?;
            let Node { body, vertex, .. } = seal.nodes[node];
            Some((sealed.bodies[body], vertex, -cost))
        });
        ways.max_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// What is between walls and not air, m.
    fn skin(&self) -> f64 {
        self.contact_distance + self.settings.film_thickness
    }

    /// Distances that decide about sealing.
    pub fn distances(&self) -> Distances {
        Distances {
            contact: self.skin(),
            film: self.settings.film_thickness,
            sealing: self.settings.sealing_distance,
            roughness: self.settings.roughness,
        }
    }

    /// What is known of the bodies of a group.
    pub(super) fn past_of(&self, group: &[BodySurface]) -> Past<'_> {
        Past::of(group, &self.memories, &self.tracker.cavities)
    }

    fn track(&mut self, bodies: &[BodySurface], x: &[DVec3]) -> Vec<Change> {
        let measured = |found: &Found| {
            let volume = found.wall.volume(x) + self.pressed_out(&self.sheet(found, bodies));
            (found.clone(), volume)
        };
        let open = self.memories.iter().flat_map(|m| &m.sight.open).map(measured).collect();
        let flat = self.memories.iter().flat_map(|m| &m.sight.flat).map(measured).collect();
        let fill = self.settings.atmosphere / self.settings.thermal_energy();
        let density = |c: &Cavity| c.amount / c.volume;
        let before: Vec<(u32, f64, f64)> =
            self.cavities().iter().map(|c| (c.id, c.pressure, density(c))).collect();
        let changes = self.tracker.update(open, flat, fill);
        let stayed = |id: u32| {
            !changes
                .iter()
                .any(|c| matches!(c, Change::Merged(_, i) | Change::Split(i, _) if *i == id))
        };
        // P goes with (n / V)^k; the volumes are those of the same positions.
        let jump = |(id, pressure, before): &(u32, f64, f64)| {
            let counts = |c: &&Cavity| c.id == *id && stayed(*id) && !self.settings.vented;
            let now = self.cavities().iter().find(counts);
            let ratio = |now: &Cavity| match density(now) {
                // Also where there is none, or no volume.
                same if same == *before => 1.0,
                density => (density / before).powf(self.settings.exponent),
            };
            now.map_or(0.0, |now| (ratio(now) - 1.0).abs() * pressure)
        };
        self.relook_jump = before.iter().map(jump).fold(0.0, worse) / self.settings.atmosphere;
        for cavity in self.tracker.cavities.iter_mut().filter(|c| c.pressure.is_nan()) {
            (cavity.pressure, cavity.limit) =
                (self.settings.atmosphere, self.settings.first_limit());
        }
        changes
    }
}

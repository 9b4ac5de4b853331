//! The air of a world: looks, tracks, makes the chambers of a step and books what flowed.

use super::flow::{Flows, Line};
use super::found::Found;
use super::look::{BodySurface, Distances, Glance, Sight, Touching};
use super::track::{Cavity, Change, Moles, Tracker};
use crate::settings::{AirSettings, Ring};
use crate::solver::{Chamber, Outcome, Tube};
use cupule_geometry::tree::Bounds;
use cupule_geometry::{DVec3, GeometryError};
use rayon::prelude::*;
use std::sync::Arc;

/// The air of a world.
#[derive(Debug, Clone)]
pub struct AirSpace {
    settings: AirSettings,
    contact_distance: f64,
    tracker: Tracker,
    lines: Vec<Vessel>,
    /// The last look at every group of bodies.
    memories: Vec<Memory>,
    /// The one before: how seals were when they still held.
    sealed: Vec<Memory>,
}

/// What a glance came to.
enum Look {
    /// Nothing that matters has changed; the gaps, m.
    Same(Vec<Vec<f64>>),
    /// A new look was taken.
    New(Memory),
}

/// The last look at a group of bodies.
#[derive(Debug, Clone)]
struct Memory {
    bodies: Vec<usize>,
    touching: Touching,
    /// Gap of every vertex of every body, m.
    gaps: Vec<Vec<f64>>,
    sight: Sight,
    /// Area of the bands of every open cavity when it was seen, m2.
    bands: Vec<f64>,
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

/// A cavity has ceased to vent when its pressure is below this share of the limit; the next time counts as new.
const VENTING_OVER: f64 = 0.98;

/// The chambers of one step, cavities first, then lines, with what flows into each.
#[derive(Debug, Clone, Default)]
pub struct Chambers {
    /// What the solver sees.
    pub list: Vec<Chamber>,
    flows: Vec<Flows>,
}

impl AirSpace {
    /// Air at rest around bodies that the solver holds apart by the contact distance (m).
    pub fn new(settings: AirSettings, contact_distance: f64) -> Self {
        Self {
            settings,
            contact_distance,
            tracker: Tracker::default(),
            lines: Vec::new(),
            memories: Vec::new(),
            sealed: Vec::new(),
        }
    }

    /// Adds a line, filled with air at atmospheric pressure.
    pub fn add_line(&mut self, line: Line) {
        let pressure = self.settings.atmosphere;
        let amount = pressure * line.volume / self.settings.thermal_energy();
        self.lines.push(Vessel { line, amount, pressure });
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
    pub fn lines_mut(&mut self) -> &mut [Vessel] {
        &mut self.lines
    }

    /// The books.
    pub fn moles(&self) -> Moles {
        self.tracker.moles
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
    /// anew. Otherwise the walls are carried on by their bodies.
    pub fn look(
        &mut self,
        bodies: &[BodySurface],
        x: &[DVec3],
    ) -> Result<Vec<Change>, GeometryError> {
        let distances = self.distances();
        let groups = near_groups(bodies, 4.0 * distances.opening());
        let memories: Vec<Option<&Memory>> = groups.iter().map(|g| self.memory_of(g)).collect();
        let ring = self.settings.ring;
        let looks: Vec<Look> = groups
            .par_iter()
            .zip(memories)
            .map(|(group, memory)| look_again(group, memory, &distances, ring, x))
            .collect::<Result<_, GeometryError>>()?;
        let same = looks.iter().all(|l| matches!(l, Look::Same(_)));
        let none_gone = groups.len() == self.memories.len();
        self.sealed = std::mem::take(&mut self.memories);
        let mut fresh: Vec<Memory> = Vec::new();
        for (group, look) in groups.iter().zip(looks) {
            let known = self.sealed.iter().find(|m| m.is_of(group)).cloned();
            match (look, known) {
                (Look::New(memory), _) => fresh.push(memory),
                (Look::Same(gaps), Some(known)) => fresh.push(Memory { gaps, ..known }),
                (Look::Same(_), None) => {}
            }
        }
        self.memories = fresh;
        Ok(if same && none_gone { Vec::new() } else { self.track(x) })
    }

    /// The weakest place of a cavity's seal at the glance before the last: body, vertex and gap (m).
    pub fn weakest(&self, cavity: &Found, bodies: &[BodySurface]) -> Option<(usize, u32, f64)> {
        let surface = |body: usize| bodies.iter().find(|b| b.body == body);
        let mut widest: Option<(usize, u32, f64)> = None;
        for patch in cavity.patches.iter().filter(|p| p.touching) {
            let Some(triangle) = surface(patch.body).map(|b| b.triangles[patch.triangle as usize])
            else {
                continue;
            };
            for vertex in triangle {
                let gap = self.sealed.iter().find_map(|m| m.gap(patch.body, vertex));
                let seals = gap.is_some_and(|gap| gap <= self.distances().opening());
                if let Some(gap) = gap.filter(|g| seals && widest.is_none_or(|(.., w)| *g > w)) {
                    widest = Some((patch.body, vertex, gap));
                }
            }
        }
        widest
    }

    fn distances(&self) -> Distances {
        Distances {
            contact: self.contact_distance,
            sealing: self.settings.sealing_distance,
            roughness: self.settings.roughness,
        }
    }

    fn memory_of(&self, group: &[BodySurface]) -> Option<&Memory> {
        self.memories.iter().find(|m| m.is_of(group))
    }

    fn track(&mut self, x: &[DVec3]) -> Vec<Change> {
        let measured = |found: &Found| (found.clone(), found.wall.measure(x).0);
        let open = self.memories.iter().flat_map(|m| &m.sight.open).map(measured).collect();
        let flat = self.memories.iter().flat_map(|m| &m.sight.flat).map(measured).collect();
        let fill = self.settings.atmosphere / self.settings.thermal_energy();
        let changes = self.tracker.update(open, flat, fill);
        for cavity in self.tracker.cavities.iter_mut().filter(|c| c.pressure.is_nan()) {
            cavity.pressure = self.settings.atmosphere;
        }
        changes
    }

    /// The chambers of a step of `length` (s) that ends at `time` (s), with all points now at `x` (m).
    pub fn chambers(&self, x: &[DVec3], time: f64, length: f64) -> Chambers {
        let air = &self.settings;
        let mut chambers = Chambers::default();
        for cavity in self.cavities() {
            let (volume, gradient) = cavity.found.wall.measure(x);
            let flows = Flows::of_seal(air, length);
            let walls: Arc<dyn crate::solver::Walls> = Arc::new(cavity.found.wall.clone());
            chambers.push(flows, cavity.amount, cavity.pressure, air, air.vent_pressure(), volume);
            if let Some(chamber) = chambers.list.last_mut() {
                (chamber.walls, chamber.gradient) = (Some(walls), gradient);
            }
        }
        for vessel in &self.lines {
            let flows = Flows::of_line(&vessel.line, air, time, length);
            chambers.push(
                flows,
                vessel.amount,
                vessel.pressure,
                air,
                f64::INFINITY,
                vessel.line.volume,
            );
        }
        self.connect(&mut chambers, length);
        chambers
    }

    /// Joins every port to the cavity that it opens into, or to the outside.
    fn connect(&self, chambers: &mut Chambers, length: f64) {
        let first_line = self.cavities().len();
        for (i, vessel) in self.lines.iter().enumerate() {
            for port in &vessel.line.ports {
                let (swept, here) = (port.conductance * length, first_line + i);
                match self.cavities().iter().position(|c| port.at.is_on(&c.found)) {
                    Some(cavity) => {
                        chambers.list[here].tubes.push(Tube { to: cavity, swept });
                        chambers.list[cavity].tubes.push(Tube { to: here, swept });
                    }
                    None => {
                        let atmosphere = self.settings.atmosphere;
                        chambers.flows[here].outside.push((swept, atmosphere));
                        chambers.list[here].gas.energy += swept * atmosphere;
                        chambers.list[here].gas.flow_volume += swept;
                    }
                }
            }
        }
    }

    /// Books what flowed in a step, and keeps its pressures and volumes. Returns the cavities that began to vent.
    pub fn commit(&mut self, chambers: &Chambers, outcome: &Outcome) -> Vec<u32> {
        let mut began = Vec::new();
        let thermal = self.settings.thermal_energy();
        let limit = self.settings.vent_pressure();
        let count = self.tracker.cavities.len();
        let (pressures, volumes) = (&outcome.pressures, &outcome.volumes);
        for i in 0..chambers.list.len() {
            let (pressure, flows) = (pressures[i], &chambers.flows[i]);
            let tubes = chambers.list[i].tubes.iter();
            let through: f64 = tubes.map(|t| t.swept * (pressures[t.to] - pressure)).sum();
            let (leaked, driven) = (flows.leaked(pressure), flows.driven_in(pressure) + through);
            let inflow = (leaked + driven) / thermal;
            let Some(cavity) = self.tracker.cavities.get_mut(i) else {
                let vessel = &mut self.lines[i - count];
                vessel.pressure = pressure;
                vessel.amount = (vessel.amount + inflow).max(0.0);
                continue;
            };
            (cavity.pressure, cavity.volume) = (pressure, volumes[i]);
            if pressure < VENTING_OVER * limit {
                cavity.vents = false;
            }
            let held = cavity.amount + inflow;
            // Where the law vents, the seal lets out what is above its limit.
            let most = if pressure >= limit { self.settings.most(limit, volumes[i]) } else { held };
            let kept = held.min(most).max(0.0);
            let moles = &mut self.tracker.moles;
            moles.leaked_in += leaked / thermal;
            moles.pumped -= driven / thermal;
            moles.vented += held - kept;
            moles.in_cavities += kept - cavity.amount;
            cavity.amount = kept;
            if held > kept && !cavity.vents {
                cavity.vents = true;
                began.push(cavity.id);
            }
        }
        began
    }
}

impl AirSettings {
    /// Amount (mol) that a volume (m3) holds at a pressure (Pa).
    fn most(&self, pressure: f64, volume: f64) -> f64 {
        // P = P_atm (n R T / (P_atm V))^k
        let share = (pressure / self.atmosphere).powf(1.0 / self.exponent);
        self.atmosphere * share * volume / self.thermal_energy()
    }
}

impl Chambers {
    fn push(
        &mut self,
        flows: Flows,
        amount: f64,
        pressure: f64,
        air: &AirSettings,
        limit: f64,
        volume: f64,
    ) {
        self.list.push(Chamber {
            walls: None,
            volume,
            gradient: Vec::new(),
            gas: flows.gas(amount * air.thermal_energy(), air, limit),
            tubes: Vec::new(),
            warm_start: pressure,
        });
        self.flows.push(flows);
    }
}

/// A new look at a group, or none where the last one still holds.
fn look_again(
    group: &[BodySurface],
    memory: Option<&Memory>,
    distances: &Distances,
    ring: Ring,
    x: &[DVec3],
) -> Result<Look, GeometryError> {
    let glance = Glance::new(group, distances, memory.map(|m| &m.touching))?;
    let (touching, gaps) = (glance.touching.clone(), glance.gaps().to_vec());
    if memory.is_some_and(|m| m.touching == touching && m.still_fits(x)) {
        return Ok(Look::Same(gaps));
    }
    let sight = glance.look(distances, ring, memory.map_or(&[], |m| &m.sight.open))?;
    let bands = sight.open.iter().map(|f| f.wall.band_area(x)).collect();
    let bodies = group.iter().map(|b| b.body).collect();
    Ok(Look::New(Memory { bodies, touching, gaps, sight, bands }))
}

impl Memory {
    fn is_of(&self, group: &[BodySurface]) -> bool {
        self.bodies.iter().eq(group.iter().map(|b| &b.body))
    }

    fn gap(&self, body: usize, vertex: u32) -> Option<f64> {
        let place = self.bodies.iter().position(|b| *b == body)?;
        self.gaps[place].get(vertex as usize).copied()
    }

    /// Whether no border has slid or opened by more than a hundredth of its cavity's wall.
    fn still_fits(&self, x: &[DVec3]) -> bool {
        let slid = |(found, before): (&Found, &f64)| {
            (found.wall.band_area(x) - before).abs() > 0.01 * found.area()
        };
        !self.sight.open.iter().zip(&self.bands).any(slid)
    }
}

/// Bodies whose boxes come within reach of each other, directly or through others; groups of one are left out.
fn near_groups<'a>(bodies: &[BodySurface<'a>], reach: f64) -> Vec<Vec<BodySurface<'a>>> {
    let boxes: Vec<Bounds> = bodies.iter().map(|b| Bounds::of(b.positions)).collect();
    let mut group: Vec<usize> = (0..bodies.len()).collect();
    for i in 0..bodies.len() {
        for j in 0..i {
            if group[i] != group[j] && boxes[i].near(&boxes[j], reach) {
                let (kept, gone) = (group[i].min(group[j]), group[i].max(group[j]));
                group.iter_mut().filter(|g| **g == gone).for_each(|g| *g = kept);
            }
        }
    }
    let mut groups: Vec<Vec<BodySurface>> = vec![Vec::new(); bodies.len()];
    bodies.iter().zip(group).for_each(|(body, g)| groups[g].push(*body));
    groups.retain(|g| g.len() > 1);
    groups
}

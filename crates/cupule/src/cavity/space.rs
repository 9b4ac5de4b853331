//! The air of a world, which joins the rooms: cavities are found, tracked, and become chambers.

use super::find::{
    BodySurface, DetectedCavity, DetectionCounts, DetectionSettings, DetectionUpdate, Distances,
    GroupHistory, LastDetection, RoughPairs, SealingVertices, Survey, TouchingFilm, Wall,
    detect_if_changed, held_vertices, near_groups,
};
use super::gas::{Line, Muscle, MuscleState, Vessel};
use super::seal::{Group, Node, SealConductances, SealGraph, bottleneck, conductances};
use super::track::{Cavity, Change, Constriction, Moles, Tracker};
use crate::report::worse;
use crate::settings::{AirSettings, Detector, VentLimit};
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
    pub(super) muscles: Vec<MuscleState>,
    /// The last detection for every group of bodies.
    last: Vec<LastDetection>,
    /// What sealed when the gaps were measured the time before: how seals were when they still held.
    seals_before: Vec<SealBefore>,
    /// Graphs of the seals of every group, where something needs them.
    seals: Vec<SealGraph>,
    /// Films on the touching parts of every cavity, where there are any.
    films: Vec<TouchingFilm>,
    pub(super) detections: DetectionCounts,
    /// See [`AirSpace::redetection_jump`].
    redetection_jump: f64,
    /// Whether cavities are those of the present positions.
    pub(super) is_up_to_date: bool,
    rough: RoughPairs,
}

/// What happened to cavities when they were detected again.
#[derive(Debug, Default)]
pub struct CavityChanges {
    /// In order.
    pub changes: Vec<Change>,
    /// The cavities of before; empty where nothing was detected again.
    pub before: Vec<Cavity>,
}

/// How the bodies of a group were: gaps (m) of their vertices, which of these sealed, and to which body they were nearest.
#[derive(Debug, Clone)]
struct SealBefore {
    bodies: Vec<usize>,
    gaps: Vec<Vec<f64>>,
    sealing: SealingVertices,
    nearest: Vec<Vec<Option<u32>>>,
}

impl From<LastDetection> for SealBefore {
    fn from(LastDetection { bodies, gaps, sealing, nearest, .. }: LastDetection) -> Self {
        Self { bodies, gaps, sealing, nearest }
    }
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
            last: Vec::new(),
            seals_before: Vec::new(),
            seals: Vec::new(),
            films: Vec::new(),
            detections: DetectionCounts::default(),
            redetection_jump: 0.0,
            is_up_to_date: false,
            rough: RoughPairs::new(),
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
        self.muscles.push(MuscleState::new(muscle, &self.settings));
    }

    /// Present cavities, in the order of their numbers.
    pub fn cavities(&self) -> &[Cavity] {
        &self.tracker.cavities
    }

    /// Lines, in the order in which they were added.
    pub fn lines(&self) -> &[Vessel] {
        &self.lines
    }

    /// Muscles, in the order in which they were added.
    pub fn muscles(&self) -> impl Iterator<Item = &Muscle> {
        self.muscles.iter().map(|state| &state.muscle)
    }

    /// Muscles, to change their volumes.
    pub fn muscles_mut(&mut self) -> impl Iterator<Item = &mut Muscle> {
        self.muscles.iter_mut().map(|state| &mut state.muscle)
    }

    /// Lines, to change what drives them.
    pub fn lines_mut(&mut self) -> &mut [Vessel] {
        &mut self.lines
    }

    /// The mole balance since the start.
    pub fn moles(&self) -> Moles {
        self.tracker.moles
    }

    /// By how much the pressure of a cavity jumped when cavities were last detected, relative to atmospheric pressure: the same air in the
    /// same place, its wall recomputed. The largest of all cavities that stayed one; 0 where nothing had to be detected again.
    pub fn redetection_jump(&self) -> f64 {
        self.redetection_jump
    }

    /// How often cavities were detected since the start.
    pub fn detections(&self) -> DetectionCounts {
        self.detections
    }

    /// Its settings.
    pub fn settings(&self) -> &AirSettings {
        &self.settings
    }

    /// Sets the conductance of every seal to the outside, m3/s.
    pub fn set_leak_conductance(&mut self, conductance: f64) {
        self.settings.leak_conductance = conductance;
    }

    /// Brings the cavities up to date with all bodies, with every point of the world at `x` (m), and says what changed.
    ///
    /// The gaps tell whether anything begins or ceases to touch. Only then, or when a border has drifted, cavities are detected again.
    /// Otherwise the bodies carry the walls on. Until a step is committed nothing moves, so that a further call, as before a step that is
    /// tried again, changes nothing.
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub fn update_cavities(
        &mut self,
        bodies: &[BodySurface],
        x: &[DVec3],
    ) -> Result<CavityChanges, GeometryError> {
        if self.is_up_to_date {
            return Ok(CavityChanges::default());
        }
        let distances = self.distances();
        let groups = near_groups(bodies, distances.reach(), &self.rough);
        let settings = self.detection_settings(self.settings.detector);
        let updates: Vec<DetectionUpdate> = groups
            .par_iter()
            .map(|group| {
                let history = self.history_of(group);
                detect_if_changed(group, &history, &distances, settings, x, &self.rough)
            })
            .collect::<Result<_, GeometryError>>()?;
        let same = updates.iter().all(|u| matches!(u, DetectionUpdate::Unchanged(_)));
        let none_gone = groups.len() == self.last.len();
        self.keep(&groups, updates);
        self.is_up_to_date = true;
        self.redetection_jump = 0.0;
        if same && none_gone {
            return Ok(CavityChanges::default());
        }
        let before = self.cavities().to_vec();
        let changes = self.track(bodies, x);
        self.hold(&groups);
        let asked = self.settings.viscous_leak || self.settings.limit == VentLimit::Seal;
        let wanted = asked && !self.cavities().is_empty();
        self.seals = if wanted { self.seal_graphs(&groups) } else { Vec::new() };
        self.films = self.cavities().iter().map(|c| self.film(&c.found, bodies)).collect();
        Ok(CavityChanges { before, changes })
    }

    /// What a detector finds among all bodies now, with seals that close at a gap of `sealing` (m) beyond the contact distance;
    /// what has been held since the last detection opens at twice that. All points of the world are at `x` (m). Changes nothing.
    ///
    /// # Errors
    /// Where the detector fails on the bodies as they are.
    pub fn survey(
        &self,
        bodies: &[BodySurface],
        detector: Detector,
        sealing: f64,
        x: &[DVec3],
    ) -> Result<Survey, GeometryError> {
        let distances = Distances { sealing, ..self.distances() };
        let with_history = |group: Vec<_>| {
            let history = self.history_of(&group);
            (group, history)
        };
        let groups = near_groups(bodies, distances.reach(), &self.rough);
        let groups: Vec<_> = groups.into_iter().map(with_history).collect();
        let settings = self.detection_settings(detector);
        Survey::new(&groups, &distances, settings, &self.rough, x)
    }

    fn detection_settings(&self, detector: Detector) -> DetectionSettings {
        DetectionSettings { detector, ring: self.settings.ring }
    }

    /// Keeps the detections that still hold, with the gaps as they are now, and the new ones.
    fn keep(&mut self, groups: &[Vec<BodySurface>], updates: Vec<DetectionUpdate>) {
        let mut old = std::mem::take(&mut self.last);
        self.seals_before.clear();
        let place =
            |old: &[LastDetection], group: &[BodySurface]| old.iter().position(|d| d.is_of(group));
        for (group, update) in groups.iter().zip(updates) {
            let known = place(&old, group).map(|i| old.swap_remove(i));
            match (update, known) {
                (DetectionUpdate::Detected(detection), known) => {
                    self.detections.taken += 1;
                    self.detections.refused += usize::from(detection.result.refused);
                    self.seals_before.extend(known.map(SealBefore::from));
                    self.last.push(detection);
                }
                (DetectionUpdate::Unchanged(now), Some(mut known)) => {
                    let (bodies, sealing) = (known.bodies.clone(), known.sealing.clone());
                    let gaps = std::mem::replace(&mut known.gaps, now.gaps);
                    known.closed = now.closed;
                    let nearest = known.nearest.clone();
                    self.seals_before.push(SealBefore { bodies, gaps, sealing, nearest });
                    self.last.push(known);
                }
                (DetectionUpdate::Unchanged(_), None) => {}
            }
        }
        self.seals_before.extend(old.into_iter().map(SealBefore::from));
    }

    /// Decides which vertices open only at the opening distance.
    fn hold(&mut self, groups: &[Vec<BodySurface>]) {
        let cavities: Vec<&DetectedCavity> =
            self.tracker.cavities.iter().map(|c| &c.found).collect();
        for (group, last) in groups.iter().zip(&mut self.last) {
            last.held = held_vertices(group, &last.closed, &last.gaps, &cavities);
        }
    }

    fn film(&self, cavity: &DetectedCavity, bodies: &[BodySurface]) -> TouchingFilm {
        if self.settings.film_thickness == 0.0 {
            return TouchingFilm::default();
        }
        let triangles = |body: usize| bodies.iter().find(|b| b.body == body).map(|b| b.triangles);
        TouchingFilm::of(cavity, |body, index| triangles(body).map(|t| t[index as usize]))
    }

    /// What the film does not take of the room inside a cavity's walls, m3.
    fn pressed_out(&self, film: &TouchingFilm) -> f64 {
        let gap = |body, vertex| {
            let gap = self.last.iter().find_map(|d| d.gap(body, vertex));
            gap.unwrap_or(f64::INFINITY) - self.contact_distance
        };
        film.pressed_out(self.settings.film_thickness, gap)
    }

    /// The wall of a cavity, by its index, as it is in the coming step.
    pub(super) fn wall(&self, cavity: usize) -> Wall {
        let mut wall = self.cavities()[cavity].found.wall.clone();
        wall.offset += self.films.get(cavity).map_or(0.0, |film| self.pressed_out(film));
        wall
    }

    fn seal_graphs(&self, groups: &[Vec<BodySurface>]) -> Vec<SealGraph> {
        let cavities: Vec<&DetectedCavity> = self.cavities().iter().map(|c| &c.found).collect();
        let graph = |(bodies, last): (&Vec<BodySurface>, &LastDetection)| {
            let (sealing, nearest) = (&last.sealing, &last.nearest);
            SealGraph::new(Group { bodies, sealing, nearest }, &cavities)
        };
        groups.iter().zip(&self.last).map(graph).collect()
    }

    /// The graphs of the seals, each with the last detection for its group.
    pub(super) fn seals(&self) -> impl Iterator<Item = (&SealGraph, &LastDetection)> {
        self.seals.iter().zip(&self.last)
    }

    /// Conductances of the seals for air that creeps through them.
    pub(super) fn seal_conductances(&self) -> SealConductances {
        let is_flat: Vec<bool> = self.cavities().iter().map(|c| c.found.is_flat()).collect();
        let mut all =
            SealConductances { to_outside: vec![0.0; is_flat.len()], between: Vec::new() };
        if self.settings.viscous_leak {
            for (seal, last) in self.seals() {
                let gap = |n: &Node| self.open_gap(last, n);
                all.add(conductances(seal, gap, self.settings.viscosity, &is_flat));
            }
        }
        all
    }

    /// The narrowest place on the widest path out of a cavity, if air creeps through gaps.
    pub(super) fn widest_path(&self, cavity: usize) -> Option<Constriction> {
        let seals = self.seals().filter(|_| self.settings.viscous_leak);
        let places = seals.filter_map(|(seal, last)| {
            let (cost, node) = bottleneck(seal, cavity, |n| -self.open_gap(last, n))?;
            let Node { body, vertex, .. } = seal.nodes[node];
            Some(Constriction { body: last.bodies[body], vertex, gap: -cost })
        });
        places.filter(|place| place.gap > 0.0).max_by(|a, b| a.gap.total_cmp(&b.gap))
    }

    /// Gap at a node that is open to air, m.
    pub(super) fn open_gap(&self, last: &LastDetection, node: &Node) -> f64 {
        (last.gaps[node.body][node.vertex as usize] - self.skin()).max(0.0)
    }

    /// The weakest place of a cavity's seal when gaps were measured the time before, body, vertex and gap (m): where the widest path out
    /// was narrowest. None where there was no path, as for a flat one.
    pub fn weakest(
        &self,
        cavity: &DetectedCavity,
        bodies: &[BodySurface],
    ) -> Option<(usize, u32, f64)> {
        let surface = |body: &usize| bodies.iter().find(|b| b.body == *body).copied();
        let places = self.seals_before.iter().filter_map(|before| {
            let members: Vec<BodySurface> =
                before.bodies.iter().map(surface).collect::<Option<_>>()?;
            let SealBefore { sealing, nearest, gaps, .. } = before;
            let seal = SealGraph::new(Group { bodies: &members, sealing, nearest }, &[cavity]);
            let (cost, node) = bottleneck(&seal, 0, |n| -gaps[n.body][n.vertex as usize])?;
            let Node { body, vertex, .. } = seal.nodes[node];
            Some((before.bodies[body], vertex, -cost))
        });
        places.max_by(|a, b| a.2.total_cmp(&b.2))
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
    fn history_of(&self, group: &[BodySurface]) -> GroupHistory<'_> {
        GroupHistory::of(group, &self.last, self.cavities().iter().map(|c| &c.found))
    }

    fn track(&mut self, bodies: &[BodySurface], x: &[DVec3]) -> Vec<Change> {
        let measured = |cavity: &DetectedCavity| {
            let volume = cavity.wall.volume(x) + self.pressed_out(&self.film(cavity, bodies));
            (cavity.clone(), volume)
        };
        let open = self.last.iter().flat_map(|d| &d.result.open).map(measured).collect();
        let flat = self.last.iter().flat_map(|d| &d.result.flat).map(measured).collect();
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
        self.redetection_jump = before.iter().map(jump).fold(0.0, worse) / self.settings.atmosphere;
        for cavity in self.tracker.cavities.iter_mut().filter(|c| c.pressure.is_nan()) {
            (cavity.pressure, cavity.limit) =
                (self.settings.atmosphere, self.settings.first_limit());
        }
        changes
    }
}

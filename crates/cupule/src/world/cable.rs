//! Cables that pull on soft bodies: where they run, and what pulls them.
//!
//! A cable is an elastic part like any other (`element/cable.rs`): its points hang on the cells of its body, so that either
//! solver takes it implicitly, with the stiffness that its bends have. What its drive says holds at the end of a step;
//! the energy that a new command takes at the old place is work done on it.

use super::spec::{BodyId, WorldError};
use super::{BodyKind, World};
use crate::cavity::Schedule;
use crate::element::{CableElements, CableLaw, cable_length};
use crate::mapping::Tie;
use crate::model::{Rayleigh, Soft};
use crate::motion::Motion;
use crate::report::CableReport;
use cupule_geometry::DVec3;
use cupule_geometry::cage::embed;

/// How far outside its body a point of a cable may lie, as a share of the body's size: rounding of a boundary.
const OUTSIDE: f64 = 1e-3;

/// What pulls a cable.
#[derive(Debug, Clone, PartialEq)]
pub enum CableDrive {
    /// Its tension over time, N, whatever its length.
    Tension(Schedule),
    /// Its length is taken in over time; it resists only where it is taut.
    Shortening {
        /// How much shorter than at the start, m; negative pays out.
        by: Schedule,
        /// E A, N: it stretches by the share T / E A of its length.
        axial_stiffness: f64,
    },
}

/// A cable through points of a soft body.
#[derive(Debug, Clone)]
pub struct CableSpec {
    /// Name, for messages and reports.
    pub name: String,
    /// The soft body that it pulls.
    pub body: BodyId,
    /// Points in the body through which it runs, in order, where they are at the start, m.
    pub points: Vec<DVec3>,
    /// Where it begins outside the body, m; without, at its first point.
    pub anchor: Option<DVec3>,
    /// What the anchor is fixed to: a rigid or kinematic body, or, without, the world.
    pub anchor_body: Option<BodyId>,
    /// What pulls it.
    pub drive: CableDrive,
}

/// A cable as the world keeps it.
pub(super) struct Cable {
    name: String,
    drive: CableDrive,
    /// Its elastic part.
    part: usize,
    /// Length at the start, m.
    start: f64,
}

impl Cable {
    /// Its law at a time, s.
    fn law(&self, time: f64) -> CableLaw {
        match &self.drive {
            CableDrive::Tension(schedule) => {
                let largest = schedule.0.iter().map(|(_, tension)| *tension).fold(0.0, f64::max);
                CableLaw::Tension { now: schedule.at(time), largest }
            }
            CableDrive::Shortening { by, axial_stiffness } => CableLaw::Spring {
                stiffness: axial_stiffness / self.start,
                rest: self.start - by.at(time),
            },
        }
    }
}

impl World {
    /// Adds a cable; its body must have been added.
    pub fn add_cable(&mut self, spec: CableSpec) -> Result<(), WorldError> {
        self.refuse_if_prepared(&spec.name)?;
        self.refuse_unknown(spec.body)?;
        spec.anchor_body.map_or(Ok(()), |body| self.refuse_unknown(body))?;
        let refuse = |reason: String| WorldError::Cable { cable: spec.name.clone(), reason };
        defect(&spec).map_or(Ok(()), |reason| Err(refuse(reason)))?;
        let carried = self.carried_points(&spec).map_err(refuse)?;
        let anchor = self.anchor_tie(&spec).map_err(refuse)?;
        let (first, soft) = (self.model.ties.len(), &self.bodies[spec.body.0]);
        let modulus = soft.material.map_or(1.0, |(m, _)| m.isotropic().youngs_modulus());
        for (tie, x) in anchor.into_iter().chain(carried) {
            self.push_point(tie, x, DVec3::ZERO, 0.0);
        }
        let points = first..self.model.ties.len();
        self.body_of_point[points.clone()].fill(spec.body.0);
        let start = cable_length(&self.state.at.points[points.clone()]);
        let part = self.model.soft.len();
        let cable = Cable { name: spec.name, drive: spec.drive, part, start };
        self.model.soft.push(Soft {
            carriers: points.end..points.end,
            elements: Box::new(CableElements::new(points.len(), cable.law(0.0))),
            points,
            modulus,
            damping: Rayleigh::default(),
            body: spec.body.0,
        });
        self.cables.push(cable);
        Ok(())
    }

    /// Ties and places of the points in the body.
    fn carried_points(&self, spec: &CableSpec) -> Result<Vec<(Tie, DVec3)>, String> {
        let body = &self.bodies[spec.body.0];
        let (BodyKind::Fem, Some(mesh)) = (body.kind, &body.mesh) else {
            return Err(format!("body \"{}\" is not soft", body.name));
        };
        let low = mesh.nodes.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = mesh.nodes.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let embedding = embed(&spec.points, mesh).map_err(|e| e.to_string())?;
        if embedding.max_distance > OUTSIDE * (high - low).max_element() {
            return Err(format!(
                "a point lies {:.3e} m outside body \"{}\": its points are inside",
                embedding.max_distance, body.name
            ));
        }
        let tie = |i: usize| {
            let nodes = mesh.cells.nodes_of(embedding.cell[i] as usize);
            let weights = nodes.iter().zip(embedding.weights_of(i));
            Tie::Combined(weights.map(|(n, w)| (body.points.start + *n as usize, *w)).collect())
        };
        Ok(spec.points.iter().enumerate().map(|(i, x)| (tie(i), *x)).collect())
    }

    fn anchor_tie(&mut self, spec: &CableSpec) -> Result<Option<(Tie, DVec3)>, String> {
        let Some(at) = spec.anchor else { return Ok(None) };
        let body = spec.anchor_body.map(|body| &self.bodies[body.0]);
        let tie = match body.map(|body| (body.drive, body.frame, &body.name)) {
            None => {
                self.model.drives.push(Motion::fixed());
                Tie::Driven { drive: self.model.drives.len() - 1, start: at }
            }
            Some((Some(drive), ..)) => Tie::Driven { drive, start: at },
            Some((_, Some(frame), _)) => {
                Tie::Carried { frame, arm: at - self.state.at.frames[frame].position }
            }
            Some((.., name)) => {
                return Err(format!(
                    "its anchor cannot be on soft body \"{name}\": let it begin at a point of its own body, or on another kind"
                ));
            }
        };
        Ok(Some((tie, at)))
    }

    /// Whether a cable runs through a body or begins on it.
    pub(super) fn pulls_on(&self, cable: &Cable, body: BodyId) -> bool {
        let (part, own) = (&self.model.soft[cable.part], self.bodies[body.0].frame);
        let carried = |point: usize| match self.model.ties[point] {
            Tie::Carried { frame, .. } => Some(frame) == own,
            _ => false,
        };
        part.body == body.0 || part.points.clone().any(carried)
    }

    /// Number of cables.
    pub fn cable_count(&self) -> usize {
        self.cables.len()
    }

    /// Name of a cable, by the order in which they were added.
    pub fn cable_name(&self, index: usize) -> Option<&str> {
        self.cables.get(index).map(|cable| cable.name.as_str())
    }

    /// Gives every cable what its drive says at a time, s.
    pub(super) fn command_cables(&mut self, time: f64) {
        for cable in &self.cables {
            let part = &mut self.model.soft[cable.part];
            part.elements = Box::new(CableElements::new(part.points.len(), cable.law(time)));
        }
    }

    /// Work of the drives of cables in a step of this length, J: what the new commands add to the energy of the old place.
    pub(super) fn work_of_cables(&self, length: f64) -> f64 {
        let energy = |cable: &Cable, time: f64| {
            let points = &self.model.soft[cable.part].points;
            let x = &self.state.at.points[points.clone()];
            use crate::element::ElementPool;
            CableElements::new(x.len(), cable.law(time)).energy(x)
        };
        let (now, then) = (self.state.time, self.state.time + length);
        self.cables.iter().map(|cable| energy(cable, then) - energy(cable, now)).sum()
    }

    pub(super) fn cable_reports(&self) -> Vec<CableReport> {
        let report = |cable: &Cable| {
            let points = &self.model.soft[cable.part].points;
            let length = cable_length(&self.state.at.points[points.clone()]);
            CableReport { length, tension: cable.law(self.state.time).tension(length) }
        };
        self.cables.iter().map(report).collect()
    }
}

/// What is wrong with a cable by itself.
fn defect(spec: &CableSpec) -> Option<String> {
    let path: Vec<DVec3> = spec.anchor.iter().chain(&spec.points).copied().collect();
    if spec.points.is_empty() || path.len() < 2 {
        return Some("it needs two points, of which one may be its anchor".into());
    }
    if path.iter().any(|x| !x.is_finite()) {
        return Some("a point is not finite".into());
    }
    if path.windows(2).any(|s| s[0] == s[1]) {
        return Some("two of its points that follow each other are the same".into());
    }
    let (Schedule(keys), stiffness, least) = match &spec.drive {
        CableDrive::Tension(schedule) => (schedule, 1.0, 0.0),
        CableDrive::Shortening { by, axial_stiffness } => (by, *axial_stiffness, f64::NEG_INFINITY),
    };
    if !(stiffness > 0.0 && stiffness.is_finite()) {
        return Some(format!("its axial stiffness {stiffness} must be positive (N)"));
    }
    if keys.iter().any(|(t, v)| !(t.is_finite() && v.is_finite() && *v >= least)) {
        return Some("its drive must be finite, and a tension 0 or more".into());
    }
    let falls = keys.windows(2).any(|pair| pair[1].0 <= pair[0].0);
    falls.then(|| "the times of its drive must ascend".into())
}

//! Adding cables: where they run.

use super::WorldBuilder;
use super::spec::WorldError;
use crate::cavity::Schedule;
use crate::element::{CableElements, cable_length};
use crate::mapping::Tie;
use crate::model::{Rayleigh, Soft};
use crate::world::cable::{Cable, CableDrive, CableSpec};
use cupule_geometry::DVec3;
use std::sync::Arc;

impl WorldBuilder {
    /// Adds a cable; its body must have been added.
    pub fn add_cable(&mut self, spec: CableSpec) -> Result<(), WorldError> {
        self.refuse_unknown(spec.body)?;
        spec.anchor_body.map_or(Ok(()), |body| self.refuse_unknown(body))?;
        let refuse = |reason: String| WorldError::Cable { cable: spec.name.clone(), reason };
        defect(&spec).map_or(Ok(()), |reason| Err(refuse(reason)))?;
        let carried = self.ties_in(spec.body, &spec.points).map_err(refuse)?;
        let carried = carried.into_iter().zip(spec.points.iter().copied());
        let anchor = self.anchor_tie(&spec).map_err(refuse)?;
        let (first, soft) = (self.points.len(), &self.bodies[spec.body.0]);
        let modulus = soft.material.map_or(1.0, |(m, _)| m.isotropic().youngs_modulus());
        for (tie, x) in anchor.into_iter().chain(carried) {
            self.push_point(Some(tie), x, DVec3::ZERO, 0.0);
        }
        let points = first..self.points.len();
        let own = &mut self.points[points.clone()];
        own.iter_mut().for_each(|point| point.body = spec.body.0);
        let start = cable_length(&own.iter().map(|point| point.at).collect::<Vec<DVec3>>());
        let part = self.soft.len();
        let cable = Cable { name: spec.name, drive: spec.drive, part, start };
        self.soft.push(Soft {
            carriers: points.end..points.end,
            shares_nodes: false,
            elements: Arc::new(CableElements::new(points.len(), cable.law(0.0))),
            points,
            modulus: Some(modulus),
            damping: Rayleigh::default(),
            body: spec.body.0,
        });
        self.cables.push(cable);
        Ok(())
    }

    fn anchor_tie(&mut self, spec: &CableSpec) -> Result<Option<(Tie, DVec3)>, String> {
        let Some(at) = spec.anchor else { return Ok(None) };
        let tie = self.tie_on(spec.anchor_body, at).ok_or_else(|| {
            let name = spec.anchor_body.map_or("", |body| &self.bodies[body.0].name);
            format!(
                "its anchor cannot be on soft body \"{name}\": let it begin at a point of its own body, or on another kind"
            )
        })?;
        Ok(Some((tie, at)))
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

//! Adding springs between bodies. A spring's ends are points that hang on its bodies, so that its pool belongs to none of them
//! and joins the islands of all of them.

use super::WorldBuilder;
use super::spec::{BodyId, WorldError};
use crate::element::{Spring, SpringElements};
use crate::mapping::Tie;
use crate::model::{Rayleigh, Soft};
use cupule_geometry::DVec3;
use std::sync::Arc;

/// Springs that are alike in their damping, such as a ligament.
#[derive(Debug, Clone, PartialEq)]
pub struct SpringsSpec {
    /// Name, for messages.
    pub name: String,
    /// The springs.
    pub springs: Vec<SpringSpec>,
    /// Damping in proportion to stiffness, s: a dashpot of `damping * stiffness` (N s/m) beside every spring.
    pub damping: f64,
}

/// A spring between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringSpec {
    /// Where it begins and ends.
    pub ends: [SpringEnd; 2],
    /// Force over stretch, N/m.
    pub stiffness: f64,
    /// Length without force, m; by default that of the start.
    pub rest: Option<f64>,
}

/// An end of a spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringEnd {
    /// The body that it hangs on; none for a fixed point of the world.
    pub body: Option<BodyId>,
    /// Where it is at the start, m; inside a soft body, anywhere on another.
    pub at: DVec3,
}

impl SpringSpec {
    /// What is wrong with it by itself.
    fn defect(&self) -> Option<String> {
        let [a, b] = self.ends;
        if a.body == b.body {
            return Some("both ends of a spring are on the same body".into());
        }
        if !(a.at.is_finite() && b.at.is_finite()) {
            return Some("an end is not finite".into());
        }
        if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            return Some(format!("stiffness {} must be positive (N/m)", self.stiffness));
        }
        let wrong = self.rest.filter(|rest| !(*rest >= 0.0 && rest.is_finite()));
        wrong.map(|rest| format!("length without force {rest} must be 0 or more (m)"))
    }
}

impl WorldBuilder {
    /// Adds springs; their bodies must have been added.
    ///
    /// # Errors
    /// Where a body is unknown, an end lies outside its soft body, or a number makes no sense.
    pub fn add_springs(&mut self, spec: &SpringsSpec) -> Result<(), WorldError> {
        let bodies: Vec<BodyId> =
            spec.springs.iter().flat_map(|s| s.ends).filter_map(|end| end.body).collect();
        bodies.iter().try_for_each(|body| self.refuse_unknown(*body))?;
        let refuse = |reason: String| WorldError::Springs { springs: spec.name.clone(), reason };
        let Some(BodyId(body)) = bodies.first().copied() else {
            return Err(refuse("there is none that has a body".into()));
        };
        if !(spec.damping >= 0.0 && spec.damping.is_finite()) {
            return Err(refuse(format!("damping {} must be 0 or more (s)", spec.damping)));
        }
        if let Some(defect) = spec.springs.iter().find_map(SpringSpec::defect) {
            return Err(refuse(defect));
        }
        let ends: Vec<SpringEnd> = spec.springs.iter().flat_map(|spring| spring.ends).collect();
        let ties: Result<Vec<Tie>, String> = ends.iter().map(|end| self.tie_end(end)).collect();
        let (ties, first) = (ties.map_err(refuse)?, self.points.len());
        for (tie, end) in ties.into_iter().zip(&ends) {
            let point = self.push_point(Some(tie), end.at, DVec3::ZERO, 0.0);
            self.points[point].body = end.body.map_or(body, |body| body.0);
        }
        let points = first..self.points.len();
        let springs = spec.springs.iter().enumerate().map(|(i, spring)| {
            let [a, b] = spring.ends.map(|end| end.at);
            let (stiffness, ends) = (spring.stiffness, [2 * i as u32, 2 * i as u32 + 1]);
            Spring { ends, stiffness, rest: spring.rest.unwrap_or_else(|| a.distance(b)) }
        });
        self.soft.push(Soft {
            carriers: points.end..points.end,
            shares_nodes: false,
            points,
            elements: Arc::new(SpringElements::new(springs.collect())),
            modulus: None,
            damping: Rayleigh { mass: 0.0, stiffness: spec.damping },
            body,
        });
        Ok(())
    }

    fn tie_end(&mut self, end: &SpringEnd) -> Result<Tie, String> {
        if let Some(tie) = self.tie_on(end.body, end.at) {
            return Ok(tie);
        }
        let body = end.body.ok_or("an end hangs on nothing")?;
        let mut ties = self.ties_in(body, &[end.at])?;
        ties.pop().ok_or_else(|| "an end hangs on nothing".into())
    }
}

//! Distances and angles that decide what counts as proximity, and what can be wrong with the input.

use cupule_geometry::GeometryError;
use thiserror::Error;

/// Settings of proximity detection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// Pairs closer than this, now or within the step, are contacts, m.
    pub alarm_distance: f64,
    /// Distance at which the solver holds surfaces apart, m. Detection uses it only as a depth limit and at rest.
    pub contact_distance: f64,
    /// Contacts whose points are closer than this, with normals within 5 degrees, are one, m.
    pub merge_distance: f64,
    /// Convex edges take part in edge-edge contact if their faces turn by more than this, rad.
    pub sharp_edge_angle: f64,
}

impl ContactSettings {
    /// Settings for an alarm and a contact distance (m): merges within a hundredth of the alarm distance, takes edges
    /// sharper than 2 degrees.
    #[must_use]
    pub fn new(alarm_distance: f64, contact_distance: f64) -> Self {
        Self {
            alarm_distance,
            contact_distance,
            merge_distance: 1e-2 * alarm_distance,
            sharp_edge_angle: 2f64.to_radians(),
        }
    }

    /// How far pairs are searched, m: outside up to the alarm distance, inside up to this depth.
    pub(super) fn reach(&self) -> f64 {
        self.alarm_distance + self.contact_distance
    }

    /// Distances that differ by less are equal when one of several near-duplicates is chosen, m.
    pub(super) fn equal_distance(&self) -> f64 {
        (0.05 * self.contact_distance).max(1e-9)
    }

    /// A length far below any gap that matters and far above rounding, m.
    pub(super) fn tiny(&self) -> f64 {
        1e-6 * self.alarm_distance
    }

    pub(super) fn check(&self) -> Result<(), ContactError> {
        let bad = |name, value, expected| Err(ContactError::BadSetting { name, value, expected });
        if !(self.alarm_distance.is_finite() && self.alarm_distance > 0.0) {
            return bad("alarm_distance", self.alarm_distance, "a length above 0 m");
        }
        if !(0.0..=self.alarm_distance).contains(&self.contact_distance) {
            let expected = "between 0 m and the alarm distance";
            return bad("contact_distance", self.contact_distance, expected);
        }
        if !(0.0..=self.alarm_distance).contains(&self.merge_distance) {
            let expected = "between 0 m and the alarm distance";
            return bad("merge_distance", self.merge_distance, expected);
        }
        if !(0.0..std::f64::consts::PI).contains(&self.sharp_edge_angle) {
            return bad("sharp_edge_angle", self.sharp_edge_angle, "between 0 and pi rad");
        }
        Ok(())
    }
}

/// Why detection cannot run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ContactError {
    /// A setting makes no sense.
    #[error("contact setting {name} = {value} must be {expected}")]
    BadSetting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// A surface's triangles are defective.
    #[error("collision surface: {0}")]
    Surface(#[from] GeometryError),
    /// Positions were not given for every vertex of every surface.
    #[error(
        "contact surface {surface} has {expected} vertices, but {given} {what} positions were given"
    )]
    PositionCount {
        /// Index of the surface.
        surface: usize,
        /// "current" or "free".
        what: &'static str,
        /// Vertices of the surface.
        expected: usize,
        /// Positions given.
        given: usize,
    },
    /// A position is NaN or infinite.
    #[error("the {what} position of vertex {vertex} of contact surface {surface} is not finite")]
    NotFinite {
        /// Index of the surface.
        surface: usize,
        /// "current" or "free".
        what: &'static str,
        /// Index of the vertex.
        vertex: usize,
    },
    /// The number of poses is not the number of surfaces.
    #[error("{given} poses were given for {expected} contact surfaces")]
    PoseCount {
        /// Surfaces of the detector.
        expected: usize,
        /// Poses given.
        given: usize,
    },
    /// A pair names a surface that does not exist.
    #[error("the pair ({a}, {b}) names a contact surface that does not exist: there are {count}")]
    UnknownSurface {
        /// First surface of the pair.
        a: usize,
        /// Second surface of the pair.
        b: usize,
        /// Surfaces of the detector.
        count: usize,
    },
}

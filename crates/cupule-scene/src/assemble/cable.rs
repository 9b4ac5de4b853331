//! Cables from their tables.

use cupule::world::{CableDrive, CableSpec};
use cupule_geometry::DVec3;

use super::air::schedule;
use super::{Builder, world_error};
use crate::error::SceneError;
use crate::geometry::orientation;
use crate::model::{Body, Cable};

impl Builder<'_> {
    pub(super) fn cable(&mut self, name: &str, cable: &Cable) -> Result<(), SceneError> {
        let path = format!("cables.{name}");
        let find = |key: &str, body: &String| {
            self.id(body)
                .ok_or_else(|| self.loaded.error(&format!("{path}.{key}"), self.no_body(body)))
        };
        let body = find("body", &cable.body)?;
        let anchor_body = cable.anchor_body.as_ref().map(|b| find("anchor_body", b)).transpose()?;
        let placed = self.loaded.scene.bodies.get(&cable.body).map(Body::geometry);
        let rotation = orientation(placed.and_then(|body| body.rotation.as_ref()));
        let position = placed.map_or(DVec3::ZERO, |body| DVec3::from(body.position));
        let drive = match (&cable.tension, &cable.shortening) {
            (Some(keys), _) => CableDrive::Tension(schedule(keys)),
            (None, keys) => CableDrive::Shortening {
                by: schedule(keys.as_deref().unwrap_or_default()),
                axial_stiffness: cable.axial_stiffness.unwrap_or_default(),
            },
        };
        let spec = CableSpec {
            name: name.to_string(),
            body,
            points: cable.points.iter().map(|x| rotation * DVec3::from(*x) + position).collect(),
            anchor: cable.anchor.map(DVec3::from),
            anchor_body,
            drive,
        };
        self.world.add_cable(spec).map_err(|error| world_error(self.loaded, &path, error))
    }
}

//! Cables: their tension, or how much of them is taken in.

use cupule::World;
use cupule::cavity::Schedule;
use cupule::world::{CableDrive, WorldError};
use cupule_scene::Scene;

use super::{ANY, Actuator, Drive, NOT_NEGATIVE, plan};

pub(super) fn actuators(_scene: &Scene, world: &World) -> Vec<Actuator> {
    let of = |(index, (name, drive)): (usize, (&str, &CableDrive))| {
        let pulled = Pulled { index, drive: drive.clone() };
        match pulled.drive {
            CableDrive::Tension(_) => {
                let words = [&format!("cable.{name}.tension"), name, "Tension"];
                Actuator::scalar(words, "N", NOT_NEGATIVE, pulled)
            }
            CableDrive::Shortening { .. } => {
                let words = [&format!("cable.{name}.shortening"), name, "Shortening"];
                Actuator::scalar(words, "m", ANY, pulled)
            }
        }
    };
    world.cables().enumerate().map(of).collect()
}

struct Pulled {
    index: usize,
    /// By the scene.
    drive: CableDrive,
}

impl Pulled {
    fn schedule(&self) -> &Schedule {
        match &self.drive {
            CableDrive::Tension(schedule) | CableDrive::Shortening { by: schedule, .. } => schedule,
        }
    }
}

impl Drive for Pulled {
    fn by_scene(&self, time: f64) -> Vec<f64> {
        vec![self.schedule().at(time)]
    }

    fn apply(&self, values: Option<&[f64]>, world: &mut World) -> Result<(), WorldError> {
        let commanded = plan(values, self.schedule());
        let drive = match &self.drive {
            CableDrive::Tension(_) => CableDrive::Tension(commanded),
            CableDrive::Shortening { axial_stiffness, .. } => {
                CableDrive::Shortening { by: commanded, axial_stiffness: *axial_stiffness }
            }
        };
        world.controls().set_cable_drive(self.index, drive)
    }
}

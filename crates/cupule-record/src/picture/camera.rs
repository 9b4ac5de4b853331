//! From where a picture is taken: the same view as the page has at first (`viewer/src/view/stage.ts`).

use std::str::FromStr;

use cupule_geometry::DVec3;
use thiserror::Error;

/// A place to look from; a point, or else the middle of what moves, is in the middle of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Angle about the vertical, degrees; 0 looks from +x, 90 from +y.
    pub azimuth: f64,
    /// Angle above the ground, degrees.
    pub elevation: f64,
    /// 1 shows everything that moves; larger is nearer.
    pub zoom: f64,
    /// The point in the middle, m.
    pub at: Option<DVec3>,
}

impl Default for Camera {
    fn default() -> Self {
        Self { azimuth: -58.2, elevation: 23.8, zoom: 1.0, at: None }
    }
}

/// A camera that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not AZIMUTH,ELEVATION, in degrees, elevation from -89 to 89, and optionally ZOOM, above 0, and X,Y,Z, in m; such as -58,24,1.2"
)]
pub struct CameraError(String);

impl FromStr for Camera {
    type Err = CameraError;

    fn from_str(text: &str) -> Result<Self, CameraError> {
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|part| part.trim().parse().ok()).collect();
        let (azimuth, elevation, zoom, at) = match numbers.as_deref() {
            Some(&[azimuth, elevation]) => (azimuth, elevation, 1.0, None),
            Some(&[azimuth, elevation, zoom]) => (azimuth, elevation, zoom, None),
            Some(&[azimuth, elevation, zoom, x, y, z]) => {
                (azimuth, elevation, zoom, Some(DVec3::new(x, y, z)))
            }
            _ => return Err(CameraError(text.into())),
        };
        let camera = Self { azimuth, elevation, zoom, at };
        let fine = camera.azimuth.is_finite()
            && camera.at.is_none_or(DVec3::is_finite)
            && camera.elevation.abs() <= 89.0
            && (1e-3..=1e3).contains(&camera.zoom);
        if fine { Ok(camera) } else { Err(CameraError(text.into())) }
    }
}

/// What the picture is about: a ball.
#[derive(Debug, Clone, Copy)]
pub struct Focus {
    /// Its middle, m.
    pub centre: DVec3,
    /// Its radius, m.
    pub radius: f64,
}

const HALF_FIELD_OF_VIEW: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// A camera in its place.
#[derive(Debug)]
pub struct Eye {
    /// Where it is, m.
    pub position: DVec3,
    right: DVec3,
    up: DVec3,
    back: DVec3,
    middle: [f64; 2],
    scale: f64,
    /// What is nearer than this is not drawn, m.
    pub near: f64,
}

impl Eye {
    pub fn new(camera: &Camera, focus: &Focus, width: u32, height: u32) -> Self {
        let (azimuth, elevation) = (camera.azimuth.to_radians(), camera.elevation.to_radians());
        let level = elevation.cos();
        let back = DVec3::new(azimuth.cos() * level, azimuth.sin() * level, elevation.sin());
        let right = DVec3::Z.cross(back).normalize();
        let (width, height) = (f64::from(width), f64::from(height));
        let narrow = (HALF_FIELD_OF_VIEW.tan() * (width / height).min(1.0)).atan();
        let distance = 1.12 * focus.radius / narrow.sin() / camera.zoom;
        Self {
            position: camera.at.unwrap_or(focus.centre) + back * distance,
            right,
            up: back.cross(right),
            back,
            middle: [0.5 * width, 0.5 * height],
            scale: 0.5 * height / HALF_FIELD_OF_VIEW.tan(),
            near: distance / 200.0,
        }
    }

    /// How far in front of the eye a point is, m.
    pub fn depth(&self, point: DVec3) -> f64 {
        (self.position - point).dot(self.back)
    }

    /// Column, row and one over the depth of a point in front of the eye.
    pub fn see(&self, point: DVec3) -> [f64; 3] {
        let ray = point - self.position;
        let nearness = 1.0 / self.depth(point);
        let size = self.scale * nearness;
        [
            self.middle[0] + ray.dot(self.right) * size,
            self.middle[1] - ray.dot(self.up) * size,
            nearness,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_in_the_middle_and_up_is_up() {
        let focus = Focus { centre: DVec3::new(1.0, 2.0, 3.0), radius: 0.5 };
        let eye = Eye::new(&Camera::default(), &focus, 200, 100);
        let [x, y, _] = eye.see(focus.centre);
        assert!((x - 100.0).abs() < 1e-9 && (y - 50.0).abs() < 1e-9);
        let above = eye.see(focus.centre + 0.1 * DVec3::Z);
        assert!(above[1] < y && (above[0] - x).abs() < 1e-9);
        let near = Camera { at: Some(DVec3::X), ..Camera::default() };
        let [x, y, _] = Eye::new(&near, &focus, 200, 100).see(DVec3::X);
        assert!((x - 100.0).abs() < 1e-9 && (y - 50.0).abs() < 1e-9);
        // From -y, +x is to the right.
        let front = Eye::new(&"-90,0".parse().unwrap(), &focus, 200, 100);
        assert!(front.see(focus.centre + 0.1 * DVec3::X)[0] > 100.0);
        assert!(eye.depth(eye.position) == 0.0 && eye.depth(focus.centre) > focus.radius);
    }

    #[test]
    fn cameras_are_read_or_refused() {
        let camera = Camera { azimuth: 10.0, elevation: 20.0, zoom: 2.0, at: None };
        assert_eq!("10, 20,2".parse(), Ok(camera));
        let near = Camera { at: Some(DVec3::new(0.1, 0.0, -0.2)), ..camera };
        assert_eq!("10,20,2,0.1,0,-0.2".parse(), Ok(near));
        for wrong in ["", "1", "1,90", "1,2,0", "1,2,3,4", "NaN,1", "1,2,3,4,5,inf", "a,b"] {
            assert!(wrong.parse::<Camera>().is_err(), "{wrong}");
        }
    }
}

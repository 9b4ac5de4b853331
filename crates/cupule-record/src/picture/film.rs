//! The frames of a run as pictures need them.

use std::io;
use std::path::{Path, PathBuf};

use cupule_geometry::DVec3;

use super::camera::Focus;
use super::surface::Split;
use super::wide;
use crate::frames::{Frame, Layer};
use crate::palette::{Colour, body_colour};
use crate::report::{Bounds, RunError, figures, open, scale, summary};

/// A body as pictures show it.
#[derive(Debug)]
pub struct FilmBody {
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// Its corners.
    pub split: Split,
    /// Its colour.
    pub colour: Colour,
    /// Positions at first, m.
    pub rest: Vec<DVec3>,
    /// Whether it is not static.
    pub moves: bool,
}

/// A run to take pictures of.
#[derive(Debug)]
pub struct Film {
    file: PathBuf,
    times: Vec<f64>,
    bodies: Vec<FilmBody>,
    focus: Focus,
    largest_displacement: f64,
    layers: Vec<FilmLayer>,
}

/// A layer and the bounds of its colours: of its figures over the run, or of volumes from 0 to the atmosphere at least.
#[derive(Debug, Clone)]
pub struct FilmLayer {
    /// Name, title, unit.
    pub layer: Layer,
    /// Least figure.
    pub min: f32,
    /// Largest; of arrows the longest.
    pub max: f32,
}

impl Film {
    /// Opens the folder of a run and looks through its frames once.
    pub fn open(folder: &Path) -> Result<Self, RunError> {
        let file = folder.join("frames.bin");
        let failed = |source| RunError { file: file.clone(), source };
        let summary = summary(folder)?;
        let mut reader = open(&file)?;
        let first = reader.next_frame().map_err(failed)?;
        let first = first.ok_or_else(|| failed(io::Error::other("there is no frame in it")))?;
        let bodies: Vec<FilmBody> = reader
            .bodies()
            .iter()
            .zip(&first.positions)
            .enumerate()
            .map(|(index, (body, points))| {
                let kind = summary.as_ref().and_then(|s| s["bodies"][&body.name]["kind"].as_str());
                let kind = kind.unwrap_or_default();
                let rest = wide(points);
                FilmBody {
                    split: Split::new(&rest, &body.triangles),
                    triangles: body.triangles.clone(),
                    colour: body_colour(index, kind),
                    moves: kind != "static",
                    rest,
                }
            })
            .collect();
        let heads = reader.layers().to_vec();
        let mut bounds = vec![Bounds::NONE; heads.len()];
        let mut widen = |frame: &Frame| {
            for (bounds, shown) in bounds.iter_mut().zip(&frame.layers) {
                figures(shown, |value| bounds.add(value));
            }
        };
        let mut survey = Survey::new(&bodies, &first);
        let mut times = vec![first.time];
        widen(&first);
        while let Some(frame) = reader.next_frame().map_err(failed)? {
            times.push(frame.time);
            survey.add(&bodies, &frame);
            widen(&frame);
        }
        let (focus, largest_displacement) = survey.result();
        let layers = heads.into_iter().zip(bounds).map(|(layer, bounds)| {
            let Bounds { min, max } = scale(&layer, bounds, summary.as_ref());
            FilmLayer { layer, min, max }
        });
        Ok(Self { file, times, bodies, focus, largest_displacement, layers: layers.collect() })
    }

    /// What was recorded besides the bodies.
    pub fn layers(&self) -> &[FilmLayer] {
        &self.layers
    }

    /// Times of the frames, s, in their order.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The frames shown at times (s) that grow: for each the last that is not after it.
    pub fn frames(&self, times: &[f64]) -> Result<Vec<Frame>, RunError> {
        let failed = |source| RunError { file: self.file.clone(), source };
        let mut reader = open(&self.file)?;
        let mut frames: Vec<Frame> = Vec::with_capacity(times.len());
        let mut now = reader.next_frame().map_err(failed)?;
        let mut index = 0;
        for time in times {
            while self.times.get(index + 1).is_some_and(|next| *next <= time + 1e-9) {
                now = reader.next_frame().map_err(failed)?;
                index += 1;
            }
            frames.extend(now.clone());
        }
        Ok(frames)
    }

    pub(super) fn bodies(&self) -> &[FilmBody] {
        &self.bodies
    }

    pub(super) fn focus(&self) -> &Focus {
        &self.focus
    }

    pub(super) fn largest_displacement(&self) -> f64 {
        self.largest_displacement
    }
}

/// The box of what moves, but not of what a failed run threw far away.
struct Survey {
    low: DVec3,
    high: DVec3,
    reach: f64,
    displacement: f64,
}

impl Survey {
    fn new(bodies: &[FilmBody], first: &Frame) -> Self {
        let moving = bodies.iter().any(|body| body.moves);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (body, points) in bodies.iter().zip(&first.positions) {
            if body.moves || !moving {
                for point in wide(points).iter().filter(|point| point.is_finite()) {
                    (low, high) = (low.min(*point), high.max(*point));
                }
            }
        }
        if !low.is_finite() {
            (low, high) = (DVec3::ZERO, DVec3::ONE);
        }
        Self { low, high, reach: 2.0 * low.distance(high), displacement: 0.0 }
    }

    fn add(&mut self, bodies: &[FilmBody], frame: &Frame) {
        let (low, high) = (self.low, self.high);
        for (body, points) in bodies.iter().zip(&frame.positions).filter(|(body, _)| body.moves) {
            for (point, rest) in wide(points).iter().zip(&body.rest) {
                let way = point.distance(*rest);
                if way.is_finite() && way <= self.reach {
                    self.displacement = self.displacement.max(way);
                    self.low = self.low.min(*point);
                    self.high = self.high.max(*point);
                }
            }
        }
        debug_assert!(self.low.cmple(low).all() && self.high.cmpge(high).all());
    }

    fn result(&self) -> (Focus, f64) {
        let radius = (0.5 * self.low.distance(self.high)).max(1e-6);
        (Focus { centre: 0.5 * (self.low + self.high), radius }, self.displacement)
    }
}

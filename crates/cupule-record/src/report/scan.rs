//! The first reading of the frames: what the second needs to know to quantise them.
//!
//! Positions are kept as whole numbers of a quantum per body. It is 1/65536 of the body's size, below what a screen
//! shows, and finer where a body moves little, so that colours by displacement have at least a thousand steps; never
//! finer than 1/4000000 of the size, which is what f32 tells apart.

use std::io::{self, Read};

use serde_json::Value;

use super::FRAMES_PER_BLOCK;
use super::numbers::Numbers;
use crate::frames::{Frame, FrameBody, FrameReader, Layer, LayerFrame, LayerKind};
use crate::palette::{Colour, body_colour};

/// Coordinates in one page at most; longer runs keep every n-th frame. About 100 MB when all vertices move.
const MOST_COORDINATES: usize = 120_000_000;
/// Whole numbers stay below this, so that their second differences still fit 32 bits.
const LARGEST_NUMBER: f64 = (1 << 27) as f64;

/// Whole numbers for positions.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// Length of one, m.
    pub quantum: f64,
    /// Position of zero, m.
    pub origin: [f64; 3],
}

impl Grid {
    /// The grid of points within a box: as fine as asked, if the whole numbers suffice.
    fn new(origin: [f64; 3], farthest: f64, quantum: f64) -> Self {
        Self { quantum: quantum.max(farthest / LARGEST_NUMBER).max(1e-30), origin }
    }

    /// The nearest whole number on an axis; what is not finite goes to zero.
    pub fn number(&self, coordinate: f32, axis: usize) -> i32 {
        let number = (f64::from(coordinate) - self.origin[axis]) / self.quantum;
        // The cast takes NaN to zero.
        number.clamp(-LARGEST_NUMBER, LARGEST_NUMBER).round() as i32
    }
}

/// A body as the page knows it.
#[derive(Debug)]
pub struct ScannedBody {
    /// Name and triangles.
    pub body: FrameBody,
    /// fem, rigid, kinematic, static, or empty if the summary does not say.
    pub kind: String,
    /// Colour.
    pub colour: Colour,
    /// Grid of its positions.
    pub grid: Grid,
    /// Whole numbers of the first frame: per vertex three.
    pub reference: Vec<[i32; 3]>,
}

/// A layer and the bounds of its colours.
#[derive(Debug)]
pub struct ScannedLayer {
    /// Name, title, unit.
    pub layer: Layer,
    /// Least figure over the run; of volumes the least of their [`scale`].
    pub min: f32,
    /// Largest.
    pub max: f32,
}

/// What the first reading found.
#[derive(Debug)]
pub struct Scan {
    /// Bodies.
    pub bodies: Vec<ScannedBody>,
    /// Layers.
    pub layers: Vec<ScannedLayer>,
    /// Grid of the positions of arrows and volumes.
    pub grid: Grid,
    /// Times of the frames that are kept, s.
    pub times: Vec<f64>,
    /// Every so many frames one is kept.
    pub stride: usize,
    /// Largest way of any vertex from its first position, m.
    pub largest_displacement: f64,
}

impl Scan {
    /// The section `shape`.
    pub fn shape(&self) -> Vec<u8> {
        let mut numbers = Numbers::default();
        for body in &self.bodies {
            for axis in 0..3 {
                numbers.differences(body.reference.iter().map(|point| point[axis]));
            }
            let indices = body.body.triangles.iter().flatten();
            numbers.differences(indices.map(|index| *index as i32));
            numbers.differences(body.body.cells.vertices.iter().map(|index| *index as i32));
        }
        numbers.bytes()
    }

    /// Whether the page keeps the frame of this index.
    pub fn keeps(&self, frame: usize) -> bool {
        frame.is_multiple_of(self.stride)
    }

    /// Blocks that the kept frames fill.
    pub fn blocks(&self) -> usize {
        self.times.len().div_ceil(FRAMES_PER_BLOCK)
    }
}

/// Bounds of what is finite.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Least.
    pub min: f32,
    /// Largest.
    pub max: f32,
}

impl Bounds {
    /// Of nothing.
    pub const NONE: Self = Self { min: f32::INFINITY, max: f32::NEG_INFINITY };

    /// Takes a figure in.
    pub fn add(&mut self, value: f32) {
        if value.is_finite() {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
        }
    }

    fn width(&self) -> f64 {
        let Self { min, max } = self.or_zero();
        f64::from(max) - f64::from(min)
    }

    /// The bounds, or 0 for both if there was nothing.
    pub fn or_zero(self) -> Self {
        if self.min > self.max { Self { min: 0.0, max: 0.0 } } else { self }
    }
}

/// The figures from the darkest to the brightest colour of a layer, with what it shows over the run. Those of air go from vacuum to the
/// atmosphere in every run, so that pictures of different runs compare; only where it is above the atmosphere they reach further.
pub fn scale(layer: &Layer, mut shown: Bounds, summary: Option<&Value>) -> Bounds {
    if layer.kind == LayerKind::Volumes {
        let atmosphere = summary.and_then(|summary| summary["atmosphere_pa"].as_f64());
        shown.add(0.0);
        atmosphere.into_iter().for_each(|pressure| shown.add(pressure as f32));
    }
    shown.or_zero()
}

/// Reads all frames once.
pub fn scan<R: Read>(mut reader: FrameReader<R>, summary: Option<&Value>) -> io::Result<Scan> {
    let (bodies, layers) = (reader.bodies().to_vec(), reader.layers().to_vec());
    let mut survey = Survey::new(bodies.len(), layers.len());
    while let Some(frame) = reader.next_frame()? {
        survey.add(frame);
    }
    let vertices: usize = bodies.iter().map(|body| body.vertices as usize).sum();
    let stride = (survey.times.len() * vertices * 3).div_ceil(MOST_COORDINATES).max(1);
    let grid = survey.grid_of_all();
    let bodies = bodies.into_iter().enumerate();
    let bodies = bodies.map(|(index, body)| survey.body(index, body, summary)).collect();
    let layers = layers.into_iter().zip(&survey.layers).map(|(layer, bounds)| {
        let Bounds { min, max } = scale(&layer, *bounds, summary);
        ScannedLayer { layer, min, max }
    });
    Ok(Scan {
        bodies,
        layers: layers.collect(),
        grid,
        times: survey.times.iter().copied().step_by(stride).collect(),
        stride,
        largest_displacement: survey.displacements.iter().copied().fold(0.0, f64::max),
    })
}

struct Survey {
    first: Vec<Vec<[f32; 3]>>,
    boxes: Vec<[Bounds; 3]>,
    displacements: Vec<f64>,
    layers: Vec<Bounds>,
    times: Vec<f64>,
}

impl Survey {
    fn new(bodies: usize, layers: usize) -> Self {
        Self {
            first: vec![Vec::new(); bodies],
            boxes: vec![[Bounds::NONE; 3]; bodies],
            displacements: vec![0.0; bodies],
            layers: vec![Bounds::NONE; layers],
            times: Vec::new(),
        }
    }

    fn add(&mut self, frame: Frame) {
        self.times.push(frame.time);
        if self.times.len() == 1 {
            self.first = frame.positions.clone();
        }
        for (index, points) in frame.positions.iter().enumerate() {
            let mut farthest = 0.0_f32;
            for (point, first) in points.iter().zip(&self.first[index]) {
                let mut square = 0.0;
                for axis in 0..3 {
                    self.boxes[index][axis].add(point[axis]);
                    square += (point[axis] - first[axis]).powi(2);
                }
                if square.is_finite() {
                    farthest = farthest.max(square);
                }
            }
            let most = &mut self.displacements[index];
            *most = most.max(f64::from(farthest).sqrt());
        }
        for (bounds, layer) in self.layers.iter_mut().zip(&frame.layers) {
            figures(layer, |value| bounds.add(value));
        }
    }

    fn body(&self, index: usize, body: FrameBody, summary: Option<&Value>) -> ScannedBody {
        let kind = summary.and_then(|summary| summary["bodies"][&body.name]["kind"].as_str());
        let mut rest = [Bounds::NONE; 3];
        for point in &self.first[index] {
            (0..3).for_each(|axis| rest[axis].add(point[axis]));
        }
        let origin = rest.map(|bounds| f64::from(bounds.or_zero().min));
        let size = rest.iter().map(Bounds::width).fold(1e-6, f64::max);
        let coarse = size / 65536.0;
        let fine = (self.displacements[index] / 1024.0).clamp(size / 4e6, coarse);
        let grid = Grid::new(origin, farthest(&self.boxes[index], origin), fine);
        let reference = self.first[index].iter();
        let reference =
            reference.map(|p| [0, 1, 2].map(|axis| grid.number(p[axis], axis))).collect();
        let kind = kind.unwrap_or_default().to_string();
        ScannedBody { colour: body_colour(index, &kind), body, kind, grid, reference }
    }

    /// The grid of everything that is no body: 1/65536 of the box around all bodies.
    fn grid_of_all(&self) -> Grid {
        let mut all = [Bounds::NONE; 3];
        for bounds in &self.boxes {
            for axis in 0..3 {
                all[axis].add(bounds[axis].min);
                all[axis].add(bounds[axis].max);
            }
        }
        let origin = all.map(|bounds| f64::from(bounds.or_zero().min));
        let size = farthest(&all, origin);
        Grid::new(origin, size, size / 65536.0)
    }
}

fn farthest(bounds: &[Bounds; 3], origin: [f64; 3]) -> f64 {
    let ways = bounds.iter().zip(origin).flat_map(|(bounds, origin)| {
        let Bounds { min, max } = bounds.or_zero();
        [(f64::from(min) - origin).abs(), (f64::from(max) - origin).abs()]
    });
    ways.fold(0.0, f64::max)
}

/// The figures of a layer: values of fields and volumes, lengths of arrows.
pub fn figures(layer: &LayerFrame, mut each: impl FnMut(f32)) {
    match layer {
        LayerFrame::Field(bodies) => {
            bodies.iter().flatten().flatten().for_each(|value| each(*value));
        }
        LayerFrame::Arrows(arrows) => arrows
            .iter()
            .for_each(|arrow| each(arrow.vector.iter().map(|c| c * c).sum::<f32>().sqrt())),
        LayerFrame::Volumes(volumes) => volumes.iter().for_each(|volume| each(volume.value)),
    }
}

//! Pictures of a run without a browser: bodies as the report page shows them at first, drawn in software.
//!
//! Triangles go through a depth buffer at three times the size asked for, in light rather than in screen colours, and
//! nine samples make a pixel. Light: a sky that is brighter above, a sun with soft-edged shadows, a weak light from the
//! other side, as in the page (`viewer/src/view/stage.ts`). Arrows and translucent volumes are drawn if asked for. Small bars tell
//! what colours of figures mean.

mod animation;
mod arrow;
mod camera;
mod film;
mod legend;
mod lettering;
mod light;
mod raster;
mod surface;

use std::io::{self, Write};

pub use animation::{Animation, Format};
pub use camera::{Camera, CameraError};
pub use film::{Film, FilmLayer};
pub(crate) use surface::Split;

use crate::frames::{Frame, LayerFrame, LayerKind, Volume};
use crate::palette::{Colour, arrow_colour, scale_colour};
use camera::Eye;
use cupule_geometry::DVec3;
use legend::Bar;
use light::{Light, Shadow, background};
use raster::Canvas;

/// How a picture is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Shot {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// From where.
    pub camera: Camera,
    /// What colours mean.
    pub colouring: Colouring,
    /// Layers of arrows and volumes to draw, by their place among [`Film::layers`].
    pub layers: Vec<usize>,
}

/// What colours mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colouring {
    /// Each body has its own.
    Body,
    /// Way of each vertex from where it was at first, dark for none, bright for the largest of the run.
    Displacement,
    /// A field, by its place among [`Film::layers`]: dark for its least figure of the run, bright for its largest.
    Field(usize),
}

/// Pixels, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Red, green, blue.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Writes it as PNG.
    pub fn write_png(&self, out: impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)
    }
}

/// Samples along a side of a pixel.
const SAMPLES: u32 = 3;

impl Film {
    /// Takes a picture of a frame.
    pub fn shoot(&self, frame: &Frame, shot: &Shot) -> Picture {
        let (width, height) = (shot.width * SAMPLES, shot.height * SAMPLES);
        let eye = Eye::new(&shot.camera, self.focus(), width, height);
        let shapes: Vec<Vec<DVec3>> = frame.positions.iter().map(|points| wide(points)).collect();
        let mut shadow = Shadow::new(self.focus());
        for (body, points) in self.bodies().iter().zip(&shapes) {
            shadow.add(points, &body.triangles);
        }
        let light = Light { shadow };
        let mut canvas = Canvas::new(width as usize, height as usize);
        for (index, (body, points)) in self.bodies().iter().zip(&shapes).enumerate() {
            let colours = self.colours(index, points, frame, shot.colouring);
            let normals = body.split.corners(points);
            for triangle in &body.split.index {
                let triangle = triangle.map(|corner| {
                    let vertex = body.split.source[corner as usize] as usize;
                    let (at, colour) = (points[vertex], colours[vertex]);
                    raster::Corner { at, normal: normals[corner as usize], colour }
                });
                canvas.draw(&triangle, &eye, |hit| light.shade(hit, eye.position));
            }
        }
        self.add_layers(&mut canvas, frame, shot, &eye, &light);
        legend::draw(&mut canvas, &self.bars(shot), SAMPLES as usize);
        canvas.shrink(SAMPLES as usize, background)
    }

    /// Arrows and volumes; volumes last, since they lie over all.
    fn add_layers(
        &self,
        canvas: &mut Canvas,
        frame: &Frame,
        shot: &Shot,
        eye: &Eye,
        light: &Light,
    ) {
        let wanted = || {
            shot.layers.iter().filter_map(|i| Some((self.layers().get(*i)?, frame.layers.get(*i)?)))
        };
        for (number, (head, shown)) in
            wanted().filter(|(_, s)| matches!(s, LayerFrame::Arrows(_))).enumerate()
        {
            let LayerFrame::Arrows(arrows) = shown else { continue };
            let colour = arrow_colour(number).linear();
            for triangle in arrow::triangles(arrows, head.max, 0.75 * self.focus().radius, colour) {
                canvas.draw(&triangle, eye, |hit| light.shade(hit, eye.position));
            }
        }
        for (head, shown) in wanted() {
            let LayerFrame::Volumes(volumes) = shown else { continue };
            for volume in volumes {
                lay_volume(canvas, volume, head, eye);
            }
        }
    }

    /// What tells the colours of a shot: those of volumes, and those of the bodies, if they are figures.
    fn bars(&self, shot: &Shot) -> Vec<Bar> {
        let of_layer = |head: &FilmLayer| Bar {
            title: head.layer.title.clone(),
            unit: head.layer.unit.clone(),
            min: head.min,
            max: head.max,
        };
        let of_bodies = match shot.colouring {
            Colouring::Body => None,
            Colouring::Displacement => Some(Bar {
                title: "Displacement".into(),
                unit: "m".into(),
                min: 0.0,
                max: self.largest_displacement() as f32,
            }),
            Colouring::Field(layer) => self.layers().get(layer).map(of_layer),
        };
        let drawn = shot.layers.iter().filter_map(|layer| self.layers().get(*layer));
        let volumes = drawn.filter(|head| head.layer.kind == LayerKind::Volumes).map(of_layer);
        volumes.chain(of_bodies).collect()
    }

    fn colours(
        &self,
        index: usize,
        points: &[DVec3],
        frame: &Frame,
        colouring: Colouring,
    ) -> Vec<[f32; 3]> {
        let body = &self.bodies()[index];
        match colouring {
            Colouring::Field(layer) => match (self.layers().get(layer), frame.layers.get(layer)) {
                (Some(head), Some(LayerFrame::Field(values)))
                    if body.moves && values[index].is_some() =>
                {
                    let values = values[index].iter().flatten();
                    values.map(|value| scale_colour(share(*value, head))).collect()
                }
                _ => vec![body.colour.linear(); points.len()],
            },
            Colouring::Displacement if body.moves => {
                let largest = self.largest_displacement().max(f64::MIN_POSITIVE);
                let ways = points.iter().zip(&body.rest).map(|(now, rest)| now.distance(*rest));
                ways.map(|way| scale_colour((way / largest) as f32)).collect()
            }
            _ => vec![body.colour.linear(); points.len()],
        }
    }
}

/// Where a figure stands between the least and the largest of its layer.
fn share(value: f32, head: &FilmLayer) -> f32 {
    let span = head.max - head.min;
    if span > 0.0 { (value - head.min) / span } else { 0.0 }
}

/// Opacity of volumes, as in the page.
const VOLUME_OPACITY: f32 = 0.55;

fn lay_volume(canvas: &mut Canvas, volume: &Volume, head: &FilmLayer, eye: &Eye) {
    let colour = scale_colour(share(volume.value, head));
    let points = wide(&volume.positions);
    for triangle in &volume.triangles {
        let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let corners = [a, b, c].map(|at| raster::Corner { at, normal, colour });
        canvas.lay_over(&corners, eye, VOLUME_OPACITY);
    }
}

fn wide(points: &[[f32; 3]]) -> Vec<DVec3> {
    points.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect()
}

/// Amounts of light as a screen shows them.
fn screen(light: [f32; 3]) -> [u8; 3] {
    light.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (255.0 * c).round() as u8
    })
}

/// The page's background, top and bottom.
const BACKGROUND: [Colour; 2] = [Colour([0xee, 0xf1, 0xf5]), Colour([0xd9, 0xdf, 0xe7])];

#[cfg(test)]
mod tests;

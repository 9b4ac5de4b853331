//! Writes `frames.bin` as the run goes.

use std::io::{self, Write};

use cupule_geometry::DVec3;

use super::{Arrow, FrameBody, Layer, LayerFrame, LayerKind, MAGIC, Volume};

/// Writes frames as they come.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    out: W,
    last: Vec<Vec<[f32; 3]>>,
}

impl<W: Write> FrameWriter<W> {
    /// Writes the header.
    pub fn new(mut out: W, bodies: &[FrameBody], layers: &[Layer]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        write_count(&mut out, bodies.len())?;
        for body in bodies {
            write_text(&mut out, &body.name)?;
            out.write_all(&body.vertices.to_le_bytes())?;
            write_count(&mut out, body.triangles.len())?;
            write_indices(&mut out, body.triangles.as_flattened())?;
            out.write_all(&[body.cells.size])?;
            write_count(&mut out, body.cells.count())?;
            write_indices(&mut out, &body.cells.vertices)?;
        }
        write_count(&mut out, layers.len())?;
        for layer in layers {
            let kind = match layer.kind {
                LayerKind::Field => 1,
                LayerKind::Arrows => 2,
                LayerKind::Volumes => 3,
            };
            out.write_all(&[kind])?;
            for text in [&layer.name, &layer.title, &layer.unit] {
                write_text(&mut out, text)?;
            }
        }
        Ok(Self { out, last: vec![Vec::new(); bodies.len()] })
    }

    /// Writes a frame: positions of every body (m) and what every layer shows, in the order of the header.
    pub fn write(
        &mut self,
        time: f64,
        positions: &[Vec<DVec3>],
        layers: &[LayerFrame],
    ) -> io::Result<()> {
        self.out.write_all(&time.to_le_bytes())?;
        for (last, now) in self.last.iter_mut().zip(positions) {
            let now: Vec<[f32; 3]> = now.iter().map(|x| x.to_array().map(|c| c as f32)).collect();
            let moved = *last != now;
            self.out.write_all(&[u8::from(moved)])?;
            if moved {
                write_numbers(&mut self.out, now.as_flattened())?;
                *last = now;
            }
        }
        layers.iter().try_for_each(|layer| write_layer(&mut self.out, layer))
    }

    /// Where it writes, as far as it has written.
    pub fn output(&mut self) -> &mut W {
        &mut self.out
    }

    /// Hands what is buffered to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_layer(out: &mut impl Write, layer: &LayerFrame) -> io::Result<()> {
    match layer {
        LayerFrame::Field(bodies) => bodies.iter().try_for_each(|values| {
            out.write_all(&[u8::from(values.is_some())])?;
            write_numbers(out, values.as_deref().unwrap_or(&[]))
        }),
        LayerFrame::Arrows(arrows) => {
            write_count(out, arrows.len())?;
            arrows.iter().try_for_each(|Arrow { at, vector }| {
                write_numbers(out, at)?;
                write_numbers(out, vector)
            })
        }
        LayerFrame::Volumes(volumes) => {
            write_count(out, volumes.len())?;
            volumes.iter().try_for_each(|volume| write_volume(out, volume))
        }
    }
}

fn write_volume(out: &mut impl Write, volume: &Volume) -> io::Result<()> {
    out.write_all(&volume.identity.to_le_bytes())?;
    out.write_all(&volume.value.to_le_bytes())?;
    write_count(out, volume.positions.len())?;
    write_count(out, volume.triangles.len())?;
    write_numbers(out, volume.positions.as_flattened())?;
    write_indices(out, volume.triangles.as_flattened())
}

fn write_numbers(out: &mut impl Write, numbers: &[f32]) -> io::Result<()> {
    numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()))
}

fn write_indices(out: &mut impl Write, indices: &[u32]) -> io::Result<()> {
    indices.iter().try_for_each(|index| out.write_all(&index.to_le_bytes()))
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    write_count(out, text.len())?;
    out.write_all(text.as_bytes())
}

fn write_count(out: &mut impl Write, count: usize) -> io::Result<()> {
    let count = u32::try_from(count)
        .map_err(|_| io::Error::other("more than 4 billion items in a frame"))?;
    out.write_all(&count.to_le_bytes())
}

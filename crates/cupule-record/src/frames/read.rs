//! Reads `frames.bin` back, one frame after the other. A count that lies costs no memory: nothing is reserved before
//! it was read.

use std::io::{self, Read};

use super::{Arrow, Frame, FrameBody, FrameCells, Layer, LayerFrame, LayerKind, MAGIC, Volume};

/// Reads frames one after the other.
#[derive(Debug)]
pub struct FrameReader<R: Read> {
    input: R,
    bodies: Vec<FrameBody>,
    layers: Vec<Layer>,
    last: Vec<Vec<[f32; 3]>>,
}

impl<R: Read> FrameReader<R> {
    /// Reads the header.
    pub fn new(mut input: R) -> io::Result<Self> {
        let magic: [u8; 8] = read_bytes(&mut input)?;
        if &magic != MAGIC {
            return Err(wrong("not a frames file of this version of Cupule; run the scene again"));
        }
        let mut bodies = Vec::new();
        for _ in 0..read_count(&mut input)? {
            let name = read_text(&mut input)?;
            let vertices = read_count(&mut input)?;
            let triangles = read_count(&mut input)?;
            let triangles = read_triangles(&mut input, triangles, vertices)?;
            let cells = read_cells(&mut input, vertices)?;
            bodies.push(FrameBody { name, vertices, triangles, cells });
        }
        let mut layers = Vec::new();
        for _ in 0..read_count(&mut input)? {
            layers.push(read_layer_head(&mut input)?);
        }
        let last = vec![Vec::new(); bodies.len()];
        Ok(Self { input, bodies, layers, last })
    }

    /// The bodies of the header.
    pub fn bodies(&self) -> &[FrameBody] {
        &self.bodies
    }

    /// The layers of the header.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The next frame, or none at the end (or where the file was cut short).
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        match self.read_frame() {
            Ok(frame) => Ok(Some(frame)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_frame(&mut self) -> io::Result<Frame> {
        let time = f64::from_le_bytes(read_bytes(&mut self.input)?);
        for (body, last) in self.bodies.iter().zip(&mut self.last) {
            let [moved]: [u8; 1] = read_bytes(&mut self.input)?;
            if moved != 0 {
                *last = read_points(&mut self.input, body.vertices)?;
            } else if last.len() != body.vertices as usize {
                return Err(wrong("a body rests before its first position"));
            }
        }
        let mut layers = Vec::with_capacity(self.layers.len());
        for layer in &self.layers {
            layers.push(match layer.kind {
                LayerKind::Field => read_field(&mut self.input, &self.bodies)?,
                LayerKind::Arrows => read_arrows(&mut self.input)?,
                LayerKind::Volumes => read_volumes(&mut self.input)?,
            });
        }
        Ok(Frame { time, positions: self.last.clone(), layers })
    }
}

fn read_layer_head(input: &mut impl Read) -> io::Result<Layer> {
    let kind = match read_bytes(input)? {
        [1] => LayerKind::Field,
        [2] => LayerKind::Arrows,
        [3] => LayerKind::Volumes,
        _ => return Err(wrong("a layer of unknown kind")),
    };
    let (name, title, unit) = (read_text(input)?, read_text(input)?, read_text(input)?);
    Ok(Layer { kind, name, title, unit })
}

fn read_field(input: &mut impl Read, bodies: &[FrameBody]) -> io::Result<LayerFrame> {
    let mut values = Vec::with_capacity(bodies.len());
    for body in bodies {
        let [present]: [u8; 1] = read_bytes(input)?;
        values.push((present != 0).then(|| read_numbers(input, body.vertices.into())).transpose()?);
    }
    Ok(LayerFrame::Field(values))
}

fn read_arrows(input: &mut impl Read) -> io::Result<LayerFrame> {
    let count = read_count(input)?;
    let numbers = read_numbers(input, 6 * u64::from(count))?;
    let arrows = numbers.as_chunks::<6>().0.iter();
    let arrows = arrows.map(|&[a, b, c, x, y, z]| Arrow { at: [a, b, c], vector: [x, y, z] });
    Ok(LayerFrame::Arrows(arrows.collect()))
}

fn read_volumes(input: &mut impl Read) -> io::Result<LayerFrame> {
    let mut volumes = Vec::new();
    for _ in 0..read_count(input)? {
        let identity = read_count(input)?;
        let value = f32::from_le_bytes(read_bytes(input)?);
        let (vertices, triangles) = (read_count(input)?, read_count(input)?);
        let positions = read_points(input, vertices)?;
        let triangles = read_triangles(input, triangles, vertices)?;
        volumes.push(Volume { identity, value, positions, triangles });
    }
    Ok(LayerFrame::Volumes(volumes))
}

fn read_points(input: &mut impl Read, count: u32) -> io::Result<Vec<[f32; 3]>> {
    Ok(read_numbers(input, 3 * u64::from(count))?.as_chunks::<3>().0.to_vec())
}

fn read_triangles(input: &mut impl Read, count: u32, vertices: u32) -> io::Result<Vec<[u32; 3]>> {
    Ok(read_indices(input, 3 * u64::from(count), vertices)?.as_chunks::<3>().0.to_vec())
}

fn read_cells(input: &mut impl Read, vertices: u32) -> io::Result<FrameCells> {
    let [size]: [u8; 1] = read_bytes(input)?;
    let count = u64::from(read_count(input)?);
    if !matches!((size, count), (0, 0) | (4 | 8 | 10, _)) {
        return Err(wrong("cells of unknown kind"));
    }
    Ok(FrameCells { size, vertices: read_indices(input, u64::from(size) * count, vertices)? })
}

fn read_indices(input: &mut impl Read, count: u64, vertices: u32) -> io::Result<Vec<u32>> {
    let indices = read_words(input, count, u32::from_le_bytes)?;
    if indices.iter().any(|index| *index >= vertices) {
        return Err(wrong("a triangle or cell names a vertex that does not exist"));
    }
    Ok(indices)
}

fn read_numbers(input: &mut impl Read, count: u64) -> io::Result<Vec<f32>> {
    read_words(input, count, f32::from_le_bytes)
}

/// `take` reads no more than there is, so that a wrong count costs no memory.
fn read_words<T>(
    input: &mut impl Read,
    count: u64,
    word: impl Fn([u8; 4]) -> T,
) -> io::Result<Vec<T>> {
    let mut bytes = Vec::new();
    input.by_ref().take(4 * count).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != 4 * count {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| word(*bytes)).collect())
}

fn read_text(input: &mut impl Read) -> io::Result<String> {
    let length = read_count(input)?;
    let mut text = Vec::new();
    input.by_ref().take(length.into()).read_to_end(&mut text)?;
    String::from_utf8(text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

fn read_bytes<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_count(input: &mut impl Read) -> io::Result<u32> {
    Ok(u32::from_le_bytes(read_bytes(input)?))
}

fn wrong(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

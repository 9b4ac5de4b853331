//! Geometry over time, `frames.bin`: surfaces of all bodies at up to 60 frames a second of simulated time.
//!
//! Little-endian. Header: the 8 bytes `CUPFRAM1`, u32 number of bodies, then per body u32 length of its name, the name
//! in UTF-8, u32 vertices, u32 triangles, and three u32 vertex indices per triangle. Then frames until the end: f64
//! time in s, and per body a u8 that is 0 when it has not moved since the frame before (nothing follows) or 1,
//! followed by three f32 coordinates in m per vertex. f32 keeps 10 nm at 0.1 m, which is below what a picture shows;
//! figures are in the series. A file cut short by a crash is valid up to its last whole frame.

use std::io::{self, Read, Write};

use cupule_geometry::DVec3;

const MAGIC: &[u8; 8] = b"CUPFRAM1";

/// A body's surface that does not change: its name and its triangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameBody {
    /// Name.
    pub name: String,
    /// Number of vertices.
    pub vertices: u32,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

/// Positions of all bodies at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// Vertex positions per body, m.
    pub positions: Vec<Vec<[f32; 3]>>,
}

/// Writes frames as they come.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    out: W,
    last: Vec<Vec<[f32; 3]>>,
}

impl<W: Write> FrameWriter<W> {
    /// Writes the header.
    pub fn new(mut out: W, bodies: &[FrameBody]) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        write_count(&mut out, bodies.len())?;
        for body in bodies {
            write_count(&mut out, body.name.len())?;
            out.write_all(body.name.as_bytes())?;
            out.write_all(&body.vertices.to_le_bytes())?;
            write_count(&mut out, body.triangles.len())?;
            for index in body.triangles.iter().flatten() {
                out.write_all(&index.to_le_bytes())?;
            }
        }
        Ok(Self { out, last: vec![Vec::new(); bodies.len()] })
    }

    /// Writes a frame: positions of every body, in the order of the header.
    pub fn write(&mut self, time: f64, positions: &[Vec<DVec3>]) -> io::Result<()> {
        self.out.write_all(&time.to_le_bytes())?;
        for (last, now) in self.last.iter_mut().zip(positions) {
            let now: Vec<[f32; 3]> = now.iter().map(|x| x.to_array().map(|c| c as f32)).collect();
            let moved = *last != now;
            self.out.write_all(&[u8::from(moved)])?;
            if moved {
                for c in now.iter().flatten() {
                    self.out.write_all(&c.to_le_bytes())?;
                }
                *last = now;
            }
        }
        Ok(())
    }

    /// Hands what is buffered to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_count(out: &mut impl Write, count: usize) -> io::Result<()> {
    let count = u32::try_from(count)
        .map_err(|_| io::Error::other("more than 4 billion items in a frame"))?;
    out.write_all(&count.to_le_bytes())
}

/// Reads frames one after the other.
#[derive(Debug)]
pub struct FrameReader<R: Read> {
    input: R,
    bodies: Vec<FrameBody>,
    last: Vec<Vec<[f32; 3]>>,
}

impl<R: Read> FrameReader<R> {
    /// Reads the header.
    pub fn new(mut input: R) -> io::Result<Self> {
        let magic: [u8; 8] = read_bytes(&mut input)?;
        if &magic != MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a frames file of Cupule"));
        }
        let mut bodies = Vec::new();
        for _ in 0..read_count(&mut input)? {
            let length = read_count(&mut input)?;
            // `take` reads no more than there is, so that a wrong length costs no memory.
            let mut name = Vec::new();
            input.by_ref().take(u64::from(length)).read_to_end(&mut name)?;
            let name = String::from_utf8(name)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            let vertices = read_count(&mut input)?;
            let mut triangles = Vec::new();
            for _ in 0..read_count(&mut input)? {
                triangles.push([
                    read_count(&mut input)?,
                    read_count(&mut input)?,
                    read_count(&mut input)?,
                ]);
            }
            bodies.push(FrameBody { name, vertices, triangles });
        }
        let last = vec![Vec::new(); bodies.len()];
        Ok(Self { input, bodies, last })
    }

    /// The bodies of the header.
    pub fn bodies(&self) -> &[FrameBody] {
        &self.bodies
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
            if moved == 0 {
                continue;
            }
            last.clear();
            for _ in 0..body.vertices {
                let mut point = [0.0_f32; 3];
                for c in &mut point {
                    *c = f32::from_le_bytes(read_bytes(&mut self.input)?);
                }
                last.push(point);
            }
        }
        Ok(Frame { time, positions: self.last.clone() })
    }
}

fn read_bytes<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_count(input: &mut impl Read) -> io::Result<u32> {
    Ok(u32::from_le_bytes(read_bytes(input)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let body =
            |name: &str| FrameBody { name: name.into(), vertices: 3, triangles: vec![[0, 1, 2]] };
        let mut bytes = Vec::new();
        let mut writer = FrameWriter::new(&mut bytes, &[body("still"), body("mover")]).unwrap();
        for step in 0..3 {
            let moved = DVec3::X * f64::from(step);
            writer.write(f64::from(step) * 0.5, &[vec![DVec3::Y; 3], vec![moved; 3]]).unwrap();
        }
        bytes
    }

    #[test]
    fn frames_read_back_as_written() {
        let bytes = file();
        let mut reader = FrameReader::new(bytes.as_slice()).unwrap();
        assert_eq!(reader.bodies()[1].name, "mover");
        for step in 0..3_u8 {
            let frame = reader.next_frame().unwrap().unwrap();
            assert_eq!(frame.time, f64::from(step) * 0.5);
            assert_eq!(
                frame.positions,
                vec![vec![[0.0, 1.0, 0.0]; 3], vec![[f32::from(step), 0.0, 0.0]; 3]]
            );
        }
        assert_eq!(reader.next_frame().unwrap(), None);
    }

    #[test]
    fn a_body_at_rest_costs_one_byte_a_frame() {
        // Frame: 8 (time) + 1 (still) + 1 + 36 (three vertices that moved).
        let bytes = file();
        let header = 8 + 4 + 2 * (4 + 5 + 4 + 4 + 12);
        assert_eq!(bytes.len(), header + (8 + 37 + 37) + 2 * (8 + 1 + 37));
    }

    #[test]
    fn a_file_cut_short_gives_its_whole_frames() {
        let bytes = file();
        let mut reader = FrameReader::new(&bytes[..bytes.len() - 5]).unwrap();
        let mut count = 0;
        while reader.next_frame().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 2);
        assert!(FrameReader::new(&b"something else"[..]).is_err());
    }
}

//! Wavefront OBJ, one file a frame, one object a body; z is up, as everywhere in Cupule.

use std::io::{self, Write};
use std::path::Path;

use super::{Cast, ExportError, Exported, each_frame, make_folder, write_file};
use crate::frames::Frame;

/// Writes the frames into a folder.
pub fn export(run: &Path, out: &Path) -> Result<Exported, ExportError> {
    make_folder(out)?;
    let mut files = 0;
    each_frame(run, |cast, index, frame| {
        let file = out.join(format!("frame_{index:05}.obj"));
        write_file(&file, |file| write(file, cast, frame))?;
        files += 1;
        Ok(())
    })?;
    Ok(Exported { open: out.join("frame_00000.obj"), files })
}

fn write(out: &mut impl Write, cast: &Cast, frame: &Frame) -> io::Result<()> {
    writeln!(out, "# t = {} s, metres, z up", frame.time)?;
    let mut before = 1;
    for (body, points) in cast.bodies.iter().zip(&frame.positions) {
        // A line break in a name would begin a statement of its own.
        let name: String =
            body.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(out, "o {name}")?;
        let points = &points[..body.surface_vertices()];
        points.iter().try_for_each(|[x, y, z]| writeln!(out, "v {x} {y} {z}"))?;
        for triangle in &body.triangles {
            let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + before);
            writeln!(out, "f {a} {b} {c}")?;
        }
        before += points.len() as u64;
    }
    Ok(())
}

//! CSV: the series of the run, and one file a frame with every vertex, its displacement and its fields.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::{
    Cast, ExportError, Exported, displacements, each_frame, make_folder, titled, write_file,
};
use crate::frames::{Frame, LayerFrame};
use crate::recorder::RecordError;
use crate::series::quoted;

/// Writes the series and the frames into a folder.
pub fn export(run: &Path, out: &Path) -> Result<Exported, ExportError> {
    make_folder(out)?;
    let mut files = 0;
    let mut first: Option<Frame> = None;
    each_frame(run, |cast, index, frame| {
        let first = first.get_or_insert_with(|| frame.clone());
        let file = out.join(format!("points_{index:05}.csv"));
        write_file(&file, |file| write(file, cast, frame, first))?;
        files += 1;
        Ok(())
    })?;
    let series = out.join("series.csv");
    let own = run.join("series.csv");
    // A run that was cut short before its first step may have none; and copied onto itself it would be empty.
    if own.is_file() && own.canonicalize().ok() != series.canonicalize().ok() {
        fs::copy(own, &series).map_err(|source| RecordError { file: series.clone(), source })?;
        files += 1;
    }
    Ok(Exported { open: series, files })
}

fn write(out: &mut impl Write, cast: &Cast, frame: &Frame, first: &Frame) -> io::Result<()> {
    let fields: Vec<(String, &Vec<Option<Vec<f32>>>)> = (cast.layers.iter().zip(&frame.layers))
        .filter_map(|(layer, shown)| match shown {
            LayerFrame::Field(values) => Some((titled(layer), values)),
            _ => None,
        })
        .collect();
    write!(
        out,
        "time_s,body,vertex,x_m,y_m,z_m,displacement_x_m,displacement_y_m,displacement_z_m"
    )?;
    fields.iter().try_for_each(|(name, _)| write!(out, ",{}", quoted(name)))?;
    writeln!(out)?;
    for (index, (body, points)) in cast.bodies.iter().zip(&frame.positions).enumerate() {
        let name = quoted(&body.name);
        let ways = displacements(points, &first.positions[index]);
        for (vertex, ([x, y, z], [dx, dy, dz])) in points.iter().zip(ways).enumerate() {
            write!(out, "{},{name},{vertex},{x},{y},{z},{dx},{dy},{dz}", frame.time)?;
            for (_, values) in &fields {
                let value = values[index].as_ref().map_or(f32::NAN, |values| values[vertex]);
                write!(out, ",{value}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

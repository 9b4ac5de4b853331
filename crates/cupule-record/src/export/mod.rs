//! Runs for other programs: VTU series for ParaView, one animated GLB, OBJ and CSV per frame.
//!
//! Everything comes from the files of a run folder, so that a run need not be repeated; fields, arrows and volumes are
//! taken as `frames.bin` has them.

mod csv;
mod glb;
mod keys;
mod obj;
mod rigid;
mod vtu;
mod vtu_file;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::frames::{Frame, FrameBody, Layer};
use crate::recorder::RecordError;
use crate::report::{RunError, open};

/// What a run is exported to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// VTK unstructured grids, one a frame, with `.pvd` files that hold them together: ParaView.
    Vtu,
    /// One binary glTF file with an animation: browsers, Blender, game engines.
    Glb,
    /// Wavefront OBJ, one a frame.
    Obj,
    /// The series, and points with their fields, one file a frame.
    Csv,
}

impl ExportFormat {
    /// Where an export goes if nobody says: within the folder of the run.
    pub fn default_place(self, run: &Path) -> PathBuf {
        run.join(match self {
            Self::Vtu => "vtu",
            Self::Glb => "run.glb",
            Self::Obj => "obj",
            Self::Csv => "csv",
        })
    }
}

/// What an export left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// What to open first.
    pub open: PathBuf,
    /// Number of files.
    pub files: usize,
}

/// Why a run cannot be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The export cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Exports the run in a folder to `out`: a folder, or for GLB a file.
pub fn export(run: &Path, format: ExportFormat, out: &Path) -> Result<Exported, ExportError> {
    match format {
        ExportFormat::Vtu => vtu::export(run, out),
        ExportFormat::Glb => glb::export(run, out),
        ExportFormat::Obj => obj::export(run, out),
        ExportFormat::Csv => csv::export(run, out),
    }
}

/// What does not change from frame to frame.
struct Cast {
    bodies: Vec<FrameBody>,
    layers: Vec<Layer>,
}

/// Calls back with every frame of a run and its number, in turn.
fn each_frame(
    run: &Path,
    mut each: impl FnMut(&Cast, usize, &Frame) -> Result<(), ExportError>,
) -> Result<Cast, ExportError> {
    let file = run.join("frames.bin");
    let failed = |source| RunError { file: file.clone(), source };
    let mut reader = open(&file)?;
    let cast = Cast { bodies: reader.bodies().to_vec(), layers: reader.layers().to_vec() };
    let mut index = 0;
    while let Some(frame) = reader.next_frame().map_err(failed)? {
        each(&cast, index, &frame)?;
        index += 1;
    }
    if index == 0 {
        return Err(failed(io::Error::other("there is no frame in it")).into());
    }
    Ok(cast)
}

fn make_folder(path: &Path) -> Result<(), RecordError> {
    fs::create_dir_all(path).map_err(|source| RecordError { file: path.to_path_buf(), source })
}

fn write_file(
    file: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RecordError> {
    let whole = || {
        let mut out = BufWriter::new(File::create(file)?);
        write(&mut out)?;
        out.flush()
    };
    whole().map_err(|source| RecordError { file: file.to_path_buf(), source })
}

/// Ways of the vertices of a body from where they were, m.
fn displacements(now: &[[f32; 3]], first: &[[f32; 3]]) -> Vec<[f32; 3]> {
    now.iter().zip(first).map(|(x, r)| [0, 1, 2].map(|axis| x[axis] - r[axis])).collect()
}

/// The name of a layer with its unit, such as `von_mises_Pa`.
fn titled(layer: &Layer) -> String {
    if layer.unit.is_empty() {
        layer.name.clone()
    } else {
        format!("{}_{}", layer.name, layer.unit.replace(' ', ""))
    }
}

#[cfg(test)]
mod tests;

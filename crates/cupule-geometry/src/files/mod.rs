//! Mesh files: Wavefront OBJ, STL, Gmsh MSH 2.2 and 4.1, legacy VTK and VTK XML (VTU, VTP).
//!
//! The readers are our own. Those on offer panic on some malformed files (`mshio` has `unimplemented!` arms and reads
//! 4.1 only), keep single precision (`stl_io`, `tobj`) or cannot name the line at fault (`vtkio`). Ours follow three
//! rules: no count found in a file is trusted with memory before the data is seen, every loop over such a count
//! consumes input, and every error names a line, a byte or an element.
//!
//! Only the geometry is taken: names, normals, colours, groups and fields are passed over. Points that no element
//! uses are dropped; the others keep their order. Coordinates are taken as metres.

mod bytes;
mod error;
mod gmsh;
mod gmsh_sections;
mod obj;
mod soup;
mod stl;
mod vtk;
mod vtk_cells;
mod vtu;
mod vtu_array;
mod write;

use std::path::Path;

pub use error::{MeshFileError, MeshFileProblem, Place};
pub use write::{PointField, write_obj, write_vtu};

use crate::{TriMesh, VolumeMesh};
use soup::Soup;

/// A mesh file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ, text: triangles, quads and polygons (cut as a fan).
    Obj,
    /// STL, text or binary. Corners are welded where all three coordinates are exactly equal.
    Stl,
    /// Gmsh MSH 2.2 or 4.1, text or binary.
    Msh,
    /// Legacy VTK, text or binary: unstructured grid or polydata.
    Vtk,
    /// VTK XML unstructured grid or polydata: text, base64 or raw, with or without zlib compression.
    Vtu,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 5] = [Format::Obj, Format::Stl, Format::Msh, Format::Vtk, Format::Vtu];

    /// The extensions of the format, in lower case without the dot.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Obj => &["obj"],
            Format::Stl => &["stl"],
            Format::Msh => &["msh"],
            Format::Vtk => &["vtk"],
            Format::Vtu => &["vtu", "vtp"],
        }
    }

    /// The format that an extension names, in any letter case.
    pub fn of_extension(extension: &str) -> Option<Format> {
        let lower = extension.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extensions().contains(&lower.as_str()))
    }

    /// All extensions as a sentence needs them: ".obj, .stl, ...".
    pub(crate) fn list() -> String {
        let names = Self::ALL.iter().flat_map(|format| format.extensions());
        names.map(|name| format!(".{name}")).collect::<Vec<_>>().join(", ")
    }
}

/// Reads a triangle surface from a file; its extension decides the format.
///
/// Quads and polygons are cut into triangles, six-node triangles into four. Of a file with a volume and its boundary
/// triangles only the latter are taken. The result has passed [`TriMesh::check`]; it may be open.
pub fn read_surface(path: impl AsRef<Path>) -> Result<TriMesh, MeshFileError> {
    let path = path.as_ref();
    read_file(path)
        .and_then(|(bytes, format)| surface_of(&bytes, format))
        .map_err(|problem| problem.in_file(Some(path)))
}

/// Reads a mesh of tetrahedra or hexahedra from a file; its extension decides the format.
///
/// Cells of lower dimension (boundary triangles, edges) are passed over. All cells must be of one kind. The result has
/// passed [`VolumeMesh::check`].
pub fn read_volume(path: impl AsRef<Path>) -> Result<VolumeMesh, MeshFileError> {
    let path = path.as_ref();
    read_file(path)
        .and_then(|(bytes, format)| volume_of(&bytes, format))
        .map_err(|problem| problem.in_file(Some(path)))
}

/// As [`read_surface`], from the bytes of a file of the given format.
pub fn read_surface_from_bytes(bytes: &[u8], format: Format) -> Result<TriMesh, MeshFileError> {
    surface_of(bytes, format).map_err(|problem| problem.in_file(None))
}

/// As [`read_volume`], from the bytes of a file of the given format.
pub fn read_volume_from_bytes(bytes: &[u8], format: Format) -> Result<VolumeMesh, MeshFileError> {
    volume_of(bytes, format).map_err(|problem| problem.in_file(None))
}

fn read_file(path: &Path) -> Result<(Vec<u8>, Format), MeshFileProblem> {
    let extension = path.extension().map_or_else(String::new, |e| e.to_string_lossy().into_owned());
    let Some(format) = Format::of_extension(&extension) else {
        return Err(MeshFileProblem::UnknownExtension { extension });
    };
    let bytes =
        std::fs::read(path).map_err(|error| MeshFileProblem::Unreadable(error.to_string()))?;
    Ok((bytes, format))
}

fn soup_of(bytes: &[u8], format: Format) -> Result<Soup, MeshFileProblem> {
    match format {
        Format::Obj => obj::read(bytes),
        Format::Stl => stl::read(bytes),
        Format::Msh => gmsh::read(bytes),
        Format::Vtk => vtk::read(bytes),
        Format::Vtu => vtu::read(bytes),
    }
}

fn surface_of(bytes: &[u8], format: Format) -> Result<TriMesh, MeshFileProblem> {
    let mesh = soup_of(bytes, format)?.into_surface()?;
    mesh.check()?;
    Ok(mesh)
}

fn volume_of(bytes: &[u8], format: Format) -> Result<VolumeMesh, MeshFileProblem> {
    let mesh = soup_of(bytes, format)?.into_volume()?;
    mesh.check()?;
    Ok(mesh)
}

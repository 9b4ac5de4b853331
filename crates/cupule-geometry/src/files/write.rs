//! Writing meshes: surfaces as OBJ, volume meshes with fields at their nodes as VTU. Numbers are written so that
//! reading them back gives the same bits.

use std::io::{self, Write};

use crate::{Cells, DVec3, TriMesh, VolumeMesh};

/// A field with one value for each node, for [`write_vtu`].
#[derive(Debug, Clone, Copy)]
pub struct PointField<'a> {
    /// Its name as a viewer shows it, with the unit: `pressure_Pa`.
    pub name: &'a str,
    /// Values of all nodes, one after the other; its length is the number of nodes times the number of components.
    pub values: &'a [f64],
}

/// Writes a surface as Wavefront OBJ.
pub fn write_obj(writer: &mut impl Write, mesh: &TriMesh) -> io::Result<()> {
    for vertex in &mesh.vertices {
        writeln!(writer, "v {} {} {}", vertex.x, vertex.y, vertex.z)?;
    }
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
        writeln!(writer, "f {a} {b} {c}")?;
    }
    writer.flush()
}

/// Writes a volume mesh as VTU text, with fields at its nodes.
///
/// A field whose length is not a whole multiple of the number of nodes is refused with
/// [`io::ErrorKind::InvalidInput`], before anything is written.
pub fn write_vtu(
    writer: &mut impl Write,
    mesh: &VolumeMesh,
    fields: &[PointField<'_>],
) -> io::Result<()> {
    let components = fields.iter().map(|field| components(field, mesh.nodes.len()));
    let components = components.collect::<io::Result<Vec<_>>>()?;
    let (points, cells) = (mesh.nodes.len(), mesh.cells.len());
    writeln!(writer, "<?xml version=\"1.0\"?>")?;
    writeln!(writer, "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>")?;
    writeln!(writer, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>")?;
    let coordinates = mesh.nodes.iter().map(DVec3::to_array);
    write_array(writer, "Float64", "points", 3, coordinates.flatten())?;
    writeln!(writer, "</Points>")?;
    write_cells(writer, &mesh.cells)?;
    writeln!(writer, "<PointData>")?;
    for (field, components) in fields.iter().zip(components) {
        write_array(writer, "Float64", field.name, components, field.values.iter())?;
    }
    writeln!(writer, "</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")?;
    writer.flush()
}

fn components(field: &PointField<'_>, nodes: usize) -> io::Result<usize> {
    let count = field.values.len();
    if nodes > 0 && count > 0 && count.is_multiple_of(nodes) {
        return Ok(count / nodes);
    }
    let message = format!("field {:?} has {count} values for {nodes} nodes", field.name);
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn write_cells(writer: &mut impl Write, cells: &Cells) -> io::Result<()> {
    let (nodes, per_cell, kind) = match cells {
        Cells::Tet4(cells) => (cells.as_flattened(), 4, 10),
        Cells::Tet10(cells) => (cells.as_flattened(), 10, 24),
        Cells::Hex8(cells) => (cells.as_flattened(), 8, 12),
    };
    writeln!(writer, "<Cells>")?;
    write_array(writer, "Int64", "connectivity", 1, nodes.iter())?;
    write_array(writer, "Int64", "offsets", 1, (1..=cells.len()).map(|cell| cell * per_cell))?;
    write_array(writer, "UInt8", "types", 1, std::iter::repeat_n(kind, cells.len()))?;
    writeln!(writer, "</Cells>")
}

fn write_array<T: std::fmt::Display>(
    writer: &mut impl Write,
    kind: &str,
    name: &str,
    components: usize,
    values: impl Iterator<Item = T>,
) -> io::Result<()> {
    let name = escaped(name);
    writeln!(
        writer,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"ascii\">"
    )?;
    for (index, value) in values.enumerate() {
        let end = if (index + 1).is_multiple_of(12) { "\n" } else { " " };
        write!(writer, "{value}{end}")?;
    }
    writeln!(writer, "\n</DataArray>")
}

/// A name as an XML attribute takes it.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

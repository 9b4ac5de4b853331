//! One VTU file: an unstructured grid of triangles or points with named arrays, in base64.
//!
//! Numbers are little-endian f32 (i32 and u8 for topology) behind a 64-bit count of their bytes, as VTK 5 and later
//! read them.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Figures of points or cells.
pub struct Array {
    /// Name with unit.
    pub name: String,
    /// Numbers per point or cell.
    pub components: usize,
    /// All numbers, point after point.
    pub values: Vec<f32>,
}

/// An unstructured grid.
#[derive(Default)]
pub struct Grid {
    /// Time, s.
    pub time: f64,
    /// Points, m.
    pub points: Vec<[f32; 3]>,
    /// Triangles; without any, every point is a cell of its own.
    pub triangles: Vec<[u32; 3]>,
    /// Figures of points.
    pub point_arrays: Vec<Array>,
    /// Figures of cells.
    pub cell_arrays: Vec<Array>,
    /// Names, such as those of the bodies that cells refer to by number.
    pub names: Vec<(String, Vec<String>)>,
    /// Whether cells are points: such a grid may be empty.
    pub vertices: bool,
}

/// VTK's numbers of cell types.
const VERTEX: u8 = 1;
const TRIANGLE: u8 = 5;

impl Grid {
    /// Writes the file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let cells = if self.vertices { self.points.len() } else { self.triangles.len() };
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(
            out,
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
        )?;
        writeln!(out, "<UnstructuredGrid>")?;
        self.write_field_data(out)?;
        let points = self.points.len();
        writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>")?;
        write_array(out, "Float32", "Points", 3, floats(self.points.as_flattened()))?;
        writeln!(out, "</Points>")?;
        self.write_cells(out, cells)?;
        write_arrays(out, "PointData", &self.point_arrays)?;
        write_arrays(out, "CellData", &self.cell_arrays)?;
        writeln!(out, "</Piece>\n</UnstructuredGrid>\n</VTKFile>")
    }

    fn write_field_data(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "<FieldData>")?;
        writeln!(
            out,
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
            self.time
        )?;
        for (title, names) in &self.names {
            let count = names.len();
            // Strings are written as the numbers of their bytes, each ended by a zero.
            let bytes = names.iter().flat_map(|name| name.bytes().chain([0]));
            let text: Vec<String> = bytes.map(|byte| byte.to_string()).collect();
            writeln!(
                out,
                "<DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"{count}\" format=\"ascii\">{}</DataArray>",
                escaped(title),
                text.join(" ")
            )?;
        }
        writeln!(out, "</FieldData>")
    }

    fn write_cells(&self, out: &mut impl Write, cells: usize) -> io::Result<()> {
        let (per_cell, kind) = if self.vertices { (1, VERTEX) } else { (3, TRIANGLE) };
        let corners: Vec<u8> = if self.vertices {
            (0..cells as u32).flat_map(u32::to_le_bytes).collect()
        } else {
            self.triangles.as_flattened().iter().flat_map(|i| i.to_le_bytes()).collect()
        };
        let ends = (1..=cells as u32).flat_map(|cell| (cell * per_cell).to_le_bytes());
        writeln!(out, "<Cells>")?;
        write_array(out, "Int32", "connectivity", 1, corners)?;
        write_array(out, "Int32", "offsets", 1, ends.collect())?;
        write_array(out, "UInt8", "types", 1, vec![kind; cells])?;
        writeln!(out, "</Cells>")
    }
}

fn write_arrays(out: &mut impl Write, tag: &str, arrays: &[Array]) -> io::Result<()> {
    writeln!(out, "<{tag}>")?;
    for array in arrays {
        write_array(out, "Float32", &array.name, array.components, floats(&array.values))?;
    }
    writeln!(out, "</{tag}>")
}

fn write_array(
    out: &mut impl Write,
    kind: &str,
    name: &str,
    components: usize,
    bytes: Vec<u8>,
) -> io::Result<()> {
    let name = escaped(name);
    let block = [&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat();
    writeln!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{components}\" format=\"binary\">{}</DataArray>",
        STANDARD.encode(block)
    )
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A text as an XML attribute takes it; control characters, which XML has no words for, become spaces.
pub fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

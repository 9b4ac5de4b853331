//! One VTU file: an unstructured grid with named arrays, in base64.
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
    /// Cells.
    pub cells: Cells,
    /// Figures of points.
    pub point_arrays: Vec<Array>,
    /// Figures of cells.
    pub cell_arrays: Vec<Array>,
    /// Names, such as those of the bodies that cells refer to by number.
    pub names: Vec<(String, Vec<String>)>,
}

/// Cells by their points, of any kind.
#[derive(Default)]
pub struct Cells {
    points: Vec<u32>,
    ends: Vec<u32>,
    kinds: Vec<u8>,
}

impl Cells {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds a cell, whose number of points tells its kind; `before` points of the grid are not its body's.
    pub fn add(&mut self, points: &[u32], before: u32) {
        self.points.extend(points.iter().map(|point| point + before));
        self.ends.push(self.points.len() as u32);
        // VTK's numbers of vertex, triangle, tetrahedron, hexahedron and quadratic tetrahedron.
        self.kinds.push(match points.len() {
            1 => 1,
            3 => 5,
            4 => 10,
            8 => 12,
            _ => 24,
        });
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        writeln!(out, "<Cells>")?;
        write_array(out, "Int32", "connectivity", 1, words(&self.points))?;
        write_array(out, "Int32", "offsets", 1, words(&self.ends))?;
        write_array(out, "UInt8", "types", 1, self.kinds.clone())?;
        writeln!(out, "</Cells>")
    }
}

impl Grid {
    /// Writes the file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let cells = self.cells.len();
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
        self.cells.write(out)?;
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

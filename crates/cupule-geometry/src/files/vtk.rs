//! Legacy VTK files, text and binary (big-endian): unstructured grids and polydata, with cell lists of the old style
//! (count, nodes) and of version 5.1 (offsets, connectivity). Fields and attributes are passed over.

use super::bytes::{Cursor, Encoding, Endian, finite, quoted};
use super::error::{MeshFileProblem, Place};
use super::soup::Soup;
use super::vtk_cells::{self, POLYGON, POLYLINE, STRIP};
use crate::DVec3;

/// Reads the points and cells.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let mut cursor = Cursor::new(bytes);
    let encoding = read_header(&mut cursor)?;
    let mut reader = Reader { cursor, encoding, soup: Soup::default() };
    let mut cells = CellList::default();
    while let Some(word) = reader.cursor.word() {
        match word.to_ascii_uppercase().as_slice() {
            b"DATASET" => reader.dataset()?,
            b"FIELD" => reader.skip_fields()?,
            b"METADATA" => reader.skip_metadata(),
            b"POINTS" => reader.points()?,
            b"CELLS" => cells = reader.cell_list()?,
            b"CELL_TYPES" => reader.cell_types(&cells)?,
            b"VERTICES" | b"LINES" => reader.polydata(POLYLINE)?,
            b"POLYGONS" => reader.polydata(POLYGON)?,
            b"TRIANGLE_STRIPS" => reader.polydata(STRIP)?,
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => {
                let expected = "a section such as POINTS, CELLS, CELL_TYPES or POLYGONS";
                let place = reader.cursor.place_before();
                return Err(MeshFileProblem::malformed(place, expected, &quoted(word)));
            }
        }
    }
    Ok(reader.soup)
}

fn read_header(cursor: &mut Cursor<'_>) -> Result<Encoding, MeshFileProblem> {
    let expected = "\"# vtk DataFile Version ...\"";
    let first = cursor.line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile") {
        return Err(MeshFileProblem::malformed(Place::Line(1), expected, &quoted(first)));
    }
    cursor.line();
    cursor.parsed("ASCII or BINARY", |word| match word.to_ascii_uppercase().as_str() {
        "ASCII" => Some(Encoding::Text),
        "BINARY" => Some(Encoding::Binary(Endian::Big)),
        _ => None,
    })
}

/// Nodes of cells, one after the other; `ends[i]` is where those of cell `i` end.
#[derive(Default)]
struct CellList {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl CellList {
    fn each(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.nodes[start..end])
    }
}

/// Types of numbers in binary files.
#[derive(Clone, Copy)]
enum Scalar {
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    encoding: Encoding,
    soup: Soup,
}

impl Reader<'_> {
    fn dataset(&mut self) -> Result<(), MeshFileProblem> {
        let word = self.cursor.word().unwrap_or_default();
        if [&b"UNSTRUCTURED_GRID"[..], b"POLYDATA"].contains(&word.to_ascii_uppercase().as_slice())
        {
            return Ok(());
        }
        Err(MeshFileProblem::Unsupported {
            place: self.cursor.place_before(),
            what: format!("VTK dataset {}", quoted(word)),
            advice: "use UNSTRUCTURED_GRID or POLYDATA",
        })
    }

    fn scalar(&mut self) -> Result<Scalar, MeshFileProblem> {
        self.cursor.parsed("a number type such as float", |word| {
            Some(match word.to_ascii_lowercase().as_str() {
                "char" | "unsigned_char" | "vtktypeint8" | "vtktypeuint8" => Scalar::Byte,
                "short" | "unsigned_short" | "vtktypeint16" | "vtktypeuint16" => Scalar::Short,
                "int" | "unsigned_int" | "vtktypeint32" | "vtktypeuint32" => Scalar::Int,
                "long" | "unsigned_long" | "vtktypeint64" | "vtktypeuint64" | "vtkidtype" => {
                    Scalar::Long
                }
                "float" => Scalar::Float,
                "double" => Scalar::Double,
                _ => return None,
            })
        })
    }

    /// Binary numbers start on the next line.
    fn start_numbers(&mut self) {
        if self.encoding != Encoding::Text {
            self.cursor.line();
            self.cursor.set_encoding(self.encoding);
        }
    }

    fn end_numbers(&mut self) {
        self.cursor.set_encoding(Encoding::Text);
    }

    fn real(&mut self, scalar: Scalar) -> Result<f64, MeshFileProblem> {
        let expected = "a finite number";
        if self.encoding == Encoding::Text {
            return self.cursor.parsed(expected, finite);
        }
        let place = self.cursor.place();
        let value = self.any_real(scalar, expected)?;
        let checked = value.is_finite().then_some(value);
        checked.ok_or_else(|| MeshFileProblem::malformed(place, expected, &value.to_string()))
    }

    /// A binary number of any type, possibly not finite.
    fn any_real(&mut self, scalar: Scalar, expected: &str) -> Result<f64, MeshFileProblem> {
        Ok(match scalar {
            Scalar::Byte => f64::from(self.cursor.take::<1>(expected)?[0]),
            Scalar::Short => f64::from(i16::from_be_bytes(self.cursor.take(expected)?)),
            Scalar::Int => f64::from(Endian::Big.i32(self.cursor.take(expected)?)),
            Scalar::Long => Endian::Big.u64(self.cursor.take(expected)?).cast_signed() as f64,
            Scalar::Float => f64::from(Endian::Big.f32(self.cursor.take(expected)?)),
            Scalar::Double => Endian::Big.f64(self.cursor.take(expected)?),
        })
    }

    fn index(&mut self, scalar: Scalar, expected: &str) -> Result<usize, MeshFileProblem> {
        match scalar {
            Scalar::Long => self.cursor.wide_index(expected),
            _ => self.cursor.index(expected),
        }
    }

    fn node(&mut self, scalar: Scalar) -> Result<u32, MeshFileProblem> {
        let index = self.index(scalar, "a point index")?;
        let known = self.soup.points.len();
        let node = u32::try_from(index).ok().filter(|_| index < known);
        node.ok_or_else(|| {
            let expected = format!("a point index below {known}");
            MeshFileProblem::malformed(self.cursor.place_before(), expected, &index.to_string())
        })
    }

    fn points(&mut self) -> Result<(), MeshFileProblem> {
        let count = self.cursor.index("the number of points")?;
        let scalar = self.scalar()?;
        self.start_numbers();
        for _ in 0..count {
            let [x, y, z] = [self.real(scalar)?, self.real(scalar)?, self.real(scalar)?];
            self.soup.points.push(DVec3::new(x, y, z));
        }
        self.end_numbers();
        Ok(())
    }

    fn cell_list(&mut self) -> Result<CellList, MeshFileProblem> {
        let count = self.cursor.index("the number of cells")?;
        let size = self.cursor.index("the length of the cell list")?;
        if self.cursor.peek() == Some(b"OFFSETS") {
            return self.cell_list_by_offsets(count, size);
        }
        self.start_numbers();
        let mut list = CellList::default();
        for _ in 0..count {
            let length = self.cursor.index("the number of nodes of a cell")?;
            for _ in 0..length {
                list.nodes.push(self.node(Scalar::Int)?);
            }
            list.ends.push(list.nodes.len());
        }
        self.end_numbers();
        Ok(list)
    }

    fn cell_list_by_offsets(
        &mut self,
        count: usize,
        size: usize,
    ) -> Result<CellList, MeshFileProblem> {
        self.cursor.keyword("OFFSETS")?;
        let scalar = self.scalar()?;
        self.start_numbers();
        let mut list = CellList::default();
        let mut last = 0;
        for number in 0..count {
            let end = self.index(scalar, "an offset")?;
            if end < last || end > size || (number == 0 && end != 0) {
                let expected = format!("offsets that start at 0 and rise to at most {size}");
                let place = self.cursor.place_before();
                return Err(MeshFileProblem::malformed(place, expected, &end.to_string()));
            }
            last = end;
            if number > 0 {
                list.ends.push(end);
            }
        }
        self.end_numbers();
        self.cursor.keyword("CONNECTIVITY")?;
        let scalar = self.scalar()?;
        self.start_numbers();
        for _ in 0..size {
            list.nodes.push(self.node(scalar)?);
        }
        self.end_numbers();
        Ok(list)
    }

    fn cell_types(&mut self, cells: &CellList) -> Result<(), MeshFileProblem> {
        let count = self.cursor.index("the number of cell types")?;
        if count != cells.ends.len() {
            let expected = format!("{} cell types, one for each cell", cells.ends.len());
            let place = self.cursor.place_before();
            return Err(MeshFileProblem::malformed(place, expected, &count.to_string()));
        }
        self.start_numbers();
        for (index, nodes) in cells.each().enumerate() {
            let cell_type = self.cursor.index("a cell type")?;
            vtk_cells::push(&mut self.soup, index, cell_type, nodes)?;
        }
        self.end_numbers();
        Ok(())
    }

    fn polydata(&mut self, cell_type: usize) -> Result<(), MeshFileProblem> {
        let cells = self.cell_list()?;
        for (index, nodes) in cells.each().enumerate() {
            vtk_cells::push(&mut self.soup, index, cell_type, nodes)?;
        }
        Ok(())
    }

    /// Metadata ends with an empty line.
    fn skip_metadata(&mut self) {
        self.cursor.line();
        while self.cursor.line().is_some_and(|line| !line.trim_ascii().is_empty()) {}
    }

    fn skip_fields(&mut self) -> Result<(), MeshFileProblem> {
        self.cursor.word();
        let arrays = self.cursor.index("the number of arrays")?;
        for _ in 0..arrays {
            self.cursor.word();
            let components = self.cursor.index("the number of components")?;
            let tuples = self.cursor.index("the number of tuples")?;
            let scalar = self.scalar()?;
            self.start_numbers();
            for _ in 0..components.saturating_mul(tuples) {
                match self.encoding {
                    Encoding::Text => self.cursor.parsed("a number", |_| Some(0.0))?,
                    Encoding::Binary(_) => self.any_real(scalar, "a number")?,
                };
            }
            self.end_numbers();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Cells;
    use crate::files::{Format, read_surface_from_bytes, read_volume_from_bytes};

    const TET: &str = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
        0 0 0 1 0 0\n0 1 0\n0 0 1\n\nCELLS 2 9\n4 0 1 2 3\n3 0 2 1\nCELL_TYPES 2\n10\n5\n\
        POINT_DATA 4\nSCALARS s float\nLOOKUP_TABLE default\n0 0 0 0\n";

    const TET_5: &str = "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n\
        FIELD FieldData 1\ntime 1 2 double\nnan 1\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
        METADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n\
        0 1 2 3 0 2 1\nCELL_TYPES 2\n10\n5\n";

    fn error(text: &str) -> String {
        read_volume_from_bytes(text.as_bytes(), Format::Vtk).unwrap_err().to_string()
    }

    #[test]
    fn both_styles_of_cell_lists_give_the_same() {
        let old = read_volume_from_bytes(TET.as_bytes(), Format::Vtk).unwrap();
        assert_eq!(old, read_volume_from_bytes(TET_5.as_bytes(), Format::Vtk).unwrap());
        assert_eq!(old.cells, Cells::Tet4(vec![[0, 1, 2, 3]]));
        let surface = read_surface_from_bytes(TET.as_bytes(), Format::Vtk).unwrap();
        assert_eq!(surface.triangles, [[0, 2, 1]]);
    }

    #[test]
    fn polydata_is_cut_into_triangles() {
        let text = "# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n\
            0 0 0 1 0 0 1 1 0 0 1 0 2 0.5 0\nLINES 1 3\n2 0 1\nPOLYGONS 1 5\n4 0 1 2 3\n\
            TRIANGLE_STRIPS 1 5\n4 1 4 2 3\n";
        let mesh = read_surface_from_bytes(text.as_bytes(), Format::Vtk).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [1, 4, 2], [2, 4, 3]]);
    }

    #[test]
    fn binary_is_big_endian() {
        let mut bytes =
            b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
                .to_vec();
        let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32];
        bytes.extend(points.iter().flat_map(|value| value.to_be_bytes()));
        bytes.extend(b"\nCELLS 1 5\n");
        bytes.extend([4, 0, 1, 2, 3_i32].iter().flat_map(|value| value.to_be_bytes()));
        bytes.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");
        let mesh = read_volume_from_bytes(&bytes, Format::Vtk).unwrap();
        assert_eq!(mesh, read_volume_from_bytes(TET.as_bytes(), Format::Vtk).unwrap());
        let cut = read_volume_from_bytes(&bytes[..100], Format::Vtk).unwrap_err().to_string();
        assert!(cut.contains("byte 99: expected a finite number"), "{cut}");
    }

    #[test]
    fn each_fault_names_its_line() {
        for (from, to, expected) in [
            ("# vtk", "# vtq", "line 1: expected \"# vtk DataFile"),
            ("ASCII", "ASKII", "line 3: expected ASCII or BINARY"),
            ("UNSTRUCTURED_GRID", "STRUCTURED_POINTS", "line 4: VTK dataset"),
            ("POINTS 4", "POINTS -4", "line 5: expected the number of points"),
            ("double", "quadruple", "line 5: expected a number type"),
            ("0 1 0\n", "0 inf 0\n", "line 7: expected a finite number"),
            ("4 0 1 2 3", "4 0 1 2 4", "line 11: expected a point index below 4, found 4"),
            ("4 0 1 2 3", "4 0 1 2 -3", "line 11: expected a point index"),
            ("CELL_TYPES 2", "CELL_TYPES 3", "line 13: expected 2 cell types"),
            ("\n10\n", "\n14\n", "cell 0: VTK cell type 14 is not supported"),
            ("\n10\n", "\n12\n", "cell 0: expected 8 nodes for cell type 12, found 4"),
            ("CELLS 2 9", "SELLS 2 9", "line 10: expected a section"),
            ("CELLS 2 9", "CELLS 99999999999 9", "line 13: expected the number of nodes of a cell"),
        ] {
            let message = error(&TET.replacen(from, to, 1));
            assert!(message.contains(expected), "{to}: {message}");
        }
        let message = error(&TET_5.replace("0 4 7", "0 9 7"));
        assert!(message.contains("line 15: expected offsets that start at 0"), "{message}");
    }
}

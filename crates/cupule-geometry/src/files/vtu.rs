//! VTK XML files: serial unstructured grids (.vtu) and polydata (.vtp), of one or several pieces.

use roxmltree::{Document, Node};

use super::bytes::Endian;
use super::error::{MeshFileProblem, Place};
use super::soup::Soup;
use super::vtk_cells::{self, POLYGON, STRIP};
use super::vtu_array::{Storage, line};
use crate::DVec3;

/// Reads the points and cells of all pieces.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let (head, appended) = split_appended(bytes);
    let text = std::str::from_utf8(&head).map_err(|error| {
        let newlines = head[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        MeshFileProblem::malformed(Place::Line(1 + newlines), "UTF-8 text", "other bytes")
    })?;
    let document = Document::parse(text).map_err(|error| {
        let place = Place::Line(error.pos().row as usize);
        MeshFileProblem::malformed(place, "well-formed XML", &error.to_string())
    })?;
    let root = document.root_element();
    let storage = storage(&document, root, appended)?;
    let reader = Reader { document: &document, storage };
    let kind = root.attribute("type").unwrap_or_default();
    let mut soup = Soup::default();
    let grid = reader.child(root, kind)?;
    for piece in grid.children().filter(|node| node.has_tag_name("Piece")) {
        match kind {
            "UnstructuredGrid" => reader.grid_piece(piece, &mut soup)?,
            _ => reader.polydata_piece(piece, &mut soup)?,
        }
    }
    Ok(soup)
}

/// Cuts the appended data out, since raw bytes are not XML; what is left is closed again.
fn split_appended(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let find = |from: usize, mark: &[u8]| {
        bytes[from..].windows(mark.len()).position(|window| window == mark).map(|at| from + at)
    };
    let cut = find(0, b"<AppendedData").and_then(|start| {
        let tag_end = find(start, b">")? + 1;
        Some((tag_end, find(tag_end, b"_")? + 1))
    });
    let Some((tag_end, data)) = cut else { return (bytes.to_vec(), &[]) };
    let mut head = bytes[..tag_end].to_vec();
    head.extend(b"</AppendedData></VTKFile>");
    (head, &bytes[data..])
}

fn storage<'a>(
    document: &Document<'_>,
    root: Node<'_, '_>,
    appended: &'a [u8],
) -> Result<Storage<'a>, MeshFileProblem> {
    let place = line(document, root);
    let unsupported = |what: String, advice| MeshFileProblem::Unsupported { place, what, advice };
    let kind = root.attribute("type").unwrap_or_default();
    if !root.has_tag_name("VTKFile") || !["UnstructuredGrid", "PolyData"].contains(&kind) {
        let what = format!("a {} of type {kind:?}", root.tag_name().name());
        return Err(unsupported(what, "use a VTKFile of type UnstructuredGrid or PolyData"));
    }
    let compressed = match root.attribute("compressor") {
        None | Some("") => false,
        Some("vtkZLibDataCompressor") => true,
        Some(other) => {
            return Err(unsupported(other.into(), "save with zlib or without compression"));
        }
    };
    let big = root.attribute("byte_order") == Some("BigEndian");
    let wide = root.attribute("header_type") == Some("UInt64");
    let tag = root.children().find(|node| node.has_tag_name("AppendedData"));
    Ok(Storage {
        endian: if big { Endian::Big } else { Endian::Little },
        header: if wide { 8 } else { 4 },
        compressed,
        appended,
        raw: tag.and_then(|tag| tag.attribute("encoding")) == Some("raw"),
    })
}

struct Reader<'a, 'input> {
    document: &'a Document<'input>,
    storage: Storage<'a>,
}

impl<'a, 'input> Reader<'a, 'input> {
    fn child(
        &self,
        parent: Node<'a, 'input>,
        name: &str,
    ) -> Result<Node<'a, 'input>, MeshFileProblem> {
        let found = parent.children().find(|node| node.has_tag_name(name));
        found.ok_or_else(|| {
            let place = line(self.document, parent);
            let inside = format!("none in <{}>", parent.tag_name().name());
            MeshFileProblem::malformed(place, format!("<{name}>"), &inside)
        })
    }

    /// The whole numbers of the array of this name.
    fn indices(&self, parent: Node<'a, 'input>, name: &str) -> Result<Vec<usize>, MeshFileProblem> {
        let mut arrays = parent.children().filter(|node| node.has_tag_name("DataArray"));
        let array = arrays.find(|node| node.attribute("Name") == Some(name));
        let Some(array) = array else {
            let found = format!("none in <{}>", parent.tag_name().name());
            let expected = format!("a DataArray named {name:?}");
            return Err(MeshFileProblem::malformed(line(self.document, parent), expected, &found));
        };
        let largest = f64::from(u32::MAX);
        let whole = |value: f64| {
            let good = value.fract() == 0.0 && (0.0..=largest).contains(&value);
            good.then_some(value as usize).ok_or_else(|| {
                let place = line(self.document, array);
                let expected = format!("whole numbers from 0 in array {name:?}");
                MeshFileProblem::malformed(place, expected, &value.to_string())
            })
        };
        self.storage.numbers(self.document, array)?.into_iter().map(whole).collect()
    }

    /// Adds the points of a piece and returns how many there were before.
    fn points(&self, piece: Node<'a, 'input>, soup: &mut Soup) -> Result<usize, MeshFileProblem> {
        let before = soup.points.len();
        let points = self.child(piece, "Points")?;
        let array = self.child(points, "DataArray")?;
        let numbers = self.storage.numbers(self.document, array)?;
        let (triples, rest) = numbers.as_chunks::<3>();
        let announced =
            piece.attribute("NumberOfPoints").and_then(|word| word.parse::<usize>().ok());
        if !rest.is_empty() || announced.is_some_and(|count| count != triples.len()) {
            let expected = match announced {
                Some(count) => format!("{count} points of three coordinates each"),
                None => "points of three coordinates each".into(),
            };
            let found = format!("{} numbers", numbers.len());
            return Err(MeshFileProblem::malformed(line(self.document, array), expected, &found));
        }
        soup.points.extend(triples.iter().map(|&triple| DVec3::from_array(triple)));
        Ok(before)
    }

    fn grid_piece(&self, piece: Node<'a, 'input>, soup: &mut Soup) -> Result<(), MeshFileProblem> {
        let before = self.points(piece, soup)?;
        let cells = self.child(piece, "Cells")?;
        let types = self.indices(cells, "types")?;
        let lists = self.cell_lists(cells, before, soup.points.len())?;
        if lists.len() != types.len() {
            let (expected, found) =
                (format!("{} cell types", lists.len()), types.len().to_string());
            return Err(MeshFileProblem::malformed(line(self.document, cells), expected, &found));
        }
        for (index, (nodes, cell_type)) in lists.iter().zip(types).enumerate() {
            vtk_cells::push(soup, index, cell_type, nodes)?;
        }
        Ok(())
    }

    fn polydata_piece(
        &self,
        piece: Node<'a, 'input>,
        soup: &mut Soup,
    ) -> Result<(), MeshFileProblem> {
        let before = self.points(piece, soup)?;
        for (name, cell_type) in [("Polys", POLYGON), ("Strips", STRIP)] {
            let Ok(cells) = self.child(piece, name) else { continue };
            if !cells.children().any(|node| node.has_tag_name("DataArray")) {
                continue;
            }
            let lists = self.cell_lists(cells, before, soup.points.len())?;
            for (index, nodes) in lists.iter().enumerate() {
                vtk_cells::push(soup, index, cell_type, nodes)?;
            }
        }
        Ok(())
    }

    /// The nodes of each cell: `offsets` say where each ends in `connectivity`.
    fn cell_lists(
        &self,
        cells: Node<'a, 'input>,
        before: usize,
        known: usize,
    ) -> Result<Vec<Vec<u32>>, MeshFileProblem> {
        let connectivity = self.indices(cells, "connectivity")?;
        let offsets = self.indices(cells, "offsets")?;
        let mut lists = Vec::with_capacity(offsets.len());
        let mut start = 0;
        for (cell, &end) in offsets.iter().enumerate() {
            let place = Place::Item("cell", cell);
            let Some(nodes) = connectivity.get(start..end) else {
                let expected = format!("an offset from {start} to {}", connectivity.len());
                return Err(MeshFileProblem::malformed(place, expected, &end.to_string()));
            };
            if let Some(bad) = nodes.iter().find(|&&node| node >= known - before) {
                let expected = format!("point indices below {}", known - before);
                return Err(MeshFileProblem::malformed(place, expected, &bad.to_string()));
            }
            lists.push(nodes.iter().map(|&node| (node + before) as u32).collect());
            start = end;
        }
        Ok(lists)
    }
}

#[cfg(test)]
mod tests {
    use crate::Cells;
    use crate::files::{Format, read_surface_from_bytes, read_volume_from_bytes};

    const TET: &str = r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="2">
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0
0 1 0 0 0 1 </DataArray></Points>
<Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3 0 2 1</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4 7</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10 5</DataArray>
</Cells></Piece></UnstructuredGrid></VTKFile>
"#;

    /// The same tetrahedron without its triangle. `zlib.compress` and `base64` of Python's library made the data.
    fn packed(compressor: &str, points: &str, tail: &str) -> String {
        format!(
            r#"<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt32" {compressor}>
<UnstructuredGrid><Piece NumberOfPoints="4" NumberOfCells="1">
<Points><DataArray type="Float32" NumberOfComponents="3" {points}</DataArray></Points>
<Cells><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10</DataArray>
</Cells></Piece></UnstructuredGrid>{tail}</VTKFile>"#
        )
    }

    const PLAIN: &str = "MAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw==";

    /// Two blocks of 32 and 16 bytes; their sizes in front are padded on their own.
    const ZLIB: &str = "AgAAACAAAAAQAAAAEAAAAA0AAAA=eJxjYEAGDfYMaHwADo4Bf3icY2BABg32AAFPAMA=";

    fn error(text: &str) -> String {
        read_volume_from_bytes(text.as_bytes(), Format::Vtu).unwrap_err().to_string()
    }

    #[test]
    fn text_is_read() {
        let mesh = read_volume_from_bytes(TET.as_bytes(), Format::Vtu).unwrap();
        assert_eq!(mesh.cells, Cells::Tet4(vec![[0, 1, 2, 3]]));
        let surface = read_surface_from_bytes(TET.as_bytes(), Format::Vtu).unwrap();
        assert_eq!(surface.triangles, [[0, 2, 1]]);
    }

    #[test]
    fn base64_raw_and_zlib_give_the_same_mesh() {
        let expected = read_volume_from_bytes(TET.as_bytes(), Format::Vtu).unwrap();
        let inline = packed("", &format!("format=\"binary\">{PLAIN}"), "");
        assert_eq!(read_volume_from_bytes(inline.as_bytes(), Format::Vtu).unwrap(), expected);

        let tail = format!("<AppendedData encoding=\"base64\">\n_ABCD{PLAIN}\n</AppendedData>");
        let appended = packed("", "format=\"appended\" offset=\"4\">", &tail);
        assert_eq!(read_volume_from_bytes(appended.as_bytes(), Format::Vtu).unwrap(), expected);

        let zlib = packed(
            "compressor=\"vtkZLibDataCompressor\"",
            &format!("format=\"binary\">{ZLIB}"),
            "",
        );
        assert_eq!(read_volume_from_bytes(zlib.as_bytes(), Format::Vtu).unwrap(), expected);

        let head =
            packed("", "format=\"appended\" offset=\"0\">", "<AppendedData encoding=\"raw\">_");
        let mut raw = head.strip_suffix("</VTKFile>").unwrap().as_bytes().to_vec();
        raw.extend(48_u32.to_le_bytes());
        let numbers = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0_f32];
        raw.extend(numbers.iter().flat_map(|value| value.to_le_bytes()));
        raw.extend(b"</AppendedData></VTKFile>");
        assert_eq!(read_volume_from_bytes(&raw, Format::Vtu).unwrap(), expected);
    }

    #[test]
    fn each_fault_names_its_line_or_cell() {
        for (from, to, expected) in [
            ("</Cells>", "</Sells>", "line 11: expected well-formed XML"),
            ("UnstructuredGrid\" v", "ImageData\" v", "line 2: a VTKFile of type"),
            ("byte_order", "compressor=\"lz4\" byte_order", "line 2: lz4 is not supported"),
            ("0 1 0 0 0 1", "0 1 0 0 nan 1", "line 6: expected a finite number"),
            ("0 1 0 0 0 1", "0 1 0 0 0", "line 4: expected 4 points"),
            ("0 1 2 3 0", "0 1 2 4 0", "cell 0: expected point indices below 4, found 4"),
            ("0 1 2 3 0", "0 1 2 -3 0", "line 8: expected whole numbers from 0"),
            (">4 7<", ">4 9<", "cell 1: expected an offset from 4 to 7, found 9"),
            (">4 7<", ">4 3<", "cell 1: expected an offset from 4 to 7, found 3"),
            ("10 5<", "10<", "line 7: expected 2 cell types, found 1"),
            ("Name=\"types\"", "Name=\"kinds\"", "expected a DataArray named \"types\""),
            ("format=\"ascii\">4", "format=\"binary\">4", "line 9: expected a complete data array"),
            (
                "format=\"ascii\">4",
                "format=\"appended\" offset=\"9\">4",
                "expected an offset inside",
            ),
        ] {
            let message = error(&TET.replacen(from, to, 1));
            assert!(message.contains(expected), "{to}: {message}");
        }
    }

    #[test]
    fn hostile_lengths_are_refused_without_using_memory() {
        for length in ["/////w", "////fw"] {
            let data = format!("format=\"binary\">{length}AAAAAAAAAAAA");
            assert!(error(&packed("", &data, "")).contains("ends too early"));
            let compressor = "compressor=\"vtkZLibDataCompressor\"";
            assert!(error(&packed(compressor, &data, "")).contains("ends too early"));
        }
    }
}

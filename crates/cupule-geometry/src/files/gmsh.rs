//! Gmsh MSH files, versions 2.2 and 4.1, text and binary: the header, and which section follows which.
//!
//! Sections other than `$Nodes` and `$Elements` are passed over.

use super::bytes::{Cursor, Encoding, Endian, quoted};
use super::error::MeshFileProblem;
use super::gmsh_sections::{Tags, elements_2, elements_4, nodes_2, nodes_4};
use super::soup::Soup;

#[derive(Clone, Copy, PartialEq)]
enum Version {
    Two,
    Four,
}

/// Reads the points and elements.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let mut cursor = Cursor::new(bytes);
    let (version, encoding) = read_header(&mut cursor)?;
    let mut soup = Soup::default();
    let mut tags = Tags::default();
    while let Some(word) = cursor.word() {
        let name = match word.strip_prefix(b"$").map(std::str::from_utf8) {
            Some(Ok(name)) => name,
            _ => {
                let (place, found) = (cursor.place_before(), quoted(word));
                let expected = "a section such as $Nodes or $Elements";
                return Err(MeshFileProblem::malformed(place, expected, &found));
            }
        };
        match (name, version) {
            ("Nodes", Version::Two) => nodes_2(&mut cursor, encoding, &mut soup, &mut tags)?,
            ("Nodes", Version::Four) => nodes_4(&mut cursor, encoding, &mut soup, &mut tags)?,
            ("Elements", Version::Two) => elements_2(&mut cursor, encoding, &mut soup, &tags)?,
            ("Elements", Version::Four) => elements_4(&mut cursor, encoding, &mut soup, &tags)?,
            _ => {
                cursor.skip_past(&format!("$End{name}"))?;
                continue;
            }
        }
        cursor.set_encoding(Encoding::Text);
        cursor.keyword(&format!("$End{name}"))?;
    }
    Ok(soup)
}

fn read_header(cursor: &mut Cursor<'_>) -> Result<(Version, Encoding), MeshFileProblem> {
    cursor.keyword("$MeshFormat")?;
    let number = cursor.real("a version number")?;
    let version = match number {
        2.0..3.0 => Version::Two,
        4.1 => Version::Four,
        _ => {
            return Err(MeshFileProblem::Unsupported {
                place: cursor.place_before(),
                what: format!("MSH version {number}"),
                advice: "save the mesh as version 2.2 or 4.1 (Mesh.MshFileVersion in Gmsh)",
            });
        }
    };
    let binary = cursor.parsed("file type 0 (text) or 1 (binary)", |word| match word {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    })?;
    cursor.parsed("data size 8", |word| (word == "8").then_some(()))?;
    let mut encoding = Encoding::Text;
    if binary {
        cursor.line();
        let place = cursor.place();
        encoding = match cursor.take::<4>("the number 1 in 4 bytes")? {
            [1, 0, 0, 0] => Encoding::Binary(Endian::Little),
            [0, 0, 0, 1] => Encoding::Binary(Endian::Big),
            other => {
                let (expected, found) = ("the number 1 in 4 bytes", format!("{other:?}"));
                return Err(MeshFileProblem::malformed(place, expected, &found));
            }
        };
    }
    cursor.keyword("$EndMeshFormat")?;
    Ok((version, encoding))
}

#[cfg(test)]
mod tests {
    use crate::Cells;
    use crate::files::{Format, read_surface_from_bytes, read_volume_from_bytes};

    const OLD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n\
        $Nodes\n5\n1 0 0 0\n2 1 0 0\n4 0 1 0\n8 0 0 1\n9 7 7 7\n$EndNodes\n\
        $Elements\n3\n1 15 2 0 1 1\n2 2 2 0 1 1 4 2\n3 4 2 1 1 1 2 4 8\n$EndElements\n";

    const NEW: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n\
        $Nodes\n2 4 1 8\n2 1 1 1\n1\n0 0 0 0.5 0.5\n3 1 0 3\n2\n4\n8\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
        $Elements\n2 2 1 2\n2 1 2 1\n1 1 4 2\n3 1 4 1\n2 1 2 4 8\n$EndElements\n";

    fn error(text: &str) -> String {
        read_volume_from_bytes(text.as_bytes(), Format::Msh).unwrap_err().to_string()
    }

    #[test]
    fn both_versions_give_the_same_mesh_and_drop_unused_nodes() {
        let old = read_volume_from_bytes(OLD.as_bytes(), Format::Msh).unwrap();
        let new = read_volume_from_bytes(NEW.as_bytes(), Format::Msh).unwrap();
        assert_eq!(old, new);
        assert_eq!((old.nodes.len(), &old.cells), (4, &Cells::Tet4(vec![[0, 1, 2, 3]])));
        let surface = read_surface_from_bytes(NEW.as_bytes(), Format::Msh).unwrap();
        assert_eq!(surface.triangles, [[0, 2, 1]]);
    }

    /// Gmsh numbers the midpoints 01 12 20 03 23 13; ours are 01 12 20 03 13 23, and each must lie on its edge.
    #[test]
    fn ten_node_tetrahedra_are_reordered() {
        let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n\
            5 1 0 0\n6 1 1 0\n7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n$EndNodes\n\
            $Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
        let mesh = read_volume_from_bytes(text.as_bytes(), Format::Msh).unwrap();
        let Cells::Tet10(cells) = &mesh.cells else { panic!("not tet10") };
        let at = |i: usize| mesh.nodes[cells[0][i] as usize];
        for (middle, [a, b]) in [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]].iter().enumerate()
        {
            assert_eq!(at(4 + middle), (at(*a) + at(*b)) * 0.5, "midpoint {middle}");
        }
    }

    #[test]
    fn binary_of_both_versions_is_read() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let expected = read_volume_from_bytes(OLD.as_bytes(), Format::Msh).unwrap();
        let mut old = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n4\n".to_vec();
        let ints = |list: &[i32]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
        let sizes = |list: &[u64]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
        for (tag, corner) in (1..).zip(corners) {
            old.extend(ints(&[tag]));
            old.extend(corner.iter().flat_map(|v: &f64| v.to_le_bytes()));
        }
        old.extend(b"\n$EndNodes\n$Elements\n1\n");
        old.extend(ints(&[4, 1, 2, 1, 0, 1, 1, 2, 3, 4]));
        old.extend(b"\n$EndElements\n");
        assert_eq!(read_volume_from_bytes(&old, Format::Msh).unwrap(), expected);

        let mut new = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_vec();
        new.extend(sizes(&[1, 4, 1, 4]));
        new.extend(ints(&[3, -1, 0]));
        new.extend(sizes(&[4, 1, 2, 3, 4]));
        new.extend(corners.as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        new.extend(b"\n$EndNodes\n$Elements\n");
        new.extend(sizes(&[1, 1, 1, 1]));
        new.extend(ints(&[3, 1, 4]));
        new.extend(sizes(&[1, 7, 1, 2, 3, 4]));
        new.extend(b"\n$EndElements\n");
        assert_eq!(read_volume_from_bytes(&new, Format::Msh).unwrap(), expected);
        let cut = read_volume_from_bytes(&new[..120], Format::Msh).unwrap_err().to_string();
        assert!(cut.contains("byte 119:"), "{cut}");
    }

    #[test]
    fn each_fault_names_its_line() {
        for (from, to, expected) in [
            ("$MeshFormat", "$Mesh", "line 1: expected $MeshFormat"),
            ("2.2 0", "3.0 0", "line 2: MSH version 3 is not supported"),
            ("2.2 0 8", "2.2 5 8", "line 2: expected file type"),
            ("4 0 1 0", "4 0 nan 0", "line 12: expected a finite coordinate"),
            ("4 0 1 0", "2 0 1 0", "line 12: expected a new node number"),
            ("1 2 4 8\n", "1 2 4 3\n", "line 20: expected a number from $Nodes"),
            ("3 4 2 1", "3 6 2 1", "line 20: Gmsh element type 6 is not supported"),
            ("$Nodes\n5", "$Nodes\n-5", "line 9: expected the number of nodes"),
            ("$Nodes\n5", "$Nodes\n4", "line 14: expected $EndNodes"),
            ("$EndPhysicalNames", "$EndPhysical", "expected $EndPhysicalNames, found the end"),
            (
                "$Elements\n3",
                "$Elements\n18446744073709551615",
                "line 21: expected an element number",
            ),
            ("$EndElements\n", "", "line 20: expected $EndElements, found the end"),
            ("1 2 4 8\n", "2 1 4 8\n", "is inverted"),
        ] {
            let message = error(&OLD.replacen(from, to, 1));
            assert!(message.contains(expected), "{to}: {message}");
        }
    }

    #[test]
    fn a_surface_is_no_volume() {
        let text = OLD.replace("3 4 2 1 1 1 2 4 8", "3 2 2 1 1 1 2 8");
        assert!(error(&text).contains("holds no volume mesh"));
    }
}

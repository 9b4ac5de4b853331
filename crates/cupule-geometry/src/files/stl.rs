//! STL, text and binary. Each triangle repeats its corners: they are welded where they are exactly equal, which is how
//! every exporter writes shared corners. Corners that differ in the last digit stay apart and the surface stays open.

use std::collections::HashMap;

use super::bytes::{Cursor, Encoding, Endian};
use super::error::{MeshFileProblem, Place};
use super::soup::{Kind, Soup};
use crate::DVec3;

const HEADER: usize = 80;
const TRIANGLE: usize = 50;

/// Reads either kind: binary when the size fits the count after the header, or when it does not start as text.
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let count = bytes.get(HEADER..).and_then(|rest| rest.first_chunk::<4>());
    let count = count.map(|chunk| Endian::Little.u32(*chunk) as usize);
    let fits = count.is_some_and(|count| bytes.len() == HEADER + 4 + TRIANGLE * count);
    let text = bytes.trim_ascii_start();
    if !fits && text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        return read_text(bytes);
    }
    read_binary(bytes)
}

/// Points welded by exact equality; -0 equals 0.
#[derive(Default)]
struct Welder {
    soup: Soup,
    known: HashMap<[u64; 3], u32>,
}

impl Welder {
    fn add(&mut self, corners: [DVec3; 3]) {
        let nodes = corners.map(|corner| {
            let next = self.soup.points.len() as u32;
            // Adding zero turns -0 into +0, so that equal numbers have equal bits.
            let key = corner.to_array().map(|value| (value + 0.0).to_bits());
            let node = *self.known.entry(key).or_insert(next);
            if node == next {
                self.soup.points.push(corner);
            }
            node
        });
        self.soup.push(Kind::Polygon, nodes);
    }
}

fn read_text(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let mut cursor = Cursor::new(bytes);
    let mut welder = Welder::default();
    while cursor.peek().is_some() {
        cursor.keyword("solid")?;
        cursor.line();
        while read_facet(&mut cursor, &mut welder)? {}
        // The name after "endsolid" is optional and may have several words.
        cursor.line();
    }
    Ok(welder.soup)
}

/// Reads one facet, or "endsolid": then there are no more.
fn read_facet(cursor: &mut Cursor<'_>, welder: &mut Welder) -> Result<bool, MeshFileProblem> {
    let more = cursor.parsed("\"facet\" or \"endsolid\"", |word| {
        match word.to_ascii_lowercase().as_str() {
            "facet" => Some(true),
            "endsolid" => Some(false),
            _ => None,
        }
    })?;
    if !more {
        return Ok(false);
    }
    cursor.keyword("normal")?;
    for _ in 0..3 {
        // Normals are not used, and some exporters write "nan" for them.
        cursor.parsed("a normal", |word| word.parse::<f64>().ok())?;
    }
    cursor.keyword("outer")?;
    cursor.keyword("loop")?;
    let mut corners = [DVec3::ZERO; 3];
    for corner in &mut corners {
        cursor.keyword("vertex")?;
        let mut next = || cursor.real("a finite coordinate");
        *corner = DVec3::new(next()?, next()?, next()?);
    }
    cursor.keyword("endloop")?;
    cursor.keyword("endfacet")?;
    welder.add(corners);
    Ok(true)
}

fn read_binary(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let mut cursor = Cursor::new(bytes);
    cursor.set_encoding(Encoding::Binary(Endian::Little));
    cursor.take::<HEADER>("a binary STL header of 80 bytes, or text that starts with \"solid\"")?;
    let count = cursor.index("the number of triangles")?;
    let mut welder = Welder::default();
    for index in 0..count {
        let expected = format!("triangle {index} of {count}, 50 bytes");
        let record: [u8; TRIANGLE] = cursor.take(&expected)?;
        // Twelve floats: normal, then three corners; two bytes of attributes end the record.
        let mut floats = record[12..48].as_chunks::<4>().0.iter();
        let mut next = || floats.next().map_or(f64::NAN, |&c| f64::from(Endian::Little.f32(c)));
        let corners = [(); 3].map(|()| DVec3::new(next(), next(), next()));
        if corners.iter().any(|corner| !corner.is_finite()) {
            let place = Place::Item("triangle", index);
            return Err(MeshFileProblem::malformed(place, "finite coordinates", "nan or inf"));
        }
        welder.add(corners);
    }
    Ok(welder.soup)
}

#[cfg(test)]
mod tests {
    use crate::DVec3;
    use crate::files::{Format, read_surface_from_bytes};

    const TWO: &str = "solid two words\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   \
        vertex 1 1 0\n  endloop\n endfacet\n facet normal nan 0 1\n  outer loop\n   vertex -0 0 0\n   \
        vertex 1 1 0\n   vertex 0 1e0 0\n  endloop\n endfacet\nendsolid two words\n";

    fn error(bytes: &[u8]) -> String {
        read_surface_from_bytes(bytes, Format::Stl).unwrap_err().to_string()
    }

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn text_corners_are_welded() {
        let mesh = read_surface_from_bytes(TWO.as_bytes(), Format::Stl).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.vertices[3], DVec3::new(0.0, 1.0, 0.0));
    }

    #[test]
    fn binary_is_known_by_its_size_even_when_it_starts_with_solid() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0]];
        let mesh = read_surface_from_bytes(&binary(&[corners]), Format::Stl).unwrap();
        assert_eq!(mesh.vertices[2].y, 0.5);
    }

    #[test]
    fn faults_of_text_name_the_line() {
        for (from, to, line) in [
            ("vertex 1 0 0", "vertex 1 inf 0", 5),
            ("vertex 1 0 0", "vertez 1 0 0", 5),
            ("endloop", "endlop", 7),
            ("facet normal 0", "facet abnormal 0", 2),
            ("endsolid", "endsolit", 16),
        ] {
            let message = error(TWO.replacen(from, to, 1).as_bytes());
            assert!(message.contains(&format!("line {line}:")), "{to}: {message}");
        }
        let cut = TWO.find("endloop").unwrap();
        assert!(
            error(&TWO.as_bytes()[..cut])
                .contains("line 7: expected endloop, found the end of the file")
        );
    }

    #[test]
    fn faults_of_binary_name_the_byte_or_triangle() {
        let corners = [[0.0, 0.0, 0.0], [1.0, f32::NAN, 0.0], [0.0, 0.5, 0.0]];
        assert!(error(&binary(&[corners])).contains("triangle 0:"));
        let mut hostile = binary(&[]);
        hostile[0] = b'x';
        hostile[80..84].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
        assert!(error(&hostile).contains("triangle 0 of 2147483647"), "{}", error(&hostile));
        assert!(error(b"PK\x03").contains("byte 2: expected a binary STL header"));
    }
}

//! Wavefront OBJ: `v` and `f` lines; everything else (normals, textures, groups, curves) is passed over.

use super::bytes::{finite, quoted};
use super::error::{MeshFileProblem, Place};
use super::soup::{Kind, Soup};
use crate::DVec3;

/// Reads the vertices and faces. Faces may name vertices from the start (1, 2, ...) or back from the last (-1, ...).
pub(super) fn read(bytes: &[u8]) -> Result<Soup, MeshFileProblem> {
    let mut soup = Soup::default();
    let mut largest = (0, Place::Line(1));
    let mut lines = bytes.split(|&byte| byte == b'\n').enumerate();
    while let Some((index, line)) = lines.next() {
        let place = Place::Line(index + 1);
        let mut whole = without_comment(line).to_vec();
        // A backslash at the end continues the statement on the next line.
        while whole.last() == Some(&b'\\') {
            whole.pop();
            let Some((_, more)) = lines.next() else { break };
            whole.extend(without_comment(more));
        }
        let mut words = whole.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => soup.points.push(vertex(words, place)?),
            Some(b"f") => {
                let face = face(words, soup.points.len(), place)?;
                let last = face.iter().copied().max().unwrap_or(0);
                largest = if last as usize >= largest.0 { (last as usize, place) } else { largest };
                soup.push(Kind::Polygon, face);
            }
            _ => {}
        }
    }
    let (last, place) = largest;
    if soup.points.is_empty() || last < soup.points.len() {
        return Ok(soup);
    }
    let expected =
        format!("vertex numbers of at most {} (as many as there are)", soup.points.len());
    Err(MeshFileProblem::malformed(place, expected, &(last + 1).to_string()))
}

fn without_comment(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    line[..end].trim_ascii_end()
}

fn vertex<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    place: Place,
) -> Result<DVec3, MeshFileProblem> {
    let mut next = || {
        let expected = "three finite coordinates after \"v\"";
        let Some(word) = words.next() else {
            return Err(MeshFileProblem::malformed(place, expected, "the end of the line"));
        };
        let value = std::str::from_utf8(word).ok().and_then(finite);
        value.ok_or_else(|| MeshFileProblem::malformed(place, expected, &quoted(word)))
    };
    Ok(DVec3::new(next()?, next()?, next()?))
}

fn face<'a>(
    words: impl Iterator<Item = &'a [u8]>,
    known: usize,
    place: Place,
) -> Result<Vec<u32>, MeshFileProblem> {
    let expected = "vertex numbers such as 7, 7/1, 7//2 or -1 after \"f\"";
    let corners: Vec<u32> = words
        .map(|word| {
            corner(word, known)
                .ok_or_else(|| MeshFileProblem::malformed(place, expected, &quoted(word)))
        })
        .collect::<Result<_, _>>()?;
    if corners.len() < 3 {
        let found = format!("{} corners", corners.len());
        return Err(MeshFileProblem::malformed(place, "a face of at least 3 corners", &found));
    }
    Ok(corners)
}

/// The index, from 0, that a face corner such as `7/1/3` or `-1` names when `known` vertices came before it.
fn corner(word: &[u8], known: usize) -> Option<u32> {
    let number = word.split(|&byte| byte == b'/').next()?;
    let number: i64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    let index =
        if number > 0 { number - 1 } else { i64::try_from(known).ok()?.checked_add(number)? };
    if number == 0 { None } else { u32::try_from(index).ok() }
}

#[cfg(test)]
mod tests {
    use crate::files::{Format, read_surface_from_bytes};

    const HOUSE: &str = "# a comment\no house\nv 0 0 0\nv 1 0 0\nv 1 1 0 # roof\nv 0 1 0\nv 0.5 2 0\n\
        vn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf -3//1 \\\n -1//1 -2//1\n";

    fn error(text: &str) -> String {
        read_surface_from_bytes(text.as_bytes(), Format::Obj).unwrap_err().to_string()
    }

    #[test]
    fn quads_are_cut_and_negative_numbers_count_back() {
        let mesh = read_surface_from_bytes(HOUSE.as_bytes(), Format::Obj).unwrap();
        assert_eq!(mesh.vertices.len(), 5);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [2, 4, 3]]);
    }

    #[test]
    fn each_fault_names_its_line() {
        let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
        for (tail, line) in [
            ("v 1 nan 0\n", 4),
            ("v 1 2\n", 4),
            ("v 1 2 x\n", 4),
            ("f 1 2\n", 4),
            ("f 1 2 0\n", 4),
            ("f 1 2 -4\n", 4),
            ("f 1 2 3\nf 1 2 9\n", 5),
            ("f 1 2 99999999999999999999\n", 4),
            ("\nf 1 2 \u{fffd}\n", 5),
        ] {
            let message = error(&format!("{square}{tail}"));
            assert!(message.contains(&format!("line {line}:")), "{tail:?}: {message}");
        }
    }

    #[test]
    fn a_file_without_faces_says_what_it_has() {
        assert!(error("v 0 0 0\n").contains("1 points, 0 faces"));
        assert!(error("").contains("holds no surface"));
    }

    #[test]
    fn a_degenerate_face_is_refused() {
        assert!(error("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").contains("degenerate"));
    }
}

//! The `$Nodes` and `$Elements` sections of Gmsh MSH 2.2 and 4.1. The same code reads text and binary numbers.

use std::collections::HashMap;

use super::bytes::{Cursor, Encoding};
use super::error::MeshFileProblem;
use super::soup::{Kind, Soup};
use crate::DVec3;

/// Node numbers of the file (any positive numbers) to indices of points.
pub(super) type Tags = HashMap<usize, u32>;

/// Nodes of version 2.2: a count, then number and coordinates of each.
pub(super) fn nodes_2(
    cursor: &mut Cursor<'_>,
    encoding: Encoding,
    soup: &mut Soup,
    tags: &mut Tags,
) -> Result<(), MeshFileProblem> {
    let count = cursor.index("the number of nodes")?;
    start_binary(cursor, encoding);
    for _ in 0..count {
        let tag = cursor.index("a node number")?;
        let point = point(cursor)?;
        add_node(cursor, soup, tags, tag, point)?;
    }
    Ok(())
}

/// Nodes of version 4.1: blocks by entity, in each all numbers first and then all coordinates.
pub(super) fn nodes_4(
    cursor: &mut Cursor<'_>,
    encoding: Encoding,
    soup: &mut Soup,
    tags: &mut Tags,
) -> Result<(), MeshFileProblem> {
    start_binary(cursor, encoding);
    let blocks = cursor.wide_index("the number of node blocks")?;
    for expected in ["the number of nodes", "the smallest node number", "the largest node number"] {
        cursor.wide_index(expected)?;
    }
    for _ in 0..blocks {
        let dimension = cursor.index("the dimension of an entity")?;
        entity(cursor)?;
        let parametric = cursor.index("0 or 1 (parametric)")?;
        let count = cursor.wide_index("the number of nodes of a block")?;
        let mut numbers = Vec::with_capacity(cursor.at_most(count));
        for _ in 0..count {
            numbers.push(cursor.wide_index("a node number")?);
        }
        for tag in numbers {
            let point = point(cursor)?;
            // Parametric nodes carry as many more coordinates as their entity has dimensions.
            for _ in 0..if parametric == 0 { 0 } else { dimension.min(3) } {
                cursor.real("a parametric coordinate")?;
            }
            add_node(cursor, soup, tags, tag, point)?;
        }
    }
    Ok(())
}

/// Elements of version 2.2. In text each has its own type and tag count; in binary a header serves many.
pub(super) fn elements_2(
    cursor: &mut Cursor<'_>,
    encoding: Encoding,
    soup: &mut Soup,
    tags: &Tags,
) -> Result<(), MeshFileProblem> {
    let count = cursor.index("the number of elements")?;
    start_binary(cursor, encoding);
    let mut done = 0;
    while done < count {
        let in_text = encoding == Encoding::Text;
        if in_text {
            cursor.index("an element number")?;
        }
        let (kind, nodes) = element_type(cursor)?;
        let followers = if in_text { 1 } else { cursor.index("the number of elements")? };
        let tag_count = cursor.index("the number of tags")?;
        for _ in 0..followers {
            if !in_text {
                cursor.index("an element number")?;
            }
            for _ in 0..tag_count {
                entity(cursor)?;
            }
            element(cursor, soup, tags, kind, nodes, Cursor::index)?;
        }
        done = done.saturating_add(followers);
    }
    Ok(())
}

/// Elements of version 4.1: blocks of one type.
pub(super) fn elements_4(
    cursor: &mut Cursor<'_>,
    encoding: Encoding,
    soup: &mut Soup,
    tags: &Tags,
) -> Result<(), MeshFileProblem> {
    start_binary(cursor, encoding);
    let blocks = cursor.wide_index("the number of element blocks")?;
    for expected in ["the number of elements", "the smallest element", "the largest element"] {
        cursor.wide_index(expected)?;
    }
    for _ in 0..blocks {
        cursor.index("the dimension of an entity")?;
        entity(cursor)?;
        let (kind, nodes) = element_type(cursor)?;
        let count = cursor.wide_index("the number of elements of a block")?;
        for _ in 0..count {
            cursor.wide_index("an element number")?;
            element(cursor, soup, tags, kind, nodes, Cursor::wide_index)?;
        }
    }
    Ok(())
}

fn start_binary(cursor: &mut Cursor<'_>, encoding: Encoding) {
    if encoding != Encoding::Text {
        cursor.line();
        cursor.set_encoding(encoding);
    }
}

fn point(cursor: &mut Cursor<'_>) -> Result<DVec3, MeshFileProblem> {
    let mut next = || cursor.real("a finite coordinate");
    Ok(DVec3::new(next()?, next()?, next()?))
}

/// A tag of an entity, which may be negative: read and dropped.
fn entity(cursor: &mut Cursor<'_>) -> Result<(), MeshFileProblem> {
    match cursor.encoding() {
        Encoding::Text => cursor.parsed("an entity number", |word| word.parse::<i64>().ok())?,
        Encoding::Binary(_) => i64::from(cursor.take::<4>("an entity number")?[0]),
    };
    Ok(())
}

fn add_node(
    cursor: &Cursor<'_>,
    soup: &mut Soup,
    tags: &mut Tags,
    tag: usize,
    point: DVec3,
) -> Result<(), MeshFileProblem> {
    if tags.insert(tag, soup.points.len() as u32).is_some() {
        let found = format!("node {tag} a second time");
        return Err(MeshFileProblem::malformed(cursor.place_before(), "a new node number", &found));
    }
    soup.points.push(point);
    Ok(())
}

/// Reads a Gmsh element type: its kind and number of nodes.
fn element_type(cursor: &mut Cursor<'_>) -> Result<(Kind, usize), MeshFileProblem> {
    let number = cursor.index("an element type")?;
    Ok(match number {
        15 => (Kind::Thin, 1),
        1 => (Kind::Thin, 2),
        8 => (Kind::Thin, 3),
        2 => (Kind::Polygon, 3),
        3 => (Kind::Polygon, 4),
        9 => (Kind::Triangle6, 6),
        4 => (Kind::Tet4, 4),
        5 => (Kind::Hex8, 8),
        11 => (Kind::Tet10, 10),
        _ => {
            return Err(MeshFileProblem::Unsupported {
                place: cursor.place_before(),
                what: format!("Gmsh element type {number}"),
                advice: "use triangles, quads, 4- or 10-node tetrahedra or 8-node hexahedra",
            });
        }
    })
}

fn element<'a>(
    cursor: &mut Cursor<'a>,
    soup: &mut Soup,
    tags: &Tags,
    kind: Kind,
    count: usize,
    read: impl Fn(&mut Cursor<'a>, &str) -> Result<usize, MeshFileProblem>,
) -> Result<(), MeshFileProblem> {
    let mut nodes = [0; 10];
    for node in &mut nodes[..count] {
        let tag = read(cursor, "a node number")?;
        *node = *tags.get(&tag).ok_or_else(|| {
            let (place, found) = (cursor.place_before(), format!("node {tag}, which is not there"));
            MeshFileProblem::malformed(place, "a number from $Nodes", &found)
        })?;
    }
    if kind == Kind::Tet10 {
        // Gmsh puts the midpoint of edge 23 before that of edge 13; VTK the other way round.
        nodes.swap(8, 9);
    }
    soup.push(kind, nodes[..count].iter().copied());
    Ok(())
}

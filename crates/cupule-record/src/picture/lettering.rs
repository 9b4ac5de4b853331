//! Letters for the little text in pictures: dots on a grid, so that no font has to be shipped and read.

/// Rows of dots of a character; the last is below the line.
pub const ROWS: usize = 8;
/// Columns of dots of a character on its sheet, with the blank one after it.
const CELL: usize = 6;
/// Columns between characters.
const GAP: usize = 1;
/// Columns of a space, and of what has no dots.
const BLANK: usize = 3;

/// Characters, and their dots side by side.
const SHEETS: [(&str, [&str; ROWS]); 6] = [
    (
        "ABCDEFGHIJKLM",
        [
            "..#.. ####. .###. ###.. ##### ##### .###. #...# .###. ..### #...# #.... #...#",
            ".#.#. #...# #...# #..#. #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.##",
            "#...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.#",
            "#...# ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.#",
            "##### #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...#",
            "#...# #...# #...# #..#. #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...#",
            "#...# ####. .###. ###.. ##### #.... .#### #...# .###. .##.. #...# ##### #...#",
            "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
        ],
    ),
    (
        "NOPQRSTUVWXYZ",
        [
            "#...# .###. ####. .###. ####. .###. ##### #...# #...# #...# #...# #...# #####",
            "#...# #...# #...# #...# #...# #...# ..#.. #...# #...# #...# #...# #...# ....#",
            "##..# #...# #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. #...# ...#.",
            "#.#.# #...# ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#.. .#.#. ..#..",
            "#..## #...# #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#. ..#.. .#...",
            "#...# #...# #.... #..#. #..#. #...# ..#.. #...# .#.#. #.#.# #...# ..#.. #....",
            "#...# .###. #.... .##.# #...# .###. ..#.. .###. ..#.. .#.#. #...# ..#.. #####",
            "..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
        ],
    ),
    (
        "abcdefghijklm",
        [
            "..... #.... ..... ....# ..... ...#. ..... #.... ..#.. ...#. #.... ..#.. .....",
            "..... #.... ..... ....# ..... ..#.# ..... #.... ..... ..... #.... ..#.. .....",
            ".###. #.##. .###. .##.# .###. ..#.. .#### #.##. ..#.. ...#. #..#. ..#.. ##.#.",
            "....# ##..# #...# #..## #...# .###. #...# ##..# ..#.. ...#. #.#.. ..#.. #.#.#",
            ".#### #...# #.... #...# ##### ..#.. #...# #...# ..#.. ...#. ##... ..#.. #.#.#",
            "#...# #...# #...# #...# #.... ..#.. .#### #...# ..#.. ...#. #.#.. ..#.. #.#.#",
            ".#### ####. .###. .#### .###. ..#.. ....# #...# ..#.. ...#. #..#. ..#.. #.#.#",
            "..... ..... ..... ..... ..... ..... .###. ..... ..... .##.. ..... ..... .....",
        ],
    ),
    (
        "nopqrstuvwxyz",
        [
            "..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....",
            "..... ..... ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... .....",
            "#.##. .###. ####. .#### #.##. .#### ####. #...# #...# #...# #...# #...# #####",
            "##..# #...# #...# #...# ##... #.... .#... #...# #...# #...# .#.#. #...# ...#.",
            "#...# #...# #...# #...# #.... .###. .#... #...# #...# #.#.# ..#.. #...# ..#..",
            "#...# #...# ####. .#### #.... ....# .#... #..## .#.#. #.#.# .#.#. .#### .#...",
            "#...# .###. #.... ....# #.... ####. ..##. .##.# ..#.. .#.#. #...# ....# #####",
            "..... ..... #.... ....# ..... ..... ..... ..... ..... ..... ..... .###. .....",
        ],
    ),
    (
        "0123456789",
        [
            ".###. ..#.. .###. .###. ...#. ##### ..##. ##### .###. .###.",
            "#...# .##.. #...# #...# ..##. #.... .#... ....# #...# #...#",
            "#...# ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#",
            "#...# ..#.. ..##. ..##. #..#. ....# ####. ..#.. .###. .####",
            "#...# ..#.. .#... ....# ##### ....# #...# .#... #...# ....#",
            "#...# ..#.. #.... #...# ...#. #...# #...# .#... #...# ...#.",
            ".###. .###. ##### .###. ...#. .###. .###. .#... .###. .##..",
            "..... ..... ..... ..... ..... ..... ..... ..... ..... .....",
        ],
    ),
    (
        "+-.,()/%",
        [
            "..... ..... ..... ..... ...#. .#... ..... ##...",
            "..#.. ..... ..... ..... ..#.. ..#.. ....# ##..#",
            "..#.. ..... ..... ..... .#... ...#. ...#. ...#.",
            "##### ####. ..... ..... .#... ...#. ..#.. ..#..",
            "..#.. ..... ..... ..... .#... ...#. .#... .#...",
            "..#.. ..... .##.. ..#.. ..#.. ..#.. #.... #..##",
            "..... ..... .##.. ..#.. ...#. .#... ..... ...##",
            "..... ..... ..... .#... ..... ..... ..... .....",
        ],
    ),
];

/// A character.
struct Glyph {
    dots: Vec<[usize; 2]>,
    columns: usize,
}

/// The dots of a text, each as column and row, and how many columns it takes.
pub fn text(text: &str) -> (Vec<[usize; 2]>, usize) {
    let (mut dots, mut end) = (Vec::new(), 0);
    for character in text.chars() {
        let glyph = glyph(character);
        dots.extend(glyph.dots.iter().map(|[column, row]| [end + column, *row]));
        end += glyph.columns + GAP;
    }
    (dots, end.saturating_sub(GAP))
}

/// A character without the blank columns beside it.
fn glyph(character: char) -> Glyph {
    let dots = SHEETS.iter().find_map(|(characters, rows)| {
        let place = characters.chars().position(|known| known == character)?;
        Some(dots(rows, place * CELL))
    });
    let dots = dots.unwrap_or_default();
    let columns = || dots.iter().map(|dot| dot[0]);
    let Some((first, last)) = columns().min().zip(columns().max()) else {
        return Glyph { dots, columns: BLANK };
    };
    let shifted = dots.iter().map(|[column, row]| [column - first, *row]).collect();
    Glyph { dots: shifted, columns: last - first + 1 }
}

/// The dots of the cell that begins at a column of a sheet.
fn dots(rows: &[&str; ROWS], start: usize) -> Vec<[usize; 2]> {
    let is_dot = |[column, row]: &[usize; 2]| {
        rows[*row].as_bytes().get(start + column).is_some_and(|sign| *sign == b'#')
    };
    let cell = (0..ROWS).flat_map(|row| (0..CELL).map(move |column| [column, row]));
    cell.filter(is_dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_dots_of_its_own() {
        let all: Vec<char> = SHEETS.iter().flat_map(|(characters, _)| characters.chars()).collect();
        for (index, character) in all.iter().enumerate() {
            let (dots, width) = text(&character.to_string());
            assert!(!dots.is_empty() && width < CELL, "{character}");
            let same = all[..index].iter().find(|other| text(&other.to_string()).0 == dots);
            assert!(same.is_none() || "0O".contains(*character), "{character} is {same:?}");
        }
    }

    #[test]
    fn texts_grow_by_their_characters() {
        let [(_, one), (_, two)] = ["i", "ii"].map(text);
        assert_eq!((one, two), (1, 3));
        assert_eq!(text("").1, 0);
        assert_eq!(text("a b").1, text("ab").1 + BLANK + GAP);
    }
}

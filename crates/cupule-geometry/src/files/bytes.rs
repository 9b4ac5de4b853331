//! A cursor over the bytes of a mesh file that reads words, lines and binary numbers and knows where it is.

use super::error::{MeshFileProblem, Place};

/// Byte order of binary numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary(Endian),
}

/// A position in the bytes of a file.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    encoding: Encoding,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0, encoding: Encoding::Text }
    }

    /// Numbers read from here on are in this encoding.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// An upper bound on how many items the rest of the file can hold: what a count in the file may reserve.
    pub fn at_most(&self, count: usize) -> usize {
        count.min(self.bytes.len() - self.position)
    }

    /// The place of a byte: its line in a text file, itself in a binary one.
    fn place_of(&self, position: usize) -> Place {
        match self.encoding {
            Encoding::Text => Place::Line(1 + count_newlines(&self.bytes[..position])),
            Encoding::Binary(_) => Place::Byte(position),
        }
    }

    /// The place of the next word (or byte, in binary).
    pub fn place(&self) -> Place {
        let mut ahead = self.clone();
        if ahead.encoding == Encoding::Text {
            ahead.skip_space();
        }
        self.place_of(ahead.position)
    }

    /// The place of the last byte consumed: for errors about what has just been read.
    pub fn place_before(&self) -> Place {
        self.place_of(self.position.saturating_sub(1))
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.position).is_some_and(u8::is_ascii_whitespace) {
            self.position += 1;
        }
    }

    /// The next word, or `None` at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.position += length;
        (length > 0).then_some(&rest[..length])
    }

    /// The next word without moving on.
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.clone().word()
    }

    /// The rest of this line, without its end; `None` at the end of the file.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.position..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.position += (length + 1).min(rest.len());
        Some(rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]))
    }

    /// Moves past the next occurrence of `mark`.
    pub fn skip_past(&mut self, mark: &str) -> Result<(), MeshFileProblem> {
        let rest = &self.bytes[self.position..];
        let found = rest.windows(mark.len()).position(|window| window == mark.as_bytes());
        let Some(offset) = found else {
            let place = self.place_of(self.bytes.len());
            return Err(MeshFileProblem::malformed(place, mark, "the end of the file"));
        };
        self.position += offset + mark.len();
        Ok(())
    }

    /// The next `N` bytes.
    pub fn take<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], MeshFileProblem> {
        match self.bytes[self.position..].first_chunk::<N>() {
            Some(chunk) => {
                self.position += N;
                Ok(*chunk)
            }
            None => Err(self.ended(expected)),
        }
    }

    /// The error of a file that ends where `expected` should stand.
    pub fn ended(&self, expected: &str) -> MeshFileProblem {
        let place = self.place_of(self.bytes.len().saturating_sub(1));
        MeshFileProblem::malformed(place, expected, "the end of the file")
    }

    /// Reads a word and hands it to `parse`; `expected` is what the error says when that gives `None`.
    pub fn parsed<T>(
        &mut self,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, MeshFileProblem> {
        let Some(word) = self.word() else { return Err(self.ended(expected)) };
        let value = std::str::from_utf8(word).ok().and_then(parse);
        let place = || self.place_of(self.position - word.len());
        value.ok_or_else(|| MeshFileProblem::malformed(place(), expected, &quoted(word)))
    }

    /// Reads the word `mark` itself, in any letter case.
    pub fn keyword(&mut self, mark: &str) -> Result<(), MeshFileProblem> {
        self.parsed(mark, |word| word.eq_ignore_ascii_case(mark).then_some(()))
    }

    /// A finite number, 8 bytes wide in binary.
    pub fn real(&mut self, expected: &str) -> Result<f64, MeshFileProblem> {
        let Encoding::Binary(endian) = self.encoding else {
            return self.parsed(expected, finite);
        };
        let value = endian.f64(self.take(expected)?);
        let place = Place::Byte(self.position - 8);
        let checked = value.is_finite().then_some(value);
        checked.ok_or_else(|| MeshFileProblem::malformed(place, expected, &value.to_string()))
    }

    /// A count or index, 4 bytes wide and signed in binary.
    pub fn index(&mut self, expected: &str) -> Result<usize, MeshFileProblem> {
        let Encoding::Binary(endian) = self.encoding else {
            return self.parsed(expected, |word| word.parse().ok());
        };
        let value = endian.i32(self.take(expected)?);
        let place = Place::Byte(self.position - 4);
        let checked = usize::try_from(value).ok();
        checked.ok_or_else(|| MeshFileProblem::malformed(place, expected, &value.to_string()))
    }

    /// A count or index, 8 bytes wide in binary.
    pub fn wide_index(&mut self, expected: &str) -> Result<usize, MeshFileProblem> {
        let Encoding::Binary(endian) = self.encoding else {
            return self.parsed(expected, |word| word.parse().ok());
        };
        let value = endian.u64(self.take(expected)?);
        let place = Place::Byte(self.position - 8);
        let checked = usize::try_from(value).ok();
        checked.ok_or_else(|| MeshFileProblem::malformed(place, expected, &value.to_string()))
    }
}

impl Endian {
    pub fn f64(self, bytes: [u8; 8]) -> f64 {
        f64::from_bits(self.u64(bytes))
    }

    pub fn f32(self, bytes: [u8; 4]) -> f32 {
        f32::from_bits(self.u32(bytes))
    }

    pub fn u64(self, bytes: [u8; 8]) -> u64 {
        if self == Endian::Little { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) }
    }

    pub fn u32(self, bytes: [u8; 4]) -> u32 {
        if self == Endian::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    pub fn i32(self, bytes: [u8; 4]) -> i32 {
        self.u32(bytes).cast_signed()
    }
}

/// A finite number written as text: the standard parser also takes "nan" and "inf", which no mesh can use.
pub(super) fn finite(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A word as an error message shows it: in quotes, cut short.
pub(super) fn quoted(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(word);
    let short: String = text.chars().take(LONGEST).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{short:?}{dots}")
}

fn count_newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

//! The `DataArray` of VTK XML files: text, base64 or raw, inline or appended, plain or in zlib blocks.
//!
//! Base64 is decoded here because VTK concatenates separately padded pieces, which decoders rightly refuse.

use roxmltree::{Document, Node};

use super::bytes::{Endian, finite, quoted};
use super::error::{MeshFileProblem, Place};

/// How the binary data of a file is written.
pub(super) struct Storage<'a> {
    pub endian: Endian,
    /// Bytes of the integers in front of the data: 4 or 8.
    pub header: usize,
    /// Whether the data is cut into zlib blocks.
    pub compressed: bool,
    /// What follows the underscore of `AppendedData`.
    pub appended: &'a [u8],
    /// Whether the appended data is raw and not base64.
    pub raw: bool,
}

/// The line of a node.
pub(super) fn line(document: &Document<'_>, node: Node<'_, '_>) -> Place {
    Place::Line(document.text_pos_at(node.range().start).row as usize)
}

impl Storage<'_> {
    /// The numbers of a `DataArray`, all finite. Integers are exact up to 2^53, beyond any index that can be used.
    pub fn numbers(
        &self,
        document: &Document<'_>,
        array: Node<'_, '_>,
    ) -> Result<Vec<f64>, MeshFileProblem> {
        let place = line(document, array);
        let wrong =
            |expected: &str, found: &str| MeshFileProblem::malformed(place, expected, found);
        let format = array.attribute("format").unwrap_or("ascii");
        if format.eq_ignore_ascii_case("ascii") {
            return text_numbers(document, array);
        }
        let inline = array.text().unwrap_or_default().trim_ascii().as_bytes();
        let bytes = match format {
            "binary" => self.decode(&Encoded { data: inline, raw: false }),
            "appended" => {
                let offset = array.attribute("offset").and_then(|word| word.parse::<usize>().ok());
                let data = offset.and_then(|offset| self.appended.get(offset..));
                let data = data.ok_or_else(|| {
                    wrong(
                        "an offset inside AppendedData",
                        array.attribute("offset").unwrap_or("none"),
                    )
                })?;
                self.decode(&Encoded { data, raw: self.raw })
            }
            other => return Err(wrong("format ascii, binary or appended", other)),
        };
        let bytes = bytes.map_err(|fault| wrong("a complete data array", fault))?;
        let kind = array.attribute("type").unwrap_or_default();
        let values = typed(&bytes, kind, self.endian)
            .ok_or_else(|| wrong("a type such as Float64 or Int32", kind))?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(wrong("finite numbers", "nan or inf"));
        }
        Ok(values)
    }

    /// The bytes of an array, without the integers in front.
    fn decode(&self, data: &Encoded<'_>) -> Result<Vec<u8>, &'static str> {
        if self.compressed {
            return self.decode_blocks(data);
        }
        let length = self.integers(&data.bytes(self.header)?)[0];
        let end = self.header.checked_add(length).ok_or(SHORT)?;
        Ok(data.bytes(end)?.split_off(self.header))
    }

    /// In front of zlib blocks stand: how many, their size, the size of the last, and their compressed sizes.
    fn decode_blocks(&self, data: &Encoded<'_>) -> Result<Vec<u8>, &'static str> {
        let count = self.integers(&data.bytes(self.header)?)[0];
        let front = count.checked_add(3).and_then(|n| n.checked_mul(self.header)).ok_or(SHORT)?;
        let sizes = self.integers(&data.bytes(front)?);
        let total = sizes[3..].iter().try_fold(front, |sum, &size| sum.checked_add(size));
        let packed = data.bytes(total.ok_or(SHORT)?)?;
        let mut rest = &packed[front..];
        let mut bytes = Vec::new();
        for &size in &sizes[3..] {
            let (block, more) = rest.split_at_checked(size).ok_or(SHORT)?;
            // A block never grows beyond its announced size; the limit keeps a hostile one from filling memory.
            let limit = sizes[1].max(sizes[2]);
            let plain = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(block, limit);
            bytes.extend(plain.map_err(|_| "a zlib block that cannot be unpacked")?);
            rest = more;
        }
        Ok(bytes)
    }

    fn integers(&self, bytes: &[u8]) -> Vec<usize> {
        let wide = |chunk: &[u8]| match *chunk {
            [a, b, c, d] => u64::from(self.endian.u32([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => self.endian.u64([a, b, c, d, e, f, g, h]),
            _ => u64::MAX,
        };
        let whole = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        bytes.chunks_exact(self.header).map(|chunk| whole(wide(chunk))).collect()
    }
}

const SHORT: &str = "data that ends too early";

struct Encoded<'a> {
    data: &'a [u8],
    raw: bool,
}

impl Encoded<'_> {
    /// The first `wanted` bytes of the data.
    fn bytes(&self, wanted: usize) -> Result<Vec<u8>, &'static str> {
        if self.raw {
            return self.data.get(..wanted).map(<[u8]>::to_vec).ok_or(SHORT);
        }
        let mut bytes = Vec::with_capacity(wanted.min(self.data.len()));
        let mut groups = self.data.chunks_exact(4);
        while bytes.len() < wanted {
            let group = groups.next().ok_or(SHORT)?;
            let digits =
                [sextet(group[0])?, sextet(group[1])?, sextet(group[2])?, sextet(group[3])?];
            let value = digits.iter().fold(0_u32, |sum, &digit| sum << 6 | digit);
            let padding = group.iter().filter(|&&byte| byte == b'=').count().min(2);
            bytes.extend(&value.to_be_bytes()[1..4 - padding]);
        }
        bytes.truncate(wanted);
        Ok(bytes)
    }
}

fn sextet(byte: u8) -> Result<u32, &'static str> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        b'=' => 0,
        _ => return Err("a character that is not base64"),
    };
    Ok(u32::from(value))
}

fn text_numbers(document: &Document<'_>, array: Node<'_, '_>) -> Result<Vec<f64>, MeshFileProblem> {
    let Some(text) = array.first_child().filter(Node::is_text) else { return Ok(Vec::new()) };
    let start = text.range().start;
    let raw = &document.input_text()[text.range()];
    let words = raw.split_ascii_whitespace();
    words
        .map(|word| {
            finite(word).ok_or_else(|| {
                let offset = word.as_ptr().addr() - raw.as_ptr().addr();
                let place = Place::Line(document.text_pos_at(start + offset).row as usize);
                MeshFileProblem::malformed(place, "a finite number", &quoted(word.as_bytes()))
            })
        })
        .collect()
}

/// Binary numbers of a VTK type; a rest that is too short for one more is left out.
fn typed(bytes: &[u8], kind: &str, endian: Endian) -> Option<Vec<f64>> {
    let four = || bytes.as_chunks::<4>().0.iter().copied();
    let eight = || bytes.as_chunks::<8>().0.iter().copied();
    let two = || bytes.as_chunks::<2>().0.iter().copied();
    let short = |pair| match endian {
        Endian::Little => u16::from_le_bytes(pair),
        Endian::Big => u16::from_be_bytes(pair),
    };
    Some(match kind {
        "Int8" => bytes.iter().map(|&byte| f64::from(byte.cast_signed())).collect(),
        "UInt8" => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        "Int16" => two().map(|pair| f64::from(short(pair).cast_signed())).collect(),
        "UInt16" => two().map(|pair| f64::from(short(pair))).collect(),
        "Int32" => four().map(|chunk| f64::from(endian.i32(chunk))).collect(),
        "UInt32" => four().map(|chunk| f64::from(endian.u32(chunk))).collect(),
        "Int64" => eight().map(|chunk| endian.u64(chunk).cast_signed() as f64).collect(),
        "UInt64" => eight().map(|chunk| endian.u64(chunk) as f64).collect(),
        "Float32" => four().map(|chunk| f64::from(endian.f32(chunk))).collect(),
        "Float64" => eight().map(|chunk| endian.f64(chunk)).collect(),
        _ => return None,
    })
}

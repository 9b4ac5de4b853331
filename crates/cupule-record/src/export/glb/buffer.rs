//! The binary part of a glTF file and what describes it.

use std::io::{self, Write};

use serde_json::{Value, json};

/// glTF's numbers of component types.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

/// Arrays one after the other, each with its view and accessor.
#[derive(Debug, Default)]
pub struct Buffer {
    /// All arrays; each is a whole number of words, so that the next begins where it must.
    pub bytes: Vec<u8>,
    /// Where they are.
    pub views: Vec<Value>,
    /// What they are.
    pub accessors: Vec<Value>,
}

impl Buffer {
    /// What a view of vertex attributes is for.
    pub const VERTICES: u32 = 34962;
    const TRIANGLES: u32 = 34963;

    /// Times or weights; returns the accessor.
    pub fn scalars(&mut self, values: &[f32]) -> usize {
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let bounds = Some((json!([least]), json!([most])));
        self.add(words(values), (FLOAT, "SCALAR"), values.len(), None, bounds)
    }

    /// Positions, normals, translations.
    pub fn vectors(&mut self, values: &[[f32; 3]], target: Option<u32>) -> usize {
        let bound = |pick: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|axis| values.iter().map(|v| v[axis]).reduce(pick).unwrap_or_default())
        };
        let bounds = Some((json!(bound(f32::min)), json!(bound(f32::max))));
        self.add(words(values.as_flattened()), (FLOAT, "VEC3"), values.len(), target, bounds)
    }

    /// Turns, each x, y, z, w.
    pub fn quaternions(&mut self, values: &[[f32; 4]]) -> usize {
        self.add(words(values.as_flattened()), (FLOAT, "VEC4"), values.len(), None, None)
    }

    /// Corners of triangles.
    pub fn indices(&mut self, values: &[u32]) -> usize {
        let bytes = values.iter().flat_map(|index| index.to_le_bytes()).collect();
        let kind = (UNSIGNED_INT, "SCALAR");
        self.add(bytes, kind, values.len(), Some(Self::TRIANGLES), None)
    }

    fn add(
        &mut self,
        bytes: Vec<u8>,
        (component, kind): (u32, &str),
        count: usize,
        target: Option<u32>,
        bounds: Option<(Value, Value)>,
    ) -> usize {
        let mut view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        let mut accessor = json!({
            "bufferView": self.views.len(), "componentType": component, "type": kind, "count": count,
        });
        if let Some((least, most)) = bounds {
            (accessor["min"], accessor["max"]) = (least, most);
        }
        self.bytes.extend(bytes);
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

fn words(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Writes header, JSON and binary; a file beyond 4 GiB cannot be.
pub fn write_glb(out: &mut impl Write, json: &Value, binary: &[u8]) -> io::Result<()> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let whole = 12 + 8 + text.len() + if binary.is_empty() { 0 } else { 8 + binary.len() };
    let word = |size: usize| {
        let size = u32::try_from(size).map_err(|_| io::Error::other("larger than 4 GiB"));
        size.map(u32::to_le_bytes)
    };
    out.write_all(b"glTF")?;
    out.write_all(&2_u32.to_le_bytes())?;
    out.write_all(&word(whole)?)?;
    out.write_all(&word(text.len())?)?;
    out.write_all(b"JSON")?;
    out.write_all(&text)?;
    if !binary.is_empty() {
        out.write_all(&word(binary.len())?)?;
        out.write_all(b"BIN\0")?;
        out.write_all(binary)?;
    }
    Ok(())
}

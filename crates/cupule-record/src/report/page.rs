//! Puts the data of a run into the built page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Map, Value, json};

use super::FRAMES_PER_BLOCK;
use super::scan::{Grid, Scan, ScannedBody, ScannedLayer};
use super::table::Table;
use crate::frames::LayerKind;
use crate::palette::scale_hex;

/// The built page; see `viewer/README.md` for how it is built.
const TEMPLATE: &str = include_str!("../../assets/report.html");
/// Where the header goes; the build puts each of the two into the page exactly once.
const HEADER_MARK: &str = "{\"cupule\":\"header\"}";
/// Where the binary goes.
const DATA_MARK: &str = "Y3VwdWxlOmRhdGE=";
/// The best ratio for the time: higher levels gain a percent or two and take twice as long.
const LEVEL: u8 = 6;

/// What the header says besides where the sections are.
pub struct Header<'a> {
    /// `summary.json`.
    pub summary: Option<Value>,
    /// `scene.toml`.
    pub scene: String,
    /// Bodies, layers, frames.
    pub scan: &'a Scan,
    /// The series.
    pub table: &'a Table,
}

/// The binary as it grows.
#[derive(Debug, Default)]
pub struct Sections {
    bytes: Vec<u8>,
    named: Map<String, Value>,
    blocks: Vec<Value>,
}

impl Sections {
    /// Packs and adds a section.
    pub fn add(&mut self, name: &str, section: &[u8]) {
        let place = self.append(&deflate(section));
        self.named.insert(name.to_string(), place);
    }

    /// Adds a block of frames that is packed already.
    pub fn add_block(&mut self, packed: &[u8]) {
        let place = self.append(packed);
        self.blocks.push(place);
    }

    fn append(&mut self, packed: &[u8]) -> Value {
        let place = json!([self.bytes.len(), packed.len()]);
        self.bytes.extend_from_slice(packed);
        place
    }
}

/// Packs bytes with raw deflate.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, LEVEL)
}

/// The page with its data.
pub fn fill(header: &Header<'_>, sections: &Sections) -> Vec<u8> {
    // `<` could end the script element or begin a comment; within JSON it only occurs in texts.
    let header = header.json(sections).to_string().replace('<', "\\u003c");
    let (before, rest) = TEMPLATE.split_once(HEADER_MARK).unwrap_or((TEMPLATE, ""));
    let (between, after) = rest.split_once(DATA_MARK).unwrap_or((rest, ""));
    let data = STANDARD.encode(&sections.bytes);
    [before, &header, between, &data, after].concat().into_bytes()
}

impl Header<'_> {
    fn json(&self, sections: &Sections) -> Value {
        let (scan, table) = (self.scan, self.table);
        let mut places = sections.named.clone();
        places.insert("blocks".into(), sections.blocks.clone().into());
        json!({
            "format": 2,
            "summary": self.summary,
            "scene": self.scene,
            "bodies": scan.bodies.iter().map(body).collect::<Vec<_>>(),
            "layers": scan.layers.iter().map(|layer| layer_json(layer, &scan.grid)).collect::<Vec<_>>(),
            "frames": { "count": scan.times.len(), "per_block": FRAMES_PER_BLOCK, "stride": scan.stride },
            "scale": scale_hex(),
            "largest_displacement": scan.largest_displacement,
            "columns": table.names,
            "rows": table.rows(),
            "sections": places,
        })
    }
}

fn body(body: &ScannedBody) -> Value {
    json!({
        "name": body.body.name, "kind": body.kind, "colour": body.colour.hex(),
        "vertices": body.body.vertices, "triangles": body.body.triangles.len(),
        "cells": body.body.cells.count(), "cell_size": body.body.cells.size,
        "quantum": body.grid.quantum, "origin": body.grid.origin,
    })
}

fn layer_json(scanned: &ScannedLayer, grid: &Grid) -> Value {
    let layer = &scanned.layer;
    let kind = match layer.kind {
        LayerKind::Field => "field",
        LayerKind::Arrows => "arrows",
        LayerKind::Volumes => "volumes",
    };
    json!({
        "kind": kind, "name": layer.name, "title": layer.title, "unit": layer.unit,
        "min": scanned.min, "max": scanned.max, "quantum": grid.quantum, "origin": grid.origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_page_has_each_mark_once() {
        for mark in [HEADER_MARK, DATA_MARK] {
            assert_eq!(TEMPLATE.matches(mark).count(), 1, "{mark}");
        }
    }
}

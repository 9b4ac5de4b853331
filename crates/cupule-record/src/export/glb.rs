//! One binary glTF 2.0 file with an animation that players show as it is.
//!
//! A body that only moves as a whole is a node with a translation and a rotation at every frame; one that deforms is a
//! mesh with morph targets (`keys.rs` tells which frames), whose weights go from one shape to the next. A node above all
//! turns z up into glTF's y up. Fields, arrows and volumes are left out: the format has no place for them.

mod buffer;

use std::path::Path;

use cupule_geometry::DVec3;
use serde_json::{Value, json};

use super::keys::choose;
use super::rigid::{Pose, Rig};
use super::{ExportError, Exported, each_frame, write_file};
use crate::palette::body_colour;
use crate::picture::Split;
use crate::report::summary;
use buffer::{Buffer, write_glb};

/// What a shape may miss, of the size of its body: less than a pixel of a picture that it fills.
const TOLERANCE: f64 = 3e-4;

/// Writes the file.
pub fn export(run: &Path, out: &Path) -> Result<Exported, ExportError> {
    let (mut times, mut motions) = (Vec::new(), Vec::new());
    let mut whole = true;
    let cast = each_frame(run, |cast, _, frame| {
        motions.resize_with(cast.bodies.len(), Vec::new);
        // What a failing run leaves in its last frame may be no number, which the format has no word for.
        whole &= frame.positions.iter().flatten().flatten().all(|c| c.is_finite());
        if whole {
            times.push(frame.time);
            for (motion, points) in motions.iter_mut().zip(&frame.positions) {
                motion.push(points.clone());
            }
        }
        Ok(())
    })?;
    let summary = summary(run)?;
    let mut writer = Writer::new(&times);
    for (index, (body, frames)) in cast.bodies.iter().zip(&motions).enumerate() {
        let kind = summary.as_ref().and_then(|s| s["bodies"][&body.name]["kind"].as_str());
        let [r, g, b] = body_colour(index, kind.unwrap_or_default()).linear();
        if !body.triangles.is_empty() && !frames.is_empty() {
            writer.body(&body.name, [r, g, b], &Motion { times: &times, frames }, &body.triangles);
        }
    }
    write_file(out, |file| write_glb(file, &writer.json(), &writer.buffer.bytes))?;
    Ok(Exported { open: out.to_path_buf(), files: 1 })
}

/// Where the vertices of a body are, frame by frame.
struct Motion<'a> {
    times: &'a [f64],
    frames: &'a [Vec<[f32; 3]>],
}

impl Motion<'_> {
    fn shape(&self, frame: usize) -> Vec<DVec3> {
        self.frames[frame].iter().map(|x| DVec3::from_array(x.map(f64::from))).collect()
    }

    fn size(&self) -> f64 {
        let points = self.shape(0);
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        low.distance(high)
    }

    /// Poses at all frames, if the body only moves as a whole.
    fn poses(&self, tolerance: f64) -> Option<(Rig, Vec<Pose>)> {
        let rest = self.shape(0);
        let rig = Rig::new(&rest)?;
        let mut poses: Vec<Pose> = Vec::with_capacity(self.frames.len());
        for frame in 0..self.frames.len() {
            let now = self.shape(frame);
            let mut pose = rig.pose(&now);
            if rig.error(&rest, &now, &pose) > tolerance {
                return None;
            }
            // A turn has two quaternions: the one near the last lets players blend the short way.
            if poses.last().is_some_and(|last| last.rotation.dot(pose.rotation) < 0.0) {
                pose.rotation = -pose.rotation;
            }
            poses.push(pose);
        }
        Some((rig, poses))
    }

    fn keys(&self, tolerance: f64) -> Vec<usize> {
        choose(self.frames.len(), tolerance, |i, j, k| {
            let s = ((self.times[k] - self.times[i]) / (self.times[j] - self.times[i])) as f32;
            let ends = self.frames[i].iter().zip(&self.frames[j]);
            let squares = ends.zip(&self.frames[k]).map(|((a, b), x)| {
                (0..3).map(|c| (a[c] + s * (b[c] - a[c]) - x[c]).powi(2)).sum::<f32>()
            });
            f64::from(squares.fold(0.0, f32::max)).sqrt()
        })
    }
}

struct Writer {
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Accessor of the times of all frames, once one needs them.
    times: Vec<f32>,
    all_times: Option<usize>,
}

impl Writer {
    fn new(times: &[f64]) -> Self {
        Self {
            buffer: Buffer::default(),
            nodes: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            times: times.iter().map(|time| *time as f32).collect(),
            all_times: None,
        }
    }

    fn body(&mut self, name: &str, colour: [f32; 3], motion: &Motion<'_>, triangles: &[[u32; 3]]) {
        let [r, g, b] = colour;
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.62 },
        }));
        let tolerance = TOLERANCE * motion.size();
        let split = Split::new(&motion.shape(0), triangles);
        match motion.poses(tolerance) {
            Some((rig, poses)) => self.whole(name, &split, motion, rig, &poses),
            None => self.soft(name, &split, motion, &motion.keys(tolerance)),
        }
    }

    /// A body that moves as a whole.
    fn whole(&mut self, name: &str, split: &Split, motion: &Motion<'_>, rig: Rig, poses: &[Pose]) {
        let rest: Vec<DVec3> = motion.shape(0).iter().map(|x| *x - rig.centre()).collect();
        let primitive = self.primitive(split, &rest, &[]);
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        let node = self.node(name, json!({ "translation": rig.centre().as_vec3().to_array() }));
        let rests = |pose: &Pose| {
            pose.centre.distance(rig.centre()) < 1e-9 && pose.rotation.w.abs() > 1.0 - 1e-12
        };
        if poses.len() > 1 && !poses.iter().all(rests) {
            let places: Vec<[f32; 3]> =
                poses.iter().map(|pose| pose.centre.as_vec3().to_array()).collect();
            let turns: Vec<[f32; 4]> =
                poses.iter().map(|pose| pose.rotation.as_quat().normalize().to_array()).collect();
            let input = self.time_of_all();
            let output = self.buffer.vectors(&places, None);
            self.channel(node, "translation", input, output);
            let output = self.buffer.quaternions(&turns);
            self.channel(node, "rotation", input, output);
        }
    }

    /// A body that deforms, through the shapes of its key frames.
    fn soft(&mut self, name: &str, split: &Split, motion: &Motion<'_>, keys: &[usize]) {
        let later: Vec<Vec<DVec3>> = keys[1..].iter().map(|key| motion.shape(*key)).collect();
        let primitive = self.primitive(split, &motion.shape(0), &later);
        let weights = vec![0.0; later.len()];
        self.meshes.push(json!({ "name": name, "primitives": [primitive], "weights": weights }));
        let node = self.node(name, json!({}));
        let times: Vec<f32> = keys.iter().map(|key| motion.times[*key] as f32).collect();
        let mut on = vec![0.0; keys.len() * later.len()];
        (1..keys.len()).for_each(|key| on[key * later.len() + key - 1] = 1.0);
        let (input, output) = (self.buffer.scalars(&times), self.buffer.scalars(&on));
        self.channel(node, "weights", input, output);
    }

    fn primitive(&mut self, split: &Split, rest: &[DVec3], later: &[Vec<DVec3>]) -> Value {
        let (at, up) = corners(split, rest);
        let targets: Vec<Value> = later
            .iter()
            .map(|shape| {
                let (x, n) = corners(split, shape);
                let position = self.buffer.vectors(&less(&x, &at), Some(Buffer::VERTICES));
                let normal = self.buffer.vectors(&less(&n, &up), Some(Buffer::VERTICES));
                json!({ "POSITION": position, "NORMAL": normal })
            })
            .collect();
        let mut primitive = json!({
            "attributes": {
                "POSITION": self.buffer.vectors(&at, Some(Buffer::VERTICES)),
                "NORMAL": self.buffer.vectors(&up, Some(Buffer::VERTICES)),
            },
            "indices": self.buffer.indices(split.index.as_flattened()),
            "material": self.materials.len() - 1,
        });
        if !targets.is_empty() {
            primitive["targets"] = targets.into();
        }
        primitive
    }

    /// A node of the last mesh; returns its number, which counts the node above all.
    fn node(&mut self, name: &str, mut node: Value) -> usize {
        node["name"] = name.into();
        node["mesh"] = (self.meshes.len() - 1).into();
        self.nodes.push(node);
        self.nodes.len()
    }

    fn time_of_all(&mut self) -> usize {
        *self.all_times.get_or_insert_with(|| self.buffer.scalars(&self.times))
    }

    fn channel(&mut self, node: usize, path: &str, input: usize, output: usize) {
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": target }));
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    }

    fn json(&self) -> Value {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let children: Vec<usize> = (1..=self.nodes.len()).collect();
        let mut root = json!({ "name": "z up", "rotation": [-half, 0.0, 0.0, half] });
        let mut file = json!({
            "asset": { "version": "2.0", "generator": format!("Cupule {}", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
        });
        if !children.is_empty() {
            root["children"] = children.into();
            file["meshes"] = self.meshes.clone().into();
            file["materials"] = self.materials.clone().into();
            file["accessors"] = self.buffer.accessors.clone().into();
            file["bufferViews"] = self.buffer.views.clone().into();
            file["buffers"] = json!([{ "byteLength": self.buffer.bytes.len() }]);
        }
        if !self.channels.is_empty() {
            file["animations"] =
                json!([{ "name": "run", "channels": self.channels, "samplers": self.samplers }]);
        }
        file["nodes"] = [root].into_iter().chain(self.nodes.iter().cloned()).collect();
        file
    }
}

/// Positions and normals of the corners of a shape.
fn corners(split: &Split, points: &[DVec3]) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
    let at = split.source.iter().map(|vertex| points[*vertex as usize].as_vec3().to_array());
    // Corners of triangles without area have no normal; any does.
    let unit = |normal: &DVec3| normal.try_normalize().unwrap_or(DVec3::Z).as_vec3().to_array();
    (at.collect(), split.corners(points).iter().map(unit).collect())
}

fn less(a: &[[f32; 3]], b: &[[f32; 3]]) -> Vec<[f32; 3]> {
    a.iter().zip(b).map(|(a, b)| [0, 1, 2].map(|axis| a[axis] - b[axis])).collect()
}

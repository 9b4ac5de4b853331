//! Exports read back: what the files say is what the frames said.

use std::f64::consts::TAU;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cupule_geometry::files::{read_surface, read_volume};
use cupule_geometry::{Cells, DQuat, DVec3};
use serde_json::Value;

use super::*;
use crate::frames::{Arrow, FrameCells, FrameWriter, LayerFrame, LayerKind, Volume};

const NAMES: [&str; 2] = ["soft <\"&\n>", "rigid"];
const FRAMES: usize = 50;
const CELLS: [[u32; 4]; 2] = [[0, 1, 2, 4], [0, 4, 2, 3]];
const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn time(frame: usize) -> f64 {
    frame as f64 / 60.0
}

/// A tetrahedron whose tip swings, and one that turns and flies.
fn positions(frame: usize) -> Vec<Vec<DVec3>> {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|x| 0.1 * x);
    let mut soft = corners.to_vec();
    soft[3].x += 0.05 * (TAU * time(frame)).sin();
    soft.push(DVec3::splat(0.02 + 0.01 * time(frame)));
    let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, 0.5) * 3.0 * time(frame));
    let flight = DVec3::new(0.5, 0.0, 1.0) * time(frame);
    vec![soft, corners.map(|x| turn * x + flight).to_vec()]
}

fn layers(frame: usize) -> Vec<LayerFrame> {
    let arrow = Arrow { at: [frame as f32, 1.0, 2.0], vector: [0.0, 0.0, 9.5] };
    let volume = Volume {
        identity: 7,
        value: 9e4,
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
    };
    vec![
        LayerFrame::Field(vec![Some(vec![frame as f32, 1.0, 2.0, 3.0, 4.0]), None]),
        LayerFrame::Arrows(vec![arrow; frame % 2]),
        LayerFrame::Volumes(vec![volume; frame % 3]),
    ]
}

/// The folder of a run.
fn run(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cupule-export-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut bodies = NAMES.map(|name| FrameBody::of_surface(name.into(), 4, TRIANGLES.to_vec()));
    // A vertex within, which both cells of the soft body have.
    bodies[0].vertices = 5;
    bodies[0].cells = FrameCells { size: 4, vertices: CELLS.as_flattened().to_vec() };
    let heads = [
        Layer::new(LayerKind::Field, "stress", "Stress", "Pa"),
        Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
        Layer::new(LayerKind::Volumes, "cavities", "Air", "Pa"),
    ];
    let file = File::create(folder.join("frames.bin")).unwrap();
    let mut writer = FrameWriter::new(file, &bodies, &heads).unwrap();
    for frame in 0..FRAMES {
        writer.write(time(frame), &positions(frame), &layers(frame)).unwrap();
    }
    fs::write(folder.join("series.csv"), "time_s,a\n0,1\n").unwrap();
    folder
}

fn done(test: &str, format: ExportFormat) -> (PathBuf, Exported) {
    let run = run(test);
    let out = format.default_place(&run);
    let exported = export(&run, format, &out).unwrap();
    (out, exported)
}

fn narrow(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

/// The numbers of an array of a VTU file.
fn array(text: &str, name: &str) -> Vec<f32> {
    let document = roxmltree::Document::parse(text).unwrap();
    let node = document.descendants().find(|n| n.attribute("Name") == Some(name)).unwrap();
    let bytes = STANDARD.decode(node.text().unwrap()).unwrap();
    let (size, numbers) = bytes.split_at(8);
    assert_eq!(u64::from_le_bytes(size.try_into().unwrap()), numbers.len() as u64);
    numbers.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn vtu_files_hold_shapes_fields_arrows_and_volumes() {
    let (out, exported) = done("vtu", ExportFormat::Vtu);
    assert_eq!(exported.files, 4 * (FRAMES + 1));
    for frame in [0, 17, FRAMES - 1] {
        let file = out.join(format!("bodies_{frame:05}.vtu"));
        let mesh = read_surface(&file).unwrap();
        let [soft, rigid] = [0, 1].map(|body| positions(frame)[body].clone());
        let expected: Vec<[f32; 3]> = soft[..4].iter().chain(&rigid).map(|x| narrow(*x)).collect();
        assert_eq!(mesh.vertices.iter().map(|x| narrow(*x)).collect::<Vec<_>>(), expected);
        assert_eq!(mesh.triangles[4..], TRIANGLES.map(|t| t.map(|v| v + 4)));
        let text = fs::read_to_string(&file).unwrap();
        let stress = array(&text, "stress_Pa");
        assert_eq!(stress[..4], [frame as f32, 1.0, 2.0, 3.0]);
        assert!(stress[4..].iter().all(|value| value.is_nan()), "the other body has none");
        let way = positions(frame)[0][3] - positions(0)[0][3];
        assert_eq!(array(&text, "displacement_m")[9], way.x as f32);
        assert_eq!(array(&text, "body"), [[0.0; 4], [1.0; 4]].as_flattened());
    }
    let file = out.join("cells_00017.vtu");
    let solid = read_volume(&file).unwrap();
    assert_eq!(solid.cells, Cells::Tet4(CELLS.to_vec()));
    let expected: Vec<[f32; 3]> = positions(17)[0].iter().map(|x| narrow(*x)).collect();
    assert_eq!(solid.nodes.iter().map(|x| narrow(*x)).collect::<Vec<_>>(), expected);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(array(&text, "stress_Pa"), [17.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(array(&text, "body"), [0.0; 2]);
    let arrows = fs::read_to_string(out.join("contacts_00001.vtu")).unwrap();
    assert_eq!(array(&arrows, "contacts_N"), [0.0, 0.0, 9.5]);
    let air = fs::read_to_string(out.join("cavities_00002.vtu")).unwrap();
    assert_eq!((array(&air, "cavities_Pa"), array(&air, "identity")), (vec![9e4; 2], vec![7.0; 2]));
    let list = fs::read_to_string(out.join("bodies.pvd")).unwrap();
    let list = roxmltree::Document::parse(&list).unwrap();
    let sets: Vec<_> = list.descendants().filter(|n| n.has_tag_name("DataSet")).collect();
    assert_eq!(sets.len(), FRAMES);
    assert_eq!(sets[3].attribute("timestep").unwrap().parse::<f64>().unwrap(), time(3));
    assert!(out.join(sets[3].attribute("file").unwrap()).is_file());
}

#[test]
fn obj_and_csv_hold_the_points() {
    let (out, exported) = done("obj", ExportFormat::Obj);
    assert_eq!(exported.files, FRAMES);
    let mesh = read_surface(out.join("frame_00017.obj")).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 8));
    assert!((mesh.vertices[7] - positions(17)[1][3]).length() < 1e-7);
    let (out, exported) = done("csv", ExportFormat::Csv);
    assert_eq!(exported.files, FRAMES + 1);
    assert_eq!(fs::read_to_string(out.join("series.csv")).unwrap(), "time_s,a\n0,1\n");
    let points = fs::read_to_string(out.join("points_00017.csv")).unwrap();
    let last: Vec<&str> = points.lines().last().unwrap().split(',').collect();
    assert_eq!((last[1], last[2], last[9]), ("rigid", "3", "NaN"));
    assert_eq!(last[5].parse::<f32>().unwrap(), positions(17)[1][3].z as f32);
}

struct Gltf {
    json: Value,
    binary: Vec<u8>,
}

impl Gltf {
    fn read(file: &Path) -> Self {
        let bytes = fs::read(file).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
        let text = word(12);
        assert_eq!((&bytes[16..20], &bytes[24 + text..28 + text]), (&b"JSON"[..], &b"BIN\0"[..]));
        let json = serde_json::from_slice(&bytes[20..20 + text]).unwrap();
        Self { json, binary: bytes[28 + text..].to_vec() }
    }

    fn numbers(&self, accessor: &Value) -> Vec<f32> {
        let view = &self.json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
        let view = &self.json["bufferViews"][view.as_u64().unwrap() as usize];
        let at = view["byteOffset"].as_u64().unwrap() as usize;
        let bytes = &self.binary[at..at + view["byteLength"].as_u64().unwrap() as usize];
        bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
    }

    /// What a player shows of a channel at a time: straight between keys.
    fn channel(&self, node: usize, path: &str, time: f32) -> Vec<f32> {
        let animation = &self.json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let target = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == path;
        let channel = channels.iter().find(target).unwrap();
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let times = self.numbers(&sampler["input"]);
        let values = self.numbers(&sampler["output"]);
        let width = values.len() / times.len();
        let next = times.partition_point(|t| *t <= time).clamp(1, times.len() - 1);
        let s = (time - times[next - 1]) / (times[next] - times[next - 1]);
        let row = |key: usize| &values[key * width..(key + 1) * width];
        row(next - 1).iter().zip(row(next)).map(|(a, b)| a + s * (b - a)).collect()
    }

    fn primitive(&self, node: usize) -> &Value {
        let mesh = self.json["nodes"][node]["mesh"].as_u64().unwrap() as usize;
        &self.json["meshes"][mesh]["primitives"][0]
    }
}

/// Whether every corner is where a vertex of the body is.
#[track_caller]
fn assert_shape(corners: &[DVec3], vertices: &[DVec3]) {
    for corner in corners {
        let nearest = vertices.iter().map(|x| x.distance(*corner)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 3e-4 * 0.15, "{corner} is {nearest} m from any vertex");
    }
}

fn points(numbers: &[f32]) -> Vec<DVec3> {
    numbers.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(x.map(f64::from))).collect()
}

#[test]
fn the_animation_of_a_glb_goes_through_the_frames() {
    let (out, _) = done("glb", ExportFormat::Glb);
    let file = Gltf::read(&out);
    assert_eq!(file.json["nodes"][1]["name"], NAMES[0]);
    let (soft, rigid) = (file.primitive(1), file.primitive(2));
    assert!(rigid["targets"].is_null(), "a rigid body needs no other shapes");
    for frame in 0..FRAMES {
        let (now, expected) = (time(frame) as f32, positions(frame));
        let mut shape = points(&file.numbers(&soft["attributes"]["POSITION"]));
        let weights = file.channel(1, "weights", now);
        for (target, weight) in soft["targets"].as_array().unwrap().iter().zip(weights) {
            let ways = points(&file.numbers(&target["POSITION"]));
            shape.iter_mut().zip(ways).for_each(|(x, way)| *x += way * f64::from(weight));
        }
        assert_shape(&shape, &expected[0]);
        let place = points(&file.channel(2, "translation", now))[0];
        let turn: Vec<f64> =
            file.channel(2, "rotation", now).iter().map(|c| f64::from(*c)).collect();
        let turn = DQuat::from_slice(&turn).normalize();
        let rest = points(&file.numbers(&rigid["attributes"]["POSITION"]));
        let moved: Vec<DVec3> = rest.iter().map(|x| place + turn * *x).collect();
        assert_shape(&moved, &expected[1]);
    }
    // z up becomes y up: (x, y, z) -> (x, z, -y).
    let up: Vec<f64> = serde_json::from_value(file.json["nodes"][0]["rotation"].clone()).unwrap();
    assert!((DQuat::from_slice(&up) * DVec3::Z - DVec3::Y).length() < 1e-12);
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let nowhere = Path::new("/nowhere/at/all");
    let error = export(nowhere, ExportFormat::Vtu, &std::env::temp_dir()).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all/frames.bin"), "{error}");
    let run = run("blocked");
    fs::write(run.join("vtu"), "a file where the folder should be").unwrap();
    let error = export(&run, ExportFormat::Vtu, &run.join("vtu")).unwrap_err();
    assert!(error.to_string().contains("vtu: cannot be written"), "{error}");
}

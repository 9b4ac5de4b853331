//! The page of a run folder: whole, partial, empty, hostile.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cupule_geometry::DVec3;
use miniz_oxide::inflate::decompress_to_vec;
use serde_json::{Value, json};

use super::motion::tests::unpack;
use super::numbers::Reader;
use super::*;
use crate::frames::{Arrow, FrameBody, FrameWriter, Layer, LayerFrame, LayerKind};

fn folder(test: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("cupule-report-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Where the vertices of the falling triangle are.
fn triangle(step: usize) -> Vec<DVec3> {
    let t = step as f64 * 0.01;
    [DVec3::ZERO, DVec3::X, DVec3::Y].map(|x| 0.1 * x - 4.905 * t * t * DVec3::Z).to_vec()
}

fn write_run(folder: &Path, name: &str, frames: usize) {
    let body = FrameBody::of_surface(name.into(), 3, vec![[0, 1, 2]]);
    let file = File::create(folder.join("frames.bin")).unwrap();
    let layers = [Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N")];
    let mut writer = FrameWriter::new(file, &[body], &layers).unwrap();
    for step in 0..frames {
        let arrow = Arrow { at: [0.0; 3], vector: [0.0, 0.0, step as f32] };
        let shown = [LayerFrame::Arrows(vec![arrow])];
        writer.write(step as f64 * 0.01, &[triangle(step)], &shown).unwrap();
    }
    fs::write(folder.join("series.csv"), "time_s,body.a.z_m\n0.01,1\n0.02,2\n0.0").unwrap();
    fs::write(folder.join("scene.toml"), format!("title = \"{name}\"\n")).unwrap();
    let summary = json!({ "scene": name, "bodies": { name: { "kind": "rigid" } } });
    fs::write(folder.join("summary.json"), summary.to_string()).unwrap();
}

struct Opened {
    header: Value,
    data: Vec<u8>,
}

/// What the page would read of itself.
fn opened(page: &[u8]) -> Opened {
    let text = std::str::from_utf8(page).unwrap();
    let element = |id: &str| {
        let (_, rest) = text.split_once(&format!("id=\"{id}\">")).unwrap();
        rest.split_once("</script>").unwrap().0
    };
    let header = serde_json::from_str(element("cupule-header")).unwrap();
    Opened { header, data: STANDARD.decode(element("cupule-data")).unwrap() }
}

impl Opened {
    fn section(&self, place: &Value) -> Vec<u8> {
        let at = |i: usize| place[i].as_u64().unwrap() as usize;
        decompress_to_vec(&self.data[at(0)..at(0) + at(1)]).unwrap()
    }
}

#[test]
fn positions_come_back_within_half_a_quantum() {
    let folder = folder("positions");
    write_run(&folder, "a", 70);
    let opened = opened(&page(&folder).unwrap());
    let (header, body) = (&opened.header, &opened.header["bodies"][0]);
    assert_eq!(
        (header["frames"]["count"].as_u64(), body["kind"].as_str()),
        (Some(70), Some("rigid"))
    );
    let shape = opened.section(&header["sections"]["shape"]);
    let mut reader = Reader(&shape);
    let mut reference = vec![[0; 3]; 3];
    for axis in 0..3 {
        let mut sum = 0;
        for point in &mut reference {
            sum += reader.next();
            point[axis] = sum;
        }
    }
    let quantum = body["quantum"].as_f64().unwrap();
    assert!(quantum <= 0.1001 / 65536.0);
    let blocks = header["sections"]["blocks"].as_array().unwrap();
    assert_eq!(blocks.len(), 3);
    for (index, block) in blocks.iter().enumerate() {
        let block = opened.section(block);
        let count = 32.min(70 - 32 * index);
        for (frame, place) in unpack(&mut Reader(&block), count, &reference).iter().enumerate() {
            for (point, exact) in place.iter().zip(triangle(32 * index + frame)) {
                for axis in 0..3 {
                    let origin = body["origin"][axis].as_f64().unwrap();
                    let read = origin + quantum * f64::from(point[axis]);
                    // f32 of the frames file adds its own rounding, of about 6e-8 of the value.
                    let most = 0.5 * quantum + 1e-7 * exact[axis].abs() + 1e-9;
                    assert!((read - exact[axis]).abs() <= most);
                }
            }
        }
    }
}

#[test]
fn series_and_times_are_there_and_a_cut_row_is_not() {
    let folder = folder("series");
    write_run(&folder, "a", 3);
    let opened = opened(&page(&folder).unwrap());
    assert_eq!(opened.header["columns"], json!(["time_s", "body.a.z_m"]));
    assert_eq!(opened.header["rows"], 2);
    let times = opened.section(&opened.header["sections"]["series_times"]);
    assert_eq!(times, table::bytes(&[0.01, 0.02]));
}

#[test]
fn hostile_names_stay_text() {
    let folder = folder("hostile");
    let name = "</script><script>alert(1)</script><!-- \"\u{2028} &amp;";
    write_run(&folder, name, 2);
    let page = page(&folder).unwrap();
    let text = String::from_utf8(page.clone()).unwrap();
    assert!(!text.contains("alert(1)</script>") && !text.contains("<!-- \""));
    let opened = opened(&page);
    assert_eq!(opened.header["bodies"][0]["name"], name);
    assert_eq!(opened.header["summary"]["scene"], name);
}

#[test]
fn a_run_that_was_cut_short_still_has_a_page() {
    let folder = folder("partial");
    write_run(&folder, "a", 5);
    for name in ["summary.json", "series.csv", "scene.toml"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    let opened = opened(&page(&folder).unwrap());
    assert_eq!(opened.header["summary"], Value::Null);
    assert_eq!((&opened.header["frames"]["count"], &opened.header["rows"]), (&json!(5), &json!(0)));
    fs::remove_file(folder.join("frames.bin")).unwrap();
    let message = page(&folder).unwrap_err().to_string();
    assert!(message.contains("frames.bin") && message.contains("cupule run"), "{message}");
}

#[test]
fn positions_that_are_not_finite_do_no_harm() {
    let folder = folder("wild");
    let body = FrameBody::of_surface("a".into(), 3, vec![[0, 1, 2]]);
    let file = File::create(folder.join("frames.bin")).unwrap();
    let mut writer = FrameWriter::new(file, &[body], &[]).unwrap();
    writer.write(0.0, &[triangle(0)], &[]).unwrap();
    for wild in [1e30, f64::NAN, f64::INFINITY] {
        writer.write(1.0, &[vec![DVec3::splat(wild); 3]], &[]).unwrap();
    }
    drop(writer);
    let opened = opened(&page(&folder).unwrap());
    let quantum = opened.header["bodies"][0]["quantum"].as_f64().unwrap();
    assert!(quantum.is_finite() && quantum > 0.0);
}

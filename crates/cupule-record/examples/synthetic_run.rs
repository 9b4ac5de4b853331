//! Writes run folders that no scene makes, to try the report page and the pictures on: `synthetic_run KIND FOLDER`.
//!
//! - `plain`: a soft block that sways, a ground, events, expectations met and missed, all kinds of layers;
//! - `empty`: a run of no steps; `failed`: one that broke off; `cut`: one without a summary;
//! - `hostile`: names that would like to be markup; `many`: 100 bodies and 12 cavities;
//! - `large`: 2000 frames of 5000 vertices, all of which move.

use std::f64::consts::TAU;
use std::fs::{self, File};
use std::io::{BufWriter, Error, Result, Write};
use std::path::Path;

use cupule_geometry::DVec3;
use cupule_record::frames::{Arrow, FrameBody, FrameWriter, Layer, LayerFrame, LayerKind, Volume};
use cupule_record::report;
use serde_json::{Value, json};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder] = arguments.as_slice() else {
        return Err(Error::other("expected: synthetic_run KIND FOLDER"));
    };
    let run = match kind.as_str() {
        "plain" => Run::plain(),
        "empty" => Run { frames: 1, rows: 0, ..Run::plain() },
        "failed" => Run { outcome: Outcome::Failed, frames: 40, rows: 40, ..Run::plain() },
        "cut" => Run { outcome: Outcome::Cut, frames: 40, rows: 40, ..Run::plain() },
        "hostile" => Run { name: HOSTILE, ..Run::plain() },
        "many" => Run { bodies: 100, grid: 5, ..Run::plain() },
        "large" => Run { frames: 2000, rows: 2000, grid: 30, ..Run::plain() },
        _ => return Err(Error::other(format!("unknown kind `{kind}`"))),
    };
    run.write(Path::new(folder))?;
    let began = std::time::Instant::now();
    let page = report::write(Path::new(folder)).map_err(Error::other)?;
    let size = fs::metadata(&page)?.len();
    println!("{}: {size} bytes in {:.2} s", page.display(), began.elapsed().as_secs_f64());
    Ok(())
}

const HOSTILE: &str = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";

enum Outcome {
    Finished,
    Failed,
    Cut,
}

struct Run {
    name: &'static str,
    /// Bodies besides the ground.
    bodies: usize,
    /// Vertices along an edge of a face.
    grid: usize,
    frames: usize,
    rows: usize,
    outcome: Outcome,
}

const FRAME_STEP: f64 = 1.0 / 60.0;

impl Run {
    fn plain() -> Self {
        Self {
            name: "block",
            bodies: 1,
            grid: 9,
            frames: 120,
            rows: 120,
            outcome: Outcome::Finished,
        }
    }

    /// One cavity, or as many as a row and a bit of many bodies.
    fn cavities(&self) -> usize {
        self.bodies.min(12)
    }

    fn body_name(&self, index: usize) -> String {
        if index == 0 { self.name.into() } else { format!("{}_{index}", self.name) }
    }

    fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let _ = fs::remove_file(folder.join("summary.json"));
        self.write_frames(BufWriter::new(File::create(folder.join("frames.bin"))?))?;
        fs::write(folder.join("scene.toml"), format!("# {}\nversion = 1\n", self.name))?;
        self.write_series(BufWriter::new(File::create(folder.join("series.csv"))?))?;
        match self.outcome {
            Outcome::Cut => Ok(()),
            _ => fs::write(folder.join("summary.json"), self.summary().to_string()),
        }
    }

    fn write_frames(&self, out: impl Write) -> Result<()> {
        let (block, triangles) = cube(self.grid);
        let vertices = block.len() as u32;
        let mut bodies: Vec<FrameBody> = (0..self.bodies)
            .map(|i| FrameBody::of_surface(self.body_name(i), vertices, triangles.clone()))
            .collect();
        let (slab, slab_triangles) = cube(2);
        bodies.push(FrameBody::of_surface("ground".into(), 8, slab_triangles));
        let ground: Vec<DVec3> =
            slab.iter().map(|x| DVec3::new(2.0, 2.0, 0.1) * (*x - DVec3::Z * 0.5)).collect();
        let layers = [
            Layer::new(LayerKind::Field, "stress", "Von Mises stress", "Pa"),
            Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
            Layer::new(LayerKind::Arrows, "attachments", "Attachment forces", "N"),
            Layer::new(LayerKind::Volumes, "cavities", "Cavities", "Pa"),
        ];
        let mut writer = FrameWriter::new(out, &bodies, &layers)?;
        for frame in 0..self.frames {
            let time = frame as f64 * FRAME_STEP;
            let mut positions: Vec<Vec<DVec3>> = (0..self.bodies)
                .map(|i| block.iter().map(|x| place(i) + sway(*x, time + 0.1 * i as f64)).collect())
                .collect();
            let shown = layers_at(&positions, &block, time);
            positions.push(ground.clone());
            writer.write(time, &positions, &shown)?;
        }
        writer.flush()
    }

    fn write_series(&self, mut out: impl Write) -> Result<()> {
        let mut names = vec!["time_s".to_string()];
        for index in 0..self.bodies {
            let body = self.body_name(index).replace('"', "\"\"");
            names.extend(["x", "y", "z"].map(|axis| format!("\"body.{body}.{axis}_m\"")));
            names.extend(
                ["x", "y", "z"].map(|axis| format!("\"body.{body}.contact_force_{axis}_n\"")),
            );
        }
        for cavity in 1..=self.cavities() {
            let figures = ["pressure_pa", "volume_m3", "amount_mol"];
            names.extend(figures.map(|figure| format!("cavity.{cavity}.{figure}")));
        }
        names.extend(["contacts", "rows", "step_ms", "phase.solve_ms"].map(String::from));
        writeln!(out, "{}", names.join(","))?;
        for row in 0..self.rows {
            let time = (row + 1) as f64 * FRAME_STEP;
            write!(out, "{time}")?;
            for index in 0..self.bodies {
                let centre = place(index) + sway(DVec3::ZERO, time + 0.1 * index as f64);
                write!(out, ",{},{},{},0,0,{}", centre.x, centre.y, centre.z, 9.81 + centre.x)?;
            }
            let pressure = if time < 0.5 { f64::NAN } else { 101325.0 - 3e4 * (time - 0.5) };
            for cavity in 0..self.cavities() {
                write!(out, ",{},{},{}", pressure - 1e3 * cavity as f64, 1e-6, 4e-5)?;
            }
            writeln!(out, ",4,12,{},0.5", 1.0 + time.sin().abs())?;
        }
        out.flush()
    }

    fn summary(&self) -> Value {
        let failed = matches!(self.outcome, Outcome::Failed);
        let name = self.name;
        let events = [
            json!({ "time": 0.5, "kind": "seal", "what": format!("cavity 1 closes between {name} and ground") }),
            json!({ "time": 1.4, "kind": "unseal", "what": "cavity 1 opens" }),
        ];
        let failure =
            json!({ "time": 0.66, "message": format!("at t = 0.66 s: body {name} diverged") });
        let mut bodies: serde_json::Map<String, Value> = (0..self.bodies)
            .map(|i| {
                (
                    self.body_name(i),
                    json!({ "kind": "fem", "mass_kg": 0.1, "nodes": 9, "triangles": 8 }),
                )
            })
            .collect();
        bodies.insert(
            "ground".into(),
            json!({ "kind": "static", "mass_kg": 0, "nodes": 8, "triangles": 12 }),
        );
        json!({
            "scene": name, "title": format!("{name} that sways: as ever"), "solver": "ncp", "version": "0.1.0", "dt": FRAME_STEP, "steps": self.rows,
            "sim_time": self.rows as f64 * FRAME_STEP, "wall_time": 1.25, "real_time_factor": 1.6, "threads": 2,
            "phases_ms": { "free_motion": 1.0, "collision": 0.5, "cavities": 0.2, "compliance": 0.7, "solve": 2.0, "other": 0.1, "total": 4.5 },
            "contacts": { "mean": 3.5, "max": 4 }, "rows": { "mean": 11.0, "max": 12 }, "iterations": { "mean": 20.0, "max": 31 },
            "residual": { "gap_m": 1e-8, "force_n": 1e-6, "force_share": 1e-7, "gas": 0.0 }, "max_penetration_m": 0.0, "atmosphere_pa": 101325.0,
            "events": if self.rows == 0 { json!([]) } else { json!(events) }, "bodies": bodies,
            "expect": [
                { "name": format!("{name} stays"), "ok": true, "value": 0.0123456, "bound": "<= 0.02" },
                { "name": "it is sealed", "ok": self.bodies > 1, "value": 0.5, "bound": "0.4 to 0.45" },
                { "name": "it seals", "ok": true, "value": null, "bound": "seal before 0.6 s, then unseal", "found": "0.500, 1.400 s" },
                { "name": "it is held", "ok": self.bodies > 1, "value": null, "found": "0.500 s",
                  "bound": "seal before 0.6 s, then unseal at 1.5 to 1.9 s, then detach; no unseal before 1.5 s",
                  "why": format!("no unseal at 1.5 to 1.9 s (it came at 1.400 s); {name} is not there") },
                { "name": "how much is left", "ok": self.bodies > 1, "value": null, "bound": ">= 1.0000e-9", "why": "cavity.2.amount_mol has no figures" },
            ],
            "ok": false, "interrupted": false, "failure": if failed { failure } else { Value::Null },
            "state_hash": "0123456789abcdef",
        })
    }
}

/// Bodies stand in rows of ten.
fn place(index: usize) -> DVec3 {
    DVec3::new((index % 10) as f64 * 0.2, (index / 10) as f64 * 0.2, 0.0)
}

/// A block of 0.1 m that is held at its foot and swings with its top.
fn sway(x: DVec3, time: f64) -> DVec3 {
    let swing = 0.03 * (1.0 - (-3.0 * time).exp()) * (TAU * 0.8 * time).sin();
    let ripple = 0.002 * (TAU * (3.0 * time + 20.0 * x.z)).sin();
    let height = (x.z + 0.05) / 0.1;
    0.1 * (x * 10.0) + DVec3::new(swing * height * height, ripple * height, 0.05)
}

fn layers_at(positions: &[Vec<DVec3>], rest: &[DVec3], time: f64) -> Vec<LayerFrame> {
    let narrow = |x: DVec3| x.to_array().map(|c| c as f32);
    let stress = |points: &Vec<DVec3>| {
        let values = points
            .iter()
            .zip(rest)
            .map(|(x, r)| 1e5 * (x.x - r.x).abs() as f32 * (1.0 - r.z as f32 * 10.0));
        Some(values.collect())
    };
    let fields = positions.iter().map(stress).chain([None]).collect();
    let push = 5.0 + 4.0 * (TAU * time).sin();
    let feet = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]];
    let feet = feet.map(|[x, y]| Arrow {
        at: narrow(DVec3::new(x, y, 0.0)),
        vector: narrow(DVec3::new(x * 20.0, 0.0, push)),
    });
    let hand = Arrow { at: [0.0, 0.0, 0.1], vector: [push as f32, 0.0, 2.0] };
    let cavity = |index: usize| {
        let (cube, triangles) = cube(3);
        let size = 0.4 - 0.2 * (time - 0.5);
        let middle = place(index) + DVec3::Z * 0.05;
        let positions = cube.iter().map(|x| narrow(*x * size + middle)).collect();
        let value = (101325.0 - 3e4 * (time - 0.5) - 1e3 * index as f64) as f32;
        Volume { identity: index as u32 + 1, value, positions, triangles }
    };
    let closed = if (0.5..1.4).contains(&time) { positions.len().min(12) } else { 0 };
    vec![
        LayerFrame::Field(fields),
        LayerFrame::Arrows(feet.to_vec()),
        LayerFrame::Arrows(vec![hand]),
        LayerFrame::Volumes((0..closed).map(cavity).collect()),
    ]
}

/// The surface of a cube of 0.1 m (unit cube for two vertices an edge), with `n` vertices along each edge.
fn cube(n: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let size = if n == 2 { 1.0 } else { 0.1 };
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut known = std::collections::BTreeMap::new();
    for side in 0..6 {
        let (axis, up) = (side / 2, side % 2);
        let mut index = |u: usize, v: usize| {
            let mut cell = [0; 3];
            cell[axis] = up * (n - 1);
            (cell[(axis + 1) % 3], cell[(axis + 2) % 3]) = (u, v);
            *known.entry(cell).or_insert_with(|| {
                points.push(DVec3::from_array(
                    cell.map(|c| size * (c as f64 / (n - 1) as f64 - 0.5)),
                ));
                points.len() as u32 - 1
            })
        };
        for u in 0..n - 1 {
            for v in 0..n - 1 {
                let [a, b, c, d] =
                    [index(u, v), index(u + 1, v), index(u + 1, v + 1), index(u, v + 1)];
                let pair = if up == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                triangles.extend(pair);
            }
        }
    }
    (points, triangles)
}

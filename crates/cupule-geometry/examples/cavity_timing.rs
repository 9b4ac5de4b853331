//! How long the two cavity detectors take on a cup over a box: `cargo run --release -p cupule-geometry --example cavity_timing`.

use std::time::Instant;

use cupule_geometry::arrangement::{Surface, arrange, thicken};
use cupule_geometry::flood::flood;
use cupule_geometry::generate::{cuboid, revolved};
use cupule_geometry::{DVec3, GeometryError, TriMesh};

/// Sealing level, m.
const LEVEL: f64 = 1e-4;
const REPEATS: usize = 30;

/// A cup with `rings` rings along its walls.
fn fine_cup(around: usize, rings: usize) -> Result<TriMesh, GeometryError> {
    let [inner, outer, height] = [0.014, 0.018, 0.01];
    let top = 1.4 * height;
    let part = |a: [f64; 2], b: [f64; 2], n: usize| {
        (0..n).map(move |k| {
            let t = k as f64 / n as f64;
            [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
        })
    };
    let profile: Vec<[f64; 2]> = part([0.0, height], [inner, height], rings)
        .chain(part([inner, height], [inner, 0.0], rings))
        .chain(part([inner, 0.0], [outer, 0.0], 2))
        .chain(part([outer, 0.0], [outer, top], rings))
        .chain(part([outer, top], [0.0, top], rings))
        .chain([[0.0, top]])
        .collect();
    revolved(&profile, around)
}

/// Shortest time of a task, ms.
fn shortest<T>(mut task: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        task();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..REPEATS).map(time).fold(f64::INFINITY, f64::min)
}

fn report(name: &str, bodies: &[TriMesh]) -> Result<(), GeometryError> {
    let sizes: Vec<usize> = bodies.iter().map(|body| body.vertices.len()).collect();
    let surfaces: Vec<Surface> = (bodies.iter())
        .map(|body| Surface { positions: &body.vertices, triangles: &body.triangles })
        .collect();
    let thick = thicken(&surfaces, LEVEL)?;
    arrange(&surfaces, &thick.positions)?;
    flood(&surfaces, LEVEL)?;
    let thickening = shortest(|| thicken(&surfaces, LEVEL));
    let union = shortest(|| arrange(&surfaces, &thick.positions));
    let flooding = shortest(|| flood(&surfaces, LEVEL));
    println!("{name} {sizes:?}: thicken {thickening:.3}, union {union:.3}, flood {flooding:.3} ms");
    Ok(())
}

fn main() -> Result<(), GeometryError> {
    let cup = |around, rings| -> Result<TriMesh, GeometryError> {
        Ok(fine_cup(around, rings)?.translated(DVec3::Z * (0.4 * LEVEL)))
    };
    let below = |n: usize, width: f64| -> Result<TriMesh, GeometryError> {
        Ok(cuboid(DVec3::new(width, width, 0.04), [n; 3])?.translated(DVec3::Z * -0.02))
    };
    report("cup on box", &[below(5, 0.06)?, cup(15, 2)?])?;
    report("cup on box", &[below(8, 0.06)?, cup(48, 4)?])?;
    report("cup on box", &[below(18, 0.06)?, cup(96, 5)?])?;
    report("cup on two triangles", &[below(1, 0.5)?, cup(48, 4)?])
}

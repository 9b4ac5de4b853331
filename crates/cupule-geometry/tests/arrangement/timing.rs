//! How long thickening and arranging take; run with `--release -- --ignored --nocapture`.

use std::time::Instant;

use cupule_geometry::TriMesh;
use cupule_geometry::arrangement::{CavityMesh, arrange, thicken};
use cupule_geometry::generate::{cuboid, revolved};

use crate::scenes::*;

fn report(name: &str, bodies: &[TriMesh]) {
    let sizes: Vec<usize> = bodies.iter().map(|b| b.vertices.len()).collect();
    let surfaces = surfaces(bodies);
    let mut best = [f64::INFINITY; 3];
    for _ in 0..30 {
        let start = Instant::now();
        let thick = thicken(&surfaces, LEVEL).unwrap();
        best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let arrangement = arrange(&surfaces, &thick.positions).unwrap();
        best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e3);
        let cavity = arrangement.components.iter().position(|c| c.signed_volume < 0.0).unwrap();
        let start = Instant::now();
        let mesh = CavityMesh::new(&arrangement, cavity as u32, &[Some(cavity as u32)]);
        let gradient = mesh.volume_and_gradient(&surfaces);
        best[2] = best[2].min(start.elapsed().as_secs_f64() * 1e3);
        assert!(gradient.0 > 0.0);
    }
    println!(
        "{name} {sizes:?}: thicken {:.3}, arrange {:.3}, mesh and gradient {:.3} ms",
        best[0], best[1], best[2]
    );
}

/// A cup with `rings` rings along its walls.
fn fine_cup(around: usize, rings: usize) -> TriMesh {
    let [inner, outer, height] = CUP;
    let part = |a: [f64; 2], b: [f64; 2], n: usize| {
        (0..n).map(move |k| {
            let t = k as f64 / n as f64;
            [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
        })
    };
    let top = 1.4 * height;
    let profile: Vec<[f64; 2]> = part([0.0, height], [inner, height], rings)
        .chain(part([inner, height], [inner, 0.0], rings))
        .chain(part([inner, 0.0], [outer, 0.0], 2))
        .chain(part([outer, 0.0], [outer, top], rings))
        .chain(part([outer, top], [0.0, top], rings))
        .chain([[0.0, top]])
        .collect();
    revolved(&profile, around).unwrap()
}

#[test]
#[ignore = "a measurement, not a test"]
fn timing() {
    let gap = 0.4 * LEVEL;
    let below = |n: usize| {
        up(cuboid(cupule_geometry::DVec3::new(0.06, 0.06, 0.04), [n, n, n]).unwrap(), -0.02)
    };
    let small = cuboid(cupule_geometry::DVec3::new(0.06, 0.06, 0.04), [5; 3]).unwrap();
    report("cup on box", &[up(small, -0.02), up(fine_cup(15, 2), gap)]);
    report("cup on box", &[below(8), up(fine_cup(48, 4), gap)]);
    report("cup on box", &[below(18), up(fine_cup(96, 5), gap)]);
    report("cup on two triangles", &[ground(), up(fine_cup(48, 4), gap)]);
}

//! How long a flood takes, beside the union. `cargo test --release --test flood timing -- --ignored --nocapture`

use std::time::Instant;

use cupule_geometry::arrangement::{arrange, thicken};
use cupule_geometry::flood::flood;
use cupule_geometry::generate::{cuboid, revolved};
use cupule_geometry::{DVec3, TriMesh};

use crate::scenes::*;

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

fn report(name: &str, bodies: &[TriMesh]) {
    let surfaces = surfaces(bodies);
    let sizes: Vec<usize> = bodies.iter().map(|body| body.vertices.len()).collect();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..30 {
        let start = Instant::now();
        let flooded = flood(&surfaces, LEVEL).unwrap();
        best[0] = best[0].min(start.elapsed().as_secs_f64() * 1e3);
        assert!(flooded.bottlenecks.iter().any(Option::is_some));
        let start = Instant::now();
        let thick = thicken(&surfaces, LEVEL).unwrap();
        let union = arrange(&surfaces, &thick.positions).unwrap();
        best[1] = best[1].min(start.elapsed().as_secs_f64() * 1e3);
        assert!(union.components.len() > 1);
    }
    println!("{name} {sizes:?}: flood {:.3} ms, union {:.3} ms", best[0], best[1]);
}

#[test]
#[ignore = "a measurement, not a test"]
fn timing() {
    let gap = 0.4 * LEVEL;
    let below = |n: usize| up(cuboid(DVec3::new(0.06, 0.06, 0.04), [n; 3]).unwrap(), -0.02);
    report("cup on box", &[below(5), up(fine_cup(15, 2), gap)]);
    report("cup on box", &[below(18), up(fine_cup(96, 5), gap)]);
    report("cup on two triangles", &[ground(), up(fine_cup(48, 4), gap)]);
}

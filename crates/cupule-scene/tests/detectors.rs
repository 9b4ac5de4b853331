//! Union and flood on every suction scene: both look at the same bodies on their way and must see the same air.
//!
//! Cases in which either detector changes its mind within 10 % of the sealing distance are counted, not compared: such a
//! seal is as good as open, and the two interpolate differently between vertices.
//! `cargo test --release -p cupule-scene --test detectors -- --nocapture` prints the tallies.
#![allow(clippy::unwrap_used)] // a test may panic

use cupule::cavity::{Survey, Zone};
use cupule::settings::Detector;
use cupule::world::World;
use cupule_scene::{assemble, load};

/// Volumes and areas may differ by this share. The union moves vertices by a level and cuts there, the flood cuts at the
/// true positions; between edges both borders are straight where the true one bends.
const TOLERANCE: f64 = 0.03;

/// What is compared of enclosed air.
#[derive(Debug, PartialEq)]
struct Air {
    bodies: Vec<usize>,
    volume: f64,
    area: f64,
    flat: bool,
}

fn airs(survey: &Survey) -> Vec<Air> {
    let air = |zone: &Zone| Air {
        bodies: zone.found.bodies(),
        volume: zone.volume,
        area: zone.found.area(),
        flat: zone.found.is_flat(),
    };
    let mut airs: Vec<Air> = survey.zones.iter().map(air).collect();
    airs.sort_by(|a, b| {
        let key = |air: &Air| (air.flat, air.bodies.clone());
        key(a).cmp(&key(b)).then(b.area.total_cmp(&a.area))
    });
    airs
}

fn same(a: &[Air], b: &[Air]) -> bool {
    let near = |x: f64, y: f64| (x - y).abs() <= TOLERANCE * x.abs().max(y.abs());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.bodies == b.bodies
                && a.flat == b.flat
                && near(a.volume, b.volume)
                && near(a.area, b.area)
        })
}

#[derive(Debug, Default)]
struct Tally {
    looks: usize,
    enclosed: usize,
    refused: usize,
    ambiguous: usize,
    different: Vec<String>,
}

impl Tally {
    fn compare(&mut self, world: &World) {
        let sealing = world.settings().air.as_ref().unwrap().sealing_distance;
        let see = |detector, factor: f64| world.survey(detector, factor * sealing).unwrap();
        let [union, flood] = [Detector::Union, Detector::Flood].map(|d| see(d, 1.0));
        self.looks += 1;
        self.refused += flood.looks.refused;
        let [union, flood] = [airs(&union), airs(&flood)];
        self.enclosed += usize::from(union.iter().any(|air| !air.flat));
        if same(&union, &flood) {
            return;
        }
        let counts = |d: Detector| [0.9, 1.0, 1.1].map(|factor| see(d, factor).zones.len());
        let counts = [Detector::Union, Detector::Flood].map(counts);
        if counts.iter().any(|c| c[0] != c[1] || c[1] != c[2]) {
            self.ambiguous += 1;
        } else {
            let time = world.time();
            self.different.push(format!("{time:.3} s: union {union:#?}\nflood {flood:#?}"));
        }
    }
}

/// Runs a scene and compares the detectors every so many steps.
fn agree(scene: &str, every: usize) {
    let loaded = load(scene, &[]).unwrap();
    let mut world = assemble(&loaded).unwrap().world;
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    let mut tally = Tally::default();
    for step in 1..=steps {
        world.step(&mut ()).unwrap();
        if step % every == 0 {
            tally.compare(&world);
        }
    }
    let Tally { looks, enclosed, refused, ambiguous, different } = &tally;
    let count = different.len();
    println!(
        "{scene}: {looks} looks, {enclosed} with air, {refused} refused, {ambiguous} ambiguous, {count} different"
    );
    let shown = &different[..count.min(3)];
    assert!(different.is_empty(), "{scene}: {count} of {looks} differ\n{}", shown.join("\n"));
    assert!(ambiguous * 20 <= *looks, "{scene}: {ambiguous} of {looks} ambiguous");
    assert!(*enclosed > looks / 4, "{scene}: air in {enclosed} of {looks} only");
}

macro_rules! scenes {
    ($($test:ident: $scene:literal every $every:literal,)*) => {
        $(#[test]
        fn $test() {
            agree($scene, $every);
        })*
    };
}

scenes! {
    ground: "ground" every 10,
    lift: "lift" every 10,
    piston: "piston" every 10,
    bell: "bell" every 10,
    soft_cube: "soft-cube" every 10,
    active_pull: "active-pull" every 10,
    manifold: "manifold" every 10,
    cube_halves: "cube-halves" every 10,
    tunnel_one: "tunnel-one" every 10,
    tunnel_over: "tunnel-over" every 10,
    tunnel_two: "tunnel-two" every 10,
    three_blocks: "three-blocks" every 10,
}

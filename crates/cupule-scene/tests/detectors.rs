//! Union and flood on the suction scenes (but for `octopus-arm`, whose suckers are too coarse): both look at the same bodies on their way and must see the same air.
//!
//! Cases in which either detector changes its mind within 10 % of the sealing distance are counted, not compared: such a
//! seal is as good as open, and the two interpolate differently between vertices.
//! `cargo test --release -p cupule-scene --test detectors -- --nocapture` prints the tallies.
#![allow(clippy::unwrap_used)] // a test may panic

use cupule::cavity::{Survey, Zone};
use cupule::settings::Detector;
use cupule::world::World;
use cupule_scene::{assemble, load, shipped_names};

/// Volumes and areas may differ by this share. The union moves vertices by a level and cuts there, the flood cuts at the
/// true positions; between edges both borders are straight where the true one bends. What touches may further differ by
/// what a tenth of the sealing distance does to it: on a lip that rises slowly the border is hardly determined.
const TOLERANCE: f64 = 0.03;
/// Areas of what touches and encloses no air may differ by this share, beside that: no pressure acts there. On suckers of 99 nodes the two halves
/// of a lip that has not closed yet have 10 % more by the union.
const TOUCHING_TOLERANCE: f64 = 0.12;

/// And by this share of the largest area in the look: on a speck smaller than a facet, each detector draws its border through that facet in its own
/// way. In `tunnel-two` two bodies that begin to touch do so on 1.1 or 1.5 mm2, of 7 700 mm2 and facets of some 3 mm2.
const SPECK: f64 = 1e-4;

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

/// Whether two looks see the same; `spread` is by how much the areas of touching parts may differ, m2.
fn same(a: &[Air], b: &[Air], spread: &dyn Fn(usize) -> f64) -> bool {
    let near =
        |x: f64, y: f64, share: f64, by: f64| (x - y).abs() <= share * x.abs().max(y.abs()) + by;
    let speck = SPECK * a.iter().chain(b).map(|air| air.area).fold(0.0, f64::max);
    let one = |(index, (a, b)): (usize, (&Air, &Air))| {
        let (share, more) =
            if a.flat { (TOUCHING_TOLERANCE, spread(index) + speck) } else { (TOLERANCE, 0.0) };
        a.bodies == b.bodies
            && a.flat == b.flat
            && (a.flat || near(a.volume, b.volume, TOLERANCE, 0.0))
            && near(a.area, b.area, share, more)
    };
    a.len() == b.len() && a.iter().zip(b).enumerate().all(one)
}

/// Not compared. In `octopus-arm` both detectors see the same suckers closed, but on suckers of 83 nodes and 10 to 16 mm a sealing distance
/// of 0.3 mm moves borders by more than the tolerance: 13 of 25 looks differ, by up to 4 % in the volume of a cavity, and 5 are ambiguous.
const TOO_COARSE: [&str; 1] = ["octopus-arm"];

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
        if same(&union, &flood, &|_| 0.0) {
            return;
        }
        let at = |d: Detector| [0.9, 1.1].map(|factor| airs(&see(d, factor)));
        let near =
            [(Detector::Union, &union), (Detector::Flood, &flood)].map(|(d, now)| (at(d), now));
        let kinds = |airs: &[Air]| -> Vec<(bool, Vec<usize>)> {
            airs.iter().map(|air| (air.flat, air.bodies.clone())).collect()
        };
        let clear = near.iter().all(|(at, now)| at.iter().all(|at| kinds(at) == kinds(now)));
        let [below, above] = &near[1].0;
        if !clear {
            self.ambiguous += 1;
        } else if !same(&union, &flood, &|index| above[index].area - below[index].area) {
            let time = world.time();
            self.different.push(format!("{time:.3} s: union {union:#?}\nflood {flood:#?}"));
        }
    }
}

/// Runs a scene, which may enclose air or not, and compares the detectors every so many steps.
fn agree(scene: &str, every: usize, encloses: bool) {
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
    // One in twenty, and two more because there are few: `flat-pipe` has 4 of 54, where its parts join and come apart.
    assert!(*ambiguous <= looks / 20 + 2, "{scene}: {ambiguous} of {looks} ambiguous");
    let often = *enclosed > looks / 4;
    assert!(often == encloses, "{scene}: air in {enclosed} of {looks}");
}

macro_rules! scenes {
    ($($test:ident: $scene:literal, $encloses:literal;)*) => {
        $(#[test]
        fn $test() {
            agree($scene, 10, $encloses);
        })*

        #[test]
        fn no_suction_scene_is_left_out() {
            let has_air = |name: &&str| load(name, &[]).unwrap().scene.gas.is_some();
            let mut shipped: Vec<&str> = shipped_names().filter(has_air).collect();
            let mut compared = [&[$($scene),*][..], &TOO_COARSE].concat();
            shipped.sort_unstable();
            compared.sort_unstable();
            assert_eq!(shipped, compared);
        }
    };
}

scenes! {
    flat_pipe: "flat-pipe", true;
    flat_plane: "flat-plane", true;
    fold: "fold", true;
    ground: "ground", true;
    leak: "leak", true;
    lift: "lift", true;
    pick_and_place: "pick-and-place", true;
    piston: "piston", true;
    bell: "bell", true;
    soft_cube: "soft-cube", true;
    active_pull: "active-pull", true;
    manifold: "manifold", true;
    cube_halves: "cube-halves", true;
    tunnel_one: "tunnel-one", false;
    tunnel_over: "tunnel-over", true;
    tunnel_two: "tunnel-two", true;
    three_blocks: "three-blocks", true;
    masses: "masses", true;
    thesis_masses: "thesis-masses", true;
    low_friction: "low-friction", true;
    curvature: "curvature", true;
    attachment: "attachment", true;
    shapes: "shapes", true;
    bunny: "bunny", true;
    dart: "dart", true;
    sphere: "sphere", true;
    scaled_cylinder: "scaled-cylinder", true;
    active_shape: "active-shape", true;
    toy: "toy", true;
    tentacle: "tentacle", true;
    cylinder_pull: "cylinder-pull", true;
    passive_pull: "passive-pull", true;
    thesis_shapes: "thesis-shapes", true;
}

//! No scene may succeed by a weld: what suction lifts stays where it is when the cavities are open to the outside, and what is
//! lifted moves as gas, contact and weight say.

use crate::run::{Run, run};

/// Every shipped scene that lifts something by suction (of several variants, some), and what it lifts.
const LIFTING: [(&str, &[&str]); 27] = [
    ("lift", &["block"]),
    ("soft-cube", &["cube"]),
    ("manifold", &["left_block", "right_block"]),
    ("cube-halves", &["lower"]),
    ("tunnel-over", &["block"]),
    ("tunnel-two", &["block"]),
    ("three-blocks", &["base"]),
    ("pick-and-place", &["apple"]),
    ("masses@heavy", &["block"]),
    ("masses@pair", &["block"]),
    ("masses@soft-middle", &["block"]),
    ("low-friction@centred", &["cube"]),
    ("low-friction@rough", &["cube"]),
    ("thesis-masses@small-50", &["cube"]),
    ("thesis-masses@large-200", &["cube"]),
    ("bunny@smooth", &["bunny"]),
    ("curvature@convex-60", &["block"]),
    ("curvature@concave-60", &["block"]),
    ("shapes@plunger", &["cube"]),
    ("shapes@octopus", &["cube"]),
    ("shapes@flat-bell", &["cube"]),
    ("scaled-cylinder@0.8", &["cylinder"]),
    ("scaled-cylinder@1", &["cylinder"]),
    ("tentacle", &["can"]),
    ("tentacle@muscle", &["can"]),
    ("thesis-shapes@straight", &["cube"]),
    ("thesis-shapes@plunger", &["cube"]),
];

/// In first order inertia is a difference of two momenta; a scene in second order is run in first.
const FIRST_ORDER: [&str; 2] = ["--set", "solver.integrator=backward-euler"];

/// Largest force on an object (N) that its change of momentum does not explain: m dv/dt = gas + contact + weight.
pub fn unexplained_force(run: &Run, object: &str) -> f64 {
    let column = |figure: &str| run.column(&format!("body.{object}.{figure}"));
    let momentum = column("momentum_z_kgmps");
    let (gas, contact) = (column("gas_force_z_n"), column("contact_force_z_n"));
    let weight = -9.81 * run.figure(&format!("/bodies/{object}/mass_kg"));
    let times = run.times();
    let of = |i: usize| {
        let inertia = (momentum[i] - momentum[i - 1]) / (times[i] - times[i - 1]);
        (gas[i] + contact[i] + weight - inertia).abs()
    };
    (1..times.len()).map(of).fold(0.0, f64::max)
}

/// The toy's spring is held by nothing but the vacuum: with open cavities it is up again as soon as the hand is.
#[test]
fn without_vacuum_the_toy_does_not_stay_shut() {
    let heights = |folder: &str, more: &[&str]| {
        let run = run("toy@quick", folder, more);
        let at = run.times().iter().position(|time| *time > 1.2).expect("it lasts longer");
        run.column("body.head.z_m")[at]
    };
    let (held, vented) =
        (heights("toy-held", &[]), heights("toy-vented", &["--set", "gas.vented=true"]));
    assert!(held < 0.042 && vented > 0.05, "{held} {vented} m");
}

/// A dart with open cavities falls off its wall.
#[test]
fn without_vacuum_the_dart_does_not_stick() {
    let height = |folder: &str, more: &[&str]| {
        *run("dart", folder, more).column("body.rod.z_m").last().expect("steps")
    };
    let (held, vented) =
        (height("dart-held", &[]), height("dart-vented", &["--set", "gas.vented=true"]));
    assert!(held - vented > 0.02, "{held} {vented} m");
}

/// The octopus arm is a hook as well, but too soft for its can: without vacuum the can slips out.
#[test]
fn without_vacuum_the_octopus_loses_its_can() {
    let height = |folder: &str, more: &[&str]| {
        let run = run("octopus-arm", folder, &[&["--set", "duration=1.95"], more].concat());
        *run.column("body.can.lowest_m").last().expect("steps")
    };
    let (held, vented) =
        (height("octopus-held", &[]), height("octopus-vented", &["--set", "gas.vented=true"]));
    assert!(held > 0.25 && vented < 0.2, "{held} {vented} m");
}

#[test]
fn without_vacuum_nothing_is_lifted() {
    for (scene, objects) in LIFTING {
        let open = [&FIRST_ORDER[..], &["--set", "gas.vented=true"]].concat();
        let (held, vented) = std::thread::scope(|scope| {
            let vented = scope.spawn(|| run(scene, &format!("{scene}-vented"), &open));
            let held = run(scene, &format!("{scene}-held"), &FIRST_ORDER);
            (held, vented.join().expect("a run"))
        });
        assert!(!vented.events_of("seal").is_empty(), "{scene}: it still seals");
        for object in objects {
            let says = |run: &Run| {
                run.events_of("lift").iter().any(|e| e.what.starts_with(&format!("{object} ")))
            };
            assert!(says(&held) && !says(&vented), "{scene}: {object} lifted with vacuum only");
            let lowest = |run: &Run| run.column(&format!("body.{object}.lowest_m")).to_vec();
            let rise = |heights: Vec<f64>| heights.iter().copied().fold(f64::MIN, f64::max);
            let (up, down) = (rise(lowest(&held)), rise(lowest(&vented)));
            assert!(up > 5e-3 && down < 1e-3, "{scene}: {object} rose by {up} and {down} m");
            let (unexplained, weight) = (
                unexplained_force(&held, object),
                9.81 * held.figure(&format!("/bodies/{object}/mass_kg")),
            );
            println!(
                "{scene}: {object} unexplained {unexplained:.2e} N of a weight of {weight:.2} N"
            );
            // Momentum is summed and divided by h: rounding, and what the tolerance of the sweeps leaves, are below this.
            assert!(unexplained < 1e-3 * weight, "{scene}: {object}: {unexplained} N");
        }
    }
}

//! The same bits for any number of threads: every body's state at the end of a run, in every scene with suction.

use crate::run::run;

/// Scene, and for how long (s) it is run: until it has sealed, has let air out and moved on, not to its end.
const SCENES: [(&str, &str); 35] = [
    ("active-pull", "0.15"),
    ("active-shape@a20", "0.2"),
    ("attachment@side", "0.3"),
    ("bell", "0.3"),
    ("bunny@bumpy", "0.55"),
    ("bunny@smooth", "0.4"),
    ("cube-halves", "0.25"),
    ("curvature@concave-60", "0.35"),
    ("curvature@convex-30", "0.35"),
    ("cylinder-pull@r20", "0.25"),
    ("dart", "0.02"),
    ("flat-pipe", "0.22"),
    ("flat-plane", "0.1"),
    ("fold", "0.3"),
    ("ground", "0.4"),
    ("leak", "0.2"),
    ("lift", "1.3"),
    ("low-friction@offset", "0.3"),
    ("manifold", "0.2"),
    ("masses@pair", "0.25"),
    ("octopus-arm", "0.85"),
    ("passive-pull@s20-40", "1.3"),
    ("pick-and-place", "0.3"),
    ("piston", "0.2"),
    ("scaled-cylinder@1", "0.35"),
    ("shapes@octopus", "0.25"),
    ("soft-cube", "0.3"),
    ("sphere", "0.4"),
    ("tentacle@pressed", "0.25"),
    ("thesis-masses@small-100", "1.4"),
    ("thesis-shapes@plunger", "0.12"),
    ("three-blocks", "0.2"),
    ("toy@middle", "0.5"),
    ("tunnel-over", "0.2"),
    ("tunnel-two", "0.16"),
];

/// The same under `ipc`: quick ones, with a passive cup, a regulator, two cups on one line, and bodies that are lifted and pressed.
const UNDER_IPC: [(&str, &str); 6] = [
    ("active-pull", "0.1"),
    ("bell", "0.3"),
    ("ground", "0.3"),
    ("lift", "0.3"),
    ("manifold", "0.2"),
    ("soft-cube", "0.18"),
];

/// Whether a scene ends with other bits with two threads than with one.
fn differs(scene: &str, duration: &str, solver: &str) -> bool {
    let hash = |threads: &str| {
        let name = format!("threads-{solver}-{threads}");
        let arguments = ["--threads", threads, "--duration", duration, "--solver", solver];
        let run = run(scene, &name, &arguments);
        assert!(!run.events_of("seal").is_empty(), "{scene}: no suction within {duration} s");
        run.summary["state_hash"].as_str().expect("a hash").to_string()
    };
    hash("1") != hash("2")
}

fn assert_the_same(scenes: &[(&str, &str)], solver: &str) {
    let differing = scenes.iter().filter(|(scene, duration)| differs(scene, duration, solver));
    let differing: Vec<&str> = differing.map(|(scene, _)| *scene).collect();
    assert!(differing.is_empty(), "not the same bits with one and two threads: {differing:?}");
}

#[test]
fn suction_is_the_same_for_any_number_of_threads() {
    assert_the_same(&SCENES, "ncp");
}

#[test]
fn suction_under_ipc_is_the_same_for_any_number_of_threads() {
    assert_the_same(&UNDER_IPC, "ipc");
}

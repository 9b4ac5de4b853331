//! Air: what seals, what does not, and whose air it is.

use crate::run::run;

/// What sealed was held up to twice the sealing distance together with the rest of its triangles, and these with theirs: so a seal crept
/// along a rim, a triangle a step, and closed a bell that stands still, a quarter of a second after it was set down.
#[test]
fn a_rim_that_never_came_near_enough_does_not_seal() {
    let run = run("tilted-bell.toml", "tilted-bell", &[]);
    let sealed: Vec<f64> = run.events_of("seal").iter().map(|e| e.time).collect();
    assert!(sealed.is_empty(), "{sealed:?}");
    // Level, 3 um above the contact distance, the same bell does.
    let level =
        ["--set", "bodies.bell.rotation.angle=0", "--set", "bodies.bell.position=[0, 0, 4e-6]"];
    let run = crate::run::run("tilted-bell.toml", "level-bell", &level);
    assert_eq!(run.events_of("seal").len(), 1);
}

/// What was known of the seals of some bodies was forgotten when another one came near: then every gap had to be below the sealing
/// distance anew, and a cup opened because a ball passed by.
#[test]
fn a_seal_stays_when_another_body_comes_near() {
    let run = run("bell-and-ball.toml", "bell-and-ball", &[]);
    let story: Vec<&str> = run.events().iter().map(|e| e.kind).collect();
    assert_eq!(story, ["seal"], "it closes at the start and stays");
}

/// A cavity beside one of fifty times its size counted as part of it, however deep it was; and what closed around it took
/// in no air of its own. The hood had the few moles of the bell in its litre and a half: 209 Pa, and 3 kN.
#[test]
fn a_small_cavity_keeps_its_air_under_a_large_one() {
    let run = run("bell-under-hood.toml", "bell-under-hood", &[]);
    let (bell, hood) = (run.column("cavity.0.pressure_pa"), run.column("cavity.1.pressure_pa"));
    let end = bell.len() - 1;
    // 3.14 cm3 of the bell and 6.3 cm3 of the muscle have what the bell had.
    let expected = 101_325.0 * 3.1429 / (3.1429 + 6.3);
    assert!((bell[end] / expected - 1.0).abs() < 2e-3, "{} of {expected}", bell[end]);
    assert!((hood[end] / 101_325.0 - 1.0).abs() < 2e-3, "{}", hood[end]);
}

/// But a bell of 0.4 mm, shallow as any cup that is pressed, still did: it lost its vacuum without an event when the hood closed, and no cavity
/// was left of it when the hood was taken away.
#[test]
fn a_shallow_cavity_keeps_its_air_under_a_large_one_and_after_it() {
    let shallow = [
        "--set",
        "bodies.bell.shape.cavity_height=0.0004",
        "--set",
        "gas.muscles.widens.volume=[[0, 0], [0.02, 2.5e-7]]",
        "--set",
        "bodies.hood.motion.keys=[{ time = 0.1 }, { time = 0.15, translation = [0, 0, -0.99e-3] }, \
         { time = 0.2, translation = [0, 0, -0.99e-3] }, { time = 0.25, translation = [0, 0, 0.05] }]",
    ];
    let run = run("bell-under-hood.toml", "shallow-bell", &shallow);
    let volume = run.column("cavity.0.volume_m3")[0];
    let expected = 101_325.0 * volume / (volume + 2.5e-7);
    let (times, bell) = (run.times(), run.column("cavity.0.pressure_pa"));
    for (time, pressure) in times.iter().zip(bell).filter(|(time, _)| **time > 0.05) {
        assert!((pressure / expected - 1.0).abs() < 2e-3, "{time} s: {pressure} of {expected}");
    }
    let story: Vec<&str> = run.events().iter().map(|e| e.kind).filter(|k| *k != "vent").collect();
    assert_eq!(story, ["seal", "seal", "unseal", "detach"], "bell, hood, and the hood again");
}

/// Suction acted on everything that touched what touched a seal: a block that was set down beside a bell was pulled to the plate with 109 N,
/// through the face on which it stands; what that face holds made the bell's vacuum.
#[test]
fn suction_does_not_act_on_what_stands_beside() {
    let run = run("bell-beside-block.toml", "bell-beside-block", &[]);
    let block = run.column("body.block.gas_force_z_n");
    assert!(block.iter().all(|force| *force == 0.0), "{block:?}");
    let (bell, times) = (run.column("body.bell.gas_force_z_n"), run.times());
    let alone = times.iter().position(|time| *time > 0.09).expect("a step before it comes");
    let (before, after) = (bell[alone], bell[bell.len() - 1]);
    assert!(before < -40.0 && (after / before - 1.0).abs() < 1e-4, "{before} and {after} N");
}

/// Where the rims of two cups touched, one of them had the seals of both: its neighbour held half of what it should.
#[test]
fn cups_that_touch_have_each_their_own_seal() {
    let run = run("two-bells.toml", "two-bells", &[]);
    let last = |name: &str| run.column(name)[run.times().len() - 1];
    let gauge = 101_325.0 - last("cavity.0.pressure_pa");
    // The polygon of its rim has 0.3 % less than the circle.
    let expected = gauge * std::f64::consts::PI * 0.015_f64.powi(2);
    let left = -last("body.left.gas_force_z_n");
    assert!(gauge > 5e4 && (left / expected - 1.0).abs() < 0.01, "{left} of {expected} N");
    assert!(last("body.right.gas_force_z_n").abs() < 1e-6 * left);
}

/// What held no air could not lose any: an emptied cavity opened without an event, and its relative jumps at a new look were no numbers.
#[test]
fn an_emptied_cavity_opens_with_an_event() {
    let run = run("emptied-bell.toml", "emptied-bell", &[]);
    let story: Vec<&str> = run.events().iter().map(|e| e.kind).collect();
    assert_eq!(story, ["seal", "unseal", "detach"]);
    assert!(run.column("relook_jump").iter().all(|jump| jump.abs() < 1e-3));
}

/// Where a large cavity had opened, no small one could ever close again: its air was taken for what facets leave of a broken seal.
#[test]
fn a_small_cup_seals_where_a_large_one_was() {
    let run = run("bell-after-hood.toml", "bell-after-hood", &[]);
    let story: Vec<&str> = run.events().iter().map(|e| e.kind).filter(|k| *k != "vent").collect();
    assert_eq!(story, ["seal", "unseal", "detach", "seal"]);
}

/// The work of gas on a body that is moved as prescribed was in no book: pulled by its plate a cup made energy out of nothing, steps
/// were halved for it, and faster ones refused. It is the same motion, seen from the plate.
#[test]
fn it_is_the_same_who_pulls() {
    let runs = ["cup", "plate"].map(|who| {
        let name = format!("pulled-by-{who}");
        run(&format!("{name}.toml"), &name, &[])
    });
    let [cup, plate] = runs.each_ref().map(|r| r.figure("/energy/dissipated"));
    // Both lose what backward Euler and damping take; the speeds differ by that of the plate, and with them a little of it.
    assert!((cup / plate - 1.0).abs() < 0.02, "{cup} and {plate} J");
    let [cup, plate] = runs.each_ref().map(|r| {
        let pull = r.column("attachment.hand.force_z_n");
        pull.iter().copied().fold(0.0, f64::max)
    });
    assert!((cup / plate - 1.0).abs() < 1e-3, "{cup} and {plate} N");
}

/// Half the film that was pressed out of a touching part was given to whichever corners of its triangle sealed: pressures jumped by a
/// tenth whenever a border was drawn anew.
#[test]
fn wet_borders_are_drawn_anew_without_a_jump() {
    let film = ["--set", "gas.film_thickness=1e-4", "--duration", "1.5"];
    let run = run("lift", "wet-lift", &film);
    let jump = run.figure("/largest_relook_jump");
    assert!(jump < 0.02, "{jump}");
}

/// Where a step made energy it was done in halves; but halves of the step in which an undamped cup lets go make more, not less. Runs of
/// quite ordinary cups ended there.
#[test]
fn an_undamped_cup_may_let_go() {
    for material in ["corotated", "stable-neo-hookean"] {
        let model = format!("bodies.cup.material.model={material}");
        let run = run("snap.toml", &format!("snap-{material}"), &["--set", &model]);
        assert_eq!(run.events_of("detach").len(), 1, "{material}: it lets go");
        assert!((run.times().last().expect("steps") - 2.0).abs() < 1e-9, "{material}: to its end");
        // No step makes more than a twentieth of what is stored and moves.
        let (kinetic, elastic) = (run.column("energy.kinetic_j"), run.column("energy.elastic_j"));
        let dissipated = run.column("energy.dissipated_j");
        let largest = kinetic.iter().zip(elastic).map(|(k, e)| k + e).fold(0.0, f64::max);
        let gained = dissipated.windows(2).map(|d| d[0] - d[1]).fold(0.0, f64::max);
        assert!(gained < 0.05 * largest, "{material}: {gained} of {largest} J");
    }
}

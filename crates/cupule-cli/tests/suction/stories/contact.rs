//! Contact: who is pushed, how far, and what it takes to hold on.

use crate::run::{Run, run};

fn worst(run: &Run) -> f64 {
    run.column("residual_gap_m")
        .iter()
        .copied()
        .fold(0.0, |a, b| if b.is_nan() { b } else { a.max(b) })
}

/// A contact had a row as soon as any unknown occurred in it, be it with weight zero. Its compliance was then nothing, its force no
/// number.
#[test]
fn contacts_that_nothing_can_move_have_no_row() {
    let wall = run("beside-a-wall.toml", "beside-a-wall", &[]);
    assert!(worst(&wall) < 1e-6, "{}", worst(&wall));
    let hand = wall.column("attachment.hand.force_z_n");
    let weight = 0.03 * 0.03 * 0.02 * 1000.0 * 9.81;
    assert!((hand[hand.len() - 1] / weight - 1.0).abs() < 1e-3, "{hand:?}");
    let pads = run("two-pads.toml", "two-pads", &[]);
    assert!(worst(&pads) < 1e-6, "{}", worst(&pads));
    let height = pads.column("body.plate.z_m");
    assert!((height[height.len() - 1] - 0.0252).abs() < 1e-4, "{height:?}");
}

/// Contacts are looked for along free motion. What contact itself pushes elsewhere was never asked whom it meets there: the box went
/// through a wall of 50 mm in a few steps, and every check passed.
#[test]
fn what_is_pushed_does_not_go_through_walls() {
    let run = run("pushed-into-a-wall.toml", "pushed-into-a-wall", &[]);
    let box_x = run.column("body.box.x_m");
    // The wall begins at 25 mm, half the box is 10 mm.
    assert!(box_x.iter().all(|x| *x < 0.015), "{box_x:?}");
    assert!(box_x[box_x.len() - 1] > 0.0147, "it gets there: {box_x:?}");
    // A faster ram, or a longer step, does not change that.
    for faster in ["bodies.ram.velocity=[10, 0, 0]", "solver.time_step=0.02"] {
        let run = crate::run::run("pushed-into-a-wall.toml", "pushed-faster", &["--set", faster]);
        let box_x = run.column("body.box.x_m");
        assert!(box_x.iter().all(|x| *x < 0.015), "{faster}: {box_x:?}");
    }
}

/// And where it touched the same body elsewhere it was still not asked: floor and wall of a tray are one.
#[test]
fn what_is_pushed_does_not_go_through_walls_of_what_it_stands_on() {
    let run = run("pushed-in-a-tray.toml", "pushed-in-a-tray", &["--audit"]);
    let box_x = run.column("body.box.x_m");
    assert!(box_x.iter().all(|x| *x < 0.015), "{box_x:?}");
    assert_eq!(run.figure("/intersecting_pairs"), 0.0);
}

/// Nor was what hangs between corners that move far and others that do not: a bar went through a post.
#[test]
fn faces_between_far_corners_do_not_go_through_posts() {
    let run = run("struck-bar.toml", "struck-bar", &["--audit"]);
    assert_eq!(run.figure("/intersecting_pairs"), 0.0);
    let push = run.column("body.post.contact_force_y_n");
    assert!(push.iter().any(|force| *force > 1.0), "it is met: {push:?}");
}

/// Bodies that were too near were parted at 10 mm/s, also where what turns misses more in every step: a ball sank deeper and deeper
/// into a paddle, with a residual of 1e-7 m and no word of its depth.
#[test]
fn what_turning_bodies_miss_does_not_add_up() {
    let run = run("paddle.toml", "paddle", &[]);
    let (x, y, t) = (run.column("body.ball.x_m"), run.column("body.ball.y_m"), run.times());
    let (turn, h) = (10.0_f64, 0.01);
    let mut deepest: f64 = 0.0;
    for k in 1..t.len() {
        let along = |k: usize| x[k] * (turn * t[k]).cos() + y[k] * (turn * t[k]).sin();
        let gap = y[k] * (turn * t[k]).cos() - x[k] * (turn * t[k]).sin() - 0.02;
        // In a step the paddle turns away under what has slid along it.
        let slid = along(k) - along(k - 1);
        assert!(gap > -1.1 * slid * turn * h - 1e-4, "{} s: {gap} m, slid {slid} m", t[k]);
        deepest = deepest.max(-gap);
    }
    let told = run.figure("/max_penetration_m");
    assert!(told > 0.7 * deepest, "it is told: {told} of {deepest} m");
}

/// A contact whose unknowns had each less than a thousandth of its weight was left out: so were patches of many nodes, and a plate fell
/// through the ground.
#[test]
fn a_patch_of_many_nodes_holds() {
    let run = run("one-large-patch.toml", "one-large-patch", &[]);
    let lowest = run.column("body.plate.lowest_m");
    assert!(lowest.iter().all(|z| *z > 0.0), "{lowest:?}");
}

/// What was missing to the contact distance was made up in one step, and the speed that took stayed: half of 20 um in 0.1 ms
/// is 1 m/s, and a box at rest flew 51 mm high.
#[test]
fn bodies_that_start_too_near_are_parted_gently() {
    let run = run("too-near.toml", "too-near", &[]);
    let lowest = run.column("body.box.lowest_m");
    let highest = lowest.iter().copied().fold(0.0, f64::max);
    // Parted at 10 mm/s, it rises by v^2 / 2 g.
    let most = 2e-4 + 0.01_f64.powi(2) / (2.0 * 9.81);
    assert!(highest < 1.05 * most, "{highest} m, {most} m");
}

/// A soft body without a free node had no equations, and what holds it read nothing.
#[test]
fn what_is_held_everywhere_weighs() {
    let run = run("held-everywhere.toml", "held-everywhere", &[]);
    let hand = run.column("attachment.hand.force_z_n");
    let weight = 0.03 * 0.03 * 0.02 * 1000.0 * 9.81;
    assert!((hand[hand.len() - 1] / weight - 1.0).abs() < 1e-9, "{hand:?} of {weight}");
}

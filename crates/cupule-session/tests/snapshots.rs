//! A session that is restored goes on with the same bits, whatever it did in between.
#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

use cupule_session::{Session, SessionError, Snapshot};

/// Steps after a snapshot, and again after it is restored.
const STEPS: usize = 200;

fn session(scene: &str) -> Session {
    Session::load(scene, &[]).unwrap()
}

/// Hashes of the state after every step.
fn steps(session: &mut Session, count: usize) -> Vec<u64> {
    (0..count)
        .map(|_| {
            session.step(&mut ()).unwrap();
            session.world().state_hash()
        })
        .collect()
}

/// Snapshots of a run before steps that no pattern of the scene picks out.
fn snapshots(session: &mut Session) -> Vec<Snapshot> {
    let total =
        (session.loaded().scene.duration / session.loaded().scene.solver.time_step) as usize;
    // Multiples of the golden ratio, modulo one, are spread evenly and without a pattern.
    let mut at: Vec<usize> = (1..=5)
        .map(|k| (f64::from(k) * 0.618_033_988_75).fract())
        .map(|share| (share * total.saturating_sub(STEPS) as f64) as usize)
        .collect();
    at.sort_unstable();
    let mut taken = Vec::new();
    for step in at {
        steps(session, step - session.steps() as usize);
        taken.push(session.snapshot());
    }
    taken
}

fn restored_goes_on_with_the_same_bits(scene: &str) {
    let mut session = session(scene);
    for snapshot in snapshots(&mut session) {
        session.restore(&snapshot).unwrap();
        let begun = session.steps();
        let first = steps(&mut session, STEPS);
        session.restore(&snapshot).unwrap();
        assert_eq!(session.steps(), begun);
        assert_eq!(steps(&mut session, STEPS), first, "{scene} from step {begun}");
    }
}

#[test]
fn lift() {
    restored_goes_on_with_the_same_bits("lift");
}

#[test]
fn pick_and_place() {
    restored_goes_on_with_the_same_bits("pick-and-place");
}

#[test]
fn manifold() {
    restored_goes_on_with_the_same_bits("manifold");
}

#[test]
fn teddy_grasp() {
    restored_goes_on_with_the_same_bits("teddy-grasp");
}

/// Going on after a snapshot changes nothing: a run that was never interrupted ends where one with a detour does.
#[test]
fn a_detour_leaves_no_trace() {
    let (mut straight, mut detour) = (session("lift"), session("lift"));
    let expected = steps(&mut straight, 120);
    steps(&mut detour, 60);
    let snapshot = detour.snapshot();
    detour.command("contact.friction", &[0.0]).unwrap();
    detour.command("attachment.hand.offset", &[0.001, 0.0, 0.002]).unwrap();
    let elsewhere = steps(&mut detour, 60);
    assert_ne!(elsewhere[..], expected[60..], "the commands do something");
    detour.restore(&snapshot).unwrap();
    assert_eq!(steps(&mut detour, 60), expected[60..]);
}

#[test]
fn a_snapshot_of_another_scene_is_refused() {
    let (mut one, other) = (session("lift"), session("stack"));
    assert!(matches!(one.restore(&other.snapshot()), Err(SessionError::OtherScene { .. })));
}

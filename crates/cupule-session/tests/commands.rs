//! Commands do what they say, by name, and what cannot be meant is refused.
#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

use cupule_session::{Session, SessionError};

fn session(scene: &str) -> Session {
    Session::load(scene, &[]).unwrap()
}

fn run(session: &mut Session, steps: usize) {
    for _ in 0..steps {
        session.step(&mut ()).unwrap();
    }
}

fn read(session: &Session, sensor: &str) -> Vec<f64> {
    session.read(sensor).unwrap()
}

#[test]
fn every_actuator_takes_what_the_scene_says() {
    for scene in ["lift", "manifold", "octopus-arm", "pick-and-place", "attachment", "bell", "dart"]
    {
        let mut session = session(scene);
        let names: Vec<String> = session.actuators().iter().map(|a| a.name.clone()).collect();
        assert!(!names.is_empty(), "{scene}");
        for name in names {
            let place = session.actuator(&name).unwrap();
            let values = session.actuators()[place].by_scene(session.time());
            assert_eq!(
                values.len(),
                session.actuators()[place].components.len(),
                "{scene}: {name}"
            );
            session.command(&name, &values).unwrap_or_else(|e| panic!("{scene}: {e}"));
            assert_eq!(session.commanded(place), Some(&values[..]));
            session.release(&name).unwrap();
            assert_eq!(session.commanded(place), None);
        }
        session.step(&mut ()).unwrap();
    }
}

/// Commands that repeat what the scene says, or that were taken back before a step, change no bit.
#[test]
fn what_is_released_leaves_no_trace() {
    let (mut plain, mut touched) = (session("lift"), session("lift"));
    let names: Vec<String> = touched.actuators().iter().map(|a| a.name.clone()).collect();
    for name in &names {
        let place = touched.actuator(name).unwrap();
        let values = touched.actuators()[place].by_scene(0.0);
        touched.command(name, &values).unwrap();
        touched.release(name).unwrap();
    }
    run(&mut plain, 40);
    run(&mut touched, 40);
    assert_eq!(plain.world().state_hash(), touched.world().state_hash());
}

/// A commanded translation is where the attachment is after one step: the points are led, not pulled.
#[test]
fn an_attachment_goes_where_it_is_commanded() {
    let mut session = session("lift");
    let start = read(&session, "attachment.hand.position");
    let to = [0.001, -0.002, 0.003];
    session.command("attachment.hand.translation", &to).unwrap();
    run(&mut session, 1);
    let now = read(&session, "attachment.hand.position");
    for i in 0..3 {
        assert!((now[i] - start[i] - to[i]).abs() < 1e-12, "{start:?} {now:?}");
    }
    // A quarter turn about z through the middle of the attachment leaves that where it is.
    session.command("attachment.hand.rotation", &[0.0, 0.0, 0.1]).unwrap();
    run(&mut session, 1);
    let turned = read(&session, "attachment.hand.position");
    assert!((turned[2] - now[2]).abs() < 1e-12, "{now:?} {turned:?}");
}

#[test]
fn a_robot_goes_where_its_joints_are_commanded() {
    let mut session = session("pick-and-place");
    let name =
        session.actuators().iter().find(|a| a.name.starts_with("robot.")).unwrap().name.clone();
    let sensor = name.clone();
    let mut values = read(&session, &sensor);
    let before = read(&session, "time");
    values[0] += 0.01;
    session.command(&name, &values).unwrap();
    run(&mut session, 1);
    assert_eq!(read(&session, &sensor), values);
    assert!(read(&session, "time") > before);
    session.release(&name).unwrap();
    run(&mut session, 1);
    let place = session.actuator(&name).unwrap();
    assert_eq!(read(&session, &sensor), session.actuators()[place].by_scene(session.time()));
    let short = session.command(&name, &values[1..]);
    assert!(matches!(short, Err(SessionError::Shape { .. })), "{short:?}");
}

#[test]
fn what_cannot_be_meant_is_refused_with_the_reason() {
    let mut session = session("lift");
    let refused = |session: &mut Session, name: &str, values: &[f64]| {
        session.command(name, values).unwrap_err().to_string()
    };
    let near = refused(&mut session, "attachment.hand.ofset", &[0.0; 3]);
    assert!(near.contains("`attachment.hand.offset`"), "{near}");
    let far = refused(&mut session, "qqq", &[0.0]);
    assert_eq!(far, "no actuator is named `qqq`");
    let shape = refused(&mut session, "attachment.hand.offset", &[0.0]);
    assert_eq!(shape, "`attachment.hand.offset` takes 3 values, not 1");
    for value in [f64::NAN, f64::INFINITY, -0.1] {
        let range = refused(&mut session, "contact.friction", &[value]);
        assert!(
            range.starts_with("`contact.friction` = ") && range.contains("between 0 and"),
            "{range}"
        );
    }
    let sensor = session.read("body.cup.velocty").unwrap_err().to_string();
    assert!(sensor.contains("`body.cup.velocity`"), "{sensor}");
}

/// Parameters stay when a session is reset, actuators go back to the scene; and a run from there has the bits of a new one.
#[test]
fn reset_starts_again() {
    let (mut fresh, mut used) = (session("lift"), session("lift"));
    used.command("attachment.hand.offset", &[0.0, 0.0, 0.001]).unwrap();
    used.command("contact.friction", &[0.3]).unwrap();
    run(&mut used, 20);
    used.reset().unwrap();
    assert_eq!((used.time(), used.steps()), (0.0, 0));
    let [offset, friction] =
        ["attachment.hand.offset", "contact.friction"].map(|name| used.actuator(name).unwrap());
    assert_eq!((used.commanded(offset), used.commanded(friction)), (None, Some(&[0.3][..])));
    fresh.command("contact.friction", &[0.3]).unwrap();
    run(&mut fresh, 20);
    run(&mut used, 20);
    assert_eq!(fresh.world().state_hash(), used.world().state_hash());
}

/// An interrupt belongs to a session: another one knows nothing of it.
#[test]
fn an_interrupt_is_the_session_s_own() {
    let (one, other) = (session("stack"), session("stack"));
    let handle = one.interrupt().clone();
    assert!(!handle.request() && handle.request(), "the second time it was requested already");
    assert!(one.interrupt().is_requested() && !other.interrupt().is_requested());
}

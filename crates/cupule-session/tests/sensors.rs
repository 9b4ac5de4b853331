//! Sensors say what the world says.
#![allow(clippy::unwrap_used, reason = "what a test cannot set up fails it")]

use std::collections::BTreeSet;

use cupule::world::BodyId;
use cupule_session::Session;

#[test]
fn every_sensor_has_its_own_name_and_as_many_values_as_columns() {
    for scene in ["lift", "manifold", "octopus-arm", "pick-and-place", "three-blocks"] {
        let mut session = Session::load(scene, &[]).unwrap();
        for _ in 0..2 {
            let mut names = BTreeSet::new();
            for sensor in session.sensors().iter() {
                assert!(names.insert(&sensor.name), "{scene}: two are named {}", sensor.name);
                let values = session.read(&sensor.name).unwrap();
                assert_eq!(values.len(), sensor.columns.len(), "{scene}: {}", sensor.name);
                let [low, high] = sensor.range;
                let fits = |value: &f64| value.is_finite() && (low..=high).contains(value);
                assert!(values.iter().all(fits), "{scene}: {} = {values:?}", sensor.name);
            }
            session.step(&mut ()).unwrap();
        }
    }
}

#[test]
fn a_body_is_where_its_sensor_says() {
    let mut session = Session::load("lift", &[]).unwrap();
    for _ in 0..30 {
        session.step(&mut ()).unwrap();
    }
    for index in 0..session.world().body_count() {
        let body = session.world().body_report(BodyId(index));
        let name = session.world().body_name(BodyId(index));
        let read = |key: &str| session.read(&format!("body.{name}.{key}")).unwrap();
        assert_eq!(read("position"), body.centre.to_array());
        assert_eq!(read("velocity"), body.velocity.to_array());
        assert_eq!(read("lowest"), [body.lowest]);
    }
}

/// A cavity is read by its number; before it is there, and after it has gone, there is no value, which is not an error.
#[test]
fn cavities_are_read_by_number() {
    let mut session = Session::load("lift", &[]).unwrap();
    assert!(session.read("cavity.0.pressure_pa").unwrap()[0].is_nan());
    while session.world().cavities().is_empty() {
        session.step(&mut ()).unwrap();
    }
    let cavity = &session.world().cavities()[0];
    let read = session.read(&format!("cavity.{}.pressure_pa", cavity.id)).unwrap();
    assert_eq!(read, [cavity.pressure]);
    assert!(session.read("cavity.0.pressure").is_err());
}

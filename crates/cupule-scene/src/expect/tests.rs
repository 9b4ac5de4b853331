//! Expectations on a run that is known in closed form.

use super::*;
use serde_json::json;

fn outcome(block: &str) -> Outcome {
    let events = [
        json!({ "time": 0.5, "kind": "seal", "what": "cup" }),
        json!({ "time": 1.0, "kind": "lift", "what": "cup" }),
    ];
    outcome_of(block, events.to_vec())
}

fn outcome_of(block: &str, events: Vec<serde_json::Value>) -> Outcome {
    // z = 3 + 2 t + 5 t^2 in steps of 0.1 s.
    let times: Vec<f64> = (1..=20).map(|i| f64::from(i) * 0.1).collect();
    let z: Vec<f64> = times.iter().map(|t| 3.0 + 2.0 * t + 5.0 * t * t).collect();
    // A cavity that is there from 0.5 to 1 s.
    let pressure: Vec<f64> =
        (1..=20).map(|i| if (5..=10).contains(&i) { 1e5 } else { f64::NAN }).collect();
    let summary = json!({ "residual": { "gap_m": 1e-8 }, "events": events });
    let scene = json!({ "gravity": [0.0, 0.0, -9.81] });
    let column = |name: &str| match name {
        "body.a.z_m" => Some(z.as_slice()),
        "cavity.0.pressure_pa" => Some(pressure.as_slice()),
        "time_s" => Some(times.as_slice()),
        _ => None,
    };
    let expect: Expect = toml::from_str(&format!("name = 'n'\n{block}")).unwrap();
    assert_eq!(check(&expect), []);
    evaluate(&expect, &Figures { times: &times, column: &column, summary: &summary, scene: &scene })
}

fn value(block: &str) -> f64 {
    outcome(block).value.unwrap()
}

#[test]
fn spans_reduce_to_the_expected_numbers() {
    let near =
        |block: &str, expected: f64| assert!((value(block) - expected).abs() < 1e-9, "{block}");
    near("value = 'body.a.z_m'\nmin = 0", 27.0);
    near("value = 'body.a.z_m'\nat = 1.0\nmin = 0", 10.0);
    for (reduce, expected) in [
        ("min", 10.0),
        ("max", 27.0),
        ("last", 27.0),
        ("drift", 17.0),
        ("range", 17.0),
        ("slope", 17.0),
        ("acceleration", 10.0),
    ] {
        near(
            &format!("value = 'body.a.z_m'\nover = [1.0, 2.0]\nreduce = '{reduce}'\nmin = 0"),
            expected,
        );
    }
    near("value = 'body.a.z_m - 5*time_s^2'\nover = [0.5, 2]\nreduce = 'slope'\nmin = 0", 2.0);
}

#[test]
fn bounds_decide() {
    assert!(outcome("value = 'body.a.z_m'\nmin = 26.9\nmax = 27.1").ok);
    assert!(!outcome("value = 'body.a.z_m'\nmax = 26.9").ok);
    assert!(
        outcome(
            "value = 'body.a.z_m'\nnear = '27*scene.gravity.2/-9.81'\nrelative_tolerance = 1e-9"
        )
        .ok
    );
    assert!(!outcome("value = 'body.a.z_m'\nnear = 26\ntolerance = 0.5").ok);
    assert!(outcome("value = 'summary.residual.gap_m'\nmax = 1e-6").ok);
    assert!(!outcome("value = 'summary.missing'\nmax = 1e-6").ok, "an unknown figure never passes");
    assert!(
        !outcome("value = 'body.a.z_m'\nat = 5.0\nmin = 0").ok,
        "a time after the end never passes"
    );
    for bound in [
        "near = 'summary.missing'\ntolerance = 1",
        "near = 27\nrelative_tolerance = 0.1\ntolerance = 'summary.missing'",
    ] {
        let block = format!("value = 'body.a.z_m'\n{bound}\nmin = 0\nmax = 100");
        assert!(!outcome(&block).ok, "an unknown bound never lets pass: {block}");
    }
}

#[test]
fn events_must_come_in_order() {
    assert!(
        outcome("events = [{ kind = 'seal' }, { kind = 'lift', what = 'cup', before = 1.5 }]").ok
    );
    assert!(!outcome("events = [{ kind = 'lift' }, { kind = 'seal' }]").ok);
    assert!(!outcome("events = [{ kind = 'lift', after = 1.5 }]").ok);
}

#[test]
fn unwanted_events_are_noticed() {
    assert!(outcome("never = [{ kind = 'drop' }, { kind = 'lift', before = 0.9 }]").ok);
    assert!(!outcome("never = [{ kind = 'drop' }, { kind = 'lift' }]").ok);
    let both = outcome("events = [{ kind = 'seal' }]\nnever = [{ kind = 'lift', after = 0.9 }]");
    assert_eq!((both.ok, both.bound.as_str()), (false, "seal; no lift after 0.9 s"));
}

#[test]
fn the_bound_of_events_tells_their_times() {
    let bound = |block: &str| outcome(block).bound;
    assert_eq!(
        bound(
            "events = [{ kind = 'seal', before = 0.3 }, { kind = 'unseal', after = 0.7, before = 1.1 }, { kind = 'detach' }]\n\
             never = [{ kind = 'unseal', before = 0.7 }]"
        ),
        "seal before 0.3 s, then unseal at 0.7 to 1.1 s, then detach; no unseal before 0.7 s"
    );
    assert_eq!(
        bound("events = [{ kind = 'seal', before = 0.5 }, { kind = 'seal' }, { kind = 'seal' }]"),
        "seal before 0.5 s, then 2 x seal"
    );
    assert_eq!(
        bound("never = [{ kind = 'drop' }, { kind = 'lift', after = 1.5 }]"),
        "no drop, no lift after 1.5 s"
    );
}

#[test]
fn times_at_which_events_came_are_found() {
    let found = |block: &str| outcome(block).found.unwrap();
    assert_eq!(found("events = [{ kind = 'seal' }, { kind = 'lift' }]"), "0.500, 1.000 s");
    assert_eq!(found("events = [{ kind = 'seal' }, { kind = 'drop' }]"), "0.500 s");
    assert_eq!(found("events = [{ kind = 'drop' }]"), "none");
    assert_eq!(found("never = [{ kind = 'drop' }]"), "none");
    assert_eq!(found("never = [{ kind = 'lift' }]"), "1.000 s");
    let many: Vec<_> = (0..10).map(|i| json!({ "time": f64::from(i), "kind": "vent" })).collect();
    let all = ["{ kind = 'vent' }"; 10].join(",");
    assert!(
        outcome_of(&format!("events = [{all}]"), many)
            .found
            .unwrap()
            .ends_with("7.000 s and 2 more")
    );
    assert_eq!(outcome("value = 'body.a.z_m'\nmin = 0").found, None);
}

#[test]
fn events_that_are_missing_or_unwelcome_are_named() {
    let why = |block: &str| outcome(block).why.unwrap();
    assert_eq!(
        why("events = [{ kind = 'lift', after = 2.5, before = 3 }]"),
        "no lift at 2.5 to 3 s (it came at 1.000 s); the run ends at 2 s"
    );
    assert_eq!(
        why("events = [{ kind = 'lift' }, { kind = 'seal' }]"),
        "no seal after 1 s (it came at 0.500 s)"
    );
    assert_eq!(
        why("events = [{ kind = 'lift' }, { kind = 'seal', before = 0.9 }]"),
        "no seal before 0.9 s (it came at 0.500 s)"
    );
    assert_eq!(
        why("events = [{ kind = 'seal', what = 'ball' }]"),
        "no seal with the words `ball` (it came at 0.500 s)"
    );
    assert_eq!(
        why("events = [{ kind = 'drop' }]\nnever = [{ kind = 'lift' }]"),
        "no drop; lift came at 1.000 s"
    );
    assert_eq!(outcome("events = [{ kind = 'seal' }, { kind = 'lift' }]").why, None);
}

#[test]
fn a_figure_that_is_missing_says_why() {
    let why = |block: &str| {
        let outcome = outcome(&format!("{block}\nmin = 0"));
        assert_eq!((outcome.ok, outcome.value), (false, None), "{block}");
        outcome.why.unwrap()
    };
    let pressure = |rest: &str| why(&format!("value = '2*cavity.0.pressure_pa'\n{rest}"));
    assert_eq!(pressure("at = 2.5"), "the run ends at 2 s, before 2.5 s");
    assert_eq!(pressure("over = [2.5, 3]"), "the run ends at 2 s, before 2.5 s");
    assert_eq!(pressure("over = [1.5, 3]"), "the run ends at 2 s, before 3 s");
    assert_eq!(pressure("over = [0.52, 0.53]"), "no step ends between 0.52 and 0.53 s");
    assert_eq!(
        pressure("over = [1.5, 2]"),
        "cavity.0.pressure_pa is not there between 1.5 and 2 s"
    );
    assert_eq!(
        pressure("over = [0.5, 1.5]"),
        "cavity.0.pressure_pa is not there in 5 of 11 steps between 0.5 and 1.5 s, first at 1.1 s"
    );
    assert_eq!(pressure("at = 1.2"), "cavity.0.pressure_pa is not there at 1.2 s");
    assert_eq!(why("value = 'summary.missing'"), "summary.missing is not there");
    assert_eq!(why("value = 'sqrt(0 - body.a.z_m)'"), "the formula gives no number at 2 s");
    assert_eq!(why("value = 'body.a.z_m/0'"), "the figure is not finite");
    assert_eq!(
        why("value = 'body.a.z_m'\nover = [1.95, 2]\nreduce = 'slope'"),
        "a slope needs two steps, and only one counts"
    );
    assert_eq!(
        why("value = 'body.a.z_m'\nover = [1.85, 2]\nreduce = 'acceleration'"),
        "an acceleration needs three steps, and only 2 count"
    );
}

#[test]
fn a_bound_that_is_missing_says_why_and_a_bound_that_is_missed_does_not() {
    let missing = outcome("value = 'body.a.z_m'\nmax = '2*summary.missing'");
    assert_eq!(missing.why.unwrap(), "`max` is no number: summary.missing is not there");
    assert_eq!(outcome("value = 'body.a.z_m'\nmax = 1").why, None, "figure and bound say it");
    assert_eq!(outcome("value = 'body.a.z_m'\nmin = 1").why, None);
}

#[test]
fn unknown_columns_are_named_with_the_nearest() {
    let expect: Expect =
        toml::from_str("name = 'n'\nvalue = 'body.a.y_m - scene.x'\nmin = 0").unwrap();
    let problems = unknown_names(&expect, &["body.a.z_m".to_string()], &json!({}));
    assert!(problems[0].contains("body.a.z_m"), "{problems:?}");
    assert!(problems[1].contains("scene.x"), "{problems:?}");
}

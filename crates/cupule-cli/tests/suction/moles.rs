//! Moles followed by hand through appearing, splitting, merging and vanishing, with rigid bodies whose volumes are known.

use crate::run::{Run, run};

/// R T at the default temperature, J/mol.
const THERMAL: f64 = 8.314_462_618 * 293.15;

fn held(run: &Run, cavity: u32, step: usize) -> f64 {
    run.column(&format!("cavity.{cavity}.amount_mol"))[step]
}

/// Room (m3) between block and lid at a gap (m): two pockets of 23 x 30 mm, 5 and 10 mm deep, 0.2 mm over the wall of 4 mm, and the
/// gap over the whole top of 60 x 40 mm.
fn room(gap: f64) -> f64 {
    23e-3 * 30e-3 * 15e-3 + 4e-3 * 30e-3 * 0.2e-3 + 60e-3 * 40e-3 * gap
}

#[test]
fn moles_of_cavities_that_split_merge_and_vanish() {
    let run = run("two-pockets.toml", "two-pockets", &[]);
    let story: Vec<&str> = run.events().iter().map(|e| e.kind).collect();
    assert_eq!(story, ["seal", "split", "merge", "unseal", "detach"]);
    let step = |kind: &str| run.step_at(run.events_of(kind)[0].time);
    let (sealed, split, merged, opened) =
        (step("seal") + 1, step("split") + 1, step("merge") + 1, step("unseal") + 1);
    let gap = |step: usize| run.column("body.lid.lowest_m")[step];

    // It appears with the air that its room holds at atmospheric pressure. The loop of the seal runs within the sealing
    // distance of the edge: 2 (60 + 40) mm * 0.3 mm of 2400 mm2, times a gap of 0.3 mm, of 11 cm3: 0.2 %.
    let before = gap(sealed - 1);
    let enclosed = held(&run, 0, sealed) * THERMAL / 101_325.0;
    assert!((enclosed / room(before) - 1.0).abs() < 2e-3, "{enclosed} of {}", room(before));
    // Until it splits it keeps them all, and is compressed as Boyle says.
    let all = held(&run, 0, sealed);
    for step in sealed..split {
        assert_eq!(held(&run, 0, step), all);
        let pressure = run.column("cavity.0.pressure_pa")[step];
        assert!((pressure * room(gap(step)) / (all * THERMAL) - 1.0).abs() < 2e-3, "{pressure}");
    }
    // Split: the two have all of it, each at the pressure it had before.
    let parts = [0, 1].map(|cavity| held(&run, cavity, split));
    assert!(((parts[0] + parts[1]) / all - 1.0).abs() < 1e-14, "{parts:?} of {all}");
    let pockets = [23e-3 * 30e-3 * 10e-3, 23e-3 * 30e-3 * 5e-3];
    let ratio = pockets[0] / pockets[1];
    assert!((parts[0] / parts[1] / ratio - 1.0).abs() < 0.15, "{parts:?} like {pockets:?}");
    // Pressed on and pulled back, each keeps its own.
    for step in split..merged {
        let now = [0, 1].map(|cavity| held(&run, cavity, step));
        // What touches between the two changes hands by rounding.
        assert!((now[0] / parts[0] - 1.0).abs() < 1e-10, "{now:?} of {parts:?}");
        assert!(((now[0] + now[1]) / all - 1.0).abs() < 1e-14, "{now:?} of {all}");
    }
    // Merged: the sum, at one pressure.
    for step in merged..opened {
        assert!((held(&run, 0, step) / all - 1.0).abs() < 1e-14);
        let pressure = run.column("cavity.0.pressure_pa")[step];
        assert!((pressure * room(gap(step)) / (all * THERMAL) - 1.0).abs() < 2e-3, "{pressure}");
    }
    // Vanished: all of it is let go.
    assert!((run.figure("/moles/released") / all - 1.0).abs() < 1e-14);
    assert!((run.figure("/moles/created") / all - 1.0).abs() < 1e-14);
    assert!(run.figure("/moles/in_cavities").abs() < 1e-14 * all);
}

//! Cups pressed flat, on a plane and on a pipe, keep their cavity and open again.
//!
//! While air is pressed out P = P_atm, so at the end of it n = P_atm V / (R T) with V of the flat cup; from then on until the seal
//! opens no air comes or goes, whatever becomes flat, opens, parts or joins.

use crate::run::{Run, run};

/// R T at the default temperature, J/mol.
const THERMAL: f64 = 8.314_462_618 * 293.15;

/// All of a kind of column of cavities at a step, added up.
fn sum(run: &Run, column: &str, step: usize) -> f64 {
    let of = |cavity: u32| run.find(&format!("cavity.{cavity}.{column}"));
    let values = (0..).map_while(of).map(|column| column[step]);
    values.filter(|v| v.is_finite()).sum()
}

fn keeps_its_cavity_and_opens_again(run: &Run, name: &str) {
    let kinds: Vec<&str> = run.events().iter().map(|e| e.kind).collect();
    let count = |kind: &str| kinds.iter().filter(|k| **k == kind).count();
    assert_eq!([count("seal"), count("unseal"), count("detach")], [1, 1, 1], "{name}: {kinds:?}");
    assert!(run.events_of("unseal")[0].what.starts_with("cavity 0 "), "{name}");
    let (sealed, opened) = (
        run.step_at(run.events_of("seal")[0].time) + 1,
        run.step_at(run.events_of("unseal")[0].time),
    );

    let volumes: Vec<f64> = (sealed..opened).map(|step| sum(run, "volume_m3", step)).collect();
    let flattest = sealed
        + (0..volumes.len()).min_by(|a, b| volumes[*a].total_cmp(&volumes[*b])).expect("steps");
    let touching = sum(run, "touching_m2", flattest) / sum(run, "patch_m2", flattest);
    let left = sum(run, "volume_m3", flattest) / volumes[0];
    println!(
        "{name}: {:.1} % of the wall touches, {:.1} % of the volume is left",
        100.0 * touching,
        100.0 * left
    );
    assert!(touching > 0.9 && left < 0.12, "{name}: pressed flat, {touching}, {left}");

    let amount = sum(run, "amount_mol", opened);
    let pressed_out = 101_325.0 * volumes.iter().copied().fold(f64::INFINITY, f64::min) / THERMAL;
    assert!((amount / pressed_out - 1.0).abs() < 0.02, "{name}: {amount} mol of {pressed_out}");
    let last_vent =
        (sealed..=opened).rfind(|step| sum(run, "amount_mol", *step) > amount * (1.0 + 1e-12));
    let kept = last_vent.expect("it lets air out") + 1;
    assert!(run.times()[kept] < run.times()[flattest] + 0.1, "{name}: air goes until it is flat");
    for step in kept..=opened {
        let now = sum(run, "amount_mol", step);
        assert!((now / amount - 1.0).abs() < 1e-12, "{name}, step {step}: {now} of {amount} mol");
    }

    let jump = run.figure("/largest_relook_jump");
    println!("{name}: largest jump of pressure where a border is drawn anew {:.2} %", 100.0 * jump);
    assert!(jump < 0.01, "{name}: {jump}");
    assert!(run.figure("/moles/balance_error") < 1e-9, "{name}");
}

/// Press, hold and pull of the neoprene cup, which is 4 mm high.
const NEOPRENE: [&str; 6] = [
    "--set",
    "bodies.cup.cup=neoprene",
    "--set",
    "attachments.hand.drive.keys=[{ time = 0.5, translation = [0, 0, -0.005] }, { time = 0.7, translation = [0, 0, -0.005] }, \
     { time = 0.9, translation = [0, 0, -0.004] }, { time = 2.5, translation = [0, 0, 0.012] }]",
    "--set",
    "duration=2.5",
];

#[test]
fn s20_on_a_plane() {
    keeps_its_cavity_and_opens_again(&run("flat-plane", "flat-plane", &[]), "S20 on a plane");
}

#[test]
fn s20_on_a_pipe() {
    let run = run("flat-pipe", "flat-pipe", &[]);
    keeps_its_cavity_and_opens_again(&run, "S20 on a pipe");
    for kind in ["flatten", "reopen", "split", "merge"] {
        assert!(!run.events_of(kind).is_empty(), "{kind}");
    }
}

#[test]
fn neoprene_on_a_plane() {
    keeps_its_cavity_and_opens_again(
        &run("flat-plane", "flat-plane-neoprene", &NEOPRENE),
        "neoprene on a plane",
    );
}

#[test]
fn neoprene_on_a_pipe() {
    keeps_its_cavity_and_opens_again(
        &run("flat-pipe", "flat-pipe-neoprene", &NEOPRENE),
        "neoprene on a pipe",
    );
}

//! A cup that lets go snaps back within a step or two: no step makes energy out of nothing on the way.

use crate::run::run;
use crate::weld::unexplained_force;

#[test]
fn a_cup_that_snaps_back_makes_no_energy() {
    let run = run("low-friction", "energy", &["--duration", "1.3"]);
    let dissipated = run.column("energy.dissipated_j");
    let (kinetic, elastic) = (run.column("energy.kinetic_j"), run.column("energy.elastic_j"));
    assert!(run.events_of("detach").iter().any(|e| e.time < 1.25), "it should let go");
    for (i, lost) in dissipated.windows(2).enumerate() {
        let gained = (lost[0] - lost[1]) / (kinetic[i] + elastic[i]);
        // Twice what a step may gain in elastic energy before it is halved, since here all energy counts; without halving, 136 % came
        // out of nothing.
        assert!(gained < 0.04, "{:.0} % at {} s", 100.0 * gained, run.times()[i + 1]);
    }
    // The step in which it lets go is done in halves, and the forces it reports are their means.
    let unexplained = unexplained_force(&run, "cube");
    assert!(unexplained < 1e-9, "{unexplained} N");
}

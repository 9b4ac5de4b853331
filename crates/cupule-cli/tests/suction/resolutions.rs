//! The cuboid of 000, Table 2, at its five resolutions: the same three periods, and the same pressures and forces to a few per cent.

use crate::run::{Run, run};

/// Sizes of the facets (m) with which `cupule bench table2` measures.
const RESOLUTIONS: [&str; 5] = ["0.06", "0.012", "0.0085", "0.0046", "0.0034"];

fn lifted(resolution: &str) -> Run {
    let set = format!("bodies.block.resolution={resolution}");
    run("lift", &format!("resolution-{resolution}"), &["--set", &set])
}

#[test]
fn a_finer_block_is_lifted_through_the_same_three_periods() {
    let runs = RESOLUTIONS.map(lifted);
    for (run, resolution) in runs.iter().zip(RESOLUTIONS) {
        // The scene's own expectations: vent at the limit, constant amount while the pressure falls, steady while it hangs.
        for expectation in run.summary["expect"].as_array().expect("expectations") {
            assert_eq!(expectation["ok"], true, "{resolution}: {expectation}");
        }
    }
    // Facets of the block change where the lip of the cup, which has facets too, touches it: pressures while it hangs agree to that.
    let hanging = |run: &Run| run.column("cavity.0.pressure_pa")[run.step_at(2.8)];
    let pressures = [0, 1, 2, 3, 4].map(|i| hanging(&runs[i]));
    println!("pressures while it hangs, Pa: {pressures:?}");
    let [least, most] =
        [f64::min, f64::max].map(|pick| pressures.into_iter().reduce(pick).expect("five"));
    assert!(most - least < 0.03 * 101_325.0, "{pressures:?}");
}

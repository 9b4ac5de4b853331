//! The cuboid of 000, Table 2, at its five resolutions: the same three periods, and the same vacuum.

use crate::run::{Run, run};

/// Sizes of the facets (m) with which `cupule bench table2` measures.
const RESOLUTIONS: [&str; 5] = ["0.06", "0.012", "0.0085", "0.0046", "0.0034"];

fn lifted(resolution: &str) -> Run {
    let set = format!("bodies.block.resolution={resolution}");
    run("lift", &format!("resolution-{resolution}"), &["--set", &set])
}

/// Where facets of lip and block happen to lie makes a border that is drawn anew jump more or less, of P_atm: up to 0.0106 here.
const LARGEST_JUMP: f64 = 0.015;

#[test]
fn a_finer_block_is_lifted_through_the_same_three_periods() {
    let runs = RESOLUTIONS.map(lifted);
    for (run, resolution) in runs.iter().zip(RESOLUTIONS) {
        // The scene's own expectations: vent at the limit, constant amount while the pressure falls, steady while it hangs.
        let all = run.summary["expect"].as_array().expect("expectations");
        let of_mesh = |name: &str| name.starts_with("no jump of pressure");
        for one in all.iter().filter(|e| !of_mesh(e["name"].as_str().expect("a name"))) {
            assert_eq!(one["ok"], true, "{resolution}: {one}");
        }
        assert!(run.figure("/largest_relook_jump") < LARGEST_JUMP, "{resolution}");
    }
    // The block is plane, whatever its facets: it hangs by the same vacuum. Where the lip's facets touch changes that by 0.3 %.
    let hanging = |run: &Run| run.column("cavity.0.pressure_pa")[run.step_at(2.8)];
    let pressures = [0, 1, 2, 3, 4].map(|i| hanging(&runs[i]));
    println!("pressures while it hangs, Pa: {pressures:?}");
    assert!(
        pressures.iter().all(|p| p.is_finite()),
        "every one hangs by its cavity: {pressures:?}"
    );
    let [least, most] =
        [f64::min, f64::max].map(|pick| pressures.into_iter().reduce(pick).expect("five"));
    assert!(most / least < 1.005, "{pressures:?}");
}

//! The pull of a cup on a regulator: at every step what gas, contact, weight and inertia say; smooth until it lets go; growing
//! with the vacuum.

use crate::run::{Run, run};

/// The series of one pull, from the moment the pressure is reached to the step before the seal opens.
struct Pull {
    force: Vec<f64>,
    /// What the force should be by the other forces on the cup, N.
    balance: Vec<f64>,
    /// (P_atm - P) times the area inside the inner and the outer border, N.
    inside: Vec<[f64; 2]>,
}

impl Pull {
    fn new(run: &Run) -> Self {
        let opened = run.events_of("unseal").last().expect("it lets go").time;
        let column = |name: &str| run.column(name);
        let (force, momentum) =
            (column("attachment.hand.force_z_n"), column("body.cup.momentum_z_kgmps"));
        let (gas, contact) =
            (column("body.cup.gas_force_z_n"), column("body.cup.contact_force_z_n"));
        let (pressure, inner, outer) = (
            column("cavity.0.pressure_pa"),
            column("cavity.0.inner_area_m2"),
            column("cavity.0.outer_area_m2"),
        );
        let (weight, times) = (9.81 * run.figure("/bodies/cup/mass_kg"), run.times());
        let steps = run.step_at(0.4)..run.step_at(opened);
        let balance = |i: usize| {
            let inertia = (momentum[i] - momentum[i - 1]) / (times[i] - times[i - 1]);
            -gas[i] - contact[i] + weight + inertia
        };
        let inside = |i: usize| [inner[i], outer[i]].map(|area| (101_325.0 - pressure[i]) * area);
        Self {
            force: steps.clone().map(|i| force[i]).collect(),
            balance: steps.clone().map(balance).collect(),
            inside: steps.map(inside).collect(),
        }
    }

    fn peak(&self) -> (usize, f64) {
        let steps = self.force.iter().copied().enumerate();
        steps.max_by(|a, b| a.1.total_cmp(&b.1)).expect("steps")
    }

    fn imbalance(&self) -> f64 {
        self.force.iter().zip(&self.balance).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn largest_jump(&self) -> f64 {
        self.force.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max)
    }
}

fn pull(kilopascals: u32, nodes: u32) -> Pull {
    let gauge = format!("gas.lines.tube.regulator.gauge_pressure=[[0.5,0],[1.5,-{kilopascals}e3]]");
    let nodes_set = format!("bodies.cup.nodes={nodes}");
    let name = format!("pull-{kilopascals}-{nodes}");
    Pull::new(&run("active-pull", &name, &["--set", &gauge, "--set", &nodes_set]))
}

#[test]
fn pull_is_balanced_smooth_and_grows_with_the_vacuum() {
    let mut last = 0.0;
    for (kilopascals, nodes) in [(5, 900), (10, 900), (15, 900), (20, 900), (20, 500)] {
        let pull = pull(kilopascals, nodes);
        let (at, peak) = pull.peak();
        let [inner, outer] = pull.inside[at].map(|force| peak / force);
        let (imbalance, jump) = (pull.imbalance() / peak, pull.largest_jump());
        println!(
            "-{kilopascals} kPa, {nodes} nodes: peak {peak:.2} N, {inner:.3} and {outer:.3} of (P_atm - P) A inside the inner and outer \
             border; imbalance {imbalance:.1e}, largest jump {jump:.3} N"
        );
        assert!(imbalance < 5e-3, "pull = gauge pressure times area - contact + weight + inertia");
        // The pull itself changes by up to 0.24 N in a step of 10 ms, as the scene says; a border that jumped would show.
        assert!(jump < 0.27, "no jump before it lets go");
        assert!(outer < 1.02, "no more than the pressure can hold");
        if nodes == 900 {
            assert!(peak > last, "more vacuum, more force");
            last = peak;
        }
    }
}

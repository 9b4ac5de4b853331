//! The barrier b(s) = -(s - 1)^2 ln s for s = d / dhat below 1, 0 from there on: twice continuously differentiable.
//!
//! Per area it stores kappa dhat b and presses with -kappa b'(s): kappa is a pressure (Pa). 003 eq. 7 has neither area nor this
//! scaling; with them a patch that carries a given pressure floats at the same height on any mesh.

/// Value, slope and curvature of b over s.
pub(super) fn barrier(s: f64) -> [f64; 3] {
    if s >= 1.0 {
        return [0.0; 3];
    }
    let (below, log) = (s - 1.0, s.ln());
    [
        -below * below * log,
        -2.0 * below * log - below * below / s,
        -2.0 * log - 4.0 * below / s + below * below / (s * s),
    ]
}

/// Where the barrier of stiffness `kappa` (Pa) carries a pressure (Pa): s = d / dhat, by bisection. It is what a contact's gap
/// falls short of dhat by: the allowance of every height that a barrier holds.
pub fn floating_height(kappa: f64, pressure: f64) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, 1.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if -kappa * barrier(middle)[1] > pressure {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_and_curvature_are_derivatives() {
        // Central differences: error e^2 f'''/6, and f''' grows like 1/s^3.
        for k in 1..1000 {
            let s = f64::from(k) / 999.5;
            let e = 1e-5 * s;
            let at = |s: f64| barrier(s);
            let [_, slope, curvature] = at(s);
            let first = (at(s + e)[0] - at(s - e)[0]) / (2.0 * e);
            let second = (at(s + e)[1] - at(s - e)[1]) / (2.0 * e);
            assert!((first - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{s}");
            assert!((second - curvature).abs() < 1e-6 * (1.0 + curvature.abs()), "{s}");
            assert!(slope <= 0.0 && curvature >= 0.0);
        }
    }

    #[test]
    fn it_vanishes_smoothly_and_grows_without_bound() {
        let near = barrier(1.0 - 1e-6);
        assert!(near[0] < 1e-17 && near[1].abs() < 1e-11 && near[2] < 1e-5);
        assert_eq!(barrier(1.0), [0.0; 3]);
        assert!(barrier(1e-300)[0] > 600.0 && barrier(1e-12)[1] < -1e11);
    }

    #[test]
    fn height_carries_the_pressure() {
        for (kappa, pressure) in [(1e7, 1e3), (1e7, 1e9), (1e4, 0.1)] {
            let s = floating_height(kappa, pressure);
            assert!((-kappa * barrier(s)[1] / pressure - 1.0).abs() < 1e-9);
        }
    }
}

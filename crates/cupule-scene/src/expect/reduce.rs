//! A span of time as one number.

use crate::model::Reduce;

/// Reduces times and values, none of which is no number, to one; or says why there is none.
pub(super) fn reduce(how: Reduce, samples: &[(f64, f64)]) -> Result<f64, String> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Err("no step counts".to_string());
    };
    let values = || samples.iter().map(|(_, value)| *value);
    let (least, most) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    Ok(match how {
        Reduce::Min => least,
        Reduce::Max => most,
        Reduce::Mean => values().sum::<f64>() / samples.len() as f64,
        Reduce::Last => last.1,
        Reduce::Drift => last.1 - first.1,
        Reduce::Range => most - least,
        Reduce::Jump => (samples.windows(2).map(|w| (w[1].1 - w[0].1).abs())).fold(0.0, f64::max),
        Reduce::Slope if samples.len() >= 2 => fit(samples).0,
        Reduce::Acceleration if samples.len() >= 3 => fit(samples).1,
        Reduce::Slope => return Err("a slope needs two steps, and only one counts".to_string()),
        Reduce::Acceleration => {
            let count = samples.len();
            return Err(format!("an acceleration needs three steps, and only {count} count"));
        }
    })
}

/// Slope of the least-squares line, and second derivative of the least-squares parabola.
///
/// Fitted with polynomials orthogonal on the samples: p1 = s, p2 = s^2 - a s - b, with s the centred time.
fn fit(samples: &[(f64, f64)]) -> (f64, f64) {
    let count = samples.len() as f64;
    let centre = samples.iter().map(|(t, _)| t).sum::<f64>() / count;
    let moment = |power: i32| samples.iter().map(|(t, _)| (t - centre).powi(power)).sum::<f64>();
    let against =
        |p: &dyn Fn(f64) -> f64| samples.iter().map(|(t, v)| p(t - centre) * v).sum::<f64>();
    let norm =
        |p: &dyn Fn(f64) -> f64| samples.iter().map(|(t, _)| p(t - centre).powi(2)).sum::<f64>();
    let (a, b) = (moment(3) / moment(2), moment(2) / count);
    let parabola = move |s: f64| s * s - a * s - b;
    (against(&|s| s) / moment(2), 2.0 * against(&parabola) / norm(&parabola))
}

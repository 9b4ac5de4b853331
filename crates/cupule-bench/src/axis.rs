//! An axis of a chart: round numbers around all values, evenly spaced or by powers of ten.

/// How values are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithm; only values above zero have a place.
    Log,
}

/// An axis with its ticks, at least two of them.
#[derive(Debug)]
pub struct Axis {
    scale: Scale,
    /// Values at which it is labelled, in ascending order; the first and the last are its ends.
    pub ticks: Vec<f64>,
}

impl Axis {
    /// An axis around all values, with at most as many spaces as asked for between the least and the largest of them; there may be two
    /// more around them. Powers of ten are spaced as they are, however many.
    pub fn around(scale: Scale, values: impl Iterator<Item = f64>, spaces: u32) -> Self {
        let ticks = match scale {
            Scale::Linear => even_ticks(values, spaces),
            Scale::Log => log_ticks(values.filter(|v| *v > 0.0)),
        };
        Self { scale, ticks }
    }

    /// Where a value lies, 0 at the first tick and 1 at the last; no number where it has no place.
    pub fn place(&self, value: f64) -> f64 {
        let along = |v: f64| match self.scale {
            Scale::Linear => v,
            Scale::Log => v.ln(),
        };
        let (from, to) = (along(self.ticks[0]), along(self.ticks[self.ticks.len() - 1]));
        let place = (along(value) - from) / (to - from);
        if place.is_finite() { place } else { f64::NAN }
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

/// Round numbers, evenly spaced by 1, 2 or 5 times a power of ten.
fn even_ticks(values: impl Iterator<Item = f64>, spaces: u32) -> Vec<f64> {
    let (low, high) = range(values);
    let (low, high) = match (low.is_finite(), high > low) {
        (true, true) => (low, high),
        (true, false) => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    };
    let least = (high - low) / f64::from(spaces);
    let power = 10.0_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|m| m * power).into_iter().find(|s| *s >= least * (1.0 - 1e-9));
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    let count = (last - first).max(1.0) as usize;
    // Of counts, so that the zero is one.
    (0..=count).map(|i| (first + i as f64) * step).collect()
}

/// 1, 2 and 5 times powers of ten, from the last below all values to the first above them.
fn log_ticks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let (low, high) = range(values);
    let (low, high) = if low.is_finite() { (low, high) } else { (1.0, 10.0) };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let all: Vec<f64> = (first..=last)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10.0_f64.powi(power)))
        .collect();
    let from = all.iter().rposition(|t| *t <= low * (1.0 + 1e-9)).unwrap_or(0);
    let to = all.iter().position(|t| *t >= high * (1.0 - 1e-9)).unwrap_or(all.len() - 1);
    all[from..=to.max(from + 1)].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_ticks_are_round_and_enclose_all_values() {
        let ticks = |values: &[f64]| Axis::around(Scale::Linear, values.iter().copied(), 5).ticks;
        assert_eq!(ticks(&[20.0, 50.0]), [20.0, 30.0, 40.0, 50.0]);
        assert_eq!(ticks(&[17.3, 34.56]), [15.0, 20.0, 25.0, 30.0, 35.0]);
        assert_eq!(ticks(&[-0.03, 0.09]), [-0.05, 0.0, 0.05, 0.1]);
        let single = ticks(&[3.0]);
        assert!(
            single[0] < 3.0 && single[single.len() - 1] > 3.0,
            "a single value has room around it"
        );
        assert_eq!(
            ticks(&[]),
            [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0],
            "no value is no error"
        );
    }

    #[test]
    fn powers_of_ten_are_evenly_spaced_on_a_logarithmic_axis() {
        let axis = Axis::around(Scale::Log, [0.6, 900.0, -1.0, 0.0].into_iter(), 5);
        assert_eq!(axis.ticks, [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        let decade = axis.place(10.0) - axis.place(1.0);
        assert!((axis.place(100.0) - axis.place(10.0) - decade).abs() < 1e-12);
        assert_eq!([axis.place(0.5), axis.place(1000.0)], [0.0, 1.0]);
        assert!(axis.place(0.0).is_nan() && axis.place(-1.0).is_nan(), "they have no place");
        for odd in [vec![], vec![3.0], vec![10.0], vec![5.0, 5.0]] {
            let axis = Axis::around(Scale::Log, odd.iter().copied(), 5);
            assert!(axis.ticks.len() >= 2, "{odd:?}: {:?}", axis.ticks);
            assert!(odd.iter().all(|v| (0.0..=1.0).contains(&axis.place(*v))), "{odd:?}");
        }
    }
}

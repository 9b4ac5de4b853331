//! The choice of subdivisions for a wanted number of nodes: cells as even as possible, the count as close as needed.

use crate::GeometryError;
use crate::generate::{MOST_ELEMENTS, require};

/// Directions whose counts are varied about the even ones; the others are rounded to the nearest.
const FREE_DIRECTIONS: usize = 6;
/// A node count this far off (in its logarithm) weighs as much as a cell twice too long.
const COUNT_WEIGHT: f64 = 25.0;

/// What the search may vary.
pub(crate) struct Choice<'a> {
    /// Name for messages.
    pub shape: &'static str,
    /// The length that each count divides, m.
    pub lengths: &'a [f64],
    /// The least count in each direction.
    pub least: &'a [usize],
    /// The least count wanted where the node budget allows.
    pub preferred: &'a [usize],
    /// The node count that the subdivisions give.
    pub nodes: &'a dyn Fn(&[usize]) -> usize,
}

impl Choice<'_> {
    /// The subdivisions for about `target` nodes: within 10 % when there are any, else the nearest; among those
    /// within 10 %, the most even cells and the nearest count.
    pub fn for_nodes(&self, target: usize) -> Result<Vec<usize>, GeometryError> {
        require(target >= 8, self.shape, "nodes", target as f64, "a hexahedron alone has 8 nodes")?;
        let expected = "that many nodes would not fit in memory";
        require(target <= MOST_ELEMENTS, self.shape, "nodes", target as f64, expected)?;
        let best = self.search(target, self.preferred);
        if best.excess == 0.0 {
            return Ok(best.counts);
        }
        let plain = self.search(target, self.least);
        Ok(if plain.excess < best.excess { plain.counts } else { best.counts })
    }

    fn search(&self, target: usize, least: &[usize]) -> Candidate {
        let free = self.lengths.len().min(FREE_DIRECTIONS);
        // How many counts to try in each direction: the fewer directions, the more, or few totals can be reached.
        let spread: usize = [8, 8, 8, 4, 3, 2, 2][free];
        let below = (spread - 1) / 2;
        let mut size = 2.0 * self.lengths.iter().copied().fold(0.0, f64::max);
        let mut best = self.judge(target, size, least.to_vec());
        for _ in 0..2000 {
            let floor: Vec<usize> = self.counts(size, least, |_, ratio| ratio.floor());
            if (self.nodes)(&floor) > target.saturating_mul(2) {
                break;
            }
            for combination in 0..spread.pow(free as u32) {
                // The digits of `combination` say how far above its lowest try each direction stands.
                let step = |direction: usize| combination / spread.pow(direction as u32) % spread;
                let counts = self.counts(size, least, |direction, ratio| match direction {
                    FREE_DIRECTIONS.. => ratio.round(),
                    _ => ratio.floor() + step(direction) as f64 - below as f64,
                });
                let candidate = self.judge(target, size, counts);
                if candidate.beats(&best) {
                    best = candidate;
                }
            }
            size *= 0.96;
        }
        best
    }

    fn counts(&self, size: f64, least: &[usize], round: impl Fn(usize, f64) -> f64) -> Vec<usize> {
        let each = self.lengths.iter().zip(least).enumerate();
        each.map(|(k, (length, &least))| (round(k, length / size) as usize).max(least)).collect()
    }

    fn judge(&self, target: usize, size: f64, counts: Vec<usize>) -> Candidate {
        let ratio = (self.nodes)(&counts) as f64 / target as f64;
        let excess = ((ratio - 1.0).abs() - 0.1).max(0.0);
        let stretch = |(length, &n): (&f64, &usize)| (size * n as f64 / length).ln();
        let uneven: f64 = self.lengths.iter().zip(&counts).map(|each| stretch(each).powi(2)).sum();
        Candidate { counts, excess, score: uneven + COUNT_WEIGHT * ratio.ln().powi(2) }
    }
}

struct Candidate {
    counts: Vec<usize>,
    /// How far the node count lies outside the 10 %.
    excess: f64,
    /// Unevenness of the cells and distance of the count.
    score: f64,
}

impl Candidate {
    fn beats(&self, other: &Candidate) -> bool {
        self.excess.total_cmp(&other.excess).then(self.score.total_cmp(&other.score)).is_lt()
    }
}

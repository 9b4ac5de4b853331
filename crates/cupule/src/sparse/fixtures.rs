//! Positive definite systems on grids, for tests.

use super::{BlockMatrix, BlockPattern, Cholesky, Use};
use cupule_geometry::{DMat3, DVec3};

/// Blocks on a grid with springs between all neighbours, those across corners too, as hexahedra have them.
pub(super) struct Grid {
    positions: Vec<DVec3>,
    springs: Vec<(usize, usize, DMat3)>,
    joints: Vec<usize>,
}

impl Grid {
    pub(super) fn new(size: [usize; 3], seed: u64) -> Self {
        Self::with_dropped(size, seed, 0)
    }

    /// Of every four springs `dropped` are left out.
    pub(super) fn with_dropped(size: [usize; 3], seed: u64, dropped: usize) -> Self {
        let at = |i: usize| {
            DVec3::new(
                (i % size[0]) as f64,
                (i / size[0] % size[1]) as f64,
                (i / (size[0] * size[1])) as f64,
            )
        };
        let positions: Vec<DVec3> = (0..size.iter().product()).map(at).collect();
        let mut random = Random(seed);
        let mut springs = Vec::new();
        for a in 0..positions.len() {
            // Neighbours after it in one layer of the grid.
            let reach = 1 + size[0] + size[0] * size[1];
            for b in a + 1..positions.len().min(a + reach + 1) {
                let near = (positions[a] - positions[b]).abs().max_element() < 1.5;
                let d = DVec3::from_array(std::array::from_fn(|_| random.next()));
                if near && random.next() * 2.0 + 2.0 >= dropped as f64 {
                    springs.push((a, b, crate::math::outer(d, d) + DMat3::IDENTITY * 0.1));
                }
            }
        }
        Self { positions, springs, joints: Vec::new() }
    }

    /// The same where some blocks are joints.
    pub(super) fn joined_at(mut self, joints: impl Fn(DVec3) -> bool) -> Self {
        self.joints = (0..self.blocks()).filter(|b| joints(self.positions[*b])).collect();
        self
    }

    /// The same with stiffer springs at the chosen blocks.
    pub(super) fn stiffened(&self, chosen: impl Fn(usize) -> bool) -> Self {
        let mut springs = self.springs.clone();
        let at = springs.iter_mut().filter(|(a, b, _)| chosen(*a) || chosen(*b));
        at.for_each(|(.., spring)| *spring *= 3.0);
        Self { positions: self.positions.clone(), springs, joints: self.joints.clone() }
    }

    pub(super) fn position(&self, block: usize) -> DVec3 {
        self.positions[block]
    }

    pub(super) fn blocks(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn pattern(&self) -> BlockPattern {
        let pairs = self.springs.iter().map(|(a, b, _)| (*a, *b));
        BlockPattern::with_joints(&self.positions, pairs, &self.joints, Use::Lasting)
    }

    pub(super) fn matrix(&self) -> BlockMatrix {
        let pattern = self.pattern();
        let mut matrix = BlockMatrix::zeros(&pattern);
        let slot = |a, b| pattern.slot(a, b).expect("a pair of the pattern");
        for (a, b, spring) in &self.springs {
            matrix.add(slot(*a, *a), spring);
            matrix.add(slot(*b, *b), spring);
            matrix.add(slot(*a, *b), &-*spring);
        }
        (0..self.blocks()).for_each(|b| matrix.add(slot(b, b), &(DMat3::IDENTITY * 0.2)));
        matrix
    }

    /// The matrix where the unknowns of the chosen blocks, which only joints join with others, are counted along axes from which all
    /// others look turned.
    pub(super) fn turned_matrix(&self, chosen: impl Fn(usize) -> bool, turn: DMat3) -> BlockMatrix {
        let pattern = self.pattern();
        let mut matrix = self.matrix();
        let slot = |a, b| pattern.slot(a, b).expect("a pair of the pattern");
        for &(a, b, spring) in self.springs.iter().filter(|(a, b, _)| chosen(*a) != chosen(*b)) {
            let (own, joint) = if chosen(a) { (a, b) } else { (b, a) };
            let turned = turn * spring * turn.transpose();
            matrix.add(slot(joint, joint), &(turned - spring));
            matrix.add(slot(own, joint), &(spring - spring * turn.transpose()));
        }
        matrix
    }

    pub(super) fn factored(&self) -> Cholesky {
        let mut cholesky = Cholesky::new(self.pattern()).expect("small system");
        cholesky.factor(&self.matrix()).expect("positive definite");
        cholesky
    }

    /// A x, spring by spring.
    pub(super) fn times(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut out: Vec<DVec3> = x.iter().map(|x| *x * 0.2).collect();
        for (a, b, spring) in &self.springs {
            let force = *spring * (x[*a] - x[*b]);
            out[*a] += force;
            out[*b] -= force;
        }
        out
    }
}

/// Numbers from -1 to 1 by a linear congruence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    }
}

/// Runs with so many threads.
pub(super) fn threads<T: Send>(count: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool").install(run)
}

//! Shapes that stand for all frames of a soft body: between them, vertices go straight.
//!
//! A player blends two neighbouring shapes at a time, so that the others cost nothing but their place in the file.
//! Frames are taken where straight ways err most, until the error is below what a picture shows or there are as many
//! shapes as players manage.

/// So many shapes at most: players hold all of them in one texture and their weights in uniforms.
pub const MOST_SHAPES: usize = 120;

/// Indices of the frames to keep, ascending, first and last among them. `error(i, j, k)` tells how far frame k is from
/// the straight way between frames i and j, m.
pub fn choose(
    count: usize,
    tolerance: f64,
    error: impl Fn(usize, usize, usize) -> f64,
) -> Vec<usize> {
    let worst = |first: usize, last: usize| {
        let between = (first + 1..last).map(|k| (error(first, last, k), k));
        between.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, first))
    };
    if count <= 2 {
        return (0..count).collect();
    }
    let mut keys = vec![0, count - 1];
    let mut stretches = vec![worst(0, count - 1)];
    while keys.len() < MOST_SHAPES {
        let (place, (size, frame)) = stretches
            .iter()
            .copied()
            .enumerate()
            .max_by(|a, b| a.1.0.total_cmp(&b.1.0))
            .unwrap_or((0, (0.0, 0)));
        if size <= tolerance {
            break;
        }
        keys.insert(place + 1, frame);
        stretches[place] = worst(keys[place], frame);
        stretches.insert(place + 1, worst(frame, keys[place + 2]));
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(path: &[f64], tolerance: f64) -> Vec<usize> {
        choose(path.len(), tolerance, |i, j, k| {
            let s = (k - i) as f64 / (j - i) as f64;
            (path[i] + s * (path[j] - path[i]) - path[k]).abs()
        })
    }

    #[test]
    fn corners_of_a_path_are_kept_and_nothing_else() {
        let path: Vec<f64> =
            (0..30).map(|i| f64::from(i.min(10)) + f64::from((i - 20).max(0))).collect();
        assert_eq!(chosen(&path, 1e-9), [0, 10, 20, 29]);
        assert_eq!(chosen(&path[..1], 1e-9), [0]);
        assert_eq!(chosen(&path[..2], 1e-9), [0, 1]);
    }

    #[test]
    fn a_curve_is_followed_within_the_tolerance_and_never_with_too_many() {
        let path: Vec<f64> = (0..2000).map(|i| (f64::from(i) * 0.01).sin()).collect();
        let keys = chosen(&path, 1e-2);
        for pair in keys.windows(2) {
            for k in pair[0]..=pair[1] {
                let s = (k - pair[0]) as f64 / (pair[1] - pair[0]) as f64;
                let straight = path[pair[0]] + s * (path[pair[1]] - path[pair[0]]);
                assert!((straight - path[k]).abs() <= 1e-2);
            }
        }
        // Straight ways of angle a miss a sine by a^2 / 8: no fewer than 20 rad / sqrt(0.08) = 71 will do.
        assert!((71..100).contains(&keys.len()), "{}", keys.len());
        assert_eq!(chosen(&path, 0.0).len(), MOST_SHAPES);
    }
}

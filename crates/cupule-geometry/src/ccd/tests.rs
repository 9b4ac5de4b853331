//! The time never lies after the first touch: at every moment before it the pair is apart; and it is not needlessly short.

use super::*;
use proptest::array::uniform4;
use proptest::prelude::*;

fn vector() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

/// Coordinates on a coarse grid: parallel, coplanar, coinciding and degenerate primitives are common.
fn grid() -> impl Strategy<Value = DVec3> {
    (-2i8..=2, -2i8..=2, -2i8..=2).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()))
}

fn distance(pair: &MovingPair, time: f64) -> f64 {
    let at = |start: &[DVec3; 4], moves: &[DVec3; 4]| -> [DVec3; 4] {
        std::array::from_fn(|i| start[i] + moves[i] * time)
    };
    match pair {
        MovingPair::PointTriangle { start, moves } => {
            let [p, a, b, c] = at(start, moves);
            point_triangle(p, [a, b, c]).distance_squared.sqrt()
        }
        MovingPair::PointEdge { start, moves } => {
            let [p, a, b, _] = at(start, moves);
            p.distance(a.lerp(b, point_segment(p, a, b)))
        }
        MovingPair::EdgeEdge { start, moves } => {
            let [a, b, c, d] = at(start, moves);
            edge_edge_fine([a, b], [c, d]).distance_squared.sqrt()
        }
    }
}

/// Largest displacement.
fn size(pair: &MovingPair) -> f64 {
    let (MovingPair::PointTriangle { moves, .. }
    | MovingPair::PointEdge { moves, .. }
    | MovingPair::EdgeEdge { moves, .. }) = pair;
    moves.iter().map(|m| m.length()).fold(0.0, f64::max)
}

/// Apart at 400 moments up to the time found, by what is promised; and where the whole path keeps half the first distance,
/// the whole path is allowed.
fn check(pair: MovingPair) -> Result<(), TestCaseError> {
    let first = distance(&pair, 0.0);
    for share in [0.0, 0.3, 0.99, 1.0] {
        check_gap(&pair, share * first)?;
    }
    Ok(())
}

/// The same for what is thick: the gap is what the thickness leaves of the distance.
fn check_gap(pair: &MovingPair, thickness: f64) -> Result<(), TestCaseError> {
    let distance = |pair: &MovingPair, time: f64| distance(pair, time) - thickness;
    let first = distance(pair, 0.0);
    let time = pair.safe_time(thickness);
    prop_assert!((0.0..=1.0).contains(&time));
    // A gap that rounding may have made counts as touching, or may.
    if first < 1e-13 {
        prop_assert!(time == 0.0 || first > 1e-15, "no gap, but {time}");
        return Ok(());
    }
    prop_assert!(time > 0.0, "apart by {first}, but no time");
    let least =
        (0..=400).map(|i| distance(pair, time * f64::from(i) / 400.0)).fold(f64::MAX, f64::min);
    prop_assert!(least > 0.05 * first * 0.999, "{least} left of {first} at {time}");
    let least = (0..=400).map(|i| distance(pair, f64::from(i) / 400.0)).fold(f64::MAX, f64::min);
    // Grazing for long may use up the advances.
    if least > 0.5 * first && first > 0.01 * size(pair) {
        prop_assert!(time == 1.0, "stopped at {time} with {least} of {first}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn random_pairs_stay_apart(start in uniform4(vector()), moves in uniform4(vector())) {
        check(MovingPair::PointTriangle { start, moves })?;
        check(MovingPair::PointEdge { start, moves })?;
        check(MovingPair::EdgeEdge { start, moves })?;
    }

    #[test]
    fn degenerate_pairs_stay_apart(start in uniform4(grid()), moves in uniform4(grid())) {
        check(MovingPair::PointTriangle { start, moves })?;
        check(MovingPair::PointEdge { start, moves })?;
        check(MovingPair::EdgeEdge { start, moves })?;
    }

    /// Parallel edges that fall on each other, almost touching, with a tiny turn.
    #[test]
    fn parallel_edges_stay_apart(along in vector(), gap in -9f64..-1.0, bend in vector(), tiny in -16f64..-6.0) {
        let up = along.any_orthonormal_vector() * 10f64.powf(gap);
        let turn = bend * 10f64.powf(tiny);
        let start = [-along, along, up - along * 0.7, up + along * 1.3 + turn];
        let moves = [DVec3::ZERO, DVec3::ZERO, up * -2.0, up * -2.0];
        check(MovingPair::EdgeEdge { start, moves })?;
    }
}

#[test]
fn first_touch_is_not_passed_and_nearly_reached() {
    // A vertex falls on a triangle from a height of 1 at a speed of 10: touch at 0.1, of which at least nine tenths are granted.
    let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::Y];
    let start = [DVec3::Z, corners[0], corners[1], corners[2]];
    let moves = [DVec3::Z * -10.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
    let time = MovingPair::PointTriangle { start, moves }.safe_time(0.0);
    assert!((0.08..0.1).contains(&time), "{time}");
    // A common motion of any speed is no motion.
    let moves = [DVec3::X * 1e6; 4];
    assert_eq!(MovingPair::PointTriangle { start, moves }.safe_time(0.0), 1.0);
}

#[test]
fn nonsense_gets_no_time() {
    let start = [DVec3::Z, DVec3::ZERO, DVec3::X, DVec3::Y];
    for bad in [f64::NAN, f64::INFINITY] {
        let moves = [DVec3::splat(bad), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        assert_eq!(MovingPair::PointTriangle { start, moves }.safe_time(0.0), 0.0);
    }
    let start = [DVec3::NAN; 4];
    assert_eq!(MovingPair::EdgeEdge { start, moves: [DVec3::ZERO; 4] }.safe_time(0.0), 0.0);
}

//! Pairs, refits and nearest primitives against comparing all boxes.

use super::*;
use proptest::prelude::*;

fn boxes(count: usize) -> impl Strategy<Value = Vec<Bounds>> {
    let coordinate = || (-1.0..1.0, -1.0..1.0, -1.0..1.0);
    let size = || (0.0..0.2, 0.0..0.2, 0.0..0.2);
    proptest::collection::vec((coordinate(), size(), 0..10), 0..count).prop_map(|list| {
        let make = |((x, y, z), (a, b, c), empty): ((f64, f64, f64), (f64, f64, f64), i32)| {
            let min = DVec3::new(x, y, z);
            if empty == 0 { Bounds::EMPTY } else { Bounds { min, max: min + DVec3::new(a, b, c) } }
        };
        list.into_iter().map(make).collect()
    })
}

fn all_pairs(first: &[Bounds], second: &[Bounds], reach: f64) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate() {
            if a.near(b, reach) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn tree_pairs(first: &BoxTree, second: &BoxTree, reach: f64) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    first.pairs(second, reach, |i, j| pairs.push((i, j)));
    pairs.sort_unstable();
    pairs
}

proptest! {
    /// A tree finds exactly the pairs that comparing all boxes finds, each once.
    #[test]
    fn pairs_are_exact(a in boxes(60), b in boxes(60), reach in 0.0..0.1) {
        prop_assert_eq!(tree_pairs(&BoxTree::new(&a), &BoxTree::new(&b), reach), all_pairs(&a, &b, reach));
    }

    #[test]
    fn self_pairs_are_exact(a in boxes(80), reach in 0.0..0.1) {
        let mut pairs = vec![];
        BoxTree::new(&a).self_pairs(reach, |i, j| pairs.push((i, j)));
        pairs.sort_unstable();
        let mut expected = all_pairs(&a, &a, reach);
        expected.retain(|(i, j)| i < j);
        prop_assert_eq!(pairs, expected);
    }

    /// The set of pairs does not depend on the positions for which the tree was built.
    #[test]
    fn refitted_pairs_are_exact(a in boxes(60), b in boxes(60), moved in boxes(60)) {
        let count = a.len().min(moved.len());
        let mut tree = BoxTree::new(&a[..count]);
        tree.update(&moved[..count]);
        prop_assert_eq!(tree_pairs(&tree, &BoxTree::new(&b), 0.0), all_pairs(&moved[..count], &b, 0.0));
    }

    #[test]
    fn nearest_is_exact(a in boxes(60), x in -1.0..1.0, y in -1.0..1.0, limit in 0.0..2.0) {
        let point = DVec3::new(x, y, 0.0);
        let distance = |index: u32| a[index as usize].distance_squared(point);
        let found = BoxTree::new(&a).nearest(point, limit, distance);
        let expected = (0..a.len() as u32)
            .map(|index| (index, distance(index)))
            .filter(|(_, distance)| *distance <= limit)
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        prop_assert_eq!(found, expected);
    }
}

fn row(count: usize, stride: usize) -> Vec<Bounds> {
    (0..count)
        .map(|i| {
            let min = DVec3::new(((i * stride) % count) as f64, 0.0, 0.0);
            Bounds { min, max: min + DVec3::ONE }
        })
        .collect()
}

#[test]
fn rebuilds_only_when_degraded() {
    let mut tree = BoxTree::new(&row(101, 1));
    let moved: Vec<Bounds> =
        row(101, 1).iter().map(|b| Bounds { min: b.min * 1.2, max: b.max * 1.2 }).collect();
    assert!(!tree.update(&moved), "a stretch of 1.2 is no degradation");
    assert!(
        tree.update(&row(101, 37)),
        "shuffled primitives make every node as large as the whole"
    );
    assert!(!tree.update(&row(101, 37)));
}

#[test]
fn empty_tree_has_no_pairs() {
    let tree = BoxTree::new(&[]);
    assert!(tree_pairs(&tree, &BoxTree::new(&row(5, 1)), 1.0).is_empty());
    assert_eq!(tree.nearest(DVec3::ZERO, f64::INFINITY, |_| 0.0), None);
}

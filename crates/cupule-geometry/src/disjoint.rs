//! Disjoint sets (union-find): which items are connected when connections come one by one.
//!
//! The root of a set is its smallest item, and sets are numbered by their smallest items. So results do not depend on the order
//! in which items were joined.

/// Disjoint sets of the items 0, 1, 2 and so on. Items are `u32`, as vertices and triangles are.
#[derive(Debug, Clone, Default)]
pub struct DisjointSets {
    /// Of every item another one of its set, never a larger one; a root is its own parent.
    parents: Vec<u32>,
}

impl DisjointSets {
    /// `count` sets of one item each.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Adds a set of one item, and returns that item.
    pub fn push(&mut self) -> u32 {
        let item = self.parents.len() as u32;
        self.parents.push(item);
        item
    }

    /// The smallest item of the set to which an item belongs. Halves the path on its way, so that the next search is short.
    pub fn root(&mut self, item: u32) -> u32 {
        let mut root = item;
        while self.parents[root as usize] != root {
            let above = self.parents[self.parents[root as usize] as usize];
            self.parents[root as usize] = above;
            root = above;
        }
        root
    }

    /// Whether two items belong to the same set.
    pub fn are_joined(&mut self, a: u32, b: u32) -> bool {
        self.root(a) == self.root(b)
    }

    /// Makes one set of the sets of two items.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// The number of sets, and of every item the number of its set. Sets are numbered in the order of their smallest items.
    #[must_use]
    pub fn numbered(mut self) -> (usize, Vec<u32>) {
        let mut number = vec![0; self.parents.len()];
        let mut count = 0;
        for item in 0..self.parents.len() as u32 {
            let root = self.root(item);
            // A root is the smallest item of its set: it is numbered before any other member is seen.
            if root == item {
                number[item as usize] = count;
                count += 1;
            } else {
                number[item as usize] = number[root as usize];
            }
        }
        (count as usize, number)
    }

    /// The items of every set, ascending. Sets come in the order of their smallest items.
    #[must_use]
    pub fn members(self) -> Vec<Vec<u32>> {
        let (count, number) = self.numbered();
        let mut members = vec![Vec::new(); count];
        number.iter().zip(0..).for_each(|(set, item)| members[*set as usize].push(item));
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_smallest_items() {
        let mut sets = DisjointSets::new(5);
        sets.join(4, 1);
        sets.join(3, 0);
        assert_eq!(sets.push(), 5);
        sets.join(5, 4);
        assert_eq!(sets.clone().numbered(), (3, vec![0, 1, 2, 0, 1, 1]));
        assert_eq!(sets.members(), [vec![0, 3], vec![1, 4, 5], vec![2]]);
    }

    #[test]
    fn the_root_is_the_smallest_item() {
        let mut sets = DisjointSets::new(6);
        sets.join(5, 4);
        sets.join(2, 5);
        sets.join(4, 2);
        assert_eq!([0, 1, 2, 3, 4, 5].map(|item| sets.root(item)), [0, 1, 2, 3, 2, 2]);
        assert!(sets.are_joined(2, 5) && !sets.are_joined(3, 5));
    }

    #[test]
    fn the_order_of_joining_does_not_matter() {
        let pairs = [[7, 3], [1, 6], [3, 1], [9, 8], [4, 9], [2, 2]];
        let numbered = |order: &[usize]| {
            let mut sets = DisjointSets::new(10);
            order.iter().map(|i| pairs[*i]).for_each(|[a, b]| sets.join(a, b));
            sets.numbered()
        };
        let forwards = numbered(&[0, 1, 2, 3, 4, 5]);
        assert_eq!(forwards, (5, vec![0, 1, 2, 1, 3, 4, 1, 1, 3, 3]));
        assert_eq!(numbered(&[5, 4, 3, 2, 1, 0]), forwards);
        assert_eq!(numbered(&[2, 4, 0, 5, 3, 1]), forwards);
    }
}

//! Disjoint sets, numbered in the order of their first members so that results do not depend on the joining order.

/// Disjoint sets over 0..n.
pub(crate) struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Adds a set of one.
    pub fn push(&mut self) -> u32 {
        let index = self.parent.len() as u32;
        self.parent.push(index);
        index
    }

    pub fn find(&mut self, item: u32) -> u32 {
        let mut root = item;
        while self.parent[root as usize] != root {
            let above = self.parent[self.parent[root as usize] as usize];
            self.parent[root as usize] = above;
            root = above;
        }
        root
    }

    /// The lower root stays the root.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// The number of sets, and of each item the number of its set.
    pub fn numbered(mut self) -> (usize, Vec<u32>) {
        let mut number = vec![0; self.parent.len()];
        let mut count = 0;
        for item in 0..self.parent.len() as u32 {
            let root = self.find(item);
            // A root is the lowest of its set: it is numbered before any other member is seen.
            if root == item {
                number[item as usize] = count;
                count += 1;
            } else {
                number[item as usize] = number[root as usize];
            }
        }
        (count as usize, number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_members() {
        let mut sets = Sets::new(5);
        sets.join(4, 1);
        sets.join(3, 0);
        assert_eq!(sets.push(), 5);
        sets.join(5, 4);
        assert_eq!(sets.numbered(), (3, vec![0, 1, 2, 0, 1, 1]));
    }
}

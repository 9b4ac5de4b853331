//! What the simulation leaves for the pages: its latest state, and the rows of its series.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cupule_record::frames::LayerFrame;
use cupule_session::DVec3;

use crate::message::{EventText, Update};

/// Rows that are kept for pages that come later.
const MOST_ROWS: usize = 6000;

/// The state at a moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Counts snapshots.
    pub number: u64,
    /// Time, s, of the positions.
    pub time: f64,
    /// Vertices of all bodies, m.
    pub positions: Vec<Vec<DVec3>>,
    /// What the layers show.
    pub layers: Vec<LayerFrame>,
    /// The rest, without what depends on the page.
    pub update: Update,
}

/// The last rows of the series of one generation.
#[derive(Debug, Default)]
pub struct History {
    generation: u32,
    names: Vec<String>,
    rows: VecDeque<Vec<f32>>,
    /// Number of the first row that is kept.
    first: u64,
    events: Vec<EventText>,
}

/// How far a page has read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Cursor {
    generation: u32,
    columns: usize,
    row: u64,
    event: usize,
}

/// What a page has not read yet.
#[derive(Debug, Default)]
pub struct News {
    /// Columns, if they are new to the page.
    pub columns: Option<Vec<String>>,
    /// Number of rows.
    pub rows: usize,
    /// Their figures, row by row.
    pub figures: Vec<f32>,
    /// Events.
    pub events: Vec<EventText>,
}

impl History {
    /// Begins anew.
    pub fn restart(&mut self, generation: u32, names: Vec<String>) {
        *self = Self { generation, names, ..Self::default() };
    }

    /// Adds a row; with more figures than before, `names` tells all columns.
    pub fn push(&mut self, row: Vec<f32>, names: &[String], events: Vec<EventText>) {
        if names.len() != self.names.len() {
            self.names = names.to_vec();
        }
        if self.rows.len() >= MOST_ROWS {
            self.rows.pop_front();
            self.first += 1;
        }
        self.rows.push_back(row);
        self.events.extend(events);
    }

    /// What is new since `cursor`, which moves on.
    pub fn news(&self, cursor: &mut Cursor) -> News {
        if cursor.generation != self.generation {
            *cursor = Cursor { generation: self.generation, ..Cursor::default() };
        }
        let from = cursor.row.saturating_sub(self.first) as usize;
        let columns = self.names.len();
        let mut figures =
            Vec::with_capacity((self.rows.len() - from.min(self.rows.len())) * columns);
        for row in self.rows.iter().skip(from) {
            figures.extend(row);
            // Columns that came later have no figure in earlier rows.
            figures.resize(figures.len() + columns - row.len().min(columns), f32::NAN);
        }
        let news = News {
            columns: (cursor.columns != columns).then(|| self.names.clone()),
            rows: self.rows.len().saturating_sub(from),
            figures,
            events: self.events.get(cursor.event..).unwrap_or_default().to_vec(),
        };
        let row = self.first + self.rows.len() as u64;
        *cursor = Cursor { generation: self.generation, columns, row, event: self.events.len() };
        news
    }
}

/// Between the simulation and the threads of the pages.
#[derive(Debug, Default)]
pub struct Shared {
    snapshot: Mutex<Arc<Snapshot>>,
    history: Mutex<History>,
    wanted: AtomicBool,
}

impl Shared {
    /// The latest state.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        locked(&self.snapshot).clone()
    }

    /// Puts a new state in the place of the last.
    pub fn publish(&self, snapshot: Snapshot) {
        *locked(&self.snapshot) = Arc::new(snapshot);
    }

    /// The series.
    pub fn history(&self) -> MutexGuard<'_, History> {
        locked(&self.history)
    }

    /// A page asks for a new state.
    pub fn ask(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// Whether a page has asked since the last time.
    pub fn is_asked(&self) -> bool {
        self.wanted.swap(false, Ordering::Relaxed)
    }
}

/// A thread that panicked while it held the lock leaves whole values: they are only ever replaced.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| i.to_string()).collect()
    }

    #[test]
    fn a_page_reads_every_row_once_and_columns_when_they_change() {
        let mut history = History::default();
        history.restart(1, names(2));
        let mut cursor = Cursor::default();
        history.push(vec![0.0, 1.0], &names(2), Vec::new());
        let news = history.news(&mut cursor);
        assert_eq!((news.columns, news.rows, news.figures), (Some(names(2)), 1, vec![0.0, 1.0]));
        history.push(vec![1.0, 2.0], &names(2), Vec::new());
        history.push(vec![2.0, 3.0, 4.0], &names(3), Vec::new());
        let news = history.news(&mut cursor);
        assert_eq!((news.columns, news.rows), (Some(names(3)), 2));
        assert!(news.figures[2].is_nan() && news.figures[3..] == [2.0, 3.0, 4.0]);
        assert_eq!(history.news(&mut cursor).rows, 0);
        history.restart(2, names(1));
        history.push(vec![7.0], &names(1), Vec::new());
        assert_eq!(history.news(&mut cursor).figures, [7.0], "an earlier series is forgotten");
    }

    #[test]
    fn a_late_page_gets_what_is_kept() {
        let mut history = History::default();
        for row in 0..MOST_ROWS + 10 {
            history.push(vec![row as f32], &names(1), Vec::new());
        }
        let news = history.news(&mut Cursor::default());
        assert_eq!((news.rows, news.figures[0]), (MOST_ROWS, 10.0));
        let mut cursor = Cursor { row: 5, ..Cursor::default() };
        assert_eq!(history.news(&mut cursor).rows, MOST_ROWS, "rows 5 to 9 are gone");
    }
}

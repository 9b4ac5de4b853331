//! How many threads a run is worth. Results do not depend on it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use cupule::World;

/// Soft worlds with fewer nodes than this, and fewer collision vertices than the next, are done before a second thread is awake: with
/// 76, 200 and 360 nodes a step takes 1.4, 1.3 and 1.15 times as long on two threads as on one; from about 450 on two are faster.
const NODES: usize = 400;
const VERTICES: usize = 1000;

/// How many threads beside the first stay awake during a run: a step shares out work of some tens of microseconds, and a thread that
/// sleeps takes as long to come. More of them are no help to scenes of some thousand nodes.
const AWAKE: usize = 3;

/// The threads of a run. A pool serves one run at a time.
pub struct Crew(Option<rayon::ThreadPool>);

impl Crew {
    /// One thread for a small world, unless somebody has chosen: who has runs in a pool already.
    pub fn of(world: &World) -> Self {
        let chosen = rayon::current_thread_index().is_some();
        let single = || rayon::ThreadPoolBuilder::new().num_threads(1).build().ok();
        Self(if !chosen && is_small(world) { single() } else { None })
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0
            .as_ref()
            .map_or_else(rayon::current_num_threads, rayon::ThreadPool::current_num_threads)
    }

    /// Runs on a thread of the crew, so that steps need not wake one, with others ready to help.
    pub fn run<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(run),
            None => rayon::scope(|_| with_others_awake(run)),
        }
    }
}

/// Runs on this thread of a pool, while some others look for work without falling asleep.
fn with_others_awake<R>(run: impl FnOnce() -> R) -> R {
    let (first, helpers) = (rayon::current_thread_index(), AtomicUsize::new(0));
    let over = AtomicBool::new(false);
    let threads = rayon::current_num_threads();
    let awake = |index: usize| Some(index) != first && helpers.fetch_add(1, Relaxed) < AWAKE;
    rayon::in_place_scope(|scope| {
        scope.spawn_broadcast(|_, context| {
            if awake(context.index()) {
                help_until(&over);
            }
        });
        // Helpers must be there before anything else is shared out: one that began while it waits for its own share would never go on.
        while helpers.load(Relaxed) + 1 < threads {
            std::thread::yield_now();
        }
        let _over = Signal(&over);
        run()
    })
}

/// Takes on whatever there is to do until all is over.
fn help_until(over: &AtomicBool) {
    while !over.load(Relaxed) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            // Whoever else wants the processor gets it.
            std::thread::yield_now();
        }
    }
}

/// Is given when dropped, also where a run panics.
struct Signal<'a>(&'a AtomicBool);

impl Drop for Signal<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn is_small(world: &World) -> bool {
    let bodies = || (0..world.body_count()).map(cupule::world::BodyId);
    let nodes: usize = bodies().filter_map(|id| world.rest_mesh(id)).map(|m| m.nodes.len()).sum();
    let vertices: usize = bodies().map(|id| world.surface_positions(id).len()).sum();
    nodes < NODES && vertices < VERTICES
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads are to be had")
    }

    /// Two halves that wait for each other are only done where another thread takes one of them; and nobody is left behind.
    #[test]
    fn others_help_and_go() {
        for threads in [2, 3, 8] {
            pool(threads).install(|| {
                with_others_awake(|| {
                    let met = AtomicUsize::new(0);
                    let meet = || {
                        met.fetch_add(1, Relaxed);
                        let start = Instant::now();
                        while met.load(Relaxed) < 2 {
                            assert!(start.elapsed() < Duration::from_secs(10), "nobody came");
                        }
                    };
                    rayon::join(meet, meet);
                });
            });
        }
        assert_eq!(pool(1).install(|| with_others_awake(|| 7)), 7);
    }

    #[test]
    fn a_run_that_panics_keeps_nobody() {
        let run = || pool(3).install(|| with_others_awake(|| panic!("as it should")));
        assert!(std::panic::catch_unwind(run).is_err());
    }
}

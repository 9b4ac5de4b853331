//! How many threads a run is worth. Results do not depend on it.

use cupule::World;

/// Soft worlds with fewer nodes than this, and fewer collision vertices than the next, are done before a second thread is awake: with
/// 76, 200 and 360 nodes a step takes 1.4, 1.3 and 1.15 times as long on two threads as on one; from about 450 on two are faster.
const NODES: usize = 400;
const VERTICES: usize = 1000;

/// The threads of a run.
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

    /// Runs on a thread of the crew, so that steps need not wake one.
    pub fn run<R: Send>(&self, run: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(run),
            None => rayon::scope(|_| run()),
        }
    }
}

fn is_small(world: &World) -> bool {
    let bodies = || (0..world.body_count()).map(cupule::world::BodyId);
    let nodes: usize = bodies().filter_map(|id| world.rest_mesh(id)).map(|m| m.nodes.len()).sum();
    let vertices: usize = bodies().map(|id| world.surface_positions(id).len()).sum();
    nodes < NODES && vertices < VERTICES
}

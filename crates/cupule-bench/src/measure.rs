//! Runs a case and takes its times.

use std::path::Path;
use std::time::Duration;

use cupule::report::Residual;
use cupule_record::{ContactResidual, PhaseTimes, Stopwatch};
use cupule_scene::{assemble, read};

use crate::cases::{Case, Unit};

/// What a case took.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// In the unit of the case.
    pub milliseconds: f64,
    /// Medians per step.
    pub phases_ms: PhaseTimes,
    /// Nodes of all soft bodies.
    pub nodes: usize,
    /// Mean rows per step.
    pub rows: f64,
    /// Mean sweeps per step.
    pub iterations: f64,
    /// Largest residual.
    pub residual: ContactResidual,
}

/// Runs a case. The first quarter of its steps settles and is not counted.
pub fn measure(case: &Case) -> Result<Measurement, String> {
    let loaded = read(&case.scene, &case.name, &case.name, Path::new("."), &case.set)
        .map_err(|e| e.to_string())?;
    let mut world = assemble(&loaded).map_err(|e| e.to_string())?.world;
    let steps = (loaded.scene.duration / loaded.scene.solver.time_step).round() as usize;
    let first = match case.unit {
        Unit::Step => steps / 4,
        Unit::SimulatedSecond => 0,
    };
    let mut times = Vec::new();
    let (mut rows, mut iterations, mut residual) = (0, 0, Residual::default());
    let before = cpu_time();
    for step in 0..steps {
        let mut watch = Stopwatch::start();
        let report = world.step(&mut watch).map_err(|error| error.to_string())?;
        if step >= first {
            times.push(watch.stop());
            rows += report.rows;
            iterations += report.iterations;
            residual = residual.worst(report.residual);
        }
    }
    let counted = times.len().max(1) as f64;
    let phases_ms = medians(&times);
    let nodes = loaded.scene.bodies.keys().filter_map(|name| world.find_body(name));
    let nodes = nodes.filter_map(|id| world.rest_mesh(id)).map(|mesh| mesh.nodes.len()).sum();
    let milliseconds = match case.unit {
        Unit::Step => phases_ms.total,
        Unit::SimulatedSecond => {
            let wall = times.iter().map(|t| t.total).sum::<f64>();
            let used = before.zip(cpu_time()).map_or(wall, |(a, b)| (b - a).as_secs_f64() * 1e3);
            used / world.time()
        }
    };
    Ok(Measurement {
        milliseconds,
        phases_ms,
        nodes,
        rows: rows as f64 / counted,
        iterations: iterations as f64 / counted,
        residual: residual.into(),
    })
}

/// CPU time of this process so far, all threads; none where the system does not tell it in a file.
pub(super) fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15, in ticks of 10 ms; the second field may hold spaces, but ends with the last parenthesis.
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

fn medians(times: &[PhaseTimes]) -> PhaseTimes {
    let median = |pick: fn(&PhaseTimes) -> f64| {
        let mut values: Vec<f64> = times.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    PhaseTimes {
        free_motion: median(|t| t.free_motion),
        collision: median(|t| t.collision),
        cavities: median(|t| t.cavities),
        compliance: median(|t| t.compliance),
        solve: median(|t| t.solve),
        other: median(|t| t.other),
        total: median(|t| t.total),
    }
}

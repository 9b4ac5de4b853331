//! The scenes that `bench` measures, as text: sizes and bounds in one place.

/// What the time is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Median milliseconds of wall time per step.
    Step,
    /// Milliseconds of CPU per simulated second.
    SimulatedSecond,
}

impl Unit {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "ms a step",
            Self::SimulatedSecond => "ms of CPU per simulated second",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone)]
pub struct Case {
    /// What is measured.
    pub name: String,
    /// The scene.
    pub scene: String,
    /// Overrides.
    pub set: Vec<String>,
    /// Asked for, ms.
    pub bound_ms: Option<f64>,
    /// What the time is counted in.
    pub unit: Unit,
    /// Families over which growth is fitted.
    pub groups: &'static [&'static str],
}

/// One soft body on the ground with various nodes and rows; a cantilever; the squeeze scene.
pub fn contact() -> Vec<Case> {
    // A brick of i x j x k nodes touches with i x j of them, three rows each.
    let brick = |name: &str, cells: [u32; 3], kept: bool, bound_ms, groups| Case {
        name: name.to_string(),
        scene: brick(cells),
        set: if kept { Vec::new() } else { vec!["solver.refactor_rotation=0".into()] },
        bound_ms,
        unit: Unit::Step,
        groups,
    };
    let shipped = |name: &str, scene: &str, bound_ms, unit| Case {
        name: name.to_string(),
        scene: cupule_scene::shipped_text(scene).unwrap_or_default().to_string(),
        set: Vec::new(),
        bound_ms: Some(bound_ms),
        unit,
        groups: &[],
    };
    vec![
        brick("434 nodes, 120 rows", [4, 7, 10], false, Some(4.0), &["rows", "nodes"]),
        brick("434 nodes, 300 rows", [9, 9, 3], false, None, &["rows"]),
        brick("434 nodes, 700 rows", [14, 14, 1], false, Some(20.0), &["rows"]),
        brick("800 nodes, 120 rows", [4, 7, 19], false, None, &["nodes"]),
        brick("1600 nodes, 120 rows", [4, 7, 39], false, None, &["nodes"]),
        brick("1600 nodes, 250 rows", [8, 8, 19], false, Some(40.0), &[]),
        brick("1600 nodes, 250 rows, kept factor", [8, 8, 19], true, Some(15.0), &[]),
        shipped("cantilever, 3825 dofs, h = 10 ms", "cantilever", 10.0, Unit::Step),
        shipped("squeeze, h = 20 ms, CPU per simulated s", "squeeze", 500.0, Unit::SimulatedSecond),
    ]
}

/// A rubber brick of 10 mm cells (flatter where they would make it taller than 100 mm, and buckle) that stands on the
/// ground and is pushed sideways, so that friction works too.
fn brick(cells: [u32; 3]) -> String {
    let [x, y, z] = cells.map(|count| f64::from(count) * 0.01);
    let z = z.min(0.1);
    let height = z / 2.0 + 2e-4;
    format!(
        "version = 1
duration = 0.6
gravity = [2.0, 0.0, -9.81]
[solver]
time_step = 0.01
[bodies.brick]
kind = 'fem'
shape = {{ type = 'box', size = [{x}, {y}, {z}] }}
subdivisions = {cells:?}
position = [0, 0, {height}]
material = {{ youngs_modulus = 5e5, poissons_ratio = 0.45, density = 1000, damping = {{ stiffness = 0.005 }} }}
[bodies.ground]
kind = 'static'
shape = {{ type = 'box', size = [1, 1, 0.1] }}
position = [0, 0, -0.05]
"
    )
}

//! The papers' tables of times: what they measured, and which scene of ours is the same.
//!
//! Sources: Bernardin et al. 2022 (000), Tables 1 and 2 and Bernardin 2021 (001), Tables 4.2 and 4.3, on laptops of their years. Both stop
//! after 50 Gauss-Seidel sweeps, whatever is left. The first measures 150 steps around the suction, and so do we; the second its first
//! 150 steps, of which many are without contact, where we too measure those around the suction. Both have steps of 10 ms.

/// A row of a table.
#[derive(Debug, Clone)]
pub struct PaperRow {
    /// What the paper calls it.
    pub case: String,
    /// Our scene.
    pub scene: &'static str,
    /// What is changed in it.
    pub set: Vec<String>,
    /// The paper's figures.
    pub paper: Paper,
}

/// What a paper measured.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// FEM nodes.
    pub nodes: u32,
    /// Nodes of collision meshes, where it says so.
    pub collision_nodes: Option<u32>,
    /// Mean number of constraints.
    pub rows: f64,
    /// Mean time of a step, ms.
    pub total_ms: f64,
}

/// A table.
pub struct Table {
    /// Name of the bench.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Its rows.
    pub rows: Vec<PaperRow>,
    /// How many times faster than the paper every row shall be.
    pub asked_ratio: Option<f64>,
}

fn row(case: &str, scene: &'static str, set: &[String], paper: Paper) -> PaperRow {
    PaperRow { case: case.to_string(), scene, set: set.to_vec(), paper }
}

fn paper(nodes: u32, collision_nodes: impl Into<Option<u32>>, rows: f64, total_ms: f64) -> Paper {
    Paper { nodes, collision_nodes: collision_nodes.into(), rows, total_ms }
}

/// 000, Table 1: the scenarios.
pub fn table1() -> Table {
    // 150 steps, of which the can hangs still in the last.
    let longer = ["duration=1.6".to_string()];
    Table {
        name: "table1",
        title: "Scenarios of Bernardin et al. 2022, Table 1",
        rows: vec![
            row("ground", "ground", &[], paper(434, 135, 122.75, 38.51)),
            row("soft cube", "soft-cube", &[], paper(820, 325, 111.96, 56.55)),
            row("bunny", "bunny@smooth", &[], paper(434, 572, 182.00, 67.59)),
            row("toy", "toy@middle", &[], paper(628, 212, 234.72, 86.48)),
            row("robot", "pick-and-place", &[], paper(434, 507, 262.64, 87.96)),
            row("cube halves", "cube-halves", &[], paper(644, 801, 705.16, 390.04)),
            row("tentacle", "tentacle@pressed", &longer, paper(1585, 2044, 249.70, 427.61)),
        ],
        asked_ratio: Some(7.0),
    }
}

/// 000, Table 2: a rigid cuboid with finer and finer collision meshes. Ours are as fine as makes about as many rows.
pub fn table2() -> Table {
    let rows = [
        (135, 123.52, 37.17, 0.06),
        (225, 229.22, 74.00, 0.012),
        (360, 322.91, 127.42, 0.0085),
        (991, 674.60, 475.36, 0.0046),
        (1817, 1022.85, 1185.12, 0.0034),
    ];
    let rows = rows.map(|(collision_nodes, constraints, ms, resolution)| {
        let set = [format!("bodies.block.resolution={resolution}")];
        let case = format!("{collision_nodes} collision nodes");
        row(&case, "lift", &set, paper(434, collision_nodes, constraints, ms))
    });
    Table {
        name: "table2",
        title: "A rigid cuboid is lifted: Bernardin et al. 2022, Table 2",
        rows: rows.to_vec(),
        asked_ratio: None,
    }
}

/// 001, Table 4.2: the scenarios of the thesis, with its cup of 576 nodes where ours have another. Two are made for the standard cup:
/// the toy, which has one of as many nodes, and the rabbit with bumps, on which the thesis' cup never seals, and which does not
/// drop with more nodes.
pub fn thesis_4_2() -> Table {
    let set = |changes: &[&str]| changes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let on_ground = set(&["bodies.cup.cup=thesis", "bodies.cup.position=[0, 0, 0.0005]"]);
    let as_fine = set(&["bodies.cup.nodes=576"]);
    let thesis_cube = set(&[
        "bodies.cup.cup=thesis",
        "bodies.cup.position=[0, 0, 0.11552]",
        "bodies.cube.shape.size=[0.115, 0.115, 0.115]",
        "bodies.cube.position=[0, 0, 0.05752]",
        "bodies.cube.mass=0.03",
        "bodies.cube.material.youngs_modulus=1e4",
    ]);
    Table {
        name: "thesis-4.2",
        title: "Scenarios of Bernardin 2021, Table 4.2",
        rows: vec![
            row("static plane", "ground", &on_ground, paper(576, None, 2406.41, 451.39)),
            row("rigid bunny", "bunny@bumpy", &[], paper(576, None, 2707.56, 678.19)),
            row("static sphere", "sphere", &[], paper(576, None, 4527.12, 827.68)),
            row("rigid cube", "thesis-masses@small-100", &[], paper(576, None, 3164.74, 910.04)),
            row("octopus arm", "octopus-arm", &[], paper(731, None, 878.01, 300.15)),
            row("toy", "toy@middle", &as_fine, paper(576, None, 1444.31, 477.74)),
            row("deformable cube", "soft-cube", &thesis_cube, paper(576, None, 3361.09, 1498.57)),
            row("dart", "dart", &[], paper(723, None, 2686.25, 1133.17)),
        ],
        asked_ratio: None,
    }
}

/// 001, Table 4.3: the thesis cup lifts a cube, with meshes of twelve sizes.
pub fn thesis_4_3() -> Table {
    let rows = [
        (76, 244.88, 11.66),
        (125, 452.93, 52.95),
        (141, 623.56, 75.94),
        (151, 642.34, 75.48),
        (159, 830.41, 104.65),
        (203, 996.07, 132.82),
        (363, 2294.55, 486.40),
        (415, 2584.75, 603.13),
        (455, 2837.21, 703.27),
        (502, 3133.83, 839.36),
        (552, 3323.07, 896.17),
        (576, 3450.77, 993.11),
    ];
    let rows = rows.map(|(nodes, constraints, ms)| {
        let set = [format!("bodies.cup.nodes={nodes}")];
        let case = format!("{nodes} nodes");
        row(&case, "thesis-masses@small-100", &set, paper(nodes, None, constraints, ms))
    });
    Table {
        name: "thesis-4.3",
        title: "The thesis cup lifts a cube: Bernardin 2021, Table 4.3",
        rows: rows.to_vec(),
        asked_ratio: Some(15.0),
    }
}

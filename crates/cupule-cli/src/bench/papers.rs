//! The papers' tables of times: what they measured, and which scene of ours is the same.
//!
//! Sources: Bernardin et al. 2022 (000), Tables 1 and 2, on a laptop of 2017; Bernardin 2021 (001), Tables 4.2 and 4.3. Both stop
//! after 50 Gauss-Seidel sweeps, whatever is left; the first measures 150 steps around the suction, and so do we.

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
    Table {
        name: "table1",
        title: "Scenarios of Bernardin et al. 2022, Table 1",
        rows: vec![
            row("ground", "ground", &[], paper(434, 135, 122.75, 38.51)),
            row("soft cube", "soft-cube", &[], paper(820, 325, 111.96, 56.55)),
            row("bunny", "bunny@smooth", &[], paper(434, 572, 182.00, 67.59)),
            row("robot", "pick-and-place", &[], paper(434, 507, 262.64, 87.96)),
            row("cube halves", "cube-halves", &[], paper(644, 801, 705.16, 390.04)),
        ],
        asked_ratio: Some(7.0),
    }
}

/// 000, Table 2: a rigid cuboid with finer and finer collision meshes. Ours are as fine as makes about as many rows.
pub fn table2() -> Table {
    let rows = [
        (135, 123.52, 37.17, 0.06),
        (225, 229.22, 74.00, 0.013),
        (360, 322.91, 127.42, 0.0095),
        (991, 674.60, 475.36, 0.0052),
        (1817, 1022.85, 1185.12, 0.0039),
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

/// 001, Table 4.2: the scenarios of the thesis.
pub fn thesis_4_2() -> Table {
    let thesis_cup =
        ["bodies.cup.cup=thesis".to_string(), "bodies.cup.position=[0, 0, 0.0005]".to_string()];
    Table {
        name: "thesis-4.2",
        title: "Scenarios of Bernardin 2021, Table 4.2",
        rows: vec![
            row("static plane", "ground", &thesis_cup, paper(576, None, 2406.41, 451.39)),
            row("static sphere", "sphere", &[], paper(576, None, 4527.12, 827.68)),
            row("rigid cube", "thesis-masses@small-100", &[], paper(576, None, 3164.74, 910.04)),
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

//! The papers' tables of times: what they measured, and which scene of ours is the same.
//!
//! Sources: Bernardin et al. 2022 (000), Tables 1 and 2 and Bernardin 2021 (001), Tables 4.2 and 4.3, on laptops of their years. Both stop
//! after 50 Gauss-Seidel sweeps, whatever is left. The first measures 150 steps around the suction, and so do we; the second its first
//! 150 steps, of which many are without contact, where we too measure those around the suction. Both have steps of 10 ms.

use crate::patches::FINE_HALVES;

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
    /// Of it: free motion, collision, cavities, compliance, solve, ms. (Those of the thesis are of its two solves a step, and do not add up.)
    pub phases_ms: [f64; 5],
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

fn paper(
    nodes: u32,
    collision_nodes: impl Into<Option<u32>>,
    rows: f64,
    total_ms: f64,
    phases_ms: [f64; 5],
) -> Paper {
    Paper { nodes, collision_nodes: collision_nodes.into(), rows, total_ms, phases_ms }
}

/// 000, Table 1: the scenarios.
pub fn table1() -> Table {
    // 150 steps, of which the can hangs still in the last.
    let longer = || vec!["duration=1.6".to_string()];
    // Surfaces where the halves touch as fine as the paper's.
    let finer = || FINE_HALVES.iter().map(ToString::to_string).collect();
    let none = Vec::new;
    let rows = [
        ("ground", "ground", none(), 434, 135, 122.75, 38.51, [9.02, 0.40, 3.13, 21.31, 1.33]),
        (
            "soft cube",
            "soft-cube",
            none(),
            820,
            325,
            111.96,
            56.55,
            [16.52, 0.57, 6.91, 26.58, 1.96],
        ),
        ("bunny", "bunny@smooth", none(), 434, 572, 182.00, 67.59, [9.10, 0.94, 6.33, 41.67, 3.01]),
        ("toy", "toy@middle", none(), 628, 212, 234.72, 86.48, [19.12, 0.76, 1.62, 56.22, 2.17]),
        (
            "robot",
            "pick-and-place",
            none(),
            434,
            507,
            262.64,
            87.96,
            [15.24, 2.44, 9.06, 51.17, 3.15],
        ),
        (
            "cube halves",
            "cube-halves",
            finer(),
            644,
            801,
            705.16,
            390.04,
            [14.31, 1.91, 2.92, 343.85, 18.21],
        ),
        (
            "tentacle",
            "tentacle@pressed",
            longer(),
            1585,
            2044,
            249.70,
            427.61,
            [36.56, 1.83, 98.30, 263.15, 3.24],
        ),
    ];
    let rows = rows.map(|(case, scene, set, nodes, collision_nodes, constraints, ms, phases)| {
        row(case, scene, &set, paper(nodes, collision_nodes, constraints, ms, phases))
    });
    Table {
        name: "table1",
        title: "Scenarios of Bernardin et al. 2022, Table 1",
        rows: rows.to_vec(),
        asked_ratio: Some(7.0),
    }
}

/// 000, Table 2: a rigid cuboid with finer and finer collision meshes. Ours are as fine as makes about as many rows.
pub fn table2() -> Table {
    let rows = [
        (135, 123.52, 37.17, [8.99, 0.42, 1.07, 22.56, 0.76], 0.06),
        (225, 229.22, 74.00, [9.15, 0.59, 1.56, 56.81, 2.41], 0.012),
        (360, 322.91, 127.42, [9.65, 0.75, 2.95, 105.17, 4.63], 0.0085),
        (991, 674.60, 475.36, [9.26, 1.18, 8.98, 430.39, 21.48], 0.0046),
        (1817, 1022.85, 1185.12, [9.59, 2.13, 24.17, 1082.72, 61.74], 0.0034),
    ];
    let rows = rows.map(|(collision_nodes, constraints, ms, phases, resolution)| {
        let set = [format!("bodies.block.resolution={resolution}")];
        let case = format!("{collision_nodes} collision nodes");
        row(&case, "lift", &set, paper(434, collision_nodes, constraints, ms, phases))
    });
    Table {
        name: "table2",
        title: "A rigid cuboid is lifted: Bernardin et al. 2022, Table 2",
        rows: rows.to_vec(),
        asked_ratio: None,
    }
}

/// 001, Table 4.2: the scenarios of the thesis, with its cup of 576 nodes where ours have another. Two are made for the standard cup,
/// which has as many nodes there: the toy, and the rabbit with bumps, on which the thesis' cup never seals. The rod of our dart is rigid;
/// its cup has as many nodes as the whole dart of the thesis.
pub fn thesis_4_2() -> Table {
    let set = |changes: &[&str]| changes.iter().map(ToString::to_string).collect::<Vec<_>>();
    let on_ground = set(&["bodies.cup.cup=thesis", "bodies.cup.position=[0, 0, 0.0005]"]);
    let as_fine = set(&["bodies.cup.nodes=576"]);
    let none = Vec::new;
    let thesis_cube = set(&[
        "bodies.cup.cup=thesis",
        "bodies.cup.position=[0, 0, 0.11552]",
        "bodies.cube.shape.size=[0.115, 0.115, 0.115]",
        "bodies.cube.position=[0, 0, 0.05752]",
        "bodies.cube.mass=0.03",
        "bodies.cube.material.youngs_modulus=1e4",
        "bodies.cube.material.poissons_ratio=0.42",
    ]);
    let rows = [
        (
            "static plane",
            "ground",
            on_ground,
            576,
            2406.41,
            451.39,
            [0.51, 8.31, 33.18, 31.57, 86.13],
        ),
        (
            "rigid bunny",
            "bunny@bumpy",
            as_fine.clone(),
            576,
            2707.56,
            678.19,
            [0.58, 5.65, 2.58, 97.24, 224.54],
        ),
        (
            "static sphere",
            "sphere",
            none(),
            576,
            4527.12,
            827.68,
            [0.51, 7.84, 1.49, 69.63, 215.19],
        ),
        (
            "rigid cube",
            "thesis-masses@small-100",
            none(),
            576,
            3164.74,
            910.04,
            [0.58, 12.53, 56.72, 104.33, 273.71],
        ),
        (
            "octopus arm",
            "octopus-arm",
            none(),
            731,
            878.01,
            300.15,
            [6.24, 6.47, 22.98, 24.78, 59.50],
        ),
        ("toy", "toy@middle", as_fine, 576, 1444.31, 477.74, [27.60, 4.81, 20.92, 15.11, 149.05]),
        (
            "deformable cube",
            "soft-cube",
            thesis_cube,
            576,
            3361.09,
            1498.57,
            [8.60, 4.89, 36.39, 125.72, 364.42],
        ),
        (
            "dart",
            "dart",
            set(&["bodies.cup.nodes=723"]),
            723,
            2686.25,
            1133.17,
            [28.09, 13.71, 69.16, 52.00, 393.53],
        ),
    ];
    let rows = rows.map(|(case, scene, set, nodes, constraints, ms, phases)| {
        row(case, scene, &set, paper(nodes, None, constraints, ms, phases))
    });
    Table {
        name: "thesis-4.2",
        title: "Scenarios of Bernardin 2021, Table 4.2",
        rows: rows.to_vec(),
        asked_ratio: None,
    }
}

/// 001, Table 4.3: the thesis cup lifts a cube, with meshes of twelve sizes.
pub fn thesis_4_3() -> Table {
    let rows = [
        (76, 244.88, 11.66, [0.10, 0.88, 0.41, 0.81, 0.87]),
        (125, 452.93, 52.95, [0.14, 3.56, 8.49, 2.34, 3.33]),
        (141, 623.56, 75.94, [0.16, 4.07, 11.56, 3.51, 6.59]),
        (151, 642.34, 75.48, [0.17, 3.96, 11.29, 3.68, 6.80]),
        (159, 830.41, 104.65, [0.18, 4.55, 14.76, 4.92, 11.61]),
        (203, 996.07, 132.82, [0.23, 5.03, 17.39, 6.94, 16.41]),
        (363, 2294.55, 486.40, [0.36, 9.00, 45.15, 26.37, 88.23]),
        (415, 2584.75, 603.13, [0.39, 10.50, 53.29, 32.11, 113.98]),
        (455, 2837.21, 703.27, [0.44, 11.54, 60.05, 39.68, 134.81]),
        (502, 3133.83, 839.36, [0.48, 12.66, 69.39, 48.05, 163.78]),
        (552, 3323.07, 896.17, [0.51, 13.33, 71.87, 51.57, 177.27]),
        (576, 3450.77, 993.11, [0.55, 14.14, 78.33, 55.08, 199.68]),
    ];
    let rows = rows.map(|(nodes, constraints, ms, phases)| {
        let set = [format!("bodies.cup.nodes={nodes}")];
        let case = format!("{nodes} nodes");
        row(&case, "thesis-masses@small-100", &set, paper(nodes, None, constraints, ms, phases))
    });
    Table {
        name: "thesis-4.3",
        title: "The thesis cup lifts a cube: Bernardin 2021, Table 4.3",
        rows: rows.to_vec(),
        asked_ratio: Some(15.0),
    }
}

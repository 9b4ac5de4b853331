//! Geometry over time, `frames.bin`: surfaces of all bodies at up to 60 frames a second of simulated time, and layers
//! that are drawn with them.
//!
//! Little-endian; a *text* is its u32 length in bytes and UTF-8. Header: the 8 bytes `CUPFRAM3`; u32 number of bodies,
//! per body a text (its name), u32 vertices, u32 triangles, three u32 vertex indices per triangle, u8 vertices per cell
//! (0, 4, 8 or 10), u32 cells, and the vertex indices of every cell in VTK's order; u32 number of layers, per layer a u8
//! (1 field, 2 arrows, 3 volumes) and three texts: its name, its title for people, its unit. Vertices that no triangle
//! names, nodes within a soft body, come after the others. Then frames until the end:
//!
//! - f64 time in s;
//! - per body a u8 that is 0 when it has not moved since the frame before (nothing follows) or 1, followed by three
//!   f32 coordinates in m per vertex;
//! - per layer what its kind asks for:
//!   - a *field* is a scalar per vertex, such as a stress: per body a u8 that is 0 when it has none (nothing follows)
//!     or 1, followed by one f32 per vertex;
//!   - *arrows* are vectors at points, such as contact forces: u32 count, then per arrow six f32: point and vector;
//!   - *volumes* are meshes that come and go, such as cavities: u32 count, then per volume u32 identity, f32 value
//!     (a pressure), u32 vertices, u32 triangles, the coordinates as f32 and the indices as u32.
//!
//! f32 keeps 10 nm at 0.1 m, which is below what a picture shows; figures are in the series. A file cut short by a
//! crash is valid up to its last whole frame. To record something new, add a [`Layer`] where the recorder lists its
//! layers: page, pictures and exports take them as they come.

mod read;
mod write;

pub use read::FrameReader;
pub use write::FrameWriter;

pub(crate) const MAGIC: &[u8; 8] = b"CUPFRAM3";

/// What does not change of a body: its name, the triangles of its surface, and the cells of a soft one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameBody {
    /// Name.
    pub name: String,
    /// Number of vertices: those of the surface, then those that only cells have.
    pub vertices: u32,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
    /// Cells.
    pub cells: FrameCells,
}

/// Cells of a soft body, all of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameCells {
    /// Vertices per cell: 4 and 10 are tetrahedra, 8 hexahedra; 0 if there is no cell.
    pub size: u8,
    /// Vertex indices, cell after cell, each in VTK's order.
    pub vertices: Vec<u32>,
}

impl FrameCells {
    /// The cells.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u32> {
        self.vertices.chunks_exact(usize::from(self.size).max(1))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.iter().len()
    }
}

impl FrameBody {
    /// A body without cells.
    pub fn of_surface(name: String, vertices: u32, triangles: Vec<[u32; 3]>) -> Self {
        Self { name, vertices, triangles, cells: FrameCells::default() }
    }

    /// How many of the vertices are those of the surface.
    pub fn surface_vertices(&self) -> usize {
        self.triangles.iter().flatten().max().map_or(0, |last| *last as usize + 1)
    }
}

/// What a layer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerKind {
    /// A scalar per vertex.
    Field,
    /// Vectors at points.
    Arrows,
    /// Meshes that come and go, each with a scalar.
    Volumes,
}

/// Something that is drawn with the bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// What it holds.
    pub kind: LayerKind,
    /// Name for programs, such as `contacts`.
    pub name: String,
    /// Title for people, such as `Contact forces`.
    pub title: String,
    /// Unit of its figures, such as `N`.
    pub unit: String,
}

impl Layer {
    /// A layer with its name, title and unit.
    pub fn new(kind: LayerKind, name: &str, title: &str, unit: &str) -> Self {
        Self { kind, name: name.into(), title: title.into(), unit: unit.into() }
    }
}

/// A vector at a point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Arrow {
    /// Where it begins, m.
    pub at: [f32; 3],
    /// In the unit of its layer.
    pub vector: [f32; 3],
}

/// A mesh with a figure, such as a cavity and its pressure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Volume {
    /// Same over time for the same thing.
    pub identity: u32,
    /// In the unit of its layer.
    pub value: f32,
    /// Vertices, m.
    pub positions: Vec<[f32; 3]>,
    /// Vertex indices.
    pub triangles: Vec<[u32; 3]>,
}

/// What a layer shows at a time.
#[derive(Debug, Clone, PartialEq)]
pub enum LayerFrame {
    /// Per body a figure per vertex, or none.
    Field(Vec<Option<Vec<f32>>>),
    /// Vectors at points.
    Arrows(Vec<Arrow>),
    /// Meshes.
    Volumes(Vec<Volume>),
}

/// Positions of all bodies at a time, and the layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// Vertex positions per body, m.
    pub positions: Vec<Vec<[f32; 3]>>,
    /// One per layer of the header.
    pub layers: Vec<LayerFrame>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupule_geometry::DVec3;

    fn layers() -> Vec<Layer> {
        vec![
            Layer::new(LayerKind::Field, "stress", "Stress", "Pa"),
            Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
            Layer::new(LayerKind::Volumes, "cavities", "Cavities", "Pa"),
        ]
    }

    fn layer_frames(step: u8) -> Vec<LayerFrame> {
        let arrow = Arrow { at: [f32::from(step), 0.0, 1.0], vector: [0.0, 0.0, 9.81] };
        let volume = Volume {
            identity: 7,
            value: 9e4,
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, f32::from(step)]],
            triangles: vec![[0, 1, 2]],
        };
        vec![
            LayerFrame::Field(vec![None, Some(vec![f32::from(step), 1.0, 2.0])]),
            LayerFrame::Arrows(vec![arrow; usize::from(step)]),
            LayerFrame::Volumes(vec![volume; 1]),
        ]
    }

    fn file(layers: &[Layer]) -> Vec<u8> {
        let body = |name: &str| FrameBody::of_surface(name.into(), 3, vec![[0, 1, 2]]);
        let mut bytes = Vec::new();
        let mut bodies = [body("still"), body("mover")];
        bodies[1].cells = FrameCells { size: 4, vertices: vec![0, 1, 2, 2] };
        let mut writer = FrameWriter::new(&mut bytes, &bodies, layers).unwrap();
        for step in 0..3_u8 {
            let moved = DVec3::X * f64::from(step);
            let positions = [vec![DVec3::Y; 3], vec![moved; 3]];
            let shown = if layers.is_empty() { Vec::new() } else { layer_frames(step) };
            writer.write(f64::from(step) * 0.5, &positions, &shown).unwrap();
        }
        bytes
    }

    #[test]
    fn frames_read_back_as_written() {
        let bytes = file(&layers());
        let mut reader = FrameReader::new(bytes.as_slice()).unwrap();
        assert_eq!(reader.bodies()[1].name, "mover");
        assert_eq!(reader.bodies()[0].cells.count(), 0);
        assert_eq!(reader.bodies()[1].cells.iter().collect::<Vec<_>>(), [[0, 1, 2, 2]]);
        assert_eq!(reader.layers(), layers());
        for step in 0..3_u8 {
            let frame = reader.next_frame().unwrap().unwrap();
            assert_eq!(frame.time, f64::from(step) * 0.5);
            assert_eq!(
                frame.positions,
                vec![vec![[0.0, 1.0, 0.0]; 3], vec![[f32::from(step), 0.0, 0.0]; 3]]
            );
            assert_eq!(frame.layers, layer_frames(step));
        }
        assert_eq!(reader.next_frame().unwrap(), None);
    }

    #[test]
    fn a_body_at_rest_costs_one_byte_a_frame() {
        // Frame: 8 (time) + 1 (still) + 1 + 36 (three vertices that moved).
        let bytes = file(&[]);
        let header = 8 + 4 + 2 * (4 + 5 + 4 + 4 + 12 + 1 + 4) + 4 * 4 + 4;
        assert_eq!(bytes.len(), header + (8 + 37 + 37) + 2 * (8 + 1 + 37));
    }

    #[test]
    fn a_file_cut_short_gives_its_whole_frames() {
        let bytes = file(&layers());
        for cut in 1..40 {
            let mut reader = FrameReader::new(&bytes[..bytes.len() - cut]).unwrap();
            let mut count = 0;
            while reader.next_frame().unwrap().is_some() {
                count += 1;
            }
            assert_eq!(count, 2);
        }
        assert!(FrameReader::new(&b"something else"[..]).is_err());
    }

    #[test]
    fn counts_that_lie_cost_neither_memory_nor_a_panic() {
        let good = file(&layers());
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] = 0xff;
            if let Ok(mut reader) = FrameReader::new(bytes.as_slice()) {
                while let Ok(Some(_)) = reader.next_frame() {}
            }
        }
    }
}

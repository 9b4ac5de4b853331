//! VTU series for ParaView: `bodies.pvd` with the surfaces of all bodies and their fields, `cells.pvd` with the elements of
//! soft bodies, and a `.pvd` for every layer of arrows and volumes. Each names one `.vtu` file a frame.

use std::io::{self, Write};
use std::path::Path;

use super::vtu_file::{Array, Cells, Grid, escaped};
use super::{
    Cast, ExportError, Exported, displacements, each_frame, make_folder, titled, write_file,
};
use crate::frames::{Arrow, Frame, FrameBody, Layer, LayerFrame, Volume};

/// One series: its name and the times of its files, s.
struct Collection {
    name: String,
    times: Vec<f64>,
}

/// Writes all series into a folder.
pub fn export(run: &Path, out: &Path) -> Result<Exported, ExportError> {
    make_folder(out)?;
    let mut first: Option<Frame> = None;
    let mut collections: Vec<Collection> = Vec::new();
    each_frame(run, |cast, index, frame| {
        let first = first.get_or_insert_with(|| frame.clone());
        let layers = cast.layers.iter().zip(&frame.layers);
        let others =
            layers.filter_map(|(layer, shown)| Some((plain(&layer.name), other(layer, shown)?)));
        let surfaces = bodies(cast, frame, first, GridKind::Surfaces);
        let solid = cast.bodies.iter().any(|body| body.cells.count() > 0);
        let solids = solid.then(|| ("cells".into(), bodies(cast, frame, first, GridKind::Cells)));
        let grids = [("bodies".to_string(), surfaces)].into_iter().chain(solids).chain(others);
        for (place, (name, grid)) in grids.enumerate() {
            write_file(&out.join(file_name(&name, index)), |file| {
                Grid { time: frame.time, ..grid }.write(file)
            })?;
            if collections.len() <= place {
                collections.push(Collection { name, times: Vec::new() });
            }
            collections[place].times.push(frame.time);
        }
        Ok(())
    })?;
    for collection in &collections {
        let file = out.join(format!("{}.pvd", collection.name));
        write_file(&file, |file| collection.write(file))?;
    }
    let files = collections.iter().map(|collection| collection.times.len() + 1).sum();
    Ok(Exported { open: out.join("bodies.pvd"), files })
}

fn file_name(series: &str, index: usize) -> String {
    format!("{series}_{index:05}.vtu")
}

/// A name that any file system takes, and that cannot hide the bodies.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if ["bodies", "cells"].contains(&plain.as_str()) { plain + "_" } else { plain }
}

impl Collection {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\"?>")?;
        writeln!(
            out,
            "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>"
        )?;
        for (index, time) in self.times.iter().enumerate() {
            let file = file_name(&self.name, index);
            writeln!(out, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>", escaped(&file))?;
        }
        writeln!(out, "</Collection>\n</VTKFile>")
    }
}

/// What of the bodies a grid shows.
#[derive(Clone, Copy, PartialEq)]
enum GridKind {
    Surfaces,
    Cells,
}

impl GridKind {
    /// Whether it shows a body at all.
    fn has(self, body: &FrameBody) -> bool {
        self == Self::Surfaces || body.cells.count() > 0
    }

    /// The points of a body that it needs: the surface's come first.
    fn points(self, body: &FrameBody) -> usize {
        match self {
            Self::Surfaces => body.surface_vertices(),
            Self::Cells => body.vertices as usize,
        }
    }
}

/// Bodies in one grid; cells tell the number of their body, and fields are NaN where a body has none.
fn bodies(cast: &Cast, frame: &Frame, first: &Frame, part: GridKind) -> Grid {
    let (mut grid, mut body_of_cell, mut ways) = (Grid::default(), Vec::new(), Vec::new());
    for (index, body) in cast.bodies.iter().enumerate().filter(|(_, body)| part.has(body)) {
        let before = grid.points.len() as u32;
        let points = &frame.positions[index][..part.points(body)];
        grid.points.extend(points);
        match part {
            GridKind::Surfaces => body.triangles.iter().for_each(|t| grid.cells.add(t, before)),
            GridKind::Cells => body.cells.iter().for_each(|cell| grid.cells.add(cell, before)),
        }
        body_of_cell.resize(grid.cells.len(), index as f32);
        ways.extend(displacements(points, &first.positions[index]));
    }
    let displacement =
        Array { name: "displacement_m".into(), components: 3, values: ways.into_flattened() };
    let layers = cast.layers.iter().zip(&frame.layers);
    let fields = layers.filter_map(|(layer, shown)| field(cast, layer, shown, part));
    grid.point_arrays = [displacement].into_iter().chain(fields).collect();
    grid.cell_arrays = vec![Array { name: "body".into(), components: 1, values: body_of_cell }];
    grid.names =
        vec![("body_names".into(), cast.bodies.iter().map(|body| body.name.clone()).collect())];
    grid
}

fn field(cast: &Cast, layer: &Layer, shown: &LayerFrame, part: GridKind) -> Option<Array> {
    let LayerFrame::Field(values) = shown else { return None };
    let of_body = cast.bodies.iter().zip(values).filter(|(body, _)| part.has(body));
    let values = of_body.flat_map(|(body, values)| {
        let count = part.points(body);
        values.as_ref().map_or_else(|| vec![f32::NAN; count], |values| values[..count].to_vec())
    });
    Some(Array { name: titled(layer), components: 1, values: values.collect() })
}

fn other(layer: &Layer, shown: &LayerFrame) -> Option<Grid> {
    match shown {
        LayerFrame::Field(_) => None,
        LayerFrame::Arrows(arrows) => Some(points(layer, arrows)),
        LayerFrame::Volumes(volumes) => Some(meshes(layer, volumes)),
    }
}

fn points(layer: &Layer, arrows: &[Arrow]) -> Grid {
    let values = arrows.iter().flat_map(|arrow| arrow.vector).collect();
    let mut cells = Cells::default();
    (0..arrows.len() as u32).for_each(|point| cells.add(&[point], 0));
    Grid {
        points: arrows.iter().map(|arrow| arrow.at).collect(),
        cells,
        point_arrays: vec![Array { name: titled(layer), components: 3, values }],
        ..Grid::default()
    }
}

fn meshes(layer: &Layer, volumes: &[Volume]) -> Grid {
    let (mut grid, mut values, mut identities) = (Grid::default(), Vec::new(), Vec::new());
    for volume in volumes {
        let before = grid.points.len() as u32;
        grid.points.extend(&volume.positions);
        volume.triangles.iter().for_each(|triangle| grid.cells.add(triangle, before));
        values.resize(grid.cells.len(), volume.value);
        identities.resize(grid.cells.len(), volume.identity as f32);
    }
    let array = |name: &str, values| Array { name: name.into(), components: 1, values };
    grid.cell_arrays = vec![array(&titled(layer), values), array("identity", identities)];
    grid
}

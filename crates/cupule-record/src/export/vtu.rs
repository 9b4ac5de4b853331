//! VTU series for ParaView: `bodies.pvd` with the surfaces of all bodies and their fields, and a `.pvd` for every
//! layer of arrows and volumes. Each names one `.vtu` file a frame.

use std::io::{self, Write};
use std::path::Path;

use super::vtu_file::{Array, Grid, escaped};
use super::{
    Cast, ExportError, Exported, displacements, each_frame, make_folder, titled, write_file,
};
use crate::frames::{Arrow, Frame, Layer, LayerFrame, Volume};

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
        let grids = [("bodies".to_string(), bodies(cast, frame, first))].into_iter().chain(others);
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
    if plain == "bodies" { "bodies_".into() } else { plain }
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

/// Surfaces of all bodies in one grid; cells tell the number of their body, and fields are NaN where a body has none.
fn bodies(cast: &Cast, frame: &Frame, first: &Frame) -> Grid {
    let (mut grid, mut body_of_cell, mut ways) = (Grid::default(), Vec::new(), Vec::new());
    for (index, (body, points)) in cast.bodies.iter().zip(&frame.positions).enumerate() {
        let before = grid.points.len() as u32;
        grid.points.extend(points);
        grid.triangles.extend(body.triangles.iter().map(|t| t.map(|vertex| vertex + before)));
        body_of_cell.resize(grid.triangles.len(), index as f32);
        ways.extend(displacements(points, &first.positions[index]));
    }
    let displacement =
        Array { name: "displacement_m".into(), components: 3, values: ways.into_flattened() };
    let fields = cast
        .layers
        .iter()
        .zip(&frame.layers)
        .filter_map(|(layer, shown)| field(cast, layer, shown));
    grid.point_arrays = [displacement].into_iter().chain(fields).collect();
    grid.cell_arrays = vec![Array { name: "body".into(), components: 1, values: body_of_cell }];
    grid.names =
        vec![("body_names".into(), cast.bodies.iter().map(|body| body.name.clone()).collect())];
    grid
}

fn field(cast: &Cast, layer: &Layer, shown: &LayerFrame) -> Option<Array> {
    let LayerFrame::Field(values) = shown else { return None };
    let of_body = cast.bodies.iter().zip(values);
    let values = of_body.flat_map(|(body, values)| {
        values.clone().unwrap_or_else(|| vec![f32::NAN; body.vertices as usize])
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
    Grid {
        points: arrows.iter().map(|arrow| arrow.at).collect(),
        point_arrays: vec![Array { name: titled(layer), components: 3, values }],
        vertices: true,
        ..Grid::default()
    }
}

fn meshes(layer: &Layer, volumes: &[Volume]) -> Grid {
    let (mut grid, mut values, mut identities) = (Grid::default(), Vec::new(), Vec::new());
    for volume in volumes {
        let before = grid.points.len() as u32;
        grid.points.extend(&volume.positions);
        grid.triangles.extend(volume.triangles.iter().map(|t| t.map(|vertex| vertex + before)));
        values.resize(grid.triangles.len(), volume.value);
        identities.resize(grid.triangles.len(), volume.identity as f32);
    }
    let array = |name: &str, values| Array { name: name.into(), components: 1, values };
    grid.cell_arrays = vec![array(&titled(layer), values), array("identity", identities)];
    grid
}

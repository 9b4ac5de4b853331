//! From the keys of a body to its mesh: generators and mesh files, cells and collision surfaces.

use std::path::Path;

use cupule_geometry::cage::{
    surface_of_ellipsoids, tetrahedral_cage, tetrahedralize, tetrahedralize_ellipsoids, voxel_hexes,
};
use cupule_geometry::files::{self, Format, MeshFileError, MeshFileProblem};
use cupule_geometry::structured::helix_cage;
use cupule_geometry::{
    self as geometry, Cells, DQuat, DVec3, GeometryError, ThinMesh, TriMesh, VolumeMesh,
    WireSection,
};

use crate::library::shipped_mesh;
use crate::model::{Element, FemBody, Geometry, Rotation, Select, Shape};

/// Nodes of a fem body that asks for none: fine enough to bend, coarse enough for interactive speed.
const DEFAULT_NODES: u32 = 500;

/// Key of the body at fault and what is wrong.
pub(crate) type GeometryProblem = (&'static str, String);

/// Cells and collision surface of a soft body, in its own frame.
pub(crate) struct SoftGeometry {
    pub mesh: VolumeMesh,
    /// A surface that the cells carry, where it is not their own boundary.
    pub surface: Option<TriMesh>,
    /// Volume of the solid that the cells stand for, m3, where they only cover or approximate it.
    pub volume: Option<f64>,
    /// Whether only what the surface encloses is made of the material.
    pub caged: bool,
}

/// The cells of a fem body, scaled, in its own frame.
pub(crate) fn soft(body: &FemBody) -> Result<SoftGeometry, GeometryProblem> {
    let scale = body.geometry.scale.factors();
    let SoftGeometry { mut mesh, mut surface, volume, .. } =
        match (&body.geometry.shape, &body.geometry.mesh) {
            (Some(shape), _) => {
                let mesh = generated_cells(shape, body)?;
                SoftGeometry { mesh, surface: None, volume: None, caged: false }
            }
            (None, Some(path)) => {
                cells_of_file(&MeshFile::find(path).map_err(|m| ("mesh", m))?, body)?
            }
            (None, None) => return Err(("shape", "expected either `shape` or `mesh`".into())),
        };
    if let Some(path) = &body.surface {
        let file = MeshFile::find(path).map_err(|message| ("surface", message))?;
        surface = Some(closed_surface(&file).map_err(|message| ("surface", message))?);
    }
    if let Some(nodes) = body.cage {
        let inside = surface.unwrap_or_else(|| mesh.boundary().0);
        let (around, within) = cage(body, inside, nodes as usize)?;
        (mesh, surface) = (around, Some(within));
    }
    let mesh = mesh.scaled(scale);
    mesh.check().map_err(|error| ("mesh", error.to_string()))?;
    let volume = volume.map(|v| v * scale.element_product());
    let mut surface = surface.map(|s| s.scaled(scale));
    if let Some(select) = &body.split_surface {
        let whole = surface.unwrap_or_else(|| mesh.boundary().0);
        surface = Some(split(&whole, select)?);
    }
    Ok(SoftGeometry { mesh, surface, volume, caged: body.cage.is_some() })
}

/// A surface that is finer where it is selected.
fn split(surface: &TriMesh, select: &Select) -> Result<TriMesh, GeometryProblem> {
    let mut chosen = vec![false; surface.vertices.len()];
    selected(select, &surface.vertices).iter().for_each(|v| chosen[*v as usize] = true);
    let fine = surface.split(|triangle| triangle.iter().all(|v| chosen[*v as usize]));
    if fine.triangles.len() == surface.triangles.len() {
        return Err((
            "split_surface",
            "no triangle of the surface has all its corners in here".into(),
        ));
    }
    Ok(fine)
}

/// A cage of about so many nodes, and the surface in it: tetrahedra around any, hexahedra along a wire.
fn cage(
    body: &FemBody,
    inside: TriMesh,
    nodes: usize,
) -> Result<(VolumeMesh, TriMesh), GeometryProblem> {
    let defect = |error: GeometryError| ("cage", error.to_string());
    if body.element != Some(Element::Hex8) {
        return Ok((tetrahedral_cage(&inside, nodes).map_err(defect)?.mesh, inside));
    }
    let shape = body.geometry.shape.as_ref().map(Shape::to_geometry).transpose().map_err(defect)?;
    match shape {
        Some(geometry::Shape::Helix(helix)) if helix.section == WireSection::Round => {
            helix_cage(&helix, nodes).map_err(defect)
        }
        _ => Err((
            "cage",
            "a cage of hex8 follows a helix of round wire; leave out `element`".into(),
        )),
    }
}

/// The surface of a body that is not soft, scaled, in its own frame.
pub(crate) fn hard(body: &Geometry, resolution: Option<f64>) -> Result<TriMesh, GeometryProblem> {
    let surface = match (&body.shape, &body.mesh) {
        (Some(shape), _) => {
            let longest = body.scale.factors().max_element();
            let resolution = resolution.map(|r| r / longest);
            shape_surface(shape, resolution).map_err(|message| ("shape", message))?
        }
        (None, Some(path)) => mesh_surface(path).map_err(|message| ("mesh", message))?,
        (None, None) => return Err(("shape", "expected either `shape` or `mesh`".into())),
    };
    Ok(surface.scaled(body.scale.factors()))
}

/// The surface of a generated shape, with edges no longer than `resolution` (m), or as coarse as it allows.
pub(crate) fn shape_surface(shape: &Shape, resolution: Option<f64>) -> Result<TriMesh, String> {
    let resolution = resolution.unwrap_or_else(|| coarse_resolution(shape));
    let surface = match shape.ellipsoids() {
        Some(solid) => solid.and_then(|solid| surface_of_ellipsoids(&solid, resolution)),
        None => shape.to_geometry().and_then(|shape| shape.surface(resolution)),
    };
    surface.map_err(|error| error.to_string())
}

/// The closed surface in a mesh file.
pub(crate) fn mesh_surface(path: &str) -> Result<TriMesh, String> {
    closed_surface(&MeshFile::find(path)?)
}

/// The wires or the sheet of a body that is made of them, scaled, in its own frame.
pub(crate) fn thin(
    body: &Geometry,
    resolution: Option<f64>,
) -> Option<Result<ThinMesh, GeometryProblem>> {
    let factors = body.scale.factors();
    let made = body.shape.as_ref()?.thin(resolution.map(|r| r / factors.max_element()))?;
    let made = made.map_err(|error| ("shape", error.to_string()));
    // A radius has no axis.
    let even = factors.max_element() == factors.min_element();
    let message = "wires and sheets have one radius: give one factor for all axes";
    Some(made.and_then(|thin| {
        if even { Ok(thin.scaled(factors.x)) } else { Err(("scale", message.to_string())) }
    }))
}

fn generated_cells(shape: &Shape, body: &FemBody) -> Result<VolumeMesh, GeometryProblem> {
    let tetrahedral = body.element != Some(Element::Hex8) && body.subdivisions.is_none();
    if let (Some(solid), true) = (shape.ellipsoids(), tetrahedral) {
        let quadratic = body.element != Some(Element::Tet4);
        let mesh = solid.and_then(|solid| tetrahedralize_ellipsoids(&solid, corners(body)));
        let mesh = mesh.map_err(|error| ("shape", error.to_string()))?;
        return Ok(if quadratic { mesh.to_tet10() } else { mesh });
    }
    let geometry = shape.to_geometry().map_err(|error| ("shape", error.to_string()))?;
    let hexes = match &body.subdivisions {
        Some(counts) => {
            let counts: Vec<usize> = counts.iter().map(|count| *count as usize).collect();
            geometry.hexes_by(&counts).map_err(|error| ("subdivisions", error.to_string()))
        }
        None => geometry
            .hexes(body.nodes.unwrap_or(DEFAULT_NODES) as usize)
            .map_err(|error| ("shape", error.to_string())),
    }?;
    Ok(match body.element {
        None | Some(Element::Hex8) => hexes,
        Some(Element::Tet4) => hexes.to_tet4(),
        Some(Element::Tet10) => hexes.to_tet10(),
    })
}

/// A mesh file: on disk, or one that ships with the program.
enum MeshFile<'a> {
    Disk(&'a Path),
    Shipped(&'static str, &'static [u8], Format),
}

impl<'a> MeshFile<'a> {
    fn find(path: &'a str) -> Result<Self, String> {
        let Some(shipped) = shipped_mesh(path) else { return Ok(Self::Disk(Path::new(path))) };
        let (name, bytes) = shipped?;
        let extension = Path::new(name).extension().unwrap_or_default().to_string_lossy();
        let format = Format::of_extension(&extension);
        let format = format.ok_or_else(|| format!("`{name}` is not a mesh file"))?;
        Ok(Self::Shipped(name, bytes, format))
    }

    fn volume(&self) -> Result<VolumeMesh, MeshFileError> {
        match self {
            Self::Disk(path) => files::read_volume(path),
            Self::Shipped(_, bytes, format) => files::read_volume_from_bytes(bytes, *format),
        }
    }

    fn surface(&self) -> Result<TriMesh, MeshFileError> {
        match self {
            Self::Disk(path) => files::read_surface(path),
            Self::Shipped(_, bytes, format) => files::read_surface_from_bytes(bytes, *format),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Disk(path) => path.display().to_string(),
            Self::Shipped(name, ..) => (*name).to_string(),
        }
    }
}

/// Quadratic tetrahedra have about this many nodes for every corner.
const NODES_PER_CORNER: usize = 6;

/// How many corners give the nodes that a body of tetrahedra asks for.
fn corners(body: &FemBody) -> usize {
    let nodes = body.nodes.unwrap_or(DEFAULT_NODES) as usize;
    if body.element == Some(Element::Tet4) { nodes } else { nodes.div_ceil(NODES_PER_CORNER) }
}

/// A file with cells is taken as it is; a file with a closed surface is filled with cells.
fn cells_of_file(file: &MeshFile, body: &FemBody) -> Result<SoftGeometry, GeometryProblem> {
    let at_mesh = |message: String| ("mesh", message);
    match file.volume() {
        Ok(mesh) => Ok(SoftGeometry {
            mesh: with_element(mesh, body.element)?,
            surface: None,
            volume: None,
            caged: false,
        }),
        Err(error) if matches!(error.problem, MeshFileProblem::WrongContent { .. }) => {
            let surface = closed_surface(file).map_err(at_mesh)?;
            let volume = Some(surface.signed_volume());
            let nodes = body.nodes.unwrap_or(DEFAULT_NODES) as usize;
            if body.element == Some(Element::Hex8) {
                let cage =
                    voxel_hexes(&surface, nodes).map_err(|error| at_mesh(error.to_string()))?;
                let surface = Some(surface);
                return Ok(SoftGeometry { mesh: cage.mesh, surface, volume, caged: false });
            }
            // Linear tetrahedra lock; they are used only where they are asked for.
            let linear = body.element == Some(Element::Tet4);
            let filled = tetrahedralize(&surface, corners(body))
                .map_err(|error| at_mesh(error.to_string()))?;
            let mesh = if linear { filled.mesh } else { filled.mesh.to_tet10() };
            Ok(SoftGeometry { mesh, surface: None, volume, caged: false })
        }
        Err(error) => Err(at_mesh(error.to_string())),
    }
}

fn with_element(mesh: VolumeMesh, element: Option<Element>) -> Result<VolumeMesh, GeometryProblem> {
    match (element, &mesh.cells) {
        (None, _) => Ok(mesh),
        (Some(Element::Tet4), _) => Ok(mesh.to_tet4()),
        (Some(Element::Tet10), _) => Ok(mesh.to_tet10()),
        (Some(Element::Hex8), Cells::Hex8(_)) => Ok(mesh),
        (Some(Element::Hex8), _) => {
            Err(("element", "the mesh file holds tetrahedra, not hex8".into()))
        }
    }
}

fn closed_surface(file: &MeshFile) -> Result<TriMesh, String> {
    let surface = match file.surface() {
        Ok(surface) => surface,
        Err(error) if matches!(error.problem, MeshFileProblem::WrongContent { .. }) => {
            file.volume().map_err(|error| error.to_string())?.boundary().0
        }
        Err(error) => return Err(error.to_string()),
    };
    surface.check_closed().map_err(|error| format!("{}: {error}", file.name()))?;
    Ok(surface)
}

/// A flat-sided shape needs no inner edges; a round one needs enough to be round.
fn coarse_resolution(shape: &Shape) -> f64 {
    match shape {
        Shape::Box { size } => size.iter().copied().fold(0.0, f64::max),
        Shape::Sphere { radius } => radius / 3.0,
        Shape::Cylinder { radius, .. } => radius / 2.0,
        Shape::Tube { outer_radius, .. } => outer_radius / 2.0,
        Shape::Cup(cup) => cup.outer_diameter / 8.0,
        Shape::Dome(dome) => dome.outer_diameter / 8.0,
        Shape::Sucker(sucker) => sucker.outer_diameter / 8.0,
        Shape::Revolved { lower, upper } => {
            lower.iter().chain(upper).map(|point| point[0]).fold(0.0, f64::max) / 4.0
        }
        Shape::Profile { points } => points.iter().map(|point| point[0]).fold(0.0, f64::max) / 4.0,
        Shape::FinRay(finger) => finger.depth.min(finger.tip_width),
        Shape::Wires { radius, .. } => *radius,
        Shape::Sheet { size, .. } => size[0].max(size[1]),
        Shape::Helix { wire_diameter, .. } => *wire_diameter,
        Shape::Ellipsoids { parts, .. } => {
            parts.iter().flat_map(|part| part.radii).fold(f64::INFINITY, f64::min) / 2.0
        }
    }
}

/// The orientation that a rotation table means; the check has made sure that it means one.
pub(crate) fn orientation(rotation: Option<&Rotation>) -> DQuat {
    let Some(rotation) = rotation else { return DQuat::IDENTITY };
    match (rotation.axis, rotation.angle, rotation.quaternion_wxyz) {
        (Some(axis), Some(angle), _) => {
            DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::Z), angle)
        }
        (_, _, Some([w, x, y, z])) => DQuat::from_xyzw(x, y, z, w).normalize(),
        _ => DQuat::IDENTITY,
    }
}

/// The nodes that a selection means, ascending.
pub(crate) fn selected(select: &Select, nodes: &[DVec3]) -> Vec<u32> {
    let low = nodes.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = nodes.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    // Coordinates of generated and read meshes carry rounding; a millionth of the body is none of its features.
    let slack = 1e-6 * (high - low).max_element();
    let chosen = |x: &DVec3| {
        if let Some(face) = select.face {
            let (axis, largest) = face.axis();
            if largest { x[axis] >= high[axis] - slack } else { x[axis] <= low[axis] + slack }
        } else if let Some(region) = &select.region {
            let (min, max) = (DVec3::from(region.min) - slack, DVec3::from(region.max) + slack);
            x.cmpge(min).all() && x.cmple(max).all()
        } else if let Some(sphere) = &select.sphere {
            x.distance(sphere.centre.into()) <= sphere.radius + slack
        } else {
            select.all == Some(true)
        }
    };
    (0..nodes.len() as u32).filter(|node| chosen(&nodes[*node as usize])).collect()
}

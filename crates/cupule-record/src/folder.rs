//! The folder of a run as it is written: scene, series and frames as the run goes, summary and page at its end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cupule::cavity::Cavity;
use cupule::report::{StepReport, Wrench};
use cupule::world::{AttachmentId, BodyId, World};
use cupule_geometry::DVec3;

use crate::frames::{Arrow, FrameBody, FrameWriter, Layer, LayerFrame, LayerKind, Volume};
use crate::recorder::{About, RecordError};
use crate::report;
use crate::series::Series;
use crate::summary::Summary;

/// At most this many frames per simulated second: more than a screen shows.
const FRAMES_PER_SECOND: f64 = 60.0;

/// Open files of a run.
pub struct RunFolder {
    path: PathBuf,
    series: BufWriter<File>,
    frames: FrameWriter<BufWriter<File>>,
    last_frame: f64,
    shown: Vec<LayerFrame>,
}

impl RunFolder {
    /// Makes the folder and writes what is known before the first step.
    pub fn create(
        path: &Path,
        world: &World,
        series: &Series,
        about: &About,
    ) -> Result<Self, RecordError> {
        fs::create_dir_all(path)
            .map_err(|source| RecordError { file: path.to_path_buf(), source })?;
        let create = |name: &str| {
            let file = path.join(name);
            File::create(&file).map(BufWriter::new).map_err(|source| RecordError { file, source })
        };
        // Those of an earlier run would lie about this one until it is finished.
        for name in ["summary.json", "report.html"] {
            let _ = fs::remove_file(path.join(name));
        }
        let fail = |name: &str| {
            let file = path.join(name);
            move |source| RecordError { file: file.clone(), source }
        };
        create("scene.toml")?.write_all(about.scene_toml.as_bytes()).map_err(fail("scene.toml"))?;
        let mut csv = create("series.csv")?;
        writeln!(csv, "{}", series.header()).map_err(fail("series.csv"))?;
        let bodies: Vec<FrameBody> =
            (0..world.body_count()).map(|index| frame_body(world, BodyId(index))).collect();
        let frames = FrameWriter::new(create("frames.bin")?, &bodies, &layers())
            .map_err(fail("frames.bin"))?;
        let shown = layer_frames(world, &StepReport::default());
        let last_frame = f64::NEG_INFINITY;
        let mut folder = Self { path: path.to_path_buf(), series: csv, frames, last_frame, shown };
        folder.frame(world)?;
        Ok(folder)
    }

    /// Adds a step.
    pub fn add(
        &mut self,
        world: &World,
        report: &StepReport,
        series: &Series,
        new_columns: bool,
    ) -> Result<(), RecordError> {
        if new_columns {
            self.rewrite_series(series)?;
        } else {
            let failed = self.failed("series.csv");
            writeln!(self.series, "{}", series.last_line()).map_err(failed)?;
        }
        self.shown = layer_frames(world, report);
        // The small slack keeps rounding of the time from dropping every other frame.
        if world.time() >= self.last_frame + 1.0 / FRAMES_PER_SECOND - 1e-9 {
            self.frame(world)?;
        }
        Ok(())
    }

    /// Writes the series anew, with the columns it has got by now.
    fn rewrite_series(&mut self, series: &Series) -> Result<(), RecordError> {
        let failed = self.failed("series.csv");
        File::create(self.path.join("series.csv"))
            .and_then(|file| {
                self.series = BufWriter::new(file);
                self.series.write_all(series.text().as_bytes())
            })
            .map_err(failed)
    }

    /// Writes the last frame, the summary and the page.
    pub fn finish(mut self, world: &World, summary: &Summary) -> Result<(), RecordError> {
        if world.time() > self.last_frame {
            self.frame(world)?;
        }
        let failed = self.failed("frames.bin");
        self.frames.flush().map_err(failed)?;
        let failed = self.failed("series.csv");
        self.series.flush().map_err(failed)?;
        let text = serde_json::to_string_pretty(summary).map_err(io::Error::other);
        let failed = self.failed("summary.json");
        text.and_then(|text| fs::write(self.path.join("summary.json"), text + "\n"))
            .map_err(failed)?;
        match report::write(&self.path) {
            Ok(_) => Ok(()),
            Err(report::WriteError::Record(error)) => Err(error),
            // Files of ours that cannot be read back: the folder is at fault, as when it cannot be written.
            Err(report::WriteError::Run(error)) => {
                Err(RecordError { file: error.file, source: error.source })
            }
        }
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        let positions: Vec<_> =
            (0..world.body_count()).map(|i| world.surface_positions(BodyId(i))).collect();
        self.last_frame = world.time();
        let failed = self.failed("frames.bin");
        self.frames.write(world.time(), &positions, &self.shown).map_err(failed)
    }

    fn failed(&self, name: &str) -> impl FnOnce(io::Error) -> RecordError + use<> {
        let file = self.path.join(name);
        move |source| RecordError { file, source }
    }
}

fn frame_body(world: &World, id: BodyId) -> FrameBody {
    FrameBody {
        name: world.body_name(id).to_string(),
        vertices: world.surface_positions(id).len().try_into().unwrap_or(u32::MAX),
        triangles: world.surface_triangles(id).to_vec(),
    }
}

/// What is drawn with the bodies: a line here, and one of the same place in [`layer_frames`], adds a layer.
fn layers() -> Vec<Layer> {
    vec![
        Layer::new(LayerKind::Arrows, "contacts", "Contact forces", "N"),
        Layer::new(LayerKind::Arrows, "attachments", "Attachment forces", "N"),
        Layer::new(LayerKind::Volumes, "cavities", "Air", "Pa"),
    ]
}

/// What the layers show after a step.
fn layer_frames(world: &World, report: &StepReport) -> Vec<LayerFrame> {
    vec![
        LayerFrame::Arrows(contact_forces(report)),
        LayerFrame::Arrows(attachment_forces(world, report)),
        LayerFrame::Volumes(world.cavities().iter().map(|c| cavity(world, c)).collect()),
    ]
}

fn narrow(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

fn attachment_forces(world: &World, report: &StepReport) -> Vec<Arrow> {
    let arrow = |(i, wrench): (usize, &Wrench)| Arrow {
        at: narrow(world.attachment_centre(AttachmentId(i))),
        vector: narrow(wrench.force),
    };
    report.attachments.iter().enumerate().map(arrow).collect()
}

/// The open part of a cavity: what touches would only flicker between two surfaces.
fn cavity(world: &World, cavity: &Cavity) -> Volume {
    let wall = world.open_wall(cavity);
    let count = 3 * u32::try_from(wall.len()).unwrap_or(0);
    Volume {
        identity: cavity.id,
        value: cavity.pressure as f32,
        positions: wall.as_flattened().iter().map(|x| narrow(*x)).collect(),
        triangles: (0..count).step_by(3).map(|i| [i, i + 1, i + 2]).collect(),
    }
}

/// Contacts that carry: the many that are only near would hide them.
fn contact_forces(report: &StepReport) -> Vec<Arrow> {
    let least = 1e-6 * report.contacts.iter().map(|c| c.force.length()).fold(0.0, f64::max);
    let carrying = report.contacts.iter().filter(|contact| contact.force.length() > least);
    carrying.map(|c| Arrow { at: narrow(c.at), vector: narrow(c.force) }).collect()
}

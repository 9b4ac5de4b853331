//! The folder of a run as it is written: scene, series and frames as the run goes, summary and page at its end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cupule::report::StepReport;
use cupule::world::World;

use crate::frames::FrameWriter;
use crate::recorder::RecordError;
use crate::report;
use crate::scenery;
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
    /// The last step, if no frame shows it yet.
    unseen: Option<StepReport>,
}

impl RunFolder {
    /// Makes the folder and writes what is known before the first step; `scene` is the scene as run, TOML.
    pub fn create(
        path: &Path,
        world: &World,
        series: &Series,
        scene: &str,
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
        create("scene.toml")?.write_all(scene.as_bytes()).map_err(fail("scene.toml"))?;
        let mut csv = create("series.csv")?;
        writeln!(csv, "{}", series.header()).map_err(fail("series.csv"))?;
        let (bodies, layers) = (scenery::bodies(world), scenery::layers(world));
        let frames = FrameWriter::new(create("frames.bin")?, &bodies, &layers)
            .map_err(fail("frames.bin"))?;
        let (path, last_frame) = (path.to_path_buf(), f64::NEG_INFINITY);
        let mut folder = Self { path, series: csv, frames, last_frame, unseen: None };
        folder.frame(world, &StepReport::default())?;
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
        // The small slack keeps rounding of the time from dropping every other frame.
        if world.time() >= self.last_frame + 1.0 / FRAMES_PER_SECOND - 1e-9 {
            self.unseen = None;
            self.frame(world, report)
        } else {
            self.unseen = Some(report.clone());
            Ok(())
        }
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
        if let Some(report) = self.unseen.take() {
            self.frame(world, &report)?;
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

    fn frame(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        self.last_frame = world.time();
        let failed = self.failed("frames.bin");
        let (positions, shown) = (scenery::positions(world), scenery::shown(world, report));
        self.frames.write(world.time(), &positions, &shown).map_err(failed)
    }

    fn failed(&self, name: &str) -> impl FnOnce(io::Error) -> RecordError + use<> {
        let file = self.path.join(name);
        move |source| RecordError { file, source }
    }
}

//! The words of the command line.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cupule_record::picture::Camera;

/// A simulator of soft things that hold on: suction cups, pads, fingertips and grippers.
#[derive(Debug, Parser)]
#[command(name = "cupule", version, after_help = EXIT_STATUS)]
pub struct Arguments {
    /// What to do; without it, cupule says what it can do and how to start.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_STATUS: &str =
    "Exit status: 0 done; 1 an expectation failed; 2 bad input; 3 the simulation failed.";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene and write its figures to a folder.
    Run(RunOptions),
    /// List the scenes that ship with cupule.
    List {
        /// The cups of the library instead.
        #[arg(long)]
        cups: bool,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run scenes, test what they expect, and print a PASS/FAIL table.
    Check(CheckOptions),
    /// Print the JSON Schema of the scene file, for editors.
    Schema,
    /// Measure speed or forces and print a table.
    Bench(BenchOptions),
    /// Open the report page of a run in the browser.
    View(ViewOptions),
    /// Make a picture or an animation of a run, without a browser.
    Render(RenderOptions),
    /// Run a scene live: see it and steer it in the browser.
    Live(LiveOptions),
    /// Write a run for other programs: ParaView, Blender, spreadsheets.
    Export(ExportOptions),
}

/// Options of `run`.
#[derive(Debug, Args)]
pub struct RunOptions {
    /// Name of a shipped scene (see `cupule list`) or path of a scene file.
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
    /// Number of threads [default: all cores, one for small scenes]; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder for the results [default: runs/SCENE].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long)]
    pub quiet: bool,
}

/// Changes to a scene.
#[derive(Debug, Default, Args)]
pub struct Changes {
    /// Solver, instead of the scene's: ncp or ipc.
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<String>,
    /// Count the triangles that intersect after every step, exactly; there must be none.
    #[arg(long)]
    pub audit: bool,
    /// Set any key of the scene, such as bodies.cup.material.youngs_modulus=1e6; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Time step, s, instead of the scene's.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Simulated time, s, instead of the scene's.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub duration: Option<f64>,
}

impl Changes {
    /// All changes as `KEY=VALUE`; the short options come last, so that they win.
    pub fn assignments(&self) -> Vec<String> {
        let solver = self.solver.as_ref().map(|kind| format!("solver.kind={kind}"));
        let audit = self.audit.then(|| "solver.audit=true".to_string());
        let dt = self.dt.map(|step| format!("solver.time_step={step}"));
        let duration = self.duration.map(|time| format!("duration={time}"));
        self.set.iter().cloned().chain(solver).chain(audit).chain(dt).chain(duration).collect()
    }
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckOptions {
    /// Names or paths of scenes [default: all shipped scenes].
    pub scenes: Vec<String>,
    /// Solver, instead of the scenes': ncp or ipc.
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<String>,
    /// How many runs go at once, each on one thread [default: all cores]. With 1 a run has all cores to itself, and shows
    /// how far it is. Results do not depend on it, times do.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Run everything a second time with another number of threads, and expect the same bits.
    #[arg(long)]
    pub bits: bool,
    /// Print the table as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// Which table. How long it takes is said for two cores; pages and charts go to runs/bench.
    pub name: cupule_bench::Table,
    /// How often each row of table1, table2, thesis-4.2 and thesis-4.3 is measured. Its quickest run counts, and the slowest is shown:
    /// runs do the same work to the bit, and differ by what else the machine does.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
    /// Print the table as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options of `view`.
#[derive(Debug, Args)]
pub struct ViewOptions {
    /// Folder of the run, such as runs/squeeze.
    pub run: PathBuf,
    /// Only print the path of the page.
    #[arg(long)]
    pub print: bool,
}

/// Options of `render`.
#[derive(Debug, Args)]
pub struct RenderOptions {
    /// Folder of the run, such as runs/squeeze.
    pub run: PathBuf,
    /// Time of the picture, s [default: the end].
    #[arg(long, value_name = "S", allow_negative_numbers = true, conflicts_with = "animate")]
    pub at: Option<f64>,
    /// File to write: .png, or with --animate .gif or .png (APNG).
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Width and height in pixels [default: 1280x800, with --animate 640x400].
    #[arg(long, value_name = "WxH")]
    pub size: Option<PictureSize>,
    /// Azimuth and elevation in degrees, and optionally a zoom, such as -58,24,1.2, and the point in the middle, m.
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM[,X,Y,Z]]", allow_hyphen_values = true)]
    pub camera: Option<Camera>,
    /// What colours mean: body, displacement, or a field of the run such as von_mises, contact_pressure, cavity.
    #[arg(long, value_name = "WORD", default_value = "body")]
    pub colour: String,
    /// What to draw with the bodies, such as contacts,attachments,cavities.
    #[arg(long, value_name = "LAYER,...", value_delimiter = ',')]
    pub with: Vec<String>,
    /// The whole run as an animation.
    #[arg(long)]
    pub animate: bool,
    /// Pictures a second of an animation.
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u16).range(1..=50))]
    pub fps: u16,
    /// Simulated seconds per second of an animation.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub speed: f64,
}

/// Options of `live`.
#[derive(Debug, Args)]
pub struct LiveOptions {
    /// Name of a shipped scene (see `cupule list`) or path of a scene file.
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
    /// Port on 127.0.0.1; 0 takes any that is free [default: 8765, or any that is free].
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Let time stand still until play is pressed.
    #[arg(long)]
    pub paused: bool,
    /// Only print the address of the page, do not open it.
    #[arg(long)]
    pub print: bool,
}

/// Options of `export`.
#[derive(Debug, Args)]
pub struct ExportOptions {
    /// Folder of the run, such as runs/squeeze.
    pub run: PathBuf,
    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportTo,
    /// Folder to write to, for glb the file [default: RUN/vtu, RUN/run.glb, RUN/obj, RUN/csv].
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// What a run is exported to.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExportTo {
    /// A series of VTK files with all fields, for ParaView: open bodies.pvd.
    Vtu,
    /// One animated glTF file, for browsers and Blender.
    Glb,
    /// Wavefront OBJ, one file a frame.
    Obj,
    /// The series, and the points with their fields, one file a frame.
    Csv,
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy)]
pub struct PictureSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl FromStr for PictureSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
        let sides = text.split_once('x').and_then(|(w, h)| Some((side(w)?, side(h)?)));
        let (width, height) =
            sides.ok_or("expected WIDTHxHEIGHT, each from 1 to 8192, such as 1280x800")?;
        Ok(Self { width, height })
    }
}

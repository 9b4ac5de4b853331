//! `cupule run`: one scene, its figures in a folder.

use std::path::{Path, PathBuf};

use cupule_record::{RunError, Summary, record};
use cupule_session::scene::load;
use cupule_session::{Interrupt, Session};

use crate::Status;
use crate::arguments::RunOptions;
use crate::progress::Progress;
use crate::show;

/// Runs a scene.
pub fn run(options: &RunOptions) -> Status {
    let Some(threads) = options.threads else { return run_here(options) };
    match rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build() {
        Ok(pool) => pool.install(|| run_here(options)),
        Err(error) => {
            tell!("error: --threads {threads}: {error}");
            Status::BadInput
        }
    }
}

fn run_here(options: &RunOptions) -> Status {
    let loaded = match load(&options.scene, &options.changes.assignments()) {
        Ok(loaded) => loaded,
        Err(error) => {
            tell!("error: {error}");
            return Status::BadInput;
        }
    };
    let folder = options.out.clone().unwrap_or_else(|| default_folder(&loaded.scene.name));
    if is_same_file(Path::new(&loaded.file), &folder.join("scene.toml")) {
        tell!(
            "error: {}: the run would overwrite it with the scene as run; choose another folder with --out",
            loaded.file
        );
        return Status::BadInput;
    }
    let mut session = match Session::new(loaded) {
        Ok(session) => session,
        Err(error) => {
            tell!("error: {error}");
            return Status::BadInput;
        }
    };
    stop_on_interrupt(session.interrupt().clone());
    match simulate(&mut session, Some(&folder), options.quiet) {
        Err(error) => {
            tell!("error: {error}");
            Status::BadInput
        }
        Ok(summary) => {
            report(&summary, &folder, options);
            status(&summary)
        }
    }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Scenes are named by files; a name that is a path must not lead out of `runs`.
fn default_folder(name: &str) -> PathBuf {
    let plain: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '@') { c } else { '_' })
        .collect();
    Path::new("runs").join(if plain.is_empty() { "scene" } else { &plain })
}

/// Runs a session to its end, with a progress bar unless `quiet`.
pub fn simulate(
    session: &mut Session,
    folder: Option<&Path>,
    quiet: bool,
) -> Result<Summary, RunError> {
    let loaded = session.loaded();
    let mut progress = Progress::new(&loaded.scene.name, loaded.scene.duration, quiet);
    for warning in session.warnings() {
        progress.warn(&warning.describe(&loaded.file));
    }
    let summary = record(session, folder, &mut |report| progress.step(report.time, report));
    progress.finish();
    summary
}

/// The first ctrl-c ends the run after its step; if no handler can be set, ctrl-c ends the program as always.
fn stop_on_interrupt(interrupt: Interrupt) {
    let _ = ctrlc::set_handler(move || {
        if interrupt.request() {
            std::process::exit(i32::from(Status::Interrupted.code()));
        }
    });
}

fn report(summary: &Summary, folder: &Path, options: &RunOptions) {
    if let Some(failure) = &summary.failure {
        tell!("error: {}; everything up to then is in {}", failure.message, folder.display());
    }
    if options.json {
        say!("{}", serde_json::to_string_pretty(summary).unwrap_or_default());
    } else if !options.quiet {
        show::summary(summary, Some(folder));
    }
}

/// What the summary means for the exit status.
pub fn status(summary: &Summary) -> Status {
    if summary.failure.is_some() {
        Status::Failed
    } else if summary.interrupted {
        Status::Interrupted
    } else if summary.ok {
        Status::Done
    } else {
        Status::Unexpected
    }
}

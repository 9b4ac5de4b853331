//! `cupule view`: the report page of a run, in the browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cupule_record::report;

use crate::Status;
use crate::arguments::ViewOptions;

/// Opens the page of a run; makes it first if the run was cut short before it could.
pub fn view(options: &ViewOptions) -> Status {
    let page = match page_of(&options.run) {
        Ok(page) => page,
        Err(message) => {
            tell!("error: {message}");
            return Status::BadInput;
        }
    };
    // A full path, so that it can be copied from anywhere.
    let page = std::path::absolute(&page).unwrap_or(page);
    say!("{}", page.display());
    if !options.print && !open(&page) {
        tell!("no program was found to open it: open the file above with a browser");
    }
    Status::Done
}

fn page_of(run: &Path) -> Result<PathBuf, String> {
    // The page itself may be named too.
    if run.is_file() && run.extension().is_some_and(|end| end == "html") {
        return Ok(run.to_path_buf());
    }
    let page = run.join("report.html");
    if page.is_file() {
        return Ok(page);
    }
    report::write(run).map_err(|error| error.to_string())
}

/// Hands a file or an address to the program that the system has for it; not waiting, as some openers stay as long as the browser.
pub fn open(file: &Path) -> bool {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let command = Command::new(opener)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    command.is_ok()
}

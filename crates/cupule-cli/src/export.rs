//! `cupule export`: a run for other programs.

use cupule_record::export::{ExportFormat, export as write};

use crate::Status;
use crate::arguments::{ExportOptions, ExportTo};

/// Exports a run.
pub fn export(options: &ExportOptions) -> Status {
    let format = match options.to {
        ExportTo::Vtu => ExportFormat::Vtu,
        ExportTo::Glb => ExportFormat::Glb,
        ExportTo::Obj => ExportFormat::Obj,
        ExportTo::Csv => ExportFormat::Csv,
    };
    let out = options.out.clone().unwrap_or_else(|| format.default_place(&options.run));
    match write(&options.run, format, &out) {
        Ok(exported) => {
            let files = if exported.files == 1 { "file" } else { "files" };
            say!("{} ({} {files})", exported.open.display(), exported.files);
            Status::Done
        }
        Err(error) => {
            tell!("error: {error}");
            Status::BadInput
        }
    }
}

//! Where benches leave their charts and pages: in `runs/bench`, beside the runs.

use std::path::{Path, PathBuf};

/// Writes a file of this name and tells where it is.
pub fn leave(name: &str, text: &str) -> Result<PathBuf, String> {
    leave_in(Path::new("runs/bench"), name, text)
}

fn leave_in(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let file = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&file, text))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    Ok(file)
}

/// Writes the chart and the page of a bench and tells where they are.
pub fn leave_both(name: &str, chart: &str, page: &str) -> Result<[PathBuf; 2], String> {
    Ok([leave(&format!("{name}.svg"), chart)?, leave(&format!("{name}.html"), page)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_failures_name_the_file() {
        let folder = std::env::temp_dir().join(format!("cupule-bench-{}", std::process::id()));
        let file = leave_in(&folder.join("a/b"), "c.svg", "<svg/>").expect("written");
        assert_eq!(std::fs::read_to_string(&file).expect("there"), "<svg/>");
        let message = leave_in(&file, "d.svg", "").expect_err("a file is no folder");
        assert!(message.contains("d.svg"), "{message}");
        std::fs::remove_dir_all(&folder).expect("gone again");
    }
}

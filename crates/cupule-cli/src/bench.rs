//! `cupule bench`: measures and prints a table.

use cupule_bench::Options;

use crate::Status;
use crate::arguments::BenchOptions;

/// Measures and prints a table.
pub fn bench(options: &BenchOptions) -> Status {
    let BenchOptions { name, runs, json } = *options;
    match cupule_bench::bench(name, &Options { runs, json }) {
        Ok(()) => Status::Done,
        Err(message) => {
            tell!("error: {message}");
            Status::Failed
        }
    }
}

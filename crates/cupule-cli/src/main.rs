//! The `cupule` command: runs scenes, live or to a folder, lists and checks them, shows, draws and exports their runs,
//! prints their schema, measures speed.

/// Prints a line to standard output. A reader that has gone away (`cupule run squeeze | head`) is not an error.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}

/// Prints a line to standard error; a reader that has gone away is not an error either.
macro_rules! tell {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

mod arguments;
mod bench;
mod check;
mod export;
mod list;
mod live;
mod progress;
mod render;
mod run;
mod show;
mod view;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

/// What the exit status says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// Done; every expectation holds.
    Done,
    /// An expectation failed.
    Unexpected,
    /// The input is wrong.
    BadInput,
    /// The simulation failed.
    Failed,
    /// Stopped by hand, as shells count it.
    Interrupted,
}

impl Status {
    fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unexpected => 1,
            Self::BadInput => 2,
            Self::Failed => 3,
            Self::Interrupted => 130,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let status = match arguments.command {
        None => {
            list::welcome();
            Status::Done
        }
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::List { cups: true, json }) => list::cups(json),
        Some(Command::List { cups: false, json }) => list::list(json),
        Some(Command::Check(options)) => check::check(&options),
        Some(Command::Schema) => list::schema(),
        Some(Command::Bench(options)) => bench::bench(&options),
        Some(Command::View(options)) => view::view(&options),
        Some(Command::Render(options)) => render::render(&options),
        Some(Command::Live(options)) => live::live(&options),
        Some(Command::Export(options)) => export::export(&options),
    };
    ExitCode::from(status.code())
}

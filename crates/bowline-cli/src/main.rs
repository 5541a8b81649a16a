//! The `bowline` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    bowline_cli::run(std::env::args_os())
}

//! The `bowline` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// What one of the daemon's threads allocates another often frees, which costs the system's allocator a lock and a search.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    bowline_cli::run(std::env::args_os())
}

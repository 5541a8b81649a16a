//! The `bowline` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// What one of the daemon's threads allocates another often frees, which costs the system's allocator a lock and a search.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The first descriptor behind the three streams.
const BEHIND_STREAMS: i32 = 3;

fn main() -> ExitCode {
    let args = std::env::args_os().collect::<Vec<_>>();
    // The program that it stands for gets all that is open.
    if let Some(ended) = bowline_cli::stand_in(&args) {
        return ended;
    }
    // Whoever started us may have left copies of pipes open, for whose end somebody waits. They are nothing to a daemon or a hook that
    // outlives us.
    close_fds::set_fds_cloexec(BEHIND_STREAMS, &[]);
    bowline_cli::run(args)
}

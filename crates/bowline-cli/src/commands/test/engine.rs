//! Runs the hooks in this process.

use std::pin::pin;
use std::time::Duration;

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{Locations, Settings};

use crate::error::{Error, ErrorKind, Result};

const PAUSE: Duration = Duration::from_millis(10);

/// The manager of everything that is in force.
pub(super) fn manager(settings: &Settings) -> HookManager {
    settings.manager(Services::from_settings(settings, &Locations::from_env()))
}

/// Fires the event and waits, also for hooks that nobody else waits for: ending before them would end them.
/// Hooks have a process group of their own, so an interruption has to be passed on to them.
pub(super) fn trigger(
    manager: &HookManager,
    input: HookInput,
    ctx: &HookContext,
) -> Result<TriggerResult> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| {
            Error::new(ErrorKind::System, "cannot start running hooks").caused_by(source)
        })?;
    runtime.block_on(async {
        let mut fired = pin!(async {
            let result = manager.trigger(input, ctx).await;
            while runtime.metrics().num_alive_tasks() > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            result
        });
        tokio::select! {
            result = &mut fired => Ok(result),
            Ok(()) = tokio::signal::ctrl_c() => {
                ctx.cancellation_token.cancel();
                fired.await;
                Err(Error::new(ErrorKind::System, "interrupted; the hooks were stopped"))
            }
        }
    })
}

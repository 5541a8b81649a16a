//! Runs the hooks in this process.

use std::io;
use std::pin::pin;
use std::time::Duration;

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{Locations, Settings};
use bowline_builtins::Builtins;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Error, ErrorKind, Result};
use crate::hook_view::is_bowline;

const PAUSE: Duration = Duration::from_millis(10);

/// The manager of everything that is in force. Bowline's own entries in the agent's settings are left out: they would decide before the
/// hooks that are tested, and record the event as a real one.
pub(super) fn manager(settings: &Settings, builtins: &Builtins) -> HookManager {
    let services = Services::from_settings(settings, &Locations::from_env());
    let mut settings = settings.clone();
    settings.hooks.retain(|hook| !is_bowline(hook));
    let mut manager = settings.manager(services);
    builtins.register_into(&mut manager);
    manager
}

/// Fires the event and waits, also for background hooks: exiting earlier would end them.
/// Hooks have a process group of their own, so what ends this process has to be passed on to them.
pub(crate) fn trigger(
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
        let mut ended = Ended::listen().map_err(|source| {
            Error::new(ErrorKind::System, "cannot listen for signals").caused_by(source)
        })?;
        let mut fired = pin!(async {
            let result = manager.trigger(input, ctx).await;
            while runtime.metrics().num_alive_tasks() > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            result
        });
        tokio::select! {
            result = &mut fired => Ok(result),
            signal = ended.recv() => {
                ctx.cancellation_token.cancel();
                fired.await;
                Err(Error::new(ErrorKind::System, format!("{signal}; the hooks were stopped")))
            }
        }
    })
}

/// The signals that ask this process to end.
struct Ended {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Ended {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the first of them, and says what happened.
    async fn recv(&mut self) -> &'static str {
        tokio::select! {
            Some(()) = self.interrupt.recv() => "interrupted",
            Some(()) = self.terminate.recv() => "terminated",
            Some(()) = self.hangup.recv() => "hung up",
            else => std::future::pending().await,
        }
    }
}

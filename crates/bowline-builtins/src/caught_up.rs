//! Takes in what other processes left beside the store, once for an event.

use std::sync::OnceLock;

use bowline::hooks::HookContext;
use bowline_store::Store;

/// Whether that was done for the event.
#[derive(Debug, Default)]
struct CaughtUp(OnceLock<()>);

/// A process that answered the call before this one may have left its record beside the store. Several hooks of an event may ask for this.
pub(crate) fn catch_up(store: &dyn Store, ctx: &HookContext) {
    once(ctx, || store.catch_up());
}

fn once(ctx: &HookContext, what: impl FnOnce()) {
    ctx.extensions().get::<CaughtUp>().0.get_or_init(what);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_done_once_for_each_event() {
        let mut times = 0;
        for _ in 0..2 {
            let event = HookContext::new("s");
            for ctx in [&event, &event.clone()] {
                once(ctx, || times += 1);
            }
        }
        assert_eq!(times, 2);
    }
}

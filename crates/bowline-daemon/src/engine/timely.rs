//! Time limits for our own hooks that look at files. One that takes too long is replaced by the same hook without files.

use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bowline::Result;
use bowline::hooks::{
    Hook, HookContext, HookEvent, HookInput, HookManager, Match, Opinion, RunMode, RunPolicy,
    async_trait,
};
use bowline::settings::Settings;
use bowline_builtins::{Builtins, SharedState};
use bowline_guard::paths::OwnPlaces;

use super::patience::Patience;

/// A project's built-in hooks without access to files. They are made when one is first needed.
pub(super) struct Unseen {
    settings: Arc<Settings>,
    shared: SharedState,
    own_places: OwnPlaces,
    made: OnceLock<Builtins>,
}

impl Unseen {
    pub(super) fn new(
        settings: Arc<Settings>,
        shared: &SharedState,
        own_places: OwnPlaces,
    ) -> Self {
        Self {
            settings,
            shared: shared.unseen(),
            own_places,
            made: OnceLock::new(),
        }
    }

    fn hook(&self, which: Which) -> Option<Arc<dyn Hook>> {
        let builtins = self.made.get_or_init(|| {
            Builtins::of_caller(&self.settings, &self.shared, self.own_places.clone())
        });
        match which {
            Which::Rule(at) => Some(Arc::clone(builtins.rules.hooks.get(at)?) as _),
            Which::Builtin(name) => {
                let mut hooks = builtins.hooks.iter().map(|builtin| &builtin.hook);
                hooks.find(|hook| hook.name() == name).cloned()
            }
        }
    }
}

/// Which built-in a hook is.
#[derive(Debug, Clone, Copy)]
enum Which<'a> {
    Rule(usize),
    Builtin(&'a str),
}

/// Adds our hooks to a manager. Those that look at files get a time limit.
pub(super) fn register(builtins: &Builtins, unseen: &Arc<Unseen>, manager: &mut HookManager) {
    let folder: Arc<Path> = unseen.settings.project.clone().into();
    let timely = |hook: &Arc<dyn Hook>, rule| Timely {
        hook: Arc::clone(hook),
        rule,
        unseen: Arc::clone(unseen),
        folder: Arc::clone(&folder),
    };
    for (at, rule) in builtins.rules.hooks.iter().enumerate() {
        let rule: Arc<dyn Hook> = Arc::clone(rule) as _;
        manager.register(timely(&rule, Some(at)));
    }
    for builtin in builtins.running() {
        if builtin.looks_at_files() {
            manager.register(timely(&builtin.hook, None));
        } else {
            manager.register_arc(Arc::clone(&builtin.hook));
        }
    }
}

/// A hook with a time limit.
struct Timely {
    hook: Arc<dyn Hook>,
    /// Its index among the rules, if it is one.
    rule: Option<usize>,
    unseen: Arc<Unseen>,
    folder: Arc<Path>,
}

impl Timely {
    /// The same hook without access to files; none for a hook that only looks at files.
    fn unseen(&self) -> Option<Arc<dyn Hook>> {
        let which = self
            .rule
            .map_or(Which::Builtin(self.hook.name()), Which::Rule);
        self.unseen.hook(which)
    }

    async fn watched(
        &self,
        patience: Arc<Patience>,
        input: &HookInput,
        ctx: &HookContext,
    ) -> Result<Opinion> {
        let (hook, given, context) = (Arc::clone(&self.hook), input.clone(), ctx.clone());
        let deciding = Box::pin(async move { hook.opinion(&given, &context).await });
        match patience.watch(&self.folder, deciding).await {
            Some(said) => said,
            None => match self.unseen() {
                Some(hook) => hook.opinion(input, ctx).await,
                None => Ok(Opinion::allow()),
            },
        }
    }
}

#[async_trait]
impl Hook for Timely {
    fn name(&self) -> &str {
        self.hook.name()
    }

    fn events(&self) -> &[HookEvent] {
        self.hook.events()
    }

    fn timeout(&self) -> Duration {
        self.hook.timeout()
    }

    fn priority(&self) -> i32 {
        self.hook.priority()
    }

    fn policy(&self) -> RunPolicy {
        self.hook.policy()
    }

    fn matches(&self, input: &HookInput) -> Match {
        self.hook.matches(input)
    }

    // Written out, so that a call without supervision costs no more than its hook.
    fn opinion<'hook, 'input, 'ctx, 'run>(
        &'hook self,
        input: &'input HookInput,
        ctx: &'ctx HookContext,
    ) -> Pin<Box<dyn Future<Output = Result<Opinion>> + Send + 'run>>
    where
        'hook: 'run,
        'input: 'run,
        'ctx: 'run,
        Self: 'run,
    {
        match Patience::current().filter(|it| !it.is_here()) {
            None => self.hook.opinion(input, ctx),
            Some(patience) => Box::pin(self.watched(patience, input, ctx)),
        }
    }

    async fn decided(&self, input: &HookInput, decision: &Opinion, ctx: &HookContext) {
        if self.hook.policy().mode != RunMode::Told {
            return;
        }
        let Some(patience) = Patience::current().filter(|it| !it.is_here()) else {
            return self.hook.decided(input, decision, ctx).await;
        };
        let hook = Arc::clone(&self.hook);
        let (input, decision, ctx) = (input.clone(), decision.clone(), ctx.clone());
        let telling = Box::pin(async move { hook.decided(&input, &decision, &ctx).await });
        // What an observing hook would have noted is unknown.
        patience.watch(&self.folder, telling).await;
    }
}

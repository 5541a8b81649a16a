//! What a rule looks at: one event, with what the guard makes of it.

use std::cell::OnceCell;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline_guard::effect::{Category, Effect};
use bowline_guard::interpret::At;
use bowline_guard::invocation::{Arg, Directory, Invocation, Opened, Value};
use bowline_guard::judge::Judgement;
use bowline_guard::lookalikes;
use bowline_guard::paths::{ResolvedPath, World, resolve, resolve_literal};
use bowline_guard::policy::GuardPolicy;
use bowline_guard::shell::Understanding;
use bowline_guard::tool_call::{ToolCall, judge_tool_call, runs_a_shell, shortened};

use super::doubt::runs_of_pieces;
use crate::Analyst;
use crate::guard::text_in;
use crate::machine::MachineWorld;

/// One event.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) input: &'a HookInput,
    pub(super) analyst: &'a Analyst,
    pub(super) cwd: String,
    /// The agent that reports the event.
    pub(super) agent: Option<String>,
    /// The shell command, for tools that a shell runs.
    pub(super) command: Option<&'a str>,
    judgement: Option<Arc<Judgement>>,
    /// One budget of look-ups for all that a rule asks about the event.
    world: OnceCell<MachineWorld<'a>>,
    runs: OnceCell<Vec<Invocation>>,
}

/// Which tools a `command` is a shell's business for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShellTools {
    /// Those that are known to be shells.
    Known,
    /// Whatever the rule names.
    Named,
}

impl<'a> Subject<'a> {
    pub(super) fn new(
        input: &'a HookInput,
        ctx: &HookContext,
        analyst: &'a Analyst,
        shells: ShellTools,
    ) -> Self {
        let is_shell = input.tool_name().is_some_and(runs_a_shell) || shells == ShellTools::Named;
        let command = input.command().filter(|_| is_shell);
        Self {
            judgement: command.map(|command| analyst.judge(command, input, ctx)),
            cwd: analyst.cwd_of(input, ctx),
            agent: ctx.agent().map(str::to_owned),
            input,
            analyst,
            command,
            world: OnceCell::new(),
            runs: OnceCell::new(),
        }
    }

    pub(super) fn judgement(&self) -> Option<&Judgement> {
        self.judgement.as_deref()
    }

    pub(super) fn effects(&self) -> Vec<&Effect> {
        let effects = self.judgement().into_iter().flat_map(|it| &it.effects);
        effects.map(|(effect, _)| effect).collect()
    }

    /// The categories and rules that the guard finds, harmless ones included.
    pub(super) fn found(&self) -> Vec<(Category, String)> {
        if self.judgement.is_some() {
            let effects = self.effects().into_iter();
            return effects
                .map(|effect| (effect.category, effect.rule.to_owned()))
                .collect();
        }
        let Some(tool) = self.input.tool_name() else {
            return Vec::new();
        };
        let fields = self.input.tool_input();
        let call = ToolCall::from_fields(|name| text_in(|it| fields?.get(it), name));
        let verdict = judge_tool_call(
            tool,
            &ToolCall {
                command: None,
                ..call
            },
            self.world(),
            &GuardPolicy::default(),
        );
        verdict.category.zip(verdict.rule).into_iter().collect()
    }

    pub(super) fn world(&self) -> &MachineWorld<'a> {
        self.world.get_or_init(|| self.analyst.world(&self.cwd))
    }

    /// Whether more was asked about the machine than one event may.
    pub(super) fn is_exhausted(&self) -> bool {
        self.world.get().is_some_and(World::is_exhausted)
    }

    /// What the command runs; of a text that is not understood as a whole, also what its pieces run.
    pub(super) fn runs(&self) -> &[Invocation] {
        let (Some(command), Some(judgement)) = (self.command, self.judgement()) else {
            return &[];
        };
        if judgement.understanding == Understanding::Clean {
            return &judgement.invocations;
        }
        self.runs.get_or_init(|| {
            let mut runs = judgement.invocations.clone();
            runs.extend(runs_of_pieces(command, self.world()));
            runs
        })
    }

    /// The call for a message: without secrets, and with nothing in it that deceives the eye.
    pub(super) fn quoted(&self) -> String {
        let what = self
            .command
            .or_else(|| self.input.file_path())
            .or_else(|| self.input.tool_name())
            .unwrap_or_else(|| self.input.event_name());
        quoted(what)
    }

    /// The files that a program run touches, as far as they are known: those that the shell opens for it, and
    /// every argument that could be one.
    pub(super) fn touched(&self, run: &Invocation, skip: usize) -> Vec<Touched> {
        let Directory::Known(cwd) = &run.directory else {
            return vec![Touched::Unknown];
        };
        let world = At::directory(cwd, self.world());
        let opened = run.opened.iter().filter(|file| !is_nothing(file));
        let opened = opened.map(|opened| touched(&opened.file, &world));
        let args = run.args.iter().skip(skip).filter_map(|arg| {
            let text = arg.text_or_pattern();
            match text.and_then(|text| text.strip_prefix('-')) {
                None => Some(touched(arg, &world)),
                // `--file=x`; a value that is attached to its option is not separated from it.
                Some(option) => match option.split_once('=') {
                    Some((_, value)) => Some(Touched::Path(resolve(value, &world))),
                    None if option.contains(['/', '~']) => Some(Touched::Unknown),
                    None => None,
                },
            }
        });
        opened.chain(args).collect()
    }
}

/// A file that a program touches.
#[derive(Debug)]
pub(super) enum Touched {
    Path(ResolvedPath),
    /// Only running shows it.
    Unknown,
}

fn touched(arg: &Arg, world: &dyn World) -> Touched {
    match &arg.value {
        Value::Known(text) => Touched::Path(resolve_literal(text, world)),
        Value::Pattern(text) => Touched::Path(resolve(text, world)),
        _ => Touched::Unknown,
    }
}

/// Whether the shell opens what is no file: what is written to `/dev/null` is gone.
fn is_nothing(opened: &Opened) -> bool {
    opened.file.text() == Some("/dev/null")
}

/// A text of a call for a message.
pub(super) fn quoted(text: &str) -> String {
    lookalikes::escape(&shortened(text))
}

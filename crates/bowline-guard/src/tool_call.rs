//! The verdict on one call of an agent's tool: what a command would do, which file would be touched, and
//! whether its names are what they look like. The strictest finding wins.

mod deed;
mod quote;
mod server;
mod verdict;

use bowline_agents::Tool;

use crate::Strictness;
use crate::effect::{Category, Effect, Gravity};
use crate::families::{self, rule::rules};
use crate::invocation::{Arg, Invocation, Opened, Opening, Stdin};
use crate::judge::{Judgement, judge, judge_powershell};
use crate::lookalikes;
use crate::loss::{Act, Target, Writing};
use crate::paths::{World, resolve_literal};
use crate::policy::{Counted, GuardPolicy};
use crate::sensitive::{self, SensitiveFinding, ToolFields};
use crate::tool::FileVerb;
use deed::{judge_deed, judge_verb};
pub use quote::shortened;
use quote::{presentable, quoted};
pub use server::ServerFields;
pub use verdict::Verdict;

pub(crate) const REWRITE_NAME: &str =
    "write the name in plain characters; if it is really spelled so, let the person confirm it";

rules! {
    NO_COMMAND = Unverified, "call.no-command", "Calls a shell without a command";
    UNREAD_CALL = Unverified, "call.unread", "Does what cannot be read, such as a patch that is not in its form",
        instead "make the call again in its usual form, or in smaller calls";
    SERVER_DESTROYS = Remote, "call.server-destroys", "Calls a server's tool that by its name does away with a repository, a database or the like",
        instead "let the person confirm what is to go";
}

/// The fields with the text that a tool puts into a file.
#[rustfmt::skip]
const TEXTS: [&str; 16] = [
    "content", "new_string", "new_source", "newText", "edits/0/new_string", "edits/1/new_string", "edits/2/new_string",
    "edits/3/new_string", "edits/4/new_string", "edits/5/new_string", "edits/6/new_string", "edits/7/new_string",
    "edits/8/new_string", "edits/9/new_string", "edits/10/new_string", "edits/11/new_string",
];

/// What of a tool's input a guard looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolCall<'input> {
    /// `command`, of tools that run a shell.
    pub command: Option<&'input str>,
    /// The texts that a tool puts into a file, wherever they stand: which of them counts is the tool's to say.
    pub texts: [Option<&'input str>; TEXTS.len()],
    /// The text that a tool puts it in the place of. It fails where another is there, and an empty text stands for all of the file.
    pub replaced: Option<&'input str>,
    /// The fields that name files.
    pub files: ToolFields<'input>,
    /// The first of a list where a tool takes the name of one file.
    pub listed: Option<&'input str>,
    /// What a tool takes elsewhere.
    pub source: Option<&'input str>,
    /// Where it takes that.
    pub destination: Option<&'input str>,
    /// Why it cannot be read what a call does.
    pub why: Option<&'input str>,
    /// What the tools of MCP servers are given.
    pub server: ServerFields<'input>,
}

impl<'input> ToolCall<'input> {
    /// Takes the fields by their names, whatever holds them. `paths/0` is the first item of the list `paths`.
    pub fn from_fields(field: impl Fn(&str) -> Option<&'input str>) -> Self {
        Self {
            command: field("command"),
            texts: TEXTS.map(&field),
            replaced: replaced(&field),
            files: ToolFields {
                file_path: field("file_path"),
                notebook_path: field("notebook_path"),
                path: field("path"),
                pattern: field("pattern"),
                glob: field("glob"),
                kind: field("type"),
            },
            listed: field("file_path/0").or_else(|| field("notebook_path/0")),
            source: ["source", "source_path", "old_path", "from"]
                .into_iter()
                .find_map(&field),
            destination: ["destination", "destination_path", "new_path", "to"]
                .into_iter()
                .find_map(&field),
            why: field("why"),
            server: ServerFields::from_fields(&field),
        }
    }

    /// Whether the call names the file that a tool changes. Of a list nobody knows what becomes of it.
    fn names_a_file(&self) -> bool {
        self.listed.is_none() && self.files.paths().next().is_some()
    }

    /// Whether a tool takes nothing out of a file but what the call names, and who calls it has seen.
    pub fn names_what_goes(&self, tool: &str) -> bool {
        Tool::named(tool) == Tool::Edit && self.replaced.is_some_and(|text| !text.is_empty())
    }

    /// The fields that name one file or folder, or several by a pattern.
    fn names(&self, tool: &str) -> impl Iterator<Item = &'input str> {
        // The pattern of a search is text, not a name.
        let pattern = self
            .files
            .pattern
            .filter(|_| Tool::named(tool) == Tool::Glob);
        let ToolFields {
            file_path,
            notebook_path,
            path,
            glob,
            ..
        } = self.files;
        let (source, destination) = (self.source, self.destination);
        [
            file_path,
            notebook_path,
            path,
            pattern,
            glob,
            source,
            destination,
        ]
        .into_iter()
        .flatten()
    }
}

/// What is replaced, by one edit or by several: the first empty text, if there is one.
fn replaced<'input>(field: &impl Fn(&str) -> Option<&'input str>) -> Option<&'input str> {
    let of_edit = |number: usize| {
        let old = field(&format!("edits/{number}/old_string"));
        old.or_else(|| field(&format!("edits/{number}/new_string")).and(Some("")))
    };
    let texts = field("old_string").into_iter();
    let mut texts = texts.chain((0..).map_while(of_edit));
    let first = texts.next();
    let is_whole = |text: &&str| text.is_empty();
    first
        .filter(is_whole)
        .or_else(|| texts.find(is_whole))
        .or(first)
}

/// Judges one call of a tool in every respect. Tools that neither run a shell nor touch files are none of a guard's business.
///
/// ```
/// use bowline_guard::paths::StaticWorld;
/// use bowline_guard::policy::GuardPolicy;
/// use bowline_guard::Strictness;
/// use bowline_guard::tool_call::{ToolCall, judge_tool_call};
///
/// let world = StaticWorld::new("/home/dev/project", "/home/dev");
/// let call = ToolCall { command: Some("sudo rm -rf /"), ..ToolCall::default() };
/// let verdict = judge_tool_call("Bash", &call, &world, &GuardPolicy::default());
/// assert_eq!(verdict.decision, Strictness::Deny);
/// ```
pub fn judge_tool_call(
    tool: &str,
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    if is_unread(tool) {
        return judge_unread(call, world, policy);
    }
    if !runs_a_shell(tool) {
        return judge_files(tool, call, world, policy)
            .or_stricter(judge_names(tool, call, world, policy));
    }
    match call.command {
        Some(command) => {
            let judgement = judge_shell(tool, command, world);
            judge_whole_command(command, &judgement, world, policy)
        }
        None => no_command(tool),
    }
}

/// Judges a command in every respect, where it is known what it would do.
pub fn judge_whole_command(
    command: &str,
    judgement: &Judgement,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    judge_command(judgement, world, policy)
        .or_stricter(judge_looks(command, judgement, world, policy))
}

/// What a command of a shell tool would do, read in the language of that shell.
pub fn judge_shell(tool: &str, command: &str, world: &dyn World) -> Judgement {
    match Tool::named(tool) {
        Tool::PowerShell => judge_powershell(command, world),
        _ => judge(command, world),
    }
}

/// The verdict on what a command would do.
pub fn judge_command(judgement: &Judgement, world: &dyn World, policy: &GuardPolicy) -> Verdict {
    // The first of the strictest: what runs first is what a person sees first.
    let mut strictest: Option<Counted<'_>> = None;
    for counted in policy.effects(judgement, world) {
        if strictest.is_none_or(|it| counted.decision > it.decision) {
            strictest = Some(counted);
        }
    }
    match strictest.filter(|it| it.decision > Strictness::Allow) {
        Some(counted) => {
            let run = counted.run.and_then(|run| judgement.invocations.get(run));
            let subject = run.map_or_else(|| "this command".to_owned(), quoted);
            of_effect(&subject, counted.effect, counted.decision)
        }
        None => Verdict::ALLOW,
    }
}

/// What is worth a note in a command although nothing speaks against it.
pub fn notes_on_command(judgement: &Judgement) -> Vec<String> {
    let harmless = judgement
        .effects
        .iter()
        .filter(|(effect, _)| effect.gravity == Gravity::Harmless && effect.because.is_none());
    let unverified = judgement.not_understood().map(|why| {
        presentable(&format!(
            "this command is unverified: not all of it was understood ({why})"
        ))
    });
    let harmless = harmless.map(|(effect, run)| {
        let run = run.and_then(|run| judgement.invocations.get(run));
        let subject = run.map_or_else(|| "this command".to_owned(), quoted);
        presentable(&format!("{subject} {} [{}]", effect.what, effect.rule))
    });
    harmless.chain(unverified).collect()
}

/// What is worth a note in the name of a file that a tool reads, although nothing speaks against it.
pub fn note_on_file(tool: &str, call: &ToolCall<'_>, world: &dyn World) -> Option<String> {
    let file = call
        .files
        .file_path
        .filter(|_| Tool::named(tool) == Tool::Read)?;
    let note = sensitive::notable(&resolve_literal(file, world))?;
    Some(presentable(&format!(
        "{tool} of `{}`: {note}",
        shortened(file)
    )))
}

/// The verdict on the characters of a command.
pub fn judge_looks(
    command: &str,
    judgement: &Judgement,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    lookalikes::find_in_command(command, &judgement.invocations, &judgement.understanding)
        .map_or(Verdict::ALLOW, |it| of_lookalike(&it, world, policy))
}

/// The verdict on the files that a tool would read or change.
pub fn judge_files(
    tool: &str,
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    if let Some(verb) = FileVerb::of(tool) {
        return judge_verb((tool, verb), call, world, policy);
    }
    if let Some(deed) = server::deed(tool, &call.server, &call.files) {
        return judge_deed(tool, &deed, world, policy);
    }
    if Tool::named(tool).changes_a_file() && !call.names_a_file() {
        return judge_nameless(tool, world, policy);
    }
    let overwritten = overwritten(tool, call, world).map_or(Verdict::ALLOW, |effect| {
        judge_effect(tool, &effect, world, policy)
    });
    judge_place(tool, call, world, policy).or_stricter(overwritten)
}

/// The verdict on the places of the files that a tool is given, whatever is in them.
fn judge_place(
    tool: &str,
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    let sensitive = judge_sensitive((tool, tool), &call.files, world, policy);
    sensitive.or_stricter(judge_own((tool, tool), call, world, policy))
}

/// The verdict on the secrets in files that a tool touches which works as another does.
fn judge_sensitive(
    (tool, like): (&str, &str),
    files: &ToolFields<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    sensitive::judge_tool(like, files, world).map_or(Verdict::ALLOW, |finding| {
        of_file(tool, &finding, world, policy)
    })
}

/// The verdict on the guard's own settings, if a tool touches them which works as another does.
fn judge_own(
    (tool, like): (&str, &str),
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    own_settings(like, call, world).map_or(Verdict::ALLOW, |effect| {
        judge_effect(tool, &effect, world, policy)
    })
}

/// What somebody has in the file that a tool would change, and that the agent has not seen.
fn overwritten(tool: &str, call: &ToolCall<'_>, world: &dyn World) -> Option<Effect> {
    if !Tool::named(tool).changes_a_file() || call.names_what_goes(tool) {
        return None;
    }
    let files = [call.files.file_path, call.files.notebook_path];
    files.into_iter().flatten().find_map(|file| {
        let to = Target::from(&resolve_literal(file, world));
        let act = Act::Write {
            to,
            how: Writing::ByTool,
        };
        families::weighed(&act, world)
    })
}

/// The verdict on the characters of the names that a tool is given.
pub fn judge_names(
    tool: &str,
    call: &ToolCall<'_>,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    // What other servers call a path or a source may be any text.
    if !Tool::named(tool).is_for_files() && FileVerb::of(tool).is_none() {
        return Verdict::ALLOW;
    }
    call.names(tool)
        .find_map(lookalikes::find)
        .map_or(Verdict::ALLOW, |it| of_lookalike(&it, world, policy))
}

/// The verdict on a shell without a command.
pub fn no_command(tool: &str) -> Verdict {
    Verdict::new(
        Strictness::Ask,
        NO_COMMAND.category,
        NO_COMMAND.id,
        &format!("a call of {tool} without a command cannot be judged"),
    )
}

/// The verdict on a tool that changes a file which the call does not name by a text.
fn judge_nameless(tool: &str, world: &dyn World, policy: &GuardPolicy) -> Verdict {
    let effect = UNREAD_CALL.doubtful("cannot be judged, because it names no file by a text");
    judge_effect(&format!("this call of {tool}"), &effect, world, policy)
}

/// The verdict on a call, or a part of one, that cannot be read.
pub fn judge_unread(call: &ToolCall<'_>, world: &dyn World, policy: &GuardPolicy) -> Verdict {
    let why = call
        .why
        .map_or_else(String::new, |why| format!(": {}", shortened(why)));
    let effect = UNREAD_CALL.doubtful(format!(
        "cannot be judged, because not all of it can be read{why}"
    ));
    judge_effect("this call", &effect, world, policy)
}

/// Whether this is what stands for a call that cannot be read.
pub fn is_unread(tool: &str) -> bool {
    Tool::named(tool) == Tool::Unread
}

/// Whether a shell runs the tool's `command`.
pub fn runs_a_shell(tool: &str) -> bool {
    Tool::named(tool).runs_a_shell()
}

/// Whether the tool reads, changes or looks for files.
pub fn is_file_tool(tool: &str) -> bool {
    Tool::named(tool).is_for_files() || server::is_known(tool)
}

/// The verdict on what a call as a whole would do, by the settings and by what a person allowed.
fn judge_effect(
    subject: &str,
    effect: &Effect,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    let Effect {
        category,
        rule,
        gravity,
        ..
    } = *effect;
    let decision = policy.decide(category, rule, gravity.into(), &effect.paths, world);
    of_effect(subject, effect, decision)
}

fn of_effect(subject: &str, effect: &Effect, decision: Strictness) -> Verdict {
    let reason = match &effect.because {
        Some(because) => format!("{subject} {}: {because}", effect.what),
        None => format!("{subject} {}", effect.what),
    };
    Verdict::new(decision, effect.category, effect.rule, &reason).instead(effect.instead.as_deref())
}

fn of_file(
    tool: &str,
    finding: &SensitiveFinding,
    world: &dyn World,
    policy: &GuardPolicy,
) -> Verdict {
    let rule = format!("sensitive.{}", finding.rule);
    let decision = policy.decide(
        Category::SecretRead,
        &rule,
        finding.strictness,
        &finding.paths,
        world,
    );
    let reason = format!("{tool} of `{}`: {}", shortened(&finding.path), finding.why);
    Verdict::new(decision, Category::SecretRead, &rule, &reason).instead(Some(&finding.instead))
}

fn of_lookalike(finding: &lookalikes::Finding, world: &dyn World, policy: &GuardPolicy) -> Verdict {
    let rule = finding.kind.rule();
    let decision = policy.decide(Category::LookAlike, rule, Strictness::Ask, &[], world);
    let reason = format!("`{}` {}", finding.shown, finding.what);
    Verdict::new(decision, Category::LookAlike, rule, &reason).instead(Some(REWRITE_NAME))
}

/// A tool that changes a file does what a program does that the shell opens the file for; of that only the
/// guard's own settings count here.
fn own_settings(tool: &str, call: &ToolCall<'_>, world: &dyn World) -> Option<Effect> {
    if !Tool::named(tool).changes_a_file() {
        return None;
    }
    let opened = call.files.paths().map(|file| Opened {
        how: Opening::Overwrite,
        file: Arg::known(file),
    });
    let run = Invocation {
        opened: opened.collect(),
        stdin: match call.texts.iter().flatten().copied().collect::<Vec<_>>() {
            texts if texts.is_empty() => Stdin::None,
            texts => Stdin::Text(texts.join("\n")),
        },
        ..Invocation::plain("tee", &[], world.cwd())
    };
    families::effects(&run, world)
        .into_iter()
        .find(|effect| effect.category == Category::OwnSettings)
}

#[cfg(test)]
mod tests;

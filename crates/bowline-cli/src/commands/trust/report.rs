//! What trusting a project means: everything that its files would do, with nothing hidden in it.

use std::path::{Path, PathBuf};

use bowline::settings::{
    Diagnostic, FileKind, LoadedHook, LoadedRule, RuleStatus, Settings, TrustState,
};
use serde::Serialize;

use super::servers::Servers;
use crate::hook_view::{Given, HookView, StatusName};
use crate::project::{self, Paths};
use crate::ui::{Text, Tree, Ui, reveal, style};

/// What trust is, and what it is not.
const COVERS: &str = "Trust covers bowline.toml and bowline.local.toml as they are now. It covers the scripts in \
     the project that their hooks call as well, but not what those call in turn, nor programs outside of it. A .claude/sensitive-files.json with an allow-list is \
     covered like them, and so are variables that .claude/settings.json sets for the agent, as far as they would steer \
     Bowline, hooks in .claude where [bridge] runs them under other agents, and .mcp.json where a hook calls one of its \
     servers.";
const CHANGED: &str = "One of its files is not what was trusted: it was changed, added or removed. Which one, and what in \
     it, is not known; look at all of it again.";
/// How the library ends what it says of a setting that is ignored.
const IGNORED: &str = " is ignored: the project's settings are not trusted";
/// Longer texts are cut, with a warning.
const MOST_CHARACTERS: usize = 8000;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(serialize_with = "project::lossy")]
    project: PathBuf,
    pub(super) trust: TrustState,
    files: Vec<ShownPath>,
    /// What trust covers, in words.
    covers: &'static str,
    /// The hooks that would come into force.
    would_run: Vec<WouldRun>,
    /// The hooks of Claude Code's files that would run under other agents.
    would_run_bridged: Vec<WouldRun>,
    /// Whether those are trusted.
    pub(super) bridged_trust: TrustState,
    /// Their hash, if they are to be trusted.
    #[serde(skip)]
    pub(super) bridged_sha256: Option<String>,
    /// The MCP servers that could be started.
    pub(super) mcp_servers: Servers,
    /// The rules that would come into force.
    would_decide: Vec<WouldDecide>,
    /// The settings that would take effect.
    would_loosen: Vec<Loosened>,
}

#[derive(Debug, Serialize)]
#[serde(transparent)]
struct ShownPath(#[serde(serialize_with = "project::lossy")] PathBuf);

/// A hook with everything that it is given.
#[derive(Debug, Serialize)]
struct WouldRun {
    #[serde(flatten)]
    hook: HookView,
    #[serde(flatten)]
    given: Given,
}

/// A rule that allows, explains or rewrites.
#[derive(Debug, Serialize)]
struct WouldDecide {
    id: String,
    #[serde(serialize_with = "project::lossy_option")]
    file: Option<PathBuf>,
    line: usize,
    events: Vec<&'static str>,
    summary: String,
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct Loosened {
    #[serde(serialize_with = "project::lossy_option")]
    file: Option<PathBuf>,
    line: usize,
    /// The setting, and its value where that is known.
    setting: String,
    message: String,
}

impl Report {
    pub(super) fn new(settings: Settings) -> Self {
        let files = super::own_files(&settings)
            .map(|file| ShownPath(file.path.clone()))
            .collect();
        let bridged_trust = if is_bridging(&settings) {
            settings.claude_hooks.trust
        } else {
            TrustState::NotNeeded
        };
        let bridged = bridged_trust.is_pending().then_some(&settings);
        Self {
            mcp_servers: Servers::of(&settings),
            would_run_bridged: bridged.map(would_run_bridged).unwrap_or_default(),
            bridged_sha256: bridged.and_then(|settings| settings.claude_hooks.sha256.clone()),
            bridged_trust,
            project: settings.bowline_root,
            trust: settings.trust,
            files,
            covers: COVERS,
            would_run: would_run(&settings.hooks),
            would_decide: would_decide(&settings.rules),
            would_loosen: settings
                .diagnostics
                .into_iter()
                // A note without a span counts a file's hooks, which are listed one by one.
                .filter(|diagnostic| diagnostic.code == "untrusted" && !diagnostic.span.is_empty())
                .map(Loosened::from)
                .collect(),
        }
    }

    /// Whether there is something that the user has not trusted.
    pub(super) fn is_pending(&self) -> bool {
        self.trust.is_pending() || self.is_pending_beside()
    }

    /// Whether there is something beside Bowline's own files.
    fn is_pending_beside(&self) -> bool {
        self.bridged_trust.is_pending() || self.mcp_servers.trust.is_pending()
    }

    pub(super) fn show(&self, ui: &mut Ui) {
        let paths = Paths::of(&self.project);
        let project = paths.show_absolute(&self.project);
        match self.trust {
            _ if self.bridged_trust == TrustState::Changed && !self.trust.is_pending() => {
                ui.line(Text::styled(
                    format!("The hooks in {project}/.claude have changed since they were trusted."),
                    style::CAUTION,
                ));
                ui.blank();
            }
            _ if self.mcp_servers.trust == TrustState::Changed && !self.trust.is_pending() => {
                ui.line(Text::styled(
                    format!("{project}/.mcp.json has changed since it was trusted."),
                    style::CAUTION,
                ));
                ui.blank();
            }
            _ if self.is_pending_beside() && !self.trust.is_pending() => {}
            TrustState::NotNeeded => {
                return ui.line(format!(
                    "Nothing to trust: {project} has no bowline.toml, no bowline.local.toml, no allow-list in \
                     .claude/sensitive-files.json and no variables for Bowline in .claude/settings.json."
                ));
            }
            TrustState::Trusted => return ui.line(format!("{project} is already trusted.")),
            TrustState::Changed => {
                ui.line(Text::styled(
                    format!("{project} has changed since it was trusted."),
                    style::CAUTION,
                ));
                ui.line(CHANGED);
                ui.blank();
            }
            TrustState::ExceptAllowList => {
                ui.line(format!(
                    "{project} is trusted, but not the allow-list that it has got since."
                ));
                ui.blank();
            }
            _ => {}
        }
        ui.tree(&self.tree(&project, &paths));
        ui.blank();
        ui.line(COVERS);
    }

    fn tree(&self, project: &str, paths: &Paths) -> Tree {
        let mut root = Tree::new(Text::styled(project, style::HEADING));
        let mut files = Tree::new(Text::styled("its files", style::HEADING));
        for ShownPath(file) in &self.files {
            files.leaf(paths.show(file));
        }
        if !self.files.is_empty() {
            root.push(files);
        }
        let mut hooks = Tree::new(Text::styled(
            if self.would_run.is_empty() {
                "would run no hooks"
            } else {
                "would run, as you, with your files and your keys"
            },
            style::HEADING,
        ));
        for would_run in &self.would_run {
            hooks.push(would_run.tree(paths));
        }
        root.push(hooks);
        if !self.would_run_bridged.is_empty() {
            let mut bridged = Tree::new(Text::styled(
                "would also run, under other agents than Claude Code, because [bridge] claude_hooks is on",
                style::HEADING,
            ));
            for would_run in &self.would_run_bridged {
                bridged.push(would_run.tree(paths));
            }
            root.push(bridged);
        }
        if let Some(servers) = self.mcp_servers.tree() {
            root.push(servers);
        }
        if !self.would_decide.is_empty() {
            let mut rules = Tree::new(Text::styled(
                "would decide by these rules, which are ignored until then",
                style::HEADING,
            ));
            for rule in &self.would_decide {
                rules.push(rule.tree(paths));
            }
            root.push(rules);
        }
        if !self.would_loosen.is_empty() {
            let mut settings = Tree::new(Text::styled(
                "would also set, which is ignored until then",
                style::HEADING,
            ));
            for loosened in &self.would_loosen {
                settings.leaf(loosened.text(paths));
            }
            root.push(settings);
        }
        root
    }
}

fn would_run(hooks: &[LoadedHook]) -> Vec<WouldRun> {
    let mut views = HookView::of_files(hooks);
    views.retain(|hook| hook.status == StatusName::Untrusted);
    views.into_iter().map(WouldRun::from).collect()
}

/// Whether Claude Code's hooks run under other agents, or would once the project is trusted.
fn is_bridging(settings: &Settings) -> bool {
    let wants = |diagnostic: &Diagnostic| {
        diagnostic.code == "untrusted"
            && diagnostic
                .message
                .starts_with("`bridge.claude_hooks = true")
    };
    settings.config.bridge.claude_hooks || settings.diagnostics.iter().any(wants)
}

fn would_run_bridged(settings: &Settings) -> Vec<WouldRun> {
    let of_project = |hook: &LoadedHook| {
        let file = hook.definition.origin.file.as_deref();
        let is_claudes = |file: &Path| {
            let known = settings.files.iter().find(|known| known.path == file);
            known.is_some_and(|known| known.kind != FileKind::BowlineConfig)
        };
        file.is_some_and(|file| file.starts_with(&settings.project) && is_claudes(file))
    };
    let hooks: Vec<LoadedHook> = settings
        .hooks
        .iter()
        .filter(|hook| of_project(hook))
        .cloned()
        .collect();
    let mut views = HookView::of_files(&hooks);
    views.retain(|hook| hook.status == StatusName::InForce);
    views.into_iter().map(WouldRun::from).collect()
}

impl From<HookView> for WouldRun {
    fn from(mut hook: HookView) -> Self {
        Self {
            given: std::mem::take(&mut hook.given),
            hook,
        }
    }
}

impl WouldRun {
    fn tree(&self, paths: &Paths) -> Tree {
        let hook = &self.hook;
        let matcher = hook.matcher.as_deref().unwrap_or("*");
        let mut tree = Tree::new(
            Text::styled(hook.event.name(), style::NAME)
                .plain(format!(" {} ", reveal::code(matcher)))
                .with(format!("({})", hook.place(paths)), style::FAINT),
        );
        tree.leaf(labelled("runs ", &hook.runs));
        for (name, value) in &self.given.env {
            tree.leaf(labelled("env ", &format!("{name}={value}")));
        }
        for (name, value) in &self.given.headers {
            tree.leaf(labelled("header ", &format!("{name}: {value}")));
        }
        if !self.given.allowed_env_vars.is_empty() {
            let names = self.given.allowed_env_vars.join(", ");
            tree.leaf(labelled("sends these of your variables: ", &names));
        }
        if let Some(model) = &self.given.model {
            tree.leaf(labelled("model ", model));
        }
        match hook.peculiarities().join("; ") {
            remarks if remarks.is_empty() => {}
            remarks => tree.leaf(Text::styled(reveal::code(&remarks), style::FAINT)),
        }
        tree
    }
}

fn would_decide(rules: &[LoadedRule]) -> Vec<WouldDecide> {
    let untrusted = rules
        .iter()
        .filter(|rule| rule.status == RuleStatus::Untrusted);
    untrusted
        .map(|rule| {
            let rule = &rule.definition;
            WouldDecide {
                id: rule.id.clone(),
                file: rule.origin.file.clone(),
                line: rule.origin.position.line,
                events: rule.events.iter().map(|event| event.name()).collect(),
                summary: rule.summary(),
                message: rule.message.clone(),
            }
        })
        .collect()
}

impl WouldDecide {
    fn tree(&self, paths: &Paths) -> Tree {
        let place = match &self.file {
            Some(file) => format!("({}:{})", paths.show(file), self.line),
            None => format!("(line {})", self.line),
        };
        let mut tree = Tree::new(
            Text::styled(self.events.join(", "), style::NAME)
                .plain(format!(" {} ", self.id))
                .with(place, style::FAINT),
        );
        tree.leaf(whole(&self.summary));
        if let Some(message) = &self.message {
            tree.leaf(labelled("says ", message));
        }
        tree
    }
}

impl From<Diagnostic> for Loosened {
    fn from(diagnostic: Diagnostic) -> Self {
        let setting = diagnostic.message.strip_suffix(IGNORED);
        Self {
            file: diagnostic.file,
            line: diagnostic.line,
            setting: setting.unwrap_or(&diagnostic.message).to_owned(),
            message: diagnostic.message,
        }
    }
}

impl Loosened {
    fn text(&self, paths: &Paths) -> Text {
        let place = match &self.file {
            Some(file) => format!(" ({}:{})", paths.show(file), self.line),
            None => format!(" (line {})", self.line),
        };
        whole(&self.setting).with(place, style::FAINT)
    }
}

fn labelled(label: &str, text: &str) -> Text {
    Text::styled(label, style::FAINT).text(whole(text))
}

/// A text, cut to a readable length, and how much was left out.
fn whole(text: &str) -> Text {
    let code = reveal::code(text);
    match code.chars().count().checked_sub(MOST_CHARACTERS) {
        None | Some(0) => code.into(),
        Some(more) => Text::from(code.chars().take(MOST_CHARACTERS).collect::<String>()).with(
            format!(" … and {more} more characters: read the file before you trust it"),
            style::BAD,
        ),
    }
}

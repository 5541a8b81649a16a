//! An exception of a person's own rule for one call: the rule as it would stand in its file.
//!
//! Nothing is guessed. The rule is read with its exception, and it must not apply to the call any more.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::hooks::HookInput;
use bowline::settings::{LoadedRule, RuleStatus, Settings, Severity, rules_with};
use bowline_guard::tool_call::runs_a_shell;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::apply::Applies;
use super::compile::compile_rules;
use crate::Analyst;
use crate::inbox::edit::{Headed, below, list_in, push};

/// A longer call is no example that a person reads.
const LONGEST_EXAMPLE: usize = 400;
/// At most this many fields of a call are compared.
const MOST_FIELDS: usize = 4;

/// A rule that leaves one call alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exception {
    /// The file of the rule.
    pub file: PathBuf,
    /// The line on which the rule begins.
    pub line: usize,
    /// The rule as it has to stand there, in TOML.
    pub text: String,
}

/// Why there is no exception.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoException {
    /// The rule is gone.
    #[error("no rule `{0}` is in force in this project now")]
    Unknown(String),
    /// It does not apply any more.
    #[error("the rule `{0}` does not apply to this call now")]
    Silent(String),
    /// It cannot be written.
    #[error("no exception can be written for this call: {0}")]
    Unwritable(String),
}

/// The rule of this name with an exception for a call.
pub(crate) fn exception(
    id: &str,
    call: &HookInput,
    settings: &Settings,
    analyst: &Arc<Analyst>,
) -> Result<Exception, NoException> {
    let unwritable = |why: &str| NoException::Unwritable(why.to_owned());
    let mut rules = settings.rules.iter();
    let rule = rules.find(|it| it.definition.id == id && it.status == RuleStatus::InForce);
    let rule = rule.ok_or_else(|| NoException::Unknown(id.to_owned()))?;
    if matches!(applies(rule, call, analyst), Some(Applies::No(_)) | None) {
        return Err(NoException::Silent(id.to_owned()));
    }
    let origin = &rule.definition.origin;
    let file = origin.file.clone();
    let file = file.ok_or_else(|| unwritable("the rule stands in no file"))?;
    let before = fs::read_to_string(&file)
        .map_err(|why| unwritable(&format!("{} cannot be read: {why}", file.display())))?;
    let condition = unlike(call).map_err(unwritable)?;
    let changed = with_exception(&before, id, &condition, example(call, rule).as_ref());
    let changed = changed.map_err(|why| unwritable(&why))?;
    try_out(&file, &changed.file, id, call, analyst)?;
    Ok(Exception {
        line: origin.position.line,
        text: changed.rule,
        file,
    })
}

/// Whether a rule applies to a call; `None` if it is not in force.
fn applies(rule: &LoadedRule, call: &HookInput, analyst: &Arc<Analyst>) -> Option<Applies> {
    let compiled = compile_rules(std::slice::from_ref(rule), analyst);
    Some(compiled.hooks.first()?.applies(call))
}

/// Reads the changed file. The rule has to be right, and to leave the call alone.
fn try_out(
    file: &Path,
    text: &str,
    id: &str,
    call: &HookInput,
    analyst: &Arc<Analyst>,
) -> Result<(), NoException> {
    let unwritable = |why: &str| NoException::Unwritable(why.to_owned());
    let rules = rules_with(file, text);
    let rule = rules.iter().find(|it| it.definition.id == id);
    let rule = rule.ok_or_else(|| unwritable("the rule would not be found any more"))?;
    let compiled = compile_rules(std::slice::from_ref(rule), analyst);
    let mut wrong = compiled.diagnostics.iter();
    if let Some(wrong) = wrong.find(|it| it.severity == Severity::Error) {
        return Err(unwritable(&wrong.message));
    }
    match applies(rule, call, analyst) {
        Some(Applies::No(_)) => Ok(()),
        _ => Err(unwritable("the rule would still apply")),
    }
}

/// A condition that holds for every call but this one.
fn unlike(call: &HookInput) -> Result<String, &'static str> {
    let tool = call.tool_name().unwrap_or_default();
    if let Some(command) = call.command().filter(|_| runs_a_shell(tool)) {
        return Ok(format!("command != {}", quoted(command)));
    }
    if let Some(path) = call.file_path() {
        return Ok(format!("path != {}", quoted(path)));
    }
    let fields = call.tool_input().and_then(Json::as_object);
    let fields = fields.filter(|it| (1..=MOST_FIELDS).contains(&it.len()));
    let fields =
        fields.ok_or("what the tool is called with is no command, no file and not short")?;
    let mut same = vec![format!("tool == {}", quoted(tool))];
    for (name, given) in fields {
        let Some(text) = given.as_str().filter(|_| is_name(name)) else {
            return Err("what the tool is called with is more than a few texts");
        };
        let field = format!("tool_input.{name}");
        same.push(format!("has({field}) && {field} == {}", quoted(text)));
    }
    Ok(format!("!({})", same.join(" && ")))
}

/// A text as CEL has it. What JSON escapes, CEL reads in the same way.
fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let begins = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    begins && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The call as an example of what the rule must not apply to: a command as it is, anything else as a call.
fn example(call: &HookInput, rule: &LoadedRule) -> Option<Value> {
    let (tool, input) = (call.tool_name()?, call.tool_input()?);
    if input.to_string().len() > LONGEST_EXAMPLE {
        return None;
    }
    let command = call.command().filter(|_| runs_a_shell(tool));
    if let Some(command) = command.filter(|_| !rule.definition.commands.is_empty()) {
        return Some(command.into());
    }
    let mut example = InlineTable::new();
    example.insert("tool", tool.into());
    example.insert("input", as_toml(input)?);
    Some(example.into())
}

/// JSON as TOML, which has no null.
fn as_toml(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(it) => (*it).into(),
        Json::Number(it) => match it.as_i64() {
            Some(whole) => whole.into(),
            None => it.as_f64()?.into(),
        },
        Json::String(it) => it.as_str().into(),
        Json::Array(all) => Value::Array(all.iter().map(as_toml).collect::<Option<_>>()?),
        Json::Object(fields) => {
            let mut table = InlineTable::new();
            for (name, json) in fields {
                table.insert(name, as_toml(json)?);
            }
            table.into()
        }
    })
}

/// A file with the exception, and the rule in it by itself.
struct Changed {
    file: String,
    rule: String,
}

fn with_exception(
    text: &str,
    id: &str,
    condition: &str,
    example: Option<&Value>,
) -> Result<Changed, String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|_| "the file is not TOML now".to_owned())?;
    let rule = rule_in(&mut document, id)
        .ok_or_else(|| format!("the file has no `[[rule]]` with `id = \"{id}\"`"))?;
    let when = match rule.get("when").and_then(Item::as_str) {
        Some(old) => format!("({}) && {condition}", old.trim()),
        None => condition.to_owned(),
    };
    rule.insert("when", value(when));
    if let Some(example) = example {
        let examples = below(rule, "examples", Headed::Yes)?;
        push(list_in(examples, "not_match")?, example.clone());
    }
    let mut alone = ArrayOfTables::new();
    alone.push(rule.clone());
    let mut snippet = DocumentMut::new();
    snippet.insert("rule", Item::ArrayOfTables(alone));
    Ok(Changed {
        rule: snippet.to_string().trim().to_owned(),
        file: document.to_string(),
    })
}

fn rule_in<'document>(
    document: &'document mut DocumentMut,
    id: &str,
) -> Option<&'document mut Table> {
    let is_it = |rule: &Table| rule.get("id").and_then(Item::as_str) == Some(id);
    match document.get_mut("rule")? {
        Item::ArrayOfTables(rules) => rules.iter_mut().find(|rule| is_it(rule)),
        Item::Table(rule) => Some(rule).filter(|rule| is_it(rule)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bowline::settings::{self, Locations};
    use bowline_guard::sensitive::SensitivePolicy;
    use serde_json::json;

    use super::*;
    use crate::machine::Machine;

    const RULES: &str = r#"# Ours.
[[rule]]
id = "other"
command = "make *"
verdict = "ask"

# Nobody pushes by force.
[[rule]]
id = "no-force"
command = "git push --force *" # not even I
verdict = "deny"
[rule.examples]
match = ["git push --force origin main"]

[[rule]]
id = "no-uploads"
tool = "WebFetch|mcp__.*"
when = 'tool != "mcp__fine"'
verdict = "ask"

[[rule]]
id = "migrations"
path = "migrations/**"
verdict = "deny"
"#;

    struct Stage {
        _folder: tempfile::TempDir,
        settings: Settings,
        analyst: Arc<Analyst>,
    }

    fn stage(rules: &str) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = root.join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("bowline.toml"), rules).unwrap();
        let settings = settings::load(&project, &Locations::under(&root));
        let machine = Arc::new(Machine::new(Some(root), Vec::new()));
        let analyst = Analyst::new(machine, project, SensitivePolicy::default());
        Stage {
            _folder: folder,
            settings,
            analyst: Arc::new(analyst),
        }
    }

    impl Stage {
        fn exception(&self, id: &str, tool: &str, input: Json) -> Result<Exception, NoException> {
            let call = HookInput::pre_tool_use("s1", tool, input);
            let call = call.with_field("cwd", self.settings.project.to_str().unwrap());
            exception(id, &call, &self.settings, &self.analyst)
        }
    }

    #[test]
    fn a_rule_leaves_one_call_alone_and_is_the_same_otherwise() {
        let stage = stage(RULES);
        let command = "git push --force origin 'it''s' \"\\d\"";
        let found = stage.exception("no-force", "Bash", json!({"command": command}));
        let found = found.unwrap();
        assert_eq!(
            (found.line, found.file.file_name().unwrap()),
            (8, "bowline.toml".as_ref())
        );
        assert_eq!(
            found.text,
            r#"# Nobody pushes by force.
[[rule]]
id = "no-force"
command = "git push --force *" # not even I
verdict = "deny"
when = '''command != "git push --force origin 'it''s' \"\\d\""'''
[rule.examples]
match = ["git push --force origin main"]
not_match = ['''git push --force origin 'it''s' "\d"''']"#
        );
        // As a person pastes it: the rule counts for all other calls, and its examples hold.
        let pasted = rules_with(&found.file, &found.text);
        let compiled = compile_rules(&pasted, &stage.analyst);
        assert!(
            compiled.diagnostics.is_empty(),
            "{:?}",
            compiled.diagnostics
        );
        for (command, applies) in [(command, false), ("git push --force origin x", true)] {
            let call = HookInput::pre_tool_use("s1", "Bash", json!({"command": command}));
            let found = compiled.hooks[0].applies(&call);
            assert_eq!(found == Applies::Yes, applies, "{command}: {found:?}");
        }
    }

    #[test]
    fn every_kind_of_call_has_its_exception() {
        let stage = stage(RULES);
        let file = stage.settings.project.join("migrations/1.sql");
        for (id, tool, input, expected) in [
            (
                "migrations",
                "Edit",
                json!({"file_path": file, "old_string": "a", "new_string": "b"}),
                format!("when = 'path != \"{}\"'", file.display()),
            ),
            (
                "migrations",
                "Bash",
                json!({"command": "rm migrations/1.sql"}),
                "input = { command = \"rm migrations/1.sql\" }".to_owned(),
            ),
            (
                "no-uploads",
                "WebFetch",
                json!({"url": "https://example.com", "prompt": "x"}),
                "when = '''(tool != \"mcp__fine\") && !(tool == \"WebFetch\" && has(tool_input.url)".to_owned(),
            ),
        ] {
            let found = stage.exception(id, tool, input).unwrap().text;
            let found = found.replace("when = '(", "when = '''(");
            assert!(found.contains(&expected), "{id}: {expected}\n{found}");
        }
    }

    #[test]
    fn where_there_is_no_exception_it_is_said_why() {
        let stage = stage(RULES);
        let long = "x".repeat(2_000);
        for (id, tool, input, expected) in [
            (
                "no-farce",
                "Bash",
                json!({"command": "ls"}),
                "no rule `no-farce`",
            ),
            (
                "no-force",
                "Bash",
                json!({"command": "ls"}),
                "does not apply",
            ),
            (
                "no-force",
                "Bash",
                json!({"command": format!("git push --force {long}")}),
                "at most 1000",
            ),
            (
                "no-uploads",
                "WebFetch",
                json!({"urls": ["x"]}),
                "more than a few texts",
            ),
            ("no-uploads", "WebFetch", json!({}), "no command, no file"),
        ] {
            let why = stage.exception(id, tool, input).unwrap_err().to_string();
            assert!(why.contains(expected), "{id}: {why}");
        }
        // What can never be judged is corrected, not excepted.
        let broken = RULES.replace("tool != \"mcp__fine\"", "tool !! 1");
        let broken = self::stage(&broken);
        let url = json!({"url": "https://example.com"});
        let why = broken.exception("no-uploads", "WebFetch", url).unwrap_err();
        assert!(matches!(why, NoException::Unwritable(_)), "{why}");
    }
}

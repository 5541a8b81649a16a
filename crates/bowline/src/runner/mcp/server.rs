//! An MCP server as its definition says: a program to start, or an address.

use std::collections::BTreeMap;

use serde_json::Value;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// A program that is talked to through its pipes.
    Program {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
    },
    /// An address that is talked to by streamable HTTP.
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
}

impl Server {
    /// Reads a definition; `variable` answers what `${NAME}` stands for.
    pub(super) fn read(
        definition: &Value,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let text = |key: &str| match definition.get(key) {
            Some(Value::String(text)) => expand(text, variable).map(Some),
            Some(Value::Null) | None => Ok(None),
            Some(_) => Err(format!("`{key}` is no text")),
        };
        let kind = text("type")?;
        match kind.as_deref() {
            None | Some("stdio") => {
                let command = text("command")?.filter(|command| !command.trim().is_empty());
                Ok(Self::Program {
                    command: command.ok_or("it has no `command`")?,
                    args: arguments(definition.get("args"), variable)?,
                    env: texts_by_name("env", definition.get("env"), variable)?,
                })
            }
            Some("http" | "streamable-http") => Ok(Self::Http {
                url: text("url")?.ok_or("it has no `url`")?,
                headers: texts_by_name("headers", definition.get("headers"), variable)?,
            }),
            Some("sse") => Err(
                "Bowline does not speak `sse`, which MCP has given up; most such servers also speak `http`, often at another address"
                    .to_owned(),
            ),
            Some(other) => Err(format!(
                "Bowline does not speak `{other}`; a server of type stdio or http can be called"
            )),
        }
    }
}

fn arguments(
    node: Option<&Value>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, String> {
    match node {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(values)) => values
            .iter()
            .map(|value| match value {
                Value::String(text) => expand(text, variable),
                _ => Err("`args` is no list of texts".to_owned()),
            })
            .collect(),
        Some(_) => Err("`args` is no list of texts".to_owned()),
    }
}

fn texts_by_name(
    key: &str,
    node: Option<&Value>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, String>, String> {
    match node {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(fields)) => fields
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name.clone(), expand(text, variable)?)),
                _ => Err(format!("`{name}` in `{key}` is no text")),
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is no object")),
    }
}

/// Fills in `${NAME}` and `${NAME:-default}`, in one pass.
fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('}') else {
            out.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        match (variable(name), default) {
            (Some(value), _) => out.push_str(&value),
            (None, Some(default)) => out.push_str(default),
            (None, None) => return Err(format!("the variable `{name}` is not set")),
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(definition: Value) -> Result<Server, String> {
        Server::read(&definition, &|name| match name {
            "HOME" => Some("/home/ann".to_owned()),
            "NEST" => Some("${HOME}".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn definitions_are_read_with_their_variables() {
        assert_eq!(
            read(
                json!({ "command": "${HOME}/bin/x", "args": ["${NEST}", "${PORT:-80}", "$HOME", "${"], "env": { "A": "${NO:-}" } })
            ),
            Ok(Server::Program {
                command: "/home/ann/bin/x".to_owned(),
                args: ["${HOME}", "80", "$HOME", "${"]
                    .map(ToOwned::to_owned)
                    .to_vec(),
                env: [("A".to_owned(), String::new())].into(),
            })
        );
        assert_eq!(
            read(json!({ "type": "http", "url": "https://x/mcp", "headers": { "X": "${HOME}" } })),
            Ok(Server::Http {
                url: "https://x/mcp".to_owned(),
                headers: [("X".to_owned(), "/home/ann".to_owned())].into(),
            })
        );
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for (definition, part) in [
            (json!({}), "`command`"),
            (json!(5), "`command`"),
            (json!({ "command": " " }), "`command`"),
            (json!({ "command": 5 }), "`command` is no text"),
            (json!({ "command": "x", "args": "y" }), "`args`"),
            (json!({ "command": "x", "args": [1] }), "`args`"),
            (json!({ "command": "x", "env": { "A": 1 } }), "`A` in `env`"),
            (json!({ "command": "x", "env": [] }), "`env`"),
            (json!({ "command": "${MISSING}" }), "`MISSING` is not set"),
            (json!({ "type": "http" }), "`url`"),
            (
                json!({ "type": "sse", "url": "u" }),
                "`sse`, which MCP has given up",
            ),
            (json!({ "type": "ws", "url": "u" }), "stdio or http"),
        ] {
            let error = read(definition.clone()).unwrap_err();
            assert!(error.contains(part), "{definition}: {error}");
        }
    }
}

//! Where MCP servers are looked for: the project's `.mcp.json`, the user's `.claude.json` and plugins, as Claude Code does. Where
//! an administrator has written a `managed-mcp.json`, nowhere else.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::settings::files::locations::Locations;
use crate::settings::files::{self, FileText};
use crate::settings::hooks::model::Plugin;
use crate::settings::trust::fingerprint::hex_sha256;
use crate::settings::trust::store::{TrustState, TrustStore};

/// A project's own MCP servers; a plugin's file has the same name.
pub(in crate::settings) const MCP_FILE: &str = ".mcp.json";
const USER_FILE: &str = ".claude.json";
const MANAGED_FILE: &str = "managed-mcp.json";
const PLUGIN_MANIFEST: &str = ".claude-plugin/plugin.json";
const SERVERS: &str = "mcpServers";

/// Where the servers of hooks that call an MCP tool are looked for.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct McpServers {
    /// The project's own.
    pub of_project: ProjectServers,
    project: PathBuf,
    /// The administrator's. If it is there, no other server may be used.
    managed_file: PathBuf,
    /// It changes all the time, because the client keeps its state in it: it is read when a server is needed.
    user_file: Option<PathBuf>,
    plugins: Vec<Plugin>,
}

/// The servers that a project brings. They are programs to start, so that a person has to have seen them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProjectServers {
    /// The file.
    pub file: PathBuf,
    /// SHA-256 of the file; `None` if the project has none that can be read.
    pub sha256: Option<String>,
    /// Whether the user trusts it as it is now.
    pub trust: TrustState,
    /// The checked definition is the one that is used.
    servers: Value,
}

impl Default for ProjectServers {
    fn default() -> Self {
        Self {
            file: PathBuf::from(MCP_FILE),
            sha256: None,
            trust: TrustState::NotNeeded,
            servers: Value::Null,
        }
    }
}

impl ProjectServers {
    /// The servers' names and definitions, as written.
    pub fn servers(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.servers
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, definition)| (name.as_str(), definition))
    }
}

/// A server as a file defines it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundServer {
    pub(crate) definition: Value,
    pub(crate) file: PathBuf,
    /// The folder of the plugin that brings it.
    pub(crate) plugin_root: Option<PathBuf>,
}

/// Why there is no server.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoServer {
    /// It is nowhere.
    #[error("no MCP server is called `{name}`; servers were looked for in {}", .places.join(", "))]
    Unknown {
        /// Its name.
        name: String,
        /// Where it is not.
        places: Vec<String>,
    },
    /// The administrator's file alone counts, and does not have it.
    #[error("no MCP server is called `{name}` in {}, and where that file is, no other servers may be used", .file.display())]
    NotManaged {
        /// Its name.
        name: String,
        /// The administrator's file.
        file: PathBuf,
    },
    /// The project has it, and it is not trusted.
    #[error("the MCP server `{name}` is in {}, which is not trusted; look at it with `bowline trust`", .file.display())]
    Untrusted {
        /// Its name.
        name: String,
        /// Where it is.
        file: PathBuf,
    },
}

impl McpServers {
    pub(in crate::settings) fn of(
        project: &Path,
        locations: &Locations,
        plugins: Vec<Plugin>,
        store: Option<&TrustStore>,
    ) -> Self {
        let FileText { path, text } = FileText::read(project.join(MCP_FILE));
        let text = text.ok().flatten();
        let sha256 = text
            .as_deref()
            .and_then(|text| hex_sha256([(MCP_FILE, text)]));
        let trust = match (&sha256, store) {
            (None, _) => TrustState::NotNeeded,
            (Some(_), None) => TrustState::Untrusted,
            (Some(sha256), Some(store)) => store.mcp_servers_state(project, sha256),
        };
        let servers = text
            .and_then(|text| serde_json::from_str::<Value>(&text).ok())
            .and_then(|mut root| root.get_mut(SERVERS).map(Value::take))
            .unwrap_or_default();
        Self {
            of_project: ProjectServers {
                file: path,
                sha256,
                trust,
                servers,
            },
            project: project.to_owned(),
            managed_file: locations.claude_managed_dir.join(MANAGED_FILE),
            user_file: user_file(locations),
            plugins,
        }
    }

    /// The server of this name: the administrator's, if there are any; else the user's for this project, the project's, the user's for
    /// all projects, a plugin's. Reads files.
    #[cfg_attr(
        not(any(feature = "mcp", test)),
        expect(dead_code, reason = "only the feature looks servers up")
    )]
    pub(crate) fn find(&self, name: &str) -> Result<FoundServer, NoServer> {
        // If it is unknown whether the file exists, it counts as existing: the rule is the administrator's.
        if !matches!(self.managed_file.try_exists(), Ok(false)) {
            return self.of_administrator(name);
        }
        if let Some(found) = self.of_plugin(name) {
            return Ok(found);
        }
        let users = self.user_file.as_deref().and_then(json_of);
        let in_users = |servers: Option<&Value>| {
            Some(FoundServer {
                definition: servers?.get(SERVERS)?.get(name)?.clone(),
                file: self.user_file.clone()?,
                plugin_root: None,
            })
        };
        let for_this_project = users
            .as_ref()
            .and_then(|users| users.get("projects")?.get(self.project.to_str()?));
        let projects = self.of_project.servers.get(name);
        let is_trusted = self.of_project.trust == TrustState::Trusted;
        in_users(for_this_project)
            .or_else(|| {
                Some(FoundServer {
                    definition: projects.filter(|_| is_trusted)?.clone(),
                    file: self.of_project.file.clone(),
                    plugin_root: None,
                })
            })
            .or_else(|| in_users(users.as_ref()))
            .ok_or_else(|| match projects {
                Some(_) => NoServer::Untrusted {
                    name: name.to_owned(),
                    file: self.of_project.file.clone(),
                },
                None => NoServer::Unknown {
                    name: name.to_owned(),
                    places: self.places(),
                },
            })
    }

    fn of_administrator(&self, name: &str) -> Result<FoundServer, NoServer> {
        let servers = json_of(&self.managed_file);
        let definition = (servers.as_ref()).and_then(|root| root.get(SERVERS)?.get(name));
        match definition {
            Some(definition) => Ok(FoundServer {
                definition: definition.clone(),
                file: self.managed_file.clone(),
                plugin_root: None,
            }),
            None => Err(NoServer::NotManaged {
                name: name.to_owned(),
                file: self.managed_file.clone(),
            }),
        }
    }

    /// `plugin:PLUGIN:SERVER`.
    fn of_plugin(&self, name: &str) -> Option<FoundServer> {
        let (plugin, server) = name.strip_prefix("plugin:")?.split_once(':')?;
        let plugins = self.plugins.iter().filter(|known| known.name == plugin);
        plugins
            .flat_map(|plugin| {
                [MCP_FILE, PLUGIN_MANIFEST].map(|file| (plugin, plugin.root.join(file)))
            })
            .find_map(|(plugin, file)| {
                let root = json_of(&file)?;
                // A plugin's own file may have the servers at its top.
                let bare = root.get(SERVERS).is_none() && file.ends_with(MCP_FILE);
                let servers = if bare { Some(&root) } else { root.get(SERVERS) };
                Some(FoundServer {
                    definition: servers?.get(server)?.clone(),
                    plugin_root: Some(plugin.root.clone()),
                    file,
                })
            })
    }

    fn places(&self) -> Vec<String> {
        let plugins = self.plugins.iter().map(|plugin| plugin.root.join(MCP_FILE));
        [self.of_project.file.clone()]
            .into_iter()
            .chain(self.user_file.clone())
            .chain(plugins)
            .map(|file| file.display().to_string())
            .collect()
    }
}

/// `.claude.json`: beside `~/.claude`, or in the folder that `CLAUDE_CONFIG_DIR` names.
fn user_file(locations: &Locations) -> Option<PathBuf> {
    let folder = locations.claude_config_dir.as_ref()?;
    match &locations.home {
        Some(home) if *folder == home.join(".claude") => Some(home.join(USER_FILE)),
        _ => Some(folder.join(USER_FILE)),
    }
}

/// A file that is missing, unreadable or not JSON has no servers. The error names the files that were read.
fn json_of(file: &Path) -> Option<Value> {
    serde_json::from_str(&files::read_text(file).ok()??).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::settings;

    /// A home, a project and what the servers of the project's file are trusted as.
    struct Sandbox {
        root: tempfile::TempDir,
        locations: Locations,
    }

    impl Sandbox {
        fn new(files: &[(&str, Value)]) -> Self {
            let root = tempfile::tempdir().unwrap();
            let mut locations = Locations::under(root.path());
            locations.plugin_dirs = vec![root.path().join("lint")];
            for (name, json) in files {
                let file = root.path().join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, json.to_string()).unwrap();
            }
            fs::create_dir_all(root.path().join("project")).unwrap();
            Self { root, locations }
        }

        fn project(&self) -> PathBuf {
            self.root.path().join("project")
        }

        fn servers(&self) -> McpServers {
            settings::load(&self.project(), &self.locations).mcp_servers
        }

        fn trust(&self) {
            let sha256 = self.servers().of_project.sha256.unwrap();
            TrustStore::open(&self.locations)
                .unwrap()
                .record_mcp_servers(&self.project(), &sha256)
                .unwrap();
        }

        fn command(&self, name: &str) -> Result<String, String> {
            let found = self
                .servers()
                .find(name)
                .map_err(|error| error.to_string())?;
            Ok(found.definition["command"].as_str().unwrap().to_owned())
        }
    }

    fn of(name: &str, command: &str) -> Value {
        json!({ "mcpServers": { name: { "command": command } } })
    }

    #[test]
    fn servers_are_found_where_the_client_finds_them() {
        let place = Sandbox::new(&[
            ("project/.mcp.json", of("shared", "project's")),
            (
                "home/.claude.json",
                json!({ "mcpServers": { "shared": { "command": "user's" }, "mine": { "command": "mine" } } }),
            ),
            (
                "lint/.claude-plugin/plugin.json",
                json!({ "name": "lint", "mcpServers": { "inline": { "command": "inline" } } }),
            ),
            ("lint/.mcp.json", json!({ "bare": { "command": "bare" } })),
        ]);
        for (name, expected) in [
            ("mine", "mine"),
            ("plugin:lint:bare", "bare"),
            ("plugin:lint:inline", "inline"),
            // The project's file is not trusted yet.
            ("shared", "user's"),
        ] {
            assert_eq!(place.command(name).as_deref(), Ok(expected), "{name}");
        }
        place.trust();
        assert_eq!(place.command("shared").as_deref(), Ok("project's"));

        let project = place.project();
        let key = project.to_str().unwrap();
        let users = json!({ "projects": { key: of("shared", "mine, here") } });
        fs::write(
            place.root.path().join("home/.claude.json"),
            users.to_string(),
        )
        .unwrap();
        assert_eq!(place.command("shared").as_deref(), Ok("mine, here"));
    }

    #[test]
    fn a_project_starts_nothing_before_it_is_trusted_and_after_it_has_changed() {
        let place = Sandbox::new(&[("project/.mcp.json", of("s", "one"))]);
        let refusal = place.command("s").unwrap_err();
        assert!(refusal.contains("`bowline trust`"), "{refusal}");
        place.trust();
        assert_eq!(place.command("s").as_deref(), Ok("one"));
        fs::write(place.project().join(MCP_FILE), of("s", "two").to_string()).unwrap();
        assert!(place.command("s").unwrap_err().contains("not trusted"));
        assert_eq!(place.servers().of_project.trust, TrustState::Changed);
    }

    #[test]
    fn where_an_administrator_names_servers_no_others_count() {
        let place = Sandbox::new(&[
            ("etc/claude-code/managed-mcp.json", of("theirs", "managed")),
            ("home/.claude.json", of("mine", "mine")),
            ("lint/.mcp.json", json!({ "bare": { "command": "bare" } })),
        ]);
        assert_eq!(place.command("theirs").as_deref(), Ok("managed"));
        for name in ["mine", "plugin:lint:bare"] {
            let error = place.command(name).unwrap_err();
            assert!(error.contains("managed-mcp.json"), "{error}");
        }
        let file = place.root.path().join("etc/claude-code/managed-mcp.json");
        fs::write(file, "{").unwrap();
        assert!(place.command("mine").is_err());
    }

    #[test]
    fn an_unknown_server_is_named_with_the_places() {
        let error = Sandbox::new(&[]).command("ghost").unwrap_err();
        for part in [
            "`ghost`",
            "project/.mcp.json",
            "home/.claude.json",
            "lint/.mcp.json",
        ] {
            assert!(error.contains(part), "{error}");
        }
    }
}

//! What the cmdlets do, in terms of the programs that do the same elsewhere.

use std::rc::Rc;

use super::names::{Bound, canonical, is_known};
use super::reader::block;
use super::{path_item, piped, unknown_of, variable_key};
use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::run::Input;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item, Output};
use crate::invocation::{Opened, Opening, Value};

fn words<'a>(program: &[&str], rest: impl IntoIterator<Item = &'a Item>) -> Vec<Item> {
    let program = program.iter().map(|it| Item::known(*it));
    program.chain(rest.into_iter().cloned()).collect()
}

impl Interpreter<'_> {
    /// Follows a cmdlet or a program.
    pub(super) fn cmdlet(
        &mut self,
        name: &str,
        rest: &[String],
        opened: Vec<Opened>,
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let alias = scope.aliases.get(&variable_key(name)).cloned();
        let name = canonical(alias.as_deref().unwrap_or(name)).to_owned();
        let is_cmdlet = is_known(&name);
        if !is_cmdlet {
            return self.native(&name, rest, opened, scope, input);
        }
        let bound = self.bind(&name, rest, scope);
        if bound.has("whatif") && bound.switches.iter().any(|it| it.starts_with("wh")) {
            return Output::nothing();
        }
        if !opened.is_empty() {
            let mut call =
                ExpandedCommand::of(vec![Item::known("printf"), unknown_of(input)], scope);
            call.opened = opened;
            self.emit_call(&call);
        }
        match name.as_str() {
            "remove-item" => self.remove(&bound, scope, input),
            "get-childitem" => self.listing(&bound, scope),
            "clear-content" => {
                let paths = bound.paths();
                self.ps_run(words(&["truncate", "-s", "0"], &paths), scope, &None)
            }
            "set-content" | "add-content" | "tee-object" => self.store(&name, &bound, scope, input),
            "new-item" => {
                let paths = bound.paths();
                self.ps_run(words(&["touch"], &paths), scope, &None)
            }
            "copy-item" | "move-item" => {
                let program: &[&str] = if name == "copy-item" {
                    &["cp", "-r"]
                } else {
                    &["mv"]
                };
                let from = bound
                    .value_or_word(&["path", "literalpath"], 0)
                    .map(path_item);
                let given = usize::from(bound.value(&["path", "literalpath"]).is_none());
                let to = bound
                    .value_or_word(&["destination", "newname"], given)
                    .map(path_item);
                let from = from.unwrap_or_else(|| unknown_of(input));
                self.ps_run(words(program, [&from].into_iter().chain(&to)), scope, &None)
            }
            "get-content" => {
                let mut paths = bound.paths();
                if paths.is_empty() {
                    paths.push(unknown_of(input));
                }
                self.ps_run(words(&["cat"], &paths), scope, &None)
            }
            "select-string" => self.search(&bound, scope, input),
            "get-item" => {
                let path = bound.value_or_word(&["path", "literalpath", "name"], 0);
                match path.and_then(|it| environment(it)) {
                    Some(variable) => {
                        let name = Item::known(variable);
                        self.ps_run(
                            words(
                                &["printenv"],
                                [&name].into_iter().filter(|it| it.text() != Some("")),
                            ),
                            scope,
                            &None,
                        )
                    }
                    // An item is the path itself to those who come after it.
                    None => path.map_or_else(Output::nothing, |it| Output {
                        text: format!("{}\n", it.marked()),
                        sources: it.sources.clone(),
                    }),
                }
            }
            "write-output" => {
                let mut all = bound.words.clone();
                all.extend(bound.named.iter().map(|(_, item)| item.clone()));
                if all.is_empty() {
                    return input
                        .as_ref()
                        .map_or_else(Output::nothing, |it| (**it).clone());
                }
                self.ps_run(words(&["echo"], &all), scope, &None)
            }
            "invoke-expression" => {
                let item = bound.value_or_word(&["command"], 0).cloned();
                let item = item.unwrap_or_else(|| piped(input));
                self.ps_evaluate(&item, scope)
            }
            "invoke-webrequest" => self.request(&bound, scope, input),
            "invoke-command" => self.ps_blocks(&bound, scope, input),
            "foreach-object" => {
                let before = scope.get("ps:_").cloned();
                scope.set("ps:_", piped(input).content());
                let output = self.ps_blocks(&bound, scope, input);
                let deletes = bound
                    .words
                    .iter()
                    .any(|it| it.marked().eq_ignore_ascii_case("delete"));
                if deletes {
                    self.ps_run(words(&["rm", "-rf"], [&unknown_of(input)]), scope, &None);
                }
                scope.set("ps:_", before.unwrap_or_else(Content::unknown));
                output
            }
            "where-object" => narrowed(&bound, input),
            "pass" => input
                .as_ref()
                .map_or_else(Output::nothing, |it| (**it).clone()),
            "start-process" => self.start(&bound, scope),
            "stop-process" => self.stop(&bound, scope, input),
            "get-process" => {
                let who = bound
                    .value_or_word(&["name"], 0)
                    .map(|it| it.marked().to_owned());
                Output::unknown(vec![
                    who.map_or_else(|| "ps -A".to_owned(), |it| format!("pgrep {it}")),
                ])
            }
            "stop-service" => {
                let service = bound.value_or_word(&["name"], 0).cloned();
                self.ps_run(words(&["systemctl", "stop"], &service), scope, &None)
            }
            "set-location" | "push-location" | "pop-location" => {
                let program = match name.as_str() {
                    "set-location" => "cd",
                    "push-location" => "pushd",
                    _ => "popd",
                };
                let path = bound
                    .value_or_word(&["path", "literalpath"], 0)
                    .map(path_item);
                self.ps_run(words(&[program], &path), scope, &None)
            }
            "compress-archive" => {
                let given = usize::from(bound.value(&["path", "literalpath"]).is_none());
                let to = bound
                    .value_or_word(&["destinationpath"], given)
                    .map(path_item);
                let from = bound
                    .value_or_word(&["path", "literalpath"], 0)
                    .map(path_item);
                let to = to.unwrap_or_else(|| Item::known("out.zip"));
                self.ps_run(
                    words(&["zip", "-r"], [&to].into_iter().chain(&from)),
                    scope,
                    &None,
                )
            }
            "invoke-sqlcmd" => {
                let query = bound.value_or_word(&["query"], 0).cloned();
                self.ps_run(words(&["sqlcmd", "-Q"], &query), scope, &None)
            }
            "set-alias" => {
                let alias = bound
                    .value_or_word(&["name"], 0)
                    .map(|it| it.marked().to_owned());
                let given = usize::from(bound.value(&["name"]).is_none());
                let target = bound.value_or_word(&["value", "definition"], given);
                if let (Some(alias), Some(target)) = (alias, target) {
                    let target = target.marked().to_ascii_lowercase();
                    scope.aliases.insert(variable_key(&alias), target);
                }
                Output::nothing()
            }
            _ => Output::nothing(),
        }
    }

    /// Programs take their arguments as they are.
    fn native(
        &mut self,
        name: &str,
        rest: &[String],
        opened: Vec<Opened>,
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let mut all = vec![Item::known(name)];
        for word in rest {
            match block(word) {
                Some(body) => {
                    self.powershell(body, scope, &None);
                }
                None => all.push(self.ps_item(word, scope)),
            }
        }
        let mut call = ExpandedCommand::of(all, scope);
        call.opened = opened;
        call.input.clone_from(input);
        self.call(call, scope)
    }

    fn remove(&mut self, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let mut paths = bound.paths();
        if paths.is_empty() {
            paths.push(path_item(&piped(input)));
        }
        let (registry, paths): (Vec<Item>, Vec<Item>) =
            paths.into_iter().partition(|it| is_registry(it.marked()));
        if !registry.is_empty() {
            self.ps_run(words(&["reg", "delete"], &registry), scope, &None);
        }
        let paths: Vec<Item> = paths
            .into_iter()
            .filter(|it| environment(it).is_none())
            .collect();
        let recursive = ["recurse", "rf", "fr"].iter().any(|it| bound.has(it));
        let program: &[&str] = if recursive {
            &["rm", "-r", "-f"]
        } else {
            &["rm", "-f"]
        };
        if paths.is_empty() {
            return Output::nothing();
        }
        self.ps_run(words(program, &paths), scope, &None)
    }

    /// What a listing gives is known by the search that does the same.
    fn listing(&mut self, bound: &Bound, scope: &mut Scope) -> Output {
        let path = bound.value_or_word(&["path", "literalpath"], 0).cloned();
        let path = path.unwrap_or_else(|| Item::known("."));
        if environment(&path).is_some() {
            return self.ps_run(words(&["printenv"], []), scope, &None);
        }
        let path = path_item(&path);
        self.ps_run(words(&["ls"], [&path]), scope, &None);
        let limit = bound
            .value(&["filter", "include"])
            .map(|it| it.marked().to_owned());
        let listing = if bound.has("recurse") {
            let name = limit.map_or_else(String::new, |it| format!(" -name '{it}'"));
            format!("find {}{name}", path.marked())
        } else {
            let below = limit.map_or_else(String::new, |it| format!("/{it}"));
            format!("ls {}{below}", path.marked())
        };
        Output::unknown(vec![listing])
    }

    fn store(&mut self, name: &str, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let names = ["path", "literalpath", "filepath", "lp"];
        let file = bound.value_or_word(&names, 0).map(path_item);
        let given = usize::from(bound.value(&names).is_none());
        let value = bound
            .value_or_word(&["value", "inputobject"], given)
            .cloned();
        let value = value.unwrap_or_else(|| piped(input));
        let output = Output {
            text: format!("{}\n", value.marked()),
            sources: value.sources.clone(),
        };
        let mut call = ExpandedCommand::of(words(&["printf"], [&value]), scope);
        if let Some(file) = file {
            let how = if name == "add-content" || bound.has("append") {
                Opening::Append
            } else {
                Opening::Overwrite
            };
            self.written(&file.arg, &output, scope);
            call.opened.push(Opened {
                how,
                file: file.arg,
            });
        }
        self.emit_call(&call);
        output
    }

    fn search(&mut self, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let what = bound.value_or_word(&["pattern"], 0).cloned();
        let given = usize::from(bound.value(&["pattern"]).is_none());
        let file = bound
            .value_or_word(&["path", "literalpath"], given)
            .map(path_item);
        let what = what.unwrap_or_else(|| Item::known(""));
        self.ps_run(
            words(&["grep"], [&what].into_iter().chain(&file)),
            scope,
            input,
        )
    }

    fn request(&mut self, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let mut all = words(&["curl"], []);
        for (names, option) in [
            (["outfile", "destination"], "-o"),
            (["infile", "infile"], "-T"),
            (["body", "form"], "-d"),
            (["method", "method"], "-X"),
        ] {
            if let Some(item) = bound.value(&names) {
                let item = if option == "-d" {
                    item.clone()
                } else {
                    path_item(item)
                };
                all.extend([Item::known(option), item]);
            }
        }
        all.extend(bound.value_or_word(&["uri", "source", "url"], 0).cloned());
        self.ps_run(all, scope, input)
    }

    fn ps_blocks(&mut self, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let mut output = Output::nothing();
        for block in &bound.blocks {
            let printed = self.powershell(block, scope, input);
            self.append(&mut output, printed);
        }
        output
    }

    /// Runs a text as PowerShell would; fetched text as a shell that gets it.
    pub(super) fn ps_evaluate(&mut self, item: &Item, scope: &mut Scope) -> Output {
        if !item.sources.is_empty() || item.arg.value == Value::Unknown {
            let mut call = ExpandedCommand::of(vec![Item::known("bash")], scope);
            call.input = Some(Rc::new(Output::unknown(item.sources.clone())));
            self.emit_call(&call);
            return Output::unknown(item.sources.clone());
        }
        let text = item.marked().to_owned();
        self.powershell(&text, scope, &None)
    }

    fn start(&mut self, bound: &Bound, scope: &mut Scope) -> Output {
        let mut text = bound
            .value_or_word(&["filepath"], 0)
            .map_or_else(String::new, |it| it.marked().to_owned());
        let given = usize::from(bound.value(&["filepath"]).is_none());
        let named = bound.value(&["argumentlist", "args"]);
        for item in named.into_iter().chain(bound.words.iter().skip(given)) {
            text.push(' ');
            text.push_str(item.marked());
        }
        self.powershell(&text, scope, &None)
    }

    fn stop(&mut self, bound: &Bound, scope: &mut Scope, input: &Input) -> Output {
        let by_name = bound.value(&["name", "processname"]).cloned();
        let sources = input
            .as_ref()
            .map_or_else(Vec::new, |it| it.sources.clone());
        let piped_name = sources.iter().find_map(|it| it.strip_prefix("pgrep "));
        let all = match (by_name, bound.value_or_word(&["id"], 0)) {
            (Some(name), _) if matches!(name.marked(), "*") => words(&["kill", "-9", "-1"], []),
            (Some(name), _) => words(&["pkill"], [&name]),
            (None, Some(id)) => words(&["kill"], [id]),
            (None, None) => match piped_name {
                Some(name) if name != "*" => words(&["pkill", name], []),
                _ if sources.iter().any(|it| it == "ps -A") => words(&["kill", "-9", "-1"], []),
                _ => words(&["kill"], [&unknown_of(input)]),
            },
        };
        self.ps_run(all, scope, &None)
    }
}

/// `Where-Object { $_.Name -like '*.tmp' }`: what is left of a listing.
fn narrowed(bound: &Bound, input: &Input) -> Output {
    let Some(input) = input else {
        return Output::nothing();
    };
    let filter = bound.blocks.first().map_or("", String::as_str);
    let positive = ["-like", "-eq", "-match"]
        .iter()
        .any(|it| filter.to_ascii_lowercase().contains(it));
    let text = filter.split(['\'', '"']).nth(1).filter(|_| positive);
    let Some(text) = text else {
        return (**input).clone();
    };
    let name = text
        .trim_start_matches('*')
        .trim_start_matches('\\')
        .trim_end_matches('$');
    let ending = if name.starts_with('.') { "$" } else { "" };
    let sources = input.sources.iter();
    Output::unknown(
        sources
            .map(|it| format!("{it} | grep '{}{ending}'", name.replace('.', "\\.")))
            .collect(),
    )
}

/// `Env:NAME`: the variable's name, empty for all of them.
fn environment(item: &Item) -> Option<&str> {
    let text = item.arg.text_or_pattern()?;
    let drive = text.get(..4)?;
    let rest = text.get(4..)?;
    drive
        .eq_ignore_ascii_case("env:")
        .then(|| rest.trim_matches(['\\', '/', '*']))
}

fn is_registry(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ["hklm:", "hkcu:", "hkcr:", "hku:", "registry::"]
        .iter()
        .any(|it| lower.starts_with(it))
}

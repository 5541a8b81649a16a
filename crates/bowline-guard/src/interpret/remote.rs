//! Commands on other machines and in containers.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::known::{base, could_harm};
use super::mounts::{Reach, from_outside};
use super::options::{self, first_operand, texts_of};
use super::scope::Scope;
use super::value::{Item, Output};
use crate::invocation::{Directory, Through};

const SSH_VALUES: &[&str] = &[
    "-B",
    "-b",
    "-c",
    "-D",
    "-E",
    "-e",
    "-F",
    "-I",
    "-i",
    "-J",
    "-L",
    "-l",
    "-m",
    "-O",
    "-o",
    "-p",
    "-P",
    "-Q",
    "-R",
    "-S",
    "-W",
    "-w",
    "--zone",
    "--project",
    "--command",
];

const CONTAINER_VALUES: &[&str] = &[
    "-a",
    "--attach",
    "--add-host",
    "--name",
    "-e",
    "--env",
    "--env-file",
    "-f",
    "--file",
    "--filename",
    "-v",
    "--volume",
    "-B",
    "--bind",
    "--mount",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "-p",
    "--publish",
    "--network",
    "--net",
    "--entrypoint",
    "-l",
    "--label",
    "-h",
    "--hostname",
    "--cpus",
    "-m",
    "--memory",
    "--platform",
    "--restart",
    "--pull",
    "-n",
    "--namespace",
    "-c",
    "--container",
    "--context",
    "--kubeconfig",
    "--image",
    "--index",
    "--cap-add",
    "--cap-drop",
    "--device",
    "--dns",
    "--gpus",
    "--ip",
    "--ipc",
    "--pid",
    "--shm-size",
    "--tmpfs",
    "--ulimit",
    "--userns",
    "--volumes-from",
    "--log-driver",
    "--profile",
    "--project-name",
    "--project-directory",
    "--security-opt",
    "--cidfile",
    "--expose",
    "--group-add",
    "--init-path",
    "--runtime",
    "--stop-signal",
    "--uts",
    "--overrides",
    "--detach-keys",
    "--host",
    "-H",
    "--log-level",
    "-s",
    "--cluster",
    "--pod-running-timeout",
    "--serviceaccount",
];

impl Interpreter<'_> {
    /// Follows a command that runs elsewhere; `None` if this is none.
    pub(super) fn remote(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        match name {
            "ssh" | "mosh" | "rsh" | "autossh" | "tsh" | "sshpass" | "pdsh" | "pssh"
            | "parallel-ssh" | "gcloud" | "az" | "eb" | "flyctl" | "fly" | "heroku"
            | "multipass" | "limactl" | "lima" | "vagrant" | "orb" | "adb" => {
                self.ssh(name, call, scope)
            }
            "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "lxc"
            | "incus" | "crictl" | "kubectl" | "oc" | "k3s" | "microk8s" | "machinectl"
            | "toolbox" | "distrobox" | "apptainer" | "singularity" => {
                self.container(name, call, scope)
            }
            "ansible" => {
                self.emit_call(call);
                let module = texts_of(call.args(), &["-m", "--module-name"]);
                let runs = module.first().is_none_or(|it| {
                    it.ends_with("shell") || it.ends_with("command") || it.ends_with("raw")
                });
                if runs {
                    for text in texts_of(call.args(), &["-a", "--args"]) {
                        self.elsewhere(&text, Through::Remote(host(call, 0)), call, scope);
                    }
                }
                Some(Output::unknown(vec![call.source()]))
            }
            "salt" | "dsh" | "clush" => {
                self.emit_call(call);
                let at = first_operand(call.args(), &["-w", "-g", "-l", "-f", "-m"]);
                let words = call.args().get(at..).unwrap_or_default();
                let text = match name {
                    "salt" => call.args().last().map(|item| item.marked().to_owned()),
                    _ => Some(join(words)).filter(|it| !it.is_empty()),
                };
                if let Some(text) = text {
                    self.elsewhere(&text, Through::Remote("hosts".to_owned()), call, scope);
                }
                Some(Output::unknown(vec![call.source()]))
            }
            _ => None,
        }
    }

    /// Follows a text on another machine, where neither our variables nor our files are.
    fn elsewhere(
        &mut self,
        text: &str,
        through: Through,
        call: &ExpandedCommand,
        scope: &Scope,
    ) -> Output {
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(through);
        inner.functions.clear();
        inner.aliases.clear();
        inner.variables.clear();
        inner.directory = Directory::Unknown;
        self.nested(text, &inner, call.input.clone())
    }

    fn ssh(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) -> Option<Output> {
        let args = call.args();
        let (host_at, command_at) = match name {
            "sshpass" => {
                let skip = first_operand(args, &["-p", "-f", "-d", "-P"]);
                return Some(self.call(
                    call.inner(skip + 1, Through::Wrapper(name.to_owned())),
                    scope,
                ));
            }
            "ssh" | "mosh" | "rsh" | "autossh" | "tsh" => {
                let mut at = first_operand(args, SSH_VALUES);
                if name == "tsh" && args.get(at).and_then(Item::text) == Some("ssh") {
                    at += 1 + first_operand(args.get(at + 1..).unwrap_or_default(), SSH_VALUES);
                }
                // Options may stand after the host too.
                let after = first_operand(args.get(at + 1..).unwrap_or_default(), SSH_VALUES);
                (at, at + 1 + after)
            }
            "pdsh" | "pssh" | "parallel-ssh" => {
                let at = first_operand(
                    args,
                    &["-w", "-h", "-H", "-l", "-p", "-t", "-x", "-o", "-e"],
                );
                (at, at)
            }
            _ => {
                // `gcloud compute ssh host --command=…`, `heroku run …`, `vagrant ssh -c …`.
                self.emit_call(call);
                let verb = args.iter().position(|it| {
                    matches!(
                        it.text(),
                        Some("ssh" | "run" | "exec" | "shell" | "--" | "ssh-proxy" | "console")
                    )
                })?;
                let texts = texts_of(args, &["--command", "-c", "-C"]);
                if let Some(text) = texts.first() {
                    return Some(self.elsewhere(
                        text,
                        Through::Remote(name.to_owned()),
                        call,
                        scope,
                    ));
                }
                let dashes = args.iter().position(|it| it.text() == Some("--"));
                let at = dashes.map_or(verb + 1, |at| at + 1);
                let text = join(args.get(at..).unwrap_or_default());
                return Some(self.elsewhere(&text, Through::Remote(name.to_owned()), call, scope));
            }
        };
        let words = args.get(command_at..).unwrap_or_default();
        let host = host(call, host_at);
        self.emit_call(call);
        for option in texts_of(args.get(..command_at).unwrap_or_default(), &["-o"]) {
            let (key, value) = option.split_once(['=', ' ']).unwrap_or((&option, ""));
            if matches!(
                key.to_ascii_lowercase().as_str(),
                "proxycommand" | "localcommand" | "knownhostscommand"
            ) {
                let mut inner = self.copy(scope);
                inner.through.push(Through::Wrapper("ssh".to_owned()));
                self.nested(value, &inner, None);
            }
        }
        if words.is_empty() {
            if let Some(input) = call.input.clone()
                && input.says_something()
            {
                let text = input.text.clone();
                self.elsewhere(&text, Through::Remote(host), call, scope);
            }
            return Some(Output::unknown(vec![call.source()]));
        }
        let text = join(words);
        let output = self.elsewhere(&text, Through::Remote(host), call, scope);
        Some(if output.text.is_empty() {
            Output::unknown(vec![call.source()])
        } else {
            output
        })
    }

    fn container(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        self.emit_call(call);
        let args = call.args();
        let unknown = || Some(Output::unknown(vec![call.source()]));
        let Some(verb) = args.iter().position(|it| {
            matches!(
                it.text(),
                Some("exec" | "run" | "debug" | "shell" | "enter" | "create")
            )
        }) else {
            return unknown();
        };
        // `docker volume create`, `kubectl create`: not a container that runs something.
        let verb_text = args.get(verb).and_then(Item::text).unwrap_or_default();
        if verb_text == "create" && !(matches!(name, "docker" | "podman") && verb == 0) {
            return unknown();
        }
        let rest = args.get(verb + 1..).unwrap_or_default();
        let dashes = rest.iter().position(|it| it.text() == Some("--"));
        let entry = texts_of(rest, &["--entrypoint"]);
        let mut words: Vec<Item> = if let Some(at) = dashes {
            rest.get(at + 1..).unwrap_or_default().to_vec()
        } else {
            // The container's or image's name comes first.
            let at = first_operand(rest, CONTAINER_VALUES);
            // `toolbox run rm`: the name may be left out.
            let unnamed = matches!(name, "toolbox" | "distrobox")
                && rest.get(at).is_some_and(|it| could_harm(base(it.marked())));
            let at = if unnamed { at } else { at + 1 };
            rest.get(at..).unwrap_or_default().to_vec()
        };
        if let Some(entry) = entry.first().filter(|it| !it.is_empty()) {
            words.insert(0, Item::known(entry.clone()));
        }
        if words.is_empty() {
            return unknown();
        }
        let starts =
            verb_text == "run" && verb == 0 && matches!(name, "docker" | "podman" | "nerdctl");
        let own = rest
            .get(..rest.len().saturating_sub(words.len()))
            .unwrap_or_default();
        let reach = match self.reach(own, &words, scope) {
            // A container that runs may have been given anything.
            Reach::Itself if !starts => Reach::Unknown,
            reach => reach,
        };
        let mut workdir = options::value_of(own, &["-w", "--workdir"])
            .cloned()
            .unwrap_or_else(|| Item::known("/"));
        if let Reach::Mounts(mounts) = &reach {
            words = words.iter().map(|it| from_outside(it, mounts)).collect();
            workdir = from_outside(&workdir, mounts);
        }
        let through = match reach {
            Reach::Itself => Through::NewContainer,
            Reach::Mounts(_) | Reach::Unknown => Through::Container,
        };
        let mut inner = call.with_words(words, through);
        inner.directory = match workdir.text() {
            Some(folder) => Directory::Known(folder.to_owned()),
            None => Directory::Unknown,
        };
        let mut within = self.copy(scope);
        within.directory = inner.directory.clone();
        within.functions.clear();
        within.aliases.clear();
        self.call(inner, &mut within);
        unknown()
    }
}

fn host(call: &ExpandedCommand, at: usize) -> String {
    call.arg(at)
        .map_or_else(|| "host".to_owned(), |item| item.marked().to_owned())
}

fn join(words: &[Item]) -> String {
    words.iter().map(Item::marked).collect::<Vec<_>>().join(" ")
}

//! What a run does to files and repositories, one act after another, whoever may lose or save something by it.
//!
//! Only what its text tells: a test run that leaves files behind is not listed.

mod backups;
mod git;
mod listed;
mod listing;
mod outputs;
mod piped;
mod renames;
mod scripts;
mod unpacking;
mod words;

use crate::interpret::{At, NOWHERE};
use crate::invocation::{Arg, Directory, Invocation, Opening, Value};
use crate::loss::{Act, AtLink, Depth, Found, LinkKind, Target, TargetKind, Writing};
use crate::paths::{self, World};

use super::args::{UNKNOWN, word};
use super::launch::plain_name;
use backups::InTheWay;
use words::{
    backup_suffix, edits_in_place, has, has_default, has_letter, has_script, keeps_what_is_there,
    operands, operands_with_clusters, puts_aside, value_after, with_prefix_removed,
};

/// What a run does, in order. Nothing for a run on another machine or in a container.
pub(super) fn acts(invocation: &Invocation, world: &dyn World) -> Vec<Act> {
    let Directory::Known(directory) = &invocation.directory else {
        return Vec::new();
    };
    if invocation.runs_elsewhere() || directory.starts_with(NOWHERE) {
        return Vec::new();
    }
    let here = At::without_links(invocation, world);
    let run = Run {
        invocation,
        directory,
        world: &here,
    };
    // The shell opens files before it starts the program.
    let mut acts = run.redirections();
    let name = invocation.program.as_deref().map(plain_name);
    acts.extend(name.into_iter().flat_map(|name| run.program(name)));
    acts
}

/// One run, seen from where it takes place.
struct Run<'r> {
    invocation: &'r Invocation,
    directory: &'r str,
    world: &'r dyn World,
}

impl Run<'_> {
    fn redirections(&self) -> Vec<Act> {
        let opened = self.invocation.opened.iter();
        opened
            .filter_map(|opened| match opened.how {
                Opening::Overwrite => Some((&opened.file, Writing::Replace)),
                Opening::Append => Some((&opened.file, Writing::Add)),
                Opening::Read => None,
            })
            .flat_map(|(file, how)| {
                let mut acts = self.writes_each([file], how);
                acts.extend(git::ignores(self, acts.last()));
                acts
            })
            .collect()
    }

    fn program(&self, name: &str) -> Vec<Act> {
        let args = &self.invocation.args;
        if args.iter().any(|it| word(it) == "--help") {
            return Vec::new();
        }
        match name {
            "find" | "gfind" | "bfs" | "fd" | "fdfind" => self.deletes_found(name),
            "rm" | "grm" | "unlink" | "srm" | "rimraf" | "del" | "shred" => self.deletes(name),
            "touch" | "mkfifo" => self.makes(),
            "mkdir" | "gmkdir" => self.makes_folders(),
            "gzip" | "gunzip" | "pigz" | "unpigz" | "bzip2" | "bunzip2" | "pbzip2" | "xz"
            | "unxz" | "lzma" | "unlzma" | "lzip" | "zstd" | "unzstd" | "lz4" | "unlz4"
            | "compress" | "uncompress" => self.packs(name),
            "rename" | "prename" | "perl-rename" | "file-rename" | "rename.ul" => {
                self.renames(name)
            }
            "mmv" => self.renames_by_wildcards(),
            "cp" | "gcp" if has_letter(args, 'l') || has(args, &["--link"]) => {
                self.links(LinkKind::Hard)
            }
            "cp" | "gcp" if has(args, &["--remove-destination"]) => self.copies(AtLink::Replace),
            "cp" | "gcp" => self.copies(AtLink::Follow),
            "install" | "ginstall" => self.copies(AtLink::Replace),
            "rsync" => self.mirrors(),
            "ln" | "gln" if has_letter(args, 's') || has(args, &["--symbolic"]) => {
                self.links(LinkKind::Symbolic)
            }
            "ln" | "gln" => self.links(LinkKind::Hard),
            "mv" | "gmv" => self.moves(),
            "tee" if has_letter(args, 'a') || has(args, &["--append"]) => {
                self.writes(operands(args, &[]), Writing::Add)
            }
            "tee" | "sponge" => self.writes(operands(args, &[]), Writing::Replace),
            "truncate" | "gtruncate" => {
                let files = operands(args, &["-s", "--size", "-r", "--reference"]);
                self.writes(files, Writing::Replace)
            }
            "dd" | "gdd" => self.values_of("of=", Writing::Replace),
            "curl" if has_letter(args, 'O') || has(args, &["--remote-name"]) => self.downloads(),
            "sed" | "gsed" => self.sed(),
            "perl" | "ruby" if edits_in_place(args) => self.edits(&["-e", "-E", "-I"]),
            "patch" if has(args, &["-o", "--output"]) => self.option_writes(&["-o", "--output"]),
            "patch" if has(args, &["--dry-run"]) => Vec::new(),
            "ed" | "ex" => self.writes(operands(args, &["-p", "-c"]), Writing::Edit),
            "patch" => self.patches(),
            "tar" | "gtar" | "bsdtar" if self.creates_archive() => {
                let mut acts = self.archives();
                acts.extend(self.packed_away_by_tar());
                acts
            }
            "zip" if has_letter(args, 'm') || has(args, &["--move"]) => self.packed_away_by_zip(),
            "tar" | "gtar" | "bsdtar" => self.unpacks(),
            "unzip" => self.unzips(),
            "python" | "python3" if args.first().map(word) == Some("-m") => {
                let mut acts = self.unpacks_by_module();
                acts.extend(self.module_writes());
                acts.extend(self.outputs(name));
                acts
            }
            "awk" | "gawk" if value_after(args, &["-i", "--include"]) == Some("inplace") => {
                let mut files = operands(args, &["-i", "--include", "-f", "-v", "-F"]);
                files.drain(..1.min(files.len()));
                self.writes(files, Writing::Edit)
            }
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(),
            "black" | "gofmt" | "goimports" | "prettier" | "rustfmt" | "isort" | "autopep8"
            | "clang-format" | "yapf" | "dos2unix" | "shfmt" | "ruff" | "eslint" | "biome" => {
                let mut acts = self.named_output(name);
                let files = operands(args, &["-c", "--config", "-o", "--output-file"]);
                acts.extend(self.writes(files, Writing::Tidy));
                acts
            }
            "git" | "hub" => git::acts(self),
            "gh" => git::checks_out_pull_request(self),
            "cargo"
                if operands(args, &[])
                    .first()
                    .is_some_and(|it| word(it) == "clean") =>
            {
                self.cleans_target()
            }
            _ => self.outputs(name),
        }
    }

    fn deletes(&self, name: &str) -> Vec<Act> {
        let args = &self.invocation.args;
        let recursive = name == "rimraf"
            || has_letter(args, 'r')
            || has_letter(args, 'R')
            || has(args, &["--recursive"]);
        let depth = if recursive { Depth::Tree } else { Depth::One };
        let listed = self.listed(depth);
        let operands = operands(args, &["-n", "--iterations"]).into_iter();
        operands
            .flat_map(|arg| {
                if let (Value::Unknown, Some(found)) = (&arg.value, &listed) {
                    return vec![Act::DeleteFound(found.clone())];
                }
                let targets = self.targets(arg).into_iter();
                targets
                    .map(|target| Act::Delete { target, depth })
                    .collect()
            })
            .collect()
    }

    /// `cargo clean`: all that builds have made, here or for the whole project.
    fn cleans_target(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        if has(args, &["-n", "--dry-run", "-p", "--package", "--doc"]) {
            return Vec::new();
        }
        let named = value_after(args, &["--target-dir"]).map(Arg::known);
        let root = format!("{}/target", self.world.project_root());
        let folders = match named {
            Some(folder) => vec![folder],
            None => vec![Arg::known("target"), Arg::known(root)],
        };
        let mut targets: Vec<Target> = folders.iter().flat_map(|it| self.targets(it)).collect();
        targets.dedup();
        let depth = Depth::Tree;
        let targets = targets.into_iter();
        targets
            .map(|target| Act::Delete { target, depth })
            .collect()
    }

    fn makes(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let names = operands(args, &["-m", "--mode", "-d", "-r", "-t"]).into_iter();
        names
            .flat_map(|arg| self.targets(arg))
            .map(Act::Make)
            .collect()
    }

    fn makes_folders(&self) -> Vec<Act> {
        let folder = |act| match act {
            Act::Make(target) if target.kind == TargetKind::Exact => Act::Make(Target {
                kind: TargetKind::Folder,
                ..target
            }),
            other => other,
        };
        self.makes().into_iter().map(folder).collect()
    }

    /// Files that a script edits in place; the script itself is the first word unless an option has it.
    fn edits(&self, scripts: &[&str]) -> Vec<Act> {
        let args = &self.invocation.args;
        let by_option = args.iter().any(|it| {
            let text = word(it);
            scripts.contains(&text) || has_script(text)
        });
        let mut files = operands_with_clusters(args, scripts);
        if !by_option && !files.is_empty() {
            files.remove(0);
        }
        match backup_suffix(args) {
            Some(suffix) => self.edits_beside(&files, suffix),
            None => self.writes_each(files, Writing::Edit),
        }
    }

    /// `curl -O URL`: a file of the same name.
    fn downloads(&self) -> Vec<Act> {
        let urls = operands(
            &self.invocation.args,
            &["-o", "--output", "-H", "-d", "-X", "-u"],
        );
        let names: Vec<Arg> = urls
            .into_iter()
            .filter_map(|url| {
                let name = word(url).split(['?', '#']).next()?.rsplit('/').next()?;
                (!name.is_empty() && !name.contains(UNKNOWN)).then(|| Arg::known(name))
            })
            .collect();
        self.writes(names.iter(), Writing::Replace)
    }

    fn values_of(&self, name: &str, how: Writing) -> Vec<Act> {
        let files: Vec<Arg> = self
            .invocation
            .args
            .iter()
            .filter_map(|arg| {
                Some(Arg {
                    source: arg.source.clone(),
                    value: with_prefix_removed(&arg.value, name)?,
                })
            })
            .collect();
        self.writes(files.iter(), how)
    }

    fn copies(&self, at_link: AtLink) -> Vec<Act> {
        let args = &self.invocation.args;
        if has(args, &["-d", "--directory"]) {
            return Vec::new();
        }
        let with_value = [
            "-m", "--mode", "-o", "--owner", "-g", "--group", "-S", "--suffix",
        ];
        let onto = has_letter(args, 'T') || has(args, &["--no-target-directory"]);
        let contents =
            |written: &str| onto || matches!(written, "." | "..") || ends_in_dots(written);
        self.puts(&with_value, |put| vec![put.copied(at_link, contents)])
    }

    fn moves(&self) -> Vec<Act> {
        self.puts(&["-S", "--suffix"], |put| {
            let is_found = |(_, it): &(&str, Target)| it.kind == TargetKind::Unknown;
            let listed = if put.from.iter().any(is_found) {
                self.listed(Depth::Tree)
            } else {
                None
            };
            let each = listed.map(|found| Act::MoveFound {
                found,
                to: put.to.clone(),
            });
            let whole = Act::Move {
                from: put.from.into_iter().map(|(_, it)| it).collect(),
                to: put.to,
            };
            each.into_iter().chain([whole]).collect()
        })
    }

    /// What is put somewhere, after what becomes of the files that are there.
    fn puts(&self, with_value: &[&str], put_there: impl FnOnce(Put<'_>) -> Vec<Act>) -> Vec<Act> {
        let in_the_way = InTheWay::of(&self.invocation.args);
        let over_found = || self.put_over_found(with_value);
        let found = match in_the_way {
            InTheWay::Replaced => over_found(),
            InTheWay::Stays | InTheWay::PutAside(_) => None,
        };
        if let Some(found) = found {
            return vec![Act::WriteFound(found)];
        }
        let put = self.put(with_value);
        let aside = put.as_ref().and_then(|put| put.aside(&in_the_way));
        match (put, aside) {
            (Some(put), Some(aside)) => aside.into_iter().chain(put_there(put)).collect(),
            _ => Vec::new(),
        }
    }

    /// What is found, if something is put in the place of each of it: `find … -exec cp FILE {} \;`.
    fn put_over_found(&self, with_value: &[&str]) -> Option<Found> {
        let args = &self.invocation.args;
        let into = ["-t", "--target-directory"];
        let last = operands(args, with_value).pop()?;
        let over_each = last.value == Value::Unknown && value_after(args, &into).is_none();
        let found = over_each.then(|| self.listed(Depth::One)).flatten();
        // Into a folder it is put beside what is there.
        found.filter(|it| !it.is_of_folders())
    }

    /// `rsync FROM TO` on this machine. With `--delete`, all that is there may go.
    fn mirrors(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let keeps = [
            "-n",
            "--dry-run",
            "--ignore-existing",
            "--backup",
            "-b",
            "--list-only",
        ];
        let remote = |arg: &&Arg| word(arg).contains(':');
        let words = operands(args, &["-e", "--exclude", "--include", "--filter", "-f"]);
        if has(args, &keeps) || words.iter().any(remote) {
            return Vec::new();
        }
        let contents =
            |written: &str| written == "." || written.ends_with('/') || ends_in_dots(written);
        let put = self.put(&["-e", "--exclude", "--include", "--filter", "-f"]);
        let deletes = args.iter().any(|it| word(it).starts_with("--del"));
        let deleted = put.as_ref().filter(|_| deletes).map(|put| Act::Delete {
            target: put.to.followed(),
            depth: Depth::Tree,
        });
        let copied = put.map(|put| put.copied(AtLink::Replace, contents));
        deleted.into_iter().chain(copied).collect()
    }

    /// A link is made only where nothing is, unless by force.
    fn links(&self, kind: LinkKind) -> Vec<Act> {
        let args = &self.invocation.args;
        let force = has_letter(args, 'f') || has(args, &["--force"]);
        // `ln -n` only says that a link in the way is no folder.
        let keeps = if matches!(self.invocation.program.as_deref(), Some("ln" | "gln")) {
            puts_aside(args)
        } else {
            keeps_what_is_there(args) || puts_aside(args)
        };
        let put = self.put(&["-S", "--suffix"]);
        match put {
            Some(put) => {
                let links = put.from.iter().map(|(_, from)| Act::Link {
                    from: from.clone(),
                    to: put.to.clone(),
                    kind,
                });
                let links: Vec<Act> = links.collect();
                let made = if force && !keeps {
                    put.copied(AtLink::Replace, |_| false)
                } else {
                    Act::Make(put.to)
                };
                [made].into_iter().chain(links).collect()
            }
            None => Vec::new(),
        }
    }

    /// What is put where: the last word is the place, unless `-t` names it.
    fn put<'r>(&'r self, with_value: &[&str]) -> Option<Put<'r>> {
        let args = &self.invocation.args;
        let into = ["-t", "--target-directory"];
        let all_with_value: Vec<&str> = with_value.iter().chain(&into).copied().collect();
        let mut words = operands(args, &all_with_value);
        let to = match value_after(args, &into) {
            Some(folder) => Arg::known(format!("{folder}/")),
            None => words.pop()?.clone(),
        };
        let to = self.targets(&to).pop()?;
        let from: Vec<(&str, Target)> = words
            .into_iter()
            .flat_map(|it| {
                self.targets(it)
                    .into_iter()
                    .map(|target| (word(it), target))
            })
            .collect();
        (!from.is_empty()).then_some(Put { from, to })
    }

    fn creates_archive(&self) -> bool {
        let args = &self.invocation.args;
        let first = args.first().map(word).unwrap_or_default();
        (!first.starts_with("--") && first.contains('c') && !first.contains(['x', 't']))
            || has(args, &["--create"])
            || (has_letter(args, 'c') && !has_letter(args, 'x') && !has_letter(args, 't'))
    }

    /// `tar czf FILE …`, `tar -c -f FILE …`.
    fn archives(&self) -> Vec<Act> {
        match self.invocation.args.as_slice() {
            [letters, file, ..]
                if !word(letters).starts_with('-') && word(letters).contains('f') =>
            {
                self.writes([file], Writing::Replace)
            }
            _ => self.option_writes(&["-f", "--file"]),
        }
    }

    /// The same, where a file that is not known may be each that a search finds.
    fn writes_each<'a>(&self, files: impl IntoIterator<Item = &'a Arg>, how: Writing) -> Vec<Act> {
        let loses = matches!(how, Writing::Replace | Writing::Edit);
        let files = files.into_iter();
        files
            .flat_map(|file| match (&file.value, loses) {
                (Value::Unknown, true) => match self.listed(Depth::One) {
                    Some(found) => vec![Act::WriteFound(found)],
                    None => self.writes([file], how),
                },
                _ => self.writes([file], how),
            })
            .collect()
    }

    fn writes<'a>(&self, files: impl IntoIterator<Item = &'a Arg>, how: Writing) -> Vec<Act> {
        files
            .into_iter()
            .flat_map(|file| self.targets(file))
            .map(|to| Act::Write { to, how })
            .collect()
    }

    /// Everything that a word names.
    fn targets(&self, arg: &Arg) -> Vec<Target> {
        let resolved = match &arg.value {
            // `${OUT:-old}` may be anything, if somebody has set it.
            Value::Known(_) | Value::Pattern(_) if has_default(&arg.source) => {
                vec![paths::resolve("${unknown}", self.world)]
            }
            Value::Known(text) => vec![paths::resolve_literal(text, self.world)],
            Value::Pattern(text) => paths::resolve_words(text, self.world),
            Value::Partly(text) => vec![paths::resolve(
                &text.replace(UNKNOWN, "${unknown}"),
                self.world,
            )],
            Value::Unknown => vec![paths::resolve("${unknown}", self.world)],
        };
        resolved.iter().map(Target::from).collect()
    }
}

/// What is put where, each source as written.
struct Put<'r> {
    from: Vec<(&'r str, Target)>,
    to: Target,
}

impl Put<'_> {
    /// The sources are copied; of some only what is in them.
    fn copied(self, at_link: AtLink, contents: impl Fn(&str) -> bool) -> Act {
        let from = self
            .from
            .into_iter()
            .map(|(written, target)| match target.kind {
                TargetKind::Exact | TargetKind::Folder if contents(written) => Target {
                    kind: TargetKind::Contents,
                    ..target
                },
                _ => target,
            });
        Act::Copy {
            from: from.collect(),
            to: self.to,
            at_link,
        }
    }
}

/// `from/.`: what is in it.
fn ends_in_dots(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    path.ends_with("/.") || path.ends_with("/..")
}

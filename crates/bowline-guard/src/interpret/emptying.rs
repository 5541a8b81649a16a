//! Files and folders that a program empties on the way: an output folder that a build clears first, a file that is
//! replaced by nothing. Each becomes the plain command that does the same.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::scope::Scope;
use super::value::{Item, UNKNOWN};
use crate::invocation::{Opened, Opening, Value};
use crate::paths::{self, HomeKind, Place, rebuildable_by_name};

/// At most this many words of a run are looked at.
const MAX_WORDS: usize = 64;

/// How sure it is that a folder is emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clears {
    /// The run says so.
    Asked,
    /// The tool does it by itself.
    Always,
    /// The tool may: only a whole home or machine is worth a word.
    Perhaps,
}

impl Interpreter<'_> {
    /// Follows what a program empties besides its own work.
    pub(super) fn emptied(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        match name {
            "ln" | "sort" | "sponge" | "dd" | "perl" | "ruby" | "awk" | "gawk" => {
                for file in emptied_files(name, call) {
                    let mut empty = ExpandedCommand::of(vec![Item::known(":")], scope);
                    empty.opened.push(Opened {
                        how: Opening::Overwrite,
                        file: file.arg,
                    });
                    self.emit_call(&empty);
                }
            }
            _ => {}
        }
    }

    /// Follows the folders that a builder empties before it writes to them.
    pub(super) fn cleared(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        let folders = folders(name, call.args());
        if folders.is_empty() {
            return;
        }
        let clears = if asks_to_clear(call.args()) {
            Clears::Asked
        } else if let Some(clears) = clears_by_itself(name, call.args()) {
            clears
        } else {
            return;
        };
        for folder in folders {
            if self.is_a_loss(&folder, clears, scope) {
                let words = vec![Item::known("rm"), Item::known("-rf"), folder];
                let delete = ExpandedCommand::of(words, scope);
                self.emit_call(&delete);
            }
        }
    }

    /// Whether a folder is none that a build would have made.
    fn is_a_loss(&self, folder: &Item, clears: Clears, scope: &Scope) -> bool {
        let Some(path) = self.absolute(&folder.arg, scope) else {
            return false;
        };
        let resolved = paths::resolve_literal(&path, self.world);
        let named = path.rsplit('/').next().unwrap_or_default();
        match paths::place(&resolved, self.world) {
            Place::Root | Place::HomeItself => true,
            Place::ProjectRoot | Place::AboveProject => clears != Clears::Perhaps,
            Place::System | Place::OtherHome => {
                clears != Clears::Perhaps && !rebuildable_by_name(named)
            }
            Place::InHome(HomeKind::Data | HomeKind::Config) | Place::OutsideProject
                if !self.lies_in_home(&path) =>
            {
                is_of_a_person(named)
            }
            Place::InHome(HomeKind::Data | HomeKind::Config) | Place::OutsideProject => {
                (clears == Clears::Asked && !rebuildable_by_name(named)) || is_of_a_person(named)
            }
            _ => false,
        }
    }

    /// Whether a path is one of the folders that the home itself shows: what lies deeper may well be another build's.
    fn lies_in_home(&self, path: &str) -> bool {
        let parent = path.rsplit_once('/').map(|(parent, _)| parent);
        self.world
            .home()
            .is_some_and(|home| parent == Some(home.trim_end_matches('/')))
    }
}

/// Folders that people keep their own things in.
fn is_of_a_person(name: &str) -> bool {
    matches!(
        name,
        "Documents"
            | "Desktop"
            | "Pictures"
            | "Music"
            | "Videos"
            | "Movies"
            | "Downloads"
            | "Dropbox"
            | "Projects"
    )
}

/// Builders that clear their output folder without being asked.
#[rustfmt::skip]
fn clears_by_itself(name: &str, args: &[Item]) -> Option<Clears> {
    let clears = match name {
        "jekyll" | "mkdocs" | "mdbook" | "vuepress" | "vitepress" | "docusaurus" | "storybook" | "sb" | "ng" | "astro"
        | "trunk" | "wasm-pack" | "typedoc" | "expo" | "pytest" | "py.test" | "playwright" => Clears::Always,
        "vite" | "webpack" | "parcel" | "eleventy" | "gatsby" | "antora" | "hugo" | "zola" | "pelican" | "nuxt" | "rspack"
        | "tsup" | "babel" => Clears::Perhaps,
        _ => return None,
    };
    let first = args.first().and_then(Item::text).unwrap_or_default();
    let looks = matches!(first, "serve" | "dev" | "preview" | "new" | "init" | "add");
    (!looks).then_some(clears)
}

/// Words and options that say that something is cleared first.
fn asks_to_clear(args: &[Item]) -> bool {
    args.iter()
        .take(MAX_WORDS)
        .filter_map(Item::text)
        .any(|text| {
            let name = text
                .trim_start_matches('-')
                .split('=')
                .next()
                .unwrap_or_default();
            let lower = name.to_ascii_lowercase().replace(['-', '_'], "");
            let option = text.starts_with('-');
            lower.starts_with("emptyout")
                || lower.starts_with("cleandest")
                || lower.starts_with("deleteout")
                || lower.starts_with("deletedir")
                || lower.starts_with("cleanout")
                || matches!(
                    lower.as_str(),
                    "clean"
                        | "distclean"
                        | "mrproper"
                        | "realclean"
                        | "clobber"
                        | "cleanall"
                        | "expunge"
                        | "purge"
                        | "nuke"
                )
                || (option
                    && matches!(
                        lower.as_str(),
                        "outputclean" | "wipe" | "fresh" | "cleanfirst" | "force"
                    ))
        })
}

/// The folders that options and settings name as output.
fn folders(name: &str, args: &[Item]) -> Vec<Item> {
    let mut found = Vec::new();
    for (at, item) in args.iter().take(MAX_WORDS).enumerate() {
        let word = item.marked();
        let next = args.get(at + 1);
        if let Some((key, value)) = word.split_once('=') {
            let setting = key.trim_start_matches('-');
            let folder = if key.starts_with('-') {
                is_output(name, key) || is_folder_property(key)
            } else {
                matches!(name, "make" | "gmake" | "bmake") && !is_tool_variable(setting)
            };
            if folder && is_place(value) {
                found.push(with_value(item, value));
            }
        } else if is_output(name, word) {
            found.extend(next.cloned());
        }
    }
    if name == "sphinx-build" {
        found.extend(args.last().cloned());
    }
    found
}

fn is_place(value: &str) -> bool {
    value.starts_with(['/', '~', '$', '.']) && !value.contains(UNKNOWN)
}

fn with_value(item: &Item, value: &str) -> Item {
    let mut folder = Item::known(value);
    if matches!(item.arg.value, Value::Pattern(_)) || value.starts_with(['~', '$']) {
        folder.arg.value = Value::Pattern(value.to_owned());
    }
    folder
}

fn is_output(name: &str, option: &str) -> bool {
    let Some(option) = option.strip_prefix('-') else {
        return false;
    };
    // All of their names begin with one of these.
    if !option
        .trim_start_matches('-')
        .starts_with(['o', 'O', 'd', 'D', 's', 't', 'b', 'C'])
    {
        return false;
    }
    let lower = option
        .trim_start_matches('-')
        .to_ascii_lowercase()
        .replace(['-', '_'], "");
    matches!(
        lower.as_str(),
        "outdir"
            | "outputpath"
            | "outputdir"
            | "distdir"
            | "dest"
            | "destination"
            | "sitedir"
            | "targetdir"
            | "basetemp"
            | "outputbase"
            | "deriveddatapath"
            | "builddir"
            | "todir"
            | "output"
            | "outputdirectory"
            | "builddirectory"
    ) || match name {
        "jekyll" | "hugo" | "mkdocs" | "mdbook" | "vuepress" | "babel" | "trunk" | "wasm-pack"
        | "tsup" => option == "d",
        "zola" | "storybook" | "sb" | "pelican" | "dotnet" | "typedoc" => {
            option == "o" || lower == "out"
        }
        "ninja" => option == "C",
        _ => false,
    }
}

/// `-PbuildDir=…`, `-Dproject.build.directory=…`.
fn is_folder_property(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    (key.starts_with("-P") || key.starts_with("-D"))
        && (lower.ends_with("dir") || lower.ends_with("directory") || lower.ends_with("output"))
}

/// Variables of a makefile that name tools or a place to install to.
fn is_tool_variable(name: &str) -> bool {
    matches!(
        name,
        "CC" | "CXX"
            | "SHELL"
            | "MAKE"
            | "PYTHON"
            | "GO"
            | "CARGO"
            | "NODE"
            | "INSTALL"
            | "srcdir"
            | "VPATH"
    )
}

/// Files that are replaced by nothing.
fn emptied_files(name: &str, call: &ExpandedCommand) -> Vec<Item> {
    let args = call.args();
    let texts: Vec<&str> = args.iter().map(Item::marked).collect();
    let nothing = |text: &&str| matches!(*text, "/dev/null" | "/dev/zero");
    let from_nothing = call.reads_file.as_ref().and_then(|it| it.text()) == Some("/dev/null");
    let operands: Vec<&Item> = args
        .iter()
        .filter(|it| !it.marked().starts_with('-'))
        .collect();
    let found: Vec<&Item> = match name {
        "ln" if texts.iter().any(nothing)
            && texts
                .iter()
                .any(|it| it.starts_with('-') && it.contains('f')) =>
        {
            operands.last().copied().into_iter().collect()
        }
        "sort" if texts.iter().any(nothing) => {
            let at = texts.iter().position(|it| matches!(*it, "-o" | "--output"));
            at.and_then(|at| args.get(at + 1)).into_iter().collect()
        }
        "sponge" if from_nothing => operands,
        "dd" if texts.contains(&"if=/dev/null") => {
            let target = texts.iter().find_map(|it| it.strip_prefix("of="));
            return target.map(Item::known).into_iter().collect();
        }
        "perl" | "ruby" if edits_in_place(&texts) && prints_nothing(&texts) => {
            operands.into_iter().skip(1).collect()
        }
        "awk" | "gawk" if texts.starts_with(&["-i", "inplace"]) => {
            let program = texts.get(2).map_or("", |it| it.trim());
            if matches!(program, "0" | "" | "{}" | "{next}") {
                operands.into_iter().skip(2).collect()
            } else {
                Vec::new()
            }
        }
        _ => Vec::new(),
    };
    found
        .into_iter()
        .filter(|it| !nothing(&it.marked()))
        .cloned()
        .collect()
}

fn edits_in_place(texts: &[&str]) -> bool {
    texts.iter().any(|it| {
        it.starts_with('-') && !it.starts_with("--") && it.contains('i') && !it.starts_with("-I")
    })
}

/// `-ne ''` without a line that is printed.
fn prints_nothing(texts: &[&str]) -> bool {
    let quiet = texts
        .iter()
        .any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains('n'));
    let code = texts
        .iter()
        .position(|it| it.starts_with('-') && it.ends_with('e'));
    let code = code.and_then(|at| texts.get(at + 1)).map(|it| it.trim());
    quiet && matches!(code, Some("" | "1" | "0" | "print if 0" | "next" | ";"))
}

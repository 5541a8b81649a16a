//! Symbolic links that a text makes before it goes on: `ln -s / build; rm -rf build/home`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Arg, Invocation, Value};
use crate::paths::{self, Shape, World, is_within};

/// At most this many links of one text are followed.
const MAX_LINKS: usize = 64;

/// At most this many places that one link may lead to are distinguished.
const MAX_TARGETS: usize = 4;

/// At most this many operands of one run are looked at.
const MAX_OPERANDS: usize = 128;

/// The symbolic links that a text has made before a run, by absolute path.
///
/// Whether they were made cannot be known: the name may be taken, or be a folder that the link then lies in. So what
/// they lead to counts beside what is there without them, and can only make a verdict stricter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    made: Arc<BTreeMap<String, Vec<Target>>>,
}

/// Where a link leads; `None` when that cannot be known.
type Target = Option<String>;

/// More links were made than are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Links {
    /// Whether none was made.
    pub fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// In how many ways they may lead somewhere: more than one where a link was made anew.
    pub(crate) fn readings(&self) -> usize {
        self.made.values().map(Vec::len).max().unwrap_or(0)
    }

    /// Where the link at `path` leads, in one of the [`Self::readings`].
    pub(crate) fn target(&self, path: &str, reading: usize) -> Option<String> {
        let targets = self.made.get(path)?;
        let target = targets.get(reading).or(targets.last())?;
        // A link to itself leads nowhere, which is as much as is known of this one.
        Some(target.clone().unwrap_or_else(|| path.to_owned()))
    }

    /// Takes in the links that a run makes. `world` is seen from where it runs, through the links that are known.
    pub(crate) fn learn(&mut self, run: &Invocation, world: &dyn World) -> Result<(), TooMany> {
        let Some(program) = run.program.as_deref() else {
            return Ok(());
        };
        let flags = |letter: char, long: &str| {
            run.args.iter().filter_map(Arg::text).any(|it| {
                it == long || (it.starts_with('-') && !it.starts_with("--") && it.contains(letter))
            })
        };
        match program {
            "ln" | "gln" if flags('s', "--symbolic") => {
                let from = if flags('r', "--relative") {
                    Start::Here
                } else {
                    Start::Link
                };
                self.linked(run, from, world)
            }
            "cp" | "gcp" if flags('s', "--symbolic-link") => self.linked(run, Start::Link, world),
            "cp" | "gcp" | "mv" | "gmv" => self.carried(run, world),
            _ => Ok(()),
        }
    }

    fn linked(&mut self, run: &Invocation, from: Start, world: &dyn World) -> Result<(), TooMany> {
        let named = Named::of(&run.args);
        for source in named.sources.iter().take(MAX_OPERANDS) {
            let target = target_of(source, from, world);
            for path in named.places_of(source, world) {
                self.add(path, target.clone())?;
            }
        }
        Ok(())
    }

    /// Links that are moved or copied, alone or in their folder.
    fn carried(&mut self, run: &Invocation, world: &dyn World) -> Result<(), TooMany> {
        let named = Named::of(&run.args);
        for source in named.sources.iter().take(MAX_OPERANDS) {
            let Some(old) = exact(source, world).map(|it| it.path) else {
                continue;
            };
            let mut carried: Vec<(String, Vec<Target>)> = self
                .made
                .iter()
                .filter(|(path, _)| is_within(path, &old))
                .map(|(path, targets)| {
                    let below = path.get(old.len()..).unwrap_or_default();
                    (below.to_owned(), targets.clone())
                })
                .collect();
            if carried.is_empty() {
                let on_disk = world.symlink_target(&old);
                carried.extend(on_disk.map(|target| (String::new(), vec![Some(target)])));
            }
            if carried.is_empty() {
                continue;
            }
            for place in named.places_of(source, world) {
                for (below, targets) in &carried {
                    for target in targets {
                        self.add(format!("{place}{below}"), target.clone())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, target: Target) -> Result<(), TooMany> {
        let made = Arc::make_mut(&mut self.made);
        if made.len() >= MAX_LINKS && !made.contains_key(&path) {
            return Err(TooMany);
        }
        let targets = made.entry(path).or_default();
        if targets.contains(&target) {
            return Ok(());
        }
        if targets.len() >= MAX_TARGETS {
            return Err(TooMany);
        }
        targets.push(target);
        Ok(())
    }
}

/// What a link's target is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// The folder that the link lies in.
    Link,
    /// Where the program runs.
    Here,
}

fn target_of(source: &Arg, from: Start, world: &dyn World) -> Target {
    match (&source.value, from) {
        (Value::Known(text), Start::Link) if !text.is_empty() => Some(text.clone()),
        _ => exact(source, world).map(|it| it.path),
    }
}

fn exact(arg: &Arg, world: &dyn World) -> Option<paths::ResolvedPath> {
    let resolved = match &arg.value {
        Value::Known(text) => paths::resolve_literal(text, world),
        Value::Pattern(text) => paths::resolve(text, world),
        Value::Partly(_) | Value::Unknown => return None,
    };
    (resolved.shape == Shape::Exact).then_some(resolved)
}

/// The operands of `ln`, `cp` and `mv`.
struct Named<'a> {
    sources: Vec<&'a Arg>,
    names: NewNames<'a>,
}

/// Where the new names are.
enum NewNames<'a> {
    /// Here, under the old names.
    Here,
    /// In this folder.
    Within(Arg),
    /// This is the name, or a folder that it is in.
    At(&'a Arg),
}

impl<'a> Named<'a> {
    fn of(args: &'a [Arg]) -> Self {
        let mut sources: Vec<&Arg> = Vec::new();
        let mut folder: Option<Arg> = None;
        let mut words = args.iter();
        let mut options = true;
        while let Some(arg) = words.next() {
            let text = arg.text().unwrap_or_default();
            if !options || !text.starts_with('-') || text == "-" {
                sources.push(arg);
            } else if text == "--" {
                options = false;
            } else if let Some(value) = text.strip_prefix("--target-directory=") {
                folder = Some(Arg::known(value));
            } else if text == "--target-directory" {
                folder = words.next().cloned();
            } else if let Some((_, value)) = cluster(text).split_once('t') {
                folder = match value {
                    "" => words.next().cloned(),
                    value => Some(Arg::known(value)),
                };
            } else if cluster(text).ends_with('S') {
                words.next();
            }
        }
        let names = match (folder, sources.len()) {
            (Some(folder), _) => NewNames::Within(folder),
            (None, 0 | 1) => NewNames::Here,
            (None, count) => match sources.pop() {
                Some(last) if count == 2 && !is_folder(last) => NewNames::At(last),
                Some(last) => NewNames::Within(last.clone()),
                None => NewNames::Here,
            },
        };
        Self { sources, names }
    }

    /// Every path that the new name for `source` may have.
    fn places_of(&self, source: &Arg, world: &dyn World) -> Vec<String> {
        let name = source
            .text_or_pattern()
            .map(|text| text.trim_end_matches('/'))
            .and_then(|text| text.rsplit('/').next())
            .filter(|name| !matches!(*name, "" | "." | ".." | "~"));
        let within = |folder: &Arg| {
            let inside = name.map(|name| with_name(folder, name));
            inside.map_or_else(Vec::new, |inside| spellings(&inside, world))
        };
        match &self.names {
            NewNames::Here => within(&Arg::known(".")),
            NewNames::Within(folder) => within(folder),
            NewNames::At(name) => {
                let mut found = spellings(name, world);
                found.extend(within(name));
                found
            }
        }
    }
}

/// The letters of short options.
fn cluster(text: &str) -> &str {
    text.strip_prefix('-')
        .filter(|letters| !letters.starts_with('-'))
        .unwrap_or_default()
}

/// Whether an operand is written as a folder.
fn is_folder(arg: &Arg) -> bool {
    let text = arg.text_or_pattern().unwrap_or_default();
    matches!(text, "." | ".." | "~") || ["/", "/.", "/.."].iter().any(|end| text.ends_with(end))
}

fn with_name(folder: &Arg, name: &str) -> Arg {
    let join = |text: &str| format!("{}/{name}", text.trim_end_matches('/'));
    let value = match &folder.value {
        Value::Known(text) => Value::Known(join(text)),
        Value::Pattern(text) => Value::Pattern(join(text)),
        Value::Partly(_) | Value::Unknown => Value::Unknown,
    };
    Arg {
        source: folder.source.clone(),
        value,
    }
}

/// The path by text, and through the links on its way.
fn spellings(arg: &Arg, world: &dyn World) -> Vec<String> {
    let Some(resolved) = exact(arg, world) else {
        return Vec::new();
    };
    std::iter::once(resolved.path)
        .chain(resolved.lexical)
        .collect()
}

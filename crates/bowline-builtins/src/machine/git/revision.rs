//! What a user's way to name a commit leads to: `HEAD~2`, `main@{1}`, `v1.0^{commit}`.

use super::GitReader;
use super::checkout::Checkout;
use super::object::Kind;
use super::object_id::{ObjectId, Prefix};
use super::ref_name::ref_path;
use super::refs::Target;
use crate::machine::repository::Repository;

/// More steps than anybody needs.
const MAX_STEPS: usize = 10_000;

/// Where git looks for a short name, in its order.
const PLACES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// A ref and what it stands for.
struct Named {
    name: String,
    id: ObjectId,
}

impl GitReader<'_> {
    /// The commit that `rev` names; `None` if there is none, or the way to name it is not known here.
    pub(crate) fn resolve(&self, repo: &Repository, rev: &str) -> Option<ObjectId> {
        let checkout = self.checkout(repo)?;
        let rev = if rev == "-" { "@{-1}" } else { rev };
        let end = rev.find(['^', '~', ':']).unwrap_or(rev.len());
        let (base, mut rest) = rev.split_at_checked(end)?;
        let start = self.base(&checkout, base)?;
        let mut id = self.commit_at(&checkout, start)?;
        let mut steps = 0;
        while let Some(kind) = rest.chars().next() {
            let (count, after) = match (kind, rest.get(1..)?) {
                ('^', after) if after.starts_with('{') => {
                    let (what, after) = after.get(1..)?.split_once('}')?;
                    // All that is named here is a commit already.
                    matches!(what, "" | "commit").then_some(())?;
                    rest = after;
                    continue;
                }
                (_, after) => read_count(after)?,
            };
            rest = after;
            steps += count;
            if steps > MAX_STEPS {
                return None;
            }
            id = match kind {
                '^' => self.nth_parent(&checkout, id, count)?,
                '~' => {
                    for _ in 0..count {
                        id = self.nth_parent(&checkout, id, 1)?;
                    }
                    id
                }
                _ => return None,
            };
        }
        Some(id)
    }

    /// The parent with this number from one; the commit itself is number zero.
    fn nth_parent(&self, checkout: &Checkout, id: ObjectId, number: usize) -> Option<ObjectId> {
        let Some(at) = number.checked_sub(1) else {
            return Some(id);
        };
        if checkout.replaces {
            return None;
        }
        let commit = checkout.store.commit(id, self.budget())?;
        commit.parents.get(at).copied()
    }

    /// What stands before all steps.
    fn base(&self, checkout: &Checkout, text: &str) -> Option<ObjectId> {
        if text == "@" {
            return self.follow(checkout, "HEAD")?;
        }
        if let Some(id) = ObjectId::from_hex(text.as_bytes()) {
            return Some(id);
        }
        if let Some((name, rest)) = text.split_once("@{") {
            return self.at(checkout, name, rest.strip_suffix('}')?);
        }
        match self.named(checkout, text)? {
            Some(named) => Some(named.id),
            None => self.abbreviated(checkout, text),
        }
    }

    /// `NAME@{WHAT}`.
    fn at(&self, checkout: &Checkout, name: &str, what: &str) -> Option<ObjectId> {
        if let Some(number) = what.strip_prefix('-') {
            name.is_empty().then_some(())?;
            let before = self.branch_before(checkout, number.parse().ok()?)?;
            return self.base_without_log(checkout, &before);
        }
        let what = what.to_ascii_lowercase();
        if what == "u" || what == "upstream" {
            let upstream = self.upstream(checkout, name)?;
            return self.follow(checkout, &upstream)?;
        }
        let back: usize = what.parse().ok()?;
        let named = match name {
            // Of the branch that is checked out, unlike `HEAD@{1}`.
            "" => self.current_branch(checkout)?,
            "@" => self.named(checkout, "HEAD")??,
            name => self.named(checkout, name)??,
        };
        let log = self.log(checkout, &named.name)?;
        match back {
            0 => Some(named.id),
            back => log.get(log.len().checked_sub(back + 1)?).copied(),
        }
    }

    fn current_branch(&self, checkout: &Checkout) -> Option<Named> {
        let name = match self.target(checkout, "HEAD") {
            Target::Name(name) => name,
            _ => "HEAD".to_owned(),
        };
        let id = self.follow(checkout, &name)??;
        Some(Named { name, id })
    }

    /// What was checked out before, as the log of the head says.
    fn branch_before(&self, checkout: &Checkout, number: usize) -> Option<String> {
        let lines = self.log_lines(checkout, "HEAD")?;
        let mut left = lines
            .iter()
            .rev()
            .filter_map(|line| line.message.strip_prefix("checkout: moving from "))
            .filter_map(|moved| moved.split_once(" to "));
        let (from, _) = left.nth(number.checked_sub(1)?)?;
        Some(from.to_owned())
    }

    fn base_without_log(&self, checkout: &Checkout, text: &str) -> Option<ObjectId> {
        let plain = !text.contains(['^', '~', ':']) && !text.contains("@{");
        plain.then(|| self.base(checkout, text)).flatten()
    }

    /// The ref that the settings name as the source of a branch.
    fn upstream(&self, checkout: &Checkout, name: &str) -> Option<String> {
        let branch = match name {
            "" | "@" | "HEAD" => match self.target(checkout, "HEAD") {
                Target::Name(branch) => branch,
                _ => return None,
            },
            name => self.named(checkout, name)??.name,
        };
        let branch = branch.strip_prefix("refs/heads/")?;
        let settings = &checkout.settings;
        let remote = settings.last("branch", Some(branch), "remote")?.text()?;
        let merge = settings.last("branch", Some(branch), "merge")?.text()?;
        if remote == "." {
            return Some(merge.to_owned());
        }
        let specs = settings.all("remote", Some(remote), "fetch");
        specs
            .into_iter()
            .find_map(|spec| mapped(spec.text()?, merge))
    }

    /// The ref that a short name means.
    fn named(&self, checkout: &Checkout, text: &str) -> Option<Option<Named>> {
        for (before, after) in PLACES {
            let name = format!("{before}{text}{after}");
            if ref_path(&checkout.repository, &name).is_none() {
                continue;
            }
            if let Some(id) = self.follow(checkout, &name)? {
                return Some(Some(Named { name, id }));
            }
        }
        Some(None)
    }

    /// The one commit whose name starts with these digits.
    fn abbreviated(&self, checkout: &Checkout, text: &str) -> Option<ObjectId> {
        let prefix = Prefix::parse(text)?;
        let mut commits = Vec::new();
        for id in checkout.store.starting_with(&prefix, self.budget())? {
            let (_, kind) = checkout.store.peel(id, self.budget())?;
            if kind == Kind::Commit {
                commits.push(id);
            }
        }
        match commits.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}

/// The digits at the start, or one if there are none.
fn read_count(text: &str) -> Option<(usize, &str)> {
    let end = text
        .find(|it: char| !it.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let count = match digits {
        "" => 1,
        digits => digits.parse().ok()?,
    };
    // `^!`, `^@` and `^-` name more than one commit.
    rest.chars()
        .next()
        .is_none_or(|next| matches!(next, '^' | '~'))
        .then_some((count, rest))
}

/// What a line such as `+refs/heads/*:refs/remotes/origin/*` makes of a name.
fn mapped(spec: &str, name: &str) -> Option<String> {
    let spec = spec.strip_prefix('+').unwrap_or(spec);
    let (from, to) = spec.split_once(':')?;
    let Some((before, after)) = from.split_once('*') else {
        return (from == name).then(|| to.to_owned());
    };
    let middle = name.strip_prefix(before)?.strip_suffix(after)?;
    Some(to.replacen('*', middle, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_remote_have_names_here() {
        for (spec, name, here) in [
            (
                "+refs/heads/*:refs/remotes/o/*",
                "refs/heads/a/b",
                Some("refs/remotes/o/a/b"),
            ),
            (
                "refs/heads/x:refs/remotes/o/y",
                "refs/heads/x",
                Some("refs/remotes/o/y"),
            ),
            ("refs/heads/x:refs/remotes/o/y", "refs/heads/z", None),
            ("+refs/pull/*:refs/remotes/o/*", "refs/heads/a", None),
            ("refs/heads/x", "refs/heads/x", None),
        ] {
            assert_eq!(mapped(spec, name).as_deref(), here, "{spec}");
        }
    }

    #[test]
    fn steps_are_counted() {
        for (text, read) in [
            ("", Some((1, ""))),
            ("12~", Some((12, "~"))),
            ("^", Some((1, "^"))),
            ("!", None),
            ("@", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(read_count(text), read, "{text}");
        }
    }
}

//! What lines do to files and repositories, as far as something could be lost or saved by it.

use bowline_guard::judge::judge;
use bowline_guard::loss::{Act, Depth, GitAct, Target, TargetKind, Writing};
use bowline_guard::paths::StaticWorld;

/// A short word for every act of a line.
fn told(line: &str) -> Vec<String> {
    let world = StaticWorld::new("/p", "/home/dev");
    judge(line, &world).acts.iter().map(tell).collect()
}

fn path(target: &Target) -> String {
    let mark = match target.kind {
        TargetKind::Exact => "",
        TargetKind::Folder => "/",
        TargetKind::Contents => "/.",
        TargetKind::Pattern => " (pattern)",
        TargetKind::Unknown => " (unknown)",
    };
    format!("{}{mark}", target.path)
}

fn paths(targets: &[Target]) -> String {
    targets.iter().map(path).collect::<Vec<_>>().join("+")
}

fn tell(act: &Act) -> String {
    match act {
        Act::Make(target) => format!("make {}", path(target)),
        Act::Write { to, how } => {
            let how = match how {
                Writing::Replace => "replace",
                Writing::Edit => "edit",
                Writing::Add => "add",
                Writing::Tidy => "tidy",
                Writing::ByTool => "tool",
                Writing::TextByTool => "text",
            };
            format!("{how} {}", path(to))
        }
        Act::Delete { target, depth } => {
            let depth = match depth {
                Depth::One => "one",
                Depth::Tree => "tree",
            };
            format!("delete {depth} {}", path(target))
        }
        Act::Copy { from, to, .. } => format!("copy {} to {}", paths(from), path(to)),
        Act::Move { from, to } => format!("move {} to {}", paths(from), path(to)),
        Act::Rename {
            from, rule, over, ..
        } => format!("rename {}: {rule:?} {over:?}", paths(from)),
        Act::Link { from, to, kind } => format!("{kind:?} link {} to {}", path(to), path(from)),
        Act::Unpack(it) => {
            let archive = it.archive.as_ref().map_or("something".to_owned(), path);
            let only = it.only.join("+");
            let (into, strip, over) = (path(&it.into), it.strip, it.over);
            format!("unpack {archive} [{only}] -{strip} into {into}: {over:?}")
        }
        Act::Git { directory, act } => format!("git in {directory}: {act:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn files_are_made_written_moved_and_deleted() {
    for (line, expected) in [
        ("rm a", vec!["delete one /p/a"]),
        (
            "rm -rf build/x y",
            vec!["delete tree /p/build/x", "delete tree /p/y"],
        ),
        ("cd src && rm *.o", vec!["delete one /p/src/*.o (pattern)"]),
        ("rm -rf \"$DIR\"", vec!["delete tree * (unknown)"]),
        ("echo x > a", vec!["replace /p/a"]),
        ("echo x >> a", vec!["add /p/a"]),
        ("cat > a <<E\nx\nE", vec!["replace /p/a"]),
        ("tee a b", vec!["replace /p/a", "replace /p/b"]),
        ("tee -a a", vec!["add /p/a"]),
        ("touch a", vec!["make /p/a"]),
        ("mkdir -p a/b", vec!["make /p/a/b/"]),
        ("gzip a", vec!["rename /p/a: Longer(\".gz\") Keep"]),
        ("gzip -k a", vec![]),
        ("zstd a", vec![]),
        ("bzip2 -f a", vec!["rename /p/a: Longer(\".bz2\") Replace"]),
        ("zstd --rm a -o b", vec!["move /p/a to /p/b"]),
        (
            "rename .md .txt a b",
            vec!["rename /p/a+/p/b: Text { what: \".md\", with: \".txt\" } Replace"],
        ),
        ("rename -n 's/a/b/' a", vec![]),
        ("rename 'y/A-Z/a-z/' a", vec![]),
        ("uniq a b", vec!["replace /p/b"]),
        ("uniq -f 1 a", vec![]),
        ("convert a png:b", vec!["replace /p/b"]),
        ("convert a -resize 50% png:-", vec![]),
        ("ffmpeg -i a b", vec![]),
        ("scp h:x/y b", vec!["replace /p/b/y", "replace /p/b"]),
        ("scp b h:x", vec![]),
        ("tar czf a b", vec!["replace /p/a"]),
        ("tar -cf - a", vec![]),
        ("git archive -o a HEAD", vec!["replace /p/a"]),
        ("git bundle create a HEAD", vec!["replace /p/a"]),
        ("git diff --output=a", vec!["replace /p/a"]),
        (
            "git format-patch -o a",
            vec!["replace /p/a/[0-9][0-9][0-9][0-9]-*.patch (pattern)"],
        ),
        ("git format-patch --stdout HEAD~1", vec![]),
        ("cp a b", vec!["copy /p/a to /p/b"]),
        ("cp -t out a b", vec!["copy /p/a+/p/b to /p/out/"]),
        ("cp -r a/. b", vec!["copy /p/a/. to /p/b"]),
        ("cp -rT a b", vec!["copy /p/a/. to /p/b"]),
        ("cp -r a/ b/", vec!["copy /p/a/ to /p/b/"]),
        ("rsync -a a/ b", vec!["copy /p/a/. to /p/b"]),
        ("rsync -a a b", vec!["copy /p/a to /p/b"]),
        ("cp -n a b", vec![]),
        ("cp --backup=numbered a b", vec![]),
        ("mv a b", vec!["move /p/a to /p/b"]),
        ("mv -n a b", vec![]),
        ("mv a b c/", vec!["move /p/a+/p/b to /p/c/"]),
        ("ln -s a b", vec!["make /p/b", "Symbolic link /p/b to /p/a"]),
        (
            "ln -sf a b",
            vec!["copy /p/a to /p/b", "Symbolic link /p/b to /p/a"],
        ),
        ("ln a b", vec!["make /p/b", "Hard link /p/b to /p/a"]),
        ("cp -l a b", vec!["make /p/b", "Hard link /p/b to /p/a"]),
        ("cargo clean", vec!["delete tree /p/target"]),
        ("cargo clean -p one", vec![]),
        ("sed -i s/a/b/ f", vec!["edit /p/f"]),
        (
            "sed -i.bak -e s/a/b/ f g",
            vec![
                "rename /p/f+/p/g: Longer(\".bak\") Replace",
                "tidy /p/f",
                "tidy /p/g",
            ],
        ),
        ("perl -i -pes/x.y/z/ f", vec!["edit /p/f"]),
        (
            "perl -pi.save -e s/x/z/ f",
            vec!["rename /p/f: Longer(\".save\") Replace", "tidy /p/f"],
        ),
        ("sed -i'old/*.x' s/a/b/ f", vec!["tidy /p/f"]),
        (
            "patch -b f x.diff",
            vec!["rename /p/f: Longer(\".orig\") Replace", "tidy /p/f"],
        ),
        ("cp -b a $B", vec![]),
        ("sed s/a/b/ f", vec![]),
        ("perl -pi -e 's/a/b/' f", vec!["edit /p/f"]),
        ("truncate -s 0 f", vec!["replace /p/f"]),
        ("dd if=/dev/zero of=f bs=1k", vec!["replace /p/f"]),
        ("sort -o f g", vec!["replace /p/f"]),
        ("curl -sSo f https://x.example", vec!["replace /p/f"]),
        ("wget -O f https://x.example", vec!["replace /p/f"]),
        (
            "tar xzf a.tgz",
            vec!["unpack /p/a.tgz [] -0 into /p: Replace"],
        ),
        (
            "tar xzf a.tgz src/main.py",
            vec![
                "unpack /p/a.tgz [src/main.py] -0 into /p: Replace",
                "replace /p/src/main.py",
            ],
        ),
        (
            "tar -xf a.tgz -C out",
            vec!["unpack /p/a.tgz [] -0 into /p/out: Replace"],
        ),
        (
            "tar -C out -xkf a.tar --strip-components=1",
            vec!["unpack /p/a.tar [] -1 into /p/out: Keep"],
        ),
        (
            "tar --extract --file=a.tar --exclude=b",
            vec!["unpack something [] -0 into /p: Replace"],
        ),
        ("tar xf -", vec!["unpack something [] -0 into /p: Replace"]),
        ("tar xOf a.tar src/main.py", vec![]),
        ("tar tf a.tar", vec![]),
        (
            "unzip -qo a.zip",
            vec!["unpack /p/a.zip [] -0 into /p: Replace"],
        ),
        ("tar czf a.tgz src", vec!["replace /p/a.tgz"]),
        (
            "unzip a.zip -d out",
            vec!["unpack /p/a.zip [] -0 into /p/out: Keep"],
        ),
        ("black src/a.py", vec!["tidy /p/src/a.py"]),
        (
            "python3 -c \"import shutil; shutil.rmtree('docs')\"",
            vec!["delete tree /p/docs"],
        ),
        (
            "python3 -c \"from pathlib import Path\nfor p in Path('n').glob('*.md'): p.unlink()\"",
            vec!["delete one /p/n/*.md (pattern)"],
        ),
        (
            "python3 -c \"from pathlib import Path\nfor p in (Path('n') / 'm').rglob('*.md'): p.unlink()\"",
            vec!["delete one /p/n/m/**/*.md (pattern)"],
        ),
        (
            "python3 -c \"import os\nfor f in os.listdir('n'): os.remove(os.path.join('n', f))\"",
            vec![
                "delete one /p/n/* (pattern)",
                "delete one /p/n/.[!.]* (pattern)",
            ],
        ),
        (
            "python3 -c \"import os\nfor r, ds, fs in os.walk('n'):\n for f in fs: os.remove(os.path.join(r, f))\"",
            vec![
                "delete one /p/n/**/* (pattern)",
                "delete one /p/n/**/.[!.]* (pattern)",
            ],
        ),
        (
            "python3 -c \"for n in ['a', 'b']: open(f'n/{n}.md', 'w').write('x')\"",
            vec!["replace /p/n/a.md", "replace /p/n/b.md"],
        ),
        (
            "python3 -c \"from pathlib import Path; Path('n').joinpath('a.md').unlink()\"",
            vec!["delete one /p/n/a.md"],
        ),
        (
            "python3 -c \"import os; os.chdir('n'); os.remove('a.md')\"",
            vec!["delete one /p/n/a.md"],
        ),
        (
            "python3 -c \"import subprocess; subprocess.run(['rm', 'a.md'], cwd='n')\"",
            vec!["delete one /p/n/a.md"],
        ),
        (
            "node -e \"require('child_process').execSync('rm a.md', {cwd: 'n'})\"",
            vec!["delete one /p/n/a.md"],
        ),
        (
            "node -e \"const fs = require('fs'); const d = 'n'; for (const f of fs.readdirSync(d)) fs.writeFileSync(d + '/' + f, '')\"",
            vec!["replace /p/n/* (pattern)", "replace /p/n/.[!.]* (pattern)"],
        ),
        (
            "python3 -c \"import subprocess; d = ['a', 'b']; subprocess.run(['rm', '-r'] + d)\"",
            vec!["delete tree /p/a", "delete tree /p/b"],
        ),
        ("bash -c 'rm a'", vec!["delete one /p/a"]),
        ("ssh host rm a", vec![]),
        ("rm --help", vec![]),
        (
            "shopt -s extglob; rm !(a)",
            vec!["delete one /p/!(a) (pattern)"],
        ),
        (
            "bash -O extglob -c 'rm d/!(a|b)'",
            vec!["delete one /p/d/!(a|b) (pattern)"],
        ),
        (
            "rm d/@(a|b).md",
            vec!["delete one /p/d/@(a|b).md (pattern)"],
        ),
        ("rm 'd/@(a)'", vec!["delete one /p/d/@(a)"]),
    ] {
        assert_eq!(told(line), expected, "{line}");
    }
}

#[test]
fn git_is_read_as_git_reads_it() {
    use GitAct::{
        Add, CreateBranch, DeleteRefs, ForceSwitch, MoveRef, Other, ResetHard, StashClear,
        StashDrop, StashPop, Switch, Untrack,
    };
    let one = |line: &str| {
        let world = StaticWorld::new("/p", "/home/dev");
        judge(line, &world)
            .acts
            .into_iter()
            .map(|act| match act {
                Act::Git { act, .. } => act,
                other => panic!("{other:?}"),
            })
            .collect::<Vec<_>>()
    };
    let text = |it: &str| it.to_owned();
    for (line, expected) in [
        ("git reset --hard", vec![ResetHard { to: None }]),
        (
            "git reset --hard HEAD~1",
            vec![ResetHard {
                to: Some(text("HEAD~1")),
            }],
        ),
        ("git reset HEAD~1", vec![Untrack, Other]),
        ("git reset --soft HEAD~1", vec![Other]),
        ("git checkout -f", vec![ForceSwitch { to: None }]),
        (
            "git checkout main",
            vec![Switch {
                to: Some(text("main")),
            }],
        ),
        (
            "git switch --discard-changes main",
            vec![ForceSwitch {
                to: Some(text("main")),
            }],
        ),
        (
            "git checkout -B main origin/main",
            vec![
                MoveRef {
                    name: text("refs/heads/main"),
                    to: Some(text("origin/main")),
                },
                Switch { to: None },
            ],
        ),
        (
            "git stash drop stash@{2}",
            vec![StashDrop { number: Some(2) }],
        ),
        ("git stash drop", vec![StashDrop { number: Some(0) }]),
        ("git stash drop \"$N\"", vec![StashDrop { number: None }]),
        ("git stash clear", vec![StashClear]),
        ("git stash pop", vec![StashPop { number: Some(0) }]),
        ("git stash list", vec![]),
        (
            "git branch -D a b",
            vec![DeleteRefs {
                names: vec![text("refs/heads/a"), text("refs/heads/b")],
            }],
        ),
        ("git branch -d a", vec![]),
        (
            "git tag -d v1",
            vec![DeleteRefs {
                names: vec![text("refs/tags/v1")],
            }],
        ),
        ("git add -A", vec![Add { paths: vec![] }]),
        (
            "git add a b",
            vec![Add {
                paths: vec![text("a"), text("b")],
            }],
        ),
        ("git --git-dir=/other/.git reset --hard", vec![]),
        ("GIT_DIR=/other/.git git reset --hard", vec![]),
        ("git clean -n", vec![]),
    ] {
        assert_eq!(one(line), expected, "{line}");
    }
    assert!(matches!(
        one("git branch new origin/main").as_slice(),
        [CreateBranch { name, at: Some(at), .. }] if name == "refs/heads/new" && at == "origin/main"
    ));
    assert!(matches!(
        one("git checkout HEAD -- a b").as_slice(),
        [GitAct::Restore { source: Some(source), paths, .. }] if source == "HEAD" && paths.len() == 2
    ));
    assert!(matches!(
        one("git submodule foreach --recursive 'git clean -fd'").as_slice(),
        [GitAct::InSubmodules(inner)] if matches!(inner.as_slice(), [GitAct::Clean(_)])
    ));
}

//! Whatever writes a file by its name, or one after another in a loop.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Ground;
use super::ground::Op::{Append, Git};
use super::ground::Step::{Bash, Edit, Write};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn a_program_that_names_its_output_writes_over_it() {
    let mut cases = Vec::new();
    for command in [
        "cp README.md id*",
        "cp README.md ./id*.md",
        "mv README.md id*",
        "uniq README.md ideas.md",
        "ln -sfn README.md ideas.md",
        "python3 -c \"from pathlib import Path; Path('README.md').rename('ideas.md')\"",
        "npx openapi-typescript api.yaml -o ideas.md",
        "pip-compile --output-file=ideas.md",
        "npx jest --json --outputFile ideas.md",
        "./gen.sh --output ideas.md",
        "python3 gen.py --output ideas.md",
        "python3 -m gen -o ideas.md",
        "python3 -m json.tool README.md ideas.md",
        "python -m json.tool --indent 2 README.md ideas.md",
        "eslint . -o ideas.md",
        "python3 -c \"import shutil; shutil.copyfile('README.md', 'ideas.md')\"",
        "python3 -c \"from shutil import copy2; copy2('README.md', 'ideas.md')\"",
        "python3 -c \"import shutil; shutil.copy('docs/api.md', './ideas.md')\"",
        "node -e \"require('fs').copyFileSync('README.md', 'ideas.md')\"",
        "ruby -rfileutils -e \"FileUtils.cp('README.md', 'ideas.md')\"",
        "php -r \"copy('README.md', 'ideas.md');\"",
        "pandoc README.md -o ideas.md",
        "pandoc --output=ideas.md README.md",
        "git archive -o ideas.md HEAD",
        "git archive --output=ideas.md HEAD",
        "scp host:x ideas.md",
        "scp -P 22 host:dir/ideas.md .",
        "git bundle create ideas.md HEAD",
        "git diff --output=ideas.md",
        "curl -o ideas.md https://x.example/y",
        "curl -sSLo ideas.md https://x.example/y",
        "curl --output ideas.md https://x.example/y",
        "curl -sO https://x.example/ideas.md",
        "wget -O ideas.md https://x.example/y",
        "wget -qO ideas.md https://x.example/y",
        "openssl rand -out ideas.md 32",
        "ffmpeg -y -i a.mp4 ideas.md",
        "convert a.png ideas.md",
        "magick a.png ideas.md",
        "jq . a.json | sponge ideas.md",
        "gpg -o ideas.md --sign README.md",
        "tar czf ideas.md docs",
        "tar -cf ideas.md docs",
        "yq -i .a=1 ideas.md",
        "kubectl cp web-1:/x ideas.md",
        "go build -o ideas.md .",
        "objcopy a.o ideas.md",
        "sqlite3 a.db '.output ideas.md' 'select 1'",
        "yes | head -3 | tee -- ideas.md",
        "xmllint --format a.xml --output ideas.md",
        "dot -Tpng a.dot -o ideas.md",
        "split -l 5 README.md && cat x* > ideas.md",
        "sed -n 'w ideas.md' README.md",
        "sed -n '/a/w ideas.md' README.md",
        "sed 's/a/b/w ideas.md' README.md",
        "sed -e 's/a/b/' -e 's,b,c,gw ideas.md' README.md",
        "awk '{print > \"ideas.md\"}' README.md",
        "awk '{ printf \"%s\", $1 >\"ideas.md\" }' README.md",
        "mawk -F: '{print $1 > \"ideas.md\"}' README.md",
        "zstd README.md -f -o ideas.md",
        "zstd -fo ideas.md README.md",
        "lz4 -f README.md ideas.md",
        "script ideas.md",
        "script -q -c ls ideas.md",
        "strace -o ideas.md ls",
        "strace -f -o ideas.md ls -l",
        "/usr/bin/time -o ideas.md ls",
        "command time -v --output=ideas.md ls",
        "aws s3 cp s3://b/k ideas.md",
        "aws s3 cp s3://b/ideas.md .",
        "gsutil cp gs://b/k ideas.md",
        "gsutil -m cp gs://b/ideas.md .",
        "gcloud storage cp gs://b/k ideas.md",
        "ln -sf ideas.md z; cp README.md z",
        "ln -s ideas.md z && echo x > z",
    ] {
        cases.extend([
            case(vec![put("ideas.md")], vec![], command, Ask),
            case(vec![], vec![Write("ideas.md")], command, Pass),
        ]);
    }
    cases.extend([
        case(
            vec![put("patches/0001-state.patch")],
            vec![],
            "git format-patch -o patches HEAD~1",
            Ask,
        ),
        case(
            vec![put("patches/notes.md")],
            vec![Write("patches/0001-state.patch")],
            "git format-patch -o patches HEAD~1",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "ffmpeg -i a.mp4 ideas.md",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "uniq ideas.md", Pass),
        case(vec![put("ideas.md")], vec![], "rm ideas.md ideas.md", Ask),
        case(
            vec![put("ideas.md")],
            vec![],
            "rsync -a --delete docs/ ./",
            Deny,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "python3 -c \"print(str(1).replace('README.md', 'ideas.md'))\"",
            Pass,
        ),
        case(
            vec![put("site/ideas.md")],
            vec![],
            "rsync -a --delete docs/ site/",
            Ask,
        ),
        case(
            vec![],
            vec![Write("site/a.md")],
            "rsync -a --delete docs/ site/",
            Pass,
        ),
        case(
            vec![put("site/ideas.md")],
            vec![Write("site/a.md")],
            "rsync -a --delete docs/ site",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "grep -o ideas.md README.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "./gen.sh ideas.md -o out.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "kubectl get pods -o yaml -f ideas.md",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "uniq ideas.md out.md", Pass),
        case(vec![put("ideas.md")], vec![], "scp ideas.md host:x", Pass),
        case(
            vec![put("ideas.md")],
            vec![],
            "pandoc ideas.md -o out.html",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "convert ideas.md out.png",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "identify ideas.md", Pass),
        case(
            vec![put("ideas.md")],
            vec![],
            "sed -n '/w ideas.md/p' README.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "sed 's/w ideas.md/x/' README.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "sed 's/a/b/w out.md' ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "awk '$1 > 3 {print \"ideas.md\"}' ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "awk '{print >> \"ideas.md\"}' README.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "zstd ideas.md -o out.zst",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "lz4 ideas.md out.lz4", Pass),
        case(vec![put("ideas.md")], vec![], "script -a ideas.md", Pass),
        case(
            vec![put("ideas.md")],
            vec![],
            "strace -o out.txt cat ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "/usr/bin/time -a -o ideas.md ls",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "aws s3 cp ideas.md s3://b/k",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "ln -s ideas.md z; cat z",
            Pass,
        ),
        case(vec![put("ideas.md")], vec![], "cp ideas.md id*.bak", Pass),
        case(vec![], vec![Write("own.md")], "zip -m a.zip own.md", Pass),
        case(vec![put("ideas.md")], vec![], "zip -m a.zip ideas.md", Pass),
        case(
            vec![put("ideas.md")],
            vec![],
            "zip -m a.zip ideas.md && rm a.zip",
            Ask,
        ),
        case(
            vec![put("ideas.md")],
            vec![],
            "tar --remove-files -cf a.tar ideas.md",
            Pass,
        ),
        case(
            vec![put("ideas.md"), put("a.tar")],
            vec![],
            "tar -cf a.tar --remove-files ideas.md",
            Ask,
        ),
        case(
            vec![],
            vec![Write("own.md")],
            "tar czf a.tgz own.md --remove-files",
            Pass,
        ),
        case(vec![put("README.md.zst")], vec![], "zstd -f README.md", Ask),
        case(
            vec![put("ideas.md")],
            vec![],
            "ln -sf ideas.md z && rm ideas.md",
            Ask,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn a_loop_writes_over_each_of_its_files() {
    let mut cases = Vec::new();
    for command in [
        "for f in a.md b.md; do cp README.md \"$f\"; done",
        "for f in *.md; do echo x > $f; done",
        "for f in *.md; do echo x > \"$f\"; done",
        "for f in *.md; do sed -i s/a/b/ \"$f\"; done",
        "for f in a b; do echo x > $f.md; done",
        "for f in *.md; do tr a b < $f > t && mv t $f; done",
        "for i in 1 2; do truncate -s 0 b.md; done",
        "ls *.md | while read f; do echo x > \"$f\"; done",
        "find . -name '*.md' | while read -r f; do echo x > \"$f\"; done",
        "find . -name '*.md' -exec sh -c 'echo x > \"$1\"' _ {} \\;",
        "printf '%s\\n' a.md b.md | xargs -n1 truncate -s 0",
    ] {
        cases.extend([
            case(vec![put("b.md")], vec![Write("a.md")], command, Ask),
            case(vec![], vec![Write("a.md"), Write("b.md")], command, Pass),
        ]);
    }
    cases.extend([
        case(
            vec![put("b.md")],
            vec![],
            "for f in *.md; do wc -l \"$f\"; done",
            Pass,
        ),
        case(
            vec![put("b.md")],
            vec![],
            "for f in *.md; do wc \"$f\" >> out.txt; done",
            Pass,
        ),
        case(
            vec![put("b.md")],
            vec![],
            "for f in *.md; do wc \"$f\" > \"$f.count\"; done",
            Pass,
        ),
        case(
            vec![put("b.md")],
            vec![],
            "for f in *.md; do cp \"$f\" \"${f%.md}.txt\"; done",
            Pass,
        ),
        case(
            vec![Append("README.md")],
            vec![],
            "for f in src/*.py; do echo x > $f; done",
            Pass,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn a_tool_of_a_server_is_judged_by_its_verb() {
    let mut ground = Ground::with_history();
    ground.perform(&put("ideas.md"));
    ground.person(&[]);
    ground.step(&Write("own.md")).await;
    for (tool, fields, decision) in [
        ("mcp__fs__delete_file", vec![("path", "ideas.md")], Ask),
        ("mcp__fs__delete_file", vec![("file_path", "ideas.md")], Ask),
        ("mcp__fs__delete_file", vec![("path", "own.md")], Pass),
        ("mcp__fs__write_file", vec![("path", "ideas.md")], Ask),
        (
            "mcp__fs__write_file",
            vec![("path", "ideas.md"), ("mode", "append")],
            Pass,
        ),
        (
            "mcp__fs__write_file",
            vec![("path", "ideas.md"), ("mode", "rewrite")],
            Ask,
        ),
        (
            "Write",
            vec![("file_path", "ideas.md"), ("mode", "append")],
            Ask,
        ),
        ("mcp__fs__write_file", vec![("path", "own.md")], Pass),
        ("mcp__fs__write_file", vec![("path", "new.md")], Pass),
        (
            "mcp__fs__move_file",
            vec![("source", "own.md"), ("destination", "ideas.md")],
            Ask,
        ),
        (
            "mcp__fs__move_file",
            vec![("source", "ideas.md"), ("destination", "later.md")],
            Pass,
        ),
        ("mcp__fs__read_file", vec![("path", "ideas.md")], Pass),
    ] {
        let (judged, reason) = ground.judge_fields(tool, &fields).await;
        assert_eq!(judged, decision, "{tool} {fields:?}: {reason}");
    }
}

#[needs(git)]
#[tokio::test]
async fn an_archive_is_unpacked_over_what_has_the_same_names() {
    let packed = |edited: &'static str| {
        vec![
            Git(&["archive", "-o", "a.tar", "HEAD", "src"]),
            Git(&["archive", "-o", "a.tgz", "HEAD", "src"]),
            Git(&["archive", "-o", "a.zip", "HEAD", "src"]),
            Git(&["archive", "--prefix=pkg/", "-o", "pkg.tar", "HEAD", "src"]),
            Append(edited),
        ]
    };
    let mut cases = Vec::new();
    for command in [
        "tar xf a.tar",
        "tar x < a.tar",
        "cat a.tar | tar xf -",
        "python3 -m zipfile -e a.zip .",
        "python3 -m tarfile -e a.tgz",
        "tar -xvf a.tar",
        "tar -x -f a.tar",
        "tar -C . -xf a.tar",
        "tar --extract --file=a.tar",
        "tar xf a.tar src",
        "tar xzf a.tgz",
        "bsdtar -xf a.zip",
        "unzip -o a.zip",
        "unzip -qo a.zip src/*",
        "tar xf pkg.tar --strip-components=1",
        "tar xf pkg.tar --strip-components 2 -C src",
        "cp src/main.py keep.py && tar xf a.tar && rm keep.py",
    ] {
        cases.extend([
            case(packed("src/main.py"), vec![], command, Ask),
            case(packed("docs/api.md"), vec![], command, Pass),
        ]);
    }
    for command in [
        "tar xkf a.tar",
        "tar xf a.tar -C docs",
        "tar xf a.tar src/util.py",
        "tar xOf a.tar src/main.py",
        "tar xf pkg.tar",
        "unzip -n a.zip",
        "unzip a.zip",
        "unzip -o a.zip -d docs",
        "cp src/main.py keep.py && tar xf a.tar",
    ] {
        cases.push(case(packed("src/main.py"), vec![], command, Pass));
    }
    cases.extend([
        case(
            vec![Git(&["archive", "-o", "a.tar", "HEAD"])],
            vec![Edit("src/main.py")],
            "tar xf a.tar",
            Pass,
        ),
        case(
            vec![Git(&["archive", "-o", "a.tar", "HEAD~0", "src"])],
            vec![Bash("tar xf a.tar", vec![Append("src/main.py")])],
            "git checkout src/main.py",
            Pass,
        ),
        // What is no archive says nothing.
        case(
            vec![put("a.tar"), Append("src/main.py")],
            vec![],
            "tar xf a.tar",
            Pass,
        ),
    ]);
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn what_a_diff_shows_may_be_taken_back_if_it_is_the_sessions_own() {
    let mut cases = Vec::new();
    for command in [
        "git diff src/main.py | git apply -R",
        "git diff -- src/main.py | git apply --reverse",
        "git diff src/main.py | patch -R -p1",
    ] {
        cases.extend([
            case(vec![Append("src/main.py")], vec![], command, Ask),
            case(
                vec![Append("docs/api.md")],
                vec![Edit("src/main.py")],
                command,
                Pass,
            ),
        ]);
    }
    cases.extend([
        case(
            vec![Append("docs/api.md")],
            vec![],
            "git diff | git apply -R",
            Deny,
        ),
        case(
            vec![Append("docs/api.md")],
            vec![],
            "git diff HEAD | git apply -R",
            Deny,
        ),
        case(
            vec![Append("docs/api.md")],
            vec![],
            "git diff release/1.2 | git apply -R",
            Deny,
        ),
        case(
            vec![],
            vec![Edit("src/main.py")],
            "git diff | git apply -R",
            Pass,
        ),
    ]);
    play(cases).await;
}

//! Scripts that the session itself has written: what they surely do counts when they are run.

use bowline::hooks::Decision::{self, Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{self, Append, Commit};
use super::ground::Step::{self, Bash, Person, WriteText};
use super::{Case, case, play, put};

const DELETES: &str = "#!/bin/bash\nset -e\nrm ideas.md\necho done\n";
const CODE_DELETES: &str = "#!/usr/bin/env python3\nimport os\nos.remove('ideas.md')\n";
const NODE_DELETES: &str = "const fs = require('fs');\nfs.unlinkSync('ideas.md');\n";

/// A line that is judged after the session has written a file, where a person has `ideas.md`.
fn after(file: &'static str, text: &'static str, line: &'static str, decision: Decision) -> Case {
    let steps = vec![WriteText(file, text)];
    case(vec![put("ideas.md")], steps, line, decision)
}

#[needs(git)]
#[tokio::test]
async fn a_script_of_the_sessions_own_is_read_when_it_is_run() {
    let mut cases = Vec::new();
    for line in [
        "bash clean.sh",
        "bash ./clean.sh",
        "sh -x clean.sh",
        "bash -eu clean.sh now",
        "./clean.sh",
        "chmod +x clean.sh && ./clean.sh",
        "source clean.sh",
        ". ./clean.sh",
        "timeout 5 bash clean.sh",
        "env A=1 ./clean.sh",
        "A=1 bash clean.sh > log.txt 2>&1",
        "ls && bash clean.sh && echo done",
        "bash -c './clean.sh'",
        "bash \"$PWD/clean.sh\"",
        "bash clean.sh || true",
        "if bash clean.sh; then ls; fi",
        "bash clean.sh | tail -5",
    ] {
        cases.push(after("clean.sh", DELETES, line, Ask));
    }
    for line in ["python clean.py", "python3 -u clean.py --all", "./clean.py"] {
        cases.push(after("clean.py", CODE_DELETES, line, Ask));
    }
    cases.push(after("clean.js", NODE_DELETES, "node clean.js", Ask));
    cases.push(after("clean", DELETES, "./clean", Ask));
    cases.push(after("../clean.sh", DELETES, "bash ../clean.sh", Ask));
    // Written by the shell, in a call of its own or in the same line.
    let written = Bash(
        "cat > clean.sh <<'EOF'\nrm ideas.md\nEOF",
        vec![Op::Write("clean.sh", DELETES)],
    );
    let theirs = || vec![put("ideas.md")];
    cases.push(case(theirs(), vec![written], "bash clean.sh", Ask));
    let at_once = "cat > clean.sh <<'EOF'\nrm ideas.md\nEOF\nbash clean.sh";
    cases.push(case(theirs(), vec![], at_once, Ask));
    cases.push(after("scripts/c.sh", DELETES, "bash scripts/c.sh", Ask));
    cases.push(after(
        "../outside.py",
        CODE_DELETES,
        "python ../outside.py",
        Ask,
    ));
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn the_words_of_the_line_are_those_of_the_script() {
    let row = |text, line, decision| after("clean.sh", text, line, decision);
    play(vec![
        row("rm \"$1\"\n", "bash clean.sh ideas.md", Ask),
        row("rm \"$1\"\n", "./clean.sh ideas.md", Ask),
        row(
            "for f in \"$@\"; do rm $f; done\n",
            "sh clean.sh a ideas.md",
            Ask,
        ),
        row("rm $TARGET\n", "TARGET=ideas.md bash clean.sh", Ask),
        row(
            "cd \"$(dirname \"$0\")\" && rm ideas.md\n",
            "bash ./clean.sh",
            Ask,
        ),
        row(
            "cd \"$(dirname \"$0\")\"\nrm ideas.md\n",
            "cd docs && bash ../clean.sh",
            Ask,
        ),
        row(
            "here=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nrm \"$here/ideas.md\"\n",
            "bash clean.sh",
            Ask,
        ),
        row("rm \"$1\"\n", "bash clean.sh clean.sh", Pass),
        row("rm \"$1\"\n", "bash clean.sh \"$X\"", Pass),
        row("rm ideas.md\n", "cd docs && bash ../clean.sh", Pass),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn a_script_may_run_another() {
    let steps = || {
        vec![
            WriteText("a.sh", "./b.sh ideas.md\n"),
            WriteText("b.sh", "rm $1\n"),
        ]
    };
    let theirs = || vec![put("ideas.md")];
    play(vec![
        case(theirs(), steps(), "bash a.sh", Ask),
        case(
            theirs(),
            vec![
                WriteText(
                    "a.py",
                    "import subprocess\nsubprocess.run(['bash', 'b.sh', 'ideas.md'])\n",
                ),
                WriteText("b.sh", "rm $1\n"),
            ],
            "python a.py",
            Ask,
        ),
        // One that runs itself comes to an end.
        case(
            theirs(),
            vec![WriteText("a.sh", "bash a.sh\nbash ./a.sh\nsource a.sh\n")],
            "bash a.sh",
            Pass,
        ),
    ])
    .await;
}

#[needs(git)]
#[tokio::test]
async fn what_a_script_surely_does_is_judged_as_if_it_were_written_out() {
    let main = || vec![Append("src/main.py")];
    let run = |text, decision| {
        let steps = vec![WriteText("do.sh", text)];
        case(main(), steps, "bash do.sh", decision)
    };
    play(vec![
        run("git checkout .\n", Deny),
        run("git stash && git stash drop\n", Deny),
        run("git stash\nmake\ngit stash pop\n", Pass),
        run("echo x > src/main.py\n", Ask),
        run("rm -rf ~/\n", Deny),
        run("git push --force origin main\n", Deny),
        run("psql -c 'DROP TABLE users'\n", Deny),
        run("cat ~/.ssh/id_rsa\n", Deny),
        run("git add -A\ngit commit -m x\ngit checkout .\n", Pass),
        run("npm test\nnpm publish\n", Ask),
    ])
    .await;
}

/// What agents write and run all day.
const EVERYDAY: &[(&str, &str, &str)] = &[
    (
        "run.sh",
        "rm -rf \"$DIR\"\nrm -rf \"${OUT:?}\"/*\n$CMD x\neval \"$1\"\n",
        "bash run.sh",
    ),
    (
        "run.sh",
        "tmp=$(mktemp -d)\ntrap 'rm -rf \"$tmp\"' EXIT\ncd \"$tmp\"\ngit init -q\ngit commit -q --allow-empty -m x\ngit reset --hard\ngit clean -fdx\n",
        "bash run.sh",
    ),
    (
        "run.sh",
        "#!/bin/bash\nset -euo pipefail\ncurl -s localhost:3000 | python3 -c 'import sys; print(sys.stdin.read())'\nkill $PID\n",
        "./run.sh",
    ),
    (
        "run.sh",
        "set -a; source .env; set +a\nenv | sort\nnpm start\n",
        "bash run.sh",
    ),
    (
        "run.sh",
        "case \"$1\" in\n  publish) npm publish;;\n  *) echo usage;;\nesac\n",
        "bash run.sh test",
    ),
    ("run.sh", "if [ broken; then\n  rm -rf )\n", "bash run.sh"),
    (
        "run.sh",
        "cargo test 2>&1 | tail -20\nrm -rf target/tmp build dist\n",
        "bash run.sh",
    ),
    (
        "run.sh",
        "rm -f run.sh repro.py\nrm -f /tmp/repro.log\nrm -- \"$0\"\n",
        "bash run.sh",
    ),
    (
        "run.sh",
        "cleanup() { rm -rf *; }\necho only a function\n",
        "bash run.sh",
    ),
    (
        "repro.py",
        "import os, shutil, tempfile\nd = tempfile.mkdtemp()\nopen(os.path.join(d, 'a'), 'w').write('x')\nshutil.rmtree(d)\n",
        "python repro.py",
    ),
    (
        "repro.py",
        "import os, sys\npath = sys.argv[1]\nif os.path.exists(path):\n    os.remove(path)\n",
        "python repro.py out.txt",
    ),
    (
        "repro.py",
        "import subprocess, sys\nfor c in sys.argv[1:]:\n    subprocess.run(c, shell=True)\nexec(input())\n",
        "python repro.py ls",
    ),
    (
        "repro.py",
        "import os\nkey = os.environ['API_KEY']\nprint(os.environ.get('HOME'))\nprint(len(key))\n",
        "python3 repro.py",
    ),
    (
        "repro.py",
        "from src.main import run\n\ndef test_it():\n    assert run() == 1\n\nif __name__ == '__main__':\n    test_it()\n",
        "python3 repro.py",
    ),
    (
        "fix.py",
        "import re\np = 'src/main.py'\ns = open(p).read()\ns = re.sub('a', 'b', s)\nopen(p, 'w').write(s)\n",
        "python3 fix.py",
    ),
    (
        "gen.js",
        "const fs = require('fs');\nconst out = process.argv[2] || 'out.json';\nfs.writeFileSync(out, '{}');\nfs.rmSync(out);\n",
        "node gen.js",
    ),
];

#[needs(git)]
#[tokio::test]
async fn what_a_script_may_do_is_not_asked_about() {
    let everyday = EVERYDAY.iter();
    let mut cases: Vec<Case> = everyday
        .map(|(file, text, line)| after(file, text, line, Pass))
        .collect();
    for line in [
        "bash -n clean.sh",
        "cat clean.sh",
        "chmod +x clean.sh",
        "shellcheck clean.sh",
        "git add clean.sh && git commit -m x",
        // It is another one by then.
        "echo 'echo hello' > clean.sh && bash clean.sh",
        "sed -i 's/rm/ls/' clean.sh && bash clean.sh",
        "git stash -u && bash clean.sh",
        // The work is held.
        "cp ideas.md kept.md && bash clean.sh",
        // What is elsewhere is not this file.
        "ssh host bash clean.sh",
        "docker run --rm img bash clean.sh",
    ] {
        cases.push(after("clean.sh", DELETES, line, Pass));
    }
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn scripts_of_others_are_not_read() {
    let theirs = || vec![put("ideas.md"), Op::Write("clean.sh", DELETES)];
    let large: &'static str = Box::leak(format!("{DELETES}{}", "# x\n".repeat(20_000)).into());
    play(vec![
        case(theirs(), vec![], "bash clean.sh", Pass),
        case(
            vec![Op::Write("clean.sh", DELETES), Commit, put("ideas.md")],
            vec![],
            "./clean.sh",
            Pass,
        ),
        case(
            vec![put("ideas.md")],
            vec![
                Bash("ls", vec![]),
                Person(vec![Op::Write("clean.sh", DELETES)]),
            ],
            "bash clean.sh",
            Pass,
        ),
        after("clean.sh", large, "bash clean.sh", Pass),
        // What a person has added to it is run, too.
        case(
            vec![put("ideas.md")],
            vec![
                Step::Write("clean.sh"),
                Person(vec![Op::Write("clean.sh", DELETES)]),
            ],
            "bash clean.sh",
            Ask,
        ),
    ])
    .await;
}

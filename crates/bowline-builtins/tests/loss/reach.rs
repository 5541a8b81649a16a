//! Programs that change files which their words do not name one by one, and people who do so meanwhile.

use bowline::hooks::Decision::{Ask, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Ground;
use super::ground::Op::{self, Append, Commit, Folder, Write};
use super::ground::Step::Bash;
use super::{Case, case, play, play_on, put};

/// A call changes a file that was clean, and the agent takes that back.
fn taken_back(command: &'static str, back: &'static str) -> Case {
    case(
        vec![],
        vec![Bash(command, vec![Append("src/main.py")])],
        back,
        Pass,
    )
}

#[needs(git)]
#[tokio::test]
async fn what_is_edited_in_place_by_a_pattern_or_a_search_is_the_sessions() {
    play(vec![
        taken_back("sed -i s/x/y/ src/*.py", "git checkout ."),
        taken_back("sed -i.bak s/x/y/ src/*.py", "git checkout ."),
        taken_back(
            "find src -name '*.py' -exec sed -i s/x/y/ {} +",
            "git checkout -- src",
        ),
        taken_back(
            "for f in src/*.py; do sed -i s/x/y/ \"$f\"; done",
            "git restore .",
        ),
        taken_back(
            "rg -l text src | xargs sed -i s/x/y/",
            "git checkout src/main.py",
        ),
        taken_back("yq -i '.a=1' src/*.py", "git checkout src"),
        taken_back("gawk -i inplace '{print}' src/*.py", "git checkout src"),
        // What was somebody's before stays so.
        case(
            vec![Append("src/main.py")],
            vec![Bash("sed -i s/x/y/ src/*.py", vec![Append("src/main.py")])],
            "git checkout src/main.py",
            Ask,
        ),
        // So does what the edit leaves out.
        case(
            vec![],
            vec![Bash("sed -i s/x/y/ src/*.py", vec![Append("docs/api.md")])],
            "git checkout docs/api.md",
            Ask,
        ),
    ])
    .await;
    play_on(
        Ground::watched,
        vec![
            taken_back("fd -e py -x sed -i s/x/y/", "git checkout src"),
            taken_back("sed -i s/x/y/ $FILES", "git checkout src"),
        ],
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn what_is_copied_or_unpacked_over_clean_files_is_the_sessions() {
    let generated = || vec![Folder("gen"), Write("gen/main.py", "made\n"), Commit];
    let copied = |command: &'static str| {
        let steps = vec![Bash(command, vec![Write("src/main.py", "made\n")])];
        case(generated(), steps, "git checkout src/main.py", Pass)
    };
    play(vec![
        copied("cp gen/*.py src/"),
        copied("cp -r gen/. src/"),
        copied("rsync -a gen/ src/"),
    ])
    .await;
    // What cannot be told before is seen to have been clean.
    play_on(
        Ground::watched,
        vec![
            taken_back("tar xJf release.tar.xz", "git reset --hard"),
            taken_back("unzip -o release.zip", "git checkout ."),
            taken_back("cp build/gen/*.py src/", "git checkout ."),
            taken_back("rsync -a ../gen/ src/", "git checkout ."),
        ],
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn manifests_and_lock_files_are_changed_by_their_tools() {
    let tracked = || {
        vec![
            put("package.json"),
            put("Cargo.lock"),
            put("Cargo.toml"),
            Commit,
        ]
    };
    let changes = |command: &'static str, name: &'static str, back, decision| {
        case(
            tracked(),
            vec![Bash(command, vec![Append(name)])],
            back,
            decision,
        )
    };
    let back = "git checkout package.json";
    play_on(
        Ground::watched,
        vec![
            changes("npm install lodash", "package.json", back, Pass),
            changes("npm version patch", "package.json", back, Pass),
            changes(
                "cargo add serde",
                "Cargo.toml",
                "git checkout Cargo.toml",
                Pass,
            ),
            changes("cargo build", "Cargo.lock", "git checkout Cargo.lock", Pass),
            // Nobody else writes there meanwhile but a person.
            changes("npm test", "package.json", back, Ask),
            changes("npm install", "package.json", back, Ask),
            changes("cargo build", "Cargo.toml", "git checkout Cargo.toml", Ask),
            changes(
                "cargo add serde",
                "src/main.py",
                "git checkout src/main.py",
                Ask,
            ),
            // What was somebody's before stays so.
            case(
                [tracked(), vec![Append("package.json")]].concat(),
                vec![Bash("npm install lodash", vec![Append("package.json")])],
                back,
                Ask,
            ),
        ],
    )
    .await;
}

#[needs(git)]
#[tokio::test]
async fn fixers_change_files_and_those_who_look_do_not() {
    let during = |command: &'static str| {
        let steps = vec![Bash(command, vec![Append("src/main.py")])];
        case(vec![], steps, "git checkout src/main.py", Ask)
    };
    let database = |ops: Vec<Op>| vec![Bash("sqlite3 app.db 'insert into a values(1)'", ops)];
    play_on(
        Ground::watched,
        vec![
            taken_back("npm run lint:fix", "git checkout ."),
            taken_back("terraform fmt -recursive", "git checkout ."),
            taken_back("make build fmt", "git checkout ."),
            taken_back("source ./gen.sh", "git checkout ."),
            during("npm test 2>&1 | sort -u"),
            during("pytest 2>&1 | grep -w FAILED"),
            during("git push -u origin main"),
            during("rg -uu foo | head; diff -u a b; wc -w README.md"),
            during("source .venv/bin/activate && pytest"),
            // What goes elsewhere changes nothing here.
            during("curl -sL https://example.com/a.tgz | tar xz -C vendor"),
            during("tar xJf a.tar.xz -C /tmp/out"),
            during("cp build/*.whl /tmp/out/"),
            case(
                vec![put("app.db"), Commit],
                database(vec![Append("app.db")]),
                "git checkout app.db",
                Pass,
            ),
        ],
    )
    .await;
}

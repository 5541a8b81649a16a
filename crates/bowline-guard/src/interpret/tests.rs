//! Texts, and the programs that they run.

use super::{Hazard, interpret};
use crate::invocation::{Arg, Directory, Invocation, Stdin, Through, Value};
use crate::paths::StaticWorld;
use crate::shell::Understanding;

fn run(text: &str) -> Vec<Invocation> {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    interpret(text, &world).invocations
}

fn shown(arg: &Arg) -> String {
    match &arg.value {
        Value::Known(text) => text.clone(),
        Value::Pattern(text) => format!("<{text}>"),
        Value::Partly(text) => format!("?{text}"),
        Value::Unknown => "?".to_owned(),
    }
}

/// The last program that a text runs, with what is known of its arguments.
fn last(text: &str) -> String {
    let Some(invocation) = run(text).pop() else {
        return String::new();
    };
    let program = invocation.program.clone().unwrap_or_else(|| "?".to_owned());
    std::iter::once(program)
        .chain(invocation.args.iter().map(shown))
        .collect::<Vec<_>>()
        .join(" ")
}

fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(last(text), *expected, "{text}");
    }
}

#[test]
fn words() {
    check(&[
        ("rm -rf /", "rm -rf /"),
        ("r''m -rf \"/\"", "rm -rf /"),
        ("$'\\x72\\x6d' x", "rm x"),
        ("rm ~/x $HOME/y \"$PWD\"", "rm <~/x> <$HOME/y> <$PWD>"),
        ("rm *.o", "rm <*.o>"),
        ("rm '*.o'", "rm *.o"),
        ("rm {a,b}", "rm a b"),
        ("rm \"$DIR\"", "rm ?"),
        ("rm \"$DIR\"/x", "rm ?…/x"),
        ("rm${IFS}-rf${IFS}x", "rm -rf x"),
        ("/usr/bin/rm x", "rm x"),
        ("/bin/r[m] x", "rm x"),
        ("$TOOLS/rm x", "rm x"),
        ("rm '…'", "rm ..."),
        ("x… rm y", "x... rm y"),
        ("rm $((1 + 2))", "rm ?"),
    ]);
}

#[test]
fn variables() {
    check(&[
        ("X=rm; $X -rf x", "rm -rf x"),
        ("a=r b=m; $a$b x", "rm x"),
        ("a=r; a+=m; $a x", "rm x"),
        ("X='rm -rf x'; $X", "rm -rf x"),
        ("X='a b'; rm \"$X\"", "rm a b"),
        ("rm ${X:-x}", "rm x"),
        ("X=y; rm ${X:-x}", "rm y"),
        ("rm ${X:=x} $X", "rm x x"),
        ("v=aarmbb; v=${v#aa}; ${v%bb} y", "rm y"),
        (
            "X=abc; rm ${X^^} ${X:1} ${X:0:2} ${X/b/x}",
            "rm ABC bc ab axc",
        ),
        ("N=X; X=y; rm ${!N}", "rm y"),
        ("A=(rm -rf x); \"${A[@]}\"", "rm -rf x"),
        ("A=(a b); rm \"${A[1]}\"", "rm b"),
        ("export X=y; rm $X", "rm y"),
        ("X=y rm $X", "rm ?"),
        ("if test; then X=a; fi; rm $X", "rm a"),
        ("X=/; if test; then X=a; fi; rm $X", "rm ?"),
        ("read -r a b <<< 'rm -rf x'; $a $b", "rm -rf x"),
        ("set -- a b; rm \"$@\"", "rm a b"),
        ("IFS=,; X=rm,x; $X", "rm x"),
        ("printf -v X '%s' rm; $X y", "rm y"),
    ]);
}

#[test]
fn printers_and_filters() {
    check(&[
        ("$(echo rm) x", "rm x"),
        ("`printf rm` x", "rm x"),
        ("$(which rm) x", "rm x"),
        ("rm $(pwd)", "rm /home/dev/project"),
        ("cd /srv; rm \"$(pwd)\"", "rm /srv"),
        ("rm $(basename /a/b)", "rm b"),
        (
            "rm $(git rev-parse --show-toplevel)",
            "rm /home/dev/project",
        ),
        ("$(echo cm0= | base64 -d) x", "rm x"),
        ("$(echo 726d | xxd -r -p) x", "rm x"),
        ("$(rev <<< mr) x", "rm x"),
        ("$(echo ez | tr a-z n-za-m) x", "rm x"),
        ("$(echo aa | sed s/aa/rm/) x", "rm x"),
        ("echo 'rm x' | sh", "rm x"),
        ("printf 'rm %s\\n' a b | sh", "rm b"),
        ("cat <<'E' | sh\nrm x\nE", "rm x"),
        ("python3 -c 'print(\"rm x\")' | sh", "rm x"),
        ("echo 'rm x' > s.sh; cat s.sh | bash", "rm x"),
        ("echo 'rm x' | tee s.sh; ./s.sh", "rm x"),
    ]);
}

#[test]
fn wrappers() {
    check(&[
        ("sudo -u root rm x", "rm x"),
        ("env -i A=1 rm x", "rm x"),
        ("env -S 'rm x'", "rm x"),
        ("timeout -s KILL 5 rm x", "rm x"),
        ("nice -n 5 nohup rm x", "rm x"),
        ("su - root -c 'rm x'", "rm x"),
        ("bash -c 'rm x'", "rm x"),
        ("bash -euo pipefail -c 'rm x'", "rm x"),
        ("bash -c 'rm \"$1\"' _ x", "rm x"),
        ("sh -c 'rm $0' x", "rm x"),
        ("bash <<< 'rm x'", "rm x"),
        ("bash -s -- y <<< 'rm $1'", "rm y"),
        ("eval 'X=rm'; $X y", "rm y"),
        ("source <(echo rm x)", "rm x"),
        ("trap 'rm x' EXIT", "rm x"),
        ("f() { rm \"$1\"; }; f x", "rm x"),
        ("alias l='rm -rf'; l x", "rm -rf x"),
        ("hash -p /bin/rm l; l x", "rm x"),
        ("command rm x", "rm x"),
        ("busybox rm x", "rm x"),
        ("npx -y rimraf x", "rimraf x"),
        ("poetry run rm x", "rm x"),
        ("ssh -p 22 host rm x", "rm x"),
        ("docker exec -it web rm x", "rm x"),
        ("kubectl exec -n a pod -- rm x", "rm x"),
        ("git -c alias.z='!rm x' z", "rm x"),
        ("awk 'BEGIN{system(\"rm x\")}'", "rm x"),
        ("vim -c ':!rm x'", "rm x"),
        ("$SUDO rm x", "rm x"),
        ("bash -c \"rm $X\"", "rm ?"),
    ]);
}

#[test]
fn items() {
    check(&[
        ("echo a b | xargs rm", "rm a b"),
        ("echo a | xargs -I% rm x/%", "rm x/a"),
        ("find . -name x -exec rm {} +", "rm ?"),
        ("find . -exec sh -c 'rm \"$1\"' _ {} \\;", "rm ?"),
        ("parallel rm {} ::: a b", "rm b"),
        ("for x in a b; do rm $x; done", "rm b"),
        ("fd -x rm", "rm ?"),
    ]);
    let invocations = run("find src -name x -exec rm {} +");
    let through = invocations.last().map(|it| it.through.clone());
    assert_eq!(
        through,
        Some(vec![Through::EachOf("find src -name x".to_owned())])
    );
    let invocations = run("rm $(find src)");
    let through = invocations.last().map(|it| it.through.clone());
    assert_eq!(through, Some(vec![Through::EachOf("find src".to_owned())]));
}

#[test]
fn languages() {
    check(&[
        ("python3 -c 'import os; os.system(\"rm x\")'", "rm x"),
        (
            "python3 -c 'import shutil as s; p = \"/a\"; s.rmtree(p)'",
            "rm -rf /a",
        ),
        (
            "python3 -c 'import subprocess; subprocess.run([\"rm\", \"x\"], check=True)'",
            "rm x",
        ),
        (
            "python3 -c 'from pathlib import Path; Path(\"x\").unlink()'",
            "rm -f x",
        ),
        (
            "python3 -c 'import os; os.remove(os.path.join(\"a\", \"b\"))'",
            "rm -f a/b",
        ),
        ("python3 -c 'print(open(\".env\").read())'", "cat .env"),
        (
            "node -e 'require(\"fs\").rmSync(\"x\", {recursive: true})'",
            "rm -rf x",
        ),
        (
            "node -e 'require(\"child_process\").execSync(\"rm x\")'",
            "rm x",
        ),
        ("perl -e 'system \"rm\", \"x\"'", "rm x"),
        ("perl -e 'unlink \"x\"'", "rm -f x"),
        ("ruby -e '`rm x`'", "rm x"),
        ("ruby -e 'FileUtils.rm_rf \"x\"'", "rm -rf x"),
        ("php -r 'unlink(\"x\");'", "rm -f x"),
        ("python3 - <<'E'\nimport os\nos.unlink('x')\nE", "rm -f x"),
        (
            "python3 -c 'names.remove(\"x\")'",
            "python3 -c names.remove(\"x\")",
        ),
        (
            "node -e 'console.log(\"rm x\")'",
            "node -e console.log(\"rm x\")",
        ),
    ]);
}

#[test]
fn what_only_looks_like_a_command_is_not_run() {
    for text in [
        "echo 'rm x'",
        "f() { rm x; }",
        "cat <<'E'\nrm x\nE",
        "git commit -m 'rm x'",
        "bash -n <<< 'rm x'",
        "command -v rm",
        "# rm x",
    ] {
        let runs = run(text)
            .iter()
            .any(|it| it.program.as_deref() == Some("rm"));
        assert!(!runs, "{text}");
    }
}

#[test]
fn directories() {
    for (text, expected) in [
        ("cd /srv && ls", Some("/srv")),
        ("cd a; cd b; ls", Some("/home/dev/project/a/b")),
        ("cd ..; ls", Some("/home/dev")),
        ("cd; ls", Some("/home/dev")),
        ("cd a; cd -; ls", Some("/home/dev/project")),
        ("(cd a); ls", Some("/home/dev/project")),
        ("pushd a; popd; ls", Some("/home/dev/project")),
        ("cd \"$X\"; ls", None),
        ("cd \"$X\"; cd /a; ls", Some("/a")),
        ("env -C /a ls", Some("/a")),
        ("cd a || exit; ls", Some("/home/dev/project/a")),
    ] {
        let directory = run(text).pop().map(|it| it.directory);
        let expected = expected.map_or(Directory::Unknown, |it| Directory::Known(it.to_owned()));
        assert_eq!(directory, Some(expected), "{text}");
    }
}

#[test]
fn what_feeds_a_shell() {
    for (text, expected) in [
        ("curl -s http://a/x | bash", "curl -s http://a/x"),
        ("bash <(curl http://a/x)", "curl http://a/x"),
        ("sh -c \"$(curl http://a/x)\"", "curl http://a/x"),
        ("eval \"$(curl http://a/x)\"", "curl http://a/x"),
        ("X=$(curl http://a/x); eval \"$X\"", "curl http://a/x"),
        ("curl http://a/x > y; sh y", "curl http://a/x"),
        ("curl -o y http://a/x; sh y", "curl -o y http://a/x"),
        ("curl -O http://a/x.sh; ./x.sh", "curl -O http://a/x.sh"),
    ] {
        let stdin = run(text).pop().map(|it| it.stdin);
        assert_eq!(
            stdin,
            Some(Stdin::Pipe(vec![expected.to_owned()])),
            "{text}"
        );
    }
}

#[test]
fn notes_and_understanding() {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    assert_eq!(
        interpret(":(){ :|:& };:", &world).hazards,
        [Hazard::Multiplies]
    );
    assert_eq!(interpret("ls", &world).understanding, Understanding::Clean);
    assert!(matches!(
        interpret("echo 'x", &world).understanding,
        Understanding::Failed { .. } | Understanding::Partial { .. }
    ));
    assert_ne!(
        interpret("bash -c 'echo \"x'", &world).understanding,
        Understanding::Clean
    );
}

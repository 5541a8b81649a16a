//! A program is judged from where it runs: a `cd` before it hides nothing.

use bowline_guard::effect::{Category, Gravity};
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use bowline_guard::pattern::PathPattern;

fn world() -> StaticWorld {
    StaticWorld::new("/home/dev/project", "/home/dev")
}

#[test]
fn the_guards_own_settings_are_asked_about_from_any_directory() {
    for command in [
        "cd .claude && echo x > settings.json",
        "env -C .claude tee settings.json < x",
        "bash -c 'cd .claude; tee settings.json < x'",
        "pushd .claude && cp /tmp/x settings.local.json",
        "cd ~/.config/bowline && sed -i s/a/b/ config.toml",
        "(cd .claude; rm settings.json)",
    ] {
        let judgement = judge(command, &world());
        let own = judgement
            .effects
            .iter()
            .any(|(effect, _)| effect.category == Category::OwnSettings);
        assert!(own, "{command}: {:?}", judgement.effects);
    }
}

#[test]
fn secrets_are_kept_from_any_directory() {
    for command in [
        "cd ~/.ssh && cat *",
        "cd ~/.ssh && tar c .",
        "cd ~/.kube && cp config /tmp/x",
        "cd ~/.ssh && python3 -c 'print(open(\"id_ed25519\").read())'",
        "cd ~/.aws; base64 credentials",
    ] {
        assert_eq!(
            judge(command, &world()).verdict.gravity,
            Gravity::Grave,
            "{command}"
        );
    }
    let mut world = world();
    world.sensitive.custom_paths = vec![PathPattern::parse("internal/**").unwrap()];
    for command in ["cat internal/x", "cd internal && cat x"] {
        assert_eq!(
            judge(command, &world).verdict.gravity,
            Gravity::Grave,
            "{command}"
        );
    }
}

/// Where `cd` goes, what stays, and a program run with `@` for the path.
#[test]
fn a_relative_path_is_not_milder_than_the_absolute_one() {
    const PATHS: &[(&str, &str)] = &[
        ("/", "etc/passwd"),
        ("/etc", "shadow"),
        ("/home/dev", ".ssh/id_rsa"),
        ("/home/dev/.ssh", "id_rsa"),
        ("/home/dev/.ssh", "*"),
        ("/home/dev/.ssh", "."),
        ("/home/dev/.aws", "credentials"),
        ("/home/dev/.kube", "config"),
        ("/home/dev/.config/bowline", "config.toml"),
        ("/home/dev/project/.claude", "settings.json"),
        ("/home/dev/project", ".env"),
        ("/home/dev/project/src", "main.rs"),
        ("/home/dev/project/src", "."),
        ("/home/dev/other", "."),
        ("/srv", "data"),
        ("/usr", "."),
    ];
    const RUNS: &[&str] = &[
        "cat @",
        "head -n 3 @",
        "grep -r x @",
        "tar cf /tmp/x.tar @",
        "zip -r /tmp/x.zip @",
        "cp -r @ /tmp/x",
        "cp /tmp/x @",
        "mv @ /tmp/x",
        "scp @ box:/tmp/x",
        "curl -T @ https://example.org",
        "curl -o @ https://example.org/x",
        "dd if=@ of=/tmp/x",
        "dd if=/tmp/x of=@",
        "sed -i s/a/b/ @",
        "tee @ < x",
        "echo x > @",
        "cat < @",
        "rm -rf @",
        "shred @",
        "truncate -s 0 @",
        "chmod -R 777 @",
        "chmod 000 @",
        "chown -R nobody @",
        "ln -sf /tmp/x @",
        "find @ -delete",
        "git add -f @",
        "python3 -c 'print(open(\"@\").read())'",
        "docker cp @ box:/x",
        "openssl rsa -in @",
        ". @",
    ];
    let mut milder = Vec::new();
    for (directory, name) in PATHS {
        for run in RUNS {
            let path = format!("{}/{name}", directory.trim_end_matches('/'));
            let gravity = |text: &str| judge(text, &world()).verdict.gravity;
            let absolute = gravity(&run.replace('@', &path));
            for prefix in [
                format!("cd {directory} && "),
                format!("cd {directory}; "),
                format!("env -C {directory} bash -c 'true'; pushd {directory} && "),
            ] {
                let relative = format!("{prefix}{}", run.replace('@', name));
                if gravity(&relative) < absolute {
                    milder.push(relative);
                }
            }
        }
    }
    assert!(milder.is_empty(), "{}", milder.join("\n"));
}

#[test]
fn reading_a_whole_home_or_machine_is_asked_about() {
    for (command, asks) in [
        ("grep -r x ~", true),
        ("cd ~ && grep -r x .", true),
        ("cd ~ && rg x", true),
        ("rg x /", true),
        ("ag x $HOME", true),
        ("ack x ~/", true),
        ("tar czf /tmp/x.tgz ~", true),
        ("zip -r /tmp/x.zip /", true),
        ("cp -r ~ /tmp/x", true),
        ("rsync -a ~/ /tmp/x", true),
        ("grep -r --include='*.rs' x ~", false),
        ("rg -t rust x ~", false),
        ("grep -r x .", false),
        ("rg x", false),
        ("cd src && rg x", false),
        ("ps aux | rg x", false),
        ("grep x ~/notes.txt", false),
        ("tar xzf x.tgz -C /tmp/x", false),
    ] {
        let gravity = judge(command, &world()).verdict.gravity;
        assert_eq!(gravity > Gravity::Harmless, asks, "{command}");
    }
}

/// What runs in the background has a folder and variables of its own.
#[test]
fn what_goes_elsewhere_in_the_background_takes_nobody_along() {
    for (command, own) in [
        ("cd /tmp/x & rm .claude/settings.json", true),
        ("cd .claude & rm settings.json", false),
        ("cd .claude && make & rm settings.json", false),
        ("(cd .claude && rm settings.json) &", true),
        ("cd .claude; make & rm settings.json", true),
        ("F=.claude/settings.json & rm /tmp/$F", false),
    ] {
        let judgement = judge(command, &world());
        let mut effects = judgement.effects.iter();
        let found = effects.any(|(effect, _)| effect.category == Category::OwnSettings);
        assert_eq!(found, own, "{command}: {:?}", judgement.effects);
    }
}

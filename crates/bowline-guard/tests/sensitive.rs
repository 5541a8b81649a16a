//! Which files are secret, and what tools may do with them.

use bowline_guard::Strictness;
use bowline_guard::effect::Gravity;
use bowline_guard::paths::{StaticWorld, World, resolve, resolve_literal};
use bowline_guard::sensitive::{
    Access, SensitivePolicy, Sensitivity, ToolFields, classify, judge_tool,
};
use bowline_testkit::{corpus, needs};
use proptest::prelude::*;

fn world() -> StaticWorld {
    StaticWorld::new("/home/ada/shop", "/home/ada")
}

fn letter(sensitivity: Sensitivity) -> char {
    match sensitivity {
        Sensitivity::Secret(_) => 'S',
        Sensitivity::Maybe(_) => 'M',
        Sensitivity::Public => '-',
    }
}

fn check(access: Access, expected: char, paths: &[&str]) {
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let found = classify(&resolve_literal(path, &world()), access, &world());
            (letter(found) != expected).then(|| format!("{path}: {found:?}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{access:?} should be {expected}:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn environment_files_are_secret() {
    check(
        Access::Read,
        'S',
        &[
            ".env.staging",
            ".env.test",
            "svc/.env.ci",
            "worker.env",
            ".env.local.bak",
            ".env.1",
            ".env.old",
            ".env.swp",
            ".env copy",
            "ENV/.Env",
            ".env-prod",
            ".env_backup",
            "web/.env.gz",
            ".env.json",
            ".env.txt",
            ".dev.vars",
        ],
    );
    check(Access::Write, 'M', &[".env.staging", "worker.env"]);
    check(Access::Edit, 'M', &["api/.env"]);
    check(Access::Metadata, '-', &[".env", "~/.ssh/id_rsa"]);
    check(Access::List, '-', &[".env", "src"]);
}

#[test]
fn templates_pass() {
    check(
        Access::Read,
        '-',
        &[
            ".env.template",
            ".env.production.example",
            "example.env",
            ".env-sample",
            "env.tpl",
            "config/secrets.example.yml",
            "default.settings.php",
            "terraform.tfvars.example",
            "database.yml.dist",
            ".npmrc.example",
            "credentials.sample.json",
            "kubeconfig.example",
            "wp-config-sample.php",
            ".env.example.bak",
        ],
    );
}

#[test]
fn keys_are_secret_and_public_material_is_not() {
    check(
        Access::Read,
        'S',
        &[
            "id_ecdsa",
            "keys/deploy_rsa",
            "server.pem",
            "tls/tls.key",
            "client.p12",
            "sign.pfx",
            "release.jks",
            "upload.keystore",
            "AuthKey_ABC.p8",
            "~/.ssh/work",
            "~/.ssh/id_rsa.bak",
            "~/.gnupg/secring.gpg",
            "office.ovpn",
            "jwt-private.pem",
            "ssl/privkey1.pem",
            "host.keytab",
            "android/key.properties",
            "~/.ssh",
            "/etc/ssh/ssh_host_rsa_key",
        ],
    );
    check(
        Access::Read,
        '-',
        &[
            "tls/fullchain.pem",
            "ca.pem",
            "jwt-public.pem",
            "pubkey.pem",
            "cacert.pem",
            "site.cer",
            "dhparam.pem",
            "ca-bundle.pem",
            "request.csr",
            "deploy_rsa.pub",
            "/etc/ssl/certs/x.pem",
            "~/.gnupg/gpg-agent.conf",
            "server-cert.pem",
        ],
    );
    check(
        Access::Read,
        'M',
        &[
            "~/.ssh/config",
            "~/.ssh/known_hosts",
            "tests/fixtures/tls.key",
        ],
    );
    check(
        Access::Write,
        'S',
        &["~/.ssh/authorized_keys", "~/.ssh/id_ecdsa", "/etc/sudoers"],
    );
    check(Access::Write, 'M', &["~/.gnupg/gpg-agent.conf"]);
    check(
        Access::List,
        'M',
        &["~/.ssh", "~/.gnupg", "~/.password-store"],
    );
}

#[test]
fn clouds_and_tools() {
    check(
        Access::Read,
        'S',
        &[
            "~/.aws/credentials",
            "~/.aws/sso/cache/ab.json",
            "~/.aws/cli/cache/x.json",
            "~/.config/gcloud/application_default_credentials.json",
            "~/.config/gcloud/legacy_credentials/a@b/adc.json",
            "~/.azure/msal_token_cache.json",
            "~/.kube/config",
            "~/.docker/config.json",
            "~/.terraform.d/credentials.tfrc.json",
            "~/.pypirc",
            "~/.git-credentials",
            "~/.config/gh/hosts.yml",
            "~/.cargo/credentials.toml",
            "~/.cargo/credentials",
            "~/.gem/credentials",
            "~/.composer/auth.json",
            "~/.npmrc",
            "~/.codex/auth.json",
            "~/.gemini/oauth_creds.json",
            "~/.vault-token",
            "~/.my.cnf",
            "~/.config/doctl/config.yaml",
            "~/.config/rclone/rclone.conf",
            "prod.kubeconfig",
            "my-service-account.json",
            "shop-firebase-adminsdk-x1.json",
            "~/.local/share/opencode/auth.json",
            "~/.config/github-copilot/apps.json",
            "~/.pulumi/credentials.json",
            "~/.gradle/gradle.properties",
            "~/.kaggle/kaggle.json",
            "~/.cache/huggingface/token",
            "/root/.aws/credentials",
            "/Users/bo/.netrc",
            "/home/bo/.npmrc",
            "~/.config/hub/../gh/hosts.yml",
            ".vault_pass.txt",
        ],
    );
    check(
        Access::Read,
        'M',
        &[
            "~/.aws/config",
            ".npmrc",
            "web/.npmrc",
            "prod.tfvars",
            "state/terraform.tfstate",
            "~/.pip/pip.conf",
            "config/database.yml",
            "x.auto.tfvars.json",
        ],
    );
    check(
        Access::Read,
        '-',
        &[
            "Cargo.toml",
            ".cargo/config.toml",
            "~/.cargo/config.toml",
            "tsconfig.json",
            "package.json",
            "docker-compose.yml",
            "k8s/deployment.yaml",
            ".vscode/settings.json",
            "helm/values.yaml",
            "config/routes.rb",
            "src/settings.ts",
            "settings.gradle",
            "settings.py",
            "composer.json",
            ".claude/settings.json",
            "CLAUDE.md",
            ".editorconfig",
            "appsettings.json",
            "config.toml",
            "locales/en/auth.json",
            "docs/examples/settings.php",
            ".github/workflows/secrets.yml",
            "credentials.yml.enc",
            ".secrets.baseline",
            ".gitattributes",
        ],
    );
}

#[test]
fn people_and_machines() {
    check(
        Access::Read,
        'S',
        &[
            "vault.kdbx",
            "~/.password-store/a.gpg",
            "~/.config/google-chrome/Default/Login Data",
            "~/.config/google-chrome/Default/Cookies",
            "~/Library/Keychains/x.keychain-db",
            "~/.local/share/keyrings/login.keyring",
            "~/.config/solana/id.json",
            "/proc/1/environ",
            "/proc/self/environ",
            "/proc/thread-self/environ",
            "/run/secrets/db",
            "/etc/shadow.bak",
            "/etc/wireguard/wg0.conf",
            "/etc/ssl/private/site.pem",
            "/dev/sda1",
            "/proc/kcore",
            "/etc/kubernetes/admin.conf",
            "passwords.csv",
            "notes/my-passwords.txt",
            "aws-creds.json",
            "db_password.txt",
            "secrets.prod.yaml",
            "API-Keys.txt",
            "slack-token.txt.bak/../api_token.txt",
        ],
    );
    check(
        Access::Read,
        'M',
        &[
            "~/.bash_history",
            "~/.python_history",
            "~/.local/share/fish/fish_history",
            "~/.lesshst",
            "/etc/sudoers",
            "/etc/sudoers.d/ada",
        ],
    );
    check(
        Access::Read,
        '-',
        &[
            "/etc/passwd",
            "/etc/hosts",
            "/etc/os-release",
            "/proc/cpuinfo",
            "/proc/self/maps",
            "/dev/null",
            "/var/log/syslog",
            "docs/secrets.md",
            "src/auth/password.ts",
            "secret_manager.py",
            "lib/credentials.rb",
            "test/tokens_test.go",
            "tokens.json",
            "design-tokens.json",
            "keyboard.json",
            "monkey.txt",
            "password-policy.md",
            "k8s/sealed-secret.yaml",
            "k8s/external-secrets.yaml",
            "reset-password.json",
            "config/locales/passwords.yml",
            "environment.yml",
            "src/environments/prod.ts",
            ".environment.d.ts",
            "docs/history.md",
            "cookies.tsx",
            "keys.rs",
            "src/wallet.ts",
            "recovery-codes.tsx",
            "seed-phrase.ts",
            "privkey.go",
            "secret-rotation.yaml",
        ],
    );
    check(
        Access::Write,
        'S',
        &["/etc/passwd", "~/.netrc", "~/.kube/config"],
    );
}

#[test]
fn detours_lead_to_the_same_file() {
    check(
        Access::Read,
        'S',
        &[
            "/proc/self/root/home/ada/.ssh/id_rsa",
            "/proc/self/cwd/.env",
            "/proc/42/root/etc/shadow",
            "file:///home/ada/.aws/credentials",
            "file:///home/ada/shop/%2eenv",
            "~ada/.ssh/id_rsa",
            "$HOME/.netrc",
            "${HOME}/.netrc",
            ".//.env",
            "a/../.env",
            ".env/",
            ".env/.",
            ".ENV",
            "/HOME/ada/.SSH/ID_RSA",
            ".env.",
            ".env ",
            ".\u{435}nv",
            "\u{ff0e}\u{ff45}\u{ff4e}\u{ff56}",
            ".e\u{200b}nv",
            ".env::$DATA",
            "~/.\u{455}\u{455}h/id_rsa",
            "/private/etc/master.passwd",
            "C:\\Users\\ada\\.aws\\credentials",
            "settings.php~",
            "id_rsa.zip",
            "secrets.yml.orig",
            "..//shop/./.env",
            "/System/Volumes/Data/Users/ada/.ssh/id_rsa",
        ],
    );
}

struct Linked(StaticWorld);

impl World for Linked {
    fn cwd(&self) -> &str {
        self.0.cwd()
    }
    fn project_root(&self) -> &str {
        self.0.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.0.home()
    }
    fn symlink_target(&self, path: &str) -> Option<String> {
        let target = match path {
            "/home/ada/shop/notes.txt" => ".env",
            "/home/ada/shop/k" => "../.ssh",
            "/home/ada/shop/loop" => "loop",
            _ => return None,
        };
        Some(target.to_owned())
    }
}

#[test]
fn links_do_not_hide_a_secret() {
    let world = Linked(world());
    for (path, expected) in [
        ("notes.txt", 'S'),
        ("k/id_rsa", 'S'),
        ("k/../x.txt", '-'),
        ("loop", '-'),
        ("loop/.env", 'S'),
    ] {
        let found = classify(&resolve_literal(path, &world), Access::Read, &world);
        assert_eq!(letter(found), expected, "{path}");
    }
}

#[test]
fn patterns_are_judged_by_what_they_spell_out() {
    let table: &[(&str, char, char)] = &[
        (".en*", 'S', 'M'),
        ("**/.env*", 'S', 'M'),
        (".[e]nv", 'S', 'M'),
        (".e?v", 'S', 'M'),
        (".{env,envrc}", 'S', 'M'),
        ("~/.ssh/*", 'S', 'M'),
        ("~/.ssh/id_*", 'S', 'M'),
        ("**/*.pem", 'S', 'M'),
        ("**/*.{p12,pfx}", 'S', 'M'),
        ("id_*", 'S', 'M'),
        ("**/id_rsa", 'S', 'M'),
        ("**/*credential*", 'S', 'M'),
        ("**/*secret*.json", 'S', 'M'),
        ("~/.gnupg/**", 'S', 'M'),
        ("~/.kube/*", 'S', 'M'),
        ("/etc/shad*", 'S', 'M'),
        ("/proc/1*/environ", 'S', 'M'),
        ("**/.aws/**", 'S', 'M'),
        ("**/*.key", 'S', 'M'),
        ("**/wp-config.php", 'S', 'M'),
        ("$DIR/.env", 'S', 'M'),
        (".env$SUFFIX", 'S', 'M'),
        ("**/*password*", 'S', 'M'),
        ("~/.docker/*", 'S', '-'),
        ("**/*.tfvars", 'M', '-'),
        ("*", '-', '-'),
        ("**/*", '-', '-'),
        ("lib/**/*.ts", '-', '-'),
        ("**/*.json", '-', '-'),
        ("**/*.yml", '-', '-'),
        ("web/*.php", '-', '-'),
        (".*", '-', '-'),
        ("*.lock", '-', '-'),
        ("src/**/*.rs", '-', '-'),
        ("~/.ssh/*.pub", '-', '-'),
        ("certs/*.crt", '-', '-'),
        (".github/**", '-', '-'),
        ("lib/**/token_*.py", '-', '-'),
        ("$X", '-', '-'),
        ("**/*.txt", '-', '-'),
        ("**/package*.json", '-', '-'),
        ("**/config*.ts", '-', '-'),
        (".git*", '-', '-'),
        ("**/.env.example", '-', '-'),
        ("**/*.test.ts", '-', '-'),
        ("docs/**/*.md", '-', '-'),
        ("**/*.config.js", '-', '-'),
        ("config/**", '-', '-'),
        ("**/settings*.py", 'M', '-'),
        (".claude/**", '-', '-'),
        ("**/*.toml", '-', '-'),
        ("**/*.properties", '-', '-'),
        ("**/*.xml", '-', '-'),
        ("**/*.sql", '-', '-'),
        ("**/*history*.tsx", '-', '-'),
        ("**/*.sqlite", '-', '-'),
        ("**/*.csv", '-', '-'),
        ("migrations/*", '-', '-'),
        ("**/*.local.*", 'M', '-'),
        ("**/*-old*", '-', '-'),
        ("**/*.conf", '-', '-'),
    ];
    let mut wrong = Vec::new();
    for (pattern, read, glob) in table {
        for (access, expected) in [(Access::Read, read), (Access::Glob, glob)] {
            let found = classify(&resolve(pattern, &world()), access, &world());
            if letter(found) != *expected {
                wrong.push(format!("{access:?} {pattern}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tools_are_judged_by_all_their_fields() {
    let file = |path| ToolFields {
        file_path: Some(path),
        ..ToolFields::default()
    };
    let search = |path, glob| ToolFields {
        path,
        glob,
        pattern: Some("x"),
        ..ToolFields::default()
    };
    let glob = |path, pattern| ToolFields {
        path,
        pattern: Some(pattern),
        ..ToolFields::default()
    };
    let typed = ToolFields {
        kind: Some("rust"),
        ..search(Some("/home/ada"), None)
    };
    let notebook = ToolFields {
        notebook_path: Some("~/.netrc"),
        ..ToolFields::default()
    };
    for (tool, input, expected) in [
        ("Read", file(".env.prod"), Some(Strictness::Deny)),
        ("Read", file("src/main.rs"), None),
        ("Write", file(".env.prod"), Some(Strictness::Ask)),
        ("MultiEdit", file("~/.netrc"), Some(Strictness::Deny)),
        ("NotebookEdit", notebook, Some(Strictness::Deny)),
        (
            "Grep",
            search(Some(".env.prod"), None),
            Some(Strictness::Deny),
        ),
        (
            "Grep",
            search(Some("/home/ada/.ssh"), None),
            Some(Strictness::Deny),
        ),
        (
            "Grep",
            search(Some("/home/ada/.docker"), None),
            Some(Strictness::Ask),
        ),
        ("Grep", search(None, Some(".env*")), Some(Strictness::Deny)),
        (
            "Grep",
            search(Some("infra"), Some("*.{pem,key}")),
            Some(Strictness::Deny),
        ),
        ("Grep", search(Some("infra"), Some("*.{ts,tsx}")), None),
        ("Grep", search(None, Some("!.env*")), None),
        ("Grep", search(Some("src/secrets"), None), None),
        (
            "Grep",
            search(Some("/home/ada"), None),
            Some(Strictness::Ask),
        ),
        ("Grep", typed, None),
        ("Grep", search(Some("."), None), None),
        ("Grep", search(None, None), None),
        ("Glob", glob(None, "**/.env"), Some(Strictness::Ask)),
        (
            "Glob",
            glob(Some("/home/ada/.ssh"), "*"),
            Some(Strictness::Ask),
        ),
        ("Glob", glob(Some("~/.aws"), "**/*"), Some(Strictness::Ask)),
        ("Glob", glob(Some("src"), "**/*.rs"), None),
        ("LS", search(Some("~/.ssh"), None), Some(Strictness::Ask)),
        ("LS", search(Some("src"), None), None),
        ("Bash", file(".env"), None),
        ("Read", ToolFields::default(), None),
    ] {
        let found = judge_tool(tool, &input, &world());
        assert_eq!(
            found.as_ref().map(|it| it.strictness),
            expected,
            "{tool} {input:?}: {found:?}"
        );
        if let Some(found) = found {
            assert!(
                !found.why.is_empty() && !found.instead.is_empty(),
                "{found:?}"
            );
        }
    }
}

#[test]
fn a_project_adds_patterns_and_lets_files_pass() {
    let (policy, bad) = SensitivePolicy::parse(
        [
            r"internal/.*\.dat$",
            "ledger/.*",
            "# a comment",
            "",
            "(unclosed",
        ],
        [r"^fixtures/", "# tests"],
    );
    assert_eq!(bad.len(), 1);
    assert!(
        bad[0].to_string().contains("patterns.custom_patterns"),
        "{}",
        bad[0]
    );
    assert_eq!((policy.custom_patterns.len(), policy.allow.len()), (2, 1));
    let world = StaticWorld {
        sensitive: policy,
        ..world()
    };
    let judge = |path| {
        let input = ToolFields {
            file_path: Some(path),
            ..ToolFields::default()
        };
        judge_tool("Read", &input, &world).map(|found| found.rule)
    };
    assert_eq!(judge("internal/a.dat"), Some("custom-pattern"));
    assert_eq!(judge("x/../internal//a.dat"), Some("custom-pattern"));
    assert_eq!(judge("fixtures/.env"), None);
    assert_eq!(judge("fixtures/../.env"), Some("environment-file"));
    assert_eq!(judge("other/a.dat"), None);
    let search = |folder| {
        let input = ToolFields {
            pattern: Some("x"),
            path: Some(folder),
            ..ToolFields::default()
        };
        judge_tool("Grep", &input, &world).map(|found| found.rule)
    };
    assert_eq!(search("ledger"), Some("custom-pattern"));
    assert_eq!(search("internal"), None, "not all in it is named");
    assert_eq!(search("src"), None);

    for (command, expected) in [
        ("grep -r x ledger", Gravity::Grave),
        ("tar cf x.tar ledger", Gravity::Grave),
        ("grep -r x src", Gravity::Harmless),
        ("cat internal/a.dat", Gravity::Grave),
        ("tar czf x.tgz internal/a.dat", Gravity::Grave),
        ("cat fixtures/.env", Gravity::Harmless),
        ("cat fixtures/../.env", Gravity::Grave),
    ] {
        assert_eq!(
            bowline_guard::judge::judge(command, &world).verdict.gravity,
            expected,
            "{command}"
        );
    }
}

#[needs(corpus)]
#[test]
fn the_labelled_corpus_is_met() {
    let text = corpus("files.jsonl");
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let mut counts = std::collections::BTreeMap::<String, (usize, usize)>::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let tool = case["tool"].as_str().unwrap();
        if tool == "Bash" {
            continue;
        }
        let field = |name: &str| case["tool_input"][name].as_str();
        let input = ToolFields {
            file_path: field("file_path"),
            notebook_path: field("notebook_path"),
            path: field("path"),
            pattern: field("pattern"),
            glob: field("glob"),
            kind: field("type"),
        };
        let found = judge_tool(tool, &input, &world);
        let verdict = case["verdict"].as_str().unwrap();
        let (all, flagged) = counts.entry(verdict.to_owned()).or_default();
        *all += 1;
        *flagged += usize::from(found.is_some());
        let expected = match verdict {
            "deny" => Some(Strictness::Deny),
            "ask" => Some(Strictness::Ask),
            _ => None,
        };
        if found.as_ref().map(|it| it.strictness) != expected {
            println!("{verdict}: {tool} {} → {found:?}", case["tool_input"]);
        }
    }
    println!("{counts:?}");
    let share = |verdict: &str| {
        let (all, flagged) = counts[verdict];
        (flagged * 1000) / all
    };
    assert!(share("deny") >= 990, "{counts:?}");
    assert!(share("ask") >= 900, "{counts:?}");
    assert!(share("allow") <= 10, "{counts:?}");
}

fn some_path() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        ".env",
        ".env.local",
        "src",
        "main.rs",
        "id_rsa",
        ".ssh",
        "a.pem",
        "config",
        ".aws",
        "credentials",
        "settings.php",
        "notes.md",
        "tokens.json",
        "b.key",
        "x",
        "README.md",
    ]);
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged_without_panic(text in "\\PC{0,80}", glob in "[.*?\\[\\]{},a-e/!$~-]{0,40}") {
        for word in [&text, &glob] {
            for access in [Access::Read, Access::Search, Access::List, Access::Glob, Access::Write] {
                classify(&resolve(word, &world()), access, &world());
                classify(&resolve_literal(word, &world()), access, &world());
            }
        }
    }

    #[test]
    fn spelling_does_not_matter(path in some_path()) {
        let judge = |path: &str| {
            let found = classify(&resolve_literal(path, &world()), Access::Read, &world());
            found.reason().map(|it| (letter(found), it.rule))
        };
        let plain = judge(&path);
        for other in [
            format!("./{path}"),
            path.replace('/', "//"),
            path.replace('/', "/./"),
            path.to_uppercase(),
            format!("zz/../{path}"),
            path.replace('/', "/zz/../"),
            format!("/home/ada/shop/{path}"),
            format!("/proc/self/cwd/{path}"),
        ] {
            prop_assert_eq!(&judge(&other), &plain, "{}", other);
        }
    }
}

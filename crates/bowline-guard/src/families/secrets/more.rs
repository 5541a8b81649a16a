//! Readers of secrets by other ways: one-liners over files, consoles of databases and frameworks, editors in a batch,
//! and programs that nobody lists.

use crate::effect::Effect;
use crate::interpret::known::Names;
use crate::invocation::Stdin;
use crate::paths::{Place, World, place, resolve};
use crate::sensitive::{Access, Sensitivity};

use super::{ENVIRONMENT, READ, Use, VARIABLE, change, judge, touches};
use crate::families::Run;
use crate::families::args::{Spec, parse, word};

/// At most this many words of a run are looked at.
const MAX_WORDS: usize = 32;

pub(super) fn effects(name: &str, run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    match name {
        "perl" | "ruby" => one_liner(run, world),
        "sqlite3" | "duckdb" | "psql" | "mysql" | "mariadb" | "clickhouse-client"
        | "clickhouse" => statements(run, world),
        "vim" | "vi" | "nvim" | "ex" | "ed" | "view" | "vimdiff" | "emacs" => {
            batch_editor(run, world)
        }
        "kubectl" | "oc" => printed_manifest(run, world),
        "svn" | "hg" | "jj" | "fossil" => other_versions(run, world),
        "git" => stash(run, world),
        "php" => served(run, world),
        "ps" => processes(run),
        "getent" => shadow(run),
        "make" | "gmake" => made(run, world),
        "cp" | "mv" | "install" | "ln" | "dd" | "curl" | "wget" | "rsync" | "scp" => {
            destination(name, run, world)
        }
        _ => Vec::new(),
    }
}

fn reads<'word>(words: impl Iterator<Item = &'word str>, world: &dyn World) -> Vec<Effect> {
    words
        .take(MAX_WORDS)
        .filter_map(|it| touches(Use::Prints, it, Access::Read, world))
        .collect()
}

/// `perl -pe1 .env`, `ruby -ne 'puts $_' .env`: the files after the code are read line by line.
fn one_liner(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let words: Vec<&str> = run.args.iter().map(word).collect();
    // `-MFile::Find` is no cluster of options, but names a module.
    let is_cluster = |it: &str| {
        it.starts_with('-')
            && !it.starts_with("--")
            && !it.starts_with("-M")
            && !it.starts_with("-I")
    };
    let cluster = |it: &&str| is_cluster(it) && it.contains('e');
    let Some(at) = words.iter().position(cluster) else {
        return Vec::new();
    };
    let glued = words.get(at).is_some_and(|it| !it.ends_with('e'));
    let code = if glued { None } else { words.get(at + 1) };
    let loops = words
        .iter()
        .any(|it| is_cluster(it) && it.contains(['n', 'p']))
        || code.is_some_and(|it| it.contains("ARGF") || it.contains("<>") || it.contains("gets"));
    if !loops
        || words
            .iter()
            .any(|it| it.starts_with("-i") || it.starts_with("-pi"))
    {
        return Vec::new();
    }
    let skip = at + 1 + usize::from(!glued);
    let files = words
        .iter()
        .skip(skip)
        .copied()
        .filter(|it| !it.starts_with('-'));
    reads(files, world)
}

/// Files that a statement reads: `readfile('.env')`, `read_csv('…')`, `.import .env t`.
fn statements(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let mut texts: Vec<&str> = run
        .args
        .iter()
        .map(word)
        .filter(|it| it.contains(' '))
        .collect();
    if let Stdin::Text(text) = &run.invocation.stdin {
        texts.push(text);
    }
    let quoted = texts
        .iter()
        .flat_map(|text| text.split('\'').skip(1).step_by(2));
    let dotted = texts.iter().flat_map(|text| {
        let mut words = text.split_whitespace();
        let command = words.next().unwrap_or_default();
        let reads = matches!(command, ".import" | ".read" | "\\i" | "\\copy" | "source");
        words.filter(move |_| reads)
    });
    let paths = quoted
        .chain(dotted)
        .filter(|it| !it.contains(' ') && it.contains(['.', '/']));
    reads(paths, world)
}

/// An editor that prints: `ex -sc '%p|q' .env`, `ed -s .env`.
fn batch_editor(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let words: Vec<&str> = run.args.iter().map(word).collect();
    let batch = words.iter().any(|it| {
        matches!(
            *it,
            "-es" | "-s" | "-sc" | "-Es" | "--headless" | "--batch" | "-batch" | "-esc"
        )
    });
    let prints = words
        .iter()
        .any(|it| it.contains("!cat") || it.contains("%p") || it.contains("w !"));
    if !batch && !prints {
        return Vec::new();
    }
    reads(
        words
            .into_iter()
            .filter(|it| !it.starts_with(['-', '+']) && !it.contains(' ')),
        world,
    )
}

/// `kubectl create secret … --from-env-file=.env --dry-run=client -o yaml` prints what it would create.
fn printed_manifest(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "n",
            "namespace",
            "o",
            "output",
            "from-env-file",
            "from-file",
            "context",
        ]),
    );
    if !parsed.begins("create secret|configmap|cm") || parsed.value(&["o", "output"]).is_none() {
        return Vec::new();
    }
    let files = parsed
        .values(&["from-env-file", "from-file"])
        .map(|it| it.split_once('=').map_or(it, |(_, file)| file));
    reads(files, world)
}

fn other_versions(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["r", "rev"]));
    if !parsed.begins("cat|export|annotate|blame|diff|file|print") {
        return Vec::new();
    }
    reads(parsed.from(1).iter().copied(), world)
}

fn stash(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    if !run.args.iter().any(|it| word(it) == "stash") {
        return Vec::new();
    }
    let parsed = parse(run.args, &Spec::gnu(&["C", "c"]));
    if !parsed.begins("stash show") || !parsed.has(&["p", "patch", "u"]) {
        return Vec::new();
    }
    reads(parsed.from(2).iter().copied(), world)
}

/// `php -S address -t folder` shows a folder to whoever asks.
fn served(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["S", "t", "d", "c"]));
    let folder = parsed.value(&["t"]).filter(|_| parsed.has(&["S"]));
    folder
        .and_then(|it| touches(Use::Sends, it, Access::Search, world))
        .into_iter()
        .collect()
}

/// `ps eww`: an `e` without a dash shows the environment of every process.
fn processes(run: Run<'_>) -> Vec<Effect> {
    let shows = run.args.first().map(word).is_some_and(|it| {
        !it.starts_with('-') && it.contains('e') && it.chars().all(|c| "auxewlfvjs".contains(c))
    });
    if shows {
        vec![ENVIRONMENT.doubtful("prints the environment of other programs")]
    } else {
        Vec::new()
    }
}

fn shadow(run: Run<'_>) -> Vec<Effect> {
    if run.args.first().map(word) == Some("shadow") {
        vec![READ.grave("reads the passwords of the machine")]
    } else {
        Vec::new()
    }
}

/// `make -f .env -p` prints the variables of a file.
fn made(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["f", "file", "C", "j"]));
    if parsed.has(&["p", "print-data-base"]) {
        reads(parsed.values(&["f", "file"]), world)
    } else {
        Vec::new()
    }
}

/// Keys and logins outside the project that are written over.
fn destination(name: &str, run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let words: Vec<&str> = run.args.iter().map(word).collect();
    let after = |options: &[&str]| {
        let at = words.iter().position(|it| options.contains(it))?;
        words.get(at + 1).copied()
    };
    let target = match name {
        "dd" => words.iter().find_map(|it| it.strip_prefix("of=")),
        "curl" => after(&["-o", "--output"]),
        "wget" => after(&["-O", "--output-document"]),
        _ if words.len() > 1 => words.last().copied().filter(|it| !it.starts_with('-')),
        _ => None,
    };
    let Some(target) = target.filter(|it| !it.contains(':')) else {
        return Vec::new();
    };
    let inside = matches!(
        place(&resolve(target, world), world),
        Place::InProject(_) | Place::ProjectRoot | Place::Temp | Place::Unknown(_)
    );
    if inside {
        return Vec::new();
    }
    let Some((sensitivity @ Sensitivity::Secret(_), why)) = judge(target, Access::Write, world)
    else {
        return Vec::new();
    };
    vec![change(target, sensitivity, why)]
}

/// A program that nobody lists, with a file of secrets among its words: most such programs show what they read.
pub(in crate::families) fn unlisted(run: Run<'_>, world: &dyn World) -> Option<Effect> {
    let name = run.name;
    let own_script = run
        .invocation
        .program_path
        .as_deref()
        .is_some_and(|it| it.contains('/') && !it.starts_with('/'));
    if uses_secrets(name) || own_script {
        return None;
    }
    let mut before = "";
    for arg in run.args.iter().take(MAX_WORDS) {
        let text = word(arg);
        let previous = std::mem::replace(&mut before, text);
        let is_value = previous.starts_with("--")
            || matches!(
                previous,
                "-f" | "-e" | "-c" | "-i" | "-k" | "-p" | "-F" | "-C" | "-K" | "-s" | "-o"
            );
        // A name without a mark of a path says too little here, and keys are given to be used.
        let key = text.rsplit_once('.').is_some_and(|(_, ending)| {
            matches!(
                ending,
                "pem"
                    | "key"
                    | "p12"
                    | "pfx"
                    | "jks"
                    | "keystore"
                    | "gpg"
                    | "asc"
                    | "crt"
                    | "ppk"
                    | "*"
            )
        });
        let skipped = text.starts_with('-') || is_value || key || text.starts_with("/dev/");
        if skipped || !text.contains(['.', '/']) {
            continue;
        }
        if may_be_secret(text)
            && let Some((Sensitivity::Secret(_), why)) = judge(text, Access::Read, world)
        {
            return Some(READ.doubtful(format!("gives {text} to {name}: {why}")));
        }
    }
    None
}

/// A quick look: finding out for sure takes longer than all the rest.
fn may_be_secret(path: &str) -> bool {
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    name.starts_with('.')
        || [
            "env", "secret", "cred", "token", "pass", "id_", "auth", "login", "shadow", "wallet",
            "keys",
        ]
        .iter()
        .any(|it| name.contains(it))
        || (path.contains("/.")
            && [
                "/.ssh/",
                "/.aws/",
                "/.kube/",
                "/.config/",
                "/.docker/",
                "/.gnupg/",
            ]
            .iter()
            .any(|it| path.contains(it)))
}

/// Programs that use a secret file, keep it, look at its name, or check it.
fn uses_secrets(name: &str) -> bool {
    USING.has(name)
}

/// Such programs.
#[rustfmt::skip]
static USING: Names = Names::new(&[
    ".", "act", "adb", "age", "age-keygen", "ansible", "ansible-playbook", "ansible-vault", "apksigner", "argocd",
    "artisan", "az", "b2sum", "b3sum", "bash", "biome", "borg", "broot", "bun", "bundle", "bw", "caddy", "cap",
    "cargo", "cd", "cdk", "certbot", "cfssl", "chamber", "chattr", "checkov", "circleci", "codesign", "composer",
    "console", "cosign", "crc32", "croc", "dash", "deno", "detect-secrets", "direnv", "dirname", "docker", "dokku",
    "doppler", "dotenv", "dotenv-linter", "dotenv-vault", "dotenvx", "dotnet", "duplicity", "eas", "entr", "env",
    "env-cmd", "envsubst", "eslint", "eval", "exa", "exec", "expo", "export", "fab", "fastlane", "fish", "flask",
    "flux", "fly", "flyctl", "foreman", "fswatch", "fsync", "ftp", "fuser", "gcloud", "getfacl", "ggshield", "gh",
    "git-crypt", "git-secret", "glab", "go", "gpg", "gpg2", "gpgconf", "gradle", "grype", "gunicorn", "hashdeep",
    "heroku", "honcho", "infisical", "inotifywait", "invoke", "istioctl", "jarsigner", "just", "k9s", "kamal",
    "keybase", "keytool", "ksh", "kubectx", "kubens", "kubeseal", "lftp", "linkerd", "lsattr", "lsd", "lsof", "make",
    "mc", "minisign", "mkcert", "mutagen", "mvn", "namei", "netlify", "nginx", "nnn", "node", "nodemon", "nohup",
    "npx", "op", "openssl", "openvpn", "pass", "pm2", "podman", "prettier", "printenv", "pulumi", "pushd", "pytest",
    "python", "rage", "rails", "railway", "rake", "ranger", "rclone", "renovate", "restic", "rhash", "sam", "semgrep",
    "serverless", "setfacl", "sftp", "sh", "shellcheck", "shred", "signify", "sls", "snyk", "sonar-scanner", "sops",
    "source", "srm", "ssh", "ssh-add", "ssh-agent", "ssh-copy-id", "ssh-keygen", "step", "su", "sudo", "sum",
    "supabase", "swift", "syft", "sync", "systemd-creds", "tar", "task", "teller", "terraform-docs", "test", "tflint",
    "tfsec", "timeout", "transcrypt", "trash", "trash-put", "tree", "trivy", "unset", "unzip", "uvicorn", "vault",
    "velero", "vercel", "watchexec", "wg", "wg-quick", "wipe", "wrangler", "xargs", "xcodebuild", "xxhsum", "zsh",
]);

/// A command of a framework that prints all variables: `debug:dotenv`, `diffsettings`.
pub(super) fn framework_settings(run: Run<'_>) -> Option<Effect> {
    let first = run.args.first().map(word).unwrap_or_default();
    let prints = match run.name {
        "console" | "symfony" => {
            matches!(first, "debug:dotenv" | "debug:dotenv-vars")
                || (first == "debug:container"
                    && run.args.iter().any(|it| word(it).starts_with("--env-var")))
        }
        "manage.py" | "django-admin" => matches!(first, "diffsettings" | "print_settings"),
        _ => false,
    };
    prints.then(|| VARIABLE.grave("prints the settings of the application, secrets among them"))
}

#[cfg(test)]
mod tests {
    use super::USING;

    #[test]
    fn the_list_is_sorted() {
        assert!(USING.is_sorted());
    }
}

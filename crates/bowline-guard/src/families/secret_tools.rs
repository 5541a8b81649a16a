//! Tools that hold secrets, and the commands by which they print them.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, listed, parse, word};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    PRINTS = SecretRead, "secrets.tool-prints", "A tool prints a secret",
        instead "let the program that needs the secret fetch it, without printing it";
    MAY_PRINT = SecretRead, "secrets.tool-may-print", "A tool prints settings that often hold secrets",
        instead "ask only for the names, or for the one value that is needed";
    EXPORTS = SecretRead, "secrets.key-export", "Exports or decrypts a secret key or file",
        instead "use the key by the tool that holds it";
}

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::grave(&["vault", "bao"], "kv get", &PRINTS, "prints the secret {}"),
    Row::grave(&["vault", "bao"], "read|unwrap|print", &PRINTS, "prints the secret {}"),
    Row::grave(&["vault", "bao"], "token lookup|create", &PRINTS, "prints a token"),
    Row::grave(&["gcloud"], "secrets versions access", &PRINTS, "prints the secret {}"),
    Row::grave(&["gcloud"], "auth print-access-token|print-identity-token", &PRINTS, "prints a token"),
    Row::grave(&["gcloud"], "auth application-default print-access-token", &PRINTS, "prints a token"),
    Row::grave(&["gcloud"], "iam service-accounts keys create", &PRINTS, "makes and stores a key"),
    Row::grave(&["gcloud"], "config config-helper", &PRINTS, "prints a token"),
    Row::grave(&["az"], "keyvault secret|key|certificate show|download|backup", &PRINTS, "prints a secret of the vault"),
    Row::grave(&["az"], "account get-access-token", &PRINTS, "prints a token"),
    Row::grave(&["az"], "storage account keys|show-connection-string", &PRINTS, "prints the keys of the storage"),
    Row::grave(&["az"], "* keys|list-keys|credential list", &PRINTS, "prints keys"),
    Row::grave(&["az"], "acr credential show", &PRINTS, "prints the password of the registry"),
    Row::doubtful(&["az"], "webapp|functionapp config appsettings|connection-string list", &MAY_PRINT, "prints the settings of an application"),
    Row::grave(&["aws"], "secretsmanager get-secret-value|batch-get-secret-value", &PRINTS, "prints a secret"),
    Row::grave(&["aws"], "sts get-session-token|assume-role|get-federation-token|assume-role-with-web-identity", &PRINTS, "prints credentials"),
    Row::grave(&["aws"], "configure export-credentials", &PRINTS, "prints credentials"),
    Row::grave(&["aws"], "configure get aws_secret_access_key|aws_access_key_id|aws_session_token", &PRINTS, "prints credentials"),
    Row::grave(&["aws"], "iam create-access-key|create-login-profile", &PRINTS, "makes and prints credentials"),
    Row::grave(&["aws"], "kms decrypt", &PRINTS, "prints what was encrypted"),
    Row::grave(&["aws"], "ssm get-parameter|get-parameters|get-parameters-by-path|get-parameter-history", &PRINTS, "prints secret parameters").with(&["with-decryption"]),
    Row::grave(&["aws"], "rds generate-db-auth-token", &PRINTS, "prints a token"),
    Row::grave(&["aws-vault"], "export", &PRINTS, "prints credentials"),
    Row::grave(&["gh"], "auth token", &PRINTS, "prints the token"),
    Row::grave(&["gh"], "auth status", &PRINTS, "prints the token").with(&["t", "show-token"]),
    Row::grave(&["glab"], "auth status", &PRINTS, "prints the token").with(&["t", "show-token"]),
    Row::grave(&["op"], "read|inject", &PRINTS, "prints the secret {}"),
    Row::grave(&["op"], "item|document get", &PRINTS, "prints the item {}"),
    Row::fine(&["pass", "gopass"], "show|ls|list|find").with(&["c", "clip"]),
    Row::grave(&["pass", "gopass", "passage"], "show|grep|otp|cat", &PRINTS, "prints the password {}"),
    Row::grave(&["bw", "rbw", "lpass"], "get|show|export|list", &PRINTS, "prints {}"),
    Row::grave(&["keepassxc-cli"], "show|export|clip|cat", &PRINTS, "prints {}"),
    Row::grave(&["security"], "find-generic-password|find-internet-password", &PRINTS, "prints a password of the key chain").with(&["w", "g"]),
    Row::grave(&["security"], "dump-keychain|export|find-key", &PRINTS, "prints the key chain"),
    Row::grave(&["secret-tool"], "lookup|search", &PRINTS, "prints a password of the key ring"),
    Row::grave(&["kwallet-query"], "", &PRINTS, "prints a password of the key ring").with(&["r", "read-password"]),
    Row::grave(&["rclone"], "config show|dump|redacted", &PRINTS, "prints the logins of the remotes"),
    Row::grave(&["dotenv"], "list|get", &PRINTS, "prints the environment file"),
    Row::grave(&["dotenv", "dotenv-cli"], "", &PRINTS, "prints the environment file").with(&["p", "print"]),
    Row::grave(&["dotenvx"], "get|decrypt|keypair", &PRINTS, "prints the environment file"),
    Row::grave(&["aws"], "ecr|ecr-public get-login-password|get-login|get-authorization-token", &PRINTS, "prints a token"),
    Row::doubtful(&["consul"], "kv get", &MAY_PRINT, "prints every key").with(&["recurse"]),
    Row::doubtful(&["consul"], "kv export", &MAY_PRINT, "prints every key"),
    Row::grave(&["supabase"], "status", &PRINTS, "prints keys of the project").with(&["o", "output"]),
    Row::doubtful(&["terraform", "tofu"], "show", &MAY_PRINT, "prints the state, secrets among it").with(&["json"]),
    Row::grave(&["keyring"], "get|-r", &PRINTS, "prints a password of the key ring"),
    Row::grave(&["heroku"], "config|config:get|auth:token|pg:credentials:url|authorizations:info", &PRINTS, "prints the settings of the application, secrets among them"),
    Row::fine(&["doppler"], "secrets").with(&["only-names"]),
    Row::grave(&["doppler"], "secrets", &PRINTS, "prints the secrets of the project"),
    Row::grave(&["doppler"], "configs tokens", &PRINTS, "prints tokens"),
    Row::grave(&["infisical"], "export|secrets|token", &PRINTS, "prints the secrets of the project"),
    Row::grave(&["chamber"], "read|export|env", &PRINTS, "prints secrets"),
    Row::grave(&["railway"], "variables|vars", &PRINTS, "prints the variables of the project"),
    Row::grave(&["vercel", "vc"], "env pull", &PRINTS, "writes the project's secrets to a file"),
    Row::grave(&["netlify", "ntl"], "env:list|env:get", &PRINTS, "prints the variables of the site"),
    Row::grave(&["eas"], "env:list|env:pull|env:get", &PRINTS, "prints the variables of the project"),
    Row::grave(&["supabase"], "status|projects api-keys", &PRINTS, "prints keys of the project").with(&["o", "output"]),
    Row::grave(&["supabase"], "projects api-keys", &PRINTS, "prints keys of the project"),
    Row::grave(&["firebase"], "functions:secrets:access|functions:config:get|login:ci", &PRINTS, "prints a secret"),
    Row::grave(&["fly", "flyctl"], "auth token|tokens", &PRINTS, "prints a token"),
    Row::grave(&["fly", "flyctl"], "tokens create", &PRINTS, "makes and prints a token"),
    Row::grave(&["doctl"], "databases connection|user", &PRINTS, "prints the password of a database"),
    Row::grave(&["rails"], "credentials:show|encrypted:show|secrets:show", &PRINTS, "prints the credentials of the application"),
    Row::doubtful(&["rails"], "credentials:edit", &MAY_PRINT, "opens the credentials of the application"),
    Row::grave(&["pulumi"], "config get", &PRINTS, "prints the setting {}"),
    Row::grave(&["pulumi"], "config|stack|up|preview", &PRINTS, "prints secrets").with(&["show-secrets"]),
    Row::doubtful(&["terraform", "tofu"], "state pull|show", &MAY_PRINT, "prints the state").with(&["json"]),
    Row::doubtful(&["terraform", "tofu"], "state pull", &MAY_PRINT, "prints the state, secrets among it"),
    Row::doubtful(&["sops"], "exec-env|exec-file", &EXPORTS, "hands the secrets of {} to a program"),
    Row::grave(&["sops"], "decrypt", &EXPORTS, "decrypts {}"),
    Row::grave(&["sops"], "", &EXPORTS, "decrypts {}").with(&["d", "decrypt", "extract"]),
    Row::grave(&["age", "rage"], "", &EXPORTS, "decrypts {}").with(&["d", "decrypt"]),
    Row::grave(&["ansible-vault"], "view|decrypt", &EXPORTS, "decrypts {}"),
    Row::grave(&["gpg", "gpg2"], "", &EXPORTS, "decrypts {}").with(&["d", "decrypt"]),
    Row::grave(&["gpg", "gpg2"], "", &EXPORTS, "exports secret keys").with(&["export-secret-keys", "export-secret-key", "export-secret-subkeys"]),
    Row::grave(&["git-crypt", "transcrypt", "git-secret", "blackbox_cat", "git-secret-reveal"], "unlock|reveal|cat|export-key", &EXPORTS, "decrypts files of the repository"),
    Row::grave(&["git-credential", "git-credential-manager", "git-credential-osxkeychain", "git-credential-store"], "get|fill", &PRINTS, "prints a password"),
    Row::grave(&["docker-credential-osxkeychain", "docker-credential-desktop", "docker-credential-secretservice", "docker-credential-pass"], "get|list", &PRINTS, "prints a password"),
    Row::grave(&["npm"], "token create", &PRINTS, "makes and prints a token"),
    Row::doubtful(&["npm"], "token list|ls", &MAY_PRINT, "lists tokens"),
    Row::grave(&["pip", "poetry"], "config http-basic|pypi-token", &PRINTS, "prints a token").with(&["list-secrets"]),
    Row::grave(&["gitlab-runner", "mysql_config_editor"], "verify-token|print-token", &PRINTS, "prints a token"),
    Row::grave(&["stripe", "auth0", "twilio"], "config apps:show", &PRINTS, "prints keys"),
    Row::doubtful(&["stripe"], "config", &MAY_PRINT, "prints keys").with(&["list"]),
    Row::grave(&["conjur", "akeyless", "berglas", "confidant", "credstash", "summon", "teller", "envchain", "bitwarden"], "variable|get-secret-value|access|get|show|print|env|list", &PRINTS, "prints a secret"),
    Row::grave(&["kubeseal", "hcp"], "vault-secrets", &PRINTS, "prints a secret"),
    Row::grave(&["nmcli"], "", &PRINTS, "prints passwords of networks").with(&["s", "show-secrets"]),
    Row::grave(&["argocd"], "admin initial-password", &PRINTS, "prints the first password"),
    Row::grave(&["oc"], "whoami", &PRINTS, "prints the token").with(&["t", "show-token"]),
    Row::grave(&["mimikatz", "lazagne", "secretsdump.py"], "", &PRINTS, "collects passwords"),
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "kubectl" | "oc" | "k" | "kubecolor" => kubernetes(run),
        "git" => git_credential(run),
        "docker" | "podman" => docker_inspect(run).or_else(|| compose_config(run)),
        "docker-compose" | "podman-compose" => compose_config(run),
        "pass" | "gopass" => pass(run),
        "pulumi" => pulumi(run),
        "etcdctl" => {
            let parsed = parse(run.args, &Spec::gnu(&["endpoints"]));
            (parsed.begins("get") && parsed.words.iter().any(|it| it.contains("secret")))
                .then(|| PRINTS.grave("prints secrets of the cluster"))
        }
        "terraform" | "tofu" => outputs(run),
        "npm" | "pnpm" | "yarn" => registry_token(run),
        _ => None,
    };
    let found = found.or_else(|| {
        ROWS.knows(run.name)
            .then(|| ROWS.first(run, &parse(run.args, spec(run.name))))?
    });
    found.into_iter().collect()
}

fn spec(program: &str) -> &'static Spec {
    const AWS: Spec = Spec::gnu(&[
        "profile",
        "region",
        "output",
        "query",
        "endpoint-url",
        "name",
        "names",
    ]);
    const VAULT: Spec = Spec::long(&["address", "namespace", "ns"]);
    const OTHER: Spec = Spec::gnu(&[
        "project",
        "a",
        "app",
        "p",
        "account",
        "vault",
        "c",
        "config",
        "n",
        "namespace",
        "f",
    ]);
    match program {
        "aws" => &AWS,
        "vault" | "bao" | "terraform" | "tofu" | "consul" => &VAULT,
        _ => &OTHER,
    }
}

/// A secret is printed by any output but its name or its description.
fn kubernetes(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "n",
            "namespace",
            "context",
            "kubeconfig",
            "o",
            "output",
            "l",
            "selector",
            "template",
        ]),
    );
    let is_secret = |it: &&str| {
        it.split(',')
            .any(|kind| matches!(kind.split('/').next(), Some("secret" | "secrets")))
    };
    let output = parsed.value(&["o", "output"]).unwrap_or_default();
    let prints = !matches!(output, "" | "name" | "wide") || parsed.has(&["template"]);
    match parsed.at(0) {
        "get" if parsed.from(1).iter().any(is_secret) && prints => Some(PRINTS.grave(format!(
            "prints the secrets of the cluster {}",
            listed(parsed.from(2))
        ))),
        "config"
            if parsed.at(1) == "view"
                && parsed.has(&["raw", "flatten", "minify"])
                && parsed.has(&["raw"]) =>
        {
            Some(PRINTS.grave("prints the keys to the cluster"))
        }
        "extract" => Some(PRINTS.grave("prints a secret of the cluster")),
        "create" if parsed.at(1) == "token" => Some(PRINTS.grave("makes and prints a token")),
        _ => None,
    }
}

fn git_credential(run: Run<'_>) -> Option<Effect> {
    let parsed: Parsed<'_> = parse(run.args, &Spec::gnu(&["C", "c", "git-dir", "work-tree"]));
    if parsed.begins("secret cat|reveal") || parsed.begins("crypt unlock|export-key") {
        return Some(EXPORTS.grave("decrypts files of the repository"));
    }
    let prints = parsed.begins("credential fill")
        || parsed.begins(
            "credential-store|credential-cache|credential-osxkeychain|credential-manager get",
        );
    prints.then(|| PRINTS.grave("prints the password of a remote"))
}

fn docker_inspect(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["f", "format", "H", "context"]));
    let format = parsed.value(&["f", "format"]).unwrap_or_default();
    (parsed.begins("inspect") && format.contains(".Env"))
        .then(|| MAY_PRINT.doubtful("prints the environment of a container"))
}

/// `docker compose config` fills in what the environment and its files hold.
fn compose_config(run: Run<'_>) -> Option<Effect> {
    const VALUES: &[&str] = &[
        "f",
        "file",
        "p",
        "project-name",
        "profile",
        "env-file",
        "project-directory",
        "format",
    ];
    if !run.args.iter().any(|it| word(it) == "config") {
        return None;
    }
    let parsed = parse(run.args, &Spec::gnu(VALUES));
    let words = match parsed.words.as_slice() {
        ["compose", rest @ ..] => rest,
        words if run.name.ends_with("-compose") => words,
        _ => return None,
    };
    let names = [
        "services", "images", "volumes", "networks", "profiles", "models", "q", "quiet", "hash",
    ];
    (words.first() == Some(&"config") && !parsed.has(&names)).then(|| {
        MAY_PRINT.doubtful("prints the settings of all services, with the secrets filled in")
    })
}

/// `pass name` prints, as `pass show name` does.
fn pass(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&[]));
    let own = [
        "show", "ls", "list", "find", "search", "grep", "insert", "add", "edit", "generate", "rm",
        "remove", "delete", "mv", "rename", "cp", "copy", "git", "init", "help", "version", "otp",
        "cat",
    ];
    let first = parsed.at(0);
    (!first.is_empty() && !own.contains(&first) && !parsed.has(&["c", "clip"]))
        .then(|| PRINTS.grave(format!("prints the password {first}")))
}

/// A setting is secret if it is named so.
fn pulumi(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&["s", "stack", "C", "cwd"]));
    let name = parsed.at(2);
    (parsed.begins("config get")
        && !super::secrets::names_a_secret(name)
        && !parsed.has(&["show-secrets"]))
    .then(|| MAY_PRINT.doubtful(format!("prints the setting {name}")))
}

/// One output is secret if it is named so; all of them together often hold one.
fn outputs(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::long(&["chdir", "state"]));
    let name = parsed.at(1);
    let named = super::secrets::names_a_secret(name);
    if !parsed.begins("output") || (!parsed.has(&["raw", "json"]) && !named) {
        return None;
    }
    if super::secrets::names_a_secret(name) {
        return Some(PRINTS.grave(format!("prints the output {name}")));
    }
    name.is_empty()
        .then(|| MAY_PRINT.doubtful("prints outputs, secret ones among them"))
}

fn registry_token(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &Spec::gnu(&[]));
    let name = parsed.at(2);
    (parsed.begins("config|c get") && super::secrets::names_a_secret(name))
        .then(|| PRINTS.grave(format!("prints the setting {name}")))
}

//! Infrastructure as code: what tears stacks down, and what changes them without a look.

use crate::effect::Effect;

use super::Run;
use super::args::{Spec, Style, parse};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    DESTROY = Infrastructure, "infrastructure.destroy", "Tears down infrastructure",
        instead "look at what would go with `terraform plan -destroy`";
    APPLY = Infrastructure, "infrastructure.apply", "Changes infrastructure",
        instead "look at what would change with `terraform plan`";
    STATE = Infrastructure, "infrastructure.state", "Edits what is known of the infrastructure",
        instead "look at the state with `terraform state list`";
    FLEET = Infrastructure, "infrastructure.fleet", "Runs a command on many machines",
        instead "try it on one machine first, with `--check` where there is one";
}

const TERRAFORM: &[&str] = &["terraform", "tofu", "opentofu", "terragrunt", "tf"];
const SERVERLESS: &[&str] = &["serverless", "sls", "osls"];

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::fine(TERRAFORM, "destroy|apply").with(&["help", "h"]),
    Row::grave(TERRAFORM, "destroy|run-all-destroy", &DESTROY, "destroys the infrastructure of this configuration"),
    Row::grave(TERRAFORM, "apply", &DESTROY, "destroys the infrastructure of this configuration").with(&["destroy"]),
    Row::grave(TERRAFORM, "run-all|run destroy", &DESTROY, "destroys the infrastructure of every module"),
    Row::grave(TERRAFORM, "stack run destroy", &DESTROY, "destroys the infrastructure of every module"),
    Row::doubtful(TERRAFORM, "run-all|run apply", &APPLY, "changes the infrastructure of every module"),
    Row::doubtful(TERRAFORM, "stack run apply", &APPLY, "changes the infrastructure of every module"),
    Row::doubtful(TERRAFORM, "apply", &APPLY, "changes infrastructure"),
    Row::doubtful(TERRAFORM, "state rm|mv|push|replace-provider", &STATE, "edits the state: {}"),
    Row::doubtful(TERRAFORM, "workspace delete", &STATE, "deletes the workspace {}"),
    Row::doubtful(TERRAFORM, "taint|untaint|import|force-unlock|refresh", &STATE, "edits the state: {}"),
    Row::grave(&["cdktf", "cdk"], "destroy", &DESTROY, "destroys the stack {}"),
    Row::doubtful(&["cdktf", "cdk"], "deploy|bootstrap|import", &APPLY, "changes the stack {}"),
    Row::fine(&["pulumi"], "destroy|up|update").with(&["preview-only"]),
    Row::grave(&["pulumi"], "destroy|down", &DESTROY, "destroys the stack"),
    Row::grave(&["pulumi"], "stack rm", &DESTROY, "deletes the stack {}").with(&["force", "f"]),
    Row::doubtful(&["pulumi"], "stack rm", &STATE, "deletes the stack {}"),
    Row::doubtful(&["pulumi"], "up|update|refresh|import", &APPLY, "changes the stack"),
    Row::doubtful(&["pulumi"], "state delete|unprotect|rename|move", &STATE, "edits the state: {}"),
    Row::doubtful(&["pulumi"], "cancel", &STATE, "breaks the lock of a stack"),
    Row::grave(SERVERLESS, "remove|rm", &DESTROY, "removes the deployed service"),
    Row::doubtful(SERVERLESS, "deploy|rollback", &APPLY, "deploys the service"),
    Row::grave(&["sam"], "delete", &DESTROY, "deletes the stack"),
    Row::doubtful(&["sam"], "deploy|sync", &APPLY, "changes the stack"),
    Row::grave(&["sst"], "remove", &DESTROY, "removes the deployed application"),
    Row::doubtful(&["sst"], "deploy|unlock", &APPLY, "deploys the application"),
    Row::grave(&["eb"], "terminate", &DESTROY, "terminates the environment {}"),
    Row::doubtful(&["eb"], "deploy|abort|swap|restore|scale", &APPLY, "changes the environment"),
    Row::grave(&["copilot"], "app|env|svc|job|storage delete", &DESTROY, "deletes {}"),
    Row::doubtful(&["copilot"], "deploy|svc|job|env deploy", &APPLY, "deploys {}"),
    Row::grave(&["azd"], "down", &DESTROY, "deletes the resources of the application"),
    Row::doubtful(&["azd"], "up|deploy|provision", &APPLY, "deploys the application"),
    Row::grave(&["amplify"], "delete", &DESTROY, "deletes the whole backend"),
    Row::grave(&["amplify"], "env|sandbox remove|delete", &DESTROY, "deletes the environment {}"),
    Row::doubtful(&["amplify"], "push|publish|remove", &APPLY, "changes the backend"),
    Row::grave(&["ampx"], "sandbox delete", &DESTROY, "deletes the sandbox"),
    Row::grave(&["kitchen", "molecule", "crossplane", "nitric", "encore", "garden", "chalice", "zappa", "architect", "up"], "destroy|delete|undeploy|down|cleanup", &DESTROY, "destroys {}"),
    Row::doubtful(&["vagrant"], "destroy", &DESTROY, "destroys the virtual machine {}"),
    Row::doubtful(&["vagrant"], "snapshot delete|restore|pop", &DESTROY, "deletes {}"),
    Row::grave(&["bosh"], "delete-deployment|delete-env|deld|clean-up|cleanup", &DESTROY, "deletes the deployment"),
    Row::grave(&["cf"], "delete|delete-org|delete-space|delete-service|d|ds", &DESTROY, "deletes {}"),
    Row::grave(&["juju"], "destroy-model|destroy-controller|kill-controller|remove-application", &DESTROY, "destroys {}"),
    Row::grave(&["nomad"], "job stop|purge", &DESTROY, "stops and forgets {}").with(&["purge"]),
    Row::doubtful(&["nomad"], "job|system|node|volume stop|gc|purge|drain|delete|deregister", &APPLY, "stops {}"),
    Row::doubtful(&["nomad"], "stop", &APPLY, "stops {}"),
    Row::doubtful(&["kamal", "mrsk"], "remove", &DESTROY, "removes the deployed application"),
    Row::doubtful(&["packer"], "build", &APPLY, "builds an image").with(&["force"]),
    Row::doubtful(&["salt", "salt-call"], "* cmd.run|cmd.run_all|state.apply|state.highstate", &FLEET, "runs {} on many machines"),
]);

const SPEC: Spec = Spec {
    values: &[
        "chdir",
        "var",
        "var-file",
        "target",
        "s",
        "stack",
        "stage",
        "region",
        "profile",
        "C",
        "cwd",
        "g",
        "terragrunt-working-dir",
        "working-dir",
        "app",
        "a",
        "c",
        "context",
    ],
    longs: &[],
    style: Style::Long,
};

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    match run.name {
        "ansible" => return ansible(run),
        "ansible-playbook" => {
            let parsed = parse(
                run.args,
                &Spec::gnu(&["i", "e", "l", "t", "u", "extra-vars", "limit", "tags"]),
            );
            let looks = parsed.has(&[
                "check",
                "C",
                "syntax-check",
                "list-tasks",
                "list-hosts",
                "list-tags",
            ]);
            return if looks {
                Vec::new()
            } else {
                vec![FLEET.doubtful(format!("runs the playbook {}", parsed.at(0)))]
            };
        }
        _ => {}
    }
    if !ROWS.knows(run.name) {
        return Vec::new();
    }
    let parsed = parse(run.args, &SPEC);
    if parsed.is_dry_run() || parsed.is_on(&["n", "noop", "preview"]) {
        return Vec::new();
    }
    ROWS.first(run, &parsed).into_iter().collect()
}

/// Ad-hoc commands: modules that look are fine, those that act are confirmed, deletions denied.
fn ansible(run: Run<'_>) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "i",
            "m",
            "a",
            "u",
            "f",
            "l",
            "e",
            "B",
            "P",
            "inventory",
            "module-name",
            "args",
            "limit",
            "user",
            "forks",
            "extra-vars",
        ]),
    );
    if parsed.has(&["C", "check", "list-hosts"]) {
        return Vec::new();
    }
    let module = parsed.value(&["m", "module-name"]).unwrap_or("command");
    let arguments = parsed.value(&["a", "args"]).unwrap_or_default();
    let module = module.rsplit('.').next().unwrap_or(module);
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let deletes = match module {
        "file" => arguments.contains("state=absent"),
        "shell" | "command" | "raw" | "script" => words.iter().any(|it| {
            matches!(
                *it,
                "rm" | "mkfs" | "dd" | "shutdown" | "reboot" | "wipefs" | "dropdb"
            )
        }),
        "reboot" => true,
        _ => false,
    };
    if deletes {
        return vec![FLEET.grave(format!(
            "runs `{arguments}` on the machines {}",
            parsed.at(0)
        ))];
    }
    let looks = match module {
        "ping" | "setup" | "debug" | "stat" | "fetch" | "win_ping" | "gather_facts"
        | "service_facts" => true,
        "shell" | "command" | "raw" => words.first().is_some_and(|it| {
            matches!(
                *it,
                "uptime"
                    | "ls"
                    | "cat"
                    | "df"
                    | "free"
                    | "hostname"
                    | "date"
                    | "whoami"
                    | "uname"
                    | "ps"
                    | "echo"
                    | "grep"
                    | "tail"
                    | "head"
                    | "id"
                    | "which"
                    | "du"
            )
        }),
        _ => false,
    };
    if looks {
        Vec::new()
    } else {
        vec![FLEET.doubtful(format!("runs {module} on the machines {}", parsed.at(0)))]
    }
}

//! Clusters: what is deleted or disturbed in Kubernetes and around it.

use crate::effect::Effect;
use crate::invocation::Through;

use super::Run;
use super::args::{Parsed, Spec, listed, parse};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    DELETE_STATE = Cluster, "cluster.delete-state", "Deletes namespaces, volumes or definitions with all they hold",
        instead "look first with `kubectl get`, and try with `--dry-run=server`";
    DELETE = Cluster, "cluster.delete", "Deletes workloads",
        instead "look first with `kubectl get`, or restart with `kubectl rollout restart`";
    DISTURB = Cluster, "cluster.disturb", "Disturbs running workloads",
        instead "look first with `kubectl get`, or at the changes with `kubectl diff`";
    RELEASE = Cluster, "cluster.release", "Uninstalls a release with all that it made",
        instead "look first with `helm status`";
    TEAR_DOWN = Cluster, "cluster.tear-down", "Deletes a whole cluster",
        instead "list what runs in it with `kubectl get all --all-namespaces`, and leave the deletion to the person";
}

const KUBE: Spec = Spec::gnu(&[
    "n",
    "namespace",
    "context",
    "cluster",
    "user",
    "kubeconfig",
    "f",
    "filename",
    "l",
    "selector",
    "k",
    "field-selector",
    "grace-period",
    "timeout",
    "p",
    "patch",
    "type",
    "o",
    "output",
    "s",
    "server",
    "as",
    "token",
    "replicas",
    "c",
    "container",
    "cascade",
]);

const HELM: &[&str] = &["helm", "helm3"];
const LOCAL: &[&str] = &[
    "kind", "minikube", "k3d", "k0s", "microk8s", "colima", "ctlptl",
];

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::grave(HELM, "uninstall|delete|del|un|purge", &RELEASE, "uninstalls the release {}"),
    Row::doubtful(HELM, "rollback", &DISTURB, "takes the release {} back"),
    Row::doubtful(HELM, "upgrade", &DISTURB, "upgrades {} by force").with(&["force", "force-replace"]),
    Row::grave(&["helmfile"], "destroy|delete", &RELEASE, "uninstalls every release"),
    Row::doubtful(&["helmfile"], "apply|sync", &DISTURB, "changes every release"),
    Row::grave(&["argocd"], "app|appset|proj|cluster|repo delete|rm", &RELEASE, "deletes {}"),
    Row::doubtful(&["argocd"], "app sync|rollback|terminate-op|set", &DISTURB, "changes {}"),
    Row::grave(&["flux"], "uninstall", &RELEASE, "uninstalls Flux"),
    Row::doubtful(&["flux"], "delete|suspend", &DISTURB, "changes {}"),
    Row::grave(&["istioctl", "linkerd", "cilium"], "uninstall|x", &RELEASE, "uninstalls the mesh"),
    Row::grave(&["eksctl", "kops", "rosa", "tkg", "tanzu"], "delete", &TEAR_DOWN, "deletes {}"),
    Row::grave(&["kubeadm"], "reset", &TEAR_DOWN, "takes this machine out of its cluster"),
    Row::doubtful(LOCAL, "delete", &TEAR_DOWN, "deletes the local cluster {}"),
    Row::doubtful(LOCAL, "cluster|node delete|rm", &TEAR_DOWN, "deletes the local cluster {}"),
    Row::doubtful(LOCAL, "reset", &TEAR_DOWN, "resets the local cluster"),
    Row::grave(&["velero"], "backup|restore|schedule delete", &DELETE_STATE, "deletes the backup {}"),
    Row::grave(&["velero"], "delete", &DELETE_STATE, "deletes {}"),
    Row::grave(&["rancher", "vcluster", "loft"], "delete|clusters", &TEAR_DOWN, "deletes {}").with(&["delete", "force", "f"]),
    Row::doubtful(&["vcluster", "skaffold", "tilt", "devspace", "okteto"], "delete|down|destroy|purge", &DELETE, "deletes what was deployed"),
    Row::grave(&["longhornctl", "rook"], "delete|uninstall", &DELETE_STATE, "deletes volumes"),
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "kubectl" | "oc" | "kubecolor" | "k" | "microk8s.kubectl" => {
            kubectl(run, &parse(run.args, &KUBE))
        }
        "k3s" | "microk8s" if run.args.first().and_then(|it| it.text()) == Some("kubectl") => {
            kubectl(run, &parse(run.args.get(1..).unwrap_or_default(), &KUBE))
        }
        "k3s-uninstall" | "k3s-killall" | "rke2-uninstall" => {
            Some(TEAR_DOWN.grave("uninstalls the cluster of this machine"))
        }
        name if ROWS.knows(name) => {
            let parsed = parse(
                run.args,
                &Spec::gnu(&[
                    "n",
                    "namespace",
                    "kube-context",
                    "f",
                    "file",
                    "e",
                    "environment",
                    "name",
                ]),
            );
            if parsed.is_dry_run() {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// The kinds of which a deletion takes along what cannot be made again.
fn holds_state(kind: &str) -> bool {
    let kind = kind.split('.').next().unwrap_or(kind);
    matches!(
        kind,
        "ns" | "namespace"
            | "namespaces"
            | "project"
            | "projects"
            | "pv"
            | "persistentvolume"
            | "persistentvolumes"
            | "pvc"
            | "persistentvolumeclaim"
            | "persistentvolumeclaims"
            | "crd"
            | "crds"
            | "customresourcedefinition"
            | "customresourcedefinitions"
            | "all"
            | "node"
            | "nodes"
            | "no"
            | "secret"
            | "secrets"
            | "storageclass"
            | "storageclasses"
            | "sc"
            | "volumesnapshot"
            | "volumesnapshots"
            | "volumesnapshotcontent"
            | "cluster"
            | "clusters"
            | "statefulset"
            | "statefulsets"
            | "sts"
            | "clusterrole"
            | "clusterroles"
            | "apiservice"
            | "apiservices"
            | "etcdcluster"
            | "postgresql"
            | "application"
            | "applications"
            | "kustomization"
            | "helmrelease"
    )
}

fn kubectl(run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
    if parsed.value(&["dry-run"]).is_some_and(|it| it != "none")
        || (parsed.has(&["dry-run"]) && parsed.value(&["dry-run"]).is_none())
    {
        return None;
    }
    match parsed.at(0) {
        "delete" => Some(delete(run, parsed)),
        "drain" => {
            Some(DISTURB.doubtful(format!("moves everything off the node {}", parsed.at(1))))
        }
        "cordon" | "taint" => {
            Some(DISTURB.doubtful(format!("keeps work off the node {}", parsed.at(1))))
        }
        "scale" if parsed.value(&["replicas"]) == Some("0") => {
            Some(DISTURB.doubtful(format!("stops {}", listed(parsed.from(1)))))
        }
        "replace" if parsed.has(&["force"]) => Some(DELETE.doubtful("deletes and makes again")),
        "apply" if parsed.has(&["prune"]) => {
            Some(DELETE.doubtful("deletes what the manifests do not name"))
        }
        "apply" => Some(DISTURB.doubtful("changes what runs in the cluster")),
        "adm" | "admin" if matches!(parsed.at(1), "drain" | "prune") => {
            Some(DISTURB.doubtful(format!("runs {}", parsed.words.join(" "))))
        }
        "rollout" if parsed.at(1) == "undo" => {
            Some(DISTURB.doubtful(format!("takes {} back", listed(parsed.from(2)))))
        }
        _ => None,
    }
}

fn delete(run: Run<'_>, parsed: &Parsed<'_>) -> Effect {
    let all = parsed.is_on(&["all", "all-namespaces", "A"]);
    let force = parsed.is_on(&["force", "now"]) || parsed.value(&["grace-period"]) == Some("0");
    let named = parsed.from(1);
    let kinds: Vec<&str> = match named {
        [] => Vec::new(),
        [first, ..] if first.contains('/') => named
            .iter()
            .filter_map(|it| it.split_once('/').map(|(kind, _)| kind))
            .collect(),
        [first, ..] => first.split(',').collect(),
    };
    let state = kinds
        .iter()
        .any(|kind| holds_state(&kind.to_ascii_lowercase()));
    // `kubectl get ns -o name | xargs kubectl delete`: the listing tells the kind.
    let state = state
        || run.invocation.through.iter().any(|it| match it {
            Through::EachOf(source) => source.split([' ', ',', '/']).any(holds_state),
            _ => false,
        });
    let everything = all
        && !kinds.iter().all(|kind| {
            matches!(
                *kind,
                "pod" | "pods" | "po" | "job" | "jobs" | "event" | "events"
            )
        });
    let what = match named {
        [] => format!(
            "deletes what the manifests {} name",
            parsed
                .value(&["f", "filename", "k", "kustomize"])
                .unwrap_or_default()
        ),
        _ => format!(
            "deletes {}{}",
            listed(named),
            if all { ", all of them" } else { "" }
        ),
    };
    if state || everything {
        return DELETE_STATE.grave(what);
    }
    if force {
        return DELETE.doubtful(format!("{what} by force"));
    }
    DELETE.doubtful(what)
}

//! What `check` and `trust` say about a project's variables.

use super::{ProjectVariable, Sight, Steers};
use crate::settings::files::{FileText, finding};
use crate::settings::syntax::diagnostic::{Diagnostic, Severity};
use crate::settings::syntax::findings::Findings;

/// At most this many names that mean nothing to Bowline are listed.
const MOST_NAMES: usize = 12;
const ADVICE: &str = "take it out, or look at it with `bowline trust`";

/// Whether a person trusts what the project's files set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::settings) enum Trusted {
    Yes,
    No,
}

/// The findings about the variables of these files.
pub(in crate::settings) fn findings(
    files: &[FileText],
    variables: &[ProjectVariable],
    trusted: Trusted,
) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for file in files {
        let of_file: Vec<&ProjectVariable> =
            variables.iter().filter(|it| it.file == file.path).collect();
        if of_file.iter().any(|it| it.sight != Sight::Read) {
            // The broken file is reported elsewhere.
            let steers = |it: &ProjectVariable| it.steers != Steers::Others;
            let matters = of_file
                .iter()
                .any(|it| it.sight == Sight::Unread || steers(it));
            all.extend(matters.then(|| not_understood(file)));
        } else if let Ok(Some(text)) = &file.text {
            let mut findings = Findings::new(text, 0, Some(&file.path));
            for variable in &of_file {
                tell(&mut findings, variable, trusted);
            }
            tell_others(&mut findings, &of_file, trusted);
            all.extend(findings.finish());
        }
    }
    all
}

fn not_understood(file: &FileText) -> Diagnostic {
    let message = match &file.text {
        Err(_) => {
            "what it sets for the agent cannot be known: none of Bowline's variables count here, and your hooks get the usual environment alone"
        }
        Ok(_) => {
            "what it sets for the agent cannot be known: no variable whose name occurs in it counts for Bowline and your hooks"
        }
    };
    let advice = "repair the file, or remove it";
    finding(
        Severity::Warning,
        "project-variable",
        &file.path,
        message,
        advice,
    )
}

fn tell(findings: &mut Findings<'_>, variable: &ProjectVariable, trusted: Trusted) {
    let setting = format!("`{}` for the agent and its hooks", variable.name);
    match (variable.steers, trusted) {
        (Steers::Others, _) => {}
        (Steers::Places, _) => findings.warning(
            "project-variable",
            &variable.span,
            format!("{setting} is ignored: where Bowline's files are is not a project's to say"),
            "take it out",
        ),
        (Steers::Conduct, Trusted::No) => findings.warning(
            "untrusted",
            &variable.span,
            format!("{setting} is ignored: the project's settings are not trusted"),
            ADVICE,
        ),
        (Steers::Conduct, Trusted::Yes) => findings.note(
            "project-variable",
            &variable.span,
            format!("{setting} counts: the project is trusted"),
            ADVICE,
        ),
    }
}

/// One note for all that mean nothing to Bowline.
fn tell_others(findings: &mut Findings<'_>, variables: &[&ProjectVariable], trusted: Trusted) {
    let others: Vec<&&ProjectVariable> = variables
        .iter()
        .filter(|it| it.steers == Steers::Others)
        .collect();
    let (Some(first), Trusted::No) = (others.first(), trusted) else {
        return;
    };
    let mut names: Vec<&str> = others.iter().map(|it| it.name.as_str()).collect();
    let left_out = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let more = match left_out {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    findings.note(
        "untrusted",
        &first.span,
        format!(
            "your own hooks do not get {}{more}: the project's settings are not trusted",
            names.join(", ")
        ),
        "if they need it, look at it with `bowline trust`",
    );
}

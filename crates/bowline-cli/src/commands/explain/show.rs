//! A judgement for people: the programs as a tree, then the verdict.

use bowline::settings::GuardMode;
use bowline_guard::Strictness;
use bowline_guard::effect::Category;

use super::own::OwnRule;
use super::view::{EffectView, Program, Report};
use crate::commands::guard::style_of;
use crate::ui::{Text, Tree, Ui, style};

pub(super) fn show(report: &Report, ui: &mut Ui) {
    ui.tree(&tree(report));
    if let Some(understood) = &report.understanding
        && understood.state != "clean"
    {
        ui.blank();
        let how = match understood.state {
            "partial" => "Understood only in part",
            _ => "Not understood",
        };
        ui.line(
            Text::styled(how, style::CAUTION)
                .plain(format!(": {}", understood.problems.join("; "))),
        );
    }
    ui.blank();
    let verdict = &report.verdict;
    for rule in &report.own_rules {
        let place = rule.place.as_deref().unwrap_or("your settings");
        ui.line(
            Text::styled(rule.decision, style_of(rule.strictness).bold())
                .plain(" by your rule ")
                .with(&rule.id, style::NAME)
                .with(format!(" ({place})"), style::FAINT),
        );
        if let Some(reason) = &rule.reason {
            ui.line(reason.as_str());
        }
    }
    let mut head = Text::styled(verdict.decision, style_of(verdict.strictness()).bold());
    if let (Some(rule), Some(category)) = (&verdict.rule, verdict.category) {
        head = head
            .plain(" by ")
            .with(rule, style::NAME)
            .with(format!(" ({category})"), style::FAINT);
    } else if stopping_rules(report).next().is_some() {
        // Beside a rule that stops the call, "allow" would read like the answer.
        head = Text::styled(format!("By itself: {}", why_allowed(report)), style::FAINT);
    } else {
        head = head.with(format!(" ({})", why_allowed(report)), style::FAINT);
    }
    ui.line(head);
    if let Some(reason) = &verdict.reason {
        ui.line(reason.as_str());
    }
    if let Some(instead) = &verdict.instead {
        ui.line(Text::styled("Instead: ", style::GOOD).plain(instead));
    }
    let consequence = match (report.mode, verdict.strictness()) {
        (_, Strictness::Allow) => None,
        // The guard itself is asked about in every mode.
        _ if verdict.category == Some(Category::OwnSettings.name()) => None,
        (GuardMode::Observe, _) => Some("the guard only observes here: it is told, and passes"),
        (GuardMode::OneStrike, Strictness::Deny) => {
            Some("one strike: the same call once more in a session passes")
        }
        _ => None,
    };
    if let Some(consequence) = consequence {
        ui.line(Text::styled("Mode: ", style::CAUTION).plain(consequence));
    }
    for way in ways(report) {
        ui.line(Text::styled("To allow: ", style::FAINT).plain(way));
    }
    for (label, hooks) in other_hooks(report) {
        ui.line(Text::styled(format!("{label}: {hooks}"), style::FAINT));
    }
}

/// Bowline's other hooks: those that run for the call, and those that do not.
fn other_hooks(report: &Report) -> Vec<(&'static str, String)> {
    let others = || report.hooks.iter().filter(|hook| !hook.is_guard);
    let runs: Vec<&str> = others()
        .filter(|hook| hook.why_not.is_none())
        .map(|hook| hook.name.as_str())
        .collect();
    let idle: Vec<String> = others()
        .filter_map(|hook| Some(format!("{} ({})", hook.name, hook.why_not.as_ref()?)))
        .collect();
    let lines = [
        ("Also runs", runs.join(", ")),
        ("Does not run", idle.join(", ")),
    ];
    let lines = lines.into_iter().filter(|(_, hooks)| !hooks.is_empty());
    lines.collect()
}

/// The person's own rules that stop the call.
fn stopping_rules(report: &Report) -> impl Iterator<Item = &OwnRule> {
    let own = report.own_rules.iter();
    own.filter(|it| it.strictness > Strictness::Allow)
}

/// How a person lets pass what is stopped.
fn ways(report: &Report) -> Vec<String> {
    let mut ways: Vec<String> = stopping_rules(report)
        .map(|rule| {
            let place = rule.place.as_deref().unwrap_or("your settings");
            format!("change your rule {} in {place}", rule.id)
        })
        .collect();
    let guarded = report.verdict.category != Some(Category::OwnSettings.name());
    if let Some(rule) = report.verdict.rule.as_ref().filter(|_| guarded) {
        ways.push(format!(
            "`bowline allow {rule} --once`, or `--for 1h`; once a call was stopped, `bowline allow last` is for that call alone"
        ));
    }
    ways
}

fn tree(report: &Report) -> Tree {
    if report.understanding.is_none() {
        return Tree::new(
            Text::styled(&report.tool, style::NAME).plain(format!(" {}", report.input)),
        );
    }
    let mut root = Branch::new(Text::styled(&report.input, style::HEADING));
    for program in &report.programs {
        root.insert(&program.through, program_branch(program));
    }
    root.branches.extend(
        report
            .effects
            .iter()
            .map(|effect| Branch::new(effect_line(effect))),
    );
    root.into_tree()
}

/// A tree that still grows.
struct Branch {
    label: Text,
    /// What nested programs are run through; nothing for the programs themselves.
    through: Option<String>,
    branches: Vec<Branch>,
}

impl Branch {
    fn new(label: Text) -> Self {
        Self {
            label,
            through: None,
            branches: Vec::new(),
        }
    }

    /// Puts a branch below these wrappers; neighbours share theirs.
    fn insert(&mut self, through: &[String], branch: Branch) {
        let Some((first, rest)) = through.split_first() else {
            self.branches.push(branch);
            return;
        };
        let neighbour = self
            .branches
            .last_mut()
            .filter(|last| last.through.as_ref() == Some(first));
        if let Some(neighbour) = neighbour {
            neighbour.insert(rest, branch);
        } else {
            let mut wrapper = Branch {
                through: Some(first.clone()),
                ..Branch::new(Text::styled(first, style::FAINT))
            };
            wrapper.insert(rest, branch);
            self.branches.push(wrapper);
        }
    }

    fn into_tree(self) -> Tree {
        let mut tree = Tree::new(self.label);
        for branch in self.branches {
            tree.push(branch.into_tree());
        }
        tree
    }
}

fn program_branch(program: &Program) -> Branch {
    let mut branch = Branch::new(Text::styled(program.line(), style::NAME));
    let mut note = |text: String| {
        branch
            .branches
            .push(Branch::new(Text::styled(text, style::FAINT)));
    };
    match &program.directory {
        Some(directory) if program.moved => note(format!("in {directory}")),
        Some(_) => {}
        None => note("in a folder that cannot be known".to_owned()),
    }
    if !program.variables.is_empty() {
        note(format!("with {} set", program.variables.join(", ")));
    }
    if let Some(stdin) = &program.stdin {
        note(format!("reads {stdin}"));
    }
    for file in &program.files {
        note(format!("{} {}", file.how, file.file));
    }
    let effects = program.effects.iter();
    branch
        .branches
        .extend(effects.map(|effect| Branch::new(effect_line(effect))));
    branch
}

/// Why a call passes: there is nothing to say about it, or nothing would be lost.
fn why_allowed(report: &Report) -> &'static str {
    let of_programs = report.programs.iter().flat_map(|it| &it.effects);
    let mut effects = of_programs.chain(&report.effects);
    if effects.any(|it| it.because.is_some()) {
        "nothing would be lost"
    } else {
        "the guard has no opinion"
    }
}

fn effect_line(effect: &EffectView) -> Text {
    let decision = Text::styled(effect.decision, effect.style);
    let line = match &effect.because {
        // The reason comes first: the text of the effect alone would read like an alarm.
        Some(because) if effect.decision == Strictness::Allow.name() => decision
            .plain(format!(" {because} "))
            .with(format!("({}, {})", effect.what, effect.rule), style::FAINT),
        Some(because) => decision
            .plain(format!(" {}: {}: {because}", effect.category, effect.what))
            .with(format!(" [{}]", effect.rule), style::FAINT),
        None => decision
            .plain(format!(" {}: {}", effect.category, effect.what))
            .with(format!(" [{}]", effect.rule), style::FAINT),
    };
    match effect.without_settings {
        Some(decision) => line.with(
            format!(" ({decision} without the settings)"),
            style::CAUTION,
        ),
        None => line,
    }
}

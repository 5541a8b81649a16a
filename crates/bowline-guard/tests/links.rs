//! Links that a text makes itself do not hide where its paths lead.

use bowline_guard::Strictness;
use bowline_guard::effect::{Category, Gravity};
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use bowline_guard::pattern::PathPattern;
use bowline_guard::policy::{AllowList, GuardPolicy};
use bowline_guard::tool_call::{ToolCall, judge_tool_call};

fn world() -> StaticWorld {
    StaticWorld::new("/home/dev/project", "/home/dev")
}

#[test]
fn what_lies_behind_a_new_link_is_judged() {
    for command in [
        "ln -sfn / node_modules; rm -rf node_modules/home",
        "ln -s / target; rm -rf target/etc",
        "ln -sfn ~ build && rm -rf build/work",
        "ln -s ~ build && cd build && rm -rf work",
        "ln -s /srv build/ && rm -rf build/srv/data",
        "ln -s /srv build && rm -rf build/srv/data",
        "ln -st build /srv /opt && rm -rf build/opt/x",
        "ln -s -t build /srv && rm -rf build/srv/x",
        "ln --symbolic --target-directory=build /srv && rm -rf build/srv/x",
        "cd build && ln -s /srv && cd .. && rm -rf build/srv/x",
        "ln -sr .. build/up && rm -rf build/up/other",
        "ln -s .. build && ln -s / build/all && rm -rf build/all/etc",
        "ln -s / q && mv q build && rm -rf build/etc",
        "ln -s / q && cp -P q build && rm -rf build/etc",
        "mkdir q && ln -s / q/r && mv q build && rm -rf build/r/etc",
        "ln -s / build; ln -s /tmp/x build; rm -rf build/etc",
        "ln -s /tmp/x build; ln -sfn / build; rm -rf build/etc",
        "cp -s /srv build; rm -rf build/data",
        "ln -s / build; rm -rf build/*",
        "ln -s / build; rm -rf build/",
        "bash -c 'ln -s / build'; find build/etc -delete",
        "python3 -c 'import os; os.symlink(\"/\", \"build\")'; rm -rf build/etc",
    ] {
        assert_eq!(
            judge(command, &world()).verdict.gravity,
            Gravity::Grave,
            "{command}"
        );
    }
}

#[test]
fn a_link_that_leads_somewhere_unknown_is_asked_about() {
    for command in [
        "ln -s \"$X\" build && rm -rf build/x",
        "ln -s $(cat x) node_modules && rm -rf node_modules/x",
        "ln -s /h* build && rm -rf build/x",
        "ln -s build build && rm -rf build/x",
    ] {
        assert!(
            judge(command, &world()).verdict.gravity > Gravity::Harmless,
            "{command}"
        );
    }
    let many: Vec<String> = (0..200).map(|at| format!("ln -s / a{at}; ")).collect();
    assert!(judge(&many.concat(), &world()).verdict.gravity > Gravity::Harmless);
}

#[test]
fn a_link_makes_nothing_milder() {
    for command in [
        "ln -s /tmp/x src; rm -rf src/",
        "ln -s /tmp/x src; cd src && rm -rf *",
        "ln -s build src; rm -rf src/lib",
    ] {
        assert!(
            judge(command, &world()).verdict.gravity > Gravity::Harmless,
            "{command}"
        );
    }
}

#[test]
fn everyday_links_pass() {
    for command in [
        "ln -s ../shared/config.json config.json && cat config.json",
        "ln -sf ../dist/cli.js bin/cli && ls -l bin/cli",
        "ln -s / build; rm build",
        "ln -sfn releases/2 current && ls current/",
        "ln -s build out && rm -rf out/x",
        "rm -rf dist/ && ln -s ../../shared/dist dist",
        "ln -s \"$PWD/tool\" build/tool && build/tool --help",
    ] {
        assert_eq!(
            judge(command, &world()).verdict.gravity,
            Gravity::Harmless,
            "{command}"
        );
    }
}

#[test]
fn the_guards_own_settings_are_found_behind_a_link() {
    for command in [
        "ln -s .claude q && tee q/settings.json < x",
        "ln -s .claude q; cd q; echo x > settings.json",
        "ln -s .claude q; ln -s x q; tee q/settings.json < x",
    ] {
        let judgement = judge(command, &world());
        let own = |effect: &bowline_guard::effect::Effect| effect.category == Category::OwnSettings;
        assert!(judgement.effects.iter().any(|(it, _)| own(it)), "{command}");
    }
}

#[test]
fn a_path_that_is_let_pass_is_no_way_out() {
    let policy = GuardPolicy {
        allow: AllowList {
            paths: vec![PathPattern::parse("scratch/**").unwrap()],
            ..AllowList::default()
        },
        ..GuardPolicy::default()
    };
    for (command, passes) in [
        ("rm -rf scratch/q/src", true),
        ("ln -s .. scratch/q && rm -rf scratch/q/src", false),
        ("ln -s ../.. scratch/q && rm -rf scratch/q/src", false),
        ("ln -s \"$X\" scratch/q && rm -rf scratch/q/src", false),
    ] {
        let call = ToolCall {
            command: Some(command),
            ..ToolCall::default()
        };
        let decision = judge_tool_call("Bash", &call, &world(), &policy).decision;
        assert_eq!(decision == Strictness::Allow, passes, "{command}");
    }
}

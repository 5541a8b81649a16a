//! What a session is told, and what gives way when there is too much.

use super::*;
use crate::effort::EffortId;
use crate::note::{Note, Todo};
use crate::samples::{effort, moment};

const CLAUDE_CODE: usize = 10_000;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn note(text: &str, effort: Option<EffortId>) -> Note {
    Note {
        id: 1,
        project: "/shop".into(),
        effort,
        text: text.into(),
        at: moment(0),
    }
}

fn todo(text: &str, state: TodoState) -> Todo {
    Todo {
        id: None,
        text: text.into(),
        state,
    }
}

fn left() -> Dehydrated {
    let mut left = Dehydrated {
        summary: "Rounding is half done.\n\n  indented".into(),
        last_action: Some("ran the tests".into()),
        next_steps: texts(&["fix total.ts", "add a test"]),
        handover_instructions: Some("keep the old API".into()),
        user_history: Some("wants cents".into()),
        required_files: texts(&["src/total.ts"]),
        ..Dehydrated::default()
    };
    left.other.insert("mood".into(), "calm".into());
    left.other.insert("tries".into(), 3.into());
    left
}

fn everything() -> HandOver {
    HandOver {
        effort: Some(effort()),
        dehydrated: Some(left()),
        notes: vec![
            note("We use cents.", None),
            note("No floats.", Some(effort().id)),
        ],
        from: Origin::Earlier,
        last_prompt: Some("Fix the rounding".into()),
        todos: vec![
            todo("old", TodoState::Completed),
            todo("test", TodoState::Pending),
            todo("fix", TodoState::InProgress),
        ],
        edited_files: texts(&["src/total.ts", "src/tax.ts"]),
    }
}

fn told(hand_over: &HandOver, detail: Detail, limit: usize) -> Option<String> {
    let material = Material {
        beginning: Beginning::Session,
        hand_over,
        artifacts: &texts(&["2_IMPLEMENT_LOG.md", "PLAN.md"]),
        preload: &texts(&["AGENTS.md"]),
        skill: "Plan, then build.",
        recovered: "",
        standing: &[],
    };
    Briefing::new(material, detail).assemble(limit)
}

#[test]
fn f33_a_everything_is_told_in_the_order_of_importance() {
    let text = told(&everything(), Detail::Summary, CLAUDE_CODE).unwrap();
    assert_eq!(
        text,
        "## You continue an effort\n\
         Task `/shop/.tasks/checkout`, effort 2, skill `implement`, phase `2.1: Build`. Its phases: 1: Plan → 2.1: Build → 3: Test.\n\
         Log what you do every few tool calls with `bowline effort log \"…\"`; enter the next phase with `bowline effort phase \"LABEL\" \
         --proof \"…\"`; end with `bowline effort finish`.\n\n\
         ## What the last session left for you\n\
         Rounding is half done.\n\n  indented\n\
         Last action: ran the tests\n\
         Next steps:\n1. fix total.ts\n2. add a test\n\
         How to go on: keep the old API\n\
         What the user said: wants cents\n\
         Read these files first:\n- src/total.ts\n\
         mood: calm\n\
         tries: 3\n\n\
         ## Pinned notes\n- We use cents.\n- No floats.\n\n\
         ## Read these files before you go on\n- AGENTS.md\n\n\
         ## The skill `implement`\nPlan, then build.\n\n\
         ## What the user asked last in the session before (not a new request)\nFix the rounding\n\n\
         ## Open to-dos of the session before\n- fix (in progress)\n- test\n(1 done)\n\n\
         ## Files that the session before edited, the last first\n- src/total.ts\n- src/tax.ts"
    );
}

#[test]
fn f35_c_without_a_payload_the_files_of_the_effort_are_listed() {
    let mut hand_over = everything();
    hand_over.dehydrated = None;
    let text = told(&hand_over, Detail::Off, CLAUDE_CODE).unwrap();
    assert!(text.contains("left no summary"), "{text}");
    assert!(text.contains("- 2_IMPLEMENT_LOG.md\n- PLAN.md"), "{text}");
    // They are for an effort alone.
    hand_over.effort = None;
    let text = told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap();
    assert!(
        !text.contains("PLAN.md") && !text.contains("Plan, then"),
        "{text}"
    );
}

#[test]
fn with_nothing_to_say_nothing_is_said() {
    let nothing = HandOver::default();
    let material = Material {
        beginning: Beginning::Session,
        hand_over: &nothing,
        artifacts: &[],
        preload: &[],
        skill: "",
        recovered: "",
        standing: &[],
    };
    for detail in [Detail::Off, Detail::Summary, Detail::Full] {
        assert_eq!(Briefing::new(material, detail).assemble(CLAUDE_CODE), None);
    }
    assert_eq!(told(&everything(), Detail::Full, 0), None);
    let done = HandOver {
        todos: vec![todo("old", TodoState::Completed)],
        last_prompt: Some(" \n".into()),
        ..HandOver::default()
    };
    let material = Material {
        hand_over: &done,
        ..material
    };
    assert_eq!(
        Briefing::new(material, Detail::Full).assemble(CLAUDE_CODE),
        None
    );
}

#[test]
fn the_setting_says_how_much_is_handed_over() {
    let mut hand_over = everything();
    hand_over.last_prompt = Some("p".repeat(400));
    hand_over.todos = (0..12)
        .map(|n| todo(&format!("todo{n}"), TodoState::Pending))
        .collect();
    hand_over.edited_files = (0..12).map(|n| format!("file{n}")).collect();

    let off = told(&hand_over, Detail::Off, CLAUDE_CODE).unwrap();
    for (wanted, missing) in [
        ("effort 2", "We use cents."),
        ("half done", "ppp"),
        ("No floats.", "todo0"),
        ("AGENTS.md", "file0"),
        ("Plan, then build.", "## Open"),
    ] {
        assert!(
            off.contains(wanted) && !off.contains(missing),
            "{wanted}, {missing}: {off}"
        );
    }

    let summary = told(&hand_over, Detail::Summary, CLAUDE_CODE).unwrap();
    assert!(
        summary.contains(&format!("\n{}…\n", "p".repeat(299))),
        "{summary}"
    );
    assert!(summary.contains("- todo7\n- … and 4 more\n"), "{summary}");
    assert!(summary.ends_with("- file7\n- … and 4 more"), "{summary}");

    let full = told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap();
    assert!(full.contains(&"p".repeat(400)), "{full}");
    assert!(
        full.contains("- todo11\n") && full.ends_with("- file11"),
        "{full}"
    );
}

#[test]
fn a_less_important_section_is_dropped_before_a_more_important_one_is_cut() {
    let hand_over = everything();
    let all = units(&told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap());
    let marks = [
        "effort 2",
        "half done",
        "We use cents.",
        "AGENTS.md",
        "Plan, then",
        "Fix the rounding",
        "fix (in progress)",
        "src/tax.ts",
    ];
    for limit in (1..=all).rev() {
        let text = told(&hand_over, Detail::Full, limit).unwrap();
        assert!(units(&text) <= limit, "{limit}: {text}");
        // What is there is a beginning of the list: nothing is told while something more important is not.
        let there = marks.map(|mark| text.contains(mark));
        let first_missing = there.iter().position(|there| !there).unwrap_or(marks.len());
        assert!(!there[first_missing..].contains(&true), "{limit}: {text}");
        if limit < all && limit > 400 {
            assert!(
                text.contains("[Left out") || text.contains("are missing"),
                "{limit}: {text}"
            );
        }
    }
}

#[test]
fn what_is_left_out_is_named_with_the_command_that_shows_it() {
    let mut hand_over = everything();
    let long = "§".repeat(1_000);
    hand_over.notes.extend(vec![note(&long, None); 12]);
    let text = told(&hand_over, Detail::Summary, CLAUDE_CODE).unwrap();
    assert!(units(&text) <= CLAUDE_CODE);
    // It is cut at the end of a line.
    assert!(units(&text) > CLAUDE_CODE - 1_100, "{}", units(&text));
    assert!(
        text.contains("characters are missing; `bowline note list` shows them]"),
        "{text}"
    );
    assert!(
        text.ends_with(
            "[Left out for lack of room: files to read, the skill, the last prompt, open to-dos, files edited last. \
             See `bowline effort show`, `bowline session list`.]"
        ),
        "{text}"
    );
    let (_, rest) = text.split_once("[… ").unwrap();
    let missing: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let (before, _) = text.split_once("\n[… ").unwrap();
    let (_, kept) = before.split_once("## Pinned notes\n").unwrap();
    let all: Vec<_> = hand_over.notes.iter().map(|it| it.text.clone()).collect();
    assert_eq!(missing + units(kept), units(&listed(&all)));
}

#[test]
fn one_note_has_a_share_and_no_more() {
    let mut hand_over = everything();
    let (whole, long) = ("n".repeat(1_000), "§".repeat(12_000));
    hand_over.notes = [&whole[..], &long, "No floats."]
        .map(|text| note(text, None))
        .to_vec();
    for detail in [Detail::Summary, Detail::Full] {
        let text = told(&hand_over, detail, CLAUDE_CODE).unwrap();
        let cut = format!(
            "\n- {whole}\n- {}… (cut; `bowline note list` shows all of it)\n- No floats.\n",
            "§".repeat(999)
        );
        assert!(text.contains(&cut), "{text}");
        assert!(
            text.ends_with("- src/tax.ts"),
            "all else is told, too: {text}"
        );
    }
}

#[test]
fn after_a_compaction_the_prompt_is_the_one_that_is_worked_on() {
    let before = "## What the user asked last in the session before (not a new request)\n";
    let running =
        "## The prompt that you are working on (a part may be done; it is not a new request)\n";
    for (beginning, from, expected, words) in [
        (Beginning::Compacted, Origin::Same, running, "## Your open"),
        (
            Beginning::Compacted,
            Origin::Earlier,
            before,
            "session before edited",
        ),
        // A session that is taken up again may have been left long ago.
        (
            Beginning::Session,
            Origin::Same,
            before,
            "to-dos of the session before",
        ),
    ] {
        let hand_over = HandOver {
            from,
            ..everything()
        };
        let material = Material {
            recovered: "",
            standing: &[],
            beginning,
            hand_over: &hand_over,
            artifacts: &[],
            preload: &[],
            skill: "",
        };
        let text = Briefing::new(material, Detail::Summary).assemble(CLAUDE_CODE);
        let text = text.unwrap();
        let prompt = format!("{expected}Fix the rounding");
        assert!(text.contains(&prompt) && text.contains(words), "{text}");
    }
}

#[test]
fn f35_b_the_payload_is_told_word_by_word_as_long_as_there_is_room() {
    let mut hand_over = everything();
    let summary = format!("Begin {}\n  end", "wörd 😀\n".repeat(900));
    hand_over
        .dehydrated
        .as_mut()
        .unwrap()
        .summary
        .clone_from(&summary);
    let text = told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap();
    assert!(
        text.contains(&summary) && text.contains("keep the old API"),
        "{text}"
    );
}

#[test]
fn of_a_payload_that_is_too_long_the_longest_part_is_cut() {
    let mut hand_over = everything();
    hand_over.dehydrated.as_mut().unwrap().summary = "line of text\n".repeat(4000);
    let text = told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap();
    assert!(units(&text) <= CLAUDE_CODE);
    for part in [
        "effort 2",
        "ran the tests",
        "2. add a test",
        "keep the old API",
        "- src/total.ts",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("line of text\n[… 4"), "{text}");
    assert!(
        text.contains("`bowline effort show --json` shows them]\nLast action"),
        "{text}"
    );

    // All parts are long: the end goes.
    let payload = hand_over.dehydrated.as_mut().unwrap();
    payload.handover_instructions = Some("y".repeat(30_000));
    payload.user_history = Some("z".repeat(30_000));
    let text = told(&hand_over, Detail::Full, CLAUDE_CODE).unwrap();
    assert!(
        units(&text) <= CLAUDE_CODE && text.contains("effort 2"),
        "{text}"
    );
}

#[test]
fn no_limit_breaks_a_character() {
    let hand_over = HandOver {
        notes: vec![note(&"😀ä\n".repeat(200), None)],
        ..HandOver::default()
    };
    for limit in 1..700 {
        let text = told(&hand_over, Detail::Full, limit).unwrap();
        assert!(units(&text) <= limit, "{limit}: {text}");
    }
}

#[test]
fn f33_a_files_to_preload_exist_and_are_told_once() {
    let exists = |path: &str| path != "gone.md";
    for (templates, directives, already, expected) in [
        (
            vec!["a.md", "b.md"],
            vec!["c.md"],
            vec![],
            vec!["a.md", "b.md", "c.md"],
        ),
        (
            vec!["a.md", "a.md"],
            vec!["a.md", "c.md"],
            vec![],
            vec!["a.md", "c.md"],
        ),
        (vec!["gone.md", ""], vec!["c.md"], vec![], vec!["c.md"]),
        (vec!["a.md"], vec!["c.md"], vec!["c.md", "a.md"], vec![]),
        (vec![], vec![], vec![], vec![]),
    ] {
        let found = files_to_preload(
            &texts(&templates),
            &texts(&directives),
            exists,
            &texts(&already),
        );
        assert_eq!(
            found,
            texts(&expected),
            "{templates:?} {directives:?} {already:?}"
        );
    }
}

#[test]
fn f42_a_standing_texts_and_what_was_being_done_share_the_one_budget() {
    let hand_over = HandOver {
        notes: vec![note("We use cents.", None)],
        ..HandOver::default()
    };
    let standing = texts(&["### INDEX.md\nBe brief.", "### DECISION.md\nAsk first."]);
    let material = Material {
        beginning: Beginning::Session,
        hand_over: &hand_over,
        artifacts: &[],
        preload: &[],
        skill: "",
        recovered: "`painter` was at work",
        standing: &standing,
    };
    let briefing = Briefing::new(material, Detail::Summary);
    let text = briefing.assemble(CLAUDE_CODE).unwrap();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("`painter` was at work") < at("We use cents."), "{text}");
    assert!(at("We use cents.") < at("### INDEX.md"), "{text}");
    assert!(at("### INDEX.md") < at("Ask first."), "{text}");
    let short = briefing.assemble(160).unwrap();
    assert!(short.contains("`painter` was at work"), "{short}");
    assert!(units(&short) <= 160, "{short}");
}

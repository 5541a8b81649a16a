use serde_json::json;

use super::*;

const IMPLEMENT: &str = r#"---
name: implement
description: "Builds what was planned: step by step"
version: 2.1
---

# Implement

```sh
echo '```json'
```

```json
{
  "phases": [
    "0: Setup",
    {"label": "1", "name": "Plan"},
    {"label": 2, "name": "Build"},
    {"label": "2.A", "name": "Review"},
    {"name": "Rest"},
    {"label": "3"}
  ],
  "modes": ["tdd", {"name": "spike"}],
  "planTemplate": "assets/PLAN.md",
  "logTemplate": "assets/LOG.md",
  "debriefTemplate": "",
  "nextSkills": ["review", "test"],
  "directives": ["TESTING.md", "PITFALLS.md"],
  "commands": ["CMD_REVIEW"]
}
```

```json
{"phases": ["9: Other"]}
```
"#;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn a_whole_file_is_read() {
    let expected = Skill {
        name: "implement".to_owned(),
        description: Some("Builds what was planned: step by step".to_owned()),
        version: Some("2.1".to_owned()),
        phases: texts(&[
            "0: Setup",
            "1: Plan",
            "2: Build",
            "2.A: Review",
            "Rest",
            "3",
        ]),
        modes: texts(&["tdd", "spike"]),
        templates: Templates {
            plan: Some("assets/PLAN.md".to_owned()),
            log: Some("assets/LOG.md".to_owned()),
            ..Templates::default()
        },
        next_skills: texts(&["review", "test"]),
        directives: texts(&["TESTING.md", "PITFALLS.md"]),
        commands: texts(&["CMD_REVIEW"]),
    };
    let windows = IMPLEMENT.replace('\n', "\r\n");
    let marked = format!("\u{feff}{IMPLEMENT}");
    for text in [IMPLEMENT, &windows, &marked] {
        assert_eq!(Skill::parse(text, "folder").as_ref(), Ok(&expected));
    }
    let paths: Vec<&str> = expected.templates.paths().collect();
    assert_eq!(paths, ["assets/PLAN.md", "assets/LOG.md"]);
}

#[test]
fn front_matter_may_be_written_in_several_ways() {
    for (front, name, description) in [
        ("---\nname: fix\n---\n", "fix", None),
        ("---\nname: 'fix'\ndescription:\n---\n", "fix", None),
        (
            "---\nname: \"fix\"\ndescription: it's 'done'\n---\n",
            "fix",
            Some("it's 'done'"),
        ),
        (
            "---\ndescription: >\n  Finds\n  faults\nname: fix\n---\n",
            "fix",
            Some("Finds faults"),
        ),
        (
            "---\nname: fix\ndescription: |-\n  Finds\n\n  faults\n---\n",
            "fix",
            Some("Finds\n\nfaults"),
        ),
        (
            "---\nname: fix\ndescription: Finds\n  faults\n---\n",
            "fix",
            Some("Finds faults"),
        ),
        (
            "---\nmetadata:\n  name: other\nname: fix\n---\n",
            "fix",
            None,
        ),
        ("---\nname:\n---\n", "folder", None),
        ("name: fix\n", "folder", None),
        ("text\n---\nname: fix\n---\n", "folder", None),
        (
            "---\n  odd\n# remark\ntools:\n- Read\n---\n",
            "folder",
            None,
        ),
        ("", "folder", None),
    ] {
        let expected = Skill {
            name: name.to_owned(),
            description: description.map(str::to_owned),
            ..Skill::default()
        };
        assert_eq!(Skill::parse(front, "folder"), Ok(expected), "{front}");
    }
}

#[test]
fn the_first_block_of_json_counts() {
    let with = |phase: &str| texts(&[phase]);
    for (text, phases) in [
        ("```json\n{\"phases\": [\"1: A\"]}\n```", with("1: A")),
        ("~~~JSON title\n{\"phases\": [\"1: A\"]}\n~~~", with("1: A")),
        ("````json\n{\"phases\": [\"1: ```\"]}\n````", with("1: ```")),
        (
            "  ```json\n  {\"phases\": [\"1: A\"]}\n  ```\n",
            with("1: A"),
        ),
        ("```json\n{\"phases\": [\"1: A\"]}", with("1: A")),
        (
            "````md\n```json\n{\"phases\": [\"1: A\"]}\n```\n````\n```json\n{\"phases\": [\"1: B\"]}\n```",
            with("1: B"),
        ),
        (
            "```sh```\n```json\n{\"phases\": [\"1: A\"]}\n```",
            with("1: A"),
        ),
        ("```jsonc\n{\"phases\": [\"1: A\"]}\n```", vec![]),
        ("```\n{\"phases\": [\"1: A\"]}\n```", vec![]),
        ("```json\n{}\n```", vec![]),
        ("```json\n{\"phases\": null}\n```", vec![]),
        ("```json\n[1, 2]\n```", vec![]),
    ] {
        let skill = Skill::parse(text, "folder");
        assert_eq!(skill.map(|skill| skill.phases), Ok(phases), "{text}");
    }
}

#[test]
fn bad_json_is_refused_with_its_line() {
    for (text, line) in [
        ("```json\n{\n```", 2),
        ("# A\n\n```json\n{\n  \"phases\": [,]\n}\n```", 5),
        ("```json\n```", 2),
    ] {
        let refusal = Skill::parse(text, "fix").unwrap_err();
        assert_eq!(refusal.code, Code::ParseError, "{text}");
        assert_eq!(refusal.details, json!({ "line": line }), "{text}");
        assert!(refusal.message.contains("\"fix\""), "{refusal}");
        let place = format!("line {line} of SKILL.md");
        assert!(refusal.message.contains(&place), "{refusal}");
        assert_eq!(refusal.message.matches("line").count(), 1, "{refusal}");
    }
}

#[test]
fn phases_that_are_not_understood_are_refused() {
    for phases in [
        "\"1: A\"",
        "{}",
        "[1]",
        "[\"1: A\", {}]",
        "[\"\"]",
        "[null]",
    ] {
        let text = format!("```json\n{{\"phases\": {phases}}}\n```");
        let refusal = Skill::parse(&text, "fix").unwrap_err();
        assert_eq!(refusal.code, Code::ParseError, "{phases}");
        assert!(refusal.message.contains("[\"1: Plan\""), "{refusal}");
    }
}

#[test]
fn lists_may_be_objects_and_other_values_are_ignored() {
    let text = r#"```json
{"modes": {"tdd": {"file": "modes/tdd.md"}, "spike": {}}, "nextSkills": "review", "directives": [1, "", "TESTING"], "logTemplate": 7}
```"#;
    let skill = Skill::parse(text, "fix").unwrap();
    assert_eq!(skill.modes, ["tdd", "spike"]);
    assert!(skill.next_skills.is_empty());
    assert_eq!(skill.directives, ["TESTING"]);
    assert_eq!(skill.templates, Templates::default());
}

#[test]
fn a_skill_is_kept_as_json() {
    let skill = Skill::parse(IMPLEMENT, "folder").unwrap();
    let json = serde_json::to_value(&skill).unwrap();
    assert_eq!(json["nextSkills"], json!(["review", "test"]));
    assert_eq!(json["templates"]["plan"], json!("assets/PLAN.md"));
    assert_eq!(serde_json::from_value::<Skill>(json).unwrap(), skill);
    assert_eq!(
        serde_json::from_value::<Skill>(json!({})).unwrap(),
        Skill::default()
    );
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(text in "(---\n|name: |```json\n|```\n|\\{\"phases\":|[a-c:|>'\"\n é]){0,20}") {
        if let Err(refusal) = Skill::parse(&text, "fix") {
            proptest::prop_assert_eq!(refusal.code, Code::ParseError);
        }
    }
}

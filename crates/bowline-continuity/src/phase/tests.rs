use super::*;

const PHASES: [&str; 7] = [
    "0: Setup",
    "1: Plan",
    "2: Build",
    "2.1: Code",
    "2.B: Review",
    "3.0: Test",
    "3.1: Review",
];

fn phases(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn to(phase: &str) -> PhaseRequest {
    PhaseRequest {
        to: phase.to_owned(),
        ..PhaseRequest::default()
    }
}

fn to_because(phase: &str, reason: &str) -> PhaseRequest {
    PhaseRequest {
        reason: Some(reason.to_owned()),
        ..to(phase)
    }
}

#[test]
fn labels_are_numbers_with_one_part() {
    for (text, expected) in [
        ("2", Some((2, 0))),
        ("2.0", Some((2, 0))),
        ("2.1", Some((2, 1))),
        ("2.A", Some((2, 1))),
        ("2.b", Some((2, 2))),
        ("10.12", Some((10, 12))),
        ("2.Z", Some((2, 26))),
        ("", None),
        ("A", None),
        ("2.", None),
        (".1", None),
        ("2.AB", None),
        ("2.1.1", None),
        ("+2", None),
        ("-2", None),
        ("2.+1", None),
        ("2.é", None),
        ("99999999999", None),
    ] {
        let label = Label::parse(text).map(|label| (label.major, label.minor));
        assert_eq!(label, expected, "{text}");
    }
}

#[test]
fn labels_are_compared_as_numbers() {
    let labels = ["0", "1.A", "1.2", "1.10", "2", "2.1", "10"];
    let parsed: Vec<Label> = labels
        .iter()
        .filter_map(|label| Label::parse(label))
        .collect();
    assert_eq!(parsed.len(), labels.len());
    assert!(parsed.is_sorted());
}

#[test]
fn labels_are_written_as_numbers() {
    for (text, expected) in [("2", "2"), ("2.0", "2"), ("2.A", "2.1"), ("10.12", "10.12")] {
        let label = Label::parse(text).unwrap();
        assert_eq!(label.to_string(), expected, "{text}");
    }
}

#[test]
fn a_phase_has_a_label_a_name_or_both() {
    for (text, label, name) in [
        ("2.1: Build it", Some((2, 1)), "Build it"),
        (" 2.1 :Build: all ", Some((2, 1)), "Build: all"),
        ("2.1", Some((2, 1)), ""),
        ("Build", None, "Build"),
        ("Note: build", None, "Note: build"),
        ("", None, ""),
    ] {
        let phase = Phase::parse(text);
        let found = phase.label.map(|label| (label.major, label.minor));
        assert_eq!((found, phase.name), (label, name), "{text}");
    }
}

#[test]
fn the_next_phase_and_the_next_number_are_open() {
    for (current, request, expected) in [
        (None, "0: Setup", "0: Setup"),
        (None, "0", "0: Setup"),
        (None, "setup", "0: Setup"),
        (Some("0: Setup"), "1: Plan", "1: Plan"),
        (Some("0: Setup"), "1", "1: Plan"),
        (Some("0: Setup"), "PLAN", "1: Plan"),
        (Some("0: Setup"), " 1 : plan ", "1: Plan"),
        (Some("2: Build"), "2.A", "2.1: Code"),
        (Some("2.1: Code"), "2.2", "2.B: Review"),
        // A name that several phases have means the next one of them.
        (Some("2.1: Code"), "review", "2.B: Review"),
        (Some("3.0: Test"), "review", "3.1: Review"),
        // From any part of a number to the beginning of the next.
        (Some("2: Build"), "3.0: Test", "3.0: Test"),
        (Some("2.1: Code"), "3", "3.0: Test"),
        (Some("2.7: Was declared once"), "3", "3.0: Test"),
        (Some("1.4: Was declared once"), "2: Build", "2: Build"),
        (Some("0.4: Was declared once"), "1: Plan", "1: Plan"),
    ] {
        let entered = enter(&phases(&PHASES), current, &to(request));
        let expected = Entered::Moved {
            phase: expected.to_owned(),
            phases: phases(&PHASES),
        };
        assert_eq!(entered, Ok(expected), "{current:?} → {request}");
    }
}

#[test]
fn the_same_phase_is_no_change() {
    for (current, request) in [
        ("2.1: Code", "2.1: Code"),
        ("2.1: Code", "2.1"),
        ("2.1: Code", "2.A: code"),
        ("2.1: Code", "code"),
        ("3.1: Review", "review"),
        ("2.3", "2.3: Polish"),
        ("Anything", "anything"),
    ] {
        for declared in [&PHASES[..], &[]] {
            let entered = enter(&phases(declared), Some(current), &to(request));
            assert_eq!(entered, Ok(Entered::Same), "{current} → {request}");
        }
    }
}

#[test]
fn a_further_part_of_the_current_number_is_added() {
    for (current, request, place) in [
        ("1: Plan", "1.1: Ask", 2),
        ("1: Plan", "1.A: Ask", 2),
        ("2.B: Review", "2.3", 5),
        ("2.B: Review", "2.7: Polish", 5),
        ("3.1: Review", "3.2: Again", 7),
    ] {
        let mut expected = phases(&PHASES);
        expected.insert(place, request.to_owned());
        let entered = enter(&phases(&PHASES), Some(current), &to(request));
        let expected = Entered::Moved {
            phase: request.to_owned(),
            phases: expected,
        };
        assert_eq!(entered, Ok(expected), "{current} → {request}");
    }
}

#[test]
fn a_part_that_is_added_behind_declared_ones_needs_a_reason() {
    let two_parts = ["1: Plan", "2: Build", "2.1: Test", "3: Check"];
    for (declared, current, request, expected, place) in [
        (&two_parts[..], "2: Build", "2.2: Repair", "2.1: Test", 3),
        (&PHASES, "2: Build", "2.3: Polish", "2.1: Code", 5),
        (&PHASES, "2.1: Code", "2.3: Polish", "2.B: Review", 5),
        (&PHASES, "3.0: Test", "3.2", "3.1: Review", 7),
    ] {
        let row = format!("{current} → {request}");
        let error = enter(&phases(declared), Some(current), &to(request)).unwrap_err();
        assert_eq!(error.code, Code::PhaseNotSequential, "{row}");
        let details = json!({ "expected": expected, "actual": request });
        assert_eq!(error.details, details, "{row}");

        let entered = enter(
            &phases(declared),
            Some(current),
            &to_because(request, "a bug"),
        );
        let mut added = phases(declared);
        added.insert(place, request.to_owned());
        let moved = Entered::Moved {
            phase: request.to_owned(),
            phases: added,
        };
        assert_eq!(entered, Ok(moved), "{row}");
    }
}

#[test]
fn an_added_phase_is_continued_in_order() {
    let Ok(Entered::Moved { phase, phases }) =
        enter(&phases(&PHASES), Some("1: Plan"), &to("1.1: Ask"))
    else {
        panic!("not added");
    };
    for (request, expected) in [("2", "2: Build"), ("1.2: Ask more", "1.2: Ask more")] {
        let Ok(Entered::Moved { phase, .. }) = enter(&phases, Some(&phase), &to(request)) else {
            panic!("{request}");
        };
        assert_eq!(phase, expected);
    }
}

#[test]
fn other_phases_need_a_reason() {
    for (current, request, expected, actual) in [
        (None, "1", Some("0: Setup"), "1: Plan"),
        (Some("0: Setup"), "3", Some("1: Plan"), "3.0: Test"),
        (Some("2.1: Code"), "1: Plan", Some("2.B: Review"), "1: Plan"),
        (Some("2.1: Code"), "3.1", Some("2.B: Review"), "3.1: Review"),
        (Some("3.1: Review"), "plan", None, "1: Plan"),
        (Some("Unheard of"), "plan", Some("0: Setup"), "1: Plan"),
    ] {
        let row = format!("{current:?} → {request}");
        for reason in [
            to(request),
            to_because(request, ""),
            to_because(request, " \n"),
        ] {
            let error = enter(&phases(&PHASES), current, &reason).unwrap_err();
            assert_eq!(error.code, Code::PhaseNotSequential, "{row}");
            let details = json!({ "expected": expected, "actual": actual });
            assert_eq!(error.details, details, "{row}");
            let way = format!("`bowline effort phase \"{actual}\" --reason \"…\"`");
            assert!(error.message.contains(&way), "{row}: {}", error.message);
            let next = match expected {
                Some(expected) => format!("`bowline effort phase \"{expected}\"`"),
                None => "`bowline effort finish`".to_owned(),
            };
            assert!(error.message.contains(&next), "{row}: {}", error.message);
        }
        let entered = enter(&phases(&PHASES), current, &to_because(request, "a bug"));
        let expected = Entered::Moved {
            phase: actual.to_owned(),
            phases: phases(&PHASES),
        };
        assert_eq!(entered, Ok(expected), "{row}");
    }
}

#[test]
fn a_phase_that_is_not_declared_is_refused_with_and_without_a_reason() {
    for (current, request) in [
        (None, "7: Party"),
        (None, "0.1: Party"),
        (Some("2.1: Code"), "7: Party"),
        (Some("2.1: Code"), "Party"),
        // Another number, or a part that was passed.
        (Some("2.1: Code"), "3.2"),
        (Some("3.1: Review"), "2.3"),
        (Some("2.5: Was declared once"), "2.3"),
        // The label of one phase with the name of another.
        (Some("2.1: Code"), "2.2: Test"),
        (Some("Unheard of"), "2.3"),
    ] {
        for request in [to(request), to_because(request, "a bug")] {
            let error = enter(&phases(&PHASES), current, &request).unwrap_err();
            assert_eq!(error.code, Code::UnknownPhase, "{current:?} → {request:?}");
            let details = json!({ "known": PHASES, "actual": request.to });
            assert_eq!(error.details, details, "{request:?}");
            assert!(
                error.message.contains("\"2.B: Review\""),
                "{}",
                error.message
            );
        }
    }
}

#[test]
fn without_declared_phases_anything_goes() {
    for (current, request) in [
        (None, "7: Party"),
        (Some("2: Build"), "1"),
        (Some("Build"), "Rest"),
    ] {
        let entered = enter(&[], current, &to(request));
        let expected = Entered::Moved {
            phase: request.to_owned(),
            phases: Vec::new(),
        };
        assert_eq!(entered, Ok(expected), "{current:?} → {request}");
    }
}

#[test]
fn a_phase_must_be_named() {
    for declared in [&PHASES[..], &[]] {
        let error = enter(&phases(declared), None, &to("  ")).unwrap_err();
        assert_eq!(error.code, Code::CommandError);
    }
}

#[test]
fn phases_may_have_names_alone() {
    let named = phases(&["Plan", "Build", "Test"]);
    let moved = Entered::Moved {
        phase: "Build".to_owned(),
        phases: named.clone(),
    };
    assert_eq!(enter(&named, Some("Plan"), &to("build")), Ok(moved));
    let error = enter(&named, Some("Plan"), &to("test")).unwrap_err();
    assert_eq!(error.code, Code::PhaseNotSequential);
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_strange(
        declared in proptest::collection::vec("[0-9A-C.: ]{0,6}", 0..5),
        current in proptest::option::of("[0-9A-C.: ]{0,6}"),
        to in "\\PC{0,8}",
    ) {
        let request = PhaseRequest { to, proof: None, reason: None };
        if let Ok(Entered::Moved { phase, phases }) = enter(&declared, current.as_deref(), &request) {
            let known: Vec<&str> = phases.iter().map(|phase| phase.trim()).collect();
            proptest::prop_assert!(known.is_empty() || known.contains(&phase.as_str()));
        }
    }
}

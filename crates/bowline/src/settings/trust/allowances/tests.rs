use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn call(what: &str) -> AllowedCall {
    AllowedCall {
        tool: "Bash".to_owned(),
        what: what.to_owned(),
    }
}

fn caller<'a>(project: &'a str, session: &'a str, what: &str) -> Caller<'a> {
    Caller {
        project: Path::new(project),
        session,
        call: call(what),
        occasion: Occasion::Call,
        now: Utc::now(),
    }
}

fn wish(reach: Reach, lasts: Lasts, only: Option<&str>) -> Wish {
    Wish {
        rule: "git.clean".to_owned(),
        call: only.map(call),
        reach,
        lasts,
    }
}

#[test]
fn an_entry_counts_where_and_as_long_as_it_says() {
    let root = tempfile::tempdir().unwrap();
    let mut store = AllowanceStore::open(&Locations::under(root.path()));
    let hour = TimeDelta::hours(1);
    for (reach, lasts, only, expected) in [
        (Reach::Global, Lasts::Always, None, [true; 4]),
        (
            Reach::Project("/p".into()),
            Lasts::Always,
            None,
            [true, true, true, false],
        ),
        (
            Reach::Session("s".into()),
            Lasts::Always,
            None,
            [true, true, false, true],
        ),
        (
            Reach::Session(String::new()),
            Lasts::Always,
            None,
            [false; 4],
        ),
        (
            Reach::Global,
            Lasts::Always,
            Some("git clean"),
            [true, false, true, true],
        ),
        (
            Reach::Global,
            Lasts::Until(Utc::now() + hour),
            None,
            [true; 4],
        ),
        (
            Reach::Global,
            Lasts::Until(Utc::now() - hour),
            None,
            [false; 4],
        ),
    ] {
        let entry = store.add(wish(reach, lasts, only)).unwrap();
        let fits = [
            caller("/p", "s", "git clean"),
            caller("/p", "s", "git clean -x"),
            caller("/p", "other", "git clean"),
            caller("/q", "s", "git clean"),
        ]
        .map(|it| entry.fits(&it));
        assert_eq!(fits, expected, "{entry:?}");
    }
}

#[test]
fn once_is_once_also_for_another_process() {
    let root = tempfile::tempdir().unwrap();
    let locations = Locations::under(root.path());
    let entry = AllowanceStore::open(&locations)
        .add(wish(Reach::Global, Lasts::Once, None))
        .unwrap();
    let (one, two) = (
        AllowanceStore::open(&locations),
        AllowanceStore::open(&locations),
    );
    let first = caller("/p", "s", "git clean");
    let again = Caller {
        now: first.now + TimeDelta::milliseconds(1),
        ..first.clone()
    };
    assert!(one.claim(entry.number, &first));
    assert!(
        two.claim(entry.number, &first),
        "another part of the same event"
    );
    assert!(!two.claim(entry.number, &again));
    let permission = |session, what| Caller {
        occasion: Occasion::Permission,
        ..caller("/p", session, what)
    };
    assert!(two.claim(entry.number, &permission("s", "git clean")));
    assert!(!two.claim(entry.number, &permission("t", "git clean")));
    assert!(!two.claim(entry.number, &permission("s", "git clean -x")));
    assert!(!two.claim(entry.number + 1, &again));
}

#[test]
fn entries_are_numbered_once_removed_by_number_and_kept_private() {
    let root = tempfile::tempdir().unwrap();
    let locations = Locations::under(root.path());
    let mut store = AllowanceStore::open(&locations);
    let add = |store: &mut AllowanceStore, session: &str| {
        let entry = store.add(wish(Reach::Session(session.into()), Lasts::Always, None));
        entry.unwrap().number
    };
    assert_eq!([add(&mut store, "s"), add(&mut store, "t")], [1, 2]);
    assert_eq!(
        add(&mut store, "s"),
        1,
        "what is there already is not written again"
    );
    assert_eq!(store.remove(2).unwrap().unwrap().number, 2);
    assert_eq!(store.remove(2).unwrap(), None);
    assert_eq!(add(&mut store, "t"), 3);
    let file = store.file().unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let open = AllowanceStore::open(&locations);
    assert!(open.entries().is_empty() && open.problem().is_some());
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "{").unwrap();
    let mut damaged = AllowanceStore::open(&locations);
    assert!(damaged.entries().is_empty() && damaged.problem().is_some());
    damaged.remove(1).unwrap_err();
    assert_eq!(fs::read_to_string(&file).unwrap(), "{");
}

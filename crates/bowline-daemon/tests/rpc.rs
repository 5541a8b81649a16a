//! Every command over a real store: good, empty, wrong.

#[cfg(test)]
mod commands {
    use std::fs;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    use bowline_daemon::rpc::{
        self, Question, SessionKey, events, search, sessions, store, traces,
    };
    use bowline_store::{
        CallKey, Change, Options, Record, SqliteStore, StatusFilter, Store, TextKind, TraceEnd,
        TraceStart, TraceStatus, keep_beside,
    };
    use bowline_wire::{Request, RequestError, Response};
    use chrono::{DateTime, TimeDelta, Utc};
    use serde_json::{Value, json};
    use tempfile::TempDir;

    fn open() -> (TempDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::new(folder.path().join("data"));
        options.deadline = Duration::from_secs(30);
        (folder, SqliteStore::open(options).unwrap())
    }

    fn at(ms: i64) -> DateTime<Utc> {
        static START: std::sync::OnceLock<DateTime<Utc>> = std::sync::OnceLock::new();
        let now = || DateTime::from_timestamp_millis(Utc::now().timestamp_millis()).unwrap();
        *START.get_or_init(|| now() - TimeDelta::hours(1)) + TimeDelta::milliseconds(ms)
    }

    fn submit(store: &dyn Store, event: &str, session: &str, ms: i64, change: Change) {
        let id = format!("{event}-{session}-{ms}");
        let mut record = Record::new(id, at(ms), "claude-code", event, session);
        record.decided.project = Some("/srv/app".into());
        record.decided.tool = Some("Bash".into());
        record.changes.push(change);
        let (tell, told) = mpsc::channel();
        store.submit(record, Box::new(move |outcome| tell.send(outcome).unwrap()));
        let outcome = told.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(outcome.is_committed(), "{outcome:?}");
    }

    /// Three calls: `a` took 1.5 s, `b` failed after 200 ms, `c` of another session runs.
    fn filled() -> (TempDir, SqliteStore) {
        let (folder, store) = open();
        let start = |id: &str, tool: &str| {
            let mut start = TraceStart::new(CallKey::Id(id.into()), tool);
            start.input = Some(json!({"command": "ls"}));
            Change::TraceStarted(start)
        };
        let end = |id: &str, status| {
            Change::TraceEnded(TraceEnd::new(CallKey::Id(id.into()), "Bash", status))
        };
        let prompt = Change::PromptGiven {
            text: Some("do it".into()),
        };
        submit(&store, "UserPromptSubmit", "s1", 0, prompt);
        submit(&store, "PreToolUse", "s1", 100, start("a", "Bash"));
        submit(
            &store,
            "PostToolUse",
            "s1",
            1_600,
            end("a", TraceStatus::Completed),
        );
        submit(&store, "PreToolUse", "s1", 2_000, start("b", "Bash"));
        submit(
            &store,
            "PostToolUse",
            "s1",
            2_200,
            end("b", TraceStatus::Failed),
        );
        submit(&store, "PreToolUse", "s2", 3_000, start("c", "Read"));
        (folder, store)
    }

    fn ask(store: &dyn Store, command: &str, args: Value) -> Result<Value, RequestError> {
        let Value::Object(args) = args else {
            panic!("{args} are no arguments");
        };
        let request = Request {
            id: Some(json!("7")),
            command: command.to_owned(),
            args,
            ..Request::default()
        };
        let response = rpc::answer(store, &request);
        assert_eq!(response.id, request.id);
        let read_back = Response::decode(&response.encode()).unwrap();
        assert_eq!(read_back, response, "{command} survives the wire");
        response.result
    }

    /// Asks as programs of ours do.
    fn typed<Q: Question>(store: &dyn Store, question: &Q) -> Q::Answer {
        let data = rpc::answer(store, &question.request()).result.unwrap();
        serde_json::from_value(data).unwrap()
    }

    fn ids(data: &Value) -> Vec<&str> {
        let list = data.as_array().unwrap();
        list.iter()
            .map(|it| it["tool_use_id"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn what_another_process_left_is_found_by_the_next_question() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::new(folder.path().join("data"));
        let runtime = folder.path().join("run");
        options.runtime_folder = Some(runtime.clone());
        let store = SqliteStore::open(options).unwrap();
        for n in 0..3 {
            let record = Record::new(format!("{n}"), at(n), "claude-code", "Stop", "s1");
            keep_beside(&runtime, &record).unwrap();
        }
        assert_eq!(typed(&store, &events::Last::default()).len(), 3);
    }

    #[test]
    fn f21_b_every_list_of_calls_is_filtered_and_ordered() {
        let (_folder, store) = filled();
        for (command, args, expected) in [
            ("traces.list", json!({}), vec!["c", "b", "a"]),
            ("traces.list", json!({"limit": 2}), vec!["c", "b"]),
            ("traces.list", json!({"session": "s1"}), vec!["b", "a"]),
            (
                "traces.list",
                json!({"session": "s1", "limit": 1}),
                vec!["b"],
            ),
            (
                "traces.list",
                json!({"session": null, "tool": "Read"}),
                vec!["c"],
            ),
            ("traces.list", json!({"status": "Error"}), vec!["b"]),
            ("traces.list", json!({"status": "any-error"}), vec!["b"]),
            ("traces.list", json!({"status": "started"}), vec!["c"]),
            (
                "traces.list",
                json!({"since": at(2_000).to_rfc3339()}),
                vec!["c", "b"],
            ),
            (
                "traces.list",
                json!({"project": "/srv/app", "tool": "Bash"}),
                vec!["b", "a"],
            ),
            ("traces.list", json!({"project": "/else"}), vec![]),
            ("traces.list", json!({"session": 99}), vec![]),
            ("traces.slow", json!({}), vec!["a"]),
            ("traces.slow", json!({"threshold_ms": 0}), vec!["a", "b"]),
            (
                "traces.slow",
                json!({"threshold_ms": 0, "limit": 1}),
                vec!["a"],
            ),
            ("traces.slow", json!({"threshold_ms": 9_000}), vec![]),
            ("traces.errors", json!({}), vec!["b"]),
            ("traces.errors", json!({"session": "s1"}), vec!["b"]),
            ("traces.errors", json!({"session": "s2"}), vec![]),
        ] {
            let data = ask(&store, command, args.clone()).unwrap();
            assert_eq!(ids(&data), expected, "{command} {args}");
        }
    }

    #[test]
    fn unknown_ids_are_answered_with_nothing() {
        let (_folder, store) = filled();
        for (command, args, expected) in [
            ("traces.get", json!({"id": "nope"}), Value::Null),
            ("traces.tree", json!({"id": "nope"}), Value::Null),
            ("sessions.get", json!({"session": "nope"}), Value::Null),
            ("sessions.get", json!({"session": 12_345}), Value::Null),
            ("sessions.list", json!({"agent": "codex"}), json!([])),
            ("store.gaps", json!({}), json!([])),
            ("hooks.figures", json!({}), json!([])),
            (
                "store.forget",
                json!({"session": "nope"}),
                json!({"events": 0, "traces": 0, "sessions": 0}),
            ),
        ] {
            let answer = ask(&store, command, args.clone());
            assert_eq!(answer, Ok(expected), "{command} {args}");
        }
    }

    #[test]
    fn an_empty_store_answers_every_question() {
        let (folder, store) = open();
        let to = folder.path().join("copy").to_str().unwrap().to_owned();
        for command in rpc::commands() {
            let args = match command {
                "traces.get" | "traces.tree" | "triggers.of" => json!({"id": "x"}),
                "sessions.get" | "sessions.known" | "messages.list" | "costs.session" => {
                    json!({"session": "x"})
                }
                "fleet.usage" => json!({"session": "x", "used": 0.5}),
                "tasks.get" => json!({"folder": "/p/.tasks/x"}),
                "tasks.new" => json!({"project": folder.path(), "name": "x"}),
                "efforts.get"
                | "notes.list"
                | "orchestrator.status"
                | "orchestrator.reset"
                | "work.list"
                | "work.active" => json!({"project": "/p"}),
                "fleet.standing" => json!({"project": "/p", "session": "x"}),
                "efforts.perform" => json!({"project": "/p", "command": {"note": {"text": "x"}}}),
                "errors.get" | "errors.done" | "errors.forget" => json!({"id": 1}),
                "costs.marks" => json!({"files": ["/t#1"]}),
                "costs.keep" => json!({"usage": [], "mark": {"file": "/t#1", "offset": 5}}),
                "costs.raise" => json!({"budget": "day", "name": "2026-11-15", "by": 1}),
                "leases.release" => json!({"paths": ["/p/x"]}),
                "orchestrator.switch" => json!({"project": "/p", "off": true}),
                "work.get" => json!({"project": "/p", "id": 1}),
                "work.add" => json!({"project": "/p", "item":
                    {"title": "x", "kind": "bug", "priority": "low", "status": "todo"}}),
                // The one that was added before.
                "work.change" => json!({"project": "/p", "id": 1, "status": "done"}),
                "notes.add" => json!({"project": "/p", "text": "x"}),
                // The one that was pinned before.
                "notes.remove" => json!({"project": "/p", "note": 1}),
                "search.find" => json!({"text": "x"}),
                "store.backup" => json!({"to": to}),
                "store.forget" => json!({"all": true}),
                _ => json!({}),
            };
            let answer = ask(&store, command, args);
            assert!(answer.is_ok(), "{command}: {answer:?}");
        }
    }

    #[test]
    fn a_search_says_what_is_wrong_with_its_arguments() {
        let (_folder, store) = filled();
        let find = search::Find {
            text: "ls".into(),
            kinds: vec![TextKind::Command],
            session: Some(SessionKey::Name("s".into())),
            tool: Some("bash".into()),
            project: Some("/srv/app".into()),
            since: Some(at(0)),
            limit: Some(2),
        };
        let found = typed(&store, &find).found;
        let ids: Vec<&str> = found
            .iter()
            .filter_map(|it| it.tool_use_id.as_deref())
            .collect();
        assert_eq!(ids, ["c", "b"]);
        let nothing = typed(
            &store,
            &search::Find {
                text: "do/it".into(),
                ..find
            },
        );
        assert_eq!(nothing.found, []);
        for (args, expected) in [
            (json!({}), "`text` is missing; expected a text"),
            (json!({"text": ""}), "a text that is not empty"),
            (json!({"text": "-*"}), "no letter and no digit"),
            (
                json!({"text": "x", "kinds": ["output"]}),
                "command, path, prompt and error",
            ),
            (json!({"text": "x", "best": true}), "`best` is no argument"),
        ] {
            let error = ask(&store, "search.find", args).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn f37_a_refusals_have_a_code_and_change_nothing() {
        let (folder, store) = open();
        let perform = |command: Value| {
            ask(
                &store,
                "efforts.perform",
                json!({"project": folder.path(), "command": command}),
            )
        };
        let code = |answer: Result<Value, RequestError>| answer.unwrap_err().code().to_owned();
        let phase = |to: &str| json!({"phase": {"to": to}});
        assert_eq!(code(perform(phase("1: Plan"))), "NO_ACTIVE_EFFORT");
        assert_eq!(
            code(perform(json!({"start": {"task": "../x", "skill": "fix"}}))),
            "COMMAND_ERROR"
        );
        assert_eq!(code(perform(json!({"sing": {}}))), "VALIDATION_ERROR");
        assert_eq!(ask(&store, "efforts.list", json!({})), Ok(json!([])));
        perform(json!({"start": {"task": "x", "skill": "fix", "mode": null}})).unwrap();
        assert_eq!(
            code(perform(json!({"note": {"text": " "}}))),
            "COMMAND_ERROR"
        );
        assert_eq!(
            code(perform(
                json!({"dehydrate": {"payload": "{\"summary\": 7}"}})
            )),
            "COMMAND_ERROR"
        );
        let of = |effort: i64, project: &Path| {
            let args = json!({"project": project, "effort": effort, "command": phase("1: Plan")});
            ask(&store, "efforts.perform", args)
        };
        assert_eq!(code(of(9, folder.path())), "NOT_FOUND");
        assert_eq!(code(of(1, Path::new("/elsewhere"))), "NOT_FOUND");
        of(1, folder.path()).unwrap();
        perform(json!("finish")).unwrap();
        assert_eq!(code(of(1, folder.path())), "EFFORT_FINISHED");
        assert_eq!(code(perform(json!("finish"))), "NO_ACTIVE_EFFORT");
        let missing = json!({"project": "/p", "note": 99});
        assert_eq!(code(ask(&store, "notes.remove", missing)), "NOT_FOUND");
        let full = json!({"session": "x", "used": 1.5});
        assert_eq!(code(ask(&store, "fleet.usage", full)), "VALIDATION_ERROR");
    }

    #[test]
    fn questions_are_asked_and_answered_with_types() {
        let (_folder, store) = filled();
        let a = typed(&store, &traces::Get { id: "a".into() }).unwrap();
        assert_eq!((a.duration_ms, a.tool.as_str()), (Some(1_500), "Bash"));

        for id in [a.group.as_str(), "b"] {
            let tree = typed(&store, &traces::Tree { id: id.into() }).unwrap();
            assert_eq!(tree.prompt.unwrap().text.as_deref(), Some("do it"));
            let calls: Vec<&str> = tree
                .calls
                .iter()
                .map(|it| it.trace.tool_use_id.as_str())
                .collect();
            assert_eq!(calls, ["a", "b"]);
        }
        let filter = traces::Filter {
            session: Some(SessionKey::Row(a.session_row)),
            agent: Some(a.agent.clone()),
            tool: Some("Bash".into()),
            status: Some(StatusFilter::AnyError),
            since: Some(at(0)),
            project: Some("/srv/app".into()),
            limit: Some(5),
        };
        let list = traces::List {
            filter: filter.clone(),
        };
        assert_eq!(typed(&store, &list).len(), 1);
        let statistics = typed(&store, &traces::Stats { filter });
        assert_eq!((statistics.looked_at, statistics.tools[0].errors), (1, 1));
        let all = typed(&store, &traces::Stats::default());
        assert_eq!((all.tools[0].p50_ms, all.more), (Some(200), false));

        let question = sessions::List {
            agent: Some("claude-code".into()),
            limit: Some(1),
            ..sessions::List::default()
        };
        assert_eq!(typed(&store, &question)[0].newest.session, "s2");
        let session = SessionKey::Name("s1".into());
        let details = typed(&store, &sessions::Get { session }).unwrap();
        assert_eq!(details.prompts.len(), 1);

        let two = events::Last {
            limit: Some(2),
            ..events::Last::default()
        };
        let last = typed(&store, &two);
        assert_eq!(
            (last.len(), last[0].decided.event.as_str()),
            (2, "PreToolUse")
        );
        assert_eq!(typed(&store, &events::HookFigures {}), []);
        assert!(typed(&store, &store::Size {}).on_disk > 0);
        assert!(typed(&store, &store::Integrity {}).problems.is_empty());
        typed(&store, &store::Compact {});
    }

    #[test]
    fn f30_c_everything_that_is_wrong_with_arguments_is_told_at_once() {
        let (_folder, store) = filled();
        for (command, args, expected) in [
            (
                "traces.get",
                json!({}),
                &["`id` is missing; expected a text"][..],
            ),
            (
                "traces.get",
                json!({"id": ""}),
                &["`id` is \"\"; expected a text that is not empty"],
            ),
            ("traces.get", json!({"id": 7}), &["`id` is 7;"]),
            (
                "traces.list",
                json!({"limit": 0, "since": "yesterday", "status": "fine", "tool": ["Bash"], "session": 1.5, "sesion": "x"}),
                &[
                    "`session` is 1.5; expected a session's name or the number of its row",
                    "`tool` is [\"Bash\"]; expected a text",
                    "`status` is \"fine\"; expected started, ok, error, denied",
                    "`since` is \"yesterday\"; expected a time such as",
                    "`limit` is 0; expected a number from 1 to 10000",
                    "`sesion` is no argument of `traces.list`; it takes session, agent, tool, status, since, project, limit",
                ],
            ),
            (
                "traces.list",
                json!({"limit": 10_001}),
                &["`limit` is 10001"],
            ),
            ("traces.list", json!({"limit": -1}), &["`limit` is -1"]),
            ("traces.list", json!({"limit": "5"}), &["`limit` is \"5\""]),
            (
                "traces.list",
                json!({"since": 1_763_200_000}),
                &["`since` is 1763200000"],
            ),
            (
                "traces.slow",
                json!({"threshold_ms": -1}),
                &["`threshold_ms` is -1; expected a number of milliseconds"],
            ),
            (
                "traces.slow",
                json!({"session": "s1"}),
                &["`session` is no argument of `traces.slow`"],
            ),
            ("sessions.get", json!({}), &["`session` is missing"]),
            ("triggers.last", json!({"limit": 0}), &["`limit` is 0"]),
            (
                "hooks.figures",
                json!({"name": "x"}),
                &["`name` is no argument of `hooks.figures`; it takes none"],
            ),
            (
                "store.backup",
                json!({"to": "copy.db"}),
                &["expected an absolute path"],
            ),
            (
                "store.forget",
                json!({}),
                &["expected exactly one of session, project, before and all"],
            ),
            (
                "store.forget",
                json!({"all": true, "session": "s1"}),
                &["expected exactly one of"],
            ),
            (
                "store.forget",
                json!({"all": false}),
                &["`all` is false; expected true", "exactly one of"],
            ),
            (
                "store.forget",
                json!({"before": "7d"}),
                &["`before` is \"7d\"", "exactly one of"],
            ),
            (
                "store.forget",
                json!({"sesion": "s1", "all": true}),
                &["`sesion` is no argument"],
            ),
        ] {
            let error = ask(&store, command, args.clone()).unwrap_err();
            assert_eq!(error.code(), "VALIDATION_ERROR", "{command} {args}");
            let RequestError::InvalidArguments(issues) = error else {
                panic!("{error:?}");
            };
            assert_eq!(issues.len(), expected.len(), "{command} {args}: {issues:?}");
            for (issue, expected) in issues.iter().zip(expected) {
                assert!(issue.contains(expected), "{issue}");
            }
        }
        let left = typed(&store, &traces::List::default());
        assert_eq!(left.len(), 3, "nothing was forgotten");
    }

    #[test]
    fn f30_c_an_unknown_command_names_the_nearest() {
        let (_folder, store) = open();
        let endless = "x".repeat(1_000_000);
        for (command, nearest) in [
            ("trace.list", Some("traces.list")),
            ("traces.lst", Some("traces.list")),
            ("store.integrty", Some("store.integrity")),
            ("frobnicate", None),
            ("", None),
            (endless.as_str(), None),
        ] {
            let error = ask(&store, command, json!({})).unwrap_err();
            assert_eq!(error.code(), "UNKNOWN_COMMAND");
            let hint = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
            let text = error.to_string();
            assert_eq!(text.contains("did you mean"), hint.is_some(), "{command}");
            assert!(text.contains(&hint.unwrap_or_default()));
        }
    }

    #[test]
    fn f30_d_a_backup_that_fails_leaves_nothing_behind() {
        let (folder, store) = filled();
        let place = |name: &str| folder.path().join(name);
        let mine = place("mine");
        fs::write(&mine, "mine").unwrap();
        for (to, code) in [
            (mine.clone(), "EXISTS"),
            (place("no/such/folder/copy"), "HANDLER_ERROR"),
        ] {
            let args = json!({"to": to.to_str().unwrap()});
            let error = ask(&store, "store.backup", args).unwrap_err();
            assert_eq!(error.code(), code, "{error}");
        }
        assert_eq!(fs::read(&mine).unwrap(), b"mine");
        let to = place("copy");
        typed(&store, &store::Backup { to: to.clone() });
        assert!(fs::metadata(to).unwrap().len() > 0);
    }

    #[test]
    fn forgetting_removes_what_is_named_and_nothing_else() {
        for (what, left) in [
            (store::Forget::Session("s1".into()), 1),
            (store::Forget::Project("/srv/app".into()), 0),
            (store::Forget::Project("/else".into()), 3),
            (store::Forget::Before(at(-1_000)), 3),
            (store::Forget::All, 0),
        ] {
            let (_folder, store) = filled();
            typed(&store, &what);
            let calls = typed(&store, &traces::List::default());
            assert_eq!(calls.len(), left, "{what:?}");
        }
    }

    #[test]
    fn f30_c_a_store_that_fails_is_a_handler_error() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir_all(data.join("bowline.db")).unwrap();
        let store = SqliteStore::open(Options::new(&data)).unwrap();
        for (command, args) in [
            ("traces.list", json!({})),
            ("sessions.list", json!({})),
            ("triggers.last", json!({})),
            ("store.size", json!({})),
            ("store.backup", json!({"to": folder.path().join("copy")})),
        ] {
            let error = ask(&store, command, args).unwrap_err();
            assert_eq!(error.code(), "HANDLER_ERROR", "{command}");
        }
        assert!(!folder.path().join("copy").exists());
    }

    #[test]
    fn deep_trees_and_deep_inputs_survive_the_wire() {
        let (_folder, store) = open();
        let deep = (0..120).fold(json!("bottom"), |inner, _| json!({"in": inner}));
        for n in 0..100 {
            let mut start = TraceStart::new(CallKey::Id(format!("call-{n}")), "Task");
            start.group = Some("deep".into());
            start.parent = (n > 0).then(|| format!("call-{}", n - 1));
            start.input = Some(deep.clone());
            submit(&store, "PreToolUse", "s1", n, Change::TraceStarted(start));
        }
        let tree = ask(&store, "traces.tree", json!({"id": "deep"})).unwrap();
        assert_eq!(tree["calls"].as_array().unwrap().len(), 100);
        // Trees and values are kept as deep as JSON can be read back.
        let depths = tree["calls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|call| &call["depth"]);
        assert_eq!(depths.max_by_key(|depth| depth.as_u64()).unwrap(), 24);
        ask(&store, "traces.list", json!({})).unwrap();
    }
}

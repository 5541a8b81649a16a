//! Agents that repeat themselves.

use super::reporter::{Reporter, WAYS, project};

#[test]
fn a_loop_is_told_and_then_stopped() {
    for way in WAYS {
        let settings = "[loops]\nmode = 'stop'\nwarn_after = 2\nstop_after = 4\n";
        let sandbox = project(way, settings);
        let mut agent = Reporter::new(way, &sandbox, "s1");
        for n in 1..=3 {
            let id = format!("a{n}");
            assert_eq!(agent.wants(&id, "make").denial(), None, "{way:?} {n}");
            let said = agent.failed(&id, "make", "Exit code 2\nboom");
            assert_eq!(
                said.context().contains("same result 2 times"),
                n == 2,
                "{way:?} {n}"
            );
        }
        let stopped = agent.wants("a4", "make");
        let reason = stopped.denial().unwrap();
        assert!(
            reason.contains("`Bash make` was made 3 times"),
            "{way:?} {reason}"
        );
        let log = sandbox.json(&["denied"]);
        assert!(log.to_string().contains("loops.repeated"), "{way:?} {log}");
        // Something else is tried.
        agent.ran("b1", "make -n", "cc a.c");
        assert_eq!(agent.wants("b2", "make").denial(), None, "{way:?}");
    }
}

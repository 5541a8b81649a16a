//! What the same line has given to git may be written over.

use bowline::hooks::Decision::{Ask, Deny, NoOpinion as Pass};
use bowline_testkit::needs;

use super::ground::Op::{Append, Commit, Ignore};
use super::{case, play, put};

#[needs(git)]
#[tokio::test]
async fn what_a_line_puts_aside_may_be_written_over_afterwards() {
    let mut cases = Vec::new();
    let changed = || vec![Append("src/main.py")];
    for (command, decision) in [
        ("git stash && echo x > src/main.py", Pass),
        ("git stash && sed -i s/a/b/ src/main.py", Pass),
        ("git stash && cp README.md src/main.py", Pass),
        ("git stash && mv README.md src/main.py", Pass),
        ("git stash && rm -rf src", Pass),
        ("git commit -qam wip && echo x > src/main.py", Pass),
        ("git stash && git stash pop && echo x > src/main.py", Ask),
        (
            "git stash && git stash apply && git stash drop && echo x > src/main.py",
            Ask,
        ),
        ("git stash && git stash drop && echo x > src/main.py", Deny),
        (
            "git commit -qam wip && git reset HEAD~1 && echo x > src/main.py",
            Ask,
        ),
        ("git stash push README.md && echo x > src/main.py", Ask),
        ("git stash list && echo x > src/main.py", Ask),
    ] {
        cases.push(case(changed(), vec![], command, decision));
    }
    for (command, decision) in [
        ("git stash -u && echo x > plan.md", Pass),
        ("git stash -u && rm -f plan.md", Pass),
        ("git stash --all && rm -rf plan.md", Pass),
        ("git stash -u && cp README.md plan.md", Pass),
        ("git stash && echo x > plan.md", Ask),
        ("git stash && rm plan.md", Ask),
        ("git commit -qam wip && rm plan.md", Ask),
        ("git stash -u && git stash pop && rm plan.md", Ask),
    ] {
        cases.push(case(vec![put("plan.md")], vec![], command, decision));
    }
    let ignored = || vec![Ignore("lab/"), Commit, put("lab/plan.md")];
    cases.extend([
        case(ignored(), vec![], "git stash -u && rm lab/plan.md", Ask),
        case(ignored(), vec![], "git stash -a && rm lab/plan.md", Pass),
        case(ignored(), vec![], "git stash -a && rm -rf lab", Pass),
        case(
            vec![put("notes/plan.md")],
            vec![],
            "git stash -u && rm -rf notes",
            Pass,
        ),
    ]);
    play(cases).await;
}

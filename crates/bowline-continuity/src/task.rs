//! Tasks: permanent folders of work.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::effort::Lifecycle;
use crate::error::{Code, RuleError};

/// The folder of a project in which its tasks are.
pub const TASKS_FOLDER: &str = ".tasks";

/// A task's name has at most this many characters.
const MAX_NAME: usize = 80;

/// A task. It never finishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its folder (`PROJECT/.tasks/NAME`), which names it.
    pub folder: String,
    /// The project's folder.
    pub project: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Whether somebody works on a task; derived from its efforts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// An effort of it is active.
    Active,
    /// None is.
    Dormant,
}

impl TaskState {
    /// The state that the efforts of a task give it.
    pub fn of(efforts: impl IntoIterator<Item = Lifecycle>) -> Self {
        let mut efforts = efforts.into_iter();
        if efforts.any(|lifecycle| lifecycle == Lifecycle::Active) {
            Self::Active
        } else {
            Self::Dormant
        }
    }
}

/// The folder of a task of this name. The name may also be the folder itself, as it was shown before.
///
/// The folder is always right below the project's folder of tasks.
pub fn task_folder(project: &str, name: &str) -> Result<String, RuleError> {
    let project = project.trim_end_matches('/');
    let refused = |why: &str| {
        let message = format!(
            "{name:?} cannot be the name of a task: {why}. Use a short name, for example `fix-login`."
        );
        Err(RuleError::new(Code::CommandError, message))
    };

    let given = name.trim().trim_end_matches('/');
    let given = given
        .strip_prefix(project)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(given);
    let given = given
        .strip_prefix(TASKS_FOLDER)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(given);

    let words: Vec<&str> = given.split_whitespace().collect();
    let safe = words.join("-").to_lowercase();
    if safe.is_empty() {
        return refused("it is empty");
    }
    if safe.contains(['/', '\\']) {
        return refused("it leads to another folder");
    }
    if safe.starts_with(['.', '-']) {
        return refused("it begins with a dot or a dash");
    }
    if safe.chars().any(char::is_control) {
        return refused("it has control characters");
    }
    if safe.chars().count() > MAX_NAME {
        return refused("it is too long");
    }
    Ok(format!("{project}/{TASKS_FOLDER}/{safe}"))
}

/// The name of the task that has this folder.
pub fn name_of(folder: &str) -> &str {
    let folder = folder.trim_end_matches('/');
    folder.rsplit('/').next().unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_a_folder_of_the_project() {
        for (name, expected) in [
            ("fix-login", "fix-login"),
            ("Fix-LOGIN", "fix-login"),
            ("  Fix the  login ", "fix-the-login"),
            ("v1..v2", "v1..v2"),
            ("42", "42"),
            ("Größe", "größe"),
            (".tasks/fix-login", "fix-login"),
            (".tasks/fix-login/", "fix-login"),
            ("/home/ann/shop/.tasks/fix-login", "fix-login"),
        ] {
            for project in ["/home/ann/shop", "/home/ann/shop/"] {
                let folder = task_folder(project, name);
                let expected = format!("/home/ann/shop/.tasks/{expected}");
                assert_eq!(folder, Ok(expected), "{name}");
            }
        }
    }

    #[test]
    fn no_name_leads_elsewhere() {
        let long = "x".repeat(MAX_NAME + 1);
        for name in [
            "",
            " ",
            "/",
            ".",
            "..",
            "../other",
            "a/b",
            "a/../b",
            "a\\b",
            "/etc",
            ".tasks",
            ".tasks/",
            ".tasks/..",
            ".tasks/a/b",
            "/home/ann/shop",
            "/home/ann/shop/.tasks/../src",
            "/home/ann/shopping",
            ".git",
            "--mode",
            "a\0b",
            "a\u{1b}[31m",
            long.as_str(),
        ] {
            let refusal = task_folder("/home/ann/shop", name).unwrap_err();
            assert_eq!(refusal.code, Code::CommandError, "{name}");
            assert!(refusal.message.contains("fix-login"), "{refusal}");
        }
    }

    #[test]
    fn a_task_is_called_by_its_folder() {
        for (folder, expected) in [
            ("/home/ann/shop/.tasks/fix-login", "fix-login"),
            ("/home/ann/shop/.tasks/fix-login/", "fix-login"),
            ("fix-login", "fix-login"),
            ("", ""),
        ] {
            assert_eq!(name_of(folder), expected, "{folder}");
        }
    }

    #[test]
    fn a_task_is_active_as_long_as_one_effort_is() {
        use Lifecycle::{Active, Finished};
        for (efforts, expected) in [
            (&[][..], TaskState::Dormant),
            (&[Finished], TaskState::Dormant),
            (&[Active], TaskState::Active),
            (&[Finished, Active, Finished], TaskState::Active),
        ] {
            let state = TaskState::of(efforts.iter().copied());
            assert_eq!(state, expected, "{efforts:?}");
        }
    }
}

//! To-do lists, followed from what agents do with theirs.

use serde_json::Value;

use crate::note::{Todo, TodoState};
use crate::text::one_line;

/// A list keeps at most so many entries.
pub const MAX_TODOS: usize = 100;
/// An entry keeps at most so many characters.
const MAX_TEXT: usize = 300;

/// Whether calls of a tool change the list.
pub fn is_about_todos(tool: &str) -> bool {
    let tools = [
        "todowrite",
        "writetodos",
        "updateplan",
        "taskcreate",
        "taskupdate",
    ];
    tools.contains(&plain(tool).as_str())
}

/// The list after a tool call that was performed. `None`: the call is about no to-do, or is not understood.
pub fn after_tool(list: &[Todo], tool: &str, input: &Value, response: &Value) -> Option<Vec<Todo>> {
    let after = match plain(tool).as_str() {
        "todowrite" | "writetodos" | "updateplan" => {
            let entries = input.get("todos").or_else(|| input.get("plan"))?;
            written(list, entries.as_array()?)
        }
        "taskcreate" => {
            // Without its id a later change would not find it.
            let id = text(response.get("task")?, &["id"])?;
            let subject = text(input, &["subject"])?;
            put(list, &id, Some(&subject), None)
        }
        "taskupdate" => {
            let id = text(input, &["taskId", "task_id", "id"])?;
            let subject = text(input, &["subject"]);
            match input.get("status") {
                None | Some(Value::Null) => put(list, &id, subject.as_deref(), None),
                Some(status) => match Step::read(status)? {
                    Step::Gone => without(list, &id),
                    Step::At(state) => put(list, &id, subject.as_deref(), Some(state)),
                },
            }
        }
        _ => return None,
    };
    Some(bounded(after))
}

/// The list after an event about one task. `None`: it is another event, or is not understood. Events about entries of a list that is
/// written as a whole (Qwen Code's `TodoCreated`) are not needed, because the list itself is seen.
pub fn after_event(list: &[Todo], event: &str, payload: &Value) -> Option<Vec<Todo>> {
    let state = match event {
        "TaskCreated" => None,
        "TaskCompleted" => Some(TodoState::Completed),
        _ => return None,
    };
    let id = text(payload, &["task_id"])?;
    let subject = text(payload, &["task_subject"]);
    Some(bounded(put(list, &id, subject.as_deref(), state)))
}

/// A list that the agent wrote as a whole. Tasks with an id come from other tools, and stay.
fn written(list: &[Todo], entries: &[Value]) -> Vec<Todo> {
    let tasks = list.iter().filter(|todo| todo.id.is_some()).cloned();
    tasks.chain(entries.iter().filter_map(entry)).collect()
}

fn entry(value: &Value) -> Option<Todo> {
    let text = text(
        value,
        &["content", "description", "step", "text", "subject"],
    )?;
    let state = match value.get("status").map(Step::read) {
        Some(Some(Step::Gone)) => return None,
        Some(Some(Step::At(state))) => state,
        // An entry whose state is not understood is still open.
        None | Some(None) => TodoState::Pending,
    };
    Some(Todo {
        id: None,
        text,
        state,
    })
}

/// Adds a task, or changes what is known of it. An unknown one without a text says nothing and is left out.
fn put(list: &[Todo], id: &str, text: Option<&str>, state: Option<TodoState>) -> Vec<Todo> {
    let mut list = list.to_vec();
    if let Some(known) = list.iter_mut().find(|todo| todo.id.as_deref() == Some(id)) {
        if let Some(text) = text {
            text.clone_into(&mut known.text);
        }
        if let Some(state) = state {
            known.state = state;
        }
    } else if let Some(text) = text {
        list.push(Todo {
            id: Some(id.to_owned()),
            text: text.to_owned(),
            state: state.unwrap_or(TodoState::Pending),
        });
    }
    list
}

fn without(list: &[Todo], id: &str) -> Vec<Todo> {
    let others = list.iter().filter(|todo| todo.id.as_deref() != Some(id));
    others.cloned().collect()
}

/// Keeps the list small: what is done goes first, then what is oldest.
fn bounded(mut list: Vec<Todo>) -> Vec<Todo> {
    let mut surplus = list.len().saturating_sub(MAX_TODOS);
    list.retain(|todo| {
        let goes = surplus > 0 && todo.state == TodoState::Completed;
        surplus -= usize::from(goes);
        !goes
    });
    list.drain(..surplus);
    list
}

/// What an agent says about how far an entry is.
enum Step {
    At(TodoState),
    Gone,
}

impl Step {
    fn read(status: &Value) -> Option<Self> {
        match plain(status.as_str()?).as_str() {
            "pending" | "todo" | "open" => Some(Self::At(TodoState::Pending)),
            "inprogress" | "active" => Some(Self::At(TodoState::InProgress)),
            "completed" | "done" => Some(Self::At(TodoState::Completed)),
            "deleted" | "cancelled" | "canceled" => Some(Self::Gone),
            _ => None,
        }
    }
}

/// The first of these fields that has a text, in one line. Ids may be numbers.
fn text(value: &Value, keys: &[&str]) -> Option<String> {
    let found = keys.iter().find_map(|key| match value.get(key)? {
        Value::String(text) => Some(one_line(text, MAX_TEXT)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })?;
    (!found.is_empty()).then_some(found)
}

/// A name as all agents spell it: `todo_write`, `TodoWrite` and `todowrite` are one.
fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(list: &[Todo]) -> String {
        let rows: Vec<_> = list
            .iter()
            .map(|todo| {
                let state = match todo.state {
                    TodoState::Pending => ' ',
                    TodoState::InProgress => '>',
                    TodoState::Completed => 'x',
                };
                let id = todo.id.as_deref().unwrap_or("-");
                format!("{id}[{state}]{}", todo.text)
            })
            .collect();
        rows.join(" ")
    }

    fn task(id: &str, text: &str, state: TodoState) -> Todo {
        Todo {
            id: Some(id.into()),
            text: text.into(),
            state,
        }
    }

    #[test]
    fn a_list_that_is_written_replaces_the_last() {
        let before = [
            task("1", "a task", TodoState::Pending),
            Todo {
                id: None,
                text: "old".into(),
                state: TodoState::InProgress,
            },
        ];
        let todos = json!([
            {"content": "Read", "status": "completed", "activeForm": "Reading"},
            {"content": "Write\nit", "status": "in_progress"},
            {"content": "Test", "status": "pending"},
        ]);
        let all = "1[ ]a task -[x]Read -[>]Write it -[ ]Test";
        for (tool, input, expected) in [
            ("TodoWrite", json!({"todos": todos}), Some(all)),
            ("todo_write", json!({"todos": todos}), Some(all)),
            ("todowrite", json!({"todos": todos}), Some(all)),
            (
                "write_todos",
                json!({"todos": [{"description": "Look", "status": "in_progress"}, {"description": "No", "status": "cancelled"}]}),
                Some("1[ ]a task -[>]Look"),
            ),
            (
                "update_plan",
                json!({"plan": [{"step": "Look", "status": "completed"}]}),
                Some("1[ ]a task -[x]Look"),
            ),
            ("TodoWrite", json!({"todos": []}), Some("1[ ]a task")),
            (
                "TodoWrite",
                json!({"todos": [{"content": "odd", "status": "someday"}, {"content": ""}, {"status": "pending"}, 7, null, {"content": "x", "status": 3}]}),
                Some("1[ ]a task -[ ]odd -[ ]x"),
            ),
            ("TodoWrite", json!({"todos": "none"}), None),
            ("TodoWrite", json!({}), None),
            ("TodoWrite", json!(null), None),
            ("Bash", json!({"todos": todos}), None),
        ] {
            let after = after_tool(&before, tool, &input, &json!({}));
            assert_eq!(
                after.as_deref().map(shown).as_deref(),
                expected,
                "{tool} {input}"
            );
        }
    }

    #[test]
    fn tasks_are_followed_by_their_ids() {
        let before = [
            task("1", "Write the note", TodoState::Pending),
            task("2", "Send it", TodoState::Pending),
        ];
        for (tool, input, response, expected) in [
            (
                "TaskCreate",
                json!({"subject": "Check it", "description": "…"}),
                json!({"task": {"id": "3", "subject": "Check it"}}),
                Some("1[ ]Write the note 2[ ]Send it 3[ ]Check it"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": "1", "status": "in_progress"}),
                json!({"success": true}),
                Some("1[>]Write the note 2[ ]Send it"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": 2, "status": "completed", "subject": "Sent"}),
                json!({}),
                Some("1[ ]Write the note 2[x]Sent"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": "2", "subject": "Send both"}),
                json!({}),
                Some("1[ ]Write the note 2[ ]Send both"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": "1", "status": "deleted"}),
                json!({}),
                Some("2[ ]Send it"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": "9", "status": "completed"}),
                json!({}),
                Some("1[ ]Write the note 2[ ]Send it"),
            ),
            (
                "TaskUpdate",
                json!({"taskId": "1", "status": "someday"}),
                json!({}),
                None,
            ),
            (
                "TaskUpdate",
                json!({"status": "completed"}),
                json!({}),
                None,
            ),
            (
                "TaskCreate",
                json!({"subject": "Check it"}),
                json!("failed"),
                None,
            ),
            ("TaskCreate", json!({}), json!({"task": {"id": "3"}}), None),
            ("TaskList", json!({}), json!({}), None),
        ] {
            let after = after_tool(&before, tool, &input, &response);
            assert_eq!(
                after.as_deref().map(shown).as_deref(),
                expected,
                "{tool} {input}"
            );
        }
    }

    #[test]
    fn f39_d_an_event_that_comes_twice_changes_nothing_more() {
        let created = json!({"task_id": "4", "task_subject": "Add a test"});
        let once = after_event(&[], "TaskCreated", &created).unwrap();
        assert_eq!(shown(&once), "4[ ]Add a test");
        assert_eq!(after_event(&once, "TaskCreated", &created).unwrap(), once);
        // The tool call that created it is reported, too.
        let input = json!({"subject": "Add a test"});
        let response = json!({"task": {"id": "4"}});
        assert_eq!(
            after_tool(&once, "TaskCreate", &input, &response).unwrap(),
            once
        );

        let done = after_event(&once, "TaskCompleted", &created).unwrap();
        assert_eq!(shown(&done), "4[x]Add a test");
        assert_eq!(after_event(&done, "TaskCompleted", &created).unwrap(), done);
        assert_eq!(after_event(&done, "TaskCreated", &created).unwrap(), done);
        // A task that nobody saw being created is known from now on.
        assert_eq!(after_event(&[], "TaskCompleted", &created).unwrap(), done);

        assert_eq!(after_event(&done, "Stop", &created), None);
        assert_eq!(after_event(&done, "TaskCreated", &json!({})), None);
    }

    #[test]
    fn a_list_stays_small() {
        let entries: Vec<_> = (0..MAX_TODOS + 20)
            .map(|n| {
                let status = if (50..65).contains(&n) {
                    "completed"
                } else {
                    "pending"
                };
                json!({"content": n.to_string(), "status": status})
            })
            .collect();
        let list = after_tool(&[], "TodoWrite", &json!({"todos": entries}), &json!({})).unwrap();
        assert_eq!(list.len(), MAX_TODOS);
        assert!(list.iter().all(|todo| todo.state == TodoState::Pending));
        assert_eq!(list[0].text, "5");
        assert_eq!(list[MAX_TODOS - 1].text, "119");

        let long = json!({"todos": [{"content": "x".repeat(1000)}]});
        let list = after_tool(&[], "TodoWrite", &long, &json!({})).unwrap();
        assert_eq!(list[0].text.chars().count(), MAX_TEXT);
    }
}

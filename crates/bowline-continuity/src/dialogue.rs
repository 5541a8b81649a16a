//! What an agent asked the user by its question tool, and what the user answered.

use serde_json::Value;

use crate::message::Message;
use crate::text::shortened;

/// The tool by which Claude Code asks.
pub const TOOL: &str = "AskUserQuestion";
/// A text in a dialogue keeps at most so many characters.
const MAX_TEXT: usize = 2000;
/// A dialogue keeps at most so many questions, and a question so many options.
const MAX_ENTRIES: usize = 20;

/// One use of the question tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialogue {
    /// What the agent said before it asked; empty if that is not known.
    pub preamble: String,
    /// What it asked, in order; never empty.
    pub questions: Vec<Asked>,
}

/// One question with its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// The options that were offered.
    pub options: Vec<String>,
    /// What the user answered; empty if there is no answer to this question.
    pub answer: String,
}

impl Dialogue {
    /// Reads the tool's input and response. `None`: nothing was asked.
    pub fn read(preamble: &str, input: &Value, response: &Value) -> Option<Self> {
        // A hook may have answered for the user; then the answers are in the input.
        let answers = [response.get("answers"), input.get("answers")];
        let answer_to = |question: &str| {
            let given = answers.iter().flatten().find_map(|all| all.get(question));
            given.map(words).unwrap_or_default()
        };
        let questions: Vec<_> = input
            .get("questions")?
            .as_array()?
            .iter()
            .filter_map(|asked| {
                let question = asked.get("question")?.as_str()?;
                let options = asked.get("options").and_then(Value::as_array);
                Some(Asked {
                    question: shortened(question, MAX_TEXT),
                    options: options
                        .into_iter()
                        .flatten()
                        .filter_map(label)
                        .take(MAX_ENTRIES)
                        .collect(),
                    answer: shortened(&answer_to(question), MAX_TEXT),
                })
            })
            .take(MAX_ENTRIES)
            .collect();
        if questions.is_empty() {
            return None;
        }
        Some(Self {
            preamble: shortened(preamble.trim(), MAX_TEXT),
            questions,
        })
    }

    /// The dialogue as a message that is kept with the session.
    pub fn to_message(&self) -> Message {
        let mut content = self.preamble.clone();
        for asked in &self.questions {
            if !content.is_empty() {
                content.push_str("\n\n");
            }
            content.push_str("Question: ");
            content.push_str(&asked.question);
            if !asked.options.is_empty() {
                content.push_str("\nOptions: ");
                content.push_str(&asked.options.join(" | "));
            }
            content.push_str("\nAnswer: ");
            content.push_str(if asked.answer.is_empty() {
                "(none)"
            } else {
                &asked.answer
            });
        }
        Message {
            role: "dialogue".to_owned(),
            content,
            tool: Some(TOOL.to_owned()),
        }
    }
}

fn label(option: &Value) -> Option<String> {
    let label = option.get("label").unwrap_or(option).as_str()?;
    Some(shortened(label, MAX_TEXT))
}

/// An answer, or the chosen options in one text.
fn words(answer: &Value) -> String {
    match answer {
        Value::String(text) => text.clone(),
        Value::Array(chosen) => {
            let chosen: Vec<_> = chosen.iter().filter_map(Value::as_str).collect();
            chosen.join(", ")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn input() -> Value {
        json!({"questions": [
            {"question": "Which database?", "header": "Database", "multiSelect": false,
             "options": [{"label": "PostgreSQL", "description": "…"}, {"label": "SQLite", "description": "…"}]},
            {"question": "Which parts?", "header": "Parts", "multiSelect": true, "options": [{"label": "Log"}, "Trace", 3]},
        ]})
    }

    #[test]
    fn f36_b_answers_belong_to_the_question_with_their_text() {
        for (row, response, expected) in [
            (
                "both",
                json!({"questions": [], "answers": {"Which parts?": "Log, Trace", "Which database?": "SQLite"}}),
                ["SQLite", "Log, Trace"],
            ),
            (
                "several options",
                json!({"answers": {"Which parts?": ["Log", "Trace"]}}),
                ["", "Log, Trace"],
            ),
            (
                "another question",
                json!({"answers": {"Which one?": "SQLite"}}),
                ["", ""],
            ),
            ("a list", json!({"answers": ["SQLite"]}), ["", ""]),
            (
                "wrong types",
                json!({"answers": {"Which database?": 4}}),
                ["", ""],
            ),
            ("a text", json!("User has answered"), ["", ""]),
            ("nothing", json!(null), ["", ""]),
        ] {
            let dialogue = Dialogue::read("", &input(), &response).unwrap();
            let answers: Vec<_> = dialogue
                .questions
                .iter()
                .map(|asked| asked.answer.as_str())
                .collect();
            assert_eq!(answers, expected, "{row}");
        }
    }

    #[test]
    fn answers_in_the_input_count_where_the_response_has_none() {
        let mut input = input();
        input["answers"] = json!({"Which database?": "PostgreSQL", "Which parts?": "Log"});
        let response = json!({"answers": {"Which database?": "SQLite"}});
        let dialogue = Dialogue::read("", &input, &response).unwrap();
        assert_eq!(dialogue.questions[0].answer, "SQLite");
        assert_eq!(dialogue.questions[1].answer, "Log");
    }

    #[test]
    fn without_questions_there_is_no_dialogue() {
        for input in [
            json!({}),
            json!(null),
            json!({"questions": []}),
            json!({"questions": "Which?"}),
            json!({"questions": [{"header": "Database"}, 5]}),
        ] {
            assert_eq!(Dialogue::read("Hello", &input, &json!({})), None, "{input}");
        }
    }

    #[test]
    fn f36_b_a_dialogue_is_a_message_with_options_and_answers() {
        let response = json!({"answers": {"Which database?": "SQLite"}});
        let message = Dialogue::read(" Two questions. ", &input(), &response)
            .unwrap()
            .to_message();
        assert_eq!(
            (message.role.as_str(), message.tool.as_deref()),
            ("dialogue", Some(TOOL))
        );
        assert_eq!(
            message.content,
            "Two questions.\n\n\
             Question: Which database?\nOptions: PostgreSQL | SQLite\nAnswer: SQLite\n\n\
             Question: Which parts?\nOptions: Log | Trace\nAnswer: (none)"
        );
    }

    #[test]
    fn a_dialogue_is_bounded() {
        let question =
            json!({"question": "x".repeat(9000), "options": vec![json!({"label": "y"}); 90]});
        let input = json!({"questions": vec![question; 90]});
        let dialogue = Dialogue::read("", &input, &json!({})).unwrap();
        assert_eq!(dialogue.questions.len(), MAX_ENTRIES);
        assert_eq!(dialogue.questions[0].options.len(), MAX_ENTRIES);
        assert_eq!(dialogue.questions[0].question.chars().count(), MAX_TEXT);
    }
}

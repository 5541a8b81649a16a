//! A model on loopback that says what it is told to: enough of the Messages API for an agent to talk to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A running model. It ends with the runtime.
pub(crate) struct ScriptedModel {
    url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl ScriptedModel {
    /// Starts a model that gives these answers, one per request, each with its HTTP status.
    pub(crate) async fn start(answers: Vec<(u16, Value)>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
        let record = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answers, record) = (Arc::clone(&answers), Arc::clone(&record));
                tokio::spawn(async move { serve(stream, &answers, &record).await });
            }
        });
        Ok(Self { url, requests })
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests
            .lock()
            .map(|requests| requests.clone())
            .unwrap_or_default()
    }
}

/// An answer in words, after which the model is done.
pub(crate) fn says(text: &str) -> (u16, Value) {
    answer(json!([{"type": "text", "text": text}]), "end_turn")
}

/// An answer that calls tools: their names and inputs. Their ids are `call-0`, `call-1`, …
pub(crate) fn calls(tools: &[(&str, Value)]) -> (u16, Value) {
    let blocks: Vec<Value> = tools
        .iter()
        .enumerate()
        .map(|(index, (name, input))| {
            json!({"type": "tool_use", "id": format!("call-{index}"), "name": name, "input": input})
        })
        .collect();
    answer(blocks.into(), "tool_use")
}

fn answer(content: Value, stop_reason: &str) -> (u16, Value) {
    let body = json!({
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    });
    (200, body)
}

async fn serve(
    stream: TcpStream,
    answers: &Mutex<VecDeque<(u16, Value)>>,
    record: &Mutex<Vec<Value>>,
) -> Option<()> {
    let mut stream = BufReader::new(stream);
    let request = read_request(&mut stream).await?;
    record.lock().ok()?.push(request);
    let none_left = (
        500,
        json!({"error": {"message": "the script is at its end"}}),
    );
    let (status, body) = answers.lock().ok()?.pop_front().unwrap_or(none_left);
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(body.as_bytes()).await.ok()
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            if line.trim_end().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    serde_json::from_slice(&body).ok()
}

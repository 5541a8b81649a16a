//! Hooks that ask somebody over HTTP: an agent that looks first, and a tool of an MCP server. Both are played on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{fs, thread};

use bowline::hooks::Decision;
use serde_json::{Value, json};

use super::stage::{Stage, permission};

/// Answers every request with JSON, and keeps what it was asked.
struct Played {
    port: u16,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Played {
    /// An answer of null is HTTP's "accepted", without a body.
    fn start(answer: impl Fn(&Value) -> Value + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read_request(&stream);
                let answer = answer(&request);
                seen.lock().unwrap().push(request);
                let (status, body) = match answer {
                    Value::Null => (202, String::new()),
                    answer => (200, answer.to_string()),
                };
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap_or_default()
}

#[test]
fn an_agent_hook_looks_at_the_project_and_decides() {
    let model = Played::start(|request| {
        let looked = request["messages"].as_array().unwrap().len() > 1;
        let content = if looked {
            json!([{"type": "text", "text": "{\"ok\": false, \"reason\": \"a todo is left\"}"}])
        } else {
            json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "main.rs"}}])
        };
        let stop_reason = if looked { "end_turn" } else { "tool_use" };
        json!({"content": content, "stop_reason": stop_reason, "usage": {"input_tokens": 1, "output_tokens": 1}})
    });
    let stage = Stage::new();
    stage.write("project/main.rs", "fn main() { todo!() }\n");
    stage.user_config(&format!(
        "[prompt]\nprovider = 'anthropic'\nbase_url = 'http://127.0.0.1:{}'\nmodel = 'm'\napi_key_env = 'PLAYED_KEY'\n\
         [[hooks.PreToolUse]]\nmatcher = 'Bash'\ntype = 'agent'\nprompt = 'Is anything left to do? $ARGUMENTS'\n",
        model.port
    ));
    let mut call = stage.call();
    call.env.push(("PLAYED_KEY".into(), "sk-played".into()));
    let answer = stage.client().hook(call, &stage.bash("cargo publish"));
    let (decision, reason) = permission(&answer);
    assert_eq!(
        (decision.as_str(), reason.as_str()),
        ("deny", "a todo is left")
    );
    let asked = model.asked();
    assert_eq!(asked.len(), 2);
    let shown = asked[1].to_string();
    assert!(shown.contains("todo!()") && shown.contains("cargo publish"));
    assert_eq!(stage.recorded().remove(0).decided.decision, Decision::Deny);
}

#[test]
fn an_mcp_tool_hook_asks_its_server() {
    let server = Played::start(|request| {
        let result = match request["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}})
            }
            Some("tools/call") => {
                let line = &request["params"]["arguments"]["line"];
                let text = json!({"decision": "deny", "reason": format!("not {}", line.as_str().unwrap())});
                json!({"content": [{"type": "text", "text": text.to_string()}]})
            }
            _ => return Value::Null,
        };
        json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
    });
    let stage = Stage::new();
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    let servers = json!({"mcpServers": {"policies": {"type": "http", "url": url}}});
    fs::write(stage.path("home/.claude.json"), servers.to_string()).unwrap();
    stage.user_config(
        "[[hooks.PreToolUse]]\nmatcher = 'Bash'\ntype = 'mcp_tool'\nserver = 'policies'\ntool = 'judge'\n\
         input = { line = '${tool_input.command}' }\n",
    );
    // Twice: a conversation ends with its call.
    for _ in 0..2 {
        let answer = stage.hook(&stage.bash("make deploy"));
        let (decision, reason) = permission(&answer);
        assert_eq!(
            (decision.as_str(), reason.as_str()),
            ("deny", "not make deploy")
        );
    }
    let methods = server.asked();
    let methods: Vec<&str> = methods
        .iter()
        .filter_map(|request| request["method"].as_str())
        .collect();
    let once = ["initialize", "notifications/initialized", "tools/call"];
    assert_eq!(methods, [once, once].concat());
}

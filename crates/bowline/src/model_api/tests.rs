use serde_json::json;

use super::*;
use crate::test_server::{Reply, Server, closed_port};

const PATIENCE: Duration = Duration::from_secs(20);
const KEY: &str = "sk-s3cr3t";

fn config(provider: ModelProvider, base_url: String) -> ModelConfig {
    ModelConfig {
        base_url,
        ..ModelConfig::new(provider, ApiKey::new(KEY))
    }
}

fn environment(set: &[(&str, &str)]) -> Option<ModelConfig> {
    ModelConfig::from_env(&|name| {
        set.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_environment_configures_a_model() {
    assert!(environment(&[]).is_none());
    assert!(environment(&[("ANTHROPIC_API_KEY", " "), ("OPENAI_BASE_URL", "http://x")]).is_none());

    let anthropic = environment(&[
        ("OPENAI_API_KEY", "b"),
        ("ANTHROPIC_API_KEY", "a\n"),
        ("ANTHROPIC_BASE_URL", ""),
    ])
    .unwrap();
    assert_eq!(anthropic.provider, ModelProvider::Anthropic);
    assert_eq!(anthropic.base_url, "https://api.anthropic.com");
    assert_eq!(anthropic.api_key, ApiKey::new("a"));

    let openai = environment(&[
        ("OPENAI_API_KEY", "b"),
        ("OPENAI_BASE_URL", "http://localhost:11434/v1"),
        ("BOWLINE_PROMPT_MODEL", "tiny"),
    ])
    .unwrap();
    assert_eq!(openai.provider, ModelProvider::Openai);
    assert_eq!(openai.base_url, "http://localhost:11434/v1");
    assert_eq!(openai.model, "tiny");
}

#[test]
fn a_base_url_is_understood_however_it_ends() {
    let anthropic = "https://a.example/v1/messages";
    let openai = "https://a.example/v1/chat/completions";
    for (provider, base, expected) in [
        (ModelProvider::Anthropic, "https://a.example", anthropic),
        (ModelProvider::Anthropic, "https://a.example/", anthropic),
        (ModelProvider::Anthropic, "https://a.example/v1/", anthropic),
        (ModelProvider::Openai, "https://a.example/v1", openai),
        (ModelProvider::Openai, "https://a.example/v1//", openai),
    ] {
        let endpoint = config(provider, base.to_owned()).endpoint().unwrap();
        assert_eq!(endpoint.as_str(), expected, "{base}");
    }
}

#[tokio::test]
async fn requests_go_where_the_provider_wants_them() {
    let server = Server::start([Reply::new(200, "{\"a\":1}"), Reply::new(200, "{\"a\":2}")]).await;
    let body = json!({ "model": "m" });
    for (provider, answer) in [(ModelProvider::Anthropic, 1), (ModelProvider::Openai, 2)] {
        let reply = config(provider, server.url("")).post(&body, PATIENCE).await;
        assert_eq!(reply, Ok(json!({ "a": answer })));
    }
    let requests = server.requests();
    assert_eq!(requests[0].line(), "POST /v1/messages");
    assert_eq!(requests[0].header("x-api-key"), [KEY]);
    assert_eq!(requests[0].header("anthropic-version"), ["2023-06-01"]);
    assert_eq!(requests[0].header("content-type"), ["application/json"]);
    assert_eq!(requests[1].line(), "POST /chat/completions");
    assert_eq!(requests[1].header("authorization"), ["Bearer sk-s3cr3t"]);
    assert_eq!(requests[1].json(), body);
}

#[tokio::test]
async fn a_busy_server_is_asked_exactly_once_more() {
    let soon = "Retry-After: 0\r\n";
    let late = "Retry-After: 3600\r\n";
    let date = "Retry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    for (first, headers, second, expected) in [
        (429, soon, 200, Ok(json!({}))),
        (529, soon, 200, Ok(json!({}))),
        (500, "", 200, Ok(json!({}))),
        (429, late, 200, Ok(json!({}))),
        (503, date, 200, Ok(json!({}))),
        (500, soon, 500, Err(500)),
        (429, soon, 503, Err(503)),
    ] {
        let replies = [first, second, 200].map(|code| Reply::with_headers(code, headers, "{}"));
        let server = Server::start(replies).await;
        let reply = config(ModelProvider::Anthropic, server.url(""))
            .post(&json!({}), PATIENCE)
            .await;
        let reply = reply.map_err(|error| match error {
            ModelError::Status { code, .. } => code,
            error => panic!("{error}"),
        });
        assert_eq!(reply, expected, "{first}, {second}");
        assert_eq!(server.requests().len(), 2, "{first}, {second}");
    }
}

#[tokio::test]
async fn a_refusal_is_final_and_never_tells_the_key() {
    for code in [301, 400, 401, 404] {
        let body = json!({ "error": { "message": format!("bad key {KEY}\nsecond line") } });
        let server = Server::start([Reply::new(code, body.to_string())]).await;
        let error = config(ModelProvider::Openai, server.url(""))
            .post(&json!({}), PATIENCE)
            .await
            .unwrap_err();
        let expected = format!("the server answered {code}: bad key ***");
        assert_eq!(error.to_string(), expected);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn the_pause_fits_into_the_time_that_is_left() {
    let seconds = Duration::from_secs;
    for (code, retry_after, remaining, expected) in [
        (429, Some(2), seconds(10), Some(seconds(2))),
        (429, Some(10), seconds(10), Some(BACKOFF)),
        (429, Some(u64::MAX), seconds(10), Some(BACKOFF)),
        (500, None, seconds(10), Some(BACKOFF)),
        (500, None, BACKOFF, None),
        (599, Some(0), Duration::ZERO, None),
        (400, Some(1), seconds(10), None),
        (600, None, seconds(10), None),
    ] {
        let refusal = Refusal {
            code,
            retry_after: retry_after.map(Duration::from_secs),
            detail: String::new(),
        };
        assert_eq!(refusal.pause(remaining), expected, "{code}");
    }
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_errors() {
    let huge = vec![b' '; BODY_LIMIT + 1];
    for (body, wanted) in [
        (b"not json".to_vec(), "not JSON"),
        (Vec::new(), "not JSON"),
        (huge, "longer than 8 MB"),
    ] {
        let server = Server::start([Reply::new(200, body)]).await;
        let error = config(ModelProvider::Anthropic, server.url(""))
            .post(&json!({}), PATIENCE)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[tokio::test]
async fn silence_ends_at_the_limit() {
    let server = Server::start([
        Reply::with_headers(500, "Retry-After: 0\r\n", ""),
        Reply::Silence,
    ])
    .await;
    let after = Duration::from_millis(200);
    let reply = config(ModelProvider::Anthropic, server.url(""))
        .post(&json!({}), after)
        .await;
    assert_eq!(reply, Err(ModelError::Timeout { after }));
}

#[tokio::test]
async fn what_cannot_be_reached_is_told_without_secrets() {
    let refused = format!("http://user:hunter2@127.0.0.1:{}", closed_port().await);
    for (base, key) in [
        (refused.as_str(), KEY),
        ("file://hunter2", KEY),
        ("hunter2", KEY),
        ("https://a.example", "hunter2\u{7}"),
    ] {
        let mut config = config(ModelProvider::Anthropic, base.to_owned());
        config.api_key = ApiKey::new(key);
        let error = config.post(&json!({}), PATIENCE).await.unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(!told.contains("hunter2") && !told.contains(KEY), "{told}");
    }
}

#[test]
fn the_key_is_not_for_eyes() {
    let config = config(ModelProvider::Anthropic, String::new());
    assert!(!format!("{config:?} {config:#?}").contains("s3cr3t"));
    assert!(!format!("{:?}", config.headers().unwrap()).contains("s3cr3t"));
}

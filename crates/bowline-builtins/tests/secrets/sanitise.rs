//! What of a tool's input may be kept.

use bowline_builtins::{mask, sanitise};
use bowline_guard::secrets::{expand, redact};
use serde_json::{Value, json};

#[test]
fn f20_f_secrets_go_at_any_depth_and_the_input_stays() {
    let token = expand("ghp_{a36}");
    for (input, expected) in [
        (
            json!({"command": "x", "api_key": "s"}),
            json!({"command": "x", "api_key": "[REDACTED]"}),
        ),
        (
            json!({"a": [{"b": {"command": "x", "api_key": "s"}}]}),
            json!({"a": [{"b": {"command": "x", "api_key": "[REDACTED]"}}]}),
        ),
        (
            json!({"password": {"old": "a", "new": ["b"]}, "pin": 5, "token": 17, "secret": null}),
            json!({"password": "[REDACTED]", "pin": 5, "token": "[REDACTED]", "secret": null}),
        ),
        (
            json!({"name": "Authorization", "value": "Bearer abc"}),
            json!({"name": "Authorization", "value": "[REDACTED]"}),
        ),
        (
            json!({"headers": [["X-Api-Key", "abc"], ["Accept", "text/html"]]}),
            json!({"headers": [["X-Api-Key", "[REDACTED]"], ["Accept", "text/html"]]}),
        ),
        (
            json!({"name": "Ada", "value": "7"}),
            json!({"name": "Ada", "value": "7"}),
        ),
        (
            json!({"text": format!("use {token} here")}),
            json!({"text": "use [REDACTED:github-token] here"}),
        ),
        (
            json!({token.as_str(): 1, expand("ghp_{a30}{d6}"): 2}),
            json!({"[REDACTED:github-token]": 1, "[REDACTED:github-token] (2)": 2}),
        ),
        (
            json!({"args": ["curl", "-u", "ci:S3cr3t-pw9", "https://x.test"]}),
            json!({"args": ["curl", "-u", "ci:[REDACTED:command-secret]", "https://x.test"]}),
        ),
    ] {
        let before = input.clone();
        assert_eq!(sanitise(&input), expected, "{input}");
        assert_eq!(mask(&input), expected, "{input}");
        assert_eq!(input, before);
        assert_eq!(sanitise(&expected), expected, "once is enough");
    }
}

#[test]
fn f20_f_commands_lose_the_secrets_in_them() {
    let secret = expand("{a24}");
    for command in [
        format!("curl -H 'Authorization: Bearer {secret}' https://api.test"),
        format!("curl -H \"X-Api-Key: {secret}\" https://api.test"),
        format!("curl -u ci:{secret} https://api.test"),
        format!("git clone https://ci:{secret}@git.test/a.git"),
        format!("psql postgres://app:{secret}@db.test/shop"),
        format!("API_KEY={secret} ./deploy"),
    ] {
        let kept = sanitise(&json!({"command": command}));
        let kept = kept["command"].as_str().unwrap();
        assert!(
            !kept.contains(&secret) && kept.contains("[REDACTED:"),
            "{kept}"
        );
        assert_eq!(
            kept.split_whitespace().next(),
            command
                .replace(&secret, "[REDACTED:secret]")
                .split_whitespace()
                .next()
        );
    }
}

#[test]
fn f20_f_long_strings_are_cut_after_their_secrets_are_gone() {
    let whole = "é".repeat(10_000);
    assert_eq!(sanitise(&json!(whole)), json!(whole));
    let longer = "é".repeat(10_123);
    let kept = sanitise(&json!({"content": longer}));
    assert_eq!(
        kept["content"],
        json!(format!("{whole}… [123 more characters left out]"))
    );
    assert_eq!(mask(&json!(longer)), json!(longer));

    // The cut would leave half a token, which no rule knows any more.
    let token = expand("ghp_{a36}");
    let text = format!("{} {token} end", "x".repeat(9_980));
    let kept = sanitise(&json!(text));
    assert!(!kept.as_str().unwrap().contains("ghp_"), "{kept}");
}

#[test]
fn f20_g_names_are_judged_by_their_words() {
    for name in [
        "author",
        "keyboard",
        "max_tokens",
        "token_count",
        "monkey",
        "authority",
        "primary_key",
        "passenger",
    ] {
        let input = json!({ name: "plain words" });
        assert_eq!(sanitise(&input), input, "{name}");
    }
    for name in [
        "password",
        "apiKey",
        "API_KEY",
        "x-api-key",
        "client_secret",
        "accessToken",
        "Authorization",
        "db_password",
        "private_key",
    ] {
        assert_eq!(
            sanitise(&json!({ name: "plain words" })),
            json!({ name: "[REDACTED]" }),
            "{name}"
        );
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let mut deep = Value::from(1);
    for _ in 0..100_000 {
        deep = Value::Array(vec![deep]);
    }
    for shown in [sanitise(&deep), mask(&deep)] {
        assert!(shown.to_string().contains("nested too deeply"));
    }
    // Dropping it would take a stack frame per level.
    std::mem::forget(deep);

    let wide = Value::Array(vec![Value::from(0); 150_000]);
    let kept = sanitise(&wide);
    assert!(kept.as_array().unwrap().len() <= 100_001);
    assert!(kept.to_string().contains("too much in one value"));
    assert_eq!(mask(&wide), wide);

    let heavy = Value::Array(vec![Value::from("x ".repeat(4_500)); 1_000]);
    assert!(sanitise(&heavy).to_string().len() < 5_000_000);
}

#[test]
fn of_a_huge_string_only_the_beginning_is_looked_at() {
    const HUGE: usize = 20 * 1024 * 1024;
    let token = expand("ghp_{a36}");
    let text = format!("{token} ").repeat(HUGE / (token.len() + 1));
    let kept = sanitise(&json!({ "content": text, &text: 1 }));
    for kept in [
        kept["content"].as_str().unwrap(),
        kept.as_object()
            .unwrap()
            .keys()
            .find(|key| *key != "content")
            .unwrap(),
    ] {
        assert!(kept.starts_with("[REDACTED:"), "{}", &kept[..60]);
        assert!(kept.chars().count() < 10_100, "{}", kept.len());
        let note = kept.rsplit_once('…').unwrap().1;
        let left_out: usize = note
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap();
        // Secrets that were looked at would be shorter by now.
        assert!((HUGE - 100_000..HUGE).contains(&left_out), "{note}");
    }
}

#[test]
fn no_part_of_a_secret_at_the_edge_of_what_is_looked_at_is_kept() {
    // Bytes that are looked at of one string.
    const EDGE: usize = 10_000 * 4 + 64 * 1024;
    let token = expand("ghp_{a36}");
    let key = |lines: usize| {
        let body = format!("{}\n", expand("{a64}")).repeat(lines);
        format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n")
    };
    // Long secrets become short, so that what is kept would reach to where reading ends, amid the token.
    let keys = key(200).repeat(8);
    assert!(redact(&keys).len() < 1_000);
    for shift in 0..=token.len() {
        let filler = " ".repeat(EDGE - keys.len() - shift);
        let text = format!("{keys}{filler}{token} end");
        let kept = sanitise(&json!(text));
        let kept = kept.as_str().unwrap();
        assert!(kept.contains("[REDACTED:") && kept.contains("left out"));
        assert!(!kept.contains("ghp"), "{shift}");
    }
}

#[test]
fn all_strings_of_a_value_together_are_looked_at_only_so_far() {
    let mut heavy = vec![Value::from("x ".repeat(4_500)); 1_000];
    let line = sanitise(&json!(heavy));
    assert!(line.as_array().unwrap().len() < 120, "as a command line");
    heavy.push(Value::Null);
    let token = expand("ghp_{a36}");
    let kept = sanitise(&json!({"a": heavy, "b": {"z": token, "n": 7}, "password": "hush"}));
    assert!(kept.to_string().len() < 1_200_000);
    assert!(kept["a"].to_string().contains("left out"));
    assert_eq!(
        kept["b"],
        json!({"z": "[40 characters left out]", "n": 7}),
        "what is not looked at is not kept"
    );
    assert_eq!(kept["password"], "[REDACTED]");

    // The neighbours of a huge argument are still read together.
    let arguments = json!([
        "curl",
        "-u",
        "ci:S3cr3t-pw",
        "x ".repeat(500_000),
        "-u",
        "ci:S3cr3t-pw"
    ]);
    let kept = sanitise(&arguments);
    assert!(!kept.to_string().contains("S3cr3t"), "{}", kept[2]);
    assert_eq!(kept[1], "-u");
}

#[test]
fn f20_g_texts_under_key_tokens_and_auth_header_are_hidden() {
    let random = expand("{a40}");
    let input = json!({
        "key": random, "auth_header": random, "tokens": [random], "Tokens": random,
        "options": {"key": random}, "author": "Ann", "keyboard": "de", "max_tokens": 5, "primary_key": "id",
    });
    let kept = sanitise(&input);
    assert!(!kept.to_string().contains(&random), "{kept}");
    assert_eq!(kept["author"], "Ann");
    assert_eq!(kept["keyboard"], "de");
    assert_eq!(kept["max_tokens"], 5);
    assert_eq!(kept["primary_key"], "id");
    // Numbers are how many there are, and a key may name what stands beside it.
    for plain in [
        json!({"tokens": 512}),
        json!({"key": "colour", "value": "red"}),
    ] {
        assert_eq!(sanitise(&plain), plain);
    }
}

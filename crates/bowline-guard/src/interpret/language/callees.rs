//! What functions of the scripting languages do with the values that they are given, by name.

/// What a called function does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callee {
    Tests,
    Prints,
    Sends,
    /// What it gives still holds them.
    Passes,
    Other,
}

pub(super) fn call_of(name: &str, before: &str) -> Callee {
    let last = before.rsplit('.').next().unwrap_or_default();
    match name {
        "len" | "bool" | "Boolean" | "isset" | "empty" | "defined" | "type" | "typeof" | "if"
        | "while" | "elif" | "switch" | "any" | "all" | "unless" | "exists" | "isinstance"
        | "keys" | "sorted" | "set" | "count" | "strlen" => Callee::Tests,
        "print" | "puts" | "echo" | "say" | "p" | "pp" | "pprint" | "printf" | "warn" | "die"
        | "var_dump" | "print_r" | "var_export" | "write" | "writelines" | "writeFile"
        | "writeFileSync" | "appendFileSync" | "write_text" | "write_bytes"
        | "file_put_contents" | "fwrite" => Callee::Prints,
        "log" | "info" | "debug" | "error" | "warning" | "critical" | "exception" | "dir"
        | "table" | "trace"
            if matches!(
                last,
                "console" | "logging" | "logger" | "log" | "LOG" | "LOGGER" | "_logger"
            ) =>
        {
            Callee::Prints
        }
        "axios" | "got" | "urlopen" | "Request" | "fetch" | "sendall" | "sendto"
        | "urlretrieve" => Callee::Sends,
        "get" | "post" | "put" | "patch" | "request" | "head" | "send" | "open"
            if matches!(
                last,
                "requests"
                    | "httpx"
                    | "axios"
                    | "session"
                    | "http"
                    | "https"
                    | "got"
                    | "needle"
                    | "superagent"
                    | "s"
                    | "sock"
                    | "socket"
                    | "client"
                    | "Net::HTTP"
                    | "HTTP"
                    | "URI"
            ) =>
        {
            Callee::Sends
        }
        "str" | "repr" | "format" | "join" | "dumps" | "stringify" | "b64encode" | "encode"
        | "decode" | "dict" | "list" | "tuple" | "String" | "quote" | "quote_plus"
        | "urlencode" | "concat" | "from" | "entries" | "values" | "items" | "assign"
        | "fromEntries" | "json_encode" | "base64_encode" | "bytes" | "btoa" => Callee::Passes,
        _ => Callee::Other,
    }
}

/// Members that tell something about a value, but not the value.
pub(super) fn is_test_member(name: &str) -> bool {
    matches!(
        name,
        "length"
            | "size"
            | "nil"
            | "empty"
            | "present"
            | "blank"
            | "startswith"
            | "startsWith"
            | "start_with"
            | "endswith"
            | "endsWith"
            | "includes"
            | "include"
            | "keys"
            | "key"
            | "has"
            | "isdigit"
            | "hasOwnProperty"
            | "count"
    )
}

/// Keywords by which a request takes what proves who asks.
pub(super) fn is_header_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "headers" | "header" | "auth" | "cookies")
        || ["authorization", "api-key", "x-auth", "token"]
            .iter()
            .any(|it| lower.contains(it))
}

#!/bin/sh
# Reminds the agent to format a Rust file that it changed.

file=$(sed -e 's/.*"file_path" *: *"\([^"]*\)".*/\1/')

case "$file" in
*.rs)
	cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "A Rust file changed: run `cargo fmt` before you finish."}}
JSON
	;;
esac

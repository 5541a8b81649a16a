#!/bin/sh
# Denies a forced push and names the form that cannot overwrite other people's work.
# An example, not a fence: it looks at the text of the command and does not read shell as a shell does.

# The value of "command" in the payload, with quotes inside it made harmless.
command=$(sed -e "s/\\\\\"/'/g" -e 's/.*"command" *: *"\([^"]*\)".*/\1/')

case "$command " in
*'git push'*' --force '* | *'git push'*' -f '*)
	cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "A forced push can overwrite commits of others. Use `git push --force-with-lease` instead."}}
JSON
	;;
esac

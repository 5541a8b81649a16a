#!/bin/sh
# While the release skill is in use: no tag on a work tree with uncommitted changes.

command=$(sed -e "s/\\\\\"/'/g" -e 's/.*"command" *: *"\([^"]*\)".*/\1/')

case "$command" in
*'git tag'*)
	if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
		echo 'Commit or stash the changes before you tag a release.' >&2
		exit 2
	fi
	;;
esac

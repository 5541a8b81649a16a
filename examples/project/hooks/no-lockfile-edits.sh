#!/bin/sh
# Denies edits of lock files: the package manager writes them.

case "${FILE_PATH##*/}" in
Cargo.lock | package-lock.json | pnpm-lock.yaml | poetry.lock)
	echo "Do not edit ${FILE_PATH##*/} by hand; change the manifest and run the package manager." >&2
	exit 2
	;;
esac

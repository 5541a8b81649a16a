#!/usr/bin/env python3
"""Start the real client in a terminal of its own and tell what it shows first.

    python3 interactive.py --client .../claude --home HOME --project PROJECT --work WORK

HOME and PROJECT are there already, with the settings that are to be tried.  Prints a JSON object: "shows" is "prompt" (it is ready
for a prompt), "warning" (it opened with a Settings Warning) or "nothing" (neither within the time); "screen" is the text.
"""
import argparse
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import run_scenario

KEY = "test-key-12345678901234567890"
LIMIT = 60  # seconds until it counts as showing nothing
SETTLED = 3  # seconds for which a prompt has to stand: the warning replaces it


def accepted(project):
    """What a person has answered before: without it, other questions come first."""
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
    }


def environment(args, port):
    address = f"http://127.0.0.1:{port}"
    return {
        "PATH": os.environ["PATH"], "HOME": str(args.home), "LANG": "C.UTF-8", "TERM": "xterm-256color",
        "SHELL": "/bin/sh", "TMPDIR": str(args.work), "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": KEY,
        "HTTP_PROXY": address, "HTTPS_PROXY": address, "NO_PROXY": "127.0.0.1,localhost",
        **run_scenario.QUIET, **dict(pair.split("=", 1) for pair in args.env),
    }


def start(client, project, env):
    """The client's process and the other end of its terminal."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(project)
        os.execve(client, [client], env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 110, 0, 0))
    return process, terminal


def plain(screen):
    """The text without escapes and without white space, which the client draws by moving the cursor."""
    text = screen.decode(errors="replace")
    text = re.sub(r"\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-_]", "", text)
    return re.sub(r"\s", "", text)


def watch(terminal):
    """What it shows, and the text."""
    screen, began, ready = b"", time.monotonic(), None
    while time.monotonic() - began < LIMIT:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                screen += os.read(terminal, 65536)
            except OSError:  # it has ended
                break
        text = plain(screen)
        if "SettingsWarning" in text:
            return "warning", text
        if re.search("─{20}[❯>]", text):  # the field for the prompt, below its line
            ready = ready or time.monotonic()
            if time.monotonic() - ready > SETTLED:
                return "prompt", text
    return "nothing", plain(screen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--client", required=True)
    for name in ("--home", "--project", "--work"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--env", action="append", default=[])
    args = parser.parse_args()
    args.project = args.project.resolve()
    args.work.mkdir(parents=True, exist_ok=True)
    (args.home / ".claude.json").write_text(json.dumps(accepted(args.project)))
    scenario = args.work / "scenario.json"
    scenario.write_text(json.dumps({"turns": [{"text": "done"}]}))
    model, port = run_scenario.start_model(scenario, args.work / "model.jsonl", False)
    try:
        process, terminal = start(args.client, args.project, environment(args, port))
        try:
            shows, screen = watch(terminal)
        finally:
            os.killpg(process, signal.SIGKILL)  # the terminal's process leads its group
            os.waitpid(process, 0)
    finally:
        model.terminate()
    json.dump({"shows": shows, "screen": screen}, sys.stdout)


if __name__ == "__main__":
    main()

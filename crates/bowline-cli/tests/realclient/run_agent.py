#!/usr/bin/env python3
"""Run a real coding agent, headless and offline, through one neutral scenario, and print a JSON summary.

    CODEX_BIN=.../codex python3 run_agent.py codex scenario.json --work DIR

Home and project are DIR/home and DIR/project, as they are there: hooks are put in before. Environment, network and scripted
model are those of run_scenario.py; what differs by client is in agents.py. The client is never looked up on PATH.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from agents import AGENTS, put
from run_scenario import HERE, can_isolate, check, fill, load, read_jsonl, run_client, start_model


def native_turns(agent, turns):
    """Turns with neutral actions ({"action": "shell", "command": ...}) put into the client's tools."""
    result = []
    for turn in turns:
        tools = turn.get("tools", [])
        result.append({**turn, "tools": [native_tool(agent, t) for t in tools]})
        if any(t.get("action") == "agent" for t in tools):
            result += agent.after_agent()
    return result


def native_tool(agent, tool):
    if "action" not in tool:
        return tool
    name, given = agent.tool(tool["action"], tool)
    native = {"action": tool["action"], "name": name, "input": given}
    if "turns" in tool:  # of the sub-agent that this call starts
        *turns, last = tool["turns"]
        native["turns"] = native_turns(agent, [*turns, agent.last_turn(last)])
    return native


def tool_calls(requests):
    """The model's calls in order, each with what it was told about it (result None: never answered)."""
    calls = {}
    for request in requests:
        for new in request.get("new", []):
            if new.get("tool_use_id") in calls:
                calls[new["tool_use_id"]].update(result=new["text"], is_error=new["is_error"])
        for tool in request.get("answer", {}).get("tools", []):
            calls[tool["id"]] = {k: tool.get(k) for k in ("id", "action", "name", "input")}
            calls[tool["id"]].update(result=None, is_error=None)
    return list(calls.values())


def environment(places, url, agent, more):
    """The client's whole environment. NODE_BIN names a node to use instead of the one on PATH."""
    path = os.environ["PATH"]
    if os.environ.get("NODE_BIN"):
        path = os.path.dirname(os.path.abspath(os.environ["NODE_BIN"])) + os.pathsep + path
    return {"PATH": path, "HOME": str(places["HOME"]), "LANG": "C.UTF-8", "TMPDIR": str(places["OUT"]),
            "SHELL": shutil.which("bash") or "sh", "NO_COLOR": "1",
            "HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "127.0.0.1,localhost",
            **agent.env(places, url), **more}


def run(agent, scenario, work, env, timeout):
    agent = AGENTS[agent]
    client = os.environ.get(agent.variable)
    if not client or not os.path.exists(client):
        raise FileNotFoundError(f"{agent.variable} does not name the executable of {agent.name}")
    work = pathlib.Path(work).resolve()
    places = {"HOME": work / "home", "PROJECT": work / "project", "OUT": work / "out", "HARNESS": HERE}
    for folder in ("HOME", "PROJECT", "OUT"):
        places[folder].mkdir(parents=True, exist_ok=True)
    out = places["OUT"]
    scenario = fill(load(scenario), places)
    put(places["PROJECT"], scenario.get("files", {}))
    script = {"expect": {}, **scenario, "turns": native_turns(agent, scenario.get("turns", []))}
    (out / "scenario.json").write_text(json.dumps(script))
    isolate = can_isolate()
    started = time.time()
    model, port = start_model(out / "scenario.json", out / "model.jsonl", isolate)
    try:
        url = f"http://127.0.0.1:{port}"
        prefix = ["nsenter", "-t", str(model.pid), "-n"] if isolate else []
        env_all = environment(places, url, agent, {**scenario.get("env", {}), **env})
        put("/", agent.base_files(places, url))
        argv = [*prefix, *agent.argv(client, scenario.get("prompt", "Go."), places, url)]
        code, timed_out = run_client(argv, places["PROJECT"], env_all, out / "stdout.txt", out / "stderr.txt", timeout)
    finally:
        model.terminate()
        model.wait()
        model.stdout.close()
    requests = read_jsonl(out / "model.jsonl")
    summary = {
        "agent": agent.name,
        "failures": [],
        "exit_codes": [code],
        "wall_s": round(time.time() - started, 2),
        "isolated": bool(isolate),
        "result": {"result": (out / "stdout.txt").read_text(errors="replace")},
        "tool_calls": tool_calls(requests),
        "model_requests": [r for r in requests if r["kind"] != "outside"],
        "outside_attempts": [r for r in requests if r["kind"] == "outside"],
        "recorded": [],
        "record": False,
        "stderr": (out / "stderr.txt").read_text(errors="replace")[-4000:],
    }
    if timed_out:
        summary["failures"].append(f"the client did not end within {timeout} s")
    if summary["outside_attempts"]:
        summary["failures"].append("the client tried to reach an outside host")
    summary["failures"] += check(script["expect"], summary, places["PROJECT"])
    return summary


def main():
    ap = argparse.ArgumentParser(description="run a real agent through a neutral scenario")
    ap.add_argument("agent", choices=AGENTS)
    ap.add_argument("scenario")
    ap.add_argument("--work", required=True, help="folder with home and project, for the logs too")
    ap.add_argument("--env", action="append", default=[], metavar="K=V", help="environment variable for the client")
    ap.add_argument("--timeout", type=float, default=90, help="seconds for the client")
    args = ap.parse_args()
    summary = run(args.agent, args.scenario, args.work, dict(e.split("=", 1) for e in args.env), args.timeout)
    print(json.dumps(summary, indent=1))
    return 1 if summary["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())

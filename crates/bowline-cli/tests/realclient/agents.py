"""What differs by client, one class each: its tools, its settings without hooks, its environment and its command line.

A scenario speaks of neutral actions (shell, write, edit, read, agent). Hooks are put in by whoever is tested.
"""
import json
import pathlib


class Agent:
    name = ""                # as on the command line
    variable = ""            # environment variable that names the executable

    def tool(self, action, a):
        """(tool name, input) of a neutral action with the arguments a."""
        raise NotImplementedError

    def last_turn(self, turn):
        """How a sub-agent's last turn is told."""
        return turn

    def after_agent(self):
        """Turns that the main loop needs between starting a sub-agent and its answer."""
        return []

    def base_files(self, places, url):
        """Files written before anything else: {path: value} (a dict is JSON)."""
        return {}

    def env(self, places, url):
        return {}

    def argv(self, client, prompt, places, url):
        raise NotImplementedError


class Claude(Agent):
    name, variable = "claude-code", "CLAUDE_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "Agent", {"description": "Help", "prompt": a["prompt"], "subagent_type": "general-purpose",
                             "run_in_background": False}
        if action == "shell":
            return "Bash", {"command": a["command"], "description": "Run"}
        if action == "write":
            return "Write", {"file_path": a["path"], "content": a["content"]}
        if action == "edit":
            return "Edit", {"file_path": a["path"], "old_string": a["old"], "new_string": a["new"]}
        return "Read", {"file_path": a["path"]}

    def env(self, places, url):
        return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "test-key",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1"}

    def argv(self, client, prompt, places, url):
        return [client, "-p", prompt, "--allowedTools", "Bash", "Write", "Edit"]


class Cline(Agent):
    name, variable = "cline", "CLINE_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "spawn_agent", {"systemPrompt": "Help.", "task": a["prompt"]}
        if action == "shell":
            return "run_commands", {"commands": [a["command"]]}
        if action == "write":
            return "editor", {"path": a["path"], "new_text": a["content"]}
        if action == "edit":
            return "editor", {"path": a["path"], "old_text": a["old"], "new_text": a["new"]}
        return "read_files", {"files": [{"path": a["path"]}]}

    def base_files(self, places, url):
        provider = {"provider": "openai-compatible", "apiKey": "test-key", "model": "fake-model", "baseUrl": f"{url}/v1"}
        known = {"settings": provider, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
        return {places["HOME"] / ".cline/data/settings/global-settings.json": {"telemetryOptOut": True, "autoUpdateEnabled": False},
                places["HOME"] / ".cline/data/settings/providers.json": {
                    "version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": known}}}

    def env(self, places, url):
        return {"CLINE_SESSION_BACKEND_MODE": "local", "CLINE_NO_AUTO_UPDATE": "1", "E2E_TEST": "true"}

    def argv(self, client, prompt, places, url):
        return [client, prompt]


class Codex(Agent):
    name, variable = "codex", "CODEX_BIN"
    # Each of these reaches for an outside host at the start.
    quiet = ["-c", "analytics.enabled=false", "-c", "features.plugins=false", "-c", "features.remote_plugin=false",
             "-c", "features.apps=false", "-c", "check_for_update_on_startup=false"]

    def tool(self, action, a):
        """Codex reads with the shell; its edits are patches, given as one string."""
        if action == "agent":
            return "collaboration.spawn_agent", {"task_name": "help", "message": a["prompt"], "fork_turns": "none"}
        if action in ("shell", "read"):
            return "exec_command", {"cmd": a["command"] if action == "shell" else f"cat '{a['path']}'"}
        if action == "write":
            lines = [f"*** Add File: {a['path']}", *("+" + line for line in a["content"].splitlines())]
        else:
            lines = [f"*** Update File: {a['path']}", "@@", *("-" + line for line in a["old"].splitlines()),
                     *("+" + line for line in a["new"].splitlines())]
        return "apply_patch", "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])

    def after_agent(self):
        return [{"tools": [{"name": "collaboration.wait_agent", "input": {"timeout_ms": 20000}}]}]

    def env(self, places, url):
        return {"CODEX_HOME": str(places["HOME"] / ".codex"), "LOOP_KEY": "test-key"}

    def argv(self, client, prompt, places, url):
        # The model's name must be a known one, else patches are not offered.
        provider = (f'{{name="loop", base_url="{url}/v1", wire_api="responses", env_key="LOOP_KEY", '
                    'request_max_retries=0, stream_max_retries=0}')
        model = ["-c", 'model="gpt-5.5"', "-c", 'model_provider="loop"', "-c", f"model_providers.loop={provider}",
                 "-c", "features.multi_agent_v2=true"]
        return [client, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox",
                *self.quiet, *model, prompt]


class Copilot(Agent):
    name, variable = "copilot", "COPILOT_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "task", {"name": "help", "description": "Help", "prompt": a["prompt"],
                            "agent_type": "general-purpose", "mode": "sync"}
        if action == "shell":
            return "bash", {"command": a["command"], "description": "Run"}
        if action == "write":
            return "create", {"path": a["path"], "file_text": a["content"]}
        if action == "edit":
            return "edit", {"path": a["path"], "old_str": a["old"], "new_str": a["new"]}
        return "view", {"path": a["path"]}

    def env(self, places, url):
        return {"COPILOT_HOME": str(places["HOME"] / ".copilot"), "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false", "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
                "COPILOT_PROVIDER_API_KEY": "test-key", "COPILOT_MODEL": "fake-model"}

    def argv(self, client, prompt, places, url):
        return [client, "-s", "--allow-all-tools", "--trust-folder", "-p", prompt]


class OpenCode(Agent):
    name, variable = "opencode", "OPENCODE_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "task", {"description": "Help", "prompt": a["prompt"], "subagent_type": "general"}
        if action == "shell":
            return "bash", {"command": a["command"], "description": "Run"}
        if action == "write":
            return "write", {"filePath": a["path"], "content": a["content"]}
        if action == "edit":
            return "edit", {"filePath": a["path"], "oldString": a["old"], "newString": a["new"]}
        return "read", {"filePath": a["path"]}

    def base_files(self, places, url):
        provider = {"npm": "@ai-sdk/openai-compatible", "name": "loop",
                    "options": {"baseURL": f"{url}/v1", "apiKey": "test-key"},
                    "models": {"fake-model": {"name": "fake", "tool_call": True}}}
        return {places["OUT"] / "opencode.json": {
            "autoupdate": False, "share": "disabled", "model": "loop/fake-model", "small_model": "loop/fake-model",
            "provider": {"loop": provider}}}

    def env(self, places, url):
        off = ("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
        return {"OPENCODE_CONFIG": str(places["OUT"] / "opencode.json"),
                "npm_config_registry": url,  # it installs its plugin package in the background; here: not found
                **{f"OPENCODE_DISABLE_{name}": "true" for name in off}}

    def argv(self, client, prompt, places, url):
        return [client, "run", prompt]


class Gemini(Agent):
    name, variable = "gemini", "GEMINI_BIN"
    settings = ".gemini/settings.json"
    defaults = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "telemetry": {"enabled": False},
                "privacy": {"usageStatisticsEnabled": False}, "general": {"enableAutoUpdate": False}}

    def tool(self, action, a):
        if action == "agent":
            return "invoke_agent", {"agent_name": "generalist", "prompt": a["prompt"]}
        if action == "shell":
            return "run_shell_command", {"command": a["command"], "description": "Run"}
        if action == "write":
            return "write_file", {"file_path": a["path"], "content": a["content"]}
        if action == "edit":
            return "replace", {"file_path": a["path"], "old_string": a["old"], "new_string": a["new"],
                               "instruction": "Edit"}
        return "read_file", {"file_path": a["path"]}

    def last_turn(self, turn):
        return {"tools": [{"name": "complete_task", "input": {"result": {"response": turn["text"]}}}]}

    def base_files(self, places, url):
        return {places["HOME"] / self.settings: self.defaults}

    def env(self, places, url):
        return {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}

    def argv(self, client, prompt, places, url):
        return [client, "-m", "gemini-2.5-flash", "--yolo", "-p", prompt]


class Qwen(Gemini):
    name, variable = "qwen", "QWEN_BIN"
    settings = ".qwen/settings.json"
    defaults = {**Gemini.defaults, "security": {"auth": {"selectedType": "openai"}},
                "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}

    def tool(self, action, a):
        if action == "agent":
            return "agent", {"description": "Help", "prompt": a["prompt"], "subagent_type": "general-purpose",
                             "run_in_background": False}
        name, given = super().tool(action, a)
        if action == "shell":
            given["is_background"] = False
        given.pop("instruction", None)
        return ("edit" if action == "edit" else name), given

    def last_turn(self, turn):
        return turn

    def env(self, places, url):
        return {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake-model"}

    def argv(self, client, prompt, places, url):
        return [client, "--yolo", "-p", prompt]


class Droid(Agent):
    name, variable = "droid", "DROID_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "Task", {"description": "Help", "prompt": a["prompt"], "subagent_type": "worker"}
        if action == "shell":
            return "Execute", {"command": a["command"], "summary": "Run", "riskLevel": "low",
                               "riskLevelReason": "It is small."}
        if action == "write":
            return "Create", {"file_path": a["path"], "content": a["content"]}
        if action == "edit":
            return "Edit", {"file_path": a["path"], "old_str": a["old"], "new_str": a["new"]}
        return "Read", {"file_path": a["path"]}

    def base_files(self, places, url):
        model = {"model": "fake-model", "displayName": "fake", "baseUrl": f"{url}/v1", "apiKey": "test-key",
                 "maxOutputTokens": 1000, "provider": "generic-chat-completion-api"}
        return {places["HOME"] / ".factory/settings.json": {"customModels": [model]}}

    def env(self, places, url):
        return {"FACTORY_AIRGAP_ENABLED": "true", "FACTORY_API_KEY": "fk-test",
                "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"}

    def argv(self, client, prompt, places, url):
        return [client, "exec", "-m", "custom:fake-model", "--auto", "high", prompt]


class Grok(Agent):
    name, variable = "grok", "GROK_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "spawn_subagent", {"description": "Help", "prompt": a["prompt"], "background": False}
        if action == "shell":
            return "run_terminal_command", {"command": a["command"], "description": "Run"}
        if action == "write":
            return "write", {"file_path": a["path"], "content": a["content"]}
        if action == "edit":
            return "search_replace", {"file_path": a["path"], "old_string": a["old"], "new_string": a["new"]}
        return "read_file", {"target_file": a["path"]}

    def base_files(self, places, url):
        return {places["HOME"] / ".grok/config.toml": f"""[models]
default = "loop"
[model.loop]
model = "fake-model"
base_url = "{url}/v1"
api_key = "test-key"
[cli]
auto_update = false
[features]
telemetry = false
"""}

    def env(self, places, url):
        services = ("API", "AUTH", "CLI_CHAT_PROXY_BASE", "CODE_API", "CONVERSATIONS_BASE", "FEEDBACK_BASE", "MODELS_LIST",
                    "MODES_BASE", "WORKSPACES_BASE")
        return {"GROK_MODELS_BASE_URL": f"{url}/v1", "XAI_API_KEY": "test-key", "GROK_TELEMETRY_ENABLED": "false",
                "GROK_DISABLE_AUTOUPDATER": "1", **{f"GROK_{name}_URL": url for name in services}}

    def argv(self, client, prompt, places, url):
        return [client, "--always-approve", "-p", prompt]


class Kimi(Agent):
    name, variable = "kimi", "KIMI_BIN"

    def tool(self, action, a):
        if action == "agent":
            return "Agent", {"description": "Help", "prompt": a["prompt"], "subagent_type": "coder",
                             "run_in_background": False}
        if action == "shell":
            return "Bash", {"command": a["command"]}
        if action == "write":
            return "Write", {"path": a["path"], "content": a["content"]}
        if action == "edit":
            return "Edit", {"path": a["path"], "old_string": a["old"], "new_string": a["new"]}
        return "Read", {"path": a["path"]}

    def base_files(self, places, url):
        """Its hooks are in the same file, and were put in before."""
        config = places["HOME"] / ".kimi-code/config.toml"
        hooks = config.read_text() if config.exists() else ""
        return {config: f"""default_model = "loop/fake"
telemetry = false
default_permission_mode = "yolo"
[providers.loop]
type = "openai"
base_url = "{url}/v1"
api_key = "test-key"
[models."loop/fake"]
provider = "loop"
model = "fake-model"
max_context_size = 200000

{hooks}"""}

    def env(self, places, url):
        return {"KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}

    def argv(self, client, prompt, places, url):
        return [client, "-p", prompt]


AGENTS = {a.name: a for a in (Claude(), Cline(), Codex(), Copilot(), Droid(), Gemini(), Grok(), Kimi(), OpenCode(), Qwen())}


def put(root, tree):
    """Write {path: text or JSON value}. JSON objects are merged into a JSON file that is there
    already (objects by key, lists one after the other); anything else replaces it."""
    for name, value in tree.items():
        path = pathlib.Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.suffix == ".json":
            new = json.loads(value) if isinstance(value, str) else value
            value = merged(json.loads(path.read_text()), new)
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))


def merged(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return {k: merged(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
    return a + b if isinstance(a, list) and isinstance(b, list) else b

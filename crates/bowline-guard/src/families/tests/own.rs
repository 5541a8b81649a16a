use super::check_lines;
use crate::effect::{Category, Gravity};
use crate::judge::judge;
use crate::paths::{OwnPlaces, StaticWorld, World};

/// Checks that a line is marked as one about the guard itself, or is not.
fn check_marked(table: &str, world: &dyn World) {
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (expected, text) = line.split_once(' ').unwrap();
        let effects = judge(text, world).effects;
        let marked = effects
            .iter()
            .any(|(it, _)| it.category == Category::OwnSettings && it.gravity > Gravity::Harmless);
        if marked != (expected == "self") {
            wrong.push(text.to_owned());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn its_programs() {
    check_marked(
        r"self chmod -x ~/.cargo/bin/bowline-hook
         self mv ~/.cargo/bin/bowline-hook /tmp/x
         self cp /bin/true ~/.cargo/bin/bowline-hook
         self ln -sf /bin/true /usr/local/bin/bowline-hook
         self install -m755 x ~/.local/bin/bowline-hook
         self rm ~/.cargo/bin/bowline-hook
         self rm -f ~/.cargo/bin/bowl*
         self truncate -s0 ~/.cargo/bin/bowline-hook
         self echo > ~/.cargo/bin/bowline-hook
         self : > /opt/bowline/bowline-hook
         self cp target/release/bowline-hook ~/.cargo/bin/
         self mv /tmp/bowline /usr/local/bin
         self setfacl -m u::--- ~/.cargo/bin/bowline-hook
         self sudo chmod 000 ~/.cargo/bin/bowline
         self bash -c 'chmod -x ~/.cargo/bin/bowline-hook'
         pass ls -l ~/.cargo/bin/bowline-hook
         pass file ~/.cargo/bin/bowline
         pass cp ~/.cargo/bin/bowline-hook /tmp/x
         pass sha256sum ~/.cargo/bin/bowline-hook
         pass rm target/debug/bowline-hook
         pass cp target/release/bowline-hook /tmp/out/bin.tar
         pass cargo build --bin bowline-hook
         pass chmod +x bin/*
         pass chmod +x bin/run
         pass mkdir -p ~/src/bowline
         pass echo x > ~/src/bowline/notes.txt",
        &super::world(),
    );
}

#[test]
fn its_commands() {
    check_marked(
        r#"self bowline init --on-failure open
         self bowline init --yes --on-failure=open
         self bowline init --yes
         self bowline store forget --all --yes
         self bowline note remove 3
         self bowline init --with-efforts --yes
         self bowline uninstall
         self bowline allow git.push-force
         self bowline allow --list
         self bowline why last
         self bowline --color never allow git.clean
         self script -qec 'bowline allow last' /dev/null
         self sh -c "bowline allow last --yes"
         self tmux send-keys -t 0 'bow' 'line allow last -y' Enter
         self tmux send-keys -t 0 bowline Space allow Space last C-m
         self x=allow; bowline $x last
         self env -u CLAUDECODE setsid bowline allow last
         self bowline approvals grant 7
         self bowline approvals allow
         self bowline approvals allow k3v9q --for-good --yes
         self bowline approvals deny k3v9q --message no
         self bowline --color never approvals allow k3v9q
         self script -qec 'bowline approvals allow k3v9q' /dev/null
         self env -u CLAUDECODE setsid bowline approvals allow
         self tmux send-keys -t 0 'bowline approvals allow' Enter
         self x=approvals; bowline $x allow
         self python3 -c 'import os; os.system("bowline approvals allow k3v9q")'
         self bowline top
         self bowline open
         self bowline open --print
         self bowline frobnicate
         self bowline lease release src/main.rs
         self bowline orchestrator off
         self bowline orchestrator off --session s1
         self bowline errors forget 3
         self bowline cost allow session
         self bowline config init --preset safe --force
         self bowline trust --yes
         self bowline trust --revoke
         self bowline pause --for 10m
         self bowline daemon stop
         self bowline daemon restart
         self bowline rules disable git.push-force
         self sudo bowline uninstall
         self sh -c 'bowline uninstall'
         self ~/.cargo/bin/bowline pause
         self $(which bowline) uninstall
         self python3 -c 'import subprocess; subprocess.run(["bowline", "uninstall"])'
         self find . -name x -exec bowline uninstall \;
         self bowline supervise -- claude
         self bowline run --on-failure open -- aider
         self bowline run -- bowline uninstall
         self bowline run -- bash -c 'bowline pause'
         self bowline statusline -- 'bowline uninstall'
         pass bowline run -- aider
         pass bowline run --on-failure closed -- bash
         pass bowline run --dry-run --json
         pass bowline run -- make --agent x
         pass bowline fleet --json
         pass bowline fleet seen
         pass bowline
         pass bowline --version
         pass bowline init
         pass bowline init --dry-run
         pass bowline init --dry-run --on-failure open
         pass bowline doctor
         pass bowline resume
         pass bowline store size
         pass bowline store forget --all --dry-run
         pass bowline lease list --json
         pass bowline approvals
         pass bowline approvals list --json
         pass bowline approvals list --follow
         pass bowline orchestrator status
         pass bowline orchestrator reset
         pass bowline orchestrator on
         pass bowline work add 'Fix the login' --kind bug --start
         pass bowline work done 3
         pass bowline errors --since 1d
         pass bowline errors show 3
         pass bowline errors done 3
         pass bowline metrics write
         pass bowline cost --by model --since 7d
         pass bowline cost summary
         pass bowline config show leases --json
         pass bowline report --since 1w --md
         pass bowline trust --list
         pass bowline daemon status
         pass bowline trace list --json
         pass bowline rules list
         pass bowline denied
         pass bowline search cargo test --json
         pass bowline task new 'Fix the login'
         pass bowline effort start fix-login implement
         pass bowline effort log 'The cookie expires at once'
         pass bowline effort finish
         pass bowline note add --effort 'No new dependency'
         pass bowline note list
         pass bowline init --with-efforts
         pass bowline --color never log
         pass bowline complete call
         pass bowline explain 'bowline uninstall'
         pass echo 'bowline uninstall'"#,
        &super::world(),
    );
}

#[test]
fn its_processes() {
    check_marked(
        r"self kill $(pidof bowline)
         self kill -9 $(pgrep -f bowline)
         self pgrep bowline | xargs kill
         self ps aux | grep bowline | awk '{print $2}' | xargs kill
         self pkill bowl
         self pkill -f 'bowline daemon'
         self killall -STOP bowline
         self systemctl --user stop bowline.service
         self systemctl --user disable --now bowline
         self launchctl bootout gui/501/dev.bowline.daemon
         self cargo uninstall bowline-cli
         self brew uninstall bowline
         pass kill $(pidof node)
         pass pkill -f vite
         pass systemctl --user status bowline.service
         pass pgrep bowline
         pass cargo build -p bowline-cli
         pass cargo remove serde",
        &super::world(),
    );
}

#[test]
fn its_switches() {
    check_marked(
        r#"self export BOWLINE=off
         self export BOWLINE_DAEMON=off
         self export BOWLINE_DISABLE_TRACKING=1
         self export PATH=/x BOWLINE=off
         self declare -x BOWLINE=off
         self export HTMLGRAPH_DISABLE_TRACKING=true
         self BOWLINE=off; export BOWLINE
         self BOWLINE=off make test
         self env BOWLINE=off make test
         self BOWLINE_DISABLE_TRACKING=1 ls
         self set -gx BOWLINE off
         self setenv BOWLINE off
         self echo 'export BOWLINE=off' >> ~/.bashrc
         self echo 'export BOWLINE=off' | tee -a ~/.zshrc
         self echo export BOWLINE=off >> "$CLAUDE_ENV_FILE"
         self printf 'BOWLINE=off\n' >> .envrc
         self printf 'BOWLINE DEFAULT=off\n' > ~/.pam_environment
         self sed -i '1i export BOWLINE=off' ~/.profile
         self launchctl setenv BOWLINE off
         self systemctl --user set-environment BOWLINE=off
         self tmux set-environment -g BOWLINE off
         self echo 'BOWLINE=off' > ~/.config/environment.d/x.conf
         self export BOWLINE_SOCKET=/tmp/x
         pass export BOWLINE=on
         pass export BOWLINE_LOG=debug
         pass export BOWLINE_DISABLE_TRACKING=0
         pass export PATH=/x
         pass echo 'export PATH=/x' >> ~/.bashrc
         pass echo 'set BOWLINE=off to switch it off' >> README.md
         pass grep -r 'BOWLINE=off' docs
         pass git commit -m 'BOWLINE=off in docs'
         pass systemctl --user set-environment FOO=bar"#,
        &super::world(),
    );
    check_marked(
        "self cat >> ~/.bashrc <<< 'export BOWLINE=off'",
        &super::world(),
    );
    let document = "cat >> ~/.bashrc <<'E'\nexport A=1\nexport BOWLINE=off\nE\n";
    let effects = judge(document, &super::world()).effects;
    assert!(effects.iter().any(|(it, _)| it.rule == "self.switched-off"));
}

#[test]
fn agents_without_guards() {
    check_lines(
        r#"ask claude --settings '{"disableAllHooks":true}'
         ask claude --settings='{"hooks":{}}' -p x
         ask claude --settings /tmp/other.json -p x
         ask claude --dangerously-skip-permissions
         ask claude --dangerously-skip-permissions -p 'fix it'
         ask claude --permission-mode bypassPermissions -p x
         ask claude --setting-sources project -p x
         ask npx @anthropic-ai/claude-code --dangerously-skip-permissions
         ask CLAUDE_CONFIG_DIR=/tmp/x claude -p x
         ask env HOME=/tmp/x claude -p x
         ask codex exec --dangerously-bypass-approvals-and-sandbox x
         ask codex --yolo
         ask codex exec --sandbox danger-full-access x
         ask codex exec -c features.hooks=false x
         ask codex --disable hooks exec x
         ask codex exec --disable=codex_hooks x
         ask codex exec --dangerously-bypass-hook-trust x
         ask gemini --yolo -p x
         ask gemini -y
         ask gemini --approval-mode=yolo
         ask qwen --yolo
         ask qwen --safe-mode -p x
         ask qwen-code --bare -p x
         ask QWEN_HOME=/tmp/x qwen -p x
         ask GEMINI_CLI_HOME=/tmp/x gemini -p x
         ask droid exec --auto high x
         ask droid exec --skip-permissions-unsafe x
         ask FACTORY_HOME_OVERRIDE=/tmp/x droid exec x
         allow droid exec --auto low x
         allow qwen -p x
         ask cursor-agent --force 'x'
         ask cursor-agent -f x
         ask grok --always-approve -p x
         ask kimi --auto
         ask kimi -y -p x
         ask copilot --allow-all-tools -p x
         ask copilot --yolo -p x
         ask COPILOT_HOME=/tmp/x copilot -p x
         ask OPENCODE_PERMISSION='"allow"' opencode run x
         ask opencode run --dangerously-skip-permissions x
         ask timeout 60 claude --dangerously-skip-permissions -p x
         allow claude -p 'fix the test'
         allow claude -p '--yolo is a flag'
         allow claude --settings '{"model":"opus"}' -p x
         allow claude --permission-mode plan -p x
         allow claude --setting-sources user,project -p x
         allow claude --version
         allow claude mcp list
         allow codex exec 'fix the test'
         allow codex exec --sandbox read-only x
         allow codex exec -m o3 x
         allow codex exec --disable apps x
         allow gemini -p x
         allow grok -p x
         allow kimi -p 'fix --auto'
         allow opencode run x
         allow copilot -p x
         allow cursor .
         allow cursor-agent -p x"#,
    );
}

/// An agent that Bowline is put into could take it out again.
#[test]
fn agents_that_bowline_is_put_into() {
    for it in bowline_agents::registrations() {
        let (folder, user, program) = (it.folder.in_home, it.files.user, it.client.name);
        let mut table = vec![
            format!("self rm ~/{folder}/{user}"),
            format!("self unheard-of ~/{folder}/{user}"),
            format!("self rm -r ~/{folder}"),
            format!("self {program} --dangerously-unguarded"),
            format!("pass {program} --version ~/{folder}/{user}"),
        ];
        let in_project = [it.files.project, it.files.local].into_iter().flatten();
        table.extend(in_project.map(|file| format!("self echo x > {file}")));
        if let Some(variable) = it.folder.variable {
            table.push(format!("self rm \"${variable}/{user}\""));
            table.push(format!("self {variable}=/tmp/x {program} -p hello"));
        }
        check_marked(&table.join("\n"), &super::world());
    }
}

#[test]
fn programs_that_agents_run_by_themselves() {
    check_marked(
        r"self echo x > .opencode/plugin/mine.js
         self cp mine.ts ~/.config/opencode/plugins/mine.ts
         self sed -i s/a/b/ .opencode/plugin/bowline.js
         self rm -f ~/.config/opencode/plugin/*
         self rm -r .opencode/plugins
         self mv .opencode/plugin/bowline.js /tmp
         self echo {} > opencode.json
         self opencode --pure run x
         self OPENCODE_PURE=1 opencode run x
         self echo x > .clinerules/hooks/PreToolUse
         self cp mine.sh ~/.cline/hooks/PreToolUse.ts
         self chmod -x ~/Documents/Cline/Hooks/PreToolUse
         self rm -r ~/Documents/Cline/Hooks
         self echo x > .clinerules/hooks/TaskStart.sh
         self rm ~/.cline/hooks/*
         self tee ~/.cline/plugins/mine.ts
         self cp -r mine ~/Documents/Cline/Plugins
         self sed -i s/exec/true/ Documents/Cline/Hooks/PreToolUse
         self cline --hooks-dir /tmp/x 'do it'
         pass cat ~/Documents/Cline/Hooks/PreToolUse
         pass ls -l ~/Documents/Cline/Hooks
         pass cline 'do it'
         pass cline --auto-approve false 'do it'
         pass echo x > .clinerules/style.md
         pass echo x > ~/Documents/Cline/Rules/style.md
         pass rm ~/Documents/letter.txt
         pass rm -rf ~/src/cline
         pass cat .opencode/plugin/bowline.js
         pass mkdir -p .opencode/plugin
         pass echo x > .opencode/command/fix.md
         pass echo x > src/plugin/bowline.js
         pass rm -rf ~/src/opencode
         pass opencode run 'look at opencode.json'",
        &super::world(),
    );
}

#[test]
fn programs_that_change_its_settings() {
    check_marked(
        r#"self ruby -i -pe 'gsub(/a/, "b")' .claude/settings.json
         self dasel put -f .claude/settings.json hooks
         self crudini --del ~/.config/bowline/config.toml guard
         self npx json -I -f .claude/settings.json -e 'this.hooks={}'
         self ls .claude/settings.json | xargs sed -i s/a/b/
         self find . -name settings.json | xargs sed -i s/a/b/
         self sed -i s/a/b/ .cl*/settings.json
         self echo {} > .cl*/settings.json
         self rm ~/.copilot/hooks/other.json
         self rm -rf ~/.copilot/hooks
         self echo {} > .github/hooks/mine.json
         self rm -r .github/hooks
         self sed -i s/a/b/ .github/hook?/*.json
         pass rm .github/workflows/ci.json
         pass rm src/hooks/data.json
         self docker run -v ~/.claude:/c img sh
         self docker run --mount type=bind,source=/home/ann/.claude,target=/c img
         self npx prettier --write .claude/settings.json
         self python3 strip.py .claude/settings.json
         self truncate -s0 bowline.toml
         self rm -f /run/user/1000/bowline/daemon.sock
         self rm -f /tmp/bowline-1000/daemon.sock
         self rm -f /tmp/bowline-1000-3ac9351970493f0d/daemon.sock
         self echo x > $XDG_CONFIG_HOME/bowline/config.toml
         self rm -rf "$XDG_DATA_HOME/bowline"
         self echo {} > "$CLAUDE_CONFIG_DIR/settings.json"
         self echo x > "$CODEX_HOME/config.toml"
         self rm "$BOWLINE_SOCKET"
         pass echo x > "$CLAUDE_CONFIG_DIR/commands/fix.md"
         self echo x > /srv/conf/bowline/trust.json
         self echo x > /srv/conf/bowline/allowed.json
         pass cat .claude/settings.json
         pass jq .hooks .claude/settings.json
         pass python3 -m json.tool .claude/settings.json
         pass npx prettier --check .claude/settings.json
         pass git add .claude/settings.json
         pass git rm -r --cached .claude
         pass find . -name settings.json
         pass find . -name '*.json' | xargs wc -l
         pass mkdir -p .claude/commands
         pass echo x > .claude/commands/fix.md
         pass docker run -v ~/.claude:/c:ro img sh
         pass docker run -v .:/app img sh
         self rm ~/.grok/hooks/mine.json
         self echo x > .grok/hooks/other.json
         self rm -r .grok/hooks
         self echo x >> ~/.grok/disabled-hooks
         self echo x > ~/.kimi-code/config.toml
         self rm "$KIMI_CODE_HOME/config.toml"
         self rm "$GROK_HOME/hooks/any.json"
         self rm ~/.codeium/windsurf/hooks.json
         pass rm -r windsurf
         pass echo x > windsurf/hooks.json
         pass echo x > ~/.grok/skills/a.md
         pass echo x > .claude/hooks/a.json
         self echo {} > .github/copilot/settings.json
         self rm .github/copilot/settings.local.json
         pass echo x > .github/copilot/notes.md
         pass echo x > .github/copilot-instructions.md
         self echo {} > ~/.gemini/trustedFolders.json
         self sed -i s/TRUST_FOLDER/DO_NOT_TRUST/ ~/.qwen/trustedFolders.json
         pass echo x > trustedFolders.json
         pass sed -i s/a/b/ .vscode/settings.json
         pass echo '{"editor.tabSize": 2}' > .vscode/settings.json
         pass rm .vscode/settings.json
         pass git checkout .vscode/settings.json
         pass cat .vscode/settings.json
         pass cp .vscode/settings.json /tmp/x
         pass jq . .vscode/settings.json > /tmp/x
         self echo '{"chat.hookFilesLocations": {}}' > .vscode/settings.json
         self printf '{"chat.useHooks": false}' | tee .vscode/settings.json
         self jq '."chat.hooks.enabled" = false' .vscode/settings.json | sponge .vscode/settings.json
         self sed -i 's/"chat.useHooks": true/"chat.useHooks": false/' ~/.config/Code/User/settings.json
         self cp /tmp/x .vscode/settings.json
         self echo "$x" > ~/.config/Code/User/settings.json
         pass echo '{"chat.fontSize": 3}' > ~/.config/Code/User/settings.json
         pass echo x > "$XDG_CONFIG_HOME/git/config"
         pass test -f bowline.toml
         pass bowline check bowline.toml
         pass diff bowline.toml /tmp/x.toml"#,
        &super::world(),
    );
}

/// A world whose folders are elsewhere.
struct Moved(StaticWorld, OwnPlaces);

impl World for Moved {
    fn cwd(&self) -> &str {
        self.0.cwd()
    }
    fn project_root(&self) -> &str {
        self.0.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.0.home()
    }
    fn own_places(&self) -> &OwnPlaces {
        &self.1
    }
}

/// What is kept is ours wherever the folder is: records that wait, and what is known of lost ones.
#[test]
fn what_is_kept_in_any_folder() {
    check_marked(
        "self rm -rf /var/data/bowline/spool
         self rm /var/data/bowline/spool/1-2.spool
         self truncate -s0 /var/data/bowline/losses
         self rm /tmp/bowline-1000-0a1b/7.spool
         self rm -f /tmp/bowline-1000/losses
         self rm /var/data/bowline/bowline.db-wal
         pass rm /var/data/bowline/losses.md
         pass rm /tmp/bowline-notes/losses
         pass rm /var/mail/spool/x
         pass ls /var/data/bowline/spool",
        &super::world(),
    );
}

#[test]
fn places_that_were_moved() {
    let places = OwnPlaces {
        own: vec![
            "/srv/conf/bowline".to_owned(),
            "/home/ann/data/bowline".to_owned(),
            "/home/ann/x.sock".to_owned(),
        ],
        agents: vec!["/home/ann/.claude-work".to_owned()],
    };
    let table = r"self echo x > /srv/conf/bowline/config.toml
         self echo x > /srv/conf/bowline/anything
         self rm -rf /srv/conf
         self mv /home/ann/data /tmp/x
         self touch ~/data/bowline/paused.json
         self rm /home/ann/x.sock
         self echo {} > ~/.claude-work/settings.json
         self cd ~/.claude-work && echo {} > settings.json
         self rm -rf ~/.claude-work
         self npx json -I -f ~/.claude-work/settings.json
         self rm ~/.claude-work/hooks/a.json
         self docker run -v /home/ann/.claude-work:/c img
         pass echo x > /srv/conf/other/config.toml
         pass echo x > ~/.claude-work/notes.md
         pass cat /srv/conf/bowline/config.toml
         pass ls ~/.claude-work";
    check_marked(table, &Moved(super::world(), places));
    check_marked(
        "pass echo x > /srv/conf/bowline/anything
         pass echo {} > ~/.claude-work/settings.json",
        &super::world(),
    );
}

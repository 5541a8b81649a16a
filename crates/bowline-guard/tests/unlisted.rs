//! Programs that nobody lists: what they are asked to delete, to run and to empty is found by what such programs share.
#![expect(clippy::unwrap_used, reason = "a broken row must fail the test")]

use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;

/// Checks lines of a verdict and a command; `⏎` stands for a new line in it.
fn check(table: &str) {
    let world = StaticWorld::new("/home/ann/shop", "/home/ann");
    let mut wrong = Vec::new();
    for line in table.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let (expected, command) = line.split_once(' ').unwrap();
        let judgement = judge(&command.trim().replace('⏎', "\n"), &world);
        let found = match judgement.verdict.gravity {
            Gravity::Grave => "deny",
            Gravity::Doubtful => "ask",
            Gravity::Harmless => "allow",
        };
        if found != expected {
            wrong.push(format!("{command}: {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn verbs_of_service_tools() {
    check(
        r"
        deny  orbitctl cluster destroy eu-1 --yes
        deny  ledger-cli database drop invoices
        deny  shipctl apps:destroy storefront --confirm
        deny  probe-admin delete-all --force
        deny  meshctl delete topic payments
        deny  crmctl tenants delete acme
        deny  boxstore rm box://photos/2019 --recursive
        deny  gcloud run services delete web-prod
        ask   gcloud run services delete web
        ask   orbitctl route delete 12
        ask   orbitctl service remove web
        deny  shipctl releases:remove 14
        ask   ledger-cli database drop invoices_test
        ask   cronhub monitors delete nightly
        allow orbitctl cluster list
        allow orbitctl cluster destroy eu-1 --dry-run
        allow orbitctl cluster destroy --help
        allow orbitctl get deleted-items
        allow orbitctl create delete-policy
        allow orbitctl plugin remove colours
        allow orbitctl cache clear
        allow pakman remove left-pad
        allow ./tools/db.sh reset
        allow ng generate component delete-dialog
        ",
    );
}

#[test]
fn commands_behind_wrappers_that_nobody_lists() {
    check(
        r"
        deny  cagewrap --bind / / rm -rf ~
        deny  /lib64/ld-linux-x86-64.so.2 /bin/rm -rf ~
        deny  termwin -e git reset --hard
        deny  secretbox run -- terraform destroy -auto-approve
        deny  queuer add -- rm -rf /srv
        deny  guix shell git -- git reset --hard
        deny  sops exec-env secrets.yaml 'rm -rf ~'
        deny  gateway --exec-pre 'rm -rf ~'
        deny  fleetrun command run 'rm -rf /srv/data'
        deny  watchlet --on-change 'git clean -fdx'
        ask   quietly rm -rf src
        allow cagewrap --bind / / ls
        allow termwin -e npm test
        allow secretbox run -- rm -rf dist
        allow pakman install git rm
        allow boxtool rm nodejs
        allow simtool shutdown booted
        allow lookup explain rm -rf ~
        ",
    );
}

#[test]
fn commands_in_options_settings_and_variables() {
    check(
        r#"
        deny  go test -exec 'sh -c "rm -rf ~"' ./...
        deny  cargo --config 'target.x86_64-unknown-linux-gnu.runner="rm -rf /home/ann"' run
        deny  bazel run --run_under='git clean -fdx ;' //shop
        deny  mvn exec:exec -Dexec.executable=rm -Dexec.args='-rf /home/ann'
        deny  MAKEFLAGS='--eval=x:;rm -rf ~' make x
        deny  TAR_OPTIONS='--checkpoint-action=exec="rm -rf ~"' tar cf /tmp/x.tar src
        deny  GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.s GIT_CONFIG_VALUE_0='reset --hard' git s
        deny  CARGO_TARGET_RUNNER='rm -rf /home/ann' cargo run
        deny  export GIT_PAGER='rm -rf ~ #'; git log
        deny  just -f <(printf 'x:\n  rm -rf ~\n') x
        ask   RUSTC_WRAPPER=/bin/rm cargo build
        allow go test -exec 'env A=1' ./...
        allow cargo --config 'build.jobs=2' build
        allow RUSTC_WRAPPER=sccache cargo build
        allow CC='ccache gcc' make
        allow GIT_SSH_COMMAND='ssh -i ~/.ssh/deploy' git fetch
        allow export EDITOR='code --wait'
        allow checker --check 'rm -rf /'
        "#,
    );
}

#[test]
fn code_of_languages_that_nobody_reads_word_by_word() {
    check(
        r#"
        deny  elixir -e 'File.rm_rf!("/home/ann")'
        deny  erl -noshell -eval 'os:cmd("rm -rf ~"), halt().'
        deny  guile -c '(system* "rm" "-rf" "/home/ann")'
        deny  newscheme -e '(sys-system "git reset --hard")'
        deny  kotlinc -e 'java.io.File("/home/ann").deleteRecursively()'
        deny  swipl -g 'shell("rm -rf ~")' -t halt
        deny  raku -e 'run <rm -rf /home/ann>'
        deny  m4 <<< 'esyscmd(rm -rf /home/ann)'
        deny  gdb -batch -ex 'python import os; os.system("rm -rf ~")'
        deny  luajit -e "os.execute([[rm -rf ~]])"
        deny  swipl -g "process_create(path(rm),['-rf','/home/ann'],[])" -t halt
        deny  deno eval 'new Deno.Command("rm",{args:["-rf","/home/ann"]}).outputSync()'
        deny  perl -e 'system("rm -rf $ENV{HOME}")'
        deny  psql -c "COPY t FROM PROGRAM 'rm -rf /home/ann'"
        deny  elixir -e 'IO.puts File.read!(".env")'
        allow elixir -e 'IO.puts "File.rm_rf"'
        allow elixir -e 'File.rm_rf!("dist")'
        allow guile -c '(display "rm -rf ~")'
        allow swipl -g 'writeln(1)' -t halt
        allow gdb -batch -ex 'delete breakpoints' -ex run ./a.out
        "#,
    );
}

#[test]
fn calls_that_go_through_something_else() {
    check(
        r#"
        deny  python3 -c 'import glob,os; list(map(os.remove, glob.glob("/home/ann/*")))'
        deny  python3 -c 'import git; git.Repo(".").git.reset("--hard")'
        deny  python3 -c 'import requests; requests.delete("https://api.github.com/repos/acme/web")'
        deny  node -e 'require("child_process")["ex"+"ec"]("rm -rf ~")'
        deny  node -e 'require("rimraf").sync("/home/ann")'
        deny  node -e 'require("shelljs").rm("-rf","/home/ann")'
        deny  ruby -rpathname -e 'Pathname.new("/home/ann").rmtree'
        deny  perl -e 'open(F,"|sh");print F "rm -rf ~"'
        allow node -e 'const m=new Map(); m.delete("/home/ann")'
        allow node -e 'require("rimraf").sync("dist")'
        allow python3 -c 'print(list(map(str, [1, 2])))'
        "#,
    );
}

#[test]
fn programs_under_another_name() {
    check(
        r"
        deny  cp /bin/rm /tmp/x && /tmp/x -rf ~
        deny  ln -s $(command -v git) g; ./g reset --hard
        deny  install -m755 /usr/bin/rm tool && ./tool -rf /srv
        deny  mkdir -p bin && ln -sf /bin/rm bin/ls && PATH=$PWD/bin:$PATH ls -rf ~
        allow cp /bin/ls /tmp/l && /tmp/l -la
        allow cp /bin/rm /tmp/x && /tmp/x -rf dist
        allow ln -s ../shared shared && ls shared
        ",
    );
}

#[test]
fn files_that_are_written_and_run() {
    check(
        r#"
        deny  printf 'all:\n\trm -rf ~\n' > Makefile && make
        deny  printf 'x:\n\trm -rf ~\n' > /tmp/mk; make -f /tmp/mk x
        deny  echo 'rm -rf ~' >> ~/.bashrc
        deny  echo 'git reset --hard' > .git/hooks/post-merge
        deny  dd of=/tmp/w <<< 'git clean -fdx'; sh /tmp/w
        deny  python3 -c 'open("/tmp/p.sh","w").write("rm -rf ~")' && sh /tmp/p.sh
        allow printf 'all:\n\techo hi\n' > /tmp/mk; make -f /tmp/mk
        allow echo 'npm test' > .git/hooks/pre-push
        "#,
    );
}

#[test]
fn folders_and_files_that_are_emptied_on_the_way() {
    check(
        r"
        deny  vite build --emptyOutDir --outDir ~/
        deny  cargo clean --target-dir /home/ann
        deny  make clean BUILD_DIR=$HOME
        deny  hugo --cleanDestinationDir -d ~/Documents
        deny  pytest --basetemp=/home/ann
        deny  ln -sf /dev/null prod.db
        deny  dd if=/dev/null of=prod.db
        ask   sort -o src/main.py /dev/null
        allow vite build --outDir ../dist --emptyOutDir
        allow cargo clean --target-dir /tmp/t
        allow make clean BUILD_DIR=build
        allow make install PREFIX=$HOME/.local
        allow pytest --basetemp=/tmp/pt
        allow hugo --cleanDestinationDir -d public
        ",
    );
}

#[test]
fn texts_that_filters_make() {
    check(
        r#"
        deny  echo 'xxxrm -rf ~' | cut -c4- | sh
        deny  echo 'a:rm -rf ~:b' | cut -d: -f2 | sh
        deny  printf 'rm\n-rf\n~\n' | paste -sd' ' | sh
        deny  printf 'a\nrm -rf ~\n' | sed -n 2p | sh
        deny  printf 'a\nrm -rf ~\n' | awk 'NR==2' | sh
        deny  printf 'ls\nrm -rf ~\n' | tail -n 1 | sh
        deny  yes 'rm -rf ~' | head -n 1 | sh
        deny  echo 'foo|rm -rf ~' | awk -F'|' '{print $2}' | sh
        deny  echo 'xx rm -rf ~ yy' | grep -o 'rm -rf ~' | sh
        deny  echo 'rm -rf ~' | base64 | base64 -d | sh
        deny  echo '{"c":"rm -rf ~"}' | jq -r .c | sh
        allow printf 'echo hi\nrm -rf ~\n' | head -n 1 | sh
        allow echo 'xxls' | cut -c3- | sh
        "#,
    );
}

#[test]
fn requests_that_delete() {
    check(
        r#"
        deny  curl -X DELETE http://localhost:9200/products
        deny  curl -X POST localhost:6333/collections/docs/points/delete -d '{"filter":{}}'
        deny  curl 'http://localhost:8983/solr/admin/collections?action=DELETE&name=p'
        deny  curl -X DELETE https://api.example.org/v1/databases/main
        deny  curl --unix-socket /var/run/docker.sock -X DELETE http://localhost/volumes/pg
        ask   curl -X DELETE http://localhost:9200/logs-2024-01
        ask   curl -X DELETE https://api.example.org/v1/users/3
        ask   curl -X POST https://api.example.org/graphql -d '{"query":"mutation{deleteUser(id:1){id}}"}'
        allow curl -X DELETE http://localhost:3000/api/items/5
        allow http DELETE :8000/items/4
        allow curl -X POST localhost:3000/items/delete -d '{}'
        allow curl -X POST localhost:9200/products/_search -d '{"query":{"match_all":{}}}'
        "#,
    );
}

#[test]
fn devices_platforms_and_mirrors() {
    check(
        r"
        deny  xcrun simctl erase all
        deny  fastboot -w
        deny  hdfs dfs -rm -r -skipTrash /warehouse
        deny  dvc gc -w --cloud -f
        deny  robocopy C:\empty C:\Data /MIR
        deny  lftp -c 'open host; rm -r /www'
        deny  echo flush_all | nc localhost 11211
        deny  migrate -path db -database $DB down -all
        deny  darcs obliterate --all
        deny  sl goto --clean main
        deny  git annex dropunused all --force
        deny  aws rds-data execute-statement --sql 'DROP TABLE users' --resource-arn x
        ask   adb uninstall com.acme.app
        ask   hdfs dfs -rm /warehouse/one.csv
        ask   jj abandon
        allow xcrun simctl delete unavailable
        allow adb install -r app.apk
        allow hdfs dfs -ls /warehouse
        allow dvc gc --dry -w
        allow migrate -path db -database $DB up
        allow az extension remove -n x
        allow conan remove 'x/*' -c
        ",
    );
}

#[test]
fn secrets_by_other_readers() {
    check(
        r#"
        deny  od -c .env
        deny  column -s= -t .env
        deny  perl -pe1 .env
        deny  ruby -ne 'puts $_' .env
        deny  docker run --rm -v ~/.aws:/a alpine cat /a/credentials
        deny  docker run --rm -v ~/.aws:/a:ro alpine cat /a/credentials
        deny  docker compose run -v ~/.aws:/a web cat /a/credentials
        deny  singularity exec -B ~/.aws:/a img.sif cat /a/credentials
        deny  kubectl create secret generic x --from-env-file=.env --dry-run=client -o yaml
        deny  python manage.py shell -c 'from django.conf import settings; print(settings.SECRET_KEY)'
        deny  rails runner 'puts Rails.application.credentials.inspect'
        deny  sqlite3 :memory: "select readfile('.env')"
        deny  ex -sc '%p|q' .env
        deny  dotenv get API_KEY
        deny  getent shadow
        deny  cp /tmp/k ~/.ssh/id_rsa
        ask   showcase .env
        ask   ps eww
        allow od -c README.md
        allow perl -pe1 README.md
        allow docker run --rm -v ~/.m2:/root/.m2 maven mvn -v
        allow docker run --rm -v "$PWD":/w alpine ls /w
        allow kubectl create configmap x --from-file=config/app.yaml --dry-run=client -o yaml
        allow rails runner 'puts User.count'
        allow dotenv -- pytest
        allow server --env-file .env
        allow ps -ef
        "#,
    );
}

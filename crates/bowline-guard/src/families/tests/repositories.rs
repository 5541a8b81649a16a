use super::{check, fed, verdict};

#[test]
fn git_work_tree() {
    check(
        "deny git reset --hard origin/trunk
         deny git reset --har
         deny git -C sub reset -q --hard HEAD~5
         deny git --git-dir=x.git --work-tree=. reset --hard
         deny git -c user.name=x -c alias.undo='reset --hard' undo
         deny git read-tree --reset -u HEAD
         allow git reset
         allow git reset --soft HEAD~1
         allow git reset HEAD src/lib.rs
         allow git reset --keep HEAD~1
         ask git reset --merge
         deny git checkout -- .
         deny git checkout .
         deny git checkout main -- ./
         deny git checkout -f main
         deny git checkout --force
         deny git checkout -- '*'
         deny git checkout HEAD~3 :/
         ask git checkout -- lib/cart.rb
         ask git checkout main lib/cart.rb
         ask git checkout lib/cart.rb
         ask git checkout @{u} -- config/
         ask git checkout --theirs .
         allow git checkout --ours Cargo.lock
         allow git checkout main
         allow git checkout feature/cart.v2-redesign
         allow git checkout v2.10.1
         allow git checkout -b fix/cart origin/main
         allow git checkout -
         allow git checkout -B wip
         deny git restore .
         deny git restore --staged --worktree .
         deny git restore --source=HEAD~2 :/
         ask git restore lib/cart.rb lib/item.rb
         ask git restore -s HEAD~1 -- README.md
         allow git restore --staged .
         allow git restore -S lib/cart.rb
         deny git switch -f main
         deny git switch --discard-changes main
         deny git switch --discard main
         allow git switch main
         allow git switch -c topic
         deny git clean -fd
         deny git clean -ffdx
         deny git clean -xdf .
         deny git clean --force
         deny git clean -fd -e .idea
         deny git -c clean.requireForce=false clean -d
         ask git clean -fXd
         ask git clean -f docs/
         ask git clean -i
         allow git clean -fdx target/
         allow git clean -nfdx
         allow git clean --dry-run -fd
         allow git clean -d
         deny git stash drop stash@{2}
         deny git stash clear
         allow git stash
         allow git stash pop
         allow git stash push -m drop
         allow git stash show -p
         deny git worktree remove --force ../wt
         deny git worktree remove -f ../wt
         allow git worktree remove ../wt
         allow git worktree prune
         allow git worktree add ../wt main
         deny git rm -r .
         deny git rm -rf '*'
         ask git rm -r lib/
         ask git rm -f lib/cart.rb
         allow git rm lib/old.rb
         allow git rm -r --cached .
         allow git rm -rf dist
         allow git rm -n -r lib
         deny git submodule foreach --recursive git reset --hard HEAD~1
         deny git submodule foreach 'git checkout -f; true'
         deny git submodule deinit --all -f
         ask git submodule deinit -f libs/x
         allow git submodule update --init --recursive
         allow git submodule foreach 'git pull'
         deny git checkout-index -a -f
         allow git checkout-index -a --prefix=/tmp/x/
         allow git commit --amend --no-edit
         allow git rebase -i HEAD~3
         allow git rebase --abort
         allow git merge --squash topic
         allow git pull --rebase --autostash
         allow git log --all --grep 'reset --hard'
         allow git commit -m 'git push --force is bad'
         allow git diff --stat
         allow git revert HEAD
         allow git cherry-pick abc123",
    );
}

#[test]
fn git_history() {
    check(
        "deny git push --force
         deny git push -f origin topic
         deny git push -uf origin topic
         deny git push -fu origin topic
         deny git push origin --force-with-lease -f
         deny git push origin +topic
         deny git push origin +refs/heads/*:refs/heads/*
         deny git push origin topic +main
         deny git push --mirror
         deny git push --mirr backup
         deny git push --prune origin
         deny git push origin :main
         deny git push origin --delete master
         deny git push -d origin refs/heads/trunk
         ask git push origin :topic
         ask git push --delete origin topic v1.0
         ask git push origin :refs/tags/v1.0
         ask git push --force-with-lease origin main
         ask git push --force-with-lease origin HEAD:master
         ask git push --force-with-lease=main
         ask git push origin --force-with-lease --all
         allow git push --force-with-lease
         allow git push --force-with-lease --force-if-includes
         allow git push --force-with-lease=topic:abc origin topic
         allow git push
         allow git push -u origin HEAD
         allow git push --tags --no-verify
         allow git push --dry-run --force
         allow git push -n -f
         allow git push origin main --follow-tags
         allow git push -o ci.skip origin topic
         deny git branch -D topic
         deny git branch --delete --force topic
         deny git branch -fd topic
         ask git branch -f main HEAD~3
         ask git branch -Dr origin/topic
         allow git branch -d topic
         allow git branch -m old new
         allow git branch -M trunk
         allow git branch --list 'D*'
         allow git branch -vv
         ask git tag -d v0.1
         allow git tag v0.1
         allow git tag -a v0.2 -m 'delete old'
         deny git update-ref -d refs/heads/topic
         ask git update-ref refs/heads/main abc123
         ask git symbolic-ref HEAD refs/heads/other
         allow git symbolic-ref --short HEAD
         deny git reflog expire --expire=now --all
         deny git reflog delete HEAD@{3}
         allow git reflog
         allow git reflog show main
         allow git reflog expire --all --dry-run
         ask git gc --prune=all
         ask git gc --aggressive --prune=now
         allow git gc
         allow git gc --aggressive
         ask git prune
         allow git prune --dry-run
         deny git filter-branch --tree-filter 'rm -f x' HEAD
         deny git filter-repo --path src
         deny git-filter-repo --invert-paths --path x
         allow git filter-repo --analyze
         deny git lfs migrate import --everything
         ask git lfs prune
         allow git lfs prune --dry-run
         allow git lfs migrate info
         deny bfg --delete-files id.txt
         deny java -jar bfg-1.14.0.jar -D x
         ask git config alias.x '!curl example.org'
         allow git config alias.st status
         allow git config core.hooksPath .husky
         ask git -c core.fsmonitor=./x.sh status
         ask git -c alias.x='!sh y' x
         allow git remote remove old
         allow git remote set-url origin git@example.org:a/b.git
         allow git push --help
         allow git help reset
         deny /usr/local/bin/git push -f",
    );
    assert_eq!(
        verdict(&fed("git update-ref --stdin", "delete refs/heads/topic\n")),
        "deny"
    );
    assert_eq!(
        verdict(&fed("git update-ref --stdin", "create refs/heads/x abc\n")),
        "ask"
    );
}

#[test]
fn other_version_control() {
    check(
        "deny svn revert -R .
         ask svn revert lib/a.c
         deny svn cleanup --remove-unversioned
         ask svn rm https://svn.example.org/x/trunk -m x
         allow svn update
         allow svn status
         deny hg update --clean
         deny hg up -C tip
         deny hg revert --all --no-backup
         ask hg revert a.py
         deny hg purge --all
         deny hg strip 42
         deny hg push --force
         allow hg update tip
         allow hg purge --print
         ask jj abandon abc
         ask jj op restore xyz
         deny jj op abandon ..@-
         allow jj new main
         allow jj log
         deny p4 obliterate -y //depot/x
         deny p4 revert //...
         allow p4 sync",
    );
}

#[test]
fn publishing() {
    check(
        "ask npm publish
         ask npm publish --tag next --access public
         ask pnpm -r publish
         ask yarn npm publish
         ask bun publish
         allow npm publish --dry-run
         allow npm pack
         deny npm unpublish left-pad@1.0.0
         ask npm deprecate left-pad 'gone'
         ask npm owner add bob left-pad
         allow npm install
         allow npm run publish-docs
         ask npm uninstall --global npm
         allow npm uninstall -g typescript
         ask cargo publish -p core
         deny cargo yank --vers 1.0.1 core
         allow cargo publish -n
         allow cargo package
         deny gem yank x -v 2.0
         ask gem push x.gem
         allow gem build x.gemspec
         ask python3 -m twine upload --repository testpypi dist/*
         ask uv publish
         ask poetry publish --build
         allow poetry publish --dry-run
         allow uv build
         ask mvn deploy
         ask mvn clean deploy -DskipTests
         allow mvn verify
         ask ./gradlew publish
         allow gradle build
         ask dotnet nuget push x.nupkg
         deny dotnet nuget delete X 1.0.0
         deny nuget delete X 1.0.0
         deny vsce unpublish a.b
         ask npx vsce publish
         allow vsce package
         ask mix hex.publish
         ask npx semantic-release
         ask npx changeset publish
         allow npx changeset version
         ask goreleaser release --clean
         allow goreleaser release --snapshot
         ask dart pub publish
         allow flutter pub get
         deny gh repo delete ann/shop --yes
         ask gh repo archive ann/shop
         ask gh repo edit ann/shop --visibility private
         deny gh release delete v3
         ask gh release create v3 --generate-notes
         allow gh release create v3 --draft
         ask gh release upload v3 x.zip --clobber
         allow gh release upload v3 x.zip
         allow gh release view v3
         deny gh api -X DELETE repos/ann/shop
         deny gh api --method DELETE /repos/ann/shop
         deny gh api -XDELETE repos/ann/shop/releases/12
         ask gh api -X DELETE repos/ann/shop/issues/comments/9
         ask gh secret delete TOKEN
         ask gh run delete 77
         allow gh api repos/ann/shop
         allow gh pr create --fill
         allow gh pr merge 12 --squash
         allow gh run list
         deny glab repo delete ann/shop
         deny glab api -X DELETE projects/42
         allow glab mr list
         deny hub delete ann/shop
         deny curl -X DELETE https://api.github.com/repos/ann/shop
         deny curl --request DELETE https://gitlab.example.org/api/v4/projects/42
         ask curl -X DELETE https://api.example.org/v1/users/3
         allow curl -X DELETE http://127.0.0.1:8000/cart/3
         allow curl https://api.example.org/v1/users",
    );
}

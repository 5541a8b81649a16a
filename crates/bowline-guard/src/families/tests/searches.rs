use super::check_lines;

#[test]
fn a_search_is_read_from_the_left() {
    check_lines(
        r"deny find . -delete -name '*.log'
         deny find . -delete
         deny find -delete
         deny find . -type f -delete -name x
         deny find . -exec rm -rf {} + -name x
         deny find . -exec rm -rf {} \; -name '*.pyc'
         deny find . -print -delete -name '*.pyc'
         deny find . -maxdepth 1 -delete -name '*.tmp'
         allow find . -name '*.log' -delete
         allow find . -name '*.pyc' -print -delete
         allow find . -depth -name '*.pyc' -delete
         allow find . -name -delete
         allow find . -name '*.pyc' -exec rm -f {} +
         ask find . -name '*.py' -delete
         ask find . -name '*.py' -exec rm {} \;",
    );
}

#[test]
fn operators_bind_as_they_do() {
    check_lines(
        r"deny find . -name '*.pyc' -o -delete
         deny find . , -delete
         deny find . -name '*.pyc' , -delete
         deny find . -path '*/node_modules/*' -o -type f -delete
         deny find . ! -name keep -delete
         deny find . -not -name '*.pyc' -delete
         deny find . \( -name '*.pyc' -o -type f \) -delete
         deny find . ! \( -name '*.pyc' -o -name '*.pyo' \) -delete
         deny find . -name node_modules -prune -o -type f -delete
         deny find . -name node_modules -prune -o -type f -exec rm {} +
         deny find . -path ./build -prune -o -exec rm -rf {} \;
         deny find . \( \( \( -type f \) \) \) -delete
         ask find . -name '*.pyc' -o -name '*.py' -delete
         ask find . -name '*.py' -o -name '*.pyc' -delete -o -name '*.rs' -delete
         ask find . \( -name '*.py' -o -name '*.pyc' \) -delete
         ask find . -name dist -prune -o -name '*.py' -delete
         allow find . \( -name '*.pyc' -o -name '*.pyo' \) -delete
         allow find . -name '*.pyc' -delete -o -name '*.pyo' -delete
         allow find . -name '*.py' -o -name '*.pyc' -delete
         allow find . -type f -a -name '*.pyc' -and -delete
         allow find . ! -newer stamp -name '*.pyc' -delete
         allow find . ! ! -name '*.pyc' -delete
         allow find . -name node_modules -prune -exec rm -rf {} +
         allow find . -type d -name node_modules -prune -exec rm -rf {} +
         allow find . -name src -prune -o -name '*.pyc' -delete
         allow find . -path '*/build/*' -name '*.py' -delete
         allow find . -print -o -delete
         allow find . -false -delete",
    );
}

#[test]
fn what_narrows_and_what_does_not() {
    check_lines(
        r"deny find . -mindepth 1 -maxdepth 1 -delete
         deny find . -mindepth 1 -exec rm -rf {} +
         deny find . -mtime +30 -type f -delete
         deny find . -size +10M -delete
         deny find . -name '*' -delete
         deny find . -path './*' -delete
         deny find . -path '*/*' -delete
         deny find . -regex '.*' -delete
         deny find . -regex './.*' -exec rm {} +
         deny find ~ -empty -o -delete
         ask find . -regex '.*\.py' -delete
         ask find . -samefile a -delete
         ask find . -inum 77 -delete
         ask find . -xtype l -delete
         ask find / -empty -delete
         allow find . -regex '.*\.pyc' -delete
         allow find . -empty -delete
         allow find . -type d -empty -delete
         allow find dist -mindepth 1 -delete
         allow find dist ! -name .gitkeep -delete
         allow find /tmp/out -mtime +1 -delete
         allow find . -iname '.ds_store' -delete",
    );
}

#[test]
fn what_a_search_runs() {
    check_lines(
        r#"deny find . -type f -exec sh -c 'rm "$1"' _ {} \;
         deny find . -exec sh -c 'rm -rf "$1"' _ {} \; -name x
         deny find . -name x -o -exec bash -c 'for f; do rm "$f"; done' _ {} +
         deny find . -type f -execdir unlink {} \;
         deny find . -name '*.pyc' -exec true {} \; -o -exec rm -rf {} \;
         deny yes | find . -type f -ok rm {} \;
         ask find . -name '*.py' -exec grep -q old {} \; -exec rm {} \;
         ask find . -name '*.py' -exec grep -q old {} \; -delete
         ask find . -name package.json -execdir rm -rf src \;
         ask find ~/ -name package.json -execdir rm -rf data \;
         allow find . -name package.json -execdir rm -rf node_modules \;
         allow find . -name '*.pyc' -exec sh -c 'rm "$1"' _ {} \;
         allow find . -type f -exec grep -l x {} +
         allow find . -type f -ok rm {} \;
         allow find . -name '*.py' -exec wc -l {} + -o -name '*.rs' -print
         ask find . -fprint ~/.bashrc
         allow find . -name '*.py' -fprint /tmp/list"#,
    );
}

#[test]
fn what_is_printed_for_a_deletion() {
    check_lines(
        r"deny find . | xargs rm -rf
         deny find . -print -name '*.pyc' | xargs rm
         deny find . -print0 -name '*.pyc' | xargs -0 rm
         deny find . -name '*.pyc' -prune -o -print | xargs rm
         deny find . -name '*.pyc' -prune -o -print0 | xargs -0 rm -f
         deny find . -name '*.pyc' -o -type f | xargs rm
         deny rm $(find . -print -name '*.pyc')
         deny rm -rf $(find build) $(find . -type f)
         ask find . -name '*.py' -print0 | xargs -0 rm
         allow find . -name '*.pyc' -print0 | xargs -0 rm
         allow find . -name '*.pyc' | xargs rm -f
         allow rm -rf $(find . -name node_modules -prune)
         allow find . -name '*.py' -print0 | xargs -0 wc -l",
    );
}

#[test]
fn fd_and_what_it_runs() {
    check_lines(
        r"deny fd -x rm
         deny fd . / -x rm -rf
         deny fd -t f -x rm
         deny fd -H . -X rm -rf
         deny fd --exec-batch rm -rf
         deny fd -0 . ~ | xargs -0 rm -f
         deny fd . ~/ -e pyc -e txt -x rm
         ask fd -e py -x rm
         ask fd '\.py$' -X rm
         ask fd -e pyc -e py -x rm
         ask fd -g '*.py' -x rm
         allow fd -e pyc -x rm
         allow fd --extension=pyc -X rm -f
         allow fd -H -t d '^node_modules$' -x rm -rf
         allow fd -g '*.pyc' -x rm
         allow fd -t e -x rm -r
         allow fd -e py -x wc -l
         allow fd -e log . logs -x rm",
    );
}

//! Code of other languages: which files it means, and what somebody has in them.

use bowline_testkit::needs;

use super::ground::Op;
use super::{Append, Ask, Case, Pass, case, makes, play, put};

/// What deletes or changes a person's notes, however the code gets to them.
const ON_NOTES: &[&str] = &[
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').glob('*.md'): p.unlink()\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').rglob('*'):\n  if p.is_file(): p.unlink()\"",
    "python3 -c \"from pathlib import Path\nroot = Path('notes')\nfor p in sorted(root.iterdir()): p.unlink()\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): os.remove('notes/' + f)\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): os.remove('notes/%s' % f)\"",
    "python3 -c \"import os\nd = 'notes'\n[os.remove(os.path.join(d, f)) for f in os.listdir(d)]\"",
    "python3 -c \"from pathlib import Path; Path('notes').joinpath('a.md').unlink()\"",
    "python3 -c \"from pathlib import Path; Path('notes', 'a.md').unlink()\"",
    "python3 -c \"import os; os.chdir('notes'); os.remove('a.md')\"",
    "python3 -c \"import subprocess; subprocess.run('rm *.md', shell=True, cwd='notes')\"",
    "python3 -c \"import subprocess; subprocess.run(['rm'] + ['notes/a.md'])\"",
    "node -e \"const fs = require('fs'); fs.readdirSync('notes').forEach(f => fs.unlinkSync('notes/' + f))\"",
    "node -e \"const fs = require('fs'), path = require('path'); for (const f of fs.readdirSync('notes')) fs.rmSync(path.join('notes', f))\"",
    "node -e \"process.chdir('notes'); require('fs').unlinkSync('a.md')\"",
    "node -e \"require('child_process').execSync('rm a.md', {cwd: 'notes'})\"",
    "ruby -e 'Dir[\"notes/*.md\"].each { |f| File.delete(f) }'",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').rglob('*.md'): p.write_text('')\"",
    "python3 -c \"import os\nfor r, _, fs in os.walk('notes'):\n  for f in fs: open(os.path.join(r, f), 'w').write('x')\"",
    "python3 -c \"import fileinput\nfor l in fileinput.input('notes/a.md', inplace=True): print(l)\"",
    "node -e \"const fs = require('fs'); for (const f of fs.readdirSync('notes')) fs.writeFileSync('notes/' + f, '')\"",
    "node -e \"require('fs').renameSync('README.md', 'notes/a.md')\"",
];

#[needs(git)]
#[tokio::test]
async fn code_that_goes_over_a_folder_means_what_is_in_it() {
    let lost = ON_NOTES
        .iter()
        .map(|command| case(vec![put("notes/a.md")], vec![], command, Ask));
    let deletes = ON_NOTES.iter().filter(|it| !it.contains("README"));
    let own = deletes.map(|command| {
        case(
            vec![],
            vec![makes("python gen.py", "notes/a.md")],
            command,
            Pass,
        )
    });
    let cases: Vec<Case> = lost.chain(own).collect();
    play(cases).await;
}

#[needs(git)]
#[tokio::test]
async fn what_a_person_changed_somewhere_below_counts() {
    let rewrite = "python3 -c \"from pathlib import Path\nfor p in Path('src').rglob('*.py'): p.write_text(p.read_text().replace('x', 'y'))\"";
    play(vec![
        case(vec![Append("src/main.py")], vec![], rewrite, Ask),
        case(vec![], vec![], rewrite, Pass),
        case(vec![Op::Write("src/a/b/c.py", "x")], vec![], rewrite, Ask),
        case(vec![Op::Write("src/a/b/c.txt", "x")], vec![], rewrite, Pass),
    ])
    .await;
}

/// Listings that leave nothing out.
const ON_ALL_NOTES: &[&str] = &[
    "python3 -c \"import os\nfor f in os.listdir('notes'): os.remove('notes/' + f)\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): os.remove(f'notes/{f}')\"",
    "python3 -c \"import os\nd = 'notes'\n[os.remove(os.path.join(d, f)) for f in os.listdir(d)]\"",
    "python3 -c \"import os\nos.chdir('notes')\nfor f in os.listdir('.'): os.remove(f)\"",
    "python3 -c \"import os\nos.chdir('notes')\nfor f in os.listdir():\n  if os.path.isfile(f): os.unlink(f)\"",
    "python3 -c \"import os\nfor e in os.scandir('notes'): os.remove(e.path)\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').iterdir(): p.unlink()\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').glob('*'): p.unlink()\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').rglob('*'):\n  if p.is_file(): p.unlink()\"",
    "python3 -c \"import os\nfor r, _, fs in os.walk('notes'):\n  for f in fs: os.remove(os.path.join(r, f))\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').iterdir(): p.write_text('')\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): open('notes/' + f, 'w').close()\"",
    "python3 -c \"import os, shutil\nfor f in os.listdir('notes'): shutil.move('notes/' + f, '/tmp')\"",
    "node -e \"const fs = require('fs'); fs.readdirSync('notes').forEach(f => fs.unlinkSync('notes/' + f))\"",
    "node -e \"const fs = require('fs'), path = require('path'); for (const f of fs.readdirSync('notes')) fs.rmSync(path.join('notes', f))\"",
    "node -e 'const fs = require(\"fs\"); for (const f of fs.readdirSync(\"notes\")) fs.writeFileSync(`notes/${f}`, \"\")'",
    "ruby -e 'Dir.children(\"notes\").each { |f| File.delete(\"notes/\" + f) }'",
];

/// Listings that leave out names with a dot in front, or choose among the names.
const ON_SOME_NOTES: &[&str] = &[
    "rm -f notes/*",
    "python3 -c \"import glob, os\nfor f in glob.glob('notes/*'): os.remove(f)\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'):\n  if f.endswith('.tmp'): os.remove('notes/' + f)\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'):\n  if f != '.plan': os.remove('notes/' + f)\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('notes').iterdir():\n  if p.suffix == '.pyc': p.unlink()\"",
    "node -e \"const fs = require('fs'); fs.readdirSync('notes').filter(f => f.endsWith('.tmp')).forEach(f => fs.unlinkSync('notes/' + f))\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): print(open('notes/' + f).read())\"",
    "python3 -c \"import os\nfor f in os.listdir('notes'): print(f)\"",
];

#[needs(git)]
#[tokio::test]
async fn a_listing_of_code_has_names_with_a_dot_in_front() {
    let theirs = |command: &&'static str| (vec![put("notes/.plan")], *command);
    let lost = ON_ALL_NOTES.iter().map(theirs);
    let lost = lost.map(|(setup, command)| case(setup, vec![], command, Ask));
    let kept = ON_SOME_NOTES.iter().map(theirs);
    let kept = kept.map(|(setup, command)| case(setup, vec![], command, Pass));
    let own = ON_ALL_NOTES.iter().map(|command| {
        let made = makes("python gen.py", "notes/.plan");
        case(vec![], vec![made], command, Pass)
    });
    play(lost.chain(kept).chain(own).collect()).await;
}

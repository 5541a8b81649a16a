//! Programs whose words name the file that they write.

use crate::families::args::word;
use crate::families::sql::{self, Backslash};
use crate::invocation::Arg;
use crate::loss::{Act, Writing};

use super::Run;
use super::words::{has, has_letter, operands, operands_with_clusters, value_after};

/// What programs call the file that they write.
const OUTPUTS: &[&str] = &[
    "-o",
    "--out",
    "--outfile",
    "--out-file",
    "--outFile",
    "--output",
    "--output-file",
    "--outputFile",
];

impl Run<'_> {
    /// What a program puts where its words say.
    pub(super) fn outputs(&self, name: &str) -> Vec<Act> {
        let args = &self.invocation.args;
        match name {
            "curl" | "sort" | "gsort" | "shuf" | "pandoc" | "asciidoctor" | "xmllint" | "gpg"
            | "gpg2" | "age" | "iconv" | "http" | "https" | "xh" | "sops" | "terser"
            | "esbuild" | "rollup" => {
                self.option_writes(&["-o", "--output", "--outfile", "--file"])
            }
            "time" | "gtime" if has_letter(args, 'a') || has(args, &["--append"]) => Vec::new(),
            "time" | "gtime" => self.option_writes(&["-o", "--output"]),
            "script" => self.logs(),
            "wget" | "wget2" => self.option_writes(&["-O", "--output-document"]),
            "openssl" => self.option_writes(&["-out"]),
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "ld" | "rustc" | "as" | "nasm"
            | "dot" | "neato" | "strace" | "ltrace" | "rsvg-convert" | "swiftc" | "tcc" => {
                self.option_writes(&["-o"])
            }
            "go" if args.first().map(word) == Some("build") => self.option_writes(&["-o"]),
            "pg_dump" | "pg_dumpall" => self.option_writes(&["-f", "--file"]),
            "mysqldump" | "mariadb-dump" => self.option_writes(&["-r", "--result-file"]),
            "docker" | "podman" if has(args, &["save", "export"]) => {
                self.option_writes(&["-o", "--output"])
            }
            "yq" if has_letter(args, 'i') || has(args, &["--inplace", "--in-place"]) => {
                let mut files = operands(args, &["-p", "-o", "--expression", "--from-file"]);
                files.drain(..1.min(files.len()));
                self.writes(files, Writing::Edit)
            }
            "uniq" | "guniq" => self.nth_writes(1, &["-f", "-s", "-w"]),
            "xxd" => self.nth_writes(1, &["-s", "-l", "-c", "-g", "-o", "-n"]),
            "sass" | "lessc" | "rst2html" | "rst2html.py" | "wkhtmltopdf" | "pdftotext" => {
                self.nth_writes(1, &[])
            }
            "objcopy" => self.nth_writes(1, &["-O", "-I", "-j", "-R", "-F", "-B"]),
            "ffmpeg" if has(args, &["-y"]) => self.last_writes(args),
            "magick" | "gm" if looks_at_pictures(args) => Vec::new(),
            "convert" | "magick" | "gm" => self.last_writes(args),
            "scp" => self.fetches(args),
            "docker" | "podman" | "kubectl" if args.first().map(word) == Some("cp") => {
                self.fetches(args.get(1..).unwrap_or_default())
            }
            "aws" | "gsutil" | "gcloud" | "rclone" => match copied_from_a_store(args) {
                Some(words) => self.fetches(words),
                None => Vec::new(),
            },
            "sqlite3" | "sqlite" | "duckdb" => {
                let mut acts = self.dot_commands();
                acts.extend(self.statements());
                acts
            }
            _ => self.named_output(name),
        }
    }

    /// The file that most programs call their output. Where `-o` means something else, no file has the name behind it.
    pub(super) fn named_output(&self, name: &str) -> Vec<Act> {
        // Their words are often names of files, and `-o` takes none.
        let readers = [
            "grep", "egrep", "fgrep", "rg", "ag", "ack", "ls", "ps", "test", "[", "[[", "find",
            "read",
        ];
        if readers.contains(&name) {
            return Vec::new();
        }
        let mut words = self.invocation.args.iter();
        let mut files = Vec::new();
        while let Some(arg) = words.next() {
            let text = word(arg);
            let joined = OUTPUTS
                .iter()
                .find_map(|it| text.strip_prefix(it)?.strip_prefix('='));
            if text == "--" {
                break;
            } else if let Some(file) = joined {
                files.push(Arg::known(file));
            } else if OUTPUTS.contains(&text) {
                files.extend(
                    words
                        .next()
                        .filter(|it| !word(it).starts_with('-'))
                        .cloned(),
                );
            }
        }
        self.writes(files.iter(), Writing::Replace)
    }

    /// `-o FILE`.
    pub(super) fn option_writes(&self, options: &[&str]) -> Vec<Act> {
        let file = value_after(&self.invocation.args, options).filter(|it| *it != "-");
        let file = file.map(Arg::known);
        self.writes(file.iter(), Writing::Replace)
    }

    /// `script FILE`: a record of what is printed.
    fn logs(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        if has_letter(args, 'a') || has(args, &["--append"]) {
            return Vec::new();
        }
        let with_value = ["-c", "--command", "-T", "-O", "-B", "-I", "-E", "-o"];
        let file = operands_with_clusters(args, &with_value).first().copied();
        let option = ["-O", "--log-out", "-B", "--log-io"];
        let option = value_after(args, &option).map(Arg::known);
        let usual = Arg::known("typescript");
        self.writes(
            [file.or(option.as_ref()).unwrap_or(&usual)],
            Writing::Replace,
        )
    }

    /// `uniq FROM TO`.
    fn nth_writes(&self, at: usize, with_value: &[&str]) -> Vec<Act> {
        let words = operands(&self.invocation.args, with_value);
        self.writes(words.get(at).copied(), Writing::Replace)
    }

    /// `python -m json.tool FROM TO`.
    pub(super) fn module_writes(&self) -> Vec<Act> {
        match self.invocation.args.as_slice() {
            [_, module, rest @ ..] if matches!(word(module), "json.tool" | "json") => {
                let to = operands(rest, &["--indent"]).get(1).copied();
                self.writes(to.filter(|it| word(it) != "-"), Writing::Replace)
            }
            _ => Vec::new(),
        }
    }

    /// `convert FROM … TO`, where options stand between.
    fn last_writes(&self, args: &[Arg]) -> Vec<Act> {
        let to = args.last().filter(|_| args.len() > 1);
        // `png:out` names the kind of picture first.
        let plain = to.map(|it| match word(it).split_once(':') {
            Some((_, path)) => Arg::known(path),
            None => it.clone(),
        });
        let file = |it: &&Arg| !word(it).is_empty() && !word(it).starts_with('-');
        self.writes(plain.iter().filter(file), Writing::Replace)
    }

    /// `scp HOST:FILE TO`: a file of the same name, if a folder is there.
    fn fetches(&self, args: &[Arg]) -> Vec<Act> {
        let with_value = [
            "-P",
            "-i",
            "-F",
            "-o",
            "-c",
            "-l",
            "-J",
            "-S",
            "-D",
            "--profile",
            "--region",
            "--endpoint-url",
            "--exclude",
            "--include",
            "--project",
        ];
        let mut words = operands(args, &with_value);
        let is_remote = |it: &&Arg| word(it).contains(':');
        let Some(to) = words.pop().filter(|it| !is_remote(it)) else {
            return Vec::new();
        };
        let remote = words.into_iter().filter(is_remote);
        let names = remote.filter_map(|from| word(from).rsplit([':', '/']).next());
        let names = names.filter(|name| !name.is_empty());
        let inside = names.map(|name| Arg::known(format!("{}/{name}", word(to))));
        let files: Vec<Arg> = inside.chain([to.clone()]).collect();
        self.writes(files.iter(), Writing::Replace)
    }

    /// Statements that take something out of a database which is a file, or put something into it.
    fn statements(&self) -> Vec<Act> {
        let words = operands(&self.invocation.args, &["-cmd", "-init", "-separator"]);
        let Some((file, texts)) = words.split_first() else {
            return Vec::new();
        };
        let loses = |text: &&Arg| !sql::findings(word(text), Backslash::Plain).is_empty();
        let how = if texts.iter().any(loses) {
            Writing::Edit
        } else if texts.iter().all(|it| only_asks(word(it))) {
            return Vec::new();
        } else {
            Writing::Add
        };
        let file = Some(*file).filter(|it| word(it) != ":memory:");
        self.writes(file, how)
    }

    /// `.output FILE` and the like, among the words of a database's shell.
    fn dot_commands(&self) -> Vec<Act> {
        let texts = self.invocation.args.iter().map(word);
        let files = texts.filter_map(|text| {
            let mut words = text.split_whitespace();
            let writes = matches!(
                words.next(),
                Some(".output" | ".once" | ".backup" | ".save" | ".dump")
            );
            words.next_back().filter(|_| writes).map(Arg::known)
        });
        let files: Vec<Arg> = files.collect();
        self.writes(files.iter(), Writing::Replace)
    }
}

/// Whether a statement or a command of a database's shell leaves the database as it is.
fn only_asks(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let asks = ["select", "explain", "pragma", "with", "values"];
    first.starts_with('.') || asks.iter().any(|it| first.eq_ignore_ascii_case(it))
}

/// `aws s3 cp FROM TO`, `gsutil cp FROM TO`: the words after the verb.
fn copied_from_a_store(args: &[Arg]) -> Option<&[Arg]> {
    let verbs = ["cp", "mv", "copyto", "moveto"];
    let verb = args.iter().position(|it| verbs.contains(&word(it)))?;
    args.get(verb + 1..)
}

fn looks_at_pictures(args: &[Arg]) -> bool {
    matches!(
        args.first().map(word),
        Some("identify" | "display" | "-version")
    )
}

//! What the functions of the scripting languages do, by name.

use super::lexer::Family;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Deletes its argument and everything in it.
    DeleteTree,
    /// Deletes its arguments.
    Delete,
    /// Gives its argument to a shell, or runs the words of a list.
    Run,
    /// Runs its arguments as the words of a command.
    RunWords,
    /// Opens a file; the mode decides.
    Open,
    /// Replaces a file's contents.
    Write,
    /// Replaces a file's contents, if it says so.
    Rewrite,
    /// Reads a file.
    Read,
    /// Moves a file.
    Move,
    /// Copies a file over what is there.
    Copy,
    /// Makes a symbolic link.
    Link,
    /// Gives its later arguments to the function that the first one names.
    Apply,
    Print,
    /// Runs its argument as code.
    Evaluate,
}

/// Modules and classes whose methods act on files.
const FILES: &[&str] = &[
    "os",
    "fs",
    "File",
    "FileUtils",
    "shutil",
    "Path",
    "promises",
    "fse",
    "Dir",
    "Deno",
    "sh",
    "shell",
    "fsp",
    "pathlib",
    "Files",
];

/// What a called name does, by its last part and by what stands before it.
pub(super) fn deed(name: &str, before: &str, family: Family) -> Option<Deed> {
    let owner = before.rsplit('.').next().unwrap_or(before);
    let on_files = before.is_empty() || FILES.contains(&owner) || before.ends_with(')');
    Some(match name {
        "rmtree"
        | "rmSync"
        | "rm_rf"
        | "rm_r"
        | "removeSync"
        | "rimraf"
        | "rimrafSync"
        | "remove_tree"
        | "deleteDirectory"
        | "deleteDir"
        | "emptyDirSync"
        | "removeDirectory"
        | "remove_entry"
        | "remove_entry_secure"
        | "remove_dir"
        | "deltree"
        | "del_tree"
        | "rmdir_r"
        | "deleteRecursively"
        | "rm_rf!"
        | "remove_dir_all" => Deed::DeleteTree,
        "rm" | "remove" | "emptyDir" if on_files && family == Family::JavaScript => {
            Deed::DeleteTree
        }
        "unlink" | "unlinkSync" | "rmdir" | "rmdirSync" | "removedirs" | "rm_f" => Deed::Delete,
        "remove" | "rm" | "delete" | "truncate" | "truncateSync" | "safe_unlink"
            if on_files && !(before.is_empty() && matches!(name, "delete" | "truncate")) =>
        {
            Deed::Delete
        }
        "system"
        | "popen"
        | "shell_exec"
        | "passthru"
        | "proc_open"
        | "getoutput"
        | "getstatusoutput"
        | "check_output"
        | "check_call"
        | "Popen"
        | "execSync"
        | "capture2"
        | "capture2e"
        | "capture3"
        | "popen3"
        | "create_subprocess_shell"
        | "execCommand"
        | "os_execute"
        | "run"
        | "call" => Deed::Run,
        "execute" if before == "os" => Deed::Run,
        // AppleScript's `do shell script "…"`.
        "script" if family == Family::Other => Deed::Run,
        "array_map" | "array_walk" | "call_user_func" => Deed::Apply,
        "exec" => match family {
            Family::Python => Deed::Evaluate,
            Family::JavaScript
                if !(before.is_empty()
                    || on_files
                    || before.contains("process")
                    || before == "cp") =>
            {
                return None;
            }
            Family::JavaScript
            | Family::Ruby
            | Family::Perl
            | Family::Php
            | Family::Tcl
            | Family::Other => Deed::Run,
        },
        "pcntl_exec"
        | "spawn"
        | "spawnSync"
        | "execFile"
        | "execFileSync"
        | "execa"
        | "execaSync"
        | "execvp"
        | "execv"
        | "execve"
        | "execvpe"
        | "execl"
        | "execlp"
        | "spawnlp"
        | "spawnvp"
        | "spawnl"
        | "spawnle"
        | "spawnlpe"
        | "spawnve"
        | "spawnvpe"
        | "spawnv"
        | "create_subprocess_exec"
        | "Command"
        | "posix_spawn" => Deed::RunWords,
        "eval" | "Function" | "instance_eval" | "runInThisContext" => Deed::Evaluate,
        "open" | "fopen" | "fdopen" | "openSync" => Deed::Open,
        "writeFileSync" | "writeFile" | "file_put_contents" | "write_text" | "write_bytes"
        | "createWriteStream" | "binwrite" | "writeTextFile" | "writeTextFileSync"
        | "outputFileSync" => Deed::Write,
        "write" if matches!(before, "File" | "IO") => Deed::Write,
        "input" if before == "fileinput" => Deed::Rewrite,
        "FileInput" if family == Family::Python => Deed::Rewrite,
        "readFileSync" | "readFile" | "file_get_contents" | "read_text" | "read_bytes"
        | "readlines" | "createReadStream" | "readTextFile" | "readTextFileSync" | "readfile"
        | "foreach_line" | "slurp" => Deed::Read,
        "read" | "binread" | "foreach" if matches!(before, "File" | "IO") => Deed::Read,
        "lines" if before == "io" => Deed::Read,
        "file" if family == Family::Php => Deed::Read,
        "move" | "rename" | "renameSync" | "replace" | "mv"
            if on_files && !before.is_empty() && !before.ends_with(')') =>
        {
            Deed::Move
        }
        // `require("fs").renameSync("x", "y")`, `import {renameSync} from "fs"`
        "renameSync" | "moveSync" if family == Family::JavaScript => Deed::Move,
        "rename" if before.ends_with(')') && family == Family::JavaScript => Deed::Move,
        // `Path("x").rename("y")`
        "rename" | "replace" if before.ends_with(')') && family == Family::Python => Deed::Move,
        "copyfile" | "copy2" | "copyFile" | "copyFileSync" | "copySync" | "cpSync" => Deed::Copy,
        "copy" | "cp" if FILES.contains(&owner) => Deed::Copy,
        "copy" if before.is_empty() && family == Family::Php => Deed::Copy,
        "symlink" | "symlinkSync" | "ln_s" | "ln_sf" if on_files => Deed::Link,
        "rename" if matches!(family, Family::Perl | Family::Php) => Deed::Move,
        "print" | "puts" | "log" | "echo" | "say" | "printf" | "pp" | "p" | "write" | "print_r"
        | "var_dump" => Deed::Print,
        _ => return None,
    })
}

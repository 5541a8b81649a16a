//! `cargo xtask dist`: what it makes can be installed and run.

#[cfg(test)]
mod dist {
    use std::fs::{self, File, Permissions};
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    use serde_json::Value;

    /// Programs that start the ones of this build: those are too large to be packed thrice for a test.
    fn stand_ins(folder: &Path) -> Option<PathBuf> {
        let built = Path::new(env!("CARGO_BIN_EXE_xtask")).parent()?;
        let programs = folder.join("programs");
        fs::create_dir(&programs).unwrap();
        for name in ["bowline", "bowline-hook"] {
            let program = built.join(name);
            if !program.exists() {
                eprintln!("skipped: {} is not built", program.display());
                return None;
            }
            let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program.display());
            fs::write(programs.join(name), script).unwrap();
            fs::set_permissions(programs.join(name), Permissions::from_mode(0o755)).unwrap();
        }
        Some(programs)
    }

    fn is_here(program: &str) -> bool {
        let found = Command::new(program).arg("--version").output().is_ok();
        if !found {
            eprintln!("skipped: {program} is not here");
        }
        found
    }

    fn said(output: &Output) -> String {
        let both = [&output.stdout[..], &output.stderr].concat();
        String::from_utf8_lossy(&both).into_owned()
    }

    const LINUX: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
    const MAC: [&str; 2] = ["x86_64-apple-darwin", "aarch64-apple-darwin"];

    /// A compiler for the first kind of machine, with the libraries for another if there is such a folder.
    fn rustc_with(folder: &Path, libraries: &Path) -> PathBuf {
        let rustc = folder.join("rustc");
        let script = format!(
            "#!/bin/sh\ncase $1 in -vV) echo 'host: {}';; *) echo '{}';; esac\n",
            LINUX[0],
            libraries.display()
        );
        fs::write(&rustc, script).unwrap();
        fs::set_permissions(&rustc, Permissions::from_mode(0o755)).unwrap();
        rustc
    }

    #[test]
    fn what_cannot_be_built_for_is_told_with_what_to_install() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let here = folder.path();
        for (arguments, libraries, expected, not) in [
            (
                vec!["--target", LINUX[1]],
                &*missing,
                vec![
                    "`rustup target add aarch64-unknown-linux-gnu`",
                    "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
                ],
                "such a machine",
            ),
            (
                vec!["--target", LINUX[1]],
                here,
                vec![
                    "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
                    "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
                ],
                "rustup",
            ),
            (
                vec!["--target", MAC[1]],
                &*missing,
                vec!["run this chore on such a machine", "nobody has tried"],
                "install",
            ),
            (
                vec!["--target", "sparc64-unknown-linux-gnu"],
                here,
                vec!["no release is made for sparc64", LINUX[1]],
                "install",
            ),
            (
                vec!["--target", LINUX[1], "--programs", "x"],
                here,
                vec!["--programs takes programs of this machine"],
                "install",
            ),
        ] {
            let made = Command::new(env!("CARGO_BIN_EXE_xtask"))
                .arg("dist")
                .args(&arguments)
                .env_clear()
                .env("RUSTC", rustc_with(here, libraries))
                .env("PATH", here)
                .output()
                .unwrap();
            let told = said(&made);
            assert_eq!(made.status.code(), Some(2), "{arguments:?}: {told}");
            assert_eq!(told.lines().count(), 1, "{arguments:?}: {told}");
            for expected in expected {
                assert!(told.contains(expected), "{arguments:?}: {told}");
            }
            assert!(!told.contains(not), "{arguments:?}: {told}");
        }
    }

    #[test]
    fn a_release_is_whole_and_runs() {
        let folder = tempfile::tempdir().unwrap();
        let Some(programs) = stand_ins(folder.path()) else {
            return;
        };
        let release = folder.path().join("release");
        let made = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["dist", "--offline", "--programs"])
            .arg(&programs)
            .arg("--to")
            .arg(&release)
            .output()
            .unwrap();
        let told = said(&made);
        if told.contains("is of another commit") {
            eprintln!("skipped: {told}");
            return;
        }
        assert!(made.status.success(), "{told}");
        let not_made = |target: &&str| told.contains(&format!("not made: {target} ("));
        let others = [LINUX, MAC].concat();
        assert_eq!(others.iter().filter(|it| not_made(it)).count(), 3, "{told}");
        // What it takes on this machine is said, whatever is installed.
        let [this, other] = LINUX;
        if cfg!(target_os = "linux") {
            let other = if not_made(&other) { other } else { this };
            let chore = format!("`cargo xtask dist --target {other}` makes it");
            assert!(told.contains(&chore), "{told}");
        }

        let file = |ending: &str| {
            let names = fs::read_dir(&release).unwrap().map(|it| it.unwrap().path());
            let mut found = names.filter(|path| path.to_string_lossy().ends_with(ending));
            found
                .next()
                .unwrap_or_else(|| panic!("no {ending}: {told}"))
        };
        let sums = fs::read_to_string(file("SHA256SUMS")).unwrap();
        assert_eq!(sums.lines().count(), 6, "{sums}");
        for line in sums.lines() {
            let (sum, name) = line.split_once("  ").unwrap();
            let hash = hmac_sha256::Hash::hash(&fs::read(release.join(name)).unwrap());
            let byte = |place: usize| u8::from_str_radix(&sum[place..place + 2], 16).unwrap();
            let expected: Vec<u8> = (0..sum.len()).step_by(2).map(byte).collect();
            assert_eq!(hash, expected[..], "{name}");
        }

        // The archive, as `cargo binstall` and Homebrew take it.
        let archive = file(".tar.gz");
        let root = archive.file_name().unwrap().to_string_lossy().into_owned();
        let root = folder.path().join(root.trim_end_matches(".tar.gz"));
        let packed = flate2::read::GzDecoder::new(File::open(&archive).unwrap());
        tar::Archive::new(packed).unpack(folder.path()).unwrap();
        for name in [
            "bin/bowline-hook",
            "completions/bowline.bash",
            "completions/_bowline",
            "completions/bowline.fish",
            "man/bowline.1",
            "man/bowline-init.1",
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "LICENSES-THIRD-PARTY.txt",
            "README.md",
        ] {
            let size = fs::metadata(root.join(name)).map(|it| it.len());
            assert!(size.is_ok_and(|size| size > 0), "{name}");
        }
        let runs = |program: &Path| {
            let output = Command::new(program).arg("--version").output().unwrap();
            let told = said(&output);
            assert!(
                told.starts_with("bowline "),
                "{}: {told}",
                program.display()
            );
        };
        runs(&root.join("bin/bowline"));

        let mut bill = String::new();
        let mut parts = File::open(file(".cdx.json")).unwrap();
        parts.read_to_string(&mut bill).unwrap();
        let bill: Value = serde_json::from_str(&bill).unwrap();
        assert!(bill["components"].as_array().unwrap().len() > 50);
        let formula = fs::read_to_string(file("bowline.rb")).unwrap();
        let sum = sums.lines().find(|line| line.ends_with(".tar.gz")).unwrap();
        assert!(
            formula.contains(sum.split(' ').next().unwrap()),
            "{formula}"
        );

        if is_here("npx") {
            let output = Command::new("npx")
                .args(["--yes", "--offline", "--package"])
                .arg(file(".tgz"))
                .args(["bowline", "--version"])
                .current_dir(folder.path())
                .env("HOME", folder.path())
                .env("npm_config_cache", folder.path().join("cache"))
                .output()
                .unwrap();
            assert!(said(&output).contains("bowline "), "{}", said(&output));
            assert!(output.status.success(), "{}", said(&output));
        }
        if is_here("dpkg-deb") {
            let system = folder.path().join("system");
            let output = Command::new("dpkg-deb")
                .arg("--extract")
                .arg(file(".deb"))
                .arg(&system)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", said(&output));
            runs(&system.join("usr/bin/bowline"));
        }
    }
}

//! What tools make, among the files that git ignores.
//!
//! Ignored does not mean made again: people keep notes, data and settings out of git, too. A file that is ignored counts as a product only if a
//! name says so, and none says the contrary.

use super::glob;

/// Folders and files that are products if git ignores them. With a slash, the folder around them counts, too. All in small letters.
#[rustfmt::skip]
const PRODUCTS: &[&str] = &[
    // Folders of builds, packages and documentation.
    "bin", "lib", "lib64", "lib-cov", "vendor", "deps", "_deps", "output", "builds", "debug", "release", "x64", "x86", "cjs", "esm", "umd",
    "dist-*", "dist_*", "build-*", "build_*", "target-*", "target_*", "out-*", "wheels", "sdist", "eggs", "develop-eggs", "__pypackages__",
    "web_modules", "staticfiles", "public/dist", "priv/static", "site", "book", "_book", "doc", "rdoc", "_yardoc", ".yardoc", "javadoc",
    "apidoc", "apidocs", "docs/api", "docs/html", "generated", "__generated__", ".generated", "generated-*", "*-generated", "gen", "autogen",
    // Folders of tools.
    ".*cache*", "*-cache", "*_cache", ".npm", ".yarn", ".nx", ".swc", ".grunt", ".fusebox", ".firebase", ".sst", ".wxt", ".plasmo", ".vinxi",
    ".contentlayer", ".velite", ".vscode-test", ".direnv", ".devenv", ".ropeproject", ".pdm-build", ".pybuilder", ".pyre", ".elixir_ls",
    ".metals", ".bloop", ".bsp", ".externalnativebuild", ".husky/_", "cython_debug", "spec/reports", "surefire-reports", "test-output",
    "test-report*", "test-results*", "allure-results", "allure-report", "mochawesome-report", "blob-report", "cover", "coverage*",
    "htmlcov*", "cobertura*", "nosetests.xml", "junit*.xml",
    // Compiled and linked.
    "*.exe", "*.dll", "*.so", "*.so.*", "*.dylib", "*.a", "*.lib", "*.lo", "*.la", "*.slo", "*.ko", "*.d", "*.gch", "*.pch", "*.pdb", "*.ilk",
    "*.exp", "*.idb", "*.elf", "*.hex", "*.wasm", "*.beam", "*.ez", "*.hi", "*.dyn_o", "*.dyn_hi", "*.cmi", "*.cmo", "*.cmx", "*.cmt",
    "*.cmti", "*.cma", "*.cmxa", "*.rlib", "*.rmeta", "*.elc", "*.mo", "*.dex", "*.test", "*.out",
    // Packed.
    "*.jar", "*.war", "*.ear", "*.whl", "*.egg", "*.gem", "*.nupkg", "*.snupkg", "*.deb", "*.rpm", "*.apk", "*.aab", "*.ipa", "*.vsix", "*.crate",
    // Generated from other sources.
    "*.generated.*", "*_generated.*", "*-generated.*", "*.gen.*", "*_gen.*", "zz_generated*", "*.pb.*", "*_pb2.*", "*_pb2_grpc.*",
    "*_pb.*", "*.g.dart", "*.freezed.dart", "*.d.ts", "*.d.mts", "*.d.cts", "*.min.js", "*.min.css", "*.bundle.js", "*.chunk.js", "_version.py",
    "compile_commands.json", "tags", "gtags", "grtags", "gpath", "cscope.*", "*.pot",
    // LaTeX's.
    "*.toc", "*.lof", "*.lot", "*.idx", "*.ind", "*.ilg", "*.nav", "*.snm", "*.vrb", "*.bcf", "*.run.xml", "*.xdv", "*.dvi",
    // Measured, noted and locked by tools.
    "*.profdata", "*.pprof", "*.gcov", "*.cover", "perf.data*", "callgrind.out*", "cachegrind.out*", "massif.out*", "hs_err_pid*",
    "pip-log.txt", ".installed.cfg", "celerybeat*", "*.rs.bk", "*.retry", "*.snap.new", "*.pending-snap", "*.received.*", "*.stamp",
    "*.cache", "*.deps.json", "*.runtimeconfig.json", "project.assets.json", "*.lock", "*-lock.json", "go.sum", "go.work.sum",
];

/// Names that hold what nobody can make again, however git treats them.
#[rustfmt::skip]
const PRECIOUS: &[&str] = &[
    ".env*", "*.env", "*.envrc", "*.sqlite", "*.sqlite3", "*.db", "*.sql", "*.dump", "*.key", "*.pem", "*.crt",
    "*.p12", "*.pfx", "*.kdbx", "*.tfstate*", "*.tfvars*", "data", "datasets", "dataset", "storage", "uploads",
    "media", "recordings", "recording", "backup*", "secrets*", "credentials*", "certs", "keys", "notes*", "todo*",
    "*.local", "*.local.*", "local.*", "local_*", "local-*", "*_local.*", "*-local.*", "*.override.*",
    "override.*", "private*", "personal*", "*.bak", "models", "weights", "checkpoints", "*.ckpt", "*.pt", "*.pth",
    "*.onnx", "*.safetensors", "*.h5", "*.parquet", "*.csv", "*.tsv", "*.xls*", "*.ods", "*.doc*", "*.odt", "*.pdf",
    "*.ppt*", "*.md", "*.rst", "*.ipynb", "*.mp4", "*.mov", "*.mkv", "*.mp3", "*.wav", "*.flac", "*.jpg", "*.jpeg",
    "*.png", "*.psd", "*.raw", "*.zip", "*.tar", "*.tar.*", "*.tgz", "*.patch", "*.diff", "settings.*", "config.*",
    "local", "drafts", "research", "notebooks", "pgdata", "*.sh", "*.conf", "*.ini", "*.ovpn", "workspace.xml", "*.sketch", "*.fig", "*.blend",
];

/// Whether a path relative to a project is named like what a tool makes again, if git ignores it.
pub fn product_by_name(relative: &str) -> bool {
    let folded = relative.to_ascii_lowercase();
    let components: Vec<&str> = folded.split('/').filter(|it| !it.is_empty()).collect();
    let named = |patterns: &[&str], name: &str| {
        let mut patterns = patterns.iter();
        patterns.any(|pattern| glob::star_match(pattern, name))
    };
    let precious = || components.iter().any(|it| named(PRECIOUS, it));
    let product = components.iter().any(|it| named(PRODUCTS, it))
        || components.windows(2).any(|pair| {
            let below = PRODUCTS.iter().filter_map(|it| it.split_once('/'));
            let mut below = below.filter(|(folder, _)| Some(folder) == pair.first());
            below.any(|(_, name)| Some(&name) == pair.last())
        });
    product && !precious()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_known_by_its_name_or_by_a_folder_around_it() {
        for (path, product) in [
            ("bin/tool", true),
            ("a/generated/client.ts", true),
            ("docs/api/index.html", true),
            ("other/api/index.html", false),
            ("src/api_pb2.py", true),
            ("Makefile.lock", true),
            (".ruby_cache/x", true),
            ("lab/trial.json", false),
            ("mlruns/0/meta.yaml", false),
            // What is precious stays so.
            ("bin/deploy.sh", false),
            ("generated/notes.md", false),
            ("lib/.env", false),
        ] {
            assert_eq!(product_by_name(path), product, "{path}");
        }
    }
}

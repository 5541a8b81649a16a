//! Finds secrets in any text and takes them out: tokens of known formats, private keys,
//! credentials in addresses, headers, commands, files and sentences, and literals under telling
//! names. Commit ids, UUIDs, digests, public keys, placeholders and code about secrets stay.
//!
//! One automaton over all keywords decides where a detector looks; each looks no further than a
//! bounded window, so that the time grows with the length of the text and nothing else.

mod assign;
mod commands;
mod files;
mod gate;
mod headers;
mod judge;
mod keyblocks;
mod keys;
mod live;
mod rule;
mod sentences;
mod slots;
mod structural;
mod text;
mod urls;
mod values;
mod vendors;
mod views;
mod wordlist;
mod wrapped;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use gate::{Gate, Hit, Trigger};
pub use keys::is_sensitive_key;
pub use live::scan_live;
pub use rule::{Confidence, Finding, Rule, RuleFault, expand};
use text::Text;
use views::View;

/// How often a redacted text is read again, since taking one secret out may uncover the next.
const PASSES: usize = 4;

/// The secrets of a text, in order and without overlap.
///
/// ```
/// let findings = bowline_guard::secrets::scan("redis://:S3cr3t-pw@cache.test:6379/0");
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].span, 9..18);
/// ```
pub fn scan(text: &str) -> Vec<Finding> {
    let Scanned {
        mut findings,
        escaped,
    } = Scanned::of(text);
    if escaped && let Some(view) = View::decoded(text) {
        let decoded = Scanned::of(view.text()).findings;
        findings.extend(decoded.into_iter().filter_map(|finding| {
            let span = view.original(finding.span)?;
            Some(Finding { span, ..finding })
        }));
    }
    findings.extend(wrapped::find(text));
    merge(findings)
}

/// What was found in one reading of a text.
struct Scanned {
    findings: Vec<Finding>,
    /// Whether something in it is escaped or coloured.
    escaped: bool,
}

impl Scanned {
    fn of(text: &str) -> Self {
        let gate = Gate::get();
        let mut scanner = Scanner {
            text: Text::new(text),
            gate,
            findings: Vec::new(),
            key_end: 0,
            certain_end: 0,
            command: (0, 0),
            kubernetes_end: 0,
            escaped: false,
        };
        for hit in gate.hits(text) {
            scanner.look(hit);
        }
        Self {
            findings: scanner.findings,
            escaped: scanner.escaped,
        }
    }
}

/// The text with each secret replaced by `[REDACTED:rule]`. Names, hosts, flags and everything
/// else stay. Redacting twice changes nothing more.
///
/// ```
/// use bowline_guard::secrets::redact;
///
/// assert_eq!(
///     redact("curl -u ci:S3cr3t-pw https://api.test"),
///     "curl -u ci:[REDACTED:command-secret] https://api.test",
/// );
/// assert_eq!(redact("nothing here"), "nothing here");
/// ```
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut redacted = Cow::Borrowed(text);
    for _ in 0..PASSES {
        let findings = scan(&redacted);
        if findings.is_empty() {
            break;
        }
        redacted = Cow::Owned(replace(&redacted, &findings));
    }
    redacted
}

fn replace(text: &str, findings: &[Finding]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut kept = 0;
    for finding in findings {
        replaced.push_str(text.get(kept..finding.span.start).unwrap_or_default());
        replaced.push_str("[REDACTED:");
        replaced.push_str(finding.rule);
        replaced.push(']');
        kept = finding.span.end;
    }
    replaced.push_str(text.get(kept..).unwrap_or_default());
    replaced
}

/// All rules, those of vendors first.
pub fn rules() -> &'static [Rule] {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let vendors = vendors::TABLES.iter().flat_map(|table| table.iter());
        vendors.chain(structural::RULES).copied().collect()
    });
    &RULES
}

/// Checks the examples of all rules; the faults tell what is wrong.
pub fn check_rules() -> Result<(), Vec<RuleFault>> {
    let mut faults = Vec::new();
    for rule in rules() {
        for example in rule.matches {
            let found = scan(&expand(example));
            if !found.iter().any(|finding| finding.rule == rule.id) {
                faults.push(RuleFault::Missed {
                    rule: rule.id,
                    example,
                });
            }
        }
        for example in rule.ignores {
            if !scan(&expand(example)).is_empty() {
                faults.push(RuleFault::FalseAlarm {
                    rule: rule.id,
                    example,
                });
            }
        }
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// The state of one scan.
struct Scanner<'t> {
    text: Text<'t>,
    gate: &'static Gate,
    findings: Vec<Finding>,
    /// The end of the last name that was judged: a name may hold several stems.
    key_end: usize,
    /// The end of the last certain finding: nothing inside it is looked at again.
    certain_end: usize,
    /// The last command that was read, and how far.
    command: (usize, usize),
    /// How far Kubernetes secrets have been read.
    kubernetes_end: usize,
    escaped: bool,
}

impl Scanner<'_> {
    fn look(&mut self, hit: Hit) {
        let Hit {
            start,
            end,
            trigger,
        } = hit;
        let text = self.text;
        match trigger {
            Trigger::Key => self.key(start, end),
            Trigger::Dot => {
                let found = headers::find_dotted(text, start);
                self.certain("discord-bot-token", found);
            }
            Trigger::Escape => self.escaped = true,
            _ if start < self.certain_end => {}
            Trigger::Noun(number) => {
                self.likely("password", sentences::find(text, number, start, end));
            }
            Trigger::Vendor(place) => self.vendor(place, start),
            Trigger::Url => self.likely("url-password", urls::find(text, end)),
            Trigger::DataSource => self.likely("url-password", urls::data_source(text, start)),
            Trigger::Jwt => self.certain("jwt", headers::find_jwt(text, start)),
            Trigger::KeyBegin => self.certain("private-key", keyblocks::find(text, start)),
            Trigger::KeyEnd => self.certain("private-key", keyblocks::find_tail(text, start)),
            Trigger::EncodedKey => {
                self.certain("private-key", keyblocks::find_encoded(text, start));
            }
            Trigger::PuttyKey => self.certain("putty-key", keyblocks::find_putty(text, end)),
            Trigger::Scheme => {
                self.likely("authorization", headers::find_scheme(text, start, end));
            }
            Trigger::Cookie => {
                for span in headers::find_cookies(text, end) {
                    self.likely("cookie", Some(span));
                }
            }
            Trigger::Command(place) if self.command.0 == place && start < self.command.1 => {}
            Trigger::Command(place) => {
                let (found, end) = commands::find(text, place, start, end);
                self.command = (place, end);
                for span in found {
                    self.likely("command-secret", Some(span));
                }
            }
            Trigger::Pipe => self.likely("piped-secret", commands::piped(text, start)),
            Trigger::Phrase => self.likely("password", files::find_phrase(text, start, end)),
            Trigger::Named => self.likely("password", files::find_before(text, start)),
            Trigger::Pair => self.likely("password", files::find_pair(text, end)),
            Trigger::CryptHash => self.certain("password-hash", files::find_crypt(text, start)),
            Trigger::PgPass => self.likely("pgpass", files::find_pgpass(text, start)),
            Trigger::Kubernetes => {
                let (found, done) = files::find_kubernetes(text, start, end, self.kubernetes_end);
                self.kubernetes_end = done;
                for span in found {
                    self.likely("kubernetes-secret", Some(span));
                }
            }
        }
    }

    fn vendor(&mut self, place: usize, start: usize) {
        let Some(matcher) = self.gate.matcher(place) else {
            return;
        };
        let Some(span) = matcher.find(self.text, start) else {
            return;
        };
        if matcher.rule.id == "aws-access-key-id" {
            let secret = structural::aws_secret_near(self.text, &span);
            self.certain("aws-secret-key", secret);
        }
        self.certain(matcher.rule.id, Some(span));
    }

    fn key(&mut self, start: usize, end: usize) {
        if start < self.key_end {
            return;
        }
        let Some(key) = assign::key_around(self.text, start, end) else {
            return;
        };
        self.key_end = key.span.end;
        let span = assign::value_of(self.text, &key);
        self.likely(structural::rule_of(key.kind), span);
    }

    fn certain(&mut self, rule: &'static str, span: Option<Range<usize>>) {
        if let Some(span) = &span {
            self.certain_end = self.certain_end.max(span.end);
        }
        self.push(rule, span, Confidence::Certain);
    }

    fn likely(&mut self, rule: &'static str, span: Option<Range<usize>>) {
        self.push(rule, span, Confidence::Likely);
    }

    fn push(&mut self, rule: &'static str, span: Option<Range<usize>>, confidence: Confidence) {
        self.findings
            .extend(span.filter(|span| !span.is_empty()).map(|span| Finding {
                rule,
                span,
                confidence,
            }));
    }
}

/// Sorts findings and unites those that overlap, under the name of the surest.
fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| {
        let is_vague = finding.rule == structural::HIGH_ENTROPY;
        (
            finding.span.start,
            finding.confidence,
            is_vague,
            finding.span.end,
        )
    });
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match merged.last_mut() {
            Some(last) if finding.span.start < last.span.end => {
                if finding.confidence < last.confidence {
                    last.rule = finding.rule;
                    last.confidence = finding.confidence;
                }
                last.span.end = last.span.end.max(finding.span.end);
            }
            _ => merged.push(finding),
        }
    }
    merged
}

//! Which URLs a list of patterns allows: Claude Code's `allowedHttpHookUrls`.

use regex::Regex;

/// Whether one of the patterns allows the URL. In a pattern `*` stands for anything; hosts are compared without
/// regard to case and to a dot at their end.
///
/// A URL that a client could take for another one than it looks like is allowed by no pattern.
pub(in crate::settings) fn allows<'p>(
    patterns: impl IntoIterator<Item = &'p str>,
    url: &str,
) -> bool {
    let Some(url) = literal(url.trim()) else {
        return false;
    };
    patterns
        .into_iter()
        .any(|pattern| Parts::of_pattern(pattern.trim()).is_some_and(|pattern| pattern.fits(&url)))
}

/// A URL, or a pattern of one, taken apart.
#[derive(Debug)]
struct Parts {
    scheme: String,
    /// With the port, unless it is the scheme's own.
    host: String,
    /// From the path on; empty when there is none.
    rest: String,
}

impl Parts {
    fn new(scheme: &str, after: &str) -> Self {
        let (authority, rest) = after
            .find(['/', '?', '#'])
            .map_or((after, ""), |at| after.split_at(at));
        let scheme = scheme.to_ascii_lowercase();
        // The text before the `@` is not the host.
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        Self {
            host: normal_host(&scheme, host),
            scheme,
            rest: rest.to_owned(),
        }
    }

    /// A pattern says its scheme, unless it begins with a star.
    fn of_pattern(pattern: &str) -> Option<Self> {
        match pattern.split_once("://") {
            Some((scheme, after)) => Some(Self::new(scheme, after)),
            None => pattern.starts_with('*').then(|| Self::new("*", pattern)),
        }
    }

    fn fits(&self, url: &Self) -> bool {
        if !matches(&self.scheme, &url.scheme) {
            return false;
        }
        let path = |rest: &str| {
            if rest.is_empty() {
                "/".to_owned()
            } else {
                rest.to_owned()
            }
        };
        // `http://localhost:*` is for every path too. Elsewhere no star of the host reaches into the path, or
        // `https://*.example.com/*` would let through `https://evil.test/.example.com/`.
        if self.rest.is_empty() && self.host.ends_with('*') {
            matches(&self.host, &format!("{}{}", url.host, path(&url.rest)))
        } else {
            matches(&self.host, &url.host) && matches(&path(&self.rest), &path(&url.rest))
        }
    }
}

/// The parts of a URL that means what it looks like, without its fragment.
fn literal(url: &str) -> Option<Parts> {
    let (scheme, after) = url.split_once("://")?;
    let after = after.split('#').next().unwrap_or_default();
    let parts = Parts::new(scheme, after);
    let host_is_plain = !parts.host.is_empty()
        && parts
            .host
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']'));
    let path = parts.rest.split('?').next().unwrap_or_default();
    let climbs = path.split('/').any(|segment| {
        matches!(
            segment.to_ascii_lowercase().replace("%2e", ".").as_str(),
            "." | ".."
        )
    });
    let is_odd = url.contains(|c: char| c == '\\' || c.is_control());
    (host_is_plain && !climbs && !is_odd).then_some(parts)
}

fn normal_host(scheme: &str, authority: &str) -> String {
    let (host, port) = match authority.rsplit_once(':') {
        // The colons of an IPv6 address stand in brackets.
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    match (scheme, port) {
        (_, None | Some("")) | ("http", Some("80")) | ("https", Some("443")) => host,
        (_, Some(port)) => format!("{host}:{port}"),
    }
}

/// Whether the whole text fits.
fn matches(pattern: &str, text: &str) -> bool {
    let pieces: Vec<String> = pattern.split('*').map(regex::escape).collect();
    Regex::new(&format!("(?s)^{}$", pieces.join(".*"))).is_ok_and(|regex| regex.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_allow_urls() {
        for (pattern, url, expected) in [
            ("https://a.example/hook", "https://a.example/hook", true),
            ("https://a.example/hook", "https://a.example/hooks", false),
            ("https://a.example/hook", "http://a.example/hook", false),
            ("https://a.example/*", "https://a.example/x/y?z=1", true),
            ("https://a.example/*", "https://a.example", true),
            ("https://a.example", "https://a.example/", true),
            ("https://a.example", "https://a.example/x", false),
            ("https://A.Example/*", "https://a.EXAMPLE/x", true),
            ("https://a.example./*", "https://a.example/x", true),
            ("https://a.example/*", "https://a.example./x", true),
            ("https://a.example/X", "https://a.example/x", false),
            ("https://a.example/*", "https://a.example:443/x", true),
            ("https://a.example/*", "https://a.example:8443/x", false),
            ("http://localhost:*", "http://localhost:8080/hook", true),
            (
                "http://localhost:*/hook",
                "http://localhost:8080/hook",
                true,
            ),
            ("http://[::1]:*", "http://[::1]:9/x", true),
            ("https://*.example/*", "https://deep.a.example/x", true),
            ("https://*.example/*", "https://example/x", false),
            ("https://*", "https://anything.test/x", true),
            ("https://*", "http://anything.test/x", false),
            ("*", "http://anything.test/x", true),
            ("*.example/*", "https://a.example/x", true),
            ("*", "not a url", false),
            ("a.example", "https://a.example/", false),
            ("", "https://a.example/", false),
            ("https://a.example/(x+)[", "https://a.example/(x+)[", true),
        ] {
            assert_eq!(allows([pattern], url), expected, "{pattern} on {url}");
        }
        assert!(
            !allows([], "https://a.example/"),
            "an empty list blocks all"
        );
        assert!(allows(["x", "https://a.example/*"], "https://a.example/x"));
    }

    #[test]
    fn a_url_that_is_not_what_it_looks_like_is_not_allowed() {
        let patterns = [
            "https://a.example/hook/*",
            "https://a.example*",
            "https://*.a.example/*",
        ];
        for url in [
            "https://a.example@evil.test/hook/x",
            "https://evil.test\\.a.example/hook",
            "https://evil.test/.a.example/hook",
            "https://evil.test?.a.example/hook",
            "https://evil.test#.a.example/hook",
            "https://evil.test%2f.a.example/hook",
            "https://a.example/hook/../secret",
            "https://a.example/hook/%2E./secret",
            "https://a.exam\tple/hook/",
            "https:///hook",
        ] {
            assert!(!allows(patterns, url), "{url}");
        }
    }
}

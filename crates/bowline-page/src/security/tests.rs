use super::*;

const PORT: u16 = 4711;

fn secret(byte: u8) -> Secret {
    Secret([byte; 32])
}

/// A gate that one browser may pass.
fn gate(byte: u8) -> Gate {
    Gate {
        path: "0".repeat(PATH),
        known: vec![secret(byte).digest()],
        given: None,
    }
}

fn own_cookie() -> String {
    format!("other=1; bowline_4711={}", secret(7).hex())
}

#[test]
fn hosts_other_than_our_own_get_nothing() {
    let cookies = own_cookie();
    for (host, fits) in [
        (Some("127.0.0.1:4711"), true),
        (Some("localhost:4711"), true),
        (Some("127.0.0.1"), false),
        (Some("127.0.0.1:4712"), false),
        (Some("LOCALHOST:4711"), false),
        (Some("localhost.:4711"), false),
        (Some("evil.example:4711"), false),
        (Some("127.0.0.1:4711.evil.example"), false),
        (Some("[::1]:4711"), false),
        (Some("ada@127.0.0.1:4711"), false),
        (Some(""), false),
        (None, false),
    ] {
        let claims = Claims {
            host,
            cookies: Some(&cookies),
            ..Claims::default()
        };
        let checked = check(&claims, Wanted::View, PORT, &gate(7)).map(drop);
        let expected = if fits {
            Ok(())
        } else {
            Err(Refusal::Misdirected)
        };
        assert_eq!(checked, expected, "{host:?}");
    }
}

#[test]
fn only_our_own_pages_change_something_or_follow() {
    use Wanted::{Change, Opening, Stream, View};
    let cookies = own_cookie();
    let own = Some("http://127.0.0.1:4711");
    let near = Some("http://127.0.0.1:3000");
    for (wanted, origin, site, mode, fits) in [
        (Change, own, Some("same-origin"), Some("navigate"), true),
        (
            Change,
            Some("null"),
            Some("same-origin"),
            Some("navigate"),
            true,
        ),
        (Change, own, None, None, true),
        (Change, None, Some("same-origin"), None, true),
        (Change, None, None, None, false),
        (Change, Some("null"), None, None, false),
        (
            Change,
            Some("null"),
            Some("cross-site"),
            Some("navigate"),
            false,
        ),
        (
            Change,
            Some("https://evil.example"),
            Some("cross-site"),
            Some("navigate"),
            false,
        ),
        (Change, near, Some("same-site"), Some("navigate"), false),
        (Change, own, Some("same-site"), None, false),
        (Change, None, Some("none"), Some("navigate"), false),
        (Change, Some("https://127.0.0.1:4711"), None, None, false),
        (Change, Some("http://localhost:4711"), None, None, false),
        (Stream, None, Some("same-origin"), Some("cors"), true),
        (Stream, None, None, None, true),
        (Stream, near, Some("same-site"), Some("cors"), false),
        (Stream, None, Some("cross-site"), Some("no-cors"), false),
        (Stream, None, Some("none"), Some("navigate"), false),
        (View, None, None, None, true),
        (View, None, Some("none"), Some("navigate"), true),
        (View, None, Some("same-origin"), Some("cors"), true),
        (View, None, Some("cross-site"), Some("navigate"), true),
        (View, None, Some("cross-site"), Some("no-cors"), false),
        (View, None, Some("same-site"), Some("cors"), false),
        (View, near, Some("same-site"), Some("cors"), false),
        (Opening, None, Some("none"), Some("navigate"), true),
        (Opening, None, Some("cross-site"), Some("no-cors"), false),
    ] {
        let claims = Claims {
            host: Some("127.0.0.1:4711"),
            origin,
            site,
            mode,
            cookies: Some(&cookies),
            dest: None,
        };
        let checked = check(&claims, wanted, PORT, &gate(7)).map(drop);
        let expected = if fits { Ok(()) } else { Err(Refusal::Foreign) };
        assert_eq!(checked, expected, "{wanted:?} {claims:?}");
    }
}

#[test]
fn frames_of_other_sites_get_nothing() {
    use Wanted::{Opening, View};
    let cookies = own_cookie();
    for (wanted, site, dest, fits) in [
        (View, "cross-site", Some("document"), true),
        (View, "cross-site", None, true),
        (View, "cross-site", Some("iframe"), false),
        (View, "cross-site", Some("frame"), false),
        (View, "cross-site", Some("embed"), false),
        (View, "cross-site", Some("object"), false),
        (View, "cross-site", Some(""), false),
        (View, "same-site", Some("iframe"), false),
        (View, "none", Some("document"), true),
        (View, "same-origin", Some("script"), true),
        (Opening, "cross-site", Some("document"), true),
        (Opening, "cross-site", Some("iframe"), false),
    ] {
        let claims = Claims {
            host: Some("127.0.0.1:4711"),
            site: Some(site),
            mode: Some("navigate"),
            dest,
            cookies: Some(&cookies),
            ..Claims::default()
        };
        let checked = check(&claims, wanted, PORT, &gate(7)).map(drop);
        let expected = if fits { Ok(()) } else { Err(Refusal::Foreign) };
        assert_eq!(checked, expected, "{wanted:?} {claims:?}");
    }
}

#[test]
fn nobody_sees_a_page_without_its_cookie() {
    let (ours, other) = (secret(7).hex(), secret(8).hex());
    for (cookies, fits) in [
        (format!("bowline_4711={ours}"), true),
        (format!("bowline_4711={other}; bowline_4711={ours}"), true),
        (format!("bowline_4711={other}"), false),
        (format!("bowline_4712={ours}"), false),
        (format!("bowline_4711={}", &ours[..63]), false),
        (format!("bowline_4711={ours}0"), false),
        ("bowline_4711=".to_owned(), false),
        (String::new(), false),
    ] {
        let claims = Claims {
            host: Some("127.0.0.1:4711"),
            cookies: Some(&cookies),
            ..Claims::default()
        };
        let checked = check(&claims, Wanted::View, PORT, &gate(7)).map(drop);
        let expected = if fits { Ok(()) } else { Err(Refusal::Unknown) };
        assert_eq!(checked, expected, "{cookies}");
        // The link gives the cookie, so that it cannot need one.
        let opening = check(&claims, Wanted::Opening, PORT, &gate(7));
        assert_eq!(opening, Ok(None));
    }
}

#[test]
fn a_key_works_once_and_for_two_minutes() {
    let begin = Instant::now();
    let late = begin + Duration::from_secs(121);
    let mut keys = Keys::default();
    keys.add(&secret(1), begin);
    assert!(!keys.take(&secret(2).hex(), begin));
    assert!(!keys.take("", begin));
    assert!(keys.take(&secret(1).hex(), begin));
    assert!(!keys.take(&secret(1).hex(), begin));
    keys.add(&secret(3), begin);
    assert!(!keys.take(&secret(3).hex(), late));
    for byte in 0..20 {
        keys.add(&secret(byte), late);
    }
    assert!(!keys.take(&secret(3).hex(), late), "the oldest ones go");
    assert!(keys.take(&secret(19).hex(), late));
}

#[test]
fn secrets_differ_and_what_follows_from_them_tells_nothing_of_them() {
    let (one, other) = (Secret::fresh().unwrap(), Secret::fresh().unwrap());
    assert_ne!(one, other);
    assert_eq!(Secret::from_hex(&one.hex()), Some(one.clone()));
    for text in ["", "00", &"g".repeat(64), &"é".repeat(32)] {
        assert_eq!(Secret::from_hex(text), None, "{text}");
    }
    let made = [
        one.hex(),
        one.token(),
        one.digest(),
        other.token(),
        other.digest(),
    ];
    for (at, a) in made.iter().enumerate() {
        for b in made.iter().skip(at + 1) {
            assert!(!a.contains(b.as_str()) && !b.contains(a.as_str()));
        }
    }
    let cookie = cookie(PORT, "p", &one);
    assert!(cookie.starts_with("bowline_4711="));
    for part in ["HttpOnly", "SameSite=Strict", "Path=/p/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
}

#[test]
fn what_is_kept_recognises_a_browser_and_lets_nobody_in() {
    let mut gate = Gate::fresh().unwrap();
    let first = gate.give().unwrap();
    assert_eq!(gate.give().unwrap(), first, "tabs share a cookie");
    let written = gate.written();
    for secret in [first.hex(), first.token()] {
        assert!(!written.contains(&secret), "{written}");
    }
    let mut next = Gate::read(&written).unwrap();
    assert_eq!(next.path(), gate.path());
    let (path, digest) = written.split_once(' ').unwrap();
    let is_known = |gate: &Gate, value: &str| {
        let cookies = format!("bowline_4711={value}");
        gate.recognised(Some(&cookies), PORT).is_some()
    };
    for (value, fits) in [
        (first.hex().as_str(), true),
        (digest, false),
        (path, false),
        (first.token().as_str(), false),
        ("", false),
    ] {
        assert_eq!(is_known(&next, value), fits, "{value}");
    }
    // A browser that comes later gets another secret, and the first one stays.
    let second = next.give().unwrap();
    assert_ne!(second, first);
    for secret in [&first, &second] {
        assert!(is_known(&next, &secret.hex()));
        let presented = next.recognised(Some(&format!("bowline_4711={}", secret.hex())), PORT);
        assert_eq!(presented.unwrap().token(), secret.token());
    }
    let third = Gate::read(&next.written()).unwrap();
    assert!(is_known(&third, &first.hex()) && is_known(&third, &second.hex()));
}

#[test]
fn cookies_are_not_known_for_ever() {
    let mut gate = Gate::fresh().unwrap();
    let first = gate.give().unwrap();
    for _ in 0..MOST_COOKIES {
        gate = Gate::read(&gate.written()).unwrap();
        gate.give().unwrap();
    }
    assert_eq!(gate.known.len(), MOST_COOKIES);
    let cookies = format!("bowline_4711={}", first.hex());
    assert_eq!(gate.recognised(Some(&cookies), PORT), None);
}

#[test]
fn what_nobody_wrote_is_no_gate() {
    let (path, digest) = ("0".repeat(PATH), "a".repeat(DIGEST));
    for (text, fits) in [
        (format!("{path} {digest}"), true),
        (format!("{path} {digest},{digest}"), true),
        (
            format!("{path} {}", vec![digest.as_str(); 17].join(",")),
            false,
        ),
        (format!("{path} {digest},"), false),
        (format!("{path} "), false),
        (path.clone(), false),
        (digest.clone(), false),
        (format!("../{} {digest}", &path[3..]), false),
        (format!("{{{}}} {digest}", &path[2..]), false),
        (String::new(), false),
    ] {
        assert_eq!(Gate::read(&text).is_some(), fits, "{text}");
    }
}

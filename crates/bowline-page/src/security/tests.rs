use super::*;

const PORT: u16 = 4711;

fn secret(byte: u8) -> Secret {
    Secret([byte; 32])
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
        let checked = check(&claims, Wanted::View, PORT, &secret(7));
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
        };
        let checked = check(&claims, wanted, PORT, &secret(7));
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
        let checked = check(&claims, Wanted::View, PORT, &secret(7));
        let expected = if fits { Ok(()) } else { Err(Refusal::Unknown) };
        assert_eq!(checked, expected, "{cookies}");
        // The link gives the cookie, so that it cannot need one.
        assert_eq!(check(&claims, Wanted::Opening, PORT, &secret(7)), Ok(()));
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
        one.path(),
        other.token(),
        other.path(),
    ];
    for (at, a) in made.iter().enumerate() {
        for b in made.iter().skip(at + 1) {
            assert!(!a.contains(b.as_str()) && !b.contains(a.as_str()));
        }
    }
    let cookie = cookie(PORT, &one);
    assert!(cookie.starts_with("bowline_4711="));
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
}

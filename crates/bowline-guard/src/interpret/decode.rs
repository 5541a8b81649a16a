//! Encodings that hide a text: base64, hexadecimal, reversal, `printf`.

/// Base64, standard or URL-safe; blanks are skipped. `None` if it is something else.
pub(super) fn base64(text: &str) -> Option<String> {
    printable(base64_bytes(text)?)
}

/// Bytes as base64.
pub(super) fn to_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let number = chunk
            .iter()
            .fold(0_usize, |sum, byte| (sum << 8) | usize::from(*byte));
        let number = number << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS.get((number >> (18 - 6 * place)) & 63);
            out.push(if place <= chunk.len() {
                letter.map_or('=', |it| char::from(*it))
            } else {
                '='
            });
        }
    }
    out
}

/// As PowerShell's `-EncodedCommand` has it: two bytes for each character, the lower one first.
pub(super) fn base64_utf16(text: &str) -> Option<String> {
    let bytes = base64_bytes(text)?;
    let units = bytes.chunks_exact(2).filter_map(|pair| match pair {
        [low, high] => Some(u16::from_le_bytes([*low, *high])),
        _ => None,
    });
    String::from_utf16(&units.collect::<Vec<_>>()).ok()
}

fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = 0_u32;
    let mut bits = 0_u32;
    for c in text.chars() {
        let six = match c {
            'A'..='Z' => u32::from(c) - u32::from('A'),
            'a'..='z' => u32::from(c) - u32::from('a') + 26,
            '0'..='9' => u32::from(c) - u32::from('0') + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            '=' => continue,
            c if c.is_whitespace() => continue,
            _ => return None,
        };
        buffer = (buffer << 6) | six;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// Base32.
pub(super) fn base32(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = 0_u32;
    let mut bits = 0_u32;
    for c in text.chars() {
        let five = match c.to_ascii_uppercase() {
            c @ 'A'..='Z' => u32::from(c) - u32::from('A'),
            c @ '2'..='7' => u32::from(c) - u32::from('2') + 26,
            '=' => continue,
            c if c.is_whitespace() => continue,
            _ => return None,
        };
        buffer = ((buffer << 5) | five) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((buffer >> bits) & 0xff).ok()?);
        }
    }
    printable(bytes)
}

/// Hexadecimal digits, with or without blanks, colons and `\x`.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .replace("\\x", "")
        .replace("0x", "")
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ':')
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    let bytes = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(high * 16 + low).ok(),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()?;
    printable(bytes)
}

/// Text, if the bytes are text.
fn printable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let odd = text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'));
    (!odd).then_some(text)
}

/// Every line backwards.
pub(super) fn reversed(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let (line, end) = line
                .strip_suffix('\n')
                .map_or((line, ""), |line| (line, "\n"));
            line.chars().rev().collect::<String>() + end
        })
        .collect()
}

/// `tr` of one set of characters to another.
pub(super) fn translated(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (character_set(from)?, character_set(to)?);
    let last = to.last().copied();
    Some(
        text.chars()
            .map(|c| match from.iter().position(|it| *it == c) {
                Some(at) => to.get(at).copied().or(last).unwrap_or(c),
                None => c,
            })
            .collect(),
    )
}

/// `tr -d` of a set of characters.
pub(super) fn without(text: &str, set: &str) -> Option<String> {
    let set = character_set(set)?;
    Some(text.chars().filter(|c| !set.contains(c)).collect())
}

fn character_set(written: &str) -> Option<Vec<char>> {
    if written.contains("[:") {
        return match written {
            "[:upper:]" => Some(('A'..='Z').collect()),
            "[:lower:]" => Some(('a'..='z').collect()),
            "[:space:]" => Some(vec![' ', '\t', '\n', '\r']),
            "[:digit:]" => Some(('0'..='9').collect()),
            _ => None,
        };
    }
    let text = escapes(written);
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(end)) if c <= end => {
                set.extend(*c..=*end);
                at += 3;
            }
            _ => {
                set.push(*c);
                at += 1;
            }
        }
        if set.len() > 512 {
            return None;
        }
    }
    Some(set)
}

/// The escapes that `printf` and `echo -e` know.
pub(super) fn escapes(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let push = |bytes: &mut Vec<u8>, c: char| {
        bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            push(&mut bytes, c);
            continue;
        }
        let zero = chars.peek() == Some(&'0');
        let mut number = |radix: u32, most: usize| {
            let mut value = None;
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else {
                    break;
                };
                chars.next();
                value = Some(value.unwrap_or(0) * radix + digit);
            }
            value
        };
        // The numbers first: they borrow what follows.
        let most = if zero { 4 } else { 3 };
        if let Some(octal) = number(8, most) {
            bytes.push(octal.to_le_bytes()[0]);
            continue;
        }
        match chars.next() {
            Some('n') => bytes.push(b'\n'),
            Some('t') => bytes.push(b'\t'),
            Some('r') => bytes.push(b'\r'),
            Some('a' | 'b' | 'f' | 'v') => bytes.push(b' '),
            Some('e' | 'E') => bytes.push(27),
            Some('\\') | None => bytes.push(b'\\'),
            Some(kind @ ('x' | 'u' | 'U')) => {
                let most = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let mut value = None;
                for _ in 0..most {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(16)) else {
                        break;
                    };
                    chars.next();
                    value = Some(value.unwrap_or(0_u32).wrapping_mul(16) + digit);
                }
                match (kind, value) {
                    ('x', Some(value)) => bytes.extend(u8::try_from(value)),
                    (_, Some(value)) => push(&mut bytes, char::from_u32(value).unwrap_or('?')),
                    (_, None) => {
                        bytes.push(b'\\');
                        push(&mut bytes, kind);
                    }
                }
            }
            Some(other) => {
                if !matches!(other, '"' | '\'') {
                    bytes.push(b'\\');
                }
                push(&mut bytes, other);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What `printf` prints: the format is used again while arguments are left.
pub(super) fn printf(format: &str, args: &[&str]) -> String {
    let format = escapes(format);
    let mut out = String::new();
    let mut args = args.iter();
    loop {
        let mut used = false;
        let mut chars = format.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            while chars.next_if(|c| "-+ #0123456789.".contains(*c)).is_some() {}
            match chars.next() {
                Some('%') | None => out.push('%'),
                Some('b') => {
                    used = true;
                    out.push_str(&args.next().map(|it| escapes(it)).unwrap_or_default());
                }
                Some('c') => {
                    used = true;
                    out.extend(args.next().and_then(|it| it.chars().next()));
                }
                Some(_) => {
                    used = true;
                    out.push_str(args.next().copied().unwrap_or_default());
                }
            }
        }
        if !used || args.len() == 0 || out.len() > super::bounds::MAX_TEXT {
            return out;
        }
    }
}
